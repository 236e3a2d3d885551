"""The site of the documents: what its generator reads, and what it writes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from tools.site import __main__ as site
from tools.site import nav
from tools.site.pages import DOCS, ROOT, Sources

LIMIT = 500_000
"""Bytes of the first page, with all that it loads."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    Sources(folder).write()
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="there is no generator of the site: install the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    assert site.build(folder / "work", folder / "site") == 0
    return folder / "site"


class Page(HTMLParser):
    """What a page links to and loads, and which anchors it has."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.lacking: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        a = {name: value or "" for name, value in attrs}
        self.anchors |= {a[name] for name in ("id", "name") if name in a}
        if tag == "a" and "href" in a:
            self.links.append(a["href"])
        elif tag in ("script", "img", "source", "iframe") and "src" in a:
            self.loads.append(a["src"])
        elif tag == "link" and a.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(a["href"])
        if tag == "img" and not a.get("alt"):
            self.lacking.append(a["src"])


def pages(folder: Path) -> Iterator[tuple[Path, Page]]:
    for file in sorted(folder.rglob("*.html")):
        if file.name != "404.html":
            yield file, Page(file)


def test_every_page_is_in_the_navigation_once(sources: Path) -> None:
    listed = list(nav.pages(nav.nav(sources)))
    assert sorted(listed) == sorted(p.relative_to(sources).as_posix() for p in sources.rglob("*.md"))


def test_decisions_come_last(sources: Path) -> None:
    """Readers who go from page to page, or search, meet what explains ptxlab before why it was made so."""
    listed = list(nav.pages(nav.nav(sources)))
    decisions = sorted(page for page in listed if page.startswith("adr/"))
    assert len(decisions) >= 10
    assert listed[-len(decisions) :] == decisions


def test_search_knows_pages_in_the_navigations_order(built: Path, sources: Path) -> None:
    items = json.loads((built / "search.json").read_text(encoding="utf-8"))["items"]
    found = list(dict.fromkeys(item["location"].partition("#")[0] for item in items))
    listed = [page.removesuffix(".md") + ".html" for page in nav.pages(nav.nav(sources))]
    assert found == [page for page in listed if page in found]


def test_every_document_is_a_page(sources: Path) -> None:
    written = {p.relative_to(sources) for p in sources.rglob("*.md")}
    assert {p.relative_to(DOCS) for p in DOCS.rglob("*.md")} <= written


def page_of(text: str, file: Path, folder: Path) -> str:
    return Sources(folder).prose(text, file)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("see [it](../../README.md#on-a-gpu)", "see [it](../index.md#on-a-gpu)"),
        ("[a](1-first-copy.md#x) and [b](https://example.com/a.md)", "[a](1-first-copy.md#x) and [b](https://example.com/a.md)"),
        ("[code](../../examples/gemm.py)", "[code](../source/examples/gemm.py.txt)"),
        ("[them](../../constraints/)", "them"),
        ("[adr](../adr/0001-the-row.md)", "[adr](../adr/0001-the-row.md)"),
        ("[more](../findings/)", "[more](../findings/index.md)"),
        ("`copy[1](a, b)`", "`copy[1](a, b)`"),
        ("| `a \\| b` | c \\| d |", "| `a | b` | c \\| d |"),
        ("words:\n- one\n- two\n  more\n- three", "words:\n\n- one\n- two\n  more\n- three"),
        ("words:\n| a |\n|---|", "words:\n\n| a |\n|---|"),
    ],
)  # fmt: skip
def test_prose_is_turned_into_what_the_generator_reads(written: str, read: str, tmp_path: Path) -> None:
    assert page_of(written, DOCS / "tutorials" / "page.md", tmp_path) == read


def test_fences_name_their_file(tmp_path: Path) -> None:
    page = ROOT / "docs" / "tutorials" / "1-first-copy.md"
    assert '```python title="first_copy.py"\n' in Sources(tmp_path).page(page)


def test_what_a_page_links_to_comes_along(sources: Path) -> None:
    assert (sources / "project/contributing.md").exists()
    assert (sources / "source/src/ptxlab/kernels/gemm.py.txt").read_text() == (
        ROOT / "src/ptxlab/kernels/gemm.py"
    ).read_text()


def test_the_site_builds_without_a_warning(built: Path) -> None:
    assert (built / "index.html").exists()


def test_links_of_the_site_lead_somewhere(built: Path) -> None:
    found = dict(pages(built))
    dead: set[tuple[str, str]] = set()
    for file, page in found.items():
        for link in page.links:
            url = urlparse(link)
            if url.scheme:
                continue
            target = (file.parent / unquote(url.path)).resolve() if url.path else file
            good = target.is_file() and (
                not url.fragment or target not in found or unquote(url.fragment) in found[target].anchors
            )
            dead |= set() if good else {(file.relative_to(built).as_posix(), link)}
    assert not dead


def test_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    for file, page in pages(built):
        for load in page.loads:
            assert load.startswith("data:") or (file.parent / unquote(urlparse(load).path)).is_file(), (file, load)
    for sheet in built.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import)\s*[\"']?https?:", sheet.read_text(encoding="utf-8"))


def test_pictures_have_a_text(built: Path) -> None:
    assert not {file.name: page.lacking for file, page in pages(built) if page.lacking}


def test_the_first_page_is_light(built: Path) -> None:
    index = built / "index.html"
    loads = {
        (built / unquote(urlparse(load).path)).resolve() for load in Page(index).loads if not load.startswith("data:")
    }
    assert sum(p.stat().st_size for p in {index.resolve(), *loads}) < LIMIT


def test_the_search_knows_the_instructions_also_from_the_file_system(built: Path) -> None:
    script = (built / "search.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("var __index = "))
    assert any(item["location"].startswith("reference/instructions/mbarrier.html#") for item in index["items"])


def test_a_dead_link_fails_the_build(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(built.parent / "work", tmp_path / "work")
    page = tmp_path / "work" / "pages" / "tutorials" / "index.md"
    links = ["nowhere.md", "index.md#no-such-heading"]
    dead = "".join(f"\n[dead]({link})\n" for link in links)
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{dead}", encoding="utf-8")
    assert site.generate(tmp_path / "work" / "mkdocs.yml") != 0
    said = capsys.readouterr().out
    assert [link for link in links if link not in said] == []
