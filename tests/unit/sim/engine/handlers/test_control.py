"""Divergence, loops, barriers, exchange within warps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic

from ...launching import launch

RNG = np.random.default_rng(3)


def per_thread(
    body: str, *inputs: NDArray[Any], threads: int = 64, out: int | None = None, **options: Any
) -> NDArray[np.uint32]:
    """Run a body on u32 values: `x` is the thread's element of the first input, `y` of the second; `r` is stored."""
    shapes = [np.ascontiguousarray(v, np.uint32) for v in inputs]
    n = out if out is not None else max([threads, *map(len, shapes)])
    answer = np.zeros(n, np.uint32)
    names = ["x", "y"][: len(shapes)]
    loads = "".join(
        f"ld.param.u64 at, [in{i}]; mad.wide.u32 at, i, 4, at; ld.global.u32 {v}, [at];" for i, v in enumerate(names)
    )
    params = ", ".join([".param .u64 out", *(f".param .u64 in{i}" for i in range(len(shapes)))])
    launch(
        f""".visible .entry k({params}) {{
            .reg .u32 i, t, n, r, x, y, a, b, c, m, lane; .reg .u64 at, wide; .reg .pred p, q, s;
            .shared .align 16 .b8 buf[4096];
            mov.u32 i, %tid.x; mov.u32 t, i; mov.u32 lane, %laneid; mov.u32 r, 0;
            {loads}
            {body}
            ld.param.u64 at, [out]; mad.wide.u32 at, i, 4, at; st.global.u32 [at], r;
            exit;
        }}""",
        [answer, *shapes],
        block=(threads, 1, 1),
        **options,
    )
    return answer


def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


def test_loops_of_different_length_diverge_and_meet() -> None:
    x = RNG.integers(1, 5000, 256).astype("u4")
    got = per_thread(
        """
        loop:
            setp.eq.u32 p, x, 1;  @p bra done;
            and.b32 a, x, 1;  setp.ne.u32 q, a, 0;  @q bra odd;
            shr.u32 x, x, 1;  bra next;
        odd:
            mad.lo.u32 x, x, 3, 1;
        next:
            add.u32 r, r, 1;  bra loop;
        done:
        """,
        x,
        threads=256,
    )
    assert got.tolist() == [collatz(int(v)) for v in x]


def test_lanes_meet_again_after_a_branch() -> None:
    got = per_thread(
        """
            and.b32 a, t, 1;  setp.eq.u32 p, a, 0;  @p bra even;
            add.u32 r, r, 100;  bra join;
        even:
            add.u32 r, r, 200;
        join:
            activemask.b32 m;  popc.b32 b, m;  add.u32 r, r, b;
        """,
        threads=32,
    )
    assert got.tolist() == [232 if t % 2 == 0 else 132 for t in range(32)]


def test_guards_and_selective_exit() -> None:
    got = per_thread(
        """
            setp.lt.u32 p, t, 10;
            @p mov.u32 r, 7;
            @!p mov.u32 r, 9;
            ld.param.u64 at, [out]; mad.wide.u32 at, i, 4, at;
            setp.eq.u32 q, a, a;
            setp.gt.u32 q, t, 40;
            @q exit;
        """,
        threads=64,
    )
    assert got.tolist() == [7 if t < 10 else 9 if t <= 40 else 0 for t in range(64)]


def test_a_lane_that_spins_on_another_lane_of_its_warp_does_not_hang() -> None:
    got = per_thread(
        """
            mov.u64 wide, buf;
            setp.eq.u32 p, lane, 31;
            mov.u32 a, 0; setp.eq.u32 q, lane, 0; @q st.shared.u32 [wide], a;
            bar.warp.sync 0xffffffff;
            @p bra producer;
        spin:
            ld.volatile.shared.u32 r, [wide];
            setp.eq.u32 q, r, 0;  @q bra spin;
            bra join;
        producer:
            mov.u32 r, 5;  st.volatile.shared.u32 [wide], r;
        join:
        """,
        threads=32,
    )
    assert got.tolist() == [5] * 32


def test_jump_table() -> None:
    x = RNG.integers(0, 4, 64).astype("u4")
    got = per_thread(
        """
            table: .branchtargets L0, L1, L2, L3;
            brx.idx x, table;
        L0: mov.u32 r, 10; bra join;
        L1: mov.u32 r, 11; bra join;
        L2: mov.u32 r, 12; bra join;
        L3: mov.u32 r, 13;
        join:
        """,
        x,
    )
    assert (got == x + 10).all()


# --- barriers -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("threads", [32, 100, 256, 1024])
def test_barrier_separates_writes_from_reads(threads: int) -> None:
    got = per_thread(
        f"""
            mov.u32 a, buf;  mad.lo.u32 b, t, 4, a;  mul.lo.u32 c, t, t;  st.shared.u32 [b], c;
            bar.sync 0;
            sub.u32 c, {threads - 1}, t;  mad.lo.u32 b, c, 4, a;  ld.shared.u32 r, [b];
        """,
        threads=threads,
    )
    assert got.tolist() == [(threads - 1 - t) ** 2 for t in range(threads)]


def test_reduction_by_halves_in_many_ctas() -> None:
    n, block = 4096, 256
    x = RNG.integers(0, 1000, n).astype("u4")
    out = np.zeros(n // block, "u4")
    launch(
        """
        .visible .entry k(.param .u64 in, .param .u64 out) {
            .reg .u32 t, b, i, v, w, s, at; .reg .u64 p; .reg .pred q;
            .shared .align 4 .b8 buf[1024];
            mov.u32 t, %tid.x; mov.u32 b, %ctaid.x; mad.lo.u32 i, b, 256, t;
            ld.param.u64 p, [in]; mad.wide.u32 p, i, 4, p; ld.global.u32 v, [p];
            mov.u32 at, buf; mad.lo.u32 at, t, 4, at; st.shared.u32 [at], v;
            mov.u32 s, 128;
        loop:
            bar.sync 0;
            setp.ge.u32 q, t, s; @q bra skip;
            mad.lo.u32 i, s, 4, at; ld.shared.u32 w, [i]; ld.shared.u32 v, [at]; add.u32 v, v, w; st.shared.u32 [at], v;
        skip:
            shr.u32 s, s, 1; setp.ne.u32 q, s, 0; @q bra loop;
            setp.ne.u32 q, t, 0; @q exit;
            ld.shared.u32 v, [buf]; ld.param.u64 p, [out]; mad.wide.u32 p, b, 4, p; st.global.u32 [p], v;
            exit;
        }""",
        [x, out],
        grid=(n // block, 1, 1),
        block=(block, 1, 1),
    )
    assert (out == x.reshape(-1, block).sum(axis=1)).all()


def test_named_barriers_hand_over_between_warps() -> None:
    got = per_thread(
        """
            mov.u32 a, buf;  mad.lo.u32 b, lane, 4, a;
            setp.ge.u32 p, t, 32;  @p bra consumer;
            add.u32 c, lane, 1000;  st.shared.u32 [b], c;
            bar.arrive 3, 64;
            bra join;
        consumer:
            bar.sync 3, 64;
            ld.shared.u32 r, [b];
        join:
        """,
        threads=64,
    )
    assert got.tolist() == [0] * 32 + [1000 + i for i in range(32)]


def test_barrier_reductions() -> None:
    x = RNG.integers(0, 2, 128).astype("u4")
    got = per_thread(
        """
            setp.ne.u32 p, x, 0;
            barrier.cta.red.popc.aligned.u32 r, 0, p;
            barrier.cta.red.and.aligned.pred q, 0, p;  selp.u32 a, 1000, 0, q;  add.u32 r, r, a;
            setp.lt.u32 s, t, 500;
            barrier.cta.red.and.aligned.pred q, 1, s;  selp.u32 a, 2000, 0, q;  add.u32 r, r, a;
            barrier.cta.red.or.aligned.pred q, 0, p;  selp.u32 a, 4000, 0, q;  add.u32 r, r, a;
        """,
        x,
        threads=128,
    )
    assert got.tolist() == [int(x.sum()) + 6000] * 128


def test_warps_that_exit_do_not_hold_up_a_barrier() -> None:
    got = per_thread(
        """
            setp.lt.u32 p, t, 64;  @p exit;
            mov.u32 r, 1;
            bar.sync 0;
        """,
        threads=128,
    )
    assert got.tolist() == [0] * 64 + [1] * 64


def test_barrier_with_lanes_that_come_apart() -> None:
    got = per_thread(
        """
            and.b32 a, t, 1;  setp.eq.u32 p, a, 0;  @p bra even;
            barrier.sync 0;  mov.u32 r, 1;  bra join;
        even:
            barrier.sync 0;  mov.u32 r, 2;
        join:
        """,
        threads=64,
    )
    assert got.tolist() == [2 if t % 2 == 0 else 1 for t in range(64)]


def test_endless_wait_at_a_barrier_is_reported() -> None:
    with pytest.raises(Diagnostic) as wrong:
        per_thread("setp.lt.u32 p, t, 32; @p bar.sync 1, 64;", threads=64)
    assert wrong.value.code == "PTX9100"
    assert any("barrier 1" in note for note in wrong.value.notes)


def test_spinning_ctas_wait_for_one_another() -> None:
    flags, out = np.zeros(8, "u4"), np.zeros(8, "u4")
    launch(
        """
        .visible .entry k(.param .u64 flags, .param .u64 out) {
            .reg .u32 b, v, n; .reg .u64 p, q; .reg .pred z;
            mov.u32 b, %ctaid.x; mov.u32 n, %nctaid.x;
            ld.param.u64 p, [flags]; ld.param.u64 q, [out]; mad.wide.u32 q, b, 4, q;
            atom.global.add.u32 v, [p], 1;
        spin:
            ld.volatile.global.u32 v, [p]; setp.lt.u32 z, v, n; @z bra spin;
            st.global.u32 [q], v; exit;
        }""",
        [flags, out],
        grid=(8, 1, 1),
        block=(1, 1, 1),
    )
    assert out.tolist() == [8] * 8


def test_max_instructions_stops_an_endless_loop() -> None:
    with pytest.raises(Diagnostic) as wrong:
        per_thread("loop: add.u32 a, a, 1; bra loop;", threads=32, max_instructions=100_000)
    assert wrong.value.code == "PTX9005"
    assert wrong.value.span is not None
    assert wrong.value.notes == ("CTA (0, 0, 0) warp 0 is at `add.u32 a, a, 1`",)


def test_counts() -> None:
    answer = np.zeros(96, "u4")
    report = launch(
        """
        .visible .entry k(.param .u64 out) {
            .reg .u32 t; .reg .u64 p; .reg .pred q;
            mov.u32 t, %tid.x; setp.lt.u32 q, t, 40; @q bra end;
            mov.u32 t, 1; mov.u32 t, 2;
        end:
            exit;
        }""",
        [answer],
        grid=(3, 1, 1),
        block=(96, 1, 1),
    )
    assert report.stats.ctas == 3
    assert report.stats.instructions == 3 * (96 * 4 + 56 * 2)
    # the first two warps execute `end` once each, the second as one group again; warp 1 is split for two instructions
    assert report.stats.warp_instructions == 3 * (3 * 4 + 2 * 2)


# --- exchange -------------------------------------------------------------------------------------------------------------
def shuffled(mode: str, x: NDArray[np.uint32], b: int, c: int) -> tuple[list[int], list[bool]]:
    segment, clamp = c >> 8 & 31, c & 31
    values, inside = [], []
    for lane in range(32):
        low = lane & segment
        last = low | (clamp & ~segment)
        j = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": low | (b & ~segment)}[mode]
        good = j >= last if mode == "up" else j <= last
        values.append(int(x[j if good else lane]))
        inside.append(good)
    return values, inside


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("segments", [0, 0x1800, 0x1000])
@pytest.mark.parametrize("b", [0, 1, 5, 16, 31])
def test_shuffles(mode: str, segments: int, b: int) -> None:
    c = segments | (0 if mode == "up" else 31)
    x = RNG.integers(0, 2**31, 32).astype("u4")
    got = per_thread(
        f"shfl.sync.{mode}.b32 r|p, x, {b}, {c}, 0xffffffff; selp.u32 a, 0x80000000, 0, p; or.b32 r, r, a;",
        x,
        threads=32,
    )
    values, inside = shuffled(mode, x, b, c)
    assert got.tolist() == [v | (0x80000000 if p else 0) for v, p in zip(values, inside, strict=True)]


def test_shuffle_waits_for_its_members() -> None:
    got = per_thread(
        """
            setp.lt.u32 p, lane, 16;
            mov.u32 a, lane;
            @p bra late;
        meet:
            shfl.sync.bfly.b32 r, a, 16, 31, 0xffffffff;
            bra join;
        late:
            add.u32 a, a, 100;
            bra meet;
        join:
        """,
        threads=32,
    )
    assert got.tolist() == [lane ^ 16 if lane < 16 else (lane ^ 16) + 100 for lane in range(32)]


def test_members_that_never_come_are_reported() -> None:
    with pytest.raises(Diagnostic) as wrong:
        per_thread(
            """
            setp.lt.u32 p, lane, 16; @p bra other;
            shfl.sync.bfly.b32 r, t, 16, 31, 0xffffffff; bra join;
            other: vote.sync.any.pred q, p, 0xffffffff;
            join:
            """,
            threads=32,
        )
    assert wrong.value.code == "PTX9011"


def test_votes_matches_and_reductions() -> None:
    x = RNG.integers(0, 4, 32).astype("u4")
    members = 0x0FFF00FF
    inside = [lane for lane in range(32) if members >> lane & 1]
    got = per_thread(
        f"""
            shr.u32 a, {members}, lane; and.b32 a, a, 1; setp.eq.u32 q, a, 0; @q exit;
            match.any.sync.b32 r, x, {members};
        """,
        x,
        threads=32,
    )
    for lane in inside:
        assert got[lane] == sum(1 << k for k in inside if x[k] == x[lane])
    everyone = "0xffffffff"
    assert (per_thread(f"redux.sync.add.u32 r, x, {everyone};", x, threads=32) == x.sum()).all()
    assert (per_thread(f"redux.sync.max.s32 r, x, {everyone};", x, threads=32) == x.max()).all()
    assert (per_thread(f"redux.sync.xor.b32 r, x, {everyone};", x, threads=32) == np.bitwise_xor.reduce(x)).all()
    ballot = per_thread(f"setp.eq.u32 p, x, 2; vote.sync.ballot.b32 r, p, {everyone};", x, threads=32)
    assert (ballot == sum(1 << k for k in range(32) if x[k] == 2)).all()
    for mode, want in (("all", False), ("any", True), ("uni", False)):
        got = per_thread(
            f"setp.eq.u32 p, lane, 2; vote.sync.{mode}.pred q, p, {everyone}; selp.u32 r, 1, 0, q;", threads=32
        )
        assert (got == want).all()
    got = per_thread(f"match.all.sync.b32 r|p, x, {everyone}; selp.u32 r, 1, 0, p;", x, threads=32)
    assert (got == 0).all()
    elect = "setp.lt.u32 q, lane, 4; @q exit; elect.sync r|p, 0xfffffff0; @p add.u32 r, r, 1000;"
    assert per_thread(elect, threads=32).tolist()[4:] == [1004] + [4] * 27
