"""Comparison and selection."""

from __future__ import annotations

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


def _combined(e: Emitter, p: Val, c: Val | None) -> Val:
    word = e.mod("bool")
    if word is None or c is None:
        return p
    if word == "and":
        return p & c
    return p | c if word == "or" else p ^ c


def _wide(e: Emitter, v: Val, kind: str) -> Val:
    """16-bit floats as f32; .ftz flushes them as what they are."""
    if kind == "f16" and e.has("ftz"):
        v = fp.flush(e.fn, v.unsigned)
    return fp.widen(v, kind)


def _set_p(e: Emitter, p: Val, c: Val | None) -> None:
    e.write("p", _combined(e, p, c))
    if e.shape("q") is not None:
        e.write("q", _combined(e, ~p, c))


@meaning("setp", "setp.f32", "setp.f64")
def setp(e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    _set_p(e, compared(e, a, b), c)


@meaning("setp.f16")
def setp_f16(e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    _set_p(e, compared(e, _wide(e, a, "f16"), _wide(e, b, "f16")), c)


@meaning("setp.bf16")
def setp_bf16(e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    _set_p(e, compared(e, _wide(e, a, "bf16"), _wide(e, b, "bf16")), c)


def _each_half(e: Emitter, a: Val, b: Val, kind: str) -> tuple[Val, Val]:
    u16 = T("u", 16)
    low, high = (compared(e, _wide(e, (a >> up).to(u16), kind), _wide(e, (b >> up).to(u16), kind)) for up in (0, 16))
    return low, high


def _setp_pair(e: Emitter, a: Val, b: Val, c: Val | None, kind: str) -> None:
    low, high = _each_half(e, a, b, kind)
    e.write("p", _combined(e, low, c))
    if e.shape("q") is not None:
        e.write("q", _combined(e, high, c))


@meaning("setp.f16x2")
def setp_f16x2(e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    _setp_pair(e, a, b, c, "f16")


@meaning("setp.bf16x2")
def setp_bf16x2(e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    _setp_pair(e, a, b, c, "bf16")


_ONE = {"f32": 0x3F80_0000, "f16": 0x3C00, "bf16": 0x3F80}


def _held(e: Emitter, p: Val, kind: str, bits: int) -> Val:
    """All ones, or 1.0 of a float, where it holds; zero elsewhere."""
    t = T("u", bits)
    return e.select(p, e.const(_ONE.get(kind, -1), t), e.const(0, t))


@meaning("set", "set.f32", "set.f64", "set.bf16.int", "set.bf16.float")
def set_(e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    kind = e.mod("dtype") or ""
    return _held(e, _combined(e, compared(e, a, b), c), kind, e.type("d").bits)


def _set16(e: Emitter, a: Val, b: Val, c: Val | None, source: str) -> Val:
    p = compared(e, _wide(e, a, source), _wide(e, b, source))
    return _held(e, _combined(e, p, c), e.mod("dtype") or "", e.type("d").bits)


@meaning("set.f16", "set.bf16.f16")
def set_f16(e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    return _set16(e, a, b, c, "f16")


@meaning("set.bf16")
def set_bf16(e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    return _set16(e, a, b, c, "bf16")


def _set_pair(e: Emitter, a: Val, b: Val, c: Val | None, source: str) -> Val:
    kind = (e.mod("dtype") or "").removesuffix("x2")
    low, high = (_held(e, _combined(e, p, c), kind, 16).to(T("u", 32)) for p in _each_half(e, a, b, source))
    return low | (high << 16)


@meaning("set.f16x2")
def set_f16x2(e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    return _set_pair(e, a, b, c, "f16")


@meaning("set.bf16x2")
def set_bf16x2(e: Emitter, a: Val, b: Val, c: Val | None = None) -> Val:
    return _set_pair(e, a, b, c, "bf16")


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
