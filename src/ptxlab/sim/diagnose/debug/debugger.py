"""A launch under a debugger: breakpoints by line and label, single steps, and a look at registers and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic, Span
from ptxlab.layout.shared_tile import SharedTile
from ptxlab.layout.variables import Variable
from ptxlab.sim.diagnose.debug import inspect, variables
from ptxlab.sim.diagnose.debug.inspect import MbarrierState, Memory, wrong
from ptxlab.sim.diagnose.debug.session import Session
from ptxlab.sim.diagnose.debug.variables import Variables
from ptxlab.sim.diagnose.observe.stops import Stop
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.decoded.sources import Source, same_file, sources
from ptxlab.sim.engine.machine.naming import lanes_text
from ptxlab.sim.engine.machine.options import checked
from ptxlab.sim.engine.machine.resident import Warp
from ptxlab.sim.report.report import Report

NEAR = 4
"""Lines with instructions that a diagnostic names where a line has none."""
Line = int | str | tuple[str, int]
Extent = tuple[int, int, int]


@dataclass(frozen=True, slots=True, repr=False)
class Where:
    """Where a warp stands: in front of an instruction that it has not executed yet.

    Attributes:
        cta: its coordinates. warp: number in the CTA. lanes: mask of the lanes that stand there together.
        file, line: of the PTX text, from 1. python: the source line behind it, if any is known (Python, or what .loc says).
        text: the instruction. state: "ready", "waits" (at this instruction), "failed" or "ended".

    Example: see px.debug
    """

    cta: Extent
    warp: int
    lanes: int
    file: str
    line: int
    python: Span | None
    text: str
    state: str

    def __repr__(self) -> str:
        return f"<Where {self}>"

    def __str__(self) -> str:
        who = f"CTA {self.cta} warp {self.warp}"
        if self.state == "ended":
            return f"{who} has ended"
        some = "" if self.lanes == 0xFFFF_FFFF else f", {lanes_text(self.lanes)}"
        wait = "" if self.state == "ready" else f" {self.state}"
        behind = f"   ({self.python.shown})" if self.python is not None else ""
        return f"{who}{some}{wait} at {self.file}:{self.line}: {self.text}{behind}"


@dataclass(frozen=True, slots=True, repr=False)
class Breakpoint:
    """A place where warps stop.

    Attributes:
        place: as it was given. lines: of the PTX. indices: of the instructions.
        cta, warp: only this CTA, by coordinates, and warps of this number in their CTA; None: all. when: a condition as well.

    Example: see px.Debugger
    """

    place: Line
    lines: tuple[int, ...]
    indices: frozenset[int]
    cta: Extent | None = None
    warp: int | None = None
    when: Callable[[Debugger], object] | None = None

    def __repr__(self) -> str:
        lines = f"line{'s' * (len(self.lines) > 1)} {', '.join(map(str, self.lines))} of the PTX"
        only = [f"CTA {self.cta}"] * (self.cta is not None) + [f"warp {self.warp}"] * (self.warp is not None)
        only += ["when a condition holds"] * (self.when is not None)
        return f"<Breakpoint {self.place!r}: {', '.join([lines, *only])}>"

    def holds(self, stop: Stop) -> bool:
        """Whether it is for this arrival, `stop`."""
        if stop.index not in self.indices or (self.warp is not None and stop.warp.index != self.warp):
            return False
        return self.cta is None or stop.warp.cta.coordinates == self.cta


def _within(cta: object, grid: Extent) -> bool:
    """Whether something is the coordinates of a CTA."""
    if not isinstance(cta, tuple) or len(cta) != 3:  # pyright: ignore[reportUnknownArgumentType]
        return False
    return all(isinstance(c, int) and 0 <= c < n for c, n in zip(cta, grid, strict=True))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _is_file_and_line(place: object) -> bool:
    return isinstance(place, tuple) and len(place) == 2 and isinstance(place[0], str) and isinstance(place[1], int)  # pyright: ignore[reportUnknownArgumentType]


class Debugger:
    r"""A simulated launch that goes on when it is told to. Make one by `px.debug`; use it in a `with` block.

    It begins in front of the first instruction. At the end of the block the launch runs on to its end, without breakpoints;
    after an exception in the block it is left where it is. What fails in `run` or `step` can still be looked at.

    Attributes:
        breakpoints: those that are set. report: what the launch has left behind so far.

    Example:
        @px.kernel(threads=64)
        def double(k, x: px.Ptr[px.f32]):
            buf = k.smem(px.f32, 64, name="buf")
            bar = k.mbarrier(64)
            k.init_barriers()
            v = k.ld.global_.f32(x[k.tid.x])
            k.st.shared.f32(buf.at(k.tid.x * 4), v)
            bar.arrive()
            bar.wait(0)
            k.st.global_.f32(x[k.tid.x], v + v)

        x = np.arange(64, dtype=np.float32)

        line = next(i for i, t in enumerate(double.ptx.split("\n"), 1) if "st.shared" in t)
        with px.debug(double, grid=1, args=[x]) as d:
            stop = d.break_at(("ptx", line), warp=1, when=lambda d: d.regs("f0").max() > 40)
            d.run()
            d.step()  # the store
            print(d.where.warp, d.shared["buf"][33], sorted(d.params))  # 1 33.0 ['x']
            print(len(d.warps), len(d.mbarriers), type(d.local).__name__, d.ended)  # 2 1 Memory False
            d.select(warp=0)
            d.clear(stop)
            d.cont()
            print(d.ended, d.report.findings)  # True []
    """

    def __init__(
        self,
        record: LaunchRecord,
        options: SimOptions,
        file: str,
        tiles: Mapping[str, SharedTile],
        names: Mapping[str, str],
        ended: Callable[[Report], None],
        bound: Sequence[Variable] = (),
    ) -> None:
        self._record, self._file, self._tiles, self._ended = record, file, tiles, ended
        self._names = names
        self._session = Session(record, checked(options))
        self._sources: list[Source] = sources(record.program.module, self._session.machine.image.ops)
        self._types = inspect.register_types(record.program)
        self._variables = Variables(bound, record.program, self._session.machine.image.ops)
        self._shown: Stop | None = None
        self.breakpoints: list[Breakpoint] = []

    def __repr__(self) -> str:
        idle = "ended" if self._session.ended else "not begun"
        where = idle if self._shown is None else str(self._where(self._shown))
        return f"<Debugger of {self._record.program.name}: {where}>"

    def __enter__(self) -> Debugger:
        self._running()
        self._shown = self._session.resume(None, step=True)
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if kind is not None:
            self._session.abandon()
            return
        self.clear()
        while not self._session.ended:
            self._go(step=False)

    # -- going on
    def break_at(
        self,
        place: Line,
        *,
        cta: int | Extent | None = None,
        warp: int | None = None,
        when: Callable[[Debugger], object] | None = None,
    ) -> Breakpoint:
        """Stop whenever a warp is about to execute the first instruction of a line.

        Args:
            place: a line, a label, or (file, line) with the last parts of the file's path. A line alone is one of the Python
                source for a @px.kernel, and one of the PTX text for all other kernels; (file, line) reaches the source behind
                any kernel that has .loc, and ("ptx", line) the PTX text of any.
            cta, warp: only for this CTA (linear index or coordinates) and warp.
            when: asked with the debugger each time a warp arrives, that warp at hand; it stops where the answer is true, e.g.
                `when=lambda d: np.isnan(d.regs("f3")).any()`.

        Raises: Diagnostic PTX9030 where no instruction stands there, PTX9034 for a CTA that the grid or a warp that a CTA does not
            have, PTX2501 for a `when` that cannot be asked.
        """
        if when is not None and not callable(when):
            raise wrong("PTX2501", f"when={when!r} cannot be called.", "give a function of the debugger")
        indices = self._indices(place)
        lines = tuple(self._sources[i].line for i in indices)
        if warp is not None:
            self._check_warp(warp, "A CTA")
        made = Breakpoint(place, lines, frozenset(indices), self._coordinates(cta), warp, when)
        self.breakpoints.append(made)
        self._session.stops.breaks |= made.indices
        return made

    def clear(self, breakpoint: Breakpoint | None = None) -> None:
        """Take a breakpoint away, or all of them."""
        self.breakpoints = [b for b in self.breakpoints if breakpoint is not None and b is not breakpoint]
        self._session.stops.breaks = set().union(*(b.indices for b in self.breakpoints))

    def run(self) -> Where | None:
        """Go on to the next breakpoint. Returns where; None when the launch has ended.

        Raises: Diagnostic PTX9032 when it has ended before; PTX90xx, PTX91xx for what stops it for good; KeyboardInterrupt.
        """
        self._running()
        return self._go(step=False)

    cont = run

    def step(self, count: int = 1) -> Where | None:
        """Let the warp at hand execute `count` instructions; others run only as far as it waits for them, and may stop at
        breakpoints. When the warp has ended, it goes on with another one. Returns and raises as `run`."""
        self._running()
        if not isinstance(count, int) or count < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong("PTX2501", f"{count!r} is no number of steps.", "use an integer from 1")
        where: Where | None = None
        for _ in range(count):
            where = self._go(step=True)
            if where is None:
                break
        return where

    def _go(self, *, step: bool) -> Where | None:
        try:
            return self._onward(step=step)
        except Diagnostic:
            self._shown = self._session.stops.failure()  # its state is still there to look at
            raise

    def _onward(self, *, step: bool) -> Where | None:
        session = self._session
        mine = self._shown.warp if self._shown is not None else None
        stop = session.resume(mine, step=step)
        while (
            stop is not None and stop.index in session.stops.breaks and not self._wanted(stop, mine if step else None)
        ):
            stop = session.resume(mine, step=step)
        self._shown = stop
        if stop is None:
            self._ended(session.machine.report)
            return None
        return self._where(stop)

    def _wanted(self, stop: Stop, stepped: Warp | None) -> bool:
        if stepped is not None and (stop.warp is stepped or self._session.stops.over(stepped)):
            return True
        self._shown = stop
        return any(b.holds(stop) and (b.when is None or b.when(self)) for b in self.breakpoints)

    # -- looking
    @property
    def ended(self) -> bool:
        """Whether the launch has come to its end."""
        return self._session.ended

    @property
    def report(self) -> Report:
        """Findings, counts and timeline so far."""
        machine = self._session.machine
        if not self._session.ended:
            machine.tally()
        return machine.report

    @property
    def where(self) -> Where:
        """Where the warp at hand stands. Raises: Diagnostic PTX9032."""
        return self._where(self._alive())

    @property
    def warps(self) -> list[Where]:
        """Where all warps of all resident CTAs stand. Raises: Diagnostic PTX9032."""
        self._alive()
        return [
            self._where(self._session.stops.stand(w))
            for k in self._session.machine.resident
            for c in k.ctas
            for w in c.warps
        ]

    def select(self, *, cta: int | Extent | None = None, warp: int | None = None) -> Where:
        """Make another warp the one at hand: `warp`, its number in the CTA (default 0 for another CTA), and `cta`, by linear
        index or coordinates. Returns where it stands.

        Raises: Diagnostic PTX9034 for what is not resident, PTX9032.
        """
        here = self._alive().warp
        wanted = self._coordinates(cta)
        ctas = {c.coordinates: c for k in self._session.machine.resident for c in k.ctas}
        found = here.cta if wanted is None else ctas.get(wanted)
        if found is None:
            listed = ", ".join(map(str, ctas))
            raise wrong("PTX9034", f"CTA {cta} is not running now; {listed} is.")
        number = warp if warp is not None else here.index if found is here.cta else 0
        self._check_warp(number, f"CTA {found.coordinates}")
        self._shown = self._session.stops.stand(found.warps[number])
        return self._where(self._shown)

    def regs(self, name: str, dtype: str | None = None) -> NDArray[Any]:
        """Registers of the warp at hand in its 32 lanes: a copy, in their type.

        Args:
            name: a variable of the Python function, as it is bound in front of this instruction; or a register as in the PTX, with
                or without %; special registers too, e.g. "tid.x". A name that is both is Python's; with % it is PTX's.
            dtype: read its bits as another type of the same size, e.g. "f32" for a .b32.

        Returns: shape (32,) of a register, (registers, 32) of a list. What `k.accumulator` or `k.fragment` gave is the matrix,
            rows by columns; that of a warpgroup comes from all its four warps as they stand.

        Raises: Diagnostic PTX9031 with names that come near, PTX2307, PTX9032.
        """
        stop = self._alive()
        found = self._variables.bound(name, stop.index)
        if found is None:
            return inspect.register(stop.warp, self._types, name, dtype, self._variables.names)
        return variables.values(stop.warp, self._types, found, dtype)

    @property
    def shared(self) -> Memory:
        """The shared memory of the CTA at hand: bytes by index, variables and tiles by name. Raises: Diagnostic PTX9032."""
        return inspect.shared_memory(self._alive().warp.cta, self._tiles)

    @property
    def local(self) -> Memory:
        """The local memory of the warp at hand, one row for each lane. Raises: Diagnostic PTX9032."""
        return inspect.local_memory(self._alive().warp)

    @property
    def params(self) -> dict[str, Any]:
        """The kernel's arguments as it sees them: NumPy scalars, pointers as uint64."""
        params = self._record.program.params
        return {self._names.get(p.name, p.name): inspect.parameter(self._session.machine, p.name) for p in params}

    @property
    def mbarriers(self) -> list[MbarrierState]:
        """The live mbarriers of the CTA at hand; `str` of one says in words what it lacks. Raises: Diagnostic PTX9032."""
        return inspect.mbarriers(self._session.machine, self._alive().warp.cta)

    # -- places
    def _running(self) -> None:
        if self._session.ended:
            raise wrong("PTX9032", f"The launch of {self._record.program.name} has ended.")

    def _alive(self) -> Stop:
        if self._shown is None:
            raise wrong("PTX9032", f"The launch of {self._record.program.name} has ended.")
        return self._shown

    def _where(self, stop: Stop) -> Where:
        op, source = self._session.machine.image.ops[stop.index], self._sources[stop.index]
        cta = stop.warp.cta.coordinates
        guard = f"@{'!' if op.guard_negated else ''}{op.guard} " if op.guard is not None else ""
        place = self._file, source.line, source.origin
        return Where(cta, stop.warp.index, stop.lanes, *place, text=guard + op.text, state=stop.state)

    def _check_warp(self, number: object, who: str) -> None:
        x, y, z = self._record.block
        count = -(-x * y * z // F.LANES)
        if not isinstance(number, int) or not 0 <= number < count:
            raise wrong("PTX9034", f"{who} has no warp {number!r}.", f"its warps are 0 to {count - 1}")

    def _coordinates(self, cta: int | Extent | None) -> Extent | None:
        if cta is None:
            return None
        grid = x, y, z = self._record.grid
        found = (cta % x, cta // x % y, cta // (x * y)) if isinstance(cta, int) else cta
        if not _within(found, grid):
            help = f"it is {x}×{y}×{z}: use 0 to {x * y * z - 1}, or three coordinates"
            raise wrong("PTX9034", f"The grid has no CTA {cta!r}.", help)
        return found

    def _indices(self, place: Line) -> list[int]:
        """The first instruction of every stretch of instructions that a place stands for."""
        if isinstance(place, str):
            return [self._label(place)]
        if not isinstance(place, int) and not _is_file_and_line(place):
            raise wrong("PTX9030", f"{place!r} is no place in a program.")
        if isinstance(place, tuple) and place[0] not in ("ptx", self._file):
            file, line = place
            mine = [s.origin.line if s.origin and same_file(s.origin.file, file) else 0 for s in self._sources]
        elif isinstance(place, int) and self._python is not None:
            file, line = self._python, place
            mine = [s.origin.line if s.origin and s.origin.file == file else 0 for s in self._sources]
        else:
            file, line = self._file, place if isinstance(place, int) else place[1]
            mine = [s.line for s in self._sources]
        found = [i for i, at in enumerate(mine) if at == line and (i == 0 or mine[i - 1] != line)]
        if not found:
            raise self._no_instruction(file, line, mine)
        return found

    @property
    def _python(self) -> str | None:
        """The file of the Python function that most of the kernel comes from; None for a kernel that no Python made."""
        files = [op.origin.file for op in self._record.program.ops if op.origin is not None]
        return max(sorted(set(files)), key=files.count) if files else None

    def _no_instruction(self, file: str, line: int, mine: list[int]) -> Diagnostic:
        known = sorted({n for n in mine if n})
        near = sorted(sorted(known, key=lambda n: abs(n - line))[:NEAR])
        if not near:
            files = sorted({s.origin.file for s in self._sources if s.origin is not None} | {self._file})
            return wrong(
                "PTX9030", f"No instruction of the kernel comes from {file}.", f"its files: {', '.join(files)}"
            )
        behind = sorted({Path(s.origin.file).name for s in self._sources if s.origin is not None})
        there = f'; for a line of the source, ("{behind[0]}", {line})' if file == self._file and behind else ""
        help = f"the nearest lines that have one: {', '.join(map(str, near))}{there}"
        return wrong("PTX9030", f"Line {line} of {file} has no instruction.", help)

    def _label(self, name: str) -> int:
        program, first = self._record.program, 0
        labels: dict[str, int] = {}
        for routine in (*program.functions, program):
            labels |= {label: first + at for label, at in routine.labels.items() if at < len(routine.ops)}
            first += len(routine.ops)
        if name not in labels:
            raise inspect.unknown("PTX9030", "label", name, labels)
        return labels[name]
