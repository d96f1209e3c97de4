/*
 * A rank that ends without MPI_Finalize is named.
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(int nranks, const char *how)
{
    return child_run(60, "mpirun -n %d %s/tests/simgpu/prog_leave %s", nranks,
                     child_build(), how);
}

static const struct {
    const char *how, *says;
} leaves[] = {
    {"exits", "simgpu: rank 1: rank 1 ends with exit status 0, but without "
              "MPI_Finalize: mpirun then kills"},
    {"early", "simgpu: rank 1: rank 1 ends with exit status 0, but without "
              "MPI_Finalize"},
    {"fails", "simgpu: rank 1: rank 1 ends with exit status 3, but without "
              "MPI_Finalize"},
    {"returns", " ends with exit status 0, but without MPI_Finalize"},
};

START_TEST(a_rank_that_leaves_mpi_is_named)
{
    struct child c = run(2, leaves[_i].how);
    const char *const at = strstr(c.err, leaves[_i].says);
    ck_assert_msg(at &&
                      strstr(at, "Its last call was MPI_Barrier at "
                                 "prog_leave.cpp:41.\n") &&
                      strstr(at, "Call MPI_Finalize() on every rank before"),
                  "%s", c.err);
    ck_assert_msg(c.status != 0, "mpirun returned 0");
    // one rank speaks for all
    ck_assert_msg(!strstr(at + strlen(leaves[_i].says), "without MPI_"), "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

/* MPI_Finalize may be called by a handler, or a destructor. */
static const struct {
    const char *how;
    int nranks, status;
} others[] = {
    {"finalizes", 2, 0}, {"handler", 2, 0}, {"destructor", 2, 0},
    {"child", 2, 0},     {"exits", 1, 0},   {"aborts", 2, 5},
};

START_TEST(a_rank_that_ends_mpi_is_not)
{
    struct child c = run(others[_i].nranks, others[_i].how);
    ck_assert_msg(c.status == others[_i].status &&
                      !strstr(c.err, "MPI_Finalize"),
                  "%s: status %d\n%s", others[_i].how, c.status, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("leave");
    TCase *const t = tcase_create("leave");
    tcase_set_timeout(t, 120);
    SUITE_LOOP(t, a_rank_that_leaves_mpi_is_named, leaves);
    SUITE_LOOP(t, a_rank_that_ends_mpi_is_not, others);
    suite_add_tcase(s, t);
    return suite_run(s);
}
