"""What a kernel in Python becomes: one instruction a call, in the order of the calls."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from tracing import instructions, refused

import ptxlab as px
from ptxlab.lang.kernel import KernelFunction
from ptxlab.ptx.tree import File, Instruction, Loc


def copy(k, src: px.Ptr[px.b32], dst: px.Ptr[px.b32]):
    buf = k.smem(px.b32, 512, align=16)
    off = k.tid.x * 16
    k.cp.async_.cg.shared.global_(buf.at(off), src.at(off), 16)
    k.cp.async_.commit_group()
    k.cp.async_.wait_group(0)
    v = k.ld.shared.v4.b32(buf.at(off))
    k.st.global_.v4.b32(dst.at(off), v)


COPY = """\
.version 8.0
.target sm_90a
.address_size 64

.visible .entry copy(
    .param .u64 src,
    .param .u64 dst
)
.reqntid 128, 1, 1
.minnctapersm 1
{
    .reg .u32 %u<3>;
    .reg .u64 %ud<2>;
    .reg .b32 %r<4>;
    .reg .u64 %src, %dst;
    .reg .u32 %smem, %tid_x;
    .shared .align 16 .b8 smem[2048];
    mov.u32 %smem, smem;
    ld.param.u64 %src, [src];
    ld.param.u64 %dst, [dst];
    mov.u32 %tid_x, %tid.x;
    mul.lo.u32 %u0, %tid_x, 16;
    add.u32 %u1, %smem, %u0;
    mad.wide.u32 %ud0, %u0, 1, %src;
    cp.async.cg.shared.global [%u1], [%ud0], 16;
    cp.async.commit_group;
    cp.async.wait_group 0;
    add.u32 %u2, %smem, %u0;
    ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%u2];
    mad.wide.u32 %ud1, %u0, 1, %dst;
    st.global.v4.b32 [%ud1], {%r0, %r1, %r2, %r3};
    ret;
}
"""


def test_the_copy_kernel_of_the_readme() -> None:
    assert KernelFunction(copy, threads=128).trace().text(lines=False) == COPY


def test_operators_are_one_instruction_each() -> None:
    def kernel(k, x: px.u32, y: px.s32, f: px.f32, w: px.u64, h: px.b32):
        x + 1, 2 + x, x - 1, 7 - x, x * 3, x // 5, x % 5, x << 2, x >> 2, x & 3, x | 4, x ^ 5, ~x
        y >> 1, -y, y // 2, f + 1, f - f, f * 2.5, f / 3, -f, w + 1, w * 2, h + 1, h >> 1

    assert [i.split()[0] for i in instructions(kernel)] == [
        *("add.u32", "add.u32", "sub.u32", "sub.u32", "mul.lo.u32", "div.u32", "rem.u32", "shl.b32", "shr.u32"),
        *("and.b32", "or.b32", "xor.b32", "not.b32"),
        *("shr.s32", "neg.s32", "div.s32", "add.rn.f32", "sub.rn.f32", "mul.rn.f32", "div.rn.f32", "neg.f32"),
        *("add.u64", "mul.lo.u64", "add.u32", "shr.u32"),
    ]


def test_reversed_operands_keep_their_order() -> None:
    def kernel(k, x: px.u32):
        7 - x

    assert instructions(kernel) == ["sub.u32 %u0, 7, %x"]


def test_numbers_become_literals_of_the_operand_s_type() -> None:
    def kernel(k, f: px.f32, d: px.f64, x: px.u32):
        f + 1, f + np.float64(0.1), d + 0.1, x + np.int64(-1), x + np.uint8(255), f + np.float16(0.5)

    assert [i.split(", ")[-1] for i in instructions(kernel)] == [
        "0f3F800000",
        "0f3DCCCCCD",
        "0d3FB999999999999A",
        "-1",
        "255",
        "0f3F000000",
    ]


def test_results_are_allocated_or_named() -> None:
    def kernel(k, p: px.Ptr[px.f32]):
        one = k.ld.global_.f32(p)
        four = k.ld.global_.v4.f32(p + 16)
        assert isinstance(one, px.f32)
        assert isinstance(four, px.Registers)
        assert len(four) == 4
        lane, chosen = k.elect.sync(0xFFFFFFFF)
        assert isinstance(chosen, px.pred)
        assert not isinstance(lane, px.pred)
        assert k.elect.sync(0xFFFFFFFF, d="_").scalar.name == "pred"
        k.add.f32(four[0], one, d=one)
        assert k.st.global_.f32(p, one) is None
        k.ld.global_.v4.f32(p, d=four[::-1])

    assert instructions(kernel) == [
        "ld.global.f32 %f0, [%p]",
        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%p+16]",
        "elect.sync %u0|%p0, 4294967295",
        "elect.sync _|%p1, 4294967295",
        "add.f32 %f0, %f1, %f0",
        "st.global.f32 [%p], %f0",
        "ld.global.v4.f32 {%f4, %f3, %f2, %f1}, [%p]",
    ]


def test_optional_operands_by_name_and_by_position() -> None:
    def kernel(k, src: px.Ptr[px.b32], policy: px.b64):
        buf = k.smem(px.b32, 4, align=16)
        k.cp.async_.cg.shared.global_(buf, src, 16, 8)
        k.cp.async_.cg.shared.global_(buf, src, 16, src_size=8)
        k.cp.async_.cg.shared.global_.L2__cache_hint(buf, src, 16, policy)
        k.cp.async_.cg.shared.global_.L2__cache_hint(buf, src, 16, policy=policy)
        k.cp.async_.cg.shared.global_.L2__cache_hint(buf, src, 16, 8, policy)

    where = "[%smem], [%src], 16"
    assert [i.partition(" ")[2] for i in instructions(kernel)] == [
        f"{where}, 8",
        f"{where}, 8",
        f"{where}, %policy",
        f"{where}, %policy",
        f"{where}, 8, %policy",
    ]


def test_guards() -> None:
    def kernel(k, x: px.u32):
        p = x > 3
        k.add.u32(x, 1, pred=p)
        k.add.u32(x, 1, pred=~p)
        k.add.u32(x, 1, pred=~~p)

    assert instructions(kernel)[1:] == [
        "@%p0 add.u32 %u0, %x, 1",
        "@!%p0 add.u32 %u1, %x, 1",
        "@%p0 add.u32 %u2, %x, 1",
    ]


def test_augmented_assignment_writes_in_place() -> None:
    def kernel(k):
        i = k.mov.u32(0)
        same = i
        i += 1
        i <<= 2
        assert i is same

    assert instructions(kernel) == ["mov.u32 %u0, 0", "add.u32 %u0, %u0, 1", "shl.b32 %u0, %u0, 2"]


def test_addresses_fold_constants() -> None:
    def kernel(k, p: px.Ptr[px.f32], i: px.s32, j: px.u64):
        k.ld.global_.f32(p[3])
        k.ld.global_.f32(p.at(8).at(4))
        k.ld.global_.f32(p[i] + 4)
        k.ld.global_.f32(p.at(j))
        tile = k.smem(px.f32, (4, 8))
        k.ld.shared.f32(tile[2].at(4))
        k.ld.shared.f32(tile[i].at(4))
        assert tile.addr.reg is tile.address().base
        p[1].register()

    assert instructions(kernel) == [
        "ld.global.f32 %f0, [%p+12]",
        "ld.global.f32 %f1, [%p+12]",
        "mad.wide.s32 %sd0, %i, 4, %p",
        "ld.global.f32 %f2, [%sd0+4]",
        "add.u64 %ud0, %p, %j",
        "ld.global.f32 %f3, [%ud0]",
        "ld.shared.f32 %f4, [%smem+68]",
        "mad.lo.s32 %s0, %i, 32, %smem",
        "ld.shared.f32 %f5, [%s0+4]",
        "add.u64 %ud1, %p, 4",
    ]


def test_special_registers_are_read_once_at_the_entry() -> None:
    def kernel(k, n: px.u32):
        with k.if_(n > 1):
            k.tid.x + k.tid.x + k.ctaid.y
        k.clock64, k.clock64  # noqa: B018

    found = instructions(kernel)
    assert found[:2] == ["mov.u32 %tid_x, %tid.x", "mov.u32 %ctaid_y, %ctaid.y"]
    assert found[-2:] == ["mov.u64 %ud0, %clock64", "mov.u64 %ud1, %clock64"]


def test_uniform_warp_numbers() -> None:
    def flat(k):
        k.warp, k.warpgroup, k.warp  # noqa: B018

    def solid(k):
        k.thread  # noqa: B018

    assert instructions(flat, threads=256) == [
        "mov.u32 %tid_x, %tid.x",
        "shr.u32 %u0, %tid_x, 5",
        "shfl.sync.idx.b32 %warp, %u0, 0, 31, 4294967295",
        "shr.u32 %warpgroup, %warp, 2",
    ]
    # thread = (z · 8 + y) · 16 + x
    assert [i for i in instructions(solid, threads=(16, 8, 2)) if i.startswith("mad")] == [
        "mad.lo.u32 %u0, %tid_z, 8, %tid_y",
        "mad.lo.u32 %u1, %u0, 16, %tid_x",
    ]


def test_the_version_is_the_lowest_that_serves() -> None:
    def kernel(k, *, newest: bool):
        k.fence.proxy.async_.shared__cta()
        if newest:
            k.fence.proxy.tensormap__generic.release.gpu()

    old, new = (KernelFunction(kernel, threads=32).trace(newest=n).module.version for n in (False, True))
    assert old == (8, 0)
    assert new == (8, 3)


def test_constants_specialise_and_are_traced_once() -> None:
    calls: list[int] = []

    def kernel(k, *, n: int = 2, dtype=px.f32):
        calls.append(n)
        for _ in range(n):
            k.bar.sync(0)

    function = KernelFunction(kernel, threads=32)
    assert function.trace() is function.trace(n=2) is function.trace(dtype=px.f32, n=2)
    assert function.trace(n=3) is not function.trace()
    assert calls == [2, 3]


def test_parameters_and_directives() -> None:
    def add(k, map: px.TensorMap, p: px.Ptr[px.bf16], h: px.u16, b: px.bf16, d: px.f64):
        k.prefetch.tensormap(map)
        k.prefetch.tensormap(map)

    traced = KernelFunction(add, threads=(32, 4), cluster=(2, 1, 1), min_ctas=2).trace()
    text = traced.text(lines=False)
    assert traced.entry == "add"  # an opcode, but ptxas takes it as a name
    assert [(p.name, p.kind, p.type.name) for p in traced.parameters] == [
        ("map", "tensor_map", "b8"),
        ("p", "pointer", "u64"),
        ("h", "scalar", "u16"),
        ("b", "scalar", "bf16"),
        ("d", "scalar", "f64"),
    ]
    assert ".param .align 64 .b8 map[128]" in text
    assert ".reqntid 32, 4, 1\n.minnctapersm 2\n" in text
    assert ".reqnctapercluster 2, 1, 1\n" in text
    assert text.count("cvta.param.u64") == 1
    limited = KernelFunction(add, threads=32, max_registers=64).trace().text()
    assert ".maxnreg 64\n" in limited
    assert ".minnctapersm" not in limited


def test_instructions_are_bound_and_know_their_lines() -> None:
    traced = KernelFunction(copy, threads=128).trace()
    function = traced.module.function("copy")
    assert function is not None
    assert function.body is not None
    made = [i for i in function.body.items if isinstance(i, Instruction)]
    first = copy.__code__.co_firstlineno
    assert all(i.instance is not None and i.origin is not None for i in made)
    by_opcode = {i.opcode: i.origin.line - first for i in made if i.origin is not None}
    assert by_opcode["cp.async.cg.shared.global"] == 3
    assert by_opcode["st.global.v4.b32"] == 7
    locs = [i.line - first for i in function.body.items if isinstance(i, Loc)]
    assert locs == [1, 0, 2, 3, 4, 5, 6, 7, 0]


def test_source_paths_are_relative_to_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "mine" / "inner"
    package.mkdir(parents=True)
    for directory in (package, package.parent):
        (directory / "__init__.py").touch()
    source = package / "kernels.py"
    source.write_text("def kernel(k):\n    k.bar.sync(0)\n")
    spec = importlib.util.spec_from_file_location("mine.inner.kernels", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mine.inner.kernels", module)
    spec.loader.exec_module(module)
    traced = KernelFunction(module.kernel, threads=32).trace()
    assert [i.name for i in traced.module.items if isinstance(i, File)] == ["mine/inner/kernels.py"]
    assert str(tmp_path) not in traced.text()
    assert ".file" not in traced.text(lines=False)


def test_names_that_ptx_does_not_have() -> None:
    def größe(k, α: px.u32, WARP_SZ: px.u32, a: px.TensorMap):
        k.smem(px.f32, 4, name="my tile")
        k.smem(px.f32, 4, name="a")
        k.prefetch.tensormap(a)
        k.add.u32(α, WARP_SZ)

    traced = KernelFunction(größe, threads=32).trace()
    text = traced.text(lines=False)
    assert text.isascii()
    assert ".entry gr__e(\n    .param .u32 v_,\n    .param .u32 vWARP_SZ,\n    .param .align 64 .b8 a[128]\n)" in text
    assert [p.name for p in traced.parameters] == ["v_", "vWARP_SZ", "a"]
    assert ".b8 my_tile[16]" in text
    assert ".b8 a_1[16]" in text
    assert "add.u32 %u0, %v_, %vWARP_SZ" in text


def test_predicates_among_special_registers() -> None:
    def kernel(k):
        k.bar.sync(0, pred=k.is_explicit_cluster)

    assert instructions(kernel) == [
        "mov.pred %is_explicit_cluster_1, %is_explicit_cluster",
        "@%is_explicit_cluster_1 bar.sync 0",
    ]


def test_results_of_types_without_a_class_are_untyped() -> None:
    """Pairs and fours of narrow floats are bits to the register that holds them."""

    def kernel(k):
        pair = k.cvt.rn.satfinite.e4m3x2.f32(1.0, 2.0)
        k.cvt.rn.f16x2.e4m3x2(pair)

    assert instructions(kernel) == [
        "cvt.rn.satfinite.e4m3x2.f32 %rs0, 0f3F800000, 0f40000000",
        "cvt.rn.f16x2.e4m3x2 %r0, %rs0",
    ]


def test_numbered_registers_have_an_index() -> None:
    def kernel(k, out: px.Ptr[px.u64]):
        k.mov.b32(k.envreg[31])
        k.st.global_.u32(out[0], k.pm[2])
        k.st.global_.u64(out[0], k.pm_64[7])

    text = KernelFunction(kernel, threads=32).trace().text()
    assert all(f"{name};" in text for name in ("%envreg31", "%pm2", "%pm7_64"))
    assert refused("k.mov.b32(k.envreg[32])").help == "the numbers are 0 to 31"
    assert refused("k.mov.b32(k.envreg3)").help == "here it is k.envreg[3]"
    assert refused("k.pm_64 + 1").help == "take one by its number: k.pm_64[0]"


def test_one_of_several_registers_is_written_in_place() -> None:
    def kernel(k):
        acc = k.accumulator(64, 16)
        with k.loop(4):
            acc[3] += 1.5
            acc[-1] *= acc[3]
        four = k.fragment("mma.m16n8k16", "d", px.f32)
        four[0] -= 1.0

    written = [line for line in instructions(kernel) if line.startswith(("add.rn", "mul.rn", "sub.rn"))]
    assert written == [
        "add.rn.f32 %f3, %f3, 0f3FC00000",
        "mul.rn.f32 %f7, %f7, %f3",
        "sub.rn.f32 %f8, %f8, 0f3F800000",
    ]
    for text in ("k.accumulator(64, 8)[0] = k.mov.f32(1.0)", "k.accumulator(64, 8)[:2] = (1, 2)"):
        found = refused(text)
        assert found.code == "PTX2205"
        assert "k.mov.f32(value, d=registers[i])" in (found.help or "")
