"""`px.verify`: its verdicts, what it draws, and bad input. The corpus of honest and cheating kernels has its own test."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks.formats import as_data
from ptxlab.diag import CODES
from ptxlab.verification import drawn, verdict
from ptxlab.verification.spec import drawn_sizes


@px.kernel(threads=64)
def double(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32) -> None:
    i = k.ctaid.x * 64 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)


def case(n: int) -> px.Case:
    return px.case([px.Input("f32", n), px.Output("f32", n), n], grid=-(-n // 64))


SPEC = px.Spec(case, {"n": range(1, 300)})
ONE = px.Spec(lambda: px.case([px.Input("f32", 64), px.Output("f32", 64)], grid=1))


def test_the_same_seed_draws_the_same() -> None:
    wrong = [px.verify(double, lambda x, n: x * 2.0001, SPEC, seed=5).data for _ in range(2)]
    assert json.dumps(wrong[0], default=as_data) == json.dumps(wrong[1], default=as_data)
    assert px.verify(double, lambda x, n: x * 2, SPEC).seed != px.verify(double, lambda x, n: x * 2, SPEC).seed


def test_a_verdict_in_all_its_forms() -> None:
    right = px.verify(double, lambda x, n: x * 2, SPEC, seed=1)
    assert right
    assert right.findings == []
    assert str(right).startswith(f"double: equal ({right.runs} runs, seed=1)\n  every schedule: proved")
    assert right.work["least_read"] == right.work["read"]
    right.check()
    wrong = px.verify(double, lambda x, n: x * 3, SPEC, seed=1)
    assert not wrong
    assert wrong.mismatch is not None
    assert repr(wrong) == "<Verification of double: wrong, 1 runs, seed 1>"
    with pytest.raises(px.Diagnostic) as raised:
        wrong.check()
    assert raised.value.notes[-1] == "px.verify says wrong; px.verify(…, seed=1) does it again"
    assert raised.value.origin is not None
    assert json.loads(json.dumps(wrong.data, default=as_data))["mismatch"]["index"] == [0]


def judged(source: Any, reference: Any = lambda x: x, spec: px.Spec = ONE, **options: Any) -> px.Verification:
    return px.verify(px.kernel(threads=64)(source), reference, spec, **options)


def copied(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
    k.st.global_.f32(y[k.tid.x], k.ld.global_.f32(x[k.tid.x]))


def test_hangs() -> None:
    def waits(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
        full = k.mbarrier(1)
        k.init_barriers()
        full.wait(0)

    assert judged(waits).verdict == "hangs"

    def endless(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
        total = k.mov.u32(0)
        with k.while_(lambda: total < 2):
            total ^= 1

    assert judged(endless, max_instructions=100_000).verdict == "hangs"


def test_out_of_bounds() -> None:
    def beyond(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
        k.st.global_.f32(y[k.tid.x + 1], k.ld.global_.f32(x[k.tid.x]))

    assert judged(beyond).verdict == "out-of-bounds"


def test_unsupported() -> None:
    spec = px.Spec(lambda: px.case([px.Input("f32", 64), px.Output("f32", 64)], grid=1, shared=2 << 30))
    found = px.verify(px.kernel(threads=64)(copied), lambda x: x, spec)
    assert (found.verdict, found.runs) == ("unsupported", 1)
    many = px.Spec(lambda: px.case([px.Input("f32", 64), px.Output("f32", 64)], grid=(1 << 31)))
    assert px.verify(px.kernel(threads=64)(copied), lambda x: x, many).verdict == "unsupported"


def test_nondeterministic() -> None:
    def sums(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
        with k.if_(k.tid.x == 0):
            k.st.global_.f32(y[0], 0.0)
        k.bar.sync(0)
        k.red.global_.add.f32(y[0], k.ld.global_.f32(x[k.tid.x + k.ctaid.x * 64]))

    def summed(n: int, **options: Any) -> px.Spec:
        made = px.case([px.Input("f32", 64), px.Output("f32", 1)], grid=1)
        return px.Spec(lambda: made, **options)

    found = judged(sums, lambda x: x.sum(keepdims=True), summed(64), seed=2)
    assert found.verdict == "nondeterministic"
    assert judged(sums, lambda x: x.sum(keepdims=True), summed(64, deterministic=False), seed=2).verdict == "equal"


def test_what_comes_from_elsewhere_cheats() -> None:
    kept: dict[int, Any] = {}

    def remembers(x: Any, y: Any, n: int) -> None:
        double[-(-n // 64)](x, y, n)
        y[...] = kept.setdefault(n, y.copy())

    def on_the_host(x: Any, y: Any, n: int) -> None:
        scratch = px.empty(n, np.float32)
        scratch[...] = x / 2
        double[-(-n // 64)](scratch, y, n)

    def swallows(x: Any, y: Any, n: int) -> None:
        try:
            double[-(-n // 64)](x, y[: n - 1], n)
        except px.Diagnostic:
            y[...] = x * 2

    assert px.verify(remembers, lambda x, n: x * 2, SPEC).verdict in ("cheats", "wrong")
    assert px.verify(on_the_host, lambda x, n: x, SPEC).verdict == "cheats"
    assert px.verify(swallows, lambda x, n: x * 2, SPEC).verdict == "out-of-bounds"
    assert px.verify(lambda x, y, n: None, lambda x, n: x * 2, SPEC).verdict == "cheats"


def test_a_function_that_launches_is_right() -> None:
    def twice(x: Any, y: Any, n: int) -> None:
        scratch = px.empty(n, np.float32)
        double[-(-n // 64)](x, scratch, n)
        double[-(-n // 64)](scratch, y, n)

    found = px.verify(twice, lambda x, n: x * 4, SPEC)
    assert found.verdict == "equal", str(found)
    assert found.certificate is None


def test_a_suppressed_race_counts() -> None:
    def racing(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
        row = k.smem(px.f32, 64)
        # ptxlab: ignore[PTX9200, PTX9240]: nobody will see it
        k.st.shared.f32(row.at(k.tid.x * 4), k.ld.global_.f32(x[k.tid.x]))
        value = k.ld.shared.f32(row.at((63 - k.tid.x) * 4))  # ptxlab: ignore[PTX9200, PTX9240]: nobody will see it
        k.st.global_.f32(y[k.tid.x], value)

    assert judged(racing, lambda x: x[::-1]).verdict == "races"


def test_tensor_maps_integers_and_updated_arrays() -> None:
    @px.kernel(threads=32)
    def tile(k: px.Builder, a: px.TensorMap, counts: px.Ptr[px.s32], out: px.Ptr[px.bf16]) -> None:
        t = k.smem(px.bf16, (4, 8), align=128)
        full = k.mbarrier(1)
        k.init_barriers()
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(t.nbytes)
            k.tma_load(t, a, (0, 0), full)
        full.wait(0)
        k.st.global_.b16(out[k.tid.x], k.ld.shared.b16(t.at(k.tid.x * 2)))
        k.st.global_.s32(counts[k.tid.x], k.ld.global_.s32(counts[k.tid.x]) + 1)

    def made() -> px.Case:
        a = px.Input("bf16", (4, 8))
        return px.case([a.map(box=(4, 8)), px.Input("s32", 32, updated=True), px.Output("bf16", (4, 8))], grid=1)

    found = px.verify(tile, lambda a, counts: (counts + 1, a), px.Spec(made))
    assert found.verdict == "equal", str(found)
    assert px.verify(tile, lambda a, counts: (counts + 2, a), px.Spec(made)).verdict == "wrong"


def test_tolerances_take_any_function() -> None:
    spec = px.Spec(case, {"n": range(1, 100)}, rtol=1e-3)
    assert px.verify(double, lambda x, n: np.hypot(x, x) * np.sign(x) * np.sqrt(2), spec).verdict == "equal"
    assert px.verify(double, lambda x, n: np.hypot(x, x), SPEC).verdict == "inconclusive"
    assert px.verify(double, lambda x, n: np.where(x * 1.1 - x * 0.1 > x, x, x * 2), SPEC).verdict == "inconclusive"


def test_sizes_reach_both_ends() -> None:
    rng = np.random.default_rng(0)
    spec = px.Spec(lambda m, n: case(n) if m % 4 == 0 else None, {"m": range(64), "n": [1, 31, 64, 1000]})
    found = [drawn_sizes(spec, rng, turn)[0] for turn in range(60)]
    assert {one["n"] for one in found} == {1, 31, 64, 1000}
    assert all(one["m"] % 4 == 0 for one in found)
    wide = px.Spec(case, {"n": range(16, 4097, 16)})
    sizes = {drawn_sizes(wide, rng, turn)[0]["n"] for turn in range(100)}
    assert {16, 4096} <= sizes
    assert all(n % 16 == 0 for n in sizes)
    assert len(sizes) > 40


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "f64", "e4m3", "e5m2", "u8", "s16", "u32", "s64", "bool"])
@pytest.mark.parametrize("kind", drawn.KINDS)
def test_every_kind_fills_every_type(dtype: str, kind: str) -> None:
    rng = np.random.default_rng(0)
    for shape in ((), (1,), (3, 50), (0, 4)):
        one = px.Input(dtype, shape)
        found = drawn.filled(one, kind, rng)
        assert (found.shape, found.dtype) == (shape, one.elements)
    if dtype[0] in "us":
        bounded = drawn.filled(px.Input(dtype, 200, low=3, high=7), kind, rng)
        assert bounded.min() >= 3
        assert bounded.max() <= 6
    elif dtype != "bool":
        bounded = drawn.filled(px.Input(dtype, 200, low=0.5, high=2), kind, rng).astype(np.float64)
        assert bounded.min() >= 0.5
        assert bounded.max() <= 2


BAD: dict[str, tuple[str, Any]] = {
    "no spec": ("PTX2501", lambda: px.verify(double, lambda x, n: x, case)),  # type: ignore[arg-type]
    "runs": ("PTX2501", lambda: px.verify(double, lambda x, n: x, SPEC, runs=0)),
    "sanitize": ("PTX2501", lambda: px.verify(double, lambda x, n: x, SPEC, sanitize=False)),
    "None": ("PTX2342", lambda: px.verify(double, lambda x, n: None, SPEC)),
    "shape": ("PTX2342", lambda: px.verify(double, lambda x, n: x[:0], SPEC)),
    "results": ("PTX2342", lambda: px.verify(double, lambda x, n: (x, x), SPEC)),
    "complex": ("PTX2342", lambda: px.verify(double, lambda x, n: np.full(n, 2j), SPEC)),
    "objects": ("PTX2342", lambda: px.verify(double, lambda x, n: np.array([object()] * n), SPEC)),
    "words": ("PTX2342", lambda: px.verify(double, lambda x, n: np.array(["a"] * n), SPEC)),
    "no sizes": ("PTX2501", lambda: px.Spec(case, {"n": []})),
    "accuracy": ("PTX2501", lambda: px.Spec(case, accuracy="f31")),
    "array": ("PTX2501", lambda: px.case([np.zeros(3)])),
    "case": ("PTX2501", lambda: px.verify(double, lambda x, n: x, px.Spec(lambda: [1]))),  # type: ignore[arg-type,return-value]
    "never": ("PTX2501", lambda: px.verify(double, lambda x, n: x, px.Spec(lambda n: None, {"n": range(3)}))),
    "dtype": ("PTX2307", lambda: px.Input("f31", 4)),
    "extent": ("PTX2305", lambda: px.Output("f32", (4, -1))),
    "kernel": ("PTX2322", lambda: px.verify(3, lambda x, n: x, SPEC)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_diagnostic(name: str) -> None:
    code, call = BAD[name]
    with pytest.raises(px.Diagnostic) as raised:
        call()
    assert raised.value.code == code
    assert raised.value.origin is not None


def test_the_reference_may_raise() -> None:
    with pytest.raises(ZeroDivisionError):
        px.verify(double, lambda x, n: 1 / 0, SPEC)


def test_every_code_has_a_verdict() -> None:
    assert {verdict.word_of(code) for code in CODES} | {"equal"} == set(verdict.WORDS)
