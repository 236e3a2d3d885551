"""The kernels: each device sends vectors to the rooms of the others, meets them, and adds up or stores what it got.

Nobody reads another device's memory. Stores over NVLink need no answer, and whatever users give stays their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.collectives.room import EACH, LINE, LINE_THREADS, PIECE, THREADS, VECTOR, Room, Size


@dataclass(frozen=True, slots=True)
class Part:
    """Vectors of an array: the number of the first, and how many."""

    start: Any
    count: Any


@px.kernel(target="sm_90", threads=THREADS)
def exchange(
    k: px.Builder,
    given: px.Ptr[px.u32],
    out: px.Ptr[px.u32],
    room0: px.Ptr[px.u32],
    room1: px.Ptr[px.u32],
    room2: px.Ptr[px.u32],
    room3: px.Ptr[px.u32],
    room4: px.Ptr[px.u32],
    room5: px.Ptr[px.u32],
    room6: px.Ptr[px.u32],
    room7: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    rank: px.u32,
    part: px.u32,
    total: px.u32,
    *,
    size: Size,
    scatters: bool,
    gathers: bool,
    element: str,
    patience: int,
) -> None:
    """Send `given` to all devices, and what they sent to `out`.

    part: vectors for each device, 1 for a barrier. total: of all parts; the last ones may be shorter, or nothing.
    scatters: each device gets its part of `given`; otherwise all of it. gathers: what comes is put together; otherwise it is summed.
    element: "bf16", "f16" or "f32".
    """
    rooms = [room0, room1, room2, room3, room4, room5, room6, room7][: size.ranks]
    begin(k)
    room = Room(k, size, rooms, mine, rank, patience)
    number = room.meetings()
    parts = [_part(k, device, part, total) for device in range(size.ranks)]
    own = Part(0, _part(k, rank, part, total).count)
    if gathers:
        stream(room, number, (given, out), part, [own], parts)
    elif scatters:
        stream(room, number, (given, out), part, parts, [own], element)
    else:
        stream(room, number, (given, out), part, [Part(0, part)], [Part(0, part)], element)


def begin(k: px.Builder) -> None:
    """What the grids in front have written is there, and the next grid may come to wait for the end of this one."""
    k.griddepcontrol.wait()
    k.griddepcontrol.launch_dependents()


def _part(k: px.Builder, number: Any, part: Any, total: Any) -> Part:
    start = k.min.u32(part * number, total)
    return Part(start, k.min.u32(part, total - start))


def stream(
    room: Room,
    number: Any,
    arrays: tuple[Any, Any],
    longest: Any,
    sends: Sequence[Part],
    takes: Sequence[Part],
    element: str = "",
) -> None:
    """Send parts of the first array piece by piece, and take what the others send into the second one.

    Args:
        number: of the last meeting, a register that counts on.
        longest: vectors of the longest part, the same number on all devices. sends: for each device, or one for all of them.
        takes: what comes from each device; or, with an element, one for their sum.
    """
    k, (given, out) = room.k, arrays
    with k.loop(longest, start=k.ctaid.x * PIECE, step=k.nctaid.x * PIECE) as first:
        number += 1
        for device, part in enumerate(sends):
            to = [room.rooms[device]] if len(sends) > 1 else room.rooms
            _send(room, number, first, given, part, to)
        room.meet(number)
        for device, part in enumerate(takes):
            sources = range(len(room.rooms)) if element else [device]
            _take(room, number, first, out, part, sources, element)
    room.leave(number)


def _send(room: Room, number: Any, first: Any, given: Any, part: Part, to: Sequence[Any]) -> None:
    k = room.k

    def move(vectors: Sequence[Any]) -> None:
        loaded = [k.ld.global_.v4.b32(given.at((part.start + first + i) * VECTOR)) for i in vectors]
        for target in to:
            for i, words in zip(vectors, loaded, strict=True):
                k.st.global_.v4.b32(room.box(target, number, room.rank, i), words)

    _within(k, first, part.count, move)


def _take(room: Room, number: Any, first: Any, out: Any, part: Part, sources: Sequence[int], element: str) -> None:
    k = room.k

    def move(vectors: Sequence[Any]) -> None:
        loaded = [[k.ld.global_.v4.b32(room.box(room.mine, number, s, i)) for s in sources] for i in vectors]
        for i, words in zip(vectors, loaded, strict=True):
            k.st.global_.v4.b32(out.at((part.start + first + i) * VECTOR), total(k, words, element))

    _within(k, first, part.count, move)


def _within(k: px.Builder, first: Any, count: Any, move: Callable[[Sequence[Any]], None]) -> None:
    """Move those of a thread's vectors that a part has: all at once where the whole piece lies in it."""
    vectors = [k.tid.x + u * THREADS for u in range(EACH)]
    with k.if_(first + PIECE <= count):
        move(vectors)
    with k.else_():
        for i in vectors:
            with k.if_(first + i < count):
                move([i])


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


@px.kernel(target="sm_90", threads=LINE_THREADS)
def exchange_lines(
    k: px.Builder,
    given: px.Ptr[px.u32],
    out: px.Ptr[px.u32],
    room0: px.Ptr[px.u32],
    room1: px.Ptr[px.u32],
    room2: px.Ptr[px.u32],
    room3: px.Ptr[px.u32],
    room4: px.Ptr[px.u32],
    room5: px.Ptr[px.u32],
    room6: px.Ptr[px.u32],
    room7: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    rank: px.u32,
    lines: px.u32,
    *,
    size: Size,
    element: str,
    patience: int,
) -> None:
    """Add up `given` of all devices in `out`, in lines of 8 bytes that carry their own flags.

    A line is two words of 64 bits, 32 of data and 32 that say when they were written. Each is stored and loaded as one, so that
    who finds the right number has the data: nothing has to be released, and twice the bytes go over NVLink.
    """
    rooms = [room0, room1, room2, room3, room4, room5, room6, room7][: size.ranks]
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


@px.kernel(target="sm_90", threads=THREADS)
def move_rows(
    k: px.Builder,
    rows: px.Ptr[px.u32],
    outputs: px.Ptr[px.u32],
    counts: px.Ptr[px.u32],
    room0: px.Ptr[px.u32],
    room1: px.Ptr[px.u32],
    room2: px.Ptr[px.u32],
    room3: px.Ptr[px.u32],
    room4: px.Ptr[px.u32],
    room5: px.Ptr[px.u32],
    room6: px.Ptr[px.u32],
    room7: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    rank: px.u32,
    vectors: px.u32,
    most_rows: px.u32,
    most_outputs: px.u32,
    *,
    size: Size,
    back: bool,
    patience: int,
) -> None:
    """Send `rows`, sorted by device, to the `outputs` of all devices, behind those of the devices before this one; or get them back.

    counts: how many of this device's rows belong to each device. vectors: of 16 bytes in a row. most_rows, most_outputs: what the
    arrays hold; the kernel traps where counts pass that.
    """
    rooms = [room0, room1, room2, room3, room4, room5, room6, room7][: size.ranks]
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
        stream(room, number, (outputs, rows), longest, there, here)
    else:
        stream(room, number, (rows, outputs), longest, here, there)


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
