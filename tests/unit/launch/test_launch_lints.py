"""The first launch of a kernel shows its lints, once, at the line of the kernel that they speak of."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.sanitizing import VARIABLE
from ptxlab.diag import Diagnostic, Severity

TEXT = """.version 8.0
.target sm_90a
.address_size 64
.func helper(.reg .u32 %x)
{
    .reg .u32 %y<2>;
    .reg .pred %p;
    setp.eq.u32 %p, %x, %y1;
    ret;
}
.visible .entry right(.param .u64 a)
{
    ret;
}
.visible .entry wrong(.param .u64 a)
.reqntid 32
{
    .reg .u64 %rd<2>;
    .reg .u32 %x<2>;
    ld.param.u64 %rd1, [a];
    st.global.u32 [%rd1], %x1;
    ret;
}
.visible .entry caller(.param .u64 a)
.reqntid 32
{
    .reg .u32 %x;
    mov.u32 %x, 1;
    call helper, (%x);
    ret;
}
"""
READ = "PTX5002"


@pytest.fixture(autouse=True)
def _no_sanitizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds what the lints warn of, and ends the launches with an error."""
    monkeypatch.setenv(VARIABLE, "0")


def _kernel(**options: Any) -> px.Kernel:
    @px.kernel(target="sm_90a", threads=32, **options)
    def wrong(k: px.Builder, a: px.Ptr[px.u32], *, n: int = 1) -> None:
        """Stores registers that nothing has written."""
        for i in range(n):
            k.st.global_.u32(a[i], k.reg(px.u32))

    return wrong


@contextmanager
def _shown() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def _codes(caught: list[warnings.WarningMessage]) -> list[str]:
    assert all(isinstance(w.message, px.PtxWarning) for w in caught)
    return [w.message.diagnostic.code for w in caught]  # type: ignore[union-attr]


def _memory() -> np.ndarray:
    return np.zeros(64, np.uint32)


LAUNCHES: dict[str, Callable[..., object]] = {
    "launch": lambda k, **o: k.launch(grid=1, args=[_memory()], **o),
    "short": lambda k, **o: k[1](_memory(), **o),
    "prepare": lambda k, **o: k.prepare(grid=1, args=[_memory()], **o),
    "simulate": lambda k, **o: px.simulate(k, grid=1, args=[_memory()], **o),
    "debug": lambda k, **o: px.debug(k, grid=1, args=[_memory()], **o),
}


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
@pytest.mark.parametrize("kernel", [_kernel, lambda: px.parse(TEXT, "k.ptx")["wrong"]], ids=["python", "ptx"])
def test_the_first_launch_shows_them_and_no_other(
    kernel: Callable[[], px.Kernel], launch: Callable[..., object]
) -> None:
    made = kernel()
    with _shown() as caught:
        launch(made)
        launch(made)
    assert _codes(caught) == [READ]
    assert caught[0].message.diagnostic.severity is Severity.LINT  # type: ignore[union-attr]


def test_they_point_to_the_line_of_the_kernel() -> None:
    with _shown() as caught:
        _kernel()[1](_memory())
        launched = inspect.stack()[0].lineno + 1
        px.parse(TEXT, "/dev/zero")["wrong"][1](_memory())
    lines, start = inspect.getsourcelines(_kernel)
    line = start + next(i for i, text in enumerate(lines) if "k.st" in text)
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, line), (__file__, launched)]
    assert f"--> /dev/zero:{1 + TEXT[: TEXT.index('st.global')].count(chr(10))}:" in str(caught[1].message)


def test_their_line_is_shown_once() -> None:
    with _shown() as caught:
        _kernel()[1](_memory())
    shown = warnings.formatwarning(caught[0].message, caught[0].category, caught[0].filename, caught[0].lineno)
    assert shown.count("k.st.global_.u32(a[i], k.reg(px.u32))") == 1
    assert shown.count(f"{Path(__file__).name}:{caught[0].lineno}") == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", px.PtxWarning)
        with pytest.raises(px.PtxWarning, match=rf"--> \S+:{caught[0].lineno}\n"):
            _kernel()[1](_memory())


def test_each_specialisation_has_its_own() -> None:
    kernel = _kernel()
    with _shown() as caught:
        kernel[1](_memory(), n=1)
        kernel[1](_memory(), n=2)
        kernel[1](_memory(), n=1)
    assert _codes(caught) == [READ] * 2
    assert ["1 more" in str(w.message) for w in caught] == [False, True]  # of one store, and of two


def test_only_the_kernel_that_is_launched_and_what_it_calls_are_looked_at() -> None:
    module = px.parse(TEXT, "k.ptx")
    with _shown() as caught:
        module["right"].launch(grid=1, block=32, args=[_memory()])
    assert caught == []
    with _shown() as caught:
        module["caller"].launch(grid=1, args=[_memory()])
    assert _codes(caught) == [READ]
    assert "%y1" in str(caught[0].message)


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
@pytest.mark.parametrize("options", [{"lints": False}, {"ignore": (READ,)}, {"ignore": "PTX50"}], ids=str)
def test_they_can_be_left_out(options: dict[str, Any], launch: Callable[..., object]) -> None:
    with _shown() as caught:
        launch(_kernel(), **options)
        launch(_kernel(**options))
    assert caught == []


def test_other_codes_are_shown_all_the_same() -> None:
    with _shown() as caught:
        _kernel(ignore="PTX5001")[1](_memory(), ignore=("PTX5010",))
    assert _codes(caught) == [READ]


def test_a_launch_without_them_leaves_them_for_the_next() -> None:
    kernel = _kernel()
    with _shown() as caught:
        kernel[1](_memory(), lints=False)
        kernel[1](_memory())
    assert _codes(caught) == [READ]


def test_the_filters_of_python_work() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", px.PtxWarning)
        kernel = _kernel()
        for _ in range(2):  # not shown, so the next launch says it again
            with pytest.raises(px.PtxWarning, match=READ):
                kernel[1](_memory())
        warnings.filterwarnings("ignore", message=rf"\s*lint\[{READ}\]")
        kernel[1](_memory())


@pytest.mark.parametrize("ignore", ["PTX5999", "read-before-write", ("",)])
def test_a_code_that_does_not_exist(ignore: Any) -> None:
    with pytest.raises(Diagnostic) as e:
        _kernel(ignore=ignore)
    assert e.value.code == "PTX2501"
    with pytest.raises(Diagnostic) as e:
        _kernel()[1](_memory(), ignore=ignore)
    assert e.value.code == "PTX2501"


def test_kernels_of_triton() -> None:
    metadata = {"name": "wrong", "num_warps": 1}

    def made() -> px.TritonKernel:
        return px.triton(TEXT, metadata, signature={"a": "*u32"})

    kernel = made()
    with _shown() as caught:
        kernel[1](_memory())
        kernel[1](_memory())
        made().simulate(grid=1, args=[_memory()])
    assert _codes(caught) == [READ] * 2
    with _shown() as caught:
        made()[1](_memory(), lints=False)
        made()[1](_memory(), ignore=READ)
    assert caught == []
    assert [d.code for d in px.check(kernel)] == [READ]


def test_check_takes_kernels() -> None:
    assert [d.code for d in px.check(_kernel())] == [READ]
    for both in px.check(_kernel(), n=2), px.check(_kernel().specialize(n=2)):
        assert [d.code for d in both] == [READ]
        assert "1 more" in both[0].message
    assert px.check(_kernel(), lints=False) == []
    module = px.parse(TEXT, "k.ptx")
    assert {e: [d.code for d in px.check(module[e])] for e in module} == {
        "right": [],
        "wrong": [READ],
        "caller": [READ],
    }
    assert [d.code for d in px.check(module)] == [READ] * 2
    assert px.check(module) == px.check(TEXT, file="k.ptx")
    assert [d.code for d in px.check(module["right"], "sm_1")] == ["PTX1003"]


def test_check_takes_paths(tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(TEXT)
    found = px.check(file)
    assert [d.code for d in found] == [READ] * 2
    assert {d.span.file for d in found if d.span is not None} == {str(file)}
    assert px.check(str(file)) == found == px.check(px.load(file))
    for missing in (tmp_path / "none.ptx", str(tmp_path / "none.ptx")):
        with pytest.raises(Diagnostic) as e:
            px.check(missing)
        assert e.value.code == "PTX2500"


def test_what_a_trace_says_is_a_finding() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def open_constant(k: px.Builder, *, n: int) -> None:
        k.bar.sync(n)

    @px.kernel(target="sm_90a", threads=32)
    def refused(k: px.Builder, a: px.Ptr[px.u32]) -> None:
        k.cp.async_.cg.shared.global_(k.smem(px.b32, 4).at(0), a.at(0), 4)

    (missing,) = px.check(open_constant)
    assert (missing.code, missing.help) == ("PTX2209", "pass n=…")
    assert [d.code for d in px.check(refused)] == ["PTX0212"]
    assert px.check(open_constant, n=0) == []


def test_check_says_what_it_takes() -> None:
    with pytest.raises(Diagnostic) as e:
        px.check(7)  # type: ignore[arg-type]
    assert (e.value.code, e.value.message) == ("PTX2316", "What is given is of type int: neither PTX nor a kernel.")
    with pytest.raises(Diagnostic) as e:
        px.check(TEXT, n=3)
    assert e.value.code == "PTX2301"
    (wrong,) = px.check(px.parse(TEXT)["right"], n=3)
    assert wrong.code == "PTX2301"
