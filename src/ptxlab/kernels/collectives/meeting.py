"""Meetings of CTAs of several devices, by flags in each other's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px

RANKS = 8
"""Devices that a kernel has parameters for."""
MEETINGS = 2
"""Of the CTAs of one number, in a launch: before anything is read, and after everything is written."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the CTAs of one number meet.

    Attributes:
        flags: of each device. rank: of this one. mine: its own flags. count: how often its CTA has met others, in memory.
    """

    k: px.Builder
    flags: Sequence[Any]
    rank: Any
    mine: Any
    count: Any

    def begins(self) -> Any:
        """All CTAs of this number have begun. Returns what `ends` wants."""
        before = self.k.ld.global_.u32(self.count)
        self._meet(before + 1)
        return before

    def ends(self, before: Any) -> None:
        """All of them have done what they had to."""
        k = self.k
        self._meet(before + MEETINGS)
        with k.if_(k.tid.x == 0):
            k.st.global_.u32(self.count, before + MEETINGS)

    def _meet(self, number: Any) -> None:
        """Thread t tells device t that this CTA has come, and waits for that one's. Flags only grow: the next meeting may begin."""
        k, cta = self.k, self.k.ctaid.x
        k.bar.sync(0)
        for device, flags in enumerate(self.flags):
            with k.if_(k.tid.x == device):
                k.st.release.sys.global_.u32(flags[cta * RANKS + self.rank], number)
        with k.if_(k.tid.x < len(self.flags)), k.while_(lambda: self._lacks(number) > 0):
            pass
        k.bar.sync(0)

    def _lacks(self, number: Any) -> Any:
        """How many meetings the other one is behind; counts may wrap around."""
        k = self.k
        there = k.ld.acquire.sys.global_.u32(self.mine[k.ctaid.x * RANKS + k.tid.x])
        return k.sub.s32(number, there)
