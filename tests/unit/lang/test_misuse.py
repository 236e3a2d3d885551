"""What newcomers write: each is one diagnostic at their line, and says what to write instead."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tracing import fails, instructions, refused

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.isa.match import heads, part_of
from ptxlab.isa.types import TYPES
from ptxlab.lang.body_checks import BLOCKS
from ptxlab.lang.declared import WORDS
from ptxlab.lang.kernel import KernelFunction
from ptxlab.lang.spelling import ELSEWHERE
from ptxlab.lang.trace.valueless import FUNCTIONS, on_device

RING = "t = k.smem(px.f32, (2, 64), align=128)\nr = k.ring(2, t)\nk.init_barriers()\n"


# --- with --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body",
    [
        "k.if_(n < 3)  # here\nk.st.global_.f32(x[0], f)",
        "with k.if_(n < 3): pass\nk.else_()",
        "k.if_(n < 3)  # here\nwith k.else_(): pass",
        "k.while_(lambda: n < 3)",
        "k.loop(10)",
        "k.loop(10)  # here\nk.break_()",
        "k.elect()",
        "k.roles()",
        "k.roles()  # here\nwith k.role(warp=0): pass",
        "with k.roles():\n    k.role(warp=0)",
        "k.wgmma_group()",
        RING + "r.produce()",
        RING + "r.consume()",
    ],
)
def test_a_block_that_nothing_enters(body: str) -> None:
    found = refused(body)
    assert found.code == "PTX2222"
    assert re.match(r"write `with (k|ring)\.\w+\(…?\):` and indent", found.help or "")


def test_every_block_says_so() -> None:
    """Each is made by `block`, so that none is forgotten silently; `elect` is `one_lane`."""
    made = {name for part in (px.Builder, px.Ring) for name in dir(part) if getattr(getattr(part, name), "opens", "")}
    assert made - {"one_lane"} | {"elect"} == BLOCKS


def test_a_block_is_entered_once() -> None:
    found = refused("b = k.if_(n < 3)\nwith b: pass\nwith b: pass")
    assert found.code == "PTX2222"
    assert found.help == "call it again: `with k.if_(…):`"


def test_blocks_of_modules_written_out() -> None:
    m = px.module("8.0", "sm_90a")
    m.entry("forgotten")
    with pytest.raises(Diagnostic) as caught:
        str(m)
    assert caught.value.code == "PTX2222"
    with m.entry("lost") as k:
        k.block()
        k.ret()
    with pytest.raises(Diagnostic, match=r"m\.entry"):
        _ = m.tree


# --- loops -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ("10, step=-1", "k.while_"),
        ("s, step=-1", "k.while_"),
        ("n, step=0", "k.while_"),
        ("5, start=10", "below stop"),
        ("-5", "dtype=px.s32"),
        ("10, start=-3", "dtype=px.s32"),
        ("1 << 40", "px.u64"),
        ("1 << 15, dtype=px.s16", "px.u64"),
        ("0xFFFFFFFF, step=2", "wider register"),
        ("x", "count elements"),
        ("10, dtype=px.u8", "count elements"),
    ],
)
def test_loops_that_never_run_or_never_end(arguments: str, advice: str) -> None:
    found = refused(f"with k.loop({arguments}): pass")
    assert found.code == "PTX2223"
    assert advice in (found.help or "")


@pytest.mark.parametrize(
    "arguments", ["0", "0xFFFFFFFF", "3, start=-3, dtype=px.s32", "1.5, dtype=px.f32", "n, start=5"]
)
def test_loops_that_are_fine(arguments: str) -> None:
    def kernel(k, n: px.u32):
        with eval(f"k.loop({arguments})", {"px": px}, {"k": k, "n": n}):
            pass

    assert instructions(kernel)


@pytest.mark.parametrize("bad", ["'a'", "None", "10.0", "n, step=1.5"])
def test_loops_count_whole_numbers(bad: str) -> None:
    assert refused(f"with k.loop({bad}): pass").code == "PTX0109"


# --- registers that are taken for numbers --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expression", "advice"),
    [
        ("np.sqrt(f)", "k.sqrt.rn.f32"), ("np.exp(f)", "k.ex2.approx"), ("np.maximum(n, 3)", "k.max.u32"),
        ("np.where(n < 3, 1, 2)", "k.selp.b32"), ("np.clip(n, 0, 3)", "k.min.u32"), ("np.arctan(f)", "instructions"),
        ("np.median([f, f])", "k.if_"), ("np.float32(f)", "dtype=object"), ("np.array([f, f], np.float32)", "dtype=object"),
        ("np.arange(4)[n]", "pass the array to the kernel"), ("np.zeros(n)", "k.loop"), ("np.zeros(4)[n:]", "k.loop"),
        ("np.zeros(4).__setitem__(0, f)", "k.cvt"),
        ("math.sqrt(f)", "k.sqrt.rn.f32"), ("math.exp(f)", "k.ex2"), ("float(f)", "k.cvt"), ("int(n)", "k.cvt"),
        ("complex(f)", "k.cvt"),
        ("f'{n:d}'", 'k.print("%u'), ("'{:.3f}'.format(f)", 'k.print("%f'), ("'%d' % n", "k.print"),
        ("len(n)", "one value"), ("[i for i in n]", ".v2"), ("list(n)", ".v2"), ("3 in n", "compare"), ("n[0]", "k.unpack"),
        ("range(n)", "k.loop"), ("[1, 2, 3][n]", "index memory"), ("'abc'[:n]", "index memory"), ("bytes(n)", "k.loop"),
        ("hash(n)", "str(x.reg)"), ("{n: 1}", "str(x.reg)"), ("{n, s}", "str(x.reg)"), ("n == None", "is None"),
        ("n != None", "is None"),
        ("1 if n else 2", "x != 0"), ("1 if n < 3 else 2", "k.if_"), ("0 < n < 5", "(0 < x) & (x < 5)"),
        ("n > 1 and n < 3", "& and |"), ("n > 1 or n < 3", "& and |"), ("not (n < 3)", "~p"), ("n in (1, 2)", "(x == 1) | "),
        ("min(n, 3)", "k.min."), ("max(s, n)", "k.max."), ("any([n < 3])", "|"), ("sorted([n, s])", "k.min and k.max"),
    ],
)  # fmt: skip
def test_registers_have_no_value(expression: str, advice: str) -> None:
    found = refused(expression)
    assert found.code == "PTX2201"
    assert advice in (found.help or ""), found.help


@pytest.mark.parametrize(
    "statement", ["assert n", "while n < 3: pass", "if n: pass", "n[0] = 1", "del n[0]", "with n < 3: pass"]
)
def test_statements_want_no_register(statement: str) -> None:
    assert refused(statement).code == "PTX2201"


@pytest.mark.parametrize(
    ("expression", "advice"),
    [
        ("abs(s)", "k.abs.s32"), ("round(f)", "k.cvt.rni"), ("math.floor(f)", "k.cvt.rmi"), ("math.ceil(f)", "k.cvt.rpi"),
        ("math.trunc(f)", "k.cvt.rzi"), ("divmod(n, 3)", "x // y"), ("divmod(3, n)", "x // y"), ("f ** 2", "x * x"),
        ("2 ** f", "k.ex2"), ("pow(n, 2, 3)", "x * x"), ("f @ f", "k.mma"), ("+n", "k.mov"),
        ("f // 2.0", "`/`"), ("f % 2.0", "k.cvt.rmi"), ("n / 2", "`//`"), ("s / 2", "k.cvt.rn.f32.s32"), ("-n", "k.mov.s32"),
        ("~f", "-x"), ("f << 1", "k.cvt"), ("(n < 3) + 1", "&"), ("~(n < 3) & (s < 2)", "k.not_.pred"),
        ("(n < 3) | ~(s < 2)", "k.not_.pred"),
        ("k.accumulator(64, 8) * 2.0", "for r in"), ("2 * k.accumulator(64, 8)", "for r in"),
        ("k.accumulator(64, 8) + 1.0", "for r in"), ("k.accumulator(64, 8) + f", "for r in"),
        ("np.sqrt(k.accumulator(64, 8))", "each"), ("k.accumulator(64, 8) > 0", "each"),
    ],
)  # fmt: skip
def test_operators_without_an_instruction(expression: str, advice: str) -> None:
    found = refused(expression)
    assert found.code == "PTX2205"
    assert advice in (found.help or ""), found.help


def test_reflected_operators_are_instructions() -> None:
    def kernel(k, n: px.u32, f: px.f32):
        q = k.mov.u32(n)
        q //= 3
        q %= 5
        _ = (10 // n, 10 % n, 1.0 / f, 1 << n, 256 >> n, np.float32(2) * f, np.add(n, 3))

    assert instructions(kernel) == [
        "mov.u32 %u0, %n", "div.u32 %u0, %u0, 3", "rem.u32 %u0, %u0, 5", "div.u32 %u1, 10, %n", "rem.u32 %u2, 10, %n",
        "div.rn.f32 %f0, 0f3F800000, %f", "shl.b32 %r0, 1, %n", "shr.u32 %u3, 256, %n", "mul.rn.f32 %f1, %f, 0f40000000",
        "add.u32 %u4, %n, 3",
    ]  # fmt: skip


def test_arrays_of_objects_hold_registers() -> None:
    def kernel(k, f: px.f32):
        array = np.empty(2, object)
        array[:] = [f, f]
        assert [type(r) for r in np.array([f, f]) + array] == [px.f32, px.f32]

    assert len(instructions(kernel)) == 2


def test_functions_on_the_device_exist() -> None:
    """Whatever the language advises for a function is an instruction for each type that it is advised for."""
    for function in FUNCTIONS:
        for type_ in ("f32", "s32", "u32", "b32", "pred", "f64"):
            advice = on_device(function, TYPES[type_]) or ""
            for path in re.findall(r"k((?:\.\w+)+)\(", advice):
                opcode = ".".join(map(part_of, path[1:].split(".")))
                assert heads(opcode), (function, type_, opcode)


# --- memory ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("x[0] = 1.0", "k.st.global_.f32(x[0], value)"), ("x[n] = f", "k.st.global_.f32(x[…], value)"),
        ("x[0][1] = 1.0", "k.st.global_.f32"), ("x[0] += 1.0", "k.ld.global_.f32"), ("x[0] += 1", "k.st.global_.f32"),
        ("x[0] + 1.0", "k.ld.global_.f32"), ("x[0] + f", "k.ld.global_.f32"), ("1.0 + x[0]", "k.ld.global_.f32"),
        ("f + x[0]", "k.ld.global_.f32"), ("f * x[0]", "k.ld.global_.f32"), ("x[0] * 2", "k.ld.global_.f32"),
        ("x[0] - 1", "k.ld.global_.f32"), ("-x[0]", "k.ld.global_.f32"), ("x[0] / 2", "k.ld.global_.f32"),
        ("x[0] == 3", "k.ld.global_.f32"), ("x[0] < 3", "k.ld.global_.f32"), ("3 > x[0]", "k.ld.global_.f32"),
        ("if x[0]: pass", "k.ld.global_.f32"), ("float(x[0])", "k.ld.global_.f32"), ("[i for i in x[0]]", "k.ld.global_.f32"),
        ("math.sqrt(x[0])", "k.ld.global_.f32"), ("np.sqrt(x[0])", "k.ld.global_.f32"), ("abs(x[0])", "k.ld.global_.f32"),
        ("k.add.f32(x[0] + 1, 1.0)", "k.ld.global_.f32"), ("k.add.f32(x[0], 1.0)", "k.ld.global_.f32"),
        ("k.st.global_.f32(x[1], x[0])", "k.ld.global_.f32"), ("x + 1.0", "k.ld.global_.f32"), ("x * 2.0", "k.ld.global_.f32"),
        ("2 * x", "k.ld.global_.f32"), ("x / 2", "k.ld.global_.f32"),
        ("k.smem(px.f32, 64)[0] = 1.0", "k.st.shared.f32"), ("k.smem(px.bf16, 64)[0] + 1.0", "k.ld.shared.b16"),
        ("k.smem(px.f32, 64)[0] == 1.0", "k.ld.shared.f32"), ("if k.smem(px.f32, 64): pass", "k.ld.shared.f32"),
    ],
)  # fmt: skip
def test_places_are_no_numbers(statement: str, advice: str) -> None:
    found = refused(statement)
    assert found.code == "PTX2224"
    assert advice in (found.help or ""), found.help


def test_an_address_moves_by_bytes() -> None:
    def kernel(k, x: px.Ptr[px.f32], n: px.u32):
        k.st.global_.f32(x[1] + 4, 1.0)
        place = x[0]
        place += 8
        k.st.global_.u64(place, x[0])

    assert instructions(kernel) == ["st.global.f32 [%x+8], 0f3F800000", "st.global.u64 [%x+8], %x"]


@pytest.mark.parametrize(
    ("index", "advice"), [("0, 1", "row * columns"), ("0:4", "k.ld.global_.v4.f32"), ("1.5", "int"), ("'a'", "int")]
)
def test_indices(index: str, advice: str) -> None:
    for what in ("x", "k.smem(px.f32, (4, 4))"):
        found = refused(f"{what}[{index}]")
        assert found.code == "PTX0109"
        assert advice in (found.help or "")


def test_tiles_and_barriers_are_iterated_over() -> None:
    def kernel(k):
        tile, bars = k.smem(px.f32, (3, 4)), k.mbarrier(1, n=2)
        k.init_barriers()
        assert [part.offset for part in tile] == [0, 16, 32]
        assert (len(tile), len(bars), len(list(bars))) == (3, 2, 2)

    instructions(kernel)


# --- instructions ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ld.v4.shared.b32(n)", "k.ld.shared.v4.b32"), ("cp.async_.shared.cg.global_(n, n, 16)", "k.cp.async_.cg.shared.global_"),
        ("add.f32.rn(f, f)", "k.add.rn.f32"), ("atom.add.global_.f32(x[0], 1.0)", "k.atom.global_.add.f32"),
        ("st.f32.global_(x[0], f)", "k.st.global_.f32"), ("mma.sync.m16n8k16.aligned", "k.mma.sync.aligned.m16n8k16"),
        ("bar.warp.sync.aligned", "did you mean"), ("mbarrier.arrive.b64.shared__cta(n)", "k.mbarrier.arrive.shared__cta.b64"),
        ("ld.globl.f32(x[0])", "k.ld.global_"), ("ld.global_.v4.float32(x[0])", "k.ld.global_.v4.f32"),
        ("ld.shared_cta.b32(n)", "k.ld.shared__cta"), ("cp.asink", "k.cp.async_"),
        ("fma.f32(f, f, f)", "k.fma.rn.f32"), ("mul.u32(n, n)", "k.mul.lo.u32 or k.mul.hi.u32"),
        ("ld.global_(x[0])", ".f32"), ("add(n, n)", ".u32"),
        ("addd.u32(n, n)", "k.add or"), ("smen(px.f32, 4)", "k.smem"), ("iff(n < 3)", "k.if_"), ("lop(3)", "k.loop"),
        ("wargroup", "k.warpgroup"), ("syncthreads()", "k.bar.sync(0)"), ("threadIdx.x", "k.tid"), ("where(1, 2)", "k.selp"),
    ],
)  # fmt: skip
def test_misspelt(written: str, meant: str) -> None:
    found = refused(f"k.{written}")
    assert found.code in ("PTX0100", "PTX0101", "PTX0102")
    if meant != "did you mean":
        assert meant in (found.help or ""), found.help


def test_the_order_is_known_without_the_source() -> None:
    def kernel(k, n: px.u32):
        load = k.ld.v4
        load.shared.b32(n)  # here

    assert fails(kernel, "PTX0101").help == "the order is k.ld.shared.v4"


def test_names_from_elsewhere_lead_to_what_exists() -> None:
    known = dir(px.Builder(KernelFunction(lambda k: None, threads=32).options))
    for name, advice in ELSEWHERE.items():
        assert name not in known
        for path in re.findall(r"k((?:\.\w+)+)", advice):
            assert path[1:].split(".")[0] in known, (name, advice)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(a, b, 0.0)", "[k.mov.f32(0.0) for _ in range(4)]"),
        ("k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(a, b, c, d=[0.0] * 4)", "[k.mov.f32(0.0) for _ in range(4)]"),
        ("k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32([0] * 4, b, c)", "[k.mov.b32(0) for _ in range(4)]"),
        ("k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(a, b, np.zeros(4))", "passed by itself: array[0]"),
        ("k.wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16([0.0] * 32, w[0], w[0], 1, 1, 1, 0, 0)", "k.accumulator(m, n)"),
        ("k.wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16(k.accumulator(64, 64), w, w[0], 1, 1, 1, 0, 0)", "descriptor[i]"),
        ("k.wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16(k.accumulator(64, 64), t, t, 1, 1, 1, 0, 0)", "tile.descriptor()"),
        ("k.stmatrix.sync.aligned.m8n8.x2.shared.b16(t, [0, 0])", "[k.mov.b32(0) for _ in range(2)]"),
        ("k.add.u32(k.tid, 1)", "k.tid.x"), ("k.tid + 1", "k.tid.x"), ("k.add.u32(k.tid.x, k.mov)", "call it"),
        ("k.bra('L')", "k.label()"),
    ],
)  # fmt: skip
def test_operands_of_another_kind(call: str, advice: str) -> None:
    made = "a, b, c = ([k.reg(t) for _ in range(n)] for t, n in ((px.b32, 4), (px.b32, 2), (px.f32, 4)))\n"
    tiles = 't = k.smem(px.f16, (64, 64), swizzle="128B")\nw = t.descriptor()\n'
    found = refused(made + tiles + call)
    assert advice in (found.help or ""), found.help


@pytest.mark.parametrize(
    "statement",
    [
        "k.accumulator('a', 8)", "k.accumulator(64, f)", "k.unpack(3, px.b16)", "k.unpack(n, px.b64)", "k.ring('a')", "k.ring(0)",
        "k.ring(2, 3)", "k.place('a')", "k.smem(px.f32, (4, 4)).locate('a', 0)",
        "with k.roles():\n    with k.role(warp='a'): pass", "with k.roles():\n    with k.role(warp=[0, 1]): pass",
        "with k.roles():\n    with k.role(warpgroup=0, registers='a'): pass", "with k.if_(n): pass", "with k.if_(not n): pass",
        "with k.while_(lambda: n): pass", RING + "with r.consume() as stage: stage[5]",
        'k.smem(px.f16, (64, 64), swizzle="128B").descriptor()[9]',
        'k.smem(px.f16, (64, 64), swizzle="128B").descriptor()["a"]', 'k.smem(px.f16, (64, 64), swizzle="128B").descriptor()[n]',
        "k.label()", "label = k.label()\nk.bra(label)  # here\nk.place(label)\nk.place(label)",
    ],
)  # fmt: skip
def test_arguments_of_constructs(statement: str) -> None:
    if statement.startswith("label ="):
        statement = statement.replace("  # here", "")
    refused(statement)


# --- kernels -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"thread": 32}, "threads="), ({"block": 32}, "threads="), ({"num_warps": 4}, "32 for each warp"), ({}, "threads"),
        ({"threads": 32, "grid": 3}, "kernel[grid]"), ({"threads": 32, "lint": False}, "lints="),
        ({"threads": 32, "clusters": 2}, "cluster="), ({"threads": 32, "xyz": 2}, "max_registers"),
    ],
)  # fmt: skip
def test_options_that_do_not_exist(options: dict[str, Any], advice: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        px.kernel(**options)
    assert caught.value.code == "PTX2225"
    assert advice in (caught.value.help or "")
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_kernel_without_parentheses() -> None:
    def fn(k): ...

    for wrong in (fn, 128):
        with pytest.raises(Diagnostic) as caught:
            px.kernel(wrong)  # type: ignore[arg-type]
        assert caught.value.code == "PTX2225"
        assert "@px.kernel(threads=128)" in (caught.value.help or "")


def test_every_option_is_known() -> None:
    assert set(KernelFunction.__init__.__kwdefaults__) | {"threads"} == set(WORDS)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": "128"}, {"threads": 12.5}, {"threads": (32, "a")}, {"threads": ()}, {"threads": None}, {"cluster": "2"},
        {"cluster": (1, 1, 1, 1)}, {"max_registers": "a"}, {"min_ctas": 0}, {"min_ctas": "a"}, {"target": 90}, {"name": 5},
        {"strided": "x"}, {"strided": ("y",)}, {"strided": 3},
    ],
)  # fmt: skip
def test_values_of_options(options: dict[str, Any]) -> None:
    def fn(k, x: px.Ptr[px.f32]): ...

    with pytest.raises(Diagnostic) as caught:
        KernelFunction(fn, **{"threads": 32, **options})
    assert caught.value.code == "PTX2210"
    assert caught.value.help


def test_what_is_no_function() -> None:
    def generator(k):
        yield

    async def asynchronous(k): ...

    for wrong, code in (
        (generator, "PTX2226"),
        (asynchronous, "PTX2226"),
        (5, "PTX2200"),
        (print, "PTX2200"),
        (int, "PTX2200"),
    ):
        with pytest.raises(Diagnostic) as caught:
            KernelFunction(wrong, threads=32)  # type: ignore[arg-type]
        assert caught.value.code == code


def test_a_kernel_returns_nothing() -> None:
    def kernel(k, n: px.u32):  # here
        return n

    assert "k.st" in (fails(kernel, "PTX2226").help or "")


@pytest.mark.parametrize(
    "body",
    [
        "with k.if_(n < 3): return  # here\nk.bar.sync(0)",
        "with k.if_(n < 3):\n    k.bar.sync(0)\n    return  # here\nwith k.else_(): pass",
        "with k.roles():\n    with k.role(warp=0):\n        return  # here\n    with k.role(warp=1): pass",
        "if True:\n    with k.elect():\n        return  # here\n    k.bar.sync(0)",
        "for _ in range(2):\n    with k.loop(n):\n        return  # here",
        "k.bar.sync", "k.bar.sync  # here\nk.bar.sync(0)", "k.cp.async_.commit_group", "k.init_barriers", "k.sync_all",
        "with k.if_(n < 3):\n    k.bar.sync  # here\nk.bar.sync(0)",
    ],
)  # fmt: skip
def test_python_that_does_nothing_on_the_device(body: str) -> None:
    assert refused(body).code == "PTX2226"


def test_python_that_is_fine() -> None:
    def kernel(k, n: px.u32, *, early: bool = True):
        k.warp  # noqa: B018
        k.tid.x  # noqa: B018
        with k.if_(n < 3):
            if early:
                k.bar.sync(0)
                return

    assert instructions(kernel)


def test_the_builder_is_closed_when_the_kernel_has_been_traced() -> None:
    kept: list[Any] = []

    def kernel(k, n: px.u32, x: px.Ptr[px.f32]):
        kept.extend((k, n, x, k.smem(px.f32, 4)))

    KernelFunction(kernel, threads=32).trace()
    k, n, x, tile = kept
    for use in (
        lambda: k.bar.sync(0), lambda: k.tid.y, lambda: n + 1, lambda: x[n], lambda: tile.at(n), lambda: k.smem(px.f32, 4),
        lambda: k.reg(px.f32), lambda: k.mbarrier(1), lambda: k.label(), lambda: k.accumulator(64, 8), lambda: n < 3,
        lambda: k.if_(n < 3).__enter__(), lambda: k.loop(3).__enter__(), lambda: k.print("a"),
    ):  # fmt: skip
        with pytest.raises(Diagnostic) as caught:
            use()
        assert caught.value.code == "PTX2207"
        assert caught.value.origin is not None
        assert caught.value.origin.file == __file__


@pytest.mark.parametrize(
    "use",
    [
        "k.add.u32(n, kept)", "k.add.u32(n, 1, pred=p)", "k.add.u32(n, 1, pred=~p)", "k.mov.u32(1, d=kept)", "with k.if_(p): pass",
        "k.st.global_.v4.u32(x[0], [n, n, n, kept])", "k.mov.b64((n, kept))", "kept + n", "n + kept", "x[kept]",
        "with k.loop(kept): pass",
    ],
)  # fmt: skip
def test_registers_of_another_kernel(use: str) -> None:
    kept: list[Any] = []
    KernelFunction(lambda k: kept.extend((k.reg(px.u32), k.reg(px.pred))), threads=32).trace()
    px.kept, px.p = kept  # type: ignore[attr-defined]
    try:
        assert refused(re.sub(r"\b(kept|p)\b", r"px.\1", use)).code == "PTX2207"
    finally:
        del px.kept, px.p  # type: ignore[attr-defined]


# --- elements ----------------------------------------------------------------------------------------------------------
WGMMA = "k.wgmma.mma_async.sync.aligned.m64n64k{k}.f32.{a}.{b}(k.accumulator(64, 64), a[0], b[0], 1, 1, 1{more})"


@pytest.mark.parametrize(
    ("a", "b", "given_a", "given_b", "side"),
    [
        ("f16", "f16", "bf16", "f16", "A"), ("f16", "f16", "f16", "bf16", "B"), ("bf16", "bf16", "f16", "f16", "A"),
        ("e4m3", "e5m2", "e5m2", "e5m2", "A"), ("e4m3", "e5m2", "e4m3", "u8", "B"), ("f16", "f16", "s16", "f16", "A"),
        ("tf32", "tf32", "s32", "f32", "A"),
    ],
)  # fmt: skip
def test_products_of_other_elements(a: str, b: str, given_a: str, given_b: str, side: str) -> None:
    k, more = {"f16": 16, "bf16": 16, "tf32": 8}.get(a, 32), ", 0, 0" if a.endswith("16") else ""
    columns = {16: 64, 8: 32, 32: 128}[k]
    tiles = "".join(
        f'{n} = k.smem(px.{t}, (64, {columns}), swizzle="128B").descriptor()\n'
        for n, t in (("a", given_a), ("b", given_b))
    )
    found = refused(tiles + WGMMA.format(k=k, a=a, b=b, more=more))
    assert found.code == "PTX2216"
    assert f"wgmma reads {side} as" in found.message


@pytest.mark.parametrize(
    ("named", "given"), [("f16", "b16"), ("tf32", "f32"), ("tf32", "b32"), ("tf32", "tf32"), ("e4m3", "b8")]
)
def test_elements_that_fit(named: str, given: str) -> None:
    def kernel(k):
        k_, columns = {"f16": (16, 64), "tf32": (8, 32)}.get(named, (32, 128))
        a, b = (k.smem(getattr(px, given), (64, columns), swizzle="128B").descriptor() for _ in range(2))
        load = getattr(getattr(getattr(k.wgmma.mma_async.sync.aligned, f"m64n64k{k_}").f32, named), named)
        load(k.accumulator(64, 64), a[0], b[0], 1, 1, 1, *((0, 0) if named == "f16" else ()))

    assert instructions(kernel)


def test_numbers_stand_in_fragments_that_are_read() -> None:
    def fine(k):
        a, b = [k.reg(px.b32) for _ in range(4)], [k.reg(px.b32) for _ in range(2)]
        k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(a, b, [0.0] * 4)

    assert "{0f00000000, 0f00000000, 0f00000000, 0f00000000}" in instructions(fine)[-1]


def test_fragments_of_other_elements() -> None:
    halves = "a = [k.cvt.rn.bf16x2.f32(f, f) for _ in range(4)]\nb = [k.reg(px.b32) for _ in range(2)]\n"
    product = "k.mma.sync.aligned.m16n8k16.row.col.f32.{0}.{0}.f32(a, b, [k.mov.f32(0.0) for _ in range(4)])"
    found = refused(halves + product.format("f16"))
    assert found.message == "the product reads A as .f16, but its registers hold two .bf16 each"

    def fine(k, f: px.f32):
        a = [k.cvt.rn.bf16x2.f32(f, f) for _ in range(4)]
        b = [k.reg(px.b32) for _ in range(2)]
        k.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(a, b, [k.mov.f32(0.0) for _ in range(4)])

    assert instructions(fine)


def test_halves_of_wider_elements_are_not_transposed() -> None:
    found = refused("k.ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16(k.smem(px.f32, (8, 4)).at(0))")
    assert found.code == "PTX2216"
    assert "px.b16" in (found.help or "")

    def fine(k):
        k.ldmatrix.sync.aligned.m8n8.x1.shared.b16(k.smem(px.f32, (8, 4)).at(0))
        k.ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16(k.smem(px.bf16, (8, 8)).at(0))

    assert instructions(fine)


@pytest.mark.parametrize(
    ("statement", "advice"),
    [("n.set(3)", "d=x"), ("n.assign(3)", "d=x"), ("f.astype(3)", "k.cvt"), ("n.unheard_of", "words of k")],
)
def test_a_register_has_no_attributes(statement: str, advice: str) -> None:
    found = refused(statement)
    assert found.code == "PTX2205"
    assert advice in (found.help or "")
