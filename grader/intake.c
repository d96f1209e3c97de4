/*
 * intake.c: the kit, and what of a submission is taken
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <fcntl.h>    /* open, O_NOFOLLOW */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* realpath */
#include <string.h>   /* strchr */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* readlink */

#include "grade.h"
#include "submission.h"
#include "unpack.h"

/* This program is in the kit's build folder, and the kit above it: the folder
 * that holds grader/plans. */
static int find_root(struct grade *g)
{
    char probe[PATH_MAX + 32];
    const ssize_t n = readlink("/proc/self/exe", g->kit, sizeof g->kit - 1);
    g->kit[n > 0 ? n : 0] = 0;
    snprintf(g->build, sizeof g->build, "%.*s",
             (int)(strrchr(g->kit, '/') - g->kit), g->kit);
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
    if (machine_find(&g->machine, g->build, g->backend, g->measured, err,
                     sizeof err) != 0)
        return grade_stop(g, OUTCOME_INFRA, "%s", err);
    g->result = calloc((size_t)g->plan->ncases, sizeof *g->result);
    return 0;
}

/* What can be wrong with one file of a submission. */
static const char missing[] = "%s is missing",
                  is_link[] = "%s is a symbolic link",
                  not_regular[] = "%s is not a regular file",
                  too_large[] = "%s is larger than %d bytes";

/* Does a submission without this file have its other points? */
static int may_be_missing(const char *name)
{
    return strcmp(name, "answers.txt") == 0; // costs its own questions only
}

/* ---- from a folder ---------------------------------------------------------------- */

static int copy(struct grade *g, int from, int to, const char *name)
{
    char chunk[16384];
    size_t total = 0;
    for (ssize_t n; (n = read(from, chunk, sizeof chunk)) > 0;) {
        total += (size_t)n;
        if (total > SUBMISSION_MAX_FILE)
            return grade_stop(g, OUTCOME_FAIL, too_large, name,
                              SUBMISSION_MAX_FILE);
        if (write(to, chunk, (size_t)n) != n)
            return grade_stop(g, OUTCOME_INFRA, "cannot copy %s: %s", name,
                              strerror(errno));
    }
    return 0;
}

/* A new file in this grading's own folder of sources; -1 having said why. */
static int make_source(struct grade *g, const char *name)
{
    char to[PATH_MAX + 128];
    snprintf(to, sizeof to, "%s/src/%s", g->work, name);
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return out >= 0 ? out
                    : grade_stop(g, OUTCOME_INFRA, "cannot write %s: %s", to,
                                 strerror(errno));
}

/* Take one file: a regular one, by its plain name, not through a link. */
static int take(struct grade *g, const char *name)
{
    char from[PATH_MAX + 128];
    struct stat st;
    snprintf(from, sizeof from, "%s/%s", g->dir, name);
    const int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0 && errno == ENOENT && may_be_missing(name))
        return 0;
    if (in < 0 || fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
        const int why = errno;
        if (in >= 0)
            close(in);
        return grade_stop(g, OUTCOME_FAIL,
                          in < 0 && why == ENOENT  ? missing
                          : in < 0 && why == ELOOP ? is_link
                                                   : not_regular,
                          name);
    }
    const int out = make_source(g, name);
    const int err = out < 0 ? -1 : copy(g, in, out, name);
    close(in);
    if (out >= 0)
        close(out);
    return err;
}

static int take_folder(struct grade *g)
{
    for (int i = 0; i < g->plan->nfiles; i++)
        if (take(g, g->plan->file[i]) != 0)
            return -1;
    return 0;
}

/* ---- from an archive ------------------------------------------------------------ */

static int write_source(struct grade *g, const struct unpack_file *f)
{
    switch (f->state) {
    case UNPACK_MISSING:
        return may_be_missing(f->name)
                   ? 0
                   : grade_stop(g, OUTCOME_FAIL, missing, f->name);
    case UNPACK_LINK: return grade_stop(g, OUTCOME_FAIL, is_link, f->name);
    case UNPACK_SPECIAL:
        return grade_stop(g, OUTCOME_FAIL, not_regular, f->name);
    case UNPACK_TWICE:
        return grade_stop(g, OUTCOME_FAIL, "%s is in the archive twice",
                          f->name);
    case UNPACK_LARGE:
        return grade_stop(g, OUTCOME_FAIL, too_large, f->name,
                          SUBMISSION_MAX_FILE);
    case UNPACK_FILE: break;
    }
    const int out = make_source(g, f->name);
    if (out < 0)
        return -1;
    const ssize_t n = write(out, f->data, f->nbytes);
    const int failed = close(out) != 0 || n != (ssize_t)f->nbytes;
    return failed ? grade_stop(g, OUTCOME_INFRA, "cannot write %s: %s", f->name,
                               strerror(errno))
                  : 0;
}

static int take_archive(struct grade *g)
{
    struct unpack_file file[PLAN_MAX_FILES] = {{0}};
    char why[128];
    size_t nbytes;
    void *const bytes = submission_read(g->dir, g->plan, &nbytes);
    if (!bytes)
        return grade_stop(g, OUTCOME_INFRA, "cannot read %s: %s", g->dir,
                          strerror(errno));
    for (int i = 0; i < g->plan->nfiles; i++)
        file[i].name = g->plan->file[i];
    int err = 0;
    if (nbytes > SUBMISSION_MAX_ARCHIVE)
        err = grade_stop(g, OUTCOME_FAIL, "the archive is larger than %d bytes",
                         SUBMISSION_MAX_ARCHIVE);
    else if (unpack_files(bytes, nbytes, file, g->plan->nfiles,
                          SUBMISSION_MAX_FILE, why, sizeof why) != 0)
        err = grade_stop(g, OUTCOME_FAIL, "%s", why);
    for (int i = 0; i < g->plan->nfiles; i++) {
        err = err ? err : write_source(g, &file[i]);
        free(file[i].data);
    }
    free(bytes);
    return err;
}

int grade_intake(struct grade *g)
{
    char src[PATH_MAX + 16];
    snprintf(src, sizeof src, "%s/src", g->work);
    if (mkdir(src, 0755) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot make %s: %s", src,
                          strerror(errno));
    return is_folder(g->dir) ? take_folder(g) : take_archive(g);
}
