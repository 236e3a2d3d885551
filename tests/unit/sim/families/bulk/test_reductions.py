"""cp.reduce.async.bulk against one number after the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.tma.kernels import PIECE, THREADS, bulk_reduction
from ptxlab.sim.numerics import degrees
from ptxlab.sim.numerics.coded import code_of, held
from ptxlab.sim.numerics.reductions import combiner, rounded_to_tf32

from ...conftest import entry

RULES: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "min": min,
    "max": max,
    "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
TYPES = {"u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64, "b32": np.uint32, "b64": np.uint64}
GLOBAL = [
    *(("add", t) for t in ("u32", "s32", "u64")),
    *((op, t) for op in ("min", "max") for t in ("u32", "s32", "u64", "s64")),
    *((op, "u32") for op in ("inc", "dec")),
    *((op, t) for op in ("and", "or", "xor") for t in ("b32", "b64")),
]
SHARED = [(op, t) for op, t in GLOBAL if t.endswith("32") or (op, t) == ("add", "u64")]


@pytest.mark.parametrize("schedule", ["eager", "late"])
@pytest.mark.parametrize(
    ("op", "type_", "space"), [(*c, "global") for c in GLOBAL] + [(*c, "shared::cluster") for c in SHARED]
)
def test_integers(op: str, type_: str, space: str, schedule: str) -> None:
    dtype = np.dtype(TYPES[type_])
    ctas = 1 if space == "global" else 2
    source, target = (px.empty(ctas * PIECE // dtype.itemsize, dtype) for _ in range(2))
    rng = np.random.default_rng(0)
    for a in (source, target):
        a.view(np.uint8)[:] = rng.integers(0, 256, ctas * PIECE)
        a[:8] = rng.integers(0, 4, 8)
    bits = 8 * dtype.itemsize
    # a pair exchanges: what one CTA holds is combined into what the other one has
    sent = np.concatenate(np.split(source, ctas)[::-1])
    expected = [RULES[op](int(a), int(b)) & (1 << bits) - 1 for a, b in zip(target, sent, strict=True)]
    kernel = px.parse(bulk_reduction(op, type_, space))["k"]
    px.simulate(
        kernel, grid=ctas, block=THREADS, cluster=None if ctas == 1 else ctas, args=[source, target], schedule=schedule
    )
    assert target.view(f"u{bits // 8}").tolist() == expected


FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
NAN = math.nan


@pytest.mark.parametrize(
    ("op", "type_", "a", "b", "result"),
    [
        ("add", "f16", 1.0, 2.0**-11, 1.0),
        ("add", "f16", 65504.0, 16.0, math.inf),
        ("add", "f16", 2.0**-24, 2.0**-24, 2.0**-23),
        ("add", "bf16", 1.0, 3 * 2.0**-8, 1 + 2.0**-6),
        ("add", "bf16", 2.0**-133, 2.0**-133, 2.0**-132),
        ("add", "f32", 2.0**-149, 2.0**-149, 2.0**-148),
        ("add", "f32_ftz", 2.0**-126, -(2.0**-127) * 1.5, 2.0**-126),
        ("add", "f32_ftz", 2.0**-149, 2.0**-149, 0.0),
        ("add", "f32_ftz", 2.0**-126, -(2.0**-126) * 1.5, -0.0),
        ("add", "f64", 2.0**-1074, 2.0**-1074, 2.0**-1073),
        ("min", "f16", -0.0, 0.0, -0.0),
        ("max", "bf16", -0.0, 0.0, 0.0),
        ("min", "f16", NAN, 3.0, 3.0),
        ("max", "f16", 3.0, NAN, 3.0),
        ("max", "bf16", -math.inf, -1.0, -1.0),
    ],
)
def test_floats(op: str, type_: str, a: float, b: float, result: float) -> None:
    dtype = FLOATS[type_.removesuffix("_ftz")]
    word, combine = combiner(op, type_)
    got = combine(np.array([a], dtype).view(word), np.array([b], dtype).view(word)).view(dtype)[0]
    assert float(got) == result
    assert math.copysign(1, float(got)) == math.copysign(1, result)


@pytest.mark.parametrize(("type_", "bits"), [("f16", 0x7FFF), ("bf16", 0x7FFF), ("f32", 0x7FFFFFFF)])
def test_nans_are_canonical(type_: str, bits: int) -> None:
    word, combine = combiner("add", type_)
    with np.errstate(over="ignore"):
        nans = np.array([-NAN, math.inf], FLOATS[type_]).view(word)
        others = np.array([1.0, -math.inf], FLOATS[type_]).view(word)
    assert combine(nans, others).tolist() == [bits, bits]


def test_nans_of_f64_stay_as_they_are() -> None:
    """An H100 takes the source's if there are two, and makes none quiet."""
    word, combine = combiner("add", "f64")
    signalling, other = 0xFFF0_0000_0000_0001, 0x7FF8_0000_0000_0005
    one = 0x3FF0_0000_0000_0000
    old, new = np.array([signalling, one, signalling], word), np.array([one, signalling, other], word)
    assert combine(old, new).tolist() == [signalling, signalling, other]


def test_tf32_is_rounded_to_nearest_even() -> None:
    words = np.array([0x3F801000, 0x3F803000, 0x3F801001, 0x007FFFFF, 0x7F7FFFFF, 0xFF800000, 0xFFC00001], np.uint32)
    wanted = [0x3F800000, 0x3F804000, 0x3F802000, 0x00800000, 0x7F800000, 0xFF800000, 0x7FFFE000]
    assert rounded_to_tf32(words).tolist() == wanted


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], %r2;", "PTX9120"),
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+4], [%r1], 16;", "PTX9121"),
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1+64], 16;", "PTX9122"),
    ],
)
def test_faults(run: Callable[..., Any], text: str, code: str) -> None:
    body = """.reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .align 16 .b8 buf[64];
    ld.param.u64 %rd1, [dst]; mov.u32 %r1, buf; mov.u32 %r2, 24;"""
    with pytest.raises(px.Diagnostic) as caught:
        run(entry(".param .u64 dst", body + text + "ret;"), px.empty(64, np.uint32), block=1)
    assert caught.value.code == code


@pytest.mark.parametrize("opcode", ["cp.reduce.async.bulk", "cp.async.bulk"])
def test_copies_between_ctas_need_a_cluster(run: Callable[..., Any], opcode: str) -> None:
    """An H100 faults without one, though the copy stays in its CTA."""
    end = ".add.u32" if "reduce" in opcode else ""
    body = f""".reg .b32 %r<4>; .shared .align 16 .b8 buf[64]; .shared .align 8 .b64 bar;
    mov.u32 %r1, buf; mov.u32 %r2, bar; mbarrier.init.shared::cta.b64 [%r2], 1;
    {opcode}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes{end} [%r1], [%r1+32], 16, [%r2];"""
    with pytest.raises(px.Diagnostic) as caught:
        run(entry("", body + "ret;"), block=1)
    assert caught.value.code == "PTX9128"


@pytest.mark.parametrize(
    ("op", "a", "b", "result"),
    [
        ("add", degrees.INPUT, degrees.CONSTANT, degrees.INPUT),
        ("add", 3, 5, 5),
        ("add", degrees.MOST[0], 1, degrees.MOST[0]),
        ("max", 3, 5, degrees.INPUT),
        ("min", degrees.CONSTANT, degrees.CONSTANT, degrees.CONSTANT),
    ],
)
@pytest.mark.parametrize("type_", ["f16", "bf16", "f32"])
def test_degrees_in_the_place_of_numbers(op: str, type_: str, a: int, b: int, result: int) -> None:
    """A sum has the larger degree, whatever sum their codes would have as residues."""
    word, combine = combiner(op, type_, coded="degrees")
    bits = 8 * word.itemsize
    held_by = [held(np.array([code], np.uint32), bits).astype(word) for code in (a, b)]
    assert code_of(combine(*held_by)).tolist() == [result]
