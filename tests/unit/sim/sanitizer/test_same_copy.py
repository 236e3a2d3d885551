"""Lanes of a warp that issue one copy together: harmless where all of them copy the same."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px

STORES = """\
.version 8.4
.target sm_90a
.address_size 64
.visible .entry stores(.param .u64 out)
{{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 128 .b8 tile[4096];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mad.lo.u32 %r3, %r1, 128, %r2;
  st.shared.v4.u32 [%r3], {{%r1, %r1, %r1, %r1}};
  fence.proxy.async.shared::cta;
  bar.warp.sync -1;
  {source}
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}}
"""


@pytest.mark.parametrize("schedule", ["eager", "late"])
@pytest.mark.parametrize(("source", "codes"), [("mov.u32 %r3, tile;", []), ("", ["PTX9215"])])
def test_lanes_that_store_the_same_are_one(source: str, codes: list[str], schedule: str) -> None:
    kernel = px.parse(STORES.format(source=source))["stores"]
    report = px.simulate(kernel, grid=1, block=32, args=[np.zeros(4, np.uint32)], sanitize=True, schedule=schedule)
    assert [d.code for d in report.findings] == codes
