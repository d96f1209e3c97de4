/*
 * change.h: what people decide about a grading after it was made
 *
 * A change is a separate entry of the ledger, with a name and a reason; the
 * grading itself stays as it was. The entry's `kind` is one of
 *
 *     override  a score, for the whole attempt or for one of its cases
 *     clear     a suspicion is unfounded: its cases have the verdicts beneath
 *     excuse    no score is required (or, with undo, one is again)
 *     extend    a deadline later than the roster's; the later of the two counts
 *     comment   a line for the student
 *
 * Override and clear apply to one attempt, and to the bytes that were graded
 * when they were made: what is handed in later, or in place of these bytes, is
 * not changed. They still apply after a regrading of these bytes. If there are
 * two, the later one counts. With undo, they take back the last of their kind
 * that still stands, for that case or, without one, for the attempt.
 */
#ifndef GRADER_CHANGE_H
#define GRADER_CHANGE_H

#include "grader/export/export.h"

enum change_kind {
    CHANGE_OVERRIDE,
    CHANGE_CLEAR,
    CHANGE_EXCUSE,
    CHANGE_EXTEND,
    CHANGE_COMMENT,
};
enum { CHANGES = CHANGE_COMMENT + 1 };

extern const char *const change_name[CHANGES]; /* "override" ... */

struct change {
    enum change_kind kind;
    const char *by, *reason;
    const char *case_name; /* NULL: the whole attempt */
    double score;          /* NaN if none is given */
    int64_t deadline;
    int undo;
};

/* The kind with this name; -1 if there is none. */
int change_find(const char *name);

/* The body of a change as the ledger keeps it. The caller frees it. */
char *change_body(const struct change *c);

struct changes { /* the changes of a ledger, oldest first */
    struct ledger_entry *entry;
    char *undone; /* by entry: 1 if a later one has taken it back */
    size_t n;
};

/* Read the changes of a lab (NULL: of all labs). */
void changes_load(struct changes *c, struct ledger *l, const char *lab);
void changes_release(struct changes *c);

/* The last change that still stands like this one, an override or a clear: of
 * the same kind, student, lab, attempt and bytes, and of the same case unless
 * case_name is NULL. -1 if there is none. */
int changes_last(const struct changes *c, const struct ledger_entry *like,
                 const char *case_name);

/* Apply change i to its student's row. All gradings of the row must be known
 * already. */
void changes_apply(const struct changes *c, size_t i, struct row *r);

/* Write a deadline like "2026-03-08 23:59 CET". */
void change_when(int64_t t, char out[64]);

/* True if the grading has a suspicion that was not cleared. */
int change_is_suspected(const struct grading *g);

#endif
