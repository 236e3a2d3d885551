"""`ptxlab conformance`: the simulator against a record of an H100, or against the GPU of this machine."""

from __future__ import annotations

import json
import multiprocessing
import random
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from rich.progress import Progress
from rich.table import Table

from ptxlab.abi.sanitizing import Watcher, watching
from ptxlab.bench import machine, records
from ptxlab.conformance.programs.tree import FAMILY as PROGRAMS
from ptxlab.conformance.record.chip import hopper
from ptxlab.conformance.record.golden import COMPACT, Golden
from ptxlab.conformance.record.results import Difference
from ptxlab.conformance.runner.suites import FUNCTIONS, KERNELS, SUITES, Checked, Finding, Suite, Tally, Unit, families
from ptxlab.diag import Diagnostic, console

_SHOWN: Final = 20
_FOLDERS: Final = ("tests/conformance/h100", "../../tests/conformance/h100")
_FINDINGS: Final = "PTX92"
_LATER: Final = "h200"
"""The folder beside a record's, with what was recorded later, on another GPU."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to compare.

    Attributes:
        on: "sim" compares the simulator with the record, "gpu" with the GPU of this machine.
        families: files of `isa/rows/`, "programs", "functions" or "kernels"; empty for all.
        full: everything, and not a part.
        seed: of the part, or of the operands that a GPU gets; None draws one.
        folder: of the records; None for the checkout's, or else the package's own.
        workers: processes; 0 for as many as there are cores.
        sanitized: whether launches are sanitized, and their findings count.
    """

    on: str = "sim"
    families: tuple[str, ...] = ()
    full: bool = False
    seed: int | None = None
    folder: Path | None = None
    workers: int = 0
    sanitized: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was compared.

    Attributes:
        checked: cases and differences by family.
        seed: of the part or of the operands.
        against: where the chip's results come from.
        seconds: taken.
        waiting: cases by family that the record does not hold yet.
        sanitized: whether the sanitizer has looked.
    """

    checked: Checked
    seed: int
    against: str
    seconds: float
    waiting: Mapping[str, int] = field(default_factory=dict[str, int])
    sanitized: bool = False

    @property
    def wrong(self) -> bool:
        """Whether anything differs, or the sanitizer finds anything."""
        return self.different > 0 or bool(self.checked.findings)

    @property
    def cases(self) -> int:
        """All of them."""
        return sum(t.cases for t in self.checked.tallies.values())

    @property
    def different(self) -> int:
        """Cases that differ."""
        return sum(t.different for t in self.checked.tallies.values())


@dataclass(frozen=True, slots=True)
class Chunk:
    """Units of a suite, a chip's results for them, and whether their launches are sanitized."""

    suite: str
    names: tuple[str, ...]
    golden: Golden
    sanitized: bool = False


def records_folder() -> Path:
    """Where a checkout keeps its records; the compact record of the package where there is none."""
    here = Path(__file__).resolve().parents[2]
    found = (place for place in (Path.cwd() / _FOLDERS[0], here / _FOLDERS[1]) if place.is_dir())
    return next(found, COMPACT).resolve()


def folders(folder: Path) -> list[Path]:
    """A record's folder, and the one beside it that holds what was recorded later."""
    later = folder.parent / _LATER
    return [folder, later] if folder.name == "h100" and later.is_dir() else [folder]


def compare(options: Options, progress: Progress | None = None) -> Outcome:
    """Compare the simulator with a record or with GPU 0.

    Raises: Diagnostic PTX2500 for a record that is missing or of other operands, and for an unknown family; PTX2304 and
    PTX2422 without a GPU, PTX2423 where it is no Hopper.
    """
    known(options.families)
    begin = time.perf_counter()
    seed = options.seed if options.seed is not None else (secrets.randbits(31) if options.on == "gpu" else 0)
    left: dict[str, int] = {}
    if options.on == "gpu":
        against, chunks = hopper().versions, _from_gpu(options, seed)
    else:
        folder = options.folder or records_folder()
        against, chunks, left = (
            _provenance(folder),
            _from_record(options, seed, folder),
            waiting(folder, options.families) if folder != COMPACT else {},
        )
    checked = _checked(chunks, options, progress)
    seconds = time.perf_counter() - begin
    return Outcome(_only(checked, options.families), seed, against, seconds, left, options.sanitized)


def waiting(folder: Path, named: Sequence[str] = ()) -> dict[str, int]:
    """Cases by family that records lack although there are generators for them: they wait for the next recording."""
    out: dict[str, int] = {}
    for suite in SUITES.values():
        found = [held for place in folders(folder) if (held := suite.read(place)) is not None]
        if not found:
            continue
        for unit in wanted(suite.units(), named):
            if unit.cases and not any(held.holds(unit.name) for held in found):
                out[unit.family] = out.get(unit.family, 0) + unit.cases
    return out


def lines() -> list[str]:
    """What tables have lines for."""
    return [*families(), PROGRAMS, FUNCTIONS, KERNELS]


def known(named: Sequence[str]) -> None:
    """Raises: Diagnostic PTX2500 for a family that there is not."""
    unknown = [f for f in named if f not in lines()]
    if unknown:
        raise Diagnostic(
            "PTX2500", f"`{unknown[0]}` is no file of isa/rows/ with cases.", help=f"choose of {', '.join(lines())}"
        )


def _only(checked: Checked, named: Sequence[str]) -> Checked:
    """Without families that were not asked for: a suite may run some along."""
    if not named:
        return checked
    tallies = {f: t for f, t in checked.tallies.items() if f in named}
    differences = [(f, d) for f, d in checked.differences if f in named]
    return Checked(tallies, differences, [(f, d) for f, d in checked.findings if f in named])


def wanted(units: Sequence[Unit], named: Sequence[str]) -> list[Unit]:
    """Units of these families; all of them where none is named."""
    return [u for u in units if not named or u.family in named]


def part(units: Sequence[Unit], one_in: int, seed: int) -> list[Unit]:
    """A part of the units of each family: one in so many, drawn by a seed, and at least one."""
    by: dict[str, list[Unit]] = {}
    for unit in units:
        by.setdefault(unit.family, []).append(unit)
    out: list[Unit] = []
    for family, some in sorted(by.items()):
        out += random.Random(f"{seed}:{family}").sample(some, -(-len(some) // one_in))
    return out


def _chunks(suite: Suite, units: Sequence[Unit]) -> Iterator[tuple[str, ...]]:
    names = [u.name for u in units]
    for i in range(0, len(names), suite.chunk):
        yield tuple(names[i : i + suite.chunk])


def _from_record(options: Options, seed: int, folder: Path) -> Iterator[Chunk]:
    for suite, place in [(suite, place) for suite in SUITES.values() for place in folders(folder)]:
        found = suite.read(place)
        if found is None:
            continue
        units = wanted(suite.recorded(found), options.families)
        whole = options.full and (options.families or not suite.long)
        chosen = units if whole else part(units, suite.quick, seed)
        for names in _chunks(suite, chosen):
            yield Chunk(suite.name, names, _cut(found, names), options.sanitized)


def _cut(found: Golden, names: Sequence[str]) -> Golden:
    """What a record has of some names; all of it where they are not of results."""
    return found.part(names) if all(map(found.holds, names)) else found


def _from_gpu(options: Options, seed: int) -> Iterator[Chunk]:
    for suite in SUITES.values():
        for names in _chunks(suite, suite.on_gpu(options.families)):
            ran = suite.gpu(names, seed)
            if suite.asked:  # it leaves out what cannot be assembled
                names = tuple(ran.results)
            chip = Golden(seed=seed, results=ran.results, operands=ran.operands)
            yield Chunk(suite.name, names, chip, options.sanitized)


def _checked(chunks: Iterator[Chunk], options: Options, progress: Progress | None) -> Checked:
    """Every chunk in the simulator, in processes of their own where there are several."""
    out = Checked()
    workers = options.workers or int(machine.cpu()["cores"])
    task = progress.add_task("comparing", total=None) if progress is not None else None
    if workers < 2:
        for chunk in chunks:
            out.merge(_check(chunk))
            if progress is not None and task is not None:
                progress.advance(task)
        return out
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        running: list[Future[Checked]] = [pool.submit(_check, chunk) for chunk in chunks]
        if progress is not None and task is not None:
            progress.update(task, total=len(running))
        for done in as_completed(running):
            out.merge(done.result())
            if progress is not None and task is not None:
                progress.advance(task)
    return out


def _check(chunk: Chunk) -> Checked:
    """A chunk in the simulator; where it stops with a diagnostic, or the sanitizer finds anything, one unit after the other, to
    see which."""
    suite = SUITES[chunk.suite]
    found: list[Diagnostic] = []
    try:
        with watching(
            Watcher(True if chunk.sanitized else None, lambda report: found.extend(_findings(report.findings)))
        ):
            out = suite.check(chunk.names, chunk.golden)
        if not (found and chunk.sanitized):
            return out
        if len(chunk.names) == 1:
            return _told(out, suite, chunk.names[0], found)
    except Diagnostic as d:
        if d.code == "PTX2500":
            raise
        if len(chunk.names) == 1:
            if chunk.sanitized and _findings([d]):
                return _told(Checked(), suite, chunk.names[0], _findings([d, *d.also]))
            return _stopped(suite, chunk.names[0], d)
    out = Checked()
    for name in chunk.names:
        out.merge(_check(replace(chunk, names=(name,), golden=_cut(chunk.golden, (name,)))))
    return out


def _findings(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those of the sanitizer."""
    return [d for d in found if d.code.startswith(_FINDINGS)]


def _told(out: Checked, suite: Suite, name: str, found: Sequence[Diagnostic]) -> Checked:
    """What was compared of a unit, if anything, with what the sanitizer finds there."""
    family = next(u.family for u in suite.units() if u.name == name)
    out.findings += [(family, Finding(name, text)) for text in dict.fromkeys(map(str, found))]
    return out


def _stopped(suite: Suite, name: str, why: Diagnostic) -> Checked:
    """All cases of a unit differ: the chip runs what the simulator refuses."""
    unit = next(u for u in suite.units() if u.name == name)
    out = Checked()
    out.count(unit.family, unit.cases)
    out.differs(unit.family, Difference(name, name, unit.cases, unit.cases, (f"the simulator stops: {why.message}",)))
    return out


def _provenance(folder: Path) -> str:
    read = [s.read(place) for s in SUITES.values() for place in folders(folder)]
    lines = [found.provenance for found in read if found is not None]
    if not lines:
        raise Diagnostic(
            "PTX2500",
            f"{folder} holds no record of an H100.",
            help="name another folder, or record one in a checkout: python -m tools.record suites FOLDER",
        )
    return "; ".join(dict.fromkeys(lines))


# --- reports ----------------------------------------------------------------------------------------------------------------
def table(outcome: Outcome) -> Table:
    """A row for each file of `isa/rows/`, and for programs, approximate functions and whole kernels."""
    out = Table(title=f"conformance with {outcome.against}", caption=f"seed {outcome.seed}, {outcome.seconds:.1f} s")
    out.add_column("file of isa/rows/")
    more = [*(["findings"] if outcome.sanitized else []), *(["not recorded"] if outcome.waiting else [])]
    for head in ("instances", "cases", "equal", "differ", *more):
        out.add_column(head, justify="right")
    tallies, found = outcome.checked.tallies, Counter(family for family, _ in outcome.checked.findings)
    for family in [f for f in lines() if f in tallies or f in found or f in outcome.waiting]:
        t = tallies.get(family, Tally())
        bad = _counted(t.different)
        left = [_counted(found[family])] if outcome.sanitized else []
        left += [f"{outcome.waiting.get(family, 0):,}"] if outcome.waiting else []
        out.add_row(family, f"{t.instances:,}", f"{t.cases:,}", f"{t.cases - t.different:,}", bad, *left)
    out.add_section()
    instances = sum(t.instances for t in tallies.values())
    equal = f"{outcome.cases - outcome.different:,}"
    left = [str(found.total())] if outcome.sanitized else []
    left += [f"{sum(outcome.waiting.values()):,}"] if outcome.waiting else []
    out.add_row("", f"{instances:,}", f"{outcome.cases:,}", equal, str(outcome.different), *left)
    return out


def _counted(number: int) -> str:
    return f"[red]{number}[/red]" if number else "0"


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The outcome as one JSON object: what a record line holds, and the differences."""
    return line(outcome) | {
        "differences": [{"family": f, **asdict(d)} for f, d in outcome.checked.differences],
        "findings": [{"family": f, **asdict(d)} for f, d in outcome.checked.findings],
    }


def line(outcome: Outcome) -> dict[str, Any]:
    """The outcome as a line of benchmarks/records/conformance.jsonl."""
    tallies: Mapping[str, Any] = {f: asdict(t) for f, t in outcome.checked.tallies.items()}
    return {
        "bench": "conformance",
        "date": machine.today(),
        "against": outcome.against,
        "seed": outcome.seed,
        "seconds": round(outcome.seconds, 1),
        "cases": outcome.cases,
        "different": outcome.different,
        "families": tallies,
        **({"sanitized": True, "found": len(outcome.checked.findings)} if outcome.sanitized else {}),
        "waiting": dict(outcome.waiting),
        **machine.cpu(),
    }


def main(options: Options, *, json_: bool = False, jsonl: Path | None = None) -> int:
    """Compare and show; 1 where anything differs or is found."""
    errors = console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        outcome = compare(options, progress)
    if jsonl is not None:
        records.append(jsonl, line(outcome))
    if json_:
        print(json.dumps(as_json(outcome), indent=1))
        return int(outcome.wrong)
    shown = console(width=None if errors.is_terminal else 120)
    for family, found in outcome.checked.differences[:_SHOWN]:
        shown.print(f"{family}: {found}", markup=False, highlight=False)
    more = len(outcome.checked.differences) - _SHOWN
    if more > 0:
        shown.print(f"… and {more} further instances that differ; --json shows all")
    for family, found in outcome.checked.findings[:_SHOWN]:
        shown.print(f"{family}: {found.unit}:\n{found.text}", markup=False, highlight=False)
    more = len(outcome.checked.findings) - _SHOWN
    if more > 0:
        shown.print(f"… and {more} further findings; --json shows all")
    shown.print(table(outcome))
    return int(outcome.wrong)
