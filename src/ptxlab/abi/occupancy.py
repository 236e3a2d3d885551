"""Which CTAs an H100 holds at once, and on which SMs."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from ptxlab.abi import limits
from ptxlab.abi.record import LaunchRecord

if TYPE_CHECKING:
    from ptxlab.ptx.program import Directives

Sms = tuple[int, ...]
GRANULE = 8
"""Registers of a thread are a multiple of this."""


def ctas_per_sm(threads: int, registers: int, shared: int) -> int:
    """CTAs that an SM holds at once; 0 where not even one fits.

    Registers are given out to warps in units of 256, and each quarter of an SM has its own; shared memory comes in units of 128
    bytes, 1 KiB of every CTA's is the system's.

    Args:
        threads: of a CTA. registers: of a thread. shared: bytes of a CTA, static and dynamic.
    """
    warps = -(-threads // limits.WARP_SIZE)
    per_warp = -(-max(1, registers) * limits.WARP_SIZE // limits.REGISTER_UNIT) * limits.REGISTER_UNIT
    memory = -(-(shared + limits.SHARED_RESERVED) // limits.SHARED_UNIT) * limits.SHARED_UNIT
    by_registers = limits.REGISTERS_PER_SM // per_warp // limits.WARP_UNIT * limits.WARP_UNIT // warps
    return min(limits.CTAS_PER_SM, limits.WARPS_PER_SM // warps, by_registers, limits.SHARED_PER_SM // memory)


def registers_by_directives(directives: Directives) -> int | None:
    """Registers of a thread as .maxnreg caps them, or .minnctapersm with .reqntid or .maxntid; None where nothing does.

    A kernel with setmaxnreg starts with exactly that many, any other with no more.
    """
    if directives.maxnreg is not None:
        return directives.maxnreg // GRANULE * GRANULE
    block = directives.reqntid or directives.maxntid
    if block is None or directives.minnctapersm is None:
        return None
    return _most_registers(prod(block), directives.minnctapersm)


def _most_registers(threads: int, ctas: int) -> int:
    """The most registers of a thread with which so many CTAs fit on an SM."""
    warps = -(-threads // limits.WARP_SIZE) * ctas
    together = -(-warps // limits.WARP_UNIT) * limits.WARP_UNIT
    return min(limits.REGISTERS_PER_SM // (together * limits.WARP_SIZE), limits.MAX_REGISTERS + 1) // GRANULE * GRANULE


@lru_cache(maxsize=1)
def sms_by_gpc() -> tuple[Sms, ...]:
    """The SMs of each GPC. Numbers go round the GPCs, two SMs at a time."""
    out: list[list[int]] = [[] for _ in limits.SMS_OF_GPCS]
    number = 0
    while number < limits.SM_COUNT:
        for gpc, size in zip(out, limits.SMS_OF_GPCS, strict=True):
            if len(gpc) < size:
                gpc += (number, number + 1)
                number += 2
    return tuple(map(tuple, out))


@lru_cache(maxsize=64)
def places(ctas_each: int, cluster: int) -> tuple[Sms, ...]:
    """Where clusters find room on an empty chip: for each that fits, in the order in which they come, the SMs of its CTAs by rank.

    Single CTAs go to all SMs once before any SM gets a second one. The CTAs of a cluster share a GPC, where each goes to the
    SM that holds the fewest.

    Args:
        ctas_each: CTAs that an SM holds. cluster: CTAs of a cluster.
    """
    if cluster == 1:
        return tuple((sm,) for _ in range(ctas_each) for sm in range(limits.SM_COUNT))
    out: list[Sms] = []
    loads = [dict.fromkeys(sms, 0) for sms in sms_by_gpc()]
    while True:
        before = len(out)
        for load in loads:
            if len(load) * ctas_each - sum(load.values()) >= cluster:
                out.append(tuple(_least(load) for _ in range(cluster)))
        if len(out) == before:
            return tuple(out)


def _least(load: dict[int, int]) -> int:
    sm = min(load, key=lambda n: (load[n], n))
    load[sm] += 1
    return sm


class Residency:
    """The clusters of a launch that an H100 holds at once.

    Attributes:
        total: clusters of the launch. registers: of a thread, None where nobody knows.
        places: the SMs of the clusters that fit, in the order of `occupancy.places`.
    """

    def __init__(self, record: LaunchRecord, shared: int) -> None:
        size = record.ctas_per_cluster
        self.total = record.ctas // size

        def fitting(registers: int) -> tuple[Sms, ...]:
            return places(max(1, ctas_per_sm(record.threads, registers, shared)), size)

        fewest = fitting(_most_registers(record.threads, 1))
        self.registers = registers_by_directives(record.program.directives)
        if self.total <= len(fewest):  # they fit whatever the kernel takes: nobody has to be asked
            self.places = fewest
            return
        if self.registers is None and record.registers is not None:
            self.registers = record.registers()
        self.places = fitting(self.registers or 1)

    @property
    def count(self) -> int:
        """How many clusters fit at once."""
        return len(self.places)

    def sms(self, index: int) -> Sms:
        """The SMs of a cluster by rank, if clusters come and go in order."""
        return self.places[index % self.count]
