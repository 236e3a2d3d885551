"""Five broken kernels are mended by what the tools of `ptxlab mcp` say: run it, and read what it prints.

The server is asked as an agent asks it, through the SDK of the Model Context Protocol. For each kernel: compare it with its
reference, explain what is found, change the lines that the finding and its explanation are about, and compare again.
"""

import os
from difflib import unified_diff
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

HERE = Path(__file__).parent
SERVER = StdioServerParameters(command="ptxlab", args=["mcp", "--python"], env=dict(os.environ))


def counted(*shape: int) -> dict[str, Any]:
    return {"array": "u32", "shape": list(shape), "fill": 0, "step": 1}


def tile(rows: int, seed: int) -> dict[str, Any]:
    array = {"array": "bf16", "shape": [rows, 16], "random": {"seed": seed}}
    return {"tensormap": array, "box": [rows, 16], "swizzle": "32B"}


PRODUCT = {"a": tile(64, 1), "b": tile(8, 2), "c": {"array": "f32", "shape": [64, 8]}}
BROKEN = (
    # a file, its arguments, the finding that says what is wrong, and the lines that are changed for it
    ("stride.py", PRODUCT, "PTX9168", ("    stride = 128", "    stride = 256")),
    ("swizzle.py", PRODUCT, "PTX9165", ("    swizzle = 2 ", "    swizzle = 3 ")),
    (
        "fence.py",
        {"out": counted(32)},
        "PTX9213",
        ("    k.bar.warp.sync", "    k.fence.proxy.async_.shared__cta()\n    k.bar.warp.sync"),
    ),
    (
        "race.py",
        {"x": counted(4, 128)},
        "PTX9200",
        ("row[127 - k.tid.x]))", "row[127 - k.tid.x]))\n        k.bar.sync(0)"),
    ),
    ("arrivals.py", {"x": counted(128)}, "PTX9100", ("k.mbarrier(129", "k.mbarrier(128")),
)


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = (await client.call_tool(tool, arguments)).structured_content
    assert answer is not None
    return answer


async def compared(client: Client, source: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare a kernel with its reference, and print what is found."""
    answer = await called(client, "compare", python=source, args=arguments, rtol=1e-5, schedules=["eager", "late"])
    outcomes = [f"{run['schedule']}: {run['outcome']}" for run in answer["runs"] or []]
    print(f"compare → {answer['status']}; {', '.join(outcomes)}")
    for found in answer["findings"]:
        print(f"  {found['code']} {found['slug']}: {found['message']}")
        places = (
            f"line {found['line']}" if found["other"] is None else f"lines {found['other']['line']} and {found['line']}"
        )
        print(f"    {places}: {found['text'].strip()}")
        print(f"    help: {found['help']}")
    return answer["findings"]


async def mend(client: Client) -> None:
    for file, arguments, code, (old, new) in BROKEN:
        source = (HERE / file).read_text(encoding="utf-8")
        title = source.splitlines()[0].strip('"')
        print(f"== {file}: {title}")
        findings = await compared(client, source, arguments)
        cause = next(found for found in findings if found["code"] == code)
        step = cause["next"]
        text = (await called(client, step["tool"], **step["arguments"]))["text"]
        print(f"{step['tool']} {step['arguments']['what']} → {text.splitlines()[0]}")
        print(*(f"  {line}" for line in text.partition("```diff")[2].partition("```")[0].splitlines()[1:]), sep="\n")
        assert source.count(old) == 1
        mended = source.replace(old, new)
        print(
            "changed:", *list(unified_diff(source.splitlines(), mended.splitlines(), n=1, lineterm=""))[3:], sep="\n  "
        )
        assert not await compared(client, mended, arguments)
        print()


async def main() -> None:
    async with Client(SERVER) as client:
        await mend(client)


if __name__ == "__main__":
    anyio.run(main)
