"""`px.rank`: candidates in the order of what is predicted, and what becomes of those that cannot be."""

from __future__ import annotations

import dataclasses
import errno
import json
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.timing import rank as module
from ptxlab.timing.chip import chip
from ptxlab.timing.parallel import outcomes

N = 1 << 20


@px.kernel(target="sm_90a", threads=128)
def doubled(k: px.Builder, x: px.Ptr[px.f32], *, each: int, how: str = "right") -> None:
    """Few elements a CTA, and the launches of CTAs are what takes time."""
    if how == "hangs":
        bar = k.mbarrier(1)
        k.init_barriers()
        bar.wait(0)
    if how == "large":
        k.st.shared.f32(k.smem(px.f32, 250_000)[0], 1.0)
    if how == "python":
        raise ZeroDivisionError("of the kernel's own Python")
    for j in range(each):
        i = (k.ctaid.x * each + j) * 128 + k.tid.x
        k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)


def _grid(c: Any) -> int:
    return N // (128 * c.each)


def _x() -> Any:
    return px.zeros_like(px.empty(N, "f32"))


def test_candidates_stand_in_the_order_of_what_profiles_predict() -> None:
    x = _x()
    found = px.rank(doubled, grid=_grid, args=[x], each=[1, 8, 2], workers=1)
    alone = {e: px.profile(doubled, grid=N // (128 * e), args=[x], each=e).cycles for e in (1, 8, 2)}
    assert {c.constants["each"]: c.cycles for c in found.candidates} == alone
    assert [c.cycles for c in found.candidates] == sorted(alone.values())
    assert found.candidates[-1].constants == {"each": 1}  # eight times as many CTAs to launch as with 8
    assert not x.any()


def test_processes_predict_what_one_predicts() -> None:
    x = _x()
    one, many = (px.rank(doubled, grid=_grid, args=[x], each=[1, 2, 8], workers=n).record() for n in (1, 3))
    assert one == many
    assert not x.any()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_each_candidate_has_a_process() -> None:
    def told() -> Any:
        return os.getpid()

    found: set[Any] = set(outcomes([told] * 8, 2))
    assert os.getpid() not in found
    assert len(found) <= 2
    assert outcomes([told], 2) == [os.getpid()]  # one alone needs no other process


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
@pytest.mark.parametrize("started", [0, 1])
def test_where_no_process_can_be_started_this_one_does_all(started: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has reserved more than there is cannot be forked."""
    forks = iter([os.fork] * started)

    def fork() -> int:
        for one in forks:
            return one()
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    def told() -> Any:
        return os.getpid()

    monkeypatch.setattr(os, "fork", fork)
    assert outcomes([told] * 3, 2) == [os.getpid()] * 3
    for process in multiprocessing.active_children():
        process.join(10)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("workers", [1, 2])
def test_what_does_not_compile_or_hangs_stands_last_with_its_code(workers: int) -> None:
    how = ["hangs", "right", "large"]
    found = px.rank(doubled, grid=_grid, args=[_x()], each=[8], how=how, workers=workers)
    assert [c.constants["how"] for c in found.candidates] == ["right", "hangs", "large"]
    right, hangs, large = found.candidates
    assert right.wrong is None
    assert isinstance(hangs.wrong, Diagnostic)
    assert isinstance(large.wrong, Diagnostic)
    assert (hangs.wrong.code, large.wrong.code) == ("PTX9100", "PTX2204")
    assert large.wrong.help
    assert large.wrong.origin is not None
    assert Path(large.wrong.origin.file).name == "test_rank.py"
    assert (hangs.cycles, hangs.microseconds, hangs.limiter) == (None, None, "")
    rows = [line.split() for line in str(found.table()).splitlines()]
    assert ["8", "hangs", "PTX9100"] in rows
    assert "each=8, how='hangs': PTX9100 the launch is deadlocked" in found.text()
    assert [c.get("code") for c in json.loads(json.dumps(found.record()))["candidates"]] == [None, "PTX9100", "PTX2204"]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_launch_refuses_names_the_line_that_asked(workers: int) -> None:
    grids = {1: N // 128, 2: 0, 8: -1}
    found = px.rank(doubled, grid=lambda c: grids[c.each], args=[_x()], each=[1, 2, 8], workers=workers)
    for one in found.candidates[1:]:
        assert one.wrong is not None
        assert one.wrong.code.startswith("PTX20")
        assert one.wrong.origin is not None
        assert Path(one.wrong.origin.file).name == "test_rank.py"


def test_arguments_may_depend_on_the_candidate() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def stored(k: px.Builder, tensor: px.TensorMap, *, rows: int) -> None:
        tile = k.smem(px.f32, (rows, 32), align=128)
        for row in range(rows):
            k.st.shared.f32(tile.at(128 * row + k.tid.x * 4), 5.0)
        k.sync_all()
        k.fence.proxy.async_.shared__cta()
        with k.if_(k.tid.x == 0):
            k.tma_store(tensor, (0, 0), tile)
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)

    x = px.zeros_like(px.empty((4, 32), "f32"))
    found = px.rank(stored, grid=1, args=[lambda c: px.tensor_map(x, box=(c.rows, 32))], rows=[4, 300, 2], workers=2)
    assert sorted(c.constants["rows"] for c in found.candidates[:2]) == [2, 4]
    last = found.candidates[2].wrong
    assert last is not None
    assert last.code.startswith("PTX21")  # a box has 256 rows at most
    assert not x.any()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_of_the_kernels_python_is_shown(workers: int) -> None:
    with pytest.raises(ZeroDivisionError, match="of the kernel's own Python"):
        px.rank(doubled, grid=_grid, args=[_x()], each=[1, 2], how=["python", "right"], workers=workers)


def test_a_process_that_ends_is_one_diagnostic() -> None:
    def ends() -> Any:
        os._exit(3)

    with pytest.raises(Diagnostic, match="PTX9040") as found:
        outcomes([ends, ends], 2)
    assert "workers" in (found.value.help or "")


def test_a_tuned_kernel_brings_its_candidates() -> None:
    tuned = px.tune(each=[1, 8])(doubled)
    found = px.rank(tuned, grid=_grid, args=[_x()], workers=1)
    assert [c.constants for c in found.candidates] == [{"each": 8}, {"each": 1}]
    with pytest.raises(Diagnostic, match="PTX2514"):
        px.rank(tuned, grid=_grid, args=[_x()], each=[1, 2])


WRONG: list[tuple[Callable[[], object], str, str]] = [
    (lambda: px.rank(doubled, grid=_grid, args=[_x()]), "PTX2514", "nothing to choose"),
    (lambda: px.rank(doubled, grid=_grid, args=[_x()], stages=[1]), "PTX2514", "no compile-time constant `stages`"),
    (lambda: px.rank(doubled, grid=_grid, args=[_x()], each=4), "PTX2514", "no list of values"),  # type: ignore[arg-type]
    (lambda: px.rank(3, grid=1, each=[1]), "PTX2322", "An int is no kernel"),  # type: ignore[arg-type]
    (lambda: px.rank(doubled, grid=_grid, args=[_x()], each=[1], on="h300"), "PTX2501", "h300"),
    (lambda: px.rank(doubled, grid=_grid, args=[_x()], each=[1], clock=0.0), "PTX2501", "clock=0.0"),
    (lambda: px.rank(doubled, grid=_grid, args=[_x()], each=[1], workers=-1), "PTX2501", "workers=-1"),
    (lambda: px.rank(doubled, grid=_grid, args=[], each=[1, 2], workers=1), "PTX2512", "None of the 2 candidates"),
]


@pytest.mark.parametrize(("call", "code", "says"), WRONG, ids=[says for _, _, says in WRONG])
def test_bad_input_is_one_diagnostic_each(call: Callable[[], object], code: str, says: str) -> None:
    with pytest.raises(Diagnostic) as found:
        call()
    assert found.value.code == code
    assert says in found.value.message
    assert found.value.help or code == "PTX2322"


def test_a_report_says_how_far_off_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    x = _x()
    errors = {"all": {"kernels": 3, "mean": 10.0, "worst": 20.0}}
    ranks = {"without tensor cores": {"spaces": 2, "candidates": 9, "tau": 0.5, "first": 1.2, "three": 1.0}}
    monkeypatch.setattr(module, "chip", lambda name: dataclasses.replace(chip(name), errors={}, ranks={}))
    found = px.rank(doubled, grid=_grid, args=[x], each=[1, 2, 8], workers=1)
    assert "no ranking of a kernel without tensor cores has been measured" in found.text()
    assert "off by" not in found.text()
    assert found.near == found.candidates[:1]
    monkeypatch.setattr(module, "chip", lambda name: dataclasses.replace(chip(name), errors=errors, ranks=ranks))
    found = px.rank(doubled, grid=_grid, args=[x], each=[1, 2, 8], workers=1)
    assert "τ of predicted and measured cycles was 0.50 for 9 candidates in 2 rankings of kernels" in found.text()
    assert "the first took 1.20 times as long as the fastest, the best of three 1.00 times" in found.text()
    assert len(found.near) == 3
    assert "3 lie so near to each other" in found.text()
    assert found._repr_html_().count("<tr>") == 4


def test_a_kernel_that_multiplies_matrices_is_told_what_was_measured_for_such() -> None:
    from ptxlab.kernels.gemm import prepare

    a, b, c = px.empty((256, 128), "bf16"), px.empty((256, 128), "bf16"), px.empty((256, 256), "bf16")
    plans = [
        module.Planned({"config": config}, lambda config=config: px.profile(prepare(a, b, c, b_layout="nk", config=config)))
        for config in ("64x64-1c", "64x128-1c")
    ]
    found = module.ranking("gemm", plans, chip("h200"), workers=1)
    assert found.kind == "with wgmma"
    assert found.ranks == chip("h200").ranks["with wgmma"]
    assert f"was {found.ranks['tau']:.2f} for {found.ranks['candidates']} candidates" in found.text()


def test_a_diagnostic_is_the_same_behind_a_pickle() -> None:
    with pytest.raises(Diagnostic) as caught:
        px.profile(doubled, grid=1, args=[_x()], each=1, how="large")
    wrong = caught.value
    again = pickle.loads(pickle.dumps(wrong))
    assert type(again) is Diagnostic
    assert again == wrong
    assert str(again) == str(wrong)
