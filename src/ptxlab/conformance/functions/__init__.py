"""Approximate functions against the chip, to the last bit: all operands of those with one, and many pairs."""
