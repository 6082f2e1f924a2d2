# threads: 1  shows a wrong weight in layer 2, mlp.gate_proj
add r0, rz, r0
mulhi.s r0, rz, r0
