"""Clusters: their barrier, and each other's shared memory.

| module | holds |
|---|---|
| meaning | mapa, getctarank |
| unit | barrier.cluster, and the barriers of all clusters |
| unit_remote | st.async and red.async |
| hang | waits at the barrier of a cluster that not all come to |
| order | PTX9234, PTX9235: shared memory of a CTA that may have exited, or not have started |
| filter | native filter: what warps learn at the barrier of the cluster, and whether CTAs may exit |
"""
