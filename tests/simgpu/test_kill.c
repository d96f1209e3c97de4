/*
 * kill -9 of a rank at any moment leaves no process and nothing of simgpu's in
 * /dev/shm, and the rank is named.
 *
 * KILL_ROUNDS (default 8) is the number of attempts; KILL_SEED chooses the rank
 * and the moment: up to 400 ms after the ranks have started, so in MPI_Init and
 * ncclCommInitRank as well.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"

enum { RANKS = 3, LATEST_MS = 400 };

static unsigned setting(const char *name, unsigned otherwise)
{
    const char *const text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static unsigned next_random(unsigned *x) // xorshift
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

/* Start the ranks, kill one; print those still alive when mpirun has ended. */
static const char script[] =
    "dir=$(mktemp -d)\n"
    "mpirun -n %d %s/tests/simgpu/prog_victim $dir &\n"
    "job=$!\n"
    "while ! [ -e $dir/0 -a -e $dir/1 -a -e $dir/2 ]; do sleep 0.02; done\n"
    "pids=$(cat $dir/0 $dir/1 $dir/2)\n"
    "sleep 0.%03u\n"
    "kill -9 $(cat $dir/%u)\n"
    "wait $job\n"
    "rm -r $dir\n"
    "for p in $pids; do\n"
    "    for i in $(seq 200); do\n" // it may take a moment to end
    "        grep -qs 'State:.[^ZX]' /proc/$p/status || continue 2\n"
    "        sleep 0.1\n"
    "    done\n"
    "    echo left: $p\n"
    "done\n"
    "for p in $pids; do\n"
    "    for f in /dev/shm/*; do\n" // other jobs have files too
    "        case $f in *$p*) echo left: $f ;; esac\n"
    "    done\n"
    "done\n"
    "echo ended\n";

/* Files in /dev/shm that no process has mapped, but for the folders that suites
 * have there as long as they run (tests/run.sh). */
static struct child orphans(void)
{
    return child_run(60, "for f in /dev/shm/*; do [ -e $f ] || continue; "
                         "[ -z \"${f##*/commlab-slice-*}\" ] || "
                         "grep -qs \"$f\" /proc/[0-9]*/maps || echo $f; done");
}

/* A file that was not there before: one of another job's goes soon. */
static int is_left(const char *f, const char *before)
{
    for (int i = 0; i < 200 && !strstr(before, f); i++) {
        if (access(f, F_OK) != 0)
            return 0;
        usleep(100000);
    }
    return !strstr(before, f);
}

START_TEST(a_rank_killed_at_any_moment_leaves_nothing)
{
    unsigned seed = setting("KILL_SEED", 20240607) + (unsigned)_i * 7919 + 1;
    for (int i = 0; i < 4; i++)
        next_random(&seed);
    const unsigned rank = next_random(&seed) % RANKS;
    const unsigned ms = next_random(&seed) % LATEST_MS;
    struct child before = orphans();
    struct child c = child_run(120, script, RANKS, child_build(), ms, rank);
    ck_assert_msg(!c.timed_out && strstr(c.out, "ended"),
                  "rank %u killed after %u ms: mpirun hangs\n%s", rank, ms,
                  c.err);
    ck_assert_msg(!strstr(c.out, "left:"), "rank %u killed after %u ms: %s",
                  rank, ms, c.out);
    struct child after = orphans();
    for (char *f = strtok(after.out, "\n"); f; f = strtok(NULL, "\n"))
        ck_assert_msg(!is_left(f, before.out),
                      "rank %u killed after %u ms: %s was left", rank, ms, f);
    child_clear(&before);
    child_clear(&c);
    child_clear(&after);
}
END_TEST

/* ---- what is said of it -------------------------------------------------- */

static struct child die(const char *wrapper, const char *how)
{
    return child_run(60,
                     "dir=$(mktemp -d)\n"
                     "mpirun -n %d %s %s/tests/simgpu/prog_victim $dir %s\n"
                     "status=$?\n"
                     "echo process $(cat $dir/1)\n"
                     "rm -r $dir\n"
                     "exit $status\n",
                     RANKS, wrapper, child_build(), how);
}

static const struct {
    const char *how, *wrapper, *says[3];
} deaths[] = {
    {"killed",
     "",
     {"was killed by SIGKILL (signal 9).",
      "Its last call was MPI_Barrier at prog_victim.c:",
      "That signal comes from outside the program: from kill, a time limit, "
      "or a machine that\nsimgpu: rank 1: is short of memory, of which dmesg "
      "has a line.\n"}},
    {"killed-early",
     "",
     {"was killed by SIGKILL (signal 9).",
      "It had not called CUDA, NCCL or MPI yet.", "That signal comes"}},
    {"killed",
     "sh -c '\"$0\" \"$@\"; exit $?'",
     {"was killed by SIGKILL (signal 9).",
      "Its last call was MPI_Barrier at prog_victim.c:", "That signal comes"}},
    {"ended",
     "",
     {"was killed by SIGTERM (signal 15).",
      "Its last call was MPI_Barrier at prog_victim.c:"}},
    {"ended-early",
     "",
     {"was killed by SIGTERM (signal 15).", "It had not called CUDA"}},
};
enum { NDEATHS = sizeof deaths / sizeof *deaths };

START_TEST(a_killed_rank_is_named_with_its_signal_and_last_call)
{
    char who[128];
    struct child c = die(deaths[_i].wrapper, deaths[_i].how);
    const char *const pid = strstr(c.out, "process ");
    ck_assert_msg(c.status != 0 && pid, "%s%s", c.out, c.err);
    snprintf(who, sizeof who, "simgpu: rank 1: rank 1 (process %d) was killed",
             atoi(pid + strlen("process ")));
    const char *at = strstr(c.err, who);
    for (int i = 0; i < 3 && at && deaths[_i].says[i]; i++)
        at = strstr(at, deaths[_i].says[i]);
    ck_assert_msg(at != NULL, "%s", c.err);
    // what mpirun does to the others is no news
    ck_assert_msg(!strstr(c.err, "rank 0 (") && !strstr(c.err, "rank 2 ("),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

/* mpirun then kills the other ranks, and perhaps rank 1 as well. */
static const char *const own[] = {"fails", "leaves", "aborts", "errs"};
enum { NOWN = sizeof own / sizeof *own };

START_TEST(a_rank_that_ends_the_job_was_not_killed)
{
    struct child c = die("", own[_i]);
    ck_assert_msg(c.status != 0 && !strstr(c.err, "was killed by"), "%s%s",
                  c.out, c.err);
    child_clear(&c);
}
END_TEST

/* SIGSEGV and the like need not come from an access. */
START_TEST(a_signal_that_was_sent_is_no_bad_access)
{
    static const char *const sent[][2] = {
        {"sent", "SIGSEGV (signal 11) was sent by process "},
        {"raises", "SIGBUS (signal 7) was sent by the program itself"}};
    struct child c = die("", sent[_i][0]);
    const char *const at = strstr(c.err, sent[_i][1]);
    ck_assert_msg(c.status != 0 && at &&
                      strstr(at, ", while this thread was in ") &&
                      !strstr(c.err, "memory that is not there"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("kill");
    TCase *const t = tcase_create("kill");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_rank_killed_at_any_moment_leaves_nothing, 0,
                        (int)setting("KILL_ROUNDS", 8));
    tcase_add_loop_test(t, a_killed_rank_is_named_with_its_signal_and_last_call,
                        0, NDEATHS);
    tcase_add_loop_test(t, a_rank_that_ends_the_job_was_not_killed, 0, NOWN);
    tcase_add_loop_test(t, a_signal_that_was_sent_is_no_bad_access, 0, 2);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    printf("KILL_SEED=%u\n", setting("KILL_SEED", 20240607));
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
