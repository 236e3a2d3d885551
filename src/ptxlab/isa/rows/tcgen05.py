"""tcgen05: tensor memory and the tensor cores of sm_100. The simulator, an sm_90a, has neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final

from ptxlab.isa.effects import Opaque
from ptxlab.isa.form import Form, Rule, form, oneof, rule
from ptxlab.isa.specs import Range, Spec, addr, dst, fragment, imm, pred_src, src
from ptxlab.isa.targets import Need, only, ptx, released
from ptxlab.isa.terms import Term, chosen, mod, op, present

_NEEDS: Final = ptx(8, 6) & only("100f", "101f", "110f")
_EXACT: Final = only("100a", "101a", "103a", "107a", "110a")
_UNSIMULATED: Final = "tensor memory came with sm_100; the simulator is an sm_90a"
_GROUP: Final = oneof("cta_group::1", "cta_group::2")
_TENSOR: Final = addr("tmem", "a")
_MATRIX: Final = replace(_TENSOR, untyped=True)
_COUNTS: Final = (32, 64, 128, 256, 512)
_COLUMNS: Final = src("u32").about("columns")
_GIVEN: Final = op("columns") % (1 << 32)  # of an immediate ptxas takes 32 bits
_THIRTY_TWOS: Final = rule(
    "PTX0107",
    chosen("exclusive").implies((_GIVEN % 32 == 0) & (_GIVEN != 0)),
    "`{opcode}` is about {columns} columns",
    help="columns come by 32",
)


def _form(name: str, syntax: str, doc: str, *, isa: str | None = None, needs: Need = _NEEDS, **more: Any) -> Form:
    return form(
        name, syntax=syntax, doc=doc, isa=isa or name, needs=needs, effect=Opaque(), unsimulated=_UNSIMULATED, **more
    )


# --- allocation, order --------------------------------------------------------------------------------------------------
_form(
    "tcgen05.alloc",
    "tcgen05.alloc<.group>.sync.aligned{.exclusive}{.shared::cta}.b32 [dst], columns;",
    "Allocate columns of tensor memory; their address goes to shared memory.",
    mods={"group": _GROUP},
    operands={
        "dst": addr(mod("shared::cta").map({None: "generic", "shared::cta": "shared::cta"}), "w", bytes=4),
        "columns": _COLUMNS,
    },
    rules=[
        _THIRTY_TWOS,
        rule(
            "PTX0107",
            _GIVEN.in_(*_COUNTS) | chosen("exclusive"),
            "`{opcode}` is about {columns} columns",
            help="take 32, 64, 128, 256 or 512 of them",
        ),
    ],
    needs_when=[(chosen("exclusive"), ptx(9, 4))],
)
_form(
    "tcgen05.dealloc",
    "tcgen05.dealloc<.group>.sync.aligned{.exclusive}.b32 taddr, columns;",
    "Give columns of tensor memory back.",
    mods={"group": _GROUP},
    operands={"taddr": src("u32"), "columns": _COLUMNS},
    rules=[
        _THIRTY_TWOS,
        rule(
            "PTX0107",
            _GIVEN % 32 == 0,
            "`{opcode}` is about {columns} columns",
            help="take 32, 64, 128, 256 or 512 of them",
        ),
    ],
    needs_when=[
        (chosen("exclusive"), ptx(9, 4)),
        # later releases look closer
        ((_GIVEN >= 0) & ~_GIVEN.in_(*_COUNTS) & ~chosen("exclusive"), released((13, 1), (13, 1))),
    ],
    isa="tcgen05.alloc",
)
_form(
    "tcgen05.relinquish_alloc_permit",
    "tcgen05.relinquish_alloc_permit<.group>.sync.aligned;",
    "The CTA will allocate no more tensor memory.",
    mods={"group": _GROUP},
    isa="tcgen05.alloc",
)
for _which in ("before_thread_sync", "after_thread_sync"):
    _form(
        f"tcgen05.fence::{_which}",
        f"tcgen05.fence::{_which};",
        f"Order asynchronous tcgen05 instructions {'before' if _which[0] == 'b' else 'behind'} the code that synchronises.",
        isa="tcgen05.fence",
    )
for _which in ("ld", "st"):
    _form(
        f"tcgen05.wait::{_which}",
        f"tcgen05.wait::{_which}.sync.aligned;",
        f"Wait for all earlier tcgen05.{_which} of the thread.",
        isa="tcgen05.wait",
    )
_MASKS: Final = (1 << 32) - 1
_CASTS: Final = {"multicast::cluster": "u16", "multicast::cluster::16b": "u16", "multicast::cluster::32b": "u32"}
_form(
    "tcgen05.commit",
    "tcgen05.commit<.group>.mbarrier::arrive::one{.shared::cluster}{.cast}.b64 [mbar]{, mask};",
    "Let an mbarrier count an arrival when all earlier asynchronous tcgen05 instructions of the thread are done.",
    mods={"group": _GROUP, "cast": oneof(*_CASTS)},
    rules=[
        rule(
            "PTX0107",
            mod("cast").in_("multicast::cluster", "multicast::cluster::16b").implies(op("mask") <= 0xFFFF),
            "`{opcode}`: the mask has 16 bits",
            help="name 16 CTAs at most, or write .multicast::cluster::32b",
        )
    ],
    needs_when=[
        (mod("cast") == "multicast::cluster::16b", ptx(9, 4)),
        (mod("cast") == "multicast::cluster::32b", ptx(9, 4) & only("107f")),
        (op("mask") >= 0, released((13, 4), (13, 5))),  # an immediate
    ],
    operands={
        "mbar": addr(
            mod("shared::cluster").map({None: "generic", "shared::cluster": "shared::cluster"}), "rw", bytes=8
        ),
        "mask": src(mod("cast").map(_CASTS), values=Range(0, _MASKS))
        .given(chosen("cast"))
        .about("the CTAs whose mbarriers count"),
    },
)

# --- registers and shared memory ----------------------------------------------------------------------------------------
_NUM: Final = tuple(f"x{1 << n}" for n in range(8))
_TIMES: Final = {name: int(name[1:]) for name in _NUM}
_EACH: Final = {"16x64b": 1, "32x32b": 1, "16x128b": 2, "16x256b": 4}
_SHAPES: Final = tuple(_EACH)
_MOST: Final = 128
_COUNT: Final = mod("num").map(_TIMES) * mod("shape").map(_EACH)
_TOO_MANY: Final = rule(
    "PTX0340",
    _COUNT <= _MOST,
    "`{opcode}` would move more than 128 registers",
    help="take fewer repetitions: .x64 of .16x128b, .x32 of .16x256b",
)
_HALF: Final = src("s32", imm=True).about("where the second half begins, in columns")
_OFFSET: Final = replace(_HALF, kinds=frozenset(("imm",)))


def _words(count: Term, role: str = "r") -> Spec:
    return replace(fragment("b32", count, role, held="bits"), doubles=False)


def _moves(name: str, kind: str, packing: str, doc: str) -> None:
    """A load or store: of all shapes but one, and of the one that is in two parts."""
    loads = kind == "ld"
    values = _words(_COUNT, "w" if loads else "r")
    halves = _words(mod("num").map(_TIMES), "w" if loads else "r")
    _form(
        name,
        f"{name}.sync.aligned<.shape><.num>{{.{packing}}}.b32 {'r, [taddr]' if loads else '[taddr], r'};",
        doc,
        mods={"shape": _SHAPES, "num": _NUM},
        operands={"r": values, "taddr": _TENSOR},
        rules=[_TOO_MANY],
    )
    _form(
        name,
        f"{name}.sync.aligned.16x32bx2<.num>{{.{packing}}}.b32 {'r, [taddr], half' if loads else '[taddr], half, r'};",
        f"{doc[:-1]}, in two parts.",
        key=f"{name}.halves",
        mods={"num": _NUM},
        operands={"r": halves, "taddr": _TENSOR, "half": _OFFSET},
    )


_moves("tcgen05.ld", "ld", "pack::16b", "Load tensor memory into registers.")
_moves("tcgen05.st", "st", "unpack::16b", "Store registers in tensor memory.")

_REDUCED: Final = ptx(8, 8) & only("101f", "103f", "110f")
for _kind, _types, _flags in (("real", ("f32",), "{.abs}{.NaN}"), ("integer", ("u32", "s32"), "")):
    for _halves in (False, True):
        _form(
            "tcgen05.ld.red",
            f"tcgen05.ld.red.sync.aligned.{'16x32bx2' if _halves else '32x32b'}<.num><.op>{_flags}<.type>"
            f" r, reduced, [taddr]{', half' if _halves else ''};",
            "Load tensor memory into registers, with the smallest or largest of the values.",
            key=f"tcgen05.ld.red.{_kind}" + (".halves" if _halves else ""),
            isa="tcgen05.ld",
            needs=_REDUCED,
            mods={"num": _NUM[1:], "op": oneof("min", "max"), "type": _types},
            operands={
                "r": _words(mod("num").map(_TIMES), "w"),
                "reduced": dst("b32"),
                "taddr": _TENSOR,
                **({"half": _OFFSET} if _halves else {}),
            },
        )

_KEPT: Final = {f"x{n}": n // 2 for n in (4, 8, 16, 32, 64, 128)}
_INDICES: Final = {f"x{n}": max(1, n // 32) for n in (4, 8, 16, 32, 64, 128)}
for _red in (False, True):
    _form(
        f"tcgen05.ld{'.red' if _red else ''}.spcompress",
        f"tcgen05.ld{'.red' if _red else ''}.spcompress.sync.aligned.32x32b<.num>.sp::2:4<.op>{{.abs}}.f32.b2 "
        f"indices, kept{', reduced' if _red else ''}, [taddr];",
        "Load tensor memory into registers, the smallest or largest two of every four numbers"
        + (", with the smallest or largest of all." if _red else "."),
        isa="tcgen05.ld",
        needs=ptx(9, 4) & only("107a"),
        mods={"num": oneof(*_KEPT), "op": oneof("min", "max")},
        operands={
            "indices": fragment("b32", mod("num").map(_INDICES), "w"),
            "kept": fragment("b32", mod("num").map(_KEPT), "w"),
            **({"reduced": dst("b32")} if _red else {}),
            "taddr": _TENSOR,
        },
    )

_WARPS: Final = {"64x128b": ("warpx2::02_13", "warpx2::01_23"), "32x128b": ("warpx4",)}
_form(
    "tcgen05.cp",
    "tcgen05.cp<.group><.shape>{.warps}{.to}{.from} [taddr], desc;",
    "Copy a matrix from shared memory to tensor memory.",
    mods={
        "group": _GROUP,
        "shape": oneof("128x256b", "4x256b", "128x128b", "64x128b", "32x128b"),
        "warps": oneof("warpx2::02_13", "warpx2::01_23", "warpx4"),
        "to": oneof("b8x16"),
        "from": oneof("b6x16_p32", "b4x16_p64"),
    },
    operands={"taddr": _TENSOR, "desc": src("u64").about("matrix descriptor")},
    rules=[
        *(
            rule(
                "PTX0340",
                (mod("shape") == shape).implies(mod("warps").in_(*warps)),
                "`{opcode}` does not say which warps get the matrix",
                help=f"add {' or '.join('.' + w for w in warps)}",
            )
            for shape, warps in _WARPS.items()
        ),
        rule(
            "PTX0340",
            chosen("warps").implies(mod("shape").in_(*_WARPS)),
            "`{opcode}` takes no .{warps}",
            help="only .64x128b and .32x128b go to several warps",
        ),
        rule(
            "PTX0340",
            chosen("to").implies(chosen("from")) & chosen("from").implies(chosen("to")),
            "`{opcode}` converts, and names one format alone",
            help="write .b8x16 and what it is made of, .b6x16_p32 or .b4x16_p64",
        ),
    ],
)
_form(
    "tcgen05.shift",
    "tcgen05.shift<.group>.down [taddr];",
    "Move rows of tensor memory down by one.",
    mods={"group": _GROUP},
    operands={"taddr": _TENSOR},
    needs=ptx(8, 6) & _EXACT,
)

# --- products -----------------------------------------------------------------------------------------------------------
_PLAIN: Final = oneof("kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8")
_BLOCKS: Final = oneof("kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4")
_COLLECTORS: Final = tuple(f"collector::a::{use}" for use in ("fill", "use", "lastuse", "discard"))
_DESCRIPTOR: Final = src("u64").about("matrix descriptor")
_ADDS: Final = pred_src(imm=True).about("whether D is added")
_INTEGERS: Final = (mod("kind") == "kind::i8", only("100a", "101a", "110a"))
_LANES: Final = mod("group").map({"cta_group::1": 4, "cta_group::2": 8})
_SCALED: Final = rule(
    "PTX0340",
    present("scale").implies(mod("kind") != "kind::f8f6f4"),
    "`{opcode}` cannot scale D",
    help="only .kind::f16 and .kind::tf32 do",
)
_IGNORED: Final = rule(
    "PTX0340",
    present("scale").implies(mod("kind") != "kind::i8"),
    "`{opcode}` does not scale D; ptxas drops the operand",
    help="only .kind::f16 and .kind::tf32 scale D",
    severity="warning",
)
_NEVER: Final = rule(
    "PTX0340",
    (mod("kind") == "kind::i8").implies(~present("scale")),
    "`{opcode}` cannot scale D",
    help="only .kind::f16 and .kind::tf32 do",
)
_SHIFTED: Final = rule(
    "PTX0340",
    (chosen("ashift") & chosen("collector")).implies(
        mod("collector").in_("collector::a::lastuse", "collector::a::discard")
    ),
    "`{opcode}` cannot keep rows that it shifts",
    help="with .ashift, the collector takes lastuse or discard",
)


def _operands(sparse: bool, tensor: bool, between: dict[str, Spec]) -> dict[str, Spec]:
    """The operands in the order of the text, up to the predicate and what stands in front of it."""
    return {
        "d": _MATRIX.about("D"),
        "a": _MATRIX.about("A, in tensor memory") if tensor else _DESCRIPTOR,
        "b": _DESCRIPTOR,
        **({"meta": _MATRIX.about("where the values of A stand")} if sparse else {}),
        "idesc": src("u32").about("instruction descriptor"),
        **between,
        "p": _ADDS,
    }


def _shown(operands: dict[str, Spec]) -> str:
    return ", ".join(f"[{n}]" if "addr" in s.kinds else n for n, s in operands.items())


def _mma(kind: str, head: str, doc: str, operands: dict[str, Spec], tail: dict[str, Spec], **more: Any) -> None:
    name = ".".join(part for part in head.partition("<")[0].split("."))
    last = "".join(f"{{, {n}}}" for n in tail)
    _form(
        name,
        f"{head} {_shown(operands)}{last};",
        doc,
        key=f"{name}.{kind}",
        operands={**operands, **tail},
        **more,
    )


def _rows(sparse: bool, tensor: bool) -> None:
    sp, where = ".sp" if sparse else "", "tensor" if tensor else "shared"
    what = "Multiply a sparse matrix" if sparse else "Multiply matrices"
    source = f"A in {where} memory"
    shift = "{.ashift}" if tensor else ""
    rules: Sequence[Rule] = [_SCALED, _IGNORED, *([_SHIFTED] if tensor else [])]
    scale = {"scale": replace(imm(Range(0, 15)), type=imm().type).about("D is divided by two to this power")}
    for masked in (False, True):
        lanes = {"lanes": _words(_LANES).about("rows of D that are left alone")} if masked else {}
        unscaled = [_NEVER] if sparse and masked else []
        _mma(
            where + (".masked" if masked else ""),
            f"tcgen05.mma{sp}<.group><.kind>{shift}{{.collector}}",
            f"{what}, {source}.",
            _operands(sparse, tensor, lanes),
            scale,
            mods={"group": _GROUP, "kind": _PLAIN, "collector": _COLLECTORS},
            rules=[*rules, *unscaled],
            needs_when=[_INTEGERS, (present("scale"), only("100f"))],
            isa="tcgen05.mma" + sp,
        )
    vectors = {
        "kind::mxf8f6f4": (None, "scale_vec::1X", "block32"),
        "kind::mxf4": (None, "scale_vec::2X", "block32"),
        "kind::mxf4nvf4": ("scale_vec::2X", "scale_vec::4X", "block16", "block32"),
    }
    needs = [
        (mod("kind") == "kind::mxf4nvf4", ptx(8, 7)),
        (mod("vector").in_("block16", "block32"), ptx(8, 8)),
        (mod("vector").in_("scale_vec::1X", "scale_vec::2X", "scale_vec::4X"), _EXACT),
    ]
    if sparse:
        needs.append((mod("kind").in_("kind::mxf4", "kind::mxf4nvf4"), _EXACT))
    _mma(
        f"{where}.scaled",
        f"tcgen05.mma{sp}<.group><.kind>.block_scale{{.vector}}{{.collector}}",
        f"{what} of blocks with scales, {source}.",
        _operands(sparse, tensor, {"scale_a": _MATRIX.about("scales of A"), "scale_b": _MATRIX.about("scales of B")}),
        {},
        mods={
            "group": _GROUP,
            "kind": _BLOCKS,
            "vector": oneof("scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"),
            "collector": _COLLECTORS,
        },
        rules=[
            rule(
                "PTX0340",
                (mod("kind") == kind).implies(mod("vector").in_(*allowed)),
                "`{opcode}` has no scales of this size",
                help=f".{kind} takes {', '.join('.' + v for v in allowed if v)}",
            )
            for kind, allowed in vectors.items()
        ],
        needs_when=needs,
        isa="tcgen05.mma" + sp,
    )
    _mma(
        where,
        f"tcgen05.mma.ws{sp}<.group><.kind>{{.collector}}",
        f"{what}, B being kept from product to product, {source}.",
        _operands(sparse, tensor, {}),
        {"zeros": src("u64").about("which columns of B count as zero")},
        mods={
            "group": oneof("cta_group::1"),
            "kind": _PLAIN,
            "collector": tuple(
                f"collector::b{n}::{use}" for n, use in product(range(4), ("fill", "use", "lastuse", "discard"))
            ),
        },
        needs_when=[_INTEGERS],
        isa="tcgen05.mma.ws" + sp,
    )


for _sparse, _tensor in product((False, True), repeat=2):
    _rows(_sparse, _tensor)
