// Matrix fragments of CUDA C++: every shape and type, each element used alike.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <int M, int N, int K, class T, class C, class D, class LA, class LB>
__device__ void product(const T* a, const T* b, const C* c, D* d, int lda, int ldb, wmma::layout_t lc, int ldc) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, D> fd;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, lc);
  wmma::mma_sync(fd, fa, fb, fc);
  for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] * D(2);
  wmma::store_matrix_sync(d, fd, ldc, lc);
}

#define KERNEL(name, M, N, K, T, C, D, LA, LB, lda, ldb, lc, ldc)                                             \
  extern "C" __global__ void name(const T* a, const T* b, const C* c, D* d) {                                 \
    product<M, N, K, T, C, D, wmma::LA, wmma::LB>(a, b, c, d, lda, ldb, wmma::lc, ldc);                       \
  }

KERNEL(half_row_col, 16, 16, 16, __half, float, float, row_major, col_major, 16, 16, mem_row_major, 16)
KERNEL(half_col_row, 16, 16, 16, __half, float, float, col_major, row_major, 24, 32, mem_col_major, 20)
KERNEL(half_wide, 8, 32, 16, __half, __half, __half, row_major, row_major, 16, 32, mem_row_major, 32)
KERNEL(half_tall, 32, 8, 16, __half, __half, float, row_major, col_major, 16, 16, mem_row_major, 8)
KERNEL(bfloat, 16, 16, 16, __nv_bfloat16, float, float, row_major, col_major, 16, 16, mem_row_major, 16)
KERNEL(bytes, 16, 16, 16, signed char, int, int, row_major, col_major, 16, 16, mem_row_major, 16)
KERNEL(bytes_tall, 32, 8, 16, unsigned char, int, int, col_major, row_major, 32, 16, mem_col_major, 32)

// A product of four by four tiles through shared memory.
extern "C" __global__ void tiled(const __half* a, const __half* b, float* c, int k) {
  __shared__ __half left[16 * 16], right[16 * 16];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0);
  int n = gridDim.x * 16;
  for (int at = 0; at < k; at += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      left[i] = a[(blockIdx.y * 16 + i / 16) * k + at + i % 16];
      right[i] = b[(at + i / 16) * n + blockIdx.x * 16 + i % 16];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, left, 16);
    wmma::load_matrix_sync(fb, right, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void tf32(const float* a, const float* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::fill_fragment(sum, 1);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void nibbles(const int* a, const int* b, int* c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::fill_fragment(sum, 0);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

extern "C" __global__ void bits(const unsigned* a, const unsigned* b, int* differ, int* both) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::fill_fragment(sum, 0);
  wmma::bmma_sync(sum, fa, fb, sum, wmma::experimental::bmmaBitOpXOR);
  wmma::store_matrix_sync(differ, sum, 8, wmma::mem_row_major);
  wmma::fill_fragment(sum, 0);
  wmma::bmma_sync(sum, fa, fb, sum, wmma::experimental::bmmaBitOpAND);
  wmma::store_matrix_sync(both, sum, 8, wmma::mem_row_major);
}
