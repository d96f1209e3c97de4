/* cub/block/block_shuffle.cuh: getting items from other threads of the block */
#ifndef SIMGPU_CUB_BLOCK_SHUFFLE_CUH
#define SIMGPU_CUB_BLOCK_SHUFFLE_CUH

#include "cub/util_type.cuh"

namespace cub
{
template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockShuffle
{
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
        detail::place<T, N> items;
    };
    BlockShuffle() : temp(own()) {}
    explicit BlockShuffle(TempStorage &temp) : temp(temp) {}
    /* Thread i gets the item of thread i + distance. out stays as it is if
     * there is no such thread. */
    void Offset(T in, T &out, int distance = 1)
    {
        const int from = put(in) + distance;
        if (from >= 0 && from < N)
            out = temp.items[from];
    }
    /* The same, modulo the number of threads. */
    void Rotate(T in, T &out, unsigned distance = 1)
    {
        out = temp.items[(int)(((unsigned)put(in) + distance) % N)];
    }
    /* Shift the block's items by one. The first, or last, item stays. */
    template <int I> void Up(T (&in)[I], T (&prev)[I])
    {
        const int me = put(in[I - 1]);
        for (int i = I - 1; i > 0; i--)
            prev[i] = in[i - 1];
        if (me > 0)
            prev[0] = temp.items[me - 1];
    }
    template <int I> void Up(T (&in)[I], T (&prev)[I], T &last)
    {
        Up(in, prev);
        last = temp.items[N - 1];
    }
    template <int I> void Down(T (&in)[I], T (&next)[I])
    {
        const int me = put(in[0]);
        for (int i = 0; i + 1 < I; i++)
            next[i] = in[i + 1];
        if (me + 1 < N)
            next[I - 1] = temp.items[me + 1];
    }
    template <int I> void Down(T (&in)[I], T (&next)[I], T &first)
    {
        Down(in, next);
        first = temp.items[0];
    }

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    /* The thread's number, once all threads have stored their item. */
    int put(const T &item)
    {
        const int me = detail::thread_number();
        temp.items[me] = item;
        __syncthreads();
        return me;
    }
};
} // namespace cub
#endif
