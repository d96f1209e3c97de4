/*
 * answers.h: closed-form questions, answered in answers.txt
 *
 * The file has a line for each question, "name = number". "#" begins a comment,
 * and a unit may follow the number after a space:
 *
 *     # 1. How long must a ring of {ring_ranks} ranks take at least, in ms?
 *     ring_floor_ms = 4.18
 *
 * Numbers in braces are drawn for each student (numbers.h). A case of kind
 * `answer`, with {question: ring_floor_ms, tolerance: 0.01}, is judged against
 * the student's number in the hidden plan (plan.h). A student's copy has no
 * hidden plan: there only the format is checked, so a student can't find the
 * right answer by trying.
 */
#ifndef COMMLAB_JUDGE_ANSWERS_H
#define COMMLAB_JUDGE_ANSWERS_H

#include "judge/judge.h"

/* Judge an answer; called by judge_case(). */
void answers_judge(const struct judge_task *t, struct judge_verdict *v);

/* The text of answers.txt, cut to 64 KiB; NULL if it can't be read. The
 * caller frees it. */
char *answers_load(const char *path);

/*
 * Find the number that `text` gives for a question. Returns 0; 1 if nothing
 * follows the "="; -1 with a line in err if there is no such line or no number.
 */
int answers_find(const char *text, const char *name, double *number, char *err,
                 size_t err_nbytes);

/* What follows the "=" of the first line "name = ...", up to the end of the
 * text; NULL if there is no such line. */
const char *answers_after(const char *text, const char *name);

/* The question above the line "name = ...": its comment, without the "#" of
 * each line; "" if there is none. The caller frees it. */
char *answers_question(const char *text, const char *name);

/* The name of a lab's question that is answered in words, which a person
 * reads. It comes last, and its answer is the rest of the file. */
#define ANSWERS_IN_WORDS "in_words"

#endif
