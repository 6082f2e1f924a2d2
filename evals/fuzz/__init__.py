"""Random CUDA kernels: written here, compiled for the machine and for the CPU, and compared.

types       the integer types and their corner values
tree        expressions and statements as trees, and their text
features    what a generator can draw, and what it has drawn
expressions, statements, functions, uniform
            the generator, by what it writes
kernel      a whole kernel with its launch
run         batches of kernels through both compilers
reduce      a failing kernel made small
"""
