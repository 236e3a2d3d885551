"""One instruction without a module around it: what its names must be is tried, and the rows judge the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.bind import Instance, bind, check_needs, check_rules
from ptxlab.isa.match import heads, why_no_head
from ptxlab.isa.operands import Reg, Symbol
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Target
from ptxlab.isa.types import TYPES
from ptxlab.ptx import tree
from ptxlab.ptx.parser import parse_items
from ptxlab.ptx.scope import Scope

TARGETS = ("sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120a")
# What compilers call their registers; names of one's own may be of any type.
_HABITS = {
    "p": "pred", "rs": "b16", "h": "b16", "r": "b32", "f": "f32", "rd": "b64", "fd": "f64", "rq": "b128", "rc": "b8",
}  # fmt: skip
_TYPES = ("b32", "b64", "pred", "f32", "b16", "f64", "f16", "b128", "b8")
_SPACES = ("shared", "global", "param", "const", "local")
_TRIES = 4000


@dataclass(slots=True)
class Verdict:
    """An instruction and what the rows say of it. `said` are lines for people."""

    text: str
    opcode: str
    instance: Instance | None = None
    operands: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    said: list[str] = field(default_factory=list[str])


def verdict(text: str) -> Verdict:
    """Parse and judge one instruction.

    Raises: Diagnostic PTX0001 where it is none, PTX0100 to PTX0102 where no row has its opcode.
    """
    line = f"{text.strip().rstrip(';').strip()};"
    best: tuple[tree.Instruction, Instance | Diagnostic] | None = None
    for scope in islice(_scopes(line), _TRIES):
        node = _parsed(line, scope)
        if not heads(node.opcode):
            raise why_no_head(node.opcode)
        try:
            best = node, bind(node.opcode, node.operands)
            break
        except Diagnostic as wrong:
            best = best or (node, wrong)
    assert best is not None
    node, bound = best
    out = Verdict(line, node.opcode)
    if isinstance(bound, Diagnostic):
        out.said = _lines(bound)
        return out
    out.instance = bound
    out.operands = [(name, f"{o}{_typed(o)}") for name, o in bound.operands.items()]
    out.said = _judged(bound)
    return out


def _judged(found: Instance) -> list[str]:
    broken = check_rules(found)
    lines = [line for d in broken for line in _lines(d)]
    if all(d.severity is not Severity.ERROR for d in broken):
        good = [t for t in TARGETS if not check_needs(found, Target.parse(t), None)]
        lines.append(f"legal on {', '.join(good) or 'none of ' + ', '.join(TARGETS)}; it needs {found.need()}")
    return lines


def _lines(found: Diagnostic) -> list[str]:
    return [f"{found.severity} {found.code}: {found.message}", *([f"help: {found.help}"] if found.help else [])]


def _typed(operand: object) -> str:
    return f", a register of type .{operand.type}" if isinstance(operand, Reg) else ""


def _parsed(line: str, scope: Scope) -> tree.Instruction:
    nodes = parse_items(line, scope)
    if len(nodes) != 1 or not isinstance(nodes[0], tree.Instruction):
        raise Diagnostic("PTX0001", f"`{line}` is not one instruction", help="give one, e.g. `add.s32 %r1, %r2, 3;`")
    return nodes[0]


def _scopes(line: str) -> Iterator[Scope]:
    """Scopes that give the names of the instruction a meaning, the likely ones first."""
    body = re.sub(r"^\s*(?:@!?\s*([\w%$]+)\s+)?[a-z][\w.:]*", r"\1 ", line)
    guard = re.match(r"\s*@!?\s*([\w%$]+)", line)
    names = dict.fromkeys(re.findall(r"(?<![\w.])[%$A-Za-z_][\w$]*(?:\.[xyzw]\b)?", body))
    placed = set(re.findall(r"\[\s*([A-Za-z_$][\w$]*)", body))
    choices: list[Sequence[Reg | Symbol]] = []
    for name in names:
        if name in SREGS or name == "_" or not (name.startswith("%") or name in placed):
            continue
        if guard is not None and name == guard[1]:
            choices.append([Reg(name, TYPES["pred"])])
        elif name.startswith("%"):
            choices.append(_registers(name))
        else:
            choices.append([Symbol(name, space, 0, 128, 128) for space in _SPACES])
    for chosen in product(*choices):
        scope = Scope()
        for one in chosen:
            scope.declare(one.name, one)
        yield scope


def _registers(name: str) -> Sequence[Reg]:
    habit = _HABITS.get(name.lstrip("%").rstrip("0123456789"))
    return [Reg(name, TYPES[t]) for t in ((habit,) if habit is not None else _TYPES)]
