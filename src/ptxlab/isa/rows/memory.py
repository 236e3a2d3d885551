"""Loads, stores, atomics, prefetches."""

from __future__ import annotations

from dataclasses import replace

from ptxlab.isa.effects import Access, Hint, Word
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.specs import Spec, addr, dst, imm, src
from ptxlab.isa.targets import ANY, ptx, released, sm
from ptxlab.isa.terms import Term, chosen, mod, op
from ptxlab.isa.types import TYPES

_TYPE = mod("type")
_BYTES = _TYPE.map({t.name: t.bytes for t in TYPES.values()})
_COUNT = mod("vec").map({None: 1, "v2": 2, "v4": 4, "v8": 8})
_TOTAL = _BYTES * _COUNT
_DATA = oneof("b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64", "b128")
_VEC = oneof("v2", "v4", "v8")
_SHARED = oneof("shared", "shared::cta", "shared::cluster")
_PARAM = oneof("param", "param::entry", "param::func")
_L1 = oneof("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate")
_L2 = oneof("L2::64B", "L2::128B", "L2::256B")
_L2_EVICT = oneof("L2::evict_last", "L2::evict_normal", "L2::evict_first")
_SCOPE = oneof("cta", "cluster", "gpu", "sys")
_SPACE = mod("space").map({None: "generic"} | {s: s for s in ("global", "const", "local", *_PARAM, *_SHARED)})
# A kernel reads its parameters and never writes them: stores go to the parameters of a call.
_STORED = mod("space").map(
    {None: "generic", "param": "param::func"} | {s: s for s in ("global", "local", "param::func", *_SHARED)}
)
_HINT = src("u64").given(chosen("L2::cache_hint")).about("a cache policy, made by createpolicy")

_IN_GLOBAL = mod("space").in_(None, "global")

_WIDTH = rule(
    "PTX0310",
    (_TOTAL <= 16) | ((_TOTAL == 32) & _BYTES.in_(4, 8) & _IN_GLOBAL),
    "`{opcode}` moves more than 16 bytes",
    help="a thread moves up to 16 bytes at once (32 in global memory from sm_100 on)",
)
_WIDE = (_TOTAL == 32, ptx(8, 8) & sm(100))
_B128 = (_TYPE == "b128", ptx(8, 3) & sm(70))
_B128_SYS = ((_TYPE == "b128") & (mod("scope") == "sys"), ptx(8, 4))
_VOLATILE_LOCAL = (mod("space") == "local", ptx(9, 1))
_CLUSTER_SPACE = (mod("space") == "shared::cluster", ptx(7, 8) & sm(90))
_CLUSTER_SCOPE = (mod("scope") == "cluster", ptx(7, 8) & sm(90))
_PARAM_SPACE = (mod("space").in_("param::entry", "param::func"), ptx(8, 3))
_L1_NEED = (mod("l1") != None, ptx(7, 4) & sm(70))  # noqa: E711  (a term, not a comparison)
_L2_NEED = (mod("l2") != None, ptx(7, 4) & sm(75))  # noqa: E711  (a term, not a comparison)
_L2_256 = (mod("l2") == "L2::256B", sm(80))
_L2_EVICT_NEED = (mod("l2evict") != None, ptx(8, 8) & sm(100))  # noqa: E711  (a term, not a comparison)
_HINT_NEED = (chosen("L2::cache_hint"), ptx(7, 4) & sm(80))
_NEEDS = (
    _WIDE,
    _B128,
    _B128_SYS,
    _CLUSTER_SPACE,
    _CLUSTER_SCOPE,
    _PARAM_SPACE,
    _L1_NEED,
    _L2_NEED,
    _L2_256,
    _L2_EVICT_NEED,
    _HINT_NEED,
)
_L1_GLOBAL = rule(
    "PTX0311",
    (mod("l1") != None).implies(_IN_GLOBAL),  # noqa: E711  (a term, not a comparison)
    "`{opcode}`: .{l1} steers a cache that .{space} does not go through",
    help="eviction priorities are for global memory",
)
_L2_GLOBAL = rule(
    "PTX0311",
    (mod("l2") != None).implies(_IN_GLOBAL),  # noqa: E711  (a term, not a comparison)
    "`{opcode}`: .{l2} steers a cache that .{space} does not go through",
    help="prefetch sizes are for global memory",
)
_HINT_GLOBAL = rule(
    "PTX0311",
    chosen("L2::cache_hint").implies(_IN_GLOBAL),
    "`{opcode}`: a cache policy steers a cache that .{space} does not go through",
    help="cache policies are for global memory",
)
_L2_EVICT_WIDE = rule(
    "PTX0312",
    (mod("l2evict") != None).implies(_TOTAL == 32),  # noqa: E711  (a term, not a comparison)
    "`{opcode}`: .{l2evict} goes with accesses of 32 bytes only",
    help="use .v8.b32 or .v4.b64, or a cache policy made by createpolicy",
)
_CACHES = (_L1_GLOBAL, _L2_GLOBAL, _HINT_GLOBAL, _L2_EVICT_WIDE)


def _load_data() -> Spec:
    return dst(_TYPE, count=_COUNT, wider=True, sink=True)


def _store_data() -> Spec:
    data = replace(src(_TYPE, count=_COUNT, wider=True), sinks=(_TOTAL == 32) & _BYTES.in_(4, 8))
    return data.about("of 32 bytes, elements that are `_` are not stored")


def _from(space: str | Term) -> Spec:
    return replace(addr(space, "r", bytes=_TOTAL, wide=True), unified=True, indexed=True)


def _to(space: str | Term) -> Spec:
    return replace(addr(space, "w", bytes=_TOTAL, wide=True), indexed=True)


_LOAD_SPACES = ("global", *_SHARED, "local", "const", *_PARAM)
_STORE_SPACES = ("global", *_SHARED, "local", "param", "param::func")
_STRONG_SPACES = ("global", *_SHARED)
_PLAIN_LOAD = Access(
    "load", proxy=mod("space").map(dict.fromkeys((None, *_LOAD_SPACES), "generic") | {"const": "constant"})
)
_LOAD = {"space": _LOAD_SPACES, "vec": _VEC, "type": _DATA, "l1": _L1, "l2": _L2, "l2evict": _L2_EVICT, "scope": _SCOPE}

form(
    "ld",
    syntax="ld{.weak}{.space}{.l1}{.l2evict}{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};",
    mods=_LOAD,
    operands={"d": _load_data(), "a": _from(_SPACE), "policy": _HINT},
    rules=[_WIDTH, *_CACHES],
    needs_when=[*_NEEDS, (chosen("weak"), ptx(6, 0) & sm(70))],
    needs=ANY,
    isa="ld",
    effect=_PLAIN_LOAD,
    doc="Load from memory into registers.",
)
form(
    "ld",
    key="ld.cached",
    syntax="ld{.weak}{.space}<.cop>{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};",
    mods=_LOAD | {"cop": oneof("ca", "cg", "cs", "lu", "cv")},
    operands={"d": _load_data(), "a": _from(_SPACE), "policy": _HINT},
    rules=[_WIDTH, _L2_GLOBAL, _HINT_GLOBAL],
    needs=ptx(2, 0) & sm(20),
    needs_when=[*_NEEDS, (chosen("weak"), ptx(6, 0) & sm(70))],
    isa="ld",
    effect=_PLAIN_LOAD,
    doc="Load from memory with a cache operator.",
)
form(
    "ld",
    key="ld.volatile",
    syntax="ld.volatile{.space}{.l2evict}{.l2}{.vec}<.type> d, [a];",
    mods=_LOAD | {"space": ("global", *_SHARED, "local")},
    operands={"d": _load_data(), "a": _from(_SPACE)},
    rules=[_WIDTH, _L2_GLOBAL, _L2_EVICT_WIDE],
    needs_when=[*_NEEDS, _VOLATILE_LOCAL],
    needs=ANY,
    isa="ld",
    effect=Access("load", "volatile", "sys"),
    doc="Load from memory, never from a value read before.",
)
form(
    "ld",
    key="ld.strong",
    syntax="ld<.sem><.scope>{.space}{.l1}{.l2evict}{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};",
    mods=_LOAD | {"sem": oneof("relaxed", "acquire"), "space": _STRONG_SPACES},
    operands={"d": _load_data(), "a": _from(_SPACE), "policy": _HINT},
    rules=[_WIDTH, *_CACHES],
    needs=ptx(6, 0) & sm(70),
    needs_when=_NEEDS,
    isa="ld",
    effect=Access("load", mod("sem"), mod("scope")),
    doc="Load that synchronises at a scope.",
)
form(
    "ld",
    key="ld.mmio",
    syntax="ld.mmio.relaxed.sys{.space}<.type> d, [a];",
    mods=_LOAD | {"space": ("global",)},
    operands={"d": dst(_TYPE, count=1, wider=True), "a": _from(_SPACE)},
    needs=ptx(8, 2) & sm(70),
    needs_when=[(_TYPE == "b128", ptx(8, 4))],
    isa="ld",
    effect=Access("load", "mmio", "sys"),
    doc="Load from memory-mapped input and output.",
)
form(
    "ld",
    key="ld.mmio.acquire",
    syntax="ld.mmio.acquire.sys{.space}<.type> d, [a];",
    mods=_LOAD | {"space": ("global",)},
    operands={"d": dst(_TYPE, count=1, wider=True), "a": _from(_SPACE)},
    needs=ptx(9, 3) & sm(70),
    isa="ld",
    effect=Access("load", "acquire", "sys"),
    doc="Load from memory-mapped input and output, before what follows.",
)
form(
    "ld",
    key="ld.readonly",
    syntax="ld{.space}.proxy::readonly{.nc}{.l2evict}{.vec}<.type> d, [a];",
    mods=_LOAD | {"space": ("global",), "vec": oneof("v2", "v4", "v8"), "type": _DATA[:-1]},
    operands={"d": _load_data(), "a": _from(_SPACE)},
    rules=[
        _WIDTH,
        _L2_EVICT_WIDE,
        rule(
            "PTX0101",
            chosen("nc").implies(mod("space") == "global"),
            "`{opcode}` has .nc without .global",
            help="write .global, or leave .nc out: .proxy::readonly says as much",
        ),
    ],
    needs=ptx(9, 4) & sm(90),
    needs_when=[_WIDE],
    isa="ld",
    effect=Access("load", proxy="texture"),
    doc="Load data that nobody writes while the kernel runs.",
)
form(
    "ld",
    key="ld.nc",
    syntax="ld.global{.cop}.nc{.l1}{.l2evict}{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};",
    mods=_LOAD | {"cop": oneof("ca", "cg", "cs")},
    operands={"d": _load_data(), "a": _from("global"), "policy": _HINT},
    rules=[
        _WIDTH,
        _L2_EVICT_WIDE,
        rule(
            "PTX0313",
            ~(chosen("cop") & chosen("l1")),
            "`{opcode}` names a cache operator and an eviction priority",
            help="give one of the two",
        ),
    ],
    needs=ptx(3, 1) & sm(32),
    needs_when=_NEEDS,
    isa="ld.global.nc",
    effect=Access("load", proxy="texture"),
    doc="Load data that nobody writes while the kernel runs.",
)

form(
    "ldu",
    syntax="ldu{.space}{.vec}<.type> d, [a];",
    mods=_LOAD | {"space": ("global",), "vec": oneof("v2", "v4")},
    operands={"d": _load_data(), "a": _from(_SPACE)},
    rules=[
        rule(
            "PTX0310",
            _TOTAL <= 16,
            "`{opcode}` moves more than 16 bytes",
            help="a thread loads up to 16 bytes at once with ldu",
        )
    ],
    needs=ptx(2, 0) & sm(20),
    needs_when=[_B128],
    isa="ldu",
    effect=Access("load", proxy="texture"),
    doc="Load data that nobody writes while the kernel runs, from an address that all threads of the warp share.",
)

_STORE = {
    "space": _STORE_SPACES,
    "vec": _VEC,
    "type": _DATA,
    "l1": _L1,
    "l2": _L2,
    "l2evict": _L2_EVICT,
    "scope": _SCOPE,
}
form(
    "st",
    syntax="st{.weak}{.space}{.l1}{.l2evict}{.L2::cache_hint}{.vec}<.type> [a], b{, policy};",
    mods=_STORE,
    operands={"a": _to(_STORED), "b": _store_data(), "policy": _HINT},
    rules=[_WIDTH, _L1_GLOBAL, _HINT_GLOBAL, _L2_EVICT_WIDE],
    needs_when=[*_NEEDS, (chosen("weak"), ptx(6, 0) & sm(70))],
    needs=ANY,
    isa="st",
    effect=Access("store"),
    doc="Store registers to memory.",
)
form(
    "st",
    key="st.cached",
    syntax="st{.weak}{.space}<.cop>{.L2::cache_hint}{.vec}<.type> [a], b{, policy};",
    mods=_STORE | {"cop": oneof("wb", "cg", "cs", "wt")},
    operands={"a": _to(_STORED), "b": _store_data(), "policy": _HINT},
    rules=[_WIDTH, _HINT_GLOBAL],
    needs=ptx(2, 0) & sm(20),
    needs_when=[*_NEEDS, (chosen("weak"), ptx(6, 0) & sm(70))],
    isa="st",
    effect=Access("store"),
    doc="Store to memory with a cache operator.",
)
form(
    "st",
    key="st.volatile",
    syntax="st.volatile{.space}{.l2evict}{.vec}<.type> [a], b;",
    mods=_STORE | {"space": ("global", *_SHARED, "local")},
    operands={"a": _to(_STORED), "b": _store_data()},
    rules=[_WIDTH, _L2_EVICT_WIDE],
    needs_when=[*_NEEDS, _VOLATILE_LOCAL],
    needs=ANY,
    isa="st",
    effect=Access("store", "volatile", "sys"),
    doc="Store to memory, never elided.",
)
form(
    "st",
    key="st.strong",
    syntax="st<.sem><.scope>{.space}{.l1}{.l2evict}{.L2::cache_hint}{.vec}<.type> [a], b{, policy};",
    mods=_STORE | {"sem": oneof("relaxed", "release"), "space": _STRONG_SPACES},
    operands={"a": _to(_STORED), "b": _store_data(), "policy": _HINT},
    rules=[_WIDTH, _L1_GLOBAL, _HINT_GLOBAL, _L2_EVICT_WIDE],
    needs=ptx(6, 0) & sm(70),
    needs_when=_NEEDS,
    isa="st",
    effect=Access("store", mod("sem"), mod("scope")),
    doc="Store that synchronises at a scope.",
)
form(
    "st",
    key="st.mmio",
    syntax="st.mmio.relaxed.sys{.space}<.type> [a], b;",
    mods=_STORE | {"space": ("global",)},
    operands={"a": _to(_STORED), "b": src(_TYPE, count=1, wider=True)},
    needs=ptx(8, 2) & sm(70),
    needs_when=[(_TYPE == "b128", ptx(8, 4))],
    isa="st",
    effect=Access("store", "mmio", "sys"),
    doc="Store to memory-mapped input and output.",
)
form(
    "st",
    key="st.mmio.release",
    syntax="st.mmio.release.sys{.space}<.type> [a], b;",
    mods=_STORE | {"space": ("global",)},
    operands={"a": _to(_STORED), "b": src(_TYPE, count=1, wider=True)},
    needs=ptx(9, 3) & sm(70),
    isa="st",
    effect=Access("store", "release", "sys"),
    doc="Store to memory-mapped input and output, behind what came before.",
)

_PREFETCH_SPACES = oneof("global", "local")
form(
    "prefetch",
    syntax="prefetch{.space}<.level> [a];",
    mods={"space": _PREFETCH_SPACES, "level": oneof("L1", "L2")},
    operands={"a": addr(_SPACE, "a", wide=True)},
    needs=ptx(2, 0) & sm(20),
    isa="prefetch",
    effect=Hint(),
    doc="Bring the line of an address into a cache.",
)
form(
    "prefetch",
    key="prefetch.evict",
    syntax="prefetch{.space}<.level> [a];",
    mods={"space": ("global",), "level": oneof("L2::evict_last", "L2::evict_normal")},
    operands={"a": addr(_SPACE, "a", wide=True)},
    needs=ptx(7, 4) & sm(80),
    isa="prefetch",
    effect=Hint(),
    doc="Bring the line of an address into L2 with an eviction priority.",
)
form(
    "prefetch",
    key="prefetch.valid_addr",
    syntax="prefetch.valid_addr{.space}.L1::32B [a];",
    mods={"space": ("global",)},
    operands={"a": addr(_SPACE, "a")},
    needs=ptx(9, 4) & sm(90),
    isa="prefetch",
    effect=Hint(),
    doc="Bring 32 bytes at an address that is known to be valid into L1.",
)
form(
    "prefetchu.L1",
    syntax="prefetchu.L1 [a];",
    operands={"a": addr("global", "a", wide=True)},
    needs=ptx(2, 0) & sm(20),
    isa="prefetch",
    effect=Hint(),
    doc="Bring the line of an address into the uniform cache.",
)
form(
    "discard.L2",
    syntax="discard{.space}.L2 [a], size;",
    mods={"space": ("global",)},
    operands={"a": addr(_SPACE, "w", bytes=128, wide=True), "size": imm(128)},
    needs=ptx(7, 4) & sm(80),
    isa="discard",
    effect=Access("discard"),
    doc="Forget the contents of a cache line without writing it back.",
)
form(
    "applypriority.L2::evict_normal",
    syntax="applypriority{.space}.L2::evict_normal [a], size;",
    mods={"space": ("global",)},
    operands={"a": addr(_SPACE, "a", wide=True), "size": imm(128)},
    needs=ptx(7, 4) & sm(80),
    isa="applypriority",
    effect=Hint(),
    doc="Give a cache line the ordinary eviction priority.",
)

_ATOM_SPACES = ("global", *_SHARED)
_SEM = oneof("relaxed", "acquire", "release", "acq_rel")
_RED_SEM = oneof("relaxed", "release")
_ATOM = {"sem": _SEM, "scope": _SCOPE, "space": _ATOM_SPACES}
_ATOM_NEEDS = (
    _B128_SYS,
    _CLUSTER_SPACE,
    _CLUSTER_SCOPE,
    _HINT_NEED,
    (chosen("sem"), ptx(6, 0) & sm(70)),
    (chosen("scope"), ptx(5, 0) & sm(60)),
)
_OPS = {
    "bits": (oneof("and", "or", "xor"), oneof("b32", "b64")),
    "add": (oneof("add"), oneof("u32", "s32", "u64")),
    "wrap": (oneof("inc", "dec"), oneof("u32")),
    "extreme": (oneof("min", "max"), oneof("u32", "s32", "u64", "s64")),
}
_DOCS = {
    "bits": "a bitwise operation",
    "add": "an addition",
    "wrap": "counting up or down within a bound",
    "extreme": "a minimum or maximum",
}
_AT = addr(_SPACE, "rw", bytes=_BYTES, wide=True)
_ATOM_DEFAULTS = {"sem": "relaxed", "scope": "gpu"}


def _atomic(update: Word) -> Access:
    return Access("atomic", mod("sem"), mod("scope"), update=update)


for _kind, (_ops, _types) in _OPS.items():
    form(
        "atom",
        key=f"atom.{_kind}",
        syntax="atom{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> d, [a], b{, policy};",
        mods=_ATOM | {"op": _ops, "type": _types},
        operands={"d": dst(_TYPE, sink=True), "a": _AT, "b": src(_TYPE), "policy": _HINT},
        rules=[_HINT_GLOBAL],
        needs=ptx(1, 2) & sm(20),
        needs_when=_ATOM_NEEDS,
        isa="atom",
        effect=_atomic(mod("op")),
        doc=f"Change memory by {_DOCS[_kind]} and give back what was there, atomically.",
        defaults=_ATOM_DEFAULTS,
    )
    form(
        "red",
        key=f"red.{_kind}",
        syntax="red{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> [a], b{, policy};",
        mods=_ATOM | {"sem": _RED_SEM, "op": _ops, "type": _types},
        operands={"a": _AT, "b": src(_TYPE), "policy": _HINT},
        rules=[_HINT_GLOBAL],
        needs=ptx(1, 2) & sm(20),
        needs_when=_ATOM_NEEDS,
        isa="red",
        effect=_atomic(mod("op")),
        doc=f"Change memory by {_DOCS[_kind]}, atomically.",
        defaults=_ATOM_DEFAULTS,
    )

_NO_HINT = rule(
    "PTX0314",
    ~chosen("L2::cache_hint"),
    "`{opcode}`: compare-and-swap takes no cache policy",
    help="leave .L2::cache_hint and the policy out",
)
_FLOAT_ADD = oneof("f32", "f64")
_HALF_ADD = oneof("f16", "f16x2", "bf16", "bf16x2")
for _name, _d in (("atom", "d, "), ("red", "")):
    _sems = _SEM if _name == "atom" else _RED_SEM
    _dest = {"d": dst(_TYPE, sink=True)} if _d else {}
    form(
        _name,
        key=f"{_name}.add.float",
        syntax=f"{_name}{{.sem}}{{.scope}}{{.space}}.add{{.L2::cache_hint}}<.type> {_d}[a], b{{, policy}};",
        mods=_ATOM | {"sem": _sems, "type": _FLOAT_ADD},
        operands={**_dest, "a": _AT, "b": src(_TYPE), "policy": _HINT},
        rules=[_HINT_GLOBAL],
        needs=ptx(2, 0) & sm(20),
        needs_when=[*_ATOM_NEEDS, (_TYPE == "f64", ptx(5, 0) & sm(60))],
        isa=_name,
        effect=_atomic("add"),
        doc="Add to a floating-point number in memory, atomically.",
        defaults=_ATOM_DEFAULTS,
    )
    form(
        _name,
        key=f"{_name}.add.noftz",
        syntax=f"{_name}{{.sem}}{{.scope}}{{.space}}.add.noftz{{.L2::cache_hint}}.f32 {_d}[a], b{{, policy}};",
        mods=_ATOM | {"sem": _sems},
        operands={
            **({"d": dst("f32", sink=True)} if _d else {}),
            "a": addr(_SPACE, "rw", bytes=4),
            "b": src("f32"),
            "policy": _HINT,
        },
        rules=[_HINT_GLOBAL],
        needs=ptx(9, 4) & sm(90),
        needs_when=_ATOM_NEEDS,
        isa=_name,
        effect=_atomic("add"),
        doc="Add to a number in memory, atomically, and keep subnormal numbers.",
        defaults=_ATOM_DEFAULTS,
        unsimulated="which targets keep subnormal numbers is not recorded yet",
    )
    form(
        _name,
        key=f"{_name}.add.half",
        syntax=f"{_name}{{.sem}}{{.scope}}{{.space}}.add.noftz{{.L2::cache_hint}}<.type> {_d}[a], b{{, policy}};",
        mods=_ATOM | {"sem": _sems, "type": _HALF_ADD},
        operands={**_dest, "a": _AT, "b": src(_TYPE), "policy": _HINT},
        rules=[_HINT_GLOBAL],
        needs=ptx(6, 2) & sm(60),
        needs_when=[
            *_ATOM_NEEDS,
            (_TYPE == "f16", ptx(6, 3) & sm(70)),
            (_TYPE.in_("bf16", "bf16x2"), ptx(7, 8) & sm(90)),
        ],
        isa=_name,
        effect=_atomic("add"),
        doc="Add to 16-bit floating-point numbers in memory, each atomically.",
        defaults=_ATOM_DEFAULTS,
    )
    _vectors = {
        "f32": (oneof("f32"), oneof("v2", "v4"), "add", oneof("add")),
        "noftz": (oneof("f32"), oneof("v2", "v4"), "add.noftz", oneof("add")),
        "half": (oneof("f16", "bf16"), oneof("v2", "v4", "v8"), "<.op>.noftz", oneof("add", "min", "max")),
        "pair": (oneof("f16x2", "bf16x2"), oneof("v2", "v4"), "<.op>.noftz", oneof("add", "min", "max")),
    }
    _vector_result = replace(dst(_TYPE, count=_COUNT, sink=True), whole="once", lone=True)
    _bf16_alone = (_TYPE == "bf16").where("each", "value")  # none of them returns a vector of bf16
    for _kind, (_types, _vecs, _op, _ops) in _vectors.items():
        _op_text = f".{_op}" if _op.startswith("add") else _op
        form(
            _name,
            key=f"{_name}.vector.{_kind}",
            syntax=f"{_name}{{.sem}}{{.scope}}{{.space}}{_op_text}{{.L2::cache_hint}}<.vec><.type> {_d}[a], b{{, policy}};",
            mods=_ATOM | {"sem": _sems, "space": ("global",), "vec": _vecs, "type": _types, "op": _ops},
            operands={
                **(
                    {"d": replace(_vector_result, held=_bf16_alone) if _kind == "half" else _vector_result}
                    if _d
                    else {}
                ),
                "a": addr(_SPACE, "rw", bytes=_TOTAL, wide=True),
                "b": replace(src(_TYPE, count=_COUNT), cut=True),
                "policy": _HINT,
            },
            needs=ptx(*((9, 4) if _kind == "noftz" else (8, 1))) & sm(90),
            needs_when=[*_ATOM_NEEDS, (_TYPE.in_("bf16", "bf16x2") & (op("d") == "_"), released((13, 3), (13, 5)))],
            isa=_name,
            effect=_atomic("add" if _op.startswith("add") else mod("op")),
            doc="Combine a vector with memory, each element atomically.",
            defaults=_ATOM_DEFAULTS,
            unsimulated="which targets keep subnormal numbers is not recorded yet" if _kind == "noftz" else None,
        )

form(
    "atom",
    key="atom.exch",
    syntax="atom{.sem}{.scope}{.space}.exch{.L2::cache_hint}<.type> d, [a], b{, policy};",
    mods=_ATOM | {"type": oneof("b32", "b64", "b128")},
    operands={"d": dst(_TYPE, sink=True), "a": _AT, "b": src(_TYPE), "policy": _HINT},
    rules=[_HINT_GLOBAL],
    needs=ptx(1, 2) & sm(20),
    needs_when=[*_ATOM_NEEDS, (_TYPE == "b128", ptx(8, 3) & sm(90))],
    isa="atom",
    effect=_atomic("exch"),
    doc="Exchange a value with memory, atomically.",
    defaults=_ATOM_DEFAULTS,
)
form(
    "atom",
    key="atom.cas",
    syntax="atom{.sem}{.scope}{.space}.cas{.L2::cache_hint}<.type> d, [a], b, c{, policy};",
    mods=_ATOM | {"type": oneof("b16", "b32", "b64", "b128")},
    operands={
        "d": dst(_TYPE, sink=True),
        "a": _AT,
        "b": src(_TYPE).about("what must be there"),
        "c": src(_TYPE).about("what replaces it"),
        "policy": _HINT,
    },
    rules=[_NO_HINT],
    needs=ptx(1, 2) & sm(20),
    needs_when=[*_ATOM_NEEDS, (_TYPE == "b128", ptx(8, 3) & sm(90)), (_TYPE == "b16", ptx(6, 3) & sm(70))],
    isa="atom",
    effect=_atomic("cas"),
    doc="Replace a value in memory if it is the expected one, atomically.",
    defaults=_ATOM_DEFAULTS,
)
