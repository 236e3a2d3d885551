"""Every tool, over both transports, and what its answer has."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driven import COUNTED, DOUBLE, MP, RACE, WORDS64, Driven, address, code, connected, environment

import ptxlab as px
from ptxlab import __version__
from ptxlab.mcp.tools import tools


def test_tools_and_their_schemas_are_listed(server: Driven) -> None:
    listed = {tool.name: tool for tool in server.portal.call(server.client.list_tools).tools}
    assert (
        list(listed)
        == list(tools())
        == ["check", "explain", "simulate", "certify", "verify", "compare", "litmus", "version"]
    )
    for name, tool in listed.items():
        assert tool.input_schema == tools()[name].request.model_json_schema()
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


def test_version(server: Driven) -> None:
    answer = server.call("version")
    assert (answer["schema"], answer["status"], answer["ptxlab"]) == ("ptxlab.mcp/1", "clean", __version__)
    assert answer["limits"]["cpu"] == 20
    assert answer["limits"]["python"] is True
    assert set(answer["isolation"]) == {"files", "system calls"}


def test_check(server: Driven) -> None:
    assert server.call("check", ptx=RACE)["status"] == "clean"
    answer = server.call("check", ptx=RACE.replace("ret;", "return;"))
    (found,) = answer["findings"]
    assert answer["status"] == "findings"
    assert answer["count"] == 1
    assert (found["code"], found["severity"], found["file"], found["line"]) == ("PTX0100", "error", "kernel.ptx", 22)
    assert found["text"] == "    return;"
    assert found["text"][found["column"] - 1 : found["end_column"] - 1] == "return"
    assert found["next"] == {"tool": "explain", "arguments": {"what": "PTX0100"}}
    assert "ret" in found["help"]
    assert code(server.call("check", ptx=RACE, ptxas="12.0")) == "PTX2601"
    assert code(server.call("check", ptx=RACE, target="sm_12x")) == "PTX2601"
    assert server.call("check", ptx=RACE.replace("ret;", "return;"), ignore=["PTX01"])["count"] == 0


def test_findings_are_those_of_the_command(http: Driven, tmp_path: Path) -> None:
    (tmp_path / "kernel.ptx").write_text(RACE.replace("ret;", "bad;"))
    words = [sys.executable, "-m", "ptxlab", "check", "kernel.ptx", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False)
    (said,) = json.loads(done.stdout)["findings"]
    (found,) = http.call("check", ptx=RACE.replace("ret;", "bad;"))["findings"]
    assert {name: found[name] for name in said} == said


def test_explain(server: Driven) -> None:
    for what, word in (("PTX9213", "fence.proxy.async"), ("cp.async", "cp.async"), ("poll", "poll")):
        assert word in server.call("explain", what=what)["text"]
    assert code(server.call("explain", what="PTX9999")) == "PTX2501"


def test_simulate(server: Driven) -> None:
    answer = server.call("simulate", ptx=RACE, args=WORDS64, first=2)
    (found,) = answer["findings"]
    assert answer["status"] == "findings"
    assert found["code"] == "PTX9200"
    assert [access["thread"] for access in found["accesses"]] == [[32, 0, 0], [0, 0, 0]]
    assert (found["other"]["line"], found["memory"]["element"]) == (18, [32])
    (out,) = answer["outputs"]
    assert (out["name"], out["dtype"], out["shape"], out["changed"], len(out["first"])) == (
        "out",
        "uint32",
        [64],
        True,
        2,
    )
    counts = {name: value for name, value in answer["statistics"].items() if value is not None}
    assert counts == {"kernel": "race", "ctas": 1, "instructions": 832, "warp_instructions": 26}
    counted = server.call("simulate", ptx=RACE, args=WORDS64, stats=True)["statistics"]
    assert counted["bytes"] == {"shared store": 256, "shared load": 256, "global store": 256}
    assert (counted["bank_conflicts"], counted["forms"]["st"]) == (0, 4)


def test_outputs_are_the_bytes_of_the_simulator(http: Driven) -> None:
    answer = http.call("simulate", ptx=RACE, args=WORDS64, sanitize=False, schedule="random", seed=7, outputs="base64")
    expected = px.empty(64, np.uint32)
    px.simulate(px.parse(RACE)["race"], grid=1, args=[expected], schedule="random", seed=7, sanitize=False)
    (out,) = answer["outputs"]
    assert base64.b64decode(out["base64"]) == expected.tobytes()
    assert out["maximum"] == expected.max()


def test_a_launch_that_hangs_is_stopped_and_explained(http: Driven) -> None:
    hang = """
import ptxlab as px

@px.kernel(threads=32)
def wait(k, x: px.Ptr[px.u32]):
    full = k.mbarrier(2)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive()
    full.wait(0)
"""
    answer = http.call("simulate", python=hang, args=[COUNTED])
    assert (answer["status"], code(answer), answer["outputs"]) == ("stopped", "PTX9100", None)
    (found, *_) = answer["findings"]
    assert (found["file"], found["text"]) == ("kernel.py", "    full.wait(0)")
    assert found["wait_graph"]["waits"]
    step = found["next"]
    assert step["arguments"] == {"what": "PTX9100 count"}
    assert "```diff" in http.call(step["tool"], **step["arguments"])["text"]


def test_certify(server: Driven) -> None:
    answer = server.call("certify", python=DOUBLE, args=[COUNTED])
    assert (answer["status"], answer["proved"], answer["any_data"]) == ("clean", True, True)
    (reason,) = server.call("certify", ptx=RACE, args=WORDS64)["findings"]
    assert reason["code"] == "PTX9200"
    order = """
import ptxlab as px

@px.kernel(threads=64)
def count(k, y: px.Ptr[px.u32]):
    old = k.atom.global_.add.u32(y[0], 1)
    k.st.global_.u32(y[k.tid.x + 1], old)
"""
    answer = server.call("certify", python=order, args=[{"array": "u32", "shape": [65]}])
    assert (answer["status"], answer["proved"], code(answer)) == ("findings", False, "PTX9304")
    assert answer["findings"][0]["text"].startswith("    old = k.atom")


def test_verify(server: Driven) -> None:
    judged = """
import numpy as np
import ptxlab as px

@px.kernel(threads=64)
def candidate(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 64 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)

def reference(x, n):
    return x * 2

spec = px.Spec(lambda n: px.case([px.Input("f32", n), px.Output("f32", n), n], grid=-(-n // 64)), {"n": range(1, 300)})
"""
    answer = server.call("verify", python=judged)
    assert (answer["status"], answer["verdict"], answer["proved"], answer["mismatch"]) == ("clean", "equal", True, None)
    answer = server.call("verify", python=judged.replace("x * 2", "x * 3"), seed=answer["seed"])
    assert (answer["status"], answer["verdict"], code(answer)) == ("findings", "wrong", "PTX9273")
    assert answer["mismatch"]["array"] == "y"
    assert answer["trial"]["sizes"]["n"] >= 1
    assert code(server.call("verify", python=judged, spec="specs")) == "PTX2601"


def test_compare_with_numpy(server: Driven) -> None:
    answer = server.call("compare", python=DOUBLE, args=[COUNTED])
    assert answer["status"] == "clean"
    assert [run["outcome"] for run in answer["runs"]] == ["right"] * 5
    wrong = server.call("compare", python=DOUBLE.replace("x *= 2", "x *= 3"), args=[COUNTED], schedules=["eager"])
    assert code(wrong) == "PTX9273"
    assert wrong["findings"][0]["text"].startswith("    k.st.global_.u32(x[k.tid.x]")
    assert wrong["runs"][0]["mismatches"][0] == {
        "array": "x", "elements": 31, "total": 32, "index": [1], "value": "2", "wanted": "3",
    }  # fmt: skip


def test_compare_ptx_with_what_is_expected(http: Driven) -> None:
    ptx = px.kernel(threads=32)(_twice).ptx
    expected = {"x": {"array": "u32", "shape": [32], "fill": 0, "step": 2}}
    assert http.call("compare", ptx=ptx, args={"x": COUNTED}, expected=expected)["status"] == "clean"
    text = "def reference(x):\n    x[:] = 7\n"
    assert code(http.call("compare", ptx=ptx, args={"x": COUNTED}, reference=text)) == "PTX9273"
    raised = http.call("compare", ptx=ptx, args={"x": COUNTED}, reference="def reference(x):\n    1 / 0\n")
    assert (code(raised), raised["findings"][0]["file"], raised["findings"][0]["line"]) == (
        "PTX2505",
        "reference.py",
        2,
    )
    assert code(http.call("compare", ptx=ptx, args={"x": COUNTED})) == "PTX2601"


def _twice(k: Any, x: px.Ptr[px.u32]) -> None:
    k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)


def test_litmus(server: Driven) -> None:
    answer = server.call("litmus", test=MP)
    assert answer["verdict"]["reachable"] is True
    assert len(answer["verdict"]["races"]) == 1
    assert "allowed" in answer["text"]
    assert code(server.call("litmus", test="PTX")) == "PTX0600"


def test_a_kernel_with_a_tensor_map(http: Driven) -> None:
    source = """
import ptxlab as px

@px.kernel(threads=32)
def tile(k, a: px.TensorMap, out: px.Ptr[px.f32], *, rows):
    t = k.smem(px.f32, (rows, 8), align=128)
    full = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(t.nbytes)
        k.tma_load(t, a, (0, 0), full)
    full.wait(0)
    k.st.global_.f32(out[k.tid.x], k.ld.shared.f32(t.at(k.tid.x * 4)))
"""
    a = {"array": "f32", "shape": [4, 8], "random": {"seed": 1}}
    args = {"a": {"tensormap": a, "box": [4, 8]}, "out": {"array": "f32", "shape": [4, 8]}}
    answer = http.call("simulate", python=source, args=args, constants={"rows": 4})
    assert answer["status"] == "clean"
    assert answer["outputs"][0]["digest"] == answer["outputs"][1]["digest"]
    assert code(http.call("simulate", python=source, args={**args, "a": a}, constants={"rows": 4})) == "PTX2302"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_older_and_newer_clients(http: Driven, mode: str) -> None:
    with connected(address(http.pid), http.pid, mode=mode) as driven:
        assert driven.call("version")["status"] == "clean"
        assert code(driven.call("simulate", ptx=RACE, args=WORDS64)) == "PTX9200"
