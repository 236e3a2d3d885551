"""Lints: each pattern is found where it is, and its sound neighbours are left alone."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.diag import Severity

_HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
_REGISTERS = ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<16>;\n"


def kernel(body: str, directives: str = "") -> str:
    return f"{_HEAD}.visible .entry k(.param .u64 a)\n{directives}\n{{ {_REGISTERS}{body}\nret;\n}}\n"


def codes(body: str, directives: str = "") -> list[str]:
    found = check(kernel(body, directives))
    assert all(d.help and d.span for d in found)
    return [d.code for d in found]


def test_lints_are_lints_and_can_be_left_out() -> None:
    source = kernel("add.u32 %r1, %r2, 1;")
    (found,) = check(source)
    assert (found.code, found.severity) == ("PTX5002", Severity.LINT)
    assert check(source, lints=False) == []


# --- registers and code that is never reached


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("add.u32 %r1, %r2, 1;", ["PTX5002"]),
        ("add.u32 %r1, %r2, 1; add.u32 %r3, %r2, 2;", ["PTX5002"]),  # said once a register
        ("mov.u32 %r2, 1; add.u32 %r1, %r2, 1;", []),
        ("add.u32 %r1, %r1, 1;", ["PTX5002"]),
        ("@%p1 mov.u32 %r1, 1;", ["PTX5002"]),
        ("ld.param.u64 %rd1, [a]; @%rd9 ret;".replace("@%rd9 ret;", "st.global.u32 [%rd1], %r1;"), ["PTX5002"]),
        ("mov.u32 %r2, 7; setp.eq.u32 %p1, %r2, 7; @%p1 mov.u32 %r1, 1; add.u32 %r3, %r1, 1;", []),  # a guarded write
        # the write comes in the loop, behind the read in the text
        ("mov.u32 %r1, 0; L: @%p2 mov.u32 %r3, %r2; mov.u32 %r2, 1; setp.eq.u32 %p2, %r1, 9; @%p2 bra L;", []),
        ("bra M; L: mov.u32 %r1, 1; bra N; M: bra L; N: add.u32 %r2, %r1, 1;", []),
        ("bra N; L: ret; N: add.u32 %r2, %r1, 1; mov.u32 %r1, 1;", ["PTX5002"]),
        ("// implicit-def: %r7\nadd.u32 %r1, %r7, 1;", []),
        ("{ .reg .b32 t; mov.u32 t, 1; add.u32 %r1, t, 1; } { .reg .b32 t; add.u32 %r2, t, 1; }", ["PTX5002"]),
        ("mov.b64 %rd1, 1; mov.b64 {%r1, %r2}, %rd1; add.u32 %r3, %r1, %r2;", []),
    ],
)
def test_registers_read_before_written(body: str, expected: list[str]) -> None:
    assert codes(body) == expected


def test_registers_never_written_are_told_by_cause() -> None:
    """Padding bytes that a compiler copies with a struct: one finding, with how many and the first places."""
    stores = "".join(f"st.shared.b32 [s+{4 * i}], %r{i + 1};\n" for i in range(30))
    body = f".shared .align 4 .b8 s[128];\n{stores}bra N;\nL: ret;\nN: add.u32 %r35, %r36, 1;\n"
    late = "add.u32 %r35, %r37, 1;\nmov.u32 %r37, 1;\nbra L;\n"
    found = check(kernel(body + late))
    assert [d.code for d in found] == ["PTX5002"] * 3
    padding, never, later = found
    assert padding.message == (
        "`st.shared.b32` reads `%r1`, which nothing has written; nor 29 more of the registers that it reads"
    )
    assert padding.span is not None
    line = padding.span.line
    assert padding.notes == (f"so too `%r2` in line {line + 1}, `%r3` in line {line + 2}, `%r4` in line {line + 3} …",)
    assert "`%r36`" in never.message
    assert never.notes == ()
    assert "`%r37`" in later.message
    assert "comes later" in (later.help or "")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("ret; mov.u32 %r1, 1;", ["PTX5001"]),
        ("bra L; mov.u32 %r1, 1; mov.u32 %r2, 1; L: mov.u32 %r3, 1;", ["PTX5001"]),
        ("exit; ret;", []),  # a compiler's padding
        ("trap; exit;", []),
        ("bra L; X: mov.u32 %r1, 1; bra X; L: exit;", ["PTX5001"]),
        ("mov.u32 %r1, 0; setp.eq.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r2, 1;", []),
        ("mov.u32 %r1, 0; ts: .branchtargets A, B; brx.idx %r1, ts; A: mov.u32 %r2, 1; B: mov.u32 %r3, 1;", []),
    ],
)
def test_code_never_reached(body: str, expected: list[str]) -> None:
    assert codes(body) == expected


# --- asynchronous copies

_COPY = "mov.u32 %r1, s; ld.param.u64 %rd1, [a]; cp.async.cg.shared.global [%r1], [%rd1], 16;"
_STORE = "mov.u32 %r1, s; ld.param.u64 %rd1, [a]; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;"
_BUFFER = ".shared .align 16 .b8 s[1024]; "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_COPY + "cp.async.commit_group; cp.async.wait_group 0;", []),
        (_COPY + "cp.async.wait_all;", []),
        (_COPY + "cp.async.commit_group;", ["PTX5013"]),
        (_COPY, ["PTX5012"]),
        (_COPY + "cp.async.wait_group 0;", ["PTX5012"]),
        ("cp.async.commit_group;", []),
        (_STORE + "cp.async.bulk.commit_group;", ["PTX5013"]),
        (_STORE + "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", []),
        (_STORE, ["PTX5012"]),
        # another kind of group does not count
        (_STORE + "cp.async.bulk.commit_group; cp.async.wait_all;", ["PTX5013"]),
        # a wait in a loop, in front of the commit in the text
        (
            "mov.u32 %r9, 1; setp.eq.u32 %p1, %r9, 1; L: cp.async.wait_group 1;"
            + _COPY
            + "cp.async.commit_group; @%p1 bra L;",
            [],
        ),
    ],
)
def test_copies_are_committed_and_waited_for(body: str, expected: list[str]) -> None:
    assert codes(_BUFFER + body) == expected


_GROUP = _STORE.split("; ", 2)[2] + "cp.async.bulk.commit_group;"
_SETUP = _STORE[: _STORE.index("cp.async")] + (
    "mov.u32 %r9, 0; setp.eq.u32 %p2, %r1, 8; setp.eq.u32 %p3, %r1, 9; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4;"
)
_DONE = "cp.async.bulk.wait_group.read 0;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_GROUP + "@!%p1 bra N;" + _DONE + "N: @%p1 bra L;", ["PTX5013"]),  # the last pass skips it
        (_GROUP + "@!%p1 bra N;" + _DONE + "bra L; N:", ["PTX5013"]),
        (_GROUP + "@!%p1 bra N;" + _DONE + "bra L; N: " + _DONE, []),
        (_DONE + _GROUP + "@%p1 bra L;", ["PTX5013"]),  # it waits for the pass before alone
        (_DONE + _GROUP + "@%p1 bra L;" + _DONE, []),
        (_GROUP + _DONE + "@%p1 bra L;", []),
        (_GROUP + "@!%p1 bra N;" + _DONE + "N: @%p1 bra L;" + _DONE, []),
        (_GROUP + "@%p2 bra N;" + _DONE + "ret; N: trap;", []),  # what traps needs no wait
        (_GROUP + "@%p2 bra N;" + _DONE + "ret; N: @%p3 ret;" + _DONE, ["PTX5013"]),
        # a leader that stores and waits: the same condition twice
        ("@%p2 bra M;" + _GROUP + "M: @%p2 bra N;" + _DONE + "N: @%p1 bra L;", []),
        ("@%p2 bra M;" + _GROUP + "M: @%p1 bra L; @%p2 bra N;" + _DONE + "N: ret;", []),
        ("@%p2 bra M;" + _DONE + _GROUP + "M: @%p1 bra L; @%p2 bra N;" + _DONE + "N: ret;", []),
        # the leader's loop waits for the pass before alone
        ("@%p2 bra M;" + _DONE + _GROUP + "M: @%p1 bra L;", ["PTX5013"]),
    ],
)
def test_ways_to_the_end_that_skip_a_wait(body: str, expected: list[str]) -> None:
    assert codes(_BUFFER + _SETUP + body) == expected


# --- wgmma

_D = "{" + ", ".join(f"%f{i}" for i in range(4)) + "}"
_MMA = f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {_D}, %rd1, %rd2, 1, 1, 1, 0, 0;"
_FIRST = _MMA.replace("%rd2, 1,", "%rd2, 0,")
_ZERO = "".join(f"mov.f32 %f{i}, 0f00000000;" for i in range(4)) + "mov.b64 %rd1, 0; mov.b64 %rd2, 0;"
_FENCE, _COMMIT, _WAIT = (
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 0;",
)
_USE = "add.f32 %f9, %f0, %f1;"
_LOOP = "mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1; L: {} @%p1 bra L;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_ZERO + _FENCE + _MMA + _COMMIT + _WAIT + _USE, []),
        (_ZERO + _MMA + _COMMIT + _WAIT + _USE, ["PTX5010"]),
        (_FENCE + _ZERO + _MMA + _COMMIT + _WAIT + _USE, ["PTX5011"]),
        (_FENCE + _ZERO + _FIRST + _COMMIT + _WAIT + _USE, []),  # starts from zero by itself
        (_ZERO + _FENCE + _MMA + _WAIT, ["PTX5012"]),
        (_ZERO + _FENCE + _MMA + _COMMIT, ["PTX5013"]),
        (_ZERO + _FENCE + _MMA + _COMMIT + _USE + _WAIT, ["PTX5014"]),
        (_ZERO + _FENCE + _MMA + "mov.f32 %f2, 0f00000000;" + _COMMIT + _WAIT, ["PTX5014"]),
        (_ZERO + _FENCE + _MMA + _COMMIT + "add.f32 %f9, %f10, %f10;" + _WAIT, ["PTX5002"]),  # other registers
        (_ZERO + _FENCE + _MMA + _COMMIT + _WAIT.replace("0", "1") + _USE + _WAIT, ["PTX5014"]),
        (_ZERO + _LOOP.format(_FENCE + _MMA + _COMMIT) + _WAIT + _USE, []),
        (_ZERO + _LOOP.format(_FENCE + _MMA + _COMMIT + _WAIT.replace("0", "1")) + _WAIT + _USE, []),
        (_ZERO + _LOOP.format(_USE + _FENCE + _MMA + _COMMIT) + _WAIT, ["PTX5014"]),  # by way of the loop
        (_ZERO + _LOOP.format(_FENCE + _MMA + _COMMIT + _WAIT + _USE), []),
    ],
)
def test_wgmma(body: str, expected: list[str]) -> None:
    assert codes(body) == expected


def test_the_newest_groups_of_wgmma_may_still_run() -> None:
    other = _MMA.replace(_D, "{%f4, %f5, %f6, %f7}")
    zero = _ZERO + "".join(f"mov.f32 %f{i}, 0f00000000;" for i in range(4, 8))
    two = zero + _FENCE + _MMA + _COMMIT + other + _COMMIT + _WAIT.replace("0", "1")
    assert codes(two + _USE + _WAIT) == []
    assert codes(two + "add.f32 %f9, %f4, %f4;" + _WAIT) == ["PTX5014"]


def test_operands_of_wgmma_in_registers() -> None:
    mma = f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {_D}, {{%r1, %r2, %r3, %r4}}, %rd2, 1, 1, 1, 0;"
    zero = _ZERO + "".join(f"mov.b32 %r{i}, 0;" for i in range(1, 5))
    assert codes(zero + _FENCE + mma + _COMMIT + "add.u32 %r5, %r1, 1;" + _WAIT) == []  # reads are free
    assert codes(zero + _FENCE + mma + _COMMIT + "mov.b32 %r1, 1;" + _WAIT) == ["PTX5014"]
    assert codes(_FENCE + zero + mma + _COMMIT + _WAIT) == ["PTX5011"]


# --- convergence

_LEADER = "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_LEADER + "@%p1 bar.sync 0;", ["PTX5020"]),
        (_LEADER + "@!%p1 bra L; bar.sync 0; mov.u32 %r2, 1; L:", ["PTX5020"]),
        (_LEADER + "@!%p1 bra L; mov.u32 %r2, 1; L: bar.sync 0;", []),
        (_LEADER + "@!%p1 bra L; barrier.sync 0; L:", []),  # the kind for some lanes
        (_LEADER + "@!%p1 bra L; barrier.sync.aligned 0; L:", ["PTX5020"]),
        (_LEADER + "@%p1 ret; bar.sync 0;", []),  # lanes that have left are not waited for
        ("elect.sync _|%p1, -1; @!%p1 bra L; bar.sync 0; L:", ["PTX5020"]),
        ("mov.u32 %r1, %laneid; and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; bar.sync 0; L:", ["PTX5020"]),
        # whole warps
        ("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 128; @!%p1 bra L; bar.sync 0; L:", []),
        ("mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 0; @!%p1 bra L; bar.sync 0; L:", []),
        ("ld.param.u32 %r1, [a]; setp.eq.u32 %p1, %r1, 0; @!%p1 bra L; bar.sync 0; L:", []),
        ("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @!%p1 bra L; bar.sync 0; L:", []),
    ],
)
def test_aligned_under_divergence(body: str, expected: list[str]) -> None:
    assert codes(body) == expected


def test_a_block_of_one_thread_does_not_diverge() -> None:
    body = _LEADER + "@!%p1 bra L; bar.sync 0; L:"
    assert codes(body, ".reqntid 1") == []
    assert codes(body, ".reqntid 8, 8") == ["PTX5020"]


# --- mbarriers

_BARS = ".shared .align 8 .b8 bars[32]; "
_INIT = "mbarrier.init.shared.b64 [bars+8], 1; "
_ARRIVE = "mbarrier.arrive.shared.b64 _, [bars+8]; "
_TRY = "W: mbarrier.try_wait.parity.shared.b64 %p1, [bars+8], 0; @!%p1 bra W; "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_INIT + _ARRIVE + _TRY, []),
        (_ARRIVE + _TRY, ["PTX5030"]),
        (_INIT.replace("8", "16") + _ARRIVE + _TRY, ["PTX5030"]),
        (_ARRIVE + _INIT + _TRY, ["PTX5030"]),
        (_INIT + _ARRIVE, ["PTX5031"]),
        (_INIT, []),
        (_INIT + _ARRIVE + _TRY.replace("8", "16"), ["PTX5031", "PTX5030"]),
        # waits whose result nothing reads
        (_INIT + _ARRIVE + _TRY.replace("@!%p1 bra W; ", ""), ["PTX5033"]),
        (_INIT + _ARRIVE + _TRY.replace("@!%p1 bra W; ", "setp.eq.u32 %p1, 1, 0; @%p1 bra W; "), ["PTX5033"]),
        (_INIT + _ARRIVE + _TRY.replace("@!%p1 bra W; ", "selp.u32 %r1, 1, 0, %p1; "), []),
        (_INIT + _ARRIVE + _TRY.replace("@!%p1 bra W; ", "setp.eq.u32 %p2, 1, 0; @%p2 bra X; X: @!%p1 bra W; "), []),
        # the same address by other ways
        ("mov.u32 %r1, bars; add.u32 %r2, %r1, 8; mbarrier.init.shared.b64 [%r2], 1; " + _ARRIVE + _TRY, []),
        ("mov.u32 %r1, bars; mbarrier.init.shared.b64 [%r1+8], 1; " + _ARRIVE + _TRY, []),
        # an address that is not known
        ("ld.param.u32 %r1, [a]; mbarrier.init.shared.b64 [%r1], 1; " + _ARRIVE + _TRY, []),
        (_INIT + _ARRIVE + "ld.param.u32 %r1, [a]; mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0; @%p1 exit;", []),
        (_LEADER.replace("%p1", "%p2") + "@!%p2 bra L; " + _INIT + "L: bar.sync 0; " + _ARRIVE + _TRY, []),
    ],
)
def test_mbarriers(body: str, expected: list[str]) -> None:
    assert codes(_BARS + body) == expected


# --- what hangs together


def test_errors_leave_no_lints_behind() -> None:
    assert codes("add.u32 %r1, %nope, 1; add.u32 %r2, %r1, 1;") == ["PTX0010"]
    assert codes("add.f32 %r1, %rd1, 1; add.u32 %r2, %r1, 1;") == ["PTX0105"]
    assert codes("bra nowhere; add.u32 %r2, %r1, 1;") == ["PTX0012"]


def test_errors_of_one_kernel_leave_the_lints_of_others() -> None:
    one = kernel("add.u32 %r1, %nope, 1;\nadd.u32 %r2, %r1, 1;")
    two = one[one.index(".visible") :].replace(" k(", " other(").replace("%nope", "%r7")
    found = check(one + two)
    assert [d.code for d in found] == ["PTX0010", "PTX5002"]


def test_functions_are_checked_too() -> None:
    body = (
        f"{_HEAD}.func (.reg .b32 %out) twice(.reg .b32 %in)\n{{ {_REGISTERS}\nadd.u32 %out, %in, %in;\n"
        "add.u32 %r1, %r2, 1;\nmov.u32 %r3, 0x1FFFFFFFF;\nwgmma.commit_group.sync.aligned;\nret;\n}\n"
    )
    assert [d.code for d in check(body)] == ["PTX0107", "PTX5002"]
    assert [d.code for d in check(body, "sm_80", lints=False)] == ["PTX0107", "PTX1001"]


def test_calls_write_what_they_return() -> None:
    declared = ".func (.reg .b32 out) twice(.reg .b32 in) { add.u32 out, in, in; ret; }\n"
    source = kernel("mov.u32 %r2, 1; call (%r1), twice, (%r2); add.u32 %r3, %r1, 1;")
    assert check(source.replace(".visible", declared + ".visible")) == []
    source = source.replace("mov.u32 %r2, 1;", "")
    assert [d.code for d in check(source.replace(".visible", declared + ".visible"))] == ["PTX5002"]


def test_many_blocks_take_linear_time() -> None:
    """10,000 branches and as many registers, each written in one block and read in the next."""
    lines = ["mov.u32 %r0, 0; setp.eq.u32 %p1, %r0, 0;"]
    lines += [f"@%p1 bra L{i}; mov.u32 %r{i + 1}, 1; L{i}: add.u32 %q{i}, %r{i + 1}, %r{i};" for i in range(10_000)]
    body = ".reg .b32 %r<10002>; .reg .b32 %q<10002>; .reg .pred %p<2>;\n" + "\n".join(lines)
    assert check(f"{_HEAD}.visible .entry k()\n{{ {body}\nret;\n}}\n") == []
