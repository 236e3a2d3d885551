"""wgmma: shared memory that it reads, registers in flight, groups."""

from __future__ import annotations

import ml_dtypes
import numpy as np

import ptxlab as px

from .. import Family, Made, Mutant, add, both, drop, move, sub

FAMILY = Family(__name__)
right = FAMILY.right
PENDING, READING, PROXY, INIT, ASYNC = "PTX9210", "PTX9211", "PTX9213", "PTX9214", "PTX9215"
REGISTERS, FENCE, NEVER = "PTX9133", "PTX9221", "PTX9222"
DEADLOCK = "PTX9100"


def matrices(dice: np.random.Generator, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """A of 64 rows, B of 8 columns, for each of `steps` steps of 16 along k: small whole numbers."""
    return dice.integers(-4, 5, (steps, 64, 16)), dice.integers(-4, 5, (steps, 16, 8))


def core(lines: np.ndarray) -> np.ndarray:
    """Matrices of rows of 16 as wgmma reads them without a swizzle: 8 rows of 8 halves, then the next 8 along k."""
    steps, rows, _ = lines.shape
    blocks = lines.reshape(steps, rows // 8, 8, 2, 8).transpose(0, 1, 3, 2, 4)
    out = px.empty(blocks.shape, ml_dtypes.bfloat16)
    out[:] = blocks
    return out


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


@right(
    Mutant(
        "no proxy fence", drop("proxy"), PROXY, ("fill", "mma"), "wgmma reads shared memory through the async proxy"
    ),
    Mutant(
        "fence before the stores",
        move("proxy", before="fill"),
        PROXY,
        ("fill", "mma"),
        "it fences what comes before it",
    ),
    Mutant(
        "no barrier",
        drop("full"),
        READING,
        ("fill right", "mma"),
        "other warps may have yet to write",
        besides=(PROXY,),
    ),
    Mutant("no wait", drop("wait"), REGISTERS, ("mma", "use"), "the product may not be there"),
    Mutant(
        "one group left pending",
        sub("wait", "0", "1"),
        REGISTERS,
        ("mma", "use"),
        "there is but one group, so the wait waits for nothing",
    ),
    Mutant("no commit", drop("commit"), REGISTERS, ("mma", "use"), "wait_group waits for committed groups alone"),
    Mutant(
        "use before the wait", move("use", before="wait"), REGISTERS, ("mma", "use"), "the product may not be there"
    ),
    Mutant(
        "operand overwritten in flight",
        add("st.shared.u32 [left], 0; //! late", before="wait"),
        READING,
        ("late", "mma"),
        "the tensor core may still be reading",
        besides=("PTX9200",),
    ),
    Mutant(
        "descriptor behind the operand",
        add("add.u64 da, da, 16;", behind="left"),
        "PTX9218",
        ("mma",),
        "it begins 256 bytes too far, and ends in the array behind it",
        besides=("PTX9240",),
    ),
    Mutant(
        "three warps",
        add("setp.ge.u32 p, t, 96; @p bra DONE;", behind="full"),
        DEADLOCK,
        (),
        "a product takes four warps",
    ),
    Mutant(
        "result unused and unwaited",
        both(drop("wait"), drop("use"), drop("use too")),
        NEVER,
        ("mma",),
        "nobody waits for the product",
    ),
    Mutant(
        "half of A filled",
        both(add("setp.lt.u32 p, t, 64;", before="fill"), sub("fill", "st.", "@p st.")),
        "PTX9240",
        ("mma",),
        "rows of A are never written",
    ),
    grid=1,
    block=128,
    tricky="operands that threads wrote are read by a unit; accumulators are never written before",
)
def filled_by_threads(dice: np.random.Generator) -> Made:
    a, b = matrices(dice, 1)
    return [core(a), core(b.transpose(0, 2, 1)), zeros(64, 8)], {2: (a @ b)[0]}


@right(
    Mutant(
        "accumulator not cleared", drop("zero"), "PTX9241", ("first",), "the sum begins with what was in a register"
    ),
    Mutant(
        "no fence behind the zeros", drop("fence"), FENCE, ("zeros", "first"), "the product may read older registers"
    ),
    Mutant(
        "fence before the zeros",
        move("fence", before="zero"),
        FENCE,
        ("zeros", "first"),
        "registers are written behind it",
    ),
    Mutant(
        "register touched between",
        add("add.f32 d0, d0, d0; //! touch", before="second"),
        REGISTERS,
        ("first", "touch"),
        "the first product is in flight",
        besides=(FENCE,),
    ),
    Mutant(
        "register written between",
        add("mov.f32 d1, 0f3F800000; //! touch", before="second"),
        REGISTERS,
        ("first", "touch"),
        "the first product is in flight",
        besides=(FENCE,),
    ),
    Mutant("no wait", drop("wait"), REGISTERS, ("second", "use"), "neither product may be there"),
    Mutant(
        "two groups, one waited for",
        both(add("wgmma.commit_group.sync.aligned;", before="next left"), sub("wait", "0", "1")),
        REGISTERS,
        ("second", "use"),
        "the second product is the group that is left",
    ),
    Mutant("no commit", drop("commit"), REGISTERS, ("second", "use"), "wait_group waits for committed groups alone"),
    Mutant(
        "no wait for the operands",
        drop("wait full", "until full"),
        ASYNC,
        ("load", "first"),
        "the bytes may come later",
        besides=("PTX9240",),
    ),
    Mutant(
        "one of two loads expected",
        sub("expect", "4608", "4096"),
        ASYNC,
        ("bring", "first"),
        "the phase may end before the last bytes come",
        besides=("PTX9118",),
        instead=(DEADLOCK,),
    ),
    Mutant(
        "next load in flight",
        add(
            "@p cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [left], [a], 4096, [full]; //! late",
            before="wait",
        ),
        ASYNC,
        ("first", "late"),
        "the tensor core may still be reading",
        besides=("PTX9118", NEVER),
    ),
    Mutant(
        "step behind the operands",
        sub("next left", "128", "256"),
        "PTX9122",
        ("second",),
        "it reads beyond shared memory",
    ),
    grid=1,
    block=128,
    tricky="two products in flight on one accumulator; operands from bulk copies need no proxy fence",
)
def chained(dice: np.random.Generator) -> Made:
    a, b = matrices(dice, 2)
    return [core(a), core(b.transpose(0, 2, 1)), zeros(64, 8)], {2: (a @ b).sum(0)}


def fragments(a: np.ndarray) -> np.ndarray:
    """A as the threads of a warpgroup hold it: rows lane / 4 and 8 below, columns 2 (lane mod 4) and 8 on, two halves each."""
    t = np.arange(128)
    row, column = t // 32 * 16 + t % 32 // 4, t % 4
    two = a.astype(ml_dtypes.bfloat16).view(np.uint32)
    return np.stack([two[:, row + r, column + c] for c in (0, 4) for r in (0, 8)], axis=-1).copy()


@right(
    Mutant(
        "A loaded in flight",
        move("load again", before="wait"),
        REGISTERS,
        ("first", "load again"),
        "the first product may still read its registers",
        besides=(FENCE,),
    ),
    Mutant(
        "no wait before the loads",
        drop("wait"),
        REGISTERS,
        ("first", "load again"),
        "the first product may still read its registers",
        besides=(FENCE,),
    ),
    Mutant(
        "no fence behind the loads", drop("fence"), FENCE, ("load", "first"), "the product may read older registers"
    ),
    Mutant(
        "no second fence", drop("fence again"), FENCE, ("load again", "second"), "the product may read older registers"
    ),
    Mutant("no second wait", drop("wait again"), REGISTERS, ("second", "use second"), "the product may not be there"),
    Mutant(
        "second used too early",
        move("use second", before="use first"),
        REGISTERS,
        ("second", "use second"),
        "it is used before the wait",
    ),
    Mutant(
        "no commit of the second",
        drop("commit again"),
        REGISTERS,
        ("second", "use second"),
        "wait_group waits for committed groups alone",
    ),
    Mutant("no proxy fence", drop("proxy"), PROXY, ("fill", "first"), "B is read through the async proxy"),
    grid=1,
    block=128,
    tricky="the first accumulator is used while the second product is in flight; operands are reused behind a wait",
)
def registers_a(dice: np.random.Generator) -> Made:
    a, b = matrices(dice, 2)
    b = b[:1]
    return [fragments(a), core(b.transpose(0, 2, 1)), zeros(2, 64, 8)], {2: a @ b}


@right(
    Mutant(
        "two products left pending",
        sub("wait", "1", "2"),
        ASYNC,
        ("mma", "load"),
        "the stage that is given back may still be read",
    ),
    Mutant(
        "no wait in the loop", drop("wait"), ASYNC, ("mma", "load"), "the stage that is given back may still be read"
    ),
    Mutant(
        "own stage given back",
        both(drop("last stage"), sub("release", "@!q ", "")),
        ASYNC,
        ("mma", "load"),
        "the product that reads this stage is in flight",
        besides=("PTX9112",),
    ),
    Mutant(
        "release before the wait",
        move("wait", behind="release"),
        ASYNC,
        ("mma", "load"),
        "the stage is given back before its product is over",
    ),
    Mutant(
        "producer does not wait",
        drop("wait empty", "until empty"),
        ASYNC,
        ("mma", "load"),
        "the stage may still be read",
        besides=("PTX9118",),
        instead=("PTX9112", DEADLOCK),
    ),
    Mutant(
        "consumers do not wait",
        drop("wait full", "until full"),
        ASYNC,
        ("load", "mma"),
        "the bytes may come later",
        besides=("PTX9240",),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant("no fence behind the zeros", drop("fence"), FENCE, ("zeros", "mma"), "the product may read older registers"),
    Mutant("no last wait", drop("last wait"), REGISTERS, ("mma", "use"), "the last product is in flight"),
    Mutant(
        "last wait leaves one",
        sub("last wait", "0", "1"),
        REGISTERS,
        ("mma", "use"),
        "the last product is the group that is left",
    ),
    Mutant(
        "one warp gives back",
        sub("init empty", "128", "32"),
        "PTX9231",
        (),
        "a stage is empty again when a quarter has arrived; phases run away",
        besides=(ASYNC,),
        instead=("PTX9112", DEADLOCK),
    ),
    Mutant(
        "accumulator read in the loop",
        add("add.f32 d0, d0, d0; //! touch", behind="wait"),
        REGISTERS,
        ("mma", "touch"),
        "one product is in flight behind wait_group 1",
        besides=(FENCE,),
    ),
    grid=1,
    block=160,
    tricky="wait_group 1 in a loop over one accumulator: a stage is given back a turn later",
)
def ring(dice: np.random.Generator) -> Made:
    a, b = matrices(dice, 5)
    return [core(a), core(b.transpose(0, 2, 1)), zeros(64, 8)], {2: (a @ b).sum(0)}


@right(
    Mutant(
        "no wait for the scores",
        drop("wait scores"),
        REGISTERS,
        ("scores", "cut"),
        "the scores may not be there",
        besides=(FENCE,),
    ),
    Mutant(
        "no fence behind the cut",
        drop("fence again"),
        FENCE,
        ("cut last", "sum"),
        "the product may read older registers",
    ),
    Mutant(
        "scores of the next tile in flight",
        drop("wait sum"),
        ASYNC,
        ("sum", "load values"),
        "the stage is given back while the second product reads it",
        besides=(REGISTERS, "PTX9133", FENCE),
    ),
    Mutant(
        "release before the sum",
        move("release", before="fence again"),
        ASYNC,
        ("sum", "load values"),
        "the values may be overwritten",
    ),
    Mutant(
        "no wait for the queries",
        drop("wait queries", "until queries"),
        ASYNC,
        ("load queries", "scores"),
        "the queries may come later",
        besides=("PTX9240",),
    ),
    Mutant(
        "no wait for keys and values",
        drop("wait full", "until full"),
        ASYNC,
        ("load keys", "scores"),
        "the keys may come later",
        besides=("PTX9240",),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "producer does not wait",
        drop("wait empty", "until empty"),
        ASYNC,
        ("sum", "load values"),
        "the stage may still be read",
        besides=("PTX9118",),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant(
        "keys alone expected",
        sub("expect", "768", "512"),
        ASYNC,
        ("load values", "sum"),
        "the phase may end without the values",
        besides=("PTX9118",),
        instead=(DEADLOCK, "PTX9112"),
    ),
    Mutant("sums not cleared", drop("zero"), "PTX9241", ("sum",), "sums begin with what was in a register"),
    Mutant(
        "no commit of the scores",
        drop("commit scores"),
        REGISTERS,
        ("scores", "cut"),
        "wait_group waits for committed groups alone",
        besides=(FENCE,),
    ),
    grid=1,
    block=160,
    tricky="results of one product are operands of the next, in registers, tile after tile",
)
def attention(dice: np.random.Generator) -> Made:
    q, k, v = (dice.integers(-2, 3, shape) for shape in ((1, 64, 16), (3, 16, 16), (3, 16, 8)))
    scores = np.maximum(q @ k.transpose(0, 2, 1), 0)
    return [core(q), core(k), core(v.transpose(0, 2, 1)), zeros(64, 8)], {3: (scores @ v).sum(0)}
