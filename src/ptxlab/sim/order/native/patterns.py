"""How the addresses of a warp follow one another, and accesses that are remembered by it: eight words for most."""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.order.native.state import LOST, Buffer, Entry, Longs, ScatteredEntry, arena

ALL_LANES = LOST


@native
def pattern(addresses: Longs, lanes: int):
    """A warp's addresses as rows: lanes of a row (as a shift; -1: they are none), the steps in a row and between rows."""
    if lanes != ALL_LANES:
        return -1, 0, 0
    step, shift = addresses[1] - addresses[0], 5
    for k in range(4, 0, -1):
        if addresses[1 << k] - addresses[0] != step << k:
            shift = k
    over = addresses[(1 << shift) & 31] - addresses[0]
    apart, inside = 0, (1 << shift) - 1
    if addresses[31] - addresses[0] != inside * step + (31 >> shift) * over:
        return -1, step, over
    for lane in range(32):
        apart |= addresses[lane] - addresses[0] - (lane & inside) * step - (lane >> shift) * over
    return -1 if apart else shift, step, over


@native
def note_entry(
    at: Entry,
    addresses: Longs,
    lanes: int,
    warp: int,
    place: int,
    buffer: Buffer,
    first: int,
    shift: int,
    step: int,
    over: int,
):
    """Write down an access to memory that begins at `first`. Returns: the place behind it."""
    at.warp = warp
    at.lanes = lanes
    at.time = arena.now
    at.place = place << 3 | (shift + 1)
    at.first = addresses[0] - first
    at.step = step
    at.over = over
    at.buffer = buffer
    if shift < 0:
        scattered = ScatteredEntry(at)
        for lane in range(32):
            scattered.bytes[lane] = addresses[lane] - first
    return following(at)


@native
def following(at: Entry):
    """The place behind an entry."""
    return at[1] if at.place & 7 else Entry(ScatteredEntry(at)[1])


@native
def site_of(at: Entry):
    """The instruction of an entry."""
    return arena.sites[arena.places[at.place >> 3].site]


@native
def offset_of(at: Entry, lane: int):
    """The byte that a lane begins at."""
    shift = (at.place & 7) - 1
    if shift < 0:
        return ScatteredEntry(at).bytes[lane]
    inside = lane & ((1 << shift) - 1)
    return (at.first + inside * at.step + (lane >> shift) * at.over) & LOST
