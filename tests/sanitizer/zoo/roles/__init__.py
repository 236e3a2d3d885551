"""Warps with roles, one thread that acts for others, mbarriers without copies, locks in shared memory."""

from __future__ import annotations

import numpy as np

from .. import Family, Made, Mutant, add, both, drop, move, sub
from ..generic import words

FAMILY = Family(__name__)
right = FAMILY.right
RACE, PENDING, READING, PROXY, INIT, ASYNC = "PTX9200", "PTX9210", "PTX9211", "PTX9213", "PTX9214", "PTX9215"
DEADLOCK = "PTX9100"


@right(
    Mutant("nothing given", drop("give"), DEADLOCK, (), "the pool has no registers for the other warpgroup"),
    Mutant("takes too much", sub("take", "200", "232"), DEADLOCK, (), "the pool will never have so many"),
    Mutant(
        "gives what it has not",
        sub("give", "40", "200"),
        "PTX9150",
        ("give",),
        "the warpgroup has 128 registers a thread",
    ),
    Mutant(
        "takes fewer than it has",
        add("setmaxnreg.inc.sync.aligned.u32 96; //! fewer", behind="take"),
        "PTX9152",
        ("fewer",),
        "the warpgroup has 200 registers a thread, and keeps them",
    ),
    Mutant(
        "three warps give",
        both(add(".reg .pred q; setp.lt.u32 q, t, 96; @!q bra PUT;", before="give"), add("PUT:", behind="give")),
        DEADLOCK,
        (),
        "a warpgroup gives together",
        besides=("PTX9131",),
        instead=("PTX9131",),
    ),
    Mutant(
        "three warps take",
        add(".reg .pred q; setp.lt.u32 q, t, 224; @!q bra TAKEN;", before="take"),
        "PTX9237",
        ("take",),
        "a warpgroup takes together",
    ),
    Mutant(
        "take by the producers",
        sub("give", "dec.sync.aligned.u32 40", "inc.sync.aligned.u32 136"),
        DEADLOCK,
        (),
        "both take, and nobody gives",
    ),
    Mutant(
        "arrive before the store",
        move("full", before="put"),
        RACE,
        ("put", "get"),
        "the buffer is announced before it is full",
    ),
    Mutant("other number", sub("wait", "1, 256", "2, 256"), DEADLOCK, (), "nobody arrives at barrier 2"),
    grid=1,
    block=256,
    tricky="the roles share no barrier but a numbered one",
)
def register_roles(dice: np.random.Generator) -> Made:
    a = words(dice, 128)
    return [a, np.zeros(128, np.uint32)], {1: a[::-1]}


@right(
    Mutant(
        "no barrier of the warp",
        drop("together"),
        READING,
        ("put", "store"),
        "other lanes may have yet to store",
        besides=(PROXY,),
    ),
    Mutant("no proxy fence", drop("proxy"), PROXY, ("put", "store"), "the copy reads through the async proxy"),
    Mutant(
        "mask of half a warp",
        sub("together", "-1", "0xffff"),
        READING,
        ("put", "store"),
        "the lanes that it leaves out are not ordered",
        besides=(PROXY,),
    ),
    Mutant(
        "no wait before the exit", drop("drain"), "PTX9222", ("store",), "shared memory may be gone before it is read"
    ),
    Mutant("no copy", drop("store"), "PTX9243", (), "the output is never written", besides=("PTX9223",)),
    grid=1,
    block=64,
    tricky="which lane acts is not known; nothing but bar.warp.sync orders the others' stores before it",
)
def elected(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros((2, 32), np.uint32)], {1: a}


@right(
    Mutant(
        "no barrier of the warp",
        drop("together"),
        RACE,
        ("put", "get"),
        "one lane arrives for thirty-two that may have yet to store",
    ),
    Mutant(
        "barrier of the warp behind the arrival",
        move("together", behind="arrive"),
        RACE,
        ("put", "get"),
        "the arrival comes too early",
    ),
    Mutant("all lanes arrive", sub("arrive", "@p ", ""), DEADLOCK, (), "every two of the 64 arrivals end a phase"),
    Mutant("arrivals of all lanes expected", sub("init", ", 2", ", 64"), DEADLOCK, (), "two lanes arrive"),
    Mutant("one arrival expected", sub("init", ", 2", ", 1"), DEADLOCK, (), "each of the two arrivals ends a phase"),
    Mutant(
        "relaxed arrival", sub("arrive", "arrive.", "arrive.relaxed.cta."), RACE, ("put", "get"), "it publishes nothing"
    ),
    Mutant("relaxed wait", sub("wait", "parity.", "parity.relaxed.cta."), RACE, ("put", "get"), "it acquires nothing"),
    Mutant("no wait", drop("wait", "until full"), RACE, ("put", "get"), "nothing orders the readers"),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "arrive"),
        "the mbarrier may not be there yet",
        instead=("PTX9110",),
    ),
    grid=1,
    block=96,
    tricky="one arrival stands for 32 lanes",
)
def warp_arrives(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a.reshape(32, 2)[::-1].reshape(-1)}


@right(
    Mutant(
        "no barrier before the end",
        drop("over"),
        "PTX9232",
        ("end", "wait"),
        "other threads may have yet to look at the mbarrier",
        besides=("PTX9230", RACE),
        instead=("PTX9110",),
    ),
    Mutant("not ended", drop("end"), "PTX9230", ("reuse",), "its memory is a live mbarrier's"),
    Mutant(
        "reused before the end", move("reuse", before="end"), "PTX9230", ("reuse",), "its memory is a live mbarrier's"
    ),
    Mutant(
        "reused by another lane",
        both(add("setp.eq.u32 q, t, 4;", before="reuse"), sub("reuse", "@p", "@q")),
        "PTX9230",
        ("reuse", "end"),
        "lanes of a warp need not execute the end before the store",
    ),
    Mutant(
        "reused by another warp, later",
        both(add("setp.eq.u32 q, t, 40; @q nanosleep.u32 20000;", before="reuse"), sub("reuse", "@p", "@q")),
        "PTX9230",
        ("reuse", "end"),
        "time orders nothing",
    ),
    grid=1,
    block=64,
    tricky="the memory of an mbarrier is used for something else when the mbarrier has ended",
)
def recycled(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a[::-1] + 7}


@right(
    Mutant("no first wait", drop("wait", "until"), RACE, ("put", "get"), "an arrival alone waits for nobody"),
    Mutant(
        "no second wait", drop("wait again", "until again"), RACE, ("get", "put again"), "others may still be reading"
    ),
    Mutant(
        "old token",
        sub("arrive again", "state", "_"),
        "PTX9101",
        ("wait again",),
        "it names the phase before, and the wait goes by its parity",
        besides=(RACE, "PTX9231"),
    ),
    Mutant(
        "arrive before the store",
        move("arrive", before="put"),
        RACE,
        ("put", "get"),
        "it publishes what comes before it",
    ),
    Mutant(
        "second arrival before the read",
        move("arrive again", before="get"),
        RACE,
        ("get", "put again"),
        "it says that the read is over",
    ),
    Mutant("no last barrier", drop("last"), RACE, ("put again", "get again"), "the word is another thread's"),
    Mutant("half of the arrivals", sub("init", ", 64", ", 32"), RACE, ("put", "get"), "the phase ends with one warp"),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "arrive"),
        "the mbarrier may not be there yet",
        instead=("PTX9110",),
    ),
    grid=1,
    block=64,
    tricky="waits name a phase by a token, not by a parity",
)
def state_token(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a + 1}


@right(
    Mutant("no wait", drop("wait"), PENDING, ("copy", "read"), "the rows may come later"),
    Mutant(
        "no barrier of the warp", drop("together"), PENDING, ("copy", "read"), "each lane has waited for its own row"
    ),
    Mutant("no commit", drop("commit"), PENDING, ("copy", "read"), "wait_group waits for committed groups alone"),
    Mutant(
        "rows of half a warp",
        both(sub("read", "ldmatrix", "@q ldmatrix"), add(".reg .pred q; setp.lt.u32 q, t, 16;", before="read")),
        "PTX9130",
        ("read",),
        "all lanes of a warp execute it together",
    ),
    Mutant(
        "wait behind the barrier",
        move("wait", behind="together"),
        PENDING,
        ("copy", "read"),
        "the barrier is passed before the rows are there",
    ),
    grid=1,
    block=32,
    tricky="a lane's registers come from rows that other lanes copied",
)
def matrices(dice: np.random.Generator) -> Made:
    rows = dice.integers(0, 1 << 16, (32, 8), np.uint16)
    two, lane = rows[::-1].reshape(4, 8, 8).copy().view(np.uint32), np.arange(32)
    return [rows, np.zeros((32, 4), np.uint32)], {1: np.stack([two[m, lane // 4, lane % 4] for m in range(4)], axis=1)}


@right(
    Mutant("no barrier", drop("full"), RACE, ("put", "get"), "griddepcontrol orders no threads of one grid"),
    grid=1,
    block=64,
    tricky="griddepcontrol in a launch that depends on none",
)
def dependents(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a[::-1]}


@right(
    Mutant(
        "relaxed lock",
        sub("lock", "acquire", "relaxed"),
        RACE,
        ("write", "read"),
        "the holder does not see what the holder before wrote",
    ),
    Mutant(
        "relaxed unlock",
        sub("unlock", "release", "relaxed"),
        RACE,
        ("write", "read"),
        "what was written is not published",
    ),
    Mutant(
        "weak unlock",
        sub("unlock", "release.cta.", ""),
        "PTX9202",
        ("write", "read"),
        "a weak store beside atomics publishes nothing",
    ),
    Mutant(
        "no lock",
        both(sub("lock", "atom.acquire.cta.shared.cas.b32 v, [words], 0, 1;", "mov.u32 v, 0;"), drop("unlock")),
        RACE,
        ("write", "read"),
        "three warps add to one word",
    ),
    Mutant(
        "unlock before the write",
        move("unlock", before="write"),
        RACE,
        ("write", "read"),
        "the lock is free while the word changes",
    ),
    Mutant("no barrier before the result", drop("done"), RACE, ("write", "result"), "others may have yet to add"),
    Mutant(
        "no barrier behind the zeros",
        drop("cleared"),
        "PTX9203",
        ("clear lock", "lock"),
        "the lock may be cleared while it is held",
    ),
    Mutant(
        "lock never cleared",
        drop("clear lock"),
        "PTX9240",
        ("lock",),
        "nobody has written the lock",
        instead=("PTX9101", DEADLOCK),
    ),
    grid=1,
    block=96,
    tricky="plain accesses of one word by three warps, one at a time",
)
def shared_lock(dice: np.random.Generator) -> Made:
    a = words(dice, 3)
    return [a, np.zeros(1, np.uint32)], {1: a.sum(keepdims=True)}


@right(
    Mutant(
        "vote of the warp",
        sub("vote", "bar.red.popc.u32 n, 0, p;", "vote.sync.ballot.b32 n, p, -1; popc.b32 n, n;"),
        RACE,
        ("put", "get"),
        "a vote of a warp orders no memory",
    ),
    Mutant(
        "vote before the store",
        move("put", behind="vote"),
        RACE,
        ("put", "get"),
        "the barrier orders what comes before it",
    ),
    Mutant(
        "no vote",
        sub("vote", "bar.red.popc.u32 n, 0, p;", "mov.u32 n, 0;"),
        RACE,
        ("put", "get"),
        "there is no barrier at all",
    ),
    grid=1,
    block=64,
    tricky="the only barrier is one that counts votes",
)
def barrier_reduction(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a[::-1] + (a > 500).sum(dtype=np.uint32)}


@right(
    Mutant("no barrier behind the stores", drop("full"), RACE, ("put", "get"), "the word is another thread's"),
    Mutant(
        "half of the group",
        sub("full", "64", "32"),
        "PTX9028",
        (),
        "a barrier is used with two counts at once",
        besides=(RACE,),
    ),
    Mutant(
        "one number for both groups",
        sub("number", "g, g, 1", "g, 0, 1"),
        "PTX9233",
        ("full",),
        "any two of the four warps make it full",
        besides=(RACE,),
    ),
    grid=1,
    block=128,
    tricky="the two groups use no barrier in common",
)
def two_groups(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros((2, 64), np.uint32)], {1: a[:, ::-1] + 3}


@right(
    Mutant(
        "arrives and stays", sub("leave", "arrive_drop", "arrive"), DEADLOCK, (), "the second phase still counts 64"
    ),
    Mutant(
        "leaves before the store",
        move("leave", before="put"),
        RACE,
        ("put", "get"),
        "it publishes what comes before it",
    ),
    Mutant("no wait", drop("wait", "until"), RACE, ("put", "get"), "nothing orders the reader", instead=(DEADLOCK,)),
    Mutant(
        "no second wait", drop("wait again", "until again"), RACE, ("get", "change"), "other lanes may still be reading"
    ),
    Mutant(
        "parity twice",
        sub("wait again", ", 1", ", 0"),
        "PTX9231",
        ("wait again",),
        "when the second phase is over, the wait is for the third",
        besides=(RACE,),
        instead=(DEADLOCK,),
    ),
    Mutant("no barrier of the warp", drop("together"), RACE, ("change", "read"), "the word is another lane's"),
    grid=1,
    block=64,
    tricky="the count of a phase changes while it runs",
)
def drop_out(dice: np.random.Generator) -> Made:
    a = words(dice, 32)
    return [a, np.zeros(32, np.uint32)], {1: a + 1}


@right(
    Mutant("no proxy fence", drop("proxy"), PROXY, ("copy", "store"), "cp.async writes in the generic proxy"),
    Mutant(
        "fence before the wait",
        move("proxy", before="wait"),
        PROXY,
        ("copy", "store"),
        "it fences what is there, and the tile is not",
    ),
    Mutant("no wait for cp.async", drop("wait"), ASYNC, ("copy", "store"), "the first tile may come later"),
    Mutant(
        "no wait for the load",
        drop("wait full", "until full"),
        ASYNC,
        ("load", "store"),
        "the second tile may come later",
    ),
    Mutant(
        "no barrier of the warp",
        drop("together"),
        ASYNC,
        ("copy", "store"),
        "other lanes' copies may come later",
        besides=(PROXY,),
    ),
    Mutant(
        "nothing expected",
        drop("expect"),
        ASYNC,
        ("load", "store"),
        "the phase ends with the arrival",
        besides=("PTX9118",),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "arrive before expect",
        move("arrive", before="load"),
        ASYNC,
        ("load", "store"),
        "the phase ends with the arrival",
        besides=("PTX9118",),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init", "load"),
        "the copy's end is counted through the async proxy",
    ),
    grid=1,
    block=32,
    tricky="bytes come before they are expected; two kinds of copies feed one store",
)
def copy_to_store(dice: np.random.Generator) -> Made:
    a = words(dice, 256)
    return [a, np.zeros(256, np.uint32)], {1: a}
