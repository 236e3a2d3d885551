"""Kernels with one mistake: each instruction of a right one changed in some way that people change them by accident."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_LINE = re.compile(r"^(?P<before>\s*(?:@!?%\w+ )?)(?P<opcode>[a-z][\w.:]*) (?P<operands>[^;]*);(?P<after>.*)$")
_NUMBER = re.compile(r"(?<![\w.%])\d+(?![\w.])")
_FLOAT = re.compile(r"0[fF][0-9A-Fa-f]{8}")
_OTHER = {
    "add": "sub", "sub": "add", "mul": "add", "max": "min", "min": "max", "fma": "mad", "div": "mul", "sqrt": "rsqrt",
    "rsqrt": "sqrt", "sin": "cos", "ex2": "lg2", "lg2": "ex2",
}  # fmt: skip
_COMPARED = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne", "ne": "eq"}
_KEPT = ("ld.param", "bra", "ret", "bar", "cvta", "exit", "barrier", "mbarrier", "fence")


@dataclass(frozen=True, slots=True)
class Mutant:
    """what: of the change. text: the whole module."""

    what: str
    text: str


def mutants(text: str) -> Iterator[Mutant]:
    """All of a module's text. Some are no legal PTX."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = _LINE.match(line)
        if found is None or found["opcode"].startswith((".", *_KEPT)):
            continue
        for what, changed in _changes(found["opcode"], found["operands"]):
            whole = f"{found['before']}{changed};" if changed else ""
            made = "\n".join([*lines[:number], whole, *lines[number + 1 :]])
            yield Mutant(f"{what}: {line.strip()}  →  {whole.strip()}", made)


def _split(operands: str) -> list[str]:
    return re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*", operands)


def _changes(opcode: str, operands: str) -> Iterator[tuple[str, str]]:
    name, *words = opcode.split(".")
    given = _split(operands)
    is_float = any(w in ("f32", "f16", "bf16", "f16x2", "bf16x2", "f64") for w in words)
    if name in ("st", "red"):
        yield "left out", ""
    if name == "mma":
        yield "left out", ""
        yield "no sum before", f"{opcode} {', '.join([*given[:3], _zeros(given[3])])}"
    if is_float and name in _OTHER and _OTHER[name] != "mad":
        other = ".".join(
            [_OTHER[name], *(w for w in words if not (w in ("rn", "full", "approx") and name in ("div",)))]
        )
        if name == "div":
            other = other.replace("mul", "mul.rn", 1)
        yield "another operation", f"{other} {operands}"
    if is_float and name in ("sub", "div"):
        yield "swapped", f"{opcode} {', '.join([given[0], given[2], given[1]])}"
    if is_float and name in ("fma",):
        yield "swapped", f"{opcode} {', '.join([given[0], given[3], given[2], given[1]])}"
        yield "no sum before", f"{opcode} {', '.join([*given[:3], '0f00000000'])}" if "f32" in words else ""
    if is_float and len(given) == 3 and name in ("add", "sub", "mul", "max", "min", "div"):
        for at in (1, 2):
            if given[at].startswith("%"):
                yield (
                    "left out",
                    f"mov.{words[-1].replace('bf16', 'b16').replace('f16', 'b16')} {given[0]}, {given[at]}",
                )
    if (
        is_float
        and len(given) == 2
        and name in ("ex2", "lg2", "rcp", "sqrt", "rsqrt", "neg", "tanh", "sin", "cos", "abs")
    ):
        yield "left out", f"mov.{words[-1]} {given[0]}, {given[1]}"
    if name == "selp":
        yield "swapped", f"{opcode} {', '.join([given[0], given[2], given[1], given[3]])}"
    if name == "setp":
        other = ".".join(["setp", *(_COMPARED.get(w, w) for w in words)])
        yield "another comparison", f"{other} {operands}"
    if name == "cvt" and words[-2:-1] in (["bf16x2"], ["f16x2"]):
        yield "swapped", f"{opcode} {', '.join([given[0], given[2], given[1]])}"
    for number in _FLOAT.finditer(operands):
        value = float(np.uint32(int(number[0][2:], 16)).view(np.float32))
        for new in ({value * 2, value + 1, -value} if np.isfinite(value) else {0.0, -1.0}) - {value}:
            bits = int(np.float32(new).view(np.uint32))
            if bits & 0x7FFF_FFFF or int(number[0][2:], 16):
                yield "another constant", f"{opcode} {operands[: number.start()]}0f{bits:08X}{operands[number.end() :]}"
    if name != "setp" and not (name == "mov" and is_float):
        for number in _NUMBER.finditer(operands):
            value = int(number[0])
            if 0 < value < 1 << 16:
                for new in (value * 2, value + 1):
                    yield "another number", f"{opcode} {operands[: number.start()]}{new}{operands[number.end() :]}"


def _zeros(vector: str) -> str:
    return "{" + ", ".join(["0f00000000"] * (vector.count(",") + 1)) + "}"


__all__ = ["Mutant", "mutants"]
