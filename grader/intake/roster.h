/*
 * roster.h: who is graded, and until when
 *
 * A CSV file with a header. Only `student` is needed: the name of the student's
 * submission, and the login in gradebooks.
 *
 *     student     login; [A-Za-z0-9._@+-]
 *     name, email, section
 *     id, sis_id  the student's numbers in Canvas and Moodle
 *     github      the account whose repositories are the student's
 *     group       students with the same group hand in together
 *     deadline    2026-03-01T23:59:00Z, or +01:00; without a zone the
 *                 course's (roster_timezone), without a time the end of the
 *                 day; a column deadline:lab2 holds that lab's
 *     submitted   when attempt 1 was handed in, if the files' own times don't
 *                 say; submitted@2 is attempt 2's, and so on
 *     late_days   days after the deadline that cost this student nothing
 *
 * Any other column is an error, unless its name begins with #. The roster is
 * the course's own file, but names in it are typed by students.
 */
#ifndef GRADER_ROSTER_H
#define GRADER_ROSTER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define ROSTER_NEVER INT64_MIN /* no deadline, not known when submitted */

enum { ROSTER_ATTEMPTS = 16 }; /* that may have a column submitted@N */

struct student {
    char *key, *name, *email, *section, *id, *sis_id, *github,
        *group;                         /* "" where unknown */
    int64_t deadline;                   /* s since 1970, UTC */
    int64_t submitted[ROSTER_ATTEMPTS]; /* likewise, of attempt i + 1 */
    int late_days;
};

struct roster {
    struct student *student; /* sorted by key */
    int n;
};

/*
 * Read a roster for a lab ("lab2" or "lab2-gradient-sync"). NULL with
 * "path:line: what is wrong" in err. roster_parse() takes it from memory.
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

/* True if a and b hand in together; a student does with itself. */
int roster_together(const struct student *a, const struct student *b);

/* The students of both; b's word counts where both have one. Both are consumed.
 */
struct roster *roster_join(struct roster *a, struct roster *b);

/* As it is kept in the ledger, and back (NULL if it is not a roster). */
json_t *roster_json(const struct roster *r);
struct roster *roster_from_json(const json_t *j);

/* Whole days, begun ones counted, that t is after the student's deadline,
 * without those that cost nothing; 0 if either is not known. */
int roster_days_late(const struct student *s, int64_t t);

/* The same, of a deadline and so many days that cost nothing. */
int roster_days_between(int64_t deadline, int64_t t, int late_days);

/* When the roster says that an attempt was handed in, or ROSTER_NEVER. */
int64_t roster_submitted(const struct student *s, int attempt);

/* The first student with a text that was not in UTF-8, or NULL. No name in a
 * download is that student's. */
const struct student *roster_not_utf8(const struct roster *r);
#define ROSTER_NOT_UTF8                                                        \
    "%s: what it says of %s is not in UTF-8: save it as CSV UTF-8"

/*
 * Times without a zone are of this one from now on: "Europe/Berlin", or NULL
 * or "" for UTC. It is kept in this process' TZ. -1 if there is no such zone.
 */
int roster_timezone(const char *name);

/*
 * "2026-03-01T23:59:00+01:00" -> seconds since 1970; a date alone is the last
 * second of that day. -1 if it is no time. When daylight saving time ends, an
 * hour comes twice: a time in it is then what favours the student, the first of
 * the two, or as a deadline the second.
 */
int roster_time(const char *text, int64_t *t);
int roster_deadline(const char *text, int64_t *t);

#endif
