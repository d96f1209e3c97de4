/*
 * Part 6: a parameter server, to see its hot link.
 *
 *          rank 1 --g--\   /--W--> rank 1
 *          rank 2 --g---> 0 --W--> rank 2        everything goes through rank 0
 *          rank 3 --g--/   \--W--> rank 3
 *
 * The server receives n-1 gradients and sends n-1 sets of parameters; in a ring
 * all-reduce, every link carries 2(n-1)/n of one. So each additional rank makes
 * the server slower, but not the ring.
 */
#include "lab2.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* Add all workers' gradients to the server's, and take the mean. */
static ncclResult_t collect(struct nn *m, const struct sync *s)
{
    // Yours to write: part 6: the server collects (about 18 lines)
    // receive all gradients of one worker in a single group, one after
    // the other in s->scratch; then add them.
    LAB_HOLE("part 6: the server collects");
}

ncclResult_t server_step(struct nn *m, const struct nn_batch *batch,
                         struct nn_optimizer *o, const struct sync *s)
{
    LAB_TRY(server_compute(m, batch));
    if (s->rank == 0) {
        LAB_TRY(collect(m, s));
        LAB_TRY_CUDA(nn_optimizer_step(o, m));
    }
    // Yours to write: part 6: workers send, the server answers (about 20 lines)
    // a worker's sends are one group, its receives another.
    LAB_HOLE("part 6: workers send, the server answers");
}
