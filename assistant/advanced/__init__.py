"""Advanced mode: the host writes a CUDA kernel, the machine runs it on the user's data."""
