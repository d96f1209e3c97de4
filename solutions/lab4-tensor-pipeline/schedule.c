/*
 * Part 2: the order of a stage's passes.
 *
 * A schedule lists the forward and backward passes of micro-batches in the
 * order in which a stage runs them. Three micro-batches on three stages, with
 * time to the right; a backward pass takes twice as long as a forward pass:
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
 * Both take the same time. But under fill-drain all micro-batches are in flight
 * at once, each with its activations; under 1F1B at most one per stage.
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE */

int schedule_fill_drain(int nstages, int stage, int nmicro,
                        struct pipe_action *out)
{
    // BEGIN HOLE part 2: fill-drain (about 6 lines)
    int n = 0;
    for (int m = 0; m < nmicro; m++)
        out[n++] = (struct pipe_action){PIPE_FORWARD, m, 0};
    for (int m = 0; m < nmicro; m++)
        out[n++] = (struct pipe_action){PIPE_BACKWARD, m, 0};
    (void)nstages, (void)stage; // the same on all stages
    return n;
    // END HOLE
}

int schedule_1f1b(int nstages, int stage, int nmicro, struct pipe_action *out)
{
    // BEGIN HOLE part 2: 1F1B (about 12 lines)
    // HINT: how many micro-batches can be in flight in later stages before the
    // HINT: first one comes back? The last stage turns each round at once.
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
    // HINT: backward pass number b comes after forward pass b + warm-up.
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
