"""Every diagnostic code: slug, severity, default help and explanation, in one place.

Ranges: PTX0xxx syntax and forms, PTX1xxx targets and versions, PTX2xxx launch and layout, PTX5xxx lints,
PTX9xxx found while simulating. Codes are never reused.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """What stands behind a code. `help` is used where a diagnostic brings no better one."""

    code: str
    slug: str
    severity: str
    title: str
    help: str | None = None


CODES: dict[str, Code] = {}


def _code(code: str, slug: str, title: str, help: str | None = None, severity: str = "error") -> None:
    assert code not in CODES, f"{code} is defined twice"
    CODES[code] = Code(code, slug, severity, title, help)


# --- PTX00xx: text ------------------------------------------------------------------------------------------------
_code(
    "PTX0001",
    "syntax",
    "The text is not PTX here.",
    "compare the line with the PTX manual, and the end of the line above",
)
_code(
    "PTX0002",
    "not-text",
    "The file is not text in UTF-8 or ASCII.",
    "give the .ptx text, not a cubin or a fatbin, in UTF-8",
)
_code("PTX0003", "unexpected-end", "The file ends inside a construct.", "close what is open; or the file was cut short")
_code("PTX0010", "undeclared-register", "A register is used that no .reg declares in this scope.")
_code("PTX0011", "undeclared-symbol", "A symbol is used that nothing declares in this scope.")
_code("PTX0012", "undeclared-label", "A branch names a label that this function does not have.")
_code("PTX0013", "redeclared", "A name is declared twice in one scope.")
_code("PTX0014", "initializer", "The initialiser does not fit the variable.")
_code("PTX0015", "declaration", "Nothing of this kind can be declared here.")
_code("PTX0016", "alignment", "An alignment is a power of two, within limits.")
_code("PTX0017", "declarations-differ", "A name is declared again, and otherwise.", "make the declarations the same")
_code("PTX0018", "pragma", "The pragma cannot stand here, or has another value than it takes.")
_code("PTX0019", "alias", "The name cannot stand for this function.")
_code("PTX0020", "undefined-function", "A function is declared, not .extern, and has no body.")
_code("PTX0021", "call-target", "A call goes to what is no function with a prototype.")
_code("PTX0022", "call-argument", "What a call passes is not what the function takes.")
_code("PTX0023", "calling-convention", "ptxas has no way to call this function, or to pass this parameter.")
_code(
    "PTX0024", "unresolved-variable", "An array whose extent is open has to come from another file.", severity="warning"
)

# --- PTX01xx: instruction forms in general ---------------------------------------------------------------------------
_code("PTX0100", "unknown-opcode", "No instruction has this name.")
_code("PTX0101", "unknown-modifier", "The instruction exists, but not with this modifier at this place.")
_code("PTX0102", "incomplete-opcode", "The instruction lacks a modifier that it cannot do without.")
_code("PTX0103", "operand-count", "The number of operands fits no form of the instruction.")
_code("PTX0104", "operand-kind", "An operand is of the wrong kind (register, immediate, address, vector, label).")
_code("PTX0105", "operand-type", "A register's type does not fit the instruction.")
_code("PTX0106", "vector-length", "A vector operand has the wrong number of elements.")
_code("PTX0107", "immediate-range", "An immediate lies outside what the instruction takes.")
_code("PTX0108", "address-space", "An address lies in a state space that the instruction does not take.")
_code("PTX0109", "python-value", "A Python value of this type is no PTX operand.")
_code("PTX0120", "misaligned-symbol", "A variable is not aligned as the access to it wants.", severity="warning")
_code("PTX0121", "short-address", "An address lies in a register of 8 or 16 bits.", severity="warning")
_code("PTX0122", "narrow-sum", "A sum has fewer bits than the instruction takes.", severity="warning")

# --- PTX033x: rules of the tensor-core forms --------------------------------------------------------------------------
_code("PTX0330", "mma-shape", "The tensor cores have no such shape for this type.")
_code("PTX0331", "mma-operand-types", "The tensor cores do not mix these operand types.")
_code("PTX0332", "mma-accumulator", "The tensor cores have no such accumulator for this product.")
_code("PTX0333", "mma-layout", "A matrix of this type lies by rows, or by columns, alone.")
_code(
    "PTX0334", "sparsity-selector", "The lanes that hold the metadata of a sparse product are chosen by a small number."
)
_code("PTX0335", "block-scale", "The scales of a product are of this type and number.")
_code("PTX0336", "scale-selector", "The scales of a product lie at such bytes and lanes.")
_code("PTX0337", "ordered-metadata", "The product takes ordered metadata only.")
_code("PTX0338", "wmma-fragment", "There is no such fragment of a matrix.")
_code("PTX0340", "tensor-memory-modifiers", "These modifiers of a tcgen05 instruction do not go together.")
_code("PTX0341", "texture-modifiers", "These modifiers of a texture or surface instruction do not go together.")

# --- PTX06xx: litmus tests of the memory model -----------------------------------------------------------------------------
_code(
    "PTX0600",
    "litmus-syntax",
    "The text is no litmus test.",
    "write it in the litmus format of docs/explanation/memory-model.md",
)
_code("PTX0602", "litmus-step", "A litmus test does what the memory model's program does not follow.")
_code("PTX0604", "litmus-run", "A litmus test cannot be run as a kernel.")
_code("PTX0603", "litmus-size", "A litmus test is too large to be decided.", "take fewer threads, accesses or values")

# --- PTX10xx: targets and versions -----------------------------------------------------------------------------------
_code("PTX1001", "target", "The instruction does not exist on this target.")
_code("PTX1002", "version", "The instruction is newer than the .version of the module.")
_code("PTX1003", "target-name", "The module's .target is none that ptxlab knows.", "write e.g. `.target sm_90a`")
_code("PTX1004", "target-version", "The .version of the module is older than its .target.")
_code("PTX1005", "register-name", "The special register does not exist on this target or in this version.")
_code("PTX1006", "ptxas-release", "Some releases of ptxas take the instruction, this one does not.")
_code("PTX1007", "ptxas-version", "This release of ptxas does not read the module's .version.")
_code("PTX1008", "feature", "A declaration needs a newer PTX version or another target.")
_code("PTX1009", "cluster-guard", "ptxas does not make code of the instruction behind this guard.")

# --- PTX21xx: layouts: tensor maps, matrix descriptors, fragments, swizzles ------------------------------------------
_code("PTX2100", "tensor-map-rank", "A tensor map has 1 to 5 dimensions, and one value for each in every list.")
_code("PTX2101", "tensor-map-address", "The address of the tensor is not aligned as its map demands, or too high.")
_code("PTX2102", "tensor-map-stride", "A stride is not a multiple of 16 bytes (32 with interleave 32B).")
_code("PTX2103", "tensor-map-stride-range", "A stride must be less than 2^40 bytes.")
_code("PTX2104", "tensor-map-dim", "An extent of the tensor lies outside 1 to 2^32.")
_code("PTX2105", "tensor-map-box", "An extent of the box lies outside 1 to 256.")
_code("PTX2106", "tensor-map-inner-bytes", "The innermost extent of the box is not a multiple of 16 bytes.")
_code("PTX2107", "tensor-map-swizzle-span", "The innermost extent of the box is wider than the swizzle span.")
_code("PTX2108", "tensor-map-box-size", "The box holds more than 228 KiB.")
_code("PTX2109", "tensor-map-element-stride", "An element stride lies outside 1 to 8.")
_code("PTX2110", "tensor-map-fill", "Only floating-point tensors can be filled with NaN.", 'use oob_fill="zero"')
_code("PTX2111", "tensor-map-target", "The tensor map needs a newer architecture than sm_90.")
_code("PTX2112", "layout-word", "This word names no data type, swizzle or other mode of a layout.")
_code("PTX2113", "tensor-map-corner", "A corner of the im2col bounding box does not fit its field.")
_code("PTX2114", "tensor-map-im2col-box", "Channels or pixels of an im2col map are out of range.")
_code("PTX2115", "tensor-map-extent", "The im2col bounding box is empty.")
_code("PTX2116", "tensor-map-bytes", "These bytes are no tensor map.")
_code("PTX2117", "tensor-map-coordinates", "The coordinates do not fit the tensor map.")
_code("PTX2118", "tensor-map-mode", "This arithmetic is not known for tensor maps of this mode.")
_code("PTX2119", "tensor-map-array", "This array cannot be described by a tensor map.")
_code("PTX2120", "matrix-descriptor-field", "A value does not fit its field of the shared-memory matrix descriptor.")
_code("PTX2121", "matrix-tile", "No matrix descriptor can address a tile like this.")
_code("PTX2122", "fragment-shape", "The instruction has no fragment of this shape.")
_code("PTX2123", "layout-argument", "An argument of a layout helper is out of range.")
_code("PTX2124", "tensor-map-packed", "Packed elements of 4 and 6 bits come in groups, and not in every mode.")

# --- PTX02xx: rules of single forms ----------------------------------------------------------------------------------
_code("PTX0212", "cp-async-cg-size", "cp.async.cg copies 16 bytes at a time.")
_code("PTX0213", "cp-async-src-size", "cp.async reads no more than it copies.")
_code("PTX0214", "wait-count", "A wait for groups takes a number of groups.", severity="warning")
_code("PTX0220", "bulk-size", "A bulk copy moves a multiple of 16 bytes.")
_code("PTX0230", "wgmma-n", "wgmma has no such N.")
_code("PTX0231", "wgmma-operand-types", "wgmma does not mix these operand types.")
_code("PTX0240", "mbarrier-scope", "An mbarrier operation names its order and its scope together, or neither.")
_code("PTX0241", "mbarrier-count", "An mbarrier counts 1 to 2^20 - 1 arrivals.")
_code("PTX0250", "policy-fraction", "A cache policy applies to a fraction of the accesses, above 0 and at most 1.")
_code("PTX0233", "undocumented", "ptxas takes it, and the manual does not have it.", severity="warning")
_code("PTX0234", "moved-in-part", "ptxas takes only a part of the value.", severity="warning")
_code("PTX0251", "policy-range", "A cache policy gives its first priority to a part of a range.")
_code("PTX0232", "wgmma-accumulator", "wgmma has no such accumulator for this operand type.")

# --- PTX03xx: rules of the base forms ----------------------------------------------------------------------------------
_code("PTX0301", "truth-table", "The truth table of lop3 is a byte.")
_code("PTX0302", "order-of-bits", "Untyped bits are equal or not; they have no order.")
_code("PTX0303", "unsigned-order", "lo, ls, hi and hs compare unsigned numbers.")
_code("PTX0304", "ftz-without-f32", "Only f32 numbers are flushed by .ftz.")
_code("PTX0305", "integral-type", "Rounding to an integral value keeps the type.")
_code("PTX0306", "rounding-missing", "A conversion that loses bits names its rounding.")
_code("PTX0307", "rounding-exact", "A conversion that loses nothing takes no rounding.")
_code("PTX0308", "bf16-saturation", "bf16 numbers are not clamped by .sat.")
_code("PTX0309", "bf16-byte", "bf16 is not converted to or from 8-bit integers.")
_code("PTX0310", "access-width", "A thread moves at most 16 bytes at once, 32 in global memory from sm_100 on.")
_code("PTX0311", "cache-space", "Cache modifiers are for global memory.")
_code("PTX0312", "l2-eviction", "L2 eviction priorities go with accesses of 32 bytes.")
_code("PTX0313", "cache-modifiers", "An access names one cache operator or one eviction priority.")
_code("PTX0314", "cache-policy-cas", "Compare-and-swap takes no cache policy.")
_code("PTX0315", "saturation-idle", "A conversion that cannot overflow takes no .sat.")

# --- PTX035x, PTX036x: rules of the asynchronous and multi-GPU forms -----------------------------------------------------
_code("PTX0350", "bulk-size-range", "A bulk copy moves at most 1048560 bytes.")
_code("PTX0351", "tensor-dimensions", "This way to walk a tensor does not go with its number of dimensions.")
_code("PTX0352", "reduction-type", "The reduction does not exist for this type.")
_code(
    "PTX0353",
    "reduction-noftz",
    "Sums of f16 and bf16 numbers are marked .noftz, those of f32 may be, and nothing else is.",
)
_code("PTX0354", "tensor-map-field", "A field of a tensor map takes no such value.", severity="warning")
_code("PTX0356", "restricted-fence", "A restricted fence names the side of the barrier that its order is for.")
_code("PTX0357", "mmio-scope", "Memory-mapped input and output is ordered at system scope.")
_code("PTX0358", "bulk-store-size", "st.bulk fills a multiple of 8 bytes.")
_code("PTX0359", "multimem-scope", "A bulk or multimem access names its order and its scope together, or neither.")
_code("PTX0360", "multimem-vector", "A multimem access does not take this number of elements of this type.")
_code("PTX0361", "multimem-accumulator", "A multimem sum does not keep its accumulator in this type.")

# --- PTX20xx: launch geometry and directives --------------------------------------------------------------------------
_code(
    "PTX2001",
    "launch-extents",
    "An extent of the launch is no positive integer.",
    "write 1 to 3 positive integers, x first",
)
_code("PTX2002", "block-threads", "A CTA has at most 1024 threads.")
_code("PTX2003", "block-reqntid", "The block is not the one that .reqntid demands.")
_code("PTX2004", "block-maxntid", "The block has more threads than .maxntid allows.")
_code("PTX2005", "grid-range", "The grid is too large in one dimension.")
_code("PTX2006", "cluster-divides-grid", "The cluster does not divide the grid.")
_code("PTX2007", "cluster-size", "The cluster has too many CTAs.")
_code("PTX2008", "cluster-required", "The cluster is not the one that .reqnctapercluster demands.")
_code("PTX2009", "cluster-missing", "The kernel demands a cluster, and the launch names none.")
_code(
    "PTX2010", "shared-size", "The CTA needs more shared memory than there is.", "a CTA can have 227 KB (232448 bytes)"
)
_code("PTX2011", "cluster-target", "Clusters need sm_90 or newer.")
_code("PTX2012", "cooperative-size", "A cooperative grid must fit the device at once.")

# --- PTX22xx: the language ---------------------------------------------------------------------------------------------
_code("PTX2200", "kernel-signature", "A kernel's parameters do not say what they are.")
_code("PTX2201", "traced-value", "A register has no value while the kernel is traced.")
_code("PTX2202", "no-type", "This names no type of PTX.", "use px.f32, px.bf16, px.u32 …")
_code("PTX2203", "operand-name", "The instruction has no operand of this name.")
_code("PTX2204", "shared-memory", "A CTA has 227 KB of shared memory (232448 bytes).")
_code("PTX2205", "operator-type", "The operator is not defined for registers of this type.")
_code("PTX2206", "fixed-register", "A register that is set once at the kernel's entry must not be written.")
_code("PTX2207", "foreign-value", "A value of another kernel, or of another trace of this one, is used.")
_code("PTX2208", "control-flow", "A control-flow block does not stand where it can.")
_code("PTX2209", "constant", "A compile-time constant of the kernel is missing, unknown or unhashable.")
_code("PTX2210", "declaration", "A declaration cannot be what its arguments say.")
_code("PTX2211", "tile-map", "A tile and the tensor map that fills or drains it do not agree.")
_code("PTX2212", "uninitialized-barrier", "An mbarrier is declared but never initialised.",
      "call k.init_barriers() once, after the declarations, or k.mbarrier.init for each barrier")  # fmt: skip
_code("PTX2214", "tensor-map-rebind", "A tensor map cannot be changed so on the device.",
      "make a map on the host that has what no instruction changes, and pass it as like=")  # fmt: skip
_code("PTX2216", "tile-consumer", "A tile and the instruction that reads it do not agree.")
_code("PTX2217", "transaction-bytes", "An mbarrier expects other bytes than the copies bring.",
      "expect the sum of the tiles' nbytes, in front of the copies")  # fmt: skip
_code("PTX2218", "word-arguments", "A word of the language is called with arguments that it does not take.",
      "ptxlab explain, and help() in Python, show its parameters")  # fmt: skip
_code("PTX2221", "print-format", "Format and values of a print do not go together.",
      "give one value of the right kind for each conversion of printf")  # fmt: skip
_code("PTX2222", "block-not-entered", "A block of the language is not entered by `with`, or is entered again.",
      "write `with k.if_(…):` and indent what belongs to it")  # fmt: skip
_code("PTX2223", "loop-bounds", "A counted loop never runs, never ends, or counts what its type cannot hold.",
      "count up from start= to stop by a positive step=")  # fmt: skip
_code("PTX2224", "memory-as-number", "A place in memory stands where a number is wanted.",
      "load it first: x = k.ld.global_.f32(pointer[i]); k.st stores")  # fmt: skip
_code("PTX2225", "kernel-option", "A kernel is declared with options that it does not have, or cannot have.",
      "write @px.kernel(threads=128)")  # fmt: skip
_code("PTX2226", "kernel-body", "What a kernel function does in Python has no effect on the device.",
      "results are stored to memory; branches are `with` blocks; instructions are called")  # fmt: skip
_code("PTX2227", "constant-name", "A compile-time constant of a kernel has the name of an option of launches.",
      "give the constant another name")  # fmt: skip
_code("PTX2232", "matrix-registers", "Registers of a matrix, or a group of wgmma, are used as they cannot be.")
_code("PTX2215", "tensor-map-slot", "A tensor map that a kernel changes cannot lie or be used here.",
      "take an element of a px.Ptr[px.TensorMap] parameter")  # fmt: skip


_code("PTX2020", "directive-values", "A launch directive has values that it cannot have.")
_code("PTX2021", "directive-conflict", "Launch directives contradict each other.")
_code("PTX2022", "directive-alone", "A launch directive has no effect without another.", severity="warning")
_code(
    "PTX2023", "register-cap", "setmaxnreg is ignored in a kernel whose registers are not capped.", severity="warning"
)
_code(
    "PTX2024", "cluster-portable", "Not every GPU of the architecture can run so large a cluster.", severity="warning"
)
_code("PTX2026", "constant-size", "The .const variables of a module take more than 64 KB.")
_code("PTX2025", "directive-target", "The launch directive does not exist on this target or in this version.")

# --- PTX23xx: modules, arguments, arrays ------------------------------------------------------------------------------
_code("PTX2300", "no-such-entry", "The module has no kernel of this name.")
_code("PTX2301", "argument-count", "The number of arguments is not that of the parameters.")
_code("PTX2302", "argument-type", "The argument does not fit the parameter.")
_code("PTX2303", "mixed-devices", "The arrays of one launch lie on different devices.")
_code(
    "PTX2304",
    "no-gpu",
    "This machine has no GPU that can be used.",
    "give NumPy arrays to simulate; see `ptxlab doctor`",
)
_code("PTX2305", "argument-range", "The value does not fit the parameter's type.")
_code("PTX2306", "array-unreachable", "No kernel can reach this array.")
_code("PTX2307", "array-dtype", "The array's dtype is not the one that the kernel takes.")
_code("PTX2308", "array-rank", "The array's number of dimensions is not the one that the kernel takes.")
_code("PTX2309", "array-contiguous", "The array's elements do not lie side by side.")
_code("PTX2310", "array-alignment", "The array is not aligned as the kernel demands.")
_code("PTX2311", "device-word", "This is no device.", 'use device="auto", "sim" or "gpu"')
_code("PTX2312", "no-such-variable", "The module has no .global or .const variable of this name.")
_code("PTX2313", "parameter-block", "The parameters take more bytes than a launch can carry.")
_code("PTX2314", "stream", "This is no stream for the launch.")
_code("PTX2315", "kernel-arguments", "This kernel must know its arguments before it has a text.")
_code("PTX2316", "module-source", "This is no PTX module.")
_code("PTX2317", "tensor-map-use", "The tensor map is not of the kind that the kernel loads with.")
_code("PTX2321", "array-changed", "An array is not any more what a launch or a tensor map was made of.")
_code(
    "PTX2322",
    "no-kernel",
    "This is no kernel to launch.",
    'give px.load("file.ptx")["entry"], or a function under @px.kernel',
)
_code("PTX2324", "group-rows", "Offsets or counts of groups do not fit the matrices.")
_code("PTX2323", "no-memory", "An array or variable is larger than the memory that is left.")
_code("PTX2325", "copy", "These arrays cannot be copied one into the other.")
_code("PTX2326", "event", "The event was never recorded.")
_code("PTX2327", "never-run", "Launches were queued in a stream, and nobody has waited for them.", severity="warning")
_code("PTX2328", "device-count", "There are not so many devices.")
_code("PTX2329", "other-device", "A stream is one of another device than the launch.")
_code("PTX2330", "link-twice", "Two files define the same name.")
_code("PTX2331", "link-missing", "No file defines a name that one declares .extern.")
_code("PTX2332", "link-differs", "A declaration is not that of its definition.")
_code("PTX2333", "link-targets", "The files cannot be one module.")
_code("PTX2340", "triton-kernel", "This is no compiled Triton kernel to launch.")
_code("PTX2341", "triton-argument", "The argument is not what the Triton kernel was compiled for.")
_code("PTX2342", "reference-result", "A reference returns what cannot be compared with the launch's arrays.")
_code("PTX2343", "no-peer", "A device has no access to the memory of another one.")
_code("PTX2344", "multicast", "These arrays cannot lie behind one multicast address.")
_code("PTX2345", "collective", "These devices or arrays cannot take part in one collective operation.")
_code("PTX2346", "processes", "The processes of a group do not come together.")
_code("PTX2347", "graph", "This cannot be done with a graph, or while one is recorded.")
_code("PTX2350", "operator", "The function cannot be an operator.")
_code("PTX2351", "operator-arguments", "The operator does not take these arguments.")
_code("PTX2352", "operator-result", "An operator's function returns something else than it was declared to.")
_code("PTX2353", "operator-gradient", "The gradient of an operator is missing, or does not fit it.")
_code("PTX2318", "grouped-products", "These products cannot share a launch.")
_code("PTX2319", "convolution", "No im2col map expresses this convolution.")
_code("PTX2320", "tma-reduction", "TMA does not do this operation on numbers of this type.")

# --- PTX24xx: assembling, loading and running on a GPU ----------------------------------------------------------------
_code("PTX2400", "ptxas-missing", "There is no assembler.", "pip install nvidia-cuda-nvcc")
_code("PTX2401", "ptxas-error", "ptxas rejects this.")
_code("PTX2402", "ptxas-warning", "ptxas warns of this.", severity="warning")
_code(
    "PTX2403",
    "ptxas-crashed",
    "ptxas ended without a verdict.",
    "simulate the kernel, or try another version of nvidia-cuda-nvcc",
)
_code("PTX2404", "newer-than-ptxas", "The PTX is newer than the assembler at hand.")
_code("PTX2405", "ptxas-target", "The assembler does not know this target.")
_code("PTX2410", "setmaxnreg-ignored", "setmaxnreg has no effect in this kernel.", severity="warning")
_code("PTX2411", "wgmma-serialized", "The kernel's wgmma instructions run one after another.", severity="warning")
_code("PTX2412", "performance-loss", "ptxas expects a loss of performance.", severity="warning")
_code("PTX2416", "no-cubin", "This is no machine code of a kernel.")
_code("PTX2420", "cuda-error", "A call of the CUDA driver failed.", "`ptxlab doctor` says what this machine has")
_code(
    "PTX2421", "kernel-failed", "A kernel on the GPU failed.", "px.simulate the same launch: it names the instruction"
)
_code("PTX2422", "cuda-bindings-missing", "The CUDA bindings are not installed.", "pip install cuda-bindings cuda-core")
_code("PTX2423", "gpu-target", "The GPU cannot run code for this target.")
_code("PTX2424", "driver-too-old", "The PTX is newer than the CUDA driver.")
_code("PTX2425", "outside-capture", "A launch goes to another stream than the one that a CUDA graph captures.",
      "leave stream= out: the launch goes to the stream that is captured")  # fmt: skip

# --- PTX25xx: files and the command line ------------------------------------------------------------------------------
_code("PTX2500", "file", "The file cannot be read or written.")
_code("PTX2501", "option", "The value of an option is malformed.")
_code("PTX2502", "npy", "The file holds no array.", "write it with numpy.save")
_code("PTX2503", "overwrite", "The output would overwrite an input.", "choose another file name")
_code(
    "PTX2504", "too-large", "The file is larger than what ptxlab reads, or has no end.", "name the file that you mean"
)
_code(
    "PTX2505",
    "python-file",
    "A Python file cannot be imported, defines no kernel, or its kernel raises an exception.",
    "check a file that python can run by itself",
)
_code("PTX2510", "library-missing", "A measurement or a picture needs a library that is not installed.")
_code("PTX2511", "nothing-to-tune", "No tiling of a matrix product runs on this GPU.")
_code("PTX2512", "no-candidate", "None of the candidates of a tuned kernel runs.")
_code("PTX2513", "candidates-differ", "Candidates of a tuned kernel leave different results.")
_code("PTX2514", "tuning", "What a kernel is tuned over is not a choice among its constants.")
_code("PTX2515", "untuned", "A CUDA graph captures a kernel that was not tuned for these shapes.", severity="warning")

# --- PTX26xx: the server for agents --------------------------------------------------------------------------------------
_code("PTX2600", "mcp-missing", "The SDK of the Model Context Protocol is not installed.", "pip install 'ptxlab[mcp]'")
_code(
    "PTX2601", "request", "An argument of a request is wrong or missing.", "the tool's input schema has all arguments"
)
_code(
    "PTX2602",
    "request-schema",
    "A request is written for another version of the server's schema.",
    "leave the argument `schema` out, or upgrade ptxlab or the client",
)
_code(
    "PTX2603",
    "busy",
    "The server has as many requests as it takes.",
    "send the request again in a few seconds; `ptxlab mcp --workers N --queue N` takes more",
)
_code(
    "PTX2604",
    "time-limit",
    "A request took longer than the server allows.",
    "take a smaller grid or fewer turns, and look for an endless loop; `ptxlab mcp --time N --cpu N` allows more",
)
_code(
    "PTX2605",
    "memory-limit",
    "A request needs more memory than the server allows.",
    "take smaller arrays; `ptxlab mcp --memory MIB` allows more",
)
_code(
    "PTX2606",
    "worker-failed",
    "The process that worked on a request has failed.",
    "send smaller arrays, for memory may have run out; otherwise please report the request as a bug",
)
_code(
    "PTX2607",
    "answer-size",
    "An answer is larger than the server allows.",
    "ask for a summary of the outputs; `ptxlab mcp --answer KIB` allows more",
)
_code(
    "PTX2608",
    "python-refused",
    "The server does not execute Python of requests.",
    "send PTX, and `expected` in the place of a reference; `ptxlab mcp --python` allows Python",
)
_code("PTX2609", "stopping", "The server stops.", "send the request again when it has been started anew")


# --- PTX50xx: lints, across instructions -------------------------------------------------------------------------------
def _lint(code: str, slug: str, title: str) -> None:
    _code(code, slug, title, severity="lint")


_lint("PTX5001", "unreachable", "No way through the kernel leads to this code.")
_lint("PTX5002", "read-before-write", "A register is read, and nothing can have written it.")
_lint("PTX5010", "wgmma-unfenced", "A wgmma comes without a wgmma.fence before it.")
_lint("PTX5011", "wgmma-registers-unfenced", "A wgmma uses registers that were written since the last wgmma.fence.")
_lint("PTX5012", "uncommitted", "Asynchronous operations are started, but put into no group.")
_lint("PTX5013", "unwaited", "Nothing waits for a group of asynchronous operations.")
_lint("PTX5014", "wgmma-in-flight", "Registers of a wgmma are touched while it may still run.")
_lint("PTX5020", "aligned-diverged", "An instruction for whole warps is executed by some of their lanes.")
_lint("PTX5030", "mbarrier-without-init", "An mbarrier is used before anything initialises it.")
_lint("PTX5032", "mbarrier-bytes", "An mbarrier expects other bytes than the copies bring.")
_lint("PTX5033", "wait-unread", "The result of a wait at an mbarrier is not read: the phase need not be over.")
_lint("PTX5040", "map-unpublished", "A tensor map is changed, but nothing publishes the change.")
_lint("PTX5041", "map-unacquired-use", "A copy uses a tensor map that was changed, and nothing acquires the change.")
_lint("PTX5042", "map-acquire-scope", "An acquire of a tensor map cannot see who changed it.")
_lint("PTX5043", "map-in-shared", "A copy takes its tensor map from shared memory, where no copy can read one.")
_lint("PTX5050", "beside-parameter", "An access leaves its parameter.")
_lint(
    "PTX5060",
    "rebound-name",
    "A name of Python is bound anew in a block, which the device executes otherwise than Python.",
)
_lint("PTX5070", "grid-wait-of-some", "Some threads wait for the grids in front, and others read as if they had.")
_lint("PTX5071", "dependent-without-wait", "A programmatic dependent never waits for the grids in front.")
_lint("PTX5031", "mbarrier-without-wait", "Nothing ever waits on an mbarrier that operations arrive at.")

# --- PTX90xx: the simulated machine ------------------------------------------------------------------------------------
_code("PTX9001", "not-simulated", "The simulator does not know this instruction.")
_code("PTX9002", "out-of-bounds", "An access lies outside every array of the launch.",
      "compare the index with the extent; arrays that only pointers in memory reach go into buffers=")  # fmt: skip
_code("PTX9003", "function-missing", "A function or variable is used that no file defines.")
_code("PTX9004", "read-only", "A write to memory that the kernel may only read.", "give an array that can be written")
_code(
    "PTX9005",
    "too-long",
    "The launch ran longer than it was allowed to.",
    "raise max_instructions, or look for an endless loop",
)
_code(
    "PTX9006",
    "misaligned",
    "An address is not a multiple of the size of the access.",
    "align the address, or use a narrower access",
)
_code(
    "PTX9007",
    "shared-bounds",
    "An access passes the end of the CTA's shared memory.",
    "launch with more shared memory, or mend the index",
)
_code("PTX9008", "local-bounds", "An access passes the end of the thread's local memory.")
_code("PTX9009", "cluster-access", "A shared::cluster address names a CTA that the cluster does not have.")
_code("PTX9010", "trapped", "The kernel stopped itself.")
_code(
    "PTX9011",
    "warp-deadlock",
    "Lanes of a warp wait for lanes that never come.",
    "name only lanes that reach the instruction in its member mask",
)
_code("PTX9012", "barrier-operand", "A barrier of the CTA has a number or a count that it cannot have.")
_code("PTX9025", "mask-lacks-lane", "A lane executes with a member mask that lacks it.",
      "name every lane that comes: an H200 stops with an illegal instruction where lanes have parted")  # fmt: skip
_code("PTX9026", "vector-not-global", "An atomic on a vector has a generic address outside global memory.",
      "update the elements one by one: an H200 changes nothing there, and says nothing")  # fmt: skip
_code("PTX9024", "exited-cta", "Shared memory is used of a CTA of the cluster that has exited.",
      "keep the CTA until the others are done with it: a barrier of the cluster in front of its end")  # fmt: skip
_code("PTX9029", "stale-poll", "A poll reads what its SM's cache holds, and another SM has changed it.",
      "poll with .gpu scope: ld.acquire.gpu, ld.relaxed.gpu, or ld.volatile", severity="warning")  # fmt: skip
_code(
    "PTX9027", "multicast-address", "A multicast address and other addresses are not reached by the same instructions."
)
_code("PTX9028", "barrier-counts", "A barrier of the CTA is used with different counts, or reductions, at once.",
      "give the same count to all that meet at a barrier, or use another barrier")  # fmt: skip
_code("PTX9014", "other-cta", "A shared::cta address names a CTA that is not the executing one.")
_code(
    "PTX9015",
    "stack-overflow",
    "Calls nest deeper than a thread's local memory has room.",
    "look for a recursion that does not end",
)
_code(
    "PTX9016",
    "no-function",
    "A call through a register goes to no function.",
    "initialise the pointer with the address of a device function of the same module",
)
_code("PTX9018", "assertion", "An assert of the kernel does not hold.")
_code("PTX9019", "bad-free", "`free` gets what `malloc` did not give, or not any more.")
_code(
    "PTX9020",
    "heap-left",
    "Memory that a kernel allocated outlives its launch.",
    "free it, or let a later launch do so",
    severity="warning",
)
_code(
    "PTX9017",
    "call-mismatch",
    "A call passes other parameters than the function takes.",
    "make the call's .callprototype or arguments those of the function",
)
_code("PTX9023", "print-width", "printf is asked for a field wider than any text.",
      "compare the conversions of the format with the arguments")  # fmt: skip
_code("PTX9022", "branch-target", "An indexed branch goes to no label of its list.",
      "compare the index with the number of labels in .branchtargets")  # fmt: skip
_code("PTX9021", "memory", "The simulated launch needs more memory than this machine has.",
      "launch fewer threads a CTA, or give threads less local memory")  # fmt: skip
_code("PTX9030", "no-instruction", "A breakpoint names a place that has no instruction.",
      "name a line with an instruction, a label, or (file, line)")  # fmt: skip
_code("PTX9031", "no-such-register", "The kernel has no register of this name.")
_code("PTX9032", "launch-ended", "The launch that is debugged has come to its end.",
      "look at registers and memory while the launch is stopped, inside the with block")  # fmt: skip
_code("PTX9033", "no-such-memory", "The kernel has no variable or parameter of this name.")
_code("PTX9034", "not-resident", "This CTA or warp is not running now.",
      "clusters run one after the other: break in this one, d.break_at(…, cta=…)")  # fmt: skip
_code("PTX9040", "worker-ended", "A process that ran a part of the launch has ended before its time.",
      "run the launch again, with fewer workers where memory is short; the arrays are as they were")  # fmt: skip
_code("PTX9041", "dask", "Dask could not run a part of the launch.",
      "install the same ptxlab on all machines; the arrays are as they were")  # fmt: skip
_code("PTX9042", "replay-stuck", "The timing model does not come to the end of the launch: its warps wait for each other.",
      "simulate the launch: it says whether the kernel hangs; else the model is at fault, please report it")  # fmt: skip
_code("PTX9100", "deadlock", "Every thread waits, and nothing can end a wait.",
      "compare what each mbarrier expects, bytes and arrivals, with what comes")  # fmt: skip
_code("PTX9101", "hang", "The threads that still run ask over and over for what nobody will change.",
      "look who ought to change what is read there, and whether that one waits, too")  # fmt: skip

# --- PTX91xx: asynchronous units of the simulated machine -----------------------------------------------------------
_code("PTX9110", "mbarrier-uninitialized", "An operation names an mbarrier that nobody has initialised.")
_code("PTX9111", "mbarrier-live", "An mbarrier is initialised while it is in use.")
_code("PTX9112", "mbarrier-arrivals", "More arrivals reach an mbarrier than its phase lacks.")
_code("PTX9113", "mbarrier-bytes", "The byte count of an mbarrier overflows.")
_code("PTX9114", "mbarrier-count", "An mbarrier counts 1 to 2^20 - 1 arrivals.", "give a count from 1 to 1048575")
_code("PTX9115", "not-shared", "A generic address does not lie in shared memory.")
_code("PTX9116", "cluster-rank", "The cluster has no such CTA.")
_code("PTX9117", "mbarrier-no-complete", "An arrival promised not to complete its phase, but does.",
      "use the form without .noComplete", severity="warning")  # fmt: skip
_code("PTX9118", "mbarrier-excess", "A copy brings more bytes than the phase of its mbarrier lacks.",
      "expect as many bytes as the copies of the phase bring", severity="warning")  # fmt: skip
_code("PTX9119", "mbarrier-again", "An mbarrier is initialised again without mbarrier.inval.",
      "let one thread initialise it once; mbarrier.inval it before its memory is used again", severity="warning")  # fmt: skip
_code("PTX9120", "copy-size", "A bulk copy moves a multiple of 16 bytes.")
_code("PTX9121", "copy-alignment", "An address of an asynchronous copy is not aligned.")
_code("PTX9122", "copy-bounds", "An asynchronous operation passes the end of shared memory.")
_code("PTX9123", "copy-ctas", "A copy's destination and its mbarrier lie in different CTAs.")
_code("PTX9124", "tensor-map-place", "The tensor map does not lie where the hardware reads it.")
# PTX9125 was used before 0.3.0.
_code("PTX9126", "tensor-map-mode", "A copy in tile mode goes through an im2col map, or the other way round.")
_code("PTX9127", "reduction-type", "The map's element type is none that the reduction takes.")
_code("PTX9128", "copy-without-cluster", "A copy between CTAs needs a launch with clusters.")
_code("PTX9129", "copy-to-nobody", "A multicast copy names no CTA.",
      "set a bit of the mask for each CTA that gets a copy", severity="warning")  # fmt: skip
_code("PTX9130", "not-converged", "All lanes of the warp must execute this instruction together.",
      "branch for whole warps, or reconverge first: bar.warp.sync")  # fmt: skip
_code("PTX9131", "warpgroup", "The instruction needs all four warps of a warpgroup.")
_code("PTX9132", "not-uniform", "All threads that execute this instruction together must give the same value.")
_code(
    "PTX9133",
    "wgmma-registers",
    "Registers of a wgmma are used before a wait: ptxas adds one.",
    "wait first: wgmma.wait_group.sync.aligned 0",
    severity="warning",
)
_code("PTX9135", "unverified-form", "What this instruction does is not verified on hardware.", severity="warning")
_code("PTX9140", "cluster-barrier", "A thread uses the cluster's barrier out of turn.")
_code("PTX9150", "setmaxnreg", "setmaxnreg asks for what the register file cannot do.")
_code(
    "PTX9151",
    "registers-modeled",
    "Registers at entry are what ptxas is expected to give.",
    "install ptxas: pip install nvidia-cuda-nvcc; or add `.minnctapersm 1`",
    severity="warning",
)
_code("PTX9152", "registers-fewer", "setmaxnreg.inc names fewer registers than the warp has, and does nothing.",
      "use setmaxnreg.dec to give registers back", severity="warning")  # fmt: skip
_code("PTX9160", "map-unacquired", "A tensor map is used without acquiring its latest change.",
      "fence.proxy.tensormap::generic.acquire [map], 128 before the copy")  # fmt: skip
_code("PTX9161", "map-scope", "A fence for a tensor map does not reach the CTA that changed it, or that uses it.",
      "use .gpu where another cluster is concerned, .cluster within one")  # fmt: skip
_code("PTX9162", "map-unreleased", "A tensor map is used whose change has not been released.",
      "fence.proxy.tensormap::generic.release after the last tensormap.replace")  # fmt: skip
_code("PTX9163", "map-overwritten", "An ordinary store changed a tensor map that an SM goes on using as it was.",
      "release and acquire the map after the stores")  # fmt: skip
_code("PTX9164", "map-in-use", "A tensor map is changed while a copy through it is under way.",
      "wait for the copy before changing its map")  # fmt: skip
_code("PTX9165", "layout-mismatch", "A matrix descriptor reads a box with another swizzle than it was written with.",
      "give tensor map and descriptor the same swizzle")  # fmt: skip
_code("PTX9166", "tile-swizzle", "A tensor copy swizzles a tile otherwise than the kernel's threads do.",
      "declare the tile with the swizzle of the map", severity="warning")  # fmt: skip
_code("PTX9167", "coordinates-exchanged", "Boxes lie outside their tensor, and would not with two coordinates exchanged.",
      "give coordinates innermost first: (column, row) of an array of rows", severity="warning")  # fmt: skip
_code("PTX9168", "operand-twice", "Matrix descriptors take the same bytes for two lines of an operand, or for two steps along k.",
      "check stride and leading byte offset, and the bytes from one step along k to the next; in Python tile.descriptor() has them",
      severity="warning")  # fmt: skip

# --- PTX92xx: found by the sanitizer -----------------------------------------------------------------------------------
_code("PTX9200", "race", "Two threads access the same bytes, one of them writes, and nothing orders them.",
      "put what synchronizes them in between: bar.sync, a release and an acquire of one flag, an mbarrier")  # fmt: skip
_code("PTX9201", "race-scope", "Two threads synchronize, but with a scope that does not include both of them.",
      "take .cluster or .gpu for threads of different CTAs, on both sides")  # fmt: skip
_code("PTX9202", "race-weak-flag", "One side of a flag is a weak access.",
      "write the flag with st.release and read it with ld.acquire, or with .relaxed and fences")  # fmt: skip
_code("PTX9203", "race-atomic", "A plain access meets an atomic one, and nothing orders them.",
      "make both atomic, or put a barrier between them")  # fmt: skip
_code("PTX9204", "race-instruction", "Threads of one store write different values to the same bytes.",
      "let one thread write, or give each thread bytes of its own")  # fmt: skip
_code("PTX9210", "pending-write", "An asynchronous operation writes memory that is accessed, and neither waits for the other.",
      "wait for the operation first: its group, or the phase of its mbarrier")  # fmt: skip
_code("PTX9211", "pending-read", "An asynchronous operation reads memory that is written, and neither waits for the other.",
      "wait until the operation has read its source first: cp.async.bulk.wait_group.read, or wgmma.wait_group")  # fmt: skip
_code("PTX9213", "proxy-fence", "Two accesses come one after the other, but no fence joins their proxies.",
      "execute fence.proxy.async between the two: behind the first access, in its thread and before the barrier; or behind the "
      "barrier, in the thread that issues the operation (so where the first access is another CTA's). In Python: "
      "k.fence.proxy.async_.shared__cta()")  # fmt: skip
_code("PTX9214", "init-order", "An mbarrier is used by whom nothing orders behind its initialisation.",
      "follow mbarrier.init by fence.mbarrier_init.release.cluster and a barrier of the CTA or cluster")  # fmt: skip
_code("PTX9215", "async-async", "Two asynchronous operations access the same bytes, and nothing orders them.",
      "wait for the first before the second is issued")  # fmt: skip
_code("PTX9216", "map-order", "A copy reads a tensor map, and nothing orders it behind the change of the map.",
      "release the change, synchronize with who made it, then fence.proxy.tensormap::generic.acquire before the copy")  # fmt: skip
_code("PTX9218", "operand-array", "A matrix descriptor reads past the end of the array or box in which it begins.",
      "check the descriptor's address, leading and stride byte offsets against the array's size")  # fmt: skip
_code("PTX9221", "wgmma-fence", "A wgmma uses registers that were written after the warp's last wgmma.fence.",
      "execute wgmma.fence.sync.aligned between the last write of a register and the wgmma")  # fmt: skip
_code("PTX9222", "never-waited", "A thread ends without having waited for an asynchronous operation of its own.",
      "commit it and wait for its group before the thread exits; for a source in shared memory .read will do")  # fmt: skip
_code("PTX9223", "wait-count", "A wait for groups never waits for anything: it leaves as many groups pending as there are.",
      "let it leave fewer groups pending; 0 waits for all")  # fmt: skip
_code("PTX9230", "mbarrier-data", "An ordinary access reaches the bytes of a live mbarrier, or of one that may be.",
      "keep mbarriers apart from data; mbarrier.inval one before its memory is used otherwise")  # fmt: skip
_code("PTX9231", "phase-overrun", "A phase of an mbarrier can end before everybody has seen the end of the one before.",
      "turn the parity after each wait, and let nobody complete the next phase before all waits of this one are over")  # fmt: skip
_code("PTX9232", "mbarrier-ended", "An mbarrier is invalidated while others may still use it.",
      "put a barrier between the last use of the mbarrier and mbarrier.inval")  # fmt: skip
_code("PTX9233", "barrier-shared", "Different warps use one barrier number, and nothing orders their uses.",
      "give each group of warps a barrier number of its own, 0 to 15")  # fmt: skip
_code("PTX9234", "exit-order", "A CTA may exit while others still use its shared memory.",
      "end with barrier.cluster.arrive and barrier.cluster.wait in all threads of the cluster")  # fmt: skip
_code("PTX9235", "start-order", "Shared memory of a CTA is used that may not have started yet.",
      "begin with barrier.cluster.arrive and barrier.cluster.wait in all threads of the cluster")  # fmt: skip
_code("PTX9236", "bytes-unexpected", "Copies bring bytes to an mbarrier that nobody expects there.",
      "mbarrier.arrive.expect_tx in each CTA to which bytes come, as many as come")  # fmt: skip
_code("PTX9237", "setmaxnreg-part", "The warps of a warpgroup do not execute the same setmaxnreg instructions.",
      "let all four warps of the warpgroup execute it, with the same number")  # fmt: skip
_code("PTX9238", "arrival-count", "An mbarrier counts fewer arrivals than threads arrive in each phase.",
      "count all threads that arrive")  # fmt: skip
_code("PTX9240", "uninitialized-shared", "Shared memory is read that nobody has written.",
      "write it first, or copy into it; where the value does not matter, write zeros")  # fmt: skip
_code("PTX9241", "unwritten-register", "A result depends on a register that nobody has written.",
      "write the register first, on every way that leads to its use")  # fmt: skip
_code("PTX9242", "unwritten-local", "A result depends on local memory that nobody has written.",
      "write the variable first; where the value does not matter, write zeros")  # fmt: skip
_code("PTX9243", "unwritten-output", "A launch writes nothing to any array.",
      "look which threads ought to write the result, and under which condition", severity="warning")  # fmt: skip
_code("PTX9244", "outside-lane", "A result depends on a value that a shuffle takes from a lane without part in it.",
      "let the lanes that are read execute it, and name them in the mask; or do not use the value")  # fmt: skip
_code("PTX9250", "nc-load", "ld.global.nc reads data that the kernel writes.",
      "leave .nc out: it is for data that nobody writes while the kernel runs")  # fmt: skip
_code("PTX9252", "weak-poll", "A loop waits for other threads by a weak load, which the compiler may take out of the loop.",
      "poll with ld.acquire or ld.relaxed, with a scope that includes the writer")  # fmt: skip
_code("PTX9253", "lost-update", "An update by a load and a store may lose another thread's.", severity="warning",
      help="use one atomic operation: atom, or red where nobody needs the old value")  # fmt: skip
_code("PTX9260", "before-wait", "A grid that begins early accesses what a grid before it still uses, and has not waited for that.",
      "execute griddepcontrol.wait before that")  # fmt: skip
_code("PTX9261", "wait-alone", "A thread rests on the griddepcontrol.wait of another one, and nothing orders it behind that.",
      "put a barrier behind griddepcontrol.wait, or let all threads execute it")  # fmt: skip
_code("PTX9262", "stream-order", "Launches or copies of streams that no event orders access the same bytes.",
      "record an event behind the first, and let the other stream wait for it")  # fmt: skip
_code("PTX9263", "broken-chain", "A grid uses what one has stored that is behind a grid which never waits.", severity="warning",
      help="execute griddepcontrol.wait in each grid of the chain, at its end where nothing there needs it")  # fmt: skip
_code("PTX9270", "schedule-dependent", "Results differ from schedule to schedule.",
      "find what is not ordered, and order it")  # fmt: skip
_code("PTX9271", "outcome-dependent", "A launch ends under one schedule, and is stopped under another.",
      "find what is not ordered, and order it")  # fmt: skip
_code("PTX9272", "unwritten-dependent", "Results depend on memory that nobody has written.",
      "write what is read first; out-of-range threads may not read, either")  # fmt: skip
_code("PTX9273", "reference", "A launch leaves other results than a reference.",
      "look at who wrote the element, and from what; other findings of the same runs may be the cause")  # fmt: skip
_code("PTX9274", "input-changed", "A candidate's host code changes an array that it may only read.",
      "write to the outputs alone; an array that is updated is px.Input(…, updated=True)")  # fmt: skip
_code("PTX9275", "not-computed", "A result does not come from the inputs by the launches that are judged.",
      "compute it from the inputs, in launches, at each call")  # fmt: skip
_code("PTX9276", "undecided", "A reference does not say what is right.",
      "write it with functions of NumPy whose rounding is known, or give px.Spec rtol= and atol=")  # fmt: skip
_code("PTX9277", "raised", "A candidate ends with an exception of Python.",
      "look where it is raised, e.g. by calling the candidate without px.verify")  # fmt: skip
_code("PTX9278", "unfinished", "The time of a judge ends before its runs.",
      "give px.verify more seconds=, fewer runs=, or px.Spec smaller sizes")  # fmt: skip
_code("PTX9279", "not-algebraic", "A kernel or its reference does what arithmetic modulo primes has no words for.",
      "judge it with px.Spec(algebraic=False), by numbers and their error bounds")  # fmt: skip
_code("PTX9280", "unused-suppression", "A finding is suppressed, and nothing of the kind is found.",
      "take the suppression out, unless other launches of the kernel need it", severity="warning")  # fmt: skip
_code("PTX9281", "suppression", "A suppression names no code of a finding, or does not say why.",
      "write e.g. `ptxlab: ignore[PTX9200]: both write the same value`", severity="warning")  # fmt: skip
_code("PTX9301", "free-order", "Two strong accesses come in any order, and it matters which comes first.",
      "order the two, or run the launch under many schedules: px.explore", severity="note")  # fmt: skip
_code("PTX9302", "schedule-decides", "A value that depends on the schedule decides what is executed, where, or what is stored.",
      "wait in a loop that does nothing else, or take the value out of what it decides", severity="note")  # fmt: skip
_code("PTX9304", "wrong-order", "A launch races, hangs or leaves other bits in another order of its strong accesses.",
      "order what depends on that; px.simulate(…, replay=…) runs it in the order of the note", severity="note")  # fmt: skip
_code("PTX9305", "many-orders", "Strong accesses have more orders than were tried.",
      "make the launch smaller, or give orders= a larger number", severity="note")  # fmt: skip
_code("PTX9306", "older-value", "An access may come before another one by the memory model, and in no order of the launch does.",
      "release and acquire where threads hand on what they know: relaxed accesses to two words order nothing",
      severity="note")  # fmt: skip
_code("PTX9401", "redundant", "Synchronization that orders nothing in a launch which something else does not order.",
      "look whether another launch of the kernel needs it, and leave it out otherwise", severity="note")  # fmt: skip
_code("PTX9303", "not-followed", "Something is not followed that may depend on the schedule.",
      "make the launch smaller, or leave it out", severity="note")  # fmt: skip
