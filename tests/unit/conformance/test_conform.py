"""What the conformance runner counts and shows, with devices and records made for the purpose."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptxlab.conformance.kernels import digests
from ptxlab.conformance.micro import run as micros
from ptxlab.conformance.micro.kernel import Column, Micro
from ptxlab.conformance.programs.tree import FAMILY
from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.record.results import NO_DETAILS, Difference
from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.probes import Probe
from ptxlab.conformance.runner import conform, suites
from ptxlab.conformance.runner.conform import Options, compare, part
from ptxlab.conformance.runner.suites import FUNCTIONS, KERNELS, SUITES, Checked, Unit, cases_of, families
from ptxlab.diag import Diagnostic
from tools.coverage import LEAST
from tools.record.compact import digested

KEYS = ("bar.red.popc bar.red.popc.u32", "nanosleep nanosleep.u32 %few")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A record of two micro-kernels that the simulator itself wrote."""
    chosen = list(micros.named(KEYS).values())
    ran = micros.run(rows.simulator, chosen, 3)
    golden.write(Golden(gpu="Chip", seed=3, results=ran.results, operands=ran.operands), tmp_path / "micro.npz")
    return tmp_path


def changed(folder: Path, key: str, lane: int) -> None:
    """Change what the chip wrote in one lane of the first column."""
    path = folder / "micro.npz"
    found = golden.read(path)
    other = found.results[key].copy()
    other[4 * lane] ^= 1
    golden.write(replace(found, results={**found.results, key: other}), path)


def options(folder: Path, **more: Any) -> Options:
    return Options(full=True, folder=folder, workers=1, **more)


def test_equal_results_are_counted_and_nothing_is_shown(folder: Path) -> None:
    found = compare(options(folder))
    assert (found.cases, found.different) == (2 * 512, 0)
    assert found.checked.tallies["control"] == suites.Tally(instances=2, cases=1024, different=0)
    assert found.checked.differences == []
    assert found.against.startswith("Chip")


def test_a_difference_names_instance_operands_and_both_results(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(folder, KEYS[1], lane=7)
    found = compare(options(folder))
    assert (found.cases, found.different) == (1024, 1)
    ((family, shown),) = found.checked.differences
    micro = micros.named(KEYS)[KEYS[1]]
    a, b = (int(c.values(512, 3, KEYS[1])[7]) for c in micro.inputs)
    assert (family, shown.text, shown.count, shown.of) == ("control", "nanosleep.u32 %few", 1, 512)
    assert f"lane 7: a={a:#010x} b={b:#010x}" in shown.examples[0]
    assert f"chip d={(a ^ b) ^ 1:#010x}, simulator d={a ^ b:#010x}" in shown.examples[0]
    assert conform.main(options(folder), json_=True) == 1
    assert json.loads(capsys.readouterr().out)["differences"][0]["family"] == "control"


def test_what_the_sanitizer_finds_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a warning in one of two micro-kernels and an error in the other, neither of which shows in the results."""
    known = micros.named

    def changed_kernels(keys: Iterable[str]) -> dict[str, Micro]:
        first, second = known(KEYS).values()
        doubtful = replace(first, body=f"// ptxlab: ignore[PTX9200]: nothing races\n{first.body}")
        race = replace(second, shared=16, body=f"{second.body} st.shared.b32 [%mem], %t;")
        return {m.key: m for m in (doubtful, race) if m.key in keys}

    assert compare(options(folder, sanitized=True)).checked.findings == []
    monkeypatch.setattr(micros, "named", changed_kernels)
    assert not compare(options(folder)).wrong
    found = compare(options(folder, sanitized=True))
    told = {f.unit: f.text.split("]")[0] for _, f in found.checked.findings}
    assert told == {KEYS[0]: "warning[PTX9280", KEYS[1]: "error[PTX9204"}
    assert found.different == 0
    assert conform.main(options(folder, sanitized=True)) == 1
    assert "findings" in capsys.readouterr().out


def test_a_table_and_a_line_hold_the_same_numbers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(folder, KEYS[0], lane=0)
    jsonl = folder / "lines.jsonl"
    assert conform.main(options(folder), jsonl=jsonl) == 1
    shown = capsys.readouterr().out
    assert "1,024" in shown
    assert "1,023" in shown
    line = json.loads(jsonl.read_text())
    assert (line["cases"], line["different"], line["families"]["control"]["different"]) == (1024, 1, 1)


def test_other_operands_are_no_other_meaning(folder: Path) -> None:
    path = folder / "micro.npz"
    found = golden.read(path)
    golden.write(replace(found, operands=dict.fromkeys(found.operands, 1)), path)
    with pytest.raises(Diagnostic, match="operands"):
        compare(options(folder))


def test_families_are_chosen_by_name(folder: Path) -> None:
    assert compare(options(folder, families=("warp",))).cases == 0
    assert compare(options(folder, families=("control",))).cases == 1024
    with pytest.raises(Diagnostic, match="no file of isa"):
        compare(options(folder, families=("controll",)))


def test_a_folder_without_records_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="no record"):
        compare(options(tmp_path))


def test_processes_find_what_one_finds(folder: Path) -> None:
    changed(folder, KEYS[1], lane=7)
    one, two = (compare(replace(options(folder), workers=n)) for n in (1, 2))
    assert one.checked.tallies == two.checked.tallies
    assert one.checked.differences == two.checked.differences


def test_a_compact_record_finds_the_same_differences_without_their_details(folder: Path) -> None:
    changed(folder, KEYS[1], lane=7)
    path = folder / "micro.npz"
    golden.write(digested(golden.read(path)), path)
    found = compare(options(folder))
    assert found.checked.tallies["control"] == suites.Tally(instances=2, cases=1024, different=512)
    assert [(f, d.key, d.examples) for f, d in found.checked.differences] == [("control", KEYS[1], (NO_DETAILS,))]


def test_a_part_has_units_of_every_family_and_depends_on_the_seed() -> None:
    units = [Unit(f"{f}{i}", f, 1) for f in ("a", "b") for i in range(40)]
    drawn = part(units, 10, seed=1)
    assert sorted(u.family for u in drawn) == ["a"] * 4 + ["b"] * 4
    assert drawn == part(units, 10, seed=1) != part(units, 10, seed=2)
    assert part(units[:1], 10, seed=0) == units[:1]


def test_what_the_simulator_refuses_differs_in_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = KEYS

    def check(names: list[str], found: Golden) -> Checked:
        if bad in names:
            raise Diagnostic("PTX9014", "Not this.")
        out = Checked()
        out.count("control", 512)
        return out

    monkeypatch.setitem(SUITES, "micro", replace(SUITES["micro"], check=check))
    blank = {k: np.zeros(1, np.uint8) for k in KEYS}
    found = conform._check(conform.Chunk("micro", KEYS, Golden(results=blank, operands=dict.fromkeys(KEYS, 0))))  # pyright: ignore[reportPrivateUsage]
    assert found.tallies["control"] == suites.Tally(2, 1024, 512)
    assert found.differences == [("control", Difference(bad, bad, 512, 512, ("the simulator stops: Not this.",)))]
    assert good not in str(found.differences)


def test_cases_are_operand_vectors() -> None:
    assert cases_of(Probe.of_key("add add.u32")) == 512
    assert cases_of(Probe.of_key("redux.sync.bits redux.sync.and.b32")) == 16
    assert cases_of(Probe.of_key("movmatrix movmatrix.sync.aligned.m8n8.trans.b16")) == 16


def test_every_file_with_cases_has_enough_of_them() -> None:
    least = dict.fromkeys([*families(), FAMILY, FUNCTIONS, KERNELS], 0)
    for suite in SUITES.values():
        for unit in suite.units():
            if unit.family:
                least[unit.family] += unit.cases
    few = {f for f, n in least.items() if n < LEAST}
    # the suite of the first three counts as it runs: see the record beside tests of tma; kernels are no file of isa/rows/, and
    # multimem needs GPUs whose switch multicasts
    assert few == {"tensor", "reduce", "tensormap", "multimem", KERNELS}


def test_what_no_record_holds_yet_is_counted_and_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(options(folder, families=("control", "warp")))
    every = [m for m in micros.micros().values() if m.family == "control"]
    assert set(found.waiting) == {"control", "warp"}
    assert found.waiting["control"] == sum(m.cases for m in every if m.key not in KEYS)
    assert conform.main(options(folder, families=("control",))) == 0
    shown = capsys.readouterr().out
    assert "not recorded" in shown
    assert f"{found.waiting['control']:,}" in shown


def test_a_kernel_with_another_digest_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = {k: v for k, v in digests.read().digests.items() if k.startswith("swizzled_tile")}
    names = list(right)[:2]
    wrong = {**right, names[1]: right[names[1]][:-1] + ("0" if right[names[1]][-1] != "0" else "1")}
    monkeypatch.setattr(digests, "read", lambda: digests.Record(gpu="Chip", digests=wrong))
    own = tmp_path / "tests" / "conformance" / "h100"
    own.mkdir(parents=True)
    suite = SUITES[KERNELS]
    assert suite.read(tmp_path) is None
    recorded = suite.read(own)
    assert recorded is not None
    found = suite.check(names, recorded)
    assert found.tallies[KERNELS] == suites.Tally(2, 2, 1)
    assert [d.key for _, d in found.differences] == names[1:]
    assert compare(Options(full=True, folder=own, workers=1, families=(KERNELS,))).different == 1


def test_columns_lie_as_their_type_says() -> None:
    column = Column("x", "b16", below=5, same=4)
    values = column.values(8, "label")
    assert len(set(values[:4].tolist())) == 1
    assert values.max() < 5
    assert column.stored(values).nbytes == 16
    assert column.shown(column.stored(values), 5) == f"x={int(values[5]):#06x}"
    assert set(Column("p", "pred").values(64, 0).tolist()) == {0, 1}


def test_a_case_of_a_warp_differs_once() -> None:
    micro = Micro("warp", "row", "text", (), (Column("d", "b32"),), "", lanes=128, per=32)
    chip = np.zeros(512, np.uint8)
    ours = chip.copy()
    ours[0:40] = 1  # ten lanes of the first warp
    found = micros.differences(
        Golden(seed=0, results={micro.key: chip}), rows.Ran({micro.key: ours}, {micro.key: 0}), [micro]
    )
    assert [(d.count, d.of) for d in found] == [(1, 4)]


def test_a_function_with_another_digest_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = SUITES[FUNCTIONS]
    own = tmp_path / "tests" / "conformance" / "h100"
    own.mkdir(parents=True)
    assert suite.read(tmp_path) is None
    recorded = suite.read(own)
    assert recorded is not None
    names = ["ex2.approx.f16 all 0", "tanh.approx.bf16x2 all 0"]
    right = suite.check(names, recorded.part(names))
    assert right.tallies[FUNCTIONS] == suites.Tally(2, 2 << 16, 0)
    wrong = replace(recorded, results={**recorded.results, names[1]: recorded.results[names[0]]})
    found = suite.check(names, wrong.part(names))
    assert found.tallies[FUNCTIONS] == suites.Tally(2, 2 << 16, 1 << 16)
    assert [d.key for _, d in found.differences] == names[1:]


def test_all_results_of_functions_are_compared_only_where_they_are_named() -> None:
    everything = conform._from_record(Options(full=True), 0, golden.COMPACT)  # pyright: ignore[reportPrivateUsage]
    named = conform._from_record(Options(full=True, families=(FUNCTIONS,)), 0, golden.COMPACT)  # pyright: ignore[reportPrivateUsage]
    some, every = (sum(len(c.names) for c in chunks if c.suite == FUNCTIONS) for chunks in (everything, named))
    assert 0 < some < 100
    assert every == len(SUITES[FUNCTIONS].units())


def test_a_gpu_runs_some_binades_of_functions_and_all_that_is_drawn() -> None:
    units = SUITES[FUNCTIONS].on_gpu(())
    assert 100 < len(units) < 400
    assert all(u in units for u in SUITES[FUNCTIONS].units() if " drawn " in u.name or " all " in u.name)
    assert {u.name.split()[0] for u in units} == {u.name.split()[0] for u in SUITES[FUNCTIONS].units()}
