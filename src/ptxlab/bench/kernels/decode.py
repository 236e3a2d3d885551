"""The contenders for attention over a cache in pages: FlashInfer, FlashAttention, and torch's without pages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere, add, check
from ptxlab.bench.kernels.peers import FP8, installed
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Decode, Reach, Work

NAME: Final = "ptxlab, decode"
_WORKSPACE: Final = 256 << 20
"""Bytes that FlashInfer wants."""


@dataclass(frozen=True, slots=True)
class Cache:
    """Keys and values in pages, and the queries that read them.

    Attributes:
        batches: sequences, with so many keys each. heads: of keys; group: of queries for each of them.
        rows: new ones of a sequence. depth: elements of a head. page: keys of a page.
    """

    batches: int
    keys: int
    heads: int = 8
    group: int = 8
    rows: int = 1
    depth: int = 128
    page: int = 64

    @property
    def name(self) -> str:
        """In the table."""
        rows = f", {self.rows} new rows" if self.rows > 1 else ""
        return f"{self.batches} sequences of {self.keys} keys{rows}"

    def bytes(self, size: int) -> float:
        """That have to be moved at least: keys and values read, in so many bytes an element; queries read and results written."""
        numbers = self.batches * self.heads * self.depth
        return 2.0 * numbers * (self.keys * size + 2 * self.group * self.rows)

    @property
    def operations(self) -> float:
        """Of both products."""
        return 4.0 * self.batches * self.heads * self.group * self.rows * self.keys * self.depth


CACHES: Final = (Cache(64, 8192), Cache(1, 131072), Cache(256, 1024), Cache(64, 8192, rows=4))


def works(*, quick: bool = False) -> list[Work]:
    """The lines; a shape is sequences, keys and elements of a head."""
    plain = [line("decode", c) for c in (CACHES[:1] if quick else CACHES)]
    return [*plain, line("decode-fp8", CACHES[0])]


def line(kind: Decode, cache: Cache) -> Work:
    """A line, in bf16 or with a cache in fp8."""
    size = 2 if kind == "decode" else 1
    return Work(
        kind,
        cache.name,
        ((cache.batches, cache.keys, cache.depth),),
        Reach(1.0, share=0.9),
        size=size,
        what=cache.name,
        counted=cache.operations,
        moved=cache.bytes(size),
    )


@dataclass(frozen=True, slots=True)
class _Set:
    """Inputs of a call: Q, a pool of pages in any order, and which page has which keys."""

    q: Any
    k: Any
    v: Any
    lengths: Any
    table: Any


def contenders(
    made: Contest, work: Work, inputs: Inputs, names: Sequence[str], known: Sequence[Cache] = CACHES
) -> None:
    """One set of inputs for all. Raises: Diagnostic PTX2420 where our result is wrong."""
    from ptxlab.kernels.decode import prepare

    torch, device = inputs.torch, inputs.device
    c = next(c for c in known if c.name == work.what)
    each, kind = c.keys // c.page, "bfloat16" if work.size == 2 else FP8
    pool = (c.batches * each, c.page, c.heads, c.depth)
    given = _Set(
        inputs.normal(c.batches, c.rows, c.heads * c.group, c.depth),
        inputs.normal(*pool, dtype=kind),
        inputs.normal(*pool, dtype=kind),
        torch.full((c.batches,), c.keys, device=device, dtype=torch.int32),
        torch.randperm(pool[0], device=device, generator=inputs.generator).to(torch.int32).reshape(c.batches, each),
    )
    out = inputs.room(*given.q.shape)
    add(
        made.ours,
        made.missing,
        NAME,
        lambda: prepare(given.q, given.k, given.v, out, given.lengths, table=given.table),
    )
    if made.ours.get(NAME):
        check(torch, NAME, work, out, _wanted(torch, given, c))
        out.fill_(float("nan"))
    for word, (name, maker) in _PEERS.items():
        if word in names:
            add(made.peers, made.missing, name, functools.partial(maker, torch, given, c))


def _wanted(torch: ModuleType, given: _Set, c: Cache) -> Any:
    """The result in f32, a sequence at a time."""
    found: list[Any] = []
    for q, pages in zip(given.q, given.table.long(), strict=True):
        k, v = (x[pages].flatten(0, 1).float().transpose(0, 1) for x in (given.k, given.v))
        found.append(_attention(torch, q.float().transpose(0, 1), k, v, c).transpose(0, 1))
    return torch.stack(found)


def _attention(torch: ModuleType, q: Any, k: Any, v: Any, c: Cache) -> Any:
    """torch's own, on … × heads × rows × depth; new rows do not see those behind them."""
    own = torch.arange(c.keys - c.rows, c.keys, device=q.device)[:, None]
    mask = None if c.rows == 1 else torch.arange(c.keys, device=q.device) <= own
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


def _torch(torch: ModuleType, given: _Set, c: Cache) -> Call:
    if given.k.dtype != given.q.dtype:
        raise NotThere("torch's attention takes no cache of another type")
    k, v = (x[given.table.flatten().long()].reshape(c.batches, c.keys, c.heads, c.depth) for x in (given.k, given.v))
    q, k, v = (x.transpose(1, 2) for x in (given.q, k, v))
    return lambda: _attention(torch, q, k, v, c)


def _flash_attention(torch: ModuleType, given: _Set, c: Cache) -> Call:
    """Version 3, or 2, which wants pages of at least 256 keys and says so."""
    if given.k.dtype != given.q.dtype:
        raise NotThere("FlashAttention takes no cache of another type")
    more = {"cache_seqlens": given.lengths, "causal": True}
    try:
        call, table = installed("flash_attn_interface").flash_attn_with_kvcache, "page_table"
    except NotThere:
        call, table = installed("flash_attn").flash_attn_with_kvcache, "block_table"
    return lambda: call(given.q, given.k, given.v, **more, **{table: given.table})


def _flashinfer(torch: ModuleType, given: _Set, c: Cache) -> Call:
    if c.rows > 1:
        raise NotThere("FlashInfer's kernel for decoding takes one row of each sequence")
    library = installed("flashinfer")
    room = torch.empty(_WORKSPACE, dtype=torch.uint8, device=given.q.device)
    wrapper = library.BatchDecodeWithPagedKVCacheWrapper(room, "NHD", use_tensor_cores=True)
    each = c.keys // c.page
    ends = torch.arange(c.batches + 1, device=given.q.device, dtype=torch.int32) * each
    wrapper.plan(
        ends,
        given.table.flatten(),
        torch.full_like(given.lengths, c.page),
        num_qo_heads=c.heads * c.group,
        num_kv_heads=c.heads,
        head_dim=c.depth,
        page_size=c.page,
        q_data_type=given.q.dtype,
        kv_data_type=given.k.dtype,
    )
    q = given.q[:, 0]
    return lambda: wrapper.run(q, (given.k, given.v))


_PEERS: Final[dict[str, tuple[str, Callable[[ModuleType, _Set, Cache], Call]]]] = {
    "cublas": ("torch", _torch),
    "flash": ("FlashAttention", _flash_attention),
    "flashinfer": ("FlashInfer", _flashinfer),
}
"""By the names of `peers.PEERS`."""
