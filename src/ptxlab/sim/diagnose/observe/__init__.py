"""Those who observe a launch: statistics, the watch for launches that never end, stops of a debugger.

To add one: a subclass of `Observer` (engine/machine/observer.py) that overrides the hooks it needs. If it puts prologues in front
of instructions, it also has a place in `Layer` (engine/compiled/layers.py), handlers in engine/handlers that end in `go_on`, and
puts them with `machine.overlay.put`. `launch.machine_of` makes machines with those who observe every launch. Any two work together:
tests/unit/sim/diagnose/observe/test_together.py holds them to that.

Timelines are kept by a unit (engine/units/trace.py): they follow operations, not instructions. Barriers of a CTA run in machine
code, so an observer brings waits for them (families/barriers/timeline.py).
"""
