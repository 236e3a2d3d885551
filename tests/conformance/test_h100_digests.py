"""The simulator writes the bytes that an H100 wrote, however asynchronous operations are placed."""

from __future__ import annotations

import pytest

from ptxlab.conformance.kernels.cases import OUTPUT, Case, cases, tails
from ptxlab.conformance.kernels.digests import read
from ptxlab.conformance.kernels.run import Verdict, judge, simulator
from ptxlab.conformance.kernels.tensors import grouped_case, tensors

RECORD = read()
CASES = {c.key: c for c in cases()}
TAILS = {c.key: c for c in tails()}
TENSORS = {c.key: c for c in tensors()}
# Copies of one kind differ in nothing that a schedule could touch; one of each unit will do.
SCHEDULED = (
    "cp_async_16/100003",
    "bulk/100003",
    "tma_2d/500x1004",
    "gemm/kn/bf16/512x512x512",
    "gemm/nk/f32/512x512x512",
    "grouped/kn/bfloat16/8",
    "conv/3x3-stride-2/bfloat16",
    "boxes/5d/float32",
    "reduce/max/int64/list",
)


def test_the_record_is_of_these_cases() -> None:
    assert set(CASES) <= set(RECORD.digests) <= set(CASES) | set(TAILS) | set(TENSORS)
    assert "H100" in RECORD.gpu
    assert all((RECORD.driver, RECORD.cuda, RECORD.ptxas, RECORD.date))


@pytest.mark.parametrize("case", CASES.values(), ids=lambda c: c.key)
def test_random_inputs_give_the_bytes_of_an_h100(case: Case) -> None:
    outcome = judge(case, "random", simulator, RECORD)
    assert outcome.verdict is Verdict.EQUAL, outcome.detail


@pytest.mark.parametrize("case", [*TAILS.values(), *TENSORS.values()], ids=lambda c: c.key)
def test_sizes_that_fill_no_tile(case: Case) -> None:
    outcome = judge(case, "integers", simulator, RECORD)
    assert outcome.verdict is Verdict.EQUAL, outcome.detail
    if case.key not in RECORD.digests:
        pytest.skip("equal to NumPy; not recorded on an H100 yet (python -m tools.record.digests)")
    outcome = judge(case, "random", simulator, RECORD)
    assert outcome.verdict is Verdict.EQUAL, outcome.detail


@pytest.mark.parametrize("layout", ["kn", "nk"])
@pytest.mark.parametrize("out", ["bfloat16", "float32"])
def test_tiles_of_fitting_width_change_no_byte(layout: str, out: str) -> None:
    """Recorded with blocks of 128 rows: each result is the same sum, in the same order."""
    outcome = judge(grouped_case(layout, out, "128x256-2c-swapped"), "random", simulator, RECORD)
    assert outcome.verdict is Verdict.EQUAL, outcome.detail


@pytest.mark.parametrize("schedule", ["late", "random"])
@pytest.mark.parametrize("key", SCHEDULED)
def test_schedules_do_not_change_the_result(key: str, schedule: str) -> None:
    case = (CASES | TENSORS)[key]
    arrays = case.arrays("random")
    case.prepare(arrays)(schedule=schedule, seed=7)  # type: ignore[call-arg]
    assert not RECORD.difference(key, arrays[OUTPUT])
