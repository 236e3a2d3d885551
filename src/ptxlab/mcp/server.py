"""The SDK's server with ptxlab's tools: it looks at requests, hands them on, and looks at answers. It executes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from ptxlab import __version__
from ptxlab.diag import Diagnostic
from ptxlab.mcp import SCHEMA
from ptxlab.mcp.findings import refusal
from ptxlab.mcp.limits import TEXT
from ptxlab.mcp.models import Answer, Request
from ptxlab.mcp.pool import Pool
from ptxlab.mcp.tools import Tool, tools
from ptxlab.mcp.tools.tool import Context

_INSTRUCTIONS: Final = (
    "Tools for GPU kernels in NVIDIA's PTX, sm_90a (Hopper) above all. `check` reads PTX; `simulate` runs a kernel on arrays "
    "without a GPU, and a sanitizer looks for races, missing fences and waits; `compare` holds its results to a reference. Each "
    "finding has a code, the line and the way out, and `next` names the call of `explain` that shows an example and its repair."
)
_LONGEST: Final = 400
"""Characters of a message that is not ours."""
_NAMED: Final = 4
"""Mistakes of a request that its diagnostic names."""


def schema(tool: Tool[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON Schemas of a tool's arguments and of its answer."""
    return tool.request.model_json_schema(), tool.answer.model_json_schema(mode="serialization")


def served(pool: Pool) -> Server[Any]:
    """A server whose requests go to the pool."""
    listed = [
        types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=taken,
            output_schema=given,
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        for tool in tools().values()
        for taken, given in [schema(tool)]
    ]

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools().get(asked.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {asked.name!r}: {', '.join(tools())}")
        with pool.asked():
            answer = await answered(pool, tool, asked.arguments or {})
        text = answer.model_dump_json(by_alias=True)
        return types.CallToolResult(
            content=[types.TextContent(text=text)],
            structured_content=answer.model_dump(mode="json", by_alias=True),
            is_error=answer.status == "refused",
        )

    return Server(
        "ptxlab",
        version=__version__,
        title="ptxlab",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def answered(pool: Pool, tool: Tool[Any, Any], arguments: Mapping[str, Any]) -> Answer:
    """The answer to a request, whatever it is."""
    try:
        request = requested(tool, arguments)
        await pool.known.wait()
        if tool.local:
            return tool.answer.model_validate(tool.run(request, Context(pool.limits, pool.isolation)))
        python = tool.executes(request)
        if python and not pool.limits.python:
            raise Diagnostic("PTX2608", "The request has Python, which this server does not execute.")
        return _trusted(tool, await pool.ask(tool.name, arguments, python=python))
    except Diagnostic as d:
        return tool.answer.model_validate(refusal(tool.name, d))
    except Exception as e:  # what nobody has thought of ends this request alone
        failed = Diagnostic("PTX2606", f"The server failed: {type(e).__name__}: {e}"[:_LONGEST])
        return tool.answer.model_validate(refusal(tool.name, failed))


def _trusted(tool: Tool[Any, Any], data: bytes) -> Answer:
    """An answer as its model has it. Raises: Diagnostic PTX2606 for one that a worker should not give."""
    try:
        return tool.answer.model_validate_json(data)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False)[0]
        raise Diagnostic(
            "PTX2606", f"The worker gave an answer that is none: {first['loc']}: {first['msg']}."
        ) from None


def requested(tool: Tool[Any, Any], arguments: Mapping[str, Any]) -> Request:
    """A request as its model has it. Raises: Diagnostic PTX2601, PTX2602, PTX2504."""
    try:
        return tool.request.model_validate(arguments)
    except ValidationError as e:
        found = e.errors(include_url=False)
    if any(one["loc"] == ("schema",) for one in found):
        raise Diagnostic("PTX2602", f"The request is for schema {arguments['schema']!r}; this server has {SCHEMA!r}.")
    large = next(
        (one for one in found if one["type"] == "string_too_long" and one.get("ctx", {}).get("max_length") == TEXT),
        None,
    )
    if large is not None:
        raise Diagnostic(
            "PTX2504", f"`{_place(large['loc'], arguments)}` has more than {TEXT >> 20} MiB.", help="send less text"
        )
    said: dict[str, list[str]] = {}
    for one in found:
        said.setdefault(_place(one["loc"], arguments), []).append(one["msg"])
    lines = [f"{place}: {', or '.join(dict.fromkeys(words))}" for place, words in said.items()]
    more = f"; and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    known = ", ".join(f.alias or name for name, f in tool.request.model_fields.items())
    unknown = any(one["type"] == "extra_forbidden" for one in found)
    help_ = f"arguments of {tool.name}: {known}" if unknown else None
    raise Diagnostic("PTX2601", f"{'; '.join(lines[:_NAMED])}{more}.", help=help_)


def _place(loc: tuple[int | str, ...], given: Any) -> str:
    """Where in a request a mistake is. Parts of `loc` that the request does not have name the kinds that were tried."""
    out: list[str] = []
    for number, part in enumerate(loc):
        there = (isinstance(given, Mapping) and part in given) or (isinstance(given, list) and isinstance(part, int))
        if there:
            given = cast("Any", given)[part]
        if there or (number == len(loc) - 1 and isinstance(given, Mapping)):  # the last: what is missing
            out.append(str(part))
    return ".".join(out) or "arguments"
