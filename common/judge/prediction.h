/*
 * prediction.h: what a student predicts before writing code
 *
 * answers.txt has a line "prediction =" below a question about the times of the
 * plan's cases (`predict` in plan.h). `grade predict` asks that question and
 * completes the line:
 *
 *     prediction = 4.5 # made 2026-03-01 14:30 UTC, seal 5f2c91aa
 *
 * The seal is a hash of the number and the time. A line that was changed or
 * written by hand has none that fits. The hash has no key, since predictions
 * earn no points: nothing is gained by forging one.
 */
#ifndef COMMLAB_JUDGE_PREDICTION_H
#define COMMLAB_JUDGE_PREDICTION_H

#include <time.h> /* time_t */

#define PREDICTION "prediction" /* the name in answers.txt */

enum prediction_state {
    PREDICTION_NONE,     /* nothing follows the "=" */
    PREDICTION_MADE,     /* as `grade predict` wrote it */
    PREDICTION_UNSEALED, /* changed since, or written by hand */
};

struct prediction {
    enum prediction_state state;
    double number; /* NAN if there is none */
    char when[24]; /* "2026-03-01 14:30 UTC"; "" unless it is as made */
};

/* Read the prediction in the text of answers.txt; NULL is a file without. */
void prediction_read(const char *text, struct prediction *p);

/* A copy of the text with the prediction in it, which the caller frees. The
 * text has a line "prediction =". */
char *prediction_write(const char *text, double number, time_t when);

#endif
