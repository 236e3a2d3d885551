"""Attention in the simulator: against NumPy in float64, within what the roundings on the way allow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import Tiling, attention, choose, forward, softcap
from ptxlab.kernels.attention.scores import Bounds
from tests.unit.kernels.attention_cases import BF16, F16, Case, alibi, even_keys

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")  # lints: registers of wgmma that is under way


def drawn(seed: int) -> Case:
    """Sizes at random."""
    numbers = np.random.default_rng(seed)
    rows, length = (int(n) for n in numbers.integers(1, 330, 2))
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


DEPTHS = [
    (192, 128),
    (128, 192),
    (64, 256),
    (256, 64),
    (96, 96),
    (96, 128),
    (160, 96),
    (8, 72),
    (40, 8),
    (32, 24),
    (224, 136),
]


SCHEDULES = ["eager", "late", "random"]
"""The sanitizer judges all orders by one launch: of cases that differ little, a few run in all."""


@pytest.mark.parametrize(
    ("depth", "value_depth", "schedule"),
    [*((*d, "random") for d in DEPTHS), *((*d, s) for d in DEPTHS[1:3] for s in SCHEDULES[:2])],
)
def test_values_may_have_another_depth(depth: int, value_depth: int, schedule: str) -> None:
    case = Case(1, 2, 1, 150, 330, depth, causal=depth > 64, value_depth=value_depth, seed=depth)
    assert not case.launch()(schedule=schedule, seed=1).findings  # type: ignore[call-arg, attr-defined]
    case.check()


@pytest.mark.parametrize(
    "tiling", [Tiling(consumers=1, keys=48), Tiling(keys=64, staging=False, overlap=False)], ids=str
)
@pytest.mark.parametrize(("depth", "value_depth"), [(128, 64), (64, 128), (96, 64), (96, 32)], ids=str)
def test_results_leave_through_memory_of_the_queries_where_they_fit(
    monkeypatch: pytest.MonkeyPatch, depth: int, value_depth: int, tiling: Tiling
) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", 1))
    assert tiling.staged(depth, value_depth) == (tiling.staging or (depth, value_depth) in ((64, 128), (96, 64)))
    case = Case(1, 3, 1, 150, 130, depth, value_depth=value_depth)
    case.launch(config=tiling)()
    case.check()


def test_heads_waste_no_shared_memory() -> None:
    """96 elements are three spans of 64 bytes. They took as much as 128, for which there is no room with three stages."""
    t = Tiling(consumers=2, keys=128, stages=3)
    assert t.shared(96) == (2 * 128 + 2 * 3 * 128) * 96 * 2
    t.check(96)
    with pytest.raises(Diagnostic):
        t.check(128)


SINKS = {
    "small and large": [-3.0, 0.5, 4.0, 30.0],
    "far from all scores": [-1000.0, 1000.0, -80.0, 120.0],
    "none": [-math.inf, 0.0, -math.inf, 2.0],
}


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), BF16, F16], ids=str)
@pytest.mark.parametrize("sinks", SINKS.values(), ids=list(SINKS))
@pytest.mark.parametrize("scale", [None, -0.25])
def test_sinks_take_part_in_the_sum(sinks: list[float], dtype: np.dtype[Any], scale: float | None) -> None:
    """The first queries see no keys: their sum is the sink alone, and its logarithm the sink."""
    given = np.array(sinks).astype(dtype)
    case = Case(2, 4, 2, 150, 70, 64, F16 if dtype == F16 else BF16, causal=True, scale=scale, sinks=given)
    case.launch()()
    case.check()
    finite = np.isfinite(given.astype(float))
    assert np.allclose(case.lse[:, finite, :80], given[finite, None].astype(np.float32), rtol=1e-6)


def test_a_sink_of_minus_infinity_is_none() -> None:
    case, plain = (Case(1, 2, 2, 70, 100, 64, sinks=s) for s in (np.full(2, -np.inf, np.float32), None))
    for one in (case, plain):
        one.launch()()
    assert case.o.tobytes() == plain.o.tobytes()
    assert case.lse.tobytes() == plain.lse.tobytes()


def torch_of(case: Case) -> np.ndarray:
    """PyTorch's attention on the same numbers in 16 bits. Depths are made equal: else it multiplies in f32."""
    torch = pytest.importorskip("torch", reason="there is no PyTorch: install the extra `torch`")
    kind = torch.bfloat16 if case.dtype == BF16 else torch.float16
    q, k, v = (torch.tensor(x).to(kind) for x in case.given())
    seen = None if case.visible().all() else torch.tensor(case.visible())
    v = torch.nn.functional.pad(v, (0, case.depth - case.value_depth))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=case.scale)
    return out.to(torch.float64).numpy()[..., : case.value_depth]


TO_TORCH = {
    "random": Case(1, 2, 1, 150, 300, 64),
    "f16, causal": Case(1, 2, 1, 200, 200, 128, F16, causal=True),
    "another depth": Case(1, 2, 1, 130, 260, 192, value_depth=128),
    "padded spans": Case(1, 2, 2, 130, 260, 96, causal=True),
    "steep": Case(1, 2, 1, 150, 300, 64, scale=2.0),
}


@pytest.mark.parametrize("case", TO_TORCH.values(), ids=list(TO_TORCH))
def test_errors_are_no_larger_than_those_of_torch(case: Case) -> None:
    case.launch()()
    q, k, v = case.given()
    scale = 1 / math.sqrt(case.depth) if case.scale is None else case.scale
    s = np.where(case.visible(), q @ k.transpose(0, 1, 3, 2) * scale, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    exact = e @ v / e.sum(axis=-1, keepdims=True)
    ours, theirs = (abs(x.astype(np.float64) - exact) for x in (case.o, torch_of(case)))
    assert ours.mean() <= 1.1 * theirs.mean()
    assert ours.max() <= 1.5 * theirs.max()  # of some ten thousand roundings


def test_what_is_not_finite_is_what_torch_makes_of_it() -> None:
    """A score of infinity or NaN spoils its query, a value its column; a key behind the mask of all queries nothing."""
    torch = pytest.importorskip("torch", reason="there is no PyTorch: install the extra `torch`")
    case = Case(1, 2, 2, 70, 200, 64, causal=True, window=(100, None))
    case.q[0, 0, 5, 3], case.k[0, 1, 140, 7], case.v[0, 0, 60, 2] = np.nan, np.inf, -np.inf
    case.q[0, 1, 50], case.k[0, 1, 160, 0] = 1, 1e6
    case.k[0, 0, :20] = np.nan
    case.launch()()
    with np.errstate(invalid="ignore", over="ignore"):
        q, k, v = (torch.tensor(x.astype(np.float32)) for x in case.given())
    scores = (q @ k.transpose(2, 3) / 8).masked_fill(~torch.tensor(case.visible()), -math.inf)
    theirs = (torch.softmax(scores, -1) @ v).numpy()
    assert np.array_equal(np.isnan(case.o.astype(np.float64)), np.isnan(theirs))
    assert np.array_equal(np.isinf(case.o.astype(np.float64)), np.isinf(theirs))
    assert 0 < np.isnan(theirs).mean() < 0.9


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


@pytest.mark.parametrize(
    ("tiling", "schedule"),
    [*((t, "random") for t in (None, *WAYS)), *((t, s) for t in (None, WAYS[3]) for s in SCHEDULES[:2])],
    ids=str,
)
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


def biased(k: Any, x: Any, at: Any, bias: Any, slopes: Any, documents: Any) -> Any:
    """A bias of each score, a slope of each head, and a mask: queries see keys of their own document."""
    x = k.add.rn.f32(x, bias[0, at.head, at.query, at.key])
    x = k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), slopes[at.head], x)
    return k.selp.f32(x, -math.inf, documents[at.batch, at.query] == documents[at.batch, at.key])


@pytest.mark.parametrize(
    ("dtype", "schedule"), [*((np.dtype(np.float32), s) for s in SCHEDULES), (BF16, "late"), (F16, "random")], ids=str
)
def test_functions_of_scores_read_arrays(dtype: np.dtype[Any], schedule: str) -> None:
    """Of any strides; behind the last query and key the last element is read, so that nothing lies outside."""
    numbers = np.random.default_rng(4)
    case = Case(2, 2, 1, 90, 90, 64, seed=4)
    bias = numbers.standard_normal((1, 2, 90, 90)).astype(dtype).transpose(0, 1, 3, 2)
    slopes, documents = np.array([9, 0.25, 9, -0.5], np.float32)[1::2], numbers.integers(0, 3, (2, 90)).astype(np.int32)
    launch = case.launch(score=biased, score_args=(bias, slopes, documents))
    assert not launch(schedule=schedule, seed=2).findings  # type: ignore[call-arg, attr-defined]

    def reference(s: Any, query: Any, key: Any, head: Any, batch: Any) -> Any:
        moved = s + bias.astype(np.float64) + (key - query) * slopes[head]
        return np.where(documents[batch, query] == documents[batch, key], moved, -np.inf)

    case.check(reference)


def test_an_index_outside_of_an_array_is_its_last_one() -> None:
    def last(k: Any, x: Any, at: Any, table: Any) -> Any:
        return k.mul.rn.f32(table[at.key - at.query, 7], k.selp.f32(1.0, 0.0, at.key == 0))

    case = Case(1, 1, 1, 70, 1, 64)
    table = np.array([[3, 4], [5, 6]], np.float32)  # query 0 finds the first row, others lie in front of it
    case.launch(score=last, score_args=(table,))()
    assert np.allclose(case.lse[0, 0], [4, *[6] * 69], rtol=1e-6)


@pytest.mark.parametrize("count", [1, 3])
def test_an_array_of_scores_has_an_index_for_each_axis(count: int) -> None:
    def wrong(k: Any, x: Any, at: Any, table: Any) -> Any:
        return table[(at.head,) * count if count > 1 else at.head]

    with pytest.raises(Diagnostic) as caught:
        Case(1, 1, 1, 8, 8, 64).launch(score=wrong, score_args=(np.zeros((2, 2), np.float32),))
    assert caught.value.code == "PTX2308"


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


DEPTHS = [
    (64, 64),
    (96, 96),
    (128, 128),
    (192, 192),
    (256, 256),
    (192, 128),
    (128, 64),
    (256, 96),
    (64, 192),
    (192, 256),
]
FORMS = [
    (*depths, bounds, more)
    for depths in DEPTHS
    for bounds, more in (
        (Bounds(), {}),
        *([(Bounds(right=True), {})] if depths[0] == depths[1] else []),
        (Bounds(left=True, right=True), {}),
        (Bounds(right=True), {"sinks": px.bf16, "packed": True}),
    )
]


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(("depth", "value_depth", "bounds", "more"), FORMS, ids=str)
def test_ptxas_accepts_it_without_a_warning(depth: int, value_depth: int, bounds: Bounds, more: dict[str, Any]) -> None:
    tiling = choose(depth, value_depth=value_depth, bounded=bounds != Bounds())
    chosen = forward.kernel(tiling.consumers, logarithms=True, **more).specialize(
        tiling=tiling, depth=depth, value_depth=value_depth, bounds=bounds
    )
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


@pytest.mark.parametrize("bounded", [False, True])
def test_there_is_a_tiling_for_all_depths(bounded: bool) -> None:
    for depth in range(8, 257, 8):
        for value_depth in range(8, 257, 8):
            choose(depth, value_depth=value_depth, bounded=bounded).check(depth, value_depth)


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
    "values of 60": ("PTX2308", "Heads of V have 60", (Q, K, V[..., :60], OUT), {}),
    "results of another depth": ("PTX2308", "Q and O differ", (Q, K, V[..., :32], OUT), {}),
    "integers as sinks": ("PTX2307", "sinks is", (Q, K, V, OUT), {"sinks": np.zeros(4, np.int32)}),
    "a sink for each key's head": ("PTX2308", "sinks is 2", (Q, K, V, OUT), {"sinks": np.zeros(2, np.float32)}),
    "sinks with gaps": ("PTX2309", "sinks has gaps", (Q, K, V, OUT), {"sinks": np.zeros(8, np.float32)[::2]}),
    "arrays without a score": ("PTX2112", "no score", (Q, K, V, OUT), {"score_args": (LSE,)}),
    "one array": ("PTX2112", "score_args is a ndarray", (Q, K, V, OUT), {"score": alibi, "score_args": LSE}),
    "an array of doubles": ("PTX2307", "score_args[0]", (Q, K, V, OUT), {"score": alibi, "score_args": (np.zeros(4),)}),
    "six axes": (
        "PTX2308",
        "score_args[1] has 6",
        (Q, K, V, OUT),
        {"score": alibi, "score_args": (LSE, np.zeros((1,) * 6, np.float32))},
    ),
    "an empty array": ("PTX2104", "score_args[0] is empty", (Q, K, V, OUT), {"score": alibi, "score_args": [LSE[:0]]}),
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
