"""Which CTAs an H100 holds at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ptxlab.abi import limits
from ptxlab.abi.occupancy import Residency, clusters_at_once, ctas_by_resource, ctas_per_sm, sms_by_gpc
from ptxlab.abi.record import LaunchRecord
from ptxlab.ptx.entry_registers import registers_by_directives
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.program import Directives

TEXT = ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k() {} {{ {} ret; }}\n"
SETMAXNREG = "setmaxnreg.dec.sync.aligned.u32 24;"


def record(
    ctas: int, threads: int, cluster: int = 1, directives: str = "", registers: int | None = None, body: str = ""
) -> LaunchRecord:
    program = lower(parse(TEXT.format(directives, body)), "k")
    made = LaunchRecord(program, (ctas, 1, 1), (threads, 1, 1), (cluster, 1, 1), 0, b"")
    return replace(made, registers=lambda: registers)


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "ctas"),
    [
        (1024, 32, 0, 2),
        (1024, 64, 0, 1),
        (128, 32, 0, 16),
        (32, 16, 0, 32),  # the number of CTAs
        (160, 16, 0, 12),  # whole warps: 64 of them
        (384, 168, 0, 1),
        (128, 255, 0, 2),
        (96, 168, 0, 4),  # each quarter of the SM has registers for three warps
        (32, 16, 115_712, 2),
        (32, 16, 115_713, 1),  # 1 KiB of each is the system's
    ],
)
def test_ctas_of_an_sm(threads: int, registers: int, shared: int, ctas: int) -> None:
    assert ctas_per_sm(threads, registers, shared) == ctas


@pytest.mark.parametrize(
    ("threads", "ctas", "registers"), [(160, 2, 168), (96, 4, 168), (224, 3, 80), (256, 2, 128), (32, 20, 96)]
)
def test_registers_are_those_that_ptxas_gives_to_kernels_with_setmaxnreg(
    threads: int, ctas: int, registers: int
) -> None:
    assert registers_by_directives(Directives(reqntid=(threads, 1, 1), minnctapersm=ctas)) == registers


def test_the_gpcs_hold_all_sms_once() -> None:
    gpcs = sms_by_gpc()
    assert sorted(sm for gpc in gpcs for sm in gpc) == list(range(limits.SM_COUNT))
    assert tuple(map(len, gpcs)) == limits.SMS_OF_GPCS
    # as clusters of all sizes met them on the chip
    assert gpcs[0] == (0, 1, 16, 17, 32, 33, 48, 49)
    assert gpcs[7] == (14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119, 122, 123)
    assert gpcs[8:] == ((124, 125), (126, 127), (128, 129), (130, 131))


# What cuOccupancyMaxActiveClusters says on an H100 80GB HBM3, driver 580, of clusters of 1, 2, 3 … CTAs.
CLUSTERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
AT_ONCE = {
    1: (132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7),
    2: (264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 14, 14),
    3: (396, 198, 124, 92, 69, 62, 47, 45, 37, 30, 28, 21, 21),
    4: (528, 264, 163, 124, 94, 79, 69, 62, 51, 44, 37, 30, 28),
    8: (1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 74, 65, 58),
}


@pytest.mark.parametrize("each", AT_ONCE)
def test_as_many_clusters_find_room_as_on_the_chip(each: int) -> None:
    assert tuple(clusters_at_once(each, cluster) for cluster in CLUSTERS) == AT_ONCE[each]


@pytest.mark.parametrize("cluster", [1, 2, 4, 8, 16])
def test_residents_keep_to_the_limits_of_their_sms_and_to_one_gpc(cluster: int) -> None:
    residency = Residency(record(4096, 1024, cluster), 0)
    taken = [residency.take(i) for i in range(residency.count)]
    for _ in range(3):  # some leave, others come
        for old in taken[::3]:
            residency.give(old)
        taken = [sms for i, sms in enumerate(taken) if i % 3] + [residency.take(7 * i) for i in range(len(taken[::3]))]
    loads = Counter(sm for sms in taken for sm in sms)
    assert max(loads.values()) <= 2
    assert all(any(set(sms) <= set(gpc) for gpc in sms_by_gpc()) for sms in taken)


def test_the_first_wave_has_an_sm_each() -> None:
    residency = Residency(record(132, 128), 0)
    assert sorted(residency.take(i) for i in range(132)) == [(i,) for i in range(132)]


@pytest.mark.parametrize(
    ("directives", "body", "asked", "count"),
    [
        ("", "", 128, 264),
        (".maxnreg 128", "", 64, 528),  # it is a bound
        (".maxnreg 128", SETMAXNREG, 64, 264),  # here it is the count, and nobody is asked
        (".reqntid 256 .minnctapersm 1", SETMAXNREG, 64, 132),
        (".maxnreg 128", "", None, 1056),  # unknown: registers set no limit
    ],
)
def test_registers_come_from_the_assembler_unless_directives_fix_them(
    directives: str, body: str, asked: int | None, count: int
) -> None:
    assert Residency(record(10_000, 256, 1, directives, asked, body), 0).count == count


def test_the_assembler_is_asked_only_where_it_matters() -> None:
    def never() -> int:
        raise AssertionError

    asked = replace(record(132, 256), registers=never)
    assert Residency(asked, 0).count == 132
    with pytest.raises(AssertionError):
        _ = Residency(replace(asked, grid=(133, 1, 1)), 0).count


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "barriers", "ctas", "scarce"),
    [
        (128, 168, 0, 1, 3, {"registers"}),
        (128, 32, 100_000, 1, 2, {"shared memory"}),
        (1024, 32, 0, 1, 2, {"registers", "threads"}),
        (512, 16, 0, 1, 4, {"threads"}),
        (32, 16, 0, 1, 32, {"CTAs"}),
        (32, 16, 0, 16, 4, {"barriers"}),
        (32, 16, 0, 0, 32, {"CTAs"}),
    ],
)
def test_what_is_scarce(threads: int, registers: int, shared: int, barriers: int, ctas: int, scarce: set[str]) -> None:
    each = ctas_by_resource(threads, registers, shared, barriers)
    assert min(each.values()) == ctas
    assert {name for name, room in each.items() if room == ctas} == scarce
