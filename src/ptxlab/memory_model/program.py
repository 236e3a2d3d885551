"""A litmus test as the deciders see it: threads of steps over named locations, and the question about how they may end.

Front ends (`herd` for the litmus format, others for PTX) make these from instructions that are bound to their rows; what a step
orders, in which proxy and with which completion, is what the row's effect says, in the words of `ptxlab.isa.effects`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from ptxlab.diag import Span
from ptxlab.isa.effects import Join
from ptxlab.memory_model.condition import Condition


@dataclass(frozen=True, slots=True)
class Register:
    """A register of the thread."""

    name: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a variable. A test knows whole variables alone: two accesses overlap completely or not at all."""

    name: str

    def __str__(self) -> str:
        return self.name


Value: TypeAlias = int | Pointer
"""What a register or a location may hold."""
Operand: TypeAlias = int | Pointer | Register


def split_place(name: str) -> tuple[str, int]:
    """The variable of a place such as `x+4`, and how far behind its start the place is."""
    variable, _, offset = name.partition("+")
    return variable, int(offset or 0)


def in_cta(name: str, cta: int) -> str:
    """The name of the same shared variable in another CTA: s.1 for s.0. What has no number of a CTA is called the same."""
    element, plus, offset = name.partition("+")
    base, dot, number = element.rpartition(".")
    return f"{base}.{cta}{plus}{offset}" if dot and number.isdigit() else name


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thread runs. CTAs and clusters are numbered within their GPU and grid.

    `grid`: which of several grids, each of which depends on the one before it.
    """

    cta: int = 0
    gpu: int = 0
    cluster: int | None = None
    grid: int = 0

    @property
    def own_cta(self) -> tuple[int, ...]:
        """What all threads of its CTA have in common."""
        return (self.gpu, self.grid, self.cta)

    @property
    def own_cluster(self) -> tuple[int, ...]:
        """What all threads of its cluster have in common: without one, a CTA is a cluster of its own."""
        return (self.gpu, self.grid, -1, self.cta) if self.cluster is None else (self.gpu, self.grid, self.cluster)

    def includes(self, scope: str | None, other: Place) -> bool:
        """Whether `scope`, named by a thread here, holds a thread there."""
        match scope:
            case "cta":
                return self.own_cta == other.own_cta
            case "cluster":
                return self.own_cluster == other.own_cluster
            case "gpu":
                return self.gpu == other.gpu
            case "sys":
                return True
            case _:
                return False


@dataclass(frozen=True, slots=True)
class Variable:
    """A name for memory.

    Attributes:
        location: the memory itself: aliases have the same one.
        address: the virtual address by which it is reached: names that differ in the proxy alone have the same one.
        proxy: the proxy of accesses through this name; None: the instruction's own.
        init: what is there when the threads start; None: nothing has been written there.
        space: global, shared or const: what a fence of one state space is about.
        count: of an mbarrier that is initialised when the threads start: the arrivals of a phase.
        owner: the CTA in whose shared memory it lies, where the test says so.
    """

    name: str
    location: str
    address: str
    proxy: str | None = None
    init: Value | None = 0
    space: str = "global"
    count: int | None = None
    owner: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One instruction. `text` as it is written; `span` its place in the file."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Step):
    """A read into a register. `bytes`: of the access; 0 where it has no size of its own."""

    register: Register | None
    address: Operand
    order: str = "weak"
    scope: str | None = None
    proxy: str = "generic"
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Store(Step):
    """A write of a value."""

    address: Operand
    value: Operand
    order: str = "weak"
    scope: str | None = None
    proxy: str = "generic"
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Step):
    """A read and a write that nothing comes between: atom, or red where no register gets what was read.

    `update` is what the row calls it (add, exch, cas …); `values` are its operands.
    """

    register: Register | None
    address: Operand
    update: str
    values: tuple[Operand, ...]
    order: str = "relaxed"
    scope: str | None = None
    proxy: str = "generic"
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceStep(Step):
    """A fence, of the generic proxy or between proxies (`joins`)."""

    order: str
    scope: str
    joins: tuple[Join, ...] = ()
    space: str | None = None
    only: str | None = None
    over: Operand | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BarrierStep(Step):
    """An execution barrier.

    Attributes:
        level: cta or cluster. kind: sync, arrive or wait.
        name: what tells this barrier from others of its level. count: how many threads arrive in a phase; None: all whose
            program names the barrier.
        order: what it orders, as in the row.
    """

    level: str
    kind: str
    name: tuple[Operand, ...] = ()
    count: Operand | None = None
    order: str = "acq_rel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compute(Step):
    """Arithmetic: mov, add, sub, mul, div …; mapa."""

    register: Register
    op: str
    values: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Step):
    """Goes to the step `target` if `a op b` (eq, ne, lt, le, gt, ge); always where `op` is None."""

    target: int
    op: str | None = None
    a: Operand = 0
    b: Operand = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(Step):
    """An asynchronous operation: an agent of its own that reads, writes and completes.

    Attributes:
        source: what it copies; None: it writes `value`, which the thread gives when it issues it.
        target: where it writes; None: it reads alone. update: what it does to memory where it does not just write.
        also: further locations that it reads and adds to what it writes: the other operands of a wgmma.
        through: a tensor map, which holds the address of the tensor: the source or the target, whichever is None.
        order, scope: of its writes. proxy: of its reads and writes.
        completion: the mechanism, a key of `COMPLETIONS`. mbarrier: where that counts bytes. bytes: how many.
        stores: through a map it writes the tensor, and reads it otherwise.
        inherits: whether it is ordered after what stands before it in the thread; a wgmma after what a wgmma.fence closes alone.
        multicast: a bit for each CTA of the cluster that gets what is written, and a report to its mbarrier.
    """

    source: Operand | None
    target: Operand | None
    value: Operand = 0
    update: str | None = None
    also: tuple[Operand, ...] = ()
    through: Operand | None = None
    stores: bool = False
    order: str = "weak"
    scope: str | None = None
    proxy: str = "async"
    completion: str = "none"
    mbarrier: Operand | None = None
    bytes: int = 0
    inherits: bool = True
    multicast: Operand | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStep(Step):
    """`commit` of or `wait` for a group of asynchronous operations; `fence` of wgmma."""

    kind: str
    group: str
    pending: int = 0
    reads_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MbarrierStep(Step):
    """An operation on an mbarrier.

    Attributes:
        kind: init, arrive, arrive_drop, expect_tx, complete_tx, wait, inval. after: the operations that have to be done before it.
        count: of init, the arrivals of a phase; of arrive, how many it stands for. bytes: that it expects or completes.
        parity: of the phase that a wait waits for. register: gets whether that is over.
    """

    kind: str
    address: Operand
    count: Operand = 1
    bytes: Operand = 0
    parity: Operand = 0
    register: Register | None = None
    order: str = "weak"
    scope: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish(Step):
    """tensormap.cp_fenceproxy: a copy of a tensor map, and the releasing half of a proxy fence behind it."""

    source: Operand
    target: Operand
    scope: str
    joins: tuple[Join, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridStep(Step):
    """griddepcontrol: `wait` for the end of the grids before this one, or `launch_dependents`."""

    kind: str


def registers_of(step: Step, *, written: bool, but: Sequence[str] = ()) -> Iterator[str]:
    """The registers that a step writes, or those that it reads; `but`: in other fields than these."""
    for found in fields(step):
        if found.name in but:
            continue
        value: object = getattr(step, found.name)
        for one in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(one, Register) and (found.name == "register") == written:
                yield one.name


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread: its name, place, steps, and what its registers hold at the start."""

    name: str
    place: Place
    steps: tuple[Step, ...]
    registers: Mapping[str, Value] = field(default_factory=dict[str, Value])


@dataclass(frozen=True, slots=True)
class Program:
    """A litmus test.

    Attributes:
        quantifier: "exists", "~exists" or "forall"; None: no question is asked, all outcomes are.
        condition: what is asked of the ends. filter: the ends that are looked at.
        file: what diagnostics call the text.
    """

    name: str
    threads: tuple[Thread, ...]
    variables: Mapping[str, Variable]
    quantifier: str | None
    condition: Condition | None
    filter: Condition | None = None
    file: str = "<litmus>"
    doc: str = ""
    shown: tuple[tuple[str, str], ...] = ()
    """Registers and locations (thread "" for those) that are to be shown besides those of the condition."""

    def ctas(self, place: Place) -> list[int]:
        """The CTAs of a place's cluster, by rank."""
        return sorted({t.place.cta for t in self.threads if t.place.own_cluster == place.own_cluster})
