/*
 * intake.c: a submission's files, from a folder or an archive
 */
#define _GNU_SOURCE
#include "grader/intake/intake.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open, O_NOFOLLOW */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strerror */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* write */

#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/intake/encoding.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"

/* What can be wrong with a file of a submission. */
static const char missing[] = "%s is missing",
                  is_link[] = "%s is a symbolic link",
                  misnamed[] = "%s was left out: rename it to %s",
                  not_regular[] = "%s is not a regular file",
                  too_large[] = "%s is larger than %d bytes";

static const char answers[] = "answers.txt";

/* Create a file in this grading's folder of sources. Returns -1 with the
 * outcome set on failure. */
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

/*
 * A file that wasn't handed in, is empty or not a text costs only its own
 * parts: the lab's own file, whose holes are empty, takes its place.
 * answers.txt may be missing.
 */
static int take_skeleton(const struct place *p, const char *name,
                         const char *what, struct result *r)
{
    char from[PATH_MAX + 256], to[PATH_MAX + 128];
    if (strcmp(name, answers) == 0)
        return 0;
    snprintf(from, sizeof from, "%s/labs/%s/%s", p->kit, p->lab, name);
    snprintf(to, sizeof to, "%s/src/%s", p->work, name);
    if (access(from, R_OK) != 0)
        return result_stop(r, OUTCOME_FAIL, missing, name);
    result_note(r,
                "%s is %s: the lab's own was taken, with its functions not "
                "written",
                name, what);
    return file_copy(from, to) == 0
               ? 0
               : result_stop(r, OUTCOME_INFRA, "cannot write %s: %s", to,
                             strerror(errno));
}

/* Turn a text in UTF-16, for which there is no compiler, into UTF-8. */
static void convert(struct unpack_file *f, struct result *r)
{
    size_t nbytes;
    char *const text = encoding_to_utf8(f->data, f->nbytes, &nbytes);
    if (!text)
        return;
    result_note(r, "%s was converted from UTF-16: save it as UTF-8", f->name);
    free(f->data);
    f->data = text;
    f->nbytes = nbytes;
}

static int write_source(struct unpack_file *f, const struct place *p,
                        struct result *r)
{
    switch (f->state) {
    case UNPACK_MISSING:
        if (f->misnamed[0])
            result_note(r, misnamed, f->misnamed, f->name);
        return take_skeleton(p, f->name, "missing", r);
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
    if (unpack_is_empty(f))
        return take_skeleton(p, f->name, "empty", r);
    if (strcmp(f->name, answers) == 0)
        convert(f, r);
    else if (encoding_fault(f->data, f->nbytes))
        return take_skeleton(p, f->name, encoding_fault(f->data, f->nbytes), r);
    if (f->wrong_case)
        result_note(r, "%s was taken from a file whose name is in another case",
                    f->name);
    const int out = make_source(p, f->name, r);
    if (out < 0)
        return -1;
    const ssize_t n = write(out, f->data, f->nbytes);
    if (n >= 0 && n < (ssize_t)f->nbytes)
        errno = ENOSPC; // which a short write does not report
    const int failed = n != (ssize_t)f->nbytes, why = errno;
    if (close(out) == 0 && !failed)
        return 0;
    return result_stop(r, OUTCOME_INFRA, "cannot write %s/src/%s: %s", p->work,
                       f->name, strerror(failed ? why : errno));
}

/* Refuse a submission without any of the files. `closed` is "", or names an
 * archive that was not opened, and why. The message names files to rename. */
static int check_any(const struct unpack_file *file, const struct plan *p,
                     const char *closed, struct result *r)
{
    char names[512] = "", other[512] = "";
    for (int i = 0; i < p->nfiles; i++) {
        const size_t n = strlen(names), m = strlen(other);
        if (file[i].state != UNPACK_MISSING) {
            if (closed[0])
                result_note(r, "%s", closed);
            return 0;
        }
        snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
                 p->file[i]);
        if (file[i].misnamed[0])
            snprintf(other + m, sizeof other - m, "%s %s to %s",
                     m ? "," : "; rename", file[i].misnamed, p->file[i]);
    }
    return result_stop(r, OUTCOME_FAIL,
                       "none of the lab's files is in it (%s)%s%s%s", names,
                       other, closed[0] ? "; " : "", closed);
}

/* Keep the work log's text. What is wrong with it costs nothing. */
static void keep_worklog(struct unpack_file *f, struct result *r)
{
    static const char *const why[] = {[UNPACK_LINK] = "a symbolic link",
                                      [UNPACK_SPECIAL] = "not a regular file",
                                      [UNPACK_LARGE] = "too large",
                                      [UNPACK_TWICE] = "there twice"};
    if (f->misnamed[0])
        result_note(r, misnamed, f->misnamed, f->name);
    if (f->state == UNPACK_MISSING || unpack_is_empty(f))
        return;
    if (f->state != UNPACK_FILE) {
        result_note(r, "%s is %s: it isn't kept", f->name, why[f->state]);
        return;
    }
    convert(f, r);
    char *const text = strndup(f->data, f->nbytes);
    if (!text)
        abort();
    if (strlen(text) < f->nbytes)
        result_note(r, "%s has a zero byte: what follows it is lost", f->name);
    else if (!text_is_utf8(text))
        result_note(r, "%s is not in UTF-8: its accented letters are lost",
                    f->name);
    if (strlen(text) > SUBMISSION_MAX_WORKLOG) {
        result_note(r, "%s has %zu bytes: the first %d are kept", f->name,
                    f->nbytes, SUBMISSION_MAX_WORKLOG);
        text[SUBMISSION_MAX_WORKLOG] = 0;
    }
    r->worklog = text;
}

int intake_take(const char *archive, const struct place *p, struct result *r)
{
    // the plan's files, then the work log
    struct unpack_file file[SUBMISSION_MAX_NAMES] = {{0}};
    const char *names[SUBMISSION_MAX_NAMES];
    const int nfiles = p->plan->nfiles, n = submission_names(p->plan, names);
    char src[PATH_MAX + 16], why[256];
    size_t nbytes;
    snprintf(src, sizeof src, "%s/src", p->work);
    if (mkdir(src, 0755) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s: %s", src,
                           strerror(errno));
    void *const bytes = submission_read(archive, p->plan, &nbytes);
    if (!bytes)
        return result_stop(r, OUTCOME_INFRA, "cannot read %s: %s", archive,
                           strerror(errno));
    for (int i = 0; i < n; i++)
        file[i].name = names[i];
    int err = 0;
    if (nbytes > SUBMISSION_MAX_ARCHIVE)
        err =
            result_stop(r, OUTCOME_FAIL, "the archive is larger than %d bytes",
                        SUBMISSION_MAX_ARCHIVE);
    else if (unpack_files(bytes, nbytes, file, n, SUBMISSION_MAX_FILE, why,
                          sizeof why) != 0)
        err = result_stop(r, OUTCOME_FAIL, "%s", why);
    else
        err = check_any(file, p->plan, why, r);
    for (int i = 0; i < nfiles; i++) {
        err = err ? err : write_source(&file[i], p, r);
        free(file[i].data);
    }
    if (!err)
        keep_worklog(&file[nfiles], r);
    free(file[nfiles].data);
    free(bytes);
    return err;
}
