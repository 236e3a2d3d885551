"""setmaxnreg: the pool of a CTA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.ptx.entry_registers import registers_by_directives
from ptxlab.ptx.program import Directives

from ...conftest import entry

PARAMS = ".param .u64 out"
CAP = ".reqntid 256 .maxnreg 128"
PRELUDE = """
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 127;
"""


def body(producer: str, consumer: str) -> str:
    return PRELUDE + f"@%p1 bra SECOND;\n{producer}\nbra END;\nSECOND:\n{consumer}\nEND: ret;"


def go(run: Callable[..., Any], text: str) -> Any:
    return run(text, np.zeros(4, np.uint32), block=256)


def test_taking_waits_for_giving(run: Callable[..., Any]) -> None:
    """The first warpgroup takes before the second has given: it has to wait, and gets them."""
    text = entry(PARAMS, body("setmaxnreg.inc.sync.aligned.u32 200;", "setmaxnreg.dec.sync.aligned.u32 40;"), CAP)
    assert go(run, text).findings == []


@pytest.mark.parametrize("taken", [208, 232, 240, 248])
def test_a_kernel_starts_with_what_it_takes_where_there_is_room(run: Callable[..., Any], taken: int) -> None:
    """The cap of 256 threads is 256, and ptxas gives what setmaxnreg.inc asks for at once: nobody has to wait."""
    cap = ".reqntid 256 .minnctapersm 1"
    text = entry(PARAMS, body(f"setmaxnreg.inc.sync.aligned.u32 {taken};", "setmaxnreg.dec.sync.aligned.u32 40;"), cap)
    assert go(run, text).findings == []


def _large(accumulators: int) -> str:
    """A product that nobody executes, for what it needs."""
    names = ", ".join(f"%d{i}" for i in range(accumulators))
    opcode = f"wgmma.mma_async.sync.aligned.m64n{2 * accumulators}k16.f32.bf16.bf16"
    return f".reg .f32 %d<{accumulators}>; .reg .b64 %q; @%p2 {opcode} {{{names}}}, %q, %q, 1, 1, 1, 0, 0;"


@pytest.mark.parametrize(("used", "waits"), [(None, True), (168, True), (150, False)])
def test_where_directives_do_not_say_it_ptxas_does(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, used: int | None, *, waits: bool
) -> None:
    """Of three warpgroups only one takes, so it waits for ever, unless ptxas ignores all that."""
    monkeypatch.setattr("ptxlab.launch.entry.Entry.registers", lambda _: used)
    first = "setp.ne.u32 %p2, %r1, %r1; setmaxnreg.inc.sync.aligned.u32 240;" + _large(128)
    text = entry(PARAMS, body(first, ""), ".reqntid 384")
    if not waits:
        assert [d.code for d in run(text, np.zeros(4, np.uint32), block=384).findings] == ["PTX2023"]
        return
    with pytest.raises(px.Diagnostic) as caught:
        run(text, np.zeros(4, np.uint32), block=384)
    assert caught.value.code == "PTX9100"


def test_without_ptxas_the_count_is_said_to_be_modelled(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptxlab.launch.entry.Entry.registers", lambda _: None)
    first = "setp.ne.u32 %p2, %r1, %r1; setmaxnreg.inc.sync.aligned.u32 160;" + _large(128)
    (found,) = run(entry(PARAMS, body(first, ""), ".reqntid 384"), np.zeros(4, np.uint32), block=384).findings
    assert found.code == "PTX9151"
    assert "160 registers" in found.message


def test_taking_too_much_never_ends(run: Callable[..., Any]) -> None:
    text = entry(PARAMS, body("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.dec.sync.aligned.u32 40;"), CAP)
    with pytest.raises(px.Diagnostic) as caught:
        go(run, text)
    assert caught.value.code == "PTX9100"
    assert any("setmaxnreg.inc waits for 104 more registers" in note for note in caught.value.notes)


def test_the_wrong_direction(run: Callable[..., Any]) -> None:
    text = entry(PARAMS, body("setmaxnreg.dec.sync.aligned.u32 200;", ""), CAP)
    with pytest.raises(px.Diagnostic) as caught:
        go(run, text)
    assert caught.value.code == "PTX9150"
    assert "128 registers" in str(caught.value)
    assert "setmaxnreg.inc" in str(caught.value.help)


def test_taking_fewer_than_there_are(run: Callable[..., Any]) -> None:
    take = "setmaxnreg.inc.sync.aligned.u32 200; setmaxnreg.inc.sync.aligned.u32 {};"
    give = "setmaxnreg.dec.sync.aligned.u32 40;"
    (found,) = go(run, entry(PARAMS, body(take.format(96), give), CAP)).findings
    assert (found.code, found.severity) == ("PTX9152", "warning")
    assert "`setmaxnreg.inc.sync.aligned.u32 96` does nothing: warp 0 has 200 registers" in found.message
    assert go(run, entry(PARAMS, body(take.format(200), give), CAP)).findings == []


INC, DEC = (f"setmaxnreg.{way}.sync.aligned.u32 {{}};".format for way in ("inc", "dec"))
LATER = "nanosleep.u32 1000;"


@pytest.mark.parametrize(
    ("cap", "does", "ends"),
    [
        (128, ["", INC(160)], False),
        (128, [DEC(24), INC(232)], True),
        (128, [DEC(24), INC(240)], False),
        (128, [LATER + DEC(24), INC(232)], True),
        (128, [LATER + "exit;", INC(232)], False),
        (128, [DEC(24) + LATER + "exit;", INC(240)], False),
        (128, [INC(96), ""], True),
        (128, [INC(128) + DEC(128), ""], True),
        (128, [DEC(24) + DEC(24), INC(232)], True),
        (128, [DEC(24) + INC(128) + DEC(24), LATER + INC(232)], True),
        (100, [DEC(24), INC(184)], True),
        (100, [DEC(24), INC(192)], False),
        (100, [INC(104), ""], True),
        (100, [INC(112), ""], False),
        (96, [DEC(24), INC(168)], True),
        (96, [DEC(24), INC(176)], False),
        (168, [DEC(40), INC(232), INC(232)], True),
        (168, [DEC(24), INC(248), INC(232)], True),
        (168, [DEC(32), INC(240), INC(240)], False),
        (64, [DEC(24) + INC(64)], True),
        (64, [DEC(24) + INC(72)], False),
    ],
)
def test_who_gets_registers_and_who_waits_for_ever_as_on_an_h200(
    run: Callable[..., Any], cap: int, does: list[str], *, ends: bool
) -> None:
    """What each warpgroup does, in a kernel whose threads start with so many registers."""
    _same(run, cap, does, 128, ends=ends)


@pytest.mark.parametrize(
    ("does", "ends"),
    [
        ({0: DEC(24), 4: LATER + INC(232)}, True),
        ({1: DEC(24), 4: LATER + INC(232)}, False),
        ({0: DEC(24), 1: LATER + INC(232)}, False),
        ({0: DEC(24), 5: LATER + INC(152)}, False),
        ({4: DEC(24), 0: LATER + INC(232)}, True),
    ],
)
def test_a_quarter_of_the_sm_has_a_pool_of_its_own(
    run: Callable[..., Any], does: dict[int, str], *, ends: bool
) -> None:
    _same(run, 128, [does.get(warp, "") for warp in range(8)], 32, ends=ends)


def _same(run: Callable[..., Any], cap: int, does: list[str], each: int, *, ends: bool) -> None:
    arms = "".join(f"setp.ne.u32 %p1, %r2, {i}; @%p1 bra N{i}; {what} N{i}: " for i, what in enumerate(does))
    threads = each * len(does)
    text = entry(PARAMS, f"{PRELUDE} div.u32 %r2, %r1, {each}; {arms} ret;", f".reqntid {threads} .maxnreg {cap}")
    if ends:
        assert run(text, np.zeros(4, np.uint32), block=threads).findings == []
        return
    with pytest.raises(px.Diagnostic) as caught:
        run(text, np.zeros(4, np.uint32), block=threads)
    assert caught.value.code == "PTX9100"


def test_without_a_cap_it_is_ignored_with_a_warning(run: Callable[..., Any]) -> None:
    text = entry(PARAMS, body("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.inc.sync.aligned.u32 232;"))
    found = go(run, text).findings
    assert [d.code for d in found] == ["PTX2023"]
    assert found[0].severity == "warning"


@pytest.mark.parametrize(
    ("directives", "registers"),
    [
        (Directives(), None),
        (Directives(reqntid=(384, 1, 1)), None),
        (Directives(maxnreg=100), 104),
        (Directives(reqntid=(384, 1, 1), minnctapersm=1), 168),
        (Directives(maxntid=(128, 1, 1), minnctapersm=1), 256),
        (Directives(maxntid=(32, 8, 1), minnctapersm=2), 128),
    ],
)
def test_registers_by_directives(directives: Directives, registers: int | None) -> None:
    assert registers_by_directives(directives) == registers
