/*
 * vet.h: whether a file may be part of a lab's program
 *
 * This check stands between a submission and the grader's secrets. Before
 * linking, its source (tokens.h) and its object (audit.h) must consist of what
 * is allowed (allow.h). `make labN` applies the same check, so that students
 * hear of a problem first. Refused code does not build; that is the only
 * consequence.
 */
#ifndef GRADER_VET_H
#define GRADER_VET_H

#include "grader/vet/audit.h"

enum { VET_FOLDERS = 3, VET_WHY = 512 };

struct vet {
    const char *folder[VET_FOLDERS]; /* folders of the lab's headers; ended by
                                        NULL unless full */
    struct audit audit;              /* the caller sets by_nvcc and given */
    char why[VET_WHY]; /* "p2p.c:12: fopen is not available in labs: ..." */
};

/*
 * Each function returns 0; 1 with c->why; or -1 with c->why if a file can't be
 * read.
 *
 *   source         the student's file
 *   preprocessed   the output of the compiler's -E for it
 *   object         the compiler's object for it, and the file's name
 */
int vet_source(struct vet *c, const char *source);
int vet_preprocessed(struct vet *c, const char *preprocessed);
int vet_object(struct vet *c, const char *object, const char *preprocessed,
               const char *name);

#endif
