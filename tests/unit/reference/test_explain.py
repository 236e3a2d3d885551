"""Every row and every code can be explained, and the examples are what ptxas accepts."""

from __future__ import annotations

import subprocess
import sys

import oracle
import pytest

import ptxlab as px
from ptxlab.commands import explain as command
from ptxlab.diag import CODES, Diagnostic
from ptxlab.isa.enumerate import Candidate, example, verdict
from ptxlab.isa.form import FORMS
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Target
from ptxlab.reference.explain import row


def test_every_row() -> None:
    for key, form in FORMS.items():
        shown = row(form)
        assert shown in px.explain(form.name), key
        assert form.syntax in shown
        for name in (*(s.name for s in form.slots if s.name), *form.operand_names):
            assert name in shown, (key, name)
        for rule in form.rules:
            assert rule.code in shown
            assert rule.help in shown
        assert str(form.needs) in shown
        assert f"PTX ISA: {form.isa}" in shown
        assert row(form) in px.explain(key)


def test_every_code() -> None:
    for code, info in CODES.items():
        shown = px.explain(code)
        assert shown.startswith(f"{code} {info.slug} ({info.severity}; ")
        assert info.title in shown


def test_the_cause_of_a_hang_has_its_example() -> None:
    for what in ("PTX9100 first-parity", "first-parity", "ptx9100 First-Parity"):
        shown = px.explain(what)
        assert shown.startswith("PTX9100 deadlock\n\n## first-parity\n")
        assert "+            empty.wait(1)" in shown
        assert "## parity" not in shown
    assert px.explain("flag").startswith("PTX9101 hang\n\n## flag\n")
    assert "first-parity" in px.explain("PTX9100")
    assert "```" not in px.explain("PTX9100")


@pytest.mark.parametrize(
    ("what", "way"),
    [("PTX9100 nothing", "first-parity"), ("PTX9101 parity", "PTX9100 parity"), ("PTX9210 parity", "PTX9100 parity")],
)
def test_a_cause_that_a_code_does_not_have(what: str, way: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.explain(what)
    assert wrong.value.code == "PTX2501"
    assert wrong.value.help is not None
    assert way in wrong.value.help


def test_every_special_register() -> None:
    for name, info in SREGS.items():
        assert info.doc in px.explain(name)


def _examples() -> dict[str, list[Candidate]]:
    out: dict[str, list[Candidate]] = {}
    for form in FORMS.values():
        found = example(form)
        if found is not None:
            out.setdefault(found[1], []).append(found[0])
    return out


def test_every_row_has_an_example() -> None:
    assert [key for key, form in FORMS.items() if example(form) is None] == []


@pytest.mark.ptxas
@pytest.mark.skipif(oracle.why_not() is not None, reason=oracle.why_not() or "")
def test_ptxas_accepts_the_examples() -> None:
    wrong: list[str] = []
    for target, found in _examples().items():
        found = [c for c in found if verdict(c, Target.parse(target), oracle.newest(), oracle.release()) is None]
        said = oracle.judge([c.text for c in found], target=target)
        wrong += [f"{target}: {c.text} {s}" for c, s in zip(found, said, strict=True) if s is not None]
    assert wrong == []


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("PTX0212", ["cp-async-cg-size", "cp.async: if .cache == cg then size == 16", "use cp.async.ca"]),
        ("ptx0212", ["cp-async-cg-size"]),
        ("mbarrier", ["mbarrier.try_wait", "mbarrier.init"]),
        ("mbarrier.try_wait", ["[mbar]", "in .shared", "Example"]),
        ("cp.async.cg", ["size == 16", "complete after cp.async.commit_group"]),
        ("cp.async.cg.shared.global [a], [b], 8;", ["error PTX0212", "help: use cp.async.ca", "dst   [a]"]),
        ("cp.async.cg.shared.global [a], [%rd1], 16", ["legal on sm_80, sm_90, sm_90a, sm_100a, sm_120a"]),
        ("@!%p1 add.s32 %sum, %r1, -3;", ["d  %sum, a register of type .b32", "legal on sm_80"]),
        ("add.f32 %f1, %f2, 1;", ["error PTX0104", "0f3F800000"]),
        ("setmaxnreg.inc.sync.aligned.u32 30;", ["error PTX0107"]),
        ("wgmma.fence.sync.aligned;", ["legal on sm_90a;"]),
        ("bra.uni done;", ["legal on"]),
        ("ld.param.u64 %rd1, [a+8];", ["a  [a+8]", "legal on"]),
    ],
)
def test_what_it_says(what: str, words: list[str]) -> None:
    shown = px.explain(what)
    for word in words:
        assert word in shown


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("PTX0000", "PTX2501"),
        ("cp.asinc", "PTX0101"),
        ("nonsense", "PTX0100"),
        ("nonsense.b32 %r1;", "PTX0100"),
        ("add.s32 %r1, %r2, 3; ret;", "PTX0001"),
        ("add.s32 %r1, [%r2;", "PTX0001"),
        (".reg .b32 x;", "PTX0001"),
        ("", "PTX0100"),
        ("ä b", "PTX0001"),
    ],
)
def test_what_it_cannot_explain(what: str, code: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.explain(what)
    assert wrong.value.code == code


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(command.Options(what=["PTX0212"])) == 0
    assert capsys.readouterr().out == px.explain("PTX0212") + "\n"


def test_a_code_with_a_page_shows_it() -> None:
    shown = px.explain("PTX9200")
    assert "```python race.py" in shown
    assert shown.count(CODES["PTX9200"].title) == 1


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_by_its_name(code: str) -> None:
    slug = CODES[code].slug
    if sum(info.slug == slug for info in CODES.values()) == 1:
        assert (
            px.explain(slug).startswith(px.explain(code)) or "-" not in slug
        )  # a word may be a name of the language, too
    if "-" in slug:
        assert px.explain(slug.upper())


@pytest.mark.parametrize(
    ("written", "opcode"),
    [
        ("k.fence.proxy.async_.shared__cta", "fence.proxy.async"),
        ("k.cp.async_.bulk.tensor._2d", "cp.async.bulk.tensor"),
        (["k.st.global_.v4.b32", "out.at", "0), v)"][0], "st"),
        ("k.bar.sync(0)", "bar.sync"),
    ],
)
def test_an_instruction_as_kernels_have_it(written: str, opcode: str) -> None:
    assert px.explain(written).startswith(opcode)


def test_words_without_pytest() -> None:
    """Names of a module that needs a package that is not installed are left out, and all else can be explained."""
    program = (
        "import sys; sys.modules['pytest'] = None\n"
        "import ptxlab as px\n"
        "print(px.explain('deadlock').split()[0], px.explain('k.tma_store').split('(')[0])\n"
        "try: px.explain('zzz')\n"
        "except px.Diagnostic as d: print(d.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["PTX9100", "k.tma_store", "PTX0100"]
