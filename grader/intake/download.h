/*
 * download.h: the contents of a learning system's "download all"
 *
 *     canvas      NAME_ID_SUBMISSION_FILE, NAME_LATE_ID_SUBMISSION_FILE: a file
 *                 for each upload
 *     moodle      "NAME_NUMBER_assignsubmission_file_": a folder (in older
 *                 versions, a file) for each student
 *     gradescope  submission_N, and submission_metadata.yml, which says whose
 *                 each is, and when it was handed in
 *     classroom   ASSIGNMENT-ACCOUNT: a repository for each student
 *
 * Any other names are described by a pattern (match.h).
 */
#ifndef GRADER_DOWNLOAD_H
#define GRADER_DOWNLOAD_H

#include "grader/intake/roster.h"

enum download_format {
    DOWNLOAD_AUTO, /* the one that explains most names */
    DOWNLOAD_CANVAS,
    DOWNLOAD_MOODLE,
    DOWNLOAD_GRADESCOPE,
    DOWNLOAD_CLASSROOM,
    DOWNLOAD_PATTERN,
};
extern const char *const download_format_name[]; /* ended by NULL */

struct item { /* a file or a folder in the download */
    char *path, *name;
    const struct student *student; /* NULL if it belongs to no student */
    int attempt;
    char *file;        /* name under which it was handed in; NULL: unchanged */
    int late;          /* the system marks it as late */
    int64_t submitted; /* time from the system, or ROSTER_NEVER */
    int ambiguous;     /* 1 if more than one student fits */
    int same;          /* 1 if it is what the student had handed in before */
};

struct download {
    enum download_format format; /* the format that was assumed */
    struct item *item;           /* sorted by name */
    int n;
};

/* List a folder. NULL with the reason in err on failure. */
struct download *download_list(const char *dir, const struct roster *r,
                               enum download_format format, const char *pattern,
                               char *err, size_t err_nbytes);
void download_free(struct download *d);

#endif
