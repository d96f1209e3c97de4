/* The ends of a connection to a recorder, both in one process. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/recorder.h"
#include "child.h"
#include "suite.h"

/* ---- helpers ------------------------------------------------------------- */

static void pair(int end[2])
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
}

/* The next descriptor: the same as before if none has leaked. */
static int next_fd(void)
{
    const int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

static int is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* A pipe's end is what the other end writes to. */
static void check_pipe(int from, int to)
{
    char letter = 0;
    ck_assert_int_eq(write(to, "x", 1), 1);
    ck_assert_int_eq(read(from, &letter, 1), 1);
    ck_assert_int_eq(letter, 'x');
}

static char dir[CHILD_FOLDER];

/* A socket that listens in a new folder. */
static int listening(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    child_folder(dir, "recorder");
    snprintf(name.sun_path, sizeof name.sun_path, "%.80s/%s", dir,
             RECORDER_NAME);
    ck_assert_int_eq(bind(s, (struct sockaddr *)&name, sizeof name), 0);
    ck_assert_int_eq(listen(s, 4), 0);
    return s;
}

static void put_reply(int fd, uint32_t nbytes, const char *text)
{
    ck_assert_int_eq(write(fd, &nbytes, sizeof nbytes), sizeof nbytes);
    ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
}

/* ---- connecting ---------------------------------------------------------- */

START_TEST(where_no_recorder_listens_there_is_no_connection)
{
    const int s = listening(), next = next_fd();
    errno = 0;
    ck_assert_int_eq(recorder_connect(dir, "other"), -1);
    ck_assert_int_eq(errno, ENOENT);
    errno = 0;
    ck_assert_int_eq(recorder_connect("/nowhere", RECORDER_NAME), -1);
    ck_assert_int_eq(errno, ENOENT);
    errno = 0;
    ck_assert_int_eq(recorder_join("/nowhere", RECORDER_GRAPH, 1, -1), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(next_fd(), next);
    close(s);
    errno = 0;
    ck_assert_int_eq(recorder_connect(dir, RECORDER_NAME), -1);
    ck_assert_int_eq(errno, ECONNREFUSED);
    child_remove(dir);
}
END_TEST

START_TEST(a_connection_holds_one_descriptor)
{
    const int s = listening(), next = next_fd();
    const int c = recorder_connect(dir, RECORDER_NAME);
    ck_assert_int_ge(c, 0);
    ck_assert_int_ne(fcntl(c, F_GETFD) & FD_CLOEXEC, 0);
    close(c);
    ck_assert_int_eq(next_fd(), next);
    close(s);
    child_remove(dir);
}
END_TEST

/* With a descriptor, and without. */
START_TEST(who_joins_says_hello)
{
    int ends[2], fd = -1;
    struct recorder_hello h = {0};
    const int s = listening();
    ck_assert_int_eq(pipe(ends), 0);
    const int c = recorder_join(dir, RECORDER_MEMORY, 7, _i ? ends[1] : -1);
    const int peer = accept(s, NULL, NULL);
    ck_assert_int_ge(c, 0);
    ck_assert_int_eq(recorder_receive(peer, &h, sizeof h, 0, &fd), sizeof h);
    ck_assert_uint_eq(h.magic, RECORDER_MAGIC);
    ck_assert_uint_eq(h.role, RECORDER_MEMORY);
    ck_assert_uint_eq(h.rank, 7);
    ck_assert_int_eq(fd >= 0, _i);
    if (fd >= 0) {
        ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
        check_pipe(ends[0], fd);
    }
    child_remove(dir);
}
END_TEST

START_TEST(a_hello_that_cannot_be_sent_leaves_nothing_open)
{
    const int s = listening(), next = next_fd();
    errno = 0;
    ck_assert_int_eq(recorder_join(dir, RECORDER_GRAPH, 1, 999), -1);
    ck_assert_int_eq(errno, EBADF); // there is no such descriptor to send
    ck_assert_int_eq(next_fd(), next);
    close(s);
    child_remove(dir);
}
END_TEST

/* ---- descriptors --------------------------------------------------------- */

START_TEST(a_descriptor_takes_the_place_of_the_last_one)
{
    int end[2], ends[2], fd = -1;
    char text[8] = "";
    pair(end);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(recorder_write_with(end[0], "abc", 3, ends[1]), 0);
    ck_assert_int_eq(recorder_receive(end[1], text, 3, MSG_WAITALL, &fd), 3);
    ck_assert_str_eq(text, "abc");
    ck_assert_int_ge(fd, 0);
    const int first = fd;
    // without one, it stays
    ck_assert_int_eq(recorder_write_with(end[0], "d", 1, -1), 0);
    ck_assert_int_eq(recorder_receive(end[1], text, 1, 0, &fd), 1);
    ck_assert_int_eq(fd, first);
    ck_assert_int_eq(recorder_write_with(end[0], "e", 1, ends[1]), 0);
    ck_assert_int_eq(recorder_receive(end[1], text, 1, 0, &fd), 1);
    ck_assert_int_ne(fd, first);
    ck_assert(!is_open(first) && is_open(fd));
    check_pipe(ends[0], fd);
    close(end[0]);
    ck_assert_int_eq(recorder_receive(end[1], text, 1, 0, &fd), 0);
    ck_assert(is_open(fd));
}
END_TEST

/* What else comes beside data, as who sent it, is no descriptor. */
START_TEST(credentials_are_no_descriptor)
{
    const int on = 1;
    int end[2], fd = -1;
    char text[2] = "";
    pair(end);
    ck_assert_int_eq(
        setsockopt(end[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
    ck_assert_int_eq(recorder_write(end[0], "a", 1), 0);
    ck_assert_int_eq(recorder_receive(end[1], text, 1, 0, &fd), 1);
    ck_assert_str_eq(text, "a");
    ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(a_graphs_pipe_comes_with_the_reply)
{
    int end[2], ends[2];
    const uint32_t nothing = 0;
    pair(end);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(
        recorder_write_with(end[0], &nothing, sizeof nothing, ends[1]), 0);
    const int fd = recorder_pipe(end[1]);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(recorder_append(fd, "abc", 3), 0);
    char text[4] = "";
    ck_assert_int_eq(read(ends[0], text, sizeof text), 3);
    ck_assert_str_eq(text, "abc");
    close(ends[0]); // no signal: it is ignored from now on
    errno = 0;
    ck_assert_int_eq(recorder_append(fd, "abc", 3), -1);
    ck_assert_int_eq(errno, EPIPE);
}
END_TEST

/* The recorder is gone, or sends no pipe. */
START_TEST(without_a_pipe_there_is_an_error)
{
    int end[2];
    const uint32_t nothing = 0;
    pair(end);
    if (_i)
        ck_assert_int_eq(recorder_write(end[0], &nothing, sizeof nothing), 0);
    else
        close(end[0]);
    errno = 0;
    ck_assert_int_eq(recorder_pipe(end[1]), -1);
    ck_assert_int_eq(errno, EPIPE);
    errno = 0;
    ck_assert_int_eq(recorder_pipe(-1), -1);
    ck_assert_int_eq(errno, EBADF);
}
END_TEST

/* ---- replies ------------------------------------------------------------- */

START_TEST(a_reply_has_the_length_that_it_says)
{
    int end[2];
    char out[4] = "";
    pair(end);
    put_reply(end[0], 3, "abc");
    ck_assert_int_eq(recorder_reply_to(end[1], out, 3), 0);
    ck_assert_str_eq(out, "abc");
    put_reply(end[0], 2, "de");
    ck_assert_int_eq(recorder_reply_to(end[1], out, 3), -1);
    ck_assert_str_eq(out, "abc");
    ck_assert_int_eq(read(end[1], out, 2), 2);
    put_reply(end[0], 5, "fghij");
    char *const text = recorder_reply(end[1]);
    ck_assert_str_eq(text, "fghij");
    free(text);
    put_reply(end[0], 0, "");
    char *const none = recorder_reply(end[1]);
    ck_assert_str_eq(none, "");
    free(none);
}
END_TEST

START_TEST(a_reply_that_is_cut_off_is_none)
{
    int end[2];
    char out[4];
    pair(end);
    put_reply(end[0], 3, "ab");
    close(end[0]);
    errno = 0;
    if (_i)
        ck_assert_int_eq(recorder_reply_to(end[1], out, 3), -1);
    else
        ck_assert_ptr_null(recorder_reply(end[1]));
    ck_assert_int_eq(errno, EPIPE);
    errno = 0;
    ck_assert_ptr_null(recorder_reply(end[1]));
    ck_assert_int_eq(errno, EPIPE);
    ck_assert_int_eq(recorder_reply_to(end[1], out, 3), -1);
}
END_TEST

START_TEST(who_writes_to_nobody_is_told)
{
    int end[2];
    pair(end);
    close(end[1]);
    errno = 0;
    ck_assert_int_eq(recorder_write(end[0], "a", 1), -1);
    ck_assert_int_eq(errno, EPIPE);
    errno = 0;
    ck_assert_int_eq(recorder_write_with(end[0], "a", 1, 0), -1);
    ck_assert_int_eq(errno, EPIPE);
    ck_assert_int_eq(recorder_write(end[0], "", 0), 0);
}
END_TEST

static void wake(int signal)
{
    (void)signal;
}

/* A writer that is woken by a signal while the pipe is full, goes on: what the
 * reader gets is whole. */
START_TEST(all_of_a_long_text_arrives)
{
    enum { LONG = 1 << 20 };
    static char text[LONG], got[LONG];
    int end[2];
    pair(end);
    for (int i = 0; i < LONG; i++)
        text[i] = (char)(i * 7 + i / 1000);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        size_t n = 0;
        ssize_t more = 1;
        while (n < LONG && more > 0) {
            more = read(end[1], got + n, LONG - n);
            n += more > 0 ? (size_t)more : 0;
            kill(parent, SIGUSR1);
        }
        _exit(n == LONG && memcmp(text, got, LONG) == 0 ? 0 : 1);
    }
    ck_assert_int_eq(recorder_write_with(end[0], text, LONG, -1), 0);
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = wake}, NULL);
    Suite *const s = suite_create("base: recorder");
    TCase *const t = tcase_create("recorder");
    tcase_add_test(t, where_no_recorder_listens_there_is_no_connection);
    tcase_add_test(t, a_connection_holds_one_descriptor);
    tcase_add_loop_test(t, who_joins_says_hello, 0, 2);
    tcase_add_test(t, a_hello_that_cannot_be_sent_leaves_nothing_open);
    tcase_add_test(t, a_descriptor_takes_the_place_of_the_last_one);
    tcase_add_test(t, credentials_are_no_descriptor);
    tcase_add_test(t, a_graphs_pipe_comes_with_the_reply);
    tcase_add_loop_test(t, without_a_pipe_there_is_an_error, 0, 2);
    tcase_add_test(t, a_reply_has_the_length_that_it_says);
    tcase_add_loop_test(t, a_reply_that_is_cut_off_is_none, 0, 2);
    tcase_add_test(t, who_writes_to_nobody_is_told);
    tcase_add_test(t, all_of_a_long_text_arrives);
    suite_add_tcase(s, t);
    return suite_run(s);
}
