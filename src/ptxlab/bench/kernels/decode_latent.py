"""Lines of latent attention over a cache in pages, and their contenders: FlashMLA, FlashInfer, and torch's without pages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels.contest import Contest, Inputs, add, check
from ptxlab.bench.kernels.peers import installed
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Reach, Work

NAME: Final = "ptxlab, latent attention"
DEPTH: Final = 576
VALUES: Final = 512
SCALE: Final = DEPTH**-0.5
PAGE: Final = 64
_WORKSPACE: Final = 128 << 20
"""Bytes that FlashInfer wants."""


@dataclass(frozen=True, slots=True)
class Latent:
    """A cache with a single head, and the queries that read it.

    Attributes:
        batches: sequences, with so many keys each, in pages of 64. heads: of queries.
    """

    batches: int
    keys: int
    heads: int

    @property
    def name(self) -> str:
        """In the table."""
        return f"{self.batches} sequences of {self.keys} keys, {self.heads} heads"

    @property
    def bytes(self) -> float:
        """That have to be moved at least: keys and queries read, results written."""
        return 2.0 * self.batches * (self.keys * DEPTH + self.heads * (DEPTH + VALUES))

    @property
    def operations(self) -> float:
        """Of both products."""
        return 2.0 * self.batches * self.heads * self.keys * (DEPTH + VALUES)


CACHES: Final = (Latent(64, 8192, 128), Latent(64, 8192, 16), Latent(1, 131072, 128))
FEW_HEADS: Final = 64
"""Heads up to which memory takes longer than the tensor cores."""


def works(*, quick: bool = False) -> list[Work]:
    """The lines; a shape is sequences, keys and elements of a head."""
    return [line(c) for c in (CACHES[:1] if quick else CACHES)]


def line(cache: Latent) -> Work:
    """A line in bf16."""
    return Work(
        "decode-mla",
        cache.name,
        ((cache.batches, cache.keys, DEPTH),),
        Reach(1.0, share=0.9 if cache.heads <= FEW_HEADS else None),
        what=cache.name,
        counted=cache.operations,
        moved=cache.bytes,
    )


@dataclass(frozen=True, slots=True)
class _Set:
    """Inputs of a call: Q, a pool of pages in any order, and which page has which keys."""

    q: Any
    k: Any
    lengths: Any
    table: Any


def contenders(
    made: Contest, work: Work, inputs: Inputs, names: Sequence[str], known: Sequence[Latent] = CACHES
) -> None:
    """One set of inputs for all. Raises: Diagnostic PTX2420 where our result is wrong."""
    from ptxlab.kernels.decode import prepare

    torch, device = inputs.torch, inputs.device
    c = next(c for c in known if c.name == work.what)
    pages = c.batches * c.keys // PAGE
    given = _Set(
        inputs.normal(c.batches, 1, c.heads, DEPTH),
        inputs.normal(pages, PAGE, 1, DEPTH),
        torch.full((c.batches,), c.keys, device=device, dtype=torch.int32),
        torch.randperm(pages, device=device, generator=inputs.generator).to(torch.int32).reshape(c.batches, -1),
    )
    out = inputs.room(c.batches, 1, c.heads, VALUES)
    add(made.ours, made.missing, NAME, lambda: prepare(given.q, given.k, None, out, given.lengths, table=given.table))
    if made.ours.get(NAME):
        check(torch, NAME, work, out, _wanted(torch, given))
        out.fill_(float("nan"))
    for word, (name, maker) in _PEERS.items():
        if word in names:
            add(made.peers, made.missing, name, functools.partial(maker, torch, given))


def _wanted(torch: ModuleType, given: _Set) -> Any:
    """The result in f32, a sequence at a time."""
    found = [
        _attention(q.float(), given.k[at].flatten(0, 2).float()) for q, at in zip(given.q, given.table, strict=True)
    ]
    return torch.stack(found)


def _attention(q: Any, k: Any) -> Any:
    """Two products and a softmax, on … × heads × depth and … × keys × depth."""
    return ((q @ k.transpose(-2, -1)) * SCALE).softmax(-1) @ k[..., :VALUES]


def _torch(torch: ModuleType, given: _Set) -> Call:
    k = given.k[given.table.flatten()].reshape(given.q.shape[0], -1, DEPTH)
    return lambda: _attention(given.q[:, 0], k)


def _flash_mla(torch: ModuleType, given: _Set) -> Call:
    library = installed("flash_mla")
    plan, splits = library.get_mla_metadata(given.lengths, given.q.shape[2], 1)
    return lambda: library.flash_mla_with_kvcache(
        given.q,
        given.k,
        block_table=given.table,
        cache_seqlens=given.lengths,
        head_dim_v=VALUES,
        tile_scheduler_metadata=plan,
        num_splits=splits,
        softmax_scale=SCALE,
    )


def _flashinfer(torch: ModuleType, given: _Set) -> Call:
    room = torch.empty(_WORKSPACE, dtype=torch.uint8, device=given.q.device)
    wrapper = installed("flashinfer").mla.BatchMLAPagedAttentionWrapper(room)
    batches, each = given.table.shape
    ends = torch.arange(batches + 1, device=given.q.device, dtype=torch.int32)
    wrapper.plan(
        ends,
        ends * each,
        given.table.flatten(),
        given.lengths,
        num_heads=given.q.shape[2],
        head_dim_ckv=VALUES,
        head_dim_kpe=DEPTH - VALUES,
        page_size=PAGE,
        causal=False,
        sm_scale=SCALE,
        q_data_type=given.q.dtype,
        kv_data_type=given.k.dtype,
    )
    parts = [
        x.contiguous()
        for tensor in (given.q[:, 0], given.k[:, :, 0])
        for x in tensor.split((VALUES, DEPTH - VALUES), -1)
    ]
    return lambda: wrapper.run(*parts)


_PEERS: Final[dict[str, tuple[str, Callable[[ModuleType, _Set], Call]]]] = {
    "cublas": ("torch, two products", _torch),
    "flash": ("FlashMLA", _flash_mla),
    "flashinfer": ("FlashInfer", _flashinfer),
}
"""By the names of `peers.PEERS`."""
