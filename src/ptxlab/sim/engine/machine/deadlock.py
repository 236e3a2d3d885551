"""Launches that cannot end, in words: who waits for what, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access
from ptxlab.isa.operands import Addr, Imm, Label, Reg, Symbol
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, LOCAL_WINDOW, WINDOW_SHIFT, offset_of, rank_of
from ptxlab.sim.engine.decoded.polls import asks
from ptxlab.sim.engine.machine.faults import local_name, name_of, shared_name
from ptxlab.sim.engine.machine.naming import warps_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cta, Warp

MOST = 8
"""Waiting groups that a report names."""


@dataclass(frozen=True, slots=True)
class Waiter:
    """Somebody who waits, in words, and the instruction where that is. `meets`, `unseen`: see `Waiting`."""

    op: Op
    words: str
    meets: bool = False
    unseen: str = ""

    @property
    def note(self) -> str:
        """The words, and where that is."""
        return f"{self.words} ({place})" if (place := where(self.op)) else self.words


def deadlock(machine: MachineLike) -> Diagnostic:
    """Nothing can run and nothing is pending."""
    words = "the launch is deadlocked: every thread waits, and nothing is under way that could end a wait"
    return _report("PTX9100", words, _waiters(machine), _first_parked(machine))


def _waiters(machine: MachineLike) -> list[Waiter]:
    """All who wait. Last come those who wait for others to meet them: these are kept from it where they wait themselves."""
    found = [*_of_units(machine), *_parked(machine), *_at_barriers(machine)]
    return sorted(found, key=lambda w: w.meets)


def hang(machine: MachineLike, stuck: Sequence[Warp], *, waiting: bool) -> Diagnostic:
    """Who can run only asks over and over for what nobody will change. `waiting`: there are CTAs that cannot start."""
    waiters = [*_asking(machine, stuck), *_waiters(machine)]
    unseen = [w for w in waiters if w.unseen]
    if unseen:
        words = "the launch hangs: its threads ask over and over, and what others have changed never shows to them"
        others = [w for w in waiters if not w.unseen and all(w.op is not u.op for u in unseen)]
        return _report("PTX9101", words, [*unseen, *others], help_=unseen[0].unseen)
    if not waiting:
        asking = any(asks(w.op) for w in waiters)
        words = (
            "ask over and over for what no other thread will change"
            if asking
            else "loop without end and change nothing"
        )
        return _report("PTX9101", f"the launch hangs: its threads {words}", waiters)
    grid, held = machine.record.ctas, machine.residency.count * machine.record.ctas_per_cluster
    registers = machine.residency.registers
    size = f" with {registers} registers a thread" if registers is not None else ""
    clusters = f" in clusters of {machine.record.ctas_per_cluster}" if machine.record.ctas_per_cluster > 1 else ""
    words = (
        f"the launch hangs: grid of {grid} CTAs{clusters}, {held} fit{size}: none of them ends before the others start"
    )
    help_ = f"launch {held} CTAs and let each do the work of several; cooperative=True refuses a grid that does not fit"
    return _report("PTX9101", words, waiters, help_=help_)


def _report(
    code: str, words: str, waiters: Sequence[Waiter], first: Op | None = None, help_: str | None = None
) -> Diagnostic:
    """The place is that of the first who is named."""
    op = waiters[0].op if waiters else first
    apart = len({id(w.op) for w in waiters}) > 1
    notes = list(dict.fromkeys(w.note if apart else w.words for w in waiters))
    more = len(notes) - MOST
    return Diagnostic(
        code,
        words,
        help=help_,
        span=op.span if op is not None else None,
        origin=op.origin if op is not None else None,
        notes=(*notes[:MOST], *((f"and {more} more",) if more > 0 else ())),
    )


class Asker(Waiter):
    """Somebody who asks in vain; the words say where."""

    @property
    def note(self) -> str:
        return self.words


# --- who waits --------------------------------------------------------------------------------------------------------
def _parked(machine: MachineLike) -> list[Waiter]:
    """Lanes that a trap has parked, where it says why."""
    out: list[Waiter] = []
    for groups in machine.parked.values():
        for group in groups:
            if group.why:
                words = f"CTA {group.warp.cta.coordinates} warp {group.warp.index} {group.why}"
                out.append(Waiter(machine.image.op_at(group.pc), words))
    return out


def _at_barriers(machine: MachineLike) -> list[Waiter]:
    """Warps at a barrier of their CTA; those of a CTA that wait at the same place, together, and CTAs where it is alike."""
    alike: dict[tuple[int, int, tuple[int, ...]], list[Warp]] = {}
    for cta in (cta for cluster in machine.resident for cta in cluster.ctas):
        together: dict[tuple[int, int], list[Warp]] = {}
        for warp in cta.warps:
            if warp.frame.get(F.F_BARRIER):
                together.setdefault((_pc(warp), warp.frame.get(F.F_BARRIER) - 1), []).append(warp)
        for (pc, number), warps in together.items():
            alike.setdefault((pc, number, tuple(w.index for w in warps)), []).append(warps[0])
    out: list[Waiter] = []
    for (pc, number, indices), firsts in alike.items():
        others = f" and the same of {len(firsts) - 1} more CTAs" if len(firsts) > 1 else ""
        who = f"CTA {firsts[0].cta.coordinates} {warps_text(list(indices))}{others}"
        wait = "waits" if len(indices) == len(firsts) == 1 else "wait"
        come, wanted, may = _counts(firsts[0].cta, number)
        words = f"{who} {wait} at barrier {number} of the CTA, to which {come} of {wanted} threads have come"
        out.append(Waiter(machine.image.op_at(pc), words, meets=may))
    return out


def _counts(cta: Cta, number: int) -> tuple[int, int, bool]:
    """Threads that have come to a barrier, those that it waits for, and whether enough of them live that may still come."""
    block, at = cta.block, F.C_BARRIERS + number * F.BARRIER_BYTES
    alive = block.get(F.C_ALIVE)
    come, wanted = block.get(at + F.B_ARRIVED), block.get(at + F.B_EXPECTED) or 32 * alive.bit_count()
    elsewhere = (alive & ~block.get(at + F.B_WAITERS)).bit_count()
    return come, wanted, come + 32 * elsewhere >= wanted


def _of_units(machine: MachineLike) -> list[Waiter]:
    """What the units know of those who wait."""
    groups = [group for groups in machine.parked.values() for group in groups]
    at = {(id(group.warp), mask): group.pc for group in groups for mask in (0, group.mask)}
    return [
        Waiter(w.op or machine.image.op_at(at.get((id(w.warp), w.mask), _pc(w.warp))), w.words, w.meets, w.unseen)
        for unit in machine.units
        for w in unit.deadlock_notes()
    ]


def _first_parked(machine: MachineLike) -> Op | None:
    return next((machine.image.op_at(g.pc) for groups in machine.parked.values() for g in groups), None)


def _pc(warp: Warp) -> int:
    """Where the first living lane stands."""
    return int(warp.frame.u32[_lane(warp.frame.get(F.F_ALIVE))])


def _lane(mask: int) -> int:
    return (mask & -mask).bit_length() - 1 if mask else 0


# --- who asks in vain ---------------------------------------------------------------------------------------------------
def _asking(machine: MachineLike, stuck: Sequence[Warp]) -> list[Waiter]:
    """Warps that go round in circles; those that ask for the same at the same place, together."""
    together: dict[tuple[int, str], list[Warp]] = {}
    ops: dict[int, Op] = {}
    for warp in stuck:
        ready = warp.frame.get(F.F_ALIVE) & ~(warp.frame.get(F.F_WAITING) | warp.frame.get(F.F_SYNC))
        for lane in one_of_each_place(warp, ready):
            op = question(machine, int(warp.frame.u32[lane]))
            ops[id(op)] = op
            together.setdefault((id(op), reads(machine, warp, lane, op)), []).append(warp)
    out: list[Waiter] = []
    for (key, read), warps in together.items():
        op, first = ops[key], warps[0]
        line = _line(op)
        more = len(warps) - 1
        many = f" and {more} more warp{'s' if more > 1 else ''} loop" if more else " loops"
        who = f"CTA {first.cta.coordinates} warp {first.index}{many}"
        out.append(Asker(op, f"{who}{line}: `{op.text}`{read}"))
    return out


def where(op: Op) -> str:
    """The place of an instruction: in the source behind it, where that is known."""
    if op.origin is not None:
        return op.origin.shown
    return f"line {op.span.line}" if op.span is not None else ""


def _line(op: Op) -> str:
    if op.span is not None:
        return f" in line {op.span.line}"
    return f" in {op.origin.shown}" if op.origin is not None else ""


def one_of_each_place(warp: Warp, mask: int) -> list[int]:
    """The lowest lane of each group that stands together."""
    found: dict[int, int] = {}
    for lane in range(F.LANES):
        if mask >> lane & 1:
            found.setdefault(int(warp.frame.u32[lane]), lane)
    return list(found.values())


def question(machine: MachineLike, pc: int) -> Op:
    """The instruction of a loop that asks, given where it was found."""
    here = machine.image.op_from(pc)
    program = machine.record.program
    for routine in (*program.functions, program):
        for index, op in enumerate(routine.ops):
            if op is here:
                body = _loop(routine.ops, routine.labels, index)
                loads = (
                    o for o in body if isinstance(e := o.inst.form.effect, Access) and e.kind in ("load", "atomic")
                )
                return next((o for o in body if asks(o)), None) or next(loads, here)
    return here


def _loop(ops: Sequence[Op], labels: dict[str, int], index: int) -> Sequence[Op]:
    """The smallest loop around an instruction, as it stands in the text."""
    best: range | None = None
    for end in range(index, len(ops)):
        for operand in ops[end].inst.operands.values():
            begin = labels.get(operand.name, end + 1) if isinstance(operand, Label) else end + 1
            if begin <= index and (best is None or end + 1 - begin < len(best)):
                best = range(begin, end + 1)
    return [ops[i] for i in best] if best is not None else [ops[index]]


def reads(machine: MachineLike, warp: Warp, lane: int, op: Op) -> str:
    """What an instruction reads, in words: " reads `flag + 0x4`, where 0x0 stands"."""
    for name, operand in op.inst.operands.items():
        if not isinstance(operand, Addr) or isinstance(operand.base, Imm):
            continue
        spec, base = op.inst.form.operands[name], operand.base
        size = spec.bytes.eval(op.inst) if spec.bytes is not None else None
        space = str(spec.space.eval(op.inst) if spec.space is not None else None)
        if isinstance(base, Symbol) and not (space.startswith("shared") or base.name in machine.record.variables):
            continue
        begin = int(warp.read_row(base)[lane]) if isinstance(base, Reg) else machine.symbol_address(base, warp.cta)
        at = begin + operand.offset & 0xFFFF_FFFF_FFFF_FFFF
        return f" reads {_place(machine, warp, at, space, size if isinstance(size, int) else 0)}"
    return ""


def _place(machine: MachineLike, warp: Warp, at: int, space: str, size: int) -> str:
    window = at >> WINDOW_SHIFT if space not in ("global", "const") else 0
    if space.startswith("shared") or window == 1:
        rank, offset = rank_of(at), offset_of(at)
        ctas = warp.cta.cluster.ctas
        owner = ctas[rank] if window == 1 or (space == "shared::cluster" and rank < len(ctas)) else warp.cta
        whose = f" of CTA {owner.coordinates}" if owner is not warp.cta else ""
        return f"{shared_name(machine, offset)}{whose}{_held(owner.shared[offset : offset + size])}"
    if space == "local" or window == LOCAL_WINDOW >> WINDOW_SHIFT:
        return local_name(machine, at & ADDRESS32)
    return f"{name_of(machine, at)}{_held(machine.global_view(at, size))}"


def _held(memory: object) -> str:
    raw = bytes(memory)  # type: ignore[call-overload]
    return f", where {int.from_bytes(raw, 'little'):#x} stands" if 0 < len(raw) <= 8 else ""
