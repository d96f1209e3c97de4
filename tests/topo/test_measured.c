/*
 * Machines against published measurements: measured/README.md.
 *
 * Prints the errors, in sample and out of sample, that FORMAT.md states.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fds.h"
#include "suite.h"
#include "topo/copies.h"

enum { MAX_ROWS = 64, MIB = 1 << 20 };

struct table {
    int n;
    struct row {
        double nbytes, us;
    } row[MAX_ROWS];
};

struct curve {
    double a, per_byte, k; /* us */
    double fill;           /* S_f in MiB: k is the fill's; 0: the root's */
};

static FILE *open_measured(const char *name)
{
    char path[256];
    const int dir = (int)(strrchr(__FILE__, '/') - __FILE__);
    snprintf(path, sizeof path, "%.*s/measured/%s", dir, __FILE__, name);
    FILE *const f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s: run tests in the repository's root", path);
    return f;
}

static struct table read_table(const char *name)
{
    struct table t = {0};
    FILE *const f = open_measured(name);
    struct row r;
    ck_assert_int_eq(fscanf(f, "bytes,us\n"), 0);
    while (fscanf(f, "%lf,%lf\n", &r.nbytes, &r.us) == 2) {
        ck_assert_int_lt(t.n, MAX_ROWS);
        t.row[t.n++] = r;
    }
    ck_assert(feof(f) && t.n > 2);
    fclose(f);
    return t;
}

/* Every `step`th row from `first`, of at least min_bytes. */
static struct table some_rows(const struct table *t, int first, int step,
                              double min_bytes)
{
    struct table out = {0};
    for (int i = first; i < t->n; i += step)
        if (t->row[i].nbytes >= min_bytes)
            out.row[out.n++] = t->row[i];
    return out;
}

/* The factor of k. */
static double shape_at(double fill, double nbytes)
{
    return fill > 0 ? nbytes / (nbytes + fill * MIB) : sqrt(nbytes);
}

static double curve_at(struct curve c, double nbytes)
{
    return c.a + nbytes * c.per_byte + c.k * shape_at(c.fill, nbytes);
}

/* The geometric mean of errors in either direction, in percent. */
static double geometric(double sum_of_logs, int n)
{
    return n ? 100 * (exp(sum_of_logs / n) - 1) : 0;
}

static double curve_error(struct curve c, struct table t)
{
    double sum = 0;
    for (int i = 0; i < t.n; i++)
        sum += fabs(log(curve_at(c, t.row[i].nbytes) / t.row[i].us));
    return geometric(sum, t.n);
}

static double model_error(const struct topo *t, enum topo_op op, int nranks,
                          struct table rows)
{
    double sum = 0;
    int32_t place[16];
    char err[200];
    for (int i = 0; i < nranks; i++)
        place[i] = i;
    for (int i = 0; i < rows.n; i++) {
        struct topo_coll c;
        ck_assert_int_eq(topo_collective(t, op, place, nranks,
                                         (uint64_t)rows.row[i].nbytes, TOPO_ANY,
                                         TOPO_ANY, &c, err, sizeof err),
                         0);
        sum += fabs(log((double)c.time_ps * 1e-6 / rows.row[i].us));
        topo_coll_release(&c);
    }
    return geometric(sum, rows.n);
}

/* ---- least squares ------------------------------------------------------- */

/* Solve m[n][n+1] by elimination; the last column gets the unknowns. */
static int solve(double m[3][4], int n)
{
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int r = i; r < n; r++)
            if (fabs(m[r][i]) > fabs(m[pivot][i]))
                pivot = r;
        if (m[pivot][i] == 0)
            return -1;
        for (int c = 0; c <= n; c++) {
            const double swap = m[i][c];
            m[i][c] = m[pivot][c];
            m[pivot][c] = swap;
        }
        for (int r = 0; r < n; r++) {
            const double factor = r == i ? 0 : m[r][i] / m[i][i];
            for (int c = i; c <= n; c++)
                m[r][c] -= factor * m[i][c];
        }
    }
    for (int i = 0; i < n; i++)
        m[i][n] /= m[i][i];
    return 0;
}

/* The least-squares curve with the terms in `use` (1: a unless it is fixed, 2:
 * S/B, 4: k). Returns 0 if none of its terms is negative. */
static int fit_terms(const struct table *t, int use, double fixed_a,
                     double fill, struct curve *out)
{
    double m[3][4] = {{0}}, term[3];
    int n = 0, which[3] = {0};
    for (int i = 0; i < 3; i++)
        if (use >> i & 1)
            which[n++] = i;
    for (int r = 0; r < t->n; r++) {
        const struct row *const w = &t->row[r];
        const double all[3] = {1 / w->us, w->nbytes / w->us,
                               shape_at(fill, w->nbytes) / w->us};
        for (int i = 0; i < n; i++)
            term[i] = all[which[i]];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++)
                m[i][k] += term[i] * term[k];
            m[i][n] += term[i] * (1 - fixed_a / w->us);
        }
    }
    if (solve(m, n) != 0)
        return -1;
    double x[3] = {0};
    for (int i = 0; i < n; i++)
        x[which[i]] = m[i][n];
    *out = (struct curve){x[0] + fixed_a, x[1], x[2], fill};
    return x[0] < 0 || x[1] < 0 || x[2] < 0 ? -1 : 0;
}

static double squares(struct curve c, const struct table *t)
{
    double sum = 0;
    for (int i = 0; i < t->n; i++) {
        const double e = curve_at(c, t->row[i].nbytes) / t->row[i].us - 1;
        sum += e * e;
    }
    return sum;
}

static void fit_shape(const struct table *t, double fixed_a, double fill,
                      struct curve *best)
{
    struct curve c;
    for (int use = 2; use < 8; use++)
        if (!(fixed_a > 0 && use & 1) &&
            fit_terms(t, use, fixed_a, fill, &c) == 0 &&
            (best->a == 0 || squares(c, t) < squares(*best, t)))
            *best = c;
}

/*
 * fixed_a: 0, or a latency that the table doesn't determine. fills: use a
 * pipeline that is full from some size on, a power of 4 MiB, instead of the
 * square root.
 */
static struct curve fit(const struct table *t, double fixed_a, int fills)
{
    struct curve best = {0};
    for (double fill = 1; fills && fill <= 256; fill *= 4)
        fit_shape(t, fixed_a, fill, &best);
    if (!fills)
        fit_shape(t, fixed_a, 0, &best);
    ck_assert(best.a > 0);
    return best;
}

/* ---- the tables ---------------------------------------------------------- */

static const struct measured {
    const char *machine, *file;
    enum topo_op op;
    int nranks;
    double fixed_a;
    double a, B, k; /* in the machine's file; B 0: not fitted to this table */
    double fill;    /* fill_MiB; if set, k is fill_us */
} tables[] = {
    {"dgx-h100", "allreduce-8xH100-nvswitch.csv", TOPO_OP_ALLREDUCE, 8, 15, 15,
     289.9, .01123, 0},
    {"dgx-a100", "allreduce-8xA100-nvswitch-mpirun.csv", TOPO_OP_ALLREDUCE, 8,
     0, 0, 0, 0, 0},
    {"dgx-1v", "allreduce-8xV100-cubemesh.csv", TOPO_OP_ALLREDUCE, 8, 0, 46.66,
     90.36, .0242, 0},
    {"pcie-4090", "allreduce-8x4090-pcie4-nop2p.csv", TOPO_OP_ALLREDUCE, 8, 0,
     36.02, 9.2, .05994, 0},
    {"a100-cubemesh", "sendrecv-2xA100-nv4.csv", TOPO_OP_SENDRECV, 2, 0, 9.7,
     75.62, .02152, 0},
    {"dgx-a100", "sendrecv-8xA100-nvswitch.csv", TOPO_OP_SENDRECV, 8, 0, 0, 0,
     0, 0},
};
enum { NTABLES = sizeof tables / sizeof *tables };

static struct topo *load(const char *name)
{
    char err[400] = "";
    struct topo *const t = topo_load(name, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    return t;
}

START_TEST(times_are_near_the_measured_ones)
{
    const struct measured *const m = &tables[_i];
    const struct table all = read_table(m->file);
    struct topo *const t = load(m->machine);
    const double large =
        model_error(t, m->op, m->nranks, some_rows(&all, 0, 1, MIB));
    const double any = model_error(t, m->op, m->nranks, all);
    printf("%-14s %-38s %s: %4.1f %% from 1 MiB, %4.1f %% all\n", m->machine,
           m->file, m->B > 0 ? "fitted" : "unseen", large, any);
    ck_assert_double_le(large, 10);
    ck_assert_double_le(any, 20);
    topo_free(t);
}
END_TEST

START_TEST(the_shipped_curves_are_those_that_fit)
{
    const struct measured *const m = &tables[_i];
    const struct table all = read_table(m->file);
    if (m->B == 0)
        return;
    const struct curve c = fit(&all, m->fixed_a, m->fill > 0);
    printf("%-14s a_us %.4g B_GBps %.4g k_us or fill_us %.4g fill_MiB %g\n",
           m->machine, c.a, 1e-3 / c.per_byte, c.k, c.fill);
    ck_assert_double_eq(c.fill, m->fill);
    ck_assert_double_eq_tol(c.a / m->a, 1, .005);
    ck_assert_double_eq_tol(1e-3 / c.per_byte / m->B, 1, .005);
    ck_assert_double_eq_tol(c.k / m->k, 1, .005);
}
END_TEST

START_TEST(a_curve_of_every_second_row_predicts_the_others)
{
    const struct measured *const m = &tables[_i];
    const struct table all = read_table(m->file);
    if (m->B == 0)
        return;
    const struct table even = some_rows(&all, 0, 2, 0);
    const struct curve c = fit(&even, m->fixed_a, m->fill > 0);
    const double in = curve_error(c, some_rows(&all, 0, 2, MIB));
    const double out = curve_error(c, some_rows(&all, 1, 2, MIB));
    const double out_any = curve_error(c, some_rows(&all, 1, 2, 0));
    printf("%-14s %-38s in sample %4.1f %%, out of sample %4.1f %% from 1 MiB,"
           " %4.1f %% all\n",
           m->machine, m->file, in, out, out_any);
    ck_assert_double_le(out, 10);
    ck_assert_double_le(out_any, 20);
}
END_TEST

/* ---- copies between peers ------------------------------------------------ */

struct range {
    double lo, hi;
};

/* Within the range, or within 5 % of its ends. */
static void expect(const char *what, double value, struct range r)
{
    ck_assert_msg(value >= .95 * r.lo && value <= 1.05 * r.hi,
                  "%s: %g, measured %g to %g", what, value, r.lo, r.hi);
}

/* GB/s of a copy from a to b; with `both`, of copies in both directions,
 * together. */
static double copy_rate(const struct topo *t, int a, int b, int direct,
                        int both)
{
    struct topo_path path[2];
    double rate[2];
    ck_assert_int_eq(topo_path(t, a, b, direct, &path[0]), 0);
    ck_assert_int_eq(topo_path(t, b, a, direct, &path[1]), 0);
    ck_assert_int_eq(copies_share(t, path, both ? 2 : 1, rate), 0);
    return (both ? rate[0] + rate[1] : rate[0]) * 1e-9;
}

static double copy_us(const struct topo *t, int a, int b, int direct)
{
    struct topo_path path;
    ck_assert_int_eq(topo_path(t, a, b, direct, &path), 0);
    return (double)(path.latency_ps + topo_costs(t)->copy_ps) * 1e-6;
}

static const struct {
    const char *row, *machine;
    int a, b;
} copies[] = {{"8xA100-nvswitch", "dgx-a100", 1, 6},
              {"8xH100-nvswitch", "dgx-h100", 0, 7},
              {"8x4090-pcie4-p2p-same-socket", "pcie-4090", 0, 3},
              {"8x4090-pcie4-p2p-cross-socket", "pcie-4090", 2, 5}};

START_TEST(peer_copies_are_as_fast_as_measured)
{
    struct topo *const t = load(copies[_i].machine);
    const int a = copies[_i].a, b = copies[_i].b;
    FILE *const f = open_measured("p2p-GBps.csv");
    char line[256], name[64];
    struct range one, both, off, us;
    int found = 0;
    while (fgets(line, sizeof line, f)) {
        const int n = sscanf(line, "%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                             name, &one.lo, &one.hi, &both.lo, &both.hi,
                             &off.lo, &off.hi, &us.lo, &us.hi);
        if (n != 9 || strcmp(name, copies[_i].row) != 0)
            continue;
        found = 1;
        expect("one way", copy_rate(t, a, b, 1, 0), one);
        expect("both ways", copy_rate(t, a, b, 1, 1), both);
        expect("P2P off", copy_rate(t, a, b, 0, 0), off);
        expect("latency", copy_us(t, a, b, 1), us);
        ck_assert_int_eq(topo_p2p(t, a, b), 1);
    }
    ck_assert_int_eq(found, 1);
    fclose(f);
    topo_free(t);
}
END_TEST

START_TEST(puzzler_1_comes_out_as_published)
{
    struct topo *const t = load("a100-cubemesh");
    const int to[3] = {1, 2, 4};
    const double ms[3] = {4.3, 53.3, 8.5};
    struct topo_path path[3];
    double rate[3];
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(topo_path(t, 0, to[i], 1, &path[i]), 0);
    ck_assert_int_eq(copies_share(t, path, 3, rate), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(400e6 / rate[i] * 1e3 / ms[i], 1, .03);
    ck_assert_double_eq_tol(copy_rate(t, 0, 1, 1, 1), 185, .03 * 185);
    ck_assert_double_eq_tol(copy_rate(t, 0, 4, 1, 1), 93, .03 * 93);
    ck_assert_double_eq_tol(copy_rate(t, 0, 2, 1, 1), 14.7, .03 * 14.7);
    expect("P2P off, other socket", copy_rate(t, 0, 2, 0, 0),
           (struct range){10.8, 10.8});
    expect("P2P off, one socket", copy_rate(t, 0, 4, 0, 0),
           (struct range){9.5, 9.5});
    expect("latency", copy_us(t, 0, 1, 1), (struct range){2.4, 2.9});
    expect("latency, P2P off", copy_us(t, 0, 1, 0), (struct range){21, 23.5});
    topo_free(t);
}
END_TEST

START_TEST(two_copies_over_one_link_take_twice_as_long)
{
    struct topo *const t = load("a100-cubemesh");
    struct topo_path path[3];
    double rate[3];
    topo_path(t, 0, 1, 1, &path[0]);
    topo_path(t, 0, 1, 1, &path[1]);
    topo_path(t, 1, 0, 1, &path[2]);
    copies_share(t, path, 1, rate);
    const double alone = rate[0];
    copies_share(t, path, 3, rate);
    ck_assert_double_eq_tol(rate[0], alone / 2, 1);
    ck_assert_double_eq_tol(rate[1], alone / 2, 1);
    ck_assert_double_eq_tol(rate[2], alone, 1); // the other direction
    topo_free(t);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("measured");
    fds_watch(tc);
    tcase_add_loop_test(tc, times_are_near_the_measured_ones, 0, NTABLES);
    tcase_add_loop_test(tc, the_shipped_curves_are_those_that_fit, 0, NTABLES);
    tcase_add_loop_test(tc, a_curve_of_every_second_row_predicts_the_others, 0,
                        NTABLES);
    tcase_add_loop_test(tc, peer_copies_are_as_fast_as_measured, 0, 4);
    tcase_add_test(tc, puzzler_1_comes_out_as_published);
    tcase_add_test(tc, two_copies_over_one_link_take_twice_as_long);
    Suite *const s = suite_create("topo: measured");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
