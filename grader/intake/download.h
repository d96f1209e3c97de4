/*
 * download.h: what a learning system's "download all" holds
 *
 *     canvas      NAME_ID_SUBMISSION_FILE, NAME_LATE_ID_SUBMISSION_FILE: a file
 *                 for each upload
 *     moodle      "NAME_NUMBER_assignsubmission_file_": a folder (or, of older
 *                 versions, a file) for each student
 *     gradescope  submission_N, and submission_metadata.yml, which says whose
 *                 each is, and when it was handed in
 *     classroom   ASSIGNMENT-ACCOUNT: a repository for each student
 *
 * Or names by a pattern (match.h).
 */
#ifndef GRADER_DOWNLOAD_H
#define GRADER_DOWNLOAD_H

#include "roster.h"

enum download_format {
    DOWNLOAD_AUTO, /* the one that explains most names */
    DOWNLOAD_CANVAS,
    DOWNLOAD_MOODLE,
    DOWNLOAD_GRADESCOPE,
    DOWNLOAD_CLASSROOM,
    DOWNLOAD_PATTERN,
};
extern const char *const download_format_name[]; /* ended by NULL */

struct item { /* a file or a folder of the download */
    char *path, *name;
    const struct student *student; /* NULL: of nobody */
    int attempt;
    char *file;        /* name it was handed in with; NULL: as it is */
    int late;          /* the system says so */
    int64_t submitted; /* likewise; ROSTER_NEVER */
    int ambiguous;     /* more than one student fits */
};

struct download {
    enum download_format format; /* what it was taken for */
    struct item *item;           /* by name */
    int n;
};

/* List a folder. NULL with the reason in err. */
struct download *download_list(const char *dir, const struct roster *r,
                               enum download_format format, const char *pattern,
                               char *err, size_t err_nbytes);
void download_free(struct download *d);

#endif
