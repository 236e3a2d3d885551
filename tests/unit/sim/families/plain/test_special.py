"""NaN, signed zeros and what .ftz flushes, as an H100 was seen to treat them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ...elementwise import apply

A, B, C = 0x7FF0_0000_0000_0001, 0xFFF8_0000_0000_0005, 0x7FF2_AAAA_AAAA_AAAA  # A and C signal
QUIET = 1 << 51
TWO = 0x4000_0000_0000_0000
LEAST = 2.0**-126


def f64(instruction: str, *operands: int) -> int:
    ins = " ".join("f64" for _ in operands)
    return int(apply(instruction, "b64", ins, *(np.array([o], "u8") for o in operands))[0])


def one(instruction: str, out: str, source: str, bits: int) -> int:
    return int(apply(instruction, out, source, np.array([bits], f"u{int(source[1:]) // 8}"))[0])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "min", "max"])
def test_f64_takes_the_nan_of_b_before_that_of_a(name: str) -> None:
    assert f64(f"{name}.f64 d, a0, a1;", A, B) == B
    assert f64(f"{name}.f64 d, a0, a1;", B, A) == A | QUIET
    if name not in ("min", "max"):
        assert f64(f"{name}.f64 d, a0, a1;", A, TWO) == A | QUIET


def test_f64_division_takes_the_nan_of_a() -> None:
    assert f64("div.rn.f64 d, a0, a1;", A, B) == A | QUIET
    assert f64("div.rn.f64 d, a0, a1;", TWO, B) == B


@pytest.mark.parametrize(
    ("a", "b", "c", "want"),
    [(A, B, C, B), (A, TWO, C, C | QUIET), (TWO, B, C, B), (A, TWO, TWO, A | QUIET), (TWO, TWO, C, C | QUIET)],
)
def test_f64_fma_takes_the_nan_of_b_then_c_then_a(a: int, b: int, c: int, want: int) -> None:
    assert f64("fma.rn.f64 d, a0, a1, a2;", a, b, c) == want


def test_an_invalid_f64_operation_gives_the_default_nan() -> None:
    infinity = 0x7FF << 52
    assert f64("sub.f64 d, a0, a1;", infinity, infinity) == 0xFFF8 << 48


def test_neg_and_abs_are_arithmetic_on_nan() -> None:
    assert f64("neg.f64 d, a0;", A) == A | QUIET
    assert f64("abs.f64 d, a0;", B) == B
    assert one("neg.f32 d, a0;", "f32", "b32", 0xFFC0_0001) == 0x7FFF_FFFF
    for type_ in ("f16", "bf16"):
        assert one(f"neg.{type_} d, a0;", "b16", "b16", 0xFFC1) == 0x7FFF
        assert one(f"abs.{type_} d, a0;", "b16", "b16", 0xFFC1) == 0x7FFF


@pytest.mark.parametrize("instruction", ["sqrt.rn.f32", "sqrt.rz.f32", "sqrt.approx.f32", "sqrt.approx.ftz.f32"])
def test_roots_of_negative_numbers_are_the_canonical_nan(instruction: str) -> None:
    a = np.array([0xC0800000, 0xFF800000, 0x7F800001, 0xFFC00005, 0x80000000, 0x40800000], "u4")
    got = apply(f"{instruction} d, a0;", "f32", "f32", a)
    assert got.tolist() == [0x7FFF_FFFF] * 4 + [0x80000000, 0x40000000]


def test_conversions_that_move_bits_keep_nan() -> None:
    assert one("cvt.f32.f32 d, a0;", "f32", "f32", 0xFF80_0001) == 0xFF80_0001
    assert one("cvt.f64.f64 d, a0;", "f64", "f64", A) == A
    assert one("cvt.f32.bf16 d, a0;", "f32", "b16", 0xFF81) == 0xFF81_0000
    assert one("cvt.ftz.f32.f32 d, a0;", "f32", "f32", 0xFF80_0001) == 0x7FFF_FFFF
    assert one("cvt.rn.ftz.f32.bf16 d, a0;", "f32", "b16", 0xFF81) == 0x7FFF_FFFF


def test_nan_becomes_f64() -> None:
    assert one("cvt.f64.f32 d, a0;", "f64", "f32", 0xFF80_0001) == 0xFFF8_0000_2000_0000
    assert one("cvt.ftz.f64.f32 d, a0;", "f64", "f32", 0xFF80_0001) == 0x7FFF_FFFF_E000_0000


@pytest.mark.parametrize(
    ("instruction", "bits", "want"),
    [
        ("cvt.rna.tf32.f32", 0x7F80_0001, 0x7F80_0000),
        ("cvt.rna.tf32.f32", 0xFFFF_FFFF, 0xFFFF_E000),
        ("cvt.rna.satfinite.tf32.f32", 0x7F80_0000, 0x7F7F_E000),
        ("cvt.rna.satfinite.tf32.f32", 0x7F7F_FFFF, 0x7F7F_E000),
        ("cvt.rna.satfinite.tf32.f32", 0xFFC0_0000, 0xFFBF_E000),
        ("cvt.rn.tf32.f32", 0xFF80_0001, 0x7FFF_E000),
        ("cvt.rz.relu.tf32.f32", 0x8000_0000, 0),
    ],
)
def test_tf32(instruction: str, bits: int, want: int) -> None:
    assert one(f"{instruction} d, a0;", "b32", "f32", bits) == want


@pytest.mark.parametrize(
    ("instruction", "out", "bits"),
    [
        ("cvt.rn.relu.f16.f32 d, a0;", "b16", 0x8000_0000),
        ("cvt.rz.relu.satfinite.bf16.f32 d, a0;", "b16", 0x8000_0000),
        ("cvt.rn.relu.f16x2.f32 d, a0, a0;", "b32", 0x8000_0000),
        ("cvt.rn.satfinite.relu.e4m3x2.f32 d, a0, a0;", "b16", 0x8000_0000),
    ],
)
def test_relu_makes_negative_zero_positive(instruction: str, out: str, bits: int) -> None:
    assert one(instruction, out, "f32", bits) == 0


def test_fma_relu_and_out_of_bounds_nan() -> None:
    def fma(instruction: str, *bits: int) -> int:
        return int(
            apply(f"{instruction} d, a0, a1, a2;", "b16", "b16 b16 b16", *(np.array([b], "u2") for b in bits))[0]
        )

    assert fma("fma.rn.relu.f16", 0x8000, 0x3C00, 0x8000) == 0
    assert fma("fma.rn.oob.f16", 0x7FF7, 0x3C00, 0x3C00) == fma("fma.rn.oob.f16", 0x3C00, 0xFFF7, 0x3C00) == 0
    assert fma("fma.rn.oob.f16", 0x7FF6, 0x3C00, 0x3C00) == 0x7FFF


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_ftz_flushes_what_stays_tiny_when_24_bits_of_any_exponent_are_kept(mode: str) -> None:
    step = 2.0**-150
    near = np.array([LEAST, LEAST - step / 4, LEAST - step / 2, LEAST - step, LEAST - 3 * step, LEAST - step * 0.999])
    values = np.concatenate([near, -near])
    away = {"rz": (), "rm": (-1.0,), "rp": (1.0,)}
    got = apply(f"cvt.{mode}.ftz.f32.f64 d, a0;", "f32", "f64", values.view("u8")).view("f4")
    for value, out in zip(values.tolist(), got.tolist(), strict=True):
        size, sign = abs(value), np.copysign(1.0, value)
        reaches = (
            size >= LEAST - step / 2 if mode == "rn" else size > LEAST - step if sign in away[mode] else size >= LEAST
        )
        assert out == (sign * LEAST if reaches else 0.0), (value, out)
        assert np.signbit(out) == (sign < 0)


def test_ftz_of_conversions_to_f16_means_nothing() -> None:
    assert one("cvt.rp.ftz.f16.f32 d, a0;", "b16", "f32", 1) == 1
    assert one("cvt.rp.ftz.bf16.f32 d, a0;", "b16", "f32", 1) == 0


def test_a_reciprocal_below_the_normal_numbers_is_flushed_before_it_is_rounded() -> None:
    assert one("rcp.rp.ftz.f32 d, a0;", "f32", "f32", 0x7E80_0001) == 0
    assert one("rcp.rp.f32 d, a0;", "f32", "f32", 0x7E80_0001) == 0x0080_0000
    assert one("rcp.rn.ftz.f32 d, a0;", "f32", "f32", 0x7E80_0000) == 0x0080_0000


def bits(values: list[float]) -> NDArray[np.uint32]:
    return np.array(values, "f4").view("u4")


def test_sine_and_cosine_of_large_angles() -> None:
    angles = bits([1e10, -1e10, 3e38, np.inf, 0.0, -0.0, 1e-9, 3.0])
    sine = apply("sin.approx.f32 d, a0;", "f32", "f32", angles)
    assert sine[:7].tolist() == [0, 0x80000000, 0, 0x7FFF_FFFF, 0, 0x80000000, 0]
    assert abs(float(sine[7:].view("f4")[0]) - np.sin(3.0)) < 2**-20.5
    cosine = apply("cos.approx.f32 d, a0;", "f32", "f32", angles)
    assert cosine[:7].tolist() == [0x3F80_0000] * 3 + [0x7FFF_FFFF] + [0x3F80_0000] * 3


# What an H200 gave.
@pytest.mark.parametrize(
    ("instruction", "operand", "chip"),
    [
        ("lg2.approx.ftz.f32", 0x3F80_0000, 0),
        ("lg2.approx.ftz.f32", 0x3F80_0001, 0x3495_F600),
        ("lg2.approx.ftz.f32", 0x3F7F_FFFF, 0xB24B_4000),
        ("lg2.approx.ftz.f32", 0x3F00_0000, 0xBF7F_FFFE),
        ("lg2.approx.ftz.f32", 0x0000_0001, 0xFF80_0000),
        ("lg2.approx.f32", 0x0000_0001, 0xC315_0000),
        ("lg2.approx.f32", 0x8000_0001, 0x7FFF_FFFF),
        ("sin.approx.f32", 0x4B00_0000, 0x3F35_04F3),
        ("cos.approx.f32", 0x4B00_0000, 0xBF35_04F2),
        ("sin.approx.f32", 0x3F80_0000, 0x3F57_6AA3),
        ("cos.approx.f32", 0x3F80_0000, 0x3F0A_5141),
        ("tanh.approx.f32", 0x8000_0001, 0x8000_0001),
        ("tanh.approx.f32", 0x3B7F_FFFF, 0x3B7F_FFFF),
        ("tanh.approx.f32", 0x3B80_0001, 0x3B80_0000),
        ("tanh.approx.f32", 0x3F80_0000, 0x3F42_F848),
        ("tanh.approx.f32", 0x40FF_FFFF, 0x3F7F_FFFC),
        ("tanh.approx.f32", 0x4100_0000, 0x3F80_0000),
    ],
)
def test_sums_of_fixed_point_are_cut_off(instruction: str, operand: int, chip: int) -> None:
    assert one(f"{instruction} d, a0;", "b32", "b32", operand) == chip


def test_ex2_of_16_bits_is_cut_off() -> None:
    assert one("ex2.approx.f16 d, a0;", "b16", "b16", 0x4CAB) == 0x7C00
    assert one("ex2.approx.ftz.bf16 d, a0;", "b16", "b16", 0x3F68) == 0x3FEF  # 1.8739
    assert one("ex2.approx.ftz.bf16 d, a0;", "b16", "b16", 0xC2FF) == 0  # 2^-127.5


def test_division_by_huge_numbers_keeps_its_sign() -> None:
    a, b = bits([1.0, -1.0, 1.0]), bits([3e38, 3e38, -3e38])
    assert apply("div.approx.f32 d, a0, a1;", "f32", "f32 f32", a, b).tolist() == [0, 0x80000000, 0x80000000]


def test_zero_is_a_normal_number() -> None:
    a = np.array([0, 0x80000000, 1, 0x00800000, 0x7F800000], "u4")
    assert apply("testp.normal.f32 d, a0;", "pred", "f32", a).tolist() == [1, 1, 0, 1, 0]


def test_nan_of_double_approximations() -> None:
    for name in ("rcp", "rsqrt"):
        assert (
            f64(f"{name}.approx.ftz.f64 d, a0;", B) == f64(f"{name}.approx.ftz.f64 d, a0;", C) == 0x7FFF_FFFF_0000_0000
        )
        assert f64(f"{name}.approx.ftz.f64 d, a0;", A) == 0  # its upper word is that of infinity
    assert f64("rsqrt.approx.ftz.f64 d, a0;", TWO | 1 << 63) == 0x7FFF_FFFF_0000_0000


@pytest.mark.parametrize(
    ("name", "operand", "chip"),
    [
        ("rcp", 0xBFBB_651D_7F21_E021, 0xC022_B087),
        ("rcp", 0x69F7_501E_1474_ABE8, 0x15E5_F648),
        ("rcp", 0x2162_02EA_38A9_A410, 0x5E7C_6D2D),
        ("rsqrt", 0x41A8_B534_73FE_F31A, 0x3F12_356A),
        ("rsqrt", 0x63AB_E1AF_DF34_FCEB, 0x2E11_2419),
    ],
)
def test_coarse_approximations_are_rounded_as_f32_and_then_cut(name: str, operand: int, chip: int) -> None:
    """What an H100 gave where the nearest upper word below the result is another."""
    assert f64(f"{name}.approx.ftz.f64 d, a0;", operand) == chip << 32
