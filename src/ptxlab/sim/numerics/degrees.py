"""Degrees in the place of numbers: what an expression is of, as a quotient of polynomials in the inputs, at most.

A code of 16 bits stands for the degrees of numerator and denominator, as one of residues stands for these (residues.py), with room
up to P − 1 and Q − 1: the greatest ones mean that much or more. Results of functions that are no quotients count as inputs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ptxlab.sim.numerics.residues import STEP, Ops, P, Q

CONSTANT: Final = 0
INPUT: Final = 1
MOST: Final = (P - 1, Q - 1)
"""From here on a degree is not known."""


def parts(o: Ops, x: Any) -> tuple[Any, Any]:
    """The degrees of numerator and denominator."""
    return x % STEP, o.div(x, STEP)


def _least(o: Ops, x: Any, most: int) -> Any:
    return o.select(x > most, x * 0 + most, x)


def _larger(o: Ops, x: Any, y: Any) -> Any:
    return o.select(x > y, x, y)


def joined(o: Ops, above: Any, below: Any) -> Any:
    """The code of degrees."""
    return _least(o, above, MOST[0]) + _least(o, below, MOST[1]) * STEP


def add(o: Ops, x: Any, y: Any) -> Any:
    """A sum, over the product of the denominators."""
    (xa, xb), (ya, yb) = parts(o, x), parts(o, y)
    return joined(o, _larger(o, xa + yb, ya + xb), xb + yb)


def mul(o: Ops, x: Any, y: Any) -> Any:
    """A product."""
    (xa, xb), (ya, yb) = parts(o, x), parts(o, y)
    return joined(o, xa + ya, xb + yb)


def fma(o: Ops, x: Any, y: Any, z: Any) -> Any:
    """x · y + z."""
    return add(o, mul(o, x, y), z)


def inverse(o: Ops, x: Any) -> Any:
    """1 / x."""
    above, below = parts(o, x)
    return joined(o, below, above)


def div(o: Ops, x: Any, y: Any) -> Any:
    """x / y."""
    return mul(o, x, inverse(o, y))


def same(o: Ops, x: Any) -> Any:
    """−x."""
    return x


def own(o: Ops, *given: Any) -> Any:
    """Of a function's result: an input, or a constant where all operands are."""
    out = given[0] * 0
    for x in given:
        out = o.select(x == 0, out, x * 0 + INPUT)
    return out


def dot(o: Ops, x: Any, y: Any) -> Any:
    """Sums of products along the columns of one matrix and the rows of another, of arrays; more where degrees differ in a row."""
    (xa, xb), (ya, yb) = parts(o, np.asarray(x, np.uint32)), parts(o, np.asarray(y, np.uint32))
    below = xb.sum(axis=1)[:, None] + yb.sum(axis=0)[None, :]
    return joined(o, xa.max(axis=1)[:, None] + ya.max(axis=0)[None, :] + below, below).astype(np.uint32)


FUNCTIONS: Final = {
    "add": add, "sub": add, "mul": mul, "fma": fma, "mad": fma, "div": div, "neg": same, "rcp": inverse, "rcp.approx": inverse,
}  # fmt: skip
"""Of rows of arithmetic, by their names; those of the others are `own`."""
