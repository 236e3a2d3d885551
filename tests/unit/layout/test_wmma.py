"""Fragments of wmma: whole matrices, and a few places as an H100 has them."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.layout.wmma import Letter, wmma

SHAPES = [
    *(((m, n, 16), bits) for m, n in ((16, 16), (8, 32), (32, 8)) for bits in (16, 8)),
    ((16, 16, 8), 32),
    ((8, 8, 4), 64),
    ((8, 8, 32), 4),
    ((8, 8, 128), 1),
]


@pytest.mark.parametrize(("shape", "bits"), SHAPES)
@pytest.mark.parametrize("letter", ["a", "b", "c", "d"])
def test_every_element_is_held_once(letter: Letter, shape: tuple[int, int, int], bits: int) -> None:
    m, n, k = shape
    fragment = wmma(letter, shape, bits)
    assert fragment.shape == {"a": (m, k), "b": (k, n)}.get(letter, (m, n))
    assert np.array_equal(np.sort(fragment.flat, axis=None), np.arange(np.prod(fragment.shape)))
    assert fragment.threads == 32


@pytest.mark.parametrize(
    ("letter", "shape", "bits", "lane", "places"),
    [
        ("a", (16, 16, 16), 16, 4, [(1, 0), (1, 1), (9, 0), (9, 1), (1, 8), (1, 9), (9, 8), (9, 9)]),
        ("b", (16, 16, 16), 16, 1, [(2, 0), (3, 0), (10, 0), (11, 0), (2, 8), (3, 8), (10, 8), (11, 8)]),
        ("a", (8, 32, 16), 16, 2, [(0, 4), (0, 5), (0, 12), (0, 13)]),
        ("b", (8, 32, 16), 8, 4, [(r, c) for c in (1, 9, 17, 25) for r in range(4)]),
        ("a", (32, 8, 16), 8, 1, [(r, c) for r in (0, 8, 16, 24) for c in range(4, 8)]),
        ("b", (16, 16, 8), 32, 16, [(0, 4), (4, 4), (0, 12), (4, 12)]),
        ("d", (8, 32, 16), 16, 1, [(r, c) for c in (0, 8, 16, 24) for r in (2, 3)]),
        ("d", (32, 8, 16), 8, 16, [(r, c) for r in (4, 12, 20, 28) for c in (0, 1)]),
        ("c", (16, 16, 8), 32, 0, [(0, 0), (0, 1), (8, 0), (8, 1), (0, 8), (0, 9), (8, 8), (8, 9)]),
    ],
)
def test_lanes_hold_what_an_h100_gives_them(
    letter: Letter, shape: tuple[int, int, int], bits: int, lane: int, places: list[tuple[int, int]]
) -> None:
    fragment = wmma(letter, shape, bits)
    assert list(zip(fragment.rows[lane].tolist(), fragment.cols[lane].tolist(), strict=True)) == places
