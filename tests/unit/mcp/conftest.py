"""One server over each transport for all tests that do not stop it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.importorskip("mcp", reason="there is no SDK of MCP: install the extra `mcp`")

from driven import Driven, over_http, over_stdio

LIMITS = ("--python", "--cpu", "20", "--memory", "2048", "--answer", "64")


@pytest.fixture(scope="session")
def http() -> Iterator[Driven]:
    with over_http(*LIMITS) as driven:
        yield driven


@pytest.fixture(scope="session")
def stdio() -> Iterator[Driven]:
    with over_stdio(*LIMITS) as driven:
        yield driven


@pytest.fixture(scope="session")
def limited() -> Iterator[Driven]:
    """A server whose limits are reached soon."""
    with over_stdio(
        "--workers", "1", "--cpu", "1", "--time", "2", "--memory", "2048", "--instructions", "1000000000000"
    ) as driven:
        yield driven


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest) -> Driven:
    return request.getfixturevalue(request.param)
