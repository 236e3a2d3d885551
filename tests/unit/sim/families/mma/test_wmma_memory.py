"""wmma.load and wmma.store, compiled: they move what the implementation in Python moves, and leave to it what it alone can do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.engine.compiled.registry import MEANINGS, load_units

HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
ROOM = 32768
MIDDLE = 6144
"""Where matrices begin: their lines may go up and down from there."""
SHAPES = {
    "f16": ("m16n16k16", "m8n32k16", "m32n8k16"),
    "bf16": ("m16n16k16", "m8n32k16", "m32n8k16"),
    "s8": ("m16n16k16", "m8n32k16", "m32n8k16"),
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
    "s4": ("m8n8k32",),
    "b1": ("m8n8k128",),
    "f32": ("m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8"),
    "s32": ("m16n16k16", "m8n8k32"),
}
SUMS = {"f16", "f32", "s32", "f64"}
FACTORS = set(SHAPES) - {"f32", "s32"}


def _extents(shape: str) -> list[int]:
    return [int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split()]


def _registers(which: str, type_: str, shape: str) -> int:
    m, n, k = _extents(shape)
    if type_ == "f16" and which in "ab":
        return 8
    bits = {"f64": 64, "f32": 32, "s32": 32, "tf32": 32, "s8": 8, "s4": 4, "b1": 1}.get(type_, 16)
    size = {"a": m * k, "b": k * n}.get(which, m * n)
    return max(1, size * bits // 32 // max(32, bits))


def _cases() -> Iterator[tuple[str, str, str, str]]:
    for type_, shapes in SHAPES.items():
        for shape, which, layout in product(shapes, "abcd", ("row", "col")):
            if (which in "ab" and type_ not in FACTORS) or (which in "cd" and type_ not in SUMS):
                continue
            if type_ in ("s4", "b1") and (which, layout) not in (("a", "row"), ("b", "col")):
                continue
            yield which, type_, shape, layout


def _copied(label: str, word: str) -> str:
    """All of the memory from p to s, or back, by a word of each lane, eight times in each turn of a loop."""
    words = " ".join(word.format(at) for at in range(0, 1024, 128))
    return (
        f"add.u64 p, p, lane; add.u64 s, s, lane; mov.u32 n, 0; {label}: {words} add.u64 p, p, 1024; add.u64 s, s, 1024;"
        f"add.u32 n, n, 1024; setp.lt.u32 more, n, {ROOM}; @more bra {label};"
        f"sub.u64 p, p, {ROOM}; sub.u64 s, s, {ROOM}; sub.u64 p, p, lane; sub.u64 s, s, lane; bar.warp.sync -1;"
    )


def _text(which: str, type_: str, shape: str, layout: str, *, space: str, stride: str, offset: int = 0) -> str:
    """A load stores its registers, a store takes its registers from memory: one word of a lane behind the other."""
    count = _registers(which, type_, shape)
    kind = {"f64": "f64", "f32": "f32"}.get(type_, "b32")
    size = 8 if kind == "f64" else 4
    names = [f"f{i}" for i in range(count)]
    fragment = "{" + ", ".join(names) + "}"
    where = {"global": "p", "": "p", "shared": "s"}[space.partition("::")[0]]
    dot = f".{space}" if space else ""
    moves = f"wmma.{'store' if which == 'd' else 'load'}.{which}.sync.aligned.{layout}.{shape}{dot}.{type_}"
    tail = f", {stride}" if stride else ""
    into = _copied("FILL", "ld.global.b32 w, [p+{0}]; st.shared.b32 [s+{0}], w;") if where == "s" else ""
    back = _copied("EMPTY", "ld.shared.b32 w, [s+{0}]; st.global.b32 [p+{0}], w;") if where == "s" else ""
    each = [f"[q+{i * 32 * size}], {name};" for i, name in enumerate(names)]
    if which == "d":
        load = " ".join(f"ld.global.{kind} {x.split(', ')[1][:-1]}, {x.split(', ')[0]};" for x in each)
        body = f"{load} {moves} [{where}+{MIDDLE + offset}], {fragment}{tail};"
    else:
        body = f"{moves} {fragment}, [{where}+{MIDDLE + offset}]{tail};" + " ".join(
            f"st.global.{kind} {x}" for x in each
        )
    return f"""{HEAD}.visible .entry k(.param .u64 from, .param .u64 to, .param .s32 by) {{
        .reg .{kind} f<{count}>; .reg .pred more; .reg .b32 t, w, n, step; .reg .b64 p, q, s, lane;
        .shared .align 128 .b8 mem[{ROOM}];
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; ld.param.s32 step, [by]; mov.u32 t, %tid.x; mov.u64 s, mem;
        mad.wide.u32 q, t, {size}, q; mul.wide.u32 lane, t, 4;
        {into} bar.warp.sync -1; {body} bar.warp.sync -1; {back} ret; }}"""


def _run(text: str, step: int = 0, **options: Any) -> tuple[bytes, bytes, dict[str, int]]:
    """Memory, registers, and what has run in Python."""
    rng = np.random.default_rng(7)
    memory, registers = px.empty(ROOM, np.uint8), px.empty(16 * 32 * 8, np.uint8)
    memory[:], registers[:] = rng.integers(0, 256, ROOM), rng.integers(0, 256, registers.size)
    report = px.simulate(px.parse(text)["k"], grid=1, block=32, args=[memory, registers, step], **options)
    return memory.tobytes(), registers.tobytes(), dict(report.stats.traps)


def _python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the compiled meanings away."""
    load_units()
    for key in [k for k in MEANINGS if k.startswith(("wmma.load", "wmma.store"))]:
        monkeypatch.delitem(MEANINGS, key)


@pytest.mark.parametrize(
    ("which", "type_", "shape", "layout", "space"),
    [(*case, space) for case, space in zip(_cases(), cycle(("global", "shared", "")), strict=False)],
)
def test_both_ways(
    which: str, type_: str, shape: str, layout: str, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines close together, and farther apart."""
    texts = [(_text(which, type_, shape, layout, space=space, stride=s), step) for s, step in (("", 0), ("step", 160))]
    compiled = [_run(text, step) for text, step in texts]
    _python(monkeypatch)
    for (memory, registers, traps), (text, step) in zip(compiled, texts, strict=True):
        assert not any(key.startswith("wmma") for key in traps)
        other = _run(text, step)
        assert (memory, registers) == other[:2]
        assert any(key.startswith("wmma") for key in other[2])


STRANGE = [
    ("a", "f16", "m16n16k16", "row", -32),  # lines go down
    ("a", "f16", "m16n16k16", "row", 0),  # all lines are one
    ("b", "bf16", "m16n16k16", "row", 5),  # lines overlap, and lie at odd places
    ("c", "f32", "m32n8k16", "col", 33),
    ("d", "f32", "m16n16k16", "row", -48),
    ("d", "f16", "m16n16k16", "col", 3),  # written over one another: the last one stays
    ("d", "s32", "m16n16k16", "row", 0),
]


@pytest.mark.parametrize("space", ["global", "shared", ""])
@pytest.mark.parametrize(("which", "type_", "shape", "layout", "step"), STRANGE)
def test_strange_strides(
    which: str, type_: str, shape: str, layout: str, step: int, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _text(which, type_, shape, layout, space=space, stride="step")
    compiled = _run(text, step)
    _python(monkeypatch)
    assert compiled[:2] == _run(text, step)[:2]


WRONG = [
    ("global", "", ROOM - MIDDLE - 300, "PTX9002"),
    ("shared", "", ROOM - MIDDLE - 300, "PTX9122"),
    ("", "", -MIDDLE - 64, "PTX9002"),
    ("global", "", 1, "PTX9006"),
    ("global", "step", 0, "PTX9002"),
]


@pytest.mark.parametrize("which", ["a", "d"])
@pytest.mark.parametrize(("space", "stride", "offset", "code"), WRONG)
def test_what_is_wrong_is_told_by_python(which: str, space: str, stride: str, offset: int, code: str) -> None:
    type_, shape = ("f16", "m16n16k16")
    with pytest.raises(px.Diagnostic) as caught:
        _run(_text(which, type_, shape, "row", space=space, stride=stride, offset=offset), 1 << 20)
    assert caught.value.code == code


def test_lanes_that_differ() -> None:
    text = _text("a", "f16", "m16n16k16", "row", space="global", stride="t")
    with pytest.raises(px.Diagnostic) as caught:
        _run(text)
    assert caught.value.code == "PTX9132"
    assert "strides" in str(caught.value)


def test_a_read_only_array_is_not_written() -> None:
    text = _text("d", "f32", "m16n16k16", "row", space="global", stride="")
    memory, registers = px.empty(ROOM, np.uint8), px.empty(16 * 32 * 8, np.uint8)
    memory.flags.writeable = False
    with pytest.raises(px.Diagnostic) as caught:
        px.simulate(px.parse(text)["k"], grid=1, block=32, args=[memory, registers, 0])
    assert caught.value.code == "PTX9004"


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("poison", [False, True])
def test_every_schedule(schedule: str, *, poison: bool) -> None:
    for case in (("b", "s8", "m32n8k16", "row"), ("d", "f32", "m8n32k16", "col")):
        text = _text(*case, space="shared", stride="step")
        assert _run(text, 48)[:2] == _run(text, 48, schedule=schedule, seed=3, poison=poison)[:2]


def test_tiles_of_several_processes() -> None:
    """Tiles side by side: each process writes bytes of the same lines, and is told apart by what it has touched."""
    text = f"""{HEAD}.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 by) {{
        .reg .f32 f<8>; .reg .b32 c, other; .reg .b64 p, q;
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; ld.param.u32 other, [by]; mov.u32 c, %ctaid.x;
        mad.wide.u32 p, c, 64, p; add.u32 c, c, other; and.b32 c, c, 7; mad.wide.u32 q, c, 64, q;
        wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {{f0, f1, f2, f3, f4, f5, f6, f7}}, [p], 128;
        wmma.store.d.sync.aligned.row.m16n16k16.f32 [q], {{f0, f1, f2, f3, f4, f5, f6, f7}}, 128; ret; }}"""
    a, b = px.empty((16, 128), np.float32), px.empty((16, 128), np.float32)
    a[:], b[:] = np.arange(a.size).reshape(a.shape), 0
    report = px.simulate(px.parse(text)["k"], grid=8, block=32, args=[a, b, 0], workers=2)
    assert report.stats.workers == 2
    assert np.array_equal(a, b)
    report = px.simulate(px.parse(text)["k"], grid=8, block=32, args=[a, a, 1], workers=2)
    assert report.stats.workers == 1, "what one process writes another one reads"
