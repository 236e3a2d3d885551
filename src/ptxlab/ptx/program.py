"""A kernel made flat: what is simulated and checked. `lower` resolves names, scopes and labels and binds every instruction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.bind import Instance
from ptxlab.isa.operands import Reg
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.tree import Function, Instruction, Module
from ptxlab.ptx.variables import Reference, Var


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: `count` elements of `type` (1 for a scalar) at byte `offset` of its block.

    `space` is "param", or "reg" for what a function has in a register. `vector` is 2 or 4 for a vector in registers, or an array
    of vectors.
    """

    name: str
    type: ScalarType
    count: int
    size: int
    align: int
    offset: int
    space: str = "param"
    is_array: bool = False
    vector: int = 0

    @property
    def parts(self) -> tuple[Param, ...]:
        """It, or the elements of a vector one by one, under the names of their registers."""
        size = self.type.bytes
        return tuple(
            replace(self, name=f"{self.name}.{axis}", count=1, size=size, offset=self.offset + i * size, vector=0)
            for i, axis in enumerate("xyzw"[: 0 if self.is_array else self.vector])
        ) or (self,)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and returns, and how: in one block of `size` bytes, the results first."""

    returns: tuple[Param, ...]
    params: tuple[Param, ...]
    size: int

    @property
    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Bytes of each result and of each parameter: what a caller and a function must agree on."""
        return tuple(p.size for p in self.returns), tuple(p.size for p in self.params)


@dataclass(slots=True)
class Op:
    """An instruction of a Program. `guard` is the predicate under which it runs; `node` is where it comes from."""

    inst: Instance
    guard: Reg | None = None
    guard_negated: bool = False
    node: Instruction | None = None
    origin: Span | None = None

    @property
    def text(self) -> str:
        """The instruction as its author wrote it, without guard and semicolon: names of nested scopes are their own."""
        if self.node is None or not self.node.operands:
            return self.inst.text()
        return f"{self.node.opcode} {', '.join(map(str, self.node.operands))}"

    @property
    def span(self) -> Span | None:
        """Its place in the PTX text."""
        return self.node.span if self.node is not None else None


@dataclass(frozen=True, slots=True)
class Misfit:
    """An instruction that fits no row, and what is wrong with it."""

    node: Instruction
    wrong: Diagnostic


@dataclass(frozen=True, slots=True)
class NoteAt:
    """A `k.note`: it stands in front of op `index`, behind these of the labels that stand there, too."""

    index: int
    text: str
    behind: frozenset[str] = frozenset()
    origin: Span | None = None


@dataclass(frozen=True, slots=True)
class Directives:
    """Launch directives of an entry; None where they are absent. Triples are padded with ones."""

    reqntid: tuple[int, int, int] | None = None
    maxntid: tuple[int, int, int] | None = None
    minnctapersm: int | None = None
    maxnreg: int | None = None
    reqnctapercluster: tuple[int, int, int] | None = None
    explicitcluster: bool = False
    maxclusterrank: int | None = None


@dataclass(slots=True)
class Program:
    """A kernel, flat. Registers, labels and variables of nested scopes have unique names.

    registers: those that instructions name. variables: those that instructions, or initialisers of others, name.
    labels: name → index of the op behind it. targets: name of a .branchtargets list → its labels.
    calls: the functions that it calls by name; pointers: those whose address it takes. param_bytes, shared_static: bytes;
    shared_declared: bytes, with the kernel's own variables that nothing names. local_static: bytes of local memory, the
    parameters of its calls included; a function's begin behind the block of its `signature`.
    prototypes: what indirect calls pass, by the name of their .callprototype or .calltargets.
    functions: all functions with a body that the kernel may reach, those called before those that call them.
    notes: what a traced simulation notes, in order.
    misfits: the instructions that are missing, as they fit no row.
    coded: "residues" or "degrees" where its floating-point numbers are codes of these: see sim/families/algebra.
    graph: its basic blocks, once somebody has asked for them: see `flow.graph_of`.
    """

    name: str
    module: Module
    function: Function
    params: list[Param] = field(default_factory=list[Param])
    param_bytes: int = 0
    registers: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    variables: list[Var] = field(default_factory=list[Var])
    ops: list[Op] = field(default_factory=list[Op])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    directives: Directives = field(default_factory=Directives)
    shared_static: int = 0
    shared_declared: int = 0
    calls: tuple[str, ...] = ()
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    notes: list[NoteAt] = field(default_factory=list[NoteAt])
    pointers: tuple[str, ...] = ()
    prototypes: dict[str, Signature] = field(default_factory=dict[str, Signature])
    signature: Signature | None = None
    local_static: int = 0
    functions: list[Program] = field(default_factory=list["Program"])
    misfits: list[Misfit] = field(default_factory=list["Misfit"], compare=False, repr=False)
    coded: str = ""
    graph: object = field(default=None, compare=False, repr=False)

    def variable(self, name: str) -> Var | None:
        """The variable of this name."""
        return next((v for v in self.variables if v.name == name), None)


__all__ = ["Directives", "Misfit", "Op", "Param", "Program", "Reference", "Signature", "Var"]
