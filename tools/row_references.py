"""Rows against their references: what the meaning in plain Python gives on a probe's operands, and what differs from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record.results import Difference, Ran
from ptxlab.conformance.rows.emit import LANES, loaded, operands
from ptxlab.conformance.rows.probes import CARRY, LEFT, Port, Probe, probes
from ptxlab.conformance.rows.values import decode
from ptxlab.isa.bind import Instance
from ptxlab.isa.plain import Reference
from ptxlab.isa.types import TYPES, ScalarType

# Exponent and fraction bits.
_FORMATS: Final = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
_HALVES: Final = {"u16x2": "u16", "s16x2": "s16"}
NAN: Final = -1
"""Stands for the bits of any NaN."""


def referenced(probe: Probe) -> bool:
    """Whether a probe's row has a reference for it."""
    found = probe.form.reference
    if found is None:
        return False
    holds = True if found.when is None else found.when.eval(Instance(probe.form, probe.opcode, probe.mods, {}))
    known = {*(p.type.name for p in (*probe.inputs, *probe.outputs))} <= _KNOWN
    return holds is True and known


_KNOWN: Final = {
    *(n for n, t in TYPES.items() if t.kind in "busp"),
    *_FORMATS,
    *_HALVES,
}


def expected(probe: Probe, seed: int) -> list[list[int | None]]:
    """The bits of each output in every lane, as the row's reference has them: None where it does not say, NAN for any NaN."""
    reference = probe.form.reference
    assert reference is not None
    results = [*probe.form.results, *(["carry"] if LEFT in probe.outputs else [])]
    columns = _values(probe, reference, seed)
    out: list[list[int | None]] = [[] for _ in probe.outputs]
    split = any(p.type.name in _HALVES for p in probe.outputs)
    for lane in range(LANES):
        given = {name: column[lane] for name, column in columns.items()}
        if split:
            parts = [_asked(probe, reference, {n: v[i] for n, v in given.items()}) for i in (0, 1)]
            element = TYPES[_HALVES[probe.outputs[0].type.name]]
            low, high = (_encoded(part, element, None) for part in parts)
            assert low is not None
            assert high is not None
            found: list[int | None] = [low | high << 16]
        else:
            found = _results(probe, reference, given, results)
        for column, value in zip(out, found, strict=True):
            column.append(value)
    return out


def _results(probe: Probe, reference: Reference, given: Mapping[str, Any], results: Sequence[str]) -> list[int | None]:
    """The bits of each output in one lane."""
    answer = _asked(probe, reference, given)
    if answer is None:
        return [None] * len(probe.outputs)
    several: tuple[Any, ...] = answer if isinstance(answer, tuple) else (answer,)  # pyright: ignore[reportUnknownVariableType]
    named: dict[str, Any] = dict(zip(results, several, strict=False))
    count = sum(1 for p in probe.outputs if p.operand == results[0])
    if count > 1:  # the parts of a vector
        named = {results[0]: several}
    taken: dict[str, int] = {}
    out: list[int | None] = []
    for port in probe.outputs:
        value = named["carry"] if port is LEFT else named[port.operand]
        if count > 1:
            at = taken[port.operand] = taken.get(port.operand, -1) + 1
            value = value[at]
        out.append(_encoded(value, port.type, probe.mods.get("rnd"), raw=reference.raw))
    return out


def _asked(probe: Probe, reference: Reference, given: Mapping[str, Any]) -> Any:
    """What the reference says."""
    type_ = (
        probe.outputs[0].type
        if probe.outputs[0].type.name not in _HALVES
        else TYPES[_HALVES[probe.outputs[0].type.name]]
    )
    signed = type_.kind == "s"
    known = {
        "bits": type_.bits,
        "low": -(1 << type_.bits - 1) if signed else 0,
        "high": (1 << type_.bits - signed) - 1,
        "carry": 0,
    }
    flags = probe.form.flags
    args: list[Any] = []
    for name in reference.wants:
        if name in given:
            args.append(given[name])
        elif name in probe.form.operands:
            args.append(None)
        elif name in known:
            args.append(known[name])
        else:
            args.append(name in probe.mods if name in flags else probe.mods.get(name))
    if not reference.exact:
        return reference.function(*args)
    return _once(reference, args, probe.mods.get("rnd"))


def _once(reference: Reference, args: list[float], rnd: str | None) -> Any:
    """What is to be rounded once: a fraction, or what has no fraction; a sum of opposite numbers is -0 downwards."""
    if all(map(math.isfinite, args)):
        found = reference.function(*map(Fraction, args))
        if found:
            return found
        return None if rnd == "rm" else _zero(reference.function(*args))
    # what infinities and NaN make of it depends on the signs of the others alone, and not on their products' sizes
    return reference.function(*(math.copysign(1.0, a) if math.isfinite(a) and a else a for a in args))


def _zero(found: float) -> float | None:
    return found if found == 0 else None


def _values(probe: Probe, reference: Reference, seed: int) -> dict[str, list[Any]]:
    """What each operand holds in every lane, as Python's values."""
    parts: dict[str, list[list[Any]]] = {}
    for port, column in zip(probe.inputs, operands(probe, seed), strict=True):
        made = _decoded(port, column, raw=reference.raw)
        if port is CARRY:
            crossed = "crossed" in probe.variant
            made = [int(v) ^ crossed for v in made]
        elif "not" in probe.variant and "not" in probe.form.operands[port.operand].kinds:
            made = [not v for v in made]
        parts.setdefault(port.operand, []).append(made)
    vectors = {n for n in parts if probe.form.operands.get(n) is not None and probe.form.operands[n].always_vector}
    out: dict[str, list[Any]] = {
        name: list(zip(*columns, strict=True)) if len(columns) > 1 or name in vectors else columns[0]
        for name, columns in parts.items()
    }
    out |= {
        n: [int(v)] * LANES for n, _, v in (part.partition("=") for part in probe.variant) if n in probe.form.operands
    }
    return out


def _decoded(port: Port, column: Sequence[NDArray[np.uint64]], *, raw: bool) -> list[Any]:
    """The values of a register."""
    type_ = port.type
    words = [int(w) for w in column[0].tolist()]
    if len(column) > 1:
        return [low | high << 64 for low, high in zip(words, column[1].tolist(), strict=True)]
    if type_.kind == "p":
        return [bool(w & 1) for w in words]
    if type_.name in _FORMATS and not raw:
        low = np.array([w & (1 << type_.bits) - 1 for w in words], np.uint64)
        return decode(type_.name, low).tolist()
    if type_.name in _HALVES:
        element = TYPES[_HALVES[type_.name]]
        return [tuple(_number(w >> i, element) for i in (0, 16)) for w in words]
    return [_number(w, type_) for w in words]


def _number(word: int, type_: ScalarType) -> int:
    low = word & (1 << type_.bits) - 1
    return low - (1 << type_.bits) if type_.kind == "s" and low >> type_.bits - 1 else low


def _encoded(value: Any, type_: ScalarType, rnd: str | None, *, raw: bool = False) -> int | None:
    """The bits of a result."""
    if value is None:
        return None
    if type_.kind == "p":
        return int(bool(value))
    if type_.name not in _FORMATS or raw:
        return int(value) & (1 << type_.bits) - 1
    if isinstance(value, float) and math.isnan(value):
        return NAN
    return rounded(value, type_.name, rnd)


def rounded(value: float | Fraction, name: str, rnd: str | None) -> int:
    """The bits of a number in a floating-point type, rounded once: rn (as without one), rz, rm or rp."""
    exponent, fraction = _FORMATS[name]
    negative = math.copysign(1.0, value) < 0 if isinstance(value, float) else value < 0
    sign = negative << exponent + fraction
    if isinstance(value, float) and math.isinf(value):
        return sign | (1 << exponent) - 1 << fraction
    return sign | _magnitude(abs(Fraction(value)), exponent, fraction, _towards(rnd, negative))


def _towards(rnd: str | None, negative: bool) -> str:
    """How a magnitude is rounded: "even", "up" or "down"."""
    if rnd in ("rm", "rp"):
        return "up" if (rnd == "rm") == negative else "down"
    return "down" if rnd == "rz" else "even"


def _magnitude(size: Fraction, exponent: int, fraction: int, how: str) -> int:
    """The bits of a magnitude in a format, subnormal numbers and overflow included."""
    if size == 0:
        return 0
    bias = (1 << exponent - 1) - 1
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= size < Fraction(2) ** power
    power = max(power, 1 - bias)
    steps = size / Fraction(2) ** (power - fraction)
    whole = math.floor(steps)
    left = steps - whole
    if how == "up":
        whole += left > 0
    elif how == "even":
        whole += left > Fraction(1, 2) or (left == Fraction(1, 2) and whole & 1)
    bits = (power + bias - 1 << fraction) + whole  # an overflowing fraction carries into the exponent
    infinity = (1 << exponent) - 1 << fraction
    return min(bits, infinity - (how == "down"))


def differences(chosen: Sequence[Probe], ran: Ran, seed: int, examples: int = 3) -> Iterator[Difference]:
    """What a run has given that references do not."""
    for probe in chosen:
        wanted, found = expected(probe, seed), loaded(probe.outputs, ran.results[probe.key])
        bad = [
            lane
            for lane in range(LANES)
            if not all(_same(p, w[lane], f[lane]) for p, w, f in zip(probe.outputs, wanted, found, strict=True))
        ]
        if bad:
            yield Difference(
                probe.key,
                probe.text,
                len(bad),
                LANES,
                tuple(_shown(probe, wanted, found, seed, lane) for lane in bad[:examples]),
            )


def _same(port: Port, wanted: int | None, found: int) -> bool:
    low = found & (1 << port.type.bits) - 1
    if wanted is None:
        return True
    if wanted == NAN:
        exponent, fraction = _FORMATS[port.type.name]
        return low & (1 << exponent + fraction) - 1 > (1 << exponent) - 1 << fraction
    return low == wanted


def _shown(
    probe: Probe, wanted: Sequence[Sequence[int | None]], found: Sequence[Sequence[int]], seed: int, lane: int
) -> str:
    given = " ".join(
        f"{p.operand}={int(c[0][lane]):#x}" for p, c in zip(probe.inputs, operands(probe, seed), strict=True)
    )
    says, gives = (
        " ".join("any NaN" if v == NAN else "?" if v is None else f"{v:#x}" for v in row)
        for row in ([w[lane] for w in wanted], [f[lane] for f in found])
    )
    return f"lane {lane}: {given}: the reference says {says}, the meaning {gives}"


def referenced_probes(chosen: Sequence[Probe] | None = None) -> list[Probe]:
    """Those probes whose rows have a reference for them."""
    return [p for p in (probes() if chosen is None else chosen) if referenced(p)]


__all__ = ["NAN", "differences", "expected", "referenced", "referenced_probes", "rounded"]
