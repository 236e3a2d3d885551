from __future__ import annotations

import pytest

from ptxlab.sim.engine.machine.naming import lanes_text, warps_text


@pytest.mark.parametrize(
    ("warps", "words"),
    [([3], "warp 3"), ([2, 0, 1, 3], "warps 0-3"), ([8, 0, 1], "warps 0-1, 8"), ([0, 2], "warps 0, 2")],
)
def test_warps_in_words(warps: list[int], words: str) -> None:
    assert warps_text(warps) == words


def test_lanes_in_words() -> None:
    assert [lanes_text(m) for m in (8, 0xFFFFFFFF, 0x101)] == ["lane 3", "lanes 0-31", "lanes 0, 8"]
