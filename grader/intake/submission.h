/*
 * submission.h: submissions, as found and as kept
 *
 * In the folder of submissions, each student's is a folder or an archive (tar,
 * gzip, zip ...) named after the student, or the student's group: `ada`,
 * `ada.tar.gz`. Later attempts end in @N: `ada@2`, `ada@3.zip`.
 *
 * The folder may have a file submitted.csv (student,attempt,submitted), written
 * by grade intake, with the times that the learning system gives.
 *
 * Bytes are kept and graded: an archive's own bytes, or, for a folder, a tar
 * with only the plan's files and the work log, which is the same for the same
 * files. If one of the plan's files is not in the folder itself, the tar also
 * has the candidates for it: files with its name in subfolders, in upper or
 * lower case, with an extension too many, and archives. Only the process that
 * grades an archive looks inside it.
 */
#ifndef GRADER_SUBMISSION_H
#define GRADER_SUBMISSION_H

#include <stddef.h>
#include <stdint.h>

#include "grader/intake/roster.h"
#include "judge/plan.h"

enum {
    SUBMISSION_MAX_FILE = 1 << 20,     /* bytes of one submitted file */
    SUBMISSION_MAX_ARCHIVE = 32 << 20, /* bytes of an archive */
    SUBMISSION_MAX_NAMES = PLAN_MAX_FILES + 1,
    SUBMISSION_MAX_WORKLOG = 8 << 10, /* bytes of a work log that a grading
                                          keeps */
};

/* Where students may write what they asked of whom: a language model, a fellow
 * student, a page. No plan lists it, no points depend on it, people read it. */
#define SUBMISSION_WORKLOG "worklog.txt"

struct submission {
    const struct student *student;
    int attempt;
    char *path;
    int64_t modified; /* from DIR/submitted.csv, or submission_time() */
    int is_said;      /* 1 if it is from submitted.csv */
};

struct submissions {
    struct submission *s; /* sorted by student, then attempt */
    int n;
    int nunknown;      /* number of names that belong to no student */
    char unknown[256]; /* the first of these names */
};

/*
 * Find the submissions of a roster's students in a folder. NULL with the reason
 * in err: the folder can't be read, or has two for one attempt.
 */
struct submissions *submissions_find(const char *dir, const struct roster *r,
                                     const struct plan *p, char *err,
                                     size_t err_nbytes);
void submissions_free(struct submissions *s);

/*
 * The number of submissions whose files were written in the same minute, so
 * that the files' times can't tell when they were handed in. 0 if there are
 * fewer than three of them, or if they are a minority. Submissions with a time
 * in the roster or in submitted.csv don't count.
 */
int submissions_same_time(const struct submissions *s);

/*
 * When it was last written, by its files' own times, in s since 1970: the time
 * of the newest of the plan's files, in folders or archives of any depth; if
 * there is none, of the newest file; else of the submission itself. This is
 * what the student's computer says.
 */
int64_t submission_time(const char *path, const struct plan *p);

/*
 * The bytes to keep for the submission at path. The caller frees them. NULL
 * with errno set if this machine cannot read it. A student's mistake is not an
 * error here: it stays in the bytes (a link stays a link, a file that is too
 * large stays too large), and the grading reports it.
 */
void *submission_read(const char *path, const struct plan *p, size_t *nbytes);

/* The names of the files that are kept: the plan's, then the work log. Returns
 * their number. */
int submission_names(const struct plan *p,
                     const char *names[SUBMISSION_MAX_NAMES]);

/* True if it is the work log, or the plan asks for a file with this name, in
 * upper or lower case. */
int submission_is_planned(const struct plan *p, const char *name);

#endif
