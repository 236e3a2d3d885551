"""What ptxas does not look at in instructions that the rows reject, as changes that take it away: it takes an instruction that is
legal without. Each was found by asking ptxas, and holds of whole modules, not of the form alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.bind import bind, check_needs, check_rules
from ptxlab.isa.effects import Access, Carry, Compute, WarpWide
from ptxlab.isa.instance import Instance
from ptxlab.isa.lenient_vectors import VECTORS
from ptxlab.isa.operands import OPAQUE, Addr, Imm, Operand, Pair, Raw, Reg, Sink, Symbol, Vec
from ptxlab.isa.skipped import skipped
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Release, Target, Version
from ptxlab.isa.tried import Change, Tried
from ptxlab.isa.types import TYPES

_LONG = Addr(Reg("%address", TYPES["b64"]))


def is_taken(
    opcode: str, operands: Sequence[Operand], target: Target, version: Version, release: Release | None
) -> bool:
    """Whether ptxas takes an instruction that the rows reject: they take it without one or two of the things that it overlooks."""
    one = Tried(opcode, tuple(operands), release, target)
    seen, left = {one}, [one]
    for _ in range(2):
        made = [m for before in left for change in CHANGES for m in change(before)]
        left = [m for m in dict.fromkeys(made) if m not in seen]
        if any(_is_legal(m, target, version, release) for m in left):
            return True
        seen.update(left)
    return False


def _is_legal(one: Tried, target: Target, version: Version, release: Release | None) -> bool:
    inst = _bound(one)
    if inst is None:
        return False
    found = [*check_rules(inst), *check_needs(inst, target, version, release)]
    return not any(d.severity is Severity.ERROR for d in found)


def _bound(one: Tried) -> Instance | None:
    try:
        return bind(one.opcode, one.operands)
    except Diagnostic:
        return None


# --- the opcode


def _without_words(one: Tried) -> Iterator[Tried]:
    """Modifiers that it skips."""
    parts = one.opcode.split(".")
    idle = [i for i in range(1, len(parts)) if skipped(one.opcode, parts, i, one.release)]
    if idle:
        yield replace(one, opcode=".".join(p for i, p in enumerate(parts) if i not in idle))
    for i in idle if len(idle) > 1 else ():
        yield replace(one, opcode=".".join((*parts[:i], *parts[i + 1 :])))


def _left_out(one: Tried) -> Iterator[Tried]:
    """What the manual makes mandatory: what testp asks for, and the barrier of an asynchronous store or reduction of one value."""
    if re.fullmatch(r"testp\.f(32|64)", one.opcode):
        yield replace(one, opcode=one.opcode.replace("testp", "testp.finite"))
    if re.match(r"(st|red)\.async\b(?!.*\.v[248]\b)", one.opcode) and len(one.operands) == 2:
        yield replace(one, operands=(*one.operands, _LONG))


def _rounded(one: Tried) -> Iterator[Tried]:
    """The rounding of products and sums of bf16: it makes the same code of each, rounding to nearest even."""
    if re.match(r"fma\..*bf16", one.opcode):
        yield from (replace(one, opcode=re.sub(r"\.r[zmp]\b", ".rn", one.opcode)),)


# --- operands


def _no_pair(one: Tried) -> Iterator[Tried]:
    """A second result that is left out, `d|_`, where there is none."""
    first = one.operands[0] if one.operands else None
    if isinstance(first, Pair) and isinstance(first.first, Reg) and isinstance(first.second, Sink):
        yield one.at(0, first.first)


_SUM = re.compile(r"[\w%$]+ \+ (- )?\d\w*")
_SPECIAL = re.compile(r"\[ (%\w+)( \+ (- )?\d\w*)? \]")
_LOOKED_AT = re.compile(r"mbarrier\.|prefetchu|cvta|isspacep|mapa|getctarank|txq|suq")


def _odd_sums(one: Tried) -> Iterator[Tried]:
    """A number behind a register that it cannot be added to: a float, a predicate, 8 or 128 bits. ptxas dies of it where something
    reads the result."""
    for i, operand in enumerate(one.operands[1:], 1):
        if isinstance(operand, Raw) and len(operand.registers) == 1 and _SUM.fullmatch(operand.text):
            yield one.at(i, operand.registers[0])


def _special_addresses(one: Tried) -> Iterator[Tried]:
    """A special register as an address: it holds none. ptxas dies of it where something reads or writes there."""
    for i, operand in enumerate(one.operands):
        found = _SPECIAL.fullmatch(operand.text) if isinstance(operand, Raw) else None
        known = SREGS.get(found[1]) if found is not None else None
        if known is not None and known.type.kind != "p" and not _LOOKED_AT.match(one.opcode):
            yield one.at(i, _LONG)


def _functions(one: Tried) -> Iterator[Tried]:
    """The name of a function as a value of the type that the opcode names."""
    places = [i for i, o in enumerate(one.operands) if isinstance(o, Symbol) and _is_name(o)]
    for type_ in ("b16", "b32", "b64", "f32", "f64", "b8", "b128", "pred") if places else ():
        held = Reg("%function", TYPES[type_])
        made = replace(one, operands=tuple(held if i in places else o for i, o in enumerate(one.operands)))
        inst = _bound(made)
        if inst is not None and all(_reads_function(inst, n) for n, o in inst.operands.items() if o == held):
            yield made


_ASKS = re.compile(r"redux|isspacep|mbarrier\.")  # these look at the operand


def _is_name(operand: Symbol) -> bool:
    return operand.space == "func" and not operand.offset and not operand.written


def _reads_function(inst: Instance, name: str) -> bool:
    form = inst.form
    read = isinstance(form.effect, Access | Compute | Carry | WarpWide) and not _ASKS.match(form.name)
    if not read or "w" in form.operands[name].role:
        return False
    if form.name == "cvta":
        return ".to." in inst.opcode and inst.opcode.endswith("u64")
    fixed = form.operands[name].fixed and (str(inst.type_of(name)),) not in {slot.values for slot in form.slots}
    return not fixed or form.name == "shfl.sync"


def _handles(one: Tried) -> Iterator[Tried]:
    """Textures, samplers and surfaces as plain memory: with an offset as a value, and where nothing is loaded as an address."""
    for i, operand in enumerate(one.operands):
        if isinstance(operand, Symbol) and _is_handle(operand) and operand.offset and "istypep" not in one.opcode:
            known = one.opcode.startswith("mov.")
            yield one.at(i, replace(operand, space="global", given=False) if known else Reg("%handle", TYPES["u64"]))
        elif (
            isinstance(operand, Addr)
            and isinstance(operand.base, Symbol)
            and _is_handle(operand.base)
            and _UNREAD.match(one.opcode)
            and operand.coords is None
        ):
            yield one.at(i, _LONG)


_UNREAD = re.compile(
    r"prefetchu?\b(?!.*tensormap)|discard|applypriority|red\.(?!async)|cp\.async\.c[ag]|cp\.async\.bulk\.prefetch\.L2"
    r"|ldmatrix|stmatrix|multimem\."
)


def _parameters(one: Tried) -> Iterator[Tried]:
    """The address of a parameter and a number: it computes them in any width."""
    for i, operand in enumerate(one.operands):
        if isinstance(operand, Symbol) and operand.space in ("param", "param::func") and operand.offset:
            yield from (one.at(i, Reg("%address", TYPES[type_])) for type_ in ("u64", "u32", "u16"))


def _is_handle(operand: Symbol) -> bool:
    return operand.space in OPAQUE and not operand.element


def _bracketed(one: Tried) -> Iterator[Tried]:
    """Addresses of bulk copies without brackets: behind the first three numbers and registers of 16 and 64 bits, or halves in
    braces; of copies of tensors registers and variables anywhere."""
    if not re.match(r"cp\.(reduce\.)?async\.bulk\b(?!\.prefetch)", one.opcode):
        return
    tensor = ".tensor" in one.opcode
    for i, operand in enumerate(one.operands):
        if (
            tensor
            and isinstance(operand, Reg | Symbol)
            and not (isinstance(operand, Symbol) and operand.space == "func")
        ):
            yield one.at(i, Addr(operand, 0) if isinstance(operand, Symbol) else _LONG)
        elif i > 2 and (_is_loose(operand) or (isinstance(operand, Vec) and all(map(_is_half, operand.items)))):
            yield one.at(i, _LONG)


def _is_loose(operand: Operand) -> bool:
    return isinstance(operand, Imm) or (
        isinstance(operand, Reg) and operand.type.kind in "bus" and operand.type.bits in (16, 64)
    )


def _is_half(operand: Operand) -> bool:
    return isinstance(operand, Imm) or (
        isinstance(operand, Reg) and operand.type.kind in "bus" and operand.type.bits == 16
    )


def _moved(one: Tried) -> Iterator[Tried]:
    """What movmatrix reads, of which it looks at the width alone."""
    given = one.operands[1] if one.opcode.startswith("movmatrix.") and len(one.operands) == 2 else None
    predicate = isinstance(given, Reg) and given.type.kind == "p"
    if predicate or (isinstance(given, Imm) and given.float_bits == 32):
        yield one.at(1, Reg("%word", TYPES["b32"]))


def _beside(one: Tried) -> Iterator[Tried]:
    """A texture or surface where a sampler may stand, in a module that keeps samplers in its textures."""
    if not re.match(r"(tex|tld4)\b(?!.*\.a(1d|2d|cube)\b)", one.opcode):
        return
    for i, operand in enumerate(one.operands):
        between = operand.between if isinstance(operand, Addr) else ()
        if len(between) == 1 and _is_no_sampler(between[0]):
            yield one.at(i, replace(operand, between=()))


def _is_no_sampler(operand: Operand) -> bool:
    return isinstance(operand, Symbol) and operand.space in ("texref", "surfref") and _is_handle(operand)


def lacks_sampler(opcode: str, operands: Sequence[Operand]) -> bool:
    """Whether a lookup has no sampler, or something else in its place: where a module keeps samplers apart, ptxas looks at it."""
    lookups = [o for o in operands if isinstance(o, Addr) and o.coords is not None]
    return re.match(r"(tex|tld4)\b", opcode) is not None and any(
        len(o.between) != 1 or _is_no_sampler(o.between[0]) for o in lookups
    )


CHANGES: Final[Sequence[Change]] = (
    *(_without_words, _left_out, _rounded, _no_pair, _odd_sums, _special_addresses, _functions, _handles),
    *(_parameters, _bracketed, _moved, _beside, *VECTORS),
)
