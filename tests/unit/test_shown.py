"""What Python's prompt, `print` and notebooks show of public objects: one line each, tables for what is more, all escaped."""

from __future__ import annotations

import html.parser
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab import memory_model
from ptxlab.diag import Findings, HappensBefore, OrderEdge
from ptxlab.diag.tables import Table
from ptxlab.kernels import attention
from ptxlab.kernels.attention.backward import Cut
from ptxlab.kernels.blocks import epilogue
from ptxlab.kernels.blocks.choice import Shape
from ptxlab.kernels.blocks.exchange import Exchange
from ptxlab.kernels.blocks.finish import Finish
from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
from ptxlab.kernels.blocks.store import DirectStore, TmaStore
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.collectives import Group
from ptxlab.lang.kernel import KernelFunction
from ptxlab.launch.prepare import Simulated
from ptxlab.reference.language.names import names

MOST = 240
"""Characters of a line that is still read at a glance."""
MARK = "<script>&"
TEXT = r"""PTX MP
{ x = 0; flag = 0; }
P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
st.weak x, 1          | ld.acquire.gpu r0, flag ;
st.relaxed.gpu flag, 1 | ld.weak r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
"""
WRONG = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { bad; ret; }"
SEVERAL_LINES = {"Table"}
"""What is shown whole, like an array."""


def _classes() -> dict[str, type]:
    """Public classes, by name. Types of registers are shown as Register is, and protocols by what has them."""
    found = {n.value.__name__: n.value for n in names() if inspect.isclass(n.value)}
    return {n: c for n, c in found.items() if not (issubclass(c, px.Register) and c is not px.Register)}


@px.kernel(threads=64)
def last(k, y: px.Ptr[px.u32]):
    k.st.global_.u32(y[0], k.tid.x)  # two warps write the same place


@px.kernel(threads=64)
def filled(k, y: px.Ptr[px.u32], *, value):
    k.st.global_.u32(y[k.tid.x], value)


def _traced() -> Iterator[object]:
    """Objects of the language, as they are while a kernel is traced."""
    out: list[object] = []

    def body(k: Any, x: px.Ptr[px.f32], maps: px.Ptr[px.TensorMap], tm: px.TensorMap) -> None:
        tile = k.smem(px.f16, (2, 64, 64), swizzle="128B")
        bar = k.mbarrier(1, 2)
        ring = k.ring(2, tile)
        k.init_barriers()
        v = k.ld.global_.f32(x[k.tid.x])
        four = k.ld.global_.v4.f32(x[4 * k.tid.x])
        out.extend([k, k.ld, k.tid, k.envreg, v, ~(v > 0), four, x, x[3], tile, bar, bar.remote(0), ring])
        out.extend([tile.descriptor(), k.accumulator(64, 256), k.tensormap(maps[0], like=tm)])
        with ring.produce() as slot:
            out.append(slot)

    KernelFunction(body, threads=128, cluster=2).trace()
    return iter(out)


def _blocks() -> Iterator[object]:
    """Parts of matrix products."""
    out: list[object] = []
    tiling = Tiling(rows=64, columns=64, consumers=1, splits=2, stages=2)

    def body(k: Any, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32], d: px.TensorMap) -> None:
        operands = Operands(k, tiling, Operand(a, "K", px.bf16), Operand(b, "K", px.bf16))
        ring = operands.ring()
        finish = Finish(k, tiling, [], arguments=[], extents=(k.mov.u32(64), k.mov.u32(64)), out=px.f32)
        out.extend([operands, operands.left, finish, Mainloop(operands, ring, k.mov.u32(0))])
        out.extend([Exchange(k, tiling, ring, k.cluster_ctarank), TmaStore(k, d, px.f32, tiling, finish)])
        k.init_barriers()
        out.append(DirectStore(k, c, k.mov.u64(256), px.f32, tiling, finish))
        out.append(attention.ScoreArray(k, "f32", c, (k.mov.u32(64),), (k.mov.u64(4),)))

    KernelFunction(body, threads=tiling.threads, cluster=2).trace()
    yield from [tiling, *out, epilogue.relu | epilogue.amax(np.zeros(1, np.uint32))]
    yield from [attention.softcap(30.0), attention.ScorePlace(0, 0, 0, 0, 1), Cut()]
    yield epilogue.per_row(np.zeros((64,), np.float32))
    yield Shape(m=64, n=64, k=64, item=2, b_major="K", sms=132)


def _launched() -> Iterator[object]:
    y = np.zeros(64, np.uint32)
    report = px.simulate(last, grid=1, args=[y], trace=True, stats=True, sanitize=True)
    yield from (last, last.prepare(grid=1, args=[y]), report, report.stats, report.stats.sites[0], report.trace)
    yield from (report.findings, report.findings[0], report.findings[0].origin, report.findings[0].severity)
    graph = px.simulate(last, grid=1, args=[y], graphs=True).findings[0].graph()
    assert isinstance(graph, HappensBefore)
    yield from (graph, graph.columns[0], graph.events[0], OrderEdge(0, 1, "barrier"))
    assert report.trace is not None
    yield from (report.trace[0], px.PtxWarning(report.findings[0]), report.stats.table())
    profiled = px.profile(last, grid=1, args=[y])
    ranked = px.rank(filled, grid=1, args=[y], value=[1, 2], workers=1)
    yield from (profiled, profiled.stalls[0], profiled.roofline, ranked, ranked.best)
    measured = px.Measured(
        "H200", 2e-6, 2e-6, 3e-6, clock=1980, calls=9, rounds=20, registers=16, resident=4, counters=""
    )
    yield from (profiled.lines[0], profiled.occupancy, measured)
    explored = px.explore(last, grid=1, args=[y], schedules=4)
    yield from (explored, *explored.runs, next(d for run in explored.runs for d in run.differences))
    yield from (px.certify(last, grid=1, args=[y]), px.redundant(last, grid=1, args=[y]))
    yield from _judged()
    compared = px.compare(last, lambda y: np.copyto(y, 99), [y], grid=1, schedules=["eager"])
    yield from (compared, compared.runs[0], compared.runs[0].mismatches[0])
    with px.debug(last, grid=1, args=[y]) as debugger:
        yield from (debugger, debugger.where, debugger.break_at(debugger.where.python.line))


def _judged() -> Iterator[object]:
    spec = px.Spec(lambda: px.case([px.Output("u32", 64)], grid=1))
    case = spec.case()
    assert case is not None
    yield from (spec, case, case.args[0], px.Input("f32", 4), px.Input("f32", (8, 8)).map(box=(8, 8)))
    found = px.verify(last, lambda: np.zeros(64, np.uint32), spec)
    yield from (found, found.trial, px.Algebra(6, (263, 131), 1, 1e-14, [{"n": 3}]))


def _same(x: px.Array) -> px.Array: ...
def _counted(k: px.Builder, x: px.Ptr[px.u32], *, n: int) -> None: ...


def _made() -> Iterator[object]:
    yield from (px.tensor_map(px.empty((64, 64), np.float32), box=(32, 32)), px.Im2col((0,), (0,), 64, 64))
    yield px.TensorMap.tiled(dtype="f16", address=4096, dims=(256, 128), strides=(512,), box=(64, 64), swizzle="128B")
    yield from (
        px.array_view(np.zeros((2, 3), np.float32)),
        px.device_of(np.zeros(4)),
        px.TuningCache([Path(__file__)]),
        px.operator("shown::same")(_same),
        px.tune(n=[1, 2])(px.kernel(threads=32)(_counted)),
    )
    yield from (stream := px.Stream(), px.Event(), stream.record(), px.Graph(stream))
    group, x = Group(devices := px.devices(2)), [device.zeros(4, np.float32) for device in devices]
    yield from (group, group.prepare_all_reduce(x, x), px.Process(0, 2))
    d = px.fragment("mma.m16n8k16", "d", "f32")
    metadata = px.sparse_metadata("mma.sp.m16n8k32", "bf16")
    yield from (d, d.lane_of(0, 0), metadata, metadata.lane_of(0, 0))
    builder = px.module("8.0", "sm_90a")
    with builder.entry("count", [".param .u64 out"]) as k:
        r, rs = k.reg("u32", "r"), k.reg("u32", "%q<3>")
        yield from (k, r, rs)
        k.ret()
    yield builder
    module = px.parse(".version 8.0\n.target sm_90a\n.address_size 64\n.global .u32 lut = 3;\n"
                      ".visible .entry e() { .reg .u32 %r; ld.global.u32 %r, [lut]; ret; }")  # fmt: skip
    yield from (module, module["e"], module.symbol("lut"), px.check(WRONG))
    verdict = px.litmus(TEXT, all_races=True)
    race = verdict.races[0]
    yield from (verdict, race, race.accesses[0], next(iter(verdict.racing.values())), memory_model.kernel(TEXT))
    from ptxlab.cuda.ptxas import Resources

    yield Resources(registers=32)


@cache
def _samples() -> dict[str, list[Any]]:
    """Objects of each public class, by the class's name."""
    out: dict[str, list[Any]] = {}
    for found in (*_traced(), *_blocks(), *_launched(), *_made()):
        for name, cls in _classes().items():
            if isinstance(found, Simulated if cls is px.Launch else cls):  # a protocol
                out.setdefault(name, []).append(found)
    return out


ELSEWHERE = {"Array", "TritonKernel"}
"""A word of annotations, and what an extra makes: its tests show it (`tests/unit/launch/test_triton_kernels.py`)."""


def test_there_is_a_sample_of_every_public_class() -> None:
    """A new public class is shown like the others: give `_samples` an object of it."""
    assert sorted(_classes().keys() - _samples().keys() - ELSEWHERE) == []


def _wrong(one: object) -> str:
    """What is wrong with how an object is shown; "" for nothing."""
    shown = repr(one)
    if type(one).__name__ in SEVERAL_LINES:
        return "" if shown == str(one) else "differs from str"
    if " object at 0x" in shown or " at 0x7" in shown:
        return "has no __repr__ of its own, or one that says where it lies"
    if "\n" in shown or not shown:
        return "is not one line"
    return "" if len(shown) <= MOST or isinstance(one, list) else f"is too long: {shown}"


def test_every_public_object_is_a_line_of_ours() -> None:
    wrong = [(name, why) for name, found in _samples().items() for one in found if (why := _wrong(one))]
    assert wrong == []


class _Checked(html.parser.HTMLParser):
    """Counts tags that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.styles: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag != "script"
        if tag != "rect" or not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)
        self.styles += [value for key, value in attrs if key == "style"]

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.styles += [value for key, value in attrs if key == "style"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


SHOWN_AS_HTML = {"Kernel", "Module", "Report", "Stats", "Site", "Trace", "Exploration", "Comparison", "Diagnostic", "Findings",
                 "PtxWarning", "Tile", "TensorMap", "BoundMap", "MatrixRegisters", "MatrixFragment", "Metadata", "Verdict",
                 "Table", "Profile", "Ranking"}  # fmt: skip


def test_what_is_more_than_a_line_has_html() -> None:
    has = {name for name, found in _samples().items() if all("_repr_html_" in dir(type(one)) for one in found)}
    assert has == SHOWN_AS_HTML


def test_html_is_whole_and_leaves_the_background_to_the_theme() -> None:
    for one in (one for name in SHOWN_AS_HTML for one in _samples()[name]):
        text = one._repr_html_()
        assert text
        checked = _Checked()
        checked.feed(text)
        checked.close()
        assert checked.open == []
        assert "background" not in "".join(checked.styles)


def test_notebooks_find_nothing_but_what_there_is() -> None:
    """They ask every object for a dozen names, builders of instructions too."""
    for one in (*_samples()["Builder"], *_samples()["Opcode"], *_samples()["SpecialRegisters"]):
        for name in ("_repr_html_", "_repr_png_", "_repr_mimebundle_", "_ipython_display_", "_ipython_canary_"):
            assert not hasattr(one, name)


def test_text_from_elsewhere_is_escaped() -> None:
    module = px.parse(WRONG.replace("bad; ", f"// {MARK}\n"), file=f"{MARK}.ptx")
    found = px.Diagnostic("PTX2501", f"no {MARK}", help=MARK, span=px.Span(MARK, 1, text=MARK), notes=[MARK])
    event = px.TraceEvent(f"cta 0 {MARK}", MARK, MARK, 0, 5)
    tile = px.Difference(MARK, 1, 1, (0,), (MARK, MARK), ("0x0", "0x1"))
    runs = (px.ExploredRun("eager", 0), px.ExploredRun("late", 0, differences=(tile,)))
    shown = [
        module,
        module["k"],
        found,
        Findings([found]),
        px.PtxWarning(found),
        px.Trace([event]),
        px.Exploration(MARK, runs),
        px.Comparison(MARK, (px.ComparedRun("eager", 0, mismatches=(px.Mismatch(MARK, 1, 1, (0,), MARK, MARK),)),)),
        px.Report(findings=[found], trace=px.Trace([event])),
    ]
    for one in shown:
        assert "<script>" not in one._repr_html_()
        assert "&lt;script&gt;&amp;" in one._repr_html_(), type(one)


def test_fresh_objects_are_shown() -> None:
    """What is empty, or has gone nowhere yet, is shown as well."""

    @px.kernel(threads=32)
    def untraceable(k, x: px.Ptr[px.f32], *, width):
        raise AssertionError("to show a kernel traces nothing")

    fresh = [
        px.Report(),
        px.Stats(),
        px.Trace(),
        Findings(),
        px.Exploration("k", ()),
        px.Comparison("k", ()),
        untraceable,
    ]
    for one in fresh:
        assert "\n" not in repr(one)
        assert one._repr_html_()
    assert "width" in untraceable._repr_html_()
    _ = last.ptx
    assert "st.global" in last._repr_html_()


def test_tables_show_themselves() -> None:
    tables = list(_samples()["Table"])
    tables.append(next(iter(_samples()["Exploration"])).table())
    for table in tables:
        assert isinstance(table, Table)
        text = str(table)
        assert len(text.splitlines()) >= 3
        assert all(len(line) <= 120 for line in text.splitlines())
        bundle = table._repr_mimebundle_()
        assert bundle == {"text/plain": text, "text/html": table._repr_html_()}
        assert table._repr_mimebundle_(include={"text/plain"}) == {"text/plain": text}
        assert bundle["text/html"].count("<tr>") == table.row_count + 1


def test_who_makes_tables_makes_those_that_show_themselves() -> None:
    root = Path(px.__file__).parent
    allowed = {"commands", "bench", "conformance"}  # they print what they make
    for path in sorted(root.rglob("*.py")):
        where = path.relative_to(root)
        if where.parts[0] in allowed or where.as_posix() in ("diag/tables.py", "diag/terminal.py"):
            continue
        assert "from rich.table import" not in path.read_text(encoding="utf-8"), (
            f"{where}: use ptxlab.diag.tables.Table, which print and notebooks show"
        )


def test_the_picture_of_a_long_trace_stays_small() -> None:
    events = [px.TraceEvent(f"cta 0 warp {i % 40}", "run", "compute", i, i + 1) for i in range(40_000)]
    text = px.Trace(events)._repr_html_()
    assert len(text) < 4_000_000
    assert "16 more tracks" in text
