/* Which calls of NCCL wait on the host for their peers, and what is said of
 * it. */
#include <check.h>
#include <stdio.h> /* snprintf */

#include "child.h"
#include "golden.h"
#include "suite.h"

/* Settings, how many ranks, and the ways that the program goes. */
static const struct {
    const char *environment;
    int nranks;
    const char *ways;
} places[] = {
    {"SIMGPU_TOPO=dgx-h100", 3, "0 1 2 3 4 5 6 7 8 9"},
    {"SIMGPU_TOPO=dgx-h100 NCCL_ALGO=RING", 4, "10 11"},
    {"SIMGPU_TOPO=dgx-h100 NCCL_ALGO=TREE", 4, "10 11"},
    {"SIMGPU_TOPO=dgx-h100 NCCL_ALGO=NVLS", 4, "10"},
    {"SIMGPU_TOPO=dgx-h100 NCCL_RUNTIME_CONNECT=0", 3, "0 4"},
    {"SIMGPU_TOPO=2x:gh200@ndr NCCL_ALGO=RING", 6, "11"},
    {"SIMGPU_TOPO=2x:gh200@ndr NCCL_ALGO=TREE", 6, "10 11"},
};

/* The ranks that wait in a call of NCCL, and for whom. */
START_TEST(calls_wait_for_peers_that_have_not_called)
{
    char part[256];
    snprintf(part, sizeof part, "%s, %d ranks", places[_i].environment,
             places[_i].nranks);
    struct child c = child_run(
        120,
        "export SIMGPU_HANG_SEC=0.3 %s; p=%s/tests/simgpu/prog_nccl32_connect\n"
        "for i in %s\n"
        "do echo \"way $i\"; mpirun -n %d $p $i 2>&1 | "
        "sed -n '/^no wait/p; /All waits/,/Look for/{/rank . waits:/{s/.*  //; "
        "h;};/connects/{s/.*main: //; s/\\.c:[0-9]*/.c/; s/ (NCCL_R.*//; G; "
        "s/\\n/: /p;};}'\n"
        "done",
        places[_i].environment, child_build(), places[_i].ways,
        places[_i].nranks);
    golden_expect_part("tests/simgpu/messages.txt#nccl connect", part, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("connections of NCCL");
    TCase *const t = tcase_create("connect");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, calls_wait_for_peers_that_have_not_called, 0,
                        sizeof places / sizeof *places);
    suite_add_tcase(s, t);
    return suite_run(s);
}
