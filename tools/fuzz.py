"""`python -m tools.fuzz FILE.ptx…`: mutations of real files, none of which may do harm.

Whatever the text is, there are diagnostics with a place and a way on, no exception, and no more time than the text is long.
Text without an error prints as it was, has a canonical form and becomes a program.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ptxlab.checks import check
from ptxlab.diag import Diagnostic
from ptxlab.lang.to_python import to_python
from ptxlab.ptx.format import formatted
from ptxlab.ptx.parser import parse, parse_all
from ptxlab.ptx.printer import text

_PIECE = re.compile(r"[\w.%$:]+|\s+|.", re.DOTALL)
_STRANGE = (
    *(
        '"',
        "'",
        "/*",
        "//",
        "*/",
        "#",
        "\\",
        "\0",
        "\ufeff",
        "é",
        "\u2028",
        "0x",
        "0f",
        "1e",
        "::",
        "..",
        "@",
        "@!",
        "|",
        "_",
        "%",
    ),
    *("{", "}", "[", "]", "(", ")", "<", ">", ";", ",", "=", "+-", "<<", "{" * 200, "(" * 200, "[" * 70, "9" * 5000),
    *(
        ".reg .b32 %r<9999999>;",
        ".reg .b32 %r<99999999999>;",
        ".entry",
        ".func f",
        ".pragma",
        ".section .x {",
        ".loc 1",
        "ret",
    ),
)
_TRANSLATED = 4  # of so many that are clean one becomes a program, which takes longer than all else
_SLOW = 4e-5  # seconds a character, several times what the worst real text takes on one old core


def mutated(source: str, others: Sequence[str], dice: random.Random) -> str:
    """The text with one to four changes of it: cut, doubled, swapped, spliced, or with something strange in it."""
    pieces = _PIECE.findall(source)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        pieces = _changed(pieces, others, dice)
    return "".join(pieces)


def _changed(pieces: list[str], others: Sequence[str], dice: random.Random) -> list[str]:
    at = dice.randrange(len(pieces) + 1)
    end = min(len(pieces), at + dice.choice((1, 1, 2, 5, 20, 200)))
    match dice.randrange(8):
        case 0:
            return pieces[:at] + pieces[end:]
        case 1:
            return pieces[:end] + pieces[at:]
        case 2:
            return [*pieces[:at], dice.choice(_STRANGE), *pieces[at:]]
        case 3:
            return [*pieces[:at], dice.choice(_STRANGE), *pieces[end:]]
        case 4:
            return pieces[:at]
        case 5:
            found = _PIECE.findall(dice.choice(others))
            start = dice.randrange(len(found) + 1)
            return pieces[:at] + found[start : start + end - at] + pieces[at:]
        case 6:
            swapped = pieces[at:end]
            dice.shuffle(swapped)
            return pieces[:at] + swapped + pieces[end:]
        case _:
            return pieces[:at] + [_rewritten(p, dice) for p in pieces[at : at + 1]] + pieces[at + 1 :]


def _rewritten(piece: str, dice: random.Random) -> str:
    """A word with one character changed."""
    at = dice.randrange(len(piece))
    return piece[:at] + dice.choice("0159abfrux%._:;- \n") + piece[at + 1 :]


@dataclass
class Outcome:
    """What came of some mutations. `harm`: descriptions of what must not be, with the text."""

    tried: int = 0
    characters: int = 0
    clean: int = 0
    seconds: float = 0.0
    slowest: float = 0.0  # microseconds a character
    codes: Counter[str] = field(default_factory=Counter[str])
    harm: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def add(self, other: Outcome) -> None:
        """Take in what came of others."""
        self.tried += other.tried
        self.characters += other.characters
        self.clean += other.clean
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.codes += other.codes
        self.harm += other.harm


def judge(source: str, into: Outcome) -> None:
    """Parse, check and, where nothing is wrong, print, format and translate one text."""
    into.tried += 1
    into.characters += len(source)
    wrong, spent = _timed(source, into)
    if spent > 1 + _SLOW * len(source):  # the first of a kind loads what it needs; what is slow again is slow
        wrong, spent = _timed(source, Outcome())
    into.seconds += spent
    if len(source) > 500:
        into.slowest = max(into.slowest, 1e6 * spent / len(source))
    if wrong is None and spent > 1 + _SLOW * len(source):
        wrong = f"{spent:.1f} s for {len(source)} characters"
    if wrong is not None:
        into.harm.append((wrong, source))


def _timed(source: str, into: Outcome) -> tuple[str | None, float]:
    """What is wrong, and seconds of the processor."""
    start = time.process_time()
    try:
        wrong = _wrong(source, into)
    except (Exception, RecursionError):
        wrong = traceback.format_exc(limit=-4)
    return wrong, time.process_time() - start


def _wrong(source: str, into: Outcome) -> str | None:
    module, found = parse_all(source, "fuzz.ptx")
    into.codes.update(d.code for d in found)
    if any(d.span is None for d in found):
        return "a diagnostic without a place"
    into.codes.update({d.code for d in check(module)})
    if found:
        return None
    into.clean += 1
    if text(module) != source:
        return "printed otherwise"
    canonical = formatted(module)
    if parse(canonical) != module or formatted(parse(canonical)) != canonical:
        return "the canonical form is another tree"
    return _translated(source) if into.clean % _TRANSLATED == 0 else None


def _translated(source: str) -> str | None:
    module = parse(source)
    names: dict[str, object] = {}
    exec(compile(to_python(module), "fuzz.py", "exec"), names)
    return None if parse(str(names["m"])) == module else "the program writes another tree"


def run(sources: Sequence[str], count: int, seed: int) -> Outcome:
    """Judge `count` mutations; the same for the same seed."""
    dice = random.Random(seed)
    out = Outcome()
    for _ in range(count):
        judge(mutated(dice.choice(sources), sources, dice), out)
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz, say what came of it, and record it where asked. Returns: 1 where harm was done."""
    options = _options(arguments)
    sources = [Path(f).read_text(encoding="utf-8") for f in options.files]
    share = 500
    jobs = [(min(share, options.count - n), options.seed + n) for n in range(0, options.count, share)]
    total = Outcome()
    began = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for one in pool.map(_job, ((sources, *job) for job in jobs)):
            total.add(one)
    for number, (what, source) in enumerate(total.harm):
        print(f"--- {what}", file=sys.stderr)
        if options.keep is not None:
            (options.keep / f"harm{number}.ptx").write_text(source, encoding="utf-8")
    print(f"{total.tried} mutations, {len(total.harm)} do harm, {total.clean} are without an error of syntax")
    if options.record is not None:
        _record(options.record, options, total, time.perf_counter() - began)
    return 1 if total.harm else 0


def _job(what: tuple[Sequence[str], int, int]) -> Outcome:
    return run(*what)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tools.fuzz")
    parser.add_argument("files", nargs="+", metavar="FILE.ptx")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write what does harm there")
    parser.add_argument("--record", type=Path, metavar="FILE", help="append the numbers as a JSON line")
    return parser.parse_args(arguments)


def _record(path: Path, options: argparse.Namespace, total: Outcome, wall: float) -> None:
    from ptxlab.bench import machine, records

    records.append(
        path,
        {
            "date": machine.today(),
            "files": [Path(f).name for f in options.files],
            "seed": options.seed,
            "mutations": total.tried,
            "harmful": len(total.harm),
            "without_syntax_error": total.clean,
            "characters": total.characters,
            "cpu_seconds": round(total.seconds, 1),
            "wall_seconds": round(wall, 1),
            "slowest_us_per_character": round(total.slowest, 1),
            "codes": dict(total.codes.most_common()),
        },
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Diagnostic as d:
        print(d, file=sys.stderr)
        sys.exit(1)
