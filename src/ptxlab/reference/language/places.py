"""Which public name stands on which page of the reference, and which members serve ptxlab itself."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the reference of the language.

    Attributes:
        slug: the file's name. title, intro: its heading and what stands below that.
        entries: what it lists: "module:name", or "k:word" for words of the kernel builder.
        prefix: what stands before names of modules that are not `ptxlab`.
    """

    slug: str
    title: str
    intro: str
    entries: tuple[str, ...]
    prefix: str = ""


def builder() -> type:
    """The class of `k`. By name: this room lies below the language."""
    module: Any = import_module(_BUILDER)
    return module.Builder


_BUILDER = "ptxlab.lang.builder"


def _px(*words: str) -> tuple[str, ...]:
    return tuple(f"ptxlab:{word}" for word in words)


def _k(*words: str) -> tuple[str, ...]:
    return tuple(f"k:{word}" for word in words)


def _of(module: str, *words: str) -> tuple[str, ...]:
    return tuple(f"ptxlab.{module}:{word}" for word in words)


PAGES = (
    Page(
        "kernels",
        "Kernels and launches",
        "A kernel is a Python function that is traced once into PTX, or an entry of a PTX module. Both are launched "
        "in the same way.",
        _px(
            *("kernel", "Kernel", "Launch", "empty", "Resources", "PtxWarning"),
            *("Stream", "Event", "Graph", "copy", "synchronize"),
            *(
                "ArrayView",
                "array_view",
                "is_array",
                "Device",
                "device_of",
                "devices",
                "Process",
                "multicast",
                "TuningCache",
            ),
        ),
    ),
    Page(
        "operators",
        "Operators and tuning",
        "A function that launches kernels, as an operator of PyTorch and JAX: [in PyTorch](../../how-to/torch.md), "
        "[in JAX](../../how-to/jax.md). A kernel that is [tuned](../../how-to/tune.md) for the GPU and the shapes at hand.",
        _px(
            *("operator", "Operator", "Array", "empty_like", "zeros_like", "launches_left_out"),
            *("tune", "TunedKernel"),
        )
        + _of("kernels.operators", "matmul", "grouped_matmul", "grouped_outer")
        + _of("kernels.operators", "attention=operators.attention", "attention_gradients")
        + _of("kernels.operators", "rms_norm=operators.rms_norm", "rms_norm_gradients")
        + _of("kernels.operators", "layer_norm=operators.layer_norm", "layer_norm_gradients")
        + _of("kernels.operators", "cross_entropy=operators.cross_entropy", "cross_entropy_gradient"),
    ),
    Page(
        "instructions",
        "Calling instructions",
        "`k.<opcode>(…)` emits one instruction. These are the rules that hold for all of them; "
        "[every instruction has its own entry](../instructions/index.md).",
        (*_px("Builder"), *_of("lang._instructions", "Opcode"), *_of("lang.trace.values", "Negated")),
    ),
    Page(
        "types",
        "Types, registers and addresses",
        "A type names what a register or an element of memory holds. A register has no value while the kernel is traced, so Python "
        "cannot branch on it; operators on registers emit one instruction each.",
        _px(
            *("Register", "Registers", "pred", "Ptr", "Address"),
            *("b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"),
            *("f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "tf32", "e4m3", "e5m2"),
        )
        + _k("reg", "unpack"),
    ),
    Page(
        "matrices",
        "Registers of matrices",
        "mma, wgmma and wmma spread a matrix over the registers of a warp or a warpgroup. These words know which thread holds "
        "which element.",
        (
            *_k("accumulator", "fragment", "wgmma_group"),
            *_px("MatrixRegisters", "fragment", "MatrixFragment", "sparse_metadata", "Metadata"),
            *_of("layout.shapes", "Place", "MetadataPlace"),
        ),
    ),
    Page(
        "control-flow",
        "Control flow",
        "Python's own `if` and `for` run while the kernel is traced: they choose and repeat code. The words of this page are "
        "branches on the device. Those that are blocks are entered with `with`.",
        _k("if_", "else_", "while_", "loop", "break_", "continue_", "label", "place"),
    ),
    Page(
        "threads",
        "Threads, warps and roles",
        "Who a thread is, how threads meet, and how warps get different work.",
        _k("thread", "warp", "warpgroup", "first_thread", "elect", "roles", "role", "sync_all", "cluster_sync")
        + _of("lang.trace.special", "SpecialRegisters", "NumberedRegisters"),
    ),
    Page(
        "shared-memory",
        "Shared memory, barriers and rings",
        "Declarations compute offsets, alignments, swizzles and descriptors. Sizes and offsets are in bytes unless "
        "they count elements.",
        (
            *_k("smem"),
            *_px("Tile"),
            *_of("lang.smem.descriptor", "Descriptor"),
            *_k("mbarrier", "init_barriers"),
            *_px("Mbarrier"),
            *_of("lang.smem.barriers", "RemoteMbarrier"),
            *_k("ring"),
            *_px("Ring", "Slot"),
        ),
    ),
    Page(
        "tensor-maps",
        "Tensor maps and TMA",
        "A tensor map describes a tensor in global memory and the box that one copy moves. The host makes it, or "
        "the kernel changes one.",
        (
            *_px("tensor_map", "BoundMap", "TensorMap", "Im2col"),
            *_k("tma_load", "tma_load_im2col", "tma_store", "tma_reduce", "tensormap"),
            *_px("MapSlot"),
        ),
    ),
    Page(
        "output",
        "Output of a kernel",
        "What a kernel says while it runs.",
        _k("print", "note", "debug_assert"),
    ),
    Page(
        "simulate",
        "Simulate, judge and debug",
        "The same kernel and the same arguments, run on the CPU with all choices open. "
        "[The timeline and its clock](../../explanation/simulator.md#the-timeline-and-its-clock) are explained elsewhere.",
        (
            *_px("simulate", "Report", "Stats"),
            *_of("diag.tables", "Table"),
            *_px(
                *("Site", "Trace", "TraceEvent"),
                *("certify", "Certificate", "redundant", "Redundancy"),
                *("explore", "Exploration", "ExploredRun", "Difference"),
                *("compare", "Comparison", "ComparedRun", "Mismatch"),
                *("verify", "Spec", "case", "Case", "Input", "Output", "Mapped", "Verification", "Trial", "Algebra"),
                *("debug", "Debugger", "Breakpoint", "Where"),
            ),
        ),
    ),
    Page(
        "profile",
        "Predict what a launch costs",
        "Cycles of a launch on a chip, and what its warps wait for, without the chip. "
        "[The timing model](../timing.md) says what it knows.",
        _px("profile", "Profile", "Stall", "Line", "Occupancy", "Measured", "Roofline", "rank", "Ranking", "Ranked"),
    ),
    Page(
        "modules",
        "Modules of PTX",
        "PTX text from anywhere: loaded, checked, linked, changed, run, or written from Python.",
        _px(
            *(
                "load",
                "parse",
                "link",
                "check",
                "Module",
                "Symbol",
                "to_python",
                "module",
                "ModuleBuilder",
                "triton",
                "TritonKernel",
            ),
        )
        + _of("lang.module", "BodyBuilder", "Name", "Names"),
    ),
    Page(
        "diagnostics",
        "Diagnostics",
        "Everything that ptxlab has to say about a program is a `px.Diagnostic` with a stable code.",
        (
            *_px("Diagnostic"),
            *_of("diag", "Findings", "HappensBefore", "OrderColumn", "OrderEvent", "OrderEdge"),
            *_px("Severity", "Span", "user_span", "sources", "explain"),
        ),
    ),
    Page(
        "litmus",
        "Litmus tests",
        "The memory model of PTX, executable. [What it says](../../explanation/memory-model.md) is explained elsewhere.",
        (
            *_px("litmus", "Verdict"),
            *_of(
                "memory_model", "parse", "decide", "kernel", "Emitted", "Race", "Access", "Racing", "random_test", "svg"
            ),
        ),
        prefix="memory_model.",
    ),
    Page(
        "library",
        "Kernels that come with ptxlab",
        "`ptxlab.kernels`: tuned kernels for NumPy arrays (simulated) and CUDA arrays (on the GPU). "
        "[What they measure](../kernels.md) stands elsewhere.",
        (
            *_of("kernels.gemm", "gemm", "prepare=gemm.prepare"),
            *_of("kernels.grouped_gemm", "grouped_gemm", "prepare=grouped_gemm.prepare"),
            *_of("kernels.grouped_packed", "grouped_rows", "grouped_masked", "grouped_depth"),
            *_of("kernels.grouped_packed", "prepare_rows", "prepare_masked", "prepare_depth"),
            *_of("kernels.conv", "conv2d", "prepare=conv.prepare"),
            *_of("kernels.attention", "attention", "prepare=attention.prepare", "softcap", "ScorePlace", "ScoreArray"),
            *_of("kernels.attention", "Tiling=attention.Tiling", "choose=attention.choose"),
            *_of("kernels.attention", "attention_backward", "prepare_backward=attention.prepare_backward"),
            *_of("kernels.attention.backward", "Tiling=attention.backward.Tiling", "Cut=attention.backward.Cut"),
            *_of("kernels.attention.backward", "choose=attention.backward.choose"),
            *_of("kernels.decode", "decode", "prepare=decode.prepare", "Tiling=decode.Tiling", "choose=decode.choose"),
            *_of("kernels.boxes", "copy_boxes", "reduce_boxes", "prepare_copy", "prepare_reduce", "box_of"),
            *_of("kernels.collectives", "Group", "Collective"),
            *_of("kernels.rows", "rms_norm", "layer_norm", "softmax"),
            *_of("kernels.rows", "prepare_rms_norm", "prepare_layer_norm", "prepare_softmax"),
            *_of("kernels.rows", "quantize", "prepare_quantize", "transpose", "prepare_transpose"),
            *_of("kernels.rows", "cross_entropy", "cross_entropy_backward"),
            *_of("kernels.rows", "prepare_cross_entropy", "prepare_cross_entropy_backward"),
            *_of("kernels.rows", "rms_norm_backward", "layer_norm_backward"),
            *_of("kernels.rows", "prepare_rms_norm_backward", "prepare_layer_norm_backward"),
            *_of("kernels.copies", "copy_linear", "copy_tma", "dump_swizzled", "dump_shape"),
            *_of("kernels.copies", "prepare_linear", "prepare_tma", "prepare_swizzled"),
        ),
    ),
    Page(
        "blocks",
        "Building blocks of matrix products",
        "`ptxlab.kernels.blocks`: the parts from which `gemm` is put together, for kernels of your own.",
        (
            *_of("kernels.blocks.tiling", "Tiling"),
            *_of("kernels.blocks.choice", "Shape", "candidates", "choose", "time_of", "explained"),
            *_of("kernels.blocks.mainloop", "Operand", "Operands", "Mainloop"),
            *_of("kernels.blocks.exchange", "Exchange"),
            *_of("kernels.blocks.store", "TmaStore", "DirectStore"),
            *_of("kernels.blocks.finish", "Finish"),
            *_of(
                "kernels.blocks.epilogue",
                "Epilogue",
                "Given",
                "per_row",
                "per_column",
                "per_element",
                "per_scalar",
                "apply",
                "gated",
            ),
            *_of("kernels.blocks.epilogue", "scaled", "scaled_by", "bias", "residual", "linear", "amax"),
            *_of("kernels.blocks.epilogue", "relu", "gelu", "silu", "swiglu", "geglu"),
        ),
    ),
    Page(
        "testing",
        "The pytest plugin",
        "Installed with ptxlab: simulated launches of a test are sanitized, and what is found fails the test. "
        "[How to use it](../../how-to/sanitizer-in-tools.md#in-tests) stands elsewhere.",
        _of("testing", "plugin=pytest.mark.ptxlab")
        + _of("testing.plugin", "ptxlab_findings=ptxlab_findings", "ptx_verify=ptx_verify", "ptx_certify=ptx_certify"),
    ),
)

SERVING = frozenset(
    """
    Finish.begin Finish.end Finish.per_result Finish.prefetch_inputs Finish.reads_c Finish.set_source Finish.source Finish.staged
    Finish.values
    ArrayView.data_ptr ArrayView.element_size ArrayView.stride
    Address.base Address.element Address.loaded_by Address.offset Address.operand Address.space Address.stored_by
    BodyBuilder.constructs BodyBuilder.emit BoundMap.owner Breakpoint.holds Breakpoint.indices Code.assembly Code.library
    Code.lines Code.program Code.show_lints Code.variables_on Code.written
    Descriptor.high Descriptor.low Exchange.join_barriers Kernel.entry
    Kernel.of_entry Kernel.of_function Kernel.program Kernel.source MapSlot.changed MapSlot.note_use MapSlot.place MapSlot.rank
    MapSlot.rebound MapSlot.shared MapSlot.staged MapSlot.template MapSlot.use MatrixRegisters.of MatrixRegisters.steps
    MatrixRegisters.walk Mbarrier.declared Mbarrier.place ModuleBuilder.check
    Negated.alone Negated.inner Operand.by_threads Operands.loaded
    Ptr.element Ptr.step Racing.add Register.fixed Register.reg Registers.operand Symbol.of
    Tile.geometry Tile.loaded_by Tile.location Tile.offset Tile.operand_tile Tile.starts_at Tile.stored_by Tile.variable
    Tile.wanted_alignment TritonKernel.arguments TritonKernel.entry Unread.unread Unread.unwritten
""".split()  # noqa: SIM905
)
"""Public members by Python's rules that serve other parts of ptxlab. Users have no need of them, and they may change."""

OF_KERNELS = frozenset(
    f"ptxlab.kernels.{word}"
    for word in (
        *(
            "attention.arrays",
            "attention.backward.call",
            "attention.backward.consumer",
            "attention.backward.launch",
            "attention.backward.program",
            "attention.backward.scores",
            "attention.backward.statistics",
            "attention.backward.tiling",
            "attention.call",
            "attention.consumer",
            "attention.forward",
            "attention.program",
            "attention.scores",
            "attention.sequences",
            "attention.softmax",
            "attention.tiling",
            "attention.transposed",
            "attention.warpgroup",
            "collectives.call",
            "collectives.exchange",
            "collectives.gather_gemm",
            "collectives.gemm_scatter",
            "collectives.product_call",
            "collectives.room",
            "collectives.shards",
            "conv_call",
            "decode.call",
            "decode.combine",
            "decode.consumer",
            "decode.launch",
            "decode.latent",
            "decode.latent_rooms",
            "decode.loads",
            "decode.operands",
            "decode.program",
            "decode.queries",
            "decode.schedule",
            "decode.tiling",
            "gemm_inputs",
            "gemm_call",
            "gemm_degenerate",
            "gemm_repack",
            "gemm_store",
            "grouped_scheduler",
            "grouped_call",
            "grouped_fitted",
            "grouped_listing",
            "grouped_packed_call",
            "grouped_scaled",
            "pipeline",
        ),
        *("blocks.loading", "blocks.partials", "blocks.product", "blocks.rows", "blocks.signature", "blocks.tuned"),
        *("rows.call", "rows.columns", "rows.layout", "rows.numbers", "rows.skeleton"),
    )
)
"""Modules that serve the kernels which come with ptxlab."""
SERVING_KERNELS = frozenset(
    """
    blocks.choice.copy_time blocks.choice.resident blocks.tiling.in_flight
    blocks.epilogue.Step blocks.epilogue.epilogue_of blocks.finish.Planned blocks.finish.Read blocks.promotion.PromotedMainloop
    blocks.promotion.Scales blocks.store.Store blocks.store.packed_pair blocks.store.separate blocks.store.word_of
    blocks.finish.parts_of blocks.tiling.loading_registers blocks.tiling.threads_can_load
    blocks.tiling.parts gemm.fitting gemm.kernels gemm.with_staging gemm.specialized
    grouped_packed.BoundStore grouped_packed.kernels grouped_packed.templates
    attention.backward.finish.finishing attention.backward.finish.kernel attention.backward.fused.FusedConsumer
    attention.backward.fused.FusedRooms attention.backward.fused.Sheet attention.backward.fused.add attention.backward.fused.assist
    attention.backward.fused.give attention.backward.fused.walk_of attention.backward.memory.Memory attention.backward.queue.Place
    attention.backward.queue.Queue attention.backward.walk.KeyTile attention.backward.walk.Walk
    rows.norms.rms_norm_rows rows.norms.layer_norm_rows rows.norms.normalized rows.norms.without_mean rows.norms.root
    rows.norms.times rows.gradients.rms_norm_gradients rows.gradients.layer_norm_gradients rows.gradients.Sums
    rows.scores.softmax_rows rows.scores.powers_of rows.losses.cross_entropy_rows rows.losses.cross_entropy_gradients
    rows.fp8.quantized_rows rows.fp8.largest_of_rows rows.fp8.scale_of_all rows.fp8.largest_of rows.fp8.scale_for
""".split()  # noqa: SIM905
)
"""Names of the other modules that serve them."""
