/*
 * planted.h: ledgers for tests of everything that follows grading
 *
 * DIR/L.db gets rosters and gradings of lab 1 without any run. Each grading has
 * two cases of 5 points, "ring" and "tree"; a suspected one has 3 beneath the
 * suspicion.
 */
#ifndef COMMLAB_TESTS_PLANTED_H
#define COMMLAB_TESTS_PLANTED_H

#define PLANTED_LAB "lab1-collectives"

struct ledger;

struct planted_grading {
    const char *student;
    int attempt;
    const char *outcome[2]; /* by case; if the first is NULL, no case was run */
    double score[2];
    const char *submitted, *plan; /* NULL submitted: long ago; NULL plan:
                                     "one" */
    const char *message;          /* for cases that fail, or for the grading
                                     as a whole */
    double time_us;               /* time of "ring"; 0: not timed */
    const char *view; /* NULL for no timeline, or the command to view it */
};

/* Open the ledger for writing. The caller closes it. */
struct ledger *planted_ledger(const char *dir);

/* Add a batch with this roster, as CSV, or a grading. What was handed in is a
 * tar with one file, p2p.c, which names student and attempt. */
void planted_roster(const char *dir, const char *csv);
void planted_grading(const char *dir, const struct planted_grading *p);

/* Add a grading of attempt 1 with this JSON body, for these submitted bytes. */
void planted_body(const char *dir, const char *student, const char *bytes,
                  const char *body);

/* Add an otherwise empty grading of attempt 1, for a p2p.c with this text. */
void planted_source(const char *dir, const char *student, const char *text);

#endif
