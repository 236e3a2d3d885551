"""Launches that hang, explained: who waits for whom, what is missing, and the likely cause.

A launch records nothing for this. When it has ended in a deadlock, it is run again on copies of its arrays, and its mbarriers
are listened to (families/mbarrier/hang_history.py); from that and from the machine as it stands comes the wait graph (graph.py),
and from the graph the likely cause (causes.py). Kinds of waits (waits.py), and most rules, come from families.
"""
