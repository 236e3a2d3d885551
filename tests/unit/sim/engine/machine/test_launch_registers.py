"""Special registers that tell of clusters, in launches with and without any."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px

NAMES = (
    *(f"%{name}.{axis}" for name in ("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid") for axis in "xyz"),
    "%cluster_ctarank",
    "%cluster_nctarank",
)
READS = "\n".join(f"mov.u32 %r1, {name}; st.global.u32 [%rd1+{4 * i}], %r1;" for i, name in enumerate(NAMES))
TEXT = """
.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) DIRECTIVES
{
    .reg .u32 %r<6>; .reg .u64 %rd<2>; .reg .pred %p1;
    mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, BYTES, %rd1;
    READS
    mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd1+LAST], %r1;
    ret;
}
"""


def seen(directives: str = "", **options: object) -> np.ndarray:
    """What each CTA of a grid of 4 × 2 × 6 reads: [z, y, x, register]."""
    text = TEXT.replace("DIRECTIVES", directives).replace("READS", READS).replace("BYTES", str(4 * len(NAMES) + 4))
    out = np.full((6, 2, 4, len(NAMES) + 1), 0xDEAD, np.uint32)
    entry = px.parse(text.replace("LAST", str(4 * len(NAMES))))["k"]
    px.simulate(entry, grid=(4, 2, 6), block=(3, 2, 2), args=[out], **options)  # type: ignore[arg-type]
    return out


def wanted(cluster: tuple[int, int, int], explicit: int) -> np.ndarray:
    z, y, x = np.meshgrid(np.arange(6), np.arange(2), np.arange(4), indexing="ij")
    a, b, c = cluster
    inner = (x % a, y % b, z % c)
    rows = [x // a, y // b, z // c, 4 // a, 2 // b, 6 // c, *inner, a, b, c]
    rows += [inner[0] + a * (inner[1] + b * inner[2]), a * b * c, explicit]
    return np.stack([np.broadcast_to(np.uint32(row), (6, 2, 4)) for row in rows], axis=-1)


@pytest.mark.parametrize(
    "options", [{}, {"workers": 2}, {"schedule": "random", "seed": 3}, {"cooperative": True}], ids=str
)
def test_without_a_cluster_every_cta_is_one(options: dict[str, object]) -> None:
    assert np.array_equal(seen(**options), wanted((1, 1, 1), 0))


@pytest.mark.parametrize("workers", [None, 2])
@pytest.mark.parametrize("cluster", [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 3), (4, 2, 1), (2, 2, 2)])
def test_a_named_cluster_is_explicit(cluster: tuple[int, int, int], workers: int | None) -> None:
    assert np.array_equal(seen(cluster=cluster, workers=workers), wanted(cluster, 1))


@pytest.mark.parametrize("cluster", [(1, 1, 1), (2, 1, 2)])
def test_so_is_one_that_the_kernel_requires(cluster: tuple[int, int, int]) -> None:
    required = ".reqnctapercluster " + ", ".join(map(str, cluster))
    assert np.array_equal(seen(required), wanted(cluster, 1))
    assert np.array_equal(seen(required, cluster=cluster), wanted(cluster, 1))
