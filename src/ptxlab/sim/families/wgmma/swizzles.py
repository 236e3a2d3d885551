"""PTX9165: boxes in shared memory that matrix descriptors read with another swizzle than they were written with.

A base offset shifts the pattern of a descriptor; that of a box goes by addresses alone.
Only boxes are known, and only as long as their bytes are still there: what ordinary stores wrote has no known swizzle.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.layout.matrix_descriptor import MatrixDescriptor
from ptxlab.layout.swizzles import swizzle_mask
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.trap import Unit, unit
from ptxlab.sim.engine.units.events import located
from ptxlab.sim.engine.units.place import Place
from ptxlab.sim.families.wgmma.ready import boxes_changed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxlab.layout.tensormap import TensorMap
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta

_LINE = 128
"""Bytes by which a base offset of 1 shifts a pattern."""


@dataclass(slots=True)
class Written:
    """The latest box at a place: bytes [begin, end) of shared memory, its swizzle, its chunks, where they lie, and who wrote it.

    tensor: the global address of the tensor that it is from.
    """

    begin: int
    end: int
    swizzle: str
    places: NDArray[np.int64]
    data: NDArray[Any]
    op: Op
    tensor: int


@unit
class Layouts(Unit):
    """The boxes in the shared memory of all CTAs."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.boxes: dict[Cta, dict[int, Written]] = {}
        self._seams: dict[Cta, list[tuple[Written, Written]]] = {}
        self._seen: dict[Cta, set[tuple[int, int]]] = {}
        self._found: set[int] = set()

    def cta_started(self, cta: Cta) -> None:
        self.boxes.pop(cta, None)
        self._seams.pop(cta, None)
        self._seen.pop(cta, None)

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            self.cta_started(cta)

    def wrote(
        self, where: Place, end: int, map: TensorMap, places: NDArray[np.int64], data: NDArray[Any], op: Op
    ) -> None:
        """A copy wrote a box from a place up to byte `end`: these chunks to these places, counted in chunks."""
        swizzle = map.swizzle
        boxes = self.boxes.setdefault(where.cta, {})
        before = boxes.get(where.offset)
        if before is not None and before.end == end and before.swizzle == swizzle:
            if before.tensor != map.address:
                self._seams.pop(where.cta, None)
            before.places, before.data, before.op, before.tensor = places, data, op, map.address
            return
        for other in [b for b in boxes.values() if b.begin < end and where.offset < b.end]:
            del boxes[other.begin]
        boxes[where.offset] = Written(where.offset, end, swizzle, places=places, data=data, op=op, tensor=map.address)
        self._seams.pop(where.cta, None)
        self._seen.pop(where.cta, None)
        boxes_changed(where.cta)

    def seams(self, cta: Cta) -> Sequence[tuple[Written, Written]]:
        """The boxes of a CTA that end where one of another tensor begins, each with that one, ascending."""
        boxes = self.boxes.get(cta)
        if boxes is None:
            return ()
        found = self._seams.get(cta)
        if found is None:
            ascending = sorted(boxes.values(), key=lambda box: box.begin)
            found = [(a, b) for a, b in pairwise(ascending) if a.end == b.begin and a.tensor != b.tensor]
            self._seams[cta] = found
        return found

    def has_reported(self, op: Op) -> bool:
        """Whether an operand of an instruction disagrees with a box."""
        return id(op) in self._found

    def known(self, cta: Cta, operand: int, op: Op) -> bool:
        """Whether there is nothing to find in an operand: no boxes, or its boxes agreed and no layout has changed since."""
        return cta not in self.boxes or (operand, id(op)) in self._seen.get(cta, ())

    def check(self, cta: Cta, operand: int, span: tuple[int, int], name: str, op: Op) -> None:
        """Report a box of another swizzle among the bytes [begin, end) of `span` that an operand is read from.

        Args:
            operand: its descriptor, by which `known` remembers it.
        """
        (begin, end), descriptor = span, MatrixDescriptor.decode(operand)
        shifted = descriptor.base_offset * _LINE >> 3 & swizzle_mask(descriptor.swizzle)
        boxes = [b for b in self.boxes[cta].values() if b.begin < end and begin < b.end]
        others = [b for b in boxes if b.swizzle != descriptor.swizzle or shifted]
        if not others:
            self._seen.setdefault(cta, set()).add((operand, id(op)))
        for box in others:
            if intact(cta, box):
                self._report(cta, box, descriptor, name, op)
                return

    def _report(self, cta: Cta, box: Written, descriptor: MatrixDescriptor, name: str, op: Op) -> None:
        if id(op) in self._found:
            return
        self._found.add(id(op))
        swizzle, base = descriptor.swizzle, descriptor.base_offset
        how, was = f"swizzle {swizzle}", f"swizzle {box.swizzle}"
        help_ = "give the tensor map and the matrix descriptor the same swizzle"
        if swizzle == box.swizzle:
            how, was = f"base offset {base}", "base offset 0, as all boxes are"
            help_ = "write 0 to bits 49 to 51: boxes are swizzled by their addresses"
        found = Diagnostic(
            "PTX9165",
            f"operand {name} of `{op.inst.opcode}` is read with {how}, but the box at "
            f"{shared_name(cta.machine, box.begin)} was written with {was}",
            help=help_,
            isa="Matrix Descriptor Format",
            notes=(f"written by `{box.op.inst.opcode}` through a tensor map of swizzle {box.swizzle}",),
            other=box.op.span,
            other_origin=box.op.origin,
        )
        self.machine.report.findings.append(located(found, op))


def intact(cta: Cta, box: Written) -> bool:
    """Whether the bytes of a box are still those that it was written with."""
    memory = cta.shared[: len(cta.shared) // 16 * 16].view(box.data.dtype)
    return bool(np.array_equal(memory[box.places].view(np.uint8), np.ascontiguousarray(box.data).view(np.uint8)))
