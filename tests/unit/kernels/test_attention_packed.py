"""Attention of packed sequences: each one as if it were alone, and nothing of one in another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import Tiling, attention, forward, prepare

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")
BF16 = np.dtype(ml_dtypes.bfloat16)
SCHEDULES = ("eager", "late", "random")
Lengths = list[tuple[int, int]]
"""Queries and keys of each sequence."""


def relative(k: Any, x: Any, at: Any, table: Any, slopes: Any) -> Any:
    """A number of the sequence, and a bias of where query and key lie in it."""
    x = k.add.rn.f32(x, slopes[at.batch])
    return k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), table[at.head], x)


@dataclass
class Packed:
    """Sequences in one matrix, with rows around them that belong to none, and what attention makes of each alone."""

    lengths: Lengths
    depth: int = 64
    value_depth: int = 64
    heads: int = 4
    shared: int = 2
    dtype: Any = BF16
    before: int = 3
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = np.random.default_rng(len(self.lengths))
        self.offsets = [
            np.cumsum([self.before, *(each[side] for each in self.lengths)]).astype(np.int32) for side in (0, 1)
        ]
        rows, length = (int(x[-1]) + 5 for x in self.offsets)
        self.q, self.k = (
            px.empty((n, h, self.depth), self.dtype) for n, h in ((rows, self.heads), (length, self.shared))
        )
        self.v = px.empty((length, self.shared, self.value_depth), self.dtype)
        for x in (self.q, self.k, self.v):
            x[...] = numbers.standard_normal(x.shape)
        self.around = px.empty((rows, self.heads + 1, self.value_depth + 8), self.dtype)
        self.around[...] = 77
        self.o = self.around[:, : self.heads, : self.value_depth]
        self.lse = np.full((self.heads, rows), 77, np.float32)

    def launch(self, **more: Any) -> px.Launch:
        ends: dict[str, Any] = {"q_offsets": self.offsets[0], "k_offsets": self.offsets[1]}
        return prepare(self.q, self.k, self.v, self.o, lse=self.lse, **(ends | self.options | more))

    def alone(self, i: int, **more: Any) -> tuple[Any, Any]:
        """Sequence i as a batch of one; zeros without keys."""
        q, keys, v = (
            x[r].transpose(1, 0, 2)[None] for x, r in zip((self.q, self.k, self.v), self.rows(i), strict=True)
        )
        o, lse = px.empty((*q.shape[:3], self.value_depth), self.dtype), np.empty(q.shape[:3], np.float32)
        if not keys.shape[2]:
            sinks = self.options.get("sinks")
            o[...] = 0
            lse[...] = -math.inf if sinks is None else sinks[:, None]
        elif q.shape[2]:
            attention(q, keys, v, o, lse=lse, **(self.options | more))
        return o[0].transpose(1, 0, 2), lse[0]

    def rows(self, i: int) -> list[slice]:
        """Those of Q, K and V that belong to sequence i."""
        queries, keys = (slice(int(x[i]), int(x[i + 1])) for x in self.offsets)
        return [queries, keys, keys]

    def check(self, **more: Any) -> None:
        """Results are the bits of each sequence alone, and no others are written."""
        for i in range(len(self.lengths)):
            queries = self.rows(i)[0]
            o, lse = self.alone(i, **more)
            assert np.array_equal(self.o[queries].view(np.uint16), o.view(np.uint16)), i
            assert np.array_equal(self.lse[:, queries], lse), i
            self.o[queries] = 77
            self.lse[:, queries] = 77
        assert (self.around == 77).all()
        assert (self.lse == 77).all()


CASES: dict[str, Packed] = {
    "one": Packed([(150, 200)]),
    "some": Packed([(30, 50), (130, 20), (5, 200), (135, 130)]),
    "causal": Packed([(30, 50), (130, 20), (5, 200), (200, 200)], options={"causal": True}),
    "empty ones": Packed([(0, 0), (0, 0), (70, 70), (0, 30), (40, 0), (1, 1), (0, 0)], options={"causal": True}),
    "no keys at all but one": Packed([(200, 0), (3, 1)]),
    "window": Packed([(190, 190), (64, 64), (65, 129)], options={"window": (20, 5)}),
    "another depth": Packed([(130, 140), (64, 200)], depth=192, value_depth=128, options={"causal": True}),
    "padded spans": Packed([(130, 140), (64, 200)], depth=96, value_depth=96),
    "sinks": Packed(
        [(100, 30), (30, 0), (40, 90)], options={"sinks": np.array([1, -2, 3, 0.5], np.float32), "causal": True}
    ),
    "many short ones": Packed([(i % 4, i % 3) for i in range(60)], heads=2),
    "one query each": Packed([(1, 37 * i) for i in range(9)], shared=1),
    "f16": Packed([(70, 90), (64, 128)], dtype=np.dtype(np.float16), before=0),
}


@pytest.mark.parametrize(
    ("name", "schedule"),
    [*((name, "random") for name in CASES), *((n, s) for n in ("empty ones", "another depth") for s in SCHEDULES[:2])],
)
def test_each_sequence_is_as_if_alone(name: str, schedule: str) -> None:
    """The sanitizer judges all orders by one launch: two of the cases run in all."""
    case = CASES[name]
    assert not case.launch()(schedule=schedule, seed=3).findings  # type: ignore[call-arg, attr-defined]
    case.check()


WAYS = [
    Tiling(consumers=1, keys=48, stages=1),
    Tiling(keys=64, staging=False),
    Tiling(consumers=3, keys=32, overlap=False),
]


@pytest.mark.parametrize(
    ("tiling", "schedule", "ctas"),
    [
        *((WAYS[0], s, 1) for s in SCHEDULES),
        *((t, "random", 5) for t in WAYS),
        (WAYS[1], "late", 1),
        (WAYS[2], "eager", 1),
    ],
    ids=str,
)
def test_ctas_walk_past_sequences(monkeypatch: pytest.MonkeyPatch, tiling: Tiling, schedule: str, ctas: int) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", ctas))
    case = Packed([(i * 37 % 150, i * 53 % 170) for i in range(8)], options={"causal": True})
    case.launch(config=tiling)(schedule=schedule, seed=4)  # type: ignore[call-arg]
    case.check(config=tiling)


def test_without_queries_nothing_is_done() -> None:
    case = Packed([(0, 5), (0, 7)])
    case.launch()()
    case.check()


@pytest.mark.parametrize("together", [1, 3])
def test_heads_that_do_not_fit_the_cache_come_later(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr(forward, "L2_BYTES", together * 2 * 200 * 64 * 2)
    case = Packed([(300, 200), (64, 900), (10, 10)], shared=4, options={"causal": True})
    case.launch()()
    case.check()


def test_what_lies_in_a_neighbour_does_not_matter() -> None:
    """Not numbers that are no numbers either: blocks of keys reach into the next sequence, and 0 · NaN would show."""
    case = Packed([(70, 90), (70, 90), (70, 90)])
    for x in (case.q, case.k, case.v):
        x[: case.before] = np.nan
        each = 70 if x is case.q else 90
        x[case.before + each : case.before + 2 * each] = np.nan
        x[-5:] = np.inf
    case.launch()()
    assert np.isnan(case.o[case.rows(1)[0]].astype(np.float32)).all()
    for i in (0, 2):
        queries = case.rows(i)[0]
        assert case.o[queries].tobytes() == case.alone(i)[0].tobytes()
        assert np.isfinite(case.lse[:, queries]).all()


def test_functions_of_scores_know_the_sequence() -> None:
    case = Packed([(70, 90), (0, 3), (130, 40)])
    table, slopes = np.array([0.1, 0.2, -0.1, 0], np.float32), np.array([1, 2, 3], np.float32)
    case.launch(score=relative, score_args=(table, slopes))()
    for i in range(3):
        o, lse = case.alone(i, score=relative, score_args=(table, slopes[i:]))
        queries = case.rows(i)[0]
        assert case.o[queries].tobytes() == o.tobytes()
        assert np.array_equal(case.lse[:, queries], lse)


def test_tensors_may_be_views_of_one_projection() -> None:
    """Q, K and V side by side in rows of one matrix, and queries and keys with the same ends."""
    both = px.empty((140, 3, 2, 64), BF16)
    both[...] = np.random.default_rng(1).standard_normal(both.shape)
    ends, out = np.array([0, 60, 140], np.int32), px.empty((140, 2, 64), BF16)
    attention(both[:, 0], both[:, 1], both[:, 2], out, q_offsets=ends, k_offsets=ends, causal=True)
    case = Packed([(60, 60), (80, 80)], heads=2, before=0, options={"causal": True})
    case.q[:140], case.k[:140], case.v[:140] = (both[:, i] for i in range(3))
    case.launch()()
    assert out.tobytes() == np.ascontiguousarray(case.o[:140]).tobytes()


def test_no_schedule_races_or_leaves_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "device_of", lambda array: px.Device("few", 2))
    case = Packed([(70, 90), (0, 20), (65, 30)], heads=2, shared=1, options={"causal": True})
    launch: Any = case.launch(config=Tiling(consumers=2, keys=32))
    report = launch(sanitize=True, certify=True)
    assert report.certificate.proved


def test_offsets_are_looked_at_before_each_launch() -> None:
    case = Packed([(30, 40), (30, 40)])
    launch = case.launch()
    launch()
    case.offsets[1][1] = 500
    with pytest.raises(Diagnostic) as wrong:
        launch()
    assert wrong.value.code == "PTX2324"
    assert "k_offsets[1] is 500" in wrong.value.message


Q = px.empty((30, 2, 64), BF16)
ENDS, LSE = np.array([0, 10, 30], np.int32), np.zeros((2, 30), np.float32)
BAD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "no offsets of keys": ("PTX2112", "k_offsets is left out", {"k_offsets": None}),
    "no offsets of queries": ("PTX2112", "q_offsets is left out", {"q_offsets": None}),
    "other numbers": ("PTX2308", "have 3 and 2", {"k_offsets": ENDS[:2]}),
    "64 bits": ("PTX2307", "q_offsets is", {"q_offsets": ENDS.astype(np.int64)}),
    "nothing": ("PTX2308", "q_offsets is 1", {"q_offsets": ENDS[:1], "k_offsets": ENDS[:1]}),
    "gaps": ("PTX2309", "q_offsets has gaps", {"q_offsets": np.zeros(6, np.int32)[::2]}),
    "descending": (
        "PTX2324",
        "q_offsets[2] is 5, and q_offsets[1] is 10",
        {"q_offsets": np.array([0, 10, 5], np.int32)},
    ),
    "below 0": ("PTX2324", "q_offsets[0] is -1", {"q_offsets": np.array([-1, 10, 30], np.int32)}),
    "too many": ("PTX2324", "k_offsets[2] is 31", {"k_offsets": np.array([0, 10, 31], np.int32)}),
    "lse of another shape": ("PTX2308", "give heads × rows", {"lse": np.zeros((30, 2), np.float32)}),
}


@pytest.mark.parametrize(("code", "words", "options"), BAD.values(), ids=list(BAD))
def test_bad_offsets(code: str, words: str, options: dict[str, Any]) -> None:
    given: dict[str, Any] = {"q_offsets": ENDS, "k_offsets": ENDS, "lse": LSE} | options
    with pytest.raises(Diagnostic) as caught:
        attention(Q, Q, Q, Q.copy(), **given)
    wrong = caught.value
    assert wrong.code == code
    assert words in f"{wrong.message} {wrong.help}"
    assert wrong.help
    assert wrong.origin is not None


def test_packed_tensors_have_three_dimensions() -> None:
    with pytest.raises(Diagnostic) as caught:
        attention(*[Q[None]] * 4, q_offsets=ENDS, k_offsets=ENDS)
    assert caught.value.code == "PTX2308"
    assert "rows × heads × depth" in str(caught.value.help)
