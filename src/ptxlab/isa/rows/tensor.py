"""cp.async.bulk.tensor: the Tensor Memory Accelerator (TMA) moves boxes of tensors that a tensor map describes."""

from dataclasses import dataclass, replace

from ptxlab.isa.effects import AsyncCopy, Hint
from ptxlab.isa.extents import Box
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.rows.bulk import MASKS
from ptxlab.isa.specs import Spec, addr, braced, src
from ptxlab.isa.targets import Need, only, ptx, sm
from ptxlab.isa.terms import Const, Term, chosen, mod

_NEEDS = ptx(8, 0) & sm(90)
_BLACKWELL = ptx(8, 6) & sm(100)
_RUBIN = ptx(9, 4) & only("107f")
_DATACENTER = ptx(8, 6) & only("100f", "110f")
_HINT = mod("L2::cache_hint") == "L2::cache_hint"
_MULTICAST = chosen("multicast::cluster")
_DIM = oneof("1d", "2d", "3d", "4d", "5d")
_RANK = mod("dim").map({d: int(d[0]) for d in _DIM})
_IMAGES = ("3d", "4d", "5d")
_MAP = replace(addr("generic", "r", bytes=128, align=64), proxy="tensormap", symbols="global").about(
    "the tensor map, 128 bytes in parameter, constant or global memory"
)
_HINTED_MAP = replace(_MAP, access="a", proxy=None)
_POLICY = src("u64").given(_HINT)
_MASK = src("u16").given(_MULTICAST).about("bit r: the CTA of rank r gets a copy")
_LOAD = AsyncCopy(proxy="async", completion="mbarrier", tensor=True)
_STORE = AsyncCopy(proxy="async", completion="bulk-group", tensor=True)
_NO_PAIRS = "pairs of CTAs came with sm_100; the simulator is an sm_90a"


def _vector(type_: str, count: Term) -> Spec:
    """Coordinates or offsets; ptxas dies of a vector register by its name in most copies."""
    return replace(braced(type_, count), held="type", cut=True, whole="no")


_COORDS = _vector("s32", _RANK).about("start of the box, innermost dimension first")
_IMAGE = rule(
    "PTX0351",
    mod("dim").in_(*_IMAGES),
    "`{opcode}`: an image has 3 to 5 dimensions, not {dim}",
    help="use .3d, .4d or .5d, or leave .im2col out and copy a tile",
)
_MATRIX = rule(
    "PTX0351",
    mod("dim") == "2d",
    "`{opcode}`: four rows are gathered from or scattered to a tensor of two dimensions, not {dim}",
    help="use .2d with five coordinates: the column, then four rows",
)


def _in_tensor(coords: Spec, access: str, mode: str, offsets: str | None = None) -> Spec:
    """Coordinates with the box of the tensor that they stand for."""
    return replace(coords, access=access, space=Const("global"), extent=Box("tensor", mode, offsets=offsets))


def _in_shared(space: str, access: str, mode: str, offsets: str | None = None) -> Spec:
    """The place in shared memory of a box."""
    return replace(addr(space, access, align=128), extent=Box("shared", mode, offsets=offsets))


def _spelled(syntax: str) -> str:
    """A load mode as the instruction spells it."""
    return syntax.strip("{}")[1:]


@dataclass(frozen=True)
class _Mode:
    """A way to walk a tensor: how it is spelled, its coordinates and im2col offsets, and what it needs."""

    key: str
    syntax: str
    doc: str
    coords: Spec = _COORDS
    offsets: Spec | None = None
    rules: tuple[Rule, ...] = ()
    into_cta: Need = _DATACENTER
    into_cluster: Need = _DATACENTER

    @property
    def mode(self) -> str:
        return _spelled(self.syntax)

    @property
    def operand(self) -> str:
        return ", offsets" if self.offsets is not None else ""

    @property
    def specs(self) -> dict[str, Spec]:
        return {} if self.offsets is None else {"offsets": self.offsets}


_ROWS = _vector("s32", Const(5)).about("the column, then four rows")
_I2C = _vector("u16", mod("dim").map({"3d": 1, "4d": 2, "5d": 3})).about("im2col offsets, one per spatial dimension")
_WIDE = _vector("u16", Const(2)).about("the pixels of a halo, and the offset along W")
_TILE = _Mode(
    "",
    "{.tile}",
    "Load a box of a tensor into shared memory; the mbarrier counts its bytes.",
    into_cta=_NEEDS & ptx(8, 6),
    into_cluster=_NEEDS,
)
_MODES = (
    _TILE,
    _Mode(
        ".im2col",
        ".im2col",
        "Load pixels of an image tensor, unrolled for a convolution.",
        offsets=_I2C,
        rules=(_IMAGE,),
        into_cta=_NEEDS & ptx(8, 6),
        into_cluster=_NEEDS,
    ),
    _Mode(
        ".im2col_w",
        ".im2col::w",
        "Load pixels of an image tensor, unrolled along W alone.",
        offsets=_WIDE,
        rules=(_IMAGE,),
        into_cta=_BLACKWELL,
    ),
    _Mode(
        ".im2col_w128",
        ".im2col::w::128",
        "Load 128 pixels of an image tensor, unrolled along W alone.",
        offsets=_WIDE,
        rules=(_IMAGE,),
    ),
    _Mode(
        ".gather4",
        ".tile::gather4",
        "Load four rows of a matrix that need not be neighbours.",
        coords=_ROWS,
        rules=(_MATRIX,),
        into_cta=_BLACKWELL,
    ),
)


def _load(mode: _Mode, space: str, *, pair: bool) -> None:
    """A row that loads. `pair`: with .cta_group, for pairs of CTAs."""
    cluster = space == "shared::cluster"
    cast, mask = ("{.multicast::cluster}{::16b}", "{, mask}") if cluster else ("", "")
    group = "<.group>" if pair else ""
    offsets = "offsets" if mode.offsets is not None else None
    needs = mode.into_cluster if cluster else mode.into_cta
    form(
        "cp.async.bulk.tensor",
        key=f"cp.async.bulk.tensor.load{mode.key}.{space.rpartition('::')[2]}{'.pair' if pair else ''}",
        syntax=f"cp.async.bulk.tensor<.dim>.{space}.global{mode.syntax}.mbarrier::complete_tx::bytes{cast}{group}"
        f"{{.L2::cache_hint}} [dst], [map, coords], [mbar]{mode.operand}{mask}{{, policy}};",
        mods={"dim": _DIM} | ({"group": oneof("cta_group::1", "cta_group::2")} if pair else {}),
        operands={
            "dst": _in_shared(space, "w", mode.mode, offsets).about("where the box goes, aligned to 128 bytes"),
            "map": _MAP,
            "coords": _in_tensor(mode.coords, "r", mode.mode, offsets),
            "mbar": addr(space, "rw", bytes=8),
            **mode.specs,
            **({"mask": _MASK} if cluster else {}),
            "policy": _POLICY,
        },
        rules=mode.rules,
        needs=needs & _DATACENTER if pair else needs,
        needs_when=MASKS if cluster else (),
        isa="cp.async.bulk.tensor",
        effect=replace(_LOAD, mode=mode.mode, multicast="mask" if cluster else None),
        doc=mode.doc if not pair else mode.doc[:-1] + "; the mbarrier may be the other CTA's of a pair.",
        unsimulated=_NO_PAIRS if pair else None,
    )


for _mode in _MODES:
    for _space in ("shared::cluster", "shared::cta"):
        _load(_mode, _space, pair=False)
        _load(_mode, _space, pair=True)


def _store(
    key: str,
    mode: str,
    doc: str,
    *,
    coords: Spec = _COORDS,
    rules: tuple[Rule, ...] = (),
    needs: Need = _NEEDS,
) -> None:
    """A row that stores."""
    form(
        "cp.async.bulk.tensor",
        key=f"cp.async.bulk.tensor.store{key}",
        syntax=f"cp.async.bulk.tensor<.dim>.global.shared::cta{mode}.bulk_group{{.L2::cache_hint}} "
        "[map, coords], [src]{, policy};",
        mods={"dim": _DIM},
        operands={
            "map": _MAP,
            "coords": _in_tensor(coords, "w", _spelled(mode)),
            "src": _in_shared("shared::cta", "r", _spelled(mode)).about("where the box lies, aligned to 128 bytes"),
            "policy": _POLICY,
        },
        rules=rules,
        needs=needs,
        isa="cp.async.bulk.tensor",
        effect=replace(_STORE, mode=_spelled(mode)),
        doc=doc,
        unsimulated="sm_90a does not have it" if needs is _RUBIN else None,
    )


_store("", "{.tile}", "Store a box from shared memory into a tensor; elements outside the tensor are dropped.")
_store(".im2col", ".im2col_no_offs", "Store pixels of an image tensor.", rules=(_IMAGE,))
_store(
    ".im2col_w", ".im2col_no_offs::w", "Store pixels of an image tensor, along W alone.", rules=(_IMAGE,), needs=_RUBIN
)
_store(
    ".scatter4",
    ".tile::scatter4",
    "Store four rows of a matrix that need not be neighbours.",
    coords=_ROWS,
    rules=(_MATRIX,),
    needs=_DATACENTER,
)

_REDUCTIONS = oneof("add", "min", "max", "inc", "dec", "and", "or", "xor")
for _key, _syntax, _doc, _rules, _needs in (
    ("", "{.tile}", "Combine a box in shared memory with a tensor, each element atomically.", (), _NEEDS),
    (".im2col", ".im2col_no_offs", "Combine pixels with an image tensor, each element atomically.", (_IMAGE,), _NEEDS),
    (
        ".im2col_w",
        ".im2col_no_offs::w",
        "Combine pixels along W with an image tensor, each element atomically.",
        (_IMAGE,),
        _RUBIN,
    ),
    (
        ".scatter4",
        ".tile::scatter4",
        "Combine four rows with rows of a matrix that need not be neighbours, each element atomically.",
        (_MATRIX,),
        _DATACENTER,
    ),
):
    form(
        "cp.reduce.async.bulk.tensor",
        key=f"cp.reduce.async.bulk.tensor{_key}",
        syntax=f"cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>{_syntax}.bulk_group{{.L2::cache_hint}} "
        "[map, coords], [src]{, policy};",
        mods={"dim": _DIM, "op": _REDUCTIONS},
        operands={
            "map": _MAP,
            "coords": _in_tensor(_ROWS if _needs is _DATACENTER else _COORDS, "rw", _spelled(_syntax)),
            "src": _in_shared("shared::cta", "r", _spelled(_syntax)),
            "policy": _POLICY,
        },
        rules=_rules,
        needs=_needs,
        unsimulated="sm_90a does not have it" if _needs in (_RUBIN, _DATACENTER) else None,
        isa="cp.reduce.async.bulk.tensor",
        effect=replace(_STORE, mode=_spelled(_syntax), order="relaxed", scope="gpu", update=mod("op")),
        doc=_doc,
    )


def _prefetch(mode: _Mode) -> None:
    """A row that brings a box into L2."""
    form(
        "cp.async.bulk.prefetch.tensor",
        key=f"cp.async.bulk.prefetch.tensor{mode.key}",
        syntax=f"cp.async.bulk.prefetch.tensor<.dim>.L2.global{mode.syntax}{{.L2::cache_hint}} "
        f"[map, coords]{mode.operand}{{, policy}};",
        mods={"dim": _DIM},
        operands={"map": _HINTED_MAP, "coords": mode.coords, **mode.specs, "policy": _POLICY},
        rules=mode.rules,
        needs=mode.into_cluster,
        isa="cp.async.bulk.prefetch.tensor",
        effect=Hint(),
        doc="Bring into the L2 cache what a load of this kind would copy.",
    )


for _mode in _MODES:
    _prefetch(_mode)

form(
    "prefetch.tensormap",
    syntax="prefetch{.space}.tensormap [map];",
    mods={"space": oneof("const", "param")},
    operands={
        "map": addr(mod("space").map({None: "generic", "const": "const", "param": "param::entry"}), "a", align=64)
    },
    needs=_NEEDS,
    isa="prefetch",
    effect=Hint(),
    doc="Bring a tensor map into the cache of maps before its first use.",
)
