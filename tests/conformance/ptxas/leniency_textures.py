"""What ptxas does not look at in instructions of textures and surfaces, as changes that take it away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

from changing import WORD, Change, at, is_word

from ptxlab.isa.enumerate import Candidate
from ptxlab.isa.operands import Addr, Imm, Operand, Reg, Vec
from ptxlab.isa.types import TYPES

_TEXTURE = re.compile(r"(tex|tld4|suld|sust|sured)\b")
_SURFACE = re.compile(r"(suld|sust|sured)\b")


def _shorter(one: Candidate) -> Iterator[Candidate]:
    """Coordinates and offsets of textures, and coordinates of surfaces: it takes as many as there are at least, or twice or
    four times as many, and overlooks those behind. It does not count the slopes in a cube, which have a type alone."""
    if re.match(r"tex\.grad\.a?cube\.", one.opcode):
        for i, operand in enumerate(one.operands[2:4], 2):
            if isinstance(operand, Vec) and len(operand.items) in (1, 2):
                yield at(one, i, Vec(operand.items * (4 // len(operand.items))))
    if _TEXTURE.match(one.opcode):
        slopes = (2, 3) if one.opcode.startswith("tex.grad") else ()
        choices = [[o] if i in slopes else list(_shortened(o)) for i, o in enumerate(one.operands)]
        for operands in product(*choices):
            yield replace(one, operands=operands)


def _shortened(operand: Operand) -> Iterator[Operand]:
    yield operand
    if isinstance(operand, Addr) and operand.coords is not None:
        for coords in _shorter_vectors(operand.coords):
            yield replace(operand, coords=coords)
    elif isinstance(operand, Vec):
        yield from _shorter_vectors(operand)


def _shorter_vectors(vector: Vec) -> Iterator[Vec]:
    if len(vector.items) in (2, 4):
        lengths = [n for n in (1, 2) if n < len(vector.items)]
        yield from (Vec(vector.items[:n]) for n in lengths)
        kinds = {_coordinate_kind(o) for o in vector.items}
        if "" not in kinds and len(kinds) > 1:  # of several types it is one of bits
            yield from (Vec((WORD,) * n) for n in lengths)


def _texture_apart(one: Candidate) -> Iterator[Candidate]:
    """64 bits in front of a texture's address, which it takes for a sampler then, and an offset in front of a depth in one
    dimension."""
    offset = one.operands[4] if re.match(r"tex\.grad\.a?1d\.", one.opcode) and len(one.operands) == 6 else None
    if isinstance(offset, Vec) and {"integer", "bits"} >= set(map(_coordinate_kind, offset.items)):
        offset = WORD
    if isinstance(offset, Reg) and _coordinate_kind(offset) == "bits":
        yield replace(one, operands=(*one.operands[:4], one.operands[5]))
    if len(one.operands) > 2 and one.opcode.startswith(("tex.", "tld4.")):
        first, second, *others = one.operands
        if isinstance(second, Reg) and second.type.bits == 64 and second.type.kind != "f":
            there = replace(one, operands=(first, *others))
            yield there
            yield from _without_layer(there)


def _stored(one: Candidate) -> Iterator[Candidate]:
    """The value of a surface: more than the bits that are wanted, of any type, in one register or in several."""
    if _SURFACE.match(one.opcode):
        for i, operand in enumerate(one.operands):
            parts = operand.items if isinstance(operand, Vec) else (operand,)
            bits = [o.type.bits for o in parts if isinstance(o, Reg)]
            if len(bits) == len(parts):
                for name, width in (("%h1", 16), ("%r1", 32), ("%rd1", 64)):
                    if sum(bits) >= width:
                        part = Reg(name, TYPES[f"b{width}"])
                        yield at(one, i, part)
            if len(bits) == len(parts) and isinstance(operand, Vec) and min(bits, default=0) >= 32:
                yield at(one, i, Vec((WORD,) * len(bits)))


def _layers(one: Candidate) -> Iterator[Candidate]:
    """Coordinates of any type where they have several: then a vector is one of bits. Floats behind the layer do not stand
    beside integers."""
    for i, operand in enumerate(one.operands[:2]):
        if one.opcode.startswith("sured.") and isinstance(operand, Addr) and operand.coords is not None:
            words = operand.coords.items
            if all(map(is_word, words)) and any(isinstance(o, Reg) and o.type.kind == "b" for o in words):
                yield at(one, i, replace(operand, coords=Vec((WORD,) * len(words))))
    found = one.operands[1] if len(one.operands) > 1 else None
    if not re.match(r"tex\b(?!\.grad\.3d).*\.s32$", one.opcode) or not isinstance(found, Addr) or found.coords is None:
        return
    items = found.coords.items
    kinds = [_coordinate_kind(o) for o in items]
    layer = 1 if ".a2dms." in one.opcode else 0 if re.search(r"\.a[12]d\.", one.opcode) else -1
    behind = kinds[layer + 1 :]
    apart = any({"float", "integer"} == {a, b} for a, b in pairwise(behind))
    numbers = any(isinstance(o, Imm) and not o.is_float for o in items)
    if "" in kinds or set(kinds) == {"float"} or apart or (numbers and isinstance(items[0], Imm) and items[0].is_float):
        return
    if layer < 0 or kinds[layer : layer + 1] != ["float"]:
        words = tuple(WORD if kind == "float" else o for kind, o in zip(kinds, items, strict=True))
        yield at(one, 1, replace(found, coords=Vec(words)))


def _beside_slopes(one: Candidate) -> Iterator[Candidate]:
    """Integers as coordinates beside slopes, where the target is older than sm_90: it does not copy them there."""
    found = one.operands[1] if re.match(r"tex\.grad\..*\.f32$", one.opcode) and len(one.operands) > 1 else None
    if isinstance(found, Addr) and found.coords is not None:
        items = found.coords.items
        kinds = [_coordinate_kind(o) for o in items]
        behind = kinds[1:] if re.search(r"\.a(1d|2d|cube)\.", one.opcode) else kinds
        apart = any({"float", "integer"} == {a, b} for a, b in pairwise(behind))
        if "" not in kinds and not apart and not all(isinstance(o, Imm) for o in items):
            words = tuple(WORD if kind == "integer" else o for kind, o in zip(kinds, items, strict=True))
            yield at(one, 1, replace(found, coords=Vec(words)))


def _geometry(one: Candidate) -> Iterator[Candidate]:
    """The geometries of tensors, two of which mean some of textures to it."""
    if _TEXTURE.match(one.opcode):
        for theirs, ours in ((".5d", ".a1d"), (".4d", ".1d_buffer")):
            if f"{theirs}." in one.opcode:
                yield replace(one, opcode=one.opcode.replace(theirs, ours))


def _beside_a_sampler(one: Candidate) -> Iterator[Candidate]:
    """Coordinates beside a sampler: the layer of an array, at which it does not look then, and of levels all but the first."""
    found = one.operands[1] if len(one.operands) > 1 else None
    if _TEXTURE.match(one.opcode) and isinstance(found, Addr) and found.between:
        yield from _without_layer(one)


def _without_layer(one: Candidate) -> Iterator[Candidate]:
    """A lookup in a texture of fewer dimensions."""
    for array in (".a1d.", ".a2d.", ".a2dms."):
        yield replace(one, opcode=one.opcode.replace(array, array.replace(".a", ".")))
    if one.opcode.startswith("tex.level."):
        yield replace(one, opcode=re.sub(r"\.(a?2d|a1d|a?cube)\.", ".1d.", one.opcode))


def _coordinate_kind(operand: Operand) -> str:
    """Float, integer or bits; empty for what is no coordinate."""
    if isinstance(operand, Imm):
        return "float" if operand.is_float else "integer"
    if not isinstance(operand, Reg) or operand.type.bits != 32:
        return ""
    return {"f": "float", "u": "integer", "s": "integer", "b": "bits"}.get(operand.type.kind, "")


TEXTURES: Sequence[Change] = (
    _shorter,
    _texture_apart,
    _stored,
    _layers,
    _beside_slopes,
    _geometry,
    _beside_a_sampler,
)
