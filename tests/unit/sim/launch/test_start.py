"""What a first launch imports: most of its time."""

from __future__ import annotations

import subprocess
import sys

KERNEL = """
import sys
import numpy as np
import ptxlab as px

k = px.parse('''.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a) { .reg .u64 p; .reg .u32 x; ld.param.u64 p, [a]; ld.global.u32 x, [p]; add.u32 x, x, 1;
    st.global.u32 [p], x; ret; }''')["k"]
a = np.zeros(1, np.uint32)
k.launch(grid=1, block=1, args=[a])
assert a[0] == 1
print(*sys.modules)
"""


def test_a_kernel_of_arithmetic_and_memory_imports_little() -> None:
    done = subprocess.run([sys.executable, "-c", KERNEL], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "ptxlab.sim.engine.machine.machine" in loaded
    assert not loaded & {
        "ptxlab.sim.families.units",
        "ptxlab.sim.spread",
        "ptxlab.cuda",
        "numba",
        "matplotlib",
        "triton",
    }
