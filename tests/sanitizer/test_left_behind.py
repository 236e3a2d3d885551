"""Launches leave nothing behind in their process: ten thousand of them take as much memory as a hundred."""

from __future__ import annotations

import contextlib
import gc
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.kernels.gemm import prepare

EACH = 30
"""Launches between two looks."""
WINDOWS = 5
"""Looks, of which the best counts: caches of Python and NumPy fill up now and then, and what stays behind does so each time."""
FEW = 160
"""Bytes for each launch that may be such caches; an array that stays, or an object of ours, has more."""
MAPS = Path("/proc/self/maps")


@px.kernel(threads=64)
def swaps(k: px.Builder, y: px.Ptr[px.u32], *, ordered: bool = True) -> None:
    row = k.smem(px.u32, 64)
    k.st.shared.u32(row[k.tid.x], k.tid.x)
    if ordered:
        k.bar.sync(0)
    k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(row[k.tid.x ^ 32]))


@px.kernel(threads=32)
def passes(k: px.Builder, data: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
    """A CTA hands a word to the other one."""
    with k.if_(k.tid.x == 0):
        with k.if_(k.ctaid.x == 0):
            k.st.global_.u32(data[0], 7)
            k.st.release.gpu.global_.u32(flag[0], 1)
        with k.if_(k.ctaid.x == 1):
            with k.while_(lambda: k.ld.acquire.gpu.global_.u32(flag[0]) == 0):
                pass
            k.st.global_.u32(data[1], k.ld.global_.u32(data[0]))


def product(**options: Any) -> Callable[[], object]:
    """A matrix product by TMA, mbarriers and wgmma."""
    a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
    a[...], b[...] = 1, 2
    launch = prepare(a, b, c, config="64x64-1c")
    return lambda: launch(**options)


def swap(elements: int = 64, **options: Any) -> Callable[[], object]:
    """A launch on a new array each time; one that is too short stops it."""

    def launch() -> None:
        with contextlib.suppress(px.Diagnostic):
            px.simulate(swaps, grid=1, args=[np.zeros(elements, np.uint32)], lints=False, **options)

    return launch


def passing(**options: Any) -> Callable[[], object]:
    return lambda: px.simulate(
        passes, grid=2, args=[np.zeros(4, np.uint32), np.zeros(1, np.uint32)], lints=False, **options
    )


LAUNCHES: dict[str, Callable[[], Callable[[], object]]] = {
    "plain": lambda: swap(sanitize=False),
    "sanitized": lambda: swap(sanitize=True),
    "with findings": lambda: swap(sanitize=True, ordered=False),
    "stopped": lambda: swap(elements=32, sanitize=True),
    "flags": lambda: passing(sanitize=True),
    "late": lambda: passing(sanitize=True, schedule="late"),
    "random": lambda: passing(sanitize=True, schedule="random", seed=3),
    "strict": lambda: passing(sanitize="strict"),
    "traced": lambda: swap(sanitize=False, trace=True),
    "product": lambda: product(sanitize=False),
    "product, sanitized": lambda: product(sanitize=True),
}


@pytest.fixture
def counting() -> Iterator[None]:
    """What other tests have left is not looked at: there may be millions of objects."""
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    yield
    tracemalloc.stop()


def grown(launch: Callable[[], object]) -> tuple[int, int, int]:
    """By how many objects, bytes and mappings of memory the process grows over launches, where it grows least."""
    looks: list[tuple[int, int, int]] = []
    for _ in range(WINDOWS + 1):
        for _ in range(EACH):
            launch()
        looks.append(_taken())
    objects, nbytes, mappings = np.diff(looks, axis=0).min(axis=0).tolist()
    return objects, nbytes, mappings


def _taken() -> tuple[int, int, int]:
    gc.collect()
    mappings = len(MAPS.read_text().splitlines()) if MAPS.exists() else 0
    return len(gc.get_objects()), tracemalloc.get_traced_memory()[0], mappings


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("name", LAUNCHES)
def test_launches_leave_nothing_behind(name: str) -> None:
    objects, nbytes, mappings = grown(LAUNCHES[name]())
    assert objects < EACH // 2
    assert nbytes < FEW * EACH
    assert mappings < EACH // 2


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("what", ["reports", "arrays", "buffers"])
def test_what_stays_is_noticed(what: str) -> None:
    kept: list[object] = []
    launch = swap(sanitize=True)

    def keeps() -> None:
        launch()
        report = px.simulate(swaps, grid=1, args=[np.zeros(64, np.uint32)], lints=False) if what == "reports" else None
        kept.append({"reports": report, "arrays": np.zeros(64, np.uint32), "buffers": bytearray(200)}[what])

    objects, nbytes, _ = grown(keeps)
    assert objects >= EACH // 2 or nbytes >= FEW * EACH
