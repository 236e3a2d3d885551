"""Flags between launches on two devices: races are found where those of one launch with the same threads in two CTAs are.

Programs are drawn at random. On two devices the scope .sys reaches the other launch and .gpu does not; within one launch .gpu
reaches the other CTA and .cta does not. Under "eager" one launch, or one CTA, ends before the other begins, so both see the same
values.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag.causes import with_alike

PLACES, FLAGS = 4, 2
HEAD = """.version 8.8
.target sm_90a
.address_size 64
"""
BEGIN = """.visible .entry {name}(.param .u64 x, .param .u64 f) .reqntid 64 {{
.reg .b64 %x, %f; .reg .b32 %v, %t, %c; .reg .pred %first, %second, %other;
ld.param.u64 %x, [x]; ld.param.u64 %f, [f]; mov.u32 %t, %tid.x;
setp.eq.u32 %first, %t, 0; setp.eq.u32 %second, %t, 32;
"""


class Agent:
    """What two threads of a CTA do, thread 0 and thread 32: a list of lines, in which {wide} and {narrow} stand for scopes."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._left = [(who, place) for place in range(PLACES) for who in (dice.choice(("first", "second")),)]
        dice.shuffle(self._left)
        self.lines = [self._line() for _ in range(dice.randint(6, 14))]

    def _line(self) -> str:
        kind = self._dice.choice(("place", "place", "flag", "flag", "flag", "fence", "barrier"))
        if kind == "place" and self._left:
            who, place = self._left.pop()
            access = self._dice.choice((f"st.global.u32 [%x+{4 * place}], 1", f"ld.global.u32 %v, [%x+{4 * place}]"))
            return f"@%{who} {access};"
        if kind == "barrier":
            return "bar.sync 0;"
        who, scope = self._dice.choice(("first", "second")), self._dice.choice(("{wide}", "{wide}", "{narrow}"))
        if kind == "fence":
            return f"@%{who} fence.{self._dice.choice(('acq_rel', 'sc'))}.{scope};"
        at = f"[%f+{4 * self._dice.randrange(FLAGS)}]"
        return f"@%{who} " + self._dice.choice(
            (
                f"st.{self._dice.choice(('relaxed', 'release'))}.{scope}.global.u32 {at}, 1;",
                f"ld.{self._dice.choice(('relaxed', 'acquire'))}.{scope}.global.u32 %v, {at};",
                f"atom.{self._dice.choice(('relaxed', 'acquire', 'release', 'acq_rel'))}.{scope}.global.add.u32 %v, {at}, 1;",
            )
        )

    def text(self, wide: str, narrow: str) -> str:
        return "\n".join(self.lines).replace("{wide}", wide).replace("{narrow}", narrow)


def _places(findings: list[px.Diagnostic]) -> Iterator[str]:
    """The places of memory that findings are about: flags are compared as well, but which side is named may differ."""
    for one in findings:
        assert one.memory is not None
        if one.memory.array == "x":
            yield f"{one.memory.array}+{one.memory.offset}"


def _found(module: px.Module, launches: list[tuple[str, px.Stream | None, int]], arrays: list[np.ndarray]) -> set[str]:
    for name, stream, ctas in launches:
        module[name][ctas](*arrays, stream=stream)
    try:
        reports = px.synchronize(sanitize=True)
    except px.Diagnostic as wrong:
        return set(_places(with_alike([wrong, *wrong.also])))
    return set(_places(with_alike([d for report in reports for d in report.findings])))


def on_two_devices(one: Agent, other: Agent) -> set[str]:
    """Each agent is a launch of its own, on its own device."""
    scopes = "sys", "gpu"
    parts = [BEGIN.format(name=n) + a.text(*scopes) + "\nret;\n}\n" for n, a in (("one", one), ("other", other))]
    devices = px.devices(2)
    arrays = [devices[0].zeros(n, np.uint32) for n in (PLACES, FLAGS)]
    streams = [px.Stream(device) for device in devices]
    return _found(
        px.parse(HEAD + "".join(parts), "two.ptx"), [("one", streams[0], 1), ("other", streams[1], 1)], arrays
    )


def in_one_launch(one: Agent, other: Agent) -> set[str]:
    """The agents are the CTAs of one launch."""
    scopes = "gpu", "cta"
    body = "mov.u32 %c, %ctaid.x; setp.eq.u32 %other, %c, 1;\n@%other bra OTHER;\n"
    body += one.text(*scopes) + "\nret;\nOTHER:\n" + other.text(*scopes) + "\nret;\n}\n"
    device = px.devices(1)[0]
    arrays = [device.zeros(n, np.uint32) for n in (PLACES, FLAGS)]
    return _found(
        px.parse(HEAD + BEGIN.format(name="both") + body, "one.ptx"), [("both", px.Stream(device), 2)], arrays
    )


@pytest.mark.parametrize("first", range(0, 400, 20))
@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
def test_two_launches_race_where_two_ctas_do(first: int) -> None:
    racing = silent = 0
    for seed in range(first, first + 20):
        dice = random.Random(seed)
        one, other = Agent(dice), Agent(dice)
        wanted = in_one_launch(one, other)
        assert on_two_devices(one, other) == wanted, (seed, one.lines, other.lines)
        racing, silent = racing + bool(wanted), silent + (not wanted)
    assert racing
