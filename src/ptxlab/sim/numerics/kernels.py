"""Tensor-core matrix products, bit for bit as `reference` and at native speed.

Operands come as values (float32) and exponents (int16), see `load16`. A product of two significands of at most 11 bits is
exact in float32, so the fast path needs no integer product: it finds the largest exponent of each output, scales every
product by one power of two, cuts it to an integer and adds. Outputs with Inf, NaN or exponents near the ends of float32's
range take `_exact`, which works in integers alone.
"""

# Results must not depend on the vector unit: all steps are exact or explicitly cut, so the order of sums is free.

# numba compiles these functions for the types they are called with
# pyright: standard

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.numerics.formats import FAST_MAX, FAST_MIN, NO_TERM, SPECIAL_EXPONENT, STEP, ZERO_EXPONENT
from ptxlab.sim.numerics.jit import jit

Values = NDArray[np.float32]
Exponents = NDArray[np.int16]
Bits = NDArray[np.int32]

OUT_F32, OUT_F32_SHORT, OUT_F16 = 0, 1, 2
"""Results: f32 toward zero, f32 with 13 fraction bits, f16 to nearest even."""

_EXPONENT_FLOOR_F16 = -21
_EXPONENT_FLOOR_F32 = -133
_NAN32, _INF32 = 0x7FFFFFFF, 0x7F800000
_NAN16, _INF16 = 0x7FFF, 0x7C00


@jit
def load_bf16(memory, index, negate, values, exponents):
    """Decode bfloat16 patterns `memory[index[i]]` (uint16) into flat `values` (float32) and `exponents` (int16)."""
    bits = values.view(np.int32)
    flip = np.int32(-(1 << 31)) if negate else np.int32(0)
    for i in range(index.size):
        raw = np.int32(memory[index[i]])
        bits[i] = (raw << 16) ^ flip
        field = (raw >> 7) & 0xFF
        e = np.int32(max(field, 1) - 127)
        e = np.int32(SPECIAL_EXPONENT) if field == 0xFF else e
        exponents[i] = np.int32(ZERO_EXPONENT) if (raw & 0x7FFF) == 0 else e


@jit
def load_f16(memory, index, negate, values, exponents):
    """The same for float16."""
    bits = values.view(np.int32)
    flip = np.int32(-(1 << 31)) if negate else np.int32(0)
    for i in range(index.size):
        raw = np.int32(memory[index[i]])
        field = (raw >> 10) & 0x1F
        fraction = raw & 0x3FF
        sign = (raw & 0x8000) << 16
        tiny = np.float32(np.float32(fraction) * np.float32(2.0**-24))
        magnitude = np.int32(((field + 112) << 23) | (fraction << 13))
        magnitude = np.int32(0x7F800000 | (fraction << 13)) if field == 0x1F else magnitude
        magnitude = tiny.view(np.int32) if field == 0 else magnitude
        bits[i] = (sign | magnitude) ^ flip
        e = np.int32(max(field, 1) - 15)
        e = np.int32(SPECIAL_EXPONENT) if field == 0x1F else e
        exponents[i] = np.int32(ZERO_EXPONENT) if (raw & 0x7FFF) == 0 else e


@jit
def load_tf32(memory, index, negate, values, exponents):
    """The same for tf32 patterns in uint32 words, whose low 13 bits are dropped."""
    bits = values.view(np.int32)
    flip = np.int32(-(1 << 31)) if negate else np.int32(0)
    for i in range(index.size):
        raw = np.int32(memory[index[i]]) & np.int32(-(1 << 13))
        bits[i] = raw ^ flip
        field = (raw >> 23) & 0xFF
        e = np.int32(max(field, 1) - 127)
        e = np.int32(SPECIAL_EXPONENT) if field == 0xFF else e
        exponents[i] = np.int32(ZERO_EXPONENT) if (raw & 0x7FFFFFFF) == 0 else e


@jit
def load_fp8(memory, index, negate, values, exponents, table_values, table_exponents):
    """The same for 8-bit patterns through the tables of `formats.table`."""
    sign = np.float32(-1.0) if negate else np.float32(1.0)
    for i in range(index.size):
        raw = memory[index[i]]
        values[i] = table_values[raw] * sign
        exponents[i] = table_exponents[raw]


@jit
def _largest_exponents(exponents_a, exponents_b, out):
    """out[j] = max(out[j], exponents of the products a[k]·b[k, j]) for one STEP of k."""
    for j in range(out.size):
        e = out[j]
        for k in range(STEP):
            e = max(e, np.int16(exponents_a[k] + exponents_b[k, j]))
        out[j] = e


@jit
def _partial_sums(values_a, values_b, scale, partial):
    """partial[j] = Σ trunc(a[k]·b[k, j]·scale[j]) for one STEP of k; exact where the exponents are safe."""
    for j in range(partial.size):
        s = scale[j]
        t = np.int32(0)
        for k in range(STEP):
            t += np.int32(values_a[k] * values_b[k, j] * s)
        partial[j] = t


@jit
def _add(partial, total):
    for j in range(total.size):
        total[j] += np.float64(partial[j])


@jit
def _start_f32(c, fraction, exponents, scale, total, flags):
    """Join f32 addends: their exponents to `exponents`, 2^(fraction - E) to `scale` (as bits), their cut value to `total`.

    Flags the outputs that are not safe, and returns how many there are.
    """
    unsafe = np.int32(0)
    for j in range(c.size):
        raw = np.int32(c[j])
        field = np.int32((raw >> 23) & 0xFF)
        e = np.int32(max(field, 1) - 127)
        e = e if (raw & 0x7FFFFFFF) != 0 else np.int32(ZERO_EXPONENT)
        e = max(e, np.int32(exponents[j]))
        exponents[j] = e
        flag = np.int32((e > FAST_MAX) | ((e < FAST_MIN) & (e > NO_TERM)))
        flags[j] = flag
        unsafe += flag
        clamped = min(max(e, np.int32(FAST_MIN)), np.int32(FAST_MAX))
        s = np.int32((127 + fraction - clamped) << 23)
        scale[j] = s
        total[j] = np.float64(np.int32(raw.view(np.float32) * s.view(np.float32)))
    return unsafe


@jit
def _f16_value(raw):
    """A float16 pattern as float32."""
    field, fraction = (raw >> 10) & 0x1F, raw & 0x3FF
    value = np.float32(fraction) * np.float32(2.0**-24)
    if field == 0x1F:
        value = np.float32(np.nan if fraction else np.inf)
    elif field:
        value = np.float32(fraction + 1024) * np.float32(2.0 ** (field - 25))
    return -value if raw & 0x8000 else value


@jit
def _start_f16(c, fraction, exponents, scale, total, flags):
    """The same for f16 addends. Their exponents cannot leave the safe range but by Inf and NaN."""
    unsafe = 0
    for j in range(c.size):
        raw = np.int32(c[j])
        field = (raw >> 10) & 0x1F
        e = max(field, 1) - 15 if field != 0x1F else SPECIAL_EXPONENT
        e = max(np.int32(exponents[j]), e if raw & 0x7FFF else ZERO_EXPONENT)
        exponents[j] = e
        flags[j] = e > FAST_MAX
        if e > FAST_MAX:
            unsafe += 1
            scale[j], total[j] = 0, 0.0
        else:
            scale[j] = (127 + fraction - e) << 23
            total[j] = math.trunc(np.float64(_f16_value(raw)) * 2.0 ** (fraction - e))
    return unsafe


@jit
def _finish_f32(total, exponents, fraction, mask, flags, c):
    """c = total · 2^(E - fraction) as f32, cut by a mask on float64's fraction: what is left float32 holds exactly.

    Flagged outputs stay as they are.
    """
    for j in range(c.size):
        e = min(max(np.int64(exponents[j]), np.int64(FAST_MIN)), np.int64(FAST_MAX))
        scale = np.int64((1023 - fraction + e) << 52).view(np.float64)
        value = np.float64(total[j] * scale)
        cut = np.int64(value.view(np.int64) & mask).view(np.float64)
        c[j] = c[j] if flags[j] else np.float32(cut).view(np.int32)


@jit
def _finish_f16(total, exponents, fraction, c):
    for j in range(c.size):
        if exponents[j] <= FAST_MAX:
            c[j] = _encode(np.int64(total[j]), np.int64(exponents[j]) - fraction, OUT_F16)


@jit
def _encode(total, exponent, out_kind):
    """total · 2^exponent (integers) rounded into the result's format."""
    if total == 0:
        return np.int64(0)
    magnitude = abs(total)  # below 2^40, so float64 has its exponent
    least, bits = (-14, 10) if out_kind == OUT_F16 else (-126, 23 if out_kind == OUT_F32 else 13)
    e = max(math.frexp(np.float64(magnitude))[1] - 1 + exponent, least)
    shift = (e - bits) - exponent
    if shift <= 0:
        count = magnitude << -shift
    elif shift > 62:
        count = np.int64(0)
    else:
        count = magnitude >> shift
        if out_kind == OUT_F16:
            rest, half = magnitude & ((np.int64(1) << shift) - 1), np.int64(1) << (shift - 1)
            count += 1 if rest > half or (rest == half and count & 1) else 0
            if count >> (bits + 1):
                count, e = count >> 1, e + 1
    if count == 0:
        return np.int64(0)
    sign = np.int64(1 if total < 0 else 0)
    if out_kind == OUT_F16:
        finite = ((e + 15 if count >> 10 else 0) << 10) | (count & 0x3FF)
        return sign << 15 | (_INF16 if e > 15 else finite)
    finite = ((e + 127 if count >> bits else 0) << 23) | (count & ((1 << bits) - 1)) << (23 - bits)
    return sign << 31 | (_INF32 if e > 127 else finite)


@jit
def _special(values_a, values_b, addend, column):
    """0 when all terms are finite; 1, 2 for +Inf, -Inf; 3 for NaN."""
    seen = 0
    for block in range(values_b.shape[0]):
        for k in range(values_b.shape[1]):
            a, b = values_a[block, k], values_b[block, k, column]
            if np.isnan(a) or np.isnan(b):
                return 3
            if np.isinf(a) or np.isinf(b):
                if a == 0 or b == 0:
                    return 3
                seen |= 2 if (a < 0) != (b < 0) else 1
    if np.isnan(addend):
        return 3
    if np.isinf(addend):
        seen |= 2 if addend < 0 else 1
    return seen


@jit
def _cut(term, shift):
    """term · 2^shift toward zero."""
    if shift >= 0:
        return term << shift
    magnitude = abs(term) >> min(-shift, 62)
    return -magnitude if term < 0 else magnitude


@jit
def _exact(values_a, exponents_a, values_b, exponents_b, c, column, fraction, out_kind):
    """One output by integers alone. A significand times 2^10 is an integer in every input format, the addend's times 2^23."""
    narrow = out_kind == OUT_F16
    addend = np.float64(_f16_value(c) if narrow else np.int32(c).view(np.float32))
    special = _special(values_a, values_b, addend, column)
    if special == 3:
        return np.int64(_NAN16 if narrow else _NAN32)
    if special:
        return np.int64(special - 1) << (15 if narrow else 31) | np.int64(_INF16 if narrow else _INF32)
    addend_exponent = 0
    largest = _EXPONENT_FLOOR_F16 if narrow else _EXPONENT_FLOOR_F32
    if addend != 0:
        addend_exponent = max(math.frexp(addend)[1] - 1, -14 if narrow else -126)
        largest = max(largest, addend_exponent)
    for block in range(values_b.shape[0]):
        for k in range(values_b.shape[1]):
            e = np.int64(exponents_a[block, k]) + np.int64(exponents_b[block, k, column])
            largest = max(largest, e)
    addend_significand = np.int64(math.ldexp(addend, 23 - addend_exponent))
    total = _cut(addend_significand, fraction - 23 + addend_exponent - largest)
    for block in range(values_b.shape[0]):
        for k in range(values_b.shape[1]):
            ea, eb = np.int64(exponents_a[block, k]), np.int64(exponents_b[block, k, column])
            if ea + eb > NO_TERM:
                a = np.int64(math.ldexp(np.float64(values_a[block, k]), int(10 - ea)))
                b = np.int64(math.ldexp(np.float64(values_b[block, k, column]), int(10 - eb)))
                total += _cut(a * b, fraction - 20 + ea + eb - largest)
    return _encode(total, largest - fraction, out_kind)


@jit
def _dot_add_f32(values_a, exponents_a, values_b, exponents_b, c, fraction, mask, flags):
    rows, n = c.shape
    exponents = np.empty(n, np.int16)
    scale = np.empty(n, np.float32)
    scale_bits = scale.view(np.int32)
    partial = np.empty(n, np.int32)
    total = np.empty(n, np.float64)
    unsafe = 0
    for row in range(rows):
        exponents[:] = -30000
        for block in range(values_b.shape[0]):
            _largest_exponents(exponents_a[row, block], exponents_b[block], exponents)
        unsafe += _start_f32(c[row], fraction, exponents, scale_bits, total, flags[row])
        for block in range(values_b.shape[0]):
            _partial_sums(values_a[row, block], values_b[block], scale, partial)
            _add(partial, total)
        _finish_f32(total, exponents, fraction, mask, flags[row], c[row])
    return unsafe


@jit
def _dot_add_f16(values_a, exponents_a, values_b, exponents_b, c, fraction, flags):
    rows, n = c.shape
    exponents = np.empty(n, np.int16)
    scale = np.empty(n, np.float32)
    scale_bits = scale.view(np.int32)
    partial = np.empty(n, np.int32)
    total = np.empty(n, np.float64)
    unsafe = 0
    for row in range(rows):
        exponents[:] = _EXPONENT_FLOOR_F16
        for block in range(values_b.shape[0]):
            _largest_exponents(exponents_a[row, block], exponents_b[block], exponents)
        unsafe += _start_f16(c[row], fraction, exponents, scale_bits, total, flags[row])
        for block in range(values_b.shape[0]):
            _partial_sums(values_a[row, block], values_b[block], scale, partial)
            _add(partial, total)
        _finish_f16(total, exponents, fraction, c[row])
    return unsafe


@jit
def repair(values_a, exponents_a, values_b, exponents_b, c, fraction, out_kind, flags):
    """The flagged outputs by integers alone. Arguments as for `dot_add`, STEPs of any length; `flags` int8 [M, N]."""
    for row in range(c.shape[0]):
        for j in range(c.shape[1]):
            if flags[row, j]:
                a, e = values_a[row], exponents_a[row]
                c[row, j] = _exact(a, e, values_b, exponents_b, c[row, j], j, fraction=fraction, out_kind=out_kind)


@jit
def sparse_repair(values_a, exponents_a, values_b, exponents_b, index, c, fraction, out_kind, flags):
    """The same where row m of A [M, k] meets the rows index[m] of B [K, N]; `index` int32 [M, k]."""
    for row in range(c.shape[0]):
        if flags[row].any():
            values, exponents = values_b[index[row]], exponents_b[index[row]]
            repair(
                values_a[row].copy().reshape(1, 1, -1),
                exponents_a[row].copy().reshape(1, 1, -1),
                values.reshape(1, values.shape[0], values.shape[1]),
                exponents.reshape(1, values.shape[0], values.shape[1]),
                c=c[row : row + 1],
                fraction=fraction,
                out_kind=out_kind,
                flags=flags[row : row + 1],
            )


@jit
def _chosen_rows(values, exponents, index, out_values, out_exponents):
    """out[i] = row index[i] of a matrix, as STEPs of rows; what is left of the last STEP stays."""
    for i in range(index.size):
        block, place = i // STEP, i % STEP
        for j in range(values.shape[1]):
            out_values[block, place, j] = values[index[i], j]
            out_exponents[block, place, j] = exponents[index[i], j]


@jit
def _sparse_rows(values_a, exponents_a, values_b, exponents_b, index, c, fraction, out_kind, mask):
    """`dot_add` where row m of A meets the rows index[m] of B (float32 and int16 [K, N])."""
    steps, n = values_a.shape[1], c.shape[1]
    chosen_values = np.zeros((steps, STEP, n), np.float32)
    chosen_exponents = np.full((steps, STEP, n), np.int16(ZERO_EXPONENT))
    flags = np.empty((1, n), np.int8)
    for row in range(c.shape[0]):
        _chosen_rows(values_b, exponents_b, index[row], chosen_values, chosen_exponents)
        a, e, d = values_a[row : row + 1], exponents_a[row : row + 1], c[row : row + 1]
        if out_kind == OUT_F16:
            unsafe = _dot_add_f16(a, e, chosen_values, chosen_exponents, d, fraction=fraction, flags=flags)
        else:
            unsafe = _dot_add_f32(a, e, chosen_values, chosen_exponents, d, fraction=fraction, mask=mask, flags=flags)
        if unsafe:
            repair(a, e, chosen_values, chosen_exponents, d, fraction=fraction, out_kind=out_kind, flags=flags)


def sparse_dot_add(
    values_a: Values,
    exponents_a: Exponents,
    values_b: Values,
    exponents_b: Exponents,
    index: NDArray[np.int64],
    c: Bits,
    fraction: int,
    out_kind: int,
) -> None:
    """c[m, n] = FDA(a[m, :], b[index[m, :], n], c[m, n]) in place.

    Args:
        values_b, exponents_b: float32 and int16 [K, N]. index: int64 [M, elements of a row of A]. The others: as of `dot_add`.
    """
    operands = values_a, exponents_a, values_b, exponents_b
    _sparse_rows(*operands, index, c, fraction=fraction, out_kind=out_kind, mask=np.int64(_mask(out_kind)))


def _mask(out_kind: int) -> int:
    """The bits of float64 that a result of f32 keeps."""
    return ~((1 << (29 if out_kind == OUT_F32 else 39)) - 1)


def dot_add(
    values_a: Values,
    exponents_a: Exponents,
    values_b: Values,
    exponents_b: Exponents,
    c: Bits,
    fraction: int,
    out_kind: int,
) -> None:
    """c[m, n] = FDA(a[m, :], b[:, n], c[m, n]) in place.

    Args:
        values_a, exponents_a: float32 and int16 [M, K / STEP, STEP], C-contiguous, K padded with zeros.
        values_b, exponents_b: float32 and int16 [K / STEP, STEP, N], C-contiguous.
        c: int32 [M, N], patterns of f32, or of f16 in the low half.
        fraction: fraction bits of the alignment, 25 or 13. out_kind: one of the OUT_ constants.
    """
    flags = np.empty(c.shape, np.int8)
    operands = values_a, exponents_a, values_b, exponents_b
    if out_kind == OUT_F16:
        unsafe = _dot_add_f16(*operands, c, fraction, flags)
    else:
        unsafe = _dot_add_f32(*operands, c, fraction, _mask(out_kind), flags)
    if unsafe:
        repair(*operands, c, fraction, out_kind, flags)


def matmul(
    a: NDArray[np.unsignedinteger],
    b: NDArray[np.unsignedinteger],
    c: NDArray[np.unsignedinteger],
    a_type: str,
    *,
    b_type: str | None = None,
    out: str = "f32",
    fraction: int = 25,
    short: bool = False,
) -> NDArray[np.uint32]:
    """D = A·B + C as one tensor-core step over all of K.

    Args:
        a: patterns [M, K]; b: patterns [K, N], of formats `a_type` and `b_type` (default the same).
        c: patterns [M, N] in the format `out`, "f32" or "f16". short: keep 13 fraction bits of an f32 result.

    Returns: patterns uint32 [M, N].
    """
    padded = -(-a.shape[1] // STEP) * STEP
    wide_a = _widened(a, padded)
    wide_b = np.zeros((padded, b.shape[1]), b.dtype)
    wide_b[: b.shape[0]] = b
    va, ea = decode(wide_a.reshape(a.shape[0], -1, STEP), a_type)
    vb, eb = decode(wide_b.reshape(-1, STEP, b.shape[1]), b_type or a_type)
    result = np.array(c, np.uint32)
    kind = OUT_F16 if out == "f16" else OUT_F32_SHORT if short else OUT_F32
    dot_add(va, ea, vb, eb, result.view(np.int32), fraction=fraction, out_kind=kind)
    return result


def _widened(a: NDArray[np.unsignedinteger], columns: int) -> NDArray[np.unsignedinteger]:
    """The same with zeros behind every row."""
    out = np.zeros((a.shape[0], columns), a.dtype)
    out[:, : a.shape[1]] = a
    return out


def sparse_matmul(
    a: NDArray[np.unsignedinteger],
    b: NDArray[np.unsignedinteger],
    c: NDArray[np.unsignedinteger],
    index: NDArray[np.int64],
    a_type: str,
    *,
    b_type: str | None = None,
    out: str = "f32",
) -> NDArray[np.uint32]:
    """D = A·B + C as one step over the elements of A that are there.

    Args: a: patterns [M, K / 2]; index: their columns, int64 [M, K / 2]; the others: as of `matmul`.
    """
    padded = -(-a.shape[1] // STEP) * STEP
    va, ea = decode(_widened(a, padded).reshape(a.shape[0], -1, STEP), a_type)
    vb, eb = decode(b, b_type or a_type)
    result = np.array(c, np.uint32)
    kind = OUT_F16 if out == "f16" else OUT_F32
    sparse_dot_add(va, ea, vb, eb, index, result.view(np.int32), fraction=25, out_kind=kind)
    return result


def decode(
    bits: NDArray[np.unsignedinteger], form: str, negate: bool = False
) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
    """Values and exponents of an array of patterns, in its shape."""
    flat = np.ascontiguousarray(bits).reshape(-1)
    index = np.arange(flat.size, dtype=np.int32)
    values, exponents = np.empty(flat.size, np.float32), np.empty(flat.size, np.int16)
    load(form, flat, index, negate, values, exponents)
    return values.reshape(bits.shape), exponents.reshape(bits.shape)


def load(
    form: str,
    memory: NDArray[np.unsignedinteger],
    index: NDArray[np.int32],
    negate: bool,
    values: NDArray[np.float32],
    exponents: NDArray[np.int16],
) -> None:
    """Decode `memory[index]` of one format into flat arrays; memory's words are as wide as the format (tf32: 32 bits)."""
    if form == "bf16":
        load_bf16(memory, index, negate, values, exponents)
    elif form == "f16":
        load_f16(memory, index, negate, values, exponents)
    elif form == "tf32":
        load_tf32(memory, index, negate, values, exponents)
    else:
        from ptxlab.sim.numerics.formats import table

        load_fp8(memory, index, negate, values, exponents, *table(form))
