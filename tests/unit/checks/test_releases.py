"""What releases of ptxas take, where they differ."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.cli import app
from ptxlab.isa import releases
from ptxlab.isa.form import FORMS

_HEAD = ".version 9.3\n.target sm_90a\n.address_size 64\n"


def _text(body: str) -> str:
    return f"{_HEAD}.visible .entry k() {{ .reg .b32 %r<4>; .reg .b64 %d<4>; {body} ret; }}\n"


def _codes(text: str, ptxas: str | None) -> list[str]:
    return [d.code for d in px.check(text, ptxas=ptxas, lints=False) if d.severity.value == "error"]


@pytest.mark.parametrize(
    ("ptxas", "codes"), [(None, []), ("13.1", ["PTX1007"]), ("13.2", ["PTX1007"]), ("13.3", []), ("13.5", [])]
)
def test_each_reads_ptx_up_to_its_own(ptxas: str | None, codes: list[str]) -> None:
    assert _codes(_text("clmad.lo.u64 %d1, %d1, %d2, %d3;"), ptxas) == codes


@pytest.mark.parametrize(
    ("ptxas", "codes"),
    [(None, ["PTX1006"]), ("13.1.80", ["PTX1006"]), ("13.2", []), ("V13.3.73", []), ("13.4", ["PTX1006"])],
)
def test_rows_of_some_releases(ptxas: str | None, codes: list[str]) -> None:
    text = _text("sub.u16x2 %r1, %r2, %r3;").replace("9.3", "9.0")
    assert _codes(text, ptxas) == codes


def test_the_diagnostic_says_which_take_it() -> None:
    (found,) = (d for d in px.check(_text("sub.u16x2 %r1, %r2, %r3;"), ptxas="13.5") if d.code == "PTX1006")
    assert "13.5" in found.message
    assert found.help is not None
    assert "13.2 up to 13.3" in found.help
    (old,) = (
        d for d in px.check(_text("clmad.lo.u64 %d1, %d1, %d2, %d3;").replace("9.3", "9.0")) if d.code == "PTX1002"
    )
    assert old.help is not None
    assert "ptxas 13.3 and newer" in old.help


def test_releases_of_rows_are_known_ones() -> None:
    for form in FORMS.values():
        for need in (form.needs, *(n for _, n in form.needs_when)):
            assert need.releases is None or set(need.releases) <= releases.READS.keys()


@pytest.mark.parametrize("text", ["", "13", "12.9", "thirteen", "13.1.80.2"])
def test_unknown_releases(text: str) -> None:
    with pytest.raises(ValueError, match=r"13\.1, 13\.2"):
        releases.parse(text)
    done = CliRunner().invoke(app, ["check", "--ptxas", text, "-"], input=_text(""))
    assert done.exit_code == 2
    assert "PTX2501" in done.output
