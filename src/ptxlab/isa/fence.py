"""Fences between proxies, and the one that publishes freshly initialised mbarriers."""

from ptxlab.isa.effects import Fence
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import addr, imm
from ptxlab.isa.targets import ptx, sm

form(
    "fence.proxy.async",
    syntax="fence.proxy.async{.space};",
    mods={"space": oneof("global", "shared::cta", "shared::cluster")},
    needs=ptx(8, 0) & sm(90),
    isa="membar, fence",
    effect=Fence(("generic", "async")),
    doc="Order ordinary accesses before the copy engine's and the tensor cores' accesses to the same memory.",
)

form(
    "fence.proxy.alias",
    syntax="fence.proxy.alias;",
    needs=ptx(7, 5) & sm(70),
    isa="membar, fence",
    effect=Fence(("generic", "alias")),
    doc="Order accesses to one location through different virtual addresses.",
)

form(
    "fence.mbarrier_init",
    syntax="fence.mbarrier_init.release.cluster;",
    needs=ptx(8, 0) & sm(90),
    isa="membar, fence",
    effect=Fence(),
    doc="Make this thread's mbarrier.init visible to the cluster.",
)

form(
    "fence.proxy.tensormap",
    key="fence.proxy.tensormap.release",
    syntax="fence.proxy.tensormap::generic.release<.scope>;",
    mods={"scope": oneof("cta", "cluster", "gpu", "sys")},
    needs=ptx(8, 3) & sm(90),
    isa="membar, fence",
    effect=Fence(("generic", "tensormap")),
    doc="Publish changes of a tensor map made by ordinary stores or tensormap.replace.",
)

form(
    "fence.proxy.tensormap",
    key="fence.proxy.tensormap.acquire",
    syntax="fence.proxy.tensormap::generic.acquire<.scope> [map], size;",
    mods={"scope": oneof("cta", "cluster", "gpu", "sys")},
    operands={"map": addr("generic", "a", bytes=128, align=128), "size": imm(128)},
    needs=ptx(8, 3) & sm(90),
    isa="membar, fence",
    effect=Fence(("tensormap", "generic")),
    doc="See a tensor map as another thread published it.",
)
