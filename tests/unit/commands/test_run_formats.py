"""`ptxlab run` writes what a launch finds as JSON, SARIF and GitHub's commands, with both places, who, and which bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from ptxlab.abi import sanitizing
from ptxlab.cli import app
from ptxlab.diag import CODES

RACE = """.version 8.0
.target sm_90a
.address_size 64
.file 1 "race.cu"
.shared .align 4 .b32 words[64];
.visible .entry race(.param .u64 out)
.reqntid 64, 1, 1
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, words;
    add.u32 %r3, %r2, %r1;
    .loc 1 3 0
    st.shared.u32 [%r3], %r0;
    xor.b32 %r1, %r1, 128;
    add.u32 %r3, %r2, %r1;
    .loc 1 4 0
    ld.shared.u32 %r4, [%r3];
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd0, %rd0, %rd1;
    st.global.u32 [%rd0], %r4;
    ret;
}
"""
LINES = RACE.splitlines()
STORE, LOAD = (1 + next(i for i, line in enumerate(LINES) if word in line) for word in ("st.shared", "ld.shared"))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(sanitizing.VARIABLE, raising=False)
    monkeypatch.setattr(sanitizing, "DEFAULT", False)
    Path("race.ptx").write_text(RACE)
    Path("right.ptx").write_text(RACE.replace("    xor", "    bar.sync 0;\n    xor"))
    Path("race.cu").write_text("// kernel\n\n  words[i] = i;\n  x = words[i ^ 32];\n")


def run(file: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["run", file, "--arg", "out=zeros:u32:8x8", *words])


def document(file: str, form: str, *words: str) -> Any:
    return json.loads(run(file, "--format", form, *words).stdout)


def test_json_has_all_that_a_finding_says() -> None:
    (finding,) = document("race.ptx", "json", "--sanitize")["findings"]
    assert (finding["code"], finding["slug"], finding["severity"]) == ("PTX9200", "race", "error")
    assert finding["help"] == CODES["PTX9200"].help
    assert finding["explain"] == "ptxlab explain PTX9200"
    assert {finding["line"], finding["other"]["line"]} == {STORE, LOAD}
    assert {finding["source"]["line"], finding["other"]["source"]["line"]} == {3, 4}
    assert (finding["file"], finding["source"]["file"]) == ("race.ptx", "race.cu")
    assert finding["memory"] == {"space": "shared", "array": "words", "offset": 128, "nbytes": 4, "element": [32]}
    later, earlier = finding["accesses"]
    assert {later["does"], earlier["does"]} == {"reads", "writes"}
    assert (later["thread"], later["cta"], earlier["thread"]) == ([32, 0, 0], [0, 0, 0], [0, 0, 0])
    assert {later["instruction"], earlier["instruction"]} == {"st.shared.u32 [%r3], %r0", "ld.shared.u32 %r4, [%r3]"}
    assert later["place"]["line"] == finding["line"]


def test_findings_set_the_status() -> None:
    assert run("race.ptx", "--sanitize", "--format", "json").exit_code == 1
    for words in (("race.ptx", "--no-sanitize"), ("race.ptx",), ("right.ptx", "--sanitize")):
        done = run(*words, "--format", "json")
        assert (done.exit_code, json.loads(done.stdout)["findings"]) == (0, [])


def test_the_default_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sanitizing.VARIABLE, "1")
    assert run("race.ptx").exit_code == 1
    assert run("race.ptx", "--no-sanitize").exit_code == 0
    monkeypatch.setenv(sanitizing.VARIABLE, "0")
    monkeypatch.setattr(sanitizing, "DEFAULT", True)
    assert run("race.ptx").exit_code == 0
    monkeypatch.delenv(sanitizing.VARIABLE)
    assert run("race.ptx").exit_code == 1


def test_what_stops_a_launch_is_a_finding_too() -> None:
    Path("trap.ptx").write_text(RACE.replace("    ret;", "    bar.sync 0;\n    trap;\n    ret;"))
    done = run("trap.ptx", "--sanitize", "--format", "json")
    assert done.exit_code == 1
    assert [d["code"] for d in json.loads(done.stdout)["findings"]] == ["PTX9010", "PTX9200"]


def test_a_wrong_option_is_no_finding() -> None:
    done = run("race.ptx", "--format", "json", "--schedule", "soon")
    assert (done.exit_code, done.stdout) == (2, "")


def test_standard_output_is_for_the_document_alone() -> None:
    done = run("right.ptx", "--format", "json", "--stats", "--out", "out=out.npy")
    assert json.loads(done.stdout)["findings"] == []
    assert Path("out.npy").exists()


@pytest.mark.parametrize("form", ["text", "json"])
def test_outputs_are_written_where_the_launch_has_come_to_its_end(form: str) -> None:
    done = run("race.ptx", "--format", form, "--sanitize", "--out", "out=out.npy")
    assert done.exit_code == 1
    assert np.load("out.npy").any()
    assert ("race: " in done.stdout, "--no-sanitize" in done.stderr) == (form == "text", False)
    Path("trap.ptx").write_text(RACE.replace("    ret;", "    trap;\n    ret;"))
    done = run("trap.ptx", "--format", form, "--sanitize", "--out", "out=none.npy")
    assert (done.exit_code, Path("none.npy").exists()) == (1, False)


def test_who_has_not_asked_for_the_sanitizer_reads_how_to_go_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizing, "DEFAULT", True)
    done = run("race.ptx")
    assert done.exit_code == 1
    assert "--no-sanitize turns the sanitizer off" in " ".join(done.stderr.split())


# The required properties of SARIF 2.1.0, of the objects that are written, and values that are not free.
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "log": ("version", "runs"),
    "run": ("tool",),
    "tool": ("driver",),
    "driver": ("name",),
    "rule": ("id",),
    "result": ("message",),
    "suppression": ("kind",),
    "location": ("physicalLocation",),
}


def has(kind: str, value: Mapping[str, Any]) -> None:
    assert set(REQUIRED[kind]) <= set(value), f"{kind} lacks a property: {value}"


def check_location(location: Mapping[str, Any]) -> None:
    has("location", location)
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"]
    region = physical["region"]
    assert region["startLine"] >= 1
    assert region.get("startColumn", 1) >= 1
    assert region.get("endColumn", 2) > region.get("startColumn", 1)
    assert isinstance(location.get("id", 0), int)
    assert "message" not in location or location["message"]["text"]


def check_sarif(log: Mapping[str, Any]) -> None:
    has("log", log)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    for one in log["runs"]:
        has("run", one)
        has("tool", one["tool"])
        has("driver", one["tool"]["driver"])
        rules = one["tool"]["driver"]["rules"]
        for rule in rules:
            has("rule", rule)
            assert rule["shortDescription"]["text"]
            assert rule["help"]["text"]
        for result in one["results"]:
            has("result", result)
            assert result["message"]["text"]
            assert result["level"] in ("none", "note", "warning", "error")
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            for location in (*result.get("locations", ()), *result.get("relatedLocations", ())):
                check_location(location)
            for suppression in result.get("suppressions", ()):
                has("suppression", suppression)
                assert suppression["kind"] in ("inSource", "external")


def test_sarif_is_valid_and_names_both_places() -> None:
    log = document("race.ptx", "sarif", "--sanitize")
    check_sarif(log)
    (result,) = log["runs"][0]["results"]
    lines = [result["locations"][0], *result["relatedLocations"]]
    places = {
        (p["physicalLocation"]["artifactLocation"]["uri"], p["physicalLocation"]["region"]["startLine"]) for p in lines
    }
    assert places == {("race.ptx", STORE), ("race.ptx", LOAD), ("race.cu", 3), ("race.cu", 4)}
    assert result["properties"]["memory"]["element"] == [32]
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert "ptxlab explain PTX9200" in rule["help"]["text"]
    assert rule["help"]["markdown"].startswith("# PTX9200: race")
    check_sarif(document("right.ptx", "sarif", "--sanitize"))


def test_github() -> None:
    done = run("race.ptx", "--sanitize", "--format", "github")
    assert done.stdout.startswith(f"::error file=race.ptx,line={LOAD},title=PTX9200 race") or done.stdout.startswith(
        f"::error file=race.ptx,line={STORE},title=PTX9200 race"
    )


def test_a_certificate_in_lines() -> None:
    lines = run("right.ptx", "--certify").output.splitlines()
    assert any(line.startswith("proved: no schedule of race") for line in lines)
    assert any(line.startswith("  assumed: ") for line in lines)
    done = run("race.ptx", "--certify")
    assert done.exit_code == 1
    assert "\\x0a" not in done.output
