"""What instructions mean, compiled: one module per family of rows. Importing this package registers them all."""

from ptxlab.sim.semantics import (
    atomic,
    barriers,
    calls,
    compare,
    control,
    convert,
    copies,
    extended,
    integer,
    logic,
    matrix,
    memory,
    move,
    real,
    warp,
    watch,
)

__all__ = [
    "atomic",
    "barriers",
    "calls",
    "compare",
    "control",
    "convert",
    "copies",
    "extended",
    "integer",
    "logic",
    "matrix",
    "memory",
    "move",
    "real",
    "warp",
    "watch",
]
