/* An input on which nothing arrives, not even its end. */
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
static int look(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char c;
    no_input();
    if (fcntl(0, F_GETFD) & FD_CLOEXEC)
        return 1;
    if (poll(&input, 1, 100) != 0) // neither data nor its end
        return 2;
    if (read(0, &c, 0) != 0) // by which mpirun tells what it can read from
        return 3;
    return 0;
}

/* It takes the place of an input, and of none. */
static int look_instead(void)
{
    const int before = count_open(), wrong = look();
    return count_open() == before ? wrong : 4;
}

static int look_anew(void)
{
    close(0);
    const int before = count_open(), wrong = look();
    return count_open() == before + 1 ? wrong : 4;
}

/* With room for one more descriptor, which is less than a pipe needs. */
static int look_without_room(void)
{
    const struct rlimit four = {4, 4};
    char c;
    closefrom(3);
    if (setrlimit(RLIMIT_NOFILE, &four) != 0)
        return 5;
    no_input();
    return read(0, &c, 1) == 0 ? 0 : 6; // the end is there
}

static int (*const looks[])(void) = {look_instead, look_anew,
                                     look_without_room};

START_TEST(input_neither_comes_nor_ends_if_there_is_room)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(looks[_i]());
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("no_input");
    TCase *const t = tcase_create("no_input");
    tcase_add_loop_test(t, input_neither_comes_nor_ends_if_there_is_room, 0, 3);
    suite_add_tcase(s, t);
    return suite_run(s);
}
