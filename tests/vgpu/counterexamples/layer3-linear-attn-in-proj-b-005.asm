# threads: 2  shows a wrong weight in layer 3, linear_attn.in_proj_b
add r0, rz, r0
add r0, rz, r0
ld.lock r0, [0x10]
