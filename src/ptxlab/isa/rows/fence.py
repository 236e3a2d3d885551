"""Fences between proxies, and the ones that serve barriers of a cluster."""

from ptxlab.isa.effects import Fence, both
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.specs import addr, imm
from ptxlab.isa.targets import ptx, released, sm
from ptxlab.isa.terms import Const, chosen, mod

_SCOPE = oneof("cta", "cluster", "gpu", "sys")
_RESTRICTED = {
    "sem": oneof("acquire", "release"),
    "restrict": oneof("sync_restrict::shared::cluster", "sync_restrict::shared::cta"),
}
_RESTRICTION = mod("restrict").map({r: r.partition("::")[2] for r in _RESTRICTED["restrict"]})
_SIDES = rule(
    "PTX0356",
    (mod("sem") == "acquire").implies(mod("restrict") == "sync_restrict::shared::cluster")
    & (mod("sem") == "release").implies(mod("restrict") == "sync_restrict::shared::cta"),
    "`{opcode}`: .{sem} does not go with .{restrict}",
    help="release with .sync_restrict::shared::cta, acquire with .sync_restrict::shared::cluster",
)

form(
    "fence.proxy.async",
    syntax="fence.proxy.async{.space};",
    mods={"space": oneof("global", "shared::cta", "shared::cluster")},
    needs=ptx(8, 0) & sm(90),
    isa="membar, fence",
    effect=Fence("acq_rel", "thread", both("generic", "async"), mod("space")),
    doc="Order ordinary accesses before the copy engine's and the tensor cores' accesses to the same memory.",
)

form(
    "membar.proxy.async",
    syntax="membar.proxy.async;",
    needs=ptx(8, 0) & sm(90) & released((13, 4), (13, 5)),
    isa="membar, fence",
    effect=Fence("acq_rel", "thread", both("generic", "async")),
    doc="Order ordinary accesses before the copy engine's to the same memory; the older name of fence.",
)

form(
    "fence.proxy.async::generic",
    syntax="fence.proxy.async::generic<.sem><.restrict>.cluster;",
    mods=_RESTRICTED,
    rules=[_SIDES],
    needs=ptx(8, 6) & sm(90),
    isa="membar, fence",
    effect=Fence(mod("sem"), "cluster", (("generic", "async"),), _RESTRICTION),
    doc="Order ordinary accesses to shared memory before those of the copy engine: one half of such a fence.",
)

_UNDOCUMENTED = rule(
    "PTX0233",
    Const(False),
    "the manual has no `.acq_rel` in `{opcode}`",
    help="write one fence with .release and one with .acquire",
    severity="warning",
)
_BOTH_WAYS = released((13, 4), (13, 5))

form(
    "fence.proxy.async::generic",
    key="fence.proxy.async::generic.acq_rel",
    syntax="fence.proxy.async::generic.acq_rel{.restrict}<.scope>;",
    mods={"restrict": _RESTRICTED["restrict"], "scope": _SCOPE},
    rules=[_UNDOCUMENTED],
    needs=ptx(8, 3) & sm(90) & _BOTH_WAYS,
    needs_when=[(chosen("restrict"), ptx(8, 6))],
    isa="membar, fence",
    effect=Fence("acq_rel", mod("scope"), (("generic", "async"),)),
    doc="Order ordinary accesses and those of the copy engine: no manual has it.",
    unsimulated="no manual has it",
)

form(
    "fence.sync_restrict",
    syntax="fence<.sem><.restrict>.cluster;",
    mods=_RESTRICTED,
    rules=[_SIDES],
    needs=ptx(8, 6) & sm(90),
    isa="membar, fence",
    effect=Fence(mod("sem"), "cluster", space=_RESTRICTION),
    doc="Order accesses to shared memory of the cluster, and no others: a release or an acquire that needs no fence of the GPU.",
)

for _name, _doc in (
    ("fence", "Order accesses to one location through different virtual addresses."),
    ("membar", "Order accesses to one location through different virtual addresses; the older name of fence."),
):
    form(
        f"{_name}.proxy.alias",
        syntax=f"{_name}.proxy.alias;",
        needs=ptx(7, 5) & sm(70),
        isa="membar, fence",
        effect=Fence("acq_rel", "thread", both("generic", "alias")),
        doc=_doc,
    )

form(
    "fence.proxy.async::generic",
    key="fence.proxy.async::generic.read",
    syntax="fence.proxy.async::generic.release.sync_restrict::shared::cluster::read<.scope>;",
    mods={"scope": oneof("cta", "cluster")},
    needs=ptx(9, 4) & sm(90),
    isa="membar, fence",
    effect=Fence("release", mod("scope"), (("generic", "async"),), "shared::cluster"),
    doc="Order ordinary reads of the cluster's shared memory before what the copy engine writes there.",
)

form(
    "fence.proxy.alias",
    key="fence.proxy.alias.sys",
    syntax="fence.proxy.alias<.sem>.sys;",
    mods={"sem": oneof("acquire", "release")},
    needs=ptx(9, 4) & sm(90),
    isa="membar, fence",
    effect=Fence(mod("sem"), "sys", both("generic", "alias")),
    doc="Order accesses to one location through different virtual addresses, on several devices.",
)

form(
    "fence.alias",
    syntax="fence.release.alias.sync_restrict::read.sys;",
    needs=ptx(9, 5) & sm(90),
    isa="membar, fence",
    effect=Fence("release", "sys", (("generic", "alias"),)),
    doc="Order this thread's reads before accesses to the same memory by other addresses.",
)
for _to, _from, _what in (
    ("fabric", "generic", "ordinary ones before those of fabric operations"),
    ("generic", "fabric", "those of fabric operations before ordinary ones"),
    ("fabric", "fabric", "those of fabric operations"),
):
    form(
        f"fence.proxy.{_to}::{_from}",
        syntax=f"fence.proxy.{_to}::{_from}.alias<.sem>.sys;",
        mods={"sem": oneof("acquire", "release")},
        needs=ptx(9, 3) & sm(100),
        isa="membar, fence",
        effect=Fence(mod("sem"), "sys", ((_from, _to),)),
        doc=f"Order accesses to the same memory by several addresses: {_what}.",
        unsimulated="fabric operations came with sm_100; the simulator is an sm_90a",
    )

form(
    "fence.mbarrier_init",
    syntax="fence.mbarrier_init.release.cluster;",
    needs=ptx(8, 0) & sm(90),
    isa="membar, fence",
    effect=Fence("release", "cluster", only="mbarrier.init"),
    doc="Make this thread's mbarrier.init visible to the cluster.",
)

form(
    "fence.proxy.tensormap",
    key="fence.proxy.tensormap.release",
    syntax="fence.proxy.tensormap::generic.release<.scope>;",
    mods={"scope": _SCOPE},
    needs=ptx(8, 3) & sm(90),
    isa="membar, fence",
    effect=Fence("release", mod("scope"), (("generic", "tensormap"),)),
    doc="Publish changes of a tensor map made by ordinary stores or tensormap.replace.",
)

form(
    "fence.proxy.tensormap",
    key="fence.proxy.tensormap.acquire",
    syntax="fence.proxy.tensormap::generic.acquire<.scope> [map], size;",
    mods={"scope": _SCOPE},
    operands={"map": addr("generic", "a", bytes=128, align=128), "size": imm(128)},
    needs=ptx(8, 3) & sm(90),
    isa="membar, fence",
    effect=Fence("acquire", mod("scope"), (("generic", "tensormap"),), over="map"),
    doc="See a tensor map as another thread published it.",
)

for _suffix, _operands in (("", {}), (".map", {"map": addr("generic", "a"), "size": imm()})):
    form(
        "fence.proxy.tensormap",
        key=f"fence.proxy.tensormap.acq_rel{_suffix}",
        syntax=f"fence.proxy.tensormap::generic.acq_rel<.scope>{' [map], size' if _operands else ''};",
        mods={"scope": _SCOPE},
        operands=_operands,
        rules=[_UNDOCUMENTED],
        needs=ptx(8, 3) & sm(90) & _BOTH_WAYS,
        isa="membar, fence",
        effect=Fence("acq_rel", mod("scope"), (("generic", "tensormap"),), over="map" if _operands else None),
        doc="Publish changes of a tensor map, and see others': no manual has it.",
        unsimulated="no manual has it",
    )
