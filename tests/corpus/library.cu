// What the C++ library makes of asynchronous copies and clusters.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Reverses every row of 256 numbers; a CTA of 256 threads takes rows blockIdx.x, blockIdx.x + gridDim.x, …
extern "C" __global__ void reverse(const int *in, int *out, int rows)
{
    __shared__ alignas(16) int row[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier ready;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int i = blockIdx.x; i < rows; i += gridDim.x) {
        if (threadIdx.x == 0)
            cuda::memcpy_async(row, in + i * 256, cuda::aligned_size_t<16>(sizeof(row)), ready);
        ready.arrive_and_wait();
        out[i * 256 + threadIdx.x] = row[255 - threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared); // the next copy comes behind these reads
        __syncthreads();
    }
}

// Counts numbers from 0 to 127: each CTA of a cluster of two holds half of the bins.
extern "C" __global__ void __cluster_dims__(2, 1, 1) histogram(const int *in, int *bins, int n)
{
    __shared__ int own[64];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        own[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(own, in[i] / 64) + in[i] % 64, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(bins + cluster.block_rank() * 64 + i, own[i]);
}
