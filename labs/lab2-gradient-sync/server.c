/*
 * Part 6: a parameter server, to see its hot link.
 *
 *          rank 1 --g--\   /--W--> rank 1
 *          rank 2 --g---> 0 --W--> rank 2        everything passes one place
 *          rank 3 --g--/   \--W--> rank 3
 *
 * The server receives n-1 gradients and sends n-1 sets of parameters; a ring
 * all-reduce would have every link carry 2(n-1)/n of one. Worse with every rank
 * that joins.
 */
#include "lab2.h"

#include "lab/lab.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* This rank's own gradients. Given. */
static ncclResult_t compute(struct nn *m, const struct nn_batch *b)
{
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, b));
    LAB_TRY_CUDA(nn_backward(m, 1.0f, NULL, NULL));
    return ncclSuccess;
}

/* Add up all workers' gradients into the server's, and take the mean. */
static ncclResult_t collect(struct nn *m, const struct sync *s)
{
    // Yours to write: part 6: the server collects (about 18 lines)
    // receive a whole worker's gradients in one group, side by side in
    // s->scratch; then add.
    (void)m, (void)s;
    LAB_HOLE("part 6: the server collects");
}

ncclResult_t server_step(struct nn *m, const struct nn_batch *b,
                         struct nn_optimizer *o, const struct sync *s)
{
    LAB_TRY(compute(m, b));
    if (s->rank == 0) {
        LAB_TRY(collect(m, s));
        LAB_TRY_CUDA(nn_optimizer_step(o, m));
    }
    // Yours to write: part 6: workers send, the server answers (about 20 lines)
    // a worker's sends are one group, and what it receives is another.
    (void)m, (void)s;
    LAB_HOLE("part 6: workers send, the server answers");
}
