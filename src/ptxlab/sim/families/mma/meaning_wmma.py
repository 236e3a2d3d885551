"""wmma: products of one warp from fragments as an H100 lays them out. Loads and stores of fragments are left to Python.

As with mma, a sum with special or extreme numbers goes to Python as a whole.
"""

from __future__ import annotations

from ptxlab.codegen.ir import Val
from ptxlab.layout.wmma import wmma
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import to_trap
from ptxlab.sim.families.mma.meaning import (
    Layout,
    Product,
    chains,
    counted,
    dot_add,
    elements,
    factors,
    number,
    ones_of,
    sizes,
    unless_together,
    words,
)

TF32_STEP = 4
"""Products of tf32 that are summed at once: an H100 does not use the wider step of mma.m16n8k8 here."""


def _product(e: Emitter, bits: int) -> Product:
    shape = sizes(str(e.mod("shape")))
    out = wmma("d", shape, bits)
    return Product(e, bits, out.elements, Layout(wmma("a", shape, bits), wmma("b", shape, bits), out, shape[2]))


@meaning("wmma.mma.f16", "wmma.mma.bf16", "wmma.mma.tf32", halfway=True)
def floats(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """f16 and bf16: one step over all of K; tf32: of four each. Sums are of C's type or of f32, rounded to D's."""
    unless_together(e)
    type_, out, own = str(e.mod("atype") or "f16"), str(e.mod("dtype")), str(e.mod("ctype"))
    bits = 32 if type_ == "tf32" else 16
    product = _product(e, bits)
    total = elements(e, c, 16 if own == "f16" else 32)
    kept = out if out == own else "f32"
    if kept != own:
        total = [fp.widen(x, "f16").unsigned for x in total]
    left, right = (factors(e, elements(e, x, bits), type_) for x in (a, b))
    step = TF32_STEP if type_ == "tf32" else product.k
    for first in range(0, product.k, step):
        total, unsafe = dot_add(product, left, right, total, range(first, first + step), kept)
        with e.if_(unsafe != 0):
            to_trap(e)
    if kept != out:
        total = [fp.narrow(e.fn, x.floating, "f16") for x in total]
    e.write("d", words(total, 16 if out == "f16" else 32))


@meaning("wmma.mma.f64", halfway=True)
def doubles(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """f64: fused multiply-adds, one after the other."""
    unless_together(e)
    e.write("d", chains(e, _product(e, 64), a, b, c))


@meaning("wmma.mma.int8", "wmma.mma.int4", halfway=True)
def integers(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """Exact sums, wrapped or clamped to 32 bits."""
    unless_together(e)
    type_ = str(e.mod("atype"))
    bits = int(type_[1:])
    product = _product(e, bits)
    numbers = [[number(x, type_) for x in elements(e, v, bits)] for v in (a, b)]
    e.write("d", [counted(e, product, numbers, element, held) for element, held in enumerate(c)])


@meaning("wmma.mma.b1", halfway=True)
def ones(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """How many bits are set in (row and column), or in (row xor column)."""
    unless_together(e)
    e.write("d", ones_of(e, _product(e, 1), a, b, c))
