/*
 * grade serve: what is answered over HTTP, to whom and when, and the page that
 * is written again and again; the clock is the test's.
 */
#define _GNU_SOURCE
#include <arpa/inet.h> /* htons */
#include <check.h>
#include <poll.h>   /* poll */
#include <signal.h> /* kill */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h> /* umask */
#include <sys/syscall.h>
#include <sys/wait.h> /* waitpid */
#include <time.h>     /* clock_gettime */
#include <unistd.h>   /* fork */

#include "child.h"
#include "fds.h"
#include "grader/export/live.h"
#include "grader/verbs/verbs.h"
#include "planted.h"
#include "suite.h"

enum { PATIENCE_MS = 20000, EVERY_MS = 1000 * LIVE_EVERY_SEC };

static char dir[CHILD_FOLDER], ledger[CHILD_FOLDER + 8], out[CHILD_FOLDER + 8];
static pid_t server;
static int port;

/* ---- the clock ----------------------------------------------------------- */

static struct {
    volatile int64_t now_ms, every_ms;
} * clock_of; /* shared with the server; NULL outside a test */

/* Instead of libc's, for the server and for libmicrohttpd. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!clock_of || (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_COARSE))
        return (int)syscall(SYS_clock_gettime, id, t);
    t->tv_sec = clock_of->now_ms / 1000;
    t->tv_nsec = clock_of->now_ms % 1000 * 1000000;
    return 0;
}

/* Records how long the server would wait, and waits 10 ms. */
int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                 const struct timespec *restrict most)
{
    const struct timespec soon = {.tv_nsec = 10000000};
    clock_of->every_ms = most->tv_sec * 1000 + most->tv_nsec / 1000000;
    return (int)syscall(SYS_rt_sigtimedwait, set, info, &soon, _NSIG / 8);
}

/* ---- a server ------------------------------------------------------------ */

static void setup(void)
{
    child_folder(dir, "serve");
    snprintf(ledger, sizeof ledger, "%s/L.db", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    clock_of = mmap(NULL, sizeof *clock_of, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(clock_of, MAP_FAILED);
    clock_of->now_ms = 1000000;
}

static void teardown(void)
{
    munmap(clock_of, sizeof *clock_of);
    clock_of = NULL;
    child_remove(dir);
}

static void run(const char *option, const char *value, int to)
{
    const char *const argv[] = {"serve", "--ledger", ledger, "--lab",
                                "lab1",  option,     value,  NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whatever ends the test
    umask(022);
    dup2(to, STDOUT_FILENO);
    optind = 1;
    _exit(verb_serve(7, (char **)argv));
}

/* Start it, and wait for the line with its port, if it has one. */
static void start(const char *option, const char *value)
{
    int ends[2];
    char line[100] = "";
    ck_assert_int_eq(pipe2(ends, 0), 0);
    fflush(NULL);
    server = fork();
    if (server == 0)
        run(option, value, ends[1]);
    close(ends[1]);
    FILE *const f = fdopen(ends[0], "r");
    if (strcmp(option, "--port") == 0) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
        ck_assert_int_eq(sscanf(line, "http://127.0.0.1:%d/", &port), 1);
    }
    fclose(f);
}

static void stop(int signal)
{
    int status;
    kill(server, signal);
    ck_assert_int_eq(waitpid(server, &status, 0), server);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int dial(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(s, (const struct sockaddr *)&to, sizeof to), 0);
    return s;
}

/* All that comes until the other end closes, which the caller frees. */
static char *hear(int s)
{
    char *text = NULL, chunk[4096];
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    struct pollfd p = {.fd = s, .events = POLLIN};
    for (ssize_t n;;) {
        ck_assert_msg(poll(&p, 1, PATIENCE_MS) == 1, "no answer, no end");
        if ((n = read(s, chunk, sizeof chunk)) <= 0)
            break;
        fwrite(chunk, 1, (size_t)n, f);
    }
    fclose(f);
    close(s);
    return text;
}

static void say(int s, const char *text)
{
    ck_assert_int_eq(send(s, text, strlen(text), MSG_NOSIGNAL),
                     (ssize_t)strlen(text));
}

static char *ask(const char *request)
{
    const int s = dial();
    say(s, request);
    return hear(s);
}

#define GET "GET / HTTP/1.0\r\n\r\n"

/* The page as it should be now, which the caller frees. */
static char *page(void)
{
    char err[256];
    size_t nbytes;
    char *const p = live_page(ledger, NULL, "lab1", &nbytes, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    return p;
}

/* What is behind the head of an answer, and whether the head has a line. */
static const char *body_of(const char *answer)
{
    const char *const end = strstr(answer, "\r\n\r\n");
    ck_assert_msg(end != NULL, "no head: %s", answer);
    return end + 4;
}

static int has_line(const char *answer, const char *line)
{
    const char *const at = strstr(answer, line);
    return at && at[-1] == '\n' && at < body_of(answer) &&
           strncmp(at + strlen(line), "\r\n", 2) == 0;
}

static void ck_answer(const char *request, const char *status, const char *type,
                      const char *body)
{
    char line[5][100] = {"X-Content-Type-Options: nosniff",
                         "Cache-Control: no-store", "Connection: close"};
    char *const got = ask(request);
    snprintf(line[3], sizeof line[3], "Content-Type: text/%s; charset=utf-8",
             type);
    snprintf(line[4], sizeof line[4], "Content-Length: %zu", strlen(body));
    ck_assert_msg(strncmp(got, "HTTP/1.", 7) == 0 &&
                      strncmp(got + 9, status, strlen(status)) == 0,
                  "%s", got);
    for (int i = 0; i < 5; i++)
        ck_assert_msg(has_line(got, line[i]), "no %s: %s", line[i], got);
    ck_assert_str_eq(body_of(got), body);
    free(got);
}

static int is_status(const char *answer, const char *status)
{
    return strncmp(answer, "HTTP/1.", 7) == 0 &&
           strncmp(answer + 9, status, 3) == 0;
}

static void ck_page(void)
{
    char *const want = page();
    ck_answer(GET, "200 OK", "html", want);
    free(want);
}

/* ---- over HTTP ----------------------------------------------------------- */

START_TEST(a_request_has_an_answer)
{
    start("--port", "0");
    ck_answer(GET, "503 Service Unavailable", "plain",
              "no batch of this lab yet\n");
    planted_roster(dir, "student\nada\nbob\n");
    ck_page();
    ck_answer("POST / HTTP/1.0\r\n\r\n", "405 Method Not Allowed", "plain",
              "only GET\n");
    char *got = ask("HEAD / HTTP/1.0\r\n\r\n");
    ck_assert(is_status(got, "405"));
    ck_assert_str_eq(body_of(got), "");
    free(got);
    got = ask("GET\r\n\r\n");
    ck_assert_ptr_null(strstr(got, "<html"));
    free(got);
    stop(SIGINT);
}
END_TEST

/* The ledger is read again when half the time between two looks is over. */
START_TEST(many_looks_are_one)
{
    planted_roster(dir, "student\nada\n");
    start("--port", "0");
    char *const old = page();
    ck_page();
    planted_roster(dir, "student\nada\nbob\n");
    clock_of->now_ms += EVERY_MS / 2 - 1;
    ck_answer(GET, "200 OK", "html", old);
    clock_of->now_ms += 1;
    ck_page();
    // when the ledger cannot be read, the last page stays
    ck_assert_int_eq(truncate(ledger, 0), 0);
    clock_of->now_ms += EVERY_MS;
    char *const got = ask(GET);
    ck_assert_ptr_nonnull(strstr(got, "{\"students\":2,\"graded\":0,"));
    free(got);
    free(old);
    stop(SIGTERM);
}
END_TEST

/* In any number of parts, up to a limit. */
START_TEST(a_request_is_read_to_its_end)
{
    static char request[20000 + 1];
    start("--port", "0");
    int s = dial();
    say(s, "GET / HTTP");
    usleep(20000);
    say(s, "/1.0\r\n\r");
    usleep(20000);
    say(s, "\n");
    char *got = hear(s);
    ck_assert(is_status(got, "503"));
    free(got);
    memset(request, 'x', sizeof request - 1);
    memcpy(request, "GET / HTTP/1.0\r\nX: ", 19);
    got = ask(request); // it has no end: too long
    ck_assert(!*got || is_status(got, "431"));
    free(got);
    memcpy(request + 8188, "\r\n\r\n", 5);
    got = ask(request);
    ck_assert(is_status(got, "503"));
    free(got);
    stop(SIGINT);
}
END_TEST

static int is_silent(int s, int ms)
{
    struct pollfd p = {.fd = s, .events = POLLIN};
    return poll(&p, 1, ms) == 0;
}

START_TEST(a_silent_client_is_dropped_after_10_s)
{
    start("--port", "0");
    const int silent = dial();
    free(ask(GET)); // both were accepted
    clock_of->now_ms += 9900;
    free(ask(GET));
    ck_assert(is_silent(silent, 0));
    clock_of->now_ms += 200;
    free(ask(GET));
    char *const got = hear(silent);
    ck_assert_str_eq(got, "");
    free(got);
    stop(SIGINT);
}
END_TEST

/* One more waits until one of them leaves. */
START_TEST(there_are_200_clients_at_most)
{
    int s[200];
    start("--port", "0");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++)
            s[i] = dial();
        const int more = dial();
        say(more, GET);
        ck_assert(is_silent(more, 200));
        say(s[199], GET);
        char *got = hear(s[199]);
        ck_assert(is_status(got, "503"));
        free(got);
        got = hear(more);
        ck_assert(is_status(got, "503"));
        free(got);
        for (int i = 0; i < 199; i++) { // until the server has dropped it
            shutdown(s[i], SHUT_WR);
            got = hear(s[i]);
            ck_assert_str_eq(got, "");
            free(got);
        }
    }
    stop(SIGINT);
}
END_TEST

/* ---- as a file ----------------------------------------------------------- */

/* Wait until the page is written as it should be now. */
static void await_page(void)
{
    char *const want = page();
    for (int i = 0; i < PATIENCE_MS / 10; i++) {
        struct child c = child_run(20, "cat %s/index.html", out);
        const int same = strcmp(c.out, want) == 0;
        child_clear(&c);
        if (same)
            break;
        ck_assert_int_lt(i, PATIENCE_MS / 10 - 1);
        usleep(10000);
    }
    free(want);
}

START_TEST(a_file_is_written_again_and_again)
{
    planted_roster(dir, "student\nada\n");
    start("--out", out);
    await_page();
    planted_roster(dir, "student\nada\nbob\n");
    clock_of->now_ms += EVERY_MS;
    await_page();
    ck_assert_int_eq(clock_of->every_ms, EVERY_MS);
    stop(SIGTERM);
    struct child c = child_run(20, "ls %s", out);
    ck_assert_str_eq(c.out, "index.html\n");
    child_clear(&c);
    // a web server is another user
    c = child_run(20, "stat -c %%a %s %s/index.html", out, out);
    ck_assert_str_eq(c.out, "755\n644\n");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("serve");
    TCase *const t = tcase_create("serve");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_request_has_an_answer);
    tcase_add_test(t, many_looks_are_one);
    tcase_add_test(t, a_request_is_read_to_its_end);
    tcase_add_test(t, a_silent_client_is_dropped_after_10_s);
    tcase_add_test(t, there_are_200_clients_at_most);
    tcase_add_test(t, a_file_is_written_again_and_again);
    suite_add_tcase(s, t);
    return suite_run(s);
}
