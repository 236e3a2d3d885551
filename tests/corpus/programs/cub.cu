// What CUB does to an array: scans by looking back at earlier CTAs, sorts by digits, sums, and drops neighbours that are equal.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include <cub/cub.cuh>

using Values = std::vector<int>;

// CUB's functions ask for room first, then work in it.
template <class F> void call(F f)
{
    void *room = nullptr;
    size_t bytes = 0;
    f(room, bytes);
    cudaMalloc(&room, bytes + 1);
    if (f(room, bytes) != cudaSuccess)
        printf("a call failed\n");
    cudaFree(room);
}

static int judge(const char *name, int *at, const Values &want)
{
    Values got(want.size());
    cudaMemcpy(got.data(), at, got.size() * 4, cudaMemcpyDeviceToHost);
    printf("%s %s\n", name, got == want ? "right" : "wrong");
    return got != want;
}

extern "C" int program(int, char **)
{
    const int n = 30000;
    Values in(n), want(n);
    for (int &x : in)
        x = rand() % 100000 - 50000;
    int *a, *b, *c, wrong = 0;
    cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4);
    cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice);

    call([&](void *room, size_t &bytes) { return cub::DeviceScan::InclusiveSum(room, bytes, a, b, n); });
    std::partial_sum(in.begin(), in.end(), want.begin());
    wrong += judge("scan", b, want);

    call([&](void *room, size_t &bytes) { return cub::DeviceReduce::Sum(room, bytes, a, c, n); });
    wrong += judge("sum", c, {want.back()});

    call([&](void *room, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(room, bytes, a, b, n); });
    want = in;
    std::sort(want.begin(), want.end());
    wrong += judge("sort", b, want);

    call([&](void *room, size_t &bytes) { return cub::DeviceSelect::Unique(room, bytes, b, a, c, n); });
    want.erase(std::unique(want.begin(), want.end()), want.end());
    wrong += judge("count", c, {(int)want.size()}) + judge("unique", a, want);
    cudaFree(a), cudaFree(b), cudaFree(c);
    return wrong;
}
