/* cub/warp/warp_scan.cuh: prefixes of a warp's values */
#ifndef SIMGPU_CUB_WARP_SCAN_CUH
#define SIMGPU_CUB_WARP_SCAN_CUH

#include "cub/warp/warp_reduce.cuh"

namespace cub
{
template <class T, int W = 32, int = 0> class WarpScan
{
    /* The previous lane's inclusive result; lane 0 gets its own. */
    T shifted(T inclusive)
    {
        return detail::from_lane<W>(inclusive, simgpu::lane() % W ? -1 : 0);
    }

  public:
    struct TempStorage {
    };
    explicit WarpScan(TempStorage &) {}
    template <class Op> void InclusiveScan(T x, T &out, Op op)
    {
        const int lane = simgpu::lane() % W;
        for (int by = 1; by < W; by *= 2) {
            const T other = detail::from_lane<W>(x, lane >= by ? -by : 0);
            if (lane >= by)
                x = op(other, x);
        }
        out = x;
    }
    template <class Op> void InclusiveScan(T x, T &out, Op op, T &aggregate)
    {
        InclusiveScan(x, out, op);
        aggregate = detail::from_lane<W>(out, W - 1 - simgpu::lane() % W);
    }
    void InclusiveSum(T x, T &out)
    {
        InclusiveScan(x, out, std::plus<>());
    }
    void InclusiveSum(T x, T &out, T &aggregate)
    {
        InclusiveScan(x, out, std::plus<>(), aggregate);
    }
    template <class Op> void ExclusiveScan(T x, T &out, Op op)
    {
        T inclusive;
        InclusiveScan(x, inclusive, op);
        out = shifted(inclusive);
    }
    template <class Op> void ExclusiveScan(T x, T &out, T init, Op op)
    {
        T before;
        ExclusiveScan(x, before, op);
        out = simgpu::lane() % W ? op(init, before) : init;
    }
    template <class Op>
    void ExclusiveScan(T x, T &out, T init, Op op, T &aggregate)
    {
        T inclusive;
        InclusiveScan(x, inclusive, op, aggregate);
        const T before = shifted(inclusive);
        out = simgpu::lane() % W ? op(init, before) : init;
    }
    void ExclusiveSum(T x, T &out)
    {
        ExclusiveScan(x, out, T(0), std::plus<>());
    }
    void ExclusiveSum(T x, T &out, T &aggregate)
    {
        ExclusiveScan(x, out, T(0), std::plus<>(), aggregate);
    }
    template <class Op> void Scan(T x, T &inclusive, T &exclusive, Op op)
    {
        InclusiveScan(x, inclusive, op);
        exclusive = shifted(inclusive);
    }
    T Broadcast(T x, unsigned lane)
    {
        return detail::from_lane<W>(x, (int)lane - simgpu::lane() % W);
    }
};
} // namespace cub
#endif
