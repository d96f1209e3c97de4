/*
 * test_blocks.c: the threads of blocks of all shapes, and what they exchange
 */
#include <check.h>
#include <inttypes.h> /* PRIx32 */
#include <stdio.h>    /* open_memstream */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */

#include "calls.h"
#include "child.h"
#include "conform.h"
#include "golden.h"
#include "recorded.h"
#include "suite.h"

enum { LONGEST = 120 }; /* of a part's line */

enum { SEEDS = 4 }; /* that kernels are drawn from */

START_TEST(threads_are_where_they_should_be)
{
    conform_run("", "prog_blocks", 0);
}
END_TEST

START_TEST(a_trap_ends_a_kernel)
{
    struct child c =
        child_run(20, "%s/tests/simgpu/prog_blocks trap", child_build());
    ck_assert_msg(c.status == 0, "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* Kernels' parts, with what each touches and follows. */
START_TEST(the_graph_orders_what_kernels_exchange)
{
    struct child c;
    struct graph *const g =
        recorded_run(&c, "%s/tests/simgpu/prog_blocks words", child_build());
    FILE *const f = golden_begin();
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (g->nodes[at].node.kind == GRAPH_KERNEL)
            calls_print(f, g, &g->nodes[at]);
    golden_end(f, "tests/simgpu/graphs.txt#blocks");
    graph_free(g);
    child_clear(&c);
}
END_TEST

/* The beginning of a part's line, and a digest of all that is known of it. */
static void print_part(FILE *f, const struct graph *g,
                       const struct graph_view *v)
{
    char *line;
    size_t length;
    uint32_t digest = 2166136261u;
    FILE *const whole = open_memstream(&line, &length);
    ck_assert_ptr_nonnull(whole);
    calls_print(whole, g, v);
    fprintf(whole, "%llu", (unsigned long long)v->node.latency_ps);
    for (uint32_t i = 0; v->dep_parts && i < v->node.ndeps; i++)
        fprintf(whole, " <%u", v->dep_parts[i]);
    for (uint32_t i = 0; i < v->naccesses; i++)
        fprintf(whole, " %x", (unsigned)v->accesses[i].write);
    ck_assert_int_eq(fclose(whole), 0);
    for (const char *c = line; *c; c++)
        digest = (digest ^ (uint32_t)*c) * 16777619u;
    line[strcspn(line, "\n")] = 0;
    fprintf(f, "%.*s # %08" PRIx32 "\n", LONGEST, line, digest);
    free(line);
}

/* What a program prints that draws kernels from a seed, under any schedule, and
 * what these kernels touch and follow. */
static void expect_drawn(const char *program, const char *path, int nth)
{
    char seed[16], *text;
    size_t length;
    struct child c;
    snprintf(seed, sizeof seed, "%d", nth + 1);
    struct graph *const g =
        recorded_run(&c, "SIMGPU_SCHEDULE=%s %s/tests/simgpu/prog_%s %s",
                     conform_schedules[nth % CONFORM_SCHEDULES], child_build(),
                     program, seed);
    FILE *const f = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(f);
    fputs(c.out, f);
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (g->nodes[at].node.kind == GRAPH_KERNEL)
            print_part(f, g, &g->nodes[at]);
    ck_assert_int_eq(fclose(f), 0);
    golden_expect_part(path, seed, text);
    free(text);
    graph_free(g);
    child_clear(&c);
}

START_TEST(threads_exchange_what_they_should)
{
    expect_drawn("random_blocks", "tests/simgpu/graphs.txt#random blocks", _i);
}
END_TEST

START_TEST(kernels_share_words_as_they_should)
{
    expect_drawn("random_words", "tests/simgpu/random_words.gz", _i);
}
END_TEST

/* It reads 1,100 words, of which none changes. */
START_TEST(a_thread_that_reads_on_is_not_waiting)
{
    struct child c = child_run(
        60, "SIMGPU_HANG_SEC=0.25 %s/tests/simgpu/prog_random_words 3",
        child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}
END_TEST

/* Block 15 is (1, 1, 2) of 2 x 3 x 4, thread 9 is (1, 1, 1). What the program
 * has printed comes first. */
START_TEST(an_assertion_that_fails_names_its_thread)
{
    struct child c =
        child_run(20, "%s/tests/simgpu/prog_blocks assert 2>&1", child_build());
    const char *const says =
        ": void asserts(int): block: [1,1,2], thread: [1,1,1] Assertion "
        "`b * 24 + number_of(threadIdx, blockDim) != n` failed.\n";
    const char *const file = strstr(c.out, "prog_blocks.cu:");
    ck_assert_msg(c.status == 3 && strncmp(c.out, "before ", 7) == 0 && file &&
                      strcmp(strchr(file, ' ') - 1, says) == 0,
                  "status %d\n%s", c.status, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("blocks");
    TCase *const t = tcase_create("blocks");
    tcase_add_test(t, threads_are_where_they_should_be);
    tcase_add_test(t, the_graph_orders_what_kernels_exchange);
    tcase_add_loop_test(t, threads_exchange_what_they_should, 0, SEEDS);
    tcase_add_loop_test(t, kernels_share_words_as_they_should, 0, SEEDS);
    tcase_add_test(t, a_thread_that_reads_on_is_not_waiting);
    tcase_add_test(t, a_trap_ends_a_kernel);
    tcase_add_test(t, an_assertion_that_fails_names_its_thread);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
