/*
 * wardens.h: who ended a run: its ranks, or somebody outside?
 *
 * The kernel tells a rank's warden how the rank ended (lab/warden.h), and the
 * warden tells the grader. A rank cannot bring on itself the signals that
 * people, schedulers and kernels short of memory send, nor speak for a warden:
 * all wardens are there before any student code runs.
 *
 *     const int w = wardens_listen(seen);
 *     ... the run ...
 *     if (wardens_find(w, nranks, &end, why, sizeof why)) ...
 *     wardens_close(w, seen);
 */
#ifndef GRADER_WARDENS_H
#define GRADER_WARDENS_H

#include <stddef.h>

#include "sandbox.h"

/* Wait for wardens in a folder that ranks see. Returns -1 with errno. */
int wardens_listen(const char *seen);
void wardens_close(int wardens, const char *seen);

/*
 * After the run: 1 with why, if it ended because a rank was killed or stopped
 * from outside before any of them failed by itself, or because what starts the
 * ranks was killed. 0: its end is its own doing; why tells of the rank that
 * ended first, or is "" where nothing is known.
 */
int wardens_find(int wardens, int nranks, const struct sandbox_end *end,
                 char *why, size_t nbytes);

#endif
