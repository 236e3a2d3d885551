// Every kind of number: integers of all widths, packed and carried; floats from 64 bits down to 4.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

extern "C" __global__ void floats(float* f, double* d) {
  int i = threadIdx.x;
  f[i] = sinf(f[i]) + __expf(f[i]) + __logf(f[i]) + tanhf(f[i]) + sqrtf(f[i]) + rsqrtf(f[i]) + fmodf(f[i], 3);
  f[i] += __fdiv_rn(f[i], f[i + 1]) + __fadd_rz(f[i], 1) + __fmul_ru(f[i], 3) + __fmaf_rd(f[i], 2, 3);
  f[i] += __frcp_rn(f[i]) + copysignf(f[i], f[i + 1]) + fmaxf(f[i], 2) + rintf(f[i]) + __saturatef(f[i]);
  d[i] = exp(d[i]) + sqrt(d[i]) + fma(d[i], 2., 3.) + d[i + 1] / d[i + 2] + __dadd_ru(d[i], 2) + rint(d[i]);
  d[i] += (isnan(d[i]) ? 1 : 0) + (isinf(d[i]) ? 2 : 0) + ldexp(d[i], 3) + fmin(d[i], f[i] * 1.0);
  atomicAdd(d, 2.0);
  atomicAdd(f, 2.f);
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float2*>(f), make_float2(1, 2));
  atomicAdd(reinterpret_cast<float4*>(f), make_float4(1, 2, 3, 4));
#endif
}

extern "C" __global__ void halves(__half* h, __half2* p, __nv_bfloat16* b, __nv_bfloat162* q, float* f, int n) {
  int i = threadIdx.x;
  h[i] = __hadd(h[i], h[i + 1]) + hexp2(h[i]) + hsqrt(h[i]) + __hfma(h[i], h[i], h[i + 1]) + __hmax_nan(h[i], h[0]);
  h[i] += htanh_approx(h[i]) + __int2half_rz(n) + __float2half_rd(f[i]) + hrcp(h[i]);
  p[i] = __hfma2_relu(p[i], p[i + 1], p[i + 2]) + __hmin2_nan(p[i], p[i + 1]) + __hadd2_sat(p[i], p[0]) + __habs2(p[i]);
  p[i] += __hneg2(p[i]) + h2tanh_approx(p[i]) + __hgt2(p[i], p[i + 1]);
  b[i] = __hfma(b[i], b[i + 1], b[i + 2]) + hexp(b[i]) + __hmax(b[i], b[i + 1]) + __float2bfloat16_rz(f[i]);
  b[i] += __int2bfloat16_rn(n) + __hdiv(b[i], b[i + 1]) + __hmin_nan(b[i], b[i + 1]) + __habs(b[i]);
  q[i] = __hfma2(q[i], q[i + 1], q[i + 2]) + __hadd2_rn(q[i], q[i]) + __hne2(q[i], q[i + 1]) + h2exp2(q[i]);
  n += __half2int_rz(h[i]) + __bfloat162int_rz(b[i]) + int(__half2ull_rn(h[i])) + __bfloat162short_rd(b[i]);
  n += __hbgtu2(p[i], p[i + 1]) + __hlt(h[i], h[i + 1]) + __hisnan(h[i]) + __hisinf(b[i]);
  f[i] += float(n);
  atomicAdd(h + i, h[1]);
  atomicAdd(p + i, p[1]);
  atomicAdd(b + i, b[1]);
  atomicAdd(q + i, q[1]);
}

extern "C" __global__ void narrow(float* f) {
  int i = threadIdx.x;
  __nv_fp8_e4m3 a(f[i]);
  __nv_fp8x2_e5m2 b(make_float2(f[i], f[i + 1]));
  __nv_fp8x4_e4m3 c(make_float4(f[i], 1, 2, 3));
  __nv_fp8_e8m0 d(f[i]);
  __nv_fp6_e2m3 e(f[i]);
  __nv_fp6x2_e3m2 g(make_float2(f[i], f[i + 1]));
  __nv_fp4x2_e2m1 h(make_float2(f[i], f[i + 1]));
  f[i] += float(a) + float2(b).x + float4(c).z + float(d) + float(e) + float2(g).y + float2(h).x;
}

extern "C" __global__ void integers(int* a, unsigned* u, long long* l, unsigned long long* ul, short* s, char* c) {
  int i = threadIdx.x;
  a[i] = __mulhi(a[i], a[i + 1]) + __mul24(a[i], a[i + 1]) + __sad(a[i], a[i + 1], u[i]) + __popc(a[i]) + __clz(a[i]);
  a[i] += __brev(a[i]) + __ffs(a[i]) + __byte_perm(a[i], a[i + 1], 0x1234) + __dp2a_lo(a[i], a[i + 1], 3);
  a[i] += __dp4a(u[i], u[i + 1], u[i + 2]) + __rhadd(a[i], a[i + 1]) + __fns(u[i], 1, 2) + a[i] / 7 + a[i] % u[i];
  a[i] += __viaddmax_s32(u[i], 2, 3) + __vimax_s16x2_relu(u[i], 3) + __vimin3_s32_relu(a[i], 3, 4);
  a[i] += __funnelshift_l(u[i], u[i + 1], u[i + 2]);
  u[i] = __vadd2(u[i], u[i + 1]) + __vmaxu4(u[i], u[i + 1]) + __vcmpeq4(u[i], 3) + __vsubss2(u[i], u[i + 1]);
  u[i] += __vavgu4(u[i], 3) + __vabsdiffu4(u[i], 3) + __vsads4(u[i], u[i + 3]);
  l[i] = l[i] / l[i + 1] + l[i] % l[i + 2] + __mul64hi(l[i], l[i + 1]) + __popcll(l[i]) + __clzll(l[i]);
  s[i] += s[i + 1] * 3 + max(s[i], s[i + 2]) + abs(s[i]);
  c[i] = c[i] / 3 + c[i + 1];
  unsigned __int128 x = (static_cast<unsigned __int128>(ul[0]) << 64) | ul[1];
  x = x * x + ul[2];
  ul[4] = static_cast<unsigned long long>((x - ul[3]) >> 64);
}

extern "C" __global__ void memory(int* a, unsigned* u, unsigned long long* ul, unsigned short* s, int* size) {
  int i = threadIdx.x;
  a[i] += __ldcg(a + i) + __ldcs(a + i + 4) + __ldlu(a + i + 5) + __ldcv(a + i + 6) + __ldg(a + i + 9);
  __stwt(a + 9, 3);
  __stcg(reinterpret_cast<int4*>(a), make_int4(1, 2, 3, 4));
  atomicMin(ul, ul[i]);
  atomicCAS(s, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
  atomicExch(ul, 3ull);
  atomicInc(u, 3);
  atomicAdd_system(a, 3);
  atomicXor(ul, 3ull);
  a[i] += __isGlobal(a) + __isShared(a) + __isLocal(a) + __isConstant(a) + __cvta_generic_to_shared(a);
  a[i] += __match_any_sync(-1, a[i]) + __reduce_add_sync(-1, a[i]) + __reduce_or_sync(-1, u[i]) + __activemask();
  a[i] += __syncthreads_count(a[i]) + __syncthreads_or(a[i]) + __any_sync(-1, a[i]) + __shfl_up_sync(-1, a[i], 1);
  __nanosleep(100);
  __brkpt();
  __prof_trigger(3);
  int n = size[0];
  int* held = static_cast<int*>(alloca(n * sizeof(int)));
  for (int k = 0; k < n; k++) held[k] = a[k];
  a[i] += held[n / 2];
}
