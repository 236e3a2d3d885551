"""Small kernels as PTX text, and a fixture that simulates them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ptxlab as px

HEADER = ".version 8.8\n.target sm_90a\n.address_size 64\n"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Many of these kernels leave out what a right one has; what is tested is the machine, not what lints say of them."""
    item.add_marker(pytest.mark.filterwarnings("ignore::ptxlab.launch.warn.PtxWarning"))


def entry(params: str, body: str, directives: str = "") -> str:
    """A module with one kernel `k`."""
    return f"{HEADER}.visible .entry k({params}) {directives}\n{{\n{body}\n}}\n"


@pytest.fixture
def run() -> Callable[..., Any]:
    """run(text, *args, grid=, block=, cluster=, shared=, **options) → the report of a simulated launch."""

    def go(
        text: str,
        *args: object,
        grid: object = 1,
        block: object = 32,
        cluster: object = None,
        shared: int = 0,
        **options: Any,
    ) -> Any:
        kernel = px.parse(text)["k"]
        return px.simulate(kernel, grid=grid, block=block, cluster=cluster, shared=shared, args=list(args), **options)

    return go
