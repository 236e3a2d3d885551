"""mbarrier: barriers in shared memory that count arrivals and bytes."""

from dataclasses import replace

from ptxlab.isa.effects import Compute, Mbarrier
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.specs import Range, addr, anything, dst, pred_dst, src
from ptxlab.isa.targets import only, ptx, sm
from ptxlab.isa.terms import chosen, mod, op, present

_SM80 = ptx(7, 0) & sm(80)
_SM90 = ptx(8, 0) & sm(90)
_LAYOUTS = ptx(9, 3) & sm(90)
_CASTS = ptx(9, 4) & only("107f")
_LATER = "sm_90a does not have it"
_V1 = "mbarriers of the layout v1 keep reports of asynchronous operations; the simulator has those of the layout v0"
_HERE = addr("shared", "rw", bytes=8, wide=True).about("the barrier, 8 bytes in shared memory")
_THERE = addr("shared::cluster", "rw", bytes=8, wide=True).about(
    "the barrier, in shared memory of any CTA of the cluster"
)
_NO_STATE = anything("sink")
_SEM = oneof("release", "relaxed")
_SCOPE = oneof("cta", "cluster")
_WAIT_SEM = oneof("acquire", "relaxed")
_CLUSTER = (mod("scope") == "cluster", _SM90)
_EXPLICIT = (chosen("sem"), ptx(8, 0))
_RELAXED = (mod("sem") == "relaxed", ptx(8, 6) & sm(90))
_COUNTS = Range(1, 2**20 - 1)
_TOGETHER = rule(
    "PTX0240",
    (~chosen("sem") | chosen("scope")) & (chosen("sem") | ~chosen("scope")),
    "`{opcode}` names a scope without an order, or the other way round",
    help="write both, e.g. `.release.cluster`, or neither",
)
_MASK = src("u32", values=Range(0, 2**32 - 1)).about("bit r: on the barrier of the CTA of rank r")
_COUNT = rule(
    "PTX0241",
    op("count").in_(None, _COUNTS),
    "an mbarrier counts 1 to 1048575 arrivals, not {count}",
    help="the count is the number of arrivals that complete a phase",
)

_INIT = {
    "mbar": replace(_HERE, access="w"),
    "count": src("u32").about("arrivals that complete a phase, 1 to 2^20 - 1"),
}

form(
    "mbarrier.init",
    syntax="mbarrier.init{.layout::v0}{.shared{::cta}}.b64 [mbar], count;",
    operands=_INIT,
    rules=[_COUNT],
    needs=_SM80,
    needs_when=[(chosen("layout::v0"), _LAYOUTS)],
    isa="mbarrier.init",
    effect=Mbarrier("init"),
    doc="Make an mbarrier that expects `count` arrivals a phase.",
)

form(
    "mbarrier.init",
    key="mbarrier.init.v1",
    syntax="mbarrier.init.layout::v1{.shared{::cta}}.b64 [mbar], count;",
    operands=_INIT,
    rules=[_COUNT],
    needs=_LAYOUTS,
    isa="mbarrier.init",
    effect=Mbarrier("init"),
    doc="Make an mbarrier that also keeps what asynchronous operations report.",
    unsimulated=_V1,
)

form(
    "mbarrier.check_layout",
    syntax="mbarrier.check_layout<.layout>{.shared{::cta}}.b64 p, [mbar];",
    mods={"layout": oneof("layout::v0", "layout::v1")},
    operands={"p": pred_dst(sink=False), "mbar": replace(_HERE, access="r")},
    needs=_LAYOUTS,
    isa="mbarrier.check_layout",
    effect=Mbarrier("check_layout"),
    doc="Ask whether an mbarrier has a layout.",
    unsimulated="an mbarrier's layout cannot be told from its bits in the simulator",
)

form(
    "mbarrier.inval",
    syntax="mbarrier.inval{.shared{::cta}}.b64 [mbar];",
    operands={"mbar": _HERE},
    needs=_SM80,
    isa="mbarrier.inval",
    effect=Mbarrier("inval"),
    doc="End an mbarrier's life so that its memory can be used otherwise.",
)

for _name, _more, _doc in (
    ("arrive", [(op("state") == "_", ptx(7, 1))], "Arrive on an mbarrier: one arrival, or `count`."),
    ("arrive_drop", [], "Arrive on an mbarrier and expect one arrival less in the phases to come."),
):
    form(
        f"mbarrier.{_name}",
        syntax=f"mbarrier.{_name}{{.sem}}{{.scope}}{{.shared{{::cta}}}}.b64 state, [mbar]{{, count}};",
        mods={"sem": _SEM, "scope": _SCOPE},
        operands={"state": dst("u64", sink=True), "mbar": _HERE, "count": src("u32")},
        rules=[_TOGETHER, _COUNT],
        needs=_SM80,
        needs_when=[_CLUSTER, _EXPLICIT, _RELAXED, (present("count"), ptx(7, 8) & sm(90)), *_more],
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(_name, mod("sem"), mod("scope")),
        doc=_doc,
        defaults={"sem": "release", "scope": "cta"},
    )
    form(
        f"mbarrier.{_name}",
        key=f"mbarrier.{_name}.cluster",
        syntax=f"mbarrier.{_name}{{.sem}}{{.scope}}.shared::cluster.b64 state, [mbar]{{, count}};",
        mods={"sem": _SEM, "scope": _SCOPE},
        operands={"state": _NO_STATE, "mbar": _THERE, "count": src("u32")},
        rules=[_TOGETHER, _COUNT],
        needs=_SM90,
        needs_when=[_RELAXED],
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(_name, mod("sem"), mod("scope")),
        doc=_doc + " The barrier may be another CTA's; no state comes back.",
        defaults={"sem": "release", "scope": "cta"},
    )
    form(
        f"mbarrier.{_name}.expect_tx",
        syntax=f"mbarrier.{_name}.expect_tx{{.sem}}{{.scope}}{{.shared{{::cta}}}}.b64 state, [mbar], tx_count;",
        mods={"sem": _SEM, "scope": _SCOPE},
        operands={"state": dst("u64", sink=True), "mbar": _HERE, "tx_count": src("u32").about("bytes to expect")},
        rules=[_TOGETHER],
        needs=_SM90,
        needs_when=[_RELAXED],
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(f"{_name}.expect_tx", mod("sem"), mod("scope")),
        doc="Expect bytes, then arrive once.",
        defaults={"sem": "release", "scope": "cta"},
    )
    form(
        f"mbarrier.{_name}.expect_tx",
        key=f"mbarrier.{_name}.expect_tx.cluster",
        syntax=f"mbarrier.{_name}.expect_tx{{.sem}}{{.scope}}.shared::cluster.b64 state, [mbar], tx_count;",
        mods={"sem": _SEM, "scope": _SCOPE},
        operands={"state": _NO_STATE, "mbar": _THERE, "tx_count": src("u32").about("bytes to expect")},
        rules=[_TOGETHER],
        needs=_SM90,
        needs_when=[_RELAXED],
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(f"{_name}.expect_tx", mod("sem"), mod("scope")),
        doc="Expect bytes, then arrive once, on any CTA's barrier.",
        defaults={"sem": "release", "scope": "cta"},
    )
    form(
        f"mbarrier.{_name}.noComplete",
        syntax=f"mbarrier.{_name}.noComplete{{.sem}}{{.scope}}{{.shared{{::cta}}}}.b64 state, [mbar], count;",
        mods={"sem": oneof("release"), "scope": oneof("cta")},
        operands={"state": dst("u64", sink=True), "mbar": _HERE, "count": src("u32")},
        rules=[_TOGETHER, _COUNT],
        needs=_SM80,
        needs_when=[_EXPLICIT, *_more],
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(f"{_name}.noComplete", mod("sem"), mod("scope")),
        doc="Arrive where this is known not to complete the phase.",
        defaults={"sem": "release", "scope": "cta"},
    )
    for _more_name, _operand, _shown, _spec, _rules in (
        ("", "count", "{, count}", src("u32"), [_COUNT]),
        (".expect_tx", "tx_count", ", tx_count", src("u32").about("bytes to expect"), []),
    ):
        # ptxas gives a state where no space is written, and none where it is.
        for _space, _kind, _state in (("", "", dst("u64", sink=True)), (".shared::cluster", ".cluster", _NO_STATE)):
            form(
                f"mbarrier.{_name}{_more_name}",
                key=f"mbarrier.{_name}{_more_name}.multicast{_kind}",
                syntax=f"mbarrier.{_name}{_more_name}{{.sem}}{{.scope}}.multicast::cluster::32b{_space}.b64 "
                f"state, [mbar]{_shown}, mask;",
                mods={"sem": _SEM, "scope": _SCOPE},
                operands={"state": _state, "mbar": _THERE, _operand: _spec, "mask": _MASK},
                rules=[_TOGETHER, *_rules],
                needs=_CASTS,
                isa=f"mbarrier.{_name}",
                effect=Mbarrier(f"{_name}{_more_name}", mod("sem"), mod("scope")),
                doc="The same on the barriers at this place of several CTAs of the cluster.",
                defaults={"sem": "release", "scope": "cta"},
                unsimulated=_LATER,
            )

for _name, _doc in (
    ("expect_tx", "Expect more bytes in the current phase."),
    ("complete_tx", "Count bytes as arrived without a copy."),
):
    form(
        f"mbarrier.{_name}",
        syntax=f"mbarrier.{_name}{{.sem}}{{.scope}}{{.space}}.b64 [mbar], tx_count;",
        mods={"sem": oneof("relaxed"), "scope": _SCOPE, "space": oneof("shared", "shared::cta", "shared::cluster")},
        operands={
            "mbar": addr("shared::cluster", "rw", bytes=8, wide=True),
            "tx_count": src("u32").about("bytes"),
        },
        rules=[_TOGETHER],
        needs=_SM90,
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(_name, mod("sem"), mod("scope")),
        doc=_doc,
        defaults={"sem": "relaxed", "scope": "cta"},
    )
    form(
        f"mbarrier.{_name}",
        key=f"mbarrier.{_name}.multicast",
        syntax=f"mbarrier.{_name}{{.sem}}{{.scope}}.multicast::cluster::32b{{.shared::cluster}}.b64 [mbar], tx_count, mask;",
        mods={"sem": oneof("relaxed"), "scope": _SCOPE},
        operands={
            "mbar": addr("shared::cluster", "rw", bytes=8, wide=True),
            "tx_count": src("u32").about("bytes"),
            "mask": _MASK,
        },
        rules=[_TOGETHER],
        needs=_CASTS,
        isa=f"mbarrier.{_name}",
        effect=Mbarrier(_name, mod("sem"), mod("scope")),
        doc="The same on the barriers at this place of several CTAs of the cluster.",
        defaults={"sem": "relaxed", "scope": "cta"},
        unsimulated=_LATER,
    )

_REPORT = {"value": dst("b8").about("what was reported")}
_PHASES = oneof("phase_type::primary", "phase_type::conditional")
for _name, _hint, _least, _doc in (
    ("test_wait", "", _SM80, "Ask whether a phase is complete."),
    ("try_wait", "{, hint}", ptx(7, 8) & sm(90), "Ask whether a phase is complete, waiting for it for a while."),
):
    _hints = {"hint": src("u32").about("nanoseconds to wait at most")} if _hint else {}
    for _parity, _phases, _operand, _what in (
        ("", _PHASES[:1], "state", {"state": src("u64").about("what an arrive of that phase gave")}),
        (
            ".parity",
            _PHASES,
            "parity",
            {"parity": src("u32", values=(0, 1)).about("0 for even phases, 1 for odd ones")},
        ),
    ):
        form(
            f"mbarrier.{_name}{_parity}",
            syntax=f"mbarrier.{_name}{_parity}{{.phase}}{{.sem}}{{.scope}}{{.shared{{::cta}}}}.b64 "
            f"done, [mbar], {_operand}{_hint};",
            mods={"sem": _WAIT_SEM, "scope": _SCOPE, "phase": _phases},
            operands={"done": pred_dst(sink=False), "mbar": replace(_HERE, access="r"), **_what, **_hints},
            rules=[_TOGETHER],
            needs=_least & (ptx(7, 1) if _parity else ptx(7, 0)),
            needs_when=[_CLUSTER, _EXPLICIT, _RELAXED, (chosen("phase"), _LAYOUTS)],
            isa=f"mbarrier.{_name}",
            effect=Mbarrier(_name, mod("sem"), mod("scope")),
            doc=_doc,
            defaults={"sem": "acquire", "scope": "cta"},
        )
        for _kind, _told, _value in (("", "done|failed", {}), (".value", "done{|failed}, value", _REPORT)):
            form(
                f"mbarrier.{_name}{_parity}",
                key=f"mbarrier.{_name}{_parity}.report{_kind}",
                syntax=f"mbarrier.{_name}{_parity}.phase_type::primary{{.sem}}{{.scope}}{{.shared{{::cta}}}}.b64 "
                f"{_told}, [mbar], {_operand}{_hint};",
                mods={"sem": _WAIT_SEM, "scope": _SCOPE},
                operands={
                    "done": pred_dst(sink=False),
                    "failed": pred_dst().about("whether an operation of the phase reported a failure"),
                    **_value,
                    "mbar": replace(_HERE, access="r"),
                    **{n: replace(spec, values=None if _value else spec.values) for n, spec in _what.items()},
                    **_hints,
                },
                rules=[_TOGETHER],
                needs=_LAYOUTS,
                isa=f"mbarrier.{_name}",
                effect=Mbarrier(_name, mod("sem"), mod("scope")),
                doc="Ask whether a phase is complete, and what its asynchronous operations reported.",
                defaults={"sem": "acquire", "scope": "cta"},
                unsimulated=_V1,
            )

form(
    "mbarrier.pending_count",
    syntax="mbarrier.pending_count{.layout::v0}.b64 count, state;",
    operands={"count": dst("u32"), "state": src("u64")},
    needs=_SM80,
    needs_when=[(chosen("layout::v0"), _LAYOUTS)],
    isa="mbarrier.pending_count",
    effect=Compute(),
    doc="How many arrivals were pending when the state was taken.",
)
