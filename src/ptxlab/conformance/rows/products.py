"""wgmma on data that shows how sums are aligned, cut and rounded, and how operands lie in shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows import tiles
from ptxlab.conformance.rows.probes import TARGET, VERSION
from ptxlab.conformance.rows.values import words
from ptxlab.layout.fragments import wgmma_a, wgmma_d
from ptxlab.layout.matrix_descriptor import MatrixDescriptor, element_offsets

THREADS: Final = 128
ROWS: Final = 64
_B_AT: Final = 8192
_SHARED: Final = _B_AT + 8192
_MOVED: Final = 1024
"""What operands that begin within a pattern may need more; kernels copy shared memory in pieces of 2048 bytes."""
_SPAN: Final = {"none": 16, "32B": 32, "64B": 64, "128B": 128}


@dataclass(frozen=True)
class Product:
    """One wgmma on one set of data.

    Attributes:
        n: columns.
        types: D, A, B as the opcode has them, e.g. "f32.bf16.bf16", with what follows them.
        data: a kind of `tiles.KINDS`.
        a: "ss" or "rs".
        scale_d: 0 leaves the accumulator out.
        signs: scale-a and scale-b; None where the instruction has none.
        trans: 1 for each operand that lies M- or N-major; None where it cannot.
        swizzle: of both operands.
        selector: of a sparse product: which lanes hold the metadata.
        start: of both operands, in rows of 128 bytes behind a multiple of 1024. base: the base offset of their descriptors.
    """

    n: int
    types: str
    data: str
    a: str = "ss"
    scale_d: int = 1
    signs: tuple[int, int] | None = (1, 1)
    trans: tuple[int, int] | None = None
    swizzle: str = "none"
    selector: int | None = None
    start: int = 0
    base: int = 0

    @property
    def key(self) -> str:
        """The product's name in a record."""
        parts = [f"wgmma m64n{self.n}k{self.k}.{self.types}", self.a, f"scale_d={self.scale_d}"]
        if self.sparse:
            parts.insert(1, f"sp selector={self.selector}")
        if self.signs is not None:
            parts.append("signs=" + ",".join(map(str, self.signs)))
        if self.trans is not None:
            parts.append("trans=" + ",".join(map(str, self.trans)))
        parts.append(f"swizzle={self.swizzle}")
        if self.moved:
            parts.append(f"start={self.start} base={self.base}")
        return " ".join([*parts, f"data={self.data}"])

    @property
    def a_type(self) -> str:
        """Type of A."""
        return self.types.split(".")[1]

    @property
    def b_type(self) -> str:
        """Type of B."""
        return self.types.split(".")[2]

    @property
    def d_type(self) -> str:
        """Type of D."""
        return self.types.split(".")[0]

    @property
    def k(self) -> int:
        """Rows of B: 32 bytes of A, twice that where A is sparse."""
        return (512 if self.sparse else 256) // tiles.BITS[self.a_type]

    @property
    def sparse(self) -> bool:
        """Whether A holds half of its elements, and metadata."""
        return self.selector is not None

    @property
    def moved(self) -> bool:
        """Whether operands begin within the pattern of their swizzle, or their descriptors say so."""
        return self.start > 0 or self.base > 0

    @property
    def b_at(self) -> int:
        """Where B's part of shared memory begins."""
        return _B_AT + (_MOVED if self.moved else 0)

    @property
    def shared(self) -> int:
        """Bytes of shared memory."""
        return _SHARED + (2 * _MOVED if self.moved else 0)

    @property
    def registers(self) -> int:
        """Accumulator registers of a thread."""
        return self.n // (4 if self.d_type == "f16" else 2)

    @property
    def instruction(self) -> Product:
        """The product without its data: what products of one kernel have in common."""
        return replace(self, data="", swizzle="none", start=int(self.moved), base=0)

    @cached_property
    def text(self) -> str:
        """The instruction."""
        d = ", ".join(f"%d{i}" for i in range(self.registers))
        a = "{%a0, %a1, %a2, %a3}" if self.a == "rs" else "%da"
        last = [str(s) for s in self.signs or ()]
        trans = self.trans or ()
        last += [str(t) for t in (trans[1:] if self.a == "rs" else trans)]
        immediates = "".join(f", {v}" for v in last)
        path, meta = (".sp", f", %meta, {self.selector}") if self.sparse else ("", "")
        opcode = f"wgmma.mma_async{path}.sync.aligned.m64n{self.n}k{self.k}.{self.types}"
        return f"{opcode} {{{d}}}, {a}, %db{meta}, %p{immediates};"


def products() -> list[Product]:
    """Every type on every kind of data; signs, layouts and widths on some."""
    out: list[Product] = []
    for types in _FLOATS:
        trans = (0, 0) if types.split(".")[1] in ("f16", "bf16") else None
        base = Product(8, types, "near", trans=trans)
        out += [replace(base, data=kind) for kind in tiles.KINDS if kind != "vectors"]
        out.append(replace(base, n=32, data="vectors"))
        out.append(replace(base, scale_d=0))
        out.append(replace(base, a="rs"))
        out += [replace(base, signs=s) for s in ((-1, 1), (1, -1), (-1, -1))]
        out += [replace(base, signs=s, data="sparse") for s in ((-1, 1), (1, -1))]
        out.append(replace(base, scale_d=0, data="sparse"))
        if trans is not None:
            out += [replace(base, n=16, trans=t) for t in ((0, 1), (1, 0), (1, 1))]
    out += [Product(32, types, "small") for types in _FLOATS if "e4m3" in types]
    out += [Product(32, types, "small", selector=0) for types in _FLOATS if "e4m3" in types]
    for types in _INTEGERS:
        base = Product(8, types, "bits", signs=None)
        out += [base, replace(base, data="limits"), replace(base, scale_d=0), replace(base, a="rs")]
    base = Product(64, "f32.bf16.bf16", "near", trans=(0, 0))
    out += [replace(base, swizzle=s, trans=t) for s in _SPAN for t in ((0, 0), (1, 1))]
    out += [replace(base, n=64, types=t, trans=None, swizzle="128B") for t in ("f32.tf32.tf32", "f32.e4m3.e4m3")]
    out += [replace(base, n=n) for n in (24, 256)]
    out += [replace(base, n=n) for n in range(40, 256, 8) if n != 64]
    return [*out, *_moved(), *_sparse()]


def _moved() -> list[Product]:
    """Operands that begin within the pattern of their swizzle, with descriptors that say so, do not, or say something else."""
    base = Product(64, "f32.bf16.bf16", "near", trans=(0, 0))
    places = ((1, 0), (1, 1), (3, 0), (3, 3), (6, 6), (7, 7), (0, 2), (0, 5), (5, 3), (2, 7))
    out = [
        replace(base, swizzle=s, trans=t, start=start, base=offset)
        for s in _SWIZZLED
        for t in ((0, 0), (1, 1))
        for start, offset in places
    ]
    return out + [
        replace(base, types=t, trans=None, swizzle="128B", start=5, base=b)
        for t in ("f32.tf32.tf32", "f32.e4m3.e4m3")
        for b in (0, 5)
    ]


def _sparse() -> list[Product]:
    """Products with a sparse A: types, data and layouts as of the others, and the lanes that hold metadata."""
    out: list[Product] = []
    for types in _FLOATS:
        trans = (0, 0) if types.split(".")[1] in ("f16", "bf16") else None
        base = Product(8, types, "near", trans=trans, selector=0)
        out += [replace(base, data=kind) for kind in tiles.KINDS if kind not in ("vectors", "near")]
        out += [replace(base, n=32), replace(base, scale_d=0), replace(base, a="rs"), replace(base, signs=(-1, 1))]
        if tiles.BITS[base.a_type] > 8:
            out += [replace(base, selector=1), replace(base, selector=1, a="rs")]
        if trans is not None:
            out += [replace(base, n=16, trans=t) for t in ((0, 1), (1, 0), (1, 1))]
    for types in _INTEGERS[:-1]:
        base = Product(8, types, "bits", signs=None, selector=0)
        out += [base, replace(base, data="limits"), replace(base, scale_d=0), replace(base, a="rs")]
    base = Product(64, "f32.bf16.bf16", "near", trans=(0, 0), selector=0)
    out += [replace(base, swizzle=s, trans=t) for s in _SWIZZLED for t in ((0, 0), (1, 1))]
    for types in ("f32.tf32.tf32", "f32.e4m3.e4m3"):
        out += [replace(base, types=types, trans=None, swizzle=s) for s in ("32B", "128B")]
    return [*out, replace(base, n=128)]


_FLOATS: Final = (
    *("f32.bf16.bf16", "f32.f16.f16", "f16.f16.f16", "f32.tf32.tf32"),
    *(f"{d}.{a}.{b}" for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
)
_INTEGERS: Final = (
    *(f"s32.{a}.{b}{s}" for a in ("s8", "u8") for b in ("s8", "u8") for s in ("", ".satfinite")),
    "s32.b1.b1.and.popc",
)


_SWIZZLED: Final = ("32B", "64B", "128B")


def _descriptor(at: int, swizzle: str, trans: int, size: int, lines: int, k: int) -> MatrixDescriptor:
    """An operand of `lines` x `k` elements that starts at `at`, packed as densely as its layout allows."""
    span = _SPAN[swizzle]
    if not trans:
        if swizzle == "none":
            return MatrixDescriptor(at, leading=128, stride=8 * k * size)
        apart = lines * span if k * size > span else 16
        return MatrixDescriptor(at, leading=apart, stride=8 * span, swizzle=swizzle)  # type: ignore[arg-type]
    if swizzle == "none":
        return MatrixDescriptor(at, leading=128 * (lines * size // span), stride=128)
    return MatrixDescriptor(at, leading=span * k, stride=8 * span, swizzle=swizzle)  # type: ignore[arg-type]


def _layouts(product: Product) -> tuple[MatrixDescriptor, MatrixDescriptor]:
    size = max(8, tiles.BITS[product.a_type]) // 8
    ta, tb = product.trans or (0, 0)
    k, start = 32 // size, 128 * product.start
    a = _descriptor(start, product.swizzle, ta, size, ROWS, k)
    b = _descriptor(product.b_at + start, product.swizzle, tb, size, product.n, 2 * k if product.sparse else k)
    return replace(a, base_offset=product.base), replace(b, base_offset=product.base)


@dataclass(frozen=True)
class Arrays:
    """What a kernel of products reads, one CTA after the other, as bytes."""

    image: NDArray[np.uint8]
    accumulators: NDArray[np.uint8]
    fragments: NDArray[np.uint8]
    descriptors: NDArray[np.uint64]

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """All of it."""
        parts = (self.image, self.accumulators, self.fragments, self.descriptors.view(np.uint8))
        return np.concatenate([p.reshape(-1) for p in parts])


def matrices_of(product: Product, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint32]]:
    """A, B and C as bits."""
    labels = (seed, product.key)
    types = product.a_type, product.b_type, product.d_type
    return tiles.operands(*types, product.n, product.data, labels, sparse=product.sparse)


def arrays(product: Product, seed: int) -> Arrays:
    """Shared memory, accumulators, fragments of A and descriptors for one product."""
    a, b, c = matrices_of(product, seed)
    da, db = _layouts(product)
    majors = tuple("MN" if t else "K" for t in product.trans or (0, 0))
    image = tiles.filler(product.shared, seed, product.key)
    bits = 8 * a.itemsize
    words_a, words_b = image.view(a.dtype), image.view(b.dtype)
    words_a[element_offsets(da, ROWS, a.shape[1], bits, majors[0]) // a.itemsize] = a  # type: ignore[arg-type]
    words_b[element_offsets(db, product.n, b.shape[0], bits, majors[1]) // a.itemsize] = b.T  # type: ignore[arg-type]
    element = np.uint16 if product.d_type == "f16" else np.uint32
    held = np.ascontiguousarray(c.astype(element).ravel()[wgmma_d(product.n).flat])
    fragments = np.ascontiguousarray(a.ravel()[wgmma_a(bits).flat]).view(np.uint32)
    if product.sparse:
        meta = tiles.metadata(product.a_type, words(THREADS, seed, product.key, "metadata"))
        fragments = np.column_stack([fragments, meta, np.zeros((THREADS, 3), np.uint32)])
    descriptors = np.array([da.encode(), db.encode()], np.uint64)
    return Arrays(image, held.view(np.uint8), fragments.view(np.uint8), descriptors)


@dataclass(frozen=True)
class ProductBatch:
    """Products of one instruction: a kernel `k` that takes image, accumulators, fragments, descriptors, and the output;
    a CTA for each of `products`."""

    products: tuple[Product, ...]
    text: str

    def inputs(self, seed: int) -> tuple[list[NDArray[np.uint8]], dict[str, NDArray[np.uint8]]]:
        """The four input arrays, and all bytes of each product by its key."""
        made = [arrays(p, seed) for p in self.products]
        parts = [
            np.concatenate([part.reshape(-1).view(np.uint8) for part in column])
            for column in zip(*((m.image, m.accumulators, m.fragments, m.descriptors) for m in made), strict=True)
        ]
        return parts, {p.key: m.bytes for p, m in zip(self.products, made, strict=True)}

    @property
    def write_bytes(self) -> int:
        """Size of the output."""
        return sum(4 * THREADS * p.registers for p in self.products)

    def results(self, memory: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The accumulators of each product as a matrix in row order, as bytes."""
        out: dict[str, NDArray[np.uint8]] = {}
        pieces = np.split(memory, len(self.products))
        for product, piece in zip(self.products, pieces, strict=True):
            element = np.uint16 if product.d_type == "f16" else np.uint32
            tile = np.zeros(ROWS * product.n, element)
            fragment = wgmma_d(product.n)
            tile[fragment.flat] = piece.view(element).reshape(fragment.rows.shape)
            out[product.key] = tile.view(np.uint8)
        return out


def product_batches(chosen: Iterable[Product]) -> list[ProductBatch]:
    """Products by instruction."""
    ordered = sorted(chosen, key=lambda p: p.instruction.key)
    groups = groupby(ordered, key=lambda p: p.instruction)
    return [ProductBatch(tuple(group), _kernel(instruction)) for instruction, group in groups]


def _kernel(product: Product) -> str:
    count = product.registers
    kind = {"f32": "f32", "f16": "b32", "s32": "s32"}[product.d_type]
    chunks = range(0, product.shared, 16 * THREADS)
    copies = "\n".join(
        f"    ld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%g+{i}]; st.shared.v4.b32 [%s+{i}], {{%w0, %w1, %w2, %w3}};"
        for i in chunks
    )
    return f""".version {VERSION[0]}.{VERSION[1]}
.target {TARGET}
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 accs, .param .u64 frags, .param .u64 descs, .param .u64 out)
{{
    .reg .{kind} %d<{count}>; .reg .b32 %a<4>; .reg .b32 %w<4>; .reg .b32 %t, %cta, %s, %m, %at, %meta; .reg .pred %p;
    .reg .b64 %g, %acc, %frag, %desc, %out, %da, %db, %base;
    .shared .align 1024 .b8 mem[{product.shared}];
    ld.param.u64 %g, [image]; ld.param.u64 %acc, [accs]; ld.param.u64 %frag, [frags];
    ld.param.u64 %desc, [descs]; ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %m, mem;
    mad.lo.u32 %at, %cta, {THREADS}, %t;
    mad.wide.u32 %acc, %at, {4 * count}, %acc; mad.wide.u32 %out, %at, {4 * count}, %out;
    mad.wide.u32 %frag, %at, {32 if product.sparse else 16}, %frag;
    mad.wide.u32 %desc, %cta, 16, %desc;
    mad.wide.u32 %g, %cta, {product.shared}, %g; mad.wide.u32 %g, %t, 16, %g;
    mad.lo.u32 %s, %t, 16, %m;
{copies}
    fence.proxy.async.shared::cta;
    ld.global.v2.b64 {{%da, %db}}, [%desc];
    shr.u32 %m, %m, 4; cvt.u64.u32 %base, %m; add.u64 %da, %da, %base; add.u64 %db, %db, %base;
{_lines(f"    ld.global.b32 %a{i}, [%frag+{4 * i}];" for i in range(4))}
{_lines(f"    ld.global.b32 %d{i}, [%acc+{4 * i}];" for i in range(count))}
{"    ld.global.b32 %meta, [%frag+16];" if product.sparse else ""}
    setp.ne.u32 %p, {product.scale_d}, 0;
    bar.sync 0;
    wgmma.fence.sync.aligned;
    {product.text}
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
{_lines(f"    st.global.b32 [%out+{4 * i}], %d{i};" for i in range(count))}
    ret;
}}
"""


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def of_keys(keys: Sequence[str]) -> list[Product]:
    """The products of these names, in their order. Raises: KeyError for one that there is not."""
    known = {p.key: p for p in products()}
    return [known[k] for k in keys]
