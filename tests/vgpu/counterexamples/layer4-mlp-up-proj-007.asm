# threads: 1  shows a wrong weight in layer 4, mlp.up_proj
add r0, rz, r0
add r0, rz, r0
ld.b32 r0, [0x10]
add r0, r0, r0
