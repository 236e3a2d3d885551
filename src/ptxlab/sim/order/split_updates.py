"""Updates in two instructions: a strong load, and a strong store to the same place of what was made of the value.

Between the two another thread's update of the place is lost. Such a pair is one only where nothing before the store branches by
what is loaded there: who waits for a value, and then counts it up, has its turn by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ptxlab.isa.action import is_strong
from ptxlab.isa.effects import Access, Branch, Compute
from ptxlab.isa.operands import Addr, Reg
from ptxlab.ptx.uses import names_in, touched

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

_DEEPEST = 32
"""Instructions by which an address is followed."""


def split_updates(ops: Sequence[Op]) -> dict[int, int]:
    """Of stores that end an update of two instructions, by their number, the number of the load."""
    loads = [i for i, op in enumerate(ops) if is_strong(op.inst.form, op.inst)]
    stores = [i for i, op in enumerate(ops) if is_strong(op.inst.form, op.inst, "store")]
    if not loads or not stores:
        return {}
    values, found = _Values(ops), dict[int, int]()
    made = {load: values.made_of(load) for load in loads}
    decides = {load: values.decided_by(made[load]) for load in loads}
    for store in stores:
        place, stored = values.place(store), ops[store].inst.operands.get("b")
        there = [load for load in loads if place is not None and values.place(load) == place]
        if stored is None or any(decision <= store for load in there for decision in decides[load]):
            continue
        mine = [load for load in there if not made[load].isdisjoint(names_in(stored))]
        if mine:
            found[store] = mine[-1]
    return found


class _Values:
    """Where the values of registers come from. Registers that are written in several places come from anywhere."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self._ops = ops

    @cached_property
    def _writers(self) -> dict[str, int]:
        """Of each register that one instruction writes, its number."""
        written = [(name, i) for i, op in enumerate(self._ops) for name in touched(op)[1]]
        times = Counter(name for name, _ in written)
        return {name: i for name, i in written if times[name] == 1}

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        """Of each register, those that are worked out from it."""
        users: dict[str, list[str]] = {}
        for name, i in self._writers.items():
            if isinstance(self._ops[i].inst.form.effect, Compute):
                for read in touched(self._ops[i])[0]:
                    users.setdefault(read, []).append(name)
        return users

    @cached_property
    def _guards(self) -> list[tuple[int, str]]:
        """The branches and accesses that have a guard, by their numbers, and the guard."""
        guarded = ((i, op) for i, op in enumerate(self._ops) if op.guard is not None)
        return [
            (i, op.guard.name) for i, op in guarded if op.guard and isinstance(op.inst.form.effect, Branch | Access)
        ]

    def made_of(self, load: int) -> set[str]:
        """The registers whose values are worked out from what an instruction loads."""
        left = [name for name in touched(self._ops[load])[1] if name in self._writers]
        made = set(left)
        while left:
            more = [name for name in self._users.get(left.pop(), ()) if name not in made]
            made.update(more)
            left += more
        return made

    def decided_by(self, made: set[str]) -> list[int]:
        """The branches, and the guarded accesses, that some of these registers decide."""
        return [i for i, guard in self._guards if guard in made]

    def place(self, access: int) -> Any:
        """What tells the address of an access from others; None where that is not known."""
        (address,) = [o for o in self._ops[access].inst.operands.values() if isinstance(o, Addr)] or [None]
        return None if address is None else self._of(address, _DEEPEST)

    def _of(self, operand: Any, depth: int) -> Any:
        """An operand, with registers in it as what they are worked out from; None where that is not known."""
        if isinstance(operand, Addr):
            base = self._of(operand.base, depth)
            return None if base is None or operand.coords is not None or operand.between else (base, operand.offset)
        if not isinstance(operand, Reg):
            return str(operand)
        writer = self._writers.get(operand.name)
        if writer is None:
            return None
        op = self._ops[writer]
        if not isinstance(op.inst.form.effect, Compute) or op.guard is not None or not depth:
            return operand.name
        reads = [self._of(o, depth - 1) for o in op.inst.operands.values() if o is not operand and _is_read(o, op)]
        return None if None in reads else (op.inst.opcode, *reads)


def _is_read(operand: Any, op: Op) -> bool:
    return not isinstance(operand, Reg) or operand.name not in touched(op)[1]


__all__ = ["split_updates"]
