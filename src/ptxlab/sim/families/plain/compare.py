"""Comparison and selection."""

from __future__ import annotations

from functools import partial

from ptxlab.codegen.ir import T, Val
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.families.plain.real import enter

_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def compared(e: Emitter, a: Val, b: Val) -> Val:
    """The comparison that the instruction names, before .and, .or, .xor. 16-bit floats come as f32."""
    cmp = e.mod("cmp") or ""
    if a.t.kind != "f":
        if cmp in _UNSIGNED:
            return a.unsigned.compare(_UNSIGNED[cmp], b.unsigned)
        return a.compare(cmp, b)
    a, b = enter(e, a, b)
    if cmp in ("num", "nan"):
        either = fp.is_nan(a) | fp.is_nan(b)
        return either if cmp == "nan" else ~either
    if cmp.endswith("u"):
        return a.compare(cmp[:-1], b, unordered=True)
    return a.compare(cmp, b)  # ordered: false with NaN


def combined(e: Emitter, p: Val, c: Val | None) -> Val:
    word = e.mod("bool")
    if word is None or c is None:
        return p
    if word == "and":
        return p & c
    return p | c if word == "or" else p ^ c


def _compared(e: Emitter, a: Val, b: Val, kind: str) -> Val:
    """The same of 16-bit floats of a kind as well: as f32, and flushed by .ftz as what they are."""
    if kind == "f16" and e.has("ftz"):
        a, b = (fp.flush(e.fn, v.unsigned) for v in (a, b))
    return compared(e, fp.widen(a, kind), fp.widen(b, kind)) if kind else compared(e, a, b)


def _halves(e: Emitter, a: Val, b: Val, kind: str) -> list[Val]:
    """The same of the lower and the upper half of pairs."""
    u16 = T("u", 16)
    return [_compared(e, (a >> up).to(u16), (b >> up).to(u16), kind) for up in (0, 16)]


def _setp(kind: str, e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    if kind.endswith("x2"):
        p, q = _halves(e, a, b, kind[:-2])
    else:
        p = _compared(e, a, b, kind)
        q = ~p
    e.write("p", combined(e, p, c))
    if e.shape("q") is not None:
        e.write("q", combined(e, q, c))


meaning("setp", "setp.f32", "setp.f64")(partial(_setp, ""))
for _kind in ("f16", "bf16", "f16x2", "bf16x2"):
    meaning(f"setp.{_kind}")(partial(_setp, _kind))


_ONE = {"f32": 0x3F80_0000, "f16": 0x3C00, "bf16": 0x3F80}


def _held(e: Emitter, p: Val, kind: str, bits: int) -> Val:
    """All ones, or 1.0 of a float, where it holds; zero elsewhere."""
    t = T("u", bits)
    return e.select(p, e.const(_ONE.get(kind, -1), t), e.const(0, t))


def _set(source: str, e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    kind = e.mod("dtype") or ""
    if not source.endswith("x2"):
        return _held(e, combined(e, _compared(e, a, b, source), c), kind, e.type("d").bits)
    halves = _halves(e, a, b, source[:-2])
    low, high = (_held(e, combined(e, p, c), kind.removesuffix("x2"), 16).to(T("u", 32)) for p in halves)
    return low | (high << 16)


meaning("set", "set.f32", "set.f64", "set.bf16.int", "set.bf16.float")(partial(_set, ""))
meaning("set.f16", "set.bf16.f16")(partial(_set, "f16"))
for _kind in ("bf16", "f16x2", "bf16x2"):
    meaning(f"set.{_kind}")(partial(_set, _kind))


@meaning("selp")
def selp(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return e.select(c, a, b)


@meaning("slct")
def slct(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return e.select(c.signed >= 0, a, b)


@meaning("slct.f32")
def slct_f32(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    """−0 counts as zero; NaN chooses `b`."""
    (c,) = enter(e, c)
    return e.select(c >= 0, a, b)
