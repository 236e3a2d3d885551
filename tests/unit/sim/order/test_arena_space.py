"""Where the address space is bounded, launches that nobody needs any more give theirs back."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import resource
import numpy as np
import ptxlab as px

@px.kernel(threads=32)
def fill(k, x: px.Ptr[px.u32]):
    k.st.global_.u32(x[k.tid.x], 1)

x = np.zeros(32, np.uint32)
px.simulate(fill, grid=1, args=[x], sanitize=True)
import gc
gc.collect()
gc.disable()  # as if it came late
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for _ in range(20):
    px.simulate(fill, grid=1, args=[x], sanitize=True)
print("done")
"""


def test_many_launches_in_two_gigabytes() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr
