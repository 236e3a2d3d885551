"""Counts of an instruction that waits for products whose registers it uses: it is executed once."""

from __future__ import annotations

import numpy as np

import ptxlab as px

from ...families.wgmma.test_wgmma_flight import CASES, operands, text


def test_an_instruction_that_waits_for_registers_is_counted_once() -> None:
    kernel = px.parse(text(CASES["read"].replace("<wait>", "")))["k"]
    report = px.simulate(
        kernel, grid=1, block=128, args=[operands(), np.zeros(128 * 64, np.uint8)], lints=False, stats=True
    )
    (add,) = [site for site in report.stats.sites if site.text.startswith("add.f32")]
    assert (add.executions, add.threads) == (4, 128)
    assert add.waits == 3  # the fourth warp completes the product
