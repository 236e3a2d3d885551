"""Random programs: a tree of statements, and the kernel that it makes.

Any statement may be left out of a program, and what is left is a program: all registers hold something from the start, labels
belong to the statement that branches to them, and nothing counts on what another statement leaves. So a difference between two
machines can be made small by leaving out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from ptxlab.conformance.micro.kernel import THREADS, Column, Micro, MicroBatch
from ptxlab.conformance.micro.memory import table
from ptxlab.conformance.programs.hidden import opaque

FAMILY: Final = "programs"
"""What stands for a family where the cases are programs."""
CTAS: Final = 4
"""CTAs of the grid of every program."""
SLOTS: Final = 16
"""Bytes of a lane's global memory that no other lane touches; the next 8 are for others to read, the last 8 to add up."""
LINE: Final = 32
"""Bytes of shared memory of a lane, and of its local memory."""

POOLS: Final = {1: ("p", 6), 8: ("b", 4), 16: ("h", 8), 32: ("r", 16), 64: ("x", 8), 128: ("q", 2)}
"""Registers that statements compute with: name and count by bits."""
_TYPES: Final = {
    "p": ("pred",) * 6,
    "h": ("f16", "bf16", "u16", "s16") * 2,
    "r": ("f32",) * 4 + ("u32",) * 4 + ("s32", "s32", "b32", "b32", "f16x2", "f16x2", "bf16x2", "s16x2"),
    "x": ("f64",) * 3 + ("b64",) * 3 + ("u64", "s64"),
}
_COLUMNS: Final = tuple(Column(f"{name}{i}", t) for name, types in _TYPES.items() for i, t in enumerate(types))
_SUMS: Final = (Column("sum", "b32"), Column("wide", "b64"))


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A statement: one instruction or several that belong together."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """A statement of statements: frame, part, frame, part, …, frame."""

    frame: tuple[str, ...]
    parts: tuple[tuple[Node, ...], ...]


Node: TypeAlias = "Line | Nest"


def rendered(nodes: Sequence[Node]) -> Iterator[str]:
    """Statements as lines of text."""
    for node in nodes:
        if isinstance(node, Line):
            yield node.text
            continue
        yield node.frame[0]
        for text, part in zip(node.frame[1:], node.parts, strict=True):
            yield from rendered(part)
            yield text


def size(nodes: Sequence[Node]) -> int:
    """How many statements there are, nested ones included."""
    return sum(1 if isinstance(n, Line) else 1 + sum(map(size, n.parts)) for n in nodes)


# Shared memory of a CTA: lines of the lanes, words to exchange, cells to add up, mbarriers, words that other CTAs read.
EXCHANGE: Final = LINE * THREADS
CELLS: Final = EXCHANGE + 16 * THREADS
BARS: Final = CELLS + 8 * THREADS
BAR: Final = BARS + 8 * THREADS
DISTRIBUTED: Final = BAR + 128
_SHARED: Final = DISTRIBUTED + 16 * THREADS


@dataclass(frozen=True, eq=False)
class Program:
    """A program.

    Attributes:
        name: tells it from others of the seed that its operands come from.
        cluster: CTAs of a cluster; 0 for none.
        functions: that it calls; `functions_head` declares them and their tables.
        body: what its threads do.
    """

    name: str
    cluster: int
    head: str
    functions: tuple[Nest, ...]
    tail: str
    body: tuple[Node, ...]

    @cached_property
    def micro(self) -> Micro:
        """The kernel."""
        module = "\n".join([table(), self.head, *rendered(self.functions), self.tail])
        body = "\n    ".join([_PROLOGUE, _TOGETHER if self.cluster else "", *rendered(self.body), self._epilogue()])
        return kernel(self.name, self.cluster, module, body)

    @property
    def text(self) -> str:
        """PTX."""
        return MicroBatch((self.micro,)).text

    def _epilogue(self) -> str:
        return f"{_TOGETHER} {_EPILOGUE}" if self.cluster else _EPILOGUE


def kernel(name: str, cluster: int, module: str, body: str) -> Micro:
    """The kernel of a program, which has the operands and columns of all programs."""
    return Micro(
        family=FAMILY,
        row="program",
        text=name,
        inputs=_COLUMNS,
        outputs=(*_COLUMNS, *_SUMS),
        body=body,
        shared=_SHARED,
        cluster=cluster,
        module=module,
        lanes=CTAS * THREADS,
    )


_TOGETHER: Final = "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"

DECLARED: Final = """.reg .b128 %q<2>; .reg .b8 %b<4>; .reg .pred %tp, %tq, %c<400>; .reg .b16 %tl, %th;
    .reg .b32 %tw, %tv, %m<400>, %n<400>; .reg .b64 %tx, %ty; .local .align 32 .b8 own[32]; .reg .b64 %lp;"""
"""What every body has besides its pools: temporaries, conditions, masks, counters, local memory."""

FILLED: Final = (
    """mov.b128 %q0, {%x0, %x1}; mov.b128 %q1, {%x2, %x3}; mov.b16 {%b0, %b1}, %h0; mov.b16 {%b2, %b3}, %h1;"""
)
"""What gives registers beside the pools their first values: what nobody has written depends on who assembles it."""

_PROLOGUE: Final = f"""{DECLARED} .reg .b32 %sp, %se, %sc, %sb, %bar, %ph, %cp, %sd; .reg .b64 %policy, %gp, %gl, %accs, %raw0;
    {FILLED}
    mov.u32 %sum, %g; mov.u64 %wide, 0x9e3779b97f4a7c15; createpolicy.fractional.L2::evict_last.b64 %policy;
    {" ".join([*opaque(32, ["%mem"]), *opaque(64, ["%policy", "%slot", "%raw"])])}
    mad.lo.u32 %sp, %t, {LINE}, %mem; mad.lo.u32 %se, %t, 16, %mem; add.u32 %se, %se, {EXCHANGE};
    add.u32 %sc, %mem, {CELLS}; mad.lo.u32 %sb, %t, 8, %mem; add.u32 %sb, %sb, {BARS}; add.u32 %bar, %mem, {BAR};
    mad.lo.u32 %sd, %t, 16, %mem; add.u32 %sd, %sd, {DISTRIBUTED}; mov.u32 %ph, 0; mov.u32 %cp, 0;
    cvt.u64.u32 %gp, %sp; cvta.shared.u64 %gp, %gp; mov.u64 %lp, own; cvta.local.u64 %gl, %lp;
    mul.wide.u32 %accs, %t, 32; sub.u64 %accs, %slot, %accs; add.u64 %accs, %accs, 24;
    ld.global.v2.b64 {{%tx, %ty}}, [%raw]; st.shared.v2.b64 [%sp], {{%tx, %ty}}; st.shared.v2.b64 [%se], {{%ty, %tx}};
    st.shared.v2.b64 [%sd], {{%tx, %tx}}; st.local.v2.b64 [%lp], {{%ty, %tx}};
    ld.global.v2.b64 {{%tx, %ty}}, [%raw+16]; st.shared.v2.b64 [%sp+16], {{%tx, %ty}}; st.local.v2.b64 [%lp+16], {{%ty, %tx}};
    st.global.v2.b64 [%slot], {{%tx, %ty}}; st.global.v2.b64 [%slot+16], {{%ty, %tx}};
    add.u32 %tw, %sb, {CELLS - BARS}; st.shared.b64 [%tw], %ty;
    mbarrier.init.shared::cta.b64 [%sb], 1; setp.eq.u32 %tp, %t, 0; @%tp mbarrier.init.shared::cta.b64 [%bar], {THREADS};
    fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;"""

_LEFT: Final = (
    *(
        ("shared", "%sp"),
        ("shared", "%sp+16"),
        ("local", "%lp"),
        ("local", "%lp+16"),
        ("shared", "%se"),
        ("shared", "%sd"),
    ),
    *(("global", "%slot"), ("global", "%slot+16")),
)
"""Memory of a lane that is looked at in the end."""
_MORE: Final = "mad.lo.u64 %wide, %wide, 0xd1342543de82ef95,"
_EPILOGUE: Final = f"""bar.sync 0;
    mov.b16 %tl, {{%b0, %b1}}; xor.b16 %h0, %h0, %tl; mov.b16 %tl, {{%b2, %b3}}; xor.b16 %h1, %h1, %tl;
    mov.b128 {{%tx, %ty}}, %q0; xor.b64 %x0, %x0, %tx; xor.b64 %x1, %x1, %ty;
    mov.b128 {{%tx, %ty}}, %q1; xor.b64 %x2, %x2, %tx; xor.b64 %x3, %x3, %ty;
    {" ".join(f"ld.{space}.v2.b64 {{%tx, %ty}}, [{at}]; {_MORE} %tx; {_MORE} %ty;" for space, at in _LEFT)}
    add.u32 %tw, %sb, {CELLS - BARS}; ld.shared.b64 %tx, [%tw]; {_MORE} %tx;"""


def pools() -> str:
    """Declarations of the pools of a function; those of a kernel are its columns."""
    kinds = {1: "pred", 8: "b8", 16: "b16", 32: "b32", 64: "b64", 128: "b128"}
    names = ((f".{kinds[b]}", *POOLS[b]) for b in (1, 16, 32, 64))
    return " ".join(f".reg {kind} %{name}<{count}>;" for kind, name, count in names)
