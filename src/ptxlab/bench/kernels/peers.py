"""Who else multiplies matrices, where it is installed: cuBLAS through torch, torch.compile with max-autotune, Triton, QuACK."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels.contest import NotThere
from ptxlab.bench.kernels.timing import Call
from ptxlab.diag import Diagnostic

PEERS: Final = ("cublas", "cudnn", "compile", "triton", "quack", "flash", "flashinfer")
"""cublas: all that torch itself calls, but for cuDNN. flash: FlashAttention."""
QUICK: Final = ("cublas", "cudnn", "quack", "flash", "flashinfer")
"""Those that are ready without minutes of tuning."""
Functions = Callable[[ModuleType], dict[str, Callable[..., Any]]]
"""What torch does in the place of a kernel of ours, by name."""
FP8: Final = "float8_e4m3fn"
BLOCK: Final = 128


def chosen(words: Sequence[str], *, quick: bool) -> tuple[str, ...]:
    """Names of peers. Raises: Diagnostic PTX2501 for one that does not exist."""
    for word in words:
        if word not in PEERS:
            raise Diagnostic("PTX2501", f"--peers {word}: there is no such peer.", help=f"peers: {', '.join(PEERS)}")
    return tuple(words) or (QUICK if quick else PEERS)


def installed(name: str) -> ModuleType:
    """A library. Raises: NotThere."""
    try:
        return importlib.import_module(name)
    except Exception as e:  # a library that cannot be imported may raise anything
        raise NotThere(f"{name} cannot be imported: {str(e).splitlines()[0] if str(e) else type(e).__name__}") from None


def products(
    torch: ModuleType, names: Sequence[str], a: Any, b: Any, bt: Any, c: Any, layout: str = ""
) -> dict[str, Callable[[], Call]]:
    """Peers for C = A · B; `bt` is B as N × K. Each comes as what makes its call.

    layout: of B, where it is not theirs to choose.
    """
    made: dict[str, Callable[[], Call]] = {}
    if "cublas" in names and layout != "nk":
        made["cuBLAS, a @ b"] = lambda: lambda: torch.matmul(a, b, out=c)
    if "cublas" in names and layout != "kn":
        made["cuBLAS, a @ b.T"] = lambda: lambda: torch.matmul(a, bt.T, out=c)
    if "compile" in names:
        made["torch.compile"] = lambda: _tuned(torch, "matmul", a, bt.T if layout == "nk" else b)
    if layout == "kn":
        return made  # the others read B as N × K
    if "triton" in names:
        made["Triton"] = lambda: _triton(a, bt, c)
    if "quack" in names:
        made["QuACK"] = lambda: functools.partial(installed("quack.gemm_interface").gemm, a, bt.T, out=c)
    return made


def tuned(torch: ModuleType, functions: Functions, what: str, *args: Any) -> Call:
    """A call of a function by torch's compiler, tuned for the shapes of these arguments. It says how; nobody asked."""
    with contextlib.redirect_stderr(io.StringIO()):
        made = _compiled(torch, functions, what, tuple(tuple(x.shape) for x in args))
        made(*args)
    return functools.partial(made, *args)


def _tuned(torch: ModuleType, what: str, *args: Any) -> Call:
    return tuned(torch, _functions, what, *args)


@functools.lru_cache(maxsize=1)
def _compiled(
    torch: ModuleType, functions: Functions, what: str, shapes: tuple[tuple[int, ...], ...]
) -> Callable[..., Any]:
    """A function of torch's compiler, with all that it tunes; anew for other shapes, of which it takes only a few by itself."""
    installed("triton")  # which it writes
    torch._dynamo.reset()
    return torch.compile(functions(torch)[what], mode="max-autotune-no-cudagraphs", dynamic=False)


def _functions(torch: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions that lines are about."""

    def matmul(a: Any, b: Any) -> Any:
        return a @ b

    def gelu(a: Any, b: Any, bias: Any) -> Any:
        return torch.nn.functional.gelu(a @ b + bias, approximate="tanh")

    def swiglu(a: Any, b: Any) -> Any:
        gate, up = (a @ b).chunk(2, -1)
        return torch.nn.functional.silu(gate) * up

    def residual(a: Any, b: Any, c: Any) -> Any:
        return a @ b + c

    def fp8(a: Any, b: Any, of_a: Any, of_b: Any) -> Any:
        return _scaled_mm(torch)(a, b, of_a, of_b, out_dtype=torch.bfloat16, use_fast_accum=True)

    return {"matmul": matmul, "fp8": fp8, "bias + GELU": gelu, "SwiGLU": swiglu, "residual": residual}


def exactly(torch: ModuleType, what: str, *args: Any) -> Any:
    """What a function gives, one operation after the other."""
    return _functions(torch)[what](*args)


def _triton(a: Any, bt: Any, c: Any) -> Call:
    installed("triton")
    from ptxlab.bench.kernels import triton_peer

    return triton_peer.call(a, bt, c)


def fused(
    torch: ModuleType, names: Sequence[str], epilogue: str, args: tuple[Any, ...]
) -> dict[str, Callable[[], Call]]:
    """Peers for a product with an epilogue. cuBLAS has these epilogues in separate kernels: its line is the sum of them."""
    made: dict[str, Callable[[], Call]] = {}
    if "compile" in names:
        made["torch.compile"] = lambda: _tuned(torch, epilogue, *args)
    return made


def fp8(torch: ModuleType, names: Sequence[str], a: Any, bt: Any) -> dict[str, Callable[[], Call]]:
    """Peers for fp8 with one scale for each matrix: cuBLAS through torch._scaled_mm."""
    one = torch.ones((), device="cuda")

    def made() -> Call:
        return functools.partial(_scaled_mm(torch), a, bt.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)

    return {
        **({"cuBLAS, fp8": made} if "cublas" in names else {}),
        **({"torch.compile, fp8": lambda: _tuned(torch, "fp8", a, bt.T, one, one)} if "compile" in names else {}),
    }


def fp8_rows(
    torch: ModuleType, names: Sequence[str], a: Any, bt: Any, scales: tuple[Any, Any]
) -> dict[str, Callable[[], Call]]:
    """Peers for fp8 with a scale for each row of A and column of B: cuBLAS through torch._scaled_mm, and torch's compiler."""
    of_a, of_b = scales[0][:, None], scales[1][None, :]

    def made() -> Call:
        return functools.partial(_scaled_mm(torch), a, bt.T, of_a, of_b, out_dtype=torch.bfloat16, use_fast_accum=True)

    return {
        **({"cuBLAS, fp8 with rows": made} if "cublas" in names else {}),
        **(
            {"torch.compile, fp8 with rows": lambda: _tuned(torch, "fp8", a, bt.T, of_a, of_b)}
            if "compile" in names
            else {}
        ),
    }


def fp8_blocks(
    torch: ModuleType, names: Sequence[str], a: Any, bt: Any, scales: tuple[Any, Any]
) -> dict[str, Callable[[], Call]]:
    """Peers for fp8 with a scale for each 1 × 128 of A, neighbours along M, and 128 × 128 of B: cuBLAS through torch._scaled_mm."""

    def made() -> Call:
        of_a, of_b = scales
        return functools.partial(_scaled_mm(torch), a, bt.T, of_a, of_b.t(), out_dtype=torch.bfloat16)

    return {"cuBLAS, fp8 with blocks": made} if "cublas" in names else {}


def _scaled_mm(torch: ModuleType) -> Callable[..., Any]:
    found = getattr(torch, "_scaled_mm", None)
    if found is None:
        raise NotThere("this torch has no _scaled_mm")
    return found


def grouped(
    torch: ModuleType, names: Sequence[str], a: list[Any], b: list[Any], stacked: Any
) -> dict[str, Callable[[], Call]]:
    """Peers for many products: torch's grouped one where N and K are equal; `stacked`: all A and all B in one array each."""

    def made() -> Call:
        multiply = getattr(torch, "_grouped_mm", None)
        if multiply is None or stacked is None:
            raise NotThere("torch has no grouped product for this")
        rows, matrices = stacked
        ends = torch.cumsum(torch.tensor([x.shape[0] for x in a], device="cuda"), 0).to(torch.int32)
        return functools.partial(multiply, rows, matrices, offs=ends)

    return {"torch, grouped": made} if "cublas" in names else {}


def grouped_depth(torch: ModuleType, names: Sequence[str], x: Any, dy: Any, ends: Any) -> dict[str, Callable[[], Call]]:
    """Peers for groups that are parts of K: torch's grouped product of two flat matrices."""

    def made() -> Call:
        multiply = getattr(torch, "_grouped_mm", None)
        if multiply is None:
            raise NotThere("torch has no grouped product")
        return functools.partial(multiply, x.T, dy, offs=ends)

    return {"torch, grouped": made} if "cublas" in names else {}
