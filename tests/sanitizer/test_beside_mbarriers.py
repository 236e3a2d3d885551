"""What programs have beside mbarriers that machine code follows: it goes on to follow them, and what is wrong is found.

`.nc` loads, as most of what nvcc compiles has them; flags in global memory; data between two mbarriers. None of these may make
Python judge each copy and each product of a launch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order import sites
from ptxlab.sim.order.accesses import Accesses
from ptxlab.sim.order.operations import Operations
from sanitizer.test_phases import by_python

TILE = 1024
"""Bytes of a copy."""


@px.kernel(threads=128)
def pipeline(
    k: px.Builder,
    x: px.Ptr[px.u32],
    scale: px.Ptr[px.u32],
    y: px.Ptr[px.u32],
    flag: px.Ptr[px.u32],
    *,
    turns: int,
    back: str,
    beside: str,
) -> None:
    """Tiles of x by bulk copies, times what a load from `scale` reads, and back by bulk copies.

    back: the array that they go to. beside: what the program has besides.
    """
    bar, tile = k.mbarrier(1), k.smem(px.u32, TILE // 4, align=128)
    behind, i = k.mbarrier(128), k.tid.x
    k.init_barriers()
    factor = k.ld.global_.nc.u32(scale[i]) if beside == "nc" else k.ld.global_.u32(scale[i])
    if beside == "flag":
        with k.if_(i == 0):
            k.st.release.gpu.global_.u32(flag[0], 1)
    for turn in range(turns):
        with k.if_(i == 0):
            bar.arrive_expect_tx(TILE)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(tile.at(0), x.at(turn * TILE), TILE, bar)
        bar.wait(turn % 2)
        for at in (i * 4, i * 4 + TILE // 2):
            k.st.shared.u32(tile.at(at), k.ld.shared.u32(tile.at(at)) * factor)
        k.fence.proxy.async_.shared__cta()
        if beside == "mbarrier":
            behind.arrive()
            behind.wait(turn % 2)
        else:
            k.bar.sync(0)
        with k.if_(i == 0):
            to = scale.at(0) if back == "scale" else y.at(turn * TILE)
            k.cp.async_.bulk.global_.shared__cta.bulk_group(to, tile.at(0), TILE)
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)
        k.bar.sync(0)


def found(
    schedule: str = "eager", *, turns: int, back: str, beside: str = "nc"
) -> tuple[list[str], np.ndarray[Any, Any]]:
    x, scale = np.arange(turns * TILE // 4, dtype=np.uint32), np.full(TILE // 4, 3, np.uint32)
    y, flag = np.zeros_like(x), np.zeros(1, np.uint32)
    how: dict[str, Any] = {"turns": turns, "back": back, "beside": beside, "schedule": schedule}
    report = px.simulate(pipeline, grid=1, args=[x, scale, y, flag], sanitize=True, **how)
    return sorted({d.code for d in report.findings}), y


@pytest.mark.parametrize("beside", ["nc", "flag", "mbarrier"])
def test_python_judges_no_copies(beside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    touches, executes = Operations._touches, Accesses.executes  # pyright: ignore[reportPrivateUsage]

    def operation(self: Operations, *what: Any, **how: Any) -> None:
        judged.append("an operation")
        touches(self, *what, **how)

    def access(self: Accesses, warp: Any, mask: int, op: Any) -> None:
        judged.append(op.inst.opcode)
        executes(self, warp, mask, op)

    monkeypatch.setattr(Operations, "_touches", operation)
    monkeypatch.setattr(Accesses, "executes", access)
    codes, y = found(turns=3, back="y", beside=beside)
    assert codes == []
    assert (y == 3 * np.arange(len(y))).all()
    expected = {"st.release.gpu.global.u32"} if beside == "flag" else set[str]()
    assert {one for one in judged if not one.startswith("fence")} == expected


@pytest.mark.parametrize("python", [False, True], ids=["machine code", "Python alone"])
@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_copy_over_what_a_nc_load_has_read_is_found(
    schedule: str, python: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if python:
        by_python(monkeypatch)
    assert found(schedule, turns=2, back="scale")[0] == ["PTX9250"]
    sites.forget()


@px.kernel(threads=32)
def reads_back(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], out: px.Ptr[px.u32], *, nc: bool) -> None:
    """A bulk copy to y, which is over, and then a load from there."""
    tile, bar, i = k.smem(px.u32, 32, align=128), k.mbarrier(1), k.tid.x
    k.init_barriers()
    with k.if_(i == 0):
        bar.arrive_expect_tx(128)
        k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(tile.at(0), x.at(0), 128, bar)
        bar.wait(0)
        k.cp.async_.bulk.global_.shared__cta.bulk_group(y.at(0), tile.at(0), 128)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)
        k.fence.proxy.async_.global_()
    k.bar.sync(0)
    k.st.global_.u32(out[i], k.ld.global_.nc.u32(y[i]) if nc else k.ld.global_.u32(y[i]))


@pytest.mark.parametrize("nc", [False, True])
def test_a_nc_load_of_what_a_copy_has_written_is_found(nc: bool) -> None:
    x, y, out = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32), np.zeros(32, np.uint32)
    report = px.simulate(reads_back, grid=1, args=[x, y, out], nc=nc, sanitize=True)
    assert [d.code for d in report.findings] == ["PTX9250"] * nc
