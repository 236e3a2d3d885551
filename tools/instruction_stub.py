"""The typed view of the language's instructions, made from the rows: `python -m tools.instruction_stub` writes `_instructions.pyi`.

One class stands for each state of the automaton that walks the opcodes: its attributes are the parts that may follow, and it is
callable where an opcode may end. States in which the same rows may end share the class that describes the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ptxlab.isa.calls import operands_of
from ptxlab.isa.form import BY_ROOT, Form, Place
from ptxlab.isa.match import State, attribute_of, root
from ptxlab.isa.specs import Spec
from ptxlab.isa.sregs import NUMBERED, SREGS, word_of
from ptxlab.isa.terms import Const
from ptxlab.lang.trace.types import REGISTER_CLASSES

PATH = Path(__file__).resolve().parents[1] / "src" / "ptxlab" / "lang" / "_instructions.pyi"

HEAD = '''\
# Made from the rows by `python -m tools.instruction_stub`; do not edit.
# ruff: noqa
# fmt: off
"""Attributes to opcodes, typed. A call takes the operands of its row that are read; those that are written come back, unless
they are named: `k.add.u32(a, b)` returns a new register, `k.add.u32(a, b, d=c)` writes c."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, overload

import numpy as np

from ptxlab.isa.match import State
from ptxlab.isa.operands import Label
from ptxlab.lang.smem.barriers import Mbarrier, RemoteMbarrier
from ptxlab.lang.trace.special import NumberedRegisters, SpecialRegisters
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.maps.parameter import MapParameter
from ptxlab.lang.maps.rebind import MapSlot
from ptxlab.lang.trace.types import b32, pred, u32, u64
from ptxlab.lang.trace.values import Address, Negated, Register, Registers
from ptxlab.layout import TensorMap

_Value: TypeAlias = Register | int | float | np.number[Any]
_Number: TypeAlias = int | np.integer[Any]
_Place: TypeAlias = Address | Tile | Mbarrier | RemoteMbarrier | Register
_Map: TypeAlias = MapParameter | MapSlot | TensorMap | Address | Register
_Predicate: TypeAlias = Register | Negated
_Several: TypeAlias = Sequence[_Value] | Registers
_Result: TypeAlias = Register | str
_Guard: TypeAlias = Register | Negated | None

class Opcode:
    def __init__(self, k: Instructions, opcode: str, state: State) -> None: ...
    def __getattr__(self, name: str) -> Opcode: ...
    def __call__(self, *args: Any, pred: Any = None, **named: Any) -> Any: ...
'''

DECLARING = {
    "mbarrier": (
        "def __call__(self, count: int, n: int = 1, *, name: str = ...) -> Mbarrier:",
        "Declare `n` mbarriers, each completed by `count` arrivals a phase.",
    ),
    "elect": (
        "def __call__(self) -> AbstractContextManager[None]:",
        "One elected lane of each warp that arrives here executes the block.",
    ),
    "tensormap": (
        "def __call__(\n"
        "        self, at: Address, *, like: MapParameter | TensorMap | None = None, staged: bool = True, name: str = ...\n"
        "    ) -> MapSlot:",
        "Declare a tensor map in global memory that the kernel changes.",
    ),
}
"""First words of opcodes that are declarations or blocks too."""


def _states() -> dict[State, str]:
    """All states, with a name each: the opcode by which it is first reached."""
    out: dict[State, str] = {}
    todo = [(start, word) for word in sorted(BY_ROOT) if (start := root(word)) is not None]
    taken: set[str] = set()
    while todo:
        state, opcode = todo.pop(0)
        if state in out:
            continue
        name = base = "_" + opcode.replace("::", "_").replace(":", "_").replace(".", "_")
        number = 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        out[state] = name
        todo += [
            (following, f"{opcode}.{part}") for part in state.parts() if (following := state.step(part)) is not None
        ]
    return out


def _takes(row: Form, place: Place, index: int) -> str:
    """The annotation of an operand that a call passes."""
    spec = row.operands[place.names[index]]
    if place.kind == "tensor":
        if index == len(place.names) - 1:
            return "_Several"
        if not index:
            return "_Map"
    if "addr" in spec.kinds:
        return "_Map" if place.names[index] == "map" else "_Place"
    if "label" in spec.kinds:
        return "Label"
    several = spec.count is not None
    if spec.role == "w":
        return "_Result | _Several" if several else "_Result"
    if spec.kinds == frozenset({"imm"}):
        return "_Number"
    if _constant(spec) == "pred":
        return "_Predicate | bool" if "imm" in spec.kinds else "_Predicate"
    if spec.always_vector:
        return "_Several"
    return "_Value | _Several" if several else ("_Value | _Place" if "symbol" in spec.kinds else "_Value")


def _constant(spec: Spec) -> str | None:
    """The operand's type where the row alone decides it."""
    return str(spec.type.value) if isinstance(spec.type, Const) else None


def _returns(row: Form, results: list[str]) -> str:
    def one(name: str) -> str:
        spec = row.operands[name]
        if spec.always_vector:
            return "Registers"
        known = _constant(spec)
        return known if spec.count is None and known in _NAMED_RESULTS and known in REGISTER_CLASSES else "Any"

    if not results:
        return "None"
    return one(results[0]) if len(results) == 1 else f"tuple[{', '.join(one(r) for r in results)}]"


_NAMED_RESULTS = ("pred", "u32", "u64", "b32")


def _operands(row: Form) -> Iterator[tuple[str, str, bool, bool]]:
    """(name, annotation, is a result, may be left out) of every operand, in the order of the text."""
    return ((g.name, _takes(row, g.place, g.number), g.result, g.optional) for g in operands_of(row))


def _signature(row: Form, named_results: frozenset[str] = frozenset()) -> tuple[str, str]:
    """Parameters and return type of a call that fits the row. `named_results`: those that must be named, as they distinguish it."""
    operands = list(_operands(row))
    given = [(n, t, o) for n, t, result, o in operands if not result]
    results = [(n, t, o) for n, t, result, o in operands if result]
    shown = [f"{n}: {t}" for n, t, o in given if not o]
    # behind an optional operand all are optional: only their names or their number say which ones are meant
    shown += [f"{n}: {t} = ..." for n, t, o in given if o]
    named = [f"{n}: {t}{' | bool' if o else ''}{'' if n in named_results else ' = ...'}" for n, t, o in results]
    parameters = ", ".join(["self", *shown, "*", *named, "pred: _Guard = ..."])
    return parameters, _returns(row, [n for n, _, o in results if not o and "reg" in row.operands[n].kinds])


def _call_class(name: str, rows: list[Form]) -> list[str]:
    """A class that is called as the rows are; rows that look alike share an overload."""
    alike: dict[str, list[Form]] = {}
    named_results = _distinguishing(rows)
    for row in rows:
        alike.setdefault(_signature(row, named_results[row.key])[0], []).append(row)
    out = [f"class {name}:"]
    for parameters, group in alike.items():
        returns = _signature(group[0], named_results[group[0].key])[1]
        docs = list(dict.fromkeys(f"{row.doc} `{row.syntax}` PTX ISA: {row.isa}." for row in group))
        out += ["    @overload"] * (len(alike) > 1)
        out += [f"    def __call__({parameters}) -> {returns}:", f'        """{" Or: ".join(docs)}"""']
    return out


def _distinguishing(rows: list[Form]) -> dict[str, frozenset[str]]:
    """For each row, the results that others which take the same operands lack, and give another type back without."""
    given: dict[str, tuple[list[str], set[str]]] = {}
    for row in rows:
        operands = list(_operands(row))
        given[row.key] = (
            [n for n, _, result, _ in operands if not result],
            {n for n, _, result, _ in operands if result},
        )
    out: dict[str, frozenset[str]] = {}
    for row in rows:
        operands, results = given[row.key]
        fewer = [r for r in rows if given[r.key][0] == operands and given[r.key][1] < results]
        differ = [given[r.key][1] for r in fewer if _signature(r)[1] != _signature(row)[1]]
        out[row.key] = frozenset(results).difference(*differ) if differ else frozenset()
    return out


def text() -> str:
    """The whole stub."""
    states = _states()
    calls: dict[tuple[str, ...], str] = {}
    call_lines: list[str] = []
    lines: list[str] = []
    for state, name in states.items():
        rows = state.complete()
        base = ""
        if rows:
            key = tuple(r.key for r in rows)
            if key not in calls:
                calls[key] = f"_call{name}"
                call_lines += ["", *_call_class(calls[key], rows)]
            base = f"({calls[key]})"
        body = [f"    {attribute_of(p)}: {states[s]}" for p in state.parts() if (s := state.step(p)) is not None]
        body += _declaring(name[1:])
        lines += ["", f"class {name}{base}:" + ("" if body else " ..."), *body]
    return "\n".join([HEAD, *call_lines, *lines, "", *_facade(states), ""])


def _declaring(word: str) -> list[str]:
    found = DECLARING.get(word)
    return [] if found is None else [f"    {found[0]}", f'        """{found[1]}"""']


def _facade(states: dict[State, str]) -> list[str]:
    out = [
        "class Instructions:",
        "    def emit(",
        "        self, opcode: str, args: Sequence[Any] = ..., named: Mapping[str, Any] = ..., pred: Any = None",
        "    ) -> Any: ...",
        "    def constructs(self) -> Sequence[str]: ...",
    ]
    for word in sorted(BY_ROOT):
        start = root(word)
        assert start is not None
        out.append(f"    {attribute_of(word)}: {states[start]}")
    groups: dict[str, None] = {}
    for name, info in SREGS.items():
        stem, dot, _ = name[1:].partition(".")
        if dot:
            groups.setdefault(stem)
        elif word_of(name) == stem and stem not in BY_ROOT:
            out += ["    @property", f"    def {stem}(self) -> {info.type}:", f'        """{info.doc}."""']
    out += [f"    {stem}: SpecialRegisters" for stem in groups]
    out += [f"    {word}: NumberedRegisters[{SREGS[names[0]].type}]" for word, names in NUMBERED.items()]
    return out


def main() -> int:
    """Write the stub."""
    PATH.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
