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
_REPEATS: Final = 7
_HEAD: Final = ".version 8.3\n.target sm_90a\n.address_size 64\n"


@dataclass(frozen=True, slots=True)
class Grid:
    """A launch that is timed.

    Attributes:
        name: what it measures. text: a module whose kernel takes `x`, bytes, and how often it goes through them.
        ctas, threads: of the launch. nbytes, rounds: what is gone through, and how often; 0 without work. shared: of a CTA.
    """

    name: str
    text: str
    ctas: int
    threads: int
    nbytes: int = 0
    rounds: int = 0
    shared: int = 0


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
            yield Grid("bulk read", text, ctas, 32, nbytes=nbytes, rounds=several, shared=_STAGES * _BULK + 1024)


_ACCESSES: Final = {
    "read": "ld.global.v4.b32 {%a, %b, %c, %d}, [%at+OFFSET]; xor.b32 %sum, %sum, %a; xor.b32 %sum, %sum, %d;",
    "write": "st.global.v4.b32 [%at+OFFSET], {%sum, %sum, %thread, %sum};",
    "copy": "ld.global.v4.b32 {%a, %b, %c, %d}, [%at+OFFSET]; st.global.v4.b32 [%at+HALF], {%a, %b, %c, %d};",
}


def _module(body: str, threads: int, shared: bool = False) -> str:
    pool = ".extern .shared .align 1024 .b8 pool[];\n" if shared else ""
    return f"""{_HEAD}{pool}.visible .entry {ENTRY}(.param .u64 x, .param .u64 nbytes, .param .u32 rounds)
.reqntid {threads}
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


def _bulk_read() -> str:
    """A thread keeps `_STAGES` bulk copies under way; chunks go to CTAs in turn."""
    return _module(
        f""".reg .pred %done; .reg .u64 %turn;
ld.param.u64 %x, [x]; ld.param.u64 %nbytes, [nbytes]; ld.param.u32 %rounds, [rounds];
mov.u32 %thread, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %ctas, %nctaid.x;
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
            "bytes": one.nbytes,
            "rounds": one.rounds,
            "us": round(statistics.median(times) * 1e6, 4),
            "graph": spans.graph,
        }
