# threads: 1  shows a wrong weight in layer 2, mlp.down_proj
add r0, rz, r0
add r0, rz, r0
ld.s8 r0, [0x10]
add.co r0, p0, r0, r0
