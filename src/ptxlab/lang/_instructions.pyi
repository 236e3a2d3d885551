# Made from the rows by `python -m tools.instruction_stub`; do not edit.
# ruff: noqa
# fmt: off
"""Attributes to opcodes, typed. A call takes the operands of its row that are read; those that are written come back, unless
they are named: `k.add.u32(a, b)` returns a new register, `k.add.u32(a, b, d=c)` writes c."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, overload

import numpy as np

from ptxlab.isa.match import State
from ptxlab.isa.operands import Label
from ptxlab.lang.smem.barriers import Mbarrier, RemoteMbarrier
from ptxlab.lang.trace.special import NumberedRegisters, SpecialRegisters
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.maps.parameter import MapParameter
from ptxlab.lang.maps.rebind import MapSlot
from ptxlab.lang.trace.types import b32, pred, u32, u64
from ptxlab.lang.trace.values import Address, Negated, Register, Registers
from ptxlab.layout import TensorMap

_Value: TypeAlias = Register | int | float | np.number[Any]
_Number: TypeAlias = int | np.integer[Any]
_Place: TypeAlias = Address | Tile | Mbarrier | RemoteMbarrier | Register
_Map: TypeAlias = MapParameter | MapSlot | TensorMap | Address | Register
_Predicate: TypeAlias = Register | Negated
_Several: TypeAlias = Sequence[_Value] | Registers
_Result: TypeAlias = Register | str
_Guard: TypeAlias = Register | Negated | None

class Opcode:
    def __init__(self, k: Instructions, opcode: str, state: State) -> None: ...
    def __getattr__(self, name: str) -> Opcode: ...
    def __call__(self, *args: Any, pred: Any = None, **named: Any) -> Any: ...


class _call_bra:
    def __call__(self, target: Label, *, pred: _Guard = ...) -> None:
        """Go to a label; .uni promises that all active threads of the warp do. `bra{.uni} target;` PTX ISA: bra."""

class _call_brkpt:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Stop in a debugger. `brkpt;` PTX ISA: brkpt."""

class _call_call:
    @overload
    def __call__(self, callee: Label, *, pred: _Guard = ...) -> None:
        """Call a function without parameters. `call{.uni} callee;` PTX ISA: call."""
    @overload
    def __call__(self, callee: Label, args: _Value, *, pred: _Guard = ...) -> None:
        """Call a function that returns nothing. `call{.uni} callee, args;` PTX ISA: call."""
    @overload
    def __call__(self, callee: _Value, args: _Value, proto: Label, *, pred: _Guard = ...) -> None:
        """Call a function that returns nothing, through its address. `call{.uni} callee, args, proto;` PTX ISA: call."""
    @overload
    def __call__(self, callee: _Value, proto: Label, *, pred: _Guard = ...) -> None:
        """Call a function without parameters, through its address. `call{.uni} callee, proto;` PTX ISA: call."""
    @overload
    def __call__(self, ret: _Value, callee: Label, args: _Value, *, pred: _Guard = ...) -> None:
        """Call a function that returns a value. `call{.uni} ret, callee, args;` PTX ISA: call."""
    @overload
    def __call__(self, ret: _Value, callee: _Value, args: _Value, proto: Label, *, pred: _Guard = ...) -> None:
        """Call a function that returns a value, through its address. `call{.uni} ret, callee, args, proto;` PTX ISA: call."""
    @overload
    def __call__(self, ret: _Value, callee: Label, *, pred: _Guard = ...) -> None:
        """Call a function that returns a value and takes none. `call{.uni} ret, callee;` PTX ISA: call."""
    @overload
    def __call__(self, ret: _Value, callee: _Value, proto: Label, *, pred: _Guard = ...) -> None:
        """Call a function that returns a value and takes none, through its address. `call{.uni} ret, callee, proto;` PTX ISA: call."""

class _call_exit:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """End the thread. `exit;` PTX ISA: exit."""

class _call_pmevent:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Count an event. `pmevent n;` PTX ISA: pmevent."""

class _call_ret:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Return from a function; end the thread in a kernel. `ret{.uni};` PTX ISA: ret."""

class _call_trap:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Stop the kernel with an error. `trap;` PTX ISA: trap."""

class _call_abs_s16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The absolute value. `abs<.type> d, a;` PTX ISA: abs."""

class _call_abs_bf16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The absolute value. `abs<.type> d, a;` PTX ISA: abs."""

class _call_abs_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The absolute value. `abs{.ftz}<.type> d, a;` PTX ISA: abs."""

class _call_abs_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The absolute value. `abs{.ftz}<.type> d, a;` PTX ISA: abs."""

class _call_abs_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The absolute value. `abs<.type> d, a;` PTX ISA: abs."""

class _call_activemask_b32:
    def __call__(self, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """The mask of lanes that execute this instruction together. `activemask.b32 d;` PTX ISA: activemask."""

class _call_add_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add integers, modulo 2^n. `add<.type> d, a, b;` PTX ISA: add."""

class _call_add_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add 16-bit floating-point numbers, alone or in pairs. `add{.rnd}<.type> d, a, b;` PTX ISA: add."""

class _call_add_u8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add four bytes. `add{.sat}<.type> d, a, b;` PTX ISA: add."""

class _call_add_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add 16-bit floating-point numbers, alone or in pairs. `add{.rnd}{.ftz}{.sat}<.type> d, a, b;` PTX ISA: add."""

class _call_add_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add f32. `add{.rnd}{.ftz}{.sat}<.type> d, a, b;` PTX ISA: add."""

class _call_add_f32x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add two f32. `add{.rnd}{.ftz}<.type> d, a, b;` PTX ISA: add."""

class _call_add_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add f64. `add{.rnd}<.type> d, a, b;` PTX ISA: add."""

class _call_addc_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add with the carry kept before. `addc<.type> d, a, b;` PTX ISA: addc."""

class _call_alloca_u32:
    def __call__(self, size: _Value, align: _Number = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Take memory from the stack of the thread. `alloca<.type> d, size{, align};` PTX ISA: alloca."""

class _call_and_b16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Bitwise and. `and<.type> d, a, b;` PTX ISA: and."""

class _call_and_pred:
    def __call__(self, a: _Predicate | bool, b: _Predicate | bool, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Bitwise and. `and.pred p, a, b;` PTX ISA: and."""

class _call_applypriority_L2_evict_normal:
    def __call__(self, a: _Place, size: _Number, *, pred: _Guard = ...) -> None:
        """Give a cache line the ordinary eviction priority. `applypriority{.space}.L2::evict_normal [a], size;` PTX ISA: applypriority."""

class _call_bar_arrive:
    def __call__(self, id: _Value, threads: _Value, *, pred: _Guard = ...) -> None:
        """Arrive at a barrier without waiting. `bar.arrive id, threads;` PTX ISA: barrier."""

class _call_bar_sync:
    def __call__(self, id: _Value, threads: _Value = ..., *, pred: _Guard = ...) -> None:
        """Wait until all threads of the CTA (or so many) have arrived. `bar.sync id{, threads};` PTX ISA: barrier."""

class _call_barrier_arrive:
    def __call__(self, id: _Value, threads: _Value, *, pred: _Guard = ...) -> None:
        """Arrive at a barrier without waiting; threads of a warp may arrive apart unless .aligned. `barrier.arrive{.aligned} id, threads;` PTX ISA: barrier."""

class _call_barrier_sync:
    def __call__(self, id: _Value, threads: _Value = ..., *, pred: _Guard = ...) -> None:
        """Wait until all threads of the CTA (or so many) have arrived; threads of a warp may arrive apart unless .aligned. `barrier.sync{.aligned} id{, threads};` PTX ISA: barrier."""

class _call_bfe_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Extract `c` bits at bit `b`, extended by zeros or the field's sign. `bfe<.type> d, a, b, c;` PTX ISA: bfe."""

class _call_bfi_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, l: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`b` with `l` bits at bit `c` replaced by the lowest of `a`. `bfi<.type> d, a, b, c, l;` PTX ISA: bfi."""

class _call_bfind_u32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """The place of the highest bit that is not the sign; all ones where there is none. `bfind{.shiftamt}<.type> d, a;` PTX ISA: bfind."""

class _call_brev_b32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The bits in reverse. `brev<.type> d, a;` PTX ISA: brev."""

class _call_brx_idx:
    def __call__(self, index: _Value, targets: Label, *, pred: _Guard = ...) -> None:
        """Go to the label at an index of a list. `brx.idx{.uni} index, targets;` PTX ISA: brx.idx."""

class _call_clz_b32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """The number of leading zeros. `clz<.type> d, a;` PTX ISA: clz."""

class _call_cnot_b16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """1 where the operand is zero, else 0. `cnot<.type> d, a;` PTX ISA: cnot."""

class _call_copysign_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`b` with the sign of `a`. `copysign.f32 d, a, b;` PTX ISA: copysign."""

class _call_copysign_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`b` with the sign of `a`. `copysign.f64 d, a, b;` PTX ISA: copysign."""

class _call_discard_L2:
    def __call__(self, a: _Place, size: _Number, *, pred: _Guard = ...) -> None:
        """Forget the contents of a cache line without writing it back. `discard{.space}.L2 [a], size;` PTX ISA: discard."""

class _call_div_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Divide integers, rounding towards zero. `div<.type> d, a, b;` PTX ISA: div."""

class _call_elect_sync:
    def __call__(self, membermask: _Value, *, d: _Result = ..., p: _Result = ..., pred: _Guard = ...) -> tuple[u32, pred]:
        """Elect one lane of the warp. `elect.sync d|p, membermask;` PTX ISA: elect.sync."""

class _call_fabric_submit:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Submit this thread's fabric operations, so that their completion can be seen. `fabric.submit{.op_restrict::fetching};` PTX ISA: fabric.submit."""

class _call_fence_cta:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order this thread's memory accesses at a scope. `fence{.sem}<.scope>;` PTX ISA: membar, fence."""

class _call_fns_b32:
    def __call__(self, mask: _Value, base: _Value, offset: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """The place of the n-th set bit from `base` on. `fns.b32 d, mask, base, offset;` PTX ISA: fns."""

class _call_getctarank_u32:
    def __call__(self, a: _Value | _Place, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """The rank of the CTA that an address in shared memory belongs to. `getctarank{.shared::cluster}<.type> d, a;` PTX ISA: getctarank."""

class _call_griddepcontrol_launch_dependents:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Let dependent grids start early, or wait for the grids before this one. `griddepcontrol<.action>;` PTX ISA: griddepcontrol."""

class _call_isspacep_global:
    def __call__(self, a: _Value, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Whether a generic address lies in a state space. `isspacep<.space> p, a;` PTX ISA: isspacep."""

class _call_istypep_texref:
    def __call__(self, a: _Value, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Whether an opaque variable is a texture, a sampler or a surface. `istypep<.kind> p, a;` PTX ISA: istypep."""

class _call_ld_b8:
    def __call__(self, a: _Place, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load from memory into registers. `ld{.weak}{.space}{.l1}{.l2evict}{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};` PTX ISA: ld."""

class _call_ldu_b8:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load data that nobody writes while the kernel runs, from an address that all threads of the warp share. `ldu{.space}{.vec}<.type> d, [a];` PTX ISA: ldu."""

class _call_lop3_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, table: _Number, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """Any bitwise function of three operands. `lop3.b32 d, a, b, c, table;` PTX ISA: lop3."""

class _call_mapa_u32:
    def __call__(self, a: _Value | _Place, rank: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The address of the same place in another CTA's shared memory. `mapa{.shared::cluster}<.type> d, a, rank;` PTX ISA: mapa."""

class _call_max_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two numbers. `max<.type> d, a, b;` PTX ISA: max."""

class _call_max_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two numbers. `max{.NaN}<.type> d, a, b;` PTX ISA: max."""

class _call_max_u8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of each pair of bytes. `max<.type> d, a, b;` PTX ISA: max."""

class _call_max_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two numbers. `max{.ftz}{.NaN}<.type> d, a, b;` PTX ISA: max."""

class _call_max_f32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two numbers. `max{.ftz}{.NaN}.f32 d, a, b;` PTX ISA: max."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The largerst of three numbers. `max{.ftz}{.NaN}{.abs}.f32 d, a, b, c;` PTX ISA: max."""

class _call_max_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two numbers. `max<.type> d, a, b;` PTX ISA: max."""

class _call_max_s8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of each pair of signed bytes. `max{.relu}<.type> d, a, b;` PTX ISA: max."""

class _call_membar_cta:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order this thread's memory accesses; the older name of fence.sc. `membar<.level>;` PTX ISA: membar, fence."""

class _call_min_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two numbers. `min<.type> d, a, b;` PTX ISA: min."""

class _call_min_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two numbers. `min{.NaN}<.type> d, a, b;` PTX ISA: min."""

class _call_min_u8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of each pair of bytes. `min<.type> d, a, b;` PTX ISA: min."""

class _call_min_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two numbers. `min{.ftz}{.NaN}<.type> d, a, b;` PTX ISA: min."""

class _call_min_f32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two numbers. `min{.ftz}{.NaN}.f32 d, a, b;` PTX ISA: min."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smallerst of three numbers. `min{.ftz}{.NaN}{.abs}.f32 d, a, b, c;` PTX ISA: min."""

class _call_min_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two numbers. `min<.type> d, a, b;` PTX ISA: min."""

class _call_min_s8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of each pair of signed bytes. `min{.relu}<.type> d, a, b;` PTX ISA: min."""

class _call_mov_b16:
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Copy a register, an immediate, a special register, or the address of a symbol. `mov<.type> d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Several, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Put 1 registers side by side in one, the first lowest. `mov.b16 d, a;` PTX ISA: mov. Or: Put 2 registers side by side in one, the first lowest. `mov.b16 d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Take one register apart into 1, the first the lowest. `mov.b16 d, a;` PTX ISA: mov. Or: Take one register apart into 2, the first the lowest. `mov.b16 d, a;` PTX ISA: mov."""

class _call_mov_b32:
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Copy a register, an immediate, a special register, or the address of a symbol. `mov<.type> d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Several, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """Put 1 registers side by side in one, the first lowest. `mov.b32 d, a;` PTX ISA: mov. Or: Put 2 registers side by side in one, the first lowest. `mov.b32 d, a;` PTX ISA: mov. Or: Put 4 registers side by side in one, the first lowest. `mov.b32 d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Take one register apart into 1, the first the lowest. `mov.b32 d, a;` PTX ISA: mov. Or: Take one register apart into 2, the first the lowest. `mov.b32 d, a;` PTX ISA: mov. Or: Take one register apart into 4, the first the lowest. `mov.b32 d, a;` PTX ISA: mov."""

class _call_mov_b64:
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Copy a register, an immediate, a special register, or the address of a symbol. `mov<.type> d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Several, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Put 1 registers side by side in one, the first lowest. `mov.b64 d, a;` PTX ISA: mov. Or: Put 2 registers side by side in one, the first lowest. `mov.b64 d, a;` PTX ISA: mov. Or: Put 4 registers side by side in one, the first lowest. `mov.b64 d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Take one register apart into 1, the first the lowest. `mov.b64 d, a;` PTX ISA: mov. Or: Take one register apart into 2, the first the lowest. `mov.b64 d, a;` PTX ISA: mov. Or: Take one register apart into 4, the first the lowest. `mov.b64 d, a;` PTX ISA: mov."""

class _call_mov_u16:
    def __call__(self, a: _Value | _Place, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Copy a register, an immediate, a special register, or the address of a symbol. `mov<.type> d, a;` PTX ISA: mov."""

class _call_mov_b128:
    @overload
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Copy a register of 128 bits. `mov.b128 d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Several, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Put 2 registers side by side in one, the first lowest. `mov.b128 d, a;` PTX ISA: mov. Or: Put 4 registers side by side in one, the first lowest. `mov.b128 d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Take one register apart into 2, the first the lowest. `mov.b128 d, a;` PTX ISA: mov. Or: Take one register apart into 4, the first the lowest. `mov.b128 d, a;` PTX ISA: mov."""

class _call_mov_pred:
    def __call__(self, a: _Predicate | bool, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Copy a predicate. `mov.pred p, a;` PTX ISA: mov."""

class _call_mul_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply 16-bit floating-point numbers, alone or in pairs. `mul{.rnd}<.type> d, a, b;` PTX ISA: mul."""

class _call_mul_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply 16-bit floating-point numbers, alone or in pairs. `mul{.rnd}{.ftz}{.sat}<.type> d, a, b;` PTX ISA: mul."""

class _call_mul_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply f32. `mul{.rnd}{.ftz}{.sat}<.type> d, a, b;` PTX ISA: mul."""

class _call_mul_f32x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply two f32. `mul{.rnd}{.ftz}<.type> d, a, b;` PTX ISA: mul."""

class _call_mul_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply f64. `mul{.rnd}<.type> d, a, b;` PTX ISA: mul."""

class _call_nanosleep_u32:
    def __call__(self, t: _Value, *, pred: _Guard = ...) -> None:
        """Sleep for about that long. `nanosleep.u32 t;` PTX ISA: nanosleep."""

class _call_neg_s16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negative. `neg<.type> d, a;` PTX ISA: neg."""

class _call_neg_bf16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negative. `neg<.type> d, a;` PTX ISA: neg."""

class _call_neg_s8x4:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negatives of four bytes. `neg<.type> d, a;` PTX ISA: neg."""

class _call_neg_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negative. `neg{.ftz}<.type> d, a;` PTX ISA: neg."""

class _call_neg_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negative. `neg{.ftz}<.type> d, a;` PTX ISA: neg."""

class _call_neg_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negative. `neg<.type> d, a;` PTX ISA: neg."""

class _call_neg_u16x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The negatives of two integers. `neg<.type> d, a;` PTX ISA: neg."""

class _call_not_b16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Bitwise not. `not<.type> d, a;` PTX ISA: not."""

class _call_not_pred:
    def __call__(self, a: _Predicate | bool, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """The negated predicate. `not.pred p, a;` PTX ISA: not."""

class _call_or_b16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Bitwise or. `or<.type> d, a, b;` PTX ISA: or."""

class _call_or_pred:
    def __call__(self, a: _Predicate | bool, b: _Predicate | bool, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Bitwise or. `or.pred p, a, b;` PTX ISA: or."""

class _call_pmevent_mask:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Count several events. `pmevent.mask n;` PTX ISA: pmevent."""

class _call_popc_b32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """The number of set bits. `popc<.type> d, a;` PTX ISA: popc."""

class _call_prefetch_L1:
    def __call__(self, a: _Place, *, pred: _Guard = ...) -> None:
        """Bring the line of an address into a cache. `prefetch{.space}<.level> [a];` PTX ISA: prefetch."""

class _call_prefetch_L2_evict_last:
    def __call__(self, a: _Place, *, pred: _Guard = ...) -> None:
        """Bring the line of an address into L2 with an eviction priority. `prefetch{.space}<.level> [a];` PTX ISA: prefetch."""

class _call_prefetch_tensormap:
    def __call__(self, map: _Map, *, pred: _Guard = ...) -> None:
        """Bring a tensor map into the cache of maps before its first use. `prefetch{.space}.tensormap [map];` PTX ISA: prefetch."""

class _call_prefetchu_L1:
    def __call__(self, a: _Place, *, pred: _Guard = ...) -> None:
        """Bring the line of an address into the uniform cache. `prefetchu.L1 [a];` PTX ISA: prefetch."""

class _call_prmt_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """Choose four of the eight bytes of b:a by the nibbles of `c`. `prmt.b32{.mode} d, a, b, c;` PTX ISA: prmt."""

class _call_rem_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The rest of an integer division. `rem<.type> d, a, b;` PTX ISA: rem."""

class _call_sad_u16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`c` + |`a` − `b`|. `sad<.type> d, a, b, c;` PTX ISA: sad."""

class _call_selp_b16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`a` where the predicate holds, else `b`. `selp<.type> d, a, b, c;` PTX ISA: selp."""

class _call_shl_b16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift left; zeros come in. `shl<.type> d, a, b;` PTX ISA: shl."""

class _call_shr_b16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift right; signed types bring in the sign, others zeros. `shr<.type> d, a, b;` PTX ISA: shr."""

class _call_st_b8:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store registers to memory. `st{.weak}{.space}{.l1}{.l2evict}{.L2::cache_hint}{.vec}<.type> [a], b{, policy};` PTX ISA: st."""

class _call_st_bulk:
    def __call__(self, a: _Place, size: _Value, value: _Number, *, pred: _Guard = ...) -> None:
        """Fill shared memory with zeros. `st.bulk{.weak}{.shared::cta} [a], size, value;` PTX ISA: st.bulk. Or: Fill shared memory with zeros; the size is of 32 bits. `st.bulk{.weak}{.shared::cta} [a], size, value;` PTX ISA: st.bulk."""

class _call_stackrestore_u32:
    def __call__(self, a: _Value, *, pred: _Guard = ...) -> None:
        """Give back what was taken from the stack since. `stackrestore<.type> a;` PTX ISA: stackrestore."""

class _call_stacksave_u32:
    def __call__(self, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Note how far the stack reaches. `stacksave<.type> d;` PTX ISA: stacksave."""

class _call_sub_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract integers, modulo 2^n. `sub<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract 16-bit floating-point numbers, alone or in pairs. `sub{.rnd}<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_u8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract four bytes. `sub{.sat}<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract 16-bit floating-point numbers, alone or in pairs. `sub{.rnd}{.ftz}{.sat}<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract f32. `sub{.rnd}{.ftz}{.sat}<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_f32x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract two f32. `sub{.rnd}{.ftz}<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract f64. `sub{.rnd}<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_u16x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract pairs of integers. `sub<.type> d, a, b;` PTX ISA: sub."""

class _call_subc_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract with the borrow kept before. `subc<.type> d, a, b;` PTX ISA: subc."""

class _call_tcgen05_fence_after_thread_sync:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order asynchronous tcgen05 instructions behind the code that synchronises. `tcgen05.fence::after_thread_sync;` PTX ISA: tcgen05.fence."""

class _call_tcgen05_fence_before_thread_sync:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order asynchronous tcgen05 instructions before the code that synchronises. `tcgen05.fence::before_thread_sync;` PTX ISA: tcgen05.fence."""

class _call_trace_mark:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Mark a place for tools that trace a kernel. `trace.mark n;` PTX ISA: trace.mark."""

class _call_xor_b16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Bitwise exclusive or. `xor<.type> d, a, b;` PTX ISA: xor."""

class _call_xor_pred:
    def __call__(self, a: _Predicate | bool, b: _Predicate | bool, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Bitwise exclusive or. `xor.pred p, a, b;` PTX ISA: xor."""

class _call_add_sat_u16x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add, each clamped to the range of its type. `add.sat<.type> d, a, b;` PTX ISA: add."""

class _call_add_sat_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add and clamp to the range of s32. `add.sat.s32 d, a, b;` PTX ISA: add."""

class _call_add_cc_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add and keep the carry. `add.cc<.type> d, a, b;` PTX ISA: add."""

class _call_add_f32_f16:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add f32, the first operand being of 16 bits. `add{.rnd}{.sat}.f32<.type> d, a, c;` PTX ISA: add."""

class _call_add_e4m3x4_e4m3x4:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add four numbers of eight bits or fewer. `add{.rn}{.satfinite}<.dtype><.atype> d, a, c;` PTX ISA: add."""

class _call_addc_cc_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add with the carry kept before, and keep the new one. `addc.cc<.type> d, a, b;` PTX ISA: addc."""

class _call_addc_sat_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add with the carry kept before, clamped. `addc.sat.s32 d, a, b;` PTX ISA: addc."""

class _call_atom_add_u32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Change memory by an addition and give back what was there, atomically. `atom{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_add_f32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add to a floating-point number in memory, atomically. `atom{.sem}{.scope}{.space}.add{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_and_b32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Change memory by a bitwise operation and give back what was there, atomically. `atom{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_cas_b16:
    def __call__(self, a: _Place, b: _Value, c: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Replace a value in memory if it is the expected one, atomically. `atom{.sem}{.scope}{.space}.cas{.L2::cache_hint}<.type> d, [a], b, c{, policy};` PTX ISA: atom."""

class _call_atom_exch_b32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Exchange a value with memory, atomically. `atom{.sem}{.scope}{.space}.exch{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_min_u32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Change memory by a minimum or maximum and give back what was there, atomically. `atom{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_inc_u32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Change memory by counting up or down within a bound and give back what was there, atomically. `atom{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_bar_cta_arrive:
    def __call__(self, id: _Value, threads: _Value, *, pred: _Guard = ...) -> None:
        """Arrive at a barrier without waiting. `bar.cta.arrive id, threads;` PTX ISA: barrier."""

class _call_bar_cta_sync:
    def __call__(self, id: _Value, threads: _Value = ..., *, pred: _Guard = ...) -> None:
        """Wait until all threads of the CTA (or so many) have arrived. `bar.cta.sync id{, threads};` PTX ISA: barrier."""

class _call_bar_warp_sync:
    def __call__(self, mask: _Value, *, pred: _Guard = ...) -> None:
        """Wait for lanes of the warp; orders their memory accesses. `bar.warp.sync{.no_membermask_overlap} mask;` PTX ISA: bar.warp.sync."""

class _call_barrier_cluster_arrive:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Arrive at the cluster's barrier without waiting. `barrier.cluster.arrive{.sem}{.aligned};` PTX ISA: barrier.cluster."""

class _call_barrier_cluster_wait:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Wait until every thread of the cluster that still runs has arrived. `barrier.cluster.wait{.sem}{.aligned};` PTX ISA: barrier.cluster."""

class _call_barrier_cta_arrive:
    def __call__(self, id: _Value, threads: _Value, *, pred: _Guard = ...) -> None:
        """Arrive at a barrier without waiting; threads of a warp may arrive apart unless .aligned. `barrier.cta.arrive{.aligned} id, threads;` PTX ISA: barrier."""

class _call_barrier_cta_sync:
    def __call__(self, id: _Value, threads: _Value = ..., *, pred: _Guard = ...) -> None:
        """Wait until all threads of the CTA (or so many) have arrived; threads of a warp may arrive apart unless .aligned. `barrier.cta.sync{.aligned} id{, threads};` PTX ISA: barrier."""

class _call_bmsk_clamp_b32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """A mask of `b` ones at bit `a`. `bmsk<.mode>.b32 d, a, b;` PTX ISA: bmsk."""

class _call_clmad_lo_u64:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u64:
        """Multiply without carries, take the lower or upper half, and combine it with `c` by exclusive or. `clmad<.part>.u64 d, a, b, c;` PTX ISA: clmad."""

class _call_cos_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The cosine, approximately. `cos.approx{.ftz}.f32 d, a;` PTX ISA: cos."""

class _call_cp_async_commit_group:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Put this thread's uncommitted cp.async copies into a new group. `cp.async.commit_group;` PTX ISA: cp.async.commit_group."""

class _call_cp_async_wait_all:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Wait for all of this thread's cp.async copies, committed or not. `cp.async.wait_all;` PTX ISA: cp.async.wait_all."""

class _call_cp_async_wait_group:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Wait until at most n of this thread's latest cp.async groups are pending. `cp.async.wait_group n;` PTX ISA: cp.async.wait_group."""

class _call_cvt_u8_u8:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert between integers: extend, cut off, or clamp with .sat. `cvt{.sat}<.dtype><.type> d, a;` PTX ISA: cvt."""

class _call_cvt_f16_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert between floating-point types. `cvt{.rnd}{.ftz}{.sat}<.dtype><.type> d, a;` PTX ISA: cvt."""

class _call_cvta_global_u64:
    def __call__(self, a: _Value | _Place, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The generic address of a place in a state space. `cvta<.space><.type> d, a;` PTX ISA: cvta."""

class _call_div_approx_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Divide f32: rounded as IEEE 754 says, or within 2 ulp (`full`, `approx`). `div<.rnd>{.ftz}.f32 d, a, b;` PTX ISA: div."""

class _call_div_rn_f64:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Divide f64. `div<.rnd><.type> d, a, b;` PTX ISA: div."""

class _call_dp4a_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply bytes (or halves by bytes) pairwise and add them all to `c`. `dp4a<.atype><.btype> d, a, b, c;` PTX ISA: dp4a."""

class _call_ex2_approx_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on 16-bit floating-point numbers. `ex2.approx<.type> d, a;` PTX ISA: ex2."""

class _call_ex2_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """2 to the power of the operand, approximately. `ex2.approx{.ftz}.f32 d, a;` PTX ISA: ex2."""

class _call_fabric_submit_commit_group:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Submit this thread's fabric operations as a group that can be waited for. `fabric.submit.commit_group;` PTX ISA: fabric.submit."""

class _call_fabric_wait_sync_restrict_reads:
    @overload
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Wait until this thread's submitted fabric operations have read shared memory. `fabric.wait.sync_restrict::reads;` PTX ISA: fabric.wait."""
    @overload
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Wait until at most n of this thread's latest groups of fabric operations have not yet read shared memory. `fabric.wait<.restrict> n;` PTX ISA: fabric.wait."""

class _call_fabric_wait_sync_restrict_read:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Wait until at most n of this thread's latest groups of fabric operations have not yet read shared memory. `fabric.wait<.restrict> n;` PTX ISA: fabric.wait."""

class _call_fence_release_cta:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order this thread's memory accesses in one direction at a scope. `fence<.sem><.scope>;` PTX ISA: membar, fence."""

class _call_fence_proxy_alias:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to one location through different virtual addresses. `fence.proxy.alias;` PTX ISA: membar, fence."""

class _call_fence_proxy_async:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order ordinary accesses before the copy engine's and the tensor cores' accesses to the same memory. `fence.proxy.async{.space};` PTX ISA: membar, fence."""

class _call_fma_rn_bf16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add 16-bit floating-point numbers, rounded once. `fma.rn{.relu}<.type> d, a, b, c;` PTX ISA: fma."""

class _call_fma_rn_f16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add 16-bit floating-point numbers, rounded once. `fma.rn{.ftz}{.bound}<.type> d, a, b, c;` PTX ISA: fma."""

class _call_fma_rn_f32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add f32, rounded once. `fma<.rnd>{.ftz}{.sat}<.type> d, a, b, c;` PTX ISA: fma."""

class _call_fma_rn_f32x2:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add two f32. `fma<.rnd>{.ftz}<.type> d, a, b, c;` PTX ISA: fma."""

class _call_fma_rn_f64:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add f64, rounded once. `fma<.rnd><.type> d, a, b, c;` PTX ISA: fma."""

class _call_ld_ca_b8:
    def __call__(self, a: _Place, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load from memory with a cache operator. `ld{.weak}{.space}<.cop>{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};` PTX ISA: ld."""

class _call_ld_proxy_readonly_b8:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load data that nobody writes while the kernel runs. `ld{.space}.proxy::readonly{.nc}{.l2evict}{.vec}<.type> d, [a];` PTX ISA: ld."""

class _call_ld_volatile_b8:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load from memory, never from a value read before. `ld.volatile{.space}{.l2evict}{.l2}{.vec}<.type> d, [a];` PTX ISA: ld."""

class _call_lg2_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The logarithm to base 2, approximately. `lg2.approx{.ftz}.f32 d, a;` PTX ISA: lg2."""

class _call_lop3_and_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, table: _Number, q: _Predicate | bool, *, d: _Result = ..., p: _Result = ..., pred: _Guard = ...) -> tuple[b32, pred]:
        """Any bitwise function of three operands; `p` is (result != 0) combined with `q`. `lop3<.bool>.b32 d|p, a, b, c, table, q;` PTX ISA: lop3."""

class _call_mad_lo_u16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply, take the lower or upper half, and add. `mad<.part><.type> d, a, b, c;` PTX ISA: mad."""

class _call_mad_rn_f32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add f32, rounded once. `mad<.rnd>{.ftz}{.sat}<.type> d, a, b, c;` PTX ISA: mad."""

class _call_mad_rn_f64:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add f64, rounded once. `mad<.rnd><.type> d, a, b, c;` PTX ISA: mad."""

class _call_mad_wide_u16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply to twice the width and add. `mad.wide<.type> d, a, b, c;` PTX ISA: mad."""

class _call_mad24_lo_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply 24-bit integers and add. `mad24<.part><.type> d, a, b, c;` PTX ISA: mad24."""

class _call_madc_lo_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply, add to the lower or upper half with the carry kept before. `madc<.part><.type> d, a, b, c;` PTX ISA: madc."""

class _call_max_abs_f32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The largerst of three numbers. `max{.ftz}{.NaN}{.abs}.f32 d, a, b, c;` PTX ISA: max."""

class _call_max_relu_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two numbers, at least zero. `max.relu<.type> d, a, b;` PTX ISA: max."""

class _call_mbarrier_arrive_b64:
    def __call__(self, mbar: _Place, count: _Value = ..., *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """Arrive on an mbarrier: one arrival, or `count`. `mbarrier.arrive{.sem}{.scope}{.shared{::cta}}.b64 state, [mbar]{, count};` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_drop_b64:
    def __call__(self, mbar: _Place, count: _Value = ..., *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """Arrive on an mbarrier and expect one arrival less in the phases to come. `mbarrier.arrive_drop{.sem}{.scope}{.shared{::cta}}.b64 state, [mbar]{, count};` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_complete_tx_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, *, pred: _Guard = ...) -> None:
        """Count bytes as arrived without a copy. `mbarrier.complete_tx{.sem}{.scope}{.space}.b64 [mbar], tx_count;` PTX ISA: mbarrier.complete_tx."""

class _call_mbarrier_expect_tx_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, *, pred: _Guard = ...) -> None:
        """Expect more bytes in the current phase. `mbarrier.expect_tx{.sem}{.scope}{.space}.b64 [mbar], tx_count;` PTX ISA: mbarrier.expect_tx."""

class _call_mbarrier_init_b64:
    def __call__(self, mbar: _Place, count: _Value, *, pred: _Guard = ...) -> None:
        """Make an mbarrier that expects `count` arrivals a phase. `mbarrier.init{.layout::v0}{.shared{::cta}}.b64 [mbar], count;` PTX ISA: mbarrier.init."""

class _call_mbarrier_inval_b64:
    def __call__(self, mbar: _Place, *, pred: _Guard = ...) -> None:
        """End an mbarrier's life so that its memory can be used otherwise. `mbarrier.inval{.shared{::cta}}.b64 [mbar];` PTX ISA: mbarrier.inval."""

class _call_mbarrier_pending_count_b64:
    def __call__(self, state: _Value, *, count: _Result = ..., pred: _Guard = ...) -> u32:
        """How many arrivals were pending when the state was taken. `mbarrier.pending_count{.layout::v0}.b64 count, state;` PTX ISA: mbarrier.pending_count."""

class _call_mbarrier_test_wait_b64:
    def __call__(self, mbar: _Place, state: _Value, *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete. `mbarrier.test_wait{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], state;` PTX ISA: mbarrier.test_wait."""

class _call_mbarrier_try_wait_b64:
    def __call__(self, mbar: _Place, state: _Value, hint: _Value = ..., *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete, waiting for it for a while. `mbarrier.try_wait{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], state{, hint};` PTX ISA: mbarrier.try_wait."""

class _call_membar_proxy_alias:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to one location through different virtual addresses; the older name of fence. `membar.proxy.alias;` PTX ISA: membar, fence."""

class _call_membar_proxy_async:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order ordinary accesses before the copy engine's to the same memory; the older name of fence. `membar.proxy.async;` PTX ISA: membar, fence."""

class _call_min_abs_f32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smallerst of three numbers. `min{.ftz}{.NaN}{.abs}.f32 d, a, b, c;` PTX ISA: min."""

class _call_min_relu_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two numbers, at least zero. `min.relu<.type> d, a, b;` PTX ISA: min."""

class _call_mov_v2_b16:
    @overload
    def __call__(self, a: _Value | _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Spread the bits of one value over elements, zeros above each share. `mov<.vec><.type> d, a;` PTX ISA: mov."""
    @overload
    def __call__(self, a: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Copy a vector of registers, or a special register such as %tid with all its elements. `mov<.vec><.type> d, a;` PTX ISA: mov."""

class _call_mul_lo_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The lower or upper half of an integer product. `mul<.part><.type> d, a, b;` PTX ISA: mul."""

class _call_mul_wide_u16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """An integer product, twice as wide as its factors. `mul.wide<.type> d, a, b;` PTX ISA: mul."""

class _call_mul24_lo_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The product of two 24-bit integers. `mul24<.part><.type> d, a, b;` PTX ISA: mul24."""

class _call_multimem_st_u32:
    def __call__(self, a: _Place, b: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Store to every replica. `multimem.st{.sem}{.scope}{.global}{.vec}<.type> [a], b;` PTX ISA: multimem."""

class _call_prefetch_valid_addr_L1_32B:
    def __call__(self, a: _Place, *, pred: _Guard = ...) -> None:
        """Bring 32 bytes at an address that is known to be valid into L1. `prefetch.valid_addr{.space}.L1::32B [a];` PTX ISA: prefetch."""

class _call_rcp_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The reciprocal. `rcp<.rnd>{.ftz}.f32 d, a;` PTX ISA: rcp."""

class _call_rcp_rn_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The reciprocal. `rcp<.rnd><.type> d, a;` PTX ISA: rcp."""

class _call_red_add_u32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Change memory by an addition, atomically. `red{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_add_f32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Add to a floating-point number in memory, atomically. `red{.sem}{.scope}{.space}.add{.L2::cache_hint}<.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_and_b32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Change memory by a bitwise operation, atomically. `red{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_min_u32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Change memory by a minimum or maximum, atomically. `red{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_inc_u32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Change memory by counting up or down within a bound, atomically. `red{.sem}{.scope}{.space}<.op>{.L2::cache_hint}<.type> [a], b{, policy};` PTX ISA: red."""

class _call_rsqrt_approx_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """An approximation of the reciprocal square root in f64. `rsqrt.approx.f64 d, a;` PTX ISA: rsqrt."""

class _call_rsqrt_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The reciprocal square root, approximately. `rsqrt.approx{.ftz}.f32 d, a;` PTX ISA: rsqrt."""

class _call_set_eq_u8x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare packed integers; all ones where it holds, else zero. `set<.cmp><.type> d, a, b;` PTX ISA: set."""

class _call_setp_eq_b16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, p: _Result = ..., q: _Result | bool = ..., pred: _Guard = ...) -> pred:
        """Compare; `p` is the outcome and `q` its opposite, each combined with `c` where .and, .or or .xor says so. `setp<.cmp>{.bool}<.type> p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_setp_eq_bf16:
    def __call__(self, a: _Value, b: _Value, q: _Value = ..., c: _Predicate = ..., *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Compare 16-bit numbers; the outcome is combined with `c` where .and, .or or .xor says so. `setp<.cmp>{.bool}.bf16 p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_setp_eq_bf16x2:
    def __call__(self, a: _Value, b: _Value, c: _Predicate = ..., *, p: _Result = ..., q: _Result | bool = ..., pred: _Guard = ...) -> pred:
        """Compare two pairs; `p` is the outcome of the lower halves and `q` of the upper. `setp<.cmp>{.bool}.bf16x2 p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_setp_eq_f16:
    def __call__(self, a: _Value, b: _Value, q: _Value = ..., c: _Predicate | bool = ..., *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Compare 16-bit numbers; the outcome is combined with `c` where .and, .or or .xor says so. `setp<.cmp>{.bool}{.ftz}.f16 p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_setp_eq_f16x2:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, p: _Result = ..., q: _Result | bool = ..., pred: _Guard = ...) -> pred:
        """Compare two pairs; `p` is the outcome of the lower halves and `q` of the upper. `setp<.cmp>{.bool}{.ftz}.f16x2 p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_setp_eq_f32:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, p: _Result = ..., q: _Result | bool = ..., pred: _Guard = ...) -> pred:
        """Compare; `p` is the outcome and `q` its opposite, each combined with `c` where .and, .or or .xor says so. `setp<.cmp>{.bool}{.ftz}<.type> p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_setp_eq_f64:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, p: _Result = ..., q: _Result | bool = ..., pred: _Guard = ...) -> pred:
        """Compare; `p` is the outcome and `q` its opposite, each combined with `c` where .and, .or or .xor says so. `setp<.cmp>{.bool}<.type> p{|q}, a, b{, c};` PTX ISA: setp."""

class _call_sin_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The sine, approximately. `sin.approx{.ftz}.f32 d, a;` PTX ISA: sin."""

class _call_slct_b16_s32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`a` where `c` is at least zero, else `b`. `slct<.type>.s32 d, a, b, c;` PTX ISA: slct."""

class _call_slct_b16_f32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """`a` where `c` is at least zero, else `b`. `slct{.ftz}<.type>.f32 d, a, b, c;` PTX ISA: slct."""

class _call_sqrt_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The square root. `sqrt<.rnd>{.ftz}.f32 d, a;` PTX ISA: sqrt."""

class _call_sqrt_rn_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The square root. `sqrt<.rnd><.type> d, a;` PTX ISA: sqrt."""

class _call_st_wb_b8:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store to memory with a cache operator. `st{.weak}{.space}<.cop>{.L2::cache_hint}{.vec}<.type> [a], b{, policy};` PTX ISA: st."""

class _call_st_volatile_b8:
    def __call__(self, a: _Place, b: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Store to memory, never elided. `st.volatile{.space}{.l2evict}{.vec}<.type> [a], b;` PTX ISA: st."""

class _call_sub_sat_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract and clamp to the range of s32. `sub.sat.s32 d, a, b;` PTX ISA: sub."""

class _call_sub_cc_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract and keep the borrow. `sub.cc<.type> d, a, b;` PTX ISA: sub."""

class _call_sub_f32_f16:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract f32, the first operand being of 16 bits. `sub{.rnd}{.sat}.f32<.type> d, a, c;` PTX ISA: sub."""

class _call_sub_e4m3x4_e4m3x4:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract four numbers of eight bits or fewer. `sub{.rn}{.satfinite}<.dtype><.atype> d, a, c;` PTX ISA: sub."""

class _call_subc_cc_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract with the borrow, and keep the new one. `subc.cc<.type> d, a, b;` PTX ISA: subc."""

class _call_subc_sat_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract with the borrow, clamped. `subc.sat.s32 d, a, b;` PTX ISA: subc."""

class _call_suq_width_b32:
    def __call__(self, a: _Place, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """What a surface is like. `suq<.query>.b32 d, [a];` PTX ISA: suq."""

class _call_szext_clamp_u32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The lowest `b` bits of `a`, extended by sign or zeros. `szext<.mode><.type> d, a, b;` PTX ISA: szext."""

class _call_tanh_approx_bf16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on bfloat16 numbers. `tanh.approx<.type> d, a;` PTX ISA: tanh."""

class _call_tanh_approx_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on 16-bit floating-point numbers. `tanh.approx<.type> d, a;` PTX ISA: tanh."""

class _call_tanh_approx_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The hyperbolic tangent, approximately. `tanh.approx.f32 d, a;` PTX ISA: tanh."""

class _call_testp_finite_f32:
    def __call__(self, a: _Value, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Which kind of floating-point number it is. `testp<.op>.f32 p, a;` PTX ISA: testp."""

class _call_testp_finite_f64:
    def __call__(self, a: _Value, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Which kind of floating-point number it is. `testp<.op>.f64 p, a;` PTX ISA: testp."""

class _call_txq_width_b32:
    def __call__(self, a: _Place, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """What a texture is like. `txq<.query>.b32 d, [a];` PTX ISA: txq."""

class _call_add_f32x2_bf16x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `add{.rnd}.f32x2.bf16x2.f32x2 d, a, c;` PTX ISA: add."""

class _call_add_f32x2_f16x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `add{.rnd}.f32x2.f16x2.f32x2 d, a, c;` PTX ISA: add."""

class _call_atom_add_noftz_f16:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add to 16-bit floating-point numbers in memory, each atomically. `atom{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}<.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_add_noftz_f32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add to a number in memory, atomically, and keep subnormal numbers. `atom{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.f32 d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_add_v2_f32:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Combine a vector with memory, each element atomically. `atom{.sem}{.scope}{.space}.add{.L2::cache_hint}<.vec><.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_bar_red_and_pred:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> pred:
        """Wait like sync, and combine the predicates of all threads. `bar.red<.op>.pred d, id{, threads}, p;` PTX ISA: barrier."""

class _call_bar_red_popc_u32:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Wait like sync, and count the threads whose predicate holds. `bar.red.popc.u32 d, id{, threads}, p;` PTX ISA: barrier."""

class _call_barrier_red_and_pred:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> pred:
        """Wait like sync, and combine the predicates of all threads. `barrier.red<.op>{.aligned}.pred d, id{, threads}, p;` PTX ISA: barrier."""

class _call_barrier_red_popc_u32:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Wait like sync, and count the threads whose predicate holds. `barrier.red.popc{.aligned}.u32 d, id{, threads}, p;` PTX ISA: barrier."""

class _call_cp_async_bulk_commit_group:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Put this thread's uncommitted bulk copies into a new bulk group. `cp.async.bulk.commit_group;` PTX ISA: cp.async.bulk.commit_group."""

class _call_cp_async_bulk_wait_group:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Wait until at most n of this thread's latest bulk groups are pending (`.read`: until their sources have been read). `cp.async.bulk.wait_group{.read} n;` PTX ISA: cp.async.bulk.wait_group."""

class _call_createpolicy_cvt_L2_b64:
    def __call__(self, property: _Value, *, policy: _Result = ..., pred: _Guard = ...) -> u64:
        """A cache policy from an access property. `createpolicy.cvt.L2.b64 policy, property;` PTX ISA: createpolicy."""

class _call_createpolicy_fractional_L2_evict_last_b64:
    def __call__(self, fraction: _Value = ..., *, policy: _Result = ..., pred: _Guard = ...) -> u64:
        """A cache policy for accesses with .L2::cache_hint. `createpolicy.fractional<.primary>{.secondary}.b64 policy{, fraction};` PTX ISA: createpolicy."""

class _call_createpolicy_range_L2_evict_last_b64:
    def __call__(self, a: _Place, primary_size: _Value, total_size: _Value, *, policy: _Result = ..., pred: _Guard = ...) -> u64:
        """A cache policy by address: one priority at the start of a range, another behind it. `createpolicy.range{.global}<.primary>{.secondary}.b64 policy, [a], primary_size, total_size;` PTX ISA: createpolicy."""

class _call_cvt_rn_bf16x2_ue5m3x2:
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of unsigned 8-bit numbers to a pair of bf16. `cvt.rn{.satfinite}{.scaled::n2::ue8m0}.bf16x2.ue5m3x2 d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_bf16x2_s2f6x2:
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of fixed-point numbers with six bits behind the point to a pair of bf16. `cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2 d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_bf16x2_e4m3x2:
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of numbers of eight bits or fewer to a pair of bf16. `cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2<.type> d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_bf16x2_ue8m0x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of powers of two to a pair of bf16. `cvt.rn.bf16x2.ue8m0x2 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_bf16x2_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of 16-bit numbers. `cvt<.rnd>{.relu}{.satfinite}<.dtype>.f32 d, a, b;` PTX ISA: cvt."""

class _call_cvt_rn_f16x2_ue5m3x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of unsigned 8-bit numbers to a pair of f16. `cvt.rn.f16x2.ue5m3x2 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_f16x2_e4m3x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of 8-bit numbers to a pair of f16. `cvt.rn{.relu}.f16x2<.type> d, a;` PTX ISA: cvt."""

class _call_cvt_rn_f16x2_e2m1x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of numbers of four or six bits to a pair of f16. `cvt.rn{.relu}.f16x2<.type> d, a;` PTX ISA: cvt."""

class _call_cvt_rn_f16_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert between floating-point types. `cvt{.rnd}{.ftz}{.sat}<.dtype><.type> d, a;` PTX ISA: cvt. Or: Convert f32 to 16 bits; .relu cuts off below zero, .satfinite above the largest number. `cvt<.rnd>{.relu}{.satfinite}<.dtype>.f32 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_f16_u8:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert an integer to floating point. `cvt<.rnd>{.ftz}{.sat}<.dtype><.type> d, a;` PTX ISA: cvt."""

class _call_cvt_rn_tf32_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Round f32 to tf32. `cvt<.rnd>{.satfinite}{.relu}.tf32.f32 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_ue5m3x2_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two numbers to a pair of unsigned 8-bit numbers. `cvt<.rnd>{.satfinite}.ue5m3x2.f32 d, a, b;` PTX ISA: cvt."""

class _call_cvt_rn_ue5m3x2_f16x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two numbers to a pair of unsigned 8-bit numbers. `cvt<.rnd>{.satfinite}.ue5m3x2<.type> d, a;` PTX ISA: cvt."""

class _call_cvt_rz_ue8m0x2_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of powers of two. `cvt<.rnd>{.satfinite}.ue8m0x2.f32 d, a, b;` PTX ISA: cvt."""

class _call_cvt_rz_ue8m0x2_bf16x2:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of bf16 to a pair of powers of two. `cvt<.rnd>{.satfinite}.ue8m0x2.bf16x2 d, a;` PTX ISA: cvt."""

class _call_cvt_rni_f16_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Round a floating-point number to an integral value of the same type. `cvt<.rnd>{.ftz}{.sat}<.dtype><.type> d, a;` PTX ISA: cvt."""

class _call_cvt_rni_u8_f16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Round a floating-point number to an integer, clamped to its range. `cvt<.rnd>{.ftz}{.sat}<.dtype><.type> d, a;` PTX ISA: cvt."""

class _call_cvt_rs_f16x2_f32:
    def __call__(self, a: _Value, b: _Value, bits: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Round two f32 to a pair of 16-bit numbers, up or down as random bits decide. `cvt.rs{.relu}{.satfinite}<.dtype>.f32 d, a, b, bits;` PTX ISA: cvt."""

class _call_cvt_rna_tf32_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Round f32 to tf32, ties away from zero. `cvt.rna{.satfinite}.tf32.f32 d, a;` PTX ISA: cvt."""

class _call_cvta_to_global_u64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The address within a state space of a generic address. `cvta.to<.space><.type> d, a;` PTX ISA: cvta."""

class _call_dp2a_lo_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply bytes (or halves by bytes) pairwise and add them all to `c`. `dp2a<.part><.atype><.btype> d, a, b, c;` PTX ISA: dp2a."""

class _call_ex2_approx_ftz_bf16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on bfloat16 numbers. `ex2.approx.ftz<.type> d, a;` PTX ISA: ex2."""

class _call_fence_release_sync_restrict_shared_cluster_cluster:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to shared memory of the cluster, and no others: a release or an acquire that needs no fence of the GPU. `fence<.sem><.restrict>.cluster;` PTX ISA: membar, fence."""

class _call_fence_mbarrier_init_release_cluster:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Make this thread's mbarrier.init visible to the cluster. `fence.mbarrier_init.release.cluster;` PTX ISA: membar, fence."""

class _call_fma_rn_f32_f16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply numbers of 16 bits and add to f32, rounded once. `fma<.rnd>{.sat}.f32<.type> d, a, b, c;` PTX ISA: fma."""

class _call_fma_rn_oob_f16:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add; a factor that is the out-of-bounds NaN counts as zero. `fma.rn.oob{.relu}<.type> d, a, b, c;` PTX ISA: fma."""

class _call_fma_e4m3x4_e4m3x4_e4m3x4:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply and add four numbers of eight bits or fewer. `fma{.rn}{.satfinite}<.dtype><.atype><.btype> d, a, b, c;` PTX ISA: fma."""

class _call_ld_global_nc_b8:
    def __call__(self, a: _Place, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load data that nobody writes while the kernel runs. `ld.global{.cop}.nc{.l1}{.l2evict}{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};` PTX ISA: ld.global.nc."""

class _call_ld_relaxed_cta_b8:
    def __call__(self, a: _Place, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load that synchronises at a scope. `ld<.sem><.scope>{.space}{.l1}{.l2evict}{.L2::cache_hint}{.l2}{.vec}<.type> d, [a]{, policy};` PTX ISA: ld."""

class _call_mad_lo_cc_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply, add to the lower or upper half, and keep the carry. `mad<.part>.cc<.type> d, a, b, c;` PTX ISA: mad."""

class _call_mad_hi_sat_s32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply, take the upper half, add, and clamp to the range of s32. `mad.hi.sat.s32 d, a, b, c;` PTX ISA: mad."""

class _call_mad24_hi_sat_s32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply 24-bit integers, take the upper half, add, and clamp to the range of s32. `mad24.hi.sat.s32 d, a, b, c;` PTX ISA: mad24."""

class _call_madc_lo_cc_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply, add with the carry kept before, and keep the new one. `madc<.part>.cc<.type> d, a, b, c;` PTX ISA: madc."""

class _call_madc_hi_sat_s32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply, add to the upper half with the carry kept before; not clamped. `madc.hi.sat.s32 d, a, b, c;` PTX ISA: madc."""

class _call_match_all_sync_b32:
    def __call__(self, a: _Value, mask: _Value, *, d: _Result = ..., p: _Result | bool = ..., pred: _Guard = ...) -> u32:
        """The mask if all lanes hold the same value, else zero. `match.all.sync{.no_membermask_overlap}<.type> d{|p}, a, mask;` PTX ISA: match.sync."""

class _call_match_any_sync_b32:
    def __call__(self, a: _Value, mask: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """The mask of lanes that hold the same value. `match.any.sync{.no_membermask_overlap}<.type> d, a, mask;` PTX ISA: match.sync."""

class _call_max_xorsign_abs_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two magnitudes, with the product of their signs. `max{.NaN}.xorsign.abs<.type> d, a, b;` PTX ISA: max."""

class _call_max_xorsign_abs_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two magnitudes, with the product of their signs. `max{.ftz}{.NaN}.xorsign.abs<.type> d, a, b;` PTX ISA: max."""

class _call_max_xorsign_abs_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two magnitudes, with the product of their signs. `max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b;` PTX ISA: max."""

class _call_mbarrier_arrive_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, count: _Value = ..., *, pred: _Guard = ...) -> None:
        """Arrive on an mbarrier: one arrival, or `count`. The barrier may be another CTA's; no state comes back. `mbarrier.arrive{.sem}{.scope}.shared::cluster.b64 state, [mbar]{, count};` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_expect_tx_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """Expect bytes, then arrive once. `mbarrier.arrive.expect_tx{.sem}{.scope}{.shared{::cta}}.b64 state, [mbar], tx_count;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_multicast_cluster_32b_b64:
    def __call__(self, mbar: _Place, mask: _Value, count: _Value = ..., *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive{.sem}{.scope}.multicast::cluster::32b.b64 state, [mbar]{, count}, mask;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_noComplete_b64:
    def __call__(self, mbar: _Place, count: _Value, *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """Arrive where this is known not to complete the phase. `mbarrier.arrive.noComplete{.sem}{.scope}{.shared{::cta}}.b64 state, [mbar], count;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_drop_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, count: _Value = ..., *, pred: _Guard = ...) -> None:
        """Arrive on an mbarrier and expect one arrival less in the phases to come. The barrier may be another CTA's; no state comes back. `mbarrier.arrive_drop{.sem}{.scope}.shared::cluster.b64 state, [mbar]{, count};` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_arrive_drop_expect_tx_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """Expect bytes, then arrive once. `mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.shared{::cta}}.b64 state, [mbar], tx_count;` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_arrive_drop_multicast_cluster_32b_b64:
    def __call__(self, mbar: _Place, mask: _Value, count: _Value = ..., *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive_drop{.sem}{.scope}.multicast::cluster::32b.b64 state, [mbar]{, count}, mask;` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_arrive_drop_noComplete_b64:
    def __call__(self, mbar: _Place, count: _Value, *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """Arrive where this is known not to complete the phase. `mbarrier.arrive_drop.noComplete{.sem}{.scope}{.shared{::cta}}.b64 state, [mbar], count;` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_check_layout_layout_v0_b64:
    def __call__(self, mbar: _Place, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether an mbarrier has a layout. `mbarrier.check_layout<.layout>{.shared{::cta}}.b64 p, [mbar];` PTX ISA: mbarrier.check_layout."""

class _call_mbarrier_complete_tx_multicast_cluster_32b_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, mask: _Value, *, pred: _Guard = ...) -> None:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.complete_tx{.sem}{.scope}.multicast::cluster::32b{.shared::cluster}.b64 [mbar], tx_count, mask;` PTX ISA: mbarrier.complete_tx."""

class _call_mbarrier_expect_tx_multicast_cluster_32b_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, mask: _Value, *, pred: _Guard = ...) -> None:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.expect_tx{.sem}{.scope}.multicast::cluster::32b{.shared::cluster}.b64 [mbar], tx_count, mask;` PTX ISA: mbarrier.expect_tx."""

class _call_mbarrier_init_layout_v1_b64:
    def __call__(self, mbar: _Place, count: _Value, *, pred: _Guard = ...) -> None:
        """Make an mbarrier that also keeps what asynchronous operations report. `mbarrier.init.layout::v1{.shared{::cta}}.b64 [mbar], count;` PTX ISA: mbarrier.init."""

class _call_mbarrier_test_wait_phase_type_primary_b64:
    @overload
    def __call__(self, mbar: _Place, state: _Value, *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete. `mbarrier.test_wait{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], state;` PTX ISA: mbarrier.test_wait."""
    @overload
    def __call__(self, mbar: _Place, state: _Value, *, done: _Result = ..., failed: _Result, pred: _Guard = ...) -> tuple[pred, pred]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.test_wait.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done|failed, [mbar], state;` PTX ISA: mbarrier.test_wait."""
    @overload
    def __call__(self, mbar: _Place, state: _Value, *, done: _Result = ..., failed: _Result | bool = ..., value: _Result, pred: _Guard = ...) -> tuple[pred, Any]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.test_wait.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done{|failed}, value, [mbar], state;` PTX ISA: mbarrier.test_wait."""

class _call_mbarrier_test_wait_parity_b64:
    def __call__(self, mbar: _Place, parity: _Value, *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete. `mbarrier.test_wait.parity{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], parity;` PTX ISA: mbarrier.test_wait."""

class _call_mbarrier_try_wait_phase_type_primary_b64:
    @overload
    def __call__(self, mbar: _Place, state: _Value, hint: _Value = ..., *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete, waiting for it for a while. `mbarrier.try_wait{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], state{, hint};` PTX ISA: mbarrier.try_wait."""
    @overload
    def __call__(self, mbar: _Place, state: _Value, hint: _Value = ..., *, done: _Result = ..., failed: _Result, pred: _Guard = ...) -> tuple[pred, pred]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.try_wait.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done|failed, [mbar], state{, hint};` PTX ISA: mbarrier.try_wait."""
    @overload
    def __call__(self, mbar: _Place, state: _Value, hint: _Value = ..., *, done: _Result = ..., failed: _Result | bool = ..., value: _Result, pred: _Guard = ...) -> tuple[pred, Any]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.try_wait.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done{|failed}, value, [mbar], state{, hint};` PTX ISA: mbarrier.try_wait."""

class _call_mbarrier_try_wait_parity_b64:
    def __call__(self, mbar: _Place, parity: _Value, hint: _Value = ..., *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete, waiting for it for a while. `mbarrier.try_wait.parity{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], parity{, hint};` PTX ISA: mbarrier.try_wait."""

class _call_min_xorsign_abs_bf16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two magnitudes, with the product of their signs. `min{.NaN}.xorsign.abs<.type> d, a, b;` PTX ISA: min."""

class _call_min_xorsign_abs_f16:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two magnitudes, with the product of their signs. `min{.ftz}{.NaN}.xorsign.abs<.type> d, a, b;` PTX ISA: min."""

class _call_min_xorsign_abs_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two magnitudes, with the product of their signs. `min{.ftz}{.NaN}.xorsign.abs.f32 d, a, b;` PTX ISA: min."""

class _call_mul_bf16x2_bf16x2_f16x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `mul.bf16x2.bf16x2.f16x2 d, a, b;` PTX ISA: mul."""

class _call_mul_f16x2_f16x2_bf16x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `mul.f16x2.f16x2.bf16x2 d, a, b;` PTX ISA: mul."""

class _call_mul_e4m3x4_e4m3x4_e4m3x4:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply four numbers of eight bits or fewer. `mul{.rn}{.satfinite}<.dtype><.atype><.btype> d, a, b;` PTX ISA: mul."""

class _call_multimem_ld_reduce_add_u32:
    def __call__(self, a: _Place, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Load every replica and give their combination. `multimem.ld_reduce{.sem}{.scope}{.global}<.op><.type> d, [a];` PTX ISA: multimem."""

class _call_multimem_ld_reduce_add_f16:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load vectors of small numbers from every replica and give their combination. `multimem.ld_reduce{.sem}{.scope}{.global}<.op>{.acc}{.vec}<.type> d, [a];` PTX ISA: multimem."""

class _call_multimem_red_add_u32:
    def __call__(self, a: _Place, b: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Change every replica, each atomically. `multimem.red{.sem}{.scope}{.global}<.op>{.vec}<.type> [a], b;` PTX ISA: multimem."""

class _call_rcp_approx_ftz_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """A coarse approximation, to 20 bits; it sees the upper half of its operand only. `rcp.approx.ftz.f64 d, a;` PTX ISA: rcp."""

class _call_rcp_rn_ftz_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The reciprocal; ptxas takes .ftz here, no manual has it. `rcp<.rnd>.ftz.f64 d, a;` PTX ISA: rcp."""

class _call_red_add_noftz_f16:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Add to 16-bit floating-point numbers in memory, each atomically. `red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}<.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_add_noftz_f32:
    def __call__(self, a: _Place, b: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Add to a number in memory, atomically, and keep subnormal numbers. `red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}.f32 [a], b{, policy};` PTX ISA: red."""

class _call_red_add_v2_f32:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine a vector with memory, each element atomically. `red{.sem}{.scope}{.space}.add{.L2::cache_hint}<.vec><.type> [a], b{, policy};` PTX ISA: red."""

class _call_redux_sync_add_u32:
    def __call__(self, a: _Value, mask: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Combine an integer over lanes. `redux.sync<.op>{.no_membermask_overlap}<.type> d, a, mask;` PTX ISA: redux.sync."""

class _call_redux_sync_min_f32:
    def __call__(self, a: _Value, mask: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The least or greatest floating-point number over lanes. `redux.sync<.op>{.abs}{.NaN}{.no_membermask_overlap}.f32 d, a, mask;` PTX ISA: redux.sync."""

class _call_redux_sync_and_b32:
    def __call__(self, a: _Value, mask: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Combine bits over lanes. `redux.sync<.op>{.no_membermask_overlap}.b32 d, a, mask;` PTX ISA: redux.sync."""

class _call_rsqrt_approx_ftz_f64:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """A coarse approximation, to 20 bits; it sees the upper half of its operand only. `rsqrt.approx.ftz.f64 d, a;` PTX ISA: rsqrt."""

class _call_set_eq_u32_b16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_u32_bf16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_u32_bf16x2:
    def __call__(self, a: _Value, b: _Value, c: _Predicate = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_u32_f16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}{.ftz}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_u32_f16x2:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}{.ftz}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_u32_f32:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}{.ftz}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_u32_f64:
    def __call__(self, a: _Value, b: _Value, c: _Predicate | bool = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_bf16_f16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_bf16_f32:
    def __call__(self, a: _Value, b: _Value, c: _Predicate = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_set_eq_bf16_b16:
    def __call__(self, a: _Value, b: _Value, c: _Predicate = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero. `set<.cmp>{.bool}<.dtype><.type> d, a, b{, c};` PTX ISA: set."""

class _call_shf_l_clamp_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """Shift the 64 bits b:a and take the upper (left) or lower (right) word. `shf<.dir><.mode>.b32 d, a, b, c;` PTX ISA: shf."""

class _call_shfl_sync_up_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, mask: _Value, *, d: _Result = ..., p: _Result | bool = ..., pred: _Guard = ...) -> b32:
        """Read a register of another lane. `shfl.sync<.mode>{.no_membermask_overlap}.b32 d{|p}, a, b, c, mask;` PTX ISA: shfl.sync."""

class _call_st_async_mbarrier_complete_tx_bytes_b32:
    def __call__(self, a: _Place, b: _Value | _Several, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Store to a CTA of the cluster in the background; an mbarrier there counts the bytes. `st.async{.weak}{.space}.mbarrier::complete_tx::bytes{.vec}<.type> [a], b, [mbar];` PTX ISA: st.async."""

class _call_st_relaxed_cta_b8:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store that synchronises at a scope. `st<.sem><.scope>{.space}{.l1}{.l2evict}{.L2::cache_hint}{.vec}<.type> [a], b{, policy};` PTX ISA: st."""

class _call_sub_f32x2_bf16x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `sub{.rnd}.f32x2.bf16x2.f32x2 d, a, c;` PTX ISA: sub."""

class _call_sub_f32x2_f16x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `sub{.rnd}.f32x2.f16x2.f32x2 d, a, c;` PTX ISA: sub."""

class _call_tcgen05_cp_cta_group_1_128x256b:
    def __call__(self, taddr: _Place, desc: _Value, *, pred: _Guard = ...) -> None:
        """Copy a matrix from shared memory to tensor memory. `tcgen05.cp<.group><.shape>{.warps}{.to}{.from} [taddr], desc;` PTX ISA: tcgen05.cp."""

class _call_tcgen05_mma_cta_group_1_kind_f16:
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, idesc: _Value, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, A in shared memory. `tcgen05.mma<.group><.kind>{.collector} [d], a, b, idesc, p{, scale};` PTX ISA: tcgen05.mma."""
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, idesc: _Value, lanes: _Several, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, A in shared memory. `tcgen05.mma<.group><.kind>{.collector} [d], a, b, idesc, lanes, p{, scale};` PTX ISA: tcgen05.mma."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, idesc: _Value, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, A in tensor memory. `tcgen05.mma<.group><.kind>{.ashift}{.collector} [d], [a], b, idesc, p{, scale};` PTX ISA: tcgen05.mma."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, idesc: _Value, lanes: _Several, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, A in tensor memory. `tcgen05.mma<.group><.kind>{.ashift}{.collector} [d], [a], b, idesc, lanes, p{, scale};` PTX ISA: tcgen05.mma."""

class _call_tcgen05_shift_cta_group_1_down:
    def __call__(self, taddr: _Place, *, pred: _Guard = ...) -> None:
        """Move rows of tensor memory down by one. `tcgen05.shift<.group>.down [taddr];` PTX ISA: tcgen05.shift."""

class _call_tcgen05_wait_ld_sync_aligned:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Wait for all earlier tcgen05.ld of the thread. `tcgen05.wait::ld.sync.aligned;` PTX ISA: tcgen05.wait."""

class _call_tcgen05_wait_st_sync_aligned:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Wait for all earlier tcgen05.st of the thread. `tcgen05.wait::st.sync.aligned;` PTX ISA: tcgen05.wait."""

class _call_tensormap_query_alloc_class_large_b1024:
    def __call__(self, map: _Map, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a tensor map is of the large class of allocations. `tensormap.query.alloc_class_large{.global}.b1024 p, [map];` PTX ISA: tensormap.query."""

class _call_txq_level_width_b32:
    def __call__(self, a: _Place, lod: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """The extent of a level of a texture. `txq.level<.query>.b32 d, [a], lod;` PTX ISA: txq."""

class _call_vabsdiff_u32_u32_u32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The distance of two integers, or bytes or halves of them. `vabsdiff<.dtype><.atype><.btype>{.sat} d, a, b;` PTX ISA: Scalar Video Instructions: vabsdiff."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The distance of two integers, or bytes or halves of them; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vabsdiff<.dtype><.atype><.btype>{.sat} d, a, b, c;` PTX ISA: Scalar Video Instructions: vabsdiff."""

class _call_vabsdiff2_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The distance of numbers in two halves of registers; with .add their sum. `vabsdiff2<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vabsdiff2."""

class _call_vabsdiff4_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The distance of numbers in four bytes of registers; with .add their sum. `vabsdiff4<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vabsdiff4."""

class _call_vadd_u32_u32_u32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add two integers, or bytes or halves of them. `vadd<.dtype><.atype><.btype>{.sat} d, a, b;` PTX ISA: Scalar Video Instructions: vadd."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add two integers, or bytes or halves of them; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vadd<.dtype><.atype><.btype>{.sat} d, a, b, c;` PTX ISA: Scalar Video Instructions: vadd."""

class _call_vadd2_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add numbers in two halves of registers; with .add their sum. `vadd2<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vadd2."""

class _call_vadd4_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add numbers in four bytes of registers; with .add their sum. `vadd4<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vadd4."""

class _call_vavrg2_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The mean of numbers in two halves of registers; with .add their sum. `vavrg2<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vavrg2."""

class _call_vavrg4_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The mean of numbers in four bytes of registers; with .add their sum. `vavrg4<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vavrg4."""

class _call_vmad_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply integers, or bytes or halves of them, and add; the product may be negated. `vmad<.dtype><.atype><.btype>{.sat}{.scale} d, a, b, c;` PTX ISA: Scalar Video Instructions: vmad. Or: Multiply integers, or bytes or halves of them, and subtract. `vmad<.dtype><.atype><.btype>{.sat}{.scale} d, a, b, c;` PTX ISA: Scalar Video Instructions: vmad."""

class _call_vmax_u32_u32_u32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two integers, or bytes or halves of them. `vmax<.dtype><.atype><.btype>{.sat} d, a, b;` PTX ISA: Scalar Video Instructions: vmax."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two integers, or bytes or halves of them; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vmax<.dtype><.atype><.btype>{.sat} d, a, b, c;` PTX ISA: Scalar Video Instructions: vmax."""

class _call_vmax2_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of numbers in two halves of registers; with .add their sum. `vmax2<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vmax2."""

class _call_vmax4_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of numbers in four bytes of registers; with .add their sum. `vmax4<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vmax4."""

class _call_vmin_u32_u32_u32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two integers, or bytes or halves of them. `vmin<.dtype><.atype><.btype>{.sat} d, a, b;` PTX ISA: Scalar Video Instructions: vmin."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two integers, or bytes or halves of them; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vmin<.dtype><.atype><.btype>{.sat} d, a, b, c;` PTX ISA: Scalar Video Instructions: vmin."""

class _call_vmin2_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of numbers in two halves of registers; with .add their sum. `vmin2<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vmin2."""

class _call_vmin4_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of numbers in four bytes of registers; with .add their sum. `vmin4<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vmin4."""

class _call_vote_sync_all_pred:
    def __call__(self, a: _Predicate | bool, mask: _Value, *, d: _Result = ..., pred: _Guard = ...) -> pred:
        """Whether a predicate holds in all, in any, or equally in all lanes. `vote.sync<.mode>{.no_membermask_overlap}.pred d, a, mask;` PTX ISA: vote.sync."""

class _call_vote_sync_ballot_b32:
    def __call__(self, a: _Predicate | bool, mask: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """The mask of lanes in which a predicate holds. `vote.sync.ballot{.no_membermask_overlap}.b32 d, a, mask;` PTX ISA: vote.sync."""

class _call_vset_u32_u32_eq:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Compare two integers, or bytes or halves of them: 1 or 0. `vset<.atype><.btype><.cmp> d, a, b;` PTX ISA: Scalar Video Instructions: vset."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Compare two integers, or bytes or halves of them: 1 or 0; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vset<.atype><.btype><.cmp> d, a, b, c;` PTX ISA: Scalar Video Instructions: vset."""

class _call_vset2_u32_u32_eq:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Compare numbers in two halves of registers; with .add how many of them hold. `vset2<.atype><.btype><.cmp>{.add} d, a, b, c;` PTX ISA: SIMD Video Instructions: vset2."""

class _call_vset4_u32_u32_eq:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Compare numbers in four bytes of registers; with .add how many of them hold. `vset4<.atype><.btype><.cmp>{.add} d, a, b, c;` PTX ISA: SIMD Video Instructions: vset4."""

class _call_vsub_u32_u32_u32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract two integers, or bytes or halves of them. `vsub<.dtype><.atype><.btype>{.sat} d, a, b;` PTX ISA: Scalar Video Instructions: vsub."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract two integers, or bytes or halves of them; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vsub<.dtype><.atype><.btype>{.sat} d, a, b, c;` PTX ISA: Scalar Video Instructions: vsub."""

class _call_vsub2_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract numbers in two halves of registers; with .add their sum. `vsub2<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vsub2."""

class _call_vsub4_u32_u32_u32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract numbers in four bytes of registers; with .add their sum. `vsub4<.dtype><.atype><.btype>{.how} d, a, b, c;` PTX ISA: SIMD Video Instructions: vsub4."""

class _call_wgmma_commit_group_sync_aligned:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Put the warpgroup's uncommitted wgmma into a new group. `wgmma.commit_group.sync.aligned;` PTX ISA: wgmma.commit_group."""

class _call_wgmma_fence_sync_aligned:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order register accesses before the wgmma that follow; needed before the first and after touching their registers. `wgmma.fence.sync.aligned;` PTX ISA: wgmma.fence."""

class _call_wgmma_wait_group_sync_aligned:
    def __call__(self, n: _Number, *, pred: _Guard = ...) -> None:
        """Wait until at most n of the warpgroup's latest wgmma groups are pending. `wgmma.wait_group.sync.aligned n;` PTX ISA: wgmma.wait_group."""

class _call_add_rz_bf16x2_f32x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `add.rz.bf16x2.f32x2.f32x2 d, a, c;` PTX ISA: add."""

class _call_applypriority_async_bulk_bulk_group_L2_evict_normal:
    def __call__(self, src: _Place, size: _Value, *, pred: _Guard = ...) -> None:
        """Give bytes of global memory the ordinary eviction priority in the L2 cache. `applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [src], size;` PTX ISA: applypriority.async.bulk."""

class _call_atom_add_noftz_v2_f16:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Combine a vector with memory, each element atomically. `atom{.sem}{.scope}{.space}<.op>.noftz{.L2::cache_hint}<.vec><.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_add_noftz_v2_f32:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Combine a vector with memory, each element atomically. `atom{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}<.vec><.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_atom_add_noftz_v2_f16x2:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Combine a vector with memory, each element atomically. `atom{.sem}{.scope}{.space}<.op>.noftz{.L2::cache_hint}<.vec><.type> d, [a], b{, policy};` PTX ISA: atom."""

class _call_bar_cta_red_and_pred:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> pred:
        """Wait like sync, and combine the predicates of all threads. `bar.cta.red<.op>.pred d, id{, threads}, p;` PTX ISA: barrier."""

class _call_bar_cta_red_popc_u32:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Wait like sync, and count the threads whose predicate holds. `bar.cta.red.popc.u32 d, id{, threads}, p;` PTX ISA: barrier."""

class _call_barrier_cta_red_and_pred:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> pred:
        """Wait like sync, and combine the predicates of all threads. `barrier.cta.red<.op>{.aligned}.pred d, id{, threads}, p;` PTX ISA: barrier."""

class _call_barrier_cta_red_popc_u32:
    def __call__(self, id: _Value, p: _Predicate | bool, threads: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Wait like sync, and count the threads whose predicate holds. `barrier.cta.red.popc{.aligned}.u32 d, id{, threads}, p;` PTX ISA: barrier."""

class _call_clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32_b128:
    def __call__(self, answer: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """One coordinate of the first CTA of the cluster that was taken over. `clusterlaunchcontrol.query_cancel<.which>.b32.b128 d, answer;` PTX ISA: clusterlaunchcontrol.query_cancel."""

class _call_clusterlaunchcontrol_query_cancel_is_canceled_pred_b128:
    def __call__(self, answer: _Value, *, p: _Result = ..., pred: _Guard = ...) -> pred:
        """Whether a cluster was taken over. `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;` PTX ISA: clusterlaunchcontrol.query_cancel."""

class _call_clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_b128:
    def __call__(self, dst: _Place, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Ask to take over a cluster that has not started; the mbarrier counts the answer's bytes. `clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [dst], [mbar];` PTX ISA: clusterlaunchcontrol.try_cancel."""

class _call_cp_async_ca_shared_global:
    @overload
    def __call__(self, dst: _Place, src: _Place, size: _Number, src_size: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy 4, 8 or 16 bytes from global to shared memory in the background. `cp.async<.cache>.shared{::cta}.global{.L2::cache_hint}{.prefetch} [dst], [src], size{, src_size}{, policy};` PTX ISA: cp.async."""
    @overload
    def __call__(self, dst: _Place, src: _Place, size: _Number, ignore_src: _Predicate, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy in the background, or write zeros where the predicate says so. `cp.async<.cache>.shared{::cta}.global{.L2::cache_hint}{.prefetch} [dst], [src], size, ignore_src{, policy};` PTX ISA: cp.async."""

class _call_cp_async_mbarrier_arrive_b64:
    def __call__(self, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Arrive on an mbarrier once all of this thread's earlier cp.async copies are done. `cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [mbar];` PTX ISA: cp.async.mbarrier.arrive."""

class _call_createpolicy_range_fabric_L2_evict_last_b64:
    def __call__(self, endpoint: _Value, offset: _Value, primary_size: _Value, total_size: _Value, *, policy: _Result = ..., pred: _Guard = ...) -> u64:
        """A cache policy by address in another device's memory. `createpolicy.range.fabric{.global}<.primary>{.secondary}.b64 policy, [endpoint, offset], primary_size, total_size;` PTX ISA: createpolicy."""

class _call_cvt_rn_satfinite_e4m3x2_f32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of 8-bit numbers. `cvt.rn.satfinite{.relu}<.dtype>.f32 d, a, b;` PTX ISA: cvt."""
    @overload
    def __call__(self, a: _Value, b: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype>.f32 d, a, b{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_e4m3x2_bf16x2:
    @overload
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of bf16 to a pair of 8-bit numbers. `cvt.rn.satfinite{.relu}<.dtype>.bf16x2 d, a;` PTX ISA: cvt."""
    @overload
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of 16-bit numbers to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype><.type> d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_e4m3x2_f16x2:
    @overload
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of f16 to a pair of 8-bit numbers. `cvt.rn.satfinite{.relu}<.dtype>.f16x2 d, a;` PTX ISA: cvt."""
    @overload
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of 16-bit numbers to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype><.type> d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_f16_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert f32 to 16 bits; .relu cuts off below zero, .satfinite above the largest number. `cvt<.rnd>{.relu}{.satfinite}<.dtype>.f32 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_s2f6x2_f32:
    def __call__(self, a: _Value, b: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of fixed-point numbers with six bits behind the point. `cvt.rn.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32 d, a, b{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_s2f6x2_bf16x2:
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of bf16 to a pair of fixed-point numbers with six bits behind the point. `cvt.rn.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.bf16x2 d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_e2m1x2_f32:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of numbers of four or six bits. `cvt.rn.satfinite{.relu}<.dtype>.f32 d, a, b;` PTX ISA: cvt."""
    @overload
    def __call__(self, a: _Value, b: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype>.f32 d, a, b{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_satfinite_e2m1x2_f16x2:
    @overload
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of 16-bit numbers to a pair of numbers of four or six bits. `cvt.rn.satfinite{.relu}<.dtype><.type> d, a;` PTX ISA: cvt."""
    @overload
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of 16-bit numbers to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype><.type> d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rn_pzo_f16_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert f32 so that zeros are positive. `cvt<.rnd>{.relu}{.satfinite}.pzo<.dtype>.f32 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_pzo_f16x2_f32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert f32 so that zeros are positive. `cvt<.rnd>{.relu}{.satfinite}.pzo<.dtype>.f32 d, a, b;` PTX ISA: cvt."""

class _call_cvt_rn_pzo_tf32_f32:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert f32 so that zeros are positive. `cvt<.rnd>{.relu}{.satfinite}.pzo<.dtype>.f32 d, a;` PTX ISA: cvt."""

class _call_cvt_rn_scaled_n1_ue8m0_ue5m3x2_f16x2:
    def __call__(self, a: _Value, scale: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two numbers to a pair of unsigned 8-bit numbers, scaled. `cvt<.rnd>{.satfinite}.scaled::n1::ue8m0.ue5m3x2<.type> d, a, scale;` PTX ISA: cvt."""

class _call_cvt_rn_scaled_n1_ue8m0_ue5m3x2_f32:
    def __call__(self, a: _Value, b: _Value, scale: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two numbers to a pair of unsigned 8-bit numbers, scaled. `cvt<.rnd>{.satfinite}.scaled::n1::ue8m0.ue5m3x2.f32 d, a, b, scale;` PTX ISA: cvt."""

class _call_cvt_rz_satfinite_s2f6x2_bf16x2:
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of bf16 to a pair of fixed-point numbers with six bits behind the point. `cvt.rz.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.bf16x2 d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_rz_satfinite_s2f6x2_f32:
    def __call__(self, a: _Value, b: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of fixed-point numbers with six bits behind the point. `cvt.rz.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32 d, a, b{, scale};` PTX ISA: cvt."""

class _call_cvt_rz_satfinite_e4m3x2_f32:
    def __call__(self, a: _Value, b: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert two f32 to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype>.f32 d, a, b{, scale};` PTX ISA: cvt."""

class _call_cvt_rz_satfinite_e4m3x2_f16x2:
    def __call__(self, a: _Value, scale: _Value = ..., *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Convert a pair of 16-bit numbers to a pair of numbers of eight bits or fewer, rounded and scaled as it says. `cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype><.type> d, a{, scale};` PTX ISA: cvt."""

class _call_cvt_pack_sat_u16_s32:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Clamp two integers to 16 bits and pack them, `a` in the upper half. `cvt.pack.sat<.dtype>.s32 d, a, b;` PTX ISA: cvt.pack."""

class _call_cvt_rs_satfinite_e4m3x4_f32:
    def __call__(self, a: _Value | _Several, bits: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Round four f32 to numbers of eight bits or fewer, up or down as random bits decide. `cvt.rs{.relu}.satfinite<.dtype>.f32 d, a, bits;` PTX ISA: cvt."""

class _call_fence_release_alias_sync_restrict_read_sys:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order this thread's reads before accesses to the same memory by other addresses. `fence.release.alias.sync_restrict::read.sys;` PTX ISA: membar, fence."""

class _call_fence_proxy_alias_acquire_sys:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to one location through different virtual addresses, on several devices. `fence.proxy.alias<.sem>.sys;` PTX ISA: membar, fence."""

class _call_fence_proxy_tensormap_generic_acquire_cta:
    def __call__(self, map: _Map, size: _Number, *, pred: _Guard = ...) -> None:
        """See a tensor map as another thread published it. `fence.proxy.tensormap::generic.acquire<.scope> [map], size;` PTX ISA: membar, fence."""

class _call_fence_proxy_tensormap_generic_release_cta:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Publish changes of a tensor map made by ordinary stores or tensormap.replace. `fence.proxy.tensormap::generic.release<.scope>;` PTX ISA: membar, fence."""

class _call_ld_mmio_relaxed_sys_b8:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load from memory-mapped input and output. `ld.mmio.relaxed.sys{.space}<.type> d, [a];` PTX ISA: ld."""

class _call_ld_mmio_acquire_sys_b8:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load from memory-mapped input and output, before what follows. `ld.mmio.acquire.sys{.space}<.type> d, [a];` PTX ISA: ld."""

class _call_mbarrier_arrive_expect_tx_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, tx_count: _Value, *, pred: _Guard = ...) -> None:
        """Expect bytes, then arrive once, on any CTA's barrier. `mbarrier.arrive.expect_tx{.sem}{.scope}.shared::cluster.b64 state, [mbar], tx_count;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_expect_tx_multicast_cluster_32b_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, mask: _Value, *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive.expect_tx{.sem}{.scope}.multicast::cluster::32b.b64 state, [mbar], tx_count, mask;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_multicast_cluster_32b_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, mask: _Value, count: _Value = ..., *, pred: _Guard = ...) -> None:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive{.sem}{.scope}.multicast::cluster::32b.shared::cluster.b64 state, [mbar]{, count}, mask;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_drop_expect_tx_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, tx_count: _Value, *, pred: _Guard = ...) -> None:
        """Expect bytes, then arrive once, on any CTA's barrier. `mbarrier.arrive_drop.expect_tx{.sem}{.scope}.shared::cluster.b64 state, [mbar], tx_count;` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_b64:
    def __call__(self, mbar: _Place, tx_count: _Value, mask: _Value, *, state: _Result = ..., pred: _Guard = ...) -> u64:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive_drop.expect_tx{.sem}{.scope}.multicast::cluster::32b.b64 state, [mbar], tx_count, mask;` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_arrive_drop_multicast_cluster_32b_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, mask: _Value, count: _Value = ..., *, pred: _Guard = ...) -> None:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive_drop{.sem}{.scope}.multicast::cluster::32b.shared::cluster.b64 state, [mbar]{, count}, mask;` PTX ISA: mbarrier.arrive_drop."""

class _call_mbarrier_test_wait_parity_phase_type_primary_b64:
    @overload
    def __call__(self, mbar: _Place, parity: _Value, *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete. `mbarrier.test_wait.parity{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], parity;` PTX ISA: mbarrier.test_wait."""
    @overload
    def __call__(self, mbar: _Place, parity: _Value, *, done: _Result = ..., failed: _Result, pred: _Guard = ...) -> tuple[pred, pred]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.test_wait.parity.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done|failed, [mbar], parity;` PTX ISA: mbarrier.test_wait."""
    @overload
    def __call__(self, mbar: _Place, parity: _Value, *, done: _Result = ..., failed: _Result | bool = ..., value: _Result, pred: _Guard = ...) -> tuple[pred, Any]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.test_wait.parity.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done{|failed}, value, [mbar], parity;` PTX ISA: mbarrier.test_wait."""

class _call_mbarrier_try_wait_parity_phase_type_primary_b64:
    @overload
    def __call__(self, mbar: _Place, parity: _Value, hint: _Value = ..., *, done: _Result = ..., pred: _Guard = ...) -> pred:
        """Ask whether a phase is complete, waiting for it for a while. `mbarrier.try_wait.parity{.phase}{.sem}{.scope}{.shared{::cta}}.b64 done, [mbar], parity{, hint};` PTX ISA: mbarrier.try_wait."""
    @overload
    def __call__(self, mbar: _Place, parity: _Value, hint: _Value = ..., *, done: _Result = ..., failed: _Result, pred: _Guard = ...) -> tuple[pred, pred]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.try_wait.parity.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done|failed, [mbar], parity{, hint};` PTX ISA: mbarrier.try_wait."""
    @overload
    def __call__(self, mbar: _Place, parity: _Value, hint: _Value = ..., *, done: _Result = ..., failed: _Result | bool = ..., value: _Result, pred: _Guard = ...) -> tuple[pred, Any]:
        """Ask whether a phase is complete, and what its asynchronous operations reported. `mbarrier.try_wait.parity.phase_type::primary{.sem}{.scope}{.shared{::cta}}.b64 done{|failed}, value, [mbar], parity{, hint};` PTX ISA: mbarrier.try_wait."""

class _call_mul_rz_bf16x2_f32x2_f32x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `mul.rz.bf16x2.f32x2.f32x2 d, a, b;` PTX ISA: mul."""

class _call_multimem_ld_reduce_add_v2_f32:
    def __call__(self, a: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load vectors of f32 from every replica and give their sum. `multimem.ld_reduce{.sem}{.scope}{.global}.add<.vec>.f32 d, [a];` PTX ISA: multimem."""

class _call_red_add_noftz_v2_f16:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine a vector with memory, each element atomically. `red{.sem}{.scope}{.space}<.op>.noftz{.L2::cache_hint}<.vec><.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_add_noftz_v2_f32:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine a vector with memory, each element atomically. `red{.sem}{.scope}{.space}.add.noftz{.L2::cache_hint}<.vec><.type> [a], b{, policy};` PTX ISA: red."""

class _call_red_add_noftz_v2_f16x2:
    def __call__(self, a: _Place, b: _Value | _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine a vector with memory, each element atomically. `red{.sem}{.scope}{.space}<.op>.noftz{.L2::cache_hint}<.vec><.type> [a], b{, policy};` PTX ISA: red."""

class _call_setmaxnreg_inc_sync_aligned_u32:
    def __call__(self, count: _Number, *, pred: _Guard = ...) -> None:
        """Give registers back to the CTA's pool, or take some from it, for every thread of the warpgroup. `setmaxnreg<.action>.sync.aligned<.type> count;` PTX ISA: setmaxnreg."""

class _call_spcompress_sp_2_4_x1_b16_b2:
    def __call__(self, data: _Several, first: _Value, *, indices: _Result | _Several = ..., kept: _Result | _Several = ..., pred: _Guard = ...) -> tuple[Registers, Registers]:
        """Keep two of every four numbers, and say which. `spcompress.sp::2:4<.num>.b16.b2 indices, kept, data, first;` PTX ISA: spcompress."""

class _call_spcompress_sp_2_4_x1_b16_b4:
    def __call__(self, data: _Several, first: _Value, *, indices: _Result | _Several = ..., kept: _Result | _Several = ..., pred: _Guard = ...) -> tuple[Registers, Registers]:
        """Keep two of every four numbers, and say which. `spcompress.sp::2:4<.num>.b16.b4 indices, kept, data, first;` PTX ISA: spcompress."""

class _call_spcompress_sp_2_4_x1_b8_b2:
    def __call__(self, data: _Several, first: _Value, *, indices: _Result | _Several = ..., kept: _Result | _Several = ..., pred: _Guard = ...) -> tuple[Registers, Registers]:
        """Keep two of every four numbers, and say which. `spcompress.sp::2:4<.num>.b8.b2 indices, kept, data, first;` PTX ISA: spcompress."""

class _call_spcompress_sp_2_4_x1_b8_b4:
    def __call__(self, data: _Several, first: _Value, *, indices: _Result | _Several = ..., kept: _Result | _Several = ..., pred: _Guard = ...) -> tuple[Registers, Registers]:
        """Keep two of every four numbers, and say which. `spcompress.sp::2:4<.num>.b8.b4 indices, kept, data, first;` PTX ISA: spcompress."""

class _call_spdecompress_sp_2_4_x1_b16_b2:
    def __call__(self, indices: _Several, kept: _Several, *, data: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Put numbers back to where their indices say, with zeros between them. `spdecompress.sp::2:4<.num>.b16.b2 data, indices, kept;` PTX ISA: spdecompress."""

class _call_spdecompress_sp_2_4_x1_b16_b4:
    def __call__(self, indices: _Several, kept: _Several, *, data: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Put numbers back to where their indices say, with zeros between them. `spdecompress.sp::2:4<.num>.b16.b4 data, indices, kept;` PTX ISA: spdecompress."""

class _call_spdecompress_sp_2_4_x1_b8_b2:
    def __call__(self, indices: _Several, kept: _Several, *, data: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Put numbers back to where their indices say, with zeros between them. `spdecompress.sp::2:4<.num>.b8.b2 data, indices, kept;` PTX ISA: spdecompress."""

class _call_spdecompress_sp_2_4_x1_b8_b4:
    def __call__(self, indices: _Several, kept: _Several, *, data: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Put numbers back to where their indices say, with zeros between them. `spdecompress.sp::2:4<.num>.b8.b4 data, indices, kept;` PTX ISA: spdecompress."""

class _call_st_async_release_gpu_b8:
    def __call__(self, a: _Place, b: _Value, *, pred: _Guard = ...) -> None:
        """Store to global memory in the background, behind what this thread stored before. `st.async{.mmio}.release<.scope>{.global}<.type> [a], b;` PTX ISA: st.async."""

class _call_st_mmio_relaxed_sys_b8:
    def __call__(self, a: _Place, b: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Store to memory-mapped input and output. `st.mmio.relaxed.sys{.space}<.type> [a], b;` PTX ISA: st."""

class _call_st_mmio_release_sys_b8:
    def __call__(self, a: _Place, b: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Store to memory-mapped input and output, behind what came before. `st.mmio.release.sys{.space}<.type> [a], b;` PTX ISA: st."""

class _call_sub_rz_bf16x2_f32x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `sub.rz.bf16x2.f32x2.f32x2 d, a, c;` PTX ISA: sub."""

class _call_suld_b_1d_b8_trap:
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """Load from a surface. `suld.b<.geom>{.cop}{.vec}<.type><.clamp> d, [a, coords];` PTX ISA: suld."""

class _call_sust_b_1d_b8_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Store to a surface. `sust.b<.geom>{.cop}{.vec}<.type><.clamp> [a, coords], c;` PTX ISA: sust."""

class _call_sust_p_1d_b32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value | _Several, *, pred: _Guard = ...) -> None:
        """Store to a surface, converted to its format. `sust.p<.geom>{.cop}{.vec}.b32<.clamp> [a, coords], c;` PTX ISA: sust."""

class _call_tcgen05_commit_cta_group_1_mbarrier_arrive_one_b64:
    def __call__(self, mbar: _Place, mask: _Value = ..., *, pred: _Guard = ...) -> None:
        """Let an mbarrier count an arrival when all earlier asynchronous tcgen05 instructions of the thread are done. `tcgen05.commit<.group>.mbarrier::arrive::one{.shared::cluster}{.cast}.b64 [mbar]{, mask};` PTX ISA: tcgen05.commit."""

class _call_tcgen05_mma_cta_group_1_kind_f16_ashift:
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, idesc: _Value, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, A in tensor memory. `tcgen05.mma<.group><.kind>{.ashift}{.collector} [d], [a], b, idesc, p{, scale};` PTX ISA: tcgen05.mma."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, idesc: _Value, lanes: _Several, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, A in tensor memory. `tcgen05.mma<.group><.kind>{.ashift}{.collector} [d], [a], b, idesc, lanes, p{, scale};` PTX ISA: tcgen05.mma."""

class _call_tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale:
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, idesc: _Value, scale_a: _Place, scale_b: _Place, p: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """Multiply matrices of blocks with scales, A in shared memory. `tcgen05.mma<.group><.kind>.block_scale{.vector}{.collector} [d], a, b, idesc, [scale_a], [scale_b], p;` PTX ISA: tcgen05.mma."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, idesc: _Value, scale_a: _Place, scale_b: _Place, p: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """Multiply matrices of blocks with scales, A in tensor memory. `tcgen05.mma<.group><.kind>.block_scale{.vector}{.collector} [d], [a], b, idesc, [scale_a], [scale_b], p;` PTX ISA: tcgen05.mma."""

class _call_tcgen05_mma_sp_cta_group_1_kind_f16:
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, meta: _Place, idesc: _Value, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, A in shared memory. `tcgen05.mma.sp<.group><.kind>{.collector} [d], a, b, [meta], idesc, p{, scale};` PTX ISA: tcgen05.mma.sp."""
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, meta: _Place, idesc: _Value, lanes: _Several, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, A in shared memory. `tcgen05.mma.sp<.group><.kind>{.collector} [d], a, b, [meta], idesc, lanes, p{, scale};` PTX ISA: tcgen05.mma.sp."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, meta: _Place, idesc: _Value, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, A in tensor memory. `tcgen05.mma.sp<.group><.kind>{.ashift}{.collector} [d], [a], b, [meta], idesc, p{, scale};` PTX ISA: tcgen05.mma.sp."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, meta: _Place, idesc: _Value, lanes: _Several, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, A in tensor memory. `tcgen05.mma.sp<.group><.kind>{.ashift}{.collector} [d], [a], b, [meta], idesc, lanes, p{, scale};` PTX ISA: tcgen05.mma.sp."""

class _call_tcgen05_mma_ws_cta_group_1_kind_f16:
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, idesc: _Value, p: _Predicate | bool, zeros: _Value = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, B being kept from product to product, A in shared memory. `tcgen05.mma.ws<.group><.kind>{.collector} [d], a, b, idesc, p{, zeros};` PTX ISA: tcgen05.mma.ws."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, idesc: _Value, p: _Predicate | bool, zeros: _Value = ..., *, pred: _Guard = ...) -> None:
        """Multiply matrices, B being kept from product to product, A in tensor memory. `tcgen05.mma.ws<.group><.kind>{.collector} [d], [a], b, idesc, p{, zeros};` PTX ISA: tcgen05.mma.ws."""

class _call_tcgen05_relinquish_alloc_permit_cta_group_1_sync_aligned:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """The CTA will allocate no more tensor memory. `tcgen05.relinquish_alloc_permit<.group>.sync.aligned;` PTX ISA: tcgen05.alloc."""

class _call_tex_1d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords];` PTX ISA: tex."""
    @overload
    def __call__(self, a: _Map, coords: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture, and compare depths. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], depth;` PTX ISA: tex."""
    @overload
    def __call__(self, a: _Map, coords: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture, with an offset. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], offset;` PTX ISA: tex."""
    @overload
    def __call__(self, a: _Map, coords: _Several, offset: _Value | _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture, with an offset, and compare depths. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], offset, depth;` PTX ISA: tex."""

class _call_tex_1d_v4_u32_s32:
    @overload
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture. `tex{.base}<.geom><.vec><.dtype>.s32 d{|p}, [a, coords];` PTX ISA: tex."""
    @overload
    def __call__(self, a: _Map, coords: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture, with an offset. `tex{.base}<.geom><.vec><.dtype>.s32 d{|p}, [a, coords], offset;` PTX ISA: tex."""

class _call_tex_3d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords];` PTX ISA: tex."""
    @overload
    def __call__(self, a: _Map, coords: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture, with an offset. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], offset;` PTX ISA: tex."""

class _call_tex_cube_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords];` PTX ISA: tex."""
    @overload
    def __call__(self, a: _Map, coords: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a texture, and compare depths. `tex{.base}<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], depth;` PTX ISA: tex."""

class _call_vabsdiff_u32_u32_u32_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The distance of two integers, or bytes or halves of them, then the sum with `c`, or the smaller or larger of the two. `vabsdiff<.dtype><.atype><.btype>{.sat}<.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vabsdiff."""

class _call_vadd_u32_u32_u32_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Add two integers, or bytes or halves of them, then the sum with `c`, or the smaller or larger of the two. `vadd<.dtype><.atype><.btype>{.sat}<.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vadd."""

class _call_vmad_u32_u32_u32_po:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Multiply integers, or bytes or halves of them, and add, and add one. `vmad<.dtype><.atype><.btype>.po{.sat}{.scale} d, a, b, c;` PTX ISA: Scalar Video Instructions: vmad."""

class _call_vmax_u32_u32_u32_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The larger of two integers, or bytes or halves of them, then the sum with `c`, or the smaller or larger of the two. `vmax<.dtype><.atype><.btype>{.sat}<.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vmax."""

class _call_vmin_u32_u32_u32_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The smaller of two integers, or bytes or halves of them, then the sum with `c`, or the smaller or larger of the two. `vmin<.dtype><.atype><.btype>{.sat}<.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vmin."""

class _call_vset_u32_u32_eq_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Compare two integers, or bytes or halves of them: 1 or 0, then the sum with `c`, or the smaller or larger of the two. `vset<.atype><.btype><.cmp><.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vset."""

class _call_vshl_u32_u32_u32_clamp:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift an integer, or a byte or half of it, to the left. `vshl<.dtype><.atype><.btype>{.sat}<.mode> d, a, b;` PTX ISA: Scalar Video Instructions: vshl."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift an integer, or a byte or half of it, to the left; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vshl<.dtype><.atype><.btype>{.sat}<.mode> d, a, b, c;` PTX ISA: Scalar Video Instructions: vshl."""

class _call_vshr_u32_u32_u32_clamp:
    @overload
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift an integer, or a byte or half of it, to the right. `vshr<.dtype><.atype><.btype>{.sat}<.mode> d, a, b;` PTX ISA: Scalar Video Instructions: vshr."""
    @overload
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift an integer, or a byte or half of it, to the right; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half. `vshr<.dtype><.atype><.btype>{.sat}<.mode> d, a, b, c;` PTX ISA: Scalar Video Instructions: vshr."""

class _call_vsub_u32_u32_u32_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Subtract two integers, or bytes or halves of them, then the sum with `c`, or the smaller or larger of the two. `vsub<.dtype><.atype><.btype>{.sat}<.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vsub."""

class _call_add_rz_ftz_f16x2_f32x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `add.rz.ftz.f16x2.f32x2.f32x2 d, a, c;` PTX ISA: add."""

class _call_clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32_b128:
    def __call__(self, answer: _Value, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Any:
        """The position in the grid of the first CTA of the cluster that was taken over; the fourth element means nothing. `clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d, answer;` PTX ISA: clusterlaunchcontrol.query_cancel."""

class _call_cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Copy bytes from this CTA's shared memory to another CTA's of the cluster. `cp.async.bulk{.weak}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes{.b128} [dst], [src], size, [mbar];` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to shared memory of the cluster, or of several of its CTAs. `cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint}{.b128} [dst], [src], size, [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_global_shared_cta_bulk_group:
    def __call__(self, dst: _Place, src: _Place, size: _Value, policy: _Value = ..., bytemask: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from shared to global memory; bulk groups complete it. `cp.async.bulk{.weak}.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}{.b128} [dst], [src], size{, policy}{, bytemask};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them. `cp.async.bulk{.weak}.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}{.b128} [dst], [src], size, [mbar]{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_prefetch_L2_global:
    def __call__(self, src: _Place, size: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring bytes of global memory into the L2 cache. `cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [src], size{, policy};` PTX ISA: cp.async.bulk.prefetch."""

class _call_cvt_pack_sat_u8_s32_b32:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> u32:
        """Clamp two integers to fewer bits, pack them into the lowest bits above those of `c`. `cvt.pack.sat<.dtype>.s32.b32 d, a, b, c;` PTX ISA: cvt.pack."""

class _call_fence_proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order ordinary accesses to shared memory before those of the copy engine: one half of such a fence. `fence.proxy.async::generic<.sem><.restrict>.cluster;` PTX ISA: membar, fence."""

class _call_fence_proxy_async_generic_release_sync_restrict_shared_cluster_read_cta:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order ordinary reads of the cluster's shared memory before what the copy engine writes there. `fence.proxy.async::generic.release.sync_restrict::shared::cluster::read<.scope>;` PTX ISA: membar, fence."""

class _call_fence_proxy_fabric_fabric_alias_acquire_sys:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to the same memory by several addresses: those of fabric operations. `fence.proxy.fabric::fabric.alias<.sem>.sys;` PTX ISA: membar, fence."""

class _call_fence_proxy_fabric_generic_alias_acquire_sys:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to the same memory by several addresses: ordinary ones before those of fabric operations. `fence.proxy.fabric::generic.alias<.sem>.sys;` PTX ISA: membar, fence."""

class _call_fence_proxy_generic_fabric_alias_acquire_sys:
    def __call__(self, *, pred: _Guard = ...) -> None:
        """Order accesses to the same memory by several addresses: those of fabric operations before ordinary ones. `fence.proxy.generic::fabric.alias<.sem>.sys;` PTX ISA: membar, fence."""

class _call_fma_rn_f32x2_bf16x2_f32x2_f32x2:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `fma<.rnd>.f32x2.bf16x2.f32x2.f32x2 d, a, b, c;` PTX ISA: fma."""

class _call_fma_rn_f32x2_f16x2_f32x2_f32x2:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `fma<.rnd>.f32x2.f16x2.f32x2.f32x2 d, a, b, c;` PTX ISA: fma."""

class _call_ldmatrix_sync_aligned_m8n8_x1_b16:
    def __call__(self, src: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load 8x8 matrices of 16-bit elements, spread over the warp as mma wants them. `ldmatrix.sync.aligned.m8n8<.num>{.trans}{.shared{::cta}}.b16 d, [src];` PTX ISA: ldmatrix."""

class _call_mbarrier_arrive_expect_tx_multicast_cluster_32b_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, tx_count: _Value, mask: _Value, *, pred: _Guard = ...) -> None:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive.expect_tx{.sem}{.scope}.multicast::cluster::32b.shared::cluster.b64 state, [mbar], tx_count, mask;` PTX ISA: mbarrier.arrive."""

class _call_mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_shared_cluster_b64:
    def __call__(self, state: _Value, mbar: _Place, tx_count: _Value, mask: _Value, *, pred: _Guard = ...) -> None:
        """The same on the barriers at this place of several CTAs of the cluster. `mbarrier.arrive_drop.expect_tx{.sem}{.scope}.multicast::cluster::32b.shared::cluster.b64 state, [mbar], tx_count, mask;` PTX ISA: mbarrier.arrive_drop."""

class _call_movmatrix_sync_aligned_m8n8_trans_b16:
    def __call__(self, a: _Value, *, d: _Result = ..., pred: _Guard = ...) -> b32:
        """Transpose an 8x8 matrix of 16-bit elements that is spread over the warp. `movmatrix.sync.aligned.m8n8.trans.b16 d, a;` PTX ISA: movmatrix."""

class _call_mul_rz_ftz_f16x2_f32x2_f32x2:
    def __call__(self, a: _Value, b: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `mul.rz.ftz.f16x2.f32x2.f32x2 d, a, b;` PTX ISA: mul."""

class _call_multimem_st_async_release_gpu_b8:
    def __call__(self, a: _Place, b: _Value, *, pred: _Guard = ...) -> None:
        """Store to every replica in the background, behind what this thread stored before. `multimem.st.async.release<.scope>{.global}<.type> [a], b;` PTX ISA: multimem.st.async."""

class _call_red_async_release_gpu_add_u32:
    def __call__(self, a: _Place, b: _Value, *, pred: _Guard = ...) -> None:
        """Change global memory in the background, behind what this thread stored before. `red.async{.mmio}.release<.scope>{.global}<.op><.type> [a], b;` PTX ISA: red.async."""

class _call_stmatrix_sync_aligned_m8n8_x1_b16:
    def __call__(self, dst: _Place, s: _Several, *, pred: _Guard = ...) -> None:
        """Store 8x8 matrices of 16-bit elements that are spread over the warp as mma leaves them. `stmatrix.sync.aligned.m8n8<.num>{.trans}{.shared{::cta}}.b16 [dst], s;` PTX ISA: stmatrix."""

class _call_sub_rz_ftz_f16x2_f32x2_f32x2:
    def __call__(self, a: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """The same on pairs of numbers, of which some are of 16 bits. `sub.rz.ftz.f16x2.f32x2.f32x2 d, a, c;` PTX ISA: sub."""

class _call_sured_b_add_1d_u32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value, *, pred: _Guard = ...) -> None:
        """Reduce a value into a surface. `sured.b.add<.geom><.type><.clamp> [a, coords], c;` PTX ISA: sured."""

class _call_sured_b_and_1d_b32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value, *, pred: _Guard = ...) -> None:
        """Reduce a value into a surface. `sured.b.and<.geom><.type><.clamp> [a, coords], c;` PTX ISA: sured."""

class _call_sured_b_max_1d_u32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value, *, pred: _Guard = ...) -> None:
        """Reduce a value into a surface. `sured.b.max<.geom><.type><.clamp> [a, coords], c;` PTX ISA: sured."""

class _call_sured_b_min_1d_u32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value, *, pred: _Guard = ...) -> None:
        """Reduce a value into a surface. `sured.b.min<.geom><.type><.clamp> [a, coords], c;` PTX ISA: sured."""

class _call_sured_b_or_1d_b32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value, *, pred: _Guard = ...) -> None:
        """Reduce a value into a surface. `sured.b.or<.geom><.type><.clamp> [a, coords], c;` PTX ISA: sured."""

class _call_sured_p_add_1d_b32_trap:
    def __call__(self, a: _Map, coords: _Several, c: _Value, *, pred: _Guard = ...) -> None:
        """Reduce a value into a surface by the type of its texels. `sured.p<.op><.geom>.b32<.clamp> [a, coords], c;` PTX ISA: sured."""

class _call_tcgen05_alloc_cta_group_1_sync_aligned_b32:
    def __call__(self, dst: _Place, columns: _Value, *, pred: _Guard = ...) -> None:
        """Allocate columns of tensor memory; their address goes to shared memory. `tcgen05.alloc<.group>.sync.aligned{.exclusive}{.shared::cta}.b32 [dst], columns;` PTX ISA: tcgen05.alloc."""

class _call_tcgen05_dealloc_cta_group_1_sync_aligned_b32:
    def __call__(self, taddr: _Value, columns: _Value, *, pred: _Guard = ...) -> None:
        """Give columns of tensor memory back. `tcgen05.dealloc<.group>.sync.aligned{.exclusive}.b32 taddr, columns;` PTX ISA: tcgen05.alloc."""

class _call_tcgen05_mma_sp_cta_group_1_kind_f16_ashift:
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, meta: _Place, idesc: _Value, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, A in tensor memory. `tcgen05.mma.sp<.group><.kind>{.ashift}{.collector} [d], [a], b, [meta], idesc, p{, scale};` PTX ISA: tcgen05.mma.sp."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, meta: _Place, idesc: _Value, lanes: _Several, p: _Predicate | bool, scale: _Number = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, A in tensor memory. `tcgen05.mma.sp<.group><.kind>{.ashift}{.collector} [d], [a], b, [meta], idesc, lanes, p{, scale};` PTX ISA: tcgen05.mma.sp."""

class _call_tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale:
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, meta: _Place, idesc: _Value, scale_a: _Place, scale_b: _Place, p: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix of blocks with scales, A in shared memory. `tcgen05.mma.sp<.group><.kind>.block_scale{.vector}{.collector} [d], a, b, [meta], idesc, [scale_a], [scale_b], p;` PTX ISA: tcgen05.mma.sp."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, meta: _Place, idesc: _Value, scale_a: _Place, scale_b: _Place, p: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix of blocks with scales, A in tensor memory. `tcgen05.mma.sp<.group><.kind>.block_scale{.vector}{.collector} [d], [a], b, [meta], idesc, [scale_a], [scale_b], p;` PTX ISA: tcgen05.mma.sp."""

class _call_tcgen05_mma_ws_sp_cta_group_1_kind_f16:
    @overload
    def __call__(self, d: _Place, a: _Value, b: _Value, meta: _Place, idesc: _Value, p: _Predicate | bool, zeros: _Value = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, B being kept from product to product, A in shared memory. `tcgen05.mma.ws.sp<.group><.kind>{.collector} [d], a, b, [meta], idesc, p{, zeros};` PTX ISA: tcgen05.mma.ws.sp."""
    @overload
    def __call__(self, d: _Place, a: _Place, b: _Value, meta: _Place, idesc: _Value, p: _Predicate | bool, zeros: _Value = ..., *, pred: _Guard = ...) -> None:
        """Multiply a sparse matrix, B being kept from product to product, A in tensor memory. `tcgen05.mma.ws.sp<.group><.kind>{.collector} [d], [a], b, [meta], idesc, p{, zeros};` PTX ISA: tcgen05.mma.ws.sp."""

class _call_tensormap_replace_tile_box_dim_b1024_b32:
    def __call__(self, map: _Map, ordinal: _Number, value: _Value, *, pred: _Guard = ...) -> None:
        """Set an extent of a tensor map's box, in elements. `tensormap.replace.tile.box_dim{.space}.b1024.b32 [map], ordinal, value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_element_stride_b1024_b32:
    def __call__(self, map: _Map, ordinal: _Number, value: _Value, *, pred: _Guard = ...) -> None:
        """Set the distance of the elements that a tensor map takes along a dimension. `tensormap.replace.tile.element_stride{.space}.b1024.b32 [map], ordinal, value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_elemtype_b1024_b32:
    def __call__(self, map: _Map, value: _Number, *, pred: _Guard = ...) -> None:
        """Set the element type of a tensor map. `tensormap.replace.tile.elemtype{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_fill_mode_b1024_b32:
    def __call__(self, map: _Map, value: _Number, *, pred: _Guard = ...) -> None:
        """Set what a tensor map gives outside its tensor. `tensormap.replace.tile.fill_mode{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_global_address_b1024_b64:
    def __call__(self, map: _Map, value: _Value, *, pred: _Guard = ...) -> None:
        """Set where the tensor of a tensor map starts in global memory. `tensormap.replace.tile.global_address{.space}.b1024.b64 [map], value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_global_dim_b1024_b32:
    def __call__(self, map: _Map, ordinal: _Number, value: _Value, *, pred: _Guard = ...) -> None:
        """Set an extent of a tensor map's tensor, in elements. `tensormap.replace.tile.global_dim{.space}.b1024.b32 [map], ordinal, value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_global_stride_b1024_b64:
    def __call__(self, map: _Map, ordinal: _Number, value: _Value, *, pred: _Guard = ...) -> None:
        """Set the distance in bytes between neighbours along a dimension. `tensormap.replace.tile.global_stride{.space}.b1024.b64 [map], ordinal, value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_interleave_layout_b1024_b32:
    def __call__(self, map: _Map, value: _Number, *, pred: _Guard = ...) -> None:
        """Set the interleaving of a tensor map. `tensormap.replace.tile.interleave_layout{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_rank_b1024_b32:
    def __call__(self, map: _Map, value: _Value, *, pred: _Guard = ...) -> None:
        """Set how many dimensions a tensor map has. `tensormap.replace.tile.rank{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_swizzle_atomicity_b1024_b32:
    def __call__(self, map: _Map, value: _Number, *, pred: _Guard = ...) -> None:
        """Set what a tensor map's swizzle keeps together. `tensormap.replace.tile.swizzle_atomicity{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace."""

class _call_tensormap_replace_tile_swizzle_mode_b1024_b32:
    def __call__(self, map: _Map, value: _Number, *, pred: _Guard = ...) -> None:
        """Set the swizzle of a tensor map. `tensormap.replace.tile.swizzle_mode{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace. Or: Set the swizzle of a tensor map to spans of 96 bytes. `tensormap.replace.tile.swizzle_mode{.space}.b1024.b32 [map], value;` PTX ISA: tensormap.replace."""

class _call_tex_grad_1d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy;` PTX ISA: tex.grad."""
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose, and compare depths. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy, depth;` PTX ISA: tex.grad."""
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose, with an offset. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy, offset;` PTX ISA: tex.grad."""
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, offset: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose, with an offset, and compare depths. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy, offset, depth;` PTX ISA: tex.grad."""

class _call_tex_grad_1d_v4_u32_s32:
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose. `tex.grad<.geom><.vec><.dtype>.s32 d{|p}, [a, coords], dx, dy;` PTX ISA: tex.grad."""
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose, with an offset. `tex.grad<.geom><.vec><.dtype>.s32 d{|p}, [a, coords], dx, dy, offset;` PTX ISA: tex.grad."""

class _call_tex_grad_3d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy;` PTX ISA: tex.grad."""
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose, with an offset. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy, offset;` PTX ISA: tex.grad."""

class _call_tex_grad_cube_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy;` PTX ISA: tex.grad."""
    @overload
    def __call__(self, a: _Map, coords: _Several, dx: _Several, dy: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read the level of a texture that slopes choose, and compare depths. `tex.grad<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], dx, dy, depth;` PTX ISA: tex.grad."""

class _call_tex_level_1d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod;` PTX ISA: tex.level."""
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture, and compare depths. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod, depth;` PTX ISA: tex.level."""
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture, with an offset. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod, offset;` PTX ISA: tex.level."""
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, offset: _Value | _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture, with an offset, and compare depths. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod, offset, depth;` PTX ISA: tex.level."""

class _call_tex_level_1d_v4_u32_s32:
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture. `tex.level<.geom><.vec><.dtype>.s32 d{|p}, [a, coords], lod;` PTX ISA: tex.level."""
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture, with an offset. `tex.level<.geom><.vec><.dtype>.s32 d{|p}, [a, coords], lod, offset;` PTX ISA: tex.level."""

class _call_tex_level_3d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod;` PTX ISA: tex.level."""
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture, with an offset. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod, offset;` PTX ISA: tex.level."""

class _call_tex_level_cube_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod;` PTX ISA: tex.level."""
    @overload
    def __call__(self, a: _Map, coords: _Several, lod: _Value, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """Read a level of a texture, and compare depths. `tex.level<.geom><.vec><.dtype>.f32 d{|p}, [a, coords], lod, depth;` PTX ISA: tex.level."""

class _call_tld4_r_2d_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """One component of the four texels that a filter would blend. `tld4<.comp><.geom>.v4<.dtype>.f32 d{|p}, [a, coords];` PTX ISA: tld4."""
    @overload
    def __call__(self, a: _Map, coords: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """One component of the four texels that a filter would blend, and compare depths. `tld4<.comp><.geom>.v4<.dtype>.f32 d{|p}, [a, coords], depth;` PTX ISA: tld4."""
    @overload
    def __call__(self, a: _Map, coords: _Several, offset: _Value | _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """One component of the four texels that a filter would blend, with an offset. `tld4<.comp><.geom>.v4<.dtype>.f32 d{|p}, [a, coords], offset;` PTX ISA: tld4."""
    @overload
    def __call__(self, a: _Map, coords: _Several, offset: _Value | _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """One component of the four texels that a filter would blend, with an offset, and compare depths. `tld4<.comp><.geom>.v4<.dtype>.f32 d{|p}, [a, coords], offset, depth;` PTX ISA: tld4."""

class _call_tld4_r_cube_v4_u32_f32:
    @overload
    def __call__(self, a: _Map, coords: _Several, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """One component of the four texels that a filter would blend. `tld4<.comp><.geom>.v4<.dtype>.f32 d{|p}, [a, coords];` PTX ISA: tld4."""
    @overload
    def __call__(self, a: _Map, coords: _Several, depth: _Value, *, d: _Result | _Several = ..., p: _Result | bool = ..., pred: _Guard = ...) -> Registers:
        """One component of the four texels that a filter would blend, and compare depths. `tld4<.comp><.geom>.v4<.dtype>.f32 d{|p}, [a, coords], depth;` PTX ISA: tld4."""

class _call_vshl_u32_u32_u32_clamp_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift an integer, or a byte or half of it, to the left, then the sum with `c`, or the smaller or larger of the two. `vshl<.dtype><.atype><.btype>{.sat}<.mode><.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vshl."""

class _call_vshr_u32_u32_u32_clamp_add:
    def __call__(self, a: _Value, b: _Value, c: _Value, *, d: _Result = ..., pred: _Guard = ...) -> Any:
        """Shift an integer, or a byte or half of it, to the right, then the sum with `c`, or the smaller or larger of the two. `vshr<.dtype><.atype><.btype>{.sat}<.mode><.op2> d, a, b, c;` PTX ISA: Scalar Video Instructions: vshr."""

class _call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal:
    def __call__(self, map: _Map, coords: _Several, offsets: _Several = ..., *, pred: _Guard = ...) -> None:
        """Give a part of a tensor the ordinary eviction priority in the L2 cache. `applypriority.async.bulk.tensor<.dim>{.global}{.mode}.bulk_group.L2::evict_normal [map, coords]{, offsets};` PTX ISA: applypriority.async.bulk.tensor."""

class _call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to shared memory of the cluster; the mbarriers count them and keep a report. `cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes<.report>{.multicast::cluster}{::16b}{.L2::cache_hint}{.b128} [dst], [src], size, [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, mask: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to shared memory of some of up to 32 CTAs of the cluster. `cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes{.report}.multicast::cluster::32b{.L2::cache_hint}{.b128} [dst], [src], size, [mbar], mask{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob:
    def __call__(self, dst: _Place, src: _Place, size: _Value, left: _Value, right: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes of which some at either end may lie outside of an allocation; what is written for them is anything. `cp.async.bulk{.weak}.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}.ignore_oob{.b128} [dst], [src], size, left, right, [mbar]{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them and keeps a report. `cp.async.bulk{.weak}.shared::cta.global.mbarrier::complete_tx::bytes<.report>{.L2::cache_hint}{.b128} [dst], [src], size, [mbar]{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_prefetch_L2_global_L2_evict_last:
    def __call__(self, src: _Place, size: _Value, *, pred: _Guard = ...) -> None:
        """Bring bytes of global memory into the L2 cache, to be kept there longest. `cp.async.bulk.prefetch.L2.global.L2::evict_last [src], size;` PTX ISA: cp.async.bulk.prefetch."""

class _call_fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_b128:
    def __call__(self, dst: _Place, endpoint: _Value, offset: _Value, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes of another device's memory to shared memory. `fabric.try_get.async{.relaxed}{.sys}.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.L2::cache_hint}.b128 [dst], [endpoint, offset], size, [mbar]{, policy};` PTX ISA: fabric.try_get."""

class _call_fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_b128:
    def __call__(self, endpoint: _Value, offset: _Value, src: _Place, size: _Value, mbar: _Place, bytemask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes of shared memory to another device's memory. `fabric.try_put.async{.relaxed}{.sys}{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.cp_mask}{.L2::cache_hint}.b128 [endpoint, offset], [src], size, [mbar]{, bytemask}{, policy};` PTX ISA: fabric.try_put."""

class _call_ldmatrix_sync_aligned_m16n16_x1_trans_b8:
    def __call__(self, src: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load 16x16 matrices of bytes, turned around: `.trans` is part of the form. `ldmatrix.sync.aligned.m16n16<.num>.trans{.shared{::cta}}.b8 d, [src];` PTX ISA: ldmatrix."""

class _call_ldmatrix_sync_aligned_m8n16_x1_b8x16_b6x16_p32:
    def __call__(self, src: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load 8x16 matrices of 6-bit or 4-bit elements, each into a byte of its own. `ldmatrix.sync.aligned.m8n16<.num>{.shared{::cta}}.b8x16<.source> d, [src];` PTX ISA: ldmatrix."""

class _call_ldmatrix_sync_aligned_m8n16_x1_s8_s4:
    def __call__(self, src: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load 8x16 matrices of signed 4-bit integers, each into a byte of its own. `ldmatrix.sync.aligned.m8n16<.num>{.shared{::cta}}.s8.s4 d, [src];` PTX ISA: ldmatrix."""

class _call_multimem_cp_async_bulk_global_shared_cta_bulk_group:
    def __call__(self, dst: _Place, src: _Place, size: _Value, bytemask: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from shared memory to every replica; bulk groups complete it. `multimem.cp.async.bulk{.weak}.global.shared::cta.bulk_group{.cp_mask}{.b128} [dst], [src], size{, bytemask};` PTX ISA: multimem.cp.async.bulk."""

class _call_multimem_red_async_release_gpu_add_u32:
    def __call__(self, a: _Place, b: _Value, *, pred: _Guard = ...) -> None:
        """Add to every replica in the background, behind what this thread stored before. `multimem.red.async.release<.scope>{.global}.add<.type> [a], b;` PTX ISA: multimem.red.async."""

class _call_red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32:
    def __call__(self, a: _Place, b: _Value, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Change shared memory of a CTA of the cluster in the background; an mbarrier there counts the bytes. `red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes<.op><.type> [a], b, [mbar];` PTX ISA: red.async."""

class _call_stmatrix_sync_aligned_m16n8_x1_trans_b8:
    def __call__(self, dst: _Place, s: _Several, *, pred: _Guard = ...) -> None:
        """Store 16x8 matrices of bytes, turned around: `.trans` is part of the form. `stmatrix.sync.aligned.m16n8<.num>.trans{.shared{::cta}}.b8 [dst], s;` PTX ISA: stmatrix."""

class _call_tcgen05_ld_sync_aligned_16x64b_x1_b32:
    def __call__(self, taddr: _Place, *, r: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load tensor memory into registers. `tcgen05.ld.sync.aligned<.shape><.num>{.pack::16b}.b32 r, [taddr];` PTX ISA: tcgen05.ld."""

class _call_tcgen05_ld_sync_aligned_16x32bx2_x1_b32:
    def __call__(self, taddr: _Place, half: _Number, *, r: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load tensor memory into registers, in two parts. `tcgen05.ld.sync.aligned.16x32bx2<.num>{.pack::16b}.b32 r, [taddr], half;` PTX ISA: tcgen05.ld."""

class _call_tcgen05_st_sync_aligned_16x64b_x1_b32:
    def __call__(self, taddr: _Place, r: _Several, *, pred: _Guard = ...) -> None:
        """Store registers in tensor memory. `tcgen05.st.sync.aligned<.shape><.num>{.unpack::16b}.b32 [taddr], r;` PTX ISA: tcgen05.st."""

class _call_tcgen05_st_sync_aligned_16x32bx2_x1_b32:
    def __call__(self, taddr: _Place, half: _Number, r: _Several, *, pred: _Guard = ...) -> None:
        """Store registers in tensor memory, in two parts. `tcgen05.st.sync.aligned.16x32bx2<.num>{.unpack::16b}.b32 [taddr], half, r;` PTX ISA: tcgen05.st."""

class _call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address:
    def __call__(self, map: _Map, gaddr: _Value, coords: _Several, offsets: _Several = ..., *, pred: _Guard = ...) -> None:
        """Give a part of a tensor the ordinary eviction priority in the L2 cache; the tensor lies elsewhere than its map says. `applypriority.async.bulk.tensor<.dim>{.global}{.mode}.bulk_group.L2::evict_normal.override::global_address [map, gaddr, coords]{, offsets};` PTX ISA: applypriority.async.bulk.tensor."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global:
    def __call__(self, map: _Map, coords: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy. `cp.async.bulk.prefetch.tensor<.dim>.L2.global{.tile}{.L2::cache_hint} [map, coords]{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load a box of a tensor into shared memory; the mbarrier counts its bytes. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint} [dst], [map, coords], [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load a box of a tensor into shared memory; the mbarrier counts its bytes. `cp.async.bulk.tensor<.dim>.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.L2::cache_hint} [dst], [map, coords], [mbar]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store a box from shared memory into a tensor; elements outside the tensor are dropped. `cp.async.bulk.tensor<.dim>.global.shared::cta{.tile}.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_b128:
    def __call__(self, endpoint: _Value, offset: _Value, counter: _Value, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes of shared memory to another device's memory, which counts them. `fabric.try_put.async{.relaxed}{.sys}{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.L2::cache_hint}.b128 [endpoint, offset, counter], [src], size, [mbar]{, policy};` PTX ISA: fabric.try_put."""

class _call_fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32:
    def __call__(self, endpoint: _Value, offset: _Value, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine numbers in shared memory with those in another device's memory, each atomically. `fabric.try_red.async{.relaxed}{.sys}{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}<.op><.type> [endpoint, offset], [src], size, [mbar]{, policy};` PTX ISA: fabric.try_red."""

class _call_ldmatrix_sync_aligned_m16n16_x1_trans_b8x16_b6x16_p32:
    def __call__(self, src: _Place, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load 16x16 matrices of 6-bit or 4-bit elements, each into a byte of its own. `ldmatrix.sync.aligned.m16n16<.num>.trans{.shared{::cta}}.b8x16<.source> d, [src];` PTX ISA: ldmatrix."""

class _call_wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, trans_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A in registers, B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, scale_d, scale_a, scale_b, trans_b;` PTX ISA: wgmma.mma_async."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, trans_a: _Number, trans_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A and B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, scale_d, scale_a, scale_b, trans_a, trans_b;` PTX ISA: wgmma.mma_async."""

class _call_wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A in registers, B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A and B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async."""

class _call_wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, scale_d: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A in registers, B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype>{.satfinite} d, a, b, scale_d;` PTX ISA: wgmma.mma_async."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, scale_d: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A and B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype>{.satfinite} d, a, b, scale_d;` PTX ISA: wgmma.mma_async."""

class _call_wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A in registers, B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A and B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_b1:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_bf16:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_f16:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_f64:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_s4:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_s8:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_a_sync_aligned_row_m8n8k128_tf32:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix A from memory. `wmma.load.a.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_b1:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_bf16:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_f16:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_f64:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_s4:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_s8:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_b_sync_aligned_row_m8n8k128_tf32:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix B from memory. `wmma.load.b.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_load_c_sync_aligned_row_m16n16k16_f16:
    def __call__(self, src: _Place, stride: _Value = ..., *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Load the fragments of a matrix C from memory. `wmma.load.c.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};` PTX ISA: wmma.load."""

class _call_wmma_store_d_sync_aligned_row_m16n16k16_f16:
    def __call__(self, dst: _Place, s: _Several, stride: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store the fragments of a matrix D to memory. `wmma.store.d.sync.aligned<.layout><.shape>{.space}<.type> [dst], s{, stride};` PTX ISA: wmma.store."""

class _call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address_override_global_dim:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, coords: _Several, *, pred: _Guard = ...) -> None:
        """Give a part of a tensor the ordinary eviction priority in the L2 cache; the tensor lies elsewhere, and has another size, than its map says. `applypriority.async.bulk.tensor<.dim>{.global}{.mode}.bulk_group.L2::evict_normal.override::global_address.override::global_dim [map, gaddr, sizes, coords];` PTX ISA: applypriority.async.bulk.tensor."""

class _call_applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal_override_global_address_override_global_dim_stride:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, strides: _Several, high: _Value, coords: _Several, *, pred: _Guard = ...) -> None:
        """Give a part of a tensor the ordinary eviction priority in the L2 cache; the tensor lies elsewhere, and has other sizes and strides, than its map says. `applypriority.async.bulk.tensor<.dim>{.global}{.mode}.bulk_group.L2::evict_normal.override::global_address.override::global_dim_stride [map, gaddr, sizes, strides, high, coords];` PTX ISA: applypriority.async.bulk.tensor."""

class _call_cp_async_bulk_relaxed_cta_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Copy bytes from this CTA's shared memory to another CTA's of the cluster, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [dst], [src], size, [mbar];` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to shared memory of the cluster, or of several of its CTAs, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint}.b128 [dst], [src], size, [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, policy: _Value = ..., bytemask: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from shared to global memory; bulk groups complete it, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}.b128 [dst], [src], size{, policy}{, bytemask};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}.b128 [dst], [src], size, [mbar]{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col:
    def __call__(self, map: _Map, coords: _Several, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy. `cp.async.bulk.prefetch.tensor<.dim>.L2.global.im2col{.L2::cache_hint} [map, coords], offsets{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w:
    def __call__(self, map: _Map, coords: _Several, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy. `cp.async.bulk.prefetch.tensor<.dim>.L2.global.im2col::w{.L2::cache_hint} [map, coords], offsets{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128:
    def __call__(self, map: _Map, coords: _Several, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy. `cp.async.bulk.prefetch.tensor<.dim>.L2.global.im2col::w::128{.L2::cache_hint} [map, coords], offsets{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4:
    def __call__(self, map: _Map, coords: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy. `cp.async.bulk.prefetch.tensor<.dim>.L2.global.tile::gather4{.L2::cache_hint} [map, coords]{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address:
    def __call__(self, map: _Map, gaddr: _Value, coords: _Several, offsets: _Several = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy; the tensor lies elsewhere than its map says. `cp.async.bulk.prefetch.tensor<.dim>.L2.global{.mode}.override::global_address{.hint} [map, gaddr, coords]{, offsets}{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last:
    def __call__(self, map: _Map, coords: _Several, offsets: _Several = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy, to be kept there longest. `cp.async.bulk.prefetch.tensor<.dim>.L2.global{.mode}.L2::evict_last [map, coords]{, offsets};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several = ..., mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the mbarriers count the bytes and keep a report. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes<.report>{.cast}{.group}{.L2::cache_hint} [dst], [map, coords], [mbar]{, offsets}{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, mask: _Value, offsets: _Several = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor into shared memory of some of up to 32 CTAs of the cluster. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes.multicast::cluster::32b{.group}{.L2::cache_hint} [dst], [map, coords], [mbar]{, offsets}, mask{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load a box of a tensor into shared memory; the mbarrier counts its bytes; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}<.group>{.L2::cache_hint} [dst], [map, coords], [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address:
    def __call__(self, dst: _Place, map: _Map, gaddr: _Value, coords: _Several, mbar: _Place, offsets: _Several = ..., mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the tensor lies elsewhere than its map says. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes{.report}{.cast}{.group}.override::global_address{.L2::cache_hint} [dst], [map, gaddr, coords], [mbar]{, offsets}{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled for a convolution. `cp.async.bulk.tensor<.dim>.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled along W alone. `cp.async.bulk.tensor<.dim>.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load 128 pixels of an image tensor, unrolled along W alone. `cp.async.bulk.tensor<.dim>.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load four rows of a matrix that need not be neighbours. `cp.async.bulk.tensor<.dim>.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}{.L2::cache_hint} [dst], [map, coords], [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the mbarriers count the bytes and keep a report. `cp.async.bulk.tensor<.dim>.shared::cta.global{.mode}.mbarrier::complete_tx::bytes<.report>{.group}{.L2::cache_hint} [dst], [map, coords], [mbar]{, offsets}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load a box of a tensor into shared memory; the mbarrier counts its bytes; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cta.global{.tile}.mbarrier::complete_tx::bytes<.group>{.L2::cache_hint} [dst], [map, coords], [mbar]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address:
    def __call__(self, dst: _Place, map: _Map, gaddr: _Value, coords: _Several, mbar: _Place, offsets: _Several = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the tensor lies elsewhere than its map says. `cp.async.bulk.tensor<.dim>.shared::cta.global{.mode}.mbarrier::complete_tx::bytes{.report}{.group}.override::global_address{.L2::cache_hint} [dst], [map, gaddr, coords], [mbar]{, offsets}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled for a convolution. `cp.async.bulk.tensor<.dim>.shared::cta.global.im2col.mbarrier::complete_tx::bytes{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled along W alone. `cp.async.bulk.tensor<.dim>.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load 128 pixels of an image tensor, unrolled along W alone. `cp.async.bulk.tensor<.dim>.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load four rows of a matrix that need not be neighbours. `cp.async.bulk.tensor<.dim>.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes{.L2::cache_hint} [dst], [map, coords], [mbar]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address:
    def __call__(self, map: _Map, gaddr: _Value, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store into a tensor; elements outside of it are dropped; the tensor lies elsewhere than its map says. `cp.async.bulk.tensor<.dim>.global.shared::cta{.mode}.bulk_group.override::global_address{.L2::cache_hint} [map, gaddr, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store pixels of an image tensor. `cp.async.bulk.tensor<.dim>.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store pixels of an image tensor, along W alone. `cp.async.bulk.tensor<.dim>.global.shared::cta.im2col_no_offs::w.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store four rows of a matrix that need not be neighbours. `cp.async.bulk.tensor<.dim>.global.shared::cta.tile::scatter4.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, *, pred: _Guard = ...) -> None:
        """Combine this CTA's shared memory with another CTA's of the cluster, each element atomically. `cp.reduce.async.bulk{.sem}{.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes<.op><.type> [dst], [src], size, [mbar];` PTX ISA: cp.reduce.async.bulk."""

class _call_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32:
    def __call__(self, dst: _Place, src: _Place, size: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine shared memory with global memory, each element atomically; bulk groups complete it. `cp.reduce.async.bulk{.sem}{.scope}.global.shared::cta.bulk_group{.L2::cache_hint}<.op>{.noftz}<.type> [dst], [src], size{, policy};` PTX ISA: cp.reduce.async.bulk."""

class _call_fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32:
    def __call__(self, endpoint: _Value, offset: _Value, counter: _Value, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine numbers in shared memory with those in another device's memory, each atomically, which counts the bytes. `fabric.try_red.async{.relaxed}{.sys}{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.L2::cache_hint}<.op><.type> [endpoint, offset, counter], [src], size, [mbar]{, policy};` PTX ISA: fabric.try_red."""

class _call_tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32:
    def __call__(self, taddr: _Place, *, r: _Result | _Several = ..., reduced: _Result = ..., pred: _Guard = ...) -> tuple[Registers, b32]:
        """Load tensor memory into registers, with the smallest or largest of the values. `tcgen05.ld.red.sync.aligned.32x32b<.num><.op><.type> r, reduced, [taddr];` PTX ISA: tcgen05.ld."""

class _call_tcgen05_ld_red_sync_aligned_32x32b_x2_min_f32:
    def __call__(self, taddr: _Place, *, r: _Result | _Several = ..., reduced: _Result = ..., pred: _Guard = ...) -> tuple[Registers, b32]:
        """Load tensor memory into registers, with the smallest or largest of the values. `tcgen05.ld.red.sync.aligned.32x32b<.num><.op>{.abs}{.NaN}<.type> r, reduced, [taddr];` PTX ISA: tcgen05.ld."""

class _call_tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32:
    def __call__(self, taddr: _Place, half: _Number, *, r: _Result | _Several = ..., reduced: _Result = ..., pred: _Guard = ...) -> tuple[Registers, b32]:
        """Load tensor memory into registers, with the smallest or largest of the values. `tcgen05.ld.red.sync.aligned.16x32bx2<.num><.op><.type> r, reduced, [taddr], half;` PTX ISA: tcgen05.ld."""

class _call_tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_f32:
    def __call__(self, taddr: _Place, half: _Number, *, r: _Result | _Several = ..., reduced: _Result = ..., pred: _Guard = ...) -> tuple[Registers, b32]:
        """Load tensor memory into registers, with the smallest or largest of the values. `tcgen05.ld.red.sync.aligned.16x32bx2<.num><.op>{.abs}{.NaN}<.type> r, reduced, [taddr], half;` PTX ISA: tcgen05.ld."""

class _call_tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta_sync_aligned:
    def __call__(self, dst: _Place, src: _Place, size: _Number, *, pred: _Guard = ...) -> None:
        """Copy a tensor map from shared to global memory and publish it for copies through it. `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release<.scope>.sync.aligned [dst], [src], size;` PTX ISA: tensormap.cp_fenceproxy."""

class _call_wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, trans_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A in registers, B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, meta, selector, scale_d, scale_a, scale_b, trans_b;` PTX ISA: wgmma.mma_async.sp."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, trans_a: _Number, trans_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A and B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, meta, selector, scale_d, scale_a, scale_b, trans_a, trans_b;` PTX ISA: wgmma.mma_async.sp."""

class _call_wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A in registers, B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, meta, selector, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async.sp."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A and B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, meta, selector, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async.sp."""

class _call_wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A in registers, B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype>{.satfinite} d, a, b, meta, selector, scale_d;` PTX ISA: wgmma.mma_async.sp."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A and B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype>{.satfinite} d, a, b, meta, selector, scale_d;` PTX ISA: wgmma.mma_async.sp."""

class _call_wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A in registers, B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, meta, selector, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async.sp."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, meta: _Value, selector: _Number, scale_d: _Predicate | bool, scale_a: _Number, scale_b: _Number, *, pred: _Guard = ...) -> None:
        """D = A·B + D with a sparse A, A and B in shared memory. `wgmma.mma_async.sp.sync.aligned<.shape><.dtype><.atype><.btype> d, a, b, meta, selector, scale_d, scale_a, scale_b;` PTX ISA: wgmma.mma_async.sp."""

class _call_wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of f16. `wmma.mma.sync.aligned<.alayout><.blayout><.shape><.dtype><.ctype> d, a, b, c;` PTX ISA: wmma.mma."""

class _call_cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to shared memory of the cluster; the mbarriers count them and keep a report, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cluster.global.mbarrier::complete_tx::bytes<.report>{.multicast::cluster}{::16b}{.L2::cache_hint}.b128 [dst], [src], size, [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, mask: _Value, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to shared memory of some of up to 32 CTAs of the cluster, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cluster.global.mbarrier::complete_tx::bytes{.report}.multicast::cluster::32b{.L2::cache_hint}.b128 [dst], [src], size, [mbar], mask{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, left: _Value, right: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes of which some at either end may lie outside of an allocation; what is written for them is anything, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}.ignore_oob.b128 [dst], [src], size, left, right, [mbar]{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from global memory to this CTA's shared memory; the mbarrier counts them and keeps a report, 16 bytes at once with respect to a scope. `cp.async.bulk.relaxed<.scope>.shared::cta.global.mbarrier::complete_tx::bytes<.report>{.L2::cache_hint}.b128 [dst], [src], size, [mbar]{, policy};` PTX ISA: cp.async.bulk."""

class _call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, coords: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy; the tensor lies elsewhere, and has another size, than its map says. `cp.async.bulk.prefetch.tensor<.dim>.L2.global{.mode}.override::global_address.override::global_dim{.hint} [map, gaddr, sizes, coords]{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, strides: _Several, high: _Value, coords: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Bring into the L2 cache what a load of this kind would copy; the tensor lies elsewhere, and has other sizes and strides, than its map says. `cp.async.bulk.prefetch.tensor<.dim>.L2.global{.mode}.override::global_address.override::global_dim_stride{.hint} [map, gaddr, sizes, strides, high, coords]{, policy};` PTX ISA: cp.async.bulk.prefetch.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim:
    def __call__(self, dst: _Place, map: _Map, gaddr: _Value, sizes: _Several, coords: _Several, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the tensor lies elsewhere, and has another size, than its map says. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes{.report}{.cast}{.group}.override::global_address.override::global_dim{.L2::cache_hint} [dst], [map, gaddr, sizes, coords], [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled for a convolution; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}<.group>{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled along W alone; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}<.group>{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load 128 pixels of an image tensor, unrolled along W alone; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}<.group>{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load four rows of a matrix that need not be neighbours; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{.multicast::cluster}{::16b}<.group>{.L2::cache_hint} [dst], [map, coords], [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim:
    def __call__(self, dst: _Place, map: _Map, gaddr: _Value, sizes: _Several, coords: _Several, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the tensor lies elsewhere, and has another size, than its map says. `cp.async.bulk.tensor<.dim>.shared::cta.global{.mode}.mbarrier::complete_tx::bytes{.report}{.group}.override::global_address.override::global_dim{.L2::cache_hint} [dst], [map, gaddr, sizes, coords], [mbar]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled for a convolution; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cta.global.im2col.mbarrier::complete_tx::bytes<.group>{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load pixels of an image tensor, unrolled along W alone; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes<.group>{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, offsets: _Several, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load 128 pixels of an image tensor, unrolled along W alone; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes<.group>{.L2::cache_hint} [dst], [map, coords], [mbar], offsets{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1:
    def __call__(self, dst: _Place, map: _Map, coords: _Several, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load four rows of a matrix that need not be neighbours; the mbarrier may be the other CTA's of a pair. `cp.async.bulk.tensor<.dim>.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes<.group>{.L2::cache_hint} [dst], [map, coords], [mbar]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store into a tensor; elements outside of it are dropped; the tensor lies elsewhere, and has another size, than its map says. `cp.async.bulk.tensor<.dim>.global.shared::cta{.mode}.bulk_group.override::global_address.override::global_dim{.L2::cache_hint} [map, gaddr, sizes, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride:
    def __call__(self, dst: _Place, map: _Map, gaddr: _Value, sizes: _Several, strides: _Several, high: _Value, coords: _Several, mbar: _Place, mask: _Value = ..., policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the tensor lies elsewhere, and has other sizes and strides, than its map says. `cp.async.bulk.tensor<.dim>.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes{.report}{.cast}{.group}.override::global_address.override::global_dim_stride{.L2::cache_hint} [dst], [map, gaddr, sizes, strides, high, coords], [mbar]{, mask}{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride:
    def __call__(self, dst: _Place, map: _Map, gaddr: _Value, sizes: _Several, strides: _Several, high: _Value, coords: _Several, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Load from a tensor; the tensor lies elsewhere, and has other sizes and strides, than its map says. `cp.async.bulk.tensor<.dim>.shared::cta.global{.mode}.mbarrier::complete_tx::bytes{.report}{.group}.override::global_address.override::global_dim_stride{.L2::cache_hint} [dst], [map, gaddr, sizes, strides, high, coords], [mbar]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, strides: _Several, high: _Value, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Store into a tensor; elements outside of it are dropped; the tensor lies elsewhere, and has other sizes and strides, than its map says. `cp.async.bulk.tensor<.dim>.global.shared::cta{.mode}.bulk_group.override::global_address.override::global_dim_stride{.L2::cache_hint} [map, gaddr, sizes, strides, high, coords], [src]{, policy};` PTX ISA: cp.async.bulk.tensor."""

class _call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine a box in shared memory with a tensor, each element atomically. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>{.tile}.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32:
    def __call__(self, endpoint: _Value, offset: _Value, dst: _Place, src: _Place, mbar: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Change a number in another device's memory atomically, and bring what was there. `fabric.try_atom.async.relaxed.sys.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}<.op><.type> [endpoint, offset], [dst], [src], [mbar]{, policy};` PTX ISA: fabric.try_atom."""

class _call_fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32:
    def __call__(self, dst: _Place, endpoint: _Value, offset: _Value, size: _Value, mbar: _Place, mask: _Number, *, pred: _Guard = ...) -> None:
        """Combine the replicas of numbers in the memories of several devices, and copy the results to shared memory. `fabric.try_pullred.async{.relaxed}{.sys}.sync.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric<.op>{.acc}<.type> [dst], [endpoint, offset], size, [mbar], mask;` PTX ISA: fabric.try_pullred."""

class _call_mma_sync_aligned_m8n8k128_row_row_s32_s4_s4_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 4-bit integers in s32, clamped with .satfinite, else modulo 2^32. `mma.sync.aligned<.shape><.alayout><.blayout>{.satfinite}<.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k128_row_row_s32_s8_s8_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 8-bit integers in s32, clamped with .satfinite, else modulo 2^32. `mma.sync.aligned<.shape><.alayout><.blayout>{.satfinite}<.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k128_row_row_f64_f64_f64_f64:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of f64. `mma.sync.aligned<.shape><.alayout><.blayout>{.rnd}.f64.f64.f64.f64 d, a, b, c;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 8-bit floats. `mma.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k128_row_row_f16_f16_f16_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of f16 or bf16. `mma.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k128_row_row_f32_tf32_tf32_f32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of tf32 in f32. `mma.sync.aligned<.shape><.alayout><.blayout><.dtype>.tf32.tf32<.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k4_row_row_f16_f16_f16_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """Four products of 8 x 4 by 4 x 8 matrices, one by each group of eight lanes; made for sm_70, slow elsewhere. `mma.sync.aligned.m8n8k4<.alayout><.blayout><.dtype>.f16.f16<.ctype> d, a, b, c;` PTX ISA: mma. Or: D = A·B + C of f16 or bf16. `mma.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128:
    def __call__(self, dst: _Place, src: _Place, size: _Value, bytemask: _Value = ..., *, pred: _Guard = ...) -> None:
        """Copy bytes from shared memory to every replica, 16 bytes at once with respect to a scope. `multimem.cp.async.bulk.relaxed<.scope>.global.shared::cta.bulk_group{.cp_mask}.b128 [dst], [src], size{, bytemask};` PTX ISA: multimem.cp.async.bulk."""

class _call_multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32:
    def __call__(self, dst: _Place, src: _Place, size: _Value, *, pred: _Guard = ...) -> None:
        """Combine shared memory with every replica behind a multicast address; bulk groups complete it. `multimem.cp.reduce.async.bulk{.sem}{.scope}.global.shared::cta.bulk_group<.op>{.noftz}<.type> [dst], [src], size;` PTX ISA: multimem.cp.reduce.async.bulk."""

class _call_wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and_popc:
    @overload
    def __call__(self, d: _Several, a: _Several, b: _Value, scale_d: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A in registers, B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype>.and.popc d, a, b, scale_d;` PTX ISA: wgmma.mma_async."""
    @overload
    def __call__(self, d: _Several, a: _Value, b: _Value, scale_d: _Predicate | bool, *, pred: _Guard = ...) -> None:
        """D = A·B + D on a 64 x N tile, A and B in shared memory. `wgmma.mma_async.sync.aligned<.shape><.dtype><.atype><.btype>.and.popc d, a, b, scale_d;` PTX ISA: wgmma.mma_async."""

class _call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address:
    def __call__(self, map: _Map, gaddr: _Value, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine what lies in shared memory with a tensor, each element atomically; the tensor lies elsewhere than its map says. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>{.mode}.bulk_group.override::global_address{.L2::cache_hint} [map, gaddr, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine pixels with an image tensor, each element atomically. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>.im2col_no_offs.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine pixels along W with an image tensor, each element atomically. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>.im2col_no_offs::w.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group:
    def __call__(self, map: _Map, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine four rows with rows of a matrix that need not be neighbours, each element atomically. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>.tile::scatter4.bulk_group{.L2::cache_hint} [map, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of floats of 8, 6 and 4 bits, each in a byte. `mma.sync.aligned<.shape><.alayout><.blayout>.kind::f8f6f4<.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: mma."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 8-bit floats, two of every four elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c, meta, selector;` PTX ISA: mma.sp."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of f16 or bf16, two of every four elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c, meta, selector;` PTX ISA: mma.sp."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32_tf32_f32:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of tf32, one of every two elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c, meta, selector;` PTX ISA: mma.sp."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 4-bit integers, two of every four pairs of elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout>{.satfinite}<.dtype><.atype><.btype><.ctype> d, a, b, c, meta, selector;` PTX ISA: mma.sp."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 8-bit integers, two of every four elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout>{.satfinite}<.dtype><.atype><.btype><.ctype> d, a, b, c, meta, selector;` PTX ISA: mma.sp."""

class _call_tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2:
    def __call__(self, taddr: _Place, *, indices: _Result | _Several = ..., kept: _Result | _Several = ..., pred: _Guard = ...) -> tuple[Registers, Registers]:
        """Load tensor memory into registers, the smallest or largest two of every four numbers. `tcgen05.ld.spcompress.sync.aligned.32x32b<.num>.sp::2:4<.op>{.abs}.f32.b2 indices, kept, [taddr];` PTX ISA: tcgen05.ld."""

class _call_wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16_f32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of bf16 in f32. `wmma.mma.sync.aligned<.alayout><.blayout><.shape><.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: wmma.mma."""

class _call_wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32_tf32_f32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of tf32 in f32. `wmma.mma.sync.aligned<.alayout><.blayout><.shape><.dtype><.atype><.btype><.ctype> d, a, b, c;` PTX ISA: wmma.mma."""

class _call_wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64_f64_f64:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of f64. `wmma.mma.sync.aligned<.alayout><.blayout><.shape>{.rnd}.f64.f64.f64.f64 d, a, b, c;` PTX ISA: wmma.mma."""

class _call_wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 4-bit integers in s32. `wmma.mma.sync.aligned<.alayout><.blayout><.shape><.dtype><.atype><.btype><.ctype>{.satfinite} d, a, b, c;` PTX ISA: wmma.mma."""

class _call_wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 8-bit integers in s32. `wmma.mma.sync.aligned<.alayout><.blayout><.shape><.dtype><.atype><.btype><.ctype>{.satfinite} d, a, b, c;` PTX ISA: wmma.mma."""

class _call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine what lies in shared memory with a tensor, each element atomically; the tensor lies elsewhere, and has another size, than its map says. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>{.mode}.bulk_group.override::global_address.override::global_dim{.L2::cache_hint} [map, gaddr, sizes, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride:
    def __call__(self, map: _Map, gaddr: _Value, sizes: _Several, strides: _Several, high: _Value, coords: _Several, src: _Place, policy: _Value = ..., *, pred: _Guard = ...) -> None:
        """Combine what lies in shared memory with a tensor, each element atomically; the tensor lies elsewhere, and has other sizes and strides, than its map says. `cp.reduce.async.bulk.tensor<.dim>.global.shared::cta<.op>{.mode}.bulk_group.override::global_address.override::global_dim_stride{.L2::cache_hint} [map, gaddr, sizes, strides, high, coords], [src]{, policy};` PTX ISA: cp.reduce.async.bulk.tensor."""

class _call_mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor_popc:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = C + the number of ones in (row of A) xor, or and, (column of B). `mma.sync.aligned<.shape><.alayout><.blayout><.dtype>.b1.b1<.ctype><.bitop>.popc d, a, b, c;` PTX ISA: mma."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of floats of 8, 6 and 4 bits, two of every four elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout>.kind::f8f6f4<.dtype><.atype><.btype><.ctype> d, a, b, c, meta, selector;` PTX ISA: mma.sp."""

class _call_tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2:
    def __call__(self, taddr: _Place, *, indices: _Result | _Several = ..., kept: _Result | _Several = ..., reduced: _Result = ..., pred: _Guard = ...) -> tuple[Registers, Registers, b32]:
        """Load tensor memory into registers, the smallest or largest two of every four numbers, with the smallest or largest of all. `tcgen05.ld.red.spcompress.sync.aligned.32x32b<.num>.sp::2:4<.op>{.abs}.f32.b2 indices, kept, reduced, [taddr];` PTX ISA: tcgen05.ld."""

class _call_mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0:
    def __call__(self, a: _Several, b: _Several, c: _Several, scale_a: _Value, select_a: _Several, scale_b: _Value, select_b: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 4-bit floats, every 32 or 16 of a row of A and of a column of B with a scale. `mma.sync.aligned<.shape><.alayout><.blayout><.kind>.block_scale{.scale_vec}<.dtype>.e2m1.e2m1<.ctype><.stype> d, a, b, c, scale_a, select_a, scale_b, select_b;` PTX ISA: mma."""

class _call_mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0:
    def __call__(self, a: _Several, b: _Several, c: _Several, scale_a: _Value, select_a: _Several, scale_b: _Value, select_b: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of floats of 8, 6 and 4 bits, every 32 of a row of A and of a column of B with a scale. `mma.sync.aligned<.shape><.alayout><.blayout>.kind::mxf8f6f4.block_scale{.scale_vec}<.dtype><.atype><.btype><.ctype>.ue8m0 d, a, b, c, scale_a, select_a, scale_b, select_b;` PTX ISA: mma."""

class _call_wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1_b1_s32:
    def __call__(self, a: _Several, b: _Several, c: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = C + the number of ones in (row of A) xor, or and, (column of B). `wmma.mma<.bitop>.popc.sync.aligned<.alayout><.blayout><.shape><.dtype>.b1.b1<.ctype> d, a, b, c;` PTX ISA: wmma.mma."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, scale_a: _Value, select_a: _Several, scale_b: _Value, select_b: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of 4-bit floats with scales, two of every four pairs of elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout><.kind>.block_scale{.scale_vec}<.dtype><.atype><.btype><.ctype><.stype> d, a, b, c, meta, selector, scale_a, select_a, scale_b, select_b;` PTX ISA: mma.sp."""

class _call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0:
    def __call__(self, a: _Several, b: _Several, c: _Several, meta: _Value, selector: _Number, scale_a: _Value, select_a: _Several, scale_b: _Value, select_b: _Several, *, d: _Result | _Several = ..., pred: _Guard = ...) -> Registers:
        """D = A·B + C of floats of 8, 6 and 4 bits with scales, two of every four elements of a row of A given. `mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout>.kind::mxf8f6f4.block_scale{.scale_vec}<.dtype><.atype><.btype><.ctype>.ue8m0 d, a, b, c, meta, selector, scale_a, select_a, scale_b, select_b;` PTX ISA: mma.sp."""

class _abs:
    s16: _abs_s16
    s32: _abs_s16
    s64: _abs_s16
    bf16: _abs_bf16
    bf16x2: _abs_bf16
    ftz: _abs_ftz
    f16: _abs_f16
    f16x2: _abs_f16
    f32: _abs_f32
    f64: _abs_f64

class _activemask:
    b32: _activemask_b32

class _add:
    u16: _add_u16
    u32: _add_u16
    u64: _add_u16
    s16: _add_u16
    s32: _add_u16
    s64: _add_u16
    u16x2: _add_u16
    s16x2: _add_u16
    rn: _add_rn
    bf16: _add_bf16
    bf16x2: _add_bf16
    rz: _add_rz
    sat: _add_sat
    u8x4: _add_u8x4
    s8x4: _add_u8x4
    cc: _add_cc
    ftz: _add_ftz
    f16: _add_f16
    f16x2: _add_f16
    rm: _add_rm
    rp: _add_rm
    f32: _add_f32
    f32x2: _add_f32x2
    f64: _add_f64
    satfinite: _add_satfinite
    e4m3x4: _add_e4m3x4
    e5m2x4: _add_e4m3x4

class _addc:
    u32: _addc_u32
    s32: _addc_u32
    u64: _addc_u32
    s64: _addc_u32
    u16: _addc_u32
    s16: _addc_u32
    cc: _addc_cc
    sat: _addc_sat

class _alloca:
    u32: _alloca_u32
    u64: _alloca_u32

class _and:
    b16: _and_b16
    b32: _and_b16
    b64: _and_b16
    pred: _and_pred

class _applypriority:
    global_: _applypriority_global
    L2__evict_normal: _applypriority_L2_evict_normal
    async_: _applypriority_async

class _atom:
    relaxed: _atom_relaxed
    acquire: _atom_relaxed
    release: _atom_relaxed
    acq_rel: _atom_relaxed
    cta: _atom_cta
    cluster: _atom_cta
    gpu: _atom_cta
    sys: _atom_cta
    global_: _atom_global
    shared: _atom_shared
    shared__cta: _atom_shared
    shared__cluster: _atom_shared
    add: _atom_add
    and_: _atom_and
    or_: _atom_and
    xor: _atom_and
    cas: _atom_cas
    exch: _atom_exch
    min: _atom_min
    max: _atom_min
    inc: _atom_inc
    dec: _atom_inc

class _bar:
    arrive: _bar_arrive
    cta: _bar_cta
    red: _bar_red
    sync: _bar_sync
    warp: _bar_warp

class _barrier:
    arrive: _barrier_arrive
    cluster: _barrier_cluster
    cta: _barrier_cta
    red: _barrier_red
    sync: _barrier_sync

class _bfe:
    u32: _bfe_u32
    u64: _bfe_u32
    s32: _bfe_u32
    s64: _bfe_u32

class _bfi:
    b32: _bfi_b32
    b64: _bfi_b32

class _bfind:
    shiftamt: _bfind_shiftamt
    u32: _bfind_u32
    u64: _bfind_u32
    s32: _bfind_u32
    s64: _bfind_u32

class _bmsk:
    clamp: _bmsk_clamp
    wrap: _bmsk_clamp

class _bra(_call_bra):
    uni: _bra_uni

class _brev:
    b32: _brev_b32
    b64: _brev_b32

class _brkpt(_call_brkpt): ...

class _brx:
    idx: _brx_idx

class _call(_call_call):
    uni: _call_uni

class _clmad:
    lo: _clmad_lo
    hi: _clmad_lo

class _clusterlaunchcontrol:
    query_cancel: _clusterlaunchcontrol_query_cancel
    try_cancel: _clusterlaunchcontrol_try_cancel

class _clz:
    b32: _clz_b32
    b64: _clz_b32

class _cnot:
    b16: _cnot_b16
    b32: _cnot_b16
    b64: _cnot_b16

class _copysign:
    f32: _copysign_f32
    f64: _copysign_f64

class _cos:
    approx: _cos_approx

class _cp:
    async_: _cp_async
    reduce: _cp_reduce

class _createpolicy:
    cvt: _createpolicy_cvt
    fractional: _createpolicy_fractional
    range: _createpolicy_range

class _cvt:
    sat: _cvt_sat
    u8: _cvt_u8
    u16: _cvt_u8
    u32: _cvt_u8
    u64: _cvt_u8
    s8: _cvt_u8
    s16: _cvt_u8
    s32: _cvt_u8
    s64: _cvt_u8
    rn: _cvt_rn
    rz: _cvt_rz
    rm: _cvt_rm
    rp: _cvt_rp
    ftz: _cvt_ftz
    f16: _cvt_f16
    bf16: _cvt_f16
    f32: _cvt_f16
    f64: _cvt_f16
    rni: _cvt_rni
    rzi: _cvt_rni
    rmi: _cvt_rni
    rpi: _cvt_rni
    pack: _cvt_pack
    rs: _cvt_rs
    rna: _cvt_rna

class _cvta:
    global_: _cvta_global
    shared: _cvta_global
    shared__cta: _cvta_global
    shared__cluster: _cvta_global
    local: _cvta_global
    const: _cvta_global
    param: _cvta_global
    param__entry: _cvta_global
    to: _cvta_to

class _discard:
    global_: _discard_global
    L2: _discard_L2

class _div:
    u16: _div_u16
    u32: _div_u16
    u64: _div_u16
    s16: _div_u16
    s32: _div_u16
    s64: _div_u16
    approx: _div_approx
    full: _div_approx
    rn: _div_rn
    rz: _div_rn
    rm: _div_rn
    rp: _div_rn

class _dp2a:
    lo: _dp2a_lo
    hi: _dp2a_lo

class _dp4a:
    u32: _dp4a_u32
    s32: _dp4a_u32

class _elect:
    sync: _elect_sync
    def __call__(self) -> AbstractContextManager[None]:
        """One elected lane of each warp that arrives here executes the block."""

class _ex2:
    approx: _ex2_approx

class _exit(_call_exit): ...

class _fabric:
    submit: _fabric_submit
    try_atom: _fabric_try_atom
    try_get: _fabric_try_get
    try_pullred: _fabric_try_pullred
    try_put: _fabric_try_put
    try_red: _fabric_try_red
    wait: _fabric_wait

class _fence:
    sc: _fence_sc
    acq_rel: _fence_sc
    cta: _fence_cta
    cluster: _fence_cta
    gpu: _fence_cta
    sys: _fence_cta
    release: _fence_release
    mbarrier_init: _fence_mbarrier_init
    acquire: _fence_acquire
    proxy: _fence_proxy

class _fma:
    rn: _fma_rn
    rz: _fma_rz
    rm: _fma_rz
    rp: _fma_rz
    satfinite: _fma_satfinite
    e4m3x4: _fma_e4m3x4
    e5m2x4: _fma_e4m3x4

class _fns:
    b32: _fns_b32

class _getctarank:
    shared__cluster: _getctarank_shared_cluster
    u32: _getctarank_u32
    u64: _getctarank_u32
    s32: _getctarank_u32
    s64: _getctarank_u32

class _griddepcontrol:
    launch_dependents: _griddepcontrol_launch_dependents
    wait: _griddepcontrol_launch_dependents

class _isspacep:
    global_: _isspacep_global
    shared: _isspacep_global
    shared__cta: _isspacep_global
    shared__cluster: _isspacep_global
    local: _isspacep_global
    const: _isspacep_global
    param: _isspacep_global
    param__entry: _isspacep_global

class _istypep:
    texref: _istypep_texref
    samplerref: _istypep_texref
    surfref: _istypep_texref

class _ld:
    weak: _ld_weak
    global_: _ld_global
    shared: _ld_shared
    shared__cta: _ld_shared
    shared__cluster: _ld_shared
    local: _ld_shared
    const: _ld_shared
    param: _ld_shared
    param__entry: _ld_shared
    param__func: _ld_shared
    L1__evict_normal: _ld_L1_evict_normal
    L1__evict_unchanged: _ld_L1_evict_normal
    L1__evict_first: _ld_L1_evict_normal
    L1__evict_last: _ld_L1_evict_normal
    L1__no_allocate: _ld_L1_evict_normal
    L2__evict_last: _ld_L2_evict_last
    L2__evict_normal: _ld_L2_evict_last
    L2__evict_first: _ld_L2_evict_last
    L2__cache_hint: _ld_L2_cache_hint
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8
    ca: _ld_ca
    cg: _ld_ca
    cs: _ld_ca
    lu: _ld_ca
    cv: _ld_ca
    mmio: _ld_mmio
    proxy__readonly: _ld_proxy_readonly
    relaxed: _ld_relaxed
    acquire: _ld_relaxed
    volatile: _ld_volatile

class _ldmatrix:
    sync: _ldmatrix_sync

class _ldu:
    global_: _ldu_global
    v2: _ldu_v2
    v4: _ldu_v2
    b8: _ldu_b8
    b16: _ldu_b8
    b32: _ldu_b8
    b64: _ldu_b8
    u8: _ldu_b8
    u16: _ldu_b8
    u32: _ldu_b8
    u64: _ldu_b8
    s8: _ldu_b8
    s16: _ldu_b8
    s32: _ldu_b8
    s64: _ldu_b8
    f32: _ldu_b8
    f64: _ldu_b8
    b128: _ldu_b8

class _lg2:
    approx: _lg2_approx

class _lop3:
    b32: _lop3_b32
    and_: _lop3_and
    or_: _lop3_and

class _mad:
    lo: _mad_lo
    hi: _mad_hi
    rn: _mad_rn
    rz: _mad_rn
    rm: _mad_rn
    rp: _mad_rn
    wide: _mad_wide

class _mad24:
    lo: _mad24_lo
    hi: _mad24_hi

class _madc:
    lo: _madc_lo
    hi: _madc_hi

class _mapa:
    shared__cluster: _mapa_shared_cluster
    u32: _mapa_u32
    u64: _mapa_u32
    s32: _mapa_u32
    s64: _mapa_u32

class _match:
    all: _match_all
    any: _match_any

class _max:
    u16: _max_u16
    u32: _max_u16
    u64: _max_u16
    s16: _max_u16
    s32: _max_u16
    s64: _max_u16
    u16x2: _max_u16
    s16x2: _max_u16
    NaN: _max_NaN
    bf16: _max_bf16
    bf16x2: _max_bf16
    xorsign: _max_xorsign
    u8x4: _max_u8x4
    ftz: _max_ftz
    f16: _max_f16
    f16x2: _max_f16
    f32: _max_f32
    abs: _max_abs
    f64: _max_f64
    relu: _max_relu
    s8x4: _max_s8x4

class _mbarrier:
    arrive: _mbarrier_arrive
    arrive_drop: _mbarrier_arrive_drop
    check_layout: _mbarrier_check_layout
    complete_tx: _mbarrier_complete_tx
    expect_tx: _mbarrier_expect_tx
    init: _mbarrier_init
    inval: _mbarrier_inval
    pending_count: _mbarrier_pending_count
    test_wait: _mbarrier_test_wait
    try_wait: _mbarrier_try_wait
    def __call__(self, count: int, n: int = 1, *, name: str = ...) -> Mbarrier:
        """Declare `n` mbarriers, each completed by `count` arrivals a phase."""

class _membar:
    cta: _membar_cta
    gl: _membar_cta
    sys: _membar_cta
    proxy: _membar_proxy

class _min:
    u16: _min_u16
    u32: _min_u16
    u64: _min_u16
    s16: _min_u16
    s32: _min_u16
    s64: _min_u16
    u16x2: _min_u16
    s16x2: _min_u16
    NaN: _min_NaN
    bf16: _min_bf16
    bf16x2: _min_bf16
    xorsign: _min_xorsign
    u8x4: _min_u8x4
    ftz: _min_ftz
    f16: _min_f16
    f16x2: _min_f16
    f32: _min_f32
    abs: _min_abs
    f64: _min_f64
    relu: _min_relu
    s8x4: _min_s8x4

class _mma:
    sync: _mma_sync
    sp__ordered_metadata: _mma_sp_ordered_metadata
    sp: _mma_sp_ordered_metadata

class _mov:
    b16: _mov_b16
    b32: _mov_b32
    b64: _mov_b64
    u16: _mov_u16
    u32: _mov_u16
    u64: _mov_u16
    s16: _mov_u16
    s32: _mov_u16
    s64: _mov_u16
    f32: _mov_u16
    f64: _mov_u16
    b128: _mov_b128
    pred: _mov_pred
    v2: _mov_v2
    v4: _mov_v2

class _movmatrix:
    sync: _movmatrix_sync

class _mul:
    lo: _mul_lo
    hi: _mul_lo
    rn: _mul_rn
    bf16: _mul_bf16
    bf16x2: _mul_bf16x2
    rz: _mul_rz
    ftz: _mul_ftz
    sat: _mul_sat
    f16: _mul_f16
    f16x2: _mul_f16x2
    rm: _mul_rm
    rp: _mul_rm
    f32: _mul_f32
    f32x2: _mul_f32x2
    f64: _mul_f64
    wide: _mul_wide
    satfinite: _mul_satfinite
    e4m3x4: _mul_e4m3x4
    e5m2x4: _mul_e4m3x4

class _mul24:
    lo: _mul24_lo
    hi: _mul24_lo

class _multimem:
    cp: _multimem_cp
    ld_reduce: _multimem_ld_reduce
    red: _multimem_red
    st: _multimem_st

class _nanosleep:
    u32: _nanosleep_u32

class _neg:
    s16: _neg_s16
    s32: _neg_s16
    s64: _neg_s16
    bf16: _neg_bf16
    bf16x2: _neg_bf16
    s8x4: _neg_s8x4
    ftz: _neg_ftz
    f16: _neg_f16
    f16x2: _neg_f16
    f32: _neg_f32
    f64: _neg_f64
    u16x2: _neg_u16x2
    s16x2: _neg_u16x2

class _not:
    b16: _not_b16
    b32: _not_b16
    b64: _not_b16
    pred: _not_pred

class _or:
    b16: _or_b16
    b32: _or_b16
    b64: _or_b16
    pred: _or_pred

class _pmevent(_call_pmevent):
    mask: _pmevent_mask

class _popc:
    b32: _popc_b32
    b64: _popc_b32

class _prefetch:
    global_: _prefetch_global
    local: _prefetch_local
    L1: _prefetch_L1
    L2: _prefetch_L1
    L2__evict_last: _prefetch_L2_evict_last
    L2__evict_normal: _prefetch_L2_evict_last
    const: _prefetch_const
    param: _prefetch_const
    tensormap: _prefetch_tensormap
    valid_addr: _prefetch_valid_addr

class _prefetchu:
    L1: _prefetchu_L1

class _prmt:
    b32: _prmt_b32

class _rcp:
    approx: _rcp_approx
    rn: _rcp_rn
    rz: _rcp_rn
    rm: _rcp_rn
    rp: _rcp_rn

class _red:
    relaxed: _red_relaxed
    release: _red_relaxed
    cta: _red_cta
    cluster: _red_cta
    gpu: _red_cta
    sys: _red_cta
    global_: _red_global
    shared: _red_shared
    shared__cta: _red_shared
    shared__cluster: _red_shared
    add: _red_add
    async_: _red_async
    and_: _red_and
    or_: _red_and
    xor: _red_and
    min: _red_min
    max: _red_min
    inc: _red_inc
    dec: _red_inc

class _redux:
    sync: _redux_sync

class _rem:
    u16: _rem_u16
    u32: _rem_u16
    u64: _rem_u16
    s16: _rem_u16
    s32: _rem_u16
    s64: _rem_u16

class _ret(_call_ret):
    uni: _ret_uni

class _rsqrt:
    approx: _rsqrt_approx

class _sad:
    u16: _sad_u16
    u32: _sad_u16
    u64: _sad_u16
    s16: _sad_u16
    s32: _sad_u16
    s64: _sad_u16

class _selp:
    b16: _selp_b16
    b32: _selp_b16
    b64: _selp_b16
    u16: _selp_b16
    u32: _selp_b16
    u64: _selp_b16
    s16: _selp_b16
    s32: _selp_b16
    s64: _selp_b16
    f32: _selp_b16
    f64: _selp_b16

class _set:
    eq: _set_eq
    ne: _set_eq
    lt: _set_eq
    le: _set_eq
    gt: _set_eq
    ge: _set_eq
    lo: _set_lo
    ls: _set_lo
    hi: _set_lo
    hs: _set_lo
    equ: _set_equ
    neu: _set_equ
    ltu: _set_equ
    leu: _set_equ
    gtu: _set_equ
    geu: _set_equ
    num: _set_equ
    nan: _set_equ

class _setmaxnreg:
    inc: _setmaxnreg_inc
    dec: _setmaxnreg_inc

class _setp:
    eq: _setp_eq
    ne: _setp_eq
    lt: _setp_eq
    le: _setp_eq
    gt: _setp_eq
    ge: _setp_eq
    lo: _setp_lo
    ls: _setp_lo
    hi: _setp_lo
    hs: _setp_lo
    equ: _setp_equ
    neu: _setp_equ
    ltu: _setp_equ
    leu: _setp_equ
    gtu: _setp_equ
    geu: _setp_equ
    num: _setp_equ
    nan: _setp_equ

class _shf:
    l: _shf_l
    r: _shf_l

class _shfl:
    sync: _shfl_sync

class _shl:
    b16: _shl_b16
    b32: _shl_b16
    b64: _shl_b16

class _shr:
    b16: _shr_b16
    b32: _shr_b16
    b64: _shr_b16
    u16: _shr_b16
    u32: _shr_b16
    u64: _shr_b16
    s16: _shr_b16
    s32: _shr_b16
    s64: _shr_b16

class _sin:
    approx: _sin_approx

class _slct:
    b16: _slct_b16
    b32: _slct_b16
    b64: _slct_b16
    u16: _slct_b16
    u32: _slct_b16
    u64: _slct_b16
    s16: _slct_b16
    s32: _slct_b16
    s64: _slct_b16
    f32: _slct_b16
    f64: _slct_b16
    ftz: _slct_ftz

class _spcompress:
    sp__2_4: _spcompress_sp_2_4

class _spdecompress:
    sp__2_4: _spdecompress_sp_2_4

class _sqrt:
    approx: _sqrt_approx
    rn: _sqrt_rn
    rz: _sqrt_rn
    rm: _sqrt_rn
    rp: _sqrt_rn

class _st:
    weak: _st_weak
    global_: _st_global
    shared: _st_global
    shared__cta: _st_global
    shared__cluster: _st_global
    local: _st_global
    param: _st_global
    param__func: _st_global
    L1__evict_normal: _st_L1_evict_normal
    L1__evict_unchanged: _st_L1_evict_normal
    L1__evict_first: _st_L1_evict_normal
    L1__evict_last: _st_L1_evict_normal
    L1__no_allocate: _st_L1_evict_normal
    L2__evict_last: _st_L2_evict_last
    L2__evict_normal: _st_L2_evict_last
    L2__evict_first: _st_L2_evict_last
    L2__cache_hint: _st_L2_cache_hint
    v2: _st_v2
    v4: _st_v2
    v8: _st_v2
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8
    async_: _st_async
    bulk: _st_bulk
    wb: _st_wb
    cg: _st_wb
    cs: _st_wb
    wt: _st_wb
    mmio: _st_mmio
    relaxed: _st_relaxed
    release: _st_relaxed
    volatile: _st_volatile

class _stackrestore:
    u32: _stackrestore_u32
    u64: _stackrestore_u32

class _stacksave:
    u32: _stacksave_u32
    u64: _stacksave_u32

class _stmatrix:
    sync: _stmatrix_sync

class _sub:
    u16: _sub_u16
    u32: _sub_u16
    u64: _sub_u16
    s16: _sub_u16
    s32: _sub_u16
    s64: _sub_u16
    rn: _sub_rn
    bf16: _sub_bf16
    bf16x2: _sub_bf16
    rz: _sub_rz
    sat: _sub_sat
    u8x4: _sub_u8x4
    s8x4: _sub_u8x4
    cc: _sub_cc
    ftz: _sub_ftz
    f16: _sub_f16
    f16x2: _sub_f16
    rm: _sub_rm
    rp: _sub_rm
    f32: _sub_f32
    f32x2: _sub_f32x2
    f64: _sub_f64
    u16x2: _sub_u16x2
    s16x2: _sub_u16x2
    satfinite: _sub_satfinite
    e4m3x4: _sub_e4m3x4
    e5m2x4: _sub_e4m3x4

class _subc:
    u32: _subc_u32
    s32: _subc_u32
    u64: _subc_u32
    s64: _subc_u32
    u16: _subc_u32
    s16: _subc_u32
    cc: _subc_cc
    sat: _subc_sat

class _suld:
    b: _suld_b

class _suq:
    width: _suq_width
    height: _suq_width
    depth: _suq_width
    channel_data_type: _suq_width
    channel_order: _suq_width
    array_size: _suq_width
    memory_layout: _suq_width

class _sured:
    b: _sured_b
    p: _sured_p

class _sust:
    b: _sust_b
    p: _sust_p

class _szext:
    clamp: _szext_clamp
    wrap: _szext_clamp

class _tanh:
    approx: _tanh_approx

class _tcgen05:
    alloc: _tcgen05_alloc
    commit: _tcgen05_commit
    cp: _tcgen05_cp
    dealloc: _tcgen05_dealloc
    fence__after_thread_sync: _tcgen05_fence_after_thread_sync
    fence__before_thread_sync: _tcgen05_fence_before_thread_sync
    ld: _tcgen05_ld
    mma: _tcgen05_mma
    relinquish_alloc_permit: _tcgen05_relinquish_alloc_permit
    shift: _tcgen05_shift
    st: _tcgen05_st
    wait__ld: _tcgen05_wait_ld
    wait__st: _tcgen05_wait_st

class _tensormap:
    cp_fenceproxy: _tensormap_cp_fenceproxy
    query: _tensormap_query
    replace: _tensormap_replace
    def __call__(
        self, at: Address, *, like: MapParameter | TensorMap | None = None, staged: bool = True, name: str = ...
    ) -> MapSlot:
        """Declare a tensor map in global memory that the kernel changes."""

class _testp:
    finite: _testp_finite
    infinite: _testp_finite
    number: _testp_finite
    notanumber: _testp_finite
    normal: _testp_finite
    subnormal: _testp_finite

class _tex:
    grad: _tex_grad
    level: _tex_level
    base: _tex_base
    _1d: _tex_1d
    _2d: _tex_1d
    _3d: _tex_3d
    a1d: _tex_1d
    a2d: _tex_1d
    cube: _tex_cube
    acube: _tex_cube
    _2dms: _tex_2dms
    a2dms: _tex_2dms

class _tld4:
    r: _tld4_r
    g: _tld4_r
    b: _tld4_r
    a: _tld4_r

class _trace:
    mark: _trace_mark

class _trap(_call_trap): ...

class _txq:
    width: _txq_width
    height: _txq_width
    depth: _txq_width
    channel_data_type: _txq_width
    channel_order: _txq_width
    normalized_coords: _txq_width
    array_size: _txq_width
    num_mipmap_levels: _txq_width
    num_samples: _txq_width
    filter_mode: _txq_width
    addr_mode_0: _txq_width
    addr_mode_1: _txq_width
    addr_mode_2: _txq_width
    force_unnormalized_coords: _txq_width
    memory_layout: _txq_width
    level: _txq_level

class _vabsdiff:
    u32: _vabsdiff_u32
    s32: _vabsdiff_u32

class _vabsdiff2:
    u32: _vabsdiff2_u32
    s32: _vabsdiff2_u32

class _vabsdiff4:
    u32: _vabsdiff4_u32
    s32: _vabsdiff4_u32

class _vadd:
    u32: _vadd_u32
    s32: _vadd_u32

class _vadd2:
    u32: _vadd2_u32
    s32: _vadd2_u32

class _vadd4:
    u32: _vadd4_u32
    s32: _vadd4_u32

class _vavrg2:
    u32: _vavrg2_u32
    s32: _vavrg2_u32

class _vavrg4:
    u32: _vavrg4_u32
    s32: _vavrg4_u32

class _vmad:
    u32: _vmad_u32
    s32: _vmad_u32

class _vmax:
    u32: _vmax_u32
    s32: _vmax_u32

class _vmax2:
    u32: _vmax2_u32
    s32: _vmax2_u32

class _vmax4:
    u32: _vmax4_u32
    s32: _vmax4_u32

class _vmin:
    u32: _vmin_u32
    s32: _vmin_u32

class _vmin2:
    u32: _vmin2_u32
    s32: _vmin2_u32

class _vmin4:
    u32: _vmin4_u32
    s32: _vmin4_u32

class _vote:
    sync: _vote_sync

class _vset:
    u32: _vset_u32
    s32: _vset_u32

class _vset2:
    u32: _vset2_u32
    s32: _vset2_u32

class _vset4:
    u32: _vset4_u32
    s32: _vset4_u32

class _vshl:
    u32: _vshl_u32
    s32: _vshl_u32

class _vshr:
    u32: _vshr_u32
    s32: _vshr_u32

class _vsub:
    u32: _vsub_u32
    s32: _vsub_u32

class _vsub2:
    u32: _vsub2_u32
    s32: _vsub2_u32

class _vsub4:
    u32: _vsub4_u32
    s32: _vsub4_u32

class _wgmma:
    commit_group: _wgmma_commit_group
    fence: _wgmma_fence
    mma_async: _wgmma_mma_async
    wait_group: _wgmma_wait_group

class _wmma:
    load: _wmma_load
    mma: _wmma_mma
    store: _wmma_store

class _xor:
    b16: _xor_b16
    b32: _xor_b16
    b64: _xor_b16
    pred: _xor_pred

class _abs_s16(_call_abs_s16): ...

class _abs_bf16(_call_abs_bf16): ...

class _abs_ftz:
    f16: _abs_f16
    f16x2: _abs_f16
    f32: _abs_f32

class _abs_f16(_call_abs_f16): ...

class _abs_f32(_call_abs_f32): ...

class _abs_f64(_call_abs_f64): ...

class _activemask_b32(_call_activemask_b32): ...

class _add_u16(_call_add_u16): ...

class _add_rn:
    bf16: _add_bf16
    bf16x2: _add_bf16
    ftz: _add_ftz
    sat: _add_rn_sat
    f16: _add_f16
    f16x2: _add_f16
    f32: _add_f32
    f32x2: _add_f32x2
    f64: _add_f64
    satfinite: _add_satfinite
    e4m3x4: _add_e4m3x4
    e5m2x4: _add_e4m3x4

class _add_bf16(_call_add_bf16): ...

class _add_rz:
    bf16x2: _add_rz_bf16x2
    ftz: _add_rz_ftz
    sat: _add_rz_sat
    f32: _add_f32
    f32x2: _add_f32x2
    f64: _add_f64

class _add_sat:
    u8x4: _add_u8x4
    s8x4: _add_u8x4
    f16: _add_f16
    f16x2: _add_f16
    f32: _add_f32
    u16x2: _add_sat_u16x2
    s16x2: _add_sat_u16x2
    u32: _add_sat_u16x2
    s32: _add_sat_s32

class _add_u8x4(_call_add_u8x4): ...

class _add_cc:
    u32: _add_cc_u32
    s32: _add_cc_u32
    u64: _add_cc_u32
    s64: _add_cc_u32

class _add_ftz:
    sat: _add_ftz_sat
    f16: _add_f16
    f16x2: _add_f16
    f32: _add_ftz_f32
    f32x2: _add_ftz_f32x2

class _add_f16(_call_add_f16): ...

class _add_rm:
    ftz: _add_rm_ftz
    sat: _add_rz_sat
    f32: _add_f32
    f32x2: _add_f32x2
    f64: _add_f64

class _add_f32(_call_add_f32):
    f16: _add_f32_f16
    bf16: _add_f32_f16

class _add_f32x2(_call_add_f32x2):
    bf16x2: _add_f32x2_bf16x2
    f16x2: _add_f32x2_f16x2

class _add_f64(_call_add_f64): ...

class _add_satfinite:
    e4m3x4: _add_e4m3x4
    e5m2x4: _add_e4m3x4

class _add_e4m3x4:
    e4m3x4: _add_e4m3x4_e4m3x4
    e5m2x4: _add_e4m3x4_e4m3x4
    e3m2x4: _add_e4m3x4_e4m3x4
    e2m3x4: _add_e4m3x4_e4m3x4
    e2m1x4: _add_e4m3x4_e4m3x4
    e2m1p4x4: _add_e4m3x4_e4m3x4
    ue8m0x4: _add_e4m3x4_e4m3x4

class _addc_u32(_call_addc_u32): ...

class _addc_cc:
    u32: _addc_cc_u32
    s32: _addc_cc_u32
    u64: _addc_cc_u32
    s64: _addc_cc_u32

class _addc_sat:
    s32: _addc_sat_s32

class _alloca_u32(_call_alloca_u32): ...

class _and_b16(_call_and_b16): ...

class _and_pred(_call_and_pred): ...

class _applypriority_global:
    L2__evict_normal: _applypriority_L2_evict_normal

class _applypriority_L2_evict_normal(_call_applypriority_L2_evict_normal): ...

class _applypriority_async:
    bulk: _applypriority_async_bulk

class _atom_relaxed:
    cta: _atom_cta
    cluster: _atom_cta
    gpu: _atom_cta
    sys: _atom_cta
    global_: _atom_global
    shared: _atom_shared
    shared__cta: _atom_shared
    shared__cluster: _atom_shared
    add: _atom_add
    and_: _atom_and
    or_: _atom_and
    xor: _atom_and
    cas: _atom_cas
    exch: _atom_exch
    min: _atom_min
    max: _atom_min
    inc: _atom_inc
    dec: _atom_inc

class _atom_cta:
    global_: _atom_global
    shared: _atom_shared
    shared__cta: _atom_shared
    shared__cluster: _atom_shared
    add: _atom_add
    and_: _atom_and
    or_: _atom_and
    xor: _atom_and
    cas: _atom_cas
    exch: _atom_exch
    min: _atom_min
    max: _atom_min
    inc: _atom_inc
    dec: _atom_inc

class _atom_global:
    add: _atom_add
    and_: _atom_and
    or_: _atom_and
    xor: _atom_and
    cas: _atom_cas
    exch: _atom_exch
    min: _atom_min
    max: _atom_min
    inc: _atom_inc
    dec: _atom_inc

class _atom_shared:
    add: _atom_shared_add
    and_: _atom_and
    or_: _atom_and
    xor: _atom_and
    cas: _atom_cas
    exch: _atom_exch
    min: _atom_shared_min
    max: _atom_shared_min
    inc: _atom_inc
    dec: _atom_inc

class _atom_add:
    L2__cache_hint: _atom_add_L2_cache_hint
    u32: _atom_add_u32
    s32: _atom_add_u32
    u64: _atom_add_u32
    f32: _atom_add_f32
    f64: _atom_add_f32
    noftz: _atom_add_noftz
    v2: _atom_add_v2
    v4: _atom_add_v2

class _atom_and:
    L2__cache_hint: _atom_and_L2_cache_hint
    b32: _atom_and_b32
    b64: _atom_and_b32

class _atom_cas:
    L2__cache_hint: _atom_cas_L2_cache_hint
    b16: _atom_cas_b16
    b32: _atom_cas_b16
    b64: _atom_cas_b16
    b128: _atom_cas_b16

class _atom_exch:
    L2__cache_hint: _atom_exch_L2_cache_hint
    b32: _atom_exch_b32
    b64: _atom_exch_b32
    b128: _atom_exch_b32

class _atom_min:
    L2__cache_hint: _atom_min_L2_cache_hint
    u32: _atom_min_u32
    s32: _atom_min_u32
    u64: _atom_min_u32
    s64: _atom_min_u32
    noftz: _atom_min_noftz

class _atom_inc:
    L2__cache_hint: _atom_inc_L2_cache_hint
    u32: _atom_inc_u32

class _bar_arrive(_call_bar_arrive): ...

class _bar_cta:
    arrive: _bar_cta_arrive
    red: _bar_cta_red
    sync: _bar_cta_sync

class _bar_red:
    and_: _bar_red_and
    or_: _bar_red_and
    popc: _bar_red_popc

class _bar_sync(_call_bar_sync): ...

class _bar_warp:
    sync: _bar_warp_sync

class _barrier_arrive(_call_barrier_arrive):
    aligned: _barrier_arrive_aligned

class _barrier_cluster:
    arrive: _barrier_cluster_arrive
    wait: _barrier_cluster_wait

class _barrier_cta:
    arrive: _barrier_cta_arrive
    red: _barrier_cta_red
    sync: _barrier_cta_sync

class _barrier_red:
    and_: _barrier_red_and
    or_: _barrier_red_and
    popc: _barrier_red_popc

class _barrier_sync(_call_barrier_sync):
    aligned: _barrier_sync_aligned

class _bfe_u32(_call_bfe_u32): ...

class _bfi_b32(_call_bfi_b32): ...

class _bfind_shiftamt:
    u32: _bfind_u32
    u64: _bfind_u32
    s32: _bfind_u32
    s64: _bfind_u32

class _bfind_u32(_call_bfind_u32): ...

class _bmsk_clamp:
    b32: _bmsk_clamp_b32

class _bra_uni(_call_bra): ...

class _brev_b32(_call_brev_b32): ...

class _brx_idx(_call_brx_idx):
    uni: _brx_idx_uni

class _call_uni(_call_call): ...

class _clmad_lo:
    u64: _clmad_lo_u64

class _clusterlaunchcontrol_query_cancel:
    get_first_ctaid: _clusterlaunchcontrol_query_cancel_get_first_ctaid
    get_first_ctaid__x: _clusterlaunchcontrol_query_cancel_get_first_ctaid_x
    get_first_ctaid__y: _clusterlaunchcontrol_query_cancel_get_first_ctaid_x
    get_first_ctaid__z: _clusterlaunchcontrol_query_cancel_get_first_ctaid_x
    is_canceled: _clusterlaunchcontrol_query_cancel_is_canceled

class _clusterlaunchcontrol_try_cancel:
    async_: _clusterlaunchcontrol_try_cancel_async

class _clz_b32(_call_clz_b32): ...

class _cnot_b16(_call_cnot_b16): ...

class _copysign_f32(_call_copysign_f32): ...

class _copysign_f64(_call_copysign_f64): ...

class _cos_approx:
    ftz: _cos_approx_ftz
    f32: _cos_approx_f32

class _cp_async:
    ca: _cp_async_ca
    cg: _cp_async_ca
    bulk: _cp_async_bulk
    commit_group: _cp_async_commit_group
    mbarrier: _cp_async_mbarrier
    wait_all: _cp_async_wait_all
    wait_group: _cp_async_wait_group

class _cp_reduce:
    async_: _cp_reduce_async

class _createpolicy_cvt:
    L2: _createpolicy_cvt_L2

class _createpolicy_fractional:
    L2__evict_last: _createpolicy_fractional_L2_evict_last
    L2__evict_normal: _createpolicy_fractional_L2_evict_last
    L2__evict_first: _createpolicy_fractional_L2_evict_last
    L2__evict_unchanged: _createpolicy_fractional_L2_evict_last

class _createpolicy_range:
    global_: _createpolicy_range_global
    L2__evict_last: _createpolicy_range_L2_evict_last
    L2__evict_normal: _createpolicy_range_L2_evict_last
    L2__evict_first: _createpolicy_range_L2_evict_last
    L2__evict_unchanged: _createpolicy_range_L2_evict_last
    fabric: _createpolicy_range_fabric

class _cvt_sat:
    u8: _cvt_u8
    u16: _cvt_u8
    u32: _cvt_u8
    u64: _cvt_u8
    s8: _cvt_u8
    s16: _cvt_u8
    s32: _cvt_u8
    s64: _cvt_u8
    f16: _cvt_f16
    bf16: _cvt_f16
    f32: _cvt_f16
    f64: _cvt_f16

class _cvt_u8:
    u8: _cvt_u8_u8
    u16: _cvt_u8_u8
    u32: _cvt_u8_u8
    u64: _cvt_u8_u8
    s8: _cvt_u8_u8
    s16: _cvt_u8_u8
    s32: _cvt_u8_u8
    s64: _cvt_u8_u8

class _cvt_rn:
    satfinite: _cvt_rn_satfinite
    scaled__n2__ue8m0: _cvt_rn_scaled_n2_ue8m0
    bf16x2: _cvt_rn_bf16x2
    f16x2: _cvt_rn_f16x2
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f16: _cvt_rn_f16
    bf16: _cvt_rn_f16
    f32: _cvt_rn_f32
    f64: _cvt_rn_f32
    relu: _cvt_rn_relu
    pzo: _cvt_rn_pzo
    tf32: _cvt_rn_tf32
    ue5m3x2: _cvt_rn_ue5m3x2
    scaled__n1__ue8m0: _cvt_rn_scaled_n1_ue8m0

class _cvt_rz:
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f16: _cvt_rn_f16
    bf16: _cvt_rn_f16
    f32: _cvt_rn_f32
    f64: _cvt_rn_f32
    relu: _cvt_rz_relu
    satfinite: _cvt_rz_satfinite
    f16x2: _cvt_rz_f16x2
    bf16x2: _cvt_rz_f16x2
    pzo: _cvt_rn_pzo
    tf32: _cvt_rn_tf32
    ue5m3x2: _cvt_rn_ue5m3x2
    scaled__n1__ue8m0: _cvt_rn_scaled_n1_ue8m0
    ue8m0x2: _cvt_rz_ue8m0x2

class _cvt_rm:
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f16: _cvt_rn_f32
    bf16: _cvt_rn_f32
    f32: _cvt_rn_f32
    f64: _cvt_rn_f32

class _cvt_rp:
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f16: _cvt_rn_f32
    bf16: _cvt_rn_f32
    f32: _cvt_rn_f32
    f64: _cvt_rn_f32
    satfinite: _cvt_rp_satfinite
    ue5m3x2: _cvt_rn_ue5m3x2
    ue8m0x2: _cvt_rz_ue8m0x2

class _cvt_ftz:
    sat: _cvt_ftz_sat
    f16: _cvt_f16
    bf16: _cvt_f16
    f32: _cvt_f16
    f64: _cvt_f16

class _cvt_f16:
    f16: _cvt_f16_f16
    bf16: _cvt_f16_f16
    f32: _cvt_f16_f16
    f64: _cvt_f16_f16

class _cvt_rni:
    ftz: _cvt_rni_ftz
    sat: _cvt_rni_sat
    f16: _cvt_rni_f16
    bf16: _cvt_rni_f16
    f32: _cvt_rni_f16
    f64: _cvt_rni_f16
    u8: _cvt_rni_u8
    u16: _cvt_rni_u8
    u32: _cvt_rni_u8
    u64: _cvt_rni_u8
    s8: _cvt_rni_u8
    s16: _cvt_rni_u8
    s32: _cvt_rni_u8
    s64: _cvt_rni_u8

class _cvt_pack:
    sat: _cvt_pack_sat

class _cvt_rs:
    relu: _cvt_rs_relu
    satfinite: _cvt_rs_satfinite
    f16x2: _cvt_rs_f16x2
    bf16x2: _cvt_rs_f16x2

class _cvt_rna:
    satfinite: _cvt_rna_satfinite
    tf32: _cvt_rna_tf32

class _cvta_global:
    u64: _cvta_global_u64
    u32: _cvta_global_u64

class _cvta_to:
    global_: _cvta_to_global
    shared: _cvta_to_global
    shared__cta: _cvta_to_global
    shared__cluster: _cvta_to_global
    local: _cvta_to_global
    const: _cvta_to_global
    param: _cvta_to_global
    param__entry: _cvta_to_global

class _discard_global:
    L2: _discard_L2

class _discard_L2(_call_discard_L2): ...

class _div_u16(_call_div_u16): ...

class _div_approx:
    ftz: _div_approx_ftz
    f32: _div_approx_f32

class _div_rn:
    ftz: _div_approx_ftz
    f32: _div_approx_f32
    f64: _div_rn_f64

class _dp2a_lo:
    u32: _dp2a_lo_u32
    s32: _dp2a_lo_u32

class _dp4a_u32:
    u32: _dp4a_u32_u32
    s32: _dp4a_u32_u32

class _elect_sync(_call_elect_sync): ...

class _ex2_approx:
    ftz: _ex2_approx_ftz
    f16: _ex2_approx_f16
    f16x2: _ex2_approx_f16
    f32: _ex2_approx_f32

class _fabric_submit(_call_fabric_submit):
    op_restrict__fetching: _fabric_submit_op_restrict_fetching
    commit_group: _fabric_submit_commit_group

class _fabric_try_atom:
    async_: _fabric_try_atom_async

class _fabric_try_get:
    async_: _fabric_try_get_async

class _fabric_try_pullred:
    async_: _fabric_try_pullred_async

class _fabric_try_put:
    async_: _fabric_try_put_async

class _fabric_try_red:
    async_: _fabric_try_red_async

class _fabric_wait:
    sync_restrict__reads: _fabric_wait_sync_restrict_reads
    sync_restrict__read: _fabric_wait_sync_restrict_read

class _fence_sc:
    cta: _fence_cta
    cluster: _fence_cta
    gpu: _fence_cta
    sys: _fence_cta

class _fence_cta(_call_fence_cta): ...

class _fence_release:
    alias: _fence_release_alias
    cta: _fence_release_cta
    cluster: _fence_release_cta
    gpu: _fence_release_cta
    sys: _fence_release_cta
    sync_restrict__shared__cluster: _fence_release_sync_restrict_shared_cluster
    sync_restrict__shared__cta: _fence_release_sync_restrict_shared_cluster

class _fence_mbarrier_init:
    release: _fence_mbarrier_init_release

class _fence_acquire:
    cta: _fence_release_cta
    cluster: _fence_release_cta
    gpu: _fence_release_cta
    sys: _fence_release_cta
    sync_restrict__shared__cluster: _fence_release_sync_restrict_shared_cluster
    sync_restrict__shared__cta: _fence_release_sync_restrict_shared_cluster

class _fence_proxy:
    alias: _fence_proxy_alias
    async_: _fence_proxy_async
    async__generic: _fence_proxy_async_generic
    fabric__fabric: _fence_proxy_fabric_fabric
    fabric__generic: _fence_proxy_fabric_generic
    generic__fabric: _fence_proxy_generic_fabric
    tensormap__generic: _fence_proxy_tensormap_generic

class _fma_rn:
    relu: _fma_rn_relu
    bf16: _fma_rn_bf16
    bf16x2: _fma_rn_bf16
    ftz: _fma_rn_ftz
    sat: _fma_rn_sat
    f16: _fma_rn_f16
    f16x2: _fma_rn_f16
    f32: _fma_rn_f32
    f32x2: _fma_rn_f32x2
    f64: _fma_rn_f64
    oob: _fma_rn_oob
    satfinite: _fma_satfinite
    e4m3x4: _fma_e4m3x4
    e5m2x4: _fma_e4m3x4

class _fma_rz:
    ftz: _fma_rz_ftz
    sat: _fma_rz_sat
    f32: _fma_rn_f32
    f32x2: _fma_rn_f32x2
    f64: _fma_rn_f64

class _fma_satfinite:
    e4m3x4: _fma_e4m3x4
    e5m2x4: _fma_e4m3x4

class _fma_e4m3x4:
    e4m3x4: _fma_e4m3x4_e4m3x4
    e5m2x4: _fma_e4m3x4_e4m3x4
    e3m2x4: _fma_e4m3x4_e4m3x4
    e2m3x4: _fma_e4m3x4_e4m3x4
    e2m1x4: _fma_e4m3x4_e4m3x4
    e2m1p4x4: _fma_e4m3x4_e4m3x4
    ue8m0x4: _fma_e4m3x4_e4m3x4

class _fns_b32(_call_fns_b32): ...

class _getctarank_shared_cluster:
    u32: _getctarank_u32
    u64: _getctarank_u32
    s32: _getctarank_u32
    s64: _getctarank_u32

class _getctarank_u32(_call_getctarank_u32): ...

class _griddepcontrol_launch_dependents(_call_griddepcontrol_launch_dependents): ...

class _isspacep_global(_call_isspacep_global): ...

class _istypep_texref(_call_istypep_texref): ...

class _ld_weak:
    global_: _ld_shared
    shared: _ld_shared
    shared__cta: _ld_shared
    shared__cluster: _ld_shared
    local: _ld_shared
    const: _ld_shared
    param: _ld_shared
    param__entry: _ld_shared
    param__func: _ld_shared
    L1__evict_normal: _ld_L1_evict_normal
    L1__evict_unchanged: _ld_L1_evict_normal
    L1__evict_first: _ld_L1_evict_normal
    L1__evict_last: _ld_L1_evict_normal
    L1__no_allocate: _ld_L1_evict_normal
    L2__evict_last: _ld_L2_evict_last
    L2__evict_normal: _ld_L2_evict_last
    L2__evict_first: _ld_L2_evict_last
    L2__cache_hint: _ld_L2_cache_hint
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8
    ca: _ld_ca
    cg: _ld_ca
    cs: _ld_ca
    lu: _ld_ca
    cv: _ld_ca

class _ld_global:
    L1__evict_normal: _ld_L1_evict_normal
    L1__evict_unchanged: _ld_L1_evict_normal
    L1__evict_first: _ld_L1_evict_normal
    L1__evict_last: _ld_L1_evict_normal
    L1__no_allocate: _ld_L1_evict_normal
    L2__evict_last: _ld_L2_evict_last
    L2__evict_normal: _ld_L2_evict_last
    L2__evict_first: _ld_L2_evict_last
    L2__cache_hint: _ld_L2_cache_hint
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8
    ca: _ld_global_ca
    cg: _ld_global_ca
    cs: _ld_global_ca
    lu: _ld_ca
    cv: _ld_ca
    nc: _ld_global_nc
    proxy__readonly: _ld_proxy_readonly

class _ld_shared:
    L1__evict_normal: _ld_L1_evict_normal
    L1__evict_unchanged: _ld_L1_evict_normal
    L1__evict_first: _ld_L1_evict_normal
    L1__evict_last: _ld_L1_evict_normal
    L1__no_allocate: _ld_L1_evict_normal
    L2__evict_last: _ld_L2_evict_last
    L2__evict_normal: _ld_L2_evict_last
    L2__evict_first: _ld_L2_evict_last
    L2__cache_hint: _ld_L2_cache_hint
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8
    ca: _ld_ca
    cg: _ld_ca
    cs: _ld_ca
    lu: _ld_ca
    cv: _ld_ca

class _ld_L1_evict_normal:
    L2__evict_last: _ld_L2_evict_last
    L2__evict_normal: _ld_L2_evict_last
    L2__evict_first: _ld_L2_evict_last
    L2__cache_hint: _ld_L2_cache_hint
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8

class _ld_L2_evict_last:
    L2__cache_hint: _ld_L2_cache_hint
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8

class _ld_L2_cache_hint:
    L2__64B: _ld_L2_64B
    L2__128B: _ld_L2_64B
    L2__256B: _ld_L2_64B
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8

class _ld_L2_64B:
    v2: _ld_v2
    v4: _ld_v2
    v8: _ld_v2
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8

class _ld_v2:
    b8: _ld_b8
    b16: _ld_b8
    b32: _ld_b8
    b64: _ld_b8
    u8: _ld_b8
    u16: _ld_b8
    u32: _ld_b8
    u64: _ld_b8
    s8: _ld_b8
    s16: _ld_b8
    s32: _ld_b8
    s64: _ld_b8
    f32: _ld_b8
    f64: _ld_b8
    b128: _ld_b8

class _ld_b8(_call_ld_b8): ...

class _ld_ca:
    L2__cache_hint: _ld_ca_L2_cache_hint
    L2__64B: _ld_ca_L2_64B
    L2__128B: _ld_ca_L2_64B
    L2__256B: _ld_ca_L2_64B
    v2: _ld_ca_v2
    v4: _ld_ca_v2
    v8: _ld_ca_v2
    b8: _ld_ca_b8
    b16: _ld_ca_b8
    b32: _ld_ca_b8
    b64: _ld_ca_b8
    u8: _ld_ca_b8
    u16: _ld_ca_b8
    u32: _ld_ca_b8
    u64: _ld_ca_b8
    s8: _ld_ca_b8
    s16: _ld_ca_b8
    s32: _ld_ca_b8
    s64: _ld_ca_b8
    f32: _ld_ca_b8
    f64: _ld_ca_b8
    b128: _ld_ca_b8

class _ld_mmio:
    relaxed: _ld_mmio_relaxed
    acquire: _ld_mmio_acquire

class _ld_proxy_readonly:
    nc: _ld_proxy_readonly_nc
    L2__evict_last: _ld_proxy_readonly_L2_evict_last
    L2__evict_normal: _ld_proxy_readonly_L2_evict_last
    L2__evict_first: _ld_proxy_readonly_L2_evict_last
    v2: _ld_proxy_readonly_v2
    v4: _ld_proxy_readonly_v2
    v8: _ld_proxy_readonly_v2
    b8: _ld_proxy_readonly_b8
    b16: _ld_proxy_readonly_b8
    b32: _ld_proxy_readonly_b8
    b64: _ld_proxy_readonly_b8
    u8: _ld_proxy_readonly_b8
    u16: _ld_proxy_readonly_b8
    u32: _ld_proxy_readonly_b8
    u64: _ld_proxy_readonly_b8
    s8: _ld_proxy_readonly_b8
    s16: _ld_proxy_readonly_b8
    s32: _ld_proxy_readonly_b8
    s64: _ld_proxy_readonly_b8
    f32: _ld_proxy_readonly_b8
    f64: _ld_proxy_readonly_b8

class _ld_relaxed:
    cta: _ld_relaxed_cta
    cluster: _ld_relaxed_cta
    gpu: _ld_relaxed_cta
    sys: _ld_relaxed_cta

class _ld_volatile:
    global_: _ld_volatile_global
    shared: _ld_volatile_global
    shared__cta: _ld_volatile_global
    shared__cluster: _ld_volatile_global
    local: _ld_volatile_global
    L2__evict_last: _ld_volatile_L2_evict_last
    L2__evict_normal: _ld_volatile_L2_evict_last
    L2__evict_first: _ld_volatile_L2_evict_last
    L2__64B: _ld_volatile_L2_64B
    L2__128B: _ld_volatile_L2_64B
    L2__256B: _ld_volatile_L2_64B
    v2: _ld_volatile_v2
    v4: _ld_volatile_v2
    v8: _ld_volatile_v2
    b8: _ld_volatile_b8
    b16: _ld_volatile_b8
    b32: _ld_volatile_b8
    b64: _ld_volatile_b8
    u8: _ld_volatile_b8
    u16: _ld_volatile_b8
    u32: _ld_volatile_b8
    u64: _ld_volatile_b8
    s8: _ld_volatile_b8
    s16: _ld_volatile_b8
    s32: _ld_volatile_b8
    s64: _ld_volatile_b8
    f32: _ld_volatile_b8
    f64: _ld_volatile_b8
    b128: _ld_volatile_b8

class _ldmatrix_sync:
    aligned: _ldmatrix_sync_aligned

class _ldu_global:
    v2: _ldu_v2
    v4: _ldu_v2
    b8: _ldu_b8
    b16: _ldu_b8
    b32: _ldu_b8
    b64: _ldu_b8
    u8: _ldu_b8
    u16: _ldu_b8
    u32: _ldu_b8
    u64: _ldu_b8
    s8: _ldu_b8
    s16: _ldu_b8
    s32: _ldu_b8
    s64: _ldu_b8
    f32: _ldu_b8
    f64: _ldu_b8
    b128: _ldu_b8

class _ldu_v2:
    b8: _ldu_b8
    b16: _ldu_b8
    b32: _ldu_b8
    b64: _ldu_b8
    u8: _ldu_b8
    u16: _ldu_b8
    u32: _ldu_b8
    u64: _ldu_b8
    s8: _ldu_b8
    s16: _ldu_b8
    s32: _ldu_b8
    s64: _ldu_b8
    f32: _ldu_b8
    f64: _ldu_b8
    b128: _ldu_b8

class _ldu_b8(_call_ldu_b8): ...

class _lg2_approx:
    ftz: _lg2_approx_ftz
    f32: _lg2_approx_f32

class _lop3_b32(_call_lop3_b32): ...

class _lop3_and:
    b32: _lop3_and_b32

class _mad_lo:
    u16: _mad_lo_u16
    u32: _mad_lo_u16
    u64: _mad_lo_u16
    s16: _mad_lo_u16
    s32: _mad_lo_u16
    s64: _mad_lo_u16
    cc: _mad_lo_cc

class _mad_hi:
    u16: _mad_lo_u16
    u32: _mad_lo_u16
    u64: _mad_lo_u16
    s16: _mad_lo_u16
    s32: _mad_lo_u16
    s64: _mad_lo_u16
    cc: _mad_lo_cc
    sat: _mad_hi_sat

class _mad_rn:
    ftz: _mad_rn_ftz
    sat: _mad_rn_sat
    f32: _mad_rn_f32
    f64: _mad_rn_f64

class _mad_wide:
    u16: _mad_wide_u16
    u32: _mad_wide_u16
    s16: _mad_wide_u16
    s32: _mad_wide_u16

class _mad24_lo:
    u32: _mad24_lo_u32
    s32: _mad24_lo_u32

class _mad24_hi:
    u32: _mad24_lo_u32
    s32: _mad24_lo_u32
    sat: _mad24_hi_sat

class _madc_lo:
    u32: _madc_lo_u32
    s32: _madc_lo_u32
    u64: _madc_lo_u32
    s64: _madc_lo_u32
    u16: _madc_lo_u32
    s16: _madc_lo_u32
    cc: _madc_lo_cc

class _madc_hi:
    u32: _madc_lo_u32
    s32: _madc_lo_u32
    u64: _madc_lo_u32
    s64: _madc_lo_u32
    u16: _madc_lo_u32
    s16: _madc_lo_u32
    cc: _madc_lo_cc
    sat: _madc_hi_sat

class _mapa_shared_cluster:
    u32: _mapa_u32
    u64: _mapa_u32
    s32: _mapa_u32
    s64: _mapa_u32

class _mapa_u32(_call_mapa_u32): ...

class _match_all:
    sync: _match_all_sync

class _match_any:
    sync: _match_any_sync

class _max_u16(_call_max_u16): ...

class _max_NaN:
    bf16: _max_bf16
    bf16x2: _max_bf16
    xorsign: _max_xorsign
    f16: _max_f16
    f16x2: _max_f16
    f32: _max_f32
    abs: _max_abs

class _max_bf16(_call_max_bf16): ...

class _max_xorsign:
    abs: _max_xorsign_abs

class _max_u8x4(_call_max_u8x4): ...

class _max_ftz:
    NaN: _max_ftz_NaN
    f16: _max_f16
    f16x2: _max_f16
    xorsign: _max_ftz_xorsign
    f32: _max_f32
    abs: _max_abs

class _max_f16(_call_max_f16): ...

class _max_f32(_call_max_f32): ...

class _max_abs:
    f32: _max_abs_f32

class _max_f64(_call_max_f64): ...

class _max_relu:
    s32: _max_relu_s32
    s16x2: _max_relu_s32
    s8x4: _max_s8x4

class _max_s8x4(_call_max_s8x4): ...

class _mbarrier_arrive:
    release: _mbarrier_arrive_release
    relaxed: _mbarrier_arrive_release
    cta: _mbarrier_arrive_cta
    cluster: _mbarrier_arrive_cta
    shared: _mbarrier_arrive_shared
    shared__cta: _mbarrier_arrive_shared
    b64: _mbarrier_arrive_b64
    shared__cluster: _mbarrier_arrive_shared_cluster
    expect_tx: _mbarrier_arrive_expect_tx
    multicast__cluster__32b: _mbarrier_arrive_multicast_cluster_32b
    noComplete: _mbarrier_arrive_noComplete

class _mbarrier_arrive_drop:
    release: _mbarrier_arrive_drop_release
    relaxed: _mbarrier_arrive_drop_release
    cta: _mbarrier_arrive_drop_cta
    cluster: _mbarrier_arrive_drop_cta
    shared: _mbarrier_arrive_drop_shared
    shared__cta: _mbarrier_arrive_drop_shared
    b64: _mbarrier_arrive_drop_b64
    shared__cluster: _mbarrier_arrive_drop_shared_cluster
    expect_tx: _mbarrier_arrive_drop_expect_tx
    multicast__cluster__32b: _mbarrier_arrive_drop_multicast_cluster_32b
    noComplete: _mbarrier_arrive_drop_noComplete

class _mbarrier_check_layout:
    layout__v0: _mbarrier_check_layout_layout_v0
    layout__v1: _mbarrier_check_layout_layout_v0

class _mbarrier_complete_tx:
    relaxed: _mbarrier_complete_tx_relaxed
    cta: _mbarrier_complete_tx_cta
    cluster: _mbarrier_complete_tx_cta
    shared: _mbarrier_complete_tx_shared
    shared__cta: _mbarrier_complete_tx_shared
    shared__cluster: _mbarrier_complete_tx_shared
    b64: _mbarrier_complete_tx_b64
    multicast__cluster__32b: _mbarrier_complete_tx_multicast_cluster_32b

class _mbarrier_expect_tx:
    relaxed: _mbarrier_expect_tx_relaxed
    cta: _mbarrier_expect_tx_cta
    cluster: _mbarrier_expect_tx_cta
    shared: _mbarrier_expect_tx_shared
    shared__cta: _mbarrier_expect_tx_shared
    shared__cluster: _mbarrier_expect_tx_shared
    b64: _mbarrier_expect_tx_b64
    multicast__cluster__32b: _mbarrier_expect_tx_multicast_cluster_32b

class _mbarrier_init:
    layout__v0: _mbarrier_init_layout_v0
    shared: _mbarrier_init_shared
    shared__cta: _mbarrier_init_shared
    b64: _mbarrier_init_b64
    layout__v1: _mbarrier_init_layout_v1

class _mbarrier_inval:
    shared: _mbarrier_inval_shared
    shared__cta: _mbarrier_inval_shared
    b64: _mbarrier_inval_b64

class _mbarrier_pending_count:
    layout__v0: _mbarrier_pending_count_layout_v0
    b64: _mbarrier_pending_count_b64

class _mbarrier_test_wait:
    phase_type__primary: _mbarrier_test_wait_phase_type_primary
    acquire: _mbarrier_test_wait_acquire
    relaxed: _mbarrier_test_wait_acquire
    cta: _mbarrier_test_wait_cta
    cluster: _mbarrier_test_wait_cta
    shared: _mbarrier_test_wait_shared
    shared__cta: _mbarrier_test_wait_shared
    b64: _mbarrier_test_wait_b64
    parity: _mbarrier_test_wait_parity

class _mbarrier_try_wait:
    phase_type__primary: _mbarrier_try_wait_phase_type_primary
    acquire: _mbarrier_try_wait_acquire
    relaxed: _mbarrier_try_wait_acquire
    cta: _mbarrier_try_wait_cta
    cluster: _mbarrier_try_wait_cta
    shared: _mbarrier_try_wait_shared
    shared__cta: _mbarrier_try_wait_shared
    b64: _mbarrier_try_wait_b64
    parity: _mbarrier_try_wait_parity

class _membar_cta(_call_membar_cta): ...

class _membar_proxy:
    alias: _membar_proxy_alias
    async_: _membar_proxy_async

class _min_u16(_call_min_u16): ...

class _min_NaN:
    bf16: _min_bf16
    bf16x2: _min_bf16
    xorsign: _min_xorsign
    f16: _min_f16
    f16x2: _min_f16
    f32: _min_f32
    abs: _min_abs

class _min_bf16(_call_min_bf16): ...

class _min_xorsign:
    abs: _min_xorsign_abs

class _min_u8x4(_call_min_u8x4): ...

class _min_ftz:
    NaN: _min_ftz_NaN
    f16: _min_f16
    f16x2: _min_f16
    xorsign: _min_ftz_xorsign
    f32: _min_f32
    abs: _min_abs

class _min_f16(_call_min_f16): ...

class _min_f32(_call_min_f32): ...

class _min_abs:
    f32: _min_abs_f32

class _min_f64(_call_min_f64): ...

class _min_relu:
    s32: _min_relu_s32
    s16x2: _min_relu_s32
    s8x4: _min_s8x4

class _min_s8x4(_call_min_s8x4): ...

class _mma_sync:
    aligned: _mma_sync_aligned

class _mma_sp_ordered_metadata:
    sync: _mma_sp_ordered_metadata_sync

class _mov_b16(_call_mov_b16): ...

class _mov_b32(_call_mov_b32): ...

class _mov_b64(_call_mov_b64): ...

class _mov_u16(_call_mov_u16): ...

class _mov_b128(_call_mov_b128): ...

class _mov_pred(_call_mov_pred): ...

class _mov_v2:
    b16: _mov_v2_b16
    b32: _mov_v2_b16
    b64: _mov_v2_b16
    u16: _mov_v2_b16
    u32: _mov_v2_b16
    u64: _mov_v2_b16
    s16: _mov_v2_b16
    s32: _mov_v2_b16
    s64: _mov_v2_b16
    f32: _mov_v2_b16
    f64: _mov_v2_b16

class _movmatrix_sync:
    aligned: _movmatrix_sync_aligned

class _mul_lo:
    u16: _mul_lo_u16
    u32: _mul_lo_u16
    u64: _mul_lo_u16
    s16: _mul_lo_u16
    s32: _mul_lo_u16
    s64: _mul_lo_u16

class _mul_rn:
    bf16: _mul_bf16
    bf16x2: _mul_bf16
    ftz: _mul_ftz
    sat: _mul_sat
    f16: _mul_f16
    f16x2: _mul_f16
    f32: _mul_f32
    f32x2: _mul_f32x2
    f64: _mul_f64
    satfinite: _mul_satfinite
    e4m3x4: _mul_e4m3x4
    e5m2x4: _mul_e4m3x4

class _mul_bf16(_call_mul_bf16): ...

class _mul_bf16x2(_call_mul_bf16):
    bf16x2: _mul_bf16x2_bf16x2

class _mul_rz:
    bf16x2: _mul_rz_bf16x2
    ftz: _mul_rz_ftz
    sat: _mul_rz_sat
    f32: _mul_f32
    f32x2: _mul_f32x2
    f64: _mul_f64

class _mul_ftz:
    sat: _mul_sat
    f16: _mul_f16
    f16x2: _mul_f16
    f32: _mul_f32
    f32x2: _mul_f32x2

class _mul_sat:
    f16: _mul_f16
    f16x2: _mul_f16
    f32: _mul_f32

class _mul_f16(_call_mul_f16): ...

class _mul_f16x2(_call_mul_f16):
    f16x2: _mul_f16x2_f16x2

class _mul_rm:
    ftz: _mul_rm_ftz
    sat: _mul_rz_sat
    f32: _mul_f32
    f32x2: _mul_f32x2
    f64: _mul_f64

class _mul_f32(_call_mul_f32): ...

class _mul_f32x2(_call_mul_f32x2): ...

class _mul_f64(_call_mul_f64): ...

class _mul_wide:
    u16: _mul_wide_u16
    u32: _mul_wide_u16
    s16: _mul_wide_u16
    s32: _mul_wide_u16

class _mul_satfinite:
    e4m3x4: _mul_e4m3x4
    e5m2x4: _mul_e4m3x4

class _mul_e4m3x4:
    e4m3x4: _mul_e4m3x4_e4m3x4
    e5m2x4: _mul_e4m3x4_e4m3x4
    e3m2x4: _mul_e4m3x4_e4m3x4
    e2m3x4: _mul_e4m3x4_e4m3x4
    e2m1x4: _mul_e4m3x4_e4m3x4
    e2m1p4x4: _mul_e4m3x4_e4m3x4
    ue8m0x4: _mul_e4m3x4_e4m3x4

class _mul24_lo:
    u32: _mul24_lo_u32
    s32: _mul24_lo_u32

class _multimem_cp:
    async_: _multimem_cp_async
    reduce: _multimem_cp_reduce

class _multimem_ld_reduce:
    weak: _multimem_ld_reduce_weak
    relaxed: _multimem_ld_reduce_weak
    acquire: _multimem_ld_reduce_weak
    cta: _multimem_ld_reduce_cta
    cluster: _multimem_ld_reduce_cta
    gpu: _multimem_ld_reduce_cta
    sys: _multimem_ld_reduce_cta
    global_: _multimem_ld_reduce_global
    add: _multimem_ld_reduce_add
    min: _multimem_ld_reduce_min
    max: _multimem_ld_reduce_min
    and_: _multimem_ld_reduce_and
    or_: _multimem_ld_reduce_and
    xor: _multimem_ld_reduce_and

class _multimem_red:
    relaxed: _multimem_red_relaxed
    release: _multimem_red_relaxed
    cta: _multimem_red_cta
    cluster: _multimem_red_cta
    gpu: _multimem_red_cta
    sys: _multimem_red_cta
    global_: _multimem_red_global
    add: _multimem_red_add
    min: _multimem_red_add
    max: _multimem_red_add
    and_: _multimem_red_add
    or_: _multimem_red_add
    xor: _multimem_red_add
    async_: _multimem_red_async

class _multimem_st:
    weak: _multimem_st_weak
    relaxed: _multimem_st_weak
    release: _multimem_st_weak
    cta: _multimem_st_cta
    cluster: _multimem_st_cta
    gpu: _multimem_st_cta
    sys: _multimem_st_cta
    global_: _multimem_st_global
    v2: _multimem_st_v2
    v4: _multimem_st_v2
    v8: _multimem_st_v2
    u32: _multimem_st_u32
    s32: _multimem_st_u32
    u64: _multimem_st_u32
    s64: _multimem_st_u32
    b32: _multimem_st_u32
    b64: _multimem_st_u32
    f32: _multimem_st_u32
    f64: _multimem_st_u32
    f16: _multimem_st_u32
    bf16: _multimem_st_u32
    f16x2: _multimem_st_u32
    bf16x2: _multimem_st_u32
    e4m3: _multimem_st_u32
    e5m2: _multimem_st_u32
    e4m3x2: _multimem_st_u32
    e5m2x2: _multimem_st_u32
    e4m3x4: _multimem_st_u32
    e5m2x4: _multimem_st_u32
    async_: _multimem_st_async

class _nanosleep_u32(_call_nanosleep_u32): ...

class _neg_s16(_call_neg_s16): ...

class _neg_bf16(_call_neg_bf16): ...

class _neg_s8x4(_call_neg_s8x4): ...

class _neg_ftz:
    f16: _neg_f16
    f16x2: _neg_f16
    f32: _neg_f32

class _neg_f16(_call_neg_f16): ...

class _neg_f32(_call_neg_f32): ...

class _neg_f64(_call_neg_f64): ...

class _neg_u16x2(_call_neg_u16x2): ...

class _not_b16(_call_not_b16): ...

class _not_pred(_call_not_pred): ...

class _or_b16(_call_or_b16): ...

class _or_pred(_call_or_pred): ...

class _pmevent_mask(_call_pmevent_mask): ...

class _popc_b32(_call_popc_b32): ...

class _prefetch_global:
    L1: _prefetch_L1
    L2: _prefetch_L1
    L2__evict_last: _prefetch_L2_evict_last
    L2__evict_normal: _prefetch_L2_evict_last

class _prefetch_local:
    L1: _prefetch_L1
    L2: _prefetch_L1

class _prefetch_L1(_call_prefetch_L1): ...

class _prefetch_L2_evict_last(_call_prefetch_L2_evict_last): ...

class _prefetch_const:
    tensormap: _prefetch_tensormap

class _prefetch_tensormap(_call_prefetch_tensormap): ...

class _prefetch_valid_addr:
    global_: _prefetch_valid_addr_global
    L1__32B: _prefetch_valid_addr_L1_32B

class _prefetchu_L1(_call_prefetchu_L1): ...

class _prmt_b32(_call_prmt_b32):
    f4e: _prmt_b32_f4e
    b4e: _prmt_b32_f4e
    rc8: _prmt_b32_f4e
    ecl: _prmt_b32_f4e
    ecr: _prmt_b32_f4e
    rc16: _prmt_b32_f4e

class _rcp_approx:
    ftz: _rcp_approx_ftz
    f32: _rcp_approx_f32

class _rcp_rn:
    ftz: _rcp_rn_ftz
    f32: _rcp_approx_f32
    f64: _rcp_rn_f64

class _red_relaxed:
    cta: _red_cta
    cluster: _red_cta
    gpu: _red_cta
    sys: _red_cta
    global_: _red_global
    shared: _red_shared
    shared__cta: _red_shared
    shared__cluster: _red_shared
    add: _red_add
    and_: _red_and
    or_: _red_and
    xor: _red_and
    min: _red_min
    max: _red_min
    inc: _red_inc
    dec: _red_inc

class _red_cta:
    global_: _red_global
    shared: _red_shared
    shared__cta: _red_shared
    shared__cluster: _red_shared
    add: _red_add
    and_: _red_and
    or_: _red_and
    xor: _red_and
    min: _red_min
    max: _red_min
    inc: _red_inc
    dec: _red_inc

class _red_global:
    add: _red_add
    and_: _red_and
    or_: _red_and
    xor: _red_and
    min: _red_min
    max: _red_min
    inc: _red_inc
    dec: _red_inc

class _red_shared:
    add: _red_shared_add
    and_: _red_and
    or_: _red_and
    xor: _red_and
    min: _red_shared_min
    max: _red_shared_min
    inc: _red_inc
    dec: _red_inc

class _red_add:
    L2__cache_hint: _red_add_L2_cache_hint
    u32: _red_add_u32
    s32: _red_add_u32
    u64: _red_add_u32
    f32: _red_add_f32
    f64: _red_add_f32
    noftz: _red_add_noftz
    v2: _red_add_v2
    v4: _red_add_v2

class _red_async:
    relaxed: _red_async_relaxed
    mmio: _red_async_mmio
    release: _red_async_release

class _red_and:
    L2__cache_hint: _red_and_L2_cache_hint
    b32: _red_and_b32
    b64: _red_and_b32

class _red_min:
    L2__cache_hint: _red_min_L2_cache_hint
    u32: _red_min_u32
    s32: _red_min_u32
    u64: _red_min_u32
    s64: _red_min_u32
    noftz: _red_min_noftz

class _red_inc:
    L2__cache_hint: _red_inc_L2_cache_hint
    u32: _red_inc_u32

class _redux_sync:
    add: _redux_sync_add
    min: _redux_sync_min
    max: _redux_sync_min
    and_: _redux_sync_and
    or_: _redux_sync_and
    xor: _redux_sync_and

class _rem_u16(_call_rem_u16): ...

class _ret_uni(_call_ret): ...

class _rsqrt_approx:
    ftz: _rsqrt_approx_ftz
    f64: _rsqrt_approx_f64
    f32: _rsqrt_approx_f32

class _sad_u16(_call_sad_u16): ...

class _selp_b16(_call_selp_b16): ...

class _set_eq:
    and_: _set_eq_and
    or_: _set_eq_and
    xor: _set_eq_and
    u32: _set_eq_u32
    s32: _set_eq_u32
    f32: _set_eq_f32
    f16: _set_eq_f16
    bf16: _set_eq_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    bf16x2: _set_eq_bf16x2
    ftz: _set_eq_ftz
    f16x2: _set_eq_f16x2
    u8x4: _set_eq_u8x4
    s8x4: _set_eq_u8x4
    u16x2: _set_eq_u8x4
    s16x2: _set_eq_u8x4

class _set_lo:
    and_: _set_lo_and
    or_: _set_lo_and
    xor: _set_lo_and
    u32: _set_lo_u32
    s32: _set_lo_u32
    f32: _set_lo_u32
    f16: _set_lo_u32
    bf16: _set_lo_bf16
    u8x4: _set_eq_u8x4
    s8x4: _set_eq_u8x4
    u16x2: _set_eq_u8x4
    s16x2: _set_eq_u8x4

class _set_equ:
    and_: _set_equ_and
    or_: _set_equ_and
    xor: _set_equ_and
    bf16: _set_equ_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    u32: _set_equ_u32
    s32: _set_equ_u32
    bf16x2: _set_eq_bf16x2
    ftz: _set_eq_ftz
    f16: _set_equ_f16
    f16x2: _set_eq_f16x2
    f32: _set_equ_f32

class _setmaxnreg_inc:
    sync: _setmaxnreg_inc_sync

class _setp_eq:
    and_: _setp_eq_and
    or_: _setp_eq_and
    xor: _setp_eq_and
    b16: _setp_eq_b16
    b32: _setp_eq_b16
    b64: _setp_eq_b16
    u16: _setp_eq_b16
    u32: _setp_eq_b16
    u64: _setp_eq_b16
    s16: _setp_eq_b16
    s32: _setp_eq_b16
    s64: _setp_eq_b16
    bf16: _setp_eq_bf16
    bf16x2: _setp_eq_bf16x2
    ftz: _setp_eq_ftz
    f16: _setp_eq_f16
    f16x2: _setp_eq_f16x2
    f32: _setp_eq_f32
    f64: _setp_eq_f64

class _setp_lo:
    and_: _setp_lo_and
    or_: _setp_lo_and
    xor: _setp_lo_and
    b16: _setp_eq_b16
    b32: _setp_eq_b16
    b64: _setp_eq_b16
    u16: _setp_eq_b16
    u32: _setp_eq_b16
    u64: _setp_eq_b16
    s16: _setp_eq_b16
    s32: _setp_eq_b16
    s64: _setp_eq_b16

class _setp_equ:
    and_: _setp_equ_and
    or_: _setp_equ_and
    xor: _setp_equ_and
    bf16: _setp_eq_bf16
    bf16x2: _setp_eq_bf16x2
    ftz: _setp_eq_ftz
    f16: _setp_eq_f16
    f16x2: _setp_eq_f16x2
    f32: _setp_eq_f32
    f64: _setp_eq_f64

class _shf_l:
    clamp: _shf_l_clamp
    wrap: _shf_l_clamp

class _shfl_sync:
    up: _shfl_sync_up
    down: _shfl_sync_up
    bfly: _shfl_sync_up
    idx: _shfl_sync_up

class _shl_b16(_call_shl_b16): ...

class _shr_b16(_call_shr_b16): ...

class _sin_approx:
    ftz: _sin_approx_ftz
    f32: _sin_approx_f32

class _slct_b16:
    s32: _slct_b16_s32
    f32: _slct_b16_f32

class _slct_ftz:
    b16: _slct_ftz_b16
    b32: _slct_ftz_b16
    b64: _slct_ftz_b16
    u16: _slct_ftz_b16
    u32: _slct_ftz_b16
    u64: _slct_ftz_b16
    s16: _slct_ftz_b16
    s32: _slct_ftz_b16
    s64: _slct_ftz_b16
    f32: _slct_ftz_b16
    f64: _slct_ftz_b16

class _spcompress_sp_2_4:
    x1: _spcompress_sp_2_4_x1
    x2: _spcompress_sp_2_4_x1
    x4: _spcompress_sp_2_4_x1
    x8: _spcompress_sp_2_4_x1
    x16: _spcompress_sp_2_4_x1
    x32: _spcompress_sp_2_4_x1
    x64: _spcompress_sp_2_4_x1

class _spdecompress_sp_2_4:
    x1: _spdecompress_sp_2_4_x1
    x2: _spdecompress_sp_2_4_x1
    x4: _spdecompress_sp_2_4_x1
    x8: _spdecompress_sp_2_4_x1
    x16: _spdecompress_sp_2_4_x1
    x32: _spdecompress_sp_2_4_x1
    x64: _spdecompress_sp_2_4_x1

class _sqrt_approx:
    ftz: _sqrt_approx_ftz
    f32: _sqrt_approx_f32

class _sqrt_rn:
    ftz: _sqrt_approx_ftz
    f32: _sqrt_approx_f32
    f64: _sqrt_rn_f64

class _st_weak:
    global_: _st_global
    shared: _st_global
    shared__cta: _st_global
    shared__cluster: _st_global
    local: _st_global
    param: _st_global
    param__func: _st_global
    L1__evict_normal: _st_L1_evict_normal
    L1__evict_unchanged: _st_L1_evict_normal
    L1__evict_first: _st_L1_evict_normal
    L1__evict_last: _st_L1_evict_normal
    L1__no_allocate: _st_L1_evict_normal
    L2__evict_last: _st_L2_evict_last
    L2__evict_normal: _st_L2_evict_last
    L2__evict_first: _st_L2_evict_last
    L2__cache_hint: _st_L2_cache_hint
    v2: _st_v2
    v4: _st_v2
    v8: _st_v2
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8
    wb: _st_wb
    cg: _st_wb
    cs: _st_wb
    wt: _st_wb

class _st_global:
    L1__evict_normal: _st_L1_evict_normal
    L1__evict_unchanged: _st_L1_evict_normal
    L1__evict_first: _st_L1_evict_normal
    L1__evict_last: _st_L1_evict_normal
    L1__no_allocate: _st_L1_evict_normal
    L2__evict_last: _st_L2_evict_last
    L2__evict_normal: _st_L2_evict_last
    L2__evict_first: _st_L2_evict_last
    L2__cache_hint: _st_L2_cache_hint
    v2: _st_v2
    v4: _st_v2
    v8: _st_v2
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8
    wb: _st_wb
    cg: _st_wb
    cs: _st_wb
    wt: _st_wb

class _st_L1_evict_normal:
    L2__evict_last: _st_L2_evict_last
    L2__evict_normal: _st_L2_evict_last
    L2__evict_first: _st_L2_evict_last
    L2__cache_hint: _st_L2_cache_hint
    v2: _st_v2
    v4: _st_v2
    v8: _st_v2
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8

class _st_L2_evict_last:
    L2__cache_hint: _st_L2_cache_hint
    v2: _st_v2
    v4: _st_v2
    v8: _st_v2
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8

class _st_L2_cache_hint:
    v2: _st_v2
    v4: _st_v2
    v8: _st_v2
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8

class _st_v2:
    b8: _st_b8
    b16: _st_b8
    b32: _st_b8
    b64: _st_b8
    u8: _st_b8
    u16: _st_b8
    u32: _st_b8
    u64: _st_b8
    s8: _st_b8
    s16: _st_b8
    s32: _st_b8
    s64: _st_b8
    f32: _st_b8
    f64: _st_b8
    b128: _st_b8

class _st_b8(_call_st_b8): ...

class _st_async:
    weak: _st_async_weak
    shared__cluster: _st_async_shared_cluster
    shared: _st_async_shared_cluster
    shared__cta: _st_async_shared_cluster
    mbarrier__complete_tx__bytes: _st_async_mbarrier_complete_tx_bytes
    mmio: _st_async_mmio
    release: _st_async_release

class _st_bulk(_call_st_bulk):
    weak: _st_bulk_weak
    shared__cta: _st_bulk_shared_cta

class _st_wb:
    L2__cache_hint: _st_wb_L2_cache_hint
    v2: _st_wb_v2
    v4: _st_wb_v2
    v8: _st_wb_v2
    b8: _st_wb_b8
    b16: _st_wb_b8
    b32: _st_wb_b8
    b64: _st_wb_b8
    u8: _st_wb_b8
    u16: _st_wb_b8
    u32: _st_wb_b8
    u64: _st_wb_b8
    s8: _st_wb_b8
    s16: _st_wb_b8
    s32: _st_wb_b8
    s64: _st_wb_b8
    f32: _st_wb_b8
    f64: _st_wb_b8
    b128: _st_wb_b8

class _st_mmio:
    relaxed: _st_mmio_relaxed
    release: _st_mmio_release

class _st_relaxed:
    cta: _st_relaxed_cta
    cluster: _st_relaxed_cta
    gpu: _st_relaxed_cta
    sys: _st_relaxed_cta

class _st_volatile:
    global_: _st_volatile_global
    shared: _st_volatile_global
    shared__cta: _st_volatile_global
    shared__cluster: _st_volatile_global
    local: _st_volatile_global
    L2__evict_last: _st_volatile_L2_evict_last
    L2__evict_normal: _st_volatile_L2_evict_last
    L2__evict_first: _st_volatile_L2_evict_last
    v2: _st_volatile_v2
    v4: _st_volatile_v2
    v8: _st_volatile_v2
    b8: _st_volatile_b8
    b16: _st_volatile_b8
    b32: _st_volatile_b8
    b64: _st_volatile_b8
    u8: _st_volatile_b8
    u16: _st_volatile_b8
    u32: _st_volatile_b8
    u64: _st_volatile_b8
    s8: _st_volatile_b8
    s16: _st_volatile_b8
    s32: _st_volatile_b8
    s64: _st_volatile_b8
    f32: _st_volatile_b8
    f64: _st_volatile_b8
    b128: _st_volatile_b8

class _stackrestore_u32(_call_stackrestore_u32): ...

class _stacksave_u32(_call_stacksave_u32): ...

class _stmatrix_sync:
    aligned: _stmatrix_sync_aligned

class _sub_u16(_call_sub_u16): ...

class _sub_rn:
    bf16: _sub_bf16
    bf16x2: _sub_bf16
    ftz: _sub_ftz
    sat: _sub_rn_sat
    f16: _sub_f16
    f16x2: _sub_f16
    f32: _sub_f32
    f32x2: _sub_f32x2
    f64: _sub_f64
    satfinite: _sub_satfinite
    e4m3x4: _sub_e4m3x4
    e5m2x4: _sub_e4m3x4

class _sub_bf16(_call_sub_bf16): ...

class _sub_rz:
    bf16x2: _sub_rz_bf16x2
    ftz: _sub_rz_ftz
    sat: _sub_rz_sat
    f32: _sub_f32
    f32x2: _sub_f32x2
    f64: _sub_f64

class _sub_sat:
    u8x4: _sub_u8x4
    s8x4: _sub_u8x4
    f16: _sub_f16
    f16x2: _sub_f16
    f32: _sub_f32
    s32: _sub_sat_s32

class _sub_u8x4(_call_sub_u8x4): ...

class _sub_cc:
    u32: _sub_cc_u32
    s32: _sub_cc_u32
    u64: _sub_cc_u32
    s64: _sub_cc_u32

class _sub_ftz:
    sat: _sub_ftz_sat
    f16: _sub_f16
    f16x2: _sub_f16
    f32: _sub_ftz_f32
    f32x2: _sub_ftz_f32x2

class _sub_f16(_call_sub_f16): ...

class _sub_rm:
    ftz: _sub_rm_ftz
    sat: _sub_rz_sat
    f32: _sub_f32
    f32x2: _sub_f32x2
    f64: _sub_f64

class _sub_f32(_call_sub_f32):
    f16: _sub_f32_f16
    bf16: _sub_f32_f16

class _sub_f32x2(_call_sub_f32x2):
    bf16x2: _sub_f32x2_bf16x2
    f16x2: _sub_f32x2_f16x2

class _sub_f64(_call_sub_f64): ...

class _sub_u16x2(_call_sub_u16x2): ...

class _sub_satfinite:
    e4m3x4: _sub_e4m3x4
    e5m2x4: _sub_e4m3x4

class _sub_e4m3x4:
    e4m3x4: _sub_e4m3x4_e4m3x4
    e5m2x4: _sub_e4m3x4_e4m3x4
    e3m2x4: _sub_e4m3x4_e4m3x4
    e2m3x4: _sub_e4m3x4_e4m3x4
    e2m1x4: _sub_e4m3x4_e4m3x4
    e2m1p4x4: _sub_e4m3x4_e4m3x4
    ue8m0x4: _sub_e4m3x4_e4m3x4

class _subc_u32(_call_subc_u32): ...

class _subc_cc:
    u32: _subc_cc_u32
    s32: _subc_cc_u32
    u64: _subc_cc_u32
    s64: _subc_cc_u32

class _subc_sat:
    s32: _subc_sat_s32

class _suld_b:
    _1d: _suld_b_1d
    _2d: _suld_b_1d
    _3d: _suld_b_1d
    a1d: _suld_b_1d
    a2d: _suld_b_1d
    _1d_buffer: _suld_b_1d

class _suq_width:
    b32: _suq_width_b32

class _sured_b:
    add: _sured_b_add
    and_: _sured_b_and
    max: _sured_b_max
    min: _sured_b_min
    or_: _sured_b_or

class _sured_p:
    add: _sured_p_add
    min: _sured_p_add
    max: _sured_p_add
    and_: _sured_p_add
    or_: _sured_p_add

class _sust_b:
    _1d: _sust_b_1d
    _2d: _sust_b_1d
    _3d: _sust_b_1d
    a1d: _sust_b_1d
    a2d: _sust_b_1d
    _1d_buffer: _sust_b_1d

class _sust_p:
    _1d: _sust_p_1d
    _2d: _sust_p_1d
    _3d: _sust_p_1d
    a1d: _sust_p_1d
    a2d: _sust_p_1d
    _1d_buffer: _sust_p_1d

class _szext_clamp:
    u32: _szext_clamp_u32
    s32: _szext_clamp_u32

class _tanh_approx:
    bf16: _tanh_approx_bf16
    bf16x2: _tanh_approx_bf16
    f16: _tanh_approx_f16
    f16x2: _tanh_approx_f16
    f32: _tanh_approx_f32

class _tcgen05_alloc:
    cta_group__1: _tcgen05_alloc_cta_group_1
    cta_group__2: _tcgen05_alloc_cta_group_1

class _tcgen05_commit:
    cta_group__1: _tcgen05_commit_cta_group_1
    cta_group__2: _tcgen05_commit_cta_group_1

class _tcgen05_cp:
    cta_group__1: _tcgen05_cp_cta_group_1
    cta_group__2: _tcgen05_cp_cta_group_1

class _tcgen05_dealloc:
    cta_group__1: _tcgen05_dealloc_cta_group_1
    cta_group__2: _tcgen05_dealloc_cta_group_1

class _tcgen05_fence_after_thread_sync(_call_tcgen05_fence_after_thread_sync): ...

class _tcgen05_fence_before_thread_sync(_call_tcgen05_fence_before_thread_sync): ...

class _tcgen05_ld:
    sync: _tcgen05_ld_sync
    red: _tcgen05_ld_red
    spcompress: _tcgen05_ld_spcompress

class _tcgen05_mma:
    cta_group__1: _tcgen05_mma_cta_group_1
    cta_group__2: _tcgen05_mma_cta_group_1
    sp: _tcgen05_mma_sp
    ws: _tcgen05_mma_ws

class _tcgen05_relinquish_alloc_permit:
    cta_group__1: _tcgen05_relinquish_alloc_permit_cta_group_1
    cta_group__2: _tcgen05_relinquish_alloc_permit_cta_group_1

class _tcgen05_shift:
    cta_group__1: _tcgen05_shift_cta_group_1
    cta_group__2: _tcgen05_shift_cta_group_1

class _tcgen05_st:
    sync: _tcgen05_st_sync

class _tcgen05_wait_ld:
    sync: _tcgen05_wait_ld_sync

class _tcgen05_wait_st:
    sync: _tcgen05_wait_st_sync

class _tensormap_cp_fenceproxy:
    global_: _tensormap_cp_fenceproxy_global

class _tensormap_query:
    alloc_class_large: _tensormap_query_alloc_class_large

class _tensormap_replace:
    tile: _tensormap_replace_tile

class _testp_finite:
    f32: _testp_finite_f32
    f64: _testp_finite_f64

class _tex_grad:
    _1d: _tex_grad_1d
    _2d: _tex_grad_1d
    _3d: _tex_grad_3d
    a1d: _tex_grad_1d
    a2d: _tex_grad_1d
    cube: _tex_grad_cube
    acube: _tex_grad_cube

class _tex_level:
    _1d: _tex_level_1d
    _2d: _tex_level_1d
    _3d: _tex_level_3d
    a1d: _tex_level_1d
    a2d: _tex_level_1d
    cube: _tex_level_cube
    acube: _tex_level_cube

class _tex_base:
    _1d: _tex_1d
    _2d: _tex_1d
    _3d: _tex_3d
    a1d: _tex_1d
    a2d: _tex_1d
    cube: _tex_cube
    acube: _tex_cube
    _2dms: _tex_2dms
    a2dms: _tex_2dms

class _tex_1d:
    v4: _tex_1d_v4
    v2: _tex_1d_v4

class _tex_3d:
    v4: _tex_3d_v4
    v2: _tex_3d_v4

class _tex_cube:
    v4: _tex_cube_v4
    v2: _tex_cube_v4

class _tex_2dms:
    v4: _tex_2dms_v4
    v2: _tex_2dms_v4

class _tld4_r:
    _2d: _tld4_r_2d
    a2d: _tld4_r_2d
    cube: _tld4_r_cube
    acube: _tld4_r_cube

class _trace_mark(_call_trace_mark): ...

class _txq_width:
    b32: _txq_width_b32

class _txq_level:
    width: _txq_level_width
    height: _txq_level_width
    depth: _txq_level_width

class _vabsdiff_u32:
    u32: _vabsdiff_u32_u32
    s32: _vabsdiff_u32_u32

class _vabsdiff2_u32:
    u32: _vabsdiff2_u32_u32
    s32: _vabsdiff2_u32_u32

class _vabsdiff4_u32:
    u32: _vabsdiff4_u32_u32
    s32: _vabsdiff4_u32_u32

class _vadd_u32:
    u32: _vadd_u32_u32
    s32: _vadd_u32_u32

class _vadd2_u32:
    u32: _vadd2_u32_u32
    s32: _vadd2_u32_u32

class _vadd4_u32:
    u32: _vadd4_u32_u32
    s32: _vadd4_u32_u32

class _vavrg2_u32:
    u32: _vavrg2_u32_u32
    s32: _vavrg2_u32_u32

class _vavrg4_u32:
    u32: _vavrg4_u32_u32
    s32: _vavrg4_u32_u32

class _vmad_u32:
    u32: _vmad_u32_u32
    s32: _vmad_u32_u32

class _vmax_u32:
    u32: _vmax_u32_u32
    s32: _vmax_u32_u32

class _vmax2_u32:
    u32: _vmax2_u32_u32
    s32: _vmax2_u32_u32

class _vmax4_u32:
    u32: _vmax4_u32_u32
    s32: _vmax4_u32_u32

class _vmin_u32:
    u32: _vmin_u32_u32
    s32: _vmin_u32_u32

class _vmin2_u32:
    u32: _vmin2_u32_u32
    s32: _vmin2_u32_u32

class _vmin4_u32:
    u32: _vmin4_u32_u32
    s32: _vmin4_u32_u32

class _vote_sync:
    all: _vote_sync_all
    any: _vote_sync_all
    uni: _vote_sync_all
    ballot: _vote_sync_ballot

class _vset_u32:
    u32: _vset_u32_u32
    s32: _vset_u32_u32

class _vset2_u32:
    u32: _vset2_u32_u32
    s32: _vset2_u32_u32

class _vset4_u32:
    u32: _vset4_u32_u32
    s32: _vset4_u32_u32

class _vshl_u32:
    u32: _vshl_u32_u32
    s32: _vshl_u32_u32

class _vshr_u32:
    u32: _vshr_u32_u32
    s32: _vshr_u32_u32

class _vsub_u32:
    u32: _vsub_u32_u32
    s32: _vsub_u32_u32

class _vsub2_u32:
    u32: _vsub2_u32_u32
    s32: _vsub2_u32_u32

class _vsub4_u32:
    u32: _vsub4_u32_u32
    s32: _vsub4_u32_u32

class _wgmma_commit_group:
    sync: _wgmma_commit_group_sync

class _wgmma_fence:
    sync: _wgmma_fence_sync

class _wgmma_mma_async:
    sync: _wgmma_mma_async_sync
    sp: _wgmma_mma_async_sp

class _wgmma_wait_group:
    sync: _wgmma_wait_group_sync

class _wmma_load:
    a: _wmma_load_a
    b: _wmma_load_b
    c: _wmma_load_c

class _wmma_mma:
    xor: _wmma_mma_xor
    and_: _wmma_mma_xor
    sync: _wmma_mma_sync

class _wmma_store:
    d: _wmma_store_d

class _xor_b16(_call_xor_b16): ...

class _xor_pred(_call_xor_pred): ...

class _add_rn_sat:
    f16: _add_f16
    f16x2: _add_f16
    f32: _add_f32

class _add_rz_bf16x2:
    f32x2: _add_rz_bf16x2_f32x2

class _add_rz_ftz:
    f16x2: _add_rz_ftz_f16x2
    sat: _add_rz_ftz_sat
    f32: _add_ftz_f32
    f32x2: _add_ftz_f32x2

class _add_rz_sat:
    f32: _add_f32

class _add_sat_u16x2(_call_add_sat_u16x2): ...

class _add_sat_s32(_call_add_sat_s32): ...

class _add_cc_u32(_call_add_cc_u32): ...

class _add_ftz_sat:
    f16: _add_f16
    f16x2: _add_f16
    f32: _add_ftz_f32

class _add_ftz_f32(_call_add_f32): ...

class _add_ftz_f32x2(_call_add_f32x2): ...

class _add_rm_ftz:
    sat: _add_rz_ftz_sat
    f32: _add_ftz_f32
    f32x2: _add_ftz_f32x2

class _add_f32_f16(_call_add_f32_f16): ...

class _add_f32x2_bf16x2:
    f32x2: _add_f32x2_bf16x2_f32x2

class _add_f32x2_f16x2:
    f32x2: _add_f32x2_f16x2_f32x2

class _add_e4m3x4_e4m3x4(_call_add_e4m3x4_e4m3x4): ...

class _addc_cc_u32(_call_addc_cc_u32): ...

class _addc_sat_s32(_call_addc_sat_s32): ...

class _applypriority_async_bulk:
    global_: _applypriority_async_bulk_global
    bulk_group: _applypriority_async_bulk_bulk_group
    tensor: _applypriority_async_bulk_tensor

class _atom_shared_add:
    L2__cache_hint: _atom_shared_add_L2_cache_hint
    u32: _atom_add_u32
    s32: _atom_add_u32
    u64: _atom_add_u32
    f32: _atom_add_f32
    f64: _atom_add_f32
    noftz: _atom_shared_add_noftz

class _atom_shared_min:
    L2__cache_hint: _atom_min_L2_cache_hint
    u32: _atom_min_u32
    s32: _atom_min_u32
    u64: _atom_min_u32
    s64: _atom_min_u32

class _atom_add_L2_cache_hint:
    u32: _atom_add_u32
    s32: _atom_add_u32
    u64: _atom_add_u32
    f32: _atom_add_f32
    f64: _atom_add_f32
    v2: _atom_add_v2
    v4: _atom_add_v2

class _atom_add_u32(_call_atom_add_u32): ...

class _atom_add_f32(_call_atom_add_f32): ...

class _atom_add_noftz:
    L2__cache_hint: _atom_add_noftz_L2_cache_hint
    f16: _atom_add_noftz_f16
    f16x2: _atom_add_noftz_f16
    bf16: _atom_add_noftz_f16
    bf16x2: _atom_add_noftz_f16
    f32: _atom_add_noftz_f32
    v2: _atom_add_noftz_v2
    v4: _atom_add_noftz_v2
    v8: _atom_add_noftz_v8

class _atom_add_v2:
    f32: _atom_add_v2_f32

class _atom_and_L2_cache_hint:
    b32: _atom_and_b32
    b64: _atom_and_b32

class _atom_and_b32(_call_atom_and_b32): ...

class _atom_cas_L2_cache_hint:
    b16: _atom_cas_b16
    b32: _atom_cas_b16
    b64: _atom_cas_b16
    b128: _atom_cas_b16

class _atom_cas_b16(_call_atom_cas_b16): ...

class _atom_exch_L2_cache_hint:
    b32: _atom_exch_b32
    b64: _atom_exch_b32
    b128: _atom_exch_b32

class _atom_exch_b32(_call_atom_exch_b32): ...

class _atom_min_L2_cache_hint:
    u32: _atom_min_u32
    s32: _atom_min_u32
    u64: _atom_min_u32
    s64: _atom_min_u32

class _atom_min_u32(_call_atom_min_u32): ...

class _atom_min_noftz:
    L2__cache_hint: _atom_min_noftz_L2_cache_hint
    v2: _atom_min_noftz_v2
    v4: _atom_min_noftz_v2
    v8: _atom_add_noftz_v8

class _atom_inc_L2_cache_hint:
    u32: _atom_inc_u32

class _atom_inc_u32(_call_atom_inc_u32): ...

class _bar_cta_arrive(_call_bar_cta_arrive): ...

class _bar_cta_red:
    and_: _bar_cta_red_and
    or_: _bar_cta_red_and
    popc: _bar_cta_red_popc

class _bar_cta_sync(_call_bar_cta_sync): ...

class _bar_red_and:
    pred: _bar_red_and_pred

class _bar_red_popc:
    u32: _bar_red_popc_u32

class _bar_warp_sync(_call_bar_warp_sync):
    no_membermask_overlap: _bar_warp_sync_no_membermask_overlap

class _barrier_arrive_aligned(_call_barrier_arrive): ...

class _barrier_cluster_arrive(_call_barrier_cluster_arrive):
    release: _barrier_cluster_arrive_release
    relaxed: _barrier_cluster_arrive_release
    aligned: _barrier_cluster_arrive_aligned

class _barrier_cluster_wait(_call_barrier_cluster_wait):
    acquire: _barrier_cluster_wait_acquire
    aligned: _barrier_cluster_wait_aligned

class _barrier_cta_arrive(_call_barrier_cta_arrive):
    aligned: _barrier_cta_arrive_aligned

class _barrier_cta_red:
    and_: _barrier_cta_red_and
    or_: _barrier_cta_red_and
    popc: _barrier_cta_red_popc

class _barrier_cta_sync(_call_barrier_cta_sync):
    aligned: _barrier_cta_sync_aligned

class _barrier_red_and:
    aligned: _barrier_red_and_aligned
    pred: _barrier_red_and_pred

class _barrier_red_popc:
    aligned: _barrier_red_popc_aligned
    u32: _barrier_red_popc_u32

class _barrier_sync_aligned(_call_barrier_sync): ...

class _bmsk_clamp_b32(_call_bmsk_clamp_b32): ...

class _brx_idx_uni(_call_brx_idx): ...

class _clmad_lo_u64(_call_clmad_lo_u64): ...

class _clusterlaunchcontrol_query_cancel_get_first_ctaid:
    v4: _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4

class _clusterlaunchcontrol_query_cancel_get_first_ctaid_x:
    b32: _clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32

class _clusterlaunchcontrol_query_cancel_is_canceled:
    pred: _clusterlaunchcontrol_query_cancel_is_canceled_pred

class _clusterlaunchcontrol_try_cancel_async:
    shared__cta: _clusterlaunchcontrol_try_cancel_async_shared_cta
    mbarrier__complete_tx__bytes: _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes

class _cos_approx_ftz:
    f32: _cos_approx_f32

class _cos_approx_f32(_call_cos_approx_f32): ...

class _cp_async_ca:
    shared: _cp_async_ca_shared
    shared__cta: _cp_async_ca_shared

class _cp_async_bulk:
    commit_group: _cp_async_bulk_commit_group
    weak: _cp_async_bulk_weak
    shared__cluster: _cp_async_bulk_shared_cluster
    relaxed: _cp_async_bulk_relaxed
    global_: _cp_async_bulk_global
    shared__cta: _cp_async_bulk_shared_cta
    prefetch: _cp_async_bulk_prefetch
    tensor: _cp_async_bulk_tensor
    wait_group: _cp_async_bulk_wait_group

class _cp_async_commit_group(_call_cp_async_commit_group): ...

class _cp_async_mbarrier:
    arrive: _cp_async_mbarrier_arrive

class _cp_async_wait_all(_call_cp_async_wait_all): ...

class _cp_async_wait_group(_call_cp_async_wait_group): ...

class _cp_reduce_async:
    bulk: _cp_reduce_async_bulk

class _createpolicy_cvt_L2:
    b64: _createpolicy_cvt_L2_b64

class _createpolicy_fractional_L2_evict_last:
    L2__evict_first: _createpolicy_fractional_L2_evict_last_L2_evict_first
    L2__evict_unchanged: _createpolicy_fractional_L2_evict_last_L2_evict_first
    b64: _createpolicy_fractional_L2_evict_last_b64

class _createpolicy_range_global:
    L2__evict_last: _createpolicy_range_L2_evict_last
    L2__evict_normal: _createpolicy_range_L2_evict_last
    L2__evict_first: _createpolicy_range_L2_evict_last
    L2__evict_unchanged: _createpolicy_range_L2_evict_last

class _createpolicy_range_L2_evict_last:
    L2__evict_first: _createpolicy_range_L2_evict_last_L2_evict_first
    L2__evict_unchanged: _createpolicy_range_L2_evict_last_L2_evict_first
    b64: _createpolicy_range_L2_evict_last_b64

class _createpolicy_range_fabric:
    global_: _createpolicy_range_fabric_global
    L2__evict_last: _createpolicy_range_fabric_L2_evict_last
    L2__evict_normal: _createpolicy_range_fabric_L2_evict_last
    L2__evict_first: _createpolicy_range_fabric_L2_evict_last
    L2__evict_unchanged: _createpolicy_range_fabric_L2_evict_last

class _cvt_u8_u8(_call_cvt_u8_u8): ...

class _cvt_rn_satfinite:
    scaled__n2__ue8m0: _cvt_rn_satfinite_scaled_n2_ue8m0
    bf16x2: _cvt_rn_satfinite_bf16x2
    relu: _cvt_rn_satfinite_relu
    e4m3x2: _cvt_rn_satfinite_e4m3x2
    e5m2x2: _cvt_rn_satfinite_e4m3x2
    f16: _cvt_rn_satfinite_f16
    bf16: _cvt_rn_satfinite_f16
    f16x2: _cvt_rz_f16x2
    pzo: _cvt_rn_satfinite_pzo
    s2f6x2: _cvt_rn_satfinite_s2f6x2
    e2m1x2: _cvt_rn_satfinite_e2m1x2
    e2m3x2: _cvt_rn_satfinite_e2m1x2
    e3m2x2: _cvt_rn_satfinite_e2m1x2
    tf32: _cvt_rn_tf32
    scaled__n1__ue8m0: _cvt_rn_satfinite_scaled_n1_ue8m0
    ue5m3x2: _cvt_rn_ue5m3x2

class _cvt_rn_scaled_n2_ue8m0:
    bf16x2: _cvt_rn_scaled_n2_ue8m0_bf16x2

class _cvt_rn_bf16x2:
    ue5m3x2: _cvt_rn_bf16x2_ue5m3x2
    s2f6x2: _cvt_rn_bf16x2_s2f6x2
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2
    ue8m0x2: _cvt_rn_bf16x2_ue8m0x2
    f32: _cvt_rn_bf16x2_f32

class _cvt_rn_f16x2:
    ue5m3x2: _cvt_rn_f16x2_ue5m3x2
    e4m3x2: _cvt_rn_f16x2_e4m3x2
    e5m2x2: _cvt_rn_f16x2_e4m3x2
    e2m1x2: _cvt_rn_f16x2_e2m1x2
    e2m3x2: _cvt_rn_f16x2_e2m1x2
    e3m2x2: _cvt_rn_f16x2_e2m1x2
    f32: _cvt_rn_bf16x2_f32

class _cvt_rn_ftz:
    sat: _cvt_rn_sat
    f16: _cvt_rn_f32
    bf16: _cvt_rn_f32
    f32: _cvt_rn_f32
    f64: _cvt_rn_f32

class _cvt_rn_sat:
    f16: _cvt_rn_f32
    bf16: _cvt_rn_f32
    f32: _cvt_rn_f32
    f64: _cvt_rn_f32

class _cvt_rn_f16:
    f16: _cvt_f16_f16
    bf16: _cvt_f16_f16
    f32: _cvt_rn_f16_f32
    f64: _cvt_f16_f16
    u8: _cvt_rn_f16_u8
    u16: _cvt_rn_f16_u8
    u32: _cvt_rn_f16_u8
    u64: _cvt_rn_f16_u8
    s8: _cvt_rn_f16_u8
    s16: _cvt_rn_f16_u8
    s32: _cvt_rn_f16_u8
    s64: _cvt_rn_f16_u8

class _cvt_rn_f32:
    f16: _cvt_f16_f16
    bf16: _cvt_f16_f16
    f32: _cvt_f16_f16
    f64: _cvt_f16_f16
    u8: _cvt_rn_f16_u8
    u16: _cvt_rn_f16_u8
    u32: _cvt_rn_f16_u8
    u64: _cvt_rn_f16_u8
    s8: _cvt_rn_f16_u8
    s16: _cvt_rn_f16_u8
    s32: _cvt_rn_f16_u8
    s64: _cvt_rn_f16_u8

class _cvt_rn_relu:
    f16x2: _cvt_rn_relu_f16x2
    scaled__n2__ue8m0: _cvt_rn_relu_scaled_n2_ue8m0
    bf16x2: _cvt_rn_relu_bf16x2
    satfinite: _cvt_rn_relu_satfinite
    f16: _cvt_rn_satfinite_f16
    bf16: _cvt_rn_satfinite_f16
    pzo: _cvt_rn_pzo
    tf32: _cvt_rn_tf32

class _cvt_rn_pzo:
    f16: _cvt_rn_pzo_f16
    bf16: _cvt_rn_pzo_f16
    f16x2: _cvt_rn_pzo_f16x2
    bf16x2: _cvt_rn_pzo_f16x2
    tf32: _cvt_rn_pzo_tf32

class _cvt_rn_tf32:
    f32: _cvt_rn_tf32_f32

class _cvt_rn_ue5m3x2:
    f32: _cvt_rn_ue5m3x2_f32
    f16x2: _cvt_rn_ue5m3x2_f16x2
    bf16x2: _cvt_rn_ue5m3x2_f16x2

class _cvt_rn_scaled_n1_ue8m0:
    ue5m3x2: _cvt_rn_scaled_n1_ue8m0_ue5m3x2

class _cvt_rz_relu:
    satfinite: _cvt_rz_relu_satfinite
    f16: _cvt_rn_satfinite_f16
    bf16: _cvt_rn_satfinite_f16
    f16x2: _cvt_rz_f16x2
    bf16x2: _cvt_rz_f16x2
    pzo: _cvt_rn_pzo
    tf32: _cvt_rn_tf32

class _cvt_rz_satfinite:
    f16: _cvt_rn_satfinite_f16
    bf16: _cvt_rn_satfinite_f16
    f16x2: _cvt_rz_f16x2
    bf16x2: _cvt_rz_f16x2
    pzo: _cvt_rn_satfinite_pzo
    relu: _cvt_rz_satfinite_relu
    scaled__n2__ue8m0: _cvt_rz_satfinite_scaled_n2_ue8m0
    s2f6x2: _cvt_rz_satfinite_s2f6x2
    tf32: _cvt_rn_tf32
    scaled__n1__ue8m0: _cvt_rn_satfinite_scaled_n1_ue8m0
    e4m3x2: _cvt_rz_satfinite_e4m3x2
    e5m2x2: _cvt_rz_satfinite_e4m3x2
    e2m1x2: _cvt_rz_satfinite_e4m3x2
    e2m3x2: _cvt_rz_satfinite_e4m3x2
    e3m2x2: _cvt_rz_satfinite_e4m3x2
    ue5m3x2: _cvt_rn_ue5m3x2
    ue8m0x2: _cvt_rz_ue8m0x2

class _cvt_rz_f16x2:
    f32: _cvt_rn_bf16x2_f32

class _cvt_rz_ue8m0x2:
    f32: _cvt_rz_ue8m0x2_f32
    bf16x2: _cvt_rz_ue8m0x2_bf16x2

class _cvt_rp_satfinite:
    ue5m3x2: _cvt_rn_ue5m3x2
    ue8m0x2: _cvt_rz_ue8m0x2

class _cvt_ftz_sat:
    f16: _cvt_f16
    bf16: _cvt_f16
    f32: _cvt_f16
    f64: _cvt_f16

class _cvt_f16_f16(_call_cvt_f16_f16): ...

class _cvt_rni_ftz:
    sat: _cvt_rni_sat
    f16: _cvt_rni_f16
    bf16: _cvt_rni_f16
    f32: _cvt_rni_f16
    f64: _cvt_rni_f16
    u8: _cvt_rni_u8
    u16: _cvt_rni_u8
    u32: _cvt_rni_u8
    u64: _cvt_rni_u8
    s8: _cvt_rni_u8
    s16: _cvt_rni_u8
    s32: _cvt_rni_u8
    s64: _cvt_rni_u8

class _cvt_rni_sat:
    f16: _cvt_rni_f16
    bf16: _cvt_rni_f16
    f32: _cvt_rni_f16
    f64: _cvt_rni_f16
    u8: _cvt_rni_u8
    u16: _cvt_rni_u8
    u32: _cvt_rni_u8
    u64: _cvt_rni_u8
    s8: _cvt_rni_u8
    s16: _cvt_rni_u8
    s32: _cvt_rni_u8
    s64: _cvt_rni_u8

class _cvt_rni_f16:
    f16: _cvt_rni_f16_f16
    bf16: _cvt_rni_f16_f16
    f32: _cvt_rni_f16_f16
    f64: _cvt_rni_f16_f16

class _cvt_rni_u8:
    f16: _cvt_rni_u8_f16
    bf16: _cvt_rni_u8_f16
    f32: _cvt_rni_u8_f16
    f64: _cvt_rni_u8_f16

class _cvt_pack_sat:
    u16: _cvt_pack_sat_u16
    s16: _cvt_pack_sat_u16
    u8: _cvt_pack_sat_u8
    s8: _cvt_pack_sat_u8
    u4: _cvt_pack_sat_u8
    s4: _cvt_pack_sat_u8
    u2: _cvt_pack_sat_u8
    s2: _cvt_pack_sat_u8

class _cvt_rs_relu:
    satfinite: _cvt_rs_satfinite
    f16x2: _cvt_rs_f16x2
    bf16x2: _cvt_rs_f16x2

class _cvt_rs_satfinite:
    f16x2: _cvt_rs_f16x2
    bf16x2: _cvt_rs_f16x2
    e4m3x4: _cvt_rs_satfinite_e4m3x4
    e5m2x4: _cvt_rs_satfinite_e4m3x4
    e2m3x4: _cvt_rs_satfinite_e4m3x4
    e3m2x4: _cvt_rs_satfinite_e4m3x4
    e2m1x4: _cvt_rs_satfinite_e4m3x4

class _cvt_rs_f16x2:
    f32: _cvt_rs_f16x2_f32

class _cvt_rna_satfinite:
    tf32: _cvt_rna_tf32

class _cvt_rna_tf32:
    f32: _cvt_rna_tf32_f32

class _cvta_global_u64(_call_cvta_global_u64): ...

class _cvta_to_global:
    u64: _cvta_to_global_u64
    u32: _cvta_to_global_u64

class _div_approx_ftz:
    f32: _div_approx_f32

class _div_approx_f32(_call_div_approx_f32): ...

class _div_rn_f64(_call_div_rn_f64): ...

class _dp2a_lo_u32:
    u32: _dp2a_lo_u32_u32
    s32: _dp2a_lo_u32_u32

class _dp4a_u32_u32(_call_dp4a_u32_u32): ...

class _ex2_approx_ftz:
    bf16: _ex2_approx_ftz_bf16
    bf16x2: _ex2_approx_ftz_bf16
    f32: _ex2_approx_f32

class _ex2_approx_f16(_call_ex2_approx_f16): ...

class _ex2_approx_f32(_call_ex2_approx_f32): ...

class _fabric_submit_op_restrict_fetching(_call_fabric_submit): ...

class _fabric_submit_commit_group(_call_fabric_submit_commit_group): ...

class _fabric_try_atom_async:
    relaxed: _fabric_try_atom_async_relaxed

class _fabric_try_get_async:
    relaxed: _fabric_try_get_async_relaxed
    sys: _fabric_try_get_async_sys
    shared__cta: _fabric_try_get_async_shared_cta

class _fabric_try_pullred_async:
    relaxed: _fabric_try_pullred_async_relaxed
    sys: _fabric_try_pullred_async_sys
    sync: _fabric_try_pullred_async_sync

class _fabric_try_put_async:
    relaxed: _fabric_try_put_async_relaxed
    sys: _fabric_try_put_async_sys
    multimem: _fabric_try_put_async_multimem
    shared__cta: _fabric_try_put_async_shared_cta

class _fabric_try_red_async:
    relaxed: _fabric_try_red_async_relaxed
    sys: _fabric_try_red_async_sys
    multimem: _fabric_try_red_async_multimem
    shared__cta: _fabric_try_red_async_shared_cta

class _fabric_wait_sync_restrict_reads(_call_fabric_wait_sync_restrict_reads): ...

class _fabric_wait_sync_restrict_read(_call_fabric_wait_sync_restrict_read): ...

class _fence_release_alias:
    sync_restrict__read: _fence_release_alias_sync_restrict_read

class _fence_release_cta(_call_fence_release_cta): ...

class _fence_release_sync_restrict_shared_cluster:
    cluster: _fence_release_sync_restrict_shared_cluster_cluster

class _fence_mbarrier_init_release:
    cluster: _fence_mbarrier_init_release_cluster

class _fence_proxy_alias(_call_fence_proxy_alias):
    acquire: _fence_proxy_alias_acquire
    release: _fence_proxy_alias_acquire

class _fence_proxy_async(_call_fence_proxy_async):
    global_: _fence_proxy_async_global
    shared__cta: _fence_proxy_async_global
    shared__cluster: _fence_proxy_async_global

class _fence_proxy_async_generic:
    acquire: _fence_proxy_async_generic_acquire
    release: _fence_proxy_async_generic_release

class _fence_proxy_fabric_fabric:
    alias: _fence_proxy_fabric_fabric_alias

class _fence_proxy_fabric_generic:
    alias: _fence_proxy_fabric_generic_alias

class _fence_proxy_generic_fabric:
    alias: _fence_proxy_generic_fabric_alias

class _fence_proxy_tensormap_generic:
    acquire: _fence_proxy_tensormap_generic_acquire
    release: _fence_proxy_tensormap_generic_release

class _fma_rn_relu:
    bf16: _fma_rn_bf16
    bf16x2: _fma_rn_bf16
    f16: _fma_rn_f16
    f16x2: _fma_rn_f16

class _fma_rn_bf16(_call_fma_rn_bf16): ...

class _fma_rn_ftz:
    sat: _fma_rn_ftz_sat
    relu: _fma_rn_ftz_relu
    f16: _fma_rn_f16
    f16x2: _fma_rn_f16
    f32: _fma_rn_ftz_f32
    f32x2: _fma_rn_ftz_f32x2

class _fma_rn_sat:
    f16: _fma_rn_f16
    f16x2: _fma_rn_f16
    f32: _fma_rn_f32

class _fma_rn_f16(_call_fma_rn_f16): ...

class _fma_rn_f32(_call_fma_rn_f32):
    f16: _fma_rn_f32_f16
    bf16: _fma_rn_f32_f16

class _fma_rn_f32x2(_call_fma_rn_f32x2):
    bf16x2: _fma_rn_f32x2_bf16x2
    f16x2: _fma_rn_f32x2_f16x2

class _fma_rn_f64(_call_fma_rn_f64): ...

class _fma_rn_oob:
    relu: _fma_rn_oob_relu
    f16: _fma_rn_oob_f16
    f16x2: _fma_rn_oob_f16
    bf16: _fma_rn_oob_f16
    bf16x2: _fma_rn_oob_f16

class _fma_rz_ftz:
    sat: _fma_rz_ftz_sat
    f32: _fma_rn_ftz_f32
    f32x2: _fma_rn_ftz_f32x2

class _fma_rz_sat:
    f32: _fma_rn_f32

class _fma_e4m3x4_e4m3x4:
    e4m3x4: _fma_e4m3x4_e4m3x4_e4m3x4
    e5m2x4: _fma_e4m3x4_e4m3x4_e4m3x4
    e3m2x4: _fma_e4m3x4_e4m3x4_e4m3x4
    e2m3x4: _fma_e4m3x4_e4m3x4_e4m3x4
    e2m1x4: _fma_e4m3x4_e4m3x4_e4m3x4
    e2m1p4x4: _fma_e4m3x4_e4m3x4_e4m3x4
    ue8m0x4: _fma_e4m3x4_e4m3x4_e4m3x4

class _ld_global_ca:
    L2__cache_hint: _ld_ca_L2_cache_hint
    L2__64B: _ld_ca_L2_64B
    L2__128B: _ld_ca_L2_64B
    L2__256B: _ld_ca_L2_64B
    v2: _ld_ca_v2
    v4: _ld_ca_v2
    v8: _ld_ca_v2
    b8: _ld_ca_b8
    b16: _ld_ca_b8
    b32: _ld_ca_b8
    b64: _ld_ca_b8
    u8: _ld_ca_b8
    u16: _ld_ca_b8
    u32: _ld_ca_b8
    u64: _ld_ca_b8
    s8: _ld_ca_b8
    s16: _ld_ca_b8
    s32: _ld_ca_b8
    s64: _ld_ca_b8
    f32: _ld_ca_b8
    f64: _ld_ca_b8
    b128: _ld_ca_b8
    nc: _ld_global_nc

class _ld_global_nc:
    L1__evict_normal: _ld_global_nc_L1_evict_normal
    L1__evict_unchanged: _ld_global_nc_L1_evict_normal
    L1__evict_first: _ld_global_nc_L1_evict_normal
    L1__evict_last: _ld_global_nc_L1_evict_normal
    L1__no_allocate: _ld_global_nc_L1_evict_normal
    L2__evict_last: _ld_global_nc_L2_evict_last
    L2__evict_normal: _ld_global_nc_L2_evict_last
    L2__evict_first: _ld_global_nc_L2_evict_last
    L2__cache_hint: _ld_global_nc_L2_cache_hint
    L2__64B: _ld_global_nc_L2_64B
    L2__128B: _ld_global_nc_L2_64B
    L2__256B: _ld_global_nc_L2_64B
    v2: _ld_global_nc_v2
    v4: _ld_global_nc_v2
    v8: _ld_global_nc_v2
    b8: _ld_global_nc_b8
    b16: _ld_global_nc_b8
    b32: _ld_global_nc_b8
    b64: _ld_global_nc_b8
    u8: _ld_global_nc_b8
    u16: _ld_global_nc_b8
    u32: _ld_global_nc_b8
    u64: _ld_global_nc_b8
    s8: _ld_global_nc_b8
    s16: _ld_global_nc_b8
    s32: _ld_global_nc_b8
    s64: _ld_global_nc_b8
    f32: _ld_global_nc_b8
    f64: _ld_global_nc_b8
    b128: _ld_global_nc_b8

class _ld_ca_L2_cache_hint:
    L2__64B: _ld_ca_L2_64B
    L2__128B: _ld_ca_L2_64B
    L2__256B: _ld_ca_L2_64B
    v2: _ld_ca_v2
    v4: _ld_ca_v2
    v8: _ld_ca_v2
    b8: _ld_ca_b8
    b16: _ld_ca_b8
    b32: _ld_ca_b8
    b64: _ld_ca_b8
    u8: _ld_ca_b8
    u16: _ld_ca_b8
    u32: _ld_ca_b8
    u64: _ld_ca_b8
    s8: _ld_ca_b8
    s16: _ld_ca_b8
    s32: _ld_ca_b8
    s64: _ld_ca_b8
    f32: _ld_ca_b8
    f64: _ld_ca_b8
    b128: _ld_ca_b8

class _ld_ca_L2_64B:
    v2: _ld_ca_v2
    v4: _ld_ca_v2
    v8: _ld_ca_v2
    b8: _ld_ca_b8
    b16: _ld_ca_b8
    b32: _ld_ca_b8
    b64: _ld_ca_b8
    u8: _ld_ca_b8
    u16: _ld_ca_b8
    u32: _ld_ca_b8
    u64: _ld_ca_b8
    s8: _ld_ca_b8
    s16: _ld_ca_b8
    s32: _ld_ca_b8
    s64: _ld_ca_b8
    f32: _ld_ca_b8
    f64: _ld_ca_b8
    b128: _ld_ca_b8

class _ld_ca_v2:
    b8: _ld_ca_b8
    b16: _ld_ca_b8
    b32: _ld_ca_b8
    b64: _ld_ca_b8
    u8: _ld_ca_b8
    u16: _ld_ca_b8
    u32: _ld_ca_b8
    u64: _ld_ca_b8
    s8: _ld_ca_b8
    s16: _ld_ca_b8
    s32: _ld_ca_b8
    s64: _ld_ca_b8
    f32: _ld_ca_b8
    f64: _ld_ca_b8
    b128: _ld_ca_b8

class _ld_ca_b8(_call_ld_ca_b8): ...

class _ld_mmio_relaxed:
    sys: _ld_mmio_relaxed_sys

class _ld_mmio_acquire:
    sys: _ld_mmio_acquire_sys

class _ld_proxy_readonly_nc:
    L2__evict_last: _ld_proxy_readonly_L2_evict_last
    L2__evict_normal: _ld_proxy_readonly_L2_evict_last
    L2__evict_first: _ld_proxy_readonly_L2_evict_last
    v2: _ld_proxy_readonly_v2
    v4: _ld_proxy_readonly_v2
    v8: _ld_proxy_readonly_v2
    b8: _ld_proxy_readonly_b8
    b16: _ld_proxy_readonly_b8
    b32: _ld_proxy_readonly_b8
    b64: _ld_proxy_readonly_b8
    u8: _ld_proxy_readonly_b8
    u16: _ld_proxy_readonly_b8
    u32: _ld_proxy_readonly_b8
    u64: _ld_proxy_readonly_b8
    s8: _ld_proxy_readonly_b8
    s16: _ld_proxy_readonly_b8
    s32: _ld_proxy_readonly_b8
    s64: _ld_proxy_readonly_b8
    f32: _ld_proxy_readonly_b8
    f64: _ld_proxy_readonly_b8

class _ld_proxy_readonly_L2_evict_last:
    v2: _ld_proxy_readonly_v2
    v4: _ld_proxy_readonly_v2
    v8: _ld_proxy_readonly_v2
    b8: _ld_proxy_readonly_b8
    b16: _ld_proxy_readonly_b8
    b32: _ld_proxy_readonly_b8
    b64: _ld_proxy_readonly_b8
    u8: _ld_proxy_readonly_b8
    u16: _ld_proxy_readonly_b8
    u32: _ld_proxy_readonly_b8
    u64: _ld_proxy_readonly_b8
    s8: _ld_proxy_readonly_b8
    s16: _ld_proxy_readonly_b8
    s32: _ld_proxy_readonly_b8
    s64: _ld_proxy_readonly_b8
    f32: _ld_proxy_readonly_b8
    f64: _ld_proxy_readonly_b8

class _ld_proxy_readonly_v2:
    b8: _ld_proxy_readonly_b8
    b16: _ld_proxy_readonly_b8
    b32: _ld_proxy_readonly_b8
    b64: _ld_proxy_readonly_b8
    u8: _ld_proxy_readonly_b8
    u16: _ld_proxy_readonly_b8
    u32: _ld_proxy_readonly_b8
    u64: _ld_proxy_readonly_b8
    s8: _ld_proxy_readonly_b8
    s16: _ld_proxy_readonly_b8
    s32: _ld_proxy_readonly_b8
    s64: _ld_proxy_readonly_b8
    f32: _ld_proxy_readonly_b8
    f64: _ld_proxy_readonly_b8

class _ld_proxy_readonly_b8(_call_ld_proxy_readonly_b8): ...

class _ld_relaxed_cta:
    global_: _ld_relaxed_cta_global
    shared: _ld_relaxed_cta_global
    shared__cta: _ld_relaxed_cta_global
    shared__cluster: _ld_relaxed_cta_global
    L1__evict_normal: _ld_relaxed_cta_L1_evict_normal
    L1__evict_unchanged: _ld_relaxed_cta_L1_evict_normal
    L1__evict_first: _ld_relaxed_cta_L1_evict_normal
    L1__evict_last: _ld_relaxed_cta_L1_evict_normal
    L1__no_allocate: _ld_relaxed_cta_L1_evict_normal
    L2__evict_last: _ld_relaxed_cta_L2_evict_last
    L2__evict_normal: _ld_relaxed_cta_L2_evict_last
    L2__evict_first: _ld_relaxed_cta_L2_evict_last
    L2__cache_hint: _ld_relaxed_cta_L2_cache_hint
    L2__64B: _ld_relaxed_cta_L2_64B
    L2__128B: _ld_relaxed_cta_L2_64B
    L2__256B: _ld_relaxed_cta_L2_64B
    v2: _ld_relaxed_cta_v2
    v4: _ld_relaxed_cta_v2
    v8: _ld_relaxed_cta_v2
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_volatile_global:
    L2__evict_last: _ld_volatile_L2_evict_last
    L2__evict_normal: _ld_volatile_L2_evict_last
    L2__evict_first: _ld_volatile_L2_evict_last
    L2__64B: _ld_volatile_L2_64B
    L2__128B: _ld_volatile_L2_64B
    L2__256B: _ld_volatile_L2_64B
    v2: _ld_volatile_v2
    v4: _ld_volatile_v2
    v8: _ld_volatile_v2
    b8: _ld_volatile_b8
    b16: _ld_volatile_b8
    b32: _ld_volatile_b8
    b64: _ld_volatile_b8
    u8: _ld_volatile_b8
    u16: _ld_volatile_b8
    u32: _ld_volatile_b8
    u64: _ld_volatile_b8
    s8: _ld_volatile_b8
    s16: _ld_volatile_b8
    s32: _ld_volatile_b8
    s64: _ld_volatile_b8
    f32: _ld_volatile_b8
    f64: _ld_volatile_b8
    b128: _ld_volatile_b8

class _ld_volatile_L2_evict_last:
    L2__64B: _ld_volatile_L2_64B
    L2__128B: _ld_volatile_L2_64B
    L2__256B: _ld_volatile_L2_64B
    v2: _ld_volatile_v2
    v4: _ld_volatile_v2
    v8: _ld_volatile_v2
    b8: _ld_volatile_b8
    b16: _ld_volatile_b8
    b32: _ld_volatile_b8
    b64: _ld_volatile_b8
    u8: _ld_volatile_b8
    u16: _ld_volatile_b8
    u32: _ld_volatile_b8
    u64: _ld_volatile_b8
    s8: _ld_volatile_b8
    s16: _ld_volatile_b8
    s32: _ld_volatile_b8
    s64: _ld_volatile_b8
    f32: _ld_volatile_b8
    f64: _ld_volatile_b8
    b128: _ld_volatile_b8

class _ld_volatile_L2_64B:
    v2: _ld_volatile_v2
    v4: _ld_volatile_v2
    v8: _ld_volatile_v2
    b8: _ld_volatile_b8
    b16: _ld_volatile_b8
    b32: _ld_volatile_b8
    b64: _ld_volatile_b8
    u8: _ld_volatile_b8
    u16: _ld_volatile_b8
    u32: _ld_volatile_b8
    u64: _ld_volatile_b8
    s8: _ld_volatile_b8
    s16: _ld_volatile_b8
    s32: _ld_volatile_b8
    s64: _ld_volatile_b8
    f32: _ld_volatile_b8
    f64: _ld_volatile_b8
    b128: _ld_volatile_b8

class _ld_volatile_v2:
    b8: _ld_volatile_b8
    b16: _ld_volatile_b8
    b32: _ld_volatile_b8
    b64: _ld_volatile_b8
    u8: _ld_volatile_b8
    u16: _ld_volatile_b8
    u32: _ld_volatile_b8
    u64: _ld_volatile_b8
    s8: _ld_volatile_b8
    s16: _ld_volatile_b8
    s32: _ld_volatile_b8
    s64: _ld_volatile_b8
    f32: _ld_volatile_b8
    f64: _ld_volatile_b8
    b128: _ld_volatile_b8

class _ld_volatile_b8(_call_ld_volatile_b8): ...

class _ldmatrix_sync_aligned:
    m8n8: _ldmatrix_sync_aligned_m8n8
    m16n16: _ldmatrix_sync_aligned_m16n16
    m8n16: _ldmatrix_sync_aligned_m8n16

class _lg2_approx_ftz:
    f32: _lg2_approx_f32

class _lg2_approx_f32(_call_lg2_approx_f32): ...

class _lop3_and_b32(_call_lop3_and_b32): ...

class _mad_lo_u16(_call_mad_lo_u16): ...

class _mad_lo_cc:
    u32: _mad_lo_cc_u32
    s32: _mad_lo_cc_u32
    u64: _mad_lo_cc_u32
    s64: _mad_lo_cc_u32

class _mad_hi_sat:
    s32: _mad_hi_sat_s32

class _mad_rn_ftz:
    sat: _mad_rn_sat
    f32: _mad_rn_f32

class _mad_rn_sat:
    f32: _mad_rn_f32

class _mad_rn_f32(_call_mad_rn_f32): ...

class _mad_rn_f64(_call_mad_rn_f64): ...

class _mad_wide_u16(_call_mad_wide_u16): ...

class _mad24_lo_u32(_call_mad24_lo_u32): ...

class _mad24_hi_sat:
    s32: _mad24_hi_sat_s32

class _madc_lo_u32(_call_madc_lo_u32): ...

class _madc_lo_cc:
    u32: _madc_lo_cc_u32
    s32: _madc_lo_cc_u32
    u64: _madc_lo_cc_u32
    s64: _madc_lo_cc_u32

class _madc_hi_sat:
    s32: _madc_hi_sat_s32

class _match_all_sync:
    no_membermask_overlap: _match_all_sync_no_membermask_overlap
    b32: _match_all_sync_b32
    b64: _match_all_sync_b32

class _match_any_sync:
    no_membermask_overlap: _match_any_sync_no_membermask_overlap
    b32: _match_any_sync_b32
    b64: _match_any_sync_b32

class _max_xorsign_abs:
    bf16: _max_xorsign_abs_bf16
    bf16x2: _max_xorsign_abs_bf16
    f16: _max_xorsign_abs_f16
    f16x2: _max_xorsign_abs_f16
    f32: _max_xorsign_abs_f32

class _max_ftz_NaN:
    f16: _max_f16
    f16x2: _max_f16
    xorsign: _max_ftz_xorsign
    f32: _max_f32
    abs: _max_abs

class _max_ftz_xorsign:
    abs: _max_ftz_xorsign_abs

class _max_abs_f32(_call_max_abs_f32): ...

class _max_relu_s32(_call_max_relu_s32): ...

class _mbarrier_arrive_release:
    cta: _mbarrier_arrive_cta
    cluster: _mbarrier_arrive_cta
    shared: _mbarrier_arrive_shared
    shared__cta: _mbarrier_arrive_shared
    b64: _mbarrier_arrive_b64
    shared__cluster: _mbarrier_arrive_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_multicast_cluster_32b

class _mbarrier_arrive_cta:
    shared: _mbarrier_arrive_shared
    shared__cta: _mbarrier_arrive_shared
    b64: _mbarrier_arrive_b64
    shared__cluster: _mbarrier_arrive_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_multicast_cluster_32b

class _mbarrier_arrive_shared:
    b64: _mbarrier_arrive_b64

class _mbarrier_arrive_b64(_call_mbarrier_arrive_b64): ...

class _mbarrier_arrive_shared_cluster:
    b64: _mbarrier_arrive_shared_cluster_b64

class _mbarrier_arrive_expect_tx:
    release: _mbarrier_arrive_expect_tx_release
    relaxed: _mbarrier_arrive_expect_tx_release
    cta: _mbarrier_arrive_expect_tx_cta
    cluster: _mbarrier_arrive_expect_tx_cta
    shared: _mbarrier_arrive_expect_tx_shared
    shared__cta: _mbarrier_arrive_expect_tx_shared
    b64: _mbarrier_arrive_expect_tx_b64
    shared__cluster: _mbarrier_arrive_expect_tx_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_expect_tx_multicast_cluster_32b

class _mbarrier_arrive_multicast_cluster_32b:
    b64: _mbarrier_arrive_multicast_cluster_32b_b64
    shared__cluster: _mbarrier_arrive_multicast_cluster_32b_shared_cluster

class _mbarrier_arrive_noComplete:
    release: _mbarrier_arrive_noComplete_release
    cta: _mbarrier_arrive_noComplete_cta
    shared: _mbarrier_arrive_noComplete_shared
    shared__cta: _mbarrier_arrive_noComplete_shared
    b64: _mbarrier_arrive_noComplete_b64

class _mbarrier_arrive_drop_release:
    cta: _mbarrier_arrive_drop_cta
    cluster: _mbarrier_arrive_drop_cta
    shared: _mbarrier_arrive_drop_shared
    shared__cta: _mbarrier_arrive_drop_shared
    b64: _mbarrier_arrive_drop_b64
    shared__cluster: _mbarrier_arrive_drop_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_drop_multicast_cluster_32b

class _mbarrier_arrive_drop_cta:
    shared: _mbarrier_arrive_drop_shared
    shared__cta: _mbarrier_arrive_drop_shared
    b64: _mbarrier_arrive_drop_b64
    shared__cluster: _mbarrier_arrive_drop_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_drop_multicast_cluster_32b

class _mbarrier_arrive_drop_shared:
    b64: _mbarrier_arrive_drop_b64

class _mbarrier_arrive_drop_b64(_call_mbarrier_arrive_drop_b64): ...

class _mbarrier_arrive_drop_shared_cluster:
    b64: _mbarrier_arrive_drop_shared_cluster_b64

class _mbarrier_arrive_drop_expect_tx:
    release: _mbarrier_arrive_drop_expect_tx_release
    relaxed: _mbarrier_arrive_drop_expect_tx_release
    cta: _mbarrier_arrive_drop_expect_tx_cta
    cluster: _mbarrier_arrive_drop_expect_tx_cta
    shared: _mbarrier_arrive_drop_expect_tx_shared
    shared__cta: _mbarrier_arrive_drop_expect_tx_shared
    b64: _mbarrier_arrive_drop_expect_tx_b64
    shared__cluster: _mbarrier_arrive_drop_expect_tx_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b

class _mbarrier_arrive_drop_multicast_cluster_32b:
    b64: _mbarrier_arrive_drop_multicast_cluster_32b_b64
    shared__cluster: _mbarrier_arrive_drop_multicast_cluster_32b_shared_cluster

class _mbarrier_arrive_drop_noComplete:
    release: _mbarrier_arrive_drop_noComplete_release
    cta: _mbarrier_arrive_drop_noComplete_cta
    shared: _mbarrier_arrive_drop_noComplete_shared
    shared__cta: _mbarrier_arrive_drop_noComplete_shared
    b64: _mbarrier_arrive_drop_noComplete_b64

class _mbarrier_check_layout_layout_v0:
    shared: _mbarrier_check_layout_layout_v0_shared
    shared__cta: _mbarrier_check_layout_layout_v0_shared
    b64: _mbarrier_check_layout_layout_v0_b64

class _mbarrier_complete_tx_relaxed:
    cta: _mbarrier_complete_tx_cta
    cluster: _mbarrier_complete_tx_cta
    shared: _mbarrier_complete_tx_shared
    shared__cta: _mbarrier_complete_tx_shared
    shared__cluster: _mbarrier_complete_tx_shared
    b64: _mbarrier_complete_tx_b64
    multicast__cluster__32b: _mbarrier_complete_tx_multicast_cluster_32b

class _mbarrier_complete_tx_cta:
    shared: _mbarrier_complete_tx_shared
    shared__cta: _mbarrier_complete_tx_shared
    shared__cluster: _mbarrier_complete_tx_shared
    b64: _mbarrier_complete_tx_b64
    multicast__cluster__32b: _mbarrier_complete_tx_multicast_cluster_32b

class _mbarrier_complete_tx_shared:
    b64: _mbarrier_complete_tx_b64

class _mbarrier_complete_tx_b64(_call_mbarrier_complete_tx_b64): ...

class _mbarrier_complete_tx_multicast_cluster_32b:
    shared__cluster: _mbarrier_complete_tx_multicast_cluster_32b_shared_cluster
    b64: _mbarrier_complete_tx_multicast_cluster_32b_b64

class _mbarrier_expect_tx_relaxed:
    cta: _mbarrier_expect_tx_cta
    cluster: _mbarrier_expect_tx_cta
    shared: _mbarrier_expect_tx_shared
    shared__cta: _mbarrier_expect_tx_shared
    shared__cluster: _mbarrier_expect_tx_shared
    b64: _mbarrier_expect_tx_b64
    multicast__cluster__32b: _mbarrier_expect_tx_multicast_cluster_32b

class _mbarrier_expect_tx_cta:
    shared: _mbarrier_expect_tx_shared
    shared__cta: _mbarrier_expect_tx_shared
    shared__cluster: _mbarrier_expect_tx_shared
    b64: _mbarrier_expect_tx_b64
    multicast__cluster__32b: _mbarrier_expect_tx_multicast_cluster_32b

class _mbarrier_expect_tx_shared:
    b64: _mbarrier_expect_tx_b64

class _mbarrier_expect_tx_b64(_call_mbarrier_expect_tx_b64): ...

class _mbarrier_expect_tx_multicast_cluster_32b:
    shared__cluster: _mbarrier_expect_tx_multicast_cluster_32b_shared_cluster
    b64: _mbarrier_expect_tx_multicast_cluster_32b_b64

class _mbarrier_init_layout_v0:
    shared: _mbarrier_init_shared
    shared__cta: _mbarrier_init_shared
    b64: _mbarrier_init_b64

class _mbarrier_init_shared:
    b64: _mbarrier_init_b64

class _mbarrier_init_b64(_call_mbarrier_init_b64): ...

class _mbarrier_init_layout_v1:
    shared: _mbarrier_init_layout_v1_shared
    shared__cta: _mbarrier_init_layout_v1_shared
    b64: _mbarrier_init_layout_v1_b64

class _mbarrier_inval_shared:
    b64: _mbarrier_inval_b64

class _mbarrier_inval_b64(_call_mbarrier_inval_b64): ...

class _mbarrier_pending_count_layout_v0:
    b64: _mbarrier_pending_count_b64

class _mbarrier_pending_count_b64(_call_mbarrier_pending_count_b64): ...

class _mbarrier_test_wait_phase_type_primary:
    acquire: _mbarrier_test_wait_phase_type_primary_acquire
    relaxed: _mbarrier_test_wait_phase_type_primary_acquire
    cta: _mbarrier_test_wait_phase_type_primary_cta
    cluster: _mbarrier_test_wait_phase_type_primary_cta
    shared: _mbarrier_test_wait_phase_type_primary_shared
    shared__cta: _mbarrier_test_wait_phase_type_primary_shared
    b64: _mbarrier_test_wait_phase_type_primary_b64

class _mbarrier_test_wait_acquire:
    cta: _mbarrier_test_wait_cta
    cluster: _mbarrier_test_wait_cta
    shared: _mbarrier_test_wait_shared
    shared__cta: _mbarrier_test_wait_shared
    b64: _mbarrier_test_wait_b64

class _mbarrier_test_wait_cta:
    shared: _mbarrier_test_wait_shared
    shared__cta: _mbarrier_test_wait_shared
    b64: _mbarrier_test_wait_b64

class _mbarrier_test_wait_shared:
    b64: _mbarrier_test_wait_b64

class _mbarrier_test_wait_b64(_call_mbarrier_test_wait_b64): ...

class _mbarrier_test_wait_parity:
    phase_type__primary: _mbarrier_test_wait_parity_phase_type_primary
    phase_type__conditional: _mbarrier_test_wait_parity_phase_type_conditional
    acquire: _mbarrier_test_wait_parity_acquire
    relaxed: _mbarrier_test_wait_parity_acquire
    cta: _mbarrier_test_wait_parity_cta
    cluster: _mbarrier_test_wait_parity_cta
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_b64

class _mbarrier_try_wait_phase_type_primary:
    acquire: _mbarrier_try_wait_phase_type_primary_acquire
    relaxed: _mbarrier_try_wait_phase_type_primary_acquire
    cta: _mbarrier_try_wait_phase_type_primary_cta
    cluster: _mbarrier_try_wait_phase_type_primary_cta
    shared: _mbarrier_try_wait_phase_type_primary_shared
    shared__cta: _mbarrier_try_wait_phase_type_primary_shared
    b64: _mbarrier_try_wait_phase_type_primary_b64

class _mbarrier_try_wait_acquire:
    cta: _mbarrier_try_wait_cta
    cluster: _mbarrier_try_wait_cta
    shared: _mbarrier_try_wait_shared
    shared__cta: _mbarrier_try_wait_shared
    b64: _mbarrier_try_wait_b64

class _mbarrier_try_wait_cta:
    shared: _mbarrier_try_wait_shared
    shared__cta: _mbarrier_try_wait_shared
    b64: _mbarrier_try_wait_b64

class _mbarrier_try_wait_shared:
    b64: _mbarrier_try_wait_b64

class _mbarrier_try_wait_b64(_call_mbarrier_try_wait_b64): ...

class _mbarrier_try_wait_parity:
    phase_type__primary: _mbarrier_try_wait_parity_phase_type_primary
    phase_type__conditional: _mbarrier_try_wait_parity_phase_type_conditional
    acquire: _mbarrier_try_wait_parity_acquire
    relaxed: _mbarrier_try_wait_parity_acquire
    cta: _mbarrier_try_wait_parity_cta
    cluster: _mbarrier_try_wait_parity_cta
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_b64

class _membar_proxy_alias(_call_membar_proxy_alias): ...

class _membar_proxy_async(_call_membar_proxy_async): ...

class _min_xorsign_abs:
    bf16: _min_xorsign_abs_bf16
    bf16x2: _min_xorsign_abs_bf16
    f16: _min_xorsign_abs_f16
    f16x2: _min_xorsign_abs_f16
    f32: _min_xorsign_abs_f32

class _min_ftz_NaN:
    f16: _min_f16
    f16x2: _min_f16
    xorsign: _min_ftz_xorsign
    f32: _min_f32
    abs: _min_abs

class _min_ftz_xorsign:
    abs: _min_ftz_xorsign_abs

class _min_abs_f32(_call_min_abs_f32): ...

class _min_relu_s32(_call_min_relu_s32): ...

class _mma_sync_aligned:
    m8n8k128: _mma_sync_aligned_m8n8k128
    m16n8k128: _mma_sync_aligned_m8n8k128
    m16n8k256: _mma_sync_aligned_m8n8k128
    m8n8k4: _mma_sync_aligned_m8n8k4
    m16n8k4: _mma_sync_aligned_m8n8k128
    m16n8k8: _mma_sync_aligned_m8n8k128
    m16n8k16: _mma_sync_aligned_m8n8k128
    m16n8k32: _mma_sync_aligned_m8n8k128
    m8n8k32: _mma_sync_aligned_m8n8k128
    m16n8k64: _mma_sync_aligned_m8n8k128
    m8n8k16: _mma_sync_aligned_m8n8k128

class _mma_sp_ordered_metadata_sync:
    aligned: _mma_sp_ordered_metadata_sync_aligned

class _mov_v2_b16(_call_mov_v2_b16): ...

class _movmatrix_sync_aligned:
    m8n8: _movmatrix_sync_aligned_m8n8

class _mul_lo_u16(_call_mul_lo_u16): ...

class _mul_bf16x2_bf16x2:
    f16x2: _mul_bf16x2_bf16x2_f16x2

class _mul_rz_bf16x2:
    f32x2: _mul_rz_bf16x2_f32x2

class _mul_rz_ftz:
    f16x2: _mul_rz_ftz_f16x2
    sat: _mul_rz_sat
    f32: _mul_f32
    f32x2: _mul_f32x2

class _mul_rz_sat:
    f32: _mul_f32

class _mul_f16x2_f16x2:
    bf16x2: _mul_f16x2_f16x2_bf16x2

class _mul_rm_ftz:
    sat: _mul_rz_sat
    f32: _mul_f32
    f32x2: _mul_f32x2

class _mul_wide_u16(_call_mul_wide_u16): ...

class _mul_e4m3x4_e4m3x4:
    e4m3x4: _mul_e4m3x4_e4m3x4_e4m3x4
    e5m2x4: _mul_e4m3x4_e4m3x4_e4m3x4
    e3m2x4: _mul_e4m3x4_e4m3x4_e4m3x4
    e2m3x4: _mul_e4m3x4_e4m3x4_e4m3x4
    e2m1x4: _mul_e4m3x4_e4m3x4_e4m3x4
    e2m1p4x4: _mul_e4m3x4_e4m3x4_e4m3x4
    ue8m0x4: _mul_e4m3x4_e4m3x4_e4m3x4

class _mul24_lo_u32(_call_mul24_lo_u32): ...

class _multimem_cp_async:
    bulk: _multimem_cp_async_bulk

class _multimem_cp_reduce:
    async_: _multimem_cp_reduce_async

class _multimem_ld_reduce_weak:
    cta: _multimem_ld_reduce_cta
    cluster: _multimem_ld_reduce_cta
    gpu: _multimem_ld_reduce_cta
    sys: _multimem_ld_reduce_cta
    global_: _multimem_ld_reduce_global
    add: _multimem_ld_reduce_add
    min: _multimem_ld_reduce_min
    max: _multimem_ld_reduce_min
    and_: _multimem_ld_reduce_and
    or_: _multimem_ld_reduce_and
    xor: _multimem_ld_reduce_and

class _multimem_ld_reduce_cta:
    global_: _multimem_ld_reduce_global
    add: _multimem_ld_reduce_add
    min: _multimem_ld_reduce_min
    max: _multimem_ld_reduce_min
    and_: _multimem_ld_reduce_and
    or_: _multimem_ld_reduce_and
    xor: _multimem_ld_reduce_and

class _multimem_ld_reduce_global:
    add: _multimem_ld_reduce_add
    min: _multimem_ld_reduce_min
    max: _multimem_ld_reduce_min
    and_: _multimem_ld_reduce_and
    or_: _multimem_ld_reduce_and
    xor: _multimem_ld_reduce_and

class _multimem_ld_reduce_add:
    u32: _multimem_ld_reduce_add_u32
    s32: _multimem_ld_reduce_add_u32
    u64: _multimem_ld_reduce_add_u32
    s64: _multimem_ld_reduce_add_u32
    b32: _multimem_ld_reduce_add_u32
    b64: _multimem_ld_reduce_add_u32
    f32: _multimem_ld_reduce_add_u32
    f64: _multimem_ld_reduce_add_u32
    v2: _multimem_ld_reduce_add_v2
    v4: _multimem_ld_reduce_add_v2
    acc__f32: _multimem_ld_reduce_add_acc_f32
    acc__f16: _multimem_ld_reduce_add_acc_f32
    v8: _multimem_ld_reduce_add_v8
    f16: _multimem_ld_reduce_add_f16
    bf16: _multimem_ld_reduce_add_f16
    f16x2: _multimem_ld_reduce_add_f16
    bf16x2: _multimem_ld_reduce_add_f16
    e4m3: _multimem_ld_reduce_add_f16
    e5m2: _multimem_ld_reduce_add_f16
    e4m3x2: _multimem_ld_reduce_add_f16
    e5m2x2: _multimem_ld_reduce_add_f16
    e4m3x4: _multimem_ld_reduce_add_f16
    e5m2x4: _multimem_ld_reduce_add_f16

class _multimem_ld_reduce_min:
    u32: _multimem_ld_reduce_add_u32
    s32: _multimem_ld_reduce_add_u32
    u64: _multimem_ld_reduce_add_u32
    s64: _multimem_ld_reduce_add_u32
    b32: _multimem_ld_reduce_add_u32
    b64: _multimem_ld_reduce_add_u32
    f32: _multimem_ld_reduce_add_u32
    f64: _multimem_ld_reduce_add_u32
    acc__f32: _multimem_ld_reduce_add_acc_f32
    acc__f16: _multimem_ld_reduce_add_acc_f32
    v2: _multimem_ld_reduce_add_v8
    v4: _multimem_ld_reduce_add_v8
    v8: _multimem_ld_reduce_add_v8
    f16: _multimem_ld_reduce_add_f16
    bf16: _multimem_ld_reduce_add_f16
    f16x2: _multimem_ld_reduce_add_f16
    bf16x2: _multimem_ld_reduce_add_f16
    e4m3: _multimem_ld_reduce_add_f16
    e5m2: _multimem_ld_reduce_add_f16
    e4m3x2: _multimem_ld_reduce_add_f16
    e5m2x2: _multimem_ld_reduce_add_f16
    e4m3x4: _multimem_ld_reduce_add_f16
    e5m2x4: _multimem_ld_reduce_add_f16

class _multimem_ld_reduce_and:
    u32: _multimem_ld_reduce_add_u32
    s32: _multimem_ld_reduce_add_u32
    u64: _multimem_ld_reduce_add_u32
    s64: _multimem_ld_reduce_add_u32
    b32: _multimem_ld_reduce_add_u32
    b64: _multimem_ld_reduce_add_u32
    f32: _multimem_ld_reduce_add_u32
    f64: _multimem_ld_reduce_add_u32

class _multimem_red_relaxed:
    cta: _multimem_red_cta
    cluster: _multimem_red_cta
    gpu: _multimem_red_cta
    sys: _multimem_red_cta
    global_: _multimem_red_global
    add: _multimem_red_add
    min: _multimem_red_add
    max: _multimem_red_add
    and_: _multimem_red_add
    or_: _multimem_red_add
    xor: _multimem_red_add

class _multimem_red_cta:
    global_: _multimem_red_global
    add: _multimem_red_add
    min: _multimem_red_add
    max: _multimem_red_add
    and_: _multimem_red_add
    or_: _multimem_red_add
    xor: _multimem_red_add

class _multimem_red_global:
    add: _multimem_red_add
    min: _multimem_red_add
    max: _multimem_red_add
    and_: _multimem_red_add
    or_: _multimem_red_add
    xor: _multimem_red_add

class _multimem_red_add:
    v2: _multimem_red_add_v2
    v4: _multimem_red_add_v2
    v8: _multimem_red_add_v2
    u32: _multimem_red_add_u32
    s32: _multimem_red_add_u32
    u64: _multimem_red_add_u32
    s64: _multimem_red_add_u32
    b32: _multimem_red_add_u32
    b64: _multimem_red_add_u32
    f32: _multimem_red_add_u32
    f64: _multimem_red_add_u32
    f16: _multimem_red_add_u32
    bf16: _multimem_red_add_u32
    f16x2: _multimem_red_add_u32
    bf16x2: _multimem_red_add_u32

class _multimem_red_async:
    release: _multimem_red_async_release

class _multimem_st_weak:
    cta: _multimem_st_cta
    cluster: _multimem_st_cta
    gpu: _multimem_st_cta
    sys: _multimem_st_cta
    global_: _multimem_st_global
    v2: _multimem_st_v2
    v4: _multimem_st_v2
    v8: _multimem_st_v2
    u32: _multimem_st_u32
    s32: _multimem_st_u32
    u64: _multimem_st_u32
    s64: _multimem_st_u32
    b32: _multimem_st_u32
    b64: _multimem_st_u32
    f32: _multimem_st_u32
    f64: _multimem_st_u32
    f16: _multimem_st_u32
    bf16: _multimem_st_u32
    f16x2: _multimem_st_u32
    bf16x2: _multimem_st_u32
    e4m3: _multimem_st_u32
    e5m2: _multimem_st_u32
    e4m3x2: _multimem_st_u32
    e5m2x2: _multimem_st_u32
    e4m3x4: _multimem_st_u32
    e5m2x4: _multimem_st_u32

class _multimem_st_cta:
    global_: _multimem_st_global
    v2: _multimem_st_v2
    v4: _multimem_st_v2
    v8: _multimem_st_v2
    u32: _multimem_st_u32
    s32: _multimem_st_u32
    u64: _multimem_st_u32
    s64: _multimem_st_u32
    b32: _multimem_st_u32
    b64: _multimem_st_u32
    f32: _multimem_st_u32
    f64: _multimem_st_u32
    f16: _multimem_st_u32
    bf16: _multimem_st_u32
    f16x2: _multimem_st_u32
    bf16x2: _multimem_st_u32
    e4m3: _multimem_st_u32
    e5m2: _multimem_st_u32
    e4m3x2: _multimem_st_u32
    e5m2x2: _multimem_st_u32
    e4m3x4: _multimem_st_u32
    e5m2x4: _multimem_st_u32

class _multimem_st_global:
    v2: _multimem_st_v2
    v4: _multimem_st_v2
    v8: _multimem_st_v2
    u32: _multimem_st_u32
    s32: _multimem_st_u32
    u64: _multimem_st_u32
    s64: _multimem_st_u32
    b32: _multimem_st_u32
    b64: _multimem_st_u32
    f32: _multimem_st_u32
    f64: _multimem_st_u32
    f16: _multimem_st_u32
    bf16: _multimem_st_u32
    f16x2: _multimem_st_u32
    bf16x2: _multimem_st_u32
    e4m3: _multimem_st_u32
    e5m2: _multimem_st_u32
    e4m3x2: _multimem_st_u32
    e5m2x2: _multimem_st_u32
    e4m3x4: _multimem_st_u32
    e5m2x4: _multimem_st_u32

class _multimem_st_v2:
    u32: _multimem_st_u32
    s32: _multimem_st_u32
    u64: _multimem_st_u32
    s64: _multimem_st_u32
    b32: _multimem_st_u32
    b64: _multimem_st_u32
    f32: _multimem_st_u32
    f64: _multimem_st_u32
    f16: _multimem_st_u32
    bf16: _multimem_st_u32
    f16x2: _multimem_st_u32
    bf16x2: _multimem_st_u32
    e4m3: _multimem_st_u32
    e5m2: _multimem_st_u32
    e4m3x2: _multimem_st_u32
    e5m2x2: _multimem_st_u32
    e4m3x4: _multimem_st_u32
    e5m2x4: _multimem_st_u32

class _multimem_st_u32(_call_multimem_st_u32): ...

class _multimem_st_async:
    release: _multimem_st_async_release

class _prefetch_valid_addr_global:
    L1__32B: _prefetch_valid_addr_L1_32B

class _prefetch_valid_addr_L1_32B(_call_prefetch_valid_addr_L1_32B): ...

class _prmt_b32_f4e(_call_prmt_b32): ...

class _rcp_approx_ftz:
    f64: _rcp_approx_ftz_f64
    f32: _rcp_approx_f32

class _rcp_approx_f32(_call_rcp_approx_f32): ...

class _rcp_rn_ftz:
    f32: _rcp_approx_f32
    f64: _rcp_rn_ftz_f64

class _rcp_rn_f64(_call_rcp_rn_f64): ...

class _red_shared_add:
    L2__cache_hint: _red_shared_add_L2_cache_hint
    u32: _red_add_u32
    s32: _red_add_u32
    u64: _red_add_u32
    f32: _red_add_f32
    f64: _red_add_f32
    noftz: _red_shared_add_noftz

class _red_shared_min:
    L2__cache_hint: _red_min_L2_cache_hint
    u32: _red_min_u32
    s32: _red_min_u32
    u64: _red_min_u32
    s64: _red_min_u32

class _red_add_L2_cache_hint:
    u32: _red_add_u32
    s32: _red_add_u32
    u64: _red_add_u32
    f32: _red_add_f32
    f64: _red_add_f32
    v2: _red_add_v2
    v4: _red_add_v2

class _red_add_u32(_call_red_add_u32): ...

class _red_add_f32(_call_red_add_f32): ...

class _red_add_noftz:
    L2__cache_hint: _red_add_noftz_L2_cache_hint
    f16: _red_add_noftz_f16
    f16x2: _red_add_noftz_f16
    bf16: _red_add_noftz_f16
    bf16x2: _red_add_noftz_f16
    f32: _red_add_noftz_f32
    v2: _red_add_noftz_v2
    v4: _red_add_noftz_v2
    v8: _red_add_noftz_v8

class _red_add_v2:
    f32: _red_add_v2_f32

class _red_async_relaxed:
    cluster: _red_async_relaxed_cluster

class _red_async_mmio:
    release: _red_async_release

class _red_async_release:
    gpu: _red_async_release_gpu
    sys: _red_async_release_gpu

class _red_and_L2_cache_hint:
    b32: _red_and_b32
    b64: _red_and_b32

class _red_and_b32(_call_red_and_b32): ...

class _red_min_L2_cache_hint:
    u32: _red_min_u32
    s32: _red_min_u32
    u64: _red_min_u32
    s64: _red_min_u32

class _red_min_u32(_call_red_min_u32): ...

class _red_min_noftz:
    L2__cache_hint: _red_min_noftz_L2_cache_hint
    v2: _red_min_noftz_v2
    v4: _red_min_noftz_v2
    v8: _red_add_noftz_v8

class _red_inc_L2_cache_hint:
    u32: _red_inc_u32

class _red_inc_u32(_call_red_inc_u32): ...

class _redux_sync_add:
    no_membermask_overlap: _redux_sync_add_no_membermask_overlap
    u32: _redux_sync_add_u32
    s32: _redux_sync_add_u32

class _redux_sync_min:
    no_membermask_overlap: _redux_sync_min_no_membermask_overlap
    u32: _redux_sync_add_u32
    s32: _redux_sync_add_u32
    abs: _redux_sync_min_abs
    NaN: _redux_sync_min_NaN
    f32: _redux_sync_min_f32

class _redux_sync_and:
    no_membermask_overlap: _redux_sync_and_no_membermask_overlap
    b32: _redux_sync_and_b32

class _rsqrt_approx_ftz:
    f64: _rsqrt_approx_ftz_f64
    f32: _rsqrt_approx_f32

class _rsqrt_approx_f64(_call_rsqrt_approx_f64): ...

class _rsqrt_approx_f32(_call_rsqrt_approx_f32): ...

class _set_eq_and:
    u32: _set_eq_u32
    s32: _set_eq_u32
    f32: _set_eq_f32
    f16: _set_eq_f16
    bf16: _set_eq_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    bf16x2: _set_eq_bf16x2
    ftz: _set_eq_ftz
    f16x2: _set_eq_f16x2

class _set_eq_u32:
    b16: _set_eq_u32_b16
    b32: _set_eq_u32_b16
    b64: _set_eq_u32_b16
    u16: _set_eq_u32_b16
    u32: _set_eq_u32_b16
    u64: _set_eq_u32_b16
    s16: _set_eq_u32_b16
    s32: _set_eq_u32_b16
    s64: _set_eq_u32_b16
    bf16: _set_eq_u32_bf16
    bf16x2: _set_eq_u32_bf16x2
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64

class _set_eq_f32:
    b16: _set_eq_u32_b16
    b32: _set_eq_u32_b16
    b64: _set_eq_u32_b16
    u16: _set_eq_u32_b16
    u32: _set_eq_u32_b16
    u64: _set_eq_u32_b16
    s16: _set_eq_u32_b16
    s32: _set_eq_u32_b16
    s64: _set_eq_u32_b16
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64

class _set_eq_f16:
    b16: _set_eq_u32_b16
    b32: _set_eq_u32_b16
    b64: _set_eq_u32_b16
    u16: _set_eq_u32_b16
    u32: _set_eq_u32_b16
    u64: _set_eq_u32_b16
    s16: _set_eq_u32_b16
    s32: _set_eq_u32_b16
    s64: _set_eq_u32_b16
    f16: _set_eq_u32_f16
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64

class _set_eq_bf16:
    bf16: _set_eq_u32_bf16
    f16: _set_eq_bf16_f16
    f32: _set_eq_bf16_f32
    f64: _set_eq_bf16_f32
    b16: _set_eq_bf16_b16
    b32: _set_eq_bf16_b16
    b64: _set_eq_bf16_b16
    u16: _set_eq_bf16_b16
    u32: _set_eq_bf16_b16
    u64: _set_eq_bf16_b16
    s16: _set_eq_bf16_b16
    s32: _set_eq_bf16_b16
    s64: _set_eq_bf16_b16

class _set_eq_u16:
    bf16: _set_eq_u32_bf16
    f16: _set_eq_u32_f16

class _set_eq_bf16x2:
    bf16x2: _set_eq_u32_bf16x2

class _set_eq_ftz:
    f16: _set_eq_ftz_f16
    u16: _set_eq_ftz_u16
    s16: _set_eq_ftz_u16
    u32: _set_eq_ftz_u32
    s32: _set_eq_ftz_u32
    f16x2: _set_eq_f16x2
    f32: _set_eq_ftz_f32

class _set_eq_f16x2:
    f16x2: _set_eq_u32_f16x2

class _set_eq_u8x4(_call_set_eq_u8x4): ...

class _set_lo_and:
    u32: _set_lo_u32
    s32: _set_lo_u32
    f32: _set_lo_u32
    f16: _set_lo_u32
    bf16: _set_lo_bf16

class _set_lo_u32:
    b16: _set_eq_u32_b16
    b32: _set_eq_u32_b16
    b64: _set_eq_u32_b16
    u16: _set_eq_u32_b16
    u32: _set_eq_u32_b16
    u64: _set_eq_u32_b16
    s16: _set_eq_u32_b16
    s32: _set_eq_u32_b16
    s64: _set_eq_u32_b16

class _set_lo_bf16:
    b16: _set_eq_bf16_b16
    b32: _set_eq_bf16_b16
    b64: _set_eq_bf16_b16
    u16: _set_eq_bf16_b16
    u32: _set_eq_bf16_b16
    u64: _set_eq_bf16_b16
    s16: _set_eq_bf16_b16
    s32: _set_eq_bf16_b16
    s64: _set_eq_bf16_b16

class _set_equ_and:
    bf16: _set_equ_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    u32: _set_equ_u32
    s32: _set_equ_u32
    bf16x2: _set_eq_bf16x2
    ftz: _set_eq_ftz
    f16: _set_equ_f16
    f16x2: _set_eq_f16x2
    f32: _set_equ_f32

class _set_equ_bf16:
    bf16: _set_eq_u32_bf16
    f16: _set_eq_bf16_f16
    f32: _set_eq_bf16_f32
    f64: _set_eq_bf16_f32

class _set_equ_u32:
    bf16: _set_eq_u32_bf16
    bf16x2: _set_eq_u32_bf16x2
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64

class _set_equ_f16:
    f16: _set_eq_u32_f16
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64

class _set_equ_f32:
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64

class _setmaxnreg_inc_sync:
    aligned: _setmaxnreg_inc_sync_aligned

class _setp_eq_and:
    b16: _setp_eq_b16
    b32: _setp_eq_b16
    b64: _setp_eq_b16
    u16: _setp_eq_b16
    u32: _setp_eq_b16
    u64: _setp_eq_b16
    s16: _setp_eq_b16
    s32: _setp_eq_b16
    s64: _setp_eq_b16
    bf16: _setp_eq_bf16
    bf16x2: _setp_eq_bf16x2
    ftz: _setp_eq_ftz
    f16: _setp_eq_f16
    f16x2: _setp_eq_f16x2
    f32: _setp_eq_f32
    f64: _setp_eq_f64

class _setp_eq_b16(_call_setp_eq_b16): ...

class _setp_eq_bf16(_call_setp_eq_bf16): ...

class _setp_eq_bf16x2(_call_setp_eq_bf16x2): ...

class _setp_eq_ftz:
    f16: _setp_eq_f16
    f16x2: _setp_eq_f16x2
    f32: _setp_eq_f32

class _setp_eq_f16(_call_setp_eq_f16): ...

class _setp_eq_f16x2(_call_setp_eq_f16x2): ...

class _setp_eq_f32(_call_setp_eq_f32): ...

class _setp_eq_f64(_call_setp_eq_f64): ...

class _setp_lo_and:
    b16: _setp_eq_b16
    b32: _setp_eq_b16
    b64: _setp_eq_b16
    u16: _setp_eq_b16
    u32: _setp_eq_b16
    u64: _setp_eq_b16
    s16: _setp_eq_b16
    s32: _setp_eq_b16
    s64: _setp_eq_b16

class _setp_equ_and:
    bf16: _setp_eq_bf16
    bf16x2: _setp_eq_bf16x2
    ftz: _setp_eq_ftz
    f16: _setp_eq_f16
    f16x2: _setp_eq_f16x2
    f32: _setp_eq_f32
    f64: _setp_eq_f64

class _shf_l_clamp:
    b32: _shf_l_clamp_b32

class _shfl_sync_up:
    no_membermask_overlap: _shfl_sync_up_no_membermask_overlap
    b32: _shfl_sync_up_b32

class _sin_approx_ftz:
    f32: _sin_approx_f32

class _sin_approx_f32(_call_sin_approx_f32): ...

class _slct_b16_s32(_call_slct_b16_s32): ...

class _slct_b16_f32(_call_slct_b16_f32): ...

class _slct_ftz_b16:
    f32: _slct_b16_f32

class _spcompress_sp_2_4_x1:
    b16: _spcompress_sp_2_4_x1_b16
    b8: _spcompress_sp_2_4_x1_b8

class _spdecompress_sp_2_4_x1:
    b16: _spdecompress_sp_2_4_x1_b16
    b8: _spdecompress_sp_2_4_x1_b8

class _sqrt_approx_ftz:
    f32: _sqrt_approx_f32

class _sqrt_approx_f32(_call_sqrt_approx_f32): ...

class _sqrt_rn_f64(_call_sqrt_rn_f64): ...

class _st_async_weak:
    shared__cluster: _st_async_shared_cluster
    shared: _st_async_shared_cluster
    shared__cta: _st_async_shared_cluster
    mbarrier__complete_tx__bytes: _st_async_mbarrier_complete_tx_bytes

class _st_async_shared_cluster:
    mbarrier__complete_tx__bytes: _st_async_mbarrier_complete_tx_bytes

class _st_async_mbarrier_complete_tx_bytes:
    v2: _st_async_mbarrier_complete_tx_bytes_v2
    v4: _st_async_mbarrier_complete_tx_bytes_v2
    b32: _st_async_mbarrier_complete_tx_bytes_b32
    u32: _st_async_mbarrier_complete_tx_bytes_b32
    s32: _st_async_mbarrier_complete_tx_bytes_b32
    f32: _st_async_mbarrier_complete_tx_bytes_b32
    b64: _st_async_mbarrier_complete_tx_bytes_b32
    u64: _st_async_mbarrier_complete_tx_bytes_b32
    s64: _st_async_mbarrier_complete_tx_bytes_b32
    f64: _st_async_mbarrier_complete_tx_bytes_b32
    b128: _st_async_mbarrier_complete_tx_bytes_b32

class _st_async_mmio:
    release: _st_async_release

class _st_async_release:
    gpu: _st_async_release_gpu
    sys: _st_async_release_gpu

class _st_bulk_weak(_call_st_bulk):
    shared__cta: _st_bulk_shared_cta

class _st_bulk_shared_cta(_call_st_bulk): ...

class _st_wb_L2_cache_hint:
    v2: _st_wb_v2
    v4: _st_wb_v2
    v8: _st_wb_v2
    b8: _st_wb_b8
    b16: _st_wb_b8
    b32: _st_wb_b8
    b64: _st_wb_b8
    u8: _st_wb_b8
    u16: _st_wb_b8
    u32: _st_wb_b8
    u64: _st_wb_b8
    s8: _st_wb_b8
    s16: _st_wb_b8
    s32: _st_wb_b8
    s64: _st_wb_b8
    f32: _st_wb_b8
    f64: _st_wb_b8
    b128: _st_wb_b8

class _st_wb_v2:
    b8: _st_wb_b8
    b16: _st_wb_b8
    b32: _st_wb_b8
    b64: _st_wb_b8
    u8: _st_wb_b8
    u16: _st_wb_b8
    u32: _st_wb_b8
    u64: _st_wb_b8
    s8: _st_wb_b8
    s16: _st_wb_b8
    s32: _st_wb_b8
    s64: _st_wb_b8
    f32: _st_wb_b8
    f64: _st_wb_b8
    b128: _st_wb_b8

class _st_wb_b8(_call_st_wb_b8): ...

class _st_mmio_relaxed:
    sys: _st_mmio_relaxed_sys

class _st_mmio_release:
    sys: _st_mmio_release_sys

class _st_relaxed_cta:
    global_: _st_relaxed_cta_global
    shared: _st_relaxed_cta_global
    shared__cta: _st_relaxed_cta_global
    shared__cluster: _st_relaxed_cta_global
    L1__evict_normal: _st_relaxed_cta_L1_evict_normal
    L1__evict_unchanged: _st_relaxed_cta_L1_evict_normal
    L1__evict_first: _st_relaxed_cta_L1_evict_normal
    L1__evict_last: _st_relaxed_cta_L1_evict_normal
    L1__no_allocate: _st_relaxed_cta_L1_evict_normal
    L2__evict_last: _st_relaxed_cta_L2_evict_last
    L2__evict_normal: _st_relaxed_cta_L2_evict_last
    L2__evict_first: _st_relaxed_cta_L2_evict_last
    L2__cache_hint: _st_relaxed_cta_L2_cache_hint
    v2: _st_relaxed_cta_v2
    v4: _st_relaxed_cta_v2
    v8: _st_relaxed_cta_v2
    b8: _st_relaxed_cta_b8
    b16: _st_relaxed_cta_b8
    b32: _st_relaxed_cta_b8
    b64: _st_relaxed_cta_b8
    u8: _st_relaxed_cta_b8
    u16: _st_relaxed_cta_b8
    u32: _st_relaxed_cta_b8
    u64: _st_relaxed_cta_b8
    s8: _st_relaxed_cta_b8
    s16: _st_relaxed_cta_b8
    s32: _st_relaxed_cta_b8
    s64: _st_relaxed_cta_b8
    f32: _st_relaxed_cta_b8
    f64: _st_relaxed_cta_b8
    b128: _st_relaxed_cta_b8

class _st_volatile_global:
    L2__evict_last: _st_volatile_L2_evict_last
    L2__evict_normal: _st_volatile_L2_evict_last
    L2__evict_first: _st_volatile_L2_evict_last
    v2: _st_volatile_v2
    v4: _st_volatile_v2
    v8: _st_volatile_v2
    b8: _st_volatile_b8
    b16: _st_volatile_b8
    b32: _st_volatile_b8
    b64: _st_volatile_b8
    u8: _st_volatile_b8
    u16: _st_volatile_b8
    u32: _st_volatile_b8
    u64: _st_volatile_b8
    s8: _st_volatile_b8
    s16: _st_volatile_b8
    s32: _st_volatile_b8
    s64: _st_volatile_b8
    f32: _st_volatile_b8
    f64: _st_volatile_b8
    b128: _st_volatile_b8

class _st_volatile_L2_evict_last:
    v2: _st_volatile_v2
    v4: _st_volatile_v2
    v8: _st_volatile_v2
    b8: _st_volatile_b8
    b16: _st_volatile_b8
    b32: _st_volatile_b8
    b64: _st_volatile_b8
    u8: _st_volatile_b8
    u16: _st_volatile_b8
    u32: _st_volatile_b8
    u64: _st_volatile_b8
    s8: _st_volatile_b8
    s16: _st_volatile_b8
    s32: _st_volatile_b8
    s64: _st_volatile_b8
    f32: _st_volatile_b8
    f64: _st_volatile_b8
    b128: _st_volatile_b8

class _st_volatile_v2:
    b8: _st_volatile_b8
    b16: _st_volatile_b8
    b32: _st_volatile_b8
    b64: _st_volatile_b8
    u8: _st_volatile_b8
    u16: _st_volatile_b8
    u32: _st_volatile_b8
    u64: _st_volatile_b8
    s8: _st_volatile_b8
    s16: _st_volatile_b8
    s32: _st_volatile_b8
    s64: _st_volatile_b8
    f32: _st_volatile_b8
    f64: _st_volatile_b8
    b128: _st_volatile_b8

class _st_volatile_b8(_call_st_volatile_b8): ...

class _stmatrix_sync_aligned:
    m8n8: _stmatrix_sync_aligned_m8n8
    m16n8: _stmatrix_sync_aligned_m16n8

class _sub_rn_sat:
    f16: _sub_f16
    f16x2: _sub_f16
    f32: _sub_f32

class _sub_rz_bf16x2:
    f32x2: _sub_rz_bf16x2_f32x2

class _sub_rz_ftz:
    f16x2: _sub_rz_ftz_f16x2
    sat: _sub_rz_ftz_sat
    f32: _sub_ftz_f32
    f32x2: _sub_ftz_f32x2

class _sub_rz_sat:
    f32: _sub_f32

class _sub_sat_s32(_call_sub_sat_s32): ...

class _sub_cc_u32(_call_sub_cc_u32): ...

class _sub_ftz_sat:
    f16: _sub_f16
    f16x2: _sub_f16
    f32: _sub_ftz_f32

class _sub_ftz_f32(_call_sub_f32): ...

class _sub_ftz_f32x2(_call_sub_f32x2): ...

class _sub_rm_ftz:
    sat: _sub_rz_ftz_sat
    f32: _sub_ftz_f32
    f32x2: _sub_ftz_f32x2

class _sub_f32_f16(_call_sub_f32_f16): ...

class _sub_f32x2_bf16x2:
    f32x2: _sub_f32x2_bf16x2_f32x2

class _sub_f32x2_f16x2:
    f32x2: _sub_f32x2_f16x2_f32x2

class _sub_e4m3x4_e4m3x4(_call_sub_e4m3x4_e4m3x4): ...

class _subc_cc_u32(_call_subc_cc_u32): ...

class _subc_sat_s32(_call_subc_sat_s32): ...

class _suld_b_1d:
    ca: _suld_b_1d_ca
    cg: _suld_b_1d_ca
    cs: _suld_b_1d_ca
    cv: _suld_b_1d_ca
    v2: _suld_b_1d_v2
    v4: _suld_b_1d_v2
    b8: _suld_b_1d_b8
    b16: _suld_b_1d_b8
    b32: _suld_b_1d_b8
    b64: _suld_b_1d_b8

class _suq_width_b32(_call_suq_width_b32): ...

class _sured_b_add:
    _1d: _sured_b_add_1d
    _2d: _sured_b_add_1d
    _3d: _sured_b_add_1d
    _1d_buffer: _sured_b_add_1d

class _sured_b_and:
    _1d: _sured_b_and_1d
    _2d: _sured_b_and_1d
    _3d: _sured_b_and_1d
    _1d_buffer: _sured_b_and_1d

class _sured_b_max:
    _1d: _sured_b_max_1d
    _2d: _sured_b_max_1d
    _3d: _sured_b_max_1d
    _1d_buffer: _sured_b_max_1d

class _sured_b_min:
    _1d: _sured_b_min_1d
    _2d: _sured_b_min_1d
    _3d: _sured_b_min_1d
    _1d_buffer: _sured_b_min_1d

class _sured_b_or:
    _1d: _sured_b_or_1d
    _2d: _sured_b_or_1d
    _3d: _sured_b_or_1d
    _1d_buffer: _sured_b_or_1d

class _sured_p_add:
    _1d: _sured_p_add_1d
    _2d: _sured_p_add_1d
    _3d: _sured_p_add_1d
    _1d_buffer: _sured_p_add_1d

class _sust_b_1d:
    wb: _sust_b_1d_wb
    cg: _sust_b_1d_wb
    cs: _sust_b_1d_wb
    wt: _sust_b_1d_wb
    v2: _sust_b_1d_v2
    v4: _sust_b_1d_v2
    b8: _sust_b_1d_b8
    b16: _sust_b_1d_b8
    b32: _sust_b_1d_b8
    b64: _sust_b_1d_b8

class _sust_p_1d:
    wb: _sust_p_1d_wb
    cg: _sust_p_1d_wb
    cs: _sust_p_1d_wb
    wt: _sust_p_1d_wb
    v2: _sust_p_1d_v2
    v4: _sust_p_1d_v2
    b32: _sust_p_1d_b32

class _szext_clamp_u32(_call_szext_clamp_u32): ...

class _tanh_approx_bf16(_call_tanh_approx_bf16): ...

class _tanh_approx_f16(_call_tanh_approx_f16): ...

class _tanh_approx_f32(_call_tanh_approx_f32): ...

class _tcgen05_alloc_cta_group_1:
    sync: _tcgen05_alloc_cta_group_1_sync

class _tcgen05_commit_cta_group_1:
    mbarrier__arrive__one: _tcgen05_commit_cta_group_1_mbarrier_arrive_one

class _tcgen05_cp_cta_group_1:
    _128x256b: _tcgen05_cp_cta_group_1_128x256b
    _4x256b: _tcgen05_cp_cta_group_1_128x256b
    _128x128b: _tcgen05_cp_cta_group_1_128x256b
    _64x128b: _tcgen05_cp_cta_group_1_128x256b
    _32x128b: _tcgen05_cp_cta_group_1_128x256b

class _tcgen05_dealloc_cta_group_1:
    sync: _tcgen05_dealloc_cta_group_1_sync

class _tcgen05_ld_sync:
    aligned: _tcgen05_ld_sync_aligned

class _tcgen05_ld_red:
    sync: _tcgen05_ld_red_sync
    spcompress: _tcgen05_ld_red_spcompress

class _tcgen05_ld_spcompress:
    sync: _tcgen05_ld_spcompress_sync

class _tcgen05_mma_cta_group_1:
    kind__f16: _tcgen05_mma_cta_group_1_kind_f16
    kind__tf32: _tcgen05_mma_cta_group_1_kind_f16
    kind__f8f6f4: _tcgen05_mma_cta_group_1_kind_f16
    kind__i8: _tcgen05_mma_cta_group_1_kind_f16
    kind__mxf8f6f4: _tcgen05_mma_cta_group_1_kind_mxf8f6f4
    kind__mxf4: _tcgen05_mma_cta_group_1_kind_mxf8f6f4
    kind__mxf4nvf4: _tcgen05_mma_cta_group_1_kind_mxf8f6f4

class _tcgen05_mma_sp:
    cta_group__1: _tcgen05_mma_sp_cta_group_1
    cta_group__2: _tcgen05_mma_sp_cta_group_1

class _tcgen05_mma_ws:
    cta_group__1: _tcgen05_mma_ws_cta_group_1
    sp: _tcgen05_mma_ws_sp

class _tcgen05_relinquish_alloc_permit_cta_group_1:
    sync: _tcgen05_relinquish_alloc_permit_cta_group_1_sync

class _tcgen05_shift_cta_group_1:
    down: _tcgen05_shift_cta_group_1_down

class _tcgen05_st_sync:
    aligned: _tcgen05_st_sync_aligned

class _tcgen05_wait_ld_sync:
    aligned: _tcgen05_wait_ld_sync_aligned

class _tcgen05_wait_st_sync:
    aligned: _tcgen05_wait_st_sync_aligned

class _tensormap_cp_fenceproxy_global:
    shared__cta: _tensormap_cp_fenceproxy_global_shared_cta

class _tensormap_query_alloc_class_large:
    global_: _tensormap_query_alloc_class_large_global
    b1024: _tensormap_query_alloc_class_large_b1024

class _tensormap_replace_tile:
    box_dim: _tensormap_replace_tile_box_dim
    element_stride: _tensormap_replace_tile_element_stride
    elemtype: _tensormap_replace_tile_elemtype
    fill_mode: _tensormap_replace_tile_fill_mode
    global_address: _tensormap_replace_tile_global_address
    global_dim: _tensormap_replace_tile_global_dim
    global_stride: _tensormap_replace_tile_global_stride
    interleave_layout: _tensormap_replace_tile_interleave_layout
    rank: _tensormap_replace_tile_rank
    swizzle_atomicity: _tensormap_replace_tile_swizzle_atomicity
    swizzle_mode: _tensormap_replace_tile_swizzle_mode

class _testp_finite_f32(_call_testp_finite_f32): ...

class _testp_finite_f64(_call_testp_finite_f64): ...

class _tex_grad_1d:
    v4: _tex_grad_1d_v4
    v2: _tex_grad_1d_v4

class _tex_grad_3d:
    v4: _tex_grad_3d_v4
    v2: _tex_grad_3d_v4

class _tex_grad_cube:
    v4: _tex_grad_cube_v4
    v2: _tex_grad_cube_v4

class _tex_level_1d:
    v4: _tex_level_1d_v4
    v2: _tex_level_1d_v4

class _tex_level_3d:
    v4: _tex_level_3d_v4
    v2: _tex_level_3d_v4

class _tex_level_cube:
    v4: _tex_level_cube_v4
    v2: _tex_level_cube_v4

class _tex_1d_v4:
    u32: _tex_1d_v4_u32
    s32: _tex_1d_v4_u32
    f32: _tex_1d_v4_u32
    f16: _tex_1d_v4_u32
    f16x2: _tex_1d_v4_u32

class _tex_3d_v4:
    u32: _tex_3d_v4_u32
    s32: _tex_3d_v4_u32
    f32: _tex_3d_v4_u32
    f16: _tex_3d_v4_u32
    f16x2: _tex_3d_v4_u32

class _tex_cube_v4:
    u32: _tex_cube_v4_u32
    s32: _tex_cube_v4_u32
    f32: _tex_cube_v4_u32
    f16: _tex_cube_v4_u32
    f16x2: _tex_cube_v4_u32

class _tex_2dms_v4:
    u32: _tex_2dms_v4_u32
    s32: _tex_2dms_v4_u32
    f32: _tex_2dms_v4_u32
    f16: _tex_2dms_v4_u32
    f16x2: _tex_2dms_v4_u32

class _tld4_r_2d:
    v4: _tld4_r_2d_v4

class _tld4_r_cube:
    v4: _tld4_r_cube_v4

class _txq_width_b32(_call_txq_width_b32): ...

class _txq_level_width:
    b32: _txq_level_width_b32

class _vabsdiff_u32_u32:
    u32: _vabsdiff_u32_u32_u32
    s32: _vabsdiff_u32_u32_u32

class _vabsdiff2_u32_u32:
    u32: _vabsdiff2_u32_u32_u32
    s32: _vabsdiff2_u32_u32_u32

class _vabsdiff4_u32_u32:
    u32: _vabsdiff4_u32_u32_u32
    s32: _vabsdiff4_u32_u32_u32

class _vadd_u32_u32:
    u32: _vadd_u32_u32_u32
    s32: _vadd_u32_u32_u32

class _vadd2_u32_u32:
    u32: _vadd2_u32_u32_u32
    s32: _vadd2_u32_u32_u32

class _vadd4_u32_u32:
    u32: _vadd4_u32_u32_u32
    s32: _vadd4_u32_u32_u32

class _vavrg2_u32_u32:
    u32: _vavrg2_u32_u32_u32
    s32: _vavrg2_u32_u32_u32

class _vavrg4_u32_u32:
    u32: _vavrg4_u32_u32_u32
    s32: _vavrg4_u32_u32_u32

class _vmad_u32_u32:
    u32: _vmad_u32_u32_u32
    s32: _vmad_u32_u32_u32

class _vmax_u32_u32:
    u32: _vmax_u32_u32_u32
    s32: _vmax_u32_u32_u32

class _vmax2_u32_u32:
    u32: _vmax2_u32_u32_u32
    s32: _vmax2_u32_u32_u32

class _vmax4_u32_u32:
    u32: _vmax4_u32_u32_u32
    s32: _vmax4_u32_u32_u32

class _vmin_u32_u32:
    u32: _vmin_u32_u32_u32
    s32: _vmin_u32_u32_u32

class _vmin2_u32_u32:
    u32: _vmin2_u32_u32_u32
    s32: _vmin2_u32_u32_u32

class _vmin4_u32_u32:
    u32: _vmin4_u32_u32_u32
    s32: _vmin4_u32_u32_u32

class _vote_sync_all:
    no_membermask_overlap: _vote_sync_all_no_membermask_overlap
    pred: _vote_sync_all_pred

class _vote_sync_ballot:
    no_membermask_overlap: _vote_sync_ballot_no_membermask_overlap
    b32: _vote_sync_ballot_b32

class _vset_u32_u32:
    eq: _vset_u32_u32_eq
    ne: _vset_u32_u32_eq
    lt: _vset_u32_u32_eq
    le: _vset_u32_u32_eq
    gt: _vset_u32_u32_eq
    ge: _vset_u32_u32_eq

class _vset2_u32_u32:
    eq: _vset2_u32_u32_eq
    ne: _vset2_u32_u32_eq
    lt: _vset2_u32_u32_eq
    le: _vset2_u32_u32_eq
    gt: _vset2_u32_u32_eq
    ge: _vset2_u32_u32_eq

class _vset4_u32_u32:
    eq: _vset4_u32_u32_eq
    ne: _vset4_u32_u32_eq
    lt: _vset4_u32_u32_eq
    le: _vset4_u32_u32_eq
    gt: _vset4_u32_u32_eq
    ge: _vset4_u32_u32_eq

class _vshl_u32_u32:
    u32: _vshl_u32_u32_u32

class _vshr_u32_u32:
    u32: _vshr_u32_u32_u32

class _vsub_u32_u32:
    u32: _vsub_u32_u32_u32
    s32: _vsub_u32_u32_u32

class _vsub2_u32_u32:
    u32: _vsub2_u32_u32_u32
    s32: _vsub2_u32_u32_u32

class _vsub4_u32_u32:
    u32: _vsub4_u32_u32_u32
    s32: _vsub4_u32_u32_u32

class _wgmma_commit_group_sync:
    aligned: _wgmma_commit_group_sync_aligned

class _wgmma_fence_sync:
    aligned: _wgmma_fence_sync_aligned

class _wgmma_mma_async_sync:
    aligned: _wgmma_mma_async_sync_aligned

class _wgmma_mma_async_sp:
    sync: _wgmma_mma_async_sp_sync

class _wgmma_wait_group_sync:
    aligned: _wgmma_wait_group_sync_aligned

class _wmma_load_a:
    sync: _wmma_load_a_sync

class _wmma_load_b:
    sync: _wmma_load_b_sync

class _wmma_load_c:
    sync: _wmma_load_c_sync

class _wmma_mma_xor:
    popc: _wmma_mma_xor_popc

class _wmma_mma_sync:
    aligned: _wmma_mma_sync_aligned

class _wmma_store_d:
    sync: _wmma_store_d_sync

class _add_rz_bf16x2_f32x2:
    f32x2: _add_rz_bf16x2_f32x2_f32x2

class _add_rz_ftz_f16x2:
    f32x2: _add_rz_ftz_f16x2_f32x2

class _add_rz_ftz_sat:
    f32: _add_ftz_f32

class _add_f32x2_bf16x2_f32x2(_call_add_f32x2_bf16x2_f32x2): ...

class _add_f32x2_f16x2_f32x2(_call_add_f32x2_f16x2_f32x2): ...

class _applypriority_async_bulk_global:
    bulk_group: _applypriority_async_bulk_bulk_group

class _applypriority_async_bulk_bulk_group:
    L2__evict_normal: _applypriority_async_bulk_bulk_group_L2_evict_normal

class _applypriority_async_bulk_tensor:
    _1d: _applypriority_async_bulk_tensor_1d
    _2d: _applypriority_async_bulk_tensor_2d
    _3d: _applypriority_async_bulk_tensor_2d
    _4d: _applypriority_async_bulk_tensor_2d
    _5d: _applypriority_async_bulk_tensor_2d

class _atom_shared_add_L2_cache_hint:
    u32: _atom_add_u32
    s32: _atom_add_u32
    u64: _atom_add_u32
    f32: _atom_add_f32
    f64: _atom_add_f32

class _atom_shared_add_noftz:
    L2__cache_hint: _atom_shared_add_noftz_L2_cache_hint
    f16: _atom_add_noftz_f16
    f16x2: _atom_add_noftz_f16
    bf16: _atom_add_noftz_f16
    bf16x2: _atom_add_noftz_f16
    f32: _atom_add_noftz_f32

class _atom_add_noftz_L2_cache_hint:
    f16: _atom_add_noftz_f16
    f16x2: _atom_add_noftz_f16
    bf16: _atom_add_noftz_f16
    bf16x2: _atom_add_noftz_f16
    f32: _atom_add_noftz_f32
    v2: _atom_add_noftz_v2
    v4: _atom_add_noftz_v2
    v8: _atom_add_noftz_v8

class _atom_add_noftz_f16(_call_atom_add_noftz_f16): ...

class _atom_add_noftz_f32(_call_atom_add_noftz_f32): ...

class _atom_add_noftz_v2:
    f16: _atom_add_noftz_v2_f16
    bf16: _atom_add_noftz_v2_f16
    f32: _atom_add_noftz_v2_f32
    f16x2: _atom_add_noftz_v2_f16x2
    bf16x2: _atom_add_noftz_v2_f16x2

class _atom_add_noftz_v8:
    f16: _atom_add_noftz_v2_f16
    bf16: _atom_add_noftz_v2_f16

class _atom_add_v2_f32(_call_atom_add_v2_f32): ...

class _atom_min_noftz_L2_cache_hint:
    v2: _atom_min_noftz_v2
    v4: _atom_min_noftz_v2
    v8: _atom_add_noftz_v8

class _atom_min_noftz_v2:
    f16: _atom_add_noftz_v2_f16
    bf16: _atom_add_noftz_v2_f16
    f16x2: _atom_add_noftz_v2_f16x2
    bf16x2: _atom_add_noftz_v2_f16x2

class _bar_cta_red_and:
    pred: _bar_cta_red_and_pred

class _bar_cta_red_popc:
    u32: _bar_cta_red_popc_u32

class _bar_red_and_pred(_call_bar_red_and_pred): ...

class _bar_red_popc_u32(_call_bar_red_popc_u32): ...

class _bar_warp_sync_no_membermask_overlap(_call_bar_warp_sync): ...

class _barrier_cluster_arrive_release(_call_barrier_cluster_arrive):
    aligned: _barrier_cluster_arrive_aligned

class _barrier_cluster_arrive_aligned(_call_barrier_cluster_arrive): ...

class _barrier_cluster_wait_acquire(_call_barrier_cluster_wait):
    aligned: _barrier_cluster_wait_aligned

class _barrier_cluster_wait_aligned(_call_barrier_cluster_wait): ...

class _barrier_cta_arrive_aligned(_call_barrier_cta_arrive): ...

class _barrier_cta_red_and:
    aligned: _barrier_cta_red_and_aligned
    pred: _barrier_cta_red_and_pred

class _barrier_cta_red_popc:
    aligned: _barrier_cta_red_popc_aligned
    u32: _barrier_cta_red_popc_u32

class _barrier_cta_sync_aligned(_call_barrier_cta_sync): ...

class _barrier_red_and_aligned:
    pred: _barrier_red_and_pred

class _barrier_red_and_pred(_call_barrier_red_and_pred): ...

class _barrier_red_popc_aligned:
    u32: _barrier_red_popc_u32

class _barrier_red_popc_u32(_call_barrier_red_popc_u32): ...

class _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4:
    b32: _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32

class _clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32:
    b128: _clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32_b128

class _clusterlaunchcontrol_query_cancel_is_canceled_pred:
    b128: _clusterlaunchcontrol_query_cancel_is_canceled_pred_b128

class _clusterlaunchcontrol_try_cancel_async_shared_cta:
    mbarrier__complete_tx__bytes: _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes

class _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes:
    multicast__cluster__all: _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_multicast_cluster_all
    b128: _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_b128

class _cp_async_ca_shared:
    global_: _cp_async_ca_shared_global

class _cp_async_bulk_commit_group(_call_cp_async_bulk_commit_group): ...

class _cp_async_bulk_weak:
    shared__cluster: _cp_async_bulk_shared_cluster
    global_: _cp_async_bulk_global
    shared__cta: _cp_async_bulk_shared_cta

class _cp_async_bulk_shared_cluster:
    shared__cta: _cp_async_bulk_shared_cluster_shared_cta
    global_: _cp_async_bulk_shared_cluster_global

class _cp_async_bulk_relaxed:
    cta: _cp_async_bulk_relaxed_cta
    cluster: _cp_async_bulk_relaxed_cta
    gpu: _cp_async_bulk_relaxed_gpu
    sys: _cp_async_bulk_relaxed_gpu

class _cp_async_bulk_global:
    shared__cta: _cp_async_bulk_global_shared_cta

class _cp_async_bulk_shared_cta:
    global_: _cp_async_bulk_shared_cta_global

class _cp_async_bulk_prefetch:
    L2: _cp_async_bulk_prefetch_L2
    tensor: _cp_async_bulk_prefetch_tensor

class _cp_async_bulk_tensor:
    _1d: _cp_async_bulk_tensor_1d
    _2d: _cp_async_bulk_tensor_2d
    _3d: _cp_async_bulk_tensor_2d
    _4d: _cp_async_bulk_tensor_2d
    _5d: _cp_async_bulk_tensor_2d

class _cp_async_bulk_wait_group(_call_cp_async_bulk_wait_group):
    read: _cp_async_bulk_wait_group_read

class _cp_async_mbarrier_arrive:
    noinc: _cp_async_mbarrier_arrive_noinc
    shared: _cp_async_mbarrier_arrive_shared
    shared__cta: _cp_async_mbarrier_arrive_shared
    b64: _cp_async_mbarrier_arrive_b64

class _cp_reduce_async_bulk:
    relaxed: _cp_reduce_async_bulk_relaxed
    cta: _cp_reduce_async_bulk_cta
    cluster: _cp_reduce_async_bulk_cta
    shared__cluster: _cp_reduce_async_bulk_shared_cluster
    gpu: _cp_reduce_async_bulk_gpu
    sys: _cp_reduce_async_bulk_gpu
    global_: _cp_reduce_async_bulk_global
    tensor: _cp_reduce_async_bulk_tensor

class _createpolicy_cvt_L2_b64(_call_createpolicy_cvt_L2_b64): ...

class _createpolicy_fractional_L2_evict_last_L2_evict_first:
    b64: _createpolicy_fractional_L2_evict_last_b64

class _createpolicy_fractional_L2_evict_last_b64(_call_createpolicy_fractional_L2_evict_last_b64): ...

class _createpolicy_range_L2_evict_last_L2_evict_first:
    b64: _createpolicy_range_L2_evict_last_b64

class _createpolicy_range_L2_evict_last_b64(_call_createpolicy_range_L2_evict_last_b64): ...

class _createpolicy_range_fabric_global:
    L2__evict_last: _createpolicy_range_fabric_L2_evict_last
    L2__evict_normal: _createpolicy_range_fabric_L2_evict_last
    L2__evict_first: _createpolicy_range_fabric_L2_evict_last
    L2__evict_unchanged: _createpolicy_range_fabric_L2_evict_last

class _createpolicy_range_fabric_L2_evict_last:
    L2__evict_first: _createpolicy_range_fabric_L2_evict_last_L2_evict_first
    L2__evict_unchanged: _createpolicy_range_fabric_L2_evict_last_L2_evict_first
    b64: _createpolicy_range_fabric_L2_evict_last_b64

class _cvt_rn_satfinite_scaled_n2_ue8m0:
    bf16x2: _cvt_rn_scaled_n2_ue8m0_bf16x2
    s2f6x2: _cvt_rn_satfinite_s2f6x2

class _cvt_rn_satfinite_bf16x2:
    ue5m3x2: _cvt_rn_bf16x2_ue5m3x2
    s2f6x2: _cvt_rn_bf16x2_s2f6x2
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2
    f32: _cvt_rn_bf16x2_f32

class _cvt_rn_satfinite_relu:
    e4m3x2: _cvt_rn_satfinite_e4m3x2
    e5m2x2: _cvt_rn_satfinite_e4m3x2
    scaled__n2__ue8m0: _cvt_rn_satfinite_relu_scaled_n2_ue8m0
    bf16x2: _cvt_rn_satfinite_relu_bf16x2
    s2f6x2: _cvt_rn_satfinite_s2f6x2
    e2m1x2: _cvt_rn_satfinite_e2m1x2
    e2m3x2: _cvt_rn_satfinite_e2m1x2
    e3m2x2: _cvt_rn_satfinite_e2m1x2
    tf32: _cvt_rn_tf32
    pzo: _cvt_rn_satfinite_relu_pzo
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_scaled_n1_ue8m0

class _cvt_rn_satfinite_e4m3x2:
    f32: _cvt_rn_satfinite_e4m3x2_f32
    bf16x2: _cvt_rn_satfinite_e4m3x2_bf16x2
    f16x2: _cvt_rn_satfinite_e4m3x2_f16x2

class _cvt_rn_satfinite_f16:
    f32: _cvt_rn_satfinite_f16_f32

class _cvt_rn_satfinite_pzo:
    f16: _cvt_rn_pzo_f16
    bf16: _cvt_rn_pzo_f16
    f16x2: _cvt_rn_pzo_f16x2
    bf16x2: _cvt_rn_pzo_f16x2
    tf32: _cvt_rn_pzo_tf32
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_scaled_n1_ue8m0
    e4m3x2: _cvt_rz_satfinite_e4m3x2
    e5m2x2: _cvt_rz_satfinite_e4m3x2
    e2m1x2: _cvt_rz_satfinite_e4m3x2
    e2m3x2: _cvt_rz_satfinite_e4m3x2
    e3m2x2: _cvt_rz_satfinite_e4m3x2

class _cvt_rn_satfinite_s2f6x2:
    f32: _cvt_rn_satfinite_s2f6x2_f32
    bf16x2: _cvt_rn_satfinite_s2f6x2_bf16x2

class _cvt_rn_satfinite_e2m1x2:
    f32: _cvt_rn_satfinite_e2m1x2_f32
    f16x2: _cvt_rn_satfinite_e2m1x2_f16x2
    bf16x2: _cvt_rn_satfinite_e2m1x2_f16x2

class _cvt_rn_satfinite_scaled_n1_ue8m0:
    e4m3x2: _cvt_rz_satfinite_e4m3x2
    e5m2x2: _cvt_rz_satfinite_e4m3x2
    e2m1x2: _cvt_rz_satfinite_e4m3x2
    e2m3x2: _cvt_rz_satfinite_e4m3x2
    e3m2x2: _cvt_rz_satfinite_e4m3x2
    ue5m3x2: _cvt_rn_scaled_n1_ue8m0_ue5m3x2

class _cvt_rn_scaled_n2_ue8m0_bf16x2:
    ue5m3x2: _cvt_rn_bf16x2_ue5m3x2
    s2f6x2: _cvt_rn_bf16x2_s2f6x2
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2

class _cvt_rn_bf16x2_ue5m3x2(_call_cvt_rn_bf16x2_ue5m3x2): ...

class _cvt_rn_bf16x2_s2f6x2(_call_cvt_rn_bf16x2_s2f6x2): ...

class _cvt_rn_bf16x2_e4m3x2(_call_cvt_rn_bf16x2_e4m3x2): ...

class _cvt_rn_bf16x2_ue8m0x2(_call_cvt_rn_bf16x2_ue8m0x2): ...

class _cvt_rn_bf16x2_f32(_call_cvt_rn_bf16x2_f32): ...

class _cvt_rn_f16x2_ue5m3x2(_call_cvt_rn_f16x2_ue5m3x2): ...

class _cvt_rn_f16x2_e4m3x2(_call_cvt_rn_f16x2_e4m3x2): ...

class _cvt_rn_f16x2_e2m1x2(_call_cvt_rn_f16x2_e2m1x2): ...

class _cvt_rn_f16_f32(_call_cvt_rn_f16_f32): ...

class _cvt_rn_f16_u8(_call_cvt_rn_f16_u8): ...

class _cvt_rn_relu_f16x2:
    e4m3x2: _cvt_rn_f16x2_e4m3x2
    e5m2x2: _cvt_rn_f16x2_e4m3x2
    e2m1x2: _cvt_rn_f16x2_e2m1x2
    e2m3x2: _cvt_rn_f16x2_e2m1x2
    e3m2x2: _cvt_rn_f16x2_e2m1x2
    f32: _cvt_rn_bf16x2_f32

class _cvt_rn_relu_scaled_n2_ue8m0:
    bf16x2: _cvt_rn_relu_scaled_n2_ue8m0_bf16x2

class _cvt_rn_relu_bf16x2:
    s2f6x2: _cvt_rn_bf16x2_s2f6x2
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2
    f32: _cvt_rn_bf16x2_f32

class _cvt_rn_relu_satfinite:
    scaled__n2__ue8m0: _cvt_rn_relu_satfinite_scaled_n2_ue8m0
    bf16x2: _cvt_rn_relu_satfinite_bf16x2
    f16: _cvt_rn_satfinite_f16
    bf16: _cvt_rn_satfinite_f16
    f16x2: _cvt_rz_f16x2
    pzo: _cvt_rn_pzo

class _cvt_rn_pzo_f16:
    f32: _cvt_rn_pzo_f16_f32

class _cvt_rn_pzo_f16x2:
    f32: _cvt_rn_pzo_f16x2_f32

class _cvt_rn_pzo_tf32:
    f32: _cvt_rn_pzo_tf32_f32

class _cvt_rn_tf32_f32(_call_cvt_rn_tf32_f32): ...

class _cvt_rn_ue5m3x2_f32(_call_cvt_rn_ue5m3x2_f32): ...

class _cvt_rn_ue5m3x2_f16x2(_call_cvt_rn_ue5m3x2_f16x2): ...

class _cvt_rn_scaled_n1_ue8m0_ue5m3x2:
    f16x2: _cvt_rn_scaled_n1_ue8m0_ue5m3x2_f16x2
    bf16x2: _cvt_rn_scaled_n1_ue8m0_ue5m3x2_f16x2
    f32: _cvt_rn_scaled_n1_ue8m0_ue5m3x2_f32

class _cvt_rz_relu_satfinite:
    f16: _cvt_rn_satfinite_f16
    bf16: _cvt_rn_satfinite_f16
    f16x2: _cvt_rz_f16x2
    bf16x2: _cvt_rz_f16x2
    pzo: _cvt_rn_pzo

class _cvt_rz_satfinite_relu:
    scaled__n2__ue8m0: _cvt_rz_satfinite_scaled_n2_ue8m0
    s2f6x2: _cvt_rz_satfinite_s2f6x2
    tf32: _cvt_rn_tf32
    pzo: _cvt_rn_satfinite_relu_pzo
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_scaled_n1_ue8m0
    e4m3x2: _cvt_rz_satfinite_e4m3x2
    e5m2x2: _cvt_rz_satfinite_e4m3x2
    e2m1x2: _cvt_rz_satfinite_e4m3x2
    e2m3x2: _cvt_rz_satfinite_e4m3x2
    e3m2x2: _cvt_rz_satfinite_e4m3x2

class _cvt_rz_satfinite_scaled_n2_ue8m0:
    s2f6x2: _cvt_rz_satfinite_s2f6x2

class _cvt_rz_satfinite_s2f6x2:
    bf16x2: _cvt_rz_satfinite_s2f6x2_bf16x2
    f32: _cvt_rz_satfinite_s2f6x2_f32

class _cvt_rz_satfinite_e4m3x2:
    f32: _cvt_rz_satfinite_e4m3x2_f32
    f16x2: _cvt_rz_satfinite_e4m3x2_f16x2
    bf16x2: _cvt_rz_satfinite_e4m3x2_f16x2

class _cvt_rz_ue8m0x2_f32(_call_cvt_rz_ue8m0x2_f32): ...

class _cvt_rz_ue8m0x2_bf16x2(_call_cvt_rz_ue8m0x2_bf16x2): ...

class _cvt_rni_f16_f16(_call_cvt_rni_f16_f16): ...

class _cvt_rni_u8_f16(_call_cvt_rni_u8_f16): ...

class _cvt_pack_sat_u16:
    s32: _cvt_pack_sat_u16_s32

class _cvt_pack_sat_u8:
    s32: _cvt_pack_sat_u8_s32

class _cvt_rs_satfinite_e4m3x4:
    f32: _cvt_rs_satfinite_e4m3x4_f32

class _cvt_rs_f16x2_f32(_call_cvt_rs_f16x2_f32): ...

class _cvt_rna_tf32_f32(_call_cvt_rna_tf32_f32): ...

class _cvta_to_global_u64(_call_cvta_to_global_u64): ...

class _dp2a_lo_u32_u32(_call_dp2a_lo_u32_u32): ...

class _ex2_approx_ftz_bf16(_call_ex2_approx_ftz_bf16): ...

class _fabric_try_atom_async_relaxed:
    sys: _fabric_try_atom_async_relaxed_sys

class _fabric_try_get_async_relaxed:
    sys: _fabric_try_get_async_sys
    shared__cta: _fabric_try_get_async_shared_cta

class _fabric_try_get_async_sys:
    shared__cta: _fabric_try_get_async_shared_cta

class _fabric_try_get_async_shared_cta:
    mbarrier__complete_tx__bytes: _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes

class _fabric_try_pullred_async_relaxed:
    sys: _fabric_try_pullred_async_sys
    sync: _fabric_try_pullred_async_sync

class _fabric_try_pullred_async_sys:
    sync: _fabric_try_pullred_async_sync

class _fabric_try_pullred_async_sync:
    multimem: _fabric_try_pullred_async_sync_multimem

class _fabric_try_put_async_relaxed:
    sys: _fabric_try_put_async_sys
    multimem: _fabric_try_put_async_multimem
    shared__cta: _fabric_try_put_async_shared_cta

class _fabric_try_put_async_sys:
    multimem: _fabric_try_put_async_multimem
    shared__cta: _fabric_try_put_async_shared_cta

class _fabric_try_put_async_multimem:
    shared__cta: _fabric_try_put_async_shared_cta

class _fabric_try_put_async_shared_cta:
    mbarrier__complete_tx__16B: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B

class _fabric_try_red_async_relaxed:
    sys: _fabric_try_red_async_sys
    multimem: _fabric_try_red_async_multimem
    shared__cta: _fabric_try_red_async_shared_cta

class _fabric_try_red_async_sys:
    multimem: _fabric_try_red_async_multimem
    shared__cta: _fabric_try_red_async_shared_cta

class _fabric_try_red_async_multimem:
    shared__cta: _fabric_try_red_async_shared_cta

class _fabric_try_red_async_shared_cta:
    mbarrier__complete_tx__16B: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B

class _fence_release_alias_sync_restrict_read:
    sys: _fence_release_alias_sync_restrict_read_sys

class _fence_release_sync_restrict_shared_cluster_cluster(_call_fence_release_sync_restrict_shared_cluster_cluster): ...

class _fence_mbarrier_init_release_cluster(_call_fence_mbarrier_init_release_cluster): ...

class _fence_proxy_alias_acquire:
    sys: _fence_proxy_alias_acquire_sys

class _fence_proxy_async_global(_call_fence_proxy_async): ...

class _fence_proxy_async_generic_acquire:
    sync_restrict__shared__cluster: _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster
    sync_restrict__shared__cta: _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster

class _fence_proxy_async_generic_release:
    sync_restrict__shared__cluster: _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster
    sync_restrict__shared__cta: _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster
    sync_restrict__shared__cluster__read: _fence_proxy_async_generic_release_sync_restrict_shared_cluster_read

class _fence_proxy_fabric_fabric_alias:
    acquire: _fence_proxy_fabric_fabric_alias_acquire
    release: _fence_proxy_fabric_fabric_alias_acquire

class _fence_proxy_fabric_generic_alias:
    acquire: _fence_proxy_fabric_generic_alias_acquire
    release: _fence_proxy_fabric_generic_alias_acquire

class _fence_proxy_generic_fabric_alias:
    acquire: _fence_proxy_generic_fabric_alias_acquire
    release: _fence_proxy_generic_fabric_alias_acquire

class _fence_proxy_tensormap_generic_acquire:
    cta: _fence_proxy_tensormap_generic_acquire_cta
    cluster: _fence_proxy_tensormap_generic_acquire_cta
    gpu: _fence_proxy_tensormap_generic_acquire_cta
    sys: _fence_proxy_tensormap_generic_acquire_cta

class _fence_proxy_tensormap_generic_release:
    cta: _fence_proxy_tensormap_generic_release_cta
    cluster: _fence_proxy_tensormap_generic_release_cta
    gpu: _fence_proxy_tensormap_generic_release_cta
    sys: _fence_proxy_tensormap_generic_release_cta

class _fma_rn_ftz_sat:
    f16: _fma_rn_f16
    f16x2: _fma_rn_f16
    f32: _fma_rn_ftz_f32

class _fma_rn_ftz_relu:
    f16: _fma_rn_f16
    f16x2: _fma_rn_f16

class _fma_rn_ftz_f32(_call_fma_rn_f32): ...

class _fma_rn_ftz_f32x2(_call_fma_rn_f32x2): ...

class _fma_rn_f32_f16(_call_fma_rn_f32_f16): ...

class _fma_rn_f32x2_bf16x2:
    f32x2: _fma_rn_f32x2_bf16x2_f32x2

class _fma_rn_f32x2_f16x2:
    f32x2: _fma_rn_f32x2_f16x2_f32x2

class _fma_rn_oob_relu:
    f16: _fma_rn_oob_f16
    f16x2: _fma_rn_oob_f16
    bf16: _fma_rn_oob_f16
    bf16x2: _fma_rn_oob_f16

class _fma_rn_oob_f16(_call_fma_rn_oob_f16): ...

class _fma_rz_ftz_sat:
    f32: _fma_rn_ftz_f32

class _fma_e4m3x4_e4m3x4_e4m3x4(_call_fma_e4m3x4_e4m3x4_e4m3x4): ...

class _ld_global_nc_L1_evict_normal:
    L2__evict_last: _ld_global_nc_L2_evict_last
    L2__evict_normal: _ld_global_nc_L2_evict_last
    L2__evict_first: _ld_global_nc_L2_evict_last
    L2__cache_hint: _ld_global_nc_L2_cache_hint
    L2__64B: _ld_global_nc_L2_64B
    L2__128B: _ld_global_nc_L2_64B
    L2__256B: _ld_global_nc_L2_64B
    v2: _ld_global_nc_v2
    v4: _ld_global_nc_v2
    v8: _ld_global_nc_v2
    b8: _ld_global_nc_b8
    b16: _ld_global_nc_b8
    b32: _ld_global_nc_b8
    b64: _ld_global_nc_b8
    u8: _ld_global_nc_b8
    u16: _ld_global_nc_b8
    u32: _ld_global_nc_b8
    u64: _ld_global_nc_b8
    s8: _ld_global_nc_b8
    s16: _ld_global_nc_b8
    s32: _ld_global_nc_b8
    s64: _ld_global_nc_b8
    f32: _ld_global_nc_b8
    f64: _ld_global_nc_b8
    b128: _ld_global_nc_b8

class _ld_global_nc_L2_evict_last:
    L2__cache_hint: _ld_global_nc_L2_cache_hint
    L2__64B: _ld_global_nc_L2_64B
    L2__128B: _ld_global_nc_L2_64B
    L2__256B: _ld_global_nc_L2_64B
    v2: _ld_global_nc_v2
    v4: _ld_global_nc_v2
    v8: _ld_global_nc_v2
    b8: _ld_global_nc_b8
    b16: _ld_global_nc_b8
    b32: _ld_global_nc_b8
    b64: _ld_global_nc_b8
    u8: _ld_global_nc_b8
    u16: _ld_global_nc_b8
    u32: _ld_global_nc_b8
    u64: _ld_global_nc_b8
    s8: _ld_global_nc_b8
    s16: _ld_global_nc_b8
    s32: _ld_global_nc_b8
    s64: _ld_global_nc_b8
    f32: _ld_global_nc_b8
    f64: _ld_global_nc_b8
    b128: _ld_global_nc_b8

class _ld_global_nc_L2_cache_hint:
    L2__64B: _ld_global_nc_L2_64B
    L2__128B: _ld_global_nc_L2_64B
    L2__256B: _ld_global_nc_L2_64B
    v2: _ld_global_nc_v2
    v4: _ld_global_nc_v2
    v8: _ld_global_nc_v2
    b8: _ld_global_nc_b8
    b16: _ld_global_nc_b8
    b32: _ld_global_nc_b8
    b64: _ld_global_nc_b8
    u8: _ld_global_nc_b8
    u16: _ld_global_nc_b8
    u32: _ld_global_nc_b8
    u64: _ld_global_nc_b8
    s8: _ld_global_nc_b8
    s16: _ld_global_nc_b8
    s32: _ld_global_nc_b8
    s64: _ld_global_nc_b8
    f32: _ld_global_nc_b8
    f64: _ld_global_nc_b8
    b128: _ld_global_nc_b8

class _ld_global_nc_L2_64B:
    v2: _ld_global_nc_v2
    v4: _ld_global_nc_v2
    v8: _ld_global_nc_v2
    b8: _ld_global_nc_b8
    b16: _ld_global_nc_b8
    b32: _ld_global_nc_b8
    b64: _ld_global_nc_b8
    u8: _ld_global_nc_b8
    u16: _ld_global_nc_b8
    u32: _ld_global_nc_b8
    u64: _ld_global_nc_b8
    s8: _ld_global_nc_b8
    s16: _ld_global_nc_b8
    s32: _ld_global_nc_b8
    s64: _ld_global_nc_b8
    f32: _ld_global_nc_b8
    f64: _ld_global_nc_b8
    b128: _ld_global_nc_b8

class _ld_global_nc_v2:
    b8: _ld_global_nc_b8
    b16: _ld_global_nc_b8
    b32: _ld_global_nc_b8
    b64: _ld_global_nc_b8
    u8: _ld_global_nc_b8
    u16: _ld_global_nc_b8
    u32: _ld_global_nc_b8
    u64: _ld_global_nc_b8
    s8: _ld_global_nc_b8
    s16: _ld_global_nc_b8
    s32: _ld_global_nc_b8
    s64: _ld_global_nc_b8
    f32: _ld_global_nc_b8
    f64: _ld_global_nc_b8
    b128: _ld_global_nc_b8

class _ld_global_nc_b8(_call_ld_global_nc_b8): ...

class _ld_mmio_relaxed_sys:
    global_: _ld_mmio_relaxed_sys_global
    b8: _ld_mmio_relaxed_sys_b8
    b16: _ld_mmio_relaxed_sys_b8
    b32: _ld_mmio_relaxed_sys_b8
    b64: _ld_mmio_relaxed_sys_b8
    u8: _ld_mmio_relaxed_sys_b8
    u16: _ld_mmio_relaxed_sys_b8
    u32: _ld_mmio_relaxed_sys_b8
    u64: _ld_mmio_relaxed_sys_b8
    s8: _ld_mmio_relaxed_sys_b8
    s16: _ld_mmio_relaxed_sys_b8
    s32: _ld_mmio_relaxed_sys_b8
    s64: _ld_mmio_relaxed_sys_b8
    f32: _ld_mmio_relaxed_sys_b8
    f64: _ld_mmio_relaxed_sys_b8
    b128: _ld_mmio_relaxed_sys_b8

class _ld_mmio_acquire_sys:
    global_: _ld_mmio_acquire_sys_global
    b8: _ld_mmio_acquire_sys_b8
    b16: _ld_mmio_acquire_sys_b8
    b32: _ld_mmio_acquire_sys_b8
    b64: _ld_mmio_acquire_sys_b8
    u8: _ld_mmio_acquire_sys_b8
    u16: _ld_mmio_acquire_sys_b8
    u32: _ld_mmio_acquire_sys_b8
    u64: _ld_mmio_acquire_sys_b8
    s8: _ld_mmio_acquire_sys_b8
    s16: _ld_mmio_acquire_sys_b8
    s32: _ld_mmio_acquire_sys_b8
    s64: _ld_mmio_acquire_sys_b8
    f32: _ld_mmio_acquire_sys_b8
    f64: _ld_mmio_acquire_sys_b8
    b128: _ld_mmio_acquire_sys_b8

class _ld_relaxed_cta_global:
    L1__evict_normal: _ld_relaxed_cta_L1_evict_normal
    L1__evict_unchanged: _ld_relaxed_cta_L1_evict_normal
    L1__evict_first: _ld_relaxed_cta_L1_evict_normal
    L1__evict_last: _ld_relaxed_cta_L1_evict_normal
    L1__no_allocate: _ld_relaxed_cta_L1_evict_normal
    L2__evict_last: _ld_relaxed_cta_L2_evict_last
    L2__evict_normal: _ld_relaxed_cta_L2_evict_last
    L2__evict_first: _ld_relaxed_cta_L2_evict_last
    L2__cache_hint: _ld_relaxed_cta_L2_cache_hint
    L2__64B: _ld_relaxed_cta_L2_64B
    L2__128B: _ld_relaxed_cta_L2_64B
    L2__256B: _ld_relaxed_cta_L2_64B
    v2: _ld_relaxed_cta_v2
    v4: _ld_relaxed_cta_v2
    v8: _ld_relaxed_cta_v2
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_relaxed_cta_L1_evict_normal:
    L2__evict_last: _ld_relaxed_cta_L2_evict_last
    L2__evict_normal: _ld_relaxed_cta_L2_evict_last
    L2__evict_first: _ld_relaxed_cta_L2_evict_last
    L2__cache_hint: _ld_relaxed_cta_L2_cache_hint
    L2__64B: _ld_relaxed_cta_L2_64B
    L2__128B: _ld_relaxed_cta_L2_64B
    L2__256B: _ld_relaxed_cta_L2_64B
    v2: _ld_relaxed_cta_v2
    v4: _ld_relaxed_cta_v2
    v8: _ld_relaxed_cta_v2
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_relaxed_cta_L2_evict_last:
    L2__cache_hint: _ld_relaxed_cta_L2_cache_hint
    L2__64B: _ld_relaxed_cta_L2_64B
    L2__128B: _ld_relaxed_cta_L2_64B
    L2__256B: _ld_relaxed_cta_L2_64B
    v2: _ld_relaxed_cta_v2
    v4: _ld_relaxed_cta_v2
    v8: _ld_relaxed_cta_v2
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_relaxed_cta_L2_cache_hint:
    L2__64B: _ld_relaxed_cta_L2_64B
    L2__128B: _ld_relaxed_cta_L2_64B
    L2__256B: _ld_relaxed_cta_L2_64B
    v2: _ld_relaxed_cta_v2
    v4: _ld_relaxed_cta_v2
    v8: _ld_relaxed_cta_v2
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_relaxed_cta_L2_64B:
    v2: _ld_relaxed_cta_v2
    v4: _ld_relaxed_cta_v2
    v8: _ld_relaxed_cta_v2
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_relaxed_cta_v2:
    b8: _ld_relaxed_cta_b8
    b16: _ld_relaxed_cta_b8
    b32: _ld_relaxed_cta_b8
    b64: _ld_relaxed_cta_b8
    u8: _ld_relaxed_cta_b8
    u16: _ld_relaxed_cta_b8
    u32: _ld_relaxed_cta_b8
    u64: _ld_relaxed_cta_b8
    s8: _ld_relaxed_cta_b8
    s16: _ld_relaxed_cta_b8
    s32: _ld_relaxed_cta_b8
    s64: _ld_relaxed_cta_b8
    f32: _ld_relaxed_cta_b8
    f64: _ld_relaxed_cta_b8
    b128: _ld_relaxed_cta_b8

class _ld_relaxed_cta_b8(_call_ld_relaxed_cta_b8): ...

class _ldmatrix_sync_aligned_m8n8:
    x1: _ldmatrix_sync_aligned_m8n8_x1
    x2: _ldmatrix_sync_aligned_m8n8_x1
    x4: _ldmatrix_sync_aligned_m8n8_x1

class _ldmatrix_sync_aligned_m16n16:
    x1: _ldmatrix_sync_aligned_m16n16_x1
    x2: _ldmatrix_sync_aligned_m16n16_x1

class _ldmatrix_sync_aligned_m8n16:
    x1: _ldmatrix_sync_aligned_m8n16_x1
    x2: _ldmatrix_sync_aligned_m8n16_x1
    x4: _ldmatrix_sync_aligned_m8n16_x1

class _mad_lo_cc_u32(_call_mad_lo_cc_u32): ...

class _mad_hi_sat_s32(_call_mad_hi_sat_s32): ...

class _mad24_hi_sat_s32(_call_mad24_hi_sat_s32): ...

class _madc_lo_cc_u32(_call_madc_lo_cc_u32): ...

class _madc_hi_sat_s32(_call_madc_hi_sat_s32): ...

class _match_all_sync_no_membermask_overlap:
    b32: _match_all_sync_b32
    b64: _match_all_sync_b32

class _match_all_sync_b32(_call_match_all_sync_b32): ...

class _match_any_sync_no_membermask_overlap:
    b32: _match_any_sync_b32
    b64: _match_any_sync_b32

class _match_any_sync_b32(_call_match_any_sync_b32): ...

class _max_xorsign_abs_bf16(_call_max_xorsign_abs_bf16): ...

class _max_xorsign_abs_f16(_call_max_xorsign_abs_f16): ...

class _max_xorsign_abs_f32(_call_max_xorsign_abs_f32): ...

class _max_ftz_xorsign_abs:
    f16: _max_xorsign_abs_f16
    f16x2: _max_xorsign_abs_f16
    f32: _max_xorsign_abs_f32

class _mbarrier_arrive_shared_cluster_b64(_call_mbarrier_arrive_shared_cluster_b64): ...

class _mbarrier_arrive_expect_tx_release:
    cta: _mbarrier_arrive_expect_tx_cta
    cluster: _mbarrier_arrive_expect_tx_cta
    shared: _mbarrier_arrive_expect_tx_shared
    shared__cta: _mbarrier_arrive_expect_tx_shared
    b64: _mbarrier_arrive_expect_tx_b64
    shared__cluster: _mbarrier_arrive_expect_tx_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_expect_tx_multicast_cluster_32b

class _mbarrier_arrive_expect_tx_cta:
    shared: _mbarrier_arrive_expect_tx_shared
    shared__cta: _mbarrier_arrive_expect_tx_shared
    b64: _mbarrier_arrive_expect_tx_b64
    shared__cluster: _mbarrier_arrive_expect_tx_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_expect_tx_multicast_cluster_32b

class _mbarrier_arrive_expect_tx_shared:
    b64: _mbarrier_arrive_expect_tx_b64

class _mbarrier_arrive_expect_tx_b64(_call_mbarrier_arrive_expect_tx_b64): ...

class _mbarrier_arrive_expect_tx_shared_cluster:
    b64: _mbarrier_arrive_expect_tx_shared_cluster_b64

class _mbarrier_arrive_expect_tx_multicast_cluster_32b:
    b64: _mbarrier_arrive_expect_tx_multicast_cluster_32b_b64
    shared__cluster: _mbarrier_arrive_expect_tx_multicast_cluster_32b_shared_cluster

class _mbarrier_arrive_multicast_cluster_32b_b64(_call_mbarrier_arrive_multicast_cluster_32b_b64): ...

class _mbarrier_arrive_multicast_cluster_32b_shared_cluster:
    b64: _mbarrier_arrive_multicast_cluster_32b_shared_cluster_b64

class _mbarrier_arrive_noComplete_release:
    cta: _mbarrier_arrive_noComplete_cta
    shared: _mbarrier_arrive_noComplete_shared
    shared__cta: _mbarrier_arrive_noComplete_shared
    b64: _mbarrier_arrive_noComplete_b64

class _mbarrier_arrive_noComplete_cta:
    shared: _mbarrier_arrive_noComplete_shared
    shared__cta: _mbarrier_arrive_noComplete_shared
    b64: _mbarrier_arrive_noComplete_b64

class _mbarrier_arrive_noComplete_shared:
    b64: _mbarrier_arrive_noComplete_b64

class _mbarrier_arrive_noComplete_b64(_call_mbarrier_arrive_noComplete_b64): ...

class _mbarrier_arrive_drop_shared_cluster_b64(_call_mbarrier_arrive_drop_shared_cluster_b64): ...

class _mbarrier_arrive_drop_expect_tx_release:
    cta: _mbarrier_arrive_drop_expect_tx_cta
    cluster: _mbarrier_arrive_drop_expect_tx_cta
    shared: _mbarrier_arrive_drop_expect_tx_shared
    shared__cta: _mbarrier_arrive_drop_expect_tx_shared
    b64: _mbarrier_arrive_drop_expect_tx_b64
    shared__cluster: _mbarrier_arrive_drop_expect_tx_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b

class _mbarrier_arrive_drop_expect_tx_cta:
    shared: _mbarrier_arrive_drop_expect_tx_shared
    shared__cta: _mbarrier_arrive_drop_expect_tx_shared
    b64: _mbarrier_arrive_drop_expect_tx_b64
    shared__cluster: _mbarrier_arrive_drop_expect_tx_shared_cluster
    multicast__cluster__32b: _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b

class _mbarrier_arrive_drop_expect_tx_shared:
    b64: _mbarrier_arrive_drop_expect_tx_b64

class _mbarrier_arrive_drop_expect_tx_b64(_call_mbarrier_arrive_drop_expect_tx_b64): ...

class _mbarrier_arrive_drop_expect_tx_shared_cluster:
    b64: _mbarrier_arrive_drop_expect_tx_shared_cluster_b64

class _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b:
    b64: _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_b64
    shared__cluster: _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_shared_cluster

class _mbarrier_arrive_drop_multicast_cluster_32b_b64(_call_mbarrier_arrive_drop_multicast_cluster_32b_b64): ...

class _mbarrier_arrive_drop_multicast_cluster_32b_shared_cluster:
    b64: _mbarrier_arrive_drop_multicast_cluster_32b_shared_cluster_b64

class _mbarrier_arrive_drop_noComplete_release:
    cta: _mbarrier_arrive_drop_noComplete_cta
    shared: _mbarrier_arrive_drop_noComplete_shared
    shared__cta: _mbarrier_arrive_drop_noComplete_shared
    b64: _mbarrier_arrive_drop_noComplete_b64

class _mbarrier_arrive_drop_noComplete_cta:
    shared: _mbarrier_arrive_drop_noComplete_shared
    shared__cta: _mbarrier_arrive_drop_noComplete_shared
    b64: _mbarrier_arrive_drop_noComplete_b64

class _mbarrier_arrive_drop_noComplete_shared:
    b64: _mbarrier_arrive_drop_noComplete_b64

class _mbarrier_arrive_drop_noComplete_b64(_call_mbarrier_arrive_drop_noComplete_b64): ...

class _mbarrier_check_layout_layout_v0_shared:
    b64: _mbarrier_check_layout_layout_v0_b64

class _mbarrier_check_layout_layout_v0_b64(_call_mbarrier_check_layout_layout_v0_b64): ...

class _mbarrier_complete_tx_multicast_cluster_32b_shared_cluster:
    b64: _mbarrier_complete_tx_multicast_cluster_32b_b64

class _mbarrier_complete_tx_multicast_cluster_32b_b64(_call_mbarrier_complete_tx_multicast_cluster_32b_b64): ...

class _mbarrier_expect_tx_multicast_cluster_32b_shared_cluster:
    b64: _mbarrier_expect_tx_multicast_cluster_32b_b64

class _mbarrier_expect_tx_multicast_cluster_32b_b64(_call_mbarrier_expect_tx_multicast_cluster_32b_b64): ...

class _mbarrier_init_layout_v1_shared:
    b64: _mbarrier_init_layout_v1_b64

class _mbarrier_init_layout_v1_b64(_call_mbarrier_init_layout_v1_b64): ...

class _mbarrier_test_wait_phase_type_primary_acquire:
    cta: _mbarrier_test_wait_phase_type_primary_cta
    cluster: _mbarrier_test_wait_phase_type_primary_cta
    shared: _mbarrier_test_wait_phase_type_primary_shared
    shared__cta: _mbarrier_test_wait_phase_type_primary_shared
    b64: _mbarrier_test_wait_phase_type_primary_b64

class _mbarrier_test_wait_phase_type_primary_cta:
    shared: _mbarrier_test_wait_phase_type_primary_shared
    shared__cta: _mbarrier_test_wait_phase_type_primary_shared
    b64: _mbarrier_test_wait_phase_type_primary_b64

class _mbarrier_test_wait_phase_type_primary_shared:
    b64: _mbarrier_test_wait_phase_type_primary_b64

class _mbarrier_test_wait_phase_type_primary_b64(_call_mbarrier_test_wait_phase_type_primary_b64): ...

class _mbarrier_test_wait_parity_phase_type_primary:
    acquire: _mbarrier_test_wait_parity_phase_type_primary_acquire
    relaxed: _mbarrier_test_wait_parity_phase_type_primary_acquire
    cta: _mbarrier_test_wait_parity_phase_type_primary_cta
    cluster: _mbarrier_test_wait_parity_phase_type_primary_cta
    shared: _mbarrier_test_wait_parity_phase_type_primary_shared
    shared__cta: _mbarrier_test_wait_parity_phase_type_primary_shared
    b64: _mbarrier_test_wait_parity_phase_type_primary_b64

class _mbarrier_test_wait_parity_phase_type_conditional:
    acquire: _mbarrier_test_wait_parity_acquire
    relaxed: _mbarrier_test_wait_parity_acquire
    cta: _mbarrier_test_wait_parity_cta
    cluster: _mbarrier_test_wait_parity_cta
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_b64

class _mbarrier_test_wait_parity_acquire:
    cta: _mbarrier_test_wait_parity_cta
    cluster: _mbarrier_test_wait_parity_cta
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_b64

class _mbarrier_test_wait_parity_cta:
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_b64

class _mbarrier_test_wait_parity_shared:
    b64: _mbarrier_test_wait_parity_b64

class _mbarrier_test_wait_parity_b64(_call_mbarrier_test_wait_parity_b64): ...

class _mbarrier_try_wait_phase_type_primary_acquire:
    cta: _mbarrier_try_wait_phase_type_primary_cta
    cluster: _mbarrier_try_wait_phase_type_primary_cta
    shared: _mbarrier_try_wait_phase_type_primary_shared
    shared__cta: _mbarrier_try_wait_phase_type_primary_shared
    b64: _mbarrier_try_wait_phase_type_primary_b64

class _mbarrier_try_wait_phase_type_primary_cta:
    shared: _mbarrier_try_wait_phase_type_primary_shared
    shared__cta: _mbarrier_try_wait_phase_type_primary_shared
    b64: _mbarrier_try_wait_phase_type_primary_b64

class _mbarrier_try_wait_phase_type_primary_shared:
    b64: _mbarrier_try_wait_phase_type_primary_b64

class _mbarrier_try_wait_phase_type_primary_b64(_call_mbarrier_try_wait_phase_type_primary_b64): ...

class _mbarrier_try_wait_parity_phase_type_primary:
    acquire: _mbarrier_try_wait_parity_phase_type_primary_acquire
    relaxed: _mbarrier_try_wait_parity_phase_type_primary_acquire
    cta: _mbarrier_try_wait_parity_phase_type_primary_cta
    cluster: _mbarrier_try_wait_parity_phase_type_primary_cta
    shared: _mbarrier_try_wait_parity_phase_type_primary_shared
    shared__cta: _mbarrier_try_wait_parity_phase_type_primary_shared
    b64: _mbarrier_try_wait_parity_phase_type_primary_b64

class _mbarrier_try_wait_parity_phase_type_conditional:
    acquire: _mbarrier_try_wait_parity_acquire
    relaxed: _mbarrier_try_wait_parity_acquire
    cta: _mbarrier_try_wait_parity_cta
    cluster: _mbarrier_try_wait_parity_cta
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_b64

class _mbarrier_try_wait_parity_acquire:
    cta: _mbarrier_try_wait_parity_cta
    cluster: _mbarrier_try_wait_parity_cta
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_b64

class _mbarrier_try_wait_parity_cta:
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_b64

class _mbarrier_try_wait_parity_shared:
    b64: _mbarrier_try_wait_parity_b64

class _mbarrier_try_wait_parity_b64(_call_mbarrier_try_wait_parity_b64): ...

class _min_xorsign_abs_bf16(_call_min_xorsign_abs_bf16): ...

class _min_xorsign_abs_f16(_call_min_xorsign_abs_f16): ...

class _min_xorsign_abs_f32(_call_min_xorsign_abs_f32): ...

class _min_ftz_xorsign_abs:
    f16: _min_xorsign_abs_f16
    f16x2: _min_xorsign_abs_f16
    f32: _min_xorsign_abs_f32

class _mma_sync_aligned_m8n8k128:
    row: _mma_sync_aligned_m8n8k128_row
    col: _mma_sync_aligned_m8n8k128_row

class _mma_sync_aligned_m8n8k4:
    row: _mma_sync_aligned_m8n8k4_row
    col: _mma_sync_aligned_m8n8k4_row

class _mma_sp_ordered_metadata_sync_aligned:
    m16n8k64: _mma_sp_ordered_metadata_sync_aligned_m16n8k64
    m16n8k16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64
    m16n8k32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64
    m16n8k128: _mma_sp_ordered_metadata_sync_aligned_m16n8k64
    m16n8k8: _mma_sp_ordered_metadata_sync_aligned_m16n8k64

class _movmatrix_sync_aligned_m8n8:
    trans: _movmatrix_sync_aligned_m8n8_trans

class _mul_bf16x2_bf16x2_f16x2(_call_mul_bf16x2_bf16x2_f16x2): ...

class _mul_rz_bf16x2_f32x2:
    f32x2: _mul_rz_bf16x2_f32x2_f32x2

class _mul_rz_ftz_f16x2:
    f32x2: _mul_rz_ftz_f16x2_f32x2

class _mul_f16x2_f16x2_bf16x2(_call_mul_f16x2_f16x2_bf16x2): ...

class _mul_e4m3x4_e4m3x4_e4m3x4(_call_mul_e4m3x4_e4m3x4_e4m3x4): ...

class _multimem_cp_async_bulk:
    weak: _multimem_cp_async_bulk_weak
    global_: _multimem_cp_async_bulk_global
    relaxed: _multimem_cp_async_bulk_relaxed

class _multimem_cp_reduce_async:
    bulk: _multimem_cp_reduce_async_bulk

class _multimem_ld_reduce_add_u32(_call_multimem_ld_reduce_add_u32): ...

class _multimem_ld_reduce_add_v2:
    f32: _multimem_ld_reduce_add_v2_f32
    f16: _multimem_ld_reduce_add_f16
    bf16: _multimem_ld_reduce_add_f16
    f16x2: _multimem_ld_reduce_add_f16
    bf16x2: _multimem_ld_reduce_add_f16
    e4m3: _multimem_ld_reduce_add_f16
    e5m2: _multimem_ld_reduce_add_f16
    e4m3x2: _multimem_ld_reduce_add_f16
    e5m2x2: _multimem_ld_reduce_add_f16
    e4m3x4: _multimem_ld_reduce_add_f16
    e5m2x4: _multimem_ld_reduce_add_f16

class _multimem_ld_reduce_add_acc_f32:
    v2: _multimem_ld_reduce_add_v8
    v4: _multimem_ld_reduce_add_v8
    v8: _multimem_ld_reduce_add_v8
    f16: _multimem_ld_reduce_add_f16
    bf16: _multimem_ld_reduce_add_f16
    f16x2: _multimem_ld_reduce_add_f16
    bf16x2: _multimem_ld_reduce_add_f16
    e4m3: _multimem_ld_reduce_add_f16
    e5m2: _multimem_ld_reduce_add_f16
    e4m3x2: _multimem_ld_reduce_add_f16
    e5m2x2: _multimem_ld_reduce_add_f16
    e4m3x4: _multimem_ld_reduce_add_f16
    e5m2x4: _multimem_ld_reduce_add_f16

class _multimem_ld_reduce_add_v8:
    f16: _multimem_ld_reduce_add_f16
    bf16: _multimem_ld_reduce_add_f16
    f16x2: _multimem_ld_reduce_add_f16
    bf16x2: _multimem_ld_reduce_add_f16
    e4m3: _multimem_ld_reduce_add_f16
    e5m2: _multimem_ld_reduce_add_f16
    e4m3x2: _multimem_ld_reduce_add_f16
    e5m2x2: _multimem_ld_reduce_add_f16
    e4m3x4: _multimem_ld_reduce_add_f16
    e5m2x4: _multimem_ld_reduce_add_f16

class _multimem_ld_reduce_add_f16(_call_multimem_ld_reduce_add_f16): ...

class _multimem_red_add_v2:
    u32: _multimem_red_add_u32
    s32: _multimem_red_add_u32
    u64: _multimem_red_add_u32
    s64: _multimem_red_add_u32
    b32: _multimem_red_add_u32
    b64: _multimem_red_add_u32
    f32: _multimem_red_add_u32
    f64: _multimem_red_add_u32
    f16: _multimem_red_add_u32
    bf16: _multimem_red_add_u32
    f16x2: _multimem_red_add_u32
    bf16x2: _multimem_red_add_u32

class _multimem_red_add_u32(_call_multimem_red_add_u32): ...

class _multimem_red_async_release:
    gpu: _multimem_red_async_release_gpu
    sys: _multimem_red_async_release_gpu

class _multimem_st_async_release:
    gpu: _multimem_st_async_release_gpu
    sys: _multimem_st_async_release_gpu

class _rcp_approx_ftz_f64(_call_rcp_approx_ftz_f64): ...

class _rcp_rn_ftz_f64(_call_rcp_rn_ftz_f64): ...

class _red_shared_add_L2_cache_hint:
    u32: _red_add_u32
    s32: _red_add_u32
    u64: _red_add_u32
    f32: _red_add_f32
    f64: _red_add_f32

class _red_shared_add_noftz:
    L2__cache_hint: _red_shared_add_noftz_L2_cache_hint
    f16: _red_add_noftz_f16
    f16x2: _red_add_noftz_f16
    bf16: _red_add_noftz_f16
    bf16x2: _red_add_noftz_f16
    f32: _red_add_noftz_f32

class _red_add_noftz_L2_cache_hint:
    f16: _red_add_noftz_f16
    f16x2: _red_add_noftz_f16
    bf16: _red_add_noftz_f16
    bf16x2: _red_add_noftz_f16
    f32: _red_add_noftz_f32
    v2: _red_add_noftz_v2
    v4: _red_add_noftz_v2
    v8: _red_add_noftz_v8

class _red_add_noftz_f16(_call_red_add_noftz_f16): ...

class _red_add_noftz_f32(_call_red_add_noftz_f32): ...

class _red_add_noftz_v2:
    f16: _red_add_noftz_v2_f16
    bf16: _red_add_noftz_v2_f16
    f32: _red_add_noftz_v2_f32
    f16x2: _red_add_noftz_v2_f16x2
    bf16x2: _red_add_noftz_v2_f16x2

class _red_add_noftz_v8:
    f16: _red_add_noftz_v2_f16
    bf16: _red_add_noftz_v2_f16

class _red_add_v2_f32(_call_red_add_v2_f32): ...

class _red_async_relaxed_cluster:
    shared__cluster: _red_async_relaxed_cluster_shared_cluster
    mbarrier__complete_tx__bytes: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes

class _red_async_release_gpu:
    global_: _red_async_release_gpu_global
    add: _red_async_release_gpu_add
    min: _red_async_release_gpu_add
    max: _red_async_release_gpu_add
    inc: _red_async_release_gpu_add
    dec: _red_async_release_gpu_add
    and_: _red_async_release_gpu_add
    or_: _red_async_release_gpu_add
    xor: _red_async_release_gpu_add

class _red_min_noftz_L2_cache_hint:
    v2: _red_min_noftz_v2
    v4: _red_min_noftz_v2
    v8: _red_add_noftz_v8

class _red_min_noftz_v2:
    f16: _red_add_noftz_v2_f16
    bf16: _red_add_noftz_v2_f16
    f16x2: _red_add_noftz_v2_f16x2
    bf16x2: _red_add_noftz_v2_f16x2

class _redux_sync_add_no_membermask_overlap:
    u32: _redux_sync_add_u32
    s32: _redux_sync_add_u32

class _redux_sync_add_u32(_call_redux_sync_add_u32): ...

class _redux_sync_min_no_membermask_overlap:
    u32: _redux_sync_add_u32
    s32: _redux_sync_add_u32
    f32: _redux_sync_min_f32

class _redux_sync_min_abs:
    NaN: _redux_sync_min_NaN
    no_membermask_overlap: _redux_sync_min_abs_no_membermask_overlap
    f32: _redux_sync_min_f32

class _redux_sync_min_NaN:
    no_membermask_overlap: _redux_sync_min_abs_no_membermask_overlap
    f32: _redux_sync_min_f32

class _redux_sync_min_f32(_call_redux_sync_min_f32): ...

class _redux_sync_and_no_membermask_overlap:
    b32: _redux_sync_and_b32

class _redux_sync_and_b32(_call_redux_sync_and_b32): ...

class _rsqrt_approx_ftz_f64(_call_rsqrt_approx_ftz_f64): ...

class _set_eq_u32_b16(_call_set_eq_u32_b16): ...

class _set_eq_u32_bf16(_call_set_eq_u32_bf16): ...

class _set_eq_u32_bf16x2(_call_set_eq_u32_bf16x2): ...

class _set_eq_u32_f16(_call_set_eq_u32_f16): ...

class _set_eq_u32_f16x2(_call_set_eq_u32_f16x2): ...

class _set_eq_u32_f32(_call_set_eq_u32_f32): ...

class _set_eq_u32_f64(_call_set_eq_u32_f64): ...

class _set_eq_bf16_f16(_call_set_eq_bf16_f16): ...

class _set_eq_bf16_f32(_call_set_eq_bf16_f32): ...

class _set_eq_bf16_b16(_call_set_eq_bf16_b16): ...

class _set_eq_ftz_f16:
    f16: _set_eq_u32_f16
    f32: _set_eq_u32_f32

class _set_eq_ftz_u16:
    f16: _set_eq_u32_f16

class _set_eq_ftz_u32:
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
    f32: _set_eq_u32_f32

class _set_eq_ftz_f32:
    f32: _set_eq_u32_f32

class _setmaxnreg_inc_sync_aligned:
    u32: _setmaxnreg_inc_sync_aligned_u32
    s32: _setmaxnreg_inc_sync_aligned_u32

class _shf_l_clamp_b32(_call_shf_l_clamp_b32): ...

class _shfl_sync_up_no_membermask_overlap:
    b32: _shfl_sync_up_b32

class _shfl_sync_up_b32(_call_shfl_sync_up_b32): ...

class _spcompress_sp_2_4_x1_b16:
    b2: _spcompress_sp_2_4_x1_b16_b2
    b4: _spcompress_sp_2_4_x1_b16_b4

class _spcompress_sp_2_4_x1_b8:
    b2: _spcompress_sp_2_4_x1_b8_b2
    b4: _spcompress_sp_2_4_x1_b8_b4

class _spdecompress_sp_2_4_x1_b16:
    b2: _spdecompress_sp_2_4_x1_b16_b2
    b4: _spdecompress_sp_2_4_x1_b16_b4

class _spdecompress_sp_2_4_x1_b8:
    b2: _spdecompress_sp_2_4_x1_b8_b2
    b4: _spdecompress_sp_2_4_x1_b8_b4

class _st_async_mbarrier_complete_tx_bytes_v2:
    b32: _st_async_mbarrier_complete_tx_bytes_b32
    u32: _st_async_mbarrier_complete_tx_bytes_b32
    s32: _st_async_mbarrier_complete_tx_bytes_b32
    f32: _st_async_mbarrier_complete_tx_bytes_b32
    b64: _st_async_mbarrier_complete_tx_bytes_b32
    u64: _st_async_mbarrier_complete_tx_bytes_b32
    s64: _st_async_mbarrier_complete_tx_bytes_b32
    f64: _st_async_mbarrier_complete_tx_bytes_b32
    b128: _st_async_mbarrier_complete_tx_bytes_b32

class _st_async_mbarrier_complete_tx_bytes_b32(_call_st_async_mbarrier_complete_tx_bytes_b32): ...

class _st_async_release_gpu:
    global_: _st_async_release_gpu_global
    b8: _st_async_release_gpu_b8
    u8: _st_async_release_gpu_b8
    s8: _st_async_release_gpu_b8
    b16: _st_async_release_gpu_b8
    u16: _st_async_release_gpu_b8
    s16: _st_async_release_gpu_b8
    b32: _st_async_release_gpu_b8
    u32: _st_async_release_gpu_b8
    s32: _st_async_release_gpu_b8
    f32: _st_async_release_gpu_b8
    b64: _st_async_release_gpu_b8
    u64: _st_async_release_gpu_b8
    s64: _st_async_release_gpu_b8
    f64: _st_async_release_gpu_b8

class _st_mmio_relaxed_sys:
    global_: _st_mmio_relaxed_sys_global
    b8: _st_mmio_relaxed_sys_b8
    b16: _st_mmio_relaxed_sys_b8
    b32: _st_mmio_relaxed_sys_b8
    b64: _st_mmio_relaxed_sys_b8
    u8: _st_mmio_relaxed_sys_b8
    u16: _st_mmio_relaxed_sys_b8
    u32: _st_mmio_relaxed_sys_b8
    u64: _st_mmio_relaxed_sys_b8
    s8: _st_mmio_relaxed_sys_b8
    s16: _st_mmio_relaxed_sys_b8
    s32: _st_mmio_relaxed_sys_b8
    s64: _st_mmio_relaxed_sys_b8
    f32: _st_mmio_relaxed_sys_b8
    f64: _st_mmio_relaxed_sys_b8
    b128: _st_mmio_relaxed_sys_b8

class _st_mmio_release_sys:
    global_: _st_mmio_release_sys_global
    b8: _st_mmio_release_sys_b8
    b16: _st_mmio_release_sys_b8
    b32: _st_mmio_release_sys_b8
    b64: _st_mmio_release_sys_b8
    u8: _st_mmio_release_sys_b8
    u16: _st_mmio_release_sys_b8
    u32: _st_mmio_release_sys_b8
    u64: _st_mmio_release_sys_b8
    s8: _st_mmio_release_sys_b8
    s16: _st_mmio_release_sys_b8
    s32: _st_mmio_release_sys_b8
    s64: _st_mmio_release_sys_b8
    f32: _st_mmio_release_sys_b8
    f64: _st_mmio_release_sys_b8
    b128: _st_mmio_release_sys_b8

class _st_relaxed_cta_global:
    L1__evict_normal: _st_relaxed_cta_L1_evict_normal
    L1__evict_unchanged: _st_relaxed_cta_L1_evict_normal
    L1__evict_first: _st_relaxed_cta_L1_evict_normal
    L1__evict_last: _st_relaxed_cta_L1_evict_normal
    L1__no_allocate: _st_relaxed_cta_L1_evict_normal
    L2__evict_last: _st_relaxed_cta_L2_evict_last
    L2__evict_normal: _st_relaxed_cta_L2_evict_last
    L2__evict_first: _st_relaxed_cta_L2_evict_last
    L2__cache_hint: _st_relaxed_cta_L2_cache_hint
    v2: _st_relaxed_cta_v2
    v4: _st_relaxed_cta_v2
    v8: _st_relaxed_cta_v2
    b8: _st_relaxed_cta_b8
    b16: _st_relaxed_cta_b8
    b32: _st_relaxed_cta_b8
    b64: _st_relaxed_cta_b8
    u8: _st_relaxed_cta_b8
    u16: _st_relaxed_cta_b8
    u32: _st_relaxed_cta_b8
    u64: _st_relaxed_cta_b8
    s8: _st_relaxed_cta_b8
    s16: _st_relaxed_cta_b8
    s32: _st_relaxed_cta_b8
    s64: _st_relaxed_cta_b8
    f32: _st_relaxed_cta_b8
    f64: _st_relaxed_cta_b8
    b128: _st_relaxed_cta_b8

class _st_relaxed_cta_L1_evict_normal:
    L2__evict_last: _st_relaxed_cta_L2_evict_last
    L2__evict_normal: _st_relaxed_cta_L2_evict_last
    L2__evict_first: _st_relaxed_cta_L2_evict_last
    L2__cache_hint: _st_relaxed_cta_L2_cache_hint
    v2: _st_relaxed_cta_v2
    v4: _st_relaxed_cta_v2
    v8: _st_relaxed_cta_v2
    b8: _st_relaxed_cta_b8
    b16: _st_relaxed_cta_b8
    b32: _st_relaxed_cta_b8
    b64: _st_relaxed_cta_b8
    u8: _st_relaxed_cta_b8
    u16: _st_relaxed_cta_b8
    u32: _st_relaxed_cta_b8
    u64: _st_relaxed_cta_b8
    s8: _st_relaxed_cta_b8
    s16: _st_relaxed_cta_b8
    s32: _st_relaxed_cta_b8
    s64: _st_relaxed_cta_b8
    f32: _st_relaxed_cta_b8
    f64: _st_relaxed_cta_b8
    b128: _st_relaxed_cta_b8

class _st_relaxed_cta_L2_evict_last:
    L2__cache_hint: _st_relaxed_cta_L2_cache_hint
    v2: _st_relaxed_cta_v2
    v4: _st_relaxed_cta_v2
    v8: _st_relaxed_cta_v2
    b8: _st_relaxed_cta_b8
    b16: _st_relaxed_cta_b8
    b32: _st_relaxed_cta_b8
    b64: _st_relaxed_cta_b8
    u8: _st_relaxed_cta_b8
    u16: _st_relaxed_cta_b8
    u32: _st_relaxed_cta_b8
    u64: _st_relaxed_cta_b8
    s8: _st_relaxed_cta_b8
    s16: _st_relaxed_cta_b8
    s32: _st_relaxed_cta_b8
    s64: _st_relaxed_cta_b8
    f32: _st_relaxed_cta_b8
    f64: _st_relaxed_cta_b8
    b128: _st_relaxed_cta_b8

class _st_relaxed_cta_L2_cache_hint:
    v2: _st_relaxed_cta_v2
    v4: _st_relaxed_cta_v2
    v8: _st_relaxed_cta_v2
    b8: _st_relaxed_cta_b8
    b16: _st_relaxed_cta_b8
    b32: _st_relaxed_cta_b8
    b64: _st_relaxed_cta_b8
    u8: _st_relaxed_cta_b8
    u16: _st_relaxed_cta_b8
    u32: _st_relaxed_cta_b8
    u64: _st_relaxed_cta_b8
    s8: _st_relaxed_cta_b8
    s16: _st_relaxed_cta_b8
    s32: _st_relaxed_cta_b8
    s64: _st_relaxed_cta_b8
    f32: _st_relaxed_cta_b8
    f64: _st_relaxed_cta_b8
    b128: _st_relaxed_cta_b8

class _st_relaxed_cta_v2:
    b8: _st_relaxed_cta_b8
    b16: _st_relaxed_cta_b8
    b32: _st_relaxed_cta_b8
    b64: _st_relaxed_cta_b8
    u8: _st_relaxed_cta_b8
    u16: _st_relaxed_cta_b8
    u32: _st_relaxed_cta_b8
    u64: _st_relaxed_cta_b8
    s8: _st_relaxed_cta_b8
    s16: _st_relaxed_cta_b8
    s32: _st_relaxed_cta_b8
    s64: _st_relaxed_cta_b8
    f32: _st_relaxed_cta_b8
    f64: _st_relaxed_cta_b8
    b128: _st_relaxed_cta_b8

class _st_relaxed_cta_b8(_call_st_relaxed_cta_b8): ...

class _stmatrix_sync_aligned_m8n8:
    x1: _stmatrix_sync_aligned_m8n8_x1
    x2: _stmatrix_sync_aligned_m8n8_x1
    x4: _stmatrix_sync_aligned_m8n8_x1

class _stmatrix_sync_aligned_m16n8:
    x1: _stmatrix_sync_aligned_m16n8_x1
    x2: _stmatrix_sync_aligned_m16n8_x1
    x4: _stmatrix_sync_aligned_m16n8_x1

class _sub_rz_bf16x2_f32x2:
    f32x2: _sub_rz_bf16x2_f32x2_f32x2

class _sub_rz_ftz_f16x2:
    f32x2: _sub_rz_ftz_f16x2_f32x2

class _sub_rz_ftz_sat:
    f32: _sub_ftz_f32

class _sub_f32x2_bf16x2_f32x2(_call_sub_f32x2_bf16x2_f32x2): ...

class _sub_f32x2_f16x2_f32x2(_call_sub_f32x2_f16x2_f32x2): ...

class _suld_b_1d_ca:
    v2: _suld_b_1d_v2
    v4: _suld_b_1d_v2
    b8: _suld_b_1d_b8
    b16: _suld_b_1d_b8
    b32: _suld_b_1d_b8
    b64: _suld_b_1d_b8

class _suld_b_1d_v2:
    b8: _suld_b_1d_b8
    b16: _suld_b_1d_b8
    b32: _suld_b_1d_b8
    b64: _suld_b_1d_b8

class _suld_b_1d_b8:
    trap: _suld_b_1d_b8_trap
    clamp: _suld_b_1d_b8_trap
    zero: _suld_b_1d_b8_trap

class _sured_b_add_1d:
    u32: _sured_b_add_1d_u32
    s32: _sured_b_add_1d_u32
    u64: _sured_b_add_1d_u32

class _sured_b_and_1d:
    b32: _sured_b_and_1d_b32

class _sured_b_max_1d:
    u32: _sured_b_max_1d_u32
    s32: _sured_b_max_1d_u32
    u64: _sured_b_max_1d_u32
    s64: _sured_b_max_1d_u32

class _sured_b_min_1d:
    u32: _sured_b_min_1d_u32
    s32: _sured_b_min_1d_u32
    u64: _sured_b_min_1d_u32
    s64: _sured_b_min_1d_u32

class _sured_b_or_1d:
    b32: _sured_b_or_1d_b32

class _sured_p_add_1d:
    b32: _sured_p_add_1d_b32

class _sust_b_1d_wb:
    v2: _sust_b_1d_v2
    v4: _sust_b_1d_v2
    b8: _sust_b_1d_b8
    b16: _sust_b_1d_b8
    b32: _sust_b_1d_b8
    b64: _sust_b_1d_b8

class _sust_b_1d_v2:
    b8: _sust_b_1d_b8
    b16: _sust_b_1d_b8
    b32: _sust_b_1d_b8
    b64: _sust_b_1d_b8

class _sust_b_1d_b8:
    trap: _sust_b_1d_b8_trap
    clamp: _sust_b_1d_b8_trap
    zero: _sust_b_1d_b8_trap

class _sust_p_1d_wb:
    v2: _sust_p_1d_v2
    v4: _sust_p_1d_v2
    b32: _sust_p_1d_b32

class _sust_p_1d_v2:
    b32: _sust_p_1d_b32

class _sust_p_1d_b32:
    trap: _sust_p_1d_b32_trap
    clamp: _sust_p_1d_b32_trap
    zero: _sust_p_1d_b32_trap

class _tcgen05_alloc_cta_group_1_sync:
    aligned: _tcgen05_alloc_cta_group_1_sync_aligned

class _tcgen05_commit_cta_group_1_mbarrier_arrive_one:
    shared__cluster: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_shared_cluster
    multicast__cluster: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_multicast_cluster
    multicast__cluster__32b: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_multicast_cluster
    b64: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_b64

class _tcgen05_cp_cta_group_1_128x256b(_call_tcgen05_cp_cta_group_1_128x256b):
    warpx2__02_13: _tcgen05_cp_cta_group_1_128x256b_warpx2_02_13
    warpx2__01_23: _tcgen05_cp_cta_group_1_128x256b_warpx2_02_13
    warpx4: _tcgen05_cp_cta_group_1_128x256b_warpx2_02_13
    b8x16: _tcgen05_cp_cta_group_1_128x256b_b8x16
    b6x16_p32: _tcgen05_cp_cta_group_1_128x256b_b6x16_p32
    b4x16_p64: _tcgen05_cp_cta_group_1_128x256b_b6x16_p32

class _tcgen05_dealloc_cta_group_1_sync:
    aligned: _tcgen05_dealloc_cta_group_1_sync_aligned

class _tcgen05_ld_sync_aligned:
    _16x64b: _tcgen05_ld_sync_aligned_16x64b
    _32x32b: _tcgen05_ld_sync_aligned_16x64b
    _16x128b: _tcgen05_ld_sync_aligned_16x64b
    _16x256b: _tcgen05_ld_sync_aligned_16x64b
    _16x32bx2: _tcgen05_ld_sync_aligned_16x32bx2

class _tcgen05_ld_red_sync:
    aligned: _tcgen05_ld_red_sync_aligned

class _tcgen05_ld_red_spcompress:
    sync: _tcgen05_ld_red_spcompress_sync

class _tcgen05_ld_spcompress_sync:
    aligned: _tcgen05_ld_spcompress_sync_aligned

class _tcgen05_mma_cta_group_1_kind_f16(_call_tcgen05_mma_cta_group_1_kind_f16):
    collector__a__fill: _tcgen05_mma_cta_group_1_kind_f16_collector_a_fill
    collector__a__use: _tcgen05_mma_cta_group_1_kind_f16_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_cta_group_1_kind_f16_collector_a_fill
    collector__a__discard: _tcgen05_mma_cta_group_1_kind_f16_collector_a_fill
    ashift: _tcgen05_mma_cta_group_1_kind_f16_ashift

class _tcgen05_mma_cta_group_1_kind_mxf8f6f4:
    block_scale: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale

class _tcgen05_mma_sp_cta_group_1:
    kind__f16: _tcgen05_mma_sp_cta_group_1_kind_f16
    kind__tf32: _tcgen05_mma_sp_cta_group_1_kind_f16
    kind__f8f6f4: _tcgen05_mma_sp_cta_group_1_kind_f16
    kind__i8: _tcgen05_mma_sp_cta_group_1_kind_f16
    kind__mxf8f6f4: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4
    kind__mxf4: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4
    kind__mxf4nvf4: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4

class _tcgen05_mma_ws_cta_group_1:
    kind__f16: _tcgen05_mma_ws_cta_group_1_kind_f16
    kind__tf32: _tcgen05_mma_ws_cta_group_1_kind_f16
    kind__f8f6f4: _tcgen05_mma_ws_cta_group_1_kind_f16
    kind__i8: _tcgen05_mma_ws_cta_group_1_kind_f16

class _tcgen05_mma_ws_sp:
    cta_group__1: _tcgen05_mma_ws_sp_cta_group_1

class _tcgen05_relinquish_alloc_permit_cta_group_1_sync:
    aligned: _tcgen05_relinquish_alloc_permit_cta_group_1_sync_aligned

class _tcgen05_shift_cta_group_1_down(_call_tcgen05_shift_cta_group_1_down): ...

class _tcgen05_st_sync_aligned:
    _16x64b: _tcgen05_st_sync_aligned_16x64b
    _32x32b: _tcgen05_st_sync_aligned_16x64b
    _16x128b: _tcgen05_st_sync_aligned_16x64b
    _16x256b: _tcgen05_st_sync_aligned_16x64b
    _16x32bx2: _tcgen05_st_sync_aligned_16x32bx2

class _tcgen05_wait_ld_sync_aligned(_call_tcgen05_wait_ld_sync_aligned): ...

class _tcgen05_wait_st_sync_aligned(_call_tcgen05_wait_st_sync_aligned): ...

class _tensormap_cp_fenceproxy_global_shared_cta:
    tensormap__generic: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic

class _tensormap_query_alloc_class_large_global:
    b1024: _tensormap_query_alloc_class_large_b1024

class _tensormap_query_alloc_class_large_b1024(_call_tensormap_query_alloc_class_large_b1024): ...

class _tensormap_replace_tile_box_dim:
    global_: _tensormap_replace_tile_box_dim_global
    shared__cta: _tensormap_replace_tile_box_dim_global
    b1024: _tensormap_replace_tile_box_dim_b1024

class _tensormap_replace_tile_element_stride:
    global_: _tensormap_replace_tile_element_stride_global
    shared__cta: _tensormap_replace_tile_element_stride_global
    b1024: _tensormap_replace_tile_element_stride_b1024

class _tensormap_replace_tile_elemtype:
    global_: _tensormap_replace_tile_elemtype_global
    shared__cta: _tensormap_replace_tile_elemtype_global
    b1024: _tensormap_replace_tile_elemtype_b1024

class _tensormap_replace_tile_fill_mode:
    global_: _tensormap_replace_tile_fill_mode_global
    shared__cta: _tensormap_replace_tile_fill_mode_global
    b1024: _tensormap_replace_tile_fill_mode_b1024

class _tensormap_replace_tile_global_address:
    global_: _tensormap_replace_tile_global_address_global
    shared__cta: _tensormap_replace_tile_global_address_global
    b1024: _tensormap_replace_tile_global_address_b1024

class _tensormap_replace_tile_global_dim:
    global_: _tensormap_replace_tile_global_dim_global
    shared__cta: _tensormap_replace_tile_global_dim_global
    b1024: _tensormap_replace_tile_global_dim_b1024

class _tensormap_replace_tile_global_stride:
    global_: _tensormap_replace_tile_global_stride_global
    shared__cta: _tensormap_replace_tile_global_stride_global
    b1024: _tensormap_replace_tile_global_stride_b1024

class _tensormap_replace_tile_interleave_layout:
    global_: _tensormap_replace_tile_interleave_layout_global
    shared__cta: _tensormap_replace_tile_interleave_layout_global
    b1024: _tensormap_replace_tile_interleave_layout_b1024

class _tensormap_replace_tile_rank:
    global_: _tensormap_replace_tile_rank_global
    shared__cta: _tensormap_replace_tile_rank_global
    b1024: _tensormap_replace_tile_rank_b1024

class _tensormap_replace_tile_swizzle_atomicity:
    global_: _tensormap_replace_tile_swizzle_atomicity_global
    shared__cta: _tensormap_replace_tile_swizzle_atomicity_global
    b1024: _tensormap_replace_tile_swizzle_atomicity_b1024

class _tensormap_replace_tile_swizzle_mode:
    global_: _tensormap_replace_tile_swizzle_mode_global
    shared__cta: _tensormap_replace_tile_swizzle_mode_global
    b1024: _tensormap_replace_tile_swizzle_mode_b1024

class _tex_grad_1d_v4:
    u32: _tex_grad_1d_v4_u32
    s32: _tex_grad_1d_v4_u32
    f32: _tex_grad_1d_v4_u32
    f16: _tex_grad_1d_v4_u32
    f16x2: _tex_grad_1d_v4_u32

class _tex_grad_3d_v4:
    u32: _tex_grad_3d_v4_u32
    s32: _tex_grad_3d_v4_u32
    f32: _tex_grad_3d_v4_u32
    f16: _tex_grad_3d_v4_u32
    f16x2: _tex_grad_3d_v4_u32

class _tex_grad_cube_v4:
    u32: _tex_grad_cube_v4_u32
    s32: _tex_grad_cube_v4_u32
    f32: _tex_grad_cube_v4_u32
    f16: _tex_grad_cube_v4_u32
    f16x2: _tex_grad_cube_v4_u32

class _tex_level_1d_v4:
    u32: _tex_level_1d_v4_u32
    s32: _tex_level_1d_v4_u32
    f32: _tex_level_1d_v4_u32
    f16: _tex_level_1d_v4_u32
    f16x2: _tex_level_1d_v4_u32

class _tex_level_3d_v4:
    u32: _tex_level_3d_v4_u32
    s32: _tex_level_3d_v4_u32
    f32: _tex_level_3d_v4_u32
    f16: _tex_level_3d_v4_u32
    f16x2: _tex_level_3d_v4_u32

class _tex_level_cube_v4:
    u32: _tex_level_cube_v4_u32
    s32: _tex_level_cube_v4_u32
    f32: _tex_level_cube_v4_u32
    f16: _tex_level_cube_v4_u32
    f16x2: _tex_level_cube_v4_u32

class _tex_1d_v4_u32:
    f32: _tex_1d_v4_u32_f32
    s32: _tex_1d_v4_u32_s32

class _tex_3d_v4_u32:
    f32: _tex_3d_v4_u32_f32
    s32: _tex_1d_v4_u32_s32

class _tex_cube_v4_u32:
    f32: _tex_cube_v4_u32_f32

class _tex_2dms_v4_u32:
    s32: _tex_1d_v4_u32_s32

class _tld4_r_2d_v4:
    u32: _tld4_r_2d_v4_u32
    s32: _tld4_r_2d_v4_u32
    f32: _tld4_r_2d_v4_u32

class _tld4_r_cube_v4:
    u32: _tld4_r_cube_v4_u32
    s32: _tld4_r_cube_v4_u32
    f32: _tld4_r_cube_v4_u32

class _txq_level_width_b32(_call_txq_level_width_b32): ...

class _vabsdiff_u32_u32_u32(_call_vabsdiff_u32_u32_u32):
    sat: _vabsdiff_u32_u32_u32_sat
    add: _vabsdiff_u32_u32_u32_add
    min: _vabsdiff_u32_u32_u32_add
    max: _vabsdiff_u32_u32_u32_add

class _vabsdiff2_u32_u32_u32(_call_vabsdiff2_u32_u32_u32):
    sat: _vabsdiff2_u32_u32_u32_sat
    add: _vabsdiff2_u32_u32_u32_sat

class _vabsdiff4_u32_u32_u32(_call_vabsdiff4_u32_u32_u32):
    sat: _vabsdiff4_u32_u32_u32_sat
    add: _vabsdiff4_u32_u32_u32_sat

class _vadd_u32_u32_u32(_call_vadd_u32_u32_u32):
    sat: _vadd_u32_u32_u32_sat
    add: _vadd_u32_u32_u32_add
    min: _vadd_u32_u32_u32_add
    max: _vadd_u32_u32_u32_add

class _vadd2_u32_u32_u32(_call_vadd2_u32_u32_u32):
    sat: _vadd2_u32_u32_u32_sat
    add: _vadd2_u32_u32_u32_sat

class _vadd4_u32_u32_u32(_call_vadd4_u32_u32_u32):
    sat: _vadd4_u32_u32_u32_sat
    add: _vadd4_u32_u32_u32_sat

class _vavrg2_u32_u32_u32(_call_vavrg2_u32_u32_u32):
    sat: _vavrg2_u32_u32_u32_sat
    add: _vavrg2_u32_u32_u32_sat

class _vavrg4_u32_u32_u32(_call_vavrg4_u32_u32_u32):
    sat: _vavrg4_u32_u32_u32_sat
    add: _vavrg4_u32_u32_u32_sat

class _vmad_u32_u32_u32(_call_vmad_u32_u32_u32):
    sat: _vmad_u32_u32_u32_sat
    shr7: _vmad_u32_u32_u32_shr7
    shr15: _vmad_u32_u32_u32_shr7
    po: _vmad_u32_u32_u32_po

class _vmax_u32_u32_u32(_call_vmax_u32_u32_u32):
    sat: _vmax_u32_u32_u32_sat
    add: _vmax_u32_u32_u32_add
    min: _vmax_u32_u32_u32_add
    max: _vmax_u32_u32_u32_add

class _vmax2_u32_u32_u32(_call_vmax2_u32_u32_u32):
    sat: _vmax2_u32_u32_u32_sat
    add: _vmax2_u32_u32_u32_sat

class _vmax4_u32_u32_u32(_call_vmax4_u32_u32_u32):
    sat: _vmax4_u32_u32_u32_sat
    add: _vmax4_u32_u32_u32_sat

class _vmin_u32_u32_u32(_call_vmin_u32_u32_u32):
    sat: _vmin_u32_u32_u32_sat
    add: _vmin_u32_u32_u32_add
    min: _vmin_u32_u32_u32_add
    max: _vmin_u32_u32_u32_add

class _vmin2_u32_u32_u32(_call_vmin2_u32_u32_u32):
    sat: _vmin2_u32_u32_u32_sat
    add: _vmin2_u32_u32_u32_sat

class _vmin4_u32_u32_u32(_call_vmin4_u32_u32_u32):
    sat: _vmin4_u32_u32_u32_sat
    add: _vmin4_u32_u32_u32_sat

class _vote_sync_all_no_membermask_overlap:
    pred: _vote_sync_all_pred

class _vote_sync_all_pred(_call_vote_sync_all_pred): ...

class _vote_sync_ballot_no_membermask_overlap:
    b32: _vote_sync_ballot_b32

class _vote_sync_ballot_b32(_call_vote_sync_ballot_b32): ...

class _vset_u32_u32_eq(_call_vset_u32_u32_eq):
    add: _vset_u32_u32_eq_add
    min: _vset_u32_u32_eq_add
    max: _vset_u32_u32_eq_add

class _vset2_u32_u32_eq(_call_vset2_u32_u32_eq):
    add: _vset2_u32_u32_eq_add

class _vset4_u32_u32_eq(_call_vset4_u32_u32_eq):
    add: _vset4_u32_u32_eq_add

class _vshl_u32_u32_u32:
    sat: _vshl_u32_u32_u32_sat
    clamp: _vshl_u32_u32_u32_clamp
    wrap: _vshl_u32_u32_u32_clamp

class _vshr_u32_u32_u32:
    sat: _vshr_u32_u32_u32_sat
    clamp: _vshr_u32_u32_u32_clamp
    wrap: _vshr_u32_u32_u32_clamp

class _vsub_u32_u32_u32(_call_vsub_u32_u32_u32):
    sat: _vsub_u32_u32_u32_sat
    add: _vsub_u32_u32_u32_add
    min: _vsub_u32_u32_u32_add
    max: _vsub_u32_u32_u32_add

class _vsub2_u32_u32_u32(_call_vsub2_u32_u32_u32):
    sat: _vsub2_u32_u32_u32_sat
    add: _vsub2_u32_u32_u32_sat

class _vsub4_u32_u32_u32(_call_vsub4_u32_u32_u32):
    sat: _vsub4_u32_u32_u32_sat
    add: _vsub4_u32_u32_u32_sat

class _wgmma_commit_group_sync_aligned(_call_wgmma_commit_group_sync_aligned): ...

class _wgmma_fence_sync_aligned(_call_wgmma_fence_sync_aligned): ...

class _wgmma_mma_async_sync_aligned:
    m64n8k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n16k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n24k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n32k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n48k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n64k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n80k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n96k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n112k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n128k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n144k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n160k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n176k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n192k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n208k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n224k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n240k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n256k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n8k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n16k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n24k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n32k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n40k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n48k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n56k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n64k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n72k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n80k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n88k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n96k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n104k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n112k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n120k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n128k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n136k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n144k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n152k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n160k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n168k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n176k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n184k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n192k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n200k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n208k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n216k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n224k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n232k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n240k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n248k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n256k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n8k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n16k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n24k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n32k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n40k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n48k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n56k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n64k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n72k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n80k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n88k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n96k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n104k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n112k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n120k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n128k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n136k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n144k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n152k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n160k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n168k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n176k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n184k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n192k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n200k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n208k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n216k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n224k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n232k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n240k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n248k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n256k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n8k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n16k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n24k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n32k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n40k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n48k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n56k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n64k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n72k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n80k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n88k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n96k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n104k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n112k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n120k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n128k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n136k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n144k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n152k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n160k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n168k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n176k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n184k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n192k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n200k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n208k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n216k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n224k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n232k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n240k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n248k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n256k8: _wgmma_mma_async_sync_aligned_m64n8k8

class _wgmma_mma_async_sp_sync:
    aligned: _wgmma_mma_async_sp_sync_aligned

class _wgmma_wait_group_sync_aligned(_call_wgmma_wait_group_sync_aligned): ...

class _wmma_load_a_sync:
    aligned: _wmma_load_a_sync_aligned

class _wmma_load_b_sync:
    aligned: _wmma_load_b_sync_aligned

class _wmma_load_c_sync:
    aligned: _wmma_load_c_sync_aligned

class _wmma_mma_xor_popc:
    sync: _wmma_mma_xor_popc_sync

class _wmma_mma_sync_aligned:
    row: _wmma_mma_sync_aligned_row
    col: _wmma_mma_sync_aligned_row

class _wmma_store_d_sync:
    aligned: _wmma_store_d_sync_aligned

class _add_rz_bf16x2_f32x2_f32x2(_call_add_rz_bf16x2_f32x2_f32x2): ...

class _add_rz_ftz_f16x2_f32x2:
    f32x2: _add_rz_ftz_f16x2_f32x2_f32x2

class _applypriority_async_bulk_bulk_group_L2_evict_normal(_call_applypriority_async_bulk_bulk_group_L2_evict_normal): ...

class _applypriority_async_bulk_tensor_1d:
    global_: _applypriority_async_bulk_tensor_1d_global
    tile: _applypriority_async_bulk_tensor_1d_tile
    im2col: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w__128: _applypriority_async_bulk_tensor_1d_im2col
    tile__gather4: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs__w: _applypriority_async_bulk_tensor_1d_im2col
    tile__scatter4: _applypriority_async_bulk_tensor_1d_im2col
    bulk_group: _applypriority_async_bulk_tensor_1d_bulk_group

class _applypriority_async_bulk_tensor_2d:
    global_: _applypriority_async_bulk_tensor_2d_global
    tile: _applypriority_async_bulk_tensor_2d_tile
    im2col: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w__128: _applypriority_async_bulk_tensor_1d_im2col
    tile__gather4: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs__w: _applypriority_async_bulk_tensor_1d_im2col
    tile__scatter4: _applypriority_async_bulk_tensor_1d_im2col
    bulk_group: _applypriority_async_bulk_tensor_2d_bulk_group

class _atom_shared_add_noftz_L2_cache_hint:
    f16: _atom_add_noftz_f16
    f16x2: _atom_add_noftz_f16
    bf16: _atom_add_noftz_f16
    bf16x2: _atom_add_noftz_f16
    f32: _atom_add_noftz_f32

class _atom_add_noftz_v2_f16(_call_atom_add_noftz_v2_f16): ...

class _atom_add_noftz_v2_f32(_call_atom_add_noftz_v2_f32): ...

class _atom_add_noftz_v2_f16x2(_call_atom_add_noftz_v2_f16x2): ...

class _bar_cta_red_and_pred(_call_bar_cta_red_and_pred): ...

class _bar_cta_red_popc_u32(_call_bar_cta_red_popc_u32): ...

class _barrier_cta_red_and_aligned:
    pred: _barrier_cta_red_and_pred

class _barrier_cta_red_and_pred(_call_barrier_cta_red_and_pred): ...

class _barrier_cta_red_popc_aligned:
    u32: _barrier_cta_red_popc_u32

class _barrier_cta_red_popc_u32(_call_barrier_cta_red_popc_u32): ...

class _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32:
    b128: _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32_b128

class _clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32_b128(_call_clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32_b128): ...

class _clusterlaunchcontrol_query_cancel_is_canceled_pred_b128(_call_clusterlaunchcontrol_query_cancel_is_canceled_pred_b128): ...

class _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_multicast_cluster_all:
    b128: _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_b128

class _clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_b128(_call_clusterlaunchcontrol_try_cancel_async_mbarrier_complete_tx_bytes_b128): ...

class _cp_async_ca_shared_global(_call_cp_async_ca_shared_global):
    L2__cache_hint: _cp_async_ca_shared_global_L2_cache_hint
    L2__64B: _cp_async_ca_shared_global_L2_64B
    L2__128B: _cp_async_ca_shared_global_L2_64B
    L2__256B: _cp_async_ca_shared_global_L2_64B

class _cp_async_bulk_shared_cluster_shared_cta:
    mbarrier__complete_tx__bytes: _cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes

class _cp_async_bulk_shared_cluster_global:
    mbarrier__complete_tx__bytes: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_relaxed_cta:
    shared__cluster: _cp_async_bulk_relaxed_cta_shared_cluster
    global_: _cp_async_bulk_relaxed_cta_global
    shared__cta: _cp_async_bulk_relaxed_cta_shared_cta

class _cp_async_bulk_relaxed_gpu:
    global_: _cp_async_bulk_relaxed_cta_global
    shared__cluster: _cp_async_bulk_relaxed_gpu_shared_cluster
    shared__cta: _cp_async_bulk_relaxed_cta_shared_cta

class _cp_async_bulk_global_shared_cta:
    bulk_group: _cp_async_bulk_global_shared_cta_bulk_group

class _cp_async_bulk_shared_cta_global:
    mbarrier__complete_tx__bytes: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_prefetch_L2:
    global_: _cp_async_bulk_prefetch_L2_global

class _cp_async_bulk_prefetch_tensor:
    _1d: _cp_async_bulk_prefetch_tensor_1d
    _2d: _cp_async_bulk_prefetch_tensor_2d
    _3d: _cp_async_bulk_prefetch_tensor_2d
    _4d: _cp_async_bulk_prefetch_tensor_2d
    _5d: _cp_async_bulk_prefetch_tensor_2d

class _cp_async_bulk_tensor_1d:
    shared__cluster: _cp_async_bulk_tensor_1d_shared_cluster
    shared__cta: _cp_async_bulk_tensor_1d_shared_cta
    global_: _cp_async_bulk_tensor_1d_global

class _cp_async_bulk_tensor_2d:
    shared__cluster: _cp_async_bulk_tensor_2d_shared_cluster
    shared__cta: _cp_async_bulk_tensor_2d_shared_cta
    global_: _cp_async_bulk_tensor_2d_global

class _cp_async_bulk_wait_group_read(_call_cp_async_bulk_wait_group): ...

class _cp_async_mbarrier_arrive_noinc:
    shared: _cp_async_mbarrier_arrive_shared
    shared__cta: _cp_async_mbarrier_arrive_shared
    b64: _cp_async_mbarrier_arrive_b64

class _cp_async_mbarrier_arrive_shared:
    b64: _cp_async_mbarrier_arrive_b64

class _cp_async_mbarrier_arrive_b64(_call_cp_async_mbarrier_arrive_b64): ...

class _cp_reduce_async_bulk_relaxed:
    cta: _cp_reduce_async_bulk_cta
    cluster: _cp_reduce_async_bulk_cta
    shared__cluster: _cp_reduce_async_bulk_shared_cluster
    gpu: _cp_reduce_async_bulk_gpu
    sys: _cp_reduce_async_bulk_gpu
    global_: _cp_reduce_async_bulk_global

class _cp_reduce_async_bulk_cta:
    shared__cluster: _cp_reduce_async_bulk_shared_cluster
    global_: _cp_reduce_async_bulk_global

class _cp_reduce_async_bulk_shared_cluster:
    shared__cta: _cp_reduce_async_bulk_shared_cluster_shared_cta

class _cp_reduce_async_bulk_gpu:
    global_: _cp_reduce_async_bulk_global

class _cp_reduce_async_bulk_global:
    shared__cta: _cp_reduce_async_bulk_global_shared_cta

class _cp_reduce_async_bulk_tensor:
    _1d: _cp_reduce_async_bulk_tensor_1d
    _2d: _cp_reduce_async_bulk_tensor_2d
    _3d: _cp_reduce_async_bulk_tensor_2d
    _4d: _cp_reduce_async_bulk_tensor_2d
    _5d: _cp_reduce_async_bulk_tensor_2d

class _createpolicy_range_fabric_L2_evict_last_L2_evict_first:
    b64: _createpolicy_range_fabric_L2_evict_last_b64

class _createpolicy_range_fabric_L2_evict_last_b64(_call_createpolicy_range_fabric_L2_evict_last_b64): ...

class _cvt_rn_satfinite_relu_scaled_n2_ue8m0:
    bf16x2: _cvt_rn_satfinite_relu_bf16x2
    s2f6x2: _cvt_rn_satfinite_s2f6x2

class _cvt_rn_satfinite_relu_bf16x2:
    s2f6x2: _cvt_rn_bf16x2_s2f6x2

class _cvt_rn_satfinite_relu_pzo:
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_scaled_n1_ue8m0
    e4m3x2: _cvt_rz_satfinite_e4m3x2
    e5m2x2: _cvt_rz_satfinite_e4m3x2
    e2m1x2: _cvt_rz_satfinite_e4m3x2
    e2m3x2: _cvt_rz_satfinite_e4m3x2
    e3m2x2: _cvt_rz_satfinite_e4m3x2

class _cvt_rn_satfinite_relu_scaled_n1_ue8m0:
    e4m3x2: _cvt_rz_satfinite_e4m3x2
    e5m2x2: _cvt_rz_satfinite_e4m3x2
    e2m1x2: _cvt_rz_satfinite_e4m3x2
    e2m3x2: _cvt_rz_satfinite_e4m3x2
    e3m2x2: _cvt_rz_satfinite_e4m3x2

class _cvt_rn_satfinite_e4m3x2_f32(_call_cvt_rn_satfinite_e4m3x2_f32): ...

class _cvt_rn_satfinite_e4m3x2_bf16x2(_call_cvt_rn_satfinite_e4m3x2_bf16x2): ...

class _cvt_rn_satfinite_e4m3x2_f16x2(_call_cvt_rn_satfinite_e4m3x2_f16x2): ...

class _cvt_rn_satfinite_f16_f32(_call_cvt_rn_satfinite_f16_f32): ...

class _cvt_rn_satfinite_s2f6x2_f32(_call_cvt_rn_satfinite_s2f6x2_f32): ...

class _cvt_rn_satfinite_s2f6x2_bf16x2(_call_cvt_rn_satfinite_s2f6x2_bf16x2): ...

class _cvt_rn_satfinite_e2m1x2_f32(_call_cvt_rn_satfinite_e2m1x2_f32): ...

class _cvt_rn_satfinite_e2m1x2_f16x2(_call_cvt_rn_satfinite_e2m1x2_f16x2): ...

class _cvt_rn_relu_scaled_n2_ue8m0_bf16x2:
    s2f6x2: _cvt_rn_bf16x2_s2f6x2
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2

class _cvt_rn_relu_satfinite_scaled_n2_ue8m0:
    bf16x2: _cvt_rn_relu_satfinite_scaled_n2_ue8m0_bf16x2

class _cvt_rn_relu_satfinite_bf16x2:
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2
    f32: _cvt_rn_bf16x2_f32

class _cvt_rn_pzo_f16_f32(_call_cvt_rn_pzo_f16_f32): ...

class _cvt_rn_pzo_f16x2_f32(_call_cvt_rn_pzo_f16x2_f32): ...

class _cvt_rn_pzo_tf32_f32(_call_cvt_rn_pzo_tf32_f32): ...

class _cvt_rn_scaled_n1_ue8m0_ue5m3x2_f16x2(_call_cvt_rn_scaled_n1_ue8m0_ue5m3x2_f16x2): ...

class _cvt_rn_scaled_n1_ue8m0_ue5m3x2_f32(_call_cvt_rn_scaled_n1_ue8m0_ue5m3x2_f32): ...

class _cvt_rz_satfinite_s2f6x2_bf16x2(_call_cvt_rz_satfinite_s2f6x2_bf16x2): ...

class _cvt_rz_satfinite_s2f6x2_f32(_call_cvt_rz_satfinite_s2f6x2_f32): ...

class _cvt_rz_satfinite_e4m3x2_f32(_call_cvt_rz_satfinite_e4m3x2_f32): ...

class _cvt_rz_satfinite_e4m3x2_f16x2(_call_cvt_rz_satfinite_e4m3x2_f16x2): ...

class _cvt_pack_sat_u16_s32(_call_cvt_pack_sat_u16_s32): ...

class _cvt_pack_sat_u8_s32:
    b32: _cvt_pack_sat_u8_s32_b32

class _cvt_rs_satfinite_e4m3x4_f32(_call_cvt_rs_satfinite_e4m3x4_f32): ...

class _fabric_try_atom_async_relaxed_sys:
    shared__cta: _fabric_try_atom_async_relaxed_sys_shared_cta

class _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes:
    mbarrier__report__fabric: _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric

class _fabric_try_pullred_async_sync_multimem:
    shared__cta: _fabric_try_pullred_async_sync_multimem_shared_cta

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B:
    mbarrier__report__fabric: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B:
    mbarrier__report__fabric: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric

class _fence_release_alias_sync_restrict_read_sys(_call_fence_release_alias_sync_restrict_read_sys): ...

class _fence_proxy_alias_acquire_sys(_call_fence_proxy_alias_acquire_sys): ...

class _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster:
    cluster: _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster

class _fence_proxy_async_generic_release_sync_restrict_shared_cluster_read:
    cta: _fence_proxy_async_generic_release_sync_restrict_shared_cluster_read_cta
    cluster: _fence_proxy_async_generic_release_sync_restrict_shared_cluster_read_cta

class _fence_proxy_fabric_fabric_alias_acquire:
    sys: _fence_proxy_fabric_fabric_alias_acquire_sys

class _fence_proxy_fabric_generic_alias_acquire:
    sys: _fence_proxy_fabric_generic_alias_acquire_sys

class _fence_proxy_generic_fabric_alias_acquire:
    sys: _fence_proxy_generic_fabric_alias_acquire_sys

class _fence_proxy_tensormap_generic_acquire_cta(_call_fence_proxy_tensormap_generic_acquire_cta): ...

class _fence_proxy_tensormap_generic_release_cta(_call_fence_proxy_tensormap_generic_release_cta): ...

class _fma_rn_f32x2_bf16x2_f32x2:
    f32x2: _fma_rn_f32x2_bf16x2_f32x2_f32x2

class _fma_rn_f32x2_f16x2_f32x2:
    f32x2: _fma_rn_f32x2_f16x2_f32x2_f32x2

class _ld_mmio_relaxed_sys_global:
    b8: _ld_mmio_relaxed_sys_b8
    b16: _ld_mmio_relaxed_sys_b8
    b32: _ld_mmio_relaxed_sys_b8
    b64: _ld_mmio_relaxed_sys_b8
    u8: _ld_mmio_relaxed_sys_b8
    u16: _ld_mmio_relaxed_sys_b8
    u32: _ld_mmio_relaxed_sys_b8
    u64: _ld_mmio_relaxed_sys_b8
    s8: _ld_mmio_relaxed_sys_b8
    s16: _ld_mmio_relaxed_sys_b8
    s32: _ld_mmio_relaxed_sys_b8
    s64: _ld_mmio_relaxed_sys_b8
    f32: _ld_mmio_relaxed_sys_b8
    f64: _ld_mmio_relaxed_sys_b8
    b128: _ld_mmio_relaxed_sys_b8

class _ld_mmio_relaxed_sys_b8(_call_ld_mmio_relaxed_sys_b8): ...

class _ld_mmio_acquire_sys_global:
    b8: _ld_mmio_acquire_sys_b8
    b16: _ld_mmio_acquire_sys_b8
    b32: _ld_mmio_acquire_sys_b8
    b64: _ld_mmio_acquire_sys_b8
    u8: _ld_mmio_acquire_sys_b8
    u16: _ld_mmio_acquire_sys_b8
    u32: _ld_mmio_acquire_sys_b8
    u64: _ld_mmio_acquire_sys_b8
    s8: _ld_mmio_acquire_sys_b8
    s16: _ld_mmio_acquire_sys_b8
    s32: _ld_mmio_acquire_sys_b8
    s64: _ld_mmio_acquire_sys_b8
    f32: _ld_mmio_acquire_sys_b8
    f64: _ld_mmio_acquire_sys_b8
    b128: _ld_mmio_acquire_sys_b8

class _ld_mmio_acquire_sys_b8(_call_ld_mmio_acquire_sys_b8): ...

class _ldmatrix_sync_aligned_m8n8_x1:
    trans: _ldmatrix_sync_aligned_m8n8_x1_trans
    shared: _ldmatrix_sync_aligned_m8n8_x1_shared
    shared__cta: _ldmatrix_sync_aligned_m8n8_x1_shared
    b16: _ldmatrix_sync_aligned_m8n8_x1_b16

class _ldmatrix_sync_aligned_m16n16_x1:
    trans: _ldmatrix_sync_aligned_m16n16_x1_trans

class _ldmatrix_sync_aligned_m8n16_x1:
    shared: _ldmatrix_sync_aligned_m8n16_x1_shared
    shared__cta: _ldmatrix_sync_aligned_m8n16_x1_shared
    b8x16: _ldmatrix_sync_aligned_m8n16_x1_b8x16
    s8: _ldmatrix_sync_aligned_m8n16_x1_s8

class _mbarrier_arrive_expect_tx_shared_cluster_b64(_call_mbarrier_arrive_expect_tx_shared_cluster_b64): ...

class _mbarrier_arrive_expect_tx_multicast_cluster_32b_b64(_call_mbarrier_arrive_expect_tx_multicast_cluster_32b_b64): ...

class _mbarrier_arrive_expect_tx_multicast_cluster_32b_shared_cluster:
    b64: _mbarrier_arrive_expect_tx_multicast_cluster_32b_shared_cluster_b64

class _mbarrier_arrive_multicast_cluster_32b_shared_cluster_b64(_call_mbarrier_arrive_multicast_cluster_32b_shared_cluster_b64): ...

class _mbarrier_arrive_drop_expect_tx_shared_cluster_b64(_call_mbarrier_arrive_drop_expect_tx_shared_cluster_b64): ...

class _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_b64(_call_mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_b64): ...

class _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_shared_cluster:
    b64: _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_shared_cluster_b64

class _mbarrier_arrive_drop_multicast_cluster_32b_shared_cluster_b64(_call_mbarrier_arrive_drop_multicast_cluster_32b_shared_cluster_b64): ...

class _mbarrier_test_wait_parity_phase_type_primary_acquire:
    cta: _mbarrier_test_wait_parity_phase_type_primary_cta
    cluster: _mbarrier_test_wait_parity_phase_type_primary_cta
    shared: _mbarrier_test_wait_parity_phase_type_primary_shared
    shared__cta: _mbarrier_test_wait_parity_phase_type_primary_shared
    b64: _mbarrier_test_wait_parity_phase_type_primary_b64

class _mbarrier_test_wait_parity_phase_type_primary_cta:
    shared: _mbarrier_test_wait_parity_phase_type_primary_shared
    shared__cta: _mbarrier_test_wait_parity_phase_type_primary_shared
    b64: _mbarrier_test_wait_parity_phase_type_primary_b64

class _mbarrier_test_wait_parity_phase_type_primary_shared:
    b64: _mbarrier_test_wait_parity_phase_type_primary_b64

class _mbarrier_test_wait_parity_phase_type_primary_b64(_call_mbarrier_test_wait_parity_phase_type_primary_b64): ...

class _mbarrier_try_wait_parity_phase_type_primary_acquire:
    cta: _mbarrier_try_wait_parity_phase_type_primary_cta
    cluster: _mbarrier_try_wait_parity_phase_type_primary_cta
    shared: _mbarrier_try_wait_parity_phase_type_primary_shared
    shared__cta: _mbarrier_try_wait_parity_phase_type_primary_shared
    b64: _mbarrier_try_wait_parity_phase_type_primary_b64

class _mbarrier_try_wait_parity_phase_type_primary_cta:
    shared: _mbarrier_try_wait_parity_phase_type_primary_shared
    shared__cta: _mbarrier_try_wait_parity_phase_type_primary_shared
    b64: _mbarrier_try_wait_parity_phase_type_primary_b64

class _mbarrier_try_wait_parity_phase_type_primary_shared:
    b64: _mbarrier_try_wait_parity_phase_type_primary_b64

class _mbarrier_try_wait_parity_phase_type_primary_b64(_call_mbarrier_try_wait_parity_phase_type_primary_b64): ...

class _mma_sync_aligned_m8n8k128_row:
    row: _mma_sync_aligned_m8n8k128_row_row
    col: _mma_sync_aligned_m8n8k128_row_row

class _mma_sync_aligned_m8n8k4_row:
    row: _mma_sync_aligned_m8n8k4_row_row
    col: _mma_sync_aligned_m8n8k4_row_row

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64:
    row: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row
    col: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row

class _movmatrix_sync_aligned_m8n8_trans:
    b16: _movmatrix_sync_aligned_m8n8_trans_b16

class _mul_rz_bf16x2_f32x2_f32x2(_call_mul_rz_bf16x2_f32x2_f32x2): ...

class _mul_rz_ftz_f16x2_f32x2:
    f32x2: _mul_rz_ftz_f16x2_f32x2_f32x2

class _multimem_cp_async_bulk_weak:
    global_: _multimem_cp_async_bulk_global

class _multimem_cp_async_bulk_global:
    shared__cta: _multimem_cp_async_bulk_global_shared_cta

class _multimem_cp_async_bulk_relaxed:
    cta: _multimem_cp_async_bulk_relaxed_cta
    cluster: _multimem_cp_async_bulk_relaxed_cta
    gpu: _multimem_cp_async_bulk_relaxed_cta
    sys: _multimem_cp_async_bulk_relaxed_cta

class _multimem_cp_reduce_async_bulk:
    relaxed: _multimem_cp_reduce_async_bulk_relaxed
    cta: _multimem_cp_reduce_async_bulk_cta
    cluster: _multimem_cp_reduce_async_bulk_cta
    gpu: _multimem_cp_reduce_async_bulk_cta
    sys: _multimem_cp_reduce_async_bulk_cta
    global_: _multimem_cp_reduce_async_bulk_global

class _multimem_ld_reduce_add_v2_f32(_call_multimem_ld_reduce_add_v2_f32): ...

class _multimem_red_async_release_gpu:
    global_: _multimem_red_async_release_gpu_global
    add: _multimem_red_async_release_gpu_add

class _multimem_st_async_release_gpu:
    global_: _multimem_st_async_release_gpu_global
    b8: _multimem_st_async_release_gpu_b8
    u8: _multimem_st_async_release_gpu_b8
    s8: _multimem_st_async_release_gpu_b8
    b16: _multimem_st_async_release_gpu_b8
    u16: _multimem_st_async_release_gpu_b8
    s16: _multimem_st_async_release_gpu_b8
    u32: _multimem_st_async_release_gpu_b8
    s32: _multimem_st_async_release_gpu_b8
    u64: _multimem_st_async_release_gpu_b8
    s64: _multimem_st_async_release_gpu_b8
    b32: _multimem_st_async_release_gpu_b8
    b64: _multimem_st_async_release_gpu_b8
    f32: _multimem_st_async_release_gpu_b8
    f64: _multimem_st_async_release_gpu_b8

class _red_shared_add_noftz_L2_cache_hint:
    f16: _red_add_noftz_f16
    f16x2: _red_add_noftz_f16
    bf16: _red_add_noftz_f16
    bf16x2: _red_add_noftz_f16
    f32: _red_add_noftz_f32

class _red_add_noftz_v2_f16(_call_red_add_noftz_v2_f16): ...

class _red_add_noftz_v2_f32(_call_red_add_noftz_v2_f32): ...

class _red_add_noftz_v2_f16x2(_call_red_add_noftz_v2_f16x2): ...

class _red_async_relaxed_cluster_shared_cluster:
    mbarrier__complete_tx__bytes: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes

class _red_async_relaxed_cluster_mbarrier_complete_tx_bytes:
    add: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    min: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    max: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    inc: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    dec: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    and_: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    or_: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add
    xor: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add

class _red_async_release_gpu_global:
    add: _red_async_release_gpu_add
    min: _red_async_release_gpu_add
    max: _red_async_release_gpu_add
    inc: _red_async_release_gpu_add
    dec: _red_async_release_gpu_add
    and_: _red_async_release_gpu_add
    or_: _red_async_release_gpu_add
    xor: _red_async_release_gpu_add

class _red_async_release_gpu_add:
    u32: _red_async_release_gpu_add_u32
    s32: _red_async_release_gpu_add_u32
    u64: _red_async_release_gpu_add_u32
    s64: _red_async_release_gpu_add_u32
    b32: _red_async_release_gpu_add_u32
    b64: _red_async_release_gpu_add_u32

class _redux_sync_min_abs_no_membermask_overlap:
    f32: _redux_sync_min_f32

class _setmaxnreg_inc_sync_aligned_u32(_call_setmaxnreg_inc_sync_aligned_u32): ...

class _spcompress_sp_2_4_x1_b16_b2(_call_spcompress_sp_2_4_x1_b16_b2): ...

class _spcompress_sp_2_4_x1_b16_b4(_call_spcompress_sp_2_4_x1_b16_b4): ...

class _spcompress_sp_2_4_x1_b8_b2(_call_spcompress_sp_2_4_x1_b8_b2): ...

class _spcompress_sp_2_4_x1_b8_b4(_call_spcompress_sp_2_4_x1_b8_b4): ...

class _spdecompress_sp_2_4_x1_b16_b2(_call_spdecompress_sp_2_4_x1_b16_b2): ...

class _spdecompress_sp_2_4_x1_b16_b4(_call_spdecompress_sp_2_4_x1_b16_b4): ...

class _spdecompress_sp_2_4_x1_b8_b2(_call_spdecompress_sp_2_4_x1_b8_b2): ...

class _spdecompress_sp_2_4_x1_b8_b4(_call_spdecompress_sp_2_4_x1_b8_b4): ...

class _st_async_release_gpu_global:
    b8: _st_async_release_gpu_b8
    u8: _st_async_release_gpu_b8
    s8: _st_async_release_gpu_b8
    b16: _st_async_release_gpu_b8
    u16: _st_async_release_gpu_b8
    s16: _st_async_release_gpu_b8
    b32: _st_async_release_gpu_b8
    u32: _st_async_release_gpu_b8
    s32: _st_async_release_gpu_b8
    f32: _st_async_release_gpu_b8
    b64: _st_async_release_gpu_b8
    u64: _st_async_release_gpu_b8
    s64: _st_async_release_gpu_b8
    f64: _st_async_release_gpu_b8

class _st_async_release_gpu_b8(_call_st_async_release_gpu_b8): ...

class _st_mmio_relaxed_sys_global:
    b8: _st_mmio_relaxed_sys_b8
    b16: _st_mmio_relaxed_sys_b8
    b32: _st_mmio_relaxed_sys_b8
    b64: _st_mmio_relaxed_sys_b8
    u8: _st_mmio_relaxed_sys_b8
    u16: _st_mmio_relaxed_sys_b8
    u32: _st_mmio_relaxed_sys_b8
    u64: _st_mmio_relaxed_sys_b8
    s8: _st_mmio_relaxed_sys_b8
    s16: _st_mmio_relaxed_sys_b8
    s32: _st_mmio_relaxed_sys_b8
    s64: _st_mmio_relaxed_sys_b8
    f32: _st_mmio_relaxed_sys_b8
    f64: _st_mmio_relaxed_sys_b8
    b128: _st_mmio_relaxed_sys_b8

class _st_mmio_relaxed_sys_b8(_call_st_mmio_relaxed_sys_b8): ...

class _st_mmio_release_sys_global:
    b8: _st_mmio_release_sys_b8
    b16: _st_mmio_release_sys_b8
    b32: _st_mmio_release_sys_b8
    b64: _st_mmio_release_sys_b8
    u8: _st_mmio_release_sys_b8
    u16: _st_mmio_release_sys_b8
    u32: _st_mmio_release_sys_b8
    u64: _st_mmio_release_sys_b8
    s8: _st_mmio_release_sys_b8
    s16: _st_mmio_release_sys_b8
    s32: _st_mmio_release_sys_b8
    s64: _st_mmio_release_sys_b8
    f32: _st_mmio_release_sys_b8
    f64: _st_mmio_release_sys_b8
    b128: _st_mmio_release_sys_b8

class _st_mmio_release_sys_b8(_call_st_mmio_release_sys_b8): ...

class _stmatrix_sync_aligned_m8n8_x1:
    trans: _stmatrix_sync_aligned_m8n8_x1_trans
    shared: _stmatrix_sync_aligned_m8n8_x1_shared
    shared__cta: _stmatrix_sync_aligned_m8n8_x1_shared
    b16: _stmatrix_sync_aligned_m8n8_x1_b16

class _stmatrix_sync_aligned_m16n8_x1:
    trans: _stmatrix_sync_aligned_m16n8_x1_trans

class _sub_rz_bf16x2_f32x2_f32x2(_call_sub_rz_bf16x2_f32x2_f32x2): ...

class _sub_rz_ftz_f16x2_f32x2:
    f32x2: _sub_rz_ftz_f16x2_f32x2_f32x2

class _suld_b_1d_b8_trap(_call_suld_b_1d_b8_trap): ...

class _sured_b_add_1d_u32:
    trap: _sured_b_add_1d_u32_trap
    clamp: _sured_b_add_1d_u32_trap
    zero: _sured_b_add_1d_u32_trap

class _sured_b_and_1d_b32:
    trap: _sured_b_and_1d_b32_trap
    clamp: _sured_b_and_1d_b32_trap
    zero: _sured_b_and_1d_b32_trap

class _sured_b_max_1d_u32:
    trap: _sured_b_max_1d_u32_trap
    clamp: _sured_b_max_1d_u32_trap
    zero: _sured_b_max_1d_u32_trap

class _sured_b_min_1d_u32:
    trap: _sured_b_min_1d_u32_trap
    clamp: _sured_b_min_1d_u32_trap
    zero: _sured_b_min_1d_u32_trap

class _sured_b_or_1d_b32:
    trap: _sured_b_or_1d_b32_trap
    clamp: _sured_b_or_1d_b32_trap
    zero: _sured_b_or_1d_b32_trap

class _sured_p_add_1d_b32:
    trap: _sured_p_add_1d_b32_trap
    clamp: _sured_p_add_1d_b32_trap
    zero: _sured_p_add_1d_b32_trap

class _sust_b_1d_b8_trap(_call_sust_b_1d_b8_trap): ...

class _sust_p_1d_b32_trap(_call_sust_p_1d_b32_trap): ...

class _tcgen05_alloc_cta_group_1_sync_aligned:
    exclusive: _tcgen05_alloc_cta_group_1_sync_aligned_exclusive
    shared__cta: _tcgen05_alloc_cta_group_1_sync_aligned_shared_cta
    b32: _tcgen05_alloc_cta_group_1_sync_aligned_b32

class _tcgen05_commit_cta_group_1_mbarrier_arrive_one_shared_cluster:
    multicast__cluster: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_multicast_cluster
    multicast__cluster__32b: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_multicast_cluster
    b64: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_b64

class _tcgen05_commit_cta_group_1_mbarrier_arrive_one_multicast_cluster:
    b64: _tcgen05_commit_cta_group_1_mbarrier_arrive_one_b64

class _tcgen05_commit_cta_group_1_mbarrier_arrive_one_b64(_call_tcgen05_commit_cta_group_1_mbarrier_arrive_one_b64): ...

class _tcgen05_cp_cta_group_1_128x256b_warpx2_02_13(_call_tcgen05_cp_cta_group_1_128x256b):
    b8x16: _tcgen05_cp_cta_group_1_128x256b_b8x16
    b6x16_p32: _tcgen05_cp_cta_group_1_128x256b_b6x16_p32
    b4x16_p64: _tcgen05_cp_cta_group_1_128x256b_b6x16_p32

class _tcgen05_cp_cta_group_1_128x256b_b8x16(_call_tcgen05_cp_cta_group_1_128x256b):
    b6x16_p32: _tcgen05_cp_cta_group_1_128x256b_b6x16_p32
    b4x16_p64: _tcgen05_cp_cta_group_1_128x256b_b6x16_p32

class _tcgen05_cp_cta_group_1_128x256b_b6x16_p32(_call_tcgen05_cp_cta_group_1_128x256b): ...

class _tcgen05_dealloc_cta_group_1_sync_aligned:
    exclusive: _tcgen05_dealloc_cta_group_1_sync_aligned_exclusive
    b32: _tcgen05_dealloc_cta_group_1_sync_aligned_b32

class _tcgen05_ld_sync_aligned_16x64b:
    x1: _tcgen05_ld_sync_aligned_16x64b_x1
    x2: _tcgen05_ld_sync_aligned_16x64b_x1
    x4: _tcgen05_ld_sync_aligned_16x64b_x1
    x8: _tcgen05_ld_sync_aligned_16x64b_x1
    x16: _tcgen05_ld_sync_aligned_16x64b_x1
    x32: _tcgen05_ld_sync_aligned_16x64b_x1
    x64: _tcgen05_ld_sync_aligned_16x64b_x1
    x128: _tcgen05_ld_sync_aligned_16x64b_x1

class _tcgen05_ld_sync_aligned_16x32bx2:
    x1: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x2: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x4: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x8: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x16: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x32: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x64: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x128: _tcgen05_ld_sync_aligned_16x32bx2_x1

class _tcgen05_ld_red_sync_aligned:
    _32x32b: _tcgen05_ld_red_sync_aligned_32x32b
    _16x32bx2: _tcgen05_ld_red_sync_aligned_16x32bx2

class _tcgen05_ld_red_spcompress_sync:
    aligned: _tcgen05_ld_red_spcompress_sync_aligned

class _tcgen05_ld_spcompress_sync_aligned:
    _32x32b: _tcgen05_ld_spcompress_sync_aligned_32x32b

class _tcgen05_mma_cta_group_1_kind_f16_collector_a_fill(_call_tcgen05_mma_cta_group_1_kind_f16): ...

class _tcgen05_mma_cta_group_1_kind_f16_ashift(_call_tcgen05_mma_cta_group_1_kind_f16_ashift):
    collector__a__fill: _tcgen05_mma_cta_group_1_kind_f16_ashift_collector_a_fill
    collector__a__use: _tcgen05_mma_cta_group_1_kind_f16_ashift_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_cta_group_1_kind_f16_ashift_collector_a_fill
    collector__a__discard: _tcgen05_mma_cta_group_1_kind_f16_ashift_collector_a_fill

class _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale(_call_tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale):
    scale_vec__1X: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    scale_vec__2X: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    scale_vec__4X: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    block16: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    block32: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    collector__a__fill: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__use: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__discard: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill

class _tcgen05_mma_sp_cta_group_1_kind_f16(_call_tcgen05_mma_sp_cta_group_1_kind_f16):
    collector__a__fill: _tcgen05_mma_sp_cta_group_1_kind_f16_collector_a_fill
    collector__a__use: _tcgen05_mma_sp_cta_group_1_kind_f16_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group_1_kind_f16_collector_a_fill
    collector__a__discard: _tcgen05_mma_sp_cta_group_1_kind_f16_collector_a_fill
    ashift: _tcgen05_mma_sp_cta_group_1_kind_f16_ashift

class _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4:
    block_scale: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale

class _tcgen05_mma_ws_cta_group_1_kind_f16(_call_tcgen05_mma_ws_cta_group_1_kind_f16):
    collector__b0__fill: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b0__use: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b0__lastuse: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b0__discard: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__fill: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__use: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__lastuse: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__discard: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__fill: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__use: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__lastuse: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__discard: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__fill: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__use: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__lastuse: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__discard: _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill

class _tcgen05_mma_ws_sp_cta_group_1:
    kind__f16: _tcgen05_mma_ws_sp_cta_group_1_kind_f16
    kind__tf32: _tcgen05_mma_ws_sp_cta_group_1_kind_f16
    kind__f8f6f4: _tcgen05_mma_ws_sp_cta_group_1_kind_f16
    kind__i8: _tcgen05_mma_ws_sp_cta_group_1_kind_f16

class _tcgen05_relinquish_alloc_permit_cta_group_1_sync_aligned(_call_tcgen05_relinquish_alloc_permit_cta_group_1_sync_aligned): ...

class _tcgen05_st_sync_aligned_16x64b:
    x1: _tcgen05_st_sync_aligned_16x64b_x1
    x2: _tcgen05_st_sync_aligned_16x64b_x1
    x4: _tcgen05_st_sync_aligned_16x64b_x1
    x8: _tcgen05_st_sync_aligned_16x64b_x1
    x16: _tcgen05_st_sync_aligned_16x64b_x1
    x32: _tcgen05_st_sync_aligned_16x64b_x1
    x64: _tcgen05_st_sync_aligned_16x64b_x1
    x128: _tcgen05_st_sync_aligned_16x64b_x1

class _tcgen05_st_sync_aligned_16x32bx2:
    x1: _tcgen05_st_sync_aligned_16x32bx2_x1
    x2: _tcgen05_st_sync_aligned_16x32bx2_x1
    x4: _tcgen05_st_sync_aligned_16x32bx2_x1
    x8: _tcgen05_st_sync_aligned_16x32bx2_x1
    x16: _tcgen05_st_sync_aligned_16x32bx2_x1
    x32: _tcgen05_st_sync_aligned_16x32bx2_x1
    x64: _tcgen05_st_sync_aligned_16x32bx2_x1
    x128: _tcgen05_st_sync_aligned_16x32bx2_x1

class _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic:
    release: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release

class _tensormap_replace_tile_box_dim_global:
    b1024: _tensormap_replace_tile_box_dim_b1024

class _tensormap_replace_tile_box_dim_b1024:
    b32: _tensormap_replace_tile_box_dim_b1024_b32

class _tensormap_replace_tile_element_stride_global:
    b1024: _tensormap_replace_tile_element_stride_b1024

class _tensormap_replace_tile_element_stride_b1024:
    b32: _tensormap_replace_tile_element_stride_b1024_b32

class _tensormap_replace_tile_elemtype_global:
    b1024: _tensormap_replace_tile_elemtype_b1024

class _tensormap_replace_tile_elemtype_b1024:
    b32: _tensormap_replace_tile_elemtype_b1024_b32

class _tensormap_replace_tile_fill_mode_global:
    b1024: _tensormap_replace_tile_fill_mode_b1024

class _tensormap_replace_tile_fill_mode_b1024:
    b32: _tensormap_replace_tile_fill_mode_b1024_b32

class _tensormap_replace_tile_global_address_global:
    b1024: _tensormap_replace_tile_global_address_b1024

class _tensormap_replace_tile_global_address_b1024:
    b64: _tensormap_replace_tile_global_address_b1024_b64

class _tensormap_replace_tile_global_dim_global:
    b1024: _tensormap_replace_tile_global_dim_b1024

class _tensormap_replace_tile_global_dim_b1024:
    b32: _tensormap_replace_tile_global_dim_b1024_b32

class _tensormap_replace_tile_global_stride_global:
    b1024: _tensormap_replace_tile_global_stride_b1024

class _tensormap_replace_tile_global_stride_b1024:
    b64: _tensormap_replace_tile_global_stride_b1024_b64

class _tensormap_replace_tile_interleave_layout_global:
    b1024: _tensormap_replace_tile_interleave_layout_b1024

class _tensormap_replace_tile_interleave_layout_b1024:
    b32: _tensormap_replace_tile_interleave_layout_b1024_b32

class _tensormap_replace_tile_rank_global:
    b1024: _tensormap_replace_tile_rank_b1024

class _tensormap_replace_tile_rank_b1024:
    b32: _tensormap_replace_tile_rank_b1024_b32

class _tensormap_replace_tile_swizzle_atomicity_global:
    b1024: _tensormap_replace_tile_swizzle_atomicity_b1024

class _tensormap_replace_tile_swizzle_atomicity_b1024:
    b32: _tensormap_replace_tile_swizzle_atomicity_b1024_b32

class _tensormap_replace_tile_swizzle_mode_global:
    b1024: _tensormap_replace_tile_swizzle_mode_b1024

class _tensormap_replace_tile_swizzle_mode_b1024:
    b32: _tensormap_replace_tile_swizzle_mode_b1024_b32

class _tex_grad_1d_v4_u32:
    f32: _tex_grad_1d_v4_u32_f32
    s32: _tex_grad_1d_v4_u32_s32

class _tex_grad_3d_v4_u32:
    f32: _tex_grad_3d_v4_u32_f32
    s32: _tex_grad_1d_v4_u32_s32

class _tex_grad_cube_v4_u32:
    f32: _tex_grad_cube_v4_u32_f32

class _tex_level_1d_v4_u32:
    f32: _tex_level_1d_v4_u32_f32
    s32: _tex_level_1d_v4_u32_s32

class _tex_level_3d_v4_u32:
    f32: _tex_level_3d_v4_u32_f32
    s32: _tex_level_1d_v4_u32_s32

class _tex_level_cube_v4_u32:
    f32: _tex_level_cube_v4_u32_f32

class _tex_1d_v4_u32_f32(_call_tex_1d_v4_u32_f32): ...

class _tex_1d_v4_u32_s32(_call_tex_1d_v4_u32_s32): ...

class _tex_3d_v4_u32_f32(_call_tex_3d_v4_u32_f32): ...

class _tex_cube_v4_u32_f32(_call_tex_cube_v4_u32_f32): ...

class _tld4_r_2d_v4_u32:
    f32: _tld4_r_2d_v4_u32_f32

class _tld4_r_cube_v4_u32:
    f32: _tld4_r_cube_v4_u32_f32

class _vabsdiff_u32_u32_u32_sat(_call_vabsdiff_u32_u32_u32):
    add: _vabsdiff_u32_u32_u32_add
    min: _vabsdiff_u32_u32_u32_add
    max: _vabsdiff_u32_u32_u32_add

class _vabsdiff_u32_u32_u32_add(_call_vabsdiff_u32_u32_u32_add): ...

class _vabsdiff2_u32_u32_u32_sat(_call_vabsdiff2_u32_u32_u32): ...

class _vabsdiff4_u32_u32_u32_sat(_call_vabsdiff4_u32_u32_u32): ...

class _vadd_u32_u32_u32_sat(_call_vadd_u32_u32_u32):
    add: _vadd_u32_u32_u32_add
    min: _vadd_u32_u32_u32_add
    max: _vadd_u32_u32_u32_add

class _vadd_u32_u32_u32_add(_call_vadd_u32_u32_u32_add): ...

class _vadd2_u32_u32_u32_sat(_call_vadd2_u32_u32_u32): ...

class _vadd4_u32_u32_u32_sat(_call_vadd4_u32_u32_u32): ...

class _vavrg2_u32_u32_u32_sat(_call_vavrg2_u32_u32_u32): ...

class _vavrg4_u32_u32_u32_sat(_call_vavrg4_u32_u32_u32): ...

class _vmad_u32_u32_u32_sat(_call_vmad_u32_u32_u32):
    shr7: _vmad_u32_u32_u32_shr7
    shr15: _vmad_u32_u32_u32_shr7

class _vmad_u32_u32_u32_shr7(_call_vmad_u32_u32_u32): ...

class _vmad_u32_u32_u32_po(_call_vmad_u32_u32_u32_po):
    sat: _vmad_u32_u32_u32_po_sat
    shr7: _vmad_u32_u32_u32_po_shr7
    shr15: _vmad_u32_u32_u32_po_shr7

class _vmax_u32_u32_u32_sat(_call_vmax_u32_u32_u32):
    add: _vmax_u32_u32_u32_add
    min: _vmax_u32_u32_u32_add
    max: _vmax_u32_u32_u32_add

class _vmax_u32_u32_u32_add(_call_vmax_u32_u32_u32_add): ...

class _vmax2_u32_u32_u32_sat(_call_vmax2_u32_u32_u32): ...

class _vmax4_u32_u32_u32_sat(_call_vmax4_u32_u32_u32): ...

class _vmin_u32_u32_u32_sat(_call_vmin_u32_u32_u32):
    add: _vmin_u32_u32_u32_add
    min: _vmin_u32_u32_u32_add
    max: _vmin_u32_u32_u32_add

class _vmin_u32_u32_u32_add(_call_vmin_u32_u32_u32_add): ...

class _vmin2_u32_u32_u32_sat(_call_vmin2_u32_u32_u32): ...

class _vmin4_u32_u32_u32_sat(_call_vmin4_u32_u32_u32): ...

class _vset_u32_u32_eq_add(_call_vset_u32_u32_eq_add): ...

class _vset2_u32_u32_eq_add(_call_vset2_u32_u32_eq): ...

class _vset4_u32_u32_eq_add(_call_vset4_u32_u32_eq): ...

class _vshl_u32_u32_u32_sat:
    clamp: _vshl_u32_u32_u32_clamp
    wrap: _vshl_u32_u32_u32_clamp

class _vshl_u32_u32_u32_clamp(_call_vshl_u32_u32_u32_clamp):
    add: _vshl_u32_u32_u32_clamp_add
    min: _vshl_u32_u32_u32_clamp_add
    max: _vshl_u32_u32_u32_clamp_add

class _vshr_u32_u32_u32_sat:
    clamp: _vshr_u32_u32_u32_clamp
    wrap: _vshr_u32_u32_u32_clamp

class _vshr_u32_u32_u32_clamp(_call_vshr_u32_u32_u32_clamp):
    add: _vshr_u32_u32_u32_clamp_add
    min: _vshr_u32_u32_u32_clamp_add
    max: _vshr_u32_u32_u32_clamp_add

class _vsub_u32_u32_u32_sat(_call_vsub_u32_u32_u32):
    add: _vsub_u32_u32_u32_add
    min: _vsub_u32_u32_u32_add
    max: _vsub_u32_u32_u32_add

class _vsub_u32_u32_u32_add(_call_vsub_u32_u32_u32_add): ...

class _vsub2_u32_u32_u32_sat(_call_vsub2_u32_u32_u32): ...

class _vsub4_u32_u32_u32_sat(_call_vsub4_u32_u32_u32): ...

class _wgmma_mma_async_sync_aligned_m64n8k256:
    s32: _wgmma_mma_async_sync_aligned_m64n8k256_s32

class _wgmma_mma_async_sync_aligned_m64n8k16:
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f16
    f32: _wgmma_mma_async_sync_aligned_m64n8k16_f16

class _wgmma_mma_async_sync_aligned_m64n8k32:
    f16: _wgmma_mma_async_sync_aligned_m64n8k32_f16
    f32: _wgmma_mma_async_sync_aligned_m64n8k32_f16
    s32: _wgmma_mma_async_sync_aligned_m64n8k32_s32

class _wgmma_mma_async_sync_aligned_m64n8k8:
    f32: _wgmma_mma_async_sync_aligned_m64n8k8_f32

class _wgmma_mma_async_sp_sync_aligned:
    m64n8k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n16k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n24k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n32k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n40k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n48k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n56k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n64k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n72k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n80k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n88k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n96k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n104k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n112k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n120k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n128k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n136k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n144k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n152k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n160k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n168k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n176k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n184k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n192k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n200k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n208k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n216k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n224k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n232k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n240k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n248k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n256k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n8k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n16k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n24k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n32k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n40k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n48k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n56k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n64k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n72k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n80k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n88k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n96k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n104k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n112k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n120k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n128k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n136k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n144k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n152k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n160k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n168k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n176k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n184k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n192k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n200k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n208k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n216k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n224k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n232k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n240k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n248k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n256k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n8k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n16k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n24k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n32k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n40k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n48k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n56k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n64k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n72k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n80k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n88k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n96k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n104k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n112k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n120k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n128k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n136k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n144k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n152k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n160k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n168k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n176k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n184k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n192k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n200k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n208k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n216k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n224k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n232k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n240k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n248k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n256k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16

class _wmma_load_a_sync_aligned:
    row: _wmma_load_a_sync_aligned_row
    col: _wmma_load_a_sync_aligned_row

class _wmma_load_b_sync_aligned:
    row: _wmma_load_b_sync_aligned_row
    col: _wmma_load_b_sync_aligned_row

class _wmma_load_c_sync_aligned:
    row: _wmma_load_c_sync_aligned_row
    col: _wmma_load_c_sync_aligned_row

class _wmma_mma_xor_popc_sync:
    aligned: _wmma_mma_xor_popc_sync_aligned

class _wmma_mma_sync_aligned_row:
    row: _wmma_mma_sync_aligned_row_row
    col: _wmma_mma_sync_aligned_row_row

class _wmma_store_d_sync_aligned:
    row: _wmma_store_d_sync_aligned_row
    col: _wmma_store_d_sync_aligned_row

class _add_rz_ftz_f16x2_f32x2_f32x2(_call_add_rz_ftz_f16x2_f32x2_f32x2): ...

class _applypriority_async_bulk_tensor_1d_global:
    tile: _applypriority_async_bulk_tensor_1d_tile
    im2col: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w__128: _applypriority_async_bulk_tensor_1d_im2col
    tile__gather4: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs__w: _applypriority_async_bulk_tensor_1d_im2col
    tile__scatter4: _applypriority_async_bulk_tensor_1d_im2col
    bulk_group: _applypriority_async_bulk_tensor_1d_bulk_group

class _applypriority_async_bulk_tensor_1d_tile:
    bulk_group: _applypriority_async_bulk_tensor_1d_bulk_group

class _applypriority_async_bulk_tensor_1d_im2col:
    bulk_group: _applypriority_async_bulk_tensor_1d_im2col_bulk_group

class _applypriority_async_bulk_tensor_1d_bulk_group:
    L2__evict_normal: _applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal

class _applypriority_async_bulk_tensor_2d_global:
    tile: _applypriority_async_bulk_tensor_2d_tile
    im2col: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w: _applypriority_async_bulk_tensor_1d_im2col
    im2col__w__128: _applypriority_async_bulk_tensor_1d_im2col
    tile__gather4: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs: _applypriority_async_bulk_tensor_1d_im2col
    im2col_no_offs__w: _applypriority_async_bulk_tensor_1d_im2col
    tile__scatter4: _applypriority_async_bulk_tensor_1d_im2col
    bulk_group: _applypriority_async_bulk_tensor_2d_bulk_group

class _applypriority_async_bulk_tensor_2d_tile:
    bulk_group: _applypriority_async_bulk_tensor_2d_bulk_group

class _applypriority_async_bulk_tensor_2d_bulk_group:
    L2__evict_normal: _applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal

class _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32_b128(_call_clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32_b128): ...

class _cp_async_ca_shared_global_L2_cache_hint(_call_cp_async_ca_shared_global):
    L2__64B: _cp_async_ca_shared_global_L2_64B
    L2__128B: _cp_async_ca_shared_global_L2_64B
    L2__256B: _cp_async_ca_shared_global_L2_64B

class _cp_async_ca_shared_global_L2_64B(_call_cp_async_ca_shared_global): ...

class _cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes(_call_cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes):
    b128: _cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes):
    multicast__cluster: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    L2__cache_hint: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_b128
    mbarrier__report__disabled: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster__32b: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b

class _cp_async_bulk_relaxed_cta_shared_cluster:
    shared__cta: _cp_async_bulk_relaxed_cta_shared_cluster_shared_cta
    global_: _cp_async_bulk_relaxed_cta_shared_cluster_global

class _cp_async_bulk_relaxed_cta_global:
    shared__cta: _cp_async_bulk_relaxed_cta_global_shared_cta

class _cp_async_bulk_relaxed_cta_shared_cta:
    global_: _cp_async_bulk_relaxed_cta_shared_cta_global

class _cp_async_bulk_relaxed_gpu_shared_cluster:
    global_: _cp_async_bulk_relaxed_cta_shared_cluster_global

class _cp_async_bulk_global_shared_cta_bulk_group(_call_cp_async_bulk_global_shared_cta_bulk_group):
    L2__cache_hint: _cp_async_bulk_global_shared_cta_bulk_group_L2_cache_hint
    cp_mask: _cp_async_bulk_global_shared_cta_bulk_group_cp_mask
    b128: _cp_async_bulk_global_shared_cta_bulk_group_b128

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes):
    L2__cache_hint: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint
    b128: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_b128
    ignore_oob: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob
    mbarrier__report__disabled: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled

class _cp_async_bulk_prefetch_L2_global(_call_cp_async_bulk_prefetch_L2_global):
    L2__cache_hint: _cp_async_bulk_prefetch_L2_global_L2_cache_hint
    L2__evict_last: _cp_async_bulk_prefetch_L2_global_L2_evict_last

class _cp_async_bulk_prefetch_tensor_1d:
    L2: _cp_async_bulk_prefetch_tensor_1d_L2

class _cp_async_bulk_prefetch_tensor_2d:
    L2: _cp_async_bulk_prefetch_tensor_2d_L2

class _cp_async_bulk_tensor_1d_shared_cluster:
    global_: _cp_async_bulk_tensor_1d_shared_cluster_global

class _cp_async_bulk_tensor_1d_shared_cta:
    global_: _cp_async_bulk_tensor_1d_shared_cta_global

class _cp_async_bulk_tensor_1d_global:
    shared__cta: _cp_async_bulk_tensor_1d_global_shared_cta

class _cp_async_bulk_tensor_2d_shared_cluster:
    global_: _cp_async_bulk_tensor_2d_shared_cluster_global

class _cp_async_bulk_tensor_2d_shared_cta:
    global_: _cp_async_bulk_tensor_2d_shared_cta_global

class _cp_async_bulk_tensor_2d_global:
    shared__cta: _cp_async_bulk_tensor_2d_global_shared_cta

class _cp_reduce_async_bulk_shared_cluster_shared_cta:
    mbarrier__complete_tx__bytes: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes

class _cp_reduce_async_bulk_global_shared_cta:
    bulk_group: _cp_reduce_async_bulk_global_shared_cta_bulk_group

class _cp_reduce_async_bulk_tensor_1d:
    global_: _cp_reduce_async_bulk_tensor_1d_global

class _cp_reduce_async_bulk_tensor_2d:
    global_: _cp_reduce_async_bulk_tensor_2d_global

class _cvt_rn_relu_satfinite_scaled_n2_ue8m0_bf16x2:
    e4m3x2: _cvt_rn_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_bf16x2_e4m3x2
    e2m3x2: _cvt_rn_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_bf16x2_e4m3x2

class _cvt_pack_sat_u8_s32_b32(_call_cvt_pack_sat_u8_s32_b32): ...

class _fabric_try_atom_async_relaxed_sys_shared_cta:
    mbarrier__complete_tx__16B: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B

class _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric:
    L2__cache_hint: _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_L2_cache_hint
    b128: _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_b128

class _fabric_try_pullred_async_sync_multimem_shared_cta:
    mbarrier__complete_tx__bytes: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric:
    cp_mask: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_cp_mask
    L2__cache_hint: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint
    b128: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_b128
    counted__bytes: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric:
    L2__cache_hint: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint
    add: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    min: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    max: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    and_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    or_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    xor: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    counted__bytes: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes

class _fence_proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster(_call_fence_proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster): ...

class _fence_proxy_async_generic_release_sync_restrict_shared_cluster_read_cta(_call_fence_proxy_async_generic_release_sync_restrict_shared_cluster_read_cta): ...

class _fence_proxy_fabric_fabric_alias_acquire_sys(_call_fence_proxy_fabric_fabric_alias_acquire_sys): ...

class _fence_proxy_fabric_generic_alias_acquire_sys(_call_fence_proxy_fabric_generic_alias_acquire_sys): ...

class _fence_proxy_generic_fabric_alias_acquire_sys(_call_fence_proxy_generic_fabric_alias_acquire_sys): ...

class _fma_rn_f32x2_bf16x2_f32x2_f32x2(_call_fma_rn_f32x2_bf16x2_f32x2_f32x2): ...

class _fma_rn_f32x2_f16x2_f32x2_f32x2(_call_fma_rn_f32x2_f16x2_f32x2_f32x2): ...

class _ldmatrix_sync_aligned_m8n8_x1_trans:
    shared: _ldmatrix_sync_aligned_m8n8_x1_shared
    shared__cta: _ldmatrix_sync_aligned_m8n8_x1_shared
    b16: _ldmatrix_sync_aligned_m8n8_x1_b16

class _ldmatrix_sync_aligned_m8n8_x1_shared:
    b16: _ldmatrix_sync_aligned_m8n8_x1_b16

class _ldmatrix_sync_aligned_m8n8_x1_b16(_call_ldmatrix_sync_aligned_m8n8_x1_b16): ...

class _ldmatrix_sync_aligned_m16n16_x1_trans:
    shared: _ldmatrix_sync_aligned_m16n16_x1_trans_shared
    shared__cta: _ldmatrix_sync_aligned_m16n16_x1_trans_shared
    b8: _ldmatrix_sync_aligned_m16n16_x1_trans_b8
    b8x16: _ldmatrix_sync_aligned_m16n16_x1_trans_b8x16

class _ldmatrix_sync_aligned_m8n16_x1_shared:
    b8x16: _ldmatrix_sync_aligned_m8n16_x1_b8x16
    s8: _ldmatrix_sync_aligned_m8n16_x1_s8

class _ldmatrix_sync_aligned_m8n16_x1_b8x16:
    b6x16_p32: _ldmatrix_sync_aligned_m8n16_x1_b8x16_b6x16_p32
    b4x16_p64: _ldmatrix_sync_aligned_m8n16_x1_b8x16_b6x16_p32

class _ldmatrix_sync_aligned_m8n16_x1_s8:
    s4: _ldmatrix_sync_aligned_m8n16_x1_s8_s4

class _mbarrier_arrive_expect_tx_multicast_cluster_32b_shared_cluster_b64(_call_mbarrier_arrive_expect_tx_multicast_cluster_32b_shared_cluster_b64): ...

class _mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_shared_cluster_b64(_call_mbarrier_arrive_drop_expect_tx_multicast_cluster_32b_shared_cluster_b64): ...

class _mma_sync_aligned_m8n8k128_row_row:
    s32: _mma_sync_aligned_m8n8k128_row_row_s32
    rn: _mma_sync_aligned_m8n8k128_row_row_rn
    rz: _mma_sync_aligned_m8n8k128_row_row_rn
    rm: _mma_sync_aligned_m8n8k128_row_row_rn
    rp: _mma_sync_aligned_m8n8k128_row_row_rn
    f64: _mma_sync_aligned_m8n8k128_row_row_f64
    f16: _mma_sync_aligned_m8n8k128_row_row_f16
    f32: _mma_sync_aligned_m8n8k128_row_row_f32
    kind__f8f6f4: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4
    satfinite: _mma_sync_aligned_m8n8k128_row_row_satfinite
    kind__mxf4: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4
    kind__mxf4nvf4: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4
    kind__mxf8f6f4: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4

class _mma_sync_aligned_m8n8k4_row_row:
    s32: _mma_sync_aligned_m8n8k128_row_row_s32
    f16: _mma_sync_aligned_m8n8k4_row_row_f16
    f32: _mma_sync_aligned_m8n8k4_row_row_f32
    rn: _mma_sync_aligned_m8n8k128_row_row_rn
    rz: _mma_sync_aligned_m8n8k128_row_row_rn
    rm: _mma_sync_aligned_m8n8k128_row_row_rn
    rp: _mma_sync_aligned_m8n8k128_row_row_rn
    f64: _mma_sync_aligned_m8n8k128_row_row_f64
    kind__f8f6f4: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4
    satfinite: _mma_sync_aligned_m8n8k128_row_row_satfinite
    kind__mxf4: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4
    kind__mxf4nvf4: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4
    kind__mxf8f6f4: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row:
    row: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row
    col: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row

class _movmatrix_sync_aligned_m8n8_trans_b16(_call_movmatrix_sync_aligned_m8n8_trans_b16): ...

class _mul_rz_ftz_f16x2_f32x2_f32x2(_call_mul_rz_ftz_f16x2_f32x2_f32x2): ...

class _multimem_cp_async_bulk_global_shared_cta:
    bulk_group: _multimem_cp_async_bulk_global_shared_cta_bulk_group

class _multimem_cp_async_bulk_relaxed_cta:
    global_: _multimem_cp_async_bulk_relaxed_cta_global

class _multimem_cp_reduce_async_bulk_relaxed:
    cta: _multimem_cp_reduce_async_bulk_cta
    cluster: _multimem_cp_reduce_async_bulk_cta
    gpu: _multimem_cp_reduce_async_bulk_cta
    sys: _multimem_cp_reduce_async_bulk_cta
    global_: _multimem_cp_reduce_async_bulk_global

class _multimem_cp_reduce_async_bulk_cta:
    global_: _multimem_cp_reduce_async_bulk_global

class _multimem_cp_reduce_async_bulk_global:
    shared__cta: _multimem_cp_reduce_async_bulk_global_shared_cta

class _multimem_red_async_release_gpu_global:
    add: _multimem_red_async_release_gpu_add

class _multimem_red_async_release_gpu_add:
    u32: _multimem_red_async_release_gpu_add_u32
    s32: _multimem_red_async_release_gpu_add_u32
    u64: _multimem_red_async_release_gpu_add_u32

class _multimem_st_async_release_gpu_global:
    b8: _multimem_st_async_release_gpu_b8
    u8: _multimem_st_async_release_gpu_b8
    s8: _multimem_st_async_release_gpu_b8
    b16: _multimem_st_async_release_gpu_b8
    u16: _multimem_st_async_release_gpu_b8
    s16: _multimem_st_async_release_gpu_b8
    u32: _multimem_st_async_release_gpu_b8
    s32: _multimem_st_async_release_gpu_b8
    u64: _multimem_st_async_release_gpu_b8
    s64: _multimem_st_async_release_gpu_b8
    b32: _multimem_st_async_release_gpu_b8
    b64: _multimem_st_async_release_gpu_b8
    f32: _multimem_st_async_release_gpu_b8
    f64: _multimem_st_async_release_gpu_b8

class _multimem_st_async_release_gpu_b8(_call_multimem_st_async_release_gpu_b8): ...

class _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add:
    u32: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32
    s32: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32
    u64: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32
    s64: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32
    b32: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32
    b64: _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32

class _red_async_release_gpu_add_u32(_call_red_async_release_gpu_add_u32): ...

class _stmatrix_sync_aligned_m8n8_x1_trans:
    shared: _stmatrix_sync_aligned_m8n8_x1_shared
    shared__cta: _stmatrix_sync_aligned_m8n8_x1_shared
    b16: _stmatrix_sync_aligned_m8n8_x1_b16

class _stmatrix_sync_aligned_m8n8_x1_shared:
    b16: _stmatrix_sync_aligned_m8n8_x1_b16

class _stmatrix_sync_aligned_m8n8_x1_b16(_call_stmatrix_sync_aligned_m8n8_x1_b16): ...

class _stmatrix_sync_aligned_m16n8_x1_trans:
    shared: _stmatrix_sync_aligned_m16n8_x1_trans_shared
    shared__cta: _stmatrix_sync_aligned_m16n8_x1_trans_shared
    b8: _stmatrix_sync_aligned_m16n8_x1_trans_b8

class _sub_rz_ftz_f16x2_f32x2_f32x2(_call_sub_rz_ftz_f16x2_f32x2_f32x2): ...

class _sured_b_add_1d_u32_trap(_call_sured_b_add_1d_u32_trap): ...

class _sured_b_and_1d_b32_trap(_call_sured_b_and_1d_b32_trap): ...

class _sured_b_max_1d_u32_trap(_call_sured_b_max_1d_u32_trap): ...

class _sured_b_min_1d_u32_trap(_call_sured_b_min_1d_u32_trap): ...

class _sured_b_or_1d_b32_trap(_call_sured_b_or_1d_b32_trap): ...

class _sured_p_add_1d_b32_trap(_call_sured_p_add_1d_b32_trap): ...

class _tcgen05_alloc_cta_group_1_sync_aligned_exclusive:
    shared__cta: _tcgen05_alloc_cta_group_1_sync_aligned_shared_cta
    b32: _tcgen05_alloc_cta_group_1_sync_aligned_b32

class _tcgen05_alloc_cta_group_1_sync_aligned_shared_cta:
    b32: _tcgen05_alloc_cta_group_1_sync_aligned_b32

class _tcgen05_alloc_cta_group_1_sync_aligned_b32(_call_tcgen05_alloc_cta_group_1_sync_aligned_b32): ...

class _tcgen05_dealloc_cta_group_1_sync_aligned_exclusive:
    b32: _tcgen05_dealloc_cta_group_1_sync_aligned_b32

class _tcgen05_dealloc_cta_group_1_sync_aligned_b32(_call_tcgen05_dealloc_cta_group_1_sync_aligned_b32): ...

class _tcgen05_ld_sync_aligned_16x64b_x1:
    pack__16b: _tcgen05_ld_sync_aligned_16x64b_x1_pack_16b
    b32: _tcgen05_ld_sync_aligned_16x64b_x1_b32

class _tcgen05_ld_sync_aligned_16x32bx2_x1:
    pack__16b: _tcgen05_ld_sync_aligned_16x32bx2_x1_pack_16b
    b32: _tcgen05_ld_sync_aligned_16x32bx2_x1_b32

class _tcgen05_ld_red_sync_aligned_32x32b:
    x2: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x4: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x8: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x16: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x32: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x64: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x128: _tcgen05_ld_red_sync_aligned_32x32b_x2

class _tcgen05_ld_red_sync_aligned_16x32bx2:
    x2: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x4: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x8: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x16: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x64: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x128: _tcgen05_ld_red_sync_aligned_16x32bx2_x2

class _tcgen05_ld_red_spcompress_sync_aligned:
    _32x32b: _tcgen05_ld_red_spcompress_sync_aligned_32x32b

class _tcgen05_ld_spcompress_sync_aligned_32x32b:
    x4: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x8: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x16: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x32: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x64: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x128: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4

class _tcgen05_mma_cta_group_1_kind_f16_ashift_collector_a_fill(_call_tcgen05_mma_cta_group_1_kind_f16_ashift): ...

class _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X(_call_tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale):
    collector__a__fill: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__use: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__discard: _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill

class _tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill(_call_tcgen05_mma_cta_group_1_kind_mxf8f6f4_block_scale): ...

class _tcgen05_mma_sp_cta_group_1_kind_f16_collector_a_fill(_call_tcgen05_mma_sp_cta_group_1_kind_f16): ...

class _tcgen05_mma_sp_cta_group_1_kind_f16_ashift(_call_tcgen05_mma_sp_cta_group_1_kind_f16_ashift):
    collector__a__fill: _tcgen05_mma_sp_cta_group_1_kind_f16_ashift_collector_a_fill
    collector__a__use: _tcgen05_mma_sp_cta_group_1_kind_f16_ashift_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group_1_kind_f16_ashift_collector_a_fill
    collector__a__discard: _tcgen05_mma_sp_cta_group_1_kind_f16_ashift_collector_a_fill

class _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale(_call_tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale):
    scale_vec__1X: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    scale_vec__2X: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    scale_vec__4X: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    block16: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    block32: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X
    collector__a__fill: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__use: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__discard: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill

class _tcgen05_mma_ws_cta_group_1_kind_f16_collector_b0_fill(_call_tcgen05_mma_ws_cta_group_1_kind_f16): ...

class _tcgen05_mma_ws_sp_cta_group_1_kind_f16(_call_tcgen05_mma_ws_sp_cta_group_1_kind_f16):
    collector__b0__fill: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b0__use: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b0__lastuse: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b0__discard: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__fill: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__use: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__lastuse: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b1__discard: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__fill: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__use: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__lastuse: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b2__discard: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__fill: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__use: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__lastuse: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill
    collector__b3__discard: _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill

class _tcgen05_st_sync_aligned_16x64b_x1:
    unpack__16b: _tcgen05_st_sync_aligned_16x64b_x1_unpack_16b
    b32: _tcgen05_st_sync_aligned_16x64b_x1_b32

class _tcgen05_st_sync_aligned_16x32bx2_x1:
    unpack__16b: _tcgen05_st_sync_aligned_16x32bx2_x1_unpack_16b
    b32: _tcgen05_st_sync_aligned_16x32bx2_x1_b32

class _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release:
    cta: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta
    cluster: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta
    gpu: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta
    sys: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta

class _tensormap_replace_tile_box_dim_b1024_b32(_call_tensormap_replace_tile_box_dim_b1024_b32): ...

class _tensormap_replace_tile_element_stride_b1024_b32(_call_tensormap_replace_tile_element_stride_b1024_b32): ...

class _tensormap_replace_tile_elemtype_b1024_b32(_call_tensormap_replace_tile_elemtype_b1024_b32): ...

class _tensormap_replace_tile_fill_mode_b1024_b32(_call_tensormap_replace_tile_fill_mode_b1024_b32): ...

class _tensormap_replace_tile_global_address_b1024_b64(_call_tensormap_replace_tile_global_address_b1024_b64): ...

class _tensormap_replace_tile_global_dim_b1024_b32(_call_tensormap_replace_tile_global_dim_b1024_b32): ...

class _tensormap_replace_tile_global_stride_b1024_b64(_call_tensormap_replace_tile_global_stride_b1024_b64): ...

class _tensormap_replace_tile_interleave_layout_b1024_b32(_call_tensormap_replace_tile_interleave_layout_b1024_b32): ...

class _tensormap_replace_tile_rank_b1024_b32(_call_tensormap_replace_tile_rank_b1024_b32): ...

class _tensormap_replace_tile_swizzle_atomicity_b1024_b32(_call_tensormap_replace_tile_swizzle_atomicity_b1024_b32): ...

class _tensormap_replace_tile_swizzle_mode_b1024_b32(_call_tensormap_replace_tile_swizzle_mode_b1024_b32): ...

class _tex_grad_1d_v4_u32_f32(_call_tex_grad_1d_v4_u32_f32): ...

class _tex_grad_1d_v4_u32_s32(_call_tex_grad_1d_v4_u32_s32): ...

class _tex_grad_3d_v4_u32_f32(_call_tex_grad_3d_v4_u32_f32): ...

class _tex_grad_cube_v4_u32_f32(_call_tex_grad_cube_v4_u32_f32): ...

class _tex_level_1d_v4_u32_f32(_call_tex_level_1d_v4_u32_f32): ...

class _tex_level_1d_v4_u32_s32(_call_tex_level_1d_v4_u32_s32): ...

class _tex_level_3d_v4_u32_f32(_call_tex_level_3d_v4_u32_f32): ...

class _tex_level_cube_v4_u32_f32(_call_tex_level_cube_v4_u32_f32): ...

class _tld4_r_2d_v4_u32_f32(_call_tld4_r_2d_v4_u32_f32): ...

class _tld4_r_cube_v4_u32_f32(_call_tld4_r_cube_v4_u32_f32): ...

class _vmad_u32_u32_u32_po_sat(_call_vmad_u32_u32_u32_po):
    shr7: _vmad_u32_u32_u32_po_shr7
    shr15: _vmad_u32_u32_u32_po_shr7

class _vmad_u32_u32_u32_po_shr7(_call_vmad_u32_u32_u32_po): ...

class _vshl_u32_u32_u32_clamp_add(_call_vshl_u32_u32_u32_clamp_add): ...

class _vshr_u32_u32_u32_clamp_add(_call_vshr_u32_u32_u32_clamp_add): ...

class _wgmma_mma_async_sync_aligned_m64n8k256_s32:
    b1: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1

class _wgmma_mma_async_sync_aligned_m64n8k16_f16:
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16
    bf16: _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16

class _wgmma_mma_async_sync_aligned_m64n8k32_f16:
    e4m3: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3
    e5m2: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3

class _wgmma_mma_async_sync_aligned_m64n8k32_s32:
    s8: _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8
    u8: _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8

class _wgmma_mma_async_sync_aligned_m64n8k8_f32:
    tf32: _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32

class _wgmma_mma_async_sp_sync_aligned_m64n8k32:
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16

class _wgmma_mma_async_sp_sync_aligned_m64n8k64:
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16
    s32: _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32

class _wgmma_mma_async_sp_sync_aligned_m64n8k16:
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32

class _wmma_load_a_sync_aligned_row:
    m8n8k128: _wmma_load_a_sync_aligned_row_m8n8k128
    m16n16k16: _wmma_load_a_sync_aligned_row_m8n8k128
    m8n32k16: _wmma_load_a_sync_aligned_row_m8n8k128
    m32n8k16: _wmma_load_a_sync_aligned_row_m8n8k128
    m8n8k4: _wmma_load_a_sync_aligned_row_m8n8k128
    m8n8k32: _wmma_load_a_sync_aligned_row_m8n8k128
    m16n16k8: _wmma_load_a_sync_aligned_row_m8n8k128

class _wmma_load_b_sync_aligned_row:
    m8n8k128: _wmma_load_b_sync_aligned_row_m8n8k128
    m16n16k16: _wmma_load_b_sync_aligned_row_m8n8k128
    m8n32k16: _wmma_load_b_sync_aligned_row_m8n8k128
    m32n8k16: _wmma_load_b_sync_aligned_row_m8n8k128
    m8n8k4: _wmma_load_b_sync_aligned_row_m8n8k128
    m8n8k32: _wmma_load_b_sync_aligned_row_m8n8k128
    m16n16k8: _wmma_load_b_sync_aligned_row_m8n8k128

class _wmma_load_c_sync_aligned_row:
    m16n16k16: _wmma_load_c_sync_aligned_row_m16n16k16
    m8n32k16: _wmma_load_c_sync_aligned_row_m16n16k16
    m32n8k16: _wmma_load_c_sync_aligned_row_m16n16k16
    m16n16k8: _wmma_load_c_sync_aligned_row_m16n16k16
    m8n8k4: _wmma_load_c_sync_aligned_row_m16n16k16
    m8n8k32: _wmma_load_c_sync_aligned_row_m16n16k16
    m8n8k128: _wmma_load_c_sync_aligned_row_m16n16k16

class _wmma_mma_xor_popc_sync_aligned:
    row: _wmma_mma_xor_popc_sync_aligned_row
    col: _wmma_mma_xor_popc_sync_aligned_row

class _wmma_mma_sync_aligned_row_row:
    m16n16k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m8n32k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m32n8k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m8n8k4: _wmma_mma_sync_aligned_row_row_m16n16k16
    m8n8k32: _wmma_mma_sync_aligned_row_row_m16n16k16
    m16n16k8: _wmma_mma_sync_aligned_row_row_m16n16k16

class _wmma_store_d_sync_aligned_row:
    m16n16k16: _wmma_store_d_sync_aligned_row_m16n16k16
    m8n32k16: _wmma_store_d_sync_aligned_row_m16n16k16
    m32n8k16: _wmma_store_d_sync_aligned_row_m16n16k16
    m16n16k8: _wmma_store_d_sync_aligned_row_m16n16k16
    m8n8k4: _wmma_store_d_sync_aligned_row_m16n16k16
    m8n8k32: _wmma_store_d_sync_aligned_row_m16n16k16
    m8n8k128: _wmma_store_d_sync_aligned_row_m16n16k16

class _applypriority_async_bulk_tensor_1d_im2col_bulk_group:
    L2__evict_normal: _applypriority_async_bulk_tensor_1d_im2col_bulk_group_L2_evict_normal

class _applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal):
    override__global_address: _applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address

class _applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal):
    override__global_address: _applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal_override_global_address

class _cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_b128(_call_cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes):
    L2__cache_hint: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes):
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_b128(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    multicast__cluster: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    L2__cache_hint: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128
    multicast__cluster__32b: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    L2__cache_hint: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_shared_cta:
    mbarrier__complete_tx__bytes: _cp_async_bulk_relaxed_cta_shared_cluster_shared_cta_mbarrier_complete_tx_bytes

class _cp_async_bulk_relaxed_cta_shared_cluster_global:
    mbarrier__complete_tx__bytes: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_relaxed_cta_global_shared_cta:
    bulk_group: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group

class _cp_async_bulk_relaxed_cta_shared_cta_global:
    mbarrier__complete_tx__bytes: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_global_shared_cta_bulk_group_L2_cache_hint(_call_cp_async_bulk_global_shared_cta_bulk_group):
    cp_mask: _cp_async_bulk_global_shared_cta_bulk_group_cp_mask
    b128: _cp_async_bulk_global_shared_cta_bulk_group_b128

class _cp_async_bulk_global_shared_cta_bulk_group_cp_mask(_call_cp_async_bulk_global_shared_cta_bulk_group):
    b128: _cp_async_bulk_global_shared_cta_bulk_group_b128

class _cp_async_bulk_global_shared_cta_bulk_group_b128(_call_cp_async_bulk_global_shared_cta_bulk_group): ...

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes):
    b128: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_b128
    ignore_oob: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_b128(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob):
    b128: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob_b128

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    L2__cache_hint: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint
    b128: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_prefetch_L2_global_L2_cache_hint(_call_cp_async_bulk_prefetch_L2_global): ...

class _cp_async_bulk_prefetch_L2_global_L2_evict_last(_call_cp_async_bulk_prefetch_L2_global_L2_evict_last): ...

class _cp_async_bulk_prefetch_tensor_1d_L2:
    global_: _cp_async_bulk_prefetch_tensor_1d_L2_global

class _cp_async_bulk_prefetch_tensor_2d_L2:
    global_: _cp_async_bulk_prefetch_tensor_2d_L2_global

class _cp_async_bulk_tensor_1d_shared_cluster_global:
    tile: _cp_async_bulk_tensor_1d_shared_cluster_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes
    im2col: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col
    im2col__w: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w
    im2col__w__128: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128
    tile__gather4: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4

class _cp_async_bulk_tensor_1d_shared_cta_global:
    tile: _cp_async_bulk_tensor_1d_shared_cta_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes
    im2col: _cp_async_bulk_tensor_1d_shared_cta_global_im2col
    im2col__w: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w
    im2col__w__128: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128
    tile__gather4: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4

class _cp_async_bulk_tensor_1d_global_shared_cta:
    tile: _cp_async_bulk_tensor_1d_global_shared_cta_tile
    bulk_group: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group
    im2col_no_offs: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs
    im2col_no_offs__w: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w
    tile__scatter4: _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4

class _cp_async_bulk_tensor_2d_shared_cluster_global:
    tile: _cp_async_bulk_tensor_2d_shared_cluster_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes
    im2col: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col
    im2col__w: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w
    im2col__w__128: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128
    tile__gather4: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4

class _cp_async_bulk_tensor_2d_shared_cta_global:
    tile: _cp_async_bulk_tensor_2d_shared_cta_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes
    im2col: _cp_async_bulk_tensor_1d_shared_cta_global_im2col
    im2col__w: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w
    im2col__w__128: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128
    tile__gather4: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4

class _cp_async_bulk_tensor_2d_global_shared_cta:
    tile: _cp_async_bulk_tensor_2d_global_shared_cta_tile
    bulk_group: _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group
    im2col_no_offs: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs
    im2col_no_offs__w: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w
    tile__scatter4: _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4

class _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes:
    add: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    min: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    max: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    inc: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    dec: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    and_: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    or_: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add
    xor: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add

class _cp_reduce_async_bulk_global_shared_cta_bulk_group:
    L2__cache_hint: _cp_reduce_async_bulk_global_shared_cta_bulk_group_L2_cache_hint
    add: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    min: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    max: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    inc: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    dec: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    and_: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    or_: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    xor: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add

class _cp_reduce_async_bulk_tensor_1d_global:
    shared__cta: _cp_reduce_async_bulk_tensor_1d_global_shared_cta

class _cp_reduce_async_bulk_tensor_2d_global:
    shared__cta: _cp_reduce_async_bulk_tensor_2d_global_shared_cta

class _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B:
    mbarrier__report__fabric: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric

class _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_L2_cache_hint:
    b128: _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_b128

class _fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_b128(_call_fabric_try_get_async_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_b128): ...

class _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes:
    mbarrier__report__fabric: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_cp_mask:
    L2__cache_hint: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint
    b128: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_b128

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint:
    b128: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_b128

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_b128(_call_fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_b128): ...

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes:
    L2__cache_hint: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_L2_cache_hint
    b128: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_b128

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint:
    add: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    min: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    max: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    and_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    or_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    xor: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add:
    u32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    s32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    u64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    s64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    b32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    b64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    f16: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    bf16: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    f32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    f64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes:
    L2__cache_hint: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_L2_cache_hint
    add: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    min: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    max: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    and_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    or_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    xor: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add

class _ldmatrix_sync_aligned_m16n16_x1_trans_shared:
    b8: _ldmatrix_sync_aligned_m16n16_x1_trans_b8
    b8x16: _ldmatrix_sync_aligned_m16n16_x1_trans_b8x16

class _ldmatrix_sync_aligned_m16n16_x1_trans_b8(_call_ldmatrix_sync_aligned_m16n16_x1_trans_b8): ...

class _ldmatrix_sync_aligned_m16n16_x1_trans_b8x16:
    b6x16_p32: _ldmatrix_sync_aligned_m16n16_x1_trans_b8x16_b6x16_p32
    b4x16_p64: _ldmatrix_sync_aligned_m16n16_x1_trans_b8x16_b6x16_p32

class _ldmatrix_sync_aligned_m8n16_x1_b8x16_b6x16_p32(_call_ldmatrix_sync_aligned_m8n16_x1_b8x16_b6x16_p32): ...

class _ldmatrix_sync_aligned_m8n16_x1_s8_s4(_call_ldmatrix_sync_aligned_m8n16_x1_s8_s4): ...

class _mma_sync_aligned_m8n8k128_row_row_s32:
    b1: _mma_sync_aligned_m8n8k128_row_row_s32_b1
    s4: _mma_sync_aligned_m8n8k128_row_row_s32_s4
    u4: _mma_sync_aligned_m8n8k128_row_row_s32_s4
    s8: _mma_sync_aligned_m8n8k128_row_row_s32_s8
    u8: _mma_sync_aligned_m8n8k128_row_row_s32_s8

class _mma_sync_aligned_m8n8k128_row_row_rn:
    f64: _mma_sync_aligned_m8n8k128_row_row_f64

class _mma_sync_aligned_m8n8k128_row_row_f64:
    f64: _mma_sync_aligned_m8n8k128_row_row_f64_f64

class _mma_sync_aligned_m8n8k128_row_row_f16:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    f16: _mma_sync_aligned_m8n8k128_row_row_f16_f16
    bf16: _mma_sync_aligned_m8n8k128_row_row_f16_f16

class _mma_sync_aligned_m8n8k128_row_row_f32:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    f16: _mma_sync_aligned_m8n8k128_row_row_f16_f16
    bf16: _mma_sync_aligned_m8n8k128_row_row_f16_f16
    tf32: _mma_sync_aligned_m8n8k128_row_row_f32_tf32

class _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4:
    f16: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16

class _mma_sync_aligned_m8n8k128_row_row_satfinite:
    s32: _mma_sync_aligned_m8n8k128_row_row_satfinite_s32

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4:
    block_scale: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4:
    block_scale: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale

class _mma_sync_aligned_m8n8k4_row_row_f16:
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16
    e4m3: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    bf16: _mma_sync_aligned_m8n8k128_row_row_f16_f16

class _mma_sync_aligned_m8n8k4_row_row_f32:
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16
    e4m3: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3
    bf16: _mma_sync_aligned_m8n8k128_row_row_f16_f16
    tf32: _mma_sync_aligned_m8n8k128_row_row_f32_tf32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row:
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32
    kind__f8f6f4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4
    satfinite: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_satfinite
    s32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32
    kind__mxf4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4
    kind__mxf4nvf4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4
    kind__mxf8f6f4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4

class _multimem_cp_async_bulk_global_shared_cta_bulk_group(_call_multimem_cp_async_bulk_global_shared_cta_bulk_group):
    cp_mask: _multimem_cp_async_bulk_global_shared_cta_bulk_group_cp_mask
    b128: _multimem_cp_async_bulk_global_shared_cta_bulk_group_b128

class _multimem_cp_async_bulk_relaxed_cta_global:
    shared__cta: _multimem_cp_async_bulk_relaxed_cta_global_shared_cta

class _multimem_cp_reduce_async_bulk_global_shared_cta:
    bulk_group: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group

class _multimem_red_async_release_gpu_add_u32(_call_multimem_red_async_release_gpu_add_u32): ...

class _red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32(_call_red_async_relaxed_cluster_mbarrier_complete_tx_bytes_add_u32): ...

class _stmatrix_sync_aligned_m16n8_x1_trans_shared:
    b8: _stmatrix_sync_aligned_m16n8_x1_trans_b8

class _stmatrix_sync_aligned_m16n8_x1_trans_b8(_call_stmatrix_sync_aligned_m16n8_x1_trans_b8): ...

class _tcgen05_ld_sync_aligned_16x64b_x1_pack_16b:
    b32: _tcgen05_ld_sync_aligned_16x64b_x1_b32

class _tcgen05_ld_sync_aligned_16x64b_x1_b32(_call_tcgen05_ld_sync_aligned_16x64b_x1_b32): ...

class _tcgen05_ld_sync_aligned_16x32bx2_x1_pack_16b:
    b32: _tcgen05_ld_sync_aligned_16x32bx2_x1_b32

class _tcgen05_ld_sync_aligned_16x32bx2_x1_b32(_call_tcgen05_ld_sync_aligned_16x32bx2_x1_b32): ...

class _tcgen05_ld_red_sync_aligned_32x32b_x2:
    min: _tcgen05_ld_red_sync_aligned_32x32b_x2_min
    max: _tcgen05_ld_red_sync_aligned_32x32b_x2_min

class _tcgen05_ld_red_sync_aligned_16x32bx2_x2:
    min: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min
    max: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b:
    x4: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x8: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x16: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x64: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x128: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4

class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4:
    sp__2_4: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4

class _tcgen05_mma_sp_cta_group_1_kind_f16_ashift_collector_a_fill(_call_tcgen05_mma_sp_cta_group_1_kind_f16_ashift): ...

class _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_scale_vec_1X(_call_tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale):
    collector__a__fill: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__use: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill
    collector__a__discard: _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill

class _tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale_collector_a_fill(_call_tcgen05_mma_sp_cta_group_1_kind_mxf8f6f4_block_scale): ...

class _tcgen05_mma_ws_sp_cta_group_1_kind_f16_collector_b0_fill(_call_tcgen05_mma_ws_sp_cta_group_1_kind_f16): ...

class _tcgen05_st_sync_aligned_16x64b_x1_unpack_16b:
    b32: _tcgen05_st_sync_aligned_16x64b_x1_b32

class _tcgen05_st_sync_aligned_16x64b_x1_b32(_call_tcgen05_st_sync_aligned_16x64b_x1_b32): ...

class _tcgen05_st_sync_aligned_16x32bx2_x1_unpack_16b:
    b32: _tcgen05_st_sync_aligned_16x32bx2_x1_b32

class _tcgen05_st_sync_aligned_16x32bx2_x1_b32(_call_tcgen05_st_sync_aligned_16x32bx2_x1_b32): ...

class _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta:
    sync: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta_sync

class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1:
    b1: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1

class _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16:
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16
    bf16: _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16

class _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3:
    e4m3: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3
    e5m2: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3

class _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8:
    s8: _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8
    u8: _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8

class _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32:
    tf32: _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32

class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16:
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16
    bf16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16:
    e4m3: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3
    e5m2: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32:
    s8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8
    u8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8

class _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32:
    tf32: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32

class _wmma_load_a_sync_aligned_row_m8n8k128:
    global_: _wmma_load_a_sync_aligned_row_m8n8k128_global
    shared: _wmma_load_a_sync_aligned_row_m8n8k128_global
    shared__cta: _wmma_load_a_sync_aligned_row_m8n8k128_global
    b1: _wmma_load_a_sync_aligned_row_m8n8k128_b1
    bf16: _wmma_load_a_sync_aligned_row_m8n8k128_bf16
    f16: _wmma_load_a_sync_aligned_row_m8n8k128_f16
    f64: _wmma_load_a_sync_aligned_row_m8n8k128_f64
    s4: _wmma_load_a_sync_aligned_row_m8n8k128_s4
    u4: _wmma_load_a_sync_aligned_row_m8n8k128_s4
    s8: _wmma_load_a_sync_aligned_row_m8n8k128_s8
    u8: _wmma_load_a_sync_aligned_row_m8n8k128_s8
    tf32: _wmma_load_a_sync_aligned_row_m8n8k128_tf32

class _wmma_load_b_sync_aligned_row_m8n8k128:
    global_: _wmma_load_b_sync_aligned_row_m8n8k128_global
    shared: _wmma_load_b_sync_aligned_row_m8n8k128_global
    shared__cta: _wmma_load_b_sync_aligned_row_m8n8k128_global
    b1: _wmma_load_b_sync_aligned_row_m8n8k128_b1
    bf16: _wmma_load_b_sync_aligned_row_m8n8k128_bf16
    f16: _wmma_load_b_sync_aligned_row_m8n8k128_f16
    f64: _wmma_load_b_sync_aligned_row_m8n8k128_f64
    s4: _wmma_load_b_sync_aligned_row_m8n8k128_s4
    u4: _wmma_load_b_sync_aligned_row_m8n8k128_s4
    s8: _wmma_load_b_sync_aligned_row_m8n8k128_s8
    u8: _wmma_load_b_sync_aligned_row_m8n8k128_s8
    tf32: _wmma_load_b_sync_aligned_row_m8n8k128_tf32

class _wmma_load_c_sync_aligned_row_m16n16k16:
    global_: _wmma_load_c_sync_aligned_row_m16n16k16_global
    shared: _wmma_load_c_sync_aligned_row_m16n16k16_global
    shared__cta: _wmma_load_c_sync_aligned_row_m16n16k16_global
    f16: _wmma_load_c_sync_aligned_row_m16n16k16_f16
    f32: _wmma_load_c_sync_aligned_row_m16n16k16_f16
    s32: _wmma_load_c_sync_aligned_row_m16n16k16_f16
    f64: _wmma_load_c_sync_aligned_row_m16n16k16_f16

class _wmma_mma_xor_popc_sync_aligned_row:
    row: _wmma_mma_xor_popc_sync_aligned_row_row
    col: _wmma_mma_xor_popc_sync_aligned_row_row

class _wmma_mma_sync_aligned_row_row_m16n16k16:
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f16
    rn: _wmma_mma_sync_aligned_row_row_m16n16k16_rn
    rz: _wmma_mma_sync_aligned_row_row_m16n16k16_rn
    rm: _wmma_mma_sync_aligned_row_row_m16n16k16_rn
    rp: _wmma_mma_sync_aligned_row_row_m16n16k16_rn
    f64: _wmma_mma_sync_aligned_row_row_m16n16k16_f64
    s32: _wmma_mma_sync_aligned_row_row_m16n16k16_s32

class _wmma_store_d_sync_aligned_row_m16n16k16:
    global_: _wmma_store_d_sync_aligned_row_m16n16k16_global
    shared: _wmma_store_d_sync_aligned_row_m16n16k16_global
    shared__cta: _wmma_store_d_sync_aligned_row_m16n16k16_global
    f16: _wmma_store_d_sync_aligned_row_m16n16k16_f16
    f32: _wmma_store_d_sync_aligned_row_m16n16k16_f16
    s32: _wmma_store_d_sync_aligned_row_m16n16k16_f16
    f64: _wmma_store_d_sync_aligned_row_m16n16k16_f16

class _applypriority_async_bulk_tensor_1d_im2col_bulk_group_L2_evict_normal(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal):
    override__global_address: _applypriority_async_bulk_tensor_1d_im2col_bulk_group_L2_evict_normal_override_global_address

class _applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address):
    override__global_dim: _applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address_override_global_dim

class _applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal_override_global_address(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address):
    override__global_dim_stride: _applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal_override_global_address_override_global_dim_stride

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    L2__cache_hint: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled): ...

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    b128: _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128

class _cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128(_call_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b): ...

class _cp_async_bulk_relaxed_cta_shared_cluster_shared_cta_mbarrier_complete_tx_bytes:
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes:
    multicast__cluster: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_b128
    mbarrier__report__disabled: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster__32b: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b

class _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group:
    L2__cache_hint: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_L2_cache_hint
    cp_mask: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_cp_mask
    b128: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes:
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint
    ignore_oob: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob
    b128: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_b128
    mbarrier__report__disabled: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob_b128(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob): ...

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    b128: _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128(_call_cp_async_bulk_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global(_call_cp_async_bulk_prefetch_tensor_1d_L2_global):
    tile: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_cache_hint
    im2col: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col
    im2col__w: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w
    im2col__w__128: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128
    tile__gather4: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last

class _cp_async_bulk_prefetch_tensor_2d_L2_global(_call_cp_async_bulk_prefetch_tensor_1d_L2_global):
    tile: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_cache_hint
    im2col: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col
    im2col__w: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w
    im2col__w__128: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128
    tile__gather4: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4
    override__global_address: _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cta_global_tile:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_1d_global_shared_cta_tile:
    bulk_group: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group

class _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_L2_cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs:
    bulk_group: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w:
    bulk_group: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group

class _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4:
    bulk_group: _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group

class _cp_async_bulk_tensor_2d_shared_cluster_global_tile:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    mbarrier__report__disabled: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster__32b: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address

class _cp_async_bulk_tensor_2d_shared_cta_global_tile:
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint
    mbarrier__report__disabled: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    cta_group__1: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address

class _cp_async_bulk_tensor_2d_global_shared_cta_tile:
    bulk_group: _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group

class _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_L2_cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address

class _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add:
    u32: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    s32: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    u64: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    s64: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    b32: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    b64: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    f16: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    bf16: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    f32: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32
    f64: _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32

class _cp_reduce_async_bulk_global_shared_cta_bulk_group_L2_cache_hint:
    add: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    min: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    max: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    inc: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    dec: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    and_: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    or_: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    xor: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add

class _cp_reduce_async_bulk_global_shared_cta_bulk_group_add:
    noftz: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_noftz
    u32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    u64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f16: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    bf16: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta:
    add: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    min: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    max: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    inc: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    dec: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    and_: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    or_: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add
    xor: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta:
    add: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    min: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    max: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    inc: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    dec: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    and_: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    or_: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add
    xor: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add

class _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric:
    L2__cache_hint: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint
    add: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    min: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    max: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    and_: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    or_: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    xor: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    exch: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    cas: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add

class _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric:
    add: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add
    min: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add
    max: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add
    and_: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add
    or_: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add
    xor: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_L2_cache_hint:
    b128: _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_b128

class _fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_b128(_call_fabric_try_put_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_b128): ...

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32(_call_fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32): ...

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_L2_cache_hint:
    add: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    min: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    max: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    and_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    or_: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add
    xor: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add:
    u32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    s32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    u64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    s64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    b32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    b64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    f16: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    bf16: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    f32: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32
    f64: _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32

class _ldmatrix_sync_aligned_m16n16_x1_trans_b8x16_b6x16_p32(_call_ldmatrix_sync_aligned_m16n16_x1_trans_b8x16_b6x16_p32): ...

class _mma_sync_aligned_m8n8k128_row_row_s32_b1:
    b1: _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1

class _mma_sync_aligned_m8n8k128_row_row_s32_s4:
    s4: _mma_sync_aligned_m8n8k128_row_row_s32_s4_s4
    u4: _mma_sync_aligned_m8n8k128_row_row_s32_s4_s4

class _mma_sync_aligned_m8n8k128_row_row_s32_s8:
    s8: _mma_sync_aligned_m8n8k128_row_row_s32_s8_s8
    u8: _mma_sync_aligned_m8n8k128_row_row_s32_s8_s8

class _mma_sync_aligned_m8n8k128_row_row_f64_f64:
    f64: _mma_sync_aligned_m8n8k128_row_row_f64_f64_f64

class _mma_sync_aligned_m8n8k128_row_row_f16_e4m3:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3

class _mma_sync_aligned_m8n8k128_row_row_f16_f16:
    f16: _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16
    bf16: _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16

class _mma_sync_aligned_m8n8k128_row_row_f32_tf32:
    tf32: _mma_sync_aligned_m8n8k128_row_row_f32_tf32_tf32

class _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3
    e3m2: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3
    e2m3: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3
    e2m1: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3

class _mma_sync_aligned_m8n8k128_row_row_satfinite_s32:
    s4: _mma_sync_aligned_m8n8k128_row_row_s32_s4
    u4: _mma_sync_aligned_m8n8k128_row_row_s32_s4
    s8: _mma_sync_aligned_m8n8k128_row_row_s32_s8
    u8: _mma_sync_aligned_m8n8k128_row_row_s32_s8

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale:
    scale_vec__2X: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_scale_vec_2X
    scale_vec__4X: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_scale_vec_2X
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale:
    scale_vec__1X: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_scale_vec_1X
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32

class _mma_sync_aligned_m8n8k4_row_row_f16_f16:
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16
    bf16: _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16
    bf16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16
    bf16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16
    tf32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4:
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_satfinite:
    s32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32:
    s4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4
    u4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4
    s8: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8
    u8: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4:
    block_scale: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4:
    block_scale: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale

class _multimem_cp_async_bulk_global_shared_cta_bulk_group_cp_mask(_call_multimem_cp_async_bulk_global_shared_cta_bulk_group):
    b128: _multimem_cp_async_bulk_global_shared_cta_bulk_group_b128

class _multimem_cp_async_bulk_global_shared_cta_bulk_group_b128(_call_multimem_cp_async_bulk_global_shared_cta_bulk_group): ...

class _multimem_cp_async_bulk_relaxed_cta_global_shared_cta:
    bulk_group: _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group

class _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group:
    add: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    min: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    max: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    inc: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    dec: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    and_: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    or_: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add
    xor: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add

class _tcgen05_ld_red_sync_aligned_32x32b_x2_min:
    u32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
    s32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
    abs: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs
    NaN: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_NaN
    f32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_f32

class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min:
    u32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
    s32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
    abs: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs
    NaN: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_NaN
    f32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_f32

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4:
    sp__2_4: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4

class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4:
    min: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min
    max: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min

class _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta_sync:
    aligned: _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta_sync_aligned

class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1:
    and_: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and

class _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16(_call_wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16): ...

class _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3(_call_wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3): ...

class _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8(_call_wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8):
    satfinite: _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8_satfinite

class _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32(_call_wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32): ...

class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16:
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16
    bf16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3:
    e4m3: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3
    e5m2: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8:
    s8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8
    u8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8

class _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32:
    tf32: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32

class _wmma_load_a_sync_aligned_row_m8n8k128_global:
    b1: _wmma_load_a_sync_aligned_row_m8n8k128_b1
    bf16: _wmma_load_a_sync_aligned_row_m8n8k128_bf16
    f16: _wmma_load_a_sync_aligned_row_m8n8k128_f16
    f64: _wmma_load_a_sync_aligned_row_m8n8k128_f64
    s4: _wmma_load_a_sync_aligned_row_m8n8k128_s4
    u4: _wmma_load_a_sync_aligned_row_m8n8k128_s4
    s8: _wmma_load_a_sync_aligned_row_m8n8k128_s8
    u8: _wmma_load_a_sync_aligned_row_m8n8k128_s8
    tf32: _wmma_load_a_sync_aligned_row_m8n8k128_tf32

class _wmma_load_a_sync_aligned_row_m8n8k128_b1(_call_wmma_load_a_sync_aligned_row_m8n8k128_b1): ...

class _wmma_load_a_sync_aligned_row_m8n8k128_bf16(_call_wmma_load_a_sync_aligned_row_m8n8k128_bf16): ...

class _wmma_load_a_sync_aligned_row_m8n8k128_f16(_call_wmma_load_a_sync_aligned_row_m8n8k128_f16): ...

class _wmma_load_a_sync_aligned_row_m8n8k128_f64(_call_wmma_load_a_sync_aligned_row_m8n8k128_f64): ...

class _wmma_load_a_sync_aligned_row_m8n8k128_s4(_call_wmma_load_a_sync_aligned_row_m8n8k128_s4): ...

class _wmma_load_a_sync_aligned_row_m8n8k128_s8(_call_wmma_load_a_sync_aligned_row_m8n8k128_s8): ...

class _wmma_load_a_sync_aligned_row_m8n8k128_tf32(_call_wmma_load_a_sync_aligned_row_m8n8k128_tf32): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_global:
    b1: _wmma_load_b_sync_aligned_row_m8n8k128_b1
    bf16: _wmma_load_b_sync_aligned_row_m8n8k128_bf16
    f16: _wmma_load_b_sync_aligned_row_m8n8k128_f16
    f64: _wmma_load_b_sync_aligned_row_m8n8k128_f64
    s4: _wmma_load_b_sync_aligned_row_m8n8k128_s4
    u4: _wmma_load_b_sync_aligned_row_m8n8k128_s4
    s8: _wmma_load_b_sync_aligned_row_m8n8k128_s8
    u8: _wmma_load_b_sync_aligned_row_m8n8k128_s8
    tf32: _wmma_load_b_sync_aligned_row_m8n8k128_tf32

class _wmma_load_b_sync_aligned_row_m8n8k128_b1(_call_wmma_load_b_sync_aligned_row_m8n8k128_b1): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_bf16(_call_wmma_load_b_sync_aligned_row_m8n8k128_bf16): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_f16(_call_wmma_load_b_sync_aligned_row_m8n8k128_f16): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_f64(_call_wmma_load_b_sync_aligned_row_m8n8k128_f64): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_s4(_call_wmma_load_b_sync_aligned_row_m8n8k128_s4): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_s8(_call_wmma_load_b_sync_aligned_row_m8n8k128_s8): ...

class _wmma_load_b_sync_aligned_row_m8n8k128_tf32(_call_wmma_load_b_sync_aligned_row_m8n8k128_tf32): ...

class _wmma_load_c_sync_aligned_row_m16n16k16_global:
    f16: _wmma_load_c_sync_aligned_row_m16n16k16_f16
    f32: _wmma_load_c_sync_aligned_row_m16n16k16_f16
    s32: _wmma_load_c_sync_aligned_row_m16n16k16_f16
    f64: _wmma_load_c_sync_aligned_row_m16n16k16_f16

class _wmma_load_c_sync_aligned_row_m16n16k16_f16(_call_wmma_load_c_sync_aligned_row_m16n16k16_f16): ...

class _wmma_mma_xor_popc_sync_aligned_row_row:
    m8n8k128: _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32:
    bf16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16
    tf32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32

class _wmma_mma_sync_aligned_row_row_m16n16k16_f16:
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16

class _wmma_mma_sync_aligned_row_row_m16n16k16_rn:
    f64: _wmma_mma_sync_aligned_row_row_m16n16k16_f64

class _wmma_mma_sync_aligned_row_row_m16n16k16_f64:
    f64: _wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32:
    s4: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4
    u4: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4
    s8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8
    u8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8

class _wmma_store_d_sync_aligned_row_m16n16k16_global:
    f16: _wmma_store_d_sync_aligned_row_m16n16k16_f16
    f32: _wmma_store_d_sync_aligned_row_m16n16k16_f16
    s32: _wmma_store_d_sync_aligned_row_m16n16k16_f16
    f64: _wmma_store_d_sync_aligned_row_m16n16k16_f16

class _wmma_store_d_sync_aligned_row_m16n16k16_f16(_call_wmma_store_d_sync_aligned_row_m16n16k16_f16): ...

class _applypriority_async_bulk_tensor_1d_im2col_bulk_group_L2_evict_normal_override_global_address(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address): ...

class _applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address_override_global_dim(_call_applypriority_async_bulk_tensor_1d_bulk_group_L2_evict_normal_override_global_address_override_global_dim): ...

class _applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal_override_global_address_override_global_dim_stride(_call_applypriority_async_bulk_tensor_2d_bulk_group_L2_evict_normal_override_global_address_override_global_dim_stride): ...

class _cp_async_bulk_relaxed_cta_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_b128(_call_cp_async_bulk_relaxed_cta_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster:
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint:
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_b128(_call_cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled:
    multicast__cluster: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128
    multicast__cluster__32b: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b:
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128

class _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_L2_cache_hint:
    cp_mask: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_cp_mask
    b128: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128

class _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_cp_mask:
    b128: _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128

class _cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128(_call_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint:
    ignore_oob: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob
    b128: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_b128

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob:
    b128: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob_b128

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_b128(_call_cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled:
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile(_call_cp_async_bulk_prefetch_tensor_1d_L2_global):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_cache_hint
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last

class _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col):
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_L2_cache_hint

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w):
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_L2_cache_hint

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128):
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128_L2_cache_hint

class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4):
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4_L2_cache_hint

class _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint
    override__global_dim: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim

class _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last): ...

class _cp_async_bulk_prefetch_tensor_2d_L2_global_tile(_call_cp_async_bulk_prefetch_tensor_1d_L2_global):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_cache_hint
    override__global_address: _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_L2_evict_last

class _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint
    override__global_dim_stride: _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint
    override__global_dim: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint
    override__global_dim: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes(_call_cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_L2_cache_hint(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group): ...

class _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_L2_cache_hint
    override__global_dim: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group(_call_cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group):
    override__global_address: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group_L2_cache_hint

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group(_call_cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group):
    override__global_address: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group_L2_cache_hint

class _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group(_call_cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group):
    override__global_address: _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_32b
    cta_group__1: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    cta_group__1: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint
    override__global_dim_stride: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    cta_group__1: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint
    override__global_dim_stride: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride

class _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_L2_cache_hint
    override__global_dim_stride: _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride

class _cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32(_call_cp_reduce_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes_add_u32): ...

class _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_noftz:
    u32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    u64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f16: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    bf16: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f32: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f64: _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32

class _cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32(_call_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add:
    tile: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile
    bulk_group: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group
    im2col_no_offs: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs
    im2col_no_offs__w: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w
    tile__scatter4: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add:
    tile: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_tile
    bulk_group: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group
    im2col_no_offs: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs
    im2col_no_offs__w: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w
    tile__scatter4: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4

class _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_L2_cache_hint:
    add: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    min: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    max: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    and_: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    or_: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    xor: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    exch: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add
    cas: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add

class _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add:
    u32: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    s32: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    u64: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    s64: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    b32: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    b64: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    b128: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    f16x2: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    bf16x2: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    f32: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32
    f64: _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32

class _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add:
    acc__f16: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_acc_f16
    acc__f32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_acc_f16
    u32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    s32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    u64: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    s64: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    b32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    b64: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    f16: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    bf16: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    f32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    e4m3: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    e5m2: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32

class _fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32(_call_fabric_try_red_async_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_counted_bytes_add_u32): ...

class _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1:
    s32: _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32

class _mma_sync_aligned_m8n8k128_row_row_s32_s4_s4:
    s32: _mma_sync_aligned_m8n8k128_row_row_s32_s4_s4_s32

class _mma_sync_aligned_m8n8k128_row_row_s32_s8_s8:
    s32: _mma_sync_aligned_m8n8k128_row_row_s32_s8_s8_s32

class _mma_sync_aligned_m8n8k128_row_row_f64_f64_f64:
    f64: _mma_sync_aligned_m8n8k128_row_row_f64_f64_f64_f64

class _mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3:
    f16: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3_f16
    f32: _mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3_f16

class _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16:
    f16: _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16_f16
    f32: _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16_f16

class _mma_sync_aligned_m8n8k128_row_row_f32_tf32_tf32:
    f32: _mma_sync_aligned_m8n8k128_row_row_f32_tf32_tf32_f32

class _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e3m2: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e2m3: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e2m1: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_scale_vec_2X:
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32:
    e2m1: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_scale_vec_1X:
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e3m2: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e2m3: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e2m1: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3

class _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16:
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16_f16
    f32: _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16:
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16
    bf16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32:
    tf32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32_tf32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3
    e3m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3
    e2m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3
    e2m1: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4:
    s4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4
    u4: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8:
    s8: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8
    u8: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale:
    scale_vec__2X: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_scale_vec_2X
    scale_vec__4X: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_scale_vec_2X
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale:
    scale_vec__1X: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_scale_vec_1X
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32

class _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group:
    cp_mask: _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_cp_mask
    b128: _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128

class _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add:
    noftz: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_noftz
    u32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    u64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f16: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    bf16: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32

class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32(_call_tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32): ...

class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs:
    NaN: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_NaN
    f32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_f32

class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_NaN:
    f32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_f32

class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_f32(_call_tcgen05_ld_red_sync_aligned_32x32b_x2_min_f32): ...

class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32(_call_tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32): ...

class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs:
    NaN: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_NaN
    f32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_f32

class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_NaN:
    f32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_f32

class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_f32(_call_tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_f32): ...

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4:
    min: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min
    max: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min

class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min:
    abs: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_abs
    f32: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32

class _tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta_sync_aligned(_call_tensormap_cp_fenceproxy_global_shared_cta_tensormap_generic_release_cta_sync_aligned): ...

class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and:
    popc: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and_popc

class _wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8_satfinite(_call_wgmma_mma_async_sync_aligned_m64n8k32_s32_s8_s8): ...

class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16(_call_wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16): ...

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3(_call_wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3): ...

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8(_call_wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8):
    satfinite: _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8_satfinite

class _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32(_call_wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32): ...

class _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128:
    s32: _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16:
    bf16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16(_call_wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16): ...

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32:
    tf32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32_tf32

class _wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64:
    f64: _wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64_f64

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4:
    s4: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4
    u4: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8:
    s8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8
    u8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster:
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint:
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128(_call_cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint:
    b128: _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128

class _cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128(_call_cp_async_bulk_relaxed_cta_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob_b128(_call_cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_ignore_oob_b128): ...

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint:
    b128: _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128

class _cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128(_call_cp_async_bulk_relaxed_cta_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_b128): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_override_global_address(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_im2col_w_128): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_tile_gather4): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address): ...

class _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim_L2_cache_hint
    L2__evict_last: _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim_L2_cache_hint

class _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride(_call_cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride_L2_cache_hint
    L2__evict_last: _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_32b(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_multicast_cluster(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_multicast_cluster(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_multicast_cluster(_call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    cta_group__1: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes): ...

class _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_L2_cache_hint(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address): ...

class _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim_L2_cache_hint

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group_override_global_address(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_L2_cache_hint

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group_L2_cache_hint(_call_cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_bulk_group): ...

class _cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group_L2_cache_hint(_call_cp_async_bulk_tensor_1d_global_shared_cta_im2col_no_offs_w_bulk_group): ...

class _cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group_L2_cache_hint(_call_cp_async_bulk_tensor_1d_global_shared_cta_tile_scatter4_bulk_group): ...

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_32b(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    cta_group__1: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    cta_group__2: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    override__global_address: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride(_call_cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride):
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    override__global_address: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride(_call_cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride):
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride_L2_cache_hint

class _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride(_call_cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride):
    L2__cache_hint: _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride_L2_cache_hint

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile:
    bulk_group: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_L2_cache_hint
    override__global_address: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs:
    bulk_group: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w:
    bulk_group: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4:
    bulk_group: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_tile:
    bulk_group: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_L2_cache_hint
    override__global_address: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address

class _fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32(_call_fabric_try_atom_async_relaxed_sys_shared_cta_mbarrier_complete_tx_16B_mbarrier_report_fabric_add_u32): ...

class _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_acc_f16:
    u32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    s32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    u64: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    s64: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    b32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    b64: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    f16: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    bf16: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    f32: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    e4m3: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32
    e5m2: _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32

class _fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32(_call_fabric_try_pullred_async_sync_multimem_shared_cta_mbarrier_complete_tx_bytes_mbarrier_report_fabric_add_u32): ...

class _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32:
    xor: _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor
    and_: _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor

class _mma_sync_aligned_m8n8k128_row_row_s32_s4_s4_s32(_call_mma_sync_aligned_m8n8k128_row_row_s32_s4_s4_s32): ...

class _mma_sync_aligned_m8n8k128_row_row_s32_s8_s8_s32(_call_mma_sync_aligned_m8n8k128_row_row_s32_s8_s8_s32): ...

class _mma_sync_aligned_m8n8k128_row_row_f64_f64_f64_f64(_call_mma_sync_aligned_m8n8k128_row_row_f64_f64_f64_f64): ...

class _mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3_f16(_call_mma_sync_aligned_m8n8k128_row_row_f16_e4m3_e4m3_f16): ...

class _mma_sync_aligned_m8n8k128_row_row_f16_f16_f16_f16(_call_mma_sync_aligned_m8n8k128_row_row_f16_f16_f16_f16): ...

class _mma_sync_aligned_m8n8k128_row_row_f32_tf32_tf32_f32(_call_mma_sync_aligned_m8n8k128_row_row_f32_tf32_tf32_f32): ...

class _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3:
    f16: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1:
    e2m1: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3:
    e4m3: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e5m2: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e3m2: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e2m3: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e2m1: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3

class _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16_f16(_call_mma_sync_aligned_m8n8k4_row_row_f16_f16_f16_f16): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3:
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3_f16
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16:
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16_f16
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32_tf32:
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32_tf32_f32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e3m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e2m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3
    e2m1: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4:
    s32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4_s32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8:
    s32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8_s32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_scale_vec_2X:
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32:
    e2m1: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_scale_vec_1X:
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e3m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e2m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3
    e2m1: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3

class _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_cp_mask:
    b128: _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128

class _multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128(_call_multimem_cp_async_bulk_relaxed_cta_global_shared_cta_bulk_group_b128): ...

class _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_noftz:
    u32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    u64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    s64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    b64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f16: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    bf16: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f32: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32
    f64: _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32

class _multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32(_call_multimem_cp_reduce_async_bulk_global_shared_cta_bulk_group_add_u32): ...

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min:
    abs: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_abs
    f32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32

class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_abs:
    f32: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32

class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32:
    b2: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2

class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and_popc(_call_wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and_popc): ...

class _wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8_satfinite(_call_wgmma_mma_async_sp_sync_aligned_m64n8k64_s32_s8_s8): ...

class _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32:
    b1: _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16:
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16_f32

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32_tf32:
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32_tf32_f32

class _wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64_f64:
    f64: _wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64_f64_f64

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4:
    s32: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8:
    s32: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32

class _cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_1d_L2_global_override_global_address_override_global_dim): ...

class _cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride_L2_cache_hint(_call_cp_async_bulk_prefetch_tensor_2d_L2_global_override_global_address_override_global_dim_stride): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_multicast_cluster_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_multicast_cluster_32b_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_32b_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cluster_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_mbarrier_report_disabled_cta_group_1(_call_cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled):
    override__global_address: _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_override_global_address
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared_cta_global_mbarrier_complete_tx_bytes_mbarrier_report_disabled_L2_cache_hint

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_im2col_w_128_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1_L2_cache_hint(_call_cp_async_bulk_tensor_1d_shared_cta_global_tile_gather4_mbarrier_complete_tx_bytes_cta_group_1): ...

class _cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim_L2_cache_hint(_call_cp_async_bulk_tensor_1d_global_shared_cta_bulk_group_override_global_address_override_global_dim): ...

class _cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride_L2_cache_hint(_call_cp_async_bulk_tensor_2d_shared_cluster_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride): ...

class _cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride_L2_cache_hint(_call_cp_async_bulk_tensor_2d_shared_cta_global_mbarrier_complete_tx_bytes_override_global_address_override_global_dim_stride): ...

class _cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride_L2_cache_hint(_call_cp_async_bulk_tensor_2d_global_shared_cta_bulk_group_override_global_address_override_global_dim_stride): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_L2_cache_hint
    override__global_dim: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group):
    override__global_address: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group_override_global_address
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group_L2_cache_hint

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group):
    override__global_address: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group_override_global_address
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group_L2_cache_hint

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group_L2_cache_hint

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_L2_cache_hint
    override__global_dim_stride: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride

class _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor:
    popc: _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor_popc

class _mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16(_call_mma_sync_aligned_m8n8k128_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16): ...

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1:
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3:
    f32: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3_f16(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_e4m3_e4m3_f16): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16_f16(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f16_f16_f16_f16): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32_tf32_f32(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_f32_tf32_tf32_f32): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3:
    f16: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4_s32(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s4_s4_s32): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8_s32(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_s32_s8_s8_s32): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1:
    e2m1: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3:
    e4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e5m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e3m2: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e2m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3
    e2m1: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_abs:
    f32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32:
    b2: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2

class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2(_call_tcgen05_ld_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2): ...

class _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1:
    b1: _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1_b1

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16_f32(_call_wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16_f32): ...

class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32_tf32_f32(_call_wmma_mma_sync_aligned_row_row_m16n16k16_f32_tf32_tf32_f32): ...

class _wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64_f64_f64(_call_wmma_mma_sync_aligned_row_row_m16n16k16_f64_f64_f64_f64): ...

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32(_call_wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32_satfinite

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32(_call_wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32_satfinite

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_L2_cache_hint

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group_override_global_address(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_L2_cache_hint

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_bulk_group): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_im2col_no_offs_w_bulk_group): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_tile_scatter4_bulk_group): ...

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride(_call_cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride):
    L2__cache_hint: _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride_L2_cache_hint

class _mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor_popc(_call_mma_sync_aligned_m8n8k128_row_row_s32_b1_b1_s32_xor_popc): ...

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32:
    ue8m0: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0
    ue4m3: _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32:
    ue8m0: _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_f8f6f4_f16_e4m3_e4m3_f16): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1:
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3:
    f32: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32

class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2(_call_tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_sp_2_4_min_f32_b2): ...

class _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1_b1:
    s32: _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1_b1_s32

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32_satfinite(_call_wmma_mma_sync_aligned_row_row_m16n16k16_s32_s4_s4_s32): ...

class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32_satfinite(_call_wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32): ...

class _cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_1d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim): ...

class _cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride_L2_cache_hint(_call_cp_reduce_async_bulk_tensor_2d_global_shared_cta_add_bulk_group_override_global_address_override_global_dim_stride): ...

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0(_call_mma_sync_aligned_m8n8k128_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0): ...

class _mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0(_call_mma_sync_aligned_m8n8k128_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32:
    ue8m0: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0
    ue4m3: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32:
    ue8m0: _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0

class _wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1_b1_s32(_call_wmma_mma_xor_popc_sync_aligned_row_row_m8n8k128_s32_b1_b1_s32): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf4_block_scale_f32_e2m1_e2m1_f32_ue8m0): ...

class _mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0(_call_mma_sp_ordered_metadata_sync_aligned_m16n8k64_row_row_kind_mxf8f6f4_block_scale_f32_e4m3_e4m3_f32_ue8m0): ...

class Instructions:
    def emit(
        self, opcode: str, args: Sequence[Any] = ..., named: Mapping[str, Any] = ..., pred: Any = None
    ) -> Any: ...
    def constructs(self) -> Sequence[str]: ...
    abs: _abs
    activemask: _activemask
    add: _add
    addc: _addc
    alloca: _alloca
    and_: _and
    applypriority: _applypriority
    atom: _atom
    bar: _bar
    barrier: _barrier
    bfe: _bfe
    bfi: _bfi
    bfind: _bfind
    bmsk: _bmsk
    bra: _bra
    brev: _brev
    brkpt: _brkpt
    brx: _brx
    call: _call
    clmad: _clmad
    clusterlaunchcontrol: _clusterlaunchcontrol
    clz: _clz
    cnot: _cnot
    copysign: _copysign
    cos: _cos
    cp: _cp
    createpolicy: _createpolicy
    cvt: _cvt
    cvta: _cvta
    discard: _discard
    div: _div
    dp2a: _dp2a
    dp4a: _dp4a
    elect: _elect
    ex2: _ex2
    exit: _exit
    fabric: _fabric
    fence: _fence
    fma: _fma
    fns: _fns
    getctarank: _getctarank
    griddepcontrol: _griddepcontrol
    isspacep: _isspacep
    istypep: _istypep
    ld: _ld
    ldmatrix: _ldmatrix
    ldu: _ldu
    lg2: _lg2
    lop3: _lop3
    mad: _mad
    mad24: _mad24
    madc: _madc
    mapa: _mapa
    match: _match
    max: _max
    mbarrier: _mbarrier
    membar: _membar
    min: _min
    mma: _mma
    mov: _mov
    movmatrix: _movmatrix
    mul: _mul
    mul24: _mul24
    multimem: _multimem
    nanosleep: _nanosleep
    neg: _neg
    not_: _not
    or_: _or
    pmevent: _pmevent
    popc: _popc
    prefetch: _prefetch
    prefetchu: _prefetchu
    prmt: _prmt
    rcp: _rcp
    red: _red
    redux: _redux
    rem: _rem
    ret: _ret
    rsqrt: _rsqrt
    sad: _sad
    selp: _selp
    set: _set
    setmaxnreg: _setmaxnreg
    setp: _setp
    shf: _shf
    shfl: _shfl
    shl: _shl
    shr: _shr
    sin: _sin
    slct: _slct
    spcompress: _spcompress
    spdecompress: _spdecompress
    sqrt: _sqrt
    st: _st
    stackrestore: _stackrestore
    stacksave: _stacksave
    stmatrix: _stmatrix
    sub: _sub
    subc: _subc
    suld: _suld
    suq: _suq
    sured: _sured
    sust: _sust
    szext: _szext
    tanh: _tanh
    tcgen05: _tcgen05
    tensormap: _tensormap
    testp: _testp
    tex: _tex
    tld4: _tld4
    trace: _trace
    trap: _trap
    txq: _txq
    vabsdiff: _vabsdiff
    vabsdiff2: _vabsdiff2
    vabsdiff4: _vabsdiff4
    vadd: _vadd
    vadd2: _vadd2
    vadd4: _vadd4
    vavrg2: _vavrg2
    vavrg4: _vavrg4
    vmad: _vmad
    vmax: _vmax
    vmax2: _vmax2
    vmax4: _vmax4
    vmin: _vmin
    vmin2: _vmin2
    vmin4: _vmin4
    vote: _vote
    vset: _vset
    vset2: _vset2
    vset4: _vset4
    vshl: _vshl
    vshr: _vshr
    vsub: _vsub
    vsub2: _vsub2
    vsub4: _vsub4
    wgmma: _wgmma
    wmma: _wmma
    xor: _xor
    @property
    def cluster_ctarank(self) -> u32:
        """rank of the CTA in its cluster."""
    @property
    def cluster_nctarank(self) -> u32:
        """number of CTAs in a cluster."""
    @property
    def is_explicit_cluster(self) -> pred:
        """whether the launch named a cluster size."""
    @property
    def laneid(self) -> u32:
        """lane of the thread in its warp."""
    @property
    def warpid(self) -> u32:
        """slot of the warp on its SM; may change."""
    @property
    def nwarpid(self) -> u32:
        """warp slots of an SM."""
    @property
    def smid(self) -> u32:
        """the SM that the thread runs on; may change."""
    @property
    def nsmid(self) -> u32:
        """largest SM number plus one."""
    @property
    def gridid(self) -> u64:
        """identifies the launch within its context."""
    @property
    def lanemask_eq(self) -> u32:
        """mask of the lanes at this one."""
    @property
    def lanemask_le(self) -> u32:
        """mask of the lanes at or below this one."""
    @property
    def lanemask_lt(self) -> u32:
        """mask of the lanes below this one."""
    @property
    def lanemask_ge(self) -> u32:
        """mask of the lanes at or above this one."""
    @property
    def lanemask_gt(self) -> u32:
        """mask of the lanes above this one."""
    @property
    def clock(self) -> u32:
        """lower half of the SM's cycle counter."""
    @property
    def clock_hi(self) -> u32:
        """upper half of the SM's cycle counter."""
    @property
    def clock64(self) -> u64:
        """the SM's cycle counter."""
    @property
    def globaltimer(self) -> u64:
        """nanoseconds of a clock that all SMs share."""
    @property
    def globaltimer_lo(self) -> u32:
        """lower half of %globaltimer."""
    @property
    def globaltimer_hi(self) -> u32:
        """upper half of %globaltimer."""
    @property
    def total_smem_size(self) -> u32:
        """bytes of shared memory of the CTA."""
    @property
    def aggr_smem_size(self) -> u32:
        """bytes of shared memory, reserved ones included."""
    @property
    def dynamic_smem_size(self) -> u32:
        """bytes of dynamic shared memory."""
    @property
    def reserved_smem_offset_begin(self) -> b32:
        """shared memory kept by the system."""
    @property
    def reserved_smem_offset_end(self) -> b32:
        """shared memory kept by the system."""
    @property
    def reserved_smem_offset_cap(self) -> b32:
        """shared memory kept by the system."""
    @property
    def reserved_smem_offset_0(self) -> b32:
        """shared memory kept by the system."""
    @property
    def reserved_smem_offset_1(self) -> b32:
        """shared memory kept by the system."""
    @property
    def perctamemorysize(self) -> u32:
        """bytes of the memory that .minperctamemory gives the CTA."""
    @property
    def perctamemoryoffset(self) -> u64:
        """where the memory that .minperctamemory gives the CTA begins."""
    @property
    def locality_domain_id(self) -> u32:
        """the part of the GPU whose memory is near."""
    @property
    def locality_domain_supplemental_sm(self) -> u32:
        """whether the SM is beyond the parts' equal share."""
    @property
    def current_graph_exec(self) -> u64:
        """identifies the graph that runs."""
    tid: SpecialRegisters
    ntid: SpecialRegisters
    ctaid: SpecialRegisters
    nctaid: SpecialRegisters
    clusterid: SpecialRegisters
    nclusterid: SpecialRegisters
    cluster_ctaid: SpecialRegisters
    cluster_nctaid: SpecialRegisters
    pm: NumberedRegisters[u32]
    pm_64: NumberedRegisters[u64]
    envreg: NumberedRegisters[b32]
