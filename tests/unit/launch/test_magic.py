"""`%%ptx`: a cell of PTX, in a shell that only pretends to be a notebook's, and in IPython's own."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

CELL = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry fill(.param .u64 out)
{
    .reg .u64 %rd<2>;
    ld.param.u64 %rd0, [out];
    st.global.u32 [%rd0], 7;
    ret;
}
"""


class Notebook:
    """What the extension asks of a shell."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.magics: dict[tuple[str, str], Callable[[str, str], Any]] = {}
        px.load_ipython_extension(self)

    def register_magic_function(self, func: Callable[[str, str], Any], magic_kind: str, magic_name: str) -> None:
        self.magics[magic_kind, magic_name] = func

    def push(self, variables: dict[str, Any]) -> None:
        self.names |= variables

    def cell(self, line: str, text: str) -> Any:
        return self.magics["cell", "ptx"](line, text)


def test_a_cell_becomes_a_module(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = Notebook()
    shown = notebook.cell("mine", CELL)
    mine = notebook.names["mine"]
    assert shown is mine
    assert mine.file == "<mine>"
    assert "fill" in mine._repr_html_()
    assert capsys.readouterr().out == ""
    out = np.zeros(1, np.uint32)
    mine["fill"].launch(grid=1, block=1, args=[out])
    assert out[0] == 7


def test_a_cell_without_a_name_binds_nothing() -> None:
    notebook = Notebook()
    assert notebook.cell("", CELL)["fill"].name == "fill"
    assert notebook.names == {}


@pytest.mark.parametrize(
    ("line", "cell", "code"),
    [
        ("mine", CELL.replace("st.global.u32", "st.glbal.u32"), "PTX0101"),
        ("mine", CELL.replace("ret;", "ret"), "PTX0001"),
        ("mine", CELL.replace("[%rd0], 7", "[%rd0], %none"), "PTX0010"),
        ("mine --target sm_99", CELL, "PTX1003"),
        ("mine --target", CELL, "PTX2501"),
        ("mine other", CELL, "PTX2501"),
        ("2mine", CELL, "PTX2501"),
        ("class", CELL, "PTX2501"),
        ("mine --fast", CELL, "PTX2501"),
        ("mine", "", "PTX"),
    ],
)
def test_what_is_wrong_is_shown_and_nothing_is_bound(
    line: str, cell: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = Notebook()
    notebook.names["mine"] = "as before"
    assert notebook.cell(line, cell) is None
    assert f"[{code}" in capsys.readouterr().out
    assert notebook.names == {"mine": "as before"}


def test_all_errors_are_shown_at_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    cell = CELL.replace("st.global.u32", "st.glbal.u32").replace("ld.param", "ld.paramx")
    assert Notebook().cell("mine", cell) is None
    said = capsys.readouterr().out
    assert "<mine>:7" in said
    assert "<mine>:8" in said
    assert "st.glbal.u32 [%rd0], 7;" in said


def test_lints_are_shown_and_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    cell = CELL.replace("st.global.u32", "add.u64 %rd1, %rd1, 1;\n    st.global.u32")
    lints = px.check(px.parse(cell))
    assert lints
    notebook = Notebook()
    assert notebook.cell("mine", cell) is not None
    assert capsys.readouterr().out.count("lint[") == len(lints)
    assert notebook.cell("mine --no-lints --target=sm_90a", cell) is not None
    assert capsys.readouterr().out == ""


def test_a_notebook_of_ipython() -> None:
    shells = pytest.importorskip(
        "IPython.core.interactiveshell", reason="there is no IPython: install the extra `notebook`"
    )
    shell = shells.InteractiveShell.instance()
    try:
        shell.run_line_magic("load_ext", "ptxlab")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            good = shell.run_cell(f"%%ptx mine\n{CELL}")
            wrong = shell.run_cell("%%ptx other\n" + CELL.replace("st.global.u32", "st.glbal.u32"))
        assert good.success
        assert good.result is shell.user_ns["mine"]
        assert wrong.success
        assert wrong.result is None
        assert "other" not in shell.user_ns
        assert "error[PTX0101]" in out.getvalue()
        formats, _ = shell.display_formatter.format(good.result)
        assert formats["text/html"] == good.result._repr_html_()
        done = shell.run_cell(
            "import numpy as np\nimport ptxlab as px\n"
            "@px.kernel(threads=32)\n"
            "def last(k, y: px.Ptr[px.u32]):\n"
            "    k.st.global_.u32(y[0], k.tid.x)\n"
            "px.simulate(last, grid=2, args=[np.zeros(1, np.uint32)], stats=True, sanitize=True)"
        )
        assert done.success
        formats, _ = shell.display_formatter.format(done.result)
        assert "st.global.u32" in formats["text/html"]
        assert formats["text/plain"] == repr(done.result)
        table, _ = shell.display_formatter.format(done.result.stats.table())
        assert table["text/plain"] == str(done.result.stats.table())
        assert table["text/html"].startswith("<table>")
    finally:
        shells.InteractiveShell.clear_instance()
