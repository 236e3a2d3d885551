"""Tensor maps: as parameters, changed by the kernel, checked against tiles, and the copies that use them."""
