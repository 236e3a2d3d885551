"""Kernels: an entry of a module, or a Python function that is traced into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Never, Protocol

from ptxlab.abi.options import LaunchOptions
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, html, user_span
from ptxlab.diag.boundary import public
from ptxlab.diag.legible import limited
from ptxlab.launch.calls import meant_option
from ptxlab.launch.code import Code
from ptxlab.launch.entry import Entry
from ptxlab.launch.lints import ALL, Lints
from ptxlab.launch.prepare import Launch, prepare
from ptxlab.launch.traced import TracedSource
from ptxlab.launch.watch import LeftOut, launches_left_out, watching
from ptxlab.ptx import tree
from ptxlab.ptx.printer import node_text

if TYPE_CHECKING:
    from ptxlab.cuda.ptxas import Resources
    from ptxlab.lang.kernel import KernelFunction
    from ptxlab.ptx.program import Program

_SHOWN: Final = 200_000
"""Characters of PTX that a notebook shows; of longer text the two ends."""
_NOTHING: Final[Sequence[Any]] = ()


def kernel_of(given: object) -> Kernel:
    """The kernel that a call is about. Raises: Diagnostic PTX2322 for what is none."""
    if isinstance(given, Kernel):
        return given
    kind = type(given).__name__
    raise Diagnostic("PTX2322", f"{'An' if kind[0] in 'AEIOUaeiou' else 'A'} {kind} is no kernel.", origin=user_span())


class Source(Protocol):
    """Where a kernel's entries come from."""

    @property
    def name(self) -> str:
        """The kernel's name."""
        ...

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of its compile-time constants."""
        ...

    @property
    def file(self) -> str:
        """Where it is written."""
        ...

    def entry(self, constants: Mapping[str, Any]) -> Entry:
        """The entry for these compile-time constants."""
        ...

    def facts(self) -> Iterator[tuple[str, str]]:
        """What is known of it before it is traced: pairs of a name and words."""
        ...

    def written(self, constants: Mapping[str, Any]) -> str:
        """Its PTX for these constants, "" where it has not been traced yet."""
        ...


class Kernel:
    """A kernel. `launch` runs it: NumPy arrays in the simulator, CUDA arrays on the GPU; the rest is the same.

    A kernel is made by `module["entry"]` or by `@px.kernel`. `kernel[grid](…)` is short for `kernel.launch(grid=grid, args=[…])`.

    Example:
        @px.kernel(threads=32)
        def fill(k, x: px.Ptr[px.u32], *, value):
            k.st.global_.u32(x[k.tid.x], value)

        x = np.zeros(32, np.uint32)
        sevens = fill.specialize(value=7)
        sevens.launch(grid=1, args=[x])
        again = sevens.prepare(grid=1, args=[x])
        again()
        print(sevens.name, x[0], sevens.ptx.count("st.global"))  # fill 7 1
    """

    def __init__(self, source: Source, constants: Mapping[str, Any] | None = None) -> None:
        self._source = source
        self._constants = dict(constants or {})

    @classmethod
    def of_entry(cls, module: Code, name: str) -> Kernel:
        """The kernel called `name` of a parsed `module`."""
        return cls(Parsed(Entry(module, name)))

    @classmethod
    def of_function(cls, function: KernelFunction, lints: Lints = ALL) -> Kernel:
        """A kernel of a Python function; its launches show these `lints`."""
        made = cls(TracedSource(function, lints))
        made.__doc__ = function.fn.__doc__
        return made

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._source.name

    @property
    def source(self) -> Source:
        """Where its entries come from."""
        return self._source

    def __repr__(self) -> str:
        fixed = "".join(f", {k}={v!r}" for k, v in self._constants.items())
        return f"<Kernel {self.name}{fixed}>"

    def _repr_html_(self) -> str:
        """Its parameters and extents; its PTX, where it has been traced."""
        fixed = ", ".join(f"{k}={v!r}" for k, v in self._constants.items())
        text = self._source.written(self._constants)
        shown = html.facts(f"Kernel {self.name}", [*self._source.facts(), ("constants", fixed)])
        return shown + (html.folded("PTX", html.preformatted(limited(text, _SHOWN))) if text else "")

    def specialize(self, /, **constants: Any) -> Kernel:
        """The kernel with compile-time constants fixed. Raises: Diagnostic for names that the function does not have."""
        return Kernel(self._source, {**self._constants, **constants})

    @public
    def entry(self, /, **constants: Any) -> Entry:
        """The entry behind the kernel, traced for these compile-time `constants` and those that are fixed already."""
        return self._source.entry({**self._constants, **constants})

    @property
    @public
    def ptx(self) -> str:
        """The PTX text of the kernel's module. Raises: Diagnostic PTX2315 where constants are still open."""
        return str(self.entry().module)

    @property
    @public
    def program(self) -> Program:
        """The kernel, lowered: what is simulated."""
        return self.entry().program

    @property
    @public
    def cubin(self) -> bytes:
        r"""The assembled module for its own target. Raises: Diagnostic PTX24xx with what ptxas has to say.

        Example:
            @px.kernel(threads=32)
            def fill(k, x: px.Ptr[px.u32]):
                k.st.global_.u32(x[k.tid.x], 1)

            print(fill.cubin[:4], fill.warnings)  # b'\x7fELF' ()
        """
        return self.entry().assembly.cubin

    @property
    @public
    def resources(self) -> Resources:
        """Registers, spills and shared memory as ptxas reports them, and dynamic shared memory. Raises: Diagnostic PTX24xx.

        Example: see px.Resources
        """
        return self.entry().resources

    @property
    @public
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What ptxas warns of, losses of performance included. Raises: Diagnostic PTX24xx where it rejects the module.

        Example: see Kernel.cubin
        """
        return self.entry().assembly.warnings

    @public
    def prepare(
        self,
        *,
        grid: Extents,
        block: Extents | None = None,
        cluster: Extents | None = None,
        shared: int | None = None,
        args: Sequence[Any] = (),
        buffers: Sequence[Any] = _NOTHING,
        device: str = "auto",
        stream: Any = None,
        programmatic: bool | None = None,
        cooperative: bool = False,
        lints: bool = True,
        ignore: str | Sequence[str] = (),
        sanitize: Sanitize | None = None,
        **constants: Any,
    ) -> Launch:
        """A launch that is checked, packed and loaded once: `p = kernel.prepare(…)`, then `p()` or `p(stream=s)`, again and again.

        It keeps the arrays, and every call uses their memory as it then is. Where neither names a stream, a call goes to the one
        that the arrays' library works on at that moment, as `launch` does: under torch.cuda.graph it is captured.

        Args:
            grid, block, cluster, shared, args, buffers, device, programmatic, cooperative, lints, ignore, sanitize, constants: as
                in `launch`.
            stream: of the calls that name none.

        Raises: Diagnostic as `launch`.
        """
        if launches_left_out():
            return LeftOut()
        return prepare(self.entry(**constants), LaunchOptions.of(locals()), user_span())

    @public
    def launch(
        self,
        *,
        grid: Extents,
        block: Extents | None = None,
        cluster: Extents | None = None,
        shared: int | None = None,
        args: Sequence[Any] = (),
        buffers: Sequence[Any] = _NOTHING,
        device: str = "auto",
        stream: Any = None,
        programmatic: bool | None = None,
        cooperative: bool = False,
        lints: bool = True,
        ignore: str | Sequence[str] = (),
        sanitize: Sanitize | None = None,
        **constants: Any,
    ) -> None:
        """Run the kernel.

        NumPy arrays: it is simulated, and the arrays are written in place when the call returns. CUDA arrays (torch,
        CuPy, JAX, anything with DLPack or `__cuda_array_interface__`): it is launched on the GPU, in order of the stream.

        Args:
            grid: CTAs (not clusters) along x, y, z.
            block: threads of a CTA; left out, the kernel's own .reqntid.
            cluster: CTAs of a cluster; left out, the kernel's own.
            shared: bytes of dynamic shared memory; left out, what a traced kernel declares, else 0.
            args: in the order of the parameters: arrays, tensor maps, NumPy scalars, Python ints and floats.
            buffers: further arrays that the kernel reaches only through pointers in memory (for the simulator).
            device: "auto" (where the arrays are), "sim" or "gpu".
            stream: of torch, CuPy, or a handle; left out, the one that the arrays' library works on now. While that one is captured
                into a CUDA graph, another one that is not is refused.
            programmatic: the grid may begin when all CTAs of the grid in front of it in the stream have executed
                griddepcontrol.launch_dependents or ended; its griddepcontrol.wait waits for the end of those in front of it. Left
                out: where the kernel executes griddepcontrol.wait. In the simulator only with a px.Stream.
            cooperative: all CTAs are resident at once, and may wait for each other; a grid that does not fit is refused (PTX2012).
            lints: show what looks wrong across the kernel's instructions, as PtxWarning, when it is first launched.
            ignore: lints that are left out, by code or by how their codes begin, e.g. ("PTX5002",).
            sanitize: for the simulator, as in `px.simulate`. Errors among the findings are raised when the launch has ended, as one
                Diagnostic with the rest in `also`; the arrays then hold the results. Warnings alone are shown as PtxWarning.
            **constants: compile-time constants of a traced kernel.

        Raises: Diagnostic PTX20xx for the launch's shape, PTX21xx for tensor maps, PTX23xx for arguments, PTX24xx from
            ptxas and the GPU, PTX2501 for a code that does not exist and for `sanitize=True` on a GPU, PTX90xx and PTX91xx
            for what goes wrong while simulating, PTX92xx for what the sanitizer finds.
        """
        watch = watching()
        if watch is not None:
            if watch.leaves_out:
                return
            stream = watch.stream if stream is None else stream
        entry = self.entry(**constants)
        # launches with `buffers`, which are looked at, and `sanitize`, which GPUs refuse, go the long way
        if (
            buffers is _NOTHING
            and (watch is None or not watch.notes)
            and not sanitize
            and entry.repeats.launch(
                entry.module, (grid, block, cluster, shared), (device, programmatic, cooperative, lints), args, stream
            )
        ):
            return
        prepare(entry, LaunchOptions.of(locals()), user_span(), remember=True)()

    def __getitem__(self, grid: Extents) -> Callable[..., None]:
        """`kernel[grid](a, b, c)`: the short form of `launch`. Keywords are those of `launch`, and compile-time constants."""
        return partial(_launched, self, grid)

    def __call__(self, *args: Any, **options: Any) -> None:
        """Not a launch: says what is."""
        raise Diagnostic(
            "PTX2001",
            f"{self.name} is a kernel: a launch needs a grid.",
            help=f"write {self.name}[grid](…), e.g. {self.name}[4](a, b)",
            origin=user_span(),
        )


class Parsed:
    """Where the entry of a kernel that is PTX comes from."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    @property
    def name(self) -> str:
        return self._entry.name

    @property
    def constants(self) -> tuple[str, ...]:
        return ()

    @property
    def file(self) -> str:
        return self._entry.module.file

    def facts(self) -> Iterator[tuple[str, str]]:
        module, function = self._entry.module, self._function()
        yield "of", module.file
        yield "target", module.target
        yield "parameters", ", ".join(node_text(p) for p in function.params or ())
        yield "directives", " ".join(node_text(d) for d in function.directives)

    def written(self, constants: Mapping[str, Any]) -> str:
        return node_text(self._function()).strip("\n")

    def _function(self) -> tree.Function:
        return next(f for f in self._entry.module.tree.entries() if f.name == self._entry.name)

    def entry(self, constants: Mapping[str, Any]) -> Entry:
        if constants:
            name = next(iter(constants))
            raise Diagnostic(
                "PTX2301",
                f"{name}= is no option of a launch, and {self.name}, which was parsed from PTX, has no compile-time constants.",
                help=meant_option(name) or "pass parameters in args=[…]",
                origin=user_span(),
            )
        return self._entry


@public
def _launched(kernel: Kernel, grid: Extents, /, *args: Any, **options: Any) -> None:
    kernel.launch(grid=grid, args=args, **options)


@public
def kernel(
    *placed: Never, lints: bool = True, ignore: str | Sequence[str] = (), **options: Any
) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a Python function: `@px.kernel(target="sm_90a", threads=128)`.

    The function takes the builder `k` first, then one parameter for each of the kernel's, annotated (`px.Ptr[px.f32]`,
    `px.u32`, `px.TensorMap`); keyword-only parameters are compile-time constants. It is traced when it is first needed.

    Args:
        lints: whether the first launch of each specialization shows what looks wrong across its instructions.
        ignore: lints that it leaves out, by code or by how their codes begin, e.g. ("PTX5002",).
        **options: threads, which is needed; target, cluster, min_ctas, max_registers, strided, name: see
            `ptxlab.lang.KernelFunction`.

    Raises: Diagnostic PTX2225 without parentheses, without threads, or with an option that does not exist; PTX2200 for parameters
        that say nothing, PTX2210 for options out of range, PTX2227 for a constant with the name of an option of launches,
        PTX2501 for a code in `ignore` that does not exist; what is wrong in the body is raised when it is traced.

    Example:
        @px.kernel(target="sm_90a", threads=128)
        def scale(k, x: px.Ptr[px.f32], n: px.u32, *, factor=2.0):
            i = k.ctaid.x * 128 + k.tid.x
            with k.if_(i < n):
                k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * factor)

        x = np.ones(1000, np.float32)
        scale[8](x, 1000)  # 8 CTAs, simulated: x is a NumPy array
        print(x[0], x[999])  # 2.0 2.0
    """
    from ptxlab.lang.declared import check_options
    from ptxlab.lang.kernel import KernelFunction

    check_options(placed, options, ("lints", "ignore"))
    chosen = Lints.of(lints, ignore)

    def wrap(function: Callable[..., Any]) -> Kernel:
        return Kernel.of_function(KernelFunction(function, **options), chosen)

    return wrap
