/*
 * plan_numbers.h: reading a plan's numbers and answers
 */
#ifndef COMMLAB_JUDGE_PLAN_NUMBERS_H
#define COMMLAB_JUDGE_PLAN_NUMBERS_H

#include "judge/loader.h"

/* Read a pair of `numbers:`: a number and its choices, or a group of
 * numbers. */
loader_pair_fn plan_numbers_take;

/*
 * Read a pair of `answers:`: a question of the visible plan, which must have
 * been read already, and its formula, or one formula for each choice of a
 * number.
 */
loader_pair_fn plan_numbers_answer;

#endif
