"""mov, cvta, isspacep."""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, T, Val, ty
from ptxlab.isa.rows.move import LOW_BITS
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, LOCAL_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW_SHIFT
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning


@meaning("mov", "mov.pred", "mov.b128")
def mov(e: Emitter, a: Val) -> Val:
    """A copy."""
    return a


def _window(space: str) -> int:
    if space.startswith("shared"):
        return SHARED_WINDOW
    return LOCAL_WINDOW if space == "local" else 0


@meaning("cvta")
def cvta(e: Emitter, a: Val) -> Val:
    """Windows of the generic space: shared and local memory have one each, everything else lies where it lies.

    A shared address keeps its rank and loses what stands above its 32 bits, in SASS as here.
    """
    window = _window(e.mod("space") or "")
    if a.t.bits != 64:
        return a
    if (e.mod("space") or "").startswith("param"):
        return a + e.param_origin
    return (a & ADDRESS32) + window if window == SHARED_WINDOW else a + window


@meaning("cvta.to")
def cvta_to(e: Emitter, a: Val) -> Val:
    """The offset within the window."""
    if a.t.bits == 64 and (e.mod("space") or "").startswith("param"):
        return a - e.param_origin
    return a & ADDRESS32 if a.t.bits == 64 and _window(e.mod("space") or "") else a


def _in_buffers(e: Emitter, whole: Val, kind: int) -> Val:
    """Whether addresses lie in buffers that the launch has marked so."""
    fn = e.fn
    whole = fn.splat(whole)
    inside = fn.variable(whole != whole)
    table, count = fn.load(e.env, PTR, F.E_BUFFERS, 8), fn.load(e.env, I64, F.E_BUFFER_COUNT, 8)
    with fn.count(count.to(I32)) as i:
        row = fn.at(table, i.to(I64) * F.BUFFER_BYTES)
        begin, end, kinds = (fn.load(row, I64, at, 8) for at in (0, 8, 16))
        with fn.if_((kinds & kind) != 0):
            inside.set(inside.get() | ((whole >= begin) & (whole < end)))
    return inside.get()


@meaning("isspacep")
def isspacep(e: Emitter, a: Val) -> Val:
    """Whether the address lies in the window; shared::cta is the executing CTA's own part of shared::cluster.

    Constants and the kernel's parameters have windows of their own, the latter's within that of global memory.
    """
    space = e.mod("space") or ""
    whole = e.register("a", a)
    if whole.t.bits < 64:
        whole = whole.to(T("u", 64))
    window = whole >> WINDOW_SHIFT
    if space == "global":
        return (window == 0) & ~_in_buffers(e, whole, F.BUFFER_CONST)
    if space == "const" or space.startswith("param"):
        return _in_buffers(e, whole, F.BUFFER_CONST if space == "const" else F.BUFFER_PARAM)
    inside = window == _window(space) >> WINDOW_SHIFT
    if space in ("shared", "shared::cta"):
        own = e.load(e.load(e.frame, PTR, F.F_CTA, 8), I32, F.C_RANK, 4)
        inside = inside & ((whole & ADDRESS32).to(T("u", 32)) >> RANK_SHIFT == e.fn.splat(own))
    return inside


@meaning("mov.vector")
def vector(e: Emitter, a: list[Val]) -> None:
    """Element by element; all are read before the first is written."""
    e.write("d", a)


@meaning("mov.shares")
def shares(e: Emitter, a: Val) -> None:
    """Each element is a share of the bits, whatever the type is; less than a byte is not shared."""
    shape = e.shape("d")
    assert isinstance(shape, tuple)
    bits = e.type("d").bits
    each = bits // len(shape) if bits // len(shape) >= 8 else bits
    value = a.unsigned
    e.write(
        "d", [(value >> i * each) & (1 << each) - 1 if i * each < bits else value ^ value for i in range(len(shape))]
    )


_PACKED = tuple(
    f"{t}.{n}"
    for t, counts in (("b16", (1, 2)), ("b32", (1, 2, 4)), ("b64", (1, 2, 4)), ("b128", (2, 4)))
    for n in counts
)


@meaning(*(f"mov.pack.{which}" for which in _PACKED))
def pack(e: Emitter, a: list[Val | None]) -> Val:
    """Side by side, the first lowest; zero for what is left out, and above what ptxas moves of one element."""
    bits = e.type("d").bits
    wide = T("u", bits)
    part = bits // len(a)
    out = e.const(0, wide)
    for i, v in enumerate(a):
        if v is not None:
            out = out | (v.unsigned.to(wide) << i * part)
    return _moved(e, out, len(a), bits)


@meaning(*(f"mov.unpack.{which}" for which in _PACKED))
def unpack(e: Emitter, a: Val) -> None:
    """Apart, the lowest first."""
    shape = e.shape("d")
    assert isinstance(shape, tuple)
    a = _moved(e, a, len(shape), ty(e.type_name("a")).bits)
    part = ty(e.type_name("d"))
    e.write("d", [(a >> i * part.bits).to(part) for i in range(len(shape))])


def _moved(e: Emitter, whole: Val, count: int, bits: int) -> Val:
    """The part of a vector of `count` elements that ptxas moves: all of it, but for one element."""
    low = LOW_BITS.get(f"b{bits}", bits) if count == 1 else bits
    return whole if low == bits else whole & e.const((1 << low) - 1, whole.t)
