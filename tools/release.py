"""Releases: what the changelog, the package's version and the tags say, held together.

python -m tools.release cut 0.4.0          makes a version of what is unreleased, and sets the package's number
python -m tools.release check [v0.4.0]     is this tree that release? (the workflow asks before it builds)
python -m tools.release notes 0.4.0        what the changelog says of a version, for its page
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
CHANGELOG: Final = ROOT / "CHANGELOG.md"
PACKAGE: Final = ROOT / "src" / "ptxlab" / "__init__.py"
_HEADING: Final = re.compile(r"^## (?:Unreleased|(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\))$", re.M)
_VERSION: Final = re.compile(r'^__version__ = "(.+)"$', re.M)


class Section(NamedTuple):
    """A version of the changelog. `version` and `date` are None for what is not released; `text` is without its heading."""

    version: str | None
    date: str | None
    text: str


def sections(changelog: str) -> list[Section]:
    """The versions of the changelog, in its order. Raises ValueError at a heading that is none."""
    for line in re.findall(r"^## .*$", changelog, re.M):
        if not _HEADING.match(line):
            raise ValueError(f"CHANGELOG.md: {line!r} is neither '## Unreleased' nor '## 0.4.0 (2027-01-31)'")
    found = list(_HEADING.finditer(changelog))
    ends = [m.start() for m in found[1:]] + [len(changelog)]
    return [Section(m[1], m[2], changelog[m.end() : end].strip()) for m, end in zip(found, ends, strict=True)]


def problems(changelog: str, version: str, tag: str | None = None, tags: Sequence[str] | None = None) -> list[str]:
    """What keeps this tree from being a release, a sentence each.

    Args:
        changelog: its text.
        version: the one of the package.
        tag: the tag to release; None: the tree alone is looked at.
        tags: all tags of the repository; None: they are not looked at.
    """
    found = sections(changelog)
    released = [s for s in found if s.version is not None]
    out: list[str] = []
    if not released or released[0].version != version:
        newest = released[0].version if released else "none"
        out.append(f"src/ptxlab/__init__.py says {version}, the newest version of CHANGELOG.md is {newest}")
    order = [(tuple(map(int, s.version.split("."))), s.date) for s in released if s.version]
    if order != sorted(order, reverse=True) or len({v for v, _ in order}) != len(order):
        out.append("CHANGELOG.md: versions and dates do not stand newest first, each once")
    out += [f"CHANGELOG.md says nothing of {s.version}" for s in released if not s.text]
    if tag is not None and tag != f"v{version}":
        out.append(f"the tag is {tag}, and src/ptxlab/__init__.py says {version}: it would be v{version}")
    if tag is not None and any(s.version is None and s.text for s in found):
        out.append("CHANGELOG.md has something under Unreleased: python -m tools.release cut VERSION")
    if tags is not None:
        lacking = [f"v{s.version}" for s in released if f"v{s.version}" not in tags]
        out += [f"CHANGELOG.md names {name[1:]}, and there is no tag {name}" for name in lacking if name != tag]
    return out


def cut(changelog: str, version: str, date: str) -> str:
    """The changelog with what is unreleased as a version. Raises ValueError where nothing is, or the version is not newer."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version!r} is no version such as 0.4.0")
    found = sections(changelog)
    if not found or found[0].version is not None or not found[0].text:
        raise ValueError("CHANGELOG.md has nothing under Unreleased")
    newest = next((s.version for s in found if s.version), "0.0.0")
    if tuple(map(int, version.split("."))) <= tuple(map(int, newest.split("."))):
        raise ValueError(f"{version} is not newer than {newest}")
    return changelog.replace("## Unreleased\n", f"## Unreleased\n\n## {version} ({date})\n", 1)


def notes(changelog: str, version: str) -> str:
    """What the changelog says of a version. Raises ValueError where it does not name it."""
    for section in sections(changelog):
        if section.version == version:
            return section.text + "\n"
    raise ValueError(f"CHANGELOG.md does not name {version}")


def package_version() -> str:
    """The version that the package says it has."""
    found = _VERSION.search(PACKAGE.read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def _tags() -> list[str]:
    return subprocess.run(["git", "tag"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns 1 where something is wrong, and says it."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.release", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("cut").add_argument("version")
    commands.add_parser("check").add_argument("tag", nargs="?")
    commands.add_parser("notes").add_argument("version")
    options = parser.parse_args(arguments)
    changelog = CHANGELOG.read_text(encoding="utf-8")
    try:
        if options.command == "notes":
            print(notes(changelog, options.version.removeprefix("v")), end="")
        elif options.command == "cut":
            date = datetime.datetime.now(datetime.UTC).date().isoformat()
            CHANGELOG.write_text(cut(changelog, options.version, date), encoding="utf-8")
            text = PACKAGE.read_text(encoding="utf-8")
            PACKAGE.write_text(_VERSION.sub(f'__version__ = "{options.version}"', text), encoding="utf-8")
            print(f"commit this, then: git tag -a v{options.version} -m 'ptxlab {options.version}'")
        else:
            found = problems(changelog, package_version(), options.tag, _tags())
            print("\n".join(found) or f"this is {package_version()}")
            return 1 if found else 0
    except ValueError as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
