/* links: nnref judge graph topo base */
/* links: solutions/lab8-sharded-training/checkpoint.c */
/* links: solutions/lab8-sharded-training/flat.c */
/* Lab 8's checkpoint when a copy fails: nothing on the host is left behind. */
#include <malloc.h> /* mallinfo2 */
#include <stdio.h>

#include "lab8.h"

#include "lab/try.h"
#include "rule.h"

enum { FLOATS = 1 << 20, TIMES = 20 };

/* What the lab has from the runner. */
ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line)
{
    (void)call, (void)file, (void)line;
    return err;
}

ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line)
{
    (void)err;
    return lab_note_error(ncclUnhandledCudaError, call, file, line);
}

void checkpoint_write(struct checkpoint *c, int file, size_t at,
                      const float *data, size_t count)
{
    (void)c, (void)file, (void)at, (void)data, (void)count;
}

void checkpoint_read(const struct checkpoint *c, int file, size_t at,
                     float *data, size_t count)
{
    (void)c, (void)file, (void)at, (void)data, (void)count;
}

static size_t held(void)
{
    const struct mallinfo2 i = mallinfo2();
    return i.uordblks + i.hblkhd;
}

int main(void)
{
    struct nn m = {.shape = {.depth = 1, .in = 1, .hidden = 1, .out = 1}};
    struct shard s = {.m = &m, .plan = {.nranks = 1, .total = FLOATS}};
    struct checkpoint c = {.nranks = 1, .per_unit = 1};
    cudaStreamCreate(&s.compute); // and shares that are nowhere
    checkpoint_save(&s, &c);
    const size_t before = held();
    int failed = 1;
    for (int i = 0; i < TIMES; i++) {
        failed &= checkpoint_save(&s, &c) == ncclUnhandledCudaError;
        failed &= checkpoint_load(&s, &c) == ncclUnhandledCudaError;
    }
    RULE(failed, "a copy from nowhere fails");
    RULE(held() < before + FLOATS, "no buffer is left behind");
    cudaStreamDestroy(s.compute);
    return rule_status();
}
