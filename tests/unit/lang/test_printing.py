"""`k.print`: what is printed, what it is compiled to, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import check
from ptxlab.ptx.parser import parse


@px.kernel(threads=64)
def every_kind(k, src: px.Ptr[px.f32], n: px.s64, print_values: px.u32):
    tile = k.smem(px.bf16, 16, name="print_text_0")
    v = k.ld.global_.f32(src.at(k.tid.x * 4))
    h, b = k.cvt.rn.f16.f32(v), k.cvt.rn.bf16.f32(v)
    short = k.cvt.s16.s32(k.cvt.s32.u32(k.tid.x) - 5)
    first = k.tid.x < 2
    k.print("%d %5.2f|%g|%g %e\n", k.tid.x, v, h, b, 0.5, pred=first)
    k.print("%ld %lx %s %x %c 100%% p=%d,%d %*d|%-6d|\n", n, n, "ünö", 255, 65, first, ~first, 5, -3, short, pred=first)
    k.print("no values\n", pred=k.tid.x == 33)
    k.print("%p %ld %u %s\n", tile, k.tid.x, print_values, "no values\n", pred=k.tid.x == 40)
    k.print("%ld\n", short, pred=k.tid.x == 0)


def expected() -> str:
    values = np.arange(64, dtype=np.float32) / 3
    out = [f"{i} {values[i]:5.2f}|{np.float16(values[i]):g}|{(0, 0.333984)[i]:g} {0.5:e}\n" for i in (0, 1)]
    out += [f"-7 fffffffffffffff9 ünö ff A 100% p=1,0    -3|{i - 5:<6d}|\n" for i in (0, 1)]
    return "".join([*out, "-5\n"]), "".join(["no values\n", "0x400 40 9 no values\n\n"])


def test_values_of_every_kind_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    every_kind[1](np.arange(64, dtype=np.float32) / 3, -7, 9)
    first, second = expected()
    assert capsys.readouterr().out == first + second


def test_the_text_is_ptx_like_any_other() -> None:
    text = every_kind.ptx
    assert str(parse(text)) == text
    assert [d for d in check(text) if d.severity == "error"] == []
    assert text.count("call.uni") == 5
    assert text.count("vprintf") == 6


def test_ptxas_takes_it() -> None:
    from ptxlab.cuda.ptxas import find

    if find() is None:
        pytest.skip("there is no ptxas: install the extra `ptxas`")
    assert every_kind.cubin


def test_who_does_not_print_declares_nothing() -> None:
    @px.kernel(threads=32)
    def silent(k, out: px.Ptr[px.u32]):
        k.st.global_.u32(out.at(k.tid.x * 4), k.tid.x)

    assert "vprintf" not in silent.ptx
    assert ".local" not in silent.ptx


@pytest.mark.parametrize(
    ("template", "values", "words"),
    [
        ("%d %d\n", lambda k, v: (k.tid.x,), "takes 2 values; 1 given"),
        ("%q", lambda k, v: (k.tid.x,), "`%q` is no conversion"),
        ("%n", lambda k, v: (k.tid.x,), "no conversion"),
        ("100%", lambda k, v: (), "no conversion"),
        ("%d", lambda k, v: (v,), "prints integers"),
        ("%f", lambda k, v: (k.tid.x,), "prints floating-point numbers"),
        ("%u", lambda k, v: (k.cvt.u64.u32(k.tid.x),), "has 64"),
        ("%d", lambda k, v: (1 << 40,), "does not fit"),
        ("%d", lambda k, v: (1.5,), "cannot print 1.5"),
        ("%s", lambda k, v: (v,), "takes a Python string"),
        ("%p", lambda k, v: (3,), "prints an address"),
        ("%f", lambda k, v: ("text",), "cannot print 'text'"),
        ("a\0b", lambda k, v: (), "is no format"),
        (7, lambda k, v: (), "is no format"),
        ("%d" * 33, lambda k, v: (1,) * 33, "takes 32 values"),
    ],
)
def test_what_does_not_go_together_is_refused_at_the_line(template: object, values: object, words: str) -> None:
    @px.kernel(threads=32)
    def wrong(k, src: px.Ptr[px.f32]):
        v = k.ld.global_.f32(src)
        k.print(template, *values(k, v))  # HERE

    with pytest.raises(px.Diagnostic) as found:
        _ = wrong.ptx
    assert found.value.code == "PTX2221"
    assert words in found.value.message
    assert found.value.help
    source = Path(__file__).read_text().splitlines()
    assert "# HERE" in source[found.value.origin.line - 1]
