"""The page of a finding shows it: its faulty kernel gives exactly that finding, under every schedule, and its repaired one none."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import ptxlab as px
from ptxlab.diag import CODES, Diagnostic, page, sections
from ptxlab.diag.causes import with_consequences
from ptxlab.launch.compared import Comparison
from ptxlab.launch.explored import Exploration
from ptxlab.verification.verdict import Verification

sys.path.insert(0, str(Path(__file__).parent))
from pages import Block, Session, blocks, check

pytestmark = pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")  # lints that see the mistake, too

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "findings"
PAGES = sorted(FOLDER.glob("PTX*.md"))
SCHEDULES = (("eager", 0), ("late", 0), ("random", 5))
PLACE = re.compile(r"^ +--> ([^:\s]+):(\d+)(?::\d+)?$", re.MULTILINE)
BESIDES = {
    "PTX9271": ["PTX9101"],
    "PTX9272": ["PTX9240"],
    "stale-poll": ["PTX9029"],
}
"""Findings that are told only beside what comes of them, or beside their cause: by code, or by the cause of a hang."""
EAGER = {"copy-too-early"}
"""Causes whose kernels hang under `eager` alone."""


def _examples() -> list[tuple[str, str, str]]:
    """(code, cause, text) of every example: of a page with one for each cause of a hang, and of the others, whose cause is ""."""
    out: list[tuple[str, str, str]] = []
    for file in PAGES:
        causes = sections(file.stem) or {"": file.read_text(encoding="utf-8")}
        out += [(file.stem, cause, text) for cause, text in causes.items()]
    return out


EXAMPLES = _examples()
RUNS = [
    pytest.param(code, cause, text, s, id="-".join(filter(None, (code, cause, s[0]))))
    for code, cause, text in EXAMPLES
    for s in SCHEDULES
    if s[0] == "eager" or (cause not in EAGER and not re.search(r"px\.(explore|compare|verify)\(", text))
]
"""Every example under each schedule; `px.explore`, `px.compare` and `px.verify` have schedules of their own."""
CHANGED = 4  # lines that a repair adds or takes away, at most


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[Diagnostic]:
    """What the launches of a page find, under the schedule that the test asks for; a launch that stops counts, too."""
    schedule, seed = request.param
    out: list[Diagnostic] = []

    def scheduled(run: Any) -> Any:
        def noting(*args: Any, **options: Any) -> Any:
            try:
                reports = run(*args, **options, schedule=schedule, seed=seed)
            except Diagnostic as stop:
                out.extend([stop, *stop.also])
                raise
            for report in reports if isinstance(reports, list) else [reports]:
                out.extend(report.findings)
            return reports

        return noting

    def noted(make: Any) -> Any:
        def made(*args: Any, **values: Any) -> Any:
            result = make(*args, **values)
            out.extend(result.findings)
            return result

        return made

    for run in (px.simulate, px.synchronize):
        monkeypatch.setattr(px, run.__name__, scheduled(run))
    # behind px.explore, px.compare and px.verify, which look who calls them
    monkeypatch.setattr(import_module("ptxlab.launch.explore"), "Exploration", noted(Exploration))
    monkeypatch.setattr(import_module("ptxlab.launch.compare"), "Comparison", noted(Comparison))
    monkeypatch.setattr(import_module("ptxlab.verification.judge"), "Verification", noted(Verification))
    return out


def _parts(text: str) -> tuple[list[Block], str, Block]:
    """The blocks of the faulty kernel, what they print, and the repair."""
    found = blocks(text)
    (repair,) = [i for i, block in enumerate(found) if block.info[0] == "diff"]
    (output,) = [block.text for block in found[:repair] if block.info == ("text",)]
    return [block for block in found[:repair] if block.info[0] in ("python", "ptx")], output, found[repair]


@pytest.mark.parametrize(("code", "cause", "text", "found"), RUNS, indirect=["found"])
def test_the_faulty_kernel_gives_the_finding_and_the_repaired_one_none(
    code: str, cause: str, text: str, found: list[Diagnostic], tmp_path: Path
) -> None:
    faulty, output, repair = _parts(text)
    session = Session(tmp_path)
    for block in faulty:
        session.run(block)
    told = "\n".join(map(str, found)) or f"nothing finds {code}: the faulty kernel of its page runs without a finding"
    assert sorted(d.code for d in found) == sorted([code, *BESIDES.get(cause or code, ())]), told
    if cause:
        graph = found[0].wait_graph
        assert graph is not None
        assert graph["causes"][0]["rule"] == cause
        assert f"an example and its repair: ptxlab explain {code} {cause}" in str(found[0])
    spans = [span for d in with_consequences(found) for span in (d.span, d.origin, d.other, d.other_origin)]
    places = {(Path(s.file).name, s.line) for s in spans if s is not None}
    printed = {(name, int(line)) for name, line in PLACE.findall(output)}
    assert printed == places or (cause and not printed)  # most examples of a cause print that alone
    found.clear()
    session.run(repair)
    assert [str(d) for d in found] == []


@pytest.mark.parametrize("file", PAGES, ids=lambda p: p.stem)
def test_code_prints_what_the_page_says(file: Path, tmp_path: Path) -> None:
    assert check(file, tmp_path) >= 2


@pytest.mark.parametrize("file", PAGES, ids=lambda p: p.stem)
def test_its_head_is_that_of_the_code(file: Path) -> None:
    code = CODES[file.stem]
    head = f"# {code.code}: {code.slug}\n\n{code.title}\n\n"
    assert file.read_text(encoding="utf-8").startswith(head), f"begin {file.name} as diag/codes.py names it:\n{head}"
    assert page(file.stem) == file


@pytest.mark.parametrize(("code", "cause", "text"), EXAMPLES)
def test_the_repair_is_small(code: str, cause: str, text: str) -> None:
    *_, repair = _parts(text)
    assert 0 < sum(line[0] in "+-" for line in repair.text.splitlines() if line) <= CHANGED


def test_every_cause_of_a_hang_has_an_example() -> None:
    """Those of the table in the explanation; `blocked` says to look at another wait."""
    text = (FOLDER.parent / "explanation" / "hangs.md").read_text(encoding="utf-8")
    table = text.partition("| rule | what was found |")[2].partition("\n\n")[0]
    named = {rule for row in table.splitlines()[2:] for rule in re.findall(r"`([a-z-]+)`", row.split("|")[1])}
    assert named - {"blocked"} == {cause for _, cause, _ in EXAMPLES if cause}


def test_every_code_of_the_sanitizer_has_a_page() -> None:
    lacking = {code for code in CODES if "PTX92" < code < "PTX93"} - {p.stem for p in PAGES}
    assert not lacking, (
        f"write docs/findings/{min(lacking)}.md: a kernel with the mistake, what it prints, and the repair"
    )
