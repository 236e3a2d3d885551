"""Diagnostics: one type, one table of codes, one renderer."""

from ptxlab.diag.access import Access, Memory
from ptxlab.diag.codes import CODES, Code
from ptxlab.diag.excerpt import allow_source, allowed_sources, read_ptx, source_lines
from ptxlab.diag.findings import Findings
from ptxlab.diag.legible import meant, shortened, visible, visible_lines
from ptxlab.diag.manual import of_rule, page, sections
from ptxlab.diag.model import Diagnostic, Severity, one_of_each, one_of_each_line, raise_all
from ptxlab.diag.order import HappensBefore
from ptxlab.diag.order_graph import OrderColumn, OrderEdge, OrderEvent
from ptxlab.diag.render import show
from ptxlab.diag.span import Span, frame_at, span_of, user_span
from ptxlab.diag.suppressed import Suppressed
from ptxlab.diag.terminal import console
from ptxlab.diag.text import plain

__all__ = [
    "CODES",
    "Access",
    "Code",
    "Diagnostic",
    "Findings",
    "HappensBefore",
    "Memory",
    "OrderColumn",
    "OrderEdge",
    "OrderEvent",
    "Severity",
    "Span",
    "Suppressed",
    "allow_source",
    "allowed_sources",
    "console",
    "frame_at",
    "meant",
    "of_rule",
    "one_of_each",
    "one_of_each_line",
    "page",
    "plain",
    "raise_all",
    "read_ptx",
    "sections",
    "shortened",
    "show",
    "source_lines",
    "span_of",
    "user_span",
    "visible",
    "visible_lines",
]
