/*
 * Part 2: in which order a stage works.
 *
 * A schedule is a list: forward and backward passes of micro-batches, in the
 * order in which a stage takes them. Three micro-batches on three stages, time
 * to the right; a backward pass is twice as long as a forward pass:
 *
 *     fill-drain
 *       stage 0  F0F1F2............B0--B1--B2--
 *       stage 1  ..F0F1F2......B0--B1--B2--....
 *       stage 2  ....F0F1F2B0--B1--B2--........
 *
 *     1F1B
 *       stage 0  F0F1F2........B0--..B1--..B2--
 *       stage 1  ..F0F1....B0--F2B1--..B2--....
 *       stage 2  ....F0B0--F1B1--F2B2--........
 *
 * Both take as long. But under fill-drain all micro-batches are under way at
 * once, each with its activations; under 1F1B no more than there are stages.
 */
#include "lab4.h"

#include "lab/lab.h" /* LAB_HOLE */

int schedule_fill_drain(int nstages, int stage, int nmicro,
                        struct pipe_action *out)
{
    // BEGIN HOLE part 2: fill-drain (about 6 lines)
    // USES nstages stage nmicro out
    int n = 0;
    for (int m = 0; m < nmicro; m++)
        out[n++] = (struct pipe_action){PIPE_FORWARD, m, 0};
    for (int m = 0; m < nmicro; m++)
        out[n++] = (struct pipe_action){PIPE_BACKWARD, m, 0};
    (void)nstages, (void)stage; // the same on all of them
    return n;
    // END HOLE
}

int schedule_1f1b(int nstages, int stage, int nmicro, struct pipe_action *out)
{
    // BEGIN HOLE part 2: 1F1B (about 12 lines)
    // USES nstages stage nmicro out
    // HINT: how many micro-batches can be under way behind this stage before
    // HINT: the first one comes back? The last stage turns each round at once.
    const int behind = nstages - stage - 1;
    const int warmup = behind < nmicro ? behind : nmicro;
    int n = 0;
    for (int m = 0; m < warmup; m++)
        out[n++] = (struct pipe_action){PIPE_FORWARD, m, 0};
    for (int m = 0; m < nmicro; m++) {
        if (warmup + m < nmicro)
            out[n++] = (struct pipe_action){PIPE_FORWARD, warmup + m, 0};
        out[n++] = (struct pipe_action){PIPE_BACKWARD, m, 0};
    }
    return n;
    // END HOLE
}

int schedule_interleaved(int nstages, int stage, int nmicro, int nchunks,
                         struct pipe_action *out)
{
    // BEGIN HOLE part 4: interleaved (about 16 lines)
    // USES nstages stage nmicro nchunks out
    // HINT: backward pass number b comes behind forward pass b + warm-up.
    const int all = nmicro * nchunks, group = nstages * nchunks;
    const int behind = 2 * (nstages - stage - 1) + (nchunks - 1) * nstages;
    const int warmup = behind < all ? behind : all;
    int n = 0;
    for (int k = 0; k < all + warmup; k++) {
        const int b = k - warmup; // backward pass number b follows forward k
        if (k < all)
            out[n++] = (struct pipe_action){PIPE_FORWARD,
                                            k / group * nstages + k % nstages,
                                            k / nstages % nchunks};
        if (b >= 0)
            out[n++] = (struct pipe_action){
                PIPE_BACKWARD, b / group * nstages + b % nstages,
                nchunks - 1 - b / nstages % nchunks};
    }
    return n;
    // END HOLE
}
