"""PTX9166: threads that read a box otherwise than the tensor map has laid it; kernels that swizzle by hand are left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px

ROWS, COLUMNS = 16, 16  # rows of 64 bytes, which the swizzle 64B permutes in groups of 8


@px.kernel(target="sm_90a", threads=64)
def moved(
    k: Any, src: px.TensorMap, dst: px.TensorMap, out: px.Ptr[px.u32], *, begin: int, by: str, flat: bool
) -> None:
    """A box is loaded, and stored again. `begin`: where its tile begins. `by`: how threads read it for `out`, 16 bytes each."""
    k.smem(px.u8, begin, align=1024)
    tile = k.smem(px.u32, ROWS * COLUMNS if flat else (ROWS, COLUMNS), align=128)
    full = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(4 * ROWS * COLUMNS)
        k.cp.async_.bulk.tensor._2d.shared__cluster.global_.mbarrier__complete_tx__bytes(tile, src, (0, 0), full)
    full.wait(0)
    if by:
        offset = k.tid.x * 16
        if by == "offset":
            offset = offset ^ ((offset >> 3) & 0x30)
        place = tile.at(offset)
        if by == "address":
            register = place.register()
            place = px.Address.of(register ^ ((register >> 3) & 0x30), 0, "shared")
        k.st.global_.v4.u32(out[k.tid.x * 4], k.ld.shared.v4.u32(place))
    with k.if_(k.tid.x == 0):
        k.cp.async_.bulk.tensor._2d.global_.shared__cta.bulk_group(dst, (0, 0), tile)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


def run(*, begin: int, by: str, flat: bool = False, swizzle: Any = "64B") -> tuple[list[px.Diagnostic], bool]:
    """What is found, and whether the results are those of a plain copy."""
    a, b, out = px.empty((ROWS, COLUMNS), "u32"), px.empty((ROWS, COLUMNS), "u32"), px.empty((ROWS, COLUMNS), "u32")
    a[...] = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    b[...] = out[...] = 0
    maps = [px.tensor_map(x, box=x.shape, swizzle=swizzle) for x in (a, b)]
    report = px.simulate(moved, grid=1, args=[*maps, out], sanitize=True, lints=False, begin=begin, by=by, flat=flat)
    return report.findings, bool((b == a).all()) and (not by or bool((out == a).all()))


@pytest.mark.parametrize(
    ("begin", "by", "right"),
    [
        (1024, "plain", False), (1024, "offset", True), (1024, "address", True), (1024, "", True),
        (128, "plain", False), (128, "offset", False), (128, "address", True), (128, "", True),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_and_nothing_else(begin: int, by: str, right: bool) -> None:
    found, exact = run(begin=begin, by=by)
    assert exact is right
    assert [d.code for d in found] == ([] if right else ["PTX9166"] * 2)  # the load, and the store


def test_the_words() -> None:
    found, _ = run(begin=128, by="offset")
    assert "`smem_1` (shared + 0x80) with swizzle 64B" in found[0].message
    assert "does not begin at a multiple of 512 bytes" in found[0].message
    assert found[0].severity == "warning"
    assert 'swizzle="64B"' in str(found[0].help)
    assert found[0].origin is not None
    found, _ = run(begin=1024, by="plain")
    assert "declared without a swizzle, and threads access it so" in found[0].message


def test_bytes_without_rows_say_nothing_but_where_they_begin() -> None:
    assert run(begin=1024, by="plain", flat=True) == ([], False)
    found, _ = run(begin=128, by="offset", flat=True)
    assert {d.help for d in found} == {"declare it with an alignment of 512, or xor the whole address"}


def test_a_map_without_a_swizzle_is_read_as_it_is() -> None:
    assert run(begin=128, by="plain", swizzle="none") == ([], True)


def test_a_tile_that_is_declared_with_another_swizzle() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def loaded(k: Any, src: px.TensorMap) -> None:
        tile = k.smem(px.u32, (8, 16), swizzle="64B")
        full = k.mbarrier(1)
        k.init_barriers()
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(256)
            place = tile.at(0)  # an address does not say of which tile it is
            k.cp.async_.bulk.tensor._2d.shared__cluster.global_.mbarrier__complete_tx__bytes(place, src, (0, 0), full)
        full.wait(0)

    a = px.empty((8, 8), "u32")
    found = px.simulate(loaded, grid=1, args=[px.tensor_map(a, box=a.shape, swizzle="32B")], lints=False).findings
    assert [d.code for d in found] == ["PTX9166"]
    assert "the tile is declared with swizzle 64B" in found[0].message


@px.kernel(target="sm_90a", threads=64)
def filled(k: Any, dst: px.TensorMap, src: px.Ptr[px.b32], *, by: str, last: bool) -> None:
    """Threads fill a tile with a swizzle, 16 bytes each, and a copy stores it. `last`: they read it before that."""
    tile = k.smem(px.b32, (16, 32), swizzle="128B")
    for i in range(2):
        n = k.tid.x + 64 * i
        place = tile.locate(n >> 3, (n & 7) * 4) if by == "element" else tile.at(n * 16)
        if by == "offset":
            place = tile.at((n * 16) ^ ((n * 2) & 0x70))
        if by == "cp.async":
            k.cp.async_.cg.shared.global_(place, src[n * 4], 16)
        else:
            k.st.shared.v4.b32(place, [0] * 4 if by == "zeros" else k.ld.global_.v4.b32(src[n * 4]))
    k.cp.async_.wait_all()
    if last:
        k.st.shared.b32(tile.at(k.tid.x * 4), k.ld.shared.b32(tile.at(k.tid.x * 4)))
    k.fence.proxy.async_.shared__cta()
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        k.tma_store(dst, (0, 0), tile)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


@pytest.mark.parametrize(
    ("by", "last", "codes"),
    [
        ("rows", False, ["PTX9166"]), ("cp.async", False, ["PTX9166"]), ("element", False, []), ("offset", False, []),
        ("zeros", False, []), ("rows", True, []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("schedule", ["eager", "random"])
def test_rows_that_threads_store_without_the_swizzle_of_their_tile(
    by: str, last: bool, codes: list[str], schedule: Any
) -> None:
    """A kernel that also reads the tile may know what it does; so may one that stores what no swizzle changes."""
    a, b = np.arange(512, dtype=np.uint32).reshape(16, 32), px.empty((16, 32), "u32")
    b[...] = 7
    maps = px.tensor_map(b, box=b.shape, swizzle="128B")
    found = px.simulate(filled, grid=1, args=[maps, a], lints=False, by=by, last=last, schedule=schedule).findings
    assert [d.code for d in found] == codes
    assert all("threads have stored its rows without one" in d.message for d in found)
    assert (by == "zeros" or bool((a == b).all())) is (by in ("element", "offset", "zeros"))


def test_rows_that_wgmma_reads_with_a_swizzle() -> None:
    @px.kernel(target="sm_90a", threads=128)
    def product(k: Any, a: px.Ptr[px.b32], c: px.Ptr[px.f32], *, by: str) -> None:
        left, right = k.smem(px.bf16, (64, 16), swizzle="32B"), k.smem(px.bf16, (8, 16), swizzle="32B")
        row, chunk = k.tid.x >> 1, k.tid.x & 1
        place = left.at(k.tid.x * 16) if by == "rows" else left.locate(row, chunk * 8)
        k.st.shared.v4.b32(place, k.ld.global_.v4.b32(a[k.tid.x * 4]))
        k.st.shared.b16(right.at(k.tid.x * 2), 0)
        k.fence.proxy.async_.shared__cta()
        k.bar.sync(0)
        acc = k.accumulator(64, 8)
        k.wgmma.fence.sync.aligned()
        k.wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16(
            acc, left.descriptor()[0], right.descriptor()[0], False, 1, 1, 0, 0
        )
        k.wgmma.commit_group.sync.aligned()
        k.wgmma.wait_group.sync.aligned(0)
        k.st.global_.v4.f32(c[k.tid.x * 4], acc)

    for by, codes in (("rows", ["PTX9166"]), ("element", [])):
        args = [np.arange(512, dtype=np.uint32), np.zeros(512, np.float32)]
        found = px.simulate(product, grid=1, args=args, lints=False, by=by).findings
        assert [d.code for d in found] == codes
