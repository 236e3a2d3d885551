"""Launching every kernel again and again: its output must have the same bytes each time."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

import ptxlab as px
from ptxlab.bench.records import append
from ptxlab.conformance.kernels import digests, further
from ptxlab.conformance.kernels.cases import OUTPUT, Case
from ptxlab.conformance.kernels.further import BF16, E4M3, E5M2, F16, F32, Product
from ptxlab.conformance.record.chip import hopper
from ptxlab.cuda.array import GpuArray
from tools.record.digests import SETS

RECORD: Final = Path("benchmarks/records/repeats.jsonl")
THREADS: Final = 256
CTAS: Final = 264


@px.kernel(target="sm_90a", threads=THREADS)
def _compared(
    k: px.Builder,
    out: px.Ptr[px.b8],
    first: px.Ptr[px.b8],
    start: px.Ptr[px.b8],
    count: px.Ptr[px.b32],
    words: px.u32,
    *,
    size: int,
) -> None:
    """Count the words of an output that are not those of the first launch, and put back what was there before."""
    kind = f"b{8 * size}"
    load, store = getattr(k.ld.global_, kind), getattr(k.st.global_, kind)
    with k.loop(words, start=k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x), step=THREADS * CTAS) as i:
        there, wanted, before = (px.Address.of(k.mad.wide.u32(i, size, x), space="global") for x in (out, first, start))
        got, expected = load(there), load(wanted)
        if size == 1:
            got, expected = k.cvt.u32.u8(got), k.cvt.u32.u8(expected)
        k.red.global_.add.u32(px.Address.of(count), 1, pred=got != expected)
        store(there, load(before))


def different(case: Case, kind: str, launches: int) -> tuple[str, int]:
    """The digest of the first output of a case on the GPU, and how many words of further ones differ from it."""
    arrays = case.arrays(kind)
    there = {name: GpuArray(a) for name, a in arrays.items()}
    launch = case.prepare(there)
    launch()
    found = there[OUTPUT].numpy()
    first, start, count = GpuArray(found), GpuArray(arrays[OUTPUT]), GpuArray(np.zeros(1, np.uint32))
    size = 4 if found.nbytes % 4 == 0 else 1
    words: Any = found.nbytes // size
    check = _compared.specialize(size=size).prepare(grid=CTAS, args=[there[OUTPUT], first, start, count, words])
    check()
    for _ in range(launches - 1):
        launch()
        check()
    return digests.digest(found), int(count.numpy()[0])


def large() -> list[Case]:
    """Products of many tiles, for which a CTA has several, and clusters that share sums."""
    types = ((BF16, BF16, BF16), (F16, F16, F32), (F32, F32, F32), ("int8", "int8", "int32"), (E4M3, E5M2, BF16))
    configs = ("128x256-2c", "128x128-2c-split2", "64x64-1c-split4", "256x64-2c-swapped")
    found = [Product("large", t, sizes=(1000, 1544, 2064), config=c) for t in types for c in configs]
    blocks = next(c for c in further.products() if "scales in blocks" in c.key)
    return [replace(p.case, kinds=("random",)) for p in found] + [blocks]


def every() -> Iterator[tuple[Case, str]]:
    """Every recorded case on each of its inputs that are no integers, and the large ones."""
    seen: set[str] = set()
    for case in (*large(), *(c for _, held in SETS.values() for c in held())):
        for kind in case.kinds:
            if kind != "integers" and case.recorded(kind) not in seen:
                seen.add(case.recorded(kind))
                yield case, kind


def repeated(wanted: Iterable[tuple[Case, str]], launches: int) -> dict[str, Any]:
    """What a record says: how many launches of how many cases, which differ, and one digest of all outputs."""
    held = {key: d for path, _ in SETS.values() for key, d in digests.read(path).digests.items()}
    begin, whole, wrong, count = time.perf_counter(), hashlib.sha256(), list[str](), 0
    for case, kind in wanted:
        found, words = different(case, kind, launches)
        count += 1
        whole.update(f"{case.recorded(kind)} {found}\n".encode())
        if words:
            wrong.append(f"{case.recorded(kind)}: {words} words of {launches - 1} further launches")
        if held.get(case.recorded(kind), found) != found:
            wrong.append(f"{case.recorded(kind)}: not the recorded digest")
    seconds = round(time.perf_counter() - begin, 1)
    return {"launches": launches, "cases": count, "different": wrong, "digest": whole.hexdigest(), "seconds": seconds}


def main(path: Path, launches: int) -> int:
    """Repeat, add a line to a file, and say it; 1 where something differs."""
    found = repeated(every(), launches)
    append(path, {**asdict(hopper()), **found})
    print(f"{found['cases']} cases, {launches} launches each, digest of all outputs {found['digest'][:16]}…")
    for text in found["different"]:
        print(text)
    return int(bool(found["different"]))
