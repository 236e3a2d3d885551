"""One variant a line, with what ptxas says of each: `variants.txt` (declarations, operands and calls), `unusual.txt` (headers and
directives), `overlooked.txt` (what ptxas does not look at, and what stands beside it) and `manual.txt` (forms of every family,
legal and not, written from the PTX manual without looking at the rows).

A line holds the verdicts of ptxas 13.1 and 13.5 (Y takes it, n rejects it; one letter for each of COLUMNS), whether the
checker says the same (`=`) or is known to differ (`!`; the reason stands in `REASONS`), what the variant is, and its text. Without
ptxas the checker is held to the record; where ptxas is installed, a sample of the record is held to it. `PTXLAB_ORACLE=full` asks
about all.
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

import oracle
import pytest

from ptxlab.checks import check

FILES = ("variants.txt", "manual.txt", "unusual.txt", "overlooked.txt")
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
COLUMNS = (
    ("7.0", "sm_75"),
    ("8.0", "sm_80"),
    ("8.0", "sm_90a"),
    ("8.6", "sm_90"),
    ("9.1", "sm_90a"),
    ("9.1", "sm_100a"),
)
_SAMPLE = 40
_ASKED = range(len(COLUMNS)) if FULL else (0, 4)
_RELEASES = ((13, 1), (13, 5))
_CHECKED = "13.1"  # the release whose verdicts the checker is held to

_REGISTERS = (
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<9>; "
    ".reg .u64 %ud<4>; .reg .u32 %u<4>; .reg .s32 %s<4>; .reg .u16 %uh<4>; .reg .s16 %sh<4>; .reg .s64 %sd<4>; "
    ".reg .b8 %b<4>; .reg .u8 %ub<4>; .reg .f16 %hf<4>; .reg .f16x2 %hx<4>; .reg .s8 %sb<4>;"
    ".shared .align 128 .b8 buffer[4096]; .local .align 16 .b8 loc[64];"
)
_MODULE = (
    ".global .align 128 .b8 gvar[256]; .const .align 16 .b8 cvar[256]; .global .u32 gu[4]; .shared .align 128 .b8 svar[256]; "
    ".func (.param .b32 fr) fn(.param .b32 fa) { .reg .b32 %q; ld.param.b32 %q, [fa]; st.param.b32 [fr], %q; ret; } "
    ".func noargs() { ret; } .func (.reg .b32 rr) rfn(.reg .b32 ra, .reg .f32 rb) { mov.b32 rr, ra; ret; } "
    ".entry other() { ret; } .func void1(.param .b64 va) { ret; }"
    ".func (.param .align 8 .b8 ar[16]) afn(.param .align 8 .b8 aa[16]) { ret; }"
)


@dataclass(frozen=True)
class Variant:
    """One line of the record."""

    place: str
    said: tuple[str, str]
    differs: bool
    kind: str
    text: str

    def module(self, column: int) -> str:
        """A whole module for a version and target."""
        version, target = COLUMNS[column]
        if self.kind == "raw":
            return self.text.replace("\\n", "\n").replace("$V", version).replace("$T", target)
        head = f".version {version}\n.target {target}\n.address_size 64\n"
        if self.kind == "top":
            return f"{head}{self.text}\n.visible .entry k(.param .u64 a)\n{{\nret;\n}}\n"
        if self.kind == "bare":
            return f"{head}\n.visible .entry k(.param .u64 a)\n{{\n{self.text}\nret;\n}}\n"
        entry = ".visible .entry k(.param .u64 a, .param .align 8 .b8 big[64])"
        return f"{head}{_MODULE}\n{entry}\n{{\n{_REGISTERS}\n{self.text}\nret;\n}}\n"


def _read(file: str) -> list[Variant]:
    out: list[Variant] = []
    for number, line in enumerate((Path(__file__).parent / file).read_text().splitlines(), 1):
        if line[:1] not in ("#", ""):
            first, second, mark, kind, text = line.split(" ", 4)
            out.append(Variant(f"{file}:{number}", (first, second), mark == "!", kind, text))
    return out


VARIANTS = [v for file in FILES for v in _read(file)]


REASONS = {
    # what ptxas takes, and the checker does not
    r"\.reg \.v2 .*v\d?\.[zwb]\b": "ptxas takes elements that a vector register lacks, and leaves the value to chance",
    r"gu\[gvar\]": "ptxas takes a variable for an index: the address of one is a number that nobody knows yet",
    r"x\[%r2\]": "ptxas takes a register as the index of a call's parameter, which lies in no memory",
    r"mov\.u64 q, x; ld\.param::func": "ptxas lets a register hold the address of a function's parameter; it lies in no memory",
    r"tex\.grad\..*, %f[13];": "ptxas reads a depth behind slopes as an offset, on targets before sm_90",
    r"\{%r1,%r2\}, \{%r1,5\}": "ptxas 13.1 takes a number in B on sm_75 alone; the row takes none on any target",
    # what ptxas rejects, and the checker does not
    r"createpolicy\.range.*%r2\+1": "ptxas before 13.4 reads no sum there, and later releases do",
    r"\.alias h, g;.* call h;": "ptxas takes an alias of an alias, and misses its body when somebody calls it",
    r"\.debug_abbrev": "ptxas reads what debug sections hold; the checker does not, and nobody writes them by hand",
    r"wmma\.mma\..*(\{1\}, \{2\}|\{%r1,5\}, \{%r1,%f2\})": "ptxas rejects numbers in A and B on sm_75, and some on sm_80",
    r"\{%r1,0,0,0\}": "integers as coordinates of a layered texture: ptxas takes the form, and fails where it makes code",
}
"""Why the checker differs from ptxas where it does, by what stands in the text."""


def _rejects(variant: Variant, column: int) -> bool:
    return any(d.severity == "error" for d in check(variant.module(column), lints=False, ptxas=_CHECKED))


def test_the_checker_says_what_ptxas_said() -> None:
    assert len(VARIANTS) > 1000
    differ = [
        f"{v.place}, PTX {COLUMNS[c][0]} {COLUMNS[c][1]}: ptxas says {v.said[0][c]}: {v.text}"
        for v in VARIANTS
        for c in _ASKED
        if not v.differs and _rejects(v, c) != (v.said[0][c] == "n")
    ]
    assert not differ, f"{len(differ)} differ:\n   " + "\n   ".join(differ[:20])


def test_what_is_known_to_differ_does() -> None:
    known = [v for v in VARIANTS if v.differs]
    agree = [v for v in known if all(_rejects(v, c) == (said == "n") for c, said in enumerate(v.said[0]))]
    assert [f"{v.place}: {v.text}" for v in agree] == []


def test_what_differs_has_its_reason() -> None:
    known = [v for v in VARIANTS if v.differs]
    found = {v.place: [r for r in REASONS if re.search(r, v.text)] for v in known}
    assert [place for place, reasons in found.items() if len(reasons) != 1] == []
    assert {r for reasons in found.values() for r in reasons} == set(REASONS)


@pytest.mark.ptxas
def test_ptxas_still_says_so() -> None:
    reason = oracle.why_not()
    if reason is not None:
        pytest.skip(reason)
    which = _RELEASES.index(oracle.release())
    some = VARIANTS if FULL else random.Random(oracle.version()).sample(VARIANTS, _SAMPLE)
    differ: list[str] = []
    for v in some:
        for c in _ASKED:
            said = oracle.assemble(v.module(c), COLUMNS[c][1], forms_only=False)
            wrong = [line for line in said if "error" in line or "fatal" in line or "ptxas ended with" in line]
            if bool(wrong) != (v.said[which][c] == "n"):
                differ.append(f"{v.place}, {COLUMNS[c]}: {v.text}: {wrong[:1]}")
    assert differ == []
