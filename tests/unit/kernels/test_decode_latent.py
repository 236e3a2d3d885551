"""Latent attention for decoding in the simulator: heads of 576 elements whose first 512 are the values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.attention import softcap
from ptxlab.kernels.attention.scores import Bounds
from ptxlab.kernels.decode import Tiling, choose, decode, latent, launch
from ptxlab.kernels.decode.program import Form
from ptxlab.kernels.decode.tiling import LATENT, LATENT_DEPTH, LATENT_VALUES
from tests.unit.kernels.attention_cases import BF16, F16
from tests.unit.kernels.test_decode import E4M3, SCHEDULES, SCORES, Case

pytestmark = pytest.mark.filterwarnings("error::ptxlab.PtxWarning")


@dataclass
class Latent(Case):
    """Values lie in the memory of keys, and are left out."""

    shared: int = 1
    depth: int = LATENT_DEPTH

    def __post_init__(self) -> None:
        super().__post_init__()
        self.v: Any = None
        self.values = self.keys[..., :LATENT_VALUES]

    @property
    def made(self) -> int:
        return LATENT_VALUES


CASES = {
    "one key": Latent((1,), 16),
    "whole blocks": Latent((128, 64), 128),
    "ragged": Latent((140, 0, 1, 77), 144, heads=16),
    "ragged, in pages": Latent((140, 0, 1, 77), 144, heads=16, page=16),
    "all empty": Latent((0, 0), 64, page=32),
    "pages of a block": Latent((150, 20), 192, page=64),
    "pages longer than a block": Latent((150, 256), 256, page=128),
    "pages of 48": Latent((97, 47), 144, page=48),
    "128 heads": Latent((70, 5), 80, heads=128, page=16),
    "100 heads, 2 new rows": Latent((70, 1), 80, heads=100, rows=2, page=16),
    "3 new rows see each other": Latent((130, 20, 2), 160, rows=3, causal=False),
    "a window, 2 new rows": Latent((200, 40, 1), 208, rows=2, window=(100, None), page=16),
    "several heads of keys": Latent((70, 20), 80, heads=6, shared=2, page=16),
    "f16": Latent((130, 20), 160, dtype=F16, page=32),
    "heads in front of rows": Latent((70, 20), 80, heads=4, shared=2, heads_first=True),
    "scale below 0": Latent((70, 150), 160, scale=-0.25),
    "lengths out of range": Latent((-5, 2**31 - 1), 80, page=16),
}  # fmt: skip
IN_ALL_ORDERS = ("ragged, in pages", "3 new rows see each other", "several heads of keys")
"""As in `test_decode`."""


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    case = CASES[name]
    bits = {case.run(schedule) for schedule in SCHEDULES[: 3 if name in IN_ALL_ORDERS else 1]}
    assert len(bits) == 1
    case.check()


@pytest.mark.parametrize("ctas", [1, 4, 15])
def test_heads_are_cut_anywhere(monkeypatch: pytest.MonkeyPatch, ctas: int) -> None:
    """With 15 CTAs a head lies in eleven pieces: more than one of them takes in at a time."""
    monkeypatch.setattr(launch, "device_of", lambda array: px.Device("few", ctas))
    case = Latent((330, 0, 70), 336, heads=20, rows=2, page=48, seed=ctas)
    schedules = SCHEDULES[: 3 if ctas == 15 else 1]
    bits = {case.run(schedule, config=replace(LATENT, least=1)) for schedule in schedules}
    assert len(bits) == 1
    case.check()


def test_pages_change_no_bit() -> None:
    found = {Latent((140, 0, 77), 256, page=page).run() for page in (0, 16, 64, 256)}
    assert len(found) == 1


def test_values_may_be_given() -> None:
    case, wanted = Latent((70, 20), 80, page=16), Latent((70, 20), 80, page=16)
    case.v = case.k[..., :LATENT_VALUES]
    assert case.run() == wanted.run()


def test_keys_on_pages_outside_of_the_pool_are_invisible() -> None:
    case, wanted = Latent((150,), 160, page=16), Latent((150,), 160, page=16)
    assert case.table is not None
    case.table[0, 2], case.table[0, 4] = -1, case.k.shape[0]
    case.run()
    there = np.array([i // 16 not in (2, 4) for i in range(150)])
    scores = wanted.q[0, 0].astype(float) @ wanted.keys[0, :150, 0].astype(float).T / 24
    weights = np.exp(scores) * there
    results = weights @ wanted.values[0, :150, 0].astype(float) / weights.sum(-1, keepdims=True)
    assert abs(case.o[0, 0].astype(float) - results).max() < 0.01
    assert np.allclose(case.lse[0, :, 0], np.log(weights.sum(-1)))


@pytest.mark.parametrize(("function", "reference"), SCORES.values(), ids=list(SCORES))
def test_functions_of_scores(function: Any, reference: Any) -> None:
    case = Latent((130, 20), 160, heads=6, rows=3, page=32)
    case.run(score=function)
    case.check(reference)


def test_a_launch_is_repeated_while_lengths_change() -> None:
    case = Latent((150, 150), 160, page=16, seed=5)
    one = case.launch(config=replace(LATENT, least=1))
    for lengths in ((150, 150), (0, 17), (149, 64)):
        case.given[:] = case.lengths = lengths
        assert not one(schedule="random", seed=1, sanitize=True).findings  # type: ignore[call-arg]
        case.check()


FORMS = {
    "plain": (Form(LATENT_DEPTH, px.bf16, px.bf16, 0, Bounds(), None, False), ("lse",)),
    "in pages": (Form(LATENT_DEPTH, px.bf16, px.bf16, 64, Bounds(False, True), None, False), ("table",)),
    "all of it": (Form(LATENT_DEPTH, px.f16, px.f16, 16, Bounds(True, True), softcap(30.0), True), ("table", "lse")),
}


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(("form", "given"), FORMS.values(), ids=list(FORMS))
def test_ptxas_accepts_it_without_a_warning(form: Form, given: tuple[str, ...]) -> None:
    tiling = choose(form.depth, 128)
    tiling.check(form.depth, 2)
    chosen = launch.kernel(latent.THREADS, given).specialize(tiling=tiling, form=form)
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


Q, OUT = px.empty((2, 1, 4, 576), BF16), px.empty((2, 1, 4, 512), BF16)
K, LENGTHS = px.empty((2, 32, 1, 576), BF16), np.zeros(2, np.int32)
BAD: dict[str, tuple[str, str, tuple[Any, ...], dict[str, Any]]] = {
    "other values": ("PTX2308", "V is no part of K", (Q, K, K.copy()[..., :512], OUT, LENGTHS), {}),
    "the last elements": ("PTX2308", "V is no part of K", (Q, K, K[..., 64:], OUT, LENGTHS), {}),
    "all elements": ("PTX2308", "V is no part of K", (Q, K, K, OUT, LENGTHS), {}),
    "results as deep as keys": ("PTX2308", "O is 2×1×4×576", (Q, K, None, Q, LENGTHS), {}),
    "results of other heads": ("PTX2308", "O is 2×1×3×512", (Q, K, None, OUT[:, :, :3], LENGTHS), {}),
    "fp8": ("PTX2307", "K is a float8", (Q, px.empty(K.shape, E4M3), None, OUT, LENGTHS), {}),
    "keys of 512": ("PTX2308", "K 1 of 512", (Q, K[..., :512], K[..., :512], OUT, LENGTHS), {}),
    "tiling": ("PTX2112", "does not fit latent", (Q, K, None, OUT, LENGTHS), {"config": Tiling()}),
    "scale": ("PTX2305", "scale=nan", (Q, K, None, OUT, LENGTHS), {"scale": math.nan}),
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
