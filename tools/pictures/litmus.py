"""Pictures of litmus tests: the execution that decides the first test of the page on the memory model, and one that is allowed."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import ptxlab as px
from ptxlab.memory_model.draw import svg

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "memory-model.md"


def execution(store: str) -> str:
    """The page's first test, with this store in the place of its release."""
    found = re.search(r"(PTX MP\n.+?)^\"\"\"", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"{PAGE} shows no test MP"
    return svg(px.litmus(found[1].replace("st.release.gpu", store)))


PICTURES = {
    "litmus-forbidden.svg": partial(execution, "st.release.gpu"),
    "litmus-allowed.svg": partial(execution, "st.relaxed.gpu"),
}
