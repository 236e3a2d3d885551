"""What registers surely hold in the first warp of a CTA: a number for each lane, or a place in memory.

Only registers that one instruction writes, without a guard, are followed; all others are unknown. That is enough to see
constants, addresses of variables, and predicates that differ between the lanes of a warp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from ptxlab.check.uses import Uses
from ptxlab.isa.bind import Instance
from ptxlab.isa.limits import WARP_SIZE
from ptxlab.isa.operands import Imm, Not, Operand, Reg, Sreg, Symbol
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.program import Program

Lanes = tuple[int, ...]
_MAX_DEPTH = 100  # of a chain of instructions; longer ones count as unknown


@dataclass(frozen=True, slots=True)
class Place:
    """The address of a variable plus an offset in bytes."""

    symbol: str
    offset: int


Value = Lanes | Place | None


def constant(value: Value) -> int | None:
    """The number that all lanes hold."""
    return value[0] if isinstance(value, tuple) and len(set(value)) == 1 else None


def differs(value: Value) -> bool:
    """Whether the lanes of the warp surely hold different values."""
    return isinstance(value, tuple) and len(set(value)) > 1


class Values:
    """The values of a program's registers, found when they are asked for."""

    def __init__(self, program: Program, uses: Uses) -> None:
        self.program, self.uses = program, uses
        self._known: dict[str, Value] = {}
        self._special = _special(program)

    def register(self, name: str, depth: int = 0) -> Value:
        """What a register holds wherever it is read."""
        if name not in self._known:
            self._known[name] = None  # a value that hangs on itself is unknown
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
                return Place(operand.name, operand.offset)
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
        meaning = _MEANINGS.get(op.inst.form.key)
        if op.guard is not None or meaning is None:
            return None
        place = next((n for n, o in op.inst.operands.items() if isinstance(o, Reg) and o.name == name), None)
        return meaning(op.inst, place, lambda operand: self.operand(op.inst.operands.get(operand), depth + 1))


def _special(program: Program) -> dict[str, Lanes]:
    """Lanes behind the last thread of a small block count as that thread."""
    directives = program.directives
    extents = directives.reqntid
    most = prod(extents or directives.maxntid or (WARP_SIZE,))
    lanes = [min(i, max(1, most) - 1) for i in range(WARP_SIZE)]
    out: dict[str, Lanes] = {"%laneid": tuple(lanes)}
    if extents is None:
        out["%tid.x"] = tuple(lanes)  # as where a row of the block is a warp long or longer
    elif min(extents) > 0:
        x, y, _ = extents
        out["%tid.x"] = tuple(i % x for i in lanes)
        out["%tid.y"] = tuple(i // x % y for i in lanes)
        out["%tid.z"] = tuple(i // (x * y) for i in lanes)
        out.update({f"%ntid.{axis}": (n,) * WARP_SIZE for axis, n in zip("xyz", extents, strict=True)})
    return out


# --- what instructions do to values, by the keys of their rows

Get = Callable[[str], Value]
Meaning = Callable[[Instance, str | None, Get], Value]
_MEANINGS: dict[str, Meaning] = {}


def _wrap(value: int, type_: ScalarType | None) -> int:
    if type_ is None:
        return value
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.kind == "s" and value >> (type_.bits - 1) else value


def _numbers(inst: Instance, get: Get, names: str) -> list[Lanes] | None:
    out: list[Lanes] = []
    for name in names:
        value = get(name)
        if not isinstance(value, tuple):
            return None
        type_ = inst.type_of(name)
        out.append(tuple(_wrap(v, type_) for v in value))
    return out


def _each(key: str, names: str, function: Callable[..., int]) -> None:
    """The meaning of a row that computes each lane from its own operands."""

    def meaning(inst: Instance, place: str | None, get: Get) -> Value:
        numbers = _numbers(inst, get, names)
        if numbers is None or place is None:
            return None
        type_ = inst.type_of(place)
        return tuple(_wrap(function(*lane), type_) for lane in zip(*numbers, strict=True))

    _MEANINGS[key] = meaning


def _copy(inst: Instance, place: str | None, get: Get) -> Value:
    value = get("a") if not inst.chosen("sat") else None
    return tuple(_wrap(v, inst.type_of("a")) for v in value) if isinstance(value, tuple) else value


def _moved(sign: int) -> Meaning:
    plain = _MEANINGS["add" if sign > 0 else "sub"]

    def meaning(inst: Instance, place: str | None, get: Get) -> Value:
        a, b = get("a"), get("b")
        if sign > 0 and isinstance(b, Place):
            a, b = b, a
        by = constant(b)
        if isinstance(a, Place):
            return Place(a.symbol, a.offset + sign * by) if by is not None else None
        return plain(inst, place, get)

    return meaning


def _low(inst: Instance, place: str | None, get: Get) -> Value:
    return _MEANINGS["mul.lo"](inst, place, get) if inst.mod("part") == "lo" else None


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip


def _setp(inst: Instance, place: str | None, get: Get) -> Value:
    numbers = _numbers(inst, get, "ab")
    compare = _COMPARE.get(inst.mod("cmp") or "")
    if numbers is None or compare is None or inst.chosen("bool") or place != "p":
        return None
    return tuple(int(compare(a, b)) for a, b in zip(*numbers, strict=True))


def _elect(inst: Instance, place: str | None, get: Get) -> Value:
    return (1,) + (0,) * (WARP_SIZE - 1) if place == "p" else None


_each("add", "ab", operator.add)
_each("sub", "ab", operator.sub)
_each("mul.lo", "ab", operator.mul)
_each("and", "ab", operator.and_)
_each("or", "ab", operator.or_)
_each("xor", "ab", operator.xor)
_each("and.pred", "ab", operator.and_)
_each("or.pred", "ab", operator.or_)
_each("not.pred", "a", lambda a: 1 - (a & 1))
_each("shl", "ab", lambda a, b: a << min(b & 0xFFFFFFFF, 64))
_each("shr", "ab", lambda a, b: a >> min(b & 0xFFFFFFFF, 64))
_MEANINGS.update({"add": _moved(1), "sub": _moved(-1)})
_MEANINGS.update({"mov": _copy, "mov.pred": _copy, "cvt": _copy, "cvta": _copy, "cvta.to": _copy})
_MEANINGS.update({"mul": _low, "setp": _setp, "elect.sync": _elect})
