"""Observers beside the sanitizer: each looks for one kind of mistake, with the sanitizer's clocks at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ptxlab.diag import Access, Diagnostic
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.order.clocks import Clock

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta, Warp
    from ptxlab.sim.order.sanitizer import Sanitizer


class Companion(Observer):
    """Looks for one kind of mistake.

    Attributes:
        core: the sanitizer, which hears of everything before its companions do. machine: what is observed.
    """

    def __init__(self, core: Sanitizer) -> None:
        self.core = core
        self._said: set[tuple[str, int, int]] = set()

    @property
    def hears_copies(self) -> bool:
        return self.core.hears_copies

    @property
    def hears_products(self) -> bool:
        return self.core.hears_products

    def attach(self, machine: Observed) -> None:
        self.machine = machine

    def report(
        self,
        code: str,
        message: str,
        op: Op,
        notes: Sequence[str] = (),
        other: Op | None = None,
        help: str | None = None,
        accesses: Sequence[Access] = (),
    ) -> Diagnostic | None:
        """Add a finding, once for a pair of instructions: None where it is there already."""
        key = (code, id(op), id(other))
        if key in self._said:
            return None
        self._said.add(key)
        found = Diagnostic(
            code,
            message,
            span=op.span,
            origin=op.origin,
            notes=notes,
            help=help,
            other=None if other is None else other.span,
            other_origin=None if other is None else other.origin,
            accesses=accesses,
        )
        self.machine.report.findings.append(found)
        return found

    def who(self, warp: Warp, lanes: int = 1) -> str:
        """The first of these threads of a warp, in words."""
        lane = (lanes & -lanes).bit_length() - 1
        return thread_name(self.machine, warp.cta, 32 * warp.index + max(lane, 0))


def thread_name(machine: Observed, cta: Cta, thread: int) -> str:
    """A thread in words."""
    return f"thread {thread_at(machine, thread)} of CTA {cta.coordinates}"


def thread_at(machine: Observed, thread: int) -> tuple[int, int, int]:
    """The coordinates of a thread."""
    x, y, _ = machine.record.block
    return thread % x, thread // x % y, thread // (x * y)


def knows(clock: Clock, cta: int, threads: Sequence[int], time: int) -> bool:
    """Whether any of these threads of a CTA is known to have come as far as `time`."""
    times = clock.threads.get(cta)
    return times is not None and bool((times[np.asarray(threads)] >= time).any())
