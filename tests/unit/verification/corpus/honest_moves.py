"""Elements in other places: transposes, gathers, stencils, convolutions, quantisation, updates in place."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from typing import Any

import numpy as np

import ptxlab as px
from unit.verification.corpus.entry import Entry, flat, rows
from unit.verification.corpus.honest_reductions import ALL, across

ENTRIES: list[Entry] = []
MATRIX = {"m": range(1, 70), "n": range(1, 70)}


def entry(name: str, kernel: Any, reference: Any, spec: px.Spec, **options: Any) -> None:
    ENTRIES.append(Entry(name, kernel, reference, spec, **options))


# --- transposes -----------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def transpose_naive(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], m: px.u32, n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column = i // n, i % n
        k.st.global_.f32(y[column * m + row], k.ld.global_.f32(x[i]))


def transposing(width: int, swizzled: bool, name: str) -> px.Kernel:
    """Tiles of 32 × 32 in shared memory: rows of `width`, or columns exchanged by the row's number."""

    @px.kernel(threads=256, name=name)
    def transpose(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], m: px.u32, n: px.u32):
        tile = k.smem(px.f32, 32 * width)
        lane, warp = k.laneid, k.warp

        def place(row: Any, column: Any) -> Any:
            return tile[row * width + ((column ^ row) if swizzled else column)]

        for turn in range(0, 32, 8):
            r = warp + turn
            row, column = k.ctaid.y * 32 + r, k.ctaid.x * 32 + lane
            with k.if_((row < m) & (column < n)):
                k.st.shared.f32(place(r, lane), k.ld.global_.f32(x[row * n + column]))
        k.bar.sync(0)
        for turn in range(0, 32, 8):
            r = warp + turn
            row, column = k.ctaid.x * 32 + r, k.ctaid.y * 32 + lane
            with k.if_((row < n) & (column < m)):
                k.st.global_.f32(y[row * m + column], k.ld.shared.f32(place(lane, r)))

    return transpose


def turned(grid: Any) -> px.Spec:
    def case(m: int, n: int) -> px.Case:
        return px.case([px.Input("f32", (m, n)), px.Output("f32", (n, m)), m, n], grid=grid(m, n))

    return px.Spec(case, MATRIX)


@px.kernel(threads=32)
def transpose_matrix(k, x: px.Ptr[px.f16], y: px.Ptr[px.f16], n: px.u32):
    """8 × 8 halves by ldmatrix.trans and stmatrix; n is 8 times the CTAs along x and y."""
    tile, out = k.smem(px.f16, (8, 8), align=16), k.smem(px.f16, (8, 8), align=16)
    row, column = k.ctaid.y * 8, k.ctaid.x * 8
    r, c = k.laneid >> 2, (k.laneid & 3) * 2
    k.st.shared.b32(tile.at((r * 8 + c) * 2), k.ld.global_.b32(x[(row + r) * n + column + c]))
    k.bar.warp.sync(ALL)
    (part,) = k.ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16(tile.at((k.laneid & 7) * 16))
    k.stmatrix.sync.aligned.m8n8.x1.shared.b16(out.at((k.laneid & 7) * 16), [part])
    k.bar.warp.sync(ALL)
    k.st.global_.b32(y[(column + r) * n + row + c], k.ld.shared.b32(out.at((r * 8 + c) * 2)))


def eighths(t: int) -> px.Case:
    n = 8 * t
    return px.case([px.Input("f16", (n, n)), px.Output("f16", (n, n)), n], grid=(t, t))


def tiles(m: int, n: int) -> tuple[int, int]:
    return rows(n, 32), rows(m, 32)


entry("transpose_naive", transpose_naive, lambda x, m, n: x.T, turned(lambda m, n: rows(m * n)))
entry("transpose_padded", transposing(33, False, "transpose_padded"), lambda x, m, n: x.T, turned(tiles))
entry("transpose_swizzled", transposing(32, True, "transpose_swizzled"), lambda x, m, n: np.transpose(x), turned(tiles))
entry("transpose_matrix", transpose_matrix, lambda x, n: x.T, px.Spec(eighths, {"t": range(1, 5)}))


# --- by index ---------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def gather(k, x: px.Ptr[px.f32], at: px.Ptr[px.s32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        j = k.cvt.u32.s32(k.ld.global_.s32(at[i]))
        k.st.global_.f32(y[i], k.ld.global_.f32(x[j]))


@px.kernel(threads=128)
def scatter(k, x: px.Ptr[px.f32], at: px.Ptr[px.u32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[k.ld.global_.u32(at[i])], k.ld.global_.f32(x[i]))


@px.kernel(threads=128)
def embedding(k, table: px.Ptr[px.bf16], token: px.Ptr[px.s32], y: px.Ptr[px.bf16], d: px.u32):
    """A CTA for each token."""
    row = k.cvt.u32.s32(k.ld.global_.s32(token[k.ctaid.x]))
    with k.loop(d, start=k.tid.x, step=128) as i:
        k.st.global_.b16(y[k.ctaid.x * d + i], k.ld.global_.b16(table[row * d + i]))


def picked(m: int, n: int) -> px.Case:
    return px.case([px.Input("f32", m), px.Input("s32", n, low=0, high=m), px.Output("f32", n), n], grid=rows(n))


def shuffled(n: int) -> px.Case:
    order = px.Input("u32", n, values=lambda rng, shape: rng.permutation(shape[0]))
    return px.case([px.Input("f32", n), order, px.Output("f32", n), n], grid=rows(n))


def unscattered(x: Any, at: Any, n: int) -> Any:
    out = np.zeros_like(x)
    out[at] = x
    return out


def looked_up(v: int, t: int, d: int) -> px.Case:
    tokens = px.Input("s32", t, values=lambda rng, shape: rng.integers(0, v, shape))
    return px.case([px.Input("bf16", (v, d)), tokens, px.Output("bf16", (t, d)), d], grid=t)


entry("gather", gather, lambda x, at, n: x[at], px.Spec(picked, {"m": range(1, 90), "n": range(1, 300)}))
entry("scatter", scatter, unscattered, px.Spec(shuffled, {"n": range(1, 300)}))
entry("embedding", embedding, lambda table, token, d: table[token],
      px.Spec(looked_up, {"v": range(1, 40), "t": range(1, 12), "d": range(1, 200)}))  # fmt: skip


# --- stencils and convolutions ------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def stencil(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Three neighbours by way of shared memory, zeros beyond the ends."""
    room = k.smem(px.f32, 130)
    i, t = k.ctaid.x * 128 + k.tid.x, k.tid.x

    def held(j: Any, inside: Any) -> Any:
        v = k.mov.f32(0.0)
        k.ld.global_.f32(x[j], d=v, pred=inside)
        return v

    k.st.shared.f32(room[t + 1], held(i, i < n))
    with k.if_(t == 0):
        k.st.shared.f32(room[0], held(i - 1, i > 0))
    with k.if_(t == 127):
        k.st.shared.f32(room[129], held(i + 1, i + 1 < n))
    k.bar.sync(0)
    a, b, c = (k.ld.shared.f32(room[t + d]) for d in range(3))
    k.st.global_.f32(y[i], k.fma.rn.f32(b, 0.5, k.mul.rn.f32(k.add.rn.f32(a, c), 0.25)), pred=i < n)


def smoothed(x: Any, n: int) -> Any:
    p = np.pad(x, 1)
    return 0.25 * (p[:-2] + p[2:]) + 0.5 * p[1:-1]


@px.kernel(threads=128)
def convolve(k, x: px.Ptr[px.f32], w: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32, taps: px.u32):
    """As np.convolve(x, w, "valid")."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        sum_ = k.mov.f32(0.0)
        with k.loop(taps) as j:
            k.fma.rn.f32(k.ld.global_.f32(x[i + taps - 1 - j]), k.ld.global_.f32(w[j]), sum_, d=sum_)
        k.st.global_.f32(y[i], sum_)


def taps(n: int, t: int) -> px.Case:
    return px.case([px.Input("f32", n + t - 1), px.Input("f32", t), px.Output("f32", n), n, t], grid=rows(n))


@px.kernel(threads=(16, 8))
def convolve_2d(k, x: px.Ptr[px.f32], w: px.Ptr[px.f32], y: px.Ptr[px.f32], h: px.u32, c: px.u32):
    """3 × 3, valid; h and c are the extents of the result."""
    row, column = k.ctaid.y * 8 + k.tid.y, k.ctaid.x * 16 + k.tid.x
    with k.if_((row < h) & (column < c)):
        sum_ = k.mov.f32(0.0)
        for i in range(3):
            for j in range(3):
                v = k.ld.global_.f32(x[(row + i) * (c + 2) + column + j])
                k.fma.rn.f32(v, k.ld.global_.f32(w[3 * i + j]), sum_, d=sum_)
        k.st.global_.f32(y[row * c + column], sum_)


def image(h: int, c: int) -> px.Case:
    arrays = [px.Input("f32", (h + 2, c + 2)), px.Input("f32", (3, 3)), px.Output("f32", (h, c))]
    return px.case([*arrays, h, c], grid=(rows(c, 16), rows(h, 8)))


def correlated(x: Any, w: Any, h: int, c: int) -> Any:
    return sum(w[i, j] * x[i : i + h, j : j + c] for i in range(3) for j in range(3))


@px.kernel(threads=128)
def pool(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], h: px.u32, w: px.u32):
    """The largest of each 2 × 2; h and w are the result's."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < h * w):
        at = (i // w) * 4 * w + (i % w) * 2
        (a, b), (c, d) = k.ld.global_.v2.f32(x[at]), k.ld.global_.v2.f32(x[at + 2 * w])
        k.st.global_.f32(y[i], k.max.NaN.f32(k.max.NaN.f32(a, b), k.max.NaN.f32(c, d)))


def pooled(h: int, w: int) -> px.Case:
    return px.case([px.Input("f32", (2 * h, 2 * w)), px.Output("f32", (h, w)), h, w], grid=rows(h * w))


entry("stencil", stencil, smoothed, flat("f32"))
entry("convolve", convolve, lambda x, w, n, t: np.convolve(x, w, "valid"),
      px.Spec(taps, {"n": range(1, 300), "t": range(1, 9)}))  # fmt: skip
entry("convolve_2d", convolve_2d, correlated, px.Spec(image, {"h": range(1, 20), "c": range(1, 40)}))
entry("pool", pool, lambda x, h, w: x.reshape(h, 2, w, 2).max(axis=3).max(axis=1),
      px.Spec(pooled, {"h": range(1, 20), "w": range(1, 20)}))  # fmt: skip


# --- quantisation, rotation ---------------------------------------------------------------------------------------------------
@px.kernel(threads=32)
def quantise(k, x: px.Ptr[px.f32], y: px.Ptr[px.s8], scale: px.Ptr[px.f32], n: px.u32):
    """A row a warp: bytes, and the row's scale; values of the grid, so that no rounding turns them."""
    row, top = k.ctaid.x * n, k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.max.f32(top, k.abs.f32(k.ld.global_.f32(x[row + i])), d=top)
    top = across(k, top, k.max.f32)
    s = k.div.rn.f32(top, 127.0)
    k.st.global_.f32(scale[k.ctaid.x], s, pred=k.laneid == 0)
    with k.loop(n, start=k.laneid, step=32) as i:
        q = k.cvt.rni.s32.f32(k.div.rn.f32(k.ld.global_.f32(x[row + i]), s))
        k.st.global_.s8(y[row + i], k.min.s32(k.max.s32(q, -127), 127))


def quantised(x: Any, n: int) -> Any:
    s = np.abs(x).max(axis=1) / 127
    return np.clip(np.rint(x / s[:, None]), -127, 127), s


def to_bytes(m: int, n: int) -> px.Case:
    x = px.Input("f32", (m, n), low=0.5, high=40)
    return px.case([x, px.Output("s8", (m, n)), px.Output("f32", m), n], grid=m)


@px.kernel(threads=128)
def dequantise(k, q: px.Ptr[px.s8], s: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    with k.loop(n, start=k.tid.x, step=128) as i:
        v = k.cvt.rn.f32.s32(k.ld.global_.s8(q[k.ctaid.x * n + i]))
        k.st.global_.f32(y[k.ctaid.x * n + i], k.mul.rn.f32(v, k.ld.global_.f32(s[k.ctaid.x])))


def from_bytes(m: int, n: int) -> px.Case:
    return px.case([px.Input("s8", (m, n)), px.Input("f32", m), px.Output("f32", (m, n)), n], grid=m)


@px.kernel(threads=64)
def rope(k, x: px.Ptr[px.f32], c: px.Ptr[px.f32], s: px.Ptr[px.f32], y: px.Ptr[px.f32], d: px.u32):
    """Pairs turned by an angle, whose cosines and sines are inputs: a row a CTA, d pairs."""
    row = k.ctaid.x * d
    with k.loop(d, start=k.tid.x, step=64) as i:
        a, b = k.ld.global_.v2.f32(x[(row + i) * 2])
        co, si = k.ld.global_.f32(c[row + i]), k.ld.global_.f32(s[row + i])
        first = k.sub.rn.f32(k.mul.rn.f32(a, co), k.mul.rn.f32(b, si))
        k.st.global_.v2.f32(y[(row + i) * 2], [first, k.fma.rn.f32(a, si, k.mul.rn.f32(b, co))])


def rotated(x: Any, c: Any, s: Any, d: int) -> Any:
    a, b = x[..., 0], x[..., 1]
    return np.stack([a * c - b * s, a * s + b * c], axis=-1)


def angles(m: int, d: int) -> px.Case:
    both = [px.Input("f32", (m, d), low=-1, high=1) for _ in range(2)]
    return px.case([px.Input("f32", (m, d, 2)), *both, px.Output("f32", (m, d, 2)), d], grid=m)


entry("quantise", quantise, quantised, px.Spec(to_bytes, {"m": range(1, 8), "n": range(1, 80)}, nan=False))
entry(
    "dequantise",
    dequantise,
    lambda q, s, n: q * s[:, None],
    px.Spec(from_bytes, {"m": range(1, 8), "n": range(1, 200)}),
)
entry("rope", rope, rotated, px.Spec(angles, {"m": range(1, 8), "d": range(1, 80)}))


# --- in place, and several results --------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def adam(k, w: px.Ptr[px.f32], g: px.Ptr[px.f32], m: px.Ptr[px.f32], n: px.u32):
    """Weights and momentum are updated."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        mean = k.fma.rn.f32(k.ld.global_.f32(m[i]), 0.9, k.mul.rn.f32(k.ld.global_.f32(g[i]), 0.1))
        k.st.global_.f32(m[i], mean)
        k.st.global_.f32(w[i], k.fma.rn.f32(mean, -0.01, k.ld.global_.f32(w[i])))


def stepped(w: Any, g: Any, m: Any, n: int) -> Any:
    mean = 0.9 * m + 0.1 * g
    return w - 0.01 * mean, mean


def weights(n: int) -> px.Case:
    w, m = (px.Input("f32", n, updated=True) for _ in range(2))
    return px.case([w, px.Input("f32", n), m, n], grid=rows(n))


@px.kernel(threads=128)
def doubled(k, x: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)


def thrice(x: Any, n: int) -> None:
    for _ in range(3):
        doubled[rows(n)](x, n)


def updated(n: int) -> px.Case:
    return px.case([px.Input("f32", n, updated=True), n], grid=rows(n))


@px.kernel(threads=128)
def sum_and_difference(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], s: px.Ptr[px.f32], d: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        u, v = k.ld.global_.f32(a[i]), k.ld.global_.f32(b[i])
        k.st.global_.f32(s[i], u + v)
        k.st.global_.f32(d[i], u - v)


def both(n: int) -> px.Case:
    return px.case([*(px.Input("f32", n) for _ in range(2)), *(px.Output("f32", n) for _ in range(2)), n], grid=rows(n))


TEXT = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
    .reg .pred %p;
    .reg .u32 %r<5>;
    .reg .u64 %rd<5>;
    .reg .f32 %f<4>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r0, 128, %r1;
    ld.param.u32 %r3, [n];
    setp.ge.u32 %p, %r2, %r3;
    @%p bra done;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [y];
    mad.wide.u32 %rd2, %r2, 4, %rd0;
    mad.wide.u32 %rd3, %r2, 4, %rd1;
    ld.param.f32 %f0, [a];
    ld.global.f32 %f1, [%rd2];
    ld.global.f32 %f2, [%rd3];
    fma.rn.f32 %f3, %f0, %f1, %f2;
    st.global.f32 [%rd3], %f3;
done:
    ret;
}
"""


def axpy(n: int) -> px.Case:
    return px.case([px.Input("f32", n), px.Input("f32", n, updated=True), 1.5, n], grid=rows(n), block=128)


entry("adam", adam, stepped, px.Spec(weights, {"n": range(1, 300)}))
entry("doubled", doubled, lambda x, n: 2 * x, px.Spec(updated, {"n": range(1, 300)}))
entry("thrice", thrice, lambda x, n: 8 * x, px.Spec(updated, {"n": range(1, 300)}))
entry("sum_and_difference", sum_and_difference, lambda a, b, n: (a + b, a - b), px.Spec(both, {"n": range(1, 300)}))
entry("saxpy_text", px.parse(TEXT)["saxpy"], lambda x, y, a, n: a * x + y, px.Spec(axpy, {"n": range(1, 300)}))
