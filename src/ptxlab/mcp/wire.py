"""How the server and a worker talk: frames with a length in front, over the worker's standard input and output."""

from __future__ import annotations

import json
import signal
import struct
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Final, Self

from ptxlab.diag import Diagnostic
from ptxlab.mcp.limits import Limits

HEAD: Final = struct.Struct("<I?")
"""The number of bytes, and a flag: of an answer of a child, that it takes no more; of a worker's, that it is an exit status."""
STATUS: Final = struct.Struct("<i")


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a worker is started with. `cache`: ptxlab's; None: it has none. `python`: it is for requests with Python."""

    limits: Limits
    folder: str
    cache: str | None
    python: bool
    parent: int

    def text(self) -> str:
        """As a word of a command line."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Self:
        """From that word."""
        given: dict[str, Any] = json.loads(text)
        return cls(limits=Limits(**given.pop("limits")), **given)


def send(stream: BinaryIO, data: bytes, *, flag: bool = False) -> None:
    """Write a frame."""
    stream.write(HEAD.pack(len(data), flag) + data)
    stream.flush()


def receive(stream: BinaryIO, most: int | None = None) -> tuple[bytes, bool] | None:
    """Read a frame; None at the end of the stream, also within a frame, and for one that is longer than `most`."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    size, flag = HEAD.unpack(head)
    if most is not None and size > most:
        return None
    data = stream.read(size)
    return (data, flag) if len(data) == size else None


def ended(status: int | None, limits: Limits) -> Diagnostic:
    """What it means that a process has ended without an answer; `status` is negative for a signal."""
    if status == -signal.SIGXCPU:
        return Diagnostic("PTX2604", f"The request took more than {limits.cpu} seconds of processor time.")
    if status is not None and status < 0:
        return Diagnostic("PTX2606", f"The worker was ended by signal {signal.Signals(-status).name}.")
    return Diagnostic("PTX2606", f"The worker has ended with status {status}.")
