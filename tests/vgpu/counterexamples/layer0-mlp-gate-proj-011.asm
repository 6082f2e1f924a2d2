# threads: 1  shows a wrong weight in layer 0, mlp.gate_proj
setp.ne p0, rz, r0
