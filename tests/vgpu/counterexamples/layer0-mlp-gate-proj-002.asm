# threads: 1  shows a wrong weight in layer 0, mlp.gate_proj
add r0, rz, r0
