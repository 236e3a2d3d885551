"""How addresses come about: from which variables, by a constant or more, and whether an xor has had a part in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ptxlab.isa.effects import Access, Compute
from ptxlab.isa.operands import Addr, Operand, Sreg, Symbol
from ptxlab.ptx.program import Op
from ptxlab.ptx.uses import names_in, touched


class Origin(NamedTuple):
    """Where a value comes from. Sets of variables are masks of bits.

    bases: the variables whose addresses it derives from. whole: those of them whose address went through an xor. mixed: whether
    anything did. steps: whether there is more to it than constants.
    """

    bases: int = 0
    whole: int = 0
    mixed: bool = False
    steps: bool = False

    def joined(self, other: Origin) -> Origin:
        """Of a value that derives from both."""
        return Origin(
            self.bases | other.bases, self.whole | other.whole, self.mixed or other.mixed, self.steps or other.steps
        )


_NOTHING = Origin()
_LOADED = Origin(steps=True)


class Derived:
    """The origins of all registers of a program. What has been loaded from memory derives from nothing.

    Args:
        bit: the number of a variable by its name and an offset; None for one that does not count.
    """

    def __init__(self, ops: Iterable[Op], bit: Callable[[Symbol], int | None]) -> None:
        self._bit = bit
        self._of: dict[str, Origin] = {}
        steps = [made for op in ops for made in self._made(op)]
        changed = True
        while changed:
            changed = False
            for reads, writes, own, mixes in steps:
                value = self._value(reads, own, mixes=mixes)
                for name in writes:
                    before = self._of.get(name, _NOTHING)
                    after = before.joined(value)
                    if after != before:
                        self._of[name], changed = after, True

    def _made(self, op: Op) -> Iterable[tuple[list[str], list[str], Origin, bool]]:
        """What an instruction reads and writes, what it adds to that itself, and whether by an xor."""
        reads, writes = touched(op)
        if not writes:
            return
        effect = op.inst.form.effect
        if isinstance(effect, Access):
            yield [], writes, _LOADED, False
            return
        if op.guard is not None:
            reads.remove(op.guard.name)
        operands = op.inst.operands.values()
        steps = any(isinstance(o, Sreg) for o in operands) or bool(set(reads) & set(writes))
        yield reads, writes, Origin(self._named(operands), steps=steps), isinstance(effect, Compute) and effect.flips

    def _named(self, operands: Iterable[Operand]) -> int:
        out = 0
        for operand in operands:
            base = operand.base if isinstance(operand, Addr) else operand
            bit = self._bit(base) if isinstance(base, Symbol) else None
            out |= 0 if bit is None else 1 << bit
        return out

    def _value(self, reads: Iterable[str], own: Origin, *, mixes: bool = False) -> Origin:
        for name in reads:
            own = own.joined(self._of.get(name, _NOTHING))
        return Origin(own.bases, own.whole | own.bases, mixed=True, steps=own.steps) if mixes else own

    def of(self, operand: Operand) -> Origin:
        """The origin of an address or a register."""
        return self._value(names_in(operand), Origin(self._named([operand])))


__all__ = ["Derived", "Origin"]
