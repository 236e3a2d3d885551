"""px.verify accepts what is right, and nothing else: with a new seed each time."""

import secrets

import pytest

from unit.verification.corpus.entry import Entry
from unit.verification.corpus.every import CHEATS, HONEST


@pytest.mark.parametrize("entry", HONEST, ids=lambda one: one.name)
def test_honest(entry: Entry) -> None:
    seed = secrets.randbits(32)
    found = entry.judged(seed)
    assert found.verdict in entry.verdicts, f"seed={seed}\n{found}"


@pytest.mark.parametrize("entry", CHEATS, ids=lambda one: one.name)
def test_cheats(entry: Entry) -> None:
    seed = secrets.randbits(32)
    found = entry.judged(seed)
    assert found.verdict in entry.verdicts, f"seed={seed}\n{found}"


def test_names_are_unlike() -> None:
    for entries in (HONEST, CHEATS):
        names = [one.name for one in entries]
        assert len(set(names)) == len(names) >= 125
