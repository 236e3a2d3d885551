"""The memory model's two deciders on random programs, and on corpora of other people.

    python -m tools.litmus random [--count N] [--seed N]     both deciders on N random programs
    python -m tools.litmus corpus FOLDER RECORD [--write]    verdicts on a folder of tests, against a record

A record has a line for each test: its path below the folder, what the model says, and `!` with a reason where its authors say
otherwise.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ptxlab.diag import Diagnostic
from ptxlab.litmus import parse
from ptxlab.litmus.decide import decide
from ptxlab.litmus.verdict import Verdict

SCOPES = ("cta", "cluster", "gpu", "sys")
PLACES = ("cta 0,gpu 0", "cta 0,gpu 0", "cta 1,gpu 0", "cta 1,cluster 0,gpu 0", "cta 0,cluster 0,gpu 0", "cta 0,gpu 1")
INIT = (
    ".mbarrier m = 1; .shared s = 0; x = 0; y = 0; "
    "z @ generic aliases x; c @ constant aliases x; d @ constant aliases z;"
)


class Generator:
    """Random litmus tests of a few events."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self, most_threads: int = 4, most_events: int = 6) -> str:
        """A test whose outcomes are all registers and locations."""
        r = self.random
        threads = r.randint(1, most_threads)
        columns: list[list[str]] = [[] for _ in range(threads)]
        registers: list[str] = []
        left, names = r.randint(2, most_events), ["x", "x", "y", "y", "z"] if r.random() < 0.3 else ["x", "x", "y"]
        while left > 0:
            index = r.randrange(threads)
            mine = [n.split(":")[1] for n in registers if n.startswith(f"P{index}:")]
            cell, register, cost = self._cell(names, mine)
            if cost > left:
                continue
            left -= cost
            columns[index].append(cell)
            if register:
                registers.append(f"P{index}:{register}")
        rows = [[f"P{i}@{r.choice(PLACES)}" for i in range(threads)]]
        height = max(map(len, columns))
        rows += [[c[n] if n < len(c) else "" for c in columns] for n in range(height)]
        body = "".join(" | ".join(row) + " ;\n" for row in rows)
        shown = "; ".join([*registers, "x", "y"])
        return f"PTX random\n{{ {INIT} }}\n{body}locations [{shown};]\n"

    def _cell(self, names: list[str], mine: list[str]) -> tuple[str, str, int]:
        """An instruction, the register that it writes, and how many events it is."""
        r = self.random
        name, scope, register = r.choice(names), r.choice(SCOPES), f"r{len(mine)}"
        value = r.choice([*mine, "1", "2"]) if mine else r.choice("12")
        kind = r.choices(("ld", "st", "atom", "red", "fence", "bar", "constant", "proxy"), (8, 8, 3, 1, 4, 1, 1, 2))[0]
        match kind:
            case "ld":
                order = r.choice(("weak", f"relaxed.{scope}", f"acquire.{scope}"))
                return f"ld.{order} {register}, {name}", register, 1
            case "st":
                order = r.choice(("weak", f"relaxed.{scope}", f"release.{scope}"))
                return f"st.{order} {name}, {value}", "", 1
            case "atom":
                order = r.choice(("relaxed", "acquire", "release", "acq_rel"))
                update, values = r.choice((("add", "1"), ("exch", value), ("cas", "0, 1")))
                return f"atom.{order}.{scope}.{update} {register}, {name}, {values}", register, 2
            case "red":
                return f"red.{r.choice(('relaxed', 'release'))}.{scope}.add {name}, 1", "", 2
            case "fence":
                return f"fence.{r.choice(('sc', 'sc', 'acq_rel', 'acquire', 'release'))}.{scope}", "", 1
            case "bar":
                return f"bar.cta.{r.choice(('sync', 'sync', 'arrive'))} 1", "", 1
            case "constant":
                return f"cold.weak {register}, {r.choice('cd')}", register, 1
            case "async":
                return self._asynchronous(name, value, register)
            case _:
                return f"fence.proxy.{r.choice(('constant', 'alias'))}", "", 1

    def _asynchronous(self, name: str, value: str, register: str) -> tuple[str, str, int]:
        """An asynchronous operation or what belongs to one; an operation takes two events."""
        cells = (
            (f"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [{name}], 16, [m]", "", 2),
            (f"cp.async.bulk.global.shared::cta.bulk_group [{name}], [s], 16", "", 2),
            (f"cp.async.ca.shared.global [s], [{name}], 4", "", 2),
            (
                f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [s], {value.replace('r', '1')[:1]}, [m]",
                "",
                2,
            ),
            (f"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [{name}], [s], 16", "", 2),
            ("st.weak s, 3", "", 1),
            (f"ld.weak {register}, s", register, 1),
            ("fence.proxy.async", "", 1),
            ("cp.async.bulk.commit_group", "", 0),
            (f"cp.async.bulk.wait_group{self.random.choice(('', '.read'))} 0", "", 1),
            ("cp.async.wait_all", "", 1),
            ("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16", "", 1),
            ("mbarrier.arrive.release.cluster.shared::cta.b64 _, [m]", "", 1),
            (f"mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p{register}, [m], 0", "", 1),
        )
        return self.random.choice(cells)


def differences(text: str) -> list[str]:
    """Where the two deciders do not agree on a test."""
    program = parse(text)
    fast, brute = (decide(program, decider=d) for d in ("fast", "brute"))
    out: list[str] = []
    first, second = ({o.values for o in v.outcomes} for v in (fast, brute))
    out += [f"the fast one alone allows {v}" for v in sorted(first - second, key=str)]
    out += [f"the slow one alone allows {v}" for v in sorted(second - first, key=str)]
    if (fast.race is None) != (brute.race is None):
        out.append(f"data race: {fast.race is not None} and {brute.race is not None}")
    return out


def _random(count: int, seed: int) -> int:
    generator, begun, wrong = Generator(seed), time.monotonic(), 0
    for number in range(count):
        text = generator.program()
        found = differences(text)
        if found:
            wrong += 1
            print(text, *found, sep="\n")
        if number % 1000 == 999:
            print(f"{number + 1} programs, {wrong} differ, {time.monotonic() - begun:.0f} s", flush=True)
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


def main(words: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.litmus")
    commands = parser.add_subparsers(dest="command", required=True)
    drawn = commands.add_parser("random")
    drawn.add_argument("--count", type=int, default=10_000)
    drawn.add_argument("--seed", type=int, default=0)
    corpus = commands.add_parser("corpus")
    corpus.add_argument("folder", type=Path)
    corpus.add_argument("record", type=Path)
    corpus.add_argument("--write", action="store_true")
    given = parser.parse_args(words)
    if given.command == "random":
        return _random(given.count, given.seed)
    return _corpus(given.folder, given.record, write=given.write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
