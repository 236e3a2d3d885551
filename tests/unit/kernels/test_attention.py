"""Attention in the simulator: against NumPy in float64, within what the roundings on the way allow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import attention_reference
import numpy as np
import pytest
from attention_reference import BF16, F16

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import Tiling, attention, choose, forward, prepare, softcap
from ptxlab.kernels.attention.scores import Bounds

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")  # lints: registers of wgmma that is under way


def alibi(k: Any, x: Any, at: Any) -> Any:
    """The farther a key, the less it counts; each head has a slope of its own."""
    slope = k.mul.rn.f32(k.cvt.rn.f32.u32(at.head + at.batch + 1), 0.125)
    return k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), slope, x)


def even_keys(k: Any, x: Any, at: Any) -> Any:
    """A mask of one's own: odd keys, and all of query 3, are invisible."""
    return k.selp.f32(x, -math.inf, ((at.key & 1) == 0) & (at.query != 3))


@dataclass
class Case:
    """Random inputs and what attention should make of them."""

    batches: int
    heads: int
    shared: int
    rows: int
    length: int
    depth: int
    dtype: np.dtype[Any] = BF16
    layout: str = "bhsd"
    causal: bool = False
    window: tuple[int | None, int | None] = (None, None)
    scale: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        numbers = np.random.default_rng(self.seed)
        self.q = self.tensor(self.heads, self.rows)
        self.k, self.v = (self.tensor(self.shared, self.length) for _ in range(2))
        for x in (self.q, self.k, self.v):
            x[...] = numbers.standard_normal(x.shape)
        self.around = self.tensor(self.heads + 1, self.rows + 3, self.depth + 8)
        self.around[...] = 77
        self.o = self.heads_first(self.around)[:, : self.heads, 1 : self.rows + 1, : self.depth]
        self.logs = np.full(math.prod(self.o.shape[:3]) + 8, 77, np.float32)
        self.lse = self.logs[4:-4].reshape(self.o.shape[:3])

    def tensor(self, heads: int, rows: int, depth: int | None = None) -> np.ndarray:
        middle = (heads, rows) if self.layout == "bhsd" else (rows, heads)
        return px.empty((self.batches, *middle, depth or self.depth), self.dtype)

    def heads_first(self, x: np.ndarray) -> np.ndarray:
        return x if self.layout == "bhsd" else x.transpose(0, 2, 1, 3)

    @property
    def options(self) -> dict[str, Any]:
        return {
            "lse": self.lse,
            "causal": self.causal,
            "window": self.window,
            "scale": self.scale,
            "layout": self.layout,
        }

    def launch(self, **more: Any) -> px.Launch:
        o = self.heads_first(self.o)
        return prepare(self.q, self.k, self.v, o, **self.options, **more)  # type: ignore[arg-type]

    def given(self) -> list[np.ndarray]:
        """Q, K and V in float64, a head of K and V for each of Q."""
        q, k, v = (self.heads_first(x).astype(np.float64) for x in (self.q, self.k, self.v))
        return [q, *(np.repeat(x, self.heads // self.shared, axis=1) for x in (k, v))]

    def visible(self) -> np.ndarray:
        own, key = np.arange(self.rows)[:, None] + self.length - self.rows, np.arange(self.length)[None, :]
        left, right = self.window
        right = 0 if self.causal else right
        after = key >= own - (10**6 if left is None else left)
        return after & (key <= own + (10**6 if right is None else right))

    def check(self, score: Any = None) -> None:
        """Compare o and lse with the reference, and look at what lies around them. `score`: of scores, query, key, head, batch."""
        q, k, v = self.given()
        scale = 1 / math.sqrt(self.depth) if self.scale is None else self.scale
        attention_reference.check((self.o, self.lse), (q, k, v), self.visible(), scale, score=score)
        self.check_around()

    def check_around(self) -> None:
        marked = self.heads_first(self.around).copy()
        marked[:, : self.heads, 1 : self.rows + 1, : self.depth] = 77
        assert (marked == 77).all()
        assert (self.logs[:4] == 77).all()
        assert (self.logs[-4:] == 77).all()


def drawn(seed: int) -> Case:
    """Sizes at random."""
    numbers = np.random.default_rng(seed)
    rows, length = (int(n) for n in numbers.integers(1, 400, 2))
    shared, group = int(numbers.integers(1, 3)), int(numbers.integers(1, 4))
    sides = [None if numbers.integers(2) else int(numbers.integers(0, 200)) for _ in range(2)]
    return Case(
        int(numbers.integers(1, 3)),
        shared * group,
        shared,
        rows,
        length,
        (64, 128, 96, 256, 64, 128)[seed % 6],
        (BF16, F16)[seed % 2],
        ("bhsd", "bshd")[seed // 2 % 2],
        causal=seed % 3 == 0,
        window=(sides[0], sides[1]) if seed % 3 == 1 else (None, None),
        seed=seed,
    )


@pytest.mark.parametrize("seed", range(24))
def test_sizes_at_random(seed: int) -> None:
    case = drawn(seed)
    case.launch()()
    case.check()


EDGES = {
    "one query, one key": Case(1, 1, 1, 1, 1, 64),
    "whole blocks": Case(1, 1, 1, 192, 256, 64),
    "whole blocks, causal": Case(1, 1, 1, 256, 256, 128, causal=True),
    "more queries than keys": Case(1, 1, 1, 300, 70, 64, causal=True),
    "only the last query sees a key": Case(1, 1, 1, 200, 1, 64, causal=True),
    "fewer queries than keys": Case(1, 1, 1, 5, 389, 128, causal=True),
    "its own key alone": Case(1, 2, 1, 140, 140, 64, window=(0, 0)),
    "a narrow band": Case(1, 1, 1, 390, 390, 64, window=(3, 2)),
    "a band beyond the keys": Case(1, 1, 1, 390, 40, 128, window=(10, 300)),
    "the causal mask ends a window": Case(1, 1, 1, 100, 100, 64, causal=True, window=(5, 9)),
    "few elements": Case(1, 1, 1, 70, 70, 8),
    "an odd number of eights": Case(1, 1, 1, 70, 150, 40, causal=True),
    "three spans": Case(1, 1, 1, 130, 140, 192),
    "scale 0": Case(1, 1, 1, 70, 150, 64, scale=0.0, causal=True),
    "scale below 0": Case(1, 1, 1, 70, 150, 64, scale=-0.25, window=(30, 4)),
    "a large scale": Case(1, 1, 1, 70, 150, 64, scale=3.0),
}


@pytest.mark.parametrize("case", EDGES.values(), ids=list(EDGES))
def test_edges(case: Case) -> None:
    case.launch()()
    case.check()


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("reach", range(17))
def test_the_ends_of_a_window_fall_everywhere_in_a_block(side: int, reach: int) -> None:
    case = Case(1, 1, 1, 70, 83, 8, window=(None, reach) if side else (reach, None))
    case.launch(config=Tiling(consumers=1, keys=16))()
    case.check()


WAYS = [
    Tiling(consumers=1, keys=64),
    Tiling(consumers=2, keys=48, stages=1),
    Tiling(consumers=2, keys=80, overlap=False),
    Tiling(consumers=3, keys=16, stages=3, staging=False),
    Tiling(consumers=3, keys=64, overlap=False, staging=False),
    Tiling(consumers=2, keys=64, pingpong=False, overlap=False),
    Tiling(consumers=2, keys=176, pingpong=False, staging=False),
]


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("tiling", [None, *WAYS], ids=str)
def test_one_cta_takes_all_tiles(monkeypatch: pytest.MonkeyPatch, tiling: Tiling | None, schedule: str) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", 1))
    case = Case(2, 2, 1, 200, 230, 64, causal=True, seed=7)
    case.launch(config=tiling)(schedule=schedule, seed=5)  # type: ignore[call-arg]
    case.check()


def its_cta(k: Any, x: Any, at: Any) -> Any:
    """All keys count alike, and the logarithm of their sum tells which CTA has computed it."""
    return k.cvt.rn.f32.u32(k.ctaid.x)


@pytest.mark.parametrize(("ctas", "heads", "together"), [(5, 12, 3), (5, 12, 4), (7, 9, 2), (4, 16, 16), (11, 24, 5)])
def test_ctas_get_their_share_of_a_causal_mask(
    monkeypatch: pytest.MonkeyPatch, ctas: int, heads: int, together: int
) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", ctas))
    monkeypatch.setattr(forward, "L2_BYTES", together * 2 * 512 * 8 * 2)
    case = Case(1, heads, heads, 512, 512, 8, causal=True)
    case.launch(score=its_cta, config=Tiling(consumers=1, keys=64))()
    cta = np.rint(case.lse[0] - np.log(np.arange(512) + 1)).astype(int)
    blocks = np.arange(512) // 64 + 1
    shares = np.array([(blocks * (cta == i)).sum() / 64 for i in range(ctas)])
    assert shares.sum() == heads * 36
    assert shares.max() <= shares.mean() + 4, shares  # half of the longest tile


@pytest.mark.parametrize("together", [1, 2, 4, 100])
def test_sections_of_heads_cover_all_tiles(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    case = Case(2, 3, 3, 250, 20, 64)
    monkeypatch.setattr(forward, "L2_BYTES", together * 2 * 20 * 64 * 2)
    case.launch()()
    case.check()


@pytest.mark.parametrize(
    "tiling", [None, Tiling(consumers=1, keys=32), Tiling(consumers=2, keys=64, overlap=False)], ids=str
)
def test_roundings_cost_what_the_order_of_blocks_costs(tiling: Tiling | None) -> None:
    """Beside the same computation in NumPy: f32, block by block from the last one on, weights rounded to 16 bits."""
    case = Case(1, 2, 1, 128, 300, 128, seed=3)
    case.launch(config=tiling)()
    case.check()
    keys = (tiling or choose(128)).keys
    q, k, v = (x.astype(np.float32) for x in case.given())
    top, total = np.full((*q.shape[:3], 1), -np.inf, np.float32), np.zeros((*q.shape[:3], 1), np.float32)
    held = np.zeros(q.shape, np.float32)
    for first in range((300 - 1) // keys * keys, -1, -keys):
        s = q @ k[:, :, first : first + keys].transpose(0, 1, 3, 2) * np.float32(128**-0.5)
        new = np.maximum(top, s.max(axis=-1, keepdims=True))
        e, shrunk = np.exp(s - new), np.exp(top - new)
        total, top = total * shrunk + e.sum(axis=-1, keepdims=True), new
        held = held * shrunk + e.astype(BF16).astype(np.float32) @ v[:, :, first : first + keys]
    emulated = (held / total).astype(BF16)
    # weights that lie next to a rounding boundary fall to either side; each moves a result by 2^-8 of its own share
    assert abs(case.o.astype(np.float64) - emulated.astype(np.float64)).max() <= 2.0**-10
    assert (case.o == emulated).mean() > 0.9


SCORES = {
    "alibi": (alibi, lambda s, query, key, head, batch: s + (key - query) * 0.125 * (head + batch + 1)),
    "softcap": (softcap(2.0), lambda s, *_: 2 * np.tanh(s / 2)),
    "even keys": (even_keys, lambda s, query, key, *_: np.where((key % 2 == 0) & (query != 3), s, -np.inf)),
}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("function", "reference"), SCORES.values(), ids=list(SCORES))
def test_functions_of_scores(function: Any, reference: Any, causal: bool) -> None:
    case = Case(2, 2, 2, 150, 270, 64, causal=causal)
    case.launch(score=function)()
    case.check(reference)


def test_equal_caps_are_one_kernel() -> None:
    case = Case(1, 1, 1, 8, 8, 64)
    first, second = (case.launch(score=softcap(5.0)) for _ in range(2))
    assert first.record.program is second.record.program


def test_keys_that_nobody_sees_may_be_anything() -> None:
    case = Case(1, 1, 1, 40, 300, 64, window=(20, 0))
    case.k[:, :, :200] = np.nan
    case.v[:, :, :128] = np.nan  # whole blocks; in others 0 · nan would show
    wanted = Case(1, 1, 1, 40, 300, 64, window=(20, 0))
    case.launch()()
    wanted.launch()()
    assert case.o.tobytes() == wanted.o.tobytes()


def test_heads_of_a_batch_can_be_a_view_of_one_projection() -> None:
    """Q, K and V side by side in rows of one matrix, as a single product makes them."""
    both = px.empty((2, 70, 3, 4, 64), BF16)
    both[...] = np.random.default_rng(1).standard_normal(both.shape)
    out = px.empty((2, 70, 4, 64), BF16)
    attention(both[:, :, 0], both[:, :, 1], both[:, :, 2], out, layout="bshd", causal=True)
    case = Case(2, 4, 4, 70, 70, 64, layout="bshd", causal=True)
    case.q[...], case.k[...], case.v[...] = (both[:, :, i] for i in range(3))
    case.launch()()
    case.check()
    assert np.array_equal(case.heads_first(out), case.o)


def test_lse_is_left_out() -> None:
    case = Case(1, 1, 1, 70, 70, 64)
    with_it = Case(1, 1, 1, 70, 70, 64)
    attention(case.q, case.k, case.v, case.o)
    with_it.launch()()
    assert case.o.tobytes() == with_it.o.tobytes()
    assert (case.logs == 77).all()


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("bounds", [Bounds(), Bounds(right=True), Bounds(left=True, right=True)], ids=str)
@pytest.mark.parametrize("depth", [64, 96, 128, 192, 256])
def test_ptxas_accepts_it_without_a_warning(depth: int, bounds: Bounds) -> None:
    tiling = choose(depth, bounded=bounds != Bounds())
    chosen = forward.kernel(tiling.consumers, logarithms=True).specialize(tiling=tiling, depth=depth, bounds=bounds)
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


Q, K = (px.empty((2, heads, 16, 64), BF16) for heads in (4, 2))
V, OUT, LSE = K.copy(), px.empty(Q.shape, BF16), np.zeros((2, 4, 16), np.float32)
ODD = px.empty((2, 4, 16, 68), BF16)[..., :64]
BAD: dict[str, tuple[str, str, tuple[Any, ...], dict[str, Any]]] = {
    "dimensions": ("PTX2308", "K has 3", (Q, K[0], V, OUT), {}),
    "dtype": ("PTX2307", "Q is a float32", (Q.astype(np.float32), K, V, OUT), {}),
    "two dtypes": ("PTX2307", "V is a float16", (Q, K, V.astype(F16), OUT), {}),
    "neighbours": ("PTX2309", "V has strides", (Q, K, V[..., ::2], OUT), {}),
    "odd rows": ("PTX2102", "Q: ", (ODD, K, V, OUT), {}),
    "depth 60": ("PTX2308", "Heads have 60", tuple(x[..., :60] for x in (Q, K, V, OUT)), {}),
    "depth 264": ("PTX2308", "Heads have 264", (px.empty((1, 1, 8, 264), BF16),) * 4, {}),
    "heads": ("PTX2308", "K 2 of 2", (Q[:, :3], K, V, OUT[:, :3]), {}),
    "batches": ("PTX2308", "K 1 of 2", (Q, K[:1], V[:1], OUT), {}),
    "keys and values": ("PTX2308", "K and V differ", (Q, K, V[:, :, :8], OUT), {}),
    "results": ("PTX2308", "Q and O differ", (Q, K, V, OUT[:, :, :8]), {}),
    "no keys": ("PTX2104", "K is empty", (Q, K[:, :, :0], V[:, :, :0], OUT), {}),
    "lse of another type": ("PTX2307", "lse is", (Q, K, V, OUT), {"lse": LSE.astype(np.float64)}),
    "lse of another shape": ("PTX2308", "lse is 2×4×8", (Q, K, V, OUT), {"lse": LSE[..., :8].copy()}),
    "lse with gaps": ("PTX2309", "lse has gaps", (Q, K, V, OUT), {"lse": np.zeros((2, 4, 32), np.float32)[..., ::2]}),
    "layout": ("PTX2112", "'sbhd' is no layout", (Q, K, V, OUT), {"layout": "sbhd"}),
    "window": ("PTX2112", "window=(-1, 0)", (Q, K, V, OUT), {"window": (-1, 0)}),
    "one side": ("PTX2112", "window=128", (Q, K, V, OUT), {"window": 128}),
    "scale": ("PTX2305", "scale=nan", (Q, K, V, OUT), {"scale": math.nan}),
    "tiling": ("PTX2112", "cannot be", (Q, K, V, OUT), {"config": Tiling(keys=72)}),
    "no room": ("PTX2112", "bytes of shared memory", (Q, K, V, OUT), {"config": Tiling(keys=256, stages=4)}),
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


@pytest.mark.parametrize("cap", [0, -1.0, math.inf, math.nan])
def test_a_cap_is_positive(cap: float) -> None:
    with pytest.raises(Diagnostic) as caught:
        softcap(cap)
    assert caught.value.code == "PTX2112"
