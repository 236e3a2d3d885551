"""What the asynchronous units of all families are made of.

| module | holds |
|---|---|
| events | operations in time: the policy that places their reads, writes and completions |
| operands, place | operands as integers; places in shared memory |
| touches | the bytes that an operation reads and writes, as footprints |
| groups | operations in groups: who has waited for which, and when they end on the timeline |
| handover | what native code knows of a CTA that ran alone, as units know it |
| trace | the timeline |
| unverified | forms that no chip was asked about |
"""
