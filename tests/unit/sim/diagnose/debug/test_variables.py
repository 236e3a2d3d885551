"""The debugger by the names of the Python source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic


@px.kernel(threads=64)
def steps(k: px.Builder, x: px.Ptr[px.f32], *, count: int = 3) -> None:
    value = k.ld.global_.f32(x[k.tid.x])
    parts = []
    for i in range(count):
        value = value + float(i + 1)
        parts.append(value)
    k.st.global_.f32(x[k.tid.x], value)
    late = k.mov.u32(7)
    k.st.global_.f32(x[k.tid.x], k.cvt.rn.f32.u32(late))


@px.kernel(threads=128)
def filled(k: px.Builder, y: px.Ptr[px.f32]) -> None:
    acc = k.accumulator(128, 16)
    for row, column, register in acc.elements():
        k.cvt.rn.f32.u32(row * 16 + column, d=register)
    acc.store(y, 16)
    k.bar.sync(0)
    k.st.global_.f32(y[0], 5.0)


def stopped(kernel: px.Kernel, instruction: str, *args: Any, **more: Any) -> Any:
    d = px.debug(kernel, grid=1, args=list(args), **more)
    return d, next(i for i, t in enumerate(kernel.specialize(**more).ptx.split("\n"), 1) if instruction in t)


@pytest.mark.parametrize("count", [3, 5])
def test_a_name_is_what_it_is_bound_to_where_the_warp_stands(count: int) -> None:
    x = np.arange(64, dtype=np.float32)
    d, line = stopped(steps, "st.global", x, count=count)
    with d:
        d.break_at(("ptx", line))
        d.run()
        base = np.arange(32, 64) if d.where.warp else np.arange(32)
        sums = np.cumsum(np.arange(1, count + 1))
        assert (d.regs("value") == base + sums[-1]).all()
        assert (d.regs("parts") == base + sums[:, None]).all()
        assert (d.regs("x") == x.ctypes.data).all()
        with pytest.raises(Diagnostic) as caught:
            d.regs("late")
        assert caught.value.code == "PTX9031"
        d.step(2)
        assert (d.regs("late") == 7).all()
        with pytest.raises(Diagnostic) as caught:
            d.regs("vlue")
        assert "value" in (caught.value.help or "")
        d.clear()


def test_an_earlier_place_has_the_earlier_register() -> None:
    d, line = stopped(steps, "add.", np.arange(64, dtype=np.float32))
    with d:
        d.break_at(("ptx", line), warp=0)
        d.run()
        for expected in (0, 1, 3):
            assert (d.regs("value") == np.arange(32) + expected).all()
            d.step()
        d.clear()


def test_an_accumulator_is_a_matrix() -> None:
    d, line = stopped(filled, "bar.sync", np.zeros((128, 16), np.float32))
    with d:
        d.break_at(("ptx", line))
        for _ in range(4):  # all warps have come
            d.run()
        assert (d.regs("acc") == np.arange(128 * 16).reshape(128, 16)).all()
        assert d.regs("acc").dtype == np.float32
        d.clear()
