"""./dev: which environment it takes, what it installs there, and what it says where it cannot go on."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "dirname", "sed", "cat", "cksum", "rm")  # what any machine has
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a script for Linux")


class Machine:
    """A clone on a machine that has the given programs alone. An interpreter there writes down how it was called."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.bin, self.log = folder / "clone", folder / "bin", folder / "log"
        self.clone.mkdir()
        self.bin.mkdir()
        for name in ("dev", "pyproject.toml"):
            shutil.copy(ROOT / name, self.clone)
        shutil.copytree(ROOT / "constraints", self.clone / "constraints")
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found is not None
            (self.bin / tool).symlink_to(found)

    def program(self, path: Path, body: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def interpreter(self, path: Path, *, version: tuple[int, int] = (3, 12), fails: str = "@") -> None:
        """A program that answers as Python would; a call with the word `fails` in it ends badly. -m venv makes another."""
        code = 'case "$*" in *"sys.version_info < (3, "*)' + f" [ {version[1]} -ge 11 ]; exit;; esac"
        made = 'mkdir -p "$3/bin"; cp "$0" "$3/bin/python"'
        self.program(
            path,
            f'case "$*" in *{fails}*) exit 1;; --version) echo Python {version[0]}.{version[1]}.0; exit;; esac\n'
            f'{code}\necho "$*" >> "{self.log}"\ncase "$*" in "-m venv"*) {made};; esac',
        )

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        for tool in ("mkdir", "cp"):
            (self.bin / tool).unlink(missing_ok=True)
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        return subprocess.run(
            ["./dev", *words],
            cwd=self.clone,
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[str]:
        """How the interpreters were called, but for questions about themselves."""
        return [line for line in self.log.read_text().splitlines() if line.startswith("-m") and "--version" not in line]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_makes_an_environment_of_its_own_once(machine: Machine) -> None:
    machine.interpreter(machine.bin / "python3")
    for _ in range(2):
        done = machine.run("test", "tests/unit/lang", "-x")
        assert done.returncode == 0, done.stderr
    made, installed, compiled, first, second = machine.calls()
    assert made == "-m venv .venv"
    assert compiled == "-m compileall -q src"
    assert installed.endswith("-e .[ptxas,test] -c constraints/packages.txt -c constraints/ptxas-13.5.txt")
    assert first == second == "-m pytest tests/unit/lang -x"


def test_it_installs_again_when_something_has_changed(machine: Machine) -> None:
    machine.interpreter(machine.bin / "python3")
    for text in ("", "# new\n"):
        with (machine.clone / "pyproject.toml").open("a") as out:
            out.write(text)
        assert machine.run("demo").returncode == 0
    assert sum("pip install" in call for call in machine.calls()) == 2


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_it_takes_the_environment_that_is_active(machine: Machine, variable: str) -> None:
    active = machine.clone.parent / "active"
    machine.interpreter(active / "bin/python")
    done = machine.run("demo", "--seed", "1", CONDA_DEFAULT_ENV="mine", **{variable: str(active)})
    assert done.returncode == 0, done.stderr
    installed, ran = machine.calls()
    assert installed.endswith("-e .")  # users' ranges are open
    assert ran == "-m ptxlab demo --seed 1"
    assert not (machine.clone / ".venv").exists()


def test_conda_s_base_is_left_alone(machine: Machine) -> None:
    machine.interpreter(machine.bin / "python3")
    machine.interpreter(machine.clone.parent / "base/bin/python", fails="")
    done = machine.run("demo", CONDA_PREFIX=str(machine.clone.parent / "base"), CONDA_DEFAULT_ENV="base")
    assert done.returncode == 0, done.stderr
    assert machine.calls()[0] == "-m venv .venv"


def test_a_newer_interpreter_beside_python3_is_found(machine: Machine) -> None:
    machine.interpreter(machine.bin / "python3", version=(3, 9))
    machine.interpreter(machine.bin / "python3.12")
    done = machine.run("demo")
    assert done.returncode == 0, done.stderr
    assert "Python 3.12" in done.stderr


@pytest.mark.parametrize(
    ("version", "fails", "words"),
    [
        ((3, 9), "@", ["needs Python 3.11 or newer; here is Python 3.9.0", "PYTHON="]),
        ((3, 12), "ensurepip", ["venv", "sudo apt install python3-venv"]),
        ((3, 12), "'-m venv'", ["-m venv .venv failed"]),
        ((3, 12), "'pip install'", ["packages could not be installed"]),
        ((3, 12), "'-m pip'", ["has no pip", "install uv"]),
    ],
)
def test_it_says_what_is_missing(machine: Machine, version: tuple[int, int], fails: str, words: list[str]) -> None:
    machine.interpreter(machine.bin / "python3", version=version, fails=fails)
    done = machine.run("demo")
    assert done.returncode == 1
    assert [word for word in words if word not in done.stderr] == []
    assert len(done.stderr.splitlines()) <= 4
    assert "ptxlab demo" not in (machine.log.read_text() if machine.log.exists() else "")


def test_no_interpreter_at_all(machine: Machine) -> None:
    done = machine.run("demo")
    assert done.returncode == 1
    assert "here is no python3" in done.stderr


def test_an_environment_without_pip_is_filled_by_uv(machine: Machine) -> None:
    active = machine.clone.parent / "active"
    machine.interpreter(active / "bin/python", fails="'-m pip'")
    machine.program(machine.bin / "uv", f'echo "-m uv $*" >> "{machine.log}"')
    done = machine.run("test", VIRTUAL_ENV=str(active))
    assert done.returncode == 0, done.stderr
    assert machine.calls()[0].startswith(f"-m uv pip install --quiet --python {active}/bin/python -e .[ptxas,test] -c")


def test_tasks_are_listed(machine: Machine) -> None:
    assert machine.run().stdout == machine.run("help").stdout
    wrong = machine.run("tset")
    assert wrong.returncode == 1
    assert "tset" in wrong.stderr
    for task in re.findall(r"^\./dev (\w+)", machine.run().stdout, flags=re.MULTILINE):
        assert task in wrong.stderr


def test_python_of_the_script_and_of_the_package_is_the_same() -> None:
    oldest = re.search(r"^OLDEST=(\d+)", (ROOT / "dev").read_text(), flags=re.MULTILINE)
    assert oldest is not None
    assert f'requires-python = ">=3.{oldest[1]}"' in (ROOT / "pyproject.toml").read_text()


def _pins(name: str) -> dict[str, str]:
    lines = (ROOT / f"constraints/{name}.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(package): version for package, version in pairs}


@pytest.mark.parametrize("release", ["13.1", "13.5"])
def test_developers_versions_are_within_users_ranges(release: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    if release != "13.1":
        del extras["corpus"]  # its compilers are those of 13.1
    pins = _pins("packages") | _pins(f"ptxas-{release}")
    for text in (*project["dependencies"], *(r for extra in extras.values() for r in extra)):
        wanted = Requirement(text)
        assert wanted.specifier.contains(pins[canonicalize_name(wanted.name)]), text


def test_slow_tests_are_there() -> None:
    """A test that has moved, or has another name, would be counted as a fast one."""
    for line in (ROOT / "tests/slow.txt").read_text().splitlines()[1:]:
        file, _, name = line.partition("::")
        assert (ROOT / file).exists(), line
        assert name == "" or f"def {name}(" in (ROOT / file).read_text(), line
