"""PTX9168: descriptors that take the same bytes twice, over layouts."""

from __future__ import annotations

import pytest

from ptxlab.layout.matrix_descriptor import Major, MatrixDescriptor
from ptxlab.layout.swizzles import Swizzle
from ptxlab.layout.tile import k_major, mn_major
from ptxlab.sim.families.wgmma.twice import Operand, overlap, repeated

SWIZZLES: tuple[Swizzle, ...] = ("32B", "64B", "128B")


@pytest.mark.parametrize("swizzle", SWIZZLES)
@pytest.mark.parametrize("major", ["K", "MN"])
def test_the_steps_of_a_tile_lie_apart(swizzle: Swizzle, major: Major) -> None:
    """Right descriptors of a tile: none repeats a line, and none takes a part of another."""
    tile = k_major(64, 64, 16, swizzle) if major == "K" else mn_major(64, 64, 16, swizzle)
    steps = [Operand(tile.descriptor(step=i).encode(), 64, 16, 16, major) for i in range(tile.k_steps)]
    assert len(steps) == 4
    assert [repeated(step) for step in steps] == [None] * 4
    assert not any(overlap(a, b) for a in steps for b in steps)


def operand(address: int, leading: int, stride: int, swizzle: Swizzle, major: Major = "K", lines: int = 64) -> Operand:
    return Operand(MatrixDescriptor(address, leading, stride, swizzle=swizzle).encode(), lines, 16, 16, major)


def test_a_stride_that_is_too_small_repeats_lines() -> None:
    assert repeated(operand(0, 16, 0, "128B")) == ((0, 0), (8, 0))
    assert repeated(operand(0, 16, 512, "128B")) == ((4, 0), (8, 0))
    assert repeated(operand(0, 16, 0, "128B", lines=8)) is None  # there is no next group
    assert repeated(operand(0, 0, 256, "none")) == ((0, 0), (0, 8))
    assert repeated(operand(0, 0, 1024, "128B", "MN", 128)) == ((0, 0), (64, 0))


def test_a_larger_stride_skips_lines() -> None:
    assert repeated(operand(0, 16, 1280, "128B")) is None


@pytest.mark.parametrize(("nbytes", "common"), [(0, 0), (16, 8), (32, 0), (48, 0), (128, 0), (1024, 0)])
def test_steps_along_k_may_overlap(nbytes: int, common: int) -> None:
    assert overlap(operand(1024, 16, 1024, "128B"), operand(1024 + nbytes, 16, 1024, "128B")) == common


def test_steps_overlap_by_a_chunk_and_by_8_lines() -> None:
    assert overlap(operand(0, 128, 256, "none"), operand(128, 128, 256, "none")) == 8
    assert overlap(operand(0, 2048, 1024, "128B", "MN"), operand(1024, 2048, 1024, "128B", "MN")) == 8
    assert overlap(operand(0, 2048, 1024, "128B", "MN"), operand(2048, 2048, 1024, "128B", "MN")) == 0
