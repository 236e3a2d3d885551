"""mbarriers: phases, byte counts, states, faults, and the report of a wait that never ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

from .conftest import entry

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
        ("mbarrier.arrive.shared::cta.b64 _, [%r1];", "PTX9110", "`bar`"),
        ("mbarrier.init.shared::cta.b64 [%r1], 1; mbarrier.init.shared::cta.b64 [%r1], 1;", "PTX9111", "live"),
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
        (
            "mbarrier.init.shared::cta.b64 [%r1], 1; mbarrier.arrive.noComplete.shared::cta.b64 %rd2, [%r1], 1;",
            "PTX9117",
            "noComplete",
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
    for words in ("`bar` + 0x8", "phase 0", "1 of 2 arrivals", "32 bytes", "lane 0", "warp 0"):
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
