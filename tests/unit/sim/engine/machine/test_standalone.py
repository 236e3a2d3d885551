"""cp.async and mbarriers of CTAs that run alone: native code does what Python does, and nothing is lost on the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import SimOptions
from ptxlab.diag import Diagnostic
from ptxlab.sim import Report, run
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.machine.observer import Observer
from ptxlab.sim.engine.machine.resident import Parked

from ...launching import HEAD, program_of, record_of
from . import lone_programs as programs

THREADS = 64
PRELUDE = f"""
    .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<16>;
    .shared .align 128 .b8 buf[{THREADS * 32}]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [src]; ld.param.u64 %rd2, [dst];
    mov.u32 %r1, %tid.x; mov.u32 %r2, buf; mov.u32 %r3, bar; mov.u32 %r10, %ctaid.x;
    mad.lo.u32 %r11, %r10, {THREADS}, %r1; mul.wide.u32 %rd3, %r11, 32;
    add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; mad.lo.u32 %r4, %r1, 32, %r2;
    setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32; and.b32 %r12, %r1, 16; setp.eq.u32 %p3, %r12, 0;
    mov.u32 %r9, -1; st.shared.v4.u32 [%r4], {{%r9, %r9, %r9, %r9}}; st.shared.v4.u32 [%r4+16], {{%r9, %r9, %r9, %r9}};
"""
FIRST = "cp.async.cg.shared.global [%r4], [%rd1], 16;"
SECOND = "cp.async.cg.shared.global [%r4+16], [%rd1+16], 16;"
COMMIT = "cp.async.commit_group;"
BACK = "".join(
    f"ld.shared.v4.u32 {{%r5, %r6, %r7, %r8}}, [%r4+{at}]; st.global.v4.u32 [%rd2+{at}], {{%r5, %r6, %r7, %r8}};"
    for at in (0, 16)
)


class Heard(Observer):
    """Wants to hear who waits: so all asynchronous operations are Python's."""

    def woken(self, groups: Sequence[Parked]) -> None:
        pass


def kernel(body: str) -> str:
    return f"{HEAD}.visible .entry k(.param .u64 src, .param .u64 dst) {{ {PRELUDE} {body} ret; }}"


def go(body: str, *, ctas: int = 3, heard: bool = False, **options: Any) -> tuple[np.ndarray, np.ndarray, Report]:
    """What threads have of the source in the output: (source, output) of 32 bytes for each thread, and the report."""
    src = np.random.default_rng(5).integers(0, 255, (ctas * THREADS, 32)).astype(np.uint8)
    dst = np.zeros_like(src)
    record = record_of(program_of(kernel(body)), [src, dst], grid=(ctas, 1, 1), block=(THREADS, 1, 1))
    chosen = {"schedule": "late", **options}
    if heard:
        return src, dst, machine_of(record, SimOptions(**chosen), Heard()).run()
    return src, dst, run(record, **chosen)


def native(body: str, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same, by native code alone; Python gives the same bytes."""
    src, dst, report = go(body, **options)
    assert report.stats.traps == {}
    assert report.findings == []
    _, other, heard = go(body, heard=True, **options)
    assert heard.stats.traps or options.get("schedule") == "eager"
    assert np.array_equal(dst, other)
    return src, dst


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_random_programs_see_the_same_as_with_python(schedule: str, seed: int) -> None:
    program, ctas = program_of(programs.program(seed)), 3
    src = np.random.default_rng(seed).integers(0, 255, ctas * THREADS * programs.ROW).astype(np.uint8)
    seen: list[np.ndarray] = []
    for observers in ((), (Heard(),)):
        dst = np.zeros(ctas * THREADS * programs.OUT, np.uint8)
        record = record_of(program, [src, dst], grid=(ctas, 1, 1), block=(THREADS, 1, 1))
        machine_of(record, SimOptions(schedule=schedule, seed=seed), *observers).run()
        seen.append(dst)
    assert np.array_equal(seen[0], seen[1])


# --- groups -----------------------------------------------------------------------------------------------------------
def test_a_wait_takes_the_groups_that_it_names() -> None:
    src, dst = native(f"{FIRST} {COMMIT} {SECOND} {COMMIT} cp.async.wait_group 1; {BACK}")
    assert np.array_equal(dst[:, :16], src[:, :16])
    assert (dst[:, 16:] == 255).all()


@pytest.mark.parametrize("count", [2, 5, 63])
def test_a_wait_for_fewer_groups_than_there_are_takes_none(count: int) -> None:
    _, dst = native(f"{FIRST} {COMMIT} {SECOND} {COMMIT} cp.async.wait_group {count}; {BACK}")
    assert (dst == 255).all()


def test_what_is_not_committed_waits_for_wait_all() -> None:
    _, dst = native(f"{FIRST} cp.async.wait_group 0; {BACK}")
    assert (dst == 255).all()
    src, dst = native(f"{FIRST} cp.async.wait_all; {BACK}")
    assert np.array_equal(dst[:, :16], src[:, :16])


def test_lanes_that_part_have_groups_of_their_own() -> None:
    """One half of each warp commits the first copy by itself; the other half has it in a group with the second one."""
    body = f"{FIRST} @%p3 {COMMIT} {SECOND} {COMMIT}"
    src, dst = native(f"{body} @!%p3 cp.async.wait_group 1; {BACK}")
    assert (dst == 255).all()
    src, dst = native(f"{body} @%p3 cp.async.wait_group 1; {BACK}")
    assert np.array_equal(dst[:, :16], src[:, :16])
    assert (dst[:, 16:] == 255).all()


def test_copies_of_lanes_apart_are_waited_for_apart() -> None:
    body = f"@%p3 bra A; {FIRST} bra B; A: {SECOND} B: {COMMIT} @%p3 cp.async.wait_group 0; {BACK}"
    src, dst = native(body)
    upper = np.arange(len(src)) & 16 == 0
    assert np.array_equal(dst[upper, 16:], src[upper, 16:])
    assert (dst[~upper] == 255).all()


# --- what is read -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_source_sizes_from_none_to_all(schedule: str) -> None:
    sizes = "and.b32 %r13, %r1, 15; setp.eq.u32 %p4, %r13, 15; @%p4 mov.u32 %r13, 16;"
    body = f"{sizes} {FIRST[:-1]}, %r13; cp.async.wait_all; {BACK}"
    src, dst = native(body, schedule=schedule)
    for thread, (mine, was) in enumerate(zip(dst, src, strict=True)):
        taken = 16 if thread % 16 == 15 else thread % 16
        assert np.array_equal(mine[:taken], was[:taken])
        assert not mine[taken:16].any()


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_a_source_is_read_no_further_than_its_size(schedule: str) -> None:
    """The last thread's address lies behind the array: it may read none of it."""
    last = f"setp.eq.u32 %p4, %r11, {3 * THREADS - 1};"
    size = "mov.u32 %r13, 16; @%p4 mov.u32 %r13, 0;"
    _, dst = native(
        f"{last} {size} @%p4 add.u64 %rd1, %rd1, 32; {FIRST[:-1]}, %r13; cp.async.wait_all; {BACK}", schedule=schedule
    )
    assert not dst[-1, :16].any()
    with pytest.raises(Diagnostic) as wrong:
        go(f"{last} {size.replace(', 0', ', 4')} @%p4 add.u64 %rd1, %rd1, 32; {FIRST[:-1]}, %r13;", schedule=schedule)
    assert wrong.value.code == "PTX9002"


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_ignored_sources_may_lie_anywhere(schedule: str) -> None:
    body = f"@%p3 add.u64 %rd1, %rd1, 1048576; {FIRST[:-1]}, %p3; cp.async.wait_all; {BACK}"
    src, dst = native(body, schedule=schedule)
    ignored = np.arange(len(src)) & 16 == 0
    assert not dst[ignored, :16].any()
    assert np.array_equal(dst[~ignored, :16], src[~ignored, :16])


def test_all_lanes_may_copy_to_one_place() -> None:
    body = f"cp.async.cg.shared.global [buf], [%rd1], 16; cp.async.wait_all; bar.sync 0; mov.u32 %r4, buf; {BACK}"
    src, dst, report = go(body, schedule="eager")
    assert report.stats.traps == {}
    assert np.array_equal(dst[0, :16], src[THREADS - 1, :16])


# --- mbarriers --------------------------------------------------------------------------------------------------------
INIT = f"@%p1 mbarrier.init.shared.b64 [%r3], {THREADS}; bar.sync 0;"
EXPECT = "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 16;"
NOINC = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];"


def wait(parity: int) -> str:
    return f"W{parity}: mbarrier.try_wait.parity.shared.b64 %p0, [%r3], {parity}; @!%p0 bra W{parity};"


@pytest.mark.parametrize("schedule", ["eager", "late"])
@pytest.mark.parametrize("noinc", [True, False])
def test_arrivals_of_copies_end_phases(noinc: bool, schedule: str) -> None:
    arrive = NOINC if noinc else NOINC.replace(".noinc", "") + "mbarrier.arrive.shared.b64 %rd5, [%r3];"
    body = f"{INIT} {FIRST} {arrive} {wait(0)} {SECOND} {arrive} {wait(1)} mbarrier.inval.shared.b64 [%r3]; {BACK}"
    body = body.replace("mbarrier.inval", "bar.sync 0; @%p1 mbarrier.inval")
    src, dst = native(body, schedule=schedule, ctas=5)
    assert np.array_equal(dst, src)


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_a_ring_between_warps(schedule: str) -> None:
    """One warp fills, the other one reads what it finds, by two barriers and their phases."""
    body = f"""
        .shared .align 8 .b64 full; .shared .align 8 .b64 free; .reg .b32 %n; .reg .b32 %q; .reg .pred %k;
        @%p1 mbarrier.init.shared.b64 [full], 32; @%p1 mbarrier.init.shared.b64 [free], 32; bar.sync 0;
        mov.u32 %n, 0; @!%p2 bra READ;
        FILL: and.b32 %q, %n, 1; xor.b32 %q, %q, 1;
        A: mbarrier.try_wait.parity.shared.b64 %p0, [free], %q; @!%p0 bra A;
        {FIRST} cp.async.mbarrier.arrive.noinc.shared.b64 [full];
        add.u64 %rd1, %rd1, 16; add.u32 %n, %n, 1; setp.lt.u32 %k, %n, 2; @%k bra FILL; bra DONE;
        READ: and.b32 %q, %n, 1;
        B: mbarrier.try_wait.parity.shared.b64 %p0, [full], %q; @!%p0 bra B;
        ld.shared.v4.u32 {{%r5, %r6, %r7, %r8}}, [%r4+-1024]; st.global.v4.u32 [%rd2], {{%r5, %r6, %r7, %r8}};
        mbarrier.arrive.shared.b64 %rd5, [free];
        add.u64 %rd2, %rd2, 16; add.u32 %n, %n, 1; setp.lt.u32 %k, %n, 2; @%k bra READ;
        DONE: mov.u32 %n, 0;
    """
    src, dst = native(body, schedule=schedule)
    for cta in range(3):
        assert np.array_equal(dst[cta * 64 + 32 : cta * 64 + 64], src[cta * 64 : cta * 64 + 32])


def test_copies_of_warps_that_have_exited_still_arrive() -> None:
    """The first warp copies and exits; the second one waits for what it has copied."""
    body = (
        f"{INIT.replace('64;', '32;')} @!%p2 bra R; {FIRST} {NOINC} exit; R: {wait(0)} add.u32 %r4, %r4, -1024; {BACK}"
    )
    src, dst = native(body)
    for cta in range(3):
        assert np.array_equal(dst[cta * 64 + 32 : cta * 64 + 64, :16], src[cta * 64 : cta * 64 + 32, :16])


def test_a_cta_finds_nothing_of_the_one_before() -> None:
    """Neither its barriers, which would be initialised once more, nor what it left under way."""
    body = f"""
        {INIT} setp.eq.u32 %p4, %r10, 1; @%p4 bra LOOK; {FIRST} {COMMIT} {SECOND} exit;
        LOOK: cp.async.wait_all; {BACK}
    """
    _, dst = native(body)
    assert (dst[THREADS : 2 * THREADS] == 255).all()


def test_states_are_those_that_python_gives() -> None:
    body = f"""
        {INIT} mbarrier.arrive.shared.b64 %rd5, [%r3]; mbarrier.pending_count.b64 %r13, %rd5;
        V: mbarrier.try_wait.shared.b64 %p0, [%r3], %rd5; @!%p0 bra V;
        bar.sync 0; @%p1 mbarrier.inval.shared.b64 [%r3]; bar.sync 0; ld.shared.b64 %rd6, [%r3];
        st.global.b64 [%rd2], %rd5; st.global.b64 [%rd2+8], %rd6; st.global.u32 [%rd2+16], %r13;
    """
    _, dst = native(body, schedule="eager")
    assert sorted(dst[:THREADS, 16].tolist()) == list(range(1, THREADS + 1))


@pytest.mark.parametrize(
    "body",
    [
        # the upper half of each warp drops out of the first phase, and out of all later ones
        "@!%p3 bra D; mbarrier.arrive.shared.b64 %rd5, [%r3]; bra E; D: mbarrier.arrive_drop.shared.b64 %rd5, [%r3]; E: WAIT "
        "bar.sync 0; mbarrier.inval LEFT",
        "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 48; bar.sync 0; "
        "@%p3 mbarrier.arrive_drop.expect_tx.shared.b64 %rd5, [%r3], 16; bar.sync 0; mbarrier.inval LEFT",
        "mov.u32 %r13, 1; mbarrier.arrive_drop.shared.b64 %rd5, [%r3], %r13; bar.sync 0; mbarrier.inval LEFT",
    ],
)
def test_counts_that_change(body: str) -> None:
    """The states that arrivals return, and what invalidation shows of the barrier."""
    invalidated = "@%p1 mbarrier.inval.shared.b64 [%r3]; bar.sync 0; ld.shared.b64 %rd6, [%r3];"
    body = body.replace("mbarrier.inval LEFT", invalidated).replace("WAIT", wait(0))
    _, dst = native(f"{INIT} mov.b64 %rd5, 0; {body} st.global.b64 [%rd2], %rd5; st.global.b64 [%rd2+8], %rd6;")
    assert dst[:, 8:16].any()


def test_asking_often_enough_brings_a_copy() -> None:
    asks = "Q: mbarrier.test_wait.parity.shared.b64 %p0, [%r3], 0; @!%p0 bra Q;"
    src, dst, report = go(f"{INIT} {FIRST} {NOINC} {asks} {BACK}")
    assert np.array_equal(dst[:, :16], src[:, :16])
    assert report.findings == []


# --- the way to Python --------------------------------------------------------------------------------------------------
# Thirty-two lanes arrive where a phase lacks sixteen: it ends in between, which native code leaves to Python.
AGAIN = "@%p1 mbarrier.init.shared.b64 [bar], 16;"
HANDED = f"""
    .shared .align 8 .b64 other; @%p1 mbarrier.init.shared.b64 [other], 16; {INIT}
    {FIRST} {COMMIT} {SECOND} {COMMIT} @%p2 bra ONE;
    {wait(0)} bra BOTH;
    ONE: setp.ne.u32 %p4, %r10, 17; @%p4 bra ON; mbarrier.arrive.shared.b64 %rd5, [other];
    ON: mov.u32 %r13, 2; mbarrier.arrive.shared.b64 %rd5, [%r3], %r13;
    BOTH: cp.async.wait_group 1; {BACK}
"""


def test_a_cta_goes_on_with_python_and_the_next_one_without() -> None:
    """One warp of CTA 17 sleeps and both have copies under way when the other one comes to what Python has to do."""
    src, dst, report = go(HANDED, ctas=60)
    assert report.stats.traps["mbarrier.arrive"] == 2
    assert report.stats.traps["cp.async.wait_group"] == 2
    assert "cp.async" not in report.stats.traps  # they were under way
    assert report.stats.ctas == 60
    assert np.array_equal(dst[:, :16], src[:, :16])
    assert (dst[:, 16:] == 255).all()


def test_arrivals_under_way_are_handed_over() -> None:
    """Two phases end by the arrivals of copies; who waits for the second one is woken, by Python's hand."""
    body = f"""
        .shared .align 8 .b64 other; @%p1 mbarrier.init.shared.b64 [other], 16; {INIT}
        {FIRST} {NOINC} @%p2 bra ONE; {wait(0)} bra BOTH;
        ONE: mbarrier.arrive.shared.b64 %rd5, [other]; X: mbarrier.try_wait.parity.shared.b64 %p0, [%r3], 0; @!%p0 bra X;
        BOTH: {BACK}
    """
    src, dst, report = go(body, ctas=1)
    assert report.stats.traps["mbarrier.arrive"] == 1
    assert np.array_equal(dst[:, :16], src[:, :16])


def test_more_copies_than_the_queue_has_room_for() -> None:
    body = f"""
        mov.u32 %r13, 0; L: {FIRST} add.u32 %r13, %r13, 1; setp.lt.u32 %p4, %r13, 4200; @%p4 bra L;
        {SECOND} cp.async.wait_all; {BACK}
    """
    src, dst, report = go(body, ctas=1)
    assert 100 < report.stats.traps["cp.async"] < 4400  # from there on it is Python's
    assert np.array_equal(dst, src)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("PTX9100", f"{INIT} {FIRST} @%p2 {NOINC} {wait(0)}"),
        ("PTX9112", f"{INIT.replace('64;', '1;')} @%p1 {EXPECT} {FIRST} @%p1 {NOINC}"),
        ("PTX9110", f"{FIRST} {NOINC}"),
        ("PTX9111", f"{INIT} @%p1 mbarrier.arrive.shared.b64 %rd5, [%r3]; {AGAIN}"),
        ("PTX9114", "@%p1 mbarrier.init.shared.b64 [%r3], 0;"),
        ("PTX9121", "cp.async.ca.shared.global [%r4], [%rd1+2], 4;"),
        ("PTX9122", "cp.async.ca.shared.global [%r4+4096], [%rd1], 4;"),
        ("PTX0213", "mov.u32 %r13, 17; cp.async.ca.shared.global [%r4], [%rd1], 16, %r13;"),
    ],
)
def test_what_is_wrong_is_said_in_the_same_words(code: str, body: str) -> None:
    said: list[Diagnostic] = []
    for heard in (False, True):
        with pytest.raises(Diagnostic) as found:
            go(body, heard=heard)
        assert found.value.code == code
        said.append(found.value)
    plain, listened = said
    if plain.wait_graph is not None:  # what explains a hang is added to a launch, not to a machine
        plain.notes, plain.help, plain.wait_graph = (
            plain.notes[: len(listened.notes)],
            listened.help,
            listened.wait_graph,
        )
    assert str(plain) == str(listened)


def test_a_barrier_made_twice_is_found() -> None:
    said = [go(f"{INIT} bar.sync 0; {AGAIN}", heard=heard)[2].findings for heard in (False, True)]
    assert [[str(d) for d in found] for found in said] == [[str(said[0][0])]] * 2
    assert said[0][0].code == "PTX9119"


def test_a_debugger_stops_while_copies_are_under_way() -> None:
    src = np.random.default_rng(1).integers(0, 255, (THREADS, 32)).astype(np.uint8)
    dst = np.zeros_like(src)
    made = px.parse(kernel(f"{INIT} {FIRST} {COMMIT} HERE: cp.async.wait_group 0; THERE: bar.sync 0; {BACK}"))["k"]
    with px.debug(made, grid=1, block=THREADS, args=[src, dst], schedule="late") as d:
        d.break_at("HERE")
        d.run()
        assert (np.asarray(d.shared["buf"]).reshape(THREADS, 32)[:32] == 255).all()
        assert d.mbarriers[0].pending == THREADS
        d.clear()
        d.break_at("THERE", warp=0)
        d.run()
        mine = np.asarray(d.shared["buf"]).reshape(THREADS, 32)[:32, :16]
        assert np.array_equal(mine, src[:32, :16])
    assert np.array_equal(dst[:, :16], src[:, :16])


def test_a_limit_of_instructions_holds() -> None:
    with pytest.raises(Diagnostic) as found:
        go(f"L: {FIRST} cp.async.wait_all; bra L;", max_instructions=100_000)
    assert found.value.code == "PTX9005"


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_processes_share_it(schedule: str) -> None:
    body = f"{INIT} {FIRST} {SECOND} {NOINC} {wait(0)} {BACK}"
    src, dst, report = go(body, ctas=8, schedule=schedule, workers=2)
    assert report.stats.traps == {}
    assert np.array_equal(dst, src)


@pytest.mark.parametrize("seed", range(3))
def test_where_all_wait_operations_are_forced_until_somebody_can_run(seed: int) -> None:
    """Under `random` arrivals may be drawn to wait until then: hundreds, one after the other."""
    src, dst, _ = go(f"{INIT} {FIRST} {SECOND} {NOINC} {wait(0)} {BACK}", ctas=8, schedule="random", seed=seed)
    assert np.array_equal(dst, src)


def test_long_ctas_stay_in_native_code() -> None:
    """Longer than a slice of the scheduler: at its end the oldest copy happens, as with Python."""
    spin = "mov.u32 %r13, 0; L: add.u32 %r13, %r13, 1; setp.lt.u32 %p4, %r13, 600000; @%p4 bra L;"
    src, dst = native(f"{FIRST} {SECOND} {spin} {BACK}", ctas=1)
    assert np.array_equal(dst[:32, :16], src[:32, :16])
    assert (dst[32:, 16:] == 255).all()


def test_arrivals_that_outlive_a_long_cta_are_looked_at() -> None:
    spin = "mov.u32 %r13, 0; L: add.u32 %r13, %r13, 1; setp.lt.u32 %p4, %r13, 100000; @%p4 bra L;"
    with pytest.raises(Diagnostic) as found:
        go(f"{INIT.replace('64;', '1;')} @%p1 {EXPECT} {FIRST} @%p1 {NOINC} {spin}", ctas=1)
    assert found.value.code == "PTX9112"
