/*
 * commgraph p2p: copies between all pairs of GPUs, like p2pBandwidthLatencyTest
 *
 * Each pair is measured by itself, with a copy alone and with a copy in each
 * direction. If the two GPUs can't map each other's memory, P2P on equals off.
 * The diagonal is a copy within a GPU, counting both bytes read and bytes
 * written.
 */
#include <errno.h>   /* errno */
#include <jansson.h> /* json_pack */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* strcmp */

#include "command.h"
#include "heatmap.h"
#include "topo/copies.h"

enum { MAX_GPUS = 64, MATRICES = 3 };

static const struct {
    const char *key, *title;
} matrices[MATRICES] = {
    {"one_way", "one way, GB/s"},
    {"both_ways", "both ways together, GB/s"},
    {"latency", "latency, us"},
};

struct tables { /* [P2P off, on][matrix][from * n + to] */
    int n;
    double *at[2][MATRICES];
};

/* Measure the three figures of one pair, and store them at index i
 * of the tables. */
static int measure(const struct topo *t, int from, int to, int direct,
                   double *const *at, int i)
{
    struct topo_path path[2];
    double alone, rate[2];
    if (topo_path(t, from, to, direct, &path[0]) != 0 ||
        topo_path(t, to, from, direct, &path[1]) != 0)
        return command_failed("%s: no path from GPU %d to %d", topo_name(t),
                              from, to);
    if (copies_share(t, path, 1, &alone) != 0 ||
        copies_share(t, path, 2, rate) != 0)
        return command_failed("no memory");
    at[0][i] = alone * 1e-9;
    at[1][i] = (rate[0] + rate[1]) * 1e-9;
    at[2][i] = (double)(path[0].latency_ps + topo_costs(t)->copy_ps) * 1e-6;
    return 0;
}

static int fill(const struct topo *t, struct tables *all)
{
    int status = 0;
    for (int direct = 0; direct < 2; direct++)
        for (int from = 0; from < all->n; from++)
            for (int to = 0; to < all->n && status == 0; to++)
                status = measure(t, from, to, direct, all->at[direct],
                                 from * all->n + to);
    return status;
}

static void print_text(const struct tables *all)
{
    for (int direct = 1; direct >= 0; direct--)
        for (int m = 0; m < MATRICES; m++) {
            printf("P2P %s, %s\n   D\\D", direct ? "on" : "off",
                   matrices[m].title);
            for (int to = 0; to < all->n; to++)
                printf(" %8d", to);
            for (int i = 0; i < all->n * all->n; i++) {
                if (i % all->n == 0)
                    printf("\n%6d", i / all->n);
                printf(" %8.2f", all->at[direct][m][i]);
            }
            printf("\n\n");
        }
}

static json_t *matrix(const double *at, int n)
{
    json_t *const rows = json_array();
    for (int from = 0; from < n; from++) {
        json_t *const row = json_array();
        for (int to = 0; to < n; to++)
            json_array_append_new(row, json_real(at[from * n + to]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static int print_json(const struct topo *t, const struct tables *all)
{
    json_t *const root =
        json_pack("{s:s, s:s, s:s}", "topology", topo_name(t), "bandwidth_unit",
                  "GB/s", "latency_unit", "us");
    for (int direct = 1; direct >= 0; direct--) {
        json_t *const one = json_object();
        for (int m = 0; m < MATRICES; m++)
            json_object_set_new(one, matrices[m].key,
                                matrix(all->at[direct][m], all->n));
        json_object_set_new(root, direct ? "p2p_on" : "p2p_off", one);
    }
    const int err =
        root ? json_dumpf(root, stdout, JSON_REAL_PRECISION(12)) : -1;
    printf("\n");
    json_decref(root);
    return err ? command_failed("cannot write JSON") : 0;
}

/* Draw the bandwidths in one direction, with peer access. */
static int draw(const struct topo *t, const struct tables *all,
                const char *path)
{
    char title[300];
    snprintf(title, sizeof title, "%.200s: one copy, one way, GB/s",
             topo_name(t));
    FILE *const f = fopen(path, "w");
    int err = !f || heatmap_svg(f, title, all->at[1][0], all->n) != 0;
    if (f && fclose(f) != 0)
        err = 1;
    return err ? command_failed("%s: %s", path, strerror(errno)) : 0;
}

static int show(const struct topo *t, int json, const char *svg)
{
    struct tables all = {.n = topo_ngpus(t)};
    int status = 0;
    if (all.n > MAX_GPUS)
        return command_failed("%s has %d GPUs: p2p shows up to %d",
                              topo_name(t), all.n, MAX_GPUS);
    double *const memory =
        calloc((size_t)(2 * MATRICES * all.n * all.n), sizeof *memory);
    if (!memory)
        return command_failed("no memory for %d GPUs", all.n);
    for (int i = 0; i < 2 * MATRICES; i++)
        all.at[i / MATRICES][i % MATRICES] = memory + i * all.n * all.n;
    status = fill(t, &all);
    if (status == 0 && svg)
        status = draw(t, &all, svg);
    else if (status == 0 && json)
        status = print_json(t, &all);
    else if (status == 0)
        print_text(&all);
    free(memory);
    return status;
}

int cmd_p2p(int argc, char **argv)
{
    const char *name = NULL, *svg = NULL;
    char err[600], list[400];
    int json = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = 1;
        else if (strcmp(argv[i], "--topo") == 0 && i + 1 < argc)
            name = argv[++i];
        else if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc)
            svg = argv[++i];
        else
            return command_usage("unexpected argument '%s'", argv[i]);
    }
    topo_list(list, sizeof list);
    if (!name)
        return command_usage("name a machine: --topo with one of %s, or "
                             "a file",
                             list);
    struct topo *const t = topo_load(name, err, sizeof err);
    if (!t)
        return command_failed("%s", err);
    const int status = show(t, json, svg);
    topo_free(t);
    return status;
}
