"""Shared memory: tiles, their descriptors, mbarriers and rings of them."""
