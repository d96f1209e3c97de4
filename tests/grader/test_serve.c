/*
 * grade serve: what is answered over HTTP, to whom and when, and the page that
 * is written again and again; the clock is the test's.
 */
#define _GNU_SOURCE
#include <arpa/inet.h> /* htons */
#include <check.h>
#include <dlfcn.h>  /* dlsym */
#include <poll.h>   /* poll */
#include <signal.h> /* kill */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* fork */
#include <uv.h>

#include "child.h"
#include "fds.h"
#include "live.h"
#include "planted.h"
#include "suite.h"
#include "verb.h"

enum {
    SOON_MS = 10,
    LATE_MS = 1000000,
    PATIENCE_MS = 20000,
    EVERY_MS = 1000 * LIVE_EVERY_SEC
};

static char dir[CHILD_FOLDER], ledger[CHILD_FOLDER + 8], out[CHILD_FOLDER + 8];
static pid_t server;
static int port;

/* ---- the clock ----------------------------------------------------------- */

static struct {
    volatile uint64_t now_ms, is_fast, timeout_ms, repeat_ms;
} * clock_of; /* shared with the server */

/* Instead of libuv's. */
uint64_t uv_now(const uv_loop_t *loop)
{
    (void)loop;
    return clock_of->now_ms;
}

/* Records the times of the last timer; all timers end soon, or none does. */
int uv_timer_start(uv_timer_t *timer, uv_timer_cb fn, uint64_t timeout,
                   uint64_t repeat)
{
    int (*const real)(uv_timer_t *, uv_timer_cb, uint64_t, uint64_t) =
        (int (*)(uv_timer_t *, uv_timer_cb, uint64_t, uint64_t))dlsym(
            RTLD_NEXT, "uv_timer_start");
    if (timeout != SOON_MS) { // libuv's own call, to repeat it
        clock_of->timeout_ms = timeout;
        clock_of->repeat_ms = repeat;
    }
    return real(timer, fn, clock_of->is_fast ? SOON_MS : LATE_MS,
                repeat ? SOON_MS : 0);
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
    child_remove(dir);
}

static void run(const char *option, const char *value, int to)
{
    const char *const argv[] = {"serve", "--ledger", ledger, "--lab",
                                "lab1",  option,     value,  NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whatever ends the test
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

static void ck_answer(const char *request, const char *status, const char *type,
                      const char *body)
{
    char head[300];
    char *const got = ask(request);
    const int n = snprintf(
        head, sizeof head,
        "HTTP/1.0 %s\r\nContent-Type: text/%s; charset=utf-8\r\n"
        "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
        "Content-Length: %zu\r\nConnection: close\r\n\r\n",
        status, type, strlen(body));
    ck_assert_msg(strncmp(got, head, (size_t)n) == 0, "%s", got);
    ck_assert_str_eq(got + n, body);
    free(got);
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
    ck_answer("GET\r\n\r\n", "405 Method Not Allowed", "plain", "only GET\n");
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
    ck_assert_ptr_nonnull(strstr(got, ">0 of 2 students<"));
    free(got);
    free(old);
    stop(SIGTERM);
}
END_TEST

/* In any number of parts, up to 8192 bytes. */
START_TEST(a_request_is_read_to_its_end)
{
    static char request[8192 + 1];
    start("--port", "0");
    int s = dial();
    say(s, "GET / HTTP");
    usleep(20000);
    say(s, "/1.0\r\n\r");
    usleep(20000);
    say(s, "\n");
    char *got = hear(s);
    ck_assert_int_eq(strncmp(got, "HTTP/1.0 503", 12), 0);
    free(got);
    memset(request, 'x', 8192);
    memcpy(request, "GET ", 4);
    got = ask(request);
    ck_assert_str_eq(got, "");
    free(got);
    memcpy(request + 8188, "\r\n\r\n", 4);
    got = ask(request);
    ck_assert_int_eq(strncmp(got, "HTTP/1.0 503", 12), 0);
    free(got);
    stop(SIGINT);
}
END_TEST

START_TEST(a_silent_client_is_dropped_after_10_s)
{
    start("--port", "0");
    clock_of->is_fast = 1;
    char *const got = hear(dial());
    ck_assert_str_eq(got, "");
    ck_assert_uint_eq(clock_of->timeout_ms, 10000);
    ck_assert_uint_eq(clock_of->repeat_ms, 0);
    free(got);
    stop(SIGINT);
}
END_TEST

/* One more is dropped; clients that leave make room. */
START_TEST(there_are_200_clients_at_most)
{
    int s[200];
    start("--port", "0");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++)
            s[i] = dial();
        char *got = hear(dial());
        ck_assert_str_eq(got, "");
        free(got);
        say(s[199], GET);
        got = hear(s[199]);
        ck_assert_int_eq(strncmp(got, "HTTP/1.0 503", 12), 0);
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
    clock_of->is_fast = 1;
    start("--out", out);
    await_page();
    planted_roster(dir, "student\nada\nbob\n");
    clock_of->now_ms += EVERY_MS;
    await_page();
    ck_assert_uint_eq(clock_of->timeout_ms, EVERY_MS);
    ck_assert_uint_eq(clock_of->repeat_ms, EVERY_MS);
    stop(SIGTERM);
    struct child c = child_run(20, "ls %s", out);
    ck_assert_str_eq(c.out, "index.html\n");
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
