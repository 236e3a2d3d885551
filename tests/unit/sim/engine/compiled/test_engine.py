"""The engine around the handlers: caches, decoding speed, fairness, floating-point environment, interruption."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ...launching import launch, program_of

ADD = """
.visible .entry k(.param .u64 a) {
    .reg .u32 t, x; .reg .u64 p;
    mov.u32 t, %tid.x; ld.param.u64 p, [a]; mad.wide.u32 p, t, 4, p;
    ld.global.u32 x, [p]; add.u32 x, x, 3; st.global.u32 [p], x;
    exit;
}"""

SCRIPT = """
import sys; sys.path.insert(0, {here!r})
import numpy as np
from ptxlab.sim.engine.compiled.compile import Code
made = []
original = Code._assemble
Code._assemble = lambda self, text, **how: (made.append(text), original(self, text, **how))[1]
from sim.launching import launch
a = np.arange(32, dtype="u4")
launch({text!r}, [a])
assert (a == np.arange(32) + 3).all()
print(len(made))
"""


def in_new_process(cache: Path) -> int:
    """Run the kernel in a fresh process; how many modules it compiled."""
    script = SCRIPT.format(here=str(Path(__file__).parents[3]), text=ADD)
    env = {**os.environ, "PTXLAB_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_code_is_kept_on_disk_and_survives_damage(tmp_path: Path) -> None:
    assert in_new_process(tmp_path) > 0
    assert in_new_process(tmp_path) == 0
    for path in tmp_path.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-7])
    assert in_new_process(tmp_path) > 0
    assert in_new_process(tmp_path) == 0


def test_records_are_decoded_once_and_bound_for_each_launch() -> None:
    program = program_of(ADD)
    for _ in range(3):
        a = np.arange(32, dtype="u4")
        launch(program, [a])
        assert (a == np.arange(32) + 3).all()


@pytest.mark.skipif(sys.platform != "linux", reason="sets the control word through the C library of Linux")
def test_flush_to_zero_of_the_process_does_not_matter() -> None:
    libm = ctypes.CDLL("libm.so.6")
    state = (ctypes.c_uint8 * 64)()
    if libm.fegetenv(ctypes.byref(state)) or os.uname().machine != "x86_64":
        pytest.skip("no control word here")
    words = ctypes.cast(state, ctypes.POINTER(ctypes.c_uint32))
    a = np.array([1, 0x00400000], "u4")  # subnormal numbers
    words[7] |= 0x8040  # MXCSR: flush results, take subnormal operands as zero
    old = (ctypes.c_uint8 * 64)()
    libm.fegetenv(ctypes.byref(old))
    libm.fesetenv(ctypes.byref(state))
    try:
        launch(
            """
            .visible .entry k(.param .u64 a) {
                .reg .u32 t; .reg .f32 x; .reg .u64 p;
                mov.u32 t, %tid.x; ld.param.u64 p, [a]; mad.wide.u32 p, t, 4, p;
                ld.global.f32 x, [p]; add.f32 x, x, x; st.global.f32 [p], x;
                exit;
            }""",
            [a],
            block=(2, 1, 1),
        )
    finally:
        libm.fesetenv(ctypes.byref(old))
    assert a.tolist() == [2, 0x00800000]


def test_a_warp_that_spins_on_another_warp_gives_way() -> None:
    out = np.zeros(64, "u4")
    launch(
        """
        .visible .entry k(.param .u64 out) {
            .reg .u32 t, v; .reg .u64 p; .reg .pred q, first;
            .shared .u32 flag;
            mov.u32 t, %tid.x; setp.eq.u32 q, t, 0; @q st.shared.u32 [flag], 0; bar.sync 0;
            setp.lt.u32 q, t, 32; @!q bra write;
        spin:
            ld.volatile.shared.u32 v, [flag]; setp.eq.u32 q, v, 0; @q bra spin;
            bra end;
        write:
            mov.u32 v, 9; st.volatile.shared.u32 [flag], v;
        end:
            ld.param.u64 p, [out]; mad.wide.u32 p, t, 4, p; st.global.u32 [p], v;
            exit;
        }""",
        [out],
        block=(64, 1, 1),
    )
    assert (out == 9).all()


def test_ctas_of_a_cluster_wait_for_one_another_in_memory() -> None:
    """Rank 0 spins on a word of its own shared memory that rank 1 writes through shared::cluster."""
    out = np.zeros(2, "u4")
    launch(
        """
        .visible .entry k(.param .u64 out) {
            .reg .u32 r, v, a; .reg .u64 p; .reg .pred q;
            .shared .u32 flag;
            mov.u32 r, %cluster_ctarank;
            setp.eq.u32 q, r, 0; @q st.shared.u32 [flag], 0;
            barrier.cluster.arrive; barrier.cluster.wait;
            @!q bra write;
        spin:
            ld.volatile.shared.u32 v, [flag]; setp.eq.u32 q, v, 0; @q bra spin;
            bra end;
        write:
            mov.u32 v, flag; mapa.shared::cluster.u32 a, v, 0; mov.u32 v, 21; st.shared::cluster.u32 [a], v;
        end:
            ld.param.u64 p, [out]; mad.wide.u32 p, r, 4, p; st.global.u32 [p], v;
            barrier.cluster.arrive; barrier.cluster.wait;
            exit;
        }""",
        [out],
        grid=(2, 1, 1),
        block=(1, 1, 1),
        cluster=(2, 1, 1),
    )
    assert out.tolist() == [21, 21]


def test_progress_is_told_and_may_interrupt() -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert (done, total) == (0, 5)
        raise Stop

    with pytest.raises(Stop):
        launch(".visible .entry k() { L: bra L; }", [], grid=(5, 1, 1), progress=stop)


def test_runs_are_alike() -> None:
    """Uninitialised registers and shared memory give the same values in every run."""
    text = """
    .visible .entry k(.param .u64 out) {
        .reg .u32 t, b, x, y; .reg .u64 p; .shared .b8 s[256];
        mov.u32 t, %tid.x; mov.u32 b, %ctaid.x; mad.lo.u32 t, b, 32, t;
        ld.shared.u32 y, [s+16]; add.u32 x, x, y;
        ld.param.u64 p, [out]; mad.wide.u32 p, t, 4, p; st.global.u32 [p], x;
        add.u32 x, x, 17; st.shared.u32 [s+16], x;
        exit;
    }"""
    outs = []
    for _ in range(2):
        out = np.zeros(128, "u4")
        launch(text, [out], grid=(4, 1, 1))
        outs.append(out)
    assert (outs[0] == outs[1]).all()
