"""The circuit compiler: integer signals and gadgets → weights of Qwen3.5 decoder layers.

form      linear forms over named integer signals, with exact ranges
netlist   gadgets (hinge, step, all_of, select, lookup) placed in the earliest layer they can
memory    Gated DeltaNet heads as memories
allocate  residual channels for signals, reused when a signal is dead
emit      the sparse weights of every layer
simulate  the netlist evaluated in integers, without any weights
draw      the netlist by layer, as text or SVG
"""
