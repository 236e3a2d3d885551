"""clusterlaunchcontrol: a cluster takes over the work of one that has not started."""

from ptxlab.isa.effects import AsyncCopy, Compute
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import addr, dst, pred_dst, src
from ptxlab.isa.targets import only, ptx, sm
from ptxlab.isa.terms import chosen, mod

_NEEDS = ptx(8, 6) & sm(100)
_UNSIMULATED = "clusterlaunchcontrol came with sm_100; the simulator is an sm_90a"
_HERE = mod("shared::cta").map({None: "generic", "shared::cta": "shared::cta"})
_ANSWER = src("b128", imm=False).about("what try_cancel wrote")

form(
    "clusterlaunchcontrol.try_cancel.async",
    syntax="clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes"
    "{.multicast::cluster::all}.b128 [dst], [mbar];",
    operands={
        "dst": addr(_HERE, "w", bytes=16).about("where the answer goes"),
        "mbar": addr(_HERE, "rw", bytes=8),
    },
    needs=_NEEDS,
    needs_when=[(chosen("multicast::cluster::all"), only("100f", "110f", "120f"))],
    isa="clusterlaunchcontrol.try_cancel",
    effect=AsyncCopy("async", "mbarrier"),
    doc="Ask to take over a cluster that has not started; the mbarrier counts the answer's bytes.",
    unsimulated=_UNSIMULATED,
)

form(
    "clusterlaunchcontrol.query_cancel",
    key="clusterlaunchcontrol.query_cancel.is_canceled",
    syntax="clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;",
    operands={"p": pred_dst(sink=False), "answer": _ANSWER},
    needs=_NEEDS,
    isa="clusterlaunchcontrol.query_cancel",
    effect=Compute(),
    doc="Whether a cluster was taken over.",
    unsimulated=_UNSIMULATED,
)

form(
    "clusterlaunchcontrol.query_cancel",
    key="clusterlaunchcontrol.query_cancel.ctaid",
    syntax="clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d, answer;",
    operands={"d": dst("b32", count=4, sink=True), "answer": _ANSWER},
    needs=_NEEDS,
    isa="clusterlaunchcontrol.query_cancel",
    effect=Compute(),
    doc="The position in the grid of the first CTA of the cluster that was taken over; the fourth element means nothing.",
    unsimulated=_UNSIMULATED,
)

form(
    "clusterlaunchcontrol.query_cancel",
    key="clusterlaunchcontrol.query_cancel.ctaid.one",
    syntax="clusterlaunchcontrol.query_cancel<.which>.b32.b128 d, answer;",
    mods={"which": oneof("get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z")},
    operands={"d": dst("b32"), "answer": _ANSWER},
    needs=_NEEDS,
    isa="clusterlaunchcontrol.query_cancel",
    effect=Compute(),
    doc="One coordinate of the first CTA of the cluster that was taken over.",
    unsimulated=_UNSIMULATED,
)
