"""Prologues that count what an instruction does. They stand in front of it while somebody wants statistics.

Shared memory has 32 banks of 4 bytes. The lanes that together ask for 128 bytes go at once: 32 lanes of up to 4 bytes, 16 of
8, 8 of 16. Such a group takes as many wavefronts as the bank that is asked for most has different words (units of the
access's size for wider ones). Loads of 8 and 16 bytes go by groups of twice as many lanes where each lane has the address of
the one beside it, or each that of the one but one, in the whole warp. Atomics take each lane of a bank by itself, also those of
one word, and compare-and-swap does it twice; so do the 4- and 8-byte writes of cp.async, once.
Global memory moves in sectors of 32 bytes; as on a GPU, an array begins with one. Atomics of several lanes on one address go one
after the other, each time with the sectors of those that take part.
A record of an H100 has it so (tests/conformance/h100/wavefronts.json.gz). Atomics that ptxas makes a loop of, e.g. additions of
64 bits in shared memory, are counted as if there were an instruction for them.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.address import ADDRESS32, RANK_SHIFT, WINDOW_SHIFT
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning

WIDE = T("u", 64)
_ONE_BY_ONE = {"atomic": 1, "cas": 2, "copy": 1}
"""Accesses for which lanes of one word do not go together, and how often they pass."""
BANK_BYTES = 4
BANKS = 32
SECTOR_BYTES = 32


class _Counters:
    """The counters of the instruction at hand."""

    def __init__(self, e: Emitter, pc: Val) -> None:
        self.e = e
        table = e.load(e.env, PTR, F.E_COUNTERS, 8)
        self.base = e.at(table, pc.to(I64) * (8 * len(F.COUNTERS) // 16))

    def _at(self, name: str) -> int:
        return 8 * F.COUNTERS.index(name)

    def add(self, name: str, value: Val | int) -> None:
        value = self.e.const(value, I64) if isinstance(value, int) else value.to(I64)
        self.e.store(self.e.load(self.base, I64, self._at(name), 8) + value, self.base, self._at(name), 8)

    def raise_to(self, name: str, value: Val) -> None:
        old = self.e.load(self.base, I64, self._at(name), 8)
        self.e.store(self.e.fn.max(old, value.to(I64)), self.base, self._at(name), 8)


def _popcount(e: Emitter, mask: Val) -> Val:
    return e.intrinsic("ctpop", mask)


def _executed(e: Emitter, c: _Counters) -> None:
    some = (e.exec != 0).to(I64)
    c.add("executions", some)
    c.add("skipped", e.const(1, I64) - some)
    c.add("threads", _popcount(e, e.exec))


@meaning("$count")
def count(e: Emitter) -> None:
    """An instruction without memory."""
    pc = e.pc
    _executed(e, _Counters(e, pc))
    go_on(e, Layer.COUNTS, pc)


@meaning("$count.barrier")
def count_barrier(e: Emitter) -> None:
    """A barrier of the CTA runs once to arrive and once to pass; between the two, others run where the warp has to wait."""
    pc = e.pc
    c = _Counters(e, pc)
    now = e.load(e.env, I64, F.E_WARP_COUNT, 8)
    passes = (e.frame_word(F.F_RELEASED) & e.exec) == e.exec
    with e.if_(passes):
        _executed(e, c)
        with e.if_(e.exec != 0):
            waited = now - e.load(e.frame, I64, F.F_ARRIVED, 8)
            c.add("waits", (waited != 0).to(I64))
            c.add("waited", waited)
    with e.if_(~passes):
        e.store(now, e.frame, F.F_ARRIVED, 8)
    go_on(e, Layer.COUNTS, pc)


@meaning("$count.access")
def count_access(e: Emitter, *addresses: Address) -> None:
    """Accesses to memory; modifiers: `bytes` of each, `lanes` whose addresses are used, `kind` (load, store, atomic, cas, copy)."""
    pc = e.pc
    c = _Counters(e, pc)
    _executed(e, c)
    lanes = e.exec & int(e.mods["lanes"])
    with e.if_(lanes != 0):
        for a, size in zip(addresses, e.mods["bytes"].split(","), strict=True):
            _access(e, c, a, lanes, int(size))
    go_on(e, Layer.COUNTS, pc)


def _access(e: Emitter, c: _Counters, a: Address, lanes: Val, size: int) -> None:
    address = e.splat(a.value).to(WIDE)
    if a.space != "generic":
        _seen(e, c, a.space, address, lanes, size)
        return
    window = address >> WINDOW_SHIFT
    for number, name in enumerate(("global", "shared::cluster", "local")):
        some = lanes & e.fn.mask(window == number)
        with e.if_(some != 0):
            _seen(e, c, name, address, some, size)


def _seen(e: Emitter, c: _Counters, space: str, address: Val, lanes: Val, size: int) -> None:
    if space.startswith("shared"):
        c.add("shared_requests", 1)
        c.add("shared_threads", _popcount(e, lanes))
        where = address & ADDRESS32
        own = e.frame_word(F.SREG_OFFSET["%cluster_ctarank"]).to(I64)
        c.add("remote_threads", _popcount(e, lanes & e.fn.mask((where >> RANK_SHIFT) != e.splat(own))))
        _banks(e, c, where, lanes, size)
    elif space in ("global", "const"):
        c.add("global_requests", 1)
        c.add("global_threads", _popcount(e, lanes))
        c.add("least_sectors", (_popcount(e, lanes) * size + (SECTOR_BYTES - 1)) / SECTOR_BYTES)
        sector = (address - e.splat(_start(e, address, lanes))) / SECTOR_BYTES
        if e.mods["kind"] in ("atomic", "cas"):
            sector = sector * F.LANES + _turns(e, address, lanes)
        c.add("sectors", _popcount(e, _first(e, sector, lanes)))
    elif space == "local":
        c.add("local_threads", _popcount(e, lanes))


def _start(e: Emitter, address: Val, lanes: Val) -> Val:
    """Where the sectors of the first lane's buffer are counted from."""
    row = memory.spill(e, address)
    where = e.load(row, I64, e.intrinsic("cttz", lanes, extra=", i1 true") * 8, 8)
    table = e.load(e.env, PTR, F.E_STARTS, 8)
    out = e.fn.variable(e.const(0, I64))
    with e.fn.count(e.load(e.env, I64, F.E_START_COUNT, 8).to(I32)) as i:
        one = e.at(table, i.to(I64) * 24)
        with e.if_((where >= e.load(one, I64, 0, 8)) & (where < e.load(one, I64, 8, 8))):
            out.set(e.load(one, I64, 16, 8))
    return out.get()


def _first(e: Emitter, unit: Val, lanes: Val) -> Val:
    """The lanes whose unit no lower lane of them has."""
    spilled = memory.spill(e, unit)
    out = e.fn.variable(e.const(0, I32))
    with e.fn.each_bit(lanes) as lane:
        mine = e.load(spilled, I64, lane * 8, 8)
        below = (e.const(1, I32) << lane) - 1
        same = e.fn.mask(unit == e.splat(mine)) & lanes & below
        new = (same == 0).to(I32) << lane
        out.set(out.get() | new)
    return out.get()


def _turns(e: Emitter, address: Val, lanes: Val) -> Val:
    """How many lower lanes have the address of each lane."""
    given, out = memory.spill(e, address), memory.spill(e, e.fn.null(WIDE))
    with e.fn.each_bit(lanes) as lane:
        mine = e.load(given, I64, lane * 8, 8)
        same = e.fn.mask(address == e.splat(mine)) & lanes & ((e.const(1, I32) << lane) - 1)
        e.store(_popcount(e, same).to(I64), out, lane * 8, 8)
    return e.load(out, WIDE, 0, 64)


def _alike(e: Emitter, units: Val, lanes: Val, apart: int) -> Val:
    """Whether every lane has the unit of the lane so far apart, where both take part."""
    low = sum(1 << i for i in range(F.LANES) if not i & apart)
    both = lanes & (lanes >> apart) & low
    differs = e.fn.variable(e.const(0, I32))
    with e.fn.each_bit(both) as lane:
        mine, other = (e.load(units, I64, (lane + far) * 8, 8) for far in (0, apart))
        differs.set(differs.get() | (mine != other).to(I32))
    return differs.get() == 0


def _banks(e: Emitter, c: _Counters, where: Val, lanes: Val, size: int) -> None:
    """Wavefronts of the groups of lanes that ask for 128 bytes."""
    kind = e.mods["kind"]
    unit_bytes = max(BANK_BYTES, size)
    banks = BANKS * BANK_BYTES // unit_bytes
    unit = where / unit_bytes
    units = memory.spill(e, unit)
    total, least = e.fn.variable(e.const(0, I32)), e.fn.variable(e.const(0, I32))

    def pass_by(together: int) -> None:
        for start in range(0, F.LANES, together):
            group = lanes & (((1 << together) - 1) << start)
            with e.if_(group != 0):
                counted = group if kind in _ONE_BY_ONE else _first(e, unit, group)
                passes = _ONE_BY_ONE.get(kind, 1)
                total.set(total.get() + _most(e, units, counted, banks) * passes)
                least.set(least.get() + passes)

    if kind == "load" and size > BANK_BYTES:
        pairs = _alike(e, units, lanes, 1) | _alike(e, units, lanes, 2)
        with e.if_(pairs):
            pass_by(2 * banks)
        with e.if_(~pairs):
            pass_by(banks)
    else:
        pass_by(banks)
    c.add("wavefronts", total.get())
    c.add("least_wavefronts", least.get())
    c.raise_to("worst_wavefronts", total.get())


def _most(e: Emitter, units: Val, lanes: Val, banks: int) -> Val:
    """How many of the lanes the bank has that has most."""
    asked = memory.spill(e, e.fn.null(T("u", 32)))
    most = e.fn.variable(e.const(0, I32))
    with e.fn.each_bit(lanes) as lane:
        bank = e.load(units, I64, lane * 8, 8) & (banks - 1)
        more = e.load(asked, I32, bank * 4, 4) + 1
        e.store(more, asked, bank * 4, 4)
        most.set(e.fn.max(most.get(), more))
    return most.get()
