"""A launch becomes a record, or one diagnostic at the caller's line with everything that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxlab.abi.build import Built, Call, build, param_by_name
from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.types import TYPES
from ptxlab.launch.arrays import empty
from ptxlab.ptx import tree
from ptxlab.ptx.program import Directives, Param, Program

HERE = Span("user.py", 12)


class OnGpu:
    def __init__(self, address: int = 0x7000, device: int = 0) -> None:
        self.__cuda_array_interface__ = {"version": 3, "typestr": "<f4", "shape": (4,), "data": (address, False)}
        self.device = type("Device", (), {"id": device})()


def program(
    directives: Directives | None = None,
    *,
    arrays: int = 0,
    static: int = 0,
    target: str = "sm_90a",
    version: tuple[int, int] = (8, 0),
    param_bytes: int | None = None,
    align: int | None = None,
) -> Program:
    names = [f"p{i}" for i in range(arrays)]
    declared = tuple(
        tree.Param(TYPES["u64"], n, ptr=align is not None, ptr_align=tree.number(align) if align else None)
        for n in names
    )
    return Program(
        "entry",
        tree.Module(version, target),
        tree.Function("entry", "entry", declared),
        params=[Param(n, TYPES["u64"], 1, 8, 8, 8 * i) for i, n in enumerate(names)],
        param_bytes=8 * arrays if param_bytes is None else param_bytes,
        directives=directives or Directives(),
        shared_static=static,
    )


def built(p: Program | None = None, **call: Any) -> Built:
    asked = {"grid": 4, "block": 128, **call}
    return build(p or program(), Call(**asked), HERE, lambda ordinal: ({}, []))


def codes(p: Program | None = None, **call: Any) -> list[str]:
    try:
        built(p, **call)
    except Diagnostic as d:
        found = [d, *d.also]
        assert all(one.origin == HERE and one.help for one in found)
        return [one.code for one in found]
    return []


def test_record() -> None:
    a, b = np.zeros(3, np.float32), np.zeros(5, np.int64)
    p = program(Directives(reqnctapercluster=(2, 1, 1)), arrays=2, static=64)
    r = built(p, grid=(4, 2), block=np.int64(64), shared=16, args=[a, b], buffers=[np.zeros(7, np.uint8)]).record
    assert (r.grid, r.block, r.cluster, r.shared, r.device) == ((4, 2, 1), (64, 1, 1), (2, 1, 1), 16, "cpu")
    assert r.params == a.ctypes.data.to_bytes(8, "little") + b.ctypes.data.to_bytes(8, "little")
    assert [(x.name, x.nbytes) for x in r.buffers] == [("p0", 12), ("p1", 40), ("buffers[0]", 7)]
    assert (r.threads, r.ctas, r.ctas_per_cluster) == (64, 8, 2)


@pytest.mark.parametrize("bad", [0, -1, (), (1, 2, 3, 4), "8", 1.5, (1, None), None])
@pytest.mark.parametrize("name", ["grid", "block"])
def test_extents(name: str, bad: object) -> None:
    assert codes(**{name: bad}) == ["PTX2001"]


@pytest.mark.parametrize(
    ("directives", "call", "expected"),
    [
        ({}, {"block": 1025}, ["PTX2002"]),
        ({}, {"block": (32, 32)}, []),
        ({}, {"block": (1, 1, 65)}, ["PTX2002"]),
        ({}, {"grid": (2**31 - 1,)}, []),
        ({}, {"grid": 2**31}, ["PTX2005"]),
        ({}, {"grid": (1, 65536)}, ["PTX2005"]),
        ({"reqntid": (128, 1, 1)}, {}, []),
        ({"reqntid": (128, 1, 1)}, {"block": (64, 2)}, ["PTX2003"]),
        ({"maxntid": (16, 8, 1)}, {"block": 128}, []),
        ({"maxntid": (16, 8, 1)}, {"block": 129}, ["PTX2004"]),
        ({}, {"cluster": 4}, []),
        ({}, {"cluster": 3}, ["PTX2006"]),
        ({}, {"cluster": (2, 2)}, ["PTX2006"]),
        ({}, {"grid": 16, "cluster": 16}, []),
        ({}, {"grid": 32, "cluster": 32}, ["PTX2007"]),
        ({"maxclusterrank": 2}, {"cluster": 4}, ["PTX2007"]),
        ({"maxclusterrank": 2}, {"cluster": 2}, []),
        ({"reqnctapercluster": (2, 1, 1)}, {"grid": 3}, ["PTX2006"]),
        ({"reqnctapercluster": (2, 1, 1)}, {"cluster": 2}, []),
        ({"reqnctapercluster": (2, 1, 1)}, {"cluster": 4}, ["PTX2008"]),
        ({"explicitcluster": True}, {}, ["PTX2009"]),
        ({"explicitcluster": True}, {"cluster": 1}, []),
        ({}, {"shared": 232448}, []),
        ({}, {"shared": 232449}, ["PTX2010"]),
        ({}, {"shared": -1}, ["PTX2010"]),
        ({}, {"shared": 1.5}, ["PTX2010"]),
        (
            {"reqntid": (64, 1, 1)},
            {"cluster": 3, "block": 2000, "shared": 300000},
            ["PTX2002", "PTX2003", "PTX2006", "PTX2010"],
        ),
    ],
)
def test_shape_of_the_launch(directives: dict[str, Any], call: dict[str, Any], expected: list[str]) -> None:
    assert codes(program(Directives(**directives)), **call) == expected


def test_static_and_dynamic_shared_memory_add_up() -> None:
    p = program(static=100_000)
    assert codes(p, shared=132_448) == []
    with pytest.raises(Diagnostic, match=r"100000 bytes static and 132449 dynamic, together 232449"):
        built(p, shared=132_449)


def test_cluster_needs_hopper() -> None:
    assert codes(program(target="sm_80"), cluster=2) == ["PTX2011"]
    assert codes(program(target="sm_80"), cluster=1) == []
    assert codes(program(target="sm_100a"), cluster=2) == []


def test_parameter_block_limit_depends_on_the_version() -> None:
    assert codes(program(param_bytes=4096)) == []
    assert codes(program(param_bytes=4097)) == ["PTX2313"]
    assert codes(program(param_bytes=4097, version=(8, 1))) == []
    assert codes(program(param_bytes=32765, version=(8, 1))) == ["PTX2313"]


def test_pointer_alignment_that_the_ptx_declares() -> None:
    a = empty(64, np.uint8)
    assert codes(program(arrays=1, align=16), args=[a[16:]]) == []
    assert codes(program(arrays=1, align=16), args=[a[8:]]) == ["PTX2310"]


def test_devices() -> None:
    host, gpu = np.zeros(4, np.float32), OnGpu()
    assert built(program(arrays=1), args=[host]).record.device == "cpu"
    assert built(program(arrays=1), args=[gpu]).record.device == "cuda"
    assert built(program(arrays=1), args=[OnGpu(device=3)]).ordinal == 3
    assert built(program()).record.device == "cpu"
    assert built(program(), device="gpu").record.device == "cuda"
    assert codes(program(arrays=2), args=[host, gpu]) == ["PTX2303"]
    assert codes(program(arrays=2), args=[gpu, OnGpu(device=1)]) == ["PTX2303"]
    assert codes(program(arrays=1), args=[host], device="gpu") == ["PTX2303"]
    assert codes(program(arrays=1), args=[gpu], device="sim") == ["PTX2303"]
    assert codes(program(arrays=1), args=[gpu], device="tpu") == ["PTX2311"]
    assert codes(program(arrays=1), args=[gpu], buffers=[host]) == ["PTX2303"]


def test_variables_are_asked_for_in_simulated_launches_only() -> None:
    asked: list[str] = []

    def variables(ordinal: int) -> tuple[dict[str, int], list[Any]]:
        asked.append("yes")
        return {"lut": 64}, []

    record = build(program(), Call(grid=1, block=1), HERE, variables).record
    assert record.variables == {"lut": 64}
    build(program(arrays=1), Call(grid=1, block=1, args=[OnGpu()]), HERE, variables)
    assert asked == ["yes"]


def test_parameter_by_name_or_index() -> None:
    p = program(arrays=3)
    assert param_by_name(p, "p2").offset == 16
    assert param_by_name(p, "1").offset == 8
    with pytest.raises(Diagnostic, match=r"no parameter 'q'"):
        param_by_name(p, "q")
