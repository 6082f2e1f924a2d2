"""Oracles for CUDA kernels that share no code with the compiler or the machine."""
