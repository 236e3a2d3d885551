"""A kernel made flat: what is simulated and checked. `lower` resolves names, scopes and labels and binds every instruction."""

from __future__ import annotations

from dataclasses import dataclass, field

from ptxlab.diag import Span
from ptxlab.isa.bind import Instance
from ptxlab.isa.operands import Reg
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.tree import Function, Module


@dataclass(frozen=True, slots=True)
class Param:
    """A kernel parameter: `count` elements of `type` (1 for a scalar) at byte `offset` of the parameter block."""

    name: str
    type: ScalarType
    count: int
    size: int
    align: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reference:
    """The address of `symbol` + `addend` that stands at byte `offset` of an initialiser, `size` bytes of it."""

    offset: int
    size: int
    symbol: str
    addend: int
    generic: bool


@dataclass(frozen=True, slots=True)
class Var:
    """A variable that the kernel can reach. `space`: shared, global, const, local or param (of a call).

    `init` holds its bytes (None: zeros, or uninitialised for shared and local memory); `references` the addresses in it.
    `offset`: within the CTA's static shared memory for shared, within the thread's frame for local, else 0.
    An extern shared array begins where the static ones end; its size is 0.
    """

    name: str
    space: str
    type: ScalarType
    size: int
    align: int
    init: bytes | None = None
    references: tuple[Reference, ...] = ()
    offset: int = 0
    extern: bool = False


@dataclass(slots=True)
class Op:
    """An instruction of a Program. `guard` is the predicate under which it runs."""

    inst: Instance
    guard: Reg | None = None
    guard_negated: bool = False
    span: Span | None = None
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
    """A kernel, flat. Registers of nested scopes have unique names; `labels` maps a name to the index of the op behind it."""

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
    has_dynamic_shared: bool = False
    calls: tuple[str, ...] = ()
