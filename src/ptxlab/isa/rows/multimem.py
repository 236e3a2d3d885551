"""multimem: accesses to multicast addresses, behind each of which lie replicas in the memories of several GPUs."""

from dataclasses import replace

from ptxlab.isa.effects import Access, AsyncCopy
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.rows.reduce import pairs
from ptxlab.isa.specs import Range, addr, dst, src
from ptxlab.isa.targets import only, ptx, released, sm
from ptxlab.isa.terms import chosen, mod, op
from ptxlab.isa.types import TYPES

_NEEDS = ptx(8, 1) & sm(90)
_EIGHT_BITS = ptx(8, 6) & only("100f", "110f", "120a", "121a")
_UNSIMULATED = "it came with sm_100; the simulator is an sm_90a"
_TYPE = mod("type")
_COUNT = mod("vec").map({None: 1, "v2": 2, "v4": 4, "v8": 8})
_SCOPE = oneof("cta", "cluster", "gpu", "sys")
_WHOLE = ("u32", "s32", "u64", "s64")
_INTEGERS = (*_WHOLE, "b32", "b64")
_BYTES = ("e4m3", "e5m2", "e4m3x2", "e5m2x2", "e4m3x4", "e5m2x4")
_SCALARS = ("u32", "s32", "u64", "s64", "b32", "b64", "f32", "f64")
_STORED = ("b8", "u8", "s8", "b16", "u16", "s16", *_SCALARS)
_FLOATS = ("f16", "bf16", "f16x2", "bf16x2", "f32")
_HELD = _TYPE.map(
    {t: t for t in (*_SCALARS, *_FLOATS)} | dict(zip(_BYTES, ("b8", "b8", "b16", "b16", "b32", "b32"), strict=True))
)
_SIZES = {t.name: t.bytes for t in TYPES.values()} | {"e4m3x4": 4, "e5m2x4": 4}
_SPACE = mod("global").map({None: "generic", "global": "global"})
_SIZE = _TYPE.map(_SIZES) * _COUNT
_AT = addr(_SPACE, "rw", bytes=_SIZE, wide=True)
_READ = {
    "add": ("u32", "s32", "u64", "f32", "f64"),
    "min": _WHOLE,
    "max": _WHOLE,
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
}
# What a left-out order and scope mean: not among the rows' defaults, since the rules ask what is written.
_ORDER = mod("sem").map({None: "weak"} | {s: s for s in ("weak", "relaxed", "acquire", "release")})
_AMONG = mod("scope").map({None: None} | {s: s for s in _SCOPE})
_RED_ORDER = mod("sem").map({None: "relaxed"} | {s: s for s in ("relaxed", "release")})
_RED_AMONG = mod("scope").map({None: "sys"} | {s: s for s in _SCOPE})
_LOAD = Access("load", _ORDER, _AMONG)
_PAIRED = rule(
    "PTX0359",
    (mod("sem") == "weak").implies(~chosen("scope"))
    & mod("sem").in_("relaxed", "acquire", "release").implies(chosen("scope"))
    & chosen("scope").implies(chosen("sem")),
    "`{opcode}` names a scope without an order, or the other way round",
    help="write both, e.g. `.relaxed.sys`, or neither",
)


def _lanes(what: str, *, alone: tuple[str, ...] = ()) -> list[Rule]:
    """How many of each small type stand in a vector. `alone`: types of 32 bits that need none."""
    lengths = {
        "v2": ("f16", "bf16", "f16x2", "bf16x2", "f32", *_BYTES[2:]),
        "v4": ("f16", "bf16", "f16x2", "bf16x2", "f32", *_BYTES),
        "v8": ("f16", "bf16", "e4m3", "e5m2", "e4m3x2", "e5m2x2"),
    }
    rules = [
        rule(
            "PTX0360",
            (mod("vec") == vec).implies(_TYPE.in_(*types)),
            "`{opcode}` " + what + " no .{vec} of .{type}",
            help=f".{vec} goes with {', '.join('.' + t for t in types)}",
        )
        for vec, types in lengths.items()
    ]
    rules.append(
        rule(
            "PTX0360",
            chosen("vec") | _TYPE.in_(*alone),
            "`{opcode}` " + what + " no single .{type}",
            help="name a vector, e.g. .v4",
        )
    )
    return rules


_SMALL = ("f16", "bf16", "f16x2", "bf16x2", *_BYTES)

form(
    "multimem.ld_reduce",
    syntax="multimem.ld_reduce{.sem}{.scope}{.global}<.op><.type> d, [a];",
    mods={"sem": oneof("weak", "relaxed", "acquire"), "scope": _SCOPE, "op": oneof(*_READ), "type": oneof(*_SCALARS)},
    operands={"d": dst(_TYPE), "a": replace(_AT, access="r")},
    rules=[_PAIRED, *pairs("PTX0352", _READ)],
    needs=_NEEDS,
    isa="multimem",
    effect=_LOAD,
    doc="Load every replica and combine them in order; of sums of floats, no chip has confirmed that.",
)

_WIDER = rule(
    "PTX0361",
    (mod("acc") == "acc::f32").implies(_TYPE.in_("f16", "bf16", "f16x2", "bf16x2"))
    & (mod("acc") == "acc::f16").implies(_TYPE.in_(*_BYTES)),
    "`{opcode}`: .{type} numbers are not added up in .{acc}",
    help=".acc::f32 goes with 16-bit types, .acc::f16 with 8-bit types",
)
form(
    "multimem.ld_reduce",
    key="multimem.ld_reduce.small",
    syntax="multimem.ld_reduce{.sem}{.scope}{.global}<.op>{.acc}{.vec}<.type> d, [a];",
    mods={
        "sem": oneof("weak", "relaxed", "acquire"),
        "scope": _SCOPE,
        "op": oneof("add", "min", "max"),
        "acc": oneof("acc::f32", "acc::f16"),
        "vec": oneof("v2", "v4", "v8"),
        "type": oneof(*_SMALL),
    },
    operands={"d": replace(dst(_HELD, count=_COUNT, sink=True), whole="no"), "a": replace(_AT, access="r")},
    rules=[
        _PAIRED,
        _WIDER,
        rule(
            "PTX0361",
            chosen("acc").implies(mod("op") == "add"),
            "`{opcode}`: .{acc} is for sums, not for .{op}",
            help="leave .{acc} out",
        ),
        *_lanes("gives", alone=("f16x2", "bf16x2", "e4m3x4", "e5m2x4")),
    ],
    needs=_NEEDS,
    needs_when=[(chosen("acc"), ptx(8, 2)), (_TYPE.in_(*_BYTES), _EIGHT_BITS)],
    isa="multimem",
    effect=_LOAD,
    doc="Load vectors of small numbers from every replica and combine them in order; no chip has confirmed that of sums.",
)

form(
    "multimem.ld_reduce",
    key="multimem.ld_reduce.f32",
    syntax="multimem.ld_reduce{.sem}{.scope}{.global}.add<.vec>.f32 d, [a];",
    mods={"sem": oneof("weak", "relaxed", "acquire"), "scope": _SCOPE, "vec": oneof("v2", "v4")},
    operands={
        "d": replace(dst("f32", count=_COUNT, sink=True), whole="no"),
        "a": addr(_SPACE, "r", bytes=_COUNT * 4, wide=True),
    },
    rules=[_PAIRED],
    needs=_NEEDS,
    isa="multimem",
    effect=_LOAD,
    doc="Load vectors of f32 from every replica and add them up in order, which no chip has confirmed.",
)

form(
    "multimem.st",
    syntax="multimem.st{.sem}{.scope}{.global}{.vec}<.type> [a], b;",
    mods={
        "sem": oneof("weak", "relaxed", "release"),
        "scope": _SCOPE,
        "vec": oneof("v2", "v4", "v8"),
        "type": oneof(*_SCALARS, *_SMALL),
    },
    operands={
        "a": replace(_AT, access="w"),
        "b": replace(src(_HELD, count=_COUNT), whole="no", cut=True, braced=~_TYPE.in_(*_INTEGERS)),
    },
    rules=[_PAIRED, *_lanes("stores", alone=(*_SCALARS, "f16x2", "bf16x2", "e4m3x4", "e5m2x4"))],
    needs=_NEEDS,
    needs_when=[(_TYPE.in_(*_BYTES), _EIGHT_BITS)],
    isa="multimem",
    effect=Access("store", _ORDER, _AMONG),
    doc="Store to every replica.",
)

_REDUCED = {
    "add": ("u32", "s32", "u64", *_FLOATS, "f64"),
    "min": (*_WHOLE, "f16", "bf16", "f16x2", "bf16x2"),
    "max": (*_WHOLE, "f16", "bf16", "f16x2", "bf16x2"),
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
}
form(
    "multimem.red",
    syntax="multimem.red{.sem}{.scope}{.global}<.op>{.vec}<.type> [a], b;",
    mods={
        "sem": oneof("relaxed", "release"),
        "scope": _SCOPE,
        "op": oneof(*_REDUCED),
        "vec": oneof("v2", "v4", "v8"),
        "type": oneof(*_SCALARS, "f16", "bf16", "f16x2", "bf16x2"),
    },
    operands={"a": _AT, "b": replace(src(_HELD, count=_COUNT), whole="no", cut=True, braced=chosen("vec"))},
    rules=[
        _PAIRED,
        *pairs("PTX0352", _REDUCED),
        *_lanes("takes", alone=(*_SCALARS, "f16x2", "bf16x2")),
        rule(
            "PTX0360",
            mod("op").in_("min", "max").implies(chosen("vec") | _TYPE.in_(*_WHOLE)),
            "`{opcode}` takes no single .{type}",
            help="name a vector, e.g. .v2",
        ),
    ],
    needs=_NEEDS,
    isa="multimem",
    effect=Access("atomic", _RED_ORDER, _RED_AMONG, update=mod("op")),
    doc="Change every replica, each atomically.",
)

form(
    "multimem.st.async",
    syntax="multimem.st.async.release<.scope>{.global}<.type> [a], b;",
    mods={"scope": oneof("gpu", "sys"), "type": oneof(*_STORED)},
    operands={
        "a": addr(_SPACE, "w", bytes=_TYPE.map(_SIZES)),
        "b": replace(src(_TYPE, wider=True), integral=True, widest=64, doubles=False),
    },
    needs=ptx(9, 3) & sm(100),
    isa="multimem.st.async",
    effect=AsyncCopy("async", "none", order="release", scope=mod("scope"), replicas=True),
    doc="Store to every replica in the background, behind what this thread stored before.",
    unsimulated=_UNSIMULATED,
)

form(
    "multimem.red.async",
    syntax="multimem.red.async.release<.scope>{.global}.add<.type> [a], b;",
    mods={"scope": oneof("gpu", "sys"), "type": oneof("u32", "s32", "u64")},
    operands={"a": addr(_SPACE, "rw", bytes=_TYPE.map(_SIZES)), "b": src(_TYPE)},
    needs=ptx(9, 3) & sm(100),
    isa="multimem.red.async",
    effect=AsyncCopy("async", "none", order="release", scope=mod("scope"), update="add", replicas=True),
    doc="Add to every replica in the background, behind what this thread stored before.",
    unsimulated=_UNSIMULATED,
)

_BULK = {
    "dst": replace(addr("global", "w", bytes=op("size"), align=16), mask="bytemask"),
    "src": addr("shared::cta", "r", bytes=op("size"), align=16),
    "size": src("u32").about("bytes, a multiple of 16"),
    "bytemask": src("u16").given(chosen("cp_mask")).about("bit i: byte i of every 16 is written"),
}
_WHOLE_LINES = [
    rule(
        "PTX0220",
        op("size") % 16 == 0,
        "`{opcode}` copies a multiple of 16 bytes, not {size}",
        help="round the size up to a multiple of 16 and pad both buffers",
    ),
    rule(
        "PTX0350",
        op("size").in_(None, Range(0, 1048560)),
        "`{opcode}` copies at most 1048560 bytes at once, not {size}",
        help="split the copy; shared memory holds less anyway",
    ),
]
form(
    "multimem.cp.async.bulk",
    syntax="multimem.cp.async.bulk{.weak}.global.shared::cta.bulk_group{.cp_mask}{.b128} [dst], [src], size{, bytemask};",
    operands=_BULK,
    rules=[
        *_WHOLE_LINES,
        rule(
            "PTX0359",
            ~(chosen("weak") & chosen("b128")),
            "`{opcode}`: .b128 is for relaxed copies; a weak one has no type",
            help="leave .b128 out",
        ),
    ],
    needs=ptx(9, 1) & sm(90),
    needs_when=[
        (chosen("cp_mask"), sm(100)),
        (chosen("weak"), ptx(9, 3)),
        (chosen("b128"), released((13, 2), (13, 5))),
    ],
    isa="multimem.cp.async.bulk",
    effect=AsyncCopy("async", "bulk-group", replicas=True),
    doc="Copy bytes from shared memory to every replica; bulk groups complete it.",
)

form(
    "multimem.cp.async.bulk",
    key="multimem.cp.async.bulk.relaxed",
    syntax="multimem.cp.async.bulk.relaxed<.scope>.global.shared::cta.bulk_group{.cp_mask}.b128 "
    "[dst], [src], size{, bytemask};",
    mods={"scope": _SCOPE},
    operands=_BULK,
    rules=_WHOLE_LINES,
    needs=ptx(9, 3) & sm(90),
    needs_when=[(chosen("cp_mask"), sm(100))],
    isa="multimem.cp.async.bulk",
    effect=AsyncCopy("async", "bulk-group", order="relaxed", scope=mod("scope"), replicas=True),
    doc="Copy bytes from shared memory to every replica, 16 bytes at once with respect to a scope.",
)
