"""What ptxlab's own language wrote, broken by hand."""

from __future__ import annotations

import numpy as np

import ptxlab as px

from .. import Family, Made, Mutant, both, drop, sub
from ..compiled import filled, zeros

FAMILY = Family(__name__)
right = FAMILY.right
PENDING, INIT, ASYNC, NEVER, DEADLOCK = "PTX9210", "PTX9214", "PTX9215", "PTX9222", "PTX9100"


@right(
    Mutant("no wait", drop("wait"), PENDING, ("copy", "get"), "the bytes may come later"),
    Mutant(
        "wait for groups without a commit",
        both(drop("commit"), sub("wait", "wait_all", "wait_group 0")),
        PENDING,
        ("copy", "get"),
        "wait_group waits for committed groups alone",
    ),
    Mutant(
        "half of the bytes",
        sub("vector", "cg.shared.global.L2::128B [%u2], [%ud0], 16", "ca.shared.global [%u2], [%ud0], 8"),
        "PTX9240",
        ("get vector",),
        "nobody has written the rest",
    ),
    Mutant(
        "words of the thread behind",
        sub("get vector", "[%u2]", "[%u2+16]"),
        "PTX9007",
        ("get vector",),
        "no thread is behind the last one",
        besides=(PENDING, "PTX9240"),
    ),
    grid=2,
    block=256,
    tricky="each thread reads what it has copied itself; 4 or 16 bytes at a time",
)
def cp_async(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, 1500).astype(np.float32)
    return [x, zeros(1500), np.uint32(1500)], {1: x}


@right(
    Mutant(
        "no wait", drop("wait", "again"), ASYNC, ("load", "store"), "the bytes may come later", besides=("PTX9241",)
    ),
    Mutant(
        "nobody expects the bytes",
        drop("expect"),
        ASYNC,
        ("load", "store"),
        "the phase ends without them",
        besides=("PTX9118",),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "no barrier behind init",
        drop("ready", "expected"),
        INIT,
        ("init", "arrive"),
        "the mbarrier may not be there yet",
        besides=(ASYNC,),
        instead=("PTX9110", DEADLOCK),
    ),
    Mutant("no wait before the exit", drop("drain"), NEVER, ("store",), "shared memory may be gone before it is read"),
    Mutant("no commit", drop("commit"), NEVER, ("store",), "wait_group waits for committed groups alone"),
    grid=2,
    block=256,
    tricky="bytes are expected by one thread, and all arrive: the last arrival may come before or behind the bytes",
)
def bulk(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, 400).astype(np.float32)
    return [x, zeros(400), np.uint32(400)], {1: x}


@right(
    Mutant("no wait", drop("wait", "until"), ASYNC, ("load", "store"), "the tile may come later"),
    Mutant(
        "half of the bytes expected",
        sub("expect", "4096", "2048"),
        "PTX9118",
        ("load",),
        "the phase ends with half of the tile",
        besides=(ASYNC,),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "no fences behind init",
        drop("init fence"),
        INIT,
        ("init", "load"),
        "the copy's end is counted through the async proxy",
    ),
    Mutant("no wait before the exit", drop("drain"), NEVER, ("store",), "shared memory may be gone before it is read"),
    grid=(2, 1),
    block=256,
    tricky="a tile is loaded and stored without any proxy fence",
)
def tma_2d(dice: np.random.Generator) -> Made:
    x, out = filled(dice.integers(-100, 100, (32, 64)), np.float32), zeros(32, 64)
    return [px.tensor_map(x, box=(32, 32)), px.tensor_map(out, box=(32, 32))], {2: x.copy()}, [out]
