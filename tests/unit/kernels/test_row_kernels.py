"""Kernels on rows in the simulator, held to float64 of NumPy: results, red zones around them, schedules, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import rows
from ptxlab.kernels.rows import layout as layouts
from ptxlab.kernels.rows.call import layout_of, matrix
from ptxlab.kernels.rows.gradients import layer_norm_gradients, rms_norm_gradients
from ptxlab.kernels.rows.layout import LIGHT, ONE_ROW, SUMS, THREE_ROWS, choose, staged
from ptxlab.kernels.rows.losses import cross_entropy_gradients
from ptxlab.kernels.rows.norms import layer_norm_rows, rms_norm_rows
from ptxlab.kernels.rows.scores import softmax_rows
from ptxlab.kernels.rows.skeleton import Body, Operand, row_kernel

DTYPES = [np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)]
EPSILON = dict(zip(DTYPES, (2.0**-8, 2.0**-11, 2.0**-24), strict=True))
"""Half a unit in the last place of 1."""
LEAST = dict(zip(DTYPES, (2.0**-126, 2.0**-14, 2.0**-126), strict=True))
"""The smallest normal numbers."""
RED = 77.0
SHAPES = [
    # rows, columns, padding behind a row, elements in front of all
    (5, 1, 0, 0),
    (40, 8, 0, 0),
    (9, 37, 0, 1),
    (9, 100, 4, 0),
    (3, 1001, 3, 0),
    (3, 2049, 0, 3),
    (2, 4096, 8, 0),
    (2, 16385, 0, 0),
    (1, 40_960, 0, 0),
]
ALL_TYPES = pytest.mark.parametrize("dtype", DTYPES, ids=str)
CASES = [
    *((shape, DTYPES[0]) for shape in SHAPES),
    *((shape, DTYPES[1]) for shape in SHAPES[1::3]),
    *((shape, DTYPES[2]) for shape in SHAPES[::2]),
]
"""All shapes in bf16. f16 differs by conversions alone, f32 by the elements of a vector: a few shapes of each kind of layout."""
EACH = pytest.mark.parametrize(("shape", "dtype"), CASES, ids=str)
SCHEDULES = ("eager", "late", "random")

Shape = tuple[int, int, int, int]


class Room:
    """A matrix with red zones around it and between its rows."""

    def __init__(self, shape: Shape, dtype: Any, values: Any = None) -> None:
        count, columns, pad, before = shape
        self.flat = px.empty(before + count * (columns + pad) + 16, dtype)
        self.flat[...] = RED
        self.matrix = self.flat[before : before + count * (columns + pad)].reshape(count, columns + pad)[:, :columns]
        if values is not None:
            self.matrix[...] = values

    def read(self) -> np.ndarray:
        """The matrix as float64; what lies around it is as it was."""
        found = self.matrix.astype(np.float64)
        self.matrix[...] = RED
        assert (self.flat == np.asarray(RED).astype(self.flat.dtype)).all()
        return found


def numbers(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape) * scale


def line(values: np.ndarray, dtype: Any) -> Any:
    out = px.empty(values.shape, dtype)
    out[...] = values
    return out


def finished(launch: Any, schedule: str = "random") -> None:
    for one in getattr(launch, "_launches", [launch]):
        assert not one(schedule=schedule, seed=3, sanitize=True).findings


def check(found: np.ndarray, wanted: np.ndarray, dtype: Any, ulps: float, magnitude: Any = None) -> None:
    """`ulps`: errors of f32 relative to the result, or to `magnitude`, beside the rounding to the type."""
    assert (np.isnan(found) == np.isnan(wanted)).all()
    scale = np.abs(wanted) if magnitude is None else np.maximum(magnitude, np.abs(wanted))
    own = EPSILON[dtype] * np.maximum(np.abs(wanted), LEAST[dtype])
    bound = own * (1 + 2.0**-7) + ulps * 2.0**-24 * scale + 2.0**-126
    assert not (np.abs(found - wanted) > bound).any(), (np.abs(found - wanted) / bound).max()


def f64(x: Any) -> np.ndarray:
    return x.astype(np.float64)


# --- results: forward ----------------------------------------------------------------------------------------------------
def rms(x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    return x / np.sqrt((x * x).mean(1, keepdims=True) + eps)


def layer(x: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    x = x - x.mean(1, keepdims=True)
    return rms(x, eps)


@EACH
def test_rms_norm(shape: Shape, dtype: Any) -> None:
    x, y = Room(shape, dtype, numbers(*shape[:2])), Room(shape, dtype)
    weight = line(numbers(shape[1], seed=1), dtype)
    finished(rows.prepare_rms_norm(x.matrix, y.matrix, weight))
    wanted = rms(f64(x.matrix)) * f64(weight)
    check(y.read(), wanted, dtype, ulps=8)


@EACH
def test_layer_norm(shape: Shape, dtype: Any) -> None:
    """The mean is rounded to f32, which counts beside what is left without it."""
    x, y = Room(shape, dtype, numbers(*shape[:2]) + 3), Room(shape, dtype)
    weight, bias = line(numbers(shape[1], seed=1), dtype), line(numbers(shape[1], seed=2), np.float32)
    finished(rows.prepare_layer_norm(x.matrix, y.matrix, weight, bias))
    given = f64(x.matrix)
    spread = np.sqrt(given.var(1, keepdims=True) + 1e-5)
    inputs = (np.abs(given).max(1, keepdims=True) / spread + 4) * np.abs(f64(weight)) + np.abs(f64(bias))
    check(y.read(), layer(given) * f64(weight) + f64(bias), dtype, ulps=8, magnitude=inputs)


@pytest.mark.parametrize(
    ("shape", "schedule"),
    [
        ((9, 37, 0, 1), "random"),
        ((300, 64, 0, 0), "late"),
        ((2, 4096, 0, 0), "random"),
        *(((2, 20000, 0, 0), schedule) for schedule in SCHEDULES),
    ],
    ids=str,
)
@pytest.mark.parametrize("norm", [rows.prepare_rms_norm, rows.prepare_layer_norm])
def test_a_residual_is_added_and_kept(shape: Shape, norm: Callable[..., Any], schedule: str) -> None:
    """The same bits as an addition of its own and a norm without one."""
    dtype = DTYPES[0]
    x, residual, kept, y, apart = (Room(shape, dtype, numbers(*shape[:2], seed=i)) for i in range(5))
    wanted = (x.matrix.astype(np.float32) + residual.matrix.astype(np.float32)).astype(dtype)
    finished(norm(x.matrix, y.matrix, residual=residual.matrix, kept=kept.matrix), schedule)
    assert kept.matrix.tobytes() == wanted.tobytes()
    finished(norm(kept.matrix, apart.matrix), schedule)
    assert y.matrix.tobytes() == apart.matrix.tobytes()
    for room in (kept, y):
        room.read()
    norm(x.matrix, x.matrix, residual=residual.matrix, kept=residual.matrix)()  # in place
    assert residual.matrix.tobytes() == wanted.tobytes()
    assert x.read().tobytes() == apart.read().tobytes()


# --- results: gradients --------------------------------------------------------------------------------------------------
def gradients(x: np.ndarray, g: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of centred x for the gradient g of its norm; x as it was normalized; and the magnitudes that f32 adds up."""
    scale = 1 / np.sqrt((x * x).mean(1, keepdims=True) + eps)
    x = x * scale
    dx = scale * (g - x * (g * x).mean(1, keepdims=True))
    return dx, x, scale * (np.abs(g) + np.abs(x) * np.abs(g * x).mean(1, keepdims=True))


@EACH
@pytest.mark.parametrize("kept", [False, True])
def test_rms_norm_backward(shape: Shape, dtype: Any, *, kept: bool) -> None:
    x, dy, dkept = (Room(shape, dtype, numbers(*shape[:2], seed=i)) for i in range(3))
    dx, dweight = Room(shape, dtype), Room((1, shape[1], 0, 1), dtype)
    weight = line(numbers(shape[1], seed=4), dtype)
    more: dict[str, Any] = {"dkept": dkept.matrix} if kept else {"dweight": dweight.matrix[0]}
    finished(rows.prepare_rms_norm_backward(dy.matrix, x.matrix, dx.matrix, weight, **more))
    wanted, unit, inputs = gradients(f64(x.matrix), f64(dy.matrix) * f64(weight), 1e-6)
    if kept:
        wanted, inputs = wanted + f64(dkept.matrix), inputs + np.abs(f64(dkept.matrix))
    check(dx.read(), wanted, dtype, ulps=16, magnitude=inputs)
    if not kept:
        products = f64(dy.matrix) * unit
        check(dweight.read()[0], products.sum(0), dtype, ulps=16, magnitude=np.abs(products).sum(0))


@EACH
def test_layer_norm_backward(shape: Shape, dtype: Any) -> None:
    """The mean of x is rounded to f32, which counts beside what is left without it."""
    x, dy = Room(shape, dtype, numbers(*shape[:2])), Room(shape, dtype, numbers(*shape[:2], seed=1))
    dx, dweight, dbias = Room(shape, dtype), Room((1, shape[1], 0, 1), dtype), Room((1, shape[1], 0, 3), np.float32)
    weight = line(numbers(shape[1], seed=4), dtype)
    finished(
        rows.prepare_layer_norm_backward(
            dy.matrix, x.matrix, dx.matrix, weight, dweight=dweight.matrix[0], dbias=dbias.matrix[0]
        )
    )
    given, g = f64(x.matrix), f64(dy.matrix) * f64(weight)
    centred = given - given.mean(1, keepdims=True)
    wanted, unit, inputs = gradients(centred, g, 1e-5)
    wanted -= g.mean(1, keepdims=True) / np.sqrt(given.var(1, keepdims=True) + 1e-5)
    inputs = inputs + inputs.mean(1, keepdims=True)
    check(dx.read(), wanted, dtype, ulps=16, magnitude=inputs)
    products = np.abs(f64(dy.matrix)) * (np.abs(unit) + 1)
    check(dweight.read()[0], (f64(dy.matrix) * unit).sum(0), dtype, ulps=16, magnitude=products.sum(0))
    check(dbias.read()[0], f64(dy.matrix).sum(0), DTYPES[2], ulps=16, magnitude=products.sum(0))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("columns", [64, 1000, 20_000])
def test_gradients_of_weights_are_the_same_bits_in_each_run(
    columns: int, schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warp or CTA sums many rows; some of the last ones have none, which without eps would be 0 · ∞."""
    for where in ("call", "gradients"):
        monkeypatch.setattr(f"ptxlab.kernels.rows.{where}.device_of", lambda array: px.Device("few", 2))
    x, dy = line(numbers(301, columns), np.float32), line(numbers(301, columns, seed=1), np.float32)
    dx, dweight = px.empty(x.shape, "f32"), px.empty(columns, "f32")
    launch = rows.prepare_rms_norm_backward(dy, x, dx, dweight=dweight, eps=0.0)
    finished(launch, schedule)
    products = f64(dy) * rms(f64(x), 0.0)
    check(f64(dweight), products.sum(0), DTYPES[2], ulps=16, magnitude=np.abs(products).sum(0))
    before = dweight.tobytes()
    launch()
    assert dweight.tobytes() == before


# --- results: softmax ----------------------------------------------------------------------------------------------------
def probabilities(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Softmax, and how far inputs lie below the largest, by which f32 rounds their exponents."""
    with np.errstate(invalid="ignore"):
        below = x - x.max(1, keepdims=True)
        powers = np.exp(below)
    return powers / powers.sum(1, keepdims=True), np.where(np.isfinite(below), np.abs(below), 0)


@EACH
def test_softmax(shape: Shape, dtype: Any) -> None:
    x, y = Room(shape, dtype, numbers(*shape[:2], scale=4)), Room(shape, dtype)
    if shape[0] == 9:
        x.matrix[1], x.matrix[2, 3], x.matrix[3, 4], x.matrix[4, :5] = -np.inf, np.inf, np.nan, -np.inf
    finished(rows.prepare_softmax(x.matrix, y.matrix))
    wanted, below = probabilities(f64(x.matrix))
    check(y.read(), wanted, dtype, ulps=8, magnitude=wanted * (1 + 2 * below))


@pytest.mark.parametrize("kinds", [("bfloat16", "float32"), ("float32", "bfloat16")], ids=str)
@pytest.mark.parametrize("shape", [(9, 37, 0, 1), (3, 4096, 0, 0)], ids=str)
def test_types_may_differ(shape: Shape, kinds: tuple[str, str]) -> None:
    given, made = (np.dtype(getattr(ml_dtypes, kind, kind)) for kind in kinds)
    x, y = Room(shape, given, numbers(*shape[:2])), Room(shape, made)
    finished(rows.prepare_softmax(x.matrix, y.matrix))
    wanted, below = probabilities(f64(x.matrix))
    check(y.read(), wanted, made, ulps=8, magnitude=wanted * (1 + 2 * below))


def test_a_row_with_an_infinity_or_a_nan_spoils_no_other() -> None:
    x, y = Room((70, 40, 0, 0), DTYPES[2], numbers(70, 40)), Room((70, 40, 0, 0), DTYPES[2])
    x.matrix[5, 7], x.matrix[6, 1] = np.nan, np.inf
    finished(rows.prepare_layer_norm(x.matrix, y.matrix))
    assert set(np.flatnonzero(np.isnan(y.read()).any(1))) == {5, 6}


@pytest.mark.parametrize("shape", [(3, 262_144, 0, 0), (1, 200_001, 0, 1)], ids=str)
def test_the_widest_rows(shape: Shape) -> None:
    x, y = Room(shape, DTYPES[0], numbers(*shape[:2])), Room(shape, DTYPES[0])
    finished(rows.prepare_softmax(x.matrix, y.matrix))
    wanted, below = probabilities(f64(x.matrix))
    check(y.read(), wanted, DTYPES[0], ulps=8, magnitude=wanted * (1 + 2 * below))


def test_a_grid_has_threads_for_each_row() -> None:
    """The last CTA has fewer rows than it has room for."""
    for columns in (24, 3000, 40_000):
        x, y = Room((21, columns, 0, 0), DTYPES[0], numbers(21, columns)), Room((21, columns, 0, 0), DTYPES[0])
        finished(rows.prepare_layer_norm(x.matrix, y.matrix))
        given = f64(x.matrix)
        check(y.read(), layer(given), DTYPES[0], ulps=8, magnitude=np.abs(given).max() + 4)


# --- results: cross-entropy ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "dtype", "index"),
    [*((*case, np.int32) for case in CASES), *((shape, DTYPES[0], np.int64) for shape in SHAPES[::2])],
    ids=str,
)
def test_cross_entropy(shape: Shape, dtype: Any, index: Any) -> None:
    count, columns = shape[:2]
    x = Room(shape, dtype, numbers(count, columns, scale=4))
    loss, lse, dloss = (Room((1, count, 0, 1), np.float32, numbers(1, count, seed=7)) for _ in range(3))
    targets = np.random.default_rng(1).integers(0, columns, count).astype(index)
    targets[3:4], targets[4:5] = -100, columns  # one that is left out, and one that is wrong
    finished(rows.prepare_cross_entropy(x.matrix, targets, loss.matrix[0], lse=lse.matrix[0]))
    given = f64(x.matrix)
    largest = given.max(1)
    total = np.log(np.exp(given - largest[:, None]).sum(1)) + largest
    inputs = np.abs(total) + np.abs(largest) + 1
    own = given[np.arange(count), np.clip(targets, 0, columns - 1)]
    wanted = np.where(targets == -100, 0, np.where(targets < columns, total - own, np.nan))
    check(f64(lse.matrix[0]), total, DTYPES[2], ulps=4, magnitude=inputs)
    steps = (
        np.abs(largest - own) + 8
    )  # what is added up to a loss; the sum's logarithm has an error of about 8 units of 1
    check(loss.read()[0], wanted, DTYPES[2], ulps=2, magnitude=steps)

    apart = Room(shape, dtype)
    finished(rows.prepare_cross_entropy_backward(dloss.matrix[0], x.matrix, targets, None, apart.matrix))
    made = x.matrix if index is np.int32 else Room(shape, dtype).matrix  # in place, and apart
    finished(rows.prepare_cross_entropy_backward(dloss.matrix[0], x.matrix, targets, lse.matrix[0], made))
    power = np.exp(given - total[:, None])
    hits = np.arange(columns) == targets[:, None]
    factor = f64(dloss.matrix[0])[:, None]
    wanted = np.where(
        targets[:, None] == -100, 0, np.where(targets[:, None] < columns, (power - hits) * factor, np.nan)
    )
    inputs = (power * (4 + 2 * np.abs(given - total[:, None]) + 2 * np.abs(total[:, None])) + hits) * np.abs(factor)
    check(f64(made), wanted, dtype, ulps=4, magnitude=inputs)
    inputs = (power * (8 + 2 * np.abs(given - largest[:, None])) + hits) * np.abs(factor)
    check(apart.read(), wanted, dtype, ulps=4, magnitude=inputs)
    for room in (x, lse):
        room.read()


def scores_of(kind: str, columns: int) -> np.ndarray:
    """Three rows of f32; what makes them hard is in the name."""
    x = numbers(3, columns, seed=columns)
    made = {
        "random": 4 * x,
        "around 1000": 4 * x + 1000,
        "around a million": 8 * x + 1e6,
        "around -10000": 4 * x - 1e4,
        "thousands": 1000 * x,
        "equal": 0 * x + 3.3,
        "one stands out": x + 30 * (np.arange(columns) == 3),
        "falling": 20 * x - np.linspace(0, 80, columns),
    }
    return made[kind].astype(np.float32)


@pytest.mark.parametrize("columns", [10, 1000, 32_768, 262_144])
@pytest.mark.parametrize(
    "kind",
    ["random", "around 1000", "around a million", "around -10000", "thousands", "equal", "one stands out", "falling"],
)
def test_gradients_of_cross_entropy_are_no_worse_than_those_of_torch(kind: str, columns: int) -> None:
    """Errors relative to probabilities, and at targets, in half units of 1; one of these is what a rounding may differ by."""
    torch = pytest.importorskip("torch", reason="there is no PyTorch: install the extra `torch`")
    given, targets = scores_of(kind, columns), np.array([3, columns - 1, columns // 2])
    x, dx, dloss = line(given, np.float32), px.empty(given.shape, "f32"), line(np.ones(3), np.float32)
    finished(rows.prepare_cross_entropy_backward(dloss, x, targets, None, dx))
    theirs = torch.tensor(given, requires_grad=True)
    torch.nn.functional.cross_entropy(theirs, torch.tensor(targets), reduction="sum").backward()
    power = probabilities(f64(x))[0]
    hits = np.arange(columns) == targets[:, None]
    scale = np.where(hits, 1, np.maximum(power, 2.0**-120)) * 2.0**-24
    ours, torchs = (np.abs(f64(a) - (power - hits)) / scale for a in (dx, theirs.grad.numpy()))
    for of in (hits, ~hits):
        assert ours[of].max() <= torchs[of].max() + 1


def test_a_row_of_nothing_but_minus_infinity_is_what_torch_makes_of_it() -> None:
    x, loss, lse = line(np.full((2, 9), -np.inf), np.float32), px.empty(2, "f32"), px.empty(2, "f32")
    dx, dloss, targets = px.empty((2, 9), "f32"), line(np.ones(2), np.float32), np.array([1, -100])
    rows.cross_entropy(x, targets, loss, lse=lse)
    rows.cross_entropy_backward(dloss, x, targets, None, dx)
    assert np.isnan(loss[0])
    assert np.isnan(dx[0]).all()
    assert not loss[1]
    assert not dx[1].any()
    assert np.isneginf(lse).all()


def test_a_nearly_certain_row_keeps_its_small_loss() -> None:
    """Large scores, and a target that stands out: log Σ exp(x) alone would have rounded the loss away."""
    x, loss = line(np.full((3, 50), 1000.0), np.float32), px.empty(3, "f32")
    x[:, 7] += np.array([8.0, 11.0, 14.0])
    rows.cross_entropy(x, np.full(3, 7), loss)
    wanted = np.log1p(49 * np.exp(-np.array([8.0, 11.0, 14.0])))
    assert (np.abs(loss - wanted) < 2.0**-21).all()  # of a sum near 1
    assert (loss > 0).all()


def test_another_target_is_left_out() -> None:
    x, loss = line(numbers(3, 50), np.float32), px.empty(3, "f32")
    rows.cross_entropy(x, np.array([4, 7, 4]), loss, ignore_index=4)
    assert (loss == 0).tolist() == [True, False, True]


# --- results: fp8 --------------------------------------------------------------------------------------------------------
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)


@EACH
@pytest.mark.parametrize("scaled", ["row", "block", "tensor"])
def test_quantize(shape: Shape, dtype: Any, scaled: Any) -> None:
    count, columns = shape[:2]
    blocks = -(-columns // 128)
    x, y = Room(shape, dtype, numbers(count, columns)), Room(shape, E4M3)
    x.matrix[0, : columns // 2] = 0
    scales = Room({"row": (1, count, 0, 1), "block": (count, blocks, 0, 1), "tensor": (1, 1, 0, 1)}[scaled], np.float32)
    given = f64(x.matrix)
    finished(
        rows.prepare_quantize(
            x.matrix, y.matrix, scales.matrix if scaled == "block" else scales.matrix[0], scaled=scaled
        )
    )
    padded = np.zeros((count, blocks * 128))
    padded[:, :columns] = np.abs(given)
    largest = {"row": padded.max(1), "block": padded.reshape(count, blocks, 128).max(2), "tensor": padded.max()}[scaled]
    wanted = np.maximum(np.float32(largest) / np.float32(448), np.float32(2.0**-100))
    found = scales.read().reshape(np.shape(wanted))
    assert (found == wanted).all()
    each = np.repeat(found, 128, axis=1)[:, :columns] if scaled == "block" else np.reshape(found, (-1, 1))
    error = np.abs(y.read() * each - given)
    assert (error <= np.maximum(np.abs(given) * 2.0**-4, each * 2.0**-10) * (1 + 2.0**-20)).all()


def test_what_is_not_finite_is_not_hidden() -> None:
    x, y, scales = line(numbers(3, 64), np.float32), px.empty((3, 64), E4M3), px.empty(3, "f32")
    x[0, 5], x[1, 7] = np.nan, np.inf
    rows.quantize(x, y, scales)
    assert np.isnan([scales[0], *f64(y)[0]]).all()
    assert np.isinf(scales[1])
    assert np.flatnonzero(np.isnan(f64(y)[1])).tolist() == [7]
    assert np.isfinite(f64(y)[2]).all()


# --- results: transposition ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["uint8", "bfloat16", "int32"])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "shape", [(1, 1, 0, 0), (9, 37, 0, 1), (80, 144, 16, 0), (130, 67, 3, 5), (64, 64, 0, 16)], ids=str
)
def test_transpose(shape: Shape, dtype: str, schedule: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    count, columns, *gaps = shape
    x = Room(shape, kind, np.arange(count * columns).reshape(count, columns) % 251)
    y = Room((columns, count, *gaps), kind)  # type: ignore[arg-type]
    finished(rows.prepare_transpose(x.matrix, y.matrix), schedule)
    assert (y.read() == f64(x.matrix).T).all()


# --- all schedules -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("columns", [100, 3000, 20_000])
def test_no_schedule_races_or_leaves_other_bits(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warps and clusters that meet again and again in two buffers."""
    for where in ("call", "gradients"):
        monkeypatch.setattr(f"ptxlab.kernels.rows.{where}.device_of", lambda array: px.Device("few", 1))
    x, dx = line(numbers(30, columns), DTYPES[0]), px.empty((30, columns), "bf16")
    launch: Any = rows.prepare_layer_norm_backward(x, x, dx, dweight=px.empty(columns, "f32"))
    for one in launch._launches:
        assert one(sanitize=True, certify=True).certificate.proved


# --- nothing to do, and what is refused ----------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(0, 8), (3, 0), (0, 0)], ids=str)
def test_without_elements_nothing_is_done(shape: tuple[int, int]) -> None:
    x = px.empty(shape, "bf16")
    rows.rms_norm(x, x)
    rows.layer_norm(x, x)
    rows.softmax(x, x)
    rows.transpose(x, px.empty(shape[::-1], "bf16"))
    rows.rms_norm_backward(x, x, x)


@ALL_TYPES
@pytest.mark.parametrize("backward", [rows.prepare_rms_norm_backward, rows.prepare_layer_norm_backward])
@pytest.mark.parametrize("columns", [0, 1, 40, 3000])
def test_without_rows_gradients_of_weights_are_zeros(columns: int, backward: Callable[..., Any], dtype: Any) -> None:
    x, dweight, dbias = px.empty((0, columns), dtype), *(Room((1, columns, 0, 1), dtype) for _ in range(2))
    more = {"dbias": dbias.matrix[0]} if backward is rows.prepare_layer_norm_backward else {}
    launch = backward(x, x, x, dweight=dweight.matrix[0], **more)
    if columns:
        finished(launch)
    launch()
    assert not dweight.read().any()
    assert not more or not dbias.read().any()


@pytest.mark.parametrize("count", [0, 3])
def test_what_is_nothing_has_the_scale_of_zeros(count: int) -> None:
    x, y = px.empty((count, 0), "bf16"), px.empty((count, 0), "float8_e4m3fn")
    whole, each = line(np.full(1, RED), np.float32), line(np.full(count, RED), np.float32)
    rows.quantize(x, y, whole, scaled="tensor")
    rows.quantize(x, y, each)
    rows.quantize(x, y, px.empty((count, 0), "f32"), scaled="block")
    assert whole == 2.0**-100
    assert (each == 2.0**-100).all()


def test_without_columns_no_target_is_one() -> None:
    x, loss, lse = px.empty((3, 0), "f32"), px.empty(3, "f32"), px.empty(3, "f32")
    rows.cross_entropy(x, np.array([0, -100, 7]), loss, lse=lse)
    rows.cross_entropy_backward(px.empty(3, "f32"), x, np.array([0, -100, 7]), None, x)
    assert np.isnan(loss).tolist() == [True, False, True]
    assert np.isneginf(lse).all()


def m(*shape: int, dtype: str = "f32") -> Any:
    return px.empty(shape, dtype)


FP8 = m(2, 8, dtype="float8_e4m3fn")
REFUSED = {
    "integers": ("PTX2307", lambda: rows.rms_norm(m(2, 8, dtype="s32"), m(2, 8))),
    "one dimension": ("PTX2308", lambda: rows.softmax(m(8), m(8))),
    "another shape": ("PTX2308", lambda: rows.softmax(m(2, 8), m(8, 2))),
    "a short weight": ("PTX2308", lambda: rows.rms_norm(m(2, 8), m(2, 8), m(7))),
    "a weight of integers": ("PTX2307", lambda: rows.rms_norm(m(2, 8), m(2, 8), m(8, dtype="s32"))),
    "a weight with gaps": ("PTX2309", lambda: rows.rms_norm(m(2, 8), m(2, 8), m(16)[::2])),
    "columns": ("PTX2309", lambda: rows.softmax(m(8, 2).T, m(2, 8))),
    "a residual that is not kept": ("PTX2112", lambda: rows.rms_norm(m(2, 8), m(2, 8), residual=m(2, 8))),
    "what is kept of nothing": ("PTX2112", lambda: rows.layer_norm(m(2, 8), m(2, 8), kept=m(2, 8))),
    "a gradient of another length": ("PTX2308", lambda: rows.rms_norm_backward(*[m(2, 8)] * 3, dweight=m(2, 8))),
    "targets that are no integers": ("PTX2307", lambda: rows.cross_entropy(m(2, 8), m(2), m(2))),
    "a loss of bf16": ("PTX2307", lambda: rows.cross_entropy(m(2, 8), m(2, dtype="s32"), m(2, dtype="bf16"))),
    "too few targets": ("PTX2308", lambda: rows.cross_entropy(m(2, 8), m(1, dtype="s64"), m(2))),
    "a target of 65 bits": (
        "PTX2305",
        lambda: rows.cross_entropy(m(2, 8), m(2, dtype="s64"), m(2), ignore_index=2**64),
    ),
    "columns that share a scale": ("PTX2112", lambda: rows.quantize(m(2, 8), FP8, m(8), scaled="column")),  # type: ignore[arg-type]
    "scales of rows for blocks": ("PTX2308", lambda: rows.quantize(m(2, 8), FP8, m(2), scaled="block")),
    "scales with gaps": (
        "PTX2309",
        lambda: rows.quantize(m(2, 200), m(2, 200, dtype="float8_e4m3fn"), m(2, 3)[:, :2], scaled="block"),
    ),
    "a result that is no fp8": ("PTX2307", lambda: rows.quantize(m(2, 8), m(2, 8), m(2))),
    "a transposed shape that is not": ("PTX2308", lambda: rows.transpose(m(2, 8), m(2, 8))),
    "another type": ("PTX2307", lambda: rows.transpose(m(2, 8), m(8, 2, dtype="bf16"))),
    "rows that are too wide": ("PTX2308", lambda: rows.softmax(m(1, 262_145), m(1, 262_145))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    code, call = REFUSED[what]
    with pytest.raises(Diagnostic) as wrong:
        call()
    assert wrong.value.code == code
    assert wrong.value.help


# --- layouts -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("elements", [1, 2, 4, 8])
@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("room", [ONE_ROW, LIGHT, THREE_ROWS, SUMS, staged(2), staged(4)])
def test_layouts_have_room_for_all_columns(elements: int, room: layouts.Room, *, shifted: bool) -> None:
    most = room.cta[-1][1]
    for columns in (1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1000, 4096, 16384, 16385, 65536, 8192 * most - elements):
        t = choose(columns, elements, room, shifted=shifted)
        held = t.elements * t.vectors * t.lanes * t.ctas
        assert columns + (elements - 1) * shifted <= held, columns
        assert t.elements * t.vectors <= most
        assert t.threads % t.lanes == 0
        assert max(t.threads, 128 * t.ctas) <= 1024


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("columns", [100, 1024, 4096, 16384, 65536, 131_072])
@pytest.mark.parametrize("body", [rms_norm_rows, layer_norm_rows, softmax_rows])
@pytest.mark.parametrize("kind", ["bf16", "f32"])
def test_ptxas_spills_nothing(body: Body, columns: int, kind: str) -> None:
    operands = [Operand("x", kind), Operand("y", kind)]
    numbers: tuple[tuple[str, str], ...] = ()
    if body is not softmax_rows:
        operands, numbers = [*operands, Operand("weight", "bf16", "line")], (("eps", "f32"),)
    for shifted in (False, True):
        x = px.empty((2, columns), kind)[:, shifted:]
        layout = layout_of({"x": matrix("x", x), "y": matrix("y", x)}, LIGHT if body is rms_norm_rows else ONE_ROW)
        assert layout.shifted >= shifted
        assert spilled(row_kernel(body, tuple(operands), numbers, layout)) == (0, 0, 0)


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("columns", [100, 4096, 65536, 131_072])
@pytest.mark.parametrize("kind", ["bf16", "f32"])
def test_ptxas_spills_no_gradients_of_losses(columns: int, kind: str) -> None:
    operands = (
        Operand("x", kind),
        Operand("dx", kind),
        Operand("dloss", "f32", "each"),
        Operand("targets", "s64", "each"),
    )
    layout = layout_of({"x": matrix("x", px.empty((2, columns), kind))})
    assert spilled(row_kernel(cross_entropy_gradients, operands, (("ignored", "s64"),), layout)) == (0, 0, 0)


def spilled(kernel: px.Kernel) -> tuple[int, int, int]:
    found = kernel.resources
    return found.spill_stores, found.spill_loads, found.stack


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("columns", [512, 4096, 16384, 65536])
@pytest.mark.parametrize("body", [rms_norm_gradients, layer_norm_gradients])
def test_ptxas_spills_few_gradients(body: Body, columns: int) -> None:
    """Of wide rows, LayerNorm's sums leave too few registers; with fewer sums for each thread it is slower."""
    x, parts = matrix("x", px.empty((2, columns), "bf16")), ("dweight_parts", "dbias_parts")
    operands = [Operand(name, "bf16") for name in ("x", "dy", "dx")] + [Operand("weight", "bf16", "line")]
    operands += [Operand(name, "f32") for name in parts[: 1 + (body is layer_norm_gradients)]]
    layout = layout_of({"x": x, "dy": x, "dx": x}, SUMS, most=16, by_columns=True)
    stores, loads, _ = spilled(row_kernel(body, tuple(operands), (("eps", "f32"),), layout))
    assert max(stores, loads) <= (256 if body is layer_norm_gradients and columns > 8192 else 8)


def test_grids_of_sums_are_what_an_sm_holds() -> None:
    x = matrix("x", px.empty((2, 16384), "bf16"))
    layout = layout_of({"x": x, "dy": x, "dx": x}, SUMS, most=16, by_columns=True)
    assert (layout.threads, layout.registers, layout.clusters(10_000, 132)) == (512, 128, 132)
    assert layout.clusters(7, 132) == 7
