"""Tensor maps that a kernel changes, and bytes that its mbarriers expect, in PTX from anywhere."""

from __future__ import annotations

import re

import pytest
import triton_compiler

from ptxlab.checks import check

_HEAD = """.version 8.6
.target sm_90a
.address_size 64
"""
_PRELUDE = (
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
    ".shared .align 1024 .b8 tile[4096]; .shared .align 128 .b8 made[128]; .shared .align 8 .b8 bars[32];\n"
)


def codes(body: str, prelude: str = _PRELUDE) -> list[str]:
    text = (
        f"{_HEAD}.visible .entry k(.param .u64 a, .param .align 64 .b8 given[128])\n{{\n{prelude}\n{body}\nret;\n}}\n"
    )
    return [d.code for d in check(text)]


_MAP = "ld.param.u64 %rd1, [a]; mov.u64 %rd9, 4096; "
_INIT = "mbarrier.init.shared.b64 [bars], 1; "
_WAIT = "W: mbarrier.try_wait.parity.shared.b64 %p8, [bars], 0; @!%p8 bra W; "
_REPLACE = "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [made], %rd9; "
_IN_PLACE = "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd9; "
_PUBLISH = (
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [made], 128; "
)
_RELEASE = "fence.proxy.tensormap::generic.release.gpu; "
_ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128; "
_LOAD = (
    _INIT + "mbarrier.arrive.expect_tx.shared.b64 _, [bars], 4096; "
    "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {0}], [bars]; " + _WAIT
)
_LOAD_BEHIND = _LOAD.replace("%rd1", "%rd5").replace("cp.a", "add.u64 %rd5, %rd1, 128; cp.a")  # of the map behind


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_REPLACE + _PUBLISH + _ACQUIRE + _LOAD, []),
        (_IN_PLACE + _RELEASE + _ACQUIRE + _LOAD, []),
        (_REPLACE, ["PTX5040"]),
        (_PUBLISH + _REPLACE, ["PTX5040"]),
        (_IN_PLACE + _ACQUIRE + _LOAD, ["PTX5040"]),
        # published on one way through the kernel
        (_REPLACE + "setp.eq.u64 %p1, %rd1, 0; @%p1 bra L; " + _PUBLISH + "L: ", []),
        # a copy in shared memory that ordinary stores bring to global memory
        (_REPLACE + "ld.shared.b64 %rd2, [made]; st.global.b64 [%rd1], %rd2; " + _RELEASE + _ACQUIRE + _LOAD, []),
        # what a function is called for is not known
        (_REPLACE + "call twice; ", []),
    ],
)  # fmt: skip
def test_changes_are_published(body: str, expected: list[str]) -> None:
    text = body.replace("call twice;", "{ call other; }")
    head = f"{_HEAD}.func other() {{ ret; }}\n.visible .entry k(.param .u64 a)\n{{\n{_PRELUDE}\n"
    assert [d.code for d in check(f"{head}{_MAP}{text}\nret;\n}}\n")] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_REPLACE + _PUBLISH + _LOAD, ["PTX5041"]),
        (_IN_PLACE + _RELEASE + _LOAD, ["PTX5041"]),
        # the same address in another register
        (_REPLACE + _PUBLISH + _LOAD.replace("%rd1", "%rd3").replace("cp.a", "cvta.global.u64 %rd3, %rd1; cp.a"), ["PTX5041"]),
        (
            "add.u64 %rd3, %rd1, 128; " + _REPLACE + _PUBLISH.replace("[%rd1]", "[%rd3]") + _LOAD_BEHIND,
            ["PTX5041"],
        ),
        # another map
        (_REPLACE + _PUBLISH + _LOAD_BEHIND, []),
        (_REPLACE + _PUBLISH + "ld.param.u64 %rd3, [a]; " + _LOAD.replace("%rd1", "%rd3"), []),
        # acquired by another address, or in a loop's turn before
        (_REPLACE + _PUBLISH + _ACQUIRE.replace("%rd1", "%rd9") + _LOAD, []),
        (_LOAD + _REPLACE + _PUBLISH, []),
    ],
)  # fmt: skip
def test_changes_are_acquired(body: str, expected: list[str]) -> None:
    assert codes(_MAP + body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_ACQUIRE.replace("gpu", "cta") + _LOAD, ["PTX5042"]),
        (_ACQUIRE.replace("gpu", "cluster") + _LOAD, ["PTX5042"]),
        (_ACQUIRE.replace("gpu", "sys") + _LOAD, []),
        (_REPLACE + _PUBLISH.replace("gpu", "cta") + _ACQUIRE.replace("gpu", "cta") + _LOAD, []),
        (_RELEASE + _ACQUIRE.replace("gpu", "cta") + _LOAD, []),  # ordinary stores may have changed it
    ],
)
def test_an_acquire_reaches_who_changed_the_map(body: str, expected: list[str]) -> None:
    assert codes(_MAP + body) == expected


def test_no_copy_reads_a_map_in_shared_memory() -> None:
    assert codes(_MAP + "cvta.shared.u64 %rd2, made; " + _LOAD.replace("%rd1", "%rd2")) == ["PTX5043"]
    given = "mov.u64 %rd2, given; cvta.param.u64 %rd3, %rd2; "
    assert codes(given + _LOAD.replace("%rd1", "%rd3")) == []


def test_maps_lie_at_multiples_of_128_bytes() -> None:
    assert codes(_MAP + _REPLACE.replace("made", "made+64") + _PUBLISH) == ["PTX0120"]
    moved = "mov.u32 %r1, made; add.u32 %r2, %r1, 32; "
    assert codes(_MAP + moved + _REPLACE.replace("made", "%r2") + _PUBLISH) == ["PTX0120"]
    narrow = _PRELUDE.replace(".align 128", ".align 64")
    assert codes(_MAP + _REPLACE + _PUBLISH, narrow) == ["PTX0120", "PTX0120"]
    # dynamic shared memory begins where the CTA's does, unless there is other
    dynamic = (
        f"{_HEAD}.extern .shared .align 16 .b8 all[];\n.visible .entry k(.param .u64 a)\n{{ .reg .b64 %rd<20>; STATIC\n"
    )
    dynamic += _MAP + (_REPLACE + _PUBLISH).replace("made", "all+1024") + "\nret;\n}\n"
    assert check(dynamic.replace("STATIC", "")) == []
    used = dynamic.replace("STATIC", ".shared .b32 word; .reg .b32 %r<2>; st.shared.b32 [word], 1;")
    assert [d.code for d in check(used)] == ["PTX0120", "PTX0120"]


def test_one_lane_publishes_nothing() -> None:
    parted = "elect.sync _|%p1, -1; @!%p1 bra L; " + _REPLACE + _PUBLISH + "L: "
    assert codes(_MAP + parted) == ["PTX5020"]
    assert codes(_MAP + parted.replace(_PUBLISH, "") + _PUBLISH) == []


@pytest.mark.corpus
def test_the_parts_of_a_real_kernel() -> None:
    text = triton_compiler.compile_ptx("copy_tma_device")
    for part, code in (("fence.proxy.tensormap::generic.acquire", "PTX5041"), ("tensormap.cp_fenceproxy", "PTX5040")):
        assert code not in [d.code for d in check(text)]
        assert code in [d.code for d in check(re.sub(rf".*{re.escape(part)}.*\n", "", text))]


# --- bytes

_EXPECT = "mbarrier.arrive.expect_tx.shared.b64 _, [bars], {}; "
_COPY = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile+{}], [%rd1], {}, [bars]; "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_EXPECT.format(2048) + _COPY.format(0, 1024) + _COPY.format(1024, 1024), []),
        (_EXPECT.format(1024) + _COPY.format(0, 1024) + _COPY.format(1024, 1024), ["PTX5032"]),
        (_EXPECT.format(2048) + _COPY.format(0, 1024), ["PTX5032"]),
        ("mov.u32 %r1, 1024; " + _EXPECT.format("%r1") + _COPY.format(0, 512), ["PTX5032"]),
        # what cannot be followed
        ("ld.param.u32 %r1, [a]; " + _EXPECT.format("%r1") + _COPY.format(0, 512), []),
        ("ld.param.u32 %r1, [a]; " + _EXPECT.format(2048) + _COPY.format(0, "%r1"), []),
        (_EXPECT.format(2048) + _COPY.format(0, 1024) + _LOAD[len(_INIT) : -len(_WAIT)], []),
        (_COPY.format(0, 1024) + _EXPECT.format(2048), []),
        (_EXPECT.format(2048) + "bra L; L: " + _COPY.format(0, 1024), []),
        ("setp.eq.u64 %p1, %rd1, 0; " + _EXPECT.format(2048) + "@%p1 " + _COPY.format(0, 1024), []),
        (
            "ld.param.u32 %r1, [a]; " + _EXPECT.format(2048) + _COPY.format(0, 1024)
            + _COPY.format(0, 512).replace("bars", "%r1"),
            [],
        ),
        (_EXPECT.format(2048) + _COPY.format(0, 1024) + "mbarrier.complete_tx.shared.b64 [bars], 1024; ", []),
    ],
)  # fmt: skip
def test_bytes(body: str, expected: list[str]) -> None:
    assert codes(_MAP + _INIT + body + _WAIT) == expected


def test_the_words_about_bytes() -> None:
    text = (
        f"{_HEAD}.visible .entry k(.param .u64 a)\n{{\n{_PRELUDE}{_MAP}{_INIT}\n{_EXPECT.format(2048)}\n"
        f"{_COPY.format(0, 1024)}\n{_WAIT}\nret;\n}}\n"
    )
    (found,) = check(text, file="k.ptx")
    assert found.message == (
        "`bars` expects 2048 bytes, but the copies in line 10 bring 1024: the wait would never end"
    )
    assert found.help == "expect 1024 bytes"
    assert found.span is not None
    assert found.span.line == 9


_BARS = ".shared .align 8 .b8 bars[32];"
_SECOND = (_INIT + _EXPECT.format(2048) + _COPY.format(0, 1024) + _WAIT).replace("[bars]", "[bars+8]")
_REST = "".join(f"mbarrier.init.shared.b64 [bars+{at}], 1; " for at in (0, 16, 24))


@pytest.mark.parametrize(
    ("declared", "more", "name"),
    [
        (".shared .b64 bars[4];", "", "`bars[1]`"),
        (_BARS, _REST, "`bars[1]`"),  # as k.mbarrier declares them
        (_BARS, "", "`bars` + 0x8"),  # what else lies there nobody knows
    ],
)
def test_a_barrier_is_called_by_its_place_in_its_array(declared: str, more: str, name: str) -> None:
    prelude = _PRELUDE.replace(_BARS, declared)
    (found,) = check(f"{_HEAD}.visible .entry k(.param .u64 a)\n{{\n{prelude}{_MAP}{more}{_SECOND}\nret;\n}}\n")
    assert found.code == "PTX5032"
    assert found.message.startswith(f"{name} expects 2048 bytes, ")
    unwaited = more + _INIT.replace("[bars]", "[bars+8]") + "mbarrier.arrive.shared.b64 _, [bars+8];"
    (found,) = check(f"{_HEAD}.visible .entry k(.param .u64 a)\n{{\n{prelude}{unwaited}\nret;\n}}\n")
    assert found.code == "PTX5031"
    assert f"the mbarrier at {name if '+' not in name else '`[bars+8]`'}, on which" in found.message


# --- barriers of several warps


def test_each_warp_may_initialise_a_barrier_of_its_own() -> None:
    body = (
        "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; shl.b32 %r3, %r2, 3; mov.u32 %r4, bars; add.u32 %r5, %r4, %r3; "
        "mbarrier.init.shared.b64 [%r5], 1; bar.sync 0; mbarrier.arrive.shared.b64 _, [bars+8]; "
        "W: mbarrier.try_wait.parity.shared.b64 %p1, [bars+8], 0; @!%p1 bra W;"
    )
    assert codes(body) == []


def test_another_warp_may_initialise_what_this_one_waits_for() -> None:
    init, meet = "mbarrier.init.shared.b64 [bars], 1; ", "barrier.sync 1; "
    first = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra OTHER; "
    use = "mbarrier.arrive.shared.b64 _, [bars]; " + _WAIT
    assert codes(first + init + meet + use + "bra END; OTHER: " + meet + use.replace("W", "V") + "END:") == []
    assert codes(first + init + meet + use + "bra END; OTHER: " + use.replace("W", "V") + "END:") == ["PTX5030"]
