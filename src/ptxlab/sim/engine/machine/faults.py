"""What went wrong while simulating, in words: which thread, which line, which array and how far outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi import arrays
from ptxlab.abi.loaded import Gone, gone
from ptxlab.abi.memory import bytes_at
from ptxlab.abi.places import device_at
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Stack
from ptxlab.isa.operands import Imm, Operand, Reg
from ptxlab.layout.shared_tile import MBARRIER_BYTES, element
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, LOCAL_WINDOW, SHARED_BASE, WINDOW_SHIFT, offset_of, rank_of
from ptxlab.sim.engine.compiled.native import address
from ptxlab.sim.engine.decoded.sources import sources
from ptxlab.sim.engine.machine.declared import declared_at
from ptxlab.sim.engine.machine.heap import existing
from ptxlab.sim.engine.machine.naming import lanes_of, lanes_text, thread_words
from ptxlab.sim.engine.machine.protocol import MachineLike
from ptxlab.sim.engine.machine.resident import Cta, Launched, Warp

NEAR = 1 << 20
"""An address that misses an array by no more than this is described by that array."""
CLOSE = 512
"""Bytes within which an access means an array, although a variable of an unloaded module lay there."""
NULL_BYTES = 4096
"""Addresses below this are those of a null pointer and what lies behind it."""


SHARED_HELP = f"`shared + 0x0` is the first byte of the kernel's shared memory; its address is {SHARED_BASE:#x}"

MULTICAST_HELP = "give the device's own array for ordinary accesses, beside the multicast address of all arrays"
NULL_HELP = "look where the pointer comes from; `malloc` gives 0 where the heap is used up"
OFFSET_HELP = (
    "an offset into shared memory is no generic address: access it by an instruction with .shared or .shared::cluster (mapa, too), "
    "or make a generic address of it by cvta"
)
NO_CLUSTER_HELP = (
    "the kernel names no cluster: @px.kernel(…, cluster=4), or cluster= of the launch; in PTX .reqnctapercluster"
)
LOCAL_HELP = "compare the index with the extents of the thread's own arrays"
RANK_HELP = "take the rank from %cluster_ctarank and stay below %cluster_nctarank"
TRAP_HELP = "it stands where the source says __trap() or __brkpt(), or where a check in it has failed"
ALLOCA_HELP = "reserve less: what alloca reserves lasts until its function returns"
EXITED_HELP = (
    "let its threads wait until the others are done with it: barrier.cluster.arrive and .wait in front of its end"
)
UNLOADED_HELP = (
    "a module goes with its Python object: keep what px.parse or px.load gave while pointers to its data are in use"
)
WARP_BARRIER_HELP = "a warp arrives as a whole: give all its lanes the same number and the same count"
OTHER_CTA_HELP = (
    "reach another CTA by a .shared::cluster access to an address from mapa; "
    "in the CTA's own addresses leave the rank, bits 24 and up, as it is"
)
RANK_BITS_HELP = (
    "bits 24 and up of a shared address are a CTA's rank: look for arithmetic that runs into them, or below 0"
)


def buffer_table(record: LaunchRecord, params: NDArray[np.uint8], apart: Callable[[int], int]) -> NDArray[np.uint64]:
    """The native table of legal global memory, sorted: rows of (begin, end, writable, apart); the parameter block included.

    apart: what lies between an address in a buffer and its place in this process.
    """
    const = {record.variables.get(v.name) for v in record.program.variables if v.space == "const"}
    rows = [
        (
            b.address,
            b.address + b.nbytes,
            F.BUFFER_CONST if b.address in const else int(b.writable),
            apart(b.address) & 0xFFFF_FFFF_FFFF_FFFF,
        )
        for b in record.buffers
        if b.nbytes
    ]
    rows.append((int(params.ctypes.data), int(params.ctypes.data) + len(params), F.BUFFER_PARAM, 0))
    return np.array(sorted(rows), np.uint64).reshape(-1, 4)


def view(machine: Launched, where: int, nbytes: int, *, write: bool) -> NDArray[np.uint8]:
    """See MachineLike.global_view."""
    for begin, end, writable, apart in machine.buffers.tolist():
        if begin <= where and where + nbytes <= end:
            if write and not writable & F.BUFFER_WRITABLE:
                raise _readonly(machine, where)
            host = (where + apart) & 0xFFFF_FFFF_FFFF_FFFF
            return bytes_at(host, nbytes)
    known = existing()
    if known is not None and known.holds(where, nbytes):
        return known.memory[where - known.begin : where - known.begin + nbytes]
    raise out_of_bounds(machine, where, nbytes)


def _readonly(machine: Launched, where: int) -> Diagnostic:
    return Diagnostic("PTX9004", f"a write to {name_of(machine, where)}, which is read-only")


def _nearest(record: LaunchRecord, where: int, nbytes: int) -> tuple[Buffer, int] | None:
    """The buffer closest to an access, and by how many bytes it is missed."""
    best: tuple[Buffer, int] | None = None
    for b in record.buffers:
        miss = max(b.address - where, where + nbytes - (b.address + b.nbytes), 0)
        if best is None or miss < best[1]:
            best = (b, miss)
    return best if best is not None and best[1] <= NEAR else None


def name_of(machine: Launched, where: int) -> str:
    """A global address in words: `a + 0x40`."""
    offset = where - address(machine.params)
    for param in machine.record.program.params:
        if param.offset <= offset < param.offset + param.size:
            return f"parameter `{param.name} {_signed(offset - param.offset)}`"
    found = _nearest(machine.record, where, 1)
    if found is None:
        return f"address {where:#x}"
    owner = device_at(found[0].address)
    whose = f" of device {owner}" if owner != machine.record.ordinal else ""
    return f"`{found[0].name} {_signed(where - found[0].address)}`{whose}"


def _signed(offset: int) -> str:
    return f"{'+' if offset >= 0 else '-'} {abs(offset):#x}"


def counted(nbytes: int) -> str:
    """So many bytes, in words."""
    return f"{nbytes} byte{'s' if nbytes != 1 else ''}"


def outside(machine: Launched, where: int, nbytes: int) -> str:
    """How an access misses all arrays."""
    many = counted(nbytes)
    if where < NULL_BYTES:
        what = ", or an offset into shared memory" if where >= SHARED_BASE else ""
        return f"{many} at address {where:#x}: a null pointer{what}"
    known = existing()
    if known is not None and (words := known.describe(where, nbytes)) is not None:
        return f"{many} {words}"
    lost = _unloaded(machine.record, where, nbytes)
    if lost is not None:
        return f"{many} in `{lost.name}`, a variable of {lost.module}, which has been unloaded"
    found = _nearest(machine.record, where, nbytes)
    if found is None:
        return f"{many} at address {where:#x}, where no array of the launch lies"
    buffer, miss = found
    how = f"begin {counted(miss)} before" if where < buffer.address else f"end {counted(miss)} behind"
    return f"{many} at {name_of(machine, where)} {how} the {counted(buffer.nbytes)} of `{buffer.name}`"


def _unloaded(record: LaunchRecord, where: int, nbytes: int) -> Gone | None:
    """The variable of an unloaded module that an access means, unless an array of the launch is as likely."""
    lost = gone(where)
    if lost is None or any(b.address < lost.address + lost.nbytes and lost.address < b.end for b in record.buffers):
        return None
    found = _nearest(record, where, nbytes)
    return lost if found is None or found[1] > CLOSE else None


def out_of_bounds(machine: Launched, where: int, nbytes: int, text: str = "") -> Diagnostic:
    """PTX9002 for global memory that no array covers; `text`: what the message begins with. PTX9027 for a multicast address."""
    shared = next((m for m in machine.record.multicasts if m.holds(where)), None)
    if shared is not None:
        said = f"{text or 'an access'} goes to `{shared.name} {_signed(where - shared.address)}`, a multicast address"
        return Diagnostic("PTX9027", f"{said}, which multimem instructions alone reach", help=MULTICAST_HELP)
    message = (f"{text}: " if text else "") + outside(machine, where, nbytes)
    if _unloaded(machine.record, where, nbytes) is not None:
        return Diagnostic("PTX9002", message, help=UNLOADED_HELP)
    help_ = None if where >= NULL_BYTES else OFFSET_HELP if where >= SHARED_BASE else NULL_HELP
    return Diagnostic("PTX9002", message, help=help_, notes=_element(machine.record, where, nbytes))


def not_multicast(machine: Launched, where: int, nbytes: int, text: str) -> Diagnostic:
    """PTX9027 for a multimem instruction whose bytes do not lie behind one multicast address."""
    near = next((m for m in machine.record.multicasts if m.holds(where)), None)
    if near is not None:
        words = (
            f"{counted(nbytes)} at `{near.name} {_signed(where - near.address)}` end behind its {counted(near.nbytes)}"
        )
        return Diagnostic("PTX9027", f"{text}: {words}", help="compare the index with the extents of the arrays")
    words = f"{text} goes to {name_of(machine, where)}, which is no multicast address"
    return Diagnostic("PTX9027", words, help="give what px.multicast([…]) returns for the arrays of all devices")


def _element(record: LaunchRecord, where: int, nbytes: int) -> tuple[str, ...]:
    """Which element of the nearest array an access would reach, where its elements lie side by side."""
    found = _nearest(record, where, nbytes) if where >= NULL_BYTES else None
    owner: Any = found[0].array if found is not None else None
    if found is None or owner is None or found[0].name in record.variables:
        return ()
    shown = arrays.view(owner[0] if isinstance(owner, tuple) else owner)
    offset = where - found[0].address
    if 0 in shown.shape:
        return (f"`{found[0].name}` is {shown}: it has no elements",)
    if not shown.contiguous or offset % shown.itemsize:
        return ()
    last = found[0].nbytes // shown.itemsize - 1
    return (
        f"`{found[0].name}` is {shown}; its elements are 0 to {last}, these bytes begin at {offset // shown.itemsize}",
    )


def shared_name(machine: Launched, offset: int) -> str:
    """An offset into a kernel's shared memory in words: "`full[1]` (shared + 0x408)" of an mbarrier or of an array of elements
    of 8 bytes, "`ring` + 0x8 (shared + 0x408)", or "shared + 0x408"."""
    plain = f"shared {'-' if offset < 0 else '+'} {abs(offset):#x}"
    known = declared_at(machine.record, offset)
    if known is not None:
        return f"{element(known.name, known.inner, alone=known.alone)} ({plain})"
    for var in machine.record.program.variables:
        if var.space.startswith("shared") and var.offset <= offset < var.offset + var.size:
            inner = offset - var.offset
            if var.is_array and var.type.bytes == MBARRIER_BYTES and inner % MBARRIER_BYTES == 0:
                return f"{element(var.name, inner, alone=var.size == MBARRIER_BYTES)} ({plain})"
            return f"`{var.name}`{f' + {inner:#x}' if inner else ''} ({plain})"
    return plain


def outside_shared(cta: Cta, offset: int, nbytes: int) -> str:
    """How bytes of shared memory from an offset on miss those of the kernel."""
    if offset < 0:
        return f"lie in the {SHARED_BASE} bytes of shared memory that belong to the system"
    size = len(cta.shared)
    return f"end {counted(offset + nbytes - size)} behind the CTA's {size} bytes of shared memory"


def local_name(machine: Launched, offset: int) -> str:
    """A place in a thread's local memory in words; offsets wrap around at 4 GiB."""
    for var in machine.record.program.variables:
        if var.space == "local" and var.offset <= offset < var.offset + var.size:
            inner = offset - var.offset
            return f"`{var.name}`{f' + {inner:#x}' if inner else ''} (local + {offset:#x})"
    return f"local {_signed(offset - (1 << 32) if offset >> 31 else offset)}"


def outside_local(machine: Launched, offset: int, nbytes: int) -> str:
    """How an access misses a thread's local memory."""
    size, name = machine.image.local_bytes, local_name(machine, offset)
    if offset >> 31:
        return f"{counted(nbytes)} at {name} begin {counted((1 << 32) - offset)} before the thread's local memory"
    return f"{counted(nbytes)} at {name} end {counted(offset + nbytes - size)} behind the thread's {size} bytes of local memory"


def outside_cta(machine: Launched, cta: Cta, address: int) -> tuple[str, str]:
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


def placed(wrong: Diagnostic, op: Op, warp: Warp, lane: int) -> Diagnostic:
    """A diagnostic with its places and who executed it."""
    warp.cta.blamed = lane
    what = "" if op.inst.opcode in wrong.message else f": `{op.text}`"
    wrong.notes = (*wrong.notes, f"executed by {thread_words(warp, lane)}{what}")
    wrong.isa = wrong.isa or op.inst.form.isa
    return wrong.at(op.span, op.origin)


def sourced(machine: Launched, found: Sequence[Diagnostic]) -> None:
    """Give diagnostics about lines of PTX the source lines behind them, where .loc says so."""
    open_ = [d for d in found if (d.span and not d.origin) or (d.other and not d.other_origin)]
    if open_:
        ops = machine.image.ops
        known = {op.span: s.origin for op, s in zip(ops, sources(machine.record.program.module, ops), strict=True)}
        known.pop(None, None)
        for d in open_:
            d.origin = d.origin or known.get(d.span)
            d.other_origin = d.other_origin or known.get(d.other)
            d.accesses, d.flag = (
                tuple(replace(a, origin=a.origin or known.get(a.span)) for a in accesses)
                for accesses in (d.accesses, d.flag)
            )


def alone(op: Op, warp: Warp, here: int) -> str:
    """That only these lanes of a warp execute what all of them must, and where the others are."""
    pcs, alive = warp.frame.u32[: F.LANES], warp.frame.get(F.F_ALIVE)
    born = (1 << min(F.LANES, warp.cta.machine.record.threads - F.LANES * warp.index)) - 1
    missing = ((1 << F.LANES) - 1) & ~born
    elsewhere: dict[int, int] = {}
    skips = _skips(op, warp)
    for lane in lanes_of(alive & ~here & ~skips):
        elsewhere[int(pcs[lane])] = elsewhere.get(int(pcs[lane]), 0) | 1 << lane
    image = warp.cta.machine.image
    words = [f"{lanes_text(skips)} skip it, as their guard `{_guard(op)}` fails"] if skips else []
    words += [f"{lanes_text(mask)} stand at {_place_of(image.op_from(pc))}" for pc, mask in elsewhere.items()]
    words += [f"{lanes_text(born & ~alive)} have exited"] if born & ~alive else []
    words += [f"the CTA has no {lanes_text(missing)}"] if missing else []
    why = f": {', '.join(words)}" if words else ""
    return f"`{op.inst.opcode}` is executed by {lanes_text(here)} of warp {warp.index} alone{why}"


def _guard(op: Op) -> str:
    return f"@{'!' * op.guard_negated}{op.guard.name}" if op.guard is not None else ""


def _skips(op: Op, warp: Warp) -> int:
    """Lanes that stand right behind an instruction whose guard fails in them."""
    if op.guard is None:
        return 0
    image, pcs = warp.cta.machine.image, warp.frame.u32[: F.LANES]
    ops = image.ops
    number = next(i for i, one in enumerate(ops) if one is op)
    if number + 1 == len(ops):
        return 0
    holds = int(warp.row(op.guard).view(np.uint32)[0])
    fails = holds if op.guard_negated else ~holds
    behind = [lane for lane in lanes_of(warp.frame.get(F.F_ALIVE)) if image.op_from(int(pcs[lane])) is ops[number + 1]]
    return fails & sum(1 << lane for lane in behind)


def _place_of(op: Op) -> str:
    return f"`{op.text}`" + (f" in line {op.span.line}" if op.span is not None else "")


def fault(machine: Launched, cta: Cta) -> Diagnostic:
    """The fault that the native loop has noted in the current warp's frame."""
    warp = cta.warps[cta.block.get(F.C_CURRENT)]
    f = warp.frame
    lane, op = f.get(F.F_FAULT_LANE), machine.image.op_at(f.get(F.F_FAULT_PC))
    return placed(_Fault(machine, cta, warp, lane, op).described(f.get(F.F_FAULT)), op, warp, lane)


COUNTS_HELP = "give the count to all that meet at a barrier, or to none: on the chip it does not help that all threads are as many"
Found = tuple[str, str, str | None]
"""Code, message and help; None for the help of the code."""


class _Fault:
    """A fault of the native loop, put into words."""

    def __init__(self, machine: Launched, cta: Cta, warp: Warp, lane: int, op: Op) -> None:
        f = warp.frame
        self.machine, self.cta, self.warp, self.lane, self.op = machine, cta, warp, lane, op
        self.at, self.nbytes = f.get64(F.F_FAULT_ADDRESS), f.get(F.F_FAULT_BYTES)
        self.space, self.text = f.get(F.F_FAULT_SPACE), f"`{op.text}`"

    def described(self, kind: int) -> Diagnostic:
        """The diagnostic for a FAULT_*."""
        if kind == F.FAULT_BOUNDS:
            return out_of_bounds(self.machine, self.at, self.nbytes, self.text)
        code, message, help_ = self._memory(kind) or self._control(kind) or self._barrier()
        return Diagnostic(code, message, help=help_)

    def _memory(self, kind: int) -> Found | None:
        text, at, machine = self.text, self.at, self.machine
        if kind == F.FAULT_ALIGN:
            return "PTX9006", f"{text}: {self._place()} is not a multiple of {self.nbytes} bytes", self._aligned()
        if kind == F.FAULT_READONLY:
            return "PTX9004", f"{text} writes to {name_of(machine, at)}, which is read-only", None
        if kind == F.FAULT_SHARED:
            words = outside_shared(self.cta, offset_of(at), self.nbytes)
            return "PTX9007", f"{text}: {counted(self.nbytes)} at {self._shared()} {words}", SHARED_HELP
        if kind == F.FAULT_LOCAL:
            return "PTX9008", f"{text}: {outside_local(machine, at & ADDRESS32, self.nbytes)}", LOCAL_HELP
        if kind == F.FAULT_RANK:
            ctas = len(self.cta.cluster.ctas)
            return "PTX9009", f"{text} reaches for the CTA of rank {rank_of(at)} in a cluster of {ctas}", self._ranks()
        if kind == F.FAULT_EXITED:
            gone = self.cta.cluster.ctas[rank_of(at)].coordinates
            return (
                "PTX9024",
                f"{text} reaches into shared memory of CTA {gone}, all of whose threads have exited",
                EXITED_HELP,
            )
        if kind == F.FAULT_OTHER_CTA:
            words, help_ = outside_cta(machine, self.cta, at)
            return "PTX9014", f"{text} {words}", help_
        return None

    def _control(self, kind: int) -> Found | None:
        text = self.text
        if kind == F.FAULT_STACK:
            size = self.machine.image.local_bytes
            message = f"{text}: calls and alloca need more than the thread's {size} bytes of local memory"
            return "PTX9015", message, ALLOCA_HELP if isinstance(self.op.inst.form.effect, Stack) else None
        if kind == F.FAULT_FUNCTION:
            return "PTX9016", f"{text}: {self.at:#x} is the address of no function of the kernel's module", None
        if kind == F.FAULT_PROTOTYPE:
            return (
                "PTX9017",
                f"{text} passes what its prototype says, and the function there takes something else",
                None,
            )
        if kind == F.FAULT_TARGET:
            index = self._integer("index")
            return "PTX9022", f"{text}: index {index} lies behind the end of its list of labels", None
        if kind == F.FAULT_TRAP:
            return "PTX9010", f"the kernel executed `{self.op.inst.opcode}`", TRAP_HELP
        if kind == F.FAULT_MASK:
            mask = self._integer(self.op.inst.member_mask or "")
            message = f"{text}: lane {self.lane} executes it, and its member mask {(mask or 0) & F.FULL:#010x} lacks that lane"
            return "PTX9025", message, None
        if kind == F.FAULT_FOREIGN:
            return (
                "PTX9279",
                f"{text} takes bits for a floating-point number that no floating-point arithmetic has made",
                None,
            )
        if kind == F.FAULT_VECTOR:
            return "PTX9026", f"{text}: the address lies in the shared or local memory of the thread", None
        if kind == F.FAULT_BARRIERS:
            return "PTX9012", f"{text}: lanes of a warp name different barriers or counts of threads", WARP_BARRIER_HELP
        if kind == F.FAULT_WARP:
            return self._alone()
        return None

    def _alone(self) -> Found:
        """Lanes wait for others of their warp, which wait elsewhere."""
        if not self.op.inst.aligned:
            return "PTX9011", f"{self.text} waits for lanes of its member mask that never come", None
        f = self.warp.frame
        pcs, alive = f.u32[: F.LANES], f.get(F.F_ALIVE)
        here = sum(1 << lane for lane in lanes_of(alive) if pcs[lane] == pcs[self.lane])
        return "PTX9130", alone(self.op, self.warp, here), None

    def _barrier(self) -> Found:
        """A barrier of the CTA with a number or a count that it cannot have."""
        number, threads = self._integer("id") or 0, self._integer("threads")
        if self.warp.frame.get(F.F_FAULT) == F.FAULT_COUNTS:
            return self._counts(number, threads or 0)
        if number > 15:
            return "PTX9012", f"{self.text}: a CTA has no barrier {number}", "its barriers are numbered 0 to 15"
        return (
            "PTX9012",
            f"{self.text}: {threads} threads are not one or more whole warps",
            "count 32 for each warp that comes",
        )

    def _counts(self, number: int, threads: int) -> Found:
        """Barrier `number` is in use, and this instruction counts or reduces otherwise."""
        other = self.machine.image.op_at(self.at)
        line = f" in line {other.span.line}" if other.span is not None else ""
        there = f"barrier {number}, where `{other.text}`{line}"
        if threads == self.nbytes:
            help_ = "let all that meet at a barrier do the same there, or use another barrier"
            return "PTX9028", f"{self.text} meets at {there} has arrived: the two cannot meet at one barrier", help_
        mine, theirs = (f"{n} threads" if n else "all threads of the CTA" for n in (threads, self.nbytes))
        message = f"{self.text} counts {mine} at {there} counts {theirs} and has arrived"
        return "PTX9028", message, COUNTS_HELP if not (threads and self.nbytes) else None

    def _integer(self, name: str) -> int | None:
        """An operand as the lane sees it."""
        operand: Operand | None = self.op.inst.operands.get(name)
        if isinstance(operand, Imm):
            return int(operand.value)
        return int(self.warp.read_row(operand)[self.lane]) if isinstance(operand, Reg) else None

    def _ranks(self) -> str:
        return RANK_HELP if self.machine.record.explicit_cluster else NO_CLUSTER_HELP

    def _aligned(self) -> str | None:
        """How to align the array or variable that the address lies in, where it is not; None where the offset in it is odd."""
        record, size, where = self.machine.record, self.nbytes, self.at
        array = next((b for b in record.buffers if b.address <= where < b.end), None)
        if array is not None and array.name not in record.variables:
            begins = f"`{array.name}` begins {counted(array.address % size)} behind a multiple of {size}"
            made = "make the array by px.empty(shape, dtype), which aligns to 256 bytes"
            return f"{made}: {begins}" if array.address % size else None
        if self._is_shared():
            offset = offset_of(where)
            for var in record.program.variables:
                if (
                    var.space.startswith("shared")
                    and var.offset <= offset < var.offset + var.size
                    and var.offset % size
                ):
                    return (
                        f"declare `{var.name}` with align={size}, as in k.smem(px.f32, n, align={size}), or .align {size} in PTX: "
                        f"it begins at shared + {var.offset:#x}"
                    )
        return None

    def _is_shared(self) -> bool:
        space = F.SPACES[self.space]
        return space.startswith("shared") or (space == "generic" and self.at >> WINDOW_SHIFT == 1)

    def _place(self) -> str:
        space = F.SPACES[self.space]
        window = self.at >> WINDOW_SHIFT if space == "generic" else 0
        if self._is_shared():
            return self._shared()
        if space == "local" or window == LOCAL_WINDOW >> WINDOW_SHIFT:
            return local_name(self.machine, self.at & ADDRESS32)
        return name_of(self.machine, self.at)

    def _shared(self) -> str:
        """The place in shared memory, and whose it is where that is another CTA."""
        rank, ctas = rank_of(self.at), self.cta.cluster.ctas
        name = shared_name(self.machine, offset_of(self.at))
        return f"{name} of CTA {ctas[rank].coordinates}" if rank != self.cta.rank and rank < len(ctas) else name


def too_long(machine: MachineLike) -> Diagnostic:
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


def _next(machine: Launched, warp: Warp) -> Op | None:
    """What a warp would execute next; None where it has ended or waits."""
    ready = warp.frame.get(F.F_ALIVE) & ~warp.frame.get(F.F_WAITING)
    if not ready or warp.frame.get(F.F_BARRIER):
        return None
    return machine.image.op_from(int(warp.frame.u32[(ready & -ready).bit_length() - 1]))
