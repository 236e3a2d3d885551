"""im2col boxes against a walk written down pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab import Diagnostic
from ptxlab.layout.im2col import im2col_box
from ptxlab.layout.tensormap import Im2col, TensorMap


def image(
    dims: tuple[int, ...],
    lower: tuple[int, ...],
    upper: tuple[int, ...],
    pixels: int,
    steps: tuple[int, ...] | None = None,
) -> TensorMap:
    strides = tuple(int(n) for n in np.cumprod((64, *dims[1:-1])))
    return TensorMap("u16", 0, dims, strides, (), steps or (1,) * len(dims), window=Im2col(lower, upper, 16, pixels))


def walk(m: TensorMap, first: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The pixels in order, as one would count with an odometer."""
    assert m.window is not None
    at, out = list(first), []
    for _ in range(m.window.pixels):
        out.append(tuple(at))
        for d, (low, high) in enumerate(zip(m.window.lower, m.window.upper, strict=True)):
            at[d] += m.element_strides[d + 1]
            if at[d] < m.dims[d + 1] + high:
                break
            at[d] = low
        else:
            at[-1] += 1
    return out


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_pixels_are_walked_in_order(data: st.DataObject) -> None:
    spatial = data.draw(st.integers(1, 3))
    dims = (32, *data.draw(st.tuples(*[st.integers(1, 6)] * spatial)), 3)
    lower = data.draw(st.tuples(*[st.integers(-3, 0)] * spatial))
    upper = data.draw(st.tuples(*[st.integers(0, 3)] * spatial))
    steps = (1, *data.draw(st.tuples(*[st.integers(1, 3)] * spatial)), 1)
    m = image(dims, lower, upper, data.draw(st.integers(1, 40)), steps)
    first = (
        *(data.draw(st.integers(low, n + high - 1)) for n, low, high in zip(dims[1:], lower, upper, strict=False)),
        0,
    )
    offsets = data.draw(st.tuples(*[st.integers(0, 3)] * spatial))
    rows = im2col_box(m).at((0, *first), offsets)
    for i, pixel in enumerate(walk(m, first)):
        place = [p + o for p, o in zip(pixel, (*offsets, 0), strict=True)]
        inside = all(0 <= p < n for p, n in zip(place, dims[1:], strict=True))
        assert rows.inside is not None
        assert bool(rows.inside[i]) == inside
        if inside:
            assert rows.offsets[i] == sum(p * s for p, s in zip(place, m.strides, strict=True))


def test_the_manuals_example_of_a_filter() -> None:
    """3 × 3 of padding 1 over 4 × 4: nine loads, one for each tap, whose offsets shift the same walk."""
    m = image((16, 4, 4, 1), (-1, -1), (-1, -1), 16)
    box = im2col_box(m)
    centre = box.at((0, -1, -1, 0), (1, 1))
    assert centre.inside is not None
    assert centre.inside.all()
    assert centre.offsets.tolist() == [64 * w + 256 * h for h in range(4) for w in range(4)]
    corner = box.at((0, -1, -1, 0), (0, 0))
    assert corner.inside is not None
    assert corner.inside.reshape(4, 4).tolist() == [[False] * 4] + [[False, True, True, True]] * 3
    assert box.nbytes == 16 * 32


@pytest.mark.parametrize("first", [(-2, 0), (5, 0), (0, -2), (0, 4)])
def test_a_copy_starts_in_its_bounding_box(first: tuple[int, int]) -> None:
    box = im2col_box(image((16, 4, 4, 1), (-1, -1), (1, 0), 16))
    box.at((0, 4, 3, 5))
    with pytest.raises(Diagnostic) as caught:
        box.at((0, *first, 0))
    assert caught.value.code == "PTX2117"


@pytest.mark.parametrize(
    ("lower", "upper", "legal"),
    [((0, 0), (0, 0), True), ((1, 1), (-1, -1), True), ((0, -1), (0, 0), False), ((0, 0), (1, 0), False)],
)
def test_stores_stay_in_the_image(lower: tuple[int, int], upper: tuple[int, int], legal: bool) -> None:
    box = im2col_box(image((16, 8, 6, 3), lower, upper, 20))
    if legal:
        box.at((0, 3, 2, 1), store=True)
        return
    with pytest.raises(Diagnostic) as caught:
        box.at((0, 3, 2, 1), store=True)
    assert caught.value.code == "PTX2117"


def test_tiled_maps_have_no_pixels() -> None:
    tiled = TensorMap("u16", 0, (64, 64), (128,), (16, 8), (1, 1))
    with pytest.raises(Diagnostic) as caught:
        im2col_box(tiled)
    assert caught.value.code == "PTX2118"
