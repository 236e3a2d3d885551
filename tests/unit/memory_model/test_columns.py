"""What columns of the litmus format take beyond plain accesses: registers of a wgmma as values, counts, types, vectors."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.memory_model import Verdict, kernel

_WGMMA = """PTX accumulator
{{ .shared a = 2; .shared b = 3; .reg d = 0; x = 0; }}
P0@cta 0,gpu 0 ;
wgmma.fence.sync.aligned ;
wgmma.mma_async d, a, b ;
wgmma.commit_group.sync.aligned ;
{wait} ;
{steps} ;
{question}
"""
_WAIT = "wgmma.wait_group.sync.aligned 0"


def accumulator(steps: str, question: str = "locations [P0:r0; x; d;]", wait: str = _WAIT) -> Verdict:
    return px.litmus(_WGMMA.format(steps=steps, question=question, wait=wait))


@pytest.mark.parametrize(
    ("steps", "ends"),
    [
        ("mov r0, d", (5, 0, 5)),
        ("add r0, d, d", (10, 0, 5)),
        ("st.weak x, d", (0, 5, 5)),
        ("atom.relaxed.gpu.add r0, x, d", (0, 5, 5)),
        ("ld.weak r0, d", (5, 0, 5)),
        ("mov d, 7 ;\n mov r0, d", (7, 0, 7)),
        ("add d, d, 1", (0, 0, 6)),
        ("beq d, 5, L0 ;\n mov r0, 1 ;\n L0: ", (0, 0, 5)),
        ("bne d, 5, L0 ;\n mov r0, 1 ;\n L0: ", (1, 0, 5)),
    ],
)
def test_registers_of_a_wgmma_are_read_and_written_as_values(steps: str, ends: tuple[int, int, int]) -> None:
    found = accumulator(steps)
    assert [tuple(state.values()) for state in found.states] == [ends]
    assert found.race is None


@pytest.mark.parametrize("steps", ["mov r0, d", "add d, d, 1", "st.weak x, d"])
def test_they_race_with_a_wgmma_that_nobody_waits_for(steps: str) -> None:
    assert accumulator(steps, wait="mov r3, 0").race is not None


@pytest.mark.parametrize(("steps", "end"), [("mov r0, d", 5), ("add d, d, 1 ;\n mov r0, d", 6)])
def test_their_kernel_does_the_same(steps: str, end: int) -> None:
    found = accumulator(steps, "locations [P0:r0;]")
    made = kernel(found.program)
    module = px.parse(made.text)
    px.simulate(module["litmus"], **made.shape, args=[], lints=False)
    assert made.outcome(found.names, lambda name: module.symbol(name)[:]) == (end,)


@pytest.mark.parametrize(("through", "align"), [("tensor.1d.", 128), ("", 16)])
def test_what_a_tensor_map_brings_is_aligned_to_128_bytes(through: str, align: int) -> None:
    source = "[map, {0}]" if through else "[x], 16"
    test = f"""PTX copy
    {{ x = 7; map = x; .shared s = 0; .mbarrier m = 1; }}
    P0@cta 0,gpu 0 ;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16 ;
    cp.async.bulk.{through}shared::cluster.global.mbarrier::complete_tx::bytes [s], {source}, [m] ;
    locations [x;]
    """
    text = kernel(test).text
    assert f".shared .align {align} .b8 s_s[16];" in text
    px.parse(text)
