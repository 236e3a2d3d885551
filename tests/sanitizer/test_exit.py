"""A CTA must not exit before its own copies to a peer have read their source (PTX9234)."""

from __future__ import annotations

import pytest

from . import zoo
from .test_zoo import told
from .zoo import Edit, add, both, drop, sub

COPY = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
REDUCE = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32"
KINDS = {
    "copy": both(),
    "reduction": both(
        add("st.shared.u32 [mine], 0;", before="init"),
        add("fence.proxy.async;", behind="begun"),
        sub("copy", COPY, REDUCE),
    ),
}
LEAVE = drop("leave", "left")


@pytest.mark.parametrize(("schedule", "seed"), zoo.SCHEDULES)
@pytest.mark.parametrize("edit", KINDS.values(), ids=KINDS)
def test_sender_waits_until_its_source_is_read(edit: Edit, schedule: str, seed: int) -> None:
    kernel = next(k for k in zoo.kernels() if k.name == "bulk_to_peer")
    assert told(kernel, edit(kernel.text()), schedule, seed)[0] == []
    faulty = both(edit, LEAVE)(kernel.text())
    (found,) = told(kernel, faulty, schedule, seed)[0]
    assert found.code == "PTX9234"
    assert "before its own `cp." in found.message
    assert found.span is not None
    assert found.span.line in faulty.numbers("copy")
