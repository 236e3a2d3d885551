"""Launches every kernel of a shard of the zoo on the GPU, each under an entry name of its own: `worker.py FIRST STEP SKIPPED…`.

It runs under compute-sanitizer, whose messages name the entry. A line `## NUMBER WORD` says what is going on.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import ptxlab as px
from tools.zoo.items import entry, items


def main(first: int, step: int, skipped: frozenset[int]) -> int:
    from sanitizer import on_gpu  # pyright: ignore[reportMissingImports]

    parse: Any = px.parse
    all_items = items()
    for number in range(first, len(all_items), step):
        if number in skipped:
            continue
        name = entry(number)

        def named(text: str, file: str, name: str = name) -> dict[str, Any]:
            return {"k": parse(text.replace(".entry k(", f".entry {name}("), file)[name]}

        px.parse = named  # type: ignore[assignment]
        print(f"## {number} start", flush=True)
        try:
            right = all(np.array_equal(got, wanted) for got, wanted in on_gpu.results(*all_items[number]))
        except Exception as e:  # the context is lost: the next process goes on behind it
            print(f"## {number} error {str(e)[:200]!r}", flush=True)
            return 3
        print(f"## {number} {'right' if right else 'wrong'}", flush=True)
    print("## end", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), frozenset(map(int, sys.argv[3:]))))
