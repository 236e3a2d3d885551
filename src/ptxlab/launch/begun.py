"""Launches while they are simulated: what is to be done when one has ended, and who hears of what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.abi.sanitizing import VARIABLE, notify, notify_stop
from ptxlab.diag import Diagnostic, Findings, Severity, Span
from ptxlab.diag.causes import as_shown
from ptxlab.launch.entry import Entry
from ptxlab.launch.suppressions import Suppressions
from ptxlab.launch.warn import warn

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report

_UNASKED: Final = (
    "the launch has run to its end, and the arrays hold its results; "
    f"sanitize=False or {VARIABLE}=0 turns the sanitizer off"
)
"""For somebody who has not asked for the sanitizer, and has a launch that it ends with an error."""


class Begun:
    """A launch while it runs: what is to be done at its end.

    Attributes:
        record: the launch. options: how it is simulated.
    """

    def __init__(self, entry: Entry, record: LaunchRecord, options: SimOptions, origin: Span | None) -> None:
        self.record, self.options = record, options
        self._entry, self._origin = entry, origin
        self._suppressions = Suppressions(entry) if options.sanitize else None

    def stopped(self, d: Diagnostic) -> Diagnostic:
        """What to raise for what has stopped it."""
        if d.span is None:
            d.origin = d.origin or self._origin
        if d.also:
            d.also = tuple(as_shown((self._suppressions or Suppressions(self._entry)).split(d.also)[0]))
        notify_stop(d)
        return d

    def ended(self, report: Report) -> Report:
        """Its report, with all findings that are not suppressed. Whether a suppression is needed shows only where all is looked
        for: by the sanitizer."""
        from ptxlab.sim.report.certificate import not_proved

        known = self._suppressions
        if report.certificate is not None and report.findings:
            report.certificate = not_proved(report.certificate, report.findings)
        if known is not None or report.findings:
            kept, report.suppressed = (known or Suppressions(self._entry)).split(report.findings)
            report.findings = Findings(as_shown(kept))
            report.findings += known.doubts() if known is not None else []
        report.findings[:0] = self._entry.module.warnings(self._entry.name)
        report.findings.sort(key=lambda d: d.severity is not Severity.ERROR)  # as in what is raised for them
        return report


def raise_errors(reports: Sequence[Report], *, by_default: bool) -> None:
    """Raise the first error among the findings of launches, with all others in `also`; where there is none, show the warnings.

    by_default: nobody has asked for the sanitizer, and an error of it says how it is turned off.
    """
    found = [d for report in reports for d in report.findings]
    first = next((d for d in found if d.severity is Severity.ERROR), None)
    if first is not None:
        first.also = (*first.also, *(d for d in found if d is not first))
        if first.code.startswith("PTX92") and by_default:
            first.notes = (*first.notes, _UNASKED)
        notify_stop(first)
        raise first
    for report in reports:
        notify(report)
        warn(_one_of_each_code(report.findings))


def _one_of_each_code(warnings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The first of the sanitizer's warnings of each code, with a note of how many there are; all others as they are."""
    alike: dict[object, list[Diagnostic]] = {}
    for d in warnings:
        alike.setdefault(d.code if d.accesses else id(d), []).append(d)
    for first, *rest in alike.values():
        if rest:
            note = f"and {len(rest)} more of {first.code} in this launch: px.simulate has them all in `findings` of its report"
            first.notes = (*first.notes, note)
    return [first for first, *_ in alike.values()]
