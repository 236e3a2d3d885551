"""Flags, counters and locks in global memory, between CTAs."""

from __future__ import annotations

import numpy as np

from .. import Family, Made, Mutant, add, both, drop, move, sub
from ..generic import words

FAMILY = Family(__name__)
right = FAMILY.right
RACE, SCOPE, WEAK = "PTX9200", "PTX9201", "PTX9202"


def flag() -> np.ndarray:
    return np.zeros(64, np.uint32)


@right(
    Mutant(
        "relaxed store of the flag", sub("raise", "release", "relaxed"), RACE, ("write", "read"), "it publishes nothing"
    ),
    Mutant(
        "relaxed poll",
        sub("poll", "acquire", "relaxed"),
        RACE,
        ("write", "read"),
        "it sees the flag and acquires nothing",
    ),
    Mutant(
        "release of a CTA",
        sub("raise", "gpu", "cta"),
        SCOPE,
        ("write", "read"),
        "its scope ends at the CTA, and the reader is in another",
    ),
    Mutant(
        "acquire of a CTA",
        sub("poll", "gpu", "cta"),
        SCOPE,
        ("write", "read"),
        "its scope ends at the CTA, and the writer is in another",
        instead=("PTX9101",),
    ),
    Mutant(
        "scopes of a cluster",
        both(sub("raise", "gpu", "cluster"), sub("poll", "gpu", "cluster")),
        SCOPE,
        ("write", "read"),
        "without clusters each CTA is a cluster of its own",
    ),
    Mutant(
        "weak store of the flag",
        sub("raise", "release.gpu.", ""),
        WEAK,
        ("write", "read"),
        "a weak store publishes nothing and may come late",
    ),
    Mutant(
        "weak poll",
        sub("poll", "acquire.gpu.", ""),
        WEAK,
        ("write", "read"),
        "a weak load may go on finding the old value",
        instead=("PTX9101",),
    ),
    Mutant(
        "flag before the data",
        move("raise", before="write"),
        RACE,
        ("write", "read"),
        "the flag is raised before the data is there",
    ),
    Mutant(
        "no barrier in the writer",
        drop("written"),
        RACE,
        ("write", "read"),
        "one thread publishes what other warps may have yet to write",
    ),
    Mutant("no barrier in the reader", drop("seen"), RACE, ("write", "read"), "only one thread has waited"),
    Mutant(
        "read by .nc",
        sub("read", "ld.global", "ld.global.nc"),
        "PTX9250",
        ("write", "read"),
        "the read-only path is for data that nobody writes",
    ),
    Mutant("poll of another word", sub("poll", "[f]", "[f+4]"), "PTX9101", ("poll",), "nobody ever writes that word"),
    grid=2,
    block=64,
    tricky="one thread publishes, by a barrier, what all have written, and one acquires for all",
)
def message(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32), flag(), np.zeros(64, np.uint32)], {3: a}


@right(
    Mutant(
        "no fence in the writer",
        drop("release"),
        RACE,
        ("write", "read"),
        "a relaxed store publishes nothing by itself",
    ),
    Mutant(
        "no fence in the reader", drop("acquire"), RACE, ("write", "read"), "a relaxed load acquires nothing by itself"
    ),
    Mutant(
        "fence of a CTA in the writer",
        sub("release", "gpu", "cta"),
        SCOPE,
        ("write", "read"),
        "the reader is in another CTA",
    ),
    Mutant(
        "fence of a CTA in the reader",
        sub("acquire", "gpu", "cta"),
        SCOPE,
        ("write", "read"),
        "the writer is in another CTA",
    ),
    Mutant(
        "fence behind the flag",
        move("release", behind="raise"),
        RACE,
        ("write", "read"),
        "it orders nothing before the flag",
    ),
    Mutant(
        "fence before the poll",
        move("acquire", before="poll"),
        RACE,
        ("write", "read"),
        "it comes before the flag is seen",
    ),
    Mutant(
        "weak flag",
        both(sub("raise", "relaxed.gpu.", ""), sub("poll", "relaxed.gpu.", "")),
        "PTX9252",
        ("poll",),
        "fences need a strong access of the flag on each side, and a weak load may be taken out of the loop",
        besides=("PTX9200",),
        instead=("PTX9101",),
    ),
    grid=2,
    block=32,
    tricky="no access of the flag releases or acquires: fences do",
)
def message_fence(dice: np.random.Generator) -> Made:
    a = words(dice, 32)
    return [a, np.zeros(32, np.uint32), flag(), np.zeros(32, np.uint32)], {3: a[::-1]}


@right(
    Mutant("no fence in the writer", drop("release"), RACE, ("write", "read"), "volatile accesses order nothing"),
    Mutant("no fence in the reader", drop("acquire"), RACE, ("write", "read"), "volatile accesses order nothing"),
    Mutant(
        "fence of a CTA",
        both(sub("release", "gl", "cta"), sub("acquire", "gl", "cta")),
        SCOPE,
        ("write", "read"),
        "the other thread is in another CTA",
    ),
    Mutant(
        "weak flag",
        sub("raise", "volatile.", ""),
        WEAK,
        ("raise", "poll"),
        "membar.gl is fence.sc, so only the flag is a race",
    ),
    grid=2,
    block=1,
    tricky="a volatile flag is strong, and membar.gl fences",
)
def message_volatile(dice: np.random.Generator) -> Made:
    a = words(dice, 1)
    return [a, np.zeros(1, np.uint32), flag(), np.zeros(1, np.uint32)], {3: a}


@right(
    Mutant(
        "no fence before the counter", drop("release"), RACE, ("write", "read"), "the sum may arrive behind the count"
    ),
    Mutant("no fence behind the counter", drop("acquire"), RACE, ("write", "read"), "the last CTA may read old sums"),
    Mutant(
        "counter of a CTA",
        sub("count", "atom", "atom.relaxed.cta"),
        SCOPE,
        ("write", "read"),
        "the atomic's scope leaves the other CTAs out",
    ),
    Mutant(
        "counter by a load and a store",
        sub(
            "count",
            "atom.global.add.u32 v, [f], 1;",
            "{ .reg .b32 had, has; ld.relaxed.gpu.global.u32 had, [f]; add.u32 has, had, 1; "
            "st.relaxed.gpu.global.u32 [f], has; mov.u32 v, had; }",
        ),
        "PTX9253",
        ("count",),
        "two CTAs may find the same number, and one of them is not counted",
        besides=(RACE,),
    ),
    Mutant("no barrier behind the turn", drop("told"), RACE, ("tell", "ask"), "threads ask before the turn is known"),
    Mutant("no barrier before the sum", drop("added"), "PTX9203", ("add", "whole"), "other threads are still adding"),
    Mutant(
        "no barrier behind the zero",
        drop("zeroed"),
        "PTX9203",
        ("zero", "add"),
        "adding begins before the zero is there",
    ),
    Mutant(
        "sum behind the counter",
        move("write", behind="count"),
        RACE,
        ("write", "read"),
        "the CTA is counted before its sum is there",
    ),
    grid=3,
    block=64,
    tricky="threads that never touch the counter read what other CTAs wrote, behind a barrier",
)
def last_block(dice: np.random.Generator) -> Made:
    a = words(dice, 3, 64)
    return [a, np.zeros(3, np.uint32), flag(), np.zeros(1, np.uint32)], {3: a.sum(keepdims=True).reshape(1)}


@right(
    Mutant(
        "plain count",
        both(sub("link", "atom.relaxed.gpu.global.add.u32 v, [f], 1", "st.relaxed.gpu.global.u32 [f], 2")),
        RACE,
        ("write", "read"),
        "a store breaks the chain: it has not read what it overwrites",
    ),
    Mutant(
        "atomic of a CTA",
        sub("link", "gpu", "cta"),
        SCOPE,
        ("write", "read"),
        "the scope leaves the other CTAs out",
    ),
    Mutant(
        "relaxed store of the flag",
        sub("raise", "release", "relaxed"),
        RACE,
        ("write", "read"),
        "the chain begins with no release",
    ),
    Mutant(
        "relaxed poll", sub("poll", "acquire", "relaxed"), RACE, ("write", "read"), "the chain ends with no acquire"
    ),
    grid=3,
    block=1,
    tricky="the thread in the middle neither acquires nor releases",
)
def release_sequence(dice: np.random.Generator) -> Made:
    a = words(dice, 1)
    return [a, np.zeros(1, np.uint32), flag(), np.zeros(1, np.uint32)], {3: a}


@right(
    Mutant(
        "relaxed in the middle",
        sub("middle", "acquire", "relaxed"),
        RACE,
        ("write", "read"),
        "the middle knows of the flag, not of the data",
    ),
    Mutant(
        "second hop of a CTA",
        sub("second", "gpu", "cta"),
        SCOPE,
        ("write", "read"),
        "the chain is as wide as its smallest scope",
    ),
    Mutant(
        "relaxed second hop",
        sub("second", "release", "relaxed"),
        RACE,
        ("write", "read"),
        "the middle passes nothing on",
    ),
    Mutant(
        "middle does not wait",
        add("bra.uni ON;", before="middle"),
        RACE,
        ("write", "read"),
        "the second flag is raised before the first",
    ),
    grid=3,
    block=1,
    tricky="order over two flags and a thread that never touches the data",
)
def three_hops(dice: np.random.Generator) -> Made:
    a = words(dice, 1)
    return [a, np.zeros(1, np.uint32), flag(), np.zeros(1, np.uint32)], {3: a}


@right(
    Mutant(
        "relaxed lock",
        sub("lock", "acquire", "relaxed"),
        RACE,
        ("read", "write"),
        "the holder does not see what the holder before wrote",
    ),
    Mutant(
        "relaxed unlock",
        sub("unlock", "release", "relaxed"),
        RACE,
        ("read", "write"),
        "what was written is not published",
    ),
    Mutant(
        "weak unlock",
        sub("unlock", "release.gpu.", ""),
        WEAK,
        ("read", "write"),
        "a weak store beside atomics publishes nothing",
    ),
    Mutant("lock of a CTA", sub("lock", "gpu", "cta"), SCOPE, ("read", "write"), "the other holders are in other CTAs"),
    Mutant(
        "unlock before the write",
        move("unlock", before="write"),
        RACE,
        ("read", "write"),
        "the lock is free while the word changes",
    ),
    Mutant(
        "read before the lock",
        both(
            drop("read"),
            add("ld.global.u32 c, [o]; //! read early", before="begin"),
            add("mov.u32 v, c;", before="sum"),
        ),
        RACE,
        ("read early", "write"),
        "the word is read before the lock is held",
    ),
    grid=3,
    block=1,
    tricky="plain accesses of one word by all CTAs, one at a time",
)
def spin_lock(dice: np.random.Generator) -> Made:
    a = words(dice, 3)
    return [a, flag(), np.zeros(1, np.uint32)], {2: a.sum(keepdims=True)}


@right(
    Mutant(
        "relaxed arrival", sub("arrive", "release", "relaxed"), RACE, ("write", "read"), "the arrival publishes nothing"
    ),
    Mutant("relaxed poll", sub("poll", "acquire", "relaxed"), RACE, ("write", "read"), "the poll acquires nothing"),
    Mutant(
        "no barrier before the arrival",
        drop("written"),
        RACE,
        ("write", "read"),
        "thread 0 arrives for threads that may have yet to write",
    ),
    Mutant("no barrier behind the poll", drop("met"), RACE, ("write", "read"), "only thread 0 has waited"),
    Mutant("arrival of a CTA", sub("arrive", "gpu", "cta"), SCOPE, ("write", "read"), "the counter is shared by CTAs"),
    Mutant(
        "read by .nc",
        sub("read", "ld.global", "ld.global.nc"),
        "PTX9250",
        ("write", "read"),
        "the read-only path is for data that nobody writes",
    ),
    Mutant(
        "counts once too often",
        sub("arrive", ", 1", ", 2"),
        "PTX9101",
        ("poll",),
        "the counter passes the number that is waited for",
    ),
    grid=2,
    block=64,
    tricky="a barrier of the grid made of a counter and two barriers of the CTA",
)
def grid_barrier(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros((2, 64), np.uint32), flag(), np.zeros((2, 64), np.uint32)], {3: a[::-1]}
