"""Four rows are reversed, one after the other, through the same shared memory."""

import ptxlab as px


@px.kernel(threads=128)
def reverse(k, x: px.Ptr[px.u32]):
    row = k.smem(px.u32, 128)
    for number in range(4):
        at = k.tid.x + number * 128
        k.st.shared.u32(row[k.tid.x], k.ld.global_.u32(x[at]))
        k.bar.sync(0)
        k.st.global_.u32(x[at], k.ld.shared.u32(row[127 - k.tid.x]))


def reference(x):
    x[:] = x[:, ::-1]
