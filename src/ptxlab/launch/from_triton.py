"""Kernels that Triton or Gluon has compiled, launched with arrays. Triton itself is not needed here.

A Triton kernel's entry takes its parameters without those that are constants; a tensor descriptor becomes a tensor map, its
extents and its strides; behind them come pointers to scratch memory. `num_warps` makes the block, `num_ctas` the cluster.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard, cast

from ptxlab.abi.arrays import CUDA, ArrayView, is_array, view
from ptxlab.abi.maps import BoundMap, tensor_map
from ptxlab.abi.rules import ArrayRule, broken
from ptxlab.diag import Diagnostic, html, raise_all, user_span
from ptxlab.diag.boundary import public
from ptxlab.isa.types import TYPES
from ptxlab.launch.arrays import empty
from ptxlab.launch.entry import Entry
from ptxlab.launch.kernel import Kernel, Parsed
from ptxlab.launch.module import Module
from ptxlab.launch.module import parse as parse_module

if TYPE_CHECKING:
    from ptxlab.ptx.program import Program
    from ptxlab.sim.diagnose.debug.debugger import Debugger
    from ptxlab.sim.report.report import Report

_ELEMENTS: Final = {
    **{f"{a}{n}": f"{'s' if a == 'i' else 'u'}{n}" for a in "iu" for n in (8, 16, 32, 64)},
    "i1": "b8",
    "u1": "b8",
    "fp16": "f16",
    "bf16": "bf16",
    "fp32": "f32",
    "f32": "f32",
    "fp64": "f64",
    "fp8e4nv": "e4m3",
    "fp8e5": "e5m2",
}
_SCALARS: Final = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "f32": "float32", "fp64": "float64"}
_SWIZZLES: Final = ("none", "32B", "64B", "128B")
_SCRATCH_ALIGN: Final = 128
_OPTIONS: Final = {"device", "stream", "buffers", "lints", "ignore", "sanitize"}
Grid: TypeAlias = int | Sequence[int] | Callable[[dict[str, Any]], int | Sequence[int]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the Python function, or a part of one that is a tuple.

    Attributes:
        name: as the function has it. type: Triton's, e.g. "*fp32", "i32", "tensordesc<fp16[128,64]>", "constexpr".
        value: of a constant. divisible: what a pointer or an integer must be a multiple of. map: how a descriptor is made.
    """

    name: str
    type: str
    value: Any = None
    divisible: int = 1
    map: Mapping[str, Any] | None = None

    @property
    def constant(self) -> bool:
        """Whether the compiled kernel has it built in."""
        return self.type == "constexpr"


@dataclass(frozen=True, slots=True)
class _Convention:
    """What of the metadata a launch needs. Sizes in bytes, for each CTA."""

    warps: int
    ctas: int
    shared: int
    scratch: tuple[int, int]
    cooperative: bool


@dataclass(slots=True)
class _Scratch:
    """Memory that the kernel wants for itself; kept, since a launch on a GPU may still be using it."""

    memory: dict[str, Any] = field(default_factory=dict[str, Any])

    def of(self, nbytes: int, device: str, ordinal: int) -> Any:
        """At least so many bytes on a device; 0, a null pointer, for none."""
        if not nbytes:
            return 0
        key = f"{device}:{ordinal}"
        if key not in self.memory or len(self.memory[key]) < nbytes:
            if device == CUDA:
                from ptxlab.cuda.memory import DeviceMemory

                self.memory[key] = DeviceMemory(nbytes, ordinal)
            else:
                self.memory[key] = empty(nbytes, "uint8", align=_SCRATCH_ALIGN)
        return self.memory[key]


class TritonKernel:
    """A compiled Triton or Gluon kernel: `px.triton(compiled)[grid](x, y, n)`.

    Arguments are those of the Python function in its order; constants may be left out, or given as they were compiled.
    NumPy arrays: simulated. CUDA arrays: launched on the GPU. A tensor descriptor is an array, a `px.tensor_map`, or
    Triton's own TensorDescriptor.

    Attributes:
        kernel: the entry, with Triton's own names for its parameters; its arguments are what `arguments` returns.
        parameters: those of the Python function, constants included.

    Example:
        import triton
        import triton.language as tl
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        @triton.jit
        def double(x, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, 2 * tl.load(x + i))

        source = ASTSource(double, {"x": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 128})
        kernel = px.triton(triton.compile(source, target=GPUTarget("cuda", 90, 32)))
        x = np.ones(256, np.float32)

        kernel.launch(grid=2, args=[x])
        report = kernel.simulate(grid=2, args=[x])
        with kernel.debug(grid=2, args=[x]) as d:
            d.step()
        print(kernel.name, x[0], report.findings, ".entry" in kernel.ptx)  # double 8.0 [] True
    """

    def __init__(self, module: Module, name: str, parameters: Sequence[Parameter], convention: _Convention) -> None:
        self.parameters = tuple(parameters)
        self._convention = convention
        self._scratch = _Scratch()
        self._program: Program = module.program(name)
        self._taken = [p for p in self.parameters if not p.constant]
        self._names_taken = {p.name for p in self.parameters}
        ctas = convention.ctas
        entry = Entry(
            module,
            name,
            block=None if self._program.directives.reqntid else (32 * convention.warps, 1, 1),
            cluster=(ctas, 1, 1) if ctas > 1 else None,
            shared=convention.shared,
            names=self._names(),
        )
        self.kernel = Kernel(Parsed(entry))

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.name

    def entry(self) -> Entry:
        """The entry behind the kernel."""
        return self.kernel.entry()

    @property
    def ptx(self) -> str:
        """Its PTX, as Triton wrote it."""
        return self.kernel.ptx

    def __repr__(self) -> str:
        return f"<TritonKernel {self.name}: {', '.join(f'{p.name}: {p.type}' for p in self._taken)}>"

    def _repr_html_(self) -> str:
        return html.of(self.kernel)

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        """`kernel[grid](…)`: the short form of `launch`. `grid` counts programs; it may be a function of the constants."""

        @public
        def launch(*args: Any, **named: Any) -> None:
            options = {k: named.pop(k) for k in _OPTIONS - self._names_taken if k in named}
            self.launch(grid=grid, args=args, named=named, **options)

        return launch

    @public
    def __call__(self, *args: Any, **named: Any) -> None:
        """Not a launch: says what is."""
        raise Diagnostic(
            "PTX2001",
            f"{self.name} is a kernel: a launch needs a grid.",
            help=f"write {self.name}[grid](…), e.g. {self.name}[(4,)](…); the grid counts programs",
            origin=user_span(),
        )

    @public
    def launch(
        self, *, grid: Grid, args: Sequence[Any] = (), named: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        """Run it.

        Args:
            grid: programs along x, y, z; not CTAs, of which a program has num_ctas.
            args, named: arguments by place and by name.
            **options: device, stream, buffers, lints, ignore, sanitize, as `Kernel.launch` takes them.

        Raises: Diagnostic PTX2341 for what the kernel was not compiled for; as `Kernel.launch`.
        """
        given = self.arguments(grid, args, named)
        self.kernel.launch(
            grid=self._extents(grid), args=given, cooperative=self._convention.cooperative and _on_gpu(given), **options
        )

    @public
    def simulate(
        self, *, grid: Grid, args: Sequence[Any] = (), named: Mapping[str, Any] | None = None, **options: Any
    ) -> Report:
        """Simulate it; `grid`, `args` and `named` as in `launch`, `options` and the report those of `px.simulate`."""
        from ptxlab.launch.simulate import simulate

        return simulate(self.kernel, grid=self._extents(grid), args=self.arguments(grid, args, named), **options)

    @public
    def debug(
        self, *, grid: Grid, args: Sequence[Any] = (), named: Mapping[str, Any] | None = None, **options: Any
    ) -> Debugger:
        """Simulate it step by step, as `px.debug` does, with its `options`; `grid`, `args` and `named` as in `launch`.

        (file, line) of a breakpoint is Triton's Python.
        """
        from ptxlab.launch.debug import debug

        return debug(self.kernel, grid=self._extents(grid), args=self.arguments(grid, args, named), **options)

    def arguments(self, grid: Grid, args: Sequence[Any], named: Mapping[str, Any] | None = None) -> list[Any]:
        """What the entry takes for `grid`, `args` and `named` of a launch: descriptors taken apart, scratch memory behind.

        Raises: Diagnostic PTX2341.
        """
        bound = self._bound(args, named or {})
        found: list[Diagnostic] = []
        out: list[Any] = []
        for parameter, value in zip(self._taken, bound, strict=True):
            try:
                out += _entry_arguments(parameter, value, found)
            except Diagnostic as d:
                found.append(d)
        for d in found:
            d.origin = d.origin or user_span()
        raise_all(found)
        places = [view(a) for a in out if is_array(a)] + [a.array for a in out if isinstance(a, BoundMap)]
        device, ordinal = (places[0].device, places[0].ordinal) if places else ("cpu", 0)
        x, y, z = self._extents(grid)
        sizes = [n * x * y * z for n in self._convention.scratch]
        behind = len(self._program.params) - len(out)
        if not 0 <= behind <= len(sizes):
            raise Diagnostic(
                "PTX2340",
                f"`{self.name}` takes {len(self._program.params)} parameters, and its signature makes {len(out)}",
                help="give the signature and the metadata of the same compilation as the PTX",
                origin=user_span(),
            )
        return out + [self._scratch.of(n, device, ordinal) for n in sizes[:behind]]

    def _bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """The values of the parameters that are no constants, in order."""
        names = {p.name for p in self.parameters}
        if any("[" in name for name in names):
            args, named = self._taken_apart(args, named)
        unknown = [n for n in named if n not in names]
        wanted = self.parameters if len(args) + len(named) > len(self._taken) else self._taken
        twice = [p.name for p in wanted[: len(args)] if p.name in named and not p.constant]
        if twice and len(args) >= len(self._taken):
            raise Diagnostic(
                "PTX2341",
                f"`{twice[0]}` is given twice, in its place and by its name",
                help="give it once",
                origin=user_span(),
            )
        free = [p for p in wanted if p.name not in named]
        if unknown or len(free) != len(args):
            raise Diagnostic(
                "PTX2341",
                f"`{self.name}` has no parameter `{unknown[0]}`"
                if unknown
                else f"`{self.name}` takes {len(self._taken)} arguments; {len(args) + len(named)} given",
                help=f"in order: {', '.join(f'{p.name} ({p.type})' for p in self._taken)}; constants may be left out",
                origin=user_span(),
            )
        values = dict(zip((p.name for p in free), args, strict=True)) | dict(named)
        for p in self.parameters:
            if p.constant and p.name in values and not _same(values[p.name], p.value):
                raise Diagnostic(
                    "PTX2341",
                    f"`{self.name}` was compiled with {p.name} = {p.value!r}, and {values[p.name]!r} is given",
                    help="compile it for this value, or leave the constant out",
                    origin=user_span(),
                )
        return [values[p.name] for p in self._taken]

    def _taken_apart(self, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Arguments with the parts of tuples, as the parameters are."""
        constants = [p.value for p in self.parameters if p.constant]
        flat = [x for arg in args for _, x in ([("", arg)] if _is_one_of(arg, constants) else _parts(arg))]
        tuples = {p.name.partition("[")[0] for p in self.parameters if "[" in p.name}
        pairs = [(n, v) for n, v in named.items() if n not in tuples]
        return flat, dict(pairs + [(n + place, x) for n in tuples & {*named} for place, x in _parts(named[n])])

    def _extents(self, grid: Grid) -> tuple[int, int, int]:
        """CTAs along x, y, z."""
        given = grid({p.name: p.value for p in self.parameters if p.constant}) if callable(grid) else grid
        try:
            whole: Sequence[Any] = given if isinstance(given, Sequence) else (given,)
            extents = [operator.index(n) for n in whole if len(whole) <= 3]
        except TypeError:
            extents = []
        if not extents:
            raise Diagnostic(
                "PTX2001",
                f"grid={given!r} is no grid.",
                help="give 1 to 3 positive integers, e.g. (4,)",
                origin=user_span(),
            )
        x, y, z = (*extents, 1, 1)[:3]
        return x * self._convention.ctas, y, z

    def _names(self) -> dict[str, str]:
        """What reports call the entry's parameters."""
        out: dict[str, str] = {}
        params = iter(self._program.params)
        for p in self._taken:
            first = next(params, None)
            if first is None:
                break
            out[first.name] = p.name
            for _ in range(_width(p) - 1):
                next(params, None)
        return out


def _on_gpu(args: Sequence[Any]) -> bool:
    views = [view(a) for a in args if is_array(a)] + [a.array for a in args if isinstance(a, BoundMap)]
    return any(v.device == CUDA for v in views)


def _same(a: Any, b: Any) -> bool:
    return a is b or str(a) == str(b) or (not is_array(a) and bool(a == b))


# --- arguments ----------------------------------------------------------------------------------------------------------


def _rank(type_: str) -> int:
    """Dimensions in "tensordesc<fp16[128,64],…>"."""
    inner = type_[type_.index("[") + 1 : type_.index("]")]
    return len(inner.split(","))


def _width(p: Parameter) -> int:
    """How many parameters of the entry it becomes."""
    if not p.type.startswith("tensordesc"):
        return 1
    return 1 + 2 * _rank(p.type) if p.map is not None else 3 + 4 * _rank(p.type)


def _entry_arguments(p: Parameter, value: Any, found: list[Diagnostic]) -> list[Any]:
    if p.type.startswith("tensordesc"):
        return _descriptor(p, value)
    if p.type.startswith("*"):
        return [_pointer(p, value, found)]
    return [_scalar(p, value)]


def _pointer(p: Parameter, value: Any, found: list[Diagnostic]) -> Any:
    if value is None:
        return 0
    if not is_array(value):
        raise _wrong(p, f"is a pointer, and a {type(value).__name__} is given", "give an array")
    element = TYPES.get(_ELEMENTS.get(p.type[1:], ""))
    a = view(value)
    found += broken(f"Argument `{p.name}`", value, a, ArrayRule(dtype=element, align=p.divisible))
    return value


def _of_numpy(value: Any) -> bool:
    """Whether it is a scalar of NumPy's, which passes for an array of no dimensions."""
    import numpy as np

    return isinstance(value, np.generic)


def _scalar(p: Parameter, value: Any) -> Any:
    import ml_dtypes
    import numpy as np

    if is_array(value) and not _of_numpy(value):
        raise _wrong(p, f"is of type {p.type}, and an array is given", "give a number")
    plain = value.item() if _of_numpy(value) else value
    wanted = (int, float) if p.type in _SCALARS else int
    if not isinstance(plain, wanted):
        article = "an" if type(value).__name__[0] in "aeiou" else "a"
        raise _wrong(p, f"is of type {p.type}, and {article} {type(value).__name__} is given", "give a number")
    if p.type in _SCALARS:
        name = _SCALARS[p.type]
        return np.asarray(float(plain)).astype(ml_dtypes.bfloat16 if name == "bfloat16" else name)[()]
    number = int(plain)
    bits = int(p.type[1:]) if p.type[1:].isdecimal() else 64
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise _wrong(
            p, f"is of type {p.type}, and {number} does not fit", "compile the kernel for a wider type, or give another"
        )
    if number % p.divisible:
        raise _wrong(
            p,
            f"was a multiple of {p.divisible} when the kernel was compiled, and {number} is given",
            "compile the kernel for this value: Triton assumes the divisibility of what it was compiled with",
        )
    return number


def _wrong(p: Parameter, words: str, help_: str) -> Diagnostic:
    return Diagnostic("PTX2341", f"Argument `{p.name}` {words}.", help=help_)


def _descriptor(p: Parameter, value: Any) -> list[Any]:
    """The map, the extents and the strides (in elements); without a map its parts, for a kernel that does without TMA."""
    if isinstance(value, BoundMap):
        a, options = value.array, value
    elif is_array(value):
        a, options = view(value), None
    elif all(hasattr(value, n) for n in ("base", "shape", "strides")):  # Triton's TensorDescriptor
        base = view(value.base)
        shape, strides = tuple(map(int, value.shape)), tuple(int(s) * base.itemsize for s in value.strides)
        a, options = replace(base, shape=shape, strides=strides), value
    else:
        raise _wrong(p, f"is a tensor descriptor, and a {type(value).__name__} is given", "give an array of its rank")
    rank = _rank(p.type)
    if len(a.shape) != rank:
        raise _wrong(p, f"is a descriptor of {rank} dimensions, and the array has {len(a.shape)}", "reshape the array")
    strides = [s // a.itemsize for s in a.strides]
    nan = getattr(options, "padding", "zero") == "nan"
    tf32 = bool(getattr(options, "round_f32_to_tf32", False))
    if p.map is None:
        return [value if options is None else a, *a.shape, *strides, int(nan), int(tf32), *a.shape, *strides]
    return [_map(p, a, value, nan=nan, tf32=tf32), *a.shape, *strides]


def _map(p: Parameter, a: ArrayView, value: Any, *, nan: bool, tf32: bool) -> BoundMap:
    assert p.map is not None
    box, swizzle = [int(n) for n in p.map["block_size"]], _SWIZZLES[int(p.map["swizzle"])]
    if isinstance(value, BoundMap):
        if list(reversed(value.map.box)) != box or value.map.swizzle != swizzle:
            raise _wrong(
                p,
                f'is copied in boxes of {tuple(box)} with swizzle "{swizzle}", and the map has '
                f'{tuple(reversed(value.map.box))} and "{value.map.swizzle}"',
                f'give the array itself, or px.tensor_map(array, box={tuple(box)}, swizzle="{swizzle}")',
            )
        return value
    if p.map.get("fp4_padded") or p.map.get("is_im2col"):
        raise _wrong(p, "is a descriptor of 4-bit elements or of im2col mode", "give a map: px.TensorMap.im2col(…)")
    if p.map["elem_size"] != a.itemsize:
        raise _wrong(
            p, f"has elements of {p.map['elem_size']} bytes, and the array's have {a.itemsize}", "convert the array"
        )
    fill = "nan" if nan else "zero"
    return tensor_map(a, box=box, swizzle=swizzle, oob_fill=fill, dtype="tf32" if tf32 else None)


# --- what Triton hands over -----------------------------------------------------------------------------------------------


@public
def triton(
    compiled: Any,
    metadata: Any = None,
    *,
    signature: Mapping[str, Any] | None = None,
    constants: Mapping[Any, Any] | None = None,
) -> TritonKernel:
    """A kernel that Triton or Gluon has compiled, to be called with arrays.

    Args:
        compiled: what `triton.compile(…)` or a kernel's `warmup` gives; or the PTX text, or the dictionary `asm` that holds it.
        metadata: of the compilation, where `compiled` does not bring it: a dictionary or an object.
        signature: Triton's types of the parameters by name, where `compiled` does not bring them.
        constants: values of parameters whose type is "constexpr", by name or by Triton's index.

    Raises: Diagnostic PTX2340 where something is missing or is no compilation for a GPU of NVIDIA; PTX0xxx and PTX1xxx for
        what is wrong with the PTX.

    Example:
        import triton
        import triton.language as tl
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        @triton.jit
        def double(x, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, 2 * tl.load(x + i))

        source = ASTSource(double, {"x": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 128})
        kernel = px.triton(triton.compile(source, target=GPUTarget("cuda", 90, 32)))
        x = np.ones(256, np.float32)

        kernel[2](x)
        print(x[0], x[255])  # 2.0 2.0
    """
    text = _text(compiled)
    meta = metadata if metadata is not None else getattr(compiled, "metadata", None)
    source = getattr(compiled, "src", None)
    types = signature if signature is not None else getattr(source, "signature", None)
    if meta is None or types is None:
        what = "metadata" if meta is None else "signature"
        raise _not_triton(f"it comes without its {what}", f"pass {what}=…, or the object that triton.compile returns")
    values: Mapping[Any, Any] = constants if constants is not None else getattr(source, "constants", None) or {}
    module = parse_module(text, f"{_of(meta, 'name', 'triton')}.ptx")
    name = str(_of(meta, "name", module.entries[0] if module.entries else ""))
    if name not in module.entries:
        raise _not_triton(
            f"its metadata names the kernel `{name}`, which its PTX does not have", "pass both of one compilation"
        )
    parameters = _parameters(
        types, values, getattr(source, "attrs", None) or {}, _of(meta, "tensordesc_meta", None) or ()
    )
    ctas = int(_of(meta, "num_ctas", 1))
    return TritonKernel(
        module,
        name,
        parameters,
        _Convention(
            int(_of(meta, "num_warps", 4)),
            ctas,
            int(_of(meta, "shared", 0)),
            (int(_of(meta, "global_scratch_size", 0)), int(_of(meta, "profile_scratch_size", 0))),
            bool(_of(meta, "launch_cooperative_grid", False)),
        ),
    )


def _is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)


def _of(meta: Any, name: str, default: Any) -> Any:
    return meta.get(name, default) if _is_mapping(meta) else getattr(meta, name, default)


def _not_triton(words: str, help_: str) -> Diagnostic:
    return Diagnostic("PTX2340", f"This is no Triton kernel to launch: {words}.", help=help_, origin=user_span())


def _text(compiled: Any) -> str:
    asm: Any = compiled if isinstance(compiled, str) or _is_mapping(compiled) else getattr(compiled, "asm", None)
    text: Any = asm if isinstance(asm, str) else asm.get("ptx") if _is_mapping(asm) else None
    if not isinstance(text, str):
        raise _not_triton(
            f"a {type(compiled).__name__} holds no PTX",
            'give what triton.compile(…, target=GPUTarget("cuda", 90, 32)) returns',
        )
    return text


def _is_one_of(value: Any, constants: Sequence[Any]) -> bool:
    """Whether it is a tuple that is a constant."""
    numbers = isinstance(value, tuple) and not any(is_array(x) for _, x in _parts(value))
    return numbers and any(_same(value, c) for c in constants)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a tuple, with their places, e.g. "[0][1]"; of anything else itself."""
    if not isinstance(value, tuple):
        yield "", value
        return
    for i, inner in enumerate(cast("tuple[Any, ...]", value)):
        for place, x in _parts(inner):
            yield f"[{i}]{place}", x


def _parameters(
    types: Mapping[str, Any], constants: Mapping[Any, Any], attrs: Mapping[Any, Any], maps: Sequence[Mapping[str, Any]]
) -> list[Parameter]:
    left = iter(maps)
    out: list[Parameter] = []

    def add(name: str, type_: Any, path: tuple[int, ...]) -> None:
        if isinstance(type_, tuple):
            for i, inner in enumerate(cast("tuple[Any, ...]", type_)):
                add(f"{name}[{i}]", inner, (*path, i))
            return
        word = str(type_)
        value = constants.get(path, constants.get(name, constants.get(path[0]) if len(path) == 1 else None))
        divisible = next((int(n) for key, n in attrs.get(path, ()) if key == "tt.divisibility"), 1)
        made = next(left, None) if word.startswith("tensordesc") else None
        out.append(Parameter(name, word, value, divisible, made))

    for index, (name, type_) in enumerate(types.items()):
        add(str(name), type_, (index,))
    return out
