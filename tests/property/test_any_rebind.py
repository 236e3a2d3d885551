"""Any tiled map can be made of any other on the device."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import ptxlab as px
from ptxlab.layout import CHUNK, SWIZZLES, TensorMap, swizzle_span
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, REPLACE_TYPES

_NOT_TF32 = [t for t in REPLACE_TYPES if not t.startswith("tf32")]  # no instruction takes that rounding from a map


@px.kernel(threads=32)
def rebind(
    k: px.Builder, like: px.TensorMap, maps: px.Ptr[px.TensorMap], *, changes: tuple[tuple[str, Any], ...]
) -> None:
    k.tensormap(maps[0], like=like).rebind(**dict(changes))


@st.composite
def tiled(draw: st.DrawFn) -> TensorMap:
    """A map that the driver would take."""
    rank = draw(st.integers(1, 5))
    element = ELEMENT_TYPES[draw(st.sampled_from(_NOT_TF32))]
    swizzle = draw(st.sampled_from(SWIZZLES))
    chunks = draw(st.integers(1, 8 if swizzle == "none" else swizzle_span(swizzle) // CHUNK))

    def each(count: int, values: st.SearchStrategy[int]) -> list[int]:
        return draw(st.lists(values, min_size=count, max_size=count))

    return TensorMap.tiled(
        dtype=element.name,
        address=CHUNK * draw(st.integers(0, 1 << 40)),
        dims=each(rank, st.integers(1, 1 << 20)),
        strides=each(rank - 1, st.integers(1, 1 << 30).map(lambda n: CHUNK * n)),
        box=[chunks * CHUNK // element.nbytes, *each(rank - 1, st.integers(1, 4))],
        element_strides=[1, *each(rank - 1, st.integers(1, 8))],
        swizzle=swizzle,
        oob_fill=draw(st.sampled_from(["zero", "nan"])) if element.is_float else "zero",
    )


@settings(max_examples=40, deadline=None)
@given(tiled(), tiled())
def test_any_map_of_any_other(first: TensorMap, second: TensorMap) -> None:
    names = (
        "address",
        "dims",
        "strides",
        "box",
        "element_strides",
        "rank",
        "dtype",
        "interleave",
        "swizzle",
        "oob_fill",
    )
    maps = px.empty((128,), "uint8", align=128)
    maps[:] = 0
    rebind[1](first, maps, changes=tuple((n, getattr(second, n)) for n in names))
    assert TensorMap.decode(maps.tobytes()) == second
