/*
 * progress.h: how far a run of cases has got, for its supervisor
 *
 * A page of memory that the ranks share with the process that started them
 * (supervise.h). It says which case is running and holds the verdicts so far.
 * It outlives the ranks, so verdicts are kept however a rank ends.
 */
#ifndef COMMLAB_LAB_PROGRESS_H
#define COMMLAB_LAB_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "judge/judge.h"

enum progress_state { PROGRESS_OPEN, PROGRESS_JUDGED, PROGRESS_PRINTED };

struct lab_progress {
    _Atomic int32_t now;     /* the running case; -1 if there is none */
    _Atomic uint32_t titled; /* 1 once the head of the table has been printed */
    _Atomic uint32_t ended;  /* 1 once the total has been printed */
    int32_t ncases, is_shared;
    struct progress_case {
        _Atomic uint32_t state; /* enum progress_state */
        struct judge_verdict verdict;
    } c[];
};

/* The environment variable that names the page for the ranks. */
#define PROGRESS_ENV "COMMLAB_PROGRESS"

/* Create a page for ncases cases, and put its name in the environment. NULL
 * with errno on failure. */
struct lab_progress *progress_new(int ncases);

/* Map the supervisor's page or, without a supervisor, private memory of this
 * rank. Ends all ranks on failure. */
struct lab_progress *progress_open(int ncases);
void progress_free(struct lab_progress *p);

#endif
