"""Barriers of a CTA.

| module | holds |
|---|---|
| meaning | bar.sync, bar.arrive, bar.red in machine code |
| order | what barriers of a CTA, of a warp and of a cluster hand on |
| order_numbers | PTX9233: a number that different warps use |
| timeline | waits at barriers on the timeline |
| hang | waits at barriers that not all come to, and why |
"""
