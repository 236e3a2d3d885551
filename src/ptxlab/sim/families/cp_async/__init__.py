"""cp.async and its groups.

| module | holds |
|---|---|
| meaning | copies, groups and arrivals in machine code, and prologues of the sanitizer |
| unit | the same where somebody observes, or the CTA is not alone |
| order | PTX9223: waits for groups that never wait for anything |
| filter | native filter: the copies of a warp |
"""
