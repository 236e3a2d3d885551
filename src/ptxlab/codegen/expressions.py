"""Expressions of native functions as LLVM text: values, conditions, calls, and what lies in records."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

from ptxlab.codegen.ir import I32, I64, PTR, Fn, T, Val
from ptxlab.codegen.language import (
    Native,
    NotNative,
    Switches,
    address,
    clear,
    copy,
    longs,
    raise_to,
    signed,
)
from ptxlab.codegen.records import Record
from ptxlab.codegen.values import BOOL, BOOLEAN, INT, LONGS, NUMBER, Kind, Made, Value, returned, words_of

_PART: Final = 32
"""Words of an array that are handled together."""
_COMPARISONS: Final = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}


class Expressions:
    """The expressions of one function under construction.

    Args:
        function: the function. fn: its text so far. made: lowers a function that it calls. on: the switches that are on.
    """

    def __init__(
        self,
        function: Native,
        fn: Fn,
        made: Callable[[Native, tuple[Kind, ...]], Made],
        on: frozenset[str],
    ) -> None:
        self._function, self.fn, self._made, self._on = function, fn, made, on
        self._words = fn.args[0]
        self._variables: dict[str, tuple[Kind, Val]] = {}

    def _fail(self, node: ast.AST, why: str) -> NotNative:
        return NotNative(f"{self._function.path}:{getattr(node, 'lineno', 0)}: in {self._function.name}: {why}")

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
        sizes = {words_of(v.kind) for v in values}
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
        made = self._made(called, tuple(v.kind for v in given))
        shown = ", ".join(f"{v.t} {v.text}" for v in (self._words, *(g.val for g in given)))
        if not made.results:
            self.fn.do(f"call void @{made.symbol}({shown})")
            return []
        if len(made.results) == 1:
            (kind,) = made.results
            return [Value(kind, self.fn.line(f"call {kind.llvm} @{made.symbol}({shown})", kind.llvm))]
        kind_of_all = returned(made.results)
        out = self.fn.line(f"call {kind_of_all} @{made.symbol}({shown})", PTR)
        parts = enumerate(made.results)
        return [Value(k, self.fn.line(f"extractvalue {kind_of_all} {out.text}, {i}", k.llvm)) for i, k in parts]

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
                    return name in self._on
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


def _folded(a: int, op: ast.operator, b: int) -> ast.expr:
    return ast.fix_missing_locations(ast.BinOp(ast.Constant(a), op, ast.Constant(b)))
