#define _GNU_SOURCE
#include "child.h"

#include <errno.h>    /* EINTR */
#include <fcntl.h>    /* O_NONBLOCK */
#include <limits.h>   /* PATH_MAX */
#include <poll.h>     /* poll */
#include <signal.h>   /* kill */
#include <stdarg.h>   /* va_list */
#include <stdio.h>    /* vasprintf */
#include <stdlib.h>   /* realloc, abort */
#include <string.h>   /* strrchr */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* fork, pipe2 */

#include "base/no_input.h"
#include "base/steady.h"
#include "base/temp.h"

struct text {
    char *data;
    size_t nbytes;
    int fd; /* -1 once it has ended */
};

/* Append what is in the pipe now. */
static void text_read(struct text *t)
{
    char chunk[65536];
    ssize_t n = read(t->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        close(t->fd);
        t->fd = -1;
        return;
    }
    t->data = realloc(t->data, t->nbytes + n + 1);
    if (!t->data)
        abort();
    memcpy(t->data + t->nbytes, chunk, n);
    t->nbytes += n;
    t->data[t->nbytes] = 0;
}

static pid_t spawn(const char *command, int out, int err)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    setpgid(0, 0);
    no_input();
    dup2(out, 1);
    dup2(err, 2);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Read both pipes until they end. Returns 0 if the deadline passes first. */
static int drain(struct text text[2], double deadline)
{
    while (text[0].fd >= 0 || text[1].fd >= 0) {
        const double left = deadline - steady_sec();
        if (left <= 0)
            return 0;
        struct pollfd p[2] = {{text[0].fd, POLLIN, 0}, {text[1].fd, POLLIN, 0}};
        if (poll(p, 2, (int)(left * 1000) + 1) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (p[i].revents)
                text_read(&text[i]);
    }
    return 1;
}

/* The factor by which timeouts are longer than usual, also used by Check. */
static double patience(void)
{
    const char *const text = getenv("CK_TIMEOUT_MULTIPLIER");
    const double times = text ? strtod(text, NULL) : 1;
    return times > 0 ? times : 1;
}

/* True for a line in the kit's own words: a report of simgpu or of a lab, or
 * what is below a row of a table of verdicts. */
static int is_kits(const char *line, int has_table)
{
    return strncmp(line, "simgpu: ", 8) == 0 ||
           strncmp(line, "commlab: ", 9) == 0 ||
           (has_table && strncmp(line, "        ", 8) == 0);
}

/* No message of the kit may have a pointer or a name that printf() had nothing
 * for: "(nil)", or "()" without a function before it. */
static void refuse_holes(const char *all, const char *command)
{
    const int has_table = strstr(all, "\npart  case") != NULL;
    for (const char *line = all; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const size_t n = strcspn(line, "\n");
        char text[1024];
        snprintf(text, sizeof text, "%.*s", (int)n, line);
        if (!is_kits(line, has_table) ||
            (!strstr(text, "(nil)") && !strstr(text, " ()")))
            continue;
        fprintf(stderr, "%s\nprints a message with a hole:\n%s\n", command,
                text);
        abort();
    }
}

struct child child_run(double deadline_sec, const char *format, ...)
{
    char *command;
    va_list args;
    va_start(args, format);
    if (vasprintf(&command, format, args) < 0)
        abort();
    va_end(args);

    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
        abort();
    const double begin = steady_sec();
    const pid_t pid = spawn(command, out[1], err[1]);
    close(out[1]);
    close(err[1]);

    struct text text[2] = {{calloc(1, 1), 0, out[0]},
                           {calloc(1, 1), 0, err[0]}};
    struct child c = {0};
    c.timed_out = !drain(text, begin + deadline_sec * patience());
    if (c.timed_out)
        kill(-pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL); // end what is left of its group
    for (int i = 0; i < 2; i++)
        if (text[i].fd >= 0)
            close(text[i].fd);
    c.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    c.sec = steady_sec() - begin;
    c.out = text[0].data;
    c.err = text[1].data;
    refuse_holes(c.out, command);
    refuse_holes(c.err, command);
    free(command);
    return c;
}

void child_clear(struct child *c)
{
    free(c->out);
    free(c->err);
    c->out = c->err = NULL;
}

const char *child_schedule(void)
{
    const char *const text = getenv("SIMGPU_SCHEDULE");
    return text && *text ? text : "eager";
}

const char *child_build(void)
{
    static char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        abort();
    path[n] = 0;
    char *tests = strstr(path, "/tests/test_");
    for (char *p = path; (p = strstr(p, "/tests/")); p++)
        tests = p; // the last match: BUILD/tests/MODULE/test_x
    if (!tests)
        abort();
    *tests = 0;
    return path;
}

void child_folder(char path[CHILD_FOLDER], const char *name)
{
    if (!mkdtemp(temp_path(path, CHILD_FOLDER, name))) {
        perror(path);
        abort(); // no test works without the folder
    }
}

void child_remove(const char *path)
{
    struct child c = child_run(60, "rm -rf %s", path);
    child_clear(&c);
}
