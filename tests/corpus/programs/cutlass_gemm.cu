// Products of matrices as CUTLASS builds them for Hopper, held against a plain loop: D = A · B + C / 2, small integers, so that sums are exact.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cutlass/cutlass.h"
#include "cute/tensor.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/util/packed_stride.hpp"

using namespace cute;
namespace cg = cutlass::gemm;
namespace ce = cutlass::epilogue;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;

template <class E, class LayoutA, class LayoutB, class Cluster, class Mainloop, class Epilogue, class Scheduler>
struct Multiply {
    using Tile = Shape<_128, _128, Int<128 / sizeof(E)>>;
    using End = typename ce::collective::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
        ce::collective::EpilogueTileAuto, float, float, float, Row, 4, float, Row, 4, Epilogue>::CollectiveOp;
    using Main = typename cg::collective::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, E, LayoutA, 16 / sizeof(E), E, LayoutB,
        16 / sizeof(E), float, Tile, Cluster, cg::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename End::SharedStorage))>,
        Mainloop>::CollectiveOp;
    using Kernel = cg::kernel::GemmUniversal<Shape<int, int, int, int>, Main, End, Scheduler>;
    using Gemm = cg::device::GemmUniversalAdapter<Kernel>;

    static E *upload(const std::vector<float> &values)
    {
        std::vector<E> narrow(values.begin(), values.end());
        void *at;
        cudaMalloc(&at, narrow.size() * sizeof(E));
        cudaMemcpy(at, narrow.data(), narrow.size() * sizeof(E), cudaMemcpyHostToDevice);
        return (E *)at;
    }

    // How many elements are wrong.
    static int run(const char *name, int m, int n, int k)
    {
        std::vector<float> a(m * k), b(n * k), c(m * n), d(m * n);
        for (auto *v : {&a, &b, &c})
            for (float &x : *v)
                x = rand() % 7 - 3;
        auto sa = cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, make_shape(m, k, 1));
        auto sb = cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, make_shape(n, k, 1));
        auto sc = cutlass::make_cute_packed_stride(typename Kernel::StrideC{}, make_shape(m, n, 1));
        E *da = upload(a), *db = upload(b);
        float *dc, *dd;
        cudaMalloc((void **)&dc, m * n * 4);
        cudaMalloc((void **)&dd, m * n * 4);
        cudaMemcpy(dc, c.data(), m * n * 4, cudaMemcpyHostToDevice);
        typename Kernel::Arguments args{cg::GemmUniversalMode::kGemm, {m, n, k, 1}, {da, sa, db, sb}, {{1.0f, 0.5f}, dc, sc, dd, sc}};
        args.hw_info = cutlass::KernelHardwareInfo::make_kernel_hardware_info<Kernel>(0);
        if constexpr (requires { args.scheduler.splits; })
            args.scheduler.splits = 3;
        void *workspace;
        cudaMalloc(&workspace, Gemm::get_workspace_size(args) + 1);
        Gemm gemm;
        if (gemm.can_implement(args) != cutlass::Status::kSuccess || gemm.initialize(args, workspace) != cutlass::Status::kSuccess
            || gemm.run() != cutlass::Status::kSuccess)
            return printf("%s did not run\n", name), 1;
        cudaMemcpy(d.data(), dd, m * n * 4, cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0.5f * c[i * n + j];
                for (int l = 0; l < k; l++)
                    sum += a[std::is_same_v<LayoutA, Row> ? i * k + l : l * m + i] * b[std::is_same_v<LayoutB, Column> ? j * k + l : l * n + j];
                wrong += sum != d[i * n + j];
            }
        for (void *at : {(void *)da, (void *)db, (void *)dc, (void *)dd, workspace})
            cudaFree(at);
        printf("%s: %d of %d wrong\n", name, wrong, m * n);
        return wrong;
    }
};

extern "C" int program(int, char **)
{
    using Pingpong = Multiply<cutlass::bfloat16_t, Row, Column, Shape<_2, _1, _1>, cg::KernelTmaWarpSpecializedPingpong, ce::TmaWarpSpecialized,
        cg::PersistentScheduler>;
    using StreamK = Multiply<cutlass::half_t, Column, Row, Shape<_1, _2, _1>, cg::KernelTmaWarpSpecializedCooperative, ce::TmaWarpSpecializedCooperative,
        cg::StreamKScheduler>;
    int wrong = Pingpong::run("ping-pong", 256, 384, 200);
    return (wrong += StreamK::run("stream-k", 136, 264, 520)) != 0;
}
