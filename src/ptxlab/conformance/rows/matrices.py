"""Operands of products of one warp: fragments whose sums are aligned, cut and rounded in every way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ptxlab.conformance.rows.tiles import drawn, metadata
from ptxlab.conformance.rows.values import Words, mask, words

if TYPE_CHECKING:
    from ptxlab.conformance.rows.probes import Port, Probe

KINDS: Final = ("bits",) * 3 + ("finite",) * 2 + ("near",) * 3 + ("cancel",) * 4 + ("tiny",) * 2 + ("near",) * 2
"""The data of each of sixteen warps: kinds of `tiles.KINDS`."""
SPARSE: Final = ("sparse",) * 11 + ("null",) * 5
"""The same where the variant says "sparse"."""
_BITS: Final = {"f64": 64, "tf32": 32, "f32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8}
_FIXED: Final = ("f64", "tf32", "bf16", "f16")


def element(probe: Probe, operand: str) -> str:
    """The type of the elements of A, B or C; "" for integers and bits."""
    own = probe.mods.get(f"{operand}type")
    if own is None:
        own = next((name for name in _FIXED if name in probe.form.key.split(".")), "")
    return own if own in _BITS else ""


def columns(probe: Probe, seed: int) -> list[list[Words]]:
    """Values of every register that is loaded, for sixteen warps."""
    made: dict[str, list[Words]] = {}
    for operand in dict.fromkeys(p.operand for p in probe.inputs):
        ports = [p for p in probe.inputs if p.operand == operand]
        if operand == "meta":
            kind = "tf32" if element(probe, "a") == "tf32" else ""
            made[operand] = [metadata(kind, words(32 * len(KINDS), seed, probe.key, operand)).astype(np.uint64)]
        else:
            made[operand] = _registers(probe, operand, ports, seed)
    return [[register] for operand in made.values() for register in operand]


def _registers(probe: Probe, operand: str, ports: list[Port], seed: int) -> list[Words]:
    type_ = element(probe, operand)
    if not type_:
        return [_integers(operand, words(32 * len(KINDS), seed, probe.key, p.name)) for p in ports]
    per = max(1, ports[0].bits // _BITS[type_])
    count = per * len(ports)
    raw = words(count * 32 * len(KINDS), seed, probe.key, operand).reshape(count, len(KINDS), 32)
    if "small" in probe.variant and operand != "c":
        return _packed(drawn(type_, "small", raw).astype(np.uint64).reshape(count, -1), per, 8)
    kinds = SPARSE if "sparse" in probe.variant else KINDS
    out = np.stack([_warp(probe, operand, type_, kind, raw[:, i]) for i, kind in enumerate(kinds)], axis=1)
    return _packed(out.reshape(count, -1), per, _BITS[type_])


def _integers(operand: str, raw: Words) -> Words:
    """Any bits; in C every second warp next to where .satfinite clamps."""
    if operand != "c":
        return raw & mask(32)
    limits = np.where(raw & np.uint64(1) == 1, np.uint64(0x7FFF_FF80), np.uint64(0x8000_0080))
    limited = (np.arange(raw.size) // 32 % 2).astype(np.bool_)
    return np.where(limited, limits, raw & mask(32))


def _warp(probe: Probe, operand: str, type_: str, kind: str, raw: Words) -> Words:
    """The elements [element, lane] of one warp, in registers' order."""
    if operand == "c" and kind == "tiny" and type_ == "f32":
        return raw & np.uint64(0x8000_000F)
    opposed = kind in ("cancel", "null")
    exponents = kind if kind != "null" else "sparse" if operand == "c" else "near"
    out = drawn(type_, exponents, raw).astype(np.uint64)
    if opposed and operand == "a":
        # terms come in pairs of opposite signs, of "cancel" up to the last bit of a factor
        step = 1 if _BITS[type_] <= 16 else 2
        if len(out) >= 2 * step:
            first, second = _pairs(len(out), step)
            sign = np.uint64(1) << np.uint64(_BITS[type_] - 1)
            last = np.uint64(0 if kind == "null" else 1 << 13 if type_ == "tf32" else 1)
            out[second] = out[first] ^ sign ^ (out[second] & last)
    elif opposed and operand == "b":
        if probe.form.name == "mma.sp":  # whichever rows the metadata choose
            out[:] = np.repeat(out[:1, ::4], 4, axis=1)
        elif len(out) > 1:
            first, second = _pairs(len(out), 1)
            out[second] = out[first]
    return out


def _pairs(count: int, step: int) -> tuple[list[int], list[int]]:
    """Elements and those `step` further on."""
    first = [i for i in range(count) if i // step % 2 == 0 and i + step < count]
    return first, [i + step for i in first]


def _packed(elements: Words, per: int, bits: int) -> list[Words]:
    """Registers of so many elements each, low bits first."""
    out: list[Words] = []
    for at in range(0, len(elements), per):
        word = np.zeros(elements.shape[1], np.uint64)
        for i in range(per):
            word |= elements[at + i] << np.uint64(i * bits)
        out.append(word)
    return out
