"""Attention of e4m3: against NumPy in float64, and beside what rounding weights to e4m3 costs alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab import array_view
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import Tiling, attention, choose, forward, prepare, softcap
from ptxlab.kernels.attention.scores import Bounds
from ptxlab.kernels.attention.transposed import ORDER, room_of, transposing

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")
E4M3, BF16, F16 = (np.dtype(x) for x in (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16, np.float16))
HALF_ULP = {BF16: 2**-8, F16: 2**-11}
SCHEDULES = ("eager", "late", "random")
SCALES = {"q_scale": np.array([0.5, 2, 1, 0.25], np.float32), "k_scale": np.array([1.5], np.float32)}
EACH = {"v_scale": np.array([[3, 0.125], [1, 20]], np.float32)}


def finished(launch: Any, schedule: str = "random") -> None:
    for one in launch._launches:
        assert not one(schedule=schedule, seed=3, sanitize=True).findings


@dataclass
class Case:
    """Two batches of four heads that share two, and what attention makes of them; rows of 77 around the results."""

    rows: int
    length: int
    depth: int = 64
    value_depth: int = 64
    dtype: np.dtype[Any] = BF16
    causal: bool = False
    window: tuple[int | None, int | None] = (None, None)
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = np.random.default_rng(self.length)
        self.q, self.k = px.empty((2, 4, self.rows, self.depth), E4M3), px.empty((2, 2, self.length, self.depth), E4M3)
        self.v = px.empty((2, 2, self.length, self.value_depth), E4M3)
        for x in (self.q, self.k, self.v):
            x[...] = numbers.standard_normal(x.shape)
        self.around = px.empty((2, 5, self.rows + 3, self.value_depth + 8), self.dtype)
        self.around[...] = 77
        self.o = self.around[:, :4, 1:-2, : self.value_depth]
        self.lse = np.empty((2, 4, self.rows), np.float32)

    def launch(self, **more: Any) -> Any:
        given: dict[str, Any] = {"lse": self.lse, "causal": self.causal, "window": self.window} | self.options | more
        return prepare(self.q, self.k, self.v, self.o, **given)

    def scale(self, name: str) -> np.ndarray:
        """A scale for each batch and head of Q."""
        found = np.asarray(self.options.get(name, np.ones(1)), np.float64)
        if found.shape[-1] == 2:
            found = np.repeat(found, 2, axis=-1)
        return np.broadcast_to(found, (2, 4))[..., None, None]

    def given(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores, their magnitudes, and V, in float64."""
        q = self.q.astype(np.float64) * self.scale("q_scale")
        k, v = (np.repeat(x.astype(np.float64), 2, axis=1) for x in (self.k, self.v))
        k = k * self.scale("k_scale")
        factor = self.options.get("scale", 1 / math.sqrt(self.depth))
        turned = k.transpose(0, 1, 3, 2)
        own, key = np.arange(self.rows)[:, None] + self.length - self.rows, np.arange(self.length)
        left, right = self.window
        seen = (key <= own + (10**6 if right is None else right)) & (key >= own - (10**6 if left is None else left))
        seen &= (key <= own) | (not self.causal)
        return (
            np.where(seen, q @ turned * factor, -np.inf),
            abs(factor) * (abs(q) @ abs(turned)),
            v * self.scale("v_scale"),
        )

    def check(self, score: Any = None) -> None:
        s, magnitude, v = self.given()
        s = s if score is None else score(s)
        sinks = np.asarray(self.options.get("sinks", np.full(4, -np.inf)), np.float64)[:, None, None]
        top = np.maximum(s.max(axis=-1, keepdims=True), sinks)
        still = np.where(np.isinf(top), 0, top)
        e = np.exp(s - still)
        total = e.sum(axis=-1, keepdims=True) + np.exp(sinks - still)
        weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
        # the tensor cores keep 14 bits of a sum; weights are rounded to 4, the smallest of them to 2^-18 of the largest
        moved = magnitude.max() * 2.0**-12 + (2**-10 if score is not None else 0)
        bound = weights @ abs(v) * (2.0**-4 + HALF_ULP[self.dtype] + 2 * moved + 2.0**-10)
        least = np.divide(2.0**-18, total, out=np.zeros_like(total), where=total > 0)
        bound += (least + 2.0**-12 * weights.max(axis=-1, keepdims=True)) * abs(v).sum(axis=-2, keepdims=True)
        assert (abs(self.o.astype(np.float64) - weights @ v) <= bound).all()
        with np.errstate(divide="ignore"):
            lse = (top + np.log(total))[..., 0]
        hidden = np.isinf(lse)
        assert np.array_equal(hidden, np.isneginf(self.lse))
        assert (abs(self.lse[~hidden] - lse[~hidden]) <= 2 * moved + 2.0**-20 * (1 + abs(lse[~hidden]))).all()
        self.o[...] = 77
        assert (self.around == 77).all()


CASES: dict[str, Case] = {
    "whole blocks": Case(192, 256),
    "one query, one key": Case(1, 1),
    "causal": Case(150, 270, causal=True),
    "more queries than keys": Case(200, 70, causal=True),
    "window": Case(150, 270, window=(40, 3)),
    "128": Case(130, 400, 128, 128, causal=True),
    "f16": Case(70, 200, 128, 128, F16),
    "256": Case(70, 150, 256, 256, causal=True),
    "other depths": Case(70, 210, 192, 128),
    "few elements": Case(70, 90, 16, 8),
    "no multiple of 32": Case(70, 90, 80, 72),
    "scales": Case(100, 150, options={**SCALES, **EACH}),
    "sinks": Case(150, 70, causal=True, options={**EACH, "sinks": np.array([2, -3, 60, -90], np.float32)}),
    "scale below 0": Case(70, 90, options={"scale": -0.25, **SCALES}),
}


@pytest.mark.parametrize(
    ("name", "schedule"),
    [*((name, "random") for name in CASES), *((n, s) for n in ("causal", "other depths") for s in SCHEDULES[:2])],
)
def test_errors_are_those_of_roundings(name: str, schedule: str) -> None:
    """The sanitizer judges all orders by one launch: two of the cases run in all."""
    case = CASES[name]
    finished(case.launch(), schedule)
    case.check()


@pytest.mark.parametrize(
    ("tiling", "schedule"),
    [
        *((Tiling(consumers=1, keys=64, stages=1), s) for s in SCHEDULES),
        (Tiling(consumers=3, keys=64, overlap=False), "late"),
        (Tiling(keys=192), "random"),
    ],
    ids=str,
)
def test_one_cta_takes_all_tiles(monkeypatch: pytest.MonkeyPatch, tiling: Tiling, schedule: str) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", 1))
    case = Case(200, 230, causal=True)
    finished(case.launch(config=tiling), schedule)
    case.check()


def test_functions_of_scores() -> None:
    case = Case(150, 270, options=SCALES)
    finished(case.launch(score=softcap(2.0)))
    case.check(lambda s: 2 * np.tanh(s / 2))


def test_batches_may_have_their_rows_before_their_heads() -> None:
    case, turned = Case(70, 90), Case(70, 90)
    finished(case.launch())
    q, k, v, o = (np.ascontiguousarray(x.transpose(0, 2, 1, 3)) for x in (turned.q, turned.k, turned.v, turned.o))
    attention(q, k, v, o, layout="bshd")
    assert o.transpose(0, 2, 1, 3).tobytes() == np.ascontiguousarray(case.o).tobytes()


def test_errors_are_hardly_larger_than_those_of_rounded_weights() -> None:
    """Of weights that lie between 0 and 256 and are rounded to e4m3, as the best that four bits can do."""
    case = Case(256, 512, 128, 128)
    finished(case.launch())
    s, _, v = case.given()
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    total = e.sum(axis=-1, keepdims=True)
    rounded = (256 * e).astype(E4M3).astype(np.float64) / 256
    ours, least = (abs(x - e @ v / total).mean() for x in (case.o.astype(np.float64), rounded @ v / total))
    assert ours <= 1.05 * least


def test_what_is_no_number_shows_where_it_is_seen() -> None:
    case = Case(150, 270, causal=True)
    case.q[0, 0, 5, 3], case.v[1, 1, 200, 2] = np.nan, np.nan
    case.k[0, 1, 269] = np.nan  # the last query alone sees it
    finished(case.launch())
    found = np.isnan(case.o.astype(np.float64))
    assert found[0, 0].any(axis=-1).nonzero()[0].tolist() == [5]
    assert not found[0, 1].any()
    assert found[0, 2:].all(axis=-1).any(axis=-1).tolist() == [True, True]
    assert found[0, 2].any(axis=-1).nonzero()[0].tolist() == [149]
    assert not found[1, :2].any()
    assert found[1, 2].any(axis=0).nonzero()[0].tolist() == [2]
    assert found[1, 2, 80:, 2].all()  # from key 200 on


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shape", [(1, 1, 1, 8), (2, 3, 75, 40), (1, 2, 64, 128), (1, 1, 33, 256)], ids=str)
def test_v_is_transposed_in_the_order_of_lanes(shape: tuple[int, int, int, int], schedule: str) -> None:
    batches, heads, length, depth = shape
    v = px.empty((batches, length + 1, heads, depth + 8), E4M3)
    v[...] = np.random.default_rng(0).standard_normal(v.shape)
    given = v.transpose(0, 2, 1, 3)[:, :, :length, 4 : depth + 4]
    room = room_of(array_view(given))
    launch: Any = transposing(array_view(given), room)
    assert not launch(schedule=schedule, seed=1, sanitize=True).findings
    whole = np.zeros((batches, heads, room.shape[3], depth))
    whole[:, :, :length] = given.astype(np.float64)
    groups = whole.reshape(batches, heads, -1, 16, depth)[:, :, :, ORDER]
    assert np.array_equal(np.asarray(room.owner).astype(np.float64), groups.reshape(whole.shape).transpose(0, 1, 3, 2))


def test_no_schedule_races_or_leaves_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", 2))
    for one in Case(70, 90).launch(config=Tiling(keys=64))._launches:
        assert one(sanitize=True, certify=True).certificate.proved


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("bounds", [Bounds(), Bounds(right=True), Bounds(left=True, right=True)], ids=str)
@pytest.mark.parametrize(
    ("depth", "value_depth"), [(64, 64), (96, 96), (128, 128), (192, 192), (256, 256), (192, 128), (64, 256)], ids=str
)
def test_ptxas_accepts_it_without_a_warning(depth: int, value_depth: int, bounds: Bounds) -> None:
    tiling = choose(depth, value_depth=value_depth, bounded=bounds != Bounds(), item=1)
    chosen = forward.kernel(tiling.consumers, logarithms=True, sinks=px.f32, descales=True).specialize(
        tiling=tiling, depth=depth, value_depth=value_depth, bounds=bounds, dtype=px.e4m3, made=px.bf16
    )
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


def test_there_is_a_tiling_for_all_depths() -> None:
    for depth in range(8, 257, 8):
        for value_depth in range(8, 257, 8):
            choose(depth, value_depth=value_depth, item=1).check(depth, value_depth, 1)


Q, K, OUT = px.empty((2, 4, 16, 64), E4M3), px.empty((2, 2, 16, 64), E4M3), px.empty((2, 4, 16, 64), BF16)
WIDE, ENDS = [px.empty(x.shape, BF16) for x in (Q, K, K)], np.array([0, 8], np.int32)
ONE = np.ones(1, np.float32)
BAD: dict[str, tuple[str, str, tuple[Any, ...], dict[str, Any]]] = {
    "results in fp8": ("PTX2307", "O is a float8", (Q, K, K, Q.copy()), {}),
    "keys of another type": ("PTX2307", "K is a bfloat16", (Q, WIDE[1], K, OUT), {}),
    "another fp8": ("PTX2307", "Q is a float8_e5m2", (px.empty(Q.shape, "float8_e5m2"), K, K, OUT), {}),
    "scales of bf16": ("PTX2112", "k_scale is given", (*WIDE, OUT), {"k_scale": ONE}),
    "scales of doubles": ("PTX2307", "v_scale is", (Q, K, K, OUT), {"v_scale": np.ones(1)}),
    "scales of queries for keys": ("PTX2308", "k_scale is 4", (Q, K, K, OUT), {"k_scale": np.ones(4, np.float32)}),
    "packed": ("PTX2112", "in fp8", (Q[0], K[0], K[0], OUT[0]), {"q_offsets": ENDS, "k_offsets": ENDS}),
    "sinks of fp8": ("PTX2307", "sinks is", (Q, K, K, OUT), {"sinks": np.ones(4).astype(E4M3)}),
    "odd rows of V": ("PTX2309", "V has strides", (Q, K, px.empty((2, 2, 16, 66), E4M3)[..., :64], OUT), {}),
    "48 keys": ("PTX2112", "blocks of 48 keys", (Q, K, K, OUT), {"config": Tiling(keys=48)}),
}


@pytest.mark.parametrize(("code", "words", "arrays", "options"), BAD.values(), ids=list(BAD))
def test_bad_arguments(code: str, words: str, arrays: Any, options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as caught:
        attention(*arrays, **options)
    wrong = caught.value
    assert wrong.code == code
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
