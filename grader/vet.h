/*
 * vet.h: may this file be part of a lab's program?
 *
 * What stands between a submission and the grader's secrets, before it is
 * linked: its source (tokens.h) and its object (audit.h) have to be made of
 * what is allowed (allow.h). `make labN` asks the same, so that a student hears
 * of it first; what is refused does not build, and is no more than that.
 */
#ifndef GRADER_VET_H
#define GRADER_VET_H

#include "audit.h"

enum { VET_FOLDERS = 3, VET_WHY = 512 };

struct vet {
    const char *folder[VET_FOLDERS]; /* of the lab's headers; NULL: fewer */
    struct audit audit;              /* by_nvcc and given are the caller's */
    char why[VET_WHY]; /* "p2p.c:12: fopen is not available in labs: ..." */
};

/* Each returns 0; 1 with c->why; or -1 if a file cannot be read, with c->why.
 *
 *   source         the student's file
 *   preprocessed   what the compiler's -E made of it
 *   object         what the compiler made of it, and the file's name
 */
int vet_source(struct vet *c, const char *source);
int vet_preprocessed(struct vet *c, const char *preprocessed);
int vet_object(struct vet *c, const char *object, const char *preprocessed,
               const char *name);

#endif
