from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.layout import align_up, padded_pitch


@given(st.integers(0, 10**9), st.integers(1, 4096))
def test_align_up(value: int, alignment: int) -> None:
    up = align_up(value, alignment)
    assert up % alignment == 0
    assert value <= up < value + alignment


@given(st.integers(1, 4096), st.sampled_from([4, 8, 16]))
def test_a_padded_pitch_has_no_bank_conflicts(row: int, vector: int) -> None:
    pitch = padded_pitch(row, vector)
    assert row <= pitch < row + 2 * vector
    phase = 128 // vector  # rows whose vectors one pass over the 32 banks serves
    assert len({i * pitch % 128 // vector for i in range(phase)}) == phase


def test_bad_arguments() -> None:
    for call in (lambda: align_up(1, 0), lambda: padded_pitch(64, 3)):
        with pytest.raises(Diagnostic) as e:
            call()
        assert e.value.code == "PTX2123"
