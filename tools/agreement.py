"""The sanitizer against the memory model, on random programs: it finds a race exactly where the model does.

    python -m tools.agreement [--count N] [--seed N] [--style scattered|chain]

A program is run once under each schedule. What it read tells which executions of the model it may have been; a race that all of
them have has to be found, and one that none of them has must not be. Where a thread accesses a location twice, the sanitizer
remembers the later access, so of several races with one location the later ones count. The exit status is 1 where anything differs.

One difference is none: who observes the write of an atomic operation comes after that write in the model, but not after the
operation's read, so an access behind it may race with that read alone. To the sanitizer an atomic operation is one access. Races of
which every execution has only this half are not asked for (`Racing.whole`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.diag.causes import with_alike
from ptxlab.memory_model import Verdict, kernel, random_test
from ptxlab.memory_model.emit import ENTRY
from ptxlab.memory_model.generate import STYLES
from ptxlab.memory_model.race import Key
from ptxlab.sim.order.sanitizer import Sanitizer

SCHEDULES: Final = ("eager", "late", "random")
RACES: Final = frozenset(f"PTX{n}" for n in (9200, 9201, 9202, 9203, 9210, 9211, 9213, 9214, 9215, 9216, 9250))
_HANGS: Final = ("PTX9100", "PTX9101")

Pair = frozenset[tuple[str, int]]


@contextmanager
def to_the_letter() -> Generator[None]:
    """Take back where the sanitizer is kinder than the model."""
    known, Sanitizer.strict = Sanitizer.strict, True
    try:
        yield
    finally:
        Sanitizer.strict = known


def compared(verdict: Verdict, schedule: str, seed: int, counted: Counter[str] | None = None) -> str:
    """Run a test and compare.

    Args:
        verdict: of the test, with all races. counted: where to count what became of the run.

    Returns: what differs; "" where both agree, or where the run hangs.
    """
    made = kernel(verdict.program)
    module = px.parse(made.text, "k.ptx")
    counted = Counter() if counted is None else counted
    try:
        report = px.simulate(
            module[ENTRY], **made.shape, args=[], lints=False, schedule=schedule, seed=seed, sanitize=True
        )
    except Diagnostic as stop:
        counted["hangs" if stop.code in _HANGS else "stops"] += 1
        return "" if stop.code in _HANGS else f"{schedule}: {stop}"
    racing = verdict.racing.get(made.outcome(verdict.names, lambda name: module.symbol(name)[:]))
    if racing is None:
        counted["outcomes that the model has not"] += 1
        return f"{schedule}: the model does not have this outcome"
    found: set[Pair] = set()
    for d in with_alike(report.findings):
        if d.code in RACES:
            assert d.span is not None
            assert d.other is not None
            found.add(frozenset([made.steps[d.span.line], made.steps[d.other.line]]))
    some = {pair_of(key) for key in racing.some}
    if found - some:
        counted["too many"] += 1
        return f"{schedule}: no race: {found - some}"
    if racing.whole and not found:
        counted["not found"] += 1
        return f"{schedule}: not found: {set(racing.whole)}"
    later = {pair_of(key) for key in racing.whole or ()} - found
    counted["agree, of races with one location the later" if later else "agree"] += 1
    return ""


def pair_of(key: Key) -> Pair:
    """Two instructions, as findings name them."""
    return frozenset((thread, step) for thread, step, _ in key)


def disagreements(seed: int, style: str | None = None, counted: Counter[str] | None = None) -> list[str]:
    """Where sanitizer and model do not agree on a random program; programs that the model refuses count as nothing."""
    try:
        verdict = px.litmus(random_test(seed, runnable=True, style=style), all_races=True, hang=False)
    except Diagnostic as d:
        if counted is not None:
            counted[f"refused {d.code}"] += 1
        return []
    return [f"seed {seed}, {w}" for s in SCHEDULES if (w := compared(verdict, s, seed, counted))]


def main(words: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.agreement")
    parser.add_argument("--count", type=int, default=1_000, help="programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument("--style", choices=STYLES, help="of the programs; else each seed draws one")
    given = parser.parse_args(words)
    begun, wrong, counted = time.monotonic(), 0, Counter[str]()
    with to_the_letter():
        for number in range(given.seed, given.seed + given.count):
            found = disagreements(number, given.style, counted)
            wrong += bool(found)
            print(*found, sep="\n", end="\n" if found else "", flush=True)
            if number % 1000 == 999:
                print(
                    f"{number + 1 - given.seed} programs, {wrong} differ, {time.monotonic() - begun:.0f} s", flush=True
                )
    print(*(f"{count:8,} runs: {what}" for what, count in counted.most_common()), sep="\n")
    print(f"{given.count} programs, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
