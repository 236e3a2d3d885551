"""Pictures of what a copy takes and where it lands."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ptxlab.diag import Diagnostic
from ptxlab.layout import TensorMap, swizzle
from ptxlab.view.pictures import tensor_map_picture
from ptxlab.view.tensormap import chunks, text_picture

GOOD: dict[str, Any] = {
    "dtype": "bf16",
    "address": 1 << 32,
    "dims": (1000, 512),
    "strides": (2048,),
    "box": (64, 8),
    "swizzle": "128B",
}


def test_chunks_lie_where_the_swizzle_puts_them() -> None:
    found = chunks(TensorMap.tiled(**GOOD), (960, 508))
    assert len(found) == 64
    for p in found:
        assert p.shared == swizzle(p.row * 128 + p.chunk * 16, "128B")
        assert p.valid == (16 if p.row < 4 and p.chunk < 5 else 0)


def test_the_text_shows_chunks_gaps_and_fill() -> None:
    lines = text_picture(TensorMap.tiled(**(GOOD | {"box": (32, 2)})), (992, 511)).splitlines()
    assert lines[1].split() == ["0x00000", "0.0", "0.1*", "0.2*", "0.3*", "·", "·", "·", "·"]
    assert lines[2].split() == ["0x00080", "1.1*", "1.0*", "1.3*", "1.2*", "·", "·", "·", "·"]
    assert "15 more lines" in text_picture(TensorMap.tiled(**(GOOD | {"box": (64, 31)})))


@pytest.mark.parametrize("ending", [".png", ".svg"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"box": (64, 256)},
        {"box": (256, 2), "swizzle": "none"},
        {"dims": (1000, 9, 7), "strides": (2048, 32768), "box": (16, 3, 2), "swizzle": "32B"},
        {"dims": (64,), "strides": (), "box": (8,), "swizzle": "none"},
    ],
)
def test_a_picture_is_drawn(tmp_path: Path, ending: str, changes: dict[str, Any]) -> None:
    tiled = TensorMap.tiled(**{**GOOD, **changes})
    made = tensor_map_picture(tiled, tmp_path / f"box{ending}")
    data = made.read_bytes()
    if ending == ".png":
        assert data.startswith(b"\x89PNG")
        assert len(data) > 5000
    else:
        ElementTree.fromstring(data)
        assert len(data) < 30_000
        names = [f"{p.row}.{p.chunk}" for p in chunks(tiled)]
        assert data.count(f">{names[0]}<".encode()) == 2  # in the tensor and in shared memory


def test_an_svg_says_what_is_filled_and_what_is_left_out(tmp_path: Path) -> None:
    edge = tensor_map_picture(TensorMap.tiled(**GOOD), tmp_path / "edge.svg", coordinates=(960, 508)).read_text()
    assert "dashed: outside the tensor, filled with zeros" in edge
    assert "0x180: 3.3, 3.2, 3.1, 3.0, filled, filled, filled, 3.4" in edge
    large = TensorMap.tiled(**{**GOOD, "box": (64, 256)})
    inside = tensor_map_picture(large, tmp_path / "inside.svg").read_text()
    assert "dashed" not in inside
    assert "2048 chunks in all, the first ones are shown" in inside


def test_an_svg_has_no_ground_of_its_own(tmp_path: Path) -> None:
    drawn = tensor_map_picture(TensorMap.tiled(**GOOD), tmp_path / "box.svg").read_text()
    assert "white" not in drawn
    assert "black" not in drawn


@pytest.mark.parametrize(("coordinates", "code"), [((1, 0), "PTX2117"), ((0,), "PTX2117")])
def test_coordinates_that_the_hardware_refuses(tmp_path: Path, coordinates: tuple[int, ...], code: str) -> None:
    with pytest.raises(Diagnostic) as e:
        tensor_map_picture(TensorMap.tiled(**GOOD), tmp_path / "x.png", coordinates=coordinates)
    assert e.value.code == code
    assert not list(tmp_path.iterdir())


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="picture") as e:
        tensor_map_picture(TensorMap.tiled(**GOOD), tmp_path / "x.txt")
    assert e.value.code == "PTX2501"
