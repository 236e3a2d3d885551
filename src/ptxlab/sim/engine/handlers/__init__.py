"""Handlers of no family: control flow, calls, and prologues of those who observe a launch.

| module | holds |
|---|---|
| control | branches, exits, fences, traps, records that the decoder adds |
| calls | calls of functions, and their frames |
| notify | prologues of the sanitizer; those of cp.async and wgmma stand with their families |
| counting | prologues of statistics |
| effects | prologues of the watch for launches that never end |
| stops | prologues of the debugger |
| notes | notes for the sanitizer of what warps have waited for |
"""
