"""Programs that compute with codes: machine code does what NumPy does, and every row has a place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.isa.effects import AsyncMma
from ptxlab.isa.form import FORMS
from ptxlab.launch.kernel import kernel_of
from ptxlab.sim import run
from ptxlab.sim.engine.compiled.registry import MEANINGS, TRAPS, load_units
from ptxlab.sim.families.algebra.meaning import PREFIX
from ptxlab.sim.families.algebra.rewrite import ROLES, algebraic
from ptxlab.sim.numerics import coded as c
from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.residues import ARRAYS as O

FLOATS = {"f16", "bf16", "f32", "f64", "tf32", "f16x2", "bf16x2", "f32x2"}


def launched(kernel: Any, args: list[Any], grid: int = 1) -> None:
    """The launch, with codes."""
    chosen = LaunchOptions(args=args, grid=grid, device="sim", lints=False)
    record = kernel_of(kernel).entry().built(chosen, None).record
    run(algebraic(record), SimOptions())


def codes(count: int, seed: int) -> Any:
    """Codes of all kinds."""
    rng = np.random.default_rng(seed)
    found = (rng.integers(0, r.P, count) + r.STEP * rng.integers(0, r.Q, count)).astype(np.uint32)
    rare = [0, r.ONE, r.MINUS_ONE, r.PLUS, r.MINUS, r.NAN, r.LOST, r.NO_A, r.STEP * r.NO_B, 1, r.STEP]
    found[: len(rare)] = rare
    return rng.permutation(found)


Row = tuple[Callable[..., Any], Callable[..., Any]]
SINGLE: dict[str, Row] = {
    "add": (lambda k, a, b, c: k.add.rn.f32(a, b), lambda a, b, c: r.add(O, a, b)),
    "sub": (lambda k, a, b, c: k.sub.rn.ftz.f32(a, b), lambda a, b, c: r.sub(O, a, b)),
    "mul": (lambda k, a, b, c: k.mul.rn.f32(a, b), lambda a, b, c: r.mul(O, a, b)),
    "fma": (lambda k, a, b, c: k.fma.rn.f32(a, b, c), lambda a, b, c: r.fma(O, a, b, c)),
    "div": (lambda k, a, b, c: k.div.full.f32(a, b), lambda a, b, c: r.div(O, a, b)),
    "min": (lambda k, a, b, c: k.min.f32(a, b), lambda a, b, c: r.minimum(O, a, b)),
    "max": (lambda k, a, b, c: k.max.f32(a, b), lambda a, b, c: r.maximum(O, a, b)),
    "abs": (lambda k, a, b, c: k.abs.f32(a), lambda a, b, c: r.absolute(O, a)),
    "neg": (lambda k, a, b, c: k.neg.f32(a), lambda a, b, c: r.neg(O, a)),
    "rcp": (lambda k, a, b, c: k.rcp.approx.f32(a), lambda a, b, c: r.inverse(O, a)),
    "sqrt": (lambda k, a, b, c: k.sqrt.rn.f32(a), lambda a, b, c: r.sqrt(O, a)),
    "rsqrt": (lambda k, a, b, c: k.rsqrt.approx.f32(a), lambda a, b, c: r.rsqrt(O, a)),
    "sin": (lambda k, a, b, c: k.sin.approx.f32(a), lambda a, b, c: r.unknown(O, a, "sin")),
    "cos": (lambda k, a, b, c: k.cos.approx.f32(a), lambda a, b, c: r.unknown(O, a, "cos")),
    "ex2": (lambda k, a, b, c: k.ex2.approx.f32(a), lambda a, b, c: r.ex2(O, a)),
    "lg2": (lambda k, a, b, c: k.lg2.approx.f32(a), lambda a, b, c: r.lg2(O, a)),
    "tanh": (lambda k, a, b, c: k.tanh.approx.f32(a), lambda a, b, c: c_tanh(a)),
    "copysign": (lambda k, a, b, c: k.copysign.f32(a, b), lambda a, b, c: r.copysign(O, a, b)),
    "sat": (
        lambda k, a, b, c: k.add.rn.sat.f32(a, b),
        lambda a, b, c: r.minimum(O, r.maximum(O, r.add(O, a, b), a * 0), a * 0 + r.ONE),
    ),
    "integral": (lambda k, a, b, c: k.cvt.rmi.f32.f32(a), lambda a, b, c: r.unknown(O, a, "rmi")),
    "bf16": (lambda k, a, b, c: k.cvt.f32.bf16(k.cvt.rn.bf16.f32(a)), lambda a, b, c: a),
    "f16": (lambda k, a, b, c: k.cvt.f32.f16(k.cvt.rz.f16.f32(a)), lambda a, b, c: a),
    "tf32": (lambda k, a, b, c: k.cvt.rna.tf32.f32(a), lambda a, b, c: a),
    "constant": (lambda k, a, b, c: a * 0.3333333432674408, lambda a, b, c: r.mul(O, a, a * 0 + c_rational(1, 3))),
    "less": (
        lambda k, a, b, c: k.selp.f32(a, b, k.setp.lt.f32(a, b)),
        lambda a, b, c: np.where(r.less(O, a, b), a, b),
    ),
    "unordered": (
        lambda k, a, b, c: k.selp.f32(a, c, k.setp.geu.f32(a, b)),
        lambda a, b, c: np.where(~r.less(O, a, b) | (a == r.NAN) | (b == r.NAN), a, c),
    ),
}


def c_tanh(a: Any) -> Any:
    return c.tanh(O, a)


def c_rational(n: int, d: int) -> int:
    return c.rational(n) if d == 1 else c.constant(n / d, "f32")


@pytest.mark.parametrize("name", SINGLE)
def test_machine_code_does_what_numpy_does(name: str) -> None:
    emitted, computed = SINGLE[name]

    @px.kernel(threads=128)
    def one(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], y: px.Ptr[px.f32]):
        at = k.ctaid.x * 128 + k.tid.x
        k.st.global_.b32(y[at], emitted(k, *(k.ld.global_.f32(x[at]) for x in (a, b, c))))

    given = [codes(1024, seed) for seed in range(3)]
    out = np.zeros(1024, np.float32)
    launched(one, [*(c.held(x, 32).view(np.float32) for x in given), out], grid=8)
    np.testing.assert_array_equal(c.code_of(out.view(np.uint32)), computed(*given))


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_pairs_of_halves(kind: str) -> None:
    @px.kernel(threads=128)
    def one(k, a: px.Ptr[px.b32], b: px.Ptr[px.b32], y: px.Ptr[px.b32]):
        x, z = (k.ld.global_.b32(p[k.tid.x]) for p in (a, b))
        k.st.global_.b32(y[k.tid.x], getattr(k.fma.rn, f"{kind}x2")(x, z, z))

    x, z = (c.held(codes(256, seed), 16) for seed in range(2))
    out = np.zeros(128, np.uint32)
    launched(one, [x.view(np.uint32), z.view(np.uint32), out])
    a, b = (c.code_of(v) for v in (x, z))
    np.testing.assert_array_equal(c.code_of(out.view(np.uint16)), r.fma(O, a, b, b))


def test_doubles_and_integers() -> None:
    @px.kernel(threads=128)
    def one(k, a: px.Ptr[px.f64], n: px.Ptr[px.s32], y: px.Ptr[px.f64]):
        k.st.global_.f64(y[k.tid.x], k.ld.global_.f64(a[k.tid.x]) * k.cvt.rn.f64.s32(k.ld.global_.s32(n[k.tid.x])))

    x, n = codes(128, 1), np.random.default_rng(1).integers(-(2**31), 2**31, 128).astype(np.int32)
    out = np.zeros(128, np.float64)
    launched(one, [c.held(x, 64).view(np.float64), n, out])
    np.testing.assert_array_equal(c.code_of(out.view(np.uint64)), r.mul(O, x, c.whole(n)))


def test_parameters_and_moved_constants() -> None:
    @px.kernel(threads=32)
    def one(k, scale: px.f32, y: px.Ptr[px.f32]):
        bits = k.mov.b32(0x3E800000)  # 0.25
        k.st.global_.f32(y[k.tid.x], k.fma.rn.f32(scale, 0.125, bits))

    out = np.zeros(32, np.float32)
    launched(one, [np.float32(1 / 3), out])
    wanted = r.add(O, np.uint32(c.constant(1 / 24, "f64")), np.uint32(c.constant(0.25)))
    assert set(c.code_of(out.view(np.uint32)).tolist()) == {int(wanted)}


@pytest.mark.parametrize("op", ["add", "max"])
def test_atomics(op: str) -> None:
    @px.kernel(threads=64)
    def total(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
        k.red.global_.add.f32(y[0], k.ld.global_.f32(x[k.tid.x]))

    @px.kernel(threads=64)
    def pairs(k, x: px.Ptr[px.b32], y: px.Ptr[px.b32]):
        k.red.global_.add.noftz.bf16x2(y[0], k.ld.global_.b32(x[k.tid.x]))

    x = codes(64, 5)
    x = np.where(x >= r.SPECIAL, 7, x).astype(np.uint32)
    out = np.zeros(1, np.float32)
    launched(total, [c.held(x, 32).view(np.float32), out])
    assert int(c.code_of(out.view(np.uint32))[0]) == int(r.total(x))
    halves = np.zeros(1, np.uint32)
    launched(pairs, [c.held(np.repeat(x, 2), 16).view(np.uint32), halves])
    assert c.code_of(halves.view(np.uint16)).tolist() == [int(r.total(x))] * 2


@px.kernel(threads=32)
def sign_cleared(k, x: px.Ptr[px.b32], y: px.Ptr[px.f32]):
    k.st.global_.f32(y[k.tid.x], k.mul.rn.f32(k.ld.global_.b32(x[k.tid.x]) & 0x7FFFFFFF, 0.5))


@px.kernel(threads=32)
def exponent(k, x: px.Ptr[px.f32], y: px.Ptr[px.u32]):
    value = k.ld.global_.f32(x[k.tid.x])
    k.st.global_.u32(y[k.tid.x], k.shr.u32(k.mov.b32(value), 23))


@px.kernel(threads=32)
def to_integer(k, x: px.Ptr[px.f32], y: px.Ptr[px.s32]):
    k.st.global_.s32(y[k.tid.x], k.cvt.rni.s32.f32(k.ld.global_.f32(x[k.tid.x])))


@px.kernel(threads=32)
def integers_as_floats(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
    there = k.smem(px.u32, 32)
    k.st.shared.u32(there.at(k.tid.x * 4), k.tid.x * 12345 + 1)
    k.st.global_.f32(y[k.tid.x], k.ld.shared.f32(there.at(k.tid.x * 4)) * 2.0)


@pytest.mark.parametrize("kernel", [sign_cleared, exponent, to_integer, integers_as_floats])
def test_bit_tricks_are_refused(kernel: Any) -> None:
    x = c.held(codes(32, 1), 32)
    with pytest.raises(px.Diagnostic) as found:
        launched(kernel, [x.view(kernel_array(kernel, 0)), np.zeros(32, kernel_array(kernel, 1))])
    assert found.value.code == "PTX9279"
    assert found.value.origin is not None


def kernel_array(kernel: Any, index: int) -> Any:
    """The dtype of a parameter of one of these."""
    kinds = {
        sign_cleared: ("u4", "f4"),
        exponent: ("f4", "u4"),
        to_integer: ("f4", "i4"),
        integers_as_floats: ("f4", "f4"),
    }
    return np.dtype(kinds[kernel][index])


def test_halves_may_be_moved() -> None:
    @px.kernel(threads=32)
    def widened(k, x: px.Ptr[px.b32], y: px.Ptr[px.f32]):
        both = k.ld.global_.b32(x[k.tid.x])
        low, high = k.shl.b32(both, 16), k.and_.b32(both, 0xFFFF0000)
        k.st.global_.f32(y[k.tid.x], k.mul.rn.f32(low, high))

    x = codes(64, 2)
    out = np.zeros(32, np.float32)
    launched(widened, [c.held(x, 16).view(np.uint32), out])
    np.testing.assert_array_equal(c.code_of(out.view(np.uint32)), r.mul(O, x[::2], x[1::2]))


def test_every_row_of_floating_point_arithmetic_has_a_place() -> None:
    load_units()
    moving = partial(any_word, words=("ld", "ldu", "st", "wmma.load", "wmma.store", "cp.reduce", "multimem"))
    for key, form in FORMS.items():
        words = {word for values in form.mods.values() for word in values}
        about_floats = bool(words & FLOATS) or any(part in FLOATS for part in key.split("."))
        if form.unsimulated or not about_floats or moving(key):
            continue
        dense = isinstance(form.effect, AsyncMma) and key.split(".")[2] in ("f16", "tf32")
        placed = [PREFIX + key in MEANINGS or PREFIX + key in TRAPS, key in ROLES, dense]
        assert any(placed), key


def any_word(key: str, words: tuple[str, ...]) -> bool:
    return any(key == word or key.startswith(word + ".") for word in words)


TABLE = """
.version 8.0
.target sm_90
.address_size 64
.const .f32 table[2] = {0.5, 0f3EAAAAAB};
.visible .entry one(.param .u64 y) {
  .reg .u64 %y;
  .reg .f32 %a, %b;
  ld.param.u64 %y, [y];
  ld.const.f32 %a, [table];
  ld.const.f32 %b, [table+4];
  fma.rn.f32 %a, %a, %b, %b;
  st.global.f32 [%y], %a;
  ret;
}
"""


def test_initialised_variables() -> None:
    module, out = px.parse(TABLE), np.zeros(1, np.float32)
    chosen = LaunchOptions(args=[out], grid=1, block=1, device="sim", lints=False)
    record = module["one"].entry().built(chosen, None).record
    run(algebraic(record), SimOptions())
    assert int(c.code_of(out.view(np.uint32))[0]) == c.constant(0.5)
    run(record, SimOptions())
    assert out[0] == 0.5  # the variable itself is as it was
