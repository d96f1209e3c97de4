/*
 * planted.h: ledgers for tests of what comes after grading
 *
 * DIR/L.db, with rosters and gradings of lab 1 that nobody had to run: each
 * grading has two cases of 5 points, "ring" and "tree".
 */
#ifndef COMMLAB_TESTS_PLANTED_H
#define COMMLAB_TESTS_PLANTED_H

#define PLANTED_LAB "lab1-collectives"

struct ledger;

struct planted_grading {
    const char *student;
    int attempt;
    const char *outcome[2]; /* of the cases; the first NULL: not run */
    double score[2];
    const char *submitted, *plan; /* NULL: long ago; NULL: plan "one" */
    const char *message;          /* of cases that fail, or of the whole */
    double time_us;               /* of "ring"; 0: not timed */
    const char
        *view; /* NULL, or there is a timeline, and this to look closer */
};

/* Open it for writing, to be closed by the caller. */
struct ledger *planted_ledger(const char *dir);

/* A batch with this roster, as CSV; a grading. What was handed in is a tar of
 * one file, p2p.c, that names student and attempt. */
void planted_roster(const char *dir, const char *csv);
void planted_grading(const char *dir, const struct planted_grading *p);

/* A grading of attempt 1 with this body, JSON, for these bytes handed in. */
void planted_body(const char *dir, const char *student, const char *bytes,
                  const char *body);

/* A grading of attempt 1 that says nothing, of a p2p.c with this text. */
void planted_source(const char *dir, const char *student, const char *text);

#endif
