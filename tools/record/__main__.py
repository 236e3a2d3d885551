"""`python -m tools.record`: record what an H100 computes, moves and decides, or hold another GPU to the record."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ptxlab.abi.sanitizing import when_asked
from ptxlab.conformance.addresses.launches import LAUNCHES
from ptxlab.diag import Diagnostic
from tools.record import addresses, again, compact, digests, functions, repeats, suites, tma


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.record", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    whole = commands.add_parser("suites", help="rows, micro-kernels and random programs; goes on with what is begun")
    held = commands.add_parser("again", help="run what a record holds on this GPU, and show what differs")
    for one in (whole, held):
        one.add_argument("folder", type=Path)
        one.add_argument(
            "--family", action="append", default=[], help="file of isa/rows/, or programs; may be repeated"
        )
    whole.add_argument("--seed", type=int, help="of the operands; that of the files where left out")
    whole.add_argument(
        "--beside", type=Path, help="folder of a record of another GPU: leave out what it holds, keep digests"
    )
    whole.add_argument("--shards", type=int, default=4, help="parts after which a file is written")
    maps = commands.add_parser("tma", help="tensor maps, and copies and reductions through them")
    maps.add_argument("file", type=Path)
    maps.add_argument("--seed", type=int, default=0)
    commands.add_parser("addresses", help="what addresses of shared memory are").add_argument("file", type=Path)
    commands.add_parser("launches", help="what launches show: special registers, clusters of one").add_argument(
        "file", type=Path
    )
    commands.add_parser("compact", help="make the record that the package carries from a checkout's; needs no GPU")
    approximate = commands.add_parser(
        "functions", help="all results of approximate functions; goes on with what is begun"
    )
    approximate.add_argument("file", type=Path, nargs="?", default=functions.RECORD)
    outputs = commands.add_parser("digests", help="what whole kernels write")
    outputs.add_argument("file", type=Path, nargs="?", help="default the record itself")
    outputs.add_argument("--of", choices=digests.SETS, default="kernels", help="which kernels; default %(default)s")
    outputs.add_argument("--bands", action="store_true", help="add the bands that the record lacks; needs no GPU")
    again_and_again = commands.add_parser("repeats", help="launch every kernel many times, and compare the outputs")
    again_and_again.add_argument("file", type=Path, nargs="?", default=repeats.RECORD)
    again_and_again.add_argument("--launches", type=int, default=1000)
    return parser.parse_args(arguments)


@when_asked()
def main(arguments: Sequence[str] | None = None) -> int:
    """Record. Returns: 0; 1 where something differs or fails, 3 where the same command has to go on."""
    options = _options(arguments)
    try:
        match options.command:
            case "suites":
                return suites.main(options.folder, options.seed, options.shards, options.family, options.beside)
            case "again":
                return again.main(options.folder, options.family)
            case "tma":
                return tma.main(options.file, options.seed)
            case "addresses":
                return addresses.main(options.file)
            case "launches":
                return addresses.main(options.file, LAUNCHES)
            case "functions":
                return functions.main(options.file)
            case "compact":
                return compact.main()
            case "repeats":
                return repeats.main(options.file, options.launches)
            case _ if options.bands:
                return digests.add_bands(options.of)
            case _:
                return digests.main(options.of, options.file)
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
