"""A module's variables, read and written from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.launch.arrays import dtype_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ptxlab.launch.code import Code

_SPACES = ("global", "const")


class Symbol:
    """A .global or .const variable. Indexing reads and writes it as a NumPy array of its type and extents.

    The simulator and each GPU that the module is loaded on hold one instance each. Writing writes all of them;
    reading reads the one of the device that the module was last launched on (the simulator's before any launch).

    Example:
        text = '''
        .version 8.0
        .target sm_90a
        .address_size 64
        .global .u32 counter = 5;
        .visible .entry count(.param .u64 out)
        {
            .reg .u32 %r<2>;
            .reg .u64 %rd<2>;
            ld.param.u64 %rd0, [out];
            atom.global.add.u32 %r0, [counter], 1;
            st.global.u32 [%rd0], %r0;
            ret;
        }
        '''

        mod = px.parse(text)
        counter = mod.symbol("counter")
        counter[...] = 40
        mod["count"].launch(grid=1, block=1, args=[np.zeros(1, np.uint32)])
        print(counter.read(), counter.name, counter.dtype)  # 41 counter uint32
    """

    def __init__(self, module: Code, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self.name, self.dtype, self.shape = name, dtype, shape
        self._module = module

    @classmethod
    def of(cls, module: Code, name: str, wanted: Any = None) -> Symbol:
        """The variable `name` of a `module`, as elements of the dtype `wanted` in one dimension where that is given.

        Raises: Diagnostic PTX2312; PTX2307 as `Module.symbol`.
        """
        from ptxlab.ptx import tree

        declared = {
            d.name: (v, d)
            for v in module.tree.items
            if isinstance(v, tree.VarDecl) and v.space in _SPACES
            for d in v.names
        }
        if name not in declared:
            listed = ", ".join(declared) or "none"
            raise Diagnostic(
                "PTX2312", f"The module has no variable {name!r}.", help=f"its variables: {listed}", origin=user_span()
            )
        _provide(module, name)
        decl, declarator = declared[name]
        dtype = dtype_of(decl.type.name)
        extents = tuple(int(d.value) for d in declarator.dims if d is not None)
        shape = (*extents, *((decl.vector,) if decl.vector else ()))
        if len(extents) < len(declarator.dims):  # `[]`: as long as its initialiser
            shape = (len(module.storage.bytes_of(name)) // dtype.itemsize,)
        if wanted is not None:
            dtype, nbytes = dtype_of(wanted), len(module.storage.bytes_of(name))
            if nbytes % dtype.itemsize:
                raise Diagnostic(
                    "PTX2307",
                    f"`{name}` has {nbytes} bytes, which are no {dtype.name}.",
                    help="give the dtype that the variable was declared with",
                    origin=user_span(),
                )
            shape = (nbytes // dtype.itemsize,)
        return cls(module, name, dtype, shape)

    @property
    def _host(self) -> npt.NDArray[Any]:
        return self._module.storage.bytes_of(self.name).view(self.dtype).reshape(self.shape)

    def read(self) -> npt.NDArray[Any]:
        """A copy of the present value. Raises: Diagnostic PTX2421 where a kernel on the GPU has failed."""
        import numpy as np

        last = self._module.last_library
        if last is None:
            return self._host.copy()
        from ptxlab.cuda.library import read_memory

        address, size = last.variable(self.name)
        return np.frombuffer(read_memory(last.device, address, size), self.dtype).reshape(self.shape)

    def __getitem__(self, key: Any) -> Any:
        return self.read()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._module.last_library is not None:
            self._host[...] = self.read()
        self._host[key] = value
        self._module.written(self.name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        found = self.read()
        return found if dtype is None else found.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<Symbol {self.name}: {self.dtype.name} {self.shape}>"


def _provide(module: Code, name: str) -> None:
    """Make the variable's memory, through the first kernel that can reach it. Kernels that are wrong are passed over."""
    for entry in module.entries:
        try:
            program = module.program(entry)
        except Diagnostic:
            continue
        if any(v.name == name for v in program.variables):
            module.storage.for_launch(program)
            return
    raise Diagnostic(
        "PTX2312",
        f"No kernel of the module that could run uses the variable {name!r}.",
        help="read and write variables that kernels use",
        origin=user_span(),
    )
