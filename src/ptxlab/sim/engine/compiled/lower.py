"""Native functions: a subset of Python, typed by how it is called, as LLVM text.

A function decorated with `native` is compiled, never run by Python. It computes with integers of 64 bits with a sign, booleans, and
records (records.py), of which each call has one array: that of its first argument, which functions do not mention.

| in a function | means |
|---|---|
| `slot.known[warp][other]`, `slot.count += 1` | reads and sets fields; words of 32 bits have no sign, and are cut when set |
| `Cell(index)`, `int(cell)`, `cell[2]`, `if cell:` | the record at an index, its index, the second behind it, whether it is one |
| `values[i]` | element of an array of 64-bit integers that the caller hands in (`LONGS`) |
| `address(values)`, `longs(number)` | such an array as a number, and back |
| `signed(word)` | a word as a number with a sign |
| `clear(slot.known)`, `copy(to, by)`, `raise_to(to, by)` | sets all words: to 0, to another array's, to the greater ones |
| calls | of other native functions, `min`, `max`, `abs`, `int`, `bool` |
| `follows.copies` | true or false for all that is compiled together (`Switches`): what it excludes costs nothing |
| `and`, `or` | give a boolean, whatever they combine |
| `if`, `while`, `for … in range(…)`, `for … in (a, b)`, tuples, `not`, `x if a else b` | as in Python; `//` and `%` round down |

Names from outside of a function are constants: numbers, classes of records, native functions. A variable keeps the type that it has
first. What the subset lacks raises `NotNative` with file and line. A function must not call itself.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, Final

from ptxlab.sim.engine.compiled.ir import I32, I64, PTR, Fn, T, Val
from ptxlab.sim.engine.compiled.records import Field, Record

NUMBER: Final = T("s", 64, 0)
BOOLEAN: Final = T("p", 1, 0)
_PART: Final = 32
"""Words of an array that are handled together."""
_COMPARISONS: Final = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}


class NotNative(Exception):
    """What the subset of Python does not have, with the place."""


# --- types ------------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a value.

    Attributes:
        name: "int", "bool", "longs", "record", "elements".
        record: of a record its class. field, counts: of elements, what they are of, and the dimensions that are left.
    """

    name: str
    record: type[Record] | None = None
    field: Field | None = None
    counts: tuple[int, ...] = ()

    @property
    def llvm(self) -> T:
        """How it is kept."""
        return {"bool": BOOLEAN, "longs": PTR}.get(self.name, NUMBER)

    def __str__(self) -> str:
        if self.record:
            return self.record.__name__
        return f"{self.field.name} {[*self.counts]}" if self.field else self.name


INT, BOOL, LONGS = Kind("int"), Kind("bool"), Kind("longs")
"""Numbers of 64 bits with a sign; booleans; arrays of such numbers in the caller's memory."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a function under construction. `constant`: its number where that is known, and booleans count as numbers."""

    kind: Kind
    val: Val
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A function that has been lowered: its symbol, and what it returns: kinds, none for nothing."""

    symbol: str
    results: tuple[Kind, ...]


class Native:
    """A function for native code.

    Attributes:
        name: of the function. names: what its names stand for that it does not set. tree: its syntax.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.names: Mapping[str, Any] = function.__globals__  # type: ignore[attr-defined]
        self.__doc__ = function.__doc__
        self.path = function.__code__.co_filename

    @property
    def tree(self) -> ast.FunctionDef:
        """The syntax."""
        return _functions(self.path)[self.name]

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.name} is native: Python cannot run it")


def native(function: Callable[..., Any]) -> Any:
    """Mark a function for native code."""
    return Native(function)


def address(values: Any) -> int:
    """In native functions: an array as a number."""
    raise TypeError("only native functions have addresses")


def longs(number: int) -> Any:
    """In native functions: the array of 64-bit numbers at an address."""
    raise TypeError("only native functions have addresses")


def signed(word: int) -> int:
    """In native functions: the lower 32 bits of a number, with a sign."""
    raise TypeError("only native functions have words")


def clear(elements: Any) -> None:
    """In native functions: set an array of a record to zeros."""
    raise TypeError("only native functions have arrays")


def copy(to: Any, by: Any) -> None:
    """In native functions: set an array of a record, or a record, to what another one is."""
    raise TypeError("only native functions have arrays")


def raise_to(to: Any, by: Any) -> None:
    """In native functions: set each word of an array to that of another one where that is greater."""
    raise TypeError("only native functions have arrays")


@cache
def _functions(path: str) -> Mapping[str, ast.FunctionDef]:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


# --- a unit of compilation --------------------------------------------------------------------------------------------------
class Switches:
    """Names that each unit of compilation makes true or false: `if follows.copies and …` costs nothing where it is false.

    Attributes:
        names: all of them.
    """

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def __getattr__(self, name: str) -> bool:
        raise AttributeError(f"only native functions ask whether {name} is on")


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
            lowered = _Function(self, function, symbol, kinds, wide, results)
            try:
                lowered.body()
            except _Wider as wider:
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


class _Wider(Exception):
    """A variable, or a result, is not only a boolean."""

    def __init__(self, names: frozenset[str] = frozenset(), results: tuple[Kind, ...] | None = None) -> None:
        self.names, self.results = names, results


# --- a function -------------------------------------------------------------------------------------------------------------
class _Function:
    """One function under construction."""

    def __init__(
        self,
        unit: Unit,
        function: Native,
        symbol: str,
        kinds: tuple[Kind, ...],
        wide: frozenset[str],
        results: tuple[Kind, ...] | None,
    ) -> None:
        self._unit, self._function, self._wide, self.results = unit, function, wide, results
        self._tree = function.tree
        params = [a.arg for a in self._tree.args.args]
        if len(params) != len(kinds):
            raise NotNative(f"{function.path}: {function.name} takes {len(params)} arguments, not {len(kinds)}")
        # what it returns is known only when it has been lowered: `text` writes that in
        self.fn = Fn(symbol, "@result", [PTR, *(k.llvm for k in kinds)], linkage="internal")
        self._words = self.fn.args[0]
        self._variables: dict[str, tuple[Kind, Val]] = {}
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go
        for name, kind, val in zip(params, kinds, self.fn.args[1:], strict=True):
            self._set_name(self._tree, name, Value(kind, val))

    def text(self) -> str:
        """The function as LLVM assembly."""
        return self.fn.text().replace("@result", _returned(self.results or ()), 1)

    def body(self) -> None:
        """Lower all of it."""
        self._statements(self._tree.body)
        if not self.fn.closed:
            if self.results:
                self.fn.do("unreachable")
            else:
                self.fn.ret_void()

    def _fail(self, node: ast.AST, why: str) -> NotNative:
        return NotNative(f"{self._function.path}:{getattr(node, 'lineno', 0)}: in {self._function.name}: {why}")

    # -- statements
    def _statements(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self.fn.closed:
                return
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                self._assign(target, ast.copy_location(ast.BinOp(_loaded(target), op, value), node))
            case ast.If():
                self._if(node)
            case ast.While(test=test, body=body, orelse=[]):
                self._loop(lambda inside, after: self._branch(test, inside, after), lambda: self._statements(body))
            case ast.For(target=ast.Name(id=name), iter=over, body=body, orelse=[]):
                self._for(node, name, over, body)
            case ast.Return(value=value):
                self._return(node, value)
            case ast.Continue():
                self.fn.jump(self._loops[-1][0])
            case ast.Break():
                self.fn.jump(self._loops[-1][1])
            case _:
                raise self._fail(node, f"native code has no {ast.unparse(node)!r}")

    def _assign(self, target: ast.expr, node: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            values = self._values(node)
            if len(values) != len(target.elts):
                raise self._fail(node, f"{len(values)} values for {len(target.elts)} names")
            for one, value in zip(target.elts, values, strict=True):
                self._store(one, value)
        else:
            self._store(target, self._value(node))

    def _store(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self._set_name(target, name, value)
            case ast.Subscript(value=of, slice=index):
                base = self._value(of)
                if base.kind.name == "longs":
                    where = self._of_longs(base, self._number(index))
                    self.fn.store(self._as_int(target, value), where, align=8)
                else:
                    self._store_element(target, self._subscript(target, base, self._number(index)), value)
            case ast.Attribute(value=of, attr=name):
                self._store_element(target, self._member(target, self._value(of), name), value)
            case _:
                raise self._fail(target, f"nothing can be assigned to {ast.unparse(target)}")

    def _store_element(self, node: ast.AST, place: Value, value: Value) -> None:
        declared = place.kind.field
        if declared is None or place.kind.counts or declared.kind == "block":
            raise self._fail(node, f"{place.kind} cannot be assigned to")
        number = value.val if value.kind.record else self._as_int(node, value)
        wide = declared.kind == "wide"
        self.fn.store(number if wide else number.to(I32), self._word(place.val), align=4)

    def _set_name(self, node: ast.AST, name: str, value: Value) -> None:
        if name in self._wide and value.kind == BOOL:
            value = Value(INT, self._as_int(node, value))
        if name not in self._variables:
            self._variables[name] = value.kind, self.fn.alloca(value.kind.llvm, align=8)
        kind, where = self._variables[name]
        if kind != value.kind:
            value = self._converted(node, name, kind, value)
        self.fn.store(value.val, where, align=8)

    def _converted(self, node: ast.AST, name: str, kind: Kind, value: Value) -> Value:
        if kind == BOOL and value.kind == INT:
            raise _Wider(frozenset([name]))
        if kind == INT and value.kind == BOOL:
            return Value(INT, self._as_int(node, value))
        if kind.record and (value.constant == 0 or (value.kind.record and issubclass(value.kind.record, kind.record))):
            return Value(kind, value.val)
        raise self._fail(node, f"{name} is of type {kind}, not {value.kind}")

    def _if(self, node: ast.If) -> None:
        known = self._static_condition(node.test)
        if known is not None:
            self._statements(node.body if known else node.orelse)
            return
        yes, after = self.fn.fresh("then"), self.fn.fresh("endif")
        no = self.fn.fresh("else") if node.orelse else after
        self._branch(node.test, yes, no)
        reached = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self.fn.block(label)
                self._statements(body)
                if not self.fn.closed:
                    self.fn.jump(after)
                    reached = True
        if reached:
            self.fn.block(after)

    def _loop(
        self, test: Callable[[str, str], None], body: Callable[[], None], step: Callable[[], None] | None = None
    ) -> None:
        head, inside, again, after = (self.fn.fresh(stem) for stem in ("loop", "body", "again", "done"))
        self.fn.block(head)
        test(inside, after)
        self.fn.block(inside)
        self._loops.append((again, after))
        body()
        self._loops.pop()
        if not self.fn.closed:
            self.fn.jump(again)
        self.fn.block(again)
        if step:
            step()
        self.fn.jump(head)
        self.fn.block(after)

    def _for(self, node: ast.For, name: str, over: ast.expr, body: Sequence[ast.stmt]) -> None:
        match over:
            case ast.Call(func=ast.Name(id="range"), args=args):
                self._range(node, name, args, body)
            case ast.Tuple(elts=elements):
                for one in elements:  # `continue` and `break` are of loops around it
                    self._set_name(node, name, self._value(one))
                    self._statements(body)
            case _:
                raise self._fail(node, f"native code cannot go over {ast.unparse(over)}")

    def _range(self, node: ast.For, name: str, args: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        given = [self._number(a) for a in args]
        zero, one = self._constant(0), self._constant(1)
        start, stop, step = (zero, given[0], one) if len(given) == 1 else (*given, one)[:3]
        down = step.constant is not None and step.constant < 0
        at = self.fn.variable(start.val)

        def test(inside: str, after: str) -> None:
            here = at.get()
            self.fn.branch(here > stop.val if down else here < stop.val, inside, after)

        def once() -> None:
            self._set_name(node, name, Value(INT, at.get()))
            self._statements(body)

        self._loop(test, once, lambda: at.set(at.get() + step.val))

    def _return(self, node: ast.Return, value: ast.expr | None) -> None:
        if value is None:
            self.fn.ret_void()
            return
        values = self._values(value)
        kinds = tuple(v.kind for v in values)
        if self.results is None:
            self.results = kinds
        if kinds != self.results:
            values = [self._result(node, v, k) for v, k in zip(values, self.results, strict=True)]
        if len(values) == 1:
            self.fn.ret(values[0].val)
            return
        returned, out = _returned(self.results), "poison"
        for i, v in enumerate(values):
            out = self.fn.line(f"insertvalue {returned} {out}, {v.val.t} {v.val.text}, {i}", PTR).text
        self.fn.do(f"ret {returned} {out}")
        self.fn.closed = True

    def _result(self, node: ast.AST, value: Value, kind: Kind) -> Value:
        assert self.results is not None
        if kind == value.kind:
            return value
        if kind == BOOL and value.kind == INT:
            raise _Wider(results=tuple(INT if k == BOOL else k for k in self.results))
        if kind.record and value.kind.record:
            if not issubclass(value.kind.record, kind.record):
                raise self._fail(node, f"returns {value.kind} and {kind}")
        elif value.kind.record and value.kind != kind:  # the other one was a plain 0
            raise _Wider(results=tuple(value.kind if k == kind else k for k in self.results))
        return self._converted(node, "the result", kind, value)

    # -- conditions
    def _static_condition(self, node: ast.expr) -> bool | None:
        """Whether a condition holds, where constants alone say so; `and` and `or` as far as they are looked at."""
        match node:
            case ast.BoolOp(op=op, values=values):
                ends = isinstance(op, ast.Or)
                for part in values:
                    known = self._static_condition(part)
                    if known is None or known == ends:
                        return known
                return not ends
            case ast.UnaryOp(op=ast.Not(), operand=of):
                known = self._static_condition(of)
                return None if known is None else not known
            case _:
                found = self._static(node)
                return bool(found) if isinstance(found, int) else None

    def _branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one of two blocks by whether a condition holds."""
        known = self._static_condition(node)
        if known is not None:
            self.fn.jump(yes if known else no)
            return
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=of):
                self._branch(of, no, yes)
            case ast.BoolOp(op=op, values=[*first, last]):
                for part in first:
                    following = self.fn.fresh("and" if isinstance(op, ast.And) else "or")
                    self._branch(part, *((following, no) if isinstance(op, ast.And) else (yes, following)))
                    self.fn.block(following)
                self._branch(last, yes, no)
            case _:
                self.fn.branch(self._as_bool(node, self._value(node)), yes, no)

    def _as_bool(self, node: ast.AST, value: Value) -> Val:
        if value.kind == BOOL:
            return value.val
        if value.kind == INT or value.kind.record:
            return value.val != 0
        raise self._fail(node, f"{value.kind} is neither true nor false")

    # -- values
    def _values(self, node: ast.expr) -> list[Value]:
        match node:
            case ast.Tuple(elts=elements):
                return [self._value(e) for e in elements]
            case ast.Call():
                return self._call(node)
            case ast.IfExp(test=test, body=ast.Tuple(elts=a), orelse=ast.Tuple(elts=b)):
                chosen = self._value(test)
                test_ = self._as_bool(test, chosen)
                pairs = [self._joined(node, self._value(x), self._value(y)) for x, y in zip(a, b, strict=True)]
                return [Value(x.kind, self.fn.select(test_, x.val, y.val)) for x, y in pairs]
            case _:
                return [self._value(node)]

    def _value(self, node: ast.expr) -> Value:
        found = self._static(node)
        if found is None and isinstance(node, ast.BoolOp):
            found = self._static_condition(node)
        if isinstance(found, bool):
            return Value(BOOL, self.fn.const(found, BOOLEAN))
        if isinstance(found, int):
            return self._constant(found)
        if isinstance(found, Record):
            return Value(Kind("record", type(found)), self.fn.const(found.index, NUMBER))
        match node:
            case ast.Name(id=name):
                if name not in self._variables:
                    raise self._fail(node, f"{name} has no value")
                kind, where = self._variables[name]
                return Value(kind, self.fn.load(where, kind.llvm, align=8))
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(node, type(op).__name__, self._value(left), self._value(right))
            case ast.UnaryOp(op=ast.Not(), operand=of):
                return Value(BOOL, ~self._as_bool(of, self._value(of)))
            case ast.UnaryOp(op=op, operand=of):
                number = self._as_int(of, self._value(of))
                return Value(INT, ~number if isinstance(op, ast.Invert) else -number)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                return self._chosen(node)
            case ast.IfExp(test=test, body=a, orelse=b):
                return self._conditional(node, test, a, b)
            case ast.Call():
                values = self._call(node)
                if len(values) != 1:
                    raise self._fail(node, f"{ast.unparse(node.func)} returns {len(values)} values")
                return values[0]
            case ast.Attribute(value=of, attr=name):
                return self._read(self._member(node, self._value(of), name))
            case ast.Subscript(value=of, slice=index):
                base, number = self._value(of), self._number(index)
                if base.kind.name == "longs":
                    return Value(INT, self.fn.load(self._of_longs(base, number), NUMBER, align=8))
                return self._read(self._subscript(node, base, number))
            case _:
                raise self._fail(node, f"native code has no {ast.unparse(node)!r}")

    def _chosen(self, node: ast.BoolOp) -> Value:
        """`and` and `or` as a value: a boolean, whatever they combine."""
        after, ends = self.fn.fresh("chosen"), list[tuple[Val, str]]()
        for i, part in enumerate(node.values):
            value = self._as_bool(part, self._value(part))
            ends.append((value, self.fn.label))
            if i + 1 < len(node.values):
                following = self.fn.fresh("next")
                yes, no = (following, after) if isinstance(node.op, ast.And) else (after, following)
                self.fn.branch(value, yes, no)
                self.fn.block(following)
        self.fn.block(after)
        return Value(BOOL, self._phi(BOOLEAN, ends))

    def _phi(self, t: T, ends: Sequence[tuple[Val, str]]) -> Val:
        return self.fn.line(f"phi {t} " + ", ".join(f"[ {v.text}, %{label} ]" for v, label in ends), t)

    def _conditional(self, node: ast.IfExp, test: ast.expr, a: ast.expr, b: ast.expr) -> Value:
        known = self._static_condition(test)
        if known is not None:
            return self._value(a if known else b)
        yes, no, after = (self.fn.fresh(stem) for stem in ("then", "else", "endif"))
        self._branch(test, yes, no)
        ends: list[tuple[Value, str]] = []
        for label, part in ((yes, a), (no, b)):
            self.fn.block(label)
            value = self._value(part)
            if value.kind == BOOL:
                value = Value(INT, self._as_int(part, value))
            ends.append((value, self.fn.label))
            self.fn.jump(after)
        self.fn.block(after)
        (x, _), (y, _) = ends
        x, y = self._joined(node, x, y)
        return Value(x.kind, self._phi(x.kind.llvm, [(v.val, label) for v, label in ends]))

    def _joined(self, node: ast.AST, a: Value, b: Value) -> tuple[Value, Value]:
        """Two values of one kind; 0 is the record that is none."""
        if a.kind == b.kind:
            return a, b
        if a.kind.record and (b.constant == 0 or (b.kind.record and issubclass(b.kind.record, a.kind.record))):
            return a, Value(a.kind, b.val)
        if b.kind.record and (a.constant == 0 or (a.kind.record and issubclass(a.kind.record, b.kind.record))):
            return Value(b.kind, a.val), b
        if {a.kind, b.kind} == {INT, BOOL}:
            return Value(INT, self._as_int(node, a)), Value(INT, self._as_int(node, b))
        raise self._fail(node, f"{a.kind} and {b.kind} do not go together")

    def _as_int(self, node: ast.AST, value: Value) -> Val:
        if value.kind == BOOL:
            return value.val.to(I64).signed
        if value.kind != INT:
            raise self._fail(node, f"a number is wanted, not {value.kind}")
        return value.val

    def _number(self, node: ast.expr) -> Value:
        value = self._value(node)
        return Value(INT, self._as_int(node, value), value.constant)

    def _constant(self, number: int) -> Value:
        return Value(INT, self.fn.const(number, NUMBER), number)

    def _arithmetic(self, node: ast.AST, op: str, left: Value, right: Value) -> Value:
        if left.kind == right.kind == BOOL and op in ("BitAnd", "BitOr", "BitXor"):
            a, b = left.val, right.val
            return Value(BOOL, {"BitAnd": a & b, "BitOr": a | b, "BitXor": a ^ b}[op])
        a, b = self._as_int(node, left), self._as_int(node, right)
        match op:
            case "Add":
                return Value(INT, a + b)
            case "Sub":
                return Value(INT, a - b)
            case "Mult":
                return Value(INT, a * b)
            case "BitAnd":
                return Value(INT, a & b)
            case "BitOr":
                return Value(INT, a | b)
            case "BitXor":
                return Value(INT, a ^ b)
            case "LShift":
                return Value(INT, a << b)
            case "RShift":
                return Value(INT, a >> b)
            case "FloorDiv" | "Mod":
                return Value(INT, self._rounded_down(op, a, b, right.constant))
            case _:
                raise self._fail(node, f"native code has no operator {op}")

    def _rounded_down(self, op: str, a: Val, b: Val, by: int | None) -> Val:
        if by is not None and by > 0 and by & (by - 1) == 0:
            return a >> (by.bit_length() - 1) if op == "FloorDiv" else a & (by - 1)
        quotient, rest = a / b, a % b
        off = (rest != 0) & ((rest ^ b) < 0)
        if op == "FloorDiv":
            return quotient - off.to(I64).signed
        return rest + self.fn.select(off, b, self.fn.const(0, NUMBER))

    def _compare(self, node: ast.Compare) -> Value:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            (among,) = node.comparators
            assert isinstance(among, ast.Tuple)
            value, found = self._number(node.left), self.fn.const(False, BOOLEAN)
            for one in among.elts:
                found = found | (value.val == self._number(one).val)
            return Value(BOOL, ~found if isinstance(node.ops[0], ast.NotIn) else found)
        parts = [self._value(part) for part in (node.left, *node.comparators)]
        out: Val | None = None
        for op, a, b in zip(node.ops, parts, parts[1:], strict=False):
            if a.kind.record or b.kind.record:
                a, b = self._joined(node, a, b)
                x, y = a.val, b.val
            elif a.kind == b.kind == BOOL:
                x, y = a.val, b.val
            else:
                x, y = self._as_int(node, a), self._as_int(node, b)
            one = x.compare(_COMPARISONS[type(op).__name__], y)
            out = one if out is None else out & one
        assert out is not None
        return Value(BOOL, out)

    # -- calls
    def _call(self, node: ast.Call) -> list[Value]:
        called = self._static(node.func)
        args = node.args
        if isinstance(called, Native):
            return self._call_native(node, called, args)
        if isinstance(called, type) and issubclass(called, Record):
            return [Value(Kind("record", called), self._index(node, self._value(args[0])))]
        values = [self._value(a) for a in args]
        if called in (clear, copy, raise_to):
            self._each_word(node, called, values)
            return []
        if called in (min, max):
            out = self._as_int(node, values[0])
            for v in values[1:]:
                out = (self.fn.min if called is min else self.fn.max)(out, self._as_int(node, v))
            return [Value(INT, out)]
        (value,) = values
        if called is int:
            return [Value(INT, value.val if value.kind.record else self._as_int(node, value))]
        if called is bool:
            return [Value(BOOL, self._as_bool(node, value))]
        if called is abs:
            return [Value(INT, self.fn.call("llvm.abs.i64", NUMBER, self._as_int(node, value), extra=", i1 false"))]
        if called is signed:
            return [Value(INT, self._as_int(node, value).to(T("s", 32, 0)).to(NUMBER))]
        if called is address:
            return [Value(INT, value.val.to(I64).signed)]
        if called is longs:
            return [Value(LONGS, self._as_int(node, value).to(PTR))]
        raise self._fail(node, f"native code cannot call {ast.unparse(node.func)}")

    def _each_word(self, node: ast.AST, called: Any, values: Sequence[Value]) -> None:
        """What is done to all words of an array alike: `PART` at a time, then one by one."""
        sizes = {_words(v.kind) for v in values}
        if len(sizes) != 1 or 0 in sizes:
            raise self._fail(node, f"arrays of {sorted(sizes)} words do not go together")
        (words,) = sizes
        to, by = values[0].val, values[-1].val
        at = 0
        for width in (_PART, 1):
            t = T("u", 32, width if width > 1 else 0)
            if words - at >= 4 * width:
                with self.fn.count((words - at) // width) as i:
                    self._part(called, t, to, by, i.to(I64).signed * width + at)
                at += (words - at) // width * width
            while words - at >= width:
                self._part(called, t, to, by, self.fn.const(at, NUMBER))
                at += width

    def _part(self, called: Any, t: T, to: Val, by: Val, at: Val) -> None:
        where = self._word(to + at)
        if called is clear:
            self.fn.store(self.fn.null(t), where, align=4)
            return
        value = self.fn.load(self._word(by + at), t, align=4)
        if called is raise_to:
            value = self.fn.max(self.fn.load(where, t, align=4), value)
        self.fn.store(value, where, align=4)

    def _index(self, node: ast.AST, value: Value) -> Val:
        return value.val if value.kind.record else self._as_int(node, value)

    def _call_native(self, node: ast.Call, called: Native, args: Sequence[ast.expr]) -> list[Value]:
        notes = [a.annotation for a in called.tree.args.args]
        if len(args) != len(notes):
            raise self._fail(node, f"{called.name} takes {len(notes)} arguments")
        given = [self._as_declared(called, note, self._value(a)) for note, a in zip(notes, args, strict=True)]
        made = self._unit.made(called, tuple(v.kind for v in given))
        shown = ", ".join(f"{v.t} {v.text}" for v in (self._words, *(g.val for g in given)))
        if not made.results:
            self.fn.do(f"call void @{made.symbol}({shown})")
            return []
        if len(made.results) == 1:
            (kind,) = made.results
            return [Value(kind, self.fn.line(f"call {kind.llvm} @{made.symbol}({shown})", kind.llvm))]
        returned = _returned(made.results)
        out = self.fn.line(f"call {returned} @{made.symbol}({shown})", PTR)
        parts = enumerate(made.results)
        return [Value(k, self.fn.line(f"extractvalue {returned} {out.text}, {i}", k.llvm)) for i, k in parts]

    def _as_declared(self, called: Native, note: ast.expr | None, value: Value) -> Value:
        """An argument as the parameter's annotation says: a plain 0 is the record that is none, a line may be taken for a cell."""
        wanted = called.names.get(note.id) if isinstance(note, ast.Name) else None
        if isinstance(wanted, type) and issubclass(wanted, Record):
            of = value.kind.record
            if value.constant != 0 and not (of and issubclass(of, wanted)):
                raise NotNative(f"{called.name} takes {wanted.__name__}, not {value.kind}")
            return Value(Kind("record", wanted), value.val)
        if isinstance(note, ast.Name) and note.id == "bool":
            return Value(BOOL, self._as_bool(note, value))
        if isinstance(note, ast.Name) and note.id == "int" and value.kind != INT:
            return Value(INT, self._as_int(note, value))
        return value

    # -- memory
    def _word(self, index: Val) -> Val:
        return self.fn.line(f"getelementptr i32, ptr {self._words.text}, i64 {index.text}", PTR)

    def _of_longs(self, base: Value, number: Value) -> Val:
        return self.fn.line(f"getelementptr i64, ptr {base.val.text}, i64 {number.val.text}", PTR)

    def _member(self, node: ast.AST, of: Value, name: str) -> Value:
        """Where a field lies."""
        if of.kind.record is None or name not in of.kind.record.FIELDS:
            raise self._fail(node, f"{of.kind} has no field {name}")
        found = of.kind.record.FIELDS[name]
        return Value(Kind("elements", field=found, counts=found.counts), of.val + found.offset)

    def _subscript(self, node: ast.AST, of: Value, number: Value) -> Value:
        """Where an element lies."""
        if of.kind.record:
            return Value(of.kind, of.val + number.val * of.kind.record.WORDS)
        if of.kind.field is None or not of.kind.counts:
            raise self._fail(node, f"{of.kind} has no elements")
        size = of.kind.field.size * prod(of.kind.counts[1:])
        kind = Kind("elements", field=of.kind.field, counts=of.kind.counts[1:])
        return Value(kind, of.val + number.val * size)

    def _read(self, place: Value) -> Value:
        """What lies at a place: a number, a record; an array stays one."""
        found = place.kind.field
        if found is None or place.kind.counts:
            return place
        if found.kind == "block":
            return Value(Kind("record", found.to), place.val)
        if found.kind == "wide":
            return Value(INT, self.fn.load(self._word(place.val), NUMBER, align=4))
        word = self.fn.load(self._word(place.val), I32, align=4).to(I64).signed
        return Value(INT if found.kind == "word" else Kind("record", found.to), word)

    # -- names from outside
    def _static(self, node: ast.expr) -> Any:
        """What an expression of constants stands for; None where it is not one."""
        match node:
            case ast.Constant(value=int() as number):
                return number
            case ast.Name(id=name) if name not in self._variables:
                return self._function.names.get(name, getattr(builtins, name, None))
            case ast.Attribute(value=of, attr=name):
                found = self._static(of)
                if isinstance(found, Switches):
                    if name not in found.names:
                        raise self._fail(node, f"there is no switch {name}")
                    return name in self._unit.on
                if found is None or isinstance(found, Record):
                    return None
                return getattr(found, name, None)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self._static(left), self._static(right)
                if isinstance(a, int) and isinstance(b, int):
                    return eval(compile(ast.Expression(_folded(a, op, b)), "constants", "eval"))
                return None
            case ast.UnaryOp(op=ast.USub() | ast.Invert() as op, operand=of):
                a = self._static(of)
                return None if not isinstance(a, int) else -a if isinstance(op, ast.USub) else ~a
            case _:
                return None


def _words(kind: Kind) -> int:
    """Words of an array or a record; 0 of anything else."""
    if kind.record:
        return kind.record.WORDS
    return kind.field.size * prod(kind.counts) if kind.field else 0


def _loaded(target: ast.expr) -> ast.expr:
    """What stands to the left of an assignment, as an expression."""
    made = ast.parse(ast.unparse(target), mode="eval").body
    return ast.copy_location(made, target)


def _folded(a: int, op: ast.operator, b: int) -> ast.expr:
    return ast.fix_missing_locations(ast.BinOp(ast.Constant(a), op, ast.Constant(b)))


def _returned(results: Sequence[Kind]) -> str:
    """The LLVM type of what a function returns."""
    if not results:
        return "void"
    if len(results) == 1:
        return str(results[0].llvm)
    return "{ " + ", ".join(str(k.llvm) for k in results) + " }"


__all__ = [
    "BOOL",
    "INT",
    "LONGS",
    "Native",
    "NotNative",
    "Switches",
    "Unit",
    "address",
    "clear",
    "copy",
    "longs",
    "native",
    "raise_to",
    "signed",
]
