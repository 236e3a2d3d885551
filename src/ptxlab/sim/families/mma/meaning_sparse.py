"""mma.sp: products of one warp whose A has the elements that its metadata name: A is spread out, zeros between, and multiplied.

Special or extreme numbers, in B's other rows too, and metadata that the manual does not allow go to Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlab.codegen.ir import T, Val
from ptxlab.layout.sparse import group_columns, metadata_places
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import to_trap
from ptxlab.sim.families.mma.meaning import (
    Factors,
    Product,
    as_half,
    counted,
    dot_add,
    elements,
    factors,
    in_steps,
    number,
    unless_together,
    words,
)
from ptxlab.sim.numerics.formats import ZERO_EXPONENT

U32 = T("u", 32)
HALVES = 2
"""Of A's sixteen rows: a lane's elements of D lie in one of the first eight and in one of the others."""
_FIRST, _SECOND = 0b0100, 0b1110
"""What metadata say of tf32: the first or the second of two columns, by their halves."""


class SparseProduct(Product):
    """A x B of a warp, A's elements spread over its columns: of each half of the rows, by lane."""

    def __init__(self, e: Emitter, bits: int, count: int, meta: Val) -> None:
        super().__init__(e, bits, count)
        self.wide = group_columns(bits)
        self.fours = [self._fours(meta, half) for half in range(HALVES)]

    def _rows(self, half: int) -> list[int]:
        return [int(row) for row in self.out.rows[:, 2 * half]]

    def _fours(self, meta: Val, half: int) -> list[Val]:
        """Four bits of metadata of each group of columns, for each lane's row."""
        e, rows = self.e, self._rows(half)
        lane, shift = metadata_places(self.bits, self.k, e.constant("selector"))
        out: list[Val] = []
        for group in range(self.k // self.wide):
            word = self.taken(meta, [int(lane[row, group]) for row in rows])
            out.append(word >> e.vector([int(shift[row, group]) for row in rows], U32) & 15)
        return out

    def allowed(self) -> Val:
        """A mask of the lanes whose metadata name two columns, or one of tf32."""
        good: list[Val] = []
        for four in (four for fours in self.fours for four in fours):
            if self.bits == 32:
                good.append((four == _FIRST) | (four == _SECOND))
            else:
                good.append((four & 3) != four >> 2)
        return self.e.fn.mask(_all(good))

    def spread(self, held: Sequence[Val], nothing: int) -> list[Val]:
        """What A has at each column, half by half; elsewhere `nothing`. Integers that metadata put at one place are added."""
        return [x for half in range(HALVES) for x in self._spread(held, half, nothing)]

    def _spread(self, held: Sequence[Val], half: int, nothing: int) -> list[Val]:
        e = self.e
        out: list[Val] = []
        none = e.const(nothing, held[0].t)
        per_group = self.wide // 2
        for group, four in enumerate(self.fours[half]):
            mine = [self.held(held, half, group * per_group + i) for i in range(per_group)]
            for column in range(self.wide):
                if self.bits == 32:
                    at = four == (_FIRST, _SECOND)[column]
                    out.append(e.select(at, mine[0], none))
                    continue
                pair, place = (column % 2, column // 2) if self.bits == 4 else (0, column)
                first, second = (mine[pair], mine[2 + pair]) if self.bits == 4 else mine
                one = e.select((four & 3) == place, first, none)
                other = e.select((four >> 2) == place, second, none)
                if held[0].t.kind == "s" and held[0].t.bits == 32:
                    out.append(one + other)
                else:
                    out.append(e.select((four >> 2) == place, second, one))
        return out

    def held(self, held: Sequence[Val], half: int, k: int) -> Val:
        """Element k of each lane's row, of those that are there."""
        places = [self.left[row, k] for row in self._rows(half)]
        return self.taken(held[places[0][1]], [lane for lane, _ in places])

    def pair(self, a: Sequence[Val], b: Sequence[Val], element: int, k: int) -> tuple[Val, Val]:
        """As of a dense product; `a` is what `spread` has made."""
        return a[element // 2 * self.k + k], self.of_b(b, element, k)


def _all(parts: Sequence[Val]) -> Val:
    out = parts[0]
    for part in parts[1:]:
        out = out & part
    return out


def _factors(product: SparseProduct, held: Factors) -> Factors:
    values, exponents = held
    return product.spread(values, 0), product.spread(exponents, ZERO_EXPONENT)


@meaning("mma.sp.half", "mma.sp.tf32", "mma.sp.f8", halfway=True)
def floats(e: Emitter, a: list[Val], b: list[Val], c: list[Val], meta: Val, selector: Val) -> None:
    """f16, bf16 and tf32: one step over all of K; 8-bit floats: two, of every other group of columns, and an addition."""
    unless_together(e)
    types = [str(e.mod(name)) for name in ("atype", "btype")]
    out = str(e.mod("dtype"))
    narrow = types[0] in ("e4m3", "e5m2")
    bits = 8 if narrow else 32 if types[0] == "tf32" else 16
    d_bits = 16 if out == "f16" else 32
    addends = elements(e, c, d_bits)
    product = SparseProduct(e, bits, len(addends), meta)
    with e.if_(product.allowed() != -1):
        to_trap(e)
    codes = [elements(e, x, bits) for x in (a, b)]
    if narrow:
        codes = [[as_half(e, code, type_) for code in x] for x, type_ in zip(codes, types, strict=True)]
    left, right = (factors(e, x, "f16" if narrow else types[0]) for x in codes)
    dense = _factors(product, left)
    if narrow:
        groups = [[k for k in range(product.k) if k // 4 % 2 == odd] for odd in range(2)]
        results, unsafe = in_steps(product, dense, right, addends, groups, out)
    else:
        results, unsafe = dot_add(product, dense, right, addends, range(product.k), out)
    with e.if_(unsafe != 0):
        to_trap(e)
    e.write("d", words(results, d_bits))


@meaning("mma.sp.int8", "mma.sp.int4", halfway=True)
def integers(e: Emitter, a: list[Val], b: list[Val], c: list[Val], meta: Val, selector: Val) -> None:
    """Exact sums, wrapped or clamped to 32 bits."""
    unless_together(e)
    types = [str(e.mod(name)) for name in ("atype", "btype")]
    bits = int(types[0][1:])
    product = SparseProduct(e, bits, len(c), meta)
    left, right = ([number(x, type_) for x in elements(e, v, bits)] for v, type_ in zip((a, b), types, strict=True))
    dense = product.spread(left, 0)
    e.write("d", [counted(e, product, [dense, right], element, held) for element, held in enumerate(c)])
