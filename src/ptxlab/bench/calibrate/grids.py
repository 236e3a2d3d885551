"""What a whole grid takes: launches without work, and reads and writes of all SMs at once, from L2 and from memory."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np

import ptxlab as px
from ptxlab.bench.kernels.timing import runner, seconds_of_calls

ENTRY: Final = "measured"
SMS: Final = 132
NEAR, FAR = 32 << 20, 1 << 30
"""Bytes that stay in L2, and bytes that do not."""
_UNROLL: Final = 8
_BULK: Final = 16384
_STAGES: Final = 8
_ROOM: Final = _STAGES * _BULK + 1024
_REPEATS: Final = 7
_HEAD: Final = ".version 8.3\n.target sm_90a\n.address_size 64\n"


@dataclass(frozen=True, slots=True)
class Grid:
    """A launch that is timed.

    Attributes:
        name: what it measures. text: a module whose kernel takes `x`, bytes, and how often it goes through them.
        ctas, threads: of the launch. nbytes, rounds: what is gone through, and how often; 0 without work. shared: of a CTA.
        cluster: CTAs of a cluster. alike: CTAs that read the same.
    """

    name: str
    text: str
    ctas: int
    threads: int
    nbytes: int = 0
    rounds: int = 0
    shared: int = 0
    cluster: int = 1
    alike: int = 1


def grids() -> Iterator[Grid]:
    """All of them."""
    for threads in (32, 256, 1024):
        for ctas in (1, SMS, 10 * SMS, 100 * SMS):
            yield Grid("nothing", _module("", threads), ctas, threads)
    for nbytes in (NEAR, FAR):
        rounds = 16 if nbytes == NEAR else 1
        for each, threads in ((1, 128), (1, 256), (1, 1024), (2, 512), (4, 256), (8, 256)):
            for name, each_chunk in _ACCESSES.items():
                yield Grid(name, _through(each_chunk, threads), each * SMS, threads, nbytes, rounds)
        for ctas in (1, 16, 66, SMS):
            text = _bulk_read()
            several = rounds if ctas > 16 else 1
            yield Grid("bulk read", text, ctas, 32, nbytes=nbytes, rounds=several, shared=_ROOM)
    for cluster in (2, 4, 8):
        for ctas in (cluster, SMS // cluster * cluster, 8 * SMS, 80 * SMS):
            yield Grid("nothing", _module("", 256, cluster=cluster), ctas, 256, cluster=cluster)
    for cluster in (1, 2, 4):
        for ctas in (SMS // cluster * cluster, 8 * SMS, 80 * SMS):
            text = _module("", 256, cluster=cluster, shared=True)
            yield Grid("nothing, an SM for each CTA", text, ctas, 256, cluster=cluster, shared=_ROOM)
    for alike in (2, 4, 12, 33):
        text = _bulk_read(alike)
        yield Grid("bulk read, alike", text, SMS, 32, nbytes=NEAR, rounds=16, shared=_ROOM, alike=alike)
    for cluster in (2, 4):
        text = _multicast(cluster)
        yield Grid("multicast", text, 128, 64, nbytes=NEAR, rounds=16, shared=_ROOM, cluster=cluster, alike=cluster)


_ACCESSES: Final = {
    "read": "ld.global.v4.b32 {%a, %b, %c, %d}, [%at+OFFSET]; xor.b32 %sum, %sum, %a; xor.b32 %sum, %sum, %d;",
    "write": "st.global.v4.b32 [%at+OFFSET], {%sum, %sum, %thread, %sum};",
    "copy": "ld.global.v4.b32 {%a, %b, %c, %d}, [%at+OFFSET]; st.global.v4.b32 [%at+HALF], {%a, %b, %c, %d};",
}


def _module(body: str, threads: int, shared: bool = False, cluster: int = 1) -> str:
    pool = ".extern .shared .align 1024 .b8 pool[];\n" if shared else ""
    return f"""{_HEAD}{pool}.visible .entry {ENTRY}(.param .u64 x, .param .u64 nbytes, .param .u32 rounds)
.reqntid {threads}{f" .explicitcluster .reqnctapercluster {cluster}" if cluster > 1 else ""}
{{
.reg .u64 %x, %nbytes, %first, %step, %at, %end; .reg .u32 %rounds, %thread, %cta, %ctas, %a, %b, %c, %d, %sum, %phase, %bar, %to,
  %stage, %ahead; .reg .pred %p, %q, %more;
{body}
ret;
}}
"""


def _through(access: str, threads: int) -> str:
    """Chunks go to CTAs in turn; each thread takes 16 bytes of `_UNROLL` rows of a chunk."""
    row = threads * 16
    # a copy goes from one half to the other
    copies = "HALF" in access
    steps = "\n".join(
        access.replace("+OFFSET", f"+{row * i}").replace("%at+HALF", f"%other+{row * i}") for i in range(_UNROLL)
    )
    half = "shr.u64 %end, %end, 1;" if copies else ""
    return _module(
        f""".reg .u64 %other, %half;
ld.param.u64 %x, [x]; ld.param.u64 %nbytes, [nbytes]; ld.param.u32 %rounds, [rounds];
{"shr.u64 %half, %nbytes, 1;" if copies else ""}
mov.u32 %thread, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %ctas, %nctaid.x; mov.u32 %sum, 0;
mul.wide.u32 %first, %cta, {row * _UNROLL}; mul.wide.u32 %step, %ctas, {row * _UNROLL};
mad.wide.u32 %first, %thread, 16, %first; add.u64 %first, %x, %first;
mov.u64 %end, %nbytes; {half} add.u64 %end, %x, %end;
again:
mov.u64 %at, %first; bra test;
chunk:
{"add.u64 %other, %at, %half;" if copies else ""}
{steps}
add.u64 %at, %at, %step;
test: setp.lt.u64 %p, %at, %end; @%p bra chunk;
sub.u32 %rounds, %rounds, 1; setp.ne.u32 %q, %rounds, 0; @%q bra again;
setp.eq.u32 %more, %sum, 0x12345; @%more st.global.u32 [%x], %sum;""",
        threads,
    )


def _bulk_read(alike: int = 1) -> str:
    """A thread keeps `_STAGES` bulk copies under way; chunks go to groups of `alike` CTAs in turn."""
    return _module(
        f""".reg .pred %done;
ld.param.u64 %x, [x]; ld.param.u64 %nbytes, [nbytes]; ld.param.u32 %rounds, [rounds];
mov.u32 %thread, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %ctas, %nctaid.x;
div.u32 %cta, %cta, {alike}; div.u32 %ctas, %ctas, {alike};
setp.ne.u32 %p, %thread, 0; @%p bra over;
mov.u32 %bar, pool;
{"".join(f"mbarrier.init.shared::cta.b64 [%bar+{8 * i}], 1; " for i in range(_STAGES))}
fence.mbarrier_init.release.cluster;
mul.wide.u32 %first, %cta, {_BULK}; mul.wide.u32 %step, %ctas, {_BULK}; add.u64 %first, %x, %first; add.u64 %end, %x, %nbytes;
mov.u32 %stage, 0; mov.u32 %phase, 0; mov.u32 %ahead, 0; mov.u64 %at, %first;
again:
setp.lt.u32 %p, %ahead, {_STAGES}; @%p bra issue;
mad.lo.u32 %a, %stage, 8, %bar;
wait: mbarrier.try_wait.parity.shared::cta.b64 %done, [%a], %phase; @!%done bra wait;
issue:
add.u32 %ahead, %ahead, 1;
mad.lo.u32 %a, %stage, 8, %bar; mad.lo.u32 %to, %stage, {_BULK}, %bar; add.u32 %to, %to, 1024;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%a], {_BULK};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to], [%at], {_BULK}, [%a];
add.u32 %stage, %stage, 1; setp.eq.u32 %q, %stage, {_STAGES}; selp.u32 %stage, 0, %stage, %q;
setp.gt.u32 %more, %ahead, {_STAGES}; selp.u32 %b, 1, 0, %q; selp.u32 %c, %b, 0, %more; xor.b32 %phase, %phase, %c;
add.u64 %at, %at, %step; setp.lt.u64 %p, %at, %end; @%p bra again;
mov.u64 %at, %first;
sub.u32 %rounds, %rounds, 1; setp.ne.u32 %q, %rounds, 0; @%q bra again;
mov.u32 %ahead, 0;
drain: mad.lo.u32 %a, %stage, 8, %bar;
last: mbarrier.try_wait.parity.shared::cta.b64 %done, [%a], %phase; @!%done bra last;
add.u32 %stage, %stage, 1; setp.eq.u32 %q, %stage, {_STAGES}; selp.u32 %stage, 0, %stage, %q;
selp.u32 %b, 1, 0, %q; xor.b32 %phase, %phase, %b;
add.u32 %ahead, %ahead, 1; setp.lt.u32 %p, %ahead, {_STAGES}; @%p bra drain;
over:""",
        32,
        shared=True,
    )


def _multicast(cluster: int) -> str:
    """Each CTA of a cluster copies a part of each chunk to all of them; they tell all when they have it.

    A thread issues copies, one of another warp waits for chunks.
    """
    part = _BULK // cluster
    told = "".join(
        f"mapa.shared::cluster.u32 %b, %a, {rank}; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b];\n"
        for rank in range(cluster)
    )
    inits = "".join(
        f"@%p mbarrier.init.shared::cta.b64 [%bar+{8 * i}], {1 if i < _STAGES else cluster}; "
        for i in range(2 * _STAGES)
    )
    next_stage = f"""add.u32 %stage, %stage, 1; setp.eq.u32 %q, %stage, {_STAGES}; selp.u32 %stage, 0, %stage, %q;
@%q xor.b32 %phase, %phase, 1; sub.u32 %ahead, %ahead, 1; setp.ne.u32 %q, %ahead, 0;"""
    return _module(
        f""".reg .pred %done; .reg .u64 %my;
ld.param.u64 %x, [x]; ld.param.u64 %nbytes, [nbytes]; ld.param.u32 %rounds, [rounds];
mov.u32 %thread, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %ctas, %nctaid.x; mov.u32 %bar, pool;
div.u32 %cta, %cta, {cluster}; div.u32 %ctas, %ctas, {cluster}; setp.eq.u32 %p, %thread, 0;
{inits}
fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
cvt.u32.u64 %ahead, %nbytes; div.u32 %ahead, %ahead, {_BULK}; div.u32 %ahead, %ahead, %ctas; mul.lo.u32 %ahead, %ahead, %rounds;
mov.u32 %stage, 0; mov.u32 %phase, 0;
setp.eq.u32 %q, %thread, 32; @%q bra takes; @!%p bra over;
mov.u32 %c, %cluster_ctarank; mul.lo.u32 %c, %c, {part}; cvt.u64.u32 %my, %c;
mul.wide.u32 %first, %cta, {_BULK}; mul.wide.u32 %step, %ctas, {_BULK}; add.u64 %first, %x, %first; add.u64 %end, %x, %nbytes;
add.u64 %first, %first, %my; mov.u64 %at, %first; mov.u32 %phase, 1;
again:
mad.lo.u32 %a, %stage, 8, %bar; add.u32 %b, %a, {8 * _STAGES};
free: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%b], %phase; @!%done bra free;
mad.lo.u32 %to, %stage, {_BULK}, %bar; add.u32 %to, %to, 1024; add.u32 %to, %to, %c;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%a], {_BULK};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%to], [%at], {part}, [%a], {2**cluster - 1};
add.u64 %at, %at, %step; setp.ge.u64 %more, %at, %end; @%more mov.u64 %at, %first;
{next_stage} @%q bra again;
bra over;
takes:
mad.lo.u32 %a, %stage, 8, %bar;
wait: mbarrier.try_wait.parity.shared::cta.b64 %done, [%a], %phase; @!%done bra wait;
add.u32 %a, %a, {8 * _STAGES};
{told}{next_stage} @%q bra takes;
over: barrier.cluster.arrive; barrier.cluster.wait;""",
        64,
        shared=True,
        cluster=cluster,
    )


def measured_grids(torch: ModuleType, chosen: Iterable[Grid]) -> Iterator[dict[str, Any]]:
    """A line for each: microseconds of a launch, the median of some spans of them that a graph replays."""
    for one in chosen:
        kernel = px.parse(one.text, one.name)[ENTRY]
        x = torch.zeros(max(one.nbytes, 1 << 20) // 4, dtype=torch.int32, device="cuda")
        launch = kernel.prepare(
            grid=one.ctas,
            shared=one.shared or None,
            args=[x, np.uint64(one.nbytes), np.uint32(one.rounds)],
            lints=False,
        )
        spans = runner(torch, [launch], short=True)
        times = sorted(seconds_of_calls(torch, spans) for _ in range(_REPEATS))
        yield {
            "name": one.name,
            "ctas": one.ctas,
            "threads": one.threads,
            **({"cluster": one.cluster} if one.cluster > 1 else {}),
            **({"alike": one.alike} if one.alike > 1 else {}),
            "bytes": one.nbytes,
            "rounds": one.rounds,
            "us": round(statistics.median(times) * 1e6, 4),
            "graph": spans.graph,
        }
