"""What a process is told about its part of a launch, what it does, and what it answers."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import Buffer, Dim3, LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.program import Program
from ptxlab.sim.diagnose.observe.counting import sector_start
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.compiled.native import Bytes
from ptxlab.sim.report.stats import Stats
from ptxlab.sim.report.unwatched import Unwatched
from ptxlab.sim.report.unwritten import Stored
from ptxlab.sim.spread.arena import Arena, Marks
from ptxlab.sim.spread.layout import Layout
from ptxlab.sim.spread.log import Log
from ptxlab.sim.spread.part import ArenaMemory, Cancelled, Entangled, Part

PROGRAMS = 16
"""Kernels that a process keeps."""
CANCELLED = "another part has no result"
NO_MEMORY = "a process ran out of memory"


@dataclass(frozen=True, slots=True)
class Task:
    """A launch as any process can carry it out.

    Attributes:
        text, entry: the PTX of the kernel's module, and its name.
        grid, block, cluster, cluster_named, shared, params, variables: as in the launch record. Addresses are the caller's.
        buffers: name, address, bytes, whether writable, where sectors are counted from.
        layout: of the memory that comes along.
        options: of the launch, without what belongs to the caller's process. waits: see `Part`.
    """

    text: str
    entry: str
    grid: Dim3
    block: Dim3
    cluster: Dim3
    cluster_named: bool
    shared: int
    params: bytes
    variables: Mapping[str, int]
    buffers: tuple[tuple[str, int, int, bool, int], ...]
    layout: Layout
    options: SimOptions
    waits: bool

    @classmethod
    def of(cls, record: LaunchRecord, text: str, layout: Layout, options: SimOptions, *, waits: bool) -> Task:
        """The task of a launch whose module has this text."""
        return cls(
            text=text,
            entry=record.program.name,
            grid=record.grid,
            block=record.block,
            cluster=record.cluster,
            cluster_named=record.cluster_named,
            shared=record.shared,
            params=record.params,
            variables=dict(record.variables),
            buffers=tuple((b.name, b.address, b.nbytes, b.writable, sector_start(b)) for b in record.buffers),
            layout=layout,
            options=replace(options, progress=None, workers=None, client=None),
            waits=waits,
        )

    def record(self) -> LaunchRecord:
        """The launch, to be run on a copy of its memory."""
        return LaunchRecord(
            _program(self.text, self.entry),
            grid=self.grid,
            block=self.block,
            cluster=self.cluster,
            cluster_named=self.cluster_named,
            shared=self.shared,
            params=self.params,
            buffers=tuple(Buffer(*b) for b in self.buffers),
            variables=self.variables,
        )


@dataclass(slots=True)
class Outcome:
    """How a part ended.

    Attributes:
        trouble: why it has no result; None where it has one. Then the launch is run in one process, which says all.
        log: what it touched. printed: what it printed, by cluster. stats: its counts.
        unwatched: what its sanitizer had no room to follow. stored: what that has seen it store, by address.
    """

    trouble: str | None = None
    log: Log | None = None
    printed: dict[int, str] = field(default_factory=dict[int, str])
    stats: Stats = field(default_factory=Stats)
    unwatched: Unwatched = field(default_factory=Unwatched)
    stored: Mapping[int, Stored] = field(default_factory=dict[int, Stored])


def perform(
    task: Task,
    parts: tuple[range, ...],
    data: Bytes,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], object] | None = None,
    marks: Marks | None = None,
) -> Outcome:
    """Run parts of a launch on a copy of its memory, of `Arena.nbytes(task.layout)` bytes, which is written to.

    `cancelled`, `progress`: called now and then. `marks`: see Arena.
    """
    try:
        arena = Arena(task.layout, data, marks)
    except (MemoryError, OSError):
        return Outcome(NO_MEMORY)
    options = replace(task.options, progress=progress)
    part = Part(arena, waits=task.waits, cancelled=cancelled)
    try:
        report = machine_of(task.record(), options, part, memory=ArenaMemory(arena), parts=parts).run()
    except Diagnostic as d:
        return Outcome(f"a part of it found {d.code}")
    except Entangled:
        return Outcome("a cluster may wait for another one")
    except Cancelled:
        return Outcome(CANCELLED)
    except MemoryError:
        return Outcome(NO_MEMORY)
    if report.findings:
        return Outcome(f"a part of it found {report.findings[0].code}")
    return Outcome(None, arena.log(), part.texts, report.stats, report.unwatched, part.has_stored)


@lru_cache(maxsize=1)
def version() -> str:
    """A digest of this package: another one may give other results."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()


_programs: OrderedDict[tuple[str, str], Program] = OrderedDict()
_lock = threading.Lock()


def _program(text: str, entry: str) -> Program:
    with _lock:
        found = _programs.get((text, entry))
        if found is None:
            found = _programs[text, entry] = lower(parse(text), entry)
            while len(_programs) > PROGRAMS:
                _programs.popitem(last=False)
        _programs.move_to_end((text, entry))
        return found
