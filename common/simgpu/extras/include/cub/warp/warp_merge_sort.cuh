/* cub/warp/warp_merge_sort.cuh: sorting a warp's items by any order */
#ifndef SIMGPU_CUB_WARP_MERGE_SORT_CUH
#define SIMGPU_CUB_WARP_MERGE_SORT_CUH

#include "cub/block/block_merge_sort.cuh"
#include "cub/warp/warp_reduce.cuh"

namespace cub
{
/* Each lane counts the items that precede its own. */
template <class Key, int I, int W = 32, class Value = NullType>
class WarpMergeSort
    : public detail::merge_sort<WarpMergeSort<Key, I, W, Value>, Key, I, Value>
{
    friend class detail::merge_sort<WarpMergeSort, Key, I, Value>;

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

  private:
    TempStorage &temp;
    static int number()
    {
        return simgpu::lane() % W;
    }
    template <class Less>
    void order(Key (&keys)[I], Value (&values)[I], Less less)
    {
        const int me = number();
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
