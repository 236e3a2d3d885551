from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

import ptxlab as px
from ptxlab.launch import progress
from ptxlab.launch.progress import Bar


def bar() -> tuple[Bar, io.StringIO]:
    out = io.StringIO()
    return Bar("some_kernel", Console(file=out, force_terminal=True, width=120)), out


def test_a_short_run_shows_nothing() -> None:
    made, out = bar()
    with made:
        made(1, 2)
    assert out.getvalue() == ""


def test_a_long_run_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    made, out = bar()
    with made:
        made(3, 8)
    assert "some_kernel" in out.getvalue()
    assert "3/8" in out.getvalue()


@px.kernel(threads=32)
def spins(k: px.Builder, a: px.Ptr[px.u32]) -> None:
    x = k.mov.u32(0)
    with k.loop(200_000):
        x += 1
    k.st.global_.u32(a[k.ctaid.x], x)


@pytest.mark.parametrize("workers", [None, 2])
def test_a_launch_tells_a_function_and_draws_a_bar(
    workers: int | None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    told: list[tuple[int, int]] = []
    a = np.zeros(12, np.uint32)
    px.simulate(spins, grid=12, args=[a], workers=workers, progress=lambda *done: told.append(done))
    assert told
    assert {total for _, total in told} == {12}
    capfd.readouterr()
    px.simulate(spins, grid=12, args=[a], workers=workers, progress=True)
    assert "spins" in capfd.readouterr().err
    assert (a == 200_000).all()
