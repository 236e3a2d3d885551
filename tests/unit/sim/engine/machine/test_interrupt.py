"""Ctrl-C while a kernel runs: it comes through, what was written stays, and the next launch is as good as any."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import pytest

HEAD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # who started the tests may ignore it
import numpy as np
import ptxlab as px

def text(body):
    return px.parse(".version 8.7\\n.target sm_90a\\n.address_size 64\\n.visible .entry k(.param .u64 a)\\n{\\n"
        ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>; .shared .align 128 .b8 s[1024]; .shared .b64 bar;\\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1;\\n"
        "mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 0;\\n" + body + "ret;\\n}")["k"]

def progress(done, total):
    print("running", flush=True)

def launch(kernel, **how):
    a = px.empty(64, np.uint32)
    a[:] = 0
    try:
        px.simulate(kernel, args=[a], progress=progress, **how)
    except KeyboardInterrupt:
        print("interrupted", a[:2].tolist(), flush=True)
    b = px.empty(64, np.uint32)
    px.simulate(text("st.global.u32 [%rd2], 9;"), grid=4, block=32, args=[b])
    print("and on", b[:4].tolist(), flush=True)
"""
MARK = "st.global.u32 [%rd2], 7; "
COUNT = MARK + "W: add.u32 %r3, %r3, 1; bra W; "
COPIES = MARK + (
    "@!%p1 bra DONE; mbarrier.init.shared.b64 [bar], 1; "
    "W: mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128; "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, [bar]; "
    "V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r3; @!%p2 bra V; xor.b32 %r3, %r3, 1; bra W; DONE: "
)
ATOMS = MARK + "W: atom.global.add.u32 %r4, [%rd1+128], 1; bra W; "


@pytest.mark.parametrize(
    ("body", "how"),
    [
        (COUNT, {"grid": 2, "block": 32}),
        (COUNT, {"grid": 64, "block": 1024}),
        (COUNT, {"grid": 8, "block": 64, "cluster": 8}),
        (COUNT, {"grid": 2, "block": 64, "stats": True, "schedule": "random"}),
        (ATOMS, {"grid": 2, "block": 64}),
        (COPIES, {"grid": 2, "block": 32}),
        (COPIES, {"grid": 2, "block": 32, "trace": False, "schedule": "late"}),
    ],
)
def test_an_endless_kernel_is_interrupted(body: str, how: dict[str, Any]) -> None:
    program = f"{HEAD}\nlaunch(text({body!r}), **{how!r})\n"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    said, wrong = child.communicate(timeout=60)
    lines = [line for line in said.splitlines() if line != "running"]
    assert wrong == ""
    assert lines[0].startswith("interrupted [7, ")
    assert lines[1:] == ["and on [9, 9, 9, 9]"]
