# threads: 1  shows a wrong weight in layer 0, linear_attn.in_proj_qkv
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
add r0, rz, r0
