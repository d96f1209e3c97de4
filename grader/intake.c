/*
 * intake.c: the kit, and what of a submission is taken
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <fcntl.h>    /* open, O_NOFOLLOW */
#include <stdarg.h>   /* va_list */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* realpath */
#include <string.h>   /* strchr */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* readlink */

#include "grade.h"

enum { MAX_FILE = 1 << 20 }; /* bytes of one submitted file */

const char *const outcome_name[] = {"pass", "fail", "infra", "suspected"};

int grade_stop(struct grade *g, enum outcome outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(g->message, sizeof g->message, format, args);
    va_end(args);
    g->outcome = outcome;
    return -1;
}

/* The kit is above build/grade: the folder that holds grader/plans. */
static int find_root(struct grade *g)
{
    char probe[PATH_MAX + 32];
    const ssize_t n = readlink("/proc/self/exe", g->kit, sizeof g->kit - 1);
    g->kit[n > 0 ? n : 0] = 0;
    for (char *slash; (slash = strrchr(g->kit, '/')) != NULL;) {
        *slash = 0;
        snprintf(probe, sizeof probe, "%s/grader/plans", g->kit);
        if (access(probe, R_OK) == 0)
            return 0;
    }
    return -1;
}

/* "lab1" or "lab1-collectives" -> judge and full name. */
static const struct judge_lab *find_lab(const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; judge_labs[i]; i++) {
        const char *const lab = judge_labs[i]->lab;
        if (strcmp(lab, name) == 0 ||
            (strncmp(lab, name, n) == 0 && lab[n] == '-'))
            return judge_labs[i];
    }
    return NULL;
}

static int is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int grade_find_kit(struct grade *g)
{
    char plan[PATH_MAX + 128], hidden[PATH_MAX + 128], err[512];
    if (find_root(g) != 0)
        return grade_stop(g, OUTCOME_INFRA,
                          "the kit is not above this program: run build/grade "
                          "where it was built");
    g->judge = find_lab(g->lab_arg);
    if (!g->judge)
        return grade_stop(g, OUTCOME_FAIL, "there is no lab \"%s\"",
                          g->lab_arg);
    snprintf(g->lab, sizeof g->lab, "%s", g->judge->lab);
    snprintf(plan, sizeof plan, "%s/grader/plans/%s.yaml", g->kit, g->lab);
    snprintf(hidden, sizeof hidden, "%s/grader/plans/hidden/%s.yaml", g->kit,
             g->lab);
    g->plan = plan_load(plan, hidden, err, sizeof err);
    if (!g->plan || plan_check_times(g->plan, err, sizeof err) != 0)
        return grade_stop(g, OUTCOME_INFRA, "%s", err);
    // In a student's copy of the kit there are no solutions.
    static const char *const homes[] = {"solutions", "labs"};
    for (int i = 0; i < 2; i++) {
        if (snprintf(g->staff, sizeof g->staff, "%s/%s/%s", g->kit, homes[i],
                     g->lab) >= (int)sizeof g->staff)
            return grade_stop(g, OUTCOME_INFRA, "the kit's path is too long");
        if (is_folder(g->staff))
            break;
    }
    g->result = calloc((size_t)g->plan->ncases, sizeof *g->result);
    return 0;
}

static int copy(struct grade *g, int from, int to, const char *name)
{
    char chunk[16384];
    size_t total = 0;
    for (ssize_t n; (n = read(from, chunk, sizeof chunk)) > 0;) {
        total += (size_t)n;
        if (total > MAX_FILE)
            return grade_stop(g, OUTCOME_FAIL, "%s is larger than %d bytes",
                              name, MAX_FILE);
        if (write(to, chunk, (size_t)n) != n)
            return grade_stop(g, OUTCOME_INFRA, "cannot copy %s: %s", name,
                              strerror(errno));
    }
    return 0;
}

/* Take one file: a regular one, by its plain name, not through a link. */
static int take(struct grade *g, const char *name)
{
    char from[PATH_MAX + 128], to[PATH_MAX + 128];
    struct stat st;
    snprintf(from, sizeof from, "%s/%s", g->dir, name);
    snprintf(to, sizeof to, "%s/src/%s", g->work, name);
    const int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0 && errno == ENOENT && strcmp(name, "answers.txt") == 0)
        return 0; // costs its own questions only
    if (in < 0 || fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
        const char *const why = in < 0 && errno == ENOENT ? "is missing"
                                : in < 0 && errno == ELOOP
                                    ? "is a symbolic link"
                                    : "is not a regular file";
        if (in >= 0)
            close(in);
        return grade_stop(g, OUTCOME_FAIL, "%s %s in %s", name, why, g->dir);
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    const int err = out < 0
                        ? grade_stop(g, OUTCOME_INFRA, "cannot write %s: %s",
                                     to, strerror(errno))
                        : copy(g, in, out, name);
    close(in);
    if (out >= 0)
        close(out);
    return err;
}

int grade_intake(struct grade *g)
{
    char src[PATH_MAX + 16];
    if (!is_folder(g->dir))
        return grade_stop(g, OUTCOME_FAIL, "%s is not a folder", g->dir);
    snprintf(src, sizeof src, "%s/src", g->work);
    if (mkdir(src, 0755) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot make %s: %s", src,
                          strerror(errno));
    for (int i = 0; i < g->plan->nfiles; i++)
        if (take(g, g->plan->file[i]) != 0)
            return -1;
    return 0;
}
