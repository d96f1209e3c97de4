/*
 * test_clock.c: what a process reads on its clocks, compared with golden.txt
 */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strstr */
#include <sys/syscall.h>
#include <time.h> /* clock_gettime */

#include "core/clock/clock.h"
#include "core/host.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/stream/stream.h"
#include "core/thread.h"
#include "golden.h"
#include "ranks.h"
#include "scarce.h"
#include "suite.h"

static const char golden[] = "tests/core/golden.txt#clock";
enum { US = 1000000 }; /* in picoseconds */

/* ---- the machine --------------------------------------------------------- */

/* Of the calling thread, which does not sleep; -1: it does. */
static _Thread_local int nsleeps = -1;

int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (nsleeps < 0)
        return (int)syscall(SYS_nanosleep, t, left);
    MUST(t->tv_sec == 0 && t->tv_nsec == 200000);
    nsleeps++;
    return 0;
}

/* ---- a program ----------------------------------------------------------- */

static void nothing(struct op *op)
{
    (void)op;
}

/* A kernel that takes so long. */
static struct fence launch(struct stream *s, uint64_t us)
{
    struct op *const op =
        simgpu_op_new(sizeof *op, nothing, GRAPH_KERNEL, "kernel", 0);
    op->node.latency_ps = us * US;
    return simgpu_stream_enqueue(s, op);
}

static struct stream *new_stream(void)
{
    return stream_new((int)simgpu_proc()->rank, STREAM_NONBLOCKING, 0);
}

static void join(struct fence f)
{
    simgpu_fence_join(&f, 1, "join", 0);
}

/* As ncclAllReduce() and MPI_Barrier() of a job of two ranks record it. */
static struct graph_node matched(enum graph_kind kind, uint64_t key)
{
    return (struct graph_node){.kind = kind,
                               .match_kind = GRAPH_MATCH_ALL,
                               .match = key,
                               .match_size = 2,
                               .match_rank = simgpu_proc()->rank};
}

static void barrier(uint64_t key)
{
    struct graph_node n = matched(GRAPH_MPI, key);
    n.thread = thread_number();
    n.place = TOPO_HOST_PLACE(0);
    n.latency_ps = US;
    graph_add(simgpu_proc()->graph, &n, NULL, NULL, NULL);
}

static struct fence meet_in_op(struct stream *s, uint64_t key)
{
    struct op *const op =
        simgpu_op_new(sizeof *op, nothing, GRAPH_COLL, "all", 0);
    op->node = matched(GRAPH_COLL, key);
    op->node.op = TOPO_OP_ALLREDUCE;
    op->node.bytes = 1 << 20;
    op->node.elem_size = 4;
    return simgpu_stream_enqueue(s, op);
}

static void show(const char *what)
{
    fprintf(stderr, "%s: %.6f us\n", what, (double)clock_host_ps() / US);
}

static void show_elapsed(const char *what, struct fence a, struct fence b)
{
    fence_wait(a, "wait", 0);
    fence_wait(b, "wait", 0);
    fprintf(stderr, "%s: %.3f us, back %.3f us\n", what,
            1e3 * (double)clock_elapsed_ms(a, b),
            1e3 * (double)clock_elapsed_ms(b, a));
}

static void show_span(const char *what, struct fence f)
{
    uint64_t start, end;
    fence_wait(f, "wait", 0);
    const int err = simgpu_clock_span(f.node, &start, &end);
    fprintf(stderr, "%s: %d, %.6f to %.6f us\n", what, err, (double)start / US,
            (double)end / US);
}

/* ---- one process --------------------------------------------------------- */

static void *reads_clock(void *unused)
{
    show("another thread");
    return unused;
}

static void alone(struct shared *s)
{
    (void)s;
    pthread_t thread;
    struct stream *const a = new_stream(), *const b = new_stream();
    show("at first");
    const struct fence f = launch(a, 10), g = launch(b, 20);
    show("launched");
    show_elapsed("under way", f, g);
    show_span("a", f);
    join(f);
    show("joined a");
    show_elapsed("one joined", f, g);
    join(g);
    show("joined b");
    show("again");
    for (int i = 0; i < 3; i++)
        simgpu_host_call("call", 0);
    show("after 3 calls");
    show_elapsed("both joined", f, g);
    show_span("b", g);
    const struct fence h = launch(a, 30), i = launch(a, 5);
    show_elapsed("from a cut to h", g, h);
    show_elapsed("from h to i", h, i);
    show_span("i", i);
    pthread_create(&thread, NULL, reads_clock, NULL);
    pthread_join(thread, NULL);
    join(i);
    show("joined i");
    show_elapsed("from a to i", f, i);
    show_span("a again", f);
    show("at last");
}

static void unasked(struct shared *s)
{
    (void)s;
    struct timespec t[2];
    setenv("SIMGPU_RECORD", "unasked", 1);
    const struct fence f = launch(new_stream(), 10);
    clock_gettime(CLOCK_MONOTONIC, &t[0]);
    const uint64_t ps = clock_host_ps();
    clock_gettime(CLOCK_MONOTONIC, &t[1]);
    for (int i = 0; i < 2; i++)
        MUST((i == 0) == ((uint64_t)t[i].tv_sec * 1000000000000 +
                              (uint64_t)t[i].tv_nsec * 1000 <
                          ps));
    show_elapsed("unasked", f, f);
    show_span("unasked", f);
}

/* ---- two processes ------------------------------------------------------- */

static void together(struct shared *s)
{
    const uint64_t rank = simgpu_proc()->rank;
    meet(s);
    struct stream *const a = new_stream();
    const struct fence f = launch(a, 10 + 20 * rank);
    join(f);
    show("before");
    barrier(1);
    show("after a barrier");
    const struct fence g = launch(a, 40 - 20 * rank);
    const struct fence all = meet_in_op(a, 2);
    show("launched");
    show_elapsed("one kernel", f, g);
    join(all);
    show("joined all");
    show_elapsed("across a barrier", f, all);
    barrier(3);
    barrier(4);
    show("after two barriers");
    show_elapsed("before them", g, all);
    show_span("g", g);
    show_span("all", all);
    const struct fence h = launch(a, 1);
    join(h);
    show("joined h");
    show_elapsed("from g to h", g, h);
    await_other(s); // it may have questions
}

/* Rank 1 records its part when rank 0 waits for it. */
static void late(struct shared *s)
{
    const uint32_t rank = simgpu_proc()->rank;
    meet(s);
    struct stream *const a = new_stream();
    if (rank == 1)
        usleep(50000);
    join(meet_in_op(a, 2));
    show("joined");
    await_other(s); // it may have questions
}

/* What the other never records, as a communicator was aborted, by `aborts`. */
static void abandoned(struct shared *s, uint32_t aborts)
{
    meet(s);
    if (simgpu_proc()->rank == aborts)
        simgpu_clock_note_abort();
    await_other(s); // it may have questions
    if (simgpu_proc()->rank == 1)
        return;
    struct stream *const a = new_stream();
    const struct fence f = launch(a, 10);
    join(f);
    show("before");
    const struct fence all = meet_in_op(a, 2);
    join(all);
    nsleeps = 0;
    show("abandoned");
    fprintf(stderr, "after %d sleeps\n", nsleeps);
    show("again");
    show_span("f", f);
    show_span("all", all);
    show_elapsed("abandoned", f, all);
}

static void aborted_here(struct shared *s)
{
    abandoned(s, 0);
}

static void aborted_there(struct shared *s)
{
    abandoned(s, 1);
}

static void count_sleeps(int status)
{
    (void)status;
    fprintf(stderr, "after %d sleeps\n", nsleeps);
}

/* What the other does not record in time. */
static void never(struct shared *s)
{
    meet(s);
    if (simgpu_proc()->rank == 1) {
        for (;;)
            pause(); // until rank 0 reports
    }
    const struct fence all = meet_in_op(new_stream(), 2);
    join(all);
    simgpu_report_last(count_sleeps);
    nsleeps = 0;
    show("joined");
}

static const struct program {
    const char *name;
    void (*body)(struct shared *s);
    int nranks;
} programs[] = {
    {"alone", alone, 1},
    {"unasked", unasked, 1},
    {"together", together, 2},
    {"late", late, 2},
    {"never", never, 2},
    {"aborted here", aborted_here, 2},
    {"aborted there", aborted_there, 2},
};

START_TEST(clocks_show_modelled_time)
{
    char text[2][8192] = {"", ""}, name[64];
    const struct program *const p = &programs[_i];
    struct shared *const s = shared_new();
    struct rank r[2];
    for (int i = 0; i < p->nranks; i++)
        r[i] = rank_start(i, p->nranks, p->body, s);
    for (int i = 0; i < p->nranks; i++) {
        const int status = rank_end(r[i], text[i], sizeof text[i]);
        ck_assert_msg(status == 0 || status == PROC_EXIT_FAULT, "%d: %s",
                      status, text[i]);
    }
    for (int i = 0; i < p->nranks; i++) {
        snprintf(name, sizeof name, "%s: rank %d", p->name, i);
        golden_expect_part(golden, name, text[i]);
    }
}
END_TEST

/* ---- faults -------------------------------------------------------------- */

static void asks(struct shared *s)
{
    (void)s;
    clock_host_ps();
}

static void lacks_memory(struct shared *s)
{
    (void)s;
    scarce_none();
    clock_host_ps();
}

START_TEST(what_the_clock_lacks_is_named)
{
    faults(lacks_memory,
           "simgpu: rank 0: out of host memory for the graph of 1 ranks\n");
    setenv("NCCL_PROTO", "fast", 1);
    faults(asks, "simgpu: rank 0: NCCL_PROTO: Unrecognized element token "
                 "\"fast\" when parsing \"fast\": use LL, LL128 or Simple\n");
    setenv("NCCL_ALGO", "best", 1);
    faults(asks, "simgpu: rank 0: NCCL_ALGO: Unrecognized element token "
                 "\"best\" when parsing \"best\": use Tree, Ring, "
                 "CollNetDirect, CollNetChain, NVLS, NVLSTree or PAT\n");
}
END_TEST

/* Another's graph that is not there, and a file that is none. */
static void asks_of_other(struct shared *s)
{
    meet(s);
    peer_find(1)->control->graph_fd = s->stopped ? s->id[1].fd : 1000;
    clock_host_ps();
}

static void is_asked(struct shared *s)
{
    meet(s);
    for (;;)
        pause();
}

START_TEST(a_graph_that_cannot_be_read_is_named)
{
    static const char *const why[] = {"No such file or directory",
                                      "Invalid argument"};
    char text[2][4096], says[256];
    struct shared *const s = shared_new();
    s->stopped = (uint32_t)_i;
    const struct rank r[] = {rank_start(0, 2, asks_of_other, s),
                             rank_start(1, 2, is_asked, s)};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(rank_end(r[i], text[i], sizeof text[i]),
                         PROC_EXIT_FAULT);
    snprintf(says, sizeof says,
             "simgpu: rank 0: modelled time: cannot read the execution graph "
             "of rank 1: %s\n",
             why[_i]);
    ck_assert_str_eq(text[0], says);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("clock");
    TCase *const t = tcase_create("clock");
    SUITE_LOOP(t, clocks_show_modelled_time, programs);
    tcase_add_test(t, what_the_clock_lacks_is_named);
    tcase_add_loop_test(t, a_graph_that_cannot_be_read_is_named, 0, 2);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
