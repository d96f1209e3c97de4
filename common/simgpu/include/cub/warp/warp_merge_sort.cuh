/* cub/warp/warp_merge_sort.cuh: a warp's items, in any order */
#ifndef SIMGPU_CUB_WARP_MERGE_SORT_CUH
#define SIMGPU_CUB_WARP_MERGE_SORT_CUH

#include "cub/block/block_load.cuh"
#include "cub/warp/warp_reduce.cuh"

namespace cub
{
/* Each lane counts what is before its items. Value is NullType if keys have
 * none. */
template <class Key, int I, int W = 32, class Value = NullType>
class WarpMergeSort
{
  public:
    struct TempStorage {
        detail::place<Key, W * I> keys, sorted;
        detail::place<Value, W * I> values;
    };
    explicit WarpMergeSort(TempStorage &temp) : temp(temp) {}
    unsigned get_member_mask() const
    {
        return detail::members<W>();
    }
    template <class Less> void Sort(Key (&keys)[I], Less less)
    {
        Value none[I];
        Sort(keys, none, less);
    }
    template <class Less>
    void Sort(Key (&keys)[I], Value (&values)[I], Less less)
    {
        const int me = simgpu::lane() % W;
        detail::store(me, &temp.keys[0], keys, detail::blocked{I});
        __syncwarp(get_member_mask());
        for (int i = 0; i < I; i++) {
            const int to = before(me * I + i, less);
            temp.sorted[to] = keys[i];
            temp.values[to] = values[i];
        }
        __syncwarp(get_member_mask());
        detail::load(me, &temp.sorted[0], keys, detail::blocked{I});
        detail::load(me, &temp.values[0], values, detail::blocked{I});
    }
    /* The first `valid` items of the tile; all others become `other`, which no
     * valid one is behind. */
    template <class Less>
    void Sort(Key (&keys)[I], Less less, int valid, Key other)
    {
        Value none[I];
        Sort(keys, none, less, valid, other);
    }
    template <class Less>
    void Sort(Key (&keys)[I], Value (&values)[I], Less less, int valid,
              Key other)
    {
        for (int i = 0; i < I; i++)
            if (simgpu::lane() % W * I + i >= valid)
                keys[i] = other;
        Sort(keys, values, less);
    }
    template <class... A> void StableSort(A &&...a)
    {
        Sort(a...);
    }

  private:
    TempStorage &temp;
    template <class Less> int before(int me, Less less)
    {
        int n = 0;
        for (int i = 0; i < W * I; i++)
            n += less(temp.keys[i], temp.keys[me]) ||
                 (i < me && !less(temp.keys[me], temp.keys[i]));
        return n;
    }
};
} // namespace cub
#endif
