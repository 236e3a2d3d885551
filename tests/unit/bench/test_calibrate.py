"""Microbenchmarks: each runs in the simulator, and its machine code has the instruction that it is about."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import ptxlab as px
from ptxlab.bench.calibrate.experiments import experiments
from ptxlab.bench.calibrate.grids import Grid, grids
from ptxlab.bench.calibrate.programs import ENTRY, Program, chain
from ptxlab.bench.calibrate.run import between_clocks, measured
from ptxlab.cuda import ptxas
from ptxlab.timing.machine_code import machine_code

LARGEST = 1 << 20
"""Bytes that an experiment goes through here: more makes no other program."""


def each() -> Iterator[Program]:
    """One of each name: the others differ in warps, chains and bytes alone."""
    return iter({one.name: one for one in experiments() if one.chase <= LARGEST}.values())


@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
@pytest.mark.ptxlab(sanitize=True)
def test_each_runs_and_the_sanitizer_is_silent() -> None:
    device = px.devices(1)[0]
    programs = list(each())
    lines = list(measured(programs, device, repeats=1))
    assert [line["name"] for line in lines] == [one.name for one in programs]
    assert all(line["cycles"] > 0 for line in lines)


@pytest.mark.ptxlab(sanitize=True)
@pytest.mark.parametrize(
    "grid",
    [one for one in grids() if one.cluster > 1 or one.alike > 1],
    ids=lambda one: f"{one.name} {one.cluster} {one.alike} {one.ctas}",
)
def test_grids_of_clusters_and_of_like_readers_run(grid: Grid) -> None:
    ctas = max(grid.cluster, grid.alike)
    data = np.zeros(1 << 16, np.uint32)  # sixteen chunks
    args = [data, np.uint64(data.nbytes if grid.nbytes else 0), np.uint32(1)]
    px.parse(grid.text, grid.name)[ENTRY].prepare(grid=ctas, shared=grid.shared or None, args=args, lints=False)()
    px.synchronize()


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.ptxas
@pytest.mark.parametrize("program", [one for one in each() if one.counted], ids=lambda one: one.name)
def test_nothing_of_a_chain_is_left_out(program: Program) -> None:
    found = between_clocks(machine_code(ptxas.assemble(program.text, "sm_90a").cubin)[ENTRY])
    # ptxas adds three numbers at once, and halves of two f16 in one instruction each
    assert found[program.counted] in (program.steps, program.steps // 2, 2 * program.steps)


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.ptxas
def test_a_step_without_effect_would_be_seen() -> None:
    program = chain("nothing", "mov.b32 {r}, {r};", "b32", counted="MOV")
    found = between_clocks(machine_code(ptxas.assemble(program.text, "sm_90a").cubin)[ENTRY])
    assert found.get("MOV", 0) < program.steps
