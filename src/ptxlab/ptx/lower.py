"""A kernel's tree made flat."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ptxlab.diag import Diagnostic, Span, raise_all
from ptxlab.isa.bind import Instance, bind
from ptxlab.isa.effects import Branch
from ptxlab.isa.match import heads
from ptxlab.isa.operands import Addr, Label, Minus, Not, Operand, Params, Part, Reg, Sreg, Symbol, Vec
from ptxlab.isa.sregs import is_special
from ptxlab.ptx import tree
from ptxlab.ptx.declare import listed
from ptxlab.ptx.elements import are_spread, short, spread
from ptxlab.ptx.functions import (
    address_taken,
    aliases,
    called_first,
    indirect,
    params_of,
    prototype_of,
    renamed,
    signature_of,
)
from ptxlab.ptx.program import Directives, Misfit, NoteAt, Op, Program
from ptxlab.ptx.renaming import Names, Taken, all_mapped, mapped
from ptxlab.ptx.variables import Var, variable

DYNAMIC_ALIGN = 16
"""Dynamic shared memory starts at a multiple of this, however the arrays are declared."""


def lower(module: tree.Module, entry: str) -> Program:
    """The kernel `entry` made flat: scopes resolved, every instruction bound to its row.

    Raises Diagnostic when the module has no such kernel, and for everything that fits no row or names nothing: the first
    finding, the others in its `also`. Rules and targets are `ptxlab.checks`'s business.
    """
    program, found = lowered(module, entry)
    raise_all(found)
    return program


def lowered(module: tree.Module, entry: str) -> tuple[Program, list[Diagnostic]]:
    """The flat program of a kernel with the functions that it reaches, and what is wrong with it; instructions that fit no
    row are left out.

    Raises Diagnostic PTX2300 when the module has no such kernel.
    """
    function = module.function(entry)
    if function is None or function.body is None or function.kind != "entry":
        raise _no_entry(module, entry)
    return _Lowering(module, function, Globals(module)).whole()


def lowered_function(
    module: tree.Module, function: tree.Function, globals: Globals | None = None
) -> tuple[Program, list[Diagnostic]]:
    """One kernel or function of the module that has a body, without those that it calls; `globals` when several are lowered."""
    return _Lowering(module, function, globals or Globals(module)).alone()


_OF_NAMES = ("PTX0010", "PTX0011", "PTX0012", "PTX0013")
"""What is wrong with names, not with an instruction."""


class Globals:
    """The variables of a module by name, each made when it is first asked for."""

    def __init__(self, module: tree.Module) -> None:
        self.aliases = aliases(module)
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


def _check_hidden(node: tree.Instruction, scope: Names) -> None:
    """A special register, or a variable of the module, is no operand where a label in front has its name."""
    for operand in node.operands if not _flow(node.opcode) else ():
        for one in operand.items if isinstance(operand, Vec) else (operand,):
            named = one.base if isinstance(one, Addr) else one
            label = scope.hidden(named.name) if isinstance(named, Sreg | Symbol) else None
            if label is not None:
                raise _hidden(named, label, "special register" if isinstance(named, Sreg) else "variable")


def _hidden(named: Operand, label: str, what: str) -> Diagnostic:
    return Diagnostic(
        "PTX0013", f"`{named}` is no {what} here: `{label}` is a label", help=f"rename the label `{label}`"
    )


class _Lowering:
    def __init__(
        self, module: tree.Module, function: tree.Function, globals: Globals, names: Taken | None = None
    ) -> None:
        self.module, self.function, self.globals = module, function, globals
        self.program = Program(function.name, module, function)
        self.found: list[Diagnostic] = []
        self.names = names or Taken(globals)
        self.declared: dict[str, Var] = {}
        self.used: set[str] = set()
        self.lists: set[str] = set()  # names of lists of targets and of prototypes, which are no labels to go to
        self.calls: dict[str, None] = {}
        self.pointers: dict[str, None] = {}
        self.aliases = globals.aliases
        self.renaming = self.hiding = False
        self._taken: list[str] | None = None

    def alone(self) -> tuple[Program, list[Diagnostic]]:
        """The program and what is wrong."""
        self._flatten()
        self._layout([], self._reached([]))
        return self.program, self.found

    def whole(self) -> tuple[Program, list[Diagnostic]]:
        """The program with the functions that it reaches, and what is wrong."""
        self._flatten()
        made: dict[str, _Lowering] = {}
        pointers: dict[str, None] = {}
        reached: list[Var] = []
        before = -1
        while before != len(made):  # a function brings variables, and these the addresses of functions
            before = len(made)
            reached = self._reached([*made.values()])
            for one in (self, *made.values()):
                pointers.update(one.pointers)
            named = [r.symbol for v in reached for r in v.references if self.module.function(r.symbol)]
            pointers.update(dict.fromkeys(self.aliases.get(name, name) for name in named))
            if any(indirect(one.program) for one in (self, *made.values())):  # an earlier launch may have stored them
                pointers.update(dict.fromkeys(self._address_taken()))
            for name in [n for one in (self, *made.values()) for n in one.calls] + list(pointers):
                function = self.module.function(name)
                if name not in made and function is not None and function.body is not None and function.kind == "func":
                    made[name] = _Lowering(self.module, function, self.globals, self.names)
                    made[name]._flatten()
        found = {name: one.program for name, one in made.items()}
        self.program.functions = called_first(self.program, found, pointers)
        self.program.pointers = tuple(pointers)
        self._layout([*made.values()], reached)
        self.found += [d for one in made.values() for d in one.found]
        return self.program, self.found

    def _address_taken(self) -> list[str]:
        if self._taken is None:
            self._taken = address_taken(self.module)
        return self._taken

    def _flatten(self) -> None:
        program, function = self.program, self.function
        params, program.param_bytes = params_of(function.params or ())
        program.params += params
        program.directives = directives(function.directives)
        assert function.body is not None
        root = Names(None)
        if function.kind == "func":
            self._signature(root)
        else:
            self.names.taken.update(p.name for p in params)
        self._block(function.body, root)
        program.calls, program.pointers = tuple(self.calls), tuple(self.pointers)

    def _signature(self, root: Names) -> None:
        """What a function takes and returns, under names that are its own in the entire program."""
        signature = signature_of(self.function)
        for one in (*signature.returns, *signature.params):
            unique = self.names.unique(one.name)
            if unique != one.name:
                self.renaming, root.names[one.name] = True, unique
        self.program.signature = signature = renamed(signature, root.names)
        for one in (*signature.returns, *signature.params):
            if one.space == "reg":
                self.program.registers.update((part.name, part.type) for part in one.parts)

    # --- scopes

    def _enter(self, block: tree.Block, parent: Names | None) -> Names:
        scope = Names(parent)
        label = ""
        for item in block.items:
            if isinstance(item, tree.Words) and item.name in (".branchtargets", ".calltargets"):
                self.lists.add(label)
            if isinstance(item, (tree.Label, tree.Prototype)):
                if item.name in scope.labels:
                    self.found.append(
                        Diagnostic(
                            "PTX0013",
                            f"the label `{item.name}` stands twice in this scope",
                            help="rename one of the two",
                            span=item.span,
                        )
                    )
                label = unique = scope.labels[item.name] = self.names.unique(item.name)
                if isinstance(item, tree.Prototype):
                    self.lists.add(label)
                self.renaming = self.renaming or unique != item.name
            elif isinstance(item, tree.RegDecl):
                self._registers(item, scope)
        return scope

    def _registers(self, node: tree.RegDecl, scope: Names) -> None:
        for one in node.names:
            if one.count is None:
                unique = self.names.unique(one.name)
                if unique != one.name:
                    self.renaming = True
                    scope.names[one.name] = unique
                continue
            count = int(one.count.value)
            suffix = self.names.unique_range(one.name, count)
            if suffix:
                self.renaming = True
                scope.prefixes[one.name] = (suffix, count)

    def _variables(self, node: tree.VarDecl, scope: Names) -> None:
        for one in node.names:
            unique = self.names.unique(one.name)
            if unique != one.name:
                scope.names[one.name] = unique
                self.renaming = True
            self.declared[unique] = variable(node, one, name=unique)

    # --- blocks and instructions

    def _block(self, block: tree.Block, parent: Names | None) -> None:
        scope = self._enter(block, parent)
        program = self.program
        pending: str | None = None
        for item in block.items:
            if isinstance(item, tree.Instruction):
                self._instruction(item, scope)
            elif isinstance(item, tree.Label):
                program.labels[scope.labels[item.name]] = len(program.ops)
                if is_special(item.name) or item.name in self.globals:
                    scope.hiding.add(item.name)
                    self.hiding = True
                pending = item.name
                continue
            elif isinstance(item, tree.Note):
                here = frozenset(name for name, at in program.labels.items() if at == len(program.ops))
                program.notes.append(NoteAt(len(program.ops), item.text, here, item.origin))
            elif isinstance(item, tree.Block):
                self._block(item, scope)
            elif isinstance(item, tree.VarDecl):
                self._variables(item, scope)
            elif isinstance(item, tree.Words) and item.name in (".branchtargets", ".calltargets") and pending:
                self._targets(scope.labels[pending], item, scope)
            elif isinstance(item, tree.Prototype):
                program.prototypes[scope.labels[item.name]] = prototype_of(item)
            pending = None

    def _targets(self, label: str, node: tree.Words, scope: Names) -> None:
        words = listed(node.words)
        names = tuple(scope.label(w) or w for w in words)
        if node.name == ".branchtargets":
            missing = [w for w in words if scope.label(w) is None]
        else:
            missing = [w for w in words if self.module.function(w) is None]
        for word in missing:
            self.found.append(
                Diagnostic(
                    "PTX0012",
                    f"`{node.name}` names `{word}`, which is not there",
                    help="name labels of this kernel" if node.name == ".branchtargets" else "name functions",
                    span=node.span,
                    origin=node.origin,
                )
            )
        self.program.targets[label] = names
        functions = [self.module.function(w) for w in names] if node.name == ".calltargets" else []
        signatures = [signature_of(f) for f in functions if f is not None]
        if signatures:
            self.program.prototypes[label] = signatures[0]
        if any(one.sizes != signatures[0].sizes for one in signatures):
            self.found.append(
                Diagnostic(
                    "PTX0022",
                    f"the functions of `{node.name}` take or return other parameters than the first",
                    help="name functions that are called alike",
                    span=node.span,
                    origin=node.origin,
                )
            )

    def _instruction(self, node: tree.Instruction, scope: Names) -> None:
        try:
            if are_spread(node.opcode, node.operands):
                self.found += short(node.operands, node)
                operands = tuple(mapped(o, scope) for o in node.operands)
                for inst in spread(node.opcode, operands, self.names.unique):
                    self._placed(inst, node, scope)
                return
            inst = self._bound(node, scope)
        except Diagnostic as wrong:
            self.found.append(wrong.at(_place(node, wrong.code), node.origin))
            if wrong.code not in _OF_NAMES:
                self.program.misfits.append(Misfit(node, wrong))
            return
        self._placed(inst, node, scope)

    def _placed(self, inst: Instance, node: tree.Instruction, scope: Names) -> None:
        """Append a bound instruction of a node to the program."""
        self._check_lists(inst, node)
        guard, negated = node.guard, False
        if isinstance(guard, Not):
            guard, negated = guard.reg, True
        if guard is not None:
            if guard.written == guard.name:  # no register, but a special one
                guard = self._read(guard, node, scope)
            elif self.renaming:
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
        callee = inst.operands.get("callee")
        if callee is not None and str(callee) in self.aliases:
            callee = Label(self.aliases[str(callee)])
            inst = replace(inst, operands={**inst.operands, "callee": callee})
        for operand in inst.operands.values():
            if operand is not callee or isinstance(operand, Reg):
                self._use(operand)
        if callee is not None and not isinstance(callee, Reg):
            self.calls.setdefault(str(callee))
        # The place is made from the text when somebody asks: most instructions are never reported.
        self.program.ops.append(Op(inst, guard, negated, node, node.origin))

    def _read(self, guard: Reg, node: tree.Instruction, scope: Names) -> Reg:
        """A register for a special register that guards an instruction, and the instruction that reads it."""
        if scope.hidden(guard.name) is not None:
            self.found.append(_hidden(guard, guard.name, "special register").at(node.span, node.origin))
        held = Reg(self.names.unique("%guard"), guard.type)
        self._use(held)
        self.program.ops.append(
            Op(bind("mov.pred", (held, Sreg(guard.name, guard.type))), None, False, node, node.origin)
        )
        return held

    def _bound(self, node: tree.Instruction, scope: Names) -> Instance:
        self._check_labels(node, scope)
        if self.hiding:
            _check_hidden(node, scope)
        operands = all_mapped(node.operands, scope) if self.renaming else node.operands
        if operands and isinstance(operands[0], Symbol) and scope.label(str(node.operands[0])) is not None:
            operands = _to_label(node, scope, operands)
        if operands is not node.operands:
            return bind(node.opcode, operands)
        if node.instance is None:
            node.instance = bind(node.opcode, operands)
        return node.instance

    def _check_labels(self, node: tree.Instruction, scope: Names) -> None:
        for operand in node.operands:
            if isinstance(operand, Label) and scope.label(operand.name) is None:
                flow = _flow(node.opcode)
                if flow == "call" or self.module.function(operand.name) is not None:
                    continue
                if flow == "branch":
                    raise Diagnostic(
                        "PTX0012",
                        f"`{node.opcode}` goes to the label `{operand.name}`, which this kernel does not have",
                        help=f"put `{operand.name}:` in front of an instruction of this scope",
                    )
                raise Diagnostic(
                    "PTX0011", f"`{operand.name}` is not declared here", help="declare it in front of its use"
                )

    def _check_lists(self, inst: Instance, node: tree.Instruction) -> None:
        """A list of branch targets stands in front of its use, and is no label to go to."""
        named, label = inst.operands.get("targets"), inst.operands.get("target")
        proto = inst.operands.get("proto")
        program = self.program
        if isinstance(named, Label) and (named.name not in program.targets or named.name in program.prototypes):
            wrong = Diagnostic(
                "PTX0012",
                f"`{node.opcode}` names `{named.name}`, which is no .branchtargets list in front of it",
                help=f"write `{named.name}: .branchtargets …;` in front of it",
            )
        elif isinstance(proto, Label) and proto.name not in program.prototypes:
            wrong = Diagnostic(
                "PTX0021",
                f"`{proto}` is no .callprototype or .calltargets in front of the call",
                help=f"write `{proto}: .callprototype …;` in front of it",
            )
        elif isinstance(label, Label) and label.name in self.lists:
            wrong = Diagnostic(
                "PTX0012",
                f"`{node.opcode}` goes to `{label.name}`, which is no label",
                help="name a label of this kernel",
            )
        else:
            return
        self.found.append(wrong.at(node.span, node.origin))

    def _use(self, operand: Operand) -> None:
        """Note the registers and variables of an operand."""
        kind = type(operand)
        if kind is Reg:
            self.program.registers[operand.name] = operand.type  # type: ignore[union-attr]
        elif kind is Addr:
            self._use(operand.base)  # type: ignore[union-attr]
            for more in (operand.coords, *operand.between):  # type: ignore[union-attr]
                if more is not None:
                    self._use(more)  # pyright: ignore[reportUnknownArgumentType]
        elif kind is Vec or kind is Params:
            for item in operand.items:  # type: ignore[union-attr]
                self._use(item)  # pyright: ignore[reportUnknownArgumentType]
        elif kind is Symbol:
            self.used.add(operand.name)  # type: ignore[union-attr]
            if operand.space == "func":  # type: ignore[union-attr]
                self.pointers.setdefault(self.aliases.get(operand.name, operand.name))  # type: ignore[union-attr]
        elif kind is Not or kind is Part or kind is Minus:
            self._use(operand.reg)  # type: ignore[union-attr]

    # --- memory

    def _reached(self, functions: Sequence[_Lowering]) -> list[Var]:
        """Variables that instructions of the program name, and those that their initialisers name."""
        every = (self, *functions)
        used = set[str]().union(*(one.used for one in every))
        declared = {name: v for one in every for name, v in one.declared.items()}
        # ptxas lays out the kernel's own variables in front of the module's
        reached = [v for v in declared.values() if v.name in used]
        shared = sorted((n for n in used if n in self.globals and n not in declared), key=self.globals.rank)
        reached += [v for n in shared if (v := self.globals.get(n)) is not None]
        seen = set(used)
        for one in reached:  # grows while it is walked
            for reference in one.references:
                name = reference.symbol
                found = declared.get(name) or self.globals.get(name)
                if name not in seen and found is not None:
                    seen.add(name)
                    reached.append(found)
        reached.sort(key=lambda v: v.name not in declared)
        return reached

    def _layout(self, functions: Sequence[_Lowering], reached: Sequence[Var]) -> None:
        """Shared variables at their offsets in the CTA's memory, local ones and parameters of calls in each frame."""
        for one in (self, *functions):
            one._frame()
        program, at = self.program, 0
        late: list[Var] = []
        for one in reached:
            if one.space in ("local", "param"):
                continue
            if one.space != "shared":
                program.variables.append(one)
            elif one.extern:
                late.append(one)
            else:
                offset = _aligned(at, one.align)
                at = offset + one.size
                program.variables.append(_moved(one, offset))
        program.shared_static = at
        reachable = {v.name for v in reached}
        own = [v for one in (self, *functions) for v in one.declared.values()]
        program.shared_declared = at + sum(v.size for v in own if v.space == "shared" and v.name not in reachable)
        # All extern arrays begin at one address, behind the static variables.
        start = _aligned(at, max((DYNAMIC_ALIGN, *(v.align for v in late))))
        program.variables += [_moved(v, start) for v in late]

    def _frame(self) -> None:
        """Local variables and the parameters of calls, one behind the other."""
        signature = self.program.signature
        at = signature.size if signature is not None else 0
        for one in self.declared.values():
            if one.space in ("local", "param") and one.name in self.used:
                offset = _aligned(at, one.align)
                at = offset + one.size
                self.program.variables.append(_moved(one, offset))
        self.program.local_static = at


def _to_label(node: tree.Instruction, scope: Names, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The operands of a branch to a label that has the name of a variable or parameter around it."""
    name = scope.label(str(node.operands[0]))
    return (Label(name), *operands[1:]) if name is not None and _flow(node.opcode) == "branch" else operands


def _flow(opcode: str) -> str | None:
    """How the rows that an opcode fits change the flow of control: "branch", "call"; None where they do not."""
    return next((form.effect.kind for form, _ in heads(opcode) if isinstance(form.effect, Branch)), None)


def _place(node: tree.Instruction, code: str) -> Span | None:
    """Where a finding is shown: the opcode alone when it is what does not fit, else the whole instruction."""
    if node.source is None or code not in ("PTX0100", "PTX0101", "PTX0102"):
        return node.span
    start = max(node.start, node.source.text.find(node.opcode, node.start))
    return node.source.span(start, start + len(node.opcode))


def _moved(one: Var, offset: int) -> Var:
    return Var(
        one.name,
        space=one.space,
        type=one.type,
        size=one.size,
        align=one.align,
        init=one.init,
        references=one.references,
        offset=offset,
        extern=one.extern,
        is_array=one.is_array,
    )


def _aligned(value: int, align: int) -> int:
    return -(-value // align) * align


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
