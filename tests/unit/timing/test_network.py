"""What CTAs of a cluster send each other takes longer than what stays in one."""

from __future__ import annotations

from typing import Any

import pytest

import ptxlab as px
from ptxlab.timing.predict import record_steps

LOADS = 64


@px.kernel(threads=128, cluster=2)
def loads(k: px.Builder, out: px.Ptr[px.u32], *, apart: int) -> None:
    """Each thread adds what it loads from the shared memory of a CTA of its cluster."""
    buf = k.smem(px.u32, 128)
    k.st.shared.u32(buf[k.tid.x], k.tid.x)
    k.cluster_sync()
    far = buf.remote((k.cluster_ctarank + apart) & 1)
    total = k.mov.u32(0)
    for i in range(LOADS):
        k.add.u32(total, k.ld.volatile.shared__cluster.u32(far + ((k.tid.x + i) & 127) * 4), d=total)
    k.cluster_sync()
    k.st.global_.u32(out[k.ctaid.x * 128 + k.tid.x], total)


def launch(apart: int) -> Any:
    return loads.prepare(grid=2, args=[px.empty(256, "u32")], lints=False, apart=apart)


@pytest.mark.parametrize("apart", [0, 1])
def test_bytes_of_other_ctas_are_recorded(apart: int) -> None:
    (steps,) = record_steps(launch(apart).record, [0])
    found = sum(facts.remote for cta in steps.warps for warp in cta for facts in warp.facts.values())
    assert found == apart * 2 * 128 * LOADS * 4


def test_loads_from_another_cta_take_the_network() -> None:
    own, other = (px.profile(launch(apart)) for apart in (0, 1))
    assert "network" not in own.shares
    assert other.shares["network"] > 0
    assert other.cycles > own.cycles + 2 * LOADS  # four warps load 128 bytes each, at 17 bytes a cycle
