"""Micro-kernels for video instructions: all modifiers of a row's types at once, with drawn selectors, masks and signs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Final

from ptxlab.conformance.micro.kernel import Column, Micro
from ptxlab.isa.rows.video import BYTES_READ, BYTES_WRITTEN, HALVES_READ, HALVES_WRITTEN, PARTS

_ABC: Final = (Column("a", "b32"), Column("b", "b32"), Column("c", "b32"))
_INT: Final = ("u32", "s32")
_SECOND: Final = ("", ".add", ".min", ".max")
_COMPARE: Final = (".eq", ".ne", ".lt", ".le", ".gt", ".ge")
_MERGED: Final = tuple(part for part in PARTS if part != "h1")
"""Parts that a destination may be. Into .h1 ptxas before 13.3 writes the upper half of the result."""
_NAMES: Final = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
_WRITTEN: Final = {"2": HALVES_WRITTEN, "4": BYTES_WRITTEN}
_READ: Final = {"2": HALVES_READ, "4": BYTES_READ}


def _micro(name: str, types: tuple[str, ...], instructions: list[str]) -> Micro:
    """A kernel that runs each instruction on the same a, b and c; %d becomes a register of its own."""
    outputs = tuple(Column(f"d{i}", "b32") for i in range(len(instructions)))
    lines = (
        f"mov.b32 %d{i}, 0; {text}".replace("%d,", f"%d{i},").replace("%d.", f"%d{i}.")
        for i, text in enumerate(instructions)
    )
    body = "\n    ".join(lines)
    return Micro("video", name, ".".join(types), _ABC, outputs, body, lanes=256)


def _operand(dice: random.Random, register: str, parts: tuple[str, ...], whole: float = 0.2) -> str:
    return register if dice.random() < whole else f"{register}.{dice.choice(parts)}"


def _scalar(dice: random.Random, opcode: str, second: str) -> str:
    """One instruction with a second operation, or, half of the time where there is none, with a destination in part."""
    a, b = (_operand(dice, r, PARTS) for r in ("%a", "%b"))
    d, c = "%d", ""
    if second:
        c = ", %c"
    elif dice.random() < 0.7:
        d, c = _operand(dice, "%d", _MERGED), ", %c"
    return f"{opcode}{second} {d}, {a}, {b}{c};"


def _dice(name: str, types: tuple[str, ...]) -> random.Random:
    return random.Random(".".join((name, *types)))


def _arithmetic() -> Iterator[Micro]:
    for name, types in product(_NAMES, product(_INT, repeat=3)):
        dice = _dice(name, types)
        opcode = ".".join((name, *types))
        forms = product(("", ".sat"), _SECOND, range(3))
        yield _micro(name, types, [_scalar(dice, opcode + sat, second) for sat, second, _ in forms])


def _shifts() -> Iterator[Micro]:
    for name, types in product(("vshl", "vshr"), product(_INT, _INT, ("u32",))):
        dice = _dice(name, types)
        opcode = ".".join((name, *types))
        forms = product(("", ".sat"), (".clamp", ".wrap"), _SECOND, range(2))
        yield _micro(name, types, [_scalar(dice, opcode + sat + mode, second) for sat, mode, second, _ in forms])


def _comparisons() -> Iterator[Micro]:
    for types in product(_INT, repeat=2):
        dice = _dice("vset", types)
        opcode = ".".join(("vset", *types))
        forms = product(_COMPARE, _SECOND, range(2))
        yield _micro("vset", types, [_scalar(dice, opcode + cmp, second) for cmp, second, _ in forms])


def _products() -> Iterator[Micro]:
    signs = (("", "", ""), ("-", "", ""), ("", "-", ""), ("-", "-", ""), ("", "", "-"))
    for types in product(_INT, repeat=3):
        dice, out = _dice("vmad", types), list[str]()
        for sat, scale, sign in product(("", ".sat"), ("", ".shr7", ".shr15"), (*signs, None)):
            opcode = ".".join(("vmad", *types)) + ("" if sign else ".po") + sat + scale
            x, y, z = sign or ("", "", "")
            out.append(f"{opcode} %d, {x}{_operand(dice, '%a', PARTS)}, {y}{_operand(dice, '%b', PARTS)}, {z}%c;")
        yield _micro("vmad", types, out)


def _simd(dice: random.Random, lanes: str, opcode: str) -> str:
    d = _operand(dice, "%d", _WRITTEN[lanes])
    a, b = (_operand(dice, r, _READ[lanes]) for r in ("%a", "%b"))
    return f"{opcode} {d}, {a}, {b}, %c;"


def _pieces() -> Iterator[Micro]:
    for name, lanes in product((*_NAMES, "vavrg"), "24"):
        for types in product(_INT, repeat=3):
            dice = _dice(name + lanes, types)
            opcode = ".".join((name + lanes, *types))
            forms = product(("", ".sat", ".add"), range(6))
            yield _micro(name + lanes, types, [_simd(dice, lanes, opcode + how) for how, _ in forms])
    for lanes, types in product("24", product(_INT, repeat=2)):
        dice = _dice("vset" + lanes, types)
        opcode = ".".join(("vset" + lanes, *types))
        forms = product(_COMPARE, ("", ".add"), range(3))
        out = [_simd(dice, lanes, opcode + cmp + how) for cmp, how, _ in forms]
        yield _micro("vset" + lanes, types, out)


def video() -> list[Micro]:
    """Every row and every value of its modifiers; selectors, masks and signs are drawn, the same each time."""
    makers = (_arithmetic, _shifts, _comparisons, _products, _pieces)
    return [micro for maker in makers for micro in maker()]
