"""Approximate functions as the chip's special function unit computes them, to the last bit.

`interpolate` is the datapath that all functions share, `tables` and `fixed_tables` what it looks up, `unit` and `fixed` the
functions that the chip has an instruction for (MUFU). `single` and `double` are PTX's instructions, as ptxas builds
them on those. Everything is written in the language of codegen/ir.py, for any number of lanes.
"""
