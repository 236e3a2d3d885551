"""wgmma through PTX: operands by descriptor and in registers, every type, groups and their faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.layout.fragments import wgmma_a, wgmma_d
from ptxlab.layout.matrix_descriptor import MatrixDescriptor, element_offsets
from ptxlab.sim.engine.compiled.address import SHARED_BASE
from ptxlab.sim.numerics import kernels

from ...conftest import entry

A_BYTES = 64 * 32
B_AT = 8192
SHARED = B_AT + 16384
WORD = {"bf16": np.uint16, "f16": np.uint16, "tf32": np.uint32, "e4m3": np.uint8, "e5m2": np.uint8}


def descriptor(at: int, swizzle: str, major: str, element: int, lines: int) -> MatrixDescriptor:
    """A tile of `lines` x 32 bytes of k that starts at `at`."""
    if major == "K":
        if swizzle == "none":
            return MatrixDescriptor(at, leading=128, stride=256)
        span = {"32B": 32, "64B": 64, "128B": 128}[swizzle]
        return MatrixDescriptor(at, leading=16, stride=8 * span, swizzle=swizzle)  # type: ignore[arg-type]
    span = {"none": 16, "32B": 32, "64B": 64, "128B": 128}[swizzle]
    groups = lines * element // span
    if swizzle == "none":
        return MatrixDescriptor(at, leading=128 * groups, stride=128)
    return MatrixDescriptor(at, leading=8 * span * 2, stride=8 * span, swizzle=swizzle)  # type: ignore[arg-type]


def image(
    a: NDArray[Any], b: NDArray[Any], da: MatrixDescriptor, db: MatrixDescriptor, ma: str, mb: str
) -> NDArray[Any]:
    """The bytes of shared memory that hold A [64, k] and B [k, n] as the descriptors say."""
    out = np.zeros(SHARED, np.uint8)
    bits = a.itemsize * 8
    words = out.view(a.dtype)
    words[element_offsets(da, 64, a.shape[1], bits, ma) // a.itemsize] = a  # type: ignore[arg-type]
    words[element_offsets(db, b.shape[1], b.shape[0], bits, mb) // a.itemsize] = b.T  # type: ignore[arg-type]
    return out


def kernel(
    shape: str, types: str, count: int, a: str, immediates: str, scale_d: str = "1", repeat: int = 1, turns: int = 1
) -> str:
    """Load shared memory, accumulators and A fragments, multiply, store the accumulators. `turns`: of the same instructions."""
    d = ", ".join(f"%d{i}" for i in range(count))
    operand_a = "{%a0, %a1, %a2, %a3}" if a == "rs" else "%da"
    mma = f"wgmma.mma_async.sync.aligned.{shape}.{types} {{{d}}}, {operand_a}, %db, {scale_d}{immediates};"
    loads = "\n".join(f"ld.global.b32 %d{i}, [%acc+{4 * i}];" for i in range(count))
    stores = "\n".join(f"st.global.b32 [%acc+{4 * i}], %d{i};" for i in range(count))
    copies = "\n".join(
        f"cp.async.cg.shared.global [%s+{2048 * i}], [%g+{2048 * i}], 16;" for i in range(SHARED // 2048)
    )
    fragments = "\n".join(f"ld.global.b32 %a{i}, [%frag+{4 * i}];" for i in range(4))
    return entry(
        ".param .u64 img, .param .u64 accs, .param .u64 frags, .param .u64 da, .param .u64 db",
        f"""
        .reg .b32 %d<{count}>; .reg .b32 %a<4>; .reg .b32 %t, %s; .reg .b64 %g, %acc, %frag, %da, %db, %w;
        .shared .align 1024 .b8 mem[{SHARED}];
        ld.param.u64 %g, [img]; ld.param.u64 %acc, [accs]; ld.param.u64 %frag, [frags];
        ld.param.u64 %da, [da]; ld.param.u64 %db, [db];
        mov.u32 %t, %tid.x;
        mov.u32 %s, mem;
        mad.lo.u32 %s, %t, 16, %s;
        mul.wide.u32 %w, %t, 16; add.u64 %g, %g, %w;
        add.u64 %frag, %frag, %w;
        mul.wide.u32 %w, %t, {4 * count}; add.u64 %acc, %acc, %w;
        {copies}
        cp.async.wait_all;
        {loads}
        {fragments}
        bar.sync 0;
        .reg .b32 %left; .reg .pred %more; mov.u32 %left, {turns};
        TURN: wgmma.fence.sync.aligned;
        {mma * repeat}
        wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 0;
        sub.u32 %left, %left, 1; setp.ne.u32 %more, %left, 0; @%more bra TURN;
        {stores}
        ret;
        """.replace("%d0, ", "%d0, "),
    ).replace(
        ".reg .b32 %d<",
        f".reg .{'f32' if types.startswith('f32') else 'b32' if types.startswith('f16') else 's32'} %d<",
    )


class Case:
    """One product with random operands, on the host and in the simulator."""

    def __init__(
        self,
        n: int,
        a_type: str,
        b_type: str,
        d_type: str,
        *,
        swizzle: str = "none",
        ma: str = "K",
        mb: str = "K",
        seed: int = 0,
    ) -> None:
        self.n, self.a_type, self.b_type, self.d_type = n, a_type, b_type, d_type
        self.ma, self.mb = ma, mb
        rng = np.random.default_rng([seed, n])
        word = WORD[a_type]
        self.k = 32 // np.dtype(word).itemsize
        top = np.iinfo(word).max
        self.a = rng.integers(0, top, (64, self.k), word, endpoint=True)
        self.b = rng.integers(0, top, (self.k, n), word, endpoint=True)
        wide = 0xFFFF if d_type == "f16" else 0xFFFF_FFFF
        self.c = rng.integers(0, wide, (64, n), np.uint32, endpoint=True)
        size = np.dtype(word).itemsize
        self.da, self.db = descriptor(0, swizzle, ma, size, 64), descriptor(B_AT, swizzle, mb, size, n)

    def expect(self, *, accumulate: bool = True, steps: int = 1) -> NDArray[np.uint32]:
        out = self.c if accumulate else np.zeros_like(self.c)
        fp8 = self.a_type.startswith("e")
        for _ in range(steps):
            out = kernels.matmul(
                self.a, self.b, out, self.a_type, b_type=self.b_type, out=self.d_type,
                fraction=13 if fp8 else 25, short=fp8 and self.d_type == "f32",
            )  # fmt: skip
        return out

    def run(
        self,
        run: Callable[..., Any],
        a: str = "ss",
        scale_d: str = "1",
        repeat: int = 1,
        instruction: tuple[str, str, int] | None = None,
        turns: int = 1,
        **options: Any,
    ) -> NDArray[np.uint32]:
        narrow = self.d_type == "f16"
        count = self.n // 4 if narrow else self.n // 2
        trans = ""
        if self.a_type in ("f16", "bf16"):
            trans = f", {int(self.mb == 'MN')}" if a == "rs" else f", {int(self.ma == 'MN')}, {int(self.mb == 'MN')}"
        types, immediates, k = instruction or (f"{self.d_type}.{self.a_type}.{self.b_type}", f", 1, 1{trans}", self.k)
        text = kernel(f"m64n{self.n}k{k}", types, count, a, immediates, scale_d, repeat, turns)
        pieces = image(self.a, self.b, self.da, self.db, self.ma, self.mb)
        elements = np.uint16 if narrow else np.uint32
        accs = px.empty((128, count), np.uint32)
        accs[:] = np.ascontiguousarray(self.c.astype(elements).ravel()[wgmma_d(self.n).flat]).view(np.uint32)
        frags = px.empty((128, 4), np.uint32)
        frags[:] = np.ascontiguousarray(self.a.ravel()[wgmma_a(self.a.itemsize * 8).flat]).view(np.uint32)
        shared = px.empty(SHARED, np.uint8)
        shared[:] = pieces
        da, db = (np.uint64(d.advanced(SHARED_BASE).encode()) for d in (self.da, self.db))
        run(text, shared, accs, frags, da, db, block=128, **options)
        out = np.zeros(64 * self.n, np.uint32)
        out[wgmma_d(self.n).flat] = np.ascontiguousarray(accs).view(elements)
        return out.reshape(64, self.n)


@pytest.mark.parametrize("swizzle", ["none", "32B", "64B", "128B"])
@pytest.mark.parametrize(("ma", "mb"), [("K", "K"), ("MN", "MN")])
def test_layouts(run: Callable[..., Any], swizzle: str, ma: str, mb: str) -> None:
    case = Case(64, "bf16", "bf16", "f32", swizzle=swizzle, ma=ma, mb=mb)
    assert np.array_equal(case.run(run), case.expect())


@pytest.mark.parametrize("n", [8, 136, 256])
def test_shapes(run: Callable[..., Any], n: int) -> None:
    case = Case(n, "bf16", "bf16", "f32")
    assert np.array_equal(case.run(run), case.expect())


@pytest.mark.parametrize("a", ["ss", "rs"])
@pytest.mark.parametrize(
    "types",
    [
        ("f16", "f16", "f32"),
        ("f16", "f16", "f16"),
        ("tf32", "tf32", "f32"),
        ("e4m3", "e5m2", "f32"),
        ("e5m2", "e5m2", "f16"),
    ],
)
def test_types(run: Callable[..., Any], types: tuple[str, str, str], a: str) -> None:
    case = Case(32, *types)
    assert np.array_equal(case.run(run, a), case.expect())


def test_scale_d_0_ignores_the_accumulator(run: Callable[..., Any]) -> None:
    case = Case(16, "bf16", "bf16", "f32")
    assert np.array_equal(case.run(run, scale_d="0"), case.expect(accumulate=False))


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_products_of_a_group_run_in_order(run: Callable[..., Any], schedule: str) -> None:
    case = Case(16, "bf16", "bf16", "f32")
    case.a = case.a & 0xBFFF
    case.b = case.b & 0xBFFF
    got = case.run(run, repeat=3, schedule=schedule, seed=5)
    assert np.array_equal(got, case.expect(steps=3))


@pytest.mark.parametrize("a", ["ss", "rs"])
@pytest.mark.parametrize(("type_", "saturate"), [("s8", False), ("u8", False), ("s8", True), ("b1", False)])
def test_integers(run: Callable[..., Any], type_: str, saturate: bool, a: str) -> None:
    """Exact sums that wrap, or are clamped."""
    case = Case(16, "e4m3", "e4m3", "s32", seed=3)  # bytes, whatever they mean
    case.c = np.where(case.c & 1, np.uint32(0x7FFF_FFF0), np.uint32(0x8000_0010))
    signed = case.a.view(np.int8 if type_ == "s8" else np.uint8), case.b.view(np.int8 if type_ == "s8" else np.uint8)
    if type_ == "b1":
        bits = np.unpackbits(case.a, axis=1), np.unpackbits(case.b.T.copy(), axis=1).T
        exact = bits[0].astype(np.int64) @ bits[1].astype(np.int64)
        types, immediates, k = "s32.b1.b1.and.popc", "", 256
    else:
        exact = signed[0].astype(np.int64) @ signed[1].astype(np.int64)
        types, immediates, k = f"s32.{type_}.{type_}" + (".satfinite" if saturate else ""), "", 32
    exact = exact + case.c.view(np.int32)
    want = (np.clip(exact, -(2**31), 2**31 - 1) if saturate else exact).astype(np.int32).view(np.uint32)
    assert np.array_equal(case.run(run, a, instruction=(types, immediates, k)), want)


def test_negated_operands(run: Callable[..., Any]) -> None:
    case = Case(16, "bf16", "bf16", "f32", seed=2)
    got = case.run(run, instruction=("f32.bf16.bf16", ", -1, 1, 0, 0", 16))
    case.a = case.a ^ 0x8000
    assert np.array_equal(got, case.expect())


def test_fp8_is_verified_on_hardware(run: Callable[..., Any]) -> None:
    found: list[Any] = []

    def keep(*args: Any, **options: Any) -> None:
        found.extend(run(*args, **options).findings)

    Case(16, "e4m3", "e4m3", "f32").run(keep)
    assert found == []


REGISTERS = """
    .reg .pred %p<4>; .reg .f32 %f<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    .shared .align 1024 .b8 mem[4096];
    mov.u32 %r1, %tid.x; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
    mov.b64 %rd1, 0x0000001000080040; mov.b64 %rd2, 0x00000010000800c0;
"""
MMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;"
END = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"


@pytest.mark.parametrize(
    ("body", "block", "code", "words"),
    [
        (f"setp.lt.u32 %p1, %r1, 7; @%p1 {MMA} ret;", 128, "PTX9130", "lanes 0-6 of warp 0"),
        (f"{MMA} {END} ret;", 64, "PTX9131", "2 warps"),
        (
            f"setp.lt.u32 %p1, %r1, 32; @%p1 bra A; {MMA} {END} ret; A: {MMA.replace('1, 1, 1,', '0, 1, 1,')} {END} ret;",
            128,
            "PTX9131",
            "same wgmma instructions",
        ),
        (f"mul.wide.u32 %rd3, %r1, 1; add.u64 %rd1, %rd1, %rd3; {MMA} {END} ret;", 128, "PTX9132", "differs between"),
        (f"mov.b64 %rd2, 0x0000001000080140; {MMA} {END} ret;", 128, "PTX9122", "operand B"),
        (
            f"mov.u32 %r2, mem; mov.b64 %rd1, 0x0000001000080000; {MMA} {END} ret;",
            128,
            "PTX9122",
            "1024 bytes of shared memory that belong to",
        ),
        (
            f"setp.lt.u32 %p1, %r1, 96; @!%p1 bra A; bar.sync 1, 64; A: {MMA} {END} ret;",
            128,
            "PTX9100",
            "waits for warp 2 to execute it",
        ),
    ],
)
def test_misuse(run: Callable[..., Any], body: str, block: int, code: str, words: str) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        run(entry("", REGISTERS + body), block=block)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_late_products_read_what_lies_there_at_the_wait(run: Callable[..., Any]) -> None:
    """An operand overwritten before the wait is a fault of the program: late shows it, eager hides it."""
    body = f"""
        mov.u32 %r2, mem; mad.lo.u32 %r3, %r1, 16, %r2; mov.u32 %r4, 0x3f803f80;
        ld.param.u64 %rd3, [out];
        st.shared.v4.u32 [%r3], {{%r4, %r4, %r4, %r4}}; st.shared.v4.u32 [%r3+2048], {{%r4, %r4, %r4, %r4}};
        bar.sync 0;
        {MMA} wgmma.commit_group.sync.aligned;
        bar.sync 0;
        mov.u32 %r4, 0; st.shared.v4.u32 [%r3], {{%r4, %r4, %r4, %r4}};
        bar.sync 0;
        wgmma.wait_group.sync.aligned 0;
        st.global.f32 [%rd3], %f0; ret;
    """
    for schedule, result in (("eager", 16.0), ("late", 0.0)):
        out = np.zeros(1, np.float32)
        run(entry(".param .u64 out", REGISTERS + body), out, block=128, schedule=schedule)
        assert out[0] == result


ONES = """
    mov.u32 %r2, mem; mad.lo.u32 %r3, %r1, 16, %r2; mov.u32 %r4, 0x3f803f80; shr.u32 %r5, %r1, 5;
    st.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4}; st.shared.v4.u32 [%r3+2048], {%r4, %r4, %r4, %r4};
    ld.param.u64 %rd3, [out]; mad.wide.u32 %rd3, %r1, 4, %rd3; bar.sync 0;
"""
"""A and B are all ones: each product adds 16."""
COUNT = 21


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("pending", [0, 2, 9])
def test_warps_run_ahead_of_their_warpgroup(run: Callable[..., Any], schedule: str, pending: int) -> None:
    """One after the other they execute more products than are kept for those that come later, before any waits."""
    each = f"{MMA} wgmma.commit_group.sync.aligned;"
    body = f"""
        .reg .b32 %left; .reg .pred %more; {ONES} mov.u32 %left, {COUNT};
        LOOP: {each} wgmma.wait_group.sync.aligned {pending};
        sub.u32 %left, %left, 1; setp.ne.u32 %more, %left, 0; @%more bra LOOP;
        {each * COUNT} wgmma.wait_group.sync.aligned 0; st.global.f32 [%rd3], %f0; ret;
    """
    out = np.zeros(128, np.float32)
    report = run(entry(".param .u64 out", REGISTERS + body), out, block=128, schedule=schedule)
    assert (out == 2 * COUNT * 16).all()
    if schedule == "eager":
        traps = report.stats.traps
        assert "wgmma.commit_group" not in traps
        assert traps["wgmma.mma_async.f16.ss"] < 2 * COUNT * 4


@pytest.mark.parametrize("ahead", [1, 8, 12])
def test_products_that_differ_are_found_however_late(run: Callable[..., Any], ahead: int) -> None:
    """The last product of warp 0 accumulates, that of the others does not; it is the same instruction."""
    body = f"""
        .reg .b32 %left; .reg .pred %more, %acc; {ONES} mov.u32 %left, {ahead};
        LOOP: sub.u32 %left, %left, 1; setp.ne.u32 %more, %left, 0; setp.eq.or.u32 %acc, %r5, 0, %more;
        {MMA.replace("1, 1, 1,", "%acc, 1, 1,")} @%more bra LOOP; {END} st.global.f32 [%rd3], %f0; ret;
    """
    with pytest.raises(px.Diagnostic) as caught:
        run(entry(".param .u64 out", REGISTERS + body), np.zeros(128, np.float32), block=128)
    assert caught.value.code == "PTX9132"
    assert "another scale-d" in str(caught.value)


def test_warpgroups_of_a_cta_have_products_of_their_own(run: Callable[..., Any]) -> None:
    body = f"""
        .reg .pred %second; {ONES} setp.ge.u32 %second, %r1, 128; @%second bra B;
        {MMA * 3} {END} bra C;
        B: {MMA * 10} {END}
        C: st.global.f32 [%rd3], %f0; ret;
    """
    out = np.zeros(3 * 256, np.float32)
    run(entry(".param .u64 out", REGISTERS.replace("4096", "8192") + body), out, block=256)
    run(entry(".param .u64 out", REGISTERS.replace("4096", "8192") + body), out, block=256, grid=2)
    assert (out[:128] == 48).all()
    assert (out[128:256] == 160).all()
