/*
 * Programs that communicate by kernels of their own, against published times of
 * such programs: one-shot and two-shot all-reduces by loads and stores
 * (prog_dev_reduce.cu), and low-latency dispatch and combine of experts' tokens
 * inside a node (prog_dev_experts.cu).
 *
 * One constant, load_us of a machine's file, was fitted to the rows of 2 GPUs.
 * Those of 4 and 8, and the experts, are predictions. The results are in
 * handouts/accuracy.md. As in topo/rows: from 1 MiB, and below, the geometric
 * mean of the errors in either direction, the bias (over 100 %: the model is
 * too slow), and the number of rows.
 */
#include <check.h>
#include <math.h>   /* log */
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "child.h"
#include "golden.h"
#include "suite.h"

enum { MIB = 1 << 20, MOST_SIZES = 32, MOST_ROWS = 200 };

struct errors {
    double sum, bias;
    int n;
};

static struct row { /* of measured/custom-all-reduce.csv */
    char machine[20];
    int ranks;
    long nbytes;
    double us;
} rows[MOST_ROWS];
static int nrows;

struct modelled {
    long nbytes[MOST_SIZES];
    double us[MOST_SIZES];
    int n;
};

static void add(struct errors *e, double modelled, double measured)
{
    e->sum += fabs(log(modelled / measured));
    e->bias += log(modelled / measured);
    e->n++;
}

static double percent(const struct errors *e)
{
    return 100 * (exp(e->sum / e->n) - 1);
}

static void load_rows(void)
{
    FILE *const f = fopen("tests/topo/measured/custom-all-reduce.csv", "re");
    char line[200];
    ck_assert_msg(f != NULL, "run tests in the repository's root");
    while (fgets(line, sizeof line, f)) {
        struct row *const r = &rows[nrows];
        ck_assert_int_lt(nrows, MOST_ROWS);
        nrows += sscanf(line, "%19[^,],%*[^,],%d,%ld,%lf", r->machine,
                        &r->ranks, &r->nbytes, &r->us) == 4;
    }
    fclose(f);
}

/* Add the sizes that are measured on the machine with so many ranks. */
static void find_sizes(const char *machine, int ranks, struct modelled *m)
{
    for (int i = 0; i < nrows; i++) {
        int k = 0;
        if (strcmp(rows[i].machine, machine) != 0 || rows[i].ranks != ranks)
            continue;
        while (k < m->n && m->nbytes[k] != rows[i].nbytes)
            k++;
        ck_assert_int_lt(k, MOST_SIZES);
        m->nbytes[k] = rows[i].nbytes;
        m->n += k == m->n;
    }
}

static void run(const char *machine, int ranks, struct modelled *m)
{
    char sizes[400] = "";
    for (int i = 0; i < m->n; i++)
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), " %ld",
                 m->nbytes[i]);
    struct child c = child_run(300,
                               "SIMGPU_CHECK=1 SIMGPU_TOPO=%s mpirun -n %d "
                               "%s/tests/probes/prog_dev_reduce%s",
                               machine, ranks, child_build(), sizes);
    ck_assert_msg(c.status == 0 &&
                      strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%s, %d ranks: status %d\n%s%s", machine, ranks, c.status,
                  c.out, c.err);
    const char *at = c.out;
    for (int i = 0; i < m->n; i++) {
        char *end;
        ck_assert_int_eq(strtol(at, &end, 10), m->nbytes[i]);
        m->us[i] = strtod(end, &end);
        at = strchr(end, '\n') + 1;
    }
    child_clear(&c);
}

static void compare(const char *machine, int ranks, const struct modelled *m,
                    struct errors *large, struct errors *small)
{
    for (int i = 0; i < nrows; i++)
        for (int k = 0; k < m->n; k++)
            if (strcmp(rows[i].machine, machine) == 0 &&
                rows[i].ranks == ranks && rows[i].nbytes == m->nbytes[k])
                add(rows[i].nbytes < MIB ? small : large, m->us[k], rows[i].us);
}

static const struct {
    const char *machine;
    int ranks;
    double large, small; /* errors at most, in % */
} cases[] = {{"dgx-h100", 2, 3.9, 2.7},  {"dgx-h100", 4, 6.2, 4.3},
             {"dgx-h100", 8, 9.3, 9.7},  {"dgx-b200", 2, 14, 4.2},
             {"dgx-b200", 4, 27.1, 5.5}, {"dgx-b200", 8, 33, 19.2}};

static int print_cells(char *out, size_t nbytes, const struct errors *e)
{
    return snprintf(out, nbytes, " %.1f %% | %.0f %% | %d |", percent(e),
                    100 * exp(e->bias / e->n), e->n);
}

/* The handouts' page has this line. */
static void expect_line(int i, const struct errors *large,
                        const struct errors *small)
{
    char line[200];
    int at = snprintf(line, sizeof line, "| %s | %d |", cases[i].machine,
                      cases[i].ranks);
    at += print_cells(line + at, sizeof line - (size_t)at, large);
    at += print_cells(line + at, sizeof line - (size_t)at, small);
    snprintf(line + at, sizeof line - (size_t)at, "\n");
    fputs(line, stdout);
    golden_expect_within("handouts/accuracy.md", line);
}

START_TEST(a_kernels_all_reduce_takes_as_long_as_published_ones)
{
    const char *const machine = cases[_i].machine;
    const int ranks = cases[_i].ranks;
    struct modelled m = {.n = 0};
    struct errors large = {0}, small = {0};
    load_rows();
    find_sizes(machine, ranks, &m);
    run(machine, ranks, &m);
    compare(machine, ranks, &m, &large, &small);
    ck_assert_double_le(percent(&large), cases[_i].large);
    ck_assert_double_le(percent(&small), cases[_i].small);
    expect_line(_i, &large, &small);
}
END_TEST

/* ---- experts ------------------------------------------------------------- */

enum { HIDDEN = 7168, K = 8, EXPERTS = 256, MOST_TOKENS = 128, WAYS = 2 };
static const char *const way[WAYS] = {"dispatch", "combine"};

struct expert_row { /* of measured/deepep-low-latency.csv */
    int tokens;
    double us[WAYS];
};

static int load_expert_rows(struct expert_row *out)
{
    FILE *const f = fopen("tests/topo/measured/deepep-low-latency.csv", "re");
    char line[200];
    int n = 0;
    ck_assert_msg(f != NULL, "run tests in the repository's root");
    while (fgets(line, sizeof line, f)) {
        int nodes, hidden, k, experts;
        struct expert_row r;
        if (sscanf(line, "%d,%d,%d,%d,%d,%lf,%lf", &nodes, &hidden, &r.tokens,
                   &k, &experts, &r.us[0], &r.us[1]) == 7 &&
            nodes == 1 && hidden == HIDDEN && k == K && experts == EXPERTS &&
            r.tokens <= MOST_TOKENS && n < MOST_SIZES)
            out[n++] = r;
    }
    fclose(f);
    return n;
}

/* Run the experts' program for these numbers of tokens. */
static struct child run_experts(const char *machine, int ranks,
                                const char *tokens)
{
    struct child c =
        child_run(300,
                  "SIMGPU_CHECK=1 SIMGPU_TOPO=%s mpirun -n %d "
                  "%s/tests/probes/prog_dev_experts %d %d %d %s",
                  machine, ranks, child_build(), EXPERTS, K, HIDDEN, tokens);
    ck_assert_msg(c.status == 0 &&
                      strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%s, %d ranks: status %d\n%s%s", machine, ranks, c.status,
                  c.out, c.err);
    return c;
}

/* The handouts' page has a line for each number of tokens. */
static void expect_experts(const char *machine, const struct expert_row *want,
                           int n)
{
    char tokens[100] = "", table[1000];
    int at = 0;
    for (int i = 0; i < n; i++)
        snprintf(tokens + strlen(tokens), sizeof tokens - strlen(tokens), " %d",
                 want[i].tokens);
    struct child c = run_experts(machine, 8, tokens);
    const char *next = c.out;
    for (int i = 0; i < n; i++) {
        at += snprintf(table + at, sizeof table - (size_t)at, "| %s | %d |",
                       machine, want[i].tokens);
        for (int k = 0; k < WAYS; k++) {
            next = strstr(next, way[k]) + strlen(way[k]);
            const double us = strtod(next, NULL);
            at += snprintf(table + at, sizeof table - (size_t)at,
                           " %.1f | %.1f |", us, want[i].us[k]);
            if (want[i].tokens == MOST_TOKENS)
                ck_assert_msg(fabs(log(us / want[i].us[k])) < log(1.2),
                              "%s of %d tokens: %g us, measured %g", way[k],
                              want[i].tokens, us, want[i].us[k]);
        }
        at += snprintf(table + at, sizeof table - (size_t)at, "\n");
    }
    fputs(table, stdout);
    child_clear(&c);
    golden_expect_within("handouts/accuracy.md", table);
}

START_TEST(experts_take_as_long_as_published_ones)
{
    struct expert_row rows_of[MOST_SIZES];
    const int n = load_expert_rows(rows_of);
    ck_assert_int_eq(n, 4);
    expect_experts("dgx-h100", rows_of, n);
}
END_TEST

/* ---- experts on several nodes -------------------------------------------- */

static void load_far_row(int ranks, double us[WAYS])
{
    FILE *const f = fopen("tests/topo/measured/deepep-nodes.csv", "re");
    char line[200];
    int r = 0;
    ck_assert_msg(f != NULL, "run tests in the repository's root");
    while (r != ranks && fgets(line, sizeof line, f))
        if (sscanf(line, "%d,%lf,%lf", &r, &us[0], &us[1]) != 3)
            r = 0;
    fclose(f);
    ck_assert_int_eq(r, ranks);
}

/* Print the page's line for ranks on nodes of 8 GPUs. No constant of the model
 * is fitted to these rows. */
static void expect_far(int ranks)
{
    double want[WAYS];
    char machine[32], tokens[16], line[200];
    snprintf(machine, sizeof machine, "%dx:dgx-h100@ndr", ranks / 8);
    snprintf(tokens, sizeof tokens, "%d", MOST_TOKENS);
    int at = snprintf(line, sizeof line, "| %s | %d |", machine, ranks);
    load_far_row(ranks, want);
    struct child c = run_experts(machine, ranks, tokens);
    for (int k = 0; k < WAYS; k++) {
        const char *const found = strstr(c.out, way[k]);
        ck_assert_ptr_nonnull(found);
        const double us = strtod(found + strlen(way[k]), NULL);
        at += snprintf(line + at, sizeof line - (size_t)at, " %.1f | %.0f |",
                       us, want[k]);
        ck_assert_msg(fabs(us / want[k] - 1) < .2,
                      "%s, %d ranks: %g us, measured %g", way[k], ranks, us,
                      want[k]);
    }
    snprintf(line + at, sizeof line - (size_t)at, "\n");
    fputs(line, stdout);
    child_clear(&c);
    golden_expect_within("handouts/accuracy.md", line);
}

START_TEST(experts_of_other_nodes_take_as_long_as_published_ones)
{
    expect_far(16);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("published");
    TCase *const t = tcase_create("all-reduces");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, a_kernels_all_reduce_takes_as_long_as_published_ones,
                        0, sizeof cases / sizeof *cases);
    tcase_add_test(t, experts_take_as_long_as_published_ones);
    TCase *const far = tcase_create("nodes");
    tcase_set_timeout(far, 600);
    tcase_add_test(far, experts_of_other_nodes_take_as_long_as_published_ones);
    suite_add_tcase(s, far);
    suite_add_tcase(s, t);
    return suite_run(s);
}
