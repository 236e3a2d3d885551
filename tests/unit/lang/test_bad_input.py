"""Every mistake gets one diagnostic: its code, the user's line, the way out."""

from __future__ import annotations

import pytest
from tracing import fails

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.lang.kernel import KernelFunction


def test_cp_async_cg_of_four_bytes() -> None:
    def kernel(k, src: px.Ptr[px.b32]):
        buf = k.smem(px.b32, 4)
        k.cp.async_.cg.shared.global_(buf, src, 4)  # here

    assert "16 bytes" in fails(kernel, "PTX0212").message


def test_setmaxnreg_out_of_step() -> None:
    def kernel(k):
        k.setmaxnreg.dec.sync.aligned.u32(30)  # here

    assert fails(kernel, "PTX0107").help == "the nearest value that it takes is 32"


def test_wgmma_with_n_12() -> None:
    def kernel(k, d: px.u64):
        acc = [k.reg(px.f32) for _ in range(6)]
        k.wgmma.mma_async.sync.aligned.m64n12k16.f32.bf16.bf16(acc, d, d, True, 1, 1, 0, 0)  # here

    assert "multiple of 8" in fails(kernel, "PTX0230").message


def test_bf16_with_an_f16_accumulator() -> None:
    def kernel(k, d: px.u64):
        acc = k.accumulator(64, 16, px.f16)
        k.wgmma.mma_async.sync.aligned.m64n16k16.f16.bf16.bf16(acc, d, d, True, 1, 1, 0, 0)  # here

    assert fails(kernel, "PTX0232").help == "use an f32 accumulator"


def test_wrong_number_of_accumulator_registers() -> None:
    def kernel(k, d: px.u64):
        acc = k.accumulator(64, 128)
        k.wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16(acc, d, d, True, 1, 1, 0, 0)  # here

    assert "64 registers, but takes 128" in fails(kernel, "PTX0106").message


def test_too_much_shared_memory() -> None:
    def kernel(k):
        k.smem(px.bf16, (6, 128, 64), swizzle="128B")
        k.smem(px.bf16, (5, 256, 64), swizzle="128B")  # here

    found = fails(kernel, "PTX2204")
    assert "29696 more" in found.message
    assert len(found.notes) == 2


def test_coordinates_of_the_wrong_rank() -> None:
    def raw(k, t: px.TensorMap):
        buf, bar = k.smem(px.f32, 64, align=128), k.mbarrier(1)
        k.init_barriers()
        k.cp.async_.bulk.tensor._2d.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, t, (0, 0, 0), bar)  # here

    def helper(k, t: px.TensorMap):
        buf, bar = k.smem(px.f32, (8, 8), align=128), k.mbarrier(1)
        k.init_barriers()
        k.tma_load(buf, t, (0, 0, 0), bar)  # here

    assert "3 registers, but takes 2" in fails(raw, "PTX0106").message
    assert "3 coordinates" in fails(helper, "PTX2211").message


def test_tile_that_no_box_fills() -> None:
    def wide(k, t: px.TensorMap):
        bar = k.mbarrier(1)
        k.init_barriers()
        k.tma_load(k.smem(px.f32, (4, 512), align=128), t, (0, 0), bar)  # here

    def twice(k, t: px.TensorMap):
        bar = k.mbarrier(1)
        k.init_barriers()
        k.tma_load(k.smem(px.f32, (8, 32), swizzle="128B"), t, (0, 0), bar)
        k.tma_load(k.smem(px.f32, (16, 32), swizzle="128B"), t, (0, 0), bar)  # here

    assert "at most 256" in (fails(wide, "PTX2211").help or "")
    assert "`t` moves boxes of (32, 8)" in fails(twice, "PTX2211").message


def test_opcodes() -> None:
    def unknown(k):
        k.cp.asink.cg  # noqa: B018  # here

    def unknown_root(k):
        k.addd.u32(1, 2)  # here

    def incomplete(k, src: px.Ptr[px.b32]):
        k.cp.async_.cg.shared(src, src, 16)  # here

    assert "did you mean k.cp.async_?" in (fails(unknown, "PTX0101").help or "")
    assert "k.add" in (fails(unknown_root, "PTX0100").help or "")
    assert ".global" in (fails(incomplete, "PTX0102").help or "")


def test_operands() -> None:
    def count(k, x: px.u32):
        k.add.u32(x)  # here

    def name(k, x: px.u32):
        k.add.u32(x, x, c=x)  # here

    def kind(k, x: px.u32):
        k.add.u32(x, (x, x))  # here

    def type_(k, x: px.f32):
        k.add.u32(x, 1)  # here

    def value(k, x: px.u32):
        k.add.u32(x, object())  # here

    def range_(k, x: px.u32):
        k.add.u32(x, 1 << 40)  # here

    def guard(k, x: px.u32):
        k.add.u32(x, 1, pred=x)  # here

    fails(count, "PTX0103")
    assert "its operands are d, a, b" in (fails(name, "PTX2203").help or "")
    fails(kind, "PTX0104")
    fails(type_, "PTX0105")
    fails(value, "PTX0109")
    fails(range_, "PTX0107")
    fails(guard, "PTX0104")


def test_python_cannot_decide_by_a_register() -> None:
    def branch(k, x: px.u32):
        if x > 3:  # here
            pass

    def negated(k, x: px.u32):
        if ~(x > 3):  # here
            pass

    def loop(k, x: px.u32):
        for _ in range(x):  # here
            pass

    def unpacked(k, x: px.u32):
        _a, _b = x  # here

    assert "k.if_" in (fails(branch, "PTX2201").help or "")
    fails(negated, "PTX2201")
    assert "k.loop" in (fails(loop, "PTX2201").help or "")
    fails(unpacked, "PTX2201")


def test_registers_that_must_not_be_written_or_shared() -> None:
    def fixed(k, x: px.u32):
        x += 1  # here

    def special(k):
        k.mov.u32(0, d=k.tid.x)  # here

    kept: list[object] = []
    KernelFunction(lambda k: kept.append(k.tid.x), threads=32).trace()

    def foreign(k):
        k.add.u32(kept[0], 1)  # here

    fails(fixed, "PTX2206")
    fails(special, "PTX2206")
    fails(foreign, "PTX2207")


def test_operators_without_an_instruction() -> None:
    def divided(k, x: px.u32):
        x / 2  # here

    def halves(k, x: px.bf16x2):
        x < x  # noqa: B015  # here

    def bytes_(k, x: px.Ptr[px.u8], y: px.Ptr[px.s8]):
        k.ld.global_.u8(x[0]) + 1  # here

    fails(divided, "PTX2205")
    fails(halves, "PTX2205")
    assert "k.cvt.u32.u8(x)" in (fails(bytes_, "PTX2205").help or "")


def test_blocks_out_of_place() -> None:
    def else_(k, x: px.u32):
        with k.if_(x > 3):
            k.add.u32(x, 1)
        k.add.u32(x, 1)
        with k.else_():  # here
            pass

    def break_(k):
        k.break_()  # here

    def constant(k):
        with k.if_(True):  # here
            pass

    def role(k):
        with k.role(warpgroup=0):  # here
            pass

    def once(k, x: px.u32):
        with k.while_(x > 3):  # here
            pass

    fails(else_, "PTX2208")
    fails(once, "PTX2208")
    fails(break_, "PTX2208")
    fails(constant, "PTX2208")
    fails(role, "PTX2208")


def test_roles_that_claim_too_much() -> None:
    def registers(k):
        with k.roles():  # here
            with k.role(warpgroup=0, registers=40):
                pass
            with k.role(warpgroup=range(1, 3), registers=240):
                pass

    def number(k):
        with k.roles(), k.role(warpgroup=3):  # here
            pass

    assert "66560 registers, but the CTA starts with 64512" in fails(registers, "PTX2210", threads=384).message
    fails(number, "PTX2210", threads=384)


def test_declarations() -> None:
    def shape(k):
        k.smem(px.f32, (0, 4))  # here

    def align(k):
        k.smem(px.f32, 4, align=12)  # here

    def dtype(k):
        k.smem(complex, 4)  # here

    def swizzle(k):
        k.smem(px.f32, 4, swizzle="96B")  # here

    def count(k):
        k.mbarrier(0)  # here

    def forgotten(k):
        k.mbarrier(1)  # here

    def accumulator(k):
        k.accumulator(64, 12)  # here

    def stages(k):
        tile = k.smem(px.bf16, (2, 64, 64), swizzle="128B")
        k.ring(4, tile)  # here

    def operand(k):
        k.smem(px.bf16, (12, 64), swizzle="128B").descriptor()  # here

    for fn, code in (
        (shape, "PTX2210"),
        (align, "PTX2210"),
        (dtype, "PTX2202"),
        (swizzle, "PTX2112"),
        (count, "PTX2210"),
        (forgotten, "PTX2212"),
        (accumulator, "PTX2210"),
        (stages, "PTX2210"),
        (operand, "PTX2121"),
    ):
        fails(fn, code)
    assert fails(forgotten, "PTX2212").message == "`mbar` is declared but never initialised"


def test_numbers_that_must_be_whole() -> None:
    def shape(k):
        k.smem(px.f32, "16")  # here

    def index(k):
        k.smem(px.f32, (4, 4))[1.5]  # here

    def offset(k, p: px.Ptr[px.f32]):
        p.at(0.5)  # here

    def count(k):
        k.mbarrier(1.0)  # here

    def axis(k):
        k.tid.w  # noqa: B018  # here

    for fn in (shape, index, offset, count):
        fails(fn, "PTX0109")
    fails(axis, "PTX0101")


def test_what_the_target_lacks() -> None:
    def kernel(k):
        k.wgmma.fence.sync.aligned()  # here

    assert fails(kernel, "PTX1001", target="sm_90").help == "it needs sm_90a"


def test_signatures_and_options() -> None:
    def bare(k, x): ...
    def predicate(k, x: px.pred): ...
    def wrong(k, x: int): ...
    def none(): ...
    def alike(k, α: px.u32, β: px.u32): ...
    def strange(k, p: px.Ptr[int]): ...
    def fine(k, *, n): ...

    for fn in (bare, predicate, wrong, none, alike, strange):
        with pytest.raises(Diagnostic) as caught:
            KernelFunction(fn, threads=32)
        assert caught.value.code == "PTX2200"
        assert caught.value.origin is not None
        assert caught.value.origin.line == fn.__code__.co_firstlineno
    for options in (
        {"threads": 2000},
        {"threads": 0},
        {"threads": 32, "cluster": 17},
        {"threads": 32, "target": "hopper"},
    ):
        with pytest.raises(Diagnostic) as caught:
            KernelFunction(fine, **options)  # type: ignore[arg-type]
        assert caught.value.code == "PTX2210"
    for constants in ({}, {"m": 1}, {"n": []}):
        with pytest.raises(Diagnostic) as caught:
            KernelFunction(fine, threads=32).trace(**constants)
        assert caught.value.code == "PTX2209"
