/*
 * change.h: what people say of a grading after it was made
 *
 * A change is an entry of the ledger of its own, with a name and a reason; the
 * grading that it is about stays as it was. `kind` of the entry is one of
 *
 *     override  a score: of the whole attempt, or of one case of it
 *     clear     a suspicion is unfounded: its cases have all their points
 *     excuse    no score is asked for (or it is again: undo)
 *     extend    another deadline
 *     comment   a line for the student
 *
 * Override and clear are about one attempt, and about the bytes that were
 * graded then: what is handed in later, or in their place, is not changed. They
 * outlast a regrading of these bytes. Of two, the later one counts.
 */
#ifndef GRADER_CHANGE_H
#define GRADER_CHANGE_H

#include "export.h"

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
    double score;          /* NaN: none is given */
    int64_t deadline;
    int undo;
};

/* The kind of that name; -1 if there is none. */
int change_find(const char *name);

/* As it is kept, for the caller to free. */
char *change_body(const struct change *c);

/* Apply an entry of the ledger to its student's row; what is no change is left
 * alone. All gradings of the row are known already. */
void change_apply(struct row *r, const struct ledger_entry *e);

/* True if the grading has a suspicion that nobody cleared. */
int change_is_suspected(const struct grading *g);

#endif
