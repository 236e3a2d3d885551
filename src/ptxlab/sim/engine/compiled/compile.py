"""From handlers to machine code: compiled once per CPU and version of this package, kept on disk as object code."""

# llvmlite comes without types
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

import hashlib
import json
import platform
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ptxlab.abi import cache
from ptxlab.sim.engine.compiled import queue as queue  # it registers functions of the runtime
from ptxlab.sim.engine.compiled.emit import Handler, build
from ptxlab.sim.engine.compiled.progress import compiling
from ptxlab.sim.engine.compiled.runtime import RUNTIME, runtime_text

_KIND = "sim"
_RUNTIME = "runtime"
_PACKAGE = Path(__file__).parents[3]
_MADE_FROM = (
    "codegen/*.py",
    "sim/engine/compiled/*.py",
    "sim/engine/handlers/*.py",
    "sim/families/plain/*.py",
    "sim/families/*/meaning*.py",
    "sim/families/*/filter*.py",
    "sim/order/native/*.py",
    "sim/numerics/**/*.py",
    "layout/*.py",
    "isa/**/*.py",
    "ptx/functions.py",
    "sim/engine/decoded/arrays.py",
    "sim/report/unwatched.py",
)
"""Whole folders, and of families the modules that are named for what is machine code."""


@dataclass(slots=True)
class Code:
    """The machine code at hand: addresses of runtime functions and handlers. One per process (`code()`)."""

    machine: Any
    jit: Any
    features: frozenset[str]
    version: str
    addresses: dict[str, int] = field(default_factory=dict[str, int])
    _index: dict[str, str] = field(default_factory=dict[str, str])
    _loaded: list[Any] = field(default_factory=list[Any])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def function(self, name: str) -> int:
        """The address of a function of the runtime."""
        if name not in self.addresses:
            with self._lock:
                self._load(self._object(_RUNTIME, runtime_text), list(RUNTIME), list(RUNTIME))
        return self.addresses[name]

    def library(self, name: str, text: Callable[[], str], symbols: list[str], *, fast: bool = False) -> dict[str, int]:
        """Addresses of functions in LLVM assembly that belong to no handler. `name` tells their versions apart.

        fast: compile with the optimizations alone that cost little time.
        """
        with self._lock:
            if any(s not in self.addresses for s in symbols):
                self._load(self._object(name, text, fast=fast), symbols, symbols)
        return {s: self.addresses[s] for s in symbols}

    def handlers(self, wanted: Iterable[Handler]) -> dict[Handler, int]:
        """The addresses of handlers, compiling those that no earlier run left behind."""
        handlers = list(dict.fromkeys(wanted))
        texts = {h: h.text for h in handlers}
        with self._lock:
            missing = [h for h in handlers if texts[h] not in self.addresses]
            if missing:
                self._find(missing, texts)
        return {h: self.addresses[texts[h]] for h in handlers}

    def _find(self, missing: list[Handler], texts: dict[Handler, str]) -> None:
        if any(texts[h] not in self._index for h in missing):
            self._index = self._read_index()  # again: another process may have compiled them meanwhile
        batches = {self._index[texts[h]] for h in missing if texts[h] in self._index}
        for batch in sorted(batches):
            self._load_batch(batch)
        missing = [h for h in missing if texts[h] not in self.addresses]
        if missing:
            self._compile(missing, texts)

    def _load_batch(self, batch: str) -> None:
        """Load a batch that an earlier run compiled; a damaged one is as good as absent."""
        raw = cache.read(_KIND, batch)
        if raw is None:
            return
        size = int.from_bytes(raw[:8], "little")
        names: list[str] = json.loads(raw[8 : 8 + size])
        self._load(raw[8 + size :], [_symbol(n) for n in names], names)

    def _compile(self, missing: list[Handler], texts: dict[Handler, str]) -> None:
        parts: list[str] = []
        declared: set[str] = set()
        for handler in missing:
            text, needs = build(handler, _symbol(texts[handler]), self.features)
            parts.append(text)
            declared |= needs
        names = [texts[h] for h in missing]
        image = self._assemble("\n".join([*sorted(declared), *parts]))
        self._load(image, [_symbol(n) for n in names], names)
        batch = cache.key(self.version, *names)
        head = json.dumps(names).encode()
        cache.write(_KIND, batch, len(head).to_bytes(8, "little") + head + image)
        # entries that a concurrent writer adds meanwhile are lost from the index, hence compiled once more, no worse
        self._index = {**self._read_index(), **dict.fromkeys(names, batch)}
        cache.write(_KIND, self._index_name, json.dumps(self._index).encode())

    @property
    def _index_name(self) -> str:
        return cache.key("index", self.version)

    def _read_index(self) -> dict[str, str]:
        raw = cache.read(_KIND, self._index_name)
        return json.loads(raw) if raw is not None else {}

    def _object(self, name: str, text: Callable[[], str], *, fast: bool = False) -> bytes:
        key = cache.key(name, self.version)
        image = cache.read(_KIND, key)
        if image is None:
            image = self._assemble(text(), fast=fast)
            cache.write(_KIND, key, image)
        return image

    def _assemble(self, text: str, *, fast: bool = False) -> bytes:
        with compiling():
            return self._compiled(text, fast=fast)

    def _compiled(self, text: str, *, fast: bool) -> bytes:
        module = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"\n{text}')
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=1 if fast else 2)
        options.loop_unrolling = False
        builder = llvm.create_pass_builder(self.machine, options)
        builder.getModulePassManager().run(module, builder)
        return self.machine.emit_object(module)

    def _load(self, image: bytes, symbols: list[str], names: list[str]) -> None:
        library = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
        for symbol in symbols:
            library = library.export_symbol(symbol)
        tracker = library.link(self.jit, f"ptxlab{len(self._loaded)}")
        self._loaded.append(tracker)
        found: list[int] = [tracker[symbol] for symbol in symbols]
        self.addresses.update(zip(names, found, strict=True))


def _symbol(text: str) -> str:
    return "h" + hashlib.sha256(text.encode()).hexdigest()[:24]


def made_from(package: Path = _PACKAGE) -> list[Path]:
    """The files that machine code is made from, in a fixed order: meanings, what they emit with, and facts that they ask for."""
    return sorted({path for pattern in _MADE_FROM for path in package.glob(pattern)})


def digest(package: Path = _PACKAGE, read: Callable[[Path], bytes] = Path.read_bytes) -> str:
    """A digest of everything that the machine code is made from. `read`: gives the bytes of a file."""
    made = hashlib.blake2b()
    for path in made_from(package):
        made.update(path.relative_to(package).as_posix().encode() + read(path))
    return made.hexdigest()


def _feature_words(features: dict[str, bool]) -> frozenset[str]:
    """What the emitter may count on."""
    return frozenset(["permute"] if features.get("avx512f") else [])


_making = threading.Lock()


def code() -> Code:
    """The process's machine code. Threads that ask at once get the same: what a second one had compiled would go with it."""
    with _making:
        return _code()


@lru_cache(maxsize=1)
def _code() -> Code:
    # The scheduler behind the register allocator, which LLVM runs for AMD's processors alone, takes half of all the time of code
    # generation on the long basic blocks of handlers, and they are no faster for it.
    llvm.set_option("ptxlab", "-post-RA-scheduler=false")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(
        cpu=cpu, features=features.flatten(), opt=2, reloc="pic", codemodel="default", jit=True
    )
    machine.set_asm_verbosity(False)
    version = cache.key(digest(), llvmlite.__version__, platform.machine(), cpu, features.flatten())
    # JITLink keeps an object's sections together. The older linker puts them anywhere: beside a GPU's driver, which takes up much
    # of the address space, code and constants may end up too far apart for 32-bit offsets.
    jit = llvm.create_lljit_compiler(machine, use_jit_link=True)
    return Code(machine, jit, _feature_words(dict(features)), version)
