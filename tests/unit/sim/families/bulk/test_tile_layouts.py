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
