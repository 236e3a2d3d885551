"""A release: the changelog's versions, the package's number and the tag agree."""

from pathlib import Path

import pytest

from tools import release

BEFORE = """# Changelog

What users notice.

## Unreleased

- New.

## 0.2.0 (2026-11-22)

- Old.

## 0.1.0 (2026-11-21)

- First.
"""


def test_this_tree_names_its_version_in_the_changelog() -> None:
    assert release.problems(release.CHANGELOG.read_text(encoding="utf-8"), release.package_version()) == []


def test_unreleased_becomes_a_version() -> None:
    after = release.cut(BEFORE, "0.3.0", "2026-11-24")
    assert release.sections(after) == [
        (None, None, ""),
        ("0.3.0", "2026-11-24", "- New."),
        ("0.2.0", "2026-11-22", "- Old."),
        ("0.1.0", "2026-11-21", "- First."),
    ]
    assert release.notes(after, "0.3.0") == "- New.\n"
    assert release.problems(after, "0.3.0", "v0.3.0", ["v0.2.0", "v0.1.0"]) == []


@pytest.mark.parametrize(
    ("changelog", "version", "said"),
    [
        (BEFORE, "0.2.0", "not newer than 0.2.0"),
        (BEFORE, "0.10", "no version"),
        (BEFORE.replace("- New.\n", ""), "0.3.0", "nothing under Unreleased"),
        (BEFORE.replace("2026-11-22", "yesterday"), "0.3.0", "'## 0.2.0 (yesterday)' is neither"),
    ],
)
def test_what_cannot_be_cut(changelog: str, version: str, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)")):
        release.cut(changelog, version, "2026-11-24")


def test_what_keeps_a_tree_from_being_a_release() -> None:
    tags = ["v0.1.0", "v0.2.0"]
    assert release.problems(BEFORE, "0.2.0", None, tags) == []
    assert "the newest version of CHANGELOG.md is 0.2.0" in release.problems(BEFORE, "0.3.0")[0]
    assert "it would be v0.2.0" in release.problems(BEFORE, "0.2.0", "v0.3.0", tags)[0]
    assert "under Unreleased" in release.problems(BEFORE, "0.2.0", "v0.2.0", tags)[0]
    assert release.problems(BEFORE, "0.2.0", None, ["v0.2.0"]) == ["CHANGELOG.md names 0.1.0, and there is no tag v0.1.0"]
    assert release.problems(BEFORE.replace("- Old.", ""), "0.2.0") == ["CHANGELOG.md says nothing of 0.2.0"]
    assert "newest first" in release.problems(BEFORE.replace("0.1.0", "0.4.0"), "0.2.0")[0]


def test_the_command_writes_both_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("CHANGELOG", BEFORE), ("PACKAGE", '"""It."""\n\n__version__ = "0.2.0"\n')):
        monkeypatch.setattr(release, name, tmp_path / name)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert release.main(["cut", "0.3.0"]) == 0
    assert "git tag -a v0.3.0" in capsys.readouterr().out
    assert release.package_version() == "0.3.0"
    assert release.main(["notes", "v0.3.0"]) == 0
    assert capsys.readouterr().out == "- New.\n"
    assert release.main(["cut", "0.3.0"]) == 1
    assert "nothing under Unreleased" in capsys.readouterr().err


def test_the_workflow_asks_before_it_builds() -> None:
    steps = (release.ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    asks, builds, publishes = (
        steps.index(line) for line in ("tools.release check", "python -m build", "pypa/gh-action-pypi-publish")
    )
    assert asks < builds < publishes
