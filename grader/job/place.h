/*
 * place.h: where a grading takes place: the kit, the lab, the machine, a folder
 */
#ifndef GRADER_PLACE_H
#define GRADER_PLACE_H

#include <limits.h> /* PATH_MAX */

#include "grader/job/backend.h"
#include "grader/job/request.h"
#include "judge/judge.h"

struct place {
    char kit[PATH_MAX];       /* root of the kit */
    char build[PATH_MAX];     /* the kit's build folder, which contains
                                 this program */
    char lab[64];             /* "lab1-collectives" */
    char contracts[PATH_MAX]; /* folder with the lab's unmodified header */
    struct plan *plan;
    const struct judge_lab *judge;
    struct machine machine; /* the machine that runs submissions */
    char work[PATH_MAX];    /* work folder of this grading; "": none yet */
    char tmp[PATH_MAX + 8]; /* folder in it for temporary files */
};

/*
 * Find the kit that this program belongs to, the request's lab in it, and the
 * machine. Returns 0; 1 if the request names no lab of this kit; -1 if the kit
 * or this machine is at fault. Unless it is 0, err says what is wrong. Call
 * place_release() in each case.
 */
int place_find(struct place *p, const struct request *r, char *err,
               size_t err_nbytes);
void place_release(struct place *p);

/* Check that the plan has each of these cases, "A,B"; NULL has none. Returns 0,
 * or -1 with the first that it lacks, and those with names like it, in err. */
int place_has_cases(const struct place *p, const char *cases, char *err,
                    size_t err_nbytes);

/* Make the work folder: the request's, or a new one. Returns 0,
 * or -1 with err. */
int place_make_work(struct place *p, const struct request *r, char *err,
                    size_t err_nbytes);
void place_remove_work(struct place *p);

#endif
