"""The table of docs/reference/sanitizer-beside.md: what the sanitizer and compute-sanitizer find, kernel by kernel."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tools.markdown import table
from tools.zoo.items import ROOT, hangs, items, name_of
from tools.zoo.watch import TOOLS

PAGE = ROOT / "docs" / "reference" / "sanitizer-beside.md"
RECORD = ROOT / "tests" / "sanitizer" / "beside.json"

_HEAD = """# Beside compute-sanitizer

The kernels of the bug zoo (`tests/sanitizer/zoo`), right and faulty, were run on a GPU under the four tools of NVIDIA's
compute-sanitizer, each alone and with its own inputs. The tables say what each tool reported of each faulty kernel, beside the
code of ptxlab's finding in the simulator.

- «–»: it was silent. «fails»: the kernel failed or hung, and the tool did not say why. Empty: it was not run. Kernels that hang
  were given to synccheck alone, and a tool that has lost the GPU goes on with the next kernel. «strict»: ptxlab finds it where
  `sanitize="strict"` asks for the model to the letter.
- One run each: a race that a run does not show is not seen by a tool that looks at what happens.
- compute-sanitizer is made for more than this: it watches any program at the speed of a GPU, and needs no PTX. The zoo collects
  mistakes with asynchronous copies, barriers, proxies and matrix products, and its tools were made for few of these.

Measured on: {gpu}, driver {driver}, compute-sanitizer {version}. `python -m tools.zoo` makes the record and this page.
"""


def write() -> None:
    """Write the page anew."""
    PAGE.write_text(page(json.loads(RECORD.read_text(encoding="utf-8"))), encoding="utf-8")


def page(found: Mapping[str, Any]) -> str:
    """The page from a record."""
    kernels: Mapping[str, Mapping[str, str]] = found["kernels"]
    parts = [_HEAD.format(gpu=found["gpu"], driver=found["driver"], version=found["compute-sanitizer"])]
    parts.append(_summary(kernels))
    families: dict[str, list[list[str]]] = {}
    for kernel, mutant in items():
        if mutant is not None:
            families.setdefault(kernel.family, []).append(
                _row(kernel, mutant, kernels.get(name_of(kernel, mutant), {}))
            )
    for family, rows in families.items():
        parts.append("\n".join((f"## {family}", "", *table(["kernel, mistake", "ptxlab", *TOOLS], rows), "")))
    return "\n".join(parts)


def _row(kernel: Any, mutant: Any, said: Mapping[str, str]) -> list[str]:
    code = f"{mutant.code}, strict" if mutant.strict else mutant.code
    return [f"{kernel.name}: {mutant.name}", code, *(_cell(said.get(tool)) for tool in TOOLS)]


def _cell(said: str | None) -> str:
    return {None: "", "silent": "–", "error": "fails", "hang": "fails"}.get(said, said or "")


def _reports(said: str | None) -> bool:
    return said not in (None, "silent", "error", "hang")


def _summary(kernels: Mapping[str, Mapping[str, str]]) -> str:
    right = [kernels.get(name_of(k, m), {}) for k, m in items() if m is None]
    faulty = [kernels.get(name_of(k, m), {}) for k, m in items() if m is not None]
    seen = Counter(tool for said in faulty for tool in TOOLS if _reports(said.get(tool)))
    alarms = Counter(tool for said in right for tool in TOOLS if _reports(said.get(tool)))
    ran = Counter(tool for said in (*right, *faulty) for tool in TOOLS if tool in said)
    heads = ("tool", "kernels run", "faulty ones reported", "right ones reported")
    lines = table(heads, ([tool, str(ran[tool]), str(seen[tool]), str(alarms[tool])] for tool in TOOLS))
    some = sum(any(_reports(said.get(tool)) for tool in TOOLS) for said in faulty)
    signs = sum(any(said.get(tool, "silent") != "silent" for tool in TOOLS) for said in faulty)
    hanging = sum(hangs(m) for _, m in items())
    text = f"Of {len(faulty)} faulty kernels, {hanging} of which hang, at least one tool reports {some}; "
    text += f"{signs} are reported, fail or hang."
    wrong = [
        f"`{name_of(k, m)}` ({tool}: {said[tool]})"
        for k, m in items()
        if m is None
        for said in (kernels.get(name_of(k, m), {}),)
        for tool in TOOLS
        if _reports(said.get(tool))
    ]
    text += f" Right kernels that a tool reports: {', '.join(wrong) or 'none'}."
    return "\n".join(lines) + f"\n\n{text}\n"


__all__ = ["PAGE", "RECORD", "page", "write"]
