"""`ptxlab tensormap`: read, compare, make and draw the 128 bytes of a tensor map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptxlab.commands.specs import bad, extents
from ptxlab.commands.tensormap_input import map_bytes
from ptxlab.diag import Diagnostic
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_report import Report, differences, report

_MODES: Final = ("tiled", "im2col", "im2col_wide")


@dataclass(frozen=True, slots=True)
class Words:
    """The options of `encode` as they were written; lists innermost first, like `64x128`. None is what was left out."""

    mode: str = "tiled"
    dtype: str | None = None
    address: str | None = None
    dims: str | None = None
    strides: str | None = None
    box: str | None = None
    element_strides: str | None = None
    interleave: str = "none"
    swizzle: str = "none"
    l2_promotion: str = "none"
    oob_fill: str = "zero"
    lower: str | None = None
    upper: str | None = None
    channels: int | None = None
    pixels: int | None = None
    wide: str = "w"
    target: str = "sm_90"


_OF_MODE: Final = {
    "tiled": ("box",),
    "im2col": ("lower", "upper", "channels", "pixels"),
    "im2col_wide": ("lower", "upper", "channels", "pixels"),
}


def decode(
    source: str, offset: int = 0, as_json: bool = False, picture: Path | None = None, at: str | None = None
) -> int:
    """Print what a map says; draw it too where a file for that is named.

    Returns: 1 where the map breaks a rule of the driver, else 0.

    Raises: Diagnostic PTX2116 for bytes that are no map, PTX2500, PTX2501 for bad words and files.
    """
    data = map_bytes(source, offset)
    made = report(TensorMap.decode(data), data)
    if picture is not None:
        draw(made.map, picture, at)
    if as_json:
        print(json.dumps(made.json(), ensure_ascii=False, indent=1))
    else:
        show(made)
    return 1 if made.broken else 0


def diff(a: str, b: str, as_json: bool = False) -> int:
    """Print the fields in which two maps differ.

    Returns: 1 where there are any, else 0. Raises as `decode` does.
    """
    found = differences(map_bytes(a), map_bytes(b))
    if as_json:
        print(
            json.dumps([{"field": name, "a": one, "b": two} for name, one, two in found], ensure_ascii=False, indent=1)
        )
        return 1 if found else 0
    console = Console()
    if not found:
        console.print("the same tensor map")
        return 0
    table = Table("field", "A", "B", title="Two tensor maps")
    for row in found:
        table.add_row(*map(escape, row))
    console.print(table)
    return 1


def encode(
    words: Words, as_json: bool = False, explain: bool = False, out: Path | None = None, picture: Path | None = None
) -> int:
    """Make a map from words and print its bytes, or write them to a file.

    Returns: 0.

    Raises: Diagnostic PTX21xx for what a driver would refuse, PTX2501 for bad options, PTX2500 where a file cannot be written.
    """
    m = made(words)
    data = m.encode(words.target)
    if out is not None:
        _write(out, data)
    if picture is not None:
        draw(m, picture, None)
    if as_json:
        print(json.dumps(report(m, data).json(), ensure_ascii=False, indent=1))
    elif explain:
        show(report(m, data))
    elif out is None:
        print(data.hex())
    return 0


def picture(source: str, out: Path | None = None, at: str | None = None, offset: int = 0) -> int:
    """Draw where one copy's chunks lie: into a file, or as text on the terminal.

    Returns: 0.

    Raises: Diagnostic PTX2117, PTX2118 for what cannot be placed, and as `decode` does.
    """
    from ptxlab.view.tensormap import text_picture

    m = TensorMap.decode(map_bytes(source, offset))
    if out is not None:
        draw(m, out, at)
    else:
        print(text_picture(m, None if at is None else extents("--at", at)))
    return 0


def made(words: Words) -> TensorMap:
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


def _strides(words: Words, dims: Sequence[int]) -> tuple[int, ...]:
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
    from ptxlab.view.tensormap import tensor_map_picture

    tensor_map_picture(m, path, coordinates=None if at is None else extents("--at", at))


def _write(path: Path, data: bytes) -> None:
    from ptxlab.abi.cache import atomic_write

    try:
        atomic_write(path, (data,))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None


def show(made: Report, console: Console | None = None) -> None:
    """Print a report for people."""
    out = console or Console()
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
