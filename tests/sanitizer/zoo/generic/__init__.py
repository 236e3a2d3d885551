"""Threads of a CTA and ordinary memory: barriers, warps, atomics, bytes, local memory."""

from __future__ import annotations

import numpy as np

from .. import Family, Made, Mutant, add, both, drop, move, sub

FAMILY = Family(__name__)
right = FAMILY.right
RACE = "PTX9200"


def words(dice: np.random.Generator, *shape: int) -> np.ndarray:
    return dice.integers(0, 1000, shape, np.uint32)


@right(
    Mutant("no barrier", drop("filled"), RACE, ("fill", "upper"), "the upper half was written by another warp"),
    Mutant(
        "warp barrier for CTA",
        sub("filled", "bar.sync 0", "bar.warp.sync -1"),
        RACE,
        ("fill", "upper"),
        "it joins the lanes of a warp alone",
    ),
    Mutant(
        "no warp barrier before the loop",
        drop("folded"),
        RACE,
        ("fold", "partner"),
        "lanes are not in step without bar.warp.sync",
    ),
    Mutant(
        "no warp barrier in the loop",
        drop("stepped"),
        RACE,
        ("step", "partner"),
        "the next step reads what a lane above wrote",
    ),
    Mutant(
        "mask of one lane",
        both(sub("folded", "-1", "half"), add("mov.u32 half, %lanemask_eq;", before="folded")),
        RACE,
        ("fold", "partner"),
        "a lane waits for itself alone",
    ),
    Mutant(
        "no fill", drop("fill"), "PTX9240", ("upper",), "nobody writes shared memory before it is read", besides=(RACE,)
    ),
    Mutant("no store of the result", drop("result"), "PTX9243", (), "the sums are never written"),
    grid=2,
    block=64,
    tricky="the last five steps are ordered by bar.warp.sync alone",
)
def reduce_tree(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros(2, np.uint32)], {1: a.sum(1)}


@right(
    Mutant(
        "no barrier behind the fill",
        drop("filled"),
        RACE,
        ("put", "get"),
        "columns are read that other warps have written",
    ),
    Mutant(
        "no barrier before the next tile",
        drop("emptied"),
        RACE,
        ("get", "put"),
        "the next tile overwrites what others still read",
    ),
    Mutant(
        "barrier before the fill",
        move("filled", before="put"),
        RACE,
        ("put", "get"),
        "it stands in front of the stores, not behind them",
    ),
    Mutant(
        "rows of 16 words",
        sub("size", "1088", "1024"),
        "PTX9007",
        ("put",),
        "rows are 17 words apart, so the last ones pass the end",
    ),
    Mutant(
        "transposed by a column less",
        sub("get", "[get]", "[get+4]"),
        "PTX9240",
        ("get",),
        "the word behind each row is never written",
    ),
    grid=1,
    block=256,
    tricky="a buffer is used twice, with a barrier on each side",
)
def transpose(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 16, 16)
    return [a, np.zeros((2, 16, 16), np.uint32)], {1: a.transpose(0, 2, 1)}


@right(
    Mutant("no barrier", drop("stepped"), RACE, ("left", "put"), "each step reads what the step before has written"),
    Mutant(
        "one buffer",
        sub("two", "to, two", "to, one"),
        RACE,
        ("left", "put"),
        "a step writes words that other threads read in the same step",
    ),
    Mutant(
        "barrier behind the reads",
        move("stepped", behind="left"),
        RACE,
        ("left", "put"),
        "the writes of the step before are not in front of it",
    ),
    Mutant(
        "fewer threads at the barrier",
        sub("stepped", "bar.sync 0", "bar.warp.sync -1"),
        RACE,
        ("left", "put"),
        "the left neighbours are in the other warp",
    ),
    grid=1,
    block=64,
    tricky="two buffers take turns, with one barrier a step",
)
def scan(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a.cumsum(dtype=np.uint32)}


@right(
    Mutant(
        "no barrier behind the zeros",
        drop("cleared"),
        "PTX9203",
        ("clear", "count"),
        "counting begins before the zeros are there",
    ),
    Mutant("no barrier before the flush", drop("counted"), "PTX9203", ("count", "flush"), "others still count"),
    Mutant(
        "count without atomics",
        both(
            sub("count", "red.shared.add.u32 [bins], 1;", "ld.shared.u32 n, [bins];"),
            add("add.u32 n, n, 1; st.shared.u32 [bins], n; //! store", behind="count"),
        ),
        RACE,
        ("count", "store"),
        "two threads read the same count and add to it",
        besides=("PTX9204",),
    ),
    Mutant(
        "flush without atomics",
        both(
            sub("total", "red.global.add.u32 [o], n;", "ld.global.u32 v, [o];"),
            add("add.u32 v, v, n; st.global.u32 [o], v; //! store", behind="total"),
        ),
        RACE,
        ("total", "store"),
        "the other CTA adds to the same words",
    ),
    Mutant(
        "one CTA stores its counts",
        both(
            sub("total", "red.global.add.u32", "@q red.global.add.u32"),
            add("@!q st.global.u32 [o], n; //! store", behind="total"),
            add(".reg .pred q; mov.u32 c, %ctaid.x; setp.ne.u32 q, c, 0;", before="total"),
        ),
        "PTX9203",
        ("total", "store"),
        "a plain store beside the other CTA's atomics",
    ),
    Mutant(
        "scope of a CTA",
        sub("total", "red.global", "red.relaxed.cta.global"),
        "PTX9201",
        ("total",),
        "the other CTA adds to the same words, and no scope includes both",
    ),
    Mutant("no zeros", drop("clear"), "PTX9240", ("count",), "counting begins with what an earlier CTA has left"),
    grid=2,
    block=64,
    tricky="atomics of many threads and CTAs on the same words",
)
def histogram(dice: np.random.Generator) -> Made:
    a = dice.integers(0, 16, 128, np.uint32)
    return [a, np.zeros(16, np.uint32)], {1: np.bincount(a, minlength=16)}


@right(
    Mutant(
        "arrive before the store",
        move("full", before="put"),
        RACE,
        ("put", "get"),
        "the buffer is announced before it is full",
    ),
    Mutant(
        "arrive before the read",
        both(drop("free"), add("setp.eq.u32 p, i, 3; @!p bar.arrive 2, 64;", before="get")),
        RACE,
        ("get", "put"),
        "the buffer is given back before it is read",
    ),
    Mutant(
        "producer waits at the wrong barrier",
        both(sub("empty", "bar.sync 2", "bar.sync 3")),
        "PTX9100",
        (),
        "nobody arrives at barrier 3",
    ),
    Mutant(
        "producer does not wait",
        drop("empty"),
        RACE,
        ("get", "put"),
        "the buffer is filled again while it is read, or the producer's own arrivals end the barrier",
        instead=("PTX9100",),
    ),
    Mutant("consumer gives nothing back", drop("free"), "PTX9100", (), "the producer waits for 32 more arrivals"),
    Mutant(
        "count of one role",
        sub("wait", "64", "32"),
        "PTX9100",
        (),
        "the producer arrives for 64 threads, the consumer waits for 32",
    ),
    Mutant(
        "warp barrier for the hand-over",
        sub("wait", "bar.sync 1, 64", "bar.warp.sync -1"),
        RACE,
        ("put", "get"),
        "lanes of one warp wait for each other, not for the producer",
        instead=("PTX9100",),
    ),
    grid=1,
    block=64,
    tricky="hand-overs by bar.arrive and bar.sync of numbered barriers, in both directions",
)
def named_barriers(dice: np.random.Generator) -> Made:
    a = words(dice, 4, 32)
    return [a, np.zeros((4, 32), np.uint32)], {1: a[:, ::-1]}


@right(
    Mutant(
        "no barrier behind the stores",
        drop("filled"),
        RACE,
        ("put", "get"),
        "lanes are not in step without bar.warp.sync",
    ),
    Mutant(
        "no barrier before the next stores",
        drop("emptied"),
        RACE,
        ("get", "again"),
        "a lane overwrites what another has yet to read",
    ),
    Mutant(
        "no barrier behind the next stores",
        drop("filled again"),
        RACE,
        ("again", "get again"),
        "the second exchange needs one as well",
    ),
    Mutant("neighbour of another warp", sub("other", "124", "252"), RACE, ("puts", "gets"), "warps never meet here"),
    grid=1,
    block=64,
    tricky="no barrier of the CTA at all: warps keep to their own words",
)
def warp_exchange(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros((2, 32), np.uint32)], {1: a + 1}


@right(
    Mutant("no barrier", drop("written"), RACE, ("byte", "word"), "three of four bytes were written by other warps"),
    Mutant(
        "stores of two bytes",
        both(sub("byte", "st.shared.u8", "st.shared.u16"), sub("address", "warp", "0")),
        RACE,
        ("byte",),
        "all warps write the same two bytes",
        besides=("PTX9240",),
    ),
    Mutant(
        "three of four bytes",
        both(add(".reg .pred q; setp.lt.u32 q, warp, 3;", before="byte"), sub("byte", "st.", "@q st.")),
        "PTX9240",
        ("word",),
        "nobody writes the last byte of each word",
    ),
    Mutant(
        "lanes at one byte",
        sub("lanes", "4, at", "0, at"),
        "PTX9204",
        ("byte",),
        "the lanes of a warp write different values to one byte",
        besides=("PTX9240",),
    ),
    grid=1,
    block=128,
    tricky="disjoint bytes of one word are written by different warps",
)
def bytes_of_a_word(dice: np.random.Generator) -> Made:
    a = dice.integers(0, 256, (4, 32), np.uint8)
    return [a, np.zeros(32, np.uint32)], {1: np.ascontiguousarray(a.T).view(np.uint32)[:, 0]}


@right(
    Mutant(
        "different values", sub("one", "1", "%laneid"), "PTX9204", ("set",), "which lane's number stays is not defined"
    ),
    Mutant(
        "one word for both warps",
        sub("own word", "w, 4", "w, 0"),
        RACE,
        ("set",),
        "two warps write it, and nothing orders them",
    ),
    Mutant("no barrier behind the zero", drop("cleared"), RACE, ("clear", "set"), "the zero may come last"),
    Mutant(
        "no barrier before the read", drop("set by all"), RACE, ("set", "get"), "other lanes may not have stored yet"
    ),
    grid=1,
    block=64,
    tricky="many lanes store to one word at once, and all store the same",
)
def same_value(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros(2, np.uint32)], {1: (a > 900).any(1)}


@right(
    Mutant("a value each", sub("role", "7", "w"), RACE, ("set", "set"), "which warp's number stays is not defined"),
    Mutant("no barrier", drop("set by all"), RACE, ("set", "get"), "the other warp may store while this one reads"),
    grid=1,
    block=64,
    tricky="two warps store to one word, and nothing orders them, but it is one value",
)
def one_value(dice: np.random.Generator) -> Made:
    del dice
    return [np.zeros(64, np.uint32)], {0: np.full(64, 7)}


@right(
    Mutant("no barrier", drop("filled"), RACE, ("put", "get"), "the word was written by a thread of the other warp"),
    Mutant("local memory unwritten", drop("keep"), "PTX9242", ("kept",), "nobody has written this thread's word"),
    Mutant(
        "word beside the kept one", sub("kept", "l+4", "l+8"), "PTX9242", ("kept",), "only the second word was written"
    ),
    Mutant(
        "beyond the shared buffer",
        sub("get", "[q]", "[q+256]"),
        "PTX9007",
        ("get",),
        "the address passes the end of shared memory",
    ),
    Mutant("no store of the result", drop("result"), "PTX9243", (), "the output is never written"),
    grid=1,
    block=64,
    tricky="one instruction form reads shared, global and local memory",
)
def generic_addresses(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: np.roll(a, 32) + a}


@right(
    Mutant(
        "one entry unwritten",
        drop("third"),
        "PTX9242",
        ("look up",),
        "threads that look up the third number read what nobody wrote",
    ),
    Mutant(
        "table in shared memory",
        both(
            sub("table", ".local", ".shared"),
            *(sub(f"entry {i}", "st.local", "st.shared") for i in "1234"),
            sub("look up", "ld.local", "ld.shared"),
        ),
        RACE,
        ("entry 1", "look up"),
        "all threads write one table",
        besides=("PTX9204",),
    ),
    Mutant("no store of the result", drop("result"), "PTX9243", (), "the output is never written"),
    grid=1,
    block=64,
    tricky="all threads use the same address of local memory",
)
def local_table(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32)], {1: a + np.arange(64, dtype=np.uint32) % 4 * 10}


@right(
    Mutant("no zero in front", drop("first zero"), "PTX9240", ("left",), "thread 0 reads a word that nobody wrote"),
    Mutant(
        "no zero behind", drop("last zero"), "PTX9240", ("right",), "the last thread reads a word that nobody wrote"
    ),
    Mutant("sum without a begin", drop("begin"), "PTX9241", ("add",), "the register was never written"),
    Mutant("no barrier", drop("filled"), RACE, ("put", "right"), "the neighbour on the right is in another warp"),
    Mutant(
        "zero behind the barrier",
        move("last zero", behind="filled"),
        RACE,
        ("last zero", "right"),
        "the barrier does not order what comes behind it",
        besides=("PTX9240",),
    ),
    Mutant(
        "results in place by .nc",
        sub("input", "[in]", "[out]"),
        "PTX9250",
        ("load", "result"),
        "what the kernel writes is read through the read-only path",
    ),
    grid=1,
    block=64,
    tricky="read-only loads of data that nobody writes; one thread writes words for others",
)
def halo(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    padded = np.pad(a, 1)
    return [a, np.zeros(64, np.uint32)], {1: padded[:-2] + padded[1:-1] + padded[2:]}


@right(
    Mutant(
        "second hop too early",
        move("second hop", before="middle"),
        RACE,
        ("put", "get"),
        "the third warp is told before the first has written",
    ),
    Mutant(
        "first hop too early",
        move("first hop", before="put"),
        RACE,
        ("put", "get"),
        "the first warp tells before it writes",
    ),
    Mutant(
        "no wait in the middle", drop("middle"), RACE, ("put", "get"), "the second warp does not wait for the first"
    ),
    Mutant(
        "other number",
        sub("first hop", "1, 64", "3, 64"),
        "PTX9100",
        (),
        "the second warp waits at barrier 1, the first arrives at barrier 3",
    ),
    grid=1,
    block=96,
    tricky="two warps are ordered by a third one, and share no barrier",
)
def chain_of_barriers(dice: np.random.Generator) -> Made:
    a = words(dice, 32)
    return [a, np.zeros(32, np.uint32)], {1: a[::-1]}


@right(
    Mutant(
        "a lane does not come",
        both(sub("first", "shfl", "@p shfl"), add("setp.ne.u32 p, t, 47;", before="first")),
        "PTX9011",
        (),
        "the others wait for it",
    ),
    Mutant(
        "mask of half a warp",
        sub("first", "mask;", "0xff;"),
        "PTX9025",
        ("first",),
        "lanes execute it that the mask leaves out",
    ),
    Mutant(
        "a step too far",
        sub("first", "v, 8", "v, 16"),
        "PTX9244",
        ("first",),
        "the last warp takes values from lanes that have left",
    ),
    Mutant(
        "sum of a register that nobody wrote",
        sub("first", "x, v, 8", "x, x, 8"),
        "PTX9241",
        ("first",),
        "the shuffle hands round what was in the register",
    ),
    Mutant(
        "result of a third warp",
        add("setp.ne.u32 p, w, 2; @p bra DONE;", before="result"),
        "PTX9243",
        (),
        "there are two warps, so neither sum is written",
    ),
    grid=1,
    block=64,
    tricky="half of a warp has left, and the masks say so",
)
def shuffles(dice: np.random.Generator) -> Made:
    a = words(dice, 48)
    sums = np.array([a[:16].sum(), a[32:].sum() + 1000000], np.uint32)
    return [a, np.zeros(2, np.uint32)], {1: sums}
