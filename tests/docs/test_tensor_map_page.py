"""The page on the tensor map: its blocks run, and its tables say what the code has."""

from __future__ import annotations

import re
from pathlib import Path

from pages import check

from ptxlab.bench import records
from ptxlab.diag import CODES
from ptxlab.layout import tensormap_fields as f
from tools.tensormaps.calls import RECORD

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "tensor-map.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROW = re.compile(r"^\| `?([A-Z0-9_\[\]]+|–)`? \| (\d+)(?:–(\d+))? \|", re.MULTILINE)


def _fields() -> dict[str, f.Field]:
    out: dict[str, f.Field] = {}
    for name, value in vars(f).items():
        if isinstance(value, f.Field):
            out[name] = value
        elif isinstance(value, tuple) and value and all(isinstance(v, f.Field) for v in value):
            out |= {f"{name}[{i}]": v for i, v in enumerate(value)}
    return out


def test_code_prints_what_the_page_says(tmp_path: Path) -> None:
    check(PAGE, tmp_path)


def test_the_tables_have_every_field_at_its_place() -> None:
    rows = ROW.findall(TEXT)
    said = {name: f.Field(int(low), int(high or low) - int(low) + 1) for name, low, high in rows if name != "–"}
    assert said == _fields()


def test_the_tables_leave_no_bit_out() -> None:
    seen = 0
    for _, low, high in ROW.findall(TEXT):
        seen |= (1 << int(high or low) + 1) - (1 << int(low))
    assert seen == (1 << 1024) - 1


def test_the_codes_of_element_types() -> None:
    for t in f.ELEMENT_TYPES.values():
        row = next(line for line in TEXT.splitlines() if re.search(rf"^\| \d.*[| ]{t.name}[ |]", line))
        codes, names = re.findall(r"\d+", row.split("|")[1]), row.split("|")[2].replace("(", " ").split()
        assert codes[names.index(t.name)] == str(t.code)
        assert ("`TF32`" in row.split("|")[1]) == t.tf32


def test_the_rules_are_all_there() -> None:
    refused = TEXT.partition("## What the driver refuses")[2].partition("\n## ")[0]
    mine = {code for code in CODES if "PTX2100" <= code <= "PTX2115"} - {"PTX2112"}
    assert set(re.findall(r"PTX21\d\d", refused)) == mine


def test_the_numbers_of_calls_are_those_of_the_record() -> None:
    runs = records.read(RECORD)
    calls = sum(run["calls"] for run in runs)
    accepted = sum(n["accepted"] for run in runs for n in run["entries"].values())
    assert f"{calls:,} fresh ones, {round(accepted, -3):,} of them accepted" in TEXT
    assert runs[-1]["driver"] in TEXT


def test_its_picture_is_there() -> None:
    targets = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", TEXT)
    assert targets
    assert all((PAGE.parent / target).exists() for target in targets)
