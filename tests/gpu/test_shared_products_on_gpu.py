"""Products that several GPUs share have the bits of the simulator, launch after launch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import driver
from ptxlab.kernels.collectives import Group

pytestmark = pytest.mark.gpu
BF16, F16, F32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)


@pytest.mark.parametrize("gathers", [False, True], ids=["scatter", "gather"])
@pytest.mark.parametrize(
    ("rows", "n", "depth", "dtype", "out", "config"),
    [
        (200, 320, 1000, BF16, BF16, "128x256-2c"),
        (1000, 1024, 512, F16, F16, None),
        (130, 128, 64, BF16, F32, None),
        (8, 512, 256, BF16, BF16, None),
        (64, 264, 1024, BF16, F16, "64x16-1c-swapped"),
        (300, 128, 256, F32, F32, "256x64-2c"),
    ],
)
def test_bits_of_the_simulator(
    gathers: bool, rows: int, n: int, depth: int, dtype: Any, out: Any, config: str | None
) -> None:
    count = min(8, len(driver.devices()))
    if count < 2:
        pytest.skip("one GPU")
    numbers, found = np.random.default_rng(1), list[list[bytes]]()
    a = [numbers.normal(size=(rows * (1 if gathers else count), depth)).astype(dtype) for _ in range(count)]
    b = [numbers.normal(size=(n, depth)).astype(dtype) for _ in range(count)]
    for on in ("sim", "gpu"):
        devices = px.devices(count, on)
        group = Group(devices)
        outputs = [device.zeros((rows * (count if gathers else 1), n), out) for device in devices]
        left, right = ([device.copy(x) for device, x in zip(devices, some, strict=True)] for some in (a, b))
        prepare = group.prepare_all_gather_gemm if gathers else group.prepare_gemm_reduce_scatter
        product = prepare(left, right, outputs, b_layout="nk", config=config)
        for _ in range(1 if on == "sim" else 5):
            product()
        px.synchronize(sanitize=False)
        found.append([(x.numpy() if on == "gpu" else x).tobytes() for x in outputs])
    assert found[0] == found[1]
