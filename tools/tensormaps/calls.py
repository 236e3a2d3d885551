"""`python -m tools.tensormaps.calls --count 100000 --seed 1 OUT.jsonl`: fresh random calls, the driver beside ptxlab.

Every call goes to cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col or cuTensorMapEncodeIm2colWide and to `TensorMap`. Both
refuse it, or both make the same 128 bytes; anything else is a difference, and is written down with the numbers.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ptxlab.diag import Diagnostic
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap import TensorMap
from tools.tensormaps.dice import DTYPES, KINDS, SWIZZLES, Call, calls

RECORD: Final = Path(__file__).parents[2] / "benchmarks" / "records" / "tensormap_calls.jsonl"
_SHOWN: Final = 100
_ALIGN: Final = 128
_ENTRIES: Final = {
    "tiled": ("cuTensorMapEncodeTiled", 12000),
    "im2col": ("cuTensorMapEncodeIm2col", 12000),
    "im2col_wide": ("cuTensorMapEncodeIm2colWide", 12080),
}

Encoder = Callable[[Call], "bytes | int"]


def made(call: Call) -> TensorMap:
    """The map that a call in the driver's numbers asks for. Raises: Diagnostic PTX21xx where the driver would refuse."""
    common: dict[str, Any] = {
        "dtype": _word(DTYPES, call["dt"]),
        "address": call["addr"],
        "dims": call["dim"],
        "strides": call["str"],
        "element_strides": call["es"],
        "interleave": _word(f.INTERLEAVES, call["il"]),
        "swizzle": _word(SWIZZLES, call["sw"]),
        "l2_promotion": _word(f.L2_PROMOTIONS, call["l2"]),
        "oob_fill": _word(f.OOB_FILLS, call["oob"]),
    }
    if call["kind"] == "tiled":
        return TensorMap.tiled(box=call["box"], **common)
    common |= {"lower": call["lo"], "upper": call["hi"], "channels": call["cpp"], "pixels": call["ppc"]}
    if call["kind"] == "im2col":
        return TensorMap.im2col(**common)
    return TensorMap.im2col_wide(mode=_word(("w", "w128"), call["mode"]), **common)


def _word(words: Sequence[str], number: int) -> str:
    return words[number] if number < len(words) else f"value {number}"


def ours(call: Call) -> bytes | Diagnostic:
    """What ptxlab makes of a call: the bytes, or why not."""
    try:
        return made(call).encode()
    except Diagnostic as d:
        return d


def driver() -> Encoder:
    """The driver's encoders: 128 bytes, or the number of the error.

    The functions are called at their addresses: a map must lie on 64 bytes, which the objects of cuda-bindings need not.

    Raises: Diagnostic PTX2304, PTX2422 without a driver, PTX2420 where it has no such function.
    """
    from ptxlab.cuda.driver import bindings, check, device

    device().adopt()
    api = bindings()
    functions: dict[str, Any] = {}
    for kind, (name, version) in _ENTRIES.items():
        address = int(check(api.cuGetProcAddress(name.encode(), version, 0), "cuGetProcAddress")[0])
        if not address:
            raise Diagnostic("PTX2420", f"This driver has no {name}.", help="use a newer driver")
        functions[kind] = ctypes.CFUNCTYPE(ctypes.c_int, *_signature(kind))(address)
    memory = (ctypes.c_ubyte * (f.NBYTES + _ALIGN))()
    place = -(-ctypes.addressof(memory) // _ALIGN) * _ALIGN

    def encode(call: Call, _keep: Any = memory) -> bytes | int:
        ctypes.memset(place, 0xCC, f.NBYTES)  # what the driver leaves alone would differ
        error = functions[call["kind"]](place, *_arguments(call))
        return int(error) if error else ctypes.string_at(place, f.NBYTES)

    return encode


def _signature(kind: str) -> list[Any]:
    number, pointer = ctypes.c_uint32, ctypes.c_void_p
    corner = ctypes.c_int32 if kind == "im2col_wide" else pointer
    box = [pointer] if kind == "tiled" else [corner, corner, number, number]
    return [
        pointer,
        number,
        number,
        ctypes.c_uint64,
        pointer,
        pointer,
        *box,
        pointer,
        *[number] * (5 if kind == "im2col_wide" else 4),
    ]


def _arguments(call: Call) -> list[Any]:
    wide, word, corner = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int32
    head = [call["dt"], call["rank"], call["addr"], _array(wide, call["dim"]), _array(wide, call["str"])]
    if call["kind"] == "tiled":
        box: list[Any] = [_array(word, call["box"])]
    elif call["kind"] == "im2col":
        box = [_array(corner, call["lo"]), _array(corner, call["hi"]), call["cpp"], call["ppc"]]
    else:
        box = [call["lo"], call["hi"], call["cpp"], call["ppc"]]
    mode = [call["mode"]] if call["kind"] == "im2col_wide" else []
    return [*head, *box, _array(word, call["es"]), call["il"], *mode, call["sw"], call["l2"], call["oob"]]


def _array(kind: Any, values: list[int]) -> Any:
    return (kind * max(1, len(values)))(*values)


@dataclass
class Outcome:
    """What came of the calls.

    Attributes:
        accepted, refused: calls by entry point, as the driver had it.
        rules: the first rule that ptxlab names, over the refused calls.
        seen: accepted calls by mode (`dtype u8`, `swizzle 32B`, …).
        errors: the driver's error numbers.
        different: calls on which the two do not agree, with both answers.
    """

    accepted: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    rules: Counter[str] = field(default_factory=Counter[str])
    seen: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[int] = field(default_factory=Counter[int])
    different: list[Call] = field(default_factory=list[Call])


def compare(asked: Iterable[Call], encode: Encoder) -> Outcome:
    """Ask both, call by call."""
    out = Outcome()
    for call in asked:
        theirs, mine = encode(call), ours(call)
        if isinstance(theirs, bytes):
            out.accepted[call["kind"]] += 1
            out.seen.update(_modes(call))
        else:
            out.refused[call["kind"]] += 1
            out.errors[theirs] += 1
            if isinstance(mine, Diagnostic):
                out.rules[mine.code] += 1
        agree = theirs == mine if isinstance(theirs, bytes) else isinstance(mine, Diagnostic)
        if not agree:
            out.different.append(call | {"driver": _answer(theirs), "ptxlab": _answer(mine)})
    return out


def _modes(call: Call) -> list[str]:
    names = (("dtype", DTYPES, "dt"), ("swizzle", SWIZZLES, "sw"), ("interleave", f.INTERLEAVES, "il"))
    return [f"{name} {_word(words, call[key])}" for name, words, key in names] + [f"rank {call['rank']}"]


def _answer(answer: bytes | int | Diagnostic) -> str:
    if isinstance(answer, bytes):
        return answer.hex()
    return f"error {answer}" if isinstance(answer, int) else f"{answer.code}: {answer.message}"


def record(out: Outcome, count: int, seed: int, seconds: float) -> dict[str, Any]:
    """The outcome as one JSON object."""
    from ptxlab.bench import machine
    from ptxlab.cuda.driver import device

    gpu = device()
    return {
        "date": machine.today(),
        "gpu": gpu.name,
        "driver": machine.gpu().get("driver_version", "unknown"),
        "cuda": ".".join(map(str, gpu.driver)),
        "calls": count,
        "seed": seed,
        "seconds": round(seconds, 1),
        "entries": {k: {"accepted": out.accepted[k], "refused": out.refused[k]} for k in KINDS},
        "differences": len(out.different),
        "errors": {str(k): v for k, v in out.errors.most_common()},
        "refused_by": dict(sorted(out.rules.items())),
        "accepted_of": dict(sorted(out.seen.items())),
        "different": out.different[:_SHOWN],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, say what came of it, and append it to the record. Returns: 1 where the two differ."""
    from ptxlab.bench import records

    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tools.tensormaps.calls")
    parser.add_argument("out", nargs="?", type=Path, default=RECORD, metavar="OUT.jsonl")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began = time.perf_counter()
    try:
        out = compare(calls(options.count, options.seed), driver())
        records.append(options.out, record(out, options.count, options.seed, time.perf_counter() - began))
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1
    for kind in KINDS:
        print(f"{kind}: {out.accepted[kind]} accepted, {out.refused[kind]} refused")
    print(f"{options.count} calls, {len(out.different)} differences")
    for one in out.different[:5]:
        print(one)
    return 1 if out.different else 0


if __name__ == "__main__":
    sys.exit(main())
