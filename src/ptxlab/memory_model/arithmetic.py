"""What instructions compute, over the numbers and addresses of a litmus test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.program import Pointer, Step, Value, split_place

_NUMBERS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": lambda a, b: min(a, b),
    "max": lambda a, b: max(a, b),
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
}
_BITS: Final = ("and", "or", "shl", "shr")
"""Of an address and a number they leave the address: so are matrix descriptors made."""
_COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def compute(op: str, values: Sequence[Value], step: Step) -> Value:
    """The result of `mov`, or of an operation on two numbers."""
    if op == "mov":
        return values[0]
    if op.startswith("set."):
        return int(compare(op[4:], values[0], values[1], step))
    function = _NUMBERS.get(op)
    a, b = values
    if (
        op in ("add", "sub")
        and isinstance(a, Pointer) != isinstance(b, Pointer)
        and not (op == "sub" and isinstance(b, Pointer))
    ):
        return _moved(a, b) if op == "add" else _moved(a, -b if isinstance(b, int) else b)
    if op in _BITS and isinstance(a, Pointer) != isinstance(b, Pointer):
        return a if isinstance(a, Pointer) else b
    if function is None or not isinstance(a, int) or not isinstance(b, int):
        raise _unknown(step)
    return function(a, b)


def _moved(a: Value, b: Value) -> Value:
    """An address and a number of bytes: the name of the element there."""
    pointer, offset = (a, b) if isinstance(a, Pointer) else (b, a)
    assert isinstance(pointer, Pointer)
    assert isinstance(offset, int)
    name, before = split_place(pointer.name)
    offset += before
    return Pointer(name + (f"+{offset}" if offset else ""))


def compare(op: str, a: Value, b: Value, step: Step) -> bool:
    """Whether `a op b`. Addresses are equal or not, and in no order."""
    if op in ("eq", "ne"):
        return (a == b) == (op == "eq")
    function = _COMPARISONS.get(op)
    if function is None or not isinstance(a, int) or not isinstance(b, int):
        raise _unknown(step)
    return function(a, b)


def updated(update: str, old: Value, values: Sequence[Value], step: Step) -> Value | None:
    """What an atomic operation writes; None where it leaves memory as it was."""
    if update == "exch":
        return values[0]
    if update == "cas":
        return values[1] if old == values[0] else None
    return compute(update, [old, values[0]], step)


def _unknown(step: Step) -> Diagnostic:
    return Diagnostic(
        "PTX0602",
        f"`{step.text}` computes what a litmus test cannot follow.",
        help="use mov, add, sub, mul, div, and, or, xor, min, max, shl, shr and comparisons of numbers",
        span=step.span,
    )
