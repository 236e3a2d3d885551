"""A launch beside a reference: the first wrong element, and who wrote it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px

N = 32
Words = NDArray[np.uint32]


@px.kernel(threads=N)
def double(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], *, last: int = N, wrong: int = N):
    v = k.ld.global_.u32(x[k.tid.x])
    k.st.global_.u32(y[k.tid.x], v * 2, pred=k.tid.x < last)
    k.st.global_.u32(y[k.tid.x], v, pred=k.tid.x == wrong)


@px.kernel(threads=1)
def order(k: px.Builder, y: px.Ptr[px.u32]):
    """Two CTAs store to one word."""
    k.st.global_.u32(y, k.ctaid.x)


def reference(x: Words, y: Words) -> None:
    y[:] = x * 2


def arrays() -> list[Words]:
    return [np.arange(N, dtype=np.uint32), np.zeros(N, np.uint32)]


def test_what_is_right_is_true_and_the_results_are_in_the_arrays() -> None:
    x, y = arrays()
    found = px.compare(double, reference, [x, y], grid=1)
    assert found
    assert (str(found), len(found.runs)) == ("double: 5 runs leave what the reference leaves", 5)
    assert (y == x * 2).all()
    found.check()


def test_the_writer_of_the_first_wrong_element_is_named() -> None:
    found = px.compare(double, reference, arrays(), grid=1, wrong=7)
    assert not found
    (told,) = found.findings
    assert told.code == "PTX9273"
    assert told.message == "the results differ from the reference: `y`: 1 of 32 elements, first [7]: 7, wanted 14"
    (mismatch,) = found.runs[0].mismatches
    writer = mismatch.writer
    assert writer is not None
    assert (mismatch.array, mismatch.index, writer.thread, writer.cta) == ("y", (7,), (7, 0, 0), (0, 0, 0))
    assert writer.origin is not None
    assert told.origin == writer.origin
    assert told.notes[0] == "in all 5 runs"
    with pytest.raises(px.Diagnostic, match="wanted 14"):
        found.check()


def test_an_element_that_nobody_writes_is_said_to_be_that() -> None:
    found = px.compare(double, reference, arrays(), grid=1, last=30, ignore="PTX9243")
    assert found.runs[0].mismatches[0].writer is None
    assert "nobody writes this element" in found.findings[0].notes


def test_how_many_elements_nobody_writes_is_said() -> None:
    found = px.compare(double, reference, arrays(), grid=1, last=28, wrong=7)
    assert found.runs[0].mismatches[0].index == (7,)
    assert "nobody writes 4 of the other wrong elements" in found.findings[0].notes
    found = px.compare(double, reference, arrays(), grid=1, last=28)
    assert {"nobody writes this element", "nobody writes 3 of the other wrong elements"} <= set(found.findings[0].notes)


def test_a_race_is_found_beside_a_mismatch() -> None:
    def last(y: Words) -> None:
        y[:] = 1

    found = px.compare(order, last, [np.zeros(1, np.uint32)], grid=2, seeds=range(8))
    assert {"PTX9200", "PTX9273"} <= {d.code for d in found.findings}
    assert any(not run.mismatches for run in found.runs)
    assert any(run.mismatches for run in found.runs)
    assert any(note.startswith("right with") for d in found.findings for note in d.notes)


def test_what_stops_a_run_is_in_the_comparison() -> None:
    found = px.compare(double, lambda x, y: None, [np.zeros(4, np.uint32), np.zeros(N, np.uint32)], grid=1)
    assert not found
    assert {run.stop.code for run in found.runs if run.stop is not None} == {"PTX9002"}


def test_a_reference_may_return_some_of_the_arrays_and_tolerances_hold() -> None:
    @px.kernel(threads=N)
    def third(k: px.Builder, x: px.Ptr[px.f32]):
        k.st.global_.f32(x[k.tid.x], k.ld.global_.f32(x[k.tid.x]) * 0.3333)

    x = np.linspace(0, 1, N, dtype=np.float32)
    x[3] = np.nan

    def wanted(x: NDArray[np.float32]) -> dict[int, Any]:
        return {0: x / 3}

    assert px.compare(third, wanted, [x.copy()], grid=1, rtol=1e-3)
    assert not px.compare(third, wanted, [x.copy()], grid=1)


def test_the_array_behind_a_tensor_map_is_compared() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def fill(k: px.Builder, to: px.TensorMap):
        tile = k.smem(px.f32, (8, 4), align=128)
        k.st.shared.f32(tile.at(k.tid.x * 4), 1.5)
        k.fence.proxy.async_.shared__cta()
        k.bar.warp.sync(0xFFFFFFFF)
        with k.elect():
            k.tma_store(to, (0, 0), tile)
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)

    def ones(a: NDArray[np.float32]) -> None:
        a[:] = 1
        a[:, 2:] = 1.5

    a = px.empty((8, 4), np.float32, align=16)
    found = px.compare(fill, ones, [px.tensor_map(a, box=(8, 4))], grid=1, schedules=["late"])
    mismatch = found.runs[0].mismatches[0]
    assert (mismatch.elements, mismatch.index, mismatch.value) == (16, (0, 0), "1.5")
    assert mismatch.writer is not None
    assert mismatch.writer.asynchronous


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"schedules": "eager"}, "PTX2501", "no list of schedules"),
        ({"schedules": ["eger"]}, "PTX2501", "no list of schedules"),
        ({"seeds": [-1]}, "PTX2501", "no list of seeds"),
        ({"reference": lambda x, y: 3}, "PTX2342", "returns int"),
        ({"reference": lambda x, y: {2: x}}, "PTX2342", "no array"),
        ({"reference": lambda x, y: {0: x[:3]}}, "PTX2342", "shape (3,)"),
        ({"grid": None}, "PTX2501", "grid= is missing"),
    ],
)
def test_bad_input_is_said_before_anything_runs(options: dict[str, Any], code: str, words: str) -> None:
    more: dict[str, Any] = {"reference": reference, "grid": 1, **options}
    if more["grid"] is None:
        del more["grid"]
    with pytest.raises(px.Diagnostic) as caught:
        px.compare(double, more.pop("reference"), arrays(), **more)
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("tolerance", "did you mean atol= or rtol=, options of px.compare?"),
        ("rtoll", "did you mean rtol=, an option of px.compare?"),
        ("schedule", "schedule= is an option of px.debug and px.simulate; px.compare and px.explore take schedules="),
        ("seed", "seed= is an option of px.debug, px.explore and px.simulate; px.compare takes seeds="),
        ("device", "device= is an option of Kernel.launch and Kernel.prepare"),
        ("inputs", "its constants are: last, wrong"),
    ],
)
def test_an_option_that_it_does_not_have_is_answered_with_what_was_meant(word: str, meant: str) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        px.compare(double, reference, arrays(), grid=1, **{word: 1})
    assert (caught.value.code, caught.value.help) == ("PTX2209", meant)
