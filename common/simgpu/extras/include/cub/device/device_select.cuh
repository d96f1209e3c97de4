/* cub/device/device_select.cuh: selecting items of an array, in order */
#ifndef SIMGPU_CUB_DEVICE_SELECT_CUH
#define SIMGPU_CUB_DEVICE_SELECT_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
namespace detail
{
/* Move items i for which keeps(i) holds to the front, in order. Calls leave(i,
 * k) for each other item, the k-th of them. */
template <class In, class Out, class Count, class N, class Keep, class Leave>
cudaError_t select(void *temp, size_t &nbytes, In in, Out out, Count count, N n,
                   cudaStream_t stream, Keep keeps, Leave leave)
{
    return once(temp, nbytes, stream, [=]() mutable {
        size_t kept = 0;
        for (size_t i = 0; i < (size_t)n; i++)
            if (keeps(i)) {
                out[kept] = in[i];
                kept++;
            } else {
                leave(i, i - kept);
            }
        *count = (value_t<Count>)kept;
    });
}
} // namespace detail

struct DeviceSelect {
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void *temp, size_t &nbytes, In in, Flags flags,
                               Out out, Count count, N n,
                               cudaStream_t stream = nullptr)
    {
        return keep(temp, nbytes, in, out, count, n, stream,
                    [=](size_t i) { return (bool)flags[i]; });
    }
    template <class It, class Flags, class Count, class N>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t>
    Flagged(void *temp, size_t &nbytes, It at, Flags flags, Count count, N n,
            cudaStream_t stream = nullptr)
    {
        return Flagged(temp, nbytes, at, flags, at, count, n, stream);
    }
    template <class In, class Out, class Count, class N, class Predicate>
    static cudaError_t If(void *temp, size_t &nbytes, In in, Out out,
                          Count count, N n, Predicate p,
                          cudaStream_t stream = nullptr)
    {
        return keep(temp, nbytes, in, out, count, n, stream,
                    [=](size_t i) mutable { return (bool)p(in[i]); });
    }
    template <class It, class Count, class N, class Predicate>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t>
    If(void *temp, size_t &nbytes, It at, Count count, N n, Predicate p,
       cudaStream_t stream = nullptr)
    {
        return If(temp, nbytes, at, at, count, n, p, stream);
    }
    /* Select the items whose flag satisfies p(). */
    template <class In, class Flags, class Out, class Count, class N,
              class Predicate>
    static cudaError_t FlaggedIf(void *temp, size_t &nbytes, In in, Flags flags,
                                 Out out, Count count, N n, Predicate p,
                                 cudaStream_t stream = nullptr)
    {
        return keep(temp, nbytes, in, out, count, n, stream,
                    [=](size_t i) mutable { return (bool)p(flags[i]); });
    }
    /* Select the first item of each run of equal ones. */
    template <class In, class Out, class Count, class N>
    static cudaError_t Unique(void *temp, size_t &nbytes, In in, Out out,
                              Count count, N n, cudaStream_t stream = nullptr)
    {
        return keep(temp, nbytes, in, out, count, n, stream,
                    [=](size_t i) { return i == 0 || !(in[i] == in[i - 1]); });
    }
    template <class K, class V, class KOut, class VOut, class Count, class N>
    static cudaError_t UniqueByKey(void *temp, size_t &nbytes, K keys, V values,
                                   KOut kout, VOut vout, Count count, N n,
                                   cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=] {
            size_t run = 0;
            for (size_t i = 0; i < (size_t)n; run++) {
                const size_t begin = i;
                while (++i < (size_t)n && keys[begin] == keys[i])
                    ;
                kout[run] = keys[begin];
                vout[run] = values[begin];
            }
            *count = (detail::value_t<Count>)run;
        });
    }

  private:
    template <class In, class Out, class Count, class N, class Keep>
    static cudaError_t keep(void *temp, size_t &nbytes, In in, Out out,
                            Count count, N n, cudaStream_t stream, Keep keeps)
    {
        return detail::select(temp, nbytes, in, out, count, n, stream, keeps,
                              [](size_t, size_t) {});
    }
};

/* Move the selected items to the front, in order, and the others
 * to the end, in reverse. */
struct DevicePartition {
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void *temp, size_t &nbytes, In in, Flags flags,
                               Out out, Count count, N n,
                               cudaStream_t stream = nullptr)
    {
        return divide(temp, nbytes, in, out, count, n, stream,
                      [=](size_t i) { return (bool)flags[i]; });
    }
    template <class In, class Out, class Count, class N, class Predicate>
    static cudaError_t If(void *temp, size_t &nbytes, In in, Out out,
                          Count count, N n, Predicate p,
                          cudaStream_t stream = nullptr)
    {
        return divide(temp, nbytes, in, out, count, n, stream,
                      [=](size_t i) mutable { return (bool)p(in[i]); });
    }

  private:
    template <class In, class Out, class Count, class N, class Keep>
    static cudaError_t divide(void *temp, size_t &nbytes, In in, Out out,
                              Count count, N n, cudaStream_t stream, Keep keeps)
    {
        return detail::select(
            temp, nbytes, in, out, count, n, stream, keeps,
            [=](size_t i, size_t left) mutable { out[n - 1 - left] = in[i]; });
    }
};

struct DeviceRunLengthEncode {
    template <class In, class Out, class Lengths, class Runs, class N>
    static cudaError_t Encode(void *temp, size_t &nbytes, In in, Out out,
                              Lengths lengths, Runs runs, N n,
                              cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=] {
            size_t run = 0;
            for (size_t i = 0; i < (size_t)n; run++) {
                const size_t begin = i;
                while (++i < (size_t)n && in[begin] == in[i])
                    ;
                out[run] = in[begin];
                lengths[run] = (detail::value_t<Lengths>)(i - begin);
            }
            *runs = (detail::value_t<Runs>)run;
        });
    }
    /* Runs of two or more items. */
    template <class In, class Offsets, class Lengths, class Runs, class N>
    static cudaError_t NonTrivialRuns(void *temp, size_t &nbytes, In in,
                                      Offsets offsets, Lengths lengths,
                                      Runs runs, N n,
                                      cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=] {
            size_t run = 0;
            for (size_t i = 0; i < (size_t)n;) {
                const size_t begin = i;
                while (++i < (size_t)n && in[begin] == in[i])
                    ;
                if (i - begin < 2)
                    continue;
                offsets[run] = (detail::value_t<Offsets>)begin;
                lengths[run++] = (detail::value_t<Lengths>)(i - begin);
            }
            *runs = (detail::value_t<Runs>)run;
        });
    }
};
} // namespace cub
#endif
