"""V in fp8, transposed ahead of attention: wgmma reads operands of 8 bits along K alone, and of O += P · V that is along the keys.

A small kernel does it once, where a kernel that transposes blocks on their way into shared memory does it again for each tile of
queries that sees them, and for each head that shares them. It reads and writes V once, which is little beside many queries.

Exponentials lie in registers as the accumulator has them: a lane holds columns 2t and 2t + 1 of each 8. As the left matrix of the
next product it has to hold four neighbours. The sum over keys has no order, so keys come in the order in which a lane has them:
of each 16, keys 2t, 2t + 1, 8 + 2t and 9 + 2t follow one another.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch, array_view, device_of

THREADS = 256
CTAS_PER_SM = 8
GROUP = 16
"""Keys among which the order is another one."""
KEYS, WORD = 2 * GROUP, 4
"""Keys and elements of a head that a thread transposes: it writes whole sectors of 32 bytes."""
ORDER = [2 * t + e + 8 * h for t in range(4) for h in range(2) for e in range(2)]
"""The key of a group at each place."""


def room_of(v: ArrayView) -> ArrayView:
    """Memory for V transposed: batches × heads × depth × keys, whole groups of them."""
    batches, heads, length, depth = v.shape
    return array_view(device_of(v).zeros((batches, heads, depth, -(-length // KEYS) * KEYS), v.dtype))


def transposing(v: ArrayView, out: ArrayView, **options: Any) -> Launch:
    """The launch that transposes V, batches × heads × keys × depth."""
    batches, heads, length, depth = v.shape
    chunks, words = out.shape[3] // KEYS, depth // WORD
    count = batches * heads * chunks * words
    ctas = min(-(-count // THREADS), device_of(v).sm_count * CTAS_PER_SM)
    args = [v, out, count, heads, length, depth, *v.strides[:3]]
    return _kernel().prepare(grid=(ctas, 1, 1), args=args, **options)


@cache
def _kernel() -> px.Kernel:
    @px.kernel(target="sm_90a", threads=THREADS, strided=("v",), name="attention_transpose_v")
    def transpose_v(
        k: px.Builder,
        v: px.Ptr[px.b8],
        out: px.Ptr[px.b8],
        count: px.u32,
        heads: px.u32,
        length: px.u32,
        depth: px.u32,
        by_batch: px.u64,
        by_head: px.u64,
        by_key: px.u64,
    ) -> None:
        """A thread has four neighbours of 32 keys: words of four keys by prmt, and whole sectors of the transposed matrix."""
        words, chunks = depth // WORD, (length + (KEYS - 1)) // KEYS
        with k.loop(count, start=k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x), step=k.nctaid.x * THREADS) as number:
            above = number // words
            element = (number - above * words) * WORD
            line = above // chunks
            key = (above - line * chunks) * KEYS
            batch = line // heads
            start = k.mad.lo.u64(k.cvt.u64.u32(batch), by_batch, v)
            start = k.mad.lo.u64(k.cvt.u64.u32(line - batch * heads), by_head, start)
            start = k.mad.lo.u64(k.cvt.u64.u32(key), by_key, k.add.u64(start, k.cvt.u64.u32(element)))
            loaded: list[Any] = []
            for i in range(KEYS):
                word = k.mov.b32(0)
                at = px.Address.of(k.mad.lo.u64(by_key, i, start), space="global")
                k.ld.global_.b32(at, d=word, pred=key + i < length)
                loaded.append(word)
            row = k.mad.lo.u32(line, depth, element)
            pitch = k.mul.wide.u32(chunks, KEYS)
            to = k.mad.lo.u64(k.cvt.u64.u32(row), pitch, k.add.u64(out, k.cvt.u64.u32(key)))
            for d, place in enumerate(_columns(k, loaded)):
                at = px.Address.of(k.mad.lo.u64(pitch, d, to), space="global")
                for i in range(0, len(place), 4):
                    k.st.global_.v4.b32(at + 4 * i, place[i : i + 4])

    return transpose_v


def _columns(k: px.Builder, words: list[Any]) -> list[list[Any]]:
    """For each of four elements the words of what all keys have there, in their order."""
    out: list[list[Any]] = [[] for _ in range(WORD)]
    for group in range(0, len(words), GROUP):
        for i in range(0, GROUP, 4):
            a, b, c, d = (words[group + key] for key in ORDER[i : i + 4])
            low, high = [(k.prmt.b32(a, b, s), k.prmt.b32(c, d, s)) for s in (0x5140, 0x7362)]
            for place, (pair, selected) in enumerate((p, s) for p in (low, high) for s in (0x5410, 0x7632)):
                out[place].append(k.prmt.b32(*pair, selected))
    return out
