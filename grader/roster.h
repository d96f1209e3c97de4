/*
 * roster.h: who is graded, and until when
 *
 * A CSV file with a header. Only `student` is needed: the name of the student's
 * submission, and the login in gradebooks.
 *
 *     student     login; [A-Za-z0-9._@+-]
 *     name, email, section
 *     id, sis_id  the student's numbers in Canvas and Moodle
 *     deadline    2026-03-01T23:59:00Z, or +01:00, or no zone: UTC; a column
 *                 deadline:lab2 holds that lab's
 *     submitted   when it was handed in, if the files' own times don't say
 *     late_days   days after the deadline that cost this student nothing
 *
 * The roster is the course's own file, but names in it are typed by students.
 */
#ifndef GRADER_ROSTER_H
#define GRADER_ROSTER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define ROSTER_NEVER INT64_MIN /* no deadline, not known when submitted */

struct student {
    char *key, *name, *email, *section, *id, *sis_id; /* "" where unknown */
    int64_t deadline, submitted;                      /* s since 1970, UTC */
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

/* As it is kept in the ledger, and back (NULL if it is not a roster). */
json_t *roster_json(const struct roster *r);
struct roster *roster_from_json(const json_t *j);

/* Whole days, begun ones counted, that t is after the student's deadline,
 * without those that cost nothing; 0 if either is not known. */
int roster_days_late(const struct student *s, int64_t t);

/* "2026-03-01T23:59:00+01:00" -> seconds since 1970; -1 if it is no time. */
int roster_time(const char *text, int64_t *t);

#endif
