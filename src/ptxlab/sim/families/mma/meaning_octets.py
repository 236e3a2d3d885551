"""mma.m8n8k4 of f16: four products of eight lanes each, in ordinary arithmetic with every rounding."""

from __future__ import annotations

from ptxlab.codegen.ir import Val
from ptxlab.layout.fragments import octet_a, octet_b, octet_d
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.families.mma.meaning import Layout, Product, elements, places, unless_together, words

_ROWS = 8
_K = 4


def _octets(e: Emitter, out_bits: int) -> Product:
    left, right = octet_a(str(e.mod("alayout"))), octet_b(str(e.mod("blayout")))
    return Product(e, 16, _ROWS, Layout(left, right, octet_d(out_bits), _K, block=_ROWS))


@meaning("mma.f16.m8n8k4", halfway=True)
def octets(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """Products are exact in f32; sums of f32 add those of k = 0 to 3 to +0, so that zeros give +0, and then the addend.
    Into f16 the addend comes first, with two products at a time."""
    unless_together(e)
    narrow, own = e.mod("dtype") == "f16", 16 if e.mod("ctype") == "f16" else 32
    product = _octets(e, 16 if narrow else 32)
    left, right = ([fp.widen(x, "f16") for x in elements(e, v, 16)] for v in (a, b))
    addends = elements(e, c, own)
    held = [fp.widen(x, "f16") if own == 16 else x.floating for x in addends]
    if own != (16 if narrow else 32):
        held = _moved(e, product, held)
    results: list[Val] = []
    for element, addend in enumerate(held):
        p = [x * y for x, y in (product.pair(left, right, element, k) for k in range(_K))]
        if narrow:
            results.append(fp.narrow(e.fn, addend + (p[0] + p[1]) + (p[2] + p[3]), "f16"))
        else:
            results.append(fp.canonical(e.fn, addend + (0.0 + p[0] + p[1] + p[2] + p[3])).unsigned)
    e.write("d", words(results, 16 if narrow else 32))


def _moved(e: Emitter, product: Product, held: list[Val]) -> list[Val]:
    """Addends of f16, which lie otherwise than results of f32, where those are."""
    own = places(octet_d(16))
    out = product.out
    return [
        product.met(held, [own[int(row), int(col)] for row, col in zip(out.rows[:, i], out.cols[:, i], strict=True)])
        for i in range(len(held))
    ]
