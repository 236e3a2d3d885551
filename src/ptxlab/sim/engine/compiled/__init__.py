"""How a meaning becomes machine code: LLVM text, the native state, the runtime, and the cache of object code."""
