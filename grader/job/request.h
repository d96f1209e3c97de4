/*
 * request.h: the input of one grading
 *
 * A verb fills it in before the grading starts. After that it is constant.
 */
#ifndef GRADER_REQUEST_H
#define GRADER_REQUEST_H

#include <stdint.h>

struct request {
    const char *lab;        /* "lab1", or its full name */
    const char *submission; /* a folder, or an archive */
    const char *cases;      /* only these, "A,B"; NULL: all cases */
    const char *schedule;   /* SIMGPU_SCHEDULE of the runs; NULL: late */
    const char *backend;    /* NULL: the one that the kit was built for */
    const char *work;       /* folder to work in; NULL: a new one in $TMPDIR */
    const char *objects;    /* shared folder of objects (objects.h);
                               may be NULL */
    int measured;           /* treat simgpu as a real machine (backend.h) */
    int timeline;           /* draw a timeline */
    int isolation;          /* level (sandbox.h) */
    uint64_t seed;          /* determines all inputs */
};

/* Read the next name from *list, which is "A,B" or NULL. Returns 0 at its
 * end. */
enum { REQUEST_NAME = 128 };
int request_next_case(const char **list, char name[REQUEST_NAME]);

/* True if the case with this name is to be run. */
int request_has_case(const struct request *r, const char *name);

#endif
