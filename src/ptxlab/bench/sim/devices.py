"""An all-reduce over simulated devices, sanitized."""

from __future__ import annotations

import statistics
import time

import ml_dtypes
import numpy as np

import ptxlab as px
from ptxlab.kernels.collectives import Group


def all_reduce(nbytes: int, rounds: int, *, count: int = 2) -> tuple[float, float, float, bool]:
    """Seconds of the first run and of the median of others, of the processor's for one, and whether all have NumPy's bits.

    nbytes: of each device's array, of bfloat16.
    """
    devices, numbers = px.devices(count), np.random.default_rng(0)
    given = [numbers.normal(size=nbytes // 2).astype(ml_dtypes.bfloat16) for _ in devices]
    inputs = [device.copy(x) for device, x in zip(devices, given, strict=True)]
    outputs = [device.zeros(nbytes // 2, "bfloat16") for device in devices]
    reduce = Group(devices).prepare_all_reduce(inputs, outputs)
    walls: list[float] = []
    processors: list[float] = []
    for _ in range(rounds + 1):
        spent, begin = time.process_time(), time.perf_counter()
        reduce()
        px.synchronize(sanitize=True)
        walls.append(time.perf_counter() - begin)
        processors.append(time.process_time() - spent)
    total = given[0].astype(np.float32)
    for x in given[1:]:
        total = total + x.astype(np.float32)
    right = all(x.tobytes() == total.astype(ml_dtypes.bfloat16).tobytes() for x in outputs)
    return walls[0], statistics.median(walls[1:]), statistics.median(processors[1:]), right
