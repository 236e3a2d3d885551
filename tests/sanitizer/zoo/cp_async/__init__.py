"""cp.async: groups, waits, barriers behind them, and mbarriers."""

from __future__ import annotations

import numpy as np

from .. import Family, Made, Mutant, add, both, drop, move, sub
from ..generic import words

FAMILY = Family(__name__)
right = FAMILY.right
RACE, PENDING = "PTX9200", "PTX9210"


@right(
    Mutant("no wait", drop("wait"), PENDING, ("copy", "read"), "the bytes may come later"),
    Mutant(
        "wait before the copy", move("wait", before="copy"), PENDING, ("copy", "read"), "it waits for no group at all"
    ),
    Mutant("no commit", drop("commit"), PENDING, ("copy", "read"), "wait_group waits for committed groups alone"),
    Mutant(
        "one group left pending",
        sub("wait", "0", "1"),
        "PTX9223",
        ("wait",),
        "there is but one group, so the wait waits for nothing",
    ),
    Mutant(
        "neighbour's words",
        sub("read", "[at]", "[other]"),
        PENDING,
        ("copy", "read"),
        "a thread's wait is for its own copies",
    ),
    Mutant(
        "half of the bytes",
        sub("copy", "cg.shared.global [at], [a], 16", "ca.shared.global [at], [a], 8"),
        "PTX9240",
        ("read",),
        "nobody has written the rest",
    ),
    Mutant(
        "nothing read",
        both(
            drop("wait"),
            sub("read", "ld.shared.v4.u32 {v0, v1, v2, v3}, [at]", "ld.global.v4.u32 {v0, v1, v2, v3}, [a]"),
        ),
        "PTX9222",
        ("copy",),
        "the thread exits while its copy is under way",
    ),
    grid=1,
    block=64,
    tricky="threads read what was copied without a barrier: each its own",
)
def own_words(dice: np.random.Generator) -> Made:
    a = words(dice, 64, 4)
    return [a, np.zeros((64, 4), np.uint32)], {1: a[:, ::-1]}


@right(
    Mutant(
        "two groups left pending",
        sub("wait", "1", "2"),
        PENDING,
        ("copy", "read"),
        "the tile that is read is one of the two",
    ),
    Mutant("no wait", drop("wait"), PENDING, ("copy", "read"), "nobody has waited for the tile"),
    Mutant(
        "no last wait", drop("last wait"), PENDING, ("next copy", "read"), "the last tile needs a wait for all groups"
    ),
    Mutant(
        "last wait leaves one",
        sub("last wait", "0", "1"),
        PENDING,
        ("next copy", "read"),
        "the last tile is the group that is left",
    ),
    Mutant(
        "no barrier behind the wait",
        drop("filled"),
        PENDING,
        ("copy", "read"),
        "each thread has waited for its own copies alone",
    ),
    Mutant(
        "barrier before the wait",
        move("filled", before="begin"),
        PENDING,
        ("copy", "read"),
        "each thread has waited for its own copies alone",
    ),
    Mutant(
        "no barrier behind the reads",
        drop("emptied"),
        PENDING,
        ("read", "next copy"),
        "the next copy overwrites what others still read",
    ),
    Mutant(
        "first tile not committed",
        drop("first commit"),
        PENDING,
        ("first copy", "read"),
        "the first two tiles make one group, and that is the one left pending",
    ),
    grid=1,
    block=64,
    tricky="a copy is under way while another buffer is read: wait_group 1",
)
def double_buffer(dice: np.random.Generator) -> Made:
    a = words(dice, 4, 64)
    return [a, np.zeros((4, 64), np.uint32)], {1: a[:, ::-1]}


@right(
    Mutant(
        "ordinary arrival",
        sub(
            "arrive",
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [full]",
            "mbarrier.arrive.shared::cta.b64 _, [full]",
        ),
        PENDING,
        ("copy", "read"),
        "it does not wait for the copies",
    ),
    Mutant(
        "arrival before the copy",
        move("arrive", before="copy"),
        PENDING,
        ("copy", "read"),
        "it arrives for earlier copies, and there are none",
    ),
    Mutant(
        "no wait",
        sub("wait", "[full], 0", "[full], 1"),
        PENDING,
        ("copy", "read"),
        "the phase before the first counts as over",
        besides=("PTX9231",),
    ),
    Mutant(
        "arrival that counts itself",
        sub("arrive", ".noinc", ""),
        "PTX9100",
        (),
        "each adds one to what is pending and takes it off again, so the phase lacks 32",
    ),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        "PTX9214",
        ("init", "arrive"),
        "the other lanes and the other warp may come first",
        instead=("PTX9110",),
    ),
    Mutant("no init", drop("init"), "PTX9110", (), "nobody makes the mbarrier"),
    Mutant(
        "ordinary load of the mbarrier",
        add("ld.shared.u32 v, [full]; //! peek", behind="ready"),
        "PTX9230",
        ("peek",),
        "its bytes are its own; test_wait asks how far it is",
    ),
    grid=1,
    block=64,
    tricky="no wait_group: the copies arrive at an mbarrier",
)
def by_mbarrier(dice: np.random.Generator) -> Made:
    a = words(dice, 32, 4)
    return [a, np.zeros(32, np.uint32)], {1: a[::-1, 0]}


@right(
    Mutant(
        "no barrier before the copy",
        drop("emptied"),
        PENDING,
        ("read", "copy"),
        "the copy overwrites what another thread still reads",
    ),
    Mutant(
        "no barrier behind the wait",
        drop("copied"),
        PENDING,
        ("copy", "read again"),
        "the wait is for a thread's own copies",
    ),
    Mutant("no barrier behind the stores", drop("filled"), RACE, ("put", "read"), "the word is another thread's"),
    Mutant("no wait", drop("wait"), PENDING, ("copy", "read again"), "a barrier waits for no copy"),
    Mutant(
        "store in flight",
        add("st.shared.u32 [at], w; //! overwrite", behind="copy"),
        PENDING,
        ("copy", "overwrite"),
        "which of the two comes last is not defined",
    ),
    grid=1,
    block=64,
    tricky="stores and cp.async to the same words without a proxy fence",
)
def store_then_copy(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.zeros(64, np.uint32)], {1: np.roll(a.sum(0, dtype=np.uint32), 32)}


@right(
    Mutant("no bound", sub("copy", ", n;", ";"), "PTX9002", ("copy",), "the last copies read beyond the array"),
    Mutant("no barrier", drop("filled"), PENDING, ("copy", "read"), "the word was copied by another thread"),
    Mutant("no wait", drop("wait"), PENDING, ("copy", "read"), "nobody waits for the copies"),
    grid=1,
    block=32,
    tricky="addresses beyond the array of which no byte is read, and zeros that nobody stored",
)
def guarded_rows(dice: np.random.Generator) -> Made:
    a = words(dice, 22)
    return [a, np.zeros(32, np.uint32), np.uint32(22)], {1: np.pad(a, (0, 10))}
