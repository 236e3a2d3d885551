"""Matrix products of a warp on codes of residues."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ptxlab.codegen.ir import T, Val
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.families.algebra.meaning import DEGREES, PREFIX, Lanes, as_bits, codes_of, stop_at_foreign
from ptxlab.sim.families.mma.meaning import Product, elements, unless_together, words
from ptxlab.sim.numerics import degrees as d
from ptxlab.sim.numerics import residues as r

U32 = T("u", 32)
_B, _FLAGS = 9, 17
"""In a word: the residue a in the lowest bits, b from here on, then what is wrong: no a, no b, not finite."""


def _packed(e: Emitter, code: Val) -> Val:
    """The residues of a code, and flags, in one word: it is moved between lanes as one."""
    a, b = r.parts(Lanes(e.fn), code)
    flags = (a == r.NO_A).to(U32) | (b == r.NO_B).to(U32) << 1 | (~r.finite(code)).to(U32) << 2
    return a | b << _B | flags << _FLAGS


def _added(e: Emitter, product: Product, left: Sequence[Val], right: Sequence[Val], element: int, addend: Val) -> Val:
    """An element of D."""
    a = b = flags = e.const(0, U32)
    for k in range(product.k):
        x, y = product.pair(left, right, element, k)
        a = a + (x & 0x1FF) * (y & 0x1FF)
        b = b + (x >> _B & 0xFF) * (y >> _B & 0xFF)
        flags = flags | x | y
    flags = flags >> _FLAGS
    code = r.joined(
        e.select((flags & 1) != 0, e.const(r.NO_A, U32), a % r.P),
        e.select((flags & 2) != 0, e.const(r.NO_B, U32), b % r.Q),
    )
    code = e.select((flags & 4) != 0, e.const(r.NAN, U32), code)
    return r.add(Lanes(e.fn), code, addend)


def _degree(e: Emitter, product: Product, left: Sequence[Val], right: Sequence[Val], element: int, addend: Val) -> Val:
    """The degree of an element of D."""
    o, above, below = Lanes(e.fn), e.const(0, U32), e.const(0, U32)
    for k in range(product.k):
        x, y = product.pair(left, right, element, k)
        (xa, xb), (ya, yb) = d.parts(o, x), d.parts(o, y)
        above, below = e.select(xa + ya > above, xa + ya, above), below + xb + yb
    return d.add(o, d.joined(o, above + below, below), addend)


def _mma(kind: str, prefix: str, e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """A · B + C: sums without rounding, in any order."""
    unless_together(e)
    factor = e.mod("atype") or kind
    out = "f64" if kind == "f64" else "f16" if e.mod("dtype") == "f16" else "f32"
    bits, d_bits = (64, 64) if kind == "f64" else (16 if factor in ("f16", "bf16") else 32, 16 if out == "f16" else 32)
    given: list[list[Val]] = []
    wrong: Val | None = None
    for registers, width, of in ((a, bits, factor), (b, bits, factor), (c, d_bits, out)):
        held = [codes_of(x, of) for x in elements(e, registers, width)]
        for _, foreign in held:
            wrong = foreign if wrong is None else wrong | foreign
        given.append([code for codes, _ in held for code in codes])
    assert wrong is not None
    stop_at_foreign(e, wrong)
    left, right = given[:2]
    if prefix == PREFIX:
        left, right = ([_packed(e, code) for code in codes] for codes in given[:2])
    product, element = Product(e, bits, len(given[2])), _added if prefix == PREFIX else _degree
    results = [as_bits([element(e, product, left, right, i, x)], out) for i, x in enumerate(given[2])]
    e.write("d", results if out == "f64" else words(results, d_bits))


for _key, _kind in (("mma.half", ""), ("mma.tf32", "tf32"), ("mma.f64", "f64")):
    for _prefix in (PREFIX, DEGREES):
        meaning(_prefix + _key, halfway=True)(partial(_mma, _kind, _prefix))
