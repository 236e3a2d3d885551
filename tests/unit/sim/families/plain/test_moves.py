"""mov of vectors, of special registers in other widths, and with braces around one element; vector registers; elements
of arrays."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import check
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text as printed

from ...launching import launch

WORDS = 8
_HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def _kernel(body: str) -> str:
    """A kernel of 2 x 16 threads whose thread n of 32 writes r0 … r7."""
    stores = " ".join(f"st.global.u32 [p+{4 * i}], r{i};" for i in range(WORDS))
    clear = " ".join(f"mov.b32 r{i}, 0xABCD000{i};" for i in range(WORDS))
    return (
        f"{_HEAD}.global .b32 g[4] = {{2, 4, 5, 6}};\n.visible .entry k(.param .u64 out)\n{{\n"
        ".reg .b64 p, q; .reg .b32 r<9>, x, y; .reg .b16 h<9>; .reg .b8 b<3>;"
        " .reg .f32 f<3>; .reg .f64 d<3>; .shared .align 16 .b8 s[512];\n"
        f"ld.param.u64 p, [out]; mov.u32 x, %tid.x; mov.u32 y, %tid.y; mad.lo.u32 x, y, 2, x; mul.wide.u32 q, x, {4 * WORDS};"
        f" add.u64 p, p, q; {clear}\n{body}\n{stores}\nret;\n}}\n"
    )


def _run(body: str) -> np.ndarray:
    out = np.zeros((32, WORDS), np.uint32)
    launch(_kernel(body), [out], grid=(3, 1, 1), block=(2, 16, 1))
    return out


N = np.arange(32)
CASES = {
    "mov.v4.u32 {r0, r1, r2, r3}, %tid;": [N % 2, N // 2, 0, 0],
    "mov.v4.b32 {_, r1, _, r3}, %ntid;": [0xABCD0000, 16, 0xABCD0002, 0],
    "mov.v4.u32 {r0, r1, r2, r3}, %nctaid;": [3, 1, 1, 0],
    "mov.v4.u16 {h0, h1, h2, h3}, %tid; mov.b32 r0, {h0, h1}; mov.b32 r1, {h2, h3};": [N % 2 | N // 2 << 16, 0],
    "mov.v4.u32 {r0, r1, r2, r3}, %cluster_nctaid;": [1, 1, 1, 0],
    "mov.u32 r0, %tid.w; mov.u32 r1, %ntid.a; mov.u32 r2, %tid.g;": [0, 0, N // 2],
    "mov.u16 h0, %tid.y; cvt.u32.u16 r0, h0; mov.s16 h1, %ntid.x; cvt.u32.u16 r1, h1;": [N // 2, 2],
    "mov.v2.u32 {r0, r1}, {r1, r0};": [0xABCD0001, 0xABCD0000],
    "mov.v4.b32 {r0, r1, r2, r3}, {r3, 7, %laneid, r0};": [0xABCD0003, 7, N, 0xABCD0000],
    "mov.v4.b32 {r0, r1, r2, r3}, {r3, x, %tid.y, r0};": [0xABCD0003, N, N // 2, 0xABCD0000],
    "mov.v2.f32 {f0, f1}, {1.5, 0f40000000}; mov.b32 r0, f0; mov.b32 r1, f1;": [0x3FC00000, 0x40000000],
    "mov.v2.f64 {d0, d1}, {1.5, 2.5}; mov.b64 {_, r0}, d1;": [0x40040000],
    "mov.v2.u16 {h0, h1}, {5, 6}; mov.b32 r0, {h1, h0};": [5 << 16 | 6],
    # one value for a vector: a share of its bits, whatever the type of mov and registers
    "mov.v2.b32 {r0, r1}, 0x12345678;": [0x5678, 0x1234],
    "mov.b32 r3, 0x12345678; mov.v2.f32 {r0, r1}, r3;": [0x5678, 0x1234],
    # of a double for .f32 the 64 bits are shared, as in the machine code of ptxas 13.1 to 13.5
    "mov.v2.f32 {r0, r1}, 1.5;": [0, 0x3FF80000],
    "mov.v2.f32 {f0, f1}, 0d3FF8000000000001; mov.b32 r0, f0; mov.b32 r1, f1;": [1, 0x3FF80000],
    "mov.v2.f32 {r0, r1}, 0f3FC00000;": [0, 0x3FC0],
    "mov.v4.f32 {r0, r1, r2, r3}, 1.7;": [0x3333, 0x3333, 0x3333, 0x3FFB],
    "mov.v2.f64 {d0, d1}, 1.5; mov.b64 {r0, r1}, d0; mov.b64 {r2, r3}, d1;": [0, 0, 0x3FF80000, 0],
    "mov.b32 r3, 0x12345678; mov.v2.f32 {f0, r2}, r3; mov.b32 r0, f0; mov.b32 r1, 0;": [0x5678, 0, 0x1234],
    "mov.b32 r3, 0x12345678; mov.v2.b32 {f0, f1}, r3; mov.b32 r0, f0; mov.b32 r1, f1;": [0x5678, 0x1234],
    "mov.b32 r3, 0x12345678; mov.v4.f32 {r0, r1, r2, r3}, r3;": [0x78, 0x56, 0x34, 0x12],
    "mov.b64 q, 0x1122334455667788; mov.v2.f64 {q, d0}, q; mov.b64 {r0, r1}, q; mov.b64 {r2, _}, d0;": [
        0x55667788,
        0,
        0x11223344,
    ],
    "mov.b32 {r0}, x; mov.b32 r1, {x}; mov.b32 {r2}, 9; mov.b32 {r3}, %tid.y;": [N, N, 9, N // 2],
    "mov.b32 r0, {0x1234}; mov.b32 {r1}, 0x4321; mov.b64 q, {0x1122334455667788}; mov.b64 {r2, r3}, q;": [
        0x34,
        0x21,
        0x7788,
        0,
    ],
    "mov.b64 q, 0x1122334455667788; mov.b64 {p}, q; mov.b64 {r0, r1}, p; ld.param.u64 p, [out]; mov.u32 x, %tid.x;"
    " mov.u32 y, %tid.y; mad.lo.u32 x, y, 2, x; mul.wide.u32 q, x, 32; add.u64 p, p, q;": [0x7788, 0],
    "mov.b16 {h0}, 7; mov.b16 h1, {h0}; cvt.u32.u16 r0, h1;": [7],
    ".reg .v2 .b32 v, w; mov.v2.u32 v, {x, y}; mov.v2.u32 w, v; mov.v2.u32 {r0, r1}, w; mov.b32 r2, w.g;": [
        N,
        N // 2,
        N // 2,
    ],
    ".reg .v4 .u32 v; mov.v4.u32 v, %tid; add.u32 r0, v.r, v.y; mov.u32 v.a, 7; mov.u32 r1, v.w;": [N % 2 + N // 2, 7],
    ".reg .v2 .b32 v<4>; mov.v2.b32 v3, {x, y}; mov.b64 v1, q; mov.b64 q, v1; mov.b32 r1, v3.x;": [0xABCD0000, N],
    ".reg .v4 .b32 v; mov.v4.b32 v, {x, 1, 2, y}; st.shared.v4.b32 [s], v; ld.shared.v2.b32 {r0, r1}, [s+8];": [2],
    ".reg .v2 .b32 v; mov.v2.b32 v, {x, y}; { .reg .v2 .b32 v; mov.v2.b32 v, {1, 2}; mov.b32 r1, v.y; } mov.b32 r0, v.x;": [
        N,
        2,
    ],
    ".shared .b32 t[40]; st.shared.b32 t[39], 5; mov.b32 r8, 7; st.shared.b32 t[1], r8; bar.sync 0; mov.u64 q, t[-1];"
    " ld.shared.b32 r0, [q+8]; ld.shared.b32 r1, t[0x20+7]; ld.global.b32 r2, g[0]; ld.global.b32 r3, g[1]; ld.b32 r4, g[2 + 1];": [
        7,
        5,
        2,
        4,
        6,
    ],
    "mov.u32 r0, !1; mov.u32 r1, 8|2; add.u32 r2, x, 8 | 2; mov.u32 r3, !0; mov.u32 r4, 7 % 4;": [0, 10, N + 10, 1, 3],
    "mov.b32 {h0, h1}, x; mov.b32 r0, {h0, _}; mov.b32 r1, {_, h0};": [N, N << 16],
}


@pytest.mark.parametrize("body", CASES)
def test_values(body: str) -> None:
    got = _run(body)
    for i, want in enumerate(CASES[body]):
        assert (got[:, i] == want).all(), (i, got[:, i])


@pytest.mark.parametrize("body", CASES)
def test_it_prints_as_it_was(body: str) -> None:
    assert printed(parse(_kernel(body))) == _kernel(body)


@pytest.mark.parametrize("body", CASES)
def test_it_comes_back_from_python(body: str) -> None:
    names: dict[str, object] = {}
    exec(px.to_python(_kernel(body)), names)
    assert parse(str(names["m"])) == parse(_kernel(body))


def test_what_is_left_out_of_ldmatrix_stays() -> None:
    body = (
        "mov.u32 r8, s; mad.lo.u32 y, x, 16, r8; st.shared.v4.u32 [y], {x, x, x, x}; bar.sync 0;"
        " ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, _, r2, _}, [y];"
    )
    got = _run(body)
    assert (got[:, 1] == 0xABCD0001).all()
    assert (got[:, 3] == 0xABCD0003).all()
    assert (got[:, 0] == N // 4).all()
    assert (got[:, 2] == 16 + N // 4).all()


@pytest.mark.parametrize(
    "body",
    [
        "mov.v2.u32 {_, _}, {x, y};",
        "mov.b32 {_, _}, x;",
        "ld.global.v2.u32 {_, _}, [p];",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {_, _}, [s];",
        "mov.b32 r0, {_, 3};",
        "mov.v4.u64 {p, p, p, p}, {p, p, p, p};",
        "mov.u32 r0, %tid;",
        "mov.u16 h0, %laneid;",
        "mov.v2.u32 {r0, r1}, %tid;",
        "atom.global.add.u32 r0, g[1], 1;",
        "ld.global.u32 r0, g[1][1];",
        "cvta.global.u32 r0, r1;",
        "cvta.to.shared.u32 r0, r1;",
        "mov.u32 r1, g+4; mov.u32 r0, g;",
        "ld.global.u32 r0, g[1]+4;",
        "ld.global.u32 r0, g;",
        ".shared .b32 t; ld.shared.b32 r0, t[0];",
        ".reg .v2 .f32 v; mov.f32 f0, v.z;",
        ".reg .v2 .f32 v; add.f32 v, v, v;",
        ".reg .v4 .b32 v; ld.global.v2.b32 v, [p];",
        ".reg .v4 .b32 v; ld.global.v4.b32 {v, v}, [p];",
    ],
)
def test_it_is_refused(body: str) -> None:
    assert [d.severity for d in check(_kernel(body), lints=False) if d.severity == "error"] == ["error"]


def test_a_half_that_is_left_out_is_told() -> None:
    assert [d.code for d in check(_kernel("mov.b32 r0, {h0, _};"), lints=False)] == ["PTX0233"]


@pytest.mark.parametrize("body", ["mov.b32 r0, {x};", "mov.b32 {r0}, x;", "mov.b64 p, {q};", "mov.b64 {p}, q;"])
def test_what_ptxas_moves_in_part_is_told(body: str) -> None:
    assert [d.code for d in check(_kernel(body), lints=False)] == ["PTX0234"]


def test_one_half_word_is_told_too() -> None:
    found = check(_kernel("mov.b16 h1, 3; mov.b16 h0, {h1}; mov.b16 {h2}, h0;"), lints=False)
    assert [d.code for d in found] == ["PTX0233", "PTX0233"]
