/*
 * questions.h: the questions of answers.txt, with the student's numbers
 */
#ifndef COMMLAB_LAB_QUESTIONS_H
#define COMMLAB_LAB_QUESTIONS_H

#include "judge/plan.h"

/* Print the questions. Returns 0, or -1 after a message if answers.txt is
 * missing or names a number that the plan does not have. */
int questions_print(const struct plan *p);

#endif
