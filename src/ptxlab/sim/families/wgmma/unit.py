"""wgmma: matrix products of a warpgroup in the background.

Each warp that executes a wgmma joins the warpgroup's next product; when the fourth has joined, it is issued. Products of a
warpgroup are carried out in order. Shared memory and registers are read when that happens, so a buffer overwritten too early, or an
accumulator touched before its wait, shows the worst result that a chip could give.

Where products are carried out at issue, only the fourth warp traps, and without observers only with a product that compiled code
does not know yet (families/wgmma/meaning.py): what the others have joined is in the state of the warpgroup.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.effects import AsyncMma
from ptxlab.layout.matrix_descriptor import MatrixDescriptor
from ptxlab.ptx.flights import product_registers
from ptxlab.ptx.flow import Reach, branch_kind, graph_of
from ptxlab.ptx.uses import touched
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block
from ptxlab.sim.engine.decoded.decode import FLIGHT
from ptxlab.sim.engine.machine.faults import counted, outside_shared, shared_name
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.operation import Footprints, Operation, Stage
from ptxlab.sim.engine.machine.trap import DONE, Blocked, Outcome, Unit, Waiting, trap, unit
from ptxlab.sim.engine.units.events import Engine, located
from ptxlab.sim.engine.units.groups import kind_of
from ptxlab.sim.engine.units.operands import ALL_LANES, pending, predicate, shared_by_lanes
from ptxlab.sim.engine.units.place import Place as SharedPlace
from ptxlab.sim.engine.units.place import check_converged
from ptxlab.sim.engine.units.touches import Runs, in_shared, joined, proxy_of
from ptxlab.sim.engine.units.trace import MMA_PRODUCTS, Timeline
from ptxlab.sim.families.bulk.tile_layouts import TileLayouts
from ptxlab.sim.families.wgmma.arithmetic import Math, Place
from ptxlab.sim.families.wgmma.meaning import PRODUCTS
from ptxlab.sim.families.wgmma.plan import BITS, OperandIndex, Plan, Types, make_plan
from ptxlab.sim.families.wgmma.ready import Ready, forget, know
from ptxlab.sim.families.wgmma.residues import math_of
from ptxlab.sim.families.wgmma.swizzles import Layouts
from ptxlab.sim.families.wgmma.twice import Twice

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

_DESCRIPTOR_HELP = "check the descriptor's address, leading and stride byte offsets (each in units of 16 bytes)"
_WAIT_HELP = (
    "put wgmma.commit_group behind the product and wgmma.wait_group in front of this; products may run one by one now"
)
_USED = "the product is complete there only because ptxas adds a wait, or takes a copy"
_CHANGED = (
    "the product is complete there, but on a chip the change may be lost where the next product comes without a wait"
)
_CHANGED_A = "in a loop, a chip multiplies by the new values where it has not read the old ones yet"
_RANK_HELP = "; within a cluster an address carries the CTA's rank from bit 24 up: make it `(address & 0x3FFFF) >> 4`"


class Product:
    """One wgmma.mma_async of a warpgroup, from the first warp that executes it on."""

    __slots__ = ("accumulate", "descriptors", "end", "op", "operation", "plan")

    def __init__(self, op: Op, plan: Plan, descriptors: tuple[int, int], accumulate: bool) -> None:
        self.op, self.plan, self.descriptors, self.accumulate = op, plan, descriptors, accumulate
        self.operation: Operation | None = None
        self.end = 0


class Warpgroup:
    """Four consecutive warps and their products.

    Attributes:
        products: those not yet complete, oldest first; `first` is the number of the oldest.
        state: in native memory: how many products each warp has executed, and how many before its latest commits.
        clock, done_clock: logical time of the latest issue, and of the end of the latest product waited for.
        operations: for observers, those that some warp has yet to wait for, by number.
    """

    def __init__(self, cta: Cta, index: int) -> None:
        self.cta, self.index = cta, index
        self.warps = cta.warps[F.P_WARPS * index : F.P_WARPS * (index + 1)]
        self.place = Place(cta.shared, self.warps)
        self.state = Block(cta.slot.products[index * F.GROUP_BYTES : (index + 1) * F.GROUP_BYTES])
        self._issued = memoryview(self.state.u32[F.P_ISSUED // 4 : F.P_ISSUED // 4 + F.P_WARPS])  # type: ignore[arg-type]
        self._words = memoryview(self.state.u32)  # type: ignore[arg-type]
        self.products: deque[Product] = deque()
        self.last: Operation | None = None
        self.clock = 0
        self.done_clock = 0
        self._waited = [0] * F.P_WARPS
        self.operations: dict[int, Operation] = {}
        self._observed = [0] * F.P_WARPS

    def waited(self, member: int, target: int) -> list[tuple[Operation, int]]:
        """The operations before number `target` that a warp has waited for now, and had not before."""
        found = [(self.operations[n], ALL_LANES) for n in range(self._observed[member], target)]
        before, self._observed[member] = min(self._observed), max(self._observed[member], target)
        for number in range(before, min(self._observed)):
            del self.operations[number]
        return found

    @property
    def issued(self) -> list[int]:
        """How many products each warp has executed."""
        return self._issued.tolist()

    @property
    def first(self) -> int:
        """The number of the oldest product that is not complete."""
        return self._words[F.P_DONE // 4]

    def join(self, product: Product) -> None:
        """Hold one more product."""
        self.products.append(product)
        self._words[F.P_HELD // 4] = len(self.products)

    def complete(self) -> None:
        """The oldest product is complete."""
        self.products.popleft()
        self._words[F.P_HELD // 4] = len(self.products)
        self._words[F.P_DONE // 4] = self.first + 1

    def rouse(self) -> None:
        """A product has been carried out: warps that wait without Python look again."""
        sleeping = self._words[F.P_SLEEPING // 4]
        if sleeping:
            self._words[F.P_SLEEPING // 4] = 0
            block = self.cta.block
            block.set(F.C_RUNNABLE, block.get(F.C_RUNNABLE) | sleeping << F.P_WARPS * self.index)
            for member, warp in enumerate(self.warps):
                if sleeping >> member & 1:
                    warp.frame.set(F.F_WAITING, 0)

    def commit(self, member: int) -> None:
        """Note how many products a warp has executed."""
        commits = self.state.get(F.P_COMMITTED + 4 * member)
        self.state.set(_commit_at(member, commits), self.state.get(F.P_ISSUED + 4 * member))
        self.state.set(F.P_COMMITTED + 4 * member, commits + 1)

    def target(self, member: int, left: int) -> int:
        """How many products must be complete where so many groups of a warp may be pending."""
        commits = self.state.get(F.P_COMMITTED + 4 * member)
        return self.state.get(_commit_at(member, commits - left - 1)) if commits > left else 0

    def waits(self, member: int, left: int) -> bool:
        """Whether a warp that leaves so many groups pending has not waited for the others before; it has then."""
        before, now = self._waited[member], self.state.get(F.P_COMMITTED + 4 * member) - left
        self._waited[member] = max(before, now)
        return now > before


def _commit_at(member: int, number: int) -> int:
    """Where the state of a warpgroup has a commit of a warp."""
    return F.P_COMMITS + 4 * (member * F.P_WINDOW + number % F.P_WINDOW)


@unit
class TensorCores(Unit):
    """The warpgroups of all resident CTAs."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.groups: dict[tuple[Cta, int], Warpgroup] = {}
        self.plans: dict[int, tuple[Op, Plan]] = {}
        self.joins = machine.env.get64(F.E_JOINS) != 0
        self._ready = Ready(machine.env) if self.joins else None  # stays empty where somebody watches
        self._math: Callable[[Types], Math] = cache(math_of)  # each with buffers of its own
        self._reported: set[int] = set()

    @property
    def native(self) -> bool:
        """Whether products are carried out at issue, and no observer has to be notified of each."""
        return self.machine.env.get64(F.E_PRODUCTS) != 0

    def of(self, ctx: TrapContext, op: Op) -> Warpgroup:
        """The warpgroup of the executing warp. Raises: Diagnostic PTX9130, PTX9131."""
        check_converged(ctx, op)
        found = self.group(ctx.cta, ctx.warp.index // F.P_WARPS)
        if len(found.warps) < F.P_WARPS:
            words = f"`{op.inst.opcode}` needs a warpgroup, but warp {ctx.warp.index} begins one of {len(found.warps)} warps"
            raise Diagnostic("PTX9131", words, help="launch a multiple of 128 threads per CTA", isa=op.inst.form.isa)
        return found

    def _group(self, cta: Cta, index: int) -> Warpgroup:
        found = self.groups.get((cta, index))
        if found is None:
            found = self.groups[cta, index] = Warpgroup(cta, index)
        return found

    def group(self, cta: Cta, index: int) -> Warpgroup:
        """A warpgroup, with the products that warps have joined without coming here."""
        found = self._group(cta, index)
        state = found.state
        for number in range(found.first + len(found.products), max(found.issued)):
            entry = F.P_RING + number % F.P_WINDOW * F.P_BYTES
            op = self.machine.image.op_at(state.get(entry + F.P_PC))
            descriptors = state.get64(entry + F.P_A), state.get64(entry + F.P_B)
            accumulate = bool(state.get(entry + F.P_ACCUMULATE))
            found.join(Product(op, self.plan(op), descriptors, accumulate))
        return found

    def cta_started(self, cta: Cta) -> None:
        cta.slot.products[:] = 0

    def plan(self, op: Op) -> Plan:
        """The plan of an instruction."""
        found = self.plans.get(id(op))
        if found is None:
            found = self.plans[id(op)] = (op, make_plan(self.machine, op))
        return found[1]

    def issue(self, group: Warpgroup, product: Product) -> None:
        """All four warps have executed it."""
        self._check_operands(group.cta, product)
        key, number = (group.cta, group.index), min(group.issued)
        self.machine.unit(Twice).look(key, number, product.op, product.plan, product.descriptors, product.accumulate)
        if self.native:
            if self.machine.hooks.issued:
                operation = _operation(group, product, lambda _: None)
                for hook in self.machine.hooks.issued:
                    hook(operation)
            self._remember(group, product)
            self._carry_out(group, product)
            group.complete()
            group.rouse()
            self.machine.wake(product)
            return
        machine, cta, plan = self.machine, group.cta, product.plan
        timeline = machine.unit(Timeline)
        products = 64 * plan.types.n * plan.types.k  # a sparse A has half of the elements, in half of the time
        length, facts = products // MMA_PRODUCTS, timeline.facts(product.op)
        product.end = timeline.occupy(
            cta, "tensor cores", plan.name, "mma", begin=group.clock, length=length, args=facts
        )
        before = group.last if group.last is not None and group.last.stage < Stage.COMPLETE else None
        product.operation = group.last = _operation(group, product, lambda _: self._carry_out(group, product), before)
        if machine.hooks.waited:
            group.operations[min(group.issued) - 1] = product.operation
        machine.unit(Engine).issue(product.operation, cta.rank << 16 | 0xF000 | group.index)
        if self.joins:  # it is carried out already, and warps may wait for it without coming here
            group.done_clock = max(group.done_clock, product.end)
            group.complete()
            group.rouse()
        machine.wake(group)

    def _carry_out(self, group: Warpgroup, product: Product) -> None:
        plan, place = product.plan, group.place
        math, operands = self._math(plan.types), plan.operands(product.descriptors)
        math.load_a(plan, place, operands.a)
        math.load_b(plan, place, operands.b)
        math.run(plan, place, product.accumulate)

    def _remember(self, group: Warpgroup, product: Product) -> None:
        """Let compiled code carry out the oldest product of a warpgroup the next time."""
        ready, layouts, op, plan = self._ready, self.machine.unit(Layouts), product.op, product.plan
        assert ready is not None
        if plan.types.coded:
            return
        a, b = product.descriptors
        if not (layouts.known(group.cta, b, op) and (plan.a_index is not None or layouts.known(group.cta, a, op))):
            return
        if ready.full:
            ready.clear()
            for one in self.groups.values():
                forget(one.state)
        pc = group.state.get(F.P_RING + group.first % F.P_WINDOW * F.P_BYTES + F.P_PC)
        key = (pc, a, b, int(product.accumulate))
        operands = plan.operands(product.descriptors)
        runs = [_runs(found, BITS[plan.types.a]) if found else None for found in operands] if ready.judged else []
        place = ready.enter(key, plan, self._math(plan.types), operands, runs)
        if place is not None:
            know(group.state, place)

    def finish(self, cta: Cta, index: int) -> bool:
        """Work out the results that compiled code has left to Python in a product of a warpgroup; False where there are none."""
        state = self._group(cta, index).state
        place = state.get(F.P_FLAGGED) - 1
        if place < 0 or self._ready is None:
            return False
        state.set(F.P_FLAGGED, 0)
        plan, math = self._ready.at(place)
        group = self.groups[cta, index]
        math.repair_ready(plan, group.warps)
        state.set(F.P_DONE, state.get(F.P_DONE) + 1)
        group.rouse()
        return True

    def _check_operands(self, cta: Cta, product: Product) -> None:
        """Bounds, and layouts that copies and descriptors disagree on. Raises: Diagnostic PTX9122."""
        a, b = product.plan.operands(product.descriptors)
        self._check_operand(cta, product, "B", b)
        if a is not None:
            self._check_operand(cta, product, "A", a)

    def _check_operand(self, cta: Cta, product: Product, name: str, found: OperandIndex) -> None:
        descriptor, op = product.descriptors[name == "B"], product.op
        if found.begin < 0 or found.end > len(cta.shared):
            where = f"{counted(found.end - found.begin)} at {shared_name(cta.machine, found.begin)}"
            outside = outside_shared(cta, found.begin, found.end - found.begin)
            words = f"operand {name} of `{op.inst.opcode}` (descriptor {descriptor:#018x}): {where} {outside}"
            help_ = _DESCRIPTOR_HELP + (_RANK_HELP if cta.rank else "")
            raise located(Diagnostic("PTX9122", words, help=help_, isa="Matrix Descriptor Format"), op)
        layouts = self.machine.unit(Layouts)
        if not layouts.known(cta, descriptor, op):
            layouts.check(cta, descriptor, (found.begin, found.end), name, op)
        tiles = self.machine.unit(TileLayouts)
        if tiles.watched:
            tiles.read(op, SharedPlace(cta, found.begin), MatrixDescriptor.decode(descriptor).swizzle)

    def complete(self, group: Warpgroup, member: int, target: int) -> Blocked | None:
        """Carry out all products before number `target`, for which a warp waits. Returns what it has to wait for first, if any."""
        engine = self.machine.unit(Engine)
        while group.first < target:
            product = group.products[0]
            if product.operation is None:
                return Blocked(on=group.products[target - 1 - group.first] if self.native else group)
            engine.advance(product.operation)
            group.done_clock = max(group.done_clock, product.end)
            group.complete()
        at = F.P_WAITED + 4 * member
        group.state.set(at, max(group.state.get(at), target))
        return None

    def has_waited(self, warp: Warp, target: int) -> None:
        """Notify observers that a warp has waited, in machine code or here, for the products before number `target`."""
        group = self._group(warp.cta, warp.index // F.P_WARPS)
        found = group.waited(warp.index % F.P_WARPS, target)
        for hook in self.machine.hooks.waited if found else ():
            hook(warp, found, Stage.COMPLETE)

    def in_the_way(self, group: Warpgroup, member: int, op: Op) -> tuple[int, Op | None]:
        """How many products must be complete before a warp executes an instruction, and the latest of them, if it is known."""
        issued = group.state.get(F.P_ISSUED + 4 * member)
        for number in range(issued - 1, group.state.get(F.P_WAITED + 4 * member) - 1, -1):
            product = self._product(group, number)
            if product is None or self._uses(op, product):
                return number + 1, product
        return 0, None

    def _product(self, group: Warpgroup, number: int) -> Op | None:
        """The instruction of a product; None for one that has been forgotten."""
        if number >= group.first:
            return group.products[number - group.first].op
        entry = F.P_RING + number % F.P_WINDOW * F.P_BYTES
        known = group.state.get(entry + F.P_NUMBER) == number + 1
        return self.machine.image.op_at(group.state.get(entry + F.P_PC)) if known else None

    def _uses(self, op: Op, product: Op) -> bool:
        """Whether an instruction has to wait for a product: it uses what that writes, or changes what it reads."""
        written, read = map(set, product_registers(product))
        if isinstance(op.inst.form.effect, AsyncMma):
            return bool(written & set(product_registers(op)[1]))
        if branch_kind(op) is not None:
            return True
        reads, writes = touched(op)
        return bool(written.intersection(reads) or (written | read).intersection(writes))

    def report(self, op: Op, product: Op | None) -> None:
        """Report, once for an instruction, that it uses registers of a product that is not over.

        ptxas adds a wait where accumulators are used. Where A is changed it renames registers, which it cannot in a loop, unless
        there are calls, where it lets products run one by one.
        """
        if id(op) in self._reported:
            return
        self._reported.add(id(op))
        name, what, why, severity = "wgmma.mma_async", "uses registers", _USED, Severity.WARNING
        other, other_origin = (product.span, product.origin) if product is not None else (None, None)
        if product is not None:
            name, changed, (written, read) = product.inst.opcode, set(touched(op)[1]), product_registers(product)
            if changed.intersection(written):
                what, why = "changes accumulators", _CHANGED
            elif changed.intersection(read) and self._in_a_loop(op, product):
                what, why, severity = "changes registers of A", _CHANGED_A, Severity.ERROR
        words = f"`{op.inst.opcode}` {what} of a `{name}` that has not been waited for: {why}"
        found = Diagnostic("PTX9133", words, help=_WAIT_HELP, isa="wgmma.mma_async", severity=severity)
        found.other, found.other_origin = other, other_origin
        self.machine.report.findings.append(located(found, op))

    def _in_a_loop(self, op: Op, product: Op) -> bool:
        """Whether each of two instructions may come behind the other, in a program without calls."""
        program = self.machine.record.program
        if any(branch_kind(one) == "call" for one in program.ops):
            return False
        numbers = {id(one): i for i, one in enumerate(program.ops)}
        both, reach = (numbers.get(id(op)), numbers.get(id(product))), Reach(graph_of(program))
        first, second = both
        return first is None or second is None or (reach.before([first], second) and reach.before([second], first))

    def cluster_finished(self, cluster: Cluster) -> None:
        for key in [k for k in self.groups if k[0].cluster is cluster]:
            del self.groups[key]

    def deadlock_notes(self) -> list[Waiting]:
        out: list[Waiting] = []
        ctas = [cta for cluster in self.machine.resident for cta in cluster.ctas]
        for group in [self.group(cta, i) for cta in ctas for i in range(len(cta.warps) // F.P_WARPS)]:
            for number, product in enumerate(group.products, group.first):
                if product.operation is None:
                    late = [done <= number for done in group.issued]
                    missing = [str(w.index) for w, is_late in zip(group.warps, late, strict=True) if is_late]
                    note = (
                        f"{cta_name(group.cta)} warpgroup {group.index}: `{product.op.inst.opcode}` waits for "
                        f"warp{'s' if len(missing) > 1 else ''} {', '.join(missing)} to execute it"
                    )
                    out.append(Waiting(group.warps[late.index(False)], note, meets=True))
                    break
        return out


def _operation(
    group: Warpgroup, product: Product, write: Callable[[None], None], after: Operation | None = None
) -> Operation:
    """A product in the background. Operands are decoded into buffers that others use too: reading and adding are one event."""
    touches = (_touched, group.cta, product.op, product.plan, product.descriptors)
    warps = tuple(group.warps)
    return Operation(warps[0], ALL_LANES, product.op, lambda: None, write, after=after, touches=touches, group=warps)


@lru_cache(maxsize=512)
def _runs(found: OperandIndex, bits: int) -> Runs:
    starts, nbytes = joined(found.index * (bits // 8), bits // 8)
    starts.flags.writeable = nbytes.flags.writeable = False  # observers may keep what they find out about them
    return starts, nbytes


def _touched(cta: Cta, op: Op, plan: Plan, descriptors: tuple[int, int]) -> tuple[Footprints, Footprints]:
    """The operands in shared memory. It writes registers alone."""
    proxy, bits = proxy_of(op), BITS[plan.types.a]
    parts = [in_shared(cta, _runs(found, bits), proxy) for found in plan.operands(descriptors) if found]
    return tuple(p for some in parts for p in some), ()


def _uniform_bits(ctx: TrapContext, name: str) -> int:
    """A 64-bit value that all lanes of the warp must share. Raises: Diagnostic PTX9132."""
    value = shared_by_lanes(ctx, name)
    if value is None:
        words = f"operand `{name}` of `{ctx.op.inst.opcode}` differs between the lanes of warp {ctx.warp.index}"
        help_ = "compute matrix descriptors from values that all threads of the warpgroup share"
        raise Diagnostic("PTX9132", words, help=help_, isa=ctx.op.inst.form.isa)
    return value


@trap(*PRODUCTS)
def mma_async(ctx: TrapContext, op: Op) -> Outcome:
    cores = ctx.machine.unit(TensorCores)
    member = ctx.warp.index % F.P_WARPS
    if cores.native and cores.finish(ctx.cta, ctx.warp.index // F.P_WARPS):
        state = cores.groups[ctx.cta, ctx.warp.index // F.P_WARPS].state
        state.set(F.P_ISSUED + 4 * member, state.get(F.P_ISSUED + 4 * member) + 1)
        return DONE
    group = cores.of(ctx, op)
    number = group.state.get(F.P_ISSUED + 4 * member)
    if group.state.get(F.P_AGREED) != number + 1 or not cores.joins:
        _join(ctx, op, group, number)
    group.state.set(F.P_ISSUED + 4 * member, number + 1)
    group.clock = max(group.clock, ctx.machine.unit(Timeline).now(ctx.warp))
    if min(group.issued) > number:
        cores.issue(group, group.products[number - group.first])
    return DONE


def _join(ctx: TrapContext, op: Op, group: Warpgroup, number: int) -> None:
    """The warp executes product `number` of its warpgroup. Raises: Diagnostic PTX9131, PTX9132 where others execute another."""
    plan = ctx.machine.unit(TensorCores).plan(op)
    a = 0 if plan.a_index is not None else _uniform_bits(ctx, "a")
    descriptors = (a, _uniform_bits(ctx, "b"))
    accumulate = predicate(ctx, "scale_d", 0)
    if number == group.first + len(group.products):
        group.join(Product(op, plan, descriptors, accumulate))
        entry = F.P_RING + number % F.P_WINDOW * F.P_BYTES
        group.state.set(entry + F.P_NUMBER, number + 1)
        group.state.set(entry + F.P_PC, ctx.warp.frame.get(F.F_TRAP_PC))
    product = group.products[number - group.first]
    if product.op is not op:
        other = f"`{product.op.inst.opcode}`" + (f" at {product.op.span}" if product.op.span else "")
        words = (
            f"warp {ctx.warp.index} executes `{op.inst.opcode}` where another warp of its warpgroup executes {other}"
        )
        help_ = "all four warps of a warpgroup must run through the same wgmma instructions in the same order"
        raise Diagnostic("PTX9131", words, help=help_, isa=op.inst.form.isa)
    if product.descriptors != descriptors or product.accumulate != accumulate:
        words = (
            f"warp {ctx.warp.index} gives `{op.inst.opcode}` other descriptors or another scale-d than its warpgroup"
        )
        help_ = "compute them from values that all threads of the warpgroup share"
        raise Diagnostic("PTX9132", words, help=help_, isa=op.inst.form.isa)


@trap("wgmma.commit_group")
def commit_group(ctx: TrapContext, op: Op) -> Outcome:
    """Compiled code does it, unless something keeps the warp from it, or somebody watches. Raises: Diagnostic PTX9130, PTX9131."""
    group, member = ctx.machine.unit(TensorCores).of(ctx, op), ctx.warp.index % F.P_WARPS
    group.commit(member)
    for hook in ctx.machine.hooks.committed:
        hook(ctx.warp, ctx.mask, kind_of(op))
    return DONE


@trap("wgmma.wait_group")
def wait_group(ctx: TrapContext, op: Op) -> Outcome:
    """Carries out what it waits for; blocks only while another warp of the warpgroup has not executed it yet."""
    cores = ctx.machine.unit(TensorCores)
    group = cores.of(ctx, op)
    member, left = ctx.warp.index % F.P_WARPS, pending(ctx)
    target = group.target(member, left)
    blocked = cores.complete(group, member, target)
    if blocked is not None:
        return blocked
    if ctx.machine.hooks.waited and not cores.native:
        cores.has_waited(ctx.warp, target)
    if group.waits(member, left):
        ctx.machine.unit(Timeline).wait(ctx.warp, group.done_clock, "wgmma wait", ctx.op)
    return DONE


@trap(FLIGHT.key)
def flight(ctx: TrapContext, op: Op) -> Outcome:
    """The next instruction uses registers of products in flight: they are completed first, as ptxas makes the kernel wait."""
    cores = ctx.machine.unit(TensorCores)
    group, member = cores.group(ctx.cta, ctx.warp.index // F.P_WARPS), ctx.warp.index % F.P_WARPS
    target, product = cores.in_the_way(group, member, op)
    if product is None and not target:
        return DONE
    cores.report(op, product)
    blocked = cores.complete(group, member, target)
    if blocked is None:
        ctx.machine.unit(Timeline).wait(ctx.warp, group.done_clock, "wgmma wait", ctx.op)
    return blocked or DONE


def products_waited(machine: MachineLike, warp: Warp, target: int) -> None:
    """A warp has waited in machine code for the products before number `target`: notify observers."""
    machine.unit(TensorCores).has_waited(warp, target)
