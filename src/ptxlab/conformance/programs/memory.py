"""Statements of random programs that touch memory: each byte has one writer between two barriers.

A lane has 32 bytes of shared memory, 32 of local memory and 16 of global memory for itself, and 32 that it only reads. What
other lanes see goes through words to exchange, between barriers, or through cells that everybody adds to by operations whose
order does not matter.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from ptxlab.conformance.micro.kernel import THREADS
from ptxlab.conformance.micro.memory import count_of, space_of
from ptxlab.conformance.programs.hidden import CTA_ZERO, opaque
from ptxlab.conformance.programs.operations import Ops, absorb
from ptxlab.conformance.programs.tree import CELLS, DISTRIBUTED, EXCHANGE, LINE, SLOTS
from ptxlab.conformance.rows.probes import Probe, draw, has_instances, of_row
from ptxlab.isa.form import FORMS
from ptxlab.isa.types import TYPES

_LOADS: Final = ("ld", "ld.cached", "ld.volatile", "ld.strong", "ld.mmio", "ld.nc", "ldu")
_STORES: Final = ("st", "st.cached", "st.volatile", "st.strong", "st.mmio")
_CONST: Final = 4096
_READ_ONLY: Final = ("ld.nc", "ldu")
_ADDED: Final = ("red.bits", "red.add", "red.extreme")
_TRIES: Final = 200
_ROUNDED: Final = (".add.float", ".add.half", ".vector.f32", ".vector.half", ".vector.pair")
"""Atomics on floating-point numbers: which of two NaN stays is not settled for all of their forms."""
CLUSTER_CELLS: Final = THREADS // 2
"""The first cell that other CTAs of the cluster add to."""


def _atomics() -> list[str]:
    """Atomics and reductions on memory of one CTA."""
    return [
        f.key
        for f in FORMS.values()
        if not f.key.endswith(_ROUNDED)
        and f.family == "memory"
        and f.name.partition(".")[0] in ("atom", "red")
        and not f.unsimulated
        and has_instances(f)
    ]


class Memory:
    """Draws statements that touch memory.

    Attributes:
        dice, ops: what draws.
        label: gives a label that no other statement has.
        cluster: CTAs of a cluster; 0 for none.
    """

    def __init__(self, dice: random.Random, ops: Ops, label: Callable[[], str], cluster: int) -> None:
        self.dice, self.ops, self.label, self.cluster = dice, ops, label, cluster
        self._atomic_rows = _atomics()

    # --- memory of the lane's own ---------------------------------------------------------------------------------------
    def load(self, *, local: bool = False) -> str:
        """A load of a lane's own, of what it only reads, or of a constant. `local`: of local memory."""
        rows = _LOADS[:2] if local else _LOADS
        probe = self._drawn(rows, lambda p: _narrow(p) and (not local or space_of(p) == "local"))
        count, type_ = count_of(probe), TYPES[probe.mods["type"]]
        bits = self._bits(probe)
        targets = self.ops.registers(bits, count)
        place = self._place(probe, count * type_.bytes, reads=True)
        text = f"{probe.opcode} {_listed(targets)}, [{place}]{_policy(probe)};"
        return " ".join([_before(place), text, *(absorb(bits, t) for t in targets if self.dice.random() < 0.5)]).strip()

    def store(self, *, local: bool = False) -> str:
        """A store to a lane's own."""
        rows = _STORES[:2] if local else _STORES
        probe = self._drawn(rows, lambda p: _narrow(p) and (not local or space_of(p) == "local"))
        count, type_ = count_of(probe), TYPES[probe.mods["type"]]
        bits = self._bits(probe)
        sources = [self.ops.register(bits) for _ in range(count)]
        place = self._place(probe, count * type_.bytes, reads=False)
        # ptxas converts what a float instruction has left in a wider register to a narrow integer
        before = opaque(bits, sources) if bits > type_.bits else []
        return " ".join([*before, f"{probe.opcode} [{place}], {_listed(sources)}{_policy(probe)};"])

    def atomic(self) -> str:
        """An operation on memory that no other lane touches, so that what it gives is certain."""
        probe = self._drawn(self._atomic_rows, lambda p: True)
        count, type_ = count_of(probe), TYPES[probe.mods["type"]]
        place = self._place(probe, count * type_.bytes, reads=False)
        operand = _listed([self.ops.register(type_.bits) for _ in range(count)])
        if probe.form.key == "atom.cas":
            operand += f", {self.ops.register(type_.bits)}"
        if probe.form.name.startswith("red"):
            return f"{probe.opcode} [{place}], {operand}{_policy(probe)};"
        targets = self.ops.registers(type_.bits, count)
        text = f"{probe.opcode} {_listed(targets)}, [{place}], {operand}{_policy(probe)};"
        return " ".join([text, *(absorb(type_.bits, t) for t in targets)])

    def _drawn(self, rows: tuple[str, ...] | list[str], wanted: Callable[[Probe], bool]) -> Probe:
        for _ in range(_TRIES):
            probe = draw(FORMS[self.dice.choice(rows)], self.dice)
            if probe is not None and not space_of(probe).startswith("param") and wanted(probe):
                return probe
        raise AssertionError(f"no instance of {rows} is wanted")

    def _bits(self, probe: Probe) -> int:
        """Of the registers: integers may be in wider ones."""
        type_ = TYPES[probe.mods["type"]]
        if type_.kind == "f" or type_.bits > 32 or count_of(probe) > 4:
            return max(16, type_.bits)
        return self.dice.choice([b for b in (16, 32, 64) if b >= type_.bits])

    def _place(self, probe: Probe, size: int, *, reads: bool) -> str:
        """An address of memory that has so many bytes, as the operand has it."""
        space, weak = space_of(probe), probe.form.key in ("ld", "st")
        # vectors of atomics, hints and .mmio are for global memory alone, by generic addresses, too
        only = (
            "::" in probe.opcode
            or "mmio" in probe.opcode
            or (probe.form.name not in ("ld", "st") and count_of(probe) > 1)
        )
        generic = [
            ("%slot", SLOTS),
            *([] if only else [("%gp", LINE)]),
            *([("%gl", LINE)] if weak and not only else []),
        ]
        base, room = {
            "shared": ("%sp", LINE),
            "local": ("%lp", LINE),
            "global": ("%slot", SLOTS),
            "const": ("table", _CONST),
            "": self.dice.choice(generic),
        }[space.partition(":")[0]]
        if probe.form.key in _READ_ONLY or (reads and space == "global" and self.dice.random() < 0.5):
            base, room = "%raw", LINE
        if space == "const" and self.dice.random() < 0.5:
            base, room = "%tx", LINE
        offset = self.dice.randrange(room // size) * size
        return f"{base}+{offset}" if offset or base == "table" else base

    # --- what all lanes add to ------------------------------------------------------------------------------------------
    def add(self) -> str:
        """Something added to a cell of the CTA, in shared or global memory."""
        probe = self._drawn(_ADDED, lambda p: space_of(p) != "" and _cell(p) < CLUSTER_CELLS)
        space, bits, cell = space_of(probe), TYPES[probe.mods["type"]].bits, _cell(probe)
        place = f"%accs+{LINE * cell}" if space == "global" else f"%sc+{8 * cell}"
        return f"{probe.opcode} [{place}], {self.ops.register(bits)}{_policy(probe)};"

    def total(self, together: Callable[[], str]) -> str:
        """A cell, when everybody has added to it and nobody does."""
        cell, target = self.dice.randrange(_CELLS), self.ops.register(64)
        place = self.dice.choice(
            (f"ld.global.b64 {target}, [%accs+{LINE * cell}];", f"ld.shared.b64 {target}, [%sc+{8 * cell}];")
        )
        return f"{together()} {place} {absorb(64, target)} {together()}"

    # --- what lanes tell each other -------------------------------------------------------------------------------------
    def exchange(self, mask: str) -> str:
        """What another lane of the mask wrote."""
        if mask == "-1":
            pick = f"and.b32 %tv, {self.ops.register(32)}, 31;"
        else:
            pick = (
                f"popc.b32 %tv, {mask}; rem.u32 %tv, {self.ops.register(32)}, %tv; add.u32 %tv, %tv, 1; "
                f"fns.b32 %tv, {mask}, 0, %tv;"
            )
        put, get = self._words(f"{pick} and.b32 %tw, %t, 96; add.u32 %tv, %tv, %tw;")
        return f"{put} bar.warp.sync {mask}; {get} bar.warp.sync {mask};"

    def exchange_all(self, together: Callable[[], str]) -> str:
        """What another lane of the CTA wrote."""
        put, get = self._words(f"and.b32 %tv, {self.ops.register(32)}, {THREADS - 1};")
        return f"{put} {together()} {get} {together()}"

    def _words(self, pick: str) -> tuple[str, str]:
        """A store of the lane's word and a load of the one that %tv names, after `pick`."""
        kind = self.dice.randrange(4)
        if kind == 0:
            source, target = self.ops.register(64), self.ops.register(64)
            get = f"{pick} mul.wide.u32 %tx, %tv, {LINE}; add.u64 %tx, %tx, %accs; ld.global.b64 {target}, [%tx+-8];"
            return f"st.global.b64 [%slot+16], {source};", f"{get} {absorb(64, target)}"
        count, bits = ((1, 32), (2, 64), (4, 32))[kind - 1]
        vec = f".v{count}" if count > 1 else ""
        sources = _listed([self.ops.register(bits) for _ in range(count)])
        targets = self.ops.registers(bits, count)
        base = f"add.u32 %tw, %mem, {EXCHANGE}; mad.lo.u32 %tw, %tv, 16, %tw;"
        get = f"{pick} {base} ld.shared{vec}.b{bits} {_listed(targets)}, [%tw];"
        return f"st.shared{vec}.b{bits} [%se], {sources};", " ".join([get, *(absorb(bits, t) for t in targets)])

    def distributed(self, together: Callable[[], str]) -> str:
        """What lanes of other CTAs of the cluster wrote, here or there."""
        register, target = self.ops.register(32), self.ops.register(32)
        peer = f"rem.u32 %tv, {self.ops.register(32)}, {self.cluster};"
        other = (
            f"and.b32 %tw, {self.ops.register(32)}, {THREADS - 1}; mad.lo.u32 %tw, %tw, 16, %mem; "
            f"add.u32 %tw, %tw, {DISTRIBUTED}; mapa.shared::cluster.u32 %tw, %tw, %tv;"
        )
        read = f"{peer} {other} ld.shared::cluster.b32 {target}, [%tw+{self.dice.choice((0, 4, 8, 12))}]; {absorb(32, target)}"
        following = (
            f"mov.u32 %tv, %cluster_ctarank; add.u32 %tv, %tv, {self.dice.randrange(self.cluster)}; "
            f"rem.u32 %tv, %tv, {self.cluster}; mapa.shared::cluster.u32 %tw, %sd, %tv;"
        )
        match self.dice.randrange(3):
            case 0:
                return f"st.shared.b32 [%sd], {register}; {together()} {read} {together()}"
            case 1:
                return f"{following} st.shared::cluster.b32 [%tw+8], {register}; {together()} {read} {together()}"
            case _:
                return f"{self.remote()} {together()} {self._remote_total()} {together()}"

    def remote(self) -> str:
        """Something added to a cell of another CTA."""
        cell = CLUSTER_CELLS + self.dice.randrange(4)
        op = ("add.u32", "xor.b32", "max.s32", "and.b32")[cell - CLUSTER_CELLS]
        register = self.ops.register(32)
        return (
            f"rem.u32 %tv, {self.ops.register(32)}, {self.cluster}; add.u32 %tw, %sc, {8 * cell}; "
            f"mapa.shared::cluster.u32 %tw, %tw, %tv; red.relaxed.cluster.shared::cluster.{op} [%tw], {register};"
        )

    def _remote_total(self) -> str:
        cell, target = CLUSTER_CELLS + self.dice.randrange(4), self.ops.register(32)
        return f"ld.shared.b32 {target}, [%sc+{8 * cell}]; {absorb(32, target)}"

    # --- copies in the background -----------------------------------------------------------------------------------------
    def copy(self) -> str:
        """A copy of each lane from what it only reads into its line, or from its line into global memory, and the wait for it."""
        return self.dice.choice((self._cp_async, self._inward, self._inward, self._outward))()

    def _cp_async(self) -> str:
        probe = self._drawn(("cp.async",), lambda p: True)
        size = 16 if ".cg" in probe.opcode else self.dice.choice((4, 8, 16))
        short = f", {self.dice.randrange(size + 1)}" if self.dice.random() < 0.3 else ""
        here, there = (self.dice.randrange(LINE // size) * size for _ in range(2))
        end = self.dice.choice(("cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;"))
        return f"{probe.opcode} [%sp+{here}], [%raw+{there}], {size}{short}{_policy(probe)}; {end}"

    def _inward(self) -> str:
        rows = ("cp.async.bulk.g2cta", "cp.async.bulk.g2cluster")
        probe = self._drawn(rows, lambda p: "multicast" not in p.opcode and not _newer(p))
        size = self.dice.choice((16, 32))
        here, there = (self.dice.randrange(LINE // size) * size for _ in range(2))
        again = self.label()
        return (
            f"fence.proxy.async; mbarrier.arrive.expect_tx.shared::cta.b64 %tx, [%sb], {size}; "
            f"{probe.opcode} [%sp+{here}], [%raw+{there}], {size}, [%sb]{_policy(probe)}; "
            f"{again}: mbarrier.try_wait.parity.shared::cta.b64 %tp, [%sb], %ph; @!%tp bra {again}; xor.b32 %ph, %ph, 1;"
        )

    def _outward(self) -> str:
        probe = self._drawn(("cp.async.bulk.cta2g",), lambda p: "cp_mask" not in p.opcode and not _newer(p))
        here = self.dice.choice((0, 16))
        return (
            f"fence.proxy.async; {probe.opcode} [%slot], [%sp+{here}], 16{_policy(probe)}; "
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        )

    # --- barriers of the CTA ------------------------------------------------------------------------------------------------
    def together(self) -> str:
        """A barrier of the whole CTA, of any kind: what was written before it is read behind it."""
        match self.dice.randrange(5):
            case 0 | 1:
                row = self.dice.choice(("bar.sync", "bar.cta.sync", "barrier.sync", "barrier.cta.sync"))
                count = self.dice.choice(("", f", {THREADS}"))
                return f"{self._opcode(row)} {self.dice.randrange(8)}{count};"
            case 2:
                path = self.dice.choice(("bar", "bar.cta", "barrier", "barrier.cta"))
                bits, row = self.dice.choice(((32, f"{path}.red.popc"), (1, f"{path}.red")))
                target = self.ops.register(bits)
                return reduced(
                    bits, target, f"{self._opcode(row)} {target}, {self.dice.randrange(8)}, {self.ops.register(1)};"
                )
            case 3:
                first, end = self.label(), self.label()
                return (
                    f"setp.lt.u32 %tp, %t, {THREADS // 2}; @%tp bra {first}; bar.sync 8, {THREADS}; bar.arrive 9, {THREADS}; "
                    f"bra.uni {end}; {first}: bar.arrive 8, {THREADS}; bar.sync 9, {THREADS}; {end}:"
                )
            case _:
                again = self.label()
                return (
                    f"mbarrier.arrive.shared::cta.b64 %tx, [%bar]; {again}: mbarrier.try_wait.parity.shared::cta.b64 %tp, "
                    f"[%bar], %cp; @!%tp bra {again}; xor.b32 %cp, %cp, 1; bar.warp.sync -1;"
                )

    def cluster_together(self) -> str:
        """A barrier of the whole cluster."""
        arrive = self._opcode("barrier.cluster.arrive")
        wait = "barrier.cluster.wait" + (".aligned" if "aligned" in arrive else "")
        return f"{'fence.acq_rel.cluster;' if 'relaxed' in arrive else ''} {arrive}; {wait};"

    def _opcode(self, row: str) -> str:
        return self.dice.choice(list(dict.fromkeys(p.opcode for p in of_row(FORMS[row], 48, 0))))

    def idle(self, *, naps: bool) -> str:
        """What changes no value: fences, hints, and naps where they may be."""
        row = self.dice.choice(("membar", "fence", "prefetch", "pmevent", *(("nanosleep",) if naps else ())))
        if row in ("membar", "fence"):
            return f"{self._opcode(row)};"
        if row == "prefetch":
            return f"prefetch.global.L{self.dice.choice((1, 2))} [%raw];"
        return "nanosleep.u32 20;" if row == "nanosleep" else "pmevent 3;"


def reduced(bits: int, target: str, barrier: str) -> str:
    """A barrier with a result, which nobody may get anew: ptxas 13.1 waits at the barrier again where the result is read late."""
    return " ".join([barrier, *opaque(bits, [target], CTA_ZERO)])


def _narrow(probe: Probe) -> bool:
    """Whether it is no vector of eight narrow elements, which ptxas 13.1 gets wrong, and fits what a lane has."""
    return (
        not (count_of(probe) == 8 and TYPES[probe.mods["type"]].bits < 32)
        and count_of(probe) * TYPES[probe.mods["type"]].bytes <= SLOTS
    )


def _newer(probe: Probe) -> bool:
    """Whether a bulk copy has a type, which few releases of ptxas know."""
    return probe.opcode.endswith(".b128")


def _policy(probe: Probe) -> str:
    return ", %policy" if "L2::cache_hint" in probe.opcode else ""


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def _before(place: str) -> str:
    """What makes the address in %tx, where it is of a constant that a lane chooses."""
    return (
        f"and.b32 %tw, %t, 63; mov.u64 %tx, table; mad.wide.u32 %tx, %tw, {LINE}, %tx;"
        if place.startswith("%tx")
        else ""
    )


_KINDS: Final = tuple(
    (op, t)
    for ops, types in (
        (("and", "or", "xor"), ("b32", "b64")),
        (("add",), ("u32", "s32", "u64", "s64")),
        (("min", "max"), ("u32", "s32", "u64", "s64", "b64")),
    )
    for op in ops
    for t in types
)
_CELLS: Final = len(_KINDS)


def _cell(probe: Probe) -> int:
    """The cell for an operation: those that do not commute have their own."""
    kind = (
        next(p for p in probe.opcode.split(".") if p in ("and", "or", "xor", "add", "min", "max")),
        probe.mods["type"],
    )
    return _KINDS.index(kind) if kind in _KINDS else CLUSTER_CELLS


__all__ = ["CELLS", "CLUSTER_CELLS", "Memory", "reduced"]
