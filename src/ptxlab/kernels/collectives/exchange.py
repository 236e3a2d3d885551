"""The kernels: each device sends to the rooms of the others, and adds up or stores what came.

Nobody reads another device's memory. Stores over NVLink wait for no answer, and no other device needs to reach users' arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.collectives.room import (
    EACH,
    LAG,
    LINE,
    LINE_THREADS,
    STEPS,
    TAKERS,
    THREADS,
    VECTOR,
    Room,
    Size,
)


@dataclass(frozen=True, slots=True)
class Part:
    """Vectors of an array: the number of the first, and how many."""

    start: Any
    count: Any


def _over_rooms(threads: int) -> Callable[[Callable[..., None]], Callable[[int], px.Kernel]]:
    """Make a function that gives the kernel for so many devices: its last parameters are their rooms."""

    def wrap(function: Callable[..., None]) -> Callable[[int], px.Kernel]:
        @cache
        def of(ranks: int) -> px.Kernel:
            rooms = [Extra(f"room{rank}", px.Ptr[px.u32]) for rank in range(ranks)]
            return px.kernel(target="sm_90a", threads=threads)(extended(function, rooms))

        return of

    return wrap


@_over_rooms(THREADS)
def exchange(
    k: px.Builder,
    given: px.Ptr[px.u32],
    out: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    rank: px.u32,
    part: px.u32,
    total: px.u32,
    *rooms: Any,
    size: Size,
    scatters: bool,
    gathers: bool,
    element: str,
    patience: int,
) -> None:
    """Send `given` to all devices, and what they sent to `out`.

    part: vectors for each device, 1 for a barrier. total: of all parts; the last ones may be shorter, or nothing.
    scatters: each device gets its part of `given`; otherwise all of it.
    gathers: what comes is put together; otherwise it is summed. element: "bf16", "f16" or "f32".
    """
    begin(k)
    room = Room(k, size, rooms, mine, rank, patience)
    number = room.meetings()
    parts = [_part(k, device, part, total) for device in range(size.ranks)]
    own = Part(0, _part(k, rank, part, total).count)
    if gathers:
        Stream(room, number, given, out, part, sends=[own], takes=parts).run()
    elif scatters:
        Stream(room, number, given, out, part, sends=parts, takes=[own], element=element).run()
    else:
        whole = [Part(0, part)]
        Stream(room, number, given, out, part, sends=whole, takes=whole, element=element).run()


def begin(k: px.Builder) -> None:
    """What the grids in front have written is there, and the next grid may come to wait for the end of this one."""
    k.griddepcontrol.wait()
    k.griddepcontrol.launch_dependents()


def _part(k: px.Builder, number: Any, part: Any, total: Any) -> Part:
    start = k.min.u32(part * number, total)
    return Part(start, k.min.u32(part, total - start))


@dataclass(frozen=True, slots=True)
class Stream:
    """What a CTA sends and takes, piece by piece: one for each device and meeting.

    One thread loads pieces to shared memory, one stores them from there in the rooms of the others, both by bulk copies, and the
    rest take what came. Each goes ahead as far as the ring lets it.

    Attributes:
        number: of the last meeting, a register that counts on. given, out: arrays.
        longest: vectors of the longest part, the same number on all devices. sends: for each device, or one for all of them.
        takes: what comes from each device; or, with an element, one for their sum.
    """

    room: Room
    number: Any
    given: Any
    out: Any
    longest: Any
    sends: Sequence[Part]
    takes: Sequence[Part]
    element: str = ""

    def run(self) -> None:
        """Emit the three roles."""
        k = self.room.k
        stages = STEPS if len(self.sends) <= 2 else 2  # what shared memory holds
        pieces = k.smem(px.u32, (stages, len(self.sends) * self._piece * VECTOR // 4), align=128)
        ring = k.ring(stages, pieces, consumers=TAKERS + 1)
        k.init_barriers()
        with k.if_(k.warp == 0), k.elect():
            self._load(ring)
        with k.if_(k.warp == 1), k.elect():
            self._send(ring)
        with k.if_(k.warp >= 2):
            self._take(ring)

    @property
    def _each(self) -> int:
        """Vectors of a piece for each thread that takes them."""
        return EACH if len(self.sends) <= 4 else EACH // 2

    @property
    def _piece(self) -> int:
        return self._each * TAKERS

    def _pieces(self) -> Any:
        """Loop over the first vectors of this CTA's pieces."""
        k = self.room.k
        return k.loop(self.longest, start=k.ctaid.x * self._piece, step=k.nctaid.x * self._piece)

    def _bytes(self, part: Part, first: Any) -> Any:
        """Bytes of a part's piece; 0 behind its end."""
        k = self.room.k
        return k.min.u32(part.count - k.min.u32(first, part.count), self._piece) * VECTOR

    def _load(self, ring: px.Ring) -> None:
        k = self.room.k
        load = k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes
        with self._pieces() as first:
            sizes = [self._bytes(part, first) for part in self.sends]
            every = sizes[0]
            for size in sizes[1:]:
                every = every + size
            with ring.produce(nbytes=every) as slot:
                for i, (part, size) in enumerate(zip(self.sends, sizes, strict=True)):
                    source = self.given.at((part.start + first) * VECTOR)
                    load(slot[0].at(i * self._piece * VECTOR), source, size, slot.full, pred=size > 0)

    def _send(self, ring: px.Ring) -> None:
        room, k, number = self.room, self.room.k, self.number
        store = k.cp.async_.bulk.global_.shared__cta.bulk_group
        begun = k.mov.u32(number)

        def arrived(lag: int) -> None:
            """What was sent so many meetings ago is there: say so, and let the stage be loaded again."""
            k.cp.async_.bulk.wait_group(lag)
            room.announce(number - lag)
            ring.empty[(number - begun - (1 + lag)) & (ring.stages - 1)].arrive()

        lag = min(LAG, ring.stages - 1)
        with self._pieces() as first:
            number += 1
            with ring.consume(release=None) as slot:
                for i, part in enumerate(self.sends):
                    size = self._bytes(part, first)
                    for rank in [i] if len(self.sends) > 1 else range(len(room.rooms)):
                        box = room.box(room.rooms[rank], number, room.rank, 0)
                        store(
                            box,
                            slot[0].at(i * self._piece * VECTOR),
                            size,
                            pred=k.and_.pred(size > 0, room.rank != rank),
                        )
                k.cp.async_.bulk.commit_group()
            with k.if_(number - begun > lag):
                arrived(lag)
        for left in reversed(range(lag)):
            with k.if_(number - begun > left):
                arrived(left)

    def _take(self, ring: px.Ring) -> None:
        room, k, number = self.room, self.room.k, self.number
        thread = k.tid.x - (THREADS - TAKERS)
        with self._pieces() as first:
            number += 1
            with ring.consume() as slot:
                room.attend(number, thread)
                k.bar.sync(1, TAKERS)
                for device, part in enumerate(self.takes):
                    sources = range(len(room.rooms)) if self.element else [device]
                    self._move(slot, thread, first, part, sources)
        with k.if_(thread == 0):
            room.leave(number)

    def _move(self, slot: Any, thread: Any, first: Any, part: Part, sources: Sequence[int]) -> None:
        """Take a thread's vectors of a piece: all at once where the whole piece lies in the part."""
        k = self.room.k

        def move(vectors: Sequence[Any]) -> None:
            loaded = [self._loaded(slot, source, vectors) for source in sources]
            for i, words in zip(vectors, zip(*loaded, strict=True), strict=True):
                k.st.global_.v4.b32(self.out.at((part.start + first + i) * VECTOR), total(k, words, self.element))

        vectors = [thread + u * TAKERS for u in range(self._each)]
        with k.if_(first + self._piece <= part.count):
            move(vectors)
        with k.else_():
            for i in vectors:
                with k.if_(first + i < part.count):
                    move([i])

    def _loaded(self, slot: Any, source: int, vectors: Sequence[Any]) -> list[list[Any]]:
        """What device `source` has sent, or this one has loaded."""
        room, k = self.room, self.room.k
        words = [[k.reg(px.b32) for _ in range(VECTOR // 4)] for _ in vectors]
        own = source * self._piece * VECTOR if len(self.sends) > 1 else 0
        with k.if_(room.rank == source):
            for i, vector in zip(vectors, words, strict=True):
                k.ld.shared.v4.b32(slot[0].at(own + i * VECTOR), d=vector)
        with k.else_():
            for i, vector in zip(vectors, words, strict=True):
                k.ld.global_.v4.b32(room.box(room.mine, self.number, source, i), d=vector)
        return words


def total(k: px.Builder, vectors: Sequence[Any], element: str) -> list[Any]:
    """The sum of vectors of words, in f32 and in order; a single one as it is."""
    if len(vectors) == 1:
        return list(vectors[0])
    totals = _numbers(k, vectors[0], element)
    for vector in vectors[1:]:
        totals = [k.add.f32(a, b) for a, b in zip(totals, _numbers(k, vector, element), strict=True)]
    if element == "f32":
        return totals
    pack = k.cvt.rn.bf16x2.f32 if element == "bf16" else k.cvt.rn.f16x2.f32
    return [pack(high, low) for low, high in zip(totals[::2], totals[1::2], strict=True)]


def _numbers(k: px.Builder, words: Any, element: str) -> list[Any]:
    """The elements of 32-bit words as f32."""
    if element == "f32":
        return [k.mov.f32(w) for w in words]
    if element == "bf16":
        return [half for w in words for half in (k.shl.b32(w, 16), k.and_.b32(w, 0xFFFF0000))]
    return [k.cvt.f32.f16(half) for w in words for half in k.unpack(w, px.f16)]


@_over_rooms(LINE_THREADS)
def exchange_lines(
    k: px.Builder,
    given: px.Ptr[px.u32],
    out: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    rank: px.u32,
    lines: px.u32,
    *rooms: Any,
    size: Size,
    element: str,
    patience: int,
) -> None:
    """Add up `given` of all devices in `out`, in lines of 8 bytes that carry their own flags.

    A line is two words of 64 bits, 32 of data and 32 that say when they were written. Each is stored and loaded as one, so that
    who finds the right number has the data: nothing has to be released, and twice the bytes go over NVLink.
    """
    begin(k)
    room = Room(k, size, rooms, mine, rank, patience)
    time = room.time()
    start, step = k.ctaid.x * LINE_THREADS + k.tid.x, k.nctaid.x * LINE_THREADS
    with k.loop(lines, start=start, step=step) as i:
        words = [k.mov.b64((word, time)) for word in k.ld.global_.v2.b32(given.at(i * LINE))]
        for target in rooms:
            k.st.relaxed.sys.global_.v2.b64(room.line(target, time, rank, i), words)
    with k.loop(lines, start=start, step=step) as i:
        found = [_line(room, time, source, i) for source in range(size.ranks)]
        k.st.global_.v2.b32(out.at(i * LINE), total(k, found, element))
    room.passed(time)


def _line(room: Room, time: Any, source: int, number: Any) -> list[Any]:
    """The data of a device's line, once they are there."""
    k = room.k
    data = [k.reg(px.b32) for _ in range(2)]
    times = [k.reg(px.b32) for _ in range(2)]
    line = room.line(room.mine, time, source, number)

    def lacking() -> Any:
        for word, datum, written in zip(k.ld.relaxed.sys.global_.v2.b64(line), data, times, strict=True):
            k.mov.b64(word, d=(datum, written))
        return k.or_.pred(times[0] != time, times[1] != time)

    room.wait(lacking)
    return data


@_over_rooms(THREADS)
def move_rows(
    k: px.Builder,
    rows: px.Ptr[px.u32],
    outputs: px.Ptr[px.u32],
    counts: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    rank: px.u32,
    vectors: px.u32,
    most_rows: px.u32,
    most_outputs: px.u32,
    *rooms: Any,
    size: Size,
    back: bool,
    patience: int,
) -> None:
    """Send `rows`, sorted by device, to the `outputs` of all, behind those of the devices before this one; or get them back.

    counts: how many of this device's rows belong to each device. vectors: of 16 bytes in a row. most_rows, most_outputs: what the
    arrays hold; the kernel traps where counts pass that.
    """
    begin(k)
    room = Room(k, size, rooms, mine, rank, patience)
    number = room.meetings()
    table = _counts(room, number, counts)
    here = _behind(k, [k.ld.global_.u32(counts[device]) for device in range(size.ranks)], most_rows, vectors)
    there = _behind(k, [k.ld.global_.u32(line.at(rank * 4)) for line in table], most_outputs, vectors)
    longest = k.mov.u32(0)
    for line in table:
        for device in range(size.ranks):
            k.max.u32(longest, k.ld.global_.u32(line.at(device * 4)) * vectors, d=longest)
    if back:
        Stream(room, number, outputs, rows, longest, sends=there, takes=here).run()
    else:
        Stream(room, number, rows, outputs, longest, sends=here, takes=there).run()


def _counts(room: Room, number: Any, counts: Any) -> list[Any]:
    """Where the counts of each device lie, once all have sent theirs."""
    k = room.k
    number += 1
    with k.if_(k.tid.x < len(room.rooms)):
        count = k.ld.global_.u32(counts[k.tid.x])
        for target in room.rooms:
            k.st.global_.u32(room.box(target, number, room.rank, 0).at(k.tid.x * 4), count)
    room.meet(number)
    return [room.box(room.mine, number, source, 0) for source in range(len(room.rooms))]


def _behind(k: px.Builder, counts: Sequence[Any], most: Any, vectors: Any) -> list[Part]:
    """Parts of so many rows, one behind the other. Trap where they pass the array; a negative count is a large one."""
    parts: list[Part] = []
    start = k.mov.u32(0)
    for count in counts:
        with k.if_(count > most - start):
            k.trap()
        parts.append(Part(start * vectors, count * vectors))
        start = start + count
    return parts
