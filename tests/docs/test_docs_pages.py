"""What README and the tutorials show is what happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from pages import Block, Session, blocks, changed, check, matches

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ELSEWHERE = ("findings/", "reference/instructions/", "reference/language/", "reference/tensor-map.md")
"""Pages that other tests run, or hold against what they were made from."""
ALL = sorted(DOCS.rglob("*.md"))
PAGES = [ROOT / "README.md", *(p for p in ALL if not p.relative_to(DOCS).as_posix().startswith(ELSEWHERE))]
OTHERS = [*ROOT.glob("[CS]*.md"), ROOT / "tools/README.md", *(p for p in ALL if p not in PAGES)]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_code_prints_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTXLAB_SANITIZE", raising=False)  # a page shows what users have by default
    if "\nimport triton\n" in page.read_text(encoding="utf-8"):
        pytest.importorskip("triton", reason="there is no triton: install the extra `corpus`")
        monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    if "\nfrom distributed import " in page.read_text(encoding="utf-8"):
        pytest.importorskip("distributed", reason="there is no Dask: install the extra `dask`")
    for library in ("torch", "jax"):
        if f"\nimport {library}\n" in page.read_text(encoding="utf-8"):
            pytest.importorskip(library, reason=f"there is no {library}: install the extra `{library}`")
    if "\nfrom mcp import " in page.read_text(encoding="utf-8"):
        pytest.importorskip("mcp", reason="there is no SDK of MCP: install the extra `mcp`")
    check(page, tmp_path)


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(prose):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{page.name} points at {target}, which is not there"


PAGE = """
```python copy.py
x = 1
print(x)
```

```text
1
```
words
```text
not compared
```
```console
$ echo a; echo 0.25 s; echo c
...
0.31 s
c
```
"""


def test_pages_that_say_the_truth_pass(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    assert check(tmp_path / "page.md", tmp_path) == 2


@pytest.mark.parametrize(
    ("old", "new"), [("print(x)", "print(2)"), ("\nc\n```", "\nd\n```"), ("echo a", "echo a >&2; exit 3;")]
)
def test_pages_that_lie_fail(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "page.md").write_text(PAGE.replace(old, new))
    with pytest.raises(AssertionError):
        check(tmp_path / "page.md", tmp_path)


def test_dots_stand_for_lines_only() -> None:
    assert matches("a\n...\nb\n", "a\nb\n")
    assert matches("a\n...\nb\n", "a\n1\n2\nb")
    assert not matches("a ...\n", "a 1\n")
    assert not matches("a\n...\n", "b\n1\n")


def test_blocks_know_whether_words_are_between() -> None:
    assert [b.follows for b in blocks(PAGE)] == [False, True, False, True]


def test_names_of_a_page_are_shared_and_files_exist(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.python(Block(("python", "a.py"), "x = 3\n", 1, False))
    assert session.python(Block(("python",), "print(x)\n", 5, False)) == "3\n"
    assert (tmp_path / "a.py").read_text() == "x = 3\n"


CHANGED = """
```ptx one.ptx
a
b
```
```python read.py
print(open("one.ptx").read().split())
```
```diff one.ptx
 a
-b
+c
```

```text
['a', 'c']
```

```diff read.py
-print(open("one.ptx").read().split())
+print(len(open("one.ptx").read()))
```

```text
4
```
"""


def test_changed_files_run_again(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(CHANGED)
    assert check(tmp_path / "page.md", tmp_path) == 3


@pytest.mark.parametrize("diff", ["-c\n", "-b\n+d\n@@\n-b\n", "b\n"])
def test_a_change_of_what_is_not_there_fails(diff: str) -> None:
    with pytest.raises(AssertionError):
        changed("a\nb\n", diff)


def test_changes_stand_apart() -> None:
    assert changed("a\nb\nc\n\nd\n", "-a\n@@ ...\n c\n\n+e\n") == "b\nc\n\ne\nd\n"
