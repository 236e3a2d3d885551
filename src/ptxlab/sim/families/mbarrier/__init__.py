"""mbarriers.

| module | holds |
|---|---|
| meaning | init, arrive, expect_tx, test_wait, try_wait in machine code |
| unit | the barriers of all CTAs: phases, counts, who waits |
| declared | their names in the kernel |
| order | what arrivals and completions order |
| order_peeks | whether a question ahead of time asks for the phase that is waited for later |
| order_phases | PTX9231, PTX9232, PTX9236: phases that run over, barriers that end while in use, bytes that nobody expects |
| order_counts | PTX9238: barriers that count fewer arrivals than threads arrive |
| filter | native filter: what warps learn of each other at mbarriers |
| hang | rules why a phase does not end |
| hang_wait | waits for a phase: what it lacks, who could end it |
| hang_history | what has happened at each mbarrier, recorded in a second run, and in words |
| hang_rings | stages of a ring that are left out |
| debug | what the debugger shows |
"""
