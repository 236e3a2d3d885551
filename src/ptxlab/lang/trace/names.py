"""Names of Python as names of PTX, which knows ASCII alone."""

from __future__ import annotations

import re

_FOREIGN = re.compile(r"[^A-Za-z0-9_$]")
_TAKEN = ("_", "", "WARP_SZ")


def identifier(name: str) -> str:
    """The name as an identifier of PTX: characters that it lacks become underscores."""
    made = _FOREIGN.sub("_", name)
    return f"v{made}" if made in _TAKEN or made[0].isdigit() else made


def file_name(path: str) -> str:
    """The path as .file takes it: in ASCII, without quotes."""
    return path.encode("ascii", "replace").decode().replace('"', "?")
