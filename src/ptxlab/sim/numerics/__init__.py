"""The arithmetic of Hopper's tensor cores: `reference` says what it is, `kernels` does it fast.

`kernels` imports Numba and compiles on first use, so nothing is imported here.
"""
