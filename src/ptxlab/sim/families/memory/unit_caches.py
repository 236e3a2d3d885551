"""The L1 caches of the SMs, as far as weak polls and those of CTA scope see them.

Only what such polls have read is held. An SM's own threads update it as they write; what other SMs write is not visible until the
SM invalidates the line. Eviction for other data is not modelled: no kernel may depend on it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access
from ptxlab.isa.operands import Addr, Reg, Vec
from ptxlab.isa.types import TYPES
from ptxlab.sim.engine.decoded.caches import forgets_all
from ptxlab.sim.engine.decoded.decode import CACHED, FORGETS
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.engine.machine.naming import cta_name, lanes_of
from ptxlab.sim.engine.machine.trap import DONE, INSTEAD, Outcome, Unit, Waiting, trap, unit
from ptxlab.sim.engine.units.events import located

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

LINE = 128
"""Bytes that a cache forgets together."""
_HELP = (
    "poll with .gpu scope, as ld.acquire.gpu or ld.relaxed.gpu do, or with ld.volatile: these read past the SM's cache"
)


@dataclass(eq=False)
class Word:
    """What a poll has read, and an SM holds.

    Attributes:
        memory: a view of it. held: what the SM reads there. seen: what memory held when it was last looked at.
        reader: the warp whose poll has brought it. op: that poll.
        writer, store: the CTA on another SM that has changed it, and the instruction, in words; "" where none has, or nobody knows.
    """

    memory: NDArray[np.uint8]
    held: bytes
    seen: bytes
    reader: Warp
    op: Op
    writer: str = ""
    store: str = ""


@unit
class Caches(Unit):
    """What the SMs hold, by SM and address."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.words: dict[tuple[int, int], Word] = {}

    def cluster_finished(self, cluster: Cluster) -> None:
        self.words = {k: s for k, s in self.words.items() if s.reader.cta.cluster is not cluster}

    def forget(self, sm: int, lines: Container[int] | None = None) -> None:
        """An SM forgets some lines; all of them for None."""
        self.words = {k: w for k, w in self.words.items() if k[0] != sm or not (lines is None or k[1] // LINE in lines)}

    def turned(self, cta: Cta) -> None:
        self.note(cta)

    def note(self, cta: Cta) -> None:
        """What has changed since the last look, this CTA has written."""
        for (sm, at), word in self.words.items():
            now = word.memory.tobytes()
            if now == word.seen:
                continue
            word.seen = now
            if sm == _sm_of(cta):
                word.held, word.writer = now, ""
            elif now != word.held:
                word.writer, word.store = f"{cta_name(cta)} on another SM", _store(cta, at)

    def read(self, ctx: TrapContext, at: int, nbytes: int) -> tuple[bytes, Word | None]:
        """The bytes that an SM reads, and where they are not what memory holds, what it holds instead."""
        key = _sm_of(ctx.cta), at
        word = self.words.get(key)
        if word is None or len(word.seen) != nbytes:
            memory = ctx.global_view(at, nbytes)
            now = memory.tobytes()
            word = self.words[key] = Word(memory, now, now, ctx.warp, ctx.op)
        return word.held, word if word.held != word.seen else None

    def warn(self, ctx: TrapContext, at: int, word: Word) -> None:
        """Warn, once for a poll."""
        findings, op = self.machine.report.findings, ctx.op
        if any(d.code == "PTX9029" and d.span == op.span for d in findings):
            return
        words = (
            f"`{op.text}` of {cta_name(ctx.cta)} reads {name_of(self.machine, at)} as its SM's cache holds it, and not what "
            f"{word.writer} has written since{word.store}"
        )
        findings.append(located(Diagnostic("PTX9029", words, isa=op.inst.form.isa, help=_HELP), op))

    def deadlock_notes(self) -> list[Waiting]:
        """Polls to which nothing will ever show."""
        return [
            Waiting(
                s.reader,
                f"{cta_name(s.reader.cta)} warp {s.reader.index} polls {name_of(self.machine, at)} by `{s.op.text}`: its SM's "
                f"cache holds what stood there before {s.writer} wrote it{s.store}",
                unseen=_HELP,
                op=s.op,
            )
            for (_, at), s in self.words.items()
            if s.writer
        ]


def _sm_of(cta: Cta) -> int:
    return cta.cluster.sms[cta.rank]


def _store(cta: Cta, at: int) -> str:
    """Which store or atomic of a CTA has written a word, as far as its registers still tell: " in line 7"."""
    program = cta.machine.record.program
    for op in [op for part in (program, *program.functions) for op in part.ops]:
        effect = op.inst.form.effect
        if op.span is None or not isinstance(effect, Access) or effect.kind not in ("store", "atomic"):
            continue
        operand = op.inst.operands.get("a")
        if not isinstance(operand, Addr) or not isinstance(operand.base, Reg) or operand.base.type.bits != 64:
            continue
        for warp in cta.warps:
            places = warp.read_row(operand.base) + np.uint64(operand.offset & 0xFFFF_FFFF_FFFF_FFFF)
            if (places == at).any():
                return f" (`{op.text}` in line {op.span.line})"
    return ""


@trap(CACHED)
def cached(ctx: TrapContext, op: Op) -> Outcome:
    """In front of a poll: where the SM's cache still holds something else than memory, the poll gets that."""
    caches = ctx.machine.unit(Caches)
    caches.note(ctx.cta)
    lanes = lanes_of(ctx.mask & _guarded(ctx, op))
    where = ctx.read_addr("a").tolist()
    targets = op.inst.operands["d"]
    count, type_ = len(targets.items) if isinstance(targets, Vec) else 1, TYPES[str(op.inst.mod("type"))]
    size = count * type_.bytes
    found: dict[int, bytes] = {}
    stale: tuple[int, Word] | None = None
    for at in {where[lane] for lane in lanes}:
        if at % type_.bytes or not _is_global(ctx, at, size):
            return DONE  # the instruction itself knows what to do
        found[at], old = caches.read(ctx, at, size)
        stale = (at, old) if old is not None else stale
    if stale is None:
        return DONE
    caches.warn(ctx, *stale)
    dtype = np.dtype(f"{'i' if type_.kind == 's' else 'u'}{type_.bytes}")
    values = np.zeros((count, 32), dtype)
    for lane in lanes:
        values[:, lane] = np.frombuffer(found[where[lane]], dtype)
    mask, ctx.mask = ctx.mask, sum(1 << lane for lane in lanes)
    ctx.write("d", values if isinstance(targets, Vec) else values[0])
    ctx.mask = mask
    return INSTEAD


@trap(FORGETS)
def forgets(ctx: TrapContext, op: Op) -> Outcome:
    """In front of what makes the SM forget everything, or lines."""
    caches, sm = ctx.machine.unit(Caches), _sm_of(ctx.cta)
    caches.note(ctx.cta)
    if forgets_all(op):
        caches.forget(sm)
    else:
        places = ctx.read_addr("a").tolist()
        caches.forget(sm, {places[lane] // LINE for lane in lanes_of(ctx.mask & _guarded(ctx, op))})
    return DONE


def _guarded(ctx: TrapContext, op: Op) -> int:
    """The lanes that an instruction's guard lets through."""
    if op.guard is None:
        return -1
    bits = sum(1 << i for i, on in enumerate(ctx.warp.read_row(op.guard).tolist()) if on)
    return ~bits if op.guard_negated else bits


def _is_global(ctx: TrapContext, at: int, nbytes: int) -> bool:
    try:
        ctx.global_view(at, nbytes)
    except Diagnostic:
        return False
    return True
