/*
 * plan_numbers.h: reading the questions' numbers and answers of a plan
 */
#ifndef COMMLAB_JUDGE_PLAN_NUMBERS_H
#define COMMLAB_JUDGE_PLAN_NUMBERS_H

#include "judge/loader.h"

/* A pair of `numbers:`: a number and its choices, or a group of numbers. */
loader_pair_fn plan_numbers_take;

/* A pair of `answers:`: a question of the visible plan, which has been read
 * before, and its formula, or one for each choice of a number. */
loader_pair_fn plan_numbers_answer;

#endif
