// The part of the CUDA runtime that a compiled program needs, over functions that its host gives: see programs.py.
#include <cstdlib>
#include <cstring>
#include <map>

#include <cuda.h>
#include <cuda_runtime_api.h>

typedef unsigned long long u64;

struct Host {
    int (*launch)(const char *name, const unsigned *shape, u64 shared, void **args);
    int (*encode)(void *out, int type, unsigned rank, void *base, const u64 *dims, const u64 *strides, const unsigned *box, const unsigned *steps,
                  int interleave, int swizzle, int promotion, int fill);
    int (*fits)(const char *name, int threads, u64 shared);
    void (*memory)(void *where, u64 bytes);
};
static Host host;

static std::map<const void *, const char *> &names()
{
    static std::map<const void *, const char *> known;
    return known;
}

static cudaError_t start(const void *f, dim3 grid, dim3 block, dim3 cluster, size_t shared, void **args)
{
    if (!names().count(f))
        return cudaErrorInvalidDeviceFunction;
    unsigned shape[9] = {grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y, cluster.z};
    return host.launch(names()[f], shape, shared, args) ? cudaErrorLaunchFailure : cudaSuccess;
}

static CUresult encode_tiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *base, const cuuint64_t *dims,
    const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    int wrong = host.encode(out, type, rank, base, (const u64 *)dims, (const u64 *)strides, box, steps, interleave, swizzle, promotion, fill);
    return wrong ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

extern "C" {

void connect_host(Host given) { host = given; }

// Memory: the program's own, so that copies are plain ones.
cudaError_t cudaMalloc(void **out, size_t bytes)
{
    *out = aligned_alloc(256, (bytes + 511) / 256 * 256);
    if (!*out)
        return cudaErrorMemoryAllocation;
    host.memory(*out, bytes);
    return cudaSuccess;
}
cudaError_t cudaFree(void *where)
{
    if (where)
        host.memory(where, 0);
    free(where);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *left, size_t *all) { return *left = *all = 1ull << 36, cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) { return memmove(to, from, bytes), cudaSuccess; }
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t) { return memmove(to, from, bytes), cudaSuccess; }
cudaError_t cudaMemset(void *to, int value, size_t bytes) { return memset(to, value, bytes), cudaSuccess; }
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) { return memset(to, value, bytes), cudaSuccess; }

// Order: every launch ends before its call returns.
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t *s) { return *s = nullptr, cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *e) { return *e = nullptr, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) { return *ms = 1, cudaSuccess; }

// The device: an H100.
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "an error of the simulated runtime"; }
CUresult cuGetErrorString(CUresult, const char **words) { return *words = "an error of the simulated driver", CUDA_SUCCESS; }
const char *cudaGetErrorName(cudaError_t) { return "cudaError"; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    memset(p, 0, sizeof *p);
    strcpy(p->name, "simulated H100");
    p->major = 9;
    p->multiProcessorCount = 132;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsPerMultiProcessor = 2048;
    p->sharedMemPerBlock = 49152;
    p->sharedMemPerBlockOptin = 232448;
    p->sharedMemPerMultiprocessor = 233472;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->maxBlocksPerMultiProcessor = 32;
    p->l2CacheSize = 50 << 20;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
    switch (which) {
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMaxGridDimX: *value = 2147483647; break;
    case cudaDevAttrMaxGridDimY: *value = 65535; break;
    case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = 1024; break;
    case cudaDevAttrUnifiedAddressing: *value = 1; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = 233472; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = 32; break;
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 49152; break;
    case cudaDevAttrMultiProcessorCount: *value = 132; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 232448; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    default: *value = 0;
    }
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, const void *)
{
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = 1024;
    a->numRegs = 64;
    a->ptxVersion = a->binaryVersion = 90;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, const void *f, int threads, size_t shared, unsigned)
{
    return *count = host.fits(names()[f], threads, shared), cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, const void *f, int threads, size_t shared)
{
    return *count = host.fits(names()[f], threads, shared), cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *f, const cudaLaunchConfig_t *c)
{
    unsigned ctas = 1;
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            ctas = c->attrs[i].val.clusterDim.x * c->attrs[i].val.clusterDim.y * c->attrs[i].val.clusterDim.z;
    return *count = 132 * host.fits(names()[f], c->blockDim.x, c->dynamicSmemBytes) / ctas, cudaSuccess;
}

// Launches.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **args)
{
    dim3 cluster(0, 0, 0);
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            cluster = dim3(c->attrs[i].val.clusterDim.x, c->attrs[i].val.clusterDim.y, c->attrs[i].val.clusterDim.z);
    return start(f, c->gridDim, c->blockDim, cluster, c->dynamicSmemBytes, args);
}
cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t)
{
    return start(f, grid, block, dim3(0, 0, 0), shared, args);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned, u64, cudaDriverEntryPointQueryResult *found)
{
    *out = strcmp(name, "cuTensorMapEncodeTiled") ? nullptr : (void *)encode_tiled;
    if (found)
        *found = *out ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

// What nvcc writes for `<<<…>>>` and for the tables of kernels.
static struct { dim3 grid, block; size_t shared; } pushed;
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *) { return pushed = {grid, block, shared}, 0; }
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared, *(void **)stream = nullptr;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(void **kernel, const void *f) { return *kernel = (void *)f, cudaSuccess; }
cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *)
{
    return start(kernel, grid, block, dim3(0, 0, 0), shared, args);
}
void **__cudaRegisterFatBinary(void *)
{
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *f, char *, const char *name, int, void *, void *, void *, void *, int *) { names()[f] = name; }
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
}
