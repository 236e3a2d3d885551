"""Observers beside the sanitizer: each finds one kind of mistake, and asks the sanitizer what it knows.

`companion` has what they share, `all` the list of them. `unwritten` runs a launch again with other values in what nobody wrote.
"""
