/*
 * test_core.c: heap, streams and settings, below the CUDA API
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>   /* ENOMEM */
#include <pthread.h> /* pthread_create */
#include <sched.h>   /* sched_setaffinity */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strcmp */
#include <time.h>    /* clock_gettime */

#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "ranks.h"
#include "suite.h"

/* ---- heap ---------------------------------------------------------------- */

static char *alloc(size_t nbytes)
{
    void *p;
    MUST(simgpu_heap_alloc(0, nbytes, HEAP_ORDINARY, CALLER_SITE(), &p) == 0);
    return p;
}

static void addresses_repeat(struct shared *s)
{
    (void)s;
    char *const a = alloc(1), *const b = alloc(5000), *const c = alloc(1);
    MUST(b - a == 2 * 4096 && c - b == 3 * 4096);
    MUST(simgpu_heap_free(b) == 0 && simgpu_heap_free(b) == EINVAL);
    MUST(alloc(4097) == b); // first fit
    MUST(simgpu_heap_free(a + 1) == EINVAL);
}

START_TEST(blocks_are_placed_first_fit_with_a_page_between)
{
    succeeds(addresses_repeat);
}
END_TEST

static void poison(struct shared *s)
{
    (void)s;
    setenv("SIMGPU_FILL", "poison", 1);
    const unsigned char *const raw = simgpu_heap_raw(alloc(1000));
    for (int i = 0; i < 1000; i++)
        MUST(raw[i] == 0xCB);
    void *p = &p;
    MUST(simgpu_heap_alloc(0, (size_t)1 << 50, HEAP_ORDINARY, 0, &p) ==
             ENOMEM &&
         !p);
}

static void zeros(struct shared *s)
{
    (void)s;
    unsetenv("SIMGPU_FILL");
    char *const p = alloc(1000);
    unsigned char *const raw = simgpu_heap_raw(p);
    for (int i = 0; i < 1000; i++)
        MUST(raw[i] == 0);
    memset(raw, 1, 1000);
    MUST(simgpu_heap_free(p) == 0 && alloc(1000) == p);
    for (int i = 0; i < 1000; i++)
        MUST(raw[i] == 0);
}

START_TEST(new_memory_holds_zeros_unless_a_lab_or_test_asks)
{
    succeeds(zeros);
}
END_TEST

START_TEST(new_memory_is_poisoned_and_too_much_is_refused)
{
    succeeds(poison);
}
END_TEST

/* The addresses that this process has mapped. */
static uint64_t mapped(void)
{
    unsigned long npages = 0;
    FILE *const f = fopen("/proc/self/statm", "r");
    MUST(f && fscanf(f, "%lu", &npages) == 1);
    fclose(f);
    return (uint64_t)npages * 4096;
}

static void grow(struct shared *s)
{
    (void)s;
    const uint64_t before = mapped();
    char *const near = alloc(4096);
    char *const early = simgpu_heap_raw(near);
    MUST(mapped() - before < (uint64_t)1 << 30);
    char *const middle = alloc((size_t)1 << 30), *const far = alloc(4096);
    MUST(far - near > 1 << 30);
    strcpy(early, "written early");
    MUST(strcmp(simgpu_heap_raw(near), "written early") == 0);
    memset(simgpu_heap_raw(far), 1, 4096);
    MUST(heap_shadow(near) && heap_shadow(far) && heap_shadow(middle));
    MUST(heap_shadow(far) != heap_shadow(far + 4));
    MUST(mapped() - before < (uint64_t)8 << 30);
    MUST(simgpu_heap_raw(far + ((size_t)8 << 30)) == far + ((size_t)8 << 30));
}

/* A GPU's shadow would be 2.5 TiB. */
START_TEST(a_heap_is_mapped_as_far_as_it_is_used)
{
    succeeds(grow);
}
END_TEST

static void overrun(struct shared *s)
{
    (void)s;
    volatile char *const raw = simgpu_heap_raw(alloc(4096));
    for (size_t i = 0; i <= 64 << 20; i += 4096)
        raw[i] = 1;
}

START_TEST(what_is_behind_a_heap_cannot_be_written)
{
    faults(overrun, "it accesses memory that is not there");
}
END_TEST

static void dereference(struct shared *s)
{
    (void)s;
    *(volatile char *)alloc(4096) = 1;
}

static void dereference_freed(struct shared *s)
{
    (void)s;
    char *const first = alloc(64);
    simgpu_heap_free(first);
    char *const second = alloc(128); // the same address, another size
    simgpu_heap_free(second);
    *(volatile char *)second = 1;
}

START_TEST(a_host_dereference_names_the_allocation)
{
    faults(dereference, "byte 0 of the 4096-byte allocation made at");
    faults(dereference, "copy with cudaMemcpy");
}
END_TEST

START_TEST(a_use_after_free_names_the_newest_block_there)
{
    faults(dereference_freed, "the freed 128-byte allocation made at");
}
END_TEST

static void exporter(struct shared *s)
{
    char *const p = alloc(100);
    strcpy(simgpu_heap_raw(p), "from rank 0");
    MUST(simgpu_heap_export(p, &s->ref) == 0);
    set(&s->ready[0]);
    spin(&s->pong);
    MUST(strcmp(simgpu_heap_raw(p), "from rank 1") == 0);
}

static void importer(struct shared *s)
{
    void *p;
    spin(&s->ready[0]);
    MUST(simgpu_heap_import(&s->ref, &p) == 0);
    MUST(strcmp(simgpu_heap_raw(p), "from rank 0") == 0);
    strcpy(simgpu_heap_raw_ref(&s->ref), "from rank 1");
    MUST(simgpu_heap_unimport(p) == 0 && simgpu_heap_unimport(p) == EINVAL);
    set(&s->pong);
}

START_TEST(a_peer_sees_the_same_bytes)
{
    both_succeed(exporter, importer);
}
END_TEST

static void far_exporter(struct shared *s)
{
    char *const near = alloc(100);
    MUST(alloc((size_t)1 << 30));
    char *const far = alloc(100);
    strcpy(simgpu_heap_raw(near), "near");
    strcpy(simgpu_heap_raw(far), "far");
    MUST(simgpu_heap_export(near, &s->ref) == 0);
    set(&s->ready[0]);
    spin(&s->ready[1]);
    MUST(simgpu_heap_export(far, &s->ref) == 0);
    set(&s->ping);
    spin(&s->pong);
}

/* The views of a peer's memory grow as well. */
static void far_importer(struct shared *s)
{
    void *near, *far;
    spin(&s->ready[0]);
    MUST(simgpu_heap_import(&s->ref, &near) == 0);
    const char *const early = simgpu_heap_raw(near);
    set(&s->ready[1]);
    spin(&s->ping);
    MUST(strcmp(simgpu_heap_raw_ref(&s->ref), "far") == 0);
    MUST(simgpu_heap_import(&s->ref, &far) == 0);
    MUST(strcmp(simgpu_heap_raw(far), "far") == 0 && heap_shadow(far));
    MUST(strcmp(simgpu_heap_raw(near), "near") == 0);
    MUST(strcmp(early, "near") == 0);
    set(&s->pong);
}

START_TEST(a_peer_sees_what_is_allocated_later_and_far_behind)
{
    both_succeed(far_exporter, far_importer);
}
END_TEST

/* ---- streams ------------------------------------------------------------- */

static _Atomic int turn, held;

struct step {
    struct op op;
    int expect, slow_us;
};

static void step_run(struct op *op)
{
    const struct step *const t = (const struct step *)op;
    while (atomic_load(&held))
        usleep(1000);
    usleep((useconds_t)t->slow_us);
    MUST(atomic_fetch_add(&turn, 1) == t->expect);
}

/* The op that must be number `expect` to run, after slow_us. */
static struct fence step(struct stream *s, int expect, int slow_us,
                         struct fence after)
{
    struct step *const t =
        simgpu_op_new(sizeof *t, step_run, GRAPH_HOSTFN, "step", 0);
    t->expect = expect;
    t->slow_us = slow_us;
    simgpu_op_after(&t->op, after);
    return simgpu_stream_enqueue(s, &t->op);
}

static void ordered(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    struct stream *const b = stream_new(0, STREAM_NONBLOCKING, 0);
    struct stream *const c = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence none = {0};
    atomic_store(&held, 1);
    step(a, 0, 20000, none);
    const struct fence second = step(a, 1, 0, none);
    MUST(!fence_passed(second));
    atomic_store(&held, 0);
    const struct fence third = step(b, 2, 20000, second);
    simgpu_fence_join(&third, 1, "join", 0);
    MUST(fence_passed(second) && fence_passed(third));
    step(a, 3, 20000, none); // the legacy stream follows it, and c that one
    step(simgpu_stream_of(NULL), 4, 20000, none);
    const struct fence last = step(c, 5, 0, none);
    simgpu_fence_join(&last, 1, "join", 0);
    MUST(atomic_load(&turn) == 6);
}

START_TEST(streams_keep_order_marks_and_the_legacy_rules)
{
    static const char *const schedules[] = {"eager", "late", "random:7"};
    setenv("SIMGPU_SCHEDULE", schedules[_i], 1);
    succeeds(ordered);
}
END_TEST

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static _Atomic uint32_t hogged;

static void *hog(void *core)
{
    MUST(sched_setaffinity(0, sizeof(cpu_set_t), core) == 0);
    atomic_store(&hogged, 1);
    for (;;)
        ;
    return NULL;
}

/* The calling thread shares a core with a busy one from here on. */
static void share_a_core(void)
{
    static cpu_set_t core;
    pthread_t thread;
    CPU_SET(sched_getcpu(), &core);
    MUST(pthread_create(&thread, NULL, hog, &core) == 0);
    MUST(sched_setaffinity(0, sizeof core, &core) == 0);
    spin(&hogged);
}

/* Of a thread that enqueues an op: 2 ms of it make the op late enough. */
enum { OWN_NS = 1000000 };

/* An op that is enqueued while a busy thread has the core; *own: the CPU time
 * of the calling one before. */
static struct fence enqueued_without_a_core(uint64_t *own)
{
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence none = {0}, first = step(a, 0, 0, none);
    simgpu_fence_join(&first, 1, "join", 0); // the worker has all cores
    share_a_core();
    *own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return step(a, 1, 0, none);
}

static void without_a_core(struct shared *s)
{
    enum { WHILE_NS = 40000000 };
    uint64_t own;
    (void)s;
    const struct fence second = enqueued_without_a_core(&own);
    const uint64_t begun = clock_ns(CLOCK_MONOTONIC);
    while (clock_ns(CLOCK_MONOTONIC) < begun + WHILE_NS &&
           clock_ns(CLOCK_THREAD_CPUTIME_ID) < own + OWN_NS)
        sched_yield();
    MUST(!fence_passed(second));
    simgpu_fence_join(&second, 1, "join", 0);
}

START_TEST(a_late_op_waits_for_a_thread_that_gets_no_core)
{
    setenv("SIMGPU_SCHEDULE", "late", 1);
    succeeds(without_a_core);
}
END_TEST

/* Each poll gives the core away: it would take long to compute for 2 ms. */
static void polls_without_a_core(struct shared *s)
{
    uint64_t own;
    (void)s;
    const struct fence second = enqueued_without_a_core(&own);
    while (!simgpu_fence_poll(&second, 1, "poll", 0))
        ;
    MUST(clock_ns(CLOCK_THREAD_CPUTIME_ID) < own + OWN_NS);
}

START_TEST(a_late_op_does_not_wait_for_a_thread_that_polls)
{
    setenv("SIMGPU_SCHEDULE", "late", 1);
    succeeds(polls_without_a_core);
}
END_TEST

static void config(struct shared *s)
{
    (void)s;
}

START_TEST(a_bad_setting_is_refused_with_its_value)
{
    static const char *const bad[][2] = {{"SIMGPU_SCHEDULE", "lazy"},
                                         {"SIMGPU_SCHEDULE", "random:x"},
                                         {"SIMGPU_TOPO", "dgx-nothing"},
                                         {"SIMGPU_HANG_SEC", "soon"},
                                         {"SIMGPU_HANG_SEC", "-1"}};
    char says[64];
    setenv(bad[_i][0], bad[_i][1], 1);
    snprintf(says, sizeof says, "%s=%s", bad[_i][0], bad[_i][1]);
    faults(config, says);
}
END_TEST

/* More text than fits: empty lines, each of which gets the rank before it, and
 * a long one that begins where the space is almost used up. */
static void says_too_much(struct shared *s)
{
    (void)s;
    char text[24000];
    memset(text, '\n', 1500);
    memset(text + 1500, 'x', sizeof text - 1501);
    text[sizeof text - 1] = 0;
    simgpu_report_fault(NULL, "%s", text);
}

START_TEST(a_report_too_long_to_print_is_cut)
{
    enum { MOST = 32767 }; // and the end of the string
    static char text[2 * MOST];
    memset(text, '?', sizeof text);
    const struct rank r = rank_start(0, 1, says_too_much, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    ck_assert(text[MOST - 1] == 'x' && text[MOST] == 0);
    ck_assert(text[MOST + 1] == '?'); // nothing was printed behind it
}
END_TEST

static void warns(struct shared *s)
{
    (void)s;
    for (int i = 1; i <= 2; i++) { // once for each site and kind
        simgpu_report_warning(0, "one %d\nof two lines", i);
        simgpu_report_warning(0, "another %d", i);
    }
}

START_TEST(a_warning_is_printed_once_with_the_rank_before_each_line)
{
    char text[8192];
    const struct rank r = rank_start(1, 2, warns, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), 0);
    ck_assert_str_eq(text, "simgpu: rank 1: warning: ?: one 1\n"
                           "simgpu: rank 1: of two lines\n"
                           "simgpu: rank 1: warning: ?: another 1\n");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("core");
    TCase *const t = tcase_create("core");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, blocks_are_placed_first_fit_with_a_page_between);
    tcase_add_test(t, new_memory_is_poisoned_and_too_much_is_refused);
    tcase_add_test(t, new_memory_holds_zeros_unless_a_lab_or_test_asks);
    tcase_add_test(t, a_host_dereference_names_the_allocation);
    tcase_add_test(t, a_use_after_free_names_the_newest_block_there);
    tcase_add_test(t, a_peer_sees_the_same_bytes);
    tcase_add_test(t, a_peer_sees_what_is_allocated_later_and_far_behind);
    tcase_add_test(t, a_heap_is_mapped_as_far_as_it_is_used);
    tcase_add_test(t, what_is_behind_a_heap_cannot_be_written);
    tcase_add_loop_test(t, streams_keep_order_marks_and_the_legacy_rules, 0, 3);
    tcase_add_test(t, a_late_op_waits_for_a_thread_that_gets_no_core);
    tcase_add_test(t, a_late_op_does_not_wait_for_a_thread_that_polls);
    tcase_add_loop_test(t, a_bad_setting_is_refused_with_its_value, 0, 5);
    tcase_add_test(t, a_report_too_long_to_print_is_cut);
    tcase_add_test(t, a_warning_is_printed_once_with_the_rank_before_each_line);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
