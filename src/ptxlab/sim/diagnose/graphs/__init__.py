"""Happens-before graphs of findings: what threads and asynchronous operations did, and what ordered it.

With `graphs=True` a launch is sanitized by a `Recorded` sanitizer (recorder.py), to which all instructions are told that access
memory or order accesses. It keeps them as events (events.py): who did what, whom it may order, and what each thread knew before
it. When the launch has ended, each finding gets its graph (graph.py): its two accesses, the events between them, and the edges.
"""
