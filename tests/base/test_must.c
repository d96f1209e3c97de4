/*
 * A call that fails stops its rank, and with MPI up all ranks, with a line that
 * names it. MPI is played by this program.
 */
#include <check.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "suite.h"

static int up, down;

int MPI_Initialized(int *flag)
{
    *flag = up;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = down;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = comm == MPI_COMM_WORLD ? 5 : 6;
    return MPI_SUCCESS;
}

int MPI_Error_string(int error, char *text, int *length)
{
    *length = sprintf(text, "error %d", error);
    return MPI_SUCCESS;
}

/* Another status than the caller's, so that it is seen that it was called. */
int PMPI_Abort(MPI_Comm comm, int status)
{
    _exit(comm == MPI_COMM_WORLD ? 40 + status : 99);
}

static void stop(void)
{
    must_stop("a.c", 7, "f()", "broken");
}

static void stop_mpi(void)
{
    must_stop_mpi("b.c", 8, "g()", 3);
}

static void abort_all(void)
{
    printf("bad"); // has to appear all the same
    must_abort(2);
}

static const struct {
    void (*run)(void);
    int up, down, status;
    const char *says;
} cases[] = {
    {stop, 0, 0, 1, "rank 0: a.c:7: f(): broken\n"},
    {stop, 1, 0, 41, "rank 5: a.c:7: f(): broken\n"},
    {stop, 1, 1, 1, "rank 0: a.c:7: f(): broken\n"},
    {stop_mpi, 1, 0, 41, "rank 5: b.c:8: g(): error 3\n"},
    {abort_all, 1, 0, 42, "bad"},
};

START_TEST(what_fails_stops_with_a_line)
{
    int ends[2], status = -1;
    char text[200] = "";
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        up = cases[_i].up;
        down = cases[_i].down;
        cases[_i].run();
        _exit(98);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t more = 1; more > 0; n += (size_t)more) {
        more = read(ends[0], text + n, sizeof text - 1 - n);
        ck_assert_int_ge(more, 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_str_eq(text, cases[_i].says);
    ck_assert_int_eq(WEXITSTATUS(status), cases[_i].status);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base: must");
    TCase *const t = tcase_create("must");
    tcase_add_loop_test(t, what_fails_stops_with_a_line, 0,
                        sizeof cases / sizeof *cases);
    suite_add_tcase(s, t);
    return suite_run(s);
}
