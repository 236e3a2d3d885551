"""Reads that nothing orders with a copy: who has waited at the copy's mbarrier says which of the two should come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.observer import Observed
from ptxlab.sim.engine.machine.operation import Place

if TYPE_CHECKING:
    from ptxlab.diag import Diagnostic
    from ptxlab.sim.engine.machine.resident import Cta

WAIT = "mbarrier.try_wait"
ISSUED_TOO_EARLY = (
    "order the earlier access before the instruction that starts the operation: by a barrier between the two threads, or by an "
    "mbarrier at which the accessing thread arrives and the issuing one waits"
)
"""What helps where an operation may come before an access that it should follow."""


class Unwaited:
    """Who waits at which mbarrier, and the findings about reads of what a copy writes that this explains when their CTA ends."""

    def __init__(self, machine: Observed) -> None:
        self._machine = machine
        self._waited: dict[Place, dict[int, int]] = {}
        self._open: list[tuple[Place, Diagnostic, str]] = []

    def passed(self, place: Place, warp: int, phase: int) -> None:
        """A warp of the mbarrier's CTA has found a phase over; -1 is over from the start."""
        self._waited.setdefault(place, {})[warp] = phase

    def read(self, found: Diagnostic, place: Place, warp: int, *, first: bool) -> str:
        """What helps where a warp reads what a copy writes that completes on an mbarrier of its CTA.

        first: whether the read came before the copy was issued, in this run.
        """
        name, latest = shared_name(self._machine, place.offset), self._waited.get(place, {}).get(warp)
        if latest == -1:
            return (
                f"wait for phase 0 of the mbarrier {name}, with parity 0: the phase that the reading warp has waited for, with "
                "parity 1, counts as over from the start"
            )
        if not first:
            help_ = f"wait for the operation first: for the phase of its mbarrier {name}, by {WAIT}"
        elif latest is not None:
            return ISSUED_TOO_EARLY
        else:
            help_ = (
                f"if the access is to find what the operation writes, wait first, for the phase of its mbarrier {name}, by {WAIT}; "
                f"if it is to find what was there before, {ISSUED_TOO_EARLY}"
            )
        self._open.append((place, found, help_))
        return help_

    def forget(self, cta: Cta) -> None:
        """A CTA has ended: where none of its threads has waited at an mbarrier, that is what is missing."""
        for place, found, help_ in self._open:
            if place.cta is cta and place not in self._waited and found.help == help_:
                name = shared_name(self._machine, place.offset)
                found.help = (
                    f"no thread of {cta_name(cta)} waits at the mbarrier {name}, which the operation completes on: wait for "
                    f"its phase before the access, by {WAIT}; in Python: .wait(0) for the first phase"
                )
        self._open = [one for one in self._open if one[0].cta is not cta]
        self._waited = {place: warps for place, warps in self._waited.items() if place.cta is not cta}
