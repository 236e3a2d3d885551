"""The arguments of attention for decoding, checked: the cache, its pages, lengths, scales, tensor maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, array_view
from ptxlab.kernels.attention.call import (
    LARGEST,
    TYPES,
    bad,
    check_array,
    heads_first,
    logarithms,
    mapped,
    scale_of,
    window_of,
)
from ptxlab.kernels.attention.scores import Bounds
from ptxlab.kernels.attention.tiling import ITEM, LARGEST_DEPTH, SPAN
from ptxlab.kernels.decode.tiling import LATENT_DEPTH, LATENT_VALUES, ROWS
from ptxlab.kernels.gemm_call import times

CACHES: dict[str, type[px.Register]] = {**TYPES, "float8_e4m3fn": px.e4m3}
AXES = "batches × rows × heads × depth"
PAGES = "pages × rows × heads × depth"
MOST_BLOCKS = 2**31 - 1
"""Blocks of keys of all heads: they are counted in 32 bits."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Attention for decoding whose arrays fit together.

    Attributes:
        q, o: batches × heads × rows × depth. k, v: pages × heads × rows × depth, where a sequence has one page without a table.
        lengths: of each sequence. table: batches × pages of a sequence, or None. lse: batches × heads × rows, or None.
        left, right: the window, None where it has no end. scale: of scores.
        factors: of keys and values, numbers or arrays of one for each of their heads.
    """

    q: ArrayView
    k: ArrayView
    v: ArrayView
    o: ArrayView
    lengths: ArrayView
    table: ArrayView | None
    lse: ArrayView | None
    left: int | None
    right: int | None
    scale: float
    factors: tuple[float | ArrayView, float | ArrayView]

    @property
    def depth(self) -> int:
        """Elements of a head."""
        return self.q.shape[3]

    @property
    def value_depth(self) -> int:
        """Elements of a head of values and results."""
        return self.o.shape[3]

    @property
    def heads(self) -> int:
        """Heads of keys."""
        return self.k.shape[1]

    @property
    def group(self) -> int:
        """Heads that share keys."""
        return self.q.shape[1] // self.heads

    @property
    def rows(self) -> int:
        """Queries of all heads that share keys."""
        return self.group * self.q.shape[2]

    @property
    def page(self) -> int:
        """Keys of a page; 0 where there is no table."""
        return 0 if self.table is None else self.k.shape[2]

    @property
    def capacity(self) -> int:
        """Keys that a sequence may have."""
        return self.k.shape[2] * (1 if self.table is None else self.table.shape[1])

    @property
    def bounds(self) -> Bounds:
        """Which sides of the window have an end."""
        return Bounds(self.left is not None, self.right is not None)

    def map(self, name: str, keys: int) -> px.BoundMap:
        """The tensor map by which so many keys are moved. Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        array = {"K": self.k, "V": self.v}[name]
        return mapped(name, array, keys, SPAN * ITEM // array.itemsize)


@dataclass(frozen=True, slots=True)
class Options:
    """What decoding is told beside its arrays; `decode` says what the attributes mean."""

    causal: bool
    window: tuple[int | None, int | None]
    scale: float | None
    k_scale: Any
    v_scale: Any


def problem(tensors: Sequence[Any], lengths: Any, table: Any, lse: Any, options: Options) -> Problem:
    """Attention of the arrays Q, K, V and O. Raises: Diagnostic PTX2104, PTX2112, PTX2305, PTX2307, PTX2308, PTX2309."""
    given = {name: array_view(x) for name, x in zip("QKVO", _with_values(*tensors), strict=True)}
    latent = given["Q"].shape[-1:] == (LATENT_DEPTH,)
    axes = {"Q": AXES, "O": AXES, "K": AXES if table is None else PAGES, "V": AXES if table is None else PAGES}
    caches = tuple(dict.fromkeys((given["Q"].dtype, *(() if latent else ("float8_e4m3fn",)))))
    wanted = {"Q": tuple(TYPES), "K": caches, "V": (given["K"].dtype,), "O": (given["Q"].dtype,)}
    for name, x in given.items():
        check_array(name, x, wanted[name], axes[name])
    q, keys, v, o = (heads_first(x, "bshd") for x in given.values())
    _see_shapes(q, keys, paged=table is not None)
    (_see_latent if latent else _see_results)(q, keys, v, o)
    for name, x in (("Q", q), ("O", o)):
        _see_strides(name, x)
    left, right = window_of(options.causal, options.window)
    found = Problem(
        q,
        keys,
        v,
        o,
        lengths=_integers("lengths", lengths, (q.shape[0],), "one for each sequence"),
        table=None if table is None else _table(table, q.shape[0], keys.shape[2]),
        lse=None if lse is None else logarithms("lse", lse, q.shape[:3]),
        left=left,
        right=None if q.shape[2] == 1 else right,  # the only query stands at the last key
        scale=scale_of(options.scale, q.shape[3]),
        factors=(_factor("k_scale", options.k_scale, keys), _factor("v_scale", options.v_scale, v)),
    )
    if max(found.capacity, found.rows) > LARGEST:
        raise bad("PTX2308", f"There are {found.rows} queries of {found.capacity} keys.", f"at most {LARGEST} of each")
    return found


def _with_values(q: Any, keys: Any, v: Any, o: Any) -> tuple[Any, Any, Any, Any]:
    """All four, where values may have been left out."""
    if v is None:
        keys = array_view(keys)
        if keys.shape[-1:] != (LATENT_DEPTH,):
            raise bad("PTX2308", "There is no V.", f"give it; only keys of {LATENT_DEPTH} elements have values in them")
        v = replace(keys, shape=(*keys.shape[:-1], LATENT_VALUES))
    return q, keys, v, o


def _see_shapes(q: ArrayView, keys: ArrayView, *, paged: bool) -> None:
    batches, heads, _, depth = q.shape
    if depth != LATENT_DEPTH and (depth % ROWS or depth > LARGEST_DEPTH):
        raise bad(
            "PTX2308",
            f"Heads have {depth} elements.",
            f"a multiple of {ROWS} up to {LARGEST_DEPTH}, pad with zeros; or {LATENT_DEPTH} for latent attention",
        )
    if keys.shape[3] != depth or heads % keys.shape[1]:
        raise bad(
            "PTX2308",
            f"Q has {heads} heads of {depth} elements, K {keys.shape[1]} of {keys.shape[3]}.",
            "elements are as many, and the heads of Q a multiple of those of K",
        )
    if keys.shape[0] != batches and not paged:
        raise bad(
            "PTX2308",
            f"Q has {batches} sequences, and K {keys.shape[0]}.",
            "give as many, or a table that says where each sequence is",
        )


def _see_latent(q: ArrayView, keys: ArrayView, v: ArrayView, o: ArrayView) -> None:
    """Values are the first elements of keys, in the same memory."""
    if (v.shape, v.strides, v.address) != ((*keys.shape[:3], LATENT_VALUES), keys.strides, keys.address):
        raise bad(
            "PTX2308",
            f"V is no part of K, whose heads have {LATENT_DEPTH} elements.",
            f"leave values out: v=None, or give k[..., :{LATENT_VALUES}]",
        )
    if o.shape != (*q.shape[:3], LATENT_VALUES):
        wanted = times((q.shape[0], q.shape[2], q.shape[1], LATENT_VALUES))
        shown = times((o.shape[0], o.shape[2], o.shape[1], o.shape[3]))
        raise bad("PTX2308", f"O is {shown}.", f"results have the elements of values: give {wanted}")


def _see_results(q: ArrayView, keys: ArrayView, v: ArrayView, o: ArrayView) -> None:
    for (one, x), (other, y) in ((("K", keys), ("V", v)), (("Q", q), ("O", o))):
        if x.shape != y.shape:
            shown = [times((s[0], s[2], s[1], s[3])) for s in (x.shape, y.shape)]
            raise bad("PTX2308", f"{one} and {other} differ: {shown[0]} and {shown[1]}.", "give one shape")


def _see_strides(name: str, x: ArrayView) -> None:
    if x.address % 16 or any(stride % 16 for stride, extent in zip(x.strides[:3], x.shape, strict=False) if extent > 1):
        raise bad(
            "PTX2309",
            f"{name} has heads that begin at no multiple of 16 bytes.",
            "give a contiguous copy",
        )


def _integers(name: str, x: Any, shape: tuple[int, ...], words: str) -> ArrayView:
    """An array of int32. Raises: Diagnostic PTX2307, PTX2308, PTX2309."""
    found = array_view(x)
    if found.dtype != "int32":
        raise bad("PTX2307", f"{name} is {found}.", "give int32")
    if found.shape != shape:
        raise bad("PTX2308", f"{name} is {times(found.shape) or 'a single number'}.", f"give {words}: {times(shape)}")
    if shape[-1] > 1 and found.strides[-1] != found.itemsize:
        raise bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous array")
    return found


def _table(table: Any, batches: int, page: int) -> ArrayView:
    found = array_view(table)
    wide = found.shape[1] if len(found.shape) == 2 else 0
    if page % ROWS:
        raise bad("PTX2308", f"Pages have {page} rows.", f"a multiple of {ROWS}")
    if not wide:
        raise bad("PTX2308", f"table is {times(found.shape)}.", f"give batches × pages of a sequence: {batches}×…")
    found = _integers("table", found, (batches, wide), "a line of pages for each sequence")
    if found.strides[0] < 0:
        raise bad("PTX2309", f"table has a stride of {found.strides[0]} bytes.", "give a contiguous array")
    return found


def _factor(name: str, given: Any, cache: ArrayView) -> float | ArrayView:
    """A number, or an array of one for each head of keys. Raises: Diagnostic PTX2305, PTX2307, PTX2308, PTX2309."""
    if isinstance(given, bool) or (isinstance(given, int | float) and not (math.isfinite(given) and given > 0)):
        raise bad("PTX2305", f"{name}={given!r} is no scale.", "give a positive number")
    if isinstance(given, int | float):
        given = float(given)
    else:
        found = array_view(given)
        if found.dtype != "float32":
            raise bad("PTX2307", f"{name} is {found}.", "give a number, or float32 for each head of keys")
        if found.shape != (cache.shape[1],):
            raise bad(
                "PTX2308",
                f"{name} is {times(found.shape) or 'one number in an array'}.",
                f"give a number, or {cache.shape[1]}",
            )
        if not found.contiguous:
            raise bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous array")
        given = found
    if cache.itemsize != 1 and given != 1.0:
        raise bad("PTX2305", f"{name} is given for a cache of {cache.dtype}.", "leave it out: scales are for fp8")
    return given
