from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ptxlab.conformance.kernels.digests import Record, bands, digest, read, write
from ptxlab.diag import Diagnostic


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = Record("NVIDIA H100", "580.1", "13.0", "13.1.80", "2025-01-02", {"copy, 4 f32": "ab" * 32})
    write(made, tmp_path / "record.json")
    assert read(tmp_path / "record.json") == made
    assert made.provenance == "NVIDIA H100, driver 580.1, CUDA 13.0, ptxas 13.1.80, 2025-01-02"


def test_without_a_file_nothing_is_recorded(tmp_path: Path) -> None:
    assert read(tmp_path / "none.json") == Record()
    assert Record().provenance == "nothing recorded yet"


@pytest.mark.parametrize("text", ["", "[1]", '{"gpus": 1}', "{"])
def test_a_damaged_record_is_one_diagnostic(tmp_path: Path, text: str) -> None:
    (tmp_path / "record.json").write_text(text)
    with pytest.raises(Diagnostic) as caught:
        read(tmp_path / "record.json")
    assert caught.value.code == "PTX2500"


def test_a_place_that_cannot_be_written_is_one_diagnostic(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as caught:
        write(Record(), tmp_path / "none" / "record.json")
    assert caught.value.code == "PTX2500"


def test_a_digest_is_of_the_bytes_in_c_order() -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert digest(a.T) == digest(np.ascontiguousarray(a.T)) != digest(a)


@pytest.mark.parametrize(
    ("shape", "changed", "said"),
    [
        ((64, 256), [(9, 200)], "rows 8–15, columns 192–223"),
        ((64, 256), [(9, 200), (17, 224), (63, 0)], "rows 8–23, 56–63, columns 0–31, 192–255"),
        ((1000,), [(3,)], "rows 0, columns 0–124"),
        ((2, 3, 5), [(1, 2, 4)], "rows 5, columns 4"),
        ((), [()], "rows 0, columns 0"),
    ],
)
def test_what_differs_is_placed(shape: tuple[int, ...], changed: list[tuple[int, ...]], said: str) -> None:
    right = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    record = Record(digests={"k": digest(right)}, bands={"k": bands(right)})
    assert record.difference("k", right.copy()) == ""
    wrong = right.copy()
    for at in changed:
        wrong[at] += 1
    assert record.difference("k", wrong).endswith(f"…: it differs in {said}")
    assert "another shape" in record.difference("k", np.zeros((3, 16), np.float32)) or shape == ()
    assert Record(digests={"k": digest(right)}).difference("k", wrong).endswith(f"recorded {digest(right)[:16]}…")
