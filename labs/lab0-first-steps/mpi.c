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
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    const int right = (rank + 1) % n, left = (rank + n - 1) % n;
    memcpy(all + rank * count, mine, (size_t)count * sizeof *mine);
    for (int step = 0; step < n - 1; step++) {
        const int out = (rank - step + n) % n;
        const int in = (rank - step - 1 + n) % n;
        // Yours to mend: part 3: a deadlock (about 3 lines)
        // It works for 7 ints and hangs for 100003: run ring-large, and
        // read the report. Which call sends and receives at once?
        MPI_Send(all + out * count, count, MPI_INT, right, 0, comm);
        MPI_Recv(all + in * count, count, MPI_INT, left, 0, comm,
                 MPI_STATUS_IGNORE);
    }
}
