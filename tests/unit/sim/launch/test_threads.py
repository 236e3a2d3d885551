"""Launches from several threads at once, and from a process that was forked."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

import ptxlab as px

TEXT = """
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b32 calls;
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p;
    .shared .align 4 .b8 s[512];
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 128, %r2;
    mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r4, [%rd4];
    mov.u32 %r5, s; mad.lo.u32 %r6, %r2, 4, %r5; st.shared.u32 [%r6], %r4;
    bar.sync 0;
    xor.b32 %r7, %r2, 127; mad.lo.u32 %r6, %r7, 4, %r5; ld.shared.u32 %r4, [%r6];
AGAIN:
    mad.lo.u32 %r4, %r4, 5, %r1; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
    add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r4;
    st.global.u32 [calls], 77;
    ret;
}
"""
GRID, THREADS, LAUNCHES = 20, 8, 5


def expected(a: np.ndarray, n: int) -> np.ndarray:
    out = a.reshape(GRID, 128)[:, ::-1].astype(np.uint32).reshape(-1)
    for left in range(n, 0, -1):
        out = out * np.uint32(5) + np.uint32(left)
    return out


def launch(kernel: px.Kernel, n: int) -> bool:
    a = np.arange(GRID * 128, dtype=np.uint32) * np.uint32(2654435761 + 2 * n)
    b = np.zeros_like(a)
    px.simulate(kernel, grid=GRID, block=128, args=[a, b, np.uint32(n)])
    return bool(np.array_equal(b, expected(a, n)))


def together(kernel: px.Kernel) -> list[bool]:
    """Many launches from many threads."""
    done: list[bool] = []

    def work(first: int) -> None:
        done.extend([launch(kernel, first + i) for i in range(1, LAUNCHES + 1)])

    threads = [threading.Thread(target=work, args=(7 * i,)) for i in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return done


def test_threads_that_launch_at_once_get_their_own_results_and_one_memory_of_variables() -> None:
    module = px.parse(TEXT)
    assert together(module["k"]) == [True] * (THREADS * LAUNCHES)
    assert int(module.symbol("calls")[...]) == 77


def test_first_launches_may_come_from_several_threads() -> None:
    """What is made once a process (machine code, tables) must not be made twice at once."""
    here = Path(__file__)
    program = (
        f"import sys; sys.path.insert(0, {str(here.parent)!r})\n"
        f"import ptxlab as px, {here.stem} as t\n"
        "kernel = px.parse(t.TEXT)['k']\n"
        "assert t.together(kernel) == [True] * (t.THREADS * t.LAUNCHES)\n"
    )
    for _ in range(3):
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")


def _in_child(n: int) -> bool:
    return launch(px.parse(TEXT)["k"], n)


def test_a_forked_process_goes_on_with_the_code_at_hand() -> None:
    assert launch(px.parse(TEXT)["k"], 3)
    if sys.platform == "linux":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(_in_child, [1, 2, 3, 4]) == [True] * 4


def test_a_progress_callback_may_launch_another_kernel() -> None:
    inner: list[bool] = []
    kernel = px.parse(TEXT)["k"]
    a = np.zeros(128, np.uint32)

    def progress(done: int, total: int) -> None:
        if not inner:
            inner.append(launch(kernel, 2))

    px.simulate(kernel, grid=1, block=128, args=[a, np.zeros_like(a), np.uint32(1 << 21)], progress=progress)
    assert inner == [True]
