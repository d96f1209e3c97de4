/* What calls of cuBLAS, cuFFT and cuRAND leave in the graph, to the byte: their
 * arithmetic, what is moved and where, and the ranges that they touch. And what
 * they say of a wrong argument. */
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strncmp */

#include "child.h"
#include "golden.h"
#include "graph/replay/load.h"
#include "suite.h"

/* " 1>1:16": what is moved, from a place to another. */
static void show_moves(FILE *f, const struct graph_view *v)
{
    for (uint32_t k = 0; k < v->nmoves; k++)
        fprintf(f, " %d>%d:%llu", v->moves[k].from, v->moves[k].to,
                (unsigned long long)v->moves[k].nbytes);
}

/* " r1:0+4": r or w, the allocation by its order, where the range begins, and
 * how long it is. An access names its node's call site, or none. */
static void show_accesses(FILE *f, const struct graph_view *v)
{
    for (uint32_t k = 0; k < v->naccesses; k++) {
        const struct graph_access *const a = &v->accesses[k];
        fprintf(f, " %c%u:%llu+%llu",
                (a->write & GRAPH_TOUCH) < 2 ? "rw"[a->write & GRAPH_TOUCH]
                                             : '?',
                (unsigned)a->alloc, (unsigned long long)a->begin,
                (unsigned long long)(a->end - a->begin));
        ck_assert(a->site == 0 || a->site == v->node.site);
    }
}

/* "cublasSscal on 1, 2000000 ps, flops 2 math 1 moves 1>1:16 r0:0+4 w0:8+4", a
 * line for each call. */
static char *recorded(const struct graph *g)
{
    char *text;
    size_t length;
    FILE *const f = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(f);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const struct graph_view *const v = &g->nodes[i];
        if (v->node.kind != GRAPH_KERNEL || strncmp(v->name, "cu", 2) != 0)
            continue;
        fprintf(f, "%s on %d, %llu ps, flops %.4g math %d moves", v->name,
                v->node.place, (unsigned long long)v->node.latency_ps,
                v->node.flops, (int)v->node.math);
        show_moves(f, v);
        show_accesses(f, v);
        fputc('\n', f);
    }
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

START_TEST(each_call_is_recorded_to_the_byte)
{
    char dir[CHILD_FOLDER], err[256];
    child_folder(dir, "recorded");
    struct child c =
        child_run(60, "SIMGPU_GRAPH=%s %s/tests/cublas/prog_recorded", dir,
                  child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    char *const is = recorded(g);
    golden_expect("tests/cublas/golden.txt#recorded", is);
    free(is);
    graph_free(g);
    child_remove(dir);
}
END_TEST

/* Sums of their results, in each case exact. */
START_TEST(each_call_computes_what_it_computed)
{
    struct child c =
        child_run(60, "%s/tests/cublas/prog_recorded results", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    golden_expect("tests/cublas/golden.txt#results", c.out);
    child_clear(&c);
}
END_TEST

static const char *const refused[] = {"refused", "refused_more"};

START_TEST(which_argument_is_wrong_is_said)
{
    struct child c =
        child_run(60, "%s/tests/cublas/prog_%s", child_build(), refused[_i]);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    golden_expect_part("tests/cublas/golden.txt", refused[_i], c.out);
    child_clear(&c);
}
END_TEST

static int has_avx2(void)
{
    struct child c = child_run(10, "grep -qw avx2 /proc/cpuinfo");
    const int has = c.status == 0;
    child_clear(&c);
    return has;
}

/* OpenBLAS is loaded with another number of threads, and with the kernels that
 * every processor with AVX2 has, unless the user sets others. */
START_TEST(the_environment_stays_as_it_was)
{
    static const struct {
        const char *with, *says, *kernels;
    } runs[] = {{"-u OPENBLAS_NUM_THREADS -u OPENBLAS_CORETYPE",
                 "OPENBLAS_NUM_THREADS not set\nOPENBLAS_CORETYPE not set\n",
                 "kernels Haswell\n"},
                {"OPENBLAS_NUM_THREADS=3 OPENBLAS_CORETYPE=Nehalem",
                 "OPENBLAS_NUM_THREADS 3\nOPENBLAS_CORETYPE Nehalem\n",
                 "kernels Nehalem\n"}};
    struct child c = child_run(60, "env %s %s/tests/cublas/prog_recorded",
                               runs[_i].with, child_build());
    const char *const kernels = strstr(c.out, "kernels ");
    ck_assert_msg(strstr(c.out, runs[_i].says) == c.out, "%s", c.out);
    ck_assert_msg(kernels != NULL, "%s%s", c.out, c.err);
    if (has_avx2())
        ck_assert_str_eq(kernels, runs[_i].kernels);
    child_clear(&c);
}
END_TEST

START_TEST(a_machine_without_openblas_is_told_what_to_install)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "openblas");
    struct child c = child_run(60,
                               "touch %s/libopenblas.so.0; LD_LIBRARY_PATH=%s "
                               "%s/tests/cublas/prog_recorded",
                               dir, dir, child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "cuBLAS computes with OpenBLAS: ") &&
                      strstr(c.err, "libopenblas.so.0: file too short\n") &&
                      strstr(c.err, "Install the package that has "
                                    "libopenblas.so.0 (Debian: libopenblas0)."),
                  "%s", c.err);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("recorded");
    TCase *const t = tcase_create("recorded");
    tcase_add_test(t, each_call_is_recorded_to_the_byte);
    tcase_add_test(t, each_call_computes_what_it_computed);
    tcase_add_loop_test(t, which_argument_is_wrong_is_said, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_loop_test(t, the_environment_stays_as_it_was, 0, 2);
    tcase_add_test(t, a_machine_without_openblas_is_told_what_to_install);
    suite_add_tcase(s, t);
    return suite_run(s);
}
