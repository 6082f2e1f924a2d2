# threads: 1  shows a wrong weight in layer 5, mlp.down_proj
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
mulhi.s r0, rz, r0
