"""%is_explicit_cluster, the one special register that may guard an instruction."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.ptx.format import formatted
from ptxlab.ptx.parser import parse

_KERNEL = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 out){head}
{{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	{body}
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 0;
	@%is_explicit_cluster add.u32 %r1, %r1, 1;
	@ ! %is_explicit_cluster add.u32 %r1, %r1, 2;
	st.global.u32 [%rd1], %r1;
	ret;
}}
"""


def _text(head: str = "", body: str = "", version: str = "8.0", target: str = "sm_90a") -> str:
    return _KERNEL.format(head=head, body=body, version=version, target=target)


@pytest.mark.parametrize(("head", "want"), [("", 2), (" .explicitcluster .reqnctapercluster 1", 1)])
def test_it_guards(head: str, want: int) -> None:
    out = np.zeros(1, np.uint32)
    px.simulate(px.parse(_text(head))["k"], grid=1, block=1, args=[out])
    assert out.tolist() == [want]


def test_it_is_printed_as_it_is_written() -> None:
    text = _text()
    assert str(px.parse(text)) == text
    assert "@!%is_explicit_cluster add.u32" in formatted(parse(text))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (_text(), set[str]()),
        (_text(version="7.7", target="sm_80"), {"PTX1005"}),
        (_text(body=".reg .pred %is_explicit_cluster;", version="7.7", target="sm_80"), set[str]()),
        (_text(body=".reg .b32 %is_explicit_cluster;"), {"PTX0105"}),
        (_text(body="{ .reg .pred %is_explicit_cluster; }", target="sm_80"), {"PTX1005"}),
        (_text(body="%is_explicit_cluster:"), {"PTX0013"}),
        (_text(body="@%laneid add.u32 %r1, %r1, 1;"), {"PTX0010"}),
    ],
)
def test_what_the_checker_says(text: str, codes: set[str]) -> None:
    assert {d.code for d in px.check(text, lints=False) if d.severity == "error"} == codes


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("@%is_explicit_cluster st.global.u32 [%rd1], %r1;", {"PTX1009"}),
        ("@!%is_explicit_cluster st.global.u32 [%rd1], %r1;", set[str]()),
        ("@%is_explicit_cluster bar.sync 0;", set[str]()),
        ("@!%is_explicit_cluster bar.sync 0;", {"PTX1009"}),
        ("@%is_explicit_cluster bra E; st.global.u32 [%rd1], %r1; E:", {"PTX1009"}),
        ("@%is_explicit_cluster bra E; E:", set[str]()),
        ("@%is_explicit_cluster ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;", {"PTX1009"}),
        (".reg .pred %p; mov.pred %p, %is_explicit_cluster; @%p st.global.u32 [%rd1], %r1;", set[str]()),
    ],
)
def test_where_ptxas_makes_no_code(body: str, codes: set[str]) -> None:
    found = px.check(_text(body=body), lints=False)
    assert {d.code for d in found if d.severity == "error"} == codes
