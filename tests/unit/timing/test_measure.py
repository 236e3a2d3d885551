"""A prediction beside a measurement, without a GPU: the diagnostics, and the report of a recorded measurement."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.memory import bytes_of
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.cuda import driver
from ptxlab.diag import Diagnostic
from ptxlab.layout.tensormap import TensorMap
from ptxlab.timing import relocate

RECORDED: dict[str, Any] = {
    "gpu": "NVIDIA H200",
    "seconds": 2.5e-6,
    "fastest": 2.4e-6,
    "slowest": 2.75e-6,
    "clock": 1965.0,
    "calls": 200,
    "rounds": 20,
    "registers": 16,
    "resident": 16,
    "counters": "the driver keeps them for root (RmProfilingAdminOnly)",
}


@px.kernel(target="sm_90a", threads=128)
def scale(k: px.Builder, x: px.Ptr[px.f32]) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)


def test_a_report_has_prediction_and_measurement_side_by_side() -> None:
    found = px.profile(scale, grid=132, args=[np.zeros(132 * 128, np.float32)])
    assert "measured on" not in found.text()
    both = replace(found, measured=px.Measured(**RECORDED))
    rows = {line.split("  ")[2].strip(): line.split() for line in both.head if line.startswith("    ")}
    cycles = 2.5 * 1965
    assert rows["cycles"][1:] == [f"{found.cycles:,.0f}", f"{cycles:,.0f}", f"{found.cycles / cycles - 1:+.1%}"]
    assert rows["CTAs on an SM"][4:] == [f"{min(found.occupancy.ctas.values())}", "16", "+0.0%"]
    assert "NVIDIA H200" in both.text()
    assert "no hardware counters: the driver keeps them for root" in both.text()
    assert both.record()["measured"] == RECORDED
    assert "measured" not in found.record()


def test_without_a_gpu_there_is_one_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(ordinal: int = 0) -> None:
        raise Diagnostic("PTX2304", "There is no CUDA driver on this machine.")

    monkeypatch.setattr(driver, "device", none)
    with pytest.raises(Diagnostic) as caught:
        px.profile(scale, grid=1, args=[np.zeros(128, np.float32)], on="gpu")
    assert caught.value.code == "PTX2304"


def test_cold_caches_are_not_measured() -> None:
    with pytest.raises(Diagnostic) as caught:
        px.profile(scale, grid=1, args=[np.zeros(128, np.float32)], on="gpu", cold=True)
    assert (caught.value.code, bool(caught.value.help)) == ("PTX2501", True)


def _put(buffer: Buffer) -> tuple[int, Any]:
    made = bytes_of(buffer).copy()
    return made.ctypes.data, made


def _moved(record: LaunchRecord) -> LaunchRecord:
    return relocate._moved(record, record.buffers, _put)  # pyright: ignore[reportPrivateUsage]


def test_a_launch_moves_with_its_pointers_and_tensor_maps() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def mixed(k: px.Builder, m: px.TensorMap, x: px.Ptr[px.f32], n: px.u64) -> None:
        k.st.global_.f32(x[0], 1.0)

    a = px.empty((64, 64), "f32")
    record = mixed.prepare(grid=1, args=[px.tensor_map(a, box=(32, 32)), a[8:], 7], lints=False).record
    moved = _moved(record)
    by = moved.buffers[0].address - record.buffers[0].address
    m, x, n = record.program.params
    assert by
    old, new = (TensorMap.decode(one.params[m.offset : m.offset + 128]) for one in (record, moved))
    assert new == replace(old, address=old.address + by)
    assert int.from_bytes(moved.params[x.offset : x.offset + 8], "little") == a[8:].ctypes.data + by
    assert int.from_bytes(moved.params[n.offset : n.offset + 8], "little") == 7
    assert len({b.array[0].ctypes.data for b in moved.buffers}) == 1  # a part of an array moves with it


def test_a_moved_launch_runs_on_the_copy() -> None:
    x = np.ones(128, np.float32)
    launch = scale.prepare(grid=1, args=[x], lints=False)
    launch.record = _moved(launch.record)
    launch()
    (buffer,) = launch.record.buffers
    copy = (ctypes.c_float * 128).from_address(buffer.address)
    assert (x == 1).all()
    assert set(copy) == {2.0}


def test_what_cannot_be_moved_is_refused() -> None:
    x = np.zeros(128, np.float32)
    record = scale.prepare(grid=1, args=[x], buffers=[np.zeros(8, np.uint64)], lints=False).record
    plain = scale.prepare(grid=1, args=[x], lints=False).record
    for one, word in ((record, "memory"), (replace(plain, cooperative=True), "cooperative")):
        with pytest.raises(Diagnostic, match=word) as caught:
            _moved(one)
        assert (caught.value.code, bool(caught.value.help)) == ("PTX2501", True)
