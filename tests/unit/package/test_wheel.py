"""The wheel: small, nothing but the package, and whole: it holds the simulator to an H100 where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ptxlab.memory_model.examples import EXAMPLES, RULES
from tools import instruction_stub

ROOT = Path(__file__).parents[3]
LARGEST = 3 << 20
"""Bytes: 3 MiB, of which a quarter is what GPUs have given."""


def pip(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout, built without network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed."""
    place = tmp_path_factory.mktemp("site")
    pip("install", "--no-deps", "--no-index", "--quiet", "--target", place, wheel)
    return place


def test_it_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST


def test_it_holds_the_package_and_nothing_of_the_checkout(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as found:
        names = found.namelist()
        assert found.read("ptxlab/lang/_instructions.pyi").decode() == instruction_stub.text()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ptxlab"}
    assert not [name for name in names if "__pycache__" in name or name.startswith(("ptxlab/tests/", "ptxlab/tools/"))]
    assert {"ptxlab/py.typed", "ptxlab/findings/PTX9200.md"} <= set(names)


def test_what_is_installed_has_its_litmus_tests(site: Path, tmp_path: Path) -> None:
    code = (
        "import ptxlab; from ptxlab.memory_model.examples import *; print(len(EXAMPLES), len(RULES), ptxlab.__file__)"
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == [str(len(EXAMPLES)), str(len(RULES)), str(site / "ptxlab" / "__init__.py")], (
        done.stderr
    )


def test_what_is_installed_compares_with_its_own_record(site: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ptxlab", "conformance", "--workers", "1"]
    for family in ("extended", "tensormap", "cluster"):  # of rows.npz, tma.npz, and addresses.json
        command += ["--family", family]
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "120"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "conformance with NVIDIA H100" in done.stdout
    *_, total = [line for line in done.stdout.splitlines() if line.startswith("│")]
    instances, cases, equal, differ = (int(cell.replace(",", "")) for cell in total.strip("│").split("│")[1:])
    assert instances > 100
    assert cases == equal > 4000
    assert differ == 0
