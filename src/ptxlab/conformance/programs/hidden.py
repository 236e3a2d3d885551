"""Values that an assembler cannot foresee, or take for those of all lanes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LANE_ZERO: Final = "%tid.z"
"""A special register that is zero here, which no assembler knows. It is a lane's own: ptxas keeps what all lanes share in uniform
registers, and lanes of a warp that have gone ahead overwrite these while others still need them."""
CTA_ZERO: Final = "%ctaid.z"
"""The same, shared by the lanes, for statements that they reach together."""

_ZERO: Final = {
    16: ("%tl", "mov.u32 %tw, {}; cvt.u16.u32 %tl, %tw;"),
    32: ("%tw", "mov.u32 %tw, {};"),
    64: ("%tx", "mov.u32 %tw, {}; cvt.u64.u32 %tx, %tw;"),
}
"""A register of some bits, and what makes it zero."""


def opaque(bits: int, registers: Iterable[str], source: str = LANE_ZERO) -> list[str]:
    """What hides from an assembler where registers have their values from: a zero that it cannot foresee is added."""
    if bits == 1:
        zero, made = "%tv", f"mov.u32 %tv, {source};"
        turns = (f"selp.b32 %tw, 1, 0, {r}; or.b32 %tw, %tw, {zero}; setp.ne.u32 {r}, %tw, 0;" for r in registers)
        return [made, *turns]
    zero, made = _ZERO[bits]
    return [made.format(source), *(f"or.b{bits} {r}, {r}, {zero};" for r in dict.fromkeys(registers))]


def ballot(mask: str, condition: str, among: str) -> str:
    """Those of some lanes for which a condition holds, in a register that ptxas does not take for a uniform one."""
    return " ".join([f"vote.sync.ballot.b32 {mask}, {condition}, {among};", *opaque(32, [mask])])
