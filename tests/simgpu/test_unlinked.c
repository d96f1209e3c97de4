/* MPI without MPICH: this program is linked with simgpu only. */
#include <check.h>
#include <mpi.h>

#include "ranks.h"
#include "suite.h"

#define ADVICE                                                                 \
    ": the program is not linked with MPICH; build it by simnvcc -ccbin "      \
    "mpicxx, or add -Wl,--no-as-needed -lmpich\n"

static void init(struct shared *s)
{
    (void)s;
    MPI_Init(NULL, NULL);
}

static void init_thread(struct shared *s)
{
    int provided;
    (void)s;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
}

START_TEST(starting_mpi_asks_for_mpich)
{
    faults(init, "rank 0: MPI_Init" ADVICE);
    faults(init_thread, "rank 0: MPI_Init_thread" ADVICE);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("unlinked");
    TCase *const t = tcase_create("unlinked");
    tcase_add_test(t, starting_mpi_asks_for_mpich);
    suite_add_tcase(s, t);
    return suite_run(s);
}
