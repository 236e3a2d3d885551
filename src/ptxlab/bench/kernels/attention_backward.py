"""Lines of the gradients of attention, beside those of torch's and others' kernels on the same tensors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels import attention
from ptxlab.bench.kernels.attention import Heads
from ptxlab.bench.kernels.contest import Contest, Inputs, add, check
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Reach, Work

NAME: Final = "ptxlab, attention backward"
HEADS: Final = tuple(h for h in attention.HEADS if not h.of_values and not h.lengths and h.size == 2)


def works(*, quick: bool = False) -> list[Work]:
    """The lines, of the heads that the forward pass has."""
    return [line(h) for h in (HEADS[1:3] if quick else HEADS)]


def line(heads: Heads) -> Work:
    """A line in bf16: five products in place of two, however many a kernel needs; Q, K, V, O and four gradients."""
    forward = attention.line(heads)
    return replace(
        forward,
        kind="attention-backward",
        name=f"{forward.name}, backward",
        reach=Reach(0.9),
        counted=2.5 * heads.operations,
        moved=2.0 * heads.bytes,
    )


def contenders(made: Contest, work: Work, inputs: Inputs, names: Sequence[str], known: Sequence[Heads] = HEADS) -> None:
    """One set of inputs for all."""
    from ptxlab.kernels import attention as ours

    torch = inputs.torch
    h = next(h for h in known if h.name == work.what)
    q, d_o = (inputs.normal(h.batches, h.rows, h.heads, h.depth) for _ in range(2))
    k, v = (inputs.normal(h.batches, h.rows, h.keys, h.depth) for _ in range(2))
    o, lse = inputs.room(*q.shape), inputs.room(h.batches, h.heads, h.rows, dtype="float32")
    found = [inputs.room(*x.shape) for x in (q, k, v)]
    options: dict[str, Any] = {"causal": h.causal, "layout": "bshd"}

    def call() -> Call:
        ours.attention(q, k, v, o, lse=lse, **options)
        rooms = dict(zip(("dq", "dk", "dv"), found, strict=True))
        return ours.prepare_backward(d_o, q, k, v, o, lse, **rooms, **options)

    add(made.ours, made.missing, NAME, call)
    if made.ours.get(NAME):
        for one, wanted in zip(found, exactly(torch, h, (q, k, v), d_o), strict=True):
            check(torch, NAME, work, one, wanted)
            one.fill_(float("nan"))
    leaves = tuple(x.detach().requires_grad_() for x in (q, k, v))
    for name, maker in attention.peers_of(torch, names, h, leaves).items():
        add(made.peers, made.missing, name, lambda maker=maker: _backward(torch, maker(), leaves, d_o))


def _backward(torch: ModuleType, forward: Call, leaves: tuple[Any, ...], d_o: Any) -> Call:
    given: Any = forward()
    o = given if hasattr(given, "shape") else given[0]
    turned = d_o if o.shape == d_o.shape else d_o.transpose(1, 2)
    return functools.partial(torch.autograd.grad, o, leaves, turned, retain_graph=True)


def exactly(torch: ModuleType, h: Heads, tensors: tuple[Any, ...], d_o: Any) -> list[Any]:
    """The gradients in f32, a head at a time."""
    out = [torch.zeros(x.shape, dtype=torch.float32, device=x.device) for x in tensors]
    for batch in range(h.batches):
        for head in range(h.heads):
            places = [(batch, slice(None), i) for i in (head, *[head * h.keys // h.heads] * 2)]
            one = [x[at][None, :, None].detach().requires_grad_() for x, at in zip(tensors, places, strict=True)]
            o = attention.exactly(torch, replace(h, batches=1, heads=1, keys=1), *one)
            grads = torch.autograd.grad(o, one, d_o[batch, :, head][None, :, None].float())
            for total, at, grad in zip(out, places, grads, strict=True):
                total[at] += grad[0, :, 0]
    return out
