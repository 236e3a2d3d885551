from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.layout import (
    SWIZZLES,
    Major,
    MatrixDescriptor,
    OperandTile,
    Swizzle,
    TensorMap,
    box_elements,
    element_offsets,
    k_major,
    mn_major,
    swizzle_span,
)

UNITS = st.integers(0, 2**14 - 1).map(lambda x: x * 16)


@given(UNITS, UNITS, UNITS, st.integers(0, 7), st.sampled_from(SWIZZLES))
def test_decode_is_the_inverse_of_encode(a: int, lbo: int, sbo: int, base: int, mode: Swizzle) -> None:
    desc = MatrixDescriptor(a, lbo, sbo, base, mode)
    assert MatrixDescriptor.decode(desc.encode()) == desc


def test_bits_of_the_fields() -> None:
    assert MatrixDescriptor(0x3FFF0, 0, 0).encode() == 0x3FFF
    assert MatrixDescriptor(0, 0x3FFF0, 0).encode() == 0x3FFF << 16
    assert MatrixDescriptor(0, 0, 0x3FFF0).encode() == 0x3FFF << 32
    assert MatrixDescriptor(0, 0, 0, 7).encode() == 7 << 49
    modes: list[Swizzle] = ["none", "128B", "64B", "32B"]
    assert [MatrixDescriptor(0, 0, 0, 0, m).encode() >> 62 for m in modes] == [0, 1, 2, 3]
    # A 128B-swizzled K-major tile at 1024, as gemm kernels write it down: LBO 1, SBO 64 (units of 16 bytes), mode 1.
    assert k_major(64, 64).descriptor(1024).encode() == 0x4000004000010040


@pytest.mark.parametrize(
    "bad", [{"address": 8}, {"address": 1 << 18}, {"stride": -16}, {"leading": 17}, {"base_offset": 8}]
)
def test_values_that_do_not_fit_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(Diagnostic) as e:
        MatrixDescriptor(**{"address": 0, **bad}).encode()
    assert e.value.code == "PTX2120"
    assert e.value.help


def canonical(
    mode: Swizzle, major: Major, lines: int, k: int, lbo: int, sbo: int, t: int
) -> dict[tuple[int, int], int]:
    """The canonical layouts as CUTLASS documents them, by nested loops, before the swizzle; values are bytes.

    Shapes and strides in elements, T elements to 16 bytes, W chunks to a span:
    K-major:  ((8, m), (T, 2)) : ((W T, SBO), (1, no swizzle: LBO, else T))
    MN-major: ((T, W, m), (8, k)) : no swizzle ((1, T, SBO), (T, LBO)), else ((1, T, LBO), (W T, SBO))
    """
    w = swizzle_span(mode) // 16
    size = 16 // t
    out: dict[tuple[int, int], int] = {}
    if major == "K":
        for r, m, e, c in itertools.product(range(8), range(lines // 8), range(t), range(2)):
            second = lbo if mode == "none" else 16
            out[m * 8 + r, c * t + e] = r * 16 * w + m * sbo + e * size + c * second
        return out
    outer, group = (sbo, lbo) if mode == "none" else (lbo, sbo)
    wide = t * w
    for e, c, m in itertools.product(range(t), range(w), range(-(-lines // wide))):
        line = m * wide + c * t + e
        if line < lines:
            for r, g in itertools.product(range(8), range(k // 8)):
                out[line, g * 8 + r] = e * size + c * 16 + m * outer + r * 16 * w + g * group
    return out


def by_xor(address: int, mode: Swizzle) -> int:
    """Swizzle<B, 4, 3>: bits 4 … 4 + B − 1 are XORed with the B bits from bit 7 on."""
    bits = {"none": 0, "32B": 1, "64B": 2, "128B": 3}[mode]
    for b in range(bits):
        address ^= (address >> (7 + b) & 1) << (4 + b)
    return address


@pytest.mark.parametrize("mode", SWIZZLES)
@pytest.mark.parametrize(
    ("major", "lines", "bits"),
    [("K", 64, 16), ("K", 24, 8), ("K", 64, 32), ("MN", 64, 16), ("MN", 256, 16), ("MN", 32, 16)],
)
def test_elements_lie_as_the_canonical_layouts_say(mode: Swizzle, major: Major, lines: int, bits: int) -> None:
    k = 256 // bits
    desc = MatrixDescriptor(0x2400, 0x1230, 0x4560, 0, mode)
    plain = element_offsets(desc, lines, k, bits, major, swizzled=False)
    final = element_offsets(desc, lines, k, bits, major)
    expected = canonical(mode, major, lines, k, 0x1230, 0x4560, 128 // bits)
    assert len(expected) == lines * k
    for (line, kk), offset in expected.items():
        assert plain[line, kk] == 0x2400 + offset
        assert final[line, kk] == by_xor(0x2400 + offset, mode)


def fill_by_tma(tile: OperandTile, base: int) -> tuple[np.ndarray, np.ndarray]:
    """A tile's matrix (lines × k) of distinct elements, and shared memory after TMA brought it there panel by panel."""
    dtype = {8: np.uint8, 16: np.uint16, 32: np.uint32}[tile.element_bits]
    matrix = np.arange(tile.lines * tile.k).astype(dtype).reshape(tile.lines, tile.k)
    source = np.ascontiguousarray(matrix if tile.major == "K" else matrix.T)
    m = TensorMap.tiled(
        dtype=f"u{tile.element_bits}",
        address=0,
        dims=source.shape[::-1],
        strides=source.strides[:1],
        box=(tile.panel_elements, tile.panel_rows),
        swizzle=tile.swizzle,
    )
    shared = np.zeros(base + tile.nbytes, np.uint8)
    for p in range(tile.panels):
        at = base + p * tile.panel_bytes
        chunks = box_elements(m, (p * tile.panel_elements, 0), at)
        for g, s in zip(chunks.global_offset.ravel(), chunks.shared_offset.ravel(), strict=True):
            shared[at + s : at + s + 16] = source.reshape(-1).view(np.uint8)[g : g + 16]
    return matrix, shared.view(dtype)


@pytest.mark.parametrize("mode", SWIZZLES)
@pytest.mark.parametrize(
    ("make", "lines", "k", "bits"),
    [(k_major, 128, 64, 16), (k_major, 64, 128, 16), (k_major, 72, 128, 8), (k_major, 64, 32, 32), (mn_major, 128, 64, 16),
     (mn_major, 256, 32, 16)],
)  # fmt: skip
def test_what_tma_writes_is_what_wgmma_reads(make: object, mode: Swizzle, lines: int, k: int, bits: int) -> None:
    tile: OperandTile = make(lines, k, bits, mode)  # type: ignore[operator]
    base = 3 * 1024
    matrix, shared = fill_by_tma(tile, base)
    per_step = 256 // bits
    part = 64 if lines % 64 == 0 else lines
    assert tile.k_steps * per_step == k
    for line, step in itertools.product(range(0, lines, part), range(tile.k_steps)):
        desc = MatrixDescriptor.decode(tile.descriptor(base, line=line, step=step).encode())
        at = element_offsets(desc, part, per_step, bits, tile.major) // tile.element_bytes
        wanted = matrix[line : line + part, step * per_step : (step + 1) * per_step]
        assert np.array_equal(shared[at], wanted)
    whole = tile.descriptor(base)
    assert whole.advanced(tile.k_step(tile.k_steps - 1)) == tile.descriptor(base, step=tile.k_steps - 1)


def test_the_gemms_tiles() -> None:
    a = k_major(128, 64)
    assert (a.nbytes, a.panels, a.panel_elements, a.panel_rows, a.alignment) == (16384, 1, 64, 128, 1024)
    assert [a.k_step(i) for i in range(a.k_steps)] == [0, 32, 64, 96]
    assert a.descriptor(0, line=64).address == 8192
    b = mn_major(256, 64)
    assert (b.nbytes, b.panels, b.panel_elements, b.panel_rows) == (32768, 4, 64, 64)
    assert [b.k_step(i) for i in range(b.k_steps)] == [0, 2048, 4096, 6144]
    assert (b.descriptor().leading, b.descriptor().stride) == (8192, 1024)


@pytest.mark.parametrize(
    ("make", "arguments"),
    [(k_major, (60, 64)), (k_major, (64, 48)), (mn_major, (96, 64)), (mn_major, (64, 24)), (mn_major, (64, 64, 8)),
     (k_major, (64, 64, 64)),
     (k_major, (0, 64))],
)  # fmt: skip
def test_tiles_that_no_descriptor_addresses(make: object, arguments: tuple[int, ...]) -> None:
    with pytest.raises(Diagnostic) as e:
        make(*arguments)  # type: ignore[operator]
    assert e.value.code == "PTX2121"
    assert e.value.help


def test_a_tile_must_be_aligned_and_parts_start_with_a_group() -> None:
    with pytest.raises(Diagnostic) as e:
        k_major(64, 64).descriptor(512)
    assert e.value.code == "PTX2120"
    with pytest.raises(Diagnostic) as e:
        mn_major(128, 64).descriptor(0, line=32)
    assert e.value.code == "PTX2121"
    with pytest.raises(Diagnostic) as e:
        element_offsets(MatrixDescriptor(0), 60, 16, 16)
    assert e.value.code == "PTX2121"


def test_what_leaves_a_swizzled_span_lies_the_leading_offset_further_on() -> None:
    """64 bytes of K, as sparse products have them, under the 32-byte swizzle."""
    near = MatrixDescriptor(0, leading=4096, stride=256, swizzle="32B")
    whole = element_offsets(near, 16, 32, 16)
    assert np.array_equal(whole[:, :16], element_offsets(near, 16, 16, 16))
    assert np.array_equal(whole[:, 16:], whole[:, :16] + 4096)
    wide = MatrixDescriptor(0, leading=4096, stride=512, swizzle="64B")
    assert element_offsets(wide, 16, 32, 16).max() < 1024
