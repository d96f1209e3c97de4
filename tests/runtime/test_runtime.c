/* What calls of the runtime return and say, right and wrong ones: values.txt
 * has the lines that the parts of the programs print, recorded.gz what they
 * leave in the graph, lives.txt what prog_lives and prog_nccl32_lives print. */
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h>

#include "cases.h"
#include "child.h"
#include "golden.h"
#include "graph/replay/load.h"
#include "suite.h"

static struct cases cases, h100, lives;

static const char *const kinds[GRAPH_KINDS] = {
    "host", "kernel", "copy",   "memset", "coll",
    "send", "recv",   "hostfn", "mark",   "mpi"};

/* The file of a call site, unless it is the program's: its line moves with
 * every line above it. */
static void print_site(FILE *f, const char *site)
{
    const char *const slash = strrchr(site, '/');
    const char *const name = slash ? slash + 1 : site;
    if (strncmp(name, "prog_", 5) != 0)
        fprintf(f, " %.*s", (int)strcspn(name, ":"), name);
}

/* Pages of ordinary memory have another address in each run. */
static void print_access(FILE *f, const struct graph_access *a)
{
    fprintf(f, " %x:%u", (unsigned)a->write, (unsigned)a->alloc);
    if ((uint32_t)a->alloc)
        fprintf(f, "@%llu", (unsigned long long)a->begin);
    fprintf(f, "+%llu%s", (unsigned long long)(a->end - a->begin),
            a->site ? "" : "?");
}

static void print_node(FILE *f, const struct graph_view *v)
{
    const struct graph_node *const n = &v->node;
    fprintf(f, "%u %s %s", n->index, kinds[n->kind], v->name);
    print_site(f, v->site);
    fprintf(f, " q%u @%d %llu+%llu", n->queue, n->place,
            (unsigned long long)n->host_ps, (unsigned long long)n->latency_ps);
    if (n->thread || n->flags)
        fprintf(f, " t%u f%u", n->thread, n->flags);
    if (n->flops != 0 || n->bytes || n->elem_size)
        fprintf(f, " %g %llu/%u", n->flops, (unsigned long long)n->bytes,
                n->elem_size);
    if (n->math)
        fprintf(f, " m%d", (int)n->math);
    if (*v->span)
        fprintf(f, " '%s'", v->span);
    for (uint32_t i = 0; i < n->ndeps; i++)
        fprintf(f, " <%u", v->deps[i].index);
    for (uint32_t i = 0; i < v->nmoves; i++)
        fprintf(f, " %d>%d:%llu", v->moves[i].from, v->moves[i].to,
                (unsigned long long)v->moves[i].nbytes);
    for (uint32_t i = 0; i < v->naccesses; i++)
        print_access(f, &v->accesses[i]);
    fputc('\n', f);
}

/* The message of a fault, without the numbers of lines. */
static void print_fault(FILE *f, const struct graph_fault_note *n)
{
    fprintf(f, "%s of %u:", n->warning ? "warning" : "fault", n->index);
    for (const char *c = n->text; *c; c++) {
        fputc(*c, f);
        if (c[0] == ':' && c[1] >= '0' && c[1] <= '9')
            c += strspn(c + 1, "0123456789");
    }
    print_site(f, n->site_id ? "at a site" : "nowhere");
    fputc('\n', f);
}

/* A line for each node, then for each queue, each allocation and each fault. */
static char *recorded(const struct graph *g)
{
    char *text;
    size_t length;
    FILE *const f = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(f);
    for (uint32_t i = 0; i < g->nnodes; i++)
        print_node(f, &g->nodes[i]);
    for (size_t i = 0; i < g->nqueues; i++)
        fprintf(f, "queue %u @%d %s\n", g->queues[i].queue, g->queues[i].place,
                g->queues[i].name);
    for (size_t i = 0; i < g->nallocs; i++) {
        fprintf(f, "memory %u @%d %llu", (unsigned)g->allocs[i].alloc,
                g->allocs[i].place, (unsigned long long)g->allocs[i].nbytes);
        print_site(f, g->allocs[i].site);
        fputc('\n', f);
    }
    for (size_t i = 0; i < g->nfaults; i++)
        print_fault(f, &g->faults[i]);
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

/* A part's output on an H100, if that is what it should be, or the part. */
static const struct test_case *wanted(const struct test_case *t)
{
    if (strcmp(t->expected, "an H100's\n") != 0)
        return t;
    for (int i = 0; i < h100.n; i++)
        if (strcmp(h100.at[i].name, t->name) == 0 &&
            strcmp(h100.at[i].input, t->input) == 0)
            return &h100.at[i];
    ck_abort_msg("h100/values.txt has no \"%s\" of %s", t->name, t->input);
    return NULL;
}

/* A part's output, which has to be what its case says. Memory has other
 * contents once it is freed, so that late uses show. */
static void run_part(const struct test_case *t, const char *dir)
{
    struct child c = child_run(
        30, "MALLOC_PERTURB_=165 SIMGPU_GRAPH=%s %s/tests/runtime/%.*s %s", dir,
        child_build(), (int)strcspn(t->input, "\n"), t->input, t->name);
    ck_assert_msg(c.status == 0, "%s: status %d: %s", t->name, c.status, c.err);
    cases_same_words(wanted(t), c.out);
    child_clear(&c);
}

START_TEST(calls_return_and_record_what_they_should)
{
    char dir[CHILD_FOLDER], err[256];
    const struct test_case *const t = &cases.at[_i];
    child_folder(dir, "runtime");
    run_part(t, dir);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s: %s", t->name, err);
    char *const is = recorded(g);
    golden_expect_part("tests/runtime/recorded.gz", t->name, is);
    free(is);
    graph_free(g);
    child_remove(dir);
}
END_TEST

START_TEST(what_ends_leaves_nothing_behind)
{
    run_part(&lives.at[_i], "");
}
END_TEST

/* A hang's report names the word, its value and what the stream waits for. */
START_TEST(waits_for_words_that_hang_are_described)
{
    static const char *const says[] = {
        "at 0x100000000008 is >= 16843010; it is 16843009: byte 8 of the",
        "at 0x10000000000c is == 5; it is 16843009: byte 12 of the",
        "at 0x100000000010 shares a bit with 2; it is 16843009: byte 16 of",
        "at 0x100000000014 leaves a bit clear besides 4278124286; it is 16843"};
    struct child c = child_run(60, "%s/tests/runtime/prog_driver_devices stuck",
                               child_build());
    ck_assert_int_ne(c.status, 0);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(c.err, says[i]) != NULL, "%s\n%s", says[i], c.err);
    child_clear(&c);
}
END_TEST

/* A DGX H100 whose GPUs have other compute capabilities: each of the table
 * (cudart/kernels/limits.c), those next to them, and some that it lacks. */
START_TEST(limits_depend_on_the_compute_capability)
{
    static const int sms[] = {50, 60, 69, 70, 74,  75,  79,  80,  85,
                              86, 88, 89, 90, 100, 103, 119, 120, 121};
    char dir[CHILD_FOLDER];
    FILE *const out = golden_begin();
    child_folder(dir, "capability");
    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++) {
        struct child c = child_run(
            30,
            "sed 's/sm=\"90\"/sm=\"%d\"/' %s/simgpu/share/topo/dgx-h100.xml > "
            "%s/m.xml "
            "&& SIMGPU_TOPO=%s/m.xml %s/tests/runtime/prog_architecture",
            sms[i], child_build(), dir, dir, child_build());
        ck_assert_msg(c.status == 0, "%d: %s", sms[i], c.err);
        fputs(c.out, out);
        child_clear(&c);
    }
    child_remove(dir);
    golden_end(out, "tests/runtime/golden.txt#architectures");
}
END_TEST

/* In a machine whose GPUs differ: 9.0, but for two of 10.1 and one of 12.0. */
START_TEST(a_device_is_chosen_by_what_it_has)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "choice");
    struct child c =
        child_run(30,
                  "sed '/<gpu dev=\"[36]\"/s/sm=\"90\"/sm=\"101\"/; "
                  "/<gpu dev=\"4\"/s/sm=\"90\"/sm=\"120\"/' "
                  "%s/simgpu/share/topo/dgx-h100.xml > %s/m.xml && "
                  "SIMGPU_TOPO=%s/m.xml %s/tests/runtime/prog_architecture x",
                  child_build(), dir, dir, child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    golden_expect("tests/runtime/golden.txt#choices", c.out);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("runtime");
    TCase *const t = tcase_create("runtime");
    cases_add(&cases, "tests/runtime/values.txt");
    cases_add(&h100, "tests/runtime/h100/values.txt");
    tcase_add_loop_test(t, calls_return_and_record_what_they_should, 0,
                        cases.n);
    cases_add(&lives, "tests/runtime/lives.txt");
    tcase_add_loop_test(t, what_ends_leaves_nothing_behind, 0, lives.n);
    tcase_add_test(t, waits_for_words_that_hang_are_described);
    tcase_add_test(t, limits_depend_on_the_compute_capability);
    tcase_add_test(t, a_device_is_chosen_by_what_it_has);
    suite_add_tcase(s, t);
    return suite_run(s);
}
