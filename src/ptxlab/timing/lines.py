"""A launch by lines of its source: what each costs, and what it asks of memory beside what would do."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from ptxlab.abi.limits import WARPS_PER_SM
from ptxlab.abi.occupancy import ctas_by_resource
from ptxlab.abi.record import LaunchRecord
from ptxlab.isa.effects import RegisterFile
from ptxlab.isa.operands import Imm
from ptxlab.sim.engine.decoded.sources import Source
from ptxlab.sim.engine.machine.special import shared_wanted
from ptxlab.timing.steps import TALLIED

if TYPE_CHECKING:
    from ptxlab.timing.predict import Predicted

COLUMNS: Final = ("share", "cycles", "mostly", "sectors", "wavefronts", "where")
"""Of the table of lines."""
_ROLE: Final = 4
"""Warps that take registers together: a warpgroup."""


@dataclass(frozen=True, slots=True, repr=False)
class Line:
    """A line of a kernel's source and what it costs.

    Attributes:
        place: "file:line", or "line 7" of the PTX where no source is known.
        cycles: that the warps of a CTA spend there, waiting and issuing, in all. share: of all lines.
        cause: what most of them are spent for, e.g. "memory"; "issued" where warps hardly wait.
        executions: of its instructions by warps, in the CTAs that were simulated.
        sectors, least_sectors: of 32 bytes of global memory in these, and as many as the same bytes would take side by side.
        wavefronts, least_wavefronts: of shared memory, and as many as it would take without bank conflicts.

    Example:
        @px.kernel(threads=32)
        def columns(k, x: px.Ptr[px.u32]):
            buf = k.smem(px.u32, 1024)
            k.st.shared.u32(buf[k.tid.x * 32], 7)
            k.st.global_.u32(x[k.tid.x * 8], 7)

        found = px.profile(columns, grid=1, args=[px.empty(256, "u32")]).lines
        print(isinstance(found[0], px.Line), sum(line.conflicts for line in found))  # True 31
        print([(line.sectors, line.least_sectors) for line in found if line.sectors])  # [(32, 4)]
        print(found[0].row()[-1] == found[0].place == found[0].record()["place"])  # True
    """

    place: str
    cycles: float
    share: float
    cause: str
    executions: int
    sectors: int
    least_sectors: int
    wavefronts: int
    least_wavefronts: int

    def __repr__(self) -> str:
        return f"<Line {self.place}: {self.share:.1%}, {self.cause}>"

    @property
    def conflicts(self) -> int:
        """Wavefronts that bank conflicts take."""
        return self.wavefronts - self.least_wavefronts

    def row(self) -> tuple[str, ...]:
        """For a table, by `COLUMNS`."""
        return (
            f"{self.share:.1%}",
            f"{self.cycles:,.0f}",
            self.cause,
            _beside(self.sectors, self.least_sectors),
            _beside(self.wavefronts, self.least_wavefronts),
            self.place,
        )

    def record(self) -> dict[str, Any]:
        """For programs: what JSON can hold."""
        return {**asdict(self), "cycles": round(self.cycles), "share": round(self.share, 4)}


def _beside(count: int, least: int) -> str:
    if not count:
        return ""
    return f"{count:,}" if count <= least else f"{count:,} ({least:,} would do)"


def place_of(where: Source) -> str:
    """A line in words."""
    return f"{where.origin.file}:{where.origin.line}" if where.origin is not None else f"line {where.line}"


def lines_of(found: Predicted) -> tuple[Line, ...]:
    """All lines that have run, the one that costs most first."""
    ctas = max(1, len(found.played.ends))
    causes: dict[str, Counter[str]] = defaultdict(Counter)
    for (_, op, cause), cycles in found.played.stalls.items():
        if op >= 0:
            causes[place_of(found.where[op])][cause] += cycles / ctas  # type: ignore[assignment]
    for op, count in found.played.issued.items():
        if op >= 0:
            causes[place_of(found.where[op])]["issued"] += count / ctas  # type: ignore[assignment]
    tallies: dict[str, list[int]] = defaultdict(lambda: [0] * len(TALLIED))
    for cluster in found.recorded:
        for op, numbers in cluster.tallies.items():
            mine = tallies[place_of(found.where[op])]
            mine[:] = [a + b for a, b in zip(mine, numbers, strict=True)]
    total = sum(sum(each.values()) for each in causes.values()) or 1.0
    out: list[Line] = []
    for place in dict.fromkeys([*causes, *tallies]):
        each = causes.get(place, Counter[str]())
        cycles = float(sum(each.values()))
        executions, _, wavefronts, least, sectors, least_sectors = tallies[place]
        cause = max(each, key=lambda name: each[name], default="issued")
        one = Line(
            place,
            cycles,
            cycles / total,
            cause,
            executions=executions,
            sectors=sectors,
            least_sectors=least_sectors,
            wavefronts=wavefronts,
            least_wavefronts=least,
        )
        out.append(one)
    return tuple(sorted(out, key=lambda line: -line.cycles))


def conflict_words(lines: Sequence[Line]) -> tuple[str, ...]:
    """What bank conflicts and scattered accesses cost in all, and the line that has most of them."""
    out: list[str] = []
    for what, count, least, why in (
        ("wavefronts of shared memory", "wavefronts", "least_wavefronts", "bank conflicts take the others"),
        ("sectors of global memory", "sectors", "least_sectors", "the others hold what nobody asked for"),
    ):
        beyond = {line: getattr(line, count) - getattr(line, least) for line in lines}
        worst = max(beyond, key=lambda line: beyond[line], default=None)
        if worst is None or beyond[worst] <= 0:
            continue
        all_of, enough = (sum(getattr(line, name) for line in lines) for name in (count, least))
        out.append(f"{all_of:,} {what}, {enough:,} would do: {why}, most of them at {worst.place}")
    return tuple(out)


@dataclass(frozen=True, slots=True, repr=False)
class Occupancy:
    """What the CTAs of a launch take of an SM.

    Attributes:
        ctas: CTAs that each resource has room for, by its name. limiters: those that allow the fewest.
        warps: of a CTA. registers: of a thread at its start, 0 where nobody knows.
        roles: registers of a thread after `setmaxnreg`, by warps: "warps 0-3". Empty for kernels without.

    Example:
        @px.kernel(threads=128)
        def fill(k, x: px.Ptr[px.u32]):
            k.smem(px.u32, 10000)
            k.st.global_.u32(x[k.tid.x], 1)

        found = px.profile(fill, grid=1, args=[px.empty(128, "u32")]).occupancy
        print(isinstance(found, px.Occupancy), found.limiters, found.ctas["shared memory"])  # True ('shared memory',) 5
        print(found.words)  # 5 CTAs of 4 warps fit on an SM (31% of its warps), limited by shared memory
        print("registers of a thread" in found.pressure, found.record()["warps"])  # True 4
    """

    ctas: Mapping[str, int]
    limiters: tuple[str, ...]
    warps: int
    registers: int
    roles: Mapping[str, int]

    def __repr__(self) -> str:
        return f"<Occupancy: {self.words}>"

    @property
    def words(self) -> str:
        """In a sentence."""
        most = min(self.ctas.values())
        fit = f"{most} CTA{'s' * (most != 1)} of {self.warps} warp{'s' * (self.warps != 1)} fit{'s' * (most == 1)} on an SM"
        return f"{fit} ({most * self.warps / WARPS_PER_SM:.0%} of its warps), limited by {' and '.join(self.limiters)}"

    @property
    def pressure(self) -> str:
        """Registers in a sentence; "" where nobody knows."""
        roles = ", ".join(f"{count} in {warps}" for warps, count in self.roles.items())
        if not self.registers:
            return roles and f"registers of a thread: {roles}"
        return f"registers of a thread: {self.registers} at the start" + (f", {roles}" if roles else "")

    def record(self) -> dict[str, Any]:
        """For programs: what JSON can hold."""
        return {**asdict(self), "ctas": dict(self.ctas), "roles": dict(self.roles), "limiters": list(self.limiters)}


def occupancy(record: LaunchRecord, found: Predicted) -> Occupancy:
    """What the CTAs of a launch take of an SM."""
    registers = (record.registers() if record.registers is not None else None) or 0
    each = ctas_by_resource(record.threads, registers or 1, shared_wanted(record))
    if not registers:
        each.pop("registers")
    fewest = min(each.values())
    limiters = tuple(name for name, count in each.items() if count == fewest)
    return Occupancy(each, limiters, -(-record.threads // 32), registers, _roles(found))


def _roles(found: Predicted) -> dict[str, int]:
    """Registers that warpgroups have asked for last."""
    asked = {
        op: int(wanted.value)
        for op, one in enumerate(found.ops)
        if isinstance(one.inst.form.effect, RegisterFile)
        for wanted in one.inst.operands.values()
        if isinstance(wanted, Imm)
    }
    out: dict[str, int] = {}
    if not asked:
        return out
    warps = found.recorded[0].warps[0]
    for first in range(0, len(warps), _ROLE):
        executed = [op for op in warps[first].ops if op in asked]
        if executed:
            out[f"warps {first}-{min(first + _ROLE, len(warps)) - 1}"] = asked[executed[-1]]
    return out
