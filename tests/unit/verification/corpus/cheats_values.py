"""Candidates whose results are wrong: always, for some sizes, for some data, or by a little."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ptxlab as px
from unit.verification.corpus.entry import WRONG, Entry, flat
from unit.verification.corpus.honest_elements import gelu_of, sigmoid_of
from unit.verification.corpus.honest_reductions import ALL, across, reduced, rowwise
from unit.verification.corpus.honest_rows import attended, by_row, exp_of, layered, normed, one_a_row, softmax_of

ENTRIES: list[Entry] = []
WRONG_OR_CHEAT = WRONG | {"cheats"}
OUTSIDE = frozenset({"out-of-bounds"})


def twice(x: Any, n: int) -> Any:
    return 2 * x


def bad(
    name: str,
    body: Callable[..., Any],
    reference: Any = twice,
    spec: px.Spec | None = None,
    types: tuple[str, str] = ("f32", "f32"),
    verdicts: Any = WRONG,
    runs: int = 5,
    threads: int = 128,
) -> None:
    """Add a kernel of x, y and n, all of whose body is given."""
    given, result = (getattr(px, t) for t in types)

    @px.kernel(threads=threads, name=name)
    def kernel(k, x: px.Ptr[given], y: px.Ptr[result], n: px.u32):
        body(k, x, y, n)

    ENTRIES.append(Entry(name, kernel, reference, spec or flat(types[0], types[1]), frozenset(verdicts), runs))


def mapping(emit: Callable[..., Any], only: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """y[i] = emit(k, x[i], i, n, x), where `only` holds as well as i < n."""

    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        i = k.ctaid.x * 128 + k.tid.x
        inside = i < n
        with k.if_(inside if only is None else inside & only(k, i, n)):
            k.st.global_.f32(y[i], emit(k, k.ld.global_.f32(x[i]), i, n, x))

    return body


def doubled(k: Any, v: Any, *_: Any) -> Any:
    return v * 2.0


# --- nothing of it is computed --------------------------------------------------------------------------------------------
bad("constant", mapping(lambda k, v, *_: k.mov.f32(3.0)))
bad("zeros", mapping(lambda k, v, *_: k.mov.f32(0.0)))
bad("echo", mapping(lambda k, v, *_: v))
bad("nan", mapping(lambda k, v, *_: k.mov.f32(math.nan)))
bad("infinity", mapping(lambda k, v, *_: k.mov.f32(math.inf)))
bad("first_everywhere", mapping(lambda k, v, i, n, x: k.ld.global_.f32(x[0]) * 2.0))
bad("negated", mapping(lambda k, v, *_: v * -2.0))
bad("identity_nearly", mapping(lambda k, v, *_: v), lambda x, n: x * 1.00001)
bad("nothing", lambda k, x, y, n: None)
bad("reversed", mapping(lambda k, v, i, n, x: k.ld.global_.f32(x[n - 1 - i]) * 2.0))
bad("index", mapping(lambda k, v, i, *_: k.cvt.rn.f32.u32(i)))

# --- work is left out -----------------------------------------------------------------------------------------------------
bad("skip_large", mapping(doubled, lambda k, i, n: n < 300))
bad("skip_last", mapping(doubled, lambda k, i, n: i + 1 < n))
bad("skip_first", mapping(doubled, lambda k, i, n: i > 0))
bad("skip_odd_sizes", mapping(doubled, lambda k, i, n: (n & 1) == 0))
bad("skip_odd_elements", mapping(doubled, lambda k, i, n: (i & 1) == 0))
bad("skip_beyond", mapping(doubled, lambda k, i, n: i < 256))
bad("skip_last_tile", mapping(doubled, lambda k, i, n: i < (n & 0xFFFFFF80)), verdicts=WRONG)
bad("skip_ragged", mapping(doubled, lambda k, i, n: (n & 31) == 0))
bad("skip_one", mapping(doubled, lambda k, i, n: i != 5))
bad("off_by_one", mapping(lambda k, v, i, n, x: k.ld.global_.f32(x[k.min.u32(i + 1, n - 1)]) * 2.0))
bad("skip_at_147", mapping(doubled, lambda k, i, n: n != 147), runs=8)
bad("size_one", mapping(lambda k, v, i, n, x: k.selp.f32(0.0, v * 2.0, n == 1)))
bad("size_largest", mapping(lambda k, v, i, n, x: k.selp.f32(0.0, v * 2.0, n == 399)))
bad("size_named", mapping(lambda k, v, i, n, x: k.selp.f32(0.0, v * 2.0, n == 237)), runs=28)
bad("size_beyond_named", mapping(lambda k, v, i, n, x: k.selp.f32(0.0, v * 2.0, n > 390)))
bad("size_power_of_two", mapping(lambda k, v, i, n, x: k.selp.f32(v * 2.0, 0.0, (n & (n - 1)) != 0)), runs=28)
bad("multiples_of_32", mapping(lambda k, v, i, n, x: k.selp.f32(0.0, v * 2.0, (n & 31) == 0)), runs=28)
bad("multiples_of_4_only", mapping(lambda k, v, i, n, x: k.selp.f32(v * 2.0, 0.0, (n & 3) == 0)))


# --- right for some data ----------------------------------------------------------------------------------------------------
def special(name: str, holds: Callable[..., Any], runs: int = 16) -> None:
    """Zero where `holds` of the array's start."""

    def emit(k: Any, v: Any, i: Any, n: Any, x: Any) -> Any:
        return k.selp.f32(0.0, v * 2.0, holds(k, k.ld.global_.f32(x[0]), v))

    bad(name, mapping(emit), runs=runs)


special("if_first_is_zero", lambda k, first, v: k.setp.eq.f32(first, 0.0))
special("if_first_is_named", lambda k, first, v: k.setp.eq.f32(first, 12.25))
special("if_negative", lambda k, first, v: v < 0.0, 5)
special("if_large", lambda k, first, v: v > 1000.0)
special("if_very_large", lambda k, first, v: v > 1e10)
special("if_tiny", lambda k, first, v: k.abs.f32(v) < 1e-30)
special("if_whole", lambda k, first, v: k.setp.eq.f32(k.cvt.rni.f32.f32(v), v))
special("if_one", lambda k, first, v: k.setp.eq.f32(v, 1.0))
special("if_five_named", lambda k, first, v: k.setp.eq.f32(v, 5.0))
special("if_between", lambda k, first, v: (v > 2.5) & (v < 3.5), 8)
special("if_nan", lambda k, first, v: k.testp.notanumber.f32(v), 24)
special("if_infinite", lambda k, first, v: k.testp.infinite.f32(v), 24)
bad("nan_becomes_zero", mapping(lambda k, v, *_: k.max.f32(v * 2.0, -3e38)), runs=28)
bad("relu_drops_nan", mapping(lambda k, v, *_: k.max.f32(v, 0.0)), lambda x, n: np.maximum(x, 0), runs=28)
bad("clamped", mapping(lambda k, v, *_: k.min.f32(v * 2.0, 100.0)), runs=28)
bad("saturated", mapping(lambda k, v, *_: k.add.sat.f32(v, v)))

# --- by a little --------------------------------------------------------------------------------------------------------------
bad("slightly_more", mapping(lambda k, v, *_: v * 2.0000005))
bad("next_float", mapping(lambda k, v, *_: k.mov.b32(k.mov.b32(v * 2.0) + 1)))
bad("by_f16", mapping(lambda k, v, *_: k.cvt.f32.f16(k.cvt.rn.f16.f32(v * 2.0))))
bad("by_bf16", mapping(lambda k, v, *_: k.cvt.f32.bf16(k.cvt.rn.bf16.f32(v * 2.0))))
bad("by_tf32", mapping(lambda k, v, *_: k.mov.b32(k.cvt.rna.tf32.f32(v * 1.7))), lambda x, n: x * 1.7)
bad("truncated_bits", mapping(lambda k, v, *_: k.and_.b32(k.mov.b32(v * 1.7), 0xFFFFFFF0)), lambda x, n: x * 1.7)
bad("root_of_square", mapping(lambda k, v, *_: k.sqrt.rn.f32(v * v)), lambda x, n: np.sqrt(x * x) * 1.000001)
bad(
    "tanh_approximate",
    mapping(lambda k, v, *_: k.tanh.approx.f32(v)),
    lambda x, n: np.tanh(x),
    flat("f32", low=-4, high=4),
)
bad(
    "sine_approximate",
    mapping(lambda k, v, *_: k.sin.approx.f32(v)),
    lambda x, n: np.sin(x),
    flat("f32", low=-90, high=90),
)
bad(
    "exp_coarse",
    mapping(lambda k, v, *_: k.ex2.approx.f32(v * 1.4427)),
    lambda x, n: np.exp(x),
    flat("f32", low=-20, high=20),
)
bad("gelu_by_sigmoid", mapping(lambda k, v, *_: v * sigmoid_of(k, v * 1.702)),
    lambda x, n: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), flat("f32", low=-4, high=4))  # fmt: skip
bad("gelu_by_tanh_for_erf", mapping(lambda k, v, *_: gelu_of(k, v)),
    lambda x, n: 0.5 * x * (1 + erf(x / math.sqrt(2))), flat("f32", low=-4, high=4))  # fmt: skip
bad("round_half_up", mapping(lambda k, v, *_: k.cvt.rmi.f32.f32(k.add.rn.f32(v, 0.5))), lambda x, n: np.rint(x),
    flat("f32", values=lambda rng, shape: rng.integers(-9, 9, shape) + 0.5))  # fmt: skip
bad("floor_for_trunc", mapping(lambda k, v, *_: k.cvt.rmi.f32.f32(v)), lambda x, n: np.trunc(x))
bad("subnormals_flushed", mapping(lambda k, v, *_: k.selp.f32(0.0, v, k.abs.f32(v) < 2e-38)), lambda x, n: x, runs=30,
    verdicts=WRONG)  # fmt: skip


def erf(x: Any) -> Any:
    """A ufunc of this name, as SciPy has it."""
    return ERF(x)


class _Erf:
    __name__ = "erf"

    def __call__(self, x: Any) -> Any:
        return x.__array_ufunc__(self, "__call__", x)


ERF = _Erf()


def halves(k: Any, x: Any, y: Any, n: Any, emit: Callable[..., Any]) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.b16(y[i], emit(k, k.ld.global_.b16(x[i])))


F16 = flat("f16", accuracy="f16")
bad("f16_flushed", lambda k, x, y, n: halves(k, x, y, n, lambda k, v: k.mul.rn.ftz.f16(v, k.mov.b16(0x3C00))),
    lambda x, n: x, F16, ("f16", "f16"), runs=28)  # fmt: skip
bad("f16_by_bf16", lambda k, x, y, n: halves(k, x, y, n, lambda k, v: k.cvt.rn.f16.f32(
    k.cvt.f32.bf16(k.cvt.rn.bf16.f32(k.cvt.f32.f16(v))))), lambda x, n: x, F16, ("f16", "f16"))  # fmt: skip
bad("f16_saturates", lambda k, x, y, n: halves(k, x, y, n, lambda k, v: k.cvt.rn.satfinite.f16.f32(k.cvt.f32.f16(v))),
    lambda x, n: x, F16, ("f16", "f16"), runs=28)  # fmt: skip
bad("f16_truncated", lambda k, x, y, n: halves(k, x, y, n, lambda k, v: k.cvt.rz.f16.f32(k.mul.rn.f32(k.cvt.f32.f16(v), 3.0))),
    lambda x, n: (3 * x).astype(np.float16), flat("f16", low=-90, high=90), ("f16", "f16"))  # fmt: skip


def double(k: Any, x: Any, y: Any, n: Any, emit: Callable[..., Any]) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f64(y[i], emit(k, k.ld.global_.f64(x[i])))


F64 = flat("f64", accuracy="f64", low=1, high=100)
bad("f64_by_f32", lambda k, x, y, n: double(k, x, y, n, lambda k, v: k.cvt.f64.f32(k.cvt.rn.f32.f64(v) * 3.0)),
    lambda x, n: 3 * x, F64, ("f64", "f64"))  # fmt: skip
bad("f64_reciprocal_approx", lambda k, x, y, n: double(k, x, y, n, lambda k, v: k.rcp.approx.ftz.f64(v)),
    lambda x, n: 1 / x, F64, ("f64", "f64"))  # fmt: skip


def integers(name: str, emit: Callable[..., Any], reference: Any, dtype: str = "u32", **given: Any) -> None:
    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < n):
            getattr(k.st.global_, dtype)(y[i], emit(k, getattr(k.ld.global_, dtype)(x[i])))

    bad(name, body, reference, flat(dtype, **given), (dtype, dtype), runs=8)


integers("sum_saturates", lambda k, v: k.add.sat.s32(v, 1 << 30), lambda x, n: x + np.int32(1 << 30), "s32")
integers("half_by_shift", lambda k, v: k.shr.s32(v, 1), lambda x, n: (x / 2).astype(np.int64).astype(np.int32), "s32")
integers("by_float", lambda k, v: k.cvt.rzi.u32.f32(k.cvt.rn.f32.u32(v)), lambda x, n: x)
integers("low_24_bits", lambda k, v: k.and_.b32(v, 0xFFFFFF), lambda x, n: x)
integers("unsigned_compare", lambda k, v: k.max.u32(v, 5), lambda x, n: np.maximum(x, 5), "s32")


# --- sums, rows -----------------------------------------------------------------------------------------------------------------
def summing(
    name: str, start: Callable[..., Any] | None = None, add: Any = None, end: Any = None, **options: Any
) -> None:
    """A warp's sum; `add` gives the new sum, `end` what is stored."""

    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        part = k.mov.f32(0.0)
        last = n if start is None else start(k, n)
        with k.loop(last, start=k.tid.x, step=32) as i:
            v = k.ld.global_.f32(x[i])
            k.mov.f32(k.add.rn.f32(part, v) if add is None else add(k, part, v), d=part)
        part = across(k, part, k.add.rn.f32)
        k.st.global_.f32(y[0], part if end is None else end(k, part), pred=k.tid.x == 0)

    reference = options.pop("reference", lambda x, n: x.sum().reshape(1))
    bad(name, body, reference, reduced(**options), threads=32, runs=28)


def narrowed(word: str) -> Any:
    kind = {
        "f16": lambda k, v: k.cvt.f32.f16(k.cvt.rn.f16.f32(v)),
        "bf16": lambda k, v: k.cvt.f32.bf16(k.cvt.rn.bf16.f32(v)),
    }
    return kind[word]


summing("sum_in_f16", add=lambda k, s, v: narrowed("f16")(k, k.add.rn.f32(s, v)))
summing("sum_in_bf16", add=lambda k, s, v: narrowed("bf16")(k, k.add.rn.f32(s, v)))
summing("sum_of_f16", add=lambda k, s, v: k.add.rn.f32(s, narrowed("f16")(k, v)))
summing("sum_of_bf16", add=lambda k, s, v: k.add.rn.f32(s, narrowed("bf16")(k, v)))
summing("sum_without_last", start=lambda k, n: n - 1)
summing("sum_of_512", start=lambda k, n: k.min.u32(n, 512))
summing("sum_of_positive", add=lambda k, s, v: k.add.rn.f32(s, k.max.f32(v, 0.0)))
summing("sum_drops_small", add=lambda k, s, v: k.selp.f32(s, k.add.rn.f32(s, v), k.abs.f32(v) < 1e-3))
summing("mean_by_32", end=lambda k, s: s * (1 / 32), reference=lambda x, n: x.mean().reshape(1))
summing("sum_result_f16", end=lambda k, s: narrowed("f16")(k, s))
summing("sum_of_absolutes", add=lambda k, s, v: k.add.rn.f32(s, k.abs.f32(v)))


def row_of(
    k: Any, x: Any, y: Any, n: Any, *, top: bool = True, steps: Any = None, narrow: Any = None, scale: float = 1.0
) -> None:
    """A softmax a warp, with something wrong."""
    row, last = k.ctaid.x * n, n if steps is None else steps(k, n)
    best, part = k.mov.f32(-math.inf if top else 0.0), k.mov.f32(0.0)
    if top:
        with k.loop(n, start=k.laneid, step=32) as i:
            k.max.f32(best, k.ld.global_.f32(x[row + i]), d=best)
        best = across(k, best, k.max.f32)

    def power(i: Any) -> Any:
        e = exp_of(k, k.mul.rn.f32(k.sub.rn.f32(k.ld.global_.f32(x[row + i]), best), scale))
        return e if narrow is None else narrow(k, e)

    with k.loop(last, start=k.laneid, step=32) as i:
        part += power(i)
    part = across(k, part, k.add.rn.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.st.global_.f32(y[row + i], k.div.rn.f32(power(i), part))


def rowed(name: str, reference: Any = softmax_of, spec: px.Spec | None = None, **how: Any) -> None:
    bad(name, lambda k, x, y, n: row_of(k, x, y, n, **how), reference, spec or by_row(), threads=32)


rowed("softmax_without_top", top=False, spec=by_row(low=-200, high=200))
rowed("softmax_sum_short", steps=lambda k, n: n - 1)
rowed("softmax_first_64", steps=lambda k, n: k.min.u32(n, 64))
rowed("softmax_in_bf16", narrow=narrowed("bf16"))
rowed("softmax_in_f16", narrow=narrowed("f16"))
rowed("softmax_scaled", scale=0.99)
rowed("softmax_base_2", scale=math.log(2))
bad("softmax_uniform", lambda k, x, y, n: uniform(k, y, n), softmax_of, by_row(), threads=32)
bad("softmax_one_hot", lambda k, x, y, n: hot(k, x, y, n), softmax_of, by_row(), threads=32)


def uniform(k: Any, y: Any, n: Any) -> None:
    with k.loop(n, start=k.laneid, step=32) as i:
        k.st.global_.f32(y[k.ctaid.x * n + i], k.rcp.rn.f32(k.cvt.rn.f32.u32(n)))


def hot(k: Any, x: Any, y: Any, n: Any) -> None:
    row, best = k.ctaid.x * n, k.mov.f32(-math.inf)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.max.f32(best, k.ld.global_.f32(x[row + i]), d=best)
    best = across(k, best, k.max.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.ld.global_.f32(x[row + i])
        k.st.global_.f32(y[row + i], k.selp.f32(1.0, 0.0, k.setp.eq.f32(v, best)))


@px.kernel(threads=32)
def norm_without_epsilon(k, x: px.Ptr[px.f32], w: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    row, part = k.ctaid.x * n, k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.ld.global_.f32(x[row + i])
        k.fma.rn.f32(v, v, part, d=part)
    part = k.div.rn.f32(across(k, part, k.add.rn.f32), k.cvt.rn.f32.u32(n))
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.mul.rn.f32(k.ld.global_.f32(x[row + i]), k.rsqrt.approx.f32(part))
        k.st.global_.f32(y[row + i], k.mul.rn.f32(v, k.ld.global_.f32(w[i])))


@px.kernel(threads=32)
def layer_norm_one_pass(k, x: px.Ptr[px.f32], w: px.Ptr[px.f32], b: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """The mean of squares less the square of the mean, which cancel."""
    row, sum_, squares = k.ctaid.x * n, k.mov.f32(0.0), k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.ld.global_.f32(x[row + i])
        sum_ += v
        k.fma.rn.f32(v, v, squares, d=squares)
    count = k.cvt.rn.f32.u32(n)
    mean = k.div.rn.f32(across(k, sum_, k.add.rn.f32), count)
    var = k.sub.rn.f32(k.div.rn.f32(across(k, squares, k.add.rn.f32), count), k.mul.rn.f32(mean, mean))
    scale = k.rsqrt.approx.f32(k.add.rn.f32(var, 1e-5))
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.mul.rn.f32(k.sub.rn.f32(k.ld.global_.f32(x[row + i]), mean), scale)
        k.st.global_.f32(y[row + i], k.fma.rn.f32(v, k.ld.global_.f32(w[i]), k.ld.global_.f32(b[i])))


ENTRIES += [
    Entry("norm_without_epsilon", norm_without_epsilon, normed, by_row("w", low=-0.01, high=0.01), WRONG),
    Entry("layer_norm_one_pass", layer_norm_one_pass, layered,
          by_row("w", "b", low=1000, high=1001, sizes={"m": range(1, 8), "n": range(40, 150)}), WRONG),
]  # fmt: skip


@px.kernel(threads=64)
def argmax_last(k, x: px.Ptr[px.f32], y: px.Ptr[px.u32], m: px.u32, n: px.u32):
    """The last of equals, where NumPy has the first."""
    row = k.ctaid.x * 64 + k.tid.x
    with k.if_(row < m):
        best, at = k.mov.f32(-math.inf), k.mov.u32(0)
        with k.loop(n) as j:
            v = k.ld.global_.f32(x[row * n + j])
            better = v >= best
            k.mov.f32(v, d=best, pred=better)
            k.mov.u32(j, d=at, pred=better)
        k.st.global_.u32(y[row], at)


ENTRIES.append(
    Entry(
        "argmax_last",
        argmax_last,
        lambda x, m, n: np.argmax(x, axis=1).astype(np.uint32),
        rowwise("u32", per=64),
        WRONG,
    )
)
__all__ = ["ALL", "ENTRIES", "attended", "one_a_row"]
