"""What is done twice and harmless: lanes of a warp that issue one copy together, warps that store one value."""

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


ONE_WORD = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry stores(.param .u64 out)
{{
  .reg .b32 %r<3>;
  .reg .b64 %rd;
  .shared .align 4 .b8 row[4];
  ld.param.u64 %rd, [out];
  mov.u32 %r0, %tid.x;
  shr.u32 %r1, %r0, 5;
  mov.u32 %r2, 7;
  {store};
  st.global.u32 [%rd+8], 7;
  ret;
}}
"""
PLACES = {"global": "[%rd]", "shared": "[row]"}


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("space", PLACES)
@pytest.mark.parametrize(("value", "codes"), [("%r2", []), ("%r1", ["PTX9200"])])
def test_warps_that_store_one_value(space: str, value: str, codes: list[str], schedule: str) -> None:
    """Alike in shared and in global memory: a value each is a race, one value is none."""
    kernel = px.parse(ONE_WORD.format(store=f"st.{space}.u32 {PLACES[space]}, {value}"))["stores"]
    report = px.simulate(
        kernel, grid=1, block=96, args=[np.zeros(4, np.uint32)], lints=False, sanitize=True, schedule=schedule
    )
    assert [d.code for d in report.findings] == codes


def test_ctas_that_store_one_value_do_their_work_twice() -> None:
    kernel = px.parse(ONE_WORD.format(store="st.global.u32 [%rd], %r2"))["stores"]
    report = px.simulate(kernel, grid=2, block=32, args=[np.zeros(4, np.uint32)], lints=False, sanitize=True)
    assert {d.code for d in report.findings} == {"PTX9200"}
