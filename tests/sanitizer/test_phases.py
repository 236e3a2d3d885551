"""mbarriers that machine code follows: what is found is what Python alone finds, and right pipelines cost no Python."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.order import sites
from ptxlab.sim.order.sanitizer import Sanitizer
from sanitizer import zoo
from sanitizer.test_zoo import parsed, places

Found = list[tuple[str, tuple[int, ...]]]
PIPELINES = (
    "bulk/ring",
    "bulk/refill",
    "roles/elected",
    "roles/recycled",
    "roles/drop_out",
    "wgmma/ring",
    "wgmma/attention",
    "compiled/nvcc_tma",
)
ORDERS = re.compile(r"mbarrier|fence|bar\.|wait|commit|arrive|cp\.async|elect")


def kernel(name: str) -> zoo.Right:
    return next(k for k in zoo.kernels() if f"{k.family}/{k.name}" == name)


def found(of: zoo.Right, text: str) -> Found:
    """What is found under the eager schedule, stops included."""
    launch, _ = of.launch()
    try:
        ptx = parsed(text, of.path.name)
        report = px.simulate(ptx, **launch, lints=False, sanitize=True, schedule="eager", max_instructions=300_000)
    except Diagnostic as stop:
        return sorted({(d.code, tuple(sorted(places(d)))) for d in (stop, *stop.also)})
    return sorted({(d.code, tuple(sorted(places(d)))) for d in report.findings if isinstance(d, Diagnostic)})


def by_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "has_plain_phases", lambda ops: False)
    sites.forget()


def without(text: str, number: int) -> str:
    lines = text.split("\n")
    lines[number] = ""
    return "\n".join(lines)


CASES = [
    (name, number)
    for name in PIPELINES
    for number, line in enumerate(str(kernel(name).text(None)).split("\n"))
    if line.rstrip().split("//")[0].strip().endswith(";") and ORDERS.search(line) and ".shared .align" not in line
]
STOPS = ("PTX9005", "PTX9100", "PTX9101", "PTX9002")
"""Where a broken launch ends, or in which of its accesses, may depend on the order of turns, which Python's part changes."""


@pytest.mark.parametrize(("name", "number"), CASES[::3], ids=lambda v: str(v))
def test_python_alone_finds_the_same(name: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every third line that orders something is left out."""
    of = kernel(name)
    text = without(str(of.text(None)), number)
    mine = found(of, text)
    by_python(monkeypatch)
    theirs = found(of, text)
    monkeypatch.undo()
    sites.forget()
    if {code for code, _ in (*mine, *theirs)} & set(STOPS):
        assert bool(mine) == bool(theirs)
    else:
        assert mine == theirs


def test_a_right_pipeline_needs_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python has kept of a CTA is thrown away when that ends: nobody has asked for it."""
    taken: list[int] = []
    monkeypatch.setattr(Sanitizer, "_has_happened", lambda self, warp, lanes, pc, kind, *more: taken.append(kind))
    of = kernel("wgmma/ring")
    assert found(of, str(of.text(None))) == []
    assert not taken


MANY = """\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) .maxntid 64, 1, 1 {
  .reg .pred p, q; .reg .b32 t, v, bar, at; .reg .b64 o;
  .shared .align 8 .b64 bars[40];
  .shared .align 4 .b8 data[256];
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  setp.lt.u32 p, t, 40;
  mov.u32 bar, bars;
  mad.lo.u32 at, t, 8, bar;
  @p mbarrier.init.shared::cta.b64 [at], 64;
  bar.sync 0;
  mov.u32 at, data;
  mad.lo.u32 at, t, 4, at;
  st.shared.u32 [at], t;
  mbarrier.arrive.shared::cta.b64 _, [bars+312];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 q, [bars+312], 0;
  @!q bra WAIT;
  mov.u32 at, data;
  xor.b32 v, t, 63;
  mad.lo.u32 at, v, 4, at;
  ld.shared.u32 v, [at];
  LAST
  st.shared.u32 [at], t;
  mad.wide.u32 o, t, 4, o;
  st.global.u32 [o], v;
  ret;
}
"""


@pytest.mark.parametrize(("last", "codes"), [("", []), ("mov.u32 at, data; mad.lo.u32 at, t, 4, at;", ["PTX9200"])])
def test_of_more_mbarriers_than_there_is_room_for_python_sees_to_the_rest(last: str, codes: list[str]) -> None:
    out = np.zeros(64, np.uint32)
    ptx = px.parse(MANY.replace("LAST", last))
    report = px.simulate(ptx["k"], grid=1, block=64, args=[out], lints=False, sanitize=True)
    assert sorted({d.code for d in report.findings if isinstance(d, Diagnostic)}) == codes


WILD = """\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 o; .reg .b32 v; .reg .pred p;
  .shared .align 8 .b64 bar;
  mbarrier.init.shared::cta.b64 [bar], 1;
  ld.param.u64 o, [out];
  add.u64 o, o, -0x7000000000000000;
  ld.global.u32 v, [o];
  st.global.u32 [o], v;
  ret;
}
"""


def test_an_address_half_the_memory_away_is_out_of_bounds() -> None:
    with pytest.raises(Diagnostic) as stop:
        px.simulate(px.parse(WILD)["k"], grid=1, block=1, args=[np.zeros(4, np.uint32)], sanitize=True, lints=False)
    assert stop.value.code == "PTX9002"


def test_a_hang_in_another_place_keeps_what_was_found() -> None:
    """A launch that hangs is run again to explain it, and may hang elsewhere then."""
    of = kernel("bulk/ring")
    mutant = next(m for m in of.mutants if m.name == "producer does not wait")
    assert "PTX9215" in {code for code, _ in found(of, str(of.text(mutant)))}


@px.kernel(target="sm_90a", threads=256)
def filled_by_two(k: px.Builder, box: px.TensorMap, src: px.Ptr[px.f32], out: px.Ptr[px.f32]) -> None:
    """A thread copies tiles by TMA, a warp adds words by `cp.async` and tells by `.noinc` alone; each warp gives a stage back."""
    tile = k.smem(px.bf16, (2, 64, 64), swizzle="128B")
    words = k.smem(px.f32, (2, 32), align=16)
    ring = k.ring(2, tile, producers=1 + 32, consumers=4)
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0):
            with k.if_(k.warp == 0), k.elect(), k.loop(6) as i, ring.produce() as slot:
                k.tma_load(slot[0], box, (0, i * 64), slot.full)
            with k.if_(k.warp == 1), k.loop(6) as i, ring.produce(expect=False) as slot:
                k.cp.async_.ca.shared.global_(words[slot.stage].address().at(k.laneid, 4), src[i * 32 + k.laneid], 4)
                k.cp.async_.mbarrier.arrive.noinc.shared.b64(slot.full)
        with k.role(warpgroup=1):
            acc, both, total = k.accumulator(64, 64), tile.descriptor(), k.mov.f32(0.0)
            with k.loop(6) as i, ring.consume(release=None) as slot:
                stage = both.stage(slot.stage)
                with k.wgmma_group():
                    for j in range(4):
                        k.wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16(
                            acc, stage[j], stage[j], j > 0, 1, 1, 0, 0
                        )
                factor = k.ld.shared.f32(words[slot.stage].address().at(k.laneid ^ 1, 4))
                k.fma.rn.f32(acc[0], factor, total, d=total)
                k.bar.warp.sync(0xFFFFFFFF)
                slot.empty.arrive(pred=k.laneid == 0)
            k.st.global_.f32(out[k.thread - 128], total)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_who_waits_has_gone_on_when_its_copies_are_over(schedule: str) -> None:
    tensor = px.empty((6 * 64, 64), "bf16")
    tensor[...] = 1
    src, out = np.arange(192, dtype=np.float32), np.zeros(128, np.float32)
    args = [px.tensor_map(tensor, box=(64, 64), swizzle="128B"), src, out]
    report = px.simulate(filled_by_two, grid=1, args=args, schedule=schedule, sanitize=True)
    assert report.findings == []
    sums = src.reshape(6, 32).sum(0) * 64
    assert (out.reshape(4, 32)[:, ::-1].reshape(4, 16, 2)[:, ::-1].reshape(4, 32) == sums).all()


@px.kernel(target="sm_90a", threads=96)
def filled_by_two_threads(k: px.Builder, box: px.TensorMap, out: px.Ptr[px.u32]) -> None:
    """Two threads copy by TMA, and one of them expects the bytes of both."""
    left, right = (k.smem(px.u32, (2, 8, 32), align=128) for _ in range(2))
    ring = k.ring(2, left, right, consumers=1)
    k.init_barriers()
    with k.roles():
        with k.role(warp=0), k.elect(), k.loop(6) as i, ring.produce() as slot:
            k.tma_load(slot[0], box, (0, i * 16), slot.full)
        with k.role(warp=1), k.elect(), k.loop(6) as i, ring.produce(expect=False) as slot:
            k.tma_load(slot[1], box, (0, i * 16 + 8), slot.full)
        with k.role(warp=2), k.loop(6) as i, ring.consume(release=None) as slot:
            words = [k.ld.shared.u32(x.address().at(k.laneid, 4)) for x in slot]
            k.st.global_.u32(out[i * 32 + k.laneid], words[0] + words[1])
            k.bar.warp.sync(0xFFFFFFFF)
            slot.empty.arrive(pred=k.laneid == 0)


@pytest.mark.parametrize("alone", [False, True], ids=["machine code", "Python alone"])
@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_who_waits_has_gone_on_when_its_bytes_are_there(
    schedule: str, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if alone:
        by_python(monkeypatch)
    tensor, out = np.arange(96 * 32, dtype=np.uint32).reshape(96, 32), np.zeros(192, np.uint32)
    args = [px.tensor_map(tensor, box=(8, 32)), out]
    report = px.simulate(filled_by_two_threads, grid=1, args=args, schedule=schedule, sanitize=True)
    sites.forget()
    assert report.findings == []
    assert (out.reshape(6, 32) == tensor[::16] + tensor[8::16]).all()


@px.kernel(threads=128)
def turns(k: px.Builder, out: px.Ptr[px.u32], *, ordered: bool) -> None:
    """Two groups of two warps meet at one barrier number, the second behind an mbarrier at which the first has arrived."""
    row, bar, spare = k.smem(px.u32, 64), k.mbarrier(64), k.mbarrier(64)
    k.init_barriers()
    i = k.tid.x
    with k.if_(i < 64):
        k.st.shared.u32(row[i], i)
        k.bar.sync(1, 64)
        (bar if ordered else spare).arrive()
    with k.if_(i >= 64):
        if ordered:
            bar.wait(0)
        k.bar.sync(1, 64)
        k.st.global_.u32(out[i - 64], k.ld.shared.u32(row[i - 64]) if ordered else 0)


def test_machine_code_knows_groups_that_take_turns_at_a_barrier(monkeypatch: pytest.MonkeyPatch) -> None:
    """As CUTLASS' pingpong kernels do in their epilogues."""
    asked: list[object] = []
    take = Sanitizer._noted  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(Sanitizer, "_noted", lambda self, frame: (asked.append(frame), take(self, frame)))
    out = np.zeros(64, np.uint32)
    assert px.simulate(turns, grid=1, args=[out], ordered=True, sanitize=True).findings == []
    assert asked == []
    found = px.simulate(turns, grid=1, args=[out], ordered=False, sanitize=True).findings
    assert {d.code for d in found} == {"PTX9233"}
