"""Predictions beside measurements: arrays of the host and of the GPU, tensor maps, prepared launches."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.kernels.gemm import prepare
from ptxlab.timing.measure import measure

pytestmark = pytest.mark.gpu


@px.kernel(target="sm_90a", threads=128)
def add(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    k.st.global_.f32(y[i], k.add.f32(k.ld.global_.f32(y[i]), k.ld.global_.f32(x[i])))


def test_arrays_of_the_host_are_measured_on_copies() -> None:
    x, y = np.ones(1 << 16, np.float32), np.zeros(1 << 16, np.float32)
    found = px.profile(add, grid=512, args=[x, y], on="gpu")
    assert found.measured is not None
    assert (y == 0).all()
    assert found.occupancy.registers in (0, found.measured.registers)  # 0: there is no ptxas
    assert found.measured.resident == min(found.occupancy.ctas.values())
    assert found.clock == found.measured.clock
    assert 300 < found.measured.clock < 3000
    assert found.measured.cycles > found.fixed / 4
    assert "measured on" in found.text()


def test_arrays_of_the_gpu_hold_afterwards_what_they_did() -> None:
    (gpu,) = px.devices(1, on="gpu")
    x, y = (gpu.copy(np.full(1 << 12, value, np.float32)) for value in (1, 5))
    found = px.profile(add, grid=32, args=[x, y], on="gpu")
    alone = px.profile(add, grid=32, args=[px.empty(1 << 12, "f32"), px.empty(1 << 12, "f32")])
    assert found.measured is not None
    assert found.cycles == alone.cycles
    add.launch(grid=32, args=[x, y])
    px.synchronize()
    assert (y.numpy() == 6).all()


def test_a_prepared_product_is_moved_with_its_tensor_maps() -> None:
    a, b, c = px.empty((512, 512), "bf16"), px.empty((512, 512), "bf16"), px.empty((512, 512), "bf16")
    a[:], b[:], c[:] = 1, 1, 0
    found = px.profile(prepare(a, b, c, b_layout="nk", config="128x128-2c"), on="gpu")
    assert found.measured is not None
    assert (c.astype(np.float32) == 0).all()
    assert 0.2 < found.cycles / found.measured.cycles < 5


def test_more_work_takes_longer() -> None:
    (gpu,) = px.devices(1, on="gpu")
    x, y = (gpu.zeros(1 << 24, "f32") for _ in range(2))
    few, many = (measure(add.prepare(grid=grid, args=[x, y])) for grid in (1 << 10, 1 << 17))
    assert many.seconds > 4 * few.seconds
