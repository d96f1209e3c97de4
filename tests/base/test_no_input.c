/* An input that neither has nor ends. */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h> /* fcntl */
#include <poll.h>
#include <sys/resource.h> /* setrlimit */
#include <sys/wait.h>
#include <unistd.h> /* closefrom */

#include "base/no_input.h"
#include "suite.h"

enum { FDS = 64 };

/* How many file descriptors are open. */
static int count_open(void)
{
    int n = 0;
    for (int fd = 0; fd < FDS; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* What a program finds that is started with it: 0, or what is wrong. */
static int look(int closed)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char c;
    const int before = count_open();
    if (closed)
        close(0);
    no_input();
    if (count_open() != before)
        return 1;
    if (fcntl(0, F_GETFD) & FD_CLOEXEC)
        return 2;
    if (poll(&input, 1, 100) != 0) // neither data nor its end
        return 3;
    if (read(0, &c, 0) != 0) // by which mpirun tells what it can read from
        return 4;
    return 0;
}

/* With room for one more descriptor, which is less than a pipe needs. */
static int look_without_room(int closed)
{
    const struct rlimit four = {4, 4};
    char c;
    (void)closed;
    closefrom(3);
    if (setrlimit(RLIMIT_NOFILE, &four) != 0)
        return 1;
    no_input();
    return read(0, &c, 1) == 0 ? 0 : 2;
}

/* The status of a process that looks. */
static int looked(int (*look_so)(int), int closed)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(look_so(closed));
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

START_TEST(nothing_arrives_and_it_does_not_end)
{
    ck_assert_int_eq(looked(look, _i), 0);
}
END_TEST

START_TEST(without_room_for_a_pipe_it_is_empty)
{
    ck_assert_int_eq(looked(look_without_room, 0), 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("no_input");
    TCase *const t = tcase_create("no_input");
    tcase_add_loop_test(t, nothing_arrives_and_it_does_not_end, 0, 2);
    tcase_add_test(t, without_room_for_a_pipe_it_is_empty);
    suite_add_tcase(s, t);
    return suite_run(s);
}
