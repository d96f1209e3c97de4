/*
 * test_part.c: the threads of a process that issue work, and the parts of a
 * program that are measured (core/issuer.h, core/part.h)
 */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h>   /* pthread_create */
#include <semaphore.h> /* sem_wait */
#include <string.h>    /* strcmp */
#include <time.h>      /* clock_gettime */

#include "base/part.h"
#include "core/host.h"
#include "core/issuer.h"
#include "core/part.h"
#include "core/stream/stream.h"
#include "core/thread.h"
#include "core/wait.h"
#include "graph/record/read.h"
#include "ranks.h"
#include "suite.h"

/* ---- threads that do what they are told, and sleep otherwise ------------- */

struct helper {
    pthread_t thread;
    sem_t told, done;
    void (*job)(struct helper *h); /* NULL: end */
    uint32_t arg;
    pid_t tid;
    struct stream *stream;
};

static void *help(void *arg)
{
    struct helper *const h = arg;
    h->tid = gettid();
    for (;;) {
        sem_post(&h->done);
        sem_wait(&h->told);
        if (!h->job)
            return NULL;
        h->job(h);
    }
}

static void begin(struct helper *h)
{
    MUST(sem_init(&h->told, 0, 0) == 0 && sem_init(&h->done, 0, 0) == 0);
    MUST(pthread_create(&h->thread, NULL, help, h) == 0);
    sem_wait(&h->done);
}

/* tell: the job is begun. let: it is done. */
static void tell(struct helper *h, void (*job)(struct helper *h), uint32_t arg)
{
    h->job = job;
    h->arg = arg;
    sem_post(&h->told);
}

static void let(struct helper *h, void (*job)(struct helper *h), uint32_t arg)
{
    tell(h, job, arg);
    sem_wait(&h->done);
}

static void end(struct helper *h)
{
    tell(h, NULL, 0);
    MUST(pthread_join(h->thread, NULL) == 0);
}

static void enters(struct helper *h)
{
    MUST(issuer_enters(h->arg) == 0 && issuer_tid() == gettid());
}

static void enters_again(struct helper *h)
{
    MUST(issuer_enters(h->arg) == 1);
}

static void calls(struct helper *h)
{
    issuer_called(h->arg);
}

static void is_unknown(struct helper *h)
{
    MUST(issuer_enters(h->arg) == 0 && issuer_enters(h->arg + 1) == 0);
    issuer_issued(7);
    issuer_called(7);
    MUST(issuer_tid() == 0 && issuer_last() == 0);
}

/* ---- who issues work ----------------------------------------------------- */

static void enter_and_issue(struct shared *s)
{
    (void)s;
    issuer_issued(5); // no work before a part is entered
    MUST(issuer_tid() == 0 && issuer_last() == 0);
    MUST(issuer_enters(1) == 0); // it has issued nothing before
    MUST(issuer_tid() == gettid() && issuer_last() == 0);
    issuer_issued(7);
    MUST(issuer_last() == 7 && issuer_enters(1) == 0);
    MUST(issuer_enters(2) == 1 && issuer_enters(2) == 0);
    MUST(issuer_last() == 7);
}

START_TEST(a_thread_enters_each_part_once)
{
    succeeds(enter_and_issue);
}
END_TEST

/* The others in a part are n, whose last calls are these: up to the first 0. */
static void others_are(uint32_t part, int n, const uint32_t *called)
{
    uint32_t found[ISSUERS];
    int k = -1;
    MUST(issuers_others(part, found, &k) == n);
    for (int i = 0; i < k; i++)
        MUST(called[i] && found[i] == called[i]);
    MUST(called[k] == 0);
}
#define OTHERS_ARE(part, n, ...)                                               \
    others_are(part, n, (const uint32_t[]){__VA_ARGS__, 0})

static void count_others(struct shared *s)
{
    (void)s;
    struct helper h[5] = {0};
    static const uint32_t part[5] = {1, 1, 0, 1, 1};
    thread_number();
    issuer_enters(1);
    issuer_called(3); // not another's
    OTHERS_ARE(1, 0, 0);
    for (int i = 0; i < 5; i++) {
        begin(&h[i]);
        let(&h[i], enters, part[i]);
    }
    OTHERS_ARE(1, 5, 0);
    let(&h[0], calls, 10);
    let(&h[0], calls, 11);
    let(&h[3], calls, 14);
    end(&h[3]);
    end(&h[4]);
    OTHERS_ARE(1, 5, 11, 14);
    OTHERS_ARE(2, 3, 0); // those that have not ended
    let(&h[0], enters_again, 2);
    OTHERS_ARE(2, 3, 0); // what it called in the part before
    let(&h[0], calls, 21);
    OTHERS_ARE(2, 3, 21);
    OTHERS_ARE(1, 5, 14);
    for (int i = 0; i < 3; i++)
        end(&h[i]);
    OTHERS_ARE(1, 3, 14);
    OTHERS_ARE(3, 0, 0);
}

START_TEST(others_are_those_of_the_part_or_that_may_still_issue)
{
    succeeds(count_others);
}
END_TEST

static void fill_table(struct shared *s)
{
    (void)s;
    static struct helper h[ISSUERS + 1];
    thread_number();
    issuer_enters(1);
    for (int i = 1; i <= ISSUERS; i++) {
        begin(&h[i]);
        let(&h[i], i < ISSUERS ? enters : is_unknown, 1);
    }
    OTHERS_ARE(1, ISSUERS - 1, 0);
    end(&h[1]);
    let(&h[ISSUERS], enters, 2); // the place of the one that has ended
    OTHERS_ARE(2, ISSUERS - 1, 0);
}

START_TEST(as_many_threads_are_known_as_there_is_room_for)
{
    succeeds(fill_table);
}
END_TEST

/* ---- what a thread does -------------------------------------------------- */

static uint64_t own_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void look_at_threads(struct shared *s)
{
    (void)s;
    enum { LONG_NS = 1000000000 };
    struct helper asleep = {0}, gone = {0};
    begin(&asleep);
    begin(&gone);
    end(&gone);
    const uint64_t before = own_cpu_ns();
    const uint64_t computed = issuer_computed_ns(gettid());
    MUST(before <= computed && computed <= own_cpu_ns());
    MUST(issuer_computed_ns(0) == 0);
    while (issuer_computed_ns(gone.tid) > 0)
        ; // its number is in use until the kernel has seen its end
    MUST(issuer_lacks_core(gettid(), computed, LONG_NS));
    MUST(!issuer_lacks_core(gettid(), 0, 1));
    MUST(!issuer_lacks_core(0, 0, UINT64_MAX));
    MUST(!issuer_lacks_core(gone.tid, 0, UINT64_MAX));
    while (issuer_lacks_core(asleep.tid, 0, UINT64_MAX))
        ; // it is on its way to sleep
}

START_TEST(a_thread_lacks_a_core_that_would_run_and_has_not_run_enough)
{
    succeeds(look_at_threads);
}
END_TEST

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* They have settled, and not because it took the 5 s after which settling gives
 * up. */
static void settle(void)
{
    const uint64_t begun = now_ns();
    issuers_settle();
    MUST(now_ns() - begun < UINT64_C(4500000000));
}

static void computes(struct helper *h)
{
    h->tid = gettid();
    sem_post(&h->done);
    for (;;)
        ;
}

static _Atomic uint32_t word, has_issued;

static void waits_and_issues(struct helper *h)
{
    const struct wait_note note = {.call = "wait"};
    sem_post(&h->done);
    simgpu_wait(&word, 0, &note);
    has_issued = 1;
    issuer_issued(1);
    for (;;)
        pause();
}

/* The waits under way are in this many threads. */
static void count_wait(void *arg, const struct wait_entry *e)
{
    (void)e;
    ++*(int *)arg;
}

static void *wakes(void *unused)
{
    usleep(50000); // the main thread is settling by now
    set(&word);
    return unused;
}

static void settle_with_others(struct shared *s)
{
    (void)s;
    enum { COMPUTED_NS = 20000000 };
    struct helper asleep = {0}, busy = {0}, waits = {0};
    pthread_t waker;
    int n = 0;
    thread_number();
    settle();
    begin(&asleep);
    let(&asleep, enters, 1);
    settle();
    begin(&waits);
    let(&waits, enters, 1);
    let(&waits, waits_and_issues, 0);
    while (wait_each(count_wait, &n), n == 0)
        ;
    MUST(pthread_create(&waker, NULL, wakes, NULL) == 0);
    settle();
    MUST(has_issued);
    begin(&busy);
    let(&busy, computes, 0);
    const uint64_t before = issuer_computed_ns(busy.tid);
    settle();
    MUST(issuer_computed_ns(busy.tid) > before + COMPUTED_NS);
}

START_TEST(settling_lasts_until_no_other_thread_may_issue)
{
    succeeds(settle_with_others);
}
END_TEST

/* ---- parts in the graph -------------------------------------------------- */

static void nothing(struct op *op)
{
    (void)op;
}

static void work(struct stream *s)
{
    struct op *const op =
        simgpu_op_new(sizeof *op, nothing, GRAPH_HOSTFN, "work", 0);
    simgpu_stream_enqueue(s, op);
}

static void works(struct helper *h)
{
    work(h->stream);
}

static void makes_a_call(struct helper *h)
{
    (void)h;
    simgpu_host_call("call", 0);
}

static void marks(struct helper *h)
{
    (void)h;
    part_mark(PART_BEGINS, 0);
    part_mark(PART_ENDS, 0);
}

/* All that is recorded, a line for each node: "THREAD NAME [again] [after]". */
static void graph_is(const char *expected)
{
    char text[4096] = "", err[256];
    size_t at = 0;
    const int fd = graph_fd(simgpu_proc()->graph);
    struct graph *const g = graph_map(&fd, 1, err, sizeof err);
    MUST(g != NULL);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const struct graph_view *const v = &g->nodes[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%u: %u %s%s",
                               v->node.index, v->node.thread, v->name,
                               v->node.flags & GRAPH_AGAIN ? " again" : "");
        for (int d = 0; d < v->node.ndeps; d++)
            at += (size_t)snprintf(text + at, sizeof text - at, " after %u",
                                   v->deps[d].index);
        at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    }
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "%snot\n%s", text, expected);
        _exit(1);
    }
    graph_free(g);
}

static void two_parts(struct shared *s)
{
    (void)s;
    thread_number();
    struct stream *const own = stream_new(0, STREAM_NONBLOCKING, 0);
    struct helper h = {.stream = stream_new(0, STREAM_NONBLOCKING, 0)};
    begin(&h);
    part_mark(PART_ENDS, 0); // none has begun
    work(own);
    let(&h, works, 0);
    part_mark(NULL, 0);
    part_mark("another mark", 0);
    part_mark(PART_BEGINS, 0);
    let(&h, works, 0);
    let(&h, works, 0);
    let(&h, makes_a_call, 0);
    work(own);
    let(&h, marks, 0); // of another thread than 0
    part_mark(PART_ENDS, 0);
    part_mark(PART_BEGINS, 0);
    part_mark(PART_ENDS, 0); // the other might have issued work
    end(&h);
    part_mark(PART_BEGINS, 0);
    work(own);
    part_mark(PART_ENDS, 0); // nobody else can
    graph_is("1: 0 work\n"
             "2: 1 work\n"
             "3: 1 " PART_BEGINS " again after 1\n"
             "4: 1 work\n"
             "5: 1 work\n"
             "6: 1 call\n"
             "7: 0 work\n"
             "8: 0 " PART_ENDS " after 6\n"
             "9: 0 " PART_ENDS "\n"
             "10: 0 work\n");
}

START_TEST(a_part_orders_what_other_threads_do_in_it)
{
    succeeds(two_parts);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("part");
    TCase *const t = tcase_create("part");
    tcase_add_test(t, a_thread_enters_each_part_once);
    tcase_add_test(t, others_are_those_of_the_part_or_that_may_still_issue);
    tcase_add_test(t, as_many_threads_are_known_as_there_is_room_for);
    tcase_add_test(t,
                   a_thread_lacks_a_core_that_would_run_and_has_not_run_enough);
    tcase_add_test(t, settling_lasts_until_no_other_thread_may_issue);
    tcase_add_test(t, a_part_orders_what_other_threads_do_in_it);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
