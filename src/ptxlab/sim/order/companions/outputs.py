"""What a launch has written: PTX9243, for launches that write nothing though they have arrays for it, `report.unwritten`, and who
wrote a byte last.

Of a single array nobody can tell whether it is to be written, or to its end: kernels have arguments that they do not need today,
and outputs of which they write a tile. So what is left of an array is in the report, and no finding. A launch that writes no array
at all has no result.

Two kinds of launches are right without one: those whose copies all lie outside of their tensors, which therefore write no byte,
and those that have nothing to do: a size among their arguments is 0, and they read no array either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.sim.order.companions.companion import Companion
from ptxlab.sim.order.shadow import READER, WRITER, Kind, past_write
from ptxlab.sim.report.unwritten import unwritten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ptxlab.diag import Access
    from ptxlab.sim.engine.machine.operation import Operation
    from ptxlab.sim.engine.machine.resident import Cta
    from ptxlab.sim.order.sanitizer import Sanitizer
    from ptxlab.sim.order.shadow import Lines


class Outputs(Companion):
    """Looks, when a launch has come to its end, whether anything was written."""

    def __init__(self, core: Sanitizer) -> None:
        super().__init__(core)
        self._prints = False
        self._copies = False

    def issued(self, operation: Operation) -> None:
        if not self._copies:
            touches = self.core.action(operation.op).touches
            self._copies = any(t.writes and t.space == "global" for t in touches)

    def printed(self, text: str, cta: Cta) -> bool:
        self._prints = True
        return False

    def tally(self, report: object) -> None:
        record, report = self.machine.record, self.machine.report
        variables = {*record.variables.values(), *record.elsewhere, record.workspace}
        arrays = [region for region in self.core.regions.buffers if region.base not in variables]
        stored = {region.base: region.stored() for region in arrays if region.has(WRITER)}
        for hook in self.machine.hooks.stored:
            hook(stored)
        if report.stats.ctas < record.ctas:
            return  # it has stopped before its end, or is a part of a launch
        report.unwritten = unwritten(record.buffers, stored)
        if self._prints or self._copies or any(region.has(WRITER) for region in self.core.regions.buffers):
            return
        if self._has_size_zero() and not any(_read(region) for region in self.core.regions.buffers):
            return
        regions = {region.base: region for region in self.core.regions.buffers}
        unused = [
            buffer.name
            for buffer in record.buffers
            if buffer.writable
            and buffer.address not in variables
            and (region := regions.get(buffer.address)) is not None
            and not _read(region)
        ]
        if unused:
            names = ", ".join(f"`{name}`" for name in unused)
            message = f"the launch writes nothing to any array, and does not use {names}"
            report.findings.append(Diagnostic("PTX9243", message))

    def _has_size_zero(self) -> bool:
        """Whether a whole number among the arguments is 0."""
        record = self.machine.record
        sizes = (p for p in record.program.params if p.count == 1 and not p.is_array and p.type.kind != "f")
        return any(not any(record.params[p.offset : p.offset + p.size]) for p in sizes)


def _read(region: Lines) -> bool:
    return region.was_read or region.has(READER)


class LastWriter(Companion):
    """Looks, when a launch has come to its end, who has written the bytes at some addresses.

    Attributes:
        access: the last write of the first; None where nobody has written, or where the sanitizer had no room to follow.
        unwritten: at how many of the addresses nobody has written, as far as the sanitizer had room to follow.
    """

    def __init__(self, core: Sanitizer, addresses: NDArray[np.int64]) -> None:
        super().__init__(core)
        self._addresses = addresses
        self.access: Access | None = None
        self.unwritten = 0

    def tally(self, report: object) -> None:
        for region in self.core.regions.buffers:
            offsets = self._addresses - region.base
            if not 0 <= offsets[0] < region.nbytes:
                continue
            offsets = offsets[(offsets >= 0) & (offsets < region.nbytes)]
            self.unwritten = int(np.count_nonzero(region.stored().lacks(offsets)))
            where, _ = region.granules(offsets[:1], np.ones(1, np.int64))
            past = past_write(region.cells[where[0]]) if len(where) else None
            if past is not None:
                self.access = self.core.findings.writer(past.agent, Kind.of(past.info))
