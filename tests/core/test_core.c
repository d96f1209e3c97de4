/*
 * test_core.c: heap, streams and waiting, below the CUDA API
 *
 * Ranks are forked children: the core starts in each with its first call.
 * Nothing here calls it in the test's own process.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>     /* ENOMEM */
#include <fcntl.h>     /* fcntl */
#include <pthread.h>   /* pthread_create */
#include <sched.h>     /* sched_setaffinity */
#include <signal.h>    /* kill */
#include <stdatomic.h> /* atomic_load */
#include <stdio.h>     /* snprintf */
#include <stdlib.h>    /* setenv */
#include <string.h>    /* strstr */
#include <sys/mman.h>  /* mmap */
#include <sys/types.h> /* pid_t */
#include <sys/wait.h>  /* waitpid */
#include <time.h>      /* clock_gettime */
#include <unistd.h>    /* fork */

#include "core/heap.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"
#include "core/thread.h"
#include "core/wait.h"
#include "suite.h"

struct shared { /* between the ranks of a test */
    _Atomic uint32_t ready[2], met[2], stopped, ping, pong;
    struct proc_id id[2];
    struct heap_ref ref;
};

static struct shared *shared_new(void)
{
    void *const p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

static void set(_Atomic uint32_t *word)
{
    atomic_store(word, 1);
    simgpu_wake(word);
}

static void await(_Atomic uint32_t *word, const char *call)
{
    simgpu_wait(word, 0,
                &(struct wait_note){.call = call, .site = CALLER_SITE()});
}

/* The same at work: to the watchdog of a rank that knows no other yet, a wait
 * for one that starts late would be a hang. */
static void spin(const _Atomic uint32_t *word)
{
    while (!atomic_load(word))
        usleep(1000);
}

struct rank {
    pid_t pid;
    int err; /* its standard error */
};

/* Run body as rank `rank` of n, in a process of its own. */
static struct rank rank_start(int rank, int n, void (*body)(struct shared *),
                              struct shared *s)
{
    int ends[2];
    char text[16];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0) {
        close(ends[1]);
        return (struct rank){pid, ends[0]};
    }
    dup2(ends[1], STDERR_FILENO);
    snprintf(text, sizeof text, "%d", rank);
    setenv("PMI_RANK", text, 1);
    snprintf(text, sizeof text, "%d", n);
    setenv("PMI_SIZE", text, 1);
    thread_number();
    body(s);
    exit(0);
}

/* Its exit status (128 + signal); text gets its output. */
static int rank_end(struct rank r, char *text, size_t nbytes)
{
    size_t at = 0;
    ssize_t n;
    while (at < nbytes - 1 && (n = read(r.err, text + at, nbytes - 1 - at)) > 0)
        at += (size_t)n;
    text[at] = 0;
    close(r.err);
    int status;
    ck_assert_int_eq(waitpid(r.pid, &status, 0), r.pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* In a rank: print what was expected, and end the rank. */
#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x)) {                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);    \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)

static void succeeds(void (*body)(struct shared *))
{
    char text[8192];
    const struct rank r = rank_start(0, 1, body, shared_new());
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "status %d: %s", status, text);
}

static void faults(void (*body)(struct shared *), const char *says)
{
    char text[8192];
    const struct rank r = rank_start(0, 1, body, shared_new());
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == PROC_EXIT_FAULT, "status %d: %s", status, text);
    ck_assert_msg(strstr(text, says) != NULL, "lacks '%s': %s", says, text);
}

/* ---- heap ---------------------------------------------------------------- */

static char *alloc(size_t nbytes)
{
    void *p;
    MUST(simgpu_heap_alloc(0, nbytes, 0, CALLER_SITE(), &p) == 0);
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
    MUST(simgpu_heap_alloc(0, (size_t)1 << 50, 0, 0, &p) == ENOMEM && !p);
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

/* Both ranks end with status 0. */
static void both_succeed(void (*a)(struct shared *), void (*b)(struct shared *))
{
    char text[2][8192];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, a, s);
    const struct rank r1 = rank_start(1, 2, b, s);
    const int e0 = rank_end(r0, text[0], sizeof text[0]);
    const int e1 = rank_end(r1, text[1], sizeof text[1]);
    ck_assert_msg(e0 == 0 && e1 == 0, "%d, %d: %s%s", e0, e1, text[0], text[1]);
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

static void without_a_core(struct shared *s)
{
    enum { WHILE_NS = 40000000, OWN_NS = 1000000 }; // 2 ms make it late enough
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence none = {0}, first = step(a, 0, 0, none);
    simgpu_fence_join(&first, 1, "join", 0); // the worker has all cores
    share_a_core();
    const uint64_t own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const struct fence second = step(a, 1, 0, none);
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

/* ---- waits --------------------------------------------------------------- */

/* Attach rank `rank` to the other. */
static void meet(struct shared *s, int rank)
{
    s->id[rank] = simgpu_proc()->id;
    set(&s->ready[rank]);
    spin(&s->ready[!rank]);
    MUST(simgpu_peer_attach(&s->id[!rank]));
    set(&s->met[rank]);
}

/* It blocks in simgpu_report_fault() until the test reads the pipe. */
static void reports_to_a_full_pipe(struct shared *s)
{
    meet(s, 0);
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDERR_FILENO, "\n", 1) == 1)
        ;
    fcntl(STDERR_FILENO, F_SETFL, 0);
    simgpu_report_fault("same", "the report");
}

static void reports_the_same(struct shared *s)
{
    meet(s, 1);
    while (!atomic_load(&peer_first()->control->fault_key[0]))
        usleep(1000); // rank 0 has not claimed it yet
    set(&s->ping);
    simgpu_report_fault("same", "the report");
}

START_TEST(a_rank_does_not_end_before_another_has_reported)
{
    static char text[2][100000];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, reports_to_a_full_pipe, s);
    const struct rank r1 = rank_start(1, 2, reports_the_same, s);
    spin(&s->ping);
    usleep(1500000); // three times what it gives the other in the end
    ck_assert_int_eq(waitpid(r1.pid, NULL, WNOHANG), 0);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), PROC_EXIT_FAULT);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), PROC_EXIT_FAULT);
    ck_assert(strstr(text[0], "simgpu: rank 0: the report") && !*text[1]);
}
END_TEST

static void waits_for_ping(struct shared *s)
{
    meet(s, 0);
    await(&s->ping, "ncclPing");
    set(&s->pong);
}

static void waits_for_pong(struct shared *s)
{
    meet(s, 1);
    await(&s->pong, "ncclPong");
}

static void *enters(void *unused)
{
    thread_number();
    return unused;
}

/* A thread that has ended is not one that may still wake somebody. */
static void waits_after_a_thread(struct shared *s)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, enters, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    waits_for_ping(s);
}

START_TEST(a_hang_is_reported_once_with_what_each_rank_waits_for)
{
    char text[2][8192], all[2 * 8192];
    struct shared *const s = shared_new();
    if (_i == 1)
        setenv("SIMGPU_HANG_SEC", "0.5", 1);
    const struct rank r0 =
        rank_start(0, 2, _i ? waits_after_a_thread : waits_for_ping, s);
    const struct rank r1 = rank_start(1, 2, waits_for_pong, s);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), PROC_EXIT_FAULT);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), PROC_EXIT_FAULT);
    snprintf(all, sizeof all, "%s%s", text[0], text[1]);
    const char *const first = strstr(all, "the run hangs");
    ck_assert_msg(first && !strstr(first + 1, "the run hangs"), "%s", all);
    ck_assert_msg(strstr(all, "ncclPing at") && strstr(all, "ncclPong at"),
                  "%s", all);
    ck_assert_msg(strstr(all, "test_core.c:") != NULL, "%s", all);
}
END_TEST

static void wakes_then_waits_for_pong(struct shared *s)
{
    meet(s, 1);
    spin(&s->stopped);
    set(&s->ping);
    await(&s->pong, "ncclPong");
}

START_TEST(a_peer_stopped_after_it_was_woken_is_no_hang)
{
    char text[2][8192];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, waits_for_ping, s);
    const struct rank r1 = rank_start(1, 2, wakes_then_waits_for_pong, s);
    spin(&s->met[0]);
    spin(&s->met[1]);
    usleep(500000); // rank 0 sleeps by now
    kill(r0.pid, SIGSTOP);
    atomic_store(&s->stopped, 1);
    usleep(4500000); // more than the watchdog's two seconds, after the wake
    kill(r0.pid, SIGCONT);
    const int e0 = rank_end(r0, text[0], sizeof text[0]);
    const int e1 = rank_end(r1, text[1], sizeof text[1]);
    ck_assert_msg(e0 == 0 && e1 == 0, "%d, %d: %s%s", e0, e1, text[0], text[1]);
}
END_TEST

START_TEST(a_killed_rank_ends_the_other_reaped_or_not)
{
    char text[2][8192];
    struct shared *const s = shared_new();
    const struct rank r[2] = {rank_start(0, 2, waits_for_ping, s),
                              rank_start(1, 2, waits_for_pong, s)};
    spin(&s->met[0]);
    spin(&s->met[1]);
    usleep(500000); // both sleep by now
    kill(r[0].pid, SIGKILL);
    for (int i = 0; i < 2; i++) {
        const int rank = i ^ _i; // 1: rank 0 stays a zombie meanwhile
        ck_assert_int_eq(rank_end(r[rank], text[rank], sizeof text[rank]),
                         rank == 0 ? 128 + SIGKILL : PROC_EXIT_FAULT);
    }
    ck_assert_msg(strstr(text[1], "rank 0 (process") != NULL, "%s", text[1]);
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
    tcase_add_loop_test(t, a_bad_setting_is_refused_with_its_value, 0, 5);
    tcase_add_test(t, a_report_too_long_to_print_is_cut);
    tcase_add_loop_test(
        t, a_hang_is_reported_once_with_what_each_rank_waits_for, 0, 2);
    tcase_add_test(t, a_rank_does_not_end_before_another_has_reported);
    tcase_add_test(t, a_peer_stopped_after_it_was_woken_is_no_hang);
    tcase_add_loop_test(t, a_killed_rank_ends_the_other_reaped_or_not, 0, 2);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
