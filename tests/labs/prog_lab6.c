/* links: graph topo base
 * links: solutions/lab6-peer-bandwidth/infer.c
 * links: solutions/lab6-peer-bandwidth/schedule.c
 * links: common/staff/lab6-peer-bandwidth/cards.c
 * links: common/staff/lab6-peer-bandwidth/peers.c
 *
 * prog_lab6 MACHINE FIRST N: lab 6's solution on N shuffled and sick machines
 *
 * The part of the solution that needs no GPU, given bandwidths that the
 * topology module computes: are all links named, is the order of GPUs right,
 * the ring the best there is, and the sick cable the one that was made sick?
 * Nobody may be accused on a healthy machine. Prints what goes wrong; the last
 * line counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../solutions/lab6-peer-bandwidth/lab6.h"
#include "lab/lab.h"
#include "topo/bounds.h"
#include "topo/machine.h"

/* What the lab's runner would do; nothing here comes to it. */
void lab_hole(const char *what)
{
    printf("hole: %s\n", what);
    exit(2);
}

ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line)
{
    printf("%s:%d: %s\n", file, line, call);
    return err;
}

ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line)
{
    printf("%s:%d: %s: error %d\n", file, line, call, (int)err);
    return ncclUnhandledCudaError;
}

static struct topo *load(const char *kind, long seed, const char *machine)
{
    char name[200], err[400];
    if (kind)
        snprintf(name, sizeof name, "%s:%ld:%s", kind, seed, machine);
    struct topo *const t = topo_load(kind ? name : machine, err, sizeof err);
    if (!t) {
        printf("%s\n", err);
        exit(2);
    }
    return t;
}

/* Bandwidths as a program measures them: a copy's latency is in them. */
static struct gbps measure(const struct topo *t)
{
    const double nbytes = 64e6, latency_sec = 4e-6;
    struct gbps m = {.n = topo_ngpus(t)};
    for (int a = 0; a < m.n; a++)
        for (int b = 0; b < m.n; b++)
            if (a != b)
                m.at[a][b] = nbytes /
                             (nbytes / bounds_alone(t, a, b, 1) + latency_sec) *
                             1e-9;
    return m;
}

static int right_machine(const struct topo *t, const struct card *card,
                         const struct gbps *m)
{
    int link[PEERS][PEERS] = {{0}}, order[PEERS] = {0}, wrong = 0;
    char mine[8], right[8];
    infer_links(m, card->nvlink_GBps, link);
    const int fits = infer_order(link, card, order);
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++) {
            topo_link(t, a, b, right);
            wrong += strcmp(link_name(link[a][b], mine), right) != 0;
            wrong += link[a][b] != card->link[order[a]][order[b]];
        }
    return fits && wrong == 0;
}

/* The best of all rings that begin with ring[0..length). */
static double best_ring(const struct gbps *m, int *ring, int length)
{
    double best = 0;
    for (int i = length; i < m->n; i++) {
        const int swap = ring[length];
        ring[length] = ring[i];
        ring[i] = swap;
        best = fmax(best, best_ring(m, ring, length + 1));
        ring[i] = ring[length];
        ring[length] = swap;
    }
    if (length < m->n)
        return best;
    best = INFINITY;
    for (int i = 0; i < m->n; i++)
        best = fmin(best, m->at[ring[i]][ring[(i + 1) % m->n]]);
    return best;
}

static int right_ring(const struct gbps *m)
{
    int ring[PEERS] = {0}, all[PEERS], seen = 0;
    double least = INFINITY;
    for (int i = 0; i < m->n; i++)
        all[i] = i;
    widest_ring(m, ring);
    for (int i = 0; i < m->n; i++) {
        least = fmin(least, m->at[ring[i]][ring[(i + 1) % m->n]]);
        seen |= 1 << ring[i];
    }
    return seen == (1 << m->n) - 1 && least >= .99 * best_ring(m, all, 1);
}

static int is_resource(const struct topo *t, const char *name, int r)
{
    return strcmp(topo_resource(t, r)->name, name) == 0;
}

/* Does the answer name the cable whose resources are t->sick? */
static int right_cable(const struct topo *t, struct cable c)
{
    char there[48], back[48], port[48];
    snprintf(there, sizeof there, "nvlink G%d->G%d", c.a, c.b);
    snprintf(back, sizeof back, "nvlink G%d->G%d", c.b, c.a);
    if (c.b >= 0)
        return is_resource(t, there, t->sick[0]) ||
               is_resource(t, back, t->sick[0]);
    snprintf(there, sizeof there, "nvlink G%d up", c.a);
    snprintf(port, sizeof port, "pcie G%d up", c.a);
    return is_resource(t, there, t->sick[0]) ||
           is_resource(t, port, t->sick[0]);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const char *const machine = argv[1];
    const long first = atol(argv[2]), n = atol(argv[3]);
    const struct card *const card = card_find(machine);
    int link[PEERS][PEERS];
    int machines = 0, rings = 0, cables = 0;
    memcpy(link, card->link, sizeof link);
    struct topo *const healthy = load(NULL, 0, machine);
    const struct gbps h = measure(healthy);
    const int accused = find_sick(&h, link).a >= 0;
    for (long seed = first; seed < first + n; seed++) {
        struct topo *t = load("shuffled", seed, machine);
        struct gbps m = measure(t);
        machines += right_machine(t, card, &m);
        rings += right_ring(&m);
        topo_free(t);
        t = load("sick", seed, machine);
        m = measure(t);
        cables += right_cable(t, find_sick(&m, link));
        topo_free(t);
    }
    topo_free(healthy);
    printf("%s: of %ld machines %d named right, %d rings the best, %d sick "
           "cables found; %d accused on a healthy one\n",
           machine, n, machines, rings, cables, accused);
    return 0;
}
