"""What ptxas does not look at, as changes that take it away. A splice that the rows reject and ptxas takes is explained when it
is legal without what ptxas overlooks. Each was found by asking ptxas: words by putting every word into every instruction,
operands by putting every kind of operand into every place of the instructions named here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from changing import HALF, LONG, WORD, Change, at, is_word
from leniency_order import ORDER
from leniency_textures import TEXTURES
from skipped_words import skipped

from ptxlab.isa.enumerate import Candidate, verdict
from ptxlab.isa.operands import Addr, Imm, Not, Operand, Pair, Params, Reg, Sink, Sreg, Symbol, Vec
from ptxlab.isa.targets import Release, Target, Version
from ptxlab.isa.types import TYPES, register_fits

_NARROW_FOURS = re.compile(r"(add|sub|mul|fma)\..*x4\b")
_BULK = re.compile(r"(multimem\.)?cp\.(reduce\.)?async\.bulk")


def _without_words(one: Candidate) -> Iterator[Candidate]:
    """Without the modifiers that the instruction skips: all of them, or one."""
    parts = one.opcode.split(".")
    idle = [i for i in range(1, len(parts)) if skipped(one.opcode, parts, i)]
    if idle:
        yield replace(one, opcode=".".join(p for i, p in enumerate(parts) if i not in idle))
    for i in idle:
        yield replace(one, opcode=".".join(parts[:i] + parts[i + 1 :]))


def _one_type(one: Candidate) -> Iterator[Candidate]:
    """A vector of several types, which it takes for one of bits as wide. Numbers are read, so they are not in the first operand."""
    tensor_memory = one.opcode.startswith("tcgen05.")
    made = [_of_bits(o, numbers=i > 0, predicates=not tensor_memory) for i, o in enumerate(one.operands)]
    yield replace(one, operands=tuple(made))
    if re.match(r"mma\.|stmatrix\.", one.opcode):
        for i, operand in enumerate(one.operands[1:3], 1):  # a predicate alone, where it looks at widths
            if isinstance(operand, Vec) and len(operand.items) == 1 and is_word(operand.items[0]):
                yield at(one, i, Vec((WORD,)))
    if re.match(r"mma\.|wgmma\.mma_async\.sp\.|st\b.*\.v[24]\.[bus]32", one.opcode):
        for i, operand in enumerate(one.operands):
            if isinstance(operand, Vec) and len(operand.items) > 1 and isinstance(operand.items[0], Imm):
                second = operand.items[1]  # which it does not compare with a number in front, nor with what follows
                if isinstance(second, Reg) and second.type.kind in "bus":
                    for fits in (WORD, HALF):
                        yield at(one, i, Vec((operand.items[0], fits, *operand.items[2:])))


def _integers_as_doubles(one: Candidate) -> Iterator[Candidate]:
    """Integers in braces that are stored or moved as f64: it compares the widths of vectors, and a number has 64 bits."""
    if not re.match(r"(st|mov)\b.*\.f64$", one.opcode):
        return
    for i, operand in enumerate(one.operands):
        if isinstance(operand, Vec) and all(isinstance(o, Imm) and not o.is_float for o in operand.items):
            yield at(one, i, Vec((Imm(1.0, "1.0"),) * len(operand.items)))


def _of_bits(operand: Operand, *, numbers: bool, predicates: bool) -> Operand:
    """A vector as one of bits, where it has several types that go together: bits with any, integers with integers."""
    if not isinstance(operand, Vec):
        return operand
    registers = [o for o in operand.items if isinstance(o, Reg) and o.type.kind != "p"]
    widths = {r.type.bits for r in registers}
    kinds = {r.type.kind for r in registers}
    mixed = len({str(o.type) if isinstance(o, Reg) else "" for o in operand.items if not isinstance(o, Sink)}) > 1
    if len(widths) != 1 or not widths <= {16, 32, 64} or not mixed or ("f" in kinds and kinds & {"u", "s"}):
        return operand
    width = widths.pop()
    bits = Reg("%r", TYPES[f"b{width}"])

    def fits(item: Operand) -> bool:
        if isinstance(item, Imm):
            return numbers and ("b" in kinds or ("f" in kinds) == item.is_float)
        if isinstance(item, Reg) and item.type.kind == "p":
            return predicates and width == 32 and "b" in kinds
        return isinstance(item, Sreg) or (isinstance(item, Reg) and item.type.bits == width)

    if not all(isinstance(item, Sink) or fits(item) for item in operand.items):
        return operand
    return Vec(tuple(item if isinstance(item, Sink) else bits for item in operand.items))


def _is_truth_or_float(operand: Operand) -> bool:
    return isinstance(operand, Not) or (isinstance(operand, Imm) and operand.float_bits == 32)


def _metadata(one: Candidate) -> Iterator[Candidate]:
    """Metadata of sparse matrices and scales, at which it hardly looks, and small numbers of a multimem.ld_reduce."""
    if re.match(r"(wgmma\.mma_async|mma)\.sp|mma\..*\.block_scale", one.opcode):
        for i in range(3, len(one.operands)):
            operand = one.operands[i]
            words = operand.items if isinstance(operand, Vec) else (operand,)
            if all(map(is_word, words)) or _is_truth_or_float(operand):
                yield at(one, i, WORD)
    if re.match(r"multimem\.ld_reduce\b.*\.e\dm\dx", one.opcode) and is_word(one.operands[0]):
        yield at(one, 0, WORD)


def _moved(one: Candidate) -> Iterator[Candidate]:
    """The registers of movmatrix, of which it looks at the width alone."""
    if one.opcode.startswith("movmatrix."):
        for i, operand in enumerate(one.operands):
            if is_word(operand) or _is_truth_or_float(operand):
                yield at(one, i, WORD)


def _bracketed(one: Candidate) -> Iterator[Candidate]:
    """Addresses of bulk copies, which it takes without brackets, or as halves in braces, and in 8 or 16 bits behind the first
    two; of copies of tensors, and of fences of tensor maps, whatever they are; addresses of shared memory between fabric
    endpoints, as registers, or with the operand behind them in their brackets; and a mask of 32 bits as its two halves."""
    if _BULK.match(one.opcode):
        if one.opcode.endswith(".multicast::cluster::32b") and len(one.operands) > 4:
            mask = one.operands[4]
            if isinstance(mask, Vec) and len(mask.items) == 2 and all(map(_is_half_register, mask.items)):
                yield at(one, 4, WORD)
        for i, operand in enumerate(one.operands):
            tensor = ".tensor" in one.opcode and (
                isinstance(operand, Reg | Not)
                or (isinstance(operand, Imm) and operand.is_float)
                or (isinstance(operand, Symbol) and operand.space != "func")
            )
            first = operand.items[0] if isinstance(operand, Vec) and operand.items else operand
            loose = isinstance(operand, Imm) or _is_address(operand)
            narrow = (
                i > 1 and isinstance(operand, Addr) and isinstance(operand.base, Reg) and operand.base.type.bits < 32
            )
            if narrow or tensor or (i > 2 and (loose or (isinstance(operand, Vec) and _is_half(first)))):
                yield at(one, i, LONG)
                yield at(one, i, HALF)
        if len(one.operands) == 5 and _is_address(one.operands[3]) and _is_half(one.operands[4]):
            # of one with a byte mask behind the policy
            yield replace(one, operands=(*one.operands[:3], LONG, LONG.base))
    if one.opcode.startswith("cp.async.bulk.tensor") and one.operands and isinstance(one.operands[0], Addr):
        whole = one.operands[0]  # a tensor in the brackets of where it goes
        if whole.coords is not None and len(whole.between) == 1 and isinstance(whole.between[0], Reg):
            apart = (replace(whole, coords=None, between=()), Addr(whole.between[0], coords=whole.coords))
            yield replace(one, operands=(*apart, *one.operands[1:]))
    if one.opcode.startswith("fabric.try_"):
        for i, operand in enumerate(one.operands):
            if isinstance(operand, Reg) and operand.type.bits in (32, 64):
                yield at(one, i, LONG)
            elif isinstance(operand, Addr) and operand.coords is not None and len(operand.coords.items) == 1:
                apart = (replace(operand, coords=None), operand.coords.items[0])
                yield replace(one, operands=(*one.operands[:i], *apart, *one.operands[i + 1 :]))
        yield from _regrouped(one)
    if one.opcode.startswith("fence.proxy.tensormap"):
        for i, operand in enumerate(one.operands):
            if isinstance(operand, Addr) and operand.coords is None:
                yield at(one, i, LONG)


def _regrouped(one: Candidate) -> Iterator[Candidate]:
    """An operation of a fabric endpoint with its operands in the brackets where they belong: ptxas counts them through."""
    flat: list[Operand] = []
    for operand in one.operands:
        if isinstance(operand, Addr) and operand.coords is not None:
            flat += [operand.base, *operand.between, *operand.coords.items]
        else:
            flat.append(operand)
    if len(flat) == len(one.operands):
        return  # no brackets around several
    brings = not one.opcode.startswith(("fabric.try_put", "fabric.try_red", "fabric.try_atom"))
    counts = ".counted::bytes" in one.opcode
    place = 1 if brings else 0  # of the endpoint
    behind = place + 2 + counts
    if len(flat) <= behind or not all(isinstance(o, Reg) for o in flat[place : place + 2]):
        return
    counter = () if not counts else (LONG.base,) if isinstance(flat[behind - 1], Imm) else (flat[behind - 1],)
    given = (*flat[place + 1 : place + 2], *counter)
    first = flat[place]
    assert isinstance(first, Reg)
    there = Addr(first, coords=Vec(given[-1:], bare=True), between=given[:-1])
    rest = [LONG if _may_be_address(one, i, o) else o for i, o in enumerate(flat[behind:])]
    yield replace(one, operands=(*([LONG] * brings), there, *rest))


def _may_be_address(one: Candidate, i: int, operand: Operand) -> bool:
    """Whether the operand so far behind the endpoint is an address, in brackets or not."""
    places = (
        (0, 1, 2)
        if "try_atom" in one.opcode
        else (1,)
        if ".try_get" in one.opcode or ".try_pull" in one.opcode
        else (0, 2)
    )
    return i in places and (isinstance(operand, Reg) or (isinstance(operand, Addr) and operand.coords is None))


def _is_address(operand: Operand) -> bool:
    return isinstance(operand, Reg) and operand.type.kind in "bus" and operand.type.bits in (16, 64)


def _is_half(operand: Operand) -> bool:
    """16 bits, or a number."""
    return isinstance(operand, Imm) or _is_half_register(operand)


def _are_halves(operand: Operand) -> bool:
    """16 bits, or a number, or some of them in braces."""
    return all(map(_is_half, operand.items)) if isinstance(operand, Vec) else _is_half(operand)


def _is_half_register(operand: Operand) -> bool:
    return isinstance(operand, Reg) and operand.type.bits == 16


def _counts(one: Candidate) -> Iterator[Candidate]:
    """Counts of an mbarrier's arrivals in braces, and those that are too large; numbers where it writes a report."""
    if one.opcode.startswith("mbarrier."):
        for i, operand in enumerate(one.operands):
            if (
                i == 2
                and ".arrive" in one.opcode
                and isinstance(operand, Imm)
                and not operand.is_float
                and operand.value > 0
            ):
                yield at(one, i, Imm(1, "1"))
            if isinstance(operand, Vec) and i > 1 and all(map(is_word, operand.items)):
                yield at(one, i, WORD)
            elif isinstance(operand, Imm) and i == 1:
                yield at(one, i, Reg("%bb1", TYPES["b8"]))


def _functions(one: Candidate) -> Iterator[Candidate]:
    """The name of a function as a value of any type."""
    for i, operand in enumerate(one.operands[1:], 1):
        if isinstance(operand, Symbol) and operand.space == "func" and not one.opcode.startswith(("call", "tld4")):
            for type_ in ("b16", "b32", "b64", "f32", "f64", "b8", "b128"):
                yield at(one, i, Reg(f"%{type_}", TYPES[type_]))
            yield at(one, i, Imm(1, "1"))


def _no_pair(one: Candidate) -> Iterator[Candidate]:
    """A second result that is left out, `d|_`, where there is none."""
    if one.operands and isinstance(one.operands[0], Pair) and isinstance(one.operands[0].second, Sink):
        yield at(one, 0, one.operands[0].first)


def _other_shape(one: Candidate) -> Iterator[Candidate]:
    """Asynchronous stores: a vector for a register, and a register for a vector. That also for what surfaces get: asked for the
    form alone, ptxas takes it, but makes code only of registers in braces."""
    if one.opcode.startswith("sust.") and (many := re.search(r"\.v([24])\b", one.opcode)):
        registers = ((i, operand) for i, operand in enumerate(one.operands) if isinstance(operand, Reg))
        yield from (at(one, i, Vec((operand,) * int(many[1]))) for i, operand in registers)
    if one.opcode.startswith("st.async."):
        for i, operand in enumerate(one.operands):
            if isinstance(operand, Vec):
                bits = {o.type.bits if isinstance(o, Reg) and o.type.kind in "bus" else 0 for o in operand.items}
                if len(bits) == 1 and bits <= {32, 64}:
                    yield at(one, i, Reg("%b", TYPES[f"b{max(bits)}"]))
                if (
                    re.match(r"st\.async\..*\.b(32|64)$", one.opcode)
                    and bits in ({16}, {32})
                    and len(operand.items) == 2
                ):
                    yield at(one, i, Reg("%pair", TYPES[f"b{2 * max(bits)}"]))  # two halves of the value, as in a mov
                yield from (at(one, i, item) for item in operand.items[:1] if isinstance(item, Reg | Imm))
            elif isinstance(operand, Reg):
                yield from (at(one, i, Vec((operand,) * n)) for n in (2, 4))
            elif isinstance(operand, Imm) and not operand.is_float:
                yield from (at(one, i, Vec((operand,) * n)) for n in (2, 4))
                yield from (at(one, i, Vec((item,) * n)) for item in (HALF, WORD) for n in (2, 4))


def _one_for_all(one: Candidate) -> Iterator[Candidate]:
    """One register of A for all of them in a sparse product."""
    first = one.operands[1] if len(one.operands) > 1 else None
    integers = re.match(r"mma\.sp\b.*\.[su][48]\.[su][48]\.", one.opcode)
    if integers and first is not None and is_word(first):
        yield from (at(one, 1, Vec((WORD,) * n)) for n in (2, 4))


def _needless_braces(one: Candidate) -> Iterator[Candidate]:
    """One value in braces: of a mov, of a float that is reduced on the way, and of indices; an integer that is loaded or
    stored as a float."""
    for i, operand in enumerate(one.operands):
        alone = operand.items[0] if isinstance(operand, Vec) and len(operand.items) == 1 else None
        float_ = re.match(r"(?:ld|ldu|st|multimem\.ld_reduce)\..*f(32|64)$", one.opcode)
        if float_ and isinstance(alone, Reg) and alone.type.kind in "us" and alone.type.bits == int(float_[1]):
            yield at(one, i, Reg("%b", TYPES[f"b{alone.type.bits}"]))
    if re.match(r"mov\.[bufs]|multimem\.ld_reduce\..*\.f(32|64)$|tcgen05\.ld\.red\.|spcompress", one.opcode):
        for i, operand in enumerate(one.operands):
            if isinstance(operand, Vec) and len(operand.items) == 1:
                yield at(one, i, operand.items[0])
    if re.match(r"tcgen05\.ld\.(red\.)?spcompress\.", one.opcode) and isinstance(one.operands[0], Vec):
        words = one.operands[0].items
        if all(map(is_word, words)):
            yield at(one, 0, Vec((WORD,) * len(words)))


def _untyped(one: Candidate) -> Iterator[Candidate]:
    """What a matrix is loaded into: predicates, too; what a number is converted into: wider bits; the answer of a request for
    a cluster: a number; and the scale of a product of integers."""
    loaded = one.operands[0] if one.opcode.startswith("ldmatrix.") and one.operands else None
    if isinstance(loaded, Vec) and all(map(is_word, loaded.items)):
        yield at(one, 0, Vec((WORD,) * len(loaded.items)))
    if (
        re.match(r"cvt\..*\.f\d+\.\w+$", one.opcode)
        and one.operands
        and isinstance(one.operands[0], Reg)
        and one.operands[0].type.kind == "b"
    ):
        kind = re.search(r"\.(f\d+)\.\w+$", one.opcode)
        if kind and TYPES[kind[1]].bits <= one.operands[0].type.bits:
            yield at(one, 0, Reg("%d", TYPES[kind[1]]))
    asked = one.opcode.startswith("clusterlaunchcontrol.query_cancel.") and len(one.operands) == 2
    answer = one.operands[1] if asked else None
    if isinstance(answer, Imm) and not answer.is_float:
        yield at(one, 1, Reg("%q1", TYPES["b128"]))
    integers = one.opcode.startswith("tcgen05.mma.") and ".kind::i8" in one.opcode
    last = one.operands[-1] if one.operands else None
    if integers and isinstance(last, Reg) and last.type.kind == "p":
        yield replace(one, operands=one.operands[:-1])


def _many_matrices(one: Candidate) -> Iterator[Candidate]:
    """The number of matrices, where it is one of tensor memory: then it does not count the registers."""
    found = re.match(r"((?:ld|st)matrix\..*)\.x(8|16|32|64|128)\b", one.opcode)
    if found:
        for count in (1, 2, 4):
            yield replace(one, opcode=f"{found[1]}.x{count}{one.opcode[found.end() :]}")


def _no_memory(one: Candidate) -> Iterator[Candidate]:
    """A sink for the address of a reduction."""
    if one.opcode.startswith("red.") and one.operands and isinstance(one.operands[0], Sink):
        yield at(one, 0, LONG)


def _fours_in_braces(one: Candidate) -> Iterator[Candidate]:
    """Four narrow numbers as several registers, of which it takes the first."""
    if _NARROW_FOURS.match(one.opcode):
        yield replace(one, operands=tuple(o.items[0] if isinstance(o, Vec) and o.items else o for o in one.operands))


def _narrow_numbers(one: Candidate) -> Iterator[Candidate]:
    """Conversions to numbers of 8 bits and less: a scale that is not asked for, or several of them; anything of 32 bits, in
    braces too, as a pair of bf16 to be scaled or of four bits, and pairs of s2f6 in braces."""
    if not one.opcode.startswith("cvt.") or len(one.operands) not in (2, 3):
        return
    given = one.operands[1]
    if one.opcode.endswith(".e2m1x2.bf16x2") and isinstance(given, Vec) and all(map(is_word, given.items)):
        yield at(one, 1, WORD)
    loose = is_word(given) or _is_truth_or_float(given)
    if loose and (
        one.opcode.endswith(".e2m1x2.bf16x2") or (".scaled::" in one.opcode and one.opcode.endswith(".bf16x2"))
    ):
        yield at(one, 1, WORD)
    if len(one.operands) == 2:
        return
    result, _, second = one.operands
    if one.opcode.endswith(".s2f6x2.f32") and isinstance(result, Vec):
        yield at(one, 0, result.items[0])
    scale = isinstance(second, Imm) or (
        isinstance(second, Reg) and second.type.kind != "f" and second.type.bits in (8, 16)
    )
    scale |= isinstance(second, Vec) and all(map(_is_half_register, second.items))
    if re.search(r"\.ue5m3x2\.b?f16x2$", one.opcode) and scale:
        yield replace(one, operands=one.operands[:2])


def _second_scale(one: Candidate) -> Iterator[Candidate]:
    """A scale of a conversion from or to bf16 that has none."""
    pairs = r"\.((ue8m0|e5m2|e4m3|e2m3|e3m2)x2\.bf16x2|bf16x2\.ue8m0x2)$"
    if (
        one.opcode.startswith("cvt.")
        and len(one.operands) == 3
        and re.search(pairs, one.opcode)
        and _are_halves(one.operands[2])
    ):
        yield replace(one, operands=one.operands[:2])


def _one_operand_more(one: Candidate) -> Iterator[Candidate]:
    """A second value of an atomic operation on bits, as if it were to compare."""
    if re.match(r"atom\b(?=.*\.(and|or|xor|exch)\b).*\.b\d+\b", one.opcode) and len(one.operands) == 4:
        yield replace(one, operands=one.operands[:-1])


def _barrier_too_many(one: Candidate) -> Iterator[Candidate]:
    """The mbarrier of an asynchronous store or reduction that none counts."""
    if re.match(r"(st|red)\.async\b", one.opcode) and "mbarrier" not in one.opcode and len(one.operands) == 3:
        yield replace(one, operands=one.operands[:2])
        parts = one.opcode.split(".")
        if parts[0] == "st" and "global" in parts:  # it takes vectors and 128 bits, too, as if the barrier counted them
            rest = [p for p in parts[2:] if p not in ("global", "release", "gpu", "sys")]
            yield replace(one, opcode=".".join(("st.async.mbarrier::complete_tx::bytes", *rest)))


def _scaled_twice(one: Candidate) -> Iterator[Candidate]:
    """A second number behind the scale of a product, which may be a predicate then: of 0 to 15, or any of integers."""
    kind = re.match(r"tcgen05\.mma(\.sp)?\..*kind::(f16|tf32|i8)\b", one.opcode)
    if not kind or len(one.operands) <= 6:
        return
    *others, scale, more = one.operands
    predicate = isinstance(scale, Not) or (isinstance(scale, Reg) and scale.type.kind == "p")
    if not (isinstance(scale, Imm) or predicate) or not isinstance(more, Imm) or more.is_float:
        return
    if not kind[1] if kind[2] == "i8" else more.value in range(16):
        yield replace(one, operands=(*others, Imm(0, "0") if predicate else scale))


def _rounded(one: Candidate) -> Iterator[Candidate]:
    """The rounding of bf16 products and sums: it makes the same code of each, rounding to nearest even."""
    if re.match(r"fma\..*bf16", one.opcode):
        for mode in (".rz", ".rm", ".rp"):
            if mode in one.opcode:
                yield replace(one, opcode=one.opcode.replace(mode, ".rn"))


def _parts_of_the_answer(one: Candidate) -> Iterator[Candidate]:
    """The answer to a request for a cluster as its four words or two halves."""
    if one.opcode.startswith("clusterlaunchcontrol.query_cancel.get_first_ctaid::") and len(one.operands) == 2:
        parts = one.operands[1].items if isinstance(one.operands[1], Vec) else ()
        widths = [o.type.bits for o in parts if isinstance(o, Reg)]
        if len(widths) == len(parts) and sum(widths) == 128 and len(set(widths)) == 1:
            yield at(one, 1, Reg("%q1", TYPES["b128"]))


_AFTER = (  # what stands behind what: a modifier that the manual makes mandatory and ptxas does not ask for
    (re.compile(r"testp"), "finite"),
    (re.compile(r"setmaxnreg\.\w+\.sync"), "aligned"),
    (re.compile(r"(add|sub)(?=(\.ftz)?\.b?f16x2\.f32x2)"), "rz"),
)


def _left_out(one: Candidate) -> Iterator[Candidate]:
    """What the manual makes mandatory and it does not ask for."""
    for behind, word in _AFTER:
        found = behind.match(one.opcode)
        if found and f".{word}" not in one.opcode:
            yield replace(one, opcode=f"{found[0]}.{word}{one.opcode[found.end() :]}")
    if one.opcode.startswith(("st.async", "red.async")) and "mbarrier" not in one.opcode:
        yield replace(one, opcode=_released(one.opcode))
        yield from _uncounted(one)
    if one.opcode.startswith(("st.async", "red.async")):
        yield replace(one, operands=(*one.operands, LONG))
    if one.opcode.startswith("call") and len(one.operands) == 2:
        yield replace(one, operands=(*one.operands, Params(())))


_COUNTED = "mbarrier::complete_tx::bytes"
_HERE = tuple(words for space in ("shared", "shared::cta") for words in ([space], ["weak", space], [space, "weak"]))


def _uncounted(one: Candidate) -> Iterator[Candidate]:
    """An asynchronous store or reduction to a CTA of the cluster with the barrier that it may leave out: then it takes types of 8
    and 16 bits, and one scope more, too."""
    name, _, *words, type_ = one.opcode.split(".")
    if (
        name == "st" and len(one.operands) == 3 and {"shared", "shared::cta"} & set(words)
    ):  # there it takes the barrier as well
        yield replace(one, opcode=".".join(("st.async", *words, _COUNTED, type_)))
    if len(one.operands) != 2:
        return
    value = one.operands[1]
    if name == "red":
        if sorted(words[:-1]) in (["gpu", "relaxed"], ["relaxed", "sys"]):
            opcode = f"red.async.relaxed.cluster.{_COUNTED}.{words[-1]}.{type_}"
            yield replace(one, opcode=opcode, operands=(*one.operands, LONG))
        return
    if words not in ([], ["weak"], ["gpu"], ["sys"], *_HERE) or type_ not in TYPES or TYPES[type_].bits > 64:
        return
    narrow = TYPES[type_].bits < 32
    if narrow and not (
        (isinstance(value, Reg) and register_fits(value.type, TYPES[type_]))
        or (isinstance(value, Imm) and not value.is_float)
        or (isinstance(value, Symbol) and value.space == "func")
    ):
        return
    kept = [] if words in (["gpu"], ["sys"]) else words
    opcode = ".".join(("st.async", *kept, _COUNTED, "b32" if narrow else type_))
    yield replace(one, opcode=opcode, operands=(one.operands[0], WORD if narrow else value, LONG))


def _released(opcode: str) -> str:
    """An asynchronous store or reduction with the order and the scope that it may leave out, or say otherwise."""
    parts = opcode.split(".")
    scope = next((p for p in parts if p in ("gpu", "sys")), "gpu")
    order = ("weak",) if parts[0] == "st" else ("relaxed",)
    rest = [p for p in parts[2:] if p not in (*order, "release", "gpu", "sys")]
    at = 1 if rest[:1] == ["mmio"] else 0
    return ".".join((*parts[:2], *rest[:at], "release", scope, *rest[at:]))


_CACHED = frozenset(("ca", "cg", "cs", "lu", "cv", "wb", "wt"))


def _priority_beside_an_operator(one: Candidate) -> Iterator[Candidate]:
    """A priority in L2 beside a cache operator, in accesses of 32 bytes."""
    parts = one.opcode.split(".")
    if parts[0] in ("ld", "st") and _CACHED & set(parts):
        kept = [p for p in parts if not p.startswith("L2::evict")]
        if len(kept) < len(parts):
            yield replace(one, opcode=".".join(kept))


def _both_ways(one: Candidate) -> Iterator[Candidate]:
    """A proxy fence of fabric operations, or of reads, that acquires and releases: from ptxas 13.4 on."""
    if one.opcode.startswith("fence.proxy.async::generic.acq_rel."):
        yield replace(one, opcode=one.opcode.replace(".acq_rel", ".release"))
        yield replace(one, opcode=one.opcode.replace(".acq_rel", ".acquire"))
    if re.match(r"fence\.proxy\.(fabric|generic)::\w+\.", one.opcode) and ".acq_rel" in one.opcode:  # of any scope, too
        scope = r"\.(cta|cluster|gpu|sys)\b"
        yield replace(one, opcode=re.sub(scope, ".sys", one.opcode.replace(".acq_rel", ".release")))
    both = re.fullmatch(r"fence\.proxy(?=.*\.alias\b)(?=.*\.acq_rel\b).*\.((fabric|generic)::\w+)\..*", one.opcode)
    if both:  # whatever the order of the words
        yield replace(one, opcode=f"fence.proxy.{both[1]}.alias.release.sys")


CHANGES: Sequence[Change] = (
    _priority_beside_an_operator,
    _both_ways,
    _without_words,
    _one_type,
    _integers_as_doubles,
    _metadata,
    _moved,
    _bracketed,
    _counts,
    _functions,
    _no_pair,
    _left_out,
    _other_shape,
    _one_for_all,
    _needless_braces,
    _untyped,
    _many_matrices,
    _no_memory,
    *TEXTURES,
    _fours_in_braces,
    _narrow_numbers,
    _second_scale,
    _one_operand_more,
    *ORDER,
    _barrier_too_many,
    _scaled_twice,
    _rounded,
    _parts_of_the_answer,
)


_UNTIL: dict[Change, Release] = {_second_scale: (13, 1), _barrier_too_many: (13, 4)}  # newer releases look at it


def why_lenient(one: Candidate, target: Target, version: Version, release: Release | None = None) -> tuple[str, ...]:
    """The names of the changes without which the rows take a candidate: one, or two; empty where they do not."""
    changes = [change for change in CHANGES if release is None or release <= _UNTIL.get(change, release)]
    seen = {one.text}
    once: list[tuple[str, Candidate]] = []
    for change in changes:
        for made in change(one):
            if made.text not in seen:
                seen.add(made.text)
                if verdict(made, target, version, release) is None:
                    return (change.__name__,)
                once.append((change.__name__, made))
    for first, half in once:
        for change in changes:
            for made in change(half):
                if made.text not in seen:
                    seen.add(made.text)
                    if verdict(made, target, version, release) is None:
                        return first, change.__name__
    return ()


def lenient(one: Candidate, target: Target, version: Version, release: Release | None = None) -> bool:
    """Whether the rows take a candidate without what ptxas overlooks: one thing, or two."""
    return bool(why_lenient(one, target, version, release))
