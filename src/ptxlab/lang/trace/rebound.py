"""Python names that a block of the language rebinds.

Python runs through the block once. `t = t + 1.0` in a loop therefore makes one more register, which each pass computes from
the old one; `t += 1.0` writes the register that `t` is. What the names of the function hold in front of a block and behind
it, the instructions in between and the syntax of the block say together where a name means something else than it seems to.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol, TypeAlias, cast

from ptxlab.diag import Span
from ptxlab.diag.span import line_of, ran_here
from ptxlab.isa.operands import Not
from ptxlab.lang.trace.block import Ended
from ptxlab.lang.trace.source import blocks_of, placed_tree
from ptxlab.lang.trace.values import Address, Register
from ptxlab.ptx import tree

_MOST = 1024
"""Elements of a list or tuple up to which they are looked at."""

Held: TypeAlias = "dict[str, Any]"
"""By name: a register, address or number, or the elements of a list or tuple."""


class _Traces(Protocol):
    """The kernel that is being traced."""

    @property
    def items(self) -> list[Any]:
        """What has been emitted."""
        ...

    @property
    def rebound(self) -> list[tree.Rebinding]:
        """What has been found."""
        ...


def watch_loop(k: _Traces, frame: FrameType, shown: str) -> Ended | None:
    """Look at the names of a block that is executed again and again."""
    return _watch(k, frame, shown, True)


def watch_branch(k: _Traces, frame: FrameType, shown: str) -> Ended | None:
    """Look at the names of a block that a part of the threads executes."""
    return _watch(k, frame, shown, False)


def _watch(k: _Traces, frame: FrameType, shown: str, loop: bool) -> Ended | None:
    if not ran_here(frame.f_code.co_filename):
        return None
    begun = _Begun(len(k.items), line_of(frame), shown, loop, _held(frame))

    def ended(frame: FrameType) -> None:
        found = list(begun.over(frame, k.items))
        known = {(r.name, r.place) for r in k.rebound if r.lost} if found else ()
        k.rebound.extend(r for r in found if (r.name, r.place) not in known)

    return ended


@dataclass(slots=True)
class _Begun:
    """The values of names where a block begins, and the place. `loop`: whether the block is executed more than once."""

    start: int
    line: int
    shown: str
    loop: bool
    held: Held

    def over(self, frame: FrameType, items: Sequence[Any]) -> Iterator[tree.Rebinding]:
        """What its names hold at its end, where that is not the same."""
        changed = list(_changed(self.held, _held(frame)))
        if not changed:
            return
        block = next((b for b in blocks_of(frame.f_code) if _opens(b, self.line)), None)
        if block is None:
            return
        emitted = _Emitted(items[self.start :] if self.loop else ())
        for name, index, old, new in changed:
            uses = list(_of_name(_uses(block, self.shown.startswith("k.while_")), name))
            stored = [u for u in uses if u.stores]
            place = Span(frame.f_code.co_filename, stored[-1].line if stored else self.line)
            lost = self._lost(frame, block, name, uses, old=old, new=new, emitted=emitted)
            register = new.reg.name if isinstance(new, Register) else ""
            shown = name if index is None else f"{name}[{index}]"
            fixed = isinstance(old, Register) and old.fixed
            yield tree.Rebinding(
                shown, _shown(old), register, _type(old, new), fixed=fixed, block=self.shown, place=place, lost=lost
            )

    def _lost(
        self,
        frame: FrameType,
        block: ast.With,
        name: str,
        uses: Sequence[_Use],
        *,
        old: Any,
        new: Any,
        emitted: _Emitted,
    ) -> bool:
        if not uses or not any(u.stores for u in uses):
            return False
        if self.loop:
            return not uses[0].stores and emitted.depends_on(old)
        numbers = isinstance(old, int | float) and isinstance(new, int | float) and not isinstance(new, bool)
        return numbers and all(u.stores and not u.counts for u in uses) and _read_behind(frame, block, name)


class _Emitted:
    """The instructions of a block: which registers they read and write."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.read, self.written = set[str](), set[str]()
        for item in items:
            if isinstance(item, tree.Instruction) and item.instance is not None:
                self.read.update(r.name for r in item.instance.registers("r"))
                self.written.update(r.name for r in item.instance.registers("w"))
                if item.guard is not None:
                    self.read.add((item.guard.reg if isinstance(item.guard, Not) else item.guard).name)

    def depends_on(self, old: Any) -> bool:
        """Whether each pass takes the value from before the loop."""
        if isinstance(old, int | float):
            return True
        name = old.base.name if isinstance(old, Address) else old.reg.name
        return name not in self.written and (isinstance(old, Address) or name in self.read)


def _held(frame: FrameType) -> Held:
    out: Held = {}
    for name, value in frame.f_locals.items():
        if isinstance(value, Register | Address | int | float):
            out[name] = value
        elif isinstance(value, list | tuple) and 0 < len(cast("Sequence[Any]", value)) <= _MOST:
            out[name] = tuple(cast("Sequence[Any]", value))
    return out


def _changed(before: Held, now: Held) -> Iterator[tuple[str, int | None, Any, Any]]:
    """(name, index, old value, new value) of what is not the same any more."""
    for name, old in before.items():
        new = now.get(name)
        if new is None or new is old:
            continue
        if not isinstance(old, tuple) and not isinstance(new, tuple):
            if _key(old) != _key(new):
                yield name, None, old, new
        elif isinstance(old, tuple) and isinstance(new, tuple) and not all(map(operator.is_, old, new)):  # pyright: ignore
            for i, (a, b) in enumerate(zip(old, new, strict=False)):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                if isinstance(a, Register | Address) and isinstance(b, Register | Address) and _key(a) != _key(b):
                    yield name, i, a, b


def _key(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Register):
        return ("register", value.reg.name)
    if isinstance(value, Address):
        return ("address", str(value.operand))
    return ("number", repr(value))


def _shown(value: Any) -> str:
    return (
        str(value.reg)
        if isinstance(value, Register)
        else str(value.operand)
        if isinstance(value, Address)
        else repr(value)
    )


def _type(old: Any, new: Any) -> str:
    held = next((v for v in (old, new) if isinstance(v, Register)), None)
    return held.scalar.name if held is not None else "f32" if isinstance(old, float) else "u32"


# --- syntax --------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Use:
    """A name in the source. `stores`: it is bound there; `counts`: by `+=` and its like, which reads it, too."""

    name: str
    line: int
    stores: bool
    counts: bool = False


def _opens(node: ast.With, line: int) -> bool:
    return any(i.context_expr.lineno <= line <= (i.context_expr.end_lineno or 0) for i in node.items)


def _uses(block: ast.With, condition: bool) -> Iterator[_Use]:
    """Names in a block in the order of execution; with what opens it where that is its `condition`, executed in each pass."""
    for item in block.items:
        if condition:
            yield from _order(item.context_expr)
        if item.optional_vars is not None:
            yield from _order(item.optional_vars)
    for node in block.body:
        yield from _order(node)


def _of_name(uses: Iterable[_Use], name: str) -> Iterator[_Use]:
    return (u for u in uses if u.name == name)


def _order(node: ast.AST) -> Iterator[_Use]:
    match node:
        case ast.Name():
            yield _Use(node.id, node.lineno, not isinstance(node.ctx, ast.Load))
        case ast.AugAssign(target=ast.Name() as target):
            yield _Use(target.id, node.lineno, False, True)
            yield from _order(node.value)
            yield _Use(target.id, node.lineno, True, True)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
            if node.value is not None:
                yield from _order(node.value)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from _order(target)
        case ast.Subscript(value=ast.Name() as container) if not isinstance(node.ctx, ast.Load):
            yield from _order(node.slice)
            yield _Use(container.id, node.lineno, True)
        case ast.For():
            for part in (node.iter, node.target, *node.body, *node.orelse):
                yield from _order(part)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp() | ast.Lambda():
            yield from _apart(node)
        case _:
            for part in ast.iter_child_nodes(node):
                yield from _order(part)


def _apart(node: ast.AST) -> Iterator[_Use]:
    """What an expression with names of its own uses of the names around it."""
    own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in own:
            yield _Use(part.id, part.lineno, False)


def _read_behind(frame: FrameType, block: ast.With, name: str) -> bool:
    """Whether the first use of a name behind a block reads it."""
    function = placed_tree(frame.f_code)
    uses = [] if function is None else list(_of_name(_order(function), name))
    behind = next((u for u in uses if u.line > (block.end_lineno or 0)), None)
    return behind is not None and not behind.stores
