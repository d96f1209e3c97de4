/*
 * A call that fails stops its rank, and with MPI up all ranks, with a line that
 * names it. MPI is played by this program.
 */
#include <check.h>
#include <fcntl.h>
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
    if (error == 0)
        return MPI_ERR_ARG;
    *length = sprintf(text, "error %d", error);
    return MPI_SUCCESS;
}

/* It returns, or ends with what the test asks for, or with another status than
 * the caller's, so that it is seen that it was called. */
static int abort_returns, (*abort_status)(void);

int PMPI_Abort(MPI_Comm comm, int status)
{
    if (abort_returns)
        return MPI_ERR_OTHER;
    if (abort_status)
        _exit(abort_status());
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

static void abort_in_vain(void)
{
    abort_returns = 1;
    must_abort(3);
}

static void stop_unknown(void)
{
    must_stop_mpi("b.c", 8, "g()", 0);
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
    {stop_mpi, 0, 0, 1, "rank 0: b.c:8: g(): error 3\n"},
    {stop_unknown, 1, 0, 41, "rank 5: b.c:8: g(): unknown error\n"},
    {abort_all, 1, 0, 42, "bad"},
    {abort_in_vain, 1, 0, 3, ""},
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

/* ---- waiting for the launcher -------------------------------------------- */

/* The pipe that a rank prints to. Its reader, here the same process, reads when
 * it is waited for the third time, or never. */
static int printed[2], is_read, nsleeps;

int usleep(useconds_t us)
{
    char text[16];
    nsleeps += us == 1000 ? 1 : 100000;
    if (nsleeps == 3 && is_read && read(printed[0], text, sizeof text) != 3)
        _exit(95);
    return 0;
}

/* How long the reader was waited for: in ms, or in units of 10 ms. */
static int waited(void)
{
    return is_read ? nsleeps : nsleeps / 10;
}

/* Abort with unread output on a stream, which is 1 or 2. */
static void abort_unread(int stream)
{
    if (pipe(printed) != 0 || dup2(printed[1], stream) < 0 ||
        dup2(open("/dev/null", O_WRONLY), 3 - stream) < 0 ||
        write(stream, "bad", 3) != 3)
        _exit(96);
    abort_status = waited;
    must_abort(2);
}

START_TEST(output_is_waited_for_until_it_is_read_or_a_second_long)
{
    static const struct {
        int stream, is_read, status;
    } waits[] = {{1, 1, 3}, {2, 1, 3}, {1, 0, 100}, {2, 0, 100}};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        int status = -1;
        is_read = waits[i].is_read;
        const pid_t child = fork();
        if (child == 0)
            abort_unread(waits[i].stream);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(WEXITSTATUS(status), waits[i].status);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base: must");
    TCase *const t = tcase_create("must");
    tcase_add_loop_test(t, what_fails_stops_with_a_line, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_test(t, output_is_waited_for_until_it_is_read_or_a_second_long);
    suite_add_tcase(s, t);
    return suite_run(s);
}
