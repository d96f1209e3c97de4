/* cub/block/block_radix_sort.cuh: sorting a block's items
 * by bits of their keys */
#ifndef SIMGPU_CUB_BLOCK_RADIX_SORT_CUH
#define SIMGPU_CUB_BLOCK_RADIX_SORT_CUH

#include "cub/block/block_exchange.cuh"
#include "cub/block/block_scan.cuh"

namespace cub
{
/* The first thread sorts. Value is NullType for keys without values. */
template <class Key, int X, int I, class Value = NullType, int = 4, bool = true,
          int = 0, int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort
{
    enum { N = X * Y * Z, BITS = 8 * sizeof(Key) };

  public:
    struct TempStorage {
        detail::place<Key, 2 * N * I> keys;
        detail::place<Value, 2 * N * I> values;
    };
    BlockRadixSort() : temp(own()) {}
    explicit BlockRadixSort(TempStorage &temp) : temp(temp) {}
#define SIMGPU_SORT(name, down, to)                                            \
    void name(Key(&keys)[I], int begin = 0, int end = BITS)                    \
    {                                                                          \
        Value none[I];                                                         \
        sort(keys, none, begin, end, down, to);                                \
    }                                                                          \
    void name(Key(&keys)[I], Value(&values)[I], int begin = 0, int end = BITS) \
    {                                                                          \
        sort(keys, values, begin, end, down, to);                              \
    }
    SIMGPU_SORT(Sort, false, detail::blocked{I})
    SIMGPU_SORT(SortDescending, true, detail::blocked{I})
    SIMGPU_SORT(SortBlockedToStriped, false, detail::striped{N})
    SIMGPU_SORT(SortDescendingBlockedToStriped, true, detail::striped{N})
#undef SIMGPU_SORT

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    template <class To>
    void sort(Key (&keys)[I], Value (&values)[I], int begin, int end, bool down,
              To to)
    {
        const int me = detail::thread_number();
        int at = 0; // index in the result
        detail::store(me, &temp.keys[0], keys, detail::blocked{I});
        detail::store(me, &temp.values[0], values, detail::blocked{I});
        __syncthreads();
        for (int shift = begin; shift < end;
             shift += simgpu::DIGIT, at = N * I - at)
            if (me == 0)
                simgpu::radix_pass<Key>(
                    pairs(at), pairs(N * I - at), (size_t)(N * I), shift,
                    (int)simgpu::least(end - shift, simgpu::DIGIT), down);
        __syncthreads();
        detail::load(me, &temp.keys[at], keys, to);
        detail::load(me, &temp.values[at], values, to);
    }
    simgpu::items<Key *, Value *> pairs(int at)
    {
        return {&temp.keys[at], &temp.values[at]};
    }
};
} // namespace cub
#endif
