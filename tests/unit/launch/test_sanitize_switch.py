"""Who decides whether a launch is sanitized, and what users get of its findings, whichever way they launch."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi import sanitizing
from ptxlab.abi.sanitizing import VARIABLE, Sanitize, Watcher, wanted, watching, when_asked
from ptxlab.sim.report.report import Report

OUT = np.zeros(64, np.uint32)


@px.kernel(threads=64)
def racing(k: px.Builder, out: px.Ptr[px.b32]) -> None:
    row = k.smem(px.b32, 64)
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)
    value = k.ld.shared.b32(row.at((i ^ 32) * 4))
    k.st.global_.b32(out.at(i * 4), value)
    k.st.global_.b32(out.at((i ^ 32) * 4), value)


CODES = ["PTX9200", "PTX9200"]


def compiled() -> px.TritonKernel:
    """The same kernel, as Triton would hand it over."""
    meta = SimpleNamespace(name="racing", num_warps=2, num_ctas=1, shared=0)
    return px.triton(racing.ptx, meta, signature={"out": "*u32"})


@pytest.fixture(autouse=True)
def _nobody_else_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(sanitizing, "DEFAULT", False)


def raised(launch: Callable[[], object]) -> list[str]:
    """Codes of the diagnostic that a launch raises, and of those in its `also`."""
    try:
        launch()
    except px.Diagnostic as d:
        return [d.code, *(more.code for more in d.also)]
    return []


WAYS = {
    "kernel[grid]": lambda **o: racing[1](OUT, **o),
    "kernel.launch": lambda **o: racing.launch(grid=1, args=[OUT], **o),
    "kernel.prepare": lambda **o: racing.prepare(grid=1, args=[OUT], **o)(),
    "a prepared launch": lambda **o: racing.prepare(grid=1, args=[OUT])(**o),
    "triton[grid]": lambda **o: compiled()[1](OUT, **o),
    "triton.launch": lambda **o: compiled().launch(grid=1, args=[OUT], **o),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_launches_raise_what_is_found_as_one_diagnostic(
    way: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert raised(lambda: way(sanitize=True)) == CODES
    assert raised(way) == []
    assert raised(lambda: way(sanitize=False)) == []
    monkeypatch.setattr(sanitizing, "DEFAULT", True)
    assert raised(way) == CODES
    assert raised(lambda: way(sanitize=False)) == []


REPORTS = {
    "px.simulate": lambda **o: px.simulate(racing, grid=1, args=[OUT], **o),
    "triton.simulate": lambda **o: compiled().simulate(grid=1, args=[OUT], **o),
}


@pytest.mark.parametrize("way", REPORTS.values(), ids=REPORTS)
def test_reports_have_what_is_found(way: Callable[..., Report], monkeypatch: pytest.MonkeyPatch) -> None:
    assert [d.code for d in way(sanitize=True).findings] == CODES
    assert list(way().findings) == []
    monkeypatch.setattr(sanitizing, "DEFAULT", True)
    assert [d.code for d in way().findings] == CODES
    assert list(way(sanitize=False).findings) == []


class OnGpu:
    """An array of a GPU, as far as a launch can see before it looks for one."""

    __cuda_array_interface__ = {"version": 3, "typestr": "<u4", "shape": (64,), "data": (1 << 40, False)}


def test_a_gpu_has_no_sanitizer() -> None:
    with pytest.raises(px.Diagnostic, match="sanitize=True is for the simulator") as wrong:
        racing[1](OnGpu(), sanitize=True)
    assert (wrong.value.code, wrong.value.origin and wrong.value.origin.file) == ("PTX2501", __file__)


def test_the_arrays_hold_the_results_when_findings_are_raised() -> None:
    out = np.zeros(64, np.uint32)
    assert raised(lambda: racing[1](out, sanitize=True)) == CODES
    assert out.any()


def test_who_has_not_asked_reads_how_to_go_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizing, "DEFAULT", True)
    for options, said in ({}, True), ({"sanitize": True}, False):
        with pytest.raises(px.Diagnostic) as wrong:
            racing[1](OUT, **options)
        assert ("sanitize=False or PTXLAB_SANITIZE=0 turns the sanitizer off" in str(wrong.value)) is said


def test_warnings_of_one_code_are_one_warning() -> None:
    """Each copy that uses an mbarrier whose initialisation no fence shows is a finding of its own."""

    @px.kernel(threads=64)
    def copies(k: px.Builder, src: px.Ptr[px.b32], out: px.Ptr[px.b32]) -> None:
        row, full = k.smem(px.b32, 64, align=16), k.smem(px.b64, 1)
        with k.if_(k.tid.x == 0):
            k.mbarrier.init.shared__cta.b64(full, 1)
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            k.mbarrier.arrive.expect_tx.shared__cta.b64(full, 256)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(row, src, 128, full)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(row[32], src, 128, full)
        with k.while_(lambda: ~k.mbarrier.try_wait.parity.shared__cta.b64(full, 0)):
            pass
        k.st.global_.b32(out[k.tid.x], k.ld.shared.b32(row[k.tid.x]))

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        copies[1](np.zeros(128, np.uint32), OUT, sanitize=True)
    (one,) = shown
    assert "PTX9214" in str(one.message)
    assert "and 1 more of PTX9214 in this launch" in str(one.message)


def test_errors_bring_the_warnings_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning beside an error is in `also`; by itself it is a Python warning."""
    warning = px.Diagnostic("PTX9135", "not verified")
    monkeypatch.setattr("ptxlab.launch.code.Code.warnings", lambda self, name: [warning])
    assert raised(lambda: racing[1](OUT, sanitize=True)) == ["PTX9200", "PTX9200", "PTX9135"]
    with pytest.warns(px.PtxWarning, match="not verified"):
        racing[1](OUT)


@pytest.mark.parametrize(
    ("call", "watcher", "variable", "default", "answer"),
    [
        (None, None, None, False, False),
        (None, None, None, True, True),
        (None, None, "1", False, True),
        (None, None, "off", True, False),
        (None, None, "", True, True),
        (None, True, "0", False, True),
        (None, False, "1", True, False),
        (True, False, "0", False, True),
        (False, True, "1", True, False),
        (np.True_, None, None, False, True),
        ("strict", None, None, False, "strict"),
        (None, "strict", "0", False, "strict"),
        (None, None, "Strict", False, "strict"),
        (False, "strict", "strict", True, False),
    ],
)
def test_who_decides(
    call: bool | None,
    watcher: Sanitize | None,
    variable: str | None,
    default: bool,
    answer: Sanitize,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sanitizing, "DEFAULT", default)
    if variable is not None:
        monkeypatch.setenv(VARIABLE, variable)
    with watching(Watcher(watcher, lambda report: None)):
        assert wanted(call) is answer


@px.kernel(target="sm_90", threads=32)
def overwritten(k: px.Builder, src: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
    """A copy writes what threads have read: an mbarrier is between them, and no proxy fence."""
    block, full, empty = k.smem(px.u32, 32, align=16), k.mbarrier(1, name="full"), k.mbarrier(32, name="empty")
    k.init_barriers()
    total = k.mov.u32(0)
    for phase in range(2):
        with k.elect():
            full.arrive_expect_tx(block.nbytes)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(block, src[32 * phase], 128, full)
        full.wait(phase)
        total += k.ld.shared.u32(block.at(k.tid.x * 4))
        empty.arrive()
        empty.wait(phase)
    k.st.global_.u32(out[k.tid.x], total)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_strict_asks_for_what_common_kernels_leave_out(schedule: str) -> None:
    src, out = np.arange(64, dtype=np.uint32), np.zeros(32, np.uint32)

    def found(sanitize: Sanitize) -> list[str]:
        return [
            d.code
            for d in px.simulate(overwritten, grid=1, args=[src, out], schedule=schedule, sanitize=sanitize).findings
        ]

    assert found(True) == []
    assert found("strict") == ["PTX9213"]
    assert found(True) == []


@pytest.mark.parametrize("call", ["late", 1, np.ones(3)])
def test_what_is_neither_yes_nor_no(call: object) -> None:
    with pytest.raises(px.Diagnostic) as wrong:
        wanted(call)
    assert wrong.value.code == "PTX2501"


def test_a_variable_that_is_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "perhaps")
    with pytest.raises(px.Diagnostic, match="PTXLAB_SANITIZE=perhaps is neither yes nor no") as wrong:
        racing[1](OUT)
    assert (wrong.value.code, wrong.value.origin and wrong.value.origin.file) == ("PTX2501", __file__)


def test_what_measures_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizing, "DEFAULT", True)
    with when_asked():
        assert not wanted()
    assert VARIABLE not in os.environ
    monkeypatch.setenv(VARIABLE, "1")
    with when_asked():
        assert wanted()
    assert os.environ[VARIABLE] == "1"


def test_who_watches_is_told_of_reports_and_not_of_what_is_raised() -> None:
    told: list[Report] = []
    with watching(Watcher(True, told.append)):
        report = px.simulate(racing, grid=1, args=[OUT])
        assert told == [report]
        assert raised(lambda: racing[1](OUT)) == CODES
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            racing[1](OUT, sanitize=False)
    assert [len(r.findings) for r in told] == [2, 0]
    px.simulate(racing, grid=1, args=[OUT])
    assert len(told) == 2
