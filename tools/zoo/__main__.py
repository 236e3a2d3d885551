"""What NVIDIA's compute-sanitizer finds in the bug zoo, beside what ptxlab finds.

python -m tools.zoo watch OUT [--seconds 240] [--shards 4] [--new]    where there is a GPU and compute-sanitizer: logs of four tools
python -m tools.zoo record LOGS --gpu NAME --driver D --version V [--new]    make tests/sanitizer/beside.json of them
python -m tools.zoo page    write docs/reference/sanitizer-beside.md; python -m tools.generate does it, too
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tools.zoo.page import RECORD, write
from tools.zoo.record import record
from tools.zoo.watch import watch


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.zoo", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    watching = commands.add_parser("watch")
    watching.add_argument("out", type=Path)
    watching.add_argument("--seconds", type=float, default=240.0)
    watching.add_argument("--shards", type=int, default=4)
    watching.add_argument("--new", action="store_true", help="only kernels that the record lacks")
    recording = commands.add_parser("record")
    recording.add_argument(
        "--new", action="store_true", help="add to the record, where it is of the same circumstances"
    )
    recording.add_argument("logs", type=Path)
    for name in ("--gpu", "--driver", "--version"):
        recording.add_argument(name, required=True)
    commands.add_parser("page")
    options = parser.parse_args()
    held = json.loads(RECORD.read_text(encoding="utf-8"))
    if options.command == "watch":
        watch(options.out, options.seconds, options.shards, held["kernels"] if options.new else ())
    elif options.command == "record":
        circumstances = {"gpu": options.gpu, "driver": options.driver, "compute-sanitizer": options.version}
        kernels = record(sorted(options.logs.glob("*.log")))
        if options.new:
            if {k: v for k, v in held.items() if k != "kernels"} != circumstances:
                parser.error(
                    f"the record is of other circumstances: record all kernels, not --new ones, of {circumstances}"
                )
            kernels = {**held["kernels"], **kernels}
        RECORD.write_text(
            json.dumps({**circumstances, "kernels": kernels}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    else:
        write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
