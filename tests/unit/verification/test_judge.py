"""What px.verify draws and watches."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.record import Buffer
from ptxlab.verification.drawn import KINDS, filled, fitting
from ptxlab.verification.host import HostState
from ptxlab.verification.launches import numbers_in
from ptxlab.verification.spec import named_sizes
from unit.verification.corpus.entry import flat
from unit.verification.corpus.honest_elements import ENTRIES


def test_it_does_the_same_again() -> None:
    entry = ENTRIES[0]
    said = [entry.judged(7) for _ in range(2)]
    assert said[0].runs == said[1].runs
    wrong = [px.verify(entry.candidate, lambda x, n: x * 2, entry.spec, seed=7) for _ in range(2)]
    assert wrong[0].verdict == wrong[1].verdict == "wrong"
    assert str(wrong[0].trial) == str(wrong[1].trial)


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16", "e4m3", "e5m2"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_type_has_each_kind(dtype: str, kind: str) -> None:
    rng = np.random.default_rng()
    for shape in ((), (0,), (1,), (3, 40)):
        assert filled(px.Input(dtype, shape), kind, rng).shape == shape
        bounds = filled(px.Input(dtype, shape, low=-1, high=2), kind, rng).astype(np.float64)
        assert np.all((bounds >= -1) & (bounds <= 2))


def test_numbers_of_a_candidate() -> None:
    def candidate(x: Any) -> None:
        if x.size == 137:
            x[...] = 2.5

    @px.kernel(threads=32)
    def kernel(k, x: px.Ptr[px.f32], n: px.u32):
        k.st.global_.f32(x[k.tid.x & 7], 12.25, pred=n == 91)

    record = kernel.prepare(grid=1, args=[np.zeros(8, np.float32), 1]).record
    numbers = numbers_in([record], candidate)
    assert {137, 2.5, 91, 12.25} <= set(numbers)
    assert {"n": 138} in named_sizes(flat("f32"), numbers)
    assert {2.5, 12.25} <= set(fitting(px.Input("f32", 4), numbers).tolist())
    assert 137 in fitting(px.Input("u8", 4), numbers)
    assert not fitting(px.Input("u8", 4, high=5), [137]).size


def test_host_state() -> None:
    state = HostState(test_host_state)
    assert state.changed() is None
    known = Buffer.end
    try:
        Buffer.end = property(lambda self: 0)  # pyright: ignore[reportAttributeAccessIssue]
        assert "Buffer.end" in str(state.changed())
    finally:
        Buffer.end = known  # pyright: ignore[reportAttributeAccessIssue]
    assert state.changed() is None


def test_bounds_that_say_nothing_decide_nothing() -> None:
    """Where everything would be right, nothing is."""

    @px.kernel(threads=128)
    def zeros(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
        i = k.ctaid.x * 128 + k.tid.x
        k.st.global_.f32(y[i], 0.0, pred=i < n)

    found = px.verify(zeros, lambda x, n: x + 1e30 * x - 1e30 * x, flat("f32", low=-1, high=1))
    assert found.verdict == "inconclusive"
    assert "in every run" in str(found.cause)
