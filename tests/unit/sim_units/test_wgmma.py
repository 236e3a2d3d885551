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
from ptxlab.sim.numerics import kernels

from .conftest import entry

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


def kernel(shape: str, types: str, count: int, a: str, immediates: str, scale_d: str = "1", repeat: int = 1) -> str:
    """Load shared memory, accumulators and A fragments, multiply, store the accumulators."""
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
        wgmma.fence.sync.aligned;
        {mma * repeat}
        wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 0;
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
        self, run: Callable[..., Any], a: str = "ss", scale_d: str = "1", repeat: int = 1, **options: Any
    ) -> NDArray[np.uint32]:
        narrow = self.d_type == "f16"
        count = self.n // 4 if narrow else self.n // 2
        trans = ""
        if self.a_type in ("f16", "bf16"):
            trans = f", {int(self.mb == 'MN')}" if a == "rs" else f", {int(self.ma == 'MN')}, {int(self.mb == 'MN')}"
        text = kernel(
            f"m64n{self.n}k{self.k}",
            f"{self.d_type}.{self.a_type}.{self.b_type}",
            count,
            a,
            f", 1, 1{trans}",
            scale_d,
            repeat,
        )
        pieces = image(self.a, self.b, self.da, self.db, self.ma, self.mb)
        elements = np.uint16 if narrow else np.uint32
        accs = px.empty((128, count), np.uint32)
        accs[:] = np.ascontiguousarray(self.c.astype(elements).ravel()[wgmma_d(self.n).flat]).view(np.uint32)
        frags = px.empty((128, 4), np.uint32)
        frags[:] = np.ascontiguousarray(self.a.ravel()[wgmma_a(self.a.itemsize * 8).flat]).view(np.uint32)
        shared = px.empty(SHARED, np.uint8)
        shared[:] = pieces
        run(text, shared, accs, frags, np.uint64(self.da.encode()), np.uint64(self.db.encode()), block=128, **options)
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
