"""What registers surely hold, in the first warp of a CTA or everywhere: a number for each lane, or a place in memory.

Only registers that one instruction writes, without a guard, are followed; all others are unknown. That is enough to see
constants, addresses of variables, and predicates that differ between the lanes of a warp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod

from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import Compute, WarpWide
from ptxlab.isa.limits import WARP_SIZE
from ptxlab.isa.operands import Imm, Not, Operand, Reg, Sreg, Symbol
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.program import Program
from ptxlab.ptx.uses import Uses

Lanes = tuple[int, ...]
_MAX_DEPTH = 100  # of a chain of instructions; longer ones count as unknown


@dataclass(frozen=True, slots=True)
class Place:
    """The address of a variable plus an offset in bytes."""

    symbol: str
    offset: int
    variable: Symbol | None = field(default=None, compare=False)


Value = Lanes | Place | None


def constant(value: Value) -> int | None:
    """The number that all lanes hold."""
    return value[0] if isinstance(value, tuple) and len(set(value)) == 1 else None


def differs(value: Value) -> bool:
    """Whether the lanes of the warp surely hold different values."""
    return isinstance(value, tuple) and len(set(value)) > 1


class Values:
    """The values of a program's registers, found when they are asked for: those of a warp of a CTA, or only those
    that all threads hold (`everywhere`)."""

    def __init__(self, program: Program, uses: Uses, *, everywhere: bool = False, warp: int = 0) -> None:
        self.program, self.uses = program, uses
        self._known: dict[str, Value] = {}
        special = _special(program, warp)
        self._special = {n: v for n, v in special.items() if n.startswith("%ntid") or not everywhere}

    def register(self, name: str, depth: int = 0) -> Value:
        """What a register holds wherever it is read."""
        if name not in self._known:
            self._known[name] = None  # a value that depends on itself is unknown
            self._known[name] = self._written(name, depth)
        return self._known[name]

    def operand(self, operand: Operand | None, depth: int = 0) -> Value:
        """What an operand is worth."""
        match operand:
            case Reg():
                return self.register(operand.name, depth)
            case Imm():
                same = isinstance(operand.value, int) and not operand.float_bits
                return (int(operand.value),) * WARP_SIZE if same else None
            case Sreg():
                return self._special.get(operand.name)
            case Symbol():
                return Place(operand.name, operand.offset, replace(operand, offset=0, written=""))
            case Not():
                inner = self.register(operand.reg.name, depth)
                return tuple(int(not v) for v in inner) if isinstance(inner, tuple) else None
            case _:
                return None

    def _written(self, name: str, depth: int) -> Value:
        at = self.uses.only.get(name, -1)
        if at < 0 or depth > _MAX_DEPTH:
            return None
        op = self.program.ops[at]
        inst, effect = op.inst, op.inst.form.effect
        if op.guard is not None:
            return None
        if type(effect) is WarpWide:
            return _ELECTED if effect.elects is not None and _writes(inst, effect.elects, name) else None
        if type(effect) is not Compute or effect.each is None or not _writes(inst, effect.to, name):
            return None
        if effect.when is not None and effect.when.eval(inst) is not True:
            return None
        return _computed(inst, effect, [self.operand(inst.operands.get(n), depth + 1) for n in effect.of])


def _writes(inst: Instance, operand: str, register: str) -> bool:
    found = inst.operands.get(operand)
    return isinstance(found, Reg) and found.name == register


def _special(program: Program, warp: int) -> dict[str, Lanes]:
    """Of a warp; those behind the first want .reqntid. Lanes behind the last thread of a small block count as that thread."""
    directives = program.directives
    extents = directives.reqntid
    most = prod(extents or directives.maxntid or (WARP_SIZE,))
    lanes = [min(warp * WARP_SIZE + i, max(1, most) - 1) for i in range(WARP_SIZE)]
    out: dict[str, Lanes] = {"%laneid": tuple(i % WARP_SIZE for i in lanes)}
    if extents is None:
        out["%tid.x"] = tuple(lanes)  # as where a row of the block is a warp long or longer
    elif min(extents) > 0:
        x, y, _ = extents
        out["%tid.x"] = tuple(i % x for i in lanes)
        out["%tid.y"] = tuple(i // x % y for i in lanes)
        out["%tid.z"] = tuple(i // (x * y) for i in lanes)
        out.update({f"%ntid.{axis}": (n,) * WARP_SIZE for axis, n in zip("xyz", extents, strict=True)})
    return out


# --- what instructions do to values, by the words of their effects


def _left(a: int, b: int) -> int:
    return a << min(b & 0xFFFFFFFF, 64)


def _right(a: int, b: int) -> int:
    return a >> min(b & 0xFFFFFFFF, 64)


_ELECTED: Lanes = (1,) + (0,) * (WARP_SIZE - 1)
_FUNCTIONS: dict[str, Callable[..., int]] = {
    "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "and": int.__and__, "or": int.__or__, "xor": int.__xor__,
    "shl": _left, "shr": _right, "not": int.__invert__, "copy": int.__int__,
}  # fmt: skip
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip


def _wrap(value: int, type_: ScalarType | None) -> int:
    if type_ is None:
        return value
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.kind == "s" and value >> (type_.bits - 1) else value


def _computed(inst: Instance, effect: Compute, values: list[Value]) -> Value:
    """What the operand `effect.to` gets from these values of `effect.of`."""
    numbers = [
        tuple(_wrap(v, inst.type_of(name)) for v in value)
        for name, value in zip(effect.of, values, strict=True)
        if isinstance(value, tuple)
    ]
    if len(numbers) < len(values):
        return _moved(effect, values)
    function = _COMPARE.get(inst.mod("cmp") or "") if effect.each == "compare" else _FUNCTIONS.get(effect.each or "")
    if function is None:
        return None
    type_ = inst.type_of(effect.to)
    return tuple(_wrap(int(function(*lane)), type_) for lane in zip(*numbers, strict=True))


def _moved(effect: Compute, values: list[Value]) -> Value:
    """A place in memory, copied or moved by a constant."""
    if effect.each == "copy":
        return values[0]
    first, second = values[0], values[-1]
    if effect.each == "add" and isinstance(second, Place):
        first, second = second, first
    by = constant(second)
    if not isinstance(first, Place) or by is None or effect.each not in ("add", "sub"):
        return None
    return replace(first, offset=first.offset + (by if effect.each == "add" else -by))
