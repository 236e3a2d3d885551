"""Statistics: what each instruction did, how often, and how well its accesses fit banks and sectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ptxlab.abi.record import Buffer
from ptxlab.isa.action import word
from ptxlab.isa.effects import Access, AsyncCopy, Barrier
from ptxlab.isa.extents import Known, Rows
from ptxlab.isa.extents import known as known_extent
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler, Slot, fields_of
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.native import address, allocate
from ptxlab.sim.engine.decoded.accesses import addresses, sizes
from ptxlab.sim.engine.decoded.sources import sources
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.overlay import places_of
from ptxlab.sim.engine.machine.resident import Parked, Warp
from ptxlab.sim.report.report import Report
from ptxlab.sim.report.stats import Site, path_of

ALL = 0xFFFF_FFFF
COPY_PAST_L1 = 16
"""Bytes from which on cp.async writes past what counts wavefronts on a chip."""


class Counting(Observer):
    """Counts, which takes two to four times as long as the launch itself. The counts are entered into `report.stats.sites`.

    Attributes:
        counters: of each instruction, by the names of `frame.COUNTERS`. sizes: bytes that a thread moves with it.
    """

    def attach(self, machine: Observed) -> None:
        self.machine, image = machine, machine.image
        points = image.points
        self._index = {pc: i for i, pc in enumerate(points)}
        numbers = {id(op): i for i, op in enumerate(image.ops)}
        self._index |= {pc: numbers[id(op)] for pc, op in image.flights.items()}
        self._table = allocate(8 * image.words.nbytes + 128).view(np.uint64)
        self.counters = [self._table[pc : pc + len(F.COUNTERS)] for pc in points]
        self.sizes = [sizes(op, h) for op, h in zip(image.ops, image.handlers, strict=True)]
        self._moved: dict[int, int] = {}
        self._since: dict[int, int] = {}
        wanted = [counter(op, h) for op, h in zip(image.ops, image.handlers, strict=True)]
        machine.overlay.put(Layer.COUNTS, places_of(dict(zip(points, wanted, strict=True))))
        starts = [(b.address, b.address + b.nbytes, sector_start(b)) for b in machine.record.buffers]
        self._starts = np.array(starts or [(0, 0, 0)], np.uint64)
        env = machine.env
        env.set64(F.E_COUNTERS, address(self._table))
        env.set64(F.E_STARTS, address(self._starts))
        env.set64(F.E_START_COUNT, len(starts))

    def tally(self, report: Report) -> None:
        report.stats.sites = self._sites()

    def moved(self, op: Op, nbytes: int) -> None:
        self._moved[id(op)] = self._moved.get(id(op), 0) + nbytes

    def woken(self, groups: Sequence[Parked]) -> None:
        for group in groups:
            began = self._since.pop(id(group), None)
            if began is not None:
                self._add(group.pc, "waited", self.machine.instructions - began)

    def trap_ended(self, warp: Warp, mask: int, pc: int, parked: Parked | None) -> None:
        if parked is not None:
            self._add(pc, "waits", 1)
            self._since[id(parked)] = self.machine.instructions
            if pc in self.machine.image.flights:
                return  # it has not come to the instruction itself
            self._add(pc, "executions", -1)  # it is executed, and counted, once more
            self._add(pc, "threads", -mask.bit_count())

    def _add(self, pc: int, name: str, value: int) -> None:
        counters = self.counters[self._index[pc]]
        at = F.COUNTERS.index(name)
        counters[at] = int(counters[at]) + value

    def _sites(self) -> list[Site]:
        ops = self.machine.image.ops
        where = sources(self.machine.record.program.module, ops)
        out: list[Site] = []
        for op, source, counters, size in zip(ops, where, self.counters, self.sizes, strict=True):
            counts: dict[str, int] = dict(zip(F.COUNTERS, map(int, counters), strict=True))
            moved = self._moved.get(id(op), 0)
            out.append(
                Site(
                    op.text,
                    op.inst.form.name,
                    kind=path_of(op),
                    line=source.line,
                    source=source.origin,
                    counts=counts,
                    size=size,
                    copied=moved,
                )
            )
        return out


def sector_start(buffer: Buffer) -> int:
    """Where the sectors of an array are counted from: where the array that owns its memory begins, wherever it lies here.

    0, which stands for its own address, where the memory is bytes that somebody has aligned, as `px.empty` does. A number in the
    place of the array is what another process has said.
    """
    array = buffer.array[0] if isinstance(buffer.array, tuple) else buffer.array  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if not isinstance(array, np.ndarray):
        return array if isinstance(array, int) else buffer.address
    owner: np.ndarray = array  # pyright: ignore[reportUnknownVariableType]
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    aligned = owner is not array and owner.dtype == np.uint8 and owner.ndim == 1
    return 0 if aligned else int(owner.ctypes.data)


def counter(op: Op, handler: Handler) -> Handler:
    """The handler that counts in front of an instruction."""
    effect = op.inst.form.effect
    if isinstance(effect, Barrier) and effect.scope == "cta" and effect.kind != "arrive":
        return Handler("$count.barrier")
    known = dict(addresses(op, handler))
    if not known:
        return Handler("$count", together=handler.together)
    slots = tuple(
        Slot(s.name, s.type, "r", s.shape) if s.name in known else Slot(s.name, "", "", ("i",) * fields_of(s.shape))
        for s in handler.slots
    )
    lanes = ALL
    for extent in _rows(op):
        lanes = (1 << (extent.rows or 0)) - 1
    mods = (("bytes", ",".join(map(str, known.values()))), ("kind", _kind(op, known)), ("lanes", str(lanes)))
    return Handler("$count.access", mods, slots, 0, together=handler.together)


def _kind(op: Op, sizes: dict[str, int]) -> str:
    """How shared memory and sectors take it: load, store, atomic, cas (an atomic that compares), copy."""
    effect = op.inst.form.effect
    if isinstance(effect, AsyncCopy):
        return "copy" if max(sizes.values()) < COPY_PAST_L1 else "store"
    if not isinstance(effect, Access) or next(_rows(op), None) is not None:
        return "store"
    return "cas" if word(effect.update, op.inst) == "cas" else effect.kind


def _rows(op: Op) -> Iterator[Rows[Known]]:
    """Rows of matrices whose addresses the first lanes give."""
    for spec in op.inst.form.operands.values():
        extent = None if spec.extent is None else known_extent(spec.extent, op.inst)
        if isinstance(extent, Rows):
            yield extent
