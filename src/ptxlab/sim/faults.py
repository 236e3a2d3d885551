"""What went wrong while simulating, in words: which thread, which line, which array and how far outside."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim import frame as F
from ptxlab.sim.address import ADDRESS32, LOCAL_WINDOW, SHARED_BASE, WINDOW_SHIFT, offset_of, rank_of
from ptxlab.sim.heap import existing

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.machine import Cta, Machine, Warp

NEAR = 1 << 20
"""An address that misses an array by no more than this is described by that array."""


SHARED_HELP = f"`shared + 0x0` is the first byte of the kernel's shared memory; its address is {SHARED_BASE:#x}"

OTHER_CTA_HELP = (
    "reach another CTA by a .shared::cluster access to an address from mapa; "
    "in the CTA's own addresses leave the rank, bits 24 and up, as it is"
)
RANK_BITS_HELP = (
    "bits 24 and up of a shared address are a CTA's rank: look for arithmetic that runs into them, or below 0"
)


def buffer_table(record: LaunchRecord, params: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The native table of legal global memory, sorted: rows of (begin, end, writable, 0); the parameter block included."""
    rows = [(b.address, b.address + b.nbytes, int(b.writable), 0) for b in record.buffers if b.nbytes]
    rows.append((int(params.ctypes.data), int(params.ctypes.data) + len(params), 0, 0))
    return np.array(sorted(rows), np.uint64).reshape(-1, 4)


def view(machine: Machine, where: int, nbytes: int, *, write: bool) -> NDArray[np.uint8]:
    """See Machine.global_view."""
    for begin, end, writable, _ in machine.buffers.tolist():
        if begin <= where and where + nbytes <= end:
            if write and not writable:
                raise _readonly(machine, where)
            return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(where))
    known = existing()
    if known is not None and known.holds(where, nbytes):
        return known.memory[where - known.begin : where - known.begin + nbytes]
    raise Diagnostic("PTX9002", f"an access of {nbytes} bytes {outside(machine.record, where, nbytes)}")


def _readonly(machine: Machine, where: int) -> Diagnostic:
    return Diagnostic("PTX9004", f"a write to {name_of(machine.record, where)}, which is read-only")


def _nearest(record: LaunchRecord, where: int, nbytes: int) -> tuple[Buffer, int] | None:
    """The buffer closest to an access, and by how many bytes it is missed."""
    best: tuple[Buffer, int] | None = None
    for b in record.buffers:
        miss = max(b.address - where, where + nbytes - (b.address + b.nbytes), 0)
        if best is None or miss < best[1]:
            best = (b, miss)
    return best if best is not None and best[1] <= NEAR else None


def name_of(record: LaunchRecord, where: int) -> str:
    """A global address in words: `a + 0x40`."""
    found = _nearest(record, where, 1)
    if found is None:
        return f"address {where:#x}"
    offset = where - found[0].address
    sign = "+" if offset >= 0 else "-"
    return f"`{found[0].name} {sign} {abs(offset):#x}`"


def outside(record: LaunchRecord, where: int, nbytes: int) -> str:
    """How an access misses all arrays."""
    if where < 4096:
        return f"reaches address {where:#x}: a null pointer"
    known = existing()
    if known is not None and (words := known.describe(where, nbytes)) is not None:
        return words
    found = _nearest(record, where, nbytes)
    if found is None:
        return "lies in no array of the launch"
    buffer, miss = found
    side = "before the begin" if where < buffer.address else "behind the end"
    at = name_of(record, where)
    return f"at {at} lies outside `{buffer.name}` of {buffer.nbytes} bytes, {miss} bytes {side}"


def shared_name(machine: Machine, offset: int) -> str:
    """An offset into a kernel's shared memory in words: "`ring` + 0x8 (shared + 0x408)", or "shared + 0x408"."""
    plain = f"shared {'-' if offset < 0 else '+'} {abs(offset):#x}"
    for var in machine.record.program.variables:
        if var.space.startswith("shared") and var.offset <= offset < var.offset + var.size:
            inner = offset - var.offset
            return f"`{var.name}`{f' + {inner:#x}' if inner else ''} ({plain})"
    return plain


def outside_shared(cta: Cta, offset: int, nbytes: int) -> str:
    """How bytes of shared memory from an offset on miss those of the kernel."""
    if offset < 0:
        return f"lie in the {SHARED_BASE} bytes of shared memory that belong to the system"
    size = len(cta.shared)
    return f"end {offset + nbytes - size} bytes behind the CTA's {size} bytes of shared memory"


def outside_cta(machine: Machine, cta: Cta, address: int) -> tuple[str, str]:
    """Whose memory a shared::cta address names that is not the executing CTA's, and the way out."""
    rank, ctas = rank_of(address), cta.cluster.ctas
    alone = f"but shared::cta is the memory of the executing CTA alone, rank {cta.rank}"
    if rank < len(ctas):
        whose = (
            f"{shared_name(machine, offset_of(address))} of CTA {ctas[rank].coordinates}, rank {rank} in the cluster"
        )
        return f"reaches for {whose}, {alone}", OTHER_CTA_HELP
    whose = f"address {address & ADDRESS32:#x}, that is for rank {rank} in a cluster of {len(ctas)}"
    return f"reaches for {whose}, {alone}", RANK_BITS_HELP


def thread_words(warp: Warp, lane: int) -> str:
    """Which thread it is: "thread (3, 0, 0) of CTA (1, 0, 0)"."""
    return f"thread {warp.thread(lane)} of CTA {warp.cta.coordinates}"


def placed(wrong: Diagnostic, op: Op, warp: Warp, mask: int) -> Diagnostic:
    """A diagnostic from a trap, with its places and who executed it."""
    lane = (mask & -mask).bit_length() - 1
    wrong.notes = (*wrong.notes, f"executed by {thread_words(warp, lane)}")
    wrong.isa = wrong.isa or op.inst.form.isa
    return wrong.at(op.span, op.origin)


def fault(machine: Machine, cta: Cta) -> Diagnostic:
    """The fault that the native loop has noted in the current warp's frame."""
    warp = cta.warps[cta.block.get(F.C_CURRENT)]
    f = warp.frame
    kind, lane = f.get(F.F_FAULT), f.get(F.F_FAULT_LANE)
    op = machine.image.op_at(f.get(F.F_FAULT_PC))
    code, message, help_ = _describe(machine, cta, kind, f, op)
    return Diagnostic(
        code,
        message,
        help=help_,
        span=op.span,
        origin=op.origin,
        isa=op.inst.form.isa,
        notes=(f"executed by {thread_words(warp, lane)}",),
    )


def _describe(machine: Machine, cta: Cta, kind: int, f: Any, op: Op) -> tuple[str, str, str | None]:
    at, nbytes = f.get64(F.F_FAULT_ADDRESS), f.get(F.F_FAULT_BYTES)
    text = f"`{op.text}`"
    if kind == F.FAULT_BOUNDS:
        return "PTX9002", f"{text}: {nbytes} bytes {outside(machine.record, at, nbytes)}", None
    if kind == F.FAULT_ALIGN:
        space: int = f.get(F.F_FAULT_SPACE)
        where = _words(machine, at, F.SPACES[space])
        return "PTX9006", f"{text}: {where} is not a multiple of {nbytes} bytes", None
    if kind == F.FAULT_READONLY:
        return "PTX9004", f"{text} writes to {name_of(machine.record, at)}, which is read-only", None
    if kind == F.FAULT_SHARED:
        where = f"{nbytes} bytes at {shared_name(machine, offset_of(at))}"
        return "PTX9007", f"{text}: {where} {outside_shared(cta, offset_of(at), nbytes)}", SHARED_HELP
    if kind == F.FAULT_LOCAL:
        offset, size = at & ADDRESS32, machine.image.local_bytes
        behind = f"end {offset + nbytes - size} bytes behind the thread's {size} bytes of local memory"
        return "PTX9008", f"{text}: {nbytes} bytes at local + {offset:#x} {behind}", None
    if kind == F.FAULT_RANK:
        ctas = len(cta.cluster.ctas)
        return "PTX9009", f"{text} reaches for the CTA of rank {rank_of(at)} in a cluster of {ctas}", None
    if kind == F.FAULT_OTHER_CTA:
        words, help_ = outside_cta(machine, cta, at)
        return "PTX9014", f"{text} {words}", help_
    if kind == F.FAULT_STACK:
        size = machine.image.local_bytes
        return "PTX9015", f"{text}: calls and alloca need more than the thread's {size} bytes of local memory", None
    if kind == F.FAULT_FUNCTION:
        return "PTX9016", f"{text}: {at:#x} is the address of no function of the kernel's module", None
    if kind == F.FAULT_PROTOTYPE:
        return "PTX9017", f"{text} passes what its prototype says, and the function there takes something else", None
    if kind == F.FAULT_TRAP:
        return "PTX9010", "the kernel executed `trap`", None
    if kind == F.FAULT_WARP:
        return "PTX9011", f"{text} waits for lanes of its member mask that never come", None
    return "PTX9012", f"{text}: barriers are numbered 0 to 15, and thread counts are multiples of 32", None


def _words(machine: Machine, at: int, space: str) -> str:
    window = at >> WINDOW_SHIFT if space == "generic" else 0
    if space == "shared" or window == 1:
        return shared_name(machine, offset_of(at))
    if space == "local" or window == LOCAL_WINDOW >> WINDOW_SHIFT:
        return f"local + {at & ADDRESS32:#x}"
    return name_of(machine.record, at)


def too_long(machine: Machine) -> Diagnostic:
    """The launch has used up `max_instructions`."""
    top = machine.options.max_instructions
    running = [(warp, op) for k in machine.resident for c in k.ctas for warp in c.warps if (op := _next(machine, warp))]
    first = running[0][1] if running else None
    return Diagnostic(
        "PTX9005",
        f"the launch was stopped after {top} thread-instructions",
        span=first.span if first else None,
        origin=first.origin if first else None,
        notes=[f"CTA {w.cta.coordinates} warp {w.index} is at `{op.text}`" for w, op in running[:8]],
    )


def _next(machine: Machine, warp: Warp) -> Op | None:
    """What a warp would execute next; None where it has ended or waits."""
    ready = warp.frame.get(F.F_ALIVE) & ~warp.frame.get(F.F_WAITING)
    if not ready or warp.frame.get(F.F_BARRIER):
        return None
    return machine.image.op_from(int(warp.frame.u32[(ready & -ready).bit_length() - 1]))


def deadlock(machine: Machine) -> Diagnostic:
    """Nothing can run and nothing is pending."""
    notes: list[str] = []
    first: Op | None = None
    for groups in machine.parked.values():
        for group in groups:
            op = machine.image.op_at(group.pc)
            first = first or op
            if group.why:
                notes.append(f"CTA {group.warp.cta.coordinates} warp {group.warp.index} {group.why}")
    for cluster in machine.resident:
        for cta in cluster.ctas:
            for warp in cta.warps:
                number = warp.frame.get(F.F_BARRIER)
                if number:
                    op = machine.image.op_at(int(warp.frame.u32[0]))
                    first = first or op
                    notes.append(f"CTA {cta.coordinates} warp {warp.index} waits at barrier {number - 1} of the CTA")
    for unit in machine.units:
        notes += unit.deadlock_notes()
    return Diagnostic(
        "PTX9100",
        "the launch is deadlocked: every thread waits, and nothing is under way that could end a wait",
        span=first.span if first else None,
        origin=first.origin if first else None,
        notes=tuple(dict.fromkeys(notes)),
    )
