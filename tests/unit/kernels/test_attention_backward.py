"""Gradients of attention in the simulator: against NumPy in float64 within what roundings allow, and beside torch's own errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import attention, attention_backward, prepare_backward, softcap
from ptxlab.kernels.attention.backward import Cut, Tiling, choose, launch
from ptxlab.kernels.attention.backward.program import Sums
from ptxlab.kernels.attention.scores import Bounds
from tests.unit.kernels.attention_cases import BF16, F16, HALF_ULP, LEAST, Case, alibi, even_keys

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")  # lints: registers of wgmma that is under way
NAMES = ("dq", "dk", "dv")


@dataclass
class Backward(Case):
    """The same with the gradient of the results, and rooms for gradients in the midst of what nobody may write."""

    slope: float = 1.0
    """How large the gradients of results are."""

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = np.random.default_rng(self.seed + 1000)
        self.do = self.tensor(self.heads, self.rows)
        self.do[...] = self.slope * numbers.standard_normal(self.do.shape)
        self.dlse: np.ndarray | None = None
        sizes = ((self.heads, self.rows), (self.shared, self.length), (self.shared, self.length))
        self.gradients: dict[str, np.ndarray] = dict(zip(NAMES, (self.framed(*size) for size in sizes), strict=True))

    def backward(self, wanted: Sequence[str] = NAMES, **more: Any) -> Any:
        """The launch; o and lse are there."""
        options = {x: y for x, y in self.options.items() if x != "lse"}
        rooms = {x: self.heads_first(self.gradients[x]) for x in wanted}
        o = self.heads_first(self.o)
        given = (self.do, self.q, self.k, self.v, o, self.lse)
        return prepare_backward(*given, **rooms, dlse=self.dlse, **options, **more)

    def run(self, score: Any = None, score_gradient: Any = None, config: Tiling | None = None, **more: Any) -> None:
        """Forwards and backwards. `more`: of the simulator."""
        self.launch(score=score)(**more)
        self.backward(score=score, score_gradient=score_gradient, config=config)(**more)

    def expected(self, score: Any = None, derivative: Any = None) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Gradients, and how far they may be off. `score`: as of `check`; derivative: of the scaled product."""
        q, k, v = self.given()
        d_o = self.heads_first(self.do).astype(np.float64)
        p, _, moved = self.softened(score)
        o, d_p = p @ v, d_o @ v.swapaxes(2, 3)
        less = 0 if self.dlse is None else self.dlse.astype(np.float64)[..., None]
        d_s = p * (d_p - (d_o * o).sum(axis=-1, keepdims=True) + less)
        if derivative is not None:
            d_s = d_s * derivative(q @ k.swapaxes(2, 3) * self.factor)
        unit, least, tiny = HALF_ULP[self.dtype], LEAST[self.dtype], (self.depth + 8) * 2.0**-23
        off_p = p * (3 * moved + 2.0**-20)  # its own score, and those of the logarithm
        off_dp = tiny * (abs(d_o) @ abs(v).swapaxes(2, 3))
        off_delta = (abs(d_o) * (self.allowed(p, moved) + tiny * abs(o))).sum(axis=-1, keepdims=True) + 2.0**-23 * abs(
            less
        )
        off = off_p * abs(d_p - (d_o * o).sum(axis=-1, keepdims=True) + less) + p * (off_dp + off_delta)
        off += (unit + (2.0**-8 if derivative is not None else 0)) * abs(d_s) + least
        many = 2.0**-23 * (self.length + self.rows * self.heads + 64)
        dq, dk, dv = d_s @ k, d_s.swapaxes(2, 3) @ q, p.swapaxes(2, 3) @ d_o
        off_q = off @ abs(k) + many * (abs(d_s) @ abs(k))
        off_k = off.swapaxes(2, 3) @ abs(q) + many * (abs(d_s).swapaxes(2, 3) @ abs(q))
        off_v = (off_p + (unit + many) * p + least).swapaxes(2, 3) @ abs(d_o)
        found = [dq * self.factor, self.shared_sum(dk) * self.factor, self.shared_sum(dv)]
        offs = [off_q * abs(self.factor), self.shared_sum(off_k) * abs(self.factor), self.shared_sum(off_v)]
        return found, [1.05 * x + unit * abs(y) + least for x, y in zip(offs, found, strict=True)]

    def shared_sum(self, x: np.ndarray) -> np.ndarray:
        """The sum over the heads that share keys."""
        batches, heads, rows, depth = x.shape
        return x.reshape(batches, self.shared, heads // self.shared, rows, depth).sum(axis=2)

    def check_gradients(self, score: Any = None, derivative: Any = None, wanted: Sequence[str] = NAMES) -> None:
        found, allowed = self.expected(score, derivative)
        for name, exact, bound in zip(NAMES, found, allowed, strict=True):
            if name in wanted:
                error = abs(self.gradients[name].astype(np.float64) - exact)
                assert (error <= bound).all(), (name, (error / np.maximum(bound, 1e-30)).max())
        hidden = ~self.visible().any(axis=1), ~self.visible().any(axis=0)
        for name, rows in zip(NAMES, (hidden[0], hidden[1], hidden[1]), strict=True):
            if name in wanted:
                assert not self.gradients[name][:, :, rows].any(), name
        self.check_around()

    def bits(self) -> list[bytes]:
        return [x.tobytes() for x in self.gradients.values()]


def drawn(seed: int) -> Backward:
    """Sizes at random."""
    numbers = np.random.default_rng(seed)
    rows, length = (int(n) for n in numbers.integers(1, 180, 2))
    shared, group = int(numbers.integers(1, 3)), int(numbers.integers(1, 4))
    sides = [None if numbers.integers(2) else int(numbers.integers(0, 200)) for _ in range(2)]
    return Backward(
        1 + (shared * group < 3),
        shared * group,
        shared,
        rows,
        length,
        (64, 128, 96, 256, 40, 192)[seed % 6],
        (BF16, F16)[seed % 2],
        ("bhsd", "bshd")[seed // 2 % 2],
        causal=seed % 3 == 0,
        window=(sides[0], sides[1]) if seed % 3 == 1 else (None, None),
        seed=seed,
    )


@pytest.mark.parametrize("seed", range(10))
def test_sizes_at_random(seed: int) -> None:
    case = drawn(seed)
    case.run()
    case.check_gradients()


EDGES = {
    "one query, one key": Backward(1, 1, 1, 1, 1, 64),
    "one query": Backward(1, 1, 1, 1, 150, 64),
    "one key": Backward(1, 2, 1, 150, 1, 64),
    "70 × 100": Backward(1, 2, 1, 70, 100, 64),
    "whole blocks": Backward(1, 1, 1, 192, 256, 128),
    "more queries than keys": Backward(1, 1, 1, 300, 70, 64, causal=True),
    "only the last query sees a key": Backward(1, 1, 1, 200, 1, 64, causal=True),
    "fewer queries than keys": Backward(1, 1, 1, 5, 300, 128, causal=True),
    "its own key alone": Backward(1, 2, 1, 140, 140, 64, window=(0, 0)),
    "a narrow band": Backward(1, 1, 1, 270, 270, 64, window=(3, 2)),
    "a band beyond the keys": Backward(1, 1, 1, 300, 40, 128, window=(10, 200)),
    "keys that no query sees": Backward(1, 1, 1, 20, 300, 64, window=(30, 0)),
    "the causal mask ends a window": Backward(1, 1, 1, 100, 100, 64, causal=True, window=(5, 9)),
    "few elements": Backward(1, 1, 1, 70, 70, 8),
    "five heads share keys": Backward(2, 5, 1, 40, 70, 64, causal=True),
    "scale 0": Backward(1, 1, 1, 70, 150, 64, scale=0.0, causal=True),
    "scale below 0": Backward(1, 1, 1, 70, 150, 64, scale=-0.25, window=(30, 4)),
    "a large scale": Backward(1, 1, 1, 70, 150, 64, scale=3.0),
    "small gradients": Backward(1, 1, 1, 70, 70, 64, slope=2.0**-20),
    "large gradients": Backward(1, 1, 1, 70, 70, 64, slope=2.0**40),
}


@pytest.mark.parametrize("case", EDGES.values(), ids=list(EDGES))
def test_edges(case: Backward) -> None:
    case.run()
    case.check_gradients()


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("reach", [0, 1, 7, 8, 14, 15, 16])
def test_the_ends_of_a_window_fall_everywhere_in_a_block(side: int, reach: int) -> None:
    cut = Cut(consumers=1, block=16)
    for fused in (None, Cut(block=16)):
        case = Backward(1, 1, 1, 70, 83, 8, window=(None, reach) if side else (reach, None))
        case.run(config=Tiling(keys=cut, queries=cut, fused=fused))
        case.check_gradients()


WAYS = {
    "chosen": None,
    "one consumer": Tiling(Cut(consumers=1, block=48), Cut(consumers=1, block=80)),
    "three consumers": Tiling(Cut(consumers=3, block=32), Cut(consumers=3, block=64, stages=1)),
    "one stage": Tiling(Cut(block=64, stages=1), Cut(block=64, stages=1)),
    "one kernel for keys and values": replace(choose(64), fused=None),
    "small blocks": replace(choose(64), fused=Cut(block=16, stages=1)),
    "apart": Tiling(Cut(block=32), Cut(block=64), values=Cut(consumers=1, block=96, stages=3)),
}


IN_ORDERS = [(name, "random") for name in WAYS] + [(n, s) for n in ("chosen", "apart") for s in ("eager", "late")]
"""The sanitizer judges all orders by one launch; that the others run to their end is seen of one kernel for all, and of three."""


@pytest.mark.parametrize(("name", "schedule"), IN_ORDERS)
def test_one_cta_takes_all_tiles(monkeypatch: pytest.MonkeyPatch, name: str, schedule: str) -> None:
    monkeypatch.setattr(launch, "device_of", lambda array: px.Device("few", 1))
    case = Backward(1, 2, 1, 150, 170, 64, causal=True, seed=7)
    case.run(config=WAYS[name], schedule=schedule, seed=5)
    case.check_gradients()


@pytest.mark.parametrize("together", [1, 2, 100])
def test_sections_of_heads_cover_all_tiles(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr(launch, "L2_BYTES", together * 2 * 100 * 64 * 2)
    case = Backward(2, 3, 3, 100, 100, 64, causal=True)
    case.run()
    case.check_gradients()


@pytest.mark.parametrize("fused", [None, Cut(block=32)], ids=["apart", "fused"])
def test_schedules_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, fused: Cut | None) -> None:
    """So do numbers of CTAs, but for dQ where tiles of keys add to it."""
    found = dict[int, set[tuple[bytes, ...]]]()
    for schedule, ctas in (("eager", 132), ("late", 3), ("random", 3), ("eager", 3), ("eager", 1)):
        monkeypatch.setattr(launch, "device_of", lambda array, ctas=ctas: px.Device("few", ctas))
        case = Backward(1, 4, 2, 90, 140, 64, causal=True, seed=3)
        case.run(schedule=schedule, seed=1, config=replace(choose(64), fused=fused))
        found.setdefault(ctas, set()).add(tuple(case.bits()))
    assert all(len(x) == 1 for x in found.values())
    bits = [next(iter(x)) for x in found.values()]
    assert len({x[1:] for x in bits} if fused else set(bits)) == 1


@pytest.mark.parametrize(
    ("depth", "mask", "schedule"),
    [
        (128, {"causal": True}, "late"),
        (64, {}, "eager"),
        (64, {}, "late"),
        (64, {}, "random"),
        (96, {"window": (50, 60)}, "random"),
    ],
    ids=str,
)
def test_the_sanitizer_is_silent(
    monkeypatch: pytest.MonkeyPatch, depth: int, mask: dict[str, Any], schedule: str
) -> None:
    monkeypatch.setattr(launch, "device_of", lambda array: px.Device("few", 2))
    case = Backward(1, 2, 1, 70, 200, depth, **mask)
    case.run(config=replace(choose(depth), fused=Cut(block=32)), schedule=schedule, sanitize=True)
    case.check_gradients()


MASKS: dict[str, dict[str, Any]] = {
    "all": {},
    "causal": {"causal": True},
    "a window": {"window": (60, 70)},
    "keys up to an end": {"window": (None, 30)},
    "keys from one on": {"window": (30, None)},
}


@pytest.mark.ptxlab(sanitize=False)
@pytest.mark.parametrize("ctas", [2, 5, 132])
@pytest.mark.parametrize("mask", MASKS.values(), ids=list(MASKS))
@pytest.mark.parametrize("size", [(2, 1, 200, 500), (3, 3, 100, 700)], ids=str)
def test_turns_come_whatever_the_ctas(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, ...], mask: dict[str, Any], ctas: int
) -> None:
    """Tiles of keys wait for each other before they add to dQ: no turn is given twice, and none is missing."""
    monkeypatch.setattr(launch, "device_of", lambda array: px.Device("few", ctas))
    heads, shared, rows, length = size
    case = Backward(1, heads, shared, rows, length, 8, **mask, seed=ctas)
    case.run(config=replace(choose(8), fused=Cut(block=16, stages=1)))
    case.check_gradients()


@pytest.mark.parametrize("wanted", [("dq",), ("dk",), ("dv",), ("dq", "dv"), ("dk", "dv")], ids="+".join)
def test_what_is_left_out_is_not_touched(wanted: tuple[str, ...]) -> None:
    case, whole = (Backward(1, 2, 1, 70, 100, 64) for _ in range(2))
    case.launch()()
    whole.run(config=replace(choose(64), fused=None))
    case.backward(wanted)()
    case.check_gradients(wanted=wanted)
    for name in NAMES:
        same = np.array_equal(case.gradients[name], whole.gradients[name])
        assert same if name in wanted else (case.gradients[name] == 77).all()


def test_the_gradient_of_lse_counts() -> None:
    case = Backward(2, 2, 1, 70, 100, 64, causal=True)
    case.dlse = np.random.default_rng(1).standard_normal(case.lse.shape).astype(np.float32)
    case.run()
    case.check_gradients()


def of_one(k: Any, x: Any, y: Any, at: Any) -> float:
    """The derivative of what adds to scores, or hides them."""
    return 1.0


def by_head(k: Any, x: Any, at: Any) -> Any:
    """A score that grows with the head and the place."""
    return k.mul.rn.f32(x, by_head_slope(k, x, x, at))


def by_head_slope(k: Any, x: Any, y: Any, at: Any) -> Any:
    return k.cvt.rn.f32.s32(k.cvt.s32.u32(at.head) + (at.query & 1) + (at.key & 1))


SCORES = {
    "alibi": (alibi, of_one, lambda s, query, key, head, batch: s + (key - query) * 0.125 * (head + batch + 1), None),
    "softcap": (softcap(2.0), None, lambda s, *_: 2 * np.tanh(s / 2), lambda s: 1 - np.tanh(s / 2) ** 2),
    "even keys": (
        even_keys,
        of_one,
        lambda s, query, key, *_: np.where((key % 2 == 0) & (query != 3), s, -np.inf),
        None,
    ),
    "by head": (
        by_head,
        by_head_slope,
        lambda s, query, key, head, batch: s * (head + query % 2 + key % 2),
        lambda s: np.indices(s.shape)[1] + np.indices(s.shape)[2] % 2 + np.indices(s.shape)[3] % 2,
    ),
}


@pytest.mark.parametrize(("name", "causal"), [*((name, True) for name in SCORES), ("alibi", False), ("softcap", False)])
def test_functions_of_scores(name: str, causal: bool) -> None:
    function, slope, reference, derivative = SCORES[name]
    case = Backward(2, 2, 1, 70, 130, 64, causal=causal)
    case.run(function, slope)
    case.check_gradients(reference, derivative)


def test_queries_and_keys_that_do_not_matter_may_be_anything() -> None:
    """Whole blocks that no query sees are not loaded."""
    case, wanted = (Backward(1, 1, 1, 40, 300, 64, window=(20, 0)) for _ in range(2))
    case.k[:, :, :128], case.v[:, :, :128] = np.nan, np.nan
    case.run()
    wanted.run()
    assert case.bits() == wanted.bits()


def test_a_query_without_keys_may_have_any_gradient_of_finite_numbers() -> None:
    case, wanted = (Backward(1, 1, 1, 100, 40, 64, causal=True) for _ in range(2))
    case.do[:, :, :60] = 1000.0
    case.run()
    wanted.run()
    assert case.bits() == wanted.bits()


def test_scores_of_many_thousands() -> None:
    """Where one key has all the weight, gradients of scores vanish, and nothing overflows."""
    case = Backward(1, 1, 1, 70, 100, 64)
    case.q[...] *= 64
    case.k[...] *= 64
    case.run()
    found = {name: x[0, 0].astype(np.float32) for name, x in case.gradients.items()}
    assert all(np.isfinite(x).all() for x in found.values())
    best = case.softened()[0][0, 0].max(axis=-1)
    alone = best > 1 - 1e-9
    assert alone.sum() > 50
    assert abs(found["dq"][alone]).max() < 2.0**-6  # keys are as large as 2^8


def torch_gradients(case: Backward, dtype: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """What torch's own attention gives on the CPU."""
    torch = pytest.importorskip("torch", reason="there is no PyTorch: install the extra `torch`")
    given = [
        torch.from_numpy(x.astype(np.float32)).to(getattr(torch, dtype)).requires_grad_()
        for x in (case.q, case.k, case.v)
    ]
    q, *shared = given
    k, v = (x.repeat_interleave(case.heads // case.shared, dim=1) for x in shared)
    causal = {"is_causal": True} if case.causal else {}
    o = torch.nn.functional.scaled_dot_product_attention(q, k, v, **causal)
    o.backward(torch.from_numpy(case.do.astype(np.float32)).to(o.dtype))
    return o.detach().double().numpy(), [x.grad.double().numpy() for x in given]


@pytest.mark.parametrize(("dtype", "word"), [(BF16, "bfloat16"), (F16, "float16")])
@pytest.mark.parametrize("size", [(4, 4, 128, 128, 64, True), (2, 1, 200, 150, 128, False)], ids=str)
def test_errors_are_no_larger_than_those_of_torch(size: tuple[Any, ...], dtype: Any, word: str) -> None:
    heads, shared, rows, length, depth, causal = size
    case = Backward(1, heads, shared, rows, length, depth, dtype, causal=causal, seed=11)
    case.run()
    exact, _ = case.expected()
    _, theirs = torch_gradients(case, word)
    for name, want, other in zip(NAMES, exact, theirs, strict=True):
        ours = case.gradients[name].astype(np.float64)
        error, known = (math.sqrt(((x - want) ** 2).mean()) for x in (ours, other))
        assert error <= 1.1 * known, (name, error, known)
        assert abs(ours - want).max() <= 1.5 * abs(other - want).max(), name


def test_what_is_no_number_stays_where_torch_has_it() -> None:
    """A query that is no number spoils its own gradient, and those of all keys that it sees."""
    case = Backward(1, 1, 1, 70, 70, 64, causal=True)
    case.q[0, 0, 20] = np.nan
    case.run()
    _, theirs = torch_gradients(case, "bfloat16")
    for name, other in zip(NAMES, theirs, strict=True):
        assert np.array_equal(np.isnan(case.gradients[name].astype(np.float32)), np.isnan(other)), name


def test_numbers_of_a_view_of_one_projection() -> None:
    """Q, K and V side by side in rows of one matrix, and their gradients in those of another one."""
    both, grads = px.empty((1, 70, 3, 2, 64), BF16), px.empty((1, 70, 3, 2, 64), BF16)
    both[...] = np.random.default_rng(1).standard_normal(both.shape)
    o, do, lse = px.empty((1, 70, 2, 64), BF16), px.empty((1, 70, 2, 64), BF16), np.empty((1, 2, 70), np.float32)
    do[...] = 1
    options: dict[str, Any] = {"layout": "bshd", "causal": True}
    q, k, v, dq, dk, dv = (x[:, :, i] for x in (both, grads) for i in range(3))
    attention(q, k, v, o, lse=lse, **options)
    attention_backward(do, q, k, v, o, lse, dq=dq, dk=dk, dv=dv, **options)
    case = Backward(1, 2, 2, 70, 70, 64, **options)
    case.q[...], case.k[...], case.v[...], case.do[...] = q, k, v, do
    case.run()
    case.check_gradients()
    for name, x in zip(NAMES, (dq, dk, dv), strict=True):
        assert np.array_equal(x, case.heads_first(case.gradients[name])), name


def kernels(tiling: Tiling) -> list[tuple[Sums, Cut]]:
    """All kernels that can be wanted."""
    fused = [(Sums(of_keys=True, slopes=True, weights=True, moves=True), tiling.fused)] if tiling.fused else []
    both = [(Sums(of_keys=True, slopes=True, weights=True), tiling.keys)] if tiling.values is None else []
    return [
        *fused,
        *both,
        (Sums(of_keys=True, slopes=True, weights=False), tiling.keys),
        (Sums(of_keys=True, slopes=False, weights=True), tiling.values or tiling.keys),
        (Sums(of_keys=False, slopes=True, weights=False), tiling.queries),
    ]


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(
    ("depth", "bounds", "score"),
    [
        *(
            (depth, bounds, None)
            for depth in (64, 128)
            for bounds in (Bounds(), Bounds(right=True), Bounds(True, True))
        ),
        *((96, Bounds(), None), (192, Bounds(True, True), None), (256, Bounds(right=True), None)),
        *((depth, Bounds(right=True), softcap(30.0)) for depth in (64, 96, 128, 192, 256)),
    ],
    ids=str,
)
def test_ptxas_accepts_it_without_a_warning(depth: int, bounds: Bounds, score: softcap | None) -> None:
    for sums, cut in kernels(choose(depth, scored=score is not None)):
        for paired in {False, sums.moves and bounds.left != bounds.right}:
            chosen = launch.kernel(cut.consumers, sums).specialize(
                cut=cut, depth=depth, bounds=bounds, score=score, gradient=score and score.gradient, paired=paired
            )
            assert chosen.warnings == ()
            found = chosen.resources
            assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0), (sums, cut)


def given(depth: int = 64) -> dict[str, Any]:
    """Arguments that fit together."""
    q, k = (px.empty((2, heads, 16, depth), BF16) for heads in (4, 2))
    lse = np.zeros((2, 4, 16), np.float32)
    names = {"do": q, "q": q, "k": k, "v": k, "o": q, "dq": q, "dk": k, "dv": k}
    return {"lse": lse, **{name: x.copy() for name, x in names.items()}}


BAD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "no gradient": ("PTX2112", "No gradient is wanted", {"dq": None, "dk": None, "dv": None}),
    "no logarithms": ("PTX2112", "lse is missing", {"lse": None}),
    "the gradient of results": ("PTX2308", "O and dO differ", {"do": given()["do"][:, :, :8]}),
    "a gradient of another shape": ("PTX2308", "K and dK differ", {"dk": given()["dq"]}),
    "of another type": ("PTX2307", "dV is a float32", {"dv": given()["dv"].astype(np.float32)}),
    "neighbours": ("PTX2309", "dQ has strides", {"dq": px.empty((2, 4, 16, 128), BF16)[..., ::2]}),
    "odd rows": ("PTX2102", "dK: ", {"dk": px.empty((2, 2, 16, 68), BF16)[..., :64]}),
    "odd rows of results": ("PTX2102", "O: ", {"o": px.empty((2, 4, 16, 68), BF16)[..., :64]}),
    "odd rows of their gradients": ("PTX2102", "dO: ", {"do": px.empty((2, 4, 16, 68), BF16)[..., :64]}),
    "dimensions": ("PTX2308", "dO has 3", {"do": given()["do"][0]}),
    "a gradient of lse": ("PTX2308", "dlse is", {"dlse": np.zeros((2, 4, 8), np.float32)}),
    "layout": ("PTX2112", "'sbhd' is no layout", {"layout": "sbhd"}),
    "window": ("PTX2112", "window=128", {"window": 128}),
    "score": ("PTX2112", "The derivative of the function of scores alibi", {"score": alibi}),
    "a derivative of nothing": ("PTX2112", "score_gradient= has no score=", {"score_gradient": of_one}),
    "tiling": ("PTX2112", "cannot be", {"config": Tiling(Cut(block=72))}),
    "no room": ("PTX2112", "bytes of shared memory", {"config": Tiling(Cut(block=256, stages=4))}),
    "depth": ("PTX2308", "Heads have 264", given(264)),
    "consumers of one kernel for all": (
        "PTX2112",
        "One kernel for all gradients",
        {"config": Tiling(fused=Cut(consumers=1))},
    ),
    "no room for dS": ("PTX2112", "bytes of shared memory", {**given(128), "config": Tiling(fused=Cut(stages=3))}),
    "wide heads in one kernel": (
        "PTX2112",
        "for heads of 256 elements",
        {**given(256), "config": replace(choose(256), fused=Cut(block=16))},
    ),
    "registers": ("PTX2112", "leave no registers", {**given(256), "config": Tiling()}),
}


@pytest.mark.parametrize(("code", "words", "options"), BAD.values(), ids=list(BAD))
def test_bad_arguments(code: str, words: str, options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as caught:
        attention_backward(**{**given(), **options})
    wrong = caught.value
    assert wrong.code == code
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
