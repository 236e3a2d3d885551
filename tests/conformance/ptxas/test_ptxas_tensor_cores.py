"""Every shape × layout × type × kind of the tensor cores, legal or not, against ptxas.

The operands have the sizes that the matrices' sizes give, worked out here again and not taken from the rows.
A sample by default; `PTXLAB_ORACLE=full` tries all.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import oracle
import pytest

import ptxlab.isa  # noqa: F401  (enters the rows)
from ptxlab.isa.enumerate import REGISTERS, Candidate, verdict
from ptxlab.isa.form import FORMS
from ptxlab.isa.operands import Addr, Imm, Operand, Reg, Vec
from ptxlab.isa.targets import Target, Version
from ptxlab.isa.types import TYPES

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_SAMPLE = 300

_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1} | dict.fromkeys(
    ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1"), 8
)
_NARROW = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
_ACCUMULATORS = ("f16", "f32", "f64", "s32")
_LAYOUTS = [f"{a}.{b}" for a in ("row", "col") for b in ("row", "col")]
_MMA_SHAPES = [f"m8n8k{k}" for k in (4, 8, 16, 32, 128)] + [f"m16n8k{k}" for k in (4, 8, 16, 32, 64, 128, 256)]
_WMMA_SHAPES = ["m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"]
_LARGEST = 8  # ptxas takes no longer vectors outside of wgmma


def _vector(type_name: str, count: int) -> Vec:
    prefix, _ = REGISTERS[type_name]
    return Vec(tuple(Reg(f"{prefix}{i + 1}", TYPES[type_name]) for i in range(max(1, count))))


def _dims(shape: str) -> tuple[int, int, int]:
    m, n, k = (int(x) for x in re.findall(r"\d+", shape))
    return m, n, k


def _accumulator(shape: str, type_: str) -> Vec:
    m, n, _ = _dims(shape)
    elements = m * n // 32
    if shape == "m8n8k4" and type_ != "f64":
        elements = 8  # four products at once
    return _vector("b32", elements // 2) if type_ == "f16" else _vector(type_, elements)


def _factor(shape: str, type_: str, lines: int, k: int, bits: int) -> Vec:
    if type_ == "f64":
        return _vector("f64", lines * k // 32)
    if shape == "m8n8k4" and type_ == "f16":
        return _vector("b32", 2)
    return _vector("b32", lines * k * bits // 1024)


def _mma(shape: str, head: str, types: tuple[str, str, str, str], tail: str = "", **extra: object) -> Candidate:
    """One mma; `extra`: name, sparse, bits (of an element of A and B) and operands behind C."""
    m, n, k = _dims(shape)
    d, a, b, c = types
    name = str(extra.get("name", "mma"))
    bits = extra.get("bits")
    each = bits if isinstance(bits, int) else _BITS[a]
    behind = extra.get("behind", ())
    assert isinstance(behind, tuple)
    operands: list[Operand] = [
        _accumulator(shape, d),
        _factor(shape, a, m, k // 2 if "sp" in name else k, each),
        _factor(shape, b, n, k, each),
        _accumulator(shape, c),
        *behind,
    ]
    opcode = f"{name}.sync.aligned.{shape}.{head}.{d}.{a}.{b}.{c}{tail}"
    return Candidate(FORMS["mma.half"], opcode, tuple(operands), "product")


_META = (Reg("%r1", TYPES["b32"]), Imm(0, "0"))


def _pairs() -> Iterator[tuple[str, str]]:
    return ((a, b) for a, b in product(_BITS, _BITS) if _BITS[a] == _BITS[b])


def _dense() -> Iterator[Candidate]:
    for shape, d, (a, b), c in product(_MMA_SHAPES, _ACCUMULATORS, _pairs(), _ACCUMULATORS):
        bits = ".xor.popc" if a == "b1" else ""
        for layout in _LAYOUTS if a == b and d == c else ["row.col"]:
            yield _mma(shape, layout, (d, a, b, c), bits)
    for shape, d, a, b, c in product(_MMA_SHAPES, ("f16", "f32"), _NARROW, _NARROW, ("f16", "f32")):
        yield _mma(shape, "row.col.kind::f8f6f4", (d, a, b, c))
    for shape, option in product(_MMA_SHAPES, ("satfinite", "rn", "rz")):
        for d, a in (("s32", "s8"), ("s32", "u4"), ("f64", "f64"), ("f32", "f16"), ("f32", "e4m3")):
            yield _mma(shape, f"row.col.{option}", (d, a, a, d))
    for shape, ops in product(_MMA_SHAPES, ("", ".popc", ".and", ".and.popc", ".xor.popc", ".or.popc")):
        yield _mma(shape, "row.col", ("s32", "b1", "b1", "s32"), ops)


def _sparse() -> Iterator[Candidate]:
    for name in ("mma.sp", "mma.sp::ordered_metadata"):
        for shape, d, (a, b), c in product(_MMA_SHAPES, ("f16", "f32", "s32"), _pairs(), ("f16", "f32", "s32")):
            if a not in ("b1", "f64"):
                yield _mma(shape, "row.col", (d, a, b, c), name=name, behind=_META)
        for shape, d, a, b in product(_MMA_SHAPES, ("f16", "f32"), _NARROW, _NARROW):
            yield _mma(shape, "row.col.kind::f8f6f4", (d, a, b, d), name=name, behind=_META)


def _scaled() -> Iterator[Candidate]:
    kinds = ("mxf8f6f4", "mxf4", "mxf4nvf4")
    vectors = ("", ".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X")
    factors = [(a, b, 8) for a, b in product(_NARROW, _NARROW)] + [("e2m1", "e2m1", 4)]
    types = ("", ".ue8m0", ".ue4m3")
    scales: tuple[Operand, ...] = (_META[0], _vector("b16", 2), _META[0], _vector("b16", 2))
    for shape, kind, vector, (a, b, bits), stype in product(_MMA_SHAPES, kinds, vectors, factors, types):
        head = f"row.col.kind::{kind}.block_scale{vector}"
        yield _mma(shape, head, ("f32", a, b, "f32"), stype, bits=bits, behind=scales)
        if a == b:
            yield _mma(
                shape,
                head,
                ("f32", a, b, "f32"),
                stype,
                bits=bits,
                behind=(*_META, *scales),
                name="mma.sp::ordered_metadata",
            )


def _wmma() -> Iterator[Candidate]:
    where = Addr(Reg("%rd5", TYPES["b64"]))
    held = {"f16": "b32", "f32": "f32", "s32": "s32", "f64": "f64"}
    for shape, layout, type_ in product(_WMMA_SHAPES, ("row", "col"), [*_BITS, *held]):
        m, n, k = _dims(shape)
        for frag, lines in (("a", m), ("b", n)):
            count = 8 if type_ == "f16" else 1 if type_ == "f64" else lines * k * _BITS.get(type_, 32) // 1024
            one = _vector("f64" if type_ == "f64" else "b32", count)
            opcode = f"wmma.load.{frag}.sync.aligned.{layout}.{shape}.{type_}"
            yield Candidate(FORMS["wmma.load.c"], opcode, (one, where), "product")
        if type_ in held:
            one = _vector(held[type_], m * n // 32 // (2 if type_ == "f16" else 1))
            for opcode, row in (
                (f"wmma.load.c.sync.aligned.{layout}.{shape}.{type_}", (one, where)),
                (f"wmma.store.d.sync.aligned.{layout}.{shape}.{type_}", (where, one)),
            ):
                yield Candidate(FORMS["wmma.load.c"], opcode, row, "product")


def _wmma_products() -> Iterator[Candidate]:
    for shape, layout, (a, b), d, c in product(_WMMA_SHAPES, _LAYOUTS, _pairs(), _ACCUMULATORS, _ACCUMULATORS):
        m, n, k = _dims(shape)
        operands = tuple(_vector("b32", m * n // 64) if t == "f16" else _vector(t, m * n // 32) for t in (d, c))
        factors = tuple(
            _vector("b32", 8)
            if t == "f16"
            else _vector("f64", 1)
            if t == "f64"
            else _vector("b32", w * k * _BITS[t] // 1024)
            for t, w in ((a, m), (b, n))
        )
        types = f"{d}.{c}" if (a, b) == ("f16", "f16") else f"{d}.{a}.{b}.{c}"
        bits = ".xor.popc" if a == "b1" else ""
        opcode = f"wmma.mma{bits}.sync.aligned.{layout}.{shape}.{types}"
        yield Candidate(FORMS["wmma.mma.f16"], opcode, (operands[0], *factors, operands[1]), "product")


def _matrices() -> Iterator[Candidate]:
    where = Addr(Reg("%rd5", TYPES["b64"]))
    formats = ("b16", "b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64", "b8x16")
    shapes = ("m8n8", "m16n16", "m8n16", "m16n8")
    for shape, num, trans, space, type_ in product(
        shapes, (1, 2, 4), ("", ".trans"), ("", ".shared", ".shared::cta", ".shared::cluster"), formats
    ):
        tail = f"sync.aligned.{shape}.x{num}{trans}{space}.{type_}"
        large = _vector("b32", num * (2 if shape == "m16n16" else 1))
        yield Candidate(FORMS["ldmatrix"], f"ldmatrix.{tail}", (large, where), "product")
        yield Candidate(FORMS["stmatrix"], f"stmatrix.{tail}", (where, _vector("b32", num)), "product")


_SETS = {
    "dense": _dense,
    "sparse": _sparse,
    "scaled": _scaled,
    "wmma": _wmma,
    "wmma_products": _wmma_products,
    "matrices": _matrices,
}
_TARGETS: list[tuple[str, Version]] = [("sm_90a", (9, 1)), ("sm_100a", (8, 8)), ("sm_120a", (9, 1))]
_TARGETS += [("sm_70", (6, 4)), ("sm_72", (6, 5)), ("sm_75", (7, 8)), ("sm_80", (9, 1))] if FULL else []


@cache
def _tried(name: str) -> list[Candidate]:
    return [c for c in _SETS[name]() if _small(c)]


def _small(candidate: Candidate) -> bool:
    return all(len(o.items) <= _LARGEST for o in candidate.operands if isinstance(o, Vec))


@pytest.mark.parametrize(("target", "version"), _TARGETS)
@pytest.mark.parametrize("name", _SETS)
def test_every_combination(name: str, target: str, version: Version) -> None:
    tried = _tried(name)
    if not FULL and len(tried) > _SAMPLE:
        dice = random.Random(f"{name}:{target}")
        some = dice.sample(tried, min(len(tried), 6 * _SAMPLE))
        legal = [c for c in some if verdict(c, Target.parse(target), version) is None]
        tried = some[:_SAMPLE] + legal[: _SAMPLE // 2]
    tried = list({c.text: c for c in tried}.values())
    ours = [verdict(c, Target.parse(target), version) for c in tried]
    theirs = oracle.judge([c.text for c in tried], target=target, ptx=version)
    differ = [
        f"{c.text}\n      {mine or other}"
        for c, mine, other in zip(tried, ours, theirs, strict=True)
        if (mine is None) != (other is None)
    ]
    oracle.record(name, target, version, len(tried), differ)
    assert not differ, f"{len(differ)} of {len(tried)} differ:\n   " + "\n   ".join(differ[:20])
