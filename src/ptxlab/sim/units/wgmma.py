"""wgmma: matrix products of a warpgroup in the background.

Each warp's execution of a wgmma joins the warpgroup's next one; when the fourth has joined, it is issued. Products of a warpgroup
are carried out in order. Shared memory and registers are read when that happens, so a buffer overwritten too early, or an
accumulator touched before its wait, gives what it would give on a bad day.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.layout.matrix_descriptor import MatrixDescriptor
from ptxlab.sim.faults import counted, outside_shared, shared_name
from ptxlab.sim.trap import DONE, Blocked, Outcome, Unit, trap, unit
from ptxlab.sim.units.events import Engine, Operation, Stage
from ptxlab.sim.units.layouts import Layouts
from ptxlab.sim.units.operands import ALL_LANES, pending, predicate, shared_by_lanes
from ptxlab.sim.units.place import cta_name, lanes_text
from ptxlab.sim.units.trace import MMA_PRODUCTS, Timeline
from ptxlab.sim.units.wgmma_math import Math
from ptxlab.sim.units.wgmma_plan import BITS, Plan, Types, make_plan, operand_index
from ptxlab.sim.units.wgmma_sparse import math_of

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.machine import Cluster, Cta, Machine, Warp
    from ptxlab.sim.trap import TrapContext

_SIZE = 4
"""Warps of a warpgroup."""


_DESCRIPTOR_HELP = "check the descriptor's address, leading and stride byte offsets (each in units of 16 bytes)"
_RANK_HELP = "; within a cluster an address carries the CTA's rank from bit 24 up: make it `(address & 0x3FFFF) >> 4`"


class Product:
    """One wgmma.mma_async of a warpgroup, from the first warp that executes it on."""

    __slots__ = ("accumulate", "descriptors", "end", "joined", "op", "operation", "plan")

    def __init__(self, op: Op, plan: Plan, descriptors: tuple[int, int], accumulate: bool) -> None:
        self.op, self.plan, self.descriptors, self.accumulate = op, plan, descriptors, accumulate
        self.joined = 0
        self.operation: Operation | None = None
        self.end = 0


class Warpgroup:
    """Four consecutive warps and their products.

    Attributes:
        products: those not yet complete, oldest first; `first` is the number of the oldest.
        issued: how many products each warp has executed. groups: for each warp, `issued` at each commit, oldest first.
        clock, done_clock: logical time of the latest issue, and of the end of the latest product waited for.
    """

    def __init__(self, cta: Cta, index: int) -> None:
        self.cta, self.index = cta, index
        self.warps: list[Warp] = cta.warps[_SIZE * index : _SIZE * (index + 1)]
        self.products: deque[Product] = deque()
        self.first = 0
        self.issued = [0] * _SIZE
        self.groups: list[deque[int]] = [deque() for _ in range(_SIZE)]
        self.last: Operation | None = None
        self.clock = 0
        self.done_clock = 0


@unit
class TensorCores(Unit):
    """The warpgroups of all resident CTAs."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.groups: dict[tuple[Cta, int], Warpgroup] = {}
        self.plans: dict[int, tuple[Op, Plan]] = {}
        self._math: dict[Types, Math] = {}

    def of(self, ctx: TrapContext, op: Op) -> Warpgroup:
        """The warpgroup of the executing warp. Raises: Diagnostic PTX9130, PTX9131."""
        if ctx.mask != ALL_LANES:
            raise Diagnostic(
                "PTX9130",
                f"`{op.inst.opcode}` is executed by {lanes_text(ctx.mask)} of warp {ctx.warp.index} alone",
                help="let the whole warp reach it: no divergent branch and no guard that differs between its threads",
                isa=op.inst.form.isa,
            )
        key = (ctx.cta, ctx.warp.index // _SIZE)
        found = self.groups.get(key)
        if found is None:
            found = self.groups[key] = Warpgroup(*key)
            if len(found.warps) < _SIZE:
                raise Diagnostic(
                    "PTX9131",
                    f"`{op.inst.opcode}` needs a warpgroup, but warp {ctx.warp.index} begins one of {len(found.warps)} warps",
                    help="launch a multiple of 128 threads per CTA",
                    isa=op.inst.form.isa,
                )
        return found

    def plan(self, op: Op) -> Plan:
        """The plan of an instruction."""
        found = self.plans.get(id(op))
        if found is None:
            found = self.plans[id(op)] = (op, make_plan(self.machine, op))
        return found[1]

    def math(self, plan: Plan) -> Math:
        """The arithmetic of a plan."""
        found = self._math.get(plan.types)
        if found is None:
            found = self._math[plan.types] = math_of(plan.types)
        return found

    def issue(self, group: Warpgroup, product: Product) -> None:
        """All four warps have executed it."""
        machine = self.machine
        cta, plan = group.cta, product.plan
        math = self.math(plan)
        a, b = product.descriptors
        self._check_operands(cta, product)

        def write(_: object) -> None:
            # operands are decoded into buffers that other products use too, so reading and adding are one event
            math.load_a(plan, cta.shared, group.warps, a)
            math.load_b(plan, cta.shared, b)
            math.run(plan, group.warps, product.accumulate)

        timeline = machine.unit(Timeline)
        products = 64 * plan.types.n * plan.types.k  # a sparse A has half of the elements, in half of the time
        length, facts = products // MMA_PRODUCTS, timeline.facts(product.op)
        product.end = timeline.occupy(cta, "tensor cores", plan.name, "mma", group.clock, length, facts)
        before = group.last if group.last is not None and group.last.stage < Stage.COMPLETE else None
        product.operation = Operation(cta.cluster, product.op, lambda: None, write, after=before)
        group.last = product.operation
        machine.unit(Engine).issue(product.operation, cta.rank << 16 | 0xF000 | group.index)
        machine.wake(group)

    def _check_operands(self, cta: Cta, product: Product) -> None:
        """Bounds, and layouts that copies and descriptors disagree on. Raises: Diagnostic PTX9122."""
        plan, size = product.plan, len(cta.shared)
        layouts = self.machine.unit(Layouts)
        types = plan.types
        operands = [("B", product.descriptors[1], (types.n, types.depth), plan.major_b, BITS[types.b], True)]
        if plan.a_index is None:
            operands.append(("A", product.descriptors[0], (64, types.k), plan.major_a, BITS[types.a], False))
        for name, descriptor, (lines, k), major, bits, order in operands:
            found = operand_index(descriptor, lines, k, bits, major, by_k=order)
            if found.begin < 0 or found.end > size:
                raise Diagnostic(
                    "PTX9122",
                    f"operand {name} of `{product.op.inst.opcode}` (descriptor {descriptor:#018x}): "
                    f"{counted(found.end - found.begin)} at {shared_name(cta.machine, found.begin)} "
                    + outside_shared(cta, found.begin, found.end - found.begin),
                    help=_DESCRIPTOR_HELP + (_RANK_HELP if cta.rank else ""),
                    span=product.op.span,
                    origin=product.op.origin,
                    isa="Matrix Descriptor Format",
                )
            if not layouts.known(cta, descriptor, product.op):
                swizzle = MatrixDescriptor.decode(descriptor).swizzle
                layouts.check(cta, descriptor, (found.begin, found.end), swizzle, name, product.op)

    def cluster_finished(self, cluster: Cluster) -> None:
        for key in [k for k in self.groups if k[0].cluster is cluster]:
            del self.groups[key]

    def deadlock_notes(self) -> list[tuple[Warp, str]]:
        out: list[tuple[Warp, str]] = []
        for group in self.groups.values():
            for number, product in enumerate(group.products, group.first):
                if product.operation is None:
                    late = [done <= number for done in group.issued]
                    missing = [str(w.index) for w, is_late in zip(group.warps, late, strict=True) if is_late]
                    note = (
                        f"{cta_name(group.cta)} warpgroup {group.index}: `{product.op.inst.opcode}` waits for "
                        f"warp{'s' if len(missing) > 1 else ''} {', '.join(missing)} to execute it"
                    )
                    out.append((group.warps[late.index(False)], note))
                    break
        return out


def _uniform_bits(ctx: TrapContext, name: str) -> int:
    """A 64-bit value that all lanes of the warp must share. Raises: Diagnostic PTX9132."""
    value = shared_by_lanes(ctx, name)
    if value is None:
        raise Diagnostic(
            "PTX9132",
            f"operand `{name}` of `{ctx.op.inst.opcode}` differs between the lanes of warp {ctx.warp.index}",
            help="compute matrix descriptors from values that all threads of the warpgroup share",
            isa=ctx.op.inst.form.isa,
        )
    return value


_KINDS = ("f16", "tf32", "f8", "s8", "b1", "sp.f16", "sp.tf32", "sp.f8", "sp.s8")


@trap(*(f"wgmma.mma_async.{kind}.{a}" for kind in _KINDS for a in ("ss", "rs")))
def mma_async(ctx: TrapContext, op: Op) -> Outcome:
    cores = ctx.machine.unit(TensorCores)
    group = cores.of(ctx, op)
    plan = cores.plan(op)
    a = 0 if plan.a_index is not None else _uniform_bits(ctx, "a")
    descriptors = (a, _uniform_bits(ctx, "b"))
    accumulate = predicate(ctx, "scale_d", 0)
    member = ctx.warp.index % _SIZE
    number = group.issued[member] - group.first
    if number == len(group.products):
        group.products.append(Product(op, plan, descriptors, accumulate))
    product = group.products[number]
    if product.op is not op or product.descriptors != descriptors or product.accumulate != accumulate:
        _disagree(ctx, product, op)
    group.issued[member] += 1
    group.clock = max(group.clock, ctx.machine.unit(Timeline).now(ctx.warp))
    product.joined += 1
    if product.joined == _SIZE:
        cores.issue(group, product)
    return DONE


def _disagree(ctx: TrapContext, product: Product, op: Op) -> None:
    if product.op is not op:
        raise Diagnostic(
            "PTX9131",
            f"warp {ctx.warp.index} executes `{op.inst.opcode}` where another warp of its warpgroup executes "
            f"`{product.op.inst.opcode}`" + (f" at {product.op.span}" if product.op.span else ""),
            help="all four warps of a warpgroup must run through the same wgmma instructions in the same order",
            isa=op.inst.form.isa,
        )
    raise Diagnostic(
        "PTX9132",
        f"warp {ctx.warp.index} gives `{op.inst.opcode}` other descriptors or another scale-d than its warpgroup",
        help="compute them from values that all threads of the warpgroup share",
        isa=op.inst.form.isa,
    )


@trap("wgmma.commit_group")
def commit_group(ctx: TrapContext, op: Op) -> Outcome:
    group = ctx.machine.unit(TensorCores).of(ctx, op)
    member = ctx.warp.index % _SIZE
    group.groups[member].append(group.issued[member])
    return DONE


@trap("wgmma.wait_group")
def wait_group(ctx: TrapContext, op: Op) -> Outcome:
    """Carries out what it waits for; blocks only while another warp of the warpgroup has not executed it yet."""
    machine = ctx.machine
    group = machine.unit(TensorCores).of(ctx, op)
    commits = group.groups[ctx.warp.index % _SIZE]
    excess = len(commits) - pending(ctx)
    if excess <= 0:
        return DONE
    target = commits[excess - 1]
    engine = machine.unit(Engine)
    while group.first < target:
        product = group.products[0]
        if product.operation is None:
            return Blocked(on=group)
        engine.advance(product.operation)
        group.done_clock = max(group.done_clock, product.end)
        group.products.popleft()
        group.first += 1
    for _ in range(excess):
        commits.popleft()
    machine.unit(Timeline).wait(ctx.warp, group.done_clock, "wgmma wait", ctx.op)
    return DONE
