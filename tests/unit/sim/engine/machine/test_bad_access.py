"""What a user reads of an access that goes wrong: which thread, where, how far outside, and the way out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

from ...launching import launch

HEAD = """
    .reg .b32 %r<16>; .reg .b64 %rd<10>; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .f32 %f<4>;
    .shared .align 128 .b8 s[512]; .shared .align 8 .b64 bar; .local .align 4 .b8 mine[16];
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u64 %rd2, bar; mov.u64 %rd3, mine; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 9;
    mov.u64 %rd9, 0; mov.u64 %rd4, 0; add.u64 %rd5, %rd1, 4; selp.b64 %rd4, %rd4, %rd1, %p2; selp.b64 %rd5, %rd5, %rd1, %p2;
    @%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;
"""
VARIABLES = ".const .align 4 .b8 c[16] = {1, 2, 3};\n.global .align 4 .b8 g[16];\n"
LINE = 11
"""Of the text that is launched: where the instruction stands."""


def kernel(body: str, extra: str = "") -> str:
    head = " ".join(HEAD.split("\n"))
    top = f".version 8.7\n.target sm_90a\n.address_size 64\n{VARIABLES}"
    return f"{top}.visible .entry k(.param .u64 a{extra})\n{{\n{head}\n\n\n{body}\nexit;\n}}"


def fails(text: str, args: list[Any], **how: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        launch(text, args, **how)
    assert caught.value.also == ()
    return caught.value


NOTHING = ("", "")
BEYOND = "end {} behind the 256 bytes of `a`"
ELEMENT = "`a` is a uint32 array of 64; its elements are 0 to 63, these bytes begin at {}"

# instruction, code, message, thread; the messages of native instructions begin with the instruction
GLOBAL = {
    "behind": ("ld.global.u32 %r3, [%rd1+260]", "PTX9002", "4 bytes at `a + 0x104` end 8 bytes behind the 256 bytes of `a`"),
    "before": ("ld.global.u32 %r3, [%rd1+-4]", "PTX9002", "4 bytes at `a - 0x4` begin 4 bytes before the 256 bytes of `a`"),
    "one byte": ("ld.u8 %h1, [%rd1+256]", "PTX9002", "1 byte at `a + 0x100` end 1 byte behind the 256 bytes of `a`"),
    "vector": ("st.global.v4.u32 [%rd1+256], {%r1, %r1, %r1, %r1}", "PTX9002",
               "16 bytes at `a + 0x100` end 16 bytes behind the 256 bytes of `a`"),
    "across the end": ("ld.global.v2.u32 {%r3, %r4}, [%rd1+248]", None, ""),
    "null": ("ld.global.u32 %r3, [%rd9]", "PTX9002", "4 bytes at address 0x0: a null pointer"),
    "null and an offset": ("mov.u64 %rd6, 0; atom.add.u32 %r3, [%rd6+16], 1", "PTX9002", "4 bytes at address 0x10: a null pointer"),
    "far away": ("mov.u64 %rd6, 0x123456780; st.global.u32 [%rd6], %r1", "PTX9002",
                 "4 bytes at address 0x123456780, where no array of the launch lies"),
    "the last address": ("mov.u64 %rd6, -2; ld.global.u16 %h1, [%rd6]", "PTX9002",
                         "2 bytes at address 0xfffffffffffffffe, where no array of the launch lies"),
    "misaligned": ("red.global.add.u32 [%rd1+2], 1", "PTX9006", "`a + 0x2` is not a multiple of 4 bytes"),
    "misaligned vector": ("ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1+8]", "PTX9006", "`a + 0x8` is not a multiple of 16 bytes"),
    "one thread": ("ld.global.u32 %r3, [%rd4]", "PTX9002", "4 bytes at address 0x0: a null pointer"),
    "a variable": ("ld.global.u32 %r3, [g+16]", "PTX9002", "4 bytes at `g + 0x10` end 4 bytes behind the 16 bytes of `g`"),
    "a constant": ("ld.const.u32 %r3, [c+-4]", "PTX9002", "4 bytes at `c - 0x4` begin 4 bytes before the 16 bytes of `c`"),
}  # fmt: skip
THREADS = {"one thread": 9}


@pytest.mark.parametrize("name", GLOBAL)
def test_global_and_constant_memory(name: str) -> None:
    body, code, words = GLOBAL[name]
    a = np.arange(64, dtype=np.uint32)
    if code is None:
        launch(kernel(body + ";"), [a])
        return
    found = fails(kernel(body + ";"), [a])
    text = body.rpartition("; ")[2]
    assert (found.code, found.message) == (code, f"`{text}`: {words}")
    thread = THREADS.get(name, 0)
    assert f"executed by thread ({thread}, 0, 0) of CTA (0, 0, 0)" in found.notes
    assert found.span is not None
    assert found.span.line == LINE
    assert found.help
    assert found.isa
    if code == "PTX9002" and "`a " in words:
        at = int(re.search(r"`a ([+-] 0x\w+)`", words)[1].replace(" ", ""), 16)  # type: ignore[index]
        assert (at % 4 != 0) or ELEMENT.format(at // 4) in found.notes


OTHER = {
    "ld.shared.u32 %r3, [s+520]": ("PTX9007", "4 bytes at shared + 0x208 end 4 bytes behind the CTA's 520 bytes of shared memory"),
    "st.shared.u32 [s+-4], %r1": (
        "PTX9007", "4 bytes at shared - 0x4 lie in the 1024 bytes of shared memory that belong to the system"),
    "atom.shared.add.u32 %r3, [s+2], 1": ("PTX9006", "`s` + 0x2 (shared + 0x2) is not a multiple of 4 bytes"),
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [s+8]": ("PTX9006", "`s` + 0x8 (shared + 0x8) is not a multiple of 16 bytes"),
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [s+1008], {%r3}": (
        "PTX9007", "16 bytes at shared + 0x3f0 end 504 bytes behind the CTA's 520 bytes of shared memory"),
    "ld.local.u32 %r3, [mine+16]": ("PTX9008", "4 bytes at local + 0x10 end 4 bytes behind the thread's 16 bytes of local memory"),
    "st.local.u32 [mine+-4], %r3": ("PTX9008", "4 bytes at local - 0x4 begin 4 bytes before the thread's local memory"),
    "ld.local.v2.u32 {%r3, %r4}, [mine+4]": ("PTX9006", "`mine` + 0x4 (local + 0x4) is not a multiple of 8 bytes"),
    "ld.shared::cluster.u32 %r3, [s+0x3000000]": ("PTX9009", None),
    "ld.shared.u32 %r3, [s+0x1000000]": ("PTX9014", None),
    "ld.param.u32 %r3, [a+8]": ("PTX9002", None),
}  # fmt: skip


@pytest.mark.parametrize("body", OTHER)
def test_memory_of_the_cta_and_of_the_thread(body: str) -> None:
    code, words = OTHER[body]
    found = fails(kernel(body + ";"), [np.arange(64, dtype=np.uint32)])
    assert found.code == code
    assert found.message.startswith(f"`{body}`" if words is None else f"`{body}`: {words}")
    assert found.span is not None
    assert found.span.line == LINE
    assert found.help


GENERIC = {
    "cvta.shared.u64 %rd6, %rd2; ld.u32 %r3, [%rd6+8]": "PTX9007",
    "cvta.local.u64 %rd6, %rd3; st.u32 [%rd6+16], %r3": "PTX9008",
    "cvta.local.u64 %rd6, %rd3; st.u32 [%rd6+2], %r3": "PTX9006",
    "mov.u64 %rd6, c; cvta.const.u64 %rd6, %rd6; st.u32 [%rd6], %r3": "PTX9004",
}


@pytest.mark.parametrize("body", GENERIC)
def test_generic_addresses_are_described_by_the_space_that_they_lie_in(body: str) -> None:
    assert fails(kernel(body + ";"), [np.arange(64, dtype=np.uint32)]).code == GENERIC[body]


BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
UNITS = {
    f"{BULK} [s], [%rd1+240], 32, [bar]": ("PTX9002", "32 bytes at `a + 0xf0` end 16 bytes behind the 256 bytes of `a`"),
    f"{BULK} [s+496], [%rd1], 64, [bar]": ("PTX9122", "64 bytes at `s` + 0x1f0 (shared + 0x1f0) end 40 bytes behind the CTA's 520"),
    f"{BULK} [s], [%rd1+8], 16, [bar]": ("PTX9121", "at `a + 0x8` is not aligned to 16 bytes"),
    f"{BULK} [s+8], [%rd1], 16, [bar]": ("PTX9121", "at `s` + 0x8 (shared + 0x8) is not aligned to 16 bytes"),
    f"{BULK} [s], [%rd9], 16, [bar]": ("PTX9002", "16 bytes at address 0x0: a null pointer"),
    f"{BULK} [s], [%rd1], 16, [bar+4]": ("PTX9121", "the mbarrier of `"),
    f"{BULK} [s], [%rd1], 16, [bar+4096]": ("PTX9122", "8 bytes at shared + 0x1200 end 4096 bytes behind the CTA's 520"),
    f"{BULK} [s], [%rd1], 16, [s+64]": ("PTX9110", "uses `s` + 0x40 (shared + 0x40) of CTA (0, 0, 0)"),
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [s], 16": ("PTX9002", "16 bytes at `a + 0x100` end 16 bytes behind"),
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+4], [s], 16": ("PTX9121", "the destination of `"),
    "mbarrier.arrive.shared.b64 %rd6, [bar+4]": ("PTX9121", "the mbarrier of `mbarrier.arrive.shared.b64`"),
    "mbarrier.arrive.shared.b64 %rd6, [bar+8]": ("PTX9122", "8 bytes at shared + 0x208 end 8 bytes behind"),
    "mbarrier.arrive.b64 %rd6, [%rd1]": ("PTX9115", "but `a + 0x0` lies outside it"),
    "mbarrier.try_wait.parity.shared.b64 %p3, [s], 0": ("PTX9110", "uses `s` (shared + 0x0)"),
    "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {%r1}], [s]": (
        None, "bytes at `a + 0x0` are no tensor map to copy by"),
}  # fmt: skip


@pytest.mark.parametrize("body", UNITS)
def test_asynchronous_units(body: str) -> None:
    code, words = UNITS[body]
    a = px.empty(64, np.uint32)
    a[:] = np.arange(64)
    found = fails(kernel(f"@%p1 {body};"), [a])
    assert code is None or found.code == code
    assert words in found.message
    by = next(n for n in found.notes if n.startswith("executed by thread (0, 0, 0) of CTA (0, 0, 0)"))
    assert body.split(" ")[0] in found.message + by
    assert found.span is not None
    assert found.span.line == LINE
    assert found.help


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("cp.async.ca.shared.global [s], [%rd4], 16", "PTX9002"),
        ("cp.async.ca.shared.global [s], [%rd5], 16", "PTX9121"),
    ],
)
def test_the_thread_to_blame_is_named_where_a_unit_copies_for_a_warp(body: str, code: str) -> None:
    found = fails(kernel(body + ";"), [px.empty(64, np.uint32)])
    assert found.code == code
    assert any(n.startswith("executed by thread (9, 0, 0) of CTA (0, 0, 0)") for n in found.notes)


MAPA = "mapa.shared::cluster.u32 %r3, %r2, 1; "


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            "ld.shared::cluster.u32 %r4, [%r3+4096];",
            "PTX9007",
            "4 bytes at shared + 0x1000 of CTA (1, 0, 0) end 3580 bytes behind",
        ),
        (
            "st.shared::cluster.u32 [%r3+2], %r1;",
            "PTX9006",
            "`s` + 0x2 (shared + 0x2) of CTA (1, 0, 0) is not a multiple of 4",
        ),
        (
            "mbarrier.arrive.shared::cluster.b64 _, [%r3+516];",
            "PTX9121",
            "`bar` + 0x4 (shared + 0x204) of CTA (1, 0, 0) is not aligned",
        ),
        (
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3+4096], %r1, [%r3+512];",
            "PTX9122",
            "of CTA (1, 0, 0) end",
        ),
    ],
)
def test_memory_of_another_cta_is_called_by_its_cta(body: str, code: str, words: str) -> None:
    found = fails(kernel(MAPA + body), [np.arange(64, dtype=np.uint32)], grid=(2, 1, 1), cluster=(2, 1, 1))
    assert found.code == code
    assert words in found.message


TMA = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            f"{TMA} [s+16], [%rd6, {{%r4, %r4}}], [bar]",
            "PTX9121",
            "at `s` + 0x10 (shared + 0x10) is not aligned to 128 bytes",
        ),
        (f"{TMA} [s+384], [%rd6, {{%r4, %r4}}], [bar]", "PTX9122", "end 120 bytes behind the CTA's 520 bytes"),
        (f"{TMA} [s], [%rd7, {{%r4, %r4}}], [bar]", "PTX9124", "at parameter `m + 0x8` is not aligned to 64 bytes"),
        (f"{TMA} [s], [%rd9, {{%r4, %r4}}], [bar]", "PTX9002", "128 bytes at address 0x0: a null pointer"),
        (
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd6, {%r4, %r4}], [s+384]",
            "PTX9122",
            "the source of",
        ),
    ],
)
def test_boxes(body: str, code: str, words: str) -> None:
    x = px.empty((16, 16), np.float32)
    text = kernel(
        f"mov.u64 %rd6, m; cvta.param.u64 %rd6, %rd6; add.u64 %rd7, %rd6, 8; mov.u32 %r4, 0; @%p1 {body};",
        ", .param .align 64 .b8 m[128]",
    )
    with pytest.raises(Diagnostic) as caught:
        px.simulate(px.parse(text)["k"], grid=1, block=32, args=[x, px.tensor_map(x, box=(8, 8))])
    assert (caught.value.code, words in caught.value.message) == (code, True)


def test_a_box_stored_to_an_array_that_is_read_only() -> None:
    x = px.empty((16, 16), np.float32)
    x.flags.writeable = False
    store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd6, {%r4, %r4}], [s]"
    body = f"mov.u64 %rd6, m; cvta.param.u64 %rd6, %rd6; mov.u32 %r4, 0; @%p1 {store};"
    with pytest.raises(Diagnostic) as caught:
        px.simulate(
            px.parse(kernel(body, ", .param .align 64 .b8 m[128]"))["k"],
            grid=1,
            block=32,
            args=[x, px.tensor_map(x, box=(8, 8))],
        )
    assert caught.value.code == "PTX9004"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("mov.u32 %r3, 20; bar.sync %r3;", "a CTA has no barrier 20"),
        ("mov.u32 %r3, 33; bar.sync 1, %r3;", "33 threads are not one or more whole warps"),
    ],
)
def test_barriers(body: str, words: str) -> None:
    found = fails(kernel(body), [np.arange(64, dtype=np.uint32)])
    assert (found.code, words in found.message) == ("PTX9012", True)


def test_what_was_written_before_the_fault_stays() -> None:
    a = np.zeros(64, np.uint32)
    body = "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd6, %rd1; st.global.u32 [%rd6], 7; ld.global.u32 %r3, [%rd4];"
    fails(kernel(body), [a])
    assert a.tolist() == [7] * 32 + [0] * 32


def test_an_indexed_branch_behind_its_list() -> None:
    body = "list: .branchtargets A, B; brx.idx %r1, list; A: B:"
    found = fails(kernel(body), [np.arange(64, dtype=np.uint32)])
    assert (found.code, "index 2 lies behind" in found.message) == ("PTX9022", True)
    assert "executed by thread (2, 0, 0) of CTA (0, 0, 0)" in found.notes


@pytest.mark.parametrize("body", ["ld.global.u32 %r3, [far];", "mov.u64 %rd6, far;", "ld.const.u32 %r3, [table];"])
def test_a_variable_that_no_file_defines(body: str) -> None:
    text = kernel(body).replace(".visible", ".extern .global .b32 far;\n.extern .const .b32 table;\n.visible", 1)
    with pytest.raises(Diagnostic) as caught:
        px.simulate(px.parse(text)["k"], grid=1, block=32, args=[np.zeros(64, np.uint32)])
    assert caught.value.code == "PTX9003"
    assert "px.link" in (caught.value.help or "")


SOURCED = """
.version 8.0
.target sm_90a
.address_size 64
.file 1 "scale.cu"
.visible .entry k(.param .u64 a)
{
    .reg .b64 %rd<3>; .reg .b32 %r<3>; .shared .b64 bar; .reg .pred %p;
    .loc 1 4 0
    ld.param.u64 %rd1, [a]; mov.u32 %r1, bar;
    .loc 1 7 0
    INSTRUCTION
    ret;
}
"""


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        ("st.global.u32 [%rd1+256], 1;", "PTX9002"),
        ("mbarrier.arrive.shared.b64 %rd2, [%r1+8];", "PTX9122"),
        ("trap;", "PTX9010"),
        ("W: add.u32 %r2, %r2, 1; bra W;", "PTX9005"),
        (
            "mbarrier.init.shared.b64 [%r1], 1; W: mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0; @!%p bra W;",
            "PTX9100",
        ),
    ],
)
def test_the_source_line_behind_the_ptx_is_named(instruction: str, code: str) -> None:
    """What .loc says, for faults, for endless loops and for deadlocks."""
    kernel = px.parse(SOURCED.replace("INSTRUCTION", instruction), "scale.ptx")["k"]
    with pytest.raises(Diagnostic) as caught:
        px.simulate(kernel, grid=1, block=1, args=[np.zeros(64, np.uint32)], max_instructions=10_000)
    found = caught.value
    assert found.code == code
    assert found.span is not None
    assert found.span.line == 12
    assert found.origin is not None
    assert (found.origin.file, found.origin.line) == ("scale.cu", 7)


def test_inline_assembly_belongs_to_one_source_line() -> None:
    """LLVM counts the lines of the assembly on, from the source line that it stands in."""
    inline = "// begin inline asm\n.loc 1 7 9\nmov.u32 %r1, 0;\n.loc 1 8 9\nINNER\n// end inline asm\n.loc 1 9 1\nOUTER"
    for inner, outer, line in (("trap;", "", 7), ("", "trap;", 9)):
        text = SOURCED.replace("INSTRUCTION", inline.replace("INNER", inner).replace("OUTER", outer))
        with pytest.raises(Diagnostic) as caught:
            px.simulate(px.parse(text)["k"], grid=1, block=1, args=[np.zeros(64, np.uint32)])
        assert caught.value.origin is not None
        assert caught.value.origin.line == line


def test_an_array_without_elements_is_called_so() -> None:
    a = np.zeros((0, 4), np.float32)
    with pytest.raises(Diagnostic) as caught:
        px.simulate(px.parse(kernel("st.global.u32 [%rd1], 1;"))["k"], grid=1, block=32, args=[a])
    assert caught.value.code == "PTX9002"
    assert "`a` is a float32 array of 0×4: it has no elements" in caught.value.notes


@pytest.mark.parametrize("count", [1 << 20, (1 << 31) + 5, (1 << 32) - 1])
def test_more_bytes_than_an_mbarrier_counts(count: int) -> None:
    body = f"mov.u32 %r3, {count}; @%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], %r3;"
    found = fails(kernel(body), [np.arange(64, dtype=np.uint32)])
    assert (found.code, f"would lack {count} bytes" in found.message) == ("PTX9113", True)


def _stopped(fn: Any, **options: Any) -> Diagnostic:
    memory = px.empty(9, np.float32)
    with pytest.raises(Diagnostic) as caught:
        px.simulate(px.kernel(threads=32)(fn), grid=1, args=[memory[1:]], sanitize=False, **options)
    return caught.value


def test_what_is_misaligned_names_what_aligns_it() -> None:
    def of_array(k, x: px.Ptr[px.f32]):
        k.ld.global_.v4.f32(x[0])

    def of_tile(k, x: px.Ptr[px.f32]):
        k.st.shared.f32(k.smem(px.f32, 1)[0], 1.0)
        k.ld.shared.v4.f32(k.smem(px.f32, 8)[0])

    def of_index(k, x: px.Ptr[px.f32]):
        k.ld.shared.v4.f32(k.smem(px.f32, 8, align=16)[1])

    found = _stopped(of_array)
    assert (found.code, found.help) == (
        "PTX9006",
        "make the array by px.empty(shape, dtype), which aligns to 256 bytes: `x` begins 4 bytes behind a multiple of 16",
    )
    assert "k.smem(px.f32, n, align=16)" in (_stopped(of_tile).help or "")
    assert _stopped(of_index).help == "align the address, or use a narrower access"


def test_a_rank_without_a_cluster_names_the_option() -> None:
    def remote(k, x: px.Ptr[px.f32]):
        k.ld.shared__cluster.f32(k.smem(px.f32, 1).remote(1))

    found = _stopped(remote)
    assert found.code == "PTX9009"
    assert "@px.kernel(…, cluster=4)" in (found.help or "")
    assert "%cluster_ctarank" in (_stopped(remote, cluster=1).help or "")


def test_an_offset_into_shared_memory_is_no_generic_address() -> None:
    def raw(k, x: px.Ptr[px.f32]):
        place = k.mapa.u64(k.cvt.u64.u32(k.smem(px.f32, 1).address().register()), 0)
        k.ld.f32(px.Address.of(place))

    found = _stopped(raw)
    assert found.code == "PTX9002"
    assert "or an offset into shared memory" in found.message
    assert "cvta" in (found.help or "")
