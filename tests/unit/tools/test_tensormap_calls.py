"""The comparison of fresh calls with the driver, against a driver that the record of calls plays."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from ptxlab.diag import Diagnostic
from tools.tensormaps.calls import RECORD, compare, ours
from tools.tensormaps.dice import DTYPES, KINDS, Call, calls, legal


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_without_a_border_is_legal(kind: str) -> None:
    dice = random.Random(7)
    for _ in range(300):
        call = legal(dice, kind)
        answer = ours(call)
        assert isinstance(answer, bytes), (call, str(answer))


def test_the_dice_meet_every_rule_and_every_mode() -> None:
    codes: Counter[str] = Counter()
    modes: Counter[str] = Counter()
    accepted = 0
    for call in calls(4000, 3):
        modes.update(
            [f"dt{call['dt']}", f"sw{call['sw']}", f"il{call['il']}", f"l2{call['l2']}", f"rank{call['rank']}"]
        )
        answer = ours(call)
        accepted += isinstance(answer, bytes)
        if isinstance(answer, Diagnostic):
            codes.update({d.code for d in (answer, *answer.also)})
    assert 0.3 < accepted / 4000 < 0.7
    assert set(codes) == {f"PTX21{n:02}" for n in range(16)}
    assert {f"dt{i}" for i in range(len(DTYPES) + 1)} <= set(modes)
    assert {f"sw{i}" for i in range(8)} | {"il0", "il1", "il2", "il3", "l24"} <= set(modes)
    assert {f"rank{i}" for i in range(8)} <= set(modes)


def test_the_same_seed_gives_the_same_calls() -> None:
    assert list(calls(50, 5)) == list(calls(50, 5)) != list(calls(50, 6))


def test_what_differs_is_found() -> None:
    asked = list(calls(400, 11))

    def wrong(call: Call) -> bytes | int:
        answer = ours(call)
        if isinstance(answer, Diagnostic):
            return 1
        return bytes([answer[0] ^ 16, *answer[1:]]) if call["dt"] == 3 else 1 if call["dt"] == 4 else answer

    made = [c for c in asked if isinstance(ours(c), bytes)]
    out = compare(asked, wrong)
    assert [d["dt"] for d in out.different] == [c["dt"] for c in made if c["dt"] in (3, 4)]
    assert {d["driver"] for d in out.different if d["dt"] == 4} == {"error 1"}
    assert sum(out.accepted.values()) + sum(out.refused.values()) == len(asked)


def test_the_committed_record_has_no_difference() -> None:
    from ptxlab.bench import records

    runs = records.read(RECORD)
    assert len({run["seed"] for run in runs}) == len(runs) >= 2
    for run in runs:
        assert run["calls"] >= 100_000
        assert run["differences"] == 0
        assert all(n["accepted"] > 5000 < n["refused"] for n in run["entries"].values())
        assert list(run["entries"]) == list(KINDS)
        assert sum(n["accepted"] + n["refused"] for n in run["entries"].values()) == run["calls"]
        assert set(run["refused_by"]) >= {f"PTX21{n:02}" for n in range(16)} - {"PTX2112"}
