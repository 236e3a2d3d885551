"""cp.async.bulk: linear copies of many bytes by one thread, and the groups that complete copies out of shared memory."""

from dataclasses import replace

from ptxlab.isa.effects import AsyncCopy, Group, Hint
from ptxlab.isa.form import form, rule
from ptxlab.isa.rows.async_copy import WAIT_COUNT
from ptxlab.isa.specs import Range, addr, imm, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import chosen, mod, op

_NEEDS = ptx(8, 0) & sm(90)
_HINT = mod("L2::cache_hint") == "L2::cache_hint"
_MULTICAST = mod("multicast::cluster") == "multicast::cluster"
_SIZE = rule(
    "PTX0220",
    op("size") % 16 == 0,
    "`cp.async.bulk` copies a multiple of 16 bytes, not {size}",
    help="round the size up to a multiple of 16 and pad both buffers, or copy the rest with cp.async",
)
_MOST = rule(
    "PTX0350",
    op("size").in_(None, Range(0, 1048560)),
    "`cp.async.bulk` copies at most 1048560 bytes at once, not {size}",
    help="split the copy; shared memory holds less anyway",
)
_BY_MBARRIER = AsyncCopy(proxy="async", completion="mbarrier")
_BY_GROUP = AsyncCopy(proxy="async", completion="bulk-group")
_POLICY = src("u64").given(_HINT)
_BYTES = src("u32").about("bytes, a multiple of 16")


form(
    "cp.async.bulk",
    key="cp.async.bulk.g2cta",
    syntax="cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint} [dst], [src], size, [mbar]{, policy};",
    operands={
        "dst": addr("shared::cta", "w", bytes=op("size"), align=16),
        "src": addr("global", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "mbar": addr("shared::cta", "rw", bytes=8),
        "policy": _POLICY,
    },
    rules=[_SIZE, _MOST],
    needs=_NEEDS & ptx(8, 6),
    isa="cp.async.bulk",
    effect=_BY_MBARRIER,
    doc="Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them.",
)

form(
    "cp.async.bulk",
    key="cp.async.bulk.g2cluster",
    syntax="cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint} "
    "[dst], [src], size, [mbar]{, mask}{, policy};",
    operands={
        "dst": addr("shared::cluster", "w", bytes=op("size"), align=16),
        "src": addr("global", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "mbar": addr("shared::cluster", "rw", bytes=8),
        "mask": src("u16").given(_MULTICAST).about("bit r: the CTA of rank r gets a copy"),
        "policy": _POLICY,
    },
    rules=[_SIZE, _MOST],
    needs=_NEEDS,
    isa="cp.async.bulk",
    effect=replace(_BY_MBARRIER, multicast="mask"),
    doc="Copy bytes from global memory to shared memory of the cluster, or of several of its CTAs.",
)

form(
    "cp.async.bulk",
    key="cp.async.bulk.cta2cluster",
    syntax="cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], size, [mbar];",
    operands={
        "dst": addr("shared::cluster", "w", bytes=op("size"), align=16),
        "src": addr("shared::cta", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "mbar": addr("shared::cluster", "rw", bytes=8),
    },
    rules=[_SIZE, _MOST],
    needs=_NEEDS,
    isa="cp.async.bulk",
    effect=_BY_MBARRIER,
    doc="Copy bytes from this CTA's shared memory to another CTA's of the cluster.",
)

form(
    "cp.async.bulk",
    key="cp.async.bulk.cta2g",
    syntax="cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask} [dst], [src], size{, policy}{, bytemask};",
    operands={
        "dst": replace(addr("global", "w", bytes=op("size"), align=16), mask="bytemask"),
        "src": addr("shared::cta", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "policy": _POLICY,
        "bytemask": src("u16").given(mod("cp_mask") == "cp_mask"),
    },
    rules=[_SIZE, _MOST],
    needs=_NEEDS,
    needs_when=[(mod("cp_mask") == "cp_mask", ptx(8, 6) & sm(100))],
    isa="cp.async.bulk",
    effect=_BY_GROUP,
    doc="Copy bytes from shared to global memory; bulk groups complete it.",
)

form(
    "cp.async.bulk.prefetch",
    syntax="cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [src], size{, policy};",
    operands={"src": addr("global", "a", align=16), "size": _BYTES, "policy": _POLICY},
    rules=[_SIZE, _MOST],
    needs=_NEEDS,
    isa="cp.async.bulk.prefetch",
    effect=Hint(),
    doc="Bring bytes of global memory into the L2 cache.",
)

form(
    "cp.async.bulk.commit_group",
    syntax="cp.async.bulk.commit_group;",
    needs=_NEEDS,
    isa="cp.async.bulk.commit_group",
    effect=Group("commit", "bulk-group"),
    doc="Put this thread's uncommitted bulk copies into a new bulk group.",
)

form(
    "cp.async.bulk.wait_group",
    syntax="cp.async.bulk.wait_group{.read} n;",
    operands={"n": imm().about("groups that may still be pending, at most 63")},
    rules=[WAIT_COUNT],
    needs=_NEEDS,
    isa="cp.async.bulk.wait_group",
    effect=Group("wait", "bulk-group", chosen("read"), bits=8, most=63),
    doc="Wait until at most n of this thread's latest bulk groups are pending (`.read`: until their sources have been read).",
)
