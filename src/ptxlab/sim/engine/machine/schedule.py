"""Who runs next, for how long, and which clusters are resident.

Clusters run one after the other, as long as each gets on by itself. One that waits for others, or does not end in a long
time, is joined by others: as many clusters as an H100 would hold at once, and never more. They take turns; one that polls
in vain for what others have to do loses its turn at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol, TypeVar

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine import deadlock
from ptxlab.sim.engine.machine.draws import draw
from ptxlab.sim.engine.machine.observer import Look, Observed, Turn, Verdict
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp

SLICE = 1 << 20
"""Warp instructions between two looks at Ctrl-C, the progress bar and the units."""
PATIENCE = 16
"""Slices after which other clusters become resident beside one that has not ended."""
LONE = 2
"""Slices after which a CTA that runs without Python is looked at in rounds."""
TURN = 1 << 16
"""Warp instructions after which another CTA, or another warp of the CTA, gets its turn."""
PASSES, PASSES_ALONE = 16, 1024
"""How often all warps of a CTA that can run poll in vain before its turn is over: two of them may answer each other. The second
is for a CTA that runs alone, which no other can help, and whose every question nobody watches in Python."""
QUIET = 128
"""Rounds in which everybody has asked in vain, after which the machine looks whether that can ever end."""
TURN_COST = 1 << 10
"""What a short turn costs, in warp instructions."""
FIRST_LOOK = 1 << 22
"""Warp instructions after which it looks for the first time at clusters that do not end; then whenever they have doubled."""
VAIN_WAITS = 2
"""How often all that could run have waited until their time was over, after which the machine looks whether they ever get on."""
SETTLES = 256
"""Rounds, at most, in which those that hang come back to where they wait."""
SHORTEST_WAIT = 1 << 16
"""What clocks are put forward by, at first, when only the passing of time can end a wait."""
Start = tuple[int, tuple[int, int, int]]
"""A cluster that is to begin: its index and coordinates."""
T = TypeVar("T")


class Starts:
    """The clusters that have not begun yet, in order.

    Args:
        parts: their indices, ascending. extents: clusters along x, y, z.
    """

    def __init__(self, parts: Sequence[range], extents: tuple[int, int, int]) -> None:
        self._parts = [part for part in reversed(parts) if part]
        self._extents = extents

    @property
    def left(self) -> bool:
        """Whether there are any."""
        return bool(self._parts)

    @property
    def first(self) -> Start:
        """The next one."""
        index, (x, y, _) = self._parts[-1].start, self._extents
        return index, (index % x, index // x % y, index // (x * y))

    @property
    def stretch(self) -> range:
        """The next ones whose indices follow each other."""
        return self._parts[-1]

    def skip(self, count: int) -> None:
        """So many of the stretch have begun."""
        rest = self._parts.pop()[count:]
        if rest:
            self._parts.append(rest)


class Schedulable(Observed, Protocol):
    """A machine as the scheduler drives it."""

    def admit(self, index: int, coordinates: tuple[int, int, int]) -> Cluster: ...
    def retire(self, cluster: Cluster) -> None: ...
    def gives_turn(self, cta: Cta) -> bool: ...
    def turn(self, cta: Cta, length: int, traps: int = ..., *, asks: int = ...) -> Turn: ...
    def progress(self, done: int) -> None: ...
    def look(self) -> Look | None: ...
    def hangs(self) -> None: ...
    def skip(self, time: int) -> None: ...
    def end_waits(self) -> None: ...


class Rounds:
    """Clusters that run side by side, in turns.

    Attributes:
        crowd: how many clusters may be resident now.
        quiet: rounds in a row in which nobody did anything but ask.
    """

    _shuffles = False
    """Whether a round may leave out some that could run."""

    def __init__(self, machine: Schedulable, starts: Starts) -> None:
        self.machine = machine
        self._starts = starts
        self._look_at_quiet = QUIET
        self._look_at = self.effort + FIRST_LOOK
        self._wait = SHORTEST_WAIT
        self._vain, self._look_at_vain = 0, VAIN_WAITS
        self._hang: Look | None = None
        self._settled = 0
        self.quiet = 0
        crowded = machine.record.cooperative or machine.hooks.idle
        self.crowd = machine.residency.count if crowded else max(1, len(machine.resident))

    def run(self, *, while_needed: bool = False, after: Turn | None = None) -> None:
        """Run all clusters to their ends, or until none is left that needs others beside it.

        `after`: the cluster that is resident has just had its turn, with this outcome.

        Raises: Diagnostic PTX9100 for a deadlock, PTX9101 for a hang.
        """
        machine = self.machine
        self._fill()
        if after is not None:
            machine.woken = False
            self._judge(Turn.RAN if self._leave(machine.resident[0]) else after)
            if while_needed and not machine.resident:
                return
            self._fill()
        while machine.resident:
            self._judge(self._round())
            machine.progress(machine.report.stats.ctas)
            if while_needed and not machine.resident and self.crowd == 1:
                return
            self._fill()

    def step(self) -> bool:
        """One round, for a launch that runs beside another one. Whether anything was done."""
        machine = self.machine
        self._fill()
        if not machine.resident:
            return False
        best = self._round()
        machine.progress(machine.report.stats.ctas)
        if best is Turn.RAN or machine.woken or sum(unit.idle() for unit in machine.units):
            return True
        return self._grow()

    def may_move(self) -> bool:
        """Whether the launch may still do something by itself, beside another one whose threads ask over and over."""
        machine = self.machine
        ctas = [cta for cluster in machine.resident for cta in cluster.ctas]
        fits = bool(self._starts.left) and machine.residency.fits
        if machine.timed or any(unit.pending() for unit in machine.units) or (fits and (not ctas or self._grow())):
            return True
        if not any(cta.block.get(F.C_RUNNABLE) for cta in ctas):
            return False
        look = machine.look()
        return look is None or look.verdict is not Verdict.HANGS

    @property
    def effort(self) -> int:
        """What has been done so far, in warp instructions."""
        return self.machine.instructions

    def _fill(self) -> None:
        machine = self.machine
        while self._starts.left and len(machine.resident) < self.crowd and machine.residency.fits:
            machine.resident.append(machine.admit(*self._starts.first))
            self._starts.skip(1)
        ctas = sum(len(cluster.ctas) for cluster in machine.resident)
        alone = ctas == 1 and not self._starts.left and not machine.hooks.stuck and machine.env.get64(F.E_UNWATCHED)
        machine.env.set64(F.E_PASSES, PASSES_ALONE if alone else PASSES)

    def _round(self) -> Turn:
        """A turn for every resident cluster."""
        machine = self.machine
        best, machine.woken = Turn.WAITS, False
        for cluster in list(machine.resident):
            best = max(best, self._cluster(cluster))
            if self._leave(cluster):
                best = Turn.RAN
        return best

    def _leave(self, cluster: Cluster) -> bool:
        """What is due at the end of a cluster's turn. Whether it has ended."""
        machine = self.machine
        for unit in machine.units:
            unit.slice_end(cluster)
        if not cluster.ended:
            return False
        machine.retire(cluster)
        if not machine.record.cooperative:
            self.crowd = max(1, self.crowd - 1)
        return True

    def _cluster(self, cluster: Cluster) -> Turn:
        """A cluster's CTAs take turns until all wait or poll, but not for ever."""
        machine = self.machine
        best = Turn.WAITS
        end = machine.instructions + (SLICE if len(machine.resident) == 1 else TURN)
        while True:
            now = max([machine.turn(cta, TURN) for cta in cluster.ctas])
            best = max(best, now)
            if now < Turn.RAN:
                return best
            if machine.instructions >= end:
                cluster.slices += 1
                return best
            machine.progress(machine.report.stats.ctas)  # a slice of traps takes long

    def _judge(self, best: Turn) -> None:
        """What follows from a round."""
        machine = self.machine
        if not machine.resident:
            return
        if self._hang is not None:
            self._settle(self._hang, best)
            return
        if best is Turn.RAN or machine.woken:
            self.quiet, self._look_at_quiet = 0, QUIET
            if self.effort >= self._look_at:
                self._look_at = 2 * self.effort
                self._look()
                machine.end_waits()
            if all(c.slices > PATIENCE for c in machine.resident) and not self._grow():
                self._others()
            return
        if sum(unit.idle() for unit in machine.units) or any(goes_on() for goes_on in machine.hooks.idle):
            return
        if (best is Turn.POLLS or machine.hooks.stuck) and self._grow():
            return
        if self._others():
            self.quiet, self._look_at_quiet = 0, QUIET
            return
        if best is Turn.WAITS and not machine.timed:
            raise deadlock.deadlock(machine)
        if machine.timed:
            self._pass_time()
            return
        self.quiet += 1
        if self.quiet >= self._look_at_quiet:
            self._look_at_quiet = 2 * self.quiet
            self._look()

    def _others(self) -> bool:
        """Let the grids beside the launch run for a while. Whether they have done anything."""
        return any(hook() for hook in self.machine.hooks.stuck)

    def _grow(self) -> bool:
        """Let more clusters become resident. Whether that is possible."""
        most = min(2 * len(self.machine.resident), self.machine.residency.count)
        if not self._starts.left or most <= len(self.machine.resident):
            return False
        self.crowd = most
        return True

    def _pass_time(self) -> None:
        """Nothing happens but that a wait comes to its end. A program may go on then, or just wait again."""
        self._vain += 1
        if self._vain >= self._look_at_vain:
            self._look_at_vain = 2 * self._vain
            self._look()
        if self._hang is None:
            self.machine.pass_time()

    def _look(self) -> None:
        """Look whether what runs can ever get on, and report it if not."""
        machine = self.machine
        timed = bool(machine.timed)
        look = machine.look()
        if look is None:
            return
        if look.verdict is Verdict.TIME and (self.quiet or timed):
            machine.skip(self._wait)
            self._wait *= 2
            self._look_at_quiet, self._look_at_vain = self.quiet + QUIET, self._vain + VAIN_WAITS
        elif (
            look.verdict is Verdict.HANGS and not self._grow() and not any(move() for move in machine.hooks.others_move)
        ):
            if timed:
                self._hang = look
            else:
                self._report(look)

    def _settle(self, look: Look, best: Turn) -> None:
        """Those that wait for a limited time go back to their waits, so that a report finds them there."""
        self._settled += 1
        if best is Turn.WAITS:
            raise deadlock.deadlock(self.machine)
        if self._settled >= SETTLES or (best is Turn.POLLS and not self._shuffles):
            self._report(look)

    def _report(self, look: Look) -> NoReturn:
        self.machine.hangs()
        raise deadlock.hang(self.machine, look.stuck, waiting=self._starts.left)


class Shuffled(Rounds):
    """Turns in an order, and of lengths, that are drawn from the seed. All clusters that fit are resident from the start.

    A turn is so many instructions, or questions to mbarriers, whether others run in Python or not: that depends on who listens, and
    a launch that hangs is run again with somebody who does.
    """

    _shuffles = True

    def __init__(self, machine: Schedulable, starts: Starts) -> None:
        self._drawn = 0
        super().__init__(machine, starts)
        self.crowd = machine.residency.count

    @property
    def effort(self) -> int:
        return super().effort + TURN_COST * self._drawn

    def _draw(self) -> int:
        self._drawn += 1
        return draw(self.machine.options.seed, _ORDER, self._drawn)

    def _round(self) -> Turn:
        machine = self.machine
        best, machine.woken = Turn.WAITS, False
        for _ in range(len(machine.resident)):
            bits = self._draw()
            cluster = _from(machine.resident, bits, lambda k: any(map(self._may_run, k.ctas)))
            if cluster is None:
                break
            best = max(best, self._turn(cluster, bits >> 16))
            if self._leave(cluster):
                best = Turn.RAN
        for cluster in list(machine.resident):
            if best is Turn.WAITS or not any(map(self._may_run, cluster.ctas)):
                self._leave(cluster)  # what it waits for comes, too, while others ask over and over
        return best

    def _turn(self, cluster: Cluster, bits: int) -> Turn:
        cta = _from(cluster.ctas, bits, self._may_run)
        assert cta is not None
        warp = _from(cta.warps, bits >> 8, _is_ready)
        assert warp is not None
        cta.block.set(F.C_NEXT, warp.index)
        length = 1 << (bits >> 20) % _LENGTHS
        return self.machine.turn(cta, length, length + 1, asks=1 + (bits >> 28) % _ASKS)

    def _may_run(self, cta: Cta) -> bool:
        return cta.block.get(F.C_RUNNABLE) != 0 and self.machine.gives_turn(cta)

    def _grow(self) -> bool:
        return False  # all that fit are there


_ORDER = 0x5EED
"""Tells the draws of turns from those of asynchronous events."""
_LENGTHS = 12
_ASKS = 64


def _from(items: Sequence[T], bits: int, fits: Callable[[T], bool]) -> T | None:
    """An item that fits, chosen by the bits; None where none does."""
    start = bits % len(items)
    return next((item for item in (*items[start:], *items[:start]) if fits(item)), None)


def _is_ready(warp: Warp) -> bool:
    return bool(warp.cta.block.get(F.C_RUNNABLE) >> warp.index & 1)


def rounds(machine: Schedulable, starts: Starts) -> Rounds:
    """The scheduler that the launch's options ask for."""
    return (Shuffled if machine.options.schedule == "random" else Rounds)(machine, starts)
