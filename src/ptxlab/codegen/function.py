"""A native function as LLVM text: its statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ptxlab.codegen.expressions import Expressions
from ptxlab.codegen.ir import I32, PTR, Fn
from ptxlab.codegen.language import Native, NotNative
from ptxlab.codegen.values import BOOL, INT, Kind, Made, Value, returned


class Wider(Exception):
    """A variable, or a result, is not only a boolean."""

    def __init__(self, names: frozenset[str] = frozenset(), results: tuple[Kind, ...] | None = None) -> None:
        self.names, self.results = names, results


class Function(Expressions):
    """One function under construction.

    Args:
        symbol: its name in LLVM. kinds: of its arguments. wide: variables that are not only booleans, though they begin as such.
        results: what it returns, as far as known. made, on: as of `Expressions`.
    """

    def __init__(
        self,
        function: Native,
        symbol: str,
        kinds: tuple[Kind, ...],
        wide: frozenset[str],
        results: tuple[Kind, ...] | None,
        made: Callable[[Native, tuple[Kind, ...]], Made],
        on: frozenset[str],
    ) -> None:
        # what it returns is known only when it has been lowered: `text` writes that in
        fn = Fn(symbol, "@result", [PTR, *(k.llvm for k in kinds)], linkage="internal")
        super().__init__(function, fn, made, on)
        self._wide, self.results = wide, results
        self._tree = function.tree
        params = [a.arg for a in self._tree.args.args]
        if len(params) != len(kinds):
            raise NotNative(f"{function.path}: {function.name} takes {len(params)} arguments, not {len(kinds)}")
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go
        for name, kind, val in zip(params, kinds, self.fn.args[1:], strict=True):
            self._set_name(self._tree, name, Value(kind, val))

    def text(self) -> str:
        """The function as LLVM assembly."""
        return self.fn.text().replace("@result", returned(self.results or ()), 1)

    def body(self) -> None:
        """Lower all of it."""
        self._statements(self._tree.body)
        if not self.fn.closed:
            if self.results:
                self.fn.do("unreachable")
            else:
                self.fn.ret_void()

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
            raise Wider(frozenset([name]))
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
        kind_of_all, out = returned(self.results), "poison"
        for i, v in enumerate(values):
            out = self.fn.line(f"insertvalue {kind_of_all} {out}, {v.val.t} {v.val.text}, {i}", PTR).text
        self.fn.do(f"ret {kind_of_all} {out}")
        self.fn.closed = True

    def _result(self, node: ast.AST, value: Value, kind: Kind) -> Value:
        assert self.results is not None
        if kind == value.kind:
            return value
        if kind == BOOL and value.kind == INT:
            raise Wider(results=tuple(INT if k == BOOL else k for k in self.results))
        if kind.record and value.kind.record:
            if not issubclass(value.kind.record, kind.record):
                raise self._fail(node, f"returns {value.kind} and {kind}")
        elif value.kind.record and value.kind != kind:  # the other one was a plain 0
            raise Wider(results=tuple(value.kind if k == kind else k for k in self.results))
        return self._converted(node, "the result", kind, value)


def _loaded(target: ast.expr) -> ast.expr:
    """What stands to the left of an assignment, as an expression."""
    made = ast.parse(ast.unparse(target), mode="eval").body
    return ast.copy_location(made, target)
