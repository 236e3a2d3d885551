"""ldmatrix, stmatrix, movmatrix: small matrices between shared memory and the registers of a warp."""

from dataclasses import replace

from ptxlab.isa.effects import Access, WarpWide
from ptxlab.isa.extents import Rows
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import Spec, addr, dst, fragment, src
from ptxlab.isa.targets import only, ptx, sm
from ptxlab.isa.terms import Const, Term, mod

_COUNT = mod("num").map({"x1": 1, "x2": 2, "x4": 4})
_NUM = oneof("x1", "x2", "x4")


def _fragment(count: Term, role: str = "r") -> Spec:
    return fragment("b32", count, role, sink=True, held="bits")


def _rows(access: str, rows: Term) -> Spec:
    """Rows of 16 bytes, each at the address of another lane."""
    return replace(addr("shared", access, bytes=16), extent=Rows(rows, Const(16)))


form(
    "ldmatrix",
    syntax="ldmatrix.sync.aligned.m8n8<.num>{.trans}{.shared{::cta}}.b16 d, [src];",
    mods={"num": _NUM},
    operands={
        "d": _fragment(_COUNT, "w").about("one register a matrix"),
        "src": _rows("r", _COUNT * 8).about("lane 8i + j gives the address of row j of matrix i"),
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
        "dst": _rows("w", _COUNT * 8).about("lane 8i + j gives the address of row j of matrix i"),
        "s": _fragment(_COUNT).about("one register a matrix"),
    },
    needs=ptx(7, 8) & sm(90),
    isa="stmatrix",
    effect=Access("store"),
    doc="Store 8x8 matrices of 16-bit elements that are spread over the warp as mma leaves them.",
)

# --- matrices of bytes

_BYTE_NEEDS = ptx(8, 6) & only("100f", "110f", "120f")

form(
    "ldmatrix",
    key="ldmatrix.m16n16",
    syntax="ldmatrix.sync.aligned.m16n16<.num>.trans{.shared{::cta}}.b8 d, [src];",
    mods={"num": oneof("x1", "x2")},
    operands={
        "d": _fragment(_COUNT * 2, "w").about("two registers a matrix"),
        "src": _rows("r", _COUNT * 16).about("lane 16i + j gives the address of row j of matrix i"),
    },
    needs=_BYTE_NEEDS,
    isa="ldmatrix",
    effect=Access("load"),
    doc="Load 16x16 matrices of bytes, turned around: `.trans` is part of the form.",
    unsimulated="not on sm_90a",
)

for _shape, _trans, _nums, _each in (("m16n16", ".trans", ("x1", "x2"), 2), ("m8n16", "", ("x1", "x2", "x4"), 1)):
    form(
        "ldmatrix",
        key=f"ldmatrix.{_shape}.padded",
        syntax=f"ldmatrix.sync.aligned.{_shape}<.num>{_trans}{{.shared{{::cta}}}}.b8x16<.source> d, [src];",
        mods={"num": oneof(*_nums), "source": oneof("b6x16_p32", "b4x16_p64")},
        operands={
            "d": _fragment(_COUNT * _each, "w").about("one register for 8 x 16 elements"),
            "src": _rows("r", _COUNT * 8 * _each).about("the lanes give the addresses of the matrices' rows"),
        },
        needs=_BYTE_NEEDS,
        isa="ldmatrix",
        effect=Access("load"),
        doc=f"Load {_shape[1:].replace('n', 'x')} matrices of 6-bit or 4-bit elements, each into a byte of its own.",
        unsimulated="not on sm_90a",
    )

form(
    "ldmatrix",
    key="ldmatrix.m8n16.s8.s4",
    syntax="ldmatrix.sync.aligned.m8n16<.num>{.shared{::cta}}.s8.s4 d, [src];",
    mods={"num": _NUM},
    operands={
        "d": _fragment(_COUNT, "w").about("one register a matrix"),
        "src": _rows("r", _COUNT * 8).about("lane 8i + j gives the address of row j of matrix i"),
    },
    needs=ptx(9, 4) & only("90a", "100f", "110f", "120f"),
    isa="ldmatrix",
    effect=Access("load"),
    doc="Load 8x16 matrices of signed 4-bit integers, each into a byte of its own.",
    unsimulated="how the chip spreads the integers of four bits is not recorded yet",
)

form(
    "stmatrix",
    key="stmatrix.m16n8",
    syntax="stmatrix.sync.aligned.m16n8<.num>.trans{.shared{::cta}}.b8 [dst], s;",
    mods={"num": _NUM},
    operands={
        "dst": _rows("w", _COUNT * 8).about("lane 8i + j gives the address of row j of matrix i"),
        "s": _fragment(_COUNT).about("one register a matrix"),
    },
    needs=_BYTE_NEEDS,
    isa="stmatrix",
    effect=Access("store"),
    doc="Store 16x8 matrices of bytes, turned around: `.trans` is part of the form.",
    unsimulated="not on sm_90a",
)

form(
    "movmatrix",
    syntax="movmatrix.sync.aligned.m8n8.trans.b16 d, a;",
    operands={
        "d": dst("b32").about("the transposed matrix, one row by four lanes"),
        "a": src("b32", imm=False).about("two elements of an 8x8 matrix of 16-bit elements"),
    },
    needs=ptx(7, 8) & sm(75),
    isa="movmatrix",
    effect=WarpWide(),
    doc="Transpose an 8x8 matrix of 16-bit elements that is spread over the warp.",
)
