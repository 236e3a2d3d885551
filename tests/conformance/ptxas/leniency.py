"""What ptxas does not look at, as changes that take it away. A splice that the rows reject and ptxas takes is explained when it
is legal without what ptxas overlooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from ptxlab.isa.enumerate import Candidate, verdict
from ptxlab.isa.operands import Addr, Imm, Operand, Params, Reg, Symbol, Vec
from ptxlab.isa.targets import Release, Target, Version
from ptxlab.isa.types import TYPES

# Modifiers of kinds that ptxas asks for in the few instructions that have them, and skips everywhere else: fields of tensor maps,
# classes of numbers, formats of matrices, types of accumulators, types without a size.
OVERLOOKED = frozenset(
    (
        *("box_dim", "element_stride", "elemtype", "fill_mode", "global_address", "global_dim", "global_stride"),
        *("interleave_layout", "rank", "swizzle_atomicity", "swizzle_mode"),
        *("finite", "infinite", "normal", "notanumber", "number", "subnormal"),
        *("b4x16_p64", "b6x16_p32", "b8x16", "acc::f16", "acc::f32"),
        *("pred", "texref", "samplerref", "surfref"),
        "L1::32B",
    )
)
# Instructions in which it skips modifiers that it does not know there.
_CARELESS = re.compile(
    r"(cp\.(reduce\.)?async\.bulk|fence\.proxy|fence|mma|mma\.sp|wmma\.\w+|ldmatrix|stmatrix|prefetch|barrier|bar|wgmma"
    r"|mbarrier|clusterlaunchcontrol|multimem|tensormap)\b"
)
_UNCOUNTED = re.compile(r"wgmma\.mma_async|w?mma\.|multimem\.ld_reduce")  # where it looks at few registers of a fragment
_TEXTURE = re.compile(r"(tex|tld4|suld|sust|sured)\b")
_WORD = Reg("%r1", TYPES["b32"])


def _without_words(one: Candidate) -> Iterator[Candidate]:
    """Without the modifiers that are skipped everywhere, one of two that are alike, or one that is skipped here."""
    parts = one.opcode.split(".")
    kept = [parts[0], *(p for p in parts[1:] if p not in OVERLOOKED)]
    yield replace(one, opcode=".".join(kept))
    for i in range(1, len(parts)):
        if parts[i] in OVERLOOKED or parts[i] in parts[:i] or _CARELESS.match(one.opcode):
            yield replace(one, opcode=".".join(parts[:i] + parts[i + 1 :]))


def _one_type(one: Candidate) -> Iterator[Candidate]:
    """Vectors of several types, which it takes for one of bits as wide, and fragments at which it hardly looks."""
    careless = _UNCOUNTED.match(one.opcode) is not None
    yield replace(one, operands=tuple(_of_bits(o, careless) if isinstance(o, Vec) else o for o in one.operands))


def _of_bits(vector: Vec, careless: bool) -> Vec:
    registers = [o for o in vector.items if isinstance(o, Reg) and o.type.kind != "p"]
    types = {r.type for r in registers}
    if not registers or (len(types) == 1 and not careless) or registers[0].type.bits not in (16, 32, 64):
        return vector
    bits = Reg("%r", TYPES[f"b{registers[0].type.bits}"])
    same = (bits if careless or (isinstance(o, Reg) and o.type.bits == bits.type.bits) else o for o in vector.items)
    return Vec(tuple(same))


def _bracketed(one: Candidate) -> Iterator[Candidate]:
    """Addresses of copies in the background, which it takes without brackets, and whatever stands there."""
    if "async" in one.opcode or _CARELESS.match(one.opcode):
        for i, operand in enumerate(one.operands):
            if not isinstance(operand, Addr):
                yield _at(one, i, Addr(Reg("%rd5", TYPES["b64"])))


def _words(one: Candidate) -> Iterator[Candidate]:
    """Operands that it takes whatever they are: the metadata of sparse matrices, counts and reports of mbarriers, the name of a
    function as a value."""
    for i, operand in enumerate(one.operands):
        if _UNCOUNTED.match(one.opcode) or one.opcode.startswith("mbarrier."):
            yield _at(one, i, _WORD)
            yield _at(one, i, Reg("%bb1", TYPES["b8"]))
        if isinstance(operand, Symbol) and operand.space == "func":
            for type_ in ("b16", "b32", "b64", "f32", "f64", "b8"):
                yield _at(one, i, Reg(f"%{type_}", TYPES[type_]))
            yield _at(one, i, Imm(1, "1"))


def _other_shape(one: Candidate) -> Iterator[Candidate]:
    """Texture and surface instructions, in which it takes a register for a vector, and a vector for a register."""
    if _TEXTURE.match(one.opcode):
        for i, operand in enumerate(one.operands):
            if isinstance(operand, Vec):
                yield from (_at(one, i, item) for item in operand.items[:1])
            elif isinstance(operand, Reg):
                yield from (_at(one, i, Vec((operand,) * n)) for n in (2, 4))


def _at(one: Candidate, i: int, operand: Operand) -> Candidate:
    return replace(one, operands=(*one.operands[:i], operand, *one.operands[i + 1 :]))


def _left_out(one: Candidate) -> Iterator[Candidate]:
    """What the manual makes mandatory and it does not ask for: an mbarrier, .global beside an eviction priority."""
    if one.opcode.startswith("testp."):
        yield replace(one, opcode=one.opcode.replace("testp.", "testp.finite.", 1))
    if one.opcode.startswith("atom.") and len(one.operands) == 4:  # a policy without its modifier
        yield replace(one, operands=one.operands[:-1])
    if one.opcode.startswith("st.async") and "mbarrier" not in one.opcode:
        head, _, type_ = one.opcode.rpartition(".")
        yield replace(one, opcode=f"{head}.mbarrier::complete_tx::bytes.{type_}")
    if one.opcode.startswith(("st.async", "red.async")):
        yield replace(one, operands=(*one.operands, Addr(Reg("%rd5", TYPES["b64"]))))
    if one.opcode.startswith(("wgmma", "wmma", "setmaxnreg")) and ".aligned" not in one.opcode:
        yield replace(one, opcode=one.opcode.replace(".sync", ".sync.aligned", 1))
    if one.opcode.startswith("prefetch."):
        yield replace(one, opcode=one.opcode.replace("prefetch.", "prefetch.global.", 1))
    if one.opcode.startswith("call") and len(one.operands) == 2:
        yield replace(one, operands=(*one.operands, Params(())))


def _still(one: Candidate) -> Iterator[Candidate]:
    yield one


CHANGES: tuple[Callable[[Candidate], Iterator[Candidate]], ...] = (
    _without_words,
    _one_type,
    _bracketed,
    _words,
    _left_out,
    _other_shape,
)


def lenient(one: Candidate, target: Target, version: Version, release: Release | None = None) -> bool:
    """Whether the rows take a candidate without what ptxas overlooks: one thing, or two."""
    seen = {one.text}
    for first, second in product(CHANGES, (_still, *CHANGES)):
        for once in first(one):
            for twice in second(once):
                if twice.text not in seen:
                    seen.add(twice.text)
                    if verdict(twice, target, version, release) is None:
                        return True
    return False
