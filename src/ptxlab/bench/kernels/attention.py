"""The contenders for attention forward: torch's own, and FlashAttention 3 where it is installed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere, add, check
from ptxlab.bench.kernels.peers import installed
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Heads, Work

NAME: Final = "ptxlab, attention"


@dataclass(frozen=True, slots=True)
class _Set:
    """Inputs of a call, all as rows × heads × depth, and where sequences begin and end."""

    q: Any
    k: Any
    v: Any
    ends: Any


def forward(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """One set of inputs. Raises: Diagnostic PTX2420 where our result is wrong."""
    assert work.heads is not None
    torch, h, rows = inputs.torch, work.heads, sum(work.heads.lengths)
    given = _Set(
        inputs.normal(rows, h.queries, h.depth),
        inputs.normal(rows, h.keys, h.depth),
        inputs.normal(rows, h.keys, h.value_depth),
        torch.tensor([sum(h.lengths[:i]) for i in range(len(h.lengths) + 1)], device="cuda", dtype=torch.int32),
    )
    out = inputs.room(rows, h.queries, h.value_depth)
    add(made.ours, made.missing, NAME, functools.partial(_ours, given, out, h))
    if made.ours.get(NAME):
        check(torch, NAME, work, out, _wanted(torch, given, h))
        out.fill_(float("nan"))
    for name, maker in _PEERS.items():
        if name in names:
            add(made.peers, made.missing, name, functools.partial(maker, torch, given, h))


def _ours(given: _Set, out: Any, h: Heads) -> Call:
    """Packed where sequences have different lengths, else in batches."""
    from ptxlab.kernels.attention import prepare

    arrays = (given.q, given.k, given.v, out)
    if h.packed:
        return prepare(*arrays, q_offsets=given.ends, k_offsets=given.ends, causal=h.causal)
    q, k, v, o = (x.unflatten(0, (len(h.lengths), -1)) for x in arrays)
    return prepare(q, k, v, o, causal=h.causal, layout="bshd")


def _wanted(torch: ModuleType, given: _Set, h: Heads) -> Any:
    """The result in f32, a sequence and a head of keys at a time."""
    group = h.queries // h.keys
    found: list[Any] = []
    for q, k, v in zip(*(torch.split(x, list(h.lengths)) for x in (given.q, given.k, given.v)), strict=True):
        each = [
            _torchs(
                torch, q[:, i * group : (i + 1) * group].float(), k[:, i : i + 1].float(), v[:, i : i + 1].float(), h
            )
            for i in range(h.keys)
        ]
        found.append(torch.cat(each, 1))
    return torch.cat(found)


def _torchs(torch: ModuleType, q: Any, k: Any, v: Any, h: Heads) -> Any:
    """torch's own, on … × rows × heads × depth."""
    q, k, v = (x.transpose(-3, -2) for x in (q, k, v))
    made = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=h.causal, enable_gqa=True)
    return made.transpose(-3, -2)


def _torch(torch: ModuleType, given: _Set, h: Heads) -> Call:
    if h.packed:
        raise NotThere("torch's attention takes no packed sequences")
    q, k, v = (x.unflatten(0, (len(h.lengths), -1)) for x in (given.q, given.k, given.v))
    return lambda: _torchs(torch, q, k, v, h)


def _flash_attention(torch: ModuleType, given: _Set, h: Heads) -> Call:
    """Version 3; its call for packed sequences does both."""
    call, longest = installed("flash_attn_interface").flash_attn_varlen_func, max(h.lengths)
    ends = {"cu_seqlens_q": given.ends, "cu_seqlens_k": given.ends, "max_seqlen_q": longest, "max_seqlen_k": longest}
    return lambda: call(given.q, given.k, given.v, causal=h.causal, **ends)


_PEERS: Final[dict[str, Callable[[ModuleType, _Set, Heads], Call]]] = {
    "torch": _torch,
    "flash-attn": _flash_attention,
}
