"""Bulk copies: mbarriers that count bytes, groups, the async proxy, rings."""

from __future__ import annotations

import numpy as np

from .. import Family, Made, Mutant, add, both, drop, move, sub
from ..generic import words

FAMILY = Family(__name__)
right = FAMILY.right
RACE, PENDING, READING, PROXY, INIT, ASYNC = "PTX9200", "PTX9210", "PTX9211", "PTX9213", "PTX9214", "PTX9215"
DEADLOCK = "PTX9100"


@right(
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init", "copy"),
        "the copy's end is counted through the async proxy",
    ),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "wait"),
        "other threads wait at what may not be initialised",
        besides=(PENDING,),
        instead=("PTX9110",),
    ),
    Mutant(
        "wait for the phase before",
        sub("wait", "[full], 0", "[full], 1"),
        PENDING,
        ("copy", "read"),
        "the phase before the first counts as over",
        besides=("PTX9231",),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "no wait",
        both(add("bra.uni NOW;", behind="ready"), add("NOW:", before="read")),
        PENDING,
        ("copy", "read"),
        "a barrier of threads waits for no copy",
        besides=("PTX9240",),
    ),
    Mutant("more bytes expected", sub("expect", "512", "1024"), DEADLOCK, (), "512 bytes never come"),
    Mutant(
        "no bytes expected",
        sub("expect", ".expect_tx.shared::cta.b64 _, [full], 512", ".shared::cta.b64 _, [full]"),
        PENDING,
        ("copy", "read"),
        "the phase ends without the bytes",
        besides=("PTX9118",),
    ),
    Mutant(
        "fewer bytes expected",
        sub("expect", "512", "256"),
        "PTX9118",
        ("copy",),
        "the phase ends with half of the bytes",
        besides=(PENDING,),
        instead=(DEADLOCK,),
    ),
    Mutant("two arrivals expected", sub("init", ", 1", ", 2"), DEADLOCK, (), "one thread arrives"),
    Mutant(
        "half of the copy",
        both(sub("copy", "512", "256"), sub("expect", "512", "256")),
        "PTX9240",
        ("read",),
        "nobody writes the second half",
    ),
    Mutant(
        "initialised twice",
        add("mbarrier.init.shared::cta.b64 [full], 1; //! again", behind="expect"),
        "PTX9111",
        ("again",),
        "the phase is under way",
    ),
    Mutant("no init", drop("init"), "PTX9110", (), "nobody makes the mbarrier"),
    Mutant(
        "size of 500",
        both(add("mov.u32 v, 500;", before="copy"), sub("copy", "512", "v"), sub("expect", "512", "500")),
        "PTX9120",
        ("copy",),
        "bulk copies move multiples of 16 bytes",
    ),
    Mutant(
        "address between words of 16",
        add("add.u64 a, a, 4;", before="copy"),
        "PTX9121",
        ("copy",),
        "addresses are multiples of 16",
    ),
    Mutant(
        "store to the mbarrier",
        add("st.shared.u32 [full], 0; //! poke", behind="init fence"),
        "PTX9230",
        ("poke",),
        "an ordinary store changes a live mbarrier",
        besides=("PTX9110", DEADLOCK, INIT, RACE),
    ),
    Mutant(
        "mbarrier inside the buffer",
        both(
            sub("expect", "[full]", "[buffer+256]"),
            sub("init", "[full]", "[buffer+256]"),
            sub("wait", "[full]", "[buffer+256]"),
            sub("copy", "512, [full]", "512, [buffer+256]"),
        ),
        "PTX9230",
        ("copy",),
        "the copy overwrites the mbarrier that counts it",
        besides=("PTX9110", DEADLOCK, "PTX9112", "PTX9101", ASYNC, PENDING, RACE),
    ),
    grid=1,
    block=64,
    tricky="threads that never meet the copy's issuer again read what it brings",
)
def load(dice: np.random.Generator) -> Made:
    a = words(dice, 128)
    return [a, np.zeros(64, np.uint32)], {1: a[64:]}


@right(
    Mutant(
        "no proxy fence",
        drop("proxy"),
        PROXY,
        ("first", "store"),
        "the stores of threads are in the generic proxy, the copy reads through the async proxy",
    ),
    Mutant(
        "fence before the stores",
        move("proxy", before="first"),
        PROXY,
        ("second", "store"),
        "it fences what comes before it",
    ),
    Mutant(
        "fence between the stores",
        move("proxy", before="second"),
        PROXY,
        ("second", "store"),
        "the second word is stored behind it",
    ),
    Mutant(
        "fence of global memory",
        sub("proxy", "async.shared::cta", "async.global"),
        PROXY,
        ("first", "store"),
        "it joins the proxies for global memory alone",
    ),
    Mutant(
        "ordinary fence",
        sub("proxy", "fence.proxy.async.shared::cta", "fence.acq_rel.cta"),
        PROXY,
        ("first", "store"),
        "it orders one proxy, and joins none",
    ),
    Mutant(
        "fence behind the copy",
        both(drop("proxy"), add("fence.proxy.async.shared::cta;", behind="store")),
        PROXY,
        ("first", "store"),
        "the copy may have read already",
    ),
    Mutant(
        "no barrier before the store",
        drop("written"),
        READING,
        ("first", "store"),
        "other threads may have yet to write",
        besides=(PROXY,),
    ),
    Mutant(
        "barrier before the fence",
        both(drop("written"), add("bar.sync 0;", before="first")),
        READING,
        ("first", "store"),
        "it does not order the stores",
        besides=(PROXY,),
    ),
    Mutant("no commit", drop("commit"), "PTX9222", ("store",), "wait_group waits for committed groups alone"),
    Mutant(
        "no wait before the exit", drop("drain"), "PTX9222", ("store",), "shared memory may be gone before it is read"
    ),
    Mutant(
        "one group left at the exit",
        sub("drain", "0", "1"),
        "PTX9223",
        ("drain",),
        "there is but one group, so the wait waits for nothing",
    ),
    Mutant(
        "store goes on",
        add("st.shared.u32 [mine], 7; //! late", behind="commit"),
        READING,
        ("late", "store"),
        "the copy may still be reading",
    ),
    Mutant(
        "no wait for the load",
        add("bra.uni NOW;", before="begin"),
        PENDING,
        ("load", "read"),
        "the bytes may come later",
        besides=(ASYNC, READING, PROXY),
    ),
    grid=1,
    block=64,
    tricky="each thread fences its own stores; at the end a wait for reads is enough",
)
def modify_store(dice: np.random.Generator) -> Made:
    a = words(dice, 128)
    return [a, np.zeros(128, np.uint32)], {1: a + 1}


@right(
    Mutant(
        "no wait before reuse", drop("reuse"), READING, ("store", "fill"), "the copy may still be reading the buffer"
    ),
    Mutant(
        "one group left pending",
        sub("reuse", "0", "1"),
        READING,
        ("store", "fill"),
        "the one that is left reads this buffer",
    ),
    Mutant(
        "wait behind the barrier",
        move("reuse", behind="free"),
        READING,
        ("store", "fill"),
        "the others are let go before the wait",
    ),
    Mutant("no barrier behind the wait", drop("free"), READING, ("store", "fill"), "only one thread has waited"),
    Mutant(
        "all threads wait but the issuer",
        sub("reuse", "@p", "@!p"),
        READING,
        ("store", "fill"),
        "groups belong to the thread that committed them",
    ),
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "store"), "the async proxy may read old bytes"),
    Mutant("no barrier before the store", drop("full"), READING, ("fill", "store"), "others may have yet to write"),
    Mutant("no commit", drop("commit"), READING, ("store", "fill"), "without a group the wait is for nothing"),
    Mutant("no wait before the exit", drop("drain"), "PTX9222", ("store",), "the last store is never waited for"),
    grid=1,
    block=64,
    tricky="a wait for reads, told on by a barrier, lets all threads write again",
)
def store_reuse(dice: np.random.Generator) -> Made:
    a = words(dice, 4, 64)
    return [a, np.zeros((4, 64), np.uint32)], {1: a}


@right(
    Mutant(
        "two groups left pending",
        sub("reuse", "1", "2"),
        READING,
        ("store", "fill"),
        "the older of the two reads this buffer",
    ),
    Mutant("no wait before reuse", drop("reuse"), READING, ("store", "fill"), "both stores may still be reading"),
    Mutant("no barrier behind the wait", drop("free"), READING, ("store", "fill"), "only one thread has waited"),
    Mutant(
        "fence before the barrier",
        move("proxy", before="full"),
        PROXY,
        ("fill", "store"),
        "the issuer fences its own stores and not the others'",
    ),
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "store"), "the async proxy may read old bytes"),
    Mutant(
        "all into one group",
        sub("commit", "@p", "@!p"),
        READING,
        ("store", "fill"),
        "the thread that issues never commits",
    ),
    grid=1,
    block=64,
    tricky="a store is reading one buffer while the other is written; one fence behind the barrier serves all",
)
def store_two_buffers(dice: np.random.Generator) -> Made:
    a = words(dice, 5, 64)
    return [a, np.zeros((5, 64), np.uint32)], {1: a}


@right(
    Mutant(
        "producer does not wait",
        drop("wait empty", "until empty"),
        PENDING,
        ("read", "copy"),
        "the stage may still be read",
        besides=(ASYNC, "PTX9118", DEADLOCK),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "consumer does not wait",
        drop("wait full", "until full"),
        PENDING,
        ("copy", "read"),
        "the copy may not have come",
        besides=("PTX9240",),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "empty parity the other way",
        drop("empty parity"),
        DEADLOCK,
        (),
        "the producer waits for a stage that nobody has filled",
    ),
    Mutant(
        "full parity the other way",
        add("xor.b32 parity, parity, 1;", behind="full parity"),
        PENDING,
        ("copy", "read"),
        "the phase before counts as over",
        besides=("PTX9231", "PTX9240"),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "parity that never turns",
        sub("full parity", "parity, 1;", "parity, 0;"),
        "PTX9231",
        ("wait full",),
        "from the third tile on the wait is for a phase that is over",
        besides=(PENDING,),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "release before the read",
        move("release", before="read"),
        PENDING,
        ("read", "copy"),
        "the stage is given back before it is read",
    ),
    Mutant(
        "one arrival frees a stage",
        sub("init empty", ", 32", ", 1"),
        DEADLOCK,
        (),
        "32 lanes arrive, and each ends a phase",
    ),
    Mutant("arrivals of 64 expected", sub("init empty", ", 32", ", 64"), DEADLOCK, (), "one warp arrives, not two"),
    Mutant(
        "only lane 0 gives back",
        both(sub("release", "mbarrier", "@q mbarrier"), add("setp.eq.u32 q, t, 0;", before="release")),
        DEADLOCK,
        (),
        "31 arrivals are missing",
    ),
    Mutant("nothing given back", drop("release"), DEADLOCK, (), "the producer waits for ever"),
    Mutant(
        "stages overlap",
        sub("stage", "128", "64"),
        ASYNC,
        ("copy", "copy"),
        "two copies write the same bytes",
        besides=(PENDING,),
    ),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init full", "wait full"),
        "the consumers may come first",
        instead=("PTX9110",),
    ),
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init full", "copy"),
        "the copy's end is counted through the async proxy",
    ),
    Mutant(
        "half of the bytes expected",
        sub("expect", "128", "64"),
        "PTX9118",
        ("copy",),
        "the phase ends with half of the tile",
        besides=(PENDING,),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "relaxed release",
        sub("release", "arrive.shared", "arrive.relaxed.cta.shared"),
        PENDING,
        ("read", "copy"),
        "a relaxed arrival does not order the reads before it",
    ),
    Mutant(
        "one release too few counted, in a run too short to show it",
        both(sub("init empty", "32", "31"), sub("turns", "7", "2")),
        "PTX9238",
        ("release",),
        "nobody fills a stage again, but the count is wrong",
    ),
    grid=1,
    block=64,
    tricky="parities wrap around; no fence is needed where the hand-over goes through an mbarrier",
)
def ring(dice: np.random.Generator) -> Made:
    a = words(dice, 7, 32)
    return [a, np.zeros((7, 32), np.uint32)], {1: a[:, ::-1]}


@right(
    Mutant(
        "one CTA copies",
        both(
            add(".reg .pred q; mov.u32 c, %ctaid.x; setp.eq.u32 q, c, 0; @q bra COPY;", before="reduce"),
            add(
                "bra.uni GROUP; COPY: cp.async.bulk.global.shared::cta.bulk_group [o], [at], 256; //! copy",
                behind="reduce",
            ),
            add("GROUP:", before="commit"),
        ),
        ASYNC,
        ("reduce", "copy"),
        "a copy is not atomic: it may wipe out the other CTA's sum",
    ),
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "reduce"), "the async proxy may read old bytes"),
    Mutant("no barrier", drop("full"), READING, ("fill", "reduce"), "others may have yet to write"),
    Mutant(
        "no wait before the exit", drop("drain"), "PTX9222", ("reduce",), "shared memory may be gone before it is read"
    ),
    grid=2,
    block=64,
    tricky="two asynchronous operations write the same words, unordered",
)
def reduce_global(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros(64, np.uint32)], {1: a.sum(0)}


@right(
    Mutant(
        "wait for the reads alone",
        sub("wait", "wait_group", "wait_group.read"),
        PENDING,
        ("store", "read"),
        "the source has been read, the destination may not be written",
    ),
    Mutant("no wait", drop("wait"), PENDING, ("store", "read"), "the destination may not be written"),
    Mutant("no barrier behind the wait", drop("stored"), PENDING, ("store", "read"), "only one thread has waited"),
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "store"), "the async proxy may read old bytes"),
    Mutant("no commit", drop("commit"), PENDING, ("store", "read"), "wait_group waits for committed groups alone"),
    grid=1,
    block=64,
    tricky="results of a bulk copy are read in the same kernel, by other threads",
)
def store_then_read(dice: np.random.Generator) -> Made:
    a = words(dice, 64)
    return [a, np.zeros(64, np.uint32), np.zeros(64, np.uint32)], {2: a[::-1]}


@right(
    Mutant(
        "no proxy fence",
        drop("proxy"),
        PROXY,
        ("write", "copy"),
        "the flag orders generic accesses, and the copy reads through the async proxy",
    ),
    Mutant(
        "fence in the writer",
        both(drop("proxy"), add("fence.proxy.async.global;", before="raise")),
        PROXY,
        ("write", "copy"),
        "the fence into the async proxy belongs into the CTA that copies",
    ),
    Mutant(
        "fence before the poll",
        both(drop("proxy"), add("fence.proxy.async.global;", before="begin")),
        PROXY,
        ("write", "copy"),
        "it comes before the data is known to be there",
    ),
    Mutant(
        "fence of shared memory",
        sub("proxy", "async.global", "async.shared::cta"),
        PROXY,
        ("write", "copy"),
        "it joins the proxies for shared memory alone",
    ),
    Mutant(
        "relaxed poll",
        sub("poll", "acquire", "relaxed"),
        READING,
        ("write", "copy"),
        "the flag is seen, and nothing acquired",
        besides=(PROXY,),
    ),
    Mutant(
        "release of a CTA",
        sub("raise", "gpu", "cta"),
        "PTX9201",
        ("write", "copy"),
        "its scope ends at the CTA, and the reader is in another",
        besides=(READING, PROXY),
    ),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "wait"),
        "other threads wait at what may not be initialised",
        besides=("PTX9110",),
    ),
    grid=2,
    block=32,
    tricky="ordinary stores of another CTA are read by a bulk copy",
)
def message_bulk(dice: np.random.Generator) -> Made:
    a = words(dice, 32)
    return [a, np.zeros(32, np.uint32), np.zeros(32, np.uint32), np.zeros(32, np.uint32)], {3: a}


@right(
    Mutant(
        "no wait before the next load",
        drop("reuse"),
        ASYNC,
        ("store", "load"),
        "the next load overwrites what the store reads",
    ),
    Mutant(
        "one group left pending",
        sub("reuse", "0", "1"),
        ASYNC,
        ("store", "load"),
        "the one that is left reads this buffer",
    ),
    Mutant(
        "no wait for the load",
        add("bra.uni NOW;", before="begin"),
        ASYNC,
        ("load", "store"),
        "the store may read before the bytes are there",
        besides=("PTX9118",),
        instead=("PTX9112",),
    ),
    Mutant(
        "parity that never turns",
        sub("parity", "i, 1", "i, 0"),
        "PTX9231",
        ("wait",),
        "the second wait is for a phase that is over",
        besides=(ASYNC,),
        instead=(DEADLOCK, "PTX9112"),
    ),
    grid=1,
    block=1,
    tricky="load and store of the same bytes without any fence: both are in the async proxy",
)
def copy_through(dice: np.random.Generator) -> Made:
    a = words(dice, 3, 64)
    return [a, np.zeros((3, 64), np.uint32)], {1: a}


@right(
    Mutant(
        "no barrier before the next load",
        drop("empty"),
        PENDING,
        ("read", "load"),
        "others may still be reading",
        instead=("PTX9110",),
    ),
    Mutant(
        "no fence before the next load",
        drop("proxy"),
        PROXY,
        ("read", "load"),
        "reads in the generic proxy are not ordered before writes in the async proxy",
    ),
    Mutant(
        "parity that never turns",
        sub("parity", "i, 1", "i, 0"),
        "PTX9231",
        ("wait",),
        "the second wait is for a phase that is over",
        besides=(PENDING,),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "invalidated in use",
        move("end", before="begin"),
        "PTX9110",
        (),
        "threads wait at what is an mbarrier no more",
        besides=(PENDING,),
    ),
    Mutant(
        "arrivals of all threads", sub("expect", "@p ", ""), "PTX9112", ("expect",), "one arrival is expected, 64 come"
    ),
    grid=1,
    block=64,
    tricky="one mbarrier serves all tiles: its parity turns",
)
def refill(dice: np.random.Generator) -> Made:
    a = words(dice, 3, 64)
    return [a, np.zeros((3, 64), np.uint32)], {1: a[:, ::-1]}
