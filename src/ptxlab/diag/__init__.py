"""Diagnostics: one type, one table of codes, one renderer."""

from ptxlab.diag.codes import CODES, Code
from ptxlab.diag.model import Diagnostic, Severity, Span, frame_at, one_of_each, raise_all, user_span
from ptxlab.diag.render import plain, show
from ptxlab.diag.shorten import meant, shortened

__all__ = [
    "CODES",
    "Code",
    "Diagnostic",
    "Severity",
    "Span",
    "frame_at",
    "meant",
    "one_of_each",
    "plain",
    "raise_all",
    "shortened",
    "show",
    "user_span",
]
