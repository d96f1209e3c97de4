/*
 * roster.h: who is graded, and their deadlines
 *
 * The roster is a CSV file with a header. Only `student` is required: the name
 * of the student's submission, and the login in gradebooks.
 *
 *     student     login; [A-Za-z0-9._@+-]
 *     name, email, section
 *     id, sis_id  the student's numbers in Canvas and Moodle
 *     github      the account that owns the student's repositories
 *     group       students with the same group hand in together
 *     deadline    2026-03-01T23:59:00Z, or +01:00; without a zone, in the
 *                 course's (roster_timezone); it includes its last minute;
 *                 without a time, the end of the day; a column deadline:lab2
 *                 is for that lab
 *     submitted   when attempt 1 was handed in, if the files' own times don't
 *                 say; submitted@2 is for attempt 2, and so on
 *     late_days   days after the deadline that cost this student nothing
 *
 * Any other column is an error, unless its name starts with #. So are a row
 * with more fields than the header, and two students with the same login,
 * email, id, sis_id or github, in upper or lower case. The roster is the
 * course's own file, but students type names in it.
 */
#ifndef GRADER_ROSTER_H
#define GRADER_ROSTER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/intake/roster_time.h"

enum { ROSTER_ATTEMPTS = 16 }; /* attempts that may have a column submitted@N */

struct student {
    char *key, *name, *email, *section, *id, *sis_id, *github,
        *group;                         /* "" if unknown */
    int64_t deadline;                   /* in s since 1970, UTC */
    int64_t submitted[ROSTER_ATTEMPTS]; /* in s since 1970, UTC, by
                                           attempt, from 1 */
    int late_days;
};

struct roster {
    struct student *student; /* sorted by key */
    int n;
};

/*
 * Read a roster for a lab ("lab2" or "lab2-gradient-sync"). NULL with
 * "path:line: what is wrong" in err on failure. roster_parse() reads it from
 * memory.
 */
struct roster *roster_load(const char *path, const char *lab, char *err,
                           size_t err_nbytes);
struct roster *roster_parse(const char *text, size_t nbytes, const char *lab,
                            char *err, size_t err_nbytes);
void roster_free(struct roster *r);

const struct student *roster_find(const struct roster *r, const char *key);

/* The first student of a group; NULL if it has none. */
const struct student *roster_find_group(const struct roster *r,
                                        const char *group);

/* True if a and b hand in together; each student does with itself. */
int roster_together(const struct student *a, const struct student *b);

/* The students of both rosters; for a student in both, b counts.
 * Consumes both. */
struct roster *roster_join(struct roster *a, struct roster *b);

/* The roster as JSON, as the ledger keeps it, and the reverse (NULL if j is
 * not a roster). */
json_t *roster_json(const struct roster *r);
struct roster *roster_from_json(const json_t *j);

/* roster_days_between() for the student's deadline and free days. */
int roster_days_late(const struct student *s, int64_t t);

/* The roster's time for an attempt, or ROSTER_NEVER. */
int64_t roster_submitted(const struct student *s, int attempt);

/* The first student with a text that was not UTF-8, or NULL. No name in a
 * download matches such a student. */
const struct student *roster_not_utf8(const struct roster *r);
#define ROSTER_NOT_UTF8                                                        \
    "%s: what it says of %s is not in UTF-8: save it as CSV UTF-8"

#endif
