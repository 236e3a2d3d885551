"""Pixels taken along W alone, with halos: as the manual has them, and said to be unverified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.layout import TensorMap

from ...conftest import entry

Run = Callable[..., Any]
C, W, H, N = 8, 9, 4, 40
IMAGE = np.arange(1, N * H * W * C + 1, dtype=np.uint16).reshape(N, H, W, C)


def kernel(mode: str, first: tuple[int, ...], halo: int, offset: int, rows: int) -> str:
    """Loads pixels of 16 bytes and writes shared memory to `out`."""
    space = "shared::cta" if mode == "im2col::w" else "shared::cluster"
    coords = ", ".join(map(str, first))
    return entry(
        ".param .align 64 .b8 map[128], .param .u64 out",
        f"""
        .reg .pred %p0; .reg .b16 %h<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
        .shared .align 1024 .b8 buf[{16 * rows}]; .shared .align 8 .b64 bar;
        mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
        mov.u32 %r1, bar; mov.u32 %r2, buf; mov.b16 %h0, {halo}; mov.b16 %h1, {offset};
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {16 * rows};
        cp.async.bulk.tensor.{len(first)}d.{space}.global.{mode}.mbarrier::complete_tx::bytes
            [%r2], [%rd1, {{{coords}}}], [%r1], {{%h0, %h1}};
        W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W;
        mov.u32 %r3, 0;
        NEXT: ld.shared.v4.b32 {{%r4, %r5, %r6, %r7}}, [%r2]; st.global.v4.b32 [%rd2], {{%r4, %r5, %r6, %r7}};
        add.u32 %r2, %r2, 16; add.u64 %rd2, %rd2, 16; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, {rows};
        @%p0 bra NEXT;
        ret;
        """,
    ).replace(".target sm_90a", ".target sm_100a")


def wide_map(lower: int, upper: int, pixels: int, step: int = 1) -> tuple[TensorMap, Any]:
    image = px.empty(IMAGE.shape, np.uint16, align=128)
    image[...] = IMAGE
    made = TensorMap.im2col_wide(
        dtype="u16",
        address=image,
        dims=(C, W, H, N),
        strides=(2 * C, 2 * C * W, 2 * C * W * H),
        lower=lower,
        upper=upper,
        channels=C,
        pixels=pixels,
        element_strides=(1, step, 1, 1),
    )
    return made, image


def pixel(w: int, h: int, n: int) -> list[int]:
    inside = 0 <= w < W and 0 <= h < H and 0 <= n < N
    return IMAGE[n, h, w].tolist() if inside else [0] * C


def walked(start: tuple[int, int, int], box: tuple[int, int], pixels: int, step: int) -> list[tuple[int, int, int]]:
    """One step after the other: along W, then the next image."""
    out: list[tuple[int, int, int]] = []
    w, h, n = start
    for _ in range(pixels):
        out.append((w, h, n))
        w += step
        if w >= box[1]:
            w, n = box[0], n + 1
    return out


@pytest.mark.parametrize("schedule", ["eager", "late"])
@pytest.mark.parametrize(
    ("mode", "lower", "upper", "first", "halo", "offset", "step"),
    [
        ("im2col::w", 0, 0, (3, 2, 7), 2, 0, 1),
        ("im2col::w", -1, -1, (-1, 0, 0), 2, 1, 1),
        ("im2col::w", 0, -2, (0, 3, 36), 0, 2, 1),
        ("im2col::w", -1, 0, (-3, 1, 5), 1, -1, 2),
        ("im2col::w::128", 0, 0, (3, 2, 7), 2, 0, 1),
        ("im2col::w::128", -1, -1, (4, 1, 0), 3, 1, 1),
    ],
)
def test_pixels_and_halos(
    run: Run,
    mode: str,
    lower: int,
    upper: int,
    first: tuple[int, int, int],
    halo: int,
    offset: int,
    step: int,
    schedule: str,
) -> None:
    pixels, group = (128, 32) if mode.endswith("128") else (24, 24)
    made, image = wide_map(lower, upper, 24, step)
    wanted: list[list[int]] = []
    for i, (w, h, n) in enumerate(walked(first, (lower, W + upper), pixels, step)):
        wanted.append(pixel(w + offset, h, n))
        if i % group == group - 1:
            wanted += [pixel(w + offset + j * step, h, n) for j in range(1, halo + 1)]
    out = px.empty((len(wanted), C), np.uint16, align=128)
    out[...] = 0xFFFF
    text = kernel(mode, (0, *first), halo, offset, len(wanted))
    report = run(text, made, out, block=1, schedule=schedule, buffers=[image])
    assert out.tolist() == wanted
    assert [d.code for d in report.findings] == ["PTX9135"]


def test_a_start_behind_the_box_faults(run: Run) -> None:
    made, image = wide_map(0, -2, 8)
    out = px.empty((8, C), np.uint16, align=128)
    with pytest.raises(px.Diagnostic, match="lies behind the bounding box") as caught:
        run(kernel("im2col::w", (0, 7, 0, 0), 0, 0, 8), made, out, block=1, buffers=[image])
    assert caught.value.code == "PTX2117"


def test_a_tiled_map_has_no_pixels(run: Run) -> None:
    image = px.empty((N, H, W, C), np.uint16)
    out = px.empty((8, C), np.uint16, align=128)
    with pytest.raises(px.Diagnostic, match="through a tiled map") as caught:
        run(kernel("im2col::w", (0, 0, 0, 0), 0, 0, 8), px.tensor_map(image, box=(1, 1, 8, 8)), out, block=1)
    assert caught.value.code == "PTX9126"
