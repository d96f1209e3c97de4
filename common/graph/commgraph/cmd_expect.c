/*
 * commgraph expect: is a measured bandwidth right?
 *
 * Reads the output of nccl-tests, models each row on a machine, and says what
 * limits it there: the busiest link, the protocol, the latency, or hosts.
 */
#include <math.h>   /* log */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "command.h"
#include "fit_report.h"
#include "tables.h"
#include "topo/fit/fit.h"

enum { MIB = 1 << 20 };

/* A row is off if it differs by more than the model's own error, about 10 %. */
static const double SLOW = 1.25, FAST = .8;

struct request {
    struct tables_options tables;
    struct topo_sets algos, protos;
};

static int read_arguments(int argc, char **argv, struct request *r)
{
    const struct tables_option more[] = {{NULL, NULL}};
    const int status = tables_arguments(argc, argv, &r->tables, more);
    if (status != 0)
        return status;
    if (!r->tables.topo)
        return command_usage("--topo is needed: the machine that it ran on");
    if (r->tables.npaths == 0)
        r->tables.path[r->tables.npaths++] = "-";
    return 0;
}

/* Write what takes most of a row's time to out. */
static void find_bound(const struct topo *t, const struct topo_coll *c,
                       char *out, size_t nbytes)
{
    const double all = (double)c->time_ps, latency = (double)c->latency_ps;
    const char *const algo = topo_algo_name(c->algo);
    const char *const proto = topo_proto_name(c->proto);
    double busy = 0;
    const char *link = "";
    for (int i = 0; i < c->nloads; i++) {
        const struct topo_resource *const r =
            topo_resource(t, c->loads[i].resource);
        const double ps = c->loads[i].work / r->rate * 1e12;
        if (ps > busy) {
            busy = ps;
            link = r->name;
        }
    }
    const int percent = (int)lround(100 * busy / all);
    if (latency >= .5 * all)
        snprintf(out, nbytes, "latency of %s %s, %.1f us", algo, proto,
                 latency * 1e-6);
    else if ((double)c->host_ps >= .5 * all)
        snprintf(out, nbytes,
                 "hosts that send and receive chunks (%s %s); %s is %d %% busy",
                 algo, proto, link, percent);
    else if (busy >= .5 * all)
        snprintf(out, nbytes, "%s, %d %% busy (%s %s)", link, percent, algo,
                 proto);
    else if (c->proto != TOPO_SIMPLE)
        snprintf(out, nbytes, "protocol %s (%s); %s is %d %% busy", proto, algo,
                 link, percent);
    else
        snprintf(out, nbytes, "filling the pipeline (%s %s); %s is %d %% busy",
                 algo, proto, link, percent);
}

struct sums { /* sums of log(measured / expected), below 1 MiB and
                 from there on */
    double log_ratio[2];
    int n[2];
};

static int print_row(const struct topo *t, const struct request *r,
                     const struct nccltests_table *table, const int32_t *place,
                     const struct nccltests_row *row, struct sums *sums)
{
    char err[600], bound[160], size[24];
    struct topo_coll c;
    if (topo_collective(t, table->op, place, table->nranks, row->nbytes,
                        r->algos.of[table->op], r->protos.of[table->op], &c,
                        err, sizeof err) != 0)
        return command_failed("%s", err);
    const double us = (double)c.time_ps * 1e-6, ratio = row->us / us;
    const double bus =
        (double)row->nbytes * 1e-3 * nccltests_bus(table->op, table->nranks);
    const int large = row->nbytes >= MIB;
    find_bound(t, &c, bound, sizeof bound);
    topo_coll_release(&c);
    printf("%10s %11.2f %11.2f %9.2f %9.2f %+6.0f %%%s  %s\n",
           fit_size(row->nbytes, size), row->us, us, bus / row->us, bus / us,
           100 * (ratio - 1),
           row->wrong     ? " WRONG RESULTS"
           : ratio > SLOW ? " SLOW"
           : ratio < FAST ? " FAST"
                          : "     ",
           bound);
    if (!row->wrong) {
        sums->log_ratio[large] += log(ratio);
        sums->n[large]++;
    }
    return 0;
}

static void print_sums(const struct sums *s, int across)
{
    const double small = s->n[0] ? exp(s->log_ratio[0] / s->n[0]) : 1;
    const double large = s->n[1] ? exp(s->log_ratio[1] / s->n[1]) : 1;
    if (s->n[1])
        printf("from 1 MiB: %.0f %% of the expected bandwidth\n", 100 / large);
    if (s->n[0])
        printf("below 1 MiB: %.2f times the expected time\n", small);
    if (large > SLOW)
        printf("Large sizes are slow. Usually %s.\n",
               fit_advice(large, across));
    else if (small > 1.5)
        printf("Small sizes are slow, large ones aren't: latency. Usually %s"
               "the host: clock governor, a virtual machine, several GPUs "
               "driven by one thread (-g).\n",
               across ? "the network and its plug-in, or " : "");
}

static int print_table(const struct topo *t, const struct request *r,
                       const struct nccltests_table *table)
{
    struct sums sums = {.n = {0}};
    int32_t *const place = calloc((size_t)table->nranks, sizeof *place);
    if (!place)
        return command_failed("no memory for %d ranks", table->nranks);
    const int nnodes = fit_place(t, table, place);
    int status = 0;
    if (nnodes < 0)
        status = command_failed("%s: %d ranks, but %s has %d GPUs", table->file,
                                table->nranks, topo_name(t), topo_ngpus(t));
    else
        printf("%s: %s, %d ranks on %d node%s of %s\n"
               "%10s %11s %11s %9s %9s %8s %5s %s\n"
               "%10s %11s %11s %9s %9s\n",
               table->file, nccltests_op_name(table->op), table->nranks, nnodes,
               nnodes > 1 ? "s" : "", topo_name(t), "", "measured", "expected",
               "measured", "expected", "time", "", "bound", "size", "us", "us",
               "busbw", "busbw");
    for (int i = 0; i < table->nrows && status == 0; i++)
        status = print_row(t, r, table, place, &table->row[i], &sums);
    for (int i = 0; i + 1 < table->nrows && status == 0; i++)
        fit_print_sick(table->file, &table->row[i], &table->row[i + 1]);
    if (status == 0)
        print_sums(&sums, nnodes > 1);
    free(place);
    return status;
}

static int expect_tables(const struct request *r, const struct nccltests *all)
{
    char machine[600], err[600];
    if (fit_machine(r->tables.topo, all, machine, sizeof machine, err,
                    sizeof err) != 0)
        return command_failed("%s", err);
    struct topo *const t = command_topo(machine);
    int status = t ? 0 : COMMAND_FAILED;
    for (int i = 0; i < all->n && status == 0; i++)
        status = print_table(t, r, &all->table[i]);
    topo_free(t);
    return status;
}

int cmd_expect(int argc, char **argv)
{
    struct request r = {0};
    struct nccltests all = {0};
    int status = read_arguments(argc, argv, &r);
    if (status == 0 && command_sets(&r.algos, &r.protos) != 0)
        return COMMAND_FAILED;
    if (status == 0)
        status = tables_read(&all, &r.tables);
    if (status != 0)
        return status;
    status = expect_tables(&r, &all);
    nccltests_release(&all);
    return status;
}
