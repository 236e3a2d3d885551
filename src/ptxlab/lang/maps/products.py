"""Checks of matrix products against their operands: tiles behind descriptors, fragments in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ptxlab.isa.bind import Instance
from ptxlab.isa.operands import Imm, Vec
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.trace.described import Operand
from ptxlab.lang.trace.values import Register, Registers

MIN_LINES = 64
"""Rows of A that every wgmma reads."""
_PACKED = {"f16x2": "f16", "bf16x2": "bf16"}

Misread = tuple[str, str]
"""What is wrong, and what to do."""


def reads(named: str, elements: ScalarType) -> bool:
    """Whether an instruction that takes elements of type `named` may read those of a tile: the same, or untyped bits."""
    alike = elements.kind == "b" or elements.name == named or (named == "tf32" and elements.name == "f32")
    return alike and (named not in TYPES or TYPES[named].bits == elements.bits)


def misread_tile(inst: Instance, operand: str, described: Operand) -> Iterator[Misread]:
    """What a wgmma makes of the tile behind the descriptor of operand "a" or "b"."""
    side, tile, elements = operand.upper(), described.layout, described.dtype
    named = inst.mod(f"{operand}type") or ""
    type_ = TYPES.get(named)
    if type_ is not None and type_.bits != elements.bits:
        yield (
            f"wgmma reads {side} as .{named}, but the descriptor is of a tile with elements of {elements.bits} bits",
            "declare the tile with the type that is multiplied",
        )
    elif type_ is not None and not reads(named, elements):
        yield (
            f"wgmma reads {side} as .{named}, but the descriptor is of a tile of .{elements}",
            f"declare the tile with px.{named}, or multiply .{elements}"
            + (f": {_sibling(inst, named, elements.name)}" if elements.name in ("f16", "bf16") else ""),
        )
    transposed = inst.operands.get(f"trans_{operand}")
    wanted = int(tile.major == "MN")
    if isinstance(transposed, Imm) and transposed.value != wanted:
        yield (
            f"wgmma takes {side} with trans_{operand} = {transposed.value}, but the descriptor is of a {tile.major}-major tile",
            f"pass trans_{operand} = {wanted}, or make the descriptor with major={'K' if wanted else 'MN'!r}",
        )
    lines = MIN_LINES if operand == "a" else int((inst.mod("shape") or "n0").partition("n")[2].partition("k")[0])
    if tile.lines < lines:
        yield (
            f"wgmma reads {lines} {'rows of A' if operand == 'a' else 'columns of B'}, but the tile has {tile.lines}",
            "take a larger tile, or a shape with a smaller N",
        )


def _sibling(inst: Instance, named: str, wanted: str) -> str:
    return inst.opcode.replace(f".{named}.{named}", f".{wanted}.{wanted}")


def misread_registers(inst: Instance, given: Sequence[Any]) -> Iterator[Misread]:
    """What a product makes of fragments whose registers have a type: those of f16x2, say, in a product of bf16."""
    for operand in ("a", "b"):
        named, vector = inst.mod(f"{operand}type"), inst.operands.get(operand)
        if named is None or not isinstance(vector, Vec):
            continue
        first = _register(given, vector)
        held = None if first is None else _PACKED.get(first.scalar.name)
        if held is not None and held != named:
            yield (
                f"the product reads {operand.upper()} as .{named}, but its registers hold two .{held} each",
                f"convert to .{named}x2 instead, or multiply .{held}",
            )


def _register(given: Sequence[Any], vector: Vec) -> Register | None:
    """The first register of a vector, as the kernel passed it."""
    for value in given:
        if isinstance(value, Registers | list | tuple) and value:
            first: Any = value[0]  # pyright: ignore[reportUnknownVariableType]
            if isinstance(first, Register) and first.reg == vector.items[0]:
                return first
    return None


def misread_transposed(inst: Instance, elements: ScalarType | None) -> Iterator[Misread]:
    """What a transposing matrix load or store of 16-bit elements makes of wider ones."""
    if inst.chosen("trans") and elements is not None and elements.kind != "b" and elements.bits > 16:
        yield (
            f"`{inst.opcode}` transposes elements of 16 bits, but these are .{elements}: their halves would part",
            "load without .trans, or declare the memory as px.b16 or px.b8 where this is meant",
        )
