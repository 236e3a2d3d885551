"""Hanging kernels, each with the likely cause that the report names: those of the bug zoo, and some of their own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import SimOptions
from ptxlab.checks.formats import as_json, as_sarif
from ptxlab.diag import Diagnostic
from ptxlab.sim.diagnose.hangs import explain
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.machine.schedule import Shuffled
from ptxlab.sim.families.mbarrier.hang_history import Recorder

from . import zoo
from .zoo import Edit, drop, sub

ZOO: dict[str, str] = {
    "generic/named_barriers/producer waits at the wrong barrier": "barrier-ids",
    "generic/named_barriers/producer does not wait": "exited",
    "generic/named_barriers/consumer gives nothing back": "not-all-come",
    "generic/named_barriers/count of one role": "barrier-count",
    "generic/chain_of_barriers/other number": "barrier-ids",
    "flags/message/poll of another word": "flag",
    "flags/grid_barrier/counts once too often": "flag",
    "cp_async/by_mbarrier/arrival that counts itself": "noinc",
    "bulk/load/wait for the phase before": "parity",
    "bulk/load/more bytes expected": "bytes",
    "bulk/load/two arrivals expected": "count",
    "bulk/ring/consumer does not wait": "overrun",
    "bulk/ring/empty parity the other way": "first-parity",
    "bulk/ring/one arrival frees a stage": "count-too-small",
    "bulk/ring/arrivals of 64 expected": "count",
    "bulk/ring/only lane 0 gives back": "one-lane",
    "bulk/ring/nothing given back": "nobody-arrives",
    "bulk/ring/half of the bytes expected": "bytes",
    "bulk/ring/parity that never turns": "parity",
    "tma/tile_load/both at the first mbarrier": "other-barrier",
    "tma/tile_load/expects two boxes": "bytes",
    "wgmma/filled_by_threads/three warps": "warpgroup",
    "wgmma/ring/producer does not wait": "overrun",
    "cluster/remote_arrive/one arrival expected": "count-too-small",
    "cluster/remote_arrive/arrives at the own mbarrier": "other-barrier",
    "cluster/st_async/more bytes expected": "bytes",
    "cluster/multicast/no wait before the next tile": "copy-too-early",
    "cluster/multicast/one CTA is waited for": "copy-too-early",
    "cluster/multicast/expects nothing in CTA 1": "no-expect",
    "cluster/multicast/for the first CTA alone": "multicast-mask",
    "roles/register_roles/nothing given": "registers",
    "roles/register_roles/takes too much": "registers",
    "roles/register_roles/three warps give": "registers",
    "roles/register_roles/other number": "barrier-ids",
    "roles/warp_arrives/all lanes arrive": "count-too-small",
    "roles/warp_arrives/arrivals of all lanes expected": "one-lane",
    "roles/state_token/old token": "parity",
    "roles/shared_lock/lock never cleared": "flag",
    "roles/drop_out/arrives and stays": "exited",
    "roles/drop_out/parity twice": "parity",
    "roles/copy_to_store/nothing expected": "no-expect",
    "language/bulk/nobody expects the bytes": "no-expect",
    "compiled/gluon_specialised/nothing given back": "nobody-arrives",
    "compiled/gluon_specialised/half of the bytes expected": "bytes",
}
"""The likely cause of faulty kernels of the zoo that hang under `eager`."""

EDITS: dict[str, tuple[str, Edit, str]] = {
    # NVIDIA/cudnn-frontend, pull request 426, as its counter said at first: 32 are awaited, and the elected lane arrives
    "one lane for thirty-two": ("bugs/cudnn_frontend_426", sub("arrive", "mbarrier", "@p mbarrier"), "one-lane"),
    "count of all threads": ("bugs/cudnn_frontend_426", sub("init", ", 32", ", 64"), "count"),
    "no copy": ("bulk/load", drop("copy"), "no-copy"),
    "no arrival": (
        "bulk/load",
        sub("expect", "mbarrier.arrive.expect_tx.shared::cta.b64 _,", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64"),
        "no-arrival",
    ),
}
"""More of them: the right kernel, the edit, and the likely cause."""

RING = "setp.lt.u32 q, i, 7;"


def right(name: str) -> zoo.Right:
    return next(k for k in zoo.kernels() if f"{k.family}/{k.name}" == name)


def stop_of(kernel: zoo.Right, text: str, **options: Any) -> Diagnostic:
    launch, _ = kernel.launch()
    with pytest.raises(Diagnostic) as stop:
        px.simulate(px.parse(text, kernel.path.name)["k"], **launch, lints=False, **options)
    assert stop.value.code in ("PTX9100", "PTX9101"), stop.value
    return stop.value


def causes(stop: Diagnostic) -> list[str]:
    assert stop.wait_graph is not None
    assert json.loads(json.dumps(stop.wait_graph)) == stop.wait_graph
    return [c["rule"] for c in stop.wait_graph["causes"]]


@pytest.mark.parametrize("name", ZOO)
def test_hanging_kernels_of_the_zoo(name: str) -> None:
    kernel, mutant = next((k, m) for k, m in zoo.mutants() if f"{k.family}/{k.name}/{m.name}" == name)
    stop = stop_of(kernel, str(kernel.text(mutant)))
    assert causes(stop)[0] == ZOO[name], stop
    assert any(note.startswith("likely cause: ") for note in stop.notes)


@pytest.mark.parametrize("name", EDITS)
def test_other_edits(name: str) -> None:
    of, edit, cause = EDITS[name]
    kernel = right(of)
    assert causes(stop_of(kernel, str(edit(kernel.text()))))[0] == cause


def test_a_consumer_that_goes_round_once_more_than_the_producer() -> None:
    kernel = right("bulk/ring")
    before, _, after = str(kernel.text()).rpartition(RING)
    stop = stop_of(kernel, f"{before}{RING.replace('7', '8')}{after}")
    assert causes(stop)[0] == "exited"
    assert "thread 0 of CTA (0, 0, 0)" in stop.notes[-1]


# --- kernels of their own -----------------------------------------------------------------------------------------------
def kernel_text(body: str, counts: tuple[int, int] = (1, 1)) -> str:
    return f"""
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in)
{{
  .reg .pred p, q, w; .reg .b32 t, at; .reg .b64 a;
  .shared .align 128 .b8 buffer[512];
  .shared .align 8 .b64 one;
  .shared .align 8 .b64 two;
  ld.param.u64 a, [in];
  mov.u32 t, %tid.x;
  mov.u32 at, buffer;
  setp.eq.u32 p, t, 0;
  setp.lt.u32 w, t, 32;
  @p mbarrier.init.shared::cta.b64 [one], {counts[0]};
  @p mbarrier.init.shared::cta.b64 [two], {counts[1]};
  fence.proxy.async.shared::cta;
  bar.sync 0;
{body}
}}
"""


def wait(name: str, parity: int = 0) -> str:
    return f"W{name}{parity}: mbarrier.try_wait.parity.shared::cta.b64 q, [{name}], {parity}; @!q bra W{name}{parity};"


COPY = "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [a], 128, [one];"
EXPECT = "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [one], 128;"
ARRIVE = "mbarrier.arrive.shared::cta.b64 _, "
OWN: dict[str, tuple[str, tuple[int, int], str]] = {
    "each lane expects the bytes": (
        f"@w mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [one], 128; @p {ARRIVE} [one]; {COPY} {wait('one')} ret;",
        (1, 1),
        "expect-by-many",
    ),
    "the copy reports to the other mbarrier": (
        f"{EXPECT} {COPY.replace('[one]', '[two]')} {wait('one')} ret;",
        (1, 1),
        "other-barrier",
    ),
    "waits before it arrives": (f"{wait('one')} @p {ARRIVE} [one]; ret;", (1, 1), "waits-first"),
    "two roles wait for each other": (
        f"@!w bra OTHER; {wait('one')} @p {ARRIVE} [two]; ret; OTHER: {wait('two')} {ARRIVE} [one]; ret;",
        (32, 1),
        "cycle",
    ),
    "one role waits for one that waits for nobody": (
        f"@!w bra OTHER; {wait('one')} ret; OTHER: {wait('two')} {ARRIVE} [one]; ret;",
        (32, 1),
        "nobody-arrives",
    ),
    "one thread does not arrive in the second turn": (
        f"{ARRIVE} [one]; {wait('one')} @!p {ARRIVE} [one]; {wait('one', 1)} ret;",
        (64, 1),
        "missed-arrival",
    ),
    "more threads than there are": ("bar.sync 1, 128; ret;", (1, 1), "barrier-count"),
    "half of the warps come": ("@!w ret; bar.sync 1, 64; ret;", (1, 1), "exited"),
    "arrivals at the other mbarrier": (f"@w {ARRIVE} [two]; {wait('one')} ret;", (32, 64), "other-barrier"),
    "fewer bytes by complete_tx": (
        f"{EXPECT} @p mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [one], 64; {wait('one')} ret;",
        (1, 1),
        "bytes",
    ),
}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_likely_causes(name: str, schedule: str) -> None:
    body, counts, cause = OWN[name]
    text = kernel_text(body, counts)
    source = np.zeros(128, np.uint32)
    with pytest.raises(Diagnostic) as stop:
        px.simulate(px.parse(text)["k"], grid=1, block=64, args=[source], lints=False, schedule=schedule)
    assert stop.value.code == "PTX9100"
    assert causes(stop.value)[0] == cause, stop.value


def test_the_wait_graph_has_what_the_words_say() -> None:
    """Consumers count 32 arrivals of 64: names, phases, bytes, lines and threads are data."""
    text = kernel_text(f"{EXPECT} {COPY} @w {ARRIVE} [two]; {wait('one')} {wait('two')} ret;", (1, 64))
    with pytest.raises(Diagnostic) as stop:
        px.simulate(px.parse(text)["k"], grid=1, block=64, args=[np.zeros(128, np.uint32)], lints=False)
    graph = stop.value.wait_graph
    assert graph is not None
    (found,) = graph["waits"]
    barrier = found["barrier"]
    line = text[: text.index("Wtwo0:")].count("\n") + 1
    assert (found["kind"], found["line"], found["lacks"]) == ("mbarrier", line, "32 of 64 arrivals")
    assert found["threads"] == [{"cta": [0, 0, 0], "threads": [[0, 63]]}]
    assert {k: barrier[k] for k in ("array", "element", "offset", "phase", "parity", "count", "pending_arrivals")} == {
        "array": "two", "element": 0, "offset": 520, "phase": 0, "parity": 0, "count": 64, "pending_arrivals": 32,
    }  # fmt: skip
    assert [(e["what"], e["phase"], e["amount"]) for e in barrier["events"]] == [("init", 0, 64), ("arrive", 0, 32)]
    assert graph["causes"][0]["rule"] == "count"
    assert graph["recorded"]
    assert json.loads(as_json([stop.value]))["findings"][0]["wait_graph"] == graph
    (result,) = json.loads(as_sarif([stop.value], "0"))["runs"][0]["results"]
    assert result["properties"]["wait_graph"] == graph


TICKETS = """
  .reg .b32 n;
  @p atom.global.add.u32 n, [a], 1;
  @p setp.eq.u32 q, n, 5;
  @!p bra ON;
  @!q bra ON;
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [one], 64;
ON:
"""


def test_a_launch_is_explained_without_a_change_of_its_arrays() -> None:
    """It runs again from what stood in a counter before; the array holds what the first run left."""
    text = kernel_text(f"{TICKETS} @p {ARRIVE} [one]; {wait('one')} ret;")
    counter = np.array([5, 0], np.uint32)
    with pytest.raises(Diagnostic) as stop:
        px.simulate(px.parse(text)["k"], grid=1, block=64, args=[counter], lints=False)
    assert counter.tolist() == [6, 0]
    assert causes(stop.value) == ["no-copy"]
    assert stop.value.wait_graph is not None
    assert stop.value.wait_graph["recorded"]


def test_what_a_kernel_prints_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    @px.kernel(threads=32)
    def speaks(k: px.Builder) -> None:
        bar = k.mbarrier(2)
        k.init_barriers()
        with k.if_(k.tid.x == 0):
            k.print("here\n")
            bar.arrive()
        bar.wait(0)

    with pytest.raises(Diagnostic) as stop:
        speaks[1]()
    assert causes(stop.value) == ["count"]
    assert capfd.readouterr().out == "here\n"


def test_where_there_is_no_time_to_run_again_the_waits_are_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "LEAST_SECONDS", -1.0)
    monkeypatch.setattr(explain, "TIMES", 0)
    body, counts, _ = OWN["two roles wait for each other"]
    with pytest.raises(Diagnostic) as stop:
        px.simulate(
            px.parse(kernel_text(body, counts))["k"], grid=1, block=64, args=[np.zeros(4, np.uint32)], lints=False
        )
    graph = stop.value.wait_graph
    assert graph is not None
    assert not graph["recorded"]
    assert len(graph["cycle"]) == 2
    assert causes(stop.value)[0] == "cycle"
    found = stop_of(right("bulk/load"), str(sub("expect", "512", "1024")(right("bulk/load").text())))
    assert causes(found) == ["bytes"]
    assert "512 bytes that phase 0 expects never come" in found.notes[-1]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ["ring", "attention"])
def test_who_listens_changes_no_turn_of_a_random_schedule(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hang that a seed brings comes again where the launch is recorded, though more of it runs in Python then."""
    turns: list[tuple[int, int, int]] = []
    turn = Shuffled._turn

    def noted(self: Shuffled, cluster: Any, bits: int) -> Any:
        done = turn(self, cluster, bits)
        turns.append((cluster.index, bits, self.machine.instructions))  # type: ignore[attr-defined]
        return done

    monkeypatch.setattr(Shuffled, "_turn", noted)
    kernel = next(k for k in zoo.kernels() if (k.family, k.name) == ("wgmma", name))
    ran: list[list[tuple[int, int, int]]] = []
    for listeners in ((), (Recorder(30.0),)):
        launch, _ = kernel.launch()
        prepared: Any = px.parse(str(kernel.text()), kernel.path.name)["k"].prepare(**launch, device="sim", lints=False)
        turns.clear()
        machine_of(prepared.record, SimOptions(schedule="random", seed=seed), *listeners).run()
        ran.append(list(turns))
    assert ran[0] == ran[1]
    assert ran[0]
