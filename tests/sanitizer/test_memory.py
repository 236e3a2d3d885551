"""What the sanitizer's memory costs: a launch that has ended gives its pages back, though Python finds its machine later."""

from __future__ import annotations

import gc
import mmap
from collections.abc import Iterator

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order.native.arena import Arena, Pages

gives_back = pytest.mark.xfail(
    not hasattr(mmap, "MADV_DONTNEED"), reason="this system keeps the pages of a mapping", strict=True
)


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@gives_back
def test_pages_go_back_though_somebody_refers_to_them() -> None:
    pages = Pages(1 << 20)
    part = pages.words[1000:2000]
    assert not pages.words.any()
    pages.words[:] = 7
    pages.give_back()
    assert not part.any()
    part[3] = 5  # and can be used again
    assert pages.words.sum() == 5


@gives_back
@pytest.mark.usefixtures("uncollected")
def test_launches_give_their_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Arena] = []
    begin = Arena.__init__

    def kept(self: Arena, *of: object, **more: object) -> None:
        begin(self, *of, **more)  # type: ignore[arg-type]
        made.append(self)

    monkeypatch.setattr(Arena, "__init__", kept)
    x = np.zeros(32, np.uint32)

    @px.kernel(threads=32)
    def store(k: px.Builder, to: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(to[k.tid.x], k.tid.x)

    px.simulate(store, grid=1, args=[x], sanitize=True)
    px.simulate(store, grid=1, args=[x], sanitize=True)
    assert x[31] == 31
    assert len(made) == 2
    assert not any(arena.words.any() for arena in made)
