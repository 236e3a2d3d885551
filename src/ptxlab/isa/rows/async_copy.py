"""cp.async: copies from global to shared memory, each thread its own 4, 8 or 16 bytes."""

from dataclasses import replace

from ptxlab.isa.effects import AsyncCopy, Group, Mbarrier
from ptxlab.isa.extents import Run
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.specs import Range, addr, imm, pred_src, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import chosen, mod, op, present

_COPY = AsyncCopy(proxy="generic", completion="cp.async-group")
_MODS = {"cache": oneof("ca", "cg"), "prefetch": oneof("L2::64B", "L2::128B", "L2::256B")}
_CG = rule(
    "PTX0212",
    (mod("cache") == "cg").implies(op("size") == 16),
    "`cp.async.cg` copies 16 bytes at a time, not {size}",
    help="use cp.async.ca for 4 and 8 bytes, or copy 16",
)
_SRC = addr("global", "r", bytes=op("size")).about("where they come from, aligned to the size")
_OPERANDS = {
    "dst": addr("shared", "w", bytes=op("size")).about("where the bytes go, aligned to the size"),
    "src": _SRC,
    "size": imm(4, 8, 16).about("bytes per thread"),
    "policy": src("u64").given(mod("L2::cache_hint") == "L2::cache_hint"),
}
# ptxas keeps the low 8 bits of the count: 256 waits for all, and -1 for next to none.
WAIT_COUNT = rule(
    "PTX0214",
    op("n").in_(Range(0, 255)),
    "`{opcode}`: {n} is no number of groups; ptxas takes its low 8 bits, and 63 for what is above that",
    help="0 waits for all groups, n for all but the latest n, up to 63",
    severity="warning",
)
_NEEDS = ptx(7, 0) & sm(80)
_WHEN = (
    (mod("L2::cache_hint") == "L2::cache_hint", ptx(7, 4)),
    (chosen("prefetch"), ptx(7, 4)),
)

form(
    "cp.async",
    syntax="cp.async<.cache>.shared{::cta}.global{.L2::cache_hint}{.prefetch} [dst], [src], size{, src_size}{, policy};",
    mods=_MODS,
    operands={
        **_OPERANDS,
        "src": replace(_SRC, extent=Run(present("src_size").where(op("src_size"), op("size")))),
        "src_size": src("u32").about("bytes really read; the rest of the destination becomes zero"),
    },
    rules=[
        _CG,
        rule(
            "PTX0213",
            (op("src_size") <= op("size")) & (op("src_size") >= 0),
            "`cp.async` reads {src_size} bytes of a copy of {size}",
            help="the source size is at most the copy's size",
        ),
    ],
    needs=_NEEDS,
    needs_when=_WHEN,
    isa="cp.async",
    effect=_COPY,
    doc="Copy 4, 8 or 16 bytes from global to shared memory in the background.",
)

form(
    "cp.async",
    key="cp.async.ignore_src",
    syntax="cp.async<.cache>.shared{::cta}.global{.L2::cache_hint}{.prefetch} [dst], [src], size, ignore_src{, policy};",
    mods=_MODS,
    operands={
        **_OPERANDS,
        "src": replace(_SRC, unless="ignore_src"),
        "ignore_src": pred_src().about("where true, zeros are written and nothing is read"),
    },
    rules=[_CG],
    needs=_NEEDS & ptx(7, 5),
    needs_when=_WHEN,
    isa="cp.async",
    effect=_COPY,
    doc="Copy in the background, or write zeros where the predicate says so.",
)

form(
    "cp.async.commit_group",
    syntax="cp.async.commit_group;",
    needs=_NEEDS,
    isa="cp.async.commit_group",
    effect=Group("commit", "cp.async-group"),
    doc="Put this thread's uncommitted cp.async copies into a new group.",
)

form(
    "cp.async.wait_group",
    syntax="cp.async.wait_group n;",
    operands={"n": imm().about("groups that may still be pending, at most 63")},
    rules=[WAIT_COUNT],
    needs=_NEEDS,
    isa="cp.async.wait_group",
    effect=Group("wait", "cp.async-group", bits=8, most=63),
    doc="Wait until at most n of this thread's latest cp.async groups are pending.",
)

form(
    "cp.async.wait_all",
    syntax="cp.async.wait_all;",
    needs=_NEEDS,
    isa="cp.async.wait_all",
    effect=Group("wait", "cp.async-group"),
    doc="Wait for all of this thread's cp.async copies, committed or not.",
)

form(
    "cp.async.mbarrier.arrive",
    syntax="cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [mbar];",
    operands={"mbar": addr("shared", "rw", bytes=8)},
    needs=_NEEDS,
    isa="cp.async.mbarrier.arrive",
    effect=Mbarrier("cp.async.arrive", "release", "cta", after="cp.async"),
    doc="Arrive on an mbarrier once all of this thread's earlier cp.async copies are done.",
)
