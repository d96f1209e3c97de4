#include "fit_report.h"

#include <math.h>   /* exp */
#include <stddef.h> /* offsetof */
#include <string.h> /* strrchr */

enum { MIB = 1 << 20, SMALL = 64 << 10, MAX_LISTED = 24 };

const char *fit_size(uint64_t nbytes, char out[24])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)nbytes;
    int i = 0;
    while (value >= 1024 && i < 4) {
        value /= 1024;
        i++;
    }
    snprintf(out, 24, "%.4g %s", value, unit[i]);
    return out;
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A mean |log error| as percent; blank if there is none. */
static void print_error(double error)
{
    if (error < 0)
        printf(" %9s", "-");
    else
        printf(" %7.1f %%", 100 * (exp(error) - 1));
}

static void print_errors(const struct fit *f, const char *name, int table)
{
    static const size_t times[] = {offsetof(struct fit_row, before),
                                   offsetof(struct fit_row, fitted),
                                   offsetof(struct fit_row, without_rows),
                                   offsetof(struct fit_row, without_file)};
    const int last = f->table[f->ntables - 1].fold > 0 ? 4 : 3;
    int n = 0;
    for (int i = 0; i < f->nrows; i++)
        n += table < 0 || f->row[i].table == table;
    printf("%-44.44s %5d", name, n);
    for (int i = 0; i < last; i++)
        print_error(fit_error(f, table, MIB, times[i]));
    for (int i = 0; i < last; i++)
        print_error(fit_error(f, table, 0, times[i]));
    printf("\n");
}

static void print_values(const struct fit *f)
{
    printf("\nFitted: %s\n", fit_way_names[f->way]);
    for (int i = 0; i < f->nvalues; i++) {
        const struct fit_value *const v = &f->value[i];
        if (v->curve >= 0) {
            const struct fit_curve *const c = &f->curve[v->curve];
            printf("  %s over %d ranks on %d node%s: %s %.4g\n",
                   c->message ? "sendrecv" : "all_reduce", c->ranks, c->nodes,
                   c->nodes > 1 ? "s" : "", v->key, v->after);
        } else {
            printf("  %s %.4g -> %.4g%s\n", v->key, v->before, v->after,
                   v->after < .7 * v->before && !strstr(v->key, "_us")
                       ? "   far below this machine's: see below"
                       : "");
        }
    }
}

/* ---- what the fit holds for ---------------------------------------------- */

static int is_measured(const struct fit *f, enum topo_op op)
{
    for (int i = 0; i < f->ntables; i++)
        if (f->table[i].op == op)
            return 1;
    return 0;
}

/* True if the fit changes the times of an operation over the ranks of a table,
 * at small, middling or large sizes. */
static int is_changed(const struct fit *f, const struct topo *fitted,
                      enum topo_op op, const struct fit_table *ranks)
{
    static const uint64_t sizes[] = {1 << 12, 1 << 22, 1 << 30};
    char err[300];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct topo_coll a = {0}, b = {0};
        const int able =
            topo_collective(f->topo, op, ranks->place, ranks->n, sizes[i],
                            TOPO_ANY, TOPO_ANY, &a, err, sizeof err) == 0 &&
            topo_collective(fitted, op, ranks->place, ranks->n, sizes[i],
                            TOPO_ANY, TOPO_ANY, &b, err, sizeof err) == 0;
        const int differ = able && a.time_ps != b.time_ps;
        topo_coll_release(&a);
        topo_coll_release(&b);
        if (differ)
            return 1;
    }
    return 0;
}

enum scope { SCOPE_MEASURED, SCOPE_CARRIED, SCOPE_UNCHANGED, SCOPES };

static enum scope scope_of(const struct fit *f, const struct topo *fitted,
                           enum topo_op op)
{
    if (is_measured(f, op))
        return SCOPE_MEASURED;
    return is_changed(f, fitted, op, f->table) ? SCOPE_CARRIED
                                               : SCOPE_UNCHANGED;
}

static void print_scope(const struct fit *f)
{
    static const char *const what[SCOPES] = {
        "Holds for what was measured", "Carried over to", "As without the fit"};
    char names[SCOPES][200] = {""}; /* ": all_reduce, all_gather" */
    struct fit_settings s;
    char err[300];
    fit_settings(f, f->value, f->nvalues, &s);
    struct topo *const t =
        topo_load_with(f->machine, s.at, s.n, err, sizeof err);
    for (int op = TOPO_OP_NONE + 1; t && op < TOPO_OPS; op++) {
        const char *const name = nccltests_op_name((enum topo_op)op);
        if (!name)
            continue;
        char *const list = names[scope_of(f, t, (enum topo_op)op)];
        const size_t at = strlen(list);
        snprintf(list + at, sizeof *names - at, "%s %s", at ? "," : ":", name);
    }
    for (int k = 0; k < SCOPES; k++)
        if (*names[k])
            printf("\n%s%s", what[k], names[k]);
    printf("\n");
    topo_free(t);
}

/* ---- rows that don't fit ------------------------------------------------- */

struct pattern { /* summary of a table's odd rows; slow: measured over fitted */
    int n, slow, large, large_slow, small, small_slow, wrong, odd;
    double log_slow, least, most; /* over large slow rows */
};

static struct pattern pattern_of(const struct fit *f, int table)
{
    struct pattern p = {.least = INFINITY};
    for (int i = 0; i < f->nrows; i++) {
        const struct fit_row *const r = &f->row[i];
        if (r->table != table)
            continue;
        const int odd = fit_is_odd(f, i), slow = odd && r->us > r->fitted;
        p.n++;
        p.odd += odd;
        p.wrong += r->wrong;
        p.slow += slow;
        p.large += r->nbytes >= MIB;
        p.small += r->nbytes <= SMALL;
        p.small_slow += slow && r->nbytes <= SMALL;
        if (!slow || r->nbytes < MIB)
            continue;
        p.large_slow++;
        p.log_slow += log(r->us / r->fitted);
        p.least = fmin(p.least, r->us / r->fitted);
        p.most = fmax(p.most, r->us / r->fitted);
    }
    return p;
}

const char *fit_advice(double factor, int across)
{
    if (across)
        return factor > 4
                   ? "the network's plug-in wasn't found and NCCL uses TCP: "
                     "look for \"NET/Socket\" in NCCL_DEBUG=INFO"
               : factor > 1.4
                   ? "a NIC is missing or the wrong one is used: look at "
                     "NCCL_IB_HCA, and for the NICs in NCCL_DEBUG=INFO; or a "
                     "link of the fabric is oversubscribed"
                   : "GPUDirect RDMA is off (\"GDR 0\" in NCCL_DEBUG=INFO), or "
                     "a NIC runs at a lower rate (ibstat)";
    return factor > 3 ? "peer access is off: NCCL_P2P_DISABLE, ACS or IOMMU; "
                        "look for \"via SHM\" in NCCL_DEBUG=INFO"
           : factor > 1.15
               ? "a sick link: compare the pairs (lab 6, p2pBandwidth-"
                 "LatencyTest), and nvidia-smi nvlink -e and -s"
               : "clocks: nvidia-smi -q -d CLOCK,PERFORMANCE shows power and "
                 "temperature limits";
}

void fit_print_sick(const char *file, const struct nccltests_row *row,
                    const struct nccltests_row *next)
{
    char size[24], larger[24];
    if (nccltests_is_sick(row, next))
        printf("  %s:%d: %s takes %.2f times as long as %s: a disturbed run, "
               "no choice of NCCL's. Repeat it, or leave the row out.\n",
               base_name(file), row->line, fit_size(row->nbytes, size),
               row->us / next->us, fit_size(next->nbytes, larger));
}

static struct nccltests_row row_of(const struct fit *f, int i)
{
    const struct fit_row *const r = &f->row[i];
    return (struct nccltests_row){r->nbytes, r->us, r->wrong, r->line};
}

/* Count the rows of a table, or of all tables (-1), that don't fit; print
 * them if asked to. */
static int sick_rows(const struct fit *f, int table, int print)
{
    int n = 0;
    for (int i = 0; i + 1 < f->nrows; i++) {
        const struct nccltests_row row = row_of(f, i), next = row_of(f, i + 1);
        const int of = f->row[i].table;
        if (f->row[i + 1].table != of || (table >= 0 && of != table))
            continue;
        n += nccltests_is_sick(&row, &next);
        if (print)
            fit_print_sick(f->table[of].file, &row, &next);
    }
    return n;
}

static void explain(const struct fit *f, int table)
{
    const struct pattern p = pattern_of(f, table);
    const char *const name = base_name(f->table[table].file);
    const int across = f->table[table].nnodes > 1;
    if (p.wrong)
        printf("  %s: wrong results in %d row%s (left out): a fault in memory "
               "or a link, or a bug in this NCCL. Not a question of speed.\n",
               name, p.wrong, p.wrong > 1 ? "s" : "");
    sick_rows(f, table, 1);
    if (p.odd == 0)
        return;
    if (p.large_slow > 1 && 2 * p.large_slow >= p.large)
        printf("  %s: large sizes take %.2f times as long as fitted. Usually "
               "%s.\n",
               name, exp(p.log_slow / p.large_slow),
               fit_advice(exp(p.log_slow / p.large_slow), across));
    else if (p.small_slow > 1 && 2 * p.small_slow >= p.small)
        printf("  %s: small sizes are slow, large ones aren't. Usually the "
               "host: its clock governor, a virtual machine, several GPUs "
               "driven by one thread (-g), or other jobs.\n",
               name);
    else if (p.slow)
        printf("  %s: %d single row%s slow. Usually noise of other jobs, or "
               "a size at which NCCL changes algorithm or protocol: repeat it "
               "with more iterations (-n), and compare NCCL_DEBUG=INFO "
               "NCCL_DEBUG_SUBSYS=TUNING with commgraph collective.\n",
               name, p.slow, p.slow > 1 ? "s" : "");
    if (p.odd > p.slow)
        printf("  %s: %d row%s faster than fitted. Usually another algorithm "
               "(NVLS, SHARP in the network), or the other rows are slow.\n",
               name, p.odd - p.slow, p.odd - p.slow > 1 ? "s" : "");
}

static void print_odd(const struct fit *f)
{
    int n = 0, wrong = 0;
    char size[24];
    for (int i = 0; i < f->nrows; i++) {
        const struct fit_row *const r = &f->row[i];
        wrong += r->wrong;
        if (!fit_is_odd(f, i) || n++ >= MAX_LISTED)
            continue;
        if (n == 1)
            printf("\nRows that don't fit:\n");
        printf("  %s:%d: %s: measured %.6g us, fitted %.6g us (%.2f times)\n",
               base_name(f->table[r->table].file), r->line,
               fit_size(r->nbytes, size), r->us, r->fitted, r->us / r->fitted);
    }
    if (n > MAX_LISTED)
        printf("  and %d more\n", n - MAX_LISTED);
    if (n == 0 && wrong == 0 && sick_rows(f, -1, 0) == 0)
        printf("\nAll rows fit.\n");
    else
        printf("\nWhat that usually means:\n");
    for (int i = 0; i < f->ntables; i++)
        explain(f, i);
}

static void print_slow_values(const struct fit *f)
{
    for (int i = 0; i < f->nvalues; i++) {
        const struct fit_value *const v = &f->value[i];
        if (v->curve < 0 && v->after < .7 * v->before && !strstr(v->key, "_us"))
            printf("\n%s is fitted, but to %.0f %% of what this machine's "
                   "parts give. If the tables are all of one cluster, check "
                   "it first: %s.\n",
                   v->key, 100 * v->after / v->before,
                   fit_advice(v->before / v->after,
                              strncmp(v->key, "net", 3) == 0));
    }
}

static void print_heading(const struct fit *f)
{
    static const char *const columns[] = {"as it is", "fitted", "rows out",
                                          "file out"};
    const int last = f->table[f->ntables - 1].fold > 0 ? 4 : 3;
    printf("Errors (geometric mean) on %s\n%-44s %5s %*s %*s\n%-44s %5s",
           f->machine, "", "", 10 * last - 1, "from 1 MiB", 10 * last - 1,
           "all sizes", "file", "rows");
    for (int i = 0; i < 2 * last; i++)
        printf(" %9s", columns[i % last]);
    printf("\n");
}

void fit_report(const struct fit *f)
{
    print_heading(f);
    for (int i = 0; i < f->ntables; i++)
        print_errors(f, base_name(f->table[i].file), i);
    if (f->ntables > 1)
        print_errors(f, "all", -1);
    printf("rows out: predicted from every second row\n");
    if (f->table[f->ntables - 1].fold > 0)
        printf("file out: predicted from the other files\n");
    print_values(f);
    print_scope(f);
    print_odd(f);
    print_slow_values(f);
}
