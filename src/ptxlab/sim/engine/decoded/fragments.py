"""Fragments of matrices that hold more than registers: numbers, and parts of a result that are left out.

Each gets a row of the frame of its own, so that what computes with fragments finds registers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ptxlab.isa.effects import AsyncCopy
from ptxlab.isa.instance import Instance
from ptxlab.isa.operands import Imm, Operand, Reg, Sink, Vec
from ptxlab.isa.types import TYPES
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.decoded.immediates import literal_bits

_LEFT_OUT = "_"


class Fillers:
    """Rows that stand for numbers and for what is left out, by the name of the register that they look like."""

    def __init__(self, take: Callable[[int], int]) -> None:
        self._take = take
        self.rows: dict[str, int] = {}
        self.numbers: dict[int, tuple[int, int]] = {}
        """Of each row that holds a number: its bits, and how many they are."""

    def filled(self, op: Op) -> Op:
        """The instruction with registers alone in its fragments; itself where it has no others."""
        inst = op.inst
        made = {
            name: self._vector(inst, name, operand)
            for name, operand in inst.operands.items()
            if isinstance(operand, Vec)
            and _is_fragment(inst, name)
            and not all(isinstance(i, Reg) for i in operand.items)
        }
        if not made:
            return op
        return replace(op, inst=Instance(inst.form, inst.opcode, inst.mods, inst.operands | made, inst.shape))

    def _vector(self, inst: Instance, name: str, vector: Vec) -> Vec:
        type_ = inst.type_of(name)
        width = type_.bits if type_ is not None else 32
        return Vec(tuple(self._register(item, width, cut=inst.form.operands[name].cut) for item in vector.items))

    def _register(self, item: Operand, width: int, *, cut: bool) -> Operand:
        if isinstance(item, Sink):
            return Reg(self._row(f"{_LEFT_OUT}{width}", width), TYPES[f"b{width}"])
        if not isinstance(item, Imm):
            return item
        bits = literal_bits(item, TYPES[f"b{width}" if cut else f"f{width}"], cut=cut) & (1 << width) - 1
        name = self._row(f"={bits:#x}.{width}", width)
        self.numbers[self.rows[name]] = bits, width
        return Reg(name, TYPES[f"b{width}"])

    def _row(self, name: str, width: int) -> str:
        if name not in self.rows:
            self.rows[name] = self._take(F.row_bytes(width))
        return name


def _is_fragment(inst: Instance, name: str) -> bool:
    spec = inst.form.operands[name]
    plain = isinstance(spec.held, str) and spec.held == "value"
    return spec.always_vector and not plain and not isinstance(inst.form.effect, AsyncCopy)
