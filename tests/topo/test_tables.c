/*
 * What is read of tables of times, and the machines and places that they are
 * taken to be of: answers.txt has a part for each test.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h> /* PRIu64 */
#include <stdio.h>    /* asprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strstr */

#include "golden.h"
#include "machine.h"
#include "suite.h"
#include "topo/fit/fit.h"
#include "topo/fit/nccltests.h"
#include "topo/machine.h"

/* ---- tables of times ----------------------------------------------------- */

static void print_tables(FILE *out, const struct nccltests *all)
{
    for (int i = 0; i < all->n; i++) {
        const struct nccltests_table *const t = &all->table[i];
        const char *const op = nccltests_op_name(t->op);
        fprintf(out,
                "  %s: %s, %d ranks %d hosts %d groups, bus %g, %d%s:", t->file,
                op ? op : "?", t->nranks, t->nhosts, t->ngroups, t->bus,
                t->named_ranks, t->one_thread ? " one thread" : "");
        for (int k = 0; t->rank && k < t->nranks; k++)
            fprintf(out, " %d.%d", t->rank[k].host, t->rank[k].device);
        for (int k = 0; k < t->nrows; k++)
            fprintf(out, "; %d: %" PRIu64 " %g%s", t->row[k].line,
                    t->row[k].nbytes, t->row[k].us,
                    t->row[k].wrong ? " wrong" : "");
        fprintf(out, "\n");
    }
}

static void answer_times(FILE *out, const char *text, const char *name)
{
    struct nccltests all = {0};
    char err[400] = "";
    FILE *const f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    ck_assert_ptr_nonnull(f);
    if (nccltests_read(&all, f, name, err, sizeof err) != 0)
        fprintf(out, "  %s\n", err);
    print_tables(out, &all);
    nccltests_release(&all);
    fclose(f);
}

#define RANK(r, group, host, device)                                           \
    "#  Rank  " #r " Group  " #group " Pid  11 on " host " device  " #device   \
    " [0000:07:00] NVIDIA H100\n"
#define HEAD                                                                   \
    "#\n#                                    out-of-place       in-place\n"    \
    "#       size  count  type  redop  root  time  algbw  busbw #wrong  time " \
    " algbw  busbw #wrong\n"
#define ROW(size, us, alg, bus, wrong, us2)                                    \
    "  " #size "  256  float  sum  -1  " #us "  " #alg "  " #bus "  " #wrong   \
    "  " #us2 "  0.1  0.1  0\n"

static const char whole[] =
    "# Collective test starting: all_gather_perf\n"
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 32\n" RANK(0, 0, "a", 0)
        RANK(1, 0, "a", 1) RANK(2, 0, "b", 0) RANK(3, 0, "b", 1) HEAD
    "a:11:22 [0] NCCL INFO Channel 00/24 : 0 1\n" ROW(
        1024, 12.5, 0.08, 0.04, 0, 12) ROW(4096, 13.5, 20, 30, 0, 13)
        ROW(8192, 14.5, 40, 60, 3,
            14) "  16384  256  float  sum  -1  N/A  N/A  N/A  N/A  19.5  2  3  "
                "0\n"
                "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.06\n"
                "# nThread 1 nGpus 2 minBytes 8 maxBytes 32\n" RANK(0, 0, "n1",
                                                                    3)
                    RANK(1, 1, "n1", 4) HEAD ROW(1048576, 99, 10, 10, 0, 98);

/* Its file names: what of them tells the operation and the ranks. */
static const char *const files[] = {
    "x",
    "all_reduce.8.log",
    "all-reduce.1.csv",
    "d.16.e/reducescatter",
    "8.log",
    "a.2.b-16384.c",
    "a.16384.b",
    "a.16385.b",
    "broadcast_perf-4.4",
    "reduce.2x.3",
    "x.alltoall.gather",
    "mygather.12.",
};

/* Cut off behind each of its words, and without each of them. */
START_TEST(tables_of_times_are_answered_word_by_word)
{
    FILE *const out = golden_begin();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        fprintf(out, "%s\n", files[i]);
        answer_times(out, "bytes,us\n8,1\n", files[i]);
        answer_times(out, strstr(whole, "#\n#"), files[i]);
    }
    for (size_t at = 0; at < sizeof whole - 1;) {
        const size_t skip = strcspn(whole + at, " \n");
        char *text = NULL;
        if (skip > 0) {
            fprintf(out, "%zu: %.*s\n", at, (int)skip, whole + at);
            ck_assert_int_gt(
                asprintf(&text, "%.*s%s", (int)at, whole, whole + at + skip),
                0);
            answer_times(out, text, "x.reduce.log");
            free(text);
        }
        at += skip + 1;
    }
    golden_end(out, "tests/topo/answers.txt#tables");
}
END_TEST

START_TEST(tables_of_commas_are_answered_word_by_word)
{
    static const char *const texts[] = {
        "bytes,us\n8,1.5\n16,2\n\n32,3\n",
        "us,bytes\n8,1.5\n",
        "n, us,x,bytes\n1,2,3,4\n",
        "bytes,ms\n8,1\n",
        "bytes us\n8 1\n",
        "bytes,us\n0.5,1\n",
        "bytes,us\n1,0\n",
        "bytes,us\n1,1e18\n",
        "bytes,us\n1,9e17\n",
        "bytes,us\n8\n",
        "us,bytes\n8\n",
        "bytes,us\r\n8,1\r\n",
        "[1,0]<stdout>:bytes,us\n[1,0]<stdout>:8,1\n",
        "bytes,us\n8,1\n# nThread 1 nGpus 4\n16,2\n",
        "0: bytes,us\n0: 8,1\n",
        "12:bytes,us\n1: 8,1\n",
        "x,y\nbytes,us\n8,1\nbytes,us\n",
        "# all_gather_perf\nbytes,us\n8,1\n",
        "all_gather_perf\nbytes,us\n8,1\n",
    };
    FILE *const out = golden_begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(out, "%s", texts[i]);
        answer_times(out, texts[i], "x");
    }
    golden_end(out, "tests/topo/answers.txt#commas");
}
END_TEST

/* What begins a table, and what is a row of one. */
START_TEST(headings_and_rows_are_answered_word_by_word)
{
#define LIST RANK(0, 0, "a", 0) RANK(1, 0, "a", 1)
    static const char *const texts[] = {
        HEAD ROW(8, 1, 1, 1, 0, 1) HEAD ROW(16, 2, 1, 1, 0, 1),
        LIST ROW(8, 1, 1, 1, 0, 1) RANK(0, 0, "b", 0) ROW(16, 2, 1, 1, 0, 1),
        LIST RANK(0, 1, "b", 0) RANK(1, 2, "c", 1) ROW(8, 1, 1, 1, 0, 1),
        "# size count type cputime busbw\n8 2 float 5 6 7 8 9 10 11 12\n",
        "# size count type redop time\n8 2 float sum 5 6 7\n",
        "# sizes count type redop time\n8 2 float sum -1 5 6 7\n",
        "# size count time\n8 2 float sum -1 5 6 7\n",
        "8 2 float sum -1 5 6 7 8\n",
        "8 2 float sum -1 5 1.1 2.2 0 5 6 7 0\n",
        "8 2 float sum -1 5 1 2 .01 5 6 7 0\n",
        "8 2 float sum -1 5 1 2 .02 5 6 7 0\n",
        "8 2 float sum -1 0 1 2 0 5 2 3 0\n",
        "0 0 float sum -1 5 1 2 0 5 6 7 0\n",
        "8 2 1float sum -1 5 1 2 0 5 6 7 0\n",
        "8x 2 float sum -1 5 1 2 0 5 6 7 0\n",
        "999999999999999999 2 float sum -1 5 1 2 0 5 6 7 0\n",
        "9999999999999999999 2 float sum -1 5 1 2 0 5 6 7 0\n",
        "# nThread 2 nGpus 1 minBytes\n" ROW(8, 1, 1, 1, 0, 1),
        "# nThread 1 nGpus 2 minBytes\n" ROW(8, 1, 1, 1, 0, 1),
        "# nThread 1 nGpus x\n" ROW(8, 1, 1, 1, 0, 1),
        "# x/all_gather_perf -b 8\n" ROW(8, 1, 1, 1, 0, 1),
        "mpirun broadcast_perf\n" ROW(8, 1, 1, 1, 0, 1),
        "# my_perf\n" ROW(8, 1, 1, 1, 0, 1),
        "# Collective test starting: alltoall_perf\n" ROW(
            8, 1, 1, 1, 0,
            1) "# Collective test starting: reduce_perf\n" ROW(8, 2, 1, 1, 0,
                                                               1),
        "# alltoall_perf\n" ROW(8, 1, 1, 1, 0,
                                1) "# reduce_perf\n" ROW(8, 2, 1, 1, 0, 1),
        "[1,0]<stdout>:8 2 float sum -1 5 1 2 0 5 6 7 0\n",
        "[1,0]stdout>:8 2 float sum -1 5 1 2 0 5 6 7 0\n",
        "  12: 8 2 float sum -1 5 1 2 0 5 6 7 0\n",
        "12:8 2 float sum -1 5 1 2 0 5 6 7 0\n",
        ROW(8, 1, 9, 15.75, 0, 1),
        ROW(8, 1, 100, 195, 0, 1),
        ROW(8, 1, 100, 195.2, 0, 1),
        ROW(8, 1, 100, 110, 0, 1),
        ROW(8, 1, 100, 111.2, 0, 1),
        ROW(8, 1, 100, 133.3, 0, 1),
        ROW(8, 1, 100, 138, 0, 1),
        ROW(8, 1, 1, 1.5, 0, 1),
        ROW(8, 1, 1.1, 1.65, 0, 1),
        LIST ROW(8, 1, 100, 100, 0, 1),
        LIST RANK(2, 0, "a", 2) ROW(8, 1, 100, 133.3, 0, 1),
        LIST RANK(2, 0, "a", 2) ROW(8, 1, 100, 134.4, 0, 1),
    };
    FILE *const out = golden_begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(out, "%s", texts[i]);
        answer_times(out, texts[i], "x");
    }
    golden_end(out, "tests/topo/answers.txt#headings");
}
END_TEST

/* ---- what they are of ---------------------------------------------------- */

static int read_text(struct nccltests *all, const char *text)
{
    char err[400];
    FILE *const f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    ck_assert_ptr_nonnull(f);
    *all = (struct nccltests){0};
    const int result = nccltests_read(all, f, "all_reduce.4.log", err, 400);
    fclose(f);
    return result;
}

static void print_places(FILE *out, const char *machine,
                         const struct nccltests *all)
{
    char name[200], err[700] = "";
    if (fit_machine(machine, all, name, sizeof name, err, sizeof err) != 0) {
        fprintf(out, "  %s: %s\n", machine, err);
        return;
    }
    struct topo *const small = machine_load(machine);
    struct topo *const t = machine_load(name);
    for (int i = 0; i < all->n; i++) {
        const struct nccltests_table *const table = &all->table[i];
        int32_t place[64] = {0};
        fprintf(out, "  %s: %d of %s: %d nodes", machine,
                fit_place(small, table, place), name,
                fit_place(t, table, place));
        for (int k = 0; k < table->nranks; k++)
            fprintf(out, " %d", (int)place[k]);
        fprintf(out, "\n");
    }
    topo_free(small);
    topo_free(t);
}

START_TEST(ranks_are_placed_as_they_were)
{
    static const char *const machines[] = {"dgx-a100",    "2x:dgx-a100@roce",
                                           "pcie-4090",   "gh200",
                                           "gb200-nvl72", "x:none"};
    static const char *const texts[] = {
        RANK(0, 0, "a", 0) RANK(1, 0, "a", 1) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "a", 0) RANK(1, 0, "b", 0) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "a", 3) RANK(1, 0, "b", 7) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "a", 3) RANK(1, 0, "b", 8) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "a", 15) RANK(1, 0, "b", 0) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "a", 16) RANK(1, 0, "b", 0) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "a", 2) RANK(1, 0, "a", 2) HEAD ROW(8, 1, 1, 1, 0, 1),
        RANK(0, 0, "c", 1) RANK(1, 0, "b", 2) RANK(2, 0, "a", 3)
            HEAD ROW(8, 1, 1, 1, 0, 1),
        "# nThread 1 nGpus 4\n" HEAD ROW(8, 1, 1, 1, 0, 1),
    };
    FILE *const out = golden_begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct nccltests all;
        ck_assert_int_eq(read_text(&all, texts[i]), 0);
        fprintf(out, "%s", texts[i]);
        for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
            print_places(out, machines[k], &all);
        nccltests_release(&all);
    }
    golden_end(out, "tests/topo/answers.txt#places");
}
END_TEST

START_TEST(sick_rows_are_those_that_more_bytes_beat)
{
    enum { MIB = 1 << 20 };
    static const struct {
        uint64_t nbytes, next;
        double us, next_us;
        int sick;
    } rows[] = {
        {MIB, 2 * MIB, 111, 100, 1},     {MIB, 2 * MIB, 110, 100, 0},
        {MIB - 1, 2 * MIB, 200, 100, 0}, {MIB, MIB, 200, 100, 0},
        {MIB, MIB + 1, 200, 100, 1},     {2 * MIB, MIB, 200, 100, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct nccltests_row a = {.nbytes = rows[i].nbytes,
                                        .us = rows[i].us};
        const struct nccltests_row b = {.nbytes = rows[i].next,
                                        .us = rows[i].next_us};
        ck_assert_int_eq(nccltests_is_sick(&a, &b), rows[i].sick);
    }
}
END_TEST

START_TEST(bus_bandwidth_counts_what_each_link_carries)
{
    ck_assert_double_eq(nccltests_bus(TOPO_OP_ALLREDUCE, 4), 1.5);
    ck_assert_double_eq(nccltests_bus(TOPO_OP_ALLGATHER, 4), .75);
    ck_assert_double_eq(nccltests_bus(TOPO_OP_BROADCAST, 4), 1);
    ck_assert_double_eq(nccltests_bus(TOPO_OP_SENDRECV, 4), 1);
    ck_assert_double_eq(nccltests_bus(TOPO_OP_ALLREDUCE, 1), 0);
    ck_assert_double_eq(nccltests_bus(TOPO_OP_ALLREDUCE, 0), 0);
    ck_assert_double_eq(nccltests_bus(TOPO_OP_NONE, 4), 1);
    ck_assert_int_eq(nccltests_op("all-gather_x", 10), TOPO_OP_ALLGATHER);
    ck_assert_int_eq(nccltests_op("allgathers", 10), TOPO_OP_NONE);
    ck_assert_ptr_null(nccltests_op_name(TOPO_OP_BARRIER));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: tables");
    TCase *const t = tcase_create("tables");
    tcase_add_test(t, tables_of_times_are_answered_word_by_word);
    tcase_add_test(t, tables_of_commas_are_answered_word_by_word);
    tcase_add_test(t, headings_and_rows_are_answered_word_by_word);
    tcase_add_test(t, ranks_are_placed_as_they_were);
    tcase_add_test(t, sick_rows_are_those_that_more_bytes_beat);
    tcase_add_test(t, bus_bandwidth_counts_what_each_link_carries);
    suite_add_tcase(s, t);
    return suite_run(s);
}
