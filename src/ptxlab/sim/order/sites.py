"""The instructions of a program: which of them native code may look at first, and how each accesses memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ptxlab.isa.action import Action, Touch
from ptxlab.isa.effects import Access, AsyncCopy, AsyncMma, Barrier, Effect, Fence, Group, Mbarrier, WarpWide
from ptxlab.isa.extents import Box, Rows, Run
from ptxlab.isa.order import ACQUIRING, MEMORIES
from ptxlab.ptx.uses import is_unread, read_in
from ptxlab.sim.certify.judge import only_one_sum
from ptxlab.sim.certify.peeks import is_peek
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler, Slot, fields_of
from ptxlab.sim.engine.decoded.accesses import addresses
from ptxlab.sim.order.earlier import Comparison, compared_alone
from ptxlab.sim.order.native.arena import Words
from ptxlab.sim.order.native.fences import ACQUIRES, FOR_GLOBAL, FOR_SHARED, RELEASES
from ptxlab.sim.order.native.state import (
    ATOMIC,
    DEFERRED,
    FLAG,
    GENERIC,
    LOST,
    NARROW,
    OF_CLUSTER,
    READS,
    RELAXED,
    SHARED,
    TEXTURE,
    TEXTURES,
    UNREAD,
    UNTOLD,
    WRITES,
    Site,
    Wait,
)
from ptxlab.sim.order.places import SHADOWED
from ptxlab.sim.order.shadow import Kind
from ptxlab.sim.order.split_updates import split_updates

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.decoded.decode import Image

_SHARED = ("shared", "shared::cta", "shared::cluster")
_FENCED = {"own": FOR_SHARED, "global": FOR_GLOBAL}
"""By memory, what the native filter calls it."""
_COPY, _PRODUCT = "cp.async-group", "wgmma-group"
_CHUNK = 16
"""Bytes of shared memory that bulk copies and wgmma move at least, and begin at multiples of."""
_WIDEST = 32
"""Bytes of a lane's widest access."""


@dataclass(frozen=True, slots=True)
class Sites:
    """What the sanitizer has to know of a program's instructions, whatever the launch.

    Attributes:
        image: the program. points: program counters, in order. numbers: of instructions, by id.
        actions: what each does. granule: bytes of the shortest access. shared_granule: the same of shared memory.
        textures: whether it has .nc loads. private: whether shared memory is accessed by threads alone, through the generic proxy.
        prologues: what stands in front of instructions, and where.
        phases: whether native code can follow all that the program's mbarriers order. meets: whether it has barriers of the CTA.
        restricts: whether it has fences about shared memory. waits: whether it has mbarriers, or products.
        maps: whether it may change tensor maps.
        entries: what those ask native code for, by the place in the environment.
        in_python: those that run in Python and concern the sanitizer, by program counter.
        rows: how each accesses memory, for native code. places: the number of the row at each program counter.
        copies: those by cp.async that native code follows. updates, compared: see `split_updates`,
            `compared_alone`. unread: atomic operations of which nobody reads what they have found, by id: `red`, and `atom` whose
            result is not used, which is how compilers write it.
    """

    image: Image
    points: list[int]
    numbers: dict[int, int]
    actions: dict[int, Action]
    granule: int
    shared_granule: int
    textures: bool
    private: bool
    phases: bool
    restricts: bool
    meets: bool
    waits: bool
    maps: bool
    updates: Mapping[int, int]
    compared: Mapping[int, tuple[Comparison, ...]]
    unread: frozenset[int]
    prologues: dict[Handler, list[int]]
    entries: dict[int, str]
    in_python: dict[int, Op]
    rows: Words
    places: Words
    copies: Copies


_ENTRIES: Mapping[str, Mapping[int, str]] = {
    "$notify.access": {F.E_JUDGE: "judged"},
    "$notify.store": {F.E_JUDGE: "judged", F.E_SAME: "same"},
    "$notify.copy": {F.E_COPY: "copies"},
    "$notify.commit": {F.E_COMMIT: "commit"},
    "$notify.wait": {F.E_WAIT: "wait"},
    "$notify.products": {F.E_PRODUCT_WAIT: "waits"},
    "$notify.meet": {F.E_MEET: "lanes_meet"},
    "$notify.fence": {F.E_FENCE: "fence", F.E_GUARD: "guard"},
}
"""Of prologues, the entries of native code that they ask: compiling one takes its time."""
_kept: OrderedDict[tuple[int, bool, bool, bool, bool, bool, frozenset[int]], Sites] = OrderedDict()
_making = threading.Lock()
MOST_KEPT = 32
"""Programs whose sites are kept."""


def sites_of(
    image: Image,
    *,
    strict: bool,
    copies: bool = False,
    phases: bool = False,
    certify: bool = False,
    flags: bool = True,
    early: frozenset[int] = frozenset(),
) -> Sites:
    """The sites of a program; the last few are kept.

    strict: as of the sanitizer. copies: whether native code may follow cp.async. phases: whether it may follow mbarriers. certify:
        whether Python has to hear of atomic operations whose order matters. flags: whether it follows flags.
    early: accesses, by the number of the instruction, that Python looks at until their warp comes behind griddepcontrol.wait.
    """
    key = id(image), strict, copies, phases, certify, flags, early
    with _making:
        found = _kept.get(key)
        if found is None or found.image is not image:
            maker = _Maker(image, strict=strict, copies=copies, phases=phases, certify=certify, flags=flags)
            found = _kept[key] = maker.made(early)
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return found


def forget() -> None:
    """Look at programs anew."""
    with _making:
        _kept.clear()


class _Maker:
    def __init__(self, image: Image, *, strict: bool, copies: bool, phases: bool, certify: bool, flags: bool) -> None:
        self._image, self._points, self._flags_order = image, image.points, flags
        self._strict, read = strict, read_in(image.ops)
        self._unread = frozenset(id(op) for op in image.ops if _adds(op) and is_unread(op, read))
        self._actions = {id(op): op.inst.effect for op in image.ops}
        accesses = [self._actions[id(op)] for op in image.ops if isinstance(op.inst.form.effect, Access)]
        touches = [touch for action in accesses for touch in action.touches]
        sizes = [t.extent.bytes for t in touches if isinstance(t.extent, Run) and t.extent.bytes]
        self._granule = min([4, *sizes])
        self._textures = any(t.proxy == "texture" for t in touches)
        self._maps = any(map(_changes_maps, image.ops))
        self._restricts = any(_is_restricted(op) for op in image.ops)
        self._phases = phases and copies and not strict and has_plain_phases(image.ops)
        self._copies = copies_of(image.ops, image.handlers, phases=self._phases) if copies else NO_COPIES
        self._compared = {
            i: found[id(op)] for found in self._asked() for i, op in enumerate(image.ops) if id(op) in found
        }
        self._adds = not certify or (only_one_sum(image.ops) and not self._compared)
        self._sums = not flags or (not strict and self._only_sums(image.ops))
        self._rows = np.zeros((len(image.ops) + 1, Site.WORDS), np.uint32)
        self._places = np.zeros(self._points[-1] // 8 + 1, np.uint32)

    def made(self, early: frozenset[int]) -> Sites:
        image, prologues, in_python = self._image, dict[Handler, list[int]](), dict[int, "Op"]()
        for number, (pc, op, handler) in enumerate(zip(self._points, image.ops, image.handlers, strict=True)):
            if number in self._copies.products:
                self._of_product(number, pc, op)
            elif number in self._copies.all:
                prologues.setdefault(self._of_copies(number, pc, op, handler), []).append(pc)
            if isinstance(op.inst.form.effect, Mbarrier):
                self._places[pc // 8] = number + 1
                self._rows[number + 1] = Site.row(flags=self._of_mbarrier(self._actions[id(op)]))
            if isinstance(op.inst.form.effect, WarpWide) and not _names_all_lanes(op):
                lanes = Handler("$notify.lanes", (), _slots(handler, ("mask", "membermask")), together=handler.together)
                prologues.setdefault(lanes, []).append(pc)
            if not _concerns(op, self._actions[id(op)]) or (not self._flags_order and orders_generic(op)):
                continue
            if pc not in image.flights and pc not in image.caches:
                in_python[pc] = op
            if not handler.traps:
                prologue = self._prologue(number, pc, op, handler)
                if number in early and prologue.key in ("$notify.access", "$notify.store"):
                    prologue = replace(prologue, mods=(("early", ""),))
                prologues.setdefault(prologue, []).append(pc)
        numbers = {id(op): i for i, op in enumerate(image.ops)}
        return Sites(
            image,
            points=self._points,
            numbers=numbers,
            actions=self._actions,
            granule=self._granule,
            shared_granule=_CHUNK if all(_by_chunks(op, self._actions[id(op)]) for op in image.ops) else self._granule,
            textures=self._textures,
            private=all(map(_is_private, self._actions.values())),
            phases=self._phases,
            restricts=self._restricts,
            meets=any(isinstance(e := op.inst.form.effect, Barrier) and e.scope == "cta" for op in image.ops),
            updates=split_updates(self._image.ops),
            compared=self._compared,
            unread=self._unread,
            maps=self._maps,
            waits=any(isinstance(op.inst.form.effect, (Mbarrier, AsyncMma)) for op in image.ops),
            prologues=prologues,
            entries={at: name for handler in prologues for at, name in _ENTRIES.get(handler.key, {}).items()},
            in_python=in_python,
            rows=self._rows.reshape(-1),
            places=self._places,
            copies=self._copies,
        )

    def _asked(self) -> Iterator[dict[int, tuple[Comparison, ...]]]:
        """Of each function, the strong loads whose value is compared alone."""
        program = self._image.program
        for one in (program, *program.functions):
            found = compared_alone(one)
            if found:
                yield found

    def _prologue(self, number: int, pc: int, op: Op, handler: Handler) -> Handler:
        """What stands in front of an instruction."""
        restricted = self._phases and _is_restricted(op)
        if restricted or ((self._copies.products or self._phases) and _noted_natively(op, self._actions[id(op)])):
            return _of_fence(op, self._actions[id(op)], handler)
        if isinstance(op.inst.form.effect, Barrier):
            return Handler("$notify.meet", (), _slots(handler, ("mask",)), together=handler.together)
        touch, reached = self._alone(op), addresses(op, handler)
        if touch is None or len(reached) != 1:
            return Handler("$notify", together=handler.together)
        extent = touch.extent
        assert isinstance(extent, (Run, Rows))
        lanes = (1 << (extent.rows or 0)) - 1 if isinstance(extent, Rows) else LOST
        info, flags = kind_of(number, op, touch).info, self._flags(op, touch)
        self._rows[number + 1] = Site.row(info=info, size=extent.bytes or 0, flags=flags, lanes=lanes)
        self._places[pc // 8] = number + 1
        names = (reached[0][0], "b")
        if touch.writes and not flags & ATOMIC and _has_values(handler):
            return Handler("$notify.store", (), _slots(handler, names), together=handler.together)
        return Handler("$notify.access", (), _slots(handler, names[:1]), together=handler.together)

    def _of_copies(self, number: int, pc: int, op: Op, handler: Handler) -> Handler:
        """What stands in front of a copy by cp.async, of a commit and of a wait."""
        effect = op.inst.form.effect
        if isinstance(effect, Group) and effect.kind == "commit":
            return Handler("$notify.commit", (), _slots(handler, ()), together=handler.together)
        self._places[pc // 8] = number + 1
        if isinstance(effect, Group):
            if effect.group == _PRODUCT:
                left = effect.pending(int(op.inst.operand_value("n")))
                self._rows[number + 1] = Wait.row(number=self._copies.waits[number], groups=int(left > 0))
                mods = (("left", str(left)),)
                return Handler("$notify.products", mods, _slots(handler, ()), together=handler.together)
            waits_for_all = "n" not in op.inst.operands
            old = 0 if waits_for_all else effect.pending(int(op.inst.operand_value("n"))) + 1
            self._rows[number + 1] = Wait.row(number=self._copies.waits[number], groups=old)
            return Handler("$notify.wait", (), _slots(handler, ()), together=handler.together)
        size = int(op.inst.operand_value("size"))
        flags = TEXTURES if self._textures else 0
        self._rows[number + 1] = Site.row(info=Kind(number).info, size=size, flags=flags, lanes=LOST)
        names = tuple(s.name for s in handler.slots if s.name in ("dst", "src", "src_size", "ignore_src"))
        mods = (("bytes", str(size)), *((("ignores", ""),) if "ignore_src" in names else ()))
        return Handler("$notify.copy", mods, _slots(handler, names), together=handler.together)

    def _of_product(self, number: int, pc: int, op: Op) -> None:
        """What native code has to know of a wgmma: it asks by its program counter."""
        kind = operation_kind(number, self._actions[id(op)], "async", writes=False)
        self._places[pc // 8] = number + 1
        self._rows[number + 1] = Site.row(info=kind.info, flags=READS | SHARED, lanes=LOST)

    def _alone(self, op: Op) -> Touch | None:
        """The access of an instruction that makes just one: a plain one, or a relaxed atomic operation; where flags order nothing,
        any strong one."""
        if not isinstance(op.inst.form.effect, Access):
            return None
        touches = self._actions[id(op)].touches
        if len(touches) != 1 or touches[0].space not in SHADOWED or touches[0].proxy not in ("generic", "texture"):
            return None
        (touch,) = touches
        plain = touch.order == "weak" and touch.update is None
        # a compare-and-swap writes only where it finds what it compares with
        relaxed = self._adds and touch.update not in (None, "cas") and touch.order == "relaxed"
        if not plain and not relaxed and (self._flags_order or touch.update == "cas"):
            return None
        extent = touch.extent
        if not isinstance(extent, (Run, Rows)) or extent.bytes is None:
            return None
        if isinstance(extent, Rows) and extent.rows is None:
            return None
        nbytes = extent.bytes
        return touch if nbytes & (nbytes - 1) == 0 and self._granule <= nbytes <= _WIDEST else None

    def _flags(self, op: Op, touch: Touch) -> int:
        keeps = touch.update is not None or (touch.writes and touch.order != "weak")
        flags = (
            (touch.reads, READS),
            (touch.writes, WRITES),
            (touch.space in _SHARED, SHARED),
            (touch.space == "generic", GENERIC),
            (keeps, ATOMIC),
            (keeps and touch.update is None, FLAG),
            (touch.update is not None and not self._sums, DEFERRED),
            (id(op) in self._unread and not self._strict, UNREAD),
            (keeps and touch.scope not in ("gpu", "sys"), NARROW),
            (touch.scope == "cluster", OF_CLUSTER),
            (touch.proxy == "texture", TEXTURE),
            (self._textures, TEXTURES),
        )
        return sum(bit for there, bit in flags if there)

    def _of_mbarrier(self, action: Action) -> int:
        """How an instruction arrives at an mbarrier, or waits."""
        wide = action.scope not in (None, "cta")
        scope = OF_CLUSTER if wide else UNTOLD if self._restricts else 0
        return scope | (RELAXED if action.order == "relaxed" else 0)

    def _only_sums(self, ops: Sequence[Op]) -> bool:
        """Whether nothing in a program can serve as a flag: strong accesses return nothing, and nothing releases or acquires."""
        for op in ops:
            effect, action = op.inst.form.effect, self._actions[id(op)]
            if orders_generic(op):
                return False
            if isinstance(effect, Access):
                for touch in action.touches:
                    if touch.order != "weak" and (touch.order != "relaxed" or id(op) not in self._unread):
                        return False
        return True


def _adds(op: Op) -> bool:
    """Whether an instruction is an atomic operation that writes whatever it finds, and acquires nothing."""
    touches = op.inst.effect.touches if isinstance(op.inst.form.effect, Access) else ()
    return any(t.update not in (None, "cas") and t.order not in ACQUIRING for t in touches)


def _names_all_lanes(op: Op) -> bool:
    """Whether an instruction has no member mask, or one of all lanes."""
    name = op.inst.member_mask
    value = op.inst.operand_value(name) if name else F.FULL
    return isinstance(value, int) and value & F.FULL == F.FULL


def _has_values(handler: Handler) -> bool:
    """Whether the handler of a store has values of up to 64 bits, and of each element one."""
    found = [s for s in handler.slots if s.name == "b"]
    return (
        len(found) == 1 and found[0].type[1:].isdigit() and int(found[0].type[1:]) <= 64 and "_" not in found[0].shape
    )


def _slots(handler: Handler, names: Sequence[str]) -> tuple[Slot, ...]:
    """The slots of an instruction's handler, for a prologue that reads these operands."""
    return tuple(
        Slot(s.name, s.type, "r", s.shape) if s.name in names else Slot(s.name, "", "", ("i",) * fields_of(s.shape))
        for s in handler.slots
    )


@dataclass(frozen=True, slots=True)
class Copies:
    """The instructions of a program that concern copies by cp.async, where machine code follows those.

    Attributes:
        waits: of each that waits, by its number, how many come before it. all: those, the copies and the commits.
        products: wgmma, where machine code follows that, too. They and their waits are among the others.
    """

    waits: Mapping[int, int]
    all: frozenset[int]
    products: frozenset[int] = frozenset()


NO_COPIES = Copies({}, frozenset())


_ORDERING = ("arrive", "arrive_drop", "test_wait", "try_wait")
"""Operations on mbarriers that order what is around them, unless they are relaxed."""


def has_plain_phases(ops: Sequence[Op]) -> bool:
    """Whether a program has mbarriers, and they order nothing but threads and bulk copies, without the help of fences."""
    found = relaxed = fences = False
    for op in ops:
        effect, action = op.inst.form.effect, op.inst.effect
        fences |= orders_generic(op) and not _is_restricted(op)
        if isinstance(effect, Mbarrier):
            found, relaxed = True, relaxed or (effect.kind in _ORDERING and action.order == "relaxed")
            if effect.after is not None or is_peek(op):
                return False
        if isinstance(effect, AsyncCopy) and effect.completion != _COPY and not _is_bulk(op.inst.effect):
            return False
    return found and not (relaxed and fences)


def _is_restricted(op: Op) -> bool:
    """Whether an instruction is a fence of the cluster that releases, or acquires, what is about shared memory."""
    action = op.inst.effect
    halves = action.scope == "cluster" and action.order in ("acquire", "release")
    return orders_generic(op) and action.space is not None and halves


def orders_generic(op: Op) -> bool:
    """Whether an instruction is a fence of the generic proxy, for all that its threads have done."""
    action = op.inst.effect
    return isinstance(op.inst.form.effect, Fence) and not action.joins and action.only is None


def _is_bulk(action: Action) -> bool:
    """Whether an asynchronous operation copies from memory: others store what registers hold, for each lane."""
    return any(t.reads and not t.writes and t.agent == "operation" for t in action.touches)


def copies_of(ops: Sequence[Op], handlers: Sequence[Handler], *, phases: bool = False) -> Copies:
    """Those of a program: none where an mbarrier tells of the end of copies, or Python sees to some.

    phases: whether native code follows mbarriers, too.
    """
    waits: dict[int, int] = {}
    found: set[int] = set()
    for number, (op, handler) in enumerate(zip(ops, handlers, strict=True)):
        effect = op.inst.form.effect
        if isinstance(effect, Mbarrier) and effect.after is not None:
            return NO_COPIES
        group = isinstance(effect, Group) and effect.group == _COPY
        if not group and not (isinstance(effect, AsyncCopy) and effect.completion == _COPY):
            continue
        if handler.traps:
            return NO_COPIES
        found.add(number)
        if isinstance(effect, Group) and effect.kind == "wait":
            waits[number] = len(waits)
    products = _products_of(ops, handlers, found, phases=phases)
    for number in products:
        effect = ops[number].inst.form.effect
        if isinstance(effect, Group):
            waits[number] = len(waits)
    multiplies = frozenset(n for n in products if isinstance(ops[n].inst.form.effect, AsyncMma))
    return Copies(waits, frozenset(found).union(products), multiplies)


def _products_of(ops: Sequence[Op], handlers: Sequence[Handler], copies: Set[int], *, phases: bool) -> list[int]:
    """All wgmma of a program and the waits for it: none where operations are there that are not followed, too."""
    found: list[int] = []
    for number, (op, handler) in enumerate(zip(ops, handlers, strict=True)):
        effect = op.inst.form.effect
        mine = isinstance(effect, AsyncMma) or (isinstance(effect, Group) and effect.group == _PRODUCT)
        if not phases and (isinstance(effect, Mbarrier) or (isinstance(effect, AsyncCopy) and number not in copies)):
            return []
        if mine and handler.traps:
            return []
        if mine and not (isinstance(effect, Group) and effect.kind != "wait"):
            found.append(number)
    return found if any(isinstance(ops[n].inst.form.effect, AsyncMma) for n in found) else []


def _changes_maps(op: Op) -> bool:
    """Whether an instruction may change tensor maps, or fences such changes."""
    effect = op.inst.form.effect
    changes = isinstance(effect, Access) and effect.tensormap is not None
    return changes or any("tensormap" in pair for pair in op.inst.effect.joins or ())


def _noted_natively(op: Op, action: Action) -> bool:
    """Whether an instruction is a fence between the generic and the async proxy, or wgmma.fence."""
    effect = op.inst.form.effect
    if isinstance(effect, Group):
        return effect.kind == "fence"
    whole = action.only is None and action.order not in ("acquire", "release")
    return isinstance(effect, Fence) and whole and ("generic", "async") in (action.joins or ())


def _of_fence(op: Op, action: Action, handler: Handler) -> Handler:
    """What stands in front of such a one."""
    if isinstance(op.inst.form.effect, Group):
        return Handler("$notify.fence", (("guard", ""),), _slots(handler, ()), together=handler.together)
    if action.joins:
        kinds = sum(_FENCED.get(memory, 0) for memory in MEMORIES[action.space])
    else:
        kinds = RELEASES if action.order == "release" else ACQUIRES
    return Handler("$notify.fence", (("kinds", str(kinds)),), _slots(handler, ()), together=handler.together)


def _concerns(op: Op, action: Action) -> bool:
    """Whether an instruction accesses memory that others may, or orders such accesses, by itself."""
    effect: Effect = op.inst.form.effect
    if isinstance(effect, Access):
        return effect.kind != "discard" and any(t.space in SHADOWED for t in action.touches)
    if isinstance(effect, Barrier):
        return effect.scope == "warp"
    return isinstance(effect, Fence) or (isinstance(effect, Group) and effect.kind == "fence")


def _is_private(action: Action) -> bool:
    """Whether an instruction accesses shared memory by its own threads alone, or not at all."""
    return action.completion is None and all(
        t.agent == "thread" and t.proxy in ("generic", "texture", "constant")
        for t in action.touches
        if t.space in (*_SHARED, "generic")
    )


def _by_chunks(op: Op, action: Action) -> bool:
    """Whether an instruction reaches shared memory in whole chunks alone, as bulk copies, wgmma, ldmatrix and stmatrix do, and
    copies by cp.async of that size."""
    effect = op.inst.form.effect
    if isinstance(effect, (Mbarrier, AsyncMma)):  # mbarriers have no cells: what is done to them is judged apart
        return True
    there = [t for t in action.touches if t.space in (*_SHARED, "generic") and t.update != "mbarrier"]
    if isinstance(effect, AsyncCopy):
        return all(_is_chunks(t, sized=effect.proxy != "async") for t in there)
    return all(t.order == "weak" and t.update is None and _is_chunks(t, sized=True) for t in there)


def _is_chunks(touch: Touch, *, sized: bool) -> bool:
    """Whether an access is one to whole chunks; `sized`: its size has to be known. Sizes in registers are those of bulk copies."""
    extent = touch.extent
    if isinstance(extent, Box):
        return extent.side == "shared"
    if not isinstance(extent, (Run, Rows)):
        return False
    return extent.bytes % _CHUNK == 0 and extent.bytes > 0 if extent.bytes is not None else not sized


def kind_of(site: int, op: Op, touch: Touch) -> Kind:
    """How an instruction accesses memory."""
    strong = touch.order != "weak"
    size = touch.extent.bytes if isinstance(touch.extent, Run) and touch.extent.bytes else 16
    vector = op.inst.mod("vec")
    if strong and vector is not None and vector[1:].isdigit():
        size //= int(vector[1:])
    proxy = touch.proxy if touch.proxy in ("generic", "texture") else "generic"
    return Kind(site, strong, touch.scope or "", size, proxy, touch.update is not None)


def operation_kind(site: int, action: Action, proxy: str, *, writes: bool) -> Kind:
    """How an operation accesses memory."""
    touch = next((t for t in action.touches if t.agent == "operation" and t.writes == writes), None)
    if touch is None:
        return Kind(site, proxy=proxy)
    return Kind(site, touch.order != "weak", touch.scope or "", 4, proxy, touch.update is not None)
