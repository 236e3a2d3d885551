"""A process for each GPU: collective operations with NumPy's bits, and processes that do not come."""

from __future__ import annotations

import multiprocessing
from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import driver
from ptxlab.diag import Diagnostic
from ptxlab.kernels.collectives import Group

pytestmark = pytest.mark.gpu
COUNT = 2
SIZES = (16, 4096, 200_000, 1_500_000)
ROWS = 37


def given(rank: int, size: int) -> Any:
    return np.random.default_rng((rank, size)).normal(0, 100, size).astype(ml_dtypes.bfloat16)


def counts(rank: int) -> Any:
    return np.array([[20, 17], [3, 34]], np.int32)[rank]


def work(rank: int, found: Any) -> None:
    """What one process does: everything that a group can."""
    try:
        process = px.Process(rank, COUNT, name="test")
        group, device = Group(process), process.device
        results: dict[str, bytes] = {}
        for size in SIZES:
            x, out = device.copy(given(rank, size)), device.zeros(size, "bfloat16")
            for _ in range(3):
                group.all_reduce(x, out)
            results[f"sum {size}"] = out.numpy().tobytes()
            part, whole = device.zeros(size // COUNT, "bfloat16"), device.zeros(size * COUNT, "bfloat16")
            group.reduce_scatter(x, part)
            group.all_gather(x, whole)
            results[f"part {size}"], results[f"whole {size}"] = part.numpy().tobytes(), whole.numpy().tobytes()
        rows = device.copy(given(rank, ROWS * 8).reshape(ROWS, 8))
        there, back = device.zeros((2 * ROWS, 8), "bfloat16"), device.zeros((ROWS, 8), "bfloat16")
        number = device.copy(counts(rank))
        group.dispatch(rows, number, there)
        group.combine(there, number, back)
        group.barrier()
        px.synchronize()
        results["rows"], results["back"] = there.numpy().tobytes(), back.numpy().tobytes()
        found.put((rank, results))
    except BaseException as wrong:
        found.put((rank, repr(wrong)))
        raise


def test_a_process_for_each_gpu() -> None:
    if len(driver.devices()) < COUNT:
        pytest.skip("one GPU")
    start = multiprocessing.get_context("spawn")
    found: Any = start.Queue()
    processes = [start.Process(target=work, args=(rank, found)) for rank in range(COUNT)]
    for one in processes:
        one.start()
    results = dict(found.get(timeout=120) for _ in processes)
    for one in processes:
        one.join(30)
    for rank in range(COUNT):
        assert isinstance(results[rank], dict), results[rank]
        for size in SIZES:
            arrays = [given(r, size) for r in range(COUNT)]
            total = reduce(np.add, [x.astype(np.float32) for x in arrays]).astype(ml_dtypes.bfloat16)
            half = size // COUNT
            assert results[rank][f"sum {size}"] == total.tobytes()
            assert results[rank][f"part {size}"] == total[rank * half :][:half].tobytes()
            assert results[rank][f"whole {size}"] == np.concatenate(arrays).tobytes()
        tokens = [given(r, ROWS * 8).reshape(ROWS, 8) for r in range(COUNT)]
        sent = np.concatenate([tokens[s][counts(s)[:rank].sum() :][: counts(s)[rank]] for s in range(COUNT)])
        assert results[rank]["rows"][: sent.nbytes] == sent.tobytes()
        assert results[rank]["back"] == tokens[rank].tobytes()


def test_a_process_that_does_not_come() -> None:
    with pytest.raises(Diagnostic) as raised:
        Group(px.Process(0, 2, 0, name="alone", timeout=0.5))
    assert raised.value.code == "PTX2346"
