/*
 * Parts 1 to 3: processes that share no memory, and send messages instead.
 */
#include "lab0.h"

#include <string.h> /* memcpy */

#include "lab/try.h" /* LAB_HOLE */

void first_message(const int *out, int *in, int count, int from, int to,
                   MPI_Comm comm)
{
    // Yours to write: part 1: one message (about 6 lines)
    // MPI_Comm_rank tells a process which rank it is. MPI_Send on one,
    // MPI_Recv on the other, with the same tag, a number that you choose.
    LAB_HOLE("part 1: one message");
}

void first_share(int *values, int count, int root, MPI_Comm comm)
{
    // Yours to write: part 2: a broadcast (about 1 line)
    // MPI_Bcast: which ranks call it?
    LAB_HOLE("part 2: a broadcast");
}

/*
 *     step      rank 0         rank 1         rank 2
 *     start     a . .          . b .          . . c
 *     1         a . c          a b .          . b c     the left one's block
 *     2         a b c          a b c          a b c     what it got in step 1
 */
void first_ring(const int *mine, int *all, int count, MPI_Comm comm)
{
    // Yours to write: part 3: a ring (about 14 lines)
    // first your own block into its place. Then, in each step, pass on
    // the block that came last. MPI_Sendrecv: why not MPI_Send, then
    // MPI_Recv?
    LAB_HOLE("part 3: a ring");
}
