"""Builds the site: `python -m tools.site [--serve] [--out FOLDER]`. A link that leads nowhere fails, as does any other warning."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.site.config import config
from tools.site.nav import nav, pages
from tools.site.pages import DOCS, ROOT, Sources

THEME = Path(__file__).parent / "theme"
BUILD = ROOT / "build"


def prepare(work: Path) -> Path:
    """Write the site's sources and its configuration. Returns the configuration's file."""
    sources = work / "pages"
    Sources(sources).write()
    shutil.copytree(THEME, sources / "assets", dirs_exist_ok=True)
    file = work / "mkdocs.yml"
    text = json.dumps(config(nav(sources)), indent=1)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
    return file


def build(work: Path, out: Path) -> int:
    """Build the site. Returns the exit status: not 0 where there is a warning."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    status = generate(prepare(work))
    if status == 0:
        shutil.rmtree(out, ignore_errors=True)
        shutil.move(work / "site", out)
        index = _sorted_index((out / "search.json").read_text(encoding="utf-8"), list(pages(nav(work / "pages"))))
        (out / "search.json").write_text(index, encoding="utf-8")
        # a page from the file system may load a script, but no JSON
        (out / "search.js").write_text(f"var __index = {index}", encoding="utf-8")
        print(f"{sum(1 for _ in out.rglob('*.html'))} pages: {out / 'index.html'}")
    return status


def _sorted_index(index: str, order: Sequence[str]) -> str:
    """The search index in the navigation's order, not in that of the files: of results that are as good, the first one leads."""
    found = json.loads(index)
    places = {page.removesuffix(".md") + ".html": i for i, page in enumerate(order)}
    found["items"].sort(key=lambda item: places.get(item["location"].partition("#")[0], len(places)))
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def generate(file: Path) -> int:
    """Run the generator on a configuration. Returns its exit status."""
    done = subprocess.run(
        _zensical("build", "--strict", "-f", str(file)), check=False, cwd=file.parent, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    # the generator colours what it says even into a file, and ends a strict build that fails with a traceback
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).partition("Traceback (most recent call last)")[0]
    print(said, end="")
    return done.returncode


def serve(work: Path) -> int:
    """Serve the site, and build it again where a page changes."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    server = subprocess.Popen(_zensical("serve", "-f", str(prepare(work))), cwd=work)
    try:
        seen = _newest()
        while server.poll() is None:
            time.sleep(0.5)
            if (now := _newest()) != seen:
                prepare(work)
                seen = now
    except KeyboardInterrupt:
        server.terminate()
    return server.wait()


def _newest() -> float:
    return max(p.stat().st_mtime for p in (*ROOT.glob("*.md"), *DOCS.rglob("*"), *THEME.iterdir()))


def _zensical(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "zensical", *arguments]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or serve."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument(
        "--serve", action="store_true", help="serve the site on localhost, and build again what changes"
    )
    parser.add_argument("--out", type=Path, default=BUILD / "site", help="where to write it (build/site)")
    options = parser.parse_args(arguments)
    work = BUILD / "site-work"
    return serve(work) if options.serve else build(work, options.out.resolve())


if __name__ == "__main__":
    raise SystemExit(main())
