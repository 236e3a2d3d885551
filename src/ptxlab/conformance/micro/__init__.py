"""Micro-kernels: memory, barriers, copies, control flow, clusters."""
