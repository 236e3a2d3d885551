from __future__ import annotations

import pytest

from ptxlab.view.swizzle import conflict_degree, places, swizzle_svg

# Source chunks in each 128-byte line of shared memory, as printed after TMA loads of rows as long as the span.
LINES = {
    "none": ["01234567"] * 8,
    "32B": ["01010101", "10101010"] * 4,
    "64B": ["01230123", "10321032", "23012301", "32103210"] * 2,
    "128B": ["01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"],
}


@pytest.mark.parametrize("mode", LINES)
def test_the_grid_is_what_a_gpu_printed(mode: str) -> None:
    grid = places(mode)  # type: ignore[arg-type]
    assert ["".join(str(chunk) for _, chunk in line) for line in grid] == LINES[mode]
    rows_a_line = {"none": 1, "32B": 4, "64B": 2, "128B": 1}[mode]
    assert all(row // rows_a_line == i for i, line in enumerate(grid) for row, _ in line)


def test_conflicts() -> None:
    assert [conflict_degree(places(m)) for m in ("none", "32B", "64B", "128B")] == [8, 1, 1, 1]
    assert [conflict_degree(places("none", width)) for width in (32, 64, 128)] == [2, 4, 8]


def test_the_picture_names_chunks_and_conflicts() -> None:
    drawn = swizzle_svg("128B")
    assert drawn.startswith("<svg")
    assert "r1 c1" in drawn
    assert "no bank conflict" in drawn
    assert "8-way bank conflict" in swizzle_svg("none")
