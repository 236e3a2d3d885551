"""Assembly: ptxas from the `nvidia-cuda-nvcc` wheel, its words as diagnostics, its cubins in the disk cache."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ptxlab.abi import cache
from ptxlab.abi.occupancy import ctas_by_resource
from ptxlab.cuda.lines import LineMap
from ptxlab.cuda.messages import Message, read_messages, read_resources
from ptxlab.diag import Diagnostic, Severity, raise_all, user_span
from ptxlab.isa.targets import Target
from ptxlab.ptx.text import ascii_comments

VARIABLE: Final = "PTXLAB_PTXAS"
_PLACES: Final = ("cu13/bin/ptxas", "cuda_nvcc/bin/ptxas")
_OLDEST: Final = 75  # the least target that ptxas 13 generates code for


@dataclass(frozen=True, slots=True)
class Resources:
    """What a kernel takes of an SM, as ptxas reports it, and as its launches do. Sizes in bytes.

    Attributes:
        registers: per thread.
        spill_stores, spill_loads: bytes that registers are spilled to local memory and back, per thread.
        stack: local memory of a thread.
        shared: static shared memory of a CTA.
        constant: constant banks, parameters included.
        barriers: named barriers in use.
        dynamic_shared: dynamic shared memory of a CTA, where the kernel says how much: one of `@px.kernel` does.
        threads: of a CTA, where the kernel says how many; else 0.

    Example:
        @px.kernel(threads=128)
        def add(k, x: px.Ptr[px.f32]):
            buf = k.smem(px.f32, (128, 128))
            k.st.shared.f32(buf.at(k.tid.x * 4), k.ld.global_.f32(x[k.tid.x]))

        found = add.resources
        print(found.spill_stores, found.shared, found.dynamic_shared)  # 0 0 65536
        print(found.ctas_per_sm(), found.limiters())  # 3 ('shared memory',)
        print(found.ctas_by_resource()["threads"])  # 16
    """

    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack: int = 0
    shared: int = 0
    constant: int = 0
    barriers: int = 0
    dynamic_shared: int = 0
    threads: int = 0

    def ctas_per_sm(self, threads: int | None = None, shared: int | None = None) -> int:
        """CTAs that an H100's SM holds at once; 0 where not even one fits.

        Args:
            threads: of a CTA; shared: bytes of its dynamic shared memory. Left out: the kernel's own.

        Raises: Diagnostic PTX2001 where neither the call nor the kernel says how many threads a CTA has.
        """
        return min(self.ctas_by_resource(threads, shared).values())

    def limiters(self, threads: int | None = None, shared: int | None = None) -> tuple[str, ...]:
        """What keeps an SM from holding more CTAs: of "registers", "shared memory", "threads", "CTAs" and "barriers".

        Several where they allow the same number. Arguments and errors are as in `ctas_per_sm`.
        """
        each = self.ctas_by_resource(threads, shared)
        return tuple(name for name, ctas in each.items() if ctas == min(each.values()))

    def ctas_by_resource(self, threads: int | None = None, shared: int | None = None) -> dict[str, int]:
        """CTAs that each resource of an H100's SM has room for, by the names of `limiters`.

        Arguments and errors are as in `ctas_per_sm`.
        """
        count = self.threads if threads is None else threads
        if count < 1:
            raise Diagnostic(
                "PTX2001",
                f"Nobody says how many threads a CTA has: threads={threads!r}, and the kernel has no .reqntid."
                if threads is None
                else f"threads={threads!r} is no number of threads.",
                help="give it: resources.ctas_per_sm(threads=128)",
                origin=user_span(),
            )
        dynamic = self.dynamic_shared if shared is None else shared
        return ctas_by_resource(count, self.registers, self.shared + dynamic, self.barriers)


@dataclass(frozen=True, slots=True)
class Assembly:
    """An assembled module.

    Attributes:
        cubin: ELF bytes for `arch`.
        arch: e.g. "sm_90a".
        resources: by entry.
        warnings: what ptxas had to say, performance losses included. Never dropped, cached or not.
    """

    cubin: bytes
    arch: str
    resources: dict[str, Resources]
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Ptxas:
    """The assembler at hand. `release` is its line of `ptxas --version`, e.g. "V13.1.80"."""

    path: str
    release: str


def find() -> Ptxas | None:
    """ptxas from the wheel (or where PTXLAB_PTXAS says). One on PATH is never used: its age is unknown."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return _identify(chosen)
    for path in _wheel_files():
        return _identify(path)
    return None


def _wheel_files() -> list[str]:
    spec = find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec is not None else []
    paths = (os.path.join(root, place) for place in _PLACES for root in roots)
    return [p for p in paths if os.access(p, os.X_OK)]


@lru_cache(maxsize=4)
def _identify(path: str) -> Ptxas | None:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"\bV\d+\.\d+\.\d+", done.stdout)
    return Ptxas(path, found.group()) if found else None


def architecture(target: str, device: tuple[int, int] | None = None) -> str:
    """The -arch for a module of this .target. Code for sm_90a runs on exactly that; other code is made for the device.

    Args:
        target: of the module.
        device: compute capability of the GPU at hand, if there is one.

    Raises: Diagnostic PTX2423 where the device cannot run the target.
    """
    try:
        wanted = Target.parse(target)
    except ValueError:
        raise Diagnostic("PTX2405", f"{target!r} is no target.", help="write e.g. .target sm_90a") from None
    if device is None:
        return f"sm_{max(wanted.number, _OLDEST)}{wanted.suffix}"
    number = device[0] * 10 + device[1]
    exact = wanted.suffix == "a" and wanted.number != number
    family = wanted.suffix == "f" and (wanted.number // 10 != number // 10 or wanted.number > number)
    if exact or family or wanted.number > number:
        only = f"runs on sm_{wanted.number} alone" if exact else f"needs sm_{wanted.number} or newer"
        raise Diagnostic(
            "PTX2423",
            f"Code for {target} {only}; the GPU at hand is sm_{number}.",
            help="simulate it (NumPy arrays), or write another .target",
        )
    return str(wanted) if wanted.suffix else f"sm_{number}"


def assemble(
    text: str,
    arch: str,
    *,
    file: str = "kernel.ptx",
    lines: LineMap | None = None,
    level: int | None = None,
    lined: bool = False,
) -> Assembly:
    """Assemble PTX text for `arch`.

    Args:
        text: a whole module.
        file: what diagnostics call it.
        lines: leads PTX lines to Python lines; the text's own .loc lines do where it is left out.
        level: of optimisation, 0 to 3; ptxas' own where it is left out.
        lined: the cubin says of which line of the text, its .loc and .file lines left out, each instruction was made.

    Raises: Diagnostic PTX2400 without an assembler; PTX2401 and following with the first error of ptxas, the others in `also`.
    """
    tool = find()
    if tool is None:
        raise Diagnostic("PTX2400", "ptxas is not installed.")
    lines = lines or LineMap(text, file)
    name = f"ptxas {tool.release}"
    optimised = (*(() if level is None else (f"-O{level}",)), *(("-lineinfo",) if lined else ()))
    entry = cache.key("1", name, arch, *optimised, lines.stripped)
    kept = cache.read("cubin", entry)
    if kept is not None:
        cubin, log = _unpack(kept)
    else:
        cubin, log = _run(tool, lines.stripped if lined else text, arch, *optimised)
        if cubin is None:
            log = lines.restore_log(log) if lined else log
            raise_all([diagnostic(m, lines, arch, name) for m in read_messages(log)])
            raise Diagnostic("PTX2403", f"{name} made no cubin and gave no reason.", notes=log.splitlines()[-5:])
        log = log if lined else lines.strip_log(log)
        cache.write("cubin", entry, _pack(cubin, log))
    log = lines.restore_log(log)
    found = [diagnostic(m, lines, arch, name) for m in read_messages(log)]
    resources = {k: Resources(**v) for k, v in read_resources(log).items()}
    return Assembly(cubin, arch, resources, tuple(found))


def _run(tool: Ptxas, text: str, arch: str, *options: str) -> tuple[bytes | None, str]:
    """The cubin (None when it was refused) and all that ptxas wrote."""
    with tempfile.TemporaryDirectory(prefix="ptxlab-") as folder:
        source, made = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ascii_comments(text), encoding="utf-8", newline="\n")
        command = [tool.path, f"-arch={arch}", *options, "-v", source.name, "-o", made.name]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        except OSError as e:
            raise Diagnostic(
                "PTX2403", f"{tool.path} cannot be run: {e.strerror}", help="reinstall nvidia-cuda-nvcc"
            ) from e
        log = done.stdout + done.stderr
        if done.returncode < 0 or (done.returncode and not read_messages(log)):
            raise Diagnostic(
                "PTX2403",
                f"ptxas {tool.release} ended with status {done.returncode}.",
                help="another release may do: pip install -U nvidia-cuda-nvcc",
                notes=log.splitlines()[-5:],
            )
        return (made.read_bytes() if done.returncode == 0 and made.exists() else None), log


def _pack(cubin: bytes, log: str) -> bytes:
    head = json.dumps({"log": log}).encode()
    return len(head).to_bytes(4, "little") + head + cubin


def _unpack(raw: bytes) -> tuple[bytes, str]:
    size = int.from_bytes(raw[:4], "little")
    return raw[4 + size :], str(json.loads(raw[4 : 4 + size])["log"])


_SERIALISED: Final = "keep accumulators in registers from fence to wait: no other use, no call, no divergence between"
_KNOWN: Final = "give the entry .maxnreg, or .reqntid with .minnctapersm, so that its register count is known"
# What ptxas says beside its verdict: (code of the diagnostic, way out, instruction that it is about).
_LOSSES: Final = {
    "C7508": ("PTX2410", _KNOWN, "setmaxnreg"),
    **{f"C{n}": ("PTX2411", _SERIALISED, "wgmma.mma_async") for n in range(7510, 7516)},
    "C7517": ("PTX2412", "wait (wgmma.wait_group) before the accumulators are used", "wgmma.mma_async"),
}


def diagnostic(m: Message, lines: LineMap, arch: str, tool: str) -> Diagnostic:
    """A message of the assembler as a diagnostic. `tool` is its name and release, for the help line."""
    about = _LOSSES[m.code][2] if m.code in _LOSSES else ""
    span, origin = lines.place(m.line or (lines.find(about) if about else 0))
    code, help = _classify(m, arch, tool)
    severity = Severity.ERROR if m.kind in ("error", "fatal") else Severity.WARNING
    text = m.text if m.text.endswith(".") else m.text + "."
    said = f"{text} ({m.code})" if m.code else text
    return Diagnostic(code, said, help=help, span=span, origin=origin, severity=severity)


def _classify(m: Message, arch: str, tool: str) -> tuple[str, str | None]:
    """The diagnostic's code, and its help where the code's own does not do."""
    if "are serialized" in m.text:
        return "PTX2411", _SERIALISED
    if m.code in _LOSSES:
        return _LOSSES[m.code][:2]
    if m.code.startswith("C75") or "Performance Loss" in m.text:
        return "PTX2412", None
    if m.kind not in ("error", "fatal"):
        return "PTX2402", None
    newest = re.search(r"Unsupported \.version (\S+); current version is '(\S+)'", m.text)
    if newest:
        lower = f"write .version {newest.group(2)} or lower, or pip install -U nvidia-cuda-nvcc (here: {tool})"
        return "PTX2404", lower
    if "is not defined for option 'gpu-name'" in m.text:
        return (
            "PTX2405",
            f"{tool} does not know {arch}; pip install -U nvidia-cuda-nvcc, or another .target",
        )
    return "PTX2401", None
