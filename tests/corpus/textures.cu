// Textures and surfaces, which ptxlab reads and prints.
#include <cuda_runtime.h>

extern "C" __global__ void textures(cudaTextureObject_t in, cudaSurfaceObject_t out, float* f) {
  int i = threadIdx.x;
  f[i] = tex2D<float>(in, i, i) + tex1Dfetch<float>(in, i) + tex3D<float>(in, i, i, i) + tex2DLod<float>(in, i, i, 1.f);
  float4 four = tex2Dgather<float4>(in, i, i, 2);
  surf2Dwrite(four.x + four.w + f[i], out, i * 4, i);
  float read;
  surf2Dread(&read, out, i * 4, i);
  f[i] += read;
}
