"""`wgmma.mma_async d, a, b` of litmus tests as a wgmma that a kernel can do.

The test's d becomes a + b. The kernel's is m64n8k32 over 8-bit integers: row 0 of A begins with a and a 1, column 0 of B with a 1
and b, everything else in them is 0, so that the first element of D is a * 1 + 1 * b. (Of a and b it takes the lowest byte.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ptxlab.memory_model.program import Pointer, Program, Transfer

_BYTES: Final = {"a": 2048, "b": 256}
"""Of a tile of 64, and of 8, rows of 32 bytes, without swizzle: core matrices of 8 rows of 16 bytes."""
_DESCRIPTOR: Final = 128 >> 4 << 16 | 256 >> 4 << 32
"""A core matrix's distance to the next along K, and along M or N."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """The operands of a test's wgmma: locations that are an A, a B, a D."""

    of_a: tuple[str, ...] = ()
    of_b: tuple[str, ...] = ()
    of_d: tuple[str, ...] = ()

    @staticmethod
    def of(program: Program) -> Tiles:
        """Those of a program."""
        found: dict[str, dict[str, None]] = {"a": {}, "b": {}, "d": {}}
        for step in (s for t in program.threads for s in t.steps):
            if isinstance(step, Transfer) and step.completion == "wgmma-group":
                for part, operand in zip("abd", (step.source, step.also[0], step.target), strict=True):
                    assert isinstance(operand, Pointer)
                    found[part][operand.name] = None
        return Tiles(tuple(found["a"]), tuple(found["b"]), tuple(found["d"]))

    def __bool__(self) -> bool:
        return bool(self.of_d)

    def declared(self) -> Iterator[str]:
        """Shared memory and registers."""
        for part, names in (("a", self.of_a), ("b", self.of_b)):
            for name in names:
                yield f".shared .align 128 .b8 s_{_clean(name)}[{_BYTES[part]}];"
                yield f".reg .b64 %w_{_clean(name)};"
        for name in self.of_d:
            yield f".reg .b32 %d_{_clean(name)}<4>;"

    def initial(self, name: str, value: int) -> Iterator[str]:
        """Row 0 of A, or column 0 of B, at the start."""
        words = f"{value}, 1, 0, 0" if name in self.of_a else f"1, {value}, 0, 0"
        shown = f"s_{_clean(name)}"
        for i, word in enumerate(words.split(", ")):
            yield f"st.shared.b32 [{shown}+{4 * i}], {word}; st.shared.b32 [{shown}+{128 + 4 * i}], 0;"

    def place(self, name: str) -> str:
        """Where the location's word is."""
        return f"[s_{_clean(name)}]" if name in self.of_a else f"[s_{_clean(name)}+4]"

    def begin(self) -> Iterator[str]:
        """Descriptors, and accumulators of 0."""
        for name in (*self.of_a, *self.of_b):
            yield f"mov.u32 %aa, s_{_clean(name)}; shr.u32 %aa, %aa, 4; cvt.u64.u32 %xx, %aa;"
            yield f"or.b64 %w_{_clean(name)}, %xx, {_DESCRIPTOR};"
        for name in self.of_d:
            yield " ".join(f"mov.b32 %d_{_clean(name)}{i}, 0;" for i in range(4))
        if self:
            yield "setp.ne.u32 %qq, 0, 0;"

    def operation(self, step: Transfer) -> str:
        """The wgmma; its accumulator starts from 0."""
        assert isinstance(step.source, Pointer)
        assert isinstance(step.target, Pointer)
        (other,) = step.also
        assert isinstance(other, Pointer)
        registers = ", ".join(f"%d_{_clean(step.target.name)}{i}" for i in range(4))
        operands = f"{{{registers}}}, %w_{_clean(step.source.name)}, %w_{_clean(other.name)}, %qq"
        return f"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {operands};"

    def result(self, name: str) -> str:
        """The accumulator's first element."""
        return f"%d_{_clean(name)}0"


def _clean(name: str) -> str:
    return re.sub(r"\W", "_", name)
