"""Accesses to multicast addresses, behind each of which lie arrays in the memories of several devices.

| module | holds |
|---|---|
| replicas | from an address to the arrays behind it |
| unit | multimem.ld_reduce, multimem.st and multimem.red |

Bulk copies to multicast addresses are with the other bulk copies.
"""
