/*
 * What is fitted to tables is the same as when it was last looked at: which
 * way, the values, the rows, and the machine that is written. Four digits each:
 * another compiler may find others behind them.
 */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "machine.h"
#include "suite.h"
#include "topo/fit/fit.h"
#include "topo/machine.h"

#define MEASURED "tests/topo/measured/2026/"

static const struct {
    const char *machine;
    const char *file[2];
} cases[] = {
    {"dgx-a100", {MEASURED "dgx-a100.8.all_reduce.azure.csv"}},
    {"hgx-b300",
     {MEASURED "b300-hgx.8.all_reduce.oci.csv",
      MEASURED "b300-hgx.8.alltoall.oci.csv"}},
    {"2x:dgx-h100@ndr",
     {MEASURED "2x-dgx-h100.16.all_reduce.nccltests309-A-ndr.csv",
      MEASURED "2x-dgx-h100.16.all_reduce.aws-p5-efa.csv"}},
};
enum { NCASES = sizeof cases / sizeof *cases };

static void read_tables(int i, struct nccltests *all)
{
    char err[400];
    for (int k = 0; k < 2 && cases[i].file[k]; k++) {
        FILE *const f = fopen(cases[i].file[k], "r");
        ck_assert_msg(f != NULL, "%s", cases[i].file[k]);
        ck_assert_msg(
            nccltests_read(all, f, cases[i].file[k], err, sizeof err) == 0,
            "%s", err);
        fclose(f);
    }
}

static void print_rows(FILE *out, const struct fit *f)
{
    for (int i = 0; i < f->ntables; i++)
        fprintf(out, "table %d: fold %d, %d ranks %d nodes, %.4g\n", i,
                f->table[i].fold, f->table[i].n, f->table[i].nnodes,
                fit_error(f, i, 1 << 20, offsetof(struct fit_row, fitted)));
    for (int i = 0; i < f->nrows; i++) {
        const struct fit_row *const r = &f->row[i];
        fprintf(out, "%d:%d: %lu %.4g, %.4g %.4g %.4g %.4g%s%s\n", r->table,
                r->line, (unsigned long)r->nbytes, r->us, r->before, r->fitted,
                r->without_rows, r->without_file, r->wrong ? " wrong" : "",
                fit_is_odd(f, i) ? " odd" : "");
    }
}

static void print_settings(FILE *out, const struct fit *f)
{
    struct fit_settings s;
    fit_settings(f, f->value, f->nvalues, &s);
    for (int i = 0; i < s.n; i++) {
        fprintf(out, "<%s", s.at[i].element);
        for (int k = 0; s.at[i].atts[k]; k += 2)
            if (strcmp(s.at[i].atts[k], "op") == 0)
                fprintf(out, " %s", s.at[i].atts[k + 1]);
            else
                fprintf(out, " %s %.4g", s.at[i].atts[k],
                        strtod(s.at[i].atts[k + 1], NULL));
        fprintf(out, ">\n");
    }
}

/* What the fit adds to the machine's own file: its source, and what ends it. */
static void print_written(FILE *out, const struct fit *f)
{
    char err[400] = "", *text = NULL;
    size_t nbytes;
    FILE *const file = open_memstream(&text, &nbytes);
    ck_assert_int_eq(fit_write(f, file, err, sizeof err), 0);
    fclose(file);
    const char *const source = strstr(text, "source=\"commgraph fit");
    ck_assert_ptr_nonnull(source);
    fprintf(out, "%d bytes before %.*s\n", (int)(source - text),
            (int)strcspn(source, "\n"), source);
    fprintf(out, "%s", strstr(source, "  </calibration>"));
    free(text);
}

START_TEST(fits_find_what_they_did)
{
    FILE *const out = golden_begin();
    for (int i = 0; i < NCASES; i++) {
        char err[400] = "";
        struct nccltests all = {0};
        struct fit f;
        read_tables(i, &all);
        ck_assert_msg(fit_init(&f, cases[i].machine, &all, err, sizeof err) ==
                              0 &&
                          fit_run(&f, err, sizeof err) == 0,
                      "%s", err);
        fprintf(out, "== %s: %s\n", cases[i].machine, fit_way_names[f.way]);
        for (int way = 0; way < FIT_WAYS; way++)
            fprintf(out, "%.4g%s", f.held[way],
                    way + 1 < FIT_WAYS ? " " : "\n");
        for (int k = 0; k < FIT_CURVES; k++)
            fprintf(out, "curve %d: %d %d %d\n", k, f.curve[k].message,
                    f.curve[k].nodes, f.curve[k].ranks);
        for (int k = 0; k < f.nvalues; k++)
            fprintf(out, "%s %s %d: %.4g to %.4g\n", f.value[k].element,
                    f.value[k].key, f.value[k].curve, f.value[k].before,
                    f.value[k].after);
        print_settings(out, &f);
        print_rows(out, &f);
        print_written(out, &f);
        fit_release(&f);
        nccltests_release(&all);
    }
    golden_end(out, "tests/topo/figures/fits.txt");
}
END_TEST

/* ---- errors -------------------------------------------------------------- */

/* Times that are off by these factors, of two tables. */
START_TEST(an_error_is_the_mean_of_the_rows_that_count)
{
    static struct fit_row row[] = {
        {.table = 0, .nbytes = 8, .us = 1, .fitted = 2, .before = 1},
        {.table = 0, .nbytes = 16, .us = 8, .fitted = 1, .before = 8},
        {.table = 1, .nbytes = 16, .us = 1, .fitted = 16, .before = 1},
        {.table = 1, .nbytes = 32, .us = 1, .fitted = 99, .wrong = 1},
    };
    static const struct {
        int table;
        uint64_t min_bytes;
        double doublings; /* on average, -1: no rows */
    } cases[] = {{-1, 0, 8. / 3}, {0, 0, 2},   {1, 0, 4},
                 {0, 8, 2},       {0, 9, 3},   {0, 17, -1},
                 {-1, 16, 3.5},   {1, 32, -1}, {2, 0, -1}};
    const struct fit f = {.nrows = 4, .row = row};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double n = cases[i].doublings;
        ck_assert_double_eq_tol(fit_error(&f, cases[i].table,
                                          cases[i].min_bytes,
                                          offsetof(struct fit_row, fitted)),
                                n < 0 ? -1 : n * log(2), 1e-9);
    }
    ck_assert_double_eq(fit_error(&f, -1, 0, offsetof(struct fit_row, before)),
                        0);
}
END_TEST

/* Log errors of five rows, and how many of them, the last ones, are odd. */
static const struct {
    double off[5];
    int nodd;
} odd[] = {
    {{0, 0, 0, .119, .121}, 1},        // an eighth is never odd
    {{.04, .04, -.04, -.17, -.19}, 1}, // more than 4.5 times the median
    {{.1, .1, .1, .24, .26}, 1},       // a quarter always is
    {{.04, .04, .04, .19, -.2}, 2},    {{.06, .06, .06, .07, .08}, 0},
};

START_TEST(a_row_is_odd_that_is_far_off_the_others)
{
    struct fit_row row[5] = {{0}};
    const struct fit f = {.nrows = 5, .row = row};
    for (int i = 0; i < 5; i++) {
        row[i].us = 3;
        row[i].fitted = 3 * exp(odd[_i].off[i]);
    }
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(fit_is_odd(&f, i), i >= 5 - odd[_i].nodd);
}
END_TEST

/* ---- files --------------------------------------------------------------- */

/* Onto a full disk, and from a file that is gone or is none. */
START_TEST(a_machine_that_can_not_be_written_is_named)
{
    char err[400] = "";
    struct fit f = {.topo = machine_load("dgx-a100")};
    FILE *const full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    setbuf(full, NULL);
    ck_assert_int_eq(fit_write(&f, full, err, sizeof err), -1);
    ck_assert_str_eq(err, "No space left on device");
    snprintf(f.topo->file, sizeof f.topo->file, "/nowhere");
    ck_assert_int_eq(fit_write(&f, full, err, sizeof err), -1);
    ck_assert_str_eq(err, "/nowhere: No such file or directory");
    snprintf(f.topo->file, sizeof f.topo->file, "/dev/null");
    ck_assert_int_eq(fit_write(&f, full, err, sizeof err), -1);
    ck_assert_str_eq(err, "/dev/null: no </system>");
    fclose(full);
    fit_release(&f);
}
END_TEST

/* ---- other operations ---------------------------------------------------- */

enum { OPS = 4, RANKS = 8, MOST_ROWS = 40 };
static const char *const published[OPS] = {"all_reduce", "all_gather",
                                           "reduce_scatter", "alltoall"};

/* A machine's rows of an operation, from measured/aiconfigurator.csv. */
static void read_published(const char *machine, const char *op,
                           struct nccltests *out)
{
    char name[100], text[MOST_ROWS * 40] = "bytes,us\n", line[200], err[300];
    char begin[80];
    FILE *const f = fopen("tests/topo/measured/aiconfigurator.csv", "r");
    ck_assert(f != NULL);
    const int length =
        snprintf(begin, sizeof begin, "%s,%s,%d,", machine, op, RANKS);
    for (size_t at = strlen(text); fgets(line, sizeof line, f);)
        if (strncmp(line, begin, (size_t)length) == 0)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s",
                                   line + length);
    fclose(f);
    FILE *const table = fmemopen(text, strlen(text), "r");
    snprintf(name, sizeof name, "%s.%d.%s.nvidia.csv", machine, RANKS, op);
    ck_assert_msg(nccltests_read(out, table, name, err, sizeof err) == 0, "%s",
                  err);
    fclose(table);
}

/* The mean |log error| of a table on a machine. */
static double error_on(const struct topo *t, const struct nccltests_table *of)
{
    static const int32_t place[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};
    double sum = 0;
    char err[300];
    for (int i = 0; i < of->nrows; i++) {
        struct topo_coll c;
        ck_assert(topo_collective(t, of->op, place, RANKS, of->row[i].nbytes,
                                  TOPO_ANY, TOPO_ANY, &c, err,
                                  sizeof err) == 0);
        sum += fabs(log((double)c.time_ps * 1e-6 / of->row[i].us));
        topo_coll_release(&c);
    }
    return sum / of->nrows;
}

/* A fit to one operation: its own error becomes smaller, and those of the
 * others no larger. An all-reduce over NVSwitches takes NVLS from some size on,
 * and says nothing of the rings of an all-gather. */
static void fit_to_one(const char *machine, int op, struct nccltests *tables)
{
    struct fit f;
    struct fit_settings s;
    char err[300];
    ck_assert_msg(fit_init(&f, machine, &tables[op], err, sizeof err) == 0 &&
                      fit_run(&f, err, sizeof err) == 0,
                  "%s", err);
    fit_settings(&f, f.value, f.nvalues, &s);
    struct topo *const fitted =
        topo_load_with(machine, s.at, s.n, err, sizeof err);
    ck_assert_msg(fitted != NULL, "%s", err);
    printf("%s fitted to %-14s", machine, published[op]);
    for (int i = 0; i < OPS; i++) {
        const double before = error_on(f.topo, &tables[i].table[0]);
        const double after = error_on(fitted, &tables[i].table[0]);
        printf("  %s %.1f -> %.1f %%", published[i], 100 * (exp(before) - 1),
               100 * (exp(after) - 1));
    }
    printf("\n");
    for (int i = 0; i < OPS; i++) {
        const double before = error_on(f.topo, &tables[i].table[0]);
        const double after = error_on(fitted, &tables[i].table[0]);
        ck_assert_msg(after <= before + 1e-9, "%s: %.3f, was %.3f",
                      published[i], after, before);
    }
    topo_free(fitted);
    fit_release(&f);
}

START_TEST(a_fit_to_one_operation_worsens_no_other)
{
    static const char *const of[] = {"dgx-b200", "dgx-h100"};
    struct nccltests tables[OPS] = {{0}};
    for (int i = 0; i < OPS; i++)
        read_published(of[_i], published[i], &tables[i]);
    for (int i = 0; i < OPS; i++)
        fit_to_one(of[_i], i, tables);
    for (int i = 0; i < OPS; i++)
        nccltests_release(&tables[i]);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: fitted");
    TCase *const t = tcase_create("fitted");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, fits_find_what_they_did);
    tcase_add_test(t, an_error_is_the_mean_of_the_rows_that_count);
    tcase_add_loop_test(t, a_row_is_odd_that_is_far_off_the_others, 0,
                        sizeof odd / sizeof *odd);
    tcase_add_test(t, a_machine_that_can_not_be_written_is_named);
    tcase_add_loop_test(t, a_fit_to_one_operation_worsens_no_other, 0, 2);
    suite_add_tcase(s, t);
    return suite_run(s);
}
