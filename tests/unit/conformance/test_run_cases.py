from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxlab.conformance.kernels.cases import KINDS, OUTPUT, Case, cases, swizzled_rows, tails
from ptxlab.conformance.kernels.digests import Record, digest
from ptxlab.conformance.kernels.run import Run, Verdict, difference, judge
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.diag import Diagnostic
from ptxlab.layout import CHUNK, swizzle


def double(step: float = 0.0) -> Any:
    """A device that doubles `src`, off by `step` in one element."""

    def device(case: Case, arrays: dict[str, np.ndarray], trace: bool = False, progress: Any = None) -> Run:
        arrays[OUTPUT][...] = arrays["src"] * 2
        arrays[OUTPUT][1, 2] += np.float32(step)
        return Run(arrays[OUTPUT], 0.5, 7)

    return device


def arrays(kind: str) -> dict[str, np.ndarray]:
    start = 0 if kind == "integers" else 0.25
    return {
        "src": np.arange(6, dtype=np.float32).reshape(2, 3) + np.float32(start),
        OUTPUT: np.zeros((2, 3), np.float32),
    }


CASE = Case("double/2x3", "double", "2 × 3 f32", arrays, lambda a: None, lambda a: a["src"] * 2)  # type: ignore[arg-type, return-value]
RECORD = Record(digests={CASE.key: digest(arrays("random")["src"] * 2)})


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_output_is_equal(kind: str) -> None:
    outcome = judge(CASE, kind, double(), RECORD)
    assert (outcome.verdict, outcome.detail) == (Verdict.EQUAL, "")


@pytest.mark.parametrize("kind", KINDS)
def test_one_wrong_element_differs(kind: str) -> None:
    outcome = judge(CASE, kind, double(0.125), RECORD)
    assert outcome.verdict is Verdict.DIFFERS
    assert outcome.detail


def test_without_a_digest_there_is_no_verdict_of_equality() -> None:
    assert judge(CASE, "random", double(), Record()).verdict is Verdict.NO_RECORD


def test_a_diagnostic_is_an_outcome() -> None:
    def device(*args: Any, **kwargs: Any) -> Run:
        raise Diagnostic("PTX2304", "No GPU here.")

    outcome = judge(CASE, "integers", device, RECORD)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.error == Diagnostic("PTX2304", "No GPU here.")


def test_a_difference_names_the_first_element() -> None:
    wanted = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = wanted.copy()
    got[1, 1:] = -1
    assert difference(got, wanted) == "2 of 6 elements; the first is [1, 1]: -1.0 instead of 4.0"


def test_equality_is_of_bits() -> None:
    nan = np.array([np.nan], np.float32)
    assert difference(nan, nan) == ""
    assert difference(np.array([0.0], np.float32), np.array([-0.0], np.float32)).startswith("1 of 1")
    assert difference(np.zeros(2, np.float32), np.zeros(2, np.int32)) == "float32 (2,) instead of int32 (2,)"


@pytest.mark.parametrize(("mode", "columns"), [("32B", 8), ("64B", 16), ("128B", 32)])
def test_the_reference_for_swizzles_agrees_with_the_layout(mode: Any, columns: int) -> None:
    tile = np.arange(16 * columns, dtype=np.float32).reshape(16, columns)
    memory = np.empty(16 * columns * 4, np.uint8)
    source = tile.view(np.uint8).reshape(-1)
    for at in range(0, memory.size, CHUNK):
        to = swizzle(at, mode)
        memory[to : to + CHUNK] = source[at : at + CHUNK]
    assert swizzled_rows(tile).tobytes() == memory.tobytes()


def test_names_of_cases_are_unique_and_inputs_reproducible() -> None:
    everything = [*cases(), *tails(), *tensors()]
    assert len({c.key for c in everything}) == len(everything)
    for case in everything:
        for kind in KINDS:
            first, second = case.arrays(kind), case.arrays(kind)
            assert all(digest(first[name]) == digest(second[name]) for name in first)
            assert digest(first[OUTPUT]) == digest(np.zeros_like(first[OUTPUT]))
