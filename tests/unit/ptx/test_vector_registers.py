"""Elements of vector registers, and what is said of those that there are not."""

from __future__ import annotations

import pytest

from ptxlab.checks import check

_KERNEL = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() { .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .v2 .b32 %v, %n<3>; .reg .v4 .f32 w; BODY ret; }
"""


def _said(body: str) -> list[tuple[str, str]]:
    found = check(_KERNEL.replace("BODY", body), lints=False)
    return [(d.code, d.message) for d in found if d.severity == "error"]


@pytest.mark.parametrize(
    "body", ["mov.b32 %v.x, %r1;", "mov.b32 %r1, %n2.g;", "mov.f32 w.a, w.z;", "st.global.v2.b32 [%rd1], %v;"]
)
def test_elements_that_there_are(body: str) -> None:
    assert _said(body) == []


@pytest.mark.parametrize(
    ("body", "element", "vector", "count"),
    [
        ("mov.b32 %v.z, %r1;", "%v.z", "%v", 2),
        ("mov.b32 %r1, %n2.a;", "%n2.a", "%n2", 2),
        ("ld.global.v2.b32 {%v.x, %v.w}, [%rd1];", "%v.w", "%v", 2),
        ("st.global.f32 [%rd1], w.q;", "w.q", "w", 4),
    ],
)
def test_elements_that_there_are_not(body: str, element: str, vector: str, count: int) -> None:
    assert _said(body) == [
        ("PTX0010", f"`{element}` is no element of the vector register `{vector}`, which has {count}")
    ]
