"""What is compared: an approximate instruction on a binade of operands, on all of them, or on operands drawn from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows.probes import Probe, probes
from ptxlab.conformance.rows.values import words

Words: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Bits of operands or results, each in a word as wide as the register."""

BINADES: Final = 512
"""Of operands of 32 bits, those of negative numbers behind the others: together all 2^32."""
BINADE: Final = 1 << 23
DRAWN: Final = 1 << 22
DRAWN_PARTS: Final = 8
_HALVES: Final = 1 << 16
_OTHER_HALF: Final = 0xA5C3
"""What the upper half of a pair differs in from the lower one, so that each is asked with all operands."""
_WORD: Final = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Case:
    """Results that are compared by one digest.

    Attributes:
        probe: the instruction.
        part: "binade", "upper" (of upper words of f64), "all" (of 16 bits) or "drawn".
        index: which of them.
    """

    probe: Probe
    part: str
    index: int

    @property
    def name(self) -> str:
        """Its key in a record."""
        return f"{self.probe.opcode} {self.part} {self.index}"

    @property
    def count(self) -> int:
        """Results."""
        return {"binade": BINADE, "upper": BINADE, "all": _HALVES, "drawn": DRAWN}[self.part]

    def operands(self, seed: int) -> list[Words]:
        """What it is asked with."""
        port = self.probe.inputs[0]
        if self.part == "drawn":
            return [drawn(p.bits, DRAWN, "functions", seed, self.name, p.name) for p in self.probe.inputs]
        begin = self.index * BINADE
        if self.part == "binade":
            return [np.arange(begin, begin + BINADE, dtype=np.uint32)]
        if self.part == "upper":
            return [np.arange(begin, begin + BINADE, dtype=np.uint64) << _WORD]
        low = np.arange(_HALVES, dtype=np.uint32)
        if port.bits == 16:
            return [low.astype(np.uint16)]
        return [low | (low ^ np.uint32(_OTHER_HALF)) << np.uint32(16)]


_FRACTION: Final = {32: 23, 64: 52}
_EXPONENTS: Final = {32: 255, 64: 2047}


def drawn(bits: int, count: int, *labels: object) -> Words:
    """Bits of f32 or f64: half of them any; the others next to the ends of the exponents, around 1, or with short fractions."""
    fraction, largest = _FRACTION[bits], _EXPONENTS[bits]
    word: Any = np.dtype(f"u{bits // 8}").type
    raw, choice = words(count, *labels, "bits"), words(count, *labels, "choice").astype(np.uint32)
    out: NDArray[Any] = (raw >> np.uint64(64 - bits)).astype(word)
    near = (choice >> np.uint32(8)) % np.uint32(8)
    ends = np.where(near < 4, near, largest - 7 + near).astype(word)
    around = (near + np.uint32(largest // 2 - 3)).astype(word)
    kind = choice % np.uint32(8)
    exponent = out >> word(fraction) & word(largest)
    exponent = np.where(kind < 2, ends, np.where(kind == 2, around, exponent))
    rest = out & word((1 << fraction) - 1)
    rest[kind == 3] &= word(0xFF << (fraction - 8))
    sign = out & word(1 << (bits - 1))
    return sign | exponent << word(fraction) | rest


@cache
def cases() -> dict[str, Case]:
    """All of them by name."""
    return {c.name: c for probe in probes() if probe.approximate and not probe.variant for c in _of(probe)}


def _of(probe: Probe) -> Iterator[Case]:
    kind = probe.inputs[0].type.name
    if len(probe.inputs) == 1 and kind == "f32":
        yield from (Case(probe, "binade", b) for b in range(BINADES))
    elif len(probe.inputs) == 1 and kind != "f64":
        yield Case(probe, "all", 0)
    else:
        yield from (Case(probe, "drawn", i) for i in range(DRAWN_PARTS))
        if len(probe.inputs) == 1 and ".ftz." in probe.opcode:  # of the upper word alone
            yield from (Case(probe, "upper", b) for b in range(BINADES))
