"""Lines of attention: heads and lengths that models have, beside torch's and others' kernels on the same tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels import peers
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere, add, check
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Reach, Work

NAME: Final = "ptxlab, attention"
WEIGHTS_IN_FP8: Final = 0.04
"""Relative error in the Frobenius norm where weights are rounded to e4m3, whose numbers are 1/16 to 1/8 apart."""


@dataclass(frozen=True, slots=True)
class Heads:
    """Tensors of attention: batches × rows × heads × depth, as the products around it have them.

    Attributes:
        keys: heads of K and V. causal: whether a query sees no keys behind its own.
        of_values: elements of a head of V and O; 0: as many as of Q and K. lengths: of sequences that are packed into one batch.
        dtype: of Q, K and V.
    """

    batches: int
    rows: int
    heads: int
    keys: int
    depth: int
    causal: bool = False
    of_values: int = 0
    lengths: tuple[int, ...] = ()
    dtype: str = "bfloat16"

    @classmethod
    def packed(cls, lengths: tuple[int, ...], heads: int, keys: int, depth: int) -> Heads:
        """Causal attention of packed sequences."""
        return cls(1, sum(lengths), heads, keys, depth, causal=True, lengths=lengths)

    @property
    def value_depth(self) -> int:
        """Elements of a head of V and O."""
        return self.of_values or self.depth

    @property
    def name(self) -> str:
        """For the table."""
        heads = f"{self.heads} heads" if self.heads == self.keys else f"{self.heads} heads on {self.keys}"
        depth = f"{self.depth} and {self.of_values}" if self.of_values else f"{self.depth}"
        rows = f"{self.batches} × {self.rows}"
        if self.lengths:
            rows = f"{len(self.lengths)} of {min(self.lengths)} to {max(self.lengths)}"
        return f"{rows}, {heads} of {depth}{', causal' if self.causal else ''}{', fp8' if self.size == 1 else ''}"

    @property
    def size(self) -> int:
        """Bytes of an element of Q, K and V."""
        return 1 if self.dtype == peers.FP8 else 2

    @property
    def operations(self) -> float:
        """Of both products; what a mask hides is not counted."""
        scores = sum(n * n for n in self.lengths) or self.batches * self.rows**2
        return 2.0 * self.heads * scores * (self.depth + self.value_depth) * (0.5 if self.causal else 1.0)

    @property
    def bytes(self) -> float:
        """Q, K, V and O, each once."""
        queries, shared = (
            n * self.size for n in (self.heads * self.depth, self.keys * (self.depth + self.value_depth))
        )
        return float(self.batches * self.rows * (queries + shared + 2 * self.heads * self.value_depth))


HEADS: Final = (
    Heads(1, 16384, 16, 16, 128),
    Heads(1, 16384, 16, 16, 128, causal=True),
    Heads(4, 4096, 32, 8, 128, causal=True),
    Heads(32, 512, 16, 16, 128),
    Heads(1, 16384, 32, 32, 64),
    Heads(1, 16384, 32, 32, 64, causal=True),
    Heads(2, 8192, 8, 8, 256),
    Heads(2, 8192, 8, 8, 256, causal=True),
    Heads(2, 8192, 16, 16, 96, causal=True),
    Heads(2, 8192, 16, 16, 192, causal=True, of_values=128),
    Heads.packed(tuple(512 + 64 * (i * 37 % 29) for i in range(12)), 32, 8, 128),
    Heads(1, 16384, 16, 16, 128, dtype=peers.FP8),
    Heads(1, 16384, 16, 16, 128, causal=True, dtype=peers.FP8),
)


def works(*, quick: bool = False) -> list[Work]:
    """The lines; a shape is batches, rows and depth."""
    return [line(h) for h in (HEADS[1:3] if quick else HEADS)]


def line(heads: Heads) -> Work:
    """A line. In fp8 V is transposed ahead of each call, and counts."""
    shape = (heads.batches, heads.rows, heads.depth)
    return Work(
        "attention",
        heads.name,
        (shape,),
        Reach(1.03 if heads.size == 2 else 1.0),
        size=heads.size,
        what=heads.name,
        counted=heads.operations,
        moved=heads.bytes,
    )


def contenders(made: Contest, work: Work, inputs: Inputs, names: Sequence[str], known: Sequence[Heads] = HEADS) -> None:
    """One set of inputs for all."""
    from ptxlab.kernels.attention import prepare

    torch = inputs.torch
    h = next(h for h in known if h.name == work.what)
    q, k = (inputs.normal(h.batches, h.rows, heads, h.depth, dtype=h.dtype) for heads in (h.heads, h.keys))
    v = inputs.normal(h.batches, h.rows, h.keys, h.value_depth, dtype=h.dtype)
    o = inputs.room(h.batches, h.rows, h.heads, h.value_depth)

    def ours() -> Call:
        if not h.lengths:
            return prepare(q, k, v, o, causal=h.causal, layout="bshd")
        ends = offsets(torch, h, q)
        return prepare(q[0], k[0], v[0], o[0], causal=h.causal, q_offsets=ends, k_offsets=ends)

    add(made.ours, made.missing, NAME, ours)
    if made.ours.get(NAME):
        check(torch, NAME, work, o, exactly(torch, h, q, k, v), tolerance=WEIGHTS_IN_FP8 if h.size == 1 else None)
        o.fill_(float("nan"))
    for name, maker in peers_of(torch, names, h, (q, k, v)).items():
        add(made.peers, made.missing, name, maker)


def offsets(torch: ModuleType, h: Heads, like: Any) -> Any:
    """Where packed sequences begin, and the end."""
    return torch.tensor([0, *accumulate(h.lengths)], dtype=torch.int32, device=like.device)


def exactly(torch: ModuleType, h: Heads, q: Any, k: Any, v: Any) -> Any:
    """The result in f32, a head at a time: all scores together are more than the memory has."""
    out = torch.empty((*q.shape[:3], h.value_depth), dtype=torch.float32, device=q.device)
    ends = list(accumulate(h.lengths, initial=0)) if h.lengths else [0, h.rows]
    for batch, (first, end), head in product(range(h.batches), pairwise(ends), range(h.heads)):
        rows, shared = slice(first, end), head * h.keys // h.heads
        scores = q[batch, rows, head].float() @ k[batch, rows, shared].float().T * h.depth**-0.5
        if h.causal:
            hidden = torch.ones(scores.shape, dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill_(hidden, float("-inf"))
        out[batch, rows, head] = scores.softmax(1) @ v[batch, rows, shared].float()
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
        found["FlashAttention 3"] = lambda: _flash(torch, h, tensors)
    return found


def _torch(torch: ModuleType, backend: str, h: Heads, tensors: tuple[Any, ...]) -> Call:
    if h.lengths or h.size == 1:
        raise NotThere(f"torch's attention takes no {'packed sequences' if h.lengths else 'fp8'}")
    attention = torch.nn.attention
    chosen = getattr(attention.SDPBackend, backend)
    q, k, v = (x.transpose(1, 2) for x in tensors)

    def call() -> Any:
        with attention.sdpa_kernel(chosen):
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=h.causal, enable_gqa=h.heads != h.keys
            )

    return call


def _flash(torch: ModuleType, h: Heads, tensors: tuple[Any, ...]) -> Call:
    if h.size == 1:
        raise NotThere("it takes scales for each head")
    found = peers.installed("flash_attn_interface")
    name = "flash_attn_varlen_func" if h.lengths else "flash_attn_func"
    function = getattr(found, name, None)
    if function is None:
        raise NotThere(f"flash_attn_interface has no {name}")
    if not h.lengths:
        return functools.partial(function, *tensors, causal=h.causal)
    ends, longest = offsets(torch, h, tensors[0]), max(h.lengths)
    more = {"cu_seqlens_q": ends, "cu_seqlens_k": ends, "max_seqlen_q": longest, "max_seqlen_k": longest}
    return functools.partial(function, *(x[0] for x in tensors), causal=h.causal, **more)
