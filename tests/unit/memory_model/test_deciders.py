"""The two deciders agree on random programs; `python -m tools.litmus random` tries more of them."""

from __future__ import annotations

import pytest

from ptxlab.memory_model import random_test
from tools.litmus import differences


@pytest.mark.parametrize("seed", range(40))
def test_the_two_deciders_agree(seed: int) -> None:
    for number in range(5 * seed, 5 * seed + 5):
        text = random_test(number)
        assert differences(text) == [], text


def test_a_racy_write_may_follow_what_reads_it() -> None:
    text = """PTX racy
    { x = 0; }
    P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
    st.weak x, 1 | atom.acq_rel.sys.add r0, x, 1 ;
    red.release.sys.add x, 1 | ;
    locations [P1:r0; x;]
    """
    assert differences(text) == []
