/* NCCL as programs meet it, and the programs of a course, on simgpu. */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "conform.h"
#include "suite.h"

/* Each is written for the real libraries and verifies its results. */
static const struct {
    const char *name;
    int nranks; /* processes; 0: without mpirun */
} programs[] = {
    {"prog_nccl_process", 4},      {"prog_nccl_devices", 3},
    {"prog_nccl_thread", 0},       {"prog_nccl_ring", 3},
    {"prog_nccl_register", 2},     {"prog_nccl_errors", 0},
    {"prog_nccl_nonblocking", 3},  {"prog_nccl_abort", 3},
    {"prog_nccl_abort_thread", 2}, {"prog_nccl_streams", 3},
    {"prog_nccl_deadline", 3},     {"prog_nccl_many", 3},
    {"prog_nccl32_grow", 3},       {"prog_nccl32_put", 3},
    {"prog_nccl32_put", 2},        {"prog_nccl32_config", 0},
};
enum { PROGRAMS = sizeof programs / sizeof *programs, SCHEDULES = 3 };

START_TEST(a_program_for_nccl_runs_under_every_schedule)
{
    conform_schedule(_i % SCHEDULES, programs[_i / SCHEDULES].name,
                     programs[_i / SCHEDULES].nranks);
}
END_TEST

/* Run a program and expect texts in its output, and `not` not in it. */
static const struct {
    const char *what, *environment, *program, *says[6], *not ;
} lines[] = {
    {"nothing is printed by default",
     "",
     "prog_nccl_errors",
     {"ok"},
     "NCCL INFO"},
    {"VERSION says the version, and no more",
     "NCCL_DEBUG=VERSION",
     "prog_nccl_errors",
     {"NCCL version 2.32.3"},
     "NCCL WARN"},
    {"WARN explains errors",
     "NCCL_DEBUG=WARN",
     "prog_nccl_errors",
     {" [0] api.c:",
      " NCCL WARN Broadcast : invalid root 2 (root should be in "
      "the 0..2 range)",
      "NCCL WARN ncclGroupEnd: not in a group call.",
      "NCCL WARN Trying to send to self without a matching recv"},
     "NCCL INFO"},
    {"INFO tells how communicators are made",
     "NCCL_DEBUG=INFO",
     "prog_nccl_thread",
     {" [0] NCCL INFO NCCL version 2.32.3", "Channel 00/12 : 0 1 2 3",
      "12 coll channels", "rank 3 nranks 4 cudaDev 3 nvmlDev 3 busId ",
      "- Init COMPLETE", "- Destroy COMPLETE"},
     "AllGather"},
    {"on the machine that is modelled",
     "NCCL_DEBUG=INFO SIMGPU_TOPO=dgx-1v",
     "prog_nccl_thread",
     {"coll channels"},
     "12 coll channels"},
    {"TUNING tells what is chosen",
     "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING",
     "prog_nccl_thread",
     {"NCCL INFO AllGather: 800000 Bytes -> Algo ", " proto ",
      "NCCL INFO ReduceScatter: 800000 Bytes -> Algo RING"},
     "Init COMPLETE"},
    {"COLL tells what is called",
     "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL",
     "prog_nccl_thread",
     {"NCCL INFO AllGather: opCount 1 sendbuff 0x", "count 50000 datatype 2",
      "[nranks=4] stream"},
     "Bytes -> "},
    {"^INIT leaves it out",
     "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=^INIT",
     "prog_nccl_thread",
     {"Bytes -> ", "opCount"},
     "Init COMPLETE"},
    {"what the environment sets is told",
     "NCCL_DEBUG=INFO NCCL_ALGO=RING NCCL_PROTO=SIMPLE",
     "prog_nccl_thread",
     {"NCCL_ALGO set by environment to RING",
      "NCCL_PROTO set by environment to SIMPLE"},
     "NCCL WARN"},
};

START_TEST(debug_lines_say_what_nccl_says)
{
    struct child c =
        child_run(60, "%s %s/tests/simgpu/%s", lines[_i].environment,
                  child_build(), lines[_i].program);
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s: status %d\n%s",
                  lines[_i].what, c.status, c.err);
    for (int k = 0; k < 6 && lines[_i].says[k]; k++)
        ck_assert_msg(strstr(c.out, lines[_i].says[k]) != NULL,
                      "%s: \"%s\" is not in:\n%.3000s", lines[_i].what,
                      lines[_i].says[k], c.out);
    ck_assert_msg(!strstr(c.out, lines[_i].not ), "%s: \"%s\" is in:\n%.3000s",
                  lines[_i].what, lines[_i].not, c.out);
    child_clear(&c);
}
END_TEST

/* Two threads and one communicator; NULL: they take turns. */
static const struct {
    const char *how, *other;
} shares[] = {
    {"race", "which has not returned"},
    {"reduce", "in a group that has not ended"},
    {"destroy", "in a group that has not ended"},
    {"turns", NULL},
    {"join", NULL},
    {"query", NULL},
};
enum { SHARES = sizeof shares / sizeof *shares };

START_TEST(threads_take_turns_with_a_communicator)
{
    const char *const other = shares[_i / SCHEDULES].other;
    struct child c =
        child_run(60, "SIMGPU_SCHEDULE=%s %s/tests/simgpu/prog_nccl_thread %s",
                  conform_schedules[_i % SCHEDULES], child_build(),
                  shares[_i / SCHEDULES].how);
    ck_assert_msg(!other || (strstr(c.err, "two host threads use one NCCL "
                                           "communicator at the same time:") &&
                             strstr(c.err, " at prog_nccl_thread.cpp:") &&
                             strstr(c.err, other) &&
                             strstr(c.err, "until ncclGroupEnd, or the call, "
                                           "has returned.")),
                  "%s: %s", shares[_i / SCHEDULES].how, c.err);
    ck_assert_msg(other || (c.status == 0 && !*c.err), "%s: status %d\n%s",
                  shares[_i / SCHEDULES].how, c.status, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_debug_file_is_one_of_a_host_and_a_process)
{
    struct child c = child_run(
        60,
        "cd $(mktemp -d) && NCCL_DEBUG=INFO "
        "NCCL_DEBUG_FILE=log.%%h.%%p.100%%%% "
        "%s/tests/simgpu/prog_nccl_thread > out && ls && cat log.* && ! grep "
        "'NCCL INFO' out && rm -r $PWD",
        child_build());
    char host[256];
    struct child name = child_run(10, "hostname -s");
    snprintf(host, sizeof host, "log.%.*s.", (int)strcspn(name.out, "\n"),
             name.out);
    ck_assert_msg(c.status == 0 && strstr(c.out, host) &&
                      strstr(c.out, ".100%") && strstr(c.out, "Init COMPLETE"),
                  "%s\n%s", c.out, c.err);
    child_clear(&name);
    child_clear(&c);
}
END_TEST

/* Symmetric windows have one size on all ranks, others need not. */
static const struct {
    const char *arguments, *says, *line;
} windows[] = {
    {"0 4096 0 8192", "registered: 0 \n", "register window 0x"},
    {"1 65536 1 65536", "registered: 0 \n", " size 65536\n"},
    {"1 4096 1 8192",
     "rank 0: ncclCommWindowRegister(4096 bytes, flags 0x1) at",
     "rank 1: ncclCommWindowRegister(8192 bytes, flags 0x1) at"},
    {"1 4096 0 4096",
     "rank 0: ncclCommWindowRegister(4096 bytes, flags 0x1) at",
     "rank 1: ncclCommWindowRegister(0 bytes, flags 0) at"},
    {"1 0 1 0", "registered: 4 CommWindowRegister : buff argument is NULL",
     "NCCL WARN"},
    {"1 65537 1 65537",
     "registered: 4 CommWindowRegister : 65537 bytes do not fit: buff is byte "
     "0 "
     "of the 65536-byte allocation made at prog_nccl32_window.c:",
     "on device 0"},
};

START_TEST(windows_of_a_communicator_agree)
{
    struct child c = child_run(60,
                               "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=REG "
                               "%s/tests/simgpu/prog_nccl32_window %s 2>&1",
                               child_build(), windows[_i].arguments);
    const int ends = strstr(windows[_i].says, "registered") != NULL;
    ck_assert_msg((c.status == 0) == ends && strstr(c.out, windows[_i].says) &&
                      strstr(c.out, windows[_i].line),
                  "%s: status %d\n%s", windows[_i].arguments, c.status, c.out);
    child_clear(&c);
}
END_TEST

/* A setting that NCCL doesn't know, or that leaves no algorithm, is an
 * error. */
static const struct {
    const char *environment, *says;
} wrong[] = {
    {"NCCL_ALGO=RNIG", "NCCL_ALGO: Unrecognized element token \"RNIG\" when "
                       "parsing \"RNIG\": use Tree, Ring"},
    {"NCCL_PROTO=LL64", "NCCL_PROTO: Unrecognized element token \"LL64\" when "
                        "parsing \"LL64\": use LL, LL128 or Simple"},
    {"NCCL_ALGO='allgather:tree'",
     "Error : no algorithm/protocol available for function AllGather"},
    {"NCCL_ALGO=TREE", "Error : no algorithm/protocol available for function "
                       "AllGather"},
};

START_TEST(a_wrong_choice_is_an_error)
{
    struct child c = child_run(
        60, "NCCL_DEBUG=WARN %s timeout 30 %s/tests/simgpu/prog_nccl_thread",
        wrong[_i].environment, child_build());
    ck_assert_msg(c.status != 0 && strstr(c.out, wrong[_i].says) &&
                      strstr(c.out, "FAILED"),
                  "%s: status %d\n%s\n%s", wrong[_i].environment, c.status,
                  c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(pointers_are_checked_when_asked_for)
{
    conform_run("NCCL_CHECK_POINTERS=1", "prog_nccl_pointers", 0);
}
END_TEST

START_TEST(every_communicator_can_be_made_not_to_block)
{
    conform_run("NCCL_COMM_BLOCKING=0", "prog_nccl_nonblocking", 2);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nccl");
    TCase *const t = tcase_create("programs");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_program_for_nccl_runs_under_every_schedule, 0,
                        PROGRAMS * SCHEDULES);
    tcase_add_loop_test(t, threads_take_turns_with_a_communicator, 0,
                        SHARES * SCHEDULES);
    tcase_add_loop_test(t, debug_lines_say_what_nccl_says, 0,
                        sizeof lines / sizeof *lines);
    tcase_add_loop_test(t, windows_of_a_communicator_agree, 0,
                        sizeof windows / sizeof *windows);
    tcase_add_test(t, a_debug_file_is_one_of_a_host_and_a_process);
    tcase_add_loop_test(t, a_wrong_choice_is_an_error, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_test(t, pointers_are_checked_when_asked_for);
    tcase_add_test(t, every_communicator_can_be_made_not_to_block);
    suite_add_tcase(s, t);
    return suite_run(s);
}
