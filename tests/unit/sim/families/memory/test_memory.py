"""Loads, stores, atomics and matrices in every space; what is said about wrong accesses."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptxlab.diag import Diagnostic

from ...launching import launch, program_of

RNG = np.random.default_rng(9)


def kernel(body: str, params: str) -> str:
    return f""".visible .entry k({params}) {{
        .reg .u32 t, i, n, x, y; .reg .b32 r<8>; .reg .u64 p, q, g; .reg .b64 d<4>; .reg .pred c; .reg .b16 h<8>; .reg .f32 f<4>;
        .reg .b128 w;
        .shared .align 128 .b8 buf[8192];
        .local .align 16 .b8 mine[256];
        mov.u32 t, %tid.x;
        {body}
        exit;
    }}"""


IN_OUT = ".param .u64 in, .param .u64 out"


LANE = np.arange(32)
ROWS = {
    "two rows": 40 * (LANE // 16) + LANE % 16,
    "two rows, the second first": 100 - 60 * (LANE // 16) + LANE % 16,
    "a row twice": 3 + LANE % 16,
    "one element a row": 5 + 9 * (LANE // 16),
    "a row and one element": np.where(LANE < 16, 8 + LANE, 2),
    "rows of eight": 32 * (LANE // 8) + LANE % 8,
    "rows of four": 12 * (LANE // 4) + LANE % 4,
    "rows to the last byte": 112 - 112 * (LANE // 16) + LANE % 16,
}


@pytest.mark.parametrize("order", ["identity", "reversed", "stride", "random", "same", *ROWS])
@pytest.mark.parametrize(
    ("type_", "vector"), [("u8", 1), ("b16", 1), ("b32", 1), ("b64", 1), ("b32", 2), ("b32", 4), ("b64", 2), ("b16", 4)]
)
@pytest.mark.parametrize("threads", [32, 50])
def test_copies_in_every_order_and_width(order: str, type_: str, vector: int, threads: int) -> None:
    size = int(type_[1:]) // 8 * vector
    n = 128
    index = {
        "identity": np.arange(threads),
        "reversed": n - 1 - np.arange(threads),
        "stride": np.arange(threads) * 2 % n,
        "random": RNG.permutation(n)[:threads],
        "same": np.full(threads, 77),
        **{name: np.resize(rows, threads) for name, rows in ROWS.items()},
    }[order].astype("u4")
    data = RNG.integers(0, 256, n * size, dtype=np.uint8)
    out = np.zeros(n * size, np.uint8)
    kind = "h" if int(type_[1:]) <= 16 else "d" if type_ == "b64" else "r"
    regs = ", ".join(f"{kind}{k}" for k in range(vector))
    regs = f"{{{regs}}}" if vector > 1 else regs
    vec = f".v{vector}" if vector > 1 else ""
    text = kernel(
        f"""
        ld.param.u64 p, [index]; mad.wide.u32 p, t, 4, p; ld.global.u32 i, [p];
        ld.param.u64 p, [in]; ld.param.u64 q, [out];
        mad.wide.u32 p, i, {size}, p; mad.wide.u32 q, i, {size}, q;
        ld.global{vec}.{type_} {regs}, [p]; st.global{vec}.{type_} [q], {regs};
        """,
        f".param .u64 index, {IN_OUT}",
    )
    launch(text, [index, data, out], block=(threads, 1, 1))
    want = np.zeros((n, size), np.uint8)
    want[index] = data.reshape(n, size)[index]
    assert (out.reshape(n, size) == want).all()


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("order", ["identity", "same", "random", "two rows"])
@pytest.mark.parametrize(("type_", "vector"), [("u8", 1), ("b16", 2), ("b32", 1), ("b32", 4), ("b64", 1)])
def test_lanes_that_do_not_execute_touch_nothing(space: str, order: str, type_: str, vector: int) -> None:
    """The address of a lane that is guarded off may be anything; registers and memory of the others keep what they had."""
    size = int(type_[1:]) // 8 * vector
    rows = {"identity": LANE, "same": np.full(32, 77), "random": RNG.permutation(128)[:32], **ROWS}[order]
    masks = [0, 1, 1 << 31, 0xFFFF, 0x00FFFF00, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, *RNG.integers(0, 2**32, 4)]
    kind = {8: "h", 16: "h", 32: "r", 64: "d"}[int(type_[1:])]
    names = [f"{kind}{k}" for k in range(vector)]
    regs, form = (f"{{{', '.join(names)}}}", f".v{vector}.{type_}") if vector > 1 else (names[0], f".{type_}")
    seven = "".join(f"mov.b{max(16, int(type_[1:]))} {name}, 7;" for name in names)
    copied = "".join(
        f"ld.global{form} {regs}, [g+{at}]; st.shared{form} [x+{at}], {regs};" for at in range(0, 128 * size, 32 * size)
    )
    from_shared = f"""
        mad.wide.u32 g, t, {size}, p; mov.u32 x, buf; mad.lo.u32 x, t, {size}, x; {copied} {seven}
        mov.u32 x, buf; mad.lo.u32 x, i, {size}, x; @!c mov.u32 x, 3;
        @c ld.shared{form} {regs}, [x]; @c st.shared{form} [x], {regs};
    """
    from_global = f"{seven} mad.wide.u32 g, i, {size}, p; @!c mov.u64 g, 3; @c ld.global{form} {regs}, [g];"
    text = kernel(
        f"""
        ld.param.u64 p, [index]; mad.wide.u32 p, t, 4, p; ld.global.u32 i, [p];
        ld.param.u32 n, [mask]; shr.u32 n, n, t; and.b32 n, n, 1; setp.ne.u32 c, n, 0;
        ld.param.u64 p, [in]; ld.param.u64 q, [out];
        {from_shared if space == "shared" else from_global}
        mad.wide.u32 g, t, {size}, q; st.global{form} [g], {regs};
        mad.wide.u32 g, i, {size}, q; add.u64 g, g, {32 * size}; @!c mov.u64 g, 3; @c st.global{form} [g], {regs};
        """,
        f".param .u64 index, .param .u32 mask, {IN_OUT}",
    )
    data = RNG.integers(0, 256, (128, size), dtype=np.uint8)
    kept = np.zeros((vector, size // vector), np.uint8)
    kept[:, 0] = 7
    for mask in masks:
        out = np.zeros((32 + 128, size), np.uint8)
        launch(text, [rows.astype("u4"), np.uint32(mask), data, out])
        on = (int(mask) >> LANE & 1).astype(bool)
        want = np.zeros_like(out)
        want[:32] = np.where(on[:, None], data[rows], kept.reshape(1, size))
        for lane in LANE[on]:
            want[32 + rows[lane]] = data[rows[lane]]
        assert (out == want).all(), hex(int(mask))


@pytest.mark.parametrize("type_", ["u8", "b32", "b64"])
def test_a_row_outside_stops_the_store_of_the_warp(type_: str) -> None:
    size, kind = int(type_[1:]) // 8, {"u8": "h0", "b32": "r0", "b64": "d0"}[type_]
    text = kernel(
        f"""
        ld.param.u64 q, [out]; mov.b{max(16, 8 * size)} {kind}, -1;
        shr.u32 x, t, 4; mul.lo.u32 x, x, 40; and.b32 y, t, 15; add.u32 x, x, y;
        mad.wide.u32 q, x, {size}, q; st.global.{type_} [q], {kind};
        """,
        ".param .u64 out",
    )
    whole, short = np.zeros(56 * size, np.uint8), np.zeros(55 * size, np.uint8)
    launch(text, [whole])
    assert whole.reshape(56, size)[:, 0].nonzero()[0].tolist() == [*range(16), *range(40, 56)]
    with pytest.raises(Diagnostic, match="PTX9002") as told:
        launch(text, [short])
    assert "thread (31, 0, 0)" in str(told.value)
    assert not short.any()


@pytest.mark.parametrize("space", ["shared", "local"])
@pytest.mark.parametrize("generic", [False, True])
def test_own_memories(space: str, generic: bool) -> None:
    """Each thread writes at its own place (the same one for local memory) and reads it back, both ways of addressing."""
    name = "buf" if space == "shared" else "mine"
    step = 16 if space == "shared" else 0
    where = "" if generic else f".{space}"
    address = f"mov.u64 p, {name}; mad.wide.u32 p, t, {step}, p;"
    if generic:
        address += f"cvta.{space}.u64 p, p;"
    x = RNG.integers(0, 2**32, (64, 4), dtype=np.uint32)
    out = np.zeros_like(x)
    text = kernel(
        f"""
        ld.param.u64 g, [in]; mad.wide.u32 g, t, 16, g; ld.global.v4.b32 {{r0, r1, r2, r3}}, [g];
        {address}
        st{where}.v2.b32 [p], {{r0, r1}}; st{where}.v2.b32 [p+8], {{r2, r3}};
        bar.sync 0;
        ld{where}.v4.b32 {{r4, r5, r6, r7}}, [p];
        ld.param.u64 g, [out]; mad.wide.u32 g, t, 16, g; st.global.v4.b32 [g], {{r4, r5, r6, r7}};
        """,
        IN_OUT,
    )
    launch(text, [x, out], block=(64, 1, 1))
    assert (out == x).all()


def test_signs_extend_into_wider_registers() -> None:
    data = np.array([0x80, 0x7F, 0xFF, 1], np.uint8)
    out = np.zeros((4, 2), np.uint32)
    text = kernel(
        """
        ld.param.u64 p, [in]; cvt.u64.u32 q, t; add.u64 p, p, q;
        ld.global.s8 r0, [p]; ld.global.u8 r1, [p];
        ld.param.u64 g, [out]; mad.wide.u32 g, t, 8, g; st.global.v2.b32 [g], {r0, r1};
        """,
        IN_OUT,
    )
    launch(text, [data, out], block=(4, 1, 1))
    assert (out[:, 0] == data.view("i1").astype("i4").view("u4")).all()
    assert (out[:, 1] == data).all()


def test_128_bits() -> None:
    x = RNG.integers(0, 2**63, (32, 2), dtype=np.uint64)
    out = np.zeros_like(x)
    text = kernel(
        """
        ld.param.u64 p, [in]; mad.wide.u32 p, t, 16, p; ld.global.b128 w, [p];
        mov.b128 {d0, d1}, w; mov.b128 w, {d1, d0};
        ld.param.u64 g, [out]; mad.wide.u32 g, t, 16, g; st.global.b128 [g], w;
        """,
        IN_OUT,
    )
    launch(text, [x, out])
    assert (out == x[:, ::-1]).all()


def test_parameters_constants_and_globals() -> None:
    out = np.zeros(64, np.uint32)
    program = program_of("""
        .const .align 4 .u32 table[4] = {10, 20, 30, 40};
        .global .align 4 .u32 counter = 5;
        .visible .entry k(.param .u64 out, .param .align 8 .b8 pack[16], .param .u8 small) {
            .reg .u32 t, a, b, c, i; .reg .u64 p, q, s;
            mov.u32 t, %tid.x;
            ld.param.v2.u32 {a, b}, [pack+8];
            add.u32 a, a, b;
            mov.b64 q, pack; ld.param.u32 b, [q+4]; add.u32 a, a, b;
            ld.param.u8 b, [small]; add.u32 a, a, b;
            and.b32 i, t, 3; mov.u64 q, table; mad.wide.u32 q, i, 4, q; ld.const.u32 b, [q]; add.u32 a, a, b;
            ld.const.u32 b, [table+12]; add.u32 a, a, b;
            atom.global.add.u32 b, [counter], 1; add.u32 a, a, b;
            ld.param.u64 p, [out]; mad.wide.u32 p, t, 4, p; st.global.u32 [p], a;
            exit;
        }""")
    pack = np.array([1000, 2000, 3000, 4000], "u4")
    launch(program, [out, np.void(pack.tobytes()), np.uint8(7)], block=(64, 1, 1))
    t = np.arange(64)
    assert (out == 3000 + 4000 + 2000 + 7 + (t % 4 + 1) * 10 + 40 + 5 + t).all()


# --- atomics --------------------------------------------------------------------------------------------------------------
ATOMICS: dict[str, Any] = {
    "add.u32": lambda old, b: (old + b) & 0xFFFFFFFF,
    "and.b32": lambda old, b: old & b,
    "xor.b32": lambda old, b: old ^ b,
    "max.u32": max,
    "min.s32": lambda old, b: min(old - (old >> 31 << 32), b - (b >> 31 << 32)) & 0xFFFFFFFF,
    "inc.u32": lambda old, b: 0 if old >= b else old + 1,
    "dec.u32": lambda old, b: b if old == 0 or old > b else old - 1,
    "exch.b32": lambda old, b: b,
}


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("op", ATOMICS)
def test_atomics_take_their_turn(op: str, space: str) -> None:
    """All threads update 3 places, lane by lane; the order of warps behind a barrier is nobody's business."""
    threads = 96 if space == "global" else 32
    x = RNG.integers(0, 2**32, threads, dtype=np.uint32)
    x[::2] %= 7
    cells = RNG.integers(0, 9, 3, dtype=np.uint32)
    want, olds = cells.copy(), []
    for i, v in enumerate(x.tolist()):
        olds.append(int(want[i % 3]))
        want[i % 3] = ATOMICS[op](olds[-1], v)
    out = np.zeros(threads, "u4")
    if space == "shared":
        begin = "mov.u64 q, buf; setp.lt.u32 c, t, 3; mad.wide.u32 g, t, 4, p; @c ld.global.u32 r0, [g]; mad.wide.u32 g, t, 4, q;"
        begin += "@c st.shared.u32 [g], r0; bar.sync 0;"
        end = "bar.sync 0; mad.wide.u32 g, t, 4, q; @c ld.shared.u32 r0, [g]; mad.wide.u32 g, t, 4, p; @c st.global.u32 [g], r0;"
    else:
        begin, end = "mov.u64 q, p;", ""
    text = kernel(
        f"""
        ld.param.u64 g, [in]; mad.wide.u32 g, t, 4, g; ld.global.u32 x, [g];
        ld.param.u64 p, [cells];
        {begin}
        rem.u32 i, t, 3; mad.wide.u32 g, i, 4, q; atom.{space}.{op} y, [g], x;
        ld.param.u64 g, [out]; mad.wide.u32 g, t, 4, g; st.global.u32 [g], y;
        {end}
        """,
        f".param .u64 cells, {IN_OUT}",
    )
    launch(text, [cells, x, out], block=(threads, 1, 1))
    assert (cells == want).all()
    assert out.tolist() == olds


def test_compare_and_swap_and_float_sums() -> None:
    cell, total = np.array([0], "u4"), np.zeros(4, "f4")
    wide = np.zeros(2, "u8")
    half = np.zeros(2, ml_dtypes.bfloat16)
    text = kernel(
        """
        ld.param.u64 p, [cell];
        atom.global.cas.b32 y, [p], t, 1000;
        ld.param.u64 p, [total];
        mov.f32 f0, 0f3F000000; red.global.add.f32 [p], f0;
        mov.f32 f1, 0f40000000; red.global.add.v2.f32 [p+8], {f0, f1};
        ld.param.u64 p, [wide];
        mov.u64 d0, 1; red.global.add.u64 [p], d0; cvt.u64.u32 d1, t; atom.global.max.u64 d2, [p+8], d1;
        ld.param.u64 p, [half];
        mov.b32 r0, 0x40003F80; red.global.add.noftz.bf16x2 [p], r0;
        """,
        ".param .u64 cell, .param .u64 total, .param .u64 wide, .param .u64 half",
    )
    launch(text, [cell, total, wide, half])
    assert cell[0] == 1000
    assert total.tolist() == [16.0, 0.0, 16.0, 64.0]
    assert wide.tolist() == [32, 31]
    assert half.astype("f4").tolist() == [32.0, 64.0]


# --- matrices -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("trans", ["", ".trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix_and_stmatrix(count: int, trans: str) -> None:
    x = np.arange(count * 64, dtype=np.uint16).reshape(count, 8, 8)
    held, back = np.zeros((32, count), "u4"), np.zeros_like(x)
    regs = "{" + ", ".join(f"r{k}" for k in range(count)) + "}"
    text = kernel(
        f"""
        ld.param.u64 p, [in]; setp.lt.u32 c, t, {8 * count};
        mad.wide.u32 p, t, 16, p; @c ld.global.v4.b32 {{r4, r5, r6, r7}}, [p];
        mov.u32 x, buf; mad.lo.u32 y, t, 16, x; @c st.shared.v4.b32 [y], {{r4, r5, r6, r7}};
        bar.warp.sync 0xffffffff;
        rem.u32 i, t, {8 * count}; mad.lo.u32 y, i, 16, x;
        ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {regs}, [y];
        add.u32 y, y, 4096;
        stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [y], {regs};
        ld.param.u64 q, [held]; mad.wide.u32 q, t, {4 * count}, q;
        {"st.global.b32 [q], r0;" if count == 1 else f"st.global.v{count}.b32 [q], {regs};"}
        bar.warp.sync 0xffffffff;
        @c ld.shared.v4.b32 {{r4, r5, r6, r7}}, [y];
        ld.param.u64 q, [out]; mad.wide.u32 q, t, 16, q; @c st.global.v4.b32 [q], {{r4, r5, r6, r7}};
        """,
        ".param .u64 in, .param .u64 held, .param .u64 out",
    )
    launch(text, [x, held, back])
    assert (back == x).all()
    for lane in range(32):
        for m in range(count):
            source = x[m].T if trans else x[m]
            low, high = source[lane // 4, lane % 4 * 2 : lane % 4 * 2 + 2]
            assert held[lane, m] == int(low) | int(high) << 16


@pytest.mark.parametrize("access", ["ldmatrix", "stmatrix"])
def test_matrix_rows_of_lanes_that_do_not_execute_are_left_alone(access: str) -> None:
    """Neither a guard that is false nor an address that no lane uses may reach memory."""
    words = "{r0}, [x]" if access == "ldmatrix" else "[x], {r0}"
    out = np.full((2, 32), 7, "u4")
    launch(
        kernel(
            f"""
            ld.param.u64 p, [out]; mad.wide.u32 p, t, 4, p; mov.u32 x, buf; mov.u32 r0, 7; mov.u32 r1, 0x7f000000;
            setp.ge.u32 c, t, 8; @c add.u32 x, x, r1;
            {access}.sync.aligned.m8n8.x1.shared.b16 {words}; ld.shared.u32 r2, [buf]; st.global.u32 [p+128], r2;
            mov.u32 r0, 7; add.u32 x, x, r1; setp.gt.u32 c, t, 99;
            @c {access}.sync.aligned.m8n8.x1.shared.b16 {words}; st.global.u32 [p], r0;
            """,
            ".param .u64 out",
        ),
        [out],
        poison=False,
    )
    assert (out[0] == 7).all()
    assert (out[1] == (0 if access == "ldmatrix" else 7)).all()


# --- what goes wrong ------------------------------------------------------------------------------------------------------
def wrong(body: str, *args: Any, params: str = IN_OUT, **options: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        launch(kernel(body, params), list(args), **options)
    assert caught.value.span is not None
    return caught.value


def test_out_of_bounds_names_array_distance_line_and_thread() -> None:
    a, b = np.zeros(100, "f4"), np.zeros(128, "f4")
    found = wrong(
        """
        ld.param.u64 p, [in]; mad.wide.u32 p, t, 4, p;
        ld.global.f32 f0, [p];
        """,
        a,
        b,
        block=(128, 1, 1),
    )
    assert found.code == "PTX9002"
    assert "`in + 0x190`" in found.message
    assert "400 bytes" in found.message
    assert "end 4 bytes behind" in found.message
    assert found.span is not None
    assert found.span.text is not None
    assert "ld.global.f32" in found.span.text
    assert any("(100, 0, 0)" in n for n in found.notes)


def test_a_fault_does_not_reach_memory() -> None:
    a, b = np.zeros(100, "f4"), np.zeros(110, "f4")
    wrong(
        "ld.param.u64 p, [in]; mad.wide.u32 p, t, 4, p; mov.f32 f0, 0f3F800000; st.global.f32 [p], f0;",
        a,
        b,
        block=(128, 1, 1),
    )
    assert (a[:96] == 1).all()  # three warps were done; of the fourth nothing
    assert (a[96:] == 0).all()


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("mov.u64 p, 0; ld.global.u32 x, [p];", "PTX9002", "null"),
        ("ld.param.u64 p, [in]; ld.global.u32 x, [p+-4];", "PTX9002", "`in - 0x4`"),
        ("ld.param.u64 p, [in]; ld.global.u32 x, [p+2];", "PTX9006", "`in + 0x2`"),
        ("ld.param.u64 p, [in]; add.u64 p, p, 8; ld.global.v4.u32 {r0, r1, r2, r3}, [p];", "PTX9006", "16 bytes"),
        ("mov.u64 p, buf; ld.shared.u32 x, [p+8192];", "PTX9007", "4 bytes behind"),
        ("mov.u64 p, buf; mad.wide.u32 p, t, 512, p; ld.shared.u32 x, [p];", "PTX9007", "shared + 0x2000"),
        ("mov.u64 p, mine; add.u64 p, p, 256; st.local.u32 [p], t;", "PTX9008", "256 bytes of local"),
        ("mov.u64 p, buf; cvta.shared.u64 p, p; ld.u32 x, [p+9000];", "PTX9007", "shared"),
        ("mov.u32 x, 0x03000010; ld.shared::cluster.u32 y, [x];", "PTX9009", "rank 3 in a cluster of 1"),
        ("ld.param.u64 p, [out]; red.global.add.u32 [p], 1;", "PTX9004", "`out + 0x0`"),
        ("ld.param.u64 p, [out]; st.global.u32 [p], t;", "PTX9004", "read-only"),
        ("trap;", "PTX9010", "trap"),
        ("mov.u32 x, 16; bar.sync x;", "PTX9012", "barrier"),
    ],
)
def test_wrong_accesses(body: str, code: str, words: str) -> None:
    a, b = np.zeros(16, "u4"), np.zeros(16, "u4")
    b.flags.writeable = False
    found = wrong(body, a, b)
    assert found.code == code
    assert words in found.message


def test_what_is_not_simulated_stops_before_the_start() -> None:
    a = np.zeros(4, "u4")
    with pytest.raises(Diagnostic) as caught:
        launch(
            """
            .extern .func (.param .b32 r) elsewhere (.param .b64 f, .param .b64 a);
            .visible .entry k(.param .u64 out) {
                .reg .u64 p; .reg .u32 x;
                ld.param.u64 p, [out]; st.global.u32 [p], 7;
                { .param .b64 f; .param .b64 g; .param .b32 r;
                  call.uni (r), elsewhere, (f, g); }
                exit;
            }""",
            [a],
        )
    assert caught.value.code == "PTX9003"
    assert "elsewhere" in caught.value.message
    assert (a == 0).all()


@pytest.mark.parametrize(("vector", "type_"), [(1, "u8"), (1, "f32"), (2, "b64"), (4, "f32")])
def test_ldu_loads_what_ld_loads(vector: int, type_: str) -> None:
    size = int(type_[1:]) // 8 * vector
    data = RNG.integers(0, 256, 32 * size, dtype=np.uint8)
    out = np.zeros_like(data)
    kind = {"u8": "h", "f32": "f", "b64": "d"}[type_]
    regs = ", ".join(f"{kind}{k}" for k in range(vector))
    regs, vec = (f"{{{regs}}}", f".v{vector}") if vector > 1 else (regs, "")
    text = kernel(
        f"""
        ld.param.u64 p, [in]; ld.param.u64 q, [out]; mad.wide.u32 q, t, {size}, q;
        ldu.global{vec}.{type_} {regs}, [p+{size}]; st.global{vec}.{type_} [q], {regs};
        """,
        IN_OUT,
    )
    launch(text, [data, out])
    assert out.tolist() == np.tile(data[size : 2 * size], 32).tolist()


def aligned(words: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Zeros at an address that 32 divides."""
    room = np.zeros(words + 8, np.uint32)
    first = -room.ctypes.data % 32 // 4
    return room[first : first + words]


@pytest.mark.parametrize("target", ["sm_100a", "sm_103a"])
@pytest.mark.parametrize("threads", [32, 19])
@pytest.mark.parametrize("stride", [32, 64])
def test_a_store_of_32_bytes_leaves_out_the_sinks(target: str, threads: int, stride: int) -> None:
    head = f".version 9.0\n.target {target}\n.address_size 64\n"
    out = aligned(64 * stride // 4).reshape(64, -1)
    out[:] = 0xAAAAAAAA
    body = f"""ld.param.u64 p, [out]; mad.wide.u32 p, t, {stride}, p; add.u32 x, t, 100; mov.b64 d0, {{t, x}};
        st.global.v8.b32 [p], {{t, _, x, _, _, 7, _, x}}; mad.wide.u32 q, {threads}, {stride}, p;
        st.global.v4.b64 [q], {{_, d0, _, _}};"""
    report = launch(program_of(head + kernel(body, ".param .u64 out")), [out], block=(threads, 1, 1))
    assert report is not None
    want = np.full_like(out, 0xAAAAAAAA)
    t = np.arange(threads, dtype=np.uint32)
    want[:threads, [0, 2, 5, 7]] = np.stack([t, t + 100, np.full_like(t, 7), t + 100], 1)
    want[threads : 2 * threads, [2, 3]] = np.stack([t, t + 100], 1)
    np.testing.assert_array_equal(out, want)


def test_a_store_with_sinks_is_aligned_and_within_bounds_as_a_whole() -> None:
    head = ".version 9.0\n.target sm_100a\n.address_size 64\n"
    for offset, code in ((8, "PTX9006"), (240, "PTX9006"), (256, "PTX9002")):
        body = f"ld.param.u64 p, [out]; st.global.v8.b32 [p+{offset}], {{t, _, _, _, _, _, _, _}};"
        with pytest.raises(Diagnostic) as e:
            launch(program_of(head + kernel(body, ".param .u64 out")), [aligned(64)], block=(1, 1, 1))
        assert e.value.code == code
