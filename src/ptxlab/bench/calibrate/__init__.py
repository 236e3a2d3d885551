"""Microbenchmarks: what a chip takes for each kind of instruction, measured by kernels in PTX.

`experiments` lists them, `programs` writes their kernels, `run` measures and keeps what comes out.
"""
