"""cp.async.bulk: linear copies of many bytes by one thread, and the groups that complete copies out of shared memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ptxlab.isa.effects import AsyncCopy, Group, Hint
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.rows.async_copy import WAIT_COUNT
from ptxlab.isa.specs import Range, Spec, addr, imm, src
from ptxlab.isa.targets import Need, only, ptx, released, sm
from ptxlab.isa.terms import Term, chosen, mod, op

_NEEDS = ptx(8, 0) & sm(90)
_HINT = mod("L2::cache_hint") == "L2::cache_hint"
_CAST = chosen("multicast::cluster")
MASKS = (
    (mod("multicast::cluster") == "multicast::cluster::16b", ptx(9, 4)),
    (~((op("mask") >= 0) & (op("mask") <= 0xFFFF)), released((13, 1), (13, 3))),  # ptxas takes its lowest bits
)
"""What masks of 16 bits need."""
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
_ORDERED = ptx(9, 3)
_RUBIN = ptx(9, 4) & only("107f")
_ABSENT = "sm_90a does not have it"
_SCOPE = oneof("cta", "cluster", "gpu", "sys")
_WEAK = (chosen("weak"), _ORDERED)
_TYPED = (chosen("b128"), released((13, 2), (13, 5)))
REPORTS = oneof(
    "mbarrier::report::disabled",
    *(f"mbarrier::report::validity::per_16bytes::{n}" for n in ("80000000", "8000", "80", "8")),
    "mbarrier::report::validity::per_element::ff",
)
_UNTYPED = rule(
    "PTX0359",
    ~(chosen("weak") & chosen("b128")),
    "`{opcode}`: .b128 is for relaxed copies; a weak one has no type",
    help="leave .b128 out",
)
_EDGE = Range(0, 15)
_DONE = ".mbarrier::complete_tx::bytes"


def _copy(
    key: str,
    head: str,
    places: str,
    operands: dict[str, Spec],
    doc: str,
    *,
    effect: AsyncCopy,
    needs: Need = _NEEDS,
    relaxed_needs: Need = Need(),
    needs_when: Sequence[tuple[Term, Need]] = (),
    scopes: tuple[str, ...] = _SCOPE,
    mods: Mapping[str, tuple[str, ...]] | None = None,
    unsimulated: str | None = None,
) -> None:
    """The two rows of a copy: a weak one, and one whose accesses are relaxed at a scope. `head`: what follows the order."""
    for kind, order, tail, scope in (
        ("", "{.weak}", "{.b128}", None),
        (".relaxed", ".relaxed<.scope>", ".b128", mod("scope")),
    ):
        form(
            "cp.async.bulk",
            key=f"cp.async.bulk.{key}{kind}",
            syntax=f"cp.async.bulk{order}{head}{tail} {places};",
            mods=dict(mods or {}) | ({"scope": scopes} if kind else {}),
            operands=operands,
            rules=[_SIZE, _MOST, *(() if kind else (_UNTYPED,))],
            needs=needs & (_ORDERED & relaxed_needs if kind else ptx(1, 0)),
            needs_when=[*needs_when, *(() if kind else (_WEAK, _TYPED))],
            isa="cp.async.bulk",
            effect=effect if not kind else replace(effect, order="relaxed", scope=scope),
            doc=doc if not kind else doc[:-1] + ", 16 bytes at once with respect to a scope.",
            unsimulated=unsimulated,
        )


_INTO_CTA = {
    "dst": addr("shared::cta", "w", bytes=op("size"), align=16),
    "src": addr("global", "r", bytes=op("size"), align=16),
    "size": _BYTES,
    "mbar": addr("shared::cta", "rw", bytes=8),
    "policy": _POLICY,
}
_INTO_CLUSTER = {
    "dst": addr("shared::cluster", "w", bytes=op("size"), align=16),
    "src": addr("global", "r", bytes=op("size"), align=16),
    "size": _BYTES,
    "mbar": addr("shared::cluster", "rw", bytes=8),
    "mask": src("u16").given(_CAST).about("bit r: the CTA of rank r gets a copy"),
    "policy": _POLICY,
}
_WIDE = src("u32").about("bit r: the CTA of rank r gets a copy")

_copy(
    "g2cta",
    f".shared::cta.global{_DONE}{{.L2::cache_hint}}",
    "[dst], [src], size, [mbar]{, policy}",
    _INTO_CTA,
    "Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them.",
    effect=_BY_MBARRIER,
    needs=_NEEDS & ptx(8, 6),
)
_copy(
    "g2cta.ignore_oob",
    f".shared::cta.global{_DONE}{{.L2::cache_hint}}.ignore_oob",
    "[dst], [src], size, left, right, [mbar]{, policy}",
    _INTO_CTA
    | {
        "left": src("u32", values=_EDGE).about("bytes at the beginning that may lie outside of an allocation"),
        "right": src("u32", values=_EDGE).about("bytes at the end that may lie outside of an allocation"),
    },
    "Copy bytes of which some at either end may lie outside of an allocation; what is written for them is anything.",
    effect=_BY_MBARRIER,
    needs=_NEEDS & ptx(9, 2),
    unsimulated="bytes outside of an allocation become anything",
)
_copy(
    "g2cta.report",
    f".shared::cta.global{_DONE}<.report>{{.L2::cache_hint}}",
    "[dst], [src], size, [mbar]{, policy}",
    _INTO_CTA,
    "Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them and keeps a report.",
    effect=_BY_MBARRIER,
    needs=_RUBIN,
    mods={"report": REPORTS},
    unsimulated=_ABSENT,
)
_copy(
    "g2cluster",
    f".shared::cluster.global{_DONE}{{.multicast::cluster}}{{::16b}}{{.L2::cache_hint}}",
    "[dst], [src], size, [mbar]{, mask}{, policy}",
    _INTO_CLUSTER,
    "Copy bytes from global memory to shared memory of the cluster, or of several of its CTAs.",
    effect=replace(_BY_MBARRIER, multicast="mask"),
    relaxed_needs=only("90a", "100f", "110f"),
    needs_when=MASKS,
)
_copy(
    "g2cluster.report",
    f".shared::cluster.global{_DONE}<.report>{{.multicast::cluster}}{{::16b}}{{.L2::cache_hint}}",
    "[dst], [src], size, [mbar]{, mask}{, policy}",
    _INTO_CLUSTER,
    "Copy bytes from global memory to shared memory of the cluster; the mbarriers count them and keep a report.",
    effect=replace(_BY_MBARRIER, multicast="mask"),
    needs=_RUBIN,
    needs_when=MASKS,
    mods={"report": REPORTS},
    unsimulated=_ABSENT,
)
_copy(
    "g2cluster.wide",
    f".shared::cluster.global{_DONE}{{.report}}.multicast::cluster::32b{{.L2::cache_hint}}",
    "[dst], [src], size, [mbar], mask{, policy}",
    _INTO_CLUSTER | {"mask": _WIDE},
    "Copy bytes from global memory to shared memory of some of up to 32 CTAs of the cluster.",
    effect=replace(_BY_MBARRIER, multicast="mask"),
    needs=_RUBIN,
    mods={"report": REPORTS},
    unsimulated=_ABSENT,
)
_copy(
    "cta2cluster",
    f".shared::cluster.shared::cta{_DONE}",
    "[dst], [src], size, [mbar]",
    {
        "dst": addr("shared::cluster", "w", bytes=op("size"), align=16),
        "src": addr("shared::cta", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "mbar": addr("shared::cluster", "rw", bytes=8),
    },
    "Copy bytes from this CTA's shared memory to another CTA's of the cluster.",
    effect=_BY_MBARRIER,
    scopes=_SCOPE[:2],
)
_copy(
    "cta2g",
    ".global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}",
    "[dst], [src], size{, policy}{, bytemask}",
    {
        "dst": replace(addr("global", "w", bytes=op("size"), align=16), mask="bytemask"),
        "src": addr("shared::cta", "r", bytes=op("size"), align=16),
        "size": _BYTES,
        "policy": _POLICY,
        "bytemask": src("u16").given(mod("cp_mask") == "cp_mask"),
    },
    "Copy bytes from shared to global memory; bulk groups complete it.",
    effect=_BY_GROUP,
    needs_when=[(mod("cp_mask") == "cp_mask", ptx(8, 6) & sm(100))],
)

form(
    "cp.async.bulk.prefetch",
    key="cp.async.bulk.prefetch.evict",
    syntax="cp.async.bulk.prefetch.L2.global.L2::evict_last [src], size;",
    operands={"src": addr("global", "a", align=16), "size": _BYTES},
    rules=[_SIZE, _MOST],
    needs=_RUBIN,
    isa="cp.async.bulk.prefetch",
    effect=Hint(),
    doc="Bring bytes of global memory into the L2 cache, to be kept there longest.",
    unsimulated=_ABSENT,
)

form(
    "applypriority.async.bulk",
    syntax="applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [src], size;",
    operands={
        "src": addr(mod("global").map({None: "generic", "global": "global"}), "a", align=16),
        "size": _BYTES,
    },
    rules=[_SIZE, _MOST],
    needs=_RUBIN,
    isa="applypriority.async.bulk",
    effect=Hint(),
    doc="Give bytes of global memory the ordinary eviction priority in the L2 cache.",
    unsimulated=_ABSENT,
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
