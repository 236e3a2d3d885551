"""What a huge grid takes of memory beyond a small one: only the CTAs that run are held."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

# CTAs with registers, 32 KiB of shared memory, barriers and mbarriers. The file must exist: a kernel's source is read.
_SCRIPT = """\
import json, resource, sys
import numpy as np
import ptxlab as px

@px.kernel(target="sm_90a", threads=256)
def plain(k, a: px.Ptr[px.u32]):
    tile = k.smem(px.u32, 8192)
    k.st.shared.u32(tile.at(k.tid.x * 4), k.ctaid.x)
    k.bar.sync(0)
    k.st.global_.u32(a[k.tid.x], k.ld.shared.u32(tile.at(k.tid.x * 4)))

@px.kernel(target="sm_90a", threads=64)
def waiting(k, a: px.Ptr[px.u32]):
    done = k.mbarrier(64)
    k.init_barriers()
    done.arrive()
    done.wait(0)
    k.st.global_.u32(a[k.tid.x], k.ctaid.x)

def peak(kernel, grid):
    a = np.zeros(256, np.uint32)
    kernel[grid](a)
    assert (a[:64] == grid - 1).all()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

sizes = json.loads(sys.argv[1])
for kernel, grid in ((plain, sizes[0]), (waiting, sizes[1])):
    peak(kernel, 2)
small = peak(plain, 132)
peak(plain, sizes[0])
print(json.dumps(peak(waiting, sizes[1]) - small))
"""


def growth(plain: int, waiting: int) -> int:
    """Bytes by which a process's peak grows with grids of so many CTAs, beyond what it took for 132 of them.

    Args:
        plain: CTAs that run without Python. waiting: CTAs with an mbarrier, which it sees to.
    """
    with tempfile.TemporaryDirectory(prefix="ptxlab-bench-") as folder:
        path = Path(folder) / "grids.py"
        path.write_text(_SCRIPT, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(path), json.dumps([plain, waiting])], capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)
