"""The page of what the tools of `ptxlab mcp` take and answer, and its JSON Schemas: `python -m tools.generate` writes both."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ptxlab.mcp.models import Answer, Request
from ptxlab.mcp.server import schema
from ptxlab.mcp.tools import tools
from tools import markdown

PATH = Path("docs/reference/mcp.md")
SCHEMAS = Path("docs/reference/mcp-schemas.json")
_BOTH = ("input", "output")
_HEAD = """# The tools of `ptxlab mcp`

Made from the models in `src/ptxlab/mcp` by `python -m tools.generate`. [The how-to page](../how-to/mcp.md) has examples, and
[mcp-schemas.json](mcp-schemas.json) the same as JSON Schemas, as clients see them.

The version of all of this is `ptxlab.mcp/1`. A request may name it as `schema`, and every answer does. New fields do not change
it; a new meaning of a field does. No field is required but those that say so.
"""


def schemas() -> str:
    """The JSON Schemas of all tools, one on a line."""
    made = [
        (f"{name}.{which}", one)
        for name, tool in tools().items()
        for which, one in zip(_BOTH, schema(tool), strict=True)
    ]
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in made) + "\n}\n"


def text() -> str:
    """The page."""
    parts, known = [_HEAD], dict[str, Any]()
    common = {
        **Request.model_json_schema()["properties"],
        **Answer.model_json_schema(mode="serialization")["properties"],
    }
    for name, tool in tools().items():
        taken, given = schema(tool)
        known |= taken.get("$defs", {}) | given.get("$defs", {})
        parts += [f"## {name}\n", f"{tool.description}\n"]
        for title, one in (("Arguments", taken), ("The answer", given)):
            rows = list(_rows(one, without=common))
            parts += [f"### {title} of {name}\n", *markdown.table(("", "", "default", ""), rows), ""] if rows else []
    parts += ["## Every answer\n", *markdown.table(("", "", "default", ""), _rows({"properties": common})), ""]
    parts += ["## Parts of requests and answers\n"]
    for name, one in sorted(known.items()):
        parts += [f"### {name}\n", f"{_sentence(one.get('description', ''))}\n"]
        parts += [*markdown.table(("", "", "default", ""), _rows(one)), ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def _rows(model: Mapping[str, Any], without: Mapping[str, Any] = {}) -> Iterator[tuple[str, str, str, str]]:
    for name, field in model["properties"].items():
        if name not in without:
            default = "required" if name in model.get("required", ()) else f"`{json.dumps(field.get('default'))}`"
            yield (
                f"`{name}`",
                _type(field),
                "" if default == "`null`" else default,
                markdown.text(field.get("description", "")),
            )


def _type(field: Mapping[str, Any]) -> str:
    """A type in words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for word in ("anyOf", "oneOf"):
        if word in field:
            return ", ".join(dict.fromkeys(_type(one) for one in field[word] if one.get("type") != "null"))
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    if field.get("type") == "object":
        inner = field.get("additionalProperties")
        return f"object of {_type(inner)}" if isinstance(inner, dict) and inner else "object"
    return {"integer": "integer", "number": "number", "string": "text", "boolean": "true, false"}.get(
        field.get("type", ""), "any"
    )


def _sentence(words: str) -> str:
    return " ".join(words.split())
