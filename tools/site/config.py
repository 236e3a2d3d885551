"""How the site looks, and what its generator is asked to do. JSON is YAML, too: it is written as mkdocs.yml."""

from __future__ import annotations

from typing import Any

from tools.site.nav import Entry


def _palette(scheme: str, other: str, icon: str) -> dict[str, Any]:
    preferred = {"default": "light", "slate": "dark"}[scheme]
    toggle = {"icon": f"material/{icon}", "name": f"Switch to {other} mode"}
    return {
        "media": f"(prefers-color-scheme: {preferred})",
        "scheme": scheme,
        "primary": "black",
        "accent": "indigo",
        "toggle": toggle,
    }


def config(nav: list[Entry]) -> dict[str, Any]:
    """The configuration of a site with this navigation, whose pages lie in pages/ beside it."""
    return {
        "site_name": "ptxlab",
        "site_description": "Write, check, simulate and run Hopper kernels at the PTX level, in Python",
        "docs_dir": "pages",
        "site_dir": "site",
        "use_directory_urls": False,  # pages/ would need a server
        "nav": nav,
        "theme": {
            "name": "material",
            "variant": "classic",
            "font": False,  # the system's: nothing comes from elsewhere
            "features": [
                "navigation.tabs", "navigation.indexes", "navigation.prune", "navigation.top", "navigation.footer",
                "content.code.copy", "search.highlight",
            ],
            "palette": [_palette("default", "dark", "weather-night"), _palette("slate", "light", "weather-sunny")],
        },
        "extra": {"polyfills": ["assets/site.js"], "generator": True},
        "extra_css": ["assets/site.css"],
        "plugins": ["search"],
        "markdown_extensions": [
            "tables", "admonition", "attr_list", "md_in_html", "sane_lists", "pymdownx.betterem", "pymdownx.superfences",
            {"pymdownx.highlight": {"pygments_lang_class": True}},
            {"toc": {"permalink": True, "toc_depth": 3}},
        ],
        "validation": {"links": {"not_found": "warn", "anchors": "warn"}},
    }  # fmt: skip
