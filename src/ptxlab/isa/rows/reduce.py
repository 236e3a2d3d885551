"""cp.reduce.async.bulk: the copy engine combines shared memory with what lies elsewhere, element by element."""

from collections.abc import Mapping

from ptxlab.isa.effects import AsyncCopy
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.specs import Range, Spec, addr, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import Term, chosen, mod, op

_NEEDS = ptx(8, 0) & sm(90)
_BITS, _WRAP = ("and", "or", "xor"), ("inc", "dec")
_OPS = ("add", "min", "max", *_WRAP, *_BITS)
_TYPES = ("u32", "s32", "u64", "s64", "b32", "b64", "f16", "bf16", "f32", "f64")
_BYTES = src("u32").about("bytes, a multiple of 16")
_SHARED: Mapping[str, tuple[str, ...]] = {
    "add": ("u32", "s32", "u64"),
    "min": ("u32", "s32"),
    "max": ("u32", "s32"),
    **dict.fromkeys(_WRAP, ("u32",)),
    **dict.fromkeys(_BITS, ("b32",)),
}
_GLOBAL: Mapping[str, tuple[str, ...]] = {
    "add": ("u32", "s32", "u64", "f16", "bf16", "f32", "f64"),
    "min": ("u32", "s32", "u64", "s64", "f16", "bf16"),
    "max": ("u32", "s32", "u64", "s64", "f16", "bf16"),
    **dict.fromkeys(_WRAP, ("u32",)),
    **dict.fromkeys(_BITS, ("b32", "b64")),
}


def pairs(code: str, table: Mapping[str, tuple[str, ...]], where: str = "") -> list[Rule]:
    """Rules that give each operation (modifier `op`) its types (modifier `type`)."""
    return [
        rule(
            code,
            (mod("op") == name).implies(mod("type").in_(*types)),
            "`{opcode}`: there is no .{op} of .{type} numbers" + where,
            help=f".{name} takes {', '.join('.' + t for t in types)}",
        )
        for name, types in table.items()
    ]


_SIZE = (
    rule(
        "PTX0220",
        op("size") % 16 == 0,
        "`{opcode}` takes a multiple of 16 bytes, not {size}",
        help="round the size up to a multiple of 16, and fill up with what changes nothing",
    ),
    rule(
        "PTX0350",
        op("size").in_(None, Range(0, 1048560)),
        "`{opcode}` takes at most 1048560 bytes at once, not {size}",
        help="split it; shared memory holds less anyway",
    ),
)
_HALF = (mod("op") == "add") & mod("type").in_("f16", "bf16")


def _scope(default: str) -> Term:
    """The scope as written, else the one that such copies have."""
    return mod("scope").map({None: default} | {s: s for s in ("cta", "cluster", "gpu", "sys")})


_ORDERED = (chosen("scope"), ptx(9, 3))
_PAIRED = rule(
    "PTX0359",
    chosen("sem").implies(chosen("scope")) & chosen("scope").implies(chosen("sem")),
    "`{opcode}` names a scope without an order, or the other way round",
    help="write both, e.g. `.relaxed.gpu`, or neither",
)
_NOFTZ = (
    rule(
        "PTX0353",
        _HALF.implies(chosen("noftz")),
        "`{opcode}`: additions of .{type} numbers keep subnormal ones and must say so",
        help="write .add.noftz.{type}",
    ),
    rule(
        "PTX0353",
        chosen("noftz").implies(_HALF | (mod("op") == "add") & (mod("type") == "f32")),
        "`{opcode}`: .noftz goes with additions of .f16, .bf16 and .f32 alone",
        help="leave .noftz out",
    ),
)

form(
    "cp.reduce.async.bulk",
    key="cp.reduce.async.bulk.cta2cluster",
    syntax="cp.reduce.async.bulk{.sem}{.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes<.op><.type> "
    "[dst], [src], size, [mbar];",
    mods={"sem": oneof("relaxed"), "scope": oneof("cta", "cluster"), "op": oneof(*_OPS), "type": oneof(*_TYPES)},
    operands={
        "dst": addr("shared::cluster", "rw", bytes=op("size"), align=16),
        "src": addr("shared::cta", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "mbar": addr("shared::cluster", "rw", bytes=8),
    },
    rules=[_PAIRED, *pairs("PTX0352", _SHARED, " in shared memory"), *_SIZE],
    needs=_NEEDS,
    needs_when=[_ORDERED],
    isa="cp.reduce.async.bulk",
    effect=AsyncCopy("async", "mbarrier", order="relaxed", scope=_scope("gpu"), update=mod("op")),
    doc="Combine this CTA's shared memory with another CTA's of the cluster, each element atomically.",
)


def _to_global(
    name: str,
    scope: str,
    doc: str,
    *,
    hint: str = "",
    policy: Mapping[str, Spec] | None = None,
    version: tuple[int, int],
    replicas: bool = False,
) -> None:
    policy = policy or {}
    form(
        name,
        key=f"{name}.cta2g",
        syntax=f"{name}{{.sem}}{{.scope}}.global.shared::cta.bulk_group{hint}<.op>{{.noftz}}<.type> [dst], [src], size"
        + ("{, policy};" if policy else ";"),
        mods={
            "sem": oneof("relaxed"),
            "scope": oneof("cta", "cluster", "gpu", "sys"),
            "op": oneof(*_OPS),
            "type": oneof(*_TYPES),
        },
        operands={
            "dst": addr("global", "rw", bytes=op("size"), align=16),
            "src": addr("shared::cta", "r", bytes=op("size"), align=16),
            "size": _BYTES,
            **policy,
        },
        rules=[_PAIRED, *pairs("PTX0352", _GLOBAL), *_NOFTZ, *_SIZE],
        needs=_NEEDS & ptx(*version),
        needs_when=[_ORDERED, (chosen("noftz") & (mod("type") == "f32"), ptx(9, 4))],
        isa=name,
        effect=AsyncCopy(
            "async", "bulk-group", order="relaxed", scope=_scope(scope), update=mod("op"), replicas=replicas
        ),
        doc=doc,
    )


_to_global(
    "cp.reduce.async.bulk",
    "gpu",
    "Combine shared memory with global memory, each element atomically; bulk groups complete it.",
    hint="{.L2::cache_hint}",
    policy={"policy": src("u64").given(chosen("L2::cache_hint"))},
    version=(8, 0),
)
_to_global(
    "multimem.cp.reduce.async.bulk",
    "sys",
    "Combine shared memory with every replica behind a multicast address; bulk groups complete it.",
    version=(9, 1),
    replicas=True,
)
