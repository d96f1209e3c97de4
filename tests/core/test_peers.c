/*
 * test_peers.c: threads that wait, processes that know each other, and who
 * reports what
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>   /* ETIMEDOUT */
#include <fcntl.h>   /* O_RDONLY */
#include <pthread.h> /* pthread_create */
#include <signal.h>  /* sigaltstack */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strstr */
#include <time.h>    /* clock_gettime */

#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/thread.h"
#include "core/wait.h"
#include "ranks.h"
#include "suite.h"

static double now_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- threads ------------------------------------------------------------- */

/* A thread gets one signal stack, however often it asks. */
static void check_signal_stack(void)
{
    stack_t stack, again;
    MUST(sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE));
    MUST(stack.ss_sp && stack.ss_size == 256 << 10);
    thread_add_signal_stack();
    MUST(sigaltstack(NULL, &again) == 0 && again.ss_sp == stack.ss_sp);
}

static void *numbers_itself(void *number)
{
    MUST(atomic_load(&control_own()->active) == 1);
    *(uint32_t *)number = thread_number();
    thread_enter();
    check_signal_stack();
    MUST(thread_number() == *(uint32_t *)number);
    MUST(atomic_load(&control_own()->active) == 2);
    MUST(thread_or_worker() == *(uint32_t *)number);
    return NULL;
}

static void *works(void *unused)
{
    thread_become_worker();
    thread_enter();
    check_signal_stack();
    MUST(thread_or_worker() == UINT32_MAX);
    MUST(atomic_load(&control_own()->active) == 1);
    return unused;
}

static void run_thread(void *(*body)(void *), void *arg)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, body, arg) == 0);
    MUST(pthread_join(thread, NULL) == 0);
}

static void number_threads(struct shared *s)
{
    (void)s;
    uint32_t number = 0;
    simgpu_proc();
    check_signal_stack(); // before the thread has a number
    MUST(thread_number() == 0 && thread_or_worker() == 0);
    run_thread(numbers_itself, &number);
    MUST(number == 1 && atomic_load(&control_own()->active) == 1);
    run_thread(works, NULL);
    const uint32_t reserved = thread_reserve();
    const uint32_t was = thread_adopt(reserved);
    MUST(thread_number() == 2);
    MUST(thread_adopt(was) == reserved && thread_number() == 0);
    run_thread(numbers_itself, &number);
    MUST(number == 3);
}

START_TEST(host_threads_are_numbered_by_their_first_calls)
{
    succeeds(number_threads);
}
END_TEST

/* ---- waits --------------------------------------------------------------- */

static _Atomic uint32_t word, other_word;

struct seen { /* of the waits under way, newest first */
    int n;
    struct wait_entry at[8];
};

static void note_entry(void *arg, const struct wait_entry *e)
{
    struct seen *const seen = arg;
    seen->at[seen->n++] = *e;
}

static struct seen waits_now(void)
{
    struct seen seen = {0};
    wait_each(note_entry, &seen);
    return seen;
}

static void await_waits(int n)
{
    while (waits_now().n != n)
        usleep(1000);
}

static void *waits_as_worker(void *note)
{
    thread_become_worker();
    control_active(+1);
    wait_running(17);
    simgpu_wait(&word, 0, note);
    control_active(-1);
    return NULL;
}

static void *waits_as_host(void *note)
{
    thread_number();
    simgpu_wait(&other_word, 5, note);
    return NULL;
}

static void *waits_without_note(void *unused)
{
    thread_number();
    simgpu_wait(&word, 0, NULL);
    return unused;
}

static void list_waits(struct shared *s)
{
    (void)s;
    pthread_t t[3];
    static const struct wait_note first = {.call = "first"},
                                  second = {.call = "second"},
                                  outer = {.call = "outer"};
    struct control *const own = control_own();
    atomic_store(&other_word, 5);
    pthread_create(&t[0], NULL, waits_as_worker, (void *)&first);
    await_waits(1);
    pthread_create(&t[1], NULL, waits_as_host, (void *)&second);
    await_waits(2);
    pthread_create(&t[2], NULL, waits_without_note, NULL);
    wait_begin(&outer);
    wait_begin(&first); // nested: not another wait
    while (atomic_load(&own->active) > 0)
        usleep(1000);
    const struct seen seen = waits_now();
    MUST(seen.n == 3 && !wait_any_runs(1));
    MUST(seen.at[0].note == &outer && seen.at[0].thread == 0);
    MUST(!seen.at[0].word);
    MUST(seen.at[1].note == &second && seen.at[1].thread == 1);
    MUST(seen.at[1].word == &other_word && seen.at[1].seen == 5);
    MUST(seen.at[1].at == 0);
    MUST(seen.at[2].note == &first && seen.at[2].thread == UINT32_MAX);
    MUST(seen.at[2].word == &word && seen.at[2].at == 17);
    const uint64_t before = atomic_load(&own->progress);
    // a pulse stops: the second call without a beat reports it
    ++*wait_pulse();
    MUST(!wait_any_runs(2) && !wait_any_runs(2));
    ++*wait_pulse();
    MUST(!wait_any_runs(1) && wait_any_runs(1));
    ++*wait_pulse();
    MUST(!wait_any_runs(1));
    wait_end();
    MUST(atomic_load(&own->active) == 0 && waits_now().n == 3);
    MUST(atomic_load(&own->progress) == before);
    wait_end();
    MUST(atomic_load(&own->active) == 1 && waits_now().n == 2);
    MUST(atomic_load(&own->progress) == before + 1);
    atomic_store(&other_word, 0); // woken, and does not know yet
    MUST(wait_any_runs(1));
    simgpu_wake(&other_word);
    MUST(pthread_join(t[1], NULL) == 0); // from the middle of the list
    MUST(waits_now().n == 1 && !wait_any_runs(1));
    set(&word);
    MUST(pthread_join(t[0], NULL) == 0 && pthread_join(t[2], NULL) == 0);
    MUST(waits_now().n == 0 && atomic_load(&own->active) == 1);
    simgpu_wait(&word, 0, &first); // it differs
}

START_TEST(waits_are_listed_while_they_last)
{
    succeeds(list_waits);
}
END_TEST

static int nlooks;

static int looks_five_times(void *word_to_change)
{
    MUST(waits_now().n == (nlooks > 0));
    if (nlooks == 2)
        atomic_store((_Atomic uint32_t *)word_to_change, 9);
    if (nlooks > 2)
        MUST(nlooks == 3 || waits_now().at[0].seen == 9);
    return nlooks++ == 5;
}

static void limit_waits(struct shared *s)
{
    (void)s;
    const struct wait_note note = {.call = "wait"};
    double begun = now_sec();
    errno = 0;
    MUST(simgpu_wait_for(&word, 0, 20000000, &note) == -1);
    MUST(errno == ETIMEDOUT && now_sec() - begun >= 0.02);
    begun = now_sec();
    MUST(simgpu_wait_for(&word, 0, 1020000000, NULL) == -1);
    MUST(now_sec() - begun >= 1.02);
    MUST(simgpu_wait_for(&word, 1, UINT64_MAX, NULL) == 0);
    MUST(atomic_load(&control_own()->active) == 1 && waits_now().n == 0);
    wait_until(&word, looks_five_times, &word, &note);
    MUST(nlooks == 6 && waits_now().n == 0);
    MUST(atomic_load(&control_own()->active) == 1);
}

START_TEST(a_wait_may_have_a_limit)
{
    succeeds(limit_waits);
}
END_TEST

static int nowed;

static void is_owed(void)
{
    nowed++;
}

static void owe(struct shared *s)
{
    (void)s;
    wait_for_owed();
    simgpu_wait_set_owed(is_owed);
    wait_for_owed();
    MUST(nowed == 1);
}

START_TEST(what_is_owed_is_waited_for)
{
    succeeds(owe);
}
END_TEST

/* ---- processes ----------------------------------------------------------- */

static int nfiles(void)
{
    const int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

/* How many control pages this process has mapped. */
static int npages(void)
{
    char line[1024];
    int n = 0;
    FILE *const maps = fopen("/proc/self/maps", "r");
    MUST(maps);
    while (fgets(line, sizeof line, maps))
        n += strstr(line, "simgpu-control") != NULL;
    fclose(maps);
    return n;
}

static void know_other(struct shared *s)
{
    MUST(!peer_first() && !peer_find(0) && !peer_find(1));
    const struct peer *const p = meet(s);
    MUST(peer_first() == p && !p->next && peer_find(1) == p && !peer_find(0));
    MUST(simgpu_peer_attach(&s->id[1]) == p && peer_rank(p) == 1);
    MUST(peer_pid(p) == s->id[1].pid && p->control->nonce == s->id[1].nonce);
    struct peer *const self = simgpu_peer_attach(&s->id[0]);
    MUST(self && self->control == control_own() && peer_first() == self);
    MUST(self->next == p && peer_find(0) == self && peer_find(1) == p);
    const int before = nfiles();
    struct proc_id wrong = s->id[1];
    wrong.nonce++;
    MUST(!simgpu_peer_attach(&wrong) && errno == ESRCH);
    wrong = s->id[1];
    wrong.fd = 1000;
    wrong.nonce++;
    MUST(!simgpu_peer_attach(&wrong) && errno == ENOENT);
    MUST(peer_first() == self && nfiles() == before && npages() == 2);
    MUST(peer_alive(p) && peer_alive(self));
    MUST(peer_open_graph(NULL) == -1 && peer_open_graph(p) == before);
    MUST(peer_open_heap(p, 0) == -1);
    set(&s->ping);
    spin(&s->pong);
    MUST(peer_any_flag_waits());
    set(&s->stopped);
    while (peer_any_flag_waits())
        usleep(1000);
    control_flag_waits(+1);
    MUST(peer_any_flag_waits());
    control_flag_waits(-1);
    MUST(!peer_any_flag_waits());
    while (peer_alive(p))
        usleep(1000);
    MUST(atomic_load(&p->control->state) == CONTROL_EXITED);
}

static void is_known(struct shared *s)
{
    meet(s);
    spin(&s->ping);
    control_flag_waits(+1);
    set(&s->pong);
    spin(&s->stopped);
    control_flag_waits(-1);
}

START_TEST(a_process_knows_the_others_by_their_pages)
{
    both_succeed(know_other, is_known);
}
END_TEST

/* One that was killed, and that its parent doesn't know of yet, still has a
 * PID. A system without descriptors of PIDs is asked for its files. */
static void outlive(struct shared *s)
{
    const struct peer *const p = meet(s);
    struct peer old = *p;
    old.pidfd = -1;
    MUST(p->pidfd >= 0 && peer_alive(p) && peer_alive(&old));
    kill(peer_pid(p), SIGKILL);
    while (peer_alive(p) || peer_alive(&old))
        usleep(1000);
    MUST(kill(peer_pid(p), 0) == 0);
    MUST(atomic_load(&p->control->state) == CONTROL_RUNNING);
}

static void is_killed(struct shared *s)
{
    meet(s);
    pause();
}

START_TEST(a_killed_process_is_not_alive)
{
    char text[4096];
    struct shared *const s = shared_new();
    const struct rank r[] = {rank_start(0, 2, outlive, s),
                             rank_start(1, 2, is_killed, s)};
    ck_assert_msg(rank_end(r[0], text, sizeof text) == 0, "%s", text);
    ck_assert_int_ne(rank_end(r[1], text, sizeof text), 0);
}
END_TEST

/* ---- reports ------------------------------------------------------------- */

static void ends_last(int status)
{
    fprintf(stderr, "last: %d\n", status);
}

static void report_alone(struct shared *s)
{
    (void)s;
    simgpu_report_last(ends_last);
    errno = ENOENT;
    simgpu_report_fault("key", "one %d\n\nthree %m", 1);
}

START_TEST(a_fault_has_the_rank_before_each_line)
{
    char text[4096];
    const struct rank r = rank_start(1, 2, report_alone, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    ck_assert_str_eq(text, "simgpu: rank 1: one 1\n"
                           "simgpu: rank 1: \n"
                           "simgpu: rank 1: three No such file or directory\n"
                           "last: 70\n");
}
END_TEST

static void need_much(struct shared *s)
{
    (void)s;
    char small[] = "is there";
    fprintf(stderr, "what %s\n", (char *)simgpu_need(small, "%d objects", 1));
    (void)simgpu_need(NULL, "%d objects of %s", 2, "3 bytes");
}

START_TEST(memory_that_is_lacking_is_a_fault)
{
    char text[4096];
    const struct rank r = rank_start(1, 2, need_much, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    ck_assert_str_eq(text, "what is there\n"
                           "simgpu: rank 1: out of host memory for 2 objects "
                           "of 3 bytes\n");
}
END_TEST

/* What fits in one write: 32704 bytes of whole lines, which these fill, or a
 * line that is cut. */
static void report_much(struct shared *s)
{
    static char lines[24000];
    const size_t length = s->ping ? 21 : 11; // and 17 more with each
    for (size_t i = 0; i + 1 < sizeof lines; i++)
        lines[i] = i % (length + 1) == length ? '\n' : 'a';
    char *const last = &lines[859 * (length + 1)]; // longer than what is left
    if (s->ping)
        memset(last, 'b', 1000);
    if (s->ping == 2) // by the byte that ends the text
        last[109] = '\n';
    simgpu_report_fault(NULL, "%s", lines);
}

START_TEST(a_fault_that_is_long_is_cut)
{
    static const size_t nbytes[] = {32704, 32767, 32767};
    static char text[65536];
    struct shared *const s = shared_new();
    for (s->ping = 0; s->ping < 3; s->ping++) {
        memset(text, 'x', sizeof text);
        const struct rank r = rank_start(0, 1, report_much, s);
        ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
        ck_assert_uint_eq(strlen(text), nbytes[s->ping]);
        ck_assert_int_eq(text[nbytes[s->ping] + 1], 'x'); // nothing follows
    }
    ck_assert_str_eq(text + 32763, "bbbb");
}
END_TEST

static void warn_much(struct shared *s)
{
    enum { MOST = 64 };
    (void)s;
    struct graph_segment *const g = simgpu_proc()->graph;
    for (unsigned i = 0; i < MOST; i++) // by site
        for (int k = 0; k < 2; k++)
            simgpu_report_warning(i ? graph_site(g, (char *)&warn_much + i) : 0,
                                  "often");
    for (int k = 0; k < 3; k++)
        simgpu_report_warning(0, "beyond");
}

/* Of 64 kinds; those beyond are printed each time. */
START_TEST(a_kind_of_warning_is_printed_once)
{
    static char text[65536];
    const struct rank r = rank_start(0, 1, warn_much, shared_new());
    int n = 0;
    ck_assert_int_eq(rank_end(r, text, sizeof text), 0);
    ck_assert(strstr(text, "simgpu: rank 0: warning: ?: often\n") == text);
    for (const char *c = text; (c = strchr(c, '\n')); c++)
        n++;
    ck_assert_int_eq(n, 64 + 3);
}
END_TEST

/* Whether a fault is this rank's to report is a matter of the lowest known
 * rank's page, of 16 keys. */
static void claim_much(struct shared *s)
{
    const struct peer *const p = meet(s);
    _Atomic uint64_t *const key = p->control->fault_key;
    for (int i = 0; i < CONTROL_FAULT_KEYS - 1; i++)
        atomic_store(&key[i], 1);
    set(&s->ping);
    simgpu_report_fault("same", "from rank 1");
}

static void is_told(struct shared *s)
{
    const struct control *const own = control_own();
    meet(s);
    spin(&s->ping);
    while (!atomic_load(&own->lost))
        usleep(1000);
    fprintf(stderr, "lost %d\n", atomic_load(&own->fault_key[15]) > 1);
    pause();
}

START_TEST(a_fault_ends_the_other_ranks)
{
    char text[2][4096];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, is_told, s);
    const struct rank r1 = rank_start(1, 2, claim_much, s);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), PROC_EXIT_FAULT);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), PROC_EXIT_FAULT);
    ck_assert_str_eq(text[0], "lost 1\n");
    ck_assert_str_eq(text[1], "simgpu: rank 1: from rank 1\n");
}
END_TEST

/* Another has claimed it, or there is no room for more: it is not printed, and
 * this rank ends when the other has told it that the job is over. */
static void report_claimed(struct shared *s)
{
    struct control *const own = control_own();
    for (int i = 0; i < CONTROL_FAULT_KEYS; i++)
        atomic_store(&own->fault_key[i], 1);
    atomic_store(&own->lost, 1); // at once
    set(&s->ping);
    simgpu_report_fault("same", "it was claimed");
}

START_TEST(a_fault_that_has_no_key_left_is_not_printed)
{
    char text[4096];
    const double begun = now_sec();
    const struct rank r = rank_start(0, 1, report_claimed, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    ck_assert_str_eq(text, "");
    ck_assert_double_ge(now_sec() - begun, 1e-6 * REPORT_GRACE_US);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("peers");
    TCase *const t = tcase_create("peers");
    tcase_add_test(t, host_threads_are_numbered_by_their_first_calls);
    tcase_add_test(t, waits_are_listed_while_they_last);
    tcase_add_test(t, a_wait_may_have_a_limit);
    tcase_add_test(t, what_is_owed_is_waited_for);
    tcase_add_test(t, a_process_knows_the_others_by_their_pages);
    tcase_add_test(t, a_killed_process_is_not_alive);
    tcase_add_test(t, a_fault_has_the_rank_before_each_line);
    tcase_add_test(t, memory_that_is_lacking_is_a_fault);
    tcase_add_test(t, a_fault_that_is_long_is_cut);
    tcase_add_test(t, a_kind_of_warning_is_printed_once);
    tcase_add_test(t, a_fault_ends_the_other_ranks);
    tcase_add_test(t, a_fault_that_has_no_key_left_is_not_printed);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
