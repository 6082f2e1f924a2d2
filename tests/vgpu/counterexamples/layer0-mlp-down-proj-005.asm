# threads: 1  shows a wrong weight in layer 0, mlp.down_proj
shf.l.wrap r0, rz, r0, r0
