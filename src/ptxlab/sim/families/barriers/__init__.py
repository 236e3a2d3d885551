"""Barriers of a CTA.

| module | holds |
|---|---|
| order | what barriers of a CTA, of a warp and of a cluster hand on |
| order_numbers | PTX9233: a number that different warps use |
| timeline | waits at barriers on the timeline |
"""
