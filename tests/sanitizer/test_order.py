"""Happens-before graphs of findings: what is missing in the faulty kernel is there in the repaired one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import HappensBefore
from tools.pictures import order

from . import zoo
from .programs import program

ORDERED_BUT = ("PTX9133", "PTX9213", "PTX9214", "PTX9221", "PTX9250")
"""Codes of accesses that come one after the other, which is not enough."""
UNORDERED_STILL = ("PTX9201", "PTX9215")
"""Codes whose pages repair the kernel without ordering the two."""


@pytest.mark.parametrize("code", order.CODES)
def test_the_repair_adds_what_is_missing(code: str) -> None:
    faulty, repaired = order.graphs(code)
    assert faulty.missing
    assert not repaired.missing
    assert code in ORDERED_BUT or not faulty.on_way
    assert code in UNORDERED_STILL or repaired.on_way
    if code in ORDERED_BUT[1:4]:  # the repair is an event more
        assert len(repaired.events) == len(faulty.events) + 1


@px.kernel(threads=96)
def relay(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    """Warp 0 tells warp 1 by barrier 1, and that tells warp 2 by barrier 2."""
    word = k.smem(px.u32, 1)
    with k.if_(k.tid.x == 0):
        k.st.shared.u32(word[0], 1)
    with k.if_(k.tid.x < 64):
        k.bar.sync(1, 64)
    with k.if_(k.tid.x >= 32):
        k.bar.sync(2, 64)
    with k.if_(k.tid.x == 64):
        k.st.global_.u32(out[0], k.ld.shared.u32(word[0]))


@px.kernel(threads=96)
def relay_by_none(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    """The same without the first barrier."""
    word = k.smem(px.u32, 1)
    with k.if_(k.tid.x == 0):
        k.st.shared.u32(word[0], 1)
    with k.if_(k.tid.x >= 32):
        k.bar.sync(2, 64)
    with k.if_(k.tid.x == 64):
        k.st.global_.u32(out[0], k.ld.shared.u32(word[0]))


def launched(kernel: px.Kernel, *, graphs: bool = False, sanitize: bool | None = None) -> px.Report:
    return px.simulate(kernel, grid=1, args=[np.zeros(1, np.uint32)], graphs=graphs, sanitize=sanitize)


def test_a_chain_through_a_third_thread() -> None:
    (finding,) = launched(relay_by_none, graphs=True).findings
    graph = finding.graph()
    assert isinstance(graph, HappensBefore)
    repaired = launched(relay, graphs=True)
    assert not repaired.findings
    assert repaired.order is not None
    same = repaired.order.same(graph)
    assert same is not None
    assert [column.name[8:10] for column in same.columns] == ["0,", "32", "64"]
    assert [edge.kind for edge in same.edges if edge.on_way and edge.kind != "program order"] == ["barrier"] * 2
    assert "in order" in str(same)


def test_a_flag_with_fences() -> None:
    """The value is read by a relaxed access, and what orders the two are the fences around it."""
    kernel, mutant = next(
        (k, m) for k, m in zoo.mutants() if (k.name, m.name) == ("message_fence", "no fence in the writer")
    )
    reports: list[px.Report] = []
    for text in (kernel.text(mutant), kernel.text()):
        launch, _ = kernel.launch()
        reports.append(px.simulate(px.parse(str(text), "k.ptx")["k"], **launch, lints=False, graphs=True))
    faulty, repaired = reports
    graph = faulty.findings[0].graph()
    assert isinstance(graph, HappensBefore)
    assert repaired.order is not None
    same = repaired.order.same(graph)
    assert same is not None
    assert not graph.on_way
    assert same.ordered
    assert "value" in [edge.kind for edge in same.edges if edge.on_way]


def test_a_finding_without_a_graph() -> None:
    report = launched(relay_by_none, sanitize=True)
    assert report.order is None
    with pytest.raises(px.Diagnostic, match="has no happens-before graph") as stopped:
        report.findings[0].graph()
    assert stopped.value.code == "PTX2501"


def test_places_where_no_picture_can_be_written(tmp_path: Path) -> None:
    graph = launched(relay_by_none, graphs=True).findings[0].graph()
    with pytest.raises(px.Diagnostic) as stopped:
        graph.save(tmp_path / "graph.png")
    assert stopped.value.code == "PTX2501"
    with pytest.raises(px.Diagnostic) as stopped:
        graph.save(tmp_path / "none" / "graph.svg")
    assert stopped.value.code == "PTX2500"


def test_graphs_without_the_sanitizer_are_refused() -> None:
    with pytest.raises(px.Diagnostic) as stopped:
        launched(relay, graphs=True, sanitize=False)
    assert stopped.value.code == "PTX2501"


def found(seed: int, *, graphs: bool) -> list[px.Diagnostic]:
    one = program(seed)
    kernel = px.parse(one.text, "k.ptx")["k"]
    try:
        report = px.simulate(
            kernel, grid=one.grid, block=one.block, args=one.arrays(), lints=False, sanitize=True, graphs=graphs
        )
    except px.Diagnostic as stop:
        return [stop, *stop.also]
    return list(report.findings)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_races_of_random_programs_have_no_way_from_one_access_to_the_other(seed: int) -> None:
    findings = found(seed, graphs=True)
    assert {d.code for d in findings} == {d.code for d in found(seed, graphs=False)}
    for finding in findings:
        if finding.order is not None and finding.code in ("PTX9200", "PTX9203", "PTX9210", "PTX9211"):
            graph = finding.graph()
            assert isinstance(graph, HappensBefore)
            assert not graph.on_way, finding
