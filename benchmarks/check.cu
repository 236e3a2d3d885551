// CUDA C++ whose PTX is as long as one likes: the input of `ptxlab bench check`.
//   nvcc -ptx -arch=sm_90a -std=c++17 -DINSTANCES=100 benchmarks/check.cu -o check_100.ptx
#include <cuda_pipeline.h>
#include <array>
#include <utility>

// A stencil by way of a pipeline of copies to shared memory, with sums over warps and CTAs.
template <int N>
__global__ void stencil(const float* __restrict__ in, float* __restrict__ out, double* __restrict__ total, int width, int rows)
{
    constexpr int taps = 3 + N % 6, stages = 2 + N % 3;
    __shared__ __align__(16) float tile[stages][256 + 2 * taps];
    __shared__ float sums[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float mine = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float* here = tile[row % stages];
        for (int i = threadIdx.x; i < 256 + 2 * taps; i += blockDim.x)
            __pipeline_memcpy_async(&here[i], &in[(row * width + i) % (width * rows)], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        float value = 0;
#pragma unroll
        for (int t = 0; t < 2 * taps; t++) value = fmaf(here[threadIdx.x + t], 1.0f / (N + t + 1), value);
        switch ((row + N) % 4) {
            case 0: value = sinf(value); break;
            case 1: value = sqrtf(fabsf(value)); break;
            case 2: value = __expf(-value); break;
            default: value = value > 0 ? value / (1 + N % 5) : -value;
        }
        out[row * width + threadIdx.x] = value;
        mine += value;
        __syncthreads();
    }
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
    if (lane == 0) sums[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int i = 0; i < blockDim.x / 32; i++) all += sums[i];
        atomicAdd(total, static_cast<double>(all));
    }
}

template <int... I>
static auto all(std::integer_sequence<int, I...>)
{
    return std::array<const void*, sizeof...(I)>{reinterpret_cast<const void*>(&stencil<I>)...};
}

auto kernels = all(std::make_integer_sequence<int, INSTANCES>{});
