// Many small kernels: what a CUDA program may compile to. Each is only parsed, checked and printed.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

__constant__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__constant__ double wide[2] = {0.5, -1e300};
__device__ int counter;
__device__ int *pointer = &counter;
__device__ short small[3][2] = {{1, -2}, {3, 4}, {5, 6}};

__noinline__ __device__ float helper(float x, int n) { return n > 3 ? x * n : sqrtf(x); }

extern "C" __global__ void printing(int n)
{
    if (n == static_cast<int>(threadIdx.x))
        printf("thread %d\n", n);
}

extern "C" __global__ void pieces(float *a, const float *__restrict__ b, int n, half2 h)
{
    __shared__ float s[128];
    extern __shared__ char dynamic[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? b[i] * table[i & 3] : 0.0f;
    __syncthreads();
    if (i < n) {
        a[i] = s[threadIdx.x ^ 1] + static_cast<float>(dynamic[i]) + __half2float(h.x) + sinf(b[i]) / b[i + 1];
        atomicAdd(&counter, 1);
        *pointer += i / n + small[i % 3][i & 1];
    }
    a[i] += helper(b[i], n) + static_cast<float>(wide[i & 1]);
}

extern "C" __global__ void integers(long long *a, const unsigned *b, int n)
{
    const int i = threadIdx.x;
    long long x = a[i];
    unsigned y = b[i];
    x = x / (n + 7) + x % 13 + __mul64hi(x, n) + __popcll(x) + __clzll(x) + __ffsll(x);
    y = __brev(y) ^ __byte_perm(y, n, 0x5410) ^ __funnelshift_l(y, n, 5) ^ __umulhi(y, n);
    y += __dp4a(static_cast<int>(y), n, 3);
    y += min(max(n, 3), 77) + abs(n) + (y << (n & 31)) + (y >> 3);
    a[i] = x + y + static_cast<char>(y) + static_cast<short>(n);
}

extern "C" __global__ void floats(double *a, float *f, half *h, __nv_bfloat16 *q, __nv_fp8_e4m3 *e)
{
    const int i = threadIdx.x;
    a[i] = exp(a[i]) / sqrt(a[i]) + fma(a[i], 2.0, 1.0) + __ddiv_rz(a[i], 3.0) + floor(a[i]);
    f[i] = expf(f[i]) + __sinf(f[i]) + rsqrtf(f[i]) + truncf(f[i]) + fminf(f[i], 1.0f) + copysignf(f[i], 2.0f) +
           static_cast<float>(__float2int_rn(f[i])) + static_cast<float>(a[i]);
    h[i] = __hfma(h[i], h[i], __float2half(f[i])) + hexp2(h[i]);
    q[i] = __hadd(q[i], __float2bfloat16(f[i])) * q[i];
    const half2 pair = __hmul2(__floats2half2_rn(f[i], 1.0f), __halves2half2(h[i], h[i]));
    h[i + 1] = __low2half(pair) > __high2half(pair) ? __low2half(pair) : __hmax(h[i], h[0]);
    e[i] = __nv_fp8_e4m3(f[i]);
    f[i] += isnan(f[i]) ? 0.0f : static_cast<float>(e[i + 1]);
}

extern "C" __global__ void warps(int *a, unsigned long long *b, float *f)
{
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int v = cg::reduce(warp, a[threadIdx.x], cg::plus<int>());
    v += __shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 2) + __shfl_sync(~0u, v, 3, 16);
    v += __ballot_sync(~0u, v > 3) + __any_sync(~0u, v) + __all_sync(~0u, v) + __match_any_sync(~0u, v) + __activemask();
    v += __reduce_add_sync(~0u, v) + __syncthreads_count(v) + __syncthreads_or(v);
    atomicMax(a + 1, v);
    atomicCAS(b, 1ull, 2ull);
    atomicExch(f, 1.0f);
    atomicAdd(f + 1, 2.0f);
    atomicInc(reinterpret_cast<unsigned *>(a + 2), 7u);
    __threadfence();
    __nanosleep(20);
    a[threadIdx.x] = v + static_cast<int>(clock64());
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int *a)
{
    __shared__ int s;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        s = cluster.block_rank();
    cluster.sync();
    a[blockIdx.x] = *cluster.map_shared_rank(&s, cluster.block_rank() ^ 1);
    cluster.sync();
}

extern "C" __global__ void inline_scopes(float *c, const uint32_t *a)
{
    uint32_t r;
    asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tsetp.ne.u32 p, %1, 0;\n\t@p add.u32 t, %1, 1;\n\tselp.u32 %0, t, 0, p;\n\t}" : "=r"(r) : "r"(a[threadIdx.x]));
    c[threadIdx.x] = r;
}

extern "C" __global__ void choices(int *a, int n)
{
    int local[16];
    for (int i = 0; i < 16; ++i)
        local[i] = a[i] * n;
    switch (n) {
    case 0: a[0] = 3; break;
    case 1: a[1] = local[n & 15]; break;
    case 2: a[5] = 9; break;
    case 3: a[4] = local[a[9] & 15]; break;
    case 4: a[3] = n * 77; break;
    case 5: a[n] = 8; break;
    case 6: a[7] = local[a[3] & 15]; break;
    default: a[2] = n; __trap();
    }
}

extern "C" __global__ void calls(float (*f)(float), float *a) { a[0] = f(a[1]); }
