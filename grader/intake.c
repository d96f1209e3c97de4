/*
 * intake.c: a submission's files, from a folder or an archive
 */
#define _GNU_SOURCE
#include "intake.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open, O_NOFOLLOW */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strerror */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* read */

#include "submission.h"
#include "unpack.h"

static int is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
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

/* ---- from a folder ------------------------------------------------------- */

static int copy(int from, int to, const char *name, struct result *r)
{
    char chunk[16384];
    size_t total = 0;
    for (ssize_t n; (n = read(from, chunk, sizeof chunk)) > 0;) {
        total += (size_t)n;
        if (total > SUBMISSION_MAX_FILE)
            return result_stop(r, OUTCOME_FAIL, too_large, name,
                               SUBMISSION_MAX_FILE);
        if (write(to, chunk, (size_t)n) != n)
            return result_stop(r, OUTCOME_INFRA, "cannot copy %s: %s", name,
                               strerror(errno));
    }
    return 0;
}

/* A new file in this grading's own folder of sources; -1 having said why. */
static int make_source(const struct place *p, const char *name,
                       struct result *r)
{
    char to[PATH_MAX + 128];
    snprintf(to, sizeof to, "%s/src/%s", p->work, name);
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return out >= 0 ? out
                    : result_stop(r, OUTCOME_INFRA, "cannot write %s: %s", to,
                                  strerror(errno));
}

/* Take one file: a regular one, by its plain name, not through a link. */
static int take(const char *folder, const struct place *p, const char *name,
                struct result *r)
{
    char from[PATH_MAX + 128];
    struct stat st;
    snprintf(from, sizeof from, "%s/%s", folder, name);
    const int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0 && errno == ENOENT && may_be_missing(name))
        return 0;
    if (in < 0 || fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
        const int why = errno;
        if (in >= 0)
            close(in);
        return result_stop(r, OUTCOME_FAIL,
                           in < 0 && why == ENOENT  ? missing
                           : in < 0 && why == ELOOP ? is_link
                                                    : not_regular,
                           name);
    }
    const int out = make_source(p, name, r);
    const int err = out < 0 ? -1 : copy(in, out, name, r);
    close(in);
    if (out >= 0)
        close(out);
    return err;
}

static int take_folder(const char *folder, const struct place *p,
                       struct result *r)
{
    for (int i = 0; i < p->plan->nfiles; i++)
        if (take(folder, p, p->plan->file[i], r) != 0)
            return -1;
    return 0;
}

/* ---- from an archive ----------------------------------------------------- */

static int write_source(const struct unpack_file *f, const struct place *p,
                        struct result *r)
{
    switch (f->state) {
    case UNPACK_MISSING:
        return may_be_missing(f->name)
                   ? 0
                   : result_stop(r, OUTCOME_FAIL, missing, f->name);
    case UNPACK_LINK: return result_stop(r, OUTCOME_FAIL, is_link, f->name);
    case UNPACK_SPECIAL:
        return result_stop(r, OUTCOME_FAIL, not_regular, f->name);
    case UNPACK_TWICE:
        return result_stop(r, OUTCOME_FAIL, "%s is in the archive twice",
                           f->name);
    case UNPACK_LARGE:
        return result_stop(r, OUTCOME_FAIL, too_large, f->name,
                           SUBMISSION_MAX_FILE);
    case UNPACK_FILE: break;
    }
    const int out = make_source(p, f->name, r);
    if (out < 0)
        return -1;
    const ssize_t n = write(out, f->data, f->nbytes);
    const int failed = close(out) != 0 || n != (ssize_t)f->nbytes;
    return failed ? result_stop(r, OUTCOME_INFRA, "cannot write %s: %s",
                                f->name, strerror(errno))
                  : 0;
}

static int take_archive(const char *archive, const struct place *p,
                        struct result *r)
{
    struct unpack_file file[PLAN_MAX_FILES] = {{0}};
    char why[128];
    size_t nbytes;
    void *const bytes = submission_read(archive, p->plan, &nbytes);
    if (!bytes)
        return result_stop(r, OUTCOME_INFRA, "cannot read %s: %s", archive,
                           strerror(errno));
    for (int i = 0; i < p->plan->nfiles; i++)
        file[i].name = p->plan->file[i];
    int err = 0;
    if (nbytes > SUBMISSION_MAX_ARCHIVE)
        err =
            result_stop(r, OUTCOME_FAIL, "the archive is larger than %d bytes",
                        SUBMISSION_MAX_ARCHIVE);
    else if (unpack_files(bytes, nbytes, file, p->plan->nfiles,
                          SUBMISSION_MAX_FILE, why, sizeof why) != 0)
        err = result_stop(r, OUTCOME_FAIL, "%s", why);
    for (int i = 0; i < p->plan->nfiles; i++) {
        err = err ? err : write_source(&file[i], p, r);
        free(file[i].data);
    }
    free(bytes);
    return err;
}

int intake_take(const char *submission, const struct place *p, struct result *r)
{
    char src[PATH_MAX + 16];
    snprintf(src, sizeof src, "%s/src", p->work);
    if (mkdir(src, 0755) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s: %s", src,
                           strerror(errno));
    return is_folder(submission) ? take_folder(submission, p, r)
                                 : take_archive(submission, p, r);
}
