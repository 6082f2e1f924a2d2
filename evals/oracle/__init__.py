"""Oracles for CUDA kernels that share no code with the compiler or the machine.

cpu     the same .cu by a C++ compiler, one thread a CUDA thread
nvrtc   NVIDIA's compiler as a second front end: its PTX, run by the machine
gpu     a real GPU, where there is one
"""
