"""Python functions as kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi import cache
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic


@px.kernel(target="sm_90a", threads=64)
def scale(k: px.Builder, src: px.Ptr[px.u32], dst: px.Ptr[px.u32], n: px.u32, *, factor: int = 2) -> None:
    """Multiply by a constant."""
    i = k.mad.lo.u32(k.ctaid.x, 64, k.tid.x)
    with k.if_(i < n):
        k.st.global_.u32(dst[i], k.mul.lo.u32(k.ld.global_.u32(src[i]), factor))


def arrays(n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    a = px.empty(n, np.uint32)
    a[:] = np.arange(n)
    return a, np.zeros(n, np.uint32)


def test_short_form() -> None:
    a, b = arrays()
    scale[2](a, b, 100)
    assert (b == a * 2).all()
    assert scale.__doc__ == "Multiply by a constant."
    assert scale.name == "scale"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("factr", "did you mean factor=?"),
        ("smem", "did you mean shared=?"),
        ("shedule", "did you mean schedule=, an option of px.debug and px.simulate?"),
        ("colour", "its constants are: factor"),
    ],
)
def test_unknown_keywords_name_the_near_constant_or_option(word: str, meant: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        px.simulate(scale, grid=1, args=[*arrays(), 1], **{word: 1})
    assert (caught.value.code, caught.value.help) == ("PTX2209", meant)


@pytest.mark.parametrize("use", ["launch", "simulate", "ptx", "check", "explore", "debug"])
def test_what_the_python_of_a_kernel_raises_comes_alone(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @px.kernel(threads=32)
    def broken(k, x: px.Ptr[px.u32]):
        with k.if_(k.tid.x < 3):
            missing(k)  # type: ignore[name-defined]  # noqa: F821

    def run() -> object:
        if use == "launch":
            return broken[1](np.zeros(4, np.uint32))
        if use == "simulate":
            return px.simulate(broken, grid=1, args=[np.zeros(4, np.uint32)])
        if use in ("explore", "debug"):
            return getattr(px, use)(broken, grid=1, args=[np.zeros(4, np.uint32)])
        return broken.ptx if use == "ptx" else px.check(broken)

    def frames() -> list[str]:
        with pytest.raises(NameError, match="missing") as caught:
            run()
        assert caught.value.__context__ is None
        assert caught.value.__cause__ is None
        return [Path(entry.path).name for entry in caught.traceback]

    assert frames() == ["test_traced.py", "test_traced.py", "boundary.py", "test_traced.py"]
    monkeypatch.setenv("PTXLAB_FULL_TRACEBACK", "1")
    assert "traced.py" in frames()


def test_arguments_are_told_by_what_the_function_declares() -> None:
    a, _ = arrays()
    with pytest.raises(Diagnostic) as caught:
        scale[1](a)
    assert caught.value.help == "in order: src (px.Ptr[px.u32]), dst (px.Ptr[px.u32]), n (.u32)"
    with pytest.raises(Diagnostic, match=r"Argument 1 \(`dst`\): a list is no px\.Ptr\[px\.u32\]") as caught:
        scale[1](a, [1], 3)
    assert "px.empty" in (caught.value.help or "")


def test_constants_specialise() -> None:
    a, b = arrays()
    scale[2](a, b, 100, factor=5)
    assert (b == a * 5).all()
    tripled = scale.specialize(factor=3)
    tripled.launch(grid=2, args=[a, b, 100])
    assert (b == a * 3).all()
    assert tripled.ptx != scale.ptx
    assert scale.entry(factor=2) is scale.entry()
    with pytest.raises(Diagnostic) as caught:
        scale[2](a, b, 100, faktor=5)
    assert "faktor" in caught.value.message


def test_text_is_ptx_that_parses_back() -> None:
    again = px.parse(scale.ptx)["scale"]
    a, b = arrays()
    again.launch(grid=2, args=[a, b, 100])
    assert (b == a * 2).all()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda a, b: (a.astype(np.float32), b), "PTX2307"),
        (lambda a, b: (a.astype(np.uint64), b), "PTX2307"),
        (lambda a, b: (a[::2], b), "PTX2309"),
        (lambda a, b: (np.frombuffer(bytes(401), np.uint8)[1:].view(np.uint32), b), "PTX2310"),
        (lambda a, b: (a,), "PTX2301"),
    ],
)
def test_annotations_are_checked(change: object, code: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        scale[2](*change(*arrays()), 100)  # type: ignore[operator]
    assert caught.value.code == code
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_signed_arrays_do_for_unsigned_pointers() -> None:
    a, b = arrays()
    scale[2](a.view(np.int32), b, 100)
    assert (b == a * 2).all()


@px.kernel(target="sm_90a", threads=128)
def late(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    """Gives up registers that nobody counted: ptxas ignores it."""
    k.st.global_.u32(out[0], 1)
    k.setmaxnreg.dec.sync.aligned.u32(24)


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
def test_words_of_ptxas_lead_to_the_python_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxlab.launch.module import Module
    from ptxlab.ptx import tree

    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    made = late.entry().module.tree
    for function in made.functions():  # without a register count at entry
        function.directives = tuple(
            d for d in function.directives if isinstance(d, tree.Directive) and d.name == "none"
        )
    with pytest.warns(px.PtxWarning):
        [found] = Module(made, "late.ptx").assembly("sm_90a").warnings
    assert found.code == "PTX2410"
    assert found.origin is not None
    assert found.origin.file == __file__
    text = Path(__file__).read_text().split("\n")
    assert text[found.origin.line - 1].strip() == "k.setmaxnreg.dec.sync.aligned.u32(24)"
    assert found.span is not None
    assert "setmaxnreg" in (found.span.text or "")
