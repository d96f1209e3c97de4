/* links: nn nnref judge graph topo base
 * links: solutions/lab8-sharded-training/
 * links: common/staff/lab8-sharded-training/support.c
 * links: common/staff/lab8-sharded-training/norm.cu
 * links: common/staff/lab8-sharded-training/disk.c
 *
 * curve.h's run in shards: lab 8.
 */
#include "curve_network.h"
#include "lab8.h"

static ncclResult_t step(void *arg, const struct nn_batch *b)
{
    return fsdp_step(arg, b, 1);
}

int main(void)
{
    struct curve c;
    struct nn m;
    struct shard s;
    curve_open(&c);
    curve_network(&c, &m);
    NCCL_MUST(shard_init(&s, &m, c.comm, c.rank, c.nranks, 1, &curve_hyper));
    NCCL_MUST(tied_open(&s));
    curve_train(&c, &m, step, &s);
    shard_release(&s);
    nn_release(&m);
    curve_close(&c);
    return 0;
}
