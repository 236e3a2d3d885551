"""fabric: operations on memory of other devices, and what submits and waits for them.

An endpoint and an offset name such a place: `[endpoint, offset]`. Operations may fail; a report at an mbarrier tells.
"""

from __future__ import annotations

from typing import Any

from ptxlab.isa.effects import AsyncCopy, Group
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.rows.reduce import pairs
from ptxlab.isa.specs import addr, imm, src
from ptxlab.isa.targets import only, ptx, released, sm
from ptxlab.isa.terms import Const, chosen, mod, op
from ptxlab.isa.types import TYPES

_NEEDS = ptx(9, 3) & sm(100)
_ABSENT = "fabric operations came with sm_100; the simulator is an sm_90a"

form(
    "fabric.submit",
    syntax="fabric.submit{.op_restrict::fetching};",
    needs=_NEEDS,
    isa="fabric.submit",
    effect=Group("commit", "fabric"),
    doc="Submit this thread's fabric operations, so that their completion can be seen.",
    unsimulated=_ABSENT,
)
form(
    "fabric.submit",
    key="fabric.submit.commit_group",
    syntax="fabric.submit.commit_group;",
    needs=ptx(9, 5) & sm(100),
    isa="fabric.submit",
    effect=Group("commit", "fabric"),
    doc="Submit this thread's fabric operations as a group that can be waited for.",
    unsimulated=_ABSENT,
)

form(
    "fabric.wait",
    syntax="fabric.wait.sync_restrict::reads;",
    needs=_NEEDS,
    isa="fabric.wait",
    effect=Group("wait", "fabric", Const(True)),
    doc="Wait until this thread's submitted fabric operations have read shared memory.",
    unsimulated=_ABSENT,
)
form(
    "fabric.wait",
    key="fabric.wait.group",
    syntax="fabric.wait<.restrict> n;",
    mods={"restrict": oneof("sync_restrict::read", "sync_restrict::reads")},
    operands={"n": imm().about("groups that may still be pending")},
    needs=_NEEDS & released((13, 5), (13, 5)),
    needs_when=[(mod("restrict") == "sync_restrict::read", ptx(9, 5))],
    isa="fabric.wait",
    effect=Group("wait", "fabric", Const(True)),
    doc="Wait until at most n of this thread's latest groups of fabric operations have not yet read shared memory.",
    unsimulated=_ABSENT,
)

_ENDPOINT = src("u32", imm=False).about("the endpoint of the other device")
_OFFSET = src("u64", imm=False).about("where in its memory, in bytes")
_SIZE = src("u32").about("bytes, a multiple of 16")
_MBAR = addr("shared::cta", "rw", bytes=8).about("an mbarrier, which keeps the report")
_POLICY = src("u64").given(chosen("L2::cache_hint"))
_COUNTER = src("u64", imm=False).about("where the bytes are counted")
_LEFT = addr("shared::cta", "r", bytes=op("size"), align=16)
_GOT = addr("shared::cta", "w", bytes=op("size"), align=16)
_BYTES = "mbarrier::complete_tx::bytes.mbarrier::report::fabric"
_SIXTEENS = "mbarrier::complete_tx::16B.mbarrier::report::fabric"
_WHOLE = rule(
    "PTX0220",
    op("size") % 16 == 0,
    "`{opcode}` moves a multiple of 16 bytes, not {size}",
    help="round the size up to a multiple of 16 and pad both buffers",
    severity="warning",
)
_TOGETHER = rule(
    "PTX0359",
    chosen("relaxed").implies(chosen("sys")),
    "`{opcode}` names an order without a scope",
    help="write `.relaxed.sys`, or neither",
)


def _try(name: str, syntax: str, operands: dict[str, Any], doc: str, *, key: str = "", **more: Any) -> None:
    """A row of an operation that may fail."""
    more = {
        "rules": (_TOGETHER, _WHOLE),
        "effect": AsyncCopy("async", "mbarrier", order="relaxed", scope="sys"),
    } | more
    form(
        f"fabric.try_{name}.async",
        key=f"fabric.try_{name}.async{key}",
        syntax=f"fabric.try_{name}.async{syntax}",
        operands=operands,
        needs=more.pop("needs", _NEEDS),
        isa=f"fabric.try_{name}",
        doc=doc,
        unsimulated=_ABSENT,
        **more,
    )


_try(
    "get",
    f"{{.relaxed}}{{.sys}}.shared::cta.{_BYTES}{{.L2::cache_hint}}.b128 [dst], [endpoint, offset], size, [mbar]{{, policy}};",
    {"dst": _GOT, "endpoint": _ENDPOINT, "offset": _OFFSET, "size": _SIZE, "mbar": _MBAR, "policy": _POLICY},
    "Copy bytes of another device's memory to shared memory.",
)
_PUT = {"endpoint": _ENDPOINT, "offset": _OFFSET, "src": _LEFT, "size": _SIZE, "mbar": _MBAR}
_try(
    "put",
    f"{{.relaxed}}{{.sys}}{{.multimem}}.shared::cta.{_SIXTEENS}{{.cp_mask}}{{.L2::cache_hint}}.b128 "
    "[endpoint, offset], [src], size, [mbar]{, bytemask}{, policy};",
    _PUT
    | {
        "bytemask": src("u16").given(chosen("cp_mask")).about("bit i: byte i of every 16 is written"),
        "policy": _POLICY,
    },
    "Copy bytes of shared memory to another device's memory.",
)
_try(
    "put",
    f"{{.relaxed}}{{.sys}}{{.multimem}}.shared::cta.{_SIXTEENS}.counted::bytes{{.L2::cache_hint}}.b128 "
    "[endpoint, offset, counter], [src], size, [mbar]{, policy};",
    {"endpoint": _ENDPOINT, "offset": _OFFSET, "counter": _COUNTER} | _PUT | {"policy": _POLICY},
    "Copy bytes of shared memory to another device's memory, which counts them.",
    key=".counted",
)

_WHOLES = ("u32", "s32", "u64", "s64")
_BITS = ("b32", "b64")
_ADDED = {
    "add": ("u32", "u64", "f16", "bf16", "f32", "f64"),
    "min": (*_WHOLES, "f16", "bf16"),
    "max": (*_WHOLES, "f16", "bf16"),
    "and": _BITS,
    "or": _BITS,
    "xor": _BITS,
}
for _counted in (False, True):
    _try(
        "red",
        f"{{.relaxed}}{{.sys}}{{.multimem}}.shared::cta.{_SIXTEENS}{'.counted::bytes' if _counted else ''}"
        f"{{.L2::cache_hint}}<.op><.type> [endpoint, offset{', counter' if _counted else ''}], [src], size, [mbar]"
        "{, policy};",
        ({"counter": _COUNTER} if _counted else {}) | _PUT | {"policy": _POLICY},
        "Combine numbers in shared memory with those in another device's memory, each atomically"
        + (", which counts the bytes." if _counted else "."),
        key=".counted" * _counted,
        mods={"op": oneof(*_ADDED), "type": oneof(*_WHOLES, *_BITS, "f16", "bf16", "f32", "f64")},
        rules=(_TOGETHER, _WHOLE, *pairs("PTX0352", _ADDED)),
    )

_NARROW = ("e4m3", "e5m2")
_PULLED = {
    "add": ("u32", "u64", "f16", "bf16", "f32", *_NARROW),
    "min": (*_WHOLES, "f16", "bf16", *_NARROW),
    "max": (*_WHOLES, "f16", "bf16", *_NARROW),
    "and": _BITS,
    "or": _BITS,
    "xor": _BITS,
}
_try(
    "pullred",
    f"{{.relaxed}}{{.sys}}.sync.multimem.shared::cta.{_BYTES}<.op>{{.acc}}<.type> "
    "[dst], [endpoint, offset], size, [mbar], mask;",
    {
        "dst": _GOT,
        "endpoint": _ENDPOINT,
        "offset": _OFFSET,
        "size": _SIZE,
        "mbar": _MBAR,
        "mask": imm(0xFFFFFFFF, -1, type="u32").about("the lanes that take part: all"),
    },
    "Combine the replicas of numbers in the memories of several devices, and copy the results to shared memory.",
    mods={
        "op": oneof(*_PULLED),
        "type": oneof(*_WHOLES, *_BITS, "f16", "bf16", "f32", *_NARROW),
        "acc": oneof("acc::f16", "acc::f32"),
    },
    rules=(
        _TOGETHER,
        _WHOLE,
        *pairs("PTX0352", _PULLED),
        rule(
            "PTX0361",
            chosen("acc").implies(
                (mod("op") == "add")
                & (mod("acc") == "acc::f32").implies(mod("type").in_("f16", "bf16", *_NARROW))
                & (mod("acc") == "acc::f16").implies(mod("type").in_(*_NARROW))
            ),
            "`{opcode}`: .{type} numbers are not combined in .{acc}",
            help=".acc::f32 goes with sums of types of 16 and 8 bits, .acc::f16 with sums of types of 8 bits",
        ),
        rule(
            "PTX0361",
            ((mod("op") == "add") & mod("type").in_(*_NARROW)).implies(chosen("acc")),
            "`{opcode}` does not say in which type it adds up",
            help="add .acc::f16 or .acc::f32",
        ),
    ),
    needs_when=[
        (mod("type").in_(*_NARROW), only("100f", "110f", "120a", "121a", "120f")),
        (op("mask") < 0, released((13, 5), (13, 5))),
    ],
)

_BROUGHT = mod("type").map({t.name: t.bytes for t in TYPES.values()})
_GIVEN = (mod("op") == "cas").where(_BROUGHT * 2, _BROUGHT)
_ATOMIC = {
    "add": ("u32", "u64", "f16x2", "bf16x2", "f32", "f64"),
    "min": (*_WHOLES, "f16x2", "bf16x2"),
    "max": (*_WHOLES, "f16x2", "bf16x2"),
    "and": _BITS,
    "or": _BITS,
    "xor": _BITS,
    "exch": (*_BITS, "b128"),
    "cas": (*_BITS, "b128"),
}
_try(
    "atom",
    f".relaxed.sys.shared::cta.{_SIXTEENS}{{.L2::cache_hint}}<.op><.type> "
    "[endpoint, offset], [dst], [src], [mbar]{, policy};",
    {
        "endpoint": _ENDPOINT,
        "offset": _OFFSET,
        "dst": addr("shared::cta", "w", bytes=_BROUGHT).about("where the old value goes"),
        "src": addr("shared::cta", "r", bytes=_GIVEN).about("the operand; of cas two"),
        "mbar": _MBAR,
        "policy": _POLICY,
    },
    "Change a number in another device's memory atomically, and bring what was there.",
    mods={"op": oneof(*_ATOMIC), "type": oneof(*_WHOLES, *_BITS, "b128", "f16x2", "bf16x2", "f32", "f64")},
    rules=pairs("PTX0352", _ATOMIC),
    needs=ptx(9, 4) & sm(100),
)
