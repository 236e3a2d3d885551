// Kernels as CUDA C++ has them, launched by tests and compared with NumPy.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <math_constants.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/complex>

namespace cg = cooperative_groups;

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fmaf(a, x[i], y[i]);
}

// One sum for each block, through shuffles and shared memory.
extern "C" __global__ void block_sums(const int* x, long long* sums, int n) {
  __shared__ long long part[32];
  long long total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) total += x[i];
  for (int step = 16; step; step /= 2) total += __shfl_down_sync(~0u, total, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) total += part[w];
    sums[blockIdx.x] = total;
  }
}

template <int TILE>
__device__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int at = 0; at < k; at += TILE) {
    left[threadIdx.y][threadIdx.x] = row < m && at + threadIdx.x < k ? a[row * k + at + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = at + threadIdx.y < k && col < n ? b[(at + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  tiled<16>(a, b, c, m, n, k);
}

extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (mine[i]) atomicAdd(&bins[i], mine[i]);
}

// A scan of each block by Hillis and Steele, in dynamic shared memory.
extern "C" __global__ void scan(const int* x, int* out) {
  extern __shared__ int buffers[];
  int *from = buffers, *to = buffers + blockDim.x, i = threadIdx.x;
  from[i] = x[blockIdx.x * blockDim.x + i];
  for (int step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    to[i] = from[i] + (i >= step ? from[i - step] : 0);
    int* other = from;
    from = to;
    to = other;
  }
  out[blockIdx.x * blockDim.x + i] = from[i];
}

// Cooperative groups: tiles of a warp, those whose predicate holds, a reduction, a scan.
extern "C" __global__ void groups(const int* x, int* sums, int* ranks, int* before) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = block.thread_rank(), v = x[i];
  sums[i] = cg::reduce(tile, v, cg::plus<int>());
  before[i] = cg::exclusive_scan(tile, v, cg::plus<int>());
  ranks[i] = -1;
  if (v & 1) {
    auto odd = cg::coalesced_threads();
    ranks[i] = odd.thread_rank() * 100 + odd.size();
  }
}

// Half precision in pairs, and bfloat16 back to single.
extern "C" __global__ void halves(const __half2* x, const __nv_bfloat16* w, __half2* out, float* wide, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __hfma2(x[i], x[i], __float2half2_rn(0.5f));
  wide[i] = __bfloat162float(w[i]) * 2 + __half2float(__low2half(__hmax2(x[i], __float2half2_rn(0))));
}

// Copies in the background, two stages deep.
extern "C" __global__ void pipelined(const float4* x, float4* out, int steps) {
  __shared__ float4 stage[2][64];
  int i = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][i], &x[i], 16);
  __pipeline_commit();
  for (int s = 0; s < steps; s++) {
    if (s + 1 < steps) __pipeline_memcpy_async(&stage[(s + 1) & 1][i], &x[(s + 1) * 64 + i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = stage[s & 1][63 - i];
    out[s * 64 + i] = make_float4(v.w, v.z, v.y, v.x);
    __syncthreads();
  }
}

// Producer and consumers by mbarriers of the C++ library.
extern "C" __global__ void relay(const int* x, int* out, int steps) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier ready, done;
  __shared__ int box[96];
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    init(&done, blockDim.x);
  }
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    if (threadIdx.x < 32)
      for (int i = threadIdx.x; i < 96; i += 32) box[i] = x[s * 96 + i];
    ready.arrive_and_wait();
    if (threadIdx.x >= 32) out[s * 96 + threadIdx.x - 32] = 3 * box[127 - threadIdx.x];
    done.arrive_and_wait();
  }
}

// The last block to arrive adds up what the others left: fences and atomics at the scope of the device.
extern "C" __global__ void last_block(const float* x, float* parts, unsigned* count, float* total) {
  __shared__ bool last;
  atomicAdd(&parts[blockIdx.x], x[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*count);
    __threadfence();
    last = arrived.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += *(volatile float*)&parts[b];
    *total = sum;
  }
}

// Points that stay: complex numbers in double precision, a loop of different length for each thread.
extern "C" __global__ void mandelbrot(int* steps, int width, int height) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  cuda::std::complex<double> c(-2 + 3.0 * px / width, -1.5 + 3.0 * py / height), z(0, 0);
  int n = 0;
  while (n < 50 && z.real() * z.real() + z.imag() * z.imag() < 4) {
    z = cuda::std::complex<double>(z.real() * z.real() - z.imag() * z.imag(), 2 * z.real() * z.imag()) + c;
    n++;
  }
  steps[py * width + px] = n;
}

__constant__ float taps[5];
__device__ int visits;

extern "C" __global__ void convolve(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < 5; t++) {
    int at = i + t - 2;
    if (at >= 0 && at < n) sum += taps[t] * x[at];
  }
  y[i] = sum;
  atomicAdd(&visits, 1);
}

// Sums over a cluster, through the shared memory of its other CTAs.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_sums(const int* x, int* out) {
  __shared__ int mine;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, x[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  int sum = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); r++) sum += *cluster.map_shared_rank(&mine, r);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + (int)cluster.block_rank();
  cluster.sync();
}

extern "C" __global__ void functions(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  out[i * 8] = sinf(v), out[i * 8 + 1] = expf(v), out[i * 8 + 2] = logf(fabsf(v)), out[i * 8 + 3] = powf(fabsf(v), 1.7f);
  out[i * 8 + 4] = tanhf(v), out[i * 8 + 5] = erff(v), out[i * 8 + 6] = sqrtf(fabsf(v)), out[i * 8 + 7] = fmodf(v, 0.3f);
}

extern "C" __global__ void doubles(const double* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  out[i * 4] = v / 3, out[i * 4 + 1] = sqrt(fabs(v)), out[i * 4 + 2] = exp(v), out[i * 4 + 3] = cos(v);
}
