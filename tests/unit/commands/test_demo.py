from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from ptxlab.commands import demo
from ptxlab.conformance.kernels.cases import OUTPUT, Case
from ptxlab.conformance.kernels.digests import Record, digest
from ptxlab.conformance.kernels.run import Run
from ptxlab.diag import Diagnostic


def fake(name: str) -> Case:
    def arrays(kind: str) -> dict[str, np.ndarray]:
        source = np.broadcast_to(np.arange(32, dtype=np.float32), (4, 32))
        return {"src": source, OUTPUT: np.zeros((4, 32), np.float32)}

    return Case(f"{name}/4x32", name, "4 × 32 f32", arrays, lambda a: None, lambda a: a["src"])  # type: ignore[arg-type, return-value]


CASES = [fake("copy"), fake("tile, 128B swizzle")]
RECORD = Record("NVIDIA H100", digests={c.key: digest(c.arrays("random")["src"]) for c in CASES})


def copying(case: Case, arrays: dict[str, np.ndarray], trace: bool = False, progress: Any = None) -> Run:
    progress(1, 2)
    arrays[OUTPUT][...] = arrays["src"]
    return Run(arrays[OUTPUT], 0.25, 1_234_567)


def broken(case: Case, arrays: dict[str, np.ndarray], trace: bool = False, progress: Any = None) -> Run:
    if case.kernel == "copy":
        return copying(case, arrays, trace, progress)
    raise Diagnostic("PTX9100", "Nothing can run any more.", notes=("cta 0 warp 0 waits",))


@pytest.fixture
def console() -> Console:
    return Console(record=True, width=130, force_terminal=False)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, console: Console) -> Any:
    def go(device: Any, record: Record = RECORD) -> tuple[int, str]:
        monkeypatch.setattr(demo, "cases", lambda: CASES)
        monkeypatch.setattr(demo.further, "further", list)
        monkeypatch.setattr(demo.packed, "shown", list)
        monkeypatch.setattr(demo, "choose", lambda on: (device, "a machine"))
        monkeypatch.setattr(demo.digests, "read", lambda *later: Record() if later else record)
        status = demo.main(demo.Options(out=tmp_path / "out"), console)
        return status, console.export_text()

    return go


def test_all_equal(run: Any, tmp_path: Path) -> None:
    status, text = run(copying)
    assert status == 0
    assert "all 4 verdicts «equal», 4 938 268 thread-instructions simulated" in text
    rows = [line for line in text.splitlines() if "1 234 567" in line]
    assert len(rows) == 4
    assert all("equal" in row and "0.250" in row for row in rows)
    assert "  0  1  2  3  4  5" in text
    assert (tmp_path / "out" / "swizzle-128B.svg").read_text().startswith("<svg")


def test_without_a_digest_the_demo_fails_and_says_why(run: Any) -> None:
    status, text = run(copying, Record())
    assert status == 1
    assert "no record: no digest of this case has been recorded on a GPU: copy, 4 × 32 f32, chip; tile" in text
    assert "2 of 4 verdicts are not «equal»" in text


def test_a_wrong_result_fails_the_demo(run: Any) -> None:
    wrong = Record(digests={c.key: "0" * 64 for c in CASES})
    status, text = run(copying, wrong)
    assert status == 1
    assert "differs: digest" in text


def test_a_kernel_that_stops_shows_its_diagnostic(run: Any) -> None:
    status, text = run(broken)
    assert status == 1
    assert text.count("cta 0 warp 0 waits") == 1
    assert "failed: Nothing can run any more.: tile, 128B swizzle" in text


def test_without_a_gpu_the_way_out_is_the_simulator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nothing() -> None:
        raise Diagnostic("PTX2304", "There is no CUDA driver on this machine.")

    monkeypatch.setattr("ptxlab.cuda.driver.device", nothing)
    with pytest.raises(Diagnostic, match="leave --on out"):
        demo.main(demo.Options(on="gpu", out=tmp_path))


def test_bad_options_are_diagnostics(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as caught:
        demo.main(demo.Options(on="tpu", out=tmp_path))
    assert caught.value.code == "PTX2501"
    (tmp_path / "file").write_text("")
    with pytest.raises(Diagnostic) as caught:
        demo.main(demo.Options(out=tmp_path / "file" / "out"))
    assert caught.value.code == "PTX2500"


def test_banks_are_lines_of_32_words() -> None:
    lines = demo.bank_lines(np.arange(64, dtype=np.float32).reshape(8, 8))
    assert [line.plain for line in lines] == ["".join(f"{w:3d}" for w in range(s, s + 32)) for s in (0, 32)]


def test_narrow_terminals_get_ranges() -> None:
    (line,) = demo.bank_lines(np.arange(32, dtype=np.float32).reshape(1, 32), chunks=True)
    assert line.plain.split() == [f"{c}–{c + 3}" for c in range(0, 32, 4)]
    assert len(line.plain) <= 80
