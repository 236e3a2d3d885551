"""Recording and holding a GPU to a record, with a device made for the purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.chip import Chip
from ptxlab.conformance.record.golden import COMPACT, Golden
from ptxlab.conformance.record.results import Ran
from ptxlab.conformance.runner.suites import SUITES, Unit
from ptxlab.cuda import driver
from ptxlab.diag import Diagnostic
from tools.record import __main__ as commands
from tools.record import compact
from tools.record import suites as recording

CHIP = Chip("Chip", "580", "13.0", "13.1", "day")


def constant(names: Sequence[str], seed: int) -> Ran:
    """A GPU whose results are the seed."""
    return Ran({n: np.array([seed], np.uint8) for n in names}, dict.fromkeys(names, 0))


UNITS = {
    "rows": [Unit("add", "arith", 2), Unit("shfl", "warp", 1)],
    "micro": [Unit("vote", "warp", 4), Unit("bar", "control", 1)],
}


WHOLE = Path(__file__).parents[2] / "conformance" / "h100"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for records, on a machine whose GPU does almost nothing, and of few units."""
    monkeypatch.setattr(recording, "hopper", lambda: CHIP)
    for name, suite in SUITES.items():
        units = UNITS.get(name, [])
        monkeypatch.setitem(SUITES, name, replace(suite, gpu=constant, units=lambda units=units: units))
    return tmp_path


def test_a_recording_holds_every_unit_and_goes_on_where_it_was(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = Golden(**asdict(CHIP), seed=3, results={"bar": np.zeros(1, np.uint8)}, operands={"bar": 0})
    golden.write(begun, folder / "micro.npz")
    assert commands.main(["suites", str(folder), "--family", "warp"]) == 0
    assert "complete" in capsys.readouterr().out
    micro, rows = (golden.read(folder / f"{name}.npz") for name in ("micro", "rows"))
    assert {k: v.tolist() for k, v in micro.results.items()} == {"bar": [0], "vote": [3]}
    assert {k: v.tolist() for k, v in rows.results.items()} == {"shfl": [0]}
    assert rows.versions == CHIP.versions


def test_a_recording_stops_after_its_time(folder: Path) -> None:
    assert not recording.record(folder, limit=0).complete
    assert recording.record(folder).complete
    assert set(golden.read(folder / "rows.npz").results) == {"add", "shfl"}


def test_beside_another_record_digests_of_what_that_one_lacks_are_kept(folder: Path) -> None:
    assert recording.record(folder, named=("arith",)).complete
    held = golden.read(folder / "rows.npz").keys
    later = folder.parent / "later"
    later.mkdir()
    assert recording.record(later, beside=folder).complete
    assert recording.record(later, beside=folder).complete
    found = golden.read(later / "rows.npz")
    assert not found.results
    assert set(found.digests) == {"add", "shfl"} - set(held)
    assert found.digests


def test_a_gpu_is_held_to_a_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["suites", str(folder)]) == 0
    assert commands.main(["again", str(folder)]) == 0
    found = golden.read(folder / "micro.npz")
    golden.write(replace(found, results={**found.results, "vote": np.ones(1, np.uint8)}), folder / "micro.npz")
    capsys.readouterr()
    assert commands.main(["again", str(folder)]) == 1
    shown = capsys.readouterr().out
    assert "micro: vote" in shown
    assert "4 results, 1 differ" in shown
    assert commands.main(["again", str(folder), "--family", "arith"]) == 0


def test_without_a_hopper_nothing_is_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Turing:
        name, capability, driver = "a T4", (7, 5), (13, 0)

    monkeypatch.setattr(driver, "device", Turing)
    assert commands.main(["tma", str(tmp_path / "tma.npz")]) == 1
    assert commands.main(["addresses", str(tmp_path / "addresses.json")]) == 1
    assert commands.main(["digests", str(tmp_path / "digests.json")]) == 1
    assert commands.main(["suites", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("PTX2423") == 4
    assert list(tmp_path.iterdir()) == []


def test_results_that_vary_are_named_and_left_out() -> None:
    turns = iter(range(2))

    def gpu(names: Any, seed: int) -> Ran:
        turn = next(turns)
        return Ran({n: np.array([turn if n == "b" else 7], np.uint8) for n in names}, dict.fromkeys(names, 0))

    suite = replace(SUITES["micro"], gpu=gpu)
    unsteady: list[str] = []
    made = recording.recorded(suite, ("a", "b"), Golden(seed=5), unsteady)
    assert (list(made.results), list(made.operands), unsteady) == (["a"], ["a"], ["b"])


def test_families_are_added_to_a_record_of_the_same_machine_alone() -> None:
    old = Golden("H100", "580", "13.0", "13.1", "day", 0, {"k": np.zeros(1, np.uint8)}, {"k": 0})
    same, other = (
        replace(old, results={}, operands={}, date="later"),
        replace(old, ptxas="13.2", results={}, operands={}),
    )
    where = Path("micro.npz")
    assert recording.resumed(old, same, where, adding=True) is old
    assert recording.resumed(old, other, where, adding=False) is other
    with pytest.raises(Diagnostic, match="do not belong into it") as caught:
        recording.resumed(old, other, where, adding=True)
    assert caught.value.code == "PTX2500"


@pytest.mark.parametrize(
    ("ptxas", "goes_on"), [("13.1.80", True), ("13.0.88", True), ("13.1.8", False), ("13.2.86", False)]
)
def test_a_record_of_several_releases_goes_on_with_each_of_them(ptxas: str, goes_on: bool) -> None:
    old = Golden(
        "H200", "580", "13.0", "13.0.88 (video), 13.1.80", "day", 0, digests={"k": b"12345678"}, operands={"k": 0}
    )
    fresh = replace(old, ptxas=ptxas, digests={}, operands={})
    if goes_on:
        assert recording.resumed(old, fresh, Path("micro.npz"), adding=False) is old
    else:
        with pytest.raises(Diagnostic, match="do not belong into it"):
            recording.resumed(old, fresh, Path("micro.npz"), adding=False)


def test_the_packages_record_is_made_of_the_checkouts() -> None:
    for name, wanted in compact.made(WHOLE).items():
        found = golden.read(COMPACT / f"{name}.npz")
        assert found.provenance == wanted.provenance, f"python -m tools.record compact: {name}"
        assert found.digests == wanted.digests
        assert found.operands == wanted.operands
        assert {k: v.tobytes() for k, v in found.results.items()} == {k: v.tobytes() for k, v in wanted.results.items()}
    assert (COMPACT / "addresses.json").read_bytes() == (WHOLE / "addresses.json").read_bytes()


def test_the_packages_record_holds_every_exact_result_and_no_more_than_it_must() -> None:
    for name in ("rows", "micro", "tma"):
        whole, small = golden.read(WHOLE / f"{name}.npz"), golden.read(COMPACT / f"{name}.npz")
        assert set(small.keys) == set(whole.results)
        assert all(small.same(k, v) for k, v in whole.results.items())
        assert not any(small.same(k, v ^ np.uint8(1)) for k, v in whole.results.items())
    assert sum(p.stat().st_size for p in COMPACT.iterdir()) < 400 << 10
