"""What other projects' CI takes from here: the GitHub action and the pre-commit hook. Their shell is run as a runner runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
GOOD = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry good() { ret; }
"""
BAD = GOOD.replace("ret;", "mov.u32 %r0, 1; ret;")
COMMAND = f'ptxlab() {{ "{sys.executable}" -m ptxlab "$@"; }}\n'


def _action() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def _check(folder: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Status, standard output and outputs of the step that checks."""
    action = _action()
    (step,) = [s for s in action["runs"]["steps"] if s.get("id") == "check"]
    given = {name: one["default"] for name, one in action["inputs"].items()} | inputs
    filled = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: given[m[1]], value) for name, value in step["env"].items()
    }
    output = folder / "output"
    output.touch()
    environment = os.environ | filled | {"GITHUB_OUTPUT": str(output)}
    script = folder / "step.sh"
    script.write_text(COMMAND + step["run"], encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    return done.returncode, done.stdout, outputs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "good.ptx").write_text(GOOD, encoding="utf-8")
    (tmp_path / "deep" / "er" / "bad one.ptx").write_text(BAD, encoding="utf-8")
    return tmp_path


def test_annotations_and_a_report(folder: Path) -> None:
    status, printed, outputs = _check(folder)
    assert status == 1
    assert "::error file=deep/er/bad one.ptx,line=4," in printed
    assert outputs == {"sarif": "ptxlab.sarif"}
    log = json.loads((folder / "ptxlab.sarif").read_text(encoding="utf-8"))
    assert [r["ruleId"] for r in log["runs"][0]["results"]] == ["PTX0010"]


def test_options_and_patterns(folder: Path) -> None:
    assert _check(folder, files="*.ptx", sarif="")[::2] == (0, {})
    assert _check(folder, ignore="PTX0010", sarif="")[0] == 0
    assert _check(folder, select="PTX0010", sarif="")[0] == 1
    status, printed, _ = _check(folder, files="none/*.ptx")
    assert (status, printed) == (2, "::error::ptxlab check: no file matches none/*.ptx\n")
    assert _check(folder, files="good.ptx", target="sm_1")[0] == 2


def test_the_action_names_what_it_uses() -> None:
    action = _action()
    used = set(re.findall(r"inputs\.(\w+)", json.dumps(action["runs"])))
    assert used == set(action["inputs"])
    assert all(one["description"] for one in (*action["inputs"].values(), *action["outputs"].values()))


def test_the_hook(folder: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert re.search(hook["files"], "a/b.ptx")
    assert not re.search(hook["files"], "a/b.ptx.py")
    command = [sys.executable, "-m", *hook["entry"].split()]
    for name, status in (("good.ptx", 0), ("deep/er/bad one.ptx", 1)):
        assert subprocess.run([*command, name], cwd=folder, capture_output=True, check=False).returncode == status
