"""The vector code against the kernels, which the integer reference holds to account; fragments as `layout` has them."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.layout.fragments import wgmma_d
from ptxlab.sim.numerics import kernels, native

from .test_kernels import FILLS, patterns

FORMS = ["bf16", "f16", "tf32"]
SHORT, SHORT_HALF = native.Kind("f32", 32, 13, 13), native.Kind("f16", 32, 13)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("negate", [False, True])
def test_decode(form: str, negate: bool) -> None:
    if form == "tf32":
        bits = np.random.default_rng(0).integers(0, 1 << 32, 4096, np.uint32)
        bits[:8] = (0, 1 << 31, 0x1FFF, 0x7F800000, 0x7F801FFF, 0xFFFFFFFF, 0x00402000, 0x007FFFFF)
    else:
        bits = np.arange(1 << 16, dtype=np.uint16)
    values, exponents = kernels.decode(bits, form, negate)
    got, got_exponents = np.empty_like(values), np.empty_like(exponents)
    index = np.random.default_rng(1).permutation(bits.size).astype(np.int32)
    native.decode(form)(
        bits.ctypes.data,
        index.ctypes.data,
        bits.size,
        -(1 << 31) if negate else 0,
        got.ctypes.data,
        got_exponents.ctypes.data,
    )
    assert np.array_equal(got_exponents, exponents[index])
    pairs = np.empty((bits.size, 2), np.int16)
    places = bits.ctypes.data, index.ctypes.data, bits.size, 0, got.ctypes.data, pairs.ctypes.data
    native.decode(form, twice=True)(*places)
    assert np.array_equal(pairs, np.stack([exponents[index]] * 2, axis=1))
    got.view(np.uint32)[:] ^= np.uint32(negate << 31)
    assert np.array_equal(np.isnan(got), np.isnan(values[index]))
    numbers = ~np.isnan(got)
    assert np.array_equal(got.view(np.uint32)[numbers], values[index].view(np.uint32)[numbers])


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "accumulate"), [(8, 1), (24, 1), (48, 0)])
def test_multiply(form: str, fill: str, n: int, accumulate: int) -> None:
    rng = np.random.default_rng([n, FILLS.index(fill)])
    a, b = patterns(rng, form, (64, 16), fill), patterns(rng, form, (16, n), fill)
    c = patterns(rng, "f32", (64, n), fill).astype(np.uint32)
    want = c.copy() if accumulate else np.zeros_like(c)
    va, ea = kernels.decode(a.reshape(64, 1, 16), form)
    vb, eb = kernels.decode(b.reshape(1, 16, n), form)
    addends = want.copy()
    kernels.dot_add(va, ea, vb, eb, want.view(np.int32), 25, kernels.OUT_F32)
    operands = given(va, ea, vb.reshape(16, n), eb.reshape(16, n))

    registers = n // 2
    starts = (rng.permutation(registers) * 128 + 64).astype(np.int64)
    frames = np.zeros((4, 64 + 128 * registers), np.uint8)
    flat = wgmma_d(n).flat.reshape(4, 32, registers)
    rows = [(w, e, frames[w, starts[e] : starts[e] + 128].view(np.uint32)) for w in range(4) for e in range(registers)]
    for w, e, row in rows:
        row[:] = c.ravel()[flat[w, :, e]]
    places = np.array([f.ctypes.data for f in frames], np.uint64)
    flags = np.zeros((64, n), np.int8)
    count = native.multiply(native.Kind("f32", 16))(
        *(x.ctypes.data for x in (*operands, places, starts)), n, accumulate, flags.ctypes.data, None, 16
    )
    got = np.zeros(64 * n, np.uint32)
    for w, e, row in rows:
        got[flat[w, :, e]] = row
    flagged = flags.astype(bool)
    assert count == flagged.sum()
    assert np.array_equal(got.reshape(64, n)[~flagged], want[~flagged])
    assert np.array_equal(got.reshape(64, n)[flagged], addends[flagged])
    assert fill != "near one" or form == "f16" or count == 0


def given(va: np.ndarray, ea: np.ndarray, vb: np.ndarray, eb: np.ndarray) -> list[np.ndarray]:
    """Operands as the product takes them: exponents of A twice, B [K, n] in blocks."""
    return [va, np.repeat(ea, 2), native.blocked(vb), native.blocked(eb)]


def multiplied(
    kind: native.Kind, operands: list[np.ndarray], c: np.ndarray, options: int, chosen: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """C after a product of its kind, through the registers of four warps, and what is flagged."""
    n, per = c.shape[1], c.itemsize
    registers = n * per // 8
    frames = np.zeros((4, registers, 128), np.uint8)
    flat = wgmma_d(n).flat.reshape(4, 32, n // 2)
    lanes = c.ravel()[flat].reshape(4, 32, registers, 4 // per)
    frames[:] = np.ascontiguousarray(lanes.transpose(0, 2, 1, 3)).view(np.uint8).reshape(frames.shape)
    starts = np.arange(registers, dtype=np.int64) * 128
    places = np.array([f.ctypes.data for f in frames], np.uint64)
    flags = np.zeros((64, n), np.int8)
    taken = given(*operands)
    pointers = (x.ctypes.data for x in (*taken, places, starts))
    where = None if chosen is None else chosen.ctypes.data
    count = native.multiply(kind)(*pointers, n, options, flags.ctypes.data, where, len(operands[2]))
    assert count == flags.sum()
    out = np.zeros_like(c)
    out.ravel()[flat] = (
        frames.view(c.dtype).reshape(4, registers, 32, 4 // per).transpose(0, 2, 1, 3).reshape(flat.shape)
    )
    return out, flags.astype(bool)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize(
    ("kind", "form", "out"),
    [
        (native.Kind("f16", 16), "f16", kernels.OUT_F16),
        (SHORT, "e4m3", kernels.OUT_F32_SHORT),
        (SHORT, "e5m2", kernels.OUT_F32_SHORT),
        (SHORT_HALF, "e5m2", kernels.OUT_F16),
    ],
)
@pytest.mark.parametrize(("n", "accumulate"), [(24, 1), (32, 0), (120, 1)])
def test_kinds(kind: native.Kind, form: str, out: int, fill: str, n: int, accumulate: int) -> None:
    rng = np.random.default_rng([n, FILLS.index(fill)])
    a, b = patterns(rng, form, (64, kind.k), fill), patterns(rng, form, (kind.k, n), fill)
    c = patterns(rng, kind.out, (64, n), fill).astype(np.uint16 if kind.out == "f16" else np.uint32)
    blocks = [
        *kernels.decode(a.reshape(64, -1, kernels.STEP), form),
        *kernels.decode(b.reshape(-1, kernels.STEP, n), form),
    ]
    addends = c if accumulate else np.zeros_like(c)
    want = addends.astype(np.int32)
    kernels.dot_add(*blocks, want, kind.fraction, out)
    operands = [*blocks[:2], *(x.reshape(-1, n) for x in blocks[2:])]
    got, flagged = multiplied(kind, operands, c, accumulate)
    assert np.array_equal(got[~flagged], want.astype(c.dtype)[~flagged])
    assert np.array_equal(got[flagged], addends[flagged])
    assert fill != "near one" or not flagged.all()


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize(
    ("kind", "form", "out"),
    [
        (native.Kind("f32", 16, sparse=True), "bf16", kernels.OUT_F32),
        (native.Kind("f16", 16, sparse=True), "f16", kernels.OUT_F16),
        (native.Kind("f32", 8, sparse=True), "tf32", kernels.OUT_F32),
        (native.Kind("f32", 32, 13, 13, sparse=True), "e5m2", kernels.OUT_F32_SHORT),
    ],
)
def test_sparse(kind: native.Kind, form: str, out: int, fill: str) -> None:
    rng = np.random.default_rng([5, FILLS.index(fill)])
    a, b = patterns(rng, form, (64, kind.k), fill), patterns(rng, form, (2 * kind.k, 24), fill)
    c = patterns(rng, kind.out, (64, 24), fill).astype(np.uint16 if kind.out == "f16" else np.uint32)
    chosen = rng.integers(0, 2 * kind.k, (64, kind.k)).astype(np.int32)
    steps = max(kind.k, kernels.STEP)
    (va, ea), vb_eb = kernels.decode(a, form), kernels.decode(b, form)
    wide_v, wide_e = np.zeros((64, steps), np.float32), np.full((64, steps), -3000, np.int16)
    wide_v[:, : kind.k], wide_e[:, : kind.k] = va, ea
    want = c.astype(np.int32)
    blocks = (x.reshape(64, -1, kernels.STEP) for x in (wide_v, wide_e))
    kernels.sparse_dot_add(*blocks, *vb_eb, chosen.astype(np.int64), want, kind.fraction, out)
    got, flagged = multiplied(kind, [va, ea, *vb_eb], c, 1, chosen)
    assert np.array_equal(got[~flagged], want.astype(c.dtype)[~flagged])
    repaired = got.astype(np.int32)
    kernels.sparse_repair(va, ea, *vb_eb, chosen, repaired, kind.fraction, out, flagged.astype(np.int8))
    assert np.array_equal(repaired.astype(c.dtype), want.astype(c.dtype))
    assert fill != "near one" or not flagged.all()


@pytest.mark.parametrize("n", [8, 24, 48, 120, 256])
def test_blocks_of_columns(n: int) -> None:
    matrix = np.arange(3 * n).reshape(3, n)
    assert [first for first, _ in native.blocks(n)] == [
        sum(w for _, w in native.blocks(n)[:i]) for i in range(len(native.blocks(n)))
    ]
    assert sorted(native.blocked(matrix)) == list(range(3 * n))
    assert list(native.blocked(matrix)[: 3 * native.blocks(n)[0][1]]) == list(
        matrix[:, : native.blocks(n)[0][1]].ravel()
    )
    assert np.array_equal(native.unblocked(native.blocked(matrix), n), matrix)


@pytest.mark.parametrize("legal", [False, True])
@pytest.mark.parametrize("each", [1, 2])
def test_choice_by_metadata(each: int, *, legal: bool) -> None:
    rng = np.random.default_rng(each)
    groups = 16
    fours = rng.choice((0b0100, 0b1110), (4, 64, 8)) if legal else rng.integers(0, 16, (4, 64, 8))
    frames = (fours << 4 * np.arange(8)).sum(axis=2).astype(np.uint32)
    lanes, shifts = (
        rng.integers(0, 32, (16, groups)).astype(np.int32),
        4 * rng.integers(0, 8, (16, groups)).astype(np.int32),
    )
    out = np.zeros((64, groups, each), np.int32)
    places = np.array([f.ctypes.data for f in frames], np.uint64)
    wrong = native.choose(each)(places.ctypes.data, 128, lanes.ctypes.data, shifts.ctypes.data, groups, out.ctypes.data)
    four = (frames[:, 32:][:, lanes] >> shifts.astype(np.uint32) & 15).reshape(64, groups)
    found = np.stack([four & 3, four >> 2], axis=-1) if each == 2 else (four >> 3)[:, :, None]
    assert np.array_equal(out, found + 2 * each * np.arange(groups)[None, :, None])
    assert bool(wrong) == (each == 1 and not legal)


@pytest.mark.parametrize("form", ["e4m3", "e5m2"])
def test_decode_of_bytes(form: str) -> None:
    bits = np.arange(256, dtype=np.uint8)
    index = np.arange(256, dtype=np.int32)
    for negate in (False, True):
        values, exponents = kernels.decode(bits, form, negate)
        got, got_exponents = np.empty_like(values), np.empty_like(exponents)
        flip = -(1 << 31) if negate else 0
        places = bits.ctypes.data, index.ctypes.data, 256, flip, got.ctypes.data, got_exponents.ctypes.data
        native.decode(form)(*places)
        assert np.array_equal(got_exponents, exponents)
        assert np.array_equal(got, values, equal_nan=True)
        assert np.array_equal(np.signbit(got[got == 0]), np.signbit(values[got == 0]))


@pytest.mark.parametrize("form", ["s8", "u8", "b1"])
@pytest.mark.parametrize("options", [0, 1, 1 | native.SATURATE])
def test_integers(form: str, options: int) -> None:
    rng = np.random.default_rng(7)
    raw = [rng.integers(0, 256, shape, dtype=np.uint8) for shape in ((64, 32), (32, 24))]
    words = [np.zeros(x.shape, np.int32) for x in raw]
    for x, out in zip(raw, words, strict=True):
        index = np.arange(x.size, dtype=np.int32)
        native.decode(form)(x.ctypes.data, index.ctypes.data, x.size, 0, out.ctypes.data, None)
    a, b = (x.view(np.int8).astype(np.int64) if form == "s8" else x.astype(np.int64) for x in raw)
    assert np.array_equal(words[0], a)
    c = rng.integers(-(1 << 31), 1 << 31, (64, 24)).astype(np.int32)
    c[0], c[1] = 0x7FFF_FFFF, -(1 << 31)
    total = a @ b if form != "b1" else np.bitwise_count(a[:, :, None] & b[None]).sum(axis=1, dtype=np.int64)
    total = total + (c if options & 1 else 0)
    want = np.clip(total, -(1 << 31), (1 << 31) - 1) if options & native.SATURATE else total
    operands = [words[0], words[0], words[1], words[1]]
    got, flagged = multiplied(native.Kind("ones" if form == "b1" else "s32", 32), operands, c, options)
    assert np.array_equal(got, want.astype(np.int32))
    assert not flagged.any()
