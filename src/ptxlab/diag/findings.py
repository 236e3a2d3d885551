"""Lists of diagnostics."""

from __future__ import annotations

from typing import Any

from ptxlab.diag.html import heading, styled
from ptxlab.diag.model import Diagnostic
from ptxlab.diag.text import fragments


class Findings(list[Diagnostic]):
    """A list of diagnostics; a notebook shows each as the terminal does.

    Example:
        found = px.check(".version 8.0\\n.target sm_90a\\n.address_size 64\\n.visible .entry k() { bad; ret; }")
        print(len(found), found[0].code, "bad" in found._repr_html_())  # 1 PTX0100 True
    """

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows on a terminal."""
        printer.text("\n".join(map(str, self)) or "no findings")

    def _repr_html_(self) -> str:
        return "".join(styled(fragments(d)) for d in self) or heading("no findings")


__all__ = ["Findings"]
