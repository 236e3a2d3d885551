"""Handlers of no family: control flow, calls, and prologues of those who observe a launch.

| module | holds |
|---|---|
| control | branches, exits, barriers of a CTA, traps, records that the decoder adds |
| calls | calls of functions, and their frames |
| told | prologues of the sanitizer |
| counting | prologues of statistics |
| effects | prologues of the watch for launches that never end |
| stops | prologues of the debugger |
| notes | notes for the sanitizer of what warps have waited for |
"""
