"""What stands for debuggers: sections of data, files, places in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.checks.names import Names, too_large
from ptxlab.diag import Diagnostic
from ptxlab.isa.targets import ptx
from ptxlab.ptx.numbers import literal
from ptxlab.ptx.scope import twice
from ptxlab.ptx.tree import File, Loc, Section

_BITS: Final = {".b8": 8, ".b16": 16, ".b32": 32, ".b64": 64}
_ADDRESSES: Final = (".b32", ".b64")
_NEGATIVE: Final = ptx(7, 5)
_INLINED: Final = ptx(7, 0)


def _wrong(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX0015", message, help=help)


def check_file(node: File, names: Names) -> Iterator[Diagnostic]:
    """The index of a .file."""
    if node.index in names.files:
        yield Diagnostic("PTX0013", f"two files have the index {node.index}", help="give each its own")
    elif too_large(node.index):
        yield _wrong(f"the index {node.index} of a file does not fit 32 bits", "count from 1")
    names.files.add(node.index)


def check_location(node: Loc, names: Names) -> Iterator[Diagnostic]:
    """A place in a source file, and the one that it was inlined at, which stands in front of it."""
    for value in (node.file, node.line, node.column):
        if too_large(value):
            yield _wrong(f"the number {value} of a .loc does not fit 32 bits", "write a smaller number")
    at = node.inlined_at
    if at is not None:
        yield from names.needs("`inlined_at`", _INLINED)
        names.inlined.append(node)
    if at is not None and at not in names.places:
        shown = " ".join(map(str, at))
        yield _wrong(
            f"`inlined_at {shown}` is no place that a .loc in front of it has named", f"write `.loc {shown}` first"
        )
    names.places.add((node.file, node.line, node.column))


def check_inlined(names: Names) -> Iterator[Diagnostic]:
    """The names of inlined functions, which labels of debug data lead to, anywhere in the module."""
    for node in names.inlined:
        label = node.rest[2]
        if label[0] != "." and label not in names.data:
            found = _wrong(f"`{label}` is no label of debug data", "put it in front of the name in .debug_str")
            yield found.at(node.span, node.origin)


def check_section(node: Section, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with debug data: labels, and types with their values."""
    type_, left = "", list(node.words)
    while left:
        if left[1:2] == [":"] and left[0][0] != ".":
            if left[0] in names.data:
                yield twice(left[0])
            names.data.add(left[0])
            left = left[2:]
            continue
        type_ = left[0]
        if type_ not in _BITS:
            yield _wrong(f"`{type_}` begins no debug data", f"write {', '.join(_BITS)}")
            return
        left, values = _values(left[1:])
        for value in values:
            yield from _value(value, type_, names)
        if len(values) > 1 and any(_is_address(value) for value in values):
            yield _wrong("a label stands beside other values", "write a line for each")
        if _is_minus_zero(values) and _BITS[type_] < 64:
            yield _wrong(f"{' '.join(values[0])} does not fit {type_} to ptxas", "write 0")


def _values(words: list[str]) -> tuple[list[str], list[list[str]]]:
    """The values behind a type, which commas part, and what stands behind them."""
    values: list[list[str]] = [[]]
    for i, word in enumerate(words):
        begins = word in _BITS or words[i + 1 : i + 2] == [":"]
        if begins and values[-1]:
            return words[i:], values
        if word == ",":
            values.append([])
        else:
            values[-1].append(word)
    return [], values


def _is_minus_zero(values: list[list[str]]) -> bool:
    """Whether -0 stands alone behind a type: beside others, and in 64 bits, ptxas takes it."""
    number = literal(values[0][1]) if len(values) == 1 and values[0][:1] == ["-"] and len(values[0]) == 2 else None
    return number is not None and number.value == 0


def _value(words: list[str], type_: str, names: Names) -> Iterator[Diagnostic]:
    shown, bits = " ".join(words), _BITS[type_]
    negative = words[:1] == ["-"]
    number = literal(words[-1]) if len(words) == 1 + negative else None
    if number is not None and not number.is_float:
        value = -int(number.value) if negative else int(number.value)
        if negative:
            yield from names.needs("a negative number in debug data", _NEGATIVE)
        least = -(1 << (bits - 1)) + (bits == 64)
        if value < least or (bits < 32 and (value % (1 << 32)) >> bits > 0 and value >= 0):
            yield _wrong(f"{shown} does not fit {type_}", "write a smaller number")
    elif not _is_address(words):
        yield _wrong(f"`{shown}` is no value of debug data", "write numbers, labels and differences of labels")
    elif type_ not in _ADDRESSES:
        yield _wrong(f"`{shown}` does not fit {type_}", "write it as .b32 or .b64")
    elif "-" in words:
        yield from names.needs("a difference of labels in debug data", _NEGATIVE)


def _is_address(words: list[str]) -> bool:
    """Whether words are a label or section, with a number added, or another label taken off."""
    named = [w[0].isalpha() or w[0] in "_$%." for w in words]
    if not named or not named[0] or words[0] == "WARP_SZ":
        return False
    if len(words) == 1:
        return True
    number = literal(words[-1])
    if words[1] == "+":
        return len(words) == 3 and number is not None and not number.is_float
    return words[1] == "-" and len(words) == 3 and named[2]
