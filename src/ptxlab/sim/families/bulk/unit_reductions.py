"""cp.reduce.async.bulk: linear copies that combine what they bring with what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.place import Place, check_shared, lane_places
from ptxlab.sim.engine.units.touches import one
from ptxlab.sim.families.bulk.unit import (
    UNIT,
    check_clustered,
    check_copy,
    exchanged,
    start_load,
    start_store,
    stored,
    targets_of,
)
from ptxlab.sim.numerics.reductions import combiner

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

Bytes = NDArray[np.uint8]


def _into(op: Op) -> Callable[[Bytes, Bytes], None]:
    """Combines bytes into memory, as the instruction's operation and type have it."""
    word, combine = combiner(op.inst.mod("op") or "", op.inst.mod("type") or "")

    def into(memory: Bytes, data: Bytes) -> None:
        target = memory.view(word)
        target[:] = combine(target, data.view(word))

    return into


@trap("cp.reduce.async.bulk.cta2g")
def to_global(ctx: TrapContext, op: Op) -> Outcome:
    addresses, sizes = ctx.read_addr("dst"), ctx.read("size")
    into = _into(op)
    for lane, source in lane_places(ctx, "src"):
        address, size = int(addresses[lane]), int(sizes[lane])
        check_copy(ctx, size, address, "destination")
        check_shared(source, size, UNIT, "source", op)
        memory = ctx.global_view(address, size, write=True)

        def write(data: NDArray[Any], memory: Bytes = memory) -> None:
            into(memory, data)

        touches = (stored, op, source, address, one, 0, size)
        start_store(ctx, lane, source.view(size).copy, write, size, touches)
    return DONE


@trap("cp.reduce.async.bulk.cta2cluster")
def between_ctas(ctx: TrapContext, op: Op) -> Outcome:
    check_clustered(ctx)
    sizes = ctx.read("size")
    into = _into(op)
    sources, barriers = dict(lane_places(ctx, "src")), dict(lane_places(ctx, "mbar"))

    def write(where: Place, data: NDArray[Any]) -> None:
        into(where.view(data.nbytes), data)

    for lane, dst in lane_places(ctx, "dst"):
        source, size = sources[lane], int(sizes[lane])
        check_copy(ctx, size, 0, "source")
        check_shared(source, size, UNIT, "source", op)
        check_shared(dst, size, UNIT, "destination", op)
        targets = targets_of(ctx, op, lane, dst, barriers[lane])
        touches = (exchanged, op, source, targets, size)
        start_load(ctx, lane, source.view(size).copy, write, targets, nbytes=size, touches=touches)
    return DONE
