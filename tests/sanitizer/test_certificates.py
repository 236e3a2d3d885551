"""Certificates: what is proved, what is not, and why; and that no schedule breaks one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.cli import app
from ptxlab.diag import Diagnostic
from ptxlab.sim.certify.waits import awaited
from tools.certified import Case, cases_of_zoo, kept

from . import zoo

OPEN = {
    *("tma/tile_reduce", "compiled/gluon_tma", "compiled/gluon_specialised"),
}
"""Right kernels that are not proved: of sums by asynchronous operations, and with a warning."""


def text(body: str) -> str:
    """A kernel of two warps and an array of words."""
    return f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred p, q; .reg .b32 t, v, w, at; .reg .b64 o, x, c, s; .reg .f32 f;
  .shared .align 16 .b8 row[512];
  .shared .align 8 .b64 bar;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  mad.wide.u32 x, t, 4, o;
  mov.u32 at, row;
  mad.lo.u32 at, t, 4, at;
{body}
  ret;
}}
"""


def certified(body: str, **options: Any) -> px.Certificate:
    """The certificate of such a kernel, which stores at last."""
    kernel = px.parse(text(body + "\nst.global.u32 [x+512], t;"), "k.ptx")["k"]
    return px.certify(kernel, grid=1, block=64, args=[np.zeros(256, np.uint32)], lints=False, orders=20, **options)


INIT = "setp.eq.u32 p, t, 0;\n@p mbarrier.init.shared::cta.b64 [bar], 64;\nbar.sync 0;\n"
ARRIVE = "mbarrier.arrive.shared::cta.b64 s, [bar];\n"
FLAG = """setp.ge.u32 p, t, 32;\n@p bra W;\nst.shared.u32 [at], t;\nbar.warp.sync -1;\nsetp.ne.u32 p, t, 0;\n@p bra D;
st.release.cta.global.u32 [o], 1;\n//more\nbra D;
W: ld.acquire.cta.global.u32 v, [o];\nsetp.eq.u32 q, v, 0;\n//ask\n@q bra W;\n//behind
ld.shared.u32 w, [at+-128];\nst.global.u32 [x+256], w;\nD:"""
COUNT = """st.shared.u32 [at], t;\nred.release.cta.global.add.u32 [o], 1;
W: ld.acquire.cta.global.u32 v, [o];\nsetp.lt.u32 q, v, {all};\n@q bra W;\nxor.b32 at, at, 128;\nld.shared.u32 w, [at];
st.global.u32 [x+256], w;"""
PROVED = {
    "a barrier": "st.shared.u32 [at], t;\nbar.sync 0;\nxor.b32 at, at, 128;\nld.shared.u32 v, [at];\nst.global.u32 [x], v;",
    "a clock that nobody uses": "mov.u64 c, %clock64;\nadd.u64 c, c, 1;\nst.global.u32 [x], t;",
    "sums of one kind": "red.global.add.u32 [o], t;\nred.global.add.s32 [o], 3;",
    "sums of two kinds, at two places": "red.global.add.u32 [o], t;\nred.global.max.u32 [o+4], t;",
    "a sum whose old value nobody reads": "atom.global.add.u32 v, [o], t;",
    "strong accesses of one thread": "st.volatile.global.u32 [x], t;\nld.volatile.global.u32 v, [x];\nst.global.u32 [x], v;",
    "a loop that waits": f"{INIT}{ARRIVE}W: mbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;\n@!q bra W;",
    "a loop that leaves in the middle": f"""{INIT}{ARRIVE}W: mbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;
@q bra D;\nbra W;\nD:""",
    "a loop through a register": f"""{INIT}{ARRIVE}W: mbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;
selp.b32 v, 1, 0, q;\nsetp.eq.s32 p, v, 0;\n@p bra W;""",
    "a loop that sleeps": f"{INIT}{ARRIVE}W: nanosleep.u32 20;\nmbarrier.test_wait.parity.shared::cta.b64 q, [bar], 0;\n@!q bra W;",
    "a flag": FLAG,
    "a flag with a fence behind the loop": FLAG.replace("acquire", "relaxed").replace("//behind", "fence.acq_rel.cta;"),
    "a counter until all have come": COUNT.format(all=64),
    "a flag that counts up": FLAG.replace(
        "//more", "st.release.cta.global.u32 [o], 2;\nst.release.cta.global.u32 [o], 3;"
    ),
    "a flag whose value is used": FLAG.replace("//behind", "st.global.u32 [x+768], v;"),
    "the state of an arrival": f"{INIT}{ARRIVE}W: mbarrier.test_wait.shared::cta.b64 q, [bar], s;\n@!q bra W;",
}
NOT_PROVED = {
    "a counter until half have come": (COUNT.format(all=32), "PTX9"),
    "a counter of unequal steps": (COUNT.replace("[o], 1;", "[o], t;").format(all=2016), "PTX9301"),
    "a flag that goes back": (FLAG.replace("//more", "st.release.cta.global.u32 [o], 0;"), "PTX9"),
    "a flag that is looked at for a while": (
        FLAG.replace("bra W;", "bra V;")
        .replace("W:", "V: mov.u32 w, 0;\nW:")
        .replace("//ask", "add.u32 w, w, 1;\nsetp.lt.and.u32 q, w, 9, q;")
        .replace("@q bra V;", "@q bra W;"),
        "PTX930",
    ),
    "fences that happen to come in turn": (
        """setp.lt.u32 p, t, 32;\n@p bra W;\nst.shared.u32 [at], t;\nfence.sc.cta;\nbra D;
W: nanosleep.u32 100;\nfence.sc.cta;\nld.shared.u32 v, [at+128];\nst.global.u32 [x], v;\nD:""",
        "PTX92",
    ),
    "a clock decides a branch": (
        "mov.u32 v, %clock;\nsetp.eq.u32 p, v, 7;\n@p bra W;\nst.global.u32 [x], t;\nW:",
        "PTX9302",
    ),
    "a clock through memory and the carry": (
        """mov.u32 v, %clock;\nst.shared.u32 [at], v;\nld.shared.u32 w, [at];\nadd.cc.u32 w, w, 1;\naddc.u32 w, t, 0;
st.global.u32 [x], w;""",
        "PTX9302",
    ),
    "a clock guards a store": ("mov.u32 v, %clock;\nsetp.eq.u32 p, v, 7;\n@p st.global.u32 [x], t;", "PTX9302"),
    "a clock in an address": (
        "mov.u32 v, %clock;\nand.b32 v, v, 4;\nmad.wide.u32 x, v, 1, x;\nld.global.u32 v, [x];",
        "PTX9302",
    ),
    "an SM is stored": ("mov.u32 v, %smid;\nst.global.u32 [x], v;", "PTX9302"),
    "lanes that run together": ("activemask.b32 v;\nst.global.u32 [x], v;", "PTX9302"),
    "a phase asked for once": (
        f"{INIT}{ARRIVE}mbarrier.test_wait.parity.shared::cta.b64 q, [bar], 0;\nselp.u32 v, 1, 0, q;\nst.global.u32 [x], v;",
        "PTX9302",
    ),
    "a loop that counts its turns": (
        f"""{INIT}{ARRIVE}mov.u32 v, 0;\nW: add.u32 v, v, 1;\nmbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;
@!q bra W;\nst.global.u32 [x], v;""",
        "PTX9302",
    ),
    "a state that is looked at": (f"{INIT}{ARRIVE}mbarrier.pending_count.b64 v, s;\nst.global.u32 [x], v;", "PTX9302"),
    "an old value": ("atom.global.add.u32 v, [o], 1;\nst.global.u32 [x+4], v;", "PTX9304"),
    "sums of two kinds at one place": ("red.global.add.u32 [o], t;\nred.global.max.u32 [o], t;", "PTX9303"),
    "rounded sums": ("cvt.rn.f32.u32 f, t;\nred.global.add.f32 [o], f;", "PTX9301"),
    "strong stores": ("st.relaxed.gpu.global.u32 [o], t;", "PTX92"),
    "a race": ("st.shared.u32 [at], t;\nxor.b32 at, at, 128;\nld.shared.u32 v, [at];\nst.global.u32 [x], v;", "PTX92"),
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    found = certified(PROVED[name])
    assert found.proved, str(found)
    assert found.any_data == (not re.search("flag|counter", name))  # which have to begin with what they hold
    assert bool(found)
    assert "proved" in repr(found)


@pytest.mark.parametrize("name", NOT_PROVED)
def test_not_proved(name: str) -> None:
    body, code = NOT_PROVED[name]
    found = certified(body)
    assert not found.proved
    assert found.reasons[0].code.startswith(code), str(found)
    assert found.reasons[0].span is not None or code == "PTX9303"
    assert not found.any_data


def test_control_data_are_named() -> None:
    body = "ld.global.u32 v, [x];\nsetp.eq.u32 p, v, 7;\n@p bra W;\nst.global.u32 [x], t;\nW:"
    found = certified(body)
    assert found.proved
    assert not found.any_data
    assert found.control == ["`ld.global.u32 v, [x]` in line 14"]


def test_what_stops_a_launch_is_the_reason() -> None:
    found = certified("setp.eq.u32 p, t, 0;\n@p bra W;\nbar.sync 1, 96;\nW:")
    assert [d.code for d in found.reasons] == ["PTX9100"]


def test_a_suppressed_finding_counts() -> None:
    body, _ = NOT_PROVED["a race"]
    assert not certified(body, ignore="PTX9200").proved


def test_strict_assumes_nothing() -> None:
    assert certified(PROVED["a barrier"]).assumptions
    assert not certified(PROVED["a barrier"], sanitize="strict").assumptions


def test_a_loop_that_alternates_is_no_wait() -> None:
    """It asks two mbarriers in turn: which it finds over first decides where it goes on."""
    body = (
        f"{INIT}mov.u32 v, bar;\nW: xor.b32 v, v, 8;\nmbarrier.try_wait.parity.shared::cta.b64 q, [v], 0;\n@!q bra W;"
    )
    program = px.parse(text(body), "k.ptx")["k"].program
    assert awaited(program) == frozenset()


@pytest.mark.parametrize("options", [{"sanitize": False}, {"workers": 2}])
def test_options_that_do_not_go_with_it(options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as caught:
        px.simulate(
            px.parse(text("st.global.u32 [x], t;"), "k.ptx")["k"], grid=1, block=64, args=[np.zeros(256, np.uint32)],
            certify=True, **options,
        )  # fmt: skip
    assert caught.value.code == "PTX2501"


def _cases() -> list[Case]:
    return [case for i in range(len(zoo.kernels())) for case in cases_of_zoo(i)]


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in _cases() if not c.faulty])
def test_right_kernels_of_the_zoo(case: Case) -> None:
    proved, wrong = kept(case, 3)
    assert proved == (case.name not in OPEN)
    assert wrong == ""


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name) for c in _cases() if c.faulty and crc32(c.name.encode()) % 5 == 0]
)
def test_faulty_kernels_are_not_certified(case: Case) -> None:
    assert kept(case, 0) == (False, "")


def test_on_the_command_line(tmp_path: Path) -> None:
    file, race = tmp_path / "k.ptx", tmp_path / "race.ptx"
    file.write_text(text(PROVED["a barrier"]))
    race.write_text(text(NOT_PROVED["an old value"][0]))
    words = ["--block", "64", "--arg", "out=zeros:u32:256", "--certify"]
    runner = CliRunner()
    done = runner.invoke(app, ["run", str(file), *words])
    assert done.exit_code == 0
    assert "proved: no schedule" in done.stdout
    done = runner.invoke(app, ["run", str(race), *words])
    assert done.exit_code == 1
    assert "PTX9304" in done.stdout
    done = runner.invoke(app, ["run", str(race), *words, "--format", "json"])
    assert done.exit_code == 1
    found = json.loads(done.stdout)["certificate"]
    assert not found["proved"]
    assert [d["code"] for d in found["reasons"]] == ["PTX9304"]
