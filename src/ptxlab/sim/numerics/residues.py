"""Arithmetic modulo primes in the place of floating-point numbers, on codes of 16 bits.

A code stands for a pair of residues (a mod P, b mod Q) of the same expression. P − 1 = 2 Q, and 2 has the order Q modulo P: so
ex2 takes the residue b of its argument to 2^b mod P, and 2^(x + y) is 2^x · 2^y. Of such a result the residue modulo Q is not
defined, and of a logarithm, which leads back, that modulo P: residues may be undefined, and what is computed from them is, too.
What is no polynomial and has no such homomorphism is a function of the code that agrees with itself alone.

The functions are written once, for codes of NumPy (u32) and for machine code: `Ops` says how to choose and to look up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import numpy as np

P: Final = 263
Q: Final = 131
STEP: Final = P + 1
NO_A, NO_B = P, Q
"""Residues that are not defined."""
LOST: Final = NO_A + STEP * NO_B
"""A number of which no residue is known; the greatest code of a finite one."""
SPECIAL: Final = 0xFF00
PLUS, MINUS, NAN = 0xFF00, 0xFF01, 0xFFFF
"""Infinities and NaN."""
MINUS_ONE: Final = P - 1 + STEP * (Q - 1)


def _inverses(prime: int) -> list[int]:
    """1/n; 0 has none."""
    return [prime] + [pow(n, -1, prime) for n in range(1, prime)] + [prime]


def _roots(prime: int) -> list[int]:
    """The square roots that are squares themselves: of n, or of −n where n has none. So √x · √y = √(x y) always."""
    squares = {n * n % prime for n in range(1, prime)}
    root = {r * r % prime: r for r in squares}
    return [0] + [root.get(n) or root[prime - n] for n in range(1, prime)] + [prime]


def _powers() -> list[int]:
    return [pow(2, n, P) for n in range(Q)] + [NO_A]


def _logarithms() -> list[int]:
    """Half of the logarithm of n², so that lg2(x y) = lg2(x) + lg2(y) for all numbers but 0."""
    log = {pow(2, n, P): n for n in range(Q)}
    half = pow(2, -1, Q)
    return [NO_B] + [log[n * n % P] * half % Q for n in range(1, P)] + [NO_B]


TABLES: Final[dict[str, list[int]]] = {
    "inverse a": _inverses(P),
    "inverse b": _inverses(Q),
    "root a": _roots(P),
    "root b": _roots(Q),
    "power": _powers(),
    "logarithm": _logarithms(),
}


class Ops(Protocol):
    """What differs between arrays and machine code."""

    def select(self, p: Any, x: Any, y: Any) -> Any:
        """x where p holds, else y."""
        ...

    def div(self, x: Any, n: int) -> Any:
        """x / n, rounded down."""
        ...

    def look(self, table: str, index: Any) -> Any:
        """The numbers of one of TABLES."""
        ...


class _Arrays:
    """Codes in NumPy's arrays."""

    _tables: Final = {name: np.array(numbers, np.uint32) for name, numbers in TABLES.items()}

    def select(self, p: Any, x: Any, y: Any) -> Any:
        return np.where(p, np.asarray(x, np.uint32), np.asarray(y, np.uint32))

    def div(self, x: Any, n: int) -> Any:
        return x // np.uint32(n)

    def look(self, table: str, index: Any) -> Any:
        return self._tables[table][index]


ARRAYS: Final[Ops] = _Arrays()


def parts(o: Ops, x: Any) -> tuple[Any, Any]:
    """The residues of finite codes."""
    return x % STEP, o.div(x, STEP)


def joined(a: Any, b: Any) -> Any:
    """The code of residues."""
    return a + b * STEP


def finite(x: Any) -> Any:
    """Whether it is neither infinite nor NaN."""
    return x < SPECIAL


def foreign(x: Any) -> Any:
    """Whether 16 bits are no code at all."""
    return (x > LOST) & ((x < SPECIAL) | ((x > MINUS) & (x < NAN)))


def partial(o: Ops, x: Any) -> Any:
    """Whether a residue is not defined."""
    a, b = parts(o, x)
    return finite(x) & ((a == NO_A) | (b == NO_B))


def _kept(o: Ops, undefined: Any, value: Any, none: int) -> Any:
    return o.select(undefined, value * 0 + none, value)


def add(o: Ops, x: Any, y: Any) -> Any:
    """x + y."""
    (xa, xb), (ya, yb) = parts(o, x), parts(o, y)
    a = _kept(o, (xa == NO_A) | (ya == NO_A), (xa + ya) % P, NO_A)
    b = _kept(o, (xb == NO_B) | (yb == NO_B), (xb + yb) % Q, NO_B)
    one = o.select(~finite(y), y, joined(a, b))
    both = o.select(~finite(y) & (x != y), x * 0 + NAN, x)
    return o.select(~finite(x), both, one)


def neg(o: Ops, x: Any) -> Any:
    """−x."""
    a, b = parts(o, x)
    a = _kept(o, a == NO_A, (P - a) % P, NO_A)
    b = _kept(o, b == NO_B, (Q - b) % Q, NO_B)
    other = o.select(x == NAN, x, x ^ 1)
    return o.select(finite(x), joined(a, b), other)


def sub(o: Ops, x: Any, y: Any) -> Any:
    """x − y."""
    return add(o, x, neg(o, y))


def mul(o: Ops, x: Any, y: Any) -> Any:
    """x · y: 0 where one is 0, whatever is known of the other. An infinity keeps its sign, but for −1 and infinities."""
    (xa, xb), (ya, yb) = parts(o, x), parts(o, y)
    a = _kept(o, (xa == NO_A) | (ya == NO_A), xa * ya % P, NO_A)
    b = _kept(o, (xb == NO_B) | (yb == NO_B), xb * yb % Q, NO_B)
    out = o.select(finite(x), _scaled(o, y, x), _scaled(o, x, y))
    some = o.select((x == 0) | (y == 0), x * 0, joined(a, b))
    return o.select(finite(x) & finite(y), some, out)


def _scaled(o: Ops, infinite: Any, by: Any) -> Any:
    """What is not finite, by another factor."""
    turned = o.select((by == MINUS_ONE) | (by == MINUS), infinite ^ 1, infinite)
    undefined = (infinite == NAN) | (by == NAN) | (by == 0)
    return o.select(undefined, infinite * 0 + NAN, turned)


def fma(o: Ops, x: Any, y: Any, z: Any) -> Any:
    """x · y + z."""
    return add(o, mul(o, x, y), z)


def _by_tables(o: Ops, x: Any, name: str) -> Any:
    """A function of either residue; of infinities see the callers."""
    a, b = parts(o, o.select(finite(x), x, x * 0 + LOST))
    return joined(o.look(f"{name} a", a), o.look(f"{name} b", b))


def inverse(o: Ops, x: Any) -> Any:
    """1 / x. Where one residue is 0, that of the result is not defined; where both are, x is 0 in all likelihood."""
    out = o.select((x == PLUS) | (x == MINUS), x * 0, _by_tables(o, x, "inverse"))
    out = o.select(x == 0, x + PLUS, out)
    return o.select(x == NAN, x, out)


def div(o: Ops, x: Any, y: Any) -> Any:
    """x / y."""
    return mul(o, x, inverse(o, y))


def sqrt(o: Ops, x: Any) -> Any:
    """The square root: multiplicative, and its square is x or −x."""
    out = o.select(x == PLUS, x, _by_tables(o, x, "root"))
    return o.select((x == MINUS) | (x == NAN), x * 0 + NAN, out)


def rsqrt(o: Ops, x: Any) -> Any:
    """1 / √x."""
    return inverse(o, sqrt(o, x))


def ex2(o: Ops, x: Any) -> Any:
    """2 to the power of x: of the result the residue modulo P alone is defined."""
    _, b = parts(o, o.select(finite(x), x, x * 0 + LOST))
    out = joined(o.look("power", b), b * 0 + NO_B)
    out = o.select(x == MINUS, x * 0, out)
    return o.select((x == PLUS) | (x == NAN), x, out)


def lg2(o: Ops, x: Any) -> Any:
    """The logarithm: of the result the residue modulo Q alone is defined."""
    a, _ = parts(o, o.select(finite(x), x, x * 0 + LOST))
    out = joined(a * 0 + NO_A, o.look("logarithm", a))
    out = o.select(x == 0, x * 0 + MINUS, out)
    return o.select(finite(x) | (x == PLUS), o.select(x == PLUS, x, out), x * 0 + NAN)


ONE: Final = 1 + STEP


# --- order ----------------------------------------------------------------------------------------------------------------
def _mixed(x: Any) -> Any:
    """16 bits to 16 bits, one to one, 0 to 0."""
    x = x ^ (x >> 7)
    x = x * _SALT & 0xFFFF
    x = x ^ (x >> 9)
    x = x * 0x9E4B & 0xFFFF
    return x ^ (x >> 8)


_SALT: Final = 0x334D
"""With it, small whole numbers are positive (a test holds it to that)."""


def least_of_pair(o: Ops, x: Any) -> tuple[Any, Any]:
    """That of x and −x which stands for both, and whether x is the negative one."""
    other = neg(o, x)
    swapped = other < x
    one = o.select(swapped, other, x)
    flips = ((_mixed(one) >> 3) & 1) != 0
    return one, swapped ^ flips


def key(o: Ops, x: Any) -> Any:
    """Numbers by which codes are ordered: any order of which x < y means −y < −x, infinities at its ends."""
    one, negative = least_of_pair(o, x)
    size = _mixed(one)
    out = o.select(negative, 0x1_0000 - size, 0x1_0000 + size)
    out = o.select(x == PLUS, x * 0 + 0x3_0000, out)
    return o.select(x == MINUS, x * 0, out)


def less(o: Ops, x: Any, y: Any) -> Any:
    """x < y in that order."""
    return (key(o, x) < key(o, y)) & (x != NAN) & (y != NAN)


def maximum(o: Ops, x: Any, y: Any) -> Any:
    """The larger one; NaN where there is one."""
    out = o.select(key(o, x) < key(o, y), y, x)
    return o.select((x == NAN) | (y == NAN), x * 0 + NAN, out)


def minimum(o: Ops, x: Any, y: Any) -> Any:
    """The lesser one; NaN where there is one."""
    out = o.select(key(o, y) < key(o, x), y, x)
    return o.select((x == NAN) | (y == NAN), x * 0 + NAN, out)


def absolute(o: Ops, x: Any) -> Any:
    """The larger one of x and −x."""
    return maximum(o, x, neg(o, x))


def copysign(o: Ops, sign: Any, size: Any) -> Any:
    """The sign of one with the magnitude of another, as of that order; operands as PTX has them."""
    magnitude = absolute(o, size)
    return o.select(less(o, sign, sign * 0), neg(o, magnitude), magnitude)


# --- functions that agree with themselves alone -------------------------------------------------------------------------
SALTS: Final = {
    name: 0x1000193 * (i + 1) & 0xFFFF_FFFF
    for i, name in enumerate(("sin", "cos", "rni", "rzi", "rmi", "rpi", "erf", "arctan", "cbrt"))
}
ODD: Final = ("sin", "erf", "arctan", "cbrt", "rni", "rzi")
EVEN: Final = ("cos",)


def unknown(o: Ops, x: Any, name: str) -> Any:
    """A function by its name: it knows no more than its symmetry."""
    if name not in ODD + EVEN:
        return _scattered(o, x, name)
    one, negative = least_of_pair(o, x)
    value = _scattered(o, one, name)
    return o.select(negative, neg(o, value), value) if name in ODD else value


def _scattered(o: Ops, x: Any, name: str) -> Any:
    h = (x ^ SALTS[name]) * 0x9E37_79B1 & 0xFFFF_FFFF
    h = (h ^ (h >> 15)) * 0x85EB_CA77 & 0xFFFF_FFFF
    h = h ^ (h >> 13)
    value = joined((h & 0xFFFF) % P, (h >> 16) % Q)
    if name in ODD:
        value = o.select(x == 0, x * 0, value)
    return o.select(finite(x), o.select(partial(o, x), x * 0 + LOST, value), x * 0 + NAN)


# --- sums -----------------------------------------------------------------------------------------------------------------
Product = Callable[[Any, Any], Any]


def dot(x: Any, y: Any, product: Product = np.matmul) -> Any:
    """Sums of products of codes. product: multiplies and adds, as a function of NumPy does."""
    left, right = (np.asarray(v, np.uint32) for v in (x, y))
    residues = zip(parts(ARRAYS, left), parts(ARRAYS, right), (P, Q), strict=True)
    a, b = (_summed(one, other, prime, product) for one, other, prime in residues)
    spoilt = _touched(left >= SPECIAL, right >= SPECIAL, product)
    return np.where(spoilt, NAN, joined(a, b)).astype(np.uint32)


def _summed(left: Any, right: Any, prime: int, product: Product) -> Any:
    """The same modulo a prime: not defined where a term is not."""
    known = [np.where(v < prime, v, 0).astype(np.float64) for v in (left, right)]
    undefined = _touched(left >= prime, right >= prime, product)
    return np.where(undefined, prime, product(*known) % prime).astype(np.uint32)


def _touched(left: Any, right: Any, product: Product) -> Any:
    """Which results have a term with such a factor."""
    if not (left.any() or right.any()):
        return False
    one = product(left.astype(np.float64), np.ones(right.shape))
    return one + product(np.ones(left.shape), right.astype(np.float64)) > 0


def total(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Sums of codes along axes."""
    x = np.asarray(x, np.uint32)
    sums: list[Any] = []
    for prime, v in zip((P, Q), parts(ARRAYS, np.where(x < SPECIAL, x, 0)), strict=True):
        gone = np.any(v == prime, axis=axis, keepdims=keepdims)
        whole = np.where(v == prime, 0, v).sum(axis=axis, keepdims=keepdims, dtype=np.uint64)
        sums.append(np.where(gone, prime, whole % prime))
    plus, minus, nan = (np.any(x == c, axis=axis, keepdims=keepdims) for c in (PLUS, MINUS, NAN))
    found = np.where(plus, PLUS, np.where(minus, MINUS, joined(*sums)))
    return np.where(nan | (plus & minus), NAN, found).astype(np.uint32)
