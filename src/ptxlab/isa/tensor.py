"""cp.async.bulk.tensor: the Tensor Memory Accelerator (TMA) moves boxes of tensors that a tensor map describes."""

from dataclasses import replace

from ptxlab.isa.effects import AsyncCopy, Hint
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import Spec, addr, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import Term, mod

_NEEDS = ptx(8, 0) & sm(90)
_HINT = mod("L2::cache_hint") == "L2::cache_hint"
_MULTICAST = mod("multicast::cluster") == "multicast::cluster"
_DIM = oneof("1d", "2d", "3d", "4d", "5d")
_RANK = mod("dim").map({d: int(d[0]) for d in _DIM})
_OFFSETS = mod("dim").map({"3d": 1, "4d": 2, "5d": 3})
_MAP = addr("generic", "a", bytes=128, align=64).about(
    "the tensor map, 128 bytes in parameter, constant or global memory"
)
_POLICY = src("u64").given(_HINT)
_MASK = src("u16").given(_MULTICAST).about("bit r: the CTA of rank r gets a copy")
_NO_IM2COL = "im2col maps are not simulated yet"


def _vector(type_: str, count: Term) -> Spec:
    return replace(src(type_), count=count, always_vector=True)


_COORDS = _vector("s32", _RANK).about("start of the box, innermost dimension first")
_I2C = _vector("u16", _OFFSETS).about("im2col offsets")
_LOAD = AsyncCopy(proxy="async", completion="mbarrier", tensor=True)
_STORE = AsyncCopy(proxy="async", completion="bulk-group", tensor=True)

for _space, _key, _version in (("shared::cluster", "cluster", ptx(8, 0)), ("shared::cta", "cta", ptx(8, 6))):
    _cast = "{.multicast::cluster}" if _key == "cluster" else ""
    _mask = "{, mask}" if _key == "cluster" else ""
    _masked = {"mask": _MASK} if _key == "cluster" else {}
    form(
        "cp.async.bulk.tensor",
        key=f"cp.async.bulk.tensor.load.{_key}",
        syntax=f"cp.async.bulk.tensor<.dim>.{_space}.global{{.tile}}.mbarrier::complete_tx::bytes{_cast}{{.L2::cache_hint}} "
        f"[dst], [map, coords], [mbar]{_mask}{{, policy}};",
        mods={"dim": _DIM},
        operands={
            "dst": addr(_space, "w", align=128).about("where the box goes, aligned to 128 bytes"),
            "map": _MAP,
            "coords": _COORDS,
            "mbar": addr(_space, "rw", bytes=8),
            **_masked,
            "policy": _POLICY,
        },
        needs=_NEEDS & _version,
        isa="cp.async.bulk.tensor",
        effect=_LOAD,
        doc="Load a box of a tensor into shared memory; the mbarrier counts its bytes.",
    )
    form(
        "cp.async.bulk.tensor",
        key=f"cp.async.bulk.tensor.load.im2col.{_key}",
        syntax=f"cp.async.bulk.tensor<.dim>.{_space}.global.im2col.mbarrier::complete_tx::bytes{_cast}{{.L2::cache_hint}} "
        f"[dst], [map, coords], [mbar], offsets{_mask}{{, policy}};",
        mods={"dim": oneof("3d", "4d", "5d")},
        operands={
            "dst": addr(_space, "w", align=128),
            "map": _MAP,
            "coords": _COORDS,
            "mbar": addr(_space, "rw", bytes=8),
            "offsets": _I2C,
            **_masked,
            "policy": _POLICY,
        },
        needs=_NEEDS & _version,
        isa="cp.async.bulk.tensor",
        effect=_LOAD,
        doc="Load pixels of an image tensor, unrolled for a convolution.",
        unsimulated=_NO_IM2COL,
    )

form(
    "cp.async.bulk.tensor",
    key="cp.async.bulk.tensor.store",
    syntax="cp.async.bulk.tensor<.dim>.global.shared::cta{.tile}.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};",
    mods={"dim": _DIM},
    operands={
        "map": _MAP,
        "coords": _COORDS,
        "src": addr("shared::cta", "r", align=128).about("where the box lies, aligned to 128 bytes"),
        "policy": _POLICY,
    },
    needs=_NEEDS,
    isa="cp.async.bulk.tensor",
    effect=_STORE,
    doc="Store a box from shared memory into a tensor; elements outside the tensor are dropped.",
)

form(
    "cp.async.bulk.tensor",
    key="cp.async.bulk.tensor.store.im2col",
    syntax="cp.async.bulk.tensor<.dim>.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint} "
    "[map, coords], [src]{, policy};",
    mods={"dim": oneof("3d", "4d", "5d")},
    operands={"map": _MAP, "coords": _COORDS, "src": addr("shared::cta", "r", align=128), "policy": _POLICY},
    needs=_NEEDS,
    isa="cp.async.bulk.tensor",
    effect=_STORE,
    doc="Store pixels of an image tensor.",
    unsimulated=_NO_IM2COL,
)

form(
    "cp.async.bulk.prefetch.tensor",
    syntax="cp.async.bulk.prefetch.tensor<.dim>.L2.global{.tile}{.L2::cache_hint} [map, coords]{, policy};",
    mods={"dim": _DIM},
    operands={"map": _MAP, "coords": _COORDS, "policy": _POLICY},
    needs=_NEEDS,
    isa="cp.async.bulk.prefetch.tensor",
    effect=Hint(),
    doc="Bring a box of a tensor into the L2 cache.",
)

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
