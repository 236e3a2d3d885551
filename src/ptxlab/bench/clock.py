"""The clock of the SMs while a GPU works, by a kernel that runs beside the work.

What the driver's tools say lags behind by many milliseconds, and the clock depends on what is done: tensor cores lower it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import numpy as np

import ptxlab as px
from ptxlab.bench.kernels.timing import Runner

CYCLES: Final = 6_000_000
"""That the kernel runs, three milliseconds: a microsecond more or less of %globaltimer does not matter."""
_SPANS: Final = 4
"""Spans of work before it, and as many as outlast it twice."""
_TEXT: Final = """.version 8.3
.target sm_90a
.address_size 64
.visible .entry clock(.param .u64 out, .param .u64 cycles)
.reqntid 32
{
.reg .u64 %out, %cycles, %c<3>, %t<2>; .reg .pred %p, %q; .reg .u32 %thread;
ld.param.u64 %out, [out]; ld.param.u64 %cycles, [cycles]; mov.u32 %thread, %tid.x; setp.ne.u32 %q, %thread, 0;
@%q bra over;
mov.u64 %t0, %globaltimer; mov.u64 %c0, %clock64;
again: mov.u64 %c1, %clock64; sub.u64 %c2, %c1, %c0; setp.lt.u64 %p, %c2, %cycles; @%p bra again;
mov.u64 %t1, %globaltimer; mov.u64 %c1, %clock64;
sub.u64 %t1, %t1, %t0; sub.u64 %c1, %c1, %c0; st.global.v2.u64 [%out], {%c1, %t1};
over: ret;
}
"""


def probe(out: Any, cycles: int) -> px.Launch:
    """A launch of one warp that runs for so many cycles, then writes its cycles and nanoseconds to `out`, two u64."""
    return px.parse(_TEXT, "clock")["clock"].prepare(grid=1, args=[out, np.uint64(cycles)], lints=False)


def clock_under(torch: ModuleType, work: Runner, seconds: float) -> float:
    """MHz of the SMs while work goes on; one warp runs beside it. seconds: of a span of the work."""
    out = torch.zeros(2, dtype=torch.int64, device="cuda")
    side = torch.cuda.Stream()
    launch = probe(out, CYCLES)
    torch.cuda.synchronize()
    for _ in range(_SPANS):
        work.run()
    with torch.cuda.stream(side):
        launch()
    for _ in range(_SPANS + round(2 * CYCLES / 1e9 / seconds)):
        work.run()
    torch.cuda.synchronize()
    cycles, nanoseconds = out.tolist()
    return cycles / nanoseconds * 1e3
