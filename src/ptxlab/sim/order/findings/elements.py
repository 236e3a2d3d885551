"""Which element of which array a byte belongs to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ptxlab.abi.record import Buffer
from ptxlab.diag import Memory
from ptxlab.layout.shared_tile import MBARRIER_BYTES, SharedTile
from ptxlab.sim.engine.machine.declared import declared_at
from ptxlab.sim.engine.machine.observer import Observed
from ptxlab.sim.order.shadow import Region
from ptxlab.sim.report.unwritten import view_of


def memory_at(machine: Observed, region: Region, offset: int) -> Memory:
    """The granule of a region that begins at an offset."""
    if region.space == "shared":
        return in_shared(machine, offset, region.granule)
    buffer = next(b for b in machine.record.buffers if b.address == region.base)
    return Memory("global", buffer.name, offset, region.granule, _of_array(machine, buffer, offset))


def named(memory: Memory, otherwise: str) -> str:
    """The bytes in words: the element, and where it lies; what is given where no element is known."""
    if memory.element is None:
        return otherwise
    index = ", ".join(map(str, memory.element))
    return f"`{memory.array}[{index}]` ({otherwise.partition(' (')[2].rstrip(')') or otherwise})"


def _of_array(machine: Observed, buffer: Buffer, offset: int) -> tuple[int, ...] | None:
    """The index within an array of the caller's, or within a variable."""
    for name, address in machine.record.variables.items():
        if address == buffer.address:
            var = machine.record.program.variable(name)
            return (offset // var.type.bytes,) if var is not None and var.type.bytes > 1 else None
    view = view_of(buffer)
    if view is None:
        return None
    return index_in(offset + buffer.address - view.address, view.shape, view.strides, view.itemsize)


def index_in(offset: int, shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, ...] | None:
    """The index of the element that holds a byte, counted from element 0; None for a byte between elements."""
    backwards = [n > 1 and s < 0 for n, s in zip(shape, strides, strict=True)]
    offset += sum((n - 1) * -s for n, s, back in zip(shape, strides, backwards, strict=True) if back)
    index = [0] * len(shape)
    for axis in sorted(range(len(shape)), key=lambda axis: -abs(strides[axis])):
        if shape[axis] > 1 and strides[axis]:
            index[axis], offset = divmod(offset, abs(strides[axis]))
    if not 0 <= offset < itemsize or any(not 0 <= i < max(n, 1) for i, n in zip(index, shape, strict=True)):
        return None
    return tuple(n - 1 - i if back else i for i, n, back in zip(index, shape, backwards, strict=True))


def in_shared(machine: Observed, offset: int, nbytes: int) -> Memory:
    """Bytes of the shared memory of a CTA."""
    variables = [v for v in machine.record.program.variables if v.space.startswith("shared")]
    places = {v.name: v.offset for v in variables}
    for tile in machine.record.tiles.values():
        start = places.get(tile.name) if tile.offset is None else tile.offset
        index = _of_tile(tile, offset - start) if start is not None else None
        if start is not None and index is not None:
            return Memory("shared", tile.name, offset - start, nbytes, index)
    known = declared_at(machine.record, offset)
    if known is not None:
        element = None if known.alone else (known.inner // MBARRIER_BYTES,)
        return Memory("shared", known.name, known.inner, nbytes, element)
    for var in variables:
        if var.offset <= offset < var.offset + var.size:
            inner, size = offset - var.offset, var.type.bytes
            return Memory("shared", var.name, inner, nbytes, (inner // size,) if size > 1 else None)
    return Memory("shared", None, offset, nbytes)


def _of_tile(tile: SharedTile, offset: int) -> tuple[int, ...] | None:
    if offset < 0:
        return None
    size = tile.bits // 8
    found = np.argwhere(tile.offsets() == offset - offset % size)
    return tuple(found[0].tolist()) if len(found) else None
