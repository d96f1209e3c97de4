/* What is reported of ranks that call a collective of MPI differently, and what
 * may differ, to the letter. */
#include <check.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

/* Which of the ranks reports it, and which line called, is left out, and what
 * mpirun says of its end. */
START_TEST(differences_are_reported)
{
    struct child c =
        child_run(120,
                  "p=%s/tests/simgpu/prog_mpi_mismatch\n"
                  "for i in $(seq 0 $(($($p count) - 1)))\n"
                  "do echo \"way $i\"; mpirun -n 3 $p $i 2>&1 | sed -n "
                  "'s/^\\(simgpu:\\) rank [0-9]:/\\1/; s/\\.c:[0-9]*$/.c/; "
                  "/^simgpu:/p; /^no/p'\n"
                  "done",
                  child_build());
    golden_expect("tests/simgpu/messages.txt#mpi mismatch", c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("collectives of MPI that differ");
    TCase *const t = tcase_create("mismatch");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, differences_are_reported);
    suite_add_tcase(s, t);
    return suite_run(s);
}
