"""st.async and red.async: stores and reductions in the shared memory of a cluster, counted by an mbarrier there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.types import TYPES
from ptxlab.sim.engine.machine.operation import Footprints
from ptxlab.sim.engine.machine.trap import DONE, Outcome, numpy_type, trap
from ptxlab.sim.engine.units.place import Place, check_shared, lane_places
from ptxlab.sim.engine.units.touches import by_lanes, proxy_of
from ptxlab.sim.families.bulk.unit import check_clustered, start_load, targets_of

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta
    from ptxlab.sim.engine.machine.trap import TrapContext

BLOCK = 64
"""Bytes of shared memory that are counted together at most."""
QUAD = 16
"""The most bytes of a lane."""
_REDUCTIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, new: old + new,
    "min": min,
    "max": max,
    "inc": lambda old, new: 0 if old >= new else old + 1,
    "dec": lambda old, new: new if old == 0 or old > new else old - 1,
    "and": lambda old, new: old & new,
    "or": lambda old, new: old | new,
    "xor": lambda old, new: old ^ new,
}


def _start(
    ctx: TrapContext,
    op: Op,
    values: list[NDArray[np.uint8]],
    write: Callable[[Place, NDArray[Any]], None],
    *,
    reduces: bool = False,
) -> Outcome:
    """Issue the operations of the executing lanes; `values` are the bytes of their operands. They are read at issue."""
    check_clustered(ctx)
    barriers = dict(lane_places(ctx, "mbar"))
    nbytes = len(values[0])
    by_barrier: dict[Place, list[tuple[int, Place]]] = {}
    for lane, dst in lane_places(ctx, "a"):
        check_shared(dst, nbytes, nbytes, "destination", op)
        ((_, mbar),) = targets_of(ctx, op, lane, dst, barriers[lane])
        by_barrier.setdefault(mbar, []).append((lane, dst))

    def put(_: Place, parts: Any) -> None:
        for dst, data in parts:
            write(dst, data)

    for mbar, lanes in by_barrier.items():
        for packet in packets(lanes, nbytes, reduces=reduces):
            parts = [(dst, values[lane]) for lane, dst in packet]
            lane, dst = packet[0]
            touches, lanes = (_written, op, packet, nbytes), sum(1 << lane for lane, _ in packet)
            targets, total = [(dst, mbar)], nbytes * len(parts)
            start_load(ctx, lane, lambda parts=parts: parts, put, targets, nbytes=total, touches=touches, lanes=lanes)
    return DONE


def _written(op: Op, packet: Sequence[tuple[int, Place]], nbytes: int) -> tuple[Footprints, Footprints]:
    lanes, starts = np.array([lane for lane, _ in packet]), np.array([dst.offset for _, dst in packet])
    return (), by_lanes(packet[0][1].cta, lanes, starts, np.full(len(packet), nbytes), proxy_of(op))


def packets(lanes: Sequence[tuple[int, Place]], nbytes: int, *, reduces: bool) -> Iterator[list[tuple[int, Place]]]:
    """Lanes whose bytes an mbarrier counts together, as an H200 does.

    Those in one block of 64 bytes where a store leaves no gap there, and does not fill it in part with 16 bytes a lane; or
    where they reduce. The others in pairs.
    """
    blocks: dict[tuple[Cta, int], list[tuple[int, Place]]] = {}
    for lane, dst in lanes:
        blocks.setdefault((dst.cta, dst.offset // BLOCK), []).append((lane, dst))
    rest: list[tuple[int, Place]] = []
    for block in blocks.values():
        ordered = sorted(dst.offset for _, dst in block)
        whole = ordered == list(range(ordered[0], ordered[0] + nbytes * len(block), nbytes))
        whole = whole and (nbytes < QUAD or nbytes * len(block) == BLOCK)
        if len(block) > 1 and (reduces or whole):
            yield block
        else:
            rest += block
    rest.sort(key=lambda found: found[0])
    for at in range(0, len(rest), 2):
        yield rest[at : at + 2]


@trap("st.async")
def store(ctx: TrapContext, op: Op) -> Outcome:
    check_clustered(ctx)
    values = list(ctx.read_bytes("b"))

    def write(dst: Place, data: NDArray[np.uint8]) -> None:
        dst.view(len(data))[:] = data

    return _start(ctx, op, values, write)


@trap("red.async")
def reduce(ctx: TrapContext, op: Op) -> Outcome:
    check_clustered(ctx)
    dtype = numpy_type(TYPES[str(op.inst.mod("type"))])
    combine, bits = _REDUCTIONS[str(op.inst.mod("op"))], 8 * dtype.itemsize
    values = list(np.ascontiguousarray(ctx.read("b")).view(np.uint8).reshape(32, -1))

    def write(dst: Place, data: NDArray[np.uint8]) -> None:
        place = dst.view(dtype.itemsize)
        total = combine(int(place.view(dtype)[0]), int(data.view(dtype)[0])) & ((1 << bits) - 1)
        place[:] = np.frombuffer(total.to_bytes(dtype.itemsize, "little"), np.uint8)

    return _start(ctx, op, values, write, reduces=True)
