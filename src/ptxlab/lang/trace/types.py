"""Types that kernels name: px.u32, px.f32, px.bf16 …, px.Ptr[T]. An instance is a register of that type.

A class stands for a type wherever one is wanted (`k.smem(px.bf16, 64)`), and as an annotation for what a kernel receives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeGuard, TypeVar

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.trace.unread import access
from ptxlab.lang.trace.values import Address, Index, Register, pred

if TYPE_CHECKING:
    from ptxlab.layout import TensorMap


class b8(Register):
    """8 untyped bits. Registers of it have 32 bits."""

    scalar: ClassVar[ScalarType] = TYPES["b8"]


class b16(Register):
    """16 untyped bits."""

    scalar: ClassVar[ScalarType] = TYPES["b16"]


class b32(Register):
    """32 untyped bits."""

    scalar: ClassVar[ScalarType] = TYPES["b32"]


class b64(Register):
    """64 untyped bits."""

    scalar: ClassVar[ScalarType] = TYPES["b64"]


class b128(Register):
    """128 untyped bits."""

    scalar: ClassVar[ScalarType] = TYPES["b128"]


class u8(Register):
    """Unsigned, 8 bits. Registers of it have 32 bits."""

    scalar: ClassVar[ScalarType] = TYPES["u8"]


class u16(Register):
    """Unsigned, 16 bits."""

    scalar: ClassVar[ScalarType] = TYPES["u16"]


class u32(Register):
    """Unsigned, 32 bits."""

    scalar: ClassVar[ScalarType] = TYPES["u32"]


class u64(Register):
    """Unsigned, 64 bits."""

    scalar: ClassVar[ScalarType] = TYPES["u64"]


class s8(Register):
    """Signed, 8 bits. Registers of it have 32 bits."""

    scalar: ClassVar[ScalarType] = TYPES["s8"]


class s16(Register):
    """Signed, 16 bits."""

    scalar: ClassVar[ScalarType] = TYPES["s16"]


class s32(Register):
    """Signed, 32 bits."""

    scalar: ClassVar[ScalarType] = TYPES["s32"]


class s64(Register):
    """Signed, 64 bits."""

    scalar: ClassVar[ScalarType] = TYPES["s64"]


class f16(Register):
    """IEEE half precision."""

    scalar: ClassVar[ScalarType] = TYPES["f16"]


class bf16(Register):
    """bfloat16. Registers of it are declared .b16."""

    scalar: ClassVar[ScalarType] = TYPES["bf16"]


class f16x2(Register):
    """Two f16 in 32 bits. Registers of it are declared .b32."""

    scalar: ClassVar[ScalarType] = TYPES["f16x2"]


class bf16x2(Register):
    """Two bf16 in 32 bits. Registers of it are declared .b32."""

    scalar: ClassVar[ScalarType] = TYPES["bf16x2"]


class f32(Register):
    """IEEE single precision."""

    scalar: ClassVar[ScalarType] = TYPES["f32"]


class f64(Register):
    """IEEE double precision."""

    scalar: ClassVar[ScalarType] = TYPES["f64"]


class tf32(Register):
    """tf32, in the upper bits of 32. Registers of it are declared .b32."""

    scalar: ClassVar[ScalarType] = TYPES["tf32"]


class e4m3(Register):
    """8-bit float with 4 exponent bits."""

    scalar: ClassVar[ScalarType] = TYPES["e4m3"]


class e5m2(Register):
    """8-bit float with 5 exponent bits."""

    scalar: ClassVar[ScalarType] = TYPES["e5m2"]


T = TypeVar("T", bound="Register | TensorMap")


class Ptr(u64, Generic[T]):
    """A pointer to global memory whose elements are of type T. `at` counts bytes, `[]` counts elements.

    Attributes:
        element: the type of what lies there; untyped bytes for tensor maps. step: bytes from one element to the next.
    """

    __slots__ = ("element", "step")
    element: ScalarType
    step: int

    def at(self, offset: Index) -> Address:
        """The address `offset` bytes on. An int costs no instruction; a register costs one (mad.wide or add)."""
        return self.address().at(offset)

    def __add__(self, offset: Index) -> Address:  # type: ignore[override]
        """As `at`."""
        return self.address() + offset

    def __getitem__(self, index: Index) -> Address:
        """The address of element `index`. An int costs no instruction; a register costs one (mad.wide or mad.lo)."""
        return self.address().at(index, self.step)

    if not TYPE_CHECKING:  # a type checker says it too

        def _scaled(self, _: object) -> NoReturn:
            raise self.address().unread("`*` and `/` of a pointer mean nothing")

        __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _scaled

        def __setitem__(self, index: Index, value: object) -> NoReturn:
            place = f"{self.reg.name.lstrip('%')}[{index if isinstance(index, int) else '…'}]"
            raise Diagnostic(
                "PTX2224",
                f"`{place}` is a place in memory, which Python cannot assign to",
                help=f"store to it: {access('st', 'global', self.element)}({place}, value)",
                origin=user_span(),
            )

    def address(self) -> Address:
        """The pointer as an address."""
        return Address(self._k, self.reg, 0, "global", self.element)


REGISTER_CLASSES: dict[str, type[Register]] = {
    c.scalar.name: c
    for c in (
        pred, b8, b16, b32, b64, b128, u8, u16, u32, u64, s8, s16, s32, s64,
        f16, bf16, f16x2, bf16x2, f32, f64, tf32, e4m3, e5m2,
    )
}  # fmt: skip

_HELD_AS = {
    "b8": "b32", "u8": "u32", "s8": "s32", "e4m3": "b32", "e5m2": "b32",
    "bf16": "b16", "f16x2": "b32", "bf16x2": "b32", "tf32": "b32",
}  # fmt: skip


def register_class(scalar: ScalarType) -> type[Register]:
    """The class whose instances are registers of the type; untyped where no class has its name, as of packed pairs."""
    return REGISTER_CLASSES.get(scalar.name) or REGISTER_CLASSES[f"b{max(8, scalar.bits)}"]


def held_as(scalar: ScalarType) -> ScalarType:
    """The type by which a register for such values is declared."""
    name = scalar.name if scalar.name in REGISTER_CLASSES else register_class(scalar).scalar.name
    return TYPES[_HELD_AS.get(name, name)]


def is_register(kind: object) -> TypeGuard[type[Register]]:
    """Whether it is a class of registers, as px.f32 is."""
    return isinstance(kind, type) and issubclass(kind, Register)


def scalar_of(dtype: Any) -> ScalarType:
    """The scalar type behind a px type, a PTX type name or a NumPy dtype.

    Raises: Diagnostic PTX2202 for anything else.
    """
    if is_register(dtype):
        return dtype.scalar
    if isinstance(dtype, ScalarType):
        return dtype
    if isinstance(dtype, str) and dtype in TYPES:
        return TYPES[dtype]
    name = getattr(dtype, "name", getattr(dtype, "__name__", str(dtype)))
    found = _NUMPY.get(str(name))
    if found is None:
        raise Diagnostic(
            "PTX2202", f"{dtype!r} is no type of PTX", help="use px.f32, px.bf16, px.u32 …", origin=user_span()
        )
    return TYPES[found]


_NUMPY = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2",
}  # fmt: skip
