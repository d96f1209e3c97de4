/*
 * answers.h: closed-form questions, answered in answers.txt
 *
 * A line for each question, "name = number"; "#" begins a comment, and a unit may
 * follow the number after a space:
 *
 *     # 1. How long must a ring of eight ranks take at least, in ms?
 *     ring_floor_ms = 4.18
 *
 * A case of kind `answer`, with {question: ring_floor_ms}, is judged by the lab's
 * table of answers. Students can read that table, so it holds no numbers, but a
 * digest of each: what has the same digest is right. For that, numbers are put on
 * a grid whose steps are as wide as the tolerance; its neighbours are right too.
 */
#ifndef COMMLAB_JUDGE_ANSWERS_H
#define COMMLAB_JUDGE_ANSWERS_H

#include "judge/judge.h"

struct judge_answer {
    const char *name;
    double tolerance; /* relative; 0: a whole number, exactly */
    uint64_t digest;  /* answers_digest() of the right number, or */
    double (*value)(const struct judge_task *t); /* the number itself, where it
                                                    differs by task */
};

/* Judge an answer: for judge_case(). */
void answers_judge(const struct judge_answer *table, const struct judge_task *t,
                   struct judge_verdict *v);

/* What a table says instead of a number. */
uint64_t answers_digest(const char *name, double number, double tolerance);

/* answers.txt as text, at most some KiB of it. NULL: it isn't there. The caller
 * frees it. */
char *answers_load(const char *path);

/*
 * The number that `text` gives for a question. 0; 1 when nothing is written behind
 * the "="; -1 when there is no such line or no number, with a line in err.
 */
int answers_find(const char *text, const char *name, double *number, char *err,
                 size_t err_nbytes);

#endif
