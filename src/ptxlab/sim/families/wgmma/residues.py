"""wgmma on codes of residues, and which arithmetic a product has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptxlab.sim.families.wgmma.arithmetic import M, Math, Place, SparseMath, words
from ptxlab.sim.families.wgmma.plan import BITS, ROWS_PER_WARP, OperandIndex, Plan, Types
from ptxlab.sim.numerics import degrees as d
from ptxlab.sim.numerics import native
from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.coded import code_of, held


class CodedMath(Math):
    """D = A·B + D of residues. Nothing of it is native code, and none of its products is remembered."""

    def __init__(self, types: Types) -> None:
        self.types, self._left, self._right = types, np.zeros(0), np.zeros(0)

    def load_a(self, plan: Plan, place: Place, operand: OperandIndex | None) -> None:
        """A from registers or from shared memory."""
        bits = BITS[self.types.a]
        if operand is not None:
            found = words(place.shared, bits)[operand.index]
        else:
            assert plan.a_index is not None
            parts = [words(w.frame.bytes, bits)[i] for w, i in zip(place.warps, plan.a_index, strict=True)]
            found = np.concatenate(parts)
        self._left = self._signed(code_of(found.reshape(M, self.types.k)), plan.negate_a)

    def load_b(self, plan: Plan, place: Place, operand: OperandIndex) -> None:
        """B from shared memory."""
        found = native.unblocked(words(place.shared, BITS[self.types.b])[operand.index], self.types.n)
        self._right = self._signed(code_of(found), plan.negate_b)

    def _signed(self, codes: Any, negative: bool) -> Any:
        return r.neg(r.ARRAYS, codes) if negative and self.types.coded == "residues" else codes

    def run(self, plan: Plan, place: Place, accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        bits = self.types.d_bits
        degrees = self.types.coded == "degrees"
        out = d.dot(r.ARRAYS, self._left, self._right) if degrees else r.dot(self._left, self._right)
        add = d.add if degrees else r.add
        rows = [words(w.frame.bytes, bits) for w in place.warps]
        for w, (row, index) in enumerate(zip(rows, plan.d_index, strict=True)):
            mine = out[ROWS_PER_WARP * w : ROWS_PER_WARP * (w + 1)]
            row[index] = held(add(r.ARRAYS, mine, code_of(row[index])) if accumulate else mine, bits)


def math_of(types: Types) -> Math:
    """The arithmetic for these types."""
    if types.coded:
        return CodedMath(types)
    return SparseMath(types) if types.sparse else Math(types)
