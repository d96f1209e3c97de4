/*
 * progress.h: how far a run of cases has got, for its supervisor
 *
 * A page of memory that the ranks share with the process that started them
 * (supervise.h): which case is running, and the verdicts so far. It outlives
 * the ranks, so that what they have earned is kept however they end.
 */
#ifndef COMMLAB_LAB_PROGRESS_H
#define COMMLAB_LAB_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "judge/judge.h"

enum progress_state { PROGRESS_OPEN, PROGRESS_JUDGED, PROGRESS_PRINTED };

struct progress {
    _Atomic int32_t now;     /* the running case; -1: none */
    _Atomic uint32_t titled; /* the head of the table has been printed */
    _Atomic uint32_t ended;  /* the total has been printed */
    int32_t ncases, is_shared;
    struct progress_case {
        _Atomic uint32_t state; /* enum progress_state */
        struct judge_verdict verdict;
    } c[];
};

/* The environment variable that names the page for the ranks. */
#define PROGRESS_ENV "COMMLAB_PROGRESS"

/* Make a page for ncases cases, and name it in the environment. NULL with errno
 * on failure. */
struct progress *progress_new(int ncases);

/* The page of the supervisor; without one, memory of this rank alone. Ends all
 * ranks on failure. */
struct progress *progress_open(int ncases);
void progress_free(struct progress *p);

#endif
