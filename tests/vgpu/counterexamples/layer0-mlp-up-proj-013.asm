# threads: 1  shows a wrong weight in layer 0, mlp.up_proj
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, 1
add r0, r0, r0
