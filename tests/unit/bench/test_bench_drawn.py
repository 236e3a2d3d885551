"""Products drawn at random for `ptxlab bench kernels --random`: what is drawn, and what the run comes to."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from ptxlab.bench.kernels import drawn
from ptxlab.cli import app


def test_a_seed_draws_the_same_products_and_another_one_others() -> None:
    assert drawn.works(40, 1) == drawn.works(40, 1)
    assert drawn.works(40, 1) != drawn.works(40, 2)
    assert drawn.works(40, 1) == drawn.works(60, 1)[:40]


def test_what_is_drawn_covers_types_layouts_and_extents() -> None:
    found = drawn.works(600, 3)
    assert {(w.kind, w.dtype, w.layout) for w in found} == {
        ("gemm", "bfloat16", "kn"),
        ("gemm", "bfloat16", "nk"),
        ("gemm", "float16", "kn"),
        ("gemm", "float16", "nk"),
        ("fp8", "float8_e4m3fn", "nk"),
    }
    for axis in range(3):
        extents = [w.shapes[0][axis] for w in found]
        assert min(extents) <= 16
        assert max(extents) >= 1 << 15
        assert any(x % 2 for x in extents)
    assert all(w.bytes <= 3e9 and w.operations <= 3e12 for w in found)
    assert {w.kind for w in drawn.works(20, 3, ["fp8"])} == {"fp8"}


def line(shape: tuple[int, int, int], ratio: float | None, *, layout: str = "N×K", size: int = 2) -> dict[str, Any]:
    return {"work": f"{shape}, B {layout}", "shapes": [shape], "element_bytes": size, "ratio": ratio}


@pytest.mark.parametrize(
    ("made", "cause"),
    [
        (line((4096, 4096, 4097), 1), "rows that no TMA takes (not multiples of 16 bytes)"),
        (line((4096, 4097, 4096), 1, layout="K×N"), "rows that no TMA takes (not multiples of 16 bytes)"),
        (line((4096, 4097, 4096), 1), "large"),
        (line((64, 64, 64), 1), "small: a few microseconds"),
        (line((8, 16384, 8192), 1), "few rows or columns (up to 16)"),
        (line((256, 256, 131072), 1), "deep: few tiles, long K (splits)"),
        (line((8192, 8192, 128), 1), "shallow: writing C counts"),
        (line((1024, 1024, 1024), 1), "fewer tiles than SMs"),
        (line((1536, 1536, 4096), 1), "a last wave that is mostly empty"),
    ],
)
def test_causes(made: dict[str, Any], cause: str) -> None:
    assert drawn.cause(made) == cause


def test_the_summary_has_mean_percentile_lowest_and_causes() -> None:
    lines = [line((8192, 8192, 8192), 1.0 + i / 100) for i in range(38)]
    lines += [line((8, 16384, 8192), 0.5), line((8, 16384, 4096), 0.8), line((64, 64, 64), None)]
    found = drawn.summary(lines, 41, 7)
    assert (found["drawn"], found["compared"]) == (41, 40)
    assert found["fifth_percentile"] == 1.0
    assert found["lowest"] == ["(8, 16384, 8192), B N×K", 0.5]
    first, second = found["causes"].items()
    assert first == (
        "few rows or columns (up to 16)",
        {"products": 2, "geometric_mean": 0.6325, "below": 2, "lowest": "(8, 16384, 8192), B N×K"},
    )
    assert second[0] == "large"
    assert "40 of 41 products drawn from seed 7" in drawn.words(found)
    (table,) = drawn.causes(found)
    assert table.row_count == 2
    assert drawn.words(drawn.summary([], 0, 7)) == "Nothing was compared."


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--shapes", "512"], "--random does not go together with --shapes"),
        (["--only", "fused"], "--random draws no fused"),
    ],
)
def test_options_that_contradict_each_other(more: list[str], words: str) -> None:
    found = CliRunner().invoke(app, ["bench", "kernels", "--random", "3", *more])
    assert found.exit_code == 2 or found.exit_code == 1
    assert "PTX2501" in found.output
    assert words in " ".join(found.output.split())
