/*
 * broken.h: files of a submission that do not compile, or do not link
 *
 * Such a file costs the parts that need it, as one that is missing does: the
 * lab's own takes its place, with its functions not written.
 */
#ifndef GRADER_BROKEN_H
#define GRADER_BROKEN_H

#include "grader/build/compiler.h"
#include "grader/job/result.h"

struct broken {
    char is[PLAN_MAX_FILES];       /* by file of the plan */
    char why[PLAN_MAX_FILES][200]; /* its first error */
};

/* Find the files without an object. Returns their number. */
int broken_find(struct broken *b, const struct compiler *c);

/*
 * Find the files that the linker's output is about. If a name is missing, that
 * is the file in which the lab has it, or else the one that uses it; if it is
 * defined twice, the file in which the lab doesn't have it, or the later one.
 * Files in `replaced` are left out, and those found are added to it. Returns
 * the number of files found.
 */
int broken_find_linked(struct broken *b, const struct compiler *c,
                       const char *output, char *replaced);

/*
 * Put the lab's own in place of the broken files, which do not `what`
 * ("compile"), and say so in the notes. Sets done[] for the others. Returns 0,
 * or -1 if that isn't possible, or would leave nothing of the student's.
 */
int broken_replace(const struct compiler *c, const struct broken *b,
                   const char *what, char *done, struct result *r);

#endif
