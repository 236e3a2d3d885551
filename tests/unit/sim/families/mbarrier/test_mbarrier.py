"""mbarriers: phases, byte counts, states, faults, and the report of a wait that never ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

from ...conftest import entry

PRELUDE = """
    .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 8 .b64 bar[4];
    .shared .align 16 .b8 buf[256];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, bar; mov.u32 %r2, buf;
"""


def one_thread(run: Callable[..., Any], body: str, **options: Any) -> list[int]:
    """Run the body in one thread; it stores its results as u64 at %rd1."""
    out = px.empty(8, np.uint64)
    out[:] = 0
    run(entry(".param .u64 out", PRELUDE + body + "\nret;"), out, block=1, **options)
    return out.tolist()


def fault(run: Callable[..., Any], body: str, **options: Any) -> px.Diagnostic:
    with pytest.raises(px.Diagnostic) as caught:
        one_thread(run, body, **options)
    return caught.value


def store(index: int, register: str) -> str:
    return f"st.global.u64 [%rd1+{8 * index}], {register};"


def store_predicate(index: int, predicate: str) -> str:
    return f"selp.u32 %r15, 1, 0, {predicate}; cvt.u64.u32 %rd15, %r15; st.global.u64 [%rd1+{8 * index}], %rd15;"


def test_state_has_the_bits_that_the_chip_shows(run: Callable[..., Any]) -> None:
    body = """
        mbarrier.init.shared::cta.b64 [bar], 3;
        mbarrier.arrive.shared::cta.b64 %rd2, [%r1];
        mbarrier.arrive.shared::cta.b64 %rd3, [%r1];
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 32;
        mbarrier.arrive.shared::cta.b64 %rd4, [%r1];
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 32;
        mbarrier.arrive.shared::cta.b64 %rd5, [%r1];
        mbarrier.pending_count.b64 %r3, %rd3; cvt.u64.u32 %rd6, %r3;
    """
    states = one_thread(run, body + "".join(store(i, f"%rd{2 + i}") for i in range(5)))
    limit = 1 << 20

    def bits(parity: int, pending: int, tx: int) -> int:
        return parity << 63 | (limit - pending) << 43 | (-tx & (1 << 22) - 1) << 21 | (limit - 3) << 1

    assert [hex(s) for s in states[:4]] == [hex(bits(*x)) for x in ((0, 3, 0), (0, 2, 0), (0, 1, 32), (1, 3, 0))]
    assert states[4] == 2


def test_inval_shows_the_object_in_memory(run: Callable[..., Any]) -> None:
    body = f"""
        mbarrier.init.shared::cta.b64 [%r1], 5;
        mbarrier.inval.shared::cta.b64 [%r1];
        ld.shared.u64 %rd2, [%r1]; {store(0, "%rd2")}
    """
    limit = 1 << 20
    assert one_thread(run, body)[0] == (limit - 5) << 43 | (limit - 5) << 1


def test_parity_and_state_waits(run: Callable[..., Any]) -> None:
    body = f"""
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [%r1], 0; {store_predicate(0, "%p0")}
        mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], 1; {store_predicate(1, "%p1")}
        mbarrier.arrive.shared::cta.b64 %rd2, [%r1];
        mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r1], 0; {store_predicate(2, "%p2")}
        mbarrier.test_wait.shared::cta.b64 %p3, [%r1], %rd2; {store_predicate(3, "%p3")}
        mbarrier.test_wait.parity.shared::cta.b64 %p4, [%r1], 1; {store_predicate(4, "%p4")}
    """
    assert one_thread(run, body)[:5] == [0, 1, 1, 1, 0]


def test_drop_lowers_the_next_phases(run: Callable[..., Any]) -> None:
    body = f"""
        mbarrier.init.shared::cta.b64 [%r1], 2;
        mbarrier.arrive_drop.shared::cta.b64 %rd2, [%r1];
        mbarrier.arrive.shared::cta.b64 %rd2, [%r1];
        mbarrier.arrive.shared::cta.b64 %rd3, [%r1];
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [%r1], 1; {store_predicate(0, "%p0")}
    """
    assert one_thread(run, body)[0] == 1


def test_bytes_may_come_before_they_are_expected(run: Callable[..., Any]) -> None:
    body = f"""
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 48;
        mbarrier.arrive.shared::cta.b64 %rd2, [%r1];
        mbarrier.test_wait.shared::cta.b64 %p0, [%r1], %rd2; {store_predicate(0, "%p0")}
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 48;
        mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %rd2; {store_predicate(1, "%p1")}
    """
    assert one_thread(run, body)[:2] == [0, 1]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("mbarrier.arrive.shared::cta.b64 _, [%r1];", "PTX9110", "`bar[0]`"),
        (
            "mbarrier.init.shared::cta.b64 [%r1], 2; mbarrier.arrive.shared::cta.b64 _, [%r1];"
            "mbarrier.init.shared::cta.b64 [%r1], 2;",
            "PTX9111",
            "lacks 1 of 2 arrivals",
        ),
        (
            "mbarrier.init.shared::cta.b64 [%r1], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;"
            "mbarrier.init.shared::cta.b64 [%r1], 1;",
            "PTX9111",
            "16 bytes",
        ),
        ("mbarrier.init.shared::cta.b64 [%r1], 1; mbarrier.arrive.shared::cta.b64 _, [%r1], 2;", "PTX9112", "lacks 1"),
        (
            "mbarrier.init.shared::cta.b64 [%r1], 1; mov.u32 %r3, 1048576;"
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r3;",
            "PTX9113",
            "1048576",
        ),
        ("mov.u32 %r3, 0; mbarrier.init.shared::cta.b64 [%r1], %r3;", "PTX9114", "0 arrivals"),
        ("mbarrier.init.shared::cta.b64 [%r1+4], 1;", "PTX9121", "aligned to 8"),
        ("mov.u32 %r3, 65536; mbarrier.init.shared::cta.b64 [%r3], 1;", "PTX9122", "shared memory"),
        ("mbarrier.init.b64 [%rd1], 1;", "PTX9115", "shared memory"),
        (
            "mov.u32 %r3, 0x3000000; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];",
            "PTX9116",
            "rank 3 in a cluster of 1",
        ),
    ],
)
def test_misuse(run: Callable[..., Any], body: str, code: str, words: str) -> None:
    found = fault(run, body)
    assert found.code == code
    assert words in str(found)
    assert found.span is not None
    assert found.help


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("kind", ["arrive", "arrive_drop"])
def test_a_promise_not_to_complete_the_phase_that_is_broken(run: Callable[..., Any], kind: str, schedule: str) -> None:
    """The phase ends, as on an H200, and a warning says so once."""
    out = px.empty(8, np.uint64)
    arrive = f"mbarrier.{kind}.noComplete.release.cta.shared::cta.b64 %rd2, [%r1], 1;"
    text = entry(
        ".param .u64 out",
        PRELUDE + "mbarrier.init.shared::cta.b64 [%r1], 2; mov.u32 %r3, 0;"
        f"L: {arrive} add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 2; @%p0 bra L;"
        "mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], 0;" + store_predicate(0, "%p1") + "ret;",
    )
    report = run(text, out, block=1, schedule=schedule)
    assert [(d.code, d.severity, d.help) for d in report.findings] == [
        ("PTX9117", "warning", "use the form without .noComplete")
    ]
    assert "completes phase 0" in report.findings[0].message
    assert out[0] == 1


TURN = """
    mbarrier.arrive.shared::cta.b64 %rd2, [%r1];
    W{0}: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0; @!%p0 bra W{0};
"""


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("block", [32, 96])
def test_a_barrier_that_nobody_uses_may_begin_anew(run: Callable[..., Any], block: int, schedule: str) -> None:
    """All threads initialise it, before its first use and after a phase: each time a warning, and the phases count from 0."""
    init = "mbarrier.init.shared::cta.b64 [%r1], %r3; bar.sync 0;"
    out = px.empty(8, np.uint64)
    text = entry(
        ".param .u64 out",
        PRELUDE + f"mov.u32 %r3, %ntid.x; {init} {TURN.format(1)} bar.sync 0; {init} {TURN.format(2)}"
        "mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], 1;" + store_predicate(0, "%p1") + "ret;",
    )
    found = run(text, out, block=block, schedule=schedule).findings
    assert [(d.code, d.severity) for d in found] == [("PTX9119", "warning")] * 2
    assert found[0].span != found[1].span
    assert out[0] == 0


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_wait_that_never_ends_is_reported(run: Callable[..., Any], schedule: str) -> None:
    body = """
        mbarrier.init.shared::cta.b64 [%r1+8], 2;
        mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r1+8], 96;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 64, [%r1+8];
        LOOP:
        mbarrier.try_wait.shared::cta.b64 %p0, [%r1+8], %rd2;
        @!%p0 bra LOOP;
    """
    found = fault(run, body, schedule=schedule)
    assert found.code == "PTX9100"
    notes = " ".join(found.notes)
    for words in ("`bar[1]`", "phase 0", "1 of 2 arrivals", "32 bytes", "lane 0", "warp 0"):
        assert words in notes


def test_a_full_warp_arrives(run: Callable[..., Any]) -> None:
    text = entry(
        ".param .u64 out",
        """
        .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .shared .align 8 .b64 bar;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar;
        setp.ne.u32 %p1, %r1, 0;
        @!%p1 mbarrier.init.shared::cta.b64 [%r2], 64;
        bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %rd2, [%r2];
        LOOP:
        mbarrier.try_wait.shared::cta.b64 %p0, [%r2], %rd2;
        @!%p0 bra LOOP;
        mbarrier.pending_count.b64 %r3, %rd2;
        mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r3;
        ret;
        """,
    )
    out = np.zeros(64, np.uint32)
    run(text, out, block=64)
    assert sorted(out.tolist()) == list(range(1, 65))


@pytest.mark.parametrize("lanes", [1, 5, 32])
def test_states_are_the_same_with_and_without_a_timeline(run: Callable[..., Any], lanes: int) -> None:
    """A timeline makes every arrival run in Python; without one most are compiled."""
    body = f"""
        .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<12>; .shared .align 8 .b64 bar;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 48; add.u64 %rd1, %rd1, %rd2;
        setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], {3 * lanes}; bar.warp.sync -1;
        setp.ge.u32 %p2, %r1, {lanes}; @%p2 ret;
        mbarrier.arrive.shared.b64 %rd3, [bar];
        mbarrier.arrive.expect_tx.shared.b64 %rd4, [bar], 48;
        mbarrier.test_wait.shared.b64 %p3, [bar], %rd4; selp.u32 %r2, 1, 0, %p3;
        mbarrier.complete_tx.shared.b64 [bar], 48;
        mbarrier.arrive.shared.b64 %rd5, [bar];
        mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; selp.u32 %r3, 2, 0, %p3; or.b32 %r2, %r2, %r3;
        mbarrier.test_wait.shared.b64 %p3, [bar], %rd5; selp.u32 %r3, 4, 0, %p3; or.b32 %r2, %r2, %r3;
        mbarrier.arrive.shared.b64 %rd6, [bar], 2;
        cvt.u64.u32 %rd7, %r2;
        st.global.v2.u64 [%rd1], {{%rd3, %rd4}}; st.global.v2.u64 [%rd1+16], {{%rd5, %rd6}}; st.global.u64 [%rd1+32], %rd7;
        ret;
    """
    both = []
    for trace in (False, True):
        out = np.zeros((32, 6), np.uint64)
        run(entry(".param .u64 out", body), out, block=32, trace=trace)
        both.append(out)
    assert np.array_equal(*both)
    assert both[0][0, 4] == 6
    assert len(np.unique(both[0][:lanes, 0])) == lanes


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_many_threads_hand_over_in_turn(run: Callable[..., Any], schedule: str) -> None:
    """Two warps pass a word to and fro: phases complete with and without somebody waiting."""
    body = """
        .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .align 8 .b64 ping, pong; .shared .b32 word;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p3, %r2, 0;
        @%p1 mbarrier.init.shared.b64 [ping], 32; @%p1 mbarrier.init.shared.b64 [pong], 32; @%p1 st.shared.u32 [word], 0;
        bar.sync 0; mov.u32 %r3, 0;
        loop: and.b32 %r4, %r3, 1; @!%p3 bra second;
        @%p1 atom.shared.add.u32 %r5, [word], 1; mbarrier.arrive.shared.b64 _, [ping];
        a: mbarrier.try_wait.parity.shared.b64 %p2, [pong], %r4; @!%p2 bra a; bra next;
        second: b: mbarrier.try_wait.parity.shared.b64 %p2, [ping], %r4; @!%p2 bra b;
        setp.eq.u32 %p2, %r1, 32; @%p2 ld.shared.u32 %r5, [word]; @%p2 mul.lo.u32 %r5, %r5, 3; @%p2 st.shared.u32 [word], %r5;
        mbarrier.arrive.shared.b64 _, [pong];
        next: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 9; @%p2 bra loop;
        @%p1 ld.shared.u32 %r5, [word]; @%p1 st.global.u32 [%rd1], %r5; ret;
    """
    out = np.zeros(1, np.uint32)
    run(entry(".param .u64 out", body), out, block=64, schedule=schedule)
    want = 0
    for _ in range(9):
        want = 3 * (want + 1)
    assert out[0] == want
