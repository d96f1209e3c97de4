/*
 * wardens.h: whether a run was ended by its ranks, or from outside
 *
 * The kernel tells a rank's warden how the rank ended (lab/warden.h), and the
 * warden tells the grader. A rank can't bring on itself the signals that
 * people, schedulers and kernels short of memory send, nor speak for a warden:
 * all wardens are connected before any student code runs.
 *
 *     const int w = wardens_listen(seen);
 *     ... the run ...
 *     if (wardens_find(w, nranks, &end, &first, why, sizeof why)) ...
 *     wardens_close(w, seen);
 */
#ifndef GRADER_WARDENS_H
#define GRADER_WARDENS_H

#include <stddef.h>

#include "grader/sandbox/sandbox.h"

/* Wait for wardens in a folder that ranks see. Returns -1 with
 * errno on failure. */
int wardens_listen(const char *seen);
void wardens_close(int wardens, const char *seen);

/*
 * Call this after the run. Returns 1, with the reason in why, if the run ended
 * because a rank was killed or stopped from outside before any rank failed by
 * itself, or because the program that starts the ranks was killed. Returns 0 if
 * the run ended by itself; why then describes the rank that ended first, or is
 * "" if that is unknown. *first: the rank that why describes; -1: none.
 */
int wardens_find(int wardens, int nranks, const struct sandbox_end *end,
                 int *first, char *why, size_t nbytes);

#endif
