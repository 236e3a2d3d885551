"""A launch under many schedules: where its results or its end depend on the schedule, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.alive import check_buffers
from ptxlab.abi.arrays import view
from ptxlab.abi.memory import bytes_of
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.entry import Entry
from ptxlab.launch.explored import Difference, Exploration, ExploredRun
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.launch.progress import ProgressCallback, shown
from ptxlab.launch.suppressions import Suppressions

SEEDS = 1 << 64
MOST = 10_000
"""Random schedules of one call, at most."""
LISTED = 4
"""Runs that a finding names."""


@public
def explore(
    kernel: Kernel,
    *,
    grid: Extents,
    block: Extents | None = None,
    cluster: Extents | None = None,
    shared: int | None = None,
    args: Sequence[Any] = (),
    buffers: Sequence[Any] = (),
    cooperative: bool = False,
    lints: bool = True,
    ignore: str | Sequence[str] = (),
    schedules: int = 8,
    seed: int = 0,
    poison: bool = True,
    max_instructions: int | None = None,
    progress: ProgressCallback | bool | None = None,
    **constants: Any,
) -> Exploration:
    """Run a launch under many schedules and compare what it leaves: eager with two seeds, late, and random ones.

    Each run begins with the arrays as they are at the call, which hold the results of the first run afterwards. Where the runs
    differ, the sanitizer runs the launch once and says why.

    Args:
        kernel, grid, block, cluster, shared, args, buffers, cooperative, lints, ignore, constants: as in `Kernel.launch`;
            arrays are NumPy's.
        schedules: how many random schedules; their seeds are `seed` + 1, `seed` + 2, ….
        seed: of the first run; also that of memory that nobody has written, which therefore differs from run to run.
        poison: False: memory that nobody has written is zero in all runs.
        max_instructions: ends a run after so many instructions, counted per thread.
        progress: as in `px.simulate`, for each run.

    Returns: the runs, in what they differ, and the causes.

    Raises: Diagnostic as `Kernel.launch` for what is wrong with the launch itself, PTX2501 for bad options. What stops a run is in
        the exploration.

    Example:
        @px.kernel(threads=64)
        def last(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[0], k.tid.x)  # two warps write the same place

        y = np.zeros(1, np.uint32)

        found = px.explore(last, grid=1, args=[y], schedules=4)
        print(found.same, found.findings[0].code)  # False PTX9270
    """
    launched = LaunchOptions.of(locals(), device="sim")
    options = SimOptions.of(locals(), progress=None)
    return explored(kernel, launched, options, schedules, progress, constants)


def explored(
    kernel: Kernel,
    launched: LaunchOptions,
    options: SimOptions,
    schedules: int,
    progress: ProgressCallback | bool | None = None,
    constants: Mapping[str, Any] = MappingProxyType({}),
) -> Exploration:
    """The same, options as objects."""
    from ptxlab.sim.engine.machine.options import checked, whole

    origin = user_span()
    options, count = checked(replace(options, sanitize=False)), whole(schedules)
    if count is None or not 0 <= count <= MOST:
        raise Diagnostic(
            "PTX2501",
            f"schedules={schedules!r} is no number of schedules.",
            help=f"use an integer from 0 to {MOST}",
            origin=origin,
        )
    entry = kernel_of(kernel).entry(**constants)
    record = entry.built(launched, origin).record
    check_buffers(record.buffers)
    return _Explorer(entry, record, options, origin, progress).explore(count)


class _Explorer:
    """Runs a launch again and again from the same memory."""

    def __init__(
        self,
        entry: Entry,
        record: LaunchRecord,
        options: SimOptions,
        origin: Span | None,
        progress: ProgressCallback | bool | None,
    ) -> None:
        self._entry, self._record, self._options = entry, record, options
        self._origin, self._progress = origin, progress
        self._buffers = [b for b in record.buffers if b.writable and b.nbytes and b.address != record.workspace]
        self._before = [bytes_of(b).copy() for b in self._buffers]
        self._first: list[NDArray[np.uint8]] = []
        self._left: dict[tuple[str, int], bytes] = {}

    def explore(self, count: int) -> Exploration:
        seed = self._options.seed
        settings = [("eager", seed), ("eager", (seed + 1) % SEEDS), ("late", seed)]
        settings += [("random", (seed + i) % SEEDS) for i in range(1, count + 1)]
        try:
            runs = [self._run(*setting) for setting in settings]
            causes = self._causes(runs)
            findings = [*self._differences(runs, causes), *causes]
        finally:
            self._fill(self._first or self._before)
        findings += _own(runs, findings)
        kept, hidden = Suppressions(self._entry).split(findings)
        return Exploration(self._entry.name, tuple(runs), kept, hidden)

    def _fill(self, contents: Sequence[NDArray[np.uint8]]) -> None:
        for buffer, held in zip(self._buffers, contents, strict=True):
            bytes_of(buffer)[:] = held

    def _run(self, schedule: str, seed: int, *, sanitize: bool = False) -> ExploredRun:
        """One run. The first one is kept, and the others are compared with it."""
        from ptxlab.sim import run

        self._fill(self._before)
        options = replace(self._options, schedule=schedule, seed=seed, sanitize=sanitize)
        stop: Diagnostic | None = None
        findings: Sequence[Diagnostic] = ()
        try:
            with shown(self._progress, self._entry.name) as callback:
                findings = run(self._record, replace(options, progress=callback)).findings
        except Diagnostic as d:
            if d.span is None:
                d.at(origin=self._origin)
            stop, findings = d, d.also
        if not self._first:
            self._first, self._stopped = [bytes_of(b).copy() for b in self._buffers], stop is not None
        self._left[schedule, seed] = self._digest() if stop is None else b""
        compared = stop is None and not self._stopped and not sanitize
        differences = tuple(self._compare()) if compared else ()
        return ExploredRun(schedule, seed, stop, tuple(findings), differences)

    def _digest(self) -> bytes:
        found = sha256()
        for b in self._buffers:
            found.update(bytes_of(b).tobytes())
        return found.digest()

    def _compare(self) -> list[Difference]:
        found = [_difference(b, before) for b, before in zip(self._buffers, self._first, strict=True)]
        return [d for d in found if d is not None]

    # -- why
    def _causes(self, runs: Sequence[ExploredRun]) -> list[Diagnostic]:
        """What the sanitizer says, where runs differ: of the first run, or where that has no finding of those that differ."""
        others = [run for run in runs if run.differences or run.outcome != runs[0].outcome]
        for run in (runs[0], *others[:LISTED]) if others else ():
            sanitized = self._run(run.schedule, run.seed, sanitize=True)
            stop = [sanitized.stop] if sanitized.stop is not None and sanitized.stop.code.startswith("PTX92") else []
            if found := [*stop, *sanitized.findings]:
                return found
        return []

    def _differences(self, runs: Sequence[ExploredRun], causes: Sequence[Diagnostic]) -> list[Diagnostic]:
        """A diagnostic for each way in which runs differ: by the schedule, by unwritten memory, by how they end."""
        out: list[Diagnostic] = []
        first = runs[0]
        unwritten = [run for run in runs if run.differences and self._is_unwritten(run)]
        scheduled = [run for run in runs if run.differences and run not in unwritten]
        ends = [run for run in runs if run.outcome != first.outcome]
        if scheduled:
            out.append(self._told("PTX9270", "the results depend on the schedule", first, scheduled, causes))
        if ends:
            out.append(self._ends(first, ends, causes))
        if unwritten:
            words = "the results depend on memory that nobody has written"
            out.append(self._told("PTX9272", words, first, unwritten, causes))
        return out

    def _is_unwritten(self, run: ExploredRun) -> bool:
        """Whether a run leaves what its seed leaves under the first schedule: unwritten memory makes the difference, then."""
        if run.schedule == "eager":
            return True
        if run.seed == self._options.seed or not self._options.poison:
            return False
        plain = ("eager", run.seed)
        if plain not in self._left:
            self._run(*plain)
        return self._left[plain] == self._left[run.schedule, run.seed]

    def _told(
        self, code: str, words: str, first: ExploredRun, runs: Sequence[ExploredRun], causes: Sequence[Diagnostic]
    ) -> Diagnostic:
        one = runs[0]
        notes = [f"{run.how}: {d}" for run in runs[:LISTED] for d in run.differences[:LISTED]]
        if len(runs) > LISTED:
            notes.append(f"and {len(runs) - LISTED} more runs")
        return self._made(code, f"{words}: {one.differences[0]}", [f"compared with {first.how}", *notes], one, causes)

    def _ends(self, first: ExploredRun, runs: Sequence[ExploredRun], causes: Sequence[Diagnostic]) -> Diagnostic:
        one = runs[0]
        words = (
            f"how the launch ends depends on the schedule: {_end(first)} with {first.how}, {_end(one)} with {one.how}"
        )
        notes = [f"{run.how}: {run.stop.message if run.stop else 'it ends'}" for run in (first, *runs[:LISTED])]
        if len(runs) > LISTED:
            notes.append(f"and {len(runs) - LISTED} more runs that end otherwise than the first")
        stopped = next((run.stop for run in (one, first) if run.stop is not None), None)
        found = self._made("PTX9271", words, notes, one, causes)
        if stopped is not None:
            found.at(stopped.span, stopped.origin)
            found.wait_graph = stopped.wait_graph
        return found

    def _made(
        self, code: str, words: str, notes: Sequence[str], one: ExploredRun, causes: Sequence[Diagnostic]
    ) -> Diagnostic:
        why = [f"the sanitizer finds the cause: {d.code}, {d.message}" for d in causes[:2]]
        if not why:
            why = [
                "the sanitizer finds no access that is not ordered: a result may depend on an order that the kernel leaves open"
            ]
        place = causes[0] if causes else None
        return Diagnostic(
            code,
            words,
            notes=[*notes, *why],
            help=f"px.simulate(…, {one.how}) does it again, on the command line --schedule {one.schedule} --seed {one.seed}",
            span=place.span if place is not None else None,
            origin=place.origin if place is not None else self._origin,
        )


def _end(run: ExploredRun) -> str:
    return "it ends" if run.stop is None else f"it stops ({run.outcome})"


def _own(runs: Sequence[ExploredRun], known: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What runs found themselves, and what stopped the first of them, each once, with how to do it again."""
    out: list[Diagnostic] = []
    seen = {(d.code, d.span, d.origin) for d in known}
    for run in runs:
        for found in (*([run.stop] if run.stop is not None else []), *run.findings):
            key = (found.code, found.span, found.origin)
            if key not in seen:
                seen.add(key)
                found.notes = (*found.notes, f"with {run.how}")
                found.also = ()
                out.append(found)
    return out


def _difference(b: Buffer, before: NDArray[np.uint8]) -> Difference | None:
    """In what an array differs from what it held before."""
    now = bytes_of(b)
    if np.array_equal(now, before):
        return None
    size, shape, dtype = _form(b)
    old, new = before.reshape(-1, size), now.reshape(-1, size)
    rows = np.flatnonzero((old != new).any(axis=1))
    first = int(rows[0])
    pair = old[first], new[first]
    return Difference(
        b.name,
        len(rows),
        len(old),
        tuple(map(int, np.unravel_index(first, shape))) if shape else (first * size,),
        (_value(pair[0], dtype), _value(pair[1], dtype)),
        (_bits(pair[0]), _bits(pair[1])),
    )


def _form(b: Buffer) -> tuple[int, tuple[int, ...], Any]:
    """Bytes of an element, the shape and NumPy's type; of what is no array in row-major order, bytes."""
    owner: Any = b.array
    if isinstance(owner, tuple):
        owner = cast("tuple[Any, ...]", owner)[0]
    try:
        seen = view(owner)
    except Diagnostic:
        return 1, (), None
    whole = seen.contiguous and seen.address == b.address and seen.itemsize and b.nbytes % seen.itemsize == 0
    if not whole or int(np.prod(seen.shape)) * seen.itemsize != b.nbytes:
        return 1, (), None
    return seen.itemsize, seen.shape, cast("Any", owner).dtype if isinstance(owner, np.ndarray) else None


def _value(raw: NDArray[np.uint8], dtype: Any) -> str:
    """An element as NumPy shows it; of other libraries' arrays, an integer."""
    if getattr(dtype, "itemsize", 0) != len(raw):
        return str(int.from_bytes(raw.tobytes(), "little"))
    return str(np.frombuffer(raw.tobytes(), dtype)[0])


def _bits(raw: NDArray[np.uint8]) -> str:
    return f"0x{int.from_bytes(raw.tobytes(), 'little'):0{2 * len(raw)}x}"


__all__ = ["explore", "explored"]
