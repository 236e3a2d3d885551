"""The chip that a record comes from, and what its kernels were assembled with."""

from __future__ import annotations


def assembler() -> str:
    """Release of the ptxas that assembles the kernels."""
    from ptxlab.cuda import ptxas

    found = ptxas.find()
    return found.release.removeprefix("V") if found is not None else "the driver's"
