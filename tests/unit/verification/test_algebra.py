"""`px.Spec(algebraic=…)`: kernels as expressions, from elements to attention."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.kernels.conv import conv2d
from ptxlab.kernels.gemm import gemm
from ptxlab.verification.numbers.coded import Coded, Field
from ptxlab.verification.numbers.degrees import INPUT
from ptxlab.verification.numbers.followed import Unfollowed
from unit.verification import flash
from unit.verification.corpus.every import HONEST

SEED = 5
UNSAID = {"to_integer", "quantise", "to_e4m3", "from_e4m3", "to_e5m2", "from_e5m2", "mma_e4m3", "gemm_e4m3"}
"""Honest kernels that make integers or 8-bit floats of numbers."""


@pytest.mark.parametrize("name", [entry.name for entry in HONEST])
def test_honest_kernels_are_equal_or_not_algebraic(name: str) -> None:
    entry = next(one for one in HONEST if one.name == name)
    spec = replace(entry.spec, algebraic="only")
    found = px.verify(entry.candidate, entry.reference, spec, seed=SEED, seconds=60)
    assert found.verdict == ("inconclusive" if name in UNSAID else "equal"), str(found)
    if found.verdict == "inconclusive":
        assert found.cause is not None
        assert found.cause.code == "PTX9279"


# --- matrix products ------------------------------------------------------------------------------------------------------
def multiplied(a: Any, b: Any, c: Any) -> None:
    gemm(a, b, c)


def square(dtype: str, n: int = 128) -> px.Spec:
    arrays = lambda: [px.Input(dtype, (n, n)), px.Input(dtype, (n, n)), px.Output(dtype, (n, n))]  # noqa: E731
    return px.Spec(lambda: px.case(arrays()), algebraic="only")


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
def test_products_by_wgmma(dtype: str) -> None:
    found = px.verify(multiplied, lambda a, b: a @ b, square(dtype), seed=SEED)
    assert found, str(found)
    assert found.algebra is not None
    assert (found.algebra.degree, found.algebra.bounded) == (2, True)
    assert found.algebra.probability < 2.0**-40


@pytest.mark.parametrize(
    "reference",
    [
        lambda a, b: b @ a,
        lambda a, b: a[:, :-1] @ b[:-1],
        lambda a, b: a @ b.T,
        lambda a, b: (a @ b) * (1 + 2.0**-20),
        lambda a, b: a @ b + np.eye(128) * 1e-20,
    ],
    ids=["swapped", "a step left out", "transposed", "scale", "a little on the diagonal"],
)
def test_products_that_differ_a_little(reference: Callable[..., Any]) -> None:
    found = px.verify(multiplied, reference, square("bf16"), seed=SEED)
    assert found.verdict == "wrong"
    assert found.mismatch is not None
    assert found.cause is not None
    assert found.cause.code == "PTX9273"


def test_convolutions() -> None:
    def convolved(x: Any, w: Any, y: Any) -> None:
        conv2d(x, w, y, padding=1)

    def reference(x: Any, w: Any) -> Any:
        around = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [
            np.einsum("nhwc,kc->nhwk", around[:, r : r + 8, s : s + 8], w[:, r, s]) for r in range(3) for s in range(3)
        ]
        return sum(taps[1:], taps[0])

    def case() -> px.Case:
        return px.case(
            [px.Input("bf16", (1, 8, 8, 64)), px.Input("bf16", (64, 3, 3, 64)), px.Output("bf16", (1, 8, 8, 64))]
        )

    spec = px.Spec(case, algebraic="only")
    found = px.verify(convolved, reference, spec, seed=SEED)
    assert found, str(found)
    assert px.verify(convolved, lambda x, w: reference(x, w[:, ::-1]), spec, seed=SEED).verdict == "wrong"


# --- attention ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool) -> None:
    right, other = flash.attended, flash.attended_causal
    if causal:
        right, other = other, right
    found = px.verify(flash.flash, right, flash.spec(causal=causal), seed=SEED)
    assert found, str(found)
    assert found.algebra is not None
    assert found.algebra.bounded
    assert 3 <= found.algebra.degree <= 24  # each tile of keys shrinks what has been summed before
    assert px.verify(flash.flash, other, flash.spec(causal=causal), seed=SEED).verdict == "wrong"


@pytest.mark.parametrize("scale", [1.0, 0.125, 0.12500001])
def test_attention_with_another_scale(scale: float) -> None:
    def reference(q: Any, keys: Any, v: Any, n: int) -> Any:
        scores = q @ keys.T * scale
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return (e @ v) / e.sum(axis=1, keepdims=True)

    found = px.verify(flash.flash, reference, flash.spec(32, 32), seed=SEED)
    assert found.verdict == ("equal" if scale == 0.125 else "wrong")


# --- halves ---------------------------------------------------------------------------------------------------------------
def by_or(k: Any, x: Any) -> Any:
    """x + 2 x, as two bf16 in a register."""
    one, two = (k.cvt.u32.u16(k.mov.b16(k.cvt.rn.bf16.f32(v))) for v in (x, x * 2.0))
    both = k.or_.b32(one, k.shl.b32(two, 16))
    low, high = k.mov.b32(k.shl.b32(both, 16)), k.mov.b32(k.and_.b32(both, 0xFFFF0000))
    return k.add.f32(low, high)


def by_cutting(k: Any, x: Any) -> Any:
    """The same of the upper halves of f32."""
    one, two = (k.mov.b32(v) for v in (x, x * 2.0))
    both = k.or_.b32(k.shr.u32(one, 16), k.and_.b32(two, 0xFFFF0000))
    return k.add.f32(k.shl.b32(both, 16), k.and_.b32(both, 0xFFFF0000))


@pytest.mark.parametrize("kernel", [by_or, by_cutting])
def test_halves_are_put_together_by_or(kernel: Any) -> None:
    found = px.verify(by_element(kernel), lambda x: 3 * x, elements(), seed=SEED)
    assert found, str(found)
    assert px.verify(by_element(kernel), lambda x: 2 * x, elements(), seed=SEED).verdict == "wrong"


@pytest.mark.parametrize("low", [lambda k, x: k.shl.b32(x, 16), lambda k, x: k.and_.b32(x, 0xFFFF)])
def test_the_lower_half_of_a_number_is_no_number(low: Any) -> None:
    kernel = by_element(lambda k, x: k.add.f32(x, low(k, k.mov.b32(x))))
    assert px.verify(kernel, lambda x: x, elements(), seed=SEED).verdict == "inconclusive"


@pytest.mark.parametrize("mask", [0x8000, 0xFFFF, 1])
def test_or_with_other_bits_is_no_packing(mask: int) -> None:
    def kernel(k: Any, x: Any) -> Any:
        return k.or_.b32(k.and_.b32(k.mov.b32(x), 0xFFFF0000), mask)

    assert px.verify(by_element(kernel), lambda x: x, elements(), seed=SEED).verdict == "inconclusive"


# --- the kernel's own degree ----------------------------------------------------------------------------------------------
def power(k: Any, x: Any, n: int) -> Any:
    """By squares."""
    out, square = None, x
    while n:
        if n & 1:
            out = square if out is None else out * square
        square, n = square * square, n >> 1
    return out


@pytest.mark.parametrize(("kernel", "reference", "degree"), [
    (lambda k, x: power(k, x, 3), lambda x: x**3, 3),
    (lambda k, x: power(k, x, 9) / power(k, x, 8), lambda x: x, 9),
    (lambda k, x: k.rcp.rn.f32(k.rcp.rn.f32(x)), lambda x: x, 1),
    (lambda k, x: k.ex2.approx.f32(x) * x, lambda x: np.exp2(x) * x, 2),
    (lambda k, x: k.max.f32(x * x, 3.0), lambda x: np.maximum(x * x, 3.0), 1),
    (lambda k, x: k.fma.rn.f32(x, x, x), lambda x: x * x + x, 2),
    (lambda k, x: k.cvt.f32.f16(k.cvt.rn.f16.f32(x * x)), lambda x: x * x, 2),
])  # fmt: skip
def test_the_degree_of_the_difference(kernel: Any, reference: Any, degree: int) -> None:
    found = px.verify(by_element(kernel), reference, elements(), seed=SEED)
    assert found, str(found)
    assert found.algebra is not None
    assert (found.algebra.degree, found.algebra.bounded) == (degree, True)


def test_a_power_that_is_x_modulo_both_primes_is_not_x() -> None:
    """17030 is a multiple of 262 and of 130."""
    found = px.verify(by_element(lambda k, x: power(k, x, 17031)), lambda x: x, elements(), seed=SEED)
    assert found.verdict == "inconclusive"
    assert found.cause is not None
    assert "polynomials of degree 262 or more" in found.cause.message


def test_a_degree_that_is_not_known_is_said() -> None:
    def chosen(k: Any, x: Any) -> Any:
        return k.selp.f32(x, x * 1.0, k.setp.lt.f32(x, 0.0))

    found = px.verify(by_element(chosen), lambda x: x, elements(), seed=SEED)
    assert found.algebra is not None
    assert not found.algebra.bounded
    assert "(degree 1 of the reference; that of the kernel is not known)" in str(found)


# --- what is said ---------------------------------------------------------------------------------------------------------
def elements(count: int = 64, **options: Any) -> px.Spec:
    """An array to another one."""
    options.setdefault("algebraic", "only")
    return px.Spec(lambda: px.case([px.Input("f32", count), px.Output("f32", count)], grid=count // 32), **options)


def by_element(function: Callable[..., Any]) -> Any:
    @px.kernel(threads=32)
    def one(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
        at = k.ctaid.x * 32 + k.tid.x
        k.st.global_.f32(y[at], function(k, k.ld.global_.f32(x[at])))

    return one


def test_what_rounding_hides_is_seen() -> None:
    kernel = by_element(lambda k, x: x * 1.0000001192092896)
    assert px.verify(kernel, lambda x: x * 1.0, elements(algebraic=False, rtol=1e-6), seed=SEED)
    found = px.verify(kernel, lambda x: x * 1.0, elements(), seed=SEED)
    assert found.verdict == "wrong"
    assert found.cause is not None
    assert found.cause.origin is not None
    assert "mod 263" in found.cause.message
    assert any("written last" in note for note in found.cause.notes)


def test_both_are_judged() -> None:
    kernel = by_element(lambda k, x: x + x)
    found = px.verify(kernel, lambda x: 2 * x, elements(algebraic=True), seed=SEED, runs=2)
    assert found
    assert found.algebra is not None
    assert found.certificate is not None
    assert found.data["algebra"]["primes"] == [263, 131]
    assert "as expressions: equal at" in str(found)
    assert px.verify(kernel, lambda x: 2 * x, elements(algebraic=False), seed=SEED, runs=2).algebra is None


def test_the_seed_does_it_again() -> None:
    kernel = by_element(lambda k, x: x * x)
    one, other = (px.verify(kernel, lambda x: x * x * x, elements(), seed=SEED) for _ in range(2))
    assert one.mismatch == other.mismatch


def test_infinities_that_should_not_be() -> None:
    kernel = by_element(lambda k, x: k.div.full.f32(x, k.mov.f32(0.0)))
    assert px.verify(kernel, lambda x: x * 2, elements(), seed=SEED).verdict == "wrong"


def test_results_that_nobody_writes() -> None:
    @px.kernel(threads=32)
    def half(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
        with k.if_(k.tid.x < 16):
            k.st.global_.f32(y[k.ctaid.x * 32 + k.tid.x], k.ld.global_.f32(x[k.ctaid.x * 32 + k.tid.x]))

    assert px.verify(half, lambda x: x, elements(), seed=SEED).verdict == "wrong"


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        (lambda x: np.gradient(x), "gradient"),
        (lambda x: x**200, "degree"),
        (lambda x: np.exp(np.exp(x)), "residue"),
        (lambda x: x.astype(np.int32) * 1.0, "astype"),
    ],
    ids=["function", "degree", "exponentials", "integers"],
)
def test_references_that_cannot_be_followed(reference: Callable[..., Any], why: str) -> None:
    kernel = by_element(lambda k, x: k.ex2.approx.f32(k.ex2.approx.f32(x)))
    found = px.verify(kernel, reference, elements(), seed=SEED)
    assert found.verdict == "inconclusive"
    assert found.cause is not None
    assert found.cause.code == "PTX9279"
    assert why in found.cause.message


def test_options_that_are_none() -> None:
    with pytest.raises(px.Diagnostic, match="algebraic"):
        elements(algebraic="all")


# --- degrees --------------------------------------------------------------------------------------------------------------
def given(shape: tuple[int, ...]) -> Coded:
    return Coded(np.ones(shape, np.uint32), Field(), INPUT)


@pytest.mark.parametrize(
    ("computed", "degree"),
    [
        (lambda x: x + 1, 1),
        (lambda x: x * x - x, 2),
        (lambda x: x @ x, 2),
        (lambda x: (x * x).sum(axis=0), 2),
        (lambda x: 1 / x, 1),
        (lambda x: x / x.sum(axis=1, keepdims=True), 2),
        (lambda x: (x / x.sum(axis=1, keepdims=True)) @ x, 3),
        (lambda x: (x / x.sum(axis=1, keepdims=True)).sum(axis=1), 2),
        (lambda x: (x / x.sum(axis=0, keepdims=True)).sum(axis=1), 8),
        (lambda x: (1 / x).sum(), 31),
        (lambda x: x.mean(), 1),
        (lambda x: x.var(), 2),
        (lambda x: np.exp(x * x), 1),
        (lambda x: np.prod(x, axis=1), 4),
        (lambda x: np.cumsum(1 / x, axis=1), 7),
    ],
    ids=range(15),
)
def test_degrees(computed: Callable[[Any], Any], degree: int) -> None:
    assert computed(given((4, 4))).degree.whole == degree


def test_what_is_not_followed() -> None:
    x = given((4, 4))
    functions: list[Any] = [np.linalg.inv, np.fft.fft, np.percentile]
    for function in functions:
        with pytest.raises((Unfollowed, TypeError)):
            function(x, 3)
    with pytest.raises(Unfollowed):
        float(x)


def test_what_host_code_gives() -> None:
    factors = np.full(32, 0.1, np.float32)

    @px.kernel(threads=32)
    def scaled(k, x: px.Ptr[px.f32], f: px.Ptr[px.f32], y: px.Ptr[px.f32]):
        at = k.ctaid.x * 32 + k.tid.x
        k.st.global_.f32(y[at], k.ld.global_.f32(x[at]) * k.ld.global_.f32(f[k.tid.x]))

    def candidate(x: Any, y: Any) -> None:
        scaled[2](x, factors, y)

    assert px.verify(candidate, lambda x: x / 10, elements(), seed=SEED)
    assert px.verify(candidate, lambda x: x / 11, elements(), seed=SEED).verdict == "wrong"


def test_comparisons_that_decide_how_a_kernel_runs() -> None:
    @px.kernel(threads=32)
    def halved(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
        at = k.ctaid.x * 32 + k.tid.x
        value = k.ld.global_.f32(x[at])
        with k.while_(lambda: k.setp.gt.f32(value, -1e30)):
            k.mul.rn.f32(value, 2.0, d=value)
        k.st.global_.f32(y[at], value)

    found = px.verify(halved, lambda x: x, elements(), seed=SEED, max_instructions=1 << 14)
    assert found.verdict == "inconclusive"
    assert found.cause is not None
    assert "compares numbers" in found.cause.message
