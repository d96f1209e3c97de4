/* MPI on simgpu: device pointers, and times that don't depend on real
 * delays. */
#include <check.h>
#include <stdio.h>  /* printf */
#include <stdlib.h> /* EXIT_FAILURE */
#include <string.h> /* strstr */

#include "child.h"
#include "conform.h"
#include "suite.h"

START_TEST(mpi_takes_device_pointers)
{
    static const int nranks[] = {1, 2, 3};
    conform_run("", "prog_mpi", nranks[_i]);
}
END_TEST

START_TEST(programs_can_ask_whether_it_does)
{
    conform_run("", "prog_mpi_ext", 2);
}
END_TEST

static const struct {
    const char *topo, *program;
} worlds[] = {
    {"SIMGPU_TOPO=dgx-h100", "prog_mpi_world 4"},
    {"SIMGPU_TOPO=4x:tests/labs/one-gpu.xml", "prog_mpi_world 1 3"},
};

START_TEST(ranks_start_on_the_nodes_of_a_machine)
{
    conform_run(worlds[_i].topo, worlds[_i].program, 4);
}
END_TEST

static const struct {
    const char *topo, *program;
    int nranks;
} shares[] = {
    {"SIMGPU_TOPO=dgx-h100", "prog_mpi_shared 8", 3},
    {"SIMGPU_TOPO=dgx-h100", "prog_mpi_shared 8", 8},
    {"SIMGPU_TOPO=2x-dgx-h100", "prog_mpi_shared 8", 9},
};

START_TEST(ranks_of_a_node_share_memory)
{
    conform_run(shares[_i].topo, shares[_i].program, shares[_i].nranks);
}
END_TEST

START_TEST(polling_longer_takes_no_more_modelled_time)
{
    static const int delay_ms[] = {0, 20, 150};
    char *first = NULL;
    for (int i = 0; i < 3; i++) {
        struct child c =
            child_run(60, "mpirun -n 2 %s/tests/simgpu/prog_mpi_poll %d | sort",
                      child_build(), delay_ms[i]);
        ck_assert_msg(c.status == 0 && !c.timed_out &&
                          strstr(c.out, "rank 1: 0.0"),
                      "status %d: %s%s", c.status, c.out, c.err);
        if (first)
            ck_assert_str_eq(first, c.out);
        else
            first = strdup(c.out);
        child_clear(&c);
    }
    free(first);
}
END_TEST

/* MPICH's own waits poll through libcudart, which yields (mpi/nap.h). */
START_TEST(mpich_polls_ucx_through_simgpu)
{
    struct child c = child_run(10, "mpichversion | grep Device");
    const int has_ucx = strstr(c.out, "ucx") != NULL;
    child_clear(&c);
    if (!has_ucx) {
        printf("skipped: UCX polled through simgpu (MPICH is not built with "
               "it)\n");
        return;
    }
    c = child_run(
        60,
        "LD_DEBUG=bindings mpirun -n 2 %s/tests/simgpu/prog_mpi 2>&1 | "
        "grep -c 'libmpich.* to .*libcudart.*ucp_worker_progress'",
        child_build());
    ck_assert_msg(strcmp(c.out, "2\n") == 0, "%s ranks of 2", c.out);
    child_clear(&c);
}
END_TEST

/* mpirun gets no core for twice as long as a hang takes to be reported, while
 * all ranks wait for it to let them end. */
START_TEST(a_launcher_that_is_late_is_no_hang)
{
    static const char script[] =
        "cd %s || exit 1\n"
        "mpirun -n 2 %s/tests/simgpu/prog_mpi_finalize . & job=$!\n"
        "until [ -e parent ]; do sleep 0.02; done\n"
        "kill -STOP $(cat parent); touch go; sleep 4\n"
        "kill -CONT $(cat parent); wait $job\n";
    char folder[CHILD_FOLDER];
    child_folder(folder, "commlab-finalize");
    struct child c = child_run(60, script, folder, child_build());
    ck_assert_msg(c.status == 0 && !*c.err, "status %d: %s%s", c.status, c.out,
                  c.err);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

static const char *const hangs[][2] = {
    {"MPI_Recv at ", ": waits for any rank, any tag, in a communicator of 2\n"},
    {"MPI_Recv at ", ": waits for rank 1, tag 7, in a communicator of 2\n"},
    {"MPI_Ssend at ", ": waits for rank 1, tag 8, in a communicator of 2\n"},
    {"MPI_Probe at ", ": waits for rank 0, any tag, in a communicator of 2\n"},
    {"MPI_Wait at ", ": waits for requests to complete\n"},
    {"MPI_Waitall at ", ": waits for requests to complete\n"},
    {"MPI_Waitany at ", ": waits for requests to complete\n"},
    {"MPI_Waitsome at ", ": waits for requests to complete\n"},
    {"MPI_Recv at ", ": waits for rank 1, tag 7, in a communicator of 2;\n"},
    {"MPI_Probe at ", ": waits for any rank, tag 4, in a communicator of 2;\n"},
};

START_TEST(a_hang_names_what_a_call_waits_for)
{
    struct child c = child_run(
        60, "SIMGPU_HANG_SEC=0.3 mpirun -n 2 %s/tests/simgpu/prog_mpi_hang %d",
        child_build(), _i);
    const char *const all = strstr(c.err, "All waits:");
    const char *const call = all ? strstr(all, hangs[_i][0]) : NULL;
    ck_assert_msg(call && strstr(call, hangs[_i][1]), "%s", c.err);
    ck_assert_msg(_i < 8 || strstr(call, " a message of rank 1 with tag 3 is "
                                         "there, but nothing receives it\n"),
                  "%s", c.err);
    // calls that name a rank of all make a chain that closes
    ck_assert_msg((strstr(c.err, "again: a cycle") != NULL) ==
                      ((_i >= 1 && _i <= 3) || _i == 8),
                  "%s", c.err);
    ck_assert_msg(_i != 3 || strstr(all, "MPI_Barrier at ") < call, "%s",
                  c.err);
    ck_assert_msg(
        _i != 3 ||
            strstr(all, ": waits for all ranks of a communicator of 2\n"),
        "%s", c.err);
    child_clear(&c);
}
END_TEST

/* An MPICH that was built for PMIx, as Ubuntu 24.04's, finds its peers through
 * libcudart (mpi/pmix.c). */
START_TEST(ranks_find_each_other_by_pmix)
{
    static const int nranks[] = {1, 2, 5};
    conform_run("", "prog_pmix", nranks[_i]);
}
END_TEST

/* Whose mpirun says 0 of a rank that fails without a word. */
START_TEST(a_rank_tells_such_an_mpirun_how_it_fails)
{
    conform_run("", "prog_pmix_end", 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("mpi");
    TCase *const t = tcase_create("programs");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, mpi_takes_device_pointers, 0, 3);
    tcase_add_test(t, programs_can_ask_whether_it_does);
    tcase_add_loop_test(t, ranks_start_on_the_nodes_of_a_machine, 0,
                        sizeof worlds / sizeof *worlds);
    tcase_add_loop_test(t, ranks_of_a_node_share_memory, 0,
                        sizeof shares / sizeof *shares);
    tcase_add_test(t, polling_longer_takes_no_more_modelled_time);
    tcase_add_test(t, mpich_polls_ucx_through_simgpu);
    tcase_add_test(t, a_launcher_that_is_late_is_no_hang);
    tcase_add_loop_test(t, a_hang_names_what_a_call_waits_for, 0,
                        sizeof hangs / sizeof *hangs);
    tcase_add_loop_test(t, ranks_find_each_other_by_pmix, 0, 3);
    tcase_add_test(t, a_rank_tells_such_an_mpirun_how_it_fails);
    suite_add_tcase(s, t);
    return suite_run(s);
}
