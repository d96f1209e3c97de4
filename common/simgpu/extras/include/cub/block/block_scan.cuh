/* cub/block/block_scan.cuh: prefixes of a block's values */
#ifndef SIMGPU_CUB_BLOCK_SCAN_CUH
#define SIMGPU_CUB_BLOCK_SCAN_CUH

#include "cub/warp/warp_scan.cuh"

namespace cub
{
enum BlockScanAlgorithm { // simgpu computes the same for each
    BLOCK_SCAN_RAKING,
    BLOCK_SCAN_RAKING_MEMOIZE,
    BLOCK_SCAN_WARP_SCANS
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1,
          int Z = 1, int = 0>
class BlockScan
{
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
        detail::place<T, N> values; // each thread's sum, then its prefix
        detail::place<T, 2> sums;   // the sum of all; the prefix of all
    };
    BlockScan() : temp(own()) {}
    explicit BlockScan(TempStorage &temp) : temp(temp) {}

    /* ---- sums ------------------------------------------------------------ */

    template <class In, class Out> void InclusiveSum(In &&x, Out &&out)
    {
        InclusiveScan(x, out, std::plus<>());
    }
    template <class In, class Out, class More>
    void InclusiveSum(In &&x, Out &&out, More &more)
    {
        InclusiveScan(x, out, std::plus<>(), more);
    }
    template <class In, class Out> void ExclusiveSum(In &&x, Out &&out)
    {
        ExclusiveScan(x, out, T(), std::plus<>());
    }
    template <class In, class Out>
    void ExclusiveSum(In &&x, Out &&out, T &aggregate)
    {
        ExclusiveScan(x, out, T(), std::plus<>(), aggregate);
    }
    template <class In, class Out, class Prefix>
    std::enable_if_t<!std::is_same<Prefix, T>::value>
    ExclusiveSum(In &&x, Out &&out, Prefix &prefix)
    {
        ExclusiveScan(x, out, std::plus<>(), prefix);
    }

    /* ---- inclusive ------------------------------------------------------- */

    template <class Op> void InclusiveScan(T x, T &out, Op op)
    {
        T all;
        InclusiveScan(x, out, op, all);
    }
    template <class Op> void InclusiveScan(T x, T &out, Op op, T &aggregate)
    {
        T in[1] = {x}, to[1];
        InclusiveScan(in, to, op, aggregate);
        out = to[0];
    }
    template <class Op, class Prefix>
    std::enable_if_t<!std::is_same<Prefix, T>::value>
    InclusiveScan(T x, T &out, Op op, Prefix &prefix)
    {
        T in[1] = {x}, to[1];
        InclusiveScan(in, to, op, prefix);
        out = to[0];
    }
    template <int I, class Op> void InclusiveScan(T (&x)[I], T (&out)[I], Op op)
    {
        T all;
        InclusiveScan(x, out, op, all);
    }
    template <int I, class Op>
    void InclusiveScan(T (&x)[I], T (&out)[I], Op op, T &aggregate)
    {
        const T before = scan(x, op, aggregate);
        finish(x, out, op, before, detail::thread_number() > 0, false);
    }
    template <int I, class Op, class Prefix>
    std::enable_if_t<!std::is_same<Prefix, T>::value>
    InclusiveScan(T (&x)[I], T (&out)[I], Op op, Prefix &prefix)
    {
        T before = scan_behind(x, op, prefix);
        finish(x, out, op, before, true, false);
    }

    /* ---- exclusive ------------------------------------------------------- */

    template <class Op> void ExclusiveScan(T x, T &out, Op op)
    {
        T all;
        T in[1] = {x};
        out = scan(in, op, all);
    }
    template <class Op> void ExclusiveScan(T x, T &out, T init, Op op)
    {
        T all;
        ExclusiveScan(x, out, init, op, all);
    }
    template <class Op>
    void ExclusiveScan(T x, T &out, T init, Op op, T &aggregate)
    {
        T in[1] = {x}, to[1];
        ExclusiveScan(in, to, init, op, aggregate);
        out = to[0];
    }
    template <class Op, class Prefix>
    std::enable_if_t<!std::is_same<Prefix, T>::value &&
                     !std::is_convertible<Op, T>::value>
    ExclusiveScan(T x, T &out, Op op, Prefix &prefix)
    {
        T in[1] = {x};
        out = scan_behind(in, op, prefix);
    }
    template <int I, class Op>
    void ExclusiveScan(T (&x)[I], T (&out)[I], T init, Op op)
    {
        T all;
        ExclusiveScan(x, out, init, op, all);
    }
    template <int I, class Op>
    void ExclusiveScan(T (&x)[I], T (&out)[I], T init, Op op, T &aggregate)
    {
        const T before = scan(x, op, aggregate);
        finish(x, out, op, detail::thread_number() ? op(init, before) : init,
               true, true);
    }
    template <int I, class Op, class Prefix>
    std::enable_if_t<!std::is_same<Prefix, T>::value &&
                     !std::is_convertible<Op, T>::value>
    ExclusiveScan(T (&x)[I], T (&out)[I], Op op, Prefix &prefix)
    {
        const T before = scan_behind(x, op, prefix);
        finish(x, out, op, before, true, true);
    }

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }

    /* Compute the prefix of this thread's items; thread 0 has none. */
    template <int I, class Op> T scan(T (&x)[I], Op op, T &aggregate)
    {
        const int me = detail::thread_number();
        T sum = x[0];
        for (int i = 1; i < I; i++)
            sum = op(sum, x[i]);
        temp.values[me] = sum;
        __syncthreads();
        if (me == 0) {
            for (int i = 1; i < N; i++) {
                const T next = op(sum, temp.values[i]);
                temp.values[i] = sum;
                sum = next;
            }
            temp.sums[0] = sum;
        }
        __syncthreads();
        aggregate = temp.sums[0];
        return temp.values[me];
    }
    /* The same, after the value that prefix() returns to the
     * first warp's first lane. */
    template <int I, class Op, class Prefix>
    T scan_behind(T (&x)[I], Op op, Prefix &prefix)
    {
        const int me = detail::thread_number();
        T aggregate;
        const T before = scan(x, op, aggregate);
        if (me < 32) {
            const T front = prefix(aggregate);
            if (me == 0)
                temp.sums[1] = front;
        }
        __syncthreads();
        return me ? op(temp.sums[1], before) : temp.sums[1];
    }
    /* A thread's results, after `before` if there is such a value. */
    template <int I, class Op>
    static void finish(T (&x)[I], T (&out)[I], Op op, T before, bool any,
                       bool exclusive)
    {
        for (int i = 0; i < I; i++) {
            const T now = any ? op(before, x[i]) : x[i];
            out[i] = exclusive ? before : now;
            before = now;
            any = true;
        }
    }
};
} // namespace cub
#endif
