"""Bad addresses that come from registers that nobody has written.

A launch that stops at such an address runs again with other bits in the registers. Where it then stops with another address, or
does not stop there, the registers are changed one by one, until it is known which of them the address depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.ptx.exposed import exposing
from ptxlab.sim.order.companions.rerun import Altered, Rerun

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.machine import Machine

CODES = frozenset(
    f"PTX{number}"
    for number in (
        *(9002, 9004, 9006, 9007, 9008, 9009, 9014, 9016, 9022, 9024, 9026, 9027),
        *(9110, 9115, 9116, 9121, 9122, 9123, 9124),
    )
)
"""What a launch stops with where an address, an index or a rank is wrong."""
_HELP = "write the register first, on every way that leads to its use"


def blame(again: Rerun, machine: Machine, registers: Sequence[str], wrong: Diagnostic) -> None:
    """Say in a diagnostic that has stopped `machine` from which unwritten register its address comes, if from any."""
    if wrong.code not in CODES or not registers:
        return
    lane = next((cta.blamed for cluster in machine.resident for cta in cluster.ctas if cta.blamed is not None), None)
    first = again.stop(Altered(registers))
    if _same(first, wrong):
        return
    plain = again.stop(Altered())
    if plain is None or not _same(plain, wrong):
        return  # without the sanitizer it takes another course
    mine = lane is not None and not _same(again.stop(Altered(registers, lane=lane)), wrong)
    search = _Search(again, wrong, lane if mine else None)
    name = search.found(registers)
    if name is not None:
        wrong.notes = (*wrong.notes, _words(again, name, wrong, mine=mine, moved=search.moves(name)))
        wrong.help = _HELP


class _Search:
    """Looks for the register that an address depends on."""

    def __init__(self, again: Rerun, wrong: Diagnostic, lane: int | None) -> None:
        self._again, self._wrong, self._lane = again, wrong, lane

    def _stop(self, names: Sequence[str]) -> Diagnostic | None:
        return self._again.stop(Altered(names, lane=self._lane))

    def found(self, names: Sequence[str]) -> str | None:
        """The first register, by halves, that alone leads to another outcome."""
        while len(names) > 1 and not self._again.spent:
            half = names[: len(names) // 2]
            names = names[len(half) :] if _same(self._stop(half), self._wrong) else half
        return names[0] if len(names) == 1 and not _same(self._stop(names), self._wrong) else None

    def moves(self, name: str) -> bool:
        """Whether with other bits in a register the same thread stops there with another address."""
        stop, wrong = self._stop([name]), self._wrong
        there = stop is not None and (stop.span, _who(stop)) == (wrong.span, _who(wrong))
        return there and stop is not None and stop.message != wrong.message


def _same(stop: Diagnostic | None, wrong: Diagnostic) -> bool:
    return stop is not None and _outcome(stop) == _outcome(wrong)


def _outcome(stop: Diagnostic) -> tuple[object, ...]:
    return stop.code, stop.message, stop.span, _who(stop)


def _who(stop: Diagnostic) -> list[str]:
    return [note for note in stop.notes if note.startswith("executed by")]


def _words(again: Rerun, name: str, wrong: Diagnostic, *, mine: bool, moved: bool) -> str:
    whose = f"`{name}`, which {'this thread has never' if mine else 'nobody has'} written"
    op = exposing(again.program, name)
    where = ""
    if op is not None:
        place = op.origin or op.span
        where = f": `{op.text}` reads it" + (f" ({place.shown})" if place is not None else "")
    if moved:
        return f"the address comes from {whose}{where}"
    return f"with other bits in {whose}, it does not stop here{where}"
