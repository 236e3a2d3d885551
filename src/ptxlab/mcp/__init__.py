"""A server of the Model Context Protocol: ptxlab's checker, simulator and memory model as tools for agents.

`server` answers requests and executes nothing; `pool` hands them to processes (`worker`), which `isolation` shuts in, and which
have a registry of `tools`. `ptxlab mcp` starts it, over `stdio` or `http`. The SDK is the extra `mcp`.
"""

from __future__ import annotations

from typing import Final

SCHEMA: Final = "ptxlab.mcp/1"
"""The version of what tools take and answer. New fields keep it; a new meaning of a field changes the number."""
