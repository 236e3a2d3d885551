"""What sm_107 adds to copies of tensors: reports, masks of 32 CTAs, priorities, and values in place of a tensor map's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from ptxlab.isa.effects import AsyncCopy, Effect, Hint
from ptxlab.isa.extents import Box
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.rows.bulk import REPORTS
from ptxlab.isa.specs import Spec, addr, src
from ptxlab.isa.targets import only, ptx
from ptxlab.isa.terms import And, Const, Term, chosen, mod, op

_NEEDS = ptx(9, 4) & only("107f")
_ABSENT = "sm_90a does not have it"
_DIM = oneof("1d", "2d", "3d", "4d", "5d")
_RANK = mod("dim").map({d: int(d[0]) for d in _DIM})
_LOADS = oneof("tile", "im2col", "im2col::w", "im2col::w::128", "tile::gather4")
_STORES = oneof("tile", "im2col_no_offs", "im2col_no_offs::w", "tile::scatter4")
_REDUCED = _STORES[:3]
_APPLIED = oneof(*dict.fromkeys((*_LOADS, *_STORES)))
_ROWS = ("tile::gather4", "tile::scatter4")
_OFFSETS = ("im2col", "im2col::w", "im2col::w::128")
_CASTS = oneof("multicast::cluster", "multicast::cluster::16b", "multicast::cluster::32b")
_CAST = "{.cast}"
_MODE = mod("mode")
_IMAGE = rule(
    "PTX0351",
    _MODE.in_(*_OFFSETS, "im2col_no_offs", "im2col_no_offs::w").implies(mod("dim").in_("3d", "4d", "5d")),
    "`{opcode}`: an image has 3 to 5 dimensions, not {dim}",
    help="use .3d, .4d or .5d, or copy a tile",
)
_MATRIX = rule(
    "PTX0351",
    _MODE.in_(*_ROWS).implies(mod("dim") == "2d"),
    "`{opcode}`: four rows are gathered from or scattered to a tensor of two dimensions, not {dim}",
    help="use .2d with five coordinates: the column, then four rows",
)
_UNROLLED = replace(_IMAGE, term=_MODE.in_(*_OFFSETS).implies(mod("dim").in_("3d", "4d", "5d")))
_RULES = (_IMAGE, _MATRIX)
_MAP = replace(addr("generic", "r", bytes=128, align=64), proxy="tensormap").about(
    "the tensor map, 128 bytes in parameter, constant or global memory"
)
_HINTED_MAP = replace(_MAP, access="a", proxy=None)
_COORDS = replace(src("s32"), count=_MODE.in_(*_ROWS).where(5, _RANK), always_vector=True).about(
    "start of the box, innermost dimension first; with four rows the column, then the rows"
)
_I2C = replace(
    src("u16"), count=(_MODE == "im2col").where(_RANK - 2, 2), always_vector=True, when=_MODE.in_(*_OFFSETS)
).about("offsets of im2col")
_POLICY = src("u64").given(chosen("L2::cache_hint"))
_MASK = (
    src(mod("cast").map({_CASTS[0]: "u16", _CASTS[1]: "u16", _CASTS[2]: "u32"}))
    .without_pairs()
    .given(chosen("cast"))
    .about("bit r: the CTA of rank r gets a copy")
)


@dataclass(frozen=True)
class _Map:
    """What names the tensor: its map alone, or values that stand for fields of it. `words`: how they are spelled."""

    key: str
    words: str
    inside: str
    specs: dict[str, Spec]
    dims: tuple[str, ...] = _DIM
    doc: str = ""
    tiles: bool = False  # nothing but tiles, and masks of 32 CTAs alone


_ADDRESS = {"gaddr": src("u64", imm=False).about("where the tensor begins, in place of the map's address")}
_SIZES = {
    "sizes": replace(src("b8", wider=True, imm=False), count=_RANK, always_vector=True, widest=16).about(
        "in place of the map's sizes"
    )
}
_STRIDES = {
    "strides": replace(src("b32", imm=False), count=_RANK - 1, always_vector=True).about(
        "the low parts of strides, in place of the map's"
    ),
    "high": src("u16", imm=False).about("their high parts, packed"),
}
_ZEROS = reduce(And, (op("coords").item(i) == 0 for i in range(5)))
_ORIGIN = rule(
    "PTX0351",
    _ZEROS,
    "`{opcode}`: a coordinate written as a number is zero here",
    help="put the coordinates into registers",
)
_PLAIN = _Map("", "", "", {})
_OVERRIDES = (
    _Map(
        ".at",
        ".override::global_address",
        " gaddr,",
        _ADDRESS,
        doc="; the tensor lies elsewhere than its map says",
    ),
    _Map(
        ".sized",
        ".override::global_address.override::global_dim",
        " gaddr, sizes,",
        _ADDRESS | _SIZES,
        _DIM[:1],
        "; the tensor lies elsewhere, and has another size, than its map says",
        tiles=True,
    ),
    _Map(
        ".shaped",
        ".override::global_address.override::global_dim_stride",
        " gaddr, sizes, strides, high,",
        _ADDRESS | _SIZES | _STRIDES,
        _DIM[1:],
        "; the tensor lies elsewhere, and has other sizes and strides, than its map says",
        tiles=True,
    ),
)


def _box(side: str, operands: Mapping[str, Spec]) -> Box[Term]:
    return Box(side, _MODE, offsets="offsets" if "offsets" in operands else None)


def _form(
    name: str,
    key: str,
    map_: _Map,
    head: str,
    places: str,
    *,
    modes: tuple[str, ...],
    doc: str,
    effect: Effect,
    operands: dict[str, Spec],
    access: str = "",
    mods: dict[str, tuple[str, ...]] | None = None,
    rules: tuple[Rule, ...] = _RULES,
) -> None:
    """A row. In `head` and `places` {override} and {map} stand for how the tensor is named. `access`: what is done to it."""
    if map_.tiles:
        modes, rules = _LOADS[:1], (_ORIGIN,)
        places = places.replace("{, offsets}", "")
        operands = {name: spec for name, spec in operands.items() if name != "offsets"}
    form(
        name,
        key=f"{name}{key}{map_.key}",
        syntax=f"{head.replace('{override}', map_.words)} {places.replace('{map}', f'[map,{map_.inside} coords]')};",
        mods={"dim": map_.dims, "mode": modes, **(mods or {})},
        operands={
            "map": _MAP if access else _HINTED_MAP,
            **map_.specs,
            "coords": replace(_COORDS, access=access, space=Const("global"), extent=_box("tensor", operands))
            if access
            else _COORDS,
            **operands,
        },
        rules=rules,
        needs=_NEEDS,
        isa=name,
        effect=effect,
        doc=f"{doc}{map_.doc}.",
        unsimulated=_ABSENT,
        defaults={"mode": "tile"},
    )


_LOAD = AsyncCopy(proxy="async", completion="mbarrier", tensor=True, mode=_MODE)
_STORE = AsyncCopy(proxy="async", completion="bulk-group", tensor=True, mode=_MODE)


def _load(key: str, space: str, map_: _Map, report: str, cast: str, doc: str) -> None:
    """Rows that load. `report`, `cast`: those slots as this row has them."""
    cluster = space == "shared::cluster"
    mask = "{, mask}" if cast == _CAST else ", mask" if cast else ""
    wide = {"mask": src("u32").about("bit r: the CTA of rank r gets a copy")}
    _form(
        "cp.async.bulk.tensor",
        f".load{key}.{space.rpartition('::')[2]}",
        map_,
        f"cp.async.bulk.tensor<.dim>.{space}.global{{.mode}}.mbarrier::complete_tx::bytes{report}{cast}{{.group}}"
        "{override}{.L2::cache_hint}",
        f"[dst], {{map}}, [mbar]{{, offsets}}{mask}{{, policy}}",
        modes=_LOADS,
        doc=doc,
        access="r",
        effect=replace(_LOAD, multicast="mask" if cluster else None),
        operands={
            "dst": replace(
                addr(space, "w", align=128), extent=Box("shared", _MODE, offsets=None if map_.tiles else "offsets")
            ).about("where the box goes, aligned to 128 bytes"),
            "mbar": addr(space, "rw", bytes=8),
            "offsets": _I2C,
            **({"mask": _MASK} if cast == _CAST else wide if cast else {}),
            "policy": _POLICY,
        },
        mods={"group": oneof("cta_group::1", "cta_group::2")}
        | ({"report": REPORTS} if report else {})
        | ({"cast": _CASTS[2:] if map_.tiles else _CASTS} if cast == _CAST else {}),
    )


for _space in ("shared::cluster", "shared::cta"):
    _any = _CAST if _space == "shared::cluster" else ""
    _load(
        ".report",
        _space,
        _PLAIN,
        "<.report>",
        _any,
        "Load from a tensor; the mbarriers count the bytes and keep a report",
    )
    for _map in _OVERRIDES:
        _load("", _space, _map, "{.report}", _any, "Load from a tensor")
_load(
    ".wide",
    "shared::cluster",
    _PLAIN,
    "",
    ".multicast::cluster::32b",
    "Load from a tensor into shared memory of some of up to 32 CTAs of the cluster",
)

_FROM = {
    "src": replace(addr("shared::cta", "r", align=128), extent=_box("shared", {})).about(
        "where the box lies, aligned to 128 bytes"
    ),
    "policy": _POLICY,
}
_OPS = oneof("add", "min", "max", "inc", "dec", "and", "or", "xor")


def _store(map_: _Map, modes: tuple[str, ...] = _STORES) -> None:
    _form(
        "cp.async.bulk.tensor",
        ".store",
        map_,
        "cp.async.bulk.tensor<.dim>.global.shared::cta{.mode}.bulk_group{override}{.L2::cache_hint}",
        "{map}, [src]{, policy}",
        modes=modes,
        doc="Store into a tensor; elements outside of it are dropped",
        access="w",
        effect=_STORE,
        operands=_FROM,
    )


def _reduce(map_: _Map, modes: tuple[str, ...] = _REDUCED) -> None:
    _form(
        "cp.reduce.async.bulk.tensor",
        "",
        map_,
        "cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>{.mode}.bulk_group{override}{.L2::cache_hint}",
        "{map}, [src]{, policy}",
        modes=modes,
        doc="Combine what lies in shared memory with a tensor, each element atomically",
        access="rw",
        effect=replace(_STORE, order="relaxed", scope="gpu", update=mod("op")),
        operands=_FROM,
        mods={"op": _OPS},
    )


_PREFETCHED = "cp.async.bulk.prefetch.tensor<.dim>.L2.global{.mode}"


def _prefetch(map_: _Map) -> None:
    _form(
        "cp.async.bulk.prefetch.tensor",
        "",
        map_,
        _PREFETCHED + "{override}{.hint}",
        "{map}{, offsets}{, policy}",
        modes=_LOADS,
        doc="Bring into the L2 cache what a load of this kind would copy",
        effect=Hint(),
        operands={"offsets": _I2C, "policy": src("u64").given(mod("hint") == "L2::cache_hint")},
        mods={"hint": oneof("L2::cache_hint", "L2::evict_last")},
    )


def _apply(map_: _Map) -> None:
    _form(
        "applypriority.async.bulk.tensor",
        "",
        map_,
        "applypriority.async.bulk.tensor<.dim>{.global}{.mode}.bulk_group.L2::evict_normal{override}",
        "{map}{, offsets}",
        modes=_APPLIED,
        doc="Give a part of a tensor the ordinary eviction priority in the L2 cache",
        effect=Hint(),
        operands={"offsets": _I2C},
        rules=(_UNROLLED, replace(_IMAGE, severity="warning"), replace(_MATRIX, severity="warning")),
    )


_OTHERS: tuple[Callable[[_Map], None], ...] = (_store, _reduce, _prefetch, _apply)
for _map in _OVERRIDES:
    for _make in _OTHERS:
        _make(_map)
_apply(_PLAIN)
_form(
    "cp.async.bulk.prefetch.tensor",
    ".evict",
    _PLAIN,
    _PREFETCHED + ".L2::evict_last",
    "{map}{, offsets}",
    modes=_LOADS,
    doc="Bring into the L2 cache what a load of this kind would copy, to be kept there longest",
    effect=Hint(),
    operands={"offsets": _I2C},
)
