"""Counts of a launch, in all and by instruction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, Span, shortened, user_span
from ptxlab.isa.effects import Access, AsyncCopy

if TYPE_CHECKING:
    from ptxlab.diag.tables import Table
    from ptxlab.ptx.program import Op


@dataclass(frozen=True, slots=True, repr=False)
class Site:
    """What one instruction did in a launch.

    Attributes:
        text, form: the instruction, and its name. line: of the PTX text. source: the Python or C++ line behind it, if known.
        kind: "load", "store", "atomic", "cp.async", "bulk load", "bulk store", "TMA load", "TMA store",
            "DSMEM copy", "DSMEM store", "DSMEM atomic", or "" for what moves nothing.
        counts: by the names of `frame.COUNTERS`. size: bytes of a thread's access. copied: bytes that a unit moved for it.

    Example:
        @px.kernel(threads=32)
        def columns(k, x: px.Ptr[px.u32]):
            buf = k.smem(px.u32, 32 * 32)
            k.st.shared.u32(buf.at(k.tid.x * 128), k.ld.global_.u32(x[k.tid.x]))  # all lanes use one bank

        stats = px.simulate(columns, grid=1, args=[np.zeros(32, np.uint32)], stats=True).stats

        site = next(s for s in stats.sites if s.kind == "store")
        print(site.executions, site.threads, site.bank_conflicts, site.wavefronts_per_request)  # 1 32 31 32.0
        print(site.sectors_per_request, site.waits, site.bytes)  # 0.0 0 {'shared store': 128}
        print(site.global_read, site.global_written, site.sectors)  # 0 0 0
    """

    text: str
    form: str
    kind: str
    line: int
    source: Span | None
    counts: Mapping[str, int]
    size: int = 0
    copied: int = 0

    def __repr__(self) -> str:
        return f"<Site line {self.line}: {shortened(self.text)}, {self.executions:,} executions>"

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import facts

        source = "" if self.source is None else self.source.shown
        counts = [(name.replace("_", " "), f"{count:,}") for name, count in self.counts.items() if count]
        moved = [(path, f"{nbytes:,} bytes") for path, nbytes in self.bytes.items()]
        return facts(repr(self)[1:-1], [("source", source), ("kind", self.kind), *moved, *counts])

    @property
    def executions(self) -> int:
        """Executions by warps, those left out in which no lane had the guard."""
        return self.counts["executions"]

    @property
    def threads(self) -> int:
        """Executions by threads."""
        return self.counts["threads"]

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts of shared memory beyond those that the accesses need at least."""
        return self.counts["wavefronts"] - self.counts["least_wavefronts"]

    @property
    def wavefronts_per_request(self) -> float:
        """Wavefronts of shared memory for one access of a warp; 0 where there is none."""
        return self.counts["wavefronts"] / max(1, self.counts["shared_requests"])

    @property
    def sectors_per_request(self) -> float:
        """Sectors of 32 bytes for one access of a warp to global memory; 0 where there is none."""
        return self.counts["sectors"] / max(1, self.counts["global_requests"])

    @property
    def sectors(self) -> int:
        """Sectors of 32 bytes that the accesses of warps to global memory touch."""
        return self.counts["sectors"]

    @property
    def global_read(self) -> int:
        """Bytes of global memory that threads, or a unit for them, have read. An atomic reads, and so does a reduction."""
        if self.kind in _COPIES_IN or (self.kind in _COPIES_OUT and self.form.startswith("cp.reduce")):
            return self.copied
        if self.kind == "cp.async":
            return sum(self.bytes.values())
        return self.counts["global_threads"] * self.size if self.kind in ("load", "atomic") else 0

    @property
    def global_written(self) -> int:
        """Bytes of global memory that threads, or a unit for them, have written."""
        if self.kind in _COPIES_OUT:
            return self.copied
        return self.counts["global_threads"] * self.size if self.kind in ("store", "atomic") else 0

    @property
    def waits(self) -> int:
        """How often a warp found at a barrier that it had to wait, in the order in which the simulator runs warps.

        That depends on the schedule: under `eager` a copy has happened when it is issued, and nobody waits for it. The waits of
        the timeline are those of its clock, and the same copy is waited for there.
        """
        return self.counts["waits"]

    @property
    def bytes(self) -> dict[str, int]:
        """Bytes moved, by path: "global load", "shared store", "DSMEM load", "local load", "cp.async", "TMA load" …"""
        if self.copied:
            return {self.kind: self.copied}
        if self.kind == "cp.async":
            return {self.kind: self.counts["threads"] * self.size}
        remote = self.counts["remote_threads"]
        moved = {
            "global": self.counts["global_threads"],
            "shared": self.counts["shared_threads"] - remote,
            "DSMEM": remote,
            "local": self.counts["local_threads"],
        }
        return {
            f"{space} {self.kind}": threads * self.size for space, threads in moved.items() if threads and self.size
        }


_COPIES_IN = ("bulk load", "TMA load")
_COPIES_OUT = ("bulk store", "TMA store")


def path_of(op: Op) -> str:
    """What kind of data path an instruction takes."""
    effect = op.inst.form.effect
    if isinstance(effect, Access):
        return effect.kind
    if not isinstance(effect, AsyncCopy):
        return ""
    if effect.completion == "cp.async-group":
        return effect.completion.removesuffix("-group")
    data = [t for t in op.inst.effect.touches if t.update != "mbarrier" and t.proxy == effect.proxy]
    source = next((t.space for t in data if not t.writes), None)
    outside = any(t.writes and t.space == "global" for t in data)
    if effect.tensor:
        return "TMA store" if outside else "TMA load"
    if source is None:  # from registers
        return "DSMEM store" if effect.update is None else "DSMEM atomic"
    if source != "global" and not outside:
        return "DSMEM copy"
    return "bulk store" if outside else "bulk load"


def joined(sites: Sequence[Site]) -> Site:
    """What one instruction did in several parts of a launch, as one."""
    counts = {n: sum(s.counts[n] for s in sites) for n in sites[0].counts}
    counts["worst_wavefronts"] = max(s.counts["worst_wavefronts"] for s in sites)
    return replace(sites[0], counts=counts, copied=sum(s.copied for s in sites))


@dataclass(slots=True, repr=False)
class Stats:
    """Counts of a launch. They depend on the program, its inputs, the schedule and the seed alone.

    Attributes:
        instructions: thread-instructions: one for each thread that is active when its warp executes an instruction.
        warp_instructions: instructions that warps executed.
        traps: executions of instructions that compiled code left to the asynchronous units, by the name of their form.
        ctas: CTAs that ran.
        seconds: wall-clock time of the run (not deterministic).
        workers: processes that the launch was spread over. serial: why it ran in one, where it was to be spread.
        sites: what each instruction did, in the order of the text; empty unless the launch was simulated with stats=True.

    Example:
        @px.kernel(threads=32)
        def columns(k, x: px.Ptr[px.u32]):
            buf = k.smem(px.u32, 32 * 32)
            k.st.shared.u32(buf.at(k.tid.x * 128), k.ld.global_.u32(x[k.tid.x]))  # all lanes use one bank

        stats = px.simulate(columns, grid=1, args=[np.zeros(32, np.uint32)], stats=True).stats

        print(stats.bank_conflicts, stats.bytes)  # 31 {'global load': 128, 'shared store': 128}
        print(stats.sectors_per_request, stats.waits, stats.forms["st"])  # 4.0 0 1
        print(stats.global_read, stats.global_written, stats.sectors)  # 128 0 4
        print(stats.at(stats.sites[0].line)[0].text == stats.sites[0].text, stats.table().row_count)  # True 2
    """

    instructions: int = 0
    warp_instructions: int = 0
    traps: dict[str, int] = field(default_factory=dict[str, int])
    ctas: int = 0
    seconds: float = 0.0
    workers: int = 1
    serial: str | None = None
    sites: list[Site] = field(default_factory=list[Site])

    def __repr__(self) -> str:
        return (
            f"<Stats: {self.instructions:,} thread-instructions, {self.ctas:,} CTA{'s' * (self.ctas != 1)}, {self.workers} "
            f"process{'es' if self.workers > 1 else ''}{'' if self.sites else ', no counters (stats=True)'}>"
        )

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import heading, of

        return heading(repr(self)[1:-1]) + (of(self.table()) if self.sites else "")

    @property
    def forms(self) -> dict[str, int]:
        """Executions by warps, by the name of the form, most frequent first. Raises: Diagnostic PTX2501 without stats=True."""
        return _summed((s.form, s.executions) for s in self._counted())

    @property
    def bytes(self) -> dict[str, int]:
        """Bytes moved, by path, most first: what threads ask for, not what sectors carry. Raises: as `forms`."""
        return _summed(item for s in self._counted() for item in s.bytes.items())

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts of shared memory beyond the least. Raises: as `forms`."""
        return sum(s.bank_conflicts for s in self._counted())

    @property
    def sectors_per_request(self) -> float:
        """Sectors of global memory for one access of a warp, on average. Raises: as `forms`."""
        counts = [s.counts for s in self._counted()]
        return sum(c["sectors"] for c in counts) / max(1, sum(c["global_requests"] for c in counts))

    @property
    def sectors(self) -> int:
        """Sectors of 32 bytes that the accesses of warps to global memory touch; copies of the TMA are not among them.
        Raises: as `forms`."""
        return sum(s.sectors for s in self._counted())

    @property
    def global_read(self) -> int:
        """Bytes of global memory that are read: by threads, by cp.async, and by bulk and TMA copies. Raises: as `forms`.

        As many as are asked for: sectors carry more, caches may save some. An atomic or a reduction reads and writes.
        """
        return sum(s.global_read for s in self._counted())

    @property
    def global_written(self) -> int:
        """Bytes of global memory that are written, counted as `global_read`. Raises: as `forms`."""
        return sum(s.global_written for s in self._counted())

    @property
    def waits(self) -> int:
        """How often a warp found at a barrier that it had to wait, for others or for a copy. Raises: as `forms`.

        That depends on the schedule: under `eager` a copy has happened when it is issued, and nobody waits for it. The waits of
        the timeline are those of its clock: docs/explanation/simulator.md says more.
        """
        return sum(s.waits for s in self._counted())

    def data(self) -> dict[str, Any]:
        """The counts as data that JSON can hold. Raises: as `forms`.

        Returns: `instructions`, `warp_instructions`, `ctas`, `bytes`, `global_read`, `global_written`, `sectors`,
            `bank_conflicts`, `waits`, and `sites`: of each instruction `line`, `text`, `form`, `kind`, `bytes` and its `counts`.

        Example:
            import json

            def save(report):
                json.dump(report.stats.data(), open("stats.json", "w"))
        """
        names = ("instructions", "warp_instructions", "ctas", "bytes", "global_read", "global_written", "sectors")
        sites = [
            {name: getattr(s, name) for name in ("line", "text", "form", "kind", "bytes")} | {"counts": dict(s.counts)}
            for s in self._counted()
        ]
        return {name: getattr(self, name) for name in (*names, "bank_conflicts", "waits")} | {"sites": sites}

    def at(self, line: int) -> list[Site]:
        """The instructions of a line of the PTX text. Raises: as `forms`."""
        return [s for s in self._counted() if s.line == line]

    def table(self) -> Table:
        """A table of what moves data or waits, one row for each instruction; `print` and notebooks show it. Raises: as `forms`.

        Columns: line of the PTX, instruction, executions by warps, bytes, wavefronts an access of shared memory, wavefronts beyond
        the least (conflicts), sectors an access of global memory, waits of warps, and the source line. Columns without a
        number are left out. Below: the bytes of global memory that are read and written in all, and the sectors.
        """
        from rich.box import SIMPLE_HEAD
        from rich.text import Text

        from ptxlab.diag.tables import Table

        sites = [s for s in self._counted() if s.waits or s.bytes]
        files = {s.source.file for s in sites if s.source is not None}
        title = f"{self.warp_instructions:,} warp instructions in {self.ctas:,} CTA{'s' * (self.ctas != 1)}"
        title += "".join(f" of {Path(file).name}" for file in files if len(files) == 1)
        made = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        rows = [_row(s, len(files) > 1) for s in sites]
        kept = [i for i, name in enumerate(_COLUMNS) if name in _ALWAYS or any(row[i] for row in rows)]
        for name in (_COLUMNS[i] for i in kept):
            if name in ("instruction", "source"):
                made.add_column(name, overflow="fold", min_width=6)
            else:
                made.add_column(name, justify="right", no_wrap=True)
        for row in rows:
            made.add_row(*(Text(row[i]) for i in kept))  # as it is: brackets are no markup
        made.caption, made.caption_justify = self._totals(), "left"
        return made

    def _totals(self) -> str:
        sectors = f"; warps touch {self.sectors:,} sectors" if self.sectors else ""
        return f"global memory: {self.global_read:,} bytes read, {self.global_written:,} written{sectors}"

    def _counted(self) -> list[Site]:
        if not self.sites:
            raise Diagnostic(
                "PTX2501",
                "The launch was simulated without counters.",
                help="simulate it with stats=True",
                origin=user_span(),
            )
        return self.sites


_COLUMNS = ("line", "instruction", "warps", "bytes", "wave-\nfronts", "con-\nflicts", "sectors", "waits", "source")
_ALWAYS = ("line", "instruction", "warps", "bytes")


def _row(s: Site, named: bool) -> tuple[str, ...]:
    """The cells of a row; `named`: the source line with its file."""
    shared, world = s.counts["shared_requests"], s.counts["global_requests"]
    return (
        str(s.line),
        s.text,
        f"{s.executions:,}",
        f"{sum(s.bytes.values()):,}",
        f"{s.wavefronts_per_request:.2f}" if shared else "",
        f"{s.bank_conflicts:,}" if shared else "",
        f"{s.sectors_per_request:.2f}" if world else "",
        f"{s.waits:,}" if s.waits else "",
        "" if s.source is None else f"{Path(s.source.file).name}:{s.source.line}" if named else str(s.source.line),
    )


def _summed(items: Iterable[tuple[str, int]]) -> dict[str, int]:
    out: dict[str, int] = {}
    for name, count in items:
        out[name] = out.get(name, 0) + count
    return {k: v for k, v in sorted(out.items(), key=lambda item: (-item[1], item[0])) if v}
