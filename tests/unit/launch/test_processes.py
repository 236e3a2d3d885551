"""How processes give each other memory: real sockets and descriptors, of files in place of a GPU's memory."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.launch import processes
from ptxlab.launch.processes import exchanged

_number = itertools.count()


def file_of(rank: int) -> int:
    descriptor = os.memfd_create(f"room {rank}")
    os.write(descriptor, bytes([rank]) * 8)
    return descriptor


def together(count: int, meet: Callable[[int], Any]) -> dict[int, Any]:
    """What each of so many members gets, or the diagnostic that it ends with."""
    found: dict[int, Any] = {}

    def run(rank: int) -> None:
        try:
            found[rank] = meet(rank)
        except Diagnostic as wrong:
            found[rank] = wrong

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(20)
    return found


def member(rank: int, count: int, name: str, timeout: float = 10) -> px.Process:
    return px.Process(rank, count, name=name, timeout=timeout)


def meeting(process: px.Process) -> list[processes.Given]:
    descriptor = file_of(process.rank)
    place = f"\0ptxlab.test.{os.getpid()}.{process.name}"
    try:
        return exchanged(process, 8, descriptor, place)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_everyone_gets_what_all_give(count: int) -> None:
    name = f"all {next(_number)}"
    found = together(count, lambda rank: meeting(member(rank, count, name)))
    for rank in range(count):
        for source, (words, descriptor) in enumerate(found[rank]):
            assert processes._HELLO.unpack(words) == (source, count, source, 8)
            assert os.pread(descriptor, 8, 0) == bytes([source]) * 8
            os.close(descriptor)


def test_one_that_does_not_come() -> None:
    name = f"late {next(_number)}"
    found = together(2, lambda rank: meeting(member(rank, 3, name, timeout=0.5)))
    assert [found[rank].code for rank in range(2)] == ["PTX2346"] * 2
    assert "waited in vain for rank 2" in found[0].message


def test_no_rank_0() -> None:
    with pytest.raises(Diagnostic) as raised:
        meeting(member(1, 2, f"headless {next(_number)}", timeout=0.2))
    assert raised.value.code == "PTX2346"
    assert "waited in vain for rank 0" in raised.value.message


def test_one_that_dies_while_it_gives() -> None:
    name = f"dies {next(_number)}"

    def meet(rank: int) -> Any:
        if rank == 0:
            return meeting(member(0, 2, name, timeout=5))
        place = f"\0ptxlab.test.{os.getpid()}.{name}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
            while one.connect_ex(place):
                pass
        return None

    found = together(2, meet)
    assert found[0].code == "PTX2346"


@pytest.mark.parametrize(("ranks", "counts"), [((0, 1, 1), (3, 3, 3)), ((0, 1), (2, 3))])
def test_ranks_and_counts_that_do_not_fit(ranks: tuple[int, ...], counts: tuple[int, ...]) -> None:
    name = f"unfit {next(_number)}"
    found = together(len(ranks), lambda i: meeting(member(ranks[i], counts[i], name, timeout=2)))
    assert {one.code for one in found.values()} == {"PTX2346"}


def test_what_torchrun_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("RANK", "3"), ("WORLD_SIZE", "4"), ("LOCAL_RANK", "1"), ("MASTER_PORT", "29500")):
        monkeypatch.setenv(name, value)
    process = px.Process()
    assert (process.rank, process.count, process.gpu, process.name) == (3, 4, 1, "29500")


@pytest.mark.parametrize(("rank", "count"), [(0, 1), (2, 2), (-1, 2), (0, 9)])
def test_no_rank_of_a_group(rank: int, count: int) -> None:
    with pytest.raises(Diagnostic) as raised:
        px.Process(rank, count)
    assert raised.value.code == "PTX2346"


def test_nothing_is_known_of_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(Diagnostic) as raised:
        px.Process()
    assert raised.value.code == "PTX2346"
    assert "RANK" in raised.value.message
