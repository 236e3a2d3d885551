"""Where the metadata of sparse matrices lie, and which columns they name."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.layout.sparse import columns, group_columns, metadata_places, tf32_rows, tf32_table

SHAPES = [(16, 16), (16, 32), (32, 8), (32, 16), (8, 32), (8, 64), (4, 64), (4, 128)]


@pytest.mark.parametrize(("bits", "k"), SHAPES)
def test_every_bit_of_the_metadata_belongs_to_one_group(bits: int, k: int) -> None:
    groups = k // group_columns(bits)
    selectors = 16 // groups
    seen: list[tuple[int, int]] = []
    for selector in range(selectors):
        lane, shift = metadata_places(bits, k, selector)
        assert lane.shape == shift.shape == (16, groups)
        seen += zip(lane.ravel().tolist(), shift.ravel().tolist(), strict=True)
    assert sorted(seen) == [(lane, 4 * i) for lane in range(32) for i in range(8)]


@pytest.mark.parametrize(("bits", "k"), SHAPES)
def test_columns_ascend_with_ordered_metadata(bits: int, k: int) -> None:
    legal = [0x4, 0xE] if bits == 32 else [0x4, 0x8, 0xC, 0x9, 0xD, 0xE]
    dice = np.random.default_rng(bits + k)
    words = np.zeros(32, np.uint32)
    for i in range(8):
        words |= dice.choice(legal, 32).astype(np.uint32) << np.uint32(4 * i)
    found = columns(words, bits, k, 0)
    assert found.shape == (16, k // 2)
    assert (np.diff(found, axis=1) > 0).all()
    assert found.min() >= 0
    assert found.max() < k
    size = group_columns(bits)
    held = np.arange(k // 2) // (size // 2)
    assert np.array_equal(found // size, np.broadcast_to(held, found.shape))


def test_four_bits_name_two_of_four() -> None:
    words = np.full(32, 0x4444_4444, np.uint32)
    words[0] = 0x444D  # row 0, first group: the second and the fourth
    found = columns(words, 16, 16, 0)
    assert found[0].tolist() == [1, 3, 4, 5, 8, 9, 12, 13]
    assert found[1].tolist() == [0, 1, 4, 5, 8, 9, 12, 13]
    words[4 * 3 + 2] = 0xE << 16  # the third lane of the fourth four: row 3 + 8 under selector 2
    assert columns(words, 16, 16, 2)[11, :2].tolist() == [2, 3]


def test_elements_of_four_bits_come_in_pairs_and_tf32_one_of_two() -> None:
    words = np.full(32, 0x4444_4444, np.uint32)
    words[0] = 0x4444_4449
    assert columns(words, 4, 64, 0)[0, :4].tolist() == [2, 3, 4, 5]
    words[0] = 0x444E
    assert columns(words, 32, 8, 0)[0].tolist() == [1, 2, 4, 6]


def test_tf32_meets_halves_of_two_rows() -> None:
    b = np.arange(8 * 3, dtype=np.uint32).reshape(8, 3) * np.uint32(0x0001_0001) + np.uint32(0x8000_0000)
    words = np.full(32, 0x4444_4444, np.uint32)
    words[0] = 0x4444_2E4E  # row 0: the second of two, the first, the second, and a mixture
    chosen = tf32_table(b)[tf32_rows(words, 8, 0)]
    assert np.array_equal(chosen[0, :3], b[columns(words, 32, 8, 0)[0, :3]])
    assert np.array_equal(chosen[0, 3], b[7] & 0xFFFF | b[6] << 16)  # the third half below the first
    assert np.array_equal(chosen[1:], b[columns(words, 32, 8, 0)[1:]])
