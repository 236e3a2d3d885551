"""Barriers of a CTA.

| module | holds |
|---|---|
| meaning | bar.sync, bar.arrive, bar.red in machine code |
| order | what barriers of a CTA, of a warp and of a cluster order; PTX9233: a number that different warps use |
| timeline | waits at barriers on the timeline |
| hang | waits at barriers that not all threads reach, and why |
"""
