"""A copy through shared memory: the smallest kernel that waits for something. Runs in the simulator."""

import numpy as np

import ptxlab as px


@px.kernel(target="sm_90a", threads=128)
def copy(k, src: px.Ptr[px.b32], dst: px.Ptr[px.b32]):
    buf = k.smem(px.b32, 512, align=16)
    off = k.tid.x * 16  # bytes
    k.cp.async_.cg.shared.global_(buf.at(off), src.at(off), 16)
    k.cp.async_.commit_group()
    k.cp.async_.wait_group(0)
    v = k.ld.shared.v4.b32(buf.at(off))  # each thread reads what it copied: no barrier
    k.st.global_.v4.b32(dst.at(off), v)


if __name__ == "__main__":
    a, b = np.arange(512, dtype=np.uint32), np.zeros(512, np.uint32)
    copy[1](a, b)
    print("equal" if (a == b).all() else "different")
