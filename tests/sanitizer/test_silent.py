"""The sanitizer is silent on right kernels: ours at their smallest, and those of nvcc, Triton and Gluon but for `known.toml`.

The right kernels of the bug zoo are in test_zoo.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import compiler
import ml_dtypes
import numpy as np
import pytest
import triton_compiler
from triton_runs import RUNS

import ptxlab as px
from ptxlab.abi.sanitizing import Watcher, watching
from ptxlab.conformance.addresses import run as addresses
from ptxlab.conformance.addresses.probes import PROBES as PROBES_OF_ADDRESSES
from ptxlab.conformance.kernels import run as kernel_runs
from ptxlab.conformance.kernels.cases import cases, tails
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.conformance.micro.kernel import THREADS, Micro, MicroBatch
from ptxlab.conformance.micro.run import micros
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.record.results import Ran
from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.probes import probes
from ptxlab.conformance.rows.products import products
from ptxlab.conformance.tma import devices
from ptxlab.conformance.tma import run as tma
from ptxlab.diag import Diagnostic
from ptxlab.kernels import attention, boxes, conv, copies, gemm, grouped_gemm, grouped_packed

BF16, F32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
KNOWN: dict[str, Any] = tomllib.loads((Path(__file__).parent / "known.toml").read_text(encoding="utf-8"))
TRITON = (
    *(
        "add_bf16",
        "total",
        "prefix_sum",
        "atomics",
        "dropout",
        "softmax",
        "transpose",
        "layer_norm",
        "sort",
        "matmul_int8",
    ),
    *("copy_tma_device", "reduce_tma", "matmul_tma_host", "gluon_copy", "gluon_cp_async", "gluon_tma", "gluon_wgmma"),
    *("gluon_specialised", "gluon_ring"),
)
"""Kernels of tests/corpus/triton_kernels.py, all whose findings are known among them."""

Found = set[tuple[str, str, str]]
"""Code, first and second instruction of each finding."""


@contextmanager
def findings() -> Generator[list[Diagnostic], None, None]:
    """What is found in the launches of a block. Errors are raised besides."""
    found: list[Diagnostic] = []
    with watching(Watcher(True, lambda report: found.extend(report.findings))):
        yield found


def numbers(*shape: int, dtype: Any = BF16) -> np.ndarray:
    out = px.empty(shape, dtype)
    out[...] = np.arange(out.size).reshape(shape) % 7
    return out


# --- ours ----------------------------------------------------------------------------------------------------------------
def _grouped(*sizes: tuple[int, int, int]) -> None:
    grouped_gemm.grouped_gemm([(numbers(m, k), numbers(k, n), numbers(m, n)) for m, k, n in sizes])


def _rows_of_groups() -> None:
    offsets = np.array([0, 130, 130, 133], np.int32)
    grouped_packed.grouped_rows(numbers(140, 72), numbers(3, 72, 24), numbers(140, 24), offsets)


def _rooms_of_groups() -> None:
    a, b = numbers(2, 16, 144, dtype=E4M3), numbers(2, 24, 144, dtype=E4M3)
    scales = {"scale_a": np.ones((2, 16, 2), F32), "scale_b": np.ones((2, 1, 2), F32)}
    counts = np.array([3, 16], np.int32)
    grouped_packed.grouped_masked(a, b, numbers(2, 16, 24), counts, b_layout="nk", **scales)


def _parts_of_k() -> None:
    offsets = np.array([0, 70, 70, 75], np.int32)
    grouped_packed.grouped_depth(numbers(80, 136), numbers(80, 24), numbers(3, 136, 24), offsets)


def _attention(depth: int, config: attention.Tiling | None = None, **options: Any) -> None:
    keys, values = (numbers(1, 1, 200, depth) for _ in range(2))
    attention.attention(numbers(1, 2, 140, depth), keys, values, numbers(1, 2, 140, depth), config=config, **options)


def _packed_attention() -> None:
    q, keys, values, o = (numbers(n, 2, 64) for n in (140, 200, 200, 140))
    ends: dict[str, Any] = {
        "q_offsets": np.array([0, 70, 70, 140], np.int32),
        "k_offsets": np.array([0, 50, 90, 180], np.int32),
    }
    attention.attention(q, keys, values, o, causal=True, **ends)


def _fp8_attention() -> None:
    q, keys, values = (numbers(1, 2, n, 64).astype("float8_e4m3fn") for n in (140, 200, 200))
    attention.attention(q, keys, values, numbers(1, 2, 140, 64))


OURS: dict[str, Callable[[], object]] = {
    "copies": lambda: [
        copies.copy_linear(k, numbers(300, dtype=F32), numbers(300, dtype=F32)) for k in copies.LINEAR.values()
    ],
    "copies by maps": lambda: copies.copy_tma(numbers(64, 64, dtype=F32), numbers(64, 64, dtype=F32)),
    "swizzled tile": lambda: copies.dump_swizzled(
        numbers(64, 64, dtype=F32),
        numbers(*copies.dump_shape(16, 32, "128B"), dtype=F32),
        rows=16,
        columns=32,
        swizzle="128B",
    ),
    "boxes": lambda: boxes.copy_boxes(numbers(5, 9, 36, dtype=F32), numbers(5, 9, 36, dtype=F32), box=(2, 4, 16)),
    "reduced boxes": lambda: boxes.reduce_boxes(numbers(5, 7, 48, dtype=F32), numbers(5, 7, 48, dtype=F32), "add"),
    "gemm": lambda: gemm.gemm(numbers(136, 200), numbers(200, 24), numbers(136, 24)),
    "gemm, B along K": lambda: gemm.gemm(numbers(8, 72), numbers(24, 72), numbers(8, 24), b_layout="nk"),
    "gemm by stores": lambda: gemm.gemm(numbers(8, 72), numbers(24, 72)[:21], numbers(8, 21, dtype=F32), b_layout="nk"),
    "gemm, sums of a cluster": lambda: gemm.gemm(
        numbers(72, 136), numbers(136, 72), numbers(72, 72), config="64x64-1c-split2"
    ),
    "gemm, swapped": lambda: gemm.gemm(
        numbers(8, 136), numbers(72, 136).T, numbers(8, 72), config="64x16-1c-swapped-split2"
    ),
    "gemm of three consumers": lambda: gemm.gemm(numbers(72, 72), numbers(72, 72), numbers(72, 72), config="192x64-3c"),
    "gemm of many tiles": lambda: gemm.gemm(numbers(264, 200), numbers(200, 264), numbers(264, 264)),
    "grouped gemm": lambda: _grouped((24, 72, 24), (24, 72, 80)),
    "grouped gemm of other sizes": lambda: _grouped((1, 64, 8), (128, 64, 128), (136, 72, 24), (64, 200, 136)),
    "groups of rows": _rows_of_groups,
    "groups with room for rows, fp8 in blocks": _rooms_of_groups,
    "groups that are parts of K": _parts_of_k,
    "convolution of 1 × 1": lambda: conv.conv2d(numbers(1, 6, 6, 24), numbers(16, 1, 1, 24), numbers(1, 6, 6, 16)),
    "convolution by steps of 2": lambda: conv.conv2d(
        numbers(2, 7, 9, 16), numbers(24, 3, 3, 16), numbers(2, 4, 5, 24), padding=1, stride=2
    ),
    "convolution": lambda: conv.conv2d(numbers(1, 4, 4, 8), numbers(8, 3, 3, 8), numbers(1, 4, 4, 8), padding=1),
    "attention": lambda: _attention(128),
    "attention with three consumers": lambda: _attention(40, causal=True, lse=numbers(1, 2, 140, dtype=F32)),
    "attention without room for results": lambda: _attention(256, window=(30, 20)),
    "attention, one thing after the other": lambda: _attention(64, attention.Tiling(keys=64, stages=1, overlap=False)),
    "attention with sinks and an array of scores": lambda: _attention(
        96,
        sinks=numbers(2, dtype=F32),
        score=lambda k, x, at, bias: bias[at.key],
        score_args=(numbers(200, dtype=F32),),
    ),
    "attention of packed sequences": _packed_attention,
    "attention in fp8": _fp8_attention,
}


@pytest.mark.parametrize("name", OURS)
def test_our_kernels_are_silent(name: str) -> None:
    with findings() as found:
        OURS[name]()
    assert [str(d) for d in found] == []


# --- the conformance suite's --------------------------------------------------------------------------------------------------
SAMPLE = 3
"""Micro-kernels of each family, drawn evenly: some have hundreds."""
FAMILIES = (
    *("async_copy", "bulk", "cluster", "control", "fence", "matrix"),
    *("mbarrier", "memory", "move", "remote", "stack", "video", "warp", "wgmma"),
)


def _sample(family: str) -> list[Micro]:
    """Some micro-kernels of a family, each with no more CTAs than a cluster has."""
    found = [m for m in micros().values() if m.family == family]
    some = found[:: max(1, len(found) // SAMPLE)][:SAMPLE]
    return [replace(m, lanes=max(THREADS * max(m.cluster, 1), m.per)) for m in some]


def test_families_of_micro_kernels_are_known() -> None:
    assert {m.family for m in micros().values()} == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_micro_kernels_are_silent(family: str) -> None:
    found: list[Diagnostic] = []
    for micro in _sample(family):
        batch = MicroBatch((micro,))
        memory, out = px.empty(micro.read_bytes, np.uint8, align=128), px.empty(batch.write_bytes, np.uint8, align=128)
        memory[...], out[...] = micro.memory(1), 0
        grid, block = batch.shape
        kernel = px.parse(batch.text)["k0"]
        report = px.simulate(kernel, grid=grid, block=block, args=[memory, out], lints=False, sanitize=True)
        found += report.findings
    assert [str(d) for d in found] == []


KERNEL_CASES = {case.key: case for case in (*cases(), *tails(), *tensors())}
PROBES = 151
"""One of so many instances of computing rows."""
PROGRAMS = (3, 5)
"""Random programs, of one seed: those that use clusters take longer."""


def test_computing_rows_are_silent() -> None:
    """`ptxlab conformance --sanitized --full` runs them all, and everything else."""
    with findings() as found:
        ran = rows.run(rows.simulator, probes()[::PROBES], products()[::PROBES], seed=1)
    assert len(ran.results) > 20
    assert [str(d) for d in found] == []


@pytest.mark.parametrize("name", ["loads", "replace", "rebound", "bulk"])
def test_copies_and_maps_of_the_suite_are_silent(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors would stop it; of warnings there are none either."""
    monkeypatch.setattr(tma, "LOADS", dict.fromkeys(tma.LOADS, 3))
    monkeypatch.setattr(tma, "REBOUND", 2)
    with findings() as found:
        tma.PARTS[name](devices.Simulator(), 3, Ran({}, {}))
    assert [str(d) for d in found if d.code.startswith("PTX92")] == []


def test_probes_of_addresses_are_silent() -> None:
    with findings() as found:
        for probe in list(PROBES_OF_ADDRESSES.values())[::3]:
            addresses.simulated(probe)
    assert [str(d) for d in found] == []


def test_whole_kernels_of_the_suite_are_silent() -> None:
    for name in ("gemm/nk/bf16/129x264x72", "conv/5x3-mixed/bfloat16", "reduce/min/float16/list"):
        case = KERNEL_CASES[name]
        with findings() as found:
            kernel_runs.simulator(case, case.arrays("random"))
        assert [str(d) for d in found] == []


@pytest.mark.parametrize("number", PROGRAMS)
def test_random_programs_are_silent(number: int) -> None:
    """One CTA or one cluster of each."""
    one = programs.program(7, number)
    memory, out = programs.arrays(one.micro, 1)
    kernel, grid = px.parse(one.text)["k0"], max(1, one.cluster)
    report = px.simulate(kernel, grid=grid, block=THREADS, args=[memory, out], lints=False, sanitize=True)
    assert [str(d) for d in report.findings] == []
    assert out.any()


# --- nvcc ----------------------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(3)
INTS = RNG.integers(-9, 9, 4096).astype(np.int32)
REALS = INTS.astype(np.float32)
NVCC: dict[str, tuple[str, dict[str, Any]]] = {
    "block_sums": ("kernels.cu", {"grid": 2, "block": 256, "args": [INTS[:900], np.zeros(2, np.int64), 900]}),
    "histogram": (
        "kernels.cu",
        {"grid": 2, "block": 96, "args": [INTS[:99].view(np.uint8), np.zeros(256, np.uint32), 396]},
    ),
    "scan": (
        "kernels.cu",
        {"grid": 2, "block": 96, "shared": 768, "args": [INTS[:192].reshape(2, 96), np.zeros((2, 96), np.int32)]},
    ),
    "groups": (
        "kernels.cu",
        {"grid": 1, "block": 64, "args": [INTS[:64], *(np.zeros(64, np.int32) for _ in range(3))]},
    ),
    "pipelined": (
        "kernels.cu",
        {"grid": 1, "block": 64, "args": [REALS[:768].reshape(3, 64, 4), np.zeros((3, 64, 4), np.float32), 3]},
    ),
    "relay": (
        "kernels.cu",
        {"grid": 1, "block": 128, "args": [INTS[:288].reshape(3, 96), np.zeros((3, 96), np.int32), 3]},
    ),
    "last_block": (
        "kernels.cu",
        {
            "grid": 3,
            "block": 96,
            "args": [
                REALS[:288].reshape(3, 96),
                np.zeros(3, np.float32),
                np.zeros(1, np.uint32),
                np.zeros(1, np.float32),
            ],
        },
    ),
    "cluster_sums": (
        "kernels.cu",
        {"grid": 4, "block": 64, "args": [INTS[:256].reshape(4, 64), np.zeros((4, 64), np.int32)]},
    ),
    "twice": (
        "bulk.cu",
        {"grid": 1, "block": 128, "args": [REALS.reshape(4, 1024), np.zeros((4, 1024), np.float32), 4]},
    ),
    "reverse": (
        "library.cu",
        {"grid": 1, "block": 256, "args": [INTS[:768].reshape(3, 256), np.zeros((3, 256), np.int32), 3]},
    ),
}
"""The file of each kernel, and its launch."""


@pytest.mark.corpus
@pytest.mark.parametrize("name", NVCC)
def test_kernels_of_nvcc_are_silent(name: str) -> None:
    source, launch = NVCC[name]
    report = px.simulate(px.parse(compiler.compile_ptx(source), source)[name], **launch, lints=False, sanitize=True)
    assert [str(d) for d in report.findings] == []


# --- Triton and Gluon ----------------------------------------------------------------------------------------------------
def instructions(found: Diagnostic) -> tuple[str, str]:
    """The opcodes of a finding: of who came first, and of the other."""
    second, first = (re.search(r"`(?:@\S+ )?(\S+)[^`]*`", note) for note in found.notes[:2])
    assert first is not None
    assert second is not None
    return first[1], second[1]


@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore:.*PTX9214")
@pytest.mark.parametrize("name", TRITON)
def test_kernels_of_triton_have_the_known_findings(name: str) -> None:
    with findings() as found:
        RUNS[name](px.triton(triton_compiler.compiled(name)))
    known: Found = {(k["code"], k["first"], k["second"]) for k in KNOWN["known"] if k["kernel"] == name}
    assert {(d.code, *instructions(d)) for d in found if d.code.startswith("PTX92")} == known


def test_known_findings_are_argued() -> None:
    assert {k["why"] for k in KNOWN["known"]} == set(KNOWN["arguments"])
    assert all(a["sections"] and a["text"].strip() for a in KNOWN["arguments"].values())
    assert {k["kernel"] for k in KNOWN["known"]} <= set(TRITON)
    names = [(k["kernel"], k["code"], k["first"], k["second"]) for k in KNOWN["known"]]
    assert len(names) == len(set(names))
