"""Accesses that machine code accepts by marks and records: what is found is found all the same, and nothing else is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order import sites
from ptxlab.sim.order.native import arena

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %t, %a, %b, %i, %n, %v, %w; .reg .b64 %p, %q; .reg .pred %go;
    .shared .align 16 .b32 tile[256];
    mov.u32 %t, %tid.x; mov.b32 %b, tile; mad.lo.u32 %a, %t, 4, %b; ld.param.u64 %p, [p];
    mov.u32 %n, %ctaid.x; mad.lo.u32 %n, %n, 64, %t;
"""
EACH = "st.shared.b32 [%a], %t; bar.sync 0;\n"
"""All threads write an element each, and meet."""
OTHER = "xor.b32 %v, %t, 32; mad.lo.u32 %v, %v, 4, %b;\n"
"""%v: the element of a thread of the other warp."""
LOOP = "mov.u32 %i, 0;\nAGAIN:\n{}\nadd.u32 %i, %i, 1; setp.lt.u32 %go, %i, {};\n@%go bra AGAIN;\n"
PLAIN, NO_MARKS, FEW_EPOCHS, SHORT_RECORD = "plain", "no marks", "few epochs", "short record"


@pytest.fixture(params=[PLAIN, NO_MARKS, FEW_EPOCHS, SHORT_RECORD])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The ways that machine code may take."""
    if request.param == NO_MARKS:
        monkeypatch.setattr(sites, "_is_private", lambda _: False)
        sites.forget()
    if request.param == FEW_EPOCHS:
        monkeypatch.setattr(arena, "MOST_EPOCHS", 5)
    if request.param == SHORT_RECORD:
        monkeypatch.setattr(arena, "MOST_READS", 100)
    yield request.param
    if request.param == NO_MARKS:
        sites.forget()


def found(body: str, *, grid: int = 3, threads: int = 64) -> list[tuple[str, int, int]]:
    """Codes, and the lines behind the head's; loops of these programs may look like polls."""
    kernel = px.parse(f"{HEAD}{body}\nret;\n}}\n", "k.ptx")["k"]
    data = np.zeros(1024, np.uint32)
    report = px.simulate(kernel, grid=grid, block=threads, args=[data], lints=False, sanitize=True)
    first = HEAD.count("\n")
    findings = [f for f in report.findings if f.code not in ("PTX9243", "PTX9252")]
    told = [(f.code, *sorted(s.line - first for s in (f.span, f.other) if s)) for f in findings]
    return sorted(told)  # type: ignore[arg-type]


SHARED: list[tuple[str, list[tuple[str, int, int]]]] = [
    (EACH + OTHER + "ld.shared.b32 %w, [%v];", []),
    (EACH + OTHER + "ld.shared.b32 %w, [%v];\nst.shared.b32 [%a], 1;", [("PTX9200", 3, 4)]),
    (EACH + OTHER + "ld.shared.b32 %w, [%v];\nbar.sync 0;\nst.shared.b32 [%a], 1;", []),
    (EACH + OTHER + "st.shared.b32 [%v], 7;\nld.shared.b32 %w, [%a];", [("PTX9200", 3, 4)]),
    (EACH + OTHER + "st.shared.b32 [%a], 7;\nld.shared.b32 %w, [%a];\nst.shared.b32 [%a], 8;", []),
    (EACH + OTHER + "@!%go ld.shared.b32 %w, [%b];\nbar.sync 0;\nst.shared.b32 [%v], 2;", []),
    (EACH + OTHER + "ld.shared.b32 %w, [%b];\nst.shared.b32 [%v], 2;", [("PTX9200", 3, 4)]),
    ("ld.shared.b32 %w, [%a];", [("PTX9240", 1)]),
    (EACH + LOOP.format("ld.shared.b32 %w, [%b];", 700) + OTHER + "st.shared.b32 [%v], 2;", [("PTX9200", 4, 8)]),
    (LOOP.format("st.shared.b32 [%a], %i;\nbar.sync 0;\n" + OTHER + "ld.shared.b32 %w, [%v];\nbar.sync 0;", 9), []),
    (
        LOOP.format("st.shared.b32 [%a], %i;\nbar.sync 0;\n" + OTHER + "ld.shared.b32 %w, [%v];", 9),
        [("PTX9200", 3, 6)],
    ),
    (EACH + OTHER + "st.shared.b32 [%v], 1;\nbar.sync 1, 64;\nld.shared.b32 %w, [%a];", []),
    (EACH + OTHER + "atom.shared.add.u32 %w, [%v], 1;\nbar.sync 0;\nld.shared.b32 %w, [%a];", []),
    (EACH + OTHER + "atom.shared.add.u32 %w, [%v], 1;\nld.shared.b32 %w, [%a];", [("PTX9203", 3, 4)]),
]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("body", "wanted"), SHARED)
def test_shared_memory(body: str, wanted: list[tuple[str, int, int]]) -> None:
    assert found(body) == wanted


def wide(text: str) -> str:
    """The same program with elements of 16 bytes."""
    text = text.replace("%t, 4, %b", "%t, 16, %b").replace("%v, 4, %b", "%v, 16, %b")
    text = text.replace("%v, %w;", "%v, %w, %w1, %w2, %w3;")
    text = re.sub(r"st\.shared\.b32 (\[\S+\]), ([%\w]+);", r"st.shared.v4.b32 \1, {\2, \2, \2, \2};", text)
    return re.sub(r"ld\.shared\.b32 %w, ", "ld.shared.v4.b32 {%w, %w1, %w2, %w3}, ", text)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("body", "wanted"), [case for case in SHARED if "atom" not in case[0]])
def test_shared_memory_in_pieces_of_16_bytes(
    body: str, wanted: list[tuple[str, int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Granules of shared memory are larger there than those of global memory."""
    monkeypatch.setattr(sys.modules[__name__], "HEAD", wide(HEAD))
    assert found(wide(body)) == wanted


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("ld.global.b32 %w, [%p];", []),
        (
            "ld.global.b32 %w, [%p+2000];\nsetp.eq.u32 %go, %n, 170;\n@%go st.global.b32 [%p+2000], 1;",
            [("PTX9200", 1, 3)],
        ),
        ("ld.global.b32 %w, [%p+2000];\nsetp.eq.u32 %go, %n, 170;\n@%go st.global.b32 [%p+2004], 1;", []),
        (
            "mul.wide.u32 %q, %t, 4; add.u64 %p, %p, %q; ld.global.b32 %w, [%p+4];\nst.global.b32 [%p+4], 1;",
            [("PTX9200", 1, 2), ("PTX9200", 2, 2)],
        ),
        (
            "setp.lt.u32 %go, %n, 64;"
            " mul.wide.u32 %q, %t, 4; add.u64 %p, %p, %q; ld.global.b32 %w, [%p+4];\n@%go st.global.b32 [%p+1024], %t;",
            [],
        ),
    ],
)
def test_global_memory(body: str, wanted: list[tuple[str, int, int]]) -> None:
    assert found(body, grid=4) == wanted
