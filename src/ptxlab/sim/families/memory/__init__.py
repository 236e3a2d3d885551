"""Loads and stores of registers.

| module | holds |
|---|---|
| meaning | ld and st |
| unit_caches | first-level caches of the SMs, as polls see them |
"""
