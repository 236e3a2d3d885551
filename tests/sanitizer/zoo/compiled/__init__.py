"""What Triton, Gluon and nvcc made: kernels as they come out of compilers, broken by hand."""

from __future__ import annotations

import numpy as np

import ptxlab as px

from .. import Family, Made, Mutant, drop, move, sub

FAMILY = Family(__name__)
right = FAMILY.right
RACE, SCOPE, MIXED, LANES = "PTX9200", "PTX9201", "PTX9203", "PTX9204"
PENDING, READING, PROXY, INIT, ASYNC, NEVER = "PTX9210", "PTX9211", "PTX9213", "PTX9214", "PTX9215", "PTX9222"
DEADLOCK = "PTX9100"


def filled(values: np.ndarray, dtype: object) -> np.ndarray:
    """The same in an array that tensor maps can describe."""
    out = px.empty(values.shape, dtype)
    out[...] = values
    return out


def zeros(*shape: int, dtype: object = np.float32) -> np.ndarray:
    return filled(np.zeros(shape), dtype)


def scratch() -> list[np.ndarray]:
    """What Triton's kernels take behind their own parameters."""
    return [np.zeros(16, np.uint8), np.zeros(16, np.uint8)]


@right(
    Mutant("no barrier", drop("filled"), RACE, ("store", "load"), "other warps store their sums"),
    Mutant(
        "sums not finished",
        sub("store", "%r55", "%r53"),
        LANES,
        ("store",),
        "before the last step two halves of a warp hold different sums",
    ),
    Mutant("atomic of a CTA", sub("add", "gpu", "cta"), SCOPE, ("add",), "the other CTA adds to the same word"),
    Mutant(
        "plain store",
        sub("add", "atom.global.gpu.acq_rel.add.f32 %r18, [ %rd5 + 0 ], %r19", "st.global.f32 [ %rd5 + 0 ], %r19"),
        RACE,
        ("add", "add"),
        "two CTAs store to one word",
    ),
    grid=2,
    block=256,
    shared=32,
    tricky="all lanes of a warp store the same sum to one word",
)
def triton_total(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, 8000).astype(np.float32)
    return [x, zeros(1), np.int32(8000), *scratch()], {1: x.sum(keepdims=True)}


@right(
    Mutant(
        "no barrier behind the zeros",
        drop("cleared"),
        MIXED,
        ("clear", "count"),
        "counting begins before the zeros are there",
    ),
    Mutant("no barrier before the flush", drop("counted"), MIXED, ("count", "load"), "others still count"),
    Mutant("no zeros", drop("clear"), "PTX9240", ("count",), "counting begins with what an earlier CTA has left"),
    Mutant("flush of a CTA", sub("flush", "gpu", "cta"), SCOPE, ("flush",), "the other CTA adds to the same words"),
    grid=2,
    block=128,
    shared=1024,
    tricky="atomics of all threads on the same words of shared and of global memory",
)
def triton_histogram(dice: np.random.Generator) -> Made:
    x = dice.integers(0, 256, 2048, np.int32)
    return [x, np.zeros(256, np.int32), np.int32(2048), *scratch()], {1: np.bincount(x, minlength=256)}


@right(
    Mutant("no barrier", drop("filled"), RACE, ("store", "load"), "other warps store their sums"),
    Mutant("all lanes store", sub("store", "@%p1 ", ""), LANES, ("store",), "each lane has another sum"),
    grid=1,
    block=128,
    shared=16,
    tricky="a vector load reads words of four warps at once",
)
def triton_prefix_sum(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, 512).astype(np.float32)
    return [x, zeros(512), *scratch()], {1: np.cumsum(x)}


@right(
    Mutant(
        "no wait for the copies",
        drop("wait"),
        ASYNC,
        ("copy", "product"),
        "the operands may come later",
        besides=(PROXY,),
    ),
    Mutant(
        "three groups left pending",
        sub("wait", "2", "3"),
        ASYNC,
        ("copy", "product"),
        "each tile is two groups, and one of them is left",
        besides=(PROXY,),
    ),
    Mutant(
        "no barrier behind the wait",
        drop("copied"),
        ASYNC,
        ("copy", "product"),
        "each thread has waited for its own copies",
        besides=(PROXY,),
    ),
    Mutant(
        "no proxy fence",
        drop("proxy"),
        PROXY,
        ("copy", "product"),
        "cp.async writes in the generic proxy, wgmma reads through the async proxy",
    ),
    Mutant(
        "no wgmma wait",
        drop("wgmma wait"),
        ASYNC,
        ("product", "loop copy"),
        "the product may still be reading",
        besides=("PTX9133", "PTX9133", "PTX9221", READING),
    ),
    Mutant("no last wait", drop("last wait"), PENDING, ("loop copy", "store"), "copies of zeros are still under way"),
    Mutant(
        "no barrier behind the result",
        drop("stored"),
        RACE,
        ("store", "load"),
        "rows are read that other warps have stored",
    ),
    grid=1,
    block=128,
    shared=18432,
    tricky="copies of no bytes fill up with zeros; shared memory is used again for the result",
)
def triton_matmul(dice: np.random.Generator) -> Made:
    a, b = (dice.integers(-100, 100, (n, 256), np.int8) for n in (64, 32))
    expected = a.astype(np.int32) @ b.astype(np.int32).T
    return [a, b, zeros(64, 32, dtype=np.int32), np.int32(256), *scratch()], {2: expected}


@right(
    Mutant(
        "no barrier", drop("filled"), RACE, ("store", "load"), "matrices are made of rows that other warps have stored"
    ),
    grid=(2, 2),
    block=128,
    shared=8192,
    tricky="ldmatrix gives lanes what other lanes' addresses point to",
)
def triton_transpose(dice: np.random.Generator) -> Made:
    x = dice.standard_normal((112, 80)).astype(np.float16)
    return [x, zeros(80, 112, dtype=np.float16), np.int32(112), np.int32(80), *scratch()], {1: x.T}


def tensor(a: np.ndarray, box: tuple[int, int], rank: int = 2) -> list[object]:
    """What Gluon passes for a tensor descriptor: its map, extents and strides."""
    extents = [np.uint32(n) for n in a.shape]
    strides = [np.uint64(s // a.itemsize) for s in a.strides]
    return [px.tensor_map(a, box=box, swizzle="128B"), *extents, *strides]


@right(
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "wait"),
        "other warps may wait before the mbarrier is there",
        instead=("PTX9110",),
    ),
    Mutant(
        "no wait",
        drop("wait", "until"),
        ASYNC,
        ("load", "store"),
        "the tile may come later",
        instead=("PTX9110", "PTX9111"),
    ),
    Mutant(
        "half of the bytes expected",
        sub("expect", "8192", "4096"),
        "PTX9118",
        ("load",),
        "the phase ends with half of the tile",
        besides=(ASYNC,),
        instead=(DEADLOCK, "PTX9110"),
    ),
    Mutant("no wait before the exit", drop("drain"), NEVER, ("store",), "shared memory may be gone before it is read"),
    grid=1,
    block=128,
    shared=8200,
    tricky="the issuer of the load is elected, and another elected lane stores what came",
    lenient="no fence behind mbarrier.init, but a barrier",
)
def gluon_tma(dice: np.random.Generator) -> Made:
    x = filled(dice.integers(-100, 100, (64, 64)), np.float16)
    out = zeros(64, 192, dtype=np.float16)
    expected = out.copy()
    expected[:, 64:128] = x
    return [*tensor(x, (64, 64)), *tensor(out, (64, 64)), *scratch()], {12: expected}, [out]


@right(
    Mutant("no wait", drop("wait"), PENDING, ("copy", "load"), "the bytes may come later"),
    Mutant("no commit", drop("commit"), PENDING, ("copy", "load"), "wait_group waits for committed groups alone"),
    grid=1,
    block=128,
    shared=2048,
    tricky="each thread reads what it has copied itself",
)
def gluon_cp_async(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, 512).astype(np.float32)
    return [x, zeros(512), *scratch()], {1: 2 * x}


@right(
    Mutant("nothing given back", drop("release"), DEADLOCK, (), "the loading warp waits for ever"),
    Mutant(
        "given back too early",
        move("read", behind="release"),
        PENDING,
        ("load", "copy"),
        "other warps may still be reading",
    ),
    Mutant(
        "no wait for the tile",
        sub(
            "ready wait",
            "mbarrier.try_wait.parity.shared::cta.b64 complete, [%r15], %r67;",
            "setp.eq.u32 complete, 0, 0;",
        ),
        PENDING,
        ("copy", "load"),
        "the tile may come later",
        besides=("PTX9240",),
        instead=("PTX9112", DEADLOCK),
    ),
    Mutant(
        "no wait for the readers",
        sub(
            "done wait",
            "mbarrier.try_wait.parity.shared::cta.b64 complete, [%r12], %r65;",
            "setp.eq.u32 complete, 0, 0;",
        ),
        PENDING,
        ("load", "copy"),
        "they may still be reading",
        besides=(ASYNC,),
        instead=("PTX9112", DEADLOCK),
    ),
    Mutant(
        "half of the bytes expected",
        sub("expect", "8192", "4096"),
        "PTX9118",
        ("copy",),
        "the phase ends with half of the tile",
        besides=(PENDING,),
        instead=(DEADLOCK, "PTX9112"),
    ),
    grid=1,
    block=256,
    shared=8284,
    tricky="roles in one kernel, handed out through a byte of shared memory; one thread arrives for four warps",
    lenient="no fence behind mbarrier.init, but a barrier",
)
def gluon_specialised(dice: np.random.Generator) -> Made:
    x = filled(dice.integers(-8, 8, (5 * 64, 64)), np.float16)
    expected = x.astype(np.float32).reshape(5, 64, 64).sum(0)
    return [*tensor(x, (64, 64)), zeros(64, 64), np.int32(5), *scratch()], {5: expected}


@right(
    Mutant("no proxy fence", drop("proxy"), PROXY, ("put", "store"), "the copy reads through the async proxy"),
    Mutant(
        "no barrier before the store",
        drop("written"),
        READING,
        ("put", "store"),
        "others may have yet to write",
        besides=(PROXY, PENDING),
    ),
    Mutant(
        "no wait before the next load",
        drop("reuse"),
        ASYNC,
        ("store", "load"),
        "the store may still be reading",
        besides=("PTX9211",),
    ),
    Mutant(
        "no commit",
        drop("commit"),
        ASYNC,
        ("store", "load"),
        "without a group the wait is for nothing",
        besides=("PTX9211",),
    ),
    Mutant("no wait before the exit", drop("drain"), NEVER, ("store",), "the last chunk is never waited for"),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "arrive"),
        "the mbarrier may not be there yet",
        instead=("PTX9110",),
    ),
    grid=1,
    block=128,
    tricky="one mbarrier through three phases, one buffer for both directions",
)
def nvcc_bulk(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, 3 * 1024).astype(np.float32)
    return [x, zeros(3 * 1024), np.int32(3)], {1: 2 * x}


@right(
    Mutant("no wait", drop("wait"), PENDING, ("copy", "get"), "the bytes may come later"),
    Mutant(
        "two groups left pending",
        sub("wait", "1", "2"),
        PENDING,
        ("copy", "get"),
        "the stage that is read is one of the two",
    ),
    Mutant(
        "no barrier behind the wait",
        drop("copied"),
        PENDING,
        ("copy", "get"),
        "each thread has waited for its own copies",
    ),
    Mutant(
        "no barrier behind the reads",
        drop("free"),
        PENDING,
        ("get", "copy"),
        "the next copy overwrites what others still read",
    ),
    Mutant("no barrier behind the parts", drop("parts"), RACE, ("partial", "sum"), "other warps store their sums"),
    grid=2,
    block=128,
    tricky="empty groups make the last waits right",
)
def nvcc_cp_async(dice: np.random.Generator) -> Made:
    x = dice.integers(-100, 100, (2, 2048)).astype(np.float32)
    return [x, zeros(2), np.int32(2048)], {1: x.sum(1)}


@right(
    Mutant("no proxy fence", drop("proxy"), PROXY, ("put", "store"), "the copy reads through the async proxy"),
    Mutant(
        "no barrier before the store",
        drop("written"),
        READING,
        ("put", "store"),
        "others may have yet to write",
        besides=(PROXY,),
    ),
    Mutant(
        "no fences behind init",
        drop("init fence", "init proxy"),
        INIT,
        ("init", "load"),
        "the copy's end is counted through the async proxy",
    ),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "wait"),
        "the mbarrier may not be there yet",
        instead=("PTX9110",),
    ),
    Mutant("no wait before the exit", drop("drain"), NEVER, ("store",), "shared memory may be gone before it is read"),
    grid=(2, 1),
    block=128,
    tricky="bytes come before they are expected; either fence would do for the mbarrier",
)
def nvcc_tma(dice: np.random.Generator) -> Made:
    x, out = filled(dice.integers(-100, 100, (32, 64)), np.int32), zeros(32, 64, dtype=np.int32)
    return [px.tensor_map(x, box=(32, 32)), px.tensor_map(out, box=(32, 32))], {2: x + 1}, [out]
