/* How a thread that waits for MPI spends its time: what it does between two
 * polls, of MPI's requests and of UCX. */
#define _GNU_SOURCE
#include <check.h>
#include <dlfcn.h>  /* RTLD_NEXT */
#include <sched.h>  /* sched_yield */
#include <string.h> /* strcmp */
#include <unistd.h> /* usleep */

#include "core/control.h"
#include "mpi/nap.h"
#include "ranks.h"
#include "suite.h"

/* ---- the C library, and UCX ---------------------------------------------- */

static unsigned nyields, nsleeps, slept_us;

int sched_yield(void)
{
    nyields++;
    return 0;
}

int usleep(useconds_t us)
{
    nsleeps++;
    slept_us = us;
    return 0;
}

static unsigned found; /* by the next poll of UCX */

static unsigned poll_ucx(void *worker)
{
    return worker == &found ? found : 0;
}

static int looked_up;

void *dlsym(void *restrict handle, const char *restrict name)
{
    looked_up++;
    return handle == RTLD_NEXT && strcmp(name, "ucp_worker_progress") == 0
               ? (void *)poll_ucx
               : NULL;
}

unsigned ucp_worker_progress(void *worker);

/* ---- between polls ------------------------------------------------------- */

/* The naps that yield, then each length of sleep and how many are so long. */
static void print_naps(void)
{
    enum { NAPS = 150 };
    unsigned length = 0, n = 0;
    struct nap state = {0};
    for (int i = 0; i < NAPS; i++) {
        slept_us = 0;
        nap(&state);
        if (slept_us != length) {
            fprintf(stderr, "%ux%u ", n, length);
            n = 0;
        }
        length = slept_us;
        n++;
    }
    fprintf(stderr, "%ux%u, %u yields\n", n, length, nyields);
}

static void naps(struct shared *s)
{
    (void)s;
    print_naps();
}

/* The longest one grows with the ranks. */
static const struct {
    int nranks;
    const char *says;
} jobs[] = {
    {2, "50x0 7x20 8x40 8x80 8x160 8x320 8x640 53x1000, 50 yields\n"},
    {31, "50x0 7x20 8x40 8x80 8x160 8x320 8x640 53x1000, 50 yields\n"},
    {32, "50x0 7x20 8x40 8x80 8x160 8x320 8x640 8x1280 45x2000, 50 yields\n"},
    {1024, "50x0 7x20 8x40 8x80 8x160 8x320 8x640 8x1280 8x2560 8x5120 8x10240 "
           "21x33000, 50 yields\n"},
};

START_TEST(naps_become_longer)
{
    char text[1024];
    const struct rank r = rank_start(0, jobs[_i].nranks, naps, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), 0);
    ck_assert_str_eq(text, jobs[_i].says);
}
END_TEST

/* ---- polls of UCX -------------------------------------------------------- */

static void poll(unsigned finds, int times)
{
    found = finds;
    nyields = nsleeps = slept_us = 0;
    for (int i = 0; i < times; i++)
        MUST(ucp_worker_progress(&found) == finds);
}

/* Polls that find nothing are free at first, then yield, then sleep. */
static void poll_in_vain(struct shared *s)
{
    (void)s;
    poll(0, 20);
    MUST(nyields == 0 && nsleeps == 0);
    poll(0, 50);
    MUST(nyields == 50 && nsleeps == 0);
    poll(0, 3);
    MUST(nyields == 0 && nsleeps == 3 && slept_us == 20);
    poll(2, 1); // what is found begins it again
    MUST(nyields == 0 && nsleeps == 0);
    poll(0, 21);
    MUST(nyields == 1 && nsleeps == 0);
    struct nap state = {0};
    nap(&state); // so does a nap
    poll(0, 21);
    MUST(nyields == 1 && nsleeps == 0);
    MUST(looked_up == 1);
}

/* Bytes that arrive are progress, and the watchdog sees it. */
static void poll_for_bytes(struct shared *s)
{
    (void)s;
    const uint64_t before = atomic_load(&control_own()->progress);
    poll(0, 3);
    MUST(atomic_load(&control_own()->progress) == before);
    poll(1, 3);
    MUST(atomic_load(&control_own()->progress) == before + 3);
}

START_TEST(polls_in_vain_give_way)
{
    succeeds(poll_in_vain);
}
END_TEST

START_TEST(polls_that_find_something_are_progress)
{
    succeeds(poll_for_bytes);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nap");
    TCase *const t = tcase_create("nap");
    tcase_add_loop_test(t, naps_become_longer, 0, sizeof jobs / sizeof *jobs);
    tcase_add_test(t, polls_in_vain_give_way);
    tcase_add_test(t, polls_that_find_something_are_progress);
    suite_add_tcase(s, t);
    return suite_run(s);
}
