"""Which instructions read local memory that their thread has not written."""

from __future__ import annotations

import bisect
import ctypes
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import Access
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import LOCAL_WINDOW, WINDOW_SHIFT
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.machine.faults import local_name
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.companions.companion import thread_name
from ptxlab.sim.order.places import runs_of

if TYPE_CHECKING:
    from ptxlab.isa.action import Touch
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp

_NOTIFY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)


@dataclass(slots=True)
class Read:
    """An instruction that reads what nobody has written: the first thread, where in words, and all such bytes."""

    op: Op
    who: str
    name: str
    places: set[int] = field(default_factory=set[int])


class LocalReads(Observer):
    """Follows the local memory of all threads.

    Attributes:
        found: by instruction, what it reads unwritten.
    """

    in_turns = True

    def __init__(self) -> None:
        self.found: dict[int, Read] = {}
        self._warps: dict[int, Warp] = {}
        self._written: dict[Cta, NDArray[np.bool_]] = {}
        self._failure: BaseException | None = None

    def attach(self, machine: Observed) -> None:
        self._machine, image = machine, machine.image
        wanted: dict[Handler, list[int]] = {}
        self._points = image.points
        for pc, op, handler in zip(image.points, image.ops, image.handlers, strict=True):
            if (
                not handler.traps
                and isinstance(op.inst.form.effect, Access)
                and any(map(_local, op.inst.effect.touches))
            ):
                wanted.setdefault(Handler("$notify", together=handler.together), []).append(pc)
        machine.overlay.put(Layer.SANITIZE, wanted)
        self._notify = _NOTIFY(self._instruction)
        machine.env.set64(F.E_NOTIFY, ctypes.cast(self._notify, ctypes.c_void_p).value or 0)

    def cta_started(self, cta: Cta) -> None:
        self._written[cta] = np.zeros((32 * len(cta.warps), self._machine.image.local_bytes), bool)
        for warp in cta.warps:
            self._warps[warp.frame.address] = warp

    def cluster_retired(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            self._written.pop(cta, None)

    def tally(self, report: object) -> None:
        if self._failure is not None:
            raise self._failure

    def _instruction(self, frame: int, pc: int, mask: int) -> None:
        if self._failure is not None:
            return
        try:
            op = self._machine.image.ops[bisect.bisect_left(self._points, pc)]
            self._executes(self._warps[frame], mask, op)
        except BaseException as e:  # native code cannot pass it on
            self._failure = e

    def _executes(self, warp: Warp, mask: int, op: Op) -> None:
        ctx = TrapContext(self._machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        written = self._written[warp.cta]
        for touch in op.inst.effect.touches:
            if not _local(touch):
                continue
            lanes, addresses, size = runs_of(ctx, touch)
            where = addresses.astype(np.int64) & 0xFFFF_FFFF
            if touch.space == "generic":
                mine = addresses >> np.uint64(WINDOW_SHIFT) == LOCAL_WINDOW >> WINDOW_SHIFT
                lanes, where = lanes[mine], where[mine]
            for lane, at in zip(lanes.tolist(), where.tolist(), strict=True):
                row = written[32 * warp.index + lane, at : at + size]
                if touch.reads and not row.all():
                    self._reads(
                        warp, lane, op, at + int(np.argmin(row)), [at + i for i in np.flatnonzero(~row).tolist()]
                    )
                if touch.writes:
                    row[:] = True

    def _reads(self, warp: Warp, lane: int, op: Op, first: int, places: list[int]) -> None:
        found = self.found.get(id(op))
        if found is None:
            who = thread_name(self._machine, warp.cta, 32 * warp.index + lane)
            found = self.found[id(op)] = Read(op, who, local_name(self._machine, first))
        found.places.update(places)


def _local(touch: Touch) -> bool:
    return touch.space in ("local", "generic")
