/*
 * The model of NCCL's times (tuning.h) on tables of sites that it was not
 * fitted to: measured/README.md.
 *
 * For each site, the shares and constants that the model takes from
 * measurements are fitted again, from neutral values, to the tables of all
 * other sites; then its own tables are compared with the model. Of a site
 * itself only its floor is used, the mean of its rows up to 64 bytes, or its
 * first row, which gives a network's latency; and how it was measured: with
 * NCCL_ALGO, with one thread for all GPUs. Curves don't count. A row that takes
 * longer than twice its size does is the site's own trouble, not NCCL's: errors
 * are judged without such rows, and shown with them, too. Prints what FORMAT.md
 * states.
 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "suite.h"
#include "topo/fit/nccltests.h"
#include "topo/machine.h"

enum { ANY = TOPO_ANY, NVLS = 1 << TOPO_NVLS };
enum { MAX_ROWS = 40, MAX_RANKS = 1440, MIB = 1 << 20 };

/* fit: counts for fits of others. most, small: the largest errors from and
 * below 1 MiB, in %. before: from 1 MiB, of the model that had curves. */
static const struct measured {
    const char *site, *machine, *file;
    enum topo_op op;
    int algos; /* NCCL_ALGO of the site, TOPO_ANY if it set none */
    int nranks, fit;
    double from; /* smallest size that counts */
    double most, small, before;
} tables[] = {
    {"azure", "dgx-h100@one-thread", "2026/dgx-h100.8.all_reduce.azure.csv",
     TOPO_OP_ALLREDUCE, NVLS, 8, 1, 0, 10, 20, 6.6},
    {"azure", "dgx-h200@one-thread", "2026/dgx-h200.8.all_reduce.azure.csv",
     TOPO_OP_ALLREDUCE, NVLS, 8, 0, 0, 10, 20, NAN},
    // 6.8 % with the older choice; why it is more now isn't known
    {"mooncake", "dgx-h100",
     "2026/dgx-h100.8.all_reduce.mooncake3484-partial.csv", TOPO_OP_ALLREDUCE,
     ANY, 8, 1, 0, 11, 20, 4},
    {"lambda", "dgx-h100", "allreduce-8xH100-nvswitch.csv", TOPO_OP_ALLREDUCE,
     ANY, 8, 1, 0, 10, 20, 1},
    {"nccl2169", "dgx-h100", "2026/dgx-h100.4.alltoall.nccl2169.csv",
     TOPO_OP_ALLTOALL, ANY, 4, 1, 0, 10, 20, 26.3},
    {"azure", "dgx-a100@one-thread", "2026/dgx-a100.8.all_reduce.azure.csv",
     TOPO_OP_ALLREDUCE, ANY, 8, 1, 0, 10, 20, 15.8},
    // 512 KiB to 2 MiB take a fifth longer than at the two other sites
    {"dkh", "dgx-a100@one-thread", "2026/dgx-a100.8.all_reduce.dkh-g8.csv",
     TOPO_OP_ALLREDUCE, ANY, 8, 1, 0, 16, 20, NAN},
    {"mpirun", "dgx-a100@one-thread",
     "2026/dgx-a100.8.all_reduce.mpirun-g8.csv", TOPO_OP_ALLREDUCE, ANY, 8, 1,
     0, 10, 20, NAN},
    {"mpirun", "dgx-a100", "allreduce-8xA100-nvswitch-mpirun.csv",
     TOPO_OP_ALLREDUCE, ANY, 8, 1, 0, 10, 20, 5},
    {"superbench", "dgx-a100", "sendrecv-8xA100-nvswitch.csv", TOPO_OP_SENDRECV,
     ANY, 8, 1, 0, 10, 20, 1.8},
    {"puzzler", "a100-cubemesh", "sendrecv-2xA100-nv4.csv", TOPO_OP_SENDRECV,
     ANY, 2, 1, 0, 15, 20, 4.6},
    // its rows jump: 64 KiB take 49.8 us, 32 KiB 95.8 and 128 KiB 132; for 512
    // KiB, NCCL takes Simple
    {"vllm50576", "8x-a800-pcie",
     "2026/2x4-a800-pcie.8.all_reduce.vllm50576-nccl.csv", TOPO_OP_ALLREDUCE,
     ANY, 8, 0, 0, 10, 33, NAN},
    {"cscs", "gh200", "2026/gh200-alps.4.all_reduce.cscs-N1.csv",
     TOPO_OP_ALLREDUCE, ANY, 4, 1, 0, 10, 20, 41.1},
    {"oci", "hgx-b300", "2026/b300-hgx.8.all_reduce.oci.csv", TOPO_OP_ALLREDUCE,
     ANY, 8, 1, 0, 10, 20, 1.4},
    {"oci", "hgx-b300", "2026/b300-hgx.8.alltoall.oci.csv", TOPO_OP_ALLTOALL,
     ANY, 8, 1, 0, 10, 20, 16.6},
    {"oci", "gb300-nvl72", "2026/gb300-nvl72.4.all_reduce.oci.csv",
     TOPO_OP_ALLREDUCE, ANY, 4, 1, 0, 10, 20, NAN},
    {"oci", "gb300-nvl72", "2026/gb300-nvl72.4.alltoall.oci.csv",
     TOPO_OP_ALLTOALL, ANY, 4, 1, 0, 10, 20, NAN},
    {"oci", "gb300-nvl72", "2026/gb300-nvl72.64.all_reduce.oci.csv",
     TOPO_OP_ALLREDUCE, ANY, 64, 1, 0, 10, 20, NAN},
    {"oci", "gb300-nvl72", "2026/gb300-nvl72.64.alltoall.oci.csv",
     TOPO_OP_ALLTOALL, ANY, 64, 1, 0, 10, 20, NAN},
    {"coreweave", "gb200-nvl72", "2026/gb200-nvl72.72.all_reduce.coreweave.csv",
     TOPO_OP_ALLREDUCE, ANY, 72, 1, 0, 10, 20, NAN},
    {"coreweave", "2x:gb200-nvl72@ndr",
     "2026/2x-gb200-nvl72.144.all_reduce.coreweave.csv", TOPO_OP_ALLREDUCE, ANY,
     144, 0, 0, 15, 20, NAN},
    {"coreweave", "20x:gb200-nvl72@ndr",
     "2026/20x-gb200-nvl72.1440.all_reduce.coreweave.csv", TOPO_OP_ALLREDUCE,
     ANY, 1440, 1, 0, 15, 20, NAN},
    {"nccltests309", "2x:dgx-h100@ndr",
     "2026/2x-dgx-h100.16.all_reduce.nccltests309-A-ndr.csv", TOPO_OP_ALLREDUCE,
     ANY, 16, 1, 0, 15, 20, 50},
    {"nccltests309", "4x:dgx-h100@ndr",
     "2026/4x-dgx-h100.32.all_reduce.nccltests309-A-ndr.csv", TOPO_OP_ALLREDUCE,
     ANY, 32, 1, 0, 15, 20, 11},
    {"aws", "2x:dgx-h100@efa", "2026/2x-dgx-h100.16.all_reduce.aws-p5-efa.csv",
     TOPO_OP_ALLREDUCE, ANY, 16, 1, 0, 15, 20, 34.1},
    {"google", "2x:dgx-h100@tcpxo",
     "2026/2x-dgx-h100.16.all_reduce.gcp-a3mega-fastrak.csv", TOPO_OP_ALLREDUCE,
     ANY, 16, 0, 0, 15, 20, 59},
    // NCCL takes trees with LL128, which are modelled 10 to 20 % too slow
    {"oci", "2x:dgx-a100@roce",
     "2026/2x-dgx-a100.16.all_reduce.oci-oke-b4-roce.csv", TOPO_OP_ALLREDUCE,
     ANY, 16, 1, 0, 17, 20, 14.3},
    // 128 MiB to 1 GiB take up to twice as long as at two other sites
    {"unknown", "2x:dgx-h100@ndr", "allreduce-2x8xH100-ib.csv",
     TOPO_OP_ALLREDUCE, ANY, 16, 0, 0, 25, 20, 2.9},
    {"cscs", "4x:gh200@slingshot", "2026/gh200-alps.16.all_reduce.cscs-N4.csv",
     TOPO_OP_ALLREDUCE, ANY, 16, 1, 64 * MIB, 15, 20, 7},
    {"cscs", "16x:gh200@slingshot",
     "2026/gh200-alps.64.all_reduce.cscs-N16.csv", TOPO_OP_ALLREDUCE, ANY, 64,
     0, 64 * MIB, 15, 20, 36.2},
    {"cscs", "128x:gh200@slingshot",
     "2026/gh200-alps.512.all_reduce.cscs-N128.csv", TOPO_OP_ALLREDUCE, ANY,
     512, 0, 64 * MIB, 15, 20, 33.2},
};
enum { NTABLES = sizeof tables / sizeof *tables };

struct loaded {
    struct topo *t;
    struct calibration_arch arch; /* t's own copy, to be changed */
    double net_us;
    int n;
    struct nccltests_row row[MAX_ROWS];
};

/* ---- what is fitted ------------------------------------------------------ */

static struct calibration_fit common;

/* A parameter, of the architectures with this column, or of all (-1). */
static const struct parameter {
    size_t at; /* in calibration_arch, or in calibration_fit */
    int column;
    double neutral;
} parameters[] = {
    {offsetof(struct calibration_fit, fill), -1, 3},
    {offsetof(struct calibration_fit, ramp), -1, 4},
    {offsetof(struct calibration_fit, nvls_GBps), -1, 20},
    {offsetof(struct calibration_fit, nvls_chunks), -1, 2},
    // NCCL's tuner: 1 us to post, three times that with Simple
    {offsetof(struct calibration_fit, message_us), -1, 3},
    {offsetof(struct calibration_fit, one_thread), -1, 1},
    {offsetof(struct calibration_arch, ring), 1, .9},
    {offsetof(struct calibration_arch, ring), 2, .9},
    {offsetof(struct calibration_arch, ring), 3, .9},
    {offsetof(struct calibration_arch, nvls), 2, .8},
    {offsetof(struct calibration_arch, nvls), 3, .8},
    {offsetof(struct calibration_arch, message), 1, .85},
    {offsetof(struct calibration_arch, message), 2, .85},
    {offsetof(struct calibration_arch, message), 3, .85},
    {offsetof(struct calibration_arch, ll128), 1, .9},
    {offsetof(struct calibration_arch, ll128), 2, .9},
};
enum { NPARAMETERS = sizeof parameters / sizeof *parameters };

static void set(struct loaded *l, const struct parameter *p, double value)
{
    if (p->column < 0)
        *(double *)((char *)&common + p->at) = value;
    for (int i = 0; p->column >= 0 && i < NTABLES; i++)
        if (l[i].arch.column == p->column)
            *(double *)((char *)&l[i].arch + p->at) = value;
}

/* ---- tables -------------------------------------------------------------- */

static void read_table(struct loaded *l, const char *name, double from)
{
    char path[300];
    const int dir = (int)(strrchr(__FILE__, '/') - __FILE__);
    snprintf(path, sizeof path, "%.*s/measured/%s", dir, __FILE__, name);
    FILE *const f = fopen(path, "r");
    struct nccltests_row r = {0};
    ck_assert_msg(f != NULL, "%s: run tests in the repository's root", path);
    ck_assert_int_eq(fscanf(f, "bytes,us\n"), 0);
    while (fscanf(f, "%" SCNu64 ",%lf\n", &r.nbytes, &r.us) == 2)
        if ((double)r.nbytes >= from) {
            ck_assert_int_lt(l->n, MAX_ROWS);
            l->row[l->n++] = r;
        }
    ck_assert(feof(f) && l->n > 0);
    fclose(f);
}

/* Of a table with small sizes, else 0. */
static double floor_of(const struct loaded *l)
{
    double sum = 0;
    int n = 0;
    while (n < l->n && l->row[n].nbytes <= 64)
        sum += l->row[n++].us;
    if (n == 0 && l->row[0].nbytes < MIB)
        return l->row[0].us;
    return n ? sum / n : 0;
}

static struct loaded load(const struct measured *m)
{
    struct loaded l = {0};
    char name[100];
    read_table(&l, m->file, m->from);
    const double floor_us = floor_of(&l);
    snprintf(name, sizeof name, "%s%sfloor:%.2f", m->machine,
             strchr(m->machine, '@') ? "," : "@", floor_us);
    l.t = machine_load(floor_us > 0 ? name : m->machine);
    l.arch = *l.t->arch;
    memset(l.t->cal.curve, 0, sizeof l.t->cal.curve);
    l.t->fit = &common;
    return l;
}

/* ---- errors -------------------------------------------------------------- */

struct error {
    double sum;
    int n;
};

static double percent(struct error e)
{
    return e.n ? 100 * (exp(e.sum / e.n) - 1) : NAN;
}

static int is_sick(const struct loaded *l, int i)
{
    return i + 1 < l->n && nccltests_is_sick(&l->row[i], &l->row[i + 1]);
}

/* Of every step'th row of sizes from lo to below hi; sick: those as well. */
static void add_error(struct error *e, struct loaded *l,
                      const struct measured *m, double lo, double hi, int step,
                      int sick)
{
    static int32_t place[MAX_RANKS];
    char err[300];
    l->t->arch = &l->arch;
    for (int i = 0; i < m->nranks; i++)
        place[i] = i;
    for (int i = 0; i < l->n; i += step) {
        struct topo_coll c;
        const double nbytes = (double)l->row[i].nbytes;
        if (nbytes < lo || nbytes >= hi || (!sick && is_sick(l, i)))
            continue;
        ck_assert_msg(topo_collective(l->t, m->op, place, m->nranks,
                                      l->row[i].nbytes, m->algos, TOPO_ANY, &c,
                                      err, sizeof err) == 0,
                      "%s", err);
        e->sum += fabs(log((double)c.time_ps * 1e-6 / l->row[i].us));
        e->n++;
        topo_coll_release(&c);
    }
}

/* Over the tables of all sites but one, each of them with the same weight. */
static double others_error(struct loaded *l, const char *site)
{
    double sum = 0;
    for (int i = 0; i < NTABLES; i++) {
        struct error e = {0, 0};
        if (!tables[i].fit || strcmp(tables[i].site, site) == 0)
            continue;
        add_error(&e, &l[i], &tables[i], MIB, INFINITY, 3, 0);
        sum += e.n ? e.sum / e.n : 0;
    }
    return sum;
}

/*
 * Fit the parameters, each in turn: among steps around its value, the one with
 * the smallest error and, so that a parameter that no table determines stays
 * neutral, the smallest distance from that.
 */
static void fit(struct loaded *l, const char *site)
{
    static const double steps[] = {.9, .96, 1, 1.04, 1.1};
    double value[NPARAMETERS];
    for (int k = 0; k < NPARAMETERS; k++)
        set(l, &parameters[k], value[k] = parameters[k].neutral);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < NPARAMETERS; k++) {
            double best = INFINITY, found = value[k];
            for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
                const double x = value[k] * steps[i];
                set(l, &parameters[k], x);
                const double far = fabs(log(x / parameters[k].neutral));
                const double error = others_error(l, site) + .2 * far;
                if (error < best) {
                    best = error;
                    found = x;
                }
            }
            set(l, &parameters[k], value[k] = found);
        }
}

/* ---- the test ------------------------------------------------------------ */

/* Returns 1 if the errors are larger than they may be. */
static int check(struct loaded *l, const struct measured *m)
{
    struct error large = {0, 0}, all = {0, 0}, small = {0, 0};
    add_error(&large, l, m, MIB, INFINITY, 1, 0);
    add_error(&all, l, m, MIB, INFINITY, 1, 1);
    add_error(&small, l, m, 0, MIB, 1, 0);
    const char *const slash = strrchr(m->machine, '/');
    printf("%-22s %-54s %5.1f %% from 1 MiB (was %4.1f)",
           slash ? slash + 1 : m->machine, m->file, percent(large), m->before);
    if (small.n)
        printf(", %4.1f %% below", percent(small));
    if (all.n > large.n)
        printf(", %4.1f %% with %d sick rows", percent(all), all.n - large.n);
    const int wrong = percent(large) > m->most || percent(small) > m->small;
    printf("%s\n", wrong ? ": too much" : "");
    return wrong;
}

START_TEST(a_site_that_is_left_out_is_predicted)
{
    static struct loaded l[NTABLES];
    int wrong = 0;
    common = calibration_fit;
    for (int i = 0; i < NTABLES; i++)
        l[i] = load(&tables[i]);
    for (int i = 0; i < NTABLES; i++) {
        int first = i; // of this site
        for (int k = i - 1; k >= 0; k--)
            if (strcmp(tables[k].site, tables[i].site) == 0)
                first = k;
        if (first < i)
            continue;
        fit(l, tables[i].site);
        for (int k = i; k < NTABLES; k++)
            if (strcmp(tables[k].site, tables[i].site) == 0)
                wrong += check(&l[k], &tables[k]);
    }
    for (int i = 0; i < NTABLES; i++)
        topo_free(l[i].t);
    ck_assert_msg(wrong == 0, "%d tables aren't predicted", wrong);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("sites");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_site_that_is_left_out_is_predicted);
    Suite *const s = suite_create("topo: sites");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
