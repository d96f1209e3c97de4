/*
 * fit_place.c: where the ranks of a table were on a machine
 */
#include <ctype.h>  /* isdigit */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "topo/fit/fit.h"
#include "topo/machine.h"
#include "topo/nccl/tuning.h"

enum { RACK = 16 }; /* a node with more GPUs than this has several hosts */

static int gpus_of_node(const struct topo *t)
{
    return topo_ngpus(t) / topo_nnodes(t);
}

/* True if each host's ranks go to a node of their own, at most as many as it
 * has GPUs. A host with more GPUs than a node has is a rack. */
static int apart(const struct topo *t, const struct nccltests_table *table)
{
    const int each = gpus_of_node(t);
    int most = 0;
    for (int i = 0; table->rank && i < table->nranks; i++)
        most = table->rank[i].device > most ? table->rank[i].device : most;
    return table->rank && most < each && (each <= RACK || most >= RACK);
}

/* The number of GPUs that a table needs on a machine of t's kind. */
static int gpus_for(const struct topo *t, const struct nccltests_table *table)
{
    return apart(t, table) ? table->nhosts * gpus_of_node(t) : table->nranks;
}

/* True if each rank has its own GPU: a host may run several on
 * one device (MIG). */
static int distinct(const int32_t *place, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (place[i] == place[k])
                return 0;
    return 1;
}

int fit_place(const struct topo *t, const struct nccltests_table *table,
              int32_t *place)
{
    const int each = gpus_of_node(t), spread = apart(t, table);
    int most = 0;
    if (gpus_for(t, table) > topo_ngpus(t))
        return -1;
    for (int i = 0; i < table->nranks; i++)
        place[i] =
            spread ? table->rank[i].host * each + table->rank[i].device : i;
    if (!distinct(place, table->nranks))
        for (int i = 0; i < table->nranks; i++)
            place[i] = i;
    for (int i = 0; i < table->nranks; i++)
        if (place[i] / each > most)
            most = place[i] / each;
    return most + 1;
}

/* The option that says how all tables were measured, unless it is
 * already given. */
static const char *suffix_for(const struct topo *t,
                              const struct nccltests *tables)
{
    const char *const slash = strrchr(t->name, '/');
    for (int i = 0; i < tables->n; i++)
        if (!tables->table[i].one_thread)
            return "";
    if (t->one_thread)
        return "";
    return strchr(slash ? slash : t->name, '@') ? ",one-thread" : "@one-thread";
}

int fit_machine(const char *machine, const struct nccltests *tables, char *out,
                size_t nbytes, char *err, size_t err_nbytes)
{
    struct topo *const t = topo_load(machine, err, err_nbytes);
    int need = 0;
    if (!t)
        return -1;
    for (int i = 0; i < tables->n; i++) {
        const int n = gpus_for(t, &tables->table[i]);
        need = n > need ? n : need;
    }
    const int each = gpus_of_node(t), nodes = (need + each - 1) / each;
    const char *name = machine;
    while (isdigit((unsigned char)*name))
        name++;
    name = name > machine && strncmp(name, "x:", 2) == 0 ? name + 2 : machine;
    const char *const suffix = suffix_for(t, tables);
    if (need <= topo_ngpus(t))
        snprintf(out, nbytes, "%s%s", machine, suffix);
    else
        snprintf(out, nbytes, "%dx:%s%s", nodes, name, suffix);
    topo_free(t);
    return 0;
}

/* ---- setting up ---------------------------------------------------------- */

/* Choose the reference of a curve. Curves are measured on the first GPUs of
 * each node, the same number on each; the table with the most rows counts. */
static void choose_curve(struct fit *f, int table, const int *nrows)
{
    const struct fit_table *const t = &f->table[table];
    const int message = tuning_is_message(t->op);
    struct fit_curve *const c = &f->curve[2 * message + (t->nnodes > 1)];
    static const int none = 0;
    int best = none;
    for (int i = 0; i < table; i++)
        if (c->ranks == f->table[i].n && c->nodes == f->table[i].nnodes)
            best = nrows[i] > best ? nrows[i] : best;
    if (t->n % t->nnodes || (c->ranks > 0 && nrows[table] <= best))
        return;
    *c = (struct fit_curve){message, t->nnodes, t->n, 0, 0};
    if (message) // a curve of messages is that of a single pair
        *c = (struct fit_curve){1, t->nnodes > 1 ? 2 : 1, 2, 0, 0};
}

static int add_table(struct fit *f, const struct nccltests_table *from,
                     char *err, size_t err_nbytes)
{
    struct fit_table *const t = &f->table[f->ntables];
    *t = (struct fit_table){
        .file = from->file, .op = from->op, .n = from->nranks};
    t->fold = f->ntables == 0                    ? 0
              : strcmp(t[-1].file, t->file) == 0 ? t[-1].fold
                                                 : t[-1].fold + 1;
    t->place = calloc((size_t)t->n, sizeof *t->place);
    f->ntables++;
    if (!t->place) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    t->nnodes = fit_place(f->topo, from, t->place);
    if (t->nnodes < 0) {
        snprintf(err, err_nbytes,
                 "%s: %d ranks on %d hosts, but %s has %d GPUs", t->file, t->n,
                 from->nhosts, f->machine, topo_ngpus(f->topo));
        return -1;
    }
    for (int i = 0; i < from->nrows; i++)
        f->row[f->nrows++] = (struct fit_row){.table = f->ntables - 1,
                                              .line = from->row[i].line,
                                              .nbytes = from->row[i].nbytes,
                                              .us = from->row[i].us,
                                              .wrong = from->row[i].wrong};
    return 0;
}

/* Note for the curves of collectives which algorithms their rows take. */
static int note_algorithms(struct fit *f, char *err, size_t err_nbytes)
{
    for (int i = 0; i < f->ntables; i++) {
        const struct fit_table *const t = &f->table[i];
        struct fit_curve *const c = &f->curve[t->nnodes > 1];
        struct topo_coll all;
        if (tuning_is_message(t->op))
            continue;
        if (topo_collective(f->topo, TOPO_OP_ALLREDUCE, t->place, t->n, 1 << 30,
                            TOPO_ANY, TOPO_ANY, &all, err, err_nbytes) != 0)
            return -1;
        c->rings |= (1 << all.algo & TOPO_ANY_NVLS) != 0;
        topo_coll_release(&all);
    }
    for (int i = 0; i < f->ntables; i++)
        if (f->table[i].op == TOPO_OP_ALLREDUCE)
            f->curve[f->table[i].nnodes > 1].rings = 0;
    for (int across = 0; across < 2; across++)
        f->curve[across].rings &= !f->curve[across].nvls;
    return 0;
}

int fit_init(struct fit *f, const char *machine, const struct nccltests *tables,
             char *err, size_t err_nbytes)
{
    size_t nrows = 0;
    int *const rows_of = calloc((size_t)tables->n + 1, sizeof *rows_of);
    *f = (struct fit){.machine = machine};
    for (int i = 0; rows_of && i < tables->n; i++)
        nrows += (size_t)(rows_of[i] = tables->table[i].nrows);
    f->topo = topo_load(machine, err, err_nbytes);
    f->table = calloc((size_t)tables->n + 1, sizeof *f->table);
    f->row = calloc(nrows + 1, sizeof *f->row);
    int result = f->topo && f->table && f->row && rows_of ? 0 : -1;
    if (f->topo && result != 0)
        snprintf(err, err_nbytes, "no memory");
    for (int i = 0; i < tables->n && result == 0; i++) {
        result = add_table(f, &tables->table[i], err, err_nbytes);
        if (result == 0)
            choose_curve(f, i, rows_of);
    }
    // the times of the machine as it is
    for (int i = 0; i < f->nrows && result == 0; i++) {
        const struct fit_table *const t = &f->table[f->row[i].table];
        struct topo_coll c;
        result =
            topo_collective(f->topo, t->op, t->place, t->n, f->row[i].nbytes,
                            TOPO_ANY, TOPO_ANY, &c, err, err_nbytes);
        f->row[i].before = result == 0 ? (double)c.time_ps * 1e-6 : 0;
        if (result == 0 && 1 << c.algo & TOPO_ANY_NVLS)
            f->curve[t->nnodes > 1].nvls = 1;
        if (result == 0)
            topo_coll_release(&c);
    }
    if (result == 0)
        result = note_algorithms(f, err, err_nbytes);
    free(rows_of);
    if (result != 0)
        fit_release(f);
    return result;
}

void fit_release(struct fit *f)
{
    for (int i = 0; i < f->ntables; i++)
        free(f->table[i].place);
    free(f->table);
    free(f->row);
    topo_free(f->topo);
    *f = (struct fit){0};
}
