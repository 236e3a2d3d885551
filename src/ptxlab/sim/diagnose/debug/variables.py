"""Variables of the Python source of a launch that is stopped: what they hold where a warp stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.types import ScalarType
from ptxlab.layout.variables import Matrix, Variable
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.diagnose.debug.inspect import numpy_dtype, register
from ptxlab.sim.engine.machine.resident import Warp


class Variables:
    """The variables of a kernel.

    Args:
        bound: in the order in which they are bound. program: the kernel. ops: its instructions, behind those of what it calls.

    Attributes:
        names: of all of them.
    """

    def __init__(self, bound: Sequence[Variable], program: Program, ops: Sequence[Op]) -> None:
        self._bound, self._first = bound, len(ops) - len(program.ops)
        self.names = tuple(dict.fromkeys(v.name for v in bound))

    def bound(self, name: str, index: int) -> Variable | None:
        """What a name is in front of the instruction `index`; None where it is not bound there."""
        at = index - self._first
        return next((v for v in reversed(self._bound) if v.name == name and v.start <= at), None)


def values(warp: Warp, types: Mapping[str, ScalarType], held: Variable, dtype: str | None) -> NDArray[Any]:
    """What a variable holds: (32,) of a register, (registers, 32) of a list, the matrix of a fragment.

    Raises: Diagnostic PTX2307 for a dtype of another size.
    """
    if held.matrix is not None and dtype is None and _bits(held.matrix.dtype) >= 8:
        return _matrix(warp, types, held.registers, held.matrix)
    rows = [register(warp, types, name, dtype) for name in held.registers]
    return np.stack(rows) if held.several else rows[0]


def _bits(name: str) -> int:
    """Bits of an element in memory, by the last number of its type's name; 8 for e4m3 and e5m2."""
    return 8 if name.startswith("e") else int("".join(c for c in name if c.isdigit()) or 0)


def _matrix(warp: Warp, types: Mapping[str, ScalarType], registers: Sequence[str], matrix: Matrix) -> NDArray[Any]:
    """Put together from the registers of all warps that hold it."""
    held, item = matrix.fragment, numpy_dtype(matrix.dtype)
    count = held.threads // 32
    first = warp.index // count * count
    each = len(registers) // matrix.blocks
    out = np.zeros((matrix.blocks * held.shape[0], held.shape[1]), item)
    for w, other in enumerate(warp.cta.warps[first : first + count]):
        lanes = slice(32 * w, 32 * w + 32)
        for b in range(matrix.blocks):
            part = np.stack([register(other, types, n) for n in registers[b * each : (b + 1) * each]], axis=1)
            found = np.ascontiguousarray(part).view(item)[:, : held.elements]
            out[b * held.shape[0] + held.rows[lanes], held.cols[lanes]] = found
    return out
