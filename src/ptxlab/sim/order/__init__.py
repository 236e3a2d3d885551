"""The sanitizer: it follows what orders the accesses of a launch, and finds those that nothing orders.

| module | holds |
|---|---|
| clocks | what has happened before: of each thread up to which time, and which asynchronous operations |
| knowledge | what each thread knows, and how fences, barriers and flags hand that on |
| shadow | who accessed each byte last |
| places | which bytes an instruction or an operation touches |
| eyes | who looks at what others have done: a thread, or an asynchronous operation, with what it knows |
| checks | two accesses to the same bytes: whether something orders them, and if not, what is missing |
| polls | accesses that repeat themselves while nothing changes |
| findings | that in words, and as data |
| sites | which instructions machine code may look at first |
| native | the code that does so, and the memory that it shares with Python |
| companions | observers beside the sanitizer, one for each kind of mistake that two accesses do not show |
| accesses, operations | what instructions and asynchronous operations do to all that |
| beside, done | for launches that overlap: what comes before griddepcontrol.wait, and what a launch has done to memory by its end |
| board | what such launches hand on to each other through flags |
| notes | what native code has noted, taken when Python has to judge |
| by_place | values by memory and byte |
| parts | what families bring: barriers, mbarriers, copies, products, companions |
| sanitizer | the observer that is told of everything and asks the others |

What barriers, mbarriers and other families do to it stands in sim/families (order*.py, filter*.py there).

It keeps to the memory model (docs/explanation/memory-model.md):
tests/sanitizer/ compares its verdicts with those of `ptxlab.memory_model`.
Order is a matter of what synchronizes, not of when things happen to run: a race is found under every schedule.
"""
