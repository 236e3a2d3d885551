"""Modules drawn from a grammar, against ptxas: declarations, functions, calls, directives, headers, debug data, textures.

A sample by default; `PTXLAB_ORACLE=full` draws many.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import module_forms
import mutations
import oracle
import overlooked
import pytest

from ptxlab.checks import check

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_COUNT = 30_000 if FULL else 300
_SEED = int(os.environ.get("PTXLAB_ORACLE_SEED", "0"))


def _errors(text: str) -> list[str]:
    release = ".".join(map(str, oracle.release()))
    return [str(d) for d in check(text, lints=False, ptxas=release) if d.severity == "error"]


def _difference(one: mutations.Mutant) -> str | None:
    """How ptxas and ptxlab differ about a module; None where they agree, or the difference is explained."""
    said, mine = oracle.whole(one.text, forms_only=False), _errors(one.text)
    if said in oracle.DEAD or (said is None) == (not mine):
        return None
    if said is not None and overlooked.refused(one.text, said):
        return None
    if said is None and any(not _errors(text) for text in overlooked.rewritten(one.text)):
        return None
    return f"{one.number} ({one.why}): ptxas {said or 'takes it'}, ptxlab {mine[0] if mine else 'takes it'}: {one.text}"


def test_modules() -> None:
    drawn = list({one.text: one for one in module_forms.draw(_COUNT, _SEED)}.values())
    assert len(drawn) > _COUNT / 2
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [d for d in pool.map(_difference, drawn) if d]
    oracle.record("modules", "of each", oracle.newest(), len(drawn), found, _SEED)
    assert not found, f"{len(found)} of {len(drawn)} differ:\n   " + "\n   ".join(found[:20])


def test_every_rule_of_the_grammar_is_drawn_from() -> None:
    rules = module_forms.grammar()
    used = {name for lines, _ in rules.values() for line in lines for name in module_forms.RULE.findall(line)}
    assert used | {"module"} == set(rules)
