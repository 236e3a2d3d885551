"""Functions of the system that compiled CUDA C++ calls: printf, assert, malloc, free. They have no PTX of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Imm, Params, Reg, Symbol
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, is_local, is_shared, offset_of, rank_of
from ptxlab.sim.engine.compiled.registry import DONE, SYSTEM_CALLS, system_call
from ptxlab.sim.engine.machine.heap import Allocation, heap
from ptxlab.sim.engine.machine.naming import thread_words
from ptxlab.sim.engine.machine.printf import Arguments, formatted
from ptxlab.sim.engine.machine.protocol import MachineLike
from ptxlab.sim.engine.machine.trap import Outcome, TrapContext, Unit, trap, unit

LONGEST = 1 << 16
"""Bytes of a string that are read."""


@trap(*(f"call{lists}{way}" for lists in ("", ".args", ".ret", ".ret.only") for way in ("", ".indirect")))
def call(ctx: TrapContext, op: Op) -> Outcome:
    """A call of a function of the system; all others are compiled."""
    return SYSTEM_CALLS[str(op.inst.operands["callee"])](ctx, op)


class _Lane:
    """One lane of a call: its arguments and its memory."""

    def __init__(self, ctx: TrapContext, lane: int) -> None:
        self.ctx, self.lane = ctx, lane

    @property
    def words(self) -> str:
        """Which thread it is."""
        return thread_words(self.ctx.warp, self.lane)

    def _slot(self, symbol: Symbol) -> int:
        """Where in the thread's local memory a parameter of the call lies."""
        row, offset = self.ctx.machine.image.slots[symbol.name]
        return int(self.ctx.warp.frame.u32[row // 4 + self.lane]) + offset

    def local(self, offset: int, nbytes: int) -> memoryview:
        """Bytes of the thread's local memory."""
        size = self.ctx.machine.image.local_bytes
        if offset + nbytes > size:
            raise Diagnostic(
                "PTX9008", f"`{self.ctx.op.text}`: {nbytes} bytes at local + {offset:#x} pass its {size} bytes"
            )
        start = (self.ctx.warp.index * F.LANES + self.lane) * size + offset
        return memoryview(self.ctx.cta.slot.local)[start : start + nbytes]  # type: ignore[arg-type]

    def argument(self, index: int, nbytes: int) -> int:
        """An argument of the call, as an unsigned integer."""
        args = self.ctx.op.inst.operands["args"]
        item = args.items[index] if isinstance(args, Params) else args
        if isinstance(item, Symbol):
            return int.from_bytes(self.local(self._slot(item), nbytes), "little")
        assert isinstance(item, (Reg, Imm))
        return int(self.ctx.read(item)[self.lane]) & ((1 << 8 * nbytes) - 1)

    def answer(self, value: int, nbytes: int) -> None:
        """The result of the call."""
        ret = self.ctx.op.inst.operands.get("ret")
        item = ret.items[0] if isinstance(ret, Params) else ret
        raw = (value & ((1 << 8 * nbytes) - 1)).to_bytes(nbytes, "little")
        if isinstance(item, Symbol):
            self.local(self._slot(item), nbytes)[:] = raw
        elif isinstance(item, Reg):
            self.ctx.warp.row(item)[self.lane * nbytes : (self.lane + 1) * nbytes] = bytearray(raw)

    def memory(self, where: int, nbytes: int) -> bytes:
        """Bytes behind a generic address."""
        if is_local(where):
            return bytes(self.local(where & ADDRESS32, nbytes))
        if is_shared(where):
            ctas, at = self.ctx.cluster.ctas, offset_of(where)
            if rank_of(where) >= len(ctas) or not 0 <= at <= len(ctas[rank_of(where)].shared) - nbytes:
                raise Diagnostic(
                    "PTX9007", f"`{self.ctx.op.text}` reads outside shared memory, at {where & ADDRESS32:#x}"
                )
            return ctas[rank_of(where)].shared[at : at + nbytes].tobytes()
        return self.ctx.machine.global_view(where, nbytes).tobytes()

    def string(self, where: int) -> bytes:
        """A string behind a generic address, up to its zero."""
        out = bytearray()
        while len(out) < LONGEST and (byte := self.memory(where + len(out), 1)) != b"\0":
            out += byte
        return bytes(out)


def _lanes(ctx: TrapContext) -> Iterator[_Lane]:
    """The lanes of a call, one after the other; the one at hand is blamed for faults."""
    for lane in ctx.lanes.tolist():
        ctx.lane = lane
        yield _Lane(ctx, lane)
    ctx.lane = None


@system_call("vprintf")
def vprintf(ctx: TrapContext, op: Op) -> Outcome:
    """Write to the terminal at once, lane by lane; the result is the number of arguments."""
    for lane in _lanes(ctx):
        template, first = lane.argument(0, 8), lane.argument(1, 8)
        if not template:
            lane.answer(-1, 4)
            continue

        def read(at: int, n: int, lane: _Lane = lane, first: int = first) -> bytes:
            return lane.memory(first + at, n)

        given = Arguments(read)
        text = formatted(lane.string(template), given, lane.string)
        ctx.machine.write(text.decode("utf-8", "backslashreplace"), ctx.cta)
        lane.answer(given.count, 4)
    return DONE


@system_call("__assertfail")
def assertfail(ctx: TrapContext, op: Op) -> Outcome:
    """Stop the launch."""
    lane = next(_lanes(ctx))
    what, file, function = (lane.string(lane.argument(i, 8)).decode("utf-8", "replace") for i in (0, 1, 3))
    raise Diagnostic(
        "PTX9018",
        f"the assertion `{what}` does not hold, at {file}:{lane.argument(2, 4)} in `{function}`",
        help="the kernel itself says that this must be true",
    )


@system_call("__nv_activemask_impl")
def activemask(ctx: TrapContext, op: Op) -> Outcome:
    """The lanes that call together: what activemask gives, behind a name of the compiler's headers."""
    for lane in _lanes(ctx):
        lane.answer(ctx.mask, 4)
    return DONE


@system_call("malloc")
def malloc(ctx: TrapContext, op: Op) -> Outcome:
    """Memory from the heap; a null pointer where it is used up."""
    for lane in _lanes(ctx):
        made = heap().allocate(lane.argument(0, 8), lane.words)
        heap().attach(ctx.machine.env)
        if made is not None:
            ctx.machine.unit(Allocations).mine.append(made)
        lane.answer(0 if made is None else heap().begin + made.start, 8)
    return DONE


@system_call("free")
def free(ctx: TrapContext, op: Op) -> Outcome:
    """Give memory back to the heap; nothing for a null pointer."""
    for lane in _lanes(ctx):
        where = lane.argument(0, 8)
        wrong = heap().release(where, lane.words) if where else None
        if wrong is not None:
            message, help_ = _bad_free(where - heap().begin, wrong)
            raise Diagnostic("PTX9019", f"`free` of {message}", help=help_)
    return DONE


def _bad_free(place: int, one: Allocation) -> tuple[str, str]:
    if one.start < 0:
        return (
            "an address that `malloc` never gave",
            "free what the kernel's own malloc returned, not an array of the host",
        )
    what = f"{one.size} bytes that {one.by} allocated"
    if one.freed and place == one.start:
        return f"{what}, which {one.freed} has freed before", "free each allocation once"
    return f"an address {place - one.start} bytes into {what}", "free the pointer that malloc returned"


@unit
class Allocations(Unit):
    """What a launch has allocated and not freed."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.mine: list[Allocation] = []

    def finished(self) -> None:
        left = [a for a in self.mine if not a.freed]
        if left:
            self.machine.report.findings.append(
                Diagnostic(
                    "PTX9020",
                    f"{len(left)} allocations of {sum(a.size for a in left)} bytes in all outlive the launch",
                    notes=[f"{a.size} bytes of {a.by}" for a in left[:4]],
                )
            )
