"""A GPU held to the record of another one: the same kernels on the same operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.runner.conform import known, wanted
from ptxlab.conformance.runner.suites import SUITES, Suite


def different(suite: Suite, recorded: Golden, named: Sequence[str] = ()) -> Iterator[tuple[str, bool]]:
    """Keys of results that GPU 0 gives again, and whether they differ. Raises: Diagnostic as the launches do."""
    names = [u.name for u in wanted(suite.recorded(recorded), named)]
    for i in range(0, len(names), suite.chunk):
        ran = suite.gpu(names[i : i + suite.chunk], recorded.seed)
        for key, found in ran.results.items():
            yield key, not recorded.holds(key) or not recorded.same(key, found)


def main(folder: Path, named: Sequence[str]) -> int:
    """Compare all suites of a folder; 1 where something differs. Random programs and functions run only where they are named."""
    known(named)
    count = bad = 0
    for suite in SUITES.values():
        recorded = suite.read(folder)
        if recorded is None or ((suite.asked or suite.long) and not named):
            continue
        for key, differs in different(suite, recorded, named):
            count, bad = count + 1, bad + differs
            if differs:
                print(f"{suite.name}: {key}")
    print(f"{count} results, {bad} differ from {folder}")
    return int(bad > 0)
