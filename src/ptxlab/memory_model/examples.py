"""Litmus tests in pairs: one that allows its outcome, one that differs in one thing and forbids it.

They are the files of examples/litmus/rules and examples/litmus/async, which the wheel brings along. All ask `exists`.
docs/explanation/memory-model.md explains them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

_INSTALLED: Final = files("ptxlab.memory_model") / "litmus"
_CHECKOUT: Final = Path(__file__).resolve().parents[3] / "examples" / "litmus"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tests that differ in one thing.

    Attributes:
        section: of the PTX manual, or the instruction that the pair is about. says: the rule, in a sentence.
        allowed, forbidden: the tests.
    """

    section: str
    says: str
    allowed: str
    forbidden: str


def stem(name: str) -> str:
    """What the files of a pair are called, in front of `+allowed.litmus` and `+forbidden.litmus`."""
    return re.sub(r"[^\w.]+", "-", name).strip("-")


def _pairs(folder: str) -> dict[str, Pair]:
    root = (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT) / folder
    sections = tomllib.loads((root / "sections.toml").read_text(encoding="utf-8"))
    return {name: _pair(root, name, section) for name, section in sections.items()}


def _pair(root: Path | Traversable, name: str, section: str) -> Pair:
    allowed, forbidden = (
        (root / f"{stem(name)}+{kind}.litmus").read_text(encoding="utf-8") for kind in ("allowed", "forbidden")
    )
    _, comment, _ = allowed.split("\n", 2)
    return Pair(section, comment.strip('"').removeprefix("allowed: "), allowed, forbidden)


EXAMPLES: Final[Mapping[str, Pair]] = _pairs("rules")
"""A pair for each definition and axiom of the model, by what it shows."""
RULES: Final[Mapping[str, Pair]] = _pairs("async")
"""A pair for each rule of asynchronous operations and their proxies, by what it shows."""
