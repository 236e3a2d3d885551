"""Scalar types and state spaces of PTX, and what fits what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A type name of PTX. `kind`: b untyped bits, u unsigned, s signed, f float, p predicate, x packed."""

    name: str
    bits: int
    kind: str

    @property
    def bytes(self) -> int:
        """Size in memory, in bytes."""
        return self.bits // 8

    def __str__(self) -> str:
        return self.name


def _types() -> dict[str, ScalarType]:
    table = {"pred": ScalarType("pred", 1, "p")}
    for kind, sizes in (
        ("b", (8, 16, 32, 64, 128)),
        ("u", (8, 16, 32, 64)),
        ("s", (8, 16, 32, 64)),
        ("f", (16, 32, 64)),
    ):
        for bits in sizes:
            table[f"{kind}{bits}"] = ScalarType(f"{kind}{bits}", bits, kind)
    for name, bits, kind in (
        ("bf16", 16, "f"),
        ("f16x2", 32, "x"),
        ("u16x2", 32, "x"),
        ("s16x2", 32, "x"),
        ("u8x4", 32, "x"),
        ("s8x4", 32, "x"),
        ("f32x2", 64, "x"),
        ("bf16x2", 32, "x"),
        ("tf32", 32, "f"),
        ("e4m3x2", 16, "x"),
        ("e5m2x2", 16, "x"),
        ("e2m1x2", 8, "x"),
        ("e2m3x2", 16, "x"),
        ("e3m2x2", 16, "x"),
        ("ue8m0x2", 16, "x"),
        ("ue5m3x2", 16, "x"),
        ("s2f6x2", 16, "x"),
        ("e2m1x4", 16, "x"),
        ("e2m3x4", 32, "x"),
        ("e3m2x4", 32, "x"),
        ("e4m3x4", 32, "x"),
        ("e5m2x4", 32, "x"),
        ("e2m1p4x4", 32, "x"),
        ("ue8m0x4", 32, "x"),
        ("e4m3", 8, "f"),
        ("e5m2", 8, "f"),
    ):
        table[name] = ScalarType(name, bits, kind)
    return table


TYPES: dict[str, ScalarType] = _types()


def register_fits(register: ScalarType, operand: ScalarType, *, wider: bool = False) -> bool:
    """Whether a register of one type may stand where an instruction names another.

    Untyped and typed mix when sizes agree; integers of either sign mix; a float register never holds an integer operand
    and the other way round. `wider` is the relaxed rule of ld, st and cvt, whose registers may be wider than the operand.
    """
    if (register.kind == "p") != (operand.kind == "p"):
        return False
    if register.bits != operand.bits and not (wider and register.bits > operand.bits):
        return False
    if register.kind == "b" or operand.kind == "b":
        return True
    # Registers of packed types serve as integers, packed ones too; floats and pairs of floats need their own.
    if operand.kind in "us" or operand.name in ("u16x2", "s16x2", "u8x4", "s8x4"):
        return register.kind == "x" or {register.kind, operand.kind} <= {"u", "s"}
    return register.name == operand.name


SPACES: Final = frozenset(
    ("generic", "global", "shared", "shared::cta", "shared::cluster", "local", "param", "const", "reg")
)
"""State spaces by the names that opcodes may have for them."""
