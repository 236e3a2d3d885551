"""Which CTAs an H100 holds at once, and on which SMs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

from ptxlab.abi import limits
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.ptx.entry_registers import at_entry, most_registers, moving, registers_by_directives

Sms = tuple[int, ...]


def ctas_by_resource(threads: int, registers: int, shared: int, barriers: int = 0) -> dict[str, int]:
    """CTAs that each resource of an SM has room for: "registers", "shared memory", "threads", "CTAs" and "barriers".

    Registers are given out to warps in units of 256, and each quarter of an SM has its own; shared memory comes in units of 128
    bytes, 1 KiB of every CTA's is the system's.

    Args:
        threads: of a CTA. registers: of a thread. shared: bytes of a CTA, static and dynamic.
        barriers: named barriers of a CTA; 0: they set no limit.
    """
    warps = -(-threads // limits.WARP_SIZE)
    per_warp, memory = _registers_of_warp(registers), _shared_of_cta(shared)
    out = {
        "registers": limits.REGISTERS_PER_SM // per_warp // limits.WARP_UNIT * limits.WARP_UNIT // warps,
        "shared memory": limits.SHARED_PER_SM // memory,
        "threads": limits.WARPS_PER_SM // warps,
        "CTAs": limits.CTAS_PER_SM,
    }
    return out | ({"barriers": limits.BARRIERS_PER_SM // barriers} if barriers else {})


def _registers_of_warp(registers: int) -> int:
    """Registers that a warp takes whose threads have so many."""
    return -(-max(1, registers) * limits.WARP_SIZE // limits.REGISTER_UNIT) * limits.REGISTER_UNIT


def _shared_of_cta(shared: int) -> int:
    """Bytes of an SM's shared memory that a CTA takes which has so many."""
    return -(-(shared + limits.SHARED_RESERVED) // limits.SHARED_UNIT) * limits.SHARED_UNIT


def ctas_per_sm(threads: int, registers: int, shared: int) -> int:
    """CTAs that an SM holds at once by the limits of `ctas_by_resource`, barriers aside; 0 where not even one fits."""
    return min(ctas_by_resource(threads, registers, shared).values())


@lru_cache(maxsize=1)
def sms_by_gpc() -> tuple[Sms, ...]:
    """The SMs of each GPC. Numbers go round the large ones, two SMs at a time; the pairs come last."""
    out: list[list[int]] = [[] for _ in limits.SMS_OF_GPCS]
    number = 0
    for large in (True, False):
        sizes = [size if (size > 2) is large else 0 for size in limits.SMS_OF_GPCS]
        while any(len(gpc) < size for gpc, size in zip(out, sizes, strict=True)):
            for gpc, size in zip(out, sizes, strict=True):
                if len(gpc) < size:
                    gpc += (number, number + 1)
                    number += 2
    return tuple(map(tuple, out))


def clusters_at_once(ctas_each: int, cluster: int) -> int:
    """How many clusters of so many CTAs an empty chip takes whose SMs hold so many CTAs each.

    A cluster stays in one GPC, which has at least as many SMs as the cluster has CTAs.
    """
    return sum(size * ctas_each // cluster for size in limits.SMS_OF_GPCS if size >= cluster)


def _registers_at_entry(record: LaunchRecord) -> int | None:
    """Registers of a thread where the directives say them exactly."""
    program = record.program
    if not moving(program) or registers_by_directives(program.directives) is None:
        return None
    return at_entry(program).registers


class Chip:
    """What the CTAs of several grids take of each SM.

    Attributes:
        ctas: how many are there. taken: of each SM warps, registers, bytes of shared memory and CTAs.
    """

    MOST = (limits.WARPS_PER_SM, limits.REGISTERS_PER_SM, limits.SHARED_PER_SM, limits.CTAS_PER_SM)

    def __init__(self) -> None:
        self.ctas = 0
        self.taken = [[0] * len(self.MOST) for _ in range(limits.SM_COUNT)]

    def places(self, sm: int, each: Sequence[int]) -> int:
        """How many CTAs that take so much of each there is room for on an SM."""
        left = zip(self.MOST, self.taken[sm], each, strict=True)
        return min((most - taken) // need for most, taken, need in left if need)

    def take(self, sm: int, each: Sequence[int], sign: int = 1) -> None:
        """A CTA has come to an SM; or, with sign -1, has left it."""
        self.ctas += sign
        self.taken[sm] = [taken + sign * need for taken, need in zip(self.taken[sm], each, strict=True)]


class Residency:
    """The clusters of a launch that an H100 holds at once, and where they are.

    Single CTAs go to all SMs once before any SM gets a second one. The CTAs of a cluster share a GPC, where each goes to the
    SM that holds the fewest.

    Attributes:
        total: clusters of the launch.
        chip: what other grids take, for launches that share it with some.
        registers: of a thread: of a kernel with setmaxnreg by its directives, of others as the assembler counts, once that matters;
            None where nobody knows. Then registers set no limit.
    """

    def __init__(self, record: LaunchRecord, shared: int, chip: Chip | None = None) -> None:
        self._record, self._shared, self.chip = record, shared, chip
        self._size = record.ctas_per_cluster
        self.total = record.ctas // self._size
        self.registers = _registers_at_entry(record)
        self._fewest = self._ctas_each(most_registers(record.threads, 1))
        self._loads = [0] * limits.SM_COUNT

    @cached_property
    def _each(self) -> int:
        """CTAs that an SM holds. The assembler is asked where the launch may have more than fit."""
        if self.total <= clusters_at_once(self._fewest, self._size):
            return self._fewest
        if self._ctas_each(1) == self._fewest:  # something else is scarcer
            return self._fewest
        if self.registers is None and self._record.registers is not None:
            self.registers = self._record.registers()
        return self._ctas_each(self.registers or 1)

    def _ctas_each(self, registers: int) -> int:
        return max(1, ctas_per_sm(self._record.threads, registers, self._shared))

    @property
    def count(self) -> int:
        """How many clusters fit at once."""
        return clusters_at_once(self._each, self._size)

    @cached_property
    def _need(self) -> tuple[int, ...]:
        """What a CTA takes of an SM."""
        warps = -(-self._record.threads // limits.WARP_SIZE)
        return warps, _registers_of_warp(self.registers or 1) * warps, _shared_of_cta(self._shared), 1

    def _places(self, sm: int) -> int:
        """How many CTAs more an SM has room for, beside those of other grids."""
        assert self.chip is not None
        return min(self._each - self._loads[sm], self.chip.places(sm, self._need))

    @property
    def fits(self) -> bool:
        """Whether another cluster fits beside what other grids have on the chip."""
        if not self._is_beside:
            return True
        gpcs = sms_by_gpc() if self._size > 1 else [(sm,) for sm in range(limits.SM_COUNT)]
        return any(sum(map(self._places, gpc)) >= self._size for gpc in gpcs)

    def take(self, index: int) -> Sms:
        """The SMs of a cluster that becomes resident, by rank. One that is alone on the chip goes where its index says."""
        if self._is_beside:
            found = self._beside(index)
        elif self._size == 1:
            sm = index % limits.SM_COUNT
            found = (sm if not self._loads[sm] else min(range(limits.SM_COUNT), key=self._load),)
        else:
            found = self._in_gpc(index)
        for sm in found:
            self._loads[sm] += 1
            if self.chip is not None:
                self.chip.take(sm, self._need)
        return found

    @property
    def _is_beside(self) -> bool:
        """Whether other grids have CTAs on the chip."""
        return self.chip is not None and self.chip.ctas > sum(self._loads)

    def _beside(self, index: int) -> Sms:
        """The same on a chip with other grids."""
        gpcs = sms_by_gpc() if self._size > 1 else [tuple(range(limits.SM_COUNT))]
        start = index % len(gpcs)
        for gpc in (*gpcs[start:], *gpcs[:start]):
            places = {sm: self._places(sm) for sm in gpc}
            if sum(places.values()) >= self._size:
                break
        else:
            raise AssertionError("a cluster becomes resident for which there is no room")
        loads, found = self._loads.copy(), list[int]()
        first = index % len(gpc)
        for _ in range(self._size):
            room = [sm for sm in (*gpc[first:], *gpc[:first]) if places[sm]]
            found.append(min(room, key=loads.__getitem__))
            loads[found[-1]] += 1
            places[found[-1]] -= 1
        return tuple(found)

    def give(self, sms: Sms) -> None:
        """A cluster has left its SMs."""
        for sm in sms:
            self._loads[sm] -= 1
            if self.chip is not None:
                self.chip.take(sm, self._need, -1)

    def _load(self, sm: int) -> int:
        return self._loads[sm]

    def _in_gpc(self, index: int) -> Sms:
        gpcs = [gpc for gpc in sms_by_gpc() if len(gpc) >= self._size]
        loads = self._loads.copy()
        start = index % len(gpcs)
        each = self._each if any(loads) else self._fewest
        for gpc in (*gpcs[start:], *gpcs[:start]):
            if len(gpc) * each - sum(map(self._load, gpc)) >= self._size:
                return _spread(gpc, loads, self._size)
        raise AssertionError("more clusters are resident than fit")


def _spread(gpc: Sms, loads: list[int], count: int) -> Sms:
    """So many CTAs on the SMs of a GPC, each where the fewest are."""
    out: list[int] = []
    for _ in range(count):
        out.append(min(gpc, key=loads.__getitem__))
        loads[out[-1]] += 1
    return tuple(out)


def refusal(record: LaunchRecord, held: int | None) -> Diagnostic:
    """PTX2012 for a cooperative grid of which the device holds no more than so many CTAs at once; None: fewer than all."""
    ctas = f"{record.ctas} CTAs of {record.threads} threads"
    most = f"; {held} fit" if held is not None else ""
    clusters = f" in clusters of {record.ctas_per_cluster}" if record.ctas_per_cluster > 1 else ""
    return Diagnostic(
        "PTX2012",
        f"A cooperative grid of {ctas}{clusters} does not fit the device at once{most}.",
        help="launch fewer CTAs and let each do the work of several"
        if held is None
        else f"launch at most {held} CTAs, and let each do the work of several",
    )
