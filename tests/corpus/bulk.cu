// Doubles a vector of float32 by 1-D bulk copies: a chunk of 1024 comes in on an mbarrier, goes out as a bulk group.
// One CTA of 128 threads takes chunks blockIdx.x, blockIdx.x + gridDim.x, …, so the mbarrier goes through several phases.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void __launch_bounds__(128) twice(const float *in, float *out, int chunks)
{
    constexpr int size = 1024;
    __shared__ alignas(16) float buffer[size];
    __shared__ uint64_t bar;
    uint32_t parity = 0;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, in + chunk * size, sizeof(buffer), &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(buffer));
        } else {
            ptx::mbarrier_arrive(&bar);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        for (int i = threadIdx.x; i < size; i += blockDim.x)
            buffer[i] *= 2.0f;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + chunk * size, buffer, sizeof(buffer));
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); // the buffer is gone when the CTA is
}
