"""The ways of warps through machine code that the compiler has unrolled, merged and moved."""

from __future__ import annotations

from ptxlab.timing.machine_code import MachineInstruction
from ptxlab.timing.path import Paths


def one(address: int, name: str = "FADD", *, target: int | None = None, guarded: bool = False) -> MachineInstruction:
    return MachineInstruction(
        16 * address, name, 1, yields=False, written=None, read=None, waits=(), guarded=guarded, target=target
    )


def branch(address: int, to: int, *, guarded: bool = True) -> MachineInstruction:
    return one(address, "BRA", target=16 * to, guarded=guarded)


UNROLLED = [
    one(0, "LDG"),
    branch(1, 6),  # fewer than four are left
    *(one(i, "LDG") for i in range(2, 6)),
    branch(6, 2),
    branch(7, 10),
    one(8, "LDG"),
    branch(9, 8),
    one(10, "EXIT"),
]
"""A mark 1 in front, then mark 2: four times in one block, and once in another."""
MARKS = [1, -1, 2, 2, 2, 2, -1, -1, 2, -1, -1]


def places(ops: list[int]) -> list[int]:
    way = Paths(UNROLLED, MARKS).of(ops)
    assert way.missed == 0
    return [place for place in way.places if MARKS[place] == 2]


def test_a_loop_goes_through_its_unrolled_body_first() -> None:
    assert places([1, *[2] * 8]) == [2, 3, 4, 5] * 2
    assert places([1, *[2] * 6]) == [2, 3, 4, 5, 8, 8]


def test_a_loop_that_does_not_run_is_passed_by() -> None:
    assert places([1]) == []


def test_marks_that_lie_on_no_way_are_counted() -> None:
    way = Paths([one(0), one(1, "EXIT")], [1, -1]).of([1, 1, 1])
    assert (way.missed, way.marks) == (2, 3)


def test_lanes_that_part_are_followed_one_after_the_other() -> None:
    code = [branch(0, 3), one(1), branch(2, 4, guarded=False), one(3), one(4), one(5, "EXIT")]
    way = Paths(code, [-1, 1, -1, 2, 3, -1]).of([1, 2, 3])
    assert way.missed == 0
    assert {1, 3, 4} <= set(way.places)
