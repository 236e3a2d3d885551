"""What is said of a launch beside its results.

| folder | holds |
|---|---|
| observe | those who observe a launch: statistics, the watch for launches that never end, stops |
| hangs | launches that hang: the wait graph and its likely causes |
| graphs | happens-before graphs of findings |
| debug | the debugger |

How a wait for an mbarrier hangs stands with the family (families/mbarrier/hang*.py).
"""
