"""`px.profile`: what a launch will cost, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ptxlab.abi.options import LaunchOptions
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.timing.chip import ASSUMED, MEASURED, ChipTable, chip, chip_of
from ptxlab.timing.copies import copy_waits
from ptxlab.timing.lines import COLUMNS, Line, Occupancy, conflict_words, lines_of, occupancy
from ptxlab.timing.measure import Measured, facts, measure, side_by_side
from ptxlab.timing.predict import Predicted, predict
from ptxlab.timing.roofline import Roofline, roofline
from ptxlab.timing.trace import path_words, traced

if TYPE_CHECKING:
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.launch.prepare import Launch
    from ptxlab.sim.report.trace import Trace

BY_MACHINE_CODE: Final = "machine code"
BY_PTX: Final = "PTX"
ROOFS: Final = ("roof", "cycles", "of all", "FLOP a byte", "ridge")
"""Columns of the roofs."""
_SHOWN: Final = 8
"""Lines of a table."""
_ROLE: Final = 4
"""Warps that are shown together: a warpgroup."""


@dataclass(frozen=True, slots=True, repr=False)
class Stall:
    """What warps waited for at a line.

    Attributes:
        warps: the first warp of the warpgroup. line: of the PTX text. source: the line behind it, "" where none is known.
        text: the instruction. cause: e.g. "mbarrier", "memory", "issue". cycles: of one warp, in one CTA.

    Example:
        @px.kernel(threads=128)
        def scale(k, x: px.Ptr[px.f32]):
            i = k.ctaid.x * 128 + k.tid.x
            k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)

        longest = px.profile(scale, grid=8, args=[px.empty(1024, "f32")]).stalls[0]
        print(isinstance(longest, px.Stall), longest.place != "", longest.cycles > 0)  # True True True
    """

    warps: int
    line: int
    source: str
    text: str
    cause: str
    cycles: float

    def __repr__(self) -> str:
        return f"<Stall of {self.cycles:,.0f} cycles, {self.cause}, {self.place}>"

    @property
    def place(self) -> str:
        """The line, in words."""
        return self.source or f"line {self.line}"


@dataclass(frozen=True, slots=True, repr=False)
class Profile:
    """What a launch will cost, as `px.profile` predicts it.

    Attributes:
        kernel: its name. chip: the table that it rests on. clock: MHz by which cycles become microseconds.
        cycles: from the start of the launch to its end. fixed: those of them that a launch without work takes.
        shares: of each unit, the part of the time in which it is busy. limiter: the busiest.
        stalls: what warps wait for, the longest first. ctas, resident, waves: CTAs of the grid and of an SM at once, and how often
            all SMs are filled.
        moved, missed: bytes of global memory that the grid moves, and those that come from behind L2.
        used: "machine code", or "PTX" where there is no ptxas, or where the way of the warps through its code was not found.
        bases: of each figure that the prediction rests on, "measured", "interpolated" or "assumed".
        assumed: machine instructions that the launch executes and whose cost is not measured.
        simulated: CTAs that were simulated, and steps of their warps.
        errors: how far predictions of cycles were off for kernels that were measured afterwards: "kernels", "mean" and "worst".
        roofline: floating-point operations, and what the launch would take if arithmetic, L2 or memory alone took time.
        copies: of an SM whose warps wait for copies: bytes "in flight" on average, bytes a cycle that L2 gives it at most, "rate",
            the cycles of a copy by itself, "latency". Empty for others.
        waits: what those waits are, in words. path: the chain of work and waits that the CTAs of an SM take longest for, by cause.
        lines: of the source, the one that costs most first. occupancy: what a CTA takes of an SM.
        trace: the replay, in cycles, of the CTAs that an SM holds at once; None where it was not asked for.
        measured: what the launch took on a GPU, with on="gpu"; else None.

    Example:
        @px.kernel(threads=128)
        def scale(k, x: px.Ptr[px.f32]):
            i = k.ctaid.x * 128 + k.tid.x
            k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)

        found = px.profile(scale, grid=8, args=[px.empty(1024, "f32")], clock=1000)
        print(isinstance(found, px.Profile), found.microseconds == found.cycles / 1000)  # True True
        print(found.head[0] in found.text(), found.record()["ctas"])  # True 8
        cycles, warps, cause, where = found.wait_rows(1)[0]
        print(warps, cause == found.stalls[0].cause, found.path in found.remarks)  # warps 0-3 True True
    """

    kernel: str
    chip: str
    clock: float
    cycles: float
    fixed: float
    shares: Mapping[str, float]
    limiter: str
    stalls: tuple[Stall, ...]
    ctas: int
    resident: int
    waves: float
    moved: float
    missed: float
    used: str
    bases: Mapping[str, str]
    assumed: tuple[str, ...]
    simulated: tuple[int, int]
    errors: Mapping[str, float]
    roofline: Roofline
    copies: Mapping[str, float]
    waits: tuple[str, ...]
    path: str
    lines: tuple[Line, ...]
    occupancy: Occupancy
    trace: Trace | None = None
    measured: Measured | None = None

    @property
    def microseconds(self) -> float:
        """At `clock`: a chip that draws too much power runs more slowly."""
        return self.cycles / self.clock

    def __repr__(self) -> str:
        return f"<Profile of {self.kernel} on {self.chip}: {self.cycles:,.0f} cycles, {self.limiter}>"

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import preformatted

        return preformatted(self.text())

    def text(self) -> str:
        """The report, for people."""
        rows = [f"  {share:6.1%}  {name}" for name, share in list(self.shares.items())[:_SHOWN]]
        waits = [
            f"  {cycles:>10}  {warps:<11}  {cause:<14} {where}" for cycles, warps, cause, where in self.wait_rows()
        ]
        roofs = [
            f"  {name:<10} {cycles:>12} {share:>9} {here:>12} {ridge:>8}"
            for name, cycles, share, here, ridge in (ROOFS, *self.roofline.rows(self.cycles))
        ]
        said = [
            f"  {share:>6} {cycles:>10}  {cause:<14} {sectors:>22} {wavefronts:>22}  {place}"
            for share, cycles, cause, sectors, wavefronts, place in (
                COLUMNS,
                *(line.row() for line in self.lines[:_SHOWN]),
            )
        ]
        lines = [
            *self.head,
            "",
            "busy",
            *rows,
            "",
            "roofs",
            *roofs,
            "",
            "lines, by the cycles that a CTA's warps spend there",
        ]
        lines += [*said, "", "waits of a warp, in cycles", *waits]
        return "\n".join([*lines, *(f"  {line}" for line in self.remarks)])

    def wait_rows(self, count: int = _SHOWN) -> list[tuple[str, str, str, str]]:
        """Waits for a table: cycles of a warp, its warpgroup, what it waits for, and the line with its costliest instruction.

        Args:
            count: rows, the longest waits first.
        """
        joined: dict[tuple[int, str, str], list[Stall]] = {}
        for stall in self.stalls:
            joined.setdefault((stall.warps, stall.cause, stall.place), []).append(stall)
        rows = sorted(((sum(s.cycles for s in same), same) for same in joined.values()), key=lambda row: -row[0])
        return [
            (f"{cycles:,.0f}", f"warps {s.warps}-{s.warps + _ROLE - 1}", s.cause, f"{s.place}: {s.text[:60]}".strip())
            for cycles, (s, *_) in rows[:count]
        ]

    @property
    def remarks(self) -> list[str]:
        """What the report says below its tables."""
        return [one for one in (*self.waits, self.path, *conflict_words(self.lines)) if one]

    @property
    def head(self) -> list[str]:
        """The first lines of the report."""
        measured = sum(basis == MEASURED for basis in self.bases.values())
        at = f"{self.microseconds:,.2f} µs at {self.clock:,.0f} MHz"
        assumed = f", assumed: {', '.join(self.assumed)}" if self.assumed else ""
        return [
            f"{self.kernel} on {self.chip}: {self.cycles:,.0f} cycles, {at}, predicted",
            f"  {self.ctas:,} CTAs, {self.resident} on an SM at once, {self.waves:.2f} waves; the launch takes {self.fixed:,.0f}",
            f"  {self.moved / 1e6:,.1f} MB of global memory moved, {self.missed / 1e6:,.1f} MB from behind L2",
            *(f"  {line}" for line in self.roofline.words(self.cycles)),
            *(f"  {line}" for line in (self.occupancy.words, self.occupancy.pressure) if line),
            *self._off,
            f"  by {self.used}; {measured} of {len(self.bases)} figures are measured{assumed}",
            *self._measured,
        ]

    @property
    def _measured(self) -> list[str]:
        """The prediction beside the measurement."""
        found = self.measured
        if found is None:
            return []
        said = {
            "cycles": self.cycles,
            "microseconds": self.cycles / self.clock,
            "registers": self.occupancy.registers,
            "CTAs on an SM": min(self.occupancy.ctas.values()),
        }
        title = f"  measured on {found.gpu}: the median of {found.rounds} replays of {found.calls}"
        span = f"from {found.fastest * 1e6:,.2f} to {found.slowest * 1e6:,.2f} µs, SMs at {found.clock:,.0f} MHz"
        rows = [("", "predicted", "measured", "error"), *side_by_side(said, found)]
        table = [f"    {name:<14} {one:>12} {other:>12} {error:>8}" for name, one, other, error in rows]
        return [f"{title}, {span}", *table, f"    no hardware counters: {found.counters}"]

    @property
    def _off(self) -> list[str]:
        """What is known of errors."""
        e = self.errors
        if not e:
            return []
        return [
            f"  off by {e['mean']:.0%} on average and {e['worst']:.0%} at worst for {e['kernels']:.0f} kernels measured afterwards"
        ]

    def record(self) -> dict[str, Any]:
        """The report, for programs: what JSON can hold."""
        return {
            "kernel": self.kernel,
            "chip": self.chip,
            "clock_mhz": self.clock,
            "cycles": round(self.cycles),
            "microseconds": round(self.microseconds, 3),
            "fixed_cycles": round(self.fixed),
            "limiter": self.limiter,
            "shares": {name: round(share, 4) for name, share in self.shares.items()},
            "ctas": self.ctas,
            "resident": self.resident,
            "waves": round(self.waves, 3),
            "moved_bytes": round(self.moved),
            "missed_bytes": round(self.missed),
            "used": self.used,
            "bases": dict(self.bases),
            "assumed": list(self.assumed),
            "errors": dict(self.errors),
            "roofline": {
                "flop": round(self.roofline.flop),
                "roofs": {name: round(cycles) for name, cycles in self.roofline.roofs.items()},
                "roof": self.roofline.roof,
                "attained": round(self.roofline.attained(self.cycles), 4),
            },
            "copies": {name: round(value, 1) for name, value in self.copies.items()},
            "waits": list(self.waits),
            "path": self.path,
            "lines": [line.record() for line in self.lines],
            "occupancy": self.occupancy.record(),
            **({} if self.measured is None else {"measured": self.measured.record()}),
            "simulated": {"ctas": self.simulated[0], "steps": self.simulated[1]},
            "stalls": [
                {
                    "warps": s.warps,
                    "line": s.line,
                    "source": s.source,
                    "text": s.text,
                    "cause": s.cause,
                    "cycles": round(s.cycles),
                }
                for s in self.stalls
            ],
        }


@public
def profile(
    kernel: Kernel | Launch,
    *,
    grid: Extents = 1,
    block: Extents | None = None,
    cluster: Extents | None = None,
    shared: int | None = None,
    args: Sequence[Any] = (),
    buffers: Sequence[Any] = (),
    on: str = "h200",
    clock: float | None = None,
    cold: bool = False,
    arithmetic: bool = False,
    trace: bool = False,
    **constants: Any,
) -> Profile:
    """Predict what a launch will cost on a chip, without one: cycles, what limits it, and what its warps wait for.

    A few CTAs are simulated and recorded; the record is replayed on one SM with what the chip was measured to take, and stands
    for the rest. With ptxas installed the replay follows its machine code, else the PTX. See "Reference: the timing model" for
    what it knows, what not, and how far off it was. Arrays are as they were afterwards.

    Args:
        kernel: or a launch that `prepare` has made, with all other arguments of a launch left out.
        grid, block, cluster, shared, args, buffers, constants: as in `Kernel.launch`; arrays are NumPy's.
        on: the chip: a table in ptxlab/timing/chips; or "gpu": predict for the GPU of this machine, measure the launch there, and
            show both. It runs on copies of NumPy arrays; what arrays of the GPU hold is put back.
        clock: MHz of the SMs, for microseconds; left out, what they were measured to have, with wgmma or without.
        cold: L2 holds nothing of the arrays at the start; else what it has room for.
        arithmetic: whether products of matrices are computed. Without it they leave zeros, which is faster; ask for it where
            results decide what the kernel does next.
        trace: keep the replay as a trace in cycles: `Profile.trace.save("trace.json")` for ui.perfetto.dev.

    Raises: Diagnostic as `px.simulate` for what stops the CTAs that are simulated, a hang among it; PTX9042 where the replay does
        not come to an end; PTX2501 for a chip without a table, for a launch whose arrays are on a GPU, and for a clock that is
        none. With on="gpu" PTX2304, PTX2422 without a GPU; PTX2501 with cold=True, for a cooperative launch, and for one that
        reaches arrays by addresses in memory; PTX242x where the GPU fails.

    Example:
        @px.kernel(threads=128)
        def scale(k, x: px.Ptr[px.f32]):
            i = k.ctaid.x * 128 + k.tid.x
            k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)

        found = px.profile(scale, grid=1024, args=[px.empty(1024 * 128, "f32")])
        print(found.ctas, found.limiter in found.shares, found.cycles > found.fixed)  # 1024 True True
    """
    if clock is not None and not clock > 0:
        raise Diagnostic("PTX2501", f"clock={clock!r} is no clock.", help="give MHz, e.g. 1755", origin=user_span())
    if on == "gpu":
        options = LaunchOptions.of(locals(), lints=False)
        return _measured(kernel, options, constants, clock, cold=cold, arithmetic=arithmetic, trace=trace)
    table = chip(on)
    options = LaunchOptions.of(locals(), device="sim", lints=False)
    record = _record(kernel, options, constants)
    found = predict(record, table, cold=cold, arithmetic=arithmetic)
    return _profiled(found, record, table, clock, trace=trace)


def _measured(
    kernel: Kernel | Launch,
    options: LaunchOptions,
    constants: Mapping[str, Any],
    clock: float | None,
    *,
    cold: bool,
    arithmetic: bool,
    trace: bool,
) -> Profile:
    """A prediction beside a measurement."""
    from ptxlab.cuda.driver import device
    from ptxlab.timing.relocate import both

    if cold:
        raise Diagnostic(
            "PTX2501",
            'cold=True is not measured: replays find what fits in L2 there, and on="gpu" compares with them.',
            help="leave it out, or predict without a GPU",
            origin=user_span(),
        )
    gpu = device()
    table = chip(chip_of(gpu.name))
    host, launch = both(kernel, options, constants)
    if host.registers is None or not host.registers():  # there is no ptxas, but the driver knows
        host = replace(host, registers=lambda: facts(launch)[0] or None)
    found = predict(host, table, cold=cold, arithmetic=arithmetic)
    measured = measure(launch)
    return replace(_profiled(found, host, table, clock, trace=trace), measured=measured)


def _record(
    kernel: Kernel | Launch, options: LaunchOptions, constants: Mapping[str, Any] = MappingProxyType({})
) -> LaunchRecord:
    made: LaunchRecord | None = getattr(kernel, "record", None)
    if made is None:
        return kernel_of(kernel).entry(**constants).built(options, user_span()).record
    if made.device != "cpu":
        raise Diagnostic("PTX2501", "The arrays of this launch are on a GPU.", help="prepare it with NumPy arrays")
    return made


def _profiled(
    found: Predicted, record: LaunchRecord, table: ChipTable, clock: float | None, *, trace: bool = False
) -> Profile:
    again = traced(found, table, events=trace)
    played, limits = found.played, found.limits
    span = played.cycles or 1.0
    shares = {unit: busy / span for unit, busy in played.busy.items() if busy}
    shares = dict(sorted(shares.items(), key=lambda pair: -pair[1]))
    names = {item.name for item in found.executed}
    bases = {name: table.cost(name).basis for name in sorted(names)} | dict(table.bases)
    copies, waits = copy_waits(found, table)
    assumed = tuple(
        sorted(name for name in names if table.cost(name).basis == ASSUMED and table.cost(name).pipe != "none")
    )
    return Profile(
        kernel=record.program.name,
        chip=table.name,
        clock=clock or table.clock_with(names),
        cycles=found.cycles,
        fixed=found.fixed,
        shares=shares,
        limiter=next(iter(shares), "launch"),
        stalls=_stalls(found),
        ctas=limits.clusters * limits.ctas_each,
        resident=limits.resident,
        waves=limits.clusters / limits.at_once,
        moved=found.traffic[0],
        missed=found.traffic[1],
        used=BY_MACHINE_CODE if found.by_code else BY_PTX,
        bases=bases,
        assumed=assumed,
        errors=table.errors.get("all", {}),
        simulated=(sum(len(c.warps) for c in found.recorded), sum(c.steps for c in found.recorded)),
        roofline=roofline(found, table),
        copies=copies,
        waits=waits,
        path=path_words(again.path(), found.where),
        lines=lines_of(found),
        occupancy=occupancy(record, found),
        trace=again.trace if trace else None,
    )


def _stalls(found: Predicted) -> tuple[Stall, ...]:
    """Waits by warpgroup, line and cause: of a warp, in one of the CTAs that were replayed."""
    summed: dict[tuple[int, int, str], float] = {}
    for (warp, op, cause), cycles in found.played.stalls.items():
        key = (warp // _ROLE * _ROLE, op, cause)
        summed[key] = summed.get(key, 0.0) + cycles
    ctas = max(1, len(found.played.ends))
    warps = min(_ROLE, max(len(cta) for c in found.recorded for cta in c.warps))
    out: list[Stall] = []
    for (first, op, cause), cycles in sorted(summed.items(), key=lambda pair: -pair[1]):
        where = found.where[op] if op >= 0 else None
        origin = where.origin if where is not None else None
        out.append(
            Stall(
                first,
                where.line if where is not None else 0,
                f"{origin.file}:{origin.line}" if origin is not None else "",
                found.ops[op].text if op >= 0 else "",
                cause,
                cycles / ctas / warps,
            )
        )
    return tuple(out)
