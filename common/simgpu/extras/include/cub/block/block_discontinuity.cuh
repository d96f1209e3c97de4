/* cub/block/block_discontinuity.cuh: where an item
 * differs from its neighbour */
#ifndef SIMGPU_CUB_BLOCK_DISCONTINUITY_CUH
#define SIMGPU_CUB_BLOCK_DISCONTINUITY_CUH

#include "cub/block/block_adjacent_difference.cuh"

namespace cub
{
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockDiscontinuity
{
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
        detail::ends<T, N> ends;
    };
    BlockDiscontinuity() : temp(own()) {}
    explicit BlockDiscontinuity(TempStorage &temp) : temp(temp) {}
    /* flag = differs(previous item, item). The tile's first flag is 1. */
    template <int I, class Flag, class Op>
    void FlagHeads(Flag (&flags)[I], T (&in)[I], Op differs)
    {
        heads(flags, in, differs, (const T *)nullptr);
    }
    template <int I, class Flag, class Op>
    void FlagHeads(Flag (&flags)[I], T (&in)[I], Op differs, T before)
    {
        heads(flags, in, differs, &before);
    }
    /* flag = differs(item, next item). The tile's last flag is 1. */
    template <int I, class Flag, class Op>
    void FlagTails(Flag (&flags)[I], T (&in)[I], Op differs)
    {
        temp.ends.put(in);
        tails(flags, in, differs, (const T *)nullptr);
    }
    template <int I, class Flag, class Op>
    void FlagTails(Flag (&flags)[I], T (&in)[I], Op differs, T after)
    {
        temp.ends.put(in);
        tails(flags, in, differs, &after);
    }
    /* Both flags. The tile's first, or last, item is
     * compared with the one given. */
    template <int I, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&head)[I], Flag (&tail)[I], T (&in)[I], Op op)
    {
        heads(head, in, op, (const T *)nullptr);
        tails(tail, in, op, (const T *)nullptr);
    }
    template <int I, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&head)[I], Flag (&tail)[I], T after,
                           T (&in)[I], Op op)
    {
        heads(head, in, op, (const T *)nullptr);
        tails(tail, in, op, &after);
    }
    template <int I, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&head)[I], T before, Flag (&tail)[I],
                           T (&in)[I], Op op)
    {
        heads(head, in, op, &before);
        tails(tail, in, op, (const T *)nullptr);
    }
    template <int I, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&head)[I], T before, Flag (&tail)[I], T after,
                           T (&in)[I], Op op)
    {
        heads(head, in, op, &before);
        tails(tail, in, op, &after);
    }

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    template <int I, class Flag, class Op>
    void heads(Flag (&flags)[I], T (&in)[I], Op differs, const T *before)
    {
        const int me = detail::thread_number();
        temp.ends.put(in);
        for (int i = 1; i < I; i++)
            flags[i] = differs(in[i - 1], in[i]);
        flags[0] = me       ? differs(temp.ends.last[me - 1], in[0])
                   : before ? differs(*before, in[0])
                            : 1;
    }
    template <int I, class Flag, class Op>
    void tails(Flag (&flags)[I], T (&in)[I], Op differs, const T *after)
    {
        const int me = detail::thread_number();
        for (int i = 0; i + 1 < I; i++)
            flags[i] = differs(in[i], in[i + 1]);
        flags[I - 1] = me + 1 < N ? differs(in[I - 1], temp.ends.first[me + 1])
                       : after    ? differs(in[I - 1], *after)
                                  : 1;
    }
};
} // namespace cub
#endif
