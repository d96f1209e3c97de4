#include "topo/nccl/shape.h"

#include <math.h>   /* floor */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc, qsort */
#include <string.h> /* memcmp */

#include "topo/route.h"

static int by_place(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The bandwidth that NCCL assumes for a hop without NVLinks. */
static double pcie_hop(const struct topo *t, int a, int b)
{
    const struct machine_pci *const p = &t->pci[t->gpu[a].pci];
    const struct machine_pci *const q = &t->pci[t->gpu[b].pci];
    double bw = machine_nccl_pcie(p);
    if (machine_nccl_pcie(q) < bw)
        bw = machine_nccl_pcie(q);
    if (p->cpu != q->cpu && t->cpu[p->cpu].nccl_socket < bw)
        bw = t->cpu[p->cpu].nccl_socket;
    return bw;
}

/* Make rings through NVSwitches. One order is enough, since
 * channels share ports. */
static void switch_rings(const struct topo *t, struct shape_group *g,
                         const int *local)
{
    int links = t->gpu[local[0]].switch_links;
    for (int i = 1; i < g->n; i++)
        if (t->gpu[local[i]].switch_links < links)
            links = t->gpu[local[i]].switch_links;
    // 12 x 20 on 12 links of an A100, 12 x 30 on 18 links of an H100, and
    // 16 x 40 on 18 of a B200
    if (t->arch->sm >= 100)
        g->channels = links * 8 / 9;
    else
        g->channels = t->arch->sm >= 90 ? links * 2 / 3 : links;
    g->bw = t->arch->sm == 90 ? floor(1.5 * t->arch->nccl_link)
                              : t->arch->nccl_link;
    g->nvlink = g->channels > 0;
}

static void link_rings(const struct topo *t, struct shape_group *g,
                       const int *local)
{
    g->nrings = ring_find(t, local, g->n, g->ring);
    for (int i = 0; i < g->nrings; i++)
        g->channels += g->ring[i].channels;
    g->bw = t->arch->nccl_link;
    g->nvlink = g->nrings > 0;
}

static int cpu_of_place(const struct topo *t, int32_t place)
{
    return t->pci[t->gpu[place % t->ngpus].pci].cpu;
}

/* Sort GPUs by their CPUs, with a stable sort: NCCL's ring crosses between
 * sockets once each way, however GPUs are numbered. */
static void sort_by_cpu(const struct topo *t, int32_t *place, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i;
             k > 0 && cpu_of_place(t, place[k]) < cpu_of_place(t, place[k - 1]);
             k--) {
            const int32_t swap = place[k];
            place[k] = place[k - 1];
            place[k - 1] = swap;
        }
}

static enum reach distance(const struct topo *t, int32_t a, int32_t b)
{
    const int i = a % t->ngpus, k = b % t->ngpus;
    return route_nvlinks(t, i, k)
               ? REACH_NVL
               : route_reach(t, cpu_of_place(t, a), t->gpu[i].pci,
                             cpu_of_place(t, b), t->gpu[k].pci);
}

/* After each GPU, put the nearest of the remaining ones, as NCCL's search does:
 * pairs with NVLinks or a PCIe switch in common become neighbours. */
static void sort_by_distance(const struct topo *t, int32_t *place, int n)
{
    for (int i = 1; i < n; i++) {
        int near = i;
        for (int k = i + 1; k < n; k++)
            if (distance(t, place[i - 1], place[k]) <
                distance(t, place[i - 1], place[near]))
                near = k;
        const int32_t next = place[near];
        memmove(&place[i + 1], &place[i], sizeof next * (size_t)(near - i));
        place[i] = next;
    }
}

/* Make one ring in the order of place[], with two channels on it. */
static void pcie_rings(const struct topo *t, struct shape_group *g,
                       const int *local)
{
    g->channels = 2;
    g->bw = pcie_hop(t, local[g->n - 1], local[0]) / 2;
    for (int i = 1; i < g->n; i++) {
        const double bw = pcie_hop(t, local[i - 1], local[i]) / 2;
        if (bw < g->bw)
            g->bw = bw;
    }
}

static void find_rings(const struct topo *t, struct shape_group *g,
                       int32_t *place)
{
    int local[MACHINE_GPUS] = {0};
    for (int i = 0; i < g->n; i++)
        local[i] = g->place[i] % t->ngpus;
    if (g->n == 1)
        g->nvlink = 1;
    else if (t->nccl.no_p2p)
        g->nvlink = 0;
    else if (t->switched)
        switch_rings(t, g, local);
    else
        link_rings(t, g, local);
    if (g->nvlink)
        return;
    sort_by_cpu(t, place, g->n);
    sort_by_distance(t, place, g->n);
    for (int i = 0; i < g->n; i++)
        local[i] = place[i] % t->ngpus;
    pcie_rings(t, g, local);
}

/*
 * Find the GPUs of a group through which channels leave its node, into exit[]:
 * those nearest to their NIC. A GPU without a NIC of its own leaves through the
 * GPU that is nearer to the same NIC. If several are equally near, all count.
 */
static void find_exits(const struct topo *t, struct shape_group *g,
                       int32_t *exit)
{
    int nic[MACHINE_GPUS];
    enum reach reach[MACHINE_GPUS], nearest[MACHINE_NICS];
    int used[MACHINE_NICS] = {0};
    for (int i = 0; i < g->n; i++) {
        const int local = g->place[i] % t->ngpus, pci = t->gpu[local].pci;
        const int k = nic[i] = route_nic(t, local);
        if (k < 0)
            continue;
        reach[i] =
            route_reach(t, t->pci[pci].cpu, pci, t->nic[k].cpu, t->nic[k].pci);
        if (!used[k] || reach[i] < nearest[k])
            nearest[k] = reach[i];
        // count each NIC once: 12 GB/s for 100 Gbit/s
        if (!used[k]++)
            g->net += t->nic[k].mbps / 100000 * 12;
    }
    g->exit = exit;
    for (int i = 0; i < g->n; i++)
        if (nic[i] < 0 || reach[i] == nearest[nic[i]])
            exit[g->nexits++] = g->place[i];
}

static void make_groups(const struct topo *t, struct shape *s)
{
    for (int i = 0; i < s->n; i++) {
        const int node = s->sorted[i] / t->ngpus;
        struct shape_group *g = &s->group[s->ngroups];
        if (s->ngroups == 0 || g[-1].node != node) {
            *g = (struct shape_group){.node = node, .place = &s->sorted[i]};
            s->ngroups++;
        } else {
            g--;
        }
        g->n++;
        if (g->n > s->most)
            s->most = g->n;
    }
}

/* Join the groups' rings. The slowest ring and the network limit the result. */
static void join_groups(const struct topo *t, struct shape *s)
{
    double bus = 0;
    s->nvlink = 1;
    for (int i = 0; i < s->ngroups; i++) {
        struct shape_group *const g = &s->group[i];
        find_rings(t, g, s->sorted + (g->place - s->sorted));
        find_exits(t, g, s->exits + (g->place - s->sorted));
        s->nvlink &= g->nvlink;
        if (g->n > 1 && (bus == 0 || g->channels * g->bw < bus)) {
            bus = g->channels * g->bw;
            s->channels = g->channels;
        }
        if (s->ngroups > 1 && (bus == 0 || g->net < bus))
            bus = g->net;
    }
    if (s->channels == 0)
        s->channels = 2; // one GPU on each node
    s->bw = bus / s->channels;
    s->nvls =
        !t->nccl.no_nvls && t->switched && t->arch->sm >= 90 && s->most > 2;
    for (int i = 0; i < s->ngroups; i++)
        s->nvls &= s->group[i].n == s->most && s->nvlink;
}

static int check_places(const struct topo *t, const struct shape *s, char *err,
                        size_t err_nbytes)
{
    for (int i = 0; i < s->n; i++) {
        if (!topo_gpu(t, s->sorted[i])) {
            snprintf(err, err_nbytes, "%s has %d GPUs; a rank is on place %d",
                     t->name, topo_ngpus(t), (int)s->sorted[i]);
            return -1;
        }
        if (i > 0 && s->sorted[i] == s->sorted[i - 1]) {
            snprintf(err, err_nbytes, "two ranks on GPU %d", (int)s->sorted[i]);
            return -1;
        }
    }
    return 0;
}

static struct shape *make(const struct topo *t, const int32_t *place, int n,
                          char *err, size_t err_nbytes)
{
    const size_t nbytes = sizeof *place * (size_t)n;
    struct shape *const s = calloc(1, sizeof *s);
    if (s) {
        s->n = n;
        s->place = malloc(nbytes);
        s->sorted = malloc(nbytes);
        s->exits = malloc(nbytes);
        s->group = calloc((size_t)n, sizeof *s->group);
    }
    if (!s || !s->place || !s->sorted || !s->exits || !s->group) {
        snprintf(err, err_nbytes, "no memory");
        shape_free(s);
        return NULL;
    }
    memcpy(s->place, place, nbytes);
    memcpy(s->sorted, place, nbytes);
    qsort(s->sorted, (size_t)n, sizeof *s->sorted, by_place);
    if (check_places(t, s, err, err_nbytes) != 0) {
        shape_free(s);
        return NULL;
    }
    make_groups(t, s);
    join_groups(t, s);
    return s;
}

struct shape *shape_of(const struct topo *t, const int32_t *place, int n,
                       char *err, size_t err_nbytes)
{
    // the list is a cache: callers see a machine that doesn't change
    struct topo *const mutable = (struct topo *)t;
    if (n < 1 || n > topo_ngpus(t)) {
        snprintf(err, err_nbytes, "%d ranks: %s has %d GPUs", n, t->name,
                 topo_ngpus(t));
        return NULL;
    }
    pthread_mutex_lock(&mutable->lock);
    struct shape *s = t->shapes;
    while (s && (s->n != n ||
                 memcmp(s->place, place, sizeof *place * (size_t)n) != 0))
        s = s->next;
    if (!s && (s = make(t, place, n, err, err_nbytes))) {
        s->next = t->shapes;
        mutable->shapes = s;
    }
    pthread_mutex_unlock(&mutable->lock);
    return s;
}

struct shape *shape_connected(const struct topo *t, const int32_t *place, int n,
                              char *err, size_t err_nbytes)
{
    struct shape *const s = shape_of(t, place, n, err, err_nbytes);
    if (!s || s->ngroups == 1 || t->nnics > 0)
        return s;
    snprintf(err, err_nbytes, "%s has no <net>: its nodes aren't connected",
             t->name);
    return NULL;
}

void shape_free(struct shape *s)
{
    if (!s)
        return;
    free(s->place);
    free(s->sorted);
    free(s->exits);
    free(s->group);
    free(s);
}
