"""PTX9168: bytes that matrix descriptors take twice: for two lines of an operand, or for two products that one sum adds up.

Lines of an operand that lie in the same bytes are a stride or leading byte offset that is too small. Two products that follow
each other in the same accumulators overlap where the step along k is too short. A kernel may mean the first, to repeat rows;
hence a warning.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.layout.matrix_descriptor import LINES, Major, MatrixDescriptor, element_offsets
from ptxlab.layout.swizzles import CHUNK, swizzle_span
from ptxlab.sim.engine.machine.trap import Unit, unit
from ptxlab.sim.engine.units.events import located
from ptxlab.sim.families.wgmma.plan import BITS, ROWS, Plan, Types
from ptxlab.sim.families.wgmma.swizzles import Layouts

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta


class Operand(NamedTuple):
    """An operand in shared memory: its descriptor, extents in elements and their bits."""

    descriptor: int
    lines: int
    k: int
    bits: int
    major: Major


class Operands(NamedTuple):
    """What a product reads from shared memory. a: None where it comes in registers."""

    a: Operand | None
    b: Operand


@unit
class Twice(Unit):
    """Compares the operands of each product with themselves, and with those of the product before it."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self._latest: dict[tuple[Cta, int], tuple[int, dict[bytes, tuple[Op, Operands]]]] = {}
        self._compared: set[tuple[int, Operands, Operands | None]] = set()
        self._found: set[str] = set()

    def cluster_finished(self, cluster: Cluster) -> None:
        for key in [k for k in self._latest if k[0].cluster is cluster]:
            del self._latest[key]

    def look(
        self,
        warpgroup: tuple[Cta, int],
        number: int,
        op: Op,
        plan: Plan,
        descriptors: tuple[int, int],
        accumulate: bool,
    ) -> None:
        """A warpgroup issues product `number`. Products that compiled code has issued since the last one are not known here."""
        operands = operands_of(plan, descriptors)
        before, sums = self._latest.get(warpgroup, (number, {}))
        if before != number - 1:
            sums.clear()
        accumulators = plan.starts.tobytes()
        previous = sums.get(accumulators) if accumulate else None
        sums[accumulators] = op, operands
        self._latest[warpgroup] = number, sums
        key = (id(op), operands, None if previous is None else previous[1])
        if key in self._compared:
            return
        self._compared.add(key)
        if self.machine.unit(Layouts).has_reported(op):
            return  # strides that belong to another swizzle follow from that
        for name, operand, other in zip("AB", operands, previous[1] if previous else (None, None), strict=True):
            if operand is not None:
                self._within(op, name, operand)
                if (
                    other is not None
                    and previous is not None
                    and other._replace(descriptor=operand.descriptor) == operand
                ):
                    self._between(op, name, operand, other, previous[0])

    def _within(self, op: Op, name: str, operand: Operand) -> None:
        pair = repeated(operand)
        if pair is None:
            return
        (line, k), (again, other_k) = pair
        what, descriptor = "row" if name == "A" else "column", MatrixDescriptor.decode(operand.descriptor)
        at = "" if k == other_k else f", k {other_k} from those of k {k}" if line == again else f" and k {k}"
        words = f"operand {name} of `{op.inst.opcode}` takes {what} {again} from the bytes of {what} {line}{at}"
        span, help_ = swizzle_span(descriptor.swizzle), None
        if operand.major == "K" and descriptor.swizzle != "none":
            help_ = f"{LINES} {what}s of {span} bytes take {LINES * span}: give at least that as the stride byte offset"
        notes = (
            f"the descriptor {operand.descriptor:#018x}: leading byte offset {descriptor.leading}, stride byte offset "
            f"{descriptor.stride}, swizzle {descriptor.swizzle}",
        )
        self._report(op, words, help_, notes)

    def _between(self, op: Op, name: str, operand: Operand, other: Operand, before: Op) -> None:
        common = overlap(other, operand) or overlap(operand, other)
        if common:
            words = (
                f"operand {name} of `{op.inst.opcode}` takes {common} of its {operand.k} elements along k from bytes of which the "
                "product before it, which the same accumulators add up, has taken them already"
            )
            help_ = None
            if operand.major == "K" and MatrixDescriptor.decode(operand.descriptor).swizzle != "none":
                step = operand.k * operand.bits // 8
                help_ = (
                    f"a product takes {step} bytes of each line: add {step // CHUNK} to the descriptor for the next one"
                )
            notes = (f"the descriptors: {other.descriptor:#018x}, then {operand.descriptor:#018x}",)
            self._report(op, words, help_, notes, before)

    def _report(self, op: Op, words: str, help_: str | None, notes: tuple[str, ...], other: Op | None = None) -> None:
        """Report, once for the products of an unrolled loop."""
        if words in self._found:
            return
        self._found.add(words)
        found = Diagnostic("PTX9168", words, help=help_, isa="Matrix Descriptor Format", notes=notes)
        if other is not None and other is not op:
            found.other, found.other_origin = other.span, other.origin
        self.machine.report.findings.append(located(found, op))


@lru_cache(maxsize=512)
def _operands(types: Types, majors: tuple[Major, Major], descriptors: tuple[int, int], by_descriptor: bool) -> Operands:
    bits, (a, b) = BITS[types.a], descriptors
    left = Operand(a, ROWS, types.k, bits, majors[0]) if by_descriptor else None
    return Operands(left, Operand(b, types.n, types.depth, bits, majors[1]))


def operands_of(plan: Plan, descriptors: tuple[int, int]) -> Operands:
    """What a product reads from shared memory."""
    return _operands(plan.types, (plan.major_a, plan.major_b), descriptors, plan.a_index is None)


@lru_cache(maxsize=512)
def repeated(operand: Operand) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The first element (line, k) that lies where an earlier one does, behind that one; None where all lie apart."""
    places = element_offsets(MatrixDescriptor.decode(operand.descriptor), *operand[1:]).reshape(-1)
    _, first, which = np.unique(places, return_index=True, return_inverse=True)
    if len(first) == len(places):
        return None
    again = int(np.argmax(first[which] != np.arange(len(places))))
    earlier = int(first[which[again]])
    return divmod(earlier, operand.k), divmod(again, operand.k)


@lru_cache(maxsize=512)
def overlap(first: Operand, second: Operand) -> int:
    """How many elements along k at the beginning of each line of the second are the last ones of the first; 0 for all or none."""
    a, b = (element_offsets(MatrixDescriptor.decode(o.descriptor), *o[1:]) for o in (first, second))
    unit_ = CHUNK * 8 // first.bits if first.major == "K" else LINES
    for shift in range(unit_, first.k, unit_):
        if np.array_equal(a[:, shift:], b[:, : first.k - shift]):
            return first.k - shift
    return 0
