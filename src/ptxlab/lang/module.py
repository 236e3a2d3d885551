"""Modules written out in full: every declaration, every register and every operand in the order of PTX.

`px.kernel` declares registers, reads parameters and returns results by itself; here nothing is done that is not written, so
that any module can be said: device functions, calls, nested scopes, variables with initialisers. `ptxlab to-python` writes
such programs.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from ptxlab.diag import Diagnostic, Span, frame_at, raise_all, user_span
from ptxlab.diag.boundary import public
from ptxlab.isa.bind import bind, check_needs, check_rules
from ptxlab.isa.operands import Addr, Imm, Not, Operand, Pair, Reg, Vec
from ptxlab.isa.shape import Shape
from ptxlab.isa.targets import Target, Version
from ptxlab.lang._instructions import Instructions
from ptxlab.lang.trace.block import Block, block, check_entered
from ptxlab.ptx import tree
from ptxlab.ptx.collector import uncollected
from ptxlab.ptx.declare import function_scope
from ptxlab.ptx.format import bare_item, bare_top
from ptxlab.ptx.lexer import tokens
from ptxlab.ptx.operand import Undeclared, from_tokens
from ptxlab.ptx.parser import parse_items, parse_tops
from ptxlab.ptx.printer import text
from ptxlab.ptx.scope import Scope


class Name:
    """A declared register. `r + 8` is a place within `[…]`, `~p` the negated predicate, `p | q` a pair of results.

    Attributes:
        reg: the register as instructions hold it.

    Example: see BodyBuilder
    """

    __slots__ = ("reg",)

    def __init__(self, reg: Reg) -> None:
        self.reg = reg

    def __add__(self, offset: int) -> Addr:
        return Addr(self.reg, offset)

    def __sub__(self, offset: int) -> Addr:
        return Addr(self.reg, -offset)

    def __invert__(self) -> Not:
        return Not(self.reg)

    def __or__(self, other: Name) -> Pair:
        return Pair(self.reg, other.reg)

    def __repr__(self) -> str:
        return f"<register {self.reg}: .{self.reg.type}>"


class Names:
    """The registers of a range such as `%r<12>`, by number.

    Example: see BodyBuilder
    """

    __slots__ = ("_made", "_prefix", "_scope")

    def __init__(self, prefix: str, scope: Scope) -> None:
        self._prefix, self._scope = prefix, scope
        self._made: dict[int, Name] = {}

    def __repr__(self) -> str:
        return f"<registers {self._prefix}0, {self._prefix}1, …>"

    def __getitem__(self, number: int) -> Name:
        made = self._made.get(number) if type(number) is int else None
        if made is None:
            made = self._find(number)
            if type(number) is int:
                self._made[number] = made
        return made

    def _find(self, number: int) -> Name:
        found = self._scope.find(f"{self._prefix}{number}")
        if not isinstance(found, Reg):
            raise Diagnostic(
                "PTX0010",
                f"no register `{self._prefix}{number}` is declared here",
                help=f"declare more of them: {self._prefix}<{number + 1}>",
                origin=user_span(),
            )
        return Name(found)


class BodyBuilder(Instructions):
    """The body of a kernel or function. `k.<opcode path>(…)` is one instruction, its operands in the order of PTX.

    An operand is a register of `reg`, an int, a tuple (a vector in braces), a list (an address: `[r + 8]`, `["buffer"]`,
    `[map, (x, y)]`), or text as PTX has it: `"%tid.x"`, `"0f3F800000"`, `"buffer"`, `"(result)"`, `"_"`.

    Example:
        m = px.module("8.0", "sm_90a")
        m.file(1, "kernel.cu")
        with m.entry("count", [".param .u64 out"]) as k:
            k.declare(".shared .align 16 .b8 buffer[64];")
            rd, r = k.reg("u64", "rd"), k.reg("u32", "%r<3>")
            p = k.reg("pred", "p")
            k.loc(1, 3, 0)
            k.ld.param.u64(rd, ["out"])
            k.mov.u32(r[0], 0)
            k.label("again")
            with k.block():
                k.instruction("add.u32", r[0], r[0], 1)
            k.begin()
            k.setp.lt.u32(p, r[0], 4)
            k.end()
            k.bra("again", pred=p)
            k.st.global_.u32([rd], r[0])
            k.ret()
        out = np.zeros(1, np.uint32)
        px.parse(str(m))["count"].launch(grid=1, block=1, args=[out])
        print(out)  # [4]
    """

    def __init__(self, module: ModuleBuilder, function: tree.Function, scope: Scope) -> None:
        assert function.body is not None
        self._module, self._scope = module, scope
        self._items = function.body.items
        self.blocks = module.blocks
        self._outer: list[tuple[list[tree.Item], Scope]] = []

    def __repr__(self) -> str:
        return f"<BodyBuilder: {len(self._items)} items>"

    def constructs(self) -> Sequence[str]:
        """What users call beside instructions."""
        return ("reg", "declare", "label", "loc", "block", "begin", "end", "instruction")

    def reg(self, type: str, *names: str) -> Any:
        """`.reg .type names;`: a register for a name, its registers by number for a range `%r<12>`; several as a tuple.

        Raises: Diagnostic PTX0001, PTX0013 for what is no declaration, or a name that is taken.
        """
        self._add(f".reg .{type} {', '.join(names)};")
        made = tuple(self._register(name) for name in names)
        return made[0] if len(made) == 1 else made

    def _register(self, name: str) -> Name | Names | None:
        if "<" in name:
            return Names(name.partition("<")[0], self._scope)
        found = self._scope.find(name)
        return Name(found) if isinstance(found, Reg) else None  # a vector register has no name of its own

    def declare(self, text: str) -> None:
        """Any declaration or directive as PTX has it, e.g. `.shared .align 16 .b8 buffer[64];`.

        Raises: Diagnostic PTX0001, PTX0013.
        """
        self._add(text)

    def label(self, name: str) -> None:
        """`name:`."""
        self._items.append(tree.Label(name, origin=user_span(frame_at(1))))

    def loc(self, file: int, line: int, column: int) -> None:
        """The line of a source file that what follows came from; `declare` takes those with more words."""
        self._items.append(tree.Loc(file, line, column, origin=user_span(frame_at(1))))

    @block("k.block()")
    def block(self) -> Generator[None, None, None]:
        """A scope in braces: names declared in it end with it."""
        self.begin()
        yield
        self.end()

    def begin(self) -> None:
        """Open a scope, for those nested deeper than Python nests `with`."""
        inner = tree.Block(origin=user_span(frame_at(1)))
        self._items.append(inner)
        self._outer.append((self._items, self._scope))
        self._items, self._scope = inner.items, Scope(self._scope)

    def end(self) -> None:
        """Close the scope that was opened last."""
        self._items, self._scope = self._outer.pop()

    def emit(self, opcode: str, args: Sequence[Any] = (), named: Mapping[str, Any] = {}, pred: Any = None) -> None:
        """One instruction, as `k.<opcode path>(*args, pred=…)` has it."""
        if named:
            raise Diagnostic(
                "PTX2203",
                f"`{opcode}` has no operand called `{next(iter(named))}` here",
                help="give all operands in the order of PTX; a guard is pred=",
                origin=user_span(),
            )
        self._instruction(opcode, args, pred, True, user_span(frame_at(1)))

    def instruction(self, opcode: str, *operands: Any, pred: Any = None, check: bool = True) -> None:
        """One instruction by its opcode as text.

        Args:
            check: False for what no row describes, such as textures, and for what is wrong on purpose.

        Raises: Diagnostic PTX01xx and the rules' own where the instruction is not legal.
        """
        self._instruction(opcode, operands, pred, check, user_span(frame_at(1)))

    # --- within

    def _add(self, text: str) -> None:
        place = user_span(frame_at(2))
        try:
            found = parse_items(text, self._scope)
        except Diagnostic as wrong:
            raise wrong.at(origin=place) from None
        self._items += [_from(bare_item(item), place) for item in found]

    def _instruction(self, opcode: str, args: Sequence[Any], pred: Any, check: bool, place: Span) -> None:
        try:
            operands = tuple(_operand(a, self._scope) for a in args)
            guard = None if pred is None else _operand(pred, self._scope)
            if not isinstance(guard, Reg | Not | None):
                raise Diagnostic("PTX0104", f"the guard {pred!r} is no predicate", help="make one by setp")
            if check:
                self._module.check(opcode, operands)
        except Diagnostic as wrong:
            raise wrong.at(origin=place) from None
        self._items.append(tree.Instruction(opcode, operands, guard, origin=place))


class ModuleBuilder:
    """A module written out in full; `str` of it is the PTX, `tree` its tree.

    Args:
        version: PTX version, e.g. "8.0". target: e.g. "sm_90a", or "sm_90a, debug". address_size: 64, or None for no such line.
        Without version and target, `declare` must give the headers.

    Example:
        m = px.module("8.0", "sm_90a")
        m.file(1, "kernel.cu")
        m.declare(".global .u32 counter;")
        with m.func("twice", [".param .b32 x"], returns=[".param .b32 y"]) as k:
            r = k.reg("b32", "%r<2>")
            k.ld.param.b32(r[0], ["x"])
            k.shl.b32(r[1], r[0], 1)
            k.st.param.b32(["y"], r[1])
            k.ret()
        with m.entry("count") as k:
            r = k.reg("u32", "r")
            k.atom.global_.add.u32(r, ["counter"], 1)
            k.ret()
        print(px.parse(str(m)).entries, len(m.tree.items))  # ('count',) 7
    """

    def __init__(self, version: str | None = None, target: str | None = None, address_size: int | None = 64) -> None:
        self._tree = tree.Module()
        self.blocks: list[Block[Any]] = []
        self._scope = Scope()
        self._legal: set[Shape] = set()  # of instructions, under the headers that there are
        self._against: tuple[Target | None, Version | None] | None = None  # what these say, when it has been read
        if version is not None and target is not None:
            size = "" if address_size is None else f"\n.address_size {address_size}"
            self._add(f".version {version}\n.target {target}{size}")

    @property
    def tree(self) -> tree.Module:
        """The tree. Raises: Diagnostic PTX2222 for a function or block that nothing has entered."""
        check_entered(self.blocks)
        return self._tree

    def declare(self, text: str) -> None:
        """Any variable, directive or function without a body as PTX has it, e.g. `.global .u32 counter;`.

        Raises: Diagnostic PTX0001, PTX0013.
        """
        self._add(text)

    def file(self, index: int, name: str) -> None:
        """Name a source file for `loc`."""
        self._add(f'.file {index} "{name}"')

    @block("m.entry(…)")
    def entry(
        self, name: str, params: Sequence[str] | None = (), *, directives: Sequence[str] = (), linkage: str = ".visible"
    ) -> Generator[BodyBuilder, None, None]:
        """A kernel; `params` and `directives` as PTX has them: `.param .u64 a`, `.maxntid 128, 1, 1`. None: no parentheses.

        Raises: Diagnostic PTX0001, PTX0013.
        """
        with uncollected():
            yield self._function([linkage, ".entry", name, *_list(params), *directives])

    @block("m.func(…)")
    def func(
        self,
        name: str,
        params: Sequence[str] | None = (),
        *,
        returns: Sequence[str] | None = None,
        directives: Sequence[str] = (),
        linkage: str = "",
    ) -> Generator[BodyBuilder, None, None]:
        """A device function; as `entry`, with the parameters that it returns.

        Raises: Diagnostic PTX0001, PTX0013.
        """
        with uncollected():
            yield self._function([linkage, ".func", *_list(returns), name, *_list(params), *directives])

    def check(self, opcode: str, operands: Sequence[Operand]) -> None:
        """Raise Diagnostic where an instruction fits no row, breaks a rule, or needs another target or version."""
        found = bind(opcode, operands)
        if found.shape is not None and found.shape in self._legal:
            return
        if self._against is None:
            self._against = _target(self._tree), self._tree.version
        wrong = [*check_rules(found), *check_needs(found, *self._against)]
        raise_all(wrong)
        if found.shape is not None and not wrong:
            self._legal.add(found.shape)

    def __str__(self) -> str:
        return text(self.tree)

    def __repr__(self) -> str:
        functions = [i.name for i in self._tree.items if isinstance(i, tree.Function)]
        return f"<ModuleBuilder: {', '.join(functions) or 'no functions'}>"

    def _function(self, words: Sequence[str]) -> BodyBuilder:
        function = self._add(" ".join((*words, "{ }")))[-1]
        assert isinstance(function, tree.Function)
        return BodyBuilder(self, function, function_scope(function, self._scope)[0])

    def _add(self, text: str) -> list[tree.TopItem]:
        place = user_span(frame_at(2))
        try:
            found = parse_tops(text, self._scope)
        except Diagnostic as wrong:
            raise wrong.at(origin=place) from None
        made = [_from(bare_top(item), place) for item in found]
        self._tree.items += made
        if any(isinstance(item, tree.Header) for item in made):
            self._legal.clear()
            self._against = None
        return made


@public
def module(version: str | None = None, target: str | None = None, address_size: int | None = 64) -> ModuleBuilder:
    """A module to be written out in full, e.g. `m = px.module("8.0", "sm_90a")`, then `with m.entry("k") as k: k.ret()`.

    Args:
        version: of PTX, e.g. "8.0". target: e.g. "sm_90a". address_size: bits of an address, 64 or 32. None leaves the line out.

    Example:
        m = px.module("8.0", "sm_90a")
        with m.entry("nothing") as k:
            k.ret()
        print(px.parse(str(m)).entries)  # ('nothing',)
    """
    return ModuleBuilder(version, target, address_size)


def _target(module: tree.Module) -> Target | None:
    name = module.target
    try:
        return Target.parse(name) if name else None
    except ValueError:
        return None


def _list(params: Sequence[str] | None) -> list[str]:
    return [] if params is None else [f"({', '.join(params)})"]


def _from(node: Any, place: Span) -> Any:
    """A node made from the text of a call; its place is the Python line."""
    node.source, node.origin = None, place
    return node


def _operand(value: Any, scope: Scope) -> Operand:
    """What an instruction is given, as an operand."""
    if isinstance(value, Name):
        return value.reg
    if isinstance(value, int) and not isinstance(value, bool):
        return Imm(value, str(value))
    if isinstance(value, str):
        return _read(tokens(value), scope)
    if isinstance(value, tuple):
        return Vec(tuple(_operand(v, scope) for v in cast("tuple[Any, ...]", value)))
    if isinstance(value, list):
        return _address(cast("list[Any]", value), scope)
    if isinstance(value, Not | Pair):
        return value
    raise Diagnostic(
        "PTX0109",
        f"{type(value).__name__} is no operand of an instruction",
        help='pass a register, an int, (…) for a vector, […] for an address, or text: "0f3F800000", "%tid.x"',
    )


def _read(parts: Sequence[str], scope: Scope) -> Operand:
    try:
        return from_tokens(parts, scope)
    except Undeclared as unknown:
        raise unknown.diagnostic() from None


def _address(value: list[Any], scope: Scope) -> Operand:
    """[place] or [map, (coordinates)]."""
    coords = _operand(value[1], scope) if len(value) == 2 else None
    if not 1 <= len(value) <= 2 or not (coords is None or isinstance(coords, Vec)):
        raise Diagnostic("PTX0104", "an address is [place] or [map, (coordinates)]", help="a vector is a tuple")
    place = value[0]
    if isinstance(place, str):
        found = _read(["[", *tokens(place), "]"], scope)
    elif isinstance(place, Name):
        found = Addr(place.reg)
    elif isinstance(place, int):
        found = Addr(Imm(place, str(place)))
    else:
        found = place
    if not isinstance(found, Addr):
        raise Diagnostic("PTX0104", f"{place!r} is no place in memory", help='write [r + 8] or ["buffer+8"]')
    return found if coords is None else replace(found, coords=coords)
