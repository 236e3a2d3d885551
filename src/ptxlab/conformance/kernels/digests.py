"""The record of what an H100 wrote: one SHA-256 digest for each case, and where it came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.record.chip import Chip
from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    import numpy as np

RECORD: Final = Path(__file__).with_name("digests_h100.json")


@dataclass(frozen=True, slots=True)
class Record(Chip):
    """Digests by case, and where they come from.

    Attributes:
        digests: SHA-256 of the output's bytes in hexadecimal, by the key of the case.
    """

    digests: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def provenance(self) -> str:
        """One line that says where the digests come from."""
        return self.versions if self.digests else "nothing recorded yet"


def digest(array: np.ndarray) -> str:
    """SHA-256 of the array's bytes in C order, in hexadecimal."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def read(path: Path = RECORD) -> Record:
    """The record; an empty one where there is no file.

    Raises: Diagnostic PTX2500 for a file that cannot be read or is no record.
    """
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        return Record(**found)
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError, TypeError) as e:
        raise Diagnostic(
            "PTX2500", f"{path} is no record of digests: {e}.", help="record it again on an H100"
        ) from None


def write(record: Record, path: Path = RECORD) -> None:
    """Write the record, whole or not at all.

    Raises: Diagnostic PTX2500 where the place cannot be written.
    """
    from ptxlab.abi.cache import atomic_write

    try:
        atomic_write(path, ((json.dumps(asdict(record), indent=1, sort_keys=False) + "\n").encode(),))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None
