/*
 * Every row of the tables in measured/ against the machines as they are
 * shipped, curves included: by machine, operation and ranks, from 1 MiB and
 * below, the geometric mean of the errors in either direction, the bias (over
 * 100 %: the model is too slow), and the number of rows.
 *
 * Nothing is fitted here, and rows that a machine was fitted to count as well:
 * test_sites.c predicts sites that are left out. What this checks is that the
 * means over all rows become no worse. A site where one thread drives all GPUs
 * gets its floor, as there. Slingshot's plugin makes times jump up to 64 MiB (1
 * MiB takes seven times as long as 2 MiB); such rows have a mean of their own.
 */
#define _GNU_SOURCE
#include <check.h>
#include <glob.h>
#include <inttypes.h> /* SCNu64 */
#include <math.h>     /* exp */
#include <stdio.h>    /* sscanf */
#include <string.h>   /* strcmp */

#include "golden.h"
#include "machine.h"
#include "suite.h"
#include "topo/fit/nccltests.h"

enum { MIB = 1 << 20, MAX_RANKS = 1440, MAX_MACHINES = 40 };

struct errors {
    double sum, bias;
    int n;
};

static struct machine_errors { /* of all rows of a machine */
    char name[40];
    struct errors above, below; /* 1 MiB */
} machines[MAX_MACHINES];
static int nmachines;

struct group { /* rows of a machine, an operation and a number of ranks */
    char machine[40], op[24];
    int ranks;
    struct errors below, above; /* 1 MiB */
};

enum kind { HOPPER, BLACKWELL, OLDER, PCIE, JUMPING, KINDS };

static struct kind_errors { /* of all rows of a kind */
    const char *name;
    struct errors above, below; /* 1 MiB */
    double most, small;         /* the means of these at most, in % */
} kinds[KINDS] = {
    [HOPPER] = {.name = "Hopper", .most = 7.1, .small = 7.8},
    [BLACKWELL] = {.name = "Blackwell", .most = 6.3, .small = 6.3},
    [OLDER] = {.name = "older", .most = 6.2, .small = 9},
    [PCIE] = {.name = "L40S over PCIe", .most = 13.9, .small = 24.2},
    [JUMPING] = {.name = "jumping", .most = 108, .small = 111}};

static enum kind kind_of(const char *machine)
{
    if (strstr(machine, "h100") || strstr(machine, "h200"))
        return HOPPER;
    if (strstr(machine, "l40s"))
        return PCIE;
    return strstr(machine, "b200") || strstr(machine, "b300") ? BLACKWELL
                                                              : OLDER;
}

static void add(struct errors *e, double modelled, double measured)
{
    e->sum += fabs(log(modelled / measured));
    e->bias += log(modelled / measured);
    e->n++;
}

static void sum(struct errors *all, const struct errors *e)
{
    all->sum += e->sum;
    all->bias += e->bias;
    all->n += e->n;
}

static double percent(const struct errors *e)
{
    return e->n ? 100 * (exp(e->sum / e->n) - 1) : 0;
}

static void show_errors(const struct errors *e)
{
    if (e->n)
        printf("  %6.1f %% %6.1f %% %4d", percent(e), 100 * exp(e->bias / e->n),
               e->n);
    else
        printf("  %8s %8s %4d", "-", "-", 0);
}

static void show(const char *name, const char *op, int ranks,
                 const struct errors *large, const struct errors *small)
{
    printf("%-30s %-14s %5d", name, op, ranks);
    show_errors(large);
    show_errors(small);
    printf("\n");
}

static double modelled_us(const struct topo *t, enum topo_op op, int ranks,
                          uint64_t nbytes)
{
    static int32_t place[MAX_RANKS];
    struct topo_coll c;
    char err[300];
    for (int i = 0; i < ranks; i++)
        place[i] = i;
    ck_assert_msg(topo_collective(t, op, place, ranks, nbytes, TOPO_ANY,
                                  TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const double us = (double)c.time_ps * 1e-6;
    topo_coll_release(&c);
    return us;
}

static FILE *open_measured(const char *name)
{
    char path[300];
    const int dir = (int)(strrchr(__FILE__, '/') - __FILE__);
    snprintf(path, sizeof path, "%.*s/measured/%s", dir, __FILE__, name);
    FILE *const f = fopen(path, "re");
    ck_assert_msg(f != NULL, "%s: run tests in the repository's root", path);
    return f;
}

static void end_group(struct group *g)
{
    if (g->below.n + g->above.n > 0)
        show(g->machine, g->op, g->ranks, &g->above, &g->below);
    g->below = g->above = (struct errors){0, 0, 0};
}

/* How the site drives its GPUs is not part of a machine's name. */
static struct machine_errors *machine_of(const char *name)
{
    const size_t n = (size_t)(strcspn(name, "@") + 1);
    const int length =
        (int)(strncmp(name + n - 1, "@one", 4) == 0 ? n - 1 : strlen(name));
    int i = 0;
    while (i < nmachines && (strncmp(machines[i].name, name, (size_t)length) ||
                             machines[i].name[length]))
        i++;
    ck_assert_int_lt(i, MAX_MACHINES);
    if (i == nmachines)
        snprintf(machines[nmachines++].name, sizeof machines->name, "%.*s",
                 length, name);
    return &machines[i];
}

static void add_row(struct group *g, enum kind kind, uint64_t nbytes,
                    double model, double us)
{
    add(nbytes < MIB ? &g->below : &g->above, model, us);
    add(nbytes < MIB ? &kinds[kind].below : &kinds[kind].above, model, us);
    if (kind == JUMPING)
        return;
    struct machine_errors *const m = machine_of(g->machine);
    add(nbytes < MIB ? &m->below : &m->above, model, us);
}

/* One row of a file that lists each machine's rows, operation by operation.
 * Returns 0 for a comment, the heading, or a machine that isn't shipped. */
static int take_row(struct group *g, struct topo **t, const char *line)
{
    struct group row = {0};
    uint64_t nbytes;
    double us;
    if (sscanf(line, "%39[^,],%23[^,],%d,%" SCNu64 ",%lf", row.machine, row.op,
               &row.ranks, &nbytes, &us) != 5)
        return 0;
    if (strcmp(row.machine, "8x-l40s-pcie") == 0)
        snprintf(row.machine, sizeof row.machine, "8x-l40s");
    if (strcmp(row.machine, g->machine) != 0) {
        topo_free(*t);
        *t = machine_load(row.machine);
    }
    if (strcmp(row.machine, g->machine) != 0 || strcmp(row.op, g->op) != 0 ||
        row.ranks != g->ranks) {
        end_group(g);
        *g = row;
    }
    const double model = modelled_us(*t, nccltests_op(row.op, strlen(row.op)),
                                     row.ranks, nbytes);
    add_row(g, kind_of(row.machine), nbytes, model, us);
    return 1;
}

/* The published tables of aiconfigurator. */
static int packed_rows(const char *name)
{
    FILE *const f = open_measured(name);
    struct group g = {0};
    struct topo *t = NULL;
    char line[200];
    int n = 0;
    while (fgets(line, sizeof line, f))
        n += take_row(&g, &t, line);
    end_group(&g);
    topo_free(t);
    fclose(f);
    return n;
}

/* A table of users, "bytes,us". */
static void table_rows(const char *machine, const char *op, int ranks,
                       const char *name)
{
    FILE *const f = open_measured(name);
    struct topo *const t = machine_load(machine);
    const uint64_t from = strstr(machine, "@slingshot") ? 64 * MIB : 0;
    struct group g = {.ranks = ranks};
    char line[200];
    snprintf(g.machine, sizeof g.machine, "%s", machine);
    snprintf(g.op, sizeof g.op, "%s", op);
    while (fgets(line, sizeof line, f)) {
        uint64_t nbytes;
        double us;
        if (sscanf(line, "%" SCNu64 ",%lf", &nbytes, &us) != 2)
            continue;
        const double model =
            modelled_us(t, nccltests_op(op, strlen(op)), ranks, nbytes);
        add_row(&g, nbytes < from ? JUMPING : kind_of(machine), nbytes, model,
                us);
    }
    end_group(&g);
    topo_free(t);
    fclose(f);
}

static const struct {
    const char *machine, *op;
    int ranks;
    const char *file;
} users[] = {
    {"dgx-1v", "all_reduce", 8, "allreduce-8xV100-cubemesh.csv"},
    {"pcie-4090", "all_reduce", 8, "allreduce-8x4090-pcie4-nop2p.csv"},
    {"dgx-a100", "all_reduce", 8, "allreduce-8xA100-nvswitch-mpirun.csv"},
    {"dgx-a100@one-thread,floor:42", "all_reduce", 8,
     "2026/dgx-a100.8.all_reduce.azure.csv"},
    {"dgx-a100@one-thread,floor:35", "all_reduce", 8,
     "2026/dgx-a100.8.all_reduce.dkh-g8.csv"},
    {"dgx-a100@one-thread,floor:40", "all_reduce", 8,
     "2026/dgx-a100.8.all_reduce.mpirun-g8.csv"},
    {"dgx-a100", "sendrecv", 8, "sendrecv-8xA100-nvswitch.csv"},
    {"a100-cubemesh", "sendrecv", 2, "sendrecv-2xA100-nv4.csv"},
    {"dgx-h100@one-thread,floor:33.5", "all_reduce", 8,
     "2026/dgx-h100.8.all_reduce.azure.csv"},
    {"dgx-h100", "all_reduce", 8,
     "2026/dgx-h100.8.all_reduce.mooncake3484-partial.csv"},
    {"dgx-h100", "all_reduce", 8, "allreduce-8xH100-nvswitch.csv"},
    {"dgx-h100", "alltoall", 4, "2026/dgx-h100.4.alltoall.nccl2169.csv"},
    {"dgx-h200@one-thread,floor:31", "all_reduce", 8,
     "2026/dgx-h200.8.all_reduce.azure.csv"},
    {"hgx-b300", "all_reduce", 8, "2026/b300-hgx.8.all_reduce.oci.csv"},
    {"hgx-b300", "alltoall", 8, "2026/b300-hgx.8.alltoall.oci.csv"},
    {"gb300-nvl72", "all_reduce", 4, "2026/gb300-nvl72.4.all_reduce.oci.csv"},
    {"gb300-nvl72", "alltoall", 4, "2026/gb300-nvl72.4.alltoall.oci.csv"},
    {"gb300-nvl72", "all_reduce", 64, "2026/gb300-nvl72.64.all_reduce.oci.csv"},
    {"gb300-nvl72", "alltoall", 64, "2026/gb300-nvl72.64.alltoall.oci.csv"},
    {"gb200-nvl72", "all_reduce", 72,
     "2026/gb200-nvl72.72.all_reduce.coreweave.csv"},
    {"2x:gb200-nvl72@ndr", "all_reduce", 144,
     "2026/2x-gb200-nvl72.144.all_reduce.coreweave.csv"},
    {"20x:gb200-nvl72@ndr", "all_reduce", 1440,
     "2026/20x-gb200-nvl72.1440.all_reduce.coreweave.csv"},
    {"2x:dgx-h100@ndr", "all_reduce", 16,
     "2026/2x-dgx-h100.16.all_reduce.nccltests309-A-ndr.csv"},
    {"2x:dgx-h100@ndr", "all_reduce", 16, "allreduce-2x8xH100-ib.csv"},
    {"4x:dgx-h100@ndr", "all_reduce", 32,
     "2026/4x-dgx-h100.32.all_reduce.nccltests309-A-ndr.csv"},
    {"2x:dgx-h100@efa", "all_reduce", 16,
     "2026/2x-dgx-h100.16.all_reduce.aws-p5-efa.csv"},
    {"2x:dgx-h100@tcpxo", "all_reduce", 16,
     "2026/2x-dgx-h100.16.all_reduce.gcp-a3mega-fastrak.csv"},
    {"2x:dgx-a100@roce", "all_reduce", 16,
     "2026/2x-dgx-a100.16.all_reduce.oci-oke-b4-roce.csv"},
    {"gh200", "all_reduce", 4, "2026/gh200-alps.4.all_reduce.cscs-N1.csv"},
    {"4x:gh200@slingshot", "all_reduce", 16,
     "2026/gh200-alps.16.all_reduce.cscs-N4.csv"},
    {"16x:gh200@slingshot", "all_reduce", 64,
     "2026/gh200-alps.64.all_reduce.cscs-N16.csv"},
    {"128x:gh200@slingshot", "all_reduce", 512,
     "2026/gh200-alps.512.all_reduce.cscs-N128.csv"},
};

static int print_cells(char *out, size_t nbytes, const struct errors *e)
{
    return e->n ? snprintf(out, nbytes, " %.1f %% | %.0f %% | %d |", percent(e),
                           100 * exp(e->bias / e->n), e->n)
                : snprintf(out, nbytes, " | | |");
}

/* The handouts' page has a line for each machine. */
static void expect_page(void)
{
    char table[4000];
    int at = 0;
    for (int i = 0; i < nmachines; i++) {
        const struct machine_errors *const m = &machines[i];
        at +=
            snprintf(table + at, sizeof table - (size_t)at, "| %s |", m->name);
        at += print_cells(table + at, sizeof table - (size_t)at, &m->above);
        at += print_cells(table + at, sizeof table - (size_t)at, &m->below);
        at += snprintf(table + at, sizeof table - (size_t)at, "\n");
    }
    golden_expect_within("handouts/accuracy.md", table);
}

START_TEST(each_lab_says_where_its_accuracy_is)
{
    glob_t labs;
    ck_assert_int_eq(glob("handouts/lab*.md", 0, NULL, &labs), 0);
    for (size_t i = 0; i < labs.gl_pathc; i++)
        golden_expect_within(labs.gl_pathv[i], "(accuracy.md)");
    ck_assert_uint_ge(labs.gl_pathc, 11);
    globfree(&labs);
}
END_TEST

START_TEST(all_rows_are_as_near_as_they_were)
{
    printf("%-30s %-14s %5s  %8s %8s %4s  %8s %8s %4s\n", "machine",
           "operation", "ranks", ">= 1 MiB", "bias", "rows", "< 1 MiB", "bias",
           "rows");
    struct errors above = {0}, below = {0};
    const int packed = packed_rows("aiconfigurator.csv");
    ck_assert_int_eq(packed, 924);
    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        table_rows(users[i].machine, users[i].op, users[i].ranks,
                   users[i].file);
    for (int k = 0; k < KINDS; k++) {
        const struct kind_errors *const e = &kinds[k];
        show(e->name, "", 0, &e->above, &e->below);
        sum(&above, &e->above);
        sum(&below, &e->below);
    }
    show("all", "", 0, &above, &below);
    for (int k = 0; k < KINDS; k++) {
        ck_assert_double_le(percent(&kinds[k].above), kinds[k].most);
        ck_assert_double_le(percent(&kinds[k].below), kinds[k].small);
    }
    ck_assert_double_le(percent(&above), 11.1);
    ck_assert_double_le(percent(&below), 18.4);
    expect_page();
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("rows");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, all_rows_are_as_near_as_they_were);
    tcase_add_test(tc, each_lab_says_where_its_accuracy_is);
    Suite *const s = suite_create("topo: rows");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
