/*
 * test_work.c: when operations run, and what they cannot do without
 */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strstr */
#include <sys/syscall.h>
#include <time.h> /* nanosleep */

#include "core/control.h"
#include "core/heap/dataless.h"
#include "core/heap/heap.h"
#include "core/heap/operand.h"
#include "core/host.h"
#include "core/schedule.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "core/stream/stream_state.h"
#include "core/thread.h"
#include "ranks.h"
#include "scarce.h"
#include "suite.h"

static char *alloc(size_t nbytes)
{
    void *p;
    MUST(simgpu_heap_alloc(0, nbytes, HEAP_ORDINARY, CALLER_SITE(), &p) == 0);
    return p;
}

static void nothing(struct op *op)
{
    (void)op;
}

static struct op *op_of(enum graph_kind kind, const char *name)
{
    return simgpu_op_new(sizeof(struct op), nothing, kind, name, CALLER_SITE());
}

static struct fence launch(struct stream *s)
{
    return simgpu_stream_enqueue(s, op_of(GRAPH_HOSTFN, "work"));
}

static _Atomic uint32_t gate;

static void passes_gate(struct op *op)
{
    (void)op;
    spin(&gate);
}

/* ---- memory without contents --------------------------------------------- */

enum { NO_DATA = 8, DATA = 9 }; /* allocations */

static const struct {
    int dataless; /* -1: a fault that says so, -2: the other */
    struct {
        uint32_t alloc, write;
    } access[2];
} touched[] = {
    {0, {{0}}},
    {1, {{NO_DATA, GRAPH_READ}}},
    {1, {{NO_DATA, GRAPH_WRITE}}},
    {1, {{NO_DATA, GRAPH_WRITE | GRAPH_ROUGH}}},
    {0, {{DATA, GRAPH_READ}, {DATA, GRAPH_WRITE}}},
    {0, {{DATA, GRAPH_ATOMIC}, {NO_DATA, GRAPH_ALLOC}}},
    {0, {{NO_DATA, GRAPH_FREE}, {NO_DATA, GRAPH_HOLD}}},
    {1, {{NO_DATA, GRAPH_READ}, {NO_DATA, GRAPH_WRITE}}},
    {1, {{DATA, GRAPH_READ}, {NO_DATA, GRAPH_WRITE}}},
    {1, {{NO_DATA, GRAPH_WRITE}, {DATA, GRAPH_WRITE}}},
    {1, {{NO_DATA, GRAPH_READ}, {DATA, GRAPH_ATOMIC}}},
    {1, {{NO_DATA, GRAPH_READ}, {DATA, GRAPH_READ}}},
    {-1, {{DATA, GRAPH_READ}, {NO_DATA, GRAPH_ATOMIC | GRAPH_KNOWN}}},
    {-2, {{NO_DATA, GRAPH_READ | GRAPH_FIRST}, {DATA, GRAPH_WRITE}}},
    {-2, {{DATA, GRAPH_WRITE}, {NO_DATA, GRAPH_READ}}},
};

static void look_for_data(struct shared *s)
{
    struct graph_access access[2];
    struct op op = {.name = "copies", .accesses = access};
    for (int k = 0; k < 2; k++) {
        const uint32_t alloc = touched[s->ping].access[k].alloc;
        access[k] = (struct graph_access){
            .alloc = alloc == NO_DATA ? DATALESS_BLOCK | 1 : 1,
            .write = touched[s->ping].access[k].write};
        op.node.naccesses += alloc != 0;
    }
    setenv("SIMGPU_DATALESS", "on", 1);
    MUST(op_is_dataless(&op) == touched[s->ping].dataless);
}

START_TEST(an_operation_on_memory_without_contents_is_recorded_only)
{
    static const char *const says[] = {
        "copies at ?: a flag needs memory with contents.\n",
        "copies at ?: it copies or computes from memory without contents into "
        "memory that has them.\n"};
    char text[4096];
    struct shared *const s = shared_new();
    s->ping = (uint32_t)_i;
    const struct rank r = rank_start(0, 1, look_for_data, s);
    const int status = rank_end(r, text, sizeof text);
    if (touched[_i].dataless >= 0)
        ck_assert_msg(status == 0, "%d: %s", _i, text);
    else
        ck_assert_msg(status == PROC_EXIT_FAULT &&
                          strstr(text, says[-touched[_i].dataless - 1]),
                      "%d: %s", _i, text);
}
END_TEST

static _Atomic int nruns;

static void runs(struct op *op)
{
    (void)op;
    MUST(thread_or_worker() == UINT32_MAX);
    atomic_fetch_add(&nruns, 1);
}

/* What is only recorded: neither a collective, nor what says otherwise. */
static void run_without_data(struct shared *s)
{
    (void)s;
    static const struct graph_access access = {
        .alloc = DATALESS_BLOCK | 1, .end = 1, .write = GRAPH_READ};
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    for (int i = 0; i < 4; i++) {
        struct op *const op = op_of(GRAPH_KERNEL, "reads");
        op->run = runs;
        op->accesses = &access;
        op->node.naccesses = i != 3;
        op->node.match = i == 1;
        op->always = i == 2;
        simgpu_stream_enqueue(a, op);
        stream_drain_all();
        MUST(atomic_load(&nruns) == i);
    }
}

START_TEST(what_is_only_recorded_does_not_run)
{
    succeeds(run_without_data);
}
END_TEST

/* ---- fences -------------------------------------------------------------- */

/* A stream that no worker serves. */
static void signal_fences(struct shared *s)
{
    (void)s;
    struct stream a = {.awaited = NOT_AWAITED};
    const struct fence none = {.seq = 9}, f = {&a, 5, 1};
    MUST(fence_passed(none));
    fence_signal(&a, 4);
    MUST(a.completed == 4 && a.done == 0 && !fence_passed(f));
    a.awaited = 6;
    fence_signal(&a, 5);
    MUST(fence_passed(f) && a.done == 0 && a.awaited == 6);
    fence_signal(&a, 6);
    MUST(a.done == 1 && a.awaited == NOT_AWAITED && fence_passed(f));
    a.awaited = 6;
    fence_signal(&a, 7);
    MUST(a.done == 2 && a.awaited == NOT_AWAITED);
}

/* Only under the late schedule is there anything to demand, and only what has
 * not been demanded yet rings the bell. */
static void demand_fences(struct shared *s)
{
    static const uint64_t seqs[] = {5, 5, 4, 7};
    static const uint64_t demanded[] = {5, 5, 5, 7};
    static const uint32_t rings[] = {1, 1, 1, 2};
    struct stream a = {.awaited = NOT_AWAITED}, b = a;
    simgpu_proc();
    fence_demand((struct fence){.seq = 3}); // of no stream
    for (int i = 0; i < 4; i++) {
        fence_demand((struct fence){&a, seqs[i], 1});
        MUST(a.demanded == (s->ping ? demanded[i] : 0));
        MUST(a.bell == (s->ping ? rings[i] : 0));
    }
    b.completed = 3;
    const struct fence polls[] = {{&b, 3, 1}, {&a, 6, 1}, {&b, 4, 1}};
    MUST(!simgpu_fence_poll(polls, 3, "poll", 0));
    MUST(a.polled == 6 && b.polled == 0);
    MUST(!simgpu_fence_poll(&polls[2], 1, "poll", 0) && b.polled == 4);
    MUST(a.bell == (s->ping ? 2 : 0));
}

START_TEST(a_fence_is_passed_demanded_and_polled)
{
    struct shared *const s = shared_new();
    char text[1024];
    succeeds(signal_fences);
    for (int late = 0; late < 2; late++) {
        setenv("SIMGPU_SCHEDULE", late ? "late" : "eager", 1);
        s->ping = (uint32_t)late;
        const struct rank r = rank_start(0, 1, demand_fences, s);
        const int status = rank_end(r, text, sizeof text);
        ck_assert_msg(status == 0, "%s", text);
    }
}
END_TEST

static void *waits_for(void *fence)
{
    fence_wait(*(struct fence *)fence, "cudaWaits", 77);
    return NULL;
}

static int nwaits;

static void look_at_wait(void *fence, const struct wait_entry *e)
{
    char text[128];
    const struct fence *const f = fence;
    MUST(strcmp(e->note->call, "cudaWaits") == 0 && e->note->site == 77);
    MUST(e->note->node == f->node && e->note->peer == 0);
    MUST(e->word == &f->stream->done && f->stream->awaited == f->seq);
    e->note->describe(e->note->arg, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    nwaits++;
}

/* The last of four operations, of which one is complete. */
static void describe_wait(struct shared *s)
{
    (void)s;
    pthread_t thread;
    stream_new(1, STREAM_BLOCKING, 0);
    struct stream *const a = stream_new(1, STREAM_NONBLOCKING, 0);
    struct op *const op = op_of(GRAPH_HOSTFN, "gate");
    op->run = passes_gate;
    const struct fence first = launch(a);
    while (!fence_passed(first))
        usleep(1000);
    simgpu_stream_enqueue(a, op);
    launch(a);
    struct fence f = launch(a);
    MUST(pthread_create(&thread, NULL, waits_for, &f) == 0);
    while (atomic_load(&a->awaited) != f.seq || nwaits == 0)
        wait_each(look_at_wait, &f);
    set(&gate);
    MUST(pthread_join(thread, NULL) == 0 && fence_passed(f));
}

START_TEST(a_wait_for_a_fence_is_described)
{
    char text[8192];
    const struct rank r = rank_start(0, 1, describe_wait, shared_new());
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "%s", text);
    ck_assert_msg(strstr(text, "waits for non-blocking stream 2 of device 1, 3 "
                               "operations to go\n") == text,
                  "%s", text);
}
END_TEST

/* ---- schedules ----------------------------------------------------------- */

static _Atomic long delayed_ns; /* by the latest nanosleep() */

int nanosleep(const struct timespec *t, struct timespec *left)
{
    atomic_store(&delayed_ns, t->tv_nsec);
    return (int)syscall(SYS_nanosleep, t, left);
}

static void delay_ops(struct shared *s)
{
    (void)s;
    struct stream *const a[] = {stream_new(0, STREAM_NONBLOCKING, 0),
                                stream_new(0, STREAM_NONBLOCKING, 0)};
    for (uint64_t seq = 1; seq <= 3; seq++)
        for (uint32_t i = 0; i < 2; i++) {
            fence_wait(launch(a[i]), "wait", 0);
            const uint64_t ns = schedule_delay_ns(1, i + 1, seq);
            MUST((uint64_t)atomic_load(&delayed_ns) == ns);
        }
}

START_TEST(an_op_is_delayed_by_its_rank_queue_and_number)
{
    char text[1024];
    setenv("SIMGPU_SCHEDULE", "random:7", 1);
    const struct rank r = rank_start(1, 2, delay_ops, shared_new());
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "%s", text);
}
END_TEST

/* ---- threads that are active --------------------------------------------- */

static void count_active(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct control *const own = control_own();
    for (int i = 0; i < 2; i++) {
        atomic_store(&gate, 0);
        const uint64_t before = atomic_load(&own->progress);
        struct op *const op = op_of(GRAPH_HOSTFN, "gate");
        op->run = passes_gate;
        simgpu_stream_enqueue(a, op);
        launch(a);
        MUST(atomic_load(&own->active) == 2); // this thread and the stream
        set(&gate);
        stream_drain_all();
        while (atomic_load(&own->progress) < before + 2 ||
               atomic_load(&own->active) != 1)
            usleep(1000); // the stream wakes this thread first
    }
}

START_TEST(a_stream_is_active_while_it_has_work)
{
    succeeds(count_active);
}
END_TEST

/* ---- faults -------------------------------------------------------------- */

static const struct operand operand = {.call = "cublasSgemm",
                                       .name = "A",
                                       .remedy = ", or cudaMallocHost",
                                       .check = "Check the sizes."};

static void operand_fits(struct shared *s)
{
    (void)s;
    char *const p = alloc(100);
    MUST(simgpu_operand_block(&operand, p, 100).base == p);
    MUST(simgpu_operand_block(&operand, p + 40, 60).base == p);
}

static void operand_is_short(struct shared *s)
{
    (void)s;
    simgpu_operand_block(&operand, alloc(100) + 40, 61);
}

static void operand_is_elsewhere(struct shared *s)
{
    (void)s;
    simgpu_operand_block(&operand, (void *)0x10, 4);
}

START_TEST(an_operand_is_all_in_an_allocation)
{
    succeeds(operand_fits);
    faults(operand_is_short,
           "simgpu: rank 0: cublasSgemm at ?: A needs 61 bytes, but starts at "
           "byte 40 of the 100-byte allocation made at ");
    faults(operand_is_short, "\nsimgpu: rank 0: Check the sizes.\n");
    faults(operand_is_elsewhere,
           "simgpu: rank 0: cublasSgemm at ?: A is 0x10, memory that the GPU "
           "cannot reach.\n"
           "simgpu: rank 0: Allocate it with cudaMalloc, or cudaMallocHost.\n");
}
END_TEST

static void lacks_op(struct shared *s)
{
    (void)s;
    scarce_none();
    simgpu_op_new(sizeof(struct op), nothing, GRAPH_KERNEL, "none", 0);
}

static void lacks_deps(struct shared *s)
{
    (void)s;
    const struct fence f = launch(stream_new(0, STREAM_BLOCKING, 0));
    struct op *const op = op_of(GRAPH_KERNEL, "after");
    for (int i = 0;; i++) {
        if (i == 4)
            scarce_none();
        simgpu_op_after(op, f);
    }
}

static void lacks_refs(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence f = launch(a);
    struct op *const op = op_of(GRAPH_KERNEL, "after");
    for (int i = 0; i < 17; i++)
        simgpu_op_after(op, f);
    scarce_none();
    simgpu_stream_enqueue(a, op);
}

static void lacks_stream(struct shared *s)
{
    (void)s;
    scarce_none();
    stream_new(0, STREAM_BLOCKING, 0);
}

static void lacks_join(struct shared *s)
{
    (void)s;
    static struct fence f[65];
    simgpu_fence_join(f, 0, "join", 0);
    scarce_none();
    simgpu_fence_join(f, 64, "join", 0);
    simgpu_fence_join(f, 65, "join", 0);
}

START_TEST(memory_that_runs_out_is_a_fault)
{
    static const struct {
        void (*body)(struct shared *s);
        const char *says;
    } lacks[] = {{lacks_op, "an operation"},
                 {lacks_deps, "an operation"},
                 {lacks_refs, "an operation"},
                 {lacks_stream, "a stream"},
                 {lacks_join, "a synchronisation"}};
    char says[128];
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        snprintf(says, sizeof says,
                 "simgpu: rank 0: out of host memory for %s\n", lacks[i].says);
        faults(lacks[i].body, says);
    }
}
END_TEST

static void has_too_many_tails(struct shared *s)
{
    (void)s;
    struct fence f[3];
    for (int i = 0; i < 3; i++)
        launch(stream_new(1, STREAM_BLOCKING, 0));
    MUST(stream_tails(1, 0, f, 3) == 3);
    stream_tails(1, 0, f, 2);
}

static void has_too_many_deps(struct shared *s)
{
    (void)s;
    MUST(host_ndeps(0) == 0 && host_ndeps(65535) == 65535);
    host_ndeps(65536);
}

START_TEST(what_has_no_room_is_a_fault)
{
    faults(has_too_many_tails,
           "simgpu: rank 0: a synchronisation waits for more than 2 streams of "
           "device 1.\n"
           "simgpu: rank 0: Destroy streams that are no longer needed.\n");
    faults(has_too_many_deps,
           "simgpu: rank 0: an operation depends on 65536 others; the "
           "execution graph allows 65535.\n"
           "simgpu: rank 0: Use fewer streams on one device.\n");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("work");
    TCase *const t = tcase_create("work");
    SUITE_LOOP(t, an_operation_on_memory_without_contents_is_recorded_only,
               touched);
    tcase_add_test(t, what_is_only_recorded_does_not_run);
    tcase_add_test(t, a_fence_is_passed_demanded_and_polled);
    tcase_add_test(t, a_wait_for_a_fence_is_described);
    tcase_add_test(t, an_op_is_delayed_by_its_rank_queue_and_number);
    tcase_add_test(t, a_stream_is_active_while_it_has_work);
    tcase_add_test(t, an_operand_is_all_in_an_allocation);
    tcase_add_test(t, memory_that_runs_out_is_a_fault);
    tcase_add_test(t, what_has_no_room_is_a_fault);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
