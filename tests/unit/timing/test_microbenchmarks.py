"""The replay beside the record of what a GPU took: microbenchmarks that the table of the chip is made of, replayed as kernels."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.bench.calibrate.experiments import experiments
from ptxlab.bench.calibrate.programs import ENTRY, KEPT, Program
from ptxlab.bench.calibrate.table import table
from ptxlab.cuda import ptxas
from ptxlab.timing.chip import chip
from ptxlab.timing.predict import predict

ROOT = Path(__file__).parents[3]
RECORD = ROOT / "benchmarks" / "records" / "calibration.jsonl"
NAMES = (
    "add.u32", "fma.rn.f32", "mul.hi.u32", "ex2.approx.ftz.f32", "fma.f64", "fma.f16x2", "shfl.sync.idx", "bar.sync",
    "ld.shared.u32",
    "ld.shared, 4 bytes a lane, 8 lanes a bank", "mma.m16n8k16.f32.bf16.bf16.f32", "mbarrier.arrive, try_wait",
    "wgmma.m64n128k16.f32.bf16.bf16, A in shared memory", "wgmma.m64n64k16.f32.bf16.bf16, A in registers",
    "cp.async.bulk, 4096 bytes, 16 at a time, over 1024 KiB", "cp.async.bulk, 16384 bytes, 1 at a time, over 1024 KiB",
    "ld.shared::cluster of another CTA, a chain, cluster of 2", "ld.shared::cluster of another CTA, 16 bytes a lane, cluster of 4",
    "st.async, 16 bytes a lane, cluster of 2", "cp.async.bulk to another CTA, 4096 bytes, 1 at a time, cluster of 2",
    "barrier.cluster, release, cluster of 2", "a block of attention, products",
)  # fmt: skip
MEAN, OF_OTHERS = 0.035, 0.041
"""Mean error of these replays, as it was when this was written, and half a per cent: with the ptxas of the record, with others."""
ROUNDS = 4, 8


def lines(record: Path = RECORD) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def chosen() -> Iterator[tuple[Program, float]]:
    """Of each name the narrowest and the widest program, with the cycles of a step."""
    keys = ("name", "warps", "chains", "group", "warpgroups")
    measured = {tuple(line.get(k) for k in keys): line["cycles"] for line in lines() if "cycles" in line}
    for name in NAMES:
        found = [one for one in experiments() if one.name == name]
        for one in {id(one): one for one in (found[0], found[-1])}.values():
            facts = {"name": one.name, "warps": one.warps, **one.facts}
            yield one, measured[tuple(facts.get(k) for k in keys)]


def replayed(program: Program) -> float:
    """Cycles of a step, by the replay of few rounds and of more."""
    text = re.sub(r";[ \t]*(?=\S)", ";\n", program.text)  # an instruction a line: the line table is by lines
    kernel = px.parse(text, program.name)[ENTRY]
    data = np.full(1 << 18, 0x3F80_0000, np.uint32)
    out = np.zeros(program.cluster * KEPT // 8, np.uint64)
    cycles = [
        predict(
            kernel.prepare(
                grid=program.cluster, shared=program.shared, args=[out, data, np.uint32(n)], lints=False
            ).record,
            chip("h200"),
        ).cycles
        for n in ROUNDS
    ]
    return (cycles[1] - cycles[0]) / (ROUNDS[1] - ROUNDS[0]) / program.steps


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.ptxas
@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
def test_replays_take_what_the_gpu_took() -> None:
    errors = {(one.name, one.warps): replayed(one) / took - 1 for one, took in chosen()}
    tool = ptxas.find()
    recorded = tool is not None and tool.release == next(line["ptxas"] for line in lines() if "ptxas" in line)
    assert statistics.mean(map(abs, errors.values())) < (MEAN if recorded else OF_OTHERS), errors
    assert max(map(abs, errors.values())) < 0.35, errors  # a multiplication's high half, in a chain


def test_the_table_is_the_one_that_the_record_gives() -> None:
    made = table(lines(), "H200", lines(RECORD.with_name("predict.jsonl")))
    kept = json.loads((ROOT / "src/ptxlab/timing/chips/h200.json").read_text(encoding="utf-8"))
    assert made == kept, "run python -m ptxlab.bench.calibrate.table --help"
