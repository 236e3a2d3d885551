"""Triton's and Gluon's kernels, simulated at small sizes and compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import triton_compiler
from triton_runs import RUNS, reals, zeros

import ptxlab as px
from ptxlab.diag import Diagnostic, Span

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("name", triton_compiler.names())
def test_equals_numpy(name: str) -> None:
    RUNS[name](px.triton(triton_compiler.compiled(name)))


# --- the adapter itself


def kernel(name: str = "add") -> px.TritonKernel:
    return px.triton(triton_compiler.compiled(name))


def refused(call: Callable[[], Any], *words: str, code: str = "PTX2341") -> None:
    with pytest.raises(Diagnostic) as caught:
        call()
    codes = [caught.value.code, *(d.code for d in caught.value.also)]
    assert code in codes
    shown = str(caught.value) + "".join(map(str, caught.value.also))
    assert [w for w in words if w not in shown] == []


def test_text_and_dictionaries_do_as_well() -> None:
    made = triton_compiler.compiled("copy_tma_device")
    meta = {n: getattr(made.metadata, n) for n in ("name", "num_warps", "num_ctas", "shared", "global_scratch_size")}
    k = px.triton(made.asm["ptx"], meta, signature=made.src.signature, constants=made.src.constants)
    RUNS["copy_tma_device"](k)
    assert "tensormap.replace" in k.ptx


def test_reports_use_triton_s_names() -> None:
    x, out = zeros(1024), zeros(1024)
    refused(lambda: kernel()[1](x[:512].copy(), x, out, 1024), "`x + 0x800`", code="PTX9002")


def test_it_is_shown_in_a_line_and_as_a_table() -> None:
    assert repr(kernel()).startswith("<TritonKernel add: ")
    assert len(repr(kernel())) < 200
    assert "\n" not in repr(kernel())
    shown = kernel()._repr_html_()
    assert "Kernel add" in shown
    assert "st.global" in shown


def test_the_report_of_a_simulation() -> None:
    x, out = reals(1024), zeros(1024)
    report = kernel().simulate(grid=1, args=[x, x], named={"out": out, "n": 1024})
    assert report.stats.ctas == 1
    assert np.array_equal(out, x + x)


def test_the_debugger_stops_at_lines_of_triton_s_python() -> None:
    x, out = reals(1024), zeros(1024)
    with kernel().debug(grid=1, args=[x, x, out, 1024]) as d:
        assert d.params["n"] == 1024
        file = d.where.python.file
        lines = Path(file).read_text().splitlines()
        at = next(
            n for n, text in enumerate(lines[d.where.python.line :], d.where.python.line + 1) if "tl.store" in text
        )
        d.break_at((Path(file).name, at))
        assert d.run().python == Span(file, at)
        assert not out.any()
    assert np.array_equal(out, x + x)


def test_constants_may_be_given_as_they_were_compiled() -> None:
    x, out = reals(1024), zeros(1024)
    kernel()[1](x, x, out, 1024, 1024)
    kernel()[1](x, x, out, n=1024, BLOCK=1024)
    refused(lambda: kernel()[1](x, x, out, 1024, 512), "BLOCK = 1024", "512")


def test_a_tuple_is_given_as_one_or_in_parts() -> None:
    made = triton_compiler.compiled("add")
    meta = {n: getattr(made.metadata, n) for n in ("name", "num_warps", "num_ctas", "shared", "global_scratch_size")}
    first, second, *others = made.src.signature.items()
    signature = {"pair": (first[1], second[1]), **dict(others)}
    k = px.triton(made.asm["ptx"], meta, signature=signature, constants={"BLOCK": 1024})
    x, y = reals(300), reals(300)
    for call in (
        lambda out: k[(1,)]((x, y), out, 300),
        lambda out: k[(1,)](x, y, out, 300),
        lambda out: k[(1,)](pair=(x, y), out=out, n=300),
    ):
        out = zeros(300)
        call(out)
        np.testing.assert_array_equal(out, x + y)
    refused(lambda: k[(1,)]((x,), zeros(300), 300), "takes 4 arguments; 3 given", "pair[0] (*fp32), pair[1] (*fp32)")


def test_arguments_that_it_was_not_compiled_for() -> None:
    x, out = zeros(1024), zeros(1024)
    refused(lambda: kernel()[1](x, x, out), "4 arguments; 3 given")
    refused(lambda: kernel()[1](x, x, out, m=3), "no parameter `m`")
    refused(lambda: kernel()[1](x, x, out, 1000), "`n` was a multiple of 16")
    refused(lambda: kernel()[1](x, 3, out, 1024), "`y` is a pointer")
    refused(lambda: kernel()[1](x, x, out, x), "`n` is of type i32, and an array")
    refused(lambda: kernel()[1](x, x, out, 3.5), "`n` is of type i32, and a float is given")
    refused(lambda: kernel()[1](x, x, out, np.float32(16)), "`n` is of type i32, and a float32 is given")
    refused(lambda: kernel()[1](x, x, out, "16"), "`n` is of type i32, and a str is given")
    refused(lambda: kernel()[1](x, x, out, 1 << 40), "`n` is of type i32, and 1099511627776 does not fit")
    refused(lambda: kernel()[1](x, x, out, 1024, n=1024), "`n` is given twice")
    refused(lambda: kernel()[1](x, x, out, 1024, x), "BLOCK = 1024")
    refused(lambda: kernel()[1, 1, 1, 1](x, x, out, 1024), "1 to 3 positive integers", code="PTX2001")
    refused(lambda: kernel()[()](x, x, out, 1024), "1 to 3 positive integers", code="PTX2001")
    refused(lambda: kernel()(x, x, out, 1024), "add[grid](…)", code="PTX2001")
    refused(lambda: kernel().simulate(grid=1, args=[x, x, out, 1024], worker=2), "'worker'", code="PTX2301")
    refused(lambda: kernel()[1](x, x.astype(np.float64), out, 1024), "`y`", code="PTX2307")
    refused(lambda: kernel()[1](x, x[1:], out, 1008), "`y`", code="PTX2310")


def test_descriptors_that_do_not_fit() -> None:
    k, good = kernel("gluon_tma"), zeros(64, 64, dtype=np.float16)
    refused(lambda: k[1](good.reshape(-1), good), "2 dimensions, and the array has 1")
    refused(lambda: k[1](3, good), "`x` is a tensor descriptor")
    refused(lambda: k[1](zeros(64, 64), good), "2 bytes, and the array's have 4")
    refused(lambda: k[1](px.tensor_map(good, box=(64, 32), swizzle="64B"), good), 'with swizzle "128B"')
    out = zeros(64, 192, dtype=np.float16)
    k[1](px.tensor_map(good, box=(64, 64), swizzle="128B"), out)


def test_what_is_no_compiled_kernel() -> None:
    made = triton_compiler.compiled("add")
    refused(lambda: px.triton(3), "int holds no PTX", code="PTX2340")
    refused(lambda: px.triton(made.asm["ptx"]), "without its metadata", code="PTX2340")
    refused(lambda: px.triton(made.asm, made.metadata), "without its signature", code="PTX2340")
    types = {"x": "*fp32", "n": "i32"}
    refused(
        lambda: px.triton(made.asm, made.metadata, signature=types)[1](zeros(16), 16), "6 parameters", code="PTX2340"
    )
    refused(lambda: px.triton(made.asm, {"name": "sub"}, signature=types), "`sub`", code="PTX2340")
