"""Which tests may be skipped in CI: see conftest.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# What no environment can bring: another processor, another user, another operating system.
ALLOWED = re.compile(r"the processor has no AVX-512|only root can give a directory away")
# What the environment of the README's line does not bring, and the one with all extras does.
LACKING = re.compile(r"install the extra `(?!ptxas`)\w+`|install --no-deps nvidia-cutlass|got empty parameter set")


def no_hopper() -> str:
    """Why nothing runs on a GPU here; "" where it can."""
    from ptxlab.cuda import driver
    from ptxlab.diag import Diagnostic

    try:
        found = driver.device().capability
    except Diagnostic as d:
        return d.message
    return "" if found == (9, 0) else f"the GPU is sm_{found[0]}{found[1]}"


def names(item: pytest.Item) -> set[str]:
    """What a file of lacking tests may call a test: by itself, its parameters left out, or its module."""
    whole = item.nodeid.partition("[")[0]
    return {whole, whole.partition("::")[0]}


def is_left_out(path: Path, lacked: Path) -> bool:
    """Whether `--lacked` wants nothing of a file of tests: reading all of them takes each process twenty seconds."""
    name = path.relative_to(Path(__file__).parents[1]).as_posix()
    return name not in lacked.read_text(encoding="utf-8") and "mark.ptxas" not in path.read_text(encoding="utf-8")


def judge(config: pytest.Config, report: pytest.TestReport | pytest.CollectReport) -> None:
    """Note a skip, or make a failure of it, where `--lacking` or `--lacked` asks for that."""
    noted = config.option.lacking
    if not (noted or config.option.lacked) or getattr(report, "wasxfail", None) is not None:
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if ALLOWED.search(reason):
        return
    if noted and LACKING.search(reason):
        with Path(noted).open("a", encoding="utf-8") as out:
            out.write(report.nodeid.partition("[")[0] + "\n")
        return
    report.outcome = "failed"
    report.longrepr = f"This must not be skipped here. {reason}"
