"""Tensor-core instructions of every type for `ptxlab bench sim`: one kernel each, in PTX, with results that NumPy gives too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import ptxlab as px
from ptxlab.bench.sim.work import Work

if TYPE_CHECKING:
    from ptxlab.layout.fragments import Fragment

BITS: Final = {"bf16": 16, "f16": 16, "tf32": 32, "e4m3": 8, "s8": 8, "s4": 4, "b1": 1, "f64": 64, "f32": 32, "s32": 32}
_DTYPES: Final = {"f16": "float16", "tf32": "float32", "f32": "float32", "f64": "float64", "s8": "int8", "s32": "int32"}
_SMALL: Final = {"bf16": "bfloat16", "e4m3": "float8_e4m3fn"}
_HEAD: Final = """.version 8.5
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 turns)"""
_EACH: Final = 4
"""Instructions of a turn."""
_SELECTED: Final = 0x4444_4444
"""Metadata that choose the first half of every group of columns."""


def warpgroup(type_: str, turns: int, *, sparse: bool = False, n: int = 256) -> Work:
    """`turns` times four wgmma of 64 × n × 32 bytes, A and B in shared memory; the first of four does not accumulate."""
    import numpy as np

    from ptxlab.layout.fragments import wgmma_d
    from ptxlab.layout.matrix_descriptor import MatrixDescriptor, element_offsets

    m, word = 64, max(8, BITS[type_])
    k = 256 // word * (2 if sparse else 1)  # of B, in words
    stored = k // 2 if sparse else k
    depth = k * word // BITS[type_]
    out_type = "s32" if type_ in ("s8", "b1") else "f32"
    b_at = m * 32
    places = MatrixDescriptor(0, leading=128, stride=256), MatrixDescriptor(b_at, leading=128, stride=k * word)
    a, b = _drawn(type_, (m, stored * word // BITS[type_]), 1), _drawn(type_, (n, depth), 2)
    image = np.zeros(-(-(b_at + n * k * word // 8) // 2048) * 2048, np.uint8)  # each thread copies 16 bytes at a time
    for matrix, place in ((a, places[0]), (b, places[1])):
        patterns = np.packbits(matrix, axis=1, bitorder="little") if type_ == "b1" else _patterns(matrix, type_)
        lines, words = patterns.shape
        at = element_offsets(place, lines, words, word, "K") // patterns.itemsize
        image.view(patterns.dtype)[at] = patterns
    count = n // 2
    d = "{" + ", ".join(f"d{i}" for i in range(count)) + "}"
    tail = {"s8": "", "b1": ""}.get(type_, ", 1, 1") + (", 0, 0" if BITS[type_] == 16 else "")
    opcode = f"wgmma.mma_async{'.sp' * sparse}.sync.aligned.m{m}n{n}k{depth}.{out_type}.{type_}.{type_}"
    opcode += ".and.popc" if type_ == "b1" else ""
    meta = ", meta, 0" if sparse else ""
    products = " ".join(f"{opcode} {d}, da, db{meta}, {int(i > 0)}{tail};" for i in range(_EACH))
    text = f"""{_HEAD} {{
        .reg .{out_type} d<{count}>; .reg .b32 t, i, s, meta, w<4>; .reg .b64 p, q, da, db, base; .reg .pred more;
        .shared .align 128 .b8 mem[{len(image)}];
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; ld.param.u32 i, [turns]; mov.u32 t, %tid.x; mov.u32 s, mem;
        shr.u32 meta, s, 4; cvt.u64.u32 base, meta; mov.u32 meta, {_SELECTED};
        add.u64 da, base, {places[0].encode()}; add.u64 db, base, {places[1].encode()};
        mad.wide.u32 p, t, 16, p; mad.lo.u32 s, t, 16, s; mad.wide.u32 q, t, 4, q;
        {
        " ".join(
            f"ld.global.v4.b32 {{w0, w1, w2, w3}}, [p+{i}]; st.shared.v4.b32 [s+{i}], {{w0, w1, w2, w3}};"
            for i in range(0, len(image), 2048)
        )
    }
        bar.sync 0;
        LOOP: wgmma.fence.sync.aligned; {products}
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        sub.u32 i, i, 1; setp.ne.u32 more, i, 0; @more bra LOOP;
        {" ".join(f"st.global.b32 [q+{512 * i}], d{i};" for i in range(count))} ret; }}"""
    exact = _EACH * ((_spread(a, type_) if sparse else a) @ b.T)
    expected = np.ascontiguousarray(exact.astype(_DTYPES[out_type]).ravel()[wgmma_d(n).flat].T)
    made = m * n * depth // (2 if sparse else 1)
    return _work(text, image, expected, turns, _EACH * made, 128)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a warp holds the matrices of an instruction: fragments of A, B, C and D, and how many registers of A and B."""

    opcode: str
    a: Fragment
    b: Fragment
    d: Fragment
    registers: tuple[int, int]


def mma(type_: str, turns: int) -> Work:
    """`turns` times four mma of the largest shape of a type."""
    from ptxlab.layout.fragments import mma_a, mma_b, mma_d

    bits = BITS[type_]
    k = {64: 16, 1: 256}.get(bits, 256 // bits)
    out = _sum_type(type_)
    opcode = f"mma.sync.aligned.m16n8k{k}.row.col.{out}.{type_}.{type_}.{out}{'.and.popc' * (type_ == 'b1')}"
    width = max(32, bits)
    registers = 16 * k * bits // 32 // width, 8 * k * bits // 32 // width
    return _warp(Shape(opcode, mma_a(bits), mma_b(bits, 4), mma_d(), registers), (16, 8, k), type_, out, turns)


def mma_sparse(type_: str, turns: int) -> Work:
    """`turns` times four mma.sp of the largest shape of a type."""
    from ptxlab.layout.fragments import mma_a, mma_b, mma_d

    bits, out = BITS[type_], _sum_type(type_)
    k = 512 // bits
    opcode = f"mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col.{out}.{type_}.{type_}.{out}"
    shape = Shape(opcode, mma_a(bits), mma_b(bits, 4), mma_d(), (4, 4))
    return _warp(shape, (16, 8, k), type_, out, turns, sparse=True)


def wmma(type_: str, turns: int) -> Work:
    """`turns` times four wmma of 16 × 16 × 16, of tf32 of 16 × 16 × 8, from fragments in registers."""
    from ptxlab.layout.wmma import wmma as fragment

    bits, out = BITS[type_], _sum_type(type_)
    m, n, k = extents = 16, 16, 8 if type_ == "tf32" else 16
    typed = f"{out}.{out}" if type_ == "f16" else f"{out}.{type_}.{type_}.{out}"
    a, b, d = (fragment(letter, extents, bits) for letter in ("a", "b", "d"))
    registers = (8, 8) if type_ == "f16" else (m * k * bits // 1024, n * k * bits // 1024)
    opcode = f"wmma.mma.sync.aligned.row.col.m{m}n{n}k{k}.{typed}"
    return _warp(Shape(opcode, a, b, d, registers), extents, type_, out, turns)


def octets(turns: int) -> Work:
    """`turns` times four mma.m8n8k4 of f16 into f32: four products of 8 × 8 × 4 each."""
    from ptxlab.layout.fragments import octet_a, octet_b, octet_d

    opcode = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"
    shape = Shape(opcode, octet_a("row"), octet_b("col"), octet_d(32), (2, 2))
    return _warp(shape, (32, 8, 4), "f16", "f32", turns, blocks=4)


def _sum_type(type_: str) -> str:
    return type_ if type_ == "f64" else "s32" if type_[0] in "sub" and type_[1:].isdigit() else "f32"


def _warp(
    shape: Shape,
    extents: tuple[int, int, int],
    type_: str,
    out: str,
    turns: int,
    *,
    sparse: bool = False,
    blocks: int = 1,
) -> Work:
    """D = A·B + C by one warp, again and again. `blocks`: products of the same rows and columns in one instruction."""
    import numpy as np

    m, n, k = extents
    a = _drawn(type_, (m, k // 2 if sparse else k), 3)
    b = _drawn(type_, (k, n * blocks), 4)
    c = _drawn(out, (m, n), 5)
    width = max(32, BITS[type_])
    bytes_ = 32 * width // 8
    held = [
        _held(a, shape.a, type_, shape.registers[0]),
        _held(b, shape.b, type_, shape.registers[1]),
        _held(c, shape.d, out, shape.d.elements),
    ]
    if sparse:
        held.append(np.full((1, 32), _SELECTED, np.uint32))
    names = [[f"{x}{i}" for i in range(len(h))] for x, h in zip("abcm", held, strict=False)]
    lists = ["{" + ", ".join(part) + "}" for part in names[:3]]
    results = ["d" + name[1:] for name in names[2]]
    one = f"{shape.opcode} {{{', '.join(results)}}}, {', '.join(lists)}{', m0, 0' if sparse else ''};"
    kinds = {"f32": "f32", "f64": "f64"}
    loads = [name for part in names for name in part]
    text = f"""{_HEAD} {{
        .reg .{kinds.get(type_, "b32")} a<{len(names[0])}>, b<{len(names[1])}>; .reg .b32 t, i, m0; .reg .b64 p, q;
        .reg .{kinds.get(out, "b32")} c<{len(names[2])}>, d<{len(names[2])}>; .reg .pred more;
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; ld.param.u32 i, [turns]; mov.u32 t, %laneid;
        mad.wide.u32 p, t, {width // 8}, p; mad.wide.u32 q, t, {width // 8}, q;
        {" ".join(f"ld.global.b{width} {name}, [p+{bytes_ * i}];" for i, name in enumerate(loads))}
        LOOP: {one * _EACH} sub.u32 i, i, 1; setp.ne.u32 more, i, 0; @more bra LOOP;
        {" ".join(f"st.global.b{width} [q+{bytes_ * i}], {name};" for i, name in enumerate(results))} ret; }}"""
    dense = _spread(a, type_) if sparse else a
    rows = m // blocks
    parts = [dense[rows * i : rows * (i + 1)] @ b[:, n * i : n * (i + 1)] for i in range(blocks)]
    exact = (np.concatenate(parts) + c).astype(_DTYPES[out])
    expected = np.ascontiguousarray(exact[shape.d.rows[:, : shape.d.elements], shape.d.cols].T)
    source = np.concatenate([h.reshape(-1).view(np.uint8) for h in held])
    return _work(text, source, expected, turns, _EACH * m * n * k // (2 if sparse else 1), 32)


def _work(text: str, source: Any, expected: Any, turns: int, each: int, threads: int) -> Work:
    import numpy as np

    given, out = px.empty(source.shape, np.uint8), px.empty(expected.shape, expected.dtype)
    given[...] = source
    launch = px.parse(text)["k"].prepare(grid=1, block=threads, args=[given, out, turns])
    return Work(launch, turns * each, threads, lambda: out.fill(0), lambda: bool(np.array_equal(out, expected)))


# --- matrices
def _drawn(type_: str, shape: tuple[int, int], seed: int) -> Any:
    """Small integers, bits of b1."""
    import numpy as np

    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, shape) if type_ == "b1" else rng.integers(-3, 4, shape)


def _spread(a: Any, type_: str) -> Any:
    """The matrix that `_SELECTED` makes of the elements of a sparse one."""
    import numpy as np

    given, size = {"tf32": (1, 2), "s4": (4, 8)}.get(type_, (2, 4))
    out = np.zeros((len(a), a.shape[1] // given, size), a.dtype)
    out[:, :, :given] = a.reshape(len(a), -1, given)
    return out.reshape(len(a), -1)


def _patterns(matrix: Any, type_: str) -> Any:
    """Elements as unsigned words; those narrower than a byte in its low bits."""
    import ml_dtypes
    import numpy as np

    if BITS[type_] < 8:
        return (matrix & (1 << BITS[type_]) - 1).astype(np.uint8)
    made = matrix.astype(getattr(ml_dtypes, _SMALL[type_]) if type_ in _SMALL else _DTYPES[type_])
    return made.view(f"u{made.itemsize}")


def _held(matrix: Any, fragment: Fragment, type_: str, count: int) -> Any:
    """The registers of the lanes, [register, lane]; small fragments are the first registers, others follow again and again."""
    import numpy as np

    bits = BITS[type_]
    width = max(32, bits)
    per = width // bits
    rows, cols = fragment.rows[:, : count * per], fragment.cols[:, : count * per]
    elements = _patterns(matrix, type_)[rows, cols]
    held = np.tile(elements.astype(np.uint64), (1, count * per // elements.shape[1])).reshape(32, count, per)
    words = np.bitwise_or.reduce(held << (np.arange(per, dtype=np.uint64) * np.uint64(bits)), axis=2)
    return np.ascontiguousarray(words.T.astype(f"u{width // 8}"))


def fragments(turns: int) -> Work:
    """`turns` times four wmma.load of a matrix of f32 by rows, each with a wmma.store of it by columns; in shared memory."""
    import numpy as np

    size = 16
    nbytes = size * size * 4
    held = "{" + ", ".join(f"f{i}" for i in range(8)) + "}"
    shape = f"m{size}n{size}k{size}"
    moves = (
        f"wmma.load.c.sync.aligned.row.{shape}.shared.f32 {held}, [s];",
        f"wmma.store.d.sync.aligned.col.{shape}.shared.f32 [s+{nbytes}], {held};",
    )
    words = "{w0, w1, w2, w3}"
    starts = range(0, nbytes, 512)
    in_ = " ".join(f"ld.global.v4.b32 {words}, [p+{at}]; st.shared.v4.b32 [s+{at}], {words};" for at in starts)
    out = " ".join(f"ld.shared.v4.b32 {words}, [s+{nbytes + at}]; st.global.v4.b32 [q+{at}], {words};" for at in starts)
    text = f"""{_HEAD} {{
        .reg .f32 f<8>; .reg .b32 t, i, s, w<4>; .reg .b64 p, q; .reg .pred more; .shared .align 128 .b8 mem[{2 * nbytes}];
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; ld.param.u32 i, [turns]; mov.u32 t, %laneid; mov.u32 s, mem;
        mad.wide.u32 p, t, 16, p; mad.wide.u32 q, t, 16, q; mad.lo.u32 s, t, 16, s;
        {in_}
        bar.warp.sync -1; mov.u32 s, mem;
        LOOP: {" ".join(moves) * _EACH}
        sub.u32 i, i, 1; setp.ne.u32 more, i, 0; @more bra LOOP;
        bar.warp.sync -1; mad.lo.u32 s, t, 16, s;
        {out}
        ret; }}"""
    matrix = _drawn("f32", (size, size), 9).astype(np.float32)
    each = 2 * _EACH * size * size
    return _work(text, matrix.view(np.uint8), np.ascontiguousarray(matrix.T), turns, each, 32)


LINES: Final[tuple[tuple[str, Callable[[int, int], Work]], ...]] = (
    *((f"wgmma, {t}", lambda group, _, t=t: warpgroup(t, group)) for t in ("f16", "tf32", "e4m3", "s8", "b1")),
    *((f"wgmma, bf16, N = {n}", lambda group, _, n=n: warpgroup("bf16", group, n=n)) for n in (8, 16)),
    *(
        (f"wgmma.sp, {t}", lambda group, _, t=t: warpgroup(t, group, sparse=True))
        for t in ("bf16", "tf32", "e4m3", "s8")
    ),
    *((f"mma, {t}", lambda _, warp, t=t: mma(t, warp)) for t in ("bf16", "tf32", "e4m3", "s8", "s4", "b1", "f64")),
    *((f"mma.sp, {t}", lambda _, warp, t=t: mma_sparse(t, warp)) for t in ("bf16", "tf32", "e4m3", "s8", "s4")),
    *((f"wmma, {t}", lambda _, warp, t=t: wmma(t, warp)) for t in ("f16", "bf16", "tf32", "s8")),
    ("mma.m8n8k4, f16", lambda _, warp: octets(warp)),
)
"""Products that are measured, with turns of a warpgroup and turns of a warp."""
MOVES: Final = ("wmma.load and wmma.store, f32", fragments)
"""Elements moved between memory and fragments, with turns of a warp."""
