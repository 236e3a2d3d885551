from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.layout import SWIZZLES, Swizzle, swizzle, swizzle_atom, swizzle_mode, swizzle_span

# Which source chunk lies at each place, row by row of one span, as printed after a TMA load on a GPU.
PRINTED: dict[Swizzle, list[str]] = {
    "32B": ["01", "01", "01", "01", "10", "10", "10", "10"],
    "64B": ["0123", "0123", "1032", "1032", "2301", "2301", "3210", "3210"],
    "128B": ["01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"],
}


@pytest.mark.parametrize("mode", PRINTED)
def test_chunks_lie_as_printed(mode: Swizzle) -> None:
    span = swizzle_span(mode)
    for row in range(24):
        for place in range(span // 16):
            source = swizzle(row * span + place * 16, mode) - row * span
            assert source == int(PRINTED[mode][row % 8][place]) * 16


@given(st.integers(0, 2**18 - 1), st.sampled_from(SWIZZLES))
def test_it_is_its_own_inverse_and_stays_within_the_chunk_row(address: int, mode: Swizzle) -> None:
    there = swizzle(address, mode)
    assert swizzle(there, mode) == address
    assert there // swizzle_span(mode) == address // swizzle_span(mode)
    assert there % 16 == address % 16
    assert swizzle(address + swizzle_atom(mode), mode) == there + swizzle_atom(mode)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
def test_arrays_keep_dtype_and_shape(dtype: type[np.integer]) -> None:
    a = np.arange(0, 4096, 4, dtype=dtype).reshape(8, 128)
    out = swizzle(a, "128B")
    assert out.dtype == dtype
    assert out.shape == a.shape
    assert out.tolist() == [[swizzle(int(x), "128B") for x in row] for row in a]


def test_128_byte_swizzle_spreads_a_column_over_all_banks() -> None:
    column = np.arange(8) * 128
    assert len(set(swizzle(column, "128B") % 128 // 16)) == 8
    assert len(set(swizzle(column, "none") % 128 // 16)) == 1


@pytest.mark.parametrize(("alias", "mode"), [(None, "none"), (0, "none"), (32, "32B"), (64, "64B"), (128, "128B")])
def test_aliases(alias: object, mode: Swizzle) -> None:
    assert swizzle_mode(alias) == swizzle_mode(mode) == mode


@pytest.mark.parametrize("bad", ["96B", 16, "128", [], object()])
def test_another_word_is_refused(bad: object) -> None:
    with pytest.raises(Diagnostic) as e:
        swizzle_mode(bad)
    assert e.value.code == "PTX2112"
    assert "128B" in (e.value.help or "")
