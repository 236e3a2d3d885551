"""Clusters: CTAs that share an address window, a barrier, and each other's shared memory."""

from dataclasses import replace

from ptxlab.isa.effects import Barrier, Compute, GridDependency, Hint, WarpWide
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.specs import addr, dst, pred_dst, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import chosen, mod, op

_NEEDS = ptx(7, 8) & sm(90)
_SHARED_ADDRESS = replace(src(mod("type")), kinds=frozenset({"reg", "imm", "symbol"}), symbols="shared")
_ADDRESS_TYPES = oneof("u32", "u64", "s32", "s64")
# ptxas 13.1 to 13.5 make the same machine code of .s64 as of .u64. Of .shared::cluster.s32 they note that 16 bits of the
# address are read, and with optimisation the load in front fetches no more (LDG.E.U16).
_UNSIGNED = [
    rule(
        "PTX0233",
        mod("type").in_("u32", "u64"),
        "the manual has `{opcode}` with .u32 and .u64 alone, not .{type}",
        help="write the unsigned type",
        severity="warning",
    ),
    rule(
        "PTX0234",
        ~(chosen("shared::cluster") & (mod("type") == "s32")),
        "of the address that `{opcode}` takes ptxas may keep the lowest 16 bits alone",
        help="write .u32",
        severity="warning",
    ),
]

_WHICH = (
    "an address in this CTA's shared memory: with .shared::cluster an offset, as .shared instructions take it; without it "
    "a generic address, as cvta makes it"
)

form(
    "mapa",
    syntax="mapa{.shared::cluster}<.type> d, a, rank;",
    mods={"type": _ADDRESS_TYPES},
    operands={
        "d": dst(mod("type")).about("the address there: of the same kind as `a`"),
        "a": _SHARED_ADDRESS.about(_WHICH),
        "rank": src("u32").about("%cluster_ctarank of the CTA meant"),
    },
    rules=_UNSIGNED,
    needs=_NEEDS,
    isa="mapa",
    effect=Compute("mapa", of=("a", "rank")),
    doc="The address of the same place in another CTA's shared memory.",
)

form(
    "getctarank",
    syntax="getctarank{.shared::cluster}<.type> d, a;",
    mods={"type": _ADDRESS_TYPES},
    operands={
        "d": dst("u32"),
        "a": _SHARED_ADDRESS.about(
            "a shared memory address: with .shared::cluster an offset, without it a generic address"
        ),
    },
    rules=_UNSIGNED,
    needs=_NEEDS,
    isa="getctarank",
    effect=Compute(),
    doc="The rank of the CTA that an address in shared memory belongs to.",
)

form(
    "barrier.cluster.arrive",
    syntax="barrier.cluster.arrive{.sem}{.aligned};",
    mods={"sem": oneof("release", "relaxed")},
    needs=_NEEDS,
    needs_when=[(chosen("sem"), ptx(8, 0))],
    isa="barrier.cluster",
    effect=Barrier("cluster", "arrive", mod("sem")),
    doc="Arrive at the cluster's barrier without waiting.",
    defaults={"sem": "release"},
)

form(
    "barrier.cluster.wait",
    syntax="barrier.cluster.wait{.sem}{.aligned};",
    mods={"sem": oneof("acquire")},
    needs=_NEEDS,
    needs_when=[(chosen("sem"), ptx(8, 0))],
    isa="barrier.cluster",
    effect=Barrier("cluster", "wait", mod("sem")),
    doc="Wait until every thread of the cluster that still runs has arrived.",
    defaults={"sem": "acquire"},
)

form(
    "elect.sync",
    syntax="elect.sync d|p, membermask;",
    operands={
        "d": dst("u32", sink=True).about("the elected lane"),
        "p": pred_dst(sink=False).about("true in the elected lane alone"),
        "membermask": src("u32"),
    },
    needs=ptx(8, 0) & sm(90),
    isa="elect.sync",
    effect=WarpWide(elects="p"),
    doc="Elect one lane of the warp.",
)

form(
    "griddepcontrol",
    syntax="griddepcontrol<.action>;",
    mods={"action": oneof("launch_dependents", "wait")},
    needs=_NEEDS,
    isa="griddepcontrol",
    effect=GridDependency(mod("action"), mod("action").map({"wait": "acquire", "launch_dependents": "weak"}), "gpu"),
    doc="Let dependent grids start early, or wait for the grids before this one.",
)

_FRACTION = rule(
    "PTX0250",
    op("fraction").in_(None) | ((op("fraction") > 0) & (op("fraction") <= 1)),
    "`{opcode}` applies to a fraction of {fraction} of the accesses",
    help="a fraction lies above 0 and is at most 1.0",
)
form(
    "createpolicy.fractional",
    syntax="createpolicy.fractional<.primary>{.secondary}.b64 policy{, fraction};",
    mods={
        "primary": oneof("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"),
        "secondary": oneof("L2::evict_first", "L2::evict_unchanged"),
    },
    operands={"policy": dst("u64"), "fraction": src("f32")},
    rules=[_FRACTION],
    needs=ptx(7, 4) & sm(80),
    isa="createpolicy",
    effect=Hint(),
    doc="A cache policy for accesses with .L2::cache_hint.",
)

_WORD = 1 << 32  # ptxas takes so much of either size
_RANGE = [
    rule(
        "PTX0251",
        op("primary_size") % _WORD <= op("total_size") % _WORD,
        "the first priority covers {primary_size} bytes of {total_size}",
        help="the first size is at most the second",
    ),
]
form(
    "createpolicy.range",
    syntax="createpolicy.range{.global}<.primary>{.secondary}.b64 policy, [a], primary_size, total_size;",
    mods={
        "primary": oneof("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"),
        "secondary": oneof("L2::evict_first", "L2::evict_unchanged"),
    },
    operands={
        "policy": dst("u64"),
        "a": addr(mod("global").map({None: "generic", "global": "global"}), "a").about("start of the range"),
        "primary_size": src("u32").about("bytes from there on with the first priority"),
        "total_size": src("u32").about("bytes in all; the rest has the second priority"),
    },
    rules=_RANGE,
    needs=ptx(7, 4) & sm(80),
    isa="createpolicy",
    effect=Hint(),
    doc="A cache policy by address: one priority at the start of a range, another behind it.",
)
form(
    "createpolicy.range",
    key="createpolicy.range.fabric",
    syntax="createpolicy.range.fabric{.global}<.primary>{.secondary}.b64 policy, [endpoint, offset], primary_size, total_size;",
    mods={
        "primary": oneof("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"),
        "secondary": oneof("L2::evict_first", "L2::evict_unchanged"),
    },
    operands={
        "policy": dst("u64"),
        "endpoint": src("u32", imm=False).about("the endpoint of another device"),
        "offset": src("u64", imm=False).about("start of the range in its memory"),
        "primary_size": src("u32").about("bytes from there on with the first priority"),
        "total_size": src("u32").about("bytes in all; the rest has the second priority"),
    },
    rules=_RANGE,
    needs=ptx(9, 4) & sm(100),
    isa="createpolicy",
    effect=Hint(),
    doc="A cache policy by address in another device's memory.",
    unsimulated="fabric operations came with sm_100; the simulator is an sm_90a",
)

form(
    "createpolicy.cvt",
    syntax="createpolicy.cvt.L2.b64 policy, property;",
    operands={"policy": dst("u64"), "property": src("u64").about("an access property of the C++ library")},
    needs=ptx(7, 4) & sm(80),
    isa="createpolicy",
    effect=Hint(),
    doc="A cache policy from an access property.",
)
