"""A kernel that waits for bytes which never come. On a GPU it hangs; the simulator says who waits for what."""

import numpy as np

import ptxlab as px


@px.kernel(target="sm_90a", threads=128)
def copy(k, src: px.Ptr[px.b32], dst: px.Ptr[px.b32], nbytes: px.u32):
    buf = k.smem(px.b32, 512, align=16)
    full = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(nbytes)  # the copy below brings 2048
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, src, 2048, full)
    full.wait(0)
    v = k.ld.shared.v4.b32(buf.at(k.tid.x * 16))
    k.st.global_.v4.b32(dst.at(k.tid.x * 16), v)


if __name__ == "__main__":
    a, b = np.arange(512, dtype=np.uint32), np.zeros(512, np.uint32)
    try:
        copy[1](a, b, np.uint32(4096))
    except px.Diagnostic as stuck:
        print(stuck)
