"""A hundred and twenty-eight threads write a row, and wait for each other at an mbarrier."""

import ptxlab as px


@px.kernel(threads=128)
def reverse(k, x: px.Ptr[px.u32]):
    row = k.smem(px.u32, 128)
    written = k.mbarrier(129, name="written")
    k.init_barriers()
    k.st.shared.u32(row[k.tid.x], k.ld.global_.u32(x[k.tid.x]))
    written.arrive()
    written.wait(0)
    k.st.global_.u32(x[k.tid.x], k.ld.shared.u32(row[127 - k.tid.x]))


def reference(x):
    x[:] = x[::-1]
