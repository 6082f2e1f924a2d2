# threads: 1  shows a wrong weight in layer 0, mlp.gate_proj
bar.warp r0
