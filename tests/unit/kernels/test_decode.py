"""Attention for decoding in the simulator: against NumPy in float64, with everything poisoned that no query sees."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import ScorePlace, attention, softcap
from ptxlab.kernels.attention.scores import Bounds
from ptxlab.kernels.decode import Tiling, choose, decode, launch, prepare
from ptxlab.kernels.decode.program import Form
from tests.unit.kernels.attention_cases import BF16, F16, check

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
RED = 77
PAIR = np.array([0.5, 4], np.float32)


@dataclass
class Case:
    """Random inputs, in a pool of pages where `page` is one, and NaN wherever there is no visible key.

    Attributes:
        lengths: of the sequences. room: keys that each may have. shared: heads of keys. cache: their type; None: that of queries.
        heads_first: whether the cache has its heads in front of its rows.
    """

    lengths: tuple[int, ...]
    room: int
    heads: int = 4
    shared: int = 2
    rows: int = 1
    depth: int = 64
    page: int = 0
    dtype: np.dtype[Any] = BF16
    cache: np.dtype[Any] | None = None
    causal: bool = True
    window: tuple[int | None, int | None] = (None, None)
    scale: float | None = None
    factors: tuple[Any, Any] = (1.0, 1.0)
    heads_first: bool = False
    magnitude: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        numbers = np.random.default_rng(self.seed)
        batches = len(self.lengths)
        wide = px.empty((batches, self.rows, self.heads + 2, self.depth), self.dtype)
        self.q = wide[:, :, 1:-1]  # as heads lie in the rows of one projection
        self.q[...] = numbers.standard_normal(self.q.shape) * self.magnitude
        keys, values = (self._drawn(numbers) for _ in range(2))
        self.keys, self.values = keys, values
        if self.page:
            self._page(numbers)
        else:
            self.k, self.v, self.table = keys, values, None
        self.around = px.empty((batches, self.rows + 2, self.heads + 2, self.made + 8), self.dtype)
        self.around[...] = RED
        self.o = self.around[:, 1:-1, 1:-1, : self.made]
        self.logs = np.full(batches * self.heads * self.rows + 8, RED, np.float32)
        self.lse = self.logs[4:-4].reshape(batches, self.heads, self.rows)
        self.given = np.array(self.lengths, np.int32)

    def _cache(self, *extents: int) -> np.ndarray:
        """An array of pages × rows × heads × depth."""
        pages, rows = extents
        middle = (self.shared, rows) if self.heads_first else (rows, self.shared)
        made = px.empty((pages, *middle, self.depth), self.cache or self.dtype)
        made[...] = np.nan
        return made.transpose(0, 2, 1, 3) if self.heads_first else made

    def _drawn(self, numbers: np.random.Generator) -> np.ndarray:
        made = self._cache(len(self.lengths), self.room)
        for batch, length in enumerate(self.counted):
            first = self.first(length)
            made[batch, first:length] = numbers.standard_normal(made[batch, first:length].shape)
        return made

    def _page(self, numbers: np.random.Generator) -> None:
        """Keys go to pages in any order, with twice as many pages as it takes. The table's other entries point anywhere."""
        each = self.room // self.page
        assert each * self.page == self.room
        count = 2 * each * len(self.lengths) + 1
        self.k, self.v = self._cache(count, self.page), self._cache(count, self.page)
        order = iter(numbers.permutation(count))
        table = numbers.choice([-1, count, 2**31 - 1, -(2**31)], (len(self.lengths), each + 3))
        self.table = table.astype(np.int32)[:, :each]
        for batch, length in enumerate(self.counted):
            for i in range(self.first(length) // self.page, -(-length // self.page)):
                page = next(order)
                self.table[batch, i] = page
                where = slice(i * self.page, (i + 1) * self.page)
                self.k[page], self.v[page] = self.keys[batch, where], self.values[batch, where]

    @property
    def counted(self) -> list[int]:
        """Lengths as the kernel takes them."""
        return [min(max(length, 0), self.room) for length in self.lengths]

    def first(self, length: int) -> int:
        """The first key that a query sees."""
        left = self.window[0]
        return 0 if left is None else min(max(length - self.rows - left, 0), length)

    @property
    def made(self) -> int:
        """Elements of a head of results."""
        return self.depth

    def launch(self, **more: Any) -> px.Launch:
        options: dict[str, Any] = {"causal": self.causal, "window": self.window, "scale": self.scale} | more
        if self.cache is not None:
            options |= {"k_scale": self.factors[0], "v_scale": self.factors[1]}
        return prepare(self.q, self.k, self.v, self.o, self.given, table=self.table, lse=self.lse, **options)

    def run(self, schedule: str = "random", **more: Any) -> bytes:
        """O and lse, after the sanitizer has been silent and what lies around them is as it was."""
        report = self.launch(**more)(schedule=schedule, seed=3, sanitize=True)  # type: ignore[call-arg]
        assert not report.findings
        marked = self.around.copy()
        marked[:, 1:-1, 1:-1, : self.made] = RED
        assert (marked == RED).all()
        assert (self.logs[:4] == RED).all()
        assert (self.logs[-4:] == RED).all()
        return self.o.tobytes() + self.lse.tobytes()

    def check(self, score: Any = None) -> None:
        """Compare with the reference, sequence by sequence."""
        scale = 1 / math.sqrt(self.depth) if self.scale is None else self.scale
        of_keys, of_values = (
            np.broadcast_to(np.asarray(x, np.float64), self.shared)[:, None, None] for x in self.factors
        )
        for batch, length in enumerate(self.counted):
            q = self.q[batch].astype(np.float64).transpose(1, 0, 2)
            first = self.first(length)
            k, v = (x[batch, :length].astype(np.float64).transpose(1, 0, 2) for x in (self.keys, self.values))
            k, v = (np.where(np.arange(length)[:, None] < first, 0, x) for x in (k, v))
            k, v = (np.repeat(x, self.heads // self.shared, axis=0) for x in (k * of_keys, v * of_values))
            found = self.o[batch : batch + 1].transpose(0, 2, 1, 3), self.lse[batch : batch + 1]
            check(
                found,
                (q[None], k[None], v[None]),
                self.visible(length),
                scale,
                score=score,
                weights=F16 if self.cache else None,
            )

    def visible(self, length: int) -> np.ndarray:
        own, key = np.arange(self.rows)[:, None] + length - self.rows, np.arange(length)[None, :]
        left, right = self.window
        right = 0 if self.causal else right
        after = key >= own - (10**6 if left is None else left)
        return after & (key <= own + (10**6 if right is None else right))


CASES = {
    "one key": Case((1,), 16),
    "a block and a key": Case((65, 64, 63), 192, depth=128),
    "ragged": Case((300, 0, 1, 77, 128, 299), 300, depth=128),
    "ragged, in pages": Case((300, 0, 1, 77, 128, 299), 304, depth=128, page=16),
    "all empty": Case((0, 0, 0), 64, page=32),
    "more sequences than lanes": Case(tuple(range(0, 165, 4)), 176, heads=2, shared=1, page=16),
    "more sequences than lanes take at a time": Case((0, 17, 3, 32, 1) * 60, 32, heads=1, shared=1, depth=16, page=16),
    "many sequences, few keys": Case((3,) * 70, 16, heads=1, shared=1),
    "heads that share nothing": Case((130, 20), 160, heads=3, shared=3, page=32, depth=128),
    "16 heads share keys": Case((130, 20), 160, heads=16, shared=1, depth=128),
    "20 heads share keys": Case((130, 20), 160, heads=20, shared=1, depth=128, page=16),
    "80 heads share keys": Case((150, 7), 160, heads=80, shared=1, page=32),
    "72 heads share keys, 2 new rows": Case((150, 7), 160, heads=72, shared=1, rows=2, depth=128, page=32),
    "f16": Case((130, 20), 160, dtype=F16, page=32, depth=128),
    "3 new rows": Case((130, 20, 2, 1, 0), 160, rows=3, heads=8, depth=128),
    "8 new rows": Case((130, 20, 5), 160, rows=8, heads=8, page=16),
    "8 new rows see each other": Case((130, 20, 5), 160, rows=8, heads=8, causal=False),
    "a window": Case((300, 40, 9), 320, window=(50, None), page=16, depth=128),
    "a window, 4 new rows": Case((300, 40, 2), 320, window=(33, 1), causal=False, rows=4, page=32),
    "its own key alone": Case((300, 40, 2), 320, window=(0, 0), rows=2),
    "pages longer than a block": Case((300, 1, 511), 512, page=256, depth=128),
    "pages of 48": Case((300, 47, 48, 49), 336, page=48, depth=128),
    "heads in front of rows": Case((130, 20), 160, heads_first=True, depth=128),
    "heads in front of rows, in pages": Case((130, 20), 160, heads_first=True, page=16),
    "lengths out of range": Case((-5, 161, 2**31 - 1, -(2**31)), 160, page=32),
    "lengths out of range, no pages": Case((-5, 161, 2**31 - 1, -(2**31)), 160),
    "few elements": Case((130, 20), 160, depth=16),
    "80 elements": Case((130, 20), 160, depth=80, page=16),
    "192 elements": Case((130, 20), 160, depth=192, page=32),
    "256 elements": Case((130, 20), 160, depth=256, heads=6, rows=3, page=16),
    "scale 0": Case((70, 150), 160, scale=0.0),
    "scale below 0": Case((70, 150), 160, scale=-0.25, page=32),
    "a large scale": Case((70, 150), 160, scale=3.0),
    "fp8": Case((130, 20, 0, 1), 160, depth=128, cache=E4M3),
    "fp8, in pages": Case((130, 20, 0, 1), 160, depth=128, cache=E4M3, page=16, factors=(0.5, 3.0)),
    "fp8, scales of heads": Case((130, 20), 160, cache=E4M3, page=32, factors=(PAIR, 1 / PAIR)),
    "fp8, f16": Case((130, 20), 160, cache=E4M3, dtype=F16, rows=4, heads=8, depth=128),
    "fp8, 80 elements": Case((130, 20), 160, cache=E4M3, depth=80),
    "fp8, 256 elements": Case((130, 20), 192, cache=E4M3, depth=256, page=64, window=(20, None)),
    "fp8, large queries": Case((130, 20), 160, cache=E4M3, magnitude=2.0**60, scale=2.0**-63, rows=2),
    "fp8, small queries": Case((130, 20), 160, cache=E4M3, magnitude=2.0**-60, scale=2.0**57),
}  # fmt: skip


SCHEDULES = ("random", "eager", "late")
IN_ALL_ORDERS = (
    "ragged",
    "ragged, in pages",
    "more sequences than lanes",
    "72 heads share keys, 2 new rows",
    "8 new rows see each other",
    "a window, 4 new rows",
    "256 elements",
    "fp8, in pages",
)
"""The sanitizer judges all orders by one launch: that the others give the same bits is seen of a few."""


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    case = CASES[name]
    bits = {case.run(schedule) for schedule in SCHEDULES[: 3 if name in IN_ALL_ORDERS else 1]}
    assert len(bits) == 1
    case.check()


def drawn(seed: int) -> Case:
    """Sizes at random."""
    numbers = np.random.default_rng(seed)
    page = (0, 16, 32, 64, 128, 48)[seed % 6]
    room = page * int(numbers.integers(1, 400 // page + 2)) if page else int(numbers.integers(1, 400))
    shared, group = int(numbers.integers(1, 3)), int(numbers.integers(1, 10))
    return Case(
        tuple(int(n) for n in numbers.integers(0, room + 1, int(numbers.integers(1, 6)))),
        room,
        shared * group,
        shared,
        rows=int(numbers.integers(1, 9)),
        depth=(64, 128, 96, 128, 256, 64, 128)[seed % 7],
        page=page,
        dtype=(BF16, F16)[seed // 2 % 2],
        cache=E4M3 if seed % 5 == 0 else None,
        causal=seed % 3 != 0,
        window=(int(numbers.integers(0, 200)), None) if seed % 4 == 1 else (None, None),
        seed=seed,
    )


@pytest.mark.parametrize("seed", range(24))
def test_sizes_at_random(seed: int) -> None:
    case = drawn(seed)
    case.run(("eager", "late", "random")[seed % 3])
    case.check()


WAYS = [
    Tiling(warps=1, each=2, stages=2),
    Tiling(warps=2, stages=3, least=1),
    Tiling(parts=4, warps=2, stages=4),
    Tiling(parts=2, warps=4, stages=2, least=5),
    Tiling(warps=8, each=2, stages=2, ctas=1),
    Tiling(warps=2, each=2, stages=2, ctas=2, least=1),
]


CUT = [(tiling, ctas) for i, tiling in enumerate(WAYS) for ctas in ((1, 5), (2, 5, 13))[i % 2]]


@pytest.mark.parametrize(("tiling", "ctas"), CUT, ids=str)
def test_heads_are_cut_anywhere(monkeypatch: pytest.MonkeyPatch, tiling: Tiling, ctas: int) -> None:
    monkeypatch.setattr(launch, "device_of", lambda array: px.Device("few", ctas))
    case = Case((330, 1, 0, 200, 64), 336, heads=6, shared=2, rows=3, page=48, seed=ctas)
    bits = {case.run(schedule, config=tiling) for schedule in SCHEDULES[: 3 if ctas == 5 else 1]}
    assert len(bits) == 1
    case.check()


@pytest.mark.parametrize("cache", [None, E4M3], ids=str)
def test_a_head_is_cut_into_more_pieces_than_a_cta_has_warps(cache: Any) -> None:
    case = Case((1500,), 1504, heads=4, shared=1, page=16, cache=cache)
    bits = {case.run(schedule, config=Tiling(warps=2, stages=2, least=1)) for schedule in ("eager", "late", "random")}
    assert len(bits) == 1
    case.check()


def test_a_launch_is_repeated_while_lengths_change() -> None:
    case = Case((300, 300, 300), 304, page=16, seed=5)
    one = case.launch(config=Tiling(least=1))
    for lengths in ((300, 300, 300), (0, 17, 300), (299, 1, 64), (300, 300, 300)):
        case.given[:] = case.lengths = lengths
        assert not one(schedule="random", seed=1, sanitize=True).findings  # type: ignore[call-arg]
        case.check()


@pytest.mark.parametrize("cache", [None, E4M3], ids=str)
def test_pages_change_no_bit(cache: Any) -> None:
    lengths, room = (300, 0, 1, 77, 130), 320
    found = [Case(lengths, room, depth=128, page=page, cache=cache).run() for page in (0, 16, 64, 320)]
    case = Case(lengths, room, depth=128, page=16, cache=cache, heads_first=True)
    assert {*found, case.run()} == {found[0]}
    case.check()


def test_one_row_of_whole_blocks_is_what_attention_computes() -> None:
    case = Case((256, 256), 256, heads=4, shared=2, depth=128)
    case.run()
    q, k, v = (x.transpose(0, 2, 1, 3) for x in (case.q, case.k, case.v))
    o, lse = px.empty(q.shape, BF16), np.zeros(q.shape[:3], np.float32)
    attention(q, k, v, o, lse=lse)
    assert abs(o.transpose(0, 2, 1, 3).astype(float) - case.o.astype(float)).max() <= 2.0**-8
    assert abs(lse - case.lse).max() <= 2.0**-20


def test_keys_on_pages_outside_of_the_pool_are_invisible() -> None:
    case = Case((150, 30), 160, page=16, seed=2)
    assert case.table is not None
    case.table[0, 2], case.table[0, 5], case.table[1, 0] = -1, case.k.shape[0], 2**31 - 1
    case.run()
    for batch, gone in ((0, (2, 5)), (1, (0,))):
        there = np.array([i // 16 not in gone for i in range(case.lengths[batch])])
        q = case.q[batch].astype(float).transpose(1, 0, 2)[None]
        k, v = (
            x[batch, : case.lengths[batch]].astype(float).transpose(1, 0, 2).repeat(2, 0)[None]
            for x in (case.keys, case.values)
        )
        found = case.o[batch : batch + 1].transpose(0, 2, 1, 3), case.lse[batch : batch + 1]
        check(found, (q, k, v), there[None], 1 / 8)
    case.table[:] = -7
    case.run()
    assert not case.o.any()
    assert np.isneginf(case.lse).all()


def test_a_table_says_where_sequences_are_in_a_cache_without_pages() -> None:
    case, wanted = Case((80, 33, 5), 96, seed=4), Case((80, 33, 5), 96, seed=4)
    wanted.run()
    case.k, case.v = (x[[2, 0, 1]].copy() for x in (case.k, case.v))
    case.table = np.array([[1], [2], [0]], np.int32)
    assert case.run() == wanted.run()


def alibi(k: Any, x: Any, at: ScorePlace) -> Any:
    """The farther a key, the less it counts; each head has a slope of its own."""
    slope = k.mul.rn.f32(k.cvt.rn.f32.u32(at.head + 1), 0.125)
    return k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), slope, x)


def even_keys(k: Any, x: Any, at: ScorePlace) -> Any:
    """A mask of one's own: odd keys, and all of query 1, are invisible."""
    return k.selp.f32(x, -math.inf, ((at.key & 1) == 0) & (at.query != 1))


SCORES = {
    "alibi": (alibi, lambda s, query, key, head, *_: s + (key - query) * 0.125 * (head + 1)),
    "softcap": (softcap(2.0), lambda s, *_: 2 * np.tanh(s / 2)),
    "even keys": (even_keys, lambda s, query, key, *_: np.where((key % 2 == 0) & (query != 1), s, -np.inf)),
}


@pytest.mark.parametrize("cache", [None, E4M3], ids=str)
@pytest.mark.parametrize(("function", "reference"), SCORES.values(), ids=list(SCORES))
def test_functions_of_scores(function: Any, reference: Any, cache: Any) -> None:
    case = Case((130, 20), 160, heads=6, rows=3, page=32, depth=128, cache=cache)
    case.run(score=function, config=Tiling(each=2, warps=2, stages=2))
    case.check(reference)


def test_a_head_that_overflows_leaves_the_others_alone() -> None:
    case, wanted = (Case((130,), 160, heads=8, shared=1, cache=E4M3) for _ in range(2))
    case.q[0, 0, 3] = 3e38
    case.q[0, 0, 5] = np.nan
    case.run()
    wanted.run()
    others = [0, 1, 2, 4, 6, 7]
    assert case.o[:, :, others].tobytes() == wanted.o[:, :, others].tobytes()
    assert np.isnan(case.o[0, 0, 5].astype(float)).all()


def test_lse_and_scales_are_left_out() -> None:
    case, wanted = Case((130, 20), 160, page=32), Case((130, 20), 160, page=32)
    decode(case.q, case.k, case.v, case.o, case.given, table=case.table)
    wanted.run()
    assert case.o.tobytes() == wanted.o.tobytes()
    assert (case.logs == RED).all()


def test_every_order_gives_the_same_bits() -> None:
    case = Case((100,), 112, heads=2, shared=1, page=16)
    report = case.launch(config=Tiling(warps=1, stages=2, least=2))(sanitize=True, certify=True)  # type: ignore[call-arg]
    assert report.certificate.proved, report.certificate


def forms() -> list[Any]:
    """Each tiling with all that takes registers; a few with nothing of it."""
    found = dict[str, Any]()
    for depth, rows, cache in itertools.product((64, 96, 128, 192, 256), (8, 32, 64, 128), (px.bf16, px.e4m3)):
        tiling, name = choose(depth, rows, cache.scalar.bytes), f"{depth}-{cache.__name__}"
        all_of_it = Form(depth, px.bf16, cache, 16, Bounds(True, True), softcap(30.0), True)
        found.setdefault(f"{tiling}-{name}", (all_of_it, rows))
        if (rows, cache) in ((8, px.bf16), (128, px.e4m3)):
            found[f"{tiling}-{name}-plain"] = Form(depth, px.bf16, cache, 0, Bounds(), None, False), rows
    return [pytest.param(*form, id=name) for name, form in found.items()]


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(("form", "rows"), forms())
def test_ptxas_accepts_it_without_a_warning(form: Form, rows: int) -> None:
    tiling = choose(form.depth, rows, form.cache.scalar.bytes)
    tiling.check(form.depth, form.cache.scalar.bytes)
    assert (tiling.stages - 1) * tiling.block(form.depth, form.cache.scalar.bytes) >= 64 << 10  # in flight
    given = ("table", "lse", *(("k_scale", "v_scale") if form.narrow else ())) if form.page else ("lse",)
    chosen = launch.kernel(tiling.threads, given).specialize(tiling=tiling, form=form)
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


Q, OUT = (px.empty((2, 1, 4, 64), BF16) for _ in range(2))
K, V = (px.empty((2, 32, 2, 64), BF16) for _ in range(2))
FP8 = px.empty(K.shape, E4M3)
LENGTHS, TABLE, LSE = np.zeros(2, np.int32), np.zeros((2, 3), np.int32), np.zeros((2, 4, 1), np.float32)
LONG = np.zeros((2, 2**25 + 1), np.int32)  # memory that nobody touches
MANY = px.empty((2, 32, 512, 64), BF16)
MANY_Q = MANY[:, :1]
ODD = px.empty((2, 1, 4, 68), BF16)[..., :64]
BAD: dict[str, tuple[str, str, tuple[Any, ...], dict[str, Any]]] = {
    "dimensions": ("PTX2308", "K has 3", (Q, K[0], V, OUT, LENGTHS), {}),
    "dtype": ("PTX2307", "Q is a float32", (Q.astype(np.float32), K, V, OUT, LENGTHS), {}),
    "another cache": ("PTX2307", "K is a float16", (Q, K.astype(F16), V, OUT, LENGTHS), {}),
    "two caches": ("PTX2307", "V is a bfloat16", (Q, FP8, V, OUT, LENGTHS), {}),
    "results of another type": ("PTX2307", "O is a float32", (Q, K, V, OUT.astype(np.float32), LENGTHS), {}),
    "neighbours": ("PTX2309", "V has strides", (Q, K, V[..., ::2], OUT, LENGTHS), {}),
    "odd heads": ("PTX2309", "Q has heads that begin", (ODD, K, V, OUT, LENGTHS), {}),
    "odd heads of keys": ("PTX2102", "K: ", (Q, px.empty((2, 32, 2, 68), BF16)[..., :64], V, OUT, LENGTHS), {}),
    "depth 72": ("PTX2308", "Heads have 72", (*(px.empty((2, 1, 4, 72), BF16) for _ in range(4)), LENGTHS), {}),
    "no values": ("PTX2308", "There is no V", (Q, K, None, OUT, LENGTHS), {}),
    "two depths": ("PTX2308", "K 2 of 128", (Q, px.empty((2, 32, 2, 128), BF16), V, OUT, LENGTHS), {}),
    "heads": ("PTX2308", "Q has 3 heads", (Q[:, :, :3], K, V, OUT[:, :, :3], LENGTHS), {}),
    "sequences": ("PTX2308", "Q has 2 sequences, and K 1", (Q, K[:1], V[:1], OUT, LENGTHS), {}),
    "keys and values": ("PTX2308", "K and V differ: 2×32×2×64 and 2×16", (Q, K, V[:, :16], OUT, LENGTHS), {}),
    "results": ("PTX2308", "Q and O differ", (Q, K, V, OUT[:, :, :2], LENGTHS), {}),
    "no keys": ("PTX2104", "K is empty", (Q, K[:, :0], V[:, :0], OUT, LENGTHS), {}),
    "lengths of another type": ("PTX2307", "lengths is", (Q, K, V, OUT, LENGTHS.astype(np.int64)), {}),
    "too many lengths": ("PTX2308", "lengths is 3", (Q, K, V, OUT, np.zeros(3, np.int32)), {}),
    "lengths with gaps": ("PTX2309", "lengths has gaps", (Q, K, V, OUT, np.zeros(4, np.int32)[::2]), {}),
    "table of another type": ("PTX2307", "table is", (Q, K, V, OUT, LENGTHS), {"table": TABLE.astype(np.int64)}),
    "table of one dimension": ("PTX2308", "table is 3", (Q, K, V, OUT, LENGTHS), {"table": TABLE[0]}),
    "table of no page": ("PTX2308", "table is 2×0", (Q, K, V, OUT, LENGTHS), {"table": TABLE[:, :0]}),
    "table of other sequences": ("PTX2308", "table is 1×3", (Q, K, V, OUT, LENGTHS), {"table": TABLE[:1]}),
    "table with gaps": ("PTX2309", "table has gaps", (Q, K, V, OUT, LENGTHS), {"table": TABLE[:, ::2]}),
    "table backwards": ("PTX2309", "table has a stride", (Q, K, V, OUT, LENGTHS), {"table": TABLE[::-1]}),
    "small pages": ("PTX2308", "Pages have 8 rows", (Q, K[:, :8], V[:, :8], OUT, LENGTHS), {"table": TABLE}),
    "too many keys": ("PTX2308", "queries of", (Q, K, V, OUT, LENGTHS), {"table": LONG}),
    "too many blocks": ("PTX2308", "There is room for", (MANY_Q, MANY, MANY, MANY_Q, LENGTHS), {"table": LONG[:, : 2**24]}),
    "lse of another type": ("PTX2307", "lse is", (Q, K, V, OUT, LENGTHS), {"lse": LSE.astype(np.float64)}),
    "lse of another shape": ("PTX2308", "lse is 2×2", (Q, K, V, OUT, LENGTHS), {"lse": LSE[:, :2].copy()}),
    "window": ("PTX2112", "window=(-1, 0)", (Q, K, V, OUT, LENGTHS), {"window": (-1, 0)}),
    "scale": ("PTX2305", "scale=nan", (Q, K, V, OUT, LENGTHS), {"scale": math.nan}),
    "scale of 16 bits": ("PTX2305", "k_scale is given for", (Q, K, V, OUT, LENGTHS), {"k_scale": 2.0}),
    "scale below 0": ("PTX2305", "v_scale=-1.0", (Q, FP8, FP8, OUT, LENGTHS), {"v_scale": -1.0}),
    "scales of another type": ("PTX2307", "k_scale is", (Q, FP8, FP8, OUT, LENGTHS), {"k_scale": np.ones(2)}),
    "too many scales": ("PTX2308", "k_scale is 4", (Q, FP8, FP8, OUT, LENGTHS), {"k_scale": np.ones(4, "f4")}),
    "scales with gaps": ("PTX2309", "v_scale has", (Q, FP8, FP8, OUT, LENGTHS), {"v_scale": np.ones(4, "f4")[::2]}),
    "tiling": ("PTX2112", "cannot be", (Q, K, V, OUT, LENGTHS), {"config": Tiling(warps=3)}),
    "too many warps": ("PTX2112", "too few registers", (Q, K, V, OUT, LENGTHS), {"config": Tiling(parts=4)}),
    "no room": ("PTX2112", "bytes of shared memory", (Q, K, V, OUT, LENGTHS), {"config": Tiling(stages=20)}),
}  # fmt: skip


@pytest.mark.parametrize(("code", "words", "arrays", "options"), BAD.values(), ids=list(BAD))
def test_bad_arguments(code: str, words: str, arrays: Any, options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as caught:
        decode(*arrays, **options)
    wrong = caught.value
    assert wrong.code == code
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
