"""Tensor maps, and copies and reductions through them."""
