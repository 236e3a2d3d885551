"""All entries."""

from unit.verification.corpus import (
    cheats_host,
    cheats_matrices,
    cheats_memory,
    cheats_values,
    honest_copies,
    honest_elements,
    honest_matrices,
    honest_moves,
    honest_reductions,
    honest_rows,
)
from unit.verification.corpus.entry import Entry

_HONEST = honest_elements, honest_reductions, honest_rows, honest_moves, honest_matrices, honest_copies
_CHEATS = cheats_values, cheats_memory, cheats_host, cheats_matrices
HONEST: list[Entry] = [entry for module in _HONEST for entry in module.ENTRIES]
CHEATS: list[Entry] = [entry for module in _CHEATS for entry in module.ENTRIES]

__all__ = ["CHEATS", "HONEST"]
