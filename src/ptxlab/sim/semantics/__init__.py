"""What instructions mean, compiled: one module per family of rows. Importing this package registers them all."""

from ptxlab.sim.semantics import control, integer, memory, move

__all__ = ["control", "integer", "memory", "move"]
