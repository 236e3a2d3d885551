"""The GPU in a process of its own.

A launch that never ends, or fails, takes that process with it, and the next launch gets a new one.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, TypeAlias

import numpy as np

from ptxlab.conformance.micro.kernel import Bytes, Micro
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.programs.tree import Program
from ptxlab.conformance.rows.probes import TARGET
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic

START: Final = 60.0
"""Seconds that a process gets to start and make a context."""
ASSEMBLY: Final = 120.0
"""Seconds that ptxas gets for a program."""
PATIENCE: Final = 3.0
"""Seconds after which a launch hangs; one that does not ends in milliseconds."""
_LAUNCHES: Final = 23
"""More launches of a program that may give different results; some give the same ten times."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What a process is asked to do.

    Attributes:
        text: of the program.
        name, cluster: of the program; what its operands and columns come from.
        seed: of the operands.
        level: how far ptxas optimises; None as far as it does by itself.
    """

    text: str
    name: str
    cluster: int
    seed: int
    level: int | None


Serve: TypeAlias = Callable[["Connection[Any, Any]"], None]


class Hung(Exception):
    """A launch did not end in time."""


class Apart:
    """Launches programs in a process that ends with those that hang.

    Attributes:
        patience: seconds after which a launch hangs.
    """

    def __init__(self, patience: float = PATIENCE, serve: Serve | None = None) -> None:
        self.patience, self._serve = patience, serve or answers
        self._at: tuple[BaseProcess, Connection[Any, Any]] | None = None

    def __call__(self, text: str, micro: Micro, seed: int, level: int | None = None) -> Bytes:
        """A program's columns. Raises: Hung; Diagnostic as the launch does."""
        if self._at is None:
            self._start()
        assert self._at is not None
        self._at[1].send(Launch(text, micro.text, micro.cluster, seed, level))
        self._answer(ASSEMBLY)
        return self._answer(self.patience)

    def _start(self) -> None:
        spawned = multiprocessing.get_context("spawn")
        here, there = spawned.Pipe()
        process = spawned.Process(target=self._serve, args=(there,), daemon=True)
        process.start()
        there.close()
        self._at = process, here
        self._answer(START)

    def _answer(self, patience: float) -> Any:
        assert self._at is not None
        answer: Any = None
        try:
            if not self._at[1].poll(patience):
                self.close()
                raise Hung
            answer = self._at[1].recv()
        except (EOFError, ConnectionError):
            answer = "PTX2420", "The process that launches ended."
        if isinstance(answer, tuple):
            self.close()  # its context may be lost
            code, message = answer
            raise Diagnostic(code, message, help="run it again")
        return answer

    def close(self) -> None:
        """End the process."""
        if self._at is not None:
            process, pipe = self._at
            self._at = None
            process.kill()
            process.join()
            pipe.close()


def hangs(gpu: Apart, made: Program, seed: int) -> bool:
    """Whether one of two launches of a program does not end."""
    try:
        for _ in range(2):
            gpu(made.text, made.micro, seed)
    except Hung:
        return True
    except Diagnostic:
        return False
    return False


def unsteady(gpu: Apart, made: Program, seed: int) -> bool:
    """Whether launches of a program give different results."""
    try:
        first = gpu(made.text, made.micro, seed)
        return any(not np.array_equal(first, gpu(made.text, made.micro, seed)) for _ in range(_LAUNCHES))
    except (Hung, Diagnostic):
        return False


def answers(pipe: Connection[Any, Any]) -> None:
    """Answer each launch that comes in with its columns, or with the code and message of what ended it."""
    try:
        programs.context()
        pipe.send("ready")
        while True:
            asked: Launch = pipe.recv()
            micro = programs.shape(asked.name, asked.cluster)
            ptxas.assemble(asked.text, TARGET, level=asked.level)  # the launch finds it in the cache
            pipe.send("assembled")
            pipe.send(micro.results(programs.gpu_output(asked.text, micro, asked.seed, level=asked.level)))
    except EOFError:
        return
    except Diagnostic as d:
        pipe.send((d.code, d.message))
