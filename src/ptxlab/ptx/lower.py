"""A kernel's tree made flat."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from ptxlab.diag import Diagnostic, Severity, Span, one_of_each
from ptxlab.isa.bind import Instance, bind
from ptxlab.isa.opaque import opaque
from ptxlab.isa.operands import Addr, Label, Not, Operand, Pair, Params, Raw, Reg, Symbol, Vec
from ptxlab.ptx import tree
from ptxlab.ptx.program import Directives, Op, Param, Program
from ptxlab.ptx.variables import Var, variable

DYNAMIC_ALIGN = 16
"""Dynamic shared memory starts at a multiple of this, however the arrays are declared."""


def lowered(module: tree.Module, entry: str) -> tuple[Program, list[Diagnostic]]:
    """The flat program of a kernel, and what is wrong with it; instructions that fit no row are left out.

    Raises Diagnostic PTX2300 when the module has no such kernel.
    """
    function = module.function(entry)
    if function is None or function.body is None or function.kind != "entry":
        raise _no_entry(module, entry)
    return lowered_function(module, function)


def lowered_function(
    module: tree.Module, function: tree.Function, globals: Globals | None = None
) -> tuple[Program, list[Diagnostic]]:
    """As `lowered`, of a kernel or function of the module that has a body; `globals` when several are lowered."""
    return _Lowering(module, function, globals or Globals(module)).run()


class Globals:
    """The variables of a module by name, each made when it is first asked for."""

    def __init__(self, module: tree.Module) -> None:
        self._places: dict[str, tuple[int, tree.VarDecl, tree.Declarator]] = {}
        self._made: dict[str, Var] = {}
        for item in module.items:
            if isinstance(item, tree.VarDecl):
                for one in item.names:
                    known = self._places.get(one.name)
                    if known is None or known[1].linkage == ".extern":  # a definition behind a mere declaration
                        rank = len(self._places) if known is None else known[0]
                        self._places[one.name] = (rank, item, one)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def rank(self, name: str) -> int:
        """How many others are declared in front of it."""
        return self._places[name][0]

    def get(self, name: str) -> Var | None:
        """The variable; None when there is none of this name."""
        place = self._places.get(name)
        if place is None:
            return None
        if name not in self._made:
            self._made[name] = variable(place[1], place[2], name=name)
        return self._made[name]


def _no_entry(module: tree.Module, entry: str) -> Diagnostic:
    names = [f.name for f in module.entries()]
    near = difflib.get_close_matches(entry, names, n=1) or names[:8]
    return Diagnostic(
        "PTX2300",
        f"the module has no kernel `{entry}`",
        help=f"its kernels are {', '.join(near)}" if near else "it has no kernels at all",
    )


class _Scope:
    """How the names of a block are called in the program."""

    __slots__ = ("labels", "names", "parent", "prefixes")

    def __init__(self, parent: _Scope | None) -> None:
        self.parent = parent
        self.names: dict[str, str] = {}
        self.prefixes: dict[str, str] = {}  # of register ranges: prefix → suffix of their new names
        self.labels: dict[str, str] = {}

    def register(self, name: str) -> str:
        """The name of a register or variable in the program."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if scope.prefixes:
                suffix = scope.prefixes.get(name.rstrip("0123456789"))
                if suffix is not None:
                    return name + suffix
            scope = scope.parent
        return name

    def label(self, name: str) -> str | None:
        """The name of a label in the program; None when there is none."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None


class _Lowering:
    def __init__(self, module: tree.Module, function: tree.Function, globals: Globals) -> None:
        self.module, self.function, self.globals = module, function, globals
        self.program = Program(function.name, module, function)
        self.found: list[Diagnostic] = []
        self.taken: set[str] = set()
        self.declared: dict[str, Var] = {}
        self.used: set[str] = set()
        self.calls: dict[str, None] = {}
        self.renaming = False
        self.count = 0

    def run(self) -> tuple[Program, list[Diagnostic]]:
        """The program and what is wrong."""
        program = self.program
        _parameters(program, self.function.params or ())
        program.directives = directives(self.function.directives)
        assert self.function.body is not None
        self._block(self.function.body, None)
        program.calls = tuple(self.calls)
        self._layout()
        return program, one_of_each(self.found, ("PTX0110",))

    # --- scopes

    def _unique(self, name: str) -> str:
        """A name that the program does not have yet."""
        if name not in self.taken and name not in self.globals:
            self.taken.add(name)
            return name
        self.count += 1
        self.taken.add(f"{name}#{self.count}")
        return f"{name}#{self.count}"

    def _enter(self, block: tree.Block, parent: _Scope | None) -> _Scope:
        scope = _Scope(parent)
        for item in block.items:
            if isinstance(item, tree.Label):
                if item.name in scope.labels:
                    self.found.append(
                        Diagnostic(
                            "PTX0013",
                            f"the label `{item.name}` stands twice in this scope",
                            help="rename one of the two",
                            span=item.span,
                        )
                    )
                unique = scope.labels[item.name] = self._unique(item.name)
                self.renaming = self.renaming or unique != item.name
            elif isinstance(item, tree.RegDecl):
                self._registers(item, scope)
        return scope

    def _registers(self, node: tree.RegDecl, scope: _Scope) -> None:
        for one in node.names:
            shown = one.name if one.count is None else f"{one.name}<>"
            unique = self._unique(shown)
            if unique == shown:
                continue
            self.renaming = True
            suffix = unique[len(shown) :]
            if one.count is None:
                scope.names[one.name] = one.name + suffix
            else:
                scope.prefixes[one.name] = suffix

    def _variables(self, node: tree.VarDecl, scope: _Scope) -> None:
        for one in node.names:
            unique = self._unique(one.name)
            if unique != one.name:
                scope.names[one.name] = unique
                self.renaming = True
            self.declared[unique] = variable(node, one, name=unique)

    # --- blocks and instructions

    def _block(self, block: tree.Block, parent: _Scope | None) -> None:
        scope = self._enter(block, parent)
        program = self.program
        pending: str | None = None
        for item in block.items:
            if isinstance(item, tree.Instruction):
                self._instruction(item, scope)
            elif isinstance(item, tree.Label):
                program.labels[scope.labels[item.name]] = len(program.ops)
                pending = item.name
                continue
            elif isinstance(item, tree.Block):
                self._block(item, scope)
            elif isinstance(item, tree.VarDecl):
                self._variables(item, scope)
            elif isinstance(item, tree.Words) and item.name in (".branchtargets", ".calltargets") and pending:
                program.targets[scope.labels[pending]] = tuple(scope.label(w) or w for w in item.words if w != ",")
            pending = None

    def _instruction(self, node: tree.Instruction, scope: _Scope) -> None:
        try:
            inst = self._bound(node, scope)
        except Diagnostic as wrong:
            self.found.append(wrong.at(_place(node, wrong.code), node.origin))
            if wrong.code != "PTX0110":
                return
            wrong.severity = Severity.NOTE
            operands = tuple(_mapped(o, scope) for o in node.operands)
            for operand in operands:
                self._use(operand)
            inst = opaque(node.opcode, operands)
        guard, negated = node.guard, False
        if isinstance(guard, Not):
            guard, negated = guard.reg, True
        if guard is not None:
            if self.renaming:
                guard = Reg(scope.register(guard.name), guard.type)
            self._use(guard)
            if guard.type.kind != "p":
                self.found.append(
                    Diagnostic(
                        "PTX0105",
                        f"the guard `{guard}` is of type .{guard.type}, but must be a predicate",
                        help="make a predicate with setp",
                        span=node.span,
                        origin=node.origin,
                    )
                )
        for operand in inst.operands.values():
            self._use(operand)
        if inst.form.name == "call":
            self.calls.setdefault(str(inst.operands["callee"]))
        # The place is made from the text when somebody asks: most instructions are never reported.
        self.program.ops.append(Op(inst, guard, negated, node, node.origin))

    def _bound(self, node: tree.Instruction, scope: _Scope) -> Instance:
        if not self.renaming:
            self._check_labels(node, scope)
            if node.instance is None:
                node.instance = bind(node.opcode, node.operands)
            return node.instance
        self._check_labels(node, scope)
        return bind(node.opcode, tuple(_mapped(o, scope) for o in node.operands))

    def _check_labels(self, node: tree.Instruction, scope: _Scope) -> None:
        for operand in node.operands:
            if isinstance(operand, Label) and scope.label(operand.name) is None:
                root = node.opcode.partition(".")[0]
                if root == "call" or self.module.function(operand.name) is not None:
                    continue
                if root in ("bra", "brx"):
                    raise Diagnostic(
                        "PTX0012",
                        f"`{node.opcode}` goes to the label `{operand.name}`, which this kernel does not have",
                        help=f"put `{operand.name}:` in front of an instruction of this scope",
                    )
                raise Diagnostic(
                    "PTX0011", f"`{operand.name}` is not declared here", help="declare it in front of its use"
                )

    def _use(self, operand: Operand) -> None:
        """Note the registers and variables of an operand."""
        kind = type(operand)
        if kind is Reg:
            self.program.registers[operand.name] = operand.type  # type: ignore[union-attr]
        elif kind is Addr:
            self._use(operand.base)  # type: ignore[union-attr]
            if operand.coords is not None:  # type: ignore[union-attr]
                self._use(operand.coords)  # type: ignore[union-attr]
        elif kind is Vec or kind is Params:
            for item in operand.items:  # type: ignore[union-attr]
                self._use(item)
        elif kind is Symbol:
            self.used.add(operand.name)  # type: ignore[union-attr]
        elif kind is Not:
            self._use(operand.reg)  # type: ignore[union-attr]

    # --- memory

    def _layout(self) -> None:
        """Variables that are reached, with shared and local ones at their offsets."""
        program = self.program
        # ptxas lays out the kernel's own variables in front of the module's
        reached = [v for v in self.declared.values() if v.name in self.used]
        shared = sorted((n for n in self.used if n in self.globals and n not in self.declared), key=self.globals.rank)
        reached += [v for n in shared if (v := self.globals.get(n)) is not None]
        seen = set(self.used)
        for one in reached:  # grows while it is walked
            for reference in one.references:
                name = reference.symbol
                found = self.declared.get(name) or self.globals.get(name)
                if name not in seen and found is not None:
                    seen.add(name)
                    reached.append(found)
        reached.sort(key=lambda v: v.name not in self.declared)
        at = {"shared": 0, "local": 0}
        late: list[Var] = []
        for one in reached:
            if one.space in at and not (one.extern and one.space == "shared"):
                offset = _aligned(at[one.space], one.align)
                at[one.space] = offset + one.size
                program.variables.append(_moved(one, offset))
            elif one.space == "shared":
                late.append(one)
            else:
                program.variables.append(one)
        program.shared_static = at["shared"]
        idle = (v.size for n, v in self.declared.items() if v.space == "shared" and n not in self.used)
        program.shared_declared = at["shared"] + sum(idle)
        program.has_dynamic_shared = bool(late)
        # All extern arrays begin at one address, behind the static variables.
        start = _aligned(at["shared"], max((DYNAMIC_ALIGN, *(v.align for v in late))))
        program.variables += [_moved(v, start) for v in late]


def _place(node: tree.Instruction, code: str) -> Span | None:
    """Where a finding is shown: the opcode alone when it is what does not fit, else the whole instruction."""
    if node.source is None or code not in ("PTX0100", "PTX0101", "PTX0102", "PTX0110"):
        return node.span
    start = max(node.start, node.source.text.find(node.opcode, node.start))
    return node.source.span(start, start + len(node.opcode))


def _moved(one: Var, offset: int) -> Var:
    return Var(one.name, one.space, one.type, one.size, one.align, one.init, one.references, offset, one.extern)


def _aligned(value: int, align: int) -> int:
    return -(-value // align) * align


def _mapped(operand: Operand, scope: _Scope) -> Operand:
    """The operand with the program's names."""
    match operand:
        case Reg():
            return Reg(scope.register(operand.name), operand.type)
        case Symbol():
            name = scope.register(operand.name)
            return Symbol(name, operand.space, operand.offset, operand.align, operand.size, operand.written)
        case Addr():
            base = _mapped(operand.base, scope)
            coords = _mapped(operand.coords, scope) if operand.coords is not None else None
            return replace(operand, base=base, coords=coords)  # type: ignore[arg-type]
        case Vec():
            return Vec(tuple(_mapped(o, scope) for o in operand.items))
        case Params():
            return Params(tuple(_mapped(o, scope) for o in operand.items))
        case Pair():
            return Pair(_mapped(operand.first, scope), _mapped(operand.second, scope))
        case Not():
            return Not(Reg(scope.register(operand.reg.name), operand.reg.type))
        case Label():
            return Label(scope.label(operand.name) or operand.name)
        case Raw():
            return Raw(operand.text, tuple(Reg(scope.register(r.name), r.type) for r in operand.registers))
        case _:
            return operand


def _parameters(program: Program, nodes: Iterable[tree.Param]) -> None:
    at = 0
    for node in nodes:
        align = int(node.align.value) if node.align is not None else node.type.bytes
        at = _aligned(at, max(1, align))
        count = node.size // node.type.bytes
        program.params.append(Param(node.name, node.type, count, node.size, align, at))
        at += node.size
    program.param_bytes = at


def directives(nodes: Iterable[tree.Directive]) -> Directives:
    """The launch directives of an entry."""
    made: dict[str, object] = {}
    for node in nodes:
        name = node.name[1:]
        values = [int(v.value) for v in node.values]
        if name in ("reqntid", "maxntid", "reqnctapercluster"):
            made[name] = (*values, 1, 1, 1)[:3]
        elif name in ("minnctapersm", "maxnreg", "maxclusterrank") and values:
            made[name] = values[0]
        elif name == "explicitcluster":
            made[name] = True
    return Directives(**made)  # type: ignore[arg-type]
