/* cub/block/block_merge_sort.cuh: sorting a block's items by any order */
#ifndef SIMGPU_CUB_BLOCK_MERGE_SORT_CUH
#define SIMGPU_CUB_BLOCK_MERGE_SORT_CUH

#include "cub/block/block_load.cuh"

namespace cub
{
namespace detail
{
/* The overloads of a sort by Self, which has number(), of the thread or lane,
 * and order(keys, values, less). Value is NullType for keys without values. */
template <class Self, class Key, int I, class Value> class merge_sort
{
  public:
    template <class Less> void Sort(Key (&keys)[I], Less less)
    {
        Value none[I];
        Sort(keys, none, less);
    }
    template <class Less>
    void Sort(Key (&keys)[I], Value (&values)[I], Less less)
    {
        static_cast<Self *>(this)->order(keys, values, less);
    }
    /* Sort the first `valid` items of the tile. All others become `other`,
     * which no valid item may follow. */
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
            if (Self::number() * I + i >= valid)
                keys[i] = other;
        Sort(keys, values, less);
    }
    template <class... A> void StableSort(A &&...a)
    {
        Sort(a...);
    }
};
} // namespace detail

/* The first thread sorts all items. */
template <class Key, int X, int I, class Value = NullType, int Y = 1, int Z = 1>
class BlockMergeSort
    : public detail::merge_sort<BlockMergeSort<Key, X, I, Value, Y, Z>, Key, I,
                                Value>
{
    friend class detail::merge_sort<BlockMergeSort, Key, I, Value>;
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
        detail::place<Key, 2 * N * I> keys;
        detail::place<Value, 2 * N * I> values;
    };
    BlockMergeSort() : temp(own()) {}
    explicit BlockMergeSort(TempStorage &temp) : temp(temp) {}

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    static int number()
    {
        return detail::thread_number();
    }
    template <class Less>
    void order(Key (&keys)[I], Value (&values)[I], Less less)
    {
        const int me = number();
        detail::store(me, &temp.keys[0], keys, detail::blocked{I});
        detail::store(me, &temp.values[0], values, detail::blocked{I});
        __syncthreads();
        if (me == 0)
            merge_all(less);
        __syncthreads();
        detail::load(me, &temp.keys[0], keys, detail::blocked{I});
        detail::load(me, &temp.values[0], values, detail::blocked{I});
    }
    template <class Less> void merge_all(Less less)
    {
        typedef simgpu::items<Key *, Value *> items;
        const items a = {&temp.keys[0], &temp.values[0]},
                    b = {&temp.keys[N * I], &temp.values[N * I]};
        const size_t n = N * I;
        bool in_b = false;
        for (size_t run = 1; run < n; run *= 2, in_b = !in_b)
            for (size_t at = 0; at < n; at += 2 * run)
                simgpu::merge_runs(in_b ? b : a, in_b ? a : b, at,
                                   simgpu::least(at + run, n),
                                   simgpu::least(at + 2 * run, n), less);
        for (size_t i = 0; in_b && i < n; i++) {
            items to = a;
            to.take(i, b, i);
        }
    }
};
} // namespace cub
#endif
