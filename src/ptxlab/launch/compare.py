"""A launch beside a reference: the first element that is wrong, and who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi import sanitizing
from ptxlab.abi.alive import check_buffers
from ptxlab.abi.maps import BoundMap
from ptxlab.abi.memory import address_of
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.compared import ComparedRun, Comparison, Mismatch
from ptxlab.launch.entry import Entry
from ptxlab.launch.explore import MOST, SEEDS
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.launch.last_writer import Written, written
from ptxlab.launch.suppressions import Suppressions

LAUNCHED = {f.name for f in fields(LaunchOptions)} - {"args", "device", "stream", "sanitize"}
LISTED = 4
"""Mismatches that a finding names."""
KINDS = ("eager", "late", "random")


@public
def compare(
    kernel: Kernel,
    reference: Callable[..., object],
    args: Sequence[Any],
    *,
    schedules: Sequence[str] = KINDS,
    seeds: Sequence[int] = (0, 1, 2),
    rtol: float = 0.0,
    atol: float = 0.0,
    sanitize: Sanitize = True,
    **launch: Any,
) -> Comparison:
    """Simulate a launch under several schedules, and compare what it leaves in its arrays with a reference.

    Each run begins with the arrays as they are at the call. They hold the results of the first run afterwards.

    Args:
        kernel, args: as in `px.simulate`; arrays are NumPy's.
        reference: called once with copies of `args`, in the place of a tensor map with a copy of its array. It writes what it
            expects into those, and returns None; or it returns a mapping from positions in `args` to arrays.
        schedules: of "eager", "late" and "random". seeds: of the random schedule, a run for each; the others run with the first
            seed alone, which is also that of memory that nobody has written.
        rtol, atol: an element is right where |value − wanted| ≤ atol + rtol · |wanted|, or both are NaN. Zeros: equal values.
        sanitize: look for races and missing waits in each run; "strict": as in `px.simulate`.
        launch: grid, block, cluster, shared, buffers, cooperative, lints, ignore, and the kernel's constants, as in `px.simulate`.

    Returns: the runs; it is true where all are right and nothing was found. The first mismatch says who wrote the element.

    Raises: Diagnostic as `px.simulate` for what is wrong with the launch itself, PTX2501 for options, PTX2342 for what the
        reference returns. What stops a run is in the comparison.

    Example:
        >>> @px.kernel(threads=32)
        ... def double(k, x: px.Ptr[px.u32]):
        ...     k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)
        >>> def reference(x):
        ...     x *= 2
        >>> print(px.compare(double, reference, [np.arange(32, dtype=np.uint32)], grid=1))
        double: 5 runs leave what the reference leaves
    """
    origin = user_span()
    settings = _settings(schedules, seeds, origin)
    options = SimOptions(seed=settings[0][1], sanitize=sanitizing.wanted(sanitize))
    chosen = {name: launch.pop(name) for name in LAUNCHED & launch.keys()}
    if "grid" not in chosen:
        raise Diagnostic("PTX2501", "grid= is missing.", help="give the number of CTAs: grid=1", origin=origin)
    entry = kernel_of(kernel).entry(**launch)
    compared = _Comparer(entry, LaunchOptions(args=args, device="sim", **chosen), options, (rtol, atol), origin)
    return compared.run(settings, compared.expected(reference))


def _settings(schedules: Sequence[str], seeds: Sequence[int], origin: Span | None) -> list[tuple[str, int]]:
    """Schedule and seed of each run."""
    names, numbers = tuple(schedules), tuple(seeds)
    wrong = [n for n in names if n not in KINDS]
    if wrong or not names or isinstance(schedules, str):
        raise Diagnostic(
            "PTX2501",
            f"schedules={schedules!r} is no list of schedules.",
            help='name one or more of "eager", "late" and "random", e.g. schedules=["eager", "late"]',
            origin=origin,
        )
    if not numbers or len(numbers) > MOST or not all(type(n) is int and 0 <= n < SEEDS for n in numbers):
        raise Diagnostic(
            "PTX2501",
            f"seeds={seeds!r} is no list of seeds.",
            help=f"use integers from 0 to 2^64 - 1, at most {MOST} of them, e.g. seeds=range(5)",
            origin=origin,
        )
    return [(name, seed) for name in names for seed in (numbers if name == "random" else numbers[:1])]


@dataclass(frozen=True, slots=True)
class _Watched:
    """An array among the arguments: its position, its name in reports, itself, and what it held before."""

    position: int
    name: str
    array: NDArray[Any]
    before: NDArray[Any]


class _Comparer:
    """Runs a launch again and again from the same memory, beside what is expected."""

    def __init__(
        self,
        entry: Entry,
        launched: LaunchOptions,
        options: SimOptions,
        tolerance: tuple[float, float],
        origin: Span | None,
    ) -> None:
        self._entry, self._options, self._tolerance, self._origin = entry, options, tolerance, origin
        self._args = launched.args
        self._wrong_at: dict[str, NDArray[np.int64]] = {}
        self._record = entry.built(launched, origin).record
        check_buffers(self._record.buffers)
        names = {b.address: b.name for b in self._record.buffers}
        self._arrays = [
            _Watched(i, names.get(address_of(a), f"args[{i}]"), a, a.copy())
            for i, a in enumerate(map(_array, launched.args))
            if a is not None
        ]

    def expected(self, reference: Callable[..., object]) -> dict[int, NDArray[Any]]:
        """What the reference wants in each array, by its position."""
        copies = {w.position: w.before.copy() for w in self._arrays}
        given = reference(*(copies.get(i, one) for i, one in enumerate(self._args)))
        if given is None:
            return copies
        if not isinstance(given, Mapping):
            raise self._wrong(f"The reference returns {type(given).__name__}.")
        known, out = {w.position: w.array for w in self._arrays}, dict[int, NDArray[Any]]()
        for position, wanted in cast("Mapping[Any, Any]", given).items():
            if position not in known:
                raise self._wrong(f"The reference returns something for args[{position!r}], which is no array.")
            found = np.asarray(wanted)
            if found.shape != known[position].shape:
                raise self._wrong(
                    f"The reference returns shape {found.shape} for args[{position}], which has {known[position].shape}."
                )
            out[position] = found
        return out

    def _wrong(self, message: str) -> Diagnostic:
        help = "let it write into its arguments and return None, or return {position in args: array of its shape}"
        return Diagnostic("PTX2342", message, help=help, origin=self._origin)

    def run(self, settings: Sequence[tuple[str, int]], expected: Mapping[int, NDArray[Any]]) -> Comparison:
        runs: list[ComparedRun] = []
        first: list[NDArray[Any]] = []
        try:
            for schedule, seed in settings:
                runs.append(self._run(schedule, seed, expected))
                first = first or [w.array.copy() for w in self._arrays]
            findings = self._findings(runs)
        finally:
            self._fill(first or [w.before for w in self._arrays])
        kept, hidden = Suppressions(self._entry).split(_each_once(findings, runs))
        return Comparison(self._entry.name, tuple(runs), kept, hidden)

    def _fill(self, contents: Sequence[NDArray[Any]]) -> None:
        for watched, held in zip(self._arrays, contents, strict=True):
            if watched.array.flags.writeable:
                watched.array[...] = held

    def _run(self, schedule: str, seed: int, expected: Mapping[int, NDArray[Any]]) -> ComparedRun:
        from ptxlab.sim import run

        self._fill([w.before for w in self._arrays])
        try:
            found = run(self._record, replace(self._options, schedule=schedule, seed=seed)).findings
        except Diagnostic as stop:
            if stop.span is None:
                stop.at(origin=self._origin)
            return ComparedRun(schedule, seed, stop, tuple(stop.also))
        differs = (self._mismatch(w, expected[w.position]) for w in self._arrays if w.position in expected)
        return ComparedRun(schedule, seed, None, tuple(found), tuple(m for m in differs if m is not None))

    def _mismatch(self, watched: _Watched, wanted: NDArray[Any]) -> Mismatch | None:
        wrong = ~_agrees(watched.array, wanted, *self._tolerance)
        count = int(np.count_nonzero(wrong))
        if not count:
            return None
        where = np.argwhere(wrong)
        self._wrong_at.setdefault(
            watched.name, where
        )  # of the first run that has any, which is the one that is explained
        index = tuple(int(i) for i in where[0])
        return Mismatch(watched.name, count, wrong.size, index, str(watched.array[index]), str(wanted[index]))

    def _findings(self, runs: Sequence[ComparedRun]) -> list[Diagnostic]:
        """The first mismatch: who has written the element, and how to see it again."""
        for number, run in enumerate(runs):
            if not run.mismatches:
                continue
            one = run.mismatches[0]
            told = self._written(run, one)
            writer = told.writer
            one = replace(one, writer=writer)
            cast("list[ComparedRun]", runs)[number] = replace(run, mismatches=(one, *run.mismatches[1:]))
            notes = [*self._notes(runs), *told.notes]
            return [
                Diagnostic(
                    "PTX9273",
                    f"the results differ from the reference: {one}",
                    notes=notes,
                    help=f"px.simulate(…, {run.how}) does it again",
                    span=writer.span if writer is not None else None,
                    origin=writer.origin if writer is not None else self._origin,
                )
            ]
        return []

    def _notes(self, runs: Sequence[ComparedRun]) -> list[str]:
        """In which runs it is so, and in which not."""
        alike = {tuple(map(str, r.mismatches)) for r in runs}
        if len(runs) > 1 and len(alike) == 1:
            return [f"in all {len(runs)} runs", *(str(m) for m in runs[0].mismatches[1:])]
        notes = [f"{r.how}: {m}" for r in runs for m in r.mismatches]
        left = len(notes) - LISTED
        right = [r.how for r in runs if r.stop is None and not r.mismatches]
        return [
            *notes[:LISTED],
            *([f"and {left} more"] if left > 0 else []),
            *([f"right with {right[0]}"] if right else []),
        ]

    def _written(self, run: ComparedRun, one: Mismatch) -> Written:
        """Who has written the first wrong element."""
        watched = next(w for w in self._arrays if w.name == one.array)
        self._fill([w.before for w in self._arrays])
        options = replace(self._options, schedule=run.schedule, seed=run.seed, sanitize=True)
        return written(self._record, options, watched.array, self._wrong_at[one.array])


def _array(argument: Any) -> NDArray[Any] | None:
    """The NumPy array that an argument is, or that a tensor map describes."""
    if isinstance(argument, BoundMap):
        argument = argument.owner
    return cast("NDArray[Any]", argument) if isinstance(argument, np.ndarray) else None


def _agrees(values: NDArray[Any], wanted: NDArray[Any], rtol: float, atol: float) -> NDArray[np.bool_]:
    """Where elements are right."""
    exact = cast("NDArray[np.bool_]", values == wanted)
    if values.dtype.kind in "iub" and not (rtol or atol):
        return exact
    ours, theirs = values.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(ours - theirs) <= atol + rtol * np.abs(theirs)
    return exact | near | (np.isnan(ours) & np.isnan(theirs))


def _each_once(findings: Sequence[Diagnostic], runs: Sequence[ComparedRun]) -> list[Diagnostic]:
    """The mismatch, and what stopped runs and what they found, each once."""
    out = list(findings)
    seen: set[tuple[object, ...]] = set()
    for run in runs:
        for found in (*([run.stop] if run.stop is not None else []), *run.findings):
            key = (found.code, found.span, found.origin, found.other, found.other_origin)
            if key not in seen:
                seen.add(key)
                found.notes = (*found.notes, f"with {run.how}")
                found.also = ()
                out.append(found)
    return out


__all__ = ["compare"]
