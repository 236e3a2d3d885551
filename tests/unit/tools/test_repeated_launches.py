"""Launching kernels again and again, and recording digests, with the simulator in the place of the GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ptxlab.conformance.kernels.cases import OUTPUT, Case, copies
from ptxlab.conformance.kernels.run import simulator
from ptxlab.diag import Diagnostic
from tools.record import digests, repeats


class Host(np.ndarray[Any, Any]):
    """An array that stands for one on a GPU."""

    def numpy(self) -> np.ndarray[Any, Any]:
        return np.array(self)


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "GpuArray", lambda a: a.copy().view(Host))
    monkeypatch.setattr(digests, "gpu", simulator)


def copy() -> Case:
    return next(c for c in copies() if c.key.startswith("bulk/"))


def unsteady(size: int) -> Case:
    """A kernel whose third launch writes something else."""

    def prepare(a: Mapping[str, Any]) -> Any:
        count = iter(range(10))

        def launch() -> None:
            assert not a[OUTPUT].any()  # what was there before the first launch
            a[OUTPUT][...] = 7
            a[OUTPUT][1:3] += next(count) == 2

        return launch

    def arrays(kind: str) -> dict[str, Any]:
        return {OUTPUT: np.zeros(size, np.uint8)}

    return Case("unsteady", "unsteady", "", arrays, prepare, lambda a: a[OUTPUT])  # type: ignore[arg-type]


def test_equal_launches_make_one_digest() -> None:
    case = copy()
    found = repeats.repeated([(case, "random")], launches=3)
    assert (found["launches"], found["cases"], found["different"]) == (3, 1, [])
    assert repeats.different(case, "random", 2)[0] == digests.digest(case.arrays("random")["src"])


@pytest.mark.parametrize(("size", "words"), [(64, 1), (63, 2)])
def test_a_launch_that_differs_is_counted(size: int, words: int) -> None:
    found = repeats.repeated([(unsteady(size), "random")], launches=4)
    assert found["different"] == [f"unsteady: {words} words of 3 further launches"]


def test_a_digest_that_is_not_the_recorded_one_is_said() -> None:
    case = copy()
    other = replace(case, arrays=lambda kind: {**case.arrays(kind), "src": case.arrays("integers")["src"]})
    found = repeats.repeated([(other, "random")], launches=2)
    assert found["different"] == [f"{case.key}: not the recorded digest"]


def test_every_record_and_large_products_are_repeated() -> None:
    wanted = [case.recorded(kind) for case, kind in repeats.every()]
    assert len(set(wanted)) == len(wanted)
    held = {
        case.recorded(k)
        for _, cases in digests.SETS.values()
        for case in cases()
        for k in case.kinds
        if k != "integers"
    }
    assert held < set(wanted)


def test_only_what_keeps_the_bound_is_recorded() -> None:
    case = copy()
    ((key, output),) = digests.measured(case)
    assert (key, digests.digest(output)) == (case.key, digests.digest(case.arrays("random")["src"]))
    with pytest.raises(Diagnostic, match="is wrong on the GPU, random: too far") as caught:
        list(digests.measured(replace(case, outside=lambda a, got: "too far")))
    assert caught.value.code == "PTX2420"


def test_what_gives_two_results_is_not_recorded() -> None:
    case, count = copy(), iter(range(9))

    def arrays(kind: str) -> dict[str, np.ndarray]:
        return {**case.arrays(kind), "src": case.arrays("integers")["src"] + next(count)}

    with pytest.raises(Diagnostic, match="gave two results"):
        list(digests.measured(replace(case, arrays=arrays, kinds=("random",))))
