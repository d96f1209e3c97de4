/* What calls of cuBLAS, cuFFT and cuRAND leave in the graph, to the byte: their
 * arithmetic, what is moved, and the ranges that they touch. */
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strncmp */

#include "child.h"
#include "graph/read.h"
#include "suite.h"

/* "cublasSscal flops 2 math 1 moves 16 r0:0+4 w0:8+4", a line for each call:
 * r or w, the allocation by its order, where it begins, and how long it is. */
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
        fprintf(f, "%s flops %.4g math %d moves", v->name, v->node.flops,
                (int)v->node.math);
        for (uint32_t k = 0; k < v->nmoves; k++)
            fprintf(f, " %llu", (unsigned long long)v->moves[k].nbytes);
        for (uint32_t k = 0; k < v->naccesses; k++) {
            const struct graph_access *const a = &v->accesses[k];
            fprintf(f, " %c%u:%llu+%llu", a->write < 2 ? "rw"[a->write] : '?',
                    (unsigned)a->alloc, (unsigned long long)a->begin,
                    (unsigned long long)(a->end - a->begin));
        }
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
    c = child_run(60, "cat tests/cublas/recorded.txt");
    ck_assert_msg(strcmp(is, c.out) == 0, "recorded.txt differs from\n%s", is);
    child_clear(&c);
    free(is);
    graph_free(g);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("recorded");
    TCase *const t = tcase_create("recorded");
    tcase_add_test(t, each_call_is_recorded_to_the_byte);
    suite_add_tcase(s, t);
    return suite_run(s);
}
