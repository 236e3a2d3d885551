"""One launch says the same everywhere: its report, what is raised, and what the command writes have one order and one count."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.cli import app
from ptxlab.diag.causes import with_consequences

from .test_flags import FENCE, filled, text

WEAK = text(release=FENCE, acquire=FENCE, load="ld.global.u32")
"""A weak poll, from which two races follow."""
TWICE = WEAK.replace("TAKE:\n", "TAKE:\nst.global.u32 [%rd2+4], %r0;\n")
"""The same, and threads of a CTA that store different values to one word."""
WARNED = WEAK.replace(".visible", ".extern .global .align 4 .b8 things[];\n.visible", 1)
"""And something that the checks warn of."""
STOPPED = TWICE.replace("st.global.u32 [%rd2], %r3;", "st.global.u32 [%rd2+4000], %r3;")
"""And an address outside of all arrays, which stops the launch."""
FLOOD = filled(9, 8)
CASES = {"weak": WEAK, "twice": TWICE, "warned": WARNED, "stopped": STOPPED, "flood": FLOOD}
HEAD = re.compile(r"^(?:error|warning|note)\[(PTX\d+)\]", re.MULTILINE)


def arrays(code: str) -> dict[str, np.ndarray]:
    return {name: np.zeros(128, np.uint32) for name in re.findall(r"\.param \.u64 (\w+)", code)}


def report(code: str, **more: Any) -> tuple[list[str], list[str]]:
    """Codes as data, and as they are printed."""
    launch: dict[str, Any] = {"grid": 2, "block": 64, "args": list(arrays(code).values()), "lints": False} | more
    try:
        findings = px.simulate(px.parse(code, "k.ptx")["k"], sanitize=True, **launch).findings
    except px.Diagnostic as stop:
        findings = [stop]
    return [d.code for d in with_consequences(findings)], HEAD.findall("\n".join(map(str, findings)))


def raised(code: str) -> tuple[list[str], list[str]]:
    kernel = px.parse(code, "k.ptx")["k"]
    with pytest.raises(px.Diagnostic) as stop:
        kernel.launch(grid=2, block=64, args=list(arrays(code).values()), lints=False, sanitize=True)
    return [d.code for d in stop.value.told()], HEAD.findall(str(stop.value))


def command(code: str, tmp_path: Path, form: str) -> str:
    file = tmp_path / "k.ptx"
    file.write_text(code)
    words = ["run", str(file), "--grid", "2", "--block", "64", "--sanitize", "--no-lints", "--format", form]
    result = CliRunner().invoke(
        app, [*words, *(w for name in arrays(code) for w in ("--arg", f"{name}=zeros:u32:128"))]
    )
    assert result.exit_code == 1
    return result.output


@pytest.mark.parametrize("name", CASES)
def test_all_say_the_same(name: str, tmp_path: Path) -> None:
    code = CASES[name]
    codes, printed = report(code)
    assert codes
    assert printed == codes
    assert raised(code) == (codes, codes)
    assert [d["code"] for d in json.loads(command(code, tmp_path, "json"))["findings"]] == codes
    (run,) = json.loads(command(code, tmp_path, "sarif"))["runs"]
    assert [d["ruleId"] for d in run["results"]] == codes
    assert re.findall(r"PTX\d+", "\n".join(re.findall(r"title=\S+", command(code, tmp_path, "github")))) == codes
    assert HEAD.findall(command(code, tmp_path, "text")) == codes


def test_a_stop_comes_first_and_causes_before_what_follows() -> None:
    assert report(STOPPED)[0][0] == "PTX9002"
    assert report(TWICE)[0].index("PTX9252") < report(TWICE)[0].index("PTX9202")
    assert len(report(TWICE)[0]) > len(report(WEAK)[0])


def test_errors_come_before_what_the_checks_warn_of() -> None:
    assert report(WARNED)[0] == [*report(WEAK)[0], "PTX0024"]


def test_a_flood_counts_as_one_everywhere(tmp_path: Path) -> None:
    found = json.loads(command(FLOOD, tmp_path, "json"))["findings"][0]
    assert len(found["alike"]) >= 7
    assert any(f"of {len(found['alike'])} more pairs" in note for note in found["notes"])
