"""Options of a simulation: what they may be."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px


@px.kernel(threads=32)
def nothing(k: px.Builder, a: px.Ptr[px.b32]) -> None:
    k.st.global_.b32(a[k.tid.x], 1)


@pytest.mark.parametrize(
    "options",
    [
        {"sanitize": "maybe"},
        {"schedule": "soon"},
        {"schedule": ["late"]},
        *(
            {name: value}
            for name in ("seed", "max_instructions", "workers")
            for value in (True, 1.0, "1", np.arange(2))
        ),
    ],
)
def test_an_option_that_cannot_be_honoured_is_refused_before_anything_runs(options: dict[str, object]) -> None:
    a = np.zeros(32, np.uint32)
    with pytest.raises(px.Diagnostic):
        px.simulate(nothing, grid=1, args=[a], **options)  # type: ignore[arg-type]
    assert not a.any()


def test_integers_of_numpy_are_integers() -> None:
    a = np.zeros(32, np.uint32)
    px.simulate(nothing, grid=1, args=[a], seed=np.uint64(7), max_instructions=np.int32(10_000), workers=np.int8(1))
    assert a.all()
