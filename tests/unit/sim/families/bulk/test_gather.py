"""Four rows at once, gathered and scattered: as the manual has it, and said to be unverified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

from ...conftest import entry

Run = Callable[..., Any]
ROWS = (5, 0, 19, 12)


def kernel(rows: tuple[int, ...], column: int = 8) -> str:
    """Gathers rows of `a` through its map and scatters them to rows of `b` in reverse."""
    gathered = ", ".join(map(str, (column, *rows)))
    scattered = ", ".join(map(str, (0, *(abs(r) % 16 for r in rows[::-1]))))
    return entry(
        ".param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128]",
        f"""
        .reg .pred %p0; .reg .b32 %r<4>; .reg .b64 %rd<4>;
        .shared .align 1024 .b8 buf[1024]; .shared .align 8 .b64 bar;
        mov.b64 %rd1, ma; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, mb; cvta.param.u64 %rd2, %rd2;
        mov.u32 %r1, bar; mov.u32 %r2, buf;
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 128;
        cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes
            [%r2], [%rd1, {{{gathered}}}], [%r1];
        W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W;
        cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd2, {{{scattered}}}], [%r2];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        ret;
        """,
    ).replace(".target sm_90a", ".target sm_100a")


def arrays() -> tuple[Any, Any]:
    a, b = px.empty((16, 32), np.uint16), px.empty((16, 16), np.uint16)
    a[:] = np.arange(512).reshape(16, 32)
    b[:] = 0xFFFF
    return a, b


@pytest.mark.parametrize("swizzle", ["none", "32B"])
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_rows_come_and_go(run: Run, swizzle: str, schedule: str) -> None:
    a, b = arrays()
    maps = [px.tensor_map(x, box=(1, 16), swizzle=swizzle) for x in (a, b)]  # type: ignore[arg-type]
    report = run(kernel(ROWS), *maps, block=1, schedule=schedule)
    expected = np.full((16, 16), 0xFFFF, np.uint16)
    for source, target in zip(ROWS, (r % 16 for r in ROWS[::-1]), strict=True):
        expected[target] = a[source, 8:24] if source < 16 else 0
    assert np.array_equal(b, expected)
    assert [d.code for d in report.findings] == ["PTX9135", "PTX9135"]
    assert all(d.severity == "warning" for d in report.findings)


def test_a_box_of_several_rows_is_none(run: Run) -> None:
    a, b = arrays()
    maps = [px.tensor_map(x, box=(2, 16)) for x in (a, b)]
    with pytest.raises(px.Diagnostic) as caught:
        run(kernel(ROWS), *maps, block=1)
    assert caught.value.code == "PTX2118"
    assert caught.value.span is not None
