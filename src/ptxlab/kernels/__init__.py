"""Kernels written in ptxlab's language: copies through shared memory, matrix products, and attention."""
