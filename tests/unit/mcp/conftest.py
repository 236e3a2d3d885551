"""One server over each transport for all tests that do not stop it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from driven import Driven

sys.path.insert(0, str(Path(__file__).parent))

LIMITS = ("--python", "--cpu", "20", "--memory", "2048", "--answer", "64")


@pytest.fixture(scope="session")
def http() -> Iterator[Driven]:
    from driven import over_http

    with over_http(*LIMITS) as driven:
        yield driven


@pytest.fixture(scope="session")
def stdio() -> Iterator[Driven]:
    from driven import over_stdio

    with over_stdio(*LIMITS) as driven:
        yield driven


@pytest.fixture(scope="session")
def limited() -> Iterator[Driven]:
    """A server whose limits are reached soon."""
    from driven import over_stdio

    with over_stdio(
        "--workers", "1", "--cpu", "1", "--time", "2", "--memory", "2048", "--instructions", "1000000000000"
    ) as driven:
        yield driven


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest) -> Driven:
    return request.getfixturevalue(request.param)
