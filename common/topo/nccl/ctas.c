/*
 * ctas.c: what a fixed number of CTAs costs: bandwidth, if there are too few
 * for the links, and multiprocessors that other kernels lack
 */
#include <math.h> /* llround */

#include "topo/nccl/tuning.h"

/* Something is left for other kernels, as with the largest sm_share. */
static const double MOST_OF_COMPUTE = .9;

/* The bytes that each GPU sends in an operation. */
static double carried(enum topo_op op, int n, uint64_t bytes)
{
    return op == TOPO_OP_SENDRECV
               ? (double)bytes
               : (double)bytes * tuning_ring_steps(op, n) / n;
}

void topo_fix_ctas(const struct topo *t, enum topo_op op, const int32_t *place,
                   int n, uint64_t bytes, int ctas, struct topo_coll *c)
{
    const int channels = ctas > 0 && n > 1 ? topo_channels(t, place, n) : 0;
    const double ps = (double)(c->time_ps - c->latency_ps);
    double least_ps = 0;
    if (channels > 0 && t->arch->channel_GBps > 0)
        least_ps = carried(op, n, bytes) / (ctas * t->arch->channel_GBps) * 1e3;
    else if (ctas < channels)
        least_ps = ps * channels / ctas;
    if (least_ps > ps)
        c->time_ps = c->latency_ps + (uint64_t)llround(least_ps);
}

double topo_ctas_compute(const struct topo *t, int gpu, int ctas)
{
    const struct topo_gpu *const g = topo_gpu(t, gpu);
    if (ctas <= 0 || !g || g->nsm <= 0)
        return t->costs.nccl_sm_share;
    const double share = (double)ctas / g->nsm;
    return share < MOST_OF_COMPUTE ? share : MOST_OF_COMPUTE;
}
