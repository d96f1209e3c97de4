/*
 * place.h: where a grading takes place: the kit, the lab, the machine, a folder
 */
#ifndef GRADER_PLACE_H
#define GRADER_PLACE_H

#include <limits.h> /* PATH_MAX */

#include "backend.h"
#include "judge/judge.h"
#include "request.h"

struct place {
    char kit[PATH_MAX];       /* its root */
    char build[PATH_MAX];     /* its build folder, which this program is in */
    char lab[64];             /* "lab1-collectives" */
    char contracts[PATH_MAX]; /* pristine folder of the lab: its header */
    struct plan *plan;
    const struct judge_lab *judge;
    struct machine machine; /* what submissions are run by */
    char work[PATH_MAX];    /* this grading's own folder; "": none yet */
    char tmp[PATH_MAX + 8]; /* in it */
};

/*
 * Find the kit that this program belongs to, the request's lab in it, and the
 * machine. 0; 1 if the request names no lab of this kit; -1 if the kit or this
 * machine is at fault. Unless 0, err says what is wrong. place_release() it in
 * any case.
 */
int place_find(struct place *p, const struct request *r, char *err,
               size_t err_nbytes);
void place_release(struct place *p);

/* Make the folder to work in: the request's, or a new one. 0, or -1 with
 * err. */
int place_make_work(struct place *p, const struct request *r, char *err,
                    size_t err_nbytes);
void place_remove_work(struct place *p);

#endif
