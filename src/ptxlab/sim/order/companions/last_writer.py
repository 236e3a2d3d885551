"""Who has written a byte of global memory last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlab.sim.order.companions.companion import Companion
from ptxlab.sim.order.shadow import Kind, past_write

if TYPE_CHECKING:
    from ptxlab.diag import Access
    from ptxlab.sim.order.sanitizer import Sanitizer


class LastWriter(Companion):
    """Looks, when a launch has come to its end, who has written the byte at an address.

    Attributes:
        access: the write; None where nobody has written, or where the sanitizer had no room to follow.
    """

    def __init__(self, core: Sanitizer, address: int) -> None:
        super().__init__(core)
        self._address = address
        self.access: Access | None = None

    def tally(self, report: object) -> None:
        for region in self.core.regions.buffers:
            if not region.base <= self._address < region.base + region.nbytes:
                continue
            offset = np.array([self._address - region.base], np.int64)
            where, _ = region.granules(offset, np.ones(1, np.int64))
            past = past_write(region.cells[where[0]]) if len(where) else None
            if past is not None:
                self.access = self.core.findings.writer(past.agent, Kind.of(past.info))
