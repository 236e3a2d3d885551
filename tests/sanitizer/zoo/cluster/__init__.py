"""Clusters: distributed shared memory, barriers of the cluster, mbarriers of other CTAs, multicast."""

from __future__ import annotations

import numpy as np

from .. import Family, Made, Mutant, add, both, drop, move, sub
from ..generic import words

FAMILY = Family(__name__)
right = FAMILY.right
RACE, SCOPE, PENDING, READING, PROXY, INIT, ASYNC = (
    "PTX9200",
    "PTX9201",
    "PTX9210",
    "PTX9211",
    "PTX9213",
    "PTX9214",
    "PTX9215",
)
EXIT, GONE, DEADLOCK = "PTX9234", "PTX9024", "PTX9100"


@right(
    Mutant("no barrier", drop("arrive", "wait"), RACE, ("put", "get"), "the other CTA may have yet to write"),
    Mutant(
        "relaxed arrival",
        sub("arrive", "release", "relaxed"),
        RACE,
        ("put", "get"),
        "a relaxed arrival publishes nothing",
    ),
    Mutant(
        "barrier of the CTA",
        both(sub("arrive", "barrier.cluster.arrive.release.aligned", "bar.sync 0"), drop("wait")),
        RACE,
        ("put", "get"),
        "it joins the threads of one CTA",
    ),
    Mutant(
        "stores behind the arrival",
        move("put", behind="arrive"),
        RACE,
        ("put", "get"),
        "the arrival publishes what comes before it",
    ),
    Mutant("read before the wait", move("get", before="wait"), RACE, ("put", "get"), "only the wait acquires"),
    Mutant(
        "no barrier before the exit",
        drop("leave", "left"),
        GONE,
        ("get",),
        "the other CTA may exit while its memory is read",
        besides=(EXIT,),
    ),
    Mutant(
        "arrives without waiting",
        drop("left"),
        GONE,
        ("get",),
        "the CTA may exit although the other one still reads",
        besides=(EXIT,),
    ),
    Mutant(
        "relaxed arrival before the exit",
        sub("leave", "release", "relaxed"),
        EXIT,
        ("get",),
        "the load may still be under way when the other CTA exits",
    ),
    Mutant("waits without arriving", drop("leave"), "PTX9140", ("left",), "a thread waits that has not arrived"),
    Mutant(
        "arrives twice",
        add("barrier.cluster.arrive.release.aligned; //! twice", behind="arrive"),
        "PTX9140",
        ("twice",),
        "a thread arrives again before it has waited",
    ),
    Mutant(
        "a CTA that is not there",
        add("add.u32 peer, peer, 2;", before="where"),
        "PTX9009",
        ("get",),
        "the cluster has two CTAs",
    ),
    grid=2,
    cluster=2,
    block=64,
    tricky="the barrier at the end keeps the memory alive, and the value is used behind it",
)
def dsmem_read(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros((2, 64), np.uint32)], {1: a[::-1, ::-1]}


@right(
    Mutant(
        "no barrier at the beginning",
        drop("begin", "begun"),
        RACE,
        ("clear", "put"),
        "the neighbour may have yet to clear its memory, or to start",
    ),
    Mutant(
        "store before the begin",
        add("st.u32 [g], 0; //! early", before="begin"),
        "PTX9235",
        ("early",),
        "the neighbour may not have started",
        besides=(RACE,),
    ),
    Mutant(
        "no barrier behind the stores",
        drop("arrive", "wait"),
        GONE,
        ("put",),
        "the neighbour may exit before it is written to",
        besides=(EXIT, RACE),
    ),
    Mutant(
        "relaxed arrival",
        sub("arrive", "release", "relaxed"),
        RACE,
        ("put", "get"),
        "a relaxed arrival publishes nothing",
    ),
    Mutant(
        "relaxed arrival at the beginning",
        sub("begin", "release", "relaxed"),
        RACE,
        ("clear", "put"),
        "the zeros are not ordered before the neighbour's stores",
    ),
    Mutant(
        "barrier of the CTA",
        both(sub("arrive", "barrier.cluster.arrive.release.aligned", "bar.sync 0"), drop("wait")),
        GONE,
        ("put",),
        "it joins the threads of one CTA",
        besides=(EXIT, RACE),
    ),
    grid=2,
    cluster=2,
    block=64,
    tricky="generic addresses of another CTA; its stores are read as own shared memory",
)
def dsmem_write(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros((2, 64), np.uint32)], {1: a[::-1]}


@right(
    Mutant(
        "atomics of a CTA",
        sub("count", "relaxed.cluster", "relaxed.cta"),
        SCOPE,
        ("count",),
        "the other CTA counts in the same words",
    ),
    Mutant(
        "no barrier at the beginning",
        drop("begin", "begun"),
        "PTX9203",
        ("clear", "count"),
        "the counts may not be zero yet",
    ),
    Mutant(
        "no barrier at the end",
        drop("arrive", "wait"),
        "PTX9203",
        ("count", "read"),
        "others still count",
        besides=(EXIT,),
        instead=(GONE,),
    ),
    Mutant(
        "plain stores",
        sub("count", "red.relaxed.cluster.shared::cluster.add.u32 [v], 1", "st.shared::cluster.u32 [v], 1"),
        RACE,
        ("count", "count"),
        "the two CTAs store to the same words",
    ),
    Mutant("no zeros", drop("clear"), "PTX9240", ("count",), "counting begins with what an earlier CTA has left"),
    Mutant(
        "barrier of the CTA at the end",
        both(sub("arrive", "barrier.cluster.arrive.release.aligned", "bar.sync 0"), drop("wait")),
        "PTX9203",
        ("count", "read"),
        "the other CTA still counts",
        besides=(EXIT,),
        instead=(GONE,),
    ),
    grid=2,
    cluster=2,
    block=64,
    tricky="atomics of two CTAs on the same words of shared memory",
)
def dsmem_atomics(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros(8, np.uint32)], {1: np.bincount(a.reshape(-1) & 7, minlength=8)}


@right(
    Mutant(
        "arrival of a CTA",
        sub("arrive", "release.cluster", "release.cta"),
        SCOPE,
        ("put", "get"),
        "its scope ends at the CTA, and who waits is in another",
    ),
    Mutant(
        "wait of a CTA",
        sub("wait", "acquire.cluster", "acquire.cta"),
        SCOPE,
        ("put", "get"),
        "its scope ends at the CTA, and who arrives is in another",
    ),
    Mutant(
        "relaxed arrival",
        sub("arrive", "release", "relaxed"),
        RACE,
        ("put", "get"),
        "a relaxed arrival publishes nothing",
    ),
    Mutant("relaxed wait", sub("wait", "acquire", "relaxed"), RACE, ("put", "get"), "a relaxed wait acquires nothing"),
    Mutant(
        "arrive before the store",
        both(move("remote", before="put"), move("arrive", before="put")),
        RACE,
        ("put", "get"),
        "the data is announced before it is there",
    ),
    Mutant("no wait", drop("wait", "until full"), RACE, ("put", "get"), "nothing orders the two CTAs"),
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init", "arrive"),
        "a relaxed barrier publishes no ordinary write",
    ),
    Mutant(
        "barrier of the CTA behind init",
        both(sub("ready", "barrier.cluster.arrive.relaxed.aligned", "bar.sync 0"), drop("begun")),
        INIT,
        ("init", "arrive"),
        "the other CTA may not have made its mbarrier",
        besides=(EXIT,),
        instead=("PTX9110", "PTX9140", GONE),
    ),
    Mutant(
        "no barrier before the exit",
        drop("leave", "left"),
        GONE,
        ("get",),
        "CTA 1 may exit while its memory is read",
        besides=(EXIT,),
    ),
    Mutant(
        "relaxed arrival before the exit",
        sub("leave", "release", "relaxed"),
        EXIT,
        ("get",),
        "the load may still be under way when CTA 1 exits",
    ),
    Mutant("one arrival expected", sub("init", ", 32", ", 1"), DEADLOCK, (), "32 lanes arrive, and each ends a phase"),
    Mutant(
        "arrives at the own mbarrier", drop("remote"), DEADLOCK, (), "nobody arrives at the mbarrier that is waited for"
    ),
    grid=2,
    cluster=2,
    block=32,
    tricky="an mbarrier of one CTA orders accesses to the memory of another",
)
def remote_arrive(dice: np.random.Generator) -> Made:
    a = words(dice, 32)
    return [a, np.zeros(32, np.uint32)], {1: a[::-1]}


@right(
    Mutant(
        "wait of a CTA",
        sub("wait", "acquire.cluster", "acquire.cta"),
        SCOPE,
        ("send", "get"),
        "st.async completes at the scope of the cluster",
        besides=(PENDING,),
    ),
    Mutant(
        "no wait",
        drop("wait", "until full"),
        GONE,
        ("send",),
        "the neighbour may exit before it is written to",
        besides=(EXIT, PENDING, "PTX9240"),
    ),
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init", "send"),
        "a relaxed barrier publishes no ordinary write",
    ),
    Mutant(
        "no barrier behind init",
        drop("ready", "begun"),
        INIT,
        ("init", "send"),
        "the neighbour may not have made its mbarrier",
        instead=("PTX9110",),
    ),
    Mutant(
        "half of the bytes expected",
        sub("expect", "128", "64"),
        PENDING,
        ("send", "get"),
        "the phase ends with half of the numbers",
        besides=("PTX9118", EXIT, "PTX9240"),
        instead=(DEADLOCK, GONE),
    ),
    Mutant("more bytes expected", sub("expect", "128", "132"), DEADLOCK, (), "four bytes never come"),
    Mutant(
        "other mbarrier", drop("remote"), "PTX9123", ("send",), "the numbers go to one CTA and are counted in another"
    ),
    Mutant(
        "own words read back",
        add("ld.shared::cluster.u32 v, [at]; //! peek", behind="send"),
        PENDING,
        ("send", "peek"),
        "the store may not be done",
    ),
    Mutant(
        "cleared too late",
        add("st.shared.u32 [mine], 0; //! clear", behind="begun"),
        PENDING,
        ("clear", "send"),
        "the neighbour's store may have come already",
    ),
    Mutant(
        "ordinary load of the mbarrier",
        add("ld.shared.u32 v, [full]; //! peek", behind="begun"),
        "PTX9230",
        ("peek",),
        "its bytes are its own; test_wait asks how far it is",
    ),
    grid=2,
    cluster=2,
    block=32,
    tricky="no barrier at the end: who has received everything may leave",
)
def st_async(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros((2, 32), np.uint32)], {1: a[::-1, ::-1]}


@right(
    Mutant(
        "relaxed barrier",
        sub("ready", "release", "relaxed"),
        PENDING,
        ("clear", "add"),
        "it publishes the mbarrier, not the zeros",
        besides=(PROXY,),
    ),
    Mutant(
        "no barrier",
        drop("ready", "begun"),
        PENDING,
        ("clear", "add"),
        "the zeros may come later",
        besides=(INIT, EXIT, PROXY),
        instead=("PTX9110",),
    ),
    Mutant(
        "bytes of one CTA expected",
        sub("expect", "256", "128"),
        PENDING,
        ("add", "get"),
        "the phase ends with half of the numbers",
        besides=("PTX9118", EXIT),
        instead=(DEADLOCK, GONE),
    ),
    Mutant(
        "wait of a CTA",
        sub("wait", "acquire.cluster", "acquire.cta"),
        SCOPE,
        ("add", "get"),
        "red.async completes at the scope of the cluster",
        besides=(PENDING,),
    ),
    Mutant("no zeros", drop("clear"), "PTX9240", ("add",), "sums begin with what an earlier CTA has left"),
    Mutant(
        "zeros behind the barrier",
        move("clear", behind="begun"),
        PENDING,
        ("clear", "add"),
        "they may wipe out what has been added",
        besides=(PROXY,),
    ),
    grid=2,
    cluster=2,
    block=32,
    tricky="unordered asynchronous reductions of two CTAs to the same words",
)
def red_async(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros(32, np.uint32)], {1: a.sum(0)}


@right(
    Mutant(
        "relaxed arrival before the exit",
        sub("leave", "release", "relaxed"),
        EXIT,
        ("release",),
        "nobody waits for the last arrivals, so they may still be on their way when CTA 0 exits",
    ),
    Mutant(
        "no wait before the next tile",
        drop("wait empty", "until empty"),
        PENDING,
        ("get", "load"),
        "the other CTA may still be reading",
        besides=("PTX9118",),
        instead=("PTX9112", DEADLOCK),
    ),
    Mutant(
        "one CTA is waited for",
        sub("init empty", ", 64", ", 32"),
        PENDING,
        ("get", "load"),
        "the tile is loaded again when half of the readers have read",
        besides=(ASYNC,),
        instead=("PTX9112", DEADLOCK),
    ),
    Mutant(
        "release of a CTA",
        sub("release", "release.cluster", "release.cta"),
        SCOPE,
        ("get", "load"),
        "to the letter, CTA 1's reads are not ordered before CTA 0's copy",
        besides=(PENDING, PROXY, ASYNC),
        strict=True,
    ),
    Mutant(
        "wait of a CTA",
        sub("wait empty", "acquire.cluster", "acquire.cta"),
        SCOPE,
        ("get", "load"),
        "to the letter, CTA 1's reads are not ordered before CTA 0's copy",
        besides=(PENDING, PROXY, ASYNC),
        strict=True,
    ),
    Mutant(
        "release before the read",
        move("release", before="get"),
        PENDING,
        ("get", "load"),
        "the tile is given back before it is read",
    ),
    Mutant(
        "expects nothing in CTA 1",
        sub("expect", "@p", "@r"),
        DEADLOCK,
        (),
        "the bytes come to an mbarrier that nobody arrives at",
    ),
    Mutant(
        "for the first CTA alone", sub("both", "3", "1"), DEADLOCK, (), "the second CTA waits for bytes that never come"
    ),
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init", "load"),
        "a relaxed barrier publishes no ordinary write",
    ),
    Mutant(
        "no barrier behind init",
        drop("ready", "begun"),
        INIT,
        ("init", "load"),
        "the other CTA may not have made its mbarrier",
        instead=("PTX9110",),
    ),
    Mutant(
        "no barrier before the exit",
        drop("leave", "left"),
        EXIT,
        ("release",),
        "CTA 0 may exit before CTA 1 arrives at its mbarrier",
        instead=(GONE,),
    ),
    Mutant(
        "a tile too many",
        add(
            "@r cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[at], [a+-128], 128, [full], both; //! late",
            before="leave",
        ),
        "PTX9236",
        ("late",),
        "nobody expects its bytes, or waits for them",
        besides=(PENDING, PROXY, ASYNC, EXIT),
        instead=(GONE,),
    ),
    grid=2,
    cluster=2,
    block=32,
    tricky="a copy writes to a CTA whose threads never issued it; its readers arrive in another CTA",
)
def multicast(dice: np.random.Generator) -> Made:
    a = words(dice, 3, 32)
    return [a, np.zeros((2, 3, 32), np.uint32)], {1: np.stack([a[:, ::-1]] * 2)}


@right(
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "copy"), "the copy reads through the async proxy"),
    Mutant(
        "fence before the stores",
        move("proxy", before="fill"),
        PROXY,
        ("fill", "copy"),
        "it fences what comes before it",
    ),
    Mutant(
        "no wait", drop("wait", "until full"), PENDING, ("copy", "get"), "the tile may come later", besides=("PTX9240",)
    ),
    Mutant(
        "wait of a CTA",
        sub("wait", "acquire.cluster", "acquire.cta"),
        SCOPE,
        ("copy", "get"),
        "the copy completes at the scope of the cluster",
        besides=(PENDING,),
    ),
    Mutant(
        "mbarrier of the sender", drop("remote"), "PTX9123", ("copy",), "destination and mbarrier lie in different CTAs"
    ),
    Mutant(
        "relaxed barrier",
        sub("ready", "release", "relaxed"),
        READING,
        ("fill", "copy"),
        "other lanes' stores are not ordered before the copy",
        besides=(PROXY,),
    ),
    Mutant(
        "source overwritten in flight",
        add("st.shared.u32 [send], 0; //! late", behind="copy"),
        READING,
        ("late", "copy"),
        "the copy may still be reading",
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
        "no barrier before the exit",
        drop("wait", "until full", "leave", "left"),
        GONE,
        ("copy",),
        "the neighbour may exit before the tile has come",
        besides=(EXIT, PENDING, "PTX9240"),
    ),
    Mutant(
        "the sender never learns of the end",
        drop("leave", "left"),
        EXIT,
        ("copy",),
        "what a CTA waits for is its neighbour's copy, and its own may not have read its source",
        instead=(GONE,),
    ),
    grid=2,
    cluster=2,
    block=32,
    tricky="what the neighbour's copy writes is read without any access of the neighbour",
)
def bulk_to_peer(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros((2, 32), np.uint32)], {1: a[::-1]}
