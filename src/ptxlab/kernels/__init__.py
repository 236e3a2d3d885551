"""Kernels written in ptxlab's language: copies through shared memory, and a matrix product."""
