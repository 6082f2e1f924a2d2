# threads: 1  shows a wrong weight in layer 4, mlp.gate_proj
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
sub r0, rz, 1
