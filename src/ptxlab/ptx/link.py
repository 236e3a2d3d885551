"""Several modules become one: what one file declares .extern, another one defines.

Names that a file keeps to itself are renamed where they meet. The result is a module like any other: it prints, it is
checked, and ptxas takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ptxlab.diag import Diagnostic, Span, raise_all
from ptxlab.isa.operands import Addr, Element, Label, Operand, Params, Symbol, Vec
from ptxlab.isa.targets import Target
from ptxlab.ptx import tree
from ptxlab.ptx.functions import SYSTEM_FUNCTIONS, references, signature_of

Named = tree.Function | tree.VarDecl


@dataclass(slots=True)
class _One:
    """A name in a file: its item, its linkage, whether it is a definition."""

    file: int
    name: str
    item: Named
    defined: bool

    @property
    def linkage(self) -> str:
        return self.item.linkage

    @property
    def local(self) -> bool:
        """Whether no other file sees it."""
        return self.linkage == "" and not (isinstance(self.item, tree.Function) and self.item.kind == "entry")

    @property
    def span(self) -> Span | None:
        return self.item.span

    @property
    def kind(self) -> str:
        return self.item.kind if isinstance(self.item, tree.Function) else f".{self.item.space} variable"


@dataclass(slots=True)
class _Linker:
    modules: Sequence[tree.Module]
    names: Sequence[str]
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def run(self) -> tree.Module:
        """The module. Raises Diagnostic PTX2330 to PTX2333."""
        headers = self._headers()
        known = list(self._known())
        chosen = self._chosen(known)
        renames = self._renames(known)
        raise_all(self.found)
        items: list[tree.TopItem] = []
        files, declared, variables, bodies = (
            _Files(),
            dict[str, tree.Function](),
            list[tree.VarDecl](),
            list[tree.TopItem](),
        )
        for number, module in enumerate(self.modules):
            numbers = files.add(module)
            adapt = _Adapter(renames[number], numbers)
            for item in module.items:
                if isinstance(item, tree.Function):
                    one = adapt.function(item)
                    self._function(one, item, chosen, declared, bodies)
                elif isinstance(item, tree.VarDecl):
                    variables += self._variable(adapt, item, chosen)
                elif isinstance(item, tree.Words):
                    bodies.append(item)
        items = [*headers, *files.items, *declared.values(), *_references_first(variables), *bodies]
        made = tree.Module(tail="\n")
        made.items = [items[0], *(_on_a_line(item) for item in items[1:])]
        return made

    # -- headers
    def _headers(self) -> list[tree.TopItem]:
        versions = [m.version for m in self.modules]
        targets = [m.target for m in self.modules]
        for name, version, target in zip(self.names, versions, targets, strict=True):
            if version is None or target is None:
                self.found.append(Diagnostic("PTX2333", f"{name} has no .version or no .target"))
        raise_all(self.found)
        best = max(range(len(targets)), key=lambda i: _rank(targets[i]))
        chosen = _target(targets[best])
        for name, target in zip(self.names, targets, strict=True):
            own = _target(target)
            if own is not None and own.suffix and own != chosen:  # its code runs nowhere else
                self.found.append(
                    Diagnostic(
                        "PTX2333",
                        f"{name} is for {target} alone, and {self.names[best]} for {targets[best]}",
                        help="compile all files for one target",
                    )
                )
        if len({m.address_size for m in self.modules}) > 1:
            self.found.append(Diagnostic("PTX2333", "the files have different sizes of addresses"))
        debug = any("debug" in (h.words if (h := m.header(".target")) else ()) for m in self.modules)
        head = tree.Module(max(v for v in versions if v), targets[best], self.modules[0].address_size).items
        return [replace(h, words=(*h.words, ",", "debug")) if debug and isinstance(h, tree.Header) and h.name == ".target" else h
                for h in head]  # fmt: skip

    # -- names
    def _known(self) -> Iterator[_One]:
        for number, module in enumerate(self.modules):
            for item in module.items:
                if isinstance(item, tree.Function):
                    yield _One(number, item.name, item, item.body is not None)
                elif isinstance(item, tree.VarDecl):
                    for d in item.names:
                        yield _One(number, d.name, item, item.linkage != ".extern")

    def _chosen(self, known: Sequence[_One]) -> dict[str, _One]:
        """The definition that every name means which files share."""
        chosen: dict[str, _One] = {}
        for one in known:
            if not one.defined or one.local:
                continue
            before = chosen.get(one.name)
            if before is None or (before.linkage == ".weak" and one.linkage != ".weak"):
                chosen[one.name] = one
            elif before.linkage == ".common" and one.linkage == ".common":
                chosen[one.name] = max(before, one, key=lambda o: _size(o.item, o.name))
            elif one.linkage != ".weak":
                self.found.append(self._twice(before, one))
        for one in known:
            if not one.defined and one.linkage == ".extern" and not _dynamic(one.item):
                self._resolve(one, chosen.get(one.name))
        return chosen

    def _twice(self, before: _One, one: _One) -> Diagnostic:
        where = f" in {self.names[before.file]}" + (f" line {before.span.line}" if before.span else "")
        return Diagnostic(
            "PTX2330",
            f"{self.names[one.file]} defines `{one.name}`, which is defined already{where}",
            help="make one of the two .weak or .extern, or keep it to its file (no .visible)",
            span=one.span,
        )

    def _resolve(self, one: _One, target: _One | None) -> None:
        if target is None:
            if not (isinstance(one.item, tree.Function) and one.name in SYSTEM_FUNCTIONS):
                self.found.append(
                    Diagnostic(
                        "PTX2331",
                        f"{self.names[one.file]} declares `{one.name}` .extern, and no file defines it",
                        help="link the file that does",
                        span=one.span,
                    )
                )
        elif _shape(one.item, one.name) != _shape(target.item, target.name):
            self.found.append(
                Diagnostic(
                    "PTX2332",
                    f"{self.names[one.file]} declares `{one.name}` otherwise than {self.names[target.file]} defines it",
                    help="make the declaration that of the definition",
                    span=one.span,
                )
            )

    def _renames(self, known: Sequence[_One]) -> list[dict[str, str]]:
        """For each file, new names of what it keeps to itself."""
        out: list[dict[str, str]] = [{} for _ in self.modules]
        holders: dict[str, set[int]] = {}
        for one in known:
            holders.setdefault(one.name, set()).add(one.file)
        taken = set(holders)
        for one in known:
            others = holders[one.name] - {one.file}
            if not one.local or not one.defined or not others or one.name in out[one.file]:
                continue
            if all(o > one.file for o in others) and not any(k.name == one.name and not k.local for k in known):
                continue  # the first keeps its name
            number = 1
            while f"{one.name}${number}" in taken:
                number += 1
            out[one.file][one.name] = f"{one.name}${number}"
            taken.add(f"{one.name}${number}")
        return out

    # -- items
    def _function(
        self,
        one: tree.Function,
        original: tree.Function,
        chosen: Mapping[str, _One],
        declared: dict[str, tree.Function],
        bodies: list[tree.TopItem],
    ) -> None:
        target = chosen.get(one.name)
        kept = target is None or target.item is original
        if one.body is not None and kept:
            bodies.append(one)
        if one.kind == "func" and (one.name not in declared or kept):
            linkage = target.linkage if target is not None else one.linkage
            directives = tuple(d for d in one.directives if d.name == ".noreturn")
            declared[one.name] = replace(one, body=None, linkage=linkage, gaps=None, directives=directives)

    def _variable(self, adapt: _Adapter, item: tree.VarDecl, chosen: Mapping[str, _One]) -> Iterator[tree.VarDecl]:
        """What stays of a declaration: what this file defines, and dynamic shared memory."""
        kept = tuple(
            d
            for d in item.names
            if _dynamic(item) or (item.linkage != ".extern" and _mine(d.name, item, adapt, chosen))
        )
        if kept == item.names:
            yield adapt.variable(item)
        elif kept:
            yield replace(adapt.variable(item), names=tuple(adapt.declarator(d) for d in kept), gaps=None)


def _target(name: str | None) -> Target | None:
    try:
        return Target.parse(str(name))
    except ValueError:
        return None


def _rank(target: str | None) -> tuple[int, bool]:
    found = _target(target)
    return (found.number, bool(found.suffix)) if found else (0, False)


def _size(item: Named, name: str) -> int:
    assert isinstance(item, tree.VarDecl)
    return item.type.bytes * (item.vector or 1) * next(d.count for d in item.names if d.name == name)


def _dynamic(item: Named) -> bool:
    """Whether it is an extern shared array, whose size the launch says."""
    return isinstance(item, tree.VarDecl) and item.space == "shared" and item.linkage == ".extern"


def _shape(item: Named, name: str) -> tuple[Any, ...]:
    """What a declaration and its definition must agree on."""
    if isinstance(item, tree.Function):
        return ("function", signature_of(item).sizes)
    d = next(d for d in item.names if d.name == name)
    return item.space, item.type.bytes, item.vector, len(d.dims)


def _mine(name: str, item: tree.VarDecl, adapt: _Adapter, chosen: Mapping[str, _One]) -> bool:
    """Whether a variable of a file is the one that its name means in the whole."""
    return name not in chosen or chosen[name].item is item or name in adapt.names


class _Files:
    """The .file directives of all modules, under numbers that differ."""

    def __init__(self) -> None:
        self.items: list[tree.File] = []
        self._numbers: dict[tuple[str, tuple[str, ...]], int] = {}

    def add(self, module: tree.Module) -> dict[int, int]:
        """New numbers for those of a module."""
        out: dict[int, int] = {}
        for item in module.items:
            if isinstance(item, tree.File):
                key = (item.name, item.rest)
                if key not in self._numbers:
                    self._numbers[key] = len(self._numbers) + 1
                    self.items.append(replace(item, index=self._numbers[key], written="", gaps=None))
                out[item.index] = self._numbers[key]
        return out


class _Adapter:
    """A file's items under the names and numbers of the whole."""

    def __init__(self, names: Mapping[str, str], files: Mapping[int, int]) -> None:
        self.names, self.files = names, files
        self._idle = not names and all(a == b for a, b in files.items())

    def function(self, node: tree.Function) -> tree.Function:
        """A function or kernel."""
        if self._idle:
            return node
        body = self._block(node.body, self._hidden(node)) if node.body is not None else None
        return replace(node, name=self.names.get(node.name, node.name), body=body)

    def variable(self, node: tree.VarDecl) -> tree.VarDecl:
        """A declaration at the top."""
        return replace(node, names=tuple(self.declarator(d) for d in node.names)) if self.names else node

    def declarator(self, d: tree.Declarator) -> tree.Declarator:
        """One of its names."""
        init = None if d.init is None else self._init(d.init)
        renamed = self.names.get(d.name, d.name)
        return replace(d, name=renamed, init=init, group=d.group if renamed == d.name else None)

    def _init(self, item: tree.InitItem) -> tree.InitItem:
        if isinstance(item, tree.InitList):
            return tree.InitList(tuple(self._init(i) for i in item.items))
        if isinstance(item, tree.Reloc):
            return replace(item, name=self.names.get(item.name, item.name))
        return item

    def _hidden(self, node: tree.Function) -> frozenset[str]:
        return frozenset(p.name for p in (*(node.params or ()), *(node.returns or ())))

    def _block(self, block: tree.Block, hidden: frozenset[str]) -> tree.Block:
        """`hidden`: names that mean something else here."""
        own = hidden | {d.name for item in block.items if isinstance(item, tree.VarDecl) for d in item.names}
        return replace(block, items=[self._item(item, own) for item in block.items])

    def _item(self, item: tree.Item, hidden: frozenset[str]) -> tree.Item:
        if isinstance(item, tree.Block):
            return self._block(item, hidden)
        if isinstance(item, tree.Loc):
            return replace(item, file=self.files.get(item.file, item.file), written=())
        if isinstance(item, tree.Words) and item.name == ".calltargets":
            return replace(item, words=tuple(self.names.get(w, w) for w in item.words))
        if isinstance(item, tree.Instruction) and self.names:
            operands = tuple(_renamed(o, lambda n: n if n in hidden else self.names.get(n, n)) for o in item.operands)
            if operands != item.operands:
                return replace(item, operands=operands, instance=None)
        return item


def _renamed(operand: Operand, name: Callable[[str], str]) -> Operand:
    match operand:
        case Symbol() | Label():
            return replace(operand, name=name(operand.name))
        case Addr() | Element():
            return replace(operand, base=_renamed(operand.base, name))  # type: ignore[arg-type]
        case Vec() | Params():
            return replace(operand, items=tuple(_renamed(o, name) for o in operand.items))
        case _:
            return operand


def _references_first(variables: Sequence[tree.VarDecl]) -> list[tree.VarDecl]:
    """Variables behind those that their initialisers name; the order is otherwise kept."""
    home = {d.name: v for v in variables for d in v.names}
    out: dict[int, tree.VarDecl] = {}
    entered: set[int] = set()
    stack: list[tuple[tree.VarDecl, Iterator[str]]] = []
    for variable in variables:
        if id(variable) in entered:
            continue
        entered.add(id(variable))
        stack.append((variable, references(variable)))
        while stack:
            node, names = stack[-1]
            following = next((home[n] for n in names if n in home and id(home[n]) not in entered), None)
            if following is None:
                stack.pop()
                out[id(node)] = node
            else:
                entered.add(id(following))
                stack.append((following, references(following)))
    return list(out.values())


def _on_a_line(item: tree.TopItem) -> tree.TopItem:
    """The item with at least a line break in front."""
    if item.gaps is None or "\n" in item.gaps[0]:
        return item
    return replace(item, gaps=("\n" + item.gaps[0], *item.gaps[1:]))


def link(modules: Sequence[tree.Module], names: Sequence[str]) -> tree.Module:
    """One module from several; `names` are what diagnostics call them.

    Raises Diagnostic: PTX2330 for what two files define, PTX2331 for what none does, PTX2332 for a declaration that is not
    its definition's, PTX2333 for targets that do not go together; the first of all that is wrong, the others in its `also`.
    """
    return _Linker(modules, names).run()
