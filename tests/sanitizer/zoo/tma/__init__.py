"""Copies through tensor maps, and tensor maps that kernels change."""

from __future__ import annotations

import numpy as np

import ptxlab as px

from .. import Edit, Family, Made, Mutant, add, both, drop, move, sub

FAMILY = Family(__name__)
right = FAMILY.right
PENDING, READING, PROXY, INIT, ASYNC, FENCE = "PTX9210", "PTX9211", "PTX9213", "PTX9214", "PTX9215", "PTX9216"
DEADLOCK = "PTX9100"


def tiles(dice: np.random.Generator, *shape: int) -> np.ndarray:
    out = px.empty(shape, np.uint32)
    out[:] = dice.integers(0, 1000, shape)
    return out


def zeros(*shape: int) -> np.ndarray:
    out = px.empty(shape, np.uint32)
    out[:] = 0
    return out


@right(
    Mutant(
        "no wait for the first",
        drop("wait", "until first"),
        PENDING,
        ("load", "read"),
        "nobody waits for the first box",
    ),
    Mutant(
        "second box before its wait",
        move("read second", before="wait second"),
        PENDING,
        ("load second", "read second"),
        "the first mbarrier says nothing of the second box",
    ),
    Mutant(
        "waits at the first mbarrier twice",
        sub("wait second", "bars+8", "bars"),
        PENDING,
        ("load second", "read second"),
        "the first mbarrier says nothing of the second box",
        besides=("PTX9231",),
    ),
    Mutant(
        "boxes overlap",
        sub("second box", "512", "256"),
        ASYNC,
        ("load", "load second"),
        "two copies write the same bytes, and nothing orders them",
        besides=(PENDING, "PTX9240"),
    ),
    Mutant(
        "both at the first mbarrier",
        sub("load second", "[bars+8]", "[bars]"),
        DEADLOCK,
        (),
        "the first phase gets twice its bytes, the second none",
    ),
    Mutant(
        "expects half of a box",
        sub("expect", "512", "256"),
        "PTX9118",
        ("load",),
        "the phase ends with half of the box",
        besides=(PENDING,),
        instead=(DEADLOCK,),
    ),
    Mutant("expects two boxes", sub("expect", "512", "1024"), DEADLOCK, (), "one box comes"),
    Mutant(
        "second mbarrier not initialised",
        drop("init second"),
        "PTX9110",
        ("expect second",),
        "nobody makes the second mbarrier",
    ),
    Mutant(
        "no fence behind init",
        drop("init fence"),
        INIT,
        ("init", "load"),
        "the copy's end is counted through the async proxy",
    ),
    Mutant(
        "no barrier behind init",
        drop("ready"),
        INIT,
        ("init", "wait"),
        "others may wait before the mbarrier is there",
        instead=("PTX9110",),
    ),
    grid=1,
    block=128,
    tricky="one box is read while the other is still under way",
)
def tile_load(dice: np.random.Generator) -> Made:
    a = tiles(dice, 16, 16)
    return [px.tensor_map(a, box=(8, 16)), zeros(16, 16)], {1: a.copy()}


@right(
    Mutant(
        "no proxy fence",
        drop("proxy"),
        PROXY,
        ("stmatrix", "store"),
        "stmatrix writes in the generic proxy, the copy reads through the async proxy",
    ),
    Mutant(
        "fence before stmatrix",
        move("proxy", before="stmatrix"),
        PROXY,
        ("stmatrix", "store"),
        "it fences what comes before it",
    ),
    Mutant(
        "no barrier of the warp",
        drop("full"),
        READING,
        ("stmatrix", "store"),
        "other lanes may have yet to write",
        besides=(PROXY,),
    ),
    Mutant(
        "acquire-release fence",
        sub("proxy", "proxy.async.shared::cta", "acq_rel.cta"),
        PROXY,
        ("stmatrix", "store"),
        "it joins no proxies",
    ),
    Mutant(
        "no wait before the exit", drop("drain"), "PTX9222", ("store",), "shared memory may be gone before it is read"
    ),
    Mutant("no commit", drop("commit"), "PTX9222", ("store",), "wait_group waits for committed groups alone"),
    Mutant(
        "next tile in flight",
        add("st.shared.u32 [mine], 0; //! next", before="drain"),
        READING,
        ("next", "store"),
        "the copy may still be reading",
    ),
    grid=1,
    block=32,
    tricky="lanes write rows of other lanes; a barrier of the warp is enough for its one issuer",
)
def tile_store(dice: np.random.Generator) -> Made:
    bits = dice.integers(0, 1 << 16, (4, 8, 8), np.uint16)
    out = px.empty((32, 8), np.uint16)
    out[:] = 0
    return [fragments(bits), px.tensor_map(out, box=(32, 8))], {2: bits.reshape(32, 8)}, [out]


def fragments(matrices: np.ndarray) -> np.ndarray:
    """What each lane holds of four matrices of 8×8 halves: two of row lane / 4, from column 2 (lane mod 4) on, of each."""
    lane = np.arange(32)
    two = matrices.view(np.uint32)
    return np.stack([two[m, lane // 4, lane % 4] for m in range(4)], axis=1).copy()


@right(
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "reduce"), "the async proxy may read old bytes"),
    Mutant(
        "no second proxy fence",
        drop("proxy again"),
        PROXY,
        ("refill", "reduce again"),
        "the async proxy may read old bytes",
    ),
    Mutant("no wait before reuse", drop("reuse"), READING, ("reduce", "refill"), "the tile may still be read"),
    Mutant("no barrier behind the wait", drop("free"), READING, ("reduce", "refill"), "only one thread has waited"),
    Mutant(
        "no barrier before the reduction",
        drop("full"),
        READING,
        ("fill", "reduce"),
        "other threads may have yet to write",
    ),
    Mutant(
        "no wait before the exit",
        drop("drain"),
        "PTX9222",
        ("reduce again",),
        "shared memory may be gone before it is read",
    ),
    Mutant(
        "a copy instead",
        sub(
            "reduce",
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile",
            "cp.async.bulk.tensor.2d.global.shared::cta.tile",
        ),
        ASYNC,
        ("reduce", "reduce again"),
        "a copy is not atomic: it may wipe out the other CTA's sum",
    ),
    grid=2,
    block=64,
    tricky="unordered reductions of two CTAs to the same tile are atomic",
)
def tile_reduce(dice: np.random.Generator) -> Made:
    a, out = tiles(dice, 2, 8, 8), zeros(8, 8)
    return [a, px.tensor_map(out, box=(8, 8))], {2: 3 * a.sum(0)}, [out]


def bound() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A map of the first of two arrays of 16×16, box 4×16, in memory that kernels may change; and the arrays."""
    one, two = (px.empty((16, 16), np.uint32) for _ in range(2))
    one[:] = np.arange(256).reshape(16, 16)
    two[:] = one + 1000
    m = px.empty(128, np.uint8, align=128)
    m[:] = np.frombuffer(px.tensor_map(one, box=(4, 16)).encode(), np.uint8)
    return m, one, two


@right(
    Mutant("no acquire", drop("acquire"), "PTX9160", ("load",), "the copy may use the map as it was", besides=(FENCE,)),
    Mutant("no release", drop("release"), "PTX9162", ("load",), "the change is not published", besides=(FENCE,)),
    Mutant(
        "acquire before release",
        move("acquire", before="release"),
        FENCE,
        ("replace", "load"),
        "it acquires a change that is not published yet",
        besides=("PTX9160",),
    ),
    Mutant(
        "ordinary fences",
        both(sub("release", "fence.proxy.tensormap::generic.release.gpu", "fence.acq_rel.gpu"), drop("acquire")),
        "PTX9162",
        ("load",),
        "a fence of one proxy joins none",
        besides=(FENCE,),
    ),
    Mutant(
        "async proxy fences",
        both(sub("release", "fence.proxy.tensormap::generic.release.gpu", "fence.proxy.async"), drop("acquire")),
        "PTX9162",
        ("load",),
        "tensor maps have a proxy of their own",
        besides=(FENCE,),
    ),
    Mutant(
        "changed in use", move("replace", before="begin"), "PTX9164", ("replace",), "the copy through it is under way"
    ),
    Mutant(
        "ordinary store into the map",
        sub(
            "replace",
            "tensormap.replace.tile.global_address.global.b1024.b64 [m], b;",
            "st.global.u64 [m], b; fence.acq_rel.gpu; bra.uni ON;",
        ),
        "PTX9163",
        ("load",),
        "an ordinary store, without the map's fences",
        besides=(FENCE,),
    ),
    grid=1,
    block=1,
    tricky="a map is changed between two uses",
)
def map_rebound(dice: np.random.Generator) -> Made:
    m, one, two = bound()
    return [m, two, zeros(2, 4, 16)], {2: np.stack([one[:4], two[:4]])}, [one]


@right(
    Mutant(
        "no barrier behind the copy",
        drop("copied"),
        "PTX9200",
        ("copy", "replace"),
        "lane 0 changes words that other lanes have yet to write",
    ),
    Mutant(
        "no barrier behind the change",
        drop("replaced"),
        "PTX9200",
        ("replace", "publish"),
        "the other lanes may copy the map before it is changed",
    ),
    Mutant(
        "no acquire",
        drop("acquire"),
        "PTX9160",
        ("load",),
        "the copy may find older bytes in the map's cache",
        besides=(FENCE,),
    ),
    Mutant(
        "acquire of another map",
        sub("acquire", "[m]", "[o]"),
        "PTX9160",
        ("load",),
        "the fence is for the 128 bytes that it names",
        besides=(FENCE,),
    ),
    Mutant(
        "one word short",
        both(add("setp.lt.u32 q, t, 31;", before="copy"), sub("copy", "st.", "@q st.")),
        "PTX9240",
        ("replace",),
        "the last word of the map is never written: tensormap.replace takes all 128 bytes, and gives them back",
        besides=("PTX2117",),
    ),
    grid=1,
    block=32,
    tricky="bytes of the map go through shared memory; one instruction publishes them",
)
def map_made_in_shared(dice: np.random.Generator) -> Made:
    m, one, two = bound()
    made = px.empty(128, np.uint8, align=128)
    made[:] = 0
    return [m, two, made, zeros(4, 16)], {3: two[:4].copy()}, [one]


@right(
    Mutant("no acquire", drop("acquire"), "PTX9160", ("load",), "the copy may use the map as it was", besides=(FENCE,)),
    Mutant(
        "no release",
        drop("release"),
        "PTX9162",
        ("load",),
        "the change is not published to other proxies",
        besides=(FENCE,),
    ),
    Mutant(
        "acquire of a CTA",
        sub("acquire", "acquire.gpu", "acquire.cta"),
        "PTX9161",
        ("load",),
        "the change was made in another CTA",
        besides=(FENCE,),
    ),
    Mutant(
        "release of a CTA",
        sub("release", "release.gpu", "release.cta"),
        "PTX9161",
        ("load",),
        "the map is used in another CTA",
        besides=(FENCE,),
    ),
    Mutant(
        "acquire before the poll",
        move("acquire", before="begin"),
        FENCE,
        ("replace", "load"),
        "the map may change behind it",
        besides=("PTX9160",),
    ),
    Mutant(
        "relaxed poll",
        sub("poll", "acquire", "relaxed"),
        FENCE,
        ("replace", "load"),
        "the flag is seen, and nothing acquired",
    ),
    Mutant(
        "no poll",
        add("bra.uni ON;", before="begin"),
        FENCE,
        ("replace", "load"),
        "nothing orders the use behind the change",
        besides=("PTX9164", "PTX9160"),
    ),
    grid=2,
    block=1,
    tricky="the fences of the map are in different CTAs, and a flag orders them",
)
def map_message(dice: np.random.Generator) -> Made:
    m, one, two = bound()
    return [m, two, zeros(32), zeros(4, 16)], {3: two[:4].copy()}, [one]


@right(
    Mutant(
        "descriptor without a swizzle",
        sub("left", "0xC000001000010000", "0x1000080000"),
        "PTX9165",
        ("product",),
        "the tile was written with a swizzle of 32 bytes",
    ),
    Mutant(
        "descriptor of 64 bytes",
        sub("left", "0xC000001000010000", "0x8000001000010000"),
        "PTX9165",
        ("product",),
        "the tile was written with a swizzle of 32 bytes",
    ),
    Mutant(
        "no wait",
        drop("wait", "until"),
        ASYNC,
        ("load", "product"),
        "the operands may come later",
        besides=("PTX9240",),
    ),
    Mutant(
        "one operand expected",
        sub("expect", "2304", "2048"),
        ASYNC,
        ("any load", "product"),
        "the phase may end before both are there",
        besides=("PTX9118",),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "used before the wait",
        move("use", before="product wait"),
        "PTX9133",
        ("product", "use"),
        "the product may not be there",
    ),
    Mutant(
        "left operand twice",
        sub("load right", "[right]", "[left]"),
        ASYNC,
        ("load", "load right"),
        "two copies write the same bytes",
        besides=("PTX9240",),
    ),
    grid=1,
    block=128,
    tricky="bytes lie in another order than in global memory; a unit reads them in the order that another one wrote",
)
def swizzled_operand(dice: np.random.Generator) -> Made:
    a, b = dice.integers(-4, 5, (64, 16)), dice.integers(-4, 5, (8, 16))
    left, right_side = px.empty(a.shape, "bf16"), px.empty(b.shape, "bf16")
    left[...], right_side[...] = a, b
    maps = [px.tensor_map(m, box=m.shape, swizzle="32B") for m in (left, right_side)]
    return [*maps, np.zeros((64, 8), np.float32)], {2: a @ b.T}


TWICE, OVER = "PTX9168", "PTX9218"


def stride(name: str, value: int) -> Edit:
    """Another stride byte offset in a descriptor."""
    return sub(name, "0x4000004000010000", f"{0x4000000000010000 | value >> 4 << 32:#x}")


@right(
    Mutant("stride 0", stride("left", 0), TWICE, ("first",), "all groups of 8 rows are the first one"),
    Mutant("stride of 4 rows", stride("left", 512), TWICE, ("first",), "each group has 4 rows of the one before"),
    Mutant(
        "stride of 4 columns", stride("right", 512), TWICE, ("first",), "each group has 4 columns of the one before"
    ),
    Mutant(
        "base offset",
        sub("left", "0x40000", "0x40020"),
        "PTX9165",
        ("mma",),
        "the tile is aligned, and boxes are swizzled by their addresses",
    ),
    Mutant(
        "steps of 16 bytes",
        both(sub("step left", "2", "1"), sub("step right", "2", "1")),
        TWICE,
        ("first", "second"),
        "half of each product is the one before",
    ),
    Mutant("steps of 16 bytes on one side", sub("step right", "2", "1"), TWICE, ("first", "second"), "columns repeat"),
    Mutant(
        "steps of 64 bytes",
        both(sub("step left", "2", "4"), sub("step right", "2", "4")),
        OVER,
        ("over",),
        "the third step begins in the next row, and the last row is behind the box",
        besides=("PTX9240",),
    ),
    Mutant(
        "64 bytes on",
        add("add.u64 da, da, 4;", behind="left"),
        OVER,
        ("over",),
        "the third step begins in the next row, and the last row is behind the box",
    ),
    Mutant(
        "8 rows on",
        add("add.u64 da, da, 64;", behind="left"),
        OVER,
        ("mma",),
        "the last 8 rows are those of the other operand",
    ),
    grid=1,
    block=128,
)
def descriptor_steps(dice: np.random.Generator) -> Made:
    a, b = dice.integers(-4, 5, (64, 64)), dice.integers(-4, 5, (16, 64))
    left, right_side = px.empty(a.shape, "bf16"), px.empty(b.shape, "bf16")
    left[...], right_side[...] = a, b
    maps = [px.tensor_map(m, box=m.shape, swizzle="128B") for m in (left, right_side)]
    return [*maps, np.zeros((64, 16), np.float32)], {2: a @ b.T}


@right(
    Mutant("no release", drop("release"), FENCE, ("copy", "load"), "the stores stay in the generic proxy"),
    Mutant("no acquire", drop("acquire"), FENCE, ("copy", "load"), "the SM may have the bytes of before"),
    Mutant(
        "release before the stores",
        move("release", before="copy"),
        FENCE,
        ("copy", "load"),
        "it releases what comes before it",
    ),
    Mutant(
        "no barrier",
        drop("there"),
        FENCE,
        ("copy", "load"),
        "the map may be copied later",
    ),
    grid=1,
    block=64,
    tricky="the map is made by ordinary stores, and 32 threads release their words of it",
)
def map_copied(dice: np.random.Generator) -> Made:
    a = px.empty((4, 16), "u32")
    a[...] = dice.integers(0, 1000, (4, 16))
    return [px.tensor_map(a, box=a.shape), zeros(32), zeros(64)], {2: a.reshape(-1)}
