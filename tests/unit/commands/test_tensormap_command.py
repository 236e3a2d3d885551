"""`ptxlab tensormap`: bytes in every spelling, what is printed, and mistakes as one diagnostic each."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from ptxlab.cli import app
from ptxlab.commands.tensormap_input import map_bytes
from ptxlab.diag import Diagnostic
from ptxlab.layout import TensorMap

GOOD: dict[str, Any] = {
    "dtype": "bf16",
    "address": 1 << 32,
    "dims": (1024, 512),
    "strides": (2048,),
    "box": (64, 128),
    "swizzle": "128B",
}
OPTIONS = shlex.split("--dtype bf16 --address 0x100000000 --dims 1024x512 --strides 2048 --box 64x128 --swizzle 128B")
DATA = TensorMap.tiled(**GOOD).encode()


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "220")


def run(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(app, ["tensormap", *words], input=stdin)


def words(data: bytes, size: int, form: str = "0x{:x}") -> str:
    return ", ".join(form.format(int.from_bytes(data[i : i + size], "little")) for i in range(0, len(data), size))


SPELLINGS = {
    "digits": DATA.hex(),
    "upper case with 0x": "0x" + DATA.hex().upper(),
    "pairs": DATA.hex(" "),
    "colons": DATA.hex(":"),
    "rows": "\n".join(DATA.hex()[i : i + 32] for i in range(0, 256, 32)),
    "64-bit words": words(DATA, 8),
    "64-bit words with zeros": "{" + words(DATA, 8, "0x{:016x}") + "}",
    "32-bit words": words(DATA, 4),
    "bytes in C": words(DATA, 1),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("place", ["argument", "file", "stdin"])
def test_bytes_in_every_spelling(tmp_path: Path, spelling: str, place: str) -> None:
    file = tmp_path / "map.txt"
    file.write_text(spelling + "\n")
    source = {"argument": spelling, "file": str(file), "stdin": "-"}[place]
    done = run("decode", source, "--json", stdin=spelling.encode())
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["bytes"] == DATA.hex()
    assert found["dims"] == [1024, 512]
    assert (found["transaction_bytes"], found["shared_bytes"], found["alignment"]) == (16384, 16384, 1024)
    assert found["suspicious"] == found["broken"] == []


def test_a_file_of_bytes_and_a_map_within_it(tmp_path: Path) -> None:
    (tmp_path / "map.bin").write_bytes(DATA)
    (tmp_path / "params.bin").write_bytes(bytes(64) + DATA + bytes(8))
    assert run("decode", str(tmp_path / "map.bin")).exit_code == 0
    done = run("decode", str(tmp_path / "params.bin"), "--offset", "64", "--json")
    assert json.loads(done.stdout)["address"] == 1 << 32


def test_decode_speaks_of_every_field() -> None:
    done = run("decode", DATA.hex())
    assert done.exit_code == 0
    for text in (
        "1024 elements",
        "2048 bytes (dimension 1)",
        "bf16, 2 bytes",
        "repeating every 1024",
        "440–447",
        "0x3f",
    ):
        assert text in done.stdout
    for text in ("expect_tx 16384 bytes", "align the buffer to 1024", "16 × 4 = 64 boxes", "nothing suspicious"):
        assert text in done.stdout


def test_decode_shows_what_is_wrong() -> None:
    data = bytearray(DATA)
    data[0] = 8  # the address
    done = run("decode", data.hex())
    assert done.exit_code == 1
    assert "refused PTX2101" in done.stdout
    done = run("decode", TensorMap.tiled(**(GOOD | {"strides": (0,)})).encode().hex())
    assert done.exit_code == 0
    assert "suspicious stride-zero" in done.stdout


def test_diff() -> None:
    other = TensorMap.tiled(**(GOOD | {"box": (64, 64)})).encode()
    assert run("diff", DATA.hex(), DATA.hex()).exit_code == 0
    done = run("diff", DATA.hex(), other.hex())
    assert done.exit_code == 1
    assert "box[1]" in done.stdout
    assert "64 elements" in done.stdout
    found = json.loads(run("diff", DATA.hex(), other.hex(), "--json").stdout)
    assert [d["field"] for d in found] == ["box[1]", "byte count"]


ENCODINGS = {
    "tiled": (OPTIONS, DATA),
    "tiled, strides left out": (
        shlex.split("--dtype f32 --dims 64x32x8 --box 32x8x1 --l2-promotion 256B --oob-fill nan --element-strides 1x2x1"),
        TensorMap.tiled(
            dtype="f32", address=0, dims=(64, 32, 8), strides=(256, 8192), box=(32, 8, 1), l2_promotion=256, oob_fill="nan",
            element_strides=(1, 2, 1),
        ).encode(),
    ),
    "im2col": (
        shlex.split("--mode im2col --dtype f16 --dims 64x32x32x8 --lower -1x-1 --upper -1x-1 --channels 64 --pixels 32"),
        TensorMap.im2col(
            dtype="f16", address=0, dims=(64, 32, 32, 8), strides=(128, 4096, 131072), lower=(-1, -1), upper=(-1, -1),
            channels=64, pixels=32,
        ).encode(),
    ),
    "im2col_wide": (
        shlex.split("--mode im2col_wide --wide w128 --dtype f16 --dims 64x32x32x8 --lower -1 --upper 2 --channels 64 --pixels 32"),
        TensorMap.im2col_wide(
            dtype="f16", address=0, dims=(64, 32, 32, 8), strides=(128, 4096, 131072), lower=-1, upper=2, channels=64,
            pixels=32, mode="w128",
        ).encode(),
    ),
    "for sm_100": (
        shlex.split("--dtype 16u4_align16b --dims 1024x8 --box 128x8 --swizzle 128B_atom_32B --target sm_100"),
        TensorMap.tiled(
            dtype="16u4_align16b", address=0, dims=(1024, 8), strides=(512,), box=(128, 8), swizzle="128B_atom_32B",
            target="sm_100",
        ).encode("sm_100"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "wanted"), ENCODINGS.values(), ids=ENCODINGS)
def test_encode(tmp_path: Path, options: list[str], wanted: bytes) -> None:
    done = run("encode", *options)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == wanted.hex()
    assert json.loads(run("encode", *options, "--json").stdout)["bytes"] == wanted.hex()
    explained = run("encode", *options, "--explain").stdout
    assert "expect_tx" in explained
    assert ("unverified" in explained) == ("sm_100" in options)
    out = tmp_path / "map.bin"
    assert run("encode", *options, "--out", str(out)).stdout == ""
    assert out.read_bytes() == wanted


def test_pictures(tmp_path: Path) -> None:
    drawn = tmp_path / "box.png"
    assert run("decode", DATA.hex(), "--picture", str(drawn), "--at", "64x8").exit_code == 0
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert run("picture", DATA.hex(), str(tmp_path / "box.svg")).exit_code == 0
    assert (tmp_path / "box.svg").exists()
    done = run("picture", DATA.hex())
    assert done.exit_code == 0
    assert done.stdout.splitlines()[2].split()[1:3] == ["1.1", "1.0"]


REFUSED: dict[str, tuple[list[str], str, str]] = {
    "neither digits nor a file": (["decode", "nowhere.bin"], "PTX2501", "neither a file nor hexadecimal"),
    "an odd number of digits": (["decode", DATA.hex()[1:]], "PTX2501", "no whole bytes"),
    "too few bytes": (["decode", DATA.hex()[:-2]], "PTX2116", "these are 127"),
    "too many bytes": (["decode", DATA.hex() + "00"], "PTX2116", "these are 129"),
    "nothing": (["decode", ""], "PTX2501", "neither"),
    "no known element type": (
        ["decode", (DATA[:8] + b"\x90\x07" + DATA[10:]).hex()],
        "PTX2116",
        "element-type field holds 15",
    ),
    "a folder": (["decode", "."], "PTX2500", "cannot be read"),
    "an offset behind the end": (["decode", DATA.hex(), "--offset", "1"], "PTX2501", "--offset 1"),
    "a negative offset": (["decode", DATA.hex(), "--offset", "-1"], "PTX2501", "--offset -1"),
    "a picture of another kind": (["picture", DATA.hex(), "box.txt"], "PTX2501", "picture"),
    "coordinates of another rank": (["picture", DATA.hex(), "--at", "1x2x3"], "PTX2117", "3 coordinates"),
    "coordinates that are none": (["picture", DATA.hex(), "--at", "far"], "PTX2501", "far"),
    "no dims": (["encode", "--dtype", "u8", "--box", "16"], "PTX2501", "needs --dims"),
    "a box for im2col": (["encode", *OPTIONS, "--mode", "im2col"], "PTX2501", "needs --lower"),
    "corners for a tile": (["encode", *OPTIONS, "--lower", "1"], "PTX2501", "has no --lower"),
    "an unknown mode": (["encode", *OPTIONS, "--mode", "twisted"], "PTX2501", "twisted"),
    "an unknown type": (["encode", *OPTIONS, "--dtype", "f8"], "PTX2112", "f8"),
    "an unknown swizzle": (["encode", *OPTIONS, "--swizzle", "96B"], "PTX2112", "96B"),
    "an unknown target": (["encode", *OPTIONS, "--target", "sm_80"], "PTX2112", "sm_80"),
    "an address that is none": (["encode", *OPTIONS, "--address", "here"], "PTX2501", "here"),
    "dims that are none": (["encode", *OPTIONS, "--dims", "1024*512"], "PTX2501", "1024*512"),
    "a box that is too wide": (["encode", *OPTIONS, "--box", "128x8"], "PTX2107", "wider than the span"),
    "a type of sm_100": (["encode", "--dtype", "16u4_align8b", "--dims", "64", "--box", "32"], "PTX2111", "sm_100"),
    "a folder that is not there": (["encode", *OPTIONS, "--out", "no/such/place.bin"], "PTX2500", "cannot be written"),
    "the wrong number of offsets": (
        shlex.split(
            "encode --mode im2col_wide --dtype u8 --dims 16x4x4 --lower 1x1 --upper 1 --channels 16 --pixels 4"
        ),
        *("PTX2501", "one offset"),
    ),
}


@pytest.mark.parametrize(("words", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_mistakes_are_one_diagnostic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert done.exit_code == (2 if code == "PTX2501" else 1), done.output
    assert f"[{code}]" in done.stderr
    assert message in done.stderr
    assert "help:" in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not list(tmp_path.iterdir())


def one_diagnostic(make: Callable[[], object]) -> Diagnostic | None:
    """What is said against it; any other exception goes on."""
    try:
        make()
    except Diagnostic as d:
        return d
    return None


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300) | st.text("0123456789abcdefx ,", max_size=300))
def test_any_word_is_bytes_or_one_diagnostic(source: str) -> None:
    if source == "-":
        return
    found = one_diagnostic(lambda: map_bytes(source))
    assert found is None or (found.code in ("PTX2500", "PTX2501") and found.help)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=600), st.integers(-5, 600))
def test_any_file_is_a_map_or_one_diagnostic(tmp_path: Path, content: bytes, offset: int) -> None:
    file = tmp_path / "noise"
    file.write_bytes(content)
    found = one_diagnostic(lambda: TensorMap.decode(map_bytes(str(file), offset)))
    assert found is None or (found.code in ("PTX2116", "PTX2501") and found.help)
