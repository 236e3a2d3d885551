"""`python -m tools.programs`: programs never seen before, on a GPU and in the simulator.

gpu --count 500 [--seed S] [--jobs 16]    compare the GPU of this machine with the simulator
self --count 20 [--seed S]                compare the simulator with itself, under all schedules
shrink SEED NUMBER [--against late]       make a program that differs small, and show it
shrink SEED NUMBER --because hangs        the same for one that hangs on the GPU, or is unsteady there
show SEED NUMBER                          its text
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.sanitizing import when_asked
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.programs.run import program
from ptxlab.conformance.programs.tree import Nest, Program
from ptxlab.diag import Diagnostic
from tools.programs import compare
from tools.programs.apart import Apart, Hung, hangs, unsteady
from tools.programs.compare import Verdict, by_variant, judged
from tools.programs.shrink import listing, shrunk, statements
from tools.programs.trace import NBYTES, firsts, simulated_output, split, traced


def _work(seed: int, first: int, count: int) -> int:
    """Compare programs one after the other and print a line of JSON for each."""
    for number in range(first, first + count):
        print(json.dumps(asdict(_judged(seed, number))), flush=True)
    return 0


def _judged(seed: int, number: int) -> Verdict:
    return judged(seed, number, programs.gpu, programs.simulator(), plain=programs.unoptimised)


def _report(found: Verdict) -> None:
    if not found.good:
        what = found.error or ("two runs on the GPU differ" if not found.steady else "differs")
        print(f"program {found.number} of seed {found.seed}: {what}", *found.lines, sep="\n    ", flush=True)
    elif found.optimiser:
        print(f"program {found.number} of seed {found.seed}: ptxas' optimiser makes a difference", flush=True)
    elif found.died:
        print(f"program {found.number} of seed {found.seed}: left out, {found.error}", flush=True)


def _gpu(options: argparse.Namespace) -> int:
    seed, begin = options.seed if options.seed is not None else secrets.randbits(31), time.perf_counter()
    print(f"seed {seed}", flush=True)
    found = compare.compare(seed, options.count, options.jobs, _report)
    bad, optimised = [v for v in found if not v.good], sum(v.good and v.optimiser for v in found)
    died = sum(v.died for v in found)
    because = f" ({optimised} more only where ptxas optimises)" if optimised else ""
    because += f", ptxas dies of {died}" if died else ""
    print(f"{len(found)} programs of seed {seed}, {len(bad)} differ{because}, {time.perf_counter() - begin:.0f} s")
    return int(bool(bad))


def _self(options: argparse.Namespace) -> int:
    seed, bad = options.seed or 0, 0
    for number in range(options.first, options.first + options.count):
        for name, found in by_variant(seed, number).items():
            if not found.good:
                bad += 1
                print(f"{name}:", end=" ")
                _report(found)
    print(f"{options.count} programs of seed {seed}, {bad} runs differ")
    return int(bad > 0)


def _shrink(options: argparse.Namespace) -> int:
    gpu = Apart()
    chip = gpu if options.against == "gpu" else compare.variants()[options.against]
    ours, seed, begin = programs.simulator(), options.seed_, time.perf_counter()

    def differs(made: Program) -> bool:
        if options.because is not None:
            return {"hangs": hangs, "unsteady": unsteady}[options.because](gpu, made, seed)
        text = made.text
        try:
            return not np.array_equal(chip(text, made.micro, seed), ours(text, made.micro, seed))
        except Hung:
            return False
        except Diagnostic as d:
            return options.errors and d.code not in ("PTX2420", "PTX2421")

    def tell(made: Program) -> None:
        print(f"{statements(made)} statements, {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)

    made = program(seed, options.number)
    if not differs(made):
        print("both do the same")
        return 1
    made = shrunk(made, differs, tell)
    gpu.close()
    if options.keep is not None:
        options.keep.write_text(made.text)
    text = made.text
    called = [f for f in made.functions if text.count(f" {_name(f)}") > 2 or f.parts[0]]
    print(*listing(called), *listing(made.body), sep="\n")
    if options.because is not None:
        return 0
    try:
        print(*programs.shown(made.micro, chip(text, made.micro, seed), ours(text, made.micro, seed)), sep="\n")
    except Diagnostic as d:
        print(d)
    return 0


def _trace(options: argparse.Namespace) -> int:
    """Write what a GPU's lanes note, and its plain output."""
    kept: dict[str, NDArray[np.uint8]] = {}
    for one in options.programs:
        number, _, warp = one.partition(":")
        made = program(options.seed_, int(number))
        noted = traced(made, int(warp or 0))
        try:
            kept[one] = programs.gpu(made.text, made.micro, options.seed_)
            raw = programs.gpu_output(noted.program.text, made.micro, options.seed_, NBYTES)
            kept[f"{one} traced"], log = split(made.micro, raw)
            kept[f"{one} log"] = log.view(np.uint8)
        except Diagnostic as d:
            print(f"program {one}: {d.code} {d.message}", flush=True)
    np.savez_compressed(options.out, seed=np.array([options.seed_]), **kept)  # type: ignore[arg-type]
    return 0


def _firsts(options: argparse.Namespace) -> int:
    """Where the simulator parts from what a GPU's lanes noted."""
    with np.load(options.file) as found:
        seed = int(found["seed"][0])
        for one in [k.partition(" ")[0] for k in found.files if k.endswith(" log")]:
            number, _, warp = one.partition(":")
            made = program(seed, int(number))
            noted = traced(made, int(warp or 0))
            plain, after, log = (found[f"{one}{suffix}"] for suffix in ("", " traced", " log"))
            mine = programs.simulator()(made.text, made.micro, seed)
            ours, ours_log = split(made.micro, simulated_output(noted.program.text, made.micro, seed, NBYTES))
            same = [bool(np.array_equal(a, b)) for a, b in ((plain, mine), (after, ours), (plain, after), (mine, ours))]
            print(f"program {one} of seed {seed}: equal {same[0]}, traced {same[1]}, chip with itself {same[2]}")
            parted = firsts(noted, log.view(np.uint32), ours_log)
            for lane, before, a, b in parted[:1]:
                print(f"    {len(parted)} lanes part, lane {lane}")
                for note, whose in ((before, "behind"), (a, "chip"), (b, "simulator")):
                    if note is not None:
                        values = " ".join(f"{n}={v:#x}" for n, v in note.values)
                        print(f"    {whose}: {noted.statements[note.statement]}\n        {values}", flush=True)
    return 0


def _name(function: Nest) -> str:
    return function.frame[0].split(" ")[6].partition("(")[0]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.programs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    many = commands.add_parser("gpu", help="compare the GPU with the simulator")
    many.add_argument("--count", type=int, default=100)
    many.add_argument("--seed", type=int)
    many.add_argument("--jobs", type=int, default=8)
    own = commands.add_parser("self", help="compare the simulator with itself")
    own.add_argument("--count", type=int, default=10)
    own.add_argument("--first", type=int, default=0)
    own.add_argument("--seed", type=int)
    for name in ("shrink", "show"):
        one = commands.add_parser(name)
        one.add_argument("seed_", metavar="SEED", type=int)
        one.add_argument("number", metavar="NUMBER", type=int)
        if name == "shrink":
            one.add_argument("--against", default="gpu", help=f"gpu, {', '.join(compare.variants())}")
            one.add_argument("--errors", action="store_true", help="a diagnostic of the simulator is a difference, too")
            one.add_argument(
                "--because", choices=("hangs", "unsteady"), help="what is wrong with it on the GPU, if not the results"
            )
            one.add_argument("--keep", type=Path, metavar="FILE", help="write the PTX there")
    trace = commands.add_parser("trace", help="what a GPU's lanes find behind each statement")
    trace.add_argument("seed_", metavar="SEED", type=int)
    trace.add_argument("out", metavar="FILE.npz", type=Path)
    trace.add_argument("programs", metavar="NUMBER[:WARP]", nargs="+")
    commands.add_parser("firsts", help="where the simulator parts from a trace").add_argument("file", type=Path)
    work = commands.add_parser("work")
    for what in ("seed_", "first", "count"):
        work.add_argument(what, type=int)
    return parser.parse_args(arguments)


@when_asked()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 1 where anything differs."""
    options = _options(arguments)
    try:
        match options.command:
            case "gpu":
                return _gpu(options)
            case "self":
                return _self(options)
            case "shrink":
                return _shrink(options)
            case "trace":
                return _trace(options)
            case "firsts":
                return _firsts(options)
            case "show":
                print(program(options.seed_, options.number).text)
                return 0
            case _:
                return _work(options.seed_, options.first, options.count)
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
