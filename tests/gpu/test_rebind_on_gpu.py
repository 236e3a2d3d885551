"""Maps that a kernel changes on a GPU: they load what maps of the host load, and the simulator says the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import rebound

from ptxlab.cuda.array import GpuArray

pytestmark = pytest.mark.gpu

_ADDRESS = slice(0, 8)  # of a map, where the devices differ


def _address(array: Any) -> int:
    return array.__cuda_array_interface__["data"][0]


def _same(array: Any) -> Any:
    return array


@pytest.mark.parametrize("scope", ["cta", "cluster", "gpu", "sys"])
@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("name", rebound.CASES)
def test_a_rebound_map_loads_as_one_of_the_host(name: str, staged: bool, scope: str) -> None:
    case = rebound.CASES[name]
    loaded, made, expected, _ = rebound.run(case, GpuArray, lambda a: a.numpy(), _address, staged=staged, scope=scope)
    assert any(loaded)
    assert loaded == expected
    simulated, made_there, *_ = rebound.run(case, _same, _same, lambda a: a.ctypes.data, staged=staged, scope=scope)
    assert loaded == simulated
    assert made[_ADDRESS.stop :] == made_there[_ADDRESS.stop :]


@pytest.mark.parametrize("scope", ["cta", "gpu"])
@pytest.mark.parametrize("staged", [True, False])
def test_many_ctas_rebind_again_and_again(staged: bool, scope: str) -> None:
    loaded, expected, maps, born = rebound.run_again(
        2000, GpuArray, lambda a: a.numpy(), _address, staged=staged, scope=scope
    )
    assert np.array_equal(loaded, expected)
    assert maps == 2000 * born
