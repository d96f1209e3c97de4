/*
 * test_check.c: what SIMGPU_CHECK=1 reports at the end of a process, compared
 * with golden.txt
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>   /* setenv */
#include <string.h>   /* strstr */
#include <sys/wait.h> /* waitpid */

#include "child.h"
#include "core/peer.h"
#include "core/stream/stream.h"
#include "core/watch/check.h"
#include "golden.h"
#include "graph/replay/load.h"
#include "ranks.h"
#include "scarce.h"
#include "suite.h"

static const char golden[] = "tests/core/golden.txt#check";

/* Code of one line, longer than what a compiler may put before it. */
static void all_on_a_line(void)
{
    __asm__ volatile(".skip 200, 0");
}

/* A site of its own for each number, with the same text. */
static uint32_t site(int number)
{
    return graph_site(simgpu_proc()->graph,
                      (char *)&all_on_a_line + 60 + number);
}

static void alloc(int at, size_t nbytes)
{
    void *p;
    MUST(simgpu_heap_alloc(0, nbytes, HEAP_ORDINARY, site(at), &p) == 0);
}

/* ---- one process --------------------------------------------------------- */

static void finds_nothing(struct shared *s)
{
    (void)s;
}

static void notes(int n)
{
    for (int i = 0; i < n; i++)
        simgpu_check_note(site(0), "note %d", i);
}

static void notes_one(struct shared *s)
{
    (void)s;
    dup2(STDERR_FILENO, STDOUT_FILENO);
    printf("buffered\n");
    notes(1);
}

static void notes_20(struct shared *s)
{
    (void)s;
    notes(20);
}

static void notes_22(struct shared *s)
{
    (void)s;
    notes(22);
}

static void leaks(struct shared *s)
{
    (void)s;
    alloc(0, 100);
    alloc(1, 1000);
    alloc(0, 5000);
}

/* Of 64 places. */
static void leaks_everywhere(struct shared *s)
{
    (void)s;
    for (int i = 0; i < 66; i++)
        alloc(i, 1);
    alloc(65, 1); // not known, either
}

static void notes_late(struct op *op)
{
    (void)op;
    usleep(50000);
    simgpu_check_note(0, "late");
}

static void enqueue(void (*run)(struct op *op))
{
    struct op *const op =
        simgpu_op_new(sizeof *op, run, GRAPH_HOSTFN, "work", 0);
    simgpu_stream_enqueue(stream_new(0, STREAM_BLOCKING, 0), op);
}

static void works_at_the_end(struct shared *s)
{
    (void)s;
    enqueue(notes_late);
}

static void exits(struct op *op)
{
    (void)op;
    exit(3);
}

static void ends_in_a_worker(struct shared *s)
{
    (void)s;
    notes(1);
    enqueue(exits);
    for (;;)
        pause();
}

static void forks(struct shared *s)
{
    (void)s;
    int status;
    notes(1);
    const pid_t pid = fork();
    if (pid == 0)
        exit(0);
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
    fprintf(stderr, "the child has ended\n");
}

static const struct process {
    const char *name;
    void (*body)(struct shared *s);
    const char *setting;
} processes[] = {
    {"nothing", finds_nothing, "1"},
    {"a note", notes_one, "1"},
    {"notes", notes_20, "1"},
    {"more notes", notes_22, "1"},
    {"leaks", leaks, "1"},
    {"many leaks", leaks_everywhere, "1"},
    {"late work", works_at_the_end, "1"},
    {"in a worker", ends_in_a_worker, "1"},
    {"a child", forks, "1"},
    {"unasked", notes_20, "0"},
};

/* Sites and lines of this file move. */
static void cut(char *text, const char *word)
{
    for (char *at = text; (at = strstr(at, word));) {
        at += strlen(word);
        char *const end = at + strspn(at, "0123456789");
        memmove(at, end, strlen(end) + 1);
    }
}

static void expect(const char *name, char *text, int status)
{
    cut(text, "test_check.c:");
    sprintf(text + strlen(text), "status %d\n", status);
    golden_expect_part(golden, name, text);
}

START_TEST(a_process_reports_its_hazards)
{
    static char text[65536];
    setenv("SIMGPU_CHECK", processes[_i].setting, 1);
    const struct rank r = rank_start(0, 1, processes[_i].body, shared_new());
    const int status = rank_end(r, text, sizeof text - 64);
    expect(processes[_i].name, text, status);
}
END_TEST

/* Notes of a leak and of a mistake, with their sites, in the saved graph. */
static void leaks_and_notes(struct shared *s)
{
    (void)s;
    alloc(3, 100);
    notes(1);
}

START_TEST(notes_are_saved_with_their_sites)
{
    char dir[CHILD_FOLDER], err[256], text[4096];
    child_folder(dir, "check");
    setenv("SIMGPU_CHECK", "1", 1);
    setenv("SIMGPU_GRAPH", dir, 1);
    const struct rank r = rank_start(0, 1, leaks_and_notes, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    ck_assert_int_eq(g->nfaults, 2);
    for (int i = 0; i < 2; i++) {
        const struct graph_fault_note *const n = &g->faults[i];
        graph_site_text_of(g, 0, n->site_id, text, sizeof text);
        ck_assert_msg(strncmp(text, "test_check.c:", 13) == 0, "%s", text);
        ck_assert(n->index == 0 && n->warning == (i == 1));
    }
    graph_free(g);
    child_remove(dir);
}
END_TEST

/* ---- two processes ------------------------------------------------------- */

/* Rank 1 ends when rank 0 has. */
static void after_rank_0(void)
{
    while (peer_first() && peer_alive(peer_find(0)))
        usleep(1000);
}

static void note_rank(void)
{
    simgpu_check_note(0, "of rank %u", simgpu_proc()->rank);
}

static void keep(struct shared *s)
{
    meet(s);
    check_keep_graphs();
    check_keep_graphs(); // once is enough
    await_other(s);
    note_rank();
    if (simgpu_proc()->rank == 1)
        after_rank_0();
}

static void only_know(struct shared *s)
{
    meet(s);
    note_rank();
    if (simgpu_proc()->rank == 1)
        after_rank_0();
}

static void do_not_know(struct shared *s)
{
    (void)s;
    note_rank();
}

/* The other is out of reach. */
static void keep_alone(struct shared *s)
{
    (void)s;
    check_keep_graphs();
    note_rank();
}

/* What the other has shown is no graph. */
static void keep_another_file(struct shared *s)
{
    meet(s);
    if (simgpu_proc()->rank == 1)
        peer_find(0)->control->graph_fd = s->id[0].fd;
    check_keep_graphs();
    await_other(s);
    if (simgpu_proc()->rank == 1)
        after_rank_0();
}

static void lack_memory(struct shared *s)
{
    (void)s;
    scarce_none();
    check_keep_graphs();
}

static const struct job {
    const char *name;
    void (*body)(struct shared *s);
} jobs[] = {
    {"kept", keep},
    {"known", only_know},
    {"unknown", do_not_know},
    {"kept alone", keep_alone},
    {"another file", keep_another_file},
    {"no memory", lack_memory},
};

START_TEST(the_last_process_reports_the_hazards_of_all)
{
    static char text[2][65536];
    char name[64];
    struct shared *const s = shared_new();
    setenv("SIMGPU_CHECK", "1", 1);
    const struct rank r[] = {rank_start(0, 2, jobs[_i].body, s),
                             rank_start(1, 2, jobs[_i].body, s)};
    for (int i = 0; i < 2; i++) {
        const int status = rank_end(r[i], text[i], sizeof text[i] - 64);
        snprintf(name, sizeof name, "%s: rank %d", jobs[_i].name, i);
        expect(name, text[i], status);
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("check");
    TCase *const t = tcase_create("check");
    SUITE_LOOP(t, a_process_reports_its_hazards, processes);
    tcase_add_test(t, notes_are_saved_with_their_sites);
    SUITE_LOOP(t, the_last_process_reports_the_hazards_of_all, jobs);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
