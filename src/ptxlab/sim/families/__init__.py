"""Families of instructions, a folder for each: everything about it stands there.

| file | holds |
|---|---|
| meaning*.py | what the instructions mean in machine code |
| unit*.py | the unit, and meanings in Python |
| order*.py | what they order, and findings of the sanitizer that are about this family |
| filter*.py | the same for the sanitizer's native filter (order/native) |
| hang*.py | why a wait for it hangs |

Other names are parts of a unit. The engine, the rules of order and the diagnoses import no family; four modules here say who
registers what with them: `meanings` and `units` for the engine, `order` for the sanitizer, `diagnose` for hangs and the debugger.
"""
