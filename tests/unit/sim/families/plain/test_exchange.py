"""What lanes take from each other, on processors with a permutation of 32 registers and without."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.sim.engine.compiled import compile as machine_code

from ...launching import launch

RNG = np.random.default_rng(12)
TEXT = """.visible .entry k(.param .u64 a, .param .u64 from, .param .u64 out) {
    .reg .u32 t, x, y, s; .reg .u64 p;
    mov.u32 t, %tid.x;
    ld.param.u64 p, [a]; mad.wide.u32 p, t, 4, p; ld.global.u32 x, [p];
    ld.param.u64 p, [from]; mad.wide.u32 p, t, 4, p; ld.global.u32 s, [p];
    shfl.sync.idx.b32 y, x, s, 31, 0xffffffff;
    ld.param.u64 p, [out]; mad.wide.u32 p, t, 4, p; st.global.u32 [p], y;
    exit; }"""


@pytest.mark.parametrize("permutes", [True, False])
def test_lanes_take_from_any_lane(permutes: bool, monkeypatch) -> None:
    machine = machine_code.code()
    if permutes and "permute" not in machine.features:
        pytest.skip("the processor has no AVX-512")
    if not permutes:
        monkeypatch.setattr(machine, "features", frozenset())
        monkeypatch.setattr(machine, "version", machine.version + " plain")
        monkeypatch.setattr(machine, "addresses", {k: v for k, v in machine.addresses.items() if "|" not in k})
        monkeypatch.setattr(machine, "_index", {})
    for _ in range(8):
        a, source = RNG.integers(0, 2**32, 32, dtype=np.uint32), RNG.integers(0, 32, 32, dtype=np.uint32)
        out = np.zeros(32, np.uint32)
        launch(TEXT, [a, source, out])
        assert (out == a[source]).all()
