"""PTX9165: boxes in shared memory that matrix descriptors read with another swizzle than they were written with.

Only boxes are known, and only as long as their bytes are still there: what ordinary stores wrote has no known swizzle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.trap import Unit, unit
from ptxlab.sim.engine.units.events import located
from ptxlab.sim.engine.units.place import Place
from ptxlab.sim.families.wgmma.ready import boxes_changed

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta


@dataclass(slots=True)
class Written:
    """The latest box at a place: bytes [begin, end) of shared memory, its swizzle, its chunks, where they lie, and who wrote it."""

    begin: int
    end: int
    swizzle: str
    places: NDArray[np.int64]
    data: NDArray[Any]
    op: Op


@unit
class Layouts(Unit):
    """The boxes in the shared memory of all CTAs."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.boxes: dict[Cta, dict[int, Written]] = {}
        self._seen: dict[Cta, set[tuple[int, int]]] = {}
        self._found: set[int] = set()

    def cta_started(self, cta: Cta) -> None:
        self.boxes.pop(cta, None)
        self._seen.pop(cta, None)

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            self.cta_started(cta)

    def wrote(
        self, where: Place, end: int, swizzle: str, places: NDArray[np.int64], data: NDArray[Any], op: Op
    ) -> None:
        """A copy wrote a box from a place up to byte `end`: these chunks to these places, counted in chunks."""
        boxes = self.boxes.setdefault(where.cta, {})
        before = boxes.get(where.offset)
        if before is not None and before.end == end and before.swizzle == swizzle:
            before.places, before.data, before.op = places, data, op
            return
        for other in [b for b in boxes.values() if b.begin < end and where.offset < b.end]:
            del boxes[other.begin]
        boxes[where.offset] = Written(where.offset, end, swizzle, places, data, op)
        self._seen.pop(where.cta, None)
        boxes_changed(where.cta)

    def known(self, cta: Cta, operand: int, op: Op) -> bool:
        """Whether there is nothing to find in an operand: no boxes, or its boxes agreed and no layout has changed since."""
        return cta not in self.boxes or (operand, id(op)) in self._seen.get(cta, ())

    def check(self, cta: Cta, operand: int, span: tuple[int, int], swizzle: str, name: str, op: Op) -> None:
        """Report a box of another swizzle among the bytes [begin, end) of `span` that an operand is read from.

        Args:
            operand: its descriptor, by which `known` remembers it.
        """
        begin, end = span
        others = [b for b in self.boxes[cta].values() if b.swizzle != swizzle and b.begin < end and begin < b.end]
        if not others:
            self._seen.setdefault(cta, set()).add((operand, id(op)))
        for box in others:
            if self._intact(cta, box):
                self._report(cta, box, swizzle, name, op)
                return

    def _intact(self, cta: Cta, box: Written) -> bool:
        memory = cta.shared[: len(cta.shared) // 16 * 16].view(box.data.dtype)
        return bool(np.array_equal(memory[box.places].view(np.uint8), np.ascontiguousarray(box.data).view(np.uint8)))

    def _report(self, cta: Cta, box: Written, swizzle: str, name: str, op: Op) -> None:
        if id(op) in self._found:
            return
        self._found.add(id(op))
        found = Diagnostic(
            "PTX9165",
            f"operand {name} of `{op.inst.opcode}` is read with swizzle {swizzle}, but the box at "
            f"{shared_name(cta.machine, box.begin)} was written with swizzle {box.swizzle}",
            help="give the tensor map and the matrix descriptor the same swizzle",
            isa="Matrix Descriptor Format",
            notes=(f"written by `{box.op.inst.opcode}` through a tensor map of swizzle {box.swizzle}",),
            other=box.op.span,
            other_origin=box.op.origin,
        )
        self.machine.report.findings.append(located(found, op))
