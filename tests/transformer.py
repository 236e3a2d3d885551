"""A small language model whose products, attention, norms and loss are given: the library's operators, or torch's own."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch

from ptxlab.kernels import operators

OURS = SimpleNamespace(
    product=lambda x, w: operators.matmul(x, w, transpose_b=True),
    attention=lambda q, k, v: operators.attention(q, k, v, causal=True, layout="bshd")[0],
    norm=operators.rms_norm,
    loss=operators.cross_entropy,
)


def _attention(q: Any, k: Any, v: Any) -> Any:
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)


TORCHS = SimpleNamespace(
    product=lambda x, w: x @ w.T,
    attention=_attention,
    norm=lambda x, w: torch.nn.functional.rms_norm(x, (x.shape[-1],), w, 1e-6),
    loss=lambda x, targets: torch.nn.functional.cross_entropy(x.float(), targets, reduction="none"),
)


@dataclass(frozen=True)
class Size:
    """Extents of the model and of a batch. heads have width // heads elements."""

    words: int = 61
    width: int = 64
    heads: int = 1
    layers: int = 1
    batches: int = 2
    rows: int = 20


def weights(size: Size, device: str) -> dict[str, Any]:
    """Weights in f32, the same ones each time."""
    numbers = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Any:
        return (torch.randn(*shape, generator=numbers) * shape[-1] ** -0.5).to(device).requires_grad_()

    n = size.width
    found: dict[str, Any] = {"words": drawn(size.words, n), "places": drawn(size.rows, n), "out": drawn(size.words, n)}
    for i in range(size.layers):
        found |= {
            f"qkv{i}": drawn(3 * n, n),
            f"o{i}": drawn(n, n),
            f"up{i}": drawn(4 * n, n),
            f"down{i}": drawn(n, 4 * n),
        }
    norms = [f"{name}{i}" for i in range(size.layers) for name in ("first", "second")]
    return found | {name: torch.ones(n, device=device).requires_grad_() for name in (*norms, "last")}


def loss_of(size: Size, ops: Any, w: dict[str, Any], words: Any) -> Any:
    """The mean loss of predicting each next word, multiplied in bf16."""

    def product(x: Any, name: str) -> Any:
        return ops.product(x.reshape(-1, x.shape[-1]).bfloat16(), w[name].bfloat16()).reshape(*x.shape[:-1], -1)

    x = w["words"][words[:, :-1]] + w["places"]
    for i in range(size.layers):
        normed = ops.norm(x, w[f"first{i}"])
        q, k, v = product(normed, f"qkv{i}").unflatten(-1, (3, size.heads, -1)).unbind(2)
        mixed = ops.attention(q.contiguous(), k.contiguous(), v.contiguous()).flatten(2)
        x = x + product(mixed, f"o{i}").float()
        x = x + product(torch.nn.functional.gelu(product(ops.norm(x, w[f"second{i}"]), f"up{i}")), f"down{i}").float()
    scores = product(ops.norm(x, w["last"]), "out").flatten(0, 1)
    return ops.loss(scores, words[:, 1:].reshape(-1)).mean()


def trained(size: Size, ops: Any, steps: int, device: str = "cpu", backend: str = "aot_eager") -> list[float]:
    """The losses of so many steps under torch.compile, on words that follow a rule."""
    w, numbers = weights(size, device), torch.Generator().manual_seed(1)
    best = torch.optim.AdamW(w.values(), lr=1e-2)
    loss = torch.compile(lambda words: loss_of(size, ops, w, words), fullgraph=True, backend=backend)
    out: list[float] = []
    for _ in range(steps):
        start = torch.randint(size.words, (size.batches, 1), generator=numbers)
        words = (start + 7 * torch.arange(size.rows + 1)) % size.words
        best.zero_grad()
        now = loss(words.to(device))
        now.backward()
        best.step()
        out.append(now.item())
    return out
