"""Whether certified launches keep what their certificates say, under many schedules.

    python -m tools.certified [--zoo] [--only KIND] [--count N] [--seed N] [--schedules N] [--jobs N]

Programs: the bug zoo, right and faulty; and for each seed a right concurrent program (`tools.right_programs`), the same with some
of its synchronization left out, one of accesses that overlap (`tests/sanitizer/programs.py`), and one with locks, counters and
flags whose order is open (`tools.open_programs`). A launch that is certified
runs under that many random schedules: each has to end, with the same bits, and some are sanitized and have to be silent. A faulty
kernel of the zoo must not be certified.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.diag import Diagnostic
from tests.sanitizer import zoo
from tests.sanitizer.programs import program
from tests.sanitizer.test_native import weakened
from tools.open_programs import WORDS, Open
from tools.right_programs import WARPS, Program

ORDERS = 300
"""Runs of a launch, at most, to certify it."""
SANITIZED = 20
"""One run in so many is sanitized."""


@dataclass(frozen=True)
class Case:
    """A launch: its name, its text, what `px.simulate` takes besides, whether it is faulty, and for `sanitize="strict"` alone."""

    name: str
    text: str
    launch: Callable[[], Mapping[str, Any]]
    faulty: bool = False
    strict: bool = False


def cases_of(seed: int) -> Iterator[Case]:
    """The programs of a seed."""
    right = Program(seed)
    out = right.global_bytes // 4 + len(right.warps)
    shape = {"grid": right.grid, "block": 32 * WARPS}
    yield Case(f"right {seed}", right.text, lambda: {**shape, "args": [np.zeros(out, np.uint32)]})
    text, of = weakened(seed)
    words, weaker = of.global_bytes // 4 + len(of.warps), {"grid": of.grid, "block": 32 * WARPS}
    yield Case(f"weakened {seed}", text, lambda: {**weaker, "args": [np.zeros(words, np.uint32)]})
    one = program(seed)
    free = Open(seed)
    opened = {"grid": free.grid, "block": 32 * free.warps}
    yield Case(f"open {seed}", free.text, lambda: {**opened, "args": [np.zeros(WORDS, np.uint32)]})
    yield Case(f"overlap {seed}", one.text, lambda: {"grid": one.grid, "block": one.block, "args": one.arrays()})


def cases_of_zoo(index: int) -> Iterator[Case]:
    """A right kernel of the zoo, and its faulty ones."""
    kernel = zoo.kernels()[index]
    yield Case(f"{kernel.family}/{kernel.name}", str(kernel.text()), lambda: kernel.launch()[0])
    for mutant in kernel.mutants:
        name = f"{kernel.family}/{kernel.name}/{mutant.name}"
        yield Case(name, str(kernel.text(mutant)), lambda: kernel.launch()[0], faulty=True, strict=mutant.strict)


def kept(case: Case, schedules: int) -> tuple[bool, str]:
    """Whether a launch is certified, and how it breaks its certificate; "" where it does not."""
    kernel, launch = px.parse(case.text, "k.ptx")["k"], dict(case.launch())
    arrays = [a for a in (*launch["args"], *launch.get("buffers", ())) if isinstance(a, np.ndarray)]
    before = [a.copy() for a in arrays]

    def run(**options: Any) -> tuple[Any, list[bytes]]:
        for array, held in zip(arrays, before, strict=True):  # in place: what a kernel stores may depend on addresses
            array[...] = held
        report = px.simulate(kernel, **launch, lints=False, max_instructions=50_000_000, **options)
        return report, [a.tobytes() for a in arrays]

    try:
        report, first = run(certify=True, orders=ORDERS, sanitize="strict" if case.strict else True)
    except Diagnostic:
        return False, ""
    if not report.certificate.proved:
        return False, ""
    if case.faulty:
        return True, "it is faulty, and certified"
    for seed in range(1, schedules + 1):
        try:
            again, bits = run(schedule="random", seed=seed, sanitize=seed % SANITIZED == 0)
        except Diagnostic as stop:
            return True, f"seed {seed}: {stop.code}"
        if bits != first or again.findings:
            return True, f"seed {seed}: {[d.code for d in again.findings] or 'other bits'}"
    return True, ""


def checked(
    schedules: int, only: str, made: tuple[Callable[[int], Iterator[Case]], int]
) -> list[tuple[str, bool, str]]:
    """Of all cases of a number: the kind, whether it is certified, and what is wrong."""
    make, number = made
    results: list[tuple[str, bool, str]] = []
    for case in make(number):
        if not case.name.startswith(only):
            continue
        proved, wrong = kept(case, schedules)
        kind = case.name.split()[0] if make is cases_of else "faulty" if case.faulty else "zoo"
        results.append((kind, proved, f"{case.name}: {wrong}" if wrong else ""))
    return results


def main(arguments: list[str] | None = None) -> int:
    """Run; the exit status is 1 where a certificate is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", action="store_true", help="the kernels of the bug zoo, too")
    parser.add_argument("--only", default="", metavar="KIND", help="right, weakened, open or overlap: these alone")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    work = [(cases_of, seed) for seed in range(options.seed, options.seed + options.count)]
    work += [(cases_of_zoo, i) for i in range(len(zoo.kernels()))] if options.zoo else []
    run: Callable[..., Iterator[list[tuple[str, bool, str]]]] = map
    if options.jobs > 1:
        run = multiprocessing.get_context("spawn").Pool(options.jobs).imap_unordered
    every, proved, broken = Counter[str](), Counter[str](), 0
    for results in run(partial(checked, options.schedules, options.only), work):
        for kind, certified, wrong in results:
            every[kind] += 1
            proved[kind] += certified
            broken += bool(wrong)
            if wrong:
                print(wrong, flush=True)
    print(", ".join(f"{kind}: {proved[kind]} of {count} certified" for kind, count in sorted(every.items())))
    print(f"{broken} certificates broken in {options.schedules} schedules")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
