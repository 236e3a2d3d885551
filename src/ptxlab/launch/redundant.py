"""`px.redundant`: synchronization of a launch that orders nothing which something else does not order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ptxlab.abi.alive import check_buffers
from ptxlab.abi.memory import bytes_of
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, Findings, Span, user_span
from ptxlab.diag.boundary import public
from ptxlab.isa.bind import bind
from ptxlab.isa.effects import Barrier, Fence, Group, Mbarrier
from ptxlab.isa.operands import Imm
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import touched

if TYPE_CHECKING:
    from ptxlab.launch.entry import Entry
    from ptxlab.sim.report.certificate import Certificate


@dataclass(frozen=True, slots=True, repr=False)
class Redundancy:
    """What of a launch's synchronization can be left out, for this launch.

    Attributes:
        name: of the kernel. certificate: of the launch as it is; where that is not proved, nothing was tried.
        tried: how many places were tried: barriers, fences and waits. findings: a note (PTX9401) for each that can be left out,
            together with all that stand before it in this list.

    Example:
        @px.kernel(threads=64)
        def twice(k, y: px.Ptr[px.u32]):
            row = k.smem(px.u32, 64)
            k.st.shared.u32(row.at(k.tid.x * 4), k.tid.x)
            k.bar.sync(0)
            k.bar.sync(0)
            k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(row.at((k.tid.x ^ 32) * 4)))

        found = px.redundant(twice, grid=1, args=[np.zeros(64, np.uint32)])
        print(found.tried, len(found.findings), found.certificate.proved)  # 2 1 True
    """

    name: str
    certificate: Certificate
    tried: int = 0
    findings: list[Diagnostic] = field(default_factory=Findings)

    def __repr__(self) -> str:
        return f"<Redundancy of {self.name}: {len(self.findings)} of {self.tried} places>"

    def __str__(self) -> str:
        if not self.certificate:
            return f"{self.name}: nothing was tried, for the launch as it is is not certified\n\n{self.certificate}"
        first = f"{self.name}: {len(self.findings)} of {self.tried} barriers, fences and waits can be left out"
        return "\n\n".join([first, *map(str, self.findings)])


@public
def redundant(
    kernel: Kernel,
    *,
    grid: Extents,
    block: Extents | None = None,
    cluster: Extents | None = None,
    shared: int | None = None,
    args: Sequence[Any] = (),
    buffers: Sequence[Any] = (),
    cooperative: bool = False,
    lints: bool = True,
    ignore: str | Sequence[str] = (),
    sanitize: Sanitize | None = None,
    max_instructions: int | None = None,
    **constants: Any,
) -> Redundancy:
    """Find barriers, fences and waits of a launch that order nothing which something else does not order.

    The launch is certified as it is (see `px.certify`). Then each place is left out in turn, last to first, and the launch
    certified again. What can go without losing the certificate or changing a bit of the results stays out while the next is
    tried. This is about one launch: other sizes, or a larger grid, may need what this one does not.

    Args:
        kernel, grid, block, cluster, shared, args, buffers, cooperative, lints, ignore, constants: as in `Kernel.launch`;
            arrays are NumPy's.
        sanitize: "strict" holds to the memory model to the letter.
        max_instructions: as in `px.simulate`.

    Returns: the places, each a note with its line. The arrays hold the results of the launch as it is.

    Raises: Diagnostic as `Kernel.launch` for what is wrong with the launch itself, PTX2501 for bad options.

    Example:
        @px.kernel(threads=64)
        def fenced(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[k.tid.x], k.tid.x)
            k.membar.gl()  # nobody reads it in this launch

        print(len(px.redundant(fenced, grid=1, args=[np.zeros(64, np.uint32)]).findings))  # 1
    """
    launched = LaunchOptions.of(locals(), device="sim")
    options = SimOptions.of(locals(), certify=True, sanitize=True if sanitize is None else sanitize)
    origin = user_span()
    entry = kernel_of(kernel).entry(**constants)
    record = entry.built(launched, origin).record
    check_buffers(record.buffers)
    return _Search(entry, record, options, origin).found()


@dataclass(frozen=True, slots=True)
class _Place:
    """Instructions that are left out together, and those that stand in the place of others, by index."""

    drop: tuple[int, ...] = ()
    put: tuple[tuple[int, Op], ...] = ()

    @property
    def index(self) -> int:
        """Of its first instruction."""
        return self.drop[0] if self.drop else self.put[0][0]


def _places(program: Program) -> Iterator[_Place]:
    """What only orders: each by itself, but a cluster's arrival with the wait behind it, and a poll as one that ends at once."""
    ops = program.ops
    for i, op in enumerate(ops):
        match op.inst.form.effect:
            case Fence() | Group(kind="wait" | "fence"):
                yield _Place((i,))
            case Barrier(kind="sync") if not touched(op)[1]:
                yield _Place((i,))
            case Mbarrier(kind="test_wait" | "try_wait"):
                done = next(iter(op.inst.operands.values()))
                yield _Place(put=((i, replace(op, inst=bind("setp.eq.u32", [done, Imm(0, "0"), Imm(0, "0")]))),))
            case Barrier(kind="arrive", scope="cluster"):
                wait = next((j for j in range(i + 1, len(ops)) if _is_cluster_wait(ops[j])), None)
                if wait is not None:
                    yield _Place((i, wait))
            case _:
                pass


def _is_cluster_wait(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Barrier) and (effect.kind, effect.scope) == ("wait", "cluster")


def _without(program: Program, places: Sequence[_Place]) -> Program:
    """The program with these places left out."""
    gone = {i for place in places for i in place.drop}
    put = dict(pair for place in places for pair in place.put)
    before = [0]
    for i in range(len(program.ops)):
        before.append(before[-1] + (i not in gone))
    ops = [put.get(i, op) for i, op in enumerate(program.ops) if i not in gone]
    labels = {name: before[index] for name, index in program.labels.items()}
    return replace(program, ops=ops, labels=labels, notes=[], graph=None)


class _Search:
    """Certifies a launch again and again from the same memory, with less and less synchronization."""

    def __init__(self, entry: Entry, record: LaunchRecord, options: SimOptions, origin: Span | None) -> None:
        self._entry, self._record, self._options, self._origin = entry, record, options, origin
        self._buffers = [b for b in record.buffers if b.writable and b.nbytes and b.address != record.workspace]
        self._before = [bytes_of(b).copy() for b in self._buffers]

    def found(self) -> Redundancy:
        whole = self._certified(self._record)
        after = [bytes_of(b).copy() for b in self._buffers]
        if not whole:
            return Redundancy(self._entry.name, whole)
        program = self._record.program
        places, out = list(_places(program)), list[_Place]()
        for place in reversed(places):
            tried = replace(self._record, program=_without(program, [*out, place]))
            same = self._certified(tried) and all(
                (bytes_of(b) == held).all() for b, held in zip(self._buffers, after, strict=True)
            )
            if same:
                out.append(place)
        self._fill(after)
        return Redundancy(self._entry.name, whole, len(places), Findings(map(self._note, out)))

    def _fill(self, contents: Sequence[Any]) -> None:
        for buffer, held in zip(self._buffers, contents, strict=True):
            bytes_of(buffer)[:] = held

    def _certified(self, record: LaunchRecord) -> Certificate:
        from ptxlab.sim import run
        from ptxlab.sim.report.certificate import Certificate, not_proved

        self._fill(self._before)
        try:
            report = run(record, self._options)
        except Diagnostic as stop:
            return Certificate(self._entry.name, str(record), [stop])
        assert report.certificate is not None
        return not_proved(report.certificate, report.findings) if report.findings else report.certificate

    def _note(self, place: _Place) -> Diagnostic:
        op = self._record.program.ops[place.index]
        pair = " and the wait behind it" if len(place.drop) > 1 else ""
        return Diagnostic(
            "PTX9401",
            f"`{op.inst.opcode}`{pair} orders nothing in this launch that something else does not order",
            span=op.span,
            origin=op.origin or self._origin,
        )


__all__ = ["Redundancy", "redundant"]
