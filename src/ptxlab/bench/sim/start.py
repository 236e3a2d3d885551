"""What the simulator costs before it simulates: the import, the first launch, decoding."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import ptxlab as px

# A small kernel, as somebody's first one is. The file must exist: a kernel's source is read.
_SIMPLE = """\
import json, os, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core
begin = time.perf_counter()
import ptxlab as px
imported = time.perf_counter() - begin
import numpy as np

@px.kernel(target="sm_90a", threads=32)
def add_one(k, a: px.Ptr[px.u32]):
    k.st.global_.u32(a[k.tid.x], k.ld.global_.u32(a[k.tid.x]) + 1)

a = np.arange(32, dtype=np.uint32)
times = []
for _ in range(11):
    begin, processor = time.perf_counter(), time.process_time()
    add_one[1](a)
    times.append((time.perf_counter() - begin, time.process_time() - processor))
assert (a == np.arange(32) + 11).all()
print(json.dumps([imported, *times]))
"""

# A product with all that a Hopper kernel has: TMA with multicast, mbarriers, wgmma, a cluster of two CTAs.
_TILED = """\
import json, os, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
begin = time.perf_counter()
import ptxlab as px
imported = time.perf_counter() - begin
import ml_dtypes
import numpy as np
from ptxlab.kernels.gemm import gemm

random = np.random.default_rng(0)
a, b = (random.integers(-4, 5, shape).astype(ml_dtypes.bfloat16) for shape in ((256, 128), (128, 128)))
times = []
for _ in range(3):
    c = px.empty((256, 128), ml_dtypes.bfloat16)
    begin, processor = time.perf_counter(), time.process_time()
    gemm(a, b, c, config="128x128-2c-cluster2x1")
    times.append((time.perf_counter() - begin, time.process_time() - processor))
assert (c.astype(np.float32) == (a.astype(np.float32) @ b.astype(np.float32)).astype(ml_dtypes.bfloat16)).all()
print(json.dumps([imported, *times]))
"""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds, sanitized and on one core, as a user has it.

    Attributes:
        imported: `import ptxlab`, files in the system's cache.
        fresh: the first launch with an empty cache of machine code; bytecode is there, as pip leaves it behind.
        tiled: the same of a kernel with TMA, wgmma and a cluster. processor, tiled_processor: of both, processor time.
        process: the first launch of a process with full caches. later: the next ones.
    """

    imported: float
    fresh: float
    process: float
    later: float
    tiled: float
    processor: float
    tiled_processor: float


def start(rounds: int = 3) -> Start:
    """Time new processes, `rounds` with empty caches of machine code and `rounds` with full ones: the medians."""
    with tempfile.TemporaryDirectory(prefix="ptxlab-bench-") as folder:
        simple, tiled = (os.path.join(folder, name) for name in ("first_launch.py", "first_product.py"))
        for path, text in ((simple, _SIMPLE), (tiled, _TILED)):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            _process(path, folder, "bytecode")
        cold = [_process(simple, folder, f"simple{i}") for i in range(rounds)]
        products = [_process(tiled, folder, f"tiled{i}") for i in range(rounds)]
        warm = [_process(simple, folder, "simple0") for _ in range(rounds)]

    def median(runs: list[_Run], which: int = 0) -> float:
        return statistics.median(run.times[0][which] for run in runs)

    return Start(
        imported=statistics.median(run.imported for run in warm),
        fresh=median(cold),
        process=median(warm),
        later=statistics.median(seconds for run in warm for seconds, _ in run.times[1:]),
        tiled=median(products),
        processor=median(cold, 1),
        tiled_processor=median(products, 1),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """What a process measures: seconds of the import; of each launch seconds, and seconds of processor time."""

    imported: float
    times: list[tuple[float, float]]


def _process(path: str, folder: str, cache: str) -> _Run:
    """Run a program. Processes with different caches share no machine code, but all share their bytecode."""
    caches = {name: os.path.join(folder, cache, name) for name in ("PTXLAB_CACHE_DIR", "NUMBA_CACHE_DIR")}
    caches |= {"PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    root = os.path.dirname(os.path.dirname(px.__file__))
    search = os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)
    env = {**os.environ, **caches, "PYTHONPATH": search, "PTXLAB_SANITIZE": "1"}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=env, check=True)
    imported, *times = json.loads(done.stdout)
    return _Run(imported, [(seconds, processor) for seconds, processor in times])


def decoding(copies: int, rounds: int) -> tuple[int, list[float], list[float]]:
    """Decode a kernel of a block of arithmetic and memory instructions, `copies` times over.

    Returns: how many instructions it has; seconds, and seconds of processor time, of each of `rounds` runs behind the first.
    """
    from ptxlab.sim.engine.decoded.decode import image_of

    times: list[float] = []
    processors: list[float] = []
    instructions = 0
    for _ in range(rounds + 1):
        program = px.parse(_long(copies))["long"].program  # another object each time: none is decoded yet
        instructions = len(program.ops)
        spent, begin = time.process_time(), time.perf_counter()
        image_of(program)
        times.append(time.perf_counter() - begin)
        processors.append(time.process_time() - spent)
    return instructions, times[1:], processors[1:]


_BLOCK = """\
    ld.global.f32 %f0, [%rd1+{at}];
    ld.global.f32 %f1, [%rd1+{next}];
    fma.rn.f32 %f2, %f0, %f1, %f2;
    add.f32 %f3, %f0, %f2;
    setp.gt.f32 %p0, %f3, 0f00000000;
    selp.f32 %f2, %f2, %f3, %p0;
    mad.lo.u32 %r1, %r0, {at}, %r1;
    @%p0 xor.b32 %r1, %r1, %r0;
    shl.b32 %r2, %r1, 3;
    st.global.f32 [%rd1+{at}], %f2;
"""


def _long(copies: int) -> str:
    body = "".join(_BLOCK.format(at=8 * i, next=8 * i + 4) for i in range(copies))
    return f"""\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry long(.param .u64 a)
{{
    .reg .pred %p<1>; .reg .b32 %r<3>; .reg .f32 %f<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [a];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, 1;
    mov.f32 %f2, 0f00000000;
{body}    ret;
}}
"""
