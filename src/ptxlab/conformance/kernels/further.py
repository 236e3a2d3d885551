"""Cases of the matrix product's types, scales and epilogues: integers, held to NumPy. No digests of a GPU are recorded yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import inputs
from ptxlab.conformance.kernels.cases import OUTPUT, Arrays, Case, aligned

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.launch.prepare import Launch

SIZES: Final = (72, 144, 272)
"""M, N, K."""
Exact = Callable[[Any, Arrays], Any]
"""What becomes of the exact product."""
Options = Callable[[Mapping[str, Any]], dict[str, Any]]
"""What `gemm` is given beside the matrices."""


def further() -> list[Case]:
    """One of each: types, scales in blocks, epilogues with arrays, a gate."""
    e4m3 = "float8_e4m3fn"
    return [
        _case("f16", ("float16", "float16", "float16")),
        _case("tf32", ("float32", "float32", "float32")),
        _case("int8 → s32", ("int8", "int8", "int32")),
        _case("e4m3 · e5m2 → bf16", (e4m3, "float8_e5m2", "bfloat16")),
        _case("fp8, scales in blocks", (e4m3, e4m3, "float32"), _scales, _scaled),
        _case("bias, ReLU, residual", ("bfloat16", "bfloat16", "float32"), _epilogue, _finished),
        _case("a gate", ("bfloat16", "bfloat16", "float32"), _gate, _gated, per_result=2),
    ]


def _case(
    what: str,
    types: tuple[str, str, str],
    options: Options = lambda a: {},
    exact: Exact = lambda product, a: product,
    per_result: int = 1,
) -> Case:
    m, n, k = SIZES

    def arrays(kind: str) -> Arrays:
        import numpy as np

        from ptxlab.launch.arrays import dtype_of

        made = inputs.uniform if kind == "random" else inputs.integers
        shapes = ((m, k), (n, k), (m, n // per_result))
        a, b, c = (np.zeros(s, dtype_of(t)) for s, t in zip(shapes, types, strict=True))
        a[...], b[...] = (made(s, np.dtype(np.float32), seed=i + 3).clip(-8, 8) for i, s in enumerate(shapes[:2]))
        beside = {
            "bias": made((n,), np.dtype(np.float32), seed=5),
            "matrix": made((m, n), np.dtype(np.float32), seed=6),
            "scale_a": np.exp2(np.arange(m * 3) % 5 - 2).reshape(m, 3).astype(np.float32),
            "scale_b": np.exp2(np.arange(6) % 3 - 1).reshape(2, 3).astype(np.float32),
        }
        return {"a": aligned(a), "b": aligned(b), OUTPUT: aligned(c), **{x: aligned(y) for x, y in beside.items()}}

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.gemm import prepare

        return prepare(a["a"], a["b"], a[OUTPUT], b_layout="nk", **options(a))

    def expected(a: Arrays) -> np.ndarray:
        import numpy as np

        left, right = a["a"].astype(np.float64), a["b"].astype(np.float64)
        if exact is _scaled:
            left = left * np.repeat(a["scale_a"], 128, 1)[:, :k]
            right = right * np.repeat(np.repeat(a["scale_b"], 128, 0)[:n], 128, 1)[:, :k]
        return exact(left @ right.T, a).astype(np.float32).astype(a[OUTPUT].dtype)

    size = " × ".join(map(str, SIZES))
    slug = "-".join(types)
    return Case(f"gemm/{what}/{slug}", f"gemm {what}", size, arrays, prepare, expected, kinds=("integers",))


def _scales(a: Mapping[str, Any]) -> dict[str, Any]:
    return {"scale_a": a["scale_a"], "scale_b": a["scale_b"]}


def _scaled(product: Any, a: Arrays) -> Any:
    return product


def _epilogue(a: Mapping[str, Any]) -> dict[str, Any]:
    from ptxlab.kernels.blocks.epilogue import bias, relu, residual

    return {"epilogue": bias(a["bias"]) | relu | residual(a["matrix"])}


def _finished(product: Any, a: Arrays) -> Any:
    import numpy as np

    return np.maximum(product + a["bias"], 0) + a["matrix"]


def _less(k: Any, gate: Any, x: Any) -> Any:
    return k.sub.f32(gate, x)


def _gate(a: Mapping[str, Any]) -> dict[str, Any]:
    from ptxlab.kernels.blocks.epilogue import gated

    return {"epilogue": gated(_less)}


def _gated(product: Any, a: Arrays) -> Any:
    half = product.shape[1] // 2
    return product[:, :half] - product[:, half:]
