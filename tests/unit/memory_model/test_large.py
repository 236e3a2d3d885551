"""Tests whose executions are far fewer than the values that their reads could have, taken one by one."""

from __future__ import annotations

from math import comb, factorial

import pytest

import ptxlab as px
from ptxlab.memory_model import Verdict, parse, random_test
from ptxlab.memory_model.decision import decide

ALL = "locations [{}; x;]"


def litmus(columns: list[list[str]], question: str, declared: str = "x = 0;", cta: str = "{}") -> Verdict:
    """The verdict on threads, each of which is a list of instructions."""
    rows = max(map(len, columns))
    cells = [[*column, *[""] * (rows - len(column))] for column in columns]
    heads = " | ".join(f"P{i}@cta {cta.format(i)},gpu 0" for i in range(len(columns)))
    body = "\n".join(" | ".join(column[row] for column in cells) + " ;" for row in range(rows))
    return px.litmus(f"PTX large\n{{ {declared} }}\n{heads} ;\n{body}\n{question}\n")


def atomics(threads: int, count: int) -> list[list[str]]:
    return [[f"atom.relaxed.gpu.add r{i}, x, 1" for i in range(count)] for _ in range(threads)]


def registers(threads: int, names: range) -> str:
    return ALL.format("; ".join(f"P{t}:r{i}" for t in range(threads) for i in names))


@pytest.mark.parametrize(("threads", "count"), [(2, 2), (3, 2), (2, 4), (2, 6), (4, 2)])
def test_atomics_on_one_word_come_in_each_order_once(threads: int, count: int) -> None:
    found = litmus(atomics(threads, count), registers(threads, range(count)))
    assert len(found.outcomes) == factorial(threads * count) // factorial(count) ** threads
    assert {state["x"] for state in found.states} == {threads * count}
    assert (found.race, found.hang, found.unknown) == (None, None, ())


def test_what_atomics_on_one_word_end_in() -> None:
    assert litmus(atomics(4, 2), "exists (x == 8)").holds
    lost = litmus(atomics(4, 2), "exists (x == 7)")
    assert (lost.holds, len(lost.outcomes)) == (False, 1)


def test_stores_and_loads_of_one_word() -> None:
    def column(thread: int, count: int) -> list[str]:
        return [
            f"ld.relaxed.gpu r{i}, x" if i % 2 else f"st.relaxed.gpu x, {10 * thread + i + 1}" for i in range(count)
        ]

    three = litmus([column(t, 4) for t in range(3)], "exists (P0:r1 == 11 /\\ P1:r1 == 21 /\\ P2:r1 == 1)")
    assert three.holds is False
    assert litmus([column(t, 4) for t in range(3)], "forall (x == 3 \\/ x == 13 \\/ x == 23)").holds
    two = litmus([column(t, 6) for t in range(2)], registers(2, range(1, 6, 2)))
    # Sequentially consistent: what the interleavings of the two threads come to.
    assert {tuple(s.values()) for s in two.states} == _interleaved(column(0, 6), column(1, 6))


def _interleaved(first: list[str], second: list[str]) -> set[tuple[int, ...]]:
    """What loads of the first thread, then those of the second, and x come to in each order of two threads."""

    def run(a: list[str], b: list[str], x: int, mine: tuple[int, ...], other: tuple[int, ...]) -> set[tuple[int, ...]]:
        out: set[tuple[int, ...]] = set()
        for turn, rest in ((0, a), (1, b)):
            if not rest:
                continue
            op, *more = rest
            now = int(op.rpartition(" ")[2]) if op.startswith("st") else x
            got = () if op.startswith("st") else (x,)
            left = (more, b) if turn == 0 else (a, more)
            out |= run(*left, now, mine + got * (turn == 0), other + got * (turn == 1))
        return out if a or b else {(*mine, *other, x)}

    return run(first, second, 0, (), ())


def test_loads_see_stores_in_their_order() -> None:
    stores, loads = (
        [f"st.relaxed.gpu x, {i + 1}" for i in range(6)],
        [f"ld.relaxed.gpu r{i}, x" for i in range(6)],
    )
    found = litmus([stores, loads], ALL.format("; ".join(f"P1:r{i}" for i in range(6))))
    assert len(found.outcomes) == comb(12, 6)


PRODUCER = [
    "st.weak x, 1",
    "fence.proxy.async",
    "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 16",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [full]",
    "L0: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p0, [empty], 0",
    "bne p0, 1, L0",
    "st.weak s, 5",
]
CONSUMER = [
    "L0: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p0, [full], 0",
    "bne p0, 1, L0",
    "ld.weak r0, s",
    "mbarrier.arrive.release.cta.shared::cta.b64 _, [empty]",
    "ld.relaxed.gpu r1, y",
    "st.relaxed.gpu y, 1",
    "ld.relaxed.gpu r2, y",
]


@pytest.mark.parametrize("fence", [True, False])
def test_a_pipeline_of_four_threads(fence: bool) -> None:
    declared = "x = 7; .shared s = 0; .mbarrier full = 1; .mbarrier empty = 3; y = 0;"
    producer = [step for step in PRODUCER if fence or "fence" not in step]
    found = litmus([producer, *[CONSUMER] * 3], "locations [P1:r0; P2:r0; P3:r0;]", declared, cta="0")
    seen = {value for state in found.states for value in state.values()}
    assert seen == ({1} if fence else {1, 7})
    assert (found.race is None, found.hang) == (fence, None)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_early_changes_no_verdict(seed: int) -> None:
    for number in range(1000 + 5 * seed, 1005 + 5 * seed):
        program = parse(random_test(number))
        fast, slow = (decide(program, decider=d) for d in ("fast", "brute"))
        assert {o.values for o in fast.outcomes} == {o.values for o in slow.outcomes}, number
        assert (fast.race is None, fast.hang is None) == (slow.race is None, slow.hang is None), number
        assert fast.unknown == slow.unknown, number


def test_threads_that_do_the_same_are_not_tried_in_each_others_place() -> None:
    assert litmus(atomics(3, 4), "exists (x == 11)").holds is False


@pytest.mark.parametrize("asked", ["x; y;", "P1:r0; x;"])
@pytest.mark.parametrize(
    "column",
    [
        ["atom.relaxed.gpu.add r0, x, 1", "st.relaxed.gpu y, r0"],
        ["ld.relaxed.gpu r0, x", "add r0, r0, 1", "st.relaxed.gpu x, r0"],
        ["ld.weak r0, x", "st.weak x, 2"],
        ["atom.acq_rel.gpu.cas r0, x, 0, 1", "bne r0, 0, L0", "st.weak y, 1", "L0:"],
        ["st.relaxed.gpu x, 1", "fence.sc.gpu", "ld.relaxed.gpu r0, x"],
        ["st.weak x, 1", "bar.cta.sync 1, 1", "ld.weak r0, x"],
    ],
)
@pytest.mark.parametrize("cta", ["{}", "0"])
def test_what_threads_that_do_the_same_come_to(column: list[str], asked: str, cta: str) -> None:
    """Three of them, or two beside another one, in one CTA and in three."""
    for third in (column, ["st.relaxed.gpu x, 3"]):
        columns = [column, column, third]
        rows = "\n".join(" | ".join(c[n] if n < len(c) else "" for c in columns) + " ;" for n in range(len(column)))
        heads = " | ".join(f"P{i}@cta {cta.format(i)},gpu 0" for i in range(3))
        held = "".join(f"P{i}:r{n} = 0; " for i in range(3) for n in range(2))
        program = parse(f"PTX same\n{{ x = 0; y = 0; {held}}}\n{heads} ;\n{rows}\nlocations [{asked}]\n")
        fast, slow = (decide(program, decider=d) for d in ("fast", "brute"))
        assert {o.values for o in fast.outcomes} == {o.values for o in slow.outcomes}
        assert (fast.race is None, fast.hang is None) == (slow.race is None, slow.hang is None)
