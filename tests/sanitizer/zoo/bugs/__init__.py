"""Bugs that others have found in their kernels, rebuilt small from what their issues say; each as it was, and mended."""

from __future__ import annotations

import numpy as np

import ptxlab as px

from .. import Family, Made, Mutant, both, drop, move, sub
from ..generic import words
from ..tma import bound, tiles, zeros
from ..wgmma import core
from ..wgmma import matrices as operands

FAMILY = Family(__name__)
right = FAMILY.right
READING, PROXY, INIT, ASYNC = "PTX9211", "PTX9213", "PTX9214", "PTX9215"


@right(
    Mutant(
        "as it was",
        both(sub("arrive", "release.cluster", "release.cta"), sub("wait", "acquire.cluster", "acquire.cta")),
        "PTX9201",
        ("copy", "read"),
        "the data comes from another CTA",
        besides=("PTX9210",),
    ),
    grid=2,
    cluster=2,
    block=32,
)
def cutlass_3324(dice: np.random.Generator) -> Made:
    a = words(dice, 32, 4)
    return [a, np.zeros(32, np.uint32)], {1: a[::-1, 0]}


@right(
    Mutant(
        "as it was",
        both(sub("init", ", 32", ", 1"), sub("arrive", "mbarrier", "@p mbarrier")),
        "PTX9200",
        ("weights", "read weights"),
        "an elected lane arrives for thirty-two",
    ),
    grid=1,
    block=64,
)
def cudnn_frontend_426(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros(32, np.uint32)], {1: (a[0] * a[1])[::-1]}


@right(
    Mutant("as it was", drop("proxy"), PROXY, ("fill", "store"), "a barrier joins no proxies"),
    grid=1,
    block=128,
)
def triton_9610(dice: np.random.Generator) -> Made:
    a, out = words(dice, 8, 16), zeros(8, 16)
    return [a, px.tensor_map(out, box=(8, 16))], {2: a.copy()}, [out]


@right(
    Mutant(
        "as it was",
        drop("proxy"),
        PROXY,
        ("read", "load"),
        "reads in the generic proxy are not ordered before writes in the async proxy",
    ),
    Mutant(
        "nor a barrier",
        drop("proxy", "read by all"),
        "PTX9210",
        ("read", "load"),
        "other threads may still be reading",
        instead=("PTX9100",),
    ),
    grid=1,
    block=128,
)
def transformer_engine_2695(dice: np.random.Generator) -> Made:
    a = tiles(dice, 24, 16)
    return [px.tensor_map(a, box=(8, 16)), np.zeros(128, np.uint32)], {1: a.reshape(3, 128).max(0)[::-1]}


@right(
    Mutant("as it was", drop("proxy"), PROXY, ("fill", "product"), "wgmma reads shared memory through the async proxy"),
    grid=1,
    block=128,
)
def tilelang_2634(dice: np.random.Generator) -> Made:
    a, b = dice.integers(-4, 5, (64, 16)), dice.integers(-4, 5, (32, 8))
    dense = np.zeros((64, 32), np.int64)
    dense[:, [k for k in range(32) if k % 4 < 2]] = a
    right_bytes = core(b.T.reshape(8, 2, 16).transpose(1, 0, 2))
    return [core(a[None]), right_bytes, np.zeros((64, 8), np.float32)], {2: dense @ b}


@right(
    Mutant(
        "as it was",
        drop("loop"),
        READING,
        ("product", "fill"),
        "the other warpgroup's product may still be reading",
        besides=(PROXY,),
    ),
    grid=1,
    block=256,
)
def tilelang_2613(dice: np.random.Generator) -> Made:
    a, b = operands(dice, 2)
    return [core(a), core(b.transpose(0, 2, 1)), np.zeros((2, 64, 8), np.float32)], {2: a.sum(0) @ b}


@right(
    Mutant("as it was", drop("proxy"), PROXY, ("widen", "product"), "a barrier joins no proxies"),
    grid=1,
    block=128,
)
def sglang_39124(dice: np.random.Generator) -> Made:
    _, b = operands(dice, 1)
    a = dice.integers(0, 8, (1, 64, 16))
    narrow = px.empty(1024, np.uint8)
    narrow[:] = core(a).astype(np.float32).reshape(-1)
    return [narrow, core(b.transpose(0, 2, 1)), np.zeros((64, 8), np.float32)], {2: (a @ b)[0]}


@right(
    Mutant("as it was", drop("proxy"), PROXY, ("clear", "store"), "the loop that fences has no turn"),
    grid=1,
    block=64,
)
def flashkda_24(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.ones(64, np.uint32), np.uint32(0)], {1: np.zeros(64, np.uint32)}


@right(
    Mutant("as it was", drop("proxy in the loop"), PROXY, ("add", "store"), "what the last turn stores is not fenced"),
    Mutant(
        "init as it was",
        both(drop("init fence"), move("init", behind="proxy")),
        INIT,
        ("init", "load"),
        "the copy's end is counted through the async proxy, and the proxy fence comes before the initialisation",
    ),
    grid=1,
    block=64,
)
def flashkda_24_tiles(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 64)
    return [a, np.ones(64, np.uint32), np.uint32(2)], {1: a.sum(0)[::-1]}


@right(
    Mutant(
        "as it was",
        drop("proxy"),
        PROXY,
        ("read", "load"),
        "reads in the generic proxy are not ordered before writes in the async proxy",
    ),
    Mutant(
        "nor a barrier of the warp",
        drop("proxy", "read by all"),
        "PTX9210",
        ("read", "load"),
        "other lanes may still be reading",
    ),
    grid=1,
    block=32,
)
def deepep_642(dice: np.random.Generator) -> Made:
    a = words(dice, 3, 32)
    return [a, np.zeros(32, np.uint32)], {1: a.sum(0)[::-1]}


@right(
    Mutant(
        "as it was",
        sub("reuse", "wait_group 0", "wait_group 1"),
        ASYNC,
        ("store", "load"),
        "the store that reads this stage is the one group that is left",
    ),
    Mutant(
        "reads of one left",
        sub("reuse", "wait_group 0", "wait_group.read 1"),
        ASYNC,
        ("store", "load"),
        "the store that reads this stage is the one group that is left",
    ),
    grid=1,
    block=1,
)
def deepep_657(dice: np.random.Generator) -> Made:
    a = words(dice, 6, 32)
    return [a, np.zeros((6, 32), np.uint32)], {1: a}


@right(
    Mutant("as it was", drop("free"), READING, ("store", "fill"), "the leader alone waits for its copies"),
    grid=1,
    block=64,
)
def transformer_engine_3417(dice: np.random.Generator) -> Made:
    a = words(dice, 3, 64)
    return [a, np.zeros((3, 64), np.uint32)], {1: a}


@right(
    Mutant(
        "as it was",
        sub("next map", "128", "0"),
        "PTX9164",
        ("replace",),
        "the first copy still goes through the map",
        besides=("PTX9216",),
    ),
    grid=1,
    block=1,
)
def deepgemm_343(dice: np.random.Generator) -> Made:
    m, one, two = bound()
    maps = px.empty(256, np.uint8, align=128)
    maps[:] = np.tile(m, 2)
    return [maps, two, zeros(2, 4, 16)], {2: np.stack([one[:4], two[:4]])}, [one]


@right(
    Mutant(
        "as it was",
        drop("leave", "left"),
        "PTX9024",
        ("arrive",),
        "the other CTA may have exited",
        besides=("PTX9234",),
    ),
    Mutant(
        "a relaxed arrival",
        sub("leave", "release", "relaxed"),
        "PTX9234",
        ("arrive",),
        "the other CTA may exit while the arrival is on its way",
    ),
    grid=2,
    cluster=2,
    block=32,
)
def sglang_32954(dice: np.random.Generator) -> Made:
    a = words(dice, 2, 32)
    return [a, np.zeros((2, 32), np.uint32)], {1: a}
