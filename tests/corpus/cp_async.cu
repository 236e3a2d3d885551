// Stages rows of a matrix in shared memory with cp.async, two stages deep, and sums them.
// out[row] = sum of in[row][0..columns), one CTA of 128 threads a row; columns is a multiple of 512.
#include <cuda_pipeline.h>

extern "C" __global__ void __launch_bounds__(128) row_sums(const float *in, float *out, int columns)
{
    __shared__ alignas(16) float stage[2][512];
    __shared__ float partial[4];
    const float *row = in + static_cast<long long>(blockIdx.x) * columns;
    const int tiles = columns / 512;
    float sum = 0.0f;

    __pipeline_memcpy_async(&stage[0][4 * threadIdx.x], row + 4 * threadIdx.x, 16);
    __pipeline_commit();
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles)
            __pipeline_memcpy_async(&stage[(tile + 1) & 1][4 * threadIdx.x], row + 512 * (tile + 1) + 4 * threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = threadIdx.x; i < 512; i += 128)
            sum += stage[tile & 1][i];
        __syncthreads();
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}
