"""A row goes to global memory by a bulk copy. The stores before it and the copy use different proxies."""

import ptxlab as px


@px.kernel(threads=32)
def store(k, out: px.Ptr[px.u32]):
    row = k.smem(px.u32, 32, align=16)
    k.st.shared.u32(row[k.tid.x], k.tid.x)
    k.bar.warp.sync(0xFFFFFFFF)
    with k.if_(k.tid.x == 0):
        k.cp.async_.bulk.global_.shared__cta.bulk_group(out, row, 128)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group.read(0)


def reference(out):
    out[:] = range(32)
