"""Races as data, random tests, and kernels that stand alone: what a race detector is held to."""

from __future__ import annotations

from typing import Any

import pytest

import ptxlab as px
from ptxlab.memory_model import Verdict, kernel, random_test
from ptxlab.memory_model.examples import RULES
from tools.litmus import disagreements

_MP = r"""PTX MP
{ x = 0; flag = 0; }
 P0@cta 0,gpu 0   | P1@cta 1,gpu 0       ;
 st.weak x, 1     | LC00: WAIT           ;
 PUBLISH          | bne r0, 1, LC00      ;
                  | ld.weak r1, x        ;
locations [P1:r1;]
"""
_RELEASE, _ACQUIRE = "st.release.gpu flag, 1", "ld.acquire.gpu r0, flag"


def _mp(publish: str = _RELEASE, wait: str = _ACQUIRE) -> str:
    return _MP.replace("PUBLISH", publish).replace("WAIT", wait)


def _verdict(text: str) -> px.Verdict:
    return px.litmus(text, all_races=True)


def test_a_chain_that_synchronizes_has_no_race() -> None:
    verdict = _verdict(_mp())
    assert verdict.races == []
    assert verdict.settled
    assert verdict.states == [{"P1:r1": 1}]


@pytest.mark.parametrize(
    ("publish", "wait", "why"),
    [
        ("st.relaxed.gpu flag, 1", _ACQUIRE, "flag, 1` is no release, and no fence stands between `st.weak x, 1` and it"),
        (_RELEASE, "ld.relaxed.gpu r0, flag", "is no acquire, and no fence stands between it and `ld.weak r1, x`"),
        ("st.weak flag, 1", _ACQUIRE, "`st.weak flag, 1` is weak"),
        ("st.release.cta flag, 1", _ACQUIRE, "the scope of `st.release.cta flag, 1` is .cta, and the other thread runs in"),
    ],
)  # fmt: skip
def test_a_race_says_who_and_where_and_why(publish: str, wait: str, why: str) -> None:
    verdict = _verdict(_mp(publish, wait))
    assert verdict.settled
    (race,) = (r for r in verdict.races if r.accesses[0].location == "x")
    first, second = race.accesses
    assert (first.thread, first.step, first.kind, first.text) == ("P0", 0, "write", "st.weak x, 1")
    assert (second.thread, second.step, second.kind, second.text) == ("P1", 2, "read", "ld.weak r1, x")
    assert first.span is not None
    assert second.span is not None
    assert (first.span.line, second.span.line) == (4, 6)
    assert why in race.why


_LOCK = """PTX lock
{{ l = 0; x = 0; }}
P0@cta 0,gpu 0                  | P1@cta {cta},gpu 0              ;
L0: atom.{take}.cas r0, l, 0, 1 | L0: atom.{take}.cas r0, l, 0, 1 ;
bne r0, 0, L0                   | bne r0, 0, L0                   ;
{behind}                        | {behind}                        ;
st.weak x, 1                    | st.weak x, 1                    ;
{front}                         | {front}                         ;
st.{free} l, 0                  | st.{free} l, 0                  ;
locations [x;]
"""


def _lock(
    take: str = "acq_rel.gpu", free: str = "release.gpu", behind: str = "", front: str = "", cta: int = 1
) -> Verdict:
    return px.litmus(_LOCK.format(take=take, free=free, behind=behind, front=front, cta=cta))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {"free": "relaxed.gpu"},
            "`st.relaxed.gpu l, 0` is no release, and no fence stands between `st.weak x, 1` and it",
        ),
        (
            {"take": "relaxed.gpu"},
            "`atom.relaxed.gpu.cas r0, l, 0, 1` is no acquire, and no fence stands between it and",
        ),
        (
            {"take": "release.gpu"},
            "`atom.release.gpu.cas r0, l, 0, 1` is no acquire, and no fence stands between it and",
        ),
        ({"free": "weak"}, "`st.weak l, 0` is weak"),
        ({"take": "relaxed.gpu", "behind": "fence.acq_rel.cta"}, "the scope of `fence.acq_rel.cta` is .cta"),
        ({"free": "relaxed.gpu", "front": "fence.acq_rel.cta"}, "the scope of `fence.acq_rel.cta` is .cta"),
    ],
)
def test_a_lock_says_what_taking_or_freeing_it_lacks(changed: dict[str, Any], why: str) -> None:
    """A lock has no phases: its words are not those of an mbarrier."""
    verdict = _lock(**changed)
    race = next(r for r in [verdict.race, *verdict.races] if r is not None)
    assert why in race.why
    assert "phase" not in race.why


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"take": "relaxed.gpu", "behind": "fence.acq_rel.gpu"},
        {"free": "relaxed.gpu", "front": "fence.acq_rel.gpu"},
        {"free": "release.cta", "take": "acq_rel.cta", "cta": 0},
    ],
)
def test_a_lock_that_is_right_is_decided(changed: dict[str, Any]) -> None:
    verdict = _lock(**changed)
    assert (verdict.race, verdict.hang, verdict.unknown) == (None, None, ())


def test_a_race_of_an_asynchronous_operation_names_its_proxy() -> None:
    text = """PTX store
    { x = 0; .shared s = 0; }
    P0@cta 0,gpu 0 ;
    st.weak s, 1 ;
    cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16 ;
    cp.async.bulk.commit_group ;
    ld.weak r0, x ;
    locations [P0:r0;]
    """
    races = {r.accesses[0].location: r for r in _verdict(text).races}
    assert set(races) == {"s", "x"}
    assert "no proxy fence leads from the generic to the async proxy" in races["s"].why
    assert [a.proxy for a in races["s"].accesses] == ["generic", "async"]
    assert "nothing waits until `cp.async.bulk" in races["x"].why


def test_races_are_told_by_outcome() -> None:
    """Where only some executions have one, the outcome tells which."""
    text = _MP.replace("bne r0, 1, LC00", "").replace("PUBLISH", _RELEASE).replace("WAIT", _ACQUIRE)
    verdict = _verdict(text.replace("P1:r1;", "P1:r0; P1:r1;"))
    assert verdict.settled is False
    raced = {values: (bool(r.some), bool(r.always), r.clean) for values, r in verdict.racing.items()}
    assert raced == {(0, 0): (True, True, False), (0, 1): (True, True, False), (1, 1): (False, False, True)}


def test_one_race_is_enough_where_not_all_are_asked_for() -> None:
    verdict = px.litmus(_mp("st.weak flag, 1", "ld.weak r0, flag"))
    assert len(verdict.races) == 1
    assert verdict.settled is None


def test_random_tests_are_the_same_for_the_same_seed() -> None:
    texts = [random_test(seed) for seed in range(50)]
    assert texts == [random_test(seed) for seed in range(50)]
    assert len(set(texts)) > 45
    with pytest.raises(ValueError, match="chain"):
        random_test(0, style="other")


def test_chains_have_races_and_have_none() -> None:
    raced = [px.litmus(random_test(seed, style="chain"), hang=False).race is not None for seed in range(120)]
    assert 30 < sum(raced) < 90


def test_random_tests_have_asynchronous_operations() -> None:
    text = " ".join(random_test(seed, runnable=True) for seed in range(200))
    for word in (
        "cp.async.bulk.shared", "cp.async.bulk.global", "cp.reduce.async", "st.async", "red.async", "cp.async.ca", "fence.proxy",
        "mbarrier.try_wait", "wait_group.read", "cp.async.mbarrier.arrive", "barrier.cluster", "bar.cta.arrive",
    ):  # fmt: skip
        assert word in text, word


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_simulator_does_what_the_model_allows(seed: int) -> None:
    for number in range(seed, seed + 3):
        text = random_test(number, runnable=True)
        assert disagreements(text, number) == [], text


@pytest.mark.parametrize("name", ["a tensor map that is changed", "wgmma reads shared memory", "multicast", "mapa"])
def test_tests_of_ours_stand_alone_too(name: str) -> None:
    for text in (RULES[name].allowed, RULES[name].forbidden):
        assert disagreements(text, 0) == []


def test_a_disagreement_would_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxlab.memory_model.emit.Emitted.outcome", lambda *_: (7,))
    text = _mp()
    assert disagreements(text, 0) == [
        f"{schedule}: (7,), of which the model allows none" for schedule in ("eager", "late", "random")
    ]


def test_a_kernel_says_which_line_does_which_instruction() -> None:
    verdict = _verdict(_mp("st.relaxed.gpu flag, 1"))
    made = kernel(verdict.program)
    (race,) = verdict.races
    lines = made.text.splitlines()
    found = [
        lines[number - 1]
        for a in race.accesses
        for number, (thread, step) in made.steps.items()
        if (thread, step) == (a.thread, a.step)
    ]
    assert found == ["st.weak.global.b32 [v_x], 1;", "ld.weak.global.b32 %t1_r1, [v_x];"]
    assert made.shape == {"grid": 2, "block": 32}


_SOURCE = """PTX source
{ x = 0; .shared s = 1; }
P0@cta 0,gpu 0 ;
cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16 ;
cp.async.bulk.commit_group ;
cp.async.bulk.wait_group.read 0 ;
st.weak s, 2 ;
exists (x == 2)
"""


def test_a_source_may_be_written_once_it_has_been_read() -> None:
    verdict = px.litmus(_SOURCE, all_races=True)
    assert (verdict.holds, verdict.races) == (False, [])


def test_what_a_reduction_finds_at_its_destination_is_no_source() -> None:
    """After wait_group.read it may still be going on there."""
    text = _SOURCE.replace(
        "bulk.global.shared::cta.bulk_group [x], [s], 16", "bulk.global.shared::cta.bulk_group.add.u32 [x], [s], 16"
    )
    text = (
        text.replace("cp.async.bulk.global", "cp.reduce.async.bulk.global")
        .replace("st.weak s, 2", "st.weak x, 2")
        .replace("x == 2", "x == 3")
    )
    verdict = px.litmus(text, all_races=True)
    assert [sorted(a.location for a in race.accesses) for race in verdict.races] == [["x", "x"]]
    assert verdict.holds


def test_wait_all_waits_for_what_is_not_committed() -> None:
    text = """PTX all
    { x = 1; .shared s = 0; }
    P0@cta 0,gpu 0 ;
    cp.async.ca.shared.global [s], [x], 4 ;
    cp.async.wait_all ;
    ld.weak r0, s ;
    exists (P0:r0 == 0)
    """
    verdict = px.litmus(text, all_races=True)
    assert (verdict.holds, verdict.races) == (False, [])
