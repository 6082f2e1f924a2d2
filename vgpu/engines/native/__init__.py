"""The native code of the sparse engine, and what it needs.

passes.c    whole passes over LANES words at a time: rows, neurons, memories
compiler    clang makes an object of it for this processor; llvmlite loads it
rows        sparse matrices by row, rows of one shape together
structures  the structures of passes.c for ctypes
layout      a network's matrices in those structures
"""
