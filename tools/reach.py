"""`python -m tools.reach`: what certificates, expressions and the judge reach, as a line of benchmarks/records/proof.jsonl.

Certificates of the library's kernels and what they cost beside sanitized runs, those of the bug zoo, expressions of a product and
of attention and how long they take, what becomes of mistakes in right kernels, and the verdicts on honest and cheating candidates.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import ptxlab as px
from ptxlab.bench import machine, records
from ptxlab.kernels import boxes, conv, copies, gemm, grouped_gemm, grouped_packed
from ptxlab.launch.prepare import Launch

ROOT: Final = Path(__file__).resolve().parent.parent
RECORD: Final = ROOT / "benchmarks/records/proof.jsonl"
ROUNDS: Final = 9
"""Runs of which the fastest counts."""


def _random(shape: Sequence[int], dtype: str) -> Any:
    out: Any = px.empty(tuple(shape), dtype)
    out[...] = np.random.default_rng(1).integers(-4, 5, tuple(shape))
    return out


def _product(m: int, n: int, k: int, dtype: str, result: str, **options: Any) -> Launch:
    return gemm.prepare(_random((m, k), dtype), _random((k, n), dtype), _random((m, n), result), **options)


def _scaled() -> Launch:
    a, b, c = _random((128, 256), "e4m3"), _random((128, 256), "e4m3"), _random((128, 128), "bf16")
    scale_a, scale_b = np.ones((128, 2), np.float32), np.ones((1, 2), np.float32)
    return gemm.prepare(a, b, c, b_layout="nk", scale_a=scale_a, scale_b=scale_b)


def _group(dtype: str) -> tuple[Any, Any, Any]:
    return _random((96, 64), dtype), _random((64, 128), dtype), _random((96, 128), "f32")


def _rows() -> Launch:
    a, b, c = _random((160, 64), "bf16"), _random((2, 64, 128), "bf16"), _random((160, 128), "f32")
    return grouped_packed.prepare_rows(a, b, c, np.array([0, 60, 160], np.int32))


def _convolution(padding: int, channels: int, result: str) -> Launch:
    x, w = _random((1, 8, 8, channels), "bf16"), _random((64, 3, 3, channels), "bf16")
    return conv.prepare(x, w, _random((1, 6 + 2 * padding, 6 + 2 * padding, 64), result), padding=padding)


def _attention() -> Launch:
    from unit.verification import flash  # pyright: ignore[reportMissingImports]

    q, k, v, out = (_random((128, 64), "bf16") for _ in range(4))
    return flash.flash.prepare(grid=8, args=[q, k, v, out, 128])


def _linear(kernel: Any) -> Launch:
    return copies.prepare_linear(kernel, _random((5000,), "f32"), _random((5000,), "f32"))


OURS: Final[Mapping[str, Callable[[], Launch]]] = {
    "gemm 128³, bf16": lambda: _product(128, 128, 128, "bf16", "f32"),
    "gemm 256 × 256 × 192, f16": lambda: _product(256, 256, 192, "f16", "f16"),
    "gemm 100 × 72 × 40, tf32": lambda: _product(100, 72, 40, "f32", "f32"),
    "gemm 256 × 128 × 256, two consumers": lambda: _product(256, 128, 256, "bf16", "bf16", config="128x128-2c"),
    "gemm of 8 bits with scales": _scaled,
    "grouped gemm": lambda: grouped_gemm.prepare([_group("bf16"), _group("bf16")]),
    "grouped rows": _rows,
    "convolution": lambda: _convolution(1, 64, "bf16"),
    "convolution, stored directly": lambda: _convolution(0, 16, "f32"),
    "copy by cp.async": lambda: _linear(copies.cp_async_16),
    "copy by cp.async.bulk": lambda: _linear(copies.bulk),
    "copy by tensor maps": lambda: copies.prepare_tma(_random((96, 64), "f32"), _random((96, 64), "f32")),
    "copy of boxes": lambda: boxes.prepare_copy(_random((64, 64), "f32"), _random((64, 64), "f32")),
    "sum of boxes": lambda: boxes.prepare_reduce(_random((64, 64), "f32"), _random((64, 64), "f32")),
    "attention 128 × 64": _attention,
}
"""Launches of the library's kernels, of the size of tests, and attention of the tests."""


def certificates() -> list[dict[str, Any]]:
    """Whether each is certified, for any data, and the processor time beside that of a sanitized run."""
    found: list[dict[str, Any]] = []
    for name, make in OURS.items():
        launch: Any = make()
        one = launch(sanitize=True, certify=True).certificate
        both = [(_seconds(launch, certify=True), _seconds(launch)) for _ in range(ROUNDS)]
        certified, sanitized = (min(times) for times in zip(*both, strict=True))
        row = {"name": name, "proved": one.proved, "any_data": one.any_data, "reasons": [str(d) for d in one.reasons]}
        found.append({**row, "sanitized": sanitized, "certified": certified, "ratio": round(certified / sanitized, 2)})
    return found


def _seconds(launch: Any, **options: Any) -> float:
    begin = time.process_time()
    launch(sanitize=True, **options)
    return round(time.process_time() - begin, 5)


def expressions() -> list[dict[str, Any]]:
    """How long it takes to compare a product and attention with their formulas."""
    from unit.verification import flash  # pyright: ignore[reportMissingImports]

    def multiplied(a: Any, b: Any, c: Any) -> None:
        gemm.gemm(a, b, c)

    square = [px.Input("bf16", (128, 128)), px.Input("bf16", (128, 128)), px.Output("f32", (128, 128))]
    product = px.Spec(lambda: px.case(square), algebraic="only")
    found: list[dict[str, Any]] = []
    for name, kernel, reference, spec in (
        ("gemm 128³", multiplied, lambda a, b: a @ b, product),
        ("attention 128 × 64", flash.flash, flash.attended, flash.spec()),
    ):
        begin = time.monotonic()
        verdict = px.verify(kernel, reference, spec, seed=1)
        seconds = round(time.monotonic() - begin, 2)
        algebra = verdict.algebra
        chance = None if algebra is None else algebra.probability
        found.append({"name": name, "verdict": verdict.verdict, "seconds": seconds, "probability": chance})
    return found


def mistakes() -> dict[str, int]:
    """Mistakes made in right kernels one by one: how many are told from the reference, and how many are equal, by which proof."""
    from unit.verification import test_algebra_mutants as mutants  # pyright: ignore[reportMissingImports]

    subjects = map(mutants.subject, mutants.KERNELS)
    return dict(Counter(mutants.judged(one, mutant) for one in subjects for mutant in mutants.chosen(one)))


def zoo() -> dict[str, list[int]]:
    """Kernels of the bug zoo that are certified, of how many: right ones and faulty ones."""
    from tools.certified import cases_of_zoo, kept, zoo

    counts: dict[str, list[int]] = {"right": [0, 0], "faulty": [0, 0]}
    for case in (case for i in range(len(zoo.kernels())) for case in cases_of_zoo(i)):
        count = counts["faulty" if case.faulty else "right"]
        count[0] += kept(case, 0)[0]
        count[1] += 1
    return counts


def verdicts() -> dict[str, list[int]]:
    """Candidates that got a right verdict, of how many: honest ones and cheats."""
    from unit.verification.corpus.every import CHEATS, HONEST  # pyright: ignore[reportMissingImports]

    groups = {"honest": HONEST, "cheats": CHEATS}
    return {name: [sum(e.judged(1).verdict in e.verdicts for e in all_), len(all_)] for name, all_ in groups.items()}


PARTS: Final[Mapping[str, Callable[[], Any]]] = {
    "certificates": certificates, "expressions": expressions, "mistakes": mistakes, "zoo": zoo, "verdicts": verdicts,
}  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Measure, and print a line; `--record` keeps it."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.reach", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), help="these parts")
    parser.add_argument(
        "--record", type=Path, nargs="?", const=RECORD, help=f"append to this file; without one: {RECORD.name}"
    )
    parser.add_argument("--note", help="what to say of the machine")
    given = parser.parse_args(words)
    sys.path.insert(0, str(ROOT / "tests"))
    line: dict[str, Any] = {"bench": "proof", "date": machine.today(), **machine.cpu()}
    line |= {"note": given.note} if given.note else {}
    for part in given.only:
        line[part] = PARTS[part]()
        print(part, *(line[part] if isinstance(line[part], list) else [line[part]]), sep="\n  ", flush=True)
    if given.record is not None:
        records.append(given.record, line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
