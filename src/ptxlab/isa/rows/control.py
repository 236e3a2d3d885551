"""Flow of control, barriers within a CTA, fences, and what concerns scheduling."""

from __future__ import annotations

from dataclasses import replace

from ptxlab.isa.effects import Barrier, Branch, Fence, Hint
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import Range, anything, dst, imm, label, pred_dst, pred_src, src
from ptxlab.isa.targets import ANY, only, ptx, sm
from ptxlab.isa.terms import chosen, lift, mod

form(
    "bra",
    syntax="bra{.uni} target;",
    operands={"target": label()},
    needs=ANY,
    isa="bra",
    effect=Branch("branch", to="target"),
    doc="Go to a label; .uni promises that all active threads of the warp do.",
)
form(
    "brx.idx",
    syntax="brx.idx{.uni} index, targets;",
    operands={"index": src("u32"), "targets": label().about("the name of a .branchtargets list")},
    needs=ptx(6, 0) & sm(30),
    isa="brx.idx",
    effect=Branch("branch"),
    doc="Go to the label at an index of a list.",
)
form(
    "ret",
    syntax="ret{.uni};",
    needs=ANY,
    isa="ret",
    effect=Branch("return"),
    doc="Return from a function; end the thread in a kernel.",
)
form("exit", syntax="exit;", needs=ANY, isa="exit", effect=Branch("exit"), doc="End the thread.")
form("trap", syntax="trap;", needs=ANY, isa="trap", effect=Branch("trap"), doc="Stop the kernel with an error.")
form("brkpt", syntax="brkpt;", needs=ANY, isa="brkpt", effect=Hint(), doc="Stop in a debugger.")

_FUNCTION = replace(anything("symbol label"), space=lift("func")).about("a function")
_POINTER = src("u32", wider=True, imm=False).about("the address of a function")
_LIST = anything("params")
_PROTO = anything("label").about("a .callprototype or a list of .calltargets")
_CALL = Branch("call")
for _key, _syntax, _doc in (
    ("call", "{}", "Call a function without parameters."),
    ("call.args", "{}, args", "Call a function that returns nothing."),
    ("call.ret", "ret, {}, args", "Call a function that returns a value."),
    ("call.ret.only", "ret, {}", "Call a function that returns a value and takes none."),
):
    _lists = {n: _LIST for n in ("ret", "args") if n in _syntax}
    form(
        "call",
        key=_key,
        syntax=f"call{{.uni}} {_syntax.format('callee')};",
        operands={"callee": _FUNCTION, **_lists},
        needs=ANY,
        isa="call",
        effect=_CALL,
        doc=_doc,
    )
    form(
        "call",
        key=f"{_key}.indirect",
        syntax=f"call{{.uni}} {_syntax.format('callee')}, proto;",
        operands={"callee": _POINTER, "proto": _PROTO, **_lists},
        needs=ptx(2, 1) & sm(20),
        isa="call",
        effect=_CALL,
        doc=f"{_doc[:-1]}, through its address.",
    )

_ID = replace(src("u32").without_pairs(), values=Range(0, 15, bits=32)).about("one of the CTA's 16 barriers, 0 to 15")
_THREADS = replace(src("u32").without_pairs(), values=Range(0, (1 << 32) - 32, 32, bits=32)).about(
    "threads that take part, a multiple of the warp size"
)
for _name, _suffix, _needs in (
    ("bar", "", ptx(1, 0)),
    ("bar", ".cta", ptx(7, 8) & sm(30)),
    ("barrier", "", ptx(6, 0) & sm(30)),
    ("barrier", ".cta", ptx(7, 8) & sm(30)),
):
    _path = _name + _suffix
    _aligned = "{.aligned}" if _name == "barrier" else ""
    _how = "" if _name == "bar" else "; threads of a warp may arrive apart unless .aligned"
    form(
        f"{_path}.sync",
        syntax=f"{_path}.sync{_aligned} id{{, threads}};",
        operands={"id": _ID, "threads": _THREADS},
        needs=_needs,
        isa="barrier",
        effect=Barrier("cta", "sync"),
        doc=f"Wait until all threads of the CTA (or so many) have arrived{_how}.",
    )
    form(
        f"{_path}.arrive",
        syntax=f"{_path}.arrive{_aligned} id, threads;",
        operands={"id": _ID, "threads": replace(_THREADS, values=Range(32, (1 << 32) - 32, 32, bits=32))},
        needs=_needs & ptx(2, 0) & sm(20),
        isa="barrier",
        effect=Barrier("cta", "arrive", "release"),
        doc=f"Arrive at a barrier without waiting{_how}.",
    )
    form(
        f"{_path}.red.popc",
        syntax=f"{_path}.red.popc{_aligned}.u32 d, id{{, threads}}, p;",
        operands={"d": dst("u32"), "id": _ID, "threads": _THREADS, "p": pred_src(imm=True)},
        needs=_needs & ptx(2, 0) & sm(20),
        isa="barrier",
        effect=Barrier("cta", "sync"),
        doc="Wait like sync, and count the threads whose predicate holds.",
    )
    form(
        f"{_path}.red",
        syntax=f"{_path}.red<.op>{_aligned}.pred d, id{{, threads}}, p;",
        mods={"op": oneof("and", "or")},
        operands={"d": pred_dst(sink=False), "id": _ID, "threads": _THREADS, "p": pred_src(imm=True)},
        needs=_needs & ptx(2, 0) & sm(20),
        isa="barrier",
        effect=Barrier("cta", "sync"),
        doc="Wait like sync, and combine the predicates of all threads.",
    )
form(
    "bar.warp.sync",
    syntax="bar.warp.sync{.no_membermask_overlap} mask;",
    operands={"mask": src("u32").about("the lanes that take part")},
    needs=ptx(6, 0) & sm(30),
    needs_when=[(chosen("no_membermask_overlap"), ptx(8, 4))],
    isa="bar.warp.sync",
    effect=Barrier("warp", "sync"),
    doc="Wait for lanes of the warp; orders their memory accesses.",
)

_FENCE_SCOPE = oneof("cta", "cluster", "gpu", "sys")
_CLUSTER = (mod("scope") == "cluster", ptx(7, 8) & sm(90))
form(
    "membar",
    syntax="membar<.level>;",
    mods={"level": oneof("cta", "gl", "sys")},
    needs_when=[(mod("level") == "sys", ptx(2, 0) & sm(20))],
    needs=ANY,
    isa="membar, fence",
    effect=Fence("sc", mod("level").map({"cta": "cta", "gl": "gpu", "sys": "sys"})),
    doc="Order this thread's memory accesses; the older name of fence.sc.",
)
form(
    "fence",
    syntax="fence{.sem}<.scope>;",
    mods={"sem": oneof("sc", "acq_rel"), "scope": _FENCE_SCOPE},
    needs=ptx(6, 0) & sm(70),
    needs_when=[_CLUSTER],
    isa="membar, fence",
    effect=Fence(mod("sem"), mod("scope")),
    doc="Order this thread's memory accesses at a scope.",
    defaults={"sem": "acq_rel"},
)
form(
    "fence",
    key="fence.oneway",
    syntax="fence<.sem><.scope>;",
    mods={"sem": oneof("acquire", "release"), "scope": _FENCE_SCOPE},
    needs=ptx(8, 6) & sm(90),
    isa="membar, fence",
    effect=Fence(mod("sem"), mod("scope")),
    doc="Order this thread's memory accesses in one direction at a scope.",
)
form(
    "nanosleep",
    syntax="nanosleep.u32 t;",
    operands={"t": src("u32").without_pairs().about("nanoseconds, up to 10^6")},
    needs=ptx(6, 2) & sm(70),
    isa="nanosleep",
    effect=Hint(),
    doc="Sleep for about that long.",
)
form(
    "pmevent",
    syntax="pmevent n;",
    operands={"n": imm(Range(0, 15))},
    needs=ptx(1, 4),
    isa="pmevent",
    effect=Hint(),
    doc="Count an event.",
)
form(
    "pmevent.mask",
    syntax="pmevent.mask n;",
    operands={"n": imm(Range(0, 65535))},
    needs=ptx(3, 0) & sm(20),
    isa="pmevent",
    effect=Hint(),
    doc="Count several events.",
)
form(
    "trace.mark",
    syntax="trace.mark n;",
    operands={"n": imm(Range(0, 4095)).about("which mark")},
    needs=ptx(9, 5) & only("107f"),
    isa="trace.mark",
    effect=Hint(),
    doc="Mark a place for tools that trace a kernel.",
    unsimulated="sm_90a does not have it",
)
