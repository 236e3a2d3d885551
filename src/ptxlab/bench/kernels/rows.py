"""Lines of what lies between products: norms, softmax, losses, fp8 and transposition, which memory bounds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, cast

from ptxlab.bench.kernels import peers
from ptxlab.bench.kernels.contest import Contest, Inputs, add, check
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Reach, Work
from ptxlab.kernels import rows as ours

NAME: Final = "ptxlab, rows"
ELEMENTS: Final = 1 << 27
"""Of a matrix: several times what the L2 cache holds."""
WIDTHS: Final = (1024, 4096, 16384, 65536)
VOCABULARIES: Final = (32768, 131072, 262144)
IGNORED: Final = -100


@dataclass(frozen=True, slots=True)
class Made:
    """One set of inputs of an operation.

    Attributes:
        ours: makes our call. result: what it writes. args: of torch's function, whose result (the first one) is held to ours.
        peer: for QuACK, where it has the operation: the name of its function and its arguments.
    """

    ours: Callable[[], Call]
    result: Any
    args: tuple[Any, ...]
    peer: tuple[str, tuple[Any, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on rows × columns in bf16.

    Attributes:
        made: inputs and calls, of the drawn inputs, rows and columns. bytes: read and written for an element. widths: columns.
    """

    made: Callable[[Inputs, int, int], Made]
    bytes: float
    widths: Sequence[int] = WIDTHS


def works(*, quick: bool = False) -> list[Work]:
    """The lines."""
    return [line(name, w) for name, op in ROWS.items() for w in (op.widths[1:2] if quick else op.widths)]


def line(name: str, columns: int, elements: int = ELEMENTS) -> Work:
    """A line of so many elements."""
    rows = elements // columns
    return Work(
        "rows",
        f"{name}, {rows} × {columns}",
        ((rows, columns, 1),),
        Reach(1.0, share=0.98),
        what=name,
        moved=ROWS[name].bytes * rows * columns,
    )


def contenders(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """One set of inputs for all."""
    torch, ((rows, columns, _),) = inputs.torch, work.shapes
    one = ROWS[work.what].made(inputs, rows, columns)
    add(made.ours, made.missing, NAME, one.ours)
    if made.ours.get(NAME):
        check(torch, NAME, work, one.result, _first(functions(torch)[work.what](*one.args)))
    if "cublas" in names:
        add(made.peers, made.missing, "torch", lambda: functools.partial(functions(torch)[work.what], *one.args))
    if "compile" in names:
        add(made.peers, made.missing, "torch.compile", lambda: peers.tuned(torch, functions, work.what, *one.args))
    if "quack" in names and one.peer is not None:
        name, args = one.peer
        add(
            made.peers, made.missing, "QuACK", lambda: functools.partial(getattr(peers.installed("quack"), name), *args)
        )


def _first(result: Any) -> Any:
    return cast(tuple[Any, ...], result)[0] if isinstance(result, tuple) else result


def functions(torch: ModuleType) -> dict[str, Callable[..., Any]]:
    """What torch does, by the names of the operations; the first result is the one that ours is held to."""
    f = torch.nn.functional

    def rms_norm(x: Any, weight: Any) -> Any:
        return f.rms_norm(x, (x.shape[1],), weight, 1e-6)

    def with_residual(x: Any, residual: Any, weight: Any) -> Any:
        kept = x + residual
        return rms_norm(kept, weight), kept

    def rms_norm_backward(dy: Any, x: Any, weight: Any) -> Any:
        wide, dwide = x.float(), dy.float()
        rstd = torch.rsqrt(wide.square().mean(1, keepdim=True) + 1e-6)
        normed, scaled = wide * rstd, dwide * weight.float()
        dx = (scaled - normed * (scaled * normed).mean(1, keepdim=True)) * rstd
        return dx.to(x.dtype), (dwide * normed).sum(0).to(weight.dtype)

    def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
        return f.layer_norm(x, (x.shape[1],), weight, bias, 1e-5)

    def softmax(x: Any) -> Any:
        return f.softmax(x, 1)

    def cross_entropy(x: Any, targets: Any) -> Any:
        return f.cross_entropy(x.float(), targets, reduction="none")

    def cross_entropy_backward(dloss: Any, x: Any, targets: Any, lse: Any) -> Any:
        powers = torch.exp(x.float() - lse[:, None]) * dloss[:, None]
        hit = torch.arange(x.shape[1], device=x.device)[None, :] == targets[:, None]
        return (powers - hit * dloss[:, None]).to(x.dtype)

    def row_scales(x: Any) -> Any:
        wide = x.float()
        scales = wide.abs().amax(1) / 448
        return (wide / scales[:, None]).to(torch.float8_e4m3fn), scales

    def block_scales(x: Any) -> Any:
        wide = x.float().view(x.shape[0], -1, 128)
        scales = wide.abs().amax(2) / 448
        return (wide / scales[:, :, None]).to(torch.float8_e4m3fn).view(x.shape), scales

    def transposition(x: Any) -> Any:
        return x.T.contiguous()

    return {
        "RMSNorm": rms_norm,
        "RMSNorm with a residual": with_residual,
        "RMSNorm, gradients": rms_norm_backward,
        "LayerNorm": layer_norm,
        "softmax": softmax,
        "cross-entropy": cross_entropy,
        "cross-entropy, gradients": cross_entropy_backward,
        "fp8, a scale a row": row_scales,
        "fp8, a scale a block": block_scales,
        "transposition": transposition,
    }


def _rms_norm(inputs: Inputs, rows: int, columns: int) -> Made:
    x, weight, y = inputs.normal(rows, columns), inputs.normal(columns), inputs.room(rows, columns)
    return Made(lambda: ours.prepare_rms_norm(x, y, weight), y, (x, weight), ("rmsnorm", (x, weight)))


def _with_residual(inputs: Inputs, rows: int, columns: int) -> Made:
    x, residual, weight = inputs.normal(rows, columns), inputs.normal(rows, columns), inputs.normal(columns)
    y, kept = inputs.room(rows, columns), inputs.room(rows, columns)
    call = functools.partial(ours.prepare_rms_norm, x, y, weight, residual=residual, kept=kept)
    return Made(call, y, (x, residual, weight))


def _rms_norm_backward(inputs: Inputs, rows: int, columns: int) -> Made:
    dy, x, weight = inputs.normal(rows, columns), inputs.normal(rows, columns), inputs.normal(columns)
    dx, dweight = inputs.room(rows, columns), inputs.room(columns)
    call = functools.partial(ours.prepare_rms_norm_backward, dy, x, dx, weight, dweight=dweight)
    return Made(call, dx, (dy, x, weight))


def _layer_norm(inputs: Inputs, rows: int, columns: int) -> Made:
    x, weight, bias = inputs.normal(rows, columns), inputs.normal(columns), inputs.normal(columns)
    y = inputs.room(rows, columns)
    return Made(lambda: ours.prepare_layer_norm(x, y, weight, bias), y, (x, weight, bias))


def _softmax(inputs: Inputs, rows: int, columns: int) -> Made:
    x, y = inputs.normal(rows, columns), inputs.room(rows, columns)
    return Made(lambda: ours.prepare_softmax(x, y), y, (x,), ("softmax", (x,)))


def _logits(inputs: Inputs, rows: int, columns: int) -> tuple[Any, Any, Any]:
    x, loss = inputs.normal(rows, columns), inputs.room(rows, dtype="float32")
    targets = inputs.torch.randint(columns, (rows,), generator=inputs.generator, device=inputs.device)
    return x, targets, loss


def _cross_entropy(inputs: Inputs, rows: int, columns: int) -> Made:
    x, targets, loss = _logits(inputs, rows, columns)
    lse = inputs.room(rows, dtype="float32")
    call = functools.partial(ours.prepare_cross_entropy, x, targets, loss, lse=lse, ignore_index=IGNORED)
    return Made(call, loss, (x, targets), ("cross_entropy", (x, targets)))


def _cross_entropy_backward(inputs: Inputs, rows: int, columns: int) -> Made:
    x, targets, _ = _logits(inputs, rows, columns)
    dloss, dx = inputs.normal(rows, dtype="float32"), inputs.room(rows, columns)
    lse = inputs.torch.logsumexp(x.float(), 1)
    call = functools.partial(ours.prepare_cross_entropy_backward, dloss, x, targets, lse, dx)
    return Made(call, dx, (dloss, x, targets, lse))


def _quantized(inputs: Inputs, rows: int, columns: int, *, scaled: Any) -> Made:
    x, y = inputs.normal(rows, columns), inputs.normal(rows, columns, dtype=peers.FP8)
    shape = (rows,) if scaled == "row" else (rows, columns // 128)
    scales = inputs.room(*shape, dtype="float32")
    return Made(lambda: ours.prepare_quantize(x, y, scales, scaled=scaled), y, (x,))


def _transposition(inputs: Inputs, rows: int, columns: int) -> Made:
    x, y = inputs.normal(rows, columns), inputs.room(columns, rows)
    return Made(lambda: ours.prepare_transpose(x, y), y, (x,))


ROWS: Final = {
    "RMSNorm": Operation(_rms_norm, 4),
    "RMSNorm with a residual": Operation(_with_residual, 8),
    "RMSNorm, gradients": Operation(_rms_norm_backward, 6),
    "LayerNorm": Operation(_layer_norm, 4),
    "softmax": Operation(_softmax, 4),
    "cross-entropy": Operation(_cross_entropy, 2, VOCABULARIES),
    "cross-entropy, gradients": Operation(_cross_entropy_backward, 4, VOCABULARIES),
    "fp8, a scale a row": Operation(functools.partial(_quantized, scaled="row"), 3, (4096, 16384)),
    "fp8, a scale a block": Operation(functools.partial(_quantized, scaled="block"), 3, (4096, 16384)),
    "transposition": Operation(_transposition, 4, (4096, 16384)),
}
