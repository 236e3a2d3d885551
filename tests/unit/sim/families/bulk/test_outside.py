"""PTX9167: boxes that lie wholly outside their tensor, as exchanged coordinates give them, and not those behind a tensor's end."""

from __future__ import annotations

from typing import Any

import pytest

import ptxlab as px

BOX = (8, 32)  # rows, columns


@px.kernel(target="sm_90a", threads=32)
def boxes(k: Any, src: px.TensorMap, dst: px.TensorMap, *, order: str) -> None:
    """Each CTA copies a box of rows and columns; `order`: of the coordinates, of the load and of the store."""
    tile = k.smem(px.u32, BOX, align=128)
    full = k.mbarrier(1)
    k.init_barriers()
    at = {"c": k.ctaid.x * BOX[1], "r": k.ctaid.y * BOX[0]}
    load, store = ([at[c] for c in word] for word in order.split())
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(tile.nbytes)
        k.cp.async_.bulk.tensor._2d.shared__cluster.global_.mbarrier__complete_tx__bytes(tile, src, load, full)
        full.wait(0)
        k.cp.async_.bulk.tensor._2d.global_.shared__cta.bulk_group(dst, store, tile)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


def found(order: str, shape: tuple[int, int], grid: tuple[int, int] | None = None) -> list[px.Diagnostic]:
    a, b = px.empty(shape, "u32"), px.empty(shape, "u32")
    maps = [px.tensor_map(x, box=BOX) for x in (a, b)]
    grid = grid or (-(-shape[1] // BOX[1]), -(-shape[0] // BOX[0]))
    findings = px.simulate(boxes, grid=grid, args=maps, sanitize=False, lints=False, order=order).findings
    return [d for d in findings if d.code == "PTX9167"]


@pytest.mark.parametrize("shape", [(48, 160), (200, 64), (45, 148), (8, 128), (96, 32)])
def test_exchanged_coordinates(shape: tuple[int, int]) -> None:
    (one,) = found("rc cr", shape)
    assert "cp.async.bulk.tensor.2d.shared::cluster" in one.message
    assert "coordinates 0 and 1 exchanged" in one.message
    assert f"in a tensor of {shape[1]} × {shape[0]}" in one.notes[0]
    assert one.severity == "warning"
    assert one.origin is not None
    (one,) = found("cr rc", shape)
    assert "nothing of them is stored" in one.message


@pytest.mark.parametrize(
    ("shape", "grid"),
    [
        ((48, 160), None), ((45, 148), None), ((48, 160), (7, 8)), ((48, 160), (16, 6)), ((256, 32), (3, 32)), ((8, 64), (4, 1)),
        ((16, 64), (1, 8)), ((32, 32), (8, 8)), ((40, 40), (4, 8)), ((64, 32), (2, 2)),
    ],
)  # fmt: skip
def test_boxes_behind_the_end(shape: tuple[int, int], grid: tuple[int, int] | None) -> None:
    assert found("cr cr", shape, grid) == []
