"""The engine: how a program becomes records and machine code, and the machine that runs them.

| folder | holds |
|---|---|
| compiled | how a meaning becomes machine code: LLVM text, the native state, the runtime, the cache of object code |
| handlers | handlers of no family: branches, calls, exits, and the prologues of those who observe a launch |
| decoded | how a program becomes records |
| machine | memories, CTAs and clusters, schedules, traps, faults |
| units | what the asynchronous units of all families are made of: operations in time, operands, places, groups, timelines |

Families of instructions (sim/families) register what they mean and the units that they need; the engine imports none of them.
"""
