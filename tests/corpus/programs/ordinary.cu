// A program of the everyday kind: its own kernels, the runtime's calls, results checked on the host.
#include <cstdio>
#include <vector>

__global__ void scale(const float *in, float *out, float by, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = by * in[i];
}

__global__ void __cluster_dims__(2, 1, 1) total(const float *in, double *sum, int n)
{
    extern __shared__ double part[];
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    part[threadIdx.x] = mine;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

extern "C" int program(int, char **)
{
    const int n = 10000;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i % 100;
    float *a, *b;
    double *sum, got;
    cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&sum, 8);
    cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, 8);
    scale<<<8, 256>>>(a, b, 0.5f, n);
    total<<<4, 256, 256 * 8>>>(b, sum, n);
    cudaMemcpy(out.data(), b, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost);
    int wrong = got != n / 100 * 4950 * 0.5;
    for (int i = 0; i < n; i++)
        wrong += out[i] != in[i] * 0.5f;
    cudaFree(a), cudaFree(b), cudaFree(sum);
    printf("ordinary: %d wrong\n", wrong);
    return wrong != 0;
}
