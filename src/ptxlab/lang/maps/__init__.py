"""Tensor maps: as parameters, changed by the kernel, held against tiles, and the copies that go through them."""
