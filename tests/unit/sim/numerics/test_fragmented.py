"""Machine code is loaded where hardly two pages of free memory lie near each other, as in a process with a GPU's driver."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

FRAGMENT = '''
import ctypes
import numpy as np
import ptxlab as px
from ptxlab.sim.numerics import jit

GIB, PAGE, PAGES = 1 << 30, 4096, {pages}
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
FAILED = ctypes.c_void_p(-1).value


def reserve(nbytes):
    """Address space without memory; None where so much is not free in one piece."""
    at = libc.mmap(None, nbytes, 0, 0x4022, -1, 0)  # MAP_PRIVATE, ANONYMOUS, NORESERVE
    return None if at == FAILED else at


kernel = px.parse("""
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .b64 %a, %t;
  .reg .b32 %r;
  .reg .f32 %f<4>;
  ld.param.u64 %a, [out]; mov.u32 %r, %tid.x; mul.wide.u32 %t, %r, 4; add.u64 %a, %a, %t;
  cvt.rn.f32.u32 %f0, %r; ex2.approx.f32 %f1, %f0; sqrt.rn.f32 %f2, %f1; div.rn.f32 %f3, %f2, %f1;
  st.global.f32 [%a], %f2; ret;
}}""")["k"]
add = jit.jit(lambda x, y: x * 3.25 + y)
out = np.zeros(32, np.float32)
base, size = reserve(40_000 * GIB), 1 << 46
while size >= PAGE:
    while reserve(size):
        pass
    size >>= 1
for i in range(4000):
    libc.munmap(base + (30_000 - 6 * i) * GIB, PAGE * PAGES)
libc.munmap(base + 50 * GIB, GIB)
px.simulate(kernel, grid=1, block=32, args=[out])
print(out[4], add(2.0, 1.0))
'''


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="takes up the address space of Linux on x86-64"
)
@pytest.mark.parametrize("pages", [1, 4])
def test_code_and_its_constants_find_places_that_reach_each_other(pages: int, tmp_path: Path) -> None:
    environment = os.environ | {"PTXLAB_CACHE_DIR": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FRAGMENT.format(pages=pages)], env=environment, capture_output=True, text=True
    )
    assert done.stdout == "4.0 7.5\n", done.stderr
