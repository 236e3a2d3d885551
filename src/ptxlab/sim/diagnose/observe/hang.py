"""A look at a machine that seems not to get on: whether what runs can ever come to an end.

For a short time every instruction that might change anything but registers is watched. If none does, and every warp that can
run comes back to a state that it was in before (registers, program counters, masks, its local memory, the CTA's barriers),
then each of them will go on like that for ever: nothing that it reads changes any more. Whoever reads a clock is waited for.
Waits of limited time end meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from ptxlab.isa.effects import Access, Barrier, Branch, Group, Mbarrier
from ptxlab.isa.operands import Sreg
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler, Slot, fields_of
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.native import Block, allocate, functions
from ptxlab.sim.engine.decoded.accesses import addresses
from ptxlab.sim.engine.decoded.polls import COMPUTING
from ptxlab.sim.engine.machine import faults
from ptxlab.sim.engine.machine.observer import Look, Observed, Observer, Verdict
from ptxlab.sim.engine.machine.overlay import places_of
from ptxlab.sim.engine.machine.resident import Cta, Warp

SHORTEST = 32
"""Warp instructions of the shortest turn while the machine is watched."""
DOUBLINGS = 7
LOOKS = 4096
"""Looks at warps, all together, after which a verdict is given."""
FEWEST, MOST = 72, 192
"""Turns of every warp, at least and at most."""
LOOKS_OF_GROUP = 16
"""Turns in which every group of lanes of a warp surely gets its own, by number of groups."""
_EFFECT, _CLOCK = Handler("$effect"), Handler("$effect.clock")
_QUIET = (*COMPUTING, Group)


@dataclass(slots=True)
class _Track:
    """What a warp has been seen to do: when it was in a state first, how often it was looked at, and its groups of lanes."""

    clock: int
    seen: dict[int, int] = field(default_factory=dict[int, int])
    looks: int = 0
    groups: int = 1
    settled: bool = False

    def note(self, state: int, groups: int) -> None:
        """A look. With several groups of lanes, all of them must have run since the state was the same."""
        self.groups = max(self.groups, groups)
        first = self.seen.setdefault(state, self.looks)
        self.settled = self.looks - first >= (LOOKS_OF_GROUP * self.groups if self.groups > 1 else 1)
        self.looks += 1


class Watch(Observer):
    """Looks at a machine between two of its rounds."""

    def __init__(self) -> None:
        self._tracks: dict[Warp, _Track] = {}

    def attach(self, machine: Observed) -> None:
        self.machine = machine

    @cached_property
    def _block(self) -> Block:
        """What prologues note."""
        block = Block(allocate(F.W_BYTES))
        block.set64(F.W_VERIFY, functions().verify_at)
        return block

    @cached_property
    def _prologues(self) -> dict[Handler, list[int]]:
        """What stands in front of instructions while the machine is watched, and where."""
        image = self.machine.image
        logged = self.machine.overlay.has(Layer.COPIES)
        firsts = _first_ops(self.machine)
        wanted: dict[int, Handler] = {}
        for index, (op, handler) in enumerate(zip(image.ops, image.handlers, strict=True)):
            found = _watching(op, handler, first=index in firsts)
            if found is not None:
                wanted[image.starts[index]] = replace(found, logged=logged)
        return places_of(wanted)

    def look(self) -> Look:
        """Run all resident CTAs for a while and see what becomes of it. Whoever is stopped meanwhile has moved."""
        machine = self.machine
        if any(unit.pending() for unit in machine.units):
            return Look(Verdict.MOVES)
        machine.env.set64(F.E_WATCH, self._block.address)
        for offset in (F.W_EFFECTS, F.W_CLOCKS, F.W_LANES):
            self._block.set64(offset, 0)
        self._tracks.clear()
        machine.overlay.put(Layer.WATCH, self._prologues)
        try:
            return self._observe()
        finally:
            machine.overlay.lift(Layer.WATCH)

    def _observe(self) -> Look:
        machine = self.machine
        ctas = [cta for cluster in machine.resident for cta in cluster.ctas]
        turns = min(MOST, max(FEWEST, LOOKS // sum(len(cta.warps) for cta in ctas)))
        left: list[Warp] = []
        for number in range(turns):
            machine.pass_time(last=True)  # whose time is over goes on, and may wait again
            for cta in ctas:
                for warp in cta.warps:
                    if self._unsettled(warp):
                        self._turn(cta, warp, SHORTEST << number % DOUBLINGS)
                        if self._block.get64(F.W_EFFECTS):
                            return Look(Verdict.MOVES)
            left = [warp for cta in ctas for warp in cta.warps if self._unsettled(warp)]
            left += filter(self._moves, machine.timed)
            if not left or (number >= DOUBLINGS and self._block.get64(F.W_CLOCKS)):
                break
        if self._block.get64(F.W_CLOCKS):
            return Look(Verdict.TIME)
        timed = machine.timed
        stuck = [warp for cta in ctas for warp in cta.warps if _can_run(warp) or warp in timed]
        return Look(Verdict.MOVES) if left or not stuck else Look(Verdict.HANGS, stuck)

    def _unsettled(self, warp: Warp) -> bool:
        return _can_run(warp) and self._moves(warp)

    def _moves(self, warp: Warp) -> bool:
        track = self._tracks.get(warp)
        return track is None or not track.settled

    def _turn(self, cta: Cta, warp: Warp, length: int) -> None:
        """Let a warp run, and note the states of those of the CTA that have."""
        machine, native = self.machine, functions()
        before = [w.instructions for w in cta.warps]
        cta.block.set(F.C_NEXT, warp.index)
        for offset in (F.C_POLLED, F.C_PASSES):
            cta.block.set(offset, 0)
        machine.limit(length)
        status = native.cta(cta.block.address, machine.env.address)
        if status == F.FAULT:
            raise faults.fault(machine, cta)
        if status == F.TRAP:
            op = machine.image.op_at(cta.warps[cta.block.get(F.C_CURRENT)].frame.get(F.F_TRAP_PC))
            ran = machine.trap(cta)
            # a branch that traps is a call of the system: it prints, or allocates
            if not ran or not _passive(op) or isinstance(op.inst.form.effect, Branch):
                self._block.set64(F.W_EFFECTS, 1)
        native.verify(self._block.address)
        machine.has_run(cta)
        barriers = cta.block.bytes[F.C_BARRIERS :].tobytes()
        for other, count in zip(cta.warps, before, strict=True):
            if other.instructions != count or (other is warp and status == F.TRAP):
                track = self._tracks.setdefault(other, _Track(count))
                track.note(hash((_state(other), barriers)), _groups(other))


def _can_run(warp: Warp) -> bool:
    return bool(warp.cta.block.get(F.C_RUNNABLE) >> warp.index & 1)


_STATE_WORDS = np.array(
    [*range(F.F_PCS, F.F_MERGE, 4), F.F_BARRIER, F.F_RELEASED, F.F_BAR_AND, F.F_BAR_COUNT, F.F_CARRY]
)


def _state(warp: Warp) -> tuple[bytes, bytes, bytes]:
    """What a warp's further course depends on."""
    frame, slot = warp.frame, warp.cta.slot
    size = 32 * warp.machine.image.local_bytes
    local = slot.local[warp.index * size : (warp.index + 1) * size]
    return frame.u32[_STATE_WORDS // 4].tobytes(), frame.bytes[F.F_HEADER :].tobytes(), local.tobytes()


def _groups(warp: Warp) -> int:
    """Groups of lanes that stand at different places."""
    frame = warp.frame
    alive = frame.get(F.F_ALIVE)
    return len({int(frame.u32[lane]) for lane in range(F.LANES) if alive >> lane & 1})


def _first_ops(machine: Observed) -> frozenset[int]:
    """The first instruction of each function and of the kernel: a record that is not its own comes before its own."""
    program = machine.record.program
    lengths = [len(routine.ops) for routine in program.functions]
    return frozenset([0, *accumulate(lengths)])


def _passive(op: Op) -> bool:
    """Whether an instruction changes nothing but registers, where it is no store and no atomic."""
    effect = op.inst.form.effect
    if isinstance(effect, Mbarrier):
        return effect.kind in ("test_wait", "try_wait")
    if isinstance(effect, Barrier):
        return effect.scope in ("cta", "warp")
    if isinstance(effect, Access):
        return effect.kind == "load"
    return isinstance(effect, Branch) or type(effect) in _QUIET


def _by_itself(op: Op) -> bool:
    """Whether each thread writes one run of bytes at its own address."""
    form = op.inst.form
    effect = form.effect
    writes = isinstance(effect, Access) and effect.kind in ("store", "atomic") and effect.tensormap is None
    return writes and all(spec.extent is None for spec in form.operands.values())


def _watching(op: Op, handler: Handler, *, first: bool) -> Handler | None:
    """What stands in front of an instruction while the machine is watched; None for those that change registers alone."""
    if handler.traps:
        return None  # Python sees to it
    if any(isinstance(o, Sreg) and o.name in F.CLOCK_SREGS for o in op.inst.operands.values()):
        return _CLOCK
    if _passive(op):
        return None
    known = dict(addresses(op, handler))
    if first or len(known) != 1 or not _by_itself(op):
        return _EFFECT
    (name, size), *_ = known.items()
    slots = tuple(
        Slot(s.name, s.type, "r", s.shape) if s.name == name else Slot(s.name, "", "", ("i",) * fields_of(s.shape))
        for s in handler.slots
    )
    return Handler("$effect.write", (("bytes", str(size)),), slots)
