"""The pytest plugin in projects of users: what fails, what does not, and who decides."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi import sanitizing

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "ptxlab.testing.plugin")
KERNELS = """
import numpy as np
import pytest
import ptxlab as px

OUT = np.zeros(64, np.uint32)

@px.kernel(threads=64)
def racing(k, out: px.Ptr[px.b32]):
    row = k.smem(px.b32, 64)
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)
    value = k.ld.shared.b32(row.at((i ^ 32) * 4))
    k.st.global_.b32(out.at(i * 4), value)

@px.kernel(threads=64)
def right(k, out: px.Ptr[px.b32]):
    row = k.smem(px.b32, 64)
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)
    k.bar.sync(0)
    value = k.ld.shared.b32(row.at((i ^ 32) * 4))
    k.st.global_.b32(out.at(i * 4), value)
"""


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """pytester forgets modules that were first imported within it: the simulator is imported once, here."""

    def nothing(k: px.Builder, out: px.Ptr[px.b32]) -> None:
        k.st.global_.b32(out, 1)

    px.simulate(px.kernel(threads=1)(nothing), grid=1, args=[np.zeros(1, np.uint32)], sanitize=True)
    spec = px.Spec(lambda: px.case([px.Output("u32", 1)], grid=1))
    px.verify(px.kernel(threads=1)(nothing), lambda: np.ones(1, np.uint32), spec, runs=1)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other plugin, and nothing decided."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv(sanitizing.VARIABLE, raising=False)
    monkeypatch.setattr(sanitizing, "DEFAULT", False)


def run(pytester: pytest.Pytester, tests: str, *words: str) -> pytest.RunResult:
    pytester.makepyfile(KERNELS + tests)
    return pytester.runpytest_inprocess(*PLUGIN, *words)


RACES = """
def test_simulated():
    px.simulate(racing, grid=1, args=[OUT])

def test_launched():
    racing[1](OUT)

def test_right():
    right[1](OUT)
    px.simulate(right, grid=1, args=[OUT])
"""


def test_findings_fail_a_test_with_the_rendered_diagnostics(pytester: pytest.Pytester) -> None:
    done = run(pytester, RACES, "--ptxlab-sanitize")
    done.assert_outcomes(failed=2, passed=1)
    done.stdout.fnmatch_lines(
        [
            "*test_simulated*",
            "PTX9200: 1 finding in simulated launches of this test",
            "error[[]PTX9200] race: *`smem[[]*",
            "*and, earlier in this run:",
            "*= help: *",
            "*test_launched*",
            "*PTX9200*",
        ]
    )


def test_without_being_asked_nothing_changes(pytester: pytest.Pytester) -> None:
    run(pytester, RACES).assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("words", "ini", "variable", "default", "failed"),
    [
        ((), "", None, True, 2),
        ((), "", "1", False, 2),
        ((), "", "0", True, 0),
        ((), "ptxlab_sanitize = true", "0", False, 2),
        ((), "ptxlab_sanitize = false", "1", True, 0),
        (("--ptxlab-sanitize",), "ptxlab_sanitize = false", "0", False, 2),
        (("--no-ptxlab-sanitize",), "ptxlab_sanitize = true", "1", True, 0),
    ],
)
def test_who_decides(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    ini: str,
    variable: str | None,
    default: bool,
    failed: int,
) -> None:
    monkeypatch.setattr(sanitizing, "DEFAULT", default)
    if variable is not None:
        monkeypatch.setenv(sanitizing.VARIABLE, variable)
    pytester.makeini(f"[pytest]\n{ini}\n")
    run(pytester, RACES, *words).assert_outcomes(failed=failed, passed=3 - failed)


def test_the_marker_turns_it_off_and_on(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.ptxlab(sanitize=False)
def test_off():
    racing[1](OUT)

@pytest.mark.ptxlab(sanitize=True)
def test_on():
    racing[1](OUT)
"""
    run(pytester, tests, "--ptxlab-sanitize", "--strict-markers").assert_outcomes(passed=1, failed=1)
    run(pytester, tests).assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize("marker", ["ptxlab", "ptxlab(False)", "ptxlab(sanitise=True)", "ptxlab(sanitize='no')"])
def test_a_wrong_marker_is_an_error_and_says_what_is_right(pytester: pytest.Pytester, marker: str) -> None:
    done = run(pytester, f"@pytest.mark.{marker}\ndef test_one(): pass\n")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*write @pytest.mark.ptxlab(sanitize=False), or True*"])


def test_a_call_decides_for_itself(pytester: pytest.Pytester) -> None:
    tests = "def test_one():\n    px.simulate(racing, grid=1, args=[OUT], sanitize=False)\n"
    run(pytester, tests, "--ptxlab-sanitize").assert_outcomes(passed=1)


def test_a_test_may_look_at_its_findings_itself(pytester: pytest.Pytester) -> None:
    tests = """
def test_one(ptxlab_findings):
    assert ptxlab_findings == []
    px.simulate(racing, grid=1, args=[OUT])
    assert [d.code for d in ptxlab_findings] == ["PTX9200"]

def test_the_next_one(ptxlab_findings):
    assert ptxlab_findings == []
"""
    run(pytester, tests, "--ptxlab-sanitize").assert_outcomes(passed=2)


def test_fixtures_are_watched_too(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.fixture
def before():
    px.simulate(racing, grid=1, args=[OUT])

@pytest.fixture
def behind():
    yield
    px.simulate(racing, grid=1, args=[OUT])

def test_one(before): pass
def test_two(behind): pass
"""
    run(pytester, tests, "--ptxlab-sanitize").assert_outcomes(errors=2, passed=1)


def test_findings_are_shown_beside_another_failure(pytester: pytest.Pytester) -> None:
    tests = "def test_one():\n    px.simulate(racing, grid=1, args=[OUT])\n    assert OUT.sum() == 1\n"
    done = run(pytester, tests, "--ptxlab-sanitize")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*assert OUT.sum() == 1*", "*findings*", "*error[[]PTX9200]*"])


def test_the_same_finding_is_said_once(pytester: pytest.Pytester) -> None:
    tests = "def test_one():\n    for _ in range(3): px.simulate(racing, grid=1, args=[OUT])\n"
    done = run(pytester, tests, "--ptxlab-sanitize")
    done.stdout.fnmatch_lines(["PTX*: 1 finding in simulated launches of this test"])


def test_it_is_an_entry_point_that_our_own_tests_do_without(pytestconfig: pytest.Config) -> None:
    root = Path(__file__).parents[3]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    (module,) = project["project"]["entry-points"]["pytest11"].values()
    assert importlib.util.find_spec(module) is not None
    assert not pytestconfig.pluginmanager.hasplugin("ptxlab")


SUPPRESSED = KERNELS.replace(
    "    k.st.shared.b32(row.at(i * 4), i)", "    k.st.shared.b32(row.at(i * 4), i)  # ptxlab: ignore[PTX9200]: why"
)
HALF = """
def test_needed():
    racing[1](OUT)

def test_one_warp_races_with_nobody():
    with pytest.warns(px.PtxWarning, match="PTX9280"):
        right[1](OUT)
"""


@pytest.mark.parametrize("words", [(), ("-p", "xdist.plugin", "-n2")], ids=["one process", "two processes"])
def test_suppressions_that_no_test_needs_are_listed(pytester: pytest.Pytester, words: tuple[str, ...]) -> None:
    pytester.makepyfile(SUPPRESSED + HALF)
    done = pytester.runpytest_inprocess(*PLUGIN, "--ptxlab-sanitize", *words)
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["*suppressions that no launch needs*", "warning[[]PTX9280]*"])
    assert done.stdout.str().count("warning[PTX9280]") == 1  # of `right`: that of `racing` is needed


def test_a_suppression_that_one_test_needs_is_not_listed(pytester: pytest.Pytester) -> None:
    tests = """
@px.kernel(threads=64)
def sometimes(k, out: px.Ptr[px.b32], *, race):
    row = k.smem(px.b32, 64)
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)  # ptxlab: ignore[PTX9200]: why
    if not race:
        k.bar.sync(0)
    k.st.global_.b32(out.at(i * 4), k.ld.shared.b32(row.at((i ^ 32) * 4)))

@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
@pytest.mark.parametrize("race", [True, False])
def test_one(race):
    sometimes[1](OUT, race=race)
"""
    done = run(pytester, tests, "--ptxlab-sanitize")
    done.assert_outcomes(passed=2)
    assert "PTX9280" not in done.stdout.str()


STRICT = """
import pytest
from ptxlab.abi.sanitizing import wanted

@pytest.mark.ptxlab(sanitize="strict")
def test_strict():
    assert wanted() == "strict"

@pytest.mark.ptxlab(sanitize="late")
def test_neither():
    pass
"""


def test_a_marker_asks_for_the_model_to_the_letter(pytester: pytest.Pytester) -> None:
    done = run(pytester, STRICT)
    done.assert_outcomes(passed=1, errors=1)
    done.stdout.fnmatch_lines(['*write @pytest.mark.ptxlab(sanitize=False), or True, or "strict"'])


def test_ptxlab_may_be_imported_before_pytest(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest looks for packages with plugins that it can no longer rewrite, among them ptxlab where it is installed."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.setenv("PYTHONPATH", str(Path(px.__file__).parents[1]))
    test = pytester.makepyfile("def test_nothing(): pass")
    run = pytester.makepyfile(run=f"import ptxlab, pytest; pytest.main([{str(test)!r}])")
    result = pytester.runpython(run)
    result.assert_outcomes(passed=1)
    assert not [line for line in result.outlines if "rewritten" in line and line.endswith(" ptxlab")]


JUDGED = """
SPEC = px.Spec(lambda: px.case([px.Output("u32", 64)], grid=1))

def reference():
    return np.arange(64, dtype=np.uint32) ^ 32

def test_equal(ptx_verify):
    assert ptx_verify(right, reference, SPEC, seed=1).verdict == "equal"

def test_races(ptx_verify):
    ptx_verify(racing, reference, SPEC, seed=1)

def test_wrong(ptx_verify):
    ptx_verify(right, lambda: reference() + 1, SPEC, seed=1)

def test_proved(ptx_certify):
    assert ptx_certify(right, grid=1, args=[OUT]).any_data

def test_not_proved(ptx_certify):
    ptx_certify(racing, grid=1, args=[OUT])
"""


def test_fixtures_that_judge_and_certify(pytester: pytest.Pytester) -> None:
    result = run(pytester, JUDGED)
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        ["racing: races (1 runs, seed=1)", "right: wrong (1 runs, seed=1)", "not proved: another schedule of racing*"]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_report_of_each_test_that_launches(pytester: pytest.Pytester) -> None:
    result = run(pytester, JUDGED + TESTS_THAT_LAUNCH, "--ptx-report=found", "--ptxlab-sanitize")
    assert result.ret == 1
    written = {p.stem.rpartition("py-")[2]: json.loads(p.read_text()) for p in (pytester.path / "found").glob("*.json")}
    assert set(written) == {"test_equal", "test_races", "test_wrong", "test_proved", "test_not_proved", "test_finds"}
    assert {one["version"] for one in written.values()} == {1}
    assert [v["verdict"] for v in written["test_races"]["verdicts"]] == ["races"]
    assert written["test_races"]["verdicts"][0]["cause"]["code"] == "PTX9200"
    assert written["test_not_proved"]["certificates"][0]["reasons"][0]["code"] == "PTX9200"
    found = written["test_finds"]
    assert (found["launches"], [d["code"] for d in found["findings"]]) == (1, ["PTX9200"])
    assert found["test"].endswith("::test_finds")


TESTS_THAT_LAUNCH = """
def test_finds(ptxlab_findings):
    px.simulate(racing, grid=1, args=[OUT])

def test_launches_nothing():
    pass
"""
