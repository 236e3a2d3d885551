"""`ptxlab tensormap`: read, compare, make and draw the 128 bytes of a tensor map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptxlab.commands.command import AsJson, Command
from ptxlab.commands.files import write_file
from ptxlab.commands.shell import write
from ptxlab.commands.specs import bad, extents
from ptxlab.commands.tensormap_input import map_bytes
from ptxlab.diag import console
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_report import Report, differences, report

_MODES: Final = ("tiled", "im2col", "im2col_wide")


List = Annotated[str | None, typer.Option(metavar="AxB…", help="innermost dimension first")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodeOptions:
    """A map in words; lists innermost first, like `64x128`. None is what was left out."""

    mode: Annotated[str, typer.Option(metavar="tiled|im2col|im2col_wide", help="how copies go through it")] = "tiled"
    dtype: Annotated[str | None, typer.Option(metavar="u8…16u6_align16b", help="element type")] = None
    address: Annotated[str | None, typer.Option(metavar="N", help="of element 0; default 0")] = None
    dims: List = None
    strides: Annotated[
        str | None,
        typer.Option(metavar="AxB…", help="bytes, one for each dimension but the innermost; default without gaps"),
    ] = None
    box: List = None
    element_strides: List = None
    interleave: Annotated[str, typer.Option(metavar="none|16B|32B", help="how channels are interleaved in memory")] = "none"
    swizzle: Annotated[
        str,
        typer.Option(metavar="MODE", help="none, 32B, 64B, 128B, 128B_atom_32B, 128B_atom_32B_flip_8B, 128B_atom_64B"),
    ] = "none"
    l2_promotion: Annotated[str, typer.Option(metavar="none|64B|128B|256B", help="what L2 reads at least")] = "none"
    oob_fill: Annotated[str, typer.Option(metavar="zero|nan", help="what elements outside the tensor read as")] = "zero"
    lower: Annotated[str | None, typer.Option(metavar="AxB…", help="im2col: corner of the bounding box, W first")] = (
        None
    )
    upper: Annotated[str | None, typer.Option(metavar="AxB…", help="im2col: the other corner")] = None
    channels: Annotated[int | None, typer.Option(metavar="N", help="im2col: of one copy")] = None
    pixels: Annotated[int | None, typer.Option(metavar="N", help="im2col: of one copy")] = None
    wide: Annotated[str, typer.Option(metavar="w|w128", help="im2col_wide: which instruction uses it")] = "w"
    target: Annotated[str, typer.Option(metavar="sm_90|sm_100", help="whose layout the bytes have")] = "sm_90"
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="write the bytes there")] = None
    json: AsJson = False
    explain: Annotated[bool, typer.Option("--explain", help="say what decode says, too")] = False
    picture: Picture = None


_OF_MODE: Final = {
    "tiled": ("box",),
    "im2col": ("lower", "upper", "channels", "pixels"),
    "im2col_wide": ("lower", "upper", "channels", "pixels"),
}


MapBytes = Annotated[
    str,
    typer.Argument(
        metavar="HEX|FILE", help="256 digits, 16 words 0x… of a dump, or a file of either or of bytes; - reads on"
    ),
]
Offset = Annotated[int, typer.Option(metavar="BYTES", help="where in a file of bytes the map begins")]
Picture = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE", help="draw one copy into a .png, .svg or .pdf")
]
At = Annotated[
    str | None, typer.Option("--at", metavar="XxY", help="coordinates of the copy, innermost first; default 0")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeOptions:
    """What to decode, and how it is shown."""

    source: MapBytes
    offset: Offset = 0
    json: AsJson = False
    picture: Picture = None
    at: At = None


def decode(options: DecodeOptions) -> int:
    """Print what a map says; draw it too where a file for that is named.

    Returns: 1 where the map breaks a rule of the driver, else 0.

    Raises: Diagnostic PTX2116 for bytes that are no map, PTX2500, PTX2501 for bad words and files.
    """
    data = map_bytes(options.source, options.offset)
    made = report(TensorMap.decode(data), data)
    if options.picture is not None:
        draw(made.map, options.picture, options.at)
    if options.json:
        write(json.dumps(made.json(), indent=1) + "\n")
    else:
        show(made)
    return 1 if made.broken else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Which two to compare."""

    a: MapBytes
    b: MapBytes
    json: AsJson = False


def diff(options: DiffOptions) -> int:
    """Print the fields in which two maps differ.

    Returns: 1 where there are any, else 0. Raises as `decode` does.
    """
    if options.a == options.b == "-":
        raise bad("Standard input is one map, and not two.", "name a file for the other one")
    found = differences(map_bytes(options.a), map_bytes(options.b))
    if options.json:
        write(json.dumps([{"field": name, "a": one, "b": two} for name, one, two in found], indent=1) + "\n")
        return 1 if found else 0
    out = console()
    if not found:
        out.print("the same tensor map")
        return 0
    table = Table("field", "A", "B", title="Two tensor maps")
    for row in found:
        table.add_row(*map(escape, row))
    out.print(table)
    return 1


def encode(options: EncodeOptions) -> int:
    """Make a map from words and print its bytes, or write them to a file.

    Returns: 0.

    Raises: Diagnostic PTX21xx for what a driver would refuse, PTX2501 for bad options, PTX2500 where a file cannot be written.
    """
    m = made(options)
    data = m.encode(options.target)
    if options.out is not None:
        write_file(options.out, data)
    if options.picture is not None:
        draw(m, options.picture, None)
    if options.json:
        write(json.dumps(report(m, data).json(), indent=1) + "\n")
    elif options.explain:
        show(report(m, data))
    elif options.out is None:
        write(data.hex() + "\n")
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """What to draw, and where."""

    source: MapBytes
    out: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="a .png, .svg or .pdf; left out: text on the terminal")
    ] = None
    at: At = None
    offset: Offset = 0


def picture(options: PictureOptions) -> int:
    """Draw where one copy's chunks lie: into a file, or as text on the terminal.

    Returns: 0.

    Raises: Diagnostic PTX2117, PTX2118 for what cannot be placed, and as `decode` does.
    """
    from ptxlab.view.tensormap import text_picture

    m = TensorMap.decode(map_bytes(options.source, options.offset))
    if options.out is not None:
        draw(m, options.out, options.at)
    else:
        out = console()
        drawn = text_picture(m, None if options.at is None else extents("--at", options.at))
        out.print(drawn, markup=False, highlight=False, soft_wrap=True)
    return 0


def made(words: EncodeOptions) -> TensorMap:
    """The map that the options ask for. Raises as `encode` does."""
    if words.mode not in _MODES:
        raise bad(f"--mode {words.mode!r} is none.", f"use one of {', '.join(_MODES)}")
    wanted = ("dtype", "dims", *_OF_MODE[words.mode])
    missing = [_option(name) for name in wanted if getattr(words, name) is None]
    if missing:
        raise bad(
            f"A map in {words.mode} mode needs {', '.join(missing)}.", "lists are innermost first, e.g. --dims 1024x512"
        )
    others = {name for names in _OF_MODE.values() for name in names} - set(_OF_MODE[words.mode])
    given = [_option(x.name) for x in fields(words) if x.name in others and getattr(words, x.name) is not None]
    if given:
        raise bad(f"A map in {words.mode} mode has no {', '.join(given)}.", "leave it out, or choose another --mode")
    assert words.dims is not None
    assert words.dtype is not None
    dims = extents("--dims", words.dims)
    common: dict[str, Any] = {
        "dtype": words.dtype,
        "address": _integer("--address", words.address or "0"),
        "dims": dims,
        "strides": _strides(words, dims),
        "element_strides": _list("--element-strides", words.element_strides),
        "interleave": words.interleave,
        "swizzle": words.swizzle,
        "l2_promotion": words.l2_promotion,
        "oob_fill": words.oob_fill,
        "target": words.target,
    }
    if words.mode == "tiled":
        return TensorMap.tiled(box=_list("--box", words.box) or (), **common)
    common |= {"channels": words.channels, "pixels": words.pixels}
    lower, upper = (_list(name, text) or () for name, text in (("--lower", words.lower), ("--upper", words.upper)))
    if words.mode == "im2col":
        return TensorMap.im2col(lower=lower, upper=upper, **common)
    if len(lower) != 1 or len(upper) != 1:
        raise bad(
            "im2col_wide takes one offset, that of W, for --lower and --upper.", "write e.g. --lower -1 --upper 0"
        )
    return TensorMap.im2col_wide(lower=lower[0], upper=upper[0], mode=words.wide, **common)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _list(option: str, text: str | None) -> tuple[int, ...] | None:
    return None if text is None else extents(option, text)


def _integer(option: str, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise bad(f"{option} {text[:40]!r} is no integer.", "write e.g. 0x7f0000000000") from None


def _strides(words: EncodeOptions, dims: Sequence[int]) -> tuple[int, ...]:
    """As given, or those of a tensor without gaps."""
    if words.strides is not None:
        return extents("--strides", words.strides) if words.strides else ()
    element = f.ELEMENT_TYPES.get(str(words.dtype))
    step, out = element.bits if element else 8, list[int]()
    for dim in dims[:-1]:
        step *= dim
        out.append(step // 8)
    return tuple(out)


def draw(m: TensorMap, path: Path, at: str | None) -> None:
    """Draw a map's box into a file. Raises: Diagnostic PTX2117, PTX2118, PTX2500, PTX2501."""
    from ptxlab.view.pictures import tensor_map_picture

    tensor_map_picture(m, path, coordinates=None if at is None else extents("--at", at))


def show(made: Report) -> None:
    """Print a report for people."""
    out = console()
    table = Table(title="Tensor map", title_justify="left")
    table.add_column("field")
    table.add_column("says")
    table.add_column("bits", style="dim")
    table.add_column("raw", justify="right", style="dim")
    for e in made.entries:
        table.add_row(e.name, escape(e.words), e.where, " ".join(f"{r:#x}" for r in e.raw))
    out.print(table)
    _section(out, "Addresses", made.reach)
    _section(out, "A copy", _copy(made))
    for d in made.broken:
        out.print(
            f"[bold red]refused[/] {d.code} {escape(d.message)}" + (f" [dim]{escape(d.help)}[/]" if d.help else "")
        )
    for d in made.doubts:
        out.print(
            f"[yellow]suspicious[/] [bold]{d.kind}[/]: {escape(d.message)} [dim]{escape(d.help)}[/]", soft_wrap=True
        )
    for text in made.map.unverified:
        out.print(f"[yellow]unverified[/] {escape(text)}", soft_wrap=True)
    if not made.broken and not made.doubts:
        out.print("[green]nothing suspicious[/]")


def _section(out: Console, title: str, lines: Sequence[str]) -> None:
    out.print(f"[bold]{title}[/]")
    for line in lines:
        out.print(f"  {escape(line)}", soft_wrap=True)


def _copy(made: Report) -> list[str]:
    s, m = made.shape, made.map
    what = "pixels of channels" if m.window else "rows"
    lines = [
        f"takes {' × '.join(map(str, s.counts))} {'channels × pixels' if m.window else 'elements'}: {s.rows} {what}, "
        f"{s.row_bytes} bytes each",
        f"expect_tx {s.transaction_bytes} bytes, whatever lies out of bounds",
        f"fills {s.shared_bytes} bytes of shared memory at a pitch of {s.pitch}; align the buffer to {s.alignment}",
    ]
    if m.swizzle != "none":
        lines.append(f"16-byte chunks trade places within {f.SPAN[m.swizzle]} bytes by the address of their row")
    return lines


COMMANDS: Final = {
    "decode": Command(
        DecodeOptions,
        decode,
        "Say what a map holds, what it can address, what a copy moves, and what looks wrong.\n\n"
        "The status is 1 where a driver would refuse such a map.",
    ),
    "diff": Command(
        DiffOptions, diff, "Show the fields in which two maps differ. The status is 1 where there are any."
    ),
    "picture": Command(
        PictureOptions, picture, "Draw which chunks a copy takes and where each lands in shared memory."
    ),
    "encode": Command(
        EncodeOptions,
        encode,
        "Make the bytes that the driver makes, without one.",
        settings={"ignore_unknown_options": True},  # --lower -1x-1
    ),
}
