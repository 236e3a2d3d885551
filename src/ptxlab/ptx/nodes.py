"""The nodes of a PTX module: what the parser reads, the language builds and the printer writes.

Every node carries its layout apart from its meaning. `gaps` holds the white space and comments in front of each of the
node's own tokens (the first one stands in front of the node); None means the canonical layout. Equality of nodes ignores
layout and places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from ptxlab.diag import Span
from ptxlab.isa.operands import Imm, Not, Operand, Reg
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.numbers import expression, literal
from ptxlab.ptx.source import Source

if TYPE_CHECKING:
    from ptxlab.isa.bind import Instance

Gaps: TypeAlias = "tuple[str, ...] | None"
SPECIFIERS: Final = (".align", ".attribute")
"""What may stand in front of a declaration's state space, or behind it."""


@dataclass(slots=True)
class Node:
    """Base of all nodes. `origin` is the Python line that made it, if one did."""

    gaps: Gaps = field(default=None, compare=False, repr=False, kw_only=True)
    source: Source | None = field(default=None, compare=False, repr=False, kw_only=True)
    start: int = field(default=0, compare=False, repr=False, kw_only=True)
    end: int = field(default=0, compare=False, repr=False, kw_only=True)
    origin: Span | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def span(self) -> Span | None:
        """Where it stands in the PTX text; None for a node that was not parsed."""
        return None if self.source is None else self.source.span(self.start, self.end)


@dataclass(slots=True)
class Layout:
    """White space within an instruction; shared between the many that look alike.

    before: in front of the first token. guard: between guard and opcode. opcode: between opcode and operands. inner: in front
    of every further token of the operands, None where they stand as the printer writes them. end: in front of the semicolon.
    spelling: an opcode and how the text writes it, where that has gaps between its modifiers. apart: for each token of the
    operands whose selector stands apart (`%tid .x`), its index, and what stands between.
    """

    before: str
    guard: str = " "
    opcode: str = " "
    inner: tuple[str, ...] | None = None
    end: str = ""
    spelling: tuple[str, str] | None = None
    apart: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True)
class Instruction(Node):
    """One instruction. `opcode` has all its modifiers; `instance` is the row that it was bound to, once it was."""

    opcode: str
    operands: tuple[Operand, ...] = ()
    guard: Reg | Not | None = None
    instance: Instance | None = field(default=None, compare=False, repr=False)
    layout: Layout | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Label(Node):
    """A label: `name:`."""

    name: str


@dataclass(slots=True)
class Words(Node):
    """A directive of no further structure, kept as its tokens: .pragma, .file, .branchtargets, .alias …

    `name` is the directive with its dot; `words` are its arguments as written (commas included); `terminated`: by a semicolon.
    """

    name: str
    words: tuple[str, ...] = ()
    terminated: bool = True


@dataclass(slots=True)
class Note(Words):
    """What `k.note` leaves: a comment, which is `name`, and the text that a traced simulation notes here."""

    text: str = ""


@dataclass(slots=True)
class Header(Node):
    """.version, .target or .address_size, with its arguments as written."""

    name: str
    words: tuple[str, ...]


@dataclass(slots=True)
class Loc(Node):
    """`.loc file line column`: the source line of what follows. `rest` holds function_name and inlined_at.

    `written` is the three numbers as the text has them where that is not the usual spelling.
    """

    file: int
    line: int
    column: int
    rest: tuple[str, ...] = ()
    written: tuple[str, ...] = field(default=(), compare=False)

    @property
    def inlined_at(self) -> tuple[int, int, int] | None:
        """File, line and column of the call that the code was inlined at; None where it was not."""
        numbers = [found.value for word in self.rest[-3:] if (found := literal(word)) is not None]
        return (int(numbers[0]), int(numbers[1]), int(numbers[2])) if len(numbers) == 3 else None


@dataclass(slots=True)
class File(Node):
    """`.file index "name"`: names a source file for .loc. `written` is an index in an unusual spelling."""

    index: int
    name: str
    rest: tuple[str, ...] = ()
    written: str = field(default="", compare=False)


@dataclass(slots=True)
class Section(Node):
    """A .section of debug data: its name and the tokens between its braces."""

    name: str
    words: tuple[str, ...]


@dataclass(slots=True)
class Directive(Node):
    """A directive between a function's parameters and its body: .reqntid 128, 1, 1 …"""

    name: str
    values: tuple[Imm, ...] = ()
    words: tuple[str, ...] = ()  # arguments that are no numbers: .pragma "nounroll", .attribute(…)
    terminated: bool = False


@dataclass(slots=True)
class RegName:
    """One name of a .reg line; with `count` it stands for name0 … name<count-1>."""

    name: str
    count: Imm | None = None


@dataclass(slots=True)
class Declaration(Node):
    """What declares a register, variable or parameter: `.align` and `.attribute` stand behind the state space, once each.

    Where they do not, `ahead` is the tokens of those in front of the space, `surplus` those behind it that stand in front of the
    usual ones.
    """

    ahead: tuple[str, ...] = field(default=(), kw_only=True)
    surplus: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(slots=True)
class RegDecl(Declaration):
    """`.reg .b32 %r<12>, x;`. `vector` is 2 or 4 for the vector registers of old PTX."""

    type: ScalarType
    names: tuple[RegName, ...]
    vector: int = 0
    align: Imm | None = None
    attributes: tuple[str, ...] = ()


@dataclass(slots=True)
class Reloc:
    """The address of a symbol in an initialiser: name+addend, as a generic address when `generic`.

    `mask` is the number in 0xFF00(name), which takes these bits of the address alone.
    """

    name: str
    addend: tuple[str, ...] = ()
    generic: bool = False
    mask: str = ""

    @property
    def offset(self) -> int:
        """The addend as a number."""
        found = expression(self.addend)
        return int(found.value) if found is not None else 0


@dataclass(slots=True)
class Masked:
    """0xFF00(0x1234) in an initialiser: the byte of a number that the mask picks."""

    mask: str
    value: Imm

    @property
    def byte(self) -> Imm:
        """What the variable holds."""
        mask = literal(self.mask)
        bits = int(mask.value) if mask is not None else 0
        lowest = max(0, (bits & -bits).bit_length() - 1)
        picked = (int(self.value.value) & bits) >> lowest
        return Imm(picked, str(picked))


@dataclass(slots=True)
class InitList:
    """Braces in an initialiser."""

    items: tuple[InitItem, ...]


@dataclass(slots=True)
class Property:
    """`width = 3`, `filter_mode = linear`: a property of a texture, sampler or surface in its initialiser."""

    name: str
    value: Imm | str


InitItem: TypeAlias = "Imm | Masked | Reloc | Property | InitList"


@dataclass(slots=True)
class Declarator:
    """One variable of a declaration: name, extents (None for `[]`), initialiser.

    `group`: what is written for it and its like, e.g. `a<3>` for a0, a1 and a2; they stand side by side.
    """

    name: str
    dims: tuple[Imm | None, ...] = ()
    init: InitItem | None = None
    group: RegName | None = None

    @property
    def count(self) -> int:
        """The number of elements; 0 when an extent is left open."""
        total = 1
        for d in self.dims:
            total *= int(d.value) if d is not None else 0
        return total


@dataclass(slots=True)
class VarDecl(Declaration):
    """A variable: `.visible .global .align 4 .b8 name[16] = {…};`. `space` is global, shared, const, local or param.

    `attributes` are the tokens of .attribute(…). A .param in a function's body is one too.
    """

    space: str
    type: ScalarType
    names: tuple[Declarator, ...]
    align: Imm | None = None
    linkage: str = ""  # ".visible", ".extern", ".weak", ".common" or nothing
    vector: int = 0
    attributes: tuple[str, ...] = ()


@dataclass(slots=True)
class Param(Declaration):
    """A parameter. `ptr` with the space and alignment of what it points at: .param .u64 .ptr .global .align 16 a.

    `vector` is 2 or 4 for a vector in registers, or an array of vectors.
    """

    type: ScalarType
    name: str
    dims: tuple[Imm | None, ...] = ()
    align: Imm | None = None
    space: str = "param"  # or "reg", for functions
    ptr: bool = False
    ptr_space: str = ""
    ptr_align: Imm | None = None
    attributes: tuple[str, ...] = ()
    align_first: bool = True
    vector: int = 0

    @property
    def size(self) -> int:
        """Bytes."""
        count = 1
        for d in self.dims:
            count *= int(d.value) if d is not None else 0
        return count * self.type.bytes * (self.vector or 1)


@dataclass(slots=True)
class Block(Node):
    """A scope in braces; `gaps` holds those in front of the two braces."""

    items: list[Item] = field(default_factory=list["Item"])


@dataclass(frozen=True, slots=True)
class Rebinding:
    """A name of Python that a block of the language leaves bound to something else than it found.

    Attributes:
        name: as Python has it, an element with its index.
        old: what it was bound to: a register, an address, or a number as it is written.
        register: the register that it is bound to behind the block; "" for anything else.
        type: of a register that could hold it.
        fixed: whether the old register is set once, at the kernel's entry.
        block: how the block is written. place: the line of the new binding.
        lost: whether the code reads the old value where Python, which runs through the block once, suggests the new one.
    """

    name: str
    old: str
    register: str
    type: str
    fixed: bool
    block: str
    place: Span
    lost: bool


@dataclass(slots=True)
class Function(Node):
    """A kernel (`kind` "entry") or function ("func"). Without a body it is a declaration.

    `terminated`: whether a declaration ends with a semicolon, which ptxas does not ask for behind a function.
    `rebound`: of a traced kernel, names of Python that its blocks bind anew.
    """

    kind: str
    name: str
    params: tuple[Param, ...] | None = ()
    returns: tuple[Param, ...] | None = None
    directives: tuple[Directive, ...] = ()
    body: Block | None = None
    linkage: str = ".visible"
    terminated: bool = True
    rebound: tuple[Rebinding, ...] = field(default=(), compare=False, repr=False)

    def directive(self, name: str) -> Directive | None:
        """The launch directive with this name, dot included."""
        return next((d for d in self.directives if d.name == name), None)


@dataclass(slots=True)
class Prototype(Node):
    """`name: .callprototype (…) _ (…);` for indirect calls."""

    name: str
    params: tuple[Param, ...] | None = None
    returns: tuple[Param, ...] | None = None
    callee: str = "_"
    words: tuple[str, ...] = ()


Item: TypeAlias = "Instruction | Label | RegDecl | VarDecl | Block | Loc | Words | Prototype"
TopItem: TypeAlias = "Header | Function | VarDecl | RegDecl | File | Section | Words | Loc"


def alignments(node: RegDecl | VarDecl | Param) -> list[int]:
    """All alignments that a declaration names."""
    words = (*node.ahead, *node.surplus)
    marks = [i for i, word in enumerate(words) if word in SPECIFIERS]
    named = [words[i + 1 : j] for i, j in zip(marks, [*marks, len(words)][1:], strict=True) if words[i] == ".align"]
    found = [*map(expression, named), node.align]
    return [int(one.value) for one in found if one is not None]


def alignment(node: VarDecl | Param) -> int:
    """The largest of its alignments and the size of an element: ptxas aligns nothing to less than that."""
    return max(1, node.type.bytes * (node.vector or 1), *alignments(node))  # a predicate has no bytes


def attributes(node: RegDecl | VarDecl | Param) -> tuple[str, ...]:
    """All attributes of a declaration, as their tokens."""
    return tuple(word for words in (node.ahead, node.surplus, node.attributes) for word in _attributes(words))


def _attributes(words: tuple[str, ...]) -> Iterator[str]:
    wanted = False
    for word in words:
        wanted = word == ".attribute" if word in SPECIFIERS else wanted
        if wanted:
            yield word


def number(value: int) -> Imm:
    """An integer as the language writes it."""
    return Imm(value, str(value))


def registers(type: ScalarType, prefix: str, count: int) -> RegDecl:
    """`.reg .type prefix<count>;`."""
    return RegDecl(type, (RegName(prefix, number(count)),))


def variable(
    space: str, type: ScalarType, name: str, count: int | None = None, *, align: int | None = None, linkage: str = ""
) -> VarDecl:
    """A variable: a scalar without `count`, an open array `[]` (extern shared memory) with 0, else an array."""
    dims: tuple[Imm | None, ...] = () if count is None else (number(count) if count else None,)
    return VarDecl(space, type, (Declarator(name, dims),), None if align is None else number(align), linkage)
