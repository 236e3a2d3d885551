"""The memory model's two deciders on random programs, and on corpora of other people.

    python -m tools.litmus random [--count N] [--seed N]     both deciders on N random programs, from a seed on
    python -m tools.litmus simulate [--count N] [--seed N]   N random programs in the simulator, against the model
    python -m tools.litmus corpus FOLDER RECORD [--write]    verdicts on a folder of tests, against a record

A record has a line for each test: its path below the folder, what the model says, and `!` with a reason where its authors say
otherwise.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import ptxlab as px
from ptxlab.abi.sanitizing import when_asked
from ptxlab.diag import Diagnostic
from ptxlab.memory_model import kernel, parse, random_test
from ptxlab.memory_model.decision import decide
from ptxlab.memory_model.emit import ENTRY
from ptxlab.memory_model.verdict import Verdict


def differences(text: str) -> list[str]:
    """Where the two deciders do not agree on a test: its outcomes, and the races of each."""
    program = parse(text)
    fast, brute = (decide(program, decider=d, all_races=True) for d in ("fast", "brute"))
    out: list[str] = []
    first, second = ({o.values for o in v.outcomes} for v in (fast, brute))
    out += [f"the fast one alone allows {v}" for v in sorted(first - second, key=str)]
    out += [f"the slow one alone allows {v}" for v in sorted(second - first, key=str)]
    for values in first & second:
        a, b = fast.racing[values], brute.racing[values]
        if (set(a.some), a.always, a.whole, a.clean) != (set(b.some), b.always, b.whole, b.clean):
            out.append(f"{values}: races {sorted(a.some)} and {sorted(b.some)}; without: {a.clean} and {b.clean}")
    return out


def _random(count: int, seed: int) -> int:
    begun, wrong = time.monotonic(), 0
    for number in range(seed, seed + count):
        text = random_test(number)
        found = differences(text)
        if found:
            wrong += 1
            print(text, *found, sep="\n")
        if number % 1000 == 999:
            print(f"{number + 1 - seed} programs, {wrong} differ, {time.monotonic() - begun:.0f} s", flush=True)
    return int(wrong > 0)


HANG: Final = "PTX9101"
SCHEDULES: Final = ("eager", "late", "random")


def disagreements(text: str, seed: int) -> list[str]:
    """What the simulator did of a test that the model does not allow: an outcome, or a launch that fails where none can hang."""
    verdict = decide(parse(text))
    made, out = kernel(verdict.program), list[str]()
    for schedule in SCHEDULES:
        module = px.parse(made.text, "random.ptx")
        try:
            px.simulate(module[ENTRY], **made.shape, args=[], lints=False, schedule=schedule, seed=seed)
        except Diagnostic as d:
            if d.code != HANG or verdict.hang is None:
                out.append(f"{schedule}: {d.code} {d.message}")
            continue
        found = made.outcome(verdict.names, lambda name, module=module: module.symbol(name)[:])
        if found not in {o.values for o in verdict.outcomes}:
            out.append(f"{schedule}: {found}, of which the model allows none")
    return out


def _simulate(count: int, seed: int) -> int:
    begun, wrong = time.monotonic(), 0
    for number in range(seed, seed + count):
        text = random_test(number, runnable=True)
        found = disagreements(text, number)
        if found:
            wrong += 1
            print(f"seed {number}", text, *found, sep="\n")
        if number % 500 == 499:
            print(f"{number + 1 - seed} programs, {wrong} differ, {time.monotonic() - begun:.0f} s", flush=True)
    return int(wrong > 0)


def said(verdict: Verdict) -> str:
    """A verdict in three words."""
    answer = {True: "yes", False: "no", None: "-"}[verdict.holds]
    return f"{answer} {'race' if verdict.race else '-'} {'hangs' if verdict.hang else '-'}"


def _verdicts(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*.litmus")):
        try:
            verdict = said(decide(parse(file.read_text(encoding="utf-8"), file.name)))
        except Diagnostic as d:
            verdict = f"refused {d.code}"
        yield str(file.relative_to(folder)), verdict


def _corpus(folder: Path, record: Path, *, write: bool) -> int:
    known: dict[str, tuple[str, str]] = {}
    for line in record.read_text().splitlines() if record.exists() else ():
        if line and not line.startswith("#"):
            words, _, note = line.partition(" ! ")
            name, _, verdict = words.partition(": ")
            known[name] = (verdict, note)
    found = dict(_verdicts(folder))
    wrong = [
        f"{n}: {v}, recorded {known.get(n, ('nothing', ''))[0]}"
        for n, v in found.items()
        if known.get(n, ("", ""))[0] != v
    ]
    print(*wrong, f"{len(found)} tests, {len(wrong)} otherwise than recorded", sep="\n")
    if write:
        head = (
            "".join(f"{line}\n" for line in record.read_text().splitlines() if line.startswith("#"))
            if record.exists()
            else ""
        )
        lines = (f"{n}: {v}" + (f" ! {known[n][1]}" if n in known and known[n][1] else "") for n, v in found.items())
        record.write_text(head + "".join(f"{line}\n" for line in lines))
    return int(bool(wrong) and not write)


@when_asked()
def main(words: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.litmus")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, count in (("random", 10_000), ("simulate", 1_000)):
        drawn = commands.add_parser(name)
        drawn.add_argument("--count", type=int, default=count)
        drawn.add_argument("--seed", type=int, default=0)
    corpus = commands.add_parser("corpus")
    corpus.add_argument("folder", type=Path)
    corpus.add_argument("record", type=Path)
    corpus.add_argument("--write", action="store_true")
    given = parser.parse_args(words)
    if given.command != "corpus":
        return (_random if given.command == "random" else _simulate)(given.count, given.seed)
    return _corpus(given.folder, given.record, write=given.write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
