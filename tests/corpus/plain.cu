// The kernels that everybody writes first; and two that call what the device's runtime provides.
#include <cstdio>

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

// total += sum of in[0..n): any grid, CTAs of up to 1024 threads.
extern "C" __global__ void reduce(const int *in, int *total, int n)
{
    __shared__ int partial[32];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (threadIdx.x == 0)
            atomicAdd(total, sum);
    }
}

// c (m x n) = a (m x k) * b (k x n), CTAs of 16 x 16 threads.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[16][16], bs[16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int t = 0; t < k; t += 16) {
        as[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0.0f;
        bs[y][x] = t + y < k && column < n ? b[(t + y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

// out (columns x rows) = transpose of in (rows x columns), CTAs of 32 x 8 threads, dynamic shared memory of 32 x 33 doubles.
extern "C" __global__ void transpose(const double *in, double *out, int rows, int columns)
{
    extern __shared__ double tile[];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows)
            tile[(threadIdx.y + j) * 33 + threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns)
            out[(y + j) * rows + x] = tile[threadIdx.x * 33 + threadIdx.y + j];
}

// Steps of the Collatz sequence from in[i] to 1: every thread loops as long as it likes.
extern "C" __global__ void collatz(const unsigned *in, unsigned *steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = in[i], count = 0;
    for (; v != 1; ++count)
        v = v & 1 ? 3 * v + 1 : v / 2;
    steps[i] = count;
}

// Every thread takes a lock and adds one: threads of one warp wait for each other.
extern "C" __global__ void locked(int *lock, volatile int *count)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void prints(int n)
{
    printf("thread %d\n", threadIdx.x);
    if (threadIdx.x == n)
        printf("thread %d is the one\n", n);
}

extern "C" __global__ void allocates(int **out) { out[threadIdx.x] = static_cast<int *>(malloc(64)); }
