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
    """8 untyped bits. Registers of it have 32 bits.

    Example:
        bytes_ = k.smem(px.b8, 128)
        k.st.shared.b8(bytes_.at(k.thread), k.thread)
        k.st.global_.u32(out[k.thread], k.ld.shared.b8(bytes_.at(k.thread)))
        # out[:3]: [0 1 2]
    """

    scalar: ClassVar[ScalarType] = TYPES["b8"]


class b16(Register):
    """16 untyped bits.

    Example:
        low, high = k.unpack(k.mov.b32(0x00020001), px.b16)
        k.st.global_.u32(out[k.thread], k.cvt.u32.u16(high))
        # out[:2]: [2 2]
    """

    scalar: ClassVar[ScalarType] = TYPES["b16"]


class b32(Register):
    """32 untyped bits.

    Example:
        v = k.ld.global_.b32(x[k.thread])  # the bits of 0.0, 1.0, 2.0 …
        k.st.global_.b32(out[k.thread], k.shr.u32(v, 23))
        # out[:3]: [  0 127 128]
    """

    scalar: ClassVar[ScalarType] = TYPES["b32"]


class b64(Register):
    """64 untyped bits.

    Example:
        pair = k.mov.b64((k.thread, 1))  # low and high word
        low, high = k.unpack(pair, px.b32)
        k.st.global_.b32(out[k.thread], low + high)
        # out[:3]: [1 2 3]
    """

    scalar: ClassVar[ScalarType] = TYPES["b64"]


class b128(Register):
    """128 untyped bits.

    Example:
        whole = k.mov.b128((k.mov.b64(5), k.mov.b64(6)))  # low and high half
        low, high = k.unpack(whole, px.b64)
        k.st.global_.u32(out[k.thread], k.cvt.u32.u64(low * 10 + high))
        # out[:1]: [56]
    """

    scalar: ClassVar[ScalarType] = TYPES["b128"]


class u8(Register):
    """Unsigned, 8 bits. Registers of it have 32 bits.

    Example:
        @px.kernel(threads=32)
        def widen(k, a: px.Ptr[px.u8], out: px.Ptr[px.u32]):
            k.st.global_.u32(out[k.thread], k.ld.global_.u8(a[k.thread]))

        a, out = np.full(32, 200, np.uint8), np.zeros(32, np.uint32)
        widen[1](a, out)
        print(out[0])  # 200
    """

    scalar: ClassVar[ScalarType] = TYPES["u8"]


class u16(Register):
    """Unsigned, 16 bits.

    Example:
        v = k.cvt.u16.u32(k.thread + 65530)  # wraps after 65535
        k.st.global_.u32(out[k.thread], k.cvt.u32.u16(v))
        # out[4:8]: [65534 65535     0     1]
    """

    scalar: ClassVar[ScalarType] = TYPES["u16"]


class u32(Register):
    """Unsigned, 32 bits.

    Example:
        v = k.mov.u32(7)
        k.st.global_.u32(out[k.thread], v // 2 + v % 2)
        # out[:2]: [4 4]
    """

    scalar: ClassVar[ScalarType] = TYPES["u32"]


class u64(Register):
    """Unsigned, 64 bits.

    Example:
        wide = k.mul.wide.u32(k.thread, 0x80000000)
        k.st.global_.u32(out[k.thread], k.cvt.u32.u64(wide >> 31))
        # out[:3]: [0 1 2]
    """

    scalar: ClassVar[ScalarType] = TYPES["u64"]


class s8(Register):
    """Signed, 8 bits. Registers of it have 32 bits.

    Example:
        @px.kernel(threads=32)
        def widen(k, a: px.Ptr[px.s8], out: px.Ptr[px.s32]):
            k.st.global_.s32(out[k.thread], k.ld.global_.s8(a[k.thread]))

        a, out = np.full(32, -5, np.int8), np.zeros(32, np.int32)
        widen[1](a, out)
        print(out[0])  # -5
    """

    scalar: ClassVar[ScalarType] = TYPES["s8"]


class s16(Register):
    """Signed, 16 bits.

    Example:
        v = k.cvt.s16.s32(k.mov.s32(-3))
        k.st.global_.u32(out[k.thread], k.cvt.u32.s16(v))
        # out[:1]: [4294967293]
    """

    scalar: ClassVar[ScalarType] = TYPES["s16"]


class s32(Register):
    """Signed, 32 bits.

    Example:
        v = k.mov.s32(k.thread) - 2
        k.st.global_.u32(out[k.thread], k.max.s32(v, 0))
        # out[:4]: [0 0 0 1]
    """

    scalar: ClassVar[ScalarType] = TYPES["s32"]


class s64(Register):
    """Signed, 64 bits.

    Example:
        v = k.cvt.s64.s32(k.mov.s32(-1))
        k.st.global_.u32(out[k.thread], 1, pred=v < 0)
        # out[:2]: [1 1]
    """

    scalar: ClassVar[ScalarType] = TYPES["s64"]


class f16(Register):
    """IEEE half precision, 16 bits. `x + y` is a half precision add, `k.add.rn.f16(x, y)`; `-` and `*` likewise.

    Example:
        v = k.cvt.rn.f16.f32(k.ld.global_.f32(x[k.thread]))
        k.st.global_.f32(y[k.thread], k.cvt.f32.f16(v + v))
        # y[:3]: [0. 2. 4.]
    """

    scalar: ClassVar[ScalarType] = TYPES["f16"]


class bf16(Register):
    """bfloat16. Registers of it are declared .b16. `x + y` is `k.add.rn.bf16(x, y)`; `-` and `*` likewise.

    Example:
        v = k.cvt.rn.bf16.f32(k.ld.global_.f32(x[k.thread]))
        k.st.global_.f32(y[k.thread], k.cvt.f32.bf16(v))
        # y[:3]: [0. 1. 2.]
    """

    scalar: ClassVar[ScalarType] = TYPES["bf16"]


class f16x2(Register):
    """Two f16 in 32 bits. Registers of it are declared .b32. `x + y` is two half precision adds: `k.add.rn.f16x2(x, y)`.

    Example:
        one = k.cvt.rn.f16x2.f32(1.0, 2.0)  # the first is the upper half
        low, high = k.unpack(k.add.f16x2(one, one), px.b16)
        k.st.global_.f32(y[k.thread], k.cvt.f32.f16(low))
        # y[:1]: [4.]
    """

    scalar: ClassVar[ScalarType] = TYPES["f16x2"]


class bf16x2(Register):
    """Two bf16 in 32 bits. Registers of it are declared .b32. `x + y` adds two pairs at once: `k.add.rn.bf16x2(x, y)`.

    Example:
        both = k.cvt.rn.bf16x2.f32(1.0, 2.0)
        low, high = k.unpack(k.fma.rn.bf16x2(both, both, both), px.b16)
        k.st.global_.f32(y[k.thread], k.cvt.f32.bf16(low))
        # y[:1]: [6.]
    """

    scalar: ClassVar[ScalarType] = TYPES["bf16x2"]


class f32(Register):
    """IEEE single precision. Each operator is an instruction that rounds to the nearest: `x + y` is `k.add.rn.f32(x, y)`, `-` and
    `*` likewise, and `x * y + z` rounds twice, where `k.fma.rn.f32(x, y, z)` rounds once.

    Example:
        v = k.ld.global_.f32(x[k.thread])
        k.st.global_.f32(y[k.thread], v * 2.0 + 1.0)
        # y[:3]: [1. 3. 5.]
    """

    scalar: ClassVar[ScalarType] = TYPES["f32"]


class f64(Register):
    """IEEE double precision.

    Example:
        v = k.cvt.f64.f32(k.ld.global_.f32(x[k.thread])) / 3.0
        k.st.global_.f32(y[k.thread], k.cvt.rn.f32.f64(v * 3.0))
        # y[:3]: [0. 1. 2.]
    """

    scalar: ClassVar[ScalarType] = TYPES["f64"]


class tf32(Register):
    """tf32, in the upper bits of 32. Registers of it are declared .b32.

    Example:
        v = k.cvt.rna.tf32.f32(k.ld.global_.f32(x[k.thread]))  # 10 bits of the fraction are kept
        k.st.global_.b32(y[k.thread], v)
        # y[:3]: [0. 1. 2.]
    """

    scalar: ClassVar[ScalarType] = TYPES["tf32"]


class e4m3(Register):
    """8-bit float with 4 exponent bits. Arrays of it are `px.empty(shape, "e4m3")` in NumPy: `ml_dtypes.float8_e4m3fn`.

    Example:
        two = k.cvt.rn.satfinite.e4m3x2.f32(1.5, 448.0)  # 8 bits each, the first is the upper one
        k.st.global_.u32(out[k.thread], k.cvt.u32.u16(two))
        # out[:1]: [15486]
    """

    scalar: ClassVar[ScalarType] = TYPES["e4m3"]


class e5m2(Register):
    """8-bit float with 5 exponent bits. Arrays of it are `px.empty(shape, "e5m2")` in NumPy: `ml_dtypes.float8_e5m2`.

    Example:
        two = k.cvt.rn.satfinite.e5m2x2.f32(1.5, 448.0)
        k.st.global_.u32(out[k.thread], k.cvt.u32.u16(two))
        # out[:1]: [15967]
    """

    scalar: ClassVar[ScalarType] = TYPES["e5m2"]


T = TypeVar("T", bound="Register | TensorMap")


class Ptr(u64, Generic[T]):
    """A pointer to global memory whose elements are of type T. `at` counts bytes, `[]` counts elements.

    Attributes:
        element: the type of what lies there; untyped bytes for tensor maps. step: bytes from one element to the next.

    Raises: Diagnostic PTX2224 for an assignment to `pointer[i]`, which names the store to write instead.

    PTX: mad.wide

    Example:
        fourth = x.at(16)  # 16 bytes on: element 4, no instruction
        v = k.ld.global_.f32(fourth) + k.ld.global_.f32(x[k.thread])
        k.st.global_.f32(y[k.thread] + 0, v + k.ld.global_.f32(x.address()))
        # y[:3]: [4. 5. 6.]
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
