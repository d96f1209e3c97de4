/*
 * server.h: parameter servers in symmetric memory, to compare with. Given:
 * nothing to edit here.
 *
 * The parameters are cut into a shard for each server; ranks 0 to nservers - 1
 * are servers, and all ranks are workers. With one server, its link carries all
 * gradients; with as many servers as ranks, every link carries the same.
 *
 *     worker r   -- r's gradient of shard k -->   server k: inbox r
 *     server k   adds, updates its shard
 *                -- the shard's weights -->       all workers
 */
#ifndef LAB5_SERVER_H
#define LAB5_SERVER_H

#include "lab5.h"

struct server {
    struct symm *s;
    int nservers;
    size_t count, shard; /* floats: of all parameters, of a shard at most */
    float *weights;      /* symmetric: count floats */
    float *inbox;        /* symmetric: a shard of each rank */
    unsigned *sent;    /* symmetric: one flag per rank, its gradient is here */
    unsigned *updated; /* symmetric: one flag per server, its shard is here */
    unsigned steps;
};

/* Weights of zero on all ranks. Collective. */
ncclResult_t server_open(struct server *p, struct symm *s, size_t count,
                         int nservers);

/* Update all ranks' weights by SGD with the sum of all ranks' gradients, count
 * floats. Later work on the stream finds the new weights. Collective. */
ncclResult_t server_step(struct server *p, const float *grads,
                         const struct nn_hyper *hyper, cudaStream_t stream);

#endif
