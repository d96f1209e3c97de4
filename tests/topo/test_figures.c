/*
 * All that a machine is made of, and what its transfers use and cost, is the
 * same as when it was last looked at: machines.gz has a part for each test. The
 * machines differ in what decides how bytes move; odd.xml has what no shipped
 * one has: PCIe switches, links of each generation, GPUs without NICs near.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h> /* PRIu64 */
#include <stdio.h>    /* open_memstream */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */

#include "golden.h"
#include "machine.h"
#include "suite.h"
#include "topo/calibration.h"
#include "topo/machine.h"

#define FIGURES "tests/topo/figures/machines.gz"
#define ODD     "tests/topo/figures/odd.xml"

static const struct {
    const char *name;
    const char *env[3]; /* NCCL's variables */
} machines[] = {
    {"dgx-1v", {0}},
    {"shuffled:7:a100-cubemesh", {0}},
    {"sick:3:a100-cubemesh", {0}},
    {"dgx-a100", {"NCCL_P2P_DISABLE=1", "NCCL_MAX_NCHANNELS=1"}},
    {"3x:dgx-a100@roce,one-thread", {"NCCL_MIN_NCHANNELS=20"}},
    {"sick:1:dgx-h100", {0}},
    {"dgx-h100@one-thread,floor:30", {"NCCL_MAX_CTAS=5"}},
    {"2x:dgx-h100@ndr,rail:4,no-nic:3,seed:a", {0}},
    {"2x:dgx-a100@slow-nic:1", {"NCCL_IB_DISABLE=1"}},
    {"4x:dgx-h100@efa,fat-tree:2,floor:90", {0}},
    {"2x:dgx-h100@tcpxo", {"NCCL_NET_GDR_LEVEL=LOC", "NCCL_NVLS_ENABLE=0"}},
    {"pcie-4090", {"NCCL_P2P_LEVEL=SYS"}},
    {"5x:gh200@slingshot", {0}},
    {"hgx-b300", {0}},
    {ODD, {0}},
    {"2x:" ODD, {"NCCL_SHM_DISABLE=1"}},
    {"2x:" ODD "@fat-tree:3", {"NCCL_NET_GDR_LEVEL=PIX", "NCCL_P2P_LEVEL=PIX"}},
};
enum { NMACHINES = sizeof machines / sizeof *machines, MOST = 40 };

static struct topo *load(int i)
{
    struct topo *const t = machine_load(machines[i].name);
    topo_settings(t, (char *const *)(uintptr_t)machines[i].env, NULL, NULL);
    return t;
}

typedef void print(FILE *out, struct topo *t);

static void check(print *p, const char *part)
{
    FILE *const out = golden_begin();
    for (int i = 0; i < NMACHINES; i++) {
        struct topo *const t = load(i);
        fprintf(out, "== %s", machines[i].name);
        for (int k = 0; machines[i].env[k]; k++)
            fprintf(out, " %s", machines[i].env[k]);
        fprintf(out, "\n");
        p(out, t);
        topo_free(t);
    }
    golden_end(out, part);
}

/* ---- parts --------------------------------------------------------------- */

static void print_gpu(FILE *out, const struct topo *t, int i)
{
    char cores[200];
    const struct topo_gpu *const g = topo_gpu(t, i);
    fprintf(out, "GPU %d: %s %s %d.%d numa %d sm %d x%d %d %d kHz %d bits", i,
            g->name, g->bus_id, g->node, g->local, g->numa, g->sm, g->nsm,
            g->clock_khz, g->mem_clock_khz, g->mem_bus_bits);
    fprintf(out, " %" PRIu64 " %" PRIu64 " cores %s\n", g->mem_nbytes,
            g->l2_nbytes, topo_cores(t, i, cores, sizeof cores));
}

static void print_costs(FILE *out, const struct topo *t)
{
    const struct topo_costs *const c = topo_costs(t);
    const uint64_t ps[] = {c->launch_host_ps, c->kernel_ps,   c->copy_ps,
                           c->sync_host_ps,   c->api_host_ps, c->map_host_ps,
                           c->unmap_host_ps,  c->mpi_ps,      c->mpi_net_ps};
    fprintf(out, "costs:");
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++)
        fprintf(out, " %" PRIu64, ps[i]);
    fprintf(out, " %g %g\n", c->mpi_rate, c->nccl_sm_share);
}

/* Neighbours of one rate on a line. */
static void print_resources(FILE *out, const struct topo *t)
{
    double rate = 0;
    for (int i = 0; i < topo_nresources(t); i++) {
        const struct topo_resource *const r = topo_resource(t, i);
        if (r->rate != rate)
            fprintf(out, "%s%.12g:", i ? "\n" : "", r->rate);
        fprintf(out, " %s,", r->name);
        rate = r->rate;
    }
    fprintf(out, "\n");
}

/* nvidia-smi's matrix. */
static void print_links(FILE *out, const struct topo *t)
{
    char link[8];
    const int n = topo_ngpus(t) / topo_nnodes(t) + topo_nnics(t);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++)
            fprintf(out, "%s ", topo_link(t, a, b, link));
        const int nic = a - n + topo_nnics(t);
        fprintf(out, "%s\n", nic < 0 ? "GPU" : topo_nic_name(t, nic));
    }
    for (int a = 0; a < topo_ngpus(t); a++) {
        for (int b = 0; b < topo_ngpus(t); b++)
            fprintf(out, "%d", topo_p2p(t, a, b) + 2 * topo_multicast(t, a, b));
        fprintf(out, " ");
    }
    fprintf(out, "\n");
}

static void print_parts(FILE *out, struct topo *t)
{
    fprintf(out, "%d nodes, %d GPUs, %d NICs, first %d second %d\n",
            topo_nnodes(t), topo_ngpus(t), topo_nnics(t), t->number[0],
            t->number[1]);
    print_gpu(out, t, 0);
    print_gpu(out, t, topo_ngpus(t) - 1);
    print_costs(out, t);
    calibration_write(&t->cal, out);
    print_links(out, t);
    if (topo_nnodes(t) < 3)
        print_resources(out, t);
}

START_TEST(machines_are_made_of_the_same_parts)
{
    check(print_parts, FIGURES "#parts");
}
END_TEST

/* ---- paths --------------------------------------------------------------- */

static void print_path(FILE *out, const struct topo *t,
                       const struct topo_path *p)
{
    fprintf(out, " %s %" PRIu64 " ps cap %.9g share %.9g", p->kind,
            p->latency_ps, p->rate_cap, p->share);
    for (int i = 0; i < p->nresources; i++)
        fprintf(out, ", %s", topo_resource(t, p->resource[i])->name);
}

/* In each way; those that are alike on one line. */
static void print_ways(FILE *out, const struct topo *t, int32_t from,
                       int32_t to)
{
    char *last = NULL;
    for (int way = TOPO_STAGED; way <= TOPO_NETWORK; way++) {
        struct topo_path p;
        char *text;
        size_t nbytes;
        FILE *const f = open_memstream(&text, &nbytes);
        if (topo_path(t, from, to, way, &p) == 0)
            print_path(f, t, &p);
        else
            fprintf(f, " none");
        fclose(f);
        if (!last || strcmp(text, last) != 0)
            fprintf(out, "%s%d to %d:%s", last ? "\n" : "", (int)from, (int)to,
                    text);
        fprintf(out, " (%d)", way);
        free(last);
        last = text;
    }
    free(last);
    fprintf(out, "\n");
}

static void print_paths(FILE *out, struct topo *t)
{
    const int n = topo_ngpus(t), last = topo_nnodes(t) - 1;
    const int32_t at[] = {0,
                          1,
                          n / topo_nnodes(t) / 2,
                          n - 1,
                          TOPO_HOST_PLACE(0),
                          TOPO_HOST_PLACE(last),
                          TOPO_CPU_PLACE(0, 0),
                          TOPO_CPU_PLACE(last, t->ncpus - 1),
                          TOPO_SWITCH_PLACE};
    const int from[] = {0, 4, 7, 8};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            if (from[i] != 8 || k < 4)
                print_ways(out, t, at[from[i]], at[k]);
}

START_TEST(paths_use_the_same_resources)
{
    check(print_paths, FIGURES "#paths");
}
END_TEST

/* ---- rings --------------------------------------------------------------- */

static void print_ring(FILE *out, const struct topo *t, const int32_t *place,
                       int n)
{
    const int channels = topo_channels(t, place, n);
    fprintf(out, "%d ranks, %d channels", n, channels);
    for (int c = 0; c < channels && c < 7; c++) {
        int rank[MOST];
        topo_ring(t, place, n, c, rank);
        fprintf(out, ";");
        for (int i = 0; i < n; i++)
            fprintf(out, " %d", rank[i]);
    }
    fprintf(out, "\n");
}

/* The first n GPUs, in order; of all, each step'th; the last n backwards. */
static void print_rings(FILE *out, struct topo *t)
{
    int32_t place[MOST];
    const int all = topo_ngpus(t);
    for (int n = 2; n <= all; n += n < 8 ? 1 : 7) {
        for (int i = 0; i < n; i++)
            place[i] = i;
        print_ring(out, t, place, n);
    }
    for (int step = 2; step < 4; step++) {
        int n = 0;
        for (int i = 1; i < all; i += step)
            place[n++] = i;
        print_ring(out, t, place, n);
    }
    for (int i = 0; i < 5; i++)
        place[i] = all - 1 - i;
    if (all > 4)
        print_ring(out, t, place, 5);
}

START_TEST(rings_visit_gpus_in_the_same_order)
{
    check(print_rings, FIGURES "#rings");
}
END_TEST

/* ---- costs --------------------------------------------------------------- */

/* What is used, by the first word of its name: how many, the most, and a sum
 * that tells who. */
static void print_loads(FILE *out, const struct topo *t,
                        const struct topo_coll *c)
{
    for (int i = 0; i < c->nloads; i++) {
        const char *const name = topo_resource(t, c->loads[i].resource)->name;
        const size_t length = strcspn(name, " ") + 1;
        double most = 0, who = 0;
        int n = 0, first = i;
        for (int k = 0; k < c->nloads; k++) {
            const struct topo_load *const l = &c->loads[k];
            if (strncmp(topo_resource(t, l->resource)->name, name, length) != 0)
                continue;
            first = k < first ? k : first;
            most = l->work > most ? l->work : most;
            who += l->work * (1 + l->resource);
            n++;
        }
        if (first == i)
            fprintf(out, ", %d %.*s%g %.7g", n, (int)length, name, most, who);
    }
}

static void print_time(FILE *out, const struct topo_coll *c)
{
    fprintf(out, " %" PRIu64, c->time_ps);
    if (c->host_ps)
        fprintf(out, "(%" PRIu64 ")", c->host_ps);
}

static const uint64_t sizes[] = {100, 300000, 40000000};
enum { NSIZES = sizeof sizes / sizeof *sizes };

static int is_message(enum topo_op op)
{
    return op == TOPO_OP_SENDRECV || op == TOPO_OP_ALLTOALL ||
           op == TOPO_OP_GATHER || op == TOPO_OP_SCATTER;
}

/* One algorithm, with each protocol; messages take either as they like. */
static void print_algo(FILE *out, const struct topo *t, enum topo_op op,
                       const int32_t *place, int n, int algo)
{
    struct topo_coll c;
    char err[400];
    int found = 0;
    for (int proto = 0; proto < (is_message(op) ? 1 : TOPO_PROTOS); proto++)
        for (int i = 0; i < NSIZES; i++) {
            if (topo_collective(t, op, place, n, sizes[i], 1 << algo,
                                1 << proto, &c, err, sizeof err) != 0)
                continue;
            if (!found++) {
                fprintf(out, "%d x%d %s", op, n, topo_algo_name(c.algo));
                print_loads(out, t, &c);
            }
            if (i == 0)
                fprintf(out, "; %s", topo_proto_name(c.proto));
            print_time(out, &c);
            topo_coll_release(&c);
        }
    if (found)
        fprintf(out, "\n");
}

static void print_message(FILE *out, const struct topo *t, int32_t to)
{
    struct topo_coll c;
    char err[400];
    fprintf(out, "0 to %d", (int)to);
    for (int i = 0; i < NSIZES; i++)
        if (topo_message(t, 0, to, sizes[i], &c, err, sizeof err) == 0) {
            if (i == 0)
                print_loads(out, t, &c);
            fprintf(out, " %s", topo_proto_name(c.proto));
            print_time(out, &c);
            topo_coll_release(&c);
        }
    fprintf(out, "\n");
}

/* Over all GPUs but one, and over the first of each node, or two. */
static void print_collectives(FILE *out, struct topo *t)
{
    int32_t place[MOST];
    const int all = topo_ngpus(t), nodes = topo_nnodes(t);
    const int few = nodes > 1 ? nodes : 2;
    for (int op = TOPO_OP_ALLREDUCE; op < TOPO_OPS; op++)
        for (int set = 0; set < 2; set++) {
            const int n = set ? few : all - (all > 8);
            for (int i = 0; i < n; i++)
                place[i] = set ? i * (all / few) : i;
            for (int a = is_message((enum topo_op)op) ? TOPO_PAT : 0;
                 a <= TOPO_PAT; a++)
                print_algo(out, t, (enum topo_op)op, place, n, a);
        }
    for (int to = 0; to < all; to += (all + 2) / 3)
        print_message(out, t, to);
}

START_TEST(collectives_cost_the_same)
{
    check(print_collectives, FIGURES "#costs");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: figures");
    TCase *const t = tcase_create("figures");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, machines_are_made_of_the_same_parts);
    tcase_add_test(t, paths_use_the_same_resources);
    tcase_add_test(t, rings_visit_gpus_in_the_same_order);
    tcase_add_test(t, collectives_cost_the_same);
    suite_add_tcase(s, t);
    return suite_run(s);
}
