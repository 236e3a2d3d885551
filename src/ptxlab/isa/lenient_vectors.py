"""What ptxas does not look at in braces: part of `lenient`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from ptxlab.isa.operands import Addr, Imm, Not, Operand, Reg, Sreg, Vec
from ptxlab.isa.tried import Change, Tried
from ptxlab.isa.types import TYPES

_NEW: Final = 90  # from this target on ptxas dies of most predicates that are stored
_WORD: Final = Reg("%word", TYPES["b32"])


def _one_type(one: Tried) -> Iterator[Tried]:
    """A vector of several types in an atomic operation, which it takes for one of bits as wide."""
    if not re.match(r"(atom|red|multimem)\.", one.opcode):
        return
    for i, operand in enumerate(one.operands):
        items = operand.items if isinstance(operand, Vec) and len(operand.items) in (2, 4) else ()
        types = {o.type for o in items if isinstance(o, Reg)}
        kinds = {t.kind for t in types}
        mixed = len({t.bits for t in types}) == 1 and len(kinds) > 1 and "b" in kinds and not {"f", "u"} <= kinds
        if mixed and all(isinstance(o, Reg) for o in items):
            bits = Reg("%bits", TYPES[f"b{next(iter(types)).bits}"])
            yield one.at(i, Vec((bits,) * len(items)))


def _predicates(one: Tried) -> Iterator[Tried]:
    """Predicates among untyped registers of 32 bits in braces. Of what is stored ptxas dies of most, from sm_90 on."""
    word = Reg("%word", TYPES["b32"])
    stored = re.match(r"(st|sust|stmatrix|red|multimem\.(red|st)|atom)\b", one.opcode)
    plain = re.match(r"(st|sust)\b(?!\.async)", one.opcode) is not None
    old = plain and one.target is not None and one.target.number < _NEW
    last = plain and re.search(r"^sust\.b\b|\.[usf]32$", one.opcode) is not None
    for i, operand in enumerate(one.operands if old or last or not stored else one.operands[:1]):
        if stored and i and not old and isinstance(operand, Vec) and any(map(_is_predicate, operand.items[:-1])):
            continue
        wanted = isinstance(operand, Vec) and not re.match(r"wmma\.(load|store)|wmma\..*\.s32\.[su]", one.opcode)
        items = operand.items if isinstance(operand, Vec) and wanted else ()
        types = {o.type.name for o in items if isinstance(o, Reg)}
        if types == {"pred", "b32"}:
            made = (word if isinstance(o, Reg) and o.type.kind == "p" else o for o in items)
            yield one.at(i, Vec(tuple(made)))


def _is_predicate(operand: Operand) -> bool:
    return isinstance(operand, Reg) and operand.type.kind == "p"


def _special_in_braces(one: Tried) -> Iterator[Tried]:
    """A special register alone in braces, where a store has one value."""
    value = one.operands[1] if one.opcode.startswith("st.") and len(one.operands) == 2 else None
    if isinstance(value, Vec) and len(value.items) == 1 and isinstance(value.items[0], Sreg):
        yield one.at(1, Reg("%value", TYPES[f"b{value.items[0].type.bits}"]))


def _coordinates(one: Tried) -> Iterator[Tried]:
    """Coordinates of several types in a texture, which it takes for words where one of them is untyped."""
    if not re.match(r"(tex|tld4)\b", one.opcode):
        return
    layered = re.search(r"\.a(1d|2d|cube)\b", one.opcode) is not None  # there it looks at the first
    for i, operand in enumerate(one.operands):
        coords = operand.coords if isinstance(operand, Addr) else None
        items: tuple[Operand, ...] = coords.items if coords is not None and len(coords.items) in (2, 4) else ()
        kinds = {o.type.kind for o in items if isinstance(o, Reg) and _is_word(o)}
        if (
            isinstance(operand, Addr)
            and all(map(_is_word, items))
            and "b" in kinds
            and len(kinds) == 2
            and "x" not in kinds
        ):
            if layered and any(isinstance(o, Reg) and o.type.kind == "f" for o in items[:1]):
                continue
            yield one.at(i, replace(operand, coords=Vec((_WORD,) * len(items))))


def _several_for_one(one: Tried) -> Iterator[Tried]:
    """Registers in braces where an asynchronous store has one value; of bits they are its parts, as in a mov."""
    if not re.match(r"st\.async\b(?!.*\.v[248]\b)", one.opcode):
        return
    untyped = re.search(r"\.b\d+$", one.opcode) is not None
    for i, operand in enumerate(one.operands):
        items = operand.items if isinstance(operand, Vec) and len(operand.items) in (1, 2, 4) else ()
        bits = {o.type.bits if isinstance(o, Reg) and o.type.kind in "bus" else 0 for o in items}
        width = max(bits, default=0) * (len(items) if untyped else 1)
        if len(bits) == 1 and width in (32, 64):
            yield one.at(i, Reg("%bits", TYPES[f"b{width}"]))


def _special_elements(one: Tried) -> Iterator[Tried]:
    """Special registers beside registers, and alone in a matrix, even where they are written: to it they are untyped."""
    if one.opcode.startswith(("wmma.load", "wmma.store")):
        return
    matrices = one.opcode.startswith("wmma.mma")  # there it looks at integers that are added, and at all that is alone
    sums = 3 if matrices and ".s32" in one.opcode else None
    made = [
        _with_registers(o)
        if isinstance(o, Vec) and not o.written and i != sums and (len(o.items) > 1 or not matrices)
        else o
        for i, o in enumerate(one.operands)
    ]
    if made != list(one.operands):
        yield replace(one, operands=tuple(made))


def _with_registers(operand: Vec) -> Vec:
    if any(isinstance(o, Imm) for o in operand.items) and any(
        isinstance(o, Sreg) and "." in o.name for o in operand.items
    ):
        return operand  # no number stands beside an element of a vector register
    beside = next((o for o in operand.items if isinstance(o, Reg) and o.type.kind != "p"), None)

    def register(item: Operand) -> Operand:
        if not isinstance(item, Sreg):
            return item
        if item.type.kind == "p":
            return beside if beside is not None and beside.type.name == "b32" else item
        same = beside is not None and beside.type.bits == item.type.bits
        return beside if same and beside is not None else Reg("%special", TYPES[f"b{item.type.bits}"])

    return replace(operand, items=tuple(map(register, operand.items)))


def _numbers(one: Tried) -> Iterator[Tried]:
    """Numbers beside untyped registers that hold floats to reduce in memory: integers, and behind pairs floats."""
    if not re.match(r"(atom|red|multimem\.red)\..*\.v[248]\b(\..*)?\.(f16|f32|b?f16x2)$", one.opcode):
        return
    for i, operand in enumerate(one.operands[1:], 1):
        if isinstance(operand, Vec) and (bits := [o for o in operand.items if isinstance(o, Reg)]):
            pairs = one.opcode.endswith("x2")
            number = [isinstance(o, Imm) and (n > 0 if pairs else not o.is_float) for n, o in enumerate(operand.items)]
            if any(number) and all(o.type.kind == "b" for o in bits):
                items = (bits[0] if odd else o for o, odd in zip(operand.items, number, strict=True))
                yield one.at(i, Vec(tuple(items)))


def _slopes(one: Tried) -> Iterator[Tried]:
    """The number of slopes in a cube, at whose types alone it looks where the GPU copies them."""
    if (one.target is None or one.target.number >= 90) and re.match(r"tex\.grad\.(\w+\.)*a?cube\.", one.opcode):
        choices = [[o] if i not in (2, 3) else [_four(o)] for i, o in enumerate(one.operands)]
        for operands in product(*choices):
            yield replace(one, operands=operands)


def _four(operand: Operand) -> Operand:
    if not isinstance(operand, Vec) or len(operand.items) not in (1, 2):
        return operand
    return replace(operand, items=operand.items * (4 // len(operand.items)))


def _metadata(one: Tried) -> Iterator[Tried]:
    """Metadata of sparse matrices: any register of 32 bits, or several, or a float, or the opposite of a predicate."""
    place = 4 if one.opcode.startswith("mma.sp") else 3 if one.opcode.startswith("wgmma.mma_async.sp.") else 0
    if (
        not place
        or len(one.operands) <= place
        or re.search(r"\.e[45]m[23]\.e[45]m[23]", one.opcode.partition("wgmma")[0])
    ):
        return
    given = one.operands[place]
    single = isinstance(given, Imm) and given.float_bits == 32
    if single or (not re.search(r"\.[su]4\.", one.opcode) and _are_words(given)):
        yield one.at(place, _WORD)


def _are_words(operand: Operand) -> bool:
    """Whether an operand is a predicate, or 32 bits in braces."""
    if isinstance(operand, Vec):
        first, *others = operand.items
        return (
            len(operand.items) in (1, 2, 4)
            and _is_word(first)
            and all(_is_word(o) or (isinstance(o, Imm) and not o.is_float) for o in others)
        )
    return isinstance(operand, Not) or (isinstance(operand, Reg) and operand.type.kind == "p")


def _is_word(operand: Operand) -> bool:
    return isinstance(operand, Reg | Sreg) and (operand.type.bits == 32 or operand.type.kind == "p")


def _first_matrix(one: Tried) -> Iterator[Tried]:
    """One register of a sparse matrix of integers for all of them."""
    found = re.match(r"mma\.sp\b.*\.m16n8k(32|64)\..*\.[su]8\.[su]8\.", one.opcode)
    if found and len(one.operands) > 1 and isinstance(one.operands[1], Reg) and _is_word(one.operands[1]):
        yield one.at(1, Vec((_WORD,) * (int(found[1]) // 16)))


def _factors(one: Tried) -> Iterator[Tried]:
    """Anything of 32 bits in the second matrix of bytes where it has four registers."""
    if re.match(r"wmma\.mma\b.*\.[su]8\.[su]8\.", one.opcode):
        made = [_as_words(o) if i == 2 else o for i, o in enumerate(one.operands)]
        if made != list(one.operands):
            yield replace(one, operands=tuple(made))


def _as_words(operand: Operand) -> Operand:
    if not isinstance(operand, Vec) or len(operand.items) != 4:
        return operand
    fits = (
        _is_word(o) or (isinstance(o, Imm) and (not o.is_float or o.float_bits == 32 or "." in o.text))
        for o in operand.items
    )
    return Vec((_WORD,) * len(operand.items)) if all(fits) else operand


def _arrivals(one: Tried) -> Iterator[Tried]:
    """The number of arrivals in braces."""
    if re.match(r"mbarrier\.arrive(_drop)?\b(?!.*expect_tx)", one.opcode) and len(one.operands) == 3:
        given = one.operands[2]
        if isinstance(given, Vec) and len(given.items) in (1, 2, 4) and all(map(_is_integer, given.items)):
            yield one.at(2, _WORD)


def _is_integer(operand: Operand) -> bool:
    return _is_word(operand) and not (isinstance(operand, Reg) and operand.type.kind == "f")


VECTORS: Final[Sequence[Change]] = (
    *(_one_type, _several_for_one, _predicates, _special_in_braces, _special_elements, _numbers, _slopes, _metadata),
    *(_first_matrix, _factors, _arrivals, _coordinates),
)
