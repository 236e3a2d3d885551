"""Instructions for whole warps, and for the lanes of a member mask, where lanes part and meet; as ptxas and an H200 have it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.checks import lints_of
from ptxlab.diag import Diagnostic

HEAD = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 zero) {more}
{{ .reg .b64 %out, %at; .reg .b32 %t, %lane, %z, %m, %r<60>, %f<8>; .reg .b16 %h; .reg .pred %low, %high, %same, %p<9>, %q;
  .shared .align 128 .b8 smem[2048];
  ld.param.u64 %out, [out]; ld.param.u32 %z, [zero]; mov.u32 %t, %tid.x; and.b32 %lane, %t, 31;
  mul.wide.u32 %at, %t, 16; add.u64 %out, %out, %at; setp.lt.u32 %low, %lane, 16; setp.ge.u32 %high, %lane, 16;
  setp.eq.u32 %same, %z, 0; and.b32 %r9, %t, 3; setp.eq.u32 %p8, %r9, 1;
  mov.u32 %r0, 0x77; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
"""
TAIL = "\nst.global.v4.u32 [%out], {%r0, %r1, %r2, %r3}; ret; }\n"
MATRIX = """mov.u32 %r40, smem; shl.b32 %r41, %t, 4; add.u32 %r41, %r40, %r41; mad.lo.u32 %r42, %t, 0x10001, 0x30005;
  st.shared.v4.u32 [%r41], {%r42, %t, %r42, %t}; bar.warp.sync -1;
"""
HALVES = """cvt.rn.f16.u32 %h, %lane; mov.b32 %r10, {%h, %h}; mov.b32 %f0, 0; mov.b32 %f1, 0; mov.b32 %f2, 0; mov.b32 %f3, 0;
"""
MMA = (
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r10, %r10, %r10, %r10}, {%r10, %r10}, "
    "{%f0, %f1, %f2, %f3}; mov.b32 %r0, %f0;"
)
OPS = {
    "bar": ("", "bar.sync 0; mov.u32 %r0, 1;"),
    "red": ("", "barrier.cta.red.popc.aligned.u32 %r0, 0, %p8;"),
    "arrive": ("", "barrier.cta.arrive.aligned 1, 64; mov.u32 %r0, 1;"),
    "cluster": ("", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %r0, 1;"),
    "mma": (HALVES, MMA),
    "ldmatrix": (MATRIX, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r50, %r51, %r52}, [%r41];"),
    "movmatrix": ("", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %t;"),
    "stmatrix": (MATRIX, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r41], {%t}; ld.shared.u32 %r0, [%r41];"),
    "wmma": (
        MATRIX,
        "wmma.load.a.sync.aligned.m16n16k16.shared.row.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r40], 16; "
        "mov.b32 %r0, %r10;",
    ),
}
TRIPS = """mul.lo.u32 %r30, %lane, {each}; mov.u32 %r31, 0;
T: mad.lo.u32 %r3, %r3, 3, 1; add.u32 %r31, %r31, 1; setp.lt.u32 %p4, %r31, %r30; @%p4 bra T;
"""
MEETING = {
    "trips": TRIPS.format(each=1) + "OP",
    "more trips than a turn has": TRIPS.format(each=150) + "OP",
    "arm behind the join": """@%low bra ELSE; mul.lo.u32 %r3, %lane, 77;
JOIN: OP bra END;
ELSE: add.u32 %r3, %lane, 1000; bra JOIN;
END:""",
    "condition of the warp in both arms": """@%low bra A; mul.lo.u32 %r3, %lane, 77; @%same bra X; bra END;
A: add.u32 %r3, %lane, 1000; @!%same bra Q;
X: OP bra END;
Q: mov.u32 %r2, 66;
END:""",
    "arms inside a loop": """mov.u32 %r20, 0;
L: OP setp.gt.u32 %p6, %lane, %r20; @%p6 bra ELSE; add.u32 %r2, %r2, 3;
C: add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 5; @%p5 bra L; bra END;
ELSE: mad.lo.u32 %r2, %r2, 5, %lane; bra C;
END:""",
    "many targets": """and.b32 %r20, %lane, 3; TG: .branchtargets A, B, C; min.u32 %r20, %r20, 2; brx.idx %r20, TG;
A: add.u32 %r2, %r2, 1; bra J;
J: OP bra END;
B: add.u32 %r2, %r2, 2; bra J;
C: add.u32 %r2, %r2, 3; bra J;
END:""",
}
ARMS = "@%low bra A; OP add.u32 %r2, %r2, 5; bra J;\nA: mul.lo.u32 %r2, %t, 7; OP\nJ: mov.u32 %r3, 9;"
ONE_ARM = "@%low bra J; OP add.u32 %r2, %r2, 5;\nJ: mov.u32 %r3, 9;"


def _text(body: str, more: str = "") -> str:
    return HEAD.format(more=more) + body + TAIL


def _run(text: str, threads: int = 32) -> NDArray[np.uint32]:
    out = np.zeros((threads, 4), np.uint32)
    px.simulate(
        px.parse(text)["k"], grid=1, block=threads, args=[out, np.uint32(0)], lints=False, max_instructions=10**7
    )
    return out


def _stops(text: str) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        _run(text)
    return caught.value


def _at(op: str, shape: str) -> str:
    before, code = OPS[op]
    return _text(before + shape.replace("OP", code + " "))


@pytest.mark.parametrize("shape", MEETING)
@pytest.mark.parametrize("op", OPS)
def test_lanes_that_come_at_different_times_meet(op: str, shape: str) -> None:
    plain, met = _run(_at(op, "OP")), _run(_at(op, MEETING[shape]))
    if not (op == "mma" and "loop" in shape):  # which adds up
        assert np.array_equal(plain[:, 0], met[:, 0])
    assert not [d for d in lints_of(px.parse(_at(op, MEETING[shape])).program("k")) if d.code == "PTX5020"]


@pytest.mark.parametrize("op", OPS)
def test_an_instruction_in_each_arm_is_executed_by_half_a_warp(op: str) -> None:
    found = _stops(_at(op, ARMS))
    assert found.code == "PTX9130"
    assert "is executed by lanes 0-15 of warp 0 alone: lanes 16-31 stand at" in found.message
    lines = [d.code for d in lints_of(px.parse(_at(op, ARMS)).program("k"))]
    assert lines.count("PTX5020") >= 2


PARTED = {"@%low ": ("lanes 0-15", "lanes 16-31"), "@!%p8 ": (None, "lanes 1, 5, 9, 13, 17, 21, 25, 29")}
"""Guards that part a warp, the second one by a value in memory, so that no lint tells: who executes, and who does not."""


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("guard", PARTED)
@pytest.mark.parametrize("op", OPS)
def test_a_guard_that_parts_a_warp_is_named_with_the_lanes_that_skip(op: str, guard: str, schedule: str) -> None:
    before, code = OPS[op]
    unknown = "st.global.u32 [%out], %lane; ld.global.u32 %r9, [%out]; and.b32 %r9, %r9, 3; setp.eq.u32 %p8, %r9, 1;"
    text = _text(f"{before}{unknown}\n{guard}{code}")
    args = [np.zeros((64, 4), np.uint32), np.uint32(0)]
    with pytest.raises(Diagnostic) as caught:
        px.simulate(px.parse(text, "k.ptx")["k"], grid=1, block=64, args=args, lints=False, schedule=schedule)
    found, (there, skip) = caught.value, PARTED[guard]
    assert found.code == "PTX9130"
    opcode = code.split()[0].rstrip(";")
    assert found.message.startswith(f"`{opcode}` is executed by {there or 'lanes '}")
    assert f"{skip} skip it, as their guard `{guard.strip()}` fails" in found.message
    assert found.span is not None
    assert text.splitlines()[found.span.line - 1].startswith(guard)


@pytest.mark.parametrize("guard", ["@%same ", "@!%same "])
@pytest.mark.parametrize("op", OPS)
def test_a_guard_of_the_whole_warp_parts_nobody(op: str, guard: str) -> None:
    before, code = OPS[op]
    first, *rest = code.split("; ")
    rest = [f"{guard}{one}" if "barrier" in one else one for one in rest]
    _run(_text(f"{before}{guard}{'; '.join([first, *rest])}"))


@pytest.mark.parametrize("op", ["mma", "ldmatrix", "stmatrix", "movmatrix", "wmma"])
@pytest.mark.parametrize("shape", [ONE_ARM, "@%low ret; OP", "setp.eq.u32 %p6, %lane, 7; @%p6 exit; OP"])
def test_lanes_that_have_exited_take_no_part_in_an_exchange(op: str, shape: str) -> None:
    found = _stops(_at(op, shape))
    assert found.code == "PTX9130"
    assert "have exited" in found.message or "has exited" in found.message


@pytest.mark.parametrize("op", ["bar", "red", "cluster"])
def test_barriers_wait_for_lanes_that_have_exited_no_more(op: str) -> None:
    out = _run(_at(op, "@!%low bra G; st.global.u32 [%out], 3; ret;\nG: OP"))
    assert out[0, 0] == 3
    assert out[17, 0] == (4 if op == "red" else 1)
    assert not lints_of(px.parse(_at(op, "@!%low bra G; st.global.u32 [%out], 3; ret;\nG: OP")).program("k"))


# --- member masks -------------------------------------------------------------------------------------------------------
MASKED = {
    "shfl": "{g}shfl.sync.bfly.b32 %r0, %t, 1, 31, {m};",
    "vote": "{g}vote.sync.any.pred %q, %p8, {m};",
    "ballot": "{g}vote.sync.ballot.b32 %r0, %p8, {m};",
    "match.any": "{g}match.any.sync.b32 %r0, %r9, {m};",
    "match.all": "{g}match.all.sync.b32 %r0|%q, %r9, {m};",
    "redux": "{g}redux.sync.add.u32 %r0, %t, {m};",
    "elect": "{g}elect.sync %r0|%q, {m};",
    "bar.warp": "{g}bar.warp.sync {m};",
}


@pytest.mark.parametrize("register", [False, True])
@pytest.mark.parametrize("op", MASKED)
@pytest.mark.parametrize(
    ("shape", "guard", "mask"),
    [(ONE_ARM, "", 0xFFFF), (ONE_ARM, "", 0xFF00_0000), ("OP", "@%high ", 0xFFFF)],
    ids=["arm", "part of the arm", "guard"],
)
def test_a_mask_without_a_lane_that_comes(op: str, shape: str, guard: str, mask: int, *, register: bool) -> None:
    code = MASKED[op].format(g=guard, m="%m" if register else f"{mask:#x}")
    found = _stops(_text(f"add.u32 %m, %z, {mask:#x};" + shape.replace("OP", code + " ")))
    assert found.code == "PTX9025"
    assert f"lane 16 executes it, and its member mask {mask:#010x} lacks that lane" in found.message


@pytest.mark.parametrize("op", MASKED)
def test_masks_that_differ_name_their_own_lanes_or_fail(op: str) -> None:
    own = "selp.b32 %m, 0xffff, 0xffff0000, %low; " + MASKED[op].format(g="", m="%m")
    _run(_text(own))
    crossed = own.replace("0xffff, 0xffff0000", "0xffff0000, 0xffff")
    assert _stops(_text(crossed)).code == "PTX9025"


@pytest.mark.parametrize("mask", [0xFFFF, 0xFFFF_0000, 0])
@pytest.mark.parametrize("before", ["", "@%low ret; "], ids=["all", "half"])
@pytest.mark.parametrize("op", MASKED)
def test_where_the_warp_is_together_nobody_looks_at_its_mask(op: str, before: str, mask: int) -> None:
    code = f"add.u32 %m, %z, {mask:#x}; " + before + MASKED[op]
    assert np.array_equal(_run(_text(code.format(g="", m="%m"))), _run(_text(code.format(g="", m="-1"))))


@pytest.mark.parametrize("op", MASKED)
def test_a_mask_may_name_lanes_that_have_exited(op: str) -> None:
    _run(_text("@%low ret; " + MASKED[op].format(g="", m="-1")))


# --- barriers whose lanes disagree --------------------------------------------------------------------------------------
@pytest.mark.parametrize("aligned", ["", ".aligned"])
@pytest.mark.parametrize(
    "barrier",
    [
        "barrier.cta.sync{a} %r7, 32;",
        "barrier.cta.red.popc{a}.u32 %r0, %r7, 32, %p8;",
        "barrier.cta.red.and{a}.pred %q, %r7, 32, %p8;",
        "barrier.cta.arrive{a} %r7, 64;",
        "barrier.cta.sync{a} 1, %r8;",
    ],
)
def test_lanes_of_a_warp_that_name_different_barriers(barrier: str, aligned: str) -> None:
    code = "selp.u32 %r7, 1, 2, %low; selp.u32 %r8, 32, 64, %low; " + barrier.format(a=aligned)
    found = _stops(_text(code))
    assert found.code == "PTX9012"
    assert "lanes of a warp name different barriers or counts of threads" in found.message


# --- who runs on meanwhile ----------------------------------------------------------------------------------------------
def test_lanes_wait_where_they_meet_for_one_that_computes() -> None:
    """However long it takes: behind the join they find what it has stored."""
    body = """setp.ne.u32 %p6, %lane, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r40, smem;
    @%p6 bra J;
    S: mad.lo.u32 %r22, %r21, 7, %r22; add.u32 %r21, %r21, 1; setp.lt.u32 %p5, %r21, 5000; @%p5 bra S;
    st.shared.u32 [%r40], %r21;
    J: ld.shared.u32 %r0, [%r40];"""
    assert (_run(_text(body))[:, 0] == 5000).all()


QUESTIONS = {
    "volatile": "ld.volatile.shared.u32 %r20, [smem];",
    "acquire": "ld.acquire.cta.shared.u32 %r20, [smem];",
    "atomic": "atom.shared.or.b32 %r20, [smem], 0;",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_lanes_that_ask_let_the_others_run_on(question: str) -> None:
    """As the loops of a lock need it: lane 0 answers behind the join."""
    body = f"""st.volatile.shared.u32 [smem], 0; bar.warp.sync -1; setp.eq.u32 %p6, %lane, 0; @%p6 bra P;
    S: {QUESTIONS[question]} setp.eq.u32 %p5, %r20, 0; @%p5 bra S; mov.u32 %r0, %r20;
    P: st.volatile.shared.u32 [smem], 5;"""
    assert (_run(_text(body))[1:, 0] == 5).all()
