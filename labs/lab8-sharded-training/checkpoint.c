/*
 * Part 6: a sharded checkpoint, and training that resumes on a different number
 * of ranks.
 *
 * All ranks write at the same time, each the shares that it owns. With a
 * different number of ranks, a unit is cut in different places:
 *
 *     3 ranks   |   file 0     |   file 1     |   file 2   0|
 *     2 ranks   |      rank 0         |       rank 1       0|
 *
 * so a rank reads pieces of several files. The zeros at the end of a unit
 * belong to no matrix, and their number also depends on the number of ranks.
 */
#include "lab8.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

enum { ARRAYS = 3 };

/* Array i of a file. Given. */
static float *array_of(const struct shard *s, int i)
{
    float *const all[ARRAYS] = {s->value, s->adam_m, s->adam_v};
    return all[i];
}

/* Write this rank's file by way of `host`, a buffer of plan.total floats. */
static ncclResult_t write_shares(struct shard *s, struct checkpoint *c,
                                 float *host)
{
    const size_t total = s->plan.total;
    // Yours to write: part 6: save (about 10 lines)
    // the device may still be updating the shares.
    LAB_HOLE("part 6: save");
}

ncclResult_t checkpoint_save(struct shard *s, struct checkpoint *c)
{
    float *const host = malloc(s->plan.total * sizeof *host);
    const ncclResult_t result =
        host ? write_shares(s, c, host) : ncclSystemError;
    free(host);
    return result;
}

/*
 * Read this rank's share of unit u of array i from files that were saved with
 * the plan `old`. mine: the share's floats on the host, which are zero on
 * entry.
 */
static void read_share(const struct shard *s, const struct checkpoint *c,
                       const struct shard_plan *old, int i, int u, float *mine)
{
    // Yours to write: part 6: a share from several files (about 16 lines)
    // this rank's share is floats [from, to) of the unit; file f has
    // [at, end) of it. Both without zeros that belong to no matrix.
    LAB_HOLE("part 6: a share from several files");
}

/* Read this rank's shares by way of `host`, a buffer of plan.total floats.
 * Given. */
static ncclResult_t read_shares(struct shard *s, const struct checkpoint *c,
                                float *host)
{
    const size_t nbytes = s->plan.total * sizeof *host;
    struct shard_plan old;
    flat_plan(&s->m->shape, c->nranks, c->per_unit, &old);
    for (int i = 0; i < ARRAYS; i++) {
        memset(host, 0, nbytes);
        for (int u = 0; u < s->plan.nunits; u++)
            read_share(s, c, &old, i, u, host + s->plan.unit[u].begin);
        LAB_TRY_CUDA(cudaMemcpyAsync(array_of(s, i), host, nbytes,
                                     cudaMemcpyHostToDevice, s->compute));
        LAB_TRY_CUDA(cudaStreamSynchronize(s->compute));
    }
    s->step = c->step;
    return ncclSuccess;
}

ncclResult_t checkpoint_load(struct shard *s, const struct checkpoint *c)
{
    float *const host = malloc(s->plan.total * sizeof *host);
    const ncclResult_t result =
        host ? read_shares(s, c, host) : ncclSystemError;
    free(host);
    return result;
}
