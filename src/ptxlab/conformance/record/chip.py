"""The chip that results come from, and what its kernels were assembled with."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.diag import Diagnostic


@dataclass(frozen=True, slots=True)
class Chip:
    """Where results come from.

    Attributes:
        gpu: its name.
        driver: version of the display driver.
        cuda: version of CUDA that the driver serves.
        ptxas: version of the assembler.
        date: day of the recording.
    """

    gpu: str = ""
    driver: str = ""
    cuda: str = ""
    ptxas: str = ""
    date: str = ""

    @property
    def versions(self) -> str:
        """All of it in one line."""
        return f"{self.gpu}, driver {self.driver}, CUDA {self.cuda}, ptxas {self.ptxas}, {self.date}"


def hopper() -> Chip:
    """GPU 0 of this machine, today. Raises: Diagnostic PTX2304, PTX2422 without a GPU, PTX2423 where it is no Hopper."""
    from ptxlab.bench import machine
    from ptxlab.cuda import ptxas
    from ptxlab.cuda.driver import device

    found = device()
    if found.capability != (9, 0):
        raise Diagnostic("PTX2423", f"The simulator is a Hopper; this is a {found.name}.", help="use an H100 or H200")
    assembler = ptxas.find()
    return Chip(
        gpu=found.name,
        driver=machine.gpu().get("driver_version", "unknown"),
        cuda=".".join(map(str, found.driver)),
        ptxas=assembler.release.removeprefix("V") if assembler is not None else "the driver's",
        date=machine.today(),
    )
