/*
 * test_ops.c: what operations, streams and host calls leave in the graph,
 * compared with golden.txt, and the state of devices
 */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* memset */

#include "core/device.h"
#include "core/host.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "core/stream/stream.h"
#include "core/stream/stream_state.h"
#include "core/thread.h"
#include "golden.h"
#include "noted.h"
#include "ranks.h"
#include "scarce.h"
#include "suite.h"

static const char golden[] = "tests/core/golden.txt#ops";

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

/* ---- operations ---------------------------------------------------------- */

static void name_ops(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(1, STREAM_BLOCKING, 0);
    struct op *op = op_of(GRAPH_KERNEL, "own");
    MUST(op->run == nothing && strcmp(op->name, "own") == 0);
    MUST(!op->release && !op->deps && !op->ndeps && !op->always);
    simgpu_stream_enqueue(a, op);
    simgpu_site_call = "library's";
    op = op_of(GRAPH_COPY, "hidden");
    MUST(strcmp(op->name, "library's") == 0);
    simgpu_site_call = NULL;
    op->node.host_ps = 7;
    op->node.latency_ps = 900;
    simgpu_stream_enqueue(a, op);
    stream_drain_all();
}

/* 0, 1, 4, 5 and 9 dependences: room for them grows by doubling. */
static void depend(struct shared *s)
{
    enum { MOST = 17 };
    (void)s;
    struct fence f[MOST];
    for (int i = 0; i < MOST; i++)
        f[i] = launch(stream_new(0, STREAM_NONBLOCKING, 0));
    struct stream *const last = stream_new(0, STREAM_NONBLOCKING, 0);
    static const int ndeps[] = {0, 1, 4, 5, 9, 16, MOST};
    for (size_t k = 0; k < sizeof ndeps / sizeof *ndeps; k++) {
        struct op *const op = op_of(GRAPH_MARK, "after");
        simgpu_op_after(op, (struct fence){.seq = 1, .node = 1}); // no stream
        for (int i = ndeps[k]; i > 0; i--)
            simgpu_op_after(op, f[i - 1]);
        MUST(op->ndeps == ndeps[k]);
        simgpu_stream_enqueue(last, op);
    }
    stream_drain_all();
}

static void grows(struct op *op)
{
    static const struct graph_move move = {0, 1, 64};
    static const struct graph_access access = {3, 8, 16, GRAPH_WRITE, 0};
    static const struct graph_point points[] = {{0, 1, 0}, {0, 1, 0}};
    MUST(simgpu_op_part(op, points, 1, 5) == 1);
    simgpu_op_amend(op, 128, &move, 1, &access, 1);
    MUST(simgpu_op_aside(op, 0, "put", NULL, 0, 6) == 2);
    MUST(simgpu_op_aside(op, OP_ASIDES - 1, "get", points, 2, 7) == 3);
    MUST(simgpu_op_part(op, NULL, 0, 8) == 4 && op->part == 4);
}

static _Atomic int released;

static void releases(struct op *op)
{
    atomic_fetch_add(&released, 1);
    free(op);
}

static void run_parts(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    struct stream *const b = stream_new(0, STREAM_BLOCKING, 0);
    launch(a);
    for (int i = 0; i < 2; i++) {
        struct op *const op = op_of(GRAPH_KERNEL, "grows");
        op->run = grows;
        op->release = releases;
        simgpu_stream_enqueue(i ? b : a, op);
    }
    stream_drain_all();
    while (atomic_load(&released) < 2)
        usleep(1000); // an op is freed after it is done
}

/* A launch of a graph: the host pays once for all, and kernels start sooner. */
static void replay(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    static const enum graph_kind kinds[] = {GRAPH_KERNEL, GRAPH_COPY};
    for (int i = 0; i < 6; i++) {
        struct op *const op = op_of(kinds[i % 2], "replayed");
        op->node.latency_ps = 900;
        stream_replay(i / 2 == 1 ? 50 : 0);
        simgpu_stream_enqueue(a, op);
    }
    stream_drain_all();
}

/* A running operation no longer has its lists, which belong to the caller that
 * enqueued it, and its stream's worker is not asleep. */
static void looks_at_itself(struct op *op)
{
    MUST(!op->moves && !op->accesses && op->seq == 2);
    MUST(atomic_load(&op->stream->resting) == 0);
    MUST(atomic_load(&op->stream->issued) == 2 && op->stream->head == op);
    MUST(op->stream->last_node == op->node.index);
}

static void look(struct shared *s)
{
    (void)s;
    static const struct graph_move move = {0, 0, 64};
    static const struct graph_access access = {1, 0, 64, GRAPH_READ, 0};
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence first = launch(a);
    simgpu_fence_join(&first, 1, "join", 0);
    while (!atomic_load(&a->resting))
        usleep(1000);
    struct op *const op = op_of(GRAPH_COPY, "looks");
    op->run = looks_at_itself;
    op->moves = &move;
    op->node.nmoves = 1;
    op->accesses = &access;
    op->node.naccesses = 1;
    const struct fence f = simgpu_stream_enqueue(a, op);
    MUST(f.stream == a && f.seq == 2 && f.node == a->last_node);
    simgpu_fence_join(&f, 1, "join", 0);
}

START_TEST(an_operation_runs_without_its_lists)
{
    succeeds(look);
}
END_TEST

/* ---- what the host does -------------------------------------------------- */

static void call(struct shared *s)
{
    (void)s;
    static const struct graph_ref deps[] = {{0, 2}, {0, 1}};
    static const struct graph_access access = {5, 2, 6, GRAPH_READ, 0};
    simgpu_host_call("call", 0);
    simgpu_host_busy("busy", CALLER_SITE(), 12);
    simgpu_host_record("record", CALLER_SITE(), 34, deps, 2);
    simgpu_host_record("alone", CALLER_SITE(), 0, NULL, 0);
    host_touch("touch", CALLER_SITE(), &access);
    host_begin_again("again", CALLER_SITE(), deps[1]);
    simgpu_site_call = "library's";
    simgpu_host_call("hidden", CALLER_SITE());
    simgpu_site_call = NULL;
}

/* The legacy stream follows blocking streams of its device, and they follow it;
 * the tails are what a synchronisation waits for. */
static void follow_rules(struct shared *s)
{
    (void)s;
    struct stream *const blocking = stream_new(0, STREAM_BLOCKING, -3);
    struct stream *const free_one = stream_new(0, STREAM_NONBLOCKING, 0);
    struct stream *const other = stream_new(1, STREAM_BLOCKING, 0);
    struct fence f[8];
    MUST(stream_tails(0, 0, f, 8) == 0); // nothing is enqueued
    launch(blocking);
    launch(free_one);
    launch(other);
    launch(simgpu_stream_of(NULL));
    launch(free_one);
    launch(blocking);
    launch(other);
    launch(simgpu_stream_of((void *)2));
    MUST(stream_tails(0, 0, f, 4) == 4 && stream_tails(0, 1, f, 3) == 3);
    MUST(stream_tails(1, 0, f, 1) == 1 && f[0].stream == other);
    const int n = stream_tails(0, 0, f, 8);
    simgpu_fence_join(f, n, "join", CALLER_SITE());
    for (int i = 0; i < n; i++)
        MUST(fence_passed(f[i]));
    MUST(stream_priority(blocking) == -3 && stream_queue(other) == 3);
    MUST(stream_kind_of(free_one) == STREAM_NONBLOCKING);
    MUST(simgpu_stream_device(other) == 1);
    stream_drain_all();
}

static void *joins_itself(void *fence)
{
    simgpu_fence_join(fence, 1, "join", 0);
    return NULL;
}

/* A stream that the program has destroyed is waited for once by each thread. */
static void forget_streams(struct shared *s)
{
    (void)s;
    pthread_t thread;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    struct stream *const b = stream_new(0, STREAM_BLOCKING, 0);
    struct fence f[2] = {launch(a), launch(b)}, tail[2];
    simgpu_fence_join(f, 2, "join", 0);
    MUST(stream_tails(0, 0, tail, 2) == 2); // both are live
    stream_release(a);
    MUST(stream_tails(0, 0, tail, 2) == 1 && tail[0].stream == b);
    MUST(simgpu_stream_of(b) == b && !simgpu_stream_of(a));
    f[1] = launch(b);
    stream_release(b);
    MUST(stream_tails(0, 0, tail, 2) == 1); // not waited for to its end
    MUST(pthread_create(&thread, NULL, joins_itself, &f[1]) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    MUST(stream_tails(0, 0, tail, 2) == 1); // not by this thread
    simgpu_fence_join(tail, 1, "join", 0);
    MUST(stream_tails(0, 0, tail, 2) == 0);
}

static void release_streams(struct shared *s)
{
    (void)s;
    struct stream *const legacy = simgpu_stream_of((void *)1);
    struct stream *const own = simgpu_stream_of((void *)2);
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    struct stream *const other = stream_new(1, STREAM_BLOCKING, 0);
    stream_release_all(0);
    MUST(!simgpu_stream_of(a) && simgpu_stream_of(other) == other);
    MUST(simgpu_stream_of(NULL) == legacy && legacy != own);
    MUST(simgpu_stream_of((void *)2) == own);
    MUST(simgpu_stream_of(legacy) == legacy && simgpu_stream_of(own) == own);
    MUST(stream_kind_of(legacy) == STREAM_LEGACY);
    MUST(stream_kind_of(own) == STREAM_BLOCKING);
    MUST(simgpu_device_set(1) == 0);
    MUST(simgpu_stream_of(NULL) != legacy &&
         simgpu_stream_of((void *)2) != own);
    MUST(simgpu_stream_device(simgpu_stream_of((void *)2)) == 1);
    launch(legacy);
    stream_drain_all();
}

/* ---- polls --------------------------------------------------------------- */

static _Atomic uint32_t gate;

static void passes_gate(struct op *op)
{
    (void)op;
    spin(&gate);
}

/* A poll that fails records nothing, one that succeeds is a join. */
static void poll(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    struct op *const op = op_of(GRAPH_HOSTFN, "gate");
    op->run = passes_gate;
    const struct fence f[] = {{0},
                              launch(stream_new(0, STREAM_BLOCKING, 0)),
                              simgpu_stream_enqueue(a, op)};
    fence_wait(f[1], "wait", 0);
    MUST(!fence_is_polling() && simgpu_fence_poll(f, 2, "passed", 0));
    for (int i = 0; i < 2; i++)
        MUST(!simgpu_fence_poll(f, 3, "poll", 0) && fence_is_polling());
    set(&gate);
    simgpu_fence_join(f, 3, "join", CALLER_SITE());
    MUST(!fence_is_polling() && simgpu_fence_poll(f, 3, "poll", 0));
}

/* More fences than a join has room for on its stack. */
static void join_many(struct shared *s)
{
    enum { MANY = 66 };
    (void)s;
    struct fence f[MANY];
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    for (int i = 0; i < MANY; i++)
        f[i] = launch(a);
    for (int n = 63; n <= MANY; n++)
        simgpu_fence_join(f, n, "join", 0);
    struct graph *const g = noted_graph();
    for (int n = 63; n <= MANY; n++) {
        const struct graph_view *const v = &g->nodes[MANY + n - 63];
        MUST(v->node.ndeps == n);
        for (int i = 0; i < n; i++)
            MUST(v->deps[i].rank == 0 && v->deps[i].index == f[i].node);
    }
    graph_free(g);
}

START_TEST(many_fences_are_joined)
{
    succeeds(join_many);
}
END_TEST

/* Of operations and joins with more fences than these have room for. */
static void free_all(struct shared *s)
{
    enum { MANY = 66 };
    (void)s;
    struct fence f[MANY];
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    long before = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            struct op *const op = op_of(GRAPH_HOSTFN, "after");
            for (int k = 0; k < i; k++)
                simgpu_op_after(op, f[k]);
            f[i] = simgpu_stream_enqueue(a, op);
        }
        simgpu_fence_join(f, MANY, "join", 0);
        while (round && scarce_held() != before)
            usleep(1000); // an op is freed after it is done
        while (!atomic_load(&a->resting))
            usleep(1000);
        before = scarce_held();
    }
}

START_TEST(what_operations_take_is_freed)
{
    succeeds(free_all);
}
END_TEST

/* ---- what is recorded ---------------------------------------------------- */

static const struct recording {
    const char *name;
    void (*body)(struct shared *s);
} recordings[] = {
    {"operations", name_ops},
    {"dependences", depend},
    {"parts", run_parts},
    {"a replay", replay},
    {"calls", call},
    {"streams", follow_rules},
    {"destroyed streams", forget_streams},
    {"released streams", release_streams},
    {"polls", poll},
};

static void records(struct shared *s)
{
    recordings[s->ping].body(s);
    noted_print();
}

START_TEST(what_a_process_does_is_in_its_graph)
{
    static char text[100000];
    struct shared *const s = shared_new();
    s->ping = (uint32_t)_i;
    const struct rank r = rank_start(0, 1, records, s);
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "%s: %d: %s", recordings[_i].name, status, text);
    golden_expect_part(golden, recordings[_i].name, text);
}
END_TEST

/* ---- streams that record ------------------------------------------------- */

static const struct stream_work *deferred;

static int defer(struct stream *const *streams, int n,
                 const struct stream_work *work)
{
    MUST(n == 7 && streams[0] == simgpu_stream_of(NULL));
    deferred = work;
    return -3;
}

static int refuses(struct stream *s, int waits)
{
    MUST(s == simgpu_stream_of(NULL));
    return waits;
}

static const struct stream_captures captures = {refuses, defer};

static void defer_work(struct shared *s)
{
    (void)s;
    struct stream *const a = simgpu_stream_of(NULL);
    const struct stream_work work = {.name = "work"};
    MUST(!simgpu_stream_capture(a));
    stream_set_capture(a, &deferred);
    MUST(simgpu_stream_capture(a) == &deferred);
    MUST(!simgpu_stream_refuses(a, 1));
    stream_set_captures(&captures);
    MUST(simgpu_stream_defer(&a, 7, &work) == -3 && deferred == &work);
    MUST(simgpu_stream_refuses(a, 1) && !simgpu_stream_refuses(a, 0));
}

START_TEST(a_stream_that_records_defers_work)
{
    succeeds(defer_work);
}
END_TEST

/* ---- devices ------------------------------------------------------------- */

static void use_devices(struct shared *s)
{
    (void)s;
    MUST(simgpu_device_current() == 0 && !simgpu_device_bound());
    MUST(simgpu_device_set(-1) == -1 && simgpu_device_set(8) == -1);
    MUST(!simgpu_device_bound() && simgpu_device_set(7) == 0);
    MUST(simgpu_device_current() == 7 && simgpu_device_bound());
    simgpu_device_unbind();
    MUST(simgpu_device_current() == 0 && !simgpu_device_bound());
    device_bind();
    MUST(simgpu_device_bound() && simgpu_device_set(0) == 0);
    device_fail(1, 700);
    device_fail(1, 719);               // the first stays
    MUST(simgpu_device_error(1) == 0); // the host has not waited
    device_learn(1);
    MUST(simgpu_device_error(1) == 700 && simgpu_device_error(0) == 0);
    MUST(device_reaches(2, 2) && device_granted(2, 2));
    MUST(!device_reaches(2, 3) && !device_has_access(2, 2));
    device_set_access(2, 3, 4);
    MUST(device_reaches(2, 3) && device_has_access(2, 3) == 1);
    MUST(!device_reaches(3, 2) && !device_granted(2, 3));
    device_set_access(3, 1, 1);
    device_drop_access(2);
    MUST(!device_reaches(2, 3) && device_reaches(3, 1));
    device_set_access(3, 1, 0);
    MUST(!device_reaches(3, 1));
    device_grant(2, 3, 4);
    MUST(device_reaches(2, 3) && device_granted(2, 3) == 1);
    MUST(!device_has_access(2, 3) && !device_granted(3, 2));
    device_grant(2, 3, 0);
    MUST(!device_reaches(2, 3) && !device_granted(2, 3));
}

START_TEST(a_device_has_its_errors_and_peers)
{
    succeeds(use_devices);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("ops");
    TCase *const t = tcase_create("ops");
    SUITE_LOOP(t, what_a_process_does_is_in_its_graph, recordings);
    tcase_add_test(t, an_operation_runs_without_its_lists);
    tcase_add_test(t, many_fences_are_joined);
    tcase_add_test(t, what_operations_take_is_freed);
    tcase_add_test(t, a_stream_that_records_defers_work);
    tcase_add_test(t, a_device_has_its_errors_and_peers);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
