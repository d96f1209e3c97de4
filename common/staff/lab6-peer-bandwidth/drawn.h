/*
 * drawn.h: random machines, routes and costs from a seed
 *
 * cases.c passes them to your functions; judge.c makes the same ones to compute
 * the expected results. Given: nothing to edit here.
 */
#ifndef LAB6_DRAWN_H
#define LAB6_DRAWN_H

#include "judge/judge.h" /* judge_seed */
#include "lab6.h"

/* Draws (judge/draw.h). */
enum {
    DRAWN_BANDWIDTHS, /* drawn_bandwidths(arg[0]) */
    DRAWN_MESH,       /* drawn_mesh(arg[0], arg[1], arg[2]) */
    DRAWN_ROUTES,     /* struct drawn_paths of arg[0] GPUs, arg[1] at most */
    DRAWN_COST,       /* drawn_cost(0), drawn_cost(1), ...; without `pays` */
    DRAWN_ORDER,      /* drawn_order(arg[0]) */
};
struct drawn_paths { /* what drawn_routes() draws */
    int n;
    struct route route[ROUTES];
};

/* Number `which` of the seed's random numbers from 0 to n - 1. */
static inline int drawn(uint64_t seed, unsigned which, int n)
{
    return (int)(judge_seed(seed, which) % (uint64_t)n);
}

/* Bandwidths from 1 to 100 GB/s, all different. One GPU, never GPU 0, sends at
 * a quarter of its bandwidths: a path may end at that GPU, but a ring has to
 * leave it. */
static inline struct gbps drawn_bandwidths(uint64_t seed, int n)
{
    struct gbps m = {.n = n};
    const int slow = n > 1 ? 1 + drawn(seed, (unsigned)(n * n), n - 1) : 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a != b)
                m.at[a][b] = 1 + drawn(seed, (unsigned)(a * n + b), 990000) /
                                     1e4 / (a == slow ? 4 : 1);
    return m;
}

/* A mesh: links of 0, 25, 50 or 100 GB/s, the same in both directions, and none
 * between `from` and `to`; a ring makes it connected. */
static inline struct gbps drawn_mesh(uint64_t seed, int n, int from, int to)
{
    static const double GBps[] = {0, 0, 25, 25, 50, 100};
    struct gbps m = {.n = n};
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) {
            const unsigned which = (unsigned)(a * n + b);
            m.at[a][b] = m.at[b][a] = GBps[drawn(seed, which, 6)];
        }
    for (int a = 0; a < n; a++) {
        const int b = (a + 1) % n;
        if (m.at[a][b] < 25)
            m.at[a][b] = m.at[b][a] = 25;
    }
    m.at[from][to] = m.at[to][from] = 0;
    return m;
}

struct drawn_order {
    int at[PEERS];
};

/* The numbers 0 to n - 1 in a random order: Fisher and Yates. */
static inline struct drawn_order drawn_order(uint64_t seed, int n)
{
    struct drawn_order order = {{0}};
    for (int i = 0; i < n; i++)
        order.at[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int k = drawn(seed, (unsigned)i, i + 1), swap = order.at[i];
        order.at[i] = order.at[k];
        order.at[k] = swap;
    }
    return order;
}

/*
 * A machine whose GPU i is this one's GPU order[i]. What is to be found out
 * about a machine is asked in numbers that each run draws: a program can't
 * contain the answer for a machine that its author knows.
 */
static inline struct gbps drawn_renumbered(const struct gbps *m,
                                           const struct drawn_order *order)
{
    struct gbps out = {.n = m->n};
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            out.at[a][b] = m->at[order->at[a]][order->at[b]];
    return out;
}

/* One to four routes of one to three hops that share only their end GPUs; fewer
 * routes if there are few GPUs. Returns their number. */
static inline int drawn_routes(uint64_t seed, int n, int most,
                               struct route route[ROUTES])
{
    const struct drawn_order order = drawn_order(seed, n);
    const int *const gpu = order.at;
    int used = 2, nroutes = 0;
    for (; nroutes < most && nroutes < ROUTES; nroutes++) {
        struct route *const r = &route[nroutes];
        const int between = (nroutes + 1) % 3; // GPUs on the way
        if (used + between > n)
            break;
        *r = (struct route){.at = {gpu[0]}, .GBps = 10 + 7 * nroutes};
        for (int i = 0; i < between; i++)
            r->at[++r->nhops] = gpu[used++];
        r->at[++r->nhops] = gpu[1];
    }
    return nroutes;
}

/*
 * Number `which` of the seed's costs of a read in place, a copy and a read of
 * the copy, and the smallest number of reads for which copying takes less time.
 * Differences are whole and copies take k + .37 ms, so that no number of reads
 * is a tie.
 */
enum { DRAWN_COSTS = 8 };
struct drawn_cost {
    double place_ms, copy_ms, own_ms;
    int pays;
};
static inline struct drawn_cost drawn_cost(uint64_t seed, unsigned which)
{
    const int more = drawn(seed, 3 * which, 12) - 1; // in place; -1: less
    const int copy = drawn(seed, 3 * which + 1, 40);
    const int own = 2 + drawn(seed, 3 * which + 2, 20);
    return (struct drawn_cost){.place_ms = own + more,
                               .copy_ms = copy + .37,
                               .own_ms = own,
                               .pays = more > 0 ? copy / more + 1 : 0};
}

/* A healthy machine is asked about twice, once with a cable that keeps this
 * share of its bandwidth: the one between its GPUs 0 and 1. */
#define DRAWN_WEAK .6

/* The memories of part 7, in the order in which a case reads them. */
enum memory { MEMORY_OWN, MEMORY_PEER, MEMORY_NEAR, MEMORY_FAR, MEMORIES };
static inline const char *memory_name(int memory)
{
    static const char *const names[MEMORIES] = {"own", "peer", "host near",
                                                "host far"};
    return names[memory];
}

#endif
