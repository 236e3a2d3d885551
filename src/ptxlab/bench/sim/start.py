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
_SCRIPT = """\
import json, time
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
    begin = time.perf_counter()
    add_one[1](a)
    times.append(time.perf_counter() - begin)
assert (a == np.arange(32) + 11).all()
print(json.dumps([imported, *times]))
"""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds.

    Attributes:
        imported: `import ptxlab`, files in the system's cache.
        fresh: the first launch with empty caches. process: the first launch of a process with full ones. later: the next ones.
    """

    imported: float
    fresh: float
    process: float
    later: float


def start(rounds: int = 3) -> Start:
    """Time new processes: one with empty caches on disk, of bytecode too, then `rounds` with what it left; the medians of those."""
    with tempfile.TemporaryDirectory(prefix="ptxlab-bench-") as folder:
        path = os.path.join(folder, "first_launch.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(_SCRIPT)
        fresh = _process(path, folder)
        runs = [_process(path, folder) for _ in range(rounds)]
    imported, process = (statistics.median(r[i] for r in runs) for i in (0, 1))
    return Start(imported, fresh[1], process, statistics.median(t for r in runs for t in r[2:]))


def _process(path: str, folder: str) -> list[float]:
    # bytecode too: pip leaves it behind, and a checkout or PYTHONDONTWRITEBYTECODE may not have it
    names = ("PTXLAB_CACHE_DIR", "NUMBA_CACHE_DIR", "PYTHONPYCACHEPREFIX")
    caches = {name: os.path.join(folder, name) for name in names} | {"PYTHONDONTWRITEBYTECODE": ""}
    root = os.path.dirname(os.path.dirname(px.__file__))
    search = os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)
    env = {**os.environ, **caches, "PYTHONPATH": search}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=env, check=True)
    return json.loads(done.stdout)


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
