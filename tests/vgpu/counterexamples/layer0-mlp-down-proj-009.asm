# threads: 1  shows a wrong weight in layer 0, mlp.down_proj
add r0, rz, r0
shf.r.clamp r0, rz, r0, r0
