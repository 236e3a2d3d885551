"""Hatch's hook for wheels: writes the stub of the instructions, which git ignores. `pip install -e .` leaves it in the checkout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class InstructionStub(BuildHookInterface):  # pyright: ignore[reportMissingTypeArgument]
    """Found by hatchling as the one hook of this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stub before files are collected; git ignores it, so that it is named as an artifact."""
        root = Path(self.root)
        sys.path[:0] = [str(root), str(root / "src")]
        from tools import instruction_stub

        instruction_stub.main()
        build_data["artifacts"].append(instruction_stub.PATH.relative_to(root).as_posix())
