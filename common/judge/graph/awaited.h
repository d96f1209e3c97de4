/*
 * awaited.h: the work that a case's stream waits for
 *
 * A student's function enqueues its work and returns. Its result is what is
 * ordered before the end of the case's stream, as a caller who enqueues more
 * work there would find it. The runner then waits for the whole device, so
 * that work on another stream ends, too, and the bytes are right; but no
 * caller could have relied on them:
 *
 *     case's stream    --[product]--------------- end
 *     another stream       \--[all-reduce]----------------   not awaited
 *
 * Waiting on the host before the function returns is an order, too.
 */
#ifndef COMMLAB_JUDGE_AWAITED_H
#define COMMLAB_JUDGE_AWAITED_H

#include "judge/graph/sections.h"

/*
 * By position, 1 for each operation of an iteration that is not ordered before
 * the end of its case's stream, to be freed; NULL if memory runs out.
 */
char *awaited_find(const struct sections *s);

#endif
