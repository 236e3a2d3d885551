"""The contenders for attention over a cache in pages: FlashInfer, FlashAttention, and torch's without pages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels import ours
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere, add, check
from ptxlab.bench.kernels.peers import FP8, installed
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Cache, Work

NAME: Final = "ptxlab, decode"
_WORKSPACE: Final = 256 << 20
"""Bytes that FlashInfer wants."""


@dataclass(frozen=True, slots=True)
class _Set:
    """Inputs of a call: Q, a pool of pages in any order, and which page has which keys."""

    q: Any
    k: Any
    v: Any
    lengths: Any
    table: Any


def paged(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """One set of inputs. Raises: Diagnostic PTX2420 where our result is wrong."""
    assert work.cache is not None
    torch, c = inputs.torch, work.cache
    each, kind = c.keys // c.page, "bfloat16" if work.size == 2 else FP8
    pool = (c.batches * each, c.page, c.heads, c.depth)
    given = _Set(
        inputs.normal(c.batches, c.rows, c.heads * c.group, c.depth),
        inputs.normal(*pool, dtype=kind),
        inputs.normal(*pool, dtype=kind),
        torch.full((c.batches,), c.keys, device="cuda", dtype=torch.int32),
        torch.randperm(pool[0], device="cuda", generator=inputs.generator).to(torch.int32).reshape(c.batches, each),
    )
    out = inputs.room(*given.q.shape)
    add(
        made.ours,
        made.missing,
        NAME,
        lambda: ours.decode(given.q, given.k, given.v, out, given.lengths, table=given.table),
    )
    if made.ours.get(NAME):
        check(torch, NAME, work, out, _wanted(torch, given, c))
        out.fill_(float("nan"))
    for name, maker in _PEERS.items():
        if name in names:
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
    own = torch.arange(c.keys - c.rows, c.keys, device="cuda")[:, None]
    mask = None if c.rows == 1 else torch.arange(c.keys, device="cuda") <= own
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
    room = torch.empty(_WORKSPACE, dtype=torch.uint8, device="cuda")
    wrapper = installed("flashinfer").BatchDecodeWithPagedKVCacheWrapper(room, "NHD", use_tensor_cores=True)
    each = c.keys // c.page
    ends = torch.arange(c.batches + 1, device="cuda", dtype=torch.int32) * each
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


_PEERS: Final[dict[str, Callable[[ModuleType, _Set, Cache], Call]]] = {
    "torch": _torch,
    "flash-attn": _flash_attention,
    "flashinfer": _flashinfer,
}
