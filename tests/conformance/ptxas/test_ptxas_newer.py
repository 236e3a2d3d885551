"""Forms of PTX 8.6 to 9.5, legal and not, with what ptxas 13.4 and 13.5 say of each: `newer.txt`.

A line holds their verdicts (Y takes it, n rejects it, x: the release does not read the version), one letter for each of COLUMNS,
and the instruction. The checker is held to the newer release, and a sample of the record to the ptxas that is installed.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

import oracle
import pytest

from ptxlab.checks import check
from ptxlab.diag import Severity
from ptxlab.isa.targets import Version

COLUMNS: tuple[tuple[Version, str], ...] = (
    ((9, 2), "sm_90a"),
    ((9, 3), "sm_100a"),
    ((9, 4), "sm_107a"),
    ((9, 5), "sm_90a"),
    ((9, 5), "sm_107a"),
    ((9, 5), "sm_120a"),
)
RELEASES = ((13, 4), (13, 5))
_SAMPLE = None if os.environ.get("PTXLAB_ORACLE") == "full" else 40


@dataclass(frozen=True)
class Form:
    """One line of the record."""

    said: tuple[str, ...]
    text: str


FORMS = [
    Form((first, second), text)
    for line in (Path(__file__).parent / "newer.txt").read_text().splitlines()
    for first, second, text in [line.split(" ", 2)]
]


def _rejects(form: Form, version: Version, target: str) -> bool:
    source = "\n".join([*oracle.prelude(target, version), oracle.kernel("k", form.text)]) + "\n"
    return any(d.severity is Severity.ERROR for d in check(source, lints=False))


def test_the_checker_says_what_ptxas_said() -> None:
    assert len(FORMS) > 150
    differ = [
        f"PTX {version[0]}.{version[1]} {target}: ptxas 13.5 says {form.said[1][i]}: {form.text}"
        for form in FORMS
        for i, (version, target) in enumerate(COLUMNS)
        if _rejects(form, version, target) != (form.said[1][i] == "n")
    ]
    assert not differ, f"{len(differ)} differ:\n   " + "\n   ".join(differ[:20])


@pytest.mark.ptxas
def test_ptxas_still_says_so() -> None:
    reason = oracle.why_not()
    if reason is not None:
        pytest.skip(reason)
    if oracle.release() not in RELEASES:
        return  # it reads none of these versions
    which = RELEASES.index(oracle.release())
    some = FORMS if _SAMPLE is None else random.Random(oracle.version()).sample(FORMS, _SAMPLE)
    for i, (version, target) in enumerate(COLUMNS):
        if version <= oracle.newest():
            said = oracle.judge([f.text for f in some], target=target, ptx=version)
            assert [(f.text, f.said[which][i]) for f in some] == [
                (f.text, "Y" if s is None else "n") for f, s in zip(some, said, strict=True)
            ]
