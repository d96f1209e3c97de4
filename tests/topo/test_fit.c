/*
 * commgraph fit: reading nccl-tests' output, and fitting a machine to it
 *
 * Tables with planted parameters come from the model itself, so they must be
 * found again. Real tables are those of measured/2026.
 */
#include <check.h>
#include <malloc.h> /* mallopt */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"
#include "child.h"
#include "suite.h"
#include "topo/fit/fit.h"
#include "topo/fit/nccltests.h"
#include "topo/machine.h"

/* ---- reading ------------------------------------------------------------- */

static int read_text(const char *text, const char *name, struct nccltests *all,
                     char err[400])
{
    FILE *const f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    ck_assert_ptr_nonnull(f);
    *all = (struct nccltests){0};
    const int result = nccltests_read(all, f, name, err, 400);
    fclose(f);
    return result;
}

#define RANKS(at0, at1)                                                        \
    "# Using devices\n"                                                        \
    "#  Rank  0 Group  0 Pid  11 on " at0 " device  0 [0000:07:00] NVIDIA\n"   \
    "#  Rank  1 Group  0 Pid  12 on " at1 " device  1 [0000:0f:00] NVIDIA\n"
#define HEAD                                                                   \
    "#\n#                                    out-of-place       in-place\n"    \
    "#       size  count  type  redop  root  time  algbw  busbw #wrong  time " \
    " algbw  busbw #wrong\n"                                                   \
    "#        (B)    (elements)    (us)  (GB/s)  (GB/s)   (us)  (GB/s)\n"

static const struct output {
    const char *what, *name, *text;
    enum topo_op op;
    int ntables, nranks, nhosts, nrows, nwrong;
    double first_us;
} outputs[] = {
    {"version 2.17, two nodes", "log",
     "# Collective test starting: all_gather_perf\n"
     "# nThread 1 nGpus 1 minBytes 8 maxBytes 32\n" RANKS("a", "b") HEAD
     "    1024    256  float  none  -1  12.5  0.08  0.04  0  12.0 0.1 0.1 0\n"
     "    2048    512  float  none  -1  13.5  0.15  0.08  0  13.0 0.1 0.1 0\n"
     "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.06\n",
     TOPO_OP_ALLGATHER, 1, 2, 2, 2, 0, 12.5},
    {"no checks, no in-place", "alltoall.txt",
     RANKS("a", "a") HEAD
     "  1024  256  float  none  -1  9.5  0.1  0.1  N/A  N/A  N/A  N/A  N/A\n",
     TOPO_OP_ALLTOALL, 1, 2, 1, 1, 0, 9.5},
    {"only in place", "sendrecv.txt",
     RANKS("a", "a") HEAD
     "  1024  256  float  none  -1  N/A  N/A  N/A  N/A  8.5  0.1  0.1  0\n",
     TOPO_OP_SENDRECV, 1, 2, 1, 1, 0, 8.5},
    {"version 2.0: no root, an error for each row", "all_reduce_perf.log",
     "#  Rank  0 Pid  1 on  h device  0 [0x07] Tesla V100\n"
     "#  Rank  1 Pid  1 on  h device  1 [0x0a] Tesla V100\n"
     "#       size  count  type  redop  time  algbw  busbw  error  time  algbw "
     "busbw  error\n"
     "  1024  256  float  sum  29.8  0.0  0.0  1e-07  28.1  0.0  0.0  1e-07\n",
     TOPO_OP_ALLREDUCE, 1, 2, 1, 1, 0, 29.8},
    {"wrong results, cut off in a row", "broadcast",
     RANKS("a", "a") HEAD
     "  1024  256  float  none  0  29.8  0.0  0.0  17  28.1  0.0  0.0  0\n"
     "  2048  512  float  none  0  30.8  0.0  0.0  0  28.1  0.0  0.0  0\n"
     "  4096  1024  flo",
     TOPO_OP_BROADCAST, 1, 2, 1, 2, 1, 29.8},
    {"a launcher's prefixes and NCCL's log", "x",
     "[1,0]<stdout>:# all_reduce_perf -b 8 -e 1G\n"
     "[1,0]<stdout>:" RANKS("a",
                            "a") "[1,0]<stdout>:" HEAD
                                 "a:11:22 [0] NCCL INFO Channel 00/24 : 0 1\n"
                                 "0:   1024  256  float  sum  -1  7.8  0.1  "
                                 "0.1  0  7.1  0.1  0.1  0\n"
                                 "[1,0]<stdout>:  2048  512  float  sum  -1  8 "
                                 " 0.1  0.1  0  7  1  1  0\n",
     TOPO_OP_ALLREDUCE, 1, 2, 1, 2, 0, 7.8},
    {"two runs in one file", "x",
     "# Collective test starting: all_reduce_perf\n" RANKS("a", "a") HEAD
     "  1024  256  float  sum  -1  7.8  0.1  0.1  0  7.1  0.1  0.1  0\n"
     "# Collective test starting: alltoall_perf\n" RANKS("a", "a") HEAD
     "  1024  256  float  none  -1  9.8  0.1  0.1  0  9.1  0.1  0.1  N/A\n",
     TOPO_OP_ALLREDUCE, 2, 2, 1, 1, 0, 7.8},
    {"without a list of ranks: 2(n-1)/n tells them", "x",
     HEAD "  1073741824  1  float  sum  -1  4027  266.6  466.6  0  4030  266.4 "
          "466.2  0\n",
     TOPO_OP_ALLREDUCE, 1, 8, 0, 1, 0, 4027},
    {"CSV, its name tells the rest", "d/2x-dgx-h100.16.all_reduce.site.csv",
     "bytes,us\r\n8,24.7\r\n16,24.96\r\n", TOPO_OP_ALLREDUCE, 1, 16, 0, 2, 0,
     24.7},
    {"an operation without its underscore", "reduce/allreduce-8xH100.8.csv",
     "bytes,us\n8,24.7\n", TOPO_OP_ALLREDUCE, 1, 8, 0, 1, 0, 24.7},
    {"an operation with a hyphen", "reduce-scatter.4.csv", "bytes,us\n8,24.7\n",
     TOPO_OP_REDUCESCATTER, 1, 4, 0, 1, 0, 24.7},
    {"CSV with other columns", "dgx-a100.8.reduce_scatter.x.csv",
     "# from elsewhere\nrow,us,bytes\n1,20.5,8\n", TOPO_OP_REDUCESCATTER, 1, 8,
     0, 1, 0, 20.5},
};
enum { NOUTPUTS = sizeof outputs / sizeof *outputs };

START_TEST(outputs_of_nccl_tests_are_read_as_they_are)
{
    const struct output *const o = &outputs[_i];
    struct nccltests all;
    char err[400] = "";
    int nwrong = 0;
    ck_assert_msg(read_text(o->text, o->name, &all, err) == 0, "%s: %s",
                  o->what, err);
    ck_assert_msg(all.n == o->ntables, "%s: %d tables", o->what, all.n);
    const struct nccltests_table *const t = &all.table[0];
    ck_assert_msg(t->op == o->op, "%s: operation %d", o->what, t->op);
    ck_assert_msg(t->nranks == o->nranks, "%s: %d ranks", o->what, t->nranks);
    ck_assert_msg(t->nhosts == o->nhosts, "%s: %d hosts", o->what, t->nhosts);
    ck_assert_msg(t->nrows == o->nrows, "%s: %d rows", o->what, t->nrows);
    for (int i = 0; i < t->nrows; i++)
        nwrong += t->row[i].wrong;
    ck_assert_int_eq(nwrong, o->nwrong);
    ck_assert_double_eq(t->row[0].us, o->first_us);
    nccltests_release(&all);
}
END_TEST

/* A table measured with -g N, then one with a process for each GPU. */
START_TEST(gpus_of_one_thread_are_read_from_the_heading)
{
    static const char text[] =
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 32\n" HEAD
        "  1024  256  float  sum  -1  7.8  0.1  0.1  0  7.1  0.1  0.1  0\n"
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 32\n" HEAD
        "  1024  256  float  sum  -1  7.8  0.1  0.1  0  7.1  0.1  0.1  0\n";
    struct nccltests all;
    char err[600] = "", name[100];
    ck_assert_int_eq(read_text(text, "all_reduce.8.log", &all, err), 0);
    ck_assert_int_eq(all.n, 2);
    ck_assert_int_eq(all.table[0].one_thread, 1);
    ck_assert_int_eq(all.table[1].one_thread, 0);
    ck_assert_int_eq(
        fit_machine("dgx-a100", &all, name, sizeof name, err, sizeof err), 0);
    ck_assert_str_eq(name, "dgx-a100"); // not all of them were
    const struct nccltests first = {all.table, 1};
    fit_machine("dgx-a100", &first, name, sizeof name, err, sizeof err);
    ck_assert_str_eq(name, "dgx-a100@one-thread");
    fit_machine("2x:dgx-a100@roce", &first, name, sizeof name, err, sizeof err);
    ck_assert_str_eq(name, "2x:dgx-a100@roce,one-thread");
    fit_machine("dgx-a100@one-thread", &first, name, sizeof name, err,
                sizeof err);
    ck_assert_str_eq(name, "dgx-a100@one-thread");
    nccltests_release(&all);
}
END_TEST

static const char *const unreadable[][2] = {
    {"", "no rows of times"},
    {"# nThread 1\n" HEAD "# Out of bounds values : 0 OK\n", "no rows"},
    {"bytes,us\n8,N/A\n", "x:2: bytes and us must be numbers above 0"},
    {"bytes,us\n8,-4\n", "x:2: bytes and us"},
    {"bytes,us\n8\n", "x:2: bytes and us"},
    {HEAD "1024 256 float sum -1 N/A N/A N/A N/A N/A N/A N/A N/A\n",
     "x:5: no time in this row"},
};

START_TEST(what_can_not_be_read_is_named_with_its_line)
{
    struct nccltests all;
    char err[400] = "";
    ck_assert_int_eq(
        read_text(*unreadable[_i][0] ? unreadable[_i][0] : " ", "x", &all, err),
        -1);
    ck_assert_msg(strstr(err, unreadable[_i][1]) != NULL, "%s", err);
    nccltests_release(&all);
}
END_TEST

START_TEST(a_host_too_many_is_refused)
{
    enum { MOST = 2048 };
    char *text, err[400] = "";
    size_t nbytes;
    struct nccltests all;
    FILE *const f = open_memstream(&text, &nbytes);
    for (int r = 0; r < MOST + _i; r++)
        fprintf(f, "#  Rank %d Group  0 Pid  1 on n%d device  0 [0] H\n", r, r);
    fprintf(f, HEAD "  1024 256 float sum -1 9.5 .1 .1 0 9.5 .1 .1 0\n");
    fclose(f);
    ck_assert_int_eq(read_text(text, "all_reduce.log", &all, err), -_i);
    ck_assert_msg(_i ? strstr(err, "more than 2048 hosts") != NULL
                     : all.table[0].nhosts == MOST,
                  "%s", err);
    nccltests_release(&all);
    free(text);
}
END_TEST

START_TEST(a_damaged_output_never_crashes_the_reader)
{
    char text[4096], err[400];
    struct nccltests all;
    unsigned state = 12345;
    for (int round = 0; round < 3000; round++) {
        snprintf(text, sizeof text, "%s", outputs[round % NOUTPUTS].text);
        for (int i = 0; i < 4; i++) {
            state = state * 1103515245 + 12345;
            const size_t at = (state >> 8) % strlen(text);
            text[at] = " #\n0,-xR9.\t"[(state >> 4) % 11];
        }
        read_text(text, outputs[round % NOUTPUTS].name, &all, err);
        for (int i = 0; i < all.n; i++)
            for (int k = 0; k < all.table[i].nrows; k++)
                ck_assert(all.table[i].row[k].us > 0);
        nccltests_release(&all);
    }
}
END_TEST

/* ---- planted parameters -------------------------------------------------- */

enum { SIZES = 11 };

/* A table of a machine that isn't there, from 1 KiB to 1 GiB. */
static void plant(struct nccltests *all, const char *machine,
                  const struct topo_setting *s, int n, enum topo_op op,
                  int nranks, const char *file)
{
    char err[400] = "";
    struct topo *const t = topo_load_with(machine, s, n, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    all->table = realloc(all->table, sizeof *all->table * (size_t)(all->n + 1));
    struct nccltests_table *const table = &all->table[all->n++];
    *table =
        (struct nccltests_table){.op = op, .nranks = nranks, .nrows = SIZES};
    snprintf(table->file, sizeof table->file, "%s", file);
    table->row = calloc(SIZES, sizeof *table->row);
    int32_t *const place = calloc((size_t)nranks, sizeof *place);
    ck_assert(table->row && place);
    for (int i = 0; i < nranks; i++)
        place[i] = i;
    for (int i = 0; i < SIZES; i++) {
        struct topo_coll c;
        const uint64_t nbytes = UINT64_C(1024) << (2 * i);
        ck_assert_int_eq(topo_collective(t, op, place, nranks, nbytes, TOPO_ANY,
                                         TOPO_ANY, &c, err, sizeof err),
                         0);
        table->row[i] = (struct nccltests_row){
            .nbytes = nbytes, .us = (double)c.time_ps * 1e-6, .line = i + 1};
        topo_coll_release(&c);
    }
    free(place);
    topo_free(t);
}

static double value(const struct fit *f, const char *key)
{
    for (int i = 0; i < f->nvalues; i++)
        if (strcmp(f->value[i].key, key) == 0)
            return f->value[i].after;
    return NAN;
}

static void fit_all(struct fit *f, const char *machine,
                    const struct nccltests *all)
{
    char err[400] = "";
    ck_assert_msg(fit_init(f, machine, all, err, sizeof err) == 0 &&
                      fit_run(f, err, sizeof err) == 0,
                  "%s", err);
}

START_TEST(planted_curves_are_found_again)
{
    static const char *const atts[] = {
        "op", "all_reduce", "ranks", "8",    "nodes", "1", "a_us",
        "22", "B_GBps",     "150",   "k_us", "0.02",  NULL};
    const struct topo_setting s = {"curve", atts};
    struct nccltests all = {0};
    struct fit f;
    plant(&all, "dgx-a100", &s, 1, TOPO_OP_ALLREDUCE, 8, "a");
    plant(&all, "dgx-a100", &s, 1, TOPO_OP_ALLGATHER, 8, "b");
    fit_all(&f, "dgx-a100", &all);
    ck_assert_int_eq(f.way, FIT_ROOT);
    ck_assert_double_lt(fit_error(&f, -1, 0, offsetof(struct fit_row, fitted)),
                        .01);
    ck_assert_double_eq_tol(value(&f, "a_us"), 22, .4);
    ck_assert_double_eq_tol(value(&f, "B_GBps"), 150, 3);
    fit_release(&f);
    nccltests_release(&all);
}
END_TEST

START_TEST(a_planted_network_is_found_again)
{
    static const char *const atts[] = {"net_eff", "0.5", NULL};
    const struct topo_setting s = {"links", atts};
    struct nccltests all = {0};
    struct fit f;
    plant(&all, "2x:dgx-a100", &s, 1, TOPO_OP_ALLTOALL, 16, "a");
    plant(&all, "2x:dgx-a100", &s, 1, TOPO_OP_SENDRECV, 16, "b");
    fit_all(&f, "2x:dgx-a100", &all);
    ck_assert_int_eq(f.way, FIT_LINKS);
    ck_assert_double_eq_tol(value(&f, "net_eff"), .5, .01);
    ck_assert_double_lt(fit_error(&f, -1, 0, offsetof(struct fit_row, fitted)),
                        .01);
    fit_release(&f);
    nccltests_release(&all);
}
END_TEST

START_TEST(a_sick_file_is_found_and_does_not_move_the_fit)
{
    struct nccltests all = {0};
    struct fit f;
    int nodd = 0;
    plant(&all, "dgx-a100", NULL, 0, TOPO_OP_ALLREDUCE, 8, "a");
    plant(&all, "dgx-a100", NULL, 0, TOPO_OP_ALLREDUCE, 8, "b");
    plant(&all, "dgx-a100", NULL, 0, TOPO_OP_ALLREDUCE, 8, "c");
    for (int i = 5; i < SIZES; i++) // from 1 MiB on: a link at 60 %
        all.table[1].row[i].us *= 1.6;
    all.table[2].row[0].us *= 50; // and a row with wrong results
    all.table[2].row[0].wrong = 1;
    fit_all(&f, "dgx-a100", &all);
    for (int i = 0; i < f.nrows; i++) {
        const int sick = f.row[i].table == 1 && f.row[i].nbytes >= 1 << 20;
        if (f.row[i].wrong)
            continue;
        nodd += fit_is_odd(&f, i);
        ck_assert_msg(fit_is_odd(&f, i) == sick, "table %d, %lu bytes: %g, %g",
                      f.row[i].table, (unsigned long)f.row[i].nbytes,
                      f.row[i].us, f.row[i].fitted);
        if (!sick)
            ck_assert_double_eq_tol(f.row[i].fitted / f.row[i].us, 1, .05);
    }
    ck_assert_int_eq(nodd, 6);
    fit_release(&f);
    nccltests_release(&all);
}
END_TEST

/* The fitted machine as a file, loaded as that many nodes. */
static struct topo *reload(const struct fit *f, const char *nodes)
{
    char dir[CHILD_FOLDER], path[CHILD_FOLDER + 20], name[CHILD_FOLDER + 40];
    char err[400] = "";
    child_folder(dir, "fit");
    snprintf(path, sizeof path, "%s/mine.xml", dir);
    snprintf(name, sizeof name, "%s%s", nodes, path);
    FILE *const out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_msg(fit_write(f, out, err, sizeof err) == 0, "%s", err);
    fclose(out);
    struct topo *const t = topo_load(name, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    child_remove(dir);
    return t;
}

/* All that isn't fitted: written as text and read again. */
static void same_machine(const struct topo *a, const struct topo *b)
{
    const struct calibration_fabric *const f = &a->cal.fabric;
    const struct calibration_choice *const c = &a->cal.choice;
    ck_assert_double_eq(b->cal.fabric.kind, f->kind);
    ck_assert_double_eq(b->cal.fabric.ports, f->ports);
    ck_assert_double_eq(b->cal.fabric.over, f->over);
    ck_assert_double_eq(b->cal.fabric.paths, f->paths);
    ck_assert_double_eq(b->cal.fabric.gpu_Gbps, f->gpu_Gbps);
    ck_assert_int_eq(b->cal.choice.algos, c->algos);
    ck_assert_int_eq(b->cal.choice.protos, c->protos);
    ck_assert_double_eq(b->cal.choice.chunk_KiB, c->chunk_KiB);
    ck_assert_double_eq(b->cal.choice.buffer_MiB, c->buffer_MiB);
    ck_assert_int_eq(b->nresources, a->nresources);
}

START_TEST(a_fitted_machine_keeps_its_network)
{
    static const char *const machine[] = {
        "2x:dgx-h100@tcpxo,rail:2", "2x:gh200@slingshot", "2x:dgx-h100@efa"};
    static const int nranks[] = {16, 8, 16};
    static const char *const atts[] = {"net_eff", "0.8", NULL};
    const struct topo_setting s = {"links", atts};
    struct nccltests all = {0};
    struct fit f;
    plant(&all, machine[_i], &s, 1, TOPO_OP_ALLREDUCE, nranks[_i], "a");
    fit_all(&f, machine[_i], &all);
    struct topo *const t = reload(&f, "2x:");
    same_machine(f.topo, t);
    for (int i = 0; i < f.nrows; i++) {
        char err[400];
        struct topo_coll c;
        ck_assert_int_eq(topo_collective(t, TOPO_OP_ALLREDUCE, f.table[0].place,
                                         nranks[_i], f.row[i].nbytes, TOPO_ANY,
                                         TOPO_ANY, &c, err, sizeof err),
                         0);
        ck_assert_double_eq_tol((double)c.time_ps * 1e-6 / f.row[i].fitted, 1,
                                1e-4);
        topo_coll_release(&c);
    }
    topo_free(t);
    fit_release(&f);
    nccltests_release(&all);
}
END_TEST

/* ---- real tables, by the command ----------------------------------------- */

#define MEASURED "tests/topo/measured/2026/"

/* Each line across the picture, and the time that it stands for, left of it. */
static void check_rulers(const char *dir)
{
    struct child c = child_run(100, "grep -A1 ' H' %s/fit.svg", dir);
    int n = 0;
    for (char *line = strtok(c.out, "\n"); line; line = strtok(NULL, "\n")) {
        int from, to, text;
        double y, text_y;
        if (sscanf(line, "<path d=\"M%d %lf H%d\"", &from, &y, &to) != 3)
            continue;
        line = strtok(NULL, "\n");
        ck_assert_msg(line && sscanf(line, "<text x=\"%d\" y=\"%lf\"", &text,
                                     &text_y) == 2,
                      "%s", line);
        ck_assert_msg(0 < text && text < from && from < to && to <= 760 &&
                          fabs(text_y - y) < 6,
                      "%d %d %d, %g %g", text, from, to, text_y, y);
        n++;
    }
    ck_assert_int_ge(n, 2);
    child_clear(&c);
}

START_TEST(tables_of_three_sites_make_a_machine)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "fit");
    struct child c = child_run(
        300,
        "%s/commgraph fit --topo dgx-h100 -o %s/mine.xml --svg "
        "%s/fit.svg " MEASURED "dgx-h100.8.all_reduce.azure.csv " MEASURED
        "2x-dgx-h100.16.all_reduce.nccltests309-A-ndr.csv " MEASURED
        "2x-dgx-h100.16.all_reduce.aws-p5-efa.csv",
        child_build(), dir, dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    static const char *const says[] = {
        "on 2x:dgx-h100", "as it is",      "rows out",
        "file out",       "usually means", "use it as SIMGPU_TOPO=2x:"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(c.out, says[i]) != NULL, "%s: %s", says[i], c.out);
    child_clear(&c);
    // EFA's 16 ranks take longer than NDR's: the fit lies between
    c = child_run(300,
                  "%s/commgraph collective --topo 2x:%s/mine.xml --op "
                  "all_reduce --ranks 16 --bytes 1G --json && grep -c circle "
                  "%s/fit.svg",
                  child_build(), dir, dir);
    double us = 0;
    ck_assert_msg(c.status == 0 && sscanf(c.out, "{\"us\": %lf", &us) == 1,
                  "%s%s", c.out, c.err);
    ck_assert_msg(us > 3800 && us < 5200, "%g us", us);
    child_clear(&c);
    check_rulers(dir);
    child_remove(dir);
}
END_TEST

/* A plan of one timed case on a machine, for the solution to lab 1. */
static void write_plan(const char *dir)
{
    char path[CHILD_FOLDER + 40];
    snprintf(path, sizeof path, "%s/lab1-collectives.yaml", dir);
    FILE *const f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f,
            "lab: lab1-collectives\ntitle: Ours\nfiles: [p2p.c]\n"
            "topo: 2x:%s/mine.xml\nidea:\n  1: Ours.\ncases:\n"
            "  - {name: broadcast-time, part: 1, points: 100, kind: broadcast, "
            "timed: 1, ranks: [2], with: {count: 262144, type: float}}\n",
            dir);
    fclose(f);
}

/* What an instructor does with tables of their own (handouts/instructor.md). */
START_TEST(a_plan_is_graded_on_a_fitted_machine)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "fit");
    write_plan(dir);
    struct child c = child_run(
        300,
        "D=%s B=%s && $B/commgraph fit --topo dgx-h100 --ranks 8 -o "
        "$D/mine.xml " MEASURED "dgx-h100.8.all_reduce.azure.csv " MEASURED
        "dgx-h100.8.all_reduce.mooncake3484-partial.csv "
        "tests/topo/measured/allreduce-8xH100-nvswitch.csv > $D/fit.txt && "
        "export COMMLAB_PLANS=$D SIMGPU_TOPO=2x:$D/mine.xml && "
        "mkdir $D/times && { echo times: && "
        "mpirun -n 2 $B/solutions/lab1 --times < /dev/null; } "
        "> $D/new.yaml && mv $D/new.yaml $D/times/lab1-collectives.yaml && "
        "$B/solutions/lab1 --list --times && "
        "mpirun -n 2 $B/solutions/lab1 < /dev/null",
        dir, child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    ck_assert_msg(strstr(c.out, "mine.xml") && strstr(c.out, "100/100"), "%s",
                  c.out);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

START_TEST(a_fitted_machine_is_what_was_measured)
{
    static const double measured[] = {1 << 20, 41.99};
    char dir[CHILD_FOLDER];
    child_folder(dir, "fit");
    struct child c = child_run(
        300,
        "%s/commgraph fit --topo dgx-h100 -o %s/mine.xml " MEASURED
        "dgx-h100.8.all_reduce.azure.csv > /dev/null && %s/commgraph "
        "collective "
        "--topo %s/mine.xml --op all_reduce --ranks 8 --bytes 1M --json",
        child_build(), dir, child_build(), dir);
    double us = 0;
    ck_assert_msg(c.status == 0 && sscanf(c.out, "{\"us\": %lf", &us) == 1,
                  "%s%s", c.out, c.err);
    ck_assert_double_eq_tol(us / measured[1], 1, .1);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

static const char *const refused[][2] = {
    {"--topo dgx-h100", "no tables"},
    {MEASURED "dgx-h100.8.all_reduce.azure.csv", "--topo is needed"},
    {"--topo dgx-h100 /nowhere.csv", "/nowhere.csv: No such file"},
    {"--topo dgx-h100 README.md", "no rows of times"},
    {"--topo sick:me:dgx-h100 x.csv", "fit the machine itself"},
    {"--topo dgx-z9 " MEASURED "dgx-h100.8.all_reduce.azure.csv",
     "there is no machine"},
    {"--topo dgx-h100 --ranks", "--ranks needs a value"},
};
enum { NREFUSED = sizeof refused / sizeof *refused };

/* 64 MiB over 64 GH200s took longer than 128 MiB: both commands say so. */
START_TEST(a_size_that_takes_longer_than_a_larger_one_is_named)
{
    static const char *const commands[] = {"fit", "expect"};
    struct child c =
        child_run(300,
                  "%s/commgraph %s --topo 16x:gh200@slingshot tests/topo/"
                  "measured/2026/gh200-alps.64.all_reduce.cscs-N16.csv",
                  child_build(), commands[_i]);
    ck_assert_msg(c.status == 0, "%s", c.err);
    static const char row[] = "64 MiB takes 1.59 times as long as 128 MiB",
                      what[] = ": a disturbed run";
    ck_assert_msg(strstr(c.out, row) != NULL, "%s", c.out);
    const char *const said = strstr(c.out, what); // of this row only
    ck_assert_ptr_eq(said, strstr(c.out, row) + strlen(row));
    ck_assert_ptr_null(strstr(said + 1, what));
    child_clear(&c);
}
END_TEST

START_TEST(what_can_not_be_fitted_is_refused)
{
    struct child c =
        child_run(120, "%s/commgraph fit %s", child_build(), refused[_i][0]);
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, refused[_i][1]) != NULL, "%s", c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("fit");
    tcase_set_timeout(tc, 900);
    tcase_add_loop_test(tc, outputs_of_nccl_tests_are_read_as_they_are, 0,
                        NOUTPUTS);
    tcase_add_test(tc, gpus_of_one_thread_are_read_from_the_heading);
    tcase_add_loop_test(tc, what_can_not_be_read_is_named_with_its_line, 0, 6);
    tcase_add_loop_test(tc, a_host_too_many_is_refused, 0, 2);
    tcase_add_test(tc, a_damaged_output_never_crashes_the_reader);
    tcase_add_test(tc, planted_curves_are_found_again);
    tcase_add_test(tc, a_planted_network_is_found_again);
    tcase_add_loop_test(tc, a_fitted_machine_keeps_its_network, 0, 3);
    tcase_add_test(tc, a_sick_file_is_found_and_does_not_move_the_fit);
    tcase_add_test(tc, tables_of_three_sites_make_a_machine);
    tcase_add_test(tc, a_plan_is_graded_on_a_fitted_machine);
    tcase_add_test(tc, a_fitted_machine_is_what_was_measured);
    tcase_add_loop_test(tc, a_size_that_takes_longer_than_a_larger_one_is_named,
                        0, 2);
    tcase_add_loop_test(tc, what_can_not_be_fitted_is_refused, 0, NREFUSED);
    mallopt(M_PERTURB, 1); // no text ends by luck
    Suite *const s = suite_create("topo: fit");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
