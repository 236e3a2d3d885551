"""st.async, red.async, st.bulk: stores that complete in the background."""

from dataclasses import replace

from ptxlab.isa.effects import Access, AsyncCopy
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.rows.reduce import pairs
from ptxlab.isa.specs import Range, addr, imm, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import chosen, mod, op
from ptxlab.isa.types import TYPES

_TYPE = mod("type")
_SPACES = ("shared::cluster", "shared", "shared::cta")
_BYTES = _TYPE.map({t.name: t.bytes for t in TYPES.values()})
_COUNT = mod("vec").map({None: 1, "v2": 2, "v4": 4})
_GLOBAL = mod("global").map({None: "generic", "global": "global"})
_CLUSTER = mod("space").map({None: "generic"} | dict.fromkeys(_SPACES, "shared::cluster"))
_WORDS = ("b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
_HERE = mod("shared::cta").map({None: "generic", "shared::cta": "shared::cta"})
_BY_MBARRIER = AsyncCopy(proxy="generic", completion="mbarrier")
_BEHIND = AsyncCopy("async", "none", order="release", scope=mod("scope"))
_REMOTE = ptx(8, 1) & sm(90)
_BLACKWELL = ptx(8, 7) & sm(100)
_NOT_HERE = "asynchronous stores to global memory came with sm_100; the simulator is an sm_90a"
_MMIO = rule(
    "PTX0357",
    chosen("mmio").implies(mod("scope") == "sys"),
    "`{opcode}`: memory-mapped input and output is ordered for the whole system, not for .{scope}",
    help="write .mmio.release.sys, or leave .mmio out",
)

form(
    "st.async",
    syntax="st.async{.weak}{.space}.mbarrier::complete_tx::bytes{.vec}<.type> [a], b, [mbar];",
    mods={
        "space": _SPACES,
        "vec": oneof("v2", "v4"),
        "type": oneof(*_WORDS, "b128"),
    },
    operands={
        "a": addr(_CLUSTER, "w", bytes=_BYTES * _COUNT).about("where the value goes, in any CTA of the cluster"),
        "b": replace(src(_TYPE, count=_COUNT), cut=True),
        "mbar": addr(_CLUSTER, "rw", bytes=8).about("a barrier of the same CTA, which counts the bytes"),
    },
    rules=[
        rule(
            "PTX0310",
            _BYTES * _COUNT <= 16,
            "`{opcode}` moves more than 16 bytes",
            help="a thread stores up to 16 bytes at once",
        )
    ],
    needs=_REMOTE,
    needs_when=[(_TYPE == "b128", ptx(9, 2))],
    isa="st.async",
    effect=_BY_MBARRIER,
    doc="Store to a CTA of the cluster in the background; an mbarrier there counts the bytes.",
)

form(
    "st.async",
    key="st.async.global",
    syntax="st.async{.mmio}.release<.scope>{.global}<.type> [a], b;",
    mods={"scope": oneof("gpu", "sys"), "type": oneof("b8", "u8", "s8", "b16", "u16", "s16", *_WORDS)},
    operands={"a": addr(_GLOBAL, "w", bytes=_BYTES), "b": src(_TYPE)},
    rules=[_MMIO],
    needs=_BLACKWELL,
    isa="st.async",
    effect=_BEHIND,
    doc="Store to global memory in the background, behind what this thread stored before.",
    unsimulated=_NOT_HERE,
)

_REDUCED = {
    "add": ("u32", "s32", "u64", "s64"),
    "min": ("u32", "s32"),
    "max": ("u32", "s32"),
    "inc": ("u32",),
    "dec": ("u32",),
    "and": ("b32",),
    "or": ("b32",),
    "xor": ("b32",),
}
_REDUCE = {"op": oneof(*_REDUCED), "type": oneof("u32", "s32", "u64", "s64", "b32", "b64")}
form(
    "red.async",
    syntax="red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes<.op><.type> [a], b, [mbar];",
    mods={"space": oneof("shared::cluster"), **_REDUCE},
    operands={
        "a": addr(_CLUSTER, "rw", bytes=_BYTES),
        "b": src(_TYPE),
        "mbar": addr(_CLUSTER, "rw", bytes=8).about("a barrier of the same CTA, which counts the bytes"),
    },
    rules=pairs("PTX0352", _REDUCED),
    needs=_REMOTE,
    isa="red.async",
    effect=replace(_BY_MBARRIER, order="relaxed", scope="cluster", update=mod("op")),
    doc="Change shared memory of a CTA of the cluster in the background; an mbarrier there counts the bytes.",
)

# ptxas expands it to a call that takes no float as bits
_WHOLE = {t: t.replace("b", "u") for t in ("u32", "s32", "u64", "s64", "b32", "b64")}
form(
    "red.async",
    key="red.async.global",
    syntax="red.async{.mmio}.release<.scope>{.global}<.op><.type> [a], b;",
    mods={"scope": oneof("gpu", "sys"), **_REDUCE},
    operands={"a": addr(_GLOBAL, "rw", bytes=_BYTES), "b": src(_TYPE.map(_WHOLE))},
    rules=[*pairs("PTX0352", _REDUCED), _MMIO],
    needs=_BLACKWELL,
    isa="red.async",
    effect=replace(_BEHIND, update=mod("op")),
    doc="Change global memory in the background, behind what this thread stored before.",
    unsimulated=_NOT_HERE,
)

for _key, _size, _needs in (("st.bulk", src("u64"), ptx(8, 6)), ("st.bulk.narrow", src("u32", imm=False), ptx(9, 0))):
    form(
        "st.bulk",
        key=_key,
        syntax="st.bulk{.weak}{.shared::cta} [a], size, value;",
        operands={
            "a": addr(_HERE, "w", bytes=op("size"), align=8),
            "size": _size.about("bytes, a multiple of 8"),
            "value": imm(0),
        },
        rules=[
            rule(
                "PTX0358",
                (op("size") % 8 == 0) & op("size").in_(Range(0, 1 << 24)),
                "`st.bulk` clears a multiple of 8 bytes up to 16777216, not {size}",
                help="round the size up to a multiple of 8",
            )
        ],
        needs=_needs & sm(100),
        isa="st.bulk",
        effect=Access("store"),
        doc="Fill shared memory with zeros" + ("; the size is of 32 bits." if "narrow" in _key else "."),
        unsimulated="st.bulk came with sm_100; the simulator is an sm_90a",
    )
