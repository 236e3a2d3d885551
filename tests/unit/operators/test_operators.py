"""`px.operator` on NumPy arrays: signatures, results, and what is refused. It needs neither torch nor JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.operators.schema import schema_of
from scaling import hanging, product_and_sum, scale, scale_into, scale_kernel, undeclared


def _schema(function: Callable[..., Any], mutates: Any = ()) -> str:
    return schema_of("tests::f", function, mutates).torch()


def test_schemas_follow_from_annotations() -> None:
    def plain(
        x: px.Array, y: px.Array | None = None, n: int = 3, *, name: str = 'a"b', on: bool = True
    ) -> px.Array: ...

    def lists(x: np.ndarray, sizes: tuple[int, ...], steps: list[float], out: px.Array) -> None: ...

    def several(x: px.Array, scale: float | None = None) -> tuple[px.Array, px.Array]: ...

    assert _schema(plain) == r'f(Tensor x, Tensor? y=None, SymInt n=3, *, str name="a\"b", bool on=True) -> Tensor'
    assert _schema(lists, ("out",)) == "f(Tensor x, SymInt[] sizes, float[] steps, Tensor(a3!) out) -> ()"
    assert _schema(several) == "f(Tensor x, float? scale=None) -> (Tensor, Tensor)"


def _unannotated(x: Any, y=2) -> px.Array: ...  # type: ignore[no-untyped-def]
def _dictionary(x: px.Array, y: dict[str, int]) -> px.Array: ...
def _strange_result(x: px.Array) -> int: ...
def _no_result(x: px.Array): ...  # type: ignore[no-untyped-def]
def _useless(x: px.Array) -> None: ...
def _no_array(n: int) -> px.Array: ...
def _many(*x: px.Array) -> px.Array: ...
def _keyword_array(x: px.Array, *, y: px.Array) -> px.Array: ...
def _unknown_name(x: NoSuchType) -> px.Array: ...  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
def _two(x: px.Array, n: int) -> px.Array: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (_unannotated, "annotated Any"),
        (_dictionary, "annotated dict[str, int]"),
        (_strange_result, "annotated to return int"),
        (_no_result, "has no annotation"),
        (_useless, "returns nothing and writes nothing"),
        (_no_array, "takes no array"),
        (_many, "of a kind that operators do not have"),
        (_keyword_array, "given by name alone"),
        (_unknown_name, "NoSuchType"),
    ],
)
def test_signatures_that_no_operator_has(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(Diagnostic, match="PTX2350") as found:
        px.operator("tests::wrong")(function)
    assert words in found.value.message
    assert found.value.help


@pytest.mark.parametrize(
    ("name", "mutates"), [("scale", ()), ("a::b::c", ()), (3, ()), ("tests::f", ("n",)), ("tests::f", "z")]
)
def test_names_that_are_none(name: Any, mutates: Any) -> None:
    with pytest.raises(Diagnostic, match="PTX2350"):
        px.operator(name, mutates=mutates)(_two)


def test_numpy_arrays_are_simulated() -> None:
    x = np.arange(200.0)
    assert np.array_equal(scale(x, 3.0), x * 3)
    assert np.array_equal(scale(x, factor=0.5), x / 2)
    both, sums = product_and_sum(x, x + 1)
    assert np.array_equal(both, x * (x + 1))
    assert np.array_equal(sums, x + x + 1)
    out = np.zeros(200)
    assert scale_into(x, out, 4.0) is None
    assert np.array_equal(out, x * 4)
    assert scale.__doc__ == "x times a number."
    assert repr(scale) == "<Operator scale(Tensor x, float factor=2.0) -> Tensor of ptxlab_tests>"


@pytest.mark.parametrize("args", [(), (1.0,), (None,), (np.zeros(2), np.zeros(2)), (np.zeros(2), 1.0, 2.0)])
def test_arguments_that_do_not_fit(args: tuple[Any, ...]) -> None:
    with pytest.raises(Diagnostic, match="PTX2351"):
        scale(*args)


def test_an_undeclared_write_is_stopped_where_it_happens() -> None:
    x = np.ones(4)
    with pytest.raises(Diagnostic, match="PTX9004") as found:
        undeclared(x)
    assert "mutates=" in str(found.value.help)
    assert "scaling.py" in str(found.value.span or found.value.origin)
    assert (x == 1).all()
    x.flags.writeable = True  # it is not the array that has become read-only
    scale_kernel[1](x, x, 4, 2.0)
    assert (x == 2).all()


def test_a_hang_is_a_diagnostic() -> None:
    with pytest.raises(Diagnostic, match="PTX9100"):
        hanging(np.ones(4))


def _returns(value: Callable[[Any], Any], annotation: Any) -> Any:
    def function(x):  # type: ignore[no-untyped-def]
        return value(x)

    function.__annotations__ = {"x": px.Array, "return": annotation}
    return px.operator("ptxlab_tests::returns", mutates=("x",) if annotation is None else ())(function)


@pytest.mark.parametrize(
    ("value", "annotation", "words"),
    [
        (lambda x: None, px.Array, "returned nothing"),
        (lambda x: (px.empty_like(x),), px.Array, "1 results"),
        (lambda x: px.empty_like(x), tuple[px.Array, px.Array], "2 arrays"),
        (lambda x: [px.empty_like(x)] * 3, tuple[px.Array, px.Array], "3 results"),
        (lambda x: px.empty_like(x), None, "annotated to return None"),
        (lambda x: x, px.Array, "memory of its argument `x`"),
        (lambda x: x[1:], px.Array, "memory of its argument `x`"),
        (lambda x: 3, px.Array, "result 0 is a int"),
    ],
)
def test_results_that_are_not_as_annotated(value: Callable[[Any], Any], annotation: Any, words: str) -> None:
    with pytest.raises(Diagnostic, match="PTX2352") as found:
        _returns(value, annotation)(np.ones(4))
    assert words in found.value.message


def test_gradients_that_do_not_fit() -> None:
    with pytest.raises(Diagnostic, match=r"PTX2353.*no part of a call"):
        scale.gradient(lambda d_out, size: d_out)
    with pytest.raises(Diagnostic, match=r"PTX2353.*takes 1 arguments"):
        product_and_sum.gradient(lambda d_both: d_both)
    with pytest.raises(Diagnostic, match=r"PTX2353.*writes `out`"):
        scale_into.gradient(lambda: None)
    with pytest.raises(Diagnostic, match=r"PTX2350.*rule for batches"):
        scale.vmap(lambda batched, x: x)


def test_new_arrays_are_of_the_same_library() -> None:
    x = np.ones((3, 4), np.float32)
    assert px.empty_like(x).ctypes.data % 256 == 0
    assert px.zeros_like(x, shape=5, dtype=px.bf16).dtype.name == "bfloat16"
    assert (px.zeros_like(px.array_view(x), dtype="f16") == np.zeros((3, 4), np.float16)).all()
    for bad, code in (((3,), "PTX2307"), ((x,), "PTX2305")):
        with pytest.raises(Diagnostic, match=code):
            px.empty_like(x, dtype=bad[0]) if code == "PTX2307" else px.empty_like(x, shape="ab")
    with pytest.raises(Diagnostic, match="PTX2306"):
        px.empty_like([1, 2], shape=2, dtype="f32")


def test_matmul_is_an_operator() -> None:
    from ptxlab.kernels.operators import matmul

    draw = np.random.default_rng(0)
    a, b = draw.integers(-4, 4, (8, 16)).astype(np.float32), draw.integers(-4, 4, (24, 16)).astype(np.float32)
    assert np.array_equal(matmul(a, b, transpose_b=True), a @ b.T)
    assert np.array_equal(matmul(b, a, transpose_b=True), b @ a.T)
    assert np.array_equal(matmul(a, a, transpose_a=True, dtype="bfloat16").astype(np.float32), (a.T @ a))
    whole = matmul(a.astype(np.int8), b.astype(np.int8), transpose_b=True)
    assert whole.dtype == np.int32
    assert np.array_equal(whole, (a @ b.T).astype(np.int32))
    for wrong in ((a, b), (a[0], b)):
        with pytest.raises(Diagnostic, match="PTX2308"):
            matmul(*wrong)
