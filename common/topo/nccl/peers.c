#include "topo/nccl/peers.h"

#include <math.h> /* ceil, fmax, fmin */

#include "topo/nccl/settings.h"
#include "topo/route.h"

enum { /* bytes of a step [src/init.cc, P2P_*_CHUNKSIZE] */
       NVLINK_STEP = 512 << 10,
       OTHER_STEP = 128 << 10
};
static const int most_channels = 64; /* [MAXCHANNELS] */
static const int tasks = 8;          /* [NCCL_MAX_DEV_WORK_P2P_PER_BATCH] */
static const double net_channel_GBps = 14; /* [P2P_PER_CHANNEL_NET_BW, 2.30.7;
                                              2.28.9 starts from 2 channels] */

/* While a message takes more channels, its time rises at this part of the rate
 * at which it would with the fewest. */
static const double RISE = 1. / 1024;

static int power_of_two(double n)
{
    int power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* The fewest NVLinks between two GPUs of a group. */
static int fewest_links(const struct topo *t, const struct shape_group *g)
{
    int fewest = -1;
    for (int a = 0; a < g->n; a++)
        for (int b = 0; b < a; b++) {
            const int n = route_nvlinks(t, g->place[a] % t->ngpus,
                                        g->place[b] % t->ngpus);
            if (fewest < 0 || n < fewest)
                fewest = n;
        }
    return fewest;
}

/* Channels that the slowest NIC of a group's GPUs needs. */
static int nic_channels(const struct topo *t, const struct shape_group *g)
{
    double least = INFINITY;
    for (int i = 0; i < g->n; i++) {
        const int nic = route_nic(t, g->place[i] % t->ngpus);
        if (nic >= 0)
            least = fmin(least, t->nic[nic].mbps / 8000);
    }
    return least < INFINITY ? (int)ceil(least / net_channel_GBps) : 1;
}

struct peers peers_of(const struct topo *t, const struct shape *s)
{
    const struct shape_group *const g = &s->group[0];
    const int nodes = s->ngroups > 1;
    const double step = s->nvlink && !nodes ? NVLINK_STEP : OTHER_STEP;
    const double rings = settings_channels(t, 2 * s->channels);
    const int all = power_of_two(fmin(rings, most_channels));
    struct peers p = {.GBps = t->arch->channel_GBps,
                      .min_part = nodes ? step / 2 : step / 8,
                      .max_part = nodes ? step : 32 * step};
    if (s->most < 2)
        return (struct peers){0};
    p.most = power_of_two(nodes ? nic_channels(t, g)
                                : fmax(2, 2 * fewest_links(t, g)));
    while (nodes && p.most * ceil((double)s->n / tasks) > all && p.most > 1)
        p.most /= 2;
    p.most = fmin(p.most, all);
    p.least = p.most;
    while (p.least * s->n > all && p.least > 1)
        p.least /= 2;
    return p;
}

/* The bytes of a part, and a little more for those that more channels take. */
static double taking_more(const struct peers *p, double part, double beyond)
{
    return part + beyond / p->least * RISE;
}

double peers_us(const struct peers *p, double nbytes)
{
    const double full = p->least * p->max_part; // all of the fewest channels
    double part = nbytes;
    if (p->GBps == 0)
        return 0;
    if (nbytes > full)
        part =
            fmax(taking_more(p, p->max_part, nbytes - full), nbytes / p->most);
    else if (nbytes > p->min_part)
        part = fmax(taking_more(p, p->min_part, nbytes - p->min_part),
                    nbytes / p->least);
    return part / (p->GBps * 1000);
}
