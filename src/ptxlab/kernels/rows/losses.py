"""Cross-entropy of the rows of a matrix of scores, and its gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ptxlab import ArrayView, Diagnostic, Launch, user_span
from ptxlab.kernels.rows.call import layout_of, matrix, prepared, vector
from ptxlab.kernels.rows.numbers import exponential, joined, logarithm
from ptxlab.kernels.rows.scores import powers_of
from ptxlab.kernels.rows.skeleton import NEUTRAL, Rows

PIECE = 4096
"""Columns of a piece of a row's gradient, where nothing is summed over the row."""
STEP = 8192
"""Columns of a row that its threads look at in one step."""
INDICES = ("int32", "int64")


def cross_entropy(
    x: Any,
    targets: Any,
    loss: Any,
    *,
    lse: Any = None,
    ignore_index: int = -100,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """loss = log Σ exp(x) - x[target], for each row of x.

    Args:
        x: rows × columns of bf16, f16 or f32, up to 262,144 columns. targets: a column for each row, int32 or int64.
        loss: the result, a float32 for each row; 0 where the target is `ignore_index`, NaN where it is no column.
        lse: a second result, log Σ exp(x) of each row in float32.
        ignore_index: the target of rows that do not count. device, stream: as in `Kernel.launch`.

    Rows of x have neighbouring elements and may be padded. A row of nothing but -inf, or without columns, has -inf as lse.

    Raises: Diagnostic PTX2307 for other dtypes, PTX2308 for shapes that do not belong together and rows that are too wide, PTX2309
        for elements that are not neighbours, PTX2305 for an `ignore_index` that is no number of 64 bits, and what `Kernel.launch`
        raises.

    Example:
        from ptxlab.kernels.rows import cross_entropy

        x, targets, loss = px.empty((3, 4), "f32"), np.array([2, -100, 0], np.int32), px.empty(3, "f32")
        x[...] = 5
        cross_entropy(x, targets, loss)
        print(loss)  # [1.3862944 0.        1.3862944]
    """
    prepare_cross_entropy(x, targets, loss, lse=lse, ignore_index=ignore_index, device=device, stream=stream)()


def prepare_cross_entropy(
    x: Any,
    targets: Any,
    loss: Any,
    *,
    lse: Any = None,
    ignore_index: int = -100,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`cross_entropy`, checked, packed and loaded once. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_cross_entropy

        x, targets = px.empty((3, 4), "f32"), np.array([2, -100, 0])
        loss, lse = px.empty(3, "f32"), px.empty(3, "f32")
        x[...] = 5
        launch = prepare_cross_entropy(x, targets, loss, lse=lse)
        launch()
        print(lse[1])  # 6.3862944
    """
    arrays = {"x": matrix("x", x)}
    arrays |= _numbers(arrays["x"].shape[0], targets, {"loss": loss, **({} if lse is None else {"lse": lse})})
    layout = layout_of(arrays, step=STEP)
    return prepared(cross_entropy_rows, arrays, _ignored(ignore_index), layout=layout, device=device, stream=stream)


def cross_entropy_backward(
    dloss: Any,
    x: Any,
    targets: Any,
    lse: Any,
    dx: Any,
    *,
    ignore_index: int = -100,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """The gradient of `cross_entropy`: dx = (softmax(x) - [column = target]) · dloss, for each row of x.

    Args:
        dloss: the gradient of the loss, a float32 for each row. x, targets, ignore_index: as in `cross_entropy`.
        lse: None: the softmax is computed anew from x, which has to be read anyway. Or log Σ exp(x) of each row, as
            `cross_entropy` wrote it: threads that share a row then need not meet, and x may be a part of the columns.
        dx: the result, of the shape of x, in bf16, f16 or f32; it may be x.
        device, stream: as in `Kernel.launch`.

    Rows that do not count get zeros, and rows whose target is no column NaN. Without lse, f32 has errors no larger than those of
    PyTorch. With it, probabilities are as exact as lse: half a unit in its last place is their relative error, which counts for
    f32 and large scores alone.

    Raises: Diagnostic as `cross_entropy`.

    Example:
        from ptxlab.kernels.rows import cross_entropy, cross_entropy_backward

        x, targets = px.empty((3, 4), "f32"), np.array([2, -100, 0], np.int32)
        loss, dloss = px.empty(3, "f32"), px.empty(3, "f32")
        x[...], dloss[...] = 5, 0.5  # the mean over two rows that count
        cross_entropy(x, targets, loss)
        cross_entropy_backward(dloss, x, targets, None, x)
        print(x[0], x[1])  # [ 0.125  0.125 -0.375  0.125] [0. 0. 0. 0.]
    """
    prepare_cross_entropy_backward(
        dloss, x, targets, lse, dx, ignore_index=ignore_index, device=device, stream=stream
    )()


def prepare_cross_entropy_backward(
    dloss: Any,
    x: Any,
    targets: Any,
    lse: Any,
    dx: Any,
    *,
    ignore_index: int = -100,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`cross_entropy_backward`, checked, packed and loaded once. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_cross_entropy_backward

        x, targets, dx = px.empty((3, 4), "f32"), np.array([2, -100, 0]), px.empty((3, 4), "f32")
        lse, dloss = px.empty(3, "f32"), px.empty(3, "f32")
        x[...], lse[...], dloss[...] = 0, np.log(4), 1
        launch = prepare_cross_entropy_backward(dloss, x, targets, lse, dx)
        launch()
        print(dx[0])  # [ 0.25  0.25 -0.75  0.25]
    """
    arrays = {"x": matrix("x", x)}
    arrays["dx"] = matrix("dx", dx, arrays["x"])
    arrays |= _numbers(arrays["x"].shape[0], targets, {"dloss": dloss, **({} if lse is None else {"lse": lse})})
    layout = layout_of(arrays)
    if lse is not None and not layout.shifted and arrays["x"].shape[1] > PIECE:
        layout = layout_of(arrays, piece=PIECE)
    return prepared(
        cross_entropy_gradients, arrays, _ignored(ignore_index), layout=layout, device=device, stream=stream
    )


def _numbers(rows: int, targets: Any, others: dict[str, Any]) -> dict[str, ArrayView]:
    """What there is for each row."""
    made = {name: vector(name, a, rows, ("float32",)) for name, a in others.items()}
    return {"targets": vector("targets", targets, rows, INDICES), **made}


def _ignored(index: int) -> dict[str, int]:
    if not -(2**63) <= index < 2**63:
        raise Diagnostic(
            "PTX2305",
            f"No target is {index}: it takes more than 64 bits.",
            help="ignore_index= is an int of 64 bits, e.g. -100",
            origin=user_span(),
        )
    return {"ignored": index}


def cross_entropy_rows(r: Rows) -> None:
    """The kernel of `cross_entropy`."""
    k, exact = r.k, r.operands["x"].kind == "f32"
    with r.loop():
        target, valid, counts = _target(r)
        mine = r.element("x", k.cvt.u32.s64(target), r.there & valid)
        largest, total = _powers_by_steps(r, exact=exact)
        rest = logarithm(k, total)
        if "lse" in r:
            r.set_number("lse", k.selp.f32(largest, k.add.rn.f32(largest, rest), largest == NEUTRAL["max"]))
        # in this order a small loss keeps its digits
        loss = k.selp.f32(k.add.rn.f32(k.sub.rn.f32(largest, mine), rest), float("nan"), valid)
        r.set_number("loss", k.selp.f32(loss, 0.0, counts))


def _powers_by_steps(r: Rows, *, exact: bool) -> tuple[Any, Any]:
    """The largest x of the row, and Σ exp(x - largest): threads keep nothing else of it, whatever its width.

    A thread's sum belongs to the largest x that it has seen. -inf alone has no exponential without that: 0 takes its place.
    """
    k = r.k
    largest, total = k.mov.f32(NEUTRAL["max"]), k.mov.f32(0.0)

    def lowered(x: Any, most: Any) -> Any:
        return exponential(k, k.sub.rn.f32(x, k.selp.f32(0.0, most, most == NEUTRAL["max"])), exact=exact)

    with r.steps("x", NEUTRAL["max"]) as x:
        most = k.max.NaN.f32(largest, joined(k, "max", x))
        some = joined(k, "add", [lowered(a, most) for a in x])
        k.fma.rn.f32(total, lowered(largest, most), some, d=total)
        k.mov.f32(most, d=largest)
    most = r.reduce(("max", largest))[0]
    return most, r.reduce(("add", k.mul.rn.f32(total, lowered(largest, most))))[0]


def cross_entropy_gradients(r: Rows) -> None:
    """The kernel of `cross_entropy_backward`."""
    k = r.k
    with r.loop("x", neutral=NEUTRAL["max"]):
        target, valid, counts = _target(r)
        column = k.cvt.u32.s64(target)
        column = column if r.offset is None else column - r.offset
        dloss = k.selp.f32(r.number("dloss"), float("nan"), valid)
        powers, factor = _powers(r, dloss)

        def dx(i: int, power: Any) -> Any:
            vector, element = divmod(i, r.layout.elements)
            less = k.selp.f32(k.neg.f32(dloss), 0.0, r.first[vector] + element == column)
            return k.selp.f32(k.fma.rn.f32(power, factor, less), 0.0, counts)

        r.store("dx", (dx(i, power) for i, power in enumerate(powers)))


def _powers(r: Rows, dloss: Any) -> tuple[Iterable[Any], Any]:
    """Exponentials of the row, and by what they are multiplied to become probabilities · dloss."""
    k, exact = r.k, r.operands["dx"].kind == "f32"
    if "lse" in r:
        lse = r.number("lse")
        return (exponential(k, k.sub.rn.f32(x, lse), exact=exact) for x in r.load("x")), dloss
    powers, total = powers_of(r, exact=exact)
    return powers(), k.div.rn.f32(dloss, total)


def _target(r: Rows) -> tuple[Any, Any, Any]:
    """The row's target, whether it is a column, and whether the row counts."""
    k, target = r.k, r.number("targets")
    if target.scalar.bits == 32:
        target = k.cvt.s64.s32(target)
    valid = (target >= 0) & (target < k.cvt.s64.u32(r.columns))
    return target, valid, target != r.given["ignored"]
