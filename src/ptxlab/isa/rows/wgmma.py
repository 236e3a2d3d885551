"""wgmma: matrix multiplication by a warpgroup (four warps) in the background, operands in shared memory."""

from dataclasses import replace

from ptxlab.isa.effects import AsyncMma, Group, RegisterFile
from ptxlab.isa.extents import Matrix
from ptxlab.isa.form import Shapes, form, oneof, rule
from ptxlab.isa.specs import Range, Spec, fragment, imm, pred_src, src
from ptxlab.isa.targets import only, ptx
from ptxlab.isa.terms import Const, Term, mod, op

_NEEDS = ptx(8, 0) & only("90a")
_N = mod("shape").field("n")
_ALL_N = tuple(range(8, 257, 8))
_INT_N = (8, 16, 24, 32, *range(48, 257, 16))
# a result of 32 bits fills one register an element, of 16 bits half a one: 64 x N elements over 128 threads
_D_COUNT = _N // mod("dtype").map({"f32": 2, "f16": 4, "s32": 2})
_D_TYPE = mod("dtype").map({"f32": "f32", "f16": "f16x2", "s32": "s32"})
_SIGN = imm(1, -1).about("1, or -1 to negate the operand")
_TRANS = imm(0, 1).about("1 when the operand lies M- or N-major")
_DESC = src("u64").about("shared-memory matrix descriptor")
_ELEMENT = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
_K = mod("shape").field("k")


def _described(which: str, rows: Term, depth: Term, *, trans: bool) -> Spec:
    """A descriptor with the matrix in shared memory that it stands for: `rows` rows of `depth` elements along K."""
    transposed = op(f"trans_{which}") if trans else Const(0)
    bits = depth * mod(f"{which}type").map(_ELEMENT)
    return replace(_DESC, access="r", space=Const("shared::cta"), extent=Matrix(rows, bits, transposed))


_META = src("b32", imm=False).about("two bits for every element of A that is there: its place among four")
_SCALE_D = replace(pred_src(negated=True, imm=True), values=(0, 1)).about("false: D = A·B; true: D = A·B + D")


def _fragment_a(types: tuple[str, ...]) -> Spec:
    """A in registers: floats in untyped ones or pairs of f16, whatever they are; integers and bits in any."""
    return fragment("b32", 4, held="bits") if set(types) & _WHOLE else fragment("f16x2", 4)


_WHOLE = {"s8", "u8", "b1"}


def _shapes(k: int, ns: tuple[int, ...] = _ALL_N) -> Shapes:
    return Shapes.of(rf"m64n\d+k{k}", [f"m64n{n}k{k}" for n in ns])


_N_RULE = rule(
    "PTX0230",
    _N.in_(*_ALL_N),
    "wgmma has no shape `.{shape}`: N is a multiple of 8 from 8 to 256",
    help="take the next multiple of 8 and pad B, or split the product",
)
_INT_N_RULE = rule(
    "PTX0230",
    _N.in_(*_INT_N),
    "wgmma has no shape `.{shape}` for this type: N is 8, 16, 24, 32, then a multiple of 16 up to 256",
    help="take the next of these and pad B, or split the product",
)
_SAME = rule(
    "PTX0231",
    mod("atype") == mod("btype"),
    "wgmma multiplies operands of one type, not .{atype} by .{btype}",
    help="convert one operand; only the 8-bit types mix",
)


def _acc_rule(only_f32: str) -> object:
    return rule(
        "PTX0232",
        (mod("atype") == only_f32).implies(mod("dtype") == "f32"),
        "wgmma accumulates .{atype} products in .f32 alone, not in .{dtype}",
        help="use an f32 accumulator",
    )


def _pair(
    kind: str,
    k: int,
    dtypes: tuple[str, ...],
    types: tuple[str, ...],
    rules: list[object],
    trans: bool,
    extra: str = "",
    scales: bool = True,
    ns: tuple[int, ...] = _ALL_N,
    literal: str = "",
    needs_when: object = (),
    sparse: tuple[int, ...] | None = None,
) -> None:
    """Two rows: A by descriptor (.ss) and A in registers (.rs). `sparse`: those of wgmma.mma_async.sp, with twice the K."""
    name, path = ("wgmma.mma_async.sp", ".sp") if sparse is not None else ("wgmma.mma_async", "")
    sparse_text = ", meta, selector" if sparse is not None else ""
    sparse_ops: dict[str, Spec] = {"meta": _META, "selector": imm(*sparse)} if sparse is not None else {}
    scale_text = ", scale_a, scale_b" if scales else ""
    scale_ops: dict[str, Spec] = {"scale_a": _SIGN, "scale_b": _SIGN} if scales else {}
    a_matrix = _described("a", Const(64), _K // 2 if sparse is not None else _K, trans=trans)
    for form_key, a, trans_text in (
        ("ss", a_matrix, ", trans_a, trans_b" if trans else ""),
        ("rs", _fragment_a(types), ", trans_b" if trans else ""),
    ):
        trans_ops: dict[str, Spec] = {n: _TRANS for n in ("trans_a", "trans_b") if n in trans_text}
        form(
            name,
            key=f"{name}.{kind}.{form_key}",
            syntax=f"wgmma.mma_async{path}.sync.aligned<.shape><.dtype><.atype><.btype>{literal}{extra} "
            f"d, a, b{sparse_text}, scale_d{scale_text}{trans_text};",
            mods={
                "shape": _shapes(k, ns),
                "dtype": oneof(*dtypes),
                "atype": oneof(*types),
                "btype": oneof(*types),
            },
            operands={
                "d": replace(fragment(_D_TYPE, _D_COUNT, "rw"), whole="no").about("accumulator registers"),
                "a": a,
                "b": _described("b", _N, _K, trans=trans),
                **sparse_ops,
                "scale_d": _SCALE_D,
                **scale_ops,
                **trans_ops,
            },
            rules=rules,  # type: ignore[arg-type]
            needs=_NEEDS if sparse is None else _NEEDS & ptx(8, 2),
            needs_when=needs_when,  # type: ignore[arg-type]
            isa=name,
            effect=AsyncMma(),
            doc=("D = A·B + D on a 64 x N tile, " if sparse is None else "D = A·B + D with a sparse A, ")
            + ("A and B in shared memory." if form_key == "ss" else "A in registers, B in shared memory."),
        )


_pair("f16", 16, ("f16", "f32"), ("f16", "bf16"), [_N_RULE, _SAME, _acc_rule("bf16")], trans=True)
_pair("tf32", 8, ("f32",), ("tf32",), [_N_RULE], trans=False)
_pair("f8", 32, ("f16", "f32"), ("e4m3", "e5m2"), [_N_RULE], trans=False)
_MIXED: Term = mod("atype") != mod("btype")
_pair(
    "s8",
    32,
    ("s32",),
    ("s8", "u8"),
    [_INT_N_RULE],
    trans=False,
    extra="{.satfinite}",
    scales=False,
    ns=_INT_N,
    needs_when=[(_MIXED, ptx(8, 4))],
)
_pair("b1", 256, ("s32",), ("b1",), [_INT_N_RULE], trans=False, scales=False, ns=_INT_N, literal=".and.popc")

_pair(
    "f16",
    32,
    ("f16", "f32"),
    ("f16", "bf16"),
    [_N_RULE, _SAME, _acc_rule("bf16")],
    trans=True,
    sparse=(0, 1),
)
_pair("tf32", 16, ("f32",), ("tf32",), [_N_RULE], trans=False, sparse=(0, 1))
_pair("f8", 64, ("f16", "f32"), ("e4m3", "e5m2"), [_N_RULE], trans=False, sparse=(0,))
_pair(
    "s8",
    64,
    ("s32",),
    ("s8", "u8"),
    [_INT_N_RULE],
    trans=False,
    extra="{.satfinite}",
    scales=False,
    ns=_INT_N,
    needs_when=[(_MIXED, ptx(8, 4))],
    sparse=(0,),
)

form(
    "wgmma.fence",
    syntax="wgmma.fence.sync.aligned;",
    needs=_NEEDS,
    isa="wgmma.fence",
    effect=Group("fence", "wgmma-group"),
    doc="Order register accesses before the wgmma that follow; needed before the first and after touching their registers.",
)

form(
    "wgmma.commit_group",
    syntax="wgmma.commit_group.sync.aligned;",
    needs=_NEEDS,
    isa="wgmma.commit_group",
    effect=Group("commit", "wgmma-group"),
    doc="Put the warpgroup's uncommitted wgmma into a new group.",
)

form(
    "wgmma.wait_group",
    syntax="wgmma.wait_group.sync.aligned n;",
    operands={"n": imm(Range(0, 2**63 - 1)).about("groups that may still be pending, at most 7")},
    needs=_NEEDS,
    isa="wgmma.wait_group",
    effect=Group("wait", "wgmma-group", most=7),
    doc="Wait until at most n of the warpgroup's latest wgmma groups are pending.",
)

form(
    "setmaxnreg",
    syntax="setmaxnreg<.action>.sync.aligned<.type> count;",
    mods={"action": oneof("inc", "dec"), "type": oneof("u32", "s32")},
    operands={"count": imm(Range(24, 256, 8)).about("registers per thread")},
    rules=[
        rule(
            "PTX0233",
            mod("type") == "u32",
            "the manual has `setmaxnreg` with .u32 alone, not .{type}",
            help="write `.u32`, which means the same",
            severity="warning",
        )
    ],
    needs=ptx(8, 0) & only("90a", "100a", "100f", "103a", "103f", "110a", "110f", "120a", "120f", "121a", "121f"),
    isa="setmaxnreg",
    effect=RegisterFile(),
    doc="Give registers back to the CTA's pool, or take some from it, for every thread of the warpgroup.",
)
