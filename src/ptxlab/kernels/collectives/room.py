"""The room of each device in an exchange: memory that the other devices write to, and how their CTAs meet there.

A room holds, one behind the other:

- for each CTA of this device how often it has met others, and how often it has exchanged lines;
- flags: for each CTA and each device the number of the last meeting that the device has come to;
- boxes: 2 STEPS for each device and CTA, of BOX bytes;
- lines: two times so many for each device, of 16 bytes: 8 of data, and twice a number that says when they
  were written.

CTAs of one number meet by flags. A device stores the number of the meeting to its flag in the others' rooms, behind a fence, when
it has sent what belongs to it, and reads what they sent once it finds that number in its own room, `ld.acquire.sys`.

Nobody says what was read. A CTA sends for meeting n when it has read what came for n - STEPS. By then the others had begun to send
for n - STEPS, and so had read what came for n - 2 STEPS: so many boxes are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import ptxlab as px

RANKS: Final = 8
"""Devices of a group at most: so many flags each CTA has."""
VECTOR: Final = 16
"""Bytes that a thread moves at once."""
TAKERS: Final = 256
"""Threads of a CTA that take what came."""
THREADS: Final = 64 + TAKERS
"""All of them: one warp loads, and one sends."""
EACH: Final = 4
"""Vectors that a thread takes in a meeting from each device."""
PIECE: Final = TAKERS * EACH
"""Vectors that a CTA sends to a device for a meeting."""
BOX: Final = PIECE * VECTOR
STEPS: Final = 4
"""Meetings for which a CTA has sent before it has taken what came for the first of them."""
LAG: Final = 1
"""Meetings for which it has sent before it looks whether what it sent for the first of them has arrived."""
LINE: Final = 8
"""Bytes of data in a line."""
LINE_THREADS: Final = 512
LINE_CTAS: Final = 64

_FLAGS: Final = 4096
_TIMES: Final = 2048
"""Where they begin; how often CTAs have met stands in front of both."""


@dataclass(frozen=True, slots=True)
class Size:
    """What a room has space for.

    Attributes:
        ranks: devices of the group. ctas: of a device that meet others, at most 512. lines: that a device sends at once.
    """

    ranks: int
    ctas: int
    lines: int

    @property
    def boxes(self) -> int:
        """Where they begin."""
        return _FLAGS + 4 * self.ctas * RANKS

    @property
    def lines_begin(self) -> int:
        """Where the lines begin."""
        return self.boxes + 2 * STEPS * self.ranks * self.ctas * BOX

    @property
    def nbytes(self) -> int:
        """Of the whole room."""
        return self.lines_begin + 2 * self.ranks * self.lines * VECTOR


def size_of(ranks: int, *, simulated: bool) -> Size:
    """A CTA for each SM, which all run at once, and lines for 256 KB; in the simulator less.

    It remembers what happened to each byte.
    """
    return Size(ranks, 2, 1024) if simulated else Size(ranks, 132, 1 << 15)


@dataclass(frozen=True, slots=True)
class Room:
    """The rooms of all devices, as a CTA of one of them has them.

    Attributes:
        size: of each. rooms: pointers to those of all devices. mine: to this device's. rank: its number.
        patience: nanoseconds that a thread waits for another device before it traps; 0: for ever.
    """

    k: px.Builder
    size: Size
    rooms: Sequence[Any]
    mine: Any
    rank: Any
    patience: int = 0

    def meetings(self) -> Any:
        """How often this CTA has met others: a register that `meet` counts on from."""
        count = self.k.reg(px.u32)
        self.k.ld.global_.u32(self.mine.at(self.k.ctaid.x * 4), d=count)
        return count

    def meet(self, number: Any) -> None:
        """All threads wait until the CTAs of this number have come to their meeting on all devices."""
        k = self.k
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            self.announce(number)
        self.attend(number, k.tid.x)
        k.bar.sync(0)

    def announce(self, number: Any) -> None:
        """Tell the other devices that what belongs to a meeting is sent."""
        k = self.k
        k.fence.acq_rel.sys()  # one for all stores: each costs a way over the link and back
        for rank, target in enumerate(self.rooms):
            k.st.relaxed.sys.global_.u32(self._flag(target, self.rank), number, pred=self.rank != rank)

    def attend(self, number: Any, thread: Any) -> None:
        """Thread t waits until device t has sent what belongs to a meeting."""
        k = self.k
        there = self._flag(self.mine, thread)
        with k.if_(k.and_.pred(thread < len(self.rooms), thread != self.rank)):
            reach(k, there, number, self.patience)

    def leave(self, number: Any) -> None:
        """Keep how often this CTA has met others; one thread does it."""
        self.k.st.global_.u32(self.mine.at(self.k.ctaid.x * 4), number)

    def box(self, room: Any, number: Any, source: Any, vector: Any) -> Any:
        """Where a device's vector of meeting `number` lies in a room, for this CTA."""
        k = self.k
        box = ((number & (2 * STEPS - 1)) * len(self.rooms) + source) * self.size.ctas + k.ctaid.x
        return room.at(self.size.boxes + box * BOX + vector * VECTOR)

    def time(self) -> Any:
        """The number of this exchange of lines, the same on all devices and in all CTAs."""
        return self.k.ld.global_.u32(self.mine.at(_TIMES + self.k.ctaid.x * 4)) + 1

    def passed(self, time: Any) -> None:
        """Keep it. A later grid may have more CTAs than this one, so each of these counts for those behind it, too."""
        k = self.k
        k.bar.sync(0)
        cell = k.ctaid.x + k.tid.x * k.nctaid.x
        with k.if_(cell < LINE_CTAS):
            k.st.global_.u32(self.mine.at(_TIMES + cell * 4), time)

    def line(self, room: Any, time: Any, source: Any, number: Any) -> Any:
        """Where line `number` of a device lies in a room."""
        line = ((time & 1) * len(self.rooms) + source) * self.size.lines + number
        return room.at(self.size.lines_begin + line * VECTOR)

    def wait(self, lacking: Callable[[], Any]) -> None:
        """Wait while something is lacking."""
        wait(self.k, lacking, self.patience)

    def _flag(self, room: Any, source: Any) -> Any:
        return room.at(_FLAGS + (self.k.ctaid.x * RANKS + source) * 4)


def reach(k: px.Builder, flag: Any, number: Any, patience: int) -> None:
    """Wait until another device has brought a flag to a number; numbers may wrap around."""
    wait(k, lambda: k.sub.s32(number, k.ld.acquire.sys.global_.u32(flag)) > 0, patience)


def wait(k: px.Builder, lacking: Callable[[], Any], patience: int) -> None:
    """Wait while something is lacking, for so many nanoseconds before the thread traps; 0: for ever."""
    if not patience:
        with k.while_(lacking):
            pass
        return
    start = k.mov.u64(k.globaltimer)
    with k.while_(lacking), k.if_(k.mov.u64(k.globaltimer) - start > patience):
        k.trap()
