"""ldmatrix and stmatrix: 8x8 matrices between shared memory and the registers of a warp."""

from ptxlab.isa.effects import Access
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import addr, fragment
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import mod

_COUNT = mod("num").map({"x1": 1, "x2": 2, "x4": 4})
_NUM = oneof("x1", "x2", "x4")

form(
    "ldmatrix",
    syntax="ldmatrix.sync.aligned.m8n8<.num>{.trans}{.shared{::cta}}.b16 d, [src];",
    mods={"num": _NUM},
    operands={
        "d": fragment("b32", _COUNT, "w").about("one register a matrix"),
        "src": addr("shared", "r", bytes=16).about("lane 8i + j gives the address of row j of matrix i"),
    },
    needs=ptx(6, 5) & sm(75),
    isa="ldmatrix",
    effect=Access("load"),
    doc="Load 8x8 matrices of 16-bit elements, spread over the warp as mma wants them.",
)

form(
    "stmatrix",
    syntax="stmatrix.sync.aligned.m8n8<.num>{.trans}{.shared{::cta}}.b16 [dst], s;",
    mods={"num": _NUM},
    operands={
        "dst": addr("shared", "w", bytes=16).about("lane 8i + j gives the address of row j of matrix i"),
        "s": fragment("b32", _COUNT, "r").about("one register a matrix"),
    },
    needs=ptx(7, 8) & sm(90),
    isa="stmatrix",
    effect=Access("store"),
    doc="Store 8x8 matrices of 16-bit elements that are spread over the warp as mma leaves them.",
)
