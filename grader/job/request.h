/*
 * request.h: what is asked of one grading
 *
 * A verb fills it in before the grading starts; it is constant from then on.
 */
#ifndef GRADER_REQUEST_H
#define GRADER_REQUEST_H

#include <stdint.h>

struct request {
    const char *lab;        /* "lab1", or its full name */
    const char *submission; /* a folder, or an archive */
    const char *cases;      /* only these, "A,B"; NULL: all */
    const char *schedule;   /* SIMGPU_SCHEDULE of the runs; NULL: late */
    const char *backend;    /* NULL: the one that the kit was built for */
    const char *work;       /* folder to work in; NULL: a new one in $TMPDIR */
    const char *objects;    /* folder of objects (objects.h), or NULL */
    int measured;           /* treat simgpu as a real machine (backend.h) */
    int timeline;           /* draw one */
    int isolation;          /* level (sandbox.h) */
    uint64_t seed;          /* all inputs follow from it */
};

/* Take the next name off *list, which is "A,B" or NULL; 0 at its end. */
enum { REQUEST_NAME = 128 };
int request_next_case(const char **list, char name[REQUEST_NAME]);

/* True if the case of that name is to be run. */
int request_has_case(const struct request *r, const char *name);

#endif
