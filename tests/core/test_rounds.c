/*
 * test_rounds.c: the watchdog's rounds, none of which takes time
 *
 * Its waits and naps return at once, as soon as the rank itself waits.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>  /* ETIMEDOUT */
#include <sched.h>  /* sched_yield */
#include <stdlib.h> /* setenv */
#include <string.h> /* strstr */

#include "core/peer.h"
#include "core/report.h"
#include "core/wait.h"
#include "ranks.h"
#include "suite.h"
#include "timed_wait.h"

/* ---- the C library ------------------------------------------------------- */

enum { ROUND_NS = 250000000, ENOUGH = 20, STOPPED = 1 << 20 };
static _Atomic int is_waiting; /* the rank, so rounds may begin */
static _Atomic int nrounds, nnaps;
static _Atomic int stop_after, is_stopped; /* no round until it is 0 again */
static int beats_from;   /* a round: the other rank has a beat in each, too */
static int naps_to_list; /* after so many, the list of waits is complete */
static struct timespec asked; /* by the latest wait with another limit */
static __thread int is_watchdog;

static int have_round(void)
{
    const struct control *const own = control_own();
    is_watchdog = 1;
    while (!is_waiting || stop_after) {
        if (own->lost)
            return 0;
        if (is_waiting && nrounds < stop_after)
            break;
        is_stopped = is_waiting;
        sched_yield();
    }
    MUST(own->beats == (uint32_t)nrounds); // one for each round
    if (++nrounds > ENOUGH)
        _exit(0);
    if (beats_from && nrounds >= beats_from)
        atomic_fetch_add(&peer_find(1)->control->beats, 1);
    errno = ETIMEDOUT;
    return -1;
}

static int timed_wait(const struct timespec *limit, long *result)
{
    const int is_round = limit->tv_sec == 0 && limit->tv_nsec == ROUND_NS;
    if (!is_round)
        asked = *limit;
    *result = is_round ? have_round() : -1;
    return 1;
}

int usleep(useconds_t us)
{
    if (!is_watchdog || us != 1000)
        return (int)syscall(SYS_nanosleep,
                            &(struct timespec){0, (long)us * 1000}, NULL);
    if (++nnaps == naps_to_list)
        atomic_fetch_add(&control_own()->wait_version, 1);
    return 0;
}

/* ---- hangs --------------------------------------------------------------- */

static const struct hang {
    const char *limit;
    int progress; /* before the rank waits: its first round is not quiet */
    int naps;     /* until its list of waits is complete; STOPPED: never */
    int nrounds, nnaps;
} hangs[] = {
    {"", 0, 0, 8, 0},           {"1", 0, 0, 4, 0},
    {"1", 1, 0, 5, 0},          {"1.001", 0, 0, 5, 0},
    {"0.25", 0, 0, 1, 0},       {"0.26", 1, 0, 3, 0},
    {"0.5", 0, 3, 2, 3},        {"0.5", 0, 999, 2, 999},
    {"0.5", 0, 1000, 2, 1000},  {"0.5", 0, STOPPED, 2, 1000},
    {"0", 0, 0, ENOUGH + 1, 0}, // never: the test ends it
};

static void tell(int status)
{
    const struct control *const own = control_own();
    const struct control_wait *const w = &own->wait[0];
    MUST(own->nwaits == 1 && strcmp(w->call, "%s waits") == 0);
    MUST(w->node == 9 && w->peer == 4 && w->site == 0 && w->thread == 0);
    MUST(naps_to_list || own->wait_version == 2); // written once
    fprintf(stderr, "%d rounds, %d naps, status %d\n", nrounds, nnaps, status);
}

static void describe(const void *arg, char *out, size_t nbytes)
{
    (void)arg;
    snprintf(out, nbytes, "%0500d", 1);
}

/* Waits for what never comes. */
static void hang(struct shared *s)
{
    const struct hang *const h = &hangs[s->ping];
    const struct wait_note note = {
        .call = "%s waits", .describe = describe, .node = 9, .peer = 4};
    simgpu_report_last(tell);
    naps_to_list = h->naps;
    simgpu_proc();
    atomic_store(&control_own()->wait_version, h->naps != 0);
    for (int i = 0; i < h->progress; i++)
        control_progress();
    wait_begin(&note);
    atomic_store(&is_waiting, 1);
    pause();
}

START_TEST(a_hang_is_reported_after_its_quiet_rounds)
{
    const struct hang *const h = &hangs[_i];
    char text[8192], says[128];
    struct shared *const s = shared_new();
    s->ping = (uint32_t)_i;
    setenv("SIMGPU_HANG_SEC", h->limit, 1);
    const struct rank r = rank_start(0, 1, hang, s);
    const int status = rank_end(r, text, sizeof text);
    if (h->nrounds > ENOUGH) {
        ck_assert_msg(status == 0 && !*text, "%s: %s", h->limit, text);
        return;
    }
    snprintf(says, sizeof says, "%d rounds, %d naps, status 70\n", h->nrounds,
             h->nnaps);
    ck_assert_msg(status == PROC_EXIT_FAULT && strstr(text, says),
                  "%s: not %s: %s", h->limit, says, text);
    // what a wait is for is cut to 399 letters
    const char *const zeros = strstr(text, "    main: %s waits at ?: 000");
    ck_assert_msg(zeros && strchr(zeros, '\n') == zeros + 25 + 399, "%s", text);
}
END_TEST

/* The other rank waits, too, and its watchdog is late. */
static void hang_late(struct shared *s)
{
    meet(s);
    spin(&s->pong);
    beats_from = (int)s->ping;
    simgpu_report_last(tell);
    control_progress();
    wait_begin(&(struct wait_note){.call = "%s waits", .node = 9, .peer = 4});
    atomic_store(&is_waiting, 1);
    pause();
}

static void is_late(struct shared *s)
{
    meet(s);
    wait_begin(&(struct wait_note){.call = "other"});
    set(&s->pong);
    pause();
}

/* Three beats after the round that was not quiet, for that may be the end of
 * one that began before. */
START_TEST(a_hang_is_reported_when_all_watchdogs_have_looked)
{
    static const struct {
        uint32_t beats_from;
        const char *says;
    } late[] = {{2, "4 rounds"}, {3, "5 rounds"}, {6, "8 rounds"}};
    char text[2][8192];
    setenv("SIMGPU_HANG_SEC", "0.5", 1);
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        struct shared *const s = shared_new();
        s->ping = late[i].beats_from;
        const struct rank r0 = rank_start(0, 2, hang_late, s);
        const struct rank r1 = rank_start(1, 2, is_late, s);
        ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]),
                         PROC_EXIT_FAULT);
        ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]),
                         PROC_EXIT_FAULT);
        ck_assert_msg(strstr(text[0], late[i].says), "%s: %s", late[i].says,
                      text[0]);
    }
}
END_TEST

static void tell_none(int status)
{
    const struct control *const own = control_own();
    MUST(status == PROC_EXIT_FAULT && own->nwaits == 0 && !*own->wait_text);
    fprintf(stderr, "none\n");
}

/* A wait that the watchdog has listed ends; the next is not to be listed. */
static void forget_wait(struct shared *s)
{
    (void)s;
    const struct control *const own = control_own();
    simgpu_report_last(tell_none);
    stop_after = 1;
    wait_begin(&(struct wait_note){.call = "listed"});
    atomic_store(&is_waiting, 1);
    while (!is_stopped)
        sched_yield();
    MUST(own->nwaits == 1 && strstr(own->wait_text, "listed"));
    wait_end();
    wait_begin(NULL);
    stop_after = 0;
    pause();
}

START_TEST(a_wait_that_has_ended_is_no_longer_listed)
{
    char text[4096];
    setenv("SIMGPU_HANG_SEC", "0.5", 1);
    const struct rank r = rank_start(0, 1, forget_wait, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    ck_assert_msg(strstr(text, "\nnone\n") && !strstr(text, "listed"), "%s",
                  text);
}
END_TEST

/* ---- limits -------------------------------------------------------------- */

static void limit(struct shared *s)
{
    static const struct {
        uint64_t ns;
        struct timespec t;
    } limits[] = {{1, {0, 1}},
                  {999999999, {0, 999999999}},
                  {1000000000, {1, 0}},
                  {UINT64_C(7123456789012), {7123, 456789012}}};
    simgpu_proc();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        MUST(simgpu_wait_for(&s->ping, 0, limits[i].ns, NULL) == -1);
        MUST(errno == ETIMEDOUT && asked.tv_sec == limits[i].t.tv_sec);
        MUST(asked.tv_nsec == limits[i].t.tv_nsec);
    }
}

START_TEST(a_limit_is_in_seconds_and_nanoseconds)
{
    succeeds(limit);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("rounds");
    TCase *const t = tcase_create("rounds");
    SUITE_LOOP(t, a_hang_is_reported_after_its_quiet_rounds, hangs);
    tcase_add_test(t, a_hang_is_reported_when_all_watchdogs_have_looked);
    tcase_add_test(t, a_wait_that_has_ended_is_no_longer_listed);
    tcase_add_test(t, a_limit_is_in_seconds_and_nanoseconds);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
