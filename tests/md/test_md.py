"""PTX in Markdown with what is expected of each line, which pins the words of the diagnostics.

A block ```` ```ptx ```` is checked as a module when it begins with `.version`, else as the body of a kernel that declares
the registers and the buffer of `_PRELUDE`. Words behind `ptx` set `target=`, `version=` and `lints` (else none are asked
for in a body); directives go into a line `// directives: .reqntid 128`. In front of a line stand the findings in it:

    // error: [PTX0212] the message, word for word
    // help: the help line

In all blocks exactly these findings must come. ptxas is asked too, where it is installed: it must reject the blocks with
an error, and take the others. `unasked=reason` leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import oracle
import pytest

from ptxlab.checks import check
from ptxlab.diag import Diagnostic

_HERE = Path(__file__).parent
_FENCE = re.compile(r"^```ptx(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_EXPECTED = re.compile(r"\s*// (?P<severity>error|warning|lint|note): \[(?P<code>PTX\d{4})\] (?P<message>.+)")
_HELP = re.compile(r"\s*// help: (?P<help>.+)")
_DIRECTIVES = re.compile(r"\s*// directives: (?P<text>.+)")
_PRELUDE = (
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<136>; .reg .f64 %fd<9>; "
    ".reg .u64 %ud<4>; "
    ".shared .align 128 .b8 buffer[4096];"
)


@dataclass(frozen=True)
class _Finding:
    line: int
    severity: str
    code: str
    message: str
    help: str


@dataclass
class Case:
    """A block: the module to check, and what must be found."""

    name: str
    words: dict[str, str]
    source: str
    expected: list[_Finding] = field(default_factory=list)

    @property
    def target(self) -> str:
        return self.words.get("target", "sm_90a")


def _cases() -> Iterator[Case]:
    for path in sorted(_HERE.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield _case(f"{path.stem}:{line}", found["words"].split(), found["text"])


def _case(name: str, words: list[str], text: str) -> Case:
    options = dict(w.split("=", 1) if "=" in w else (w, "") for w in words)
    whole = text.lstrip().startswith(".version")
    directives = next((d["text"] for d in map(_DIRECTIVES.fullmatch, text.splitlines()) if d), "")
    head = (
        []
        if whole
        else [
            f".version {options.get('version', '9.0')}",
            f".target {options.get('target', 'sm_90a')}",
            ".address_size 64",
            f".visible .entry k(.param .u64 a) {directives}",
            "{",
            _PRELUDE,
        ]
    )
    tail = [] if whole else ["ret;", "}"]
    case = Case(name, options, "\n".join([*head, *text.splitlines(), *tail, ""]))
    case.expected = list(_expected(text.splitlines(), len(head)))
    return case


def _expected(lines: list[str], shift: int) -> Iterator[_Finding]:
    """The findings that stand in front of a line are of the next line that has something else in it."""
    waiting: list[tuple[str, str, str, str]] = []
    for number, line in enumerate(lines, 1):
        if found := _EXPECTED.fullmatch(line):
            waiting.append((found["severity"], found["code"], found["message"], ""))
        elif found := _HELP.fullmatch(line):
            waiting[-1] = (*waiting[-1][:3], found["help"])
        elif line.strip():
            for one in waiting:
                yield _Finding(number + shift, *one)
            waiting = []
    assert not waiting, "an expectation has no line behind it"


_CASES = list(_cases())


def _shown(d: Diagnostic) -> _Finding:
    return _Finding(d.span.line if d.span else 0, str(d.severity), d.code, d.message, d.help or "")


@pytest.mark.parametrize("case", _CASES, ids=lambda c: c.name)
def test_findings(case: Case) -> None:
    lints = "lints" in case.words
    found = sorted((_shown(d) for d in check(case.source, lints=lints)), key=lambda f: (f.line, f.code))
    assert found == sorted(case.expected, key=lambda f: (f.line, f.code))


@pytest.mark.ptxas
@pytest.mark.parametrize("case", [c for c in _CASES if "unasked" not in c.words], ids=lambda c: c.name)
def test_ptxas_agrees(case: Case) -> None:
    reason = oracle.why_not()
    if reason is not None:
        pytest.skip(reason)
    said = oracle.assemble(case.source, case.target, forms_only=False)
    rejected = [line for line in said if "error" in line or "fatal" in line]
    if any(f.severity == "error" for f in case.expected):
        assert rejected
    else:
        assert rejected == []


def test_the_illegal_inputs_that_others_accept_are_pinned() -> None:
    """setmaxnreg 30, wgmma of bf16 by f16, cp.async of 3 bytes, an f32 sum in u64 registers."""
    lines = "\n".join(c.source for c in _CASES if any(f.severity == "error" for f in c.expected))
    for word in ("setmaxnreg.inc.sync.aligned.u32 30", ".bf16.f16 ", "], 3;", "add.f32 %ud"):
        assert word in lines
