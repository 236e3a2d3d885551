"""Video instructions: integer arithmetic on bytes and halves of registers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from ptxlab.codegen.ir import T, Val
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning

U32 = T("u", 32)
S32 = T("s", 32)
WIDE = T("s", 64)
"""What sums and differences of two numbers and a third one fit."""
Function: TypeAlias = Callable[[Emitter, Val, Val], Val]


def _field(word: Val, signed: bool, bits: int, index: int) -> Val:
    """A byte, half or all of a register as a number."""
    up = word.unsigned << (32 - bits * (index + 1)) if bits * (index + 1) < 32 else word.unsigned
    return ((up.signed if signed else up) >> (32 - bits) if bits < 32 else up.as_(S32 if signed else U32)).to(WIDE)


def _place(shape: object) -> tuple[int, int]:
    """Bits and index of the part that an operand is given as."""
    text = shape.removeprefix("-") if isinstance(shape, str) else ""
    if not text.startswith("x"):
        return 32, 0
    return (8 if text[1] == "b" else 16), int(text[2])


def _signed(e: Emitter, type_: str) -> bool:
    """Whether a type among the modifiers is signed. A comparison has no type of its result: ptxas takes that of `a`."""
    return (e.mod(type_) or e.mod("atype") or "").startswith("s")


def _clamped(e: Emitter, value: Val, signed: bool, bits: int = 32) -> Val:
    """A value in the range of a type."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return e.min(e.max(value, low), high)


def _saturated(e: Emitter, value: Val, signed: bool, bits: int) -> Val:
    """What `.sat` makes of a sum or difference. It falls short of the manual, here and on the chip, as ptxas expands it: of bytes
    and halves whatever is negative becomes the largest number, and of unsigned words what exceeds 32 bits loses the upper ones."""
    if bits < 32:
        most = (1 << bits - signed) - 1
        return e.min(value.unsigned, most).signed
    return _clamped(e, value, signed) if signed else e.max(value, 0)


def _of_34_bits(e: Emitter, value: Val, signed: bool, bits: int) -> Val:
    """What `.sat` makes of a shift: 34 bits are kept, and clamped to 32 whatever part the destination is."""
    del bits
    return _clamped(e, (value << 30) >> 30, signed)


# --- one number ---------------------------------------------------------------------------------------------------------
def _shifted(e: Emitter, a: Val, b: Val) -> Val:
    """How far a shift goes."""
    del a
    return e.min(b, 32) if e.mod("mode") == "clamp" else b & 31


def _left(e: Emitter, a: Val, b: Val) -> Val:
    return a << _shifted(e, a, b)


def _right(e: Emitter, a: Val, b: Val) -> Val:
    return a >> _shifted(e, a, b)


def _compared(e: Emitter, a: Val, b: Val) -> Val:
    return e.select(a.compare(e.mod("cmp") or "", b), e.const(1, WIDE), 0)


def _distance(e: Emitter, a: Val, b: Val) -> Val:
    return e.max(a, b) - e.min(a, b)


def _mean(e: Emitter, a: Val, b: Val) -> Val:
    total = a + b
    return (total + e.select(total >= 0, e.const(1, WIDE), 0)) >> 1


_FUNCTIONS: Final[dict[str, Function]] = {
    "vadd": lambda e, a, b: a + b,
    "vsub": lambda e, a, b: a - b,
    "vabsdiff": _distance,
    "vmin": lambda e, a, b: e.min(a, b),
    "vmax": lambda e, a, b: e.max(a, b),
    "vset": _compared,
    "vshl": _left,
    "vshr": _right,
    "vavrg": _mean,
}


def _scalar(function: Function, e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    bits, index = _place(e.shape("d"))
    signed = _signed(e, "dtype")
    fields = [
        _field(word, _signed(e, type_), *_place(e.shape(name)))
        for name, word, type_ in (("a", a, "atype"), ("b", b, "btype"))
    ]
    value = function(e, *fields)
    if e.has("sat"):
        value = (_of_34_bits if e.has("mode") else _saturated)(e, value, signed, bits)
    word = value.to(U32)
    if function in (_FUNCTIONS["vadd"], _FUNCTIONS["vsub"]) or (e.has("sat") and e.has("mode")):
        value = word.signed.to(WIDE)  # of these 32 bits go into a second operation, of the others all
    second = e.mod("op2")
    if c is None:
        return word
    if second == "add":
        return word + c.unsigned
    if second is not None:  # ptxas compares 64 bits, extended as the destination's type says
        other = c.as_(S32 if signed else U32).to(WIDE)
        pair = (value, other) if signed else (value.unsigned, other.unsigned)
        return (e.min if second == "min" else e.max)(*pair).to(U32)
    return _merged(word, c.unsigned, bits, index)


def _merged(word: Val, other: Val, bits: int, index: int) -> Val:
    """A word with one field from another."""
    if bits == 32:
        return word
    ones = (1 << bits) - 1 << bits * index
    return (other & (ones ^ 0xFFFF_FFFF)) | ((word << bits * index) & ones)


for _name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr"):
    meaning(_name, f"{_name}.second", f"{_name}.merge")(partial(_scalar, _FUNCTIONS[_name]))


# --- products -----------------------------------------------------------------------------------------------------------
def _product(e: Emitter, a: Val, b: Val, c: Val, *, more: int) -> Val:
    """±a·b + c + more, or a·b - c, shifted and clamped. Whole registers count as signed, whatever their types say."""
    minus = {name: str(e.shape(name)).startswith("-") for name in "abc"}
    places = {name: _place(e.shape(name)) for name in "ab"}
    factors = [
        _field(word, _signed(e, type_) or places[name][0] == 32, *places[name])
        for name, word, type_ in (("a", a, "atype"), ("b", b, "btype"))
    ]
    product, third, negative = factors[0] * factors[1], c.signed.to(WIDE), minus["a"] != minus["b"]
    total = (-product if negative else product) + (-third if minus["c"] else third) + more
    signed = _signed(e, "atype") or _signed(e, "btype") or negative or minus["c"]
    if scale := int((e.mod("scale") or "shr0")[3:]):
        total = total >> scale if signed else (total.unsigned >> scale).signed
    return (_clamped(e, total, signed) if e.has("sat") else total).to(U32)


meaning("vmad", "vmad.difference")(partial(_product, more=0))
meaning("vmad.po")(partial(_product, more=1))


# --- several numbers ----------------------------------------------------------------------------------------------------
def _picked(e: Emitter, a: Val, b: Val, name: str, type_: str, bits: int) -> list[Val]:
    """The numbers that an operand stands for, the lowest first: some of those in a and b."""
    count = 32 // bits
    shape = str(e.shape(name))
    first = 0 if name == "a" else count
    picks = [int(p) for p in shape[2:][::-1]] if shape[0] == "x" else [first + i for i in range(count)]
    return [_field((a, b)[p // count], _signed(e, type_), bits, p % count) for p in picks]


def _several(function: Function, bits: int, e: Emitter, a: Val, b: Val, c: Val) -> Val:
    signed = _signed(e, "dtype")
    shape = str(e.shape("d"))
    mask = {int(p) for p in shape[2:]} if shape[0] == "x" else set(range(32 // bits))
    pairs = zip(_picked(e, a, b, "a", "atype", bits), _picked(e, a, b, "b", "btype", bits), strict=True)
    out = c.unsigned
    adds = e.mod("how") == "add" or e.has("add")
    for lane, (x, y) in enumerate(pairs):
        if lane not in mask:
            continue
        value = function(e, x, y)
        if e.mod("how") == "sat":
            value = _clamped(e, value, signed, bits)
        word = value.to(U32)
        out = out + word if adds else _merged(word, out, bits, lane)
    return out


for _name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vavrg"):
    for _lanes in (2, 4):
        meaning(f"{_name}{_lanes}")(partial(_several, _FUNCTIONS[_name], 32 // _lanes))
