/* --bench: nccl-tests' columns, by nccl-tests' rules, with results that are
 * actually checked. */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>   /* fabs */
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

enum { BENCH_SEC = 120 };

static struct child bench(int nranks, const char *program, const char *options)
{
    return child_run(BENCH_SEC, "mpirun -n %d %s/%s --bench %s", nranks,
                     child_build(), program, options);
}

struct side { /* one side of a row; NaN where nccl-tests prints N/A */
    double us, algbw, busbw, wrong;
};
struct row {
    double nbytes, count;
    char type[16], redop[16];
    int root;
    struct side out, in;
};

static const char *take(const char *at, double *v)
{
    at += strspn(at, " ");
    *v = strncmp(at, "N/A", 3) == 0 ? NAN : strtod(at, NULL);
    return at + strcspn(at, " \n");
}

/* The next row of a table, from *at on; 0 at its end. */
static int next_row(const char **at, struct row *r)
{
    int n = 0;
    while (**at == '#') {
        *at = strchrnul(*at, '\n');
        *at += **at == '\n';
    }
    if (sscanf(*at, " %lf %lf %15s %15s %d%n", &r->nbytes, &r->count, r->type,
               r->redop, &r->root, &n) != 5)
        return 0;
    *at += n;
    for (struct side *s = &r->out; s; s = s == &r->out ? &r->in : NULL) {
        *at = take(*at, &s->us);
        *at = take(*at, &s->algbw);
        *at = take(*at, &s->busbw);
        *at = take(*at, &s->wrong);
    }
    *at += **at == '\n';
    return 1;
}

/* ---- columns ------------------------------------------------------------- */

static const struct {
    const char *op;
    int nranks, blocked, reduces, root, in_place;
    double factor;
} ops[] = {
    {"all_reduce", 4, 0, 1, 0, 1, 1.5},
    {"reduce", 4, 0, 1, 1, 1, 1},
    {"broadcast", 3, 0, 0, 1, 1, 1},
    {"all_gather", 4, 1, 0, 0, 1, 0.75},
    {"reduce_scatter", 4, 1, 1, 0, 1, 0.75},
    {"alltoall", 4, 1, 0, 0, 0, 0.75},
    {"gather", 2, 1, 0, 1, 1, 0.5},
    {"scatter", 4, 1, 0, 1, 1, 0.75},
    {"sendrecv", 3, 0, 0, 0, 0, 1},
    {"all_reduce", 1, 0, 1, 0, 1, 0},
};

static void check_side(const struct side *s, const struct row *r, double factor)
{
    const double algbw = r->nbytes / s->us * 1e-3;
    ck_assert(s->us > 0 && s->wrong == 0);
    ck_assert_double_eq_tol(s->algbw, algbw, 0.005 + 0.005 * algbw);
    ck_assert_double_eq_tol(s->busbw, factor * algbw, 0.005 + 0.005 * algbw);
}

START_TEST(columns_follow_from_sizes_and_times)
{
    char options[64];
    snprintf(options, sizeof options, "--op %s --min-kb 12 --max-mb 0.05",
             ops[_i].op);
    struct child c = bench(ops[_i].nranks, "solutions/lab1", options);
    struct row r;
    int rows = 0;
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    for (const char *at = c.out; next_row(&at, &r); rows++) {
        const double of = ops[_i].blocked ? ops[_i].nranks : 1;
        ck_assert(r.nbytes == 12 * 1024 << rows);
        ck_assert(r.count == r.nbytes / 4 / of);
        ck_assert_str_eq(r.type, "float");
        ck_assert_str_eq(r.redop, ops[_i].reduces ? "sum" : "none");
        ck_assert_int_eq(r.root, ops[_i].root ? 0 : -1);
        check_side(&r.out, &r, ops[_i].factor);
        if (ops[_i].in_place)
            check_side(&r.in, &r, ops[_i].factor);
        else
            ck_assert(isnan(r.in.us) && isnan(r.in.wrong));
    }
    ck_assert_msg(rows == 3, "%d rows\n%s", rows, c.out);
    ck_assert(strstr(c.out, "# Out of bounds values : 0 OK\n") &&
              strstr(c.out, "# Avg bus bandwidth    : "));
    child_clear(&c);
}
END_TEST

START_TEST(the_table_looks_as_nccl_tests_does)
{
    struct child c =
        bench(2, "solutions/lab1", "--op all_gather --max-mb 0.001");
    static const char head[] =
        "#       size         count      type   redop    root     time   algbw "
        "  busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s) "
        " (GB/s)            (us)  (GB/s)  (GB/s)       \n"
        "        1024           128     float    none      -1 ";
    ck_assert_msg(strstr(c.out, head) != NULL, "%s", c.out);
    ck_assert(
        strstr(c.out, "#  Rank  1 device  1 [0x43] NVIDIA H100 80GB HBM3"));
    child_clear(&c);
}
END_TEST

START_TEST(types_operations_and_roots_are_checked_alike)
{
    static const char *const options[] = {
        "--op all_reduce --dtype half --redop max",
        "--op reduce --dtype int8 --redop prod --root 2",
        "--op broadcast --dtype double --root 1 --in-place",
        "--op reduce_scatter --dtype bfloat16 --min-kb 0.1",
        "--op ring,tree,halving_doubling,hierarchical,best --dtype int64",
        "--op p2p_broadcast,p2p_scatter,p2p_gather,p2p_reduce --root 1",
        "--op p2p_all_gather,p2p_reduce_scatter --iterations 2 --warmup 0",
    };
    char line[128];
    snprintf(line, sizeof line, "%s --max-mb 0.002", options[_i]);
    struct child c = bench(3, "solutions/lab1", line);
    ck_assert_msg(c.status == 0 && strstr(c.out, " 0 OK\n") &&
                      !strstr(c.out, "FAILED"),
                  "%s: %s%s", line, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- large sizes --------------------------------------------------------- */

START_TEST(a_gibibyte_on_eight_ranks_takes_no_memory)
{
    struct row r;
    struct child c = bench(8, "solutions/lab1",
                           "--min-kb 1048576 --max-mb 1024 --dtype fp16");
    const char *at = c.out;
    ck_assert_msg(c.status == 0 && next_row(&at, &r), "%s%s", c.out, c.err);
    ck_assert(r.nbytes == 1 << 30 && r.out.us > 0 && isnan(r.out.wrong));
    ck_assert_msg(c.sec < 20, "%.1f s", c.sec); // 0.4 s on an idle machine
    child_clear(&c);
}
END_TEST

/* Sizes around the one from which on only times are taken. */
START_TEST(large_sizes_are_checked_on_demand)
{
    static const struct {
        const char *options;
        int checked;
    } ways[] = {{"--sizes-mb 9", 0},
                {"--sizes-mb 9 --check", 1},
                {"--sizes-mb 9 --op ring", 1}};
    struct row r;
    struct child c = bench(2, "solutions/lab1", ways[_i].options);
    const char *at = c.out;
    ck_assert_msg(next_row(&at, &r), "%s%s", c.out, c.err);
    ck_assert(ways[_i].checked ? r.out.wrong == 0 : isnan(r.out.wrong));
    child_clear(&c);
}
END_TEST

START_TEST(rows_go_to_a_file)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "bench");
    struct child c = child_run(
        BENCH_SEC,
        "mpirun -n 2 %s/solutions/lab1 --bench --sizes-mb 1,0.5 --op "
        "all_reduce,alltoall --output %s/o.csv >%s/out && cut -d, -f1-7 "
        "%s/o.csv",
        child_build(), folder, folder, folder);
    ck_assert_str_eq(c.out, "operation,size,count,type,redop,root,in_place\n"
                            "all_reduce,1048576,262144,float,sum,-1,0\n"
                            "all_reduce,1048576,262144,float,sum,-1,1\n"
                            "all_reduce,524288,131072,float,sum,-1,0\n"
                            "all_reduce,524288,131072,float,sum,-1,1\n"
                            "alltoall,1048576,131072,float,none,-1,0\n"
                            "alltoall,524288,65536,float,none,-1,0\n");
    child_clear(&c);
    child_remove(folder);
}
END_TEST

/* ---- other commands ------------------------------------------------------ */

static const struct {
    const char *command, *says;
    int status;
} commands[] = {
    {"lab2 --bucket-sweep --mb 1 --min-kb 64 --max-mb 8 --dtype bf16",
     " bfloat16 ", 0},
    {"lab2 --bucket-sweep --dtype fp17",
     "--bucket-sweep: --dtype fp17: not a type: int8 (char", 2},
    {"lab2 --bucket-sweep --output /nowhere/o.csv",
     "--output /nowhere/o.csv: No such file", 2},
    {"lab1 --bench --output /nowhere/o.csv",
     "--output /nowhere/o.csv: No such file", 2},
    {"lab2 --bucket-sweep --dtype int32", "gradients are float, half or", 2},
    {"lab2 --compare --tensor-mb=x",
     "--compare: --tensor-mb x: not a number from 1 to 4096", 2},
    {"lab3 --overlap-report --iterations 3 --warmup 1", "comm ratio", 0},
    {"lab3 --overlap-report --iteration 3",
     "--overlap-report: --iteration: not an option", 2},
    {"lab3 --overlap-report --warmup", "--warmup: needs a value", 2},
    {"lab3 --overlap-report --iterations 50 --warmup 10", "comm ratio", 0},
    {"lab1 --sums --mb 3", "--sums: --mb: not an option", 2},
    {"lab2 --bucket-sweep --mb 8 --sizes-mb 2,8 --dtype half",
     "# buckets of at most 2048 KiB: 2 all-reduces", 0},
    {"lab2 --bucket-sweep --sizes-mb 4,x",
     "--bucket-sweep: --sizes-mb 4,x: not at most 16 numbers from 1", 2},
    {"lab2 --train --data x --batch 7",
     "--train: --batch 7: not a multiple of the 2 ranks", 2},
    {"lab2 --train --steps 0", "--train: --steps 0: not a number from 1", 2},
    {"lab2 --train", "--train: --data FILE is missing", 2},
    {"lab3 --train --data /nowhere/x", "cannot read /nowhere/x", 2},
    {"lab4 --benchmark --pp-size=2 --iterations 3 --warmup 2", "bubble", 0},
    {"lab4 --benchmark --schedule gpipe",
     "--schedule gpipe: not one of fill-drain|1f1b|interleaved", 2},
    {"lab4 --scaling --checkpoint=1", "--checkpoint=1: takes no value", 2},
    {"lab4 --bubble --stages 2", "--bubble: --stages: not an option", 2},
};

START_TEST(commands_take_options_and_name_what_they_refuse)
{
    struct child c = child_run(BENCH_SEC, "mpirun -n 2 %s/solutions/%s",
                               child_build(), commands[_i].command);
    ck_assert_msg(c.status == commands[_i].status &&
                      (strstr(c.out, commands[_i].says) ||
                       strstr(c.err, commands[_i].says)),
                  "%s: %d\n%s%s", commands[_i].command, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- wrong results, wrong usage ------------------------------------------ */

START_TEST(wrong_elements_are_counted_over_all_ranks)
{
    static const struct {
        const char *op;
        double wrong; /* of 3 ranks, count 128 in a block */
    } spoilt[] = {{"spoilt", 2}, {"short", 2 * 85 + 85}};
    for (int i = 0; i < 2; i++) {
        char options[64];
        struct row r;
        snprintf(options, sizeof options, "--op %s --max-mb 0.001",
                 spoilt[i].op);
        struct child c = bench(3, "tests/lab/prog_sweep", options);
        const char *at = c.out;
        ck_assert_msg(next_row(&at, &r) && r.out.wrong == spoilt[i].wrong,
                      "%s%s", c.out, c.err);
        ck_assert_int_eq(c.status, 1);
        ck_assert(strstr(c.out, "FAILED"));
        child_clear(&c);
    }
}
END_TEST

START_TEST(without_a_check_nothing_is_claimed)
{
    struct row r;
    struct child c = bench(3, "tests/lab/prog_sweep",
                           "--op spoilt --no-check --max-mb 0.001");
    const char *at = c.out;
    ck_assert_msg(next_row(&at, &r) && isnan(r.out.wrong), "%s", c.out);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
}
END_TEST

START_TEST(a_hole_ends_the_sweep_on_all_ranks)
{
    struct child c = bench(3, "tests/lab/prog_sweep", "--op hole");
    ck_assert_int_eq(c.status, 1);
    ck_assert_str_eq(c.err,
                     "sweep: rank 0: not implemented: part 9: nothing\n");
    child_clear(&c);
}
END_TEST

static const struct {
    const char *options, *says;
} mistakes[] = {
    {"--op rign", "--op rign: choose from all all_reduce all_gather"},
    {"--min-kb -1", "--min-kb -1: not a size"},
    {"--max-mb x", "--max-mb x: not a size"},
    {"--min-kb 2000 --max-mb 1", "--min-kb: more than --max-mb"},
    {"--dtype float33", "--dtype float33: not an NCCL type: int8 (char"},
    {"--sizes-mb 1,x", "--sizes-mb x: not a size"},
    {"--redop avg", "--redop avg: sum prod max min"},
    {"--root 2", "--root 2: not a rank of this run"},
    {"--iterations 0", "--iterations 0: 1 to 1000"},
    {"--warmup -3", "--warmup -3: not a count"},
    {"--op", "--op: needs a value"},
    {"--fast", "--fast: not an option"},
    {"ring", "ring: not an option"},
};

START_TEST(a_mistake_is_named_once)
{
    struct child c = bench(2, "tests/lab/prog_sweep", mistakes[_i].options);
    const char *const says = strstr(c.err, mistakes[_i].says);
    ck_assert_msg(c.status == 2 && says && !strstr(says + 1, mistakes[_i].says),
                  "%s: status %d\n%s", mistakes[_i].options, c.status, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("bench");
    TCase *const t = tcase_create("bench");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, columns_follow_from_sizes_and_times, 0,
                        sizeof ops / sizeof *ops);
    tcase_add_test(t, the_table_looks_as_nccl_tests_does);
    tcase_add_loop_test(t, types_operations_and_roots_are_checked_alike, 0, 7);
    tcase_add_test(t, wrong_elements_are_counted_over_all_ranks);
    tcase_add_test(t, without_a_check_nothing_is_claimed);
    tcase_add_test(t, a_hole_ends_the_sweep_on_all_ranks);
    tcase_add_test(t, a_gibibyte_on_eight_ranks_takes_no_memory);
    tcase_add_loop_test(t, large_sizes_are_checked_on_demand, 0, 3);
    tcase_add_test(t, rows_go_to_a_file);
    tcase_add_loop_test(t, commands_take_options_and_name_what_they_refuse, 0,
                        sizeof commands / sizeof *commands);
    tcase_add_loop_test(t, a_mistake_is_named_once, 0,
                        sizeof mistakes / sizeof *mistakes);
    suite_add_tcase(s, t);
    return suite_run(s);
}
