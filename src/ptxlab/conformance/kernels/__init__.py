"""Whole kernels of `kernels/`: their inputs, and the digests of what an H100 wrote."""
