/*
 * bounds.c: prices that find the bottleneck
 *
 * The method is multiplicative weights. Prices start in proportion to the time
 * that a byte keeps a resource busy. In each round all bytes take the cheapest
 * paths at the current prices, and the prices of loaded resources rise. The
 * result is the best bound of all rounds; averaging the paths of all rounds
 * gives a plan close to it.
 */
#include "topo/bounds.h"

#include <math.h>   /* exp */
#include <stdlib.h> /* calloc */
#include <string.h> /* strncmp */

#include "topo/copies.h"

/* the last place is the host */
enum { ROUNDS = 30000, PLACES = BOUNDS_GPUS + 1 };
static const double STEP = .01;

struct market {
    const struct topo *t;
    int n; /* number of GPUs */
    struct topo_path way[PLACES][PLACES][2];
    int nways[PLACES][PLACES];
    double *price, *load, *total; /* by resource; total: sum over rounds */
    double weight;                /* sum over rounds; a round without a hot spot
                                     weighs more */
};

double bounds_alone(const struct topo *t, int from, int to, int direct)
{
    struct topo_path path;
    double rate = 0;
    if (topo_path(t, from, to, direct, &path) != 0 ||
        copies_share(t, &path, 1, &rate) != 0)
        return 0;
    return rate;
}

/* Offer a path on the market if it exists and is of an allowed kind. */
static void offer(struct market *m, int a, int b, int direct,
                  enum bounds_ways ways)
{
    const int32_t from = a < m->n ? a : TOPO_HOST_PLACE(0);
    const int32_t to = b < m->n ? b : TOPO_HOST_PLACE(0);
    struct topo_path *const p = &m->way[a][b][m->nways[a][b]];
    if (topo_path(m->t, from, to, direct, p) != 0)
        return;
    const int by_nvlinks = direct && strncmp(p->kind, "NV", 2) == 0;
    m->nways[a][b] += ways == BOUNDS_ANY || by_nvlinks;
}

static int market_init(struct market *m, const struct topo *t,
                       enum bounds_ways ways)
{
    const size_t nresources = (size_t)topo_nresources(t);
    m->t = t;
    m->n = topo_ngpus(t) / topo_nnodes(t);
    m->price = calloc(nresources, sizeof *m->price);
    m->load = calloc(nresources, sizeof *m->load);
    m->total = calloc(nresources, sizeof *m->total);
    for (int a = 0; a <= m->n; a++)
        for (int b = 0; b <= m->n; b++)
            for (int direct = 0; direct < 2 && a != b; direct++)
                offer(m, a, b, direct, ways);
    for (size_t i = 0; m->price && i < nresources; i++)
        m->price[i] = 1 / topo_resource(t, (int)i)->rate;
    return m->price && m->load && m->total ? 0 : -1;
}

static void market_release(struct market *m)
{
    free(m->price);
    free(m->load);
    free(m->total);
}

struct ways { /* the cheapest paths between all places at the current prices */
    double price[PLACES][PLACES];
    int by[PLACES][PLACES];  /* which of the two ways the path takes */
    int via[PLACES][PLACES]; /* place of the detour; -1: none */
};

static double price_of(const struct market *m, const struct topo_path *p)
{
    double sum = 0;
    for (int i = 0; i < p->nresources; i++)
        sum += m->price[p->resource[i]];
    return sum;
}

static void find_ways(const struct market *m, struct ways *w)
{
    const int n = m->n + 1;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            w->price[a][b] = a == b ? 0 : INFINITY;
            w->via[a][b] = -1;
            for (int k = 0; k < m->nways[a][b]; k++) {
                const double price = price_of(m, &m->way[a][b][k]);
                if (price < w->price[a][b]) {
                    w->price[a][b] = price;
                    w->by[a][b] = k;
                }
            }
        }
    for (int via = 0; via < n; via++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                if (w->price[a][via] + w->price[via][b] < w->price[a][b]) {
                    w->price[a][b] = w->price[a][via] + w->price[via][b];
                    w->via[a][b] = via;
                }
}

static void send(struct market *m, const struct ways *w, int a, int b,
                 double nbytes)
{
    if (w->via[a][b] >= 0) {
        send(m, w, a, w->via[a][b], nbytes);
        send(m, w, w->via[a][b], b, nbytes);
        return;
    }
    const struct topo_path *const p = &m->way[a][b][w->by[a][b]];
    for (int i = 0; i < p->nresources; i++)
        m->load[p->resource[i]] += nbytes;
}

/* Run one round: route all bytes at the current prices, then update the prices.
 * Returns the bound. */
static double go_round(struct market *m,
                       double nbytes[BOUNDS_GPUS][BOUNDS_GPUS])
{
    const int nresources = topo_nresources(m->t);
    struct ways w;
    double cost = 0, sold = 0, longest = 0;
    find_ways(m, &w);
    for (int i = 0; i < nresources; i++)
        m->load[i] = 0;
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            if (a != b && nbytes[a][b] > 0) {
                cost += nbytes[a][b] * w.price[a][b];
                if (isinf(w.price[a][b]))
                    return NAN;
                send(m, &w, a, b, nbytes[a][b]);
            }
    for (int i = 0; i < nresources; i++) {
        const double rate = topo_resource(m->t, i)->rate;
        sold += m->price[i] * rate;
        m->load[i] /= rate;
        longest = fmax(longest, m->load[i]);
    }
    m->weight += longest > 0 ? 1 / longest : 0;
    for (int i = 0; i < nresources && longest > 0; i++) {
        m->total[i] += m->load[i] / longest;
        m->price[i] *= exp(STEP * m->load[i] / longest);
    }
    return sold > 0 ? cost / sold : 0;
}

double bounds_move(const struct topo *t, enum bounds_ways ways,
                   double nbytes[BOUNDS_GPUS][BOUNDS_GPUS], double *reached)
{
    struct market *const m = calloc(1, sizeof *m);
    double bound = NAN, longest = 0;
    if (!m || topo_ngpus(t) / topo_nnodes(t) > BOUNDS_GPUS ||
        market_init(m, t, ways) != 0)
        goto out;
    bound = go_round(m, nbytes);
    for (int i = 1; i < ROUNDS && !isnan(bound); i++)
        bound = fmax(bound, go_round(m, nbytes));
    for (int i = 0; i < topo_nresources(t); i++)
        longest = fmax(longest, m->total[i] / m->weight);
    if (reached)
        *reached = longest;
out:
    if (m)
        market_release(m);
    free(m);
    return bound;
}
