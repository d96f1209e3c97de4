/*
 * submission.h: what was handed in, as found and as kept
 *
 * In the folder of submissions, each student's is a folder or an archive (tar,
 * gzip, zip ...) named after the student: `ada`, `ada.tar.gz`. Later attempts
 * end in @N: `ada@2`, `ada@3.zip`.
 *
 * Kept, and graded, are bytes: an archive's own, or, of a folder, a tar with
 * the plan's files and nothing else, the same for the same files. What is
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
    int64_t modified; /* newest time of its files, s since 1970 */
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
 * The bytes that are kept of the submission at path, for the caller to free.
 * NULL with errno set when this machine cannot read it. What a student can do
 * wrong is no error: it is in the bytes (a link stays a link, what is too large
 * stays too large), for the grading to say.
 */
void *submission_read(const char *path, const struct plan *p, size_t *nbytes);

#endif
