"""Launches spread over the workers of Dask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.kernels import gemm
from ptxlab.sim import Report

from ..launching import HEAD
from .test_spread import BYTES, HISTOGRAM, LAST

distributed = pytest.importorskip("distributed", reason="there is no Dask: install the extra `dask`")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def simulate(text: str, args: list[Any], grid: int, **options: Any) -> Report:
    return px.simulate(px.parse(HEAD + text)["k"], grid=grid, block=64, args=args, **options)


def test_the_bytes_are_the_same(client: Any) -> None:
    a = np.random.default_rng(0).integers(0, 255, 24 * 64, np.uint8)
    one, many = np.zeros_like(a), np.zeros_like(a)
    simulate(BYTES, [a, one], 24)
    told: list[tuple[int, int]] = []
    report = simulate(BYTES, [a, many], 24, client=client, progress=lambda *done: told.append(done))
    assert report.stats.workers == 2, report.stats.serial
    assert report.stats.ctas == 24
    assert one.tobytes() == many.tobytes()
    assert one.any()
    assert told == [(12, 24), (24, 24)]


def test_tensor_maps_and_clusters(client: Any) -> None:
    rng = np.random.default_rng(3)
    a, b = (px.empty(shape, "bfloat16") for shape in ((512, 64), (64, 256)))
    a[...], b[...] = rng.integers(-3, 4, (512, 64)), rng.integers(-3, 4, (64, 256))
    c = px.empty((512, 256), "bfloat16")
    report = gemm.prepare(a, b, c)(client=client)
    assert report.stats.workers == 2, report.stats.serial
    assert c.tobytes() == (a.astype(np.float32) @ b.astype(np.float32)).astype(c.dtype).tobytes()


def test_a_conflict_runs_in_one_process(client: Any) -> None:
    a, o = np.random.default_rng(2).integers(0, 16, 24 * 64).astype(np.uint32), np.zeros(16, np.uint32)
    report = simulate(HISTOGRAM, [a, o], 24, client=client)
    assert "met at `o + 0x" in (report.stats.serial or "")
    assert (o == np.bincount(a, minlength=16)).all()


def test_clusters_that_wait_for_each_other_end(client: Any) -> None:
    o = np.zeros(1, np.uint32)
    assert simulate(LAST, [o], 2, client=client).stats.workers == 1
    assert o[0] == 1


def test_a_fault_is_told_as_by_one_process(client: Any) -> None:
    told: list[str] = []
    for options in ({}, {"client": client}):
        o = np.zeros(20 * 64, np.uint8)
        with pytest.raises(px.Diagnostic) as caught:
            simulate(BYTES, [np.ones(24 * 64, np.uint8), o], 24, **options)
        told.append(f"{caught.value.code} {caught.value.message} {caught.value.notes}")
    assert told[0] == told[1]


def test_a_worker_that_fails_is_one_diagnostic(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxlab.sim.spread.remote.version", lambda: "another")
    o = np.zeros(24 * 64, np.uint8)
    with pytest.raises(px.Diagnostic) as caught:
        simulate(BYTES, [np.ones(24 * 64, np.uint8), o], 24, client=client)
    assert caught.value.code == "PTX9041"
    assert "another version" in caught.value.message
    assert not o.any()


def test_a_client_that_is_gone() -> None:
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as made:
            with pytest.raises(px.Diagnostic) as caught:
                simulate(BYTES, [np.ones(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)], 24, client=made)
            assert caught.value.code == "PTX9041"
        with pytest.raises(px.Diagnostic) as caught:
            simulate(BYTES, [np.ones(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)], 24, client=made)
        assert caught.value.code == "PTX9041"


@pytest.mark.parametrize("options", [{"client": "localhost"}, {"workers": 2}])
def test_what_is_no_client(client: Any, options: dict[str, Any]) -> None:
    o = np.zeros(24 * 64, np.uint8)
    with pytest.raises(px.Diagnostic) as caught:
        simulate(BYTES, [o, o], 24, **{"client": client, **options})
    assert caught.value.code == "PTX2501"
