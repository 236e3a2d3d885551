"""The stack of a thread: memory whose size the kernel decides while it runs."""

from __future__ import annotations

from dataclasses import replace

from ptxlab.isa.effects import Stack
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import dst, imm, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import mod

_TYPE = mod("type")
_TYPES = {"type": oneof("u32", "u64")}
_NEED = ptx(7, 3) & sm(52)

form(
    "alloca",
    syntax="alloca<.type> d, size{, align};",
    mods=_TYPES,
    operands={
        "d": dst(_TYPE).about("the address in local memory"),
        "size": src(_TYPE).about("bytes"),
        "align": replace(imm(*(1 << n for n in range(24))), type=_TYPE).about(
            "of the address, a power of two; left out, 8"
        ),
    },
    needs=_NEED,
    isa="alloca",
    effect=Stack("take"),
    doc="Take memory from the stack of the thread.",
)
form(
    "stacksave",
    syntax="stacksave<.type> d;",
    mods=_TYPES,
    operands={"d": dst(_TYPE)},
    needs=_NEED,
    isa="stacksave",
    effect=Stack("save"),
    doc="Note how far the stack reaches.",
)
form(
    "stackrestore",
    syntax="stackrestore<.type> a;",
    mods=_TYPES,
    operands={"a": src(_TYPE, imm=False).about("what stacksave gave")},
    needs=_NEED,
    isa="stackrestore",
    effect=Stack("restore"),
    doc="Give back what was taken from the stack since.",
)
