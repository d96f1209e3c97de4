/*
 * submission.h: what was handed in, as found and as kept
 *
 * In the folder of submissions, each student's is a folder or an archive (tar,
 * gzip, zip ...) named after the student, or the student's group: `ada`,
 * `ada.tar.gz`. Later attempts end in @N: `ada@2`, `ada@3.zip`.
 *
 * The folder may have a file submitted.csv (student,attempt,submitted), which
 * grade intake writes: when the learning system says they were handed in.
 *
 * Kept, and graded, are bytes: an archive's own, or, of a folder, a tar with
 * the plan's files and nothing else, the same for the same files. If one is not
 * in the folder itself, the tar also has what may be it: files of its name in
 * the folders below, in any case, and archives. What is
 * inside of an archive is looked at by the process that grades it, not here.
 */
#ifndef GRADER_SUBMISSION_H
#define GRADER_SUBMISSION_H

#include <stddef.h>
#include <stdint.h>

#include "judge/plan.h"
#include "roster.h"

enum {
    SUBMISSION_MAX_FILE = 1 << 20,     /* bytes of one submitted file */
    SUBMISSION_MAX_ARCHIVE = 32 << 20, /* bytes of an archive */
};

struct submission {
    const struct student *student;
    int attempt;
    char *path;
    int64_t modified; /* what DIR/submitted.csv says; or submission_time() */
    int is_said;      /* it is the former */
};

struct submissions {
    struct submission *s; /* sorted by student, then attempt */
    int n;
    int nunknown;      /* names that are no student's */
    char unknown[256]; /* the first of them */
};

/*
 * What the folder holds for the students of a roster. NULL with the reason in
 * err: it can't be read, or has two for one attempt.
 */
struct submissions *submissions_find(const char *dir, const struct roster *r,
                                     const struct plan *p, char *err,
                                     size_t err_nbytes);
void submissions_free(struct submissions *s);

/*
 * How many submissions have files of one minute, so that the files' own times
 * cannot be when they were handed in; 0 if those are fewer than three, or not
 * most of all. Those of which the roster or submitted.csv says when do not
 * count.
 */
int submissions_same_time(const struct submissions *s);

/*
 * When it was last written, by its files' own times, s since 1970: the newest
 * of the plan's files, in folders or archives of any depth; of all files if
 * there is none; else of the thing itself. It is what the student's computer
 * says.
 */
int64_t submission_time(const char *path, const struct plan *p);

/*
 * The bytes that are kept of the submission at path, for the caller to free.
 * NULL with errno set when this machine cannot read it. What a student can do
 * wrong is no error: it is in the bytes (a link stays a link, what is too large
 * stays too large), for the grading to say.
 */
void *submission_read(const char *path, const struct plan *p, size_t *nbytes);

/* True if the plan asks for a file of this name, in any case. */
int submission_is_planned(const struct plan *p, const char *name);

#endif
