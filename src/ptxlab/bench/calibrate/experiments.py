"""Latencies by one chain of one warp, and throughputs by many chains of many warps, for instructions of every class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.bench.calibrate.network import network
from ptxlab.bench.calibrate.programs import (
    Program,
    beside,
    beside_copies,
    bulk_copy,
    chain,
    chase,
    handshake,
    meeting,
    product,
    shared_chase,
    shared_loads,
    softmax,
    warpgroup_product,
)

STEPS: Final = (
    ("add.u32", "add.u32 {r}, {r}, {k};", "u32", "IADD3"),
    ("mul.lo.u32", "mul.lo.u32 {r}, {r}, {k};", "u32", "IMAD"),
    ("mad.lo.u32", "mad.lo.u32 {r}, {r}, {k}, {k};", "u32", "IMAD"),
    ("mul.hi.u32", "mul.hi.u32 {r}, {r}, {k};", "u32", "IMAD.HI"),
    ("lop3", "lop3.b32 {r}, {r}, {k}, {r}, 0x69;", "b32", "LOP3"),
    ("shl.b32", "shl.b32 {r}, {r}, {k};", "b32", "SHF"),
    ("shf.l.wrap", "shf.l.wrap.b32 {r}, {r}, {r}, {k};", "b32", "SHF"),
    ("min.s32", "min.s32 {r}, {r}, {k}; xor.b32 {r}, {r}, {k};", "s32", "VIMNMX"),
    ("popc.b32", "popc.b32 {r}, {r};", "b32", "POPC"),
    ("bfind.u32", "bfind.u32 {r}, {r};", "u32", "FLO"),
    ("brev.b32", "brev.b32 {r}, {r};", "b32", "BREV"),
    ("prmt.b32", "prmt.b32 {r}, {r}, {k}, {k};", "b32", "PRMT"),
    ("dp4a", "dp4a.s32.s32 {r}, {k}, {k}, {r};", "s32", "IDP"),
    ("selp.b32", "setp.lt.u32 %q, {r}, {k}; selp.b32 {r}, %other, {r}, %q; xor.b32 {r}, {r}, {k};", "u32", "SEL"),
    ("mad.wide.u32", "cvt.u32.u64 %scratch0, {r}; mad.wide.u32 {r}, %scratch0, %scratch0, {k};", "u64", "IMAD"),
    ("add.u64", "add.u64 {r}, {r}, {k};", "u64", ""),
    ("mul.lo.u64", "mul.lo.u64 {r}, {r}, {k};", "u64", ""),
    ("div.u32", "div.u32 {r}, {k}, {r};", "u32", ""),
    ("rem.u32", "rem.u32 {r}, {k}, {r};", "u32", ""),
    ("add.f32", "add.rn.f32 {r}, {r}, {k};", "f32", "FADD"),
    ("mul.f32", "mul.rn.f32 {r}, {r}, {k};", "f32", "FMUL"),
    ("fma.rn.f32", "fma.rn.f32 {r}, {r}, {k}, {k};", "f32", "FFMA"),
    ("min.f32", "min.f32 {r}, {r}, {k}; max.f32 {r}, {r}, {k};", "f32", "FMNMX"),
    ("ex2.approx.ftz.f32", "ex2.approx.ftz.f32 {r}, {r};", "f32", "MUFU"),
    ("lg2.approx.ftz.f32", "lg2.approx.ftz.f32 {r}, {r};", "f32", "MUFU"),
    ("rcp.approx.ftz.f32", "rcp.approx.ftz.f32 {r}, {r}; add.rn.f32 {r}, {r}, {k};", "f32", "MUFU"),
    ("rsqrt.approx.ftz.f32", "rsqrt.approx.ftz.f32 {r}, {r};", "f32", "MUFU"),
    ("sin.approx.f32", "sin.approx.f32 {r}, {r};", "f32", ""),
    ("tanh.approx.f32", "tanh.approx.f32 {r}, {r};", "f32", "MUFU"),
    ("div.rn.f32", "div.rn.f32 {r}, {r}, {k};", "f32", ""),
    ("sqrt.rn.f32", "sqrt.rn.f32 {r}, {r};", "f32", ""),
    ("add.f16x2", "add.rn.f16x2 {r}, {r}, {k};", "f16x2", "HADD2"),
    ("fma.f16x2", "fma.rn.f16x2 {r}, {r}, {k}, {k};", "f16x2", "HFMA2"),
    ("fma.bf16x2", "fma.rn.bf16x2 {r}, {r}, {k}, {k};", "bf16x2", "HFMA2"),
    ("ex2.approx.f16x2", "ex2.approx.f16x2 {r}, {r};", "f16x2", "MUFU"),
    ("add.f64", "add.rn.f64 {r}, {r}, {k};", "f64", "DADD"),
    ("mul.f64", "mul.rn.f64 {r}, {r}, {k};", "f64", "DMUL"),
    ("fma.f64", "fma.rn.f64 {r}, {r}, {k}, {k};", "f64", "DFMA"),
    ("cvt f32 to f16x2", "cvt.rn.f16x2.f32 %scratch0, {r}, {k}; mov.b32 {r}, %scratch0;", "f32", "F2FP"),
    ("cvt f32 to s32", "cvt.rzi.s32.f32 %scratch0, {r}; mov.b32 {r}, %scratch0;", "f32", "F2I"),
    ("cvt s32 to f32", "mov.b32 %scratch0, {r}; cvt.rn.f32.s32 {r}, %scratch0;", "f32", ""),
    ("shfl.sync.idx", "shfl.sync.idx.b32 {r}, {r}, {k}, 31, -1;", "b32", "SHFL"),
    ("vote.ballot", "setp.ne.u32 %q, {r}, {k}; vote.sync.ballot.b32 {r}, %q, -1;", "u32", "VOTE"),
    ("redux.add", "redux.sync.add.u32 {r}, {r}, -1;", "u32", "REDUX"),
    ("match.any", "match.any.sync.b32 {r}, {r}, -1;", "b32", "MATCH"),
)
"""Name, PTX of a step, type of its register, and the machine instruction that it is made of."""

_MANY: Final = ((4, 4), (4, 8), (4, 16), (4, 32))
"""Chains and warps."""
_FOOTPRINTS: Final = tuple(1 << bits for bits in (13, 15, 17, 18, 20, 22, 24, 25, 26, 27, 28, 30))
_PRODUCTS: Final = (
    ("m16n8k16", "f32.bf16.bf16.f32", (4, 4, 2, 4)),
    ("m16n8k16", "f32.f16.f16.f32", (4, 4, 2, 4)),
    ("m16n8k16", "f16.f16.f16.f16", (2, 4, 2, 2)),
    ("m16n8k8", "f32.tf32.tf32.f32", (4, 4, 2, 4)),
    ("m16n8k32", "s32.s8.s8.s32", (4, 4, 2, 4)),
)
_WIDE: Final = (("f32.bf16.bf16", 16), ("f32.e4m3.e4m3", 32), ("f32.tf32.tf32", 8), ("s32.s8.s8", 32))


def experiments() -> Iterator[Program]:
    """All of them."""
    for name, step, kind, counted in STEPS:
        yield chain(name, step, kind, counted=counted)
        for chains, warps in _MANY:
            yield chain(name, step, kind, chains=chains, warps=warps, counted=counted)
    for nbytes in _FOOTPRINTS:
        yield chase("ld.global", nbytes)
    for nbytes in _FOOTPRINTS[::3]:
        yield chase("ld.global.cg", nbytes, cached=".cg")
    for nbytes in (_FOOTPRINTS[4], _FOOTPRINTS[8], _FOOTPRINTS[-1]):
        yield chase("ld.global, cold", nbytes, cached=".cg", cold=True)
    for width in ("u32", "v2.u32", "v4.u32"):
        yield shared_chase(f"ld.shared.{width}", width)
    for width in (4, 8, 16):
        for ways in (1, 2, 4, 8):
            for warps in (1, 4, 16):
                yield shared_loads(width, ways, warps)
    for warps in (1, 2, 4, 8, 16, 32):
        yield meeting("bar.sync", "bar.sync 0;", warps)
    for warps in (1, 4, 8, 16):
        yield handshake(warps)
    for name, step in (
        ("bar.warp.sync", "bar.warp.sync -1;"),
        ("fence.acq_rel.cta", "fence.acq_rel.cta;"),
        ("fence.acq_rel.gpu", "fence.acq_rel.gpu;"),
        ("fence.proxy.async", "fence.proxy.async;"),
    ):
        yield meeting(name, step, 1)
    for shape, types, registers in _PRODUCTS:
        for chains, warps in ((1, 1), (4, 4), (4, 8), (4, 16)):
            yield product(shape, types, registers, chains=chains, warps=warps)
    yield from _warpgroups()
    yield from _beside()
    yield from _copies()
    yield from network()


def _warpgroups() -> Iterator[Program]:
    for types, k in _WIDE:
        for n in (8, 16, 32, 64, 96, 128, 192, 256):
            for registers in (False, True):
                for group, groups in ((1, 1), (4, 1), (8, 1), (8, 2)):
                    yield warpgroup_product(n, types, k, registers=registers, group=group, groups=groups)


def _beside() -> Iterator[Program]:
    """Products of matrices while other warps compute."""
    for name, step, kind in (
        ("fma.rn.f32", "fma.rn.f32 {r}, {r}, {k}, {k};", "f32"),
        ("add.rn.f32", "add.rn.f32 {r}, {r}, {k};", "f32"),
        ("ex2.approx.ftz.f32", "ex2.approx.ftz.f32 {r}, {r};", "f32"),
        ("fma, ex2", "fma.rn.f32 {r}, {r}, {k}, {k}; ex2.approx.ftz.f32 {r}, {r};", "f32"),
        ("lop3", "lop3.b32 {r}, {r}, {k}, {r}, 0x69;", "b32"),
    ):
        slow = {"ex2.approx.ftz.f32": 8, "fma, ex2": 8, "lop3": 2}.get(name, 1)
        for n, registers in ((128, False), (128, True), (64, True)):
            for count in (0, 128, 256, 512, 1024):
                yield beside(name, step, kind, n=n, registers=registers, count=count // slow)
    for groups, brought in ((1, (0, 32, 64, 96, 112)), (2, (64, 96, 128, 160))):
        for kib in brought:
            yield beside_copies(256, kib << 10, groups)
    for groups in (1, 2, 3):
        yield softmax(groups, products=True, exponentials=True)
    yield softmax(2, products=True, exponentials=False)
    yield softmax(2, products=False, exponentials=True)


def _copies() -> Iterator[Program]:
    for footprint in (1 << 20, 1 << 28):
        for nbytes in (16, 128, 1024, 4096, 16384, 65536):
            yield bulk_copy(nbytes, 1, footprint)
        for nbytes, flying in ((1024, 32), (4096, 16), (8192, 16), (16384, 8), (32768, 4)):
            yield bulk_copy(nbytes, flying, footprint)
