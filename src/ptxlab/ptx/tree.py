"""The tree of a whole PTX module. Its nodes can be imported from here too: `tree.Module`, `tree.Instruction`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlab.ptx.nodes import (
    Block,
    Declarator,
    Directive,
    File,
    Function,
    Gaps,
    Header,
    InitItem,
    InitList,
    Instruction,
    Item,
    Label,
    Layout,
    Loc,
    Masked,
    Node,
    Note,
    Param,
    Property,
    Prototype,
    Rebinding,
    RegDecl,
    RegName,
    Reloc,
    Section,
    TopItem,
    VarDecl,
    Words,
    alignment,
    alignments,
    attributes,
    number,
    registers,
    variable,
)
from ptxlab.ptx.numbers import literal
from ptxlab.ptx.printer import text
from ptxlab.ptx.source import Source

__all__ = [
    "Block",
    "Declarator",
    "Directive",
    "File",
    "Function",
    "Gaps",
    "Header",
    "InitItem",
    "InitList",
    "Instruction",
    "Item",
    "Label",
    "Layout",
    "Loc",
    "Masked",
    "Module",
    "Node",
    "Note",
    "Param",
    "Property",
    "Prototype",
    "Rebinding",
    "RegDecl",
    "RegName",
    "Reloc",
    "Section",
    "Source",
    "TopItem",
    "VarDecl",
    "Words",
    "alignment",
    "alignments",
    "attributes",
    "number",
    "registers",
    "variable",
]


class Module:
    """A whole .ptx file. `items` begin with its headers; `tail` is what stands behind the last of them."""

    __slots__ = ("items", "source", "tail")

    def __init__(
        self,
        version: tuple[int, int] | None = None,
        target: str | None = None,
        address_size: int = 64,
        items: Iterable[TopItem] = (),
        *,
        tail: str = "",
        source: Source | None = None,
    ) -> None:
        head: list[TopItem] = []
        if version is not None:
            head.append(Header(".version", (f"{version[0]}.{version[1]}",)))
        if target is not None:
            head += [Header(".target", (target,)), Header(".address_size", (str(address_size),))]
        self.items: list[TopItem] = [*head, *items]
        self.tail = tail
        self.source = source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Module) and self.items == other.items

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return text(self)

    def header(self, name: str) -> Header | None:
        """The header with this name, dot included. Of several .target the last counts, with the options of all."""
        found = [i for i in self.items if isinstance(i, Header) and i.name == name]
        if len(found) < 2:
            return found[0] if found else None
        last = found[-1]
        options = [w for one in found[:-1] for w in one.words if w != "," and not w.startswith("sm_")]
        merged = Header(name, (*last.words, *(w for option in options for w in (",", option))))
        merged.source, merged.start, merged.end = last.source, last.start, last.end
        return merged

    @property
    def version(self) -> tuple[int, int] | None:
        """PTX ISA version; None where the module has none or a malformed one."""
        found = self.header(".version")
        major, _, minor = found.words[0].partition(".") if found and found.words else ("", "", "")
        sound = all(part.isdecimal() and len(part) <= 4 for part in (major, minor))
        return (int(major), int(minor)) if sound else None

    @property
    def target(self) -> str | None:
        """E.g. "sm_90a"; further words of .target such as `debug` are left out."""
        found = self.header(".target")
        return found.words[0] if found and found.words else None

    @property
    def address_size(self) -> int:
        """Bits of an address: 64, or 32 as PTX has it when nothing is said."""
        found = self.header(".address_size")
        size = literal(found.words[0]) if found and found.words else None
        return int(size.value) if size is not None and not size.is_float else 32

    def functions(self) -> Iterator[Function]:
        """All kernels and functions, declarations included."""
        return (i for i in self.items if isinstance(i, Function))

    def entries(self) -> list[Function]:
        """The kernels."""
        return [f for f in self.functions() if f.kind == "entry" and f.body is not None]

    def function(self, name: str) -> Function | None:
        """The function or kernel of this name; one with a body before a mere declaration."""
        found = [f for f in self.functions() if f.name == name]
        return next((f for f in found if f.body is not None), found[0] if found else None)
