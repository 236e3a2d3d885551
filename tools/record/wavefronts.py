"""`python -m tools.record.wavefronts`: how an H100 takes accesses of a warp, as Nsight Compute counts them.

record FILE    measure the accesses of the file again, on the GPU of this machine, with `ncu`
again FILE     measure and compare with the file
run FILE       launch them, one kernel each: what `ncu` is given

A case is one instruction on 32 offsets. Of shared memory it has wavefronts, of global memory sectors, of cp.async the
wavefronts beyond the least, for its write, and the sectors that it reads.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ptxlab.abi.sanitizing import when_asked
from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    from ptxlab.launch.module import Module
    from ptxlab.sim.report.stats import Site

SPAN: Final = 32 << 10
"""Bytes that offsets reach."""
LANES: Final = 32
_OFF: Final = 0xFFFF_FFFF
_WIDE: Final = {"v2": 2, "v4": 4}
_REGISTERS: Final = {"u8": "h", "u16": "h", "u32": "r", "u64": "d", "b32": "r", "b64": "d", "s32": "r", "f32": "f"}
_SHARED: Final = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
_SECTORS: Final = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
_CONFLICTS: Final = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
_OWN_SECTORS: Final = 4  # of the kernel's load of offsets, and of its store
_METRICS: Final = (
    *(_SHARED.format(k) for k in ("ld", "st", "atom")),
    *(_SECTORS.format(k) for k in ("ld", "st", "atom", "red")),
    _CONFLICTS,
)
_KERNEL: Final = """.visible .entry {name}(.param .u64 offsets, .param .u64 memory) {{
  .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<8>; .reg .pred %p;
  .reg .b64 %table, %g, %g0, %far; .reg .b32 %s, %s0, %lane, %off, %sum, %more;
  .shared .align 1024 .b8 tile[{span}];
  ld.param.u64 %table, [offsets]; ld.param.u64 %g0, [memory]; mov.u32 %lane, %laneid; mul.wide.u32 %far, %lane, 4;
  add.u64 %table, %table, %far; ld.global.u32 %off, [%table]; setp.ne.u32 %p, %off, -1;
  mov.u32 %s, tile; mad.lo.u32 %s0, %lane, {size}, %s; add.u32 %s, %s, %off;
  cvt.u64.u32 %far, %off; add.u64 %g, %g0, %far; mul.wide.u32 %far, %lane, {size}; add.u64 %g0, %g0, %far;
  {set}
  {body}
  mov.u32 %sum, 0; {use}
  st.global.u32 [%table+128], %sum; ret;
}}
"""


@dataclass(frozen=True, slots=True)
class Wave:
    """One access of a warp.

    Attributes:
        op: what is done, e.g. "ld.shared.v4.u32", "ldmatrix.x4", "cp.async.8.far" (far: the offsets are of global memory).
        offsets: bytes by lane; None where a lane takes no part.
        count: wavefronts of shared memory, or sectors of global memory; None for cp.async.
        conflicts: of cp.async's writes. sectors: of its reads.
    """

    op: str
    offsets: tuple[int | None, ...]
    count: int | None = None
    conflicts: int | None = None
    sectors: int | None = None


def read(path: Path) -> list[Wave]:
    """The cases of a record. Raises: Diagnostic PTX2500 for a file that is none."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            found: list[dict[str, Any]] = json.load(file)["cases"]
        return [Wave(case.pop("op"), tuple(case.pop("offsets")), **case) for case in found]
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise Diagnostic("PTX2500", f"{path} is no record of wavefronts: {e}", help="take the repository's") from e


def write(path: Path, waves: Sequence[Wave], provenance: str) -> None:
    """Write a record. Raises: OSError."""
    cases = [{k: v for k, v in asdict(w).items() if v is not None} for w in waves]
    text = json.dumps({"gpu": provenance, "cases": cases}, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


# --- kernels ------------------------------------------------------------------------------------------------------------------
def _registers(kind: str, count: int) -> str:
    return ", ".join(f"%{kind}{i}" for i in range(count))


def _body(op: str) -> tuple[int, str]:
    """Bytes of a lane, and the instruction."""
    words = op.split(".")
    if words[0] in ("ldmatrix", "stmatrix"):
        regs = f"{{{_registers('r', int(words[1][1:]))}}}"
        address, data = ("[%s]", regs) if words[0] == "stmatrix" else (regs, "[%s]")
        return 16, f"{words[0]}.sync.aligned.m8n8.{words[1]}.shared.b16 {address}, {data};"
    if words[0] == "cp":
        places = "[%s0], [%g]" if words[-1] == "far" else "[%s], [%g0]"
        return int(words[2]), f"cp.async.ca.shared.global {places}, {words[2]}; cp.async.wait_all;"
    width = next((n for word, n in _WIDE.items() if word in words), 1)
    type_ = next(w for w in reversed(words) if w in _REGISTERS)
    kind, at = _REGISTERS[type_], "%s" if "shared" in words else "%g"
    data = _registers(kind, width) if width == 1 else f"{{{_registers(kind, width)}}}"
    size = width * int(type_[1:]) // 8
    if words[0] == "ld":
        return size, f"@%p {op} {data}, [{at}];"
    if words[0] in ("st", "red"):
        return size, f"@%p {op} [{at}], {data};"
    operands = f"%{kind}1, %{kind}2" if "cas" in words else f"%{kind}1"
    return size, f"@%p {op} %{kind}0, [{at}], {operands};"


def kernel_name(op: str) -> str:
    """The kernel that does it."""
    return op.replace(".", "_")


def _kernel(op: str) -> str:
    size, body = _body(op)
    values = " ".join(f"mov.b16 %h{i}, {i}; mov.u32 %r{i}, {i}; mov.u64 %d{i}, {i};" for i in range(4))
    floats = " ".join(f"mov.f32 %f{i}, 0f3F800000;" for i in range(3))
    # all bits of what is loaded are used: ptxas narrows loads otherwise
    halves = " ".join(f"cvt.u32.u16 %more, %h{i}; add.u32 %sum, %sum, %more;" for i in range(4))
    words = " ".join(f"add.u32 %sum, %sum, %r{i};" for i in range(4))
    both = " ".join(f"mov.b64 {{%r6, %r7}}, %d{i}; add.u32 %sum, %sum, %r6; xor.b32 %sum, %sum, %r7;" for i in range(3))
    use = f"{halves} {words} {both} mov.b32 %more, %f0; add.u32 %sum, %sum, %more;"
    name = kernel_name(op)
    return _KERNEL.format(name=name, span=SPAN, size=size, set=f"{values} {floats}", body=body, use=use)


def module(ops: Iterable[str]) -> Module:
    """A module with a kernel for each."""
    import ptxlab as px

    head = ".version 8.8\n.target sm_90a\n.address_size 64\n"
    return px.parse(head + "".join(map(_kernel, dict.fromkeys(ops))), "wavefronts.ptx")


def table(wave: Wave) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The kernel's first argument: offsets, and room for what keeps loads alive."""
    return np.array([_OFF if o is None else o for o in wave.offsets] + [0] * LANES, np.uint32)


# --- the simulator and the chip ---------------------------------------------------------------------------------------------------
def simulated(waves: Sequence[Wave]) -> Iterator[Wave]:
    """What the simulator counts."""
    import ptxlab as px

    kernels = module(w.op for w in waves)
    memory = px.empty((SPAN,), np.uint8)
    offsets = px.empty((2 * LANES,), np.uint32)
    for wave in waves:
        memory[:], offsets[:] = 0, table(wave)
        kernel = kernels[kernel_name(wave.op)]
        report = px.simulate(kernel, grid=1, block=LANES, args=[offsets, memory], stats=True, lints=False)
        sites = [s for s in report.stats.sites if any(at in s.text for at in ("[%s]", "[%g]", "[%s0]"))]
        yield _counted(wave, sites[0])


def _counted(wave: Wave, site: Site) -> Wave:
    if wave.op.startswith("cp."):
        return replace(wave, conflicts=_conflicts(wave, site.bank_conflicts), sectors=site.counts["sectors"])
    shared = site.counts["shared_requests"] or "matrix" in wave.op
    return replace(wave, count=site.counts["wavefronts" if shared else "sectors"])


def _conflicts(wave: Wave, found: int) -> int | None:
    """Conflicts of cp.async, which count those of reading the cache, too: they tell nothing where global addresses vary."""
    return None if wave.op.endswith("far") else found


def launch(waves: Sequence[Wave]) -> None:
    """Launch them on GPU 0, in their order. Raises: Diagnostic as launches do."""
    import ptxlab as px
    from ptxlab.cuda.array import GpuArray

    kernels, memory = module(w.op for w in waves), GpuArray(np.zeros(SPAN, np.uint8))
    for wave in waves:
        kernels[kernel_name(wave.op)].launch(grid=1, block=LANES, args=[GpuArray(table(wave)), memory], lints=False)
    px.synchronize()


def measured(path: Path, waves: Sequence[Wave]) -> Iterator[Wave]:
    """What the chip counts. Raises: Diagnostic PTX2500 where ncu is missing or fails."""
    command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw"]
    script = [sys.executable, "-m", "tools.record.wavefronts", "run", str(path)]
    try:
        done = subprocess.run(
            [*command, "--metrics", ",".join(_METRICS), *script], capture_output=True, text=True, check=False
        )
    except OSError as e:
        raise Diagnostic("PTX2500", f"ncu does not run: {e}", help="install Nsight Compute") from e
    if done.returncode:
        raise Diagnostic("PTX2500", "ncu fails", notes=(done.stderr[-2000:], done.stdout[-500:]), help="see its words")
    rows = [r for r in csv.reader(io.StringIO(done.stdout)) if len(r) > len(_METRICS)]
    head = rows[0]
    for wave, row in zip(waves, rows[2:], strict=True):  # the second one has the units
        yield _of_chip(wave, {m: int(row[head.index(m)].replace(",", "")) for m in _METRICS})


def _of_chip(wave: Wave, found: dict[str, int]) -> Wave:
    shared = sum(found[_SHARED.format(k)] for k in ("ld", "st", "atom"))
    sectors = sum(found[_SECTORS.format(k)] for k in ("ld", "st", "atom", "red")) - 2 * _OWN_SECTORS
    if wave.op.startswith("cp."):
        return replace(wave, conflicts=_conflicts(wave, found[_CONFLICTS]), sectors=sectors)
    return replace(wave, count=sectors if "global" in wave.op.split(".") else shared)


def different(ours: Iterable[Wave], theirs: Iterable[Wave]) -> list[str]:
    """A line for each case in which they differ."""
    return [f"{a.op} {list(a.offsets)}: {a} and {b}" for a, b in zip(ours, theirs, strict=True) if a != b]


@when_asked()
def main(arguments: Sequence[str]) -> int:
    """Record, compare or launch; 1 where anything differs, 2 for words that mean nothing."""
    if len(arguments) != 2 or arguments[0] not in ("record", "again", "run"):
        print(__doc__)
        return 2
    path = Path(arguments[1])
    waves = read(path)
    if arguments[0] == "run":
        launch(waves)
        return 0
    found = list(measured(path, waves))
    lines = different(waves, found)
    print(f"{len(waves)} accesses, {len(lines)} differ", *lines[:40], sep="\n")
    if arguments[0] == "record":
        from ptxlab.conformance.record.chip import hopper

        write(path, found, hopper().versions)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
