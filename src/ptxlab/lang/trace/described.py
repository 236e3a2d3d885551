"""What lies behind a shared-memory matrix descriptor."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.isa.types import ScalarType
from ptxlab.layout.tile import OperandTile


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of wgmma in shared memory. `dtype`: type of its elements, as its tile was declared."""

    layout: OperandTile
    dtype: ScalarType
