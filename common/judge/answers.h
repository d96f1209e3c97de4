/*
 * answers.h: closed-form questions, answered in answers.txt
 *
 * The file has a line for each question, "name = number". "#" begins a comment,
 * and a unit may follow the number after a space:
 *
 *     # 1. How long must a ring of eight ranks take at least, in ms?
 *     ring_floor_ms = 4.18
 *
 * A case of kind `answer`, with {question: ring_floor_ms}, is judged by the
 * number in the hidden plan (plan.h). A student's copy has no hidden plan:
 * there only the format is checked, so trying numbers doesn't tell which one is
 * right. The lab's table holds what does not give an answer away.
 */
#ifndef COMMLAB_JUDGE_ANSWERS_H
#define COMMLAB_JUDGE_ANSWERS_H

#include "judge/judge.h"

struct judge_answer {
    const char *name;
    double tolerance; /* relative; 0: a whole number, exactly */
    double (*value)(const struct judge_task *t); /* the right number, if it
                                                    differs by task; or NULL */
};

/* Judge an answer: for judge_case(). */
void answers_judge(const struct judge_answer *table, const struct judge_task *t,
                   struct judge_verdict *v);

/* The text of answers.txt, truncated to some KiB; NULL if it can't be read. The
 * caller frees it. */
char *answers_load(const char *path);

/*
 * The number that `text` gives for a question. Returns 0; 1 if there is nothing
 * after the "="; -1 if there is no such line or no number, with a line in err.
 */
int answers_find(const char *text, const char *name, double *number, char *err,
                 size_t err_nbytes);

#endif
