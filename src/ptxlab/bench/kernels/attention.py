"""Lines of attention: heads and lengths that models have, beside torch's and others' kernels on the same tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels import peers
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere, add, check
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Reach, Work

NAME: Final = "ptxlab, attention"


@dataclass(frozen=True, slots=True)
class Heads:
    """Tensors of attention: batches × rows × heads × depth, as the products around it have them.

    Attributes:
        keys: heads of K and V. causal: whether a query sees no keys behind its own.
    """

    batches: int
    rows: int
    heads: int
    keys: int
    depth: int
    causal: bool = False

    @property
    def name(self) -> str:
        """For the table."""
        heads = f"{self.heads} heads" if self.heads == self.keys else f"{self.heads} heads on {self.keys}"
        return f"{self.batches} × {self.rows}, {heads} of {self.depth}{', causal' if self.causal else ''}"

    @property
    def operations(self) -> float:
        """Of both products; what a mask hides is not counted."""
        return 4.0 * self.batches * self.heads * self.rows**2 * self.depth * (0.5 if self.causal else 1.0)

    @property
    def bytes(self) -> float:
        """Q, K, V and O, each once."""
        return 4.0 * self.batches * self.rows * self.depth * (self.heads + self.keys)


HEADS: Final = (
    Heads(1, 16384, 16, 16, 128),
    Heads(1, 16384, 16, 16, 128, causal=True),
    Heads(4, 4096, 32, 8, 128, causal=True),
    Heads(32, 512, 16, 16, 128),
    Heads(1, 16384, 32, 32, 64),
    Heads(1, 16384, 32, 32, 64, causal=True),
    Heads(2, 8192, 8, 8, 256),
    Heads(2, 8192, 8, 8, 256, causal=True),
)


def works(*, quick: bool = False) -> list[Work]:
    """The lines; a shape is batches, rows and depth."""
    return [line(h) for h in (HEADS[1:3] if quick else HEADS)]


def line(heads: Heads) -> Work:
    """A line in bf16."""
    shape = (heads.batches, heads.rows, heads.depth)
    return Work(
        "attention",
        heads.name,
        (shape,),
        Reach(1.03),
        what=heads.name,
        counted=heads.operations,
        moved=heads.bytes,
    )


def contenders(made: Contest, work: Work, inputs: Inputs, names: Sequence[str], known: Sequence[Heads] = HEADS) -> None:
    """One set of inputs for all."""
    from ptxlab.kernels.attention import prepare

    torch = inputs.torch
    h = next(h for h in known if h.name == work.what)
    q = inputs.normal(h.batches, h.rows, h.heads, h.depth)
    k, v = (inputs.normal(h.batches, h.rows, h.keys, h.depth) for _ in range(2))
    o = inputs.room(*q.shape)
    add(made.ours, made.missing, NAME, lambda: prepare(q, k, v, o, causal=h.causal, layout="bshd"))
    if made.ours.get(NAME):
        check(torch, NAME, work, o, exactly(torch, h, q, k, v))
        o.fill_(float("nan"))
    for name, maker in peers_of(torch, names, h, (q, k, v)).items():
        add(made.peers, made.missing, name, maker)


def exactly(torch: ModuleType, h: Heads, q: Any, k: Any, v: Any) -> Any:
    """The result in f32, a head at a time: all scores together are more than the memory has."""
    out = torch.empty(q.shape, dtype=torch.float32, device=q.device)
    hidden = torch.ones(h.rows, h.rows, dtype=torch.bool, device=q.device).triu(1) if h.causal else None
    for batch in range(h.batches):
        for head in range(h.heads):
            shared = head * h.keys // h.heads
            scores = q[batch, :, head].float() @ k[batch, :, shared].float().T * h.depth**-0.5
            if hidden is not None:
                scores = scores.masked_fill_(hidden, float("-inf"))
            out[batch, :, head] = scores.softmax(1) @ v[batch, :, shared].float()
    return out


def peers_of(
    torch: ModuleType, names: Sequence[str], h: Heads, tensors: tuple[Any, ...]
) -> dict[str, Callable[[], Call]]:
    """What makes the calls of others, by name."""
    found: dict[str, Callable[[], Call]] = {}
    if "cudnn" in names:
        found["cuDNN"] = lambda: _torch(torch, "CUDNN_ATTENTION", h, tensors)
    if "cublas" in names:
        found["torch, FlashAttention 2"] = lambda: _torch(torch, "FLASH_ATTENTION", h, tensors)
    if "flash" in names:
        found["FlashAttention 3"] = lambda: _flash(h, tensors)
    return found


def _torch(torch: ModuleType, backend: str, h: Heads, tensors: tuple[Any, ...]) -> Call:
    attention = torch.nn.attention
    chosen = getattr(attention.SDPBackend, backend)
    q, k, v = (x.transpose(1, 2) for x in tensors)

    def call() -> Any:
        with attention.sdpa_kernel(chosen):
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=h.causal, enable_gqa=h.heads != h.keys
            )

    return call


def _flash(h: Heads, tensors: tuple[Any, ...]) -> Call:
    found = peers.installed("flash_attn_interface")
    function = getattr(found, "flash_attn_func", None)
    if function is None:
        raise NotThere("flash_attn_interface has no flash_attn_func")
    return functools.partial(function, *tensors, causal=h.causal)
