"""Native functions that are compiled together."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ptxlab.codegen.function import Function, Wider
from ptxlab.codegen.ir import I32, I64, PTR, Fn, T
from ptxlab.codegen.language import Native, NotNative
from ptxlab.codegen.records import Record
from ptxlab.codegen.values import BOOL, BOOLEAN, INT, LONGS, Kind, Made, Value


@dataclass(slots=True)
class Unit:
    """Functions that are compiled together: those asked for, and all that they call, each once for every way to call it.

    Attributes:
        on: the names of `Switches` that are true.
    """

    on: frozenset[str] = frozenset()
    prefix: str = "n"
    texts: list[str] = field(default_factory=list[str])
    declared: set[str] = field(default_factory=set[str])
    _made: dict[tuple[Native, tuple[Kind, ...]], Made | None] = field(
        default_factory=dict[tuple[Native, tuple[Kind, ...]], Made | None]
    )

    def text(self) -> str:
        """All of it."""
        return "\n".join([*sorted(self.declared), *self.texts])

    def made(self, function: Native, kinds: tuple[Kind, ...]) -> Made:
        """A function for arguments of these kinds."""
        key = function, kinds
        if key not in self._made:
            self._made[key] = None
            self._made[key] = self._lower(function, kinds)
        made = self._made[key]
        if made is None:
            raise NotNative(f"{function.name} calls itself")
        return made

    def _lower(self, function: Native, kinds: tuple[Kind, ...]) -> Made:
        wide, results = frozenset[str](), None
        while True:  # until all its variables and results have the types that they turn out to need
            symbol = f"{self.prefix}{len(self._made)}_{function.name}"
            lowered = Function(function, symbol, kinds, wide, results, made=self.made, on=self.on)
            try:
                lowered.body()
            except Wider as wider:
                wide |= wider.names
                results = wider.results or results
                continue
            self.texts.append(lowered.text())
            self.declared |= lowered.fn.declared
            return Made(symbol, lowered.results or ())

    def entry(self, function: Native, symbol: str, takes: str, result: str | None) -> None:
        """A function for callers from outside.

        Args:
            takes: a letter for each parameter: m the array of records, a an array of 64-bit numbers, i a word.
            result: "i32", "i64", or None for nothing.
        """
        params = [PTR if kind in "ma" else I32 for kind in takes]
        fn = Fn(symbol, result or "void", params)
        words = next((v for v, kind in zip(fn.args, takes, strict=True) if kind == "m"), fn.null(PTR))
        given = [Value(LONGS if kind == "a" else INT, v if kind == "a" else v.to(I64).signed)
                 for v, kind in zip(fn.args, takes, strict=True) if kind != "m"]  # fmt: skip
        names = [a.arg for a in function.tree.args.args]
        notes = [a.annotation for a in function.tree.args.args]
        assert len(names) == len(given), f"{function.name} takes {names}"
        given = [_as_noted(function, note, v) for note, v in zip(notes, given, strict=True)]
        made = self.made(function, tuple(v.kind for v in given))
        shown = ", ".join(f"{v.t} {v.text}" for v in (words, *(g.val for g in given)))
        if not made.results:
            fn.do(f"call void @{made.symbol}({shown})")
        else:
            (kind,) = made.results
            value = fn.line(f"call {kind.llvm} @{made.symbol}({shown})", kind.llvm)
        if result is None:
            fn.ret_void()
        else:
            out = I32 if result == "i32" else I64
            fn.ret(value.to(T("u", 64, 0) if value.t == BOOLEAN else value.t).unsigned.to(out))  # pyright: ignore[reportPossiblyUnboundVariable]
        self.texts.append(fn.text())


def _as_noted(function: Native, note: ast.expr | None, value: Value) -> Value:
    """A number that a function takes as the record at that index."""
    if isinstance(note, ast.Name) and value.kind == INT:
        record = function.names.get(note.id)
        if isinstance(record, type) and issubclass(record, Record):
            return Value(Kind("record", record), value.val)
        if note.id == "bool":
            return Value(BOOL, value.val != 0)
    return value
