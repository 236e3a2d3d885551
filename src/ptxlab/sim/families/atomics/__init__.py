"""Atomic operations and reductions of threads.

| module | holds |
|---|---|
| meaning | atom and red: lane by lane, the lowest first |
"""
