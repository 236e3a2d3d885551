"""Kernels on single elements: a thread computes one, or a few."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ptxlab as px
from unit.verification.corpus.entry import Entry, flat, rows

ENTRIES: list[Entry] = []
WORDS = {"f16": "b16", "bf16": "b16", "e4m3": "b8", "e5m2": "b8"}
LOG2E = math.log2(math.e)


def loaded(k: Any, name: str, address: Any) -> Any:
    """An element of a type that may have no loads of its own."""
    return getattr(k.ld.global_, WORDS.get(name, name))(address)


def stored(k: Any, name: str, address: Any, value: Any) -> None:
    """The same for a store."""
    getattr(k.st.global_, WORDS.get(name, name))(address, value)


def mapped(dtype: str, out: str, inputs: int, emit: Callable[..., Any], name: str) -> px.Kernel:
    """A kernel that computes an element of the result from one of each input."""
    given, result = getattr(px, dtype), getattr(px, out)

    if inputs == 1:

        @px.kernel(threads=128, name=name)
        def one(k, x: px.Ptr[given], y: px.Ptr[result], n: px.u32):
            i = k.ctaid.x * 128 + k.tid.x
            with k.if_(i < n):
                stored(k, out, y[i], emit(k, loaded(k, dtype, x[i])))

        return one

    @px.kernel(threads=128, name=name)
    def two(k, a: px.Ptr[given], b: px.Ptr[given], y: px.Ptr[result], n: px.u32):
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < n):
            stored(k, out, y[i], emit(k, loaded(k, dtype, a[i]), loaded(k, dtype, b[i])))

    return two


def element(
    name: str,
    emit: Callable[..., Any],
    reference: Callable[..., Any],
    dtype: str = "f32",
    out: str | None = None,
    inputs: int = 1,
    **given: Any,
) -> None:
    """Add an entry: emit gives an element's result, reference those of all elements."""
    kernel = mapped(dtype, out or dtype, inputs, emit, name)
    spec = flat(dtype, out, inputs=inputs, **given)
    ENTRIES.append(Entry(name, kernel, lambda *args: reference(*args[:-1]), spec))


# --- f32 --------------------------------------------------------------------------------------------------------------
element("scale", lambda k, v: v * 2.5, lambda x: x * 2.5)
element("add", lambda k, a, b: k.add.rn.f32(a, b), lambda a, b: a + b, inputs=2)
element("add_ftz", lambda k, a, b: k.add.rn.ftz.f32(a, b), lambda a, b: a + b, inputs=2)
element("subtract", lambda k, a, b: k.sub.rn.f32(a, b), lambda a, b: a - b, inputs=2)
element("divide", lambda k, a, b: k.div.rn.f32(a, b), lambda a, b: a / b, inputs=2)
element("divide_full", lambda k, a, b: k.div.full.f32(a, b), lambda a, b: a / b, inputs=2, low=0.5, high=100)
element("axpy_fused", lambda k, a, b: k.fma.rn.f32(a, 3.0, b), lambda a, b: 3 * a + b, inputs=2)
element("axpy_apart", lambda k, a, b: k.add.rn.f32(k.mul.rn.f32(a, 3.0), b), lambda a, b: 3 * a + b, inputs=2)
element("axpy_ftz", lambda k, a, b: k.fma.rn.ftz.f32(a, 3.0, b), lambda a, b: 3 * a + b, inputs=2)
element("absolute", lambda k, v: k.abs.f32(v), np.abs)
element("negate", lambda k, v: k.neg.f32(v), lambda x: -x)
element("relu", lambda k, v: k.max.NaN.f32(v, 0.0), lambda x: np.maximum(x, 0))
element("relu_fmax", lambda k, v: k.max.f32(v, 0.0), lambda x: np.fmax(x, 0))
element("largest", lambda k, a, b: k.max.NaN.f32(a, b), np.maximum, inputs=2)
element("clamp", lambda k, v: k.min.NaN.f32(k.max.NaN.f32(v, -1.0), 1.0), lambda x: np.clip(x, -1, 1))
element("root", lambda k, v: k.sqrt.rn.f32(v), np.sqrt, low=0, high=1e6)
element("root_approx", lambda k, v: k.sqrt.approx.ftz.f32(v), np.sqrt, low=0.01, high=1e6)
element("rsqrt", lambda k, v: k.rsqrt.approx.f32(v), lambda x: 1 / np.sqrt(x), low=0.01, high=1e6)
element("reciprocal", lambda k, v: k.rcp.rn.f32(v), lambda x: 1 / x)
element("reciprocal_approx", lambda k, v: k.rcp.approx.ftz.f32(v), lambda x: 1 / x, low=0.01, high=100)
element("exp", lambda k, v: k.ex2.approx.f32(k.mul.rn.f32(v, LOG2E)), np.exp, low=-80, high=80)
element("exp_ftz", lambda k, v: k.ex2.approx.ftz.f32(k.mul.rn.f32(v, LOG2E)), np.exp, low=-20, high=20)
element("log", lambda k, v: k.mul.rn.f32(k.lg2.approx.f32(v), math.log(2)), np.log, low=0.01, high=1e4)
element("tanh_by_exp", lambda k, v: tanh_of(k, v), np.tanh, low=-8, high=8)
element("sine", lambda k, v: k.sin.approx.f32(v), np.sin, low=-3, high=3, atol=2e-6, rtol=0)
element("tanh_approx", lambda k, v: k.tanh.approx.f32(v), np.tanh, low=-8, high=8, rtol=6e-4, atol=1e-6)
element("square", lambda k, v: k.mul.rn.f32(v, v), np.square)
element("cube", lambda k, v: k.mul.rn.f32(k.mul.rn.f32(v, v), v), lambda x: x**3, low=-10, high=10)
element("hypotenuse", lambda k, a, b: k.sqrt.rn.f32(k.fma.rn.f32(a, a, k.mul.rn.f32(b, b))),
        lambda a, b: np.sqrt(a * a + b * b), inputs=2, low=-100, high=100)  # fmt: skip
element("floor", lambda k, v: k.cvt.rmi.f32.f32(v), np.floor)
element("round_even", lambda k, v: k.cvt.rni.f32.f32(v), np.rint)
element("copysign", lambda k, a, b: k.copysign.f32(b, a), lambda a, b: np.where(np.signbit(b), -np.abs(a), np.abs(a)),
        inputs=2, nan=False)  # fmt: skip


def tanh_of(k: Any, v: Any) -> Any:
    """1 − 2 / (exp(2 v) + 1)."""
    e = k.ex2.approx.f32(k.mul.rn.f32(v, 2 * LOG2E))
    return k.sub.rn.f32(1.0, k.mul.rn.f32(2.0, k.rcp.rn.f32(k.add.rn.f32(e, 1.0))))


def sigmoid_of(k: Any, v: Any) -> Any:
    """1 / (1 + exp(−v))."""
    e = k.ex2.approx.f32(k.mul.rn.f32(v, -LOG2E))
    return k.rcp.rn.f32(k.add.rn.f32(e, 1.0))


def gelu_of(k: Any, v: Any) -> Any:
    """By tanh."""
    cube = k.mul.rn.f32(k.mul.rn.f32(v, v), v)
    inner = k.mul.rn.f32(k.fma.rn.f32(cube, 0.044715, v), math.sqrt(2 / math.pi))
    return k.mul.rn.f32(k.mul.rn.f32(v, 0.5), k.add.rn.f32(1.0, tanh_of(k, inner)))


def polynomial_of(k: Any, v: Any) -> Any:
    """Horner's scheme."""
    total = k.mov.f32(0.25)
    for c in (-0.5, 1.5, -2.0):
        total = k.fma.rn.f32(total, v, c)
    return total


element("sigmoid", sigmoid_of, lambda x: 1 / (1 + np.exp(-x)), low=-20, high=20)
element("silu", lambda k, v: k.mul.rn.f32(v, sigmoid_of(k, v)), lambda x: x / (1 + np.exp(-x)), low=-20, high=20)
element("gelu", gelu_of, lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        low=-4, high=4)  # fmt: skip
element("polynomial", polynomial_of, lambda x: ((0.25 * x - 0.5) * x + 1.5) * x - 2, low=-4, high=4)
element("leaky_relu", lambda k, v: k.selp.f32(v, k.mul.rn.f32(v, 0.1), k.setp.gt.f32(v, 0.0)),
        lambda x: np.where(x > 0, x, 0.1 * x), nan=False)  # fmt: skip
element("swiglu", lambda k, a, b: k.mul.rn.f32(k.mul.rn.f32(a, sigmoid_of(k, a)), b),
        lambda a, b: a / (1 + np.exp(-a)) * b, inputs=2, low=-10, high=10)  # fmt: skip
element("compare", lambda k, a, b: k.selp.u32(1, 0, k.setp.lt.f32(a, b)), lambda a, b: (a < b).astype(np.uint32),
        out="u32", inputs=2)  # fmt: skip

# --- f64 --------------------------------------------------------------------------------------------------------------
element("f64_fma", lambda k, a, b: k.fma.rn.f64(a, b, 1.0), lambda a, b: a * b + 1, "f64", inputs=2, accuracy="f64")
element("f64_divide", lambda k, a, b: k.div.rn.f64(a, b), lambda a, b: a / b, "f64", inputs=2, accuracy="f64")
element("f64_root", lambda k, v: k.sqrt.rn.f64(v), np.sqrt, "f64", accuracy="f64", low=0, high=1e9)

# --- f16 and bf16 -------------------------------------------------------------------------------------------------------
element("f16_add", lambda k, a, b: k.add.rn.f16(a, b), lambda a, b: a + b, "f16", inputs=2, accuracy="f16")
element("f16_fma", lambda k, a, b: k.fma.rn.f16(a, b, a), lambda a, b: a * b + a, "f16", inputs=2, accuracy="f16",
        low=-100, high=100)  # fmt: skip
element("bf16_fma", lambda k, a, b: k.fma.rn.bf16(a, b, a), lambda a, b: a * b + a, "bf16", inputs=2, accuracy="bf16",
        low=-100, high=100)  # fmt: skip
element("bf16_largest", lambda k, a, b: k.max.NaN.bf16(a, b), np.maximum, "bf16", inputs=2)
element("f16_by_f32", lambda k, v: k.cvt.rn.f16.f32(k.mul.rn.f32(k.cvt.f32.f16(v), 0.3)), lambda x: x * 0.3, "f16")
element("bf16_by_f32", lambda k, v: k.cvt.rn.bf16.f32(k.mul.rn.f32(k.cvt.f32.bf16(v), 0.3)), lambda x: x * 0.3, "bf16")
element("widen_f16", lambda k, v: k.cvt.f32.f16(v), lambda x: x, "f16", "f32")
element("widen_bf16", lambda k, v: k.cvt.f32.bf16(v), lambda x: x, "bf16", "f32")
element("narrow_f16", lambda k, v: k.cvt.rn.f16.f32(v), lambda x: x.astype(np.float16), "f32", "f16")
element("narrow_bf16", lambda k, v: k.cvt.rn.bf16.f32(v), lambda x: x, "f32", "bf16")
element("f16_exp2", lambda k, v: k.ex2.approx.f16(v), np.exp2, "f16", accuracy="f16", low=-8, high=8)

# --- integers -----------------------------------------------------------------------------------------------------------
element(
    "u32_hash",
    lambda k, v: (v * 2654435761) ^ (v >> 16),
    lambda x: x * np.uint32(2654435761) ^ x >> np.uint32(16),
    "u32",
)
element("s32_add", lambda k, a, b: a + b, lambda a, b: a + b, "s32", inputs=2)
element("s32_min_max", lambda k, a, b: k.min.s32(k.max.s32(a, 0), b), lambda a, b: np.minimum(np.maximum(a, 0), b), "s32",
        inputs=2)  # fmt: skip
element("u64_mul", lambda k, a, b: k.mul.lo.u64(a, b), lambda a, b: a * b, "u64", inputs=2)
element("s64_sub", lambda k, a, b: k.sub.s64(a, b), lambda a, b: a - b, "s64", inputs=2)
element("u16_add", lambda k, a, b: k.add.u16(a, b), lambda a, b: a + b, "u16", inputs=2)
element("s16_abs", lambda k, v: k.abs.s16(v), lambda x: np.abs(x), "s16", low=-32767)
element("popcount", lambda k, v: k.popc.b32(v), lambda x: np.bitwise_count(x).astype(np.uint32), "u32")
element(
    "shift", lambda k, a, b: k.shl.b32(a, k.and_.b32(b, 31)), lambda a, b: a << (b & np.uint32(31)), "u32", inputs=2
)
element("divide_integers", lambda k, a, b: k.div.u32(a, b), lambda a, b: a // b, "u32", inputs=2, low=1, high=1 << 32)
element("high_half", lambda k, a, b: k.mul.hi.u32(a, b),
        lambda a, b: (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32), "u32", inputs=2)  # fmt: skip
element("saturate", lambda k, a, b: k.add.sat.s32(a, b),
        lambda a, b: np.clip(a.astype(np.int64) + b, -(1 << 31), (1 << 31) - 1).astype(np.int32), "s32", inputs=2)  # fmt: skip
element("to_float", lambda k, v: k.cvt.rn.f32.s32(v), lambda x: x.astype(np.float64), "s32", "f32")
element("to_integer", lambda k, v: k.cvt.rzi.s32.f32(v), lambda x: x.astype(np.int32), "f32", "s32", low=-1e6, high=1e6)


# --- bytes, pairs and vectors -------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def bytes_inverted(k, x: px.Ptr[px.u8], y: px.Ptr[px.u8], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.u8(y[i], k.sub.u32(255, k.ld.global_.u8(x[i])))


ENTRIES.append(Entry("bytes_inverted", bytes_inverted, lambda x, n: 255 - x, flat("u8")))


def paired(dtype: str, emit: Callable[..., Any], name: str) -> px.Kernel:
    """Two elements of 16 bits in a register."""
    kind = getattr(px, dtype)

    @px.kernel(threads=128, name=name)
    def pairs(k, a: px.Ptr[kind], b: px.Ptr[kind], y: px.Ptr[kind], n: px.u32):
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < n):
            k.st.global_.b32(y[2 * i], emit(k, k.ld.global_.b32(a[2 * i]), k.ld.global_.b32(b[2 * i])))

    return pairs


def pairs_of(dtype: str, accuracy: str) -> px.Spec:
    """Arrays of 2 n elements."""

    def case(n: int) -> px.Case:
        ins = [px.Input(dtype, 2 * n, low=-50, high=50) for _ in range(2)]
        return px.case([*ins, px.Output(dtype, 2 * n), n], grid=rows(n))

    return px.Spec(case, {"n": range(1, 300)}, accuracy=accuracy)


for _dtype in ("f16", "bf16"):
    _two = _dtype + "x2"
    ENTRIES += [
        Entry(f"{_two}_fma", paired(_dtype, lambda k, a, b, t=_two: getattr(k.fma.rn, t)(a, b, b), f"{_two}_fma"),
              lambda a, b, n: a * b + b, pairs_of(_dtype, _dtype)),
        Entry(f"{_two}_largest", paired(_dtype, lambda k, a, b, t=_two: getattr(k.max, t)(a, b), f"{_two}_max"),
              lambda a, b, n: np.maximum(a, b), pairs_of(_dtype, _dtype)),
    ]  # fmt: skip


@px.kernel(threads=64)
def wide(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Four elements a thread, and the last ones one by one."""
    i = (k.ctaid.x * 64 + k.tid.x) * 4
    whole = k.add.u32(i, 4) <= n
    with k.if_(whole):
        k.st.global_.v4.f32(y[i], [v * 0.5 for v in k.ld.global_.v4.f32(x[i])])
    with k.else_(), k.loop(n, start=i) as j:
        k.st.global_.f32(y[j], k.ld.global_.f32(x[j]) * 0.5)


@px.kernel(threads=96)
def striding(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """A grid of three CTAs goes over arrays of any length."""
    with k.loop(n, start=k.ctaid.x * 96 + k.tid.x, step=3 * 96) as i:
        v = k.ld.global_.f32(x[i])
        k.st.global_.f32(y[i], k.fma.rn.f32(v, v, 1.0))


@px.kernel(threads=128)
def pairs_by_vector(k, x: px.Ptr[px.f64], y: px.Ptr[px.f64], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        a, b = k.ld.global_.v2.f64(x[2 * i])
        k.st.global_.v2.f64(y[2 * i], [b, a])


def strided(grid: Callable[[int], int], dtype: str = "f32", times: int = 1) -> px.Spec:
    """Arrays of n or more elements, with a grid of its own."""

    def case(n: int) -> px.Case:
        return px.case([px.Input(dtype, times * n), px.Output(dtype, times * n), n], grid=grid(n))

    return px.Spec(case, {"n": range(1, 900)}, accuracy="f64" if dtype == "f64" else "f32")


ENTRIES += [
    Entry("wide", wide, lambda x, n: x * 0.5, strided(lambda n: rows(n, 256))),
    Entry("striding", striding, lambda x, n: x * x + 1, strided(lambda n: 3)),
    Entry("pairs_by_vector", pairs_by_vector, lambda x, n: x.reshape(-1, 2)[:, ::-1].reshape(-1),
          strided(rows, "f64", 2)),
]  # fmt: skip


# --- fp8 ------------------------------------------------------------------------------------------------------------------
def to_fp8(name: str) -> px.Kernel:
    """Two numbers to two bytes, saturated."""

    @px.kernel(threads=128, name=f"to_{name}")
    def narrowed(k, x: px.Ptr[px.f32], y: px.Ptr[getattr(px, name)], n: px.u32):
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < n):
            low, high = k.ld.global_.v2.f32(x[2 * i])
            k.st.global_.b16(y[2 * i], getattr(k.cvt.rn.satfinite, f"{name}x2").f32(high, low))

    return narrowed


def from_fp8(name: str) -> px.Kernel:
    """Two bytes to two numbers of f16."""

    @px.kernel(threads=128, name=f"from_{name}")
    def widened(k, x: px.Ptr[getattr(px, name)], y: px.Ptr[px.f16], n: px.u32):
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < n):
            k.st.global_.b32(y[2 * i], getattr(k.cvt.rn.f16x2, f"{name}x2")(k.ld.global_.b16(x[2 * i])))

    return widened


def fp8(given: str, result: str, low: float, high: float) -> px.Spec:
    """Arrays of 2 n elements."""

    def case(n: int) -> px.Case:
        return px.case([px.Input(given, 2 * n, low=low, high=high), px.Output(result, 2 * n), n], grid=rows(n))

    return px.Spec(case, {"n": range(1, 300)})


for _name, _most in (("e4m3", 400.0), ("e5m2", 5e4)):
    ENTRIES += [
        Entry(f"to_{_name}", to_fp8(_name), lambda x, n: x, fp8("f32", _name, -_most, _most)),
        Entry(f"from_{_name}", from_fp8(_name), lambda x, n: x, fp8(_name, "f16", -_most, _most)),
    ]
